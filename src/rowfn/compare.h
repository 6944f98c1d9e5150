/*-------------------------------------------------------------------------
 *
 * compare.h
 *	  Equality of strings under a deterministic collation: of their bytes.
 *
 * On the host 8 bytes are compared at a time; on the device, where a wide
 * load must be aligned, one.
 *
 * IDENTIFICATION
 *	  src/rowfn/compare.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_COMPARE_H
#define GPUSTR_ROWFN_COMPARE_H

#include "program/program.h"

/* Are the n >= 0 bytes at a and at b the same?  Returns 0 or 1. */
GPUSTR_FN int
rowfn_bytes_eq(const char *a, const char *b, int32_t n)
{
	int32_t		i = 0;

#if defined(__GNUC__) && !defined(__CUDACC__)
	for (; n - i >= 8; i += 8)
	{
		uint64_t	x;
		uint64_t	y;

		__builtin_memcpy(&x, a + i, 8);
		__builtin_memcpy(&y, b + i, 8);
		if (x != y)
			return 0;
	}
#endif
	for (; i < n; i++)
		if (a[i] != b[i])
			return 0;
	return 1;
}

/* Are the two strings equal?  Returns 0 or 1. */
GPUSTR_FN int
rowfn_text_eq(const char *a, int32_t alen, const char *b, int32_t blen)
{
	return alen == blen && rowfn_bytes_eq(a, b, alen);
}

#endif							/* GPUSTR_ROWFN_COMPARE_H */
