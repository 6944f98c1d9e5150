/*-------------------------------------------------------------------------
 *
 * numeric.h
 *	  Order of numeric values, as they are stored after the length word.
 *
 *		11xxxxxx xxxxxxxx	special: 0xC000 NaN, 0xD000 and 0xF000 infinity
 *							and -infinity
 *		10sdddddd dwwwwwww	short: sign, scale, weight (7 bits, signed)
 *		0sdddddd dddddddd	long: sign and scale; int16 weight follows
 *
 * and then base 10000 digits of 2 bytes, the first of which counts
 * 10000^weight.  Little-endian; none of it need be aligned.
 *
 * The scale has no say in the order.  Digits are without zeros at either end
 * when PostgreSQL writes them, but its own comparison does not rely on that,
 * nor does this one, which gives the same answer for stray zeros.
 *
 * The bytes are hostile: what is too short, of an odd length, or has a special
 * header that no value has, is recheck.
 *
 * IDENTIFICATION
 *	  src/rowfn/numeric.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_NUMERIC_H
#define GPUSTR_ROWFN_NUMERIC_H

#include "program/program.h"

/* A numeric taken apart. */
typedef struct RowfnNumeric
{
	const char *digits;			/* [2 * ndigits] */
	int32_t		ndigits;
	int32_t		weight;
	int32_t		scale;			/* digits after the point when it is shown */
	int32_t		negative;
	int32_t		special;		/* 0: a number, -1 -infinity, 1 infinity, 2
								 * NaN */
} RowfnNumeric;

/* Digit i, or a header, of a numeric. */
GPUSTR_FN int32_t
rowfn_numeric_word(const char *p, int32_t i)
{
	return (int16_t) ((unsigned char) p[2 * i] | (unsigned char) p[2 * i + 1] << 8);
}

/* Take a numeric apart.  Returns 0, or 1 for recheck. */
GPUSTR_FN int
rowfn_numeric_parse(const char *p, int32_t bytes, RowfnNumeric *n)
{
	int32_t		header;
	int32_t		header_bytes = 2;

	n->digits = p;
	n->ndigits = 0;
	n->weight = 0;
	n->scale = 0;
	n->negative = 0;
	n->special = 0;
	if (bytes < 2 || bytes % 2 != 0)
		return 1;
	header = rowfn_numeric_word(p, 0) & 0xFFFF;
	if ((header & 0xC000) == 0xC000)
	{
		n->special = header == 0xC000 ? 2 : header == 0xD000 ? 1 : -1;
		return n->special == -1 && header != 0xF000;
	}
	if ((header & 0x8000) != 0)
	{
		n->negative = (header & 0x2000) != 0;
		n->weight = (header & 0x3F) - (header & 0x40);
		n->scale = (header & 0x1F80) >> 7;
	}
	else
	{
		if (bytes < 4)
			return 1;
		n->negative = (header & 0x4000) != 0;
		n->weight = rowfn_numeric_word(p, 1);
		n->scale = header & 0x3FFF;
		header_bytes = 4;
	}
	n->digits = p + header_bytes;
	n->ndigits = (bytes - header_bytes) / 2;
	return 0;
}

/* Is a digit from i on other than 0? */
GPUSTR_FN int
rowfn_numeric_rest(const RowfnNumeric *n, int32_t i)
{
	for (; i < n->ndigits; i++)
		if (rowfn_numeric_word(n->digits, i) != 0)
			return 1;
	return 0;
}

/* Order of two numbers' absolute values. */
GPUSTR_FN int
rowfn_numeric_compare_abs(const RowfnNumeric *a, const RowfnNumeric *b)
{
	int32_t		ai = 0;
	int32_t		bi = 0;
	int32_t		a_weight = a->weight;
	int32_t		b_weight = b->weight;

	/* digits above the other's first */
	for (; a_weight > b_weight && ai < a->ndigits; a_weight--)
		if (rowfn_numeric_word(a->digits, ai++) != 0)
			return 1;
	for (; b_weight > a_weight && bi < b->ndigits; b_weight--)
		if (rowfn_numeric_word(b->digits, bi++) != 0)
			return -1;
	if (a_weight == b_weight)
		for (; ai < a->ndigits && bi < b->ndigits; ai++, bi++)
		{
			int32_t		difference = rowfn_numeric_word(a->digits, ai) - rowfn_numeric_word(b->digits, bi);

			if (difference != 0)
				return difference > 0 ? 1 : -1;
		}
	if (rowfn_numeric_rest(a, ai))
		return 1;
	return rowfn_numeric_rest(b, bi) ? -1 : 0;
}

/*
 * Order of two numerics as *cmp, -1, 0 or 1.  Returns 0, or 1 for recheck.
 *
 * A number without digits is 0; PostgreSQL takes one with digits by its sign,
 * even if they are all 0.
 */
GPUSTR_FN int
rowfn_compare_numeric(const char *a, int32_t abytes, const char *b, int32_t bbytes, int *cmp)
{
	RowfnNumeric na;
	RowfnNumeric nb;
	int			bad = rowfn_numeric_parse(a, abytes, &na);

	bad |= rowfn_numeric_parse(b, bbytes, &nb);
	*cmp = 0;
	if (bad)
		return 1;
	if ((na.special | nb.special) != 0)
		*cmp = (na.special > nb.special) - (na.special < nb.special);
	else if (na.ndigits == 0 || nb.ndigits == 0)
	{
		if (na.ndigits != 0)
			*cmp = na.negative ? -1 : 1;
		else if (nb.ndigits != 0)
			*cmp = nb.negative ? 1 : -1;
	}
	else if (na.negative != nb.negative)
		*cmp = na.negative ? -1 : 1;
	else
		*cmp = na.negative ? rowfn_numeric_compare_abs(&nb, &na) : rowfn_numeric_compare_abs(&na, &nb);
	return 0;
}

#endif							/* GPUSTR_ROWFN_NUMERIC_H */
