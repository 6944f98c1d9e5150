/*-------------------------------------------------------------------------
 *
 * page_fetch.c
 *	  Fetch tuples of a heap scan whose pages are not pinned any more.
 *
 * The tuple is visible to the scan's registered snapshot, hence still there,
 * under the same line pointer; but someone who got the cleanup lock before our
 * pin may still be moving tuples about in the page, so the content lock is
 * taken and released once before line pointers are read.  From then on our pin
 * keeps the page as it is.
 *
 * On error nothing is done here: the pin belongs to the resource owner.
 *
 * IDENTIFICATION
 *	  src/batch/page_fetch.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "batch/page_fetch.h"
#include "compat.h"

void
gpustr_fetch_init(GpustrFetch *fetch, HeapScanDesc heap)
{
	fetch->heap = heap;
	fetch->block = InvalidBlockNumber;
	fetch->buffer = InvalidBuffer;
}

void
gpustr_fetch_release(GpustrFetch *fetch)
{
	if (BufferIsValid(fetch->buffer))
		ReleaseBuffer(fetch->buffer);
	fetch->buffer = InvalidBuffer;
	fetch->block = InvalidBlockNumber;
}

Buffer
gpustr_pin_page_again(HeapScanDesc heap, BlockNumber block, Buffer recent)
{
	Relation	rel = heap->rs_base.rs_rd;
	Buffer		buffer = recent;

	/* 15.0 to 15.3 look at the wrong descriptors for a local buffer */
	if (RelationUsesLocalBuffers(rel) || !gpustr_read_recent_buffer(rel, block, recent))
		buffer = ReadBufferExtended(rel, MAIN_FORKNUM, block, RBM_NORMAL, heap->rs_strategy);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	gpustr_test_for_old_snapshot(heap->rs_base.rs_snapshot, rel, buffer);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	return buffer;
}

static void
pin_page(GpustrFetch *fetch, BlockNumber block, Buffer recent)
{
	gpustr_fetch_release(fetch);
	fetch->buffer = gpustr_pin_page_again(fetch->heap, block, recent);
	fetch->block = block;
}

void
gpustr_fetch_tuple(GpustrFetch *fetch, BlockNumber block, Buffer recent,
				   OffsetNumber line, TupleTableSlot *slot)
{
	Relation	rel = fetch->heap->rs_base.rs_rd;
	HeapTuple	tuple = &fetch->tuple;
	Page		page;
	ItemId		lp;

	if (block != fetch->block)
		pin_page(fetch, block, recent);
	page = BufferGetPage(fetch->buffer);
	lp = PageGetItemId(page, line);
	if (!ItemIdIsNormal(lp))
		elog(ERROR, "tuple (%u,%u) of relation \"%s\" has gone, though a snapshot sees it",
			 block, line, RelationGetRelationName(rel));
	tuple->t_data = (HeapTupleHeader) PageGetItem(page, lp);
	tuple->t_len = ItemIdGetLength(lp);
	tuple->t_tableOid = RelationGetRelid(rel);
	ItemPointerSet(&tuple->t_self, block, line);
	ExecStoreBufferHeapTuple(tuple, slot, fetch->buffer);
}
