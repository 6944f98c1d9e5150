/*-------------------------------------------------------------------------
 *
 * page_blocks.c
 *	  Which page a scan reads next, and which ones to ask the kernel for.
 *
 * Pages come in the order of PostgreSQL's own heap scan (heapgettup_pagemode()
 * in 15): a serial scan goes from the start block around the table once, and
 * says where it is to scans that want to keep step with it; the participants
 * of a parallel scan are given ranges of pages by
 * table_block_parallelscan_nextpage(), which get smaller towards the end.
 *
 * Prefetching
 * -----------
 * PostgreSQL 15 leaves read-ahead of sequential scans to the kernel.  That is
 * as good as it gets where the table is in the OS cache: a PrefetchBuffer() per
 * page (buffer table, system call) is a fifth of what such a page costs.  It is
 * not enough where the device's part of the work is so fast that the scan waits
 * for the disk, or a parallel scan's ranges break up what the kernel takes for
 * a sequence.  So reads are timed, and only after one that has waited are the
 * next pages asked for, as many ahead as effective_io_concurrency of the
 * tablespace says, for GPUSTR_PREFETCH_PAGES pages; then it is left to the
 * kernel again until another read waits.  0 turns it off.
 *
 * Invariant: the 'ahead' pages after 'block' are this participant's own, so no
 * page is asked for by two.
 *
 * IDENTIFICATION
 *	  src/batch/page_blocks.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relscan.h"
#include "access/syncscan.h"
#include "access/tableam.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"
#include "utils/spccache.h"

#include "batch/page_blocks.h"
#include "compat.h"

/*
 * A batch of a parallel scan takes at most so many of the ranges that
 * PostgreSQL gives out (1/2048 to 1/1024 of the table, less at the end), or so
 * many pages if that is more.
 */
#define BATCH_RANGES 16
#define BATCH_MIN_PAGES 32

void
gpustr_blocks_start(GpustrBlocks *blocks, HeapScanDesc heap)
{
	memset(blocks, 0, sizeof(GpustrBlocks));
	blocks->heap = heap;
	blocks->block = InvalidBlockNumber;
	blocks->distance = get_tablespace_io_concurrency(heap->rs_base.rs_rd->rd_rel->reltablespace);
}

static BlockNumber
next_parallel(GpustrBlocks *blocks)
{
	HeapScanDesc heap = blocks->heap;
	Relation	rel = heap->rs_base.rs_rd;
	ParallelBlockTableScanDesc shared = (ParallelBlockTableScanDesc) heap->rs_base.rs_parallel;

	if (!blocks->started)
		table_block_parallelscan_startblock_init(rel, heap->rs_parallelworkerdata, shared);
	return table_block_parallelscan_nextpage(rel, heap->rs_parallelworkerdata, shared);
}

static BlockNumber
next_serial(GpustrBlocks *blocks)
{
	HeapScanDesc heap = blocks->heap;
	BlockNumber block = blocks->block;

	if (!blocks->started)
		return heap->rs_startblock;
	if (++block >= heap->rs_nblocks)
		block = 0;
	if (heap->rs_base.rs_flags & SO_ALLOW_SYNC)
		ss_report_location(heap->rs_base.rs_rd, block);
	return block == heap->rs_startblock ? InvalidBlockNumber : block;
}

BlockNumber
gpustr_blocks_next(GpustrBlocks *blocks)
{
	HeapScanDesc heap = blocks->heap;

	if (heap->rs_nblocks == 0)
		return InvalidBlockNumber;
	blocks->block = heap->rs_base.rs_parallel ? next_parallel(blocks) : next_serial(blocks);
	blocks->started = true;
	blocks->ahead = Max(blocks->ahead - 1, 0);
	return blocks->block;
}

/* How many pages after 'block' will be this participant's for sure? */
static BlockNumber
pages_to_come(const GpustrBlocks *blocks)
{
	HeapScanDesc heap = blocks->heap;

	if (heap->rs_base.rs_parallel)
		return heap->rs_parallelworkerdata->phsw_chunk_remaining;
	return (heap->rs_startblock + (heap->rs_nblocks - 1 - blocks->block)) % heap->rs_nblocks;
}

void
gpustr_blocks_prefetch(GpustrBlocks *blocks)
{
	HeapScanDesc heap = blocks->heap;
	int			target = Min(blocks->distance, pages_to_come(blocks));

	blocks->pages_left--;
	while (blocks->ahead < target)
	{
		uint64		block = (uint64) blocks->block + ++blocks->ahead;

		(void) PrefetchBuffer(heap->rs_base.rs_rd, MAIN_FORKNUM,
							  (BlockNumber) (block % heap->rs_nblocks));
	}
}

int
gpustr_blocks_fair_share(const GpustrBlocks *blocks)
{
	HeapScanDesc heap = blocks->heap;

	if (heap->rs_base.rs_parallel == NULL)
		return INT_MAX;
	if (!blocks->started)
		return BATCH_MIN_PAGES;
	return Max(BATCH_RANGES * heap->rs_parallelworkerdata->phsw_chunk_size, BATCH_MIN_PAGES);
}
