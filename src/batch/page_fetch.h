/*-------------------------------------------------------------------------
 *
 * page_fetch.h
 *	  Fetch tuples of a heap scan whose pages are not pinned any more.
 *
 * IDENTIFICATION
 *	  src/batch/page_fetch.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_PAGE_FETCH_H
#define GPUSTR_PAGE_FETCH_H

#include "access/heapam.h"
#include "executor/tuptable.h"

typedef struct GpustrFetch
{
	HeapScanDesc heap;
	BlockNumber block;			/* the page that is pinned, or invalid */
	Buffer		buffer;
	HeapTupleData tuple;
} GpustrFetch;

extern void gpustr_fetch_init(GpustrFetch *fetch, HeapScanDesc heap);

/*
 * Put the tuple that the scan's snapshot saw at (block, line) into a buffer
 * slot.  recent: where its page was a moment ago.  The page stays pinned until
 * the next one is fetched from, or release().
 */
extern void gpustr_fetch_tuple(GpustrFetch *fetch, BlockNumber block, Buffer recent,
							   OffsetNumber line, TupleTableSlot *slot);

/*
 * Pin a page again on which the scan has found visible tuples; these stay where they
 * are as long as it is pinned.
 */
extern Buffer gpustr_pin_page_again(HeapScanDesc heap, BlockNumber block, Buffer recent);

extern void gpustr_fetch_release(GpustrFetch *fetch);

#endif							/* GPUSTR_PAGE_FETCH_H */
