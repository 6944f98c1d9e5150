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
 * is put together: computed values from the batch, columns from its tuple, which
 * is looked at only if some column is needed.  If the target list is no more than
 * such values that is the result; else they are put into a virtual slot of the
 * custom_scan_tlist, from which the target list is projected.  Any other row is
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
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/rel.h"

#include "compat.h"
#include "exec/output_slot.h"
#include "plan/plan_private.h"

/* A value of the slot that is put together, and where it comes from. */
typedef struct OutputColumn
{
	int			to;				/* column of the slot, from 0 */
	int			from;			/* column of the table, or output column of
								 * the program; from 0 */
	text	   *text;			/* a computed value of the current row ... */
	Size		text_bytes;		/* ... for which there is so much room */
} OutputColumn;

struct GpustrOutput
{
	TupleTableSlot *slot;		/* what is put together: virtual */
	ProjectionInfo *projection; /* from it; NULL: it is the result */
	ProjectionInfo *tuple_projection;	/* from the table's tuple */

	int			nvars;			/* values from the tuple */
	OutputColumn *vars;
	int			last_column;	/* of the table that is needed, from 1 */

	int			ncomputed;		/* values from the batch */
	OutputColumn *computed;
	MemoryContext context;		/* of computed values */
};

/* Columns of the custom_scan_tlist that the target list reads. */
static bool
used_walker(Node *node, Bitmapset * *used)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var) && ((Var *) node)->varno == INDEX_VAR)
		*used = bms_add_member(*used, ((Var *) node)->varattno - 1);
	return expression_tree_walker(node, used_walker, used);
}

/* Is the target list nothing but columns of the custom_scan_tlist? */
static bool
is_plain(List *tlist)
{
	ListCell   *lc;

	foreach(lc, tlist)
	{
		Expr	   *expr = lfirst_node(TargetEntry, lc)->expr;

		if (!IsA(expr, Var) || ((Var *) expr)->varno != INDEX_VAR)
			return false;
	}
	return true;
}

/*
 * Column 'to' of the slot is this expression of the custom_scan_tlist.  An
 * expression to compute is added to *exprs, unless it is there.
 */
static void
map_column(GpustrOutput *output, int to, Expr * expr, List **exprs)
{
	if (IsA(expr, Var))
	{
		OutputColumn *column = &output->vars[output->nvars++];

		column->to = to;
		column->from = ((Var *) expr)->varattno - 1;
		output->last_column = Max(output->last_column, column->from + 1);
	}
	else
	{
		OutputColumn *column = &output->computed[output->ncomputed++];

		*exprs = list_append_unique_ptr(*exprs, expr);
		column->to = to;
		for (column->from = 0; list_nth(*exprs, column->from) != expr; column->from++);
	}
}

/*
 * Note where each value of the slot comes from, of those that the target list
 * uses.  Returns the expressions to compute.
 */
static List *
map_columns(GpustrOutput *output, const CustomScan *plan)
{
	List	   *tlist = plan->scan.plan.targetlist;
	int			most = Max(list_length(tlist), list_length(plan->custom_scan_tlist));
	List	   *exprs = NIL;
	Bitmapset  *used = NULL;
	ListCell   *lc;

	output->vars = palloc0_array(OutputColumn, most);
	output->computed = palloc0_array(OutputColumn, most);
	(void) used_walker((Node *) tlist, &used);
	foreach(lc, output->projection == NULL ? tlist : plan->custom_scan_tlist)
	{
		Expr	   *expr = lfirst_node(TargetEntry, lc)->expr;
		int			to = foreach_current_index(lc);

		if (output->projection == NULL)
		{
			TargetEntry *tle = list_nth_node(TargetEntry, plan->custom_scan_tlist,
											 ((Var *) expr)->varattno - 1);

			map_column(output, to, tle->expr, &exprs);
		}
		else if (bms_is_member(to, used))
			map_column(output, to, expr, &exprs);
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

	/* the node has been initialised for a slot of the custom_scan_tlist */
	output->context = CurrentMemoryContext;
	if (is_plain(plan->scan.plan.targetlist))
		output->slot = ss->ps.ps_ResultTupleSlot;
	else
	{
		output->slot = ss->ss_ScanTupleSlot;
		output->projection = ss->ps.ps_ProjInfo;
		ExecStoreAllNullTuple(output->slot);	/* unused columns stay so */
	}
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

/* Make room for a longer text. */
static pg_noinline void
grow_text(GpustrOutput *output, OutputColumn *column, Size bytes)
{
	if (column->text !=NULL)
		pfree(column->text);
	column->text_bytes = 0;
	bytes = Max(bytes, Min(2 * bytes, MaxAllocSize));
	column->text = MemoryContextAlloc(output->context, bytes);
	column->text_bytes = bytes;
}

/* Put the engine's values for the row into the slot. */
static inline void
store_computed(GpustrOutput *output, const GpustrPageOutput *from, int32 ordinal)
{
	TupleTableSlot *slot = output->slot;
	int			i;

	for (i = 0; i < output->ncomputed; i++)
	{
		OutputColumn *column = &output->computed[i];
		int32		len;
		const char *value = gpustr_page_output_value(from, column->from, ordinal, &len);

		slot->tts_isnull[column->to] = value == NULL;
		if (value == NULL)
			continue;
		if (unlikely(VARHDRSZ + (Size) len > column->text_bytes))
			grow_text(output, column, VARHDRSZ + (Size) len);
		SET_VARSIZE(column->text, VARHDRSZ + len);
		memcpy(VARDATA(column->text), value, len);
		slot->tts_values[column->to] = PointerGetDatum(column->text);
	}
}

/* Put the tuple's values into the slot. */
static inline void
store_vars(GpustrOutput *output, TupleTableSlot *tuple)
{
	TupleTableSlot *slot = output->slot;
	int			i;

	slot_getsomeattrs(tuple, output->last_column);
	for (i = 0; i < output->nvars; i++)
	{
		const OutputColumn *column = &output->vars[i];

		slot->tts_values[column->to] = tuple->tts_values[column->from];
		slot->tts_isnull[column->to] = tuple->tts_isnull[column->from];
	}
}

/* Put a row together that the engine decided and computed. */
static inline TupleTableSlot *
compose_row(GpustrScanState *state, TupleTableSlot *tuple)
{
	GpustrOutput *output = state->output;
	TupleTableSlot *slot = output->slot;

	/* it is stored already, unless somebody has cleared or materialized it */
	if (TTS_EMPTY(slot) || TTS_SHOULDFREE(slot))
	{
		ExecClearTuple(slot);
		ExecStoreVirtualTuple(slot);
	}
	if (output->nvars > 0)
		store_vars(output, tuple);
	store_computed(output, gpustr_page_scan_output(state->scan), state->row.ordinal);
	if (output->projection == NULL)
		return slot;
	state->css.ss.ps.ps_ExprContext->ecxt_scantuple = slot;
	return ExecProject(output->projection);
}

/* Project a row that is PostgreSQL's from its tuple. */
static TupleTableSlot *
project_tuple(GpustrScanState *state, TupleTableSlot *tuple)
{
	state->css.ss.ps.ps_ExprContext->ecxt_scantuple = tuple;
	return ExecProject(state->output->tuple_projection);
}

/*
 * The next row where neither tuple nor expression is needed for most: a few
 * nanoseconds each.
 */
static TupleTableSlot *
next_quick(GpustrScanState *state)
{
	while (gpustr_page_scan_next(state->scan, &state->row))
	{
		if (!state->row.recheck)
		{
			gpustr_scan_store_blind(state, &state->row);
			return compose_row(state, NULL);
		}
		ResetExprContext(state->css.ss.ps.ps_ExprContext);
		if (gpustr_scan_judge_row(state))
			return project_tuple(state, state->css.ss.ss_ScanTupleSlot);
		CHECK_FOR_INTERRUPTS();
	}
	state->slot_is_blind = false;
	ExecClearTuple(state->css.ss.ss_ScanTupleSlot);
	return ExecClearTuple(state->css.ss.ps.ps_ResultTupleSlot);
}

TupleTableSlot *
gpustr_output_next(GpustrScanState *state)
{
	GpustrOutput *output = state->output;
	PlanState  *ps = &state->css.ss.ps;
	TupleTableSlot *tuple;

	if (state->scan != NULL && state->blind && output->projection == NULL &&
		!state->may_go_back && state->shows == 0)
		return next_quick(state);
	ResetExprContext(ps->ps_ExprContext);
	tuple = gpustr_scan_next_row(state);
	if (TupIsNull(tuple))
		return ExecClearTuple(ps->ps_ResultTupleSlot);
	if (state->walk != NULL || state->row.recheck)
		return project_tuple(state, tuple);
	return compose_row(state, tuple);
}
