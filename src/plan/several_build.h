/*-------------------------------------------------------------------------
 *
 * several_build.h
 *	  Several patterns for one text, as one step.
 *
 * IDENTIFICATION
 *	  src/plan/several_build.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_SEVERAL_BUILD_H
#define GPUSTR_SEVERAL_BUILD_H

#include "utils/array.h"

#include "plan/expr_build.h"

/* Literals that are faster found by one automaton than one by one. */
#define GPUSTR_FEWEST_LITERALS 4

/* Can a test for a known pattern, joined with others, be one for many literals? */
typedef enum GpustrLiteralUse
{
	GPUSTR_LITERAL_NEVER,
	GPUSTR_LITERAL_IN_OR,
	GPUSTR_LITERAL_IN_AND
} GpustrLiteralUse;

extern GpustrLiteralUse gpustr_literal_use(const GpustrFunction *function,
										   const GpustrFixed *pattern);

/*
 * How many tests are a list of patterns, joined by OR or else AND?  Fewer than
 * elements, where some can be tested at once.
 */
extern int	gpustr_list_tests(const GpustrFunction *function, bool use_or,
							  const GpustrFixed *elements, int n);

/* Those tests; n > 0. */
extern GpustrReg gpustr_build_list(GpustrBuild *build, const GpustrFunction *function,
								   Oid collation, bool use_or, GpustrReg left,
								   const GpustrFixed *elements, int n);

/*
 * The arguments of AND or OR from one on that can be tested at once: how many, and
 * *reg the truth of all of them together.  0: none.
 */
extern int	gpustr_build_several(GpustrBuild *build, BoolExpr *expr, int from, GpustrReg *reg);

/* The elements of an array, of all dimensions, in order. */
extern GpustrFixed *gpustr_array_elements(ArrayType *array, int *n);

#endif							/* GPUSTR_SEVERAL_BUILD_H */
