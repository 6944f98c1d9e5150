/*-------------------------------------------------------------------------
 *
 * join_pages.c
 *	  A fused outer side of a GpuJoin: the pages of a table, filtered and joined.
 *
 * The outer plan is a GpuScan that is not executed.  Its heap scan, its clauses and
 * their late values are used here, with a program that goes on where the scan's ends:
 * its rows probe the tables.
 *
 * A row that the program cannot decide is judged as the scan would do it, by all its
 * clauses; if it passes it is projected as the scan would, and gathered with others
 * for a batch of columns.  That is done after the results of its batch, and the batch
 * of columns is sent when there are many such rows, or no more.
 *
 * Failure: as a page scan's (page_batch.c).
 *
 * IDENTIFICATION
 *	  src/exec/join_pages.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/tableam.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#include "compat.h"
#include "exec/join_outer_private.h"
#include "exec/late_eval.h"

static inline GpustrScanState *
scan_of(const GpustrJoinState *state)
{
	return (GpustrScanState *) state->side[0].plan;
}

static inline const GpustrJoinResult *
results_of(const GpustrBatch *batch)
{
	return GPUSTR_BODY_PTR(batch, batch->result_off, const GpustrJoinResult);
}

/* GpustrLateBuild. */
static GpustrProgram *
build_program(void *context, const GpustrLateValues *late)
{
	GpustrJoinState *state = context;
	GpustrScanState *child = scan_of(state);

	return gpustr_join_page_program((CustomScan *) state->css.ss.ps.plan, state->join,
									&state->tables, child->css.ss.ss_currentRelation,
									child->clauses, late);
}

/* GpustrFirstRow. */
static const GpustrProgram *
program_at_first_row(void *context)
{
	return gpustr_late_program(scan_of(context)->late);
}

/* Take the heap scan over. */
static void
start_scan(GpustrJoinState *state)
{
	GpustrScanState *child = scan_of(state);
	TableScanDesc heap = child->parallel_heap;
	MemoryContext old = MemoryContextSwitchTo(state->context);

	if (child->late == NULL)
		child->late = gpustr_late_create(&child->css.ss, child->clauses);
	gpustr_late_set_build(child->late, build_program, state);
	if (heap == NULL)
		heap = table_beginscan(child->css.ss.ss_currentRelation,
							   child->css.ss.ps.state->es_snapshot, 0, NULL);
	child->parallel_heap = NULL;
	state->outer->scan = gpustr_page_scan_begin(heap, program_at_first_row, state, state->client,
												false, 0, false);
	gpustr_page_scan_for_join(state->outer->scan, &state->results.layout);
	MemoryContextSwitchTo(old);
}

void
gpustr_pages_begin(GpustrJoinState *state)
{
	GpustrJoinOuter *outer = state->outer;

	Assert(scan_of(state)->output == NULL && scan_of(state)->scan == NULL);
	if (outer->scan == NULL)
		start_scan(state);
	outer->batch = NULL;
	outer->from_columns = false;
	outer->flushing = false;
	outer->scan_done = false;
	gpustr_chunk_reset(&outer->rows);
}

/* Put a row that the scan lets pass with those that are gathered.  False if there is no room. */
static bool
gather_row(GpustrJoinState *state)
{
	GpustrJoinSide *side = &state->side[0];
	ScanState  *ss = &scan_of(state)->css.ss;
	TupleTableSlot *slot = ss->ss_ScanTupleSlot;

	if (ss->ps.ps_ProjInfo != NULL)
		slot = ExecProject(ss->ps.ps_ProjInfo);
	gpustr_feed_row(&side->feed, slot);
	return gpustr_chunk_put(&state->outer->rows, &side->side, side->feed.value,
							side->feed.isnull);
}

/* Judge a row of the batch, and gather it if it passes.  False if there is no room. */
static bool
recheck_row(GpustrJoinState *state, int32 ordinal)
{
	GpustrJoinOuter *outer = state->outer;
	GpustrScanState *child = scan_of(state);
	ScanState  *ss = &child->css.ss;
	ExprContext *econtext = ss->ps.ps_ExprContext;
	TupleTableSlot *slot = ss->ss_ScanTupleSlot;
	bool		learned = false;
	bool		passes = true;
	GpustrPageRow row;

	CHECK_FOR_INTERRUPTS();
	ResetExprContext(econtext);
	gpustr_page_scan_batch_row(outer->scan, ordinal, &row);
	gpustr_page_scan_fetch(outer->scan, &row, slot);
	econtext->ecxt_scantuple = slot;
	if (gpustr_late_waits(child->late))
		passes = gpustr_late_judge(child->late, econtext, &learned);
	else if (child->full_qual != NULL)
		passes = ExecQual(child->full_qual, econtext);
	if (learned)
		gpustr_page_scan_set_program(outer->scan, gpustr_late_program(child->late));
	if (!passes)
	{
		InstrCountFiltered2(&child->css, 1);
		return true;
	}
	if (ss->ps.instrument != NULL)
		InstrUpdateTupleCount(ss->ps.instrument, 1);
	outer->row_waits = !gather_row(state);
	return !outer->row_waits;
}

/*
 * Judge the rows of the batch that are recheck, from where this was left.  False if
 * gathered rows must be sent first.
 */
static bool
recheck_rows(GpustrJoinState *state)
{
	GpustrJoinOuter *outer = state->outer;
	int32		nwords = GPUSTR_BITMAP_WORDS(outer->batch->nrows);

	if (outer->row_waits)
	{
		/*
		 * it is in the scan's slot still, and the rows before it have been
		 * sent
		 */
		if (!gather_row(state))
			elog(ERROR, "an empty chunk of a join has no room for a row");
		outer->row_waits = false;
	}
	for (;;)
	{
		while (outer->bits != 0)
		{
			int			bit = pg_rightmost_one_pos32(outer->bits);

			outer->bits &= outer->bits - 1;
			if (!recheck_row(state, outer->word * 32 + bit))
				return false;
		}
		if (++outer->word >= nwords)
			return true;
		outer->bits = GPUSTR_BODY_PTR(outer->batch, outer->batch->recheck_off,
									  const uint32)[outer->word];
	}
}

/* How many rows of the batch are recheck? */
static int32
count_rechecks(const GpustrBatch *batch)
{
	const uint32 *recheck = GPUSTR_BODY_PTR(batch, batch->recheck_off, const uint32);

	return (int32) pg_popcount((const char *) recheck,
							   GPUSTR_BITMAP_WORDS(batch->nrows) * sizeof(uint32));
}

/* The next batch of pages; NULL at the end. */
static const GpustrBatch *
next_pages(GpustrJoinState *state)
{
	GpustrJoinOuter *outer = state->outer;
	GpustrScanState *child = scan_of(state);
	Instrumentation *instr = child->css.ss.ps.instrument;
	const GpustrBatch *batch;
	int32		probed = 0;

	if (instr != NULL)
		InstrStartNode(instr);
	batch = gpustr_page_scan_next_batch(outer->scan);
	if (batch != NULL)
		probed = results_of(batch)->probed;
	if (instr != NULL)
		InstrStopNode(instr, probed);
	if (batch != NULL)
		InstrCountFiltered2(&child->css, batch->nrows - probed - count_rechecks(batch));
	outer->batch = batch;
	outer->word = -1;
	outer->bits = 0;
	return batch;
}

/* Send the rows that have been gathered. */
static void
flush(GpustrJoinOuter *outer)
{
	gpustr_chunk_close(&outer->rows);
	outer->flushing = true;
	outer->flushed = false;
}

const GpustrChunk *
gpustr_pages_rechecked(GpustrJoinState *state)
{
	GpustrJoinOuter *outer = state->outer;

	if (!outer->flushing || outer->flushed)
		return NULL;
	outer->flushed = true;
	return outer->rows.chunk.nrows > 0 ? &outer->rows.chunk : NULL;
}

/*
 * Get on to the next results: of gathered rows, of this batch's pages, of the next's.
 * Returns NULL if there are none yet, and the caller should try again, or at the end.
 */
static const GpustrBatch *
step(GpustrJoinState *state)
{
	GpustrJoinOuter *outer = state->outer;
	const GpustrBatch *batch;

	if (outer->flushing)
	{
		batch = gpustr_columns_next(outer->columns);
		outer->from_columns = batch != NULL;
		if (batch != NULL)
			return batch;
		outer->flushing = false;
		gpustr_chunk_reset(&outer->rows);
	}
	if (outer->batch != NULL && outer->word < 0 && results_of(outer->batch)->more)
		return outer->batch = gpustr_page_scan_continue_batch(outer->scan);
	if (outer->batch != NULL && !recheck_rows(state))
	{
		flush(outer);
		return NULL;
	}
	batch = next_pages(state);
	if (batch == NULL)
	{
		outer->scan_done = true;
		if (outer->rows.chunk.nrows > 0)
			flush(outer);
	}
	return batch;
}

const GpustrBatch *
gpustr_pages_next(GpustrJoinState *state)
{
	GpustrJoinOuter *outer = state->outer;

	while (!outer->scan_done || outer->flushing)
	{
		const GpustrBatch *batch;

		CHECK_FOR_INTERRUPTS();
		if (outer->scan_done)
		{
			batch = gpustr_columns_next(outer->columns);
			outer->from_columns = batch != NULL;
			if (batch == NULL)
				outer->flushing = false;
		}
		else
			batch = step(state);
		if (batch != NULL && results_of(batch)->nrows > 0)
			return batch;
	}
	return NULL;
}

const GpustrBatch *
gpustr_pages_settle(GpustrJoinState *state, const GpustrBatch *columns)
{
	GpustrJoinOuter *outer = state->outer;
	TupleTableSlot *slot = scan_of(state)->css.ss.ss_ScanTupleSlot;

	/* a row that was looked at last pins its page */
	if (outer->row_waits)
		ExecMaterializeSlot(slot);
	else
		ExecClearTuple(slot);
	gpustr_page_scan_settle(outer->scan);
	if (outer->batch != NULL)
		outer->batch = gpustr_page_scan_batch(outer->scan);
	return outer->from_columns ? columns : outer->batch;
}

void
gpustr_pages_reset(GpustrJoinState *state)
{
	GpustrScanState *child = scan_of(state);

	if (state->outer->scan == NULL)
		return;
	gpustr_page_scan_rescan(state->outer->scan);
	gpustr_late_rescan(child->late, child->css.ss.ps.chgParam);
	state->outer->batch = NULL;
}

void
gpustr_pages_give_back(GpustrJoinState *state)
{
	GpustrScanState *child = scan_of(state);
	GpustrPageScan *scan = state->outer->scan;

	child->fused = false;
	if (scan == NULL)
		return;
	gpustr_page_scan_rescan(scan);
	child->parallel_heap = &gpustr_page_scan_surrender(scan)->rs_base;
	child->late = NULL;
	state->outer->scan = NULL;
}

void
gpustr_pages_end(GpustrJoinState *state)
{
	if (state->outer->scan != NULL)
		gpustr_page_scan_end(state->outer->scan);
	state->outer->scan = NULL;
}
