/*-------------------------------------------------------------------------
 *
 * scan_node.c
 *	  The GpuScan executor node: a sequential scan whose filter runs in an
 *	  engine.
 *
 * The page scan hands out rows of three kinds of judgement.  A row that the
 * program ruled out never comes here.  A row that it selected has passed the
 * offloaded clauses; the local ones remain.  A row that it could not decide is
 * judged here by the whole clause list, in order and once, as PostgreSQL would
 * have: a clause alone might raise an error for a row that an earlier clause
 * hides, and a volatile one must not run twice.  So the node applies quals
 * itself, and ExecScan() sees none.
 *
 * The node emits the table's own tuples, in a buffer slot, so that system
 * columns, whole-row Vars, row locks and WHERE CURRENT OF work as ever.  In an
 * EvalPlanQual recheck ExecScan() brings the tuple, and the recheck method
 * applies the whole list.
 *
 * With computed columns, GPU Output, a virtual slot comes out: output_slot.c.
 *
 * When no column is looked at, as under count(*), a selected row is emitted
 * as a slot of NULLs with the row's TID, and its page is not touched.
 *
 * IDENTIFICATION
 *	  src/exec/scan_node.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/tableam.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "compat.h"
#include "exec/late_eval.h"
#include "exec/output_slot.h"
#include "exec/scan_backward.h"
#include "exec/scan_node.h"
#include "exec/scan_parallel.h"
#include "plan/output.h"
#include "plan/plan_private.h"
#include "plan/text_build.h"

static Node *gpustr_scan_create_state(CustomScan *plan);
static void gpustr_scan_begin(CustomScanState *node, EState *estate, int eflags);
static TupleTableSlot *gpustr_scan_next(CustomScanState *node);
static void gpustr_scan_end(CustomScanState *node);
static void gpustr_scan_rescan(CustomScanState *node);
static void gpustr_scan_shutdown(CustomScanState *node);

const CustomScanMethods gpustr_scan_plan_methods = {
	.CustomName = GPUSTR_SCAN_NAME,
	.CreateCustomScanState = gpustr_scan_create_state,
};

static const CustomExecMethods gpustr_scan_exec_methods = {
	.CustomName = GPUSTR_SCAN_NAME,
	.BeginCustomScan = gpustr_scan_begin,
	.ExecCustomScan = gpustr_scan_next,
	.EndCustomScan = gpustr_scan_end,
	.ReScanCustomScan = gpustr_scan_rescan,
	.EstimateDSMCustomScan = gpustr_scan_estimate_dsm,
	.InitializeDSMCustomScan = gpustr_scan_init_dsm,
	.ReInitializeDSMCustomScan = gpustr_scan_reinit_dsm,
	.InitializeWorkerCustomScan = gpustr_scan_init_worker,
	.ShutdownCustomScan = gpustr_scan_shutdown,
	.ExplainCustomScan = gpustr_scan_explain,
};

static Node *
gpustr_scan_create_state(CustomScan *plan)
{
	GpustrScanState *state = palloc0(sizeof(GpustrScanState));

	NodeSetTag(state, T_CustomScanState);
	state->css.methods = &gpustr_scan_exec_methods;
	if (plan->custom_scan_tlist == NIL)
		gpustr_set_slot_ops(&state->css);
	return (Node *) state;
}

static void
gpustr_scan_begin(CustomScanState *node, EState *estate, int eflags)
{
	GpustrScanState *state = (GpustrScanState *) node;
	CustomScan *plan = (CustomScan *) node->ss.ps.plan;
	MemoryContext old;

	state->clauses = gpustr_plan_unpack(plan);
	if (plan->custom_scan_tlist != NIL)
		gpustr_output_begin(state, estate);
	else
		gpustr_init_scan_slot(node, estate);
	state->local_qual = node->ss.ps.qual;
	node->ss.ps.qual = NULL;
	state->full_qual = ExecInitQual(state->clauses->clauses, &node->ss.ps);
	state->blind = state->local_qual == NULL &&
		(state->output != NULL ? !gpustr_output_needs_tuple(state->output) :
		 !contain_var_clause((Node *) plan->scan.plan.targetlist));
	state->no_output = state->blind && plan->scan.plan.targetlist == NIL;

	state->shows = gpustr_shows((Node *) state->clauses->clauses) |
		gpustr_shows((Node *) state->clauses->outputs);
	state->may_go_back = (eflags & EXEC_FLAG_BACKWARD) != 0;
	ItemPointerSetInvalid(&state->last);

	if (eflags & EXEC_FLAG_EXPLAIN_ONLY)
		return;

	/* the client belongs to the resource owner that the scan's pins will have */
	state->context = AllocSetContextCreate(estate->es_query_cxt, "GpuScan",
										   ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(state->context);
	state->client = gpustr_client_create(state->context);
	MemoryContextSwitchTo(old);
}

/* GpustrFirstRow. */
static const GpustrProgram *
program_at_first_row(void *context)
{
	return gpustr_late_program(((GpustrScanState *) context)->late);
}

static void
start_scan(GpustrScanState *state)
{
	MemoryContext old = MemoryContextSwitchTo(state->context);
	TableScanDesc heap = state->parallel_heap;

	state->late = gpustr_late_create(&state->css.ss, state->clauses);

	/* a parallel plan that is run without workers has a serial scan, too */
	if (heap == NULL)
		heap = table_beginscan(state->css.ss.ss_currentRelation,
							   state->css.ss.ps.state->es_snapshot, 0, NULL);
	state->parallel_heap = NULL;
	state->scan = gpustr_page_scan_begin(heap, program_at_first_row, state,
										 state->client, state->may_go_back,
										 list_length(state->clauses->outputs),
										 list_length(gpustr_own_outputs(state->clauses->outputs)) <
										 list_length(state->clauses->outputs));
	MemoryContextSwitchTo(old);
}

void
gpustr_scan_store_blind(GpustrScanState *state, const GpustrPageRow *row)
{
	TupleTableSlot *slot = state->css.ss.ss_ScanTupleSlot;

	if (!state->slot_is_blind)
	{
		ExecStoreAllNullTuple(slot);
		slot->tts_tableOid = RelationGetRelid(state->css.ss.ss_currentRelation);
		state->slot_is_blind = true;
	}
	ItemPointerSet(&slot->tts_tid, row->block, row->line);
}

/*
 * Put the row's tuple into the scan slot, and see whether it passes what is
 * left to be judged.
 */
bool
gpustr_scan_judge_row(GpustrScanState *state)
{
	const GpustrPageRow *row = &state->row;
	ScanState  *ss = &state->css.ss;
	ExprContext *econtext = ss->ps.ps_ExprContext;
	ExprState  *qual = row->recheck ? state->full_qual : state->local_qual;
	bool		learned = false;
	bool		passes;

	state->slot_is_blind = false;
	gpustr_page_scan_fetch(state->scan, row, ss->ss_ScanTupleSlot);
	if (qual == NULL)
		return true;
	econtext->ecxt_scantuple = ss->ss_ScanTupleSlot;
	if (row->recheck && gpustr_late_waits(state->late))
		passes = gpustr_late_judge(state->late, econtext, &learned);
	else
		passes = ExecQual(qual, econtext);
	if (learned)
		gpustr_page_scan_set_program(state->scan, gpustr_late_program(state->late));
	if (!passes && row->recheck && state->clauses->noffloaded > 0)
		state->nrejected++;
	else if (!passes)
		InstrCountFiltered1(&state->css, 1);
	ResetExprContext(econtext);
	return passes;
}

TupleTableSlot *
gpustr_scan_next_row(GpustrScanState *state)
{
	ScanState  *ss = &state->css.ss;
	ScanDirection direction = ss->ps.state->es_direction;
	GpustrPageRow *row = &state->row;

	if (state->scan == NULL)
		start_scan(state);
	if (state->walk != NULL || ScanDirectionIsBackward(direction) ||
		(state->shows != 0 && gpustr_scan_style_is_new(state)))
	{
		state->slot_is_blind = false;
		return gpustr_scan_walk(state, direction);
	}
	while (gpustr_page_scan_next(state->scan, row))
	{
		if (state->blind && !row->recheck)
			gpustr_scan_store_blind(state, row);
		else if (!gpustr_scan_judge_row(state))
		{
			CHECK_FOR_INTERRUPTS();
			continue;
		}
		ItemPointerSet(&state->last, row->block, row->line);
		return ss->ss_ScanTupleSlot;
	}
	state->slot_is_blind = false;
	ItemPointerSetInvalid(&state->last);
	return ExecClearTuple(ss->ss_ScanTupleSlot);
}

/* ExecScan's access method. */
static TupleTableSlot *
next_tuple(ScanState *ss)
{
	return gpustr_scan_next_row((GpustrScanState *) ss);
}

/* ExecScan's recheck method: a tuple of EvalPlanQual's. */
static bool
recheck_tuple(ScanState *ss, TupleTableSlot *slot)
{
	GpustrScanState *state = (GpustrScanState *) ss;
	ExprContext *econtext = ss->ps.ps_ExprContext;

	if (state->full_qual == NULL)
		return true;
	econtext->ecxt_scantuple = slot;
	return ExecQualAndReset(state->full_qual, econtext);
}

static TupleTableSlot *
gpustr_scan_next(CustomScanState *node)
{
	GpustrScanState *state = (GpustrScanState *) node;
	ScanState  *ss = &node->ss;
	GpustrPageRow *row = &state->row;

	if (state->output != NULL)
		return gpustr_output_next(state);
	if (!state->no_output || state->may_go_back || state->shows != 0 || ss->ps.state->es_epq_active != NULL)
		return ExecScan(ss, next_tuple, recheck_tuple);

	/* the same with nothing to project: one row costs a few nanoseconds */
	if (state->scan == NULL)
		start_scan(state);
	while (gpustr_page_scan_next(state->scan, row))
	{
		if (row->recheck && !gpustr_scan_judge_row(state))
			continue;
		if (!row->recheck)
			gpustr_scan_store_blind(state, row);
		return ExecStoreVirtualTuple(ExecClearTuple(ss->ps.ps_ResultTupleSlot));
	}
	state->slot_is_blind = false;
	ExecClearTuple(ss->ss_ScanTupleSlot);
	return ExecClearTuple(ss->ps.ps_ResultTupleSlot);
}

static void
gpustr_scan_rescan(CustomScanState *node)
{
	GpustrScanState *state = (GpustrScanState *) node;

	if (state->scan != NULL)
	{
		gpustr_page_scan_rescan(state->scan);
		gpustr_late_rescan(state->late, node->ss.ps.chgParam);
	}
	state->walk = NULL;
	ItemPointerSetInvalid(&state->last);
	state->slot_is_blind = false;
	ExecScanReScan(&node->ss);
}

/*
 * The executor is through for now, but a cursor may go on later: see that it
 * holds no pins meanwhile.  A parallel scan does not go on, and its leader does
 * not wait for what is in flight when it has had enough.
 */
static void
gpustr_scan_shutdown(CustomScanState *node)
{
	GpustrScanState *state = (GpustrScanState *) node;

	if (state->scan != NULL && state->shared != NULL)
		(void) gpustr_page_scan_surrender(state->scan);
	else if (state->scan != NULL && state->walk == NULL)
		gpustr_page_scan_settle(state->scan);
	gpustr_scan_report(state);
}

static void
gpustr_scan_end(CustomScanState *node)
{
	GpustrScanState *state = (GpustrScanState *) node;

	if (state->scan != NULL)
		gpustr_page_scan_end(state->scan);
	if (state->parallel_heap != NULL)
		table_endscan(state->parallel_heap);
	state->parallel_heap = NULL;
	if (state->context != NULL)
		MemoryContextDelete(state->context);
	state->context = NULL;
	state->client = NULL;
	state->late = NULL;
	state->scan = NULL;
}
