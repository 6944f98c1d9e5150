/*-------------------------------------------------------------------------
 *
 * page_batch.h
 *	  Scan a heap table through an engine, a batch of pages at a time.
 *
 * IDENTIFICATION
 *	  src/batch/page_batch.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_PAGE_BATCH_H
#define GPUSTR_PAGE_BATCH_H

#include "access/heapam.h"
#include "access/relscan.h"
#include "executor/tuptable.h"
#include "storage/block.h"
#include "storage/buf.h"
#include "storage/off.h"

#include "batch/batch_layout.h"
#include "batch/page_output.h"
#include "program/program.h"
#include "service/client.h"

typedef struct GpustrPageScan GpustrPageScan;

/* A row that the program lets pass, or (recheck) cannot decide. */
typedef struct GpustrPageRow
{
	BlockNumber block;
	OffsetNumber line;
	bool		recheck;
	int32		ordinal;		/* in its batch */
	Buffer		recent;			/* where the page was a moment ago */
} GpustrPageRow;

/* Asked for the program when a scan or rescan comes to a visible row. */
typedef const GpustrProgram *(*GpustrFirstRow) (void *context);

/*
 * Start to scan, through a heap scan that has been begun, serial or parallel,
 * and is ended with this one.  Everything is allocated in the current memory
 * context.  at_rest: hold no pin between two calls but the one of the last tuple
 * fetched, and no slot.  nout: output columns of the program; long_values: expect
 * values in them as long as those that they are made of.
 */
extern GpustrPageScan *gpustr_page_scan_begin(TableScanDesc heap,
											  GpustrFirstRow first_row, void *context,
											  GpustrClient *client, bool at_rest, int32 nout,
											  bool long_values);

/* The program for further batches. */
extern void gpustr_page_scan_set_program(GpustrPageScan *scan, const GpustrProgram *program);

/* The next such row, in the order of the table; false at the end. */
extern bool gpustr_page_scan_next(GpustrPageScan *scan, GpustrPageRow *row);

/* The output columns, for the row that next() handed out last. */
extern const GpustrPageOutput *gpustr_page_scan_output(const GpustrPageScan *scan);

/* Put the row's tuple, which stays in its page, into a buffer slot. */
extern void gpustr_page_scan_fetch(GpustrPageScan *scan, const GpustrPageRow *row,
								   TupleTableSlot *slot);

/* Wait for what is in flight, drop all pins and slots; the scan can go on. */
extern void gpustr_page_scan_settle(GpustrPageScan *scan);

/*
 * Give up what is in flight and hand out the heap scan beneath, as it is when
 * it has not begun; next() must not be called before a rescan.
 */
extern HeapScanDesc gpustr_page_scan_surrender(GpustrPageScan *scan);

/*
 * Rows of the table that next() has passed so far, those that it handed out
 * included; over all rescans.
 */
extern uint64 gpustr_page_scan_passed(GpustrPageScan *scan);

/* Rows that next() handed out so far, over all rescans. */
extern uint64 gpustr_page_scan_handed(GpustrPageScan *scan);

extern void gpustr_page_scan_rescan(GpustrPageScan *scan);
extern void gpustr_page_scan_end(GpustrPageScan *scan);

/*
 * Joins: a scan whose program has RESULT steps hands out batches, not rows.  Made by
 * gpustr_page_scan_begin() with nout 0 and at_rest false, then this, before the first
 * batch.  The layout is copied; its room and text_bytes are what a batch of 32 pages
 * begins with, and follow what batches need.
 */
extern void gpustr_page_scan_for_join(GpustrPageScan *scan, const GpustrResultLayout *result);

/*
 * The next batch, with its first results, or NULL at the end.  The one before it is
 * gone.
 */
extern const GpustrBatch *gpustr_page_scan_next_batch(GpustrPageScan *scan);

/*
 * Where GpustrJoinResult.more is 1: run the batch again, from there on, with its pages
 * pinned anew, and with more room if there was not enough for one row.  The results
 * before are gone.
 */
extern const GpustrBatch *gpustr_page_scan_continue_batch(GpustrPageScan *scan);

/* That batch: settle() may have moved it. */
extern const GpustrBatch *gpustr_page_scan_batch(GpustrPageScan *scan);

/* Row 'ordinal' of that batch, which can be fetched; recheck: its bit in the bitmap. */
extern void gpustr_page_scan_batch_row(GpustrPageScan *scan, int32 ordinal, GpustrPageRow *row);

#endif							/* GPUSTR_PAGE_BATCH_H */
