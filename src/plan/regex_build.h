/*-------------------------------------------------------------------------
 *
 * regex_build.h
 *	  Clauses with regular expressions: which are refused, and their steps.
 *
 * IDENTIFICATION
 *	  src/plan/regex_build.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_REGEX_BUILD_H
#define GPUSTR_REGEX_BUILD_H

#include "utils/array.h"

#include "plan/expr_build.h"
#include "plan/regex_cache.h"

/*
 * Why may a call of such a function not be offloaded?  NULL: it may.  The collation
 * has been looked at.
 */
extern const char *gpustr_regex_call_refusal(const GpustrFunction *function, List *args,
											 Oid collation);

/* The same for each element of an array of patterns. */
extern const char *gpustr_regex_array_refusal(const GpustrFunction *function,
											  ArrayType *patterns, Oid collation);

/*
 * Test a text.  options: NULL, or a constant that was not refused.  A pattern that
 * would be refused makes recheck.
 */
extern GpustrReg gpustr_build_regex(GpustrBuild *build, const GpustrFunction *function,
									const Const *options, Oid collation, GpustrReg text,
									struct varlena *pattern);

/*
 * The automaton that tells where a call's pattern matches, its size in *bytes.  NULL: only
 * PostgreSQL can tell.  captures: what parentheses take is wanted.
 */
extern const GpustrRegexExtents *gpustr_regex_call_extents(const GpustrFunction *function,
														   const Const *options, bool captures,
														   Oid collation, struct varlena *pattern,
														   uint32 *bytes);

/* The flags of a call; false if PostgreSQL would raise an error. */
extern bool gpustr_regex_call_flags(const GpustrFunction *function, const Const *options,
									int *cflags);

/*
 * May an automaton run only where a literal is that it needs?  That is found much faster
 * than by an automaton here; on a device, than by one that is large; but is for nothing
 * where most values have it.
 */
extern bool gpustr_literal_may_come_first(const GpustrRegex *regex);

/* The test of an automaton, with the literal first or without. */
extern GpustrReg gpustr_build_automaton(GpustrBuild *build, GpustrReg text,
										const GpustrRegex *regex);

/* A call of regexp_like() with options, which are a constant. */
extern GpustrReg gpustr_build_regexp_like(GpustrBuild *build, const GpustrFunction *function,
										  List *args, Oid collation);

#endif							/* GPUSTR_REGEX_BUILD_H */
