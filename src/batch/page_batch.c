/*-------------------------------------------------------------------------
 *
 * page_batch.c
 *	  Scan a heap table through an engine, a batch of pages at a time.
 *
 * The scan is a heap scan of PostgreSQL's own, serial or this participant's
 * part of a parallel one (snapshot, predicate lock, buffer strategy, where to
 * start and how to keep step with other scans are table_beginscan()'s or
 * table_beginscan_parallel()'s).  Pages come in its order, see page_blocks.c,
 * and are read as it reads them, see page_read.c.
 * The list of visible line pointers goes into a batch together with the page:
 * by name (its place in the shared buffer pool) where the engine can read it
 * there, else as a copy.  Batches are submitted as they are full, and several
 * are in flight; results are used in the order of submission.
 *
 * Pins
 * ----
 * The batch that names a page keeps the pin with which it was read, so that
 * the page's bytes stay in place while the engine reads them.  It is dropped
 * when the batch has been collected.  A copied page is unpinned at once.
 * Pages are copied where they are in local buffers, where the engine cannot
 * read the block, where they have just been read into the small ring of buffers
 * that a scan of a large table goes through (many pins would defeat it; a page
 * that was in shared buffers before is in no ring of ours), where the caller
 * wants nothing held (below), and where the sessions' common budget of pins is
 * used up.
 *
 * So when a tuple is to be emitted its page is pinned anew: page_fetch.c.
 *
 * A cursor that may go backward is not shut down by the executor between two
 * fetches, and may rest for long.  So its scan holds neither pins nor slots
 * between two rows: it copies pages, and has one batch at a time, whose results
 * it takes out of the slot.
 *
 * Invariants:
 *	- a page without visible tuples is in no batch;
 *	- batches are in a ring, oldest first; the oldest one may be the one whose
 *	  rows are being handed out, all others are in flight;
 *	- pinned[] of a batch holds its pins, each once; it is empty once the
 *	  batch has been collected.
 *
 * On error nothing is done here: pins belong to the resource owner, requests
 * to the client, the rest to a memory context.
 *
 * IDENTIFICATION
 *	  src/batch/page_batch.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/tableam.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "batch/batch_layout.h"
#include "batch/page_batch.h"
#include "batch/page_blocks.h"
#include "batch/page_fetch.h"
#include "batch/page_format.h"
#include "batch/page_hint.h"
#include "batch/page_read.h"
#include "compat.h"

/* Pages of the first batch through a device; each next one has twice that. */
#define FIRST_BATCH_PAGES 32

/*
 * Pages of a batch that runs in this backend: enough to spread the cost of a
 * batch, few enough to stay in the CPU's cache.
 */
#define LOCAL_BATCH_PAGES 32

/*
 * The same where the scan reads through a ring of buffers (32 of them, see
 * GetAccessStrategy()): half the ring, so that its pages need no copies.
 */
#define RING_BATCH_PAGES 16

typedef struct PageBatch
{
	GpustrRequest *request;
	GpustrBatch *batch;
	int			npages;
	int			max_pages;		/* room in the arrays */
	BlockNumber *block;			/* of each page */
	Buffer	   *recent;			/* where each page was */
	int			npinned;
	Buffer	   *pinned;
	int			budget;			/* pins taken from the common budget */
	bool		collected;
} PageBatch;

struct GpustrPageScan
{
	HeapScanDesc heap;
	GpustrFirstRow first_row;
	void	   *first_row_context;
	const GpustrProgram *program;	/* NULL before the first visible row */
	GpustrClient *client;
	bool		at_rest;		/* hold nothing between two rows */
	MemoryContext context;

	/* reading */
	bool		exhausted;		/* no more pages */
	GpustrBlocks blocks;
	Buffer		buffer;			/* of the page just read, pinned */
	bool		page_waits;		/* it is to be the first of the next batch */
	bool		in_ring;		/* it was read into the scan's small ring */
	uint32		hint_base;
	int			next_pages;		/* pages of the next batch */
	int			in_flight_limit;

	/* the ring */
	int			nring;
	int			first;
	int			nbatches;
	PageBatch  *ring;

	/* the batch whose rows are handed out, if any, is ring[first] */
	bool		emitting;
	int			page;
	uint32		word;
	uint32		nwords;
	uint32		bits;			/* rows of 'word' still to hand out */
	uint32		recheck_bits;
	const uint32 *selected;
	const uint32 *recheck;
	const int32 *row_start;
	const uint16 *line;
	int32		next_row;		/* after the last row handed out */
	uint64		passed;			/* rows of earlier batches */
	uint64		handed;			/* rows handed out ever */

	GpustrFetch fetch;			/* of tuples for the rows handed out */
	GpustrPageOutput output;
};

GpustrPageScan *
gpustr_page_scan_begin(TableScanDesc heap, GpustrFirstRow first_row, void *context,
					   GpustrClient *client, bool at_rest, int32 nout)
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
	scan->context = CurrentMemoryContext;
	scan->next_pages = FIRST_BATCH_PAGES;
	scan->in_flight_limit = 1;
	gpustr_fetch_init(&scan->fetch, scan->heap);
	gpustr_page_output_init(&scan->output, nout);
	return scan;
}

/*
 * Make room in the ring for 'depth' batches.  It grows only while it is empty
 * or unwrapped from 0, as gpustr.batch_depth may change between two calls.
 */
static void
grow_ring(GpustrPageScan *scan, int depth)
{
	PageBatch  *ring;
	int			i;

	if (depth <= scan->nring)
		return;
	ring = MemoryContextAllocZero(scan->context, depth * sizeof(PageBatch));
	for (i = 0; i < scan->nring; i++)
		ring[i] = scan->ring[(scan->first + i) % scan->nring];
	if (scan->ring)
		pfree(scan->ring);
	scan->ring = ring;
	scan->nring = depth;
	scan->first = 0;
}

/* Room for the pages of a batch. */
static void
grow_batch(GpustrPageScan *scan, PageBatch *pb, int pages)
{
	MemoryContext old;

	if (pages <= pb->max_pages)
		return;
	old = MemoryContextSwitchTo(scan->context);
	if (pb->max_pages > 0)
	{
		pfree(pb->block);
		pfree(pb->recent);
		pfree(pb->pinned);
	}
	pb->block = palloc_array(BlockNumber, pages);
	pb->recent = palloc_array(Buffer, pages);
	pb->pinned = palloc_array(Buffer, pages);
	pb->max_pages = pages;
	MemoryContextSwitchTo(old);
}

static void
drop_pins(GpustrPageScan *scan, PageBatch *pb)
{
	int			i;

	for (i = 0; i < pb->npinned; i++)
		ReleaseBuffer(pb->pinned[i]);
	pb->npinned = 0;
	if (pb->budget > 0)
		gpustr_client_give_pins(scan->client, pb->budget);
	pb->budget = 0;
}

/* Step to the next page, and read it.  False at the end of the table. */
static inline bool
read_next_page(GpustrPageScan *scan)
{
	HeapScanDesc heap = scan->heap;
	BlockNumber block = gpustr_blocks_next(&scan->blocks);
	int64		nread = pgBufferUsage.shared_blks_read;
	double		read_us;

	if (block == InvalidBlockNumber)
	{
		scan->exhausted = true;
		return false;
	}
	if (scan->blocks.pages_left > 0)
		gpustr_blocks_prefetch(&scan->blocks);
	scan->buffer = gpustr_read_page(heap, block, scan->hint_base, &read_us);
	gpustr_blocks_note_read(&scan->blocks, read_us);
	scan->in_ring = heap->rs_strategy != NULL && pgBufferUsage.shared_blks_read != nread;
	return true;
}

/* Add the page that has just been read, and keep or drop its pin. */
static inline void
add_page(GpustrPageScan *scan, PageBatch *pb, bool may_name)
{
	HeapScanDesc heap = scan->heap;
	Buffer		buffer = scan->buffer;
	int			nlines = heap->rs_ntuples;

	if (nlines == 0)
	{
		ReleaseBuffer(buffer);
		return;
	}
	gpustr_count_heap_tuples(heap->rs_base.rs_rd, nlines);
	pb->block[pb->npages] = heap->rs_cblock;
	pb->recent[pb->npages] = buffer;
	pb->npages++;
	if (may_name && (!scan->in_ring || gpustr_request_is_local(pb->request)) &&
		gpustr_request_can_read_block(pb->request, buffer - 1))
	{
		(void) gpustr_layout_add_page(pb->batch, buffer - 1, heap->rs_vistuples, nlines);
		pb->pinned[pb->npinned++] = buffer;
	}
	else
	{
		void	   *copy = gpustr_layout_add_page(pb->batch, -1, heap->rs_vistuples, nlines);

		memcpy(copy, BufferGetPage(buffer), BLCKSZ);
		ReleaseBuffer(buffer);
	}
}

/*
 * Read up to the first page with a visible row, which is when the program is
 * asked for.  False if there is none.
 */
static bool
find_first_row(GpustrPageScan *scan)
{
	while (!scan->page_waits && read_next_page(scan))
	{
		if (scan->heap->rs_ntuples > 0)
			scan->page_waits = true;
		else
			ReleaseBuffer(scan->buffer);
	}
	if (scan->page_waits)
		scan->program = scan->first_row(scan->first_row_context);
	return scan->page_waits;
}

/*
 * Fill and submit one batch.  False if there is nothing left to read, or if
 * no body is to be had before a batch in flight is collected.
 */
static bool
submit_batch(GpustrPageScan *scan)
{
	HeapScanDesc heap = scan->heap;
	PageBatch  *pb = &scan->ring[(scan->first + scan->nbatches) % scan->nring];
	uint32		program_bytes;
	bool		local;
	bool		may_name;
	int			pages;
	int			most;

	if (scan->program == NULL && !find_first_row(scan))
		return false;
	program_bytes = scan->program->bytes;

	/* room for one page, copied, and what is beside: a slot may be small */
	pb->request = gpustr_request_acquire(scan->client,
										 program_bytes + (BLCKSZ + 1024) + 8192 +
										 gpustr_page_output_bytes(&scan->output));
	if (pb->request == NULL)
		return false;

	local = gpustr_request_is_local(pb->request);
	if (local)
		pages = heap->rs_strategy ? RING_BATCH_PAGES : LOCAL_BATCH_PAGES;
	else
		pages = Min(scan->next_pages, gpustr_blocks_fair_share(&scan->blocks));
	most = gpustr_page_output_max_pages(&scan->output, gpustr_request_bytes(pb->request),
										program_bytes);
	pages = Min(pages, most);
	if (pages <= 0)
		elog(ERROR, "a batch of %u bytes has no room for a page",
			 gpustr_request_bytes(pb->request));
	grow_batch(scan, pb, pages);
	pb->npages = 0;
	pb->npinned = 0;
	pb->budget = 0;
	pb->collected = false;
	pb->batch = gpustr_layout_pages(gpustr_request_body(pb->request),
									gpustr_request_bytes(pb->request),
									scan->program, pages, scan->output.nout,
									scan->output.page_bytes);

	may_name = !RelationUsesLocalBuffers(heap->rs_base.rs_rd) &&
		(local || !scan->at_rest) &&
		pages <= NBuffers / 8 &&
		gpustr_client_take_pins(scan->client, pages);
	if (may_name)
		pb->budget = pages;

	while (pb->npages < pages && (scan->page_waits || read_next_page(scan)))
	{
		scan->page_waits = false;
		add_page(scan, pb, may_name);
	}

	if (pb->npages == 0)
	{
		drop_pins(scan, pb);
		gpustr_request_release(pb->request);
		return false;
	}
	gpustr_request_submit(pb->request);
	scan->nbatches++;
	if (local)
	{
		/* it has run */
		gpustr_request_wait(pb->request);
		drop_pins(scan, pb);
		pb->collected = true;
	}
	else
		scan->next_pages = Min(2 * scan->next_pages, most);
	return true;
}

static void
collect_batch(GpustrPageScan *scan, PageBatch *pb)
{
	if (pb->collected)
		return;
	gpustr_request_wait(pb->request);
	pb->batch = gpustr_request_body(pb->request);	/* it may have moved */
	drop_pins(scan, pb);
	pb->collected = true;
}

/* Keep the results of a collected batch, but not its slot. */
static void
detach_batch(PageBatch *pb)
{
	gpustr_request_detach(pb->request);
	pb->batch = gpustr_request_body(pb->request);
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
 * Have the oldest batch ready to hand out rows.  False at the end.
 *
 * The first batch goes alone, so that LIMIT 1 does not wait for more; then one
 * more is let fly each time.
 */
static bool
next_batch(GpustrPageScan *scan)
{
	PageBatch  *pb;
	int			depth = scan->at_rest ? 1 : Max(gpustr_client_depth(scan->client), 1);

	grow_ring(scan, depth);
	scan->in_flight_limit = Min(scan->in_flight_limit, depth);
	while (!scan->exhausted && scan->nbatches < scan->in_flight_limit)
	{
		if (!submit_batch(scan))
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
	collect_batch(scan, pb);
	if (scan->at_rest)
		detach_batch(pb);
	scan->emitting = true;
	scan->next_row = 0;
	scan->page = 0;
	scan->word = 0;
	scan->nwords = GPUSTR_BITMAP_WORDS(pb->batch->nrows);
	point_at_results(scan, pb->batch);
	gpustr_page_output_learn(&scan->output, pb->batch);
	scan->recheck_bits = scan->recheck[0];
	scan->bits = scan->selected[0] | scan->recheck_bits;
	return true;
}

static void
release_oldest(GpustrPageScan *scan)
{
	PageBatch  *pb = &scan->ring[scan->first];

	scan->passed += pb->batch->nrows;
	gpustr_request_release(pb->request);
	pb->request = NULL;
	scan->first = (scan->first + 1) % scan->nring;
	scan->nbatches--;
	scan->emitting = false;
}

bool
gpustr_page_scan_next(GpustrPageScan *scan, GpustrPageRow *row)
{
	PageBatch  *pb;
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
			release_oldest(scan);
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
	while (scan->row_start[scan->page + 1] <= ordinal)
		scan->page++;
	pb = &scan->ring[scan->first];
	row->block = pb->block[scan->page];
	row->recent = pb->recent[scan->page];
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

		collect_batch(scan, pb);
		detach_batch(pb);
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
		drop_pins(scan, pb);
	}
	scan->nbatches = 0;
	scan->emitting = false;
	if (scan->page_waits)
		ReleaseBuffer(scan->buffer);
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
