/*-------------------------------------------------------------------------
 *
 * join_node.c
 *	  The GpuJoin executor node: joins by hash tables in an engine.
 *
 * The inner plans are run into stores, and tables are made of them in an engine
 * (join_build.c, join_table.c).  Then the outer side, batch by batch, meets them
 * (join_outer.c and what it names), and what comes of that is handed out (join_emit.c).
 * Where the tables would be too large that is done in several passes.
 *
 * The outer side is not looked at if there is nothing that it could meet, and the
 * join would have no rows.
 *
 * The node has rows one way only, and between two of them may rest for long; the
 * executor shuts it down then, so that it holds neither pins nor slots.
 *
 * Failure: a device that is lost takes the tables with it.  They are made again, in this
 * session, out of the stores, before the batch that was lost is run here; as a batch's
 * results are in one order for all engines it goes on where it was.  On error all that
 * the node has goes with its memory context, and the query's resource owner.
 *
 * IDENTIFICATION
 *	  src/exec/join_node.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "exec/join_build.h"
#include "exec/join_emit.h"
#include "exec/join_node.h"
#include "exec/join_outer.h"
#include "exec/join_parallel.h"
#include "exec/join_table.h"

static Node *gpustr_join_create_state(CustomScan *plan);
static void gpustr_join_begin(CustomScanState *node, EState *estate, int eflags);
static TupleTableSlot *gpustr_join_next(CustomScanState *node);
static void gpustr_join_end(CustomScanState *node);
static void gpustr_join_rescan(CustomScanState *node);
static void gpustr_join_shutdown(CustomScanState *node);

const CustomScanMethods gpustr_join_plan_methods = {
	.CustomName = GPUSTR_JOIN_NAME,
	.CreateCustomScanState = gpustr_join_create_state,
};

static const CustomExecMethods gpustr_join_exec_methods = {
	.CustomName = GPUSTR_JOIN_NAME,
	.BeginCustomScan = gpustr_join_begin,
	.ExecCustomScan = gpustr_join_next,
	.EndCustomScan = gpustr_join_end,
	.ReScanCustomScan = gpustr_join_rescan,
	.EstimateDSMCustomScan = gpustr_join_estimate_dsm,
	.InitializeDSMCustomScan = gpustr_join_init_dsm,
	.ReInitializeDSMCustomScan = gpustr_join_reinit_dsm,
	.InitializeWorkerCustomScan = gpustr_join_init_worker,
	.ShutdownCustomScan = gpustr_join_shutdown,
	.ExplainCustomScan = gpustr_join_explain,
};

static Node *
gpustr_join_create_state(CustomScan *plan)
{
	GpustrJoinState *state = palloc0(sizeof(GpustrJoinState));

	NodeSetTag(state, T_CustomScanState);
	state->css.methods = &gpustr_join_exec_methods;
	return (Node *) state;
}

static void
gpustr_join_begin(CustomScanState *node, EState *estate, int eflags)
{
	GpustrJoinState *state = (GpustrJoinState *) node;
	CustomScan *plan = (CustomScan *) node->ss.ps.plan;
	ListCell   *lc;

	state->join = gpustr_join_unpack(plan);
	gpustr_join_results(plan, state->join, &state->results);
	foreach(lc, plan->custom_plans)
	{
		int			number = foreach_current_index(lc);
		GpustrJoinSide *side = &state->side[number];

		side->plan = ExecInitNode(lfirst(lc), estate, eflags & ~(EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK));
		node->custom_ps = lappend(node->custom_ps, side->plan);
		gpustr_join_side(plan, state->join, number, &side->side);
		gpustr_feed_init(&side->feed, node, state->join, &side->side, number);
	}
	if (state->join->fused)
		((GpustrScanState *) state->side[0].plan)->fused = true;
	gpustr_emit_init(state);
	if (eflags & EXEC_FLAG_EXPLAIN_ONLY)
		return;

	/* the client belongs to the resource owner that a scan's pins will have */
	state->context = AllocSetContextCreate(estate->es_query_cxt, "GpuJoin",
										   ALLOCSET_DEFAULT_SIZES);
	state->pass_context = AllocSetContextCreate(state->context, "GpuJoin pass",
												ALLOCSET_DEFAULT_SIZES);
	state->client = gpustr_client_create(state->context);
	gpustr_client_before_redo(state->client, gpustr_tables_here, state);
}

static void
begin_pass(GpustrJoinState *state)
{
	state->phase = GPUSTR_JOIN_NEXT;
	if (!gpustr_join_build_tables(state))
		return;
	gpustr_outer_begin(state);
	gpustr_emit_begin_pass(state);
	state->phase = GPUSTR_JOIN_PROBE;
}

static TupleTableSlot *
gpustr_join_next(CustomScanState *node)
{
	GpustrJoinState *state = (GpustrJoinState *) node;
	TupleTableSlot *slot;

	for (;;)
	{
		switch (state->phase)
		{
			case GPUSTR_JOIN_PROBE:
				slot = gpustr_emit_next(state);
				if (slot != NULL)
					return slot;
				state->phase = gpustr_join_keeps_inner(state) ? GPUSTR_JOIN_REST : GPUSTR_JOIN_NEXT;
				break;
			case GPUSTR_JOIN_REST:
				slot = gpustr_emit_rest(state);
				if (slot != NULL)
					return slot;
				state->phase = GPUSTR_JOIN_NEXT;
				break;
			case GPUSTR_JOIN_NEXT:
				state->phase = gpustr_join_next_pass(state) ? GPUSTR_JOIN_PASS : GPUSTR_JOIN_DONE;
				break;
			case GPUSTR_JOIN_START:
				state->phase = gpustr_join_fill_inner(state) ? GPUSTR_JOIN_PASS : GPUSTR_JOIN_DONE;
				break;
			case GPUSTR_JOIN_PASS:
				begin_pass(state);
				break;
			case GPUSTR_JOIN_DONE:
				return ExecClearTuple(node->ss.ps.ps_ResultTupleSlot);
		}
	}
}

/* Must a side be run again? */
static bool
is_stale(const GpustrJoinState *state, const GpustrJoinSide *side)
{
	return side->plan->chgParam != NULL ||
		(side->feed.has_params && state->css.ss.ps.chgParam != NULL);
}

/*
 * The inner sides stay, with their tables, unless a Param of theirs has changed; the
 * outer side is run again.
 */
static void
gpustr_join_rescan(CustomScanState *node)
{
	GpustrJoinState *state = (GpustrJoinState *) node;
	int			i;

	for (i = 0; i <= state->join->nsteps; i++)
	{
		if (node->ss.ps.chgParam != NULL)
			UpdateChangedParamSet(state->side[i].plan, node->ss.ps.chgParam);
	}
	/* what is in flight has been asked for by way of the tables */
	gpustr_outer_reset(state);
	for (i = 0; i <= state->join->nsteps; i++)
	{
		GpustrJoinSide *side = &state->side[i];

		if (i > 0 && side->filled && !is_stale(state, side))
			continue;
		gpustr_join_forget_side(state, i);

		/*
		 * the outer plan may not be executed, so that it would do it by
		 * itself
		 */
		ExecReScan(side->plan);
	}
	gpustr_join_restart_passes(state);
	state->phase = GPUSTR_JOIN_START;
	ExecScanReScan(&node->ss);
}

/*
 * The executor is through for now, but a cursor may go on later.  A parallel join does
 * not, and its leader does not wait for what is in flight when it has had enough.
 */
static void
gpustr_join_shutdown(CustomScanState *node)
{
	GpustrJoinState *state = (GpustrJoinState *) node;

	if (state->phase == GPUSTR_JOIN_PROBE && state->shared != NULL)
	{
		gpustr_outer_surrender(state);
		state->phase = GPUSTR_JOIN_DONE;
	}
	else if (state->phase == GPUSTR_JOIN_PROBE)
	{
		const GpustrBatch *batch = gpustr_outer_settle(state);

		if (batch != NULL)
			gpustr_emit_moved(state, batch);
	}
	gpustr_join_report(state);
}

static void
gpustr_join_end(CustomScanState *node)
{
	GpustrJoinState *state = (GpustrJoinState *) node;
	ListCell   *lc;
	int			i;

	if (state->context != NULL)
	{
		gpustr_outer_end(state);
		for (i = 0; i <= state->join->nsteps; i++)
			gpustr_join_forget_side(state, i);
		MemoryContextDelete(state->context);
	}
	state->context = NULL;
	state->client = NULL;
	foreach(lc, node->custom_ps)
		ExecEndNode(lfirst(lc));
}
