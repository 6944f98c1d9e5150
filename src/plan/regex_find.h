/*-------------------------------------------------------------------------
 *
 * regex_find.h
 *	  Functions that look for matches of a regular expression.
 *
 * IDENTIFICATION
 *	  src/plan/regex_find.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_REGEX_FIND_H
#define GPUSTR_REGEX_FIND_H

#include "nodes/pathnodes.h"

#include "plan/expr_build.h"

/*
 * Why may a call of a GPUSTR_FUNCTION_REGEX_FIND not be offloaded?  NULL: it may.
 * Its arguments and the collation have been looked at.
 */
extern const char *gpustr_regex_find_refusal(const GpustrFunction *function, List *args,
											 Oid collation);

/* Its steps: the answer where nothing matches, else recheck. */
extern GpustrReg gpustr_build_regex_find(GpustrBuild *build, const GpustrFunction *function,
										 List *args, Oid collation);

/* A truth, never NULL: does regexp_match(), called so, find something? */
extern GpustrReg gpustr_build_regex_found(GpustrBuild *build, FuncExpr *call);

/* An element of what it returns. */
extern GpustrReg gpustr_build_match_element(GpustrBuild *build, SubscriptingRef * ref);

/*
 * A call of regexp_match() as it may be offloaded, though its type may not: the
 * operand of IS NULL, or of a subscript.  NULL: it is none.
 */
extern FuncExpr *gpustr_regexp_match_call(Node *node);

/* The part of rows for which some such call in the expression is recheck. */
extern double gpustr_regex_find_selectivity(PlannerInfo *root, Node *expr);

#endif							/* GPUSTR_REGEX_FIND_H */
