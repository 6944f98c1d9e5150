/*-------------------------------------------------------------------------
 *
 * text_array.h
 *	  Functions over whole arrays of texts that make an array of texts.
 *
 * IDENTIFICATION
 *	  src/sqlfn/text_array.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_SQLFN_TEXT_ARRAY_H
#define GPUSTR_SQLFN_TEXT_ARRAY_H

#include "sqlfn/text_batches.h"

/*
 * A function that makes a text of one text or two, strict.  The callbacks get no
 * NULL; build and most_bytes are those of GpustrTextBatches.
 */
typedef struct GpustrTextArray
{
	void		(*build) (GpustrProgramBuilder *builder, const void *context);
	uint64		(*most_bytes) (const GpustrBytes *args, const void *context);

	/* The answer, where the engine leaves it to us. */
	text	   *(*compute) (const GpustrBytes *args, const void *context);
	const void *context;
} GpustrTextArray;

/*
 * All answers, element by element of as many arrays, which are of the same
 * dimensions, as is the answer; NULL where an argument is.
 */
extern ArrayType *gpustr_text_array_run(const GpustrTextArray *function, int narrays, ArrayType **arrays);

#endif							/* GPUSTR_SQLFN_TEXT_ARRAY_H */
