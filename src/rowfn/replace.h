/*-------------------------------------------------------------------------
 *
 * replace.h
 *	  replace() and translate().
 *
 *		replace('abab', 'ab', 'x')			xx		from left to right, none of what
 *													has been put in
 *		translate('12345', '143', 'ax')		a2x5	1 is a, 4 is x, 3 goes
 *
 * IDENTIFICATION
 *	  src/rowfn/replace.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_REPLACE_H
#define GPUSTR_ROWFN_REPLACE_H

#include "rowfn/char_set.h"
#include "rowfn/find_bytes.h"

/* The next place of 'from' in the text, or -1; an empty one is nowhere. */
GPUSTR_FN int32_t
rowfn_replace_next(RowfnText text, RowfnText from, int32_t start)
{
	return from.len > 0 ? rowfn_find_bytes(text.s, start, text.len, from.s, from.len) : -1;
}

GPUSTR_FN int64_t
rowfn_replace_bytes(RowfnText text, RowfnText from, RowfnText to)
{
	int64_t		bytes = text.len;
	int32_t		at = rowfn_replace_next(text, from, 0);

	while (at >= 0)
	{
		bytes += (int64_t) to.len - from.len;
		at = rowfn_replace_next(text, from, at + from.len);
	}
	return bytes;
}

GPUSTR_FN void
rowfn_replace_write(RowfnText text, RowfnText from, RowfnText to, char *made, int64_t bytes)
{
	RowfnOut	out = rowfn_out(made, bytes);
	int32_t		start = 0;
	int32_t		at = rowfn_replace_next(text, from, 0);

	while (at >= 0)
	{
		rowfn_put(&out, text.s + start, at - start);
		rowfn_put(&out, to.s, to.len);
		start = at + from.len;
		at = rowfn_replace_next(text, from, start);
	}
	rowfn_put(&out, text.s + start, text.len - start);
}

/*
 * Bytes from i on of characters that are not in the set, and so stay; a character
 * that is cut off ends them.
 */
GPUSTR_FN int32_t
rowfn_translate_stays(RowfnText text, int32_t i, const RowfnCharSet *from)
{
	int32_t		start = i;

	while (i < text.len)
	{
		unsigned char c = (unsigned char) text.s[i];
		int32_t		n = 1;

		if (c < 128)
		{
			if (((c < 64 ? from->low : from->high) >> (c & 63)) & 1)
				break;
		}
		else
		{
			n = rowfn_lead_bytes(text.s[i], from->encoding);
			if (n > text.len - i || rowfn_char_set_has(from, text.s + i, n))
				break;
		}
		i += n;
	}
	return i - start;
}

/* What the character of n bytes at s, which is in the set, becomes: a part of 'to', or nothing. */
GPUSTR_FN RowfnText
rowfn_translate_char(const char *s, int32_t n, const RowfnCharSet *from, RowfnText to)
{
	int32_t		index = rowfn_char_set_index(from, s, n);
	int32_t		start = index < 0 ? to.len : rowfn_skip(to.s, to.len, index, from->encoding);
	RowfnText	made;

	made.s = to.s;
	made.len = 0;
	if (start >= 0 && start < to.len)
	{
		made.s = to.s + start;
		made.len = rowfn_lead_bytes(to.s[start], from->encoding);
		if (made.len > to.len - start)
			made.len = 0;		/* it has changed */
	}
	return made;
}

/* Bytes of translate(), or ROWFN_TEXT_RECHECK. */
GPUSTR_FN int64_t
rowfn_translate_bytes(RowfnText text, RowfnText from, RowfnText to, int32_t encoding)
{
	RowfnCharSet set;
	int64_t		bytes = 0;
	int32_t		i = 0;

	if (!rowfn_char_set(from, text.len, encoding, &set) || to.len > ROWFN_CHARACTERS_BYTES ||
		rowfn_text_cut(to.s, to.len, encoding) || rowfn_text_cut(text.s, text.len, encoding))
		return ROWFN_TEXT_RECHECK;
	for (;;)
	{
		int32_t		stays = rowfn_translate_stays(text, i, &set);
		int32_t		n;

		bytes += stays;
		i += stays;
		if (i >= text.len)
			return bytes;
		n = rowfn_lead_bytes(text.s[i], encoding);
		if (n > text.len - i)
			return ROWFN_TEXT_RECHECK;
		bytes += rowfn_translate_char(text.s + i, n, &set, to).len;
		i += n;
	}
}

GPUSTR_FN void
rowfn_translate_write(RowfnText text, RowfnText from, RowfnText to, int32_t encoding, char *made,
					  int64_t bytes)
{
	RowfnOut	out = rowfn_out(made, bytes);
	RowfnCharSet set;
	int32_t		i = 0;

	if (!rowfn_char_set(from, text.len, encoding, &set))
		return;					/* it has changed */
	for (;;)
	{
		int32_t		stays = rowfn_translate_stays(text, i, &set);
		RowfnText	one;
		int32_t		n;
		int32_t		j;

		rowfn_put(&out, text.s + i, stays);
		i += stays;
		if (i >= text.len)
			return;
		n = rowfn_lead_bytes(text.s[i], encoding);
		if (n > text.len - i)
			return;				/* it has changed */
		one = rowfn_translate_char(text.s + i, n, &set, to);
		for (j = 0; j < one.len; j++)
			rowfn_put_byte(&out, (unsigned char) one.s[j]);
		i += n;
	}
}

#endif							/* GPUSTR_ROWFN_REPLACE_H */
