/*-------------------------------------------------------------------------
 *
 * union_build.h
 *	  Several tests of one text, as one automaton.
 *
 * IDENTIFICATION
 *	  src/plan/union_build.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_UNION_BUILD_H
#define GPUSTR_UNION_BUILD_H

#include "plan/expr_build.h"

/* Tests that one automaton may be made of. */
#define GPUSTR_MOST_JOINED 16

/*
 * How many of at most 'most' expressions from one on, joined by OR or else AND, are
 * better one automaton: *reg is the truth of all of them together.  0: none.
 *
 * Once the text is known, all of them are true or false, and all are NULL or recheck if
 * it is; so *reg is good for a list of clauses, too.
 */
extern int	gpustr_build_union(GpustrBuild *build, bool use_or, List *exprs, int from, int most,
							   GpustrReg *reg);

/* The same for tests of a text for each of n elements from one on. */
extern int	gpustr_build_union_list(GpustrBuild *build, const GpustrFunction *function,
									Oid collation, bool use_or, GpustrReg text,
									const GpustrFixed *elements, int from, int n,
									GpustrReg *reg);

#endif							/* GPUSTR_UNION_BUILD_H */
