/*-------------------------------------------------------------------------
 *
 * compare.h
 *	  Equality and order of strings, and of other values kept as bytes.
 *
 * Strings are equal under a deterministic collation if their bytes are, and
 * order by bytes is that of collation C.
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
#include "rowfn/numeric.h"
#include "rowfn/utf8.h"
#include "rowfn/value.h"

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

/* Order of two strings by bytes, then length: -1, 0 or 1. */
GPUSTR_FN int
rowfn_compare_bytes(const char *a, int32_t alen, const char *b, int32_t blen)
{
	int32_t		n = alen < blen ? alen : blen;

#if defined(__GNUC__) && !defined(__CUDACC__)
	int			cmp = n > 0 ? __builtin_memcmp(a, b, (uint64_t) n) : 0;

	if (cmp != 0)
		return cmp > 0 ? 1 : -1;
#else
	int32_t		i;

	for (i = 0; i < n; i++)
		if (a[i] != b[i])
			return (unsigned char) a[i] > (unsigned char) b[i] ? 1 : -1;
#endif
	return (alen > blen) - (alen < blen);
}

/*
 * Order of two intervals, of 16 bytes each: int64 microseconds, int32 days,
 * int32 months.  A month is 30 days, a day 24 hours; PostgreSQL adds all up in
 * 128 bits, here whole days are carried over from the microseconds.
 */
GPUSTR_FN int
rowfn_compare_interval(const char *a, const char *b)
{
	int64_t		days[2];
	int64_t		rest[2];
	int			i;

	for (i = 0; i < 2; i++)
	{
		const char *p = i == 0 ? a : b;
		int64_t		time = rowfn_value_load(p, GPUSTR_VALUE_INT8);

		days[i] = time / ROWFN_USECS_PER_DAY;
		rest[i] = time % ROWFN_USECS_PER_DAY;
		if (rest[i] < 0)
		{
			days[i]--;
			rest[i] += ROWFN_USECS_PER_DAY;
		}
		days[i] += rowfn_value_load(p + 8, GPUSTR_VALUE_INT4) +
			30 * rowfn_value_load(p + 12, GPUSTR_VALUE_INT4);
	}
	return days[0] != days[1] ? rowfn_compare_int(days[0], days[1]) :
		rowfn_compare_int(rest[0], rest[1]);
}

/*
 * Order of two texts by a GpustrOrder of texts, as *cmp: -1, 0 or 1.  Returns
 * 0, or 1 for recheck.
 */
GPUSTR_FN int
rowfn_compare_text(int order, const char *a, int32_t alen, const char *b, int32_t blen, int *cmp)
{
	if (order == GPUSTR_ORDER_NUMERIC)
		return rowfn_compare_numeric(a, alen, b, blen, cmp);
	*cmp = 0;
	if (order == GPUSTR_ORDER_INTERVAL)
	{
		if (alen != 16 || blen != 16)
			return 1;
		*cmp = rowfn_compare_interval(a, b);
	}
	else
		*cmp = rowfn_compare_bytes(a, alen, b, blen);
	return 0;
}

/* Is the text in the set?  Returns 0 or 1. */
GPUSTR_FN int
rowfn_in_text(const char *value, int32_t len, const GpustrTextSet *set)
{
	const char *strings = (const char *) &set->offsets[set->n + 1];
	int32_t		low = 0;
	int32_t		high = set->n;

	while (low < high)
	{
		int32_t		middle = low + (high - low) / 2;
		int32_t		off = set->offsets[middle];
		int			cmp = rowfn_compare_bytes(value, len, strings + off, set->offsets[middle + 1] - off);

		if (cmp == 0)
			return 1;
		if (cmp > 0)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}

/* Bytes of a string without its trailing blanks. */
GPUSTR_FN int32_t
rowfn_trimmed_bytes(const char *value, int32_t len)
{
	while (len > 0 && value[len - 1] == ' ')
		len--;
	return len;
}

#endif							/* GPUSTR_ROWFN_COMPARE_H */
