/*-------------------------------------------------------------------------
 *
 * join_sides.c
 *	  Which columns the batches of a GpuJoin carry, to and from the engine.
 *
 * All of it follows from the plan, so that every participant of a parallel plan, and
 * the programs, number columns alike.
 *
 * IDENTIFICATION
 *	  src/plan/join_sides.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "guc.h"
#include "plan/join_sides.h"

/* The most rows of results that a batch is to have room for. */
#define MOST_RESULT_ROWS (1024 * 1024)

/* What part of a batch's memory may be for results. */
#define RESULT_SHARE 2

static bool
same_carrier(GpustrCarrier a, GpustrCarrier b)
{
	return a.is_text == b.is_text &&
		(a.is_text ? a.bytes == b.bytes && a.cstring == b.cstring : a.value == b.value);
}

const Var *
gpustr_plain_key(const Expr * key)
{
	GpustrCarrier carrier = gpustr_carrier(exprType((const Node *) key));

	while (IsA(key, RelabelType))
	{
		key = ((const RelabelType *) key)->arg;
		if (!same_carrier(gpustr_carrier(exprType((const Node *) key)), carrier))
			return NULL;
	}
	return IsA(key, Var) ? (const Var *) key : NULL;
}

Oid
gpustr_slot_column_type(const CustomScan *plan, int column)
{
	return exprType((Node *) list_nth_node(TargetEntry, plan->custom_scan_tlist, column)->expr);
}

static int
add_side_column(GpustrSide *columns, int slot_column, Expr * key, Oid type)
{
	GpustrSideColumn *column;

	if (columns->ncolumns == GPUSTR_MAX_TABLE_COLUMNS)
		elog(ERROR, "a side of a GpuJoin has too many columns");
	column = &columns->column[columns->ncolumns];
	column->slot_column = slot_column;
	column->key = key;
	column->type = type;
	column->carrier = gpustr_carrier(type);
	return columns->ncolumns++;
}

/* Which column is the key?  A new one, if none is. */
static int
key_column(GpustrSide *columns, Expr * key)
{
	const Var  *var = gpustr_plain_key(key);
	int			i;

	for (i = 0; i < columns->ncolumns; i++)
	{
		const GpustrSideColumn *column = &columns->column[i];

		if (var != NULL ? column->slot_column == var->varattno - 1 :
			column->key != NULL && equal(column->key, key))
			return i;
	}
	if (var != NULL)
		elog(ERROR, "a key of a GpuJoin is not a column of its side");
	return add_side_column(columns, -1, key, exprType((Node *) key));
}

void
gpustr_join_side(const CustomScan *plan, const GpustrJoinPlan *join, int side,
				 GpustrSide *columns)
{
	const GpustrJoinStep *step = &join->step[Max(side - 1, 0)];
	List	   *keys = side == 0 ? step->outer_keys : step->inner_keys;
	ListCell   *key;
	ListCell   *kind;
	int			i;

	memset(columns, 0, sizeof(GpustrSide));
	for (i = 0; i < join->ncolumns; i++)
	{
		if (join->column[i].side == side)
			add_side_column(columns, i, NULL, gpustr_slot_column_type(plan, i));
	}
	forboth(key, keys, kind, step->key_kinds)
	{
		columns->key_column[columns->nkeys] = key_column(columns, lfirst(key));
		columns->key_kind[columns->nkeys++] = lfirst_int(kind);
	}
}

/* Do columns of a step's inner side come back with the results? */
static bool
brings_inner_columns(const GpustrJoinPlan *join, int step)
{
	int			i;

	for (i = 0; i < join->ncolumns; i++)
	{
		if (join->column[i].is_result && join->column[i].side == step + 1)
			return true;
	}
	return false;
}

GpustrProbeKind
gpustr_probe_kind(const GpustrJoinPlan *join, int i)
{
	const GpustrJoinStep *step = &join->step[i];
	bool		filtered = step->filter != NIL;

	switch (step->jointype)
	{
		case JOIN_INNER:
		case JOIN_RIGHT:
			return GPUSTR_PROBE_INNER;
		case JOIN_LEFT:
		case JOIN_FULL:
			return filtered ? GPUSTR_PROBE_MARK : GPUSTR_PROBE_OUTER;
		case JOIN_SEMI:
			if (filtered)
				return GPUSTR_PROBE_MARK;

			/*
			 * above the join, an equal column of the inner row may stand for
			 * one of the outer row: then the first pair of each comes out
			 */
			return brings_inner_columns(join, i) ? GPUSTR_PROBE_INNER : GPUSTR_PROBE_SEMI;
		case JOIN_ANTI:
			return filtered ? GPUSTR_PROBE_MARK : GPUSTR_PROBE_ANTI;
		default:
			elog(ERROR, "unexpected join type of a GpuJoin: %d", (int) step->jointype);
	}
}

/*
 * For how many rows is there to be room?  Half of a batch's memory is for them;
 * texts are taken to be as long as PostgreSQL takes them to be where it has no statistics.
 */
static void
plan_room(const CustomScan *plan, GpustrJoinResults *results)
{
	GpustrResultLayout *layout = &results->layout;
	double		row_bytes = 1;
	double		width[GPUSTR_MAX_RESULT_COLUMNS];
	int			i;

	if (layout->want_outer)
		row_bytes += sizeof(int32);
	if (layout->want_inner)
		row_bytes += sizeof(uint32);
	for (i = 0; i < layout->ncolumns; i++)
	{
		TargetEntry *tle = list_nth(plan->custom_scan_tlist, results->slot_column[i]);

		width[i] = 0;
		if (layout->is_text[i])
			width[i] = Min(get_typavgwidth(exprType((Node *) tle->expr),
										   exprTypmod((Node *) tle->expr)), 1024);
		row_bytes += layout->is_text[i] ? sizeof(int32) + width[i] : sizeof(int64);
	}
	layout->room = Max(Min(gpustr_batch_bytes / RESULT_SHARE / row_bytes, MOST_RESULT_ROWS), 1);
	for (i = 0; i < layout->ncolumns; i++)
		layout->text_bytes[i] = layout->room * width[i];
}

void
gpustr_join_results(const CustomScan *plan, const GpustrJoinPlan *join,
					GpustrJoinResults *results)
{
	const GpustrJoinStep *last = &join->step[join->nsteps - 1];
	GpustrResultLayout *layout = &results->layout;
	GpustrProbeKind kind = gpustr_probe_kind(join, join->nsteps - 1);
	int			i;

	memset(results, 0, sizeof(GpustrJoinResults));
	results->only_first = last->jointype == JOIN_SEMI && kind == GPUSTR_PROBE_INNER;
	layout->want_outer = results->only_first;
	layout->want_inner = kind == GPUSTR_PROBE_MARK || last->jointype == JOIN_RIGHT || last->jointype == JOIN_FULL;
	for (i = 0; i < join->ncolumns; i++)
	{
		if (!join->column[i].is_result)
			continue;
		if (layout->ncolumns == GPUSTR_MAX_RESULT_COLUMNS)
			elog(ERROR, "a GpuJoin has too many result columns");
		layout->is_text[layout->ncolumns] = gpustr_carrier(gpustr_slot_column_type(plan, i)).is_text;
		results->slot_column[layout->ncolumns++] = i;
	}
	plan_room(plan, results);
}
