/*-------------------------------------------------------------------------
 *
 * debug_require.c
 *	  gpustr.debug_require: prove which path a statement takes.
 *
 * Set to 'require', a statement that reads or changes a plain table, but whose
 * plan has no GpuScan or GpuJoin anywhere, raises an error with the reasons that were
 * noted while it was planned; set to 'require_join', one without a GpuJoin does;
 * set to 'forbid', one with either of them does.  INSERT into a table does not by itself read it.  Statements without a
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
#include "plan/join_plan.h"
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
	if (gpustr_debug_require == GPUSTR_REQUIRE_REQUIRE ||
		gpustr_debug_require == GPUSTR_REQUIRE_JOIN)
		refusals = lappend(refusals, text.data);
}

/* What a plan has of ours. */
typedef struct PlanNodes
{
	bool		scan;
	bool		join;
} PlanNodes;

static void find_nodes(Plan *plan, PlanNodes *found);

static void
find_nodes_of(List *plans, PlanNodes *found)
{
	ListCell   *lc;

	foreach(lc, plans)
		find_nodes(lfirst(lc), found);
}

static void
find_nodes(Plan *plan, PlanNodes *found)
{
	if (plan == NULL)
		return;
	check_stack_depth();
	switch (nodeTag(plan))
	{
		case T_CustomScan:
			if (((CustomScan *) plan)->methods == &gpustr_scan_plan_methods)
				found->scan = true;
			if (((CustomScan *) plan)->methods == &gpustr_join_plan_methods)
				found->join = true;
			find_nodes_of(((CustomScan *) plan)->custom_plans, found);
			break;
		case T_Append:
			find_nodes_of(((Append *) plan)->appendplans, found);
			break;
		case T_MergeAppend:
			find_nodes_of(((MergeAppend *) plan)->mergeplans, found);
			break;
		case T_SubqueryScan:
			find_nodes(((SubqueryScan *) plan)->subplan, found);
			break;
		default:
			break;
	}
	find_nodes(plan->lefttree, found);
	find_nodes(plan->righttree, found);
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
forbid(const PlanNodes *found)
{
	if (found->scan || found->join)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("this query would be run with gpustr"),
				 errdetail("\"gpustr.debug_require\" is \"forbid\", but its plan has a %s.",
						   found->join ? "GpuJoin" : "GpuScan")));
}

/* The plan has not what is required: say why. */
static void
raise_missing(bool join)
{
	StringInfoData detail;
	ListCell   *lc;

	initStringInfo(&detail);
	if (refusals == NIL)
		appendStringInfo(&detail, "no %s can be offloaded", join ? "join" : "WHERE clause");
	foreach(lc, refusals)
		appendStringInfo(&detail, "%s%s", lc == list_head(refusals) ? "" : "; ",
						 (char *) lfirst(lc));
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 join ? errmsg("could not join with gpustr in this query") :
			 errmsg("could not run this query with gpustr"),
			 errdetail("Reasons: %s.", detail.data)));
}

static void
check_requirement(PlannedStmt *stmt)
{
	PlanNodes	found = {false, false};

	if (stmt->commandType == CMD_UTILITY)
		return;
	find_nodes(stmt->planTree, &found);
	find_nodes_of(stmt->subplans, &found);
	if (gpustr_debug_require == GPUSTR_REQUIRE_FORBID)
		forbid(&found);
	else if (!found.join && statement_reads_table(stmt) &&
			 (gpustr_debug_require == GPUSTR_REQUIRE_JOIN || !found.scan))
		raise_missing(gpustr_debug_require == GPUSTR_REQUIRE_JOIN);
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
