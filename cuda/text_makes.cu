/*-------------------------------------------------------------------------
 *
 * text_makes.cu
 *	  TEXT_MAKE of functions whose answer is a new text.
 *
 * The answers of a step lie in an arena.  One pass: each block works out how long
 * the answers of its rows are, takes that much of the arena by moving a cursor
 * on, and writes.  So the blocks' answers lie in no order, and which rows there is
 * no room for differs from run to run; those of a block lie one behind the other.
 * A block's answers are put together in shared memory, if they fit, and go out by
 * words of 16 bytes.
 *
 * Functions whose answers are pieces of other texts, or much like them, have a
 * kernel of their own: text_pieces.cu.
 *
 * IDENTIFICATION
 *	  cuda/text_makes.cu
 *
 *-------------------------------------------------------------------------
 */
#include "kernels.cuh"
#include "rowfn/text_make.h"
#include "text_arena.cuh"

/* Bytes of a block's answers that are put together in shared memory. */
#define MAKE_STAGE_BYTES 16384

/*
 * make_text - the answers, and where they are.
 *
 * args		[nrows] registers
 * arena	[arena.bytes], aligned to 16; within 2 GB of arena.base
 * start, end	[nrows] bytes from arena.base
 * planes	[(nrows + 31) / 32] words each
 *
 * One thread a row, 256 a block; a warp writes one word of each plane by ballot,
 * a block's first thread moves the cursor.
 * e.g. reverse() of {"ab", NULL, "c"}, arena at 96 and 10 bytes of it taken:
 *		"bac" at 112, start {112, 114, 114}, end {114, 114, 115}, valid 101,
 *		recheck 000
 */
template <int FUNCTION>
static __global__ void __launch_bounds__(ROW_THREADS)
	make_text(const TextArgs args, const TextArena arena, int32_t nrows, int32_t *start,
			  int32_t *end, StatePlanes planes)
{
	__shared__ ArenaShared shared;
	__shared__ __align__(16) char stage[MAKE_STAGE_BYTES];
	int32_t r = my_row();
	uint32_t truth = GPUSTR_RECHECK;
	RowfnArgs row = {};
	uint64_t bytes = 0;
	ArenaPlace place;
	bool staged;

	if (r < nrows)
	{
		truth = row_truth(text_args_state(args, r / 32), r);
		if (truth == GPUSTR_FALSE)
		{
			row = text_args_row(args, r);
			truth = arena_row_bytes(arena, rowfn_text_bytes(FUNCTION, &row), &bytes);
		}
	}
	place = arena_take(arena, &shared, bytes, 0, 0);
	staged = place.total <= MAKE_STAGE_BYTES;
	truth = arena_answer(arena, place, bytes, truth, r, nrows, start, end, planes);
	if (truth == GPUSTR_FALSE)
		rowfn_text_write(FUNCTION, &row,
						 staged ? stage + place.at : arena_memory(arena, place) + place.at,
						 (int64_t)bytes);
	__syncthreads();
	if (staged)
		for (uint64_t at = threadIdx.x * 16; at < arena_written(arena, place, place.total);
			 at += ROW_THREADS * 16)
			*(uint4 *)(arena_memory(arena, place) + at) = *(const uint4 *)(stage + at);
	else
		arena_fill_words(arena, place, bytes > 0 && truth != GPUSTR_FALSE);
}

template <int FUNCTION>
static cudaError_t launch(const TextArgs &args, const TextArena &arena, int32_t nrows,
						  int32_t *start, int32_t *end, StatePlanes planes, cudaStream_t stream)
{
	make_text<FUNCTION><<<launch_blocks(nrows, ROW_THREADS), ROW_THREADS, 0, stream>>>(
		args, arena, nrows, start, end, planes);
	return cudaPeekAtLastError();
}

uint64_t text_arena_bytes(int32_t nrows, uint64_t room)
{
	return room + (uint64_t)launch_blocks(nrows, ROW_THREADS) * ARENA_LOST;
}

cudaError_t launch_text_make(GpustrTextFunction function, const TextArgs &args,
							 const void *host_constant, const TextArena &arena, int32_t nrows,
							 int32_t *start, int32_t *end, StatePlanes planes, cudaStream_t stream)
{
#define MAKE(function)                                                                             \
	case function:                                                                                 \
		return launch<function>(args, arena, nrows, start, end, planes, stream)

	if (text_is_replace(function, args))
		return launch_text_replace(args, arena, nrows, start, end, planes, stream);
	if (text_is_pieces(function, host_constant))
		return launch_text_pieces(function, args, host_constant, arena, nrows, start, end, planes,
								  stream);
	switch (function)
	{
		MAKE(GPUSTR_TEXT_UPPER);
		MAKE(GPUSTR_TEXT_LOWER);
		MAKE(GPUSTR_TEXT_INITCAP);
		MAKE(GPUSTR_TEXT_TRANSLATE);
		MAKE(GPUSTR_TEXT_LPAD);
		MAKE(GPUSTR_TEXT_RPAD);
		MAKE(GPUSTR_TEXT_REPEAT);
		MAKE(GPUSTR_TEXT_REVERSE);
		MAKE(GPUSTR_TEXT_CHR);
		MAKE(GPUSTR_TEXT_TO_HEX4);
		MAKE(GPUSTR_TEXT_TO_HEX8);
		MAKE(GPUSTR_TEXT_FROM_INT);
		MAKE(GPUSTR_TEXT_FROM_BOOL);
		MAKE(GPUSTR_TEXT_FROM_DATE);
		MAKE(GPUSTR_TEXT_FROM_UUID);
		MAKE(GPUSTR_TEXT_MD5);
		MAKE(GPUSTR_TEXT_SHA256);
		MAKE(GPUSTR_TEXT_REDACT_PII);
		MAKE(GPUSTR_TEXT_REGEX_REPLACE);
		MAKE(GPUSTR_TEXT_FROM_FLOAT4);
		MAKE(GPUSTR_TEXT_FROM_FLOAT8);
		MAKE(GPUSTR_TEXT_FROM_TIMESTAMP);
		MAKE(GPUSTR_TEXT_FROM_NUMERIC);
		MAKE(GPUSTR_TEXT_TO_UUID);
		MAKE(GPUSTR_TEXT_HEX);
		default:
			return cudaErrorInvalidValue;
	}
#undef MAKE
}
