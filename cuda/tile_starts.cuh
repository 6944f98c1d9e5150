/*-------------------------------------------------------------------------
 *
 * tile_starts.cuh
 *	  A running sum over tiles in one pass: a warp that scans for all blocks.
 *
 * Each tile has two words in device memory: its sum, which its block publishes
 * as soon as it is known, and its start, the sum of all tiles before it, which
 * its block waits for.  In between is one warp of the grid, the scanner: it
 * reads the sums in order, TILE_STARTS_WINDOW at a time, and writes the starts.
 *
 * That is decoupled look-back (Merrill and Garland, "Single-pass Parallel
 * Prefix Scan with Decoupled Look-back", NVIDIA, 2016) with the walk back done
 * once for all tiles, not by each.  With half a thousand tiles on their way at
 * a time, each walk there reads hundreds of words, over several trips to the
 * L2 cache; test/bench/NOTES.md has the figures.  Here a tile costs its block
 * one word to write and one to read.
 *
 * A word is
 *
 *		sum (48 bits) | epoch (16 bits)
 *
 * so that one store publishes it whole and no fence is needed.  A word of
 * another epoch counts as empty: a caller that counts epochs up from 1 need
 * clear the words only every TILE_STARTS_EPOCHS launches, and before the first.
 *
 * Invariant: the scanner and the blocks that have tiles run; each takes its tiles
 * in ascending order, and waits for no start but those of tiles before the
 * one whose sum it owes.  So the lowest tile without a sum never waits, and
 * there is no deadlock.
 *
 * IDENTIFICATION
 *	  cuda/tile_starts.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_TILE_STARTS_CUH
#define GPUSTR_TILE_STARTS_CUH

#include <stdint.h>

/* Words that a lane of the scanner reads at once, and its warp. */
#define TILE_STARTS_LOADS 4
#define TILE_STARTS_WINDOW (32 * TILE_STARTS_LOADS)

/* Epochs are 1 .. TILE_STARTS_EPOCHS. */
#define TILE_STARTS_EPOCHS 65535

__device__ __forceinline__ uint64_t tile_word_read(const uint64_t *word)
{
	uint64_t value;

	asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
				 : "=l"(value)
				 : "l"(__cvta_generic_to_global(word))
				 : "memory");
	return value;
}

/* Two words, of which the first is aligned to 16 bytes. */
__device__ __forceinline__ void tile_word_read2(const uint64_t *word, uint64_t (&value)[2])
{
	asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
				 : "=l"(value[0]), "=l"(value[1])
				 : "l"(__cvta_generic_to_global(word))
				 : "memory");
}

__device__ __forceinline__ void tile_word_write(uint64_t *word, uint64_t sum, uint32_t epoch)
{
	asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(word)),
				 "l"(sum << 16 | epoch)
				 : "memory");
}

__device__ __forceinline__ bool tile_word_is_ready(uint64_t word, uint32_t epoch)
{
	return (uint32_t)(word & 0xFFFF) == epoch;
}

/* Wait for a word. */
__device__ __forceinline__ uint64_t tile_word_wait(const uint64_t *word, uint32_t epoch)
{
	uint64_t value;

	do
		value = tile_word_read(word);
	while (!tile_word_is_ready(value, epoch));
	return value >> 16;
}

/* Words to allocate for so many tiles, for sums and for starts each. */
static __host__ __device__ __forceinline__ int64_t tile_starts_words(int64_t ntiles)
{
	return (ntiles + TILE_STARTS_LOADS - 1) / TILE_STARTS_LOADS * TILE_STARTS_LOADS;
}

/*
 * The scanner: a whole warp.  Returns, in every lane, the sum of all tiles once
 * the last start is written.
 *
 * sum		[tile_starts_words(ntiles)], written by the tiles' blocks; aligned to 16
 * start	alike, written here
 *
 * A window starts at a tile whose predecessors are all in; each lane has
 * TILE_STARTS_LOADS tiles of it, one after the other.  The window moves on over
 * the lanes that have all of theirs.
 * e.g. 2 a lane, sums 5 1 | 2 - | 4 4: starts 0 5 | 6 8, then from lane 1 on
 */
__device__ __forceinline__ uint64_t tile_starts_scan(const uint64_t *sum, uint64_t *start,
													 int32_t ntiles, uint32_t epoch, uint32_t lane)
{
	uint64_t before = 0; /* all tiles before the window */
	int32_t window = 0;
	int32_t written = 0; /* tiles that have their starts */

	while (written < ntiles)
	{
		int32_t first = window + (int32_t)lane * TILE_STARTS_LOADS;
		uint64_t word[TILE_STARTS_LOADS];
		uint64_t mine = 0;
		uint64_t scan;
		int32_t ready = 0; /* of the lane's tiles, up to the first that is not */
		uint32_t partial;  /* lanes that have not got all of theirs */
		uint32_t stop;	   /* the first of them */

		if (first < ntiles)
		{
#pragma unroll
			for (int i = 0; i < TILE_STARTS_LOADS; i += 2)
			{
				uint64_t two[2];

				tile_word_read2(sum + first + i, two);
				word[i] = two[0];
				word[i + 1] = two[1];
			}
#pragma unroll
			for (int i = 0; i < TILE_STARTS_LOADS; i++)
				if (ready == i && first + i < ntiles && tile_word_is_ready(word[i], epoch))
				{
					ready++;
					mine += word[i] >> 16;
				}
		}
		if (__ballot_sync(0xFFFFFFFF, mine >= 1u << 26) == 0)
		{
			/* the usual case: 32 bits do */
			uint32_t scan32 = (uint32_t)mine;

#pragma unroll
			for (uint32_t d = 1; d < 32; d *= 2)
			{
				uint32_t other = __shfl_up_sync(0xFFFFFFFF, scan32, d);

				if (lane >= d)
					scan32 += other;
			}
			scan = scan32;
		}
		else
		{
			scan = mine;
			for (uint32_t d = 1; d < 32; d *= 2)
			{
				uint64_t other = __shfl_up_sync(0xFFFFFFFF, scan, d);

				if (lane >= d)
					scan += other;
			}
		}
		partial = __ballot_sync(0xFFFFFFFF, ready < TILE_STARTS_LOADS);
		stop = partial != 0 ? (uint32_t)__ffs((int)partial) - 1 : 32;
		if (lane <= stop)
		{
			uint64_t at = before + scan - mine;

#pragma unroll
			for (int i = 0; i < TILE_STARTS_LOADS; i++)
				if (i < ready)
				{
					if (first + i >= written)
						tile_word_write(start + first + i, at, epoch);
					at += word[i] >> 16;
				}
		}

		/* the window starts over at the first lane that lacks some */
		written = window + (int32_t)stop * TILE_STARTS_LOADS;
		if (stop < 32)
			written += __shfl_sync(0xFFFFFFFF, ready, (int)stop);
		if (written == ntiles && stop < 32)
			before += __shfl_sync(0xFFFFFFFF, scan, (int)stop);
		else if (stop > 0)
			before += __shfl_sync(0xFFFFFFFF, scan, (int)stop - 1);
		window += (int32_t)stop * TILE_STARTS_LOADS;
	}
	return before;
}

#endif /* GPUSTR_TILE_STARTS_CUH */
