/*-------------------------------------------------------------------------
 *
 * plan_private.c
 *	  Pack and unpack what a GpuScan's plan carries.
 *
 * Expressions go to custom_exprs and qual, where setrefs.c and subselect.c
 * find their Vars and Params.  custom_private holds nodes that survive
 * copyObject(), outfuncs.c and readfuncs.c.  The program is not among them: it
 * is built when the scan starts, with the values that Params have then.
 *
 * IDENTIFICATION
 *	  src/plan/plan_private.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "nodes/value.h"

#include "compat.h"
#include "plan/plan_private.h"

/* Positions in CustomScan.custom_private. */
typedef enum GpustrScanPrivate
{
	GSP_OFFLOADED,				/* integer list: 1 for each clause of
								 * custom_exprs that the program decides */
	GSP_REASONS,				/* String list: why the others are not */
	GSP_REFUSED_OUTPUTS,		/* String list: calls that are not computed */
	GSP_COUNT					/* must be last */
} GpustrScanPrivate;

void
gpustr_plan_pack(CustomScan *plan, const GpustrScanClauses *clauses)
{
	ListCell   *lc;
	ListCell   *flag;

	plan->custom_exprs = clauses->clauses;
	plan->scan.plan.qual = NIL;
	forboth(lc, clauses->clauses, flag, clauses->offloaded)
	{
		if (!lfirst_int(flag))
			plan->scan.plan.qual = lappend(plan->scan.plan.qual, lfirst(lc));
	}
	plan->custom_private = list_make3(clauses->offloaded, clauses->reasons,
									  clauses->refused_outputs);
	Assert(list_length(plan->custom_private) == GSP_COUNT);
}

/* expression_tree_mutator: put the slot's columns back to what they stand for. */
static Node *
resolve_mutator(Node *node, void *context)
{
	const CustomScan *plan = context;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && ((Var *) node)->varno == INDEX_VAR)
	{
		TargetEntry *tle = list_nth(plan->custom_scan_tlist, ((Var *) node)->varattno - 1);

		return copyObject((Node *) tle->expr);
	}
	return expression_tree_mutator(node, resolve_mutator, context);
}

Node *
gpustr_plan_resolve(const CustomScan *plan, Node *expr)
{
	if (plan->custom_scan_tlist == NIL)
		return expr;
	return resolve_mutator(expr, (void *) plan);
}

GpustrScanClauses *
gpustr_plan_unpack(const CustomScan *plan)
{
	GpustrScanClauses *clauses = palloc0(sizeof(GpustrScanClauses));
	ListCell   *lc;

	Assert(list_length(plan->custom_private) == GSP_COUNT);
	clauses->clauses = (List *) gpustr_plan_resolve(plan, (Node *) plan->custom_exprs);
	clauses->offloaded = list_nth(plan->custom_private, GSP_OFFLOADED);
	clauses->reasons = list_nth(plan->custom_private, GSP_REASONS);
	clauses->refused_outputs = list_nth(plan->custom_private, GSP_REFUSED_OUTPUTS);
	foreach(lc, clauses->offloaded)
		clauses->noffloaded += lfirst_int(lc);
	foreach(lc, plan->custom_scan_tlist)
	{
		Expr	   *expr = lfirst_node(TargetEntry, lc)->expr;

		if (!IsA(expr, Var))
			clauses->outputs = lappend(clauses->outputs, expr);
	}

	if (list_length(clauses->clauses) != list_length(clauses->offloaded))
		elog(ERROR, "a GpuScan plan has %d clauses, but %d were planned",
			 list_length(clauses->clauses), list_length(clauses->offloaded));
	return clauses;
}
