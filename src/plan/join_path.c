/*-------------------------------------------------------------------------
 *
 * join_path.c
 *	  Offer GpuJoin to the planner.
 *
 * A GpuJoin is one more path for a join that has a hashable equality, beside
 * PostgreSQL's, and has to win on cost.  It is offered where hash_inner_and_outer()
 * (joinpath.c) would consider a hash join, of
 *
 *	- the outer side's cheapest path, or the table itself as page batches ("fused");
 *	- where the outer side is an inner join that is a GpuJoin, that with one more
 *	  step, so that what it finds stays with the engine;
 *	- and each of these as a partial path.
 *
 * Left out are queries with row marks and those that update or delete (EvalPlanQual
 * would have to run the join for a row), LATERAL and parameterised joins.
 *
 * Where gpustr.debug_require is not "allow" or "forbid", relations that can be joined so are
 * left no other path.
 *
 * IDENTIFICATION
 *	  src/plan/join_path.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "optimizer/cost.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"

#include "compat.h"
#include "guc.h"
#include "plan/debug_require.h"
#include "plan/join_path.h"
#include "plan/join_sides.h"
#include "plan/output.h"
#include "service/client.h"

static Plan *gpustr_join_make_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *best,
								   List *tlist, List *clauses, List *custom_plans);

static const CustomPathMethods gpustr_join_path_methods = {
	.CustomName = GPUSTR_JOIN_NAME,
	.PlanCustomPath = gpustr_join_make_plan,
};

static set_join_pathlist_hook_type previous_set_join_pathlist = NULL;

/* What is offered for one pair of relations. */
typedef struct JoinOffer
{
	PlannerInfo *root;
	RelOptInfo *joinrel;
	RelOptInfo *outerrel;
	RelOptInfo *innerrel;
	JoinType	jointype;		/* that the executor is to do */
	List	   *restrictlist;	/* all clauses of the join */
	GpustrJoinClauses *clauses;
	GpustrFusedScan *fused;		/* of the outer side; or NULL */
	List	   *refused;		/* String list: why not */
} JoinOffer;

/* The paths that one join starts from. */
typedef struct JoinInput
{
	Path	   *outer;
	const GpustrFusedScan *fused;	/* outer is its scan */
	const GpustrJoinPath *below;	/* outer is this, to get one more step */
	Path	   *inner;
	bool		partial;
	bool		inner_partial;
} JoinInput;

bool
gpustr_is_join_path(const Path *path)
{
	return IsA(path, CustomPath) && ((const CustomPath *) path)->methods == &gpustr_join_path_methods;
}

static bool
is_required(void)
{
	return gpustr_debug_require == GPUSTR_REQUIRE_REQUIRE ||
		gpustr_debug_require == GPUSTR_REQUIRE_JOIN;
}

/* A path without steps. */
static GpustrJoinPath *
begin_path(const JoinOffer *offer, const JoinInput *input)
{
	GpustrJoinPath *path = palloc0(sizeof(GpustrJoinPath));
	Path	   *p = &path->custom.path;

	NodeSetTag(path, T_CustomPath);
	p->pathtype = T_CustomScan;
	p->parent = offer->joinrel;
	p->pathtarget = offer->joinrel->reltarget;
	p->parallel_aware = input->partial;
	p->parallel_safe = offer->joinrel->consider_parallel && input->outer->parallel_safe &&
		input->inner->parallel_safe;
	p->parallel_workers = input->partial ? input->outer->parallel_workers : 0;
	path->custom.flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom.methods = &gpustr_join_path_methods;
	gpustr_add_disabled(p, input->outer);
	gpustr_add_disabled(p, input->inner);
	path->join.step = path->step;
	path->fused = input->fused;
	if (input->below != NULL)
	{
		const GpustrJoinPath *below = input->below;

		gpustr_add_join_clauses(&path->custom, gpustr_join_clauses_of(&below->custom));
		path->custom.custom_paths = list_copy(below->custom.custom_paths);
		path->join = below->join;
		path->join.step = path->step;
		path->join.ncolumns = 0;
		path->join.column = NULL;
		memcpy(path->step, below->step, sizeof(path->step));
		memcpy(path->key_rinfos, below->key_rinfos, sizeof(path->key_rinfos));
		memcpy(path->filter_rinfos, below->filter_rinfos, sizeof(path->filter_rinfos));
		path->fused = below->fused;
	}
	else
		path->custom.custom_paths = list_make1(input->outer);
	return path;
}

/* A path that is not known to fit. */
static GpustrJoinPath *
make_join_path(const JoinOffer *offer, const JoinInput *input)
{
	GpustrJoinPath *path = begin_path(offer, input);
	int			n = path->join.nsteps++;

	path->custom.custom_paths = lappend(path->custom.custom_paths, input->inner);
	gpustr_add_join_clauses(&path->custom, offer->restrictlist);
	path->step[n] = offer->clauses->step;
	path->step[n].jointype = offer->jointype;
	path->key_rinfos[n] = offer->clauses->key_rinfos;
	path->filter_rinfos[n] = offer->clauses->filter_rinfos;
	path->join.inner_rows[n] = input->inner->rows;
	path->join.inner_partial[n] = input->inner_partial;
	path->join.fused = path->fused != NULL;
	path->join.refused = list_concat_copy(path->join.refused, offer->refused);
	path->qual = offer->clauses->qual;
	return path;
}

/* Would PostgreSQL keep it? */
static bool
is_promising(const JoinOffer *offer, const Path *path, bool partial)
{
	if (partial)
		return gpustr_add_partial_path_precheck(offer->joinrel, path);
	return gpustr_add_path_precheck(offer->joinrel, path);
}

static void
offer_join(const JoinOffer *offer, const JoinInput *input)
{
	GpustrJoinPath *path = make_join_path(offer, input);
	const char *reason;

	gpustr_cost_join(offer->root, path);
	if (!is_promising(offer, &path->custom.path, input->partial))
		return;
	reason = gpustr_join_fit(path);
	if (reason != NULL)
	{
		gpustr_note_refusal("a join is not offloaded: %s", reason);
		return;
	}
	/* something may have been left to PostgreSQL */
	gpustr_cost_join(offer->root, path);
	if (input->partial)
		add_partial_path(offer->joinrel, &path->custom.path);
	else
		add_path(offer->joinrel, &path->custom.path);
}

/* May the step of this offer come after others in one node? */
static bool
may_come_after(const JoinOffer *offer)
{
	const GpustrJoinStep *step = &offer->clauses->step;
	ListCell   *key;
	ListCell   *kind;

	if (offer->jointype != JOIN_INNER)
		return false;

	/*
	 * keys that might be recheck can only be looked up from the rows of a
	 * batch
	 */
	forboth(key, step->outer_keys, kind, step->key_kinds)
	{
		Expr	   *translated = (Expr *) gpustr_join_translate(lfirst(key),
																offer->outerrel->reltarget->exprs);

		if (gpustr_plain_key(translated) == NULL || gpustr_key_may_fail(lfirst_int(kind)))
			return false;
	}
	return true;
}

/* May a path get one more step? */
static bool
may_be_below(const Path *path)
{
	const GpustrJoinPath *join = (const GpustrJoinPath *) path;
	int			i;

	if (!gpustr_is_join_path(path) || join->join.nsteps == GPUSTR_MAX_PROBES)
		return false;
	for (i = 0; i < join->join.nsteps; i++)
	{
		if (join->step[i].jointype != JOIN_INNER)
			return false;
	}
	return true;
}

/* Offer the join of these paths, and what else can stand in the place of the outer one. */
static void
offer_joins(JoinOffer *offer, JoinInput input, List *outer_paths)
{
	ListCell   *lc;

	offer_join(offer, &input);
	if (offer->fused != NULL)
	{
		input.outer = input.partial ? offer->fused->partial : offer->fused->serial;
		input.fused = offer->fused;
		if (input.outer != NULL)
			offer_join(offer, &input);
		input.fused = NULL;
	}
	if (!may_come_after(offer))
		return;
	foreach(lc, outer_paths)
	{
		Path	   *path = lfirst(lc);

		if (path->param_info != NULL || !may_be_below(path))
			continue;
		input.outer = path;
		input.below = (GpustrJoinPath *) path;
		offer_join(offer, &input);
		break;
	}
}

static void
offer_serial(JoinOffer *offer, Path *outer, Path *inner)
{
	JoinInput	input = {.outer = outer,.inner = inner};

	offer_joins(offer, input,
				outer == offer->outerrel->cheapest_total_path ? offer->outerrel->pathlist : NIL);
}

/* unique_inner: the inner path that is to be used, or NULL. */
static void
offer_partial(JoinOffer *offer, Path *unique_inner)
{
	JoinInput	input = {.partial = true};
	Path	   *inner = offer->innerrel->cheapest_total_path;

	if (offer->outerrel->partial_pathlist == NIL)
		return;
	input.outer = linitial(offer->outerrel->partial_pathlist);
	if (unique_inner != NULL)
		input.inner = unique_inner->parallel_safe ? unique_inner : NULL;
	else if (offer->innerrel->partial_pathlist != NIL)
	{
		input.inner = linitial(offer->innerrel->partial_pathlist);
		input.inner_partial = true;
	}
	else
		input.inner = inner->parallel_safe ? inner :
			get_cheapest_parallel_safe_total_inner(offer->innerrel->pathlist);
	if (input.inner != NULL)
		offer_joins(offer, input, offer->outerrel->partial_pathlist);
}

/*
 * Is there a path already that no GpuJoin can beat?  As for scans, that is seen before
 * anything else is looked at.
 */
static bool
cannot_win(RelOptInfo *joinrel, RelOptInfo *outerrel, RelOptInfo *innerrel)
{
	Cost		least;
	bool		beaten = false;
	ListCell   *lc;

	if (gpustr_debug_require != GPUSTR_REQUIRE_ALLOW || message_level_is_interesting(DEBUG1))
		return false;
	least = gpustr_join_cost_least(joinrel, outerrel, innerrel, 0);
	foreach(lc, joinrel->pathlist)
	{
		Path	   *path = lfirst(lc);

		beaten |= path->param_info == NULL && !gpustr_is_disabled(path) &&
			path->total_cost <= least && path->startup_cost <= gpustr_device_startup_cost;
	}
	if (!beaten || !joinrel->consider_parallel || outerrel->partial_pathlist == NIL)
		return beaten;
	least = gpustr_join_cost_least(joinrel, outerrel, innerrel, max_parallel_workers_per_gather);
	foreach(lc, joinrel->partial_pathlist)
	{
		Path	   *path = lfirst(lc);

		if (!gpustr_is_disabled(path) && path->total_cost <= least)
			return true;
	}
	return false;
}

/*
 * Does a GpuJoin do this kind?  Those that later majors have beside these (JOIN_RIGHT_ANTI,
 * JOIN_RIGHT_SEMI) are others of these with the sides exchanged, which are offered, too.
 */
static bool
is_join_type_known(JoinType jointype)
{
	switch (jointype)
	{
		case JOIN_INNER:
		case JOIN_LEFT:
		case JOIN_FULL:
		case JOIN_RIGHT:
		case JOIN_SEMI:
		case JOIN_ANTI:
		case JOIN_UNIQUE_OUTER:
		case JOIN_UNIQUE_INNER:
			return true;
		default:
			return false;
	}
}

/* Why is no GpuJoin considered, whatever the clauses of the join?  NULL: it is. */
static const char *
join_refusal(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outerrel, RelOptInfo *innerrel)
{
	if (!gpustr_query_only_reads(root))
		return "the query locks or changes rows";
	if (!bms_is_empty(joinrel->lateral_relids) ||
		outerrel->cheapest_total_path->param_info != NULL ||
		innerrel->cheapest_total_path->param_info != NULL)
		return "it is LATERAL";
	if (gpustr_engine_choice() == GPUSTR_RUN_NOWHERE)
		return psprintf("%s, and \"gpustr.engine\" is not \"local\"", gpustr_nowhere_reason());
	return NULL;
}

/* May the fused scan's program compute the first step's keys? */
static const char *
fused_key_refusal(const JoinOffer *offer)
{
	ListCell   *lc;

	foreach(lc, offer->clauses->step.outer_keys)
	{
		const char *reason = gpustr_join_expr_refusal(lfirst(lc), offer->outerrel->reltarget->exprs);

		if (reason != NULL)
			return psprintf("a key is not computed by the engine: %s", reason);
	}
	return NULL;
}

/* See whether the outer side's table can be read by the engine itself. */
static void
find_fused(JoinOffer *offer)
{
	const char *reason = fused_key_refusal(offer);

	if (offer->outerrel->reloptkind != RELOPT_BASEREL &&
		offer->outerrel->reloptkind != RELOPT_OTHER_MEMBER_REL)
		return;
	if (reason == NULL)
		offer->fused = gpustr_fused_scan(offer->root, offer->outerrel, &reason);
	if (offer->fused == NULL)
		offer->refused = list_make1(makeString(psprintf("the scan of the outer side: %s", reason)));
}

/* Offer all joins of a pair of relations; 'jointype' is what PostgreSQL calls it. */
static void
offer_all(JoinOffer *offer, JoinType jointype, SpecialJoinInfo * sjinfo)
{
	Path	   *outer = offer->outerrel->cheapest_total_path;
	Path	   *inner = offer->innerrel->cheapest_total_path;
	Path	   *unique_inner = NULL;

	offer->jointype = jointype;
	if (jointype == JOIN_UNIQUE_OUTER)
	{
		offer->jointype = JOIN_INNER;
		outer = (Path *) create_unique_path(offer->root, offer->outerrel, outer, sjinfo);
	}
	else
		find_fused(offer);
	if (jointype == JOIN_UNIQUE_INNER)
	{
		offer->jointype = JOIN_INNER;
		unique_inner = (Path *) create_unique_path(offer->root, offer->innerrel, inner, sjinfo);
		inner = unique_inner;
	}
	if (outer == NULL || inner == NULL)
		return;
	offer_serial(offer, outer, inner);
	if (offer->joinrel->consider_parallel && jointype != JOIN_UNIQUE_OUTER &&
		jointype != JOIN_RIGHT && jointype != JOIN_FULL)
		offer_partial(offer, unique_inner);
}

/* Copies of paths of ours. */
static List *
copy_paths(List *paths)
{
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, paths)
	{
		GpustrJoinPath *copy = palloc(sizeof(GpustrJoinPath));

		memcpy(copy, lfirst(lc), sizeof(GpustrJoinPath));
		copy->join.step = copy->step;
		result = lappend(result, copy);
	}
	return result;
}

/*
 * Offer all joins, and leave the relation no other paths if it has one of ours.  It
 * comes here once for each pair that it can be made of, and in between PostgreSQL adds
 * paths that displace ours, and frees them; so copies are kept where a foreign
 * data wrapper would keep what is its own.
 */
static void
require_all(JoinOffer *offer, JoinType jointype, SpecialJoinInfo * sjinfo)
{
	RelOptInfo *rel = offer->joinrel;
	List	   *others = rel->pathlist;
	List	   *partial_others = rel->partial_pathlist;
	List	   *kept = rel->fdw_private;

	if (rel->fdwroutine != NULL)
		return;
	rel->pathlist = kept ? copy_paths(linitial(kept)) : NIL;
	rel->partial_pathlist = kept ? copy_paths(lsecond(kept)) : NIL;
	if (offer->clauses != NULL)
		offer_all(offer, jointype, sjinfo);
	if (rel->pathlist == NIL)
	{
		rel->pathlist = others;
		rel->partial_pathlist = partial_others;
	}
	else
		rel->fdw_private = list_make2(copy_paths(rel->pathlist), copy_paths(rel->partial_pathlist));
}

static void
gpustr_set_join_pathlist(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outerrel,
						 RelOptInfo *innerrel, JoinType jointype, JoinPathExtraData * extra)
{
	JoinOffer	offer = {root, joinrel, outerrel, innerrel,.restrictlist = extra->restrictlist};
	bool		known = is_join_type_known(jointype);
	const char *reason;

	if (previous_set_join_pathlist)
		previous_set_join_pathlist(root, joinrel, outerrel, innerrel, jointype, extra);
	if (!gpustr_enabled || !gpustr_enable_join)
	{
		if (gpustr_debug_require == GPUSTR_REQUIRE_JOIN)
			gpustr_note_refusal("joins are disabled by \"%s\"",
								gpustr_enabled ? "gpustr.enable_join" : "gpustr.enabled");
		return;
	}
	if (cannot_win(joinrel, outerrel, innerrel))
		return;
	reason = join_refusal(root, joinrel, outerrel, innerrel);
	if (reason == NULL && known)
	{
		offer.clauses = gpustr_join_clauses(root, joinrel, outerrel, innerrel, jointype,
											extra->restrictlist);
		reason = offer.clauses->refusal;
	}
	if (reason != NULL)
	{
		gpustr_note_refusal("a join is not offloaded: %s", reason);
		offer.clauses = NULL;
	}
	if (is_required())
		require_all(&offer, jointype, extra->sjinfo);
	else if (offer.clauses != NULL)
		offer_all(&offer, jointype, extra->sjinfo);
}

static Plan *
gpustr_join_make_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *best, List *tlist,
					  List *clauses, List *custom_plans)
{
	const GpustrJoinPath *path = (const GpustrJoinPath *) best;
	CustomScan *plan = gpustr_join_bare_plan(path);

	plan->scan.plan.targetlist = tlist;
	plan->flags = best->flags;
	plan->methods = &gpustr_join_plan_methods;
	plan->custom_plans = custom_plans;
	return &plan->scan.plan;
}

void
gpustr_join_init(void)
{
	RegisterCustomScanMethods(&gpustr_join_plan_methods);
	previous_set_join_pathlist = set_join_pathlist_hook;
	set_join_pathlist_hook = gpustr_set_join_pathlist;
}
