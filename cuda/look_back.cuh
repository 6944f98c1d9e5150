/*-------------------------------------------------------------------------
 *
 * look_back.cuh
 *	  A running sum over tiles in one pass, by decoupled look-back.
 *
 * After Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled
 * Look-back" (NVIDIA, 2016).  Each tile has a word in device memory, where it
 * publishes first its own sum and then, once known, the sum of all tiles up to
 * and including it.  A tile finds the sum before it by walking back over its
 * predecessors until it meets one of the second kind.
 *
 * A walk takes about one trip to the L2 cache for each window, and while it
 * lasts, more tiles start: with tiles of 1,024 rows, some 75 a microsecond.  A
 * window must therefore be wide, or the walks grow without end: here it is
 * LOOK_BACK_LOADS x 32 tiles, all asked for at once.
 *
 * A word is
 *
 *		sum (48 bits) | epoch (14 bits) | state (2 bits)
 *
 * so that one store publishes it whole and no fence is needed.  A word of
 * another epoch counts as empty: a caller that counts epochs up from 1 need
 * clear the words only every LOOK_BACK_EPOCHS launches, and before the first.
 *
 * Invariant: tiles are taken in ascending order by blocks that run, and a
 * block publishes the sum of a tile before it waits for others.  So the
 * lowest tile without a sum never waits, and there is no deadlock.
 *
 * IDENTIFICATION
 *	  cuda/look_back.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_LOOK_BACK_CUH
#define GPUSTR_LOOK_BACK_CUH

#include <stdint.h>

/* Words that a lane asks for at once. */
#define LOOK_BACK_LOADS 4

/* Epochs are 1 .. LOOK_BACK_EPOCHS. */
#define LOOK_BACK_EPOCHS 16383

#define LOOK_BACK_SUM 1		  /* of this tile alone */
#define LOOK_BACK_INCLUSIVE 2 /* of all tiles up to this one */

/* What a lane has read of a window; see look_back_begin(). */
struct LookBackWindow
{
	uint64_t word[LOOK_BACK_LOADS];
};

__device__ __forceinline__ uint64_t look_back_read(const uint64_t *word)
{
	uint64_t value;

	asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
				 : "=l"(value)
				 : "l"(__cvta_generic_to_global(word))
				 : "memory");
	return value;
}

__device__ __forceinline__ void look_back_publish(uint64_t *words, int32_t tile, uint64_t sum,
												  uint32_t epoch, uint32_t state)
{
	uint64_t value = sum << 16 | epoch << 2 | state;

	asm volatile(
		"st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(words + tile)),
		"l"(value)
		: "memory");
}

/* Read lane's word of the 32 that end at tile 'last'; what is before tile 0 is a sum of 0. */
__device__ __forceinline__ uint64_t look_back_read_lane(const uint64_t *words, int32_t last,
														uint32_t epoch, uint32_t lane)
{
	int32_t tile = last - (int32_t)lane;

	return tile >= 0 ? look_back_read(words + tile) : (uint64_t)(epoch << 2 | LOOK_BACK_INCLUSIVE);
}

/*
 * Ask for the window before 'tile', and do not wait for the answer: there is
 * work to do meanwhile.  A whole warp.
 */
__device__ __forceinline__ LookBackWindow look_back_begin(const uint64_t *words, int32_t tile,
														  uint32_t epoch, uint32_t lane)
{
	LookBackWindow window;

#pragma unroll
	for (int i = 0; i < LOOK_BACK_LOADS; i++)
		window.word[i] = look_back_read_lane(words, tile - 1 - 32 * i, epoch, lane);
	return window;
}

/*
 * The sum of all tiles before 'tile', in every lane.  A whole warp; 'window'
 * from look_back_begin().
 *
 * e.g. sums 5, 1, 2 of which tile 0 is inclusive; tile 3 reads 2, 1, 5: 8
 */
__device__ __forceinline__ uint64_t look_back_end(const uint64_t *words, int32_t tile,
												  uint32_t epoch, uint32_t lane,
												  LookBackWindow window)
{
	uint64_t sum = 0;
	int32_t last = tile - 1;

	for (;;)
	{
#pragma unroll
		for (int i = 0; i < LOOK_BACK_LOADS; i++)
		{
			uint64_t word = window.word[i];
			uint32_t inclusive;
			uint32_t before; /* lanes up to the first inclusive one */

			for (;;)
			{
				uint32_t tag = (uint32_t)word & 0xFFFF;
				bool empty = tag >> 2 != epoch;
				uint32_t missing = __ballot_sync(0xFFFFFFFF, empty);

				inclusive = __ballot_sync(0xFFFFFFFF, !empty && (tag & 3) == LOOK_BACK_INCLUSIVE);
				before = inclusive ^ (inclusive - 1); /* all lanes if there is none */
				if ((missing & before) == 0)
					break;
				word = look_back_read_lane(words, last - 32 * i, epoch, lane);
			}
			if (before >> lane & 1)
				sum += word >> 16;
			if (inclusive != 0)
				goto found;
		}
		last -= 32 * LOOK_BACK_LOADS;
		window = look_back_begin(words, last + 1, epoch, lane);
	}

found:
#pragma unroll
	for (int i = 16; i > 0; i /= 2)
		sum += __shfl_xor_sync(0xFFFFFFFF, sum, i);
	return sum;
}

#endif /* GPUSTR_LOOK_BACK_CUH */
