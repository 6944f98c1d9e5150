/*-------------------------------------------------------------------------
 *
 * output.h
 *	  Which expressions of a SELECT list a scan's engine computes.
 *
 * IDENTIFICATION
 *	  src/plan/output.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_OUTPUT_H
#define GPUSTR_OUTPUT_H

#include "nodes/pathnodes.h"

#include "plan/expr_build.h"

/*
 * The expressions that a scan of 'rel' could compute for the target list of the
 * query: over its columns, each once, at most GPUSTR_MAX_OUT_COLUMNS; NIL where
 * the query's kind does not allow it.  *refused gets each call that is
 * not among them, and after each a String, the reason; noted for
 * gpustr.debug_require, too.
 */
extern List *gpustr_find_outputs(PlannerInfo *root, RelOptInfo *rel, List **refused);

/* Is it a query whose tables EvalPlanQual has nothing to do with? */
extern bool gpustr_query_only_reads(PlannerInfo *root);

/* The expressions that outputs are looked for in: none where there are but columns. */
extern List *gpustr_searched_exprs(PlannerInfo *root, RelOptInfo *rel);

/*
 * Is it a call of redact() or mask()?  Others are texts, computed where that
 * costs less.
 */
extern bool gpustr_is_own_output(Node *expr);
extern List *gpustr_own_outputs(List *outputs);

/* Strings out of *refused, for EXPLAIN: the call as SQL, and the reason. */
extern List *gpustr_describe_refused(PlannerInfo *root, RelOptInfo *rel, List *refused);

/*
 * Does each row that comes out need its tuple, beside these outputs?  Else its
 * page is not looked at.
 */
extern bool gpustr_needs_tuples(PlannerInfo *root, RelOptInfo *rel, List *outputs);

/*
 * The step that writes output column 'column' for such an expression.  What is
 * not known yet, or would be an error, is recheck.
 */
extern void gpustr_build_output(GpustrBuild *build, Node *expr, int32 column);

/* The same where the expression does not fit: recheck in all rows. */
extern void gpustr_build_unknown_output(GpustrBuild *build, int32 column);

#endif							/* GPUSTR_OUTPUT_H */
