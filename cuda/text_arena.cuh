/*-------------------------------------------------------------------------
 *
 * text_arena.cuh
 *	  A block's part of the arena that a step's answers lie in.
 *
 * The threads of a block are 256 rows.  What their answers take together is
 * taken by one atomic addition to the arena's cursor, rounded up to 16 bytes, so
 * that a block's answers start with a word.
 *
 * Rows that there is no room for are the last of a block: if one ends past the
 * arena, so do all behind it.
 *
 * IDENTIFICATION
 *	  cuda/text_arena.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_TEXT_ARENA_CUH
#define GPUSTR_TEXT_ARENA_CUH

#include <cub/block/block_scan.cuh>

#include "kernels.cuh"
#include "row_words.cuh"

/* Alignment in bytes of what a block takes. */
#define ARENA_ALIGN 16

/* The most that a block takes beside its answers, and more. */
#define ARENA_LOST (2 * ARENA_ALIGN)

/* A scan's sums: bytes below, pieces above. */
#define ARENA_BYTES_BITS 44

typedef cub::BlockScan<unsigned long long, ROW_THREADS> ArenaScan;

struct ArenaShared
{
	ArenaScan::TempStorage scan;
	unsigned long long block;
};

/* Where a row's answer is. */
struct ArenaPlace
{
	uint64_t block; /* the block's answers, in bytes from the arena's start */
	uint64_t total; /* bytes of them, and before the first */
	uint64_t at;	/* the row's, from the block's first */
	uint32_t piece; /* pieces of the rows before it; all */
	uint32_t pieces;
};

/*
 * What a row's bytes, as rowfn_text_bytes() says them, make of it: a truth.  One
 * that can have no room takes none from others.
 */
__device__ __forceinline__ uint32_t arena_row_bytes(const TextArena &arena, int64_t said,
													uint64_t *bytes)
{
	if (said < 0 || (uint64_t)said > arena.bytes)
		return GPUSTR_RECHECK;
	*bytes = (uint64_t)said;
	return GPUSTR_FALSE;
}

/*
 * Take room for the block's rows.  All threads; a barrier is part of it.
 * head: bytes before the first answer, less than ARENA_ALIGN; the same in all
 */
__device__ __forceinline__ ArenaPlace arena_take(const TextArena &arena, ArenaShared *shared,
												 uint64_t bytes, uint32_t pieces, uint32_t head)
{
	const uint64_t mask = (1ULL << ARENA_BYTES_BITS) - 1;
	unsigned long long before;
	unsigned long long all;
	ArenaPlace place;

	ArenaScan(shared->scan)
		.ExclusiveSum((unsigned long long)pieces << ARENA_BYTES_BITS | bytes, before, all);
	place.total = (all & mask) + head;
	place.at = (before & mask) + head;
	place.piece = (uint32_t)(before >> ARENA_BYTES_BITS);
	place.pieces = (uint32_t)(all >> ARENA_BYTES_BITS);
	if (threadIdx.x == 0)
		shared->block =
			atomicAdd(arena.cursor, (unsigned long long)((place.total + ARENA_ALIGN - 1) /
														 ARENA_ALIGN * ARENA_ALIGN));
	__syncthreads();
	place.block = shared->block;
	return place;
}

/* Is there room for a row? */
__device__ __forceinline__ bool arena_has_room(const TextArena &arena, const ArenaPlace &place,
											   uint64_t bytes)
{
	return place.block + place.at + bytes <= arena.bytes;
}

__device__ __forceinline__ char *arena_memory(const TextArena &arena, const ArenaPlace &place)
{
	return arena.base + arena.at + place.block;
}

/*
 * Of a block's first n bytes, those before the arena's end.  A word of 16 bytes that
 * starts before it may be written: there is a tail.
 */
__device__ __forceinline__ uint64_t arena_written(const TextArena &arena, const ArenaPlace &place,
												  uint64_t n)
{
	return place.block >= arena.bytes ? 0 : min(n, arena.bytes - place.block);
}

/*
 * Fill the arena with zeros from byte 'at' up to the end of the word that it is in;
 * at the arena's end, too, where the last word is one of the tail.
 */
__device__ __forceinline__ void arena_fill_word(const TextArena &arena, uint64_t at)
{
	if (at <= arena.bytes)
		for (char *p = arena.base + arena.at + at; ((uintptr_t)p & 15) != 0; p++)
			*p = 0;
}

/*
 * Texts are read by words of up to 16 bytes, so those in which the last answers end
 * are filled with zeros, where answers were written byte by byte.  no_room: the
 * thread's row has an answer, but nowhere to put it.
 */
__device__ __forceinline__ void arena_fill_words(const TextArena &arena, const ArenaPlace &place,
												 bool no_room)
{
	if (no_room || threadIdx.x == 0)
		arena_fill_word(arena, place.block + (no_room ? place.at : place.total));
}

/*
 * Write where row r's answer is, and its state.  All threads of a warp.  Returns
 * its truth: GPUSTR_FALSE if there is an answer, with room.
 */
__device__ __forceinline__ uint32_t arena_answer(const TextArena &arena, const ArenaPlace &place,
												 uint64_t bytes, uint32_t truth, int32_t r,
												 int32_t nrows, int32_t *start, int32_t *end,
												 StatePlanes planes)
{
	if (r < nrows)
	{
		int32_t from = arena.at;

		if (arena_has_room(arena, place, bytes))
			from += (int32_t)(place.block + place.at);
		else
		{
			/* also of rows that have no answer: their place must be in range */
			bytes = 0;
			if (truth == GPUSTR_FALSE)
				truth = GPUSTR_RECHECK;
		}
		start[r] = from;
		end[r] = from + (int32_t)bytes;
	}
	__syncwarp();
	if (warp_has_rows(r, nrows))
		write_state(planes, r, truth);
	return truth;
}

#endif /* GPUSTR_TEXT_ARENA_CUH */
