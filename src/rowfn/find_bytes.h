/*-------------------------------------------------------------------------
 *
 * find_bytes.h
 *	  Find bytes in bytes, in time that is linear whatever they are.
 *
 * Places are tried where the start of what is sought fits, or, 16 at a time,
 * its first and its last byte.  That is fast as a rule; where the comparisons
 * that follow take more time than the walk, the rest is left to two_way.h.
 *
 * IDENTIFICATION
 *	  src/rowfn/find_bytes.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_FIND_BYTES_H
#define GPUSTR_ROWFN_FIND_BYTES_H

#include "rowfn/two_way.h"

/* How many compared bytes are allowed for each byte walked over, and at first. */
#define ROWFN_FIND_COMPARED_PER_BYTE 4
#define ROWFN_FIND_COMPARED_AT_FIRST 256

/* As rowfn_find_bytes(), by the two-way algorithm. */
GPUSTR_FN int32_t
rowfn_find_two_way(const char *s, int32_t start, int32_t end, const char *what, int32_t n)
{
	RowfnTwoWay two_way;
	int64_t		budget = INT64_MAX;
	int32_t		hit;

	rowfn_two_way_begin(&two_way, what, n, start);
	return rowfn_two_way_step(&two_way, s, end, &budget, &hit) == ROWFN_TWO_WAY_HIT ? hit : -1;
}

/*
 * Has comparing at this place gone beyond what is allowed?  *compared: bytes so
 * far; n more are added.
 */
GPUSTR_FN int
rowfn_find_is_slow(int64_t *compared, int32_t n, int32_t walked)
{
	*compared += n;
	return *compared > ROWFN_FIND_COMPARED_AT_FIRST + (int64_t) ROWFN_FIND_COMPARED_PER_BYTE * walked;
}

#ifdef ROWFN_SSE2
/* As rowfn_find_bytes(), for at least 16 places to try. */
static inline int32_t
rowfn_find_by_16(const char *s, int32_t start, int32_t end, const char *what, int32_t n)
{
	__m128i		first = _mm_set1_epi8(what[0]);
	__m128i		last = _mm_set1_epi8(what[n - 1]);
	int32_t		stop = end - n + 1;
	int32_t		pos = start;
	int64_t		compared = 0;

	for (;;)
	{
		__m128i		at_first = _mm_loadu_si128((const __m128i *) (s + pos));
		__m128i		at_last = _mm_loadu_si128((const __m128i *) (s + pos + n - 1));
		unsigned	hits = (unsigned) _mm_movemask_epi8(_mm_and_si128(_mm_cmpeq_epi8(at_first, first),
																	  _mm_cmpeq_epi8(at_last, last)));

		for (; hits != 0; hits &= hits - 1)
		{
			int32_t		at = pos + __builtin_ctz(hits);

			if (n <= 2 || rowfn_bytes_eq(s + at + 1, what + 1, n - 2))
				return at;
			if (rowfn_find_is_slow(&compared, n, at - start))
				return rowfn_find_two_way(s, at + 1, end, what, n);
		}
		pos += 16;
		if (pos >= stop)
			return -1;
		/* the last group of 16 overlaps the one before */
		if (pos > stop - 16)
			pos = stop - 16;
	}
}
#endif

#ifdef __CUDA_ARCH__
/* As rowfn_find_bytes(), n <= end - start, in pieces of 16 bytes. */
static __device__ __forceinline__ int32_t
rowfn_find_by_pieces(const char *s, int32_t start, int32_t end, const char *what, int32_t n)
{
	const		RowfnLook look = rowfn_look_for(what, n);
	int32_t		at = start - (int32_t) ((uintptr_t) (s + start) & 15);
	int64_t		compared = 0;
	uint4		piece = *(const uint4 *) (s + at);

	for (;;)
	{
		uint4		next = make_uint4(0, 0, 0, 0);
		uint32_t	hits;

		if (at + 16 < end)
			next = *(const uint4 *) (s + at + 16);
		hits = rowfn_look16(&look, piece, next.x);
		if (hits != 0)
			hits &= rowfn_piece_bits(start - at, end - n + 1 - at);
		for (; hits != 0; hits &= hits - 1)
		{
			int32_t		place = at + __ffs((int) hits) - 1;

			if (rowfn_bytes_eq(s + place, what, n))
				return place;
			if (n > 1 && rowfn_find_is_slow(&compared, n, place - start))
				return rowfn_find_two_way(s, place + 1, end, what, n);
		}
		at += 16;
		if (at > end - n)
			return -1;
		piece = next;
	}
}
#endif

#ifndef __CUDA_ARCH__
/* As rowfn_find_bytes(), n <= end - start, byte by byte. */
GPUSTR_FN int32_t
rowfn_find_by_bytes(const char *s, int32_t start, int32_t end, const char *what, int32_t n)
{
	int32_t		k = n < 4 ? n : 4;	/* bytes that are compared at once */
	int			shift = 32 - 8 * k;
	uint32_t	wanted = 0;
	uint32_t	window = 0;
	int64_t		compared = 0;
	int32_t		i;

	for (i = 0; i < k; i++)
		wanted = wanted << 8 | (unsigned char) what[i];
	for (i = 0; i < k - 1; i++)
		window = window << 8 | (unsigned char) s[start + i];
	wanted <<= shift;
	for (i = start + k - 1; i < end - n + k; i++)
	{
		int32_t		at = i - k + 1;

		window = window << 8 | (unsigned char) s[i];
		if (window << shift != wanted)
			continue;
		if (n <= k || rowfn_bytes_eq(s + at + k, what + k, n - k))
			return at;
		if (rowfn_find_is_slow(&compared, n, at - start))
			return rowfn_find_two_way(s, at + 1, end, what, n);
	}
	return -1;
}
#endif

/*
 * The first place in [start, end) of s where the n >= 1 bytes of 'what' stand,
 * or -1.
 */
GPUSTR_FN int32_t
rowfn_find_bytes(const char *s, int32_t start, int32_t end, const char *what, int32_t n)
{
	if (n > end - start)
		return -1;
#ifdef __CUDA_ARCH__
	return rowfn_find_by_pieces(s, start, end, what, n);
#else
#ifdef ROWFN_SSE2
	if (end - start - n >= 15)
		return rowfn_find_by_16(s, start, end, what, n);
#endif
	return rowfn_find_by_bytes(s, start, end, what, n);
#endif
}

#endif							/* GPUSTR_ROWFN_FIND_BYTES_H */
