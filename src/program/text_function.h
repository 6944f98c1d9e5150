/*-------------------------------------------------------------------------
 *
 * text_function.h
 *	  The functions of texts that a program may call, by number and shape.
 *
 * GPUSTR_OP_TEXT_MAKE calls one that makes a text, GPUSTR_OP_TEXT_MEASURE one
 * that makes a value.  The step's aux is the number; in0, in1 and in2 are the
 * arguments, text or value registers as the function's shape says.  What a
 * function needs beside them is the step's constant.
 *
 * A row of which an argument is recheck is recheck, else one of which an argument
 * is NULL is NULL.  Where PostgreSQL would raise an error, or the engine cannot
 * tell the answer, the row is recheck.  The answers are PostgreSQL's: positions
 * and lengths count characters of the program's encoding, from 1; bytes, where the
 * step's attr is 1, as for substr() and its like of bytea.
 *
 * Three sorts, apart in the numbering:
 *
 *	slices		the answer is a part of argument 0 and lies where that lies
 *	made texts	the answer is new; it lies in memory of the engine, of which there
 *				is as much as gpustr_text_room() says for a step.  A row for which
 *				there is none left is recheck: which rows these are may differ
 *				between engines, and from run to run.  One whose answer would have
 *				more than a megabyte is recheck in each (rowfn/text_make.h)
 *	measures	the answer is a value
 *
 * Plain C, shared with cuda/; <stddef.h> and program.h only.
 *
 * IDENTIFICATION
 *	  src/program/text_function.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_TEXT_FUNCTION_H
#define GPUSTR_TEXT_FUNCTION_H

#include <stddef.h>

#include "program/program.h"

/* T: a text, V: a value. */
typedef enum GpustrTextFunction
{
	/* slices */
	GPUSTR_TEXT_SUBSTR = 1,		/* TVV: substr(text, from, count) */
	GPUSTR_TEXT_SUBSTR_FROM,	/* TV */
	GPUSTR_TEXT_LEFT,			/* TV */
	GPUSTR_TEXT_RIGHT,			/* TV */
	GPUSTR_TEXT_BTRIM,			/* TT: characters to take off */
	GPUSTR_TEXT_LTRIM,			/* TT */
	GPUSTR_TEXT_RTRIM,			/* TT */
	GPUSTR_TEXT_SPLIT_PART,		/* TTV: text, separator, which */
	GPUSTR_TEXT_REGEX_SUBSTR,	/* T; constant: GpustrRegexExtents; no match:
								 * recheck */
	GPUSTR_TEXT_SLICE_LAST = GPUSTR_TEXT_REGEX_SUBSTR,

	/* made texts */
	GPUSTR_TEXT_UPPER,			/* T; constant: GpustrCaseMap */
	GPUSTR_TEXT_LOWER,			/* T; alike */
	GPUSTR_TEXT_INITCAP,		/* T; constant: GpustrCaseMap of upper(), then
								 * that of lower(), each aligned to 8 */
	GPUSTR_TEXT_CONCAT,			/* TT: || */
	GPUSTR_TEXT_REPLACE,		/* TTT: text, from, to */
	GPUSTR_TEXT_TRANSLATE,		/* TTT: alike */
	GPUSTR_TEXT_LPAD,			/* TVT: text, length, fill */
	GPUSTR_TEXT_RPAD,			/* TVT */
	GPUSTR_TEXT_REPEAT,			/* TV */
	GPUSTR_TEXT_REVERSE,		/* T */
	GPUSTR_TEXT_CHR,			/* V */
	GPUSTR_TEXT_TO_HEX4,		/* V: an int4 */
	GPUSTR_TEXT_TO_HEX8,		/* V: an int8 */
	GPUSTR_TEXT_FROM_INT,		/* V: int2, int4, int8 as text */
	GPUSTR_TEXT_FROM_BOOL,		/* V: 0 or 1 as 'false', 'true' */
	GPUSTR_TEXT_FROM_DATE,		/* V: a date as text, DateStyle ISO */
	GPUSTR_TEXT_FROM_UUID,		/* T: 16 bytes as text */
	GPUSTR_TEXT_MD5,			/* T: md5() in hexadecimal */
	GPUSTR_TEXT_SHA256,			/* T: 32 bytes */
	GPUSTR_TEXT_REDACT_PII,		/* T; constant: int32, which kinds
								 * (rowfn/pii.h) */
	GPUSTR_TEXT_REGEX_REPLACE,	/* TT: text, replacement; constant:
								 * GpustrRegexExtents */
	GPUSTR_TEXT_FROM_FLOAT4,	/* V: a float4 as text, extra_float_digits 1
								 * or more */
	GPUSTR_TEXT_FROM_FLOAT8,	/* V */
	GPUSTR_TEXT_FROM_TIMESTAMP, /* V: a timestamp as text, DateStyle ISO */
	GPUSTR_TEXT_FROM_NUMERIC,	/* T: a numeric as text */
	GPUSTR_TEXT_TO_UUID,		/* T: the cast, 16 bytes; what it refuses:
								 * recheck */
	GPUSTR_TEXT_HEX,			/* T: encode(bytes, 'hex') */
	GPUSTR_TEXT_MAKE_LAST = GPUSTR_TEXT_HEX,

	/* measures */
	GPUSTR_TEXT_POSITION,		/* TT: strpos(text, what) */
	GPUSTR_TEXT_FIND,			/* TTV: gpustr.find(text, what, from) */
	GPUSTR_TEXT_COUNT_MATCHES,	/* TT: gpustr.count_matches(text, what) */
	GPUSTR_TEXT_ASCII,			/* T */
	GPUSTR_TEXT_TO_INT2,		/* T: the cast; what it refuses: recheck */
	GPUSTR_TEXT_TO_INT4,		/* T */
	GPUSTR_TEXT_TO_INT8,		/* T */
	GPUSTR_TEXT_TO_DATE,		/* T: ISO 8601 only, else recheck */
	GPUSTR_TEXT_EDIT_DISTANCE,	/* TT: gpustr.edit_distance(a, b) */
	GPUSTR_TEXT_EDIT_WITHIN,	/* TTV: 0 or 1: edit_distance_within(a, b, k) */
	GPUSTR_TEXT_FUZZY_FIND,		/* TTV: gpustr.fuzzy_find(text, pattern, k) */
	GPUSTR_TEXT_REGEX_COUNT,	/* T; constant: GpustrRegexExtents */
	GPUSTR_TEXT_REGEX_INSTR,	/* T; alike; no match: 0 */
	GPUSTR_TEXT_TO_FLOAT4,		/* T: the cast, as far as float_text.h says */
	GPUSTR_TEXT_TO_FLOAT8,		/* T */
	GPUSTR_TEXT_GET_BYTE,		/* TV: get_byte(bytes, which) */
	GPUSTR_TEXT_FUNCTION_LAST = GPUSTR_TEXT_GET_BYTE
} GpustrTextFunction;

/*
 * How much an engine works out for a row; what takes more is recheck, and the
 * planner's costs know of it.  A made text's bytes (rowfn/text_make.h); characters of
 * an edit distance's table, a strip of rows by columns, where there are several
 * strips, and the strips of a pattern; columns of all strips (rowfn/fuzzy_find.h).
 */
#define GPUSTR_MADE_BYTES (INT64_C(1) << 20)
#define GPUSTR_STRIP_ROWS 64
#define GPUSTR_EDIT_COLUMNS 1024
#define GPUSTR_FUZZY_STRIPS 16
#define GPUSTR_EDIT_WORK (INT64_C(1) << 23)

/*
 * What a character becomes in upper() or lower() under the call's collation, for
 * as much as was asked of PostgreSQL.  A character from 128 on is looked for in
 * pairs; one that is not there stays if others_stay, and makes the row recheck
 * if not.  In a single-byte encoding the code points are bytes.
 */
typedef struct GpustrCasePair
{
	uint32_t	from;			/* code point */
	uint32_t	to;				/* code point; GPUSTR_CASE_RECHECK */
} GpustrCasePair;

typedef struct GpustrCaseMap
{
	uint8_t		ascii[128];		/* 0xFF: recheck */
	int32_t		others_stay;
	int32_t		npairs;
	GpustrCasePair pairs[1];	/* [npairs], ascending by from */
} GpustrCaseMap;

#define GPUSTR_CASE_RECHECK 0xFFFFFFFFu

/*
 * Where a regular expression matches; a GpustrDfa follows.  That one runs forward
 * from where a match may begin, and is otherwise than GPUSTR_OP_DFA's: when it
 * comes to one of the states from 'accept' on, 'naccept' of them, a match ends
 * before the character that has led there; where at_end is 1, one ends with the
 * text.  In state 1 it cannot tell: recheck.
 *
 * It starts in 'start' at the begin of the text; elsewhere in 'middle', from which
 * it takes the character before; or in 'plain' anywhere, if that is not -1.
 */
typedef struct GpustrRegexExtents
{
	int32_t		pass;			/* characters of the text before the first
								 * search, >= 0 */
	int32_t		which;			/* the match that is wanted, from 1; 0: all */
	int32_t		flags;			/* GPUSTR_EXTENTS_ */
	int32_t		plain;
	int32_t		middle;
	int32_t		accept;
	int32_t		naccept;
	int32_t		unused;
	uint32_t	begins[8];		/* bit i: with byte i a match may begin, and
								 * the byte begins a character */
} GpustrRegexExtents;

#define GPUSTR_EXTENTS_SHORTEST 1	/* not the longest match from a place */
#define GPUSTR_EXTENTS_END 2	/* regexp_instr(): where it ends */

#define GPUSTR_EXTENTS_DFA(extents) ((const GpustrDfa *) ((extents) + 1))

/* Bytes of a GpustrCaseMap of n pairs, a multiple of 8. */
#define GPUSTR_CASE_MAP_BYTES(n) \
	(((uint32_t) offsetof(GpustrCaseMap, pairs) + (uint32_t) (n) * (uint32_t) sizeof(GpustrCasePair) + 7) & ~7u)

/* The arguments of a function, one letter each; NULL: there is no such function. */
GPUSTR_FN const char *
gpustr_text_function_shape(int function)
{
	switch (function)
	{
		case GPUSTR_TEXT_SUBSTR:
			return "TVV";
		case GPUSTR_TEXT_SUBSTR_FROM:
		case GPUSTR_TEXT_LEFT:
		case GPUSTR_TEXT_RIGHT:
		case GPUSTR_TEXT_REPEAT:
		case GPUSTR_TEXT_GET_BYTE:
			return "TV";
		case GPUSTR_TEXT_BTRIM:
		case GPUSTR_TEXT_LTRIM:
		case GPUSTR_TEXT_RTRIM:
		case GPUSTR_TEXT_CONCAT:
		case GPUSTR_TEXT_REGEX_REPLACE:
		case GPUSTR_TEXT_POSITION:
		case GPUSTR_TEXT_COUNT_MATCHES:
		case GPUSTR_TEXT_EDIT_DISTANCE:
			return "TT";
		case GPUSTR_TEXT_SPLIT_PART:
		case GPUSTR_TEXT_FIND:
		case GPUSTR_TEXT_EDIT_WITHIN:
		case GPUSTR_TEXT_FUZZY_FIND:
			return "TTV";
		case GPUSTR_TEXT_UPPER:
		case GPUSTR_TEXT_LOWER:
		case GPUSTR_TEXT_INITCAP:
		case GPUSTR_TEXT_REVERSE:
		case GPUSTR_TEXT_FROM_UUID:
		case GPUSTR_TEXT_MD5:
		case GPUSTR_TEXT_SHA256:
		case GPUSTR_TEXT_REDACT_PII:
		case GPUSTR_TEXT_REGEX_SUBSTR:
		case GPUSTR_TEXT_REGEX_COUNT:
		case GPUSTR_TEXT_REGEX_INSTR:
		case GPUSTR_TEXT_ASCII:
		case GPUSTR_TEXT_TO_INT2:
		case GPUSTR_TEXT_TO_INT4:
		case GPUSTR_TEXT_TO_INT8:
		case GPUSTR_TEXT_TO_DATE:
		case GPUSTR_TEXT_FROM_NUMERIC:
		case GPUSTR_TEXT_TO_UUID:
		case GPUSTR_TEXT_HEX:
		case GPUSTR_TEXT_TO_FLOAT4:
		case GPUSTR_TEXT_TO_FLOAT8:
			return "T";
		case GPUSTR_TEXT_REPLACE:
		case GPUSTR_TEXT_TRANSLATE:
			return "TTT";
		case GPUSTR_TEXT_LPAD:
		case GPUSTR_TEXT_RPAD:
			return "TVT";
		case GPUSTR_TEXT_CHR:
		case GPUSTR_TEXT_TO_HEX4:
		case GPUSTR_TEXT_TO_HEX8:
		case GPUSTR_TEXT_FROM_INT:
		case GPUSTR_TEXT_FROM_BOOL:
		case GPUSTR_TEXT_FROM_DATE:
		case GPUSTR_TEXT_FROM_FLOAT4:
		case GPUSTR_TEXT_FROM_FLOAT8:
		case GPUSTR_TEXT_FROM_TIMESTAMP:
			return "V";
		default:
			return (const char *) 0;
	}
}

/*
 * Bytes of memory for what one step makes, in a batch of nrows rows whose inputs
 * (pages, or column data) are of input_bytes: enough for each function that does
 * not lengthen its input, for the digests, for numbers, and for bytes in hexadecimal.
 */
GPUSTR_FN uint64_t
gpustr_text_room(int32_t nrows, uint64_t input_bytes)
{
	return 2 * input_bytes + 64 * (uint64_t) nrows;
}

#endif							/* GPUSTR_TEXT_FUNCTION_H */
