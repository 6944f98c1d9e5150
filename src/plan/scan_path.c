/*-------------------------------------------------------------------------
 *
 * scan_path.c
 *	  Offer GpuScan to the planner.
 *
 * A GpuScan is one more path for a plain heap table, beside the sequential and
 * index scans, and has to win on cost.  Where PostgreSQL would consider a
 * parallel sequential scan there is a partial one, too, with as many workers:
 * each is a backend with batches of its own, and they share the device.
 *
 * A scan that computes expressions of the target list (output.h) is offered
 * without a WHERE clause, too.  It hands out a virtual slot: the columns that
 * the query needs, then those expressions.
 *
 * Left out are catalogs (updated in place, under a content lock alone),
 * tables of other access methods, TABLESAMPLE, the parents of partitions and
 * children, and scans with LATERAL parameters.  WHERE CURRENT OF needs a TID
 * scan.
 *
 * IDENTIFICATION
 *	  src/plan/scan_path.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "catalog/catalog.h"
#include "catalog/pg_class.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planmain.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "utils/rel.h"

#include "compat.h"
#include "guc.h"
#include "plan/cost.h"
#include "plan/debug_require.h"
#include "plan/output.h"
#include "plan/plan_private.h"
#include "plan/scan_path.h"
#include "service/client.h"

static Plan *gpustr_scan_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path,
							  List *tlist, List *clauses, List *custom_plans);

static const CustomPathMethods gpustr_scan_path_methods = {
	.CustomName = GPUSTR_SCAN_NAME,
	.PlanCustomPath = gpustr_scan_plan,
};

static set_rel_pathlist_hook_type previous_set_rel_pathlist = NULL;

/*
 * Put RestrictInfos into the order in which createplan.c will evaluate them.
 * Must give the order of order_qual_clauses() there: by security level, where
 * a cheap leakproof clause counts as level 0, then by cost; otherwise as they
 * stand.
 */
List *
gpustr_order_clauses(PlannerInfo *root, List *rinfos)
{
	typedef struct
	{
		RestrictInfo *rinfo;
		Cost		cost;
		Index		level;
	} Item;
	int			n = list_length(rinfos);
	Item	   *items;
	List	   *result = NIL;
	ListCell   *lc;
	int			i = 0;

	if (n < 2)
		return rinfos;
	items = palloc_array(Item, n);
	foreach(lc, rinfos)
	{
		Item		item;
		QualCost	cost;
		int			j;

		item.rinfo = lfirst_node(RestrictInfo, lc);
		cost_qual_eval_node(&cost, (Node *) item.rinfo, root);
		item.cost = cost.per_tuple;
		item.level = item.rinfo->security_level;
		if (item.rinfo->leakproof && item.cost < 10 * cpu_operator_cost)
			item.level = 0;
		for (j = i; j > 0; j--)
		{
			if (items[j - 1].level < item.level ||
				(items[j - 1].level == item.level && items[j - 1].cost <= item.cost))
				break;
			items[j] = items[j - 1];
		}
		items[j] = item;
		i++;
	}
	for (i = 0; i < n; i++)
		result = lappend(result, items[i].rinfo);
	return result;
}

/* Is it a scan that a GpuScan could do, whatever its clauses? */
static bool
may_scan(RelOptInfo *rel, RangeTblEntry *rte)
{
	return (rel->reloptkind == RELOPT_BASEREL || rel->reloptkind == RELOPT_OTHER_MEMBER_REL) &&
		rte->rtekind == RTE_RELATION && !rte->inh && rte->tablesample == NULL &&
		(rte->relkind == RELKIND_RELATION || rte->relkind == RELKIND_MATVIEW) &&
		rte->relid >= FirstNormalObjectId &&
		!IS_DUMMY_REL(rel) && bms_is_empty(rel->lateral_relids);
}

/*
 * The clauses to scan with, in order; pseudoconstant ones are left to the
 * Result node that createplan.c puts on top.  False if one of them has to be
 * a condition of another kind of scan.
 */
static bool
scan_clauses(PlannerInfo *root, RelOptInfo *rel, List **rinfos)
{
	List	   *used = NIL;
	ListCell   *lc;

	foreach(lc, rel->baserestrictinfo)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (IsA(rinfo->clause, CurrentOfExpr))
			return false;
		if (!rinfo->pseudoconstant)
			used = lappend(used, rinfo);
	}
	*rinfos = gpustr_order_clauses(root, used);
	return true;
}

static void
note_refusals(Relation table, const GpustrScanClauses *clauses, int noutputs)
{
	ListCell   *lc;

	if (clauses->clauses == NIL)
		gpustr_note_refusal("table \"%s\" has no WHERE clause of its own",
							RelationGetRelationName(table));
	if (list_length(clauses->outputs) < noutputs)
		gpustr_note_refusal("expressions of the target list make the program too large");
	foreach(lc, clauses->reasons)
		gpustr_note_refusal("a clause over table \"%s\" is not offloaded: %s",
							RelationGetRelationName(table), strVal(lfirst(lc)));
}

/* Is there a path that costs no more than this, and starts before a device does? */
static bool
has_path_within(RelOptInfo *rel, Cost cost)
{
	ListCell   *lc;

	foreach(lc, rel->pathlist)
	{
		Path	   *path = lfirst(lc);

		if (path->total_cost <= cost && path->startup_cost <= gpustr_device_startup_cost &&
			path->param_info == NULL && !gpustr_is_disabled(path))
			return true;
	}
	return false;
}

/*
 * Is there a path already that no GpuScan can beat?  That is seen before the
 * clauses are looked at, so that queries over small tables and by index are
 * planned as fast as ever; but not where somebody wants to know the reasons.
 */
static bool
cannot_win(PlannerInfo *root, RelOptInfo *rel)
{
	List	   *exprs;

	if (gpustr_debug_require != GPUSTR_REQUIRE_ALLOW || message_level_is_interesting(DEBUG1))
		return false;
	exprs = gpustr_searched_exprs(root, rel);

	/* nothing to compute: the start alone may be too much */
	if (exprs == NIL && has_path_within(rel, gpustr_device_startup_cost))
		return true;
	return has_path_within(rel, gpustr_cost_least(root, rel, exprs));
}

/* A path with this many workers; 0: a serial one.  fused: with a GpuJoin. */
static Path *
make_scan_path(PlannerInfo *root, RelOptInfo *rel, Relation table,
			   const GpustrScanClauses *clauses, List *rinfos, int workers, bool fused)
{
	CustomPath *path = makeNode(CustomPath);

	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.pathtarget = rel->reltarget;
	path->path.parallel_aware = workers > 0;
	path->path.parallel_safe = rel->consider_parallel;
	path->path.parallel_workers = workers;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION | CUSTOMPATH_SUPPORT_BACKWARD_SCAN;
	path->custom_private = list_make2(clauses->outputs, clauses->refused_outputs);
	path->methods = &gpustr_scan_path_methods;
	gpustr_cost_scan(&path->path, root, table, clauses, rinfos, fused);
	return &path->path;
}

static int
scan_workers(RelOptInfo *rel)
{
	if (!rel->consider_parallel)
		return 0;
	return compute_parallel_worker(rel, rel->pages, -1, max_parallel_workers_per_gather);
}

/*
 * Add the paths of a scan that computes these outputs.  gpustr.debug_require =
 * require leaves the planner no others; it makes Gather paths from partial ones
 * after our hook.  False if there is nothing that an engine could do.
 */
static bool
add_scan_paths(PlannerInfo *root, RelOptInfo *rel, Relation table, List *rinfos,
			   List *outputs, List *refused_outputs)
{
	GpustrScanClauses *clauses = gpustr_build_scan_program(table, rel->relid, rinfos, outputs);
	int			workers = scan_workers(rel);

	clauses->refused_outputs = refused_outputs;
	if (clauses->noffloaded == 0 && clauses->outputs == NIL)
	{
		note_refusals(table, clauses, list_length(outputs));
		return false;
	}

	if (gpustr_debug_require == GPUSTR_REQUIRE_REQUIRE)
	{
		rel->pathlist = NIL;
		rel->partial_pathlist = NIL;
	}
	add_path(rel, make_scan_path(root, rel, table, clauses, rinfos, 0, false));
	if (workers > 0)
		add_partial_path(rel, make_scan_path(root, rel, table, clauses, rinfos, workers, false));
	return true;
}

/*
 * A scan that computes all that it can; and, if some of that are texts, which are
 * computed where that is cheaper, one that does not compute those.  Where a GpuScan is
 * required, the former.
 */
static void
offer_scans(PlannerInfo *root, RelOptInfo *rel, Relation table,
			List *outputs, List *refused_outputs)
{
	List	   *own = gpustr_own_outputs(outputs);
	List	   *rinfos;

	if (!scan_clauses(root, rel, &rinfos) ||
		!add_scan_paths(root, rel, table, rinfos, outputs, refused_outputs))
		return;
	if (list_length(own) < list_length(outputs) && (own != NIL || rinfos != NIL) &&
		gpustr_debug_require != GPUSTR_REQUIRE_REQUIRE)
		(void) add_scan_paths(root, rel, table, rinfos, own, refused_outputs);
}

/* Is there a regular expression, or a search for many literals, in it? */
static bool
automaton_walker(Node *node, void *context)
{
	const GpustrFunction *function = NULL;

	if (node == NULL)
		return false;
	if (IsA(node, RestrictInfo))
		return automaton_walker((Node *) ((RestrictInfo *) node)->clause, context);
	if (IsA(node, OpExpr))
		function = gpustr_function(((OpExpr *) node)->opfuncid);
	else if (IsA(node, ScalarArrayOpExpr))
		function = gpustr_function(((ScalarArrayOpExpr *) node)->opfuncid);
	else if (IsA(node, FuncExpr))
		function = gpustr_function(((FuncExpr *) node)->funcid);
	if (function != NULL && (function->kind == GPUSTR_FUNCTION_REGEX ||
							 function->kind == GPUSTR_FUNCTION_CONTAINS_ANY))
		return true;
	return expression_tree_walker(node, automaton_walker, context);
}

/*
 * Is there nothing to run a scan on?  Without a device, the session's own engine is
 * considered where gpustr.engine leaves the choice, for what it does many times
 * faster than PostgreSQL, which is automata.
 */
static bool
has_no_engine(RelOptInfo *rel)
{
	if (gpustr_engine_choice() != GPUSTR_RUN_NOWHERE)
		return false;
	return gpustr_engine != GPUSTR_ENGINE_AUTO ||
		!automaton_walker((Node *) rel->baserestrictinfo, NULL);
}

static void
gpustr_set_rel_pathlist(PlannerInfo *root, RelOptInfo *rel, Index rti, RangeTblEntry *rte)
{
	Relation	table;
	List	   *outputs;
	List	   *refused_outputs;

	if (previous_set_rel_pathlist)
		previous_set_rel_pathlist(root, rel, rti, rte);
	if (!may_scan(rel, rte))
		return;
	if (!gpustr_enabled || !gpustr_enable_scan)
	{
		gpustr_note_refusal("it is disabled by \"%s\"",
							gpustr_enabled ? "gpustr.enable_scan" : "gpustr.enabled");
		return;
	}
	if (cannot_win(root, rel))
		return;
	outputs = gpustr_find_outputs(root, rel, &refused_outputs);
	if (has_no_engine(rel))
	{
		gpustr_note_refusal("%s, and \"gpustr.engine\" is not \"local\"",
							gpustr_nowhere_reason());
		return;
	}

	/* the planner has locked it */
	table = table_open(rte->relid, NoLock);
	if (table->rd_tableam != GetHeapamTableAmRoutine())
		gpustr_note_refusal("table \"%s\" is not a heap", RelationGetRelationName(table));
	else if (!IsCatalogRelation(table))
		offer_scans(root, rel, table, outputs, refused_outputs);
	table_close(table, NoLock);
}

/* Why can a GpuJoin not read the table, as far as is seen without its clauses? */
static const char *
fused_refusal(RelOptInfo *rel, Relation table)
{
	ListCell   *lc;

	if (table->rd_tableam != GetHeapamTableAmRoutine() || IsCatalogRelation(table))
		return "it is not a plain table";
	foreach(lc, rel->reltarget->exprs)
	{
		if (!IsA(lfirst(lc), Var) || ((Var *) lfirst(lc))->varattno <= 0)
			return "more than its columns is needed of it";
	}
	foreach(lc, rel->baserestrictinfo)
	{
		if (lfirst_node(RestrictInfo, lc)->pseudoconstant)
			return "it has a constant condition";
	}
	return NULL;
}

static GpustrFusedScan *
make_fused_scan(PlannerInfo *root, RelOptInfo *rel, Relation table, const char **reason)
{
	GpustrFusedScan *scan = palloc0(sizeof(GpustrFusedScan));
	int			workers = scan_workers(rel);
	GpustrScanClauses *clauses;
	List	   *rinfos;
	ListCell   *lc;

	if (!scan_clauses(root, rel, &rinfos))
	{
		*reason = "CURRENT OF is not supported";
		return NULL;
	}
	clauses = gpustr_build_scan_program(table, rel->relid, rinfos, NIL);
	foreach(lc, clauses->reasons)
	{
		const char *why = strVal(lfirst(lc));

		if (why[0] != '\0')
		{
			*reason = psprintf("a condition of it is not offloaded: %s", why);
			return NULL;
		}
	}
	scan->clauses = clauses;
	scan->table = RelationGetRelid(table);
	scan->serial = make_scan_path(root, rel, table, clauses, rinfos, 0, true);
	if (workers > 0)
		scan->partial = make_scan_path(root, rel, table, clauses, rinfos, workers, true);
	return scan;
}

GpustrFusedScan *
gpustr_fused_scan(PlannerInfo *root, RelOptInfo *rel, const char **reason)
{
	GpustrFusedScan *scan = NULL;
	RangeTblEntry *rte;
	Relation	table;

	if (rel->reloptkind != RELOPT_BASEREL && rel->reloptkind != RELOPT_OTHER_MEMBER_REL)
		*reason = "it is a join";
	else if (!gpustr_enable_scan)
		*reason = "\"gpustr.enable_scan\" is off";
	else if (rte = planner_rt_fetch(rel->relid, root), !may_scan(rel, rte))
		*reason = "it is not a plain table";
	else
	{
		table = table_open(rte->relid, NoLock);
		*reason = fused_refusal(rel, table);
		if (*reason == NULL)
			scan = make_fused_scan(root, rel, table, reason);
		table_close(table, NoLock);
	}
	return scan;
}

/*
 * The target list of the slot that a scan with outputs hands out: the columns
 * that the query or a clause needs, then the outputs.
 */
static List *
make_scan_tlist(RelOptInfo *rel, List *clauses, List *outputs)
{
	List	   *exprs = list_concat(pull_var_clause((Node *) rel->reltarget->exprs,
													PVC_RECURSE_PLACEHOLDERS),
									pull_var_clause((Node *) clauses,
													PVC_RECURSE_PLACEHOLDERS));
	List	   *tlist = NIL;
	ListCell   *lc;

	exprs = list_concat_unique(list_concat_unique(NIL, exprs), outputs);
	foreach(lc, exprs)
		tlist = lappend(tlist, makeTargetEntry(copyObject(lfirst(lc)), list_length(tlist) + 1,
											   NULL, false));
	return tlist;
}

/*
 * Make the plan.  The clauses come in order, as RestrictInfos; the program is
 * built anew from just these.
 */
static Plan *
gpustr_scan_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path,
				 List *tlist, List *clauses, List *custom_plans)
{
	CustomScan *plan = makeNode(CustomScan);
	RangeTblEntry *rte = planner_rt_fetch(rel->relid, root);
	Relation	table = table_open(rte->relid, NoLock);
	List	   *rinfos = NIL;
	GpustrScanClauses *packed;
	ListCell   *lc;

	foreach(lc, clauses)
	{
		if (!lfirst_node(RestrictInfo, lc)->pseudoconstant)
			rinfos = lappend(rinfos, lfirst(lc));
	}
	plan->scan.plan.targetlist = tlist;
	plan->scan.scanrelid = rel->relid;
	plan->flags = path->flags;
	plan->methods = &gpustr_scan_plan_methods;
	packed = gpustr_build_scan_program(table, rel->relid, rinfos,
									   linitial(path->custom_private));
	packed->refused_outputs = gpustr_describe_refused(root, rel, lsecond(path->custom_private));
	gpustr_plan_pack(plan, packed);
	if (packed->outputs != NIL)
		plan->custom_scan_tlist = make_scan_tlist(rel, packed->clauses, packed->outputs);
	table_close(table, NoLock);
	return &plan->scan.plan;
}

void
gpustr_scan_init(void)
{
	RegisterCustomScanMethods(&gpustr_scan_plan_methods);
	previous_set_rel_pathlist = set_rel_pathlist_hook;
	set_rel_pathlist_hook = gpustr_set_rel_pathlist;
	gpustr_debug_require_init();
}
