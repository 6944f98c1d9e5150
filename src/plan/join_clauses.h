/*-------------------------------------------------------------------------
 *
 * join_clauses.h
 *	  What a GpuJoin does with each clause of a join.
 *
 * IDENTIFICATION
 *	  src/plan/join_clauses.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_JOIN_CLAUSES_H
#define GPUSTR_JOIN_CLAUSES_H

#include "nodes/pathnodes.h"

#include "plan/join_plan.h"

/* The clauses of a join of two relations, in the planner's terms. */
typedef struct GpustrJoinClauses
{
	GpustrJoinStep step;		/* but for jointype; of the filter, what may
								 * be offloaded */
	List	   *key_rinfos;		/* RestrictInfos of the keys */
	List	   *filter_rinfos;	/* and of the filter */
	List	   *qual;			/* what is to hold after an outer join */
	const char *refusal;		/* why there is no key; NULL: there is */
} GpustrJoinClauses;

/* Sort out the clauses of 'restrictlist'. */
extern GpustrJoinClauses *gpustr_join_clauses(PlannerInfo *root, RelOptInfo *joinrel,
											  RelOptInfo *outerrel, RelOptInfo *innerrel,
											  JoinType jointype, List *restrictlist);

/* The RowfnKeyKind of the operator's operands; or -1, and *reason says why it is no key. */
extern int	gpustr_key_kind(OpExpr *op, const char **reason);

/* Can its hash be recheck, of a value that is not NULL? */
extern bool gpustr_key_may_fail(int kind);

/*
 * Why can the engine not compute this key, or decide this clause, of columns that are all
 * at hand?  NULL: it can.  Columns are those of 'columns', a list of expressions.
 */
extern const char *gpustr_join_expr_refusal(Node *expr, List *columns);

/* The expression with references to 'columns', as setrefs.c will make them. */
extern Node *gpustr_join_translate(Node *expr, List *columns);

/*
 * The column as it is written in the expression, NULL if it is not there; and the
 * expression with all of 'columns' as they are written there.  From 16 on there are
 * several ways to write one, and setrefs.c insists on that of the slot.
 */
extern Node *gpustr_join_column_in(Node *column, Node *expr);
extern Node *gpustr_join_unify(Node *expr, List *columns);

/* Put into result those of 'columns' that the expression needs; false: it needs others. */
extern bool gpustr_join_needs(Node *expr, List *columns, Bitmapset * *needed);

#endif							/* GPUSTR_JOIN_CLAUSES_H */
