/*-------------------------------------------------------------------------
 *
 * pad.h
 *	  lpad(), rpad(), repeat() and reverse().
 *
 *		lpad('abc', 5, 'xy')	xyabc
 *		lpad('abc', 2, 'xy')	ab		what is too long is cut at its end
 *		rpad('abc', 5, '')		abc
 *
 * What would be too long for PostgreSQL, which allows for characters of the most
 * bytes, is recheck.
 *
 * IDENTIFICATION
 *	  src/rowfn/pad.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_PAD_H
#define GPUSTR_ROWFN_PAD_H

#include "rowfn/characters.h"

/* The most bytes of a value with its length word, in PostgreSQL: MaxAllocSize. */
#define ROWFN_ALLOC_BYTES INT64_C(0x3FFFFFFF)
#define ROWFN_LENGTH_WORD 4

/* What lpad() and rpad() put together. */
typedef struct RowfnPad
{
	int32_t		kept;			/* bytes of the text */
	int64_t		fills;			/* how many whole fills */
	int32_t		rest;			/* bytes of one more fill */
} RowfnPad;

/* Returns 0 for recheck. */
GPUSTR_FN int
rowfn_pad_parts(RowfnText text, int64_t n, RowfnText fill, int32_t encoding, RowfnPad *pad)
{
	int32_t		most_bytes = encoding == GPUSTR_ENC_UTF8 ? 4 : 1;
	int64_t		missing;
	int64_t		fill_chars = 0;

	if (n < INT32_MIN || n > INT32_MAX || rowfn_text_cut(text.s, text.len, encoding) ||
		rowfn_text_cut(fill.s, fill.len, encoding))
		return 0;
	if (n < 0)
		n = 0;
	pad->fills = 0;
	pad->rest = 0;
	pad->kept = rowfn_skip_counting(text.s, text.len, n, encoding, &missing);
	if (pad->kept < 0)
		return 0;
	if (fill.len <= 0)
	{
		n -= missing;
		missing = 0;
	}
	if (most_bytes * n + ROWFN_LENGTH_WORD > ROWFN_ALLOC_BYTES)
		return 0;
	if (missing == 0)
		return 1;
	if (rowfn_skip_counting(fill.s, fill.len, fill.len, encoding, &fill_chars) != fill.len)
		return 0;
	fill_chars = fill.len - fill_chars;
	pad->fills = missing / fill_chars;
	pad->rest = rowfn_skip(fill.s, fill.len, missing % fill_chars, encoding);
	return pad->rest >= 0;
}

/* Bytes of lpad() or rpad(), or ROWFN_TEXT_RECHECK. */
GPUSTR_FN int64_t
rowfn_pad_bytes(RowfnText text, int64_t n, RowfnText fill, int32_t encoding)
{
	RowfnPad	pad;

	if (!rowfn_pad_parts(text, n, fill, encoding, &pad))
		return ROWFN_TEXT_RECHECK;
	return pad.kept + pad.fills * fill.len + pad.rest;
}

/* left: the fill comes first. */
GPUSTR_FN void
rowfn_pad_write(RowfnText text, int64_t n, RowfnText fill, int left, int32_t encoding, char *to,
				int64_t bytes)
{
	RowfnOut	out = rowfn_out(to, bytes);
	RowfnPad	pad;

	if (!rowfn_pad_parts(text, n, fill, encoding, &pad))
		return;					/* it has changed */
	if (!left)
		rowfn_put(&out, text.s, pad.kept);
	if (fill.len == 1)
		rowfn_put_fill(&out, fill.s[0], pad.fills);
	else
		for (; pad.fills > 0 && out.left > 0; pad.fills--)
			rowfn_put(&out, fill.s, fill.len);
	rowfn_put(&out, fill.s, pad.rest);
	if (left)
		rowfn_put(&out, text.s, pad.kept);
}

/* Bytes of repeat(), or ROWFN_TEXT_RECHECK. */
GPUSTR_FN int64_t
rowfn_repeat_bytes(RowfnText text, int64_t n)
{
	if (n < INT32_MIN || n > INT32_MAX)
		return ROWFN_TEXT_RECHECK;
	return n > 0 ? n * text.len : 0;
}

GPUSTR_FN void
rowfn_repeat_write(RowfnText text, char *to, int64_t bytes)
{
	RowfnOut	out = rowfn_out(to, bytes);

	while (out.left > 0 && text.len > 0)
		rowfn_put(&out, text.s, text.len);
}

/*
 * The characters in reverse order, to to[bytes].  If the text has changed, one
 * of them may be cut off.
 */
GPUSTR_FN void
rowfn_reverse_write(RowfnText text, int32_t encoding, char *to, int64_t bytes)
{
	int64_t		left = bytes;
	int32_t		i = 0;

	while (i < text.len && left > 0)
	{
		int32_t		n;

#if defined(__GNUC__) && !defined(__CUDACC__)
		if (text.len - i >= 8 && left >= 8 && rowfn_ascii8(text.s + i))
		{
			uint64_t	w;

			__builtin_memcpy(&w, text.s + i, 8);
			w = __builtin_bswap64(w);
			left -= 8;
			__builtin_memcpy(to + left, &w, 8);
			i += 8;
			continue;
		}
#endif
		n = rowfn_lead_bytes(text.s[i], encoding);
		if (n > text.len - i)
			n = text.len - i;
		if (n > left)
			n = (int32_t) left;
		left -= n;
		rowfn_copy(to + left, text.s + i, n);
		i += n;
	}
}

/* Bytes of reverse(), or ROWFN_TEXT_RECHECK. */
GPUSTR_FN int64_t
rowfn_reverse_bytes(RowfnText text, int32_t encoding)
{
	return rowfn_text_cut(text.s, text.len, encoding) ? ROWFN_TEXT_RECHECK : text.len;
}

#endif							/* GPUSTR_ROWFN_PAD_H */
