/*-------------------------------------------------------------------------
 *
 * numeric_text.h
 *	  A numeric as text.
 *
 * As PostgreSQL writes it: the digits before the point without zeros at their
 * start, but for the one before the point, and as many after the point as its
 * scale says.  For how it is stored see numeric.h; the bytes may be anything: a digit
 * of more than 9999 is recheck.
 *
 * IDENTIFICATION
 *	  src/rowfn/numeric_text.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_NUMERIC_TEXT_H
#define GPUSTR_ROWFN_NUMERIC_TEXT_H

#include "rowfn/number_text.h"
#include "rowfn/numeric.h"

/* Decimal digits of one that is stored. */
#define ROWFN_NUMERIC_DIGITS 4

/* The digit of 10000^power, 0 if there is none. */
GPUSTR_FN uint32_t
rowfn_numeric_digit(const RowfnNumeric *n, int32_t power)
{
	int32_t		i = n->weight - power;

	return i >= 0 && i < n->ndigits ? (uint32_t) rowfn_numeric_word(n->digits, i) & 0xFFFF : 0;
}

/* Bytes of it, or ROWFN_TEXT_RECHECK. */
GPUSTR_FN int64_t
rowfn_numeric_bytes(RowfnText text)
{
	RowfnNumeric n;
	int64_t		before = 1;		/* digits before the point */
	int32_t		i;

	if (rowfn_numeric_parse(text.s, text.len, &n))
		return ROWFN_TEXT_RECHECK;
	if (n.special != 0)
		return n.special == 2 ? 3 : n.special > 0 ? 8 : 9;
	for (i = 0; i < n.ndigits; i++)
		if (((uint32_t) rowfn_numeric_word(n.digits, i) & 0xFFFF) > 9999)
			return ROWFN_TEXT_RECHECK;
	if (n.weight >= 0)
		before = (int64_t) n.weight * ROWFN_NUMERIC_DIGITS +
			rowfn_digits(rowfn_numeric_digit(&n, n.weight), 10);
	return n.negative + before + n.scale + (n.scale > 0);
}

GPUSTR_FN void
rowfn_numeric_write(RowfnText text, char *to, int64_t bytes)
{
	RowfnOut	out = rowfn_out(to, bytes);
	RowfnNumeric n;
	int32_t		power;
	int32_t		left;

	if (rowfn_numeric_parse(text.s, text.len, &n) || n.special != 0)
	{
		rowfn_put_literal(&out, n.special == 2 ? "NaN" : n.special > 0 ? "Infinity" : "-Infinity");
		return;
	}
	if (n.negative)
		rowfn_put_byte(&out, '-');
	if (n.weight < 0)
		rowfn_put_byte(&out, '0');
	for (power = n.weight; power >= 0 && out.left > 0; power--)
	{
		uint32_t	digit = rowfn_numeric_digit(&n, power);

		rowfn_put_digits(&out, digit, 10, power == n.weight ? rowfn_digits(digit, 10) : ROWFN_NUMERIC_DIGITS);
	}
	if (n.scale > 0)
		rowfn_put_byte(&out, '.');
	for (left = n.scale, power = -1; left > 0 && out.left > 0; power--, left -= ROWFN_NUMERIC_DIGITS)
	{
		uint32_t	digit = rowfn_numeric_digit(&n, power);
		int32_t		shown = left < ROWFN_NUMERIC_DIGITS ? left : ROWFN_NUMERIC_DIGITS;
		int32_t		i;

		for (i = shown; i < ROWFN_NUMERIC_DIGITS; i++)
			digit /= 10;
		rowfn_put_digits(&out, digit, 10, shown);
	}

	/* bytes that have changed since may say less; or more, which is cut off */
	rowfn_put_fill(&out, '0', out.left);
}

#endif							/* GPUSTR_ROWFN_NUMERIC_TEXT_H */
