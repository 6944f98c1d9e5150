/*-------------------------------------------------------------------------
 *
 * join_cost.c
 *	  What a GpuJoin costs.
 *
 *	startup		gpustr.device_startup_cost
 *				+ startup of the outer side
 *				+ for each inner side: its total
 *				+ its rows x (gpustr.table_row_cost + cost of the keys)
 *	+ outer		what its scan costs; if it is fused,
 *				+ tuples x columns that are read x gpustr.device_row_cost; else
 *				+ rows x (cpu_tuple_cost + cost of the keys of the first step)
 *	+ each step	rows that come to it x gpustr.probe_row_cost
 *	+ pairs		of which PostgreSQL evaluates the filter
 *				x (gpustr.recheck_cost + cost of the filter)
 *	+ results	x cpu_tuple_cost
 *	+ rows		x (cost of the WHERE clauses above it + of the target list)
 *	+ passes	if the tables do not fit, outer rows are kept and read again:
 *				rows x cpu_tuple_cost, and their pages x seq_page_cost, for each
 *
 * The participants of a parallel join divide what they do themselves, as in a scan
 * (cost.c); the device's part is not divided.  An inner side that one of them
 * executes is not, either.
 *
 * IDENTIFICATION
 *	  src/plan/join_cost.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/spccache.h"

#include "compat.h"
#include "guc.h"
#include "plan/cost.h"
#include "plan/join_path.h"
#include "plan/join_sides.h"
#include "service/client.h"

/* Bytes of a row of a table beside its columns: its slots at half load, and its number. */
#define TABLE_ROW_BYTES 24

/* A join's cost as it is added up. */
typedef struct JoinCost
{
	Cost		startup;
	Cost		own;			/* of this participant */
	Cost		shared;			/* of the device */
	double		divisor;		/* participants */
	int			place;			/* where the tables are */
	bool		local_engine;
} JoinCost;

/* How many pairs does a row of either side make by these clauses? */
static double
selectivity(PlannerInfo *root, List *rinfos, Relids outer, Relids inner)
{
	SpecialJoinInfo sjinfo = {.type = T_SpecialJoinInfo};
	double		result = 1;
	ListCell   *lc;

	sjinfo.min_lefthand = sjinfo.syn_lefthand = outer;
	sjinfo.min_righthand = sjinfo.syn_righthand = inner;
	sjinfo.jointype = JOIN_INNER;
	foreach(lc, rinfos)
		result *= clause_selectivity(root, lfirst(lc), 0, JOIN_INNER, &sjinfo);
	return result;
}

static Cost
per_tuple(PlannerInfo *root, List *exprs)
{
	QualCost	cost;

	cost_qual_eval(&cost, exprs, root);
	return cost.per_tuple;
}

/* Inner side of step i: its plan, and to bring its rows to the engine. */
static void
add_inner(JoinCost *cost, PlannerInfo *root, const GpustrJoinPath *path, int i)
{
	const Path *inner = list_nth(path->custom.custom_paths, i + 1);

	cost->startup += inner->total_cost +
		inner->rows * (gpustr_table_row_cost + per_tuple(root, path->step[i].inner_keys));
}

/* The engine does something for so many rows of this participant. */
static void
add_engine(JoinCost *cost, double rows, Cost row_cost)
{
	if (cost->local_engine)
		cost->own += rows * row_cost * GPUSTR_LOCAL_ROW_COST_FACTOR;
	else
		cost->shared += rows * cost->divisor * row_cost;
}

static void
add_outer(JoinCost *cost, PlannerInfo *root, const GpustrJoinPath *path)
{
	const Path *outer = linitial(path->custom.custom_paths);

	/* its scan counts the start of the device, too */
	cost->startup += outer->startup_cost - (path->fused ? gpustr_device_startup_cost : 0);
	cost->own += outer->total_cost - outer->startup_cost;
	if (path->fused != NULL)
		add_engine(cost, outer->parent->tuples / cost->divisor,
				   list_length(outer->pathtarget->exprs) * gpustr_device_row_cost);
	else
		cost->own += outer->rows * (cpu_tuple_cost + per_tuple(root, path->step[0].outer_keys));
}

/* Step i, for so many rows; returns the pairs that come of it. */
static double
add_step(JoinCost *cost, PlannerInfo *root, const GpustrJoinPath *path, int i, double rows,
		 Relids outer_relids)
{
	const GpustrJoinStep *step = &path->step[i];
	const Path *inner = list_nth(path->custom.custom_paths, i + 1);
	double		inner_rows = inner->rows *
	(path->join.inner_partial[i] ? gpustr_participants(inner->parallel_workers) : 1);
	double		pairs = rows * inner_rows *
	selectivity(root, path->key_rinfos[i], outer_relids, inner->parent->relids);

	add_engine(cost, rows, gpustr_probe_row_cost);
	if (list_member_int(step->offloaded, 0))
		cost->own += pairs * (gpustr_recheck_cost + per_tuple(root, step->filter));
	else
		pairs *= selectivity(root, path->filter_rinfos[i], outer_relids, inner->parent->relids);
	return clamp_row_est(pairs);
}

/* How many rows come back from the engine, of the last step's pairs? */
static double
result_rows(const GpustrJoinPath *path, double pairs)
{
	const Path *outer = linitial(path->custom.custom_paths);

	switch (gpustr_probe_kind(&path->join, path->join.nsteps - 1))
	{
		case GPUSTR_PROBE_MARK:
			return pairs + outer->rows;
		case GPUSTR_PROBE_INNER:
			return pairs;
		default:
			return path->custom.path.rows;
	}
}

/* If the tables are larger than the limit: the outer side is kept, and read again. */
static void
add_passes(JoinCost *cost, const GpustrJoinPath *path)
{
	const Path *outer = linitial(path->custom.custom_paths);
	double		limit = gpustr_place_table_limit(cost->place);
	double		bytes = 0;
	double		passes;
	int			i;

	for (i = 0; i < path->join.nsteps; i++)
	{
		const Path *inner = list_nth(path->custom.custom_paths, i + 1);

		bytes += inner->rows * (TABLE_ROW_BYTES + inner->pathtarget->width) *
			(path->join.inner_partial[i] ? gpustr_participants(inner->parallel_workers) : 1);
	}
	if (bytes <= limit)
		return;
	passes = ceil(bytes / Max(limit, 1.0));
	cost->own += (1 + passes) * outer->rows *
		(cpu_tuple_cost + outer->pathtarget->width * seq_page_cost / BLCKSZ);
}

void
gpustr_cost_join(PlannerInfo *root, GpustrJoinPath *path)
{
	Path	   *p = &path->custom.path;
	const Path *outer = linitial(path->custom.custom_paths);
	JoinCost	cost = {gpustr_device_startup_cost};
	Relids		relids = bms_copy(outer->parent->relids);
	double		rows = outer->rows;
	QualCost	qual_cost;
	int			i;

	cost.divisor = gpustr_participants(p->parallel_workers);
	cost.place = gpustr_choose_place();
	cost.local_engine = cost.place < 0;
	p->rows = p->parent->rows;
	if (p->parallel_workers > 0)
		p->rows = clamp_row_est(p->rows / cost.divisor);
	add_outer(&cost, root, path);
	for (i = 0; i < path->join.nsteps; i++)
	{
		const Path *inner = list_nth(path->custom.custom_paths, i + 1);

		add_inner(&cost, root, path, i);
		rows = add_step(&cost, root, path, i, rows, relids);
		relids = bms_add_members(relids, inner->parent->relids);
	}
	add_passes(&cost, path);
	cost_qual_eval(&qual_cost, path->qual, root);
	cost.own += result_rows(path, rows) * cpu_tuple_cost +
		p->rows * (qual_cost.per_tuple + p->pathtarget->cost.per_tuple);
	p->startup_cost = cost.startup + qual_cost.startup + p->pathtarget->cost.startup;
	p->total_cost = p->startup_cost + cost.own + cost.shared;
}

/* What the outer side costs at least: a path of it, or the pages of its table. */
static Cost
least_outer(RelOptInfo *rel, double divisor)
{
	Cost		least = rel->cheapest_total_path->total_cost / divisor;
	ListCell   *lc;

	if (rel->reloptkind == RELOPT_BASEREL || rel->reloptkind == RELOPT_OTHER_MEMBER_REL)
	{
		double		seq_page;

		get_tablespace_page_costs(rel->reltablespace, NULL, &seq_page);
		return Min(least, rel->pages * seq_page);
	}

	/* a GpuJoin that gets one more step hands out no rows */
	foreach(lc, rel->pathlist)
	{
		const Path *path = lfirst(lc);

		if (gpustr_is_join_path(path))
			least = Min(least, (path->total_cost - path->rows * cpu_tuple_cost) / divisor);
	}
	return least;
}

Cost
gpustr_join_cost_least(RelOptInfo *joinrel, RelOptInfo *outerrel, RelOptInfo *innerrel,
					   int workers)
{
	const Path *inner = innerrel->cheapest_total_path;
	double		divisor = gpustr_participants(workers);

	return gpustr_device_startup_cost + least_outer(outerrel, divisor) +
		(inner->total_cost + inner->rows * gpustr_table_row_cost +
		 joinrel->rows * cpu_tuple_cost) / divisor;
}
