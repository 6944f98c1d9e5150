/*-------------------------------------------------------------------------
 *
 * text_measure.h
 *	  Functions that make a value of texts.
 *
 * See text_args.h.  What is not here is recheck.
 *
 * IDENTIFICATION
 *	  src/rowfn/text_measure.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_TEXT_MEASURE_H
#define GPUSTR_ROWFN_TEXT_MEASURE_H

#include "rowfn/find_bytes.h"
#include "rowfn/float_text.h"
#include "rowfn/fuzzy_find.h"
#include "rowfn/regex_extents.h"

/* strpos(): at which character 'what' stands first, 0 if nowhere. */
GPUSTR_FN int
rowfn_position(RowfnText text, RowfnText what, int32_t encoding, int64_t *value)
{
	int32_t		at = what.len > 0 ? rowfn_find_bytes(text.s, 0, text.len, what.s, what.len) : 0;

	*value = at >= 0 ? (int64_t) rowfn_char_count(text.s, at, encoding) + 1 : 0;
	return at < 0 || !rowfn_text_cut(text.s, at, encoding);
}

/* The code point of the first character, 0 if there is none. */
GPUSTR_FN int
rowfn_first_code(RowfnText text, int32_t encoding, int64_t *value)
{
	uint32_t	code = 0;

	if (text.len > 0 && encoding != GPUSTR_ENC_UTF8)
		code = (unsigned char) text.s[0];
	else if (text.len > 0 && rowfn_utf8_decode(text.s, text.len, &code) == 0)
		return 0;
	*value = code;
	return 1;
}

/* A byte, counted from 0. */
GPUSTR_FN int
rowfn_get_byte(RowfnText text, int64_t which, int64_t *value)
{
	if (which < 0 || which >= text.len)
		return 0;
	*value = (unsigned char) text.s[which];
	return 1;
}

GPUSTR_FN int
rowfn_text_measure(int function, const RowfnArgs *args, int64_t *value)
{
	const RowfnText *text = args->text;

	switch (function)
	{
		case GPUSTR_TEXT_POSITION:
			return rowfn_position(text[0], text[1], args->encoding, value);
		case GPUSTR_TEXT_ASCII:
			return rowfn_first_code(text[0], args->encoding, value);
		case GPUSTR_TEXT_TO_INT2:
			return rowfn_to_int(text[0], INT16_MIN, value);
		case GPUSTR_TEXT_TO_INT4:
			return rowfn_to_int(text[0], INT32_MIN, value);
		case GPUSTR_TEXT_TO_INT8:
			return rowfn_to_int(text[0], INT64_MIN, value);
		case GPUSTR_TEXT_TO_DATE:
			return rowfn_to_date(text[0], value);
		case GPUSTR_TEXT_FIND:
			return rowfn_measure_find(args, value);
		case GPUSTR_TEXT_COUNT_MATCHES:
			return rowfn_measure_count_matches(args, value);
		case GPUSTR_TEXT_EDIT_DISTANCE:
			return rowfn_measure_edit_distance(args, value);
		case GPUSTR_TEXT_EDIT_WITHIN:
			return rowfn_measure_edit_within(args, value);
		case GPUSTR_TEXT_FUZZY_FIND:
			return rowfn_measure_fuzzy_find(args, value);
		case GPUSTR_TEXT_REGEX_COUNT:
			return rowfn_regex_count(args, value);
		case GPUSTR_TEXT_REGEX_INSTR:
			return rowfn_regex_instr(args, value);
		case GPUSTR_TEXT_TO_FLOAT4:
			return rowfn_measure_float4(text[0], value);
		case GPUSTR_TEXT_TO_FLOAT8:
			return rowfn_measure_float8(text[0], value);
		case GPUSTR_TEXT_GET_BYTE:
			return rowfn_get_byte(text[0], args->value[1], value);
		default:
			return 0;
	}
}

#endif							/* GPUSTR_ROWFN_TEXT_MEASURE_H */
