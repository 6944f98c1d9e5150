/*-------------------------------------------------------------------------
 *
 * sought_bits.cuh
 *	  Where a few bytes stand in a piece of 16: exactly, and without a branch.
 *
 * rowfn_look16() of rowfn/device_words.h looks for as many bytes as it is told at
 * run time, and may find more places than there are; here how many they are is
 * a constant of the code.
 *
 * IDENTIFICATION
 *	  cuda/sought_bits.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_SOUGHT_BITS_CUH
#define GPUSTR_SOUGHT_BITS_CUH

#include <cuda_runtime.h>
#include <stdint.h>

/* What is sought, as it is compared: bytes 0 to N - 1, four times each. */
template <int N>
struct Sought
{
	uint32_t byte[N];
};

/*
 * At which bytes of a piece the N bytes stand: 16 bits.  next: the 4 bytes that
 * follow
 */
template <int N>
__device__ __forceinline__ uint32_t sought_bits(const Sought<N> &sought, uint4 piece, uint32_t next)
{
	const uint32_t word[5] = {piece.x, piece.y, piece.z, piece.w, next};
	uint32_t bits = 0;

#pragma unroll
	for (int w = 3; w >= 0; w--)
	{
		uint32_t differ = word[w] ^ sought.byte[0];
		uint32_t top;

#pragma unroll
		for (int i = 1; i < N; i++)
			differ |= __funnelshift_r(word[w], word[w + 1], 8 * i) ^ sought.byte[i];

		/* the top bit of each byte that is zero; then these four to the top: no two
		 * products meet */
		top = ~(((differ & 0x7F7F7F7F) + 0x7F7F7F7F) | differ | 0x7F7F7F7F);
		bits = __funnelshift_l(top * 0x00204081, bits, 4);
	}
	return bits;
}

#endif /* GPUSTR_SOUGHT_BITS_CUH */
