/*-------------------------------------------------------------------------
 *
 * search_look.cuh
 *	  Where the first bytes of what is sought stand among 16 bytes, exactly.
 *
 * IDENTIFICATION
 *	  cuda/search_look.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_SEARCH_LOOK_CUH
#define GPUSTR_SEARCH_LOOK_CUH

#include <cuda_runtime.h>
#include <stdint.h>

/* The most bytes that a look compares. */
#define SEARCH_LOOK_BYTES 4

/* What is sought. */
struct SearchFor
{
	const char *what; /* in device memory */
	int32_t bytes;
	uint32_t first[SEARCH_LOOK_BYTES]; /* its first bytes, as far as there are, four times each */
};

/*
 * The top bits of those of 4 bytes at which it starts; the others are 0.
 * next: the 4 bytes that follow
 */
template <int LOOK>
__device__ __forceinline__ uint32_t search_look4(const SearchFor &sought, uint32_t word,
												 uint32_t next)
{
	uint32_t differ = word ^ sought.first[0];

#pragma unroll
	for (int i = 1; i < LOOK; i++)
		differ |= __funnelshift_r(word, next, 8 * i) ^ sought.first[i];

	/* no sum carries into the next byte */
	return ~(((differ & 0x7F7F7F7F) + 0x7F7F7F7F) | differ | 0x7F7F7F7F);
}

/* Top bits of 4 words, to 16 bits: no two products of a word meet. */
__device__ __forceinline__ uint32_t search_gather(uint32_t x, uint32_t y, uint32_t z, uint32_t w)
{
	/* bits 7, 15, 23 and 31, of x and y in one word, then of z and w */
	uint32_t low = x >> 7 | y >> 3;
	uint32_t high = z >> 7 | w >> 3;

	/* bits 0, 8, 16, 24 are x's, 4, 12, 20, 28 are y's: to bits 0 to 7, in the top byte */
	low = (low | low >> 7 | low >> 14 | low >> 21) & 0xFF;
	high = (high | high >> 7 | high >> 14 | high >> 21) & 0xFF;
	return low | high << 8;
}

/* At which bytes of a piece it starts: 16 bits.  next: the 4 bytes that follow */
template <int LOOK>
__device__ __forceinline__ uint32_t search_look16(const SearchFor &sought, uint4 piece,
												  uint32_t next)
{
	uint32_t x = search_look4<LOOK>(sought, piece.x, piece.y);
	uint32_t y = search_look4<LOOK>(sought, piece.y, piece.z);
	uint32_t z = search_look4<LOOK>(sought, piece.z, piece.w);
	uint32_t w = search_look4<LOOK>(sought, piece.w, next);

	if ((x | y | z | w) == 0)
		return 0;
	return search_gather(x, y, z, w);
}

#endif /* GPUSTR_SEARCH_LOOK_CUH */
