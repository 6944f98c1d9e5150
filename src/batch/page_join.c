/*-------------------------------------------------------------------------
 *
 * page_join.c
 *	  Scan a heap table for a join: batches of pages and what they bring.
 *
 * Pages are read, submitted and collected as in any page scan (page_fill.c), and
 * several batches are in flight.  But whole batches are handed out, with the results of
 * a join, and these may come in pieces: then the batch runs again, from where the piece
 * ended, while those behind it stay in flight.
 *
 * When a batch has been collected it holds no pins.  So its pages are looked for anew:
 * the tuples that the scan has found visible are seen by a registered snapshot, hence
 * keep their line pointers, and the batch's row numbers stay what they were.  A page is
 * named in the place where it is now, or copied: as there is room for copies of all
 * pages of a batch, that can be decided page by page.
 *
 * A batch gets another body where its own has lost copies of pages (it was detached), or
 * had no room for a single row.  One that is larger than a slot is this backend's own.
 * It gets another layout where the room that it has for results suits them badly, which
 * is the case as a rule for the first batch.
 *
 * On error nothing is done here, see page_batch.c.
 *
 * IDENTIFICATION
 *	  src/batch/page_join.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/instrument.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "batch/page_scan.h"
#include "guc.h"

void
gpustr_page_scan_for_join(GpustrPageScan *scan, const GpustrResultLayout *result)
{
	Assert(scan->nbatches == 0 && scan->output.nout == 0 && !scan->at_rest);
	scan->join = MemoryContextAllocZero(scan->context, sizeof(PageJoin));
	gpustr_join_room_init(&scan->join->room, result, FIRST_BATCH_PAGES);
}

/* Bytes of a body for so many pages, with 2^(scale / 2) times the room that is expected. */
static uint64
scaled_bytes(const PageJoin *join, uint32 program_bytes, int32 pages, int scale)
{
	GpustrResultLayout layout;

	gpustr_join_room_layout(&join->room, pages, scale, &layout);
	return gpustr_layout_join_pages_bytes(program_bytes, pages, &layout);
}

uint64
gpustr_join_bytes(const PageJoin *join, int32 pages)
{
	return scaled_bytes(join, 0, pages, 0);
}

/*
 * As many as fit with the room that is expected; if not even one does, with less room.
 */
int32
gpustr_join_max_pages(const PageJoin *join, uint32 body_bytes, uint32 program_bytes)
{
	int32		low = 0;
	int			scale;

	for (scale = 0; low == 0 && scale >= GPUSTR_JOIN_ROOM_LEAST_SCALE; scale--)
	{
		int32		high = body_bytes / GPUSTR_PAGE_BYTES;

		while (low < high)
		{
			int32		mid = low + (high - low + 1) / 2;

			if (scaled_bytes(join, program_bytes, mid, scale) <= body_bytes)
				low = mid;
			else
				high = mid - 1;
		}
	}
	return low;
}

/* Inputs of a batch. */
typedef struct PageInputs
{
	uint32		program_bytes;
	int32		pages;
} PageInputs;

/* GpustrJoinBytes. */
static uint64
bytes_of(const void *arg, const GpustrResultLayout *layout)
{
	const PageInputs *inputs = arg;

	return gpustr_layout_join_pages_bytes(inputs->program_bytes, inputs->pages, layout);
}

/* What a body has room for beyond the pages is for results. */
GpustrBatch *
gpustr_join_lay_out(const PageJoin *join, void *body, uint32 body_bytes,
					const GpustrProgram *program, int32 pages, bool again)
{
	PageInputs	inputs = {program->bytes, pages};
	GpustrResultLayout layout;

	gpustr_join_room_fit(&join->room, pages, body_bytes, bytes_of, &inputs, &layout);
	return (again ? gpustr_layout_join_pages_again : gpustr_layout_join_pages)
		(body, body_bytes, program, pages, &layout);
}

/* Learn from the piece that the oldest batch has now. */
static void
note_results(GpustrPageScan *scan, const PageBatch *pb)
{
	const GpustrBatch *batch = pb->batch;

	scan->join->pieces++;
	scan->join->nresults += GPUSTR_BODY_PTR(batch, batch->result_off, const GpustrJoinResult)->nrows;
	gpustr_join_room_note(&scan->join->room, batch, batch->npages, scan->join->nresults);
}

const GpustrBatch *
gpustr_page_scan_next_batch(GpustrPageScan *scan)
{
	PageBatch  *pb;

	if (scan->emitting)
		gpustr_batch_release_oldest(scan);
	if (!gpustr_batch_oldest(scan))
	{
		gpustr_fetch_release(&scan->fetch);
		return NULL;
	}
	pb = &scan->ring[scan->first];
	scan->next_row = pb->batch->nrows;
	scan->join->nresults = 0;
	scan->join->pieces = 0;
	scan->join->page = 0;
	note_results(scan, pb);
	return pb->batch;
}

const GpustrBatch *
gpustr_page_scan_batch(GpustrPageScan *scan)
{
	return scan->ring[scan->first].batch;
}

/*
 * Pin page p of a batch again.  *name: it can stay where it is, and be pinned as long as
 * the batch runs.
 */
static Buffer
pin_again(GpustrPageScan *scan, PageBatch *pb, int p, bool may_name, bool *name)
{
	HeapScanDesc heap = scan->heap;
	int64		nread = pgBufferUsage.shared_blks_read;
	Buffer		buffer;
	bool		in_ring;

	CHECK_FOR_INTERRUPTS();
	buffer = gpustr_pin_page_again(heap, pb->block[p], pb->recent[p]);
	pb->recent[p] = buffer;
	in_ring = heap->rs_strategy != NULL && pgBufferUsage.shared_blks_read != nread;
	*name = may_name && (!in_ring || gpustr_request_is_local(pb->request)) &&
		gpustr_request_can_read_block(pb->request, buffer - 1);
	if (*name)
		pb->pinned[pb->npinned++] = buffer;
	return buffer;
}

static void
copy_page(void *to, Buffer buffer)
{
	memcpy(to, BufferGetPage(buffer), BLCKSZ);
	ReleaseBuffer(buffer);
}

/* Pin the pages that a batch names, which may be elsewhere now, in its own body. */
static void
name_pages_again(GpustrPageScan *scan, PageBatch *pb)
{
	GpustrBatch *batch = pb->batch;
	int32	   *page = GPUSTR_BODY_PTR(batch, batch->page_off, int32);
	char	   *staged = GPUSTR_BODY_PTR(batch, batch->staged_off, char);
	bool		may_name = gpustr_batch_may_name(scan, pb, batch->npages - batch->nstaged);
	bool		name;
	int			p;

	for (p = 0; p < batch->npages; p++)
	{
		Buffer		buffer;

		if (page[p] < 0)
			continue;
		buffer = pin_again(scan, pb, p, may_name, &name);
		if (name)
		{
			page[p] = buffer - 1;
			continue;
		}
		copy_page(staged + (Size) batch->nstaged * BLCKSZ, buffer);
		page[p] = -1 - batch->nstaged;
		batch->nstaged++;
	}
}

static bool
is_here(const GpustrPageScan *scan)
{
	return gpustr_client_place(scan->client) == GPUSTR_PLACE_LOCAL;
}

/*
 * A body of so many bytes for a batch: the one that it has, if that will do and it was
 * not taken out of its slot, which is to run where it ran.  What is in it is lost.
 */
static void
other_body(GpustrPageScan *scan, PageBatch *pb, uint64 bytes)
{
	if (!pb->detached && bytes <= gpustr_request_bytes(pb->request))
		gpustr_request_again(pb->request);
	else
	{
		gpustr_request_release(pb->request);
		pb->request = is_here(scan) ? gpustr_request_acquire_local(scan->client, bytes) :
			gpustr_request_acquire_soon(scan->client, bytes);
	}
	gpustr_request_set_mark(pb->request, 0, false);
}

/* Lay a batch out anew, and pin or copy all its pages. */
static void
move_batch(GpustrPageScan *scan, PageBatch *pb, const GpustrResultLayout *layout)
{
	uint32		in_bytes = pb->batch->in_bytes;
	GpustrBatch *old = MemoryContextAllocHuge(scan->context, in_bytes);
	const GpustrProgram *program;
	const int32 *row_start;
	const uint16 *line;
	bool		may_name;
	int			p;

	memcpy(old, pb->batch, in_bytes);
	program = GPUSTR_BODY_PTR(old, old->program_off, const GpustrProgram);
	row_start = GPUSTR_BODY_PTR(old, old->row_start_off, const int32);
	line = GPUSTR_BODY_PTR(old, old->line_off, const uint16);
	other_body(scan, pb, gpustr_layout_join_pages_bytes(program->bytes, old->npages, layout));
	pb->batch = gpustr_layout_join_pages(gpustr_request_body(pb->request),
										 gpustr_request_bytes(pb->request), program,
										 old->npages, layout);
	pb->detached = false;
	may_name = gpustr_batch_may_name(scan, pb, old->npages);
	for (p = 0; p < old->npages; p++)
	{
		bool		name;
		Buffer		buffer = pin_again(scan, pb, p, may_name, &name);
		void	   *copy = gpustr_layout_add_page(pb->batch, name ? buffer - 1 : -1,
												  line + row_start[p],
												  row_start[p + 1] - row_start[p]);

		if (!name)
			copy_page(copy, buffer);
	}
	pfree(old);
}

/* The layout of a body in which a row fits that has not in this one. */
static void
more_room(const GpustrBatch *batch, GpustrResultLayout *layout)
{
	uint64		bytes = gpustr_layout_join_pages_bytes(batch->program_bytes, batch->npages, layout);

	if (!gpustr_join_room_enlarge(layout, bytes - gpustr_layout_result_bytes(layout),
								  GPUSTR_MAX_BODY_BYTES))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("texts of a joined row are too large for a batch"),
				 errdetail("A batch holds 2 GB at most.")));
}

/*
 * What is known of the batch's results by now may be worth another layout: one that
 * should have twice as many in a piece.  A body of this backend's own may become as large
 * as a slot, and larger for a batch of many pieces.
 */
static bool
better_layout(const GpustrPageScan *scan, const PageBatch *pb, int32 nrows,
			  GpustrResultLayout *layout)
{
	const GpustrBatch *batch = pb->batch;
	PageInputs	inputs = {batch->program_bytes, batch->npages};
	uint64		bytes = gpustr_request_bytes(pb->request);

	if (gpustr_request_is_local(pb->request) &&
		scaled_bytes(scan->join, batch->program_bytes, batch->npages, 0) > bytes)
		bytes = Max(bytes, TYPEALIGN_DOWN(BLCKSZ, gpustr_batch_bytes));
	if (is_here(scan))
		bytes = gpustr_join_room_own_bytes(bytes, scan->join->pieces);
	gpustr_join_room_fit(&scan->join->room, batch->npages, bytes, bytes_of, &inputs, layout);
	return layout->room / 2 >= nrows;
}

/* Another layout for the next piece?  It must be laid out anew if its body is not whole. */
static bool
next_layout(const GpustrPageScan *scan, const PageBatch *pb, int32 nrows,
			GpustrResultLayout *layout)
{
	if (nrows > 0 && better_layout(scan, pb, nrows, layout))
		return true;
	gpustr_join_room_of_batch(pb->batch, layout);
	if (nrows == 0)
		more_room(pb->batch, layout);
	return nrows == 0 || pb->detached;
}

const GpustrBatch *
gpustr_page_scan_continue_batch(GpustrPageScan *scan)
{
	PageBatch  *pb = &scan->ring[scan->first];
	GpustrJoinResult result = *GPUSTR_BODY_PTR(pb->batch, pb->batch->result_off, GpustrJoinResult);
	GpustrResultLayout layout;

	Assert(scan->emitting && result.more == 1 && pb->npinned == 0 && pb->nbare == 0);
	if (next_layout(scan, pb, result.nrows, &layout))
		move_batch(scan, pb, &layout);
	else
	{
		gpustr_request_again(pb->request);
		name_pages_again(scan, pb);
	}
	pb->batch->result_pair = result.next_pair;
	pb->batch->result_skip = result.next_skip;
	pb->collected = false;
	gpustr_request_submit(pb->request);
	gpustr_batch_collect(scan, pb);
	note_results(scan, pb);
	return pb->batch;
}

/* The page that has a row. */
static int
page_of_row(const GpustrBatch *batch, int32 ordinal)
{
	const int32 *row_start = GPUSTR_BODY_PTR(batch, batch->row_start_off, const int32);
	int			low = 0;
	int			high = batch->npages - 1;

	while (low < high)
	{
		int			mid = (low + high + 1) / 2;

		if (row_start[mid] <= ordinal)
			low = mid;
		else
			high = mid - 1;
	}
	return low;
}

void
gpustr_page_scan_batch_row(GpustrPageScan *scan, int32 ordinal, GpustrPageRow *row)
{
	const PageBatch *pb = &scan->ring[scan->first];
	const GpustrBatch *batch = pb->batch;
	const int32 *row_start = GPUSTR_BODY_PTR(batch, batch->row_start_off, const int32);
	const uint32 *recheck = GPUSTR_BODY_PTR(batch, batch->recheck_off, const uint32);
	PageJoin   *join = scan->join;

	Assert(ordinal >= 0 && ordinal < batch->nrows);
	if (ordinal < row_start[join->page] || ordinal >= row_start[join->page + 1])
		join->page = page_of_row(batch, ordinal);
	row->block = pb->block[join->page];
	row->recent = pb->recent[join->page];
	row->line = GPUSTR_BODY_PTR(batch, batch->line_off, const uint16)[ordinal];
	row->recheck = (recheck[ordinal / 32] >> (ordinal % 32)) & 1;
	row->ordinal = ordinal;
}
