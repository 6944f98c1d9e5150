/*-------------------------------------------------------------------------
 *
 * row_words.cuh
 *	  One thread a row, 32 rows a word: what the micro-kernels have in common.
 *
 * A warp's 32 threads have the 32 rows of one word.  A warp of which no row
 * exists leaves at once; in any other one all threads come to the ballots,
 * those past nrows with the vote 0.
 *
 * IDENTIFICATION
 *	  cuda/row_words.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROW_WORDS_CUH
#define GPUSTR_ROW_WORDS_CUH

#include "value_register.cuh"

/* Threads of a block. */
#define ROW_THREADS 256

/* The row of this thread, which may be one past nrows. */
__device__ __forceinline__ int32_t my_row()
{
	return (int32_t)(blockIdx.x * ROW_THREADS + threadIdx.x);
}

/* Has this warp a row? */
__device__ __forceinline__ bool warp_has_rows(int32_t r, int32_t nrows)
{
	return r / 32 * 32 < nrows;
}

/* The GpustrTruth of row r, given its word. */
__device__ __forceinline__ uint32_t row_truth(GpustrTruthWord word, int32_t r)
{
	return (word.lo >> (r % 32) & 1) | (word.hi >> (r % 32) & 1) << 1;
}

/*
 * The state of what is made of two registers: recheck if either is, else null
 * if either is.  Both are false (a value), null or recheck.
 */
__device__ __forceinline__ GpustrTruthWord state_both(GpustrTruthWord a, GpustrTruthWord b)
{
	return gpustr_truth_word(a.lo | b.lo, a.hi | b.hi);
}

/* Write a warp's word of both planes.  All threads of the warp call this. */
__device__ __forceinline__ void write_truth(BoolRegister out, int32_t r, uint32_t truth)
{
	uint32_t lo = __ballot_sync(0xFFFFFFFF, truth & 1);
	uint32_t hi = __ballot_sync(0xFFFFFFFF, truth & 2);

	if (r % 32 == 0)
	{
		out.lo[r / 32] = lo;
		out.hi[r / 32] = hi;
	}
}

/* Alike, from false (a value), null or recheck.  Rows past nrows: any of them. */
__device__ __forceinline__ void write_state(StatePlanes out, int32_t r, uint32_t state)
{
	uint32_t valid = __ballot_sync(0xFFFFFFFF, state == GPUSTR_FALSE);
	uint32_t recheck = __ballot_sync(0xFFFFFFFF, state == GPUSTR_RECHECK);

	if (r % 32 == 0)
	{
		out.valid[r / 32] = valid;
		out.recheck[r / 32] = recheck;
	}
}

/* Rows of word w where a truth is true; lo NULL: all that there are. */
__device__ __forceinline__ uint32_t rows_asked_for(BoolRegister where, int32_t nrows, int32_t w)
{
	int32_t left = nrows - w * 32;
	uint32_t rows = left >= 32 ? 0xFFFFFFFF : (1u << left) - 1;

	return where.lo != NULL ? where.lo[w] & ~where.hi[w] & rows : rows;
}

#endif /* GPUSTR_ROW_WORDS_CUH */
