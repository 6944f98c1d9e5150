/*-------------------------------------------------------------------------
 *
 * page_fill.c
 *	  Read a table's pages into batches, and submit and collect these.
 *
 * Pages come in the heap scan's order, see page_blocks.c, and are read as it reads
 * them, see page_read.c.  The list of visible line pointers goes into a batch
 * together with the page: by name (its place in the shared buffer pool) where
 * the engine can read it there, else as a copy.
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
 * wants nothing held (page_batch.c), and where the sessions' common budget of pins is
 * used up.
 *
 * Invariants:
 *	- a page without visible tuples is in no batch;
 *	- a batch that has been collected holds no pins;
 *	- a bare pin is in a batch's bare[] or in scan->bare whenever an error can be
 *	  raised, and gpustr_drop_bare_pins() knows the scan.
 *
 * IDENTIFICATION
 *	  src/batch/page_fill.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/heapam.h"
#include "executor/instrument.h"
#include "storage/buf_internals.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "batch/batch_layout.h"
#include "batch/page_format.h"
#include "batch/page_pin.h"
#include "batch/page_read.h"
#include "batch/page_scan.h"
#include "compat.h"
#include "guc.h"

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

/*
 * How many pages ahead to fetch the buffer descriptor, when pins are dropped: some
 * thousand pages after it was pinned a descriptor has left the nearer caches.
 */
#define PREFETCH_PINS 8

void
gpustr_grow_ring(GpustrPageScan *scan, int depth)
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
		pfree(pb->bare);
	}
	pb->block = palloc_array(BlockNumber, pages);
	pb->recent = palloc_array(Buffer, pages);
	pb->pinned = palloc_array(Buffer, pages);
	pb->bare = palloc_array(Buffer, pages);
	pb->max_pages = pages;
	MemoryContextSwitchTo(old);
}

/* Drop a batch's bare pins. */
static void
drop_bare(PageBatch *pb)
{
	int			n = pb->nbare;
	int			i;

	pb->nbare = 0;
	for (i = 0; i < n; i++)
	{
		if (i + PREFETCH_PINS < n)
			__builtin_prefetch(GetBufferDescriptor(pb->bare[i + PREFETCH_PINS] - 1), 1);
		gpustr_unpin_bare(pb->bare[i]);
	}
}

void
gpustr_batch_drop_pins(GpustrPageScan *scan, PageBatch *pb)
{
	int			i;

	drop_bare(pb);
	for (i = 0; i < pb->npinned; i++)
		ReleaseBuffer(pb->pinned[i]);
	pb->npinned = 0;
	if (pb->budget > 0)
		gpustr_client_give_pins(scan->client, pb->budget);
	pb->budget = 0;
}

void
gpustr_drop_page(GpustrPageScan *scan)
{
	Buffer		bare = scan->bare;

	scan->bare = InvalidBuffer;
	if (BufferIsValid(bare))
		gpustr_unpin_bare(bare);
	else
		ReleaseBuffer(scan->buffer);
}

void
gpustr_drop_bare_pins(void *arg)
{
	GpustrPageScan *scan = arg;
	int			i;

	/* nobody would drop those taken from now on */
	scan->may_pin_bare = false;
	for (i = 0; i < scan->nring; i++)
	{
		drop_bare(&scan->ring[i]);
		scan->ring[i].budget = 0;	/* the client gives it back */
	}
	if (BufferIsValid(scan->bare))
	{
		gpustr_drop_page(scan);
		scan->page_waits = false;
	}
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
	scan->buffer = gpustr_read_page(heap, block, scan->hint_base,
									scan->may_pin_bare ? &scan->bare : NULL, &read_us);
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
		gpustr_drop_page(scan);
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
		if (BufferIsValid(scan->bare))
			pb->bare[pb->nbare++] = buffer;
		else
			pb->pinned[pb->npinned++] = buffer;
		scan->bare = InvalidBuffer;
	}
	else
	{
		void	   *copy = gpustr_layout_add_page(pb->batch, -1, heap->rs_vistuples, nlines);

		memcpy(copy, BufferGetPage(buffer), BLCKSZ);
		gpustr_drop_page(scan);
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
			gpustr_drop_page(scan);
	}
	if (scan->page_waits)
		gpustr_page_scan_set_program(scan, scan->first_row(scan->first_row_context));
	return scan->page_waits;
}

bool
gpustr_batch_may_name(GpustrPageScan *scan, PageBatch *pb, int pages)
{
	if (RelationUsesLocalBuffers(scan->heap->rs_base.rs_rd) ||
		(scan->at_rest && !gpustr_request_is_local(pb->request)) ||
		pages > NBuffers / 8 ||
		!gpustr_client_take_pins(scan->client, pages))
		return false;
	pb->budget = pages;
	return true;
}

/*
 * Room for a batch of this backend's own whose results are many: as much as batches
 * have that run elsewhere.  It is given twice what is asked for.
 */
static Size
join_results_bytes(const GpustrPageScan *scan)
{
	uint64		bytes = gpustr_join_bytes(scan->join, LOCAL_BATCH_PAGES);

	return bytes <= GPUSTR_LOCAL_BODY_BYTES ? 0 : Min(bytes, gpustr_batch_bytes / 4);
}

/* The most pages of a batch in its body. */
static int
most_pages(GpustrPageScan *scan, const PageBatch *pb)
{
	uint32		bytes = gpustr_request_bytes(pb->request);

	if (scan->join != NULL)
		return gpustr_join_max_pages(scan->join, bytes, scan->program->bytes);
	return gpustr_page_output_max_pages(&scan->output, bytes, scan->program->bytes);
}

/* Lay the body out.  again: it has the program already. */
static GpustrBatch *
lay_out(GpustrPageScan *scan, const PageBatch *pb, int pages, bool again)
{
	void	   *body = gpustr_request_body(pb->request);
	uint32		bytes = gpustr_request_bytes(pb->request);

	if (scan->join != NULL)
		return gpustr_join_lay_out(scan->join, body, bytes, scan->program, pages, again);
	return (again ? gpustr_layout_pages_again : gpustr_layout_pages)
		(body, bytes, scan->program, pages, scan->output.nout, scan->output.page_bytes);
}

bool
gpustr_batch_submit(GpustrPageScan *scan)
{
	HeapScanDesc heap = scan->heap;
	PageBatch  *pb = &scan->ring[(scan->first + scan->nbatches) % scan->nring];
	Size		least_bytes = (BLCKSZ + 1024) + 8192;
	uint32		program_bytes;
	bool		local;
	bool		again;			/* the body has the program already */
	bool		may_name;
	int			pages;
	int			most;

	if (scan->program == NULL && !find_first_row(scan))
		return false;
	program_bytes = scan->program->bytes;

	/*
	 * room for one page, copied, and what is beside: a slot may be small; but
	 * a large program should come with as many bytes of pages
	 */
	if (program_bytes > GPUSTR_LOCAL_BODY_BYTES / 4)
		least_bytes += program_bytes;
	if (scan->join != NULL)
		least_bytes += join_results_bytes(scan);
	pb->request = gpustr_request_acquire(scan->client,
										 program_bytes + least_bytes +
										 gpustr_page_output_bytes(&scan->output));
	if (pb->request == NULL)
		return false;

	local = gpustr_request_is_local(pb->request);
	again = gpustr_request_mark(pb->request) == scan->program_mark;
	gpustr_request_set_mark(pb->request, scan->program_mark, again);
	if (local)
	{
		pages = heap->rs_strategy ? RING_BATCH_PAGES : LOCAL_BATCH_PAGES;
		/* a large program that is to be copied should be worth it */
		if (!again)
			pages = Max(pages, program_bytes / BLCKSZ);
	}
	else
		pages = Min(scan->next_pages, gpustr_blocks_fair_share(&scan->blocks));
	most = most_pages(scan, pb);
	pages = Min(pages, most);
	if (pages <= 0)
		elog(ERROR, "a batch of %u bytes has no room for a page",
			 gpustr_request_bytes(pb->request));
	grow_batch(scan, pb, pages);
	pb->npages = 0;
	pb->npinned = 0;
	pb->budget = 0;
	pb->collected = false;
	pb->detached = false;
	pb->batch = lay_out(scan, pb, pages, again);
	may_name = gpustr_batch_may_name(scan, pb, pages);
	while (pb->npages < pages && (scan->page_waits || read_next_page(scan)))
	{
		scan->page_waits = false;
		add_page(scan, pb, may_name);
	}

	if (pb->npages == 0)
	{
		gpustr_batch_drop_pins(scan, pb);
		gpustr_request_set_mark(pb->request, 0, false); /* nothing has run */
		gpustr_request_release(pb->request);
		return false;
	}
	gpustr_request_submit(pb->request);
	scan->nbatches++;
	if (local)
	{
		/* it has run */
		gpustr_request_wait(pb->request);
		gpustr_batch_drop_pins(scan, pb);
		pb->collected = true;
	}
	else
		scan->next_pages = Min(2 * scan->next_pages, most);
	return true;
}

void
gpustr_batch_collect(GpustrPageScan *scan, PageBatch *pb)
{
	if (pb->collected)
		return;
	gpustr_request_wait(pb->request);
	pb->batch = gpustr_request_body(pb->request);	/* it may have moved */
	gpustr_batch_drop_pins(scan, pb);
	pb->collected = true;
}

void
gpustr_batch_detach(PageBatch *pb)
{
	pb->detached = pb->detached || !gpustr_request_is_local(pb->request);
	gpustr_request_detach(pb->request);
	pb->batch = gpustr_request_body(pb->request);
}
