/*-------------------------------------------------------------------------
 *
 * text_args.cuh
 *	  The arguments of a function of texts, in device memory.
 *
 * Argument i is text[i] or value[i], as the function's shape says
 * (program/text_function.h).  What is not an argument is all zeros: a constant
 * that is empty, or 0, and has a value in every row.
 *
 * IDENTIFICATION
 *	  cuda/text_args.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_TEXT_ARGS_CUH
#define GPUSTR_TEXT_ARGS_CUH

#include "row_words.cuh"
#include "rowfn/text_args.h"

struct TextArgs
{
	TextRegister text[3];
	ValueRegister value[3];
	const char *constant; /* the step's */
	int32_t encoding;	  /* GpustrEncoding */
	bool far;			  /* texts may lie anywhere, not just within 2 GB of the answers */
};

/* 32 rows of the answers: recheck if an argument is, else null if one is. */
__device__ __forceinline__ GpustrTruthWord text_args_state(const TextArgs &args, int32_t word)
{
	GpustrTruthWord state = gpustr_truth_word(0, 0);

#pragma unroll
	for (int i = 0; i < 3; i++)
		state = state_both(
			state, state_both(text_state(args.text[i], word), value_state(args.value[i], word)));
	return state;
}

/* The arguments of a row of which none is NULL or recheck. */
__device__ __forceinline__ RowfnArgs text_args_row(const TextArgs &args, int32_t r)
{
	RowfnArgs row;

#pragma unroll
	for (int i = 0; i < 3; i++)
	{
		row.text[i].s = text_at(args.text[i], r);
		row.text[i].len = text_bytes(args.text[i], r);
		row.value[i] = value_at(args.value[i], r);
	}
	row.constant = args.constant;
	row.encoding = args.encoding;
	return row;
}

#endif /* GPUSTR_TEXT_ARGS_CUH */
