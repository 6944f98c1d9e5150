/*-------------------------------------------------------------------------
 *
 * fold.h
 *	  Fold the case of a string's characters, one byte to one byte.
 *
 * How is said by a GpustrFold, and how fast that can be done by its kind,
 * which is found once for many rows.  Functions take the kind as an argument
 * that is a constant where they are inlined, so that each kind gets code of
 * its own, and ROWFN_FOLD_NONE costs nothing.
 *
 * A value with a character that the fold cannot decide is recheck as a whole,
 * wherever that character is: see rowfn_fold_undecided().  What the other
 * functions make of such a character has no meaning.
 *
 * IDENTIFICATION
 *	  src/rowfn/fold.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_FOLD_H
#define GPUSTR_ROWFN_FOLD_H

#include "rowfn/compare.h"

/* A vectorised search in host code; the same answers as without. */
#if defined(__SSE2__) && !defined(__CUDACC__)
#include <emmintrin.h>
#define ROWFN_SSE2
#endif

/* Functions that must be inlined, for the kind of fold to be a constant. */
#if defined(__GNUC__) && !defined(__CUDACC__)
#define ROWFN_INLINE static inline __attribute__((always_inline))
#else
#define ROWFN_INLINE GPUSTR_FN
#endif

/*
 * Functions that are seldom called, by others that shall stay small.  nvcc compiles
 * each twice: for the host they stay apart, and on a device, where calls are dear,
 * not.
 */
#if defined(__GNUC__) && !defined(__CUDACC__)
#define ROWFN_APART static __attribute__((noinline, unused))
#elif defined(__CUDACC__) && !defined(__CUDA_ARCH__)
#define ROWFN_APART static __host__ __device__ __attribute__((noinline, unused))
#else
#define ROWFN_APART GPUSTR_FN
#endif

typedef enum RowfnFoldKind
{
	ROWFN_FOLD_NONE,			/* bytes stay */
	ROWFN_FOLD_ASCII,			/* A to Z become a to z, the rest stays */
	ROWFN_FOLD_TABLE			/* as GpustrFold.ascii says */
} RowfnFoldKind;

/* Is it a well-formed GpustrFold?  Returns 0 or 1. */
GPUSTR_FN int
rowfn_fold_check(const GpustrFold *fold)
{
	int			c;

	for (c = 0; c < 128; c++)
		if (fold->ascii[c] >= 128 && fold->ascii[c] != GPUSTR_FOLD_RECHECK)
			return 0;
	return fold->others_stay == 0 || fold->others_stay == 1;
}

/* Its kind.  The zero byte, which is in no text, may be anything. */
GPUSTR_FN RowfnFoldKind
rowfn_fold_kind(const GpustrFold *fold)
{
	int			c;

	for (c = 1; c < 128; c++)
		if (fold->ascii[c] != (c >= 'A' && c <= 'Z' ? c + 32 : c))
			return ROWFN_FOLD_TABLE;
	return ROWFN_FOLD_ASCII;
}

ROWFN_INLINE char
rowfn_fold_byte(char c, const GpustrFold *fold, RowfnFoldKind kind)
{
	unsigned char byte = (unsigned char) c;

	if (kind == ROWFN_FOLD_ASCII)
		return (unsigned char) (byte - 'A') < 26 ? (char) (byte | 32) : c;
	if (kind == ROWFN_FOLD_TABLE && byte < 128)
		return (char) fold->ascii[byte];
	return c;
}

/*
 * ROWFN_FOLD_ASCII for 4 bytes in a word.  Bit 7 of each byte of 'upper' says
 * whether it is a letter to fold; no sum carries into the next byte.
 */
ROWFN_INLINE uint32_t
rowfn_fold_ascii4(uint32_t w)
{
	uint32_t	low7 = w & 0x7F7F7F7F;
	uint32_t	from_a = low7 + 0x01010101 * (128 - 'A');
	uint32_t	past_z = low7 + 0x01010101 * (127 - 'Z');
	uint32_t	upper = from_a & ~past_z & ~w & 0x80808080;

	return w | upper >> 2;
}

#ifdef ROWFN_SSE2
/* For 16 bytes; those above 127 are below 'A' as signed ones. */
ROWFN_INLINE __m128i
rowfn_fold_16(__m128i v, RowfnFoldKind kind)
{
	__m128i		upper;

	if (kind != ROWFN_FOLD_ASCII)
		return v;
	upper = _mm_and_si128(_mm_cmpgt_epi8(v, _mm_set1_epi8('A' - 1)),
						  _mm_cmplt_epi8(v, _mm_set1_epi8('Z' + 1)));
	return _mm_or_si128(v, _mm_and_si128(upper, _mm_set1_epi8(32)));
}
#endif

/* Are the n >= 0 bytes at s, folded, those at 'folded'?  Returns 0 or 1. */
ROWFN_INLINE int
rowfn_folded_eq(const char *s, const char *folded, int32_t n, const GpustrFold *fold,
				RowfnFoldKind kind)
{
	int32_t		i = 0;

	if (kind == ROWFN_FOLD_NONE)
		return rowfn_bytes_eq(s, folded, n);
#if defined(__GNUC__) && !defined(__CUDACC__)
	for (; kind == ROWFN_FOLD_ASCII && n - i >= 4; i += 4)
	{
		uint32_t	x;
		uint32_t	y;

		__builtin_memcpy(&x, s + i, 4);
		__builtin_memcpy(&y, folded + i, 4);
		if (rowfn_fold_ascii4(x) != y)
			return 0;
	}
#endif
	for (; i < n; i++)
		if (rowfn_fold_byte(s[i], fold, kind) != folded[i])
			return 0;
	return 1;
}

/* Does the string have a character that the fold cannot decide?  Returns 0 or 1. */
ROWFN_INLINE int
rowfn_fold_undecided(const char *s, int32_t len, const GpustrFold *fold, RowfnFoldKind kind)
{
	int			others_stay = fold->others_stay;
	int32_t		i = 0;

	if (kind == ROWFN_FOLD_ASCII)
	{
		if (others_stay)
			return 0;
#ifdef ROWFN_SSE2
		if (len >= 16)
		{
			/* the last group of 16 overlaps the one before */
			__m128i		any = _mm_loadu_si128((const __m128i *) (s + len - 16));

			for (; len - i > 16; i += 16)
				any = _mm_or_si128(any, _mm_loadu_si128((const __m128i *) (s + i)));
			return _mm_movemask_epi8(any) != 0;
		}
#endif
		for (; i < len; i++)
			if ((unsigned char) s[i] >= 128)
				return 1;
		return 0;
	}
	for (; i < len; i++)
	{
		unsigned char c = (unsigned char) s[i];

		if (c < 128 ? fold->ascii[c] == GPUSTR_FOLD_RECHECK : !others_stay)
			return 1;
	}
	return 0;
}

#endif							/* GPUSTR_ROWFN_FOLD_H */
