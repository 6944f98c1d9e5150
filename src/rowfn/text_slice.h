/*-------------------------------------------------------------------------
 *
 * text_slice.h
 *	  Functions whose answer is a part of their first argument.
 *
 * See text_args.h.  As in PostgreSQL (varlena.c, oracle_compat.c):
 *
 *		substr('abcd', -1, 4)			ab		positions before the text count
 *		left('abcd', -1)				abc		all but the last
 *		right('abcd', -1)				bcd		all but the first
 *		ltrim('aaba', 'a')				ba		characters, not a text
 *		split_part('a,b,c', ',', -1)	c		fields count from the end
 *
 * A number of characters that is no int4 is recheck.
 *
 * IDENTIFICATION
 *	  src/rowfn/text_slice.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_TEXT_SLICE_H
#define GPUSTR_ROWFN_TEXT_SLICE_H

#include "rowfn/char_set.h"
#include "rowfn/find_bytes.h"
#include "rowfn/regex_extents.h"

GPUSTR_FN int
rowfn_is_int4(int64_t value)
{
	return value >= INT32_MIN && value <= INT32_MAX;
}

/* Bytes [from, to) of a text; either may be ROWFN_BAD_TEXT. */
GPUSTR_FN int
rowfn_slice(RowfnText text, int32_t from, int32_t to, RowfnText *slice)
{
	if (from < 0 || to < from)
		return 0;
	slice->s = text.s + from;
	slice->len = to - from;
	return 1;
}

/* From character 'from' on, counted from 1, to the end. */
GPUSTR_FN int
rowfn_substr_from(RowfnText text, int64_t from, int32_t encoding, RowfnText *slice)
{
	if (!rowfn_is_int4(from) || rowfn_text_cut(text.s, text.len, encoding))
		return 0;
	return rowfn_slice(text, from > 1 ? rowfn_skip(text.s, text.len, from - 1, encoding) : 0, text.len,
					   slice);
}

GPUSTR_FN int
rowfn_substr(RowfnText text, int64_t from, int64_t count, int32_t encoding, RowfnText *slice)
{
	int64_t		end = from + count;
	int32_t		start;
	int32_t		bytes;

	if (!rowfn_is_int4(from) || !rowfn_is_int4(count) || count < 0)
		return 0;
	if (end > INT32_MAX)
		return rowfn_substr_from(text, from, encoding, slice);
	if (end <= 1)
		return rowfn_slice(text, 0, 0, slice);
	if (from < 1)
		from = 1;
	start = rowfn_skip(text.s, text.len, from - 1, encoding);
	if (start < 0)
		return 0;
	bytes = rowfn_skip(text.s + start, text.len - start, end - from, encoding);
	return bytes >= 0 && rowfn_slice(text, start, start + bytes, slice);
}

GPUSTR_FN int
rowfn_left(RowfnText text, int64_t n, int32_t encoding, RowfnText *slice)
{
	if (!rowfn_is_int4(n))
		return 0;
	return rowfn_slice(text, 0, n < 0 ? rowfn_skip_back(text.s, text.len, -n, encoding) :
					   rowfn_skip(text.s, text.len, n, encoding), slice);
}

/* PostgreSQL's negation of the least int4 overflows. */
GPUSTR_FN int
rowfn_right(RowfnText text, int64_t n, int32_t encoding, RowfnText *slice)
{
	if (!rowfn_is_int4(n) || n == INT32_MIN)
		return 0;
	return rowfn_slice(text, n < 0 ? rowfn_skip(text.s, text.len, -n, encoding) :
					   rowfn_skip_back(text.s, text.len, n, encoding), text.len, slice);
}

/* Take characters of a set off the start, the end, or both. */
GPUSTR_FN int
rowfn_trim(RowfnText text, RowfnText characters, int at_start, int at_end, int32_t encoding,
		   RowfnText *slice)
{
	int32_t		start = 0;
	int32_t		end = text.len;
	RowfnCharSet set;

	if (!rowfn_char_set(characters, text.len, encoding, &set) ||
		rowfn_text_cut(text.s, text.len, encoding))
		return 0;
	while (at_start && start < end)
	{
		int32_t		bytes = rowfn_lead_bytes(text.s[start], encoding);

		if (bytes > end - start)
			return 0;
		if (!rowfn_char_set_has(&set, text.s + start, bytes))
			break;
		start += bytes;
	}
	while (at_end && start < end)
	{
		int32_t		last = start + rowfn_skip_back(text.s + start, end - start, 1, encoding);

		if (last < start)
			return 0;
		if (!rowfn_char_set_has(&set, text.s + last, end - last))
			break;
		end = last;
	}
	return rowfn_slice(text, start, end, slice);
}

/*
 * Field n >= 1 between separators, of at least 1 byte.  *nfields: how many
 * there are, if there are less than n.  Returns 0 if so.
 */
GPUSTR_FN int
rowfn_field(RowfnText text, RowfnText separator, int64_t n, int64_t *nfields, RowfnText *slice)
{
	int32_t		start = 0;
	int64_t		i;

	for (i = 1;; i++)
	{
		int32_t		end = rowfn_find_bytes(text.s, start, text.len, separator.s, separator.len);

		if (i == n)
			return rowfn_slice(text, start, end < 0 ? text.len : end, slice);
		*nfields = i;
		if (end < 0)
		{
			/* the last field, of which the caller may make use */
			(void) rowfn_slice(text, start, text.len, slice);
			return 0;
		}
		start = end + separator.len;
	}
}

/* Field n >= 1 from the end, the separator being of one byte; 0: there are less. */
GPUSTR_FN int
rowfn_field_from_end(RowfnText text, char separator, int64_t n, RowfnText *slice)
{
	int32_t		end = text.len;
	int32_t		start = end;

	for (;;)
	{
		while (start > 0 && text.s[start - 1] != separator)
			start--;
		if (--n == 0)
			return rowfn_slice(text, start, end, slice);
		if (start == 0)
			return 0;
		end = --start;
	}
}

GPUSTR_FN int
rowfn_split_part(RowfnText text, RowfnText separator, int64_t n, RowfnText *slice)
{
	int64_t		nfields = 0;

	if (!rowfn_is_int4(n) || n == 0)
		return 0;
	if (text.len <= 0 || separator.len <= 0)
		return rowfn_slice(text, 0, n == 1 || n == -1 ? text.len : 0, slice);
	if (n > 0)
		return rowfn_field(text, separator, n, &nfields, slice) || rowfn_slice(text, 0, 0, slice);
	if (separator.len == 1)
		return rowfn_field_from_end(text, separator.s[0], -n, slice) || rowfn_slice(text, 0, 0, slice);
	(void) rowfn_field(text, separator, INT64_MAX, &nfields, slice);
	if (n == -1)
		return 1;
	n += nfields + 1;
	return (n > 0 && rowfn_field(text, separator, n, &nfields, slice)) || rowfn_slice(text, 0, 0, slice);
}

GPUSTR_FN int
rowfn_text_slice(int function, const RowfnArgs *args, RowfnText *slice)
{
	const RowfnText *text = args->text;
	const int64_t *value = args->value;

	switch (function)
	{
		case GPUSTR_TEXT_SUBSTR:
			return rowfn_substr(text[0], value[1], value[2], args->encoding, slice);
		case GPUSTR_TEXT_SUBSTR_FROM:
			return rowfn_substr_from(text[0], value[1], args->encoding, slice);
		case GPUSTR_TEXT_LEFT:
			return rowfn_left(text[0], value[1], args->encoding, slice);
		case GPUSTR_TEXT_RIGHT:
			return rowfn_right(text[0], value[1], args->encoding, slice);
		case GPUSTR_TEXT_BTRIM:
			return rowfn_trim(text[0], text[1], 1, 1, args->encoding, slice);
		case GPUSTR_TEXT_LTRIM:
			return rowfn_trim(text[0], text[1], 1, 0, args->encoding, slice);
		case GPUSTR_TEXT_RTRIM:
			return rowfn_trim(text[0], text[1], 0, 1, args->encoding, slice);
		case GPUSTR_TEXT_SPLIT_PART:
			return rowfn_split_part(text[0], text[1], value[2], slice);
		case GPUSTR_TEXT_REGEX_SUBSTR:
			return rowfn_regex_substr(args, slice);
		default:
			return 0;
	}
}

#endif							/* GPUSTR_ROWFN_TEXT_SLICE_H */
