/*-------------------------------------------------------------------------
 *
 * other_hooks.c
 *	  Another extension, which is in all the hooks that planners' and executors'
 *	  extensions use, and does there what such extensions do, as it is told to.
 *
 * Settings, all off at first:
 *
 *	other_hooks.read		planning a query reads a table, as pg_hint_plan reads
 *							its hints: this query, through SPI
 *	other_hooks.set			planning is done with this setting, NAME=VALUE, as
 *							pg_hint_plan's Set(NAME VALUE) is
 *	other_hooks.twice		each query is planned twice, and the second plan taken
 *	other_hooks.anew		each table's paths are thrown away and made anew, as
 *							pg_hint_plan does for IndexScan(t) and its like
 *	other_hooks.left_deep	relations are joined in the order of FROM, as with
 *							pg_hint_plan's Leading(a b c)
 *	other_hooks.wrap		each path of a table or a join that is found is put under
 *							a custom scan of this module's, "Wrap", as TimescaleDB
 *							and others do; it hands on what comes
 *
 * other_hooks_calls() gives the number of calls of each hook in this session, and
 * that of rows that have come through Wrap nodes; other_hooks_reset() forgets them.
 *
 * IDENTIFICATION
 *	  test/t/other_hooks.c
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "commands/defrem.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "optimizer/cost.h"
#include "optimizer/geqo.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "optimizer/planner.h"
#include "optimizer/restrictinfo.h"
#include "parser/analyze.h"
#include "tcop/utility.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/snapmgr.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(other_hooks_calls);
PG_FUNCTION_INFO_V1(other_hooks_reset);

extern PGDLLEXPORT void _PG_init(void);
extern PGDLLEXPORT Datum other_hooks_calls(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum other_hooks_reset(PG_FUNCTION_ARGS);

static char *read_query;
static char *set_this;
static bool twice;
static bool anew;
static bool left_deep;
static bool wrap;

static struct
{
	long		analyze,
				planner,
				info,
				rel,
				search,
				join,
				upper,
				start,
				run,
				finish,
				end,
				utility,
				wrapped_rows;
}			calls;

static post_parse_analyze_hook_type previous_analyze;
static planner_hook_type previous_planner;
static get_relation_info_hook_type previous_info;
static set_rel_pathlist_hook_type previous_rel;
static join_search_hook_type previous_search;
static set_join_pathlist_hook_type previous_join;
static create_upper_paths_hook_type previous_upper;
static ExecutorStart_hook_type previous_start;
static ExecutorRun_hook_type previous_run;
static ExecutorFinish_hook_type previous_finish;
static ExecutorEnd_hook_type previous_end;
static ProcessUtility_hook_type previous_utility;

Datum
other_hooks_calls(PG_FUNCTION_ARGS)
{
	return CStringGetTextDatum(psprintf("analyze=%ld planner=%ld info=%ld rel=%ld search=%ld join=%ld upper=%ld "
										"start=%ld run=%ld finish=%ld end=%ld utility=%ld wrapped_rows=%ld",
										calls.analyze, calls.planner, calls.info, calls.rel, calls.search, calls.join, calls.upper,
										calls.start, calls.run, calls.finish, calls.end, calls.utility, calls.wrapped_rows));
}

Datum
other_hooks_reset(PG_FUNCTION_ARGS)
{
	memset(&calls, 0, sizeof(calls));
	PG_RETURN_VOID();
}

/* Wrap: the plan node. */

static TupleTableSlot *
wrap_next(CustomScanState *node)
{
	TupleTableSlot *slot = ExecProcNode(linitial(node->custom_ps));
	ExprContext *econtext = node->ss.ps.ps_ExprContext;

	if (TupIsNull(slot))
		return NULL;
	calls.wrapped_rows++;
	slot = ExecCopySlot(node->ss.ss_ScanTupleSlot, slot);
	if (node->ss.ps.ps_ProjInfo == NULL)
		return slot;
	ResetExprContext(econtext);
	econtext->ecxt_scantuple = slot;
	return ExecProject(node->ss.ps.ps_ProjInfo);
}

static void
wrap_begin(CustomScanState *node, EState *estate, int eflags)
{
	CustomScan *plan = (CustomScan *) node->ss.ps.plan;

	node->custom_ps = list_make1(ExecInitNode(linitial(plan->custom_plans), estate, eflags));
}

static void
wrap_end(CustomScanState *node)
{
	ExecEndNode(linitial(node->custom_ps));
}

static void
wrap_rescan(CustomScanState *node)
{
	PlanState  *child = linitial(node->custom_ps);

	if (node->ss.ps.chgParam != NULL)
		UpdateChangedParamSet(child, node->ss.ps.chgParam);
	if (child->chgParam == NULL)
		ExecReScan(child);
}

static const CustomExecMethods wrap_exec_methods = {
	.CustomName = "Wrap",
	.BeginCustomScan = wrap_begin,
	.ExecCustomScan = wrap_next,
	.EndCustomScan = wrap_end,
	.ReScanCustomScan = wrap_rescan,
};

static Node *
wrap_create_state(CustomScan *plan)
{
	CustomScanState *state = makeNode(CustomScanState);

	state->methods = &wrap_exec_methods;
	return (Node *) state;
}

static const CustomScanMethods wrap_plan_methods = {
	.CustomName = "Wrap",
	.CreateCustomScanState = wrap_create_state,
};

/* The node's rows are those of the plan below it, which has applied all clauses. */
static Plan *
wrap_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist, List *clauses, List *custom_plans)
{
	CustomScan *plan = makeNode(CustomScan);

	plan->scan.plan.targetlist = tlist;
	plan->custom_scan_tlist = copyObject(((Plan *) linitial(custom_plans))->targetlist);
	plan->custom_plans = custom_plans;
	plan->flags = path->flags;
	plan->methods = &wrap_plan_methods;
	return &plan->scan.plan;
}

static const CustomPathMethods wrap_path_methods = {
	.CustomName = "Wrap",
	.PlanCustomPath = wrap_plan,
};

/* Put each path of the list under a Wrap.  In place: add_path would free those below. */
static void
wrap_paths(List *paths)
{
	ListCell   *lc;

	foreach(lc, paths)
	{
		Path	   *path = lfirst(lc);
		CustomPath *above = makeNode(CustomPath);

		if (path->param_info != NULL ||
			(IsA(path, CustomPath) && ((CustomPath *) path)->methods == &wrap_path_methods))
			continue;
		above->path = *path;
		above->path.type = T_CustomPath;
		above->path.pathtype = T_CustomScan;
		above->path.parallel_aware = false;
		above->custom_paths = list_make1(path);
		above->methods = &wrap_path_methods;
		lfirst(lc) = above;
	}
}

/* The hooks of planning. */

static void
other_analyze(ParseState *pstate, Query *query, JumbleState * jstate)
{
	calls.analyze++;
	if (previous_analyze)
		previous_analyze(pstate, query, jstate);
}

static PlannedStmt *
plan_it(Query *parse, const char *query_string, int options, ParamListInfo params)
{
	if (previous_planner)
		return previous_planner(parse, query_string, options, params);
	return standard_planner(parse, query_string, options, params);
}

/* Run the query of other_hooks.read, unless we are planning it. */
static void
read_a_table(void)
{
	static bool reading = false;
	bool		pushed = !ActiveSnapshotSet();

	if (reading || read_query[0] == '\0')
		return;
	reading = true;
	PG_TRY();
	{
		if (pushed)
			PushActiveSnapshot(GetTransactionSnapshot());
		SPI_connect();
		if (SPI_execute(read_query, true, 0) != SPI_OK_SELECT || SPI_processed == 0)
			elog(ERROR, "other_hooks.read has read nothing");
		SPI_finish();
		if (pushed)
			PopActiveSnapshot();
	}
	PG_FINALLY();
	{
		reading = false;
	}
	PG_END_TRY();
}

static PlannedStmt *
other_planner(Query *parse, const char *query_string, int options, ParamListInfo params)
{
	char	   *setting = pstrdup(set_this);
	char	   *value = strchr(setting, '=');
	int			nest = NewGUCNestLevel();
	PlannedStmt *stmt;

	calls.planner++;
	read_a_table();
	if (value != NULL)
	{
		*value++ = '\0';
		(void) set_config_option(setting, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, ERROR, false);
	}
	if (twice)
		(void) plan_it(copyObject(parse), query_string, options, params);
	stmt = plan_it(parse, query_string, options, params);
	AtEOXact_GUC(true, nest);
	return stmt;
}

static void
other_info(PlannerInfo *root, Oid table, bool inherited, RelOptInfo *rel)
{
	calls.info++;
	if (previous_info)
		previous_info(root, table, inherited, rel);
}

static void
other_rel(PlannerInfo *root, RelOptInfo *rel, Index rti, RangeTblEntry *rte)
{
	calls.rel++;
	if (previous_rel)
		previous_rel(root, rel, rti, rte);
	if (anew && rte->rtekind == RTE_RELATION && !rte->inh && rte->relkind == RELKIND_RELATION && rte->tablesample == NULL &&
		!IS_DUMMY_REL(rel))
	{
		rel->pathlist = NIL;
		rel->partial_pathlist = NIL;
		add_path(rel, create_seqscan_path(root, rel, rel->lateral_relids, 0));
		if (rel->consider_parallel && rel->lateral_relids == NULL)
			add_partial_path(rel, create_seqscan_path(root, rel, NULL, 2));
		create_index_paths(root, rel);
	}
	if (wrap && rte->rtekind == RTE_RELATION)
		wrap_paths(rel->pathlist);
}

static RelOptInfo *
other_search(PlannerInfo *root, int levels, List *rels)
{
	RelOptInfo *rel = linitial(rels);
	ListCell   *lc;

	calls.search++;
	if (!left_deep)
	{
		if (previous_search)
			return previous_search(root, levels, rels);
		if (enable_geqo && levels >= geqo_threshold)
			return geqo(root, levels, rels);
		return standard_join_search(root, levels, rels);
	}
	for_each_from(lc, rels, 1)
	{
		rel = make_join_rel(root, rel, lfirst(lc));
		if (rel == NULL)
			elog(ERROR, "other_hooks.left_deep: these relations cannot be joined in this order");
		generate_partitionwise_join_paths(root, rel);
		if (lnext(rels, lc) != NULL)
			generate_useful_gather_paths(root, rel, false);
		set_cheapest(rel);
	}
	return rel;
}

static void
other_join(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outer, RelOptInfo *inner, JoinType type, JoinPathExtraData * extra)
{
	calls.join++;
	if (previous_join)
		previous_join(root, joinrel, outer, inner, type, extra);
	if (wrap)
		wrap_paths(joinrel->pathlist);
}

static void
other_upper(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input, RelOptInfo *output, void *extra)
{
	calls.upper++;
	if (previous_upper)
		previous_upper(root, stage, input, output, extra);
}

/* The hooks of running. */

static void
other_start(QueryDesc *query, int eflags)
{
	calls.start++;
	query->instrument_options |= INSTRUMENT_ALL;
	if (previous_start)
		previous_start(query, eflags);
	else
		standard_ExecutorStart(query, eflags);
}

static void
			other_run(GPUSTR_EXECUTOR_RUN_ARGS)
{
	calls.run++;
	if (previous_run)
		previous_run(GPUSTR_EXECUTOR_RUN_PASS);
	else
		standard_ExecutorRun(GPUSTR_EXECUTOR_RUN_PASS);
}

static void
other_finish(QueryDesc *query)
{
	calls.finish++;
	if (previous_finish)
		previous_finish(query);
	else
		standard_ExecutorFinish(query);
}

static void
other_end(QueryDesc *query)
{
	calls.end++;
	if (previous_end)
		previous_end(query);
	else
		standard_ExecutorEnd(query);
}

static void
other_utility(PlannedStmt *stmt, const char *query_string, bool read_only, ProcessUtilityContext context,
			  ParamListInfo params, QueryEnvironment *environment, DestReceiver *dest, QueryCompletion *qc)
{
	calls.utility++;
	if (previous_utility)
		previous_utility(stmt, query_string, read_only, context, params, environment, dest, qc);
	else
		standard_ProcessUtility(stmt, query_string, read_only, context, params, environment, dest, qc);
}

static void
define_bool(const char *name, bool *variable)
{
	DefineCustomBoolVariable(name, "See other_hooks.c.", NULL, variable, false, PGC_USERSET, 0, NULL, NULL, NULL);
}

static void
define_string(const char *name, char **variable)
{
	DefineCustomStringVariable(name, "See other_hooks.c.", NULL, variable, "", PGC_USERSET, 0, NULL, NULL, NULL);
}

#define TAKE(hook, previous, ours) \
	do { (previous) = (hook); (hook) = (ours); } while (0)

void
_PG_init(void)
{
	define_string("other_hooks.read", &read_query);
	define_string("other_hooks.set", &set_this);
	define_bool("other_hooks.twice", &twice);
	define_bool("other_hooks.anew", &anew);
	define_bool("other_hooks.left_deep", &left_deep);
	define_bool("other_hooks.wrap", &wrap);
	RegisterCustomScanMethods(&wrap_plan_methods);
	TAKE(post_parse_analyze_hook, previous_analyze, other_analyze);
	TAKE(planner_hook, previous_planner, other_planner);
	TAKE(get_relation_info_hook, previous_info, other_info);
	TAKE(set_rel_pathlist_hook, previous_rel, other_rel);
	TAKE(join_search_hook, previous_search, other_search);
	TAKE(set_join_pathlist_hook, previous_join, other_join);
	TAKE(create_upper_paths_hook, previous_upper, other_upper);
	TAKE(ExecutorStart_hook, previous_start, other_start);
	TAKE(ExecutorRun_hook, previous_run, other_run);
	TAKE(ExecutorFinish_hook, previous_finish, other_finish);
	TAKE(ExecutorEnd_hook, previous_end, other_end);
	TAKE(ProcessUtility_hook, previous_utility, other_utility);
}
