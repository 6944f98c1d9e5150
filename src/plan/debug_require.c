/*-------------------------------------------------------------------------
 *
 * debug_require.c
 *	  gpustr.debug_require: prove which path a statement takes.
 *
 * Set to 'require', a statement that reads or changes a plain table, but whose
 * plan has no GpuScan anywhere, raises an error with the reasons that were
 * noted while it was planned; set to 'forbid', one whose plan has a GpuScan
 * does.  INSERT into a table does not by itself read it.  Statements without a
 * plain table, and those over catalogs only, are never refused.
 *
 * The planner is re-entrant (it may run functions), so the list of reasons is
 * saved and restored around each call.
 *
 * IDENTIFICATION
 *	  src/plan/debug_require.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/catalog.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/plannodes.h"
#include "optimizer/planner.h"

#include "compat.h"
#include "guc.h"
#include "plan/debug_require.h"
#include "plan/plan_private.h"

static planner_hook_type previous_planner = NULL;

/* Reasons noted in the statement that is being planned: char pointers. */
static List *refusals = NIL;

void
gpustr_note_refusal(const char *format,...)
{
	va_list		args;
	StringInfoData text;

	initStringInfo(&text);
	for (;;)
	{
		int			needed;

		va_start(args, format);
		needed = appendStringInfoVA(&text, format, args);
		va_end(args);
		if (needed == 0)
			break;
		enlargeStringInfo(&text, needed);
	}
	elog(DEBUG1, "gpustr: %s", text.data);
	if (gpustr_debug_require == GPUSTR_REQUIRE_REQUIRE)
		refusals = lappend(refusals, text.data);
}

static bool plan_has_gpu_scan(Plan *plan);

static bool
plans_have_gpu_scan(List *plans)
{
	ListCell   *lc;

	foreach(lc, plans)
	{
		if (plan_has_gpu_scan(lfirst(lc)))
			return true;
	}
	return false;
}

static bool
plan_has_gpu_scan(Plan *plan)
{
	if (plan == NULL)
		return false;
	check_stack_depth();
	switch (nodeTag(plan))
	{
		case T_CustomScan:
			if (((CustomScan *) plan)->methods == &gpustr_scan_plan_methods ||
				plans_have_gpu_scan(((CustomScan *) plan)->custom_plans))
				return true;
			break;
		case T_Append:
			if (plans_have_gpu_scan(((Append *) plan)->appendplans))
				return true;
			break;
		case T_MergeAppend:
			if (plans_have_gpu_scan(((MergeAppend *) plan)->mergeplans))
				return true;
			break;
		case T_SubqueryScan:
			if (plan_has_gpu_scan(((SubqueryScan *) plan)->subplan))
				return true;
			break;
		default:
			break;
	}
	return plan_has_gpu_scan(plan->lefttree) || plan_has_gpu_scan(plan->righttree);
}

/* Does the statement read, update or delete from a table that could count? */
static bool
statement_reads_table(PlannedStmt *stmt)
{
	Index		rti = 0;
	ListCell   *lc;

	foreach(lc, stmt->rtable)
	{
		RangeTblEntry *rte = lfirst(lc);

		rti++;
		if (rte->rtekind != RTE_RELATION ||
			(rte->relkind != RELKIND_RELATION && rte->relkind != RELKIND_MATVIEW) ||
			rte->relid < FirstNormalObjectId || IsCatalogRelationOid(rte->relid))
			continue;
		if (stmt->commandType == CMD_INSERT && list_member_int(stmt->resultRelations, rti))
			continue;
		return true;
	}
	return false;
}

static void
check_requirement(PlannedStmt *stmt)
{
	bool		has_gpu_scan;

	if (stmt->commandType == CMD_UTILITY)
		return;
	has_gpu_scan = plan_has_gpu_scan(stmt->planTree) || plans_have_gpu_scan(stmt->subplans);

	if (gpustr_debug_require == GPUSTR_REQUIRE_FORBID && has_gpu_scan)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("this query would be run with gpustr"),
				 errdetail("\"gpustr.debug_require\" is \"forbid\", but its plan has a GpuScan.")));

	if (gpustr_debug_require == GPUSTR_REQUIRE_REQUIRE && !has_gpu_scan &&
		statement_reads_table(stmt))
	{
		StringInfoData detail;
		ListCell   *lc;

		initStringInfo(&detail);
		if (refusals == NIL)
			appendStringInfoString(&detail, "no WHERE clause can be offloaded");
		foreach(lc, refusals)
			appendStringInfo(&detail, "%s%s", lc == list_head(refusals) ? "" : "; ",
							 (char *) lfirst(lc));
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("could not run this query with gpustr"),
				 errdetail("Reasons: %s.", detail.data)));
	}
}

static PlannedStmt *
gpustr_planner(Query *parse, const char *query_string, int cursor_options,
			   ParamListInfo bound_params)
{
	List	   *saved = refusals;
	PlannedStmt *stmt;

	refusals = NIL;
	PG_TRY();
	{
		if (previous_planner)
			stmt = previous_planner(parse, query_string, cursor_options, bound_params);
		else
			stmt = standard_planner(parse, query_string, cursor_options, bound_params);
		if (gpustr_debug_require != GPUSTR_REQUIRE_ALLOW)
			check_requirement(stmt);
	}
	PG_FINALLY();
	{
		refusals = saved;
	}
	PG_END_TRY();
	return stmt;
}

void
gpustr_debug_require_init(void)
{
	previous_planner = planner_hook;
	planner_hook = gpustr_planner;
}
