/*-------------------------------------------------------------------------
 *
 * text_pieces.cuh
 *	  Put the texts of a block's rows together, one behind the other.
 *
 * What is to be written is a list of pieces, in shared memory: where each ends,
 * and where its bytes come from.  Threads do not take rows but words of 16
 * bytes of what is written: neighbours write neighbouring words, each whole, and
 * one long row is the work of all.  In which piece a word starts who lists the
 * piece has noted; of what is far behind, or in the midst of a long piece, it is
 * found by halves.  Then the pieces' bytes, wherever they lie, are shifted to their
 * places.
 *
 * Bytes are read by words of 8, aligned, and only by such as hold bytes of the
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

/* Words for which their first piece is noted, and those of one piece. */
#define TEXT_PIECES_NOTED 1536
#define TEXT_PIECES_NOTES 40

/* A word for which it is not. */
#define TEXT_PIECES_NONE 0xFFFF

/* Pieces of a block, at most 0xFFFF. */
template <int N>
struct TextPieces
{
	uint32_t n;
	uint32_t end[N];	 /* ascending; bytes from the first byte that is written */
	const char *from[N]; /* its first byte less its start, so that byte i is from[i]; NULL: a
							gap, which becomes zeros */
	__align__(4) uint16_t noted[TEXT_PIECES_NOTED];
};

/* Before pieces are noted, and a barrier after it.  A block of 'threads'. */
template <int N>
__device__ __forceinline__ void text_pieces_clear(TextPieces<N> *pieces, uint32_t threads)
{
	for (uint32_t i = threadIdx.x; i < TEXT_PIECES_NOTED / 2; i += threads)
		((uint32_t *)pieces->noted)[i] = TEXT_PIECES_NONE * 0x10001u;
}

/* Piece i has bytes [from, to). */
template <int N>
__device__ __forceinline__ void text_pieces_note(TextPieces<N> *pieces, uint32_t i, uint32_t from,
												 uint32_t to)
{
	const uint32_t first = (from + 15) / 16;
	const uint32_t stop =
		min(min((to + 15) / 16, (uint32_t)TEXT_PIECES_NOTED), first + TEXT_PIECES_NOTES);

	for (uint32_t w = first; w < stop; w++)
		pieces->noted[w] = (uint16_t)i;
}

/* 4 bytes, of which n are ones; n <= 0: none, n >= 4: all */
__device__ __forceinline__ uint32_t text_low_bytes(int32_t n)
{
	return n <= 0 ? 0 : n >= 4 ? 0xFFFFFFFF : (1u << 8 * n) - 1;
}

/* Bytes [lo, hi) of the 16 at p, which need not be aligned; the others are 0.  lo < hi */
__device__ __forceinline__ uint4 text_load16(const char *p, int32_t lo, int32_t hi)
{
	const int32_t head = (int32_t)((uintptr_t)p & 7);
	const uint2 *from = (const uint2 *)(p - head);
	uint32_t word[6];
	uint32_t v[4];

#pragma unroll
	for (int k = 0; k < 3; k++)
	{
		uint2 two = make_uint2(0, 0);

		if (8 * k + 8 > lo + head && 8 * k < hi + head)
			two = from[k];
		word[2 * k] = two.x;
		word[2 * k + 1] = two.y;
	}
	if (head >= 4)
	{
#pragma unroll
		for (int k = 0; k < 5; k++)
			word[k] = word[k + 1];
	}
#pragma unroll
	for (int k = 0; k < 4; k++)
		v[k] = __funnelshift_r(word[k], word[k + 1], 8 * ((uint32_t)head & 3));
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

	if (at / 16 < TEXT_PIECES_NOTED)
	{
		uint32_t i = pieces.noted[at / 16];

		if (i != TEXT_PIECES_NONE)
		{
			while (i < pieces.n && pieces.end[i] <= at)
				i++;
			return i;
		}
	}
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
