/*-------------------------------------------------------------------------
 *
 * check_constants.h
 *	  Are the constants of a program's steps well-formed?
 *
 * Part of batch_check.c: what only looks at a step and its constant.
 *
 * IDENTIFICATION
 *	  src/engine/check_constants.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_CHECK_CONSTANTS_H
#define GPUSTR_CHECK_CONSTANTS_H

#include "rowfn/dfa.h"
#include "rowfn/like.h"
#include "rowfn/text_args.h"

/* A range of the program, from a multiple of 8. */
static inline int
program_range_ok(const GpustrProgram *program, uint32_t off, uint64_t bytes)
{
	return off % 8 == 0 && off <= program->bytes && bytes <= program->bytes - off;
}

/* Do the values start from 'first' on, never decrease, and end at most at 'last'? */
static inline int
ascends(const int32_t *values, int32_t n, int32_t first, int64_t last)
{
	int			bad = 0;
	int32_t		i;

	for (i = 0; i < n; i++)
		bad |= values[i + 1] < values[i];
	return !bad && values[0] >= first && values[n] <= last;
}

/* Is there a compiled pattern in 'bytes' bytes, and as aux says an automaton behind it? */
static inline int
like_ok(const GpustrStep *step, const char *pattern, uint32_t bytes)
{
	uint32_t	at;

	if (step->aux > 1 || !rowfn_like_check(pattern, bytes))
		return 0;
	at = GPUSTR_LIKE_AUTOMATON_AT(pattern);
	return step->aux == 0 ||
		(at <= bytes && rowfn_dfa_check((const GpustrDfa *) (pattern + at), bytes - at));
}

/*
 * Is the step's constant a GpustrTextSet within const_bytes?  The order of the
 * strings is not looked at: no more than answers depend on it.
 */
static inline int
text_set_ok(const GpustrProgram *program, const GpustrStep *step)
{
	const GpustrTextSet *set = (const GpustrTextSet *) GPUSTR_PROGRAM_CONST(program, step);
	uint64_t	header_bytes;

	if (!program_range_ok(program, step->const_off, step->const_bytes) ||
		step->const_bytes < sizeof(GpustrTextSet) || step->const_bytes > INT32_MAX || set->n < 0)
		return 0;
	header_bytes = sizeof(int32_t) * ((uint64_t) set->n + 2);
	return header_bytes <= step->const_bytes &&
		ascends(set->offsets, set->n, 0, (int64_t) (step->const_bytes - header_bytes));
}

/* Is the step's constant an array of int64 that ascend? */
static inline int
value_set_ok(const GpustrProgram *program, const GpustrStep *step)
{
	const int64_t *values = (const int64_t *) GPUSTR_PROGRAM_CONST(program, step);
	uint32_t	n = step->const_bytes / sizeof(int64_t);
	int			bad = 0;
	uint32_t	i;

	if (!program_range_ok(program, step->const_off, step->const_bytes) ||
		step->const_bytes % sizeof(int64_t) != 0)
		return 0;
	for (i = 1; i < n; i++)
		bad |= values[i] <= values[i - 1];
	return !bad;
}

/* Is the step's constant a GpustrMask? */
static inline int
mask_ok(const GpustrProgram *program, const GpustrStep *step)
{
	const GpustrMask *mask = (const GpustrMask *) GPUSTR_PROGRAM_CONST(program, step);

	return program_range_ok(program, step->const_off, step->const_bytes) &&
		step->const_bytes >= sizeof(GpustrMask) && mask->keep_left >= 0 && mask->keep_right >= 0 &&
		mask->mask_bytes >= 0 &&
		step->const_bytes == sizeof(GpustrMask) + (uint32_t) mask->mask_bytes;
}

/* Does the step call a function of texts, or bytes, with the constant that it needs? */
static inline int
text_function_ok(const GpustrProgram *program, const GpustrStep *step)
{
	return (step->attr == 0 || step->attr == 1) &&
		program_range_ok(program, step->const_off, step->const_bytes) &&
		rowfn_text_check(step->aux, GPUSTR_PROGRAM_CONST(program, step), step->const_bytes);
}

/*
 * Is the step's constant one that FIND_ALL can look for?  Any length will do that
 * is not 0; but kernels read it by words of 4 bytes, which have to be in the program.
 */
static inline int
find_pattern_ok(const GpustrProgram *program, const GpustrStep *step)
{
	return step->const_bytes >= 1 &&
		program_range_ok(program, step->const_off, ((uint64_t) step->const_bytes + 3) / 4 * 4);
}

#endif							/* GPUSTR_CHECK_CONSTANTS_H */
