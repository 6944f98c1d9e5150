/*-------------------------------------------------------------------------
 *
 * text_makes.cu
 *	  TEXT_MAKE of functions whose answer is a new text.
 *
 * The answers of a step lie in an arena.  One pass: each block works out how long
 * the answers of its rows are, takes that much of the arena by moving a cursor
 * on, and writes.  So the blocks' answers lie in no order, and which rows there is
 * no room for differs from run to run; those of a block lie one behind the other.
 *
 * IDENTIFICATION
 *	  cuda/text_makes.cu
 *
 *-------------------------------------------------------------------------
 */
#include <cub/block/block_scan.cuh>

#include "kernels.cuh"
#include "rowfn/text_make.h"
#include "text_args.cuh"

/* Alignment in bytes of what a block takes of the arena. */
#define MAKE_ALIGN 16

uint64_t text_arena_bytes(int32_t nrows, uint64_t room)
{
	return room + (uint64_t)launch_blocks(nrows, ROW_THREADS) * MAKE_ALIGN;
}

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
 * e.g. upper() of {"ab", NULL, "c"}, arena at 100 and 10 bytes of it taken:
 *		"ABC" at 116, start {116, 118, 118}, end {118, 118, 119}, valid 101,
 *		recheck 000
 */
template <int FUNCTION>
static __global__ void __launch_bounds__(ROW_THREADS)
	make_text(const TextArgs args, const TextArena arena, int32_t nrows, int32_t *start,
			  int32_t *end, StatePlanes planes)
{
	typedef cub::BlockScan<unsigned long long, ROW_THREADS> Scan;
	__shared__ typename Scan::TempStorage scan;
	__shared__ unsigned long long block_at;
	int32_t r = my_row();
	uint32_t truth = GPUSTR_RECHECK;
	RowfnArgs row = {};
	unsigned long long bytes = 0;
	unsigned long long at;
	unsigned long long total;

	if (r < nrows)
	{
		truth = row_truth(text_args_state(args, r / 32), r);
		if (truth == GPUSTR_FALSE)
		{
			int64_t n;

			row = text_args_row(args, r);
			n = rowfn_text_bytes(FUNCTION, &row);

			/* one that can have no room takes none from others */
			if (n < 0 || (uint64_t)n > arena.bytes)
				truth = GPUSTR_RECHECK;
			else
				bytes = (unsigned long long)n;
		}
	}
	Scan(scan).ExclusiveSum(bytes, at, total);
	if (threadIdx.x == 0)
		block_at = atomicAdd(arena.cursor, (total + MAKE_ALIGN - 1) / MAKE_ALIGN * MAKE_ALIGN);
	__syncthreads();
	at += block_at;
	if (at + bytes > arena.bytes)
	{
		/* also of rows that have no answer: their place must be in range */
		truth = truth == GPUSTR_FALSE ? (uint32_t)GPUSTR_RECHECK : truth;
		at = 0;
		bytes = 0;
	}
	if (r < nrows)
	{
		start[r] = arena.at + (int32_t)at;
		end[r] = arena.at + (int32_t)(at + bytes);
		if (truth == GPUSTR_FALSE)
			rowfn_text_write(FUNCTION, &row, arena.base + arena.at + at, (int64_t)bytes);
	}
	__syncwarp();
	if (warp_has_rows(r, nrows))
		write_state(planes, r, truth);
}

template <int FUNCTION>
static cudaError_t launch(const TextArgs &args, const TextArena &arena, int32_t nrows,
						  int32_t *start, int32_t *end, StatePlanes planes, cudaStream_t stream)
{
	make_text<FUNCTION><<<launch_blocks(nrows, ROW_THREADS), ROW_THREADS, 0, stream>>>(
		args, arena, nrows, start, end, planes);
	return cudaPeekAtLastError();
}

cudaError_t launch_text_make(GpustrTextFunction function, const TextArgs &args,
							 const TextArena &arena, int32_t nrows, int32_t *start, int32_t *end,
							 StatePlanes planes, cudaStream_t stream)
{
#define MAKE(function)                                                                             \
	case function:                                                                                 \
		return launch<function>(args, arena, nrows, start, end, planes, stream)

	switch (function)
	{
		MAKE(GPUSTR_TEXT_UPPER);
		MAKE(GPUSTR_TEXT_LOWER);
		MAKE(GPUSTR_TEXT_INITCAP);
		MAKE(GPUSTR_TEXT_CONCAT);
		MAKE(GPUSTR_TEXT_REPLACE);
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
		default:
			return cudaErrorInvalidValue;
	}
#undef MAKE
}
