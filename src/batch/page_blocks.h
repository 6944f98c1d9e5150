/*-------------------------------------------------------------------------
 *
 * page_blocks.h
 *	  Which page a scan reads next, and which ones to ask the kernel for.
 *
 * IDENTIFICATION
 *	  src/batch/page_blocks.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_PAGE_BLOCKS_H
#define GPUSTR_PAGE_BLOCKS_H

#include "access/heapam.h"
#include "storage/block.h"

/* A read that takes longer has waited for a disk, not for the OS cache. */
#define GPUSTR_SLOW_READ_US 50

/* So many pages are prefetched after a slow read, before the next look. */
#define GPUSTR_PREFETCH_PAGES 1024

typedef struct GpustrBlocks
{
	HeapScanDesc heap;
	bool		started;
	BlockNumber block;			/* the one handed out last */

	/* prefetching */
	int			distance;		/* effective_io_concurrency of the tablespace */
	int			ahead;			/* pages after 'block' that were asked for */
	int			pages_left;		/* to prefetch for */
} GpustrBlocks;

/* Begin a scan, or begin it again. */
extern void gpustr_blocks_start(GpustrBlocks *blocks, HeapScanDesc heap);

/*
 * The next page of a serial scan, or of this participant's share of a parallel
 * one; InvalidBlockNumber at the end.
 */
extern BlockNumber gpustr_blocks_next(GpustrBlocks *blocks);

/* Ask the kernel for pages after the one handed out last. */
extern void gpustr_blocks_prefetch(GpustrBlocks *blocks);

/* The most pages to take for one batch, so that siblings finish together. */
extern int	gpustr_blocks_fair_share(const GpustrBlocks *blocks);

/* A page was not found in shared buffers at once, and took so long to pin. */
static inline void
gpustr_blocks_note_read(GpustrBlocks *blocks, double microseconds)
{
	if (microseconds > GPUSTR_SLOW_READ_US && blocks->distance > 0)
		blocks->pages_left = GPUSTR_PREFETCH_PAGES;
}

#endif							/* GPUSTR_PAGE_BLOCKS_H */
