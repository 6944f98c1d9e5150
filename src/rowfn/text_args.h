/*-------------------------------------------------------------------------
 *
 * text_args.h
 *	  What the functions of program/text_function.h are called with, row by row.
 *
 * Each sort has one entry, which both engines call; 'function' is a constant
 * wherever speed matters, so that the compiler leaves one function of the
 * switch:
 *
 *		text_slice.h	rowfn_text_slice()
 *		text_make.h		rowfn_text_bytes(), rowfn_text_write()
 *		text_measure.h	rowfn_text_measure()
 *
 * No argument is NULL.  Texts may be of any bytes, also such as are not of the
 * encoding, and may change between two looks when they lie in pages: nothing
 * is read outside of them and nothing is written outside of the answer,
 * whatever they hold.
 *
 * IDENTIFICATION
 *	  src/rowfn/text_args.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_TEXT_ARGS_H
#define GPUSTR_ROWFN_TEXT_ARGS_H

#include <stddef.h>

#include "program/text_function.h"
#include "rowfn/dfa.h"

typedef struct RowfnText
{
	const char *s;
	int32_t		len;			/* bytes */
} RowfnText;

/* Argument i is text[i] or value[i], as the function's shape says. */
typedef struct RowfnArgs
{
	RowfnText	text[3];
	int64_t		value[3];
	const char *constant;		/* the step's; checked by gpustr_batch_check() */
	int32_t		encoding;		/* GpustrEncoding */
} RowfnArgs;

/*
 * The entries:
 *
 * int rowfn_text_slice(int function, const RowfnArgs *args, RowfnText *slice)
 *		1: *slice is the answer; 0: recheck
 *
 * int64_t rowfn_text_bytes(int function, const RowfnArgs *args)
 *		bytes of the answer; ROWFN_TEXT_RECHECK: recheck
 *
 * void rowfn_text_write(int function, const RowfnArgs *args, char *out, int64_t bytes)
 *		the answer to out[bytes], bytes as rowfn_text_bytes() said; never past it
 *
 * int rowfn_text_measure(int function, const RowfnArgs *args, int64_t *value)
 *		1: *value is the answer; 0: recheck
 */
#define ROWFN_TEXT_RECHECK (-1)

/*
 * Is there a GpustrCaseMap within the bytes at p?  Returns the bytes that it
 * takes, 0 if not.
 */
GPUSTR_FN uint32_t
rowfn_case_map_check(const char *p, uint32_t bytes)
{
	const GpustrCaseMap *map = (const GpustrCaseMap *) p;
	int			bad = 0;
	int32_t		i;

	if (bytes < GPUSTR_CASE_MAP_BYTES(0) || map->npairs < 0 ||
		(uint32_t) map->npairs > (bytes - GPUSTR_CASE_MAP_BYTES(0)) / sizeof(GpustrCasePair))
		return 0;
	for (i = 0; i < 128; i++)
		bad |= map->ascii[i] >= 128 && map->ascii[i] != 0xFF;
	for (i = 1; i < map->npairs; i++)
		bad |= map->pairs[i].from <= map->pairs[i - 1].from;
	return bad ? 0 : GPUSTR_CASE_MAP_BYTES(map->npairs);
}

/* Is there a GpustrRegexExtents with its automaton within the bytes at p? */
GPUSTR_FN int
rowfn_extents_check(const char *p, uint32_t bytes)
{
	const GpustrRegexExtents *x = (const GpustrRegexExtents *) p;
	const GpustrDfa *dfa = GPUSTR_EXTENTS_DFA(x);

	return bytes >= sizeof(GpustrRegexExtents) &&
		rowfn_dfa_check(dfa, bytes - (uint32_t) sizeof(GpustrRegexExtents)) &&
		x->pass >= 0 && x->which >= 0 && x->plain >= -1 && x->plain < dfa->nstates &&
		x->middle >= 0 && x->middle < dfa->nstates && x->accept > GPUSTR_DFA_ACCEPT &&
		x->accept <= dfa->nstates && x->naccept >= 0 && x->naccept <= dfa->nstates - x->accept;
}

/* Is there such a function, and is this the constant that it needs? */
GPUSTR_FN int
rowfn_text_check(int function, const char *constant, uint32_t bytes)
{
	uint32_t	first;

	if (gpustr_text_function_shape(function) == (const char *) 0)
		return 0;
	switch (function)
	{
		case GPUSTR_TEXT_UPPER:
		case GPUSTR_TEXT_LOWER:
			return rowfn_case_map_check(constant, bytes) != 0;
		case GPUSTR_TEXT_INITCAP:
			first = rowfn_case_map_check(constant, bytes);
			return first != 0 && first < bytes &&
				rowfn_case_map_check(constant + first, bytes - first) != 0;
		case GPUSTR_TEXT_REDACT_PII:
			return bytes == sizeof(int32_t);
		case GPUSTR_TEXT_REGEX_SUBSTR:
		case GPUSTR_TEXT_REGEX_REPLACE:
		case GPUSTR_TEXT_REGEX_COUNT:
		case GPUSTR_TEXT_REGEX_INSTR:
			return rowfn_extents_check(constant, bytes);
		default:
			return bytes == 0;
	}
}

#endif							/* GPUSTR_ROWFN_TEXT_ARGS_H */
