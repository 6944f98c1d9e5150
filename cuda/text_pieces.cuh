/*-------------------------------------------------------------------------
 *
 * text_pieces.cuh
 *	  Put the texts of a block's rows together, one behind the other.
 *
 * What is to be written is a list of pieces, in shared memory: where each ends,
 * and where its bytes come from.  Threads do not take rows but words of 16
 * bytes of what is written: neighbours write neighbouring words, each whole, and
 * one long row is the work of all.  A thread looks for its word's first piece by
 * halves, and shifts the pieces' bytes, wherever they lie, to their places.
 *
 * Bytes are read by words of 4, aligned, and only by such as hold bytes of the
 * piece.
 *
 * IDENTIFICATION
 *	  cuda/text_pieces.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_TEXT_PIECES_CUH
#define GPUSTR_TEXT_PIECES_CUH

#include <cuda_runtime.h>
#include <stdint.h>

/* Pieces of a block. */
template <int N>
struct TextPieces
{
	uint32_t n;
	uint32_t end[N];	 /* ascending; bytes from the first byte that is written */
	const char *from[N]; /* its first byte less its start, so that byte i is from[i]; NULL: a
							gap, which becomes zeros */
};

/* 4 bytes, of which n are ones; n <= 0: none, n >= 4: all */
__device__ __forceinline__ uint32_t text_low_bytes(int32_t n)
{
	return n <= 0 ? 0 : n >= 4 ? 0xFFFFFFFF : (1u << 8 * n) - 1;
}

/* Bytes [lo, hi) of the 16 at p, which need not be aligned; the others are 0.  lo < hi */
__device__ __forceinline__ uint4 text_load16(const char *p, int32_t lo, int32_t hi)
{
	const int32_t head = (int32_t)((uintptr_t)p & 3);
	const uint32_t *from = (const uint32_t *)(p - head);
	uint32_t word[5];
	uint32_t v[4];

#pragma unroll
	for (int k = 0; k < 5; k++)
		word[k] = 4 * k + 4 > lo + head && 4 * k < hi + head ? from[k] : 0;
#pragma unroll
	for (int k = 0; k < 4; k++)
		v[k] = __funnelshift_r(word[k], word[k + 1], 8 * (uint32_t)head);
	if (lo > 0 || hi < 16)
	{
#pragma unroll
		for (int k = 0; k < 4; k++)
			v[k] &= text_low_bytes(hi - 4 * k) & ~text_low_bytes(lo - 4 * k);
	}
	return make_uint4(v[0], v[1], v[2], v[3]);
}

/* The first piece that ends behind byte 'at'; pieces.n: none */
template <int N>
__device__ __forceinline__ uint32_t text_piece_at(const TextPieces<N> &pieces, uint32_t at)
{
	uint32_t low = 0;
	uint32_t high = pieces.n;

	while (low < high)
	{
		uint32_t middle = (low + high) / 2;

		if (pieces.end[middle] > at)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Bytes [at, at + 16) of what is written; what no piece has is 0.  at > -16 */
template <int N>
__device__ __forceinline__ uint4 text_word(const TextPieces<N> &pieces, int32_t at)
{
	int32_t lo = at < 0 ? -at : 0;
	uint4 word = make_uint4(0, 0, 0, 0);

	for (uint32_t i = text_piece_at(pieces, (uint32_t)(at + lo)); lo < 16 && i < pieces.n; i++)
	{
		int32_t hi = min((int32_t)pieces.end[i] - at, 16);
		const char *from = pieces.from[i];

		if (hi > lo && from != NULL)
		{
			uint4 part = text_load16(from + at, lo, hi);

			word.x |= part.x;
			word.y |= part.y;
			word.z |= part.z;
			word.w |= part.w;
		}
		lo = max(lo, hi);
	}
	return word;
}

#endif /* GPUSTR_TEXT_PIECES_CUH */
