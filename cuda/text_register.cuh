/*-------------------------------------------------------------------------
 *
 * text_register.cuh
 *	  What a text or bool register of a program is in device memory.
 *
 * A string is base[start[r] .. end[r]).  Decoded texts lie anywhere in the
 * request's pages and its program, both behind one base; an Arrow column is
 * the special case of end == start + 1.  A register whose rows are all the
 * same string has no start[]: the string is base[0 .. bytes).  The pieces of
 * 16 bytes, aligned, that hold a string can be read.
 *
 * IDENTIFICATION
 *	  cuda/text_register.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_TEXT_REGISTER_CUH
#define GPUSTR_TEXT_REGISTER_CUH

#include <stdint.h>

#include "program/program.h"

struct TextRegister
{
	const char *base;
	const int32_t *start; /* [nrows] bytes from base; NULL: a constant */
	const int32_t *end;	  /* [nrows] */

	/*
	 * [(nrows + 31) / 32] words, bit i of word i/32 for row i; bits past nrows
	 * may be anything.  NULL: all valid; none recheck.
	 */
	const uint32_t *valid;
	const uint32_t *recheck;
	int32_t bytes;	  /* of a constant */
	const char *host; /* the constant in host memory, too; else NULL */
	bool packed;	  /* an Arrow column */
};

/* Two bit planes of [(nrows + 31) / 32] words; see GpustrTruthWord. */
struct BoolRegister
{
	uint32_t *lo;
	uint32_t *hi;
};

__device__ __forceinline__ const char *text_at(const TextRegister &reg, int32_t row)
{
	return reg.start != NULL ? reg.base + reg.start[row] : reg.base;
}

__device__ __forceinline__ int32_t text_bytes(const TextRegister &reg, int32_t row)
{
	return reg.start != NULL ? reg.end[row] - reg.start[row] : reg.bytes;
}

/* 32 rows of it: value (false), null or recheck.  'valid' and 'recheck' may be NULL. */
__device__ __forceinline__ GpustrTruthWord text_state(const TextRegister &reg, int32_t word)
{
	uint32_t valid = reg.valid != NULL ? reg.valid[word] : 0xFFFFFFFF;
	uint32_t recheck = reg.recheck != NULL ? reg.recheck[word] : 0;

	return gpustr_truth_word(recheck, ~valid | recheck);
}

#endif /* GPUSTR_TEXT_REGISTER_CUH */
