/*-------------------------------------------------------------------------
 *
 * scan_backward.c
 *	  A GpuScan that is asked to go backward, or that batches are of no use to.
 *
 * A cursor may be fetched backward if its plan supports that, and one over a
 * sequential scan does, also where it was not declared SCROLL.  So a GpuScan
 * does, too: batches are a forward affair, so the first step back gives up
 * those in flight, and from then on PostgreSQL's own heap scan goes on, in
 * either direction, from the row that came out last.  The clauses are
 * PostgreSQL's to evaluate then.  A rescan begins with batches again.
 *
 * The same is done, forward, when DateStyle or extra_float_digits, on which a date or
 * a float as text depends, is changed while the scan runs, as between two fetches
 * from a cursor: PostgreSQL would not have looked at the rows ahead yet.  A parallel
 * scan cannot see that.
 *
 * IDENTIFICATION
 *	  src/exec/scan_backward.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/tableam.h"
#include "executor/executor.h"

#include "compat.h"
#include "exec/scan_backward.h"
#include "plan/text_build.h"

/* Put a heap scan on a tuple, as if it had just returned it. */
static void
position_at(HeapScanDesc heap, ItemPointer tid)
{
	OffsetNumber line = ItemPointerGetOffsetNumber(tid);
	int			i = 0;

	gpustr_heap_read_page(heap, ItemPointerGetBlockNumber(tid));
	while (i < heap->rs_ntuples && heap->rs_vistuples[i] != line)
		i++;
	if (i == heap->rs_ntuples)
		elog(ERROR, "tuple (%u,%u) of relation \"%s\" has gone, though a snapshot sees it",
			 ItemPointerGetBlockNumber(tid), line,
			 RelationGetRelationName(heap->rs_base.rs_rd));
	heap->rs_cindex = i;
	heap->rs_inited = true;
}

bool
gpustr_scan_style_is_new(GpustrScanState *state)
{
	bool		shown = gpustr_shows_refusal(state->shows) == NULL;

	if (shown)
		state->has_shown = true;
	return !shown && state->has_shown && state->shared == NULL && ItemPointerIsValid(&state->last);
}

TupleTableSlot *
gpustr_scan_walk(GpustrScanState *state, ScanDirection direction)
{
	ScanState  *ss = &state->css.ss;
	ExprContext *econtext = ss->ps.ps_ExprContext;
	TupleTableSlot *slot = ss->ss_ScanTupleSlot;

	if (state->walk == NULL)
	{
		state->walk = gpustr_page_scan_surrender(state->scan);
		/* else the scan is at its end, where a step back finds the last row */
		if (ItemPointerIsValid(&state->last))
			position_at(state->walk, &state->last);
	}
	while (table_scan_getnextslot(&state->walk->rs_base, direction, slot))
	{
		econtext->ecxt_scantuple = slot;
		if (ExecQualAndReset(state->full_qual, econtext))
			return slot;
		InstrCountFiltered1(&state->css, 1);
		CHECK_FOR_INTERRUPTS();
	}
	return ExecClearTuple(slot);
}
