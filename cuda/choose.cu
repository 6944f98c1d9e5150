/*-------------------------------------------------------------------------
 *
 * choose.cu
 *	  CHOOSE: one of two registers in each row, by a condition; for CASE,
 *	  COALESCE, NULLIF.
 *
 * Both have been evaluated for all rows; a row of which the condition is
 * recheck is recheck, and what the other one has is of no account.
 *
 * IDENTIFICATION
 *	  cuda/choose.cu
 *
 *-------------------------------------------------------------------------
 */
#include "kernels.cuh"
#include "row_words.cuh"
#include "text_arena.cuh"

/* Rows of a word of which the condition is true. */
static __device__ __forceinline__ uint32_t chosen(BoolRegister condition, int32_t word)
{
	return condition.lo[word] & ~condition.hi[word];
}

/* 32 rows: yes where the condition is true, recheck where that is, else no. */
static __device__ __forceinline__ GpustrTruthWord choose_word(BoolRegister condition, int32_t word,
															  GpustrTruthWord yes,
															  GpustrTruthWord no)
{
	uint32_t take = chosen(condition, word);
	uint32_t recheck = condition.lo[word] & condition.hi[word];

	return gpustr_truth_word((take & yes.lo) | (~take & no.lo) | recheck,
							 (take & yes.hi) | (~take & no.hi) | recheck);
}

/* A word of a register's planes, written by one thread of its warp. */
static __device__ __forceinline__ void write_state_word(StatePlanes out, int32_t word,
														GpustrTruthWord state)
{
	out.valid[word] = ~state.hi;
	out.recheck[word] = state.lo;
}

/*
 * choose_bool - one of two truth values.
 *
 * condition, yes, no, out	[nwords] words a plane
 *
 * One thread a word, 256 a block.
 * e.g. condition T F N R, yes T T T T, no F N F F: T N F R
 */
static __global__ void __launch_bounds__(ROW_THREADS)
	choose_bool(BoolRegister condition, BoolRegister yes, BoolRegister no, int32_t nwords,
				BoolRegister out)
{
	int32_t w = (int32_t)(blockIdx.x * ROW_THREADS + threadIdx.x);
	GpustrTruthWord word;

	if (w >= nwords)
		return;
	word = choose_word(condition, w, gpustr_truth_word(yes.lo[w], yes.hi[w]),
					   gpustr_truth_word(no.lo[w], no.hi[w]));
	out.lo[w] = word.lo;
	out.hi[w] = word.hi;
}

cudaError_t launch_choose_bool(BoolRegister condition, BoolRegister yes, BoolRegister no,
							   int32_t nrows, BoolRegister out, cudaStream_t stream)
{
	int32_t n = (int32_t)GPUSTR_BITMAP_WORDS(nrows);

	choose_bool<<<launch_blocks(n, ROW_THREADS), ROW_THREADS, 0, stream>>>(condition, yes, no, n,
																		   out);
	return cudaPeekAtLastError();
}

/*
 * choose_text - one of two texts.
 *
 * condition	[(nrows + 31) / 32] words a plane
 * yes, no		[nrows] text registers, within 2 GB of base
 * start, end	[nrows] bytes from base
 * planes		[(nrows + 31) / 32] words each
 *
 * One thread a row, 256 a block; a warp's first thread writes its words.
 * e.g. condition T F F R, yes {"a", "b", "c", "d"}, no {"x", "y", NULL, "z"}:
 *		texts {"a", "y", -, -}, valid 0011, recheck 1000
 */
static __global__ void __launch_bounds__(ROW_THREADS)
	choose_text(BoolRegister condition, const TextRegister yes, const TextRegister no,
				const char *base, int32_t nrows, int32_t *start, int32_t *end, StatePlanes planes)
{
	int32_t r = my_row();
	int32_t w = r / 32;
	bool take;
	int32_t at;

	if (r >= nrows)
		return;
	if (r % 32 == 0)
		write_state_word(planes, w,
						 choose_word(condition, w, text_state(yes, w), text_state(no, w)));
	take = chosen(condition, w) >> (r % 32) & 1;
	at = (int32_t)((take ? text_at(yes, r) : text_at(no, r)) - base);
	start[r] = at;
	end[r] = at + (take ? text_bytes(yes, r) : text_bytes(no, r));
}

cudaError_t launch_choose_text(BoolRegister condition, const TextRegister &yes,
							   const TextRegister &no, const char *base, int32_t nrows,
							   int32_t *start, int32_t *end, StatePlanes planes,
							   cudaStream_t stream)
{
	choose_text<<<launch_blocks(nrows, ROW_THREADS), ROW_THREADS, 0, stream>>>(
		condition, yes, no, base, nrows, start, end, planes);
	return cudaPeekAtLastError();
}

/*
 * choose_far_text - the same, texts from anywhere: copies of them.
 *
 * arena	[arena.bytes], aligned to 16; within 2 GB of arena.base.  If a text has no room the
 *			cursor passes 'bytes'
 * start, end	[nrows] bytes from arena.base
 *
 * One thread a row, 256 a block; a warp writes one word of each plane by ballot, a
 * block's first thread moves the cursor.
 */
static __global__ void __launch_bounds__(ROW_THREADS)
	choose_far_text(BoolRegister condition, const TextRegister yes, const TextRegister no,
					const TextArena arena, int32_t nrows, int32_t *start, int32_t *end,
					StatePlanes planes)
{
	__shared__ ArenaShared shared;
	const int32_t r = my_row();
	const int32_t w = r / 32;
	const char *from = NULL;
	uint32_t truth = GPUSTR_RECHECK;
	uint64_t bytes = 0;
	ArenaPlace place;

	if (r < nrows)
	{
		const bool take = chosen(condition, w) >> (r % 32) & 1;

		truth = row_truth(choose_word(condition, w, text_state(yes, w), text_state(no, w)), r);
		if (truth == GPUSTR_FALSE)
		{
			const int32_t len = take ? text_bytes(yes, r) : text_bytes(no, r);

			from = take ? text_at(yes, r) : text_at(no, r);
			truth = arena_row_bytes(arena, len, &bytes);

			/* it takes no room, but is to be seen by who has given too little */
			if (truth != GPUSTR_FALSE)
				(void)atomicAdd(arena.cursor, (unsigned long long)len);
		}
	}
	place = arena_take(arena, &shared, bytes, 0, 0);
	truth = arena_answer(arena, place, bytes, truth, r, nrows, start, end, planes);
	if (truth == GPUSTR_FALSE)
	{
		char *to = arena_memory(arena, place) + place.at;

		for (uint64_t i = 0; i < bytes; i++)
			to[i] = from[i];
	}
	__syncthreads();
	arena_fill_words(arena, place, bytes > 0 && truth != GPUSTR_FALSE);
}

cudaError_t launch_choose_far_text(BoolRegister condition, const TextRegister &yes,
								   const TextRegister &no, const TextArena &arena, int32_t nrows,
								   int32_t *start, int32_t *end, StatePlanes planes,
								   cudaStream_t stream)
{
	choose_far_text<<<launch_blocks(nrows, ROW_THREADS), ROW_THREADS, 0, stream>>>(
		condition, yes, no, arena, nrows, start, end, planes);
	return cudaPeekAtLastError();
}

/*
 * choose_value - one of two values.
 *
 * condition	[(nrows + 31) / 32] words a plane
 * yes, no		[nrows] value registers
 * value		[nrows]
 * planes		[(nrows + 31) / 32] words each
 *
 * One thread a row, 256 a block; a warp's first thread writes its words.
 * e.g. condition T F F R, yes {1, 2, 3, 4}, no {5, 6, NULL, 8}: value
 *		{1, 6, -, -}, valid 0011, recheck 1000
 */
static __global__ void __launch_bounds__(ROW_THREADS)
	choose_value(BoolRegister condition, const ValueRegister yes, const ValueRegister no,
				 int32_t nrows, int64_t *value, StatePlanes planes)
{
	int32_t r = my_row();
	int32_t w = r / 32;

	if (r >= nrows)
		return;
	if (r % 32 == 0)
		write_state_word(planes, w,
						 choose_word(condition, w, value_state(yes, w), value_state(no, w)));
	value[r] = chosen(condition, w) >> (r % 32) & 1 ? value_at(yes, r) : value_at(no, r);
}

cudaError_t launch_choose_value(BoolRegister condition, const ValueRegister &yes,
								const ValueRegister &no, int32_t nrows, int64_t *value,
								StatePlanes planes, cudaStream_t stream)
{
	choose_value<<<launch_blocks(nrows, ROW_THREADS), ROW_THREADS, 0, stream>>>(
		condition, yes, no, nrows, value, planes);
	return cudaPeekAtLastError();
}
