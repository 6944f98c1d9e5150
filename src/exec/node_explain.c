/*-------------------------------------------------------------------------
 *
 * node_explain.c
 *	  What EXPLAIN says about a GpuScan.
 *
 * explain.c prints the local quals itself, as Filter with Rows Removed by
 * Filter.  This adds, in all output formats,
 *
 *		GPU Filter		the offloaded clauses, in order
 *		GPU Output		the expressions that the engine computes
 *		Engine			which would run them now
 *	ANALYZE
 *		Rows Removed by GPU Filter
 *						by the engine, and of the rechecked rows by
 *						PostgreSQL; per loop, as explain.c counts.  Where
 *						there is no GPU Filter they are removed by Filter
 *		GPU Batches, GPU Rows, GPU Rows Rechecked, GPU Bytes In/Out
 *						totals over all loops, and over the workers of a
 *						parallel scan
 *		GPU Wait Time, GPU Transfer Time, GPU Kernel Time
 *						totals, if times are shown at all
 * Where a worker runs a scan that is not parallel aware (the inner side of a
 * join), PostgreSQL has no way for an extension to bring such totals back; they
 * are then not shown.  Rows Removed travels with PostgreSQL's own counts.
 *
 *	VERBOSE
 *		Not Offloaded	each other clause, and each call that could have been
 *						computed, and why it is not
 *
 * IDENTIFICATION
 *	  src/exec/node_explain.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/instrument.h"
#include "nodes/makefuncs.h"
#include "nodes/value.h"
#include "utils/ruleutils.h"

#include "compat.h"
#include "exec/scan_node.h"
#include "exec/scan_parallel.h"

/* Give a clause back as SQL, as explain.c's show_qual() does. */
static char *
deparse(Node *node, PlanState *planstate, List *ancestors, ExplainState *es)
{
	List	   *context = set_deparse_context_plan(es->deparse_cxt, planstate->plan,
												   ancestors);
	bool		useprefix = list_length(es->rtable) > 1 || es->verbose;

	return deparse_expression(node, context, useprefix, false);
}

static void
explain_clauses(GpustrScanState *state, List *ancestors, ExplainState *es)
{
	PlanState  *ps = &state->css.ss.ps;
	List	   *offloaded = NIL;
	List	   *refused = NIL;
	ListCell   *clause;
	ListCell   *flag;
	ListCell   *reason;

	forthree(clause, state->clauses->clauses, flag, state->clauses->offloaded,
			 reason, state->clauses->reasons)
	{
		if (lfirst_int(flag))
			offloaded = lappend(offloaded, lfirst(clause));
		else if (es->verbose)
			refused = lappend(refused,
							  psprintf("%s: %s",
									   deparse(lfirst(clause), ps, ancestors, es),
									   strVal(lfirst(reason))));
	}
	if (offloaded != NIL)
		ExplainPropertyText("GPU Filter",
							deparse((Node *) make_ands_explicit(offloaded), ps, ancestors, es),
							es);
	if (es->verbose)
	{
		foreach(clause, state->clauses->refused_outputs)
			refused = lappend(refused, strVal(lfirst(clause)));
	}
	if (refused != NIL)
		ExplainPropertyList("Not Offloaded", refused, es);
}

/* Expressions that the engine computes. */
static void
explain_outputs(GpustrScanState *state, List *ancestors, ExplainState *es)
{
	List	   *outputs = NIL;
	ListCell   *lc;

	foreach(lc, state->clauses->outputs)
		outputs = lappend(outputs, deparse(lfirst(lc), &state->css.ss.ps, ancestors, es));
	if (outputs != NIL)
		ExplainPropertyList("GPU Output", outputs, es);
}

/* Has a worker counted what did not come back to the leader? */
static bool
counters_are_partial(const PlanState *ps)
{
	int			i;

	if (ps->plan->parallel_aware || ps->worker_instrument == NULL)
		return false;
	for (i = 0; i < ps->worker_instrument->num_workers; i++)
	{
		if (ps->worker_instrument->instrument[i].nloops > 0)
			return true;
	}
	return false;
}

void
gpustr_explain_counters(const GpustrClientCounters *counters, ExplainState *es)
{
	ExplainPropertyUInteger("GPU Batches", NULL, counters->batches, es);
	if (counters->batches_local > 0 && gpustr_engine_choice() == GPUSTR_RUN_DEVICE)
		ExplainPropertyUInteger("GPU Batches Local", NULL, counters->batches_local, es);
	if (counters->batches_redone > 0)
		ExplainPropertyUInteger("GPU Batches Redone", NULL, counters->batches_redone, es);
	ExplainPropertyUInteger("GPU Rows", NULL, counters->rows, es);
	ExplainPropertyUInteger("GPU Rows Rechecked", NULL, counters->rechecks, es);
	ExplainPropertyUInteger("GPU Bytes In", "B", counters->bytes_in, es);
	ExplainPropertyUInteger("GPU Bytes Out", "B", counters->bytes_out, es);
	if (es->timing)
	{
		ExplainPropertyFloat("GPU Wait Time", "ms", counters->wait_ms, 3, es);
		ExplainPropertyFloat("GPU Transfer Time", "ms", counters->transfer_ms, 3, es);
		ExplainPropertyFloat("GPU Kernel Time", "ms", counters->kernel_ms, 3, es);
	}
}

static void
explain_counters(GpustrScanState *state, ExplainState *es)
{
	const GpustrClientCounters *counters = gpustr_scan_counters(state);
	Instrumentation *instr = state->css.ss.ps.instrument;

	gpustr_scan_report(state);
	if (instr != NULL && instr->nloops > 0)
		ExplainPropertyFloat("Rows Removed by GPU Filter", NULL,
							 instr->nfiltered2 / instr->nloops, 0, es);
	/* the batches of a fused scan are the join's */
	if (counters_are_partial(&state->css.ss.ps) || state->fused)
		return;
	gpustr_explain_counters(counters, es);
}

void
gpustr_scan_explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	GpustrScanState *state = (GpustrScanState *) node;

	explain_clauses(state, ancestors, es);
	explain_outputs(state, ancestors, es);
	ExplainPropertyText("Engine", gpustr_engine_label(), es);
	if (es->analyze && state->client != NULL)
		explain_counters(state, es);
}
