/*-------------------------------------------------------------------------
 *
 * output_slot.c
 *	  GPU Output: the rows of a GpuScan with columns that the engine computed.
 *
 * The plan has a custom_scan_tlist: the table's columns that are needed, then the
 * expressions that the engine computes.  setrefs.c has made references to that
 * list (INDEX_VAR) of the columns in the target list and the clauses, and of
 * the expressions wherever they stood in it.
 *
 * A row comes out in one of two ways.  One that the engine decided and computed
 * is put together in a virtual slot: computed values from the batch, columns
 * from its tuple, which is looked at only if some column is needed.  The target
 * list, as setrefs.c left it, is projected from that slot.  Any other row is
 * PostgreSQL's: one to recheck, and one met going backward.  For these the target
 * list is resolved to what it was over the table, expressions and all, and
 * projected from the tuple; so PostgreSQL evaluates what it would have
 * evaluated, and no more.
 *
 * Clauses are resolved, too, and evaluated over the table's tuple; so below this
 * file a scan is the same with and without computed columns.
 *
 * Invariants:
 *	- the node's scan slot is the table's; what is compiled after
 *	  gpustr_output_begin() is compiled for that;
 *	- both ways return a virtual slot of the node's result type;
 *	- a computed value lives until the next row is asked for.
 *
 * There is no EvalPlanQual here: the planner offers no computed columns where
 * rows are locked or changed.
 *
 * IDENTIFICATION
 *	  src/exec/output_slot.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/rel.h"

#include "compat.h"
#include "exec/output_slot.h"
#include "plan/plan_private.h"

/* A column of the virtual slot that comes from the tuple. */
typedef struct OutputVar
{
	int			slot_column;	/* from 0 */
	int			table_column;	/* from 0 */
} OutputVar;

struct GpustrOutput
{
	TupleTableSlot *slot;		/* virtual, of the custom_scan_tlist */
	ProjectionInfo *projection; /* from it; NULL: it is the result */
	ProjectionInfo *tuple_projection;	/* from the table's tuple */

	int			nvars;
	OutputVar  *vars;
	int			last_column;	/* of the table that is needed, from 1 */

	int			ncomputed;
	int			computed[GPUSTR_MAX_OUT_COLUMNS];	/* columns of the slot */

	MemoryContext context;
	char	   *values;			/* computed texts of the current row */
	Size		values_bytes;	/* room there */
};

/* Columns of the virtual slot that the target list reads. */
static bool
used_walker(Node *node, Bitmapset * *used)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var) && ((Var *) node)->varno == INDEX_VAR)
		*used = bms_add_member(*used, ((Var *) node)->varattno - 1);
	return expression_tree_walker(node, used_walker, used);
}

/*
 * Note where each column of the slot comes from, of those that are used.
 * Returns the expressions to compute.
 */
static List *
map_columns(GpustrOutput *output, const CustomScan *plan)
{
	Bitmapset  *used = NULL;
	List	   *exprs = NIL;
	int			column = -1;

	(void) used_walker((Node *) plan->scan.plan.targetlist, &used);
	output->vars = palloc_array(OutputVar, Max(bms_num_members(used), 1));
	while ((column = bms_next_member(used, column)) >= 0)
	{
		TargetEntry *tle = list_nth_node(TargetEntry, plan->custom_scan_tlist, column);

		if (IsA(tle->expr, Var))
		{
			OutputVar  *var = &output->vars[output->nvars++];

			var->slot_column = column;
			var->table_column = ((Var *) tle->expr)->varattno - 1;
			output->last_column = Max(output->last_column, var->table_column + 1);
		}
		else
		{
			output->computed[output->ncomputed++] = column;
			exprs = lappend(exprs, tle->expr);
		}
	}
	return exprs;
}

/* The clauses that are not offloaded. */
static List *
local_clauses(const GpustrScanClauses *clauses)
{
	List	   *local = NIL;
	ListCell   *clause;
	ListCell   *flag;

	forboth(clause, clauses->clauses, flag, clauses->offloaded)
	{
		if (!lfirst_int(flag))
			local = lappend(local, lfirst(clause));
	}
	return local;
}

void
gpustr_output_begin(GpustrScanState *state, EState *estate)
{
	ScanState  *ss = &state->css.ss;
	CustomScan *plan = (CustomScan *) ss->ps.plan;
	GpustrOutput *output = palloc0(sizeof(GpustrOutput));
	TupleDesc	desc = RelationGetDescr(ss->ss_currentRelation);
	List	   *tlist;

	/* what the node has been initialised with is for the virtual slot */
	output->context = CurrentMemoryContext;
	output->slot = ss->ss_ScanTupleSlot;
	output->projection = ss->ps.ps_ProjInfo;
	ExecStoreAllNullTuple(output->slot);	/* unused columns stay so */
	state->output = output;
	state->clauses->outputs = map_columns(output, plan);

	/* all else is for the table's */
	ExecInitScanTupleSlot(estate, ss, desc, &TTSOpsBufferHeapTuple);
	tlist = (List *) gpustr_plan_resolve(plan, (Node *) plan->scan.plan.targetlist);
	output->tuple_projection = ExecBuildProjectionInfo(tlist, ss->ps.ps_ExprContext,
													   ss->ps.ps_ResultTupleSlot, &ss->ps, desc);
	ss->ps.qual = ExecInitQual(local_clauses(state->clauses), &ss->ps);
}

bool
gpustr_output_needs_tuple(const GpustrOutput *output)
{
	return output->nvars > 0;
}

/* Room for the computed values of a row. */
static char *
values_room(GpustrOutput *output, Size bytes)
{
	if (bytes > output->values_bytes)
	{
		if (output->values != NULL)
			pfree(output->values);
		output->values_bytes = 0;
		output->values = MemoryContextAlloc(output->context, 2 * bytes);
		output->values_bytes = 2 * bytes;
	}
	return output->values;
}

/* Put the engine's values for the row into the slot. */
static inline void
store_computed(GpustrOutput *output, const GpustrPageOutput *from, int32 ordinal)
{
	const char *value[GPUSTR_MAX_OUT_COLUMNS];
	int32		len[GPUSTR_MAX_OUT_COLUMNS];
	Size		bytes = 0;
	char	   *to;
	int			i;

	for (i = 0; i < output->ncomputed; i++)
	{
		value[i] = gpustr_page_output_value(from, i, ordinal, &len[i]);
		if (value[i] != NULL)
			bytes += MAXALIGN(VARHDRSZ + len[i]);
	}
	to = values_room(output, bytes);
	for (i = 0; i < output->ncomputed; i++)
	{
		int			column = output->computed[i];

		output->slot->tts_isnull[column] = value[i] == NULL;
		output->slot->tts_values[column] = PointerGetDatum(to);
		if (value[i] == NULL)
			continue;
		SET_VARSIZE(to, VARHDRSZ + len[i]);
		memcpy(VARDATA(to), value[i], len[i]);
		to += MAXALIGN(VARHDRSZ + len[i]);
	}
}

/* Put the tuple's values into the slot. */
static inline void
store_vars(GpustrOutput *output, TupleTableSlot *tuple)
{
	int			i;

	slot_getsomeattrs(tuple, output->last_column);
	for (i = 0; i < output->nvars; i++)
	{
		const OutputVar *var = &output->vars[i];

		output->slot->tts_values[var->slot_column] = tuple->tts_values[var->table_column];
		output->slot->tts_isnull[var->slot_column] = tuple->tts_isnull[var->table_column];
	}
}

TupleTableSlot *
gpustr_output_next(GpustrScanState *state)
{
	GpustrOutput *output = state->output;
	PlanState  *ps = &state->css.ss.ps;
	ExprContext *econtext = ps->ps_ExprContext;
	TupleTableSlot *tuple;

	ResetExprContext(econtext);
	tuple = gpustr_scan_next_row(state);
	if (TupIsNull(tuple))
		return ExecClearTuple(ps->ps_ResultTupleSlot);
	if (state->walk != NULL || state->row.recheck)
	{
		econtext->ecxt_scantuple = tuple;
		return ExecProject(output->tuple_projection);
	}
	ExecClearTuple(output->slot);
	if (output->nvars > 0)
		store_vars(output, tuple);
	store_computed(output, gpustr_page_scan_output(state->scan), state->row.ordinal);
	ExecStoreVirtualTuple(output->slot);
	if (output->projection == NULL)
		return output->slot;
	econtext->ecxt_scantuple = output->slot;
	return ExecProject(output->projection);
}
