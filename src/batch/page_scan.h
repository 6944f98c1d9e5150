/*-------------------------------------------------------------------------
 *
 * page_scan.h
 *	  A page scan from within: for page_batch.c, page_fill.c and page_join.c only.
 *
 * IDENTIFICATION
 *	  src/batch/page_scan.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_PAGE_SCAN_H
#define GPUSTR_PAGE_SCAN_H

#include "access/heapam.h"

#include "batch/join_room.h"
#include "batch/page_batch.h"
#include "batch/page_blocks.h"
#include "batch/page_fetch.h"

/*
 * One batch of the ring.  pinned[] and bare[] hold its pins, each once: ordinary ones,
 * and bare ones (page_pin.h); both are empty once the batch has been collected.
 */
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
	int			nbare;
	Buffer	   *bare;
	int			budget;			/* pins taken from the common budget */
	bool		collected;
	bool		detached;		/* without its staged pages */
} PageBatch;

/* What a scan for a join has beside. */
typedef struct PageJoin
{
	GpustrJoinRoom room;		/* of the next batch */
	uint64		nresults;		/* of the batch that is handed out, so far ... */
	int			pieces;			/* ... in so many pieces */
	int			page;			/* of the last row of it that was looked for */
} PageJoin;

/*
 * Batches are in a ring, oldest first; the oldest one may be the one whose rows
 * are being handed out, all others are in flight.
 */
struct GpustrPageScan
{
	HeapScanDesc heap;
	GpustrFirstRow first_row;
	void	   *first_row_context;
	const GpustrProgram *program;	/* NULL before the first visible row */
	uint64		program_mark;	/* which program that is, of this scan's */
	GpustrClient *client;
	bool		at_rest;		/* hold nothing between two rows */
	MemoryContext context;

	/* reading */
	bool		exhausted;		/* no more pages */
	GpustrBlocks blocks;
	bool		may_pin_bare;
	Buffer		buffer;			/* of the page just read, pinned */
	Buffer		bare;			/* the same, if that pin is a bare one */
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
	int			page;			/* of the last row handed out; -1: none yet */
	int32		page_end;		/* first row after it */
	BlockNumber block;			/* where it is, and was */
	Buffer		recent;
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

	PageJoin   *join;			/* NULL in a scan that hands out rows */
};

/* Pages of the first batch through a device; each next one has twice that. */
#define FIRST_BATCH_PAGES 32

/*
 * Make room in the ring for 'depth' batches.  It grows only while it is empty
 * or unwrapped from 0, as gpustr.batch_depth may change between two calls.
 */
extern void gpustr_grow_ring(GpustrPageScan *scan, int depth);

/*
 * Fill and submit one batch.  False if there is nothing left to read, or if
 * no body is to be had before a batch in flight is collected.
 */
extern bool gpustr_batch_submit(GpustrPageScan *scan);

/*
 * Have the oldest batch of the ring collected, and others in flight.  False at the end
 * of the table.
 */
extern bool gpustr_batch_oldest(GpustrPageScan *scan);

/* That batch has been handed out. */
extern void gpustr_batch_release_oldest(GpustrPageScan *scan);

/* Wait for a batch's results, and drop its pins. */
extern void gpustr_batch_collect(GpustrPageScan *scan, PageBatch *pb);

/* Keep the results of a collected batch, but not its slot. */
extern void gpustr_batch_detach(PageBatch *pb);

extern void gpustr_batch_drop_pins(GpustrPageScan *scan, PageBatch *pb);

/* May a batch name so many pages where they are?  Then they are in its budget. */
extern bool gpustr_batch_may_name(GpustrPageScan *scan, PageBatch *pb, int pages);

/* Drop the pin of the page just read, which is in no batch. */
extern void gpustr_drop_page(GpustrPageScan *scan);

/*
 * Drop all bare pins of the scan ('arg').  GpustrGivenUp: raises no error.
 */
extern void gpustr_drop_bare_pins(void *arg);

/*
 * For a join (page_join.c): the bytes that a batch of so many pages needs beside the
 * program, the most pages of a batch in a body of so many bytes, and its layout.
 * again: the body has the program already.
 */
extern uint64 gpustr_join_bytes(const PageJoin *join, int32 pages);
extern int32 gpustr_join_max_pages(const PageJoin *join, uint32 body_bytes, uint32 program_bytes);
extern GpustrBatch *gpustr_join_lay_out(const PageJoin *join, void *body, uint32 body_bytes,
										const GpustrProgram *program, int32 pages, bool again);

#endif							/* GPUSTR_PAGE_SCAN_H */
