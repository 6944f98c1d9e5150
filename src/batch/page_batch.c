/*-------------------------------------------------------------------------
 *
 * page_batch.c
 *	  Scan a heap table through an engine, a batch of pages at a time.
 *
 * The scan is a heap scan of PostgreSQL's own, serial or this participant's
 * part of a parallel one (snapshot, predicate lock, buffer strategy, where to
 * start and how to keep step with other scans are table_beginscan()'s or
 * table_beginscan_parallel()'s).  Batches are filled and submitted as they are
 * full by page_fill.c, and several are in flight; results are used in the order
 * of submission, here.
 *
 * A batch's pins are dropped when it is collected, so when a tuple is to be
 * emitted its page is pinned anew: page_fetch.c.
 *
 * A cursor that may go backward is not shut down by the executor between two
 * fetches, and may rest for long.  So its scan holds neither pins nor slots
 * between two rows: it copies pages, and has one batch at a time, whose results
 * it takes out of the slot.
 *
 * On error nothing is done here: pins belong to the resource owner, requests and
 * bare pins to the client, the rest to a memory context.
 *
 * IDENTIFICATION
 *	  src/batch/page_batch.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/tableam.h"
#include "port/pg_bitutils.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "batch/page_hint.h"
#include "batch/page_pin.h"
#include "batch/page_scan.h"
#include "compat.h"

GpustrPageScan *
gpustr_page_scan_begin(TableScanDesc heap, GpustrFirstRow first_row, void *context,
					   GpustrClient *client, bool at_rest, int32 nout,
					   bool long_values)
{
	GpustrPageScan *scan = palloc0(sizeof(GpustrPageScan));

	if (!IsMVCCSnapshot(heap->rs_snapshot))
		elog(ERROR, "a GpuScan needs an MVCC snapshot");
	scan->heap = (HeapScanDesc) heap;
	scan->hint_base = gpustr_page_hint_base(RelationGetRelid(heap->rs_rd));
	gpustr_blocks_start(&scan->blocks, scan->heap);
	scan->first_row = first_row;
	scan->first_row_context = context;
	scan->client = client;
	scan->at_rest = at_rest;
	scan->may_pin_bare = gpustr_may_pin_bare(scan->heap);
	gpustr_client_on_given_up(client, gpustr_drop_bare_pins, scan);
	scan->context = CurrentMemoryContext;
	scan->next_pages = FIRST_BATCH_PAGES;
	scan->in_flight_limit = 1;
	gpustr_fetch_init(&scan->fetch, scan->heap);
	gpustr_page_output_init(&scan->output, nout, long_values);
	return scan;
}

const GpustrPageOutput *
gpustr_page_scan_output(const GpustrPageScan *scan)
{
	return &scan->output;
}

static void
point_at_results(GpustrPageScan *scan, GpustrBatch *batch)
{
	scan->selected = GPUSTR_BODY_PTR(batch, batch->selected_off, uint32);
	scan->recheck = GPUSTR_BODY_PTR(batch, batch->recheck_off, uint32);
	scan->row_start = GPUSTR_BODY_PTR(batch, batch->row_start_off, int32);
	scan->line = GPUSTR_BODY_PTR(batch, batch->line_off, uint16);
	gpustr_page_output_point(&scan->output, batch);
}

/*
 * The first batch goes alone, so that LIMIT 1 does not wait for more; then one
 * more is let fly each time.
 */
bool
gpustr_batch_oldest(GpustrPageScan *scan)
{
	PageBatch  *pb;
	int			depth = scan->at_rest ? 1 : Max(gpustr_client_depth(scan->client), 1);

	gpustr_grow_ring(scan, depth);
	scan->in_flight_limit = Min(scan->in_flight_limit, depth);
	while (!scan->exhausted && scan->nbatches < scan->in_flight_limit)
	{
		if (!gpustr_batch_submit(scan))
			break;
	}
	if (scan->nbatches == 0)
	{
		if (!scan->exhausted)
			elog(ERROR, "no memory for a batch, though none is in flight");
		return false;
	}
	scan->in_flight_limit++;

	pb = &scan->ring[scan->first];
	gpustr_batch_collect(scan, pb);
	if (scan->at_rest)
		gpustr_batch_detach(pb);
	scan->emitting = true;
	return true;
}

/* Have the oldest batch ready to hand out rows.  False at the end. */
static bool
next_batch(GpustrPageScan *scan)
{
	PageBatch  *pb;

	if (!gpustr_batch_oldest(scan))
		return false;
	pb = &scan->ring[scan->first];
	scan->next_row = 0;
	scan->page = -1;
	scan->page_end = 0;
	scan->word = 0;
	scan->nwords = GPUSTR_BITMAP_WORDS(pb->batch->nrows);
	point_at_results(scan, pb->batch);
	gpustr_page_output_learn(&scan->output, pb->batch);
	scan->recheck_bits = scan->recheck[0];
	scan->bits = scan->selected[0] | scan->recheck_bits;
	return true;
}

void
gpustr_batch_release_oldest(GpustrPageScan *scan)
{
	PageBatch  *pb = &scan->ring[scan->first];

	scan->passed += pb->batch->nrows;
	gpustr_request_release(pb->request);
	pb->request = NULL;
	scan->first = (scan->first + 1) % scan->nring;
	scan->nbatches--;
	scan->emitting = false;
}

/* Step to the page that has the row. */
static inline void
step_to_page(GpustrPageScan *scan, int32 ordinal)
{
	const PageBatch *pb = &scan->ring[scan->first];

	while (scan->page_end <= ordinal)
		scan->page_end = scan->row_start[++scan->page + 1];
	scan->block = pb->block[scan->page];
	scan->recent = pb->recent[scan->page];
}

bool
gpustr_page_scan_next(GpustrPageScan *scan, GpustrPageRow *row)
{
	int32		ordinal;
	int			bit;

	for (;;)
	{
		if (scan->emitting)
		{
			while (scan->bits == 0 && ++scan->word < scan->nwords)
			{
				scan->recheck_bits = scan->recheck[scan->word];
				scan->bits = scan->selected[scan->word] | scan->recheck_bits;
			}
			if (scan->bits != 0)
				break;
			gpustr_batch_release_oldest(scan);
		}
		if (!next_batch(scan))
		{
			gpustr_fetch_release(&scan->fetch);
			return false;
		}
	}

	bit = pg_rightmost_one_pos32(scan->bits);
	scan->bits &= scan->bits - 1;
	ordinal = (int32) scan->word * 32 + bit;
	scan->next_row = ordinal + 1;
	if (ordinal >= scan->page_end)
		step_to_page(scan, ordinal);
	row->block = scan->block;
	row->recent = scan->recent;
	row->line = scan->line[ordinal];
	row->recheck = (scan->recheck_bits >> bit) & 1;
	row->ordinal = ordinal;
	scan->handed++;
	return true;
}

void
gpustr_page_scan_set_program(GpustrPageScan *scan, const GpustrProgram *program)
{
	scan->program = program;
	scan->program_mark++;
}

void
gpustr_page_scan_fetch(GpustrPageScan *scan, const GpustrPageRow *row, TupleTableSlot *slot)
{
	gpustr_fetch_tuple(&scan->fetch, row->block, row->recent, row->line, slot);
}

void
gpustr_page_scan_settle(GpustrPageScan *scan)
{
	int			i;

	for (i = 0; i < scan->nbatches; i++)
	{
		PageBatch  *pb = &scan->ring[(scan->first + i) % scan->nring];

		gpustr_batch_collect(scan, pb);
		gpustr_batch_detach(pb);
	}
	if (scan->emitting)
		point_at_results(scan, scan->ring[scan->first].batch);
	gpustr_fetch_release(&scan->fetch);
}

uint64
gpustr_page_scan_passed(GpustrPageScan *scan)
{
	return scan->passed + (scan->emitting ? scan->next_row : 0);
}

uint64
gpustr_page_scan_handed(GpustrPageScan *scan)
{
	return scan->handed;
}

/* Give up what is in flight and drop all pins. */
static void
abandon_batches(GpustrPageScan *scan)
{
	int			i;

	scan->passed = gpustr_page_scan_passed(scan);
	gpustr_client_reset(scan->client);
	for (i = 0; i < scan->nbatches; i++)
	{
		PageBatch  *pb = &scan->ring[(scan->first + i) % scan->nring];

		pb->budget = 0;			/* the reset gave it back */
		gpustr_batch_drop_pins(scan, pb);
	}
	scan->nbatches = 0;
	scan->emitting = false;
	if (scan->page_waits)
		gpustr_drop_page(scan);
	scan->page_waits = false;
	gpustr_fetch_release(&scan->fetch);
}

HeapScanDesc
gpustr_page_scan_surrender(GpustrPageScan *scan)
{
	abandon_batches(scan);
	scan->exhausted = true;
	scan->heap->rs_cblock = InvalidBlockNumber;
	return scan->heap;
}

void
gpustr_page_scan_rescan(GpustrPageScan *scan)
{
	abandon_batches(scan);
	table_rescan(&scan->heap->rs_base, NULL);
	scan->program = NULL;
	scan->exhausted = false;
	gpustr_blocks_start(&scan->blocks, scan->heap);
	scan->next_pages = FIRST_BATCH_PAGES;
	scan->in_flight_limit = 1;
}

void
gpustr_page_scan_end(GpustrPageScan *scan)
{
	abandon_batches(scan);
	table_endscan(&scan->heap->rs_base);
}
