/*-------------------------------------------------------------------------
 *
 * join_slot.c
 *	  Which columns the slot of a GpuJoin has, and whether its programs fit.
 *
 * A column of the slot is an expression of one side's target list: a Var, or what a
 * PlaceHolderVar stands for, or a whole row; the side's own plan computes it.  There
 * are those that come back with the results, since the target list, a WHERE clause
 * above an outer join or a filter needs them (a filter may have to be evaluated by
 * PostgreSQL), and those that only keys need.
 *
 * IDENTIFICATION
 *	  src/plan/join_slot.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/table.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "plan/join_path.h"
#include "plan/join_sides.h"

/* So many registers of columns in all spaces, and steps of the scan's clauses, surely fit. */
#define FITTING_COLUMNS 40
#define FITTING_STEPS 16

/* All expressions of all sides' target lists, in order. */
static List *
side_exprs(const GpustrJoinPath *path)
{
	List	   *all = NIL;
	ListCell   *lc;

	foreach(lc, path->custom.custom_paths)
		all = list_concat(all, list_copy(((Path *) lfirst(lc))->pathtarget->exprs));
	return all;
}

/* Those of them that the join needs.  False: it needs others. */
static bool
find_needed(const GpustrJoinPath *path, List *all, Bitmapset * *results, Bitmapset * *keys)
{
	int			i;

	if (!gpustr_join_needs((Node *) path->custom.path.parent->reltarget->exprs, all, results) ||
		!gpustr_join_needs((Node *) path->qual, all, results))
		return false;
	for (i = 0; i < path->join.nsteps; i++)
	{
		if (!gpustr_join_needs((Node *) path->step[i].filter, all, results) ||
			!gpustr_join_needs((Node *) path->step[i].outer_keys, all, keys) ||
			!gpustr_join_needs((Node *) path->step[i].inner_keys, all, keys))
			return false;
	}
	return true;
}

/* A side's column as what is above the join writes it, if that is the target list or a WHERE clause. */
static Node *
column_above(const GpustrJoinPath *path, Node *column)
{
	Node	   *above = gpustr_join_column_in(column, (Node *) path->custom.path.parent->reltarget->exprs);

	if (above == NULL)
		above = gpustr_join_column_in(column, (Node *) path->qual);
	return above ? above : column;
}

/* Number the columns.  False: the join needs some that no side has. */
static bool
number_columns(GpustrJoinPath *path)
{
	List	   *all = side_exprs(path);
	Bitmapset  *results = NULL;
	Bitmapset  *keys = NULL;
	int			at = 0;
	int			side = 0;
	ListCell   *lc;

	if (!find_needed(path, all, &results, &keys))
		return false;
	path->join.column = palloc(sizeof(GpustrJoinColumn) * Max(list_length(all), 1));
	foreach(lc, path->custom.custom_paths)
	{
		int			resno = 0;
		ListCell   *lc2;

		foreach(lc2, ((Path *) lfirst(lc))->pathtarget->exprs)
		{
			GpustrJoinColumn column = {side, ++resno, bms_is_member(at, results)};

			if (column.is_result || bms_is_member(at, keys))
			{
				path->join.column[path->join.ncolumns++] = column;
				path->columns = lappend(path->columns, column_above(path, lfirst(lc2)));
			}
			at++;
		}
		side++;
	}
	return true;
}

/* Keys of a side that are columns of their own; step: -1 for the outer side. */
static int
extra_keys(const GpustrJoinPath *path, int step)
{
	const GpustrJoinStep *s = &path->step[Max(step, 0)];
	int			n = 0;
	ListCell   *lc;

	foreach(lc, step < 0 ? s->outer_keys : s->inner_keys)
		n += gpustr_plain_key((Expr *) gpustr_join_translate(lfirst(lc), path->columns)) == NULL;
	return n;
}

/* Are there more columns than a table, or the results, may have? */
static const char *
columns_refusal(const GpustrJoinPath *path)
{
	int			nresults = 0;
	int			n[GPUSTR_MAX_PROBES + 1] = {0};
	int			i;
	ListCell   *lc;

	foreach(lc, path->columns)
	{
		const GpustrJoinColumn *column = &path->join.column[foreach_current_index(lc)];

		if (get_typlen(exprType(lfirst(lc))) == -2)
			return "values of type cstring are not supported";
		n[column->side]++;
		nresults += column->is_result;
	}
	for (i = 0; i <= path->join.nsteps; i++)
	{
		if (n[i] + extra_keys(path, i - 1) > GPUSTR_MAX_TABLE_COLUMNS)
			return psprintf("it needs more than %d columns of one side", GPUSTR_MAX_TABLE_COLUMNS);
	}
	if (nresults > GPUSTR_MAX_RESULT_COLUMNS)
		return psprintf("it has more than %d columns", GPUSTR_MAX_RESULT_COLUMNS);
	return NULL;
}

CustomScan *
gpustr_join_bare_plan(const GpustrJoinPath *path)
{
	CustomScan *plan = makeNode(CustomScan);
	ListCell   *lc;

	foreach(lc, path->columns)
		plan->custom_scan_tlist = lappend(plan->custom_scan_tlist,
										  makeTargetEntry(copyObject(lfirst(lc)),
														  foreach_current_index(lc) + 1, NULL, false));
	gpustr_join_pack(plan, &path->join);
	plan->custom_exprs = (List *) gpustr_join_unify((Node *) plan->custom_exprs, path->columns);
	plan->scan.plan.qual = (List *) gpustr_join_unify((Node *) path->qual, path->columns);
	return plan;
}

/* As the finished plan will be, as far as programs look at it. */
static CustomScan *
finished_plan(const GpustrJoinPath *path)
{
	CustomScan *plan = gpustr_join_bare_plan(path);
	Plan	   *outer = (Plan *) makeNode(SeqScan);
	ListCell   *lc;

	foreach(lc, plan->custom_exprs)
		lfirst(lc) = gpustr_join_translate(lfirst(lc), path->columns);
	foreach(lc, ((Path *) linitial(path->custom.custom_paths))->pathtarget->exprs)
		outer->targetlist = lappend(outer->targetlist,
									makeTargetEntry(lfirst(lc), foreach_current_index(lc) + 1,
													NULL, false));
	plan->custom_plans = list_make1(outer);
	return plan;
}

/* Do the programs fit? */
static bool
programs_fit(const GpustrJoinPath *path)
{
	CustomScan *plan = finished_plan(path);
	const GpustrJoinPlan *join = gpustr_join_unpack(plan);
	bool		fit = gpustr_join_column_program_fits(plan, join);

	if (fit && path->fused != NULL)
	{
		Relation	table = table_open(path->fused->table, NoLock);

		fit = gpustr_join_page_program_fits(plan, join, table, path->fused->clauses);
		table_close(table, NoLock);
	}
	return fit;
}

/* Leave a step's filter to PostgreSQL.  False: it was already. */
static bool
keep_filter(GpustrJoinStep *step)
{
	bool		any = false;
	List	   *offloaded = NIL;
	List	   *reasons = NIL;
	ListCell   *flag;
	ListCell   *reason;

	forboth(flag, step->offloaded, reason, step->reasons)
	{
		any |= lfirst_int(flag) != 0;
		offloaded = lappend_int(offloaded, 0);
		reasons = lappend(reasons, lfirst_int(flag) ? makeString("the program would be too large") :
						  lfirst(reason));
	}
	step->offloaded = offloaded;
	step->reasons = reasons;
	return any;
}

/*
 * Is there no need to build the programs to see that they fit?  If nothing but plain
 * columns is looked at.
 */
static bool
surely_fit(const GpustrJoinPath *path)
{
	int			i;

	for (i = 0; i < path->join.nsteps; i++)
	{
		if (list_member_int(path->step[i].offloaded, 1))
			return false;
	}
	return path->join.ncolumns * (path->join.nsteps + 1) <= FITTING_COLUMNS &&
		(path->fused == NULL ||
		 (path->fused->clauses->row_steps <= FITTING_STEPS && extra_keys(path, -1) == 0));
}

const char *
gpustr_join_fit(GpustrJoinPath *path)
{
	const char *reason;
	int			i;

	if (!number_columns(path))
		return "it needs columns of neither side";
	reason = columns_refusal(path);
	if (reason != NULL || surely_fit(path) || programs_fit(path))
		return reason;
	for (i = path->join.nsteps - 1; i >= 0; i--)
	{
		if (keep_filter(&path->step[i]) && programs_fit(path))
			return NULL;
	}
	return "the program would be too large";
}
