/*-------------------------------------------------------------------------
 *
 * join_private.c
 *	  Pack and unpack what a GpuJoin's plan carries.
 *
 * Expressions go to custom_exprs, where setrefs.c and subselect.c find their Vars,
 * Params and subplans; step by step: outer keys, inner keys, key clauses, filter.
 * custom_private says how many there are of each, and holds the rest, as nodes
 * that survive copyObject(), outfuncs.c and readfuncs.c.
 *
 * IDENTIFICATION
 *	  src/plan/join_private.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "nodes/value.h"

#include "compat.h"
#include "plan/join_plan.h"

/* Positions in CustomScan.custom_private. */
typedef enum GpustrJoinPrivate
{
	GJP_FUSED,					/* Integer: 1 if the outer side is fused */
	GJP_COLUMNS,				/* integer list: side, resno, is_result of
								 * each column */
	GJP_STEPS,					/* list of lists: GpustrStepPrivate */
	GJP_REFUSED,				/* String list */
	GJP_COUNT					/* must be last */
} GpustrJoinPrivate;

/* Positions in the list of a step. */
typedef enum GpustrStepPrivate
{
	GSTP_NUMBERS,				/* integer list: jointype, keys, clauses in
								 * the filter, inner_partial */
	GSTP_KEY_KINDS,				/* integer list */
	GSTP_OFFLOADED,				/* integer list: for each clause of the filter */
	GSTP_REASONS,				/* String list, alike */
	GSTP_INNER_ROWS,			/* Float */
	GSTP_COUNT					/* must be last */
} GpustrStepPrivate;

/* A number, with all its digits; and a point, lest it be read as an integer. */
static Node *
pack_rows(double rows)
{
	return (Node *) makeFloat(psprintf("%.17e", rows));
}

static List *
pack_step(const GpustrJoinPlan *join, int i)
{
	const GpustrJoinStep *step = &join->step[i];
	List	   *packed;

	packed = list_make5(list_make4_int(step->jointype, step->nkeys, list_length(step->filter),
									   join->inner_partial[i]),
						step->key_kinds, step->offloaded, step->reasons,
						pack_rows(join->inner_rows[i]));
	Assert(list_length(packed) == GSTP_COUNT);
	return packed;
}

void
gpustr_join_pack(CustomScan *plan, const GpustrJoinPlan *join)
{
	List	   *exprs = NIL;
	List	   *columns = NIL;
	List	   *steps = NIL;
	int			i;

	for (i = 0; i < join->ncolumns; i++)
	{
		columns = lappend_int(columns, join->column[i].side);
		columns = lappend_int(columns, join->column[i].resno);
		columns = lappend_int(columns, join->column[i].is_result);
	}
	for (i = 0; i < join->nsteps; i++)
	{
		const GpustrJoinStep *step = &join->step[i];

		exprs = list_concat(exprs, step->outer_keys);
		exprs = list_concat(exprs, step->inner_keys);
		exprs = list_concat(exprs, step->key_clauses);
		exprs = list_concat(exprs, step->filter);
		steps = lappend(steps, pack_step(join, i));
	}
	plan->custom_exprs = exprs;
	plan->custom_private = list_make4(makeInteger(join->fused), columns, steps, join->refused);
	Assert(list_length(plan->custom_private) == GJP_COUNT);
}

/* The next n items of a list. */
static List *
take(List *list, int *at, int n)
{
	List	   *result = NIL;
	int			i;

	for (i = 0; i < n; i++)
		result = lappend(result, list_nth(list, (*at)++));
	return result;
}

static void
unpack_step(GpustrJoinPlan *join, int i, List *packed, List *exprs, int *at)
{
	GpustrJoinStep *step = &join->step[i];
	List	   *numbers = list_nth(packed, GSTP_NUMBERS);

	Assert(list_length(packed) == GSTP_COUNT);
	step->jointype = (JoinType) linitial_int(numbers);
	step->nkeys = lsecond_int(numbers);
	step->outer_keys = take(exprs, at, step->nkeys);
	step->inner_keys = take(exprs, at, step->nkeys);
	step->key_clauses = take(exprs, at, step->nkeys);
	step->filter = take(exprs, at, lthird_int(numbers));
	step->key_kinds = list_nth(packed, GSTP_KEY_KINDS);
	step->offloaded = list_nth(packed, GSTP_OFFLOADED);
	step->reasons = list_nth(packed, GSTP_REASONS);
	join->inner_partial[i] = lfourth_int(numbers) != 0;
	join->inner_rows[i] = floatVal(list_nth(packed, GSTP_INNER_ROWS));
}

GpustrJoinPlan *
gpustr_join_unpack(const CustomScan *plan)
{
	GpustrJoinPlan *join = palloc0(sizeof(GpustrJoinPlan));
	List	   *columns = list_nth(plan->custom_private, GJP_COLUMNS);
	List	   *steps = list_nth(plan->custom_private, GJP_STEPS);
	int			at = 0;
	int			i;

	Assert(list_length(plan->custom_private) == GJP_COUNT);
	join->fused = intVal(list_nth(plan->custom_private, GJP_FUSED)) != 0;
	join->refused = list_nth(plan->custom_private, GJP_REFUSED);
	join->ncolumns = list_length(columns) / 3;
	join->column = palloc0(sizeof(GpustrJoinColumn) * Max(join->ncolumns, 1));
	for (i = 0; i < join->ncolumns; i++)
	{
		join->column[i].side = list_nth_int(columns, 3 * i);
		join->column[i].resno = list_nth_int(columns, 3 * i + 1);
		join->column[i].is_result = list_nth_int(columns, 3 * i + 2) != 0;
	}
	join->nsteps = list_length(steps);
	join->step = palloc0(sizeof(GpustrJoinStep) * Max(join->nsteps, 1));
	for (i = 0; i < join->nsteps; i++)
		unpack_step(join, i, list_nth(steps, i), plan->custom_exprs, &at);

	if (at != list_length(plan->custom_exprs) ||
		join->ncolumns != list_length(plan->custom_scan_tlist))
		elog(ERROR, "a GpuJoin plan has %d expressions and %d columns, but %d and %d were planned",
			 list_length(plan->custom_exprs), list_length(plan->custom_scan_tlist),
			 at, join->ncolumns);
	return join;
}
