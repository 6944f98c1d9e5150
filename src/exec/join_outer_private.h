/*-------------------------------------------------------------------------
 *
 * join_outer_private.h
 *	  The outer side of a GpuJoin from within: for join_outer.c and join_pages.c only.
 *
 * IDENTIFICATION
 *	  src/exec/join_outer_private.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_JOIN_OUTER_PRIVATE_H
#define GPUSTR_JOIN_OUTER_PRIVATE_H

#include "exec/join_chunk.h"
#include "exec/join_columns.h"
#include "exec/join_node.h"

typedef struct GpustrJoinOuter
{
	GpustrColumns *columns;

	/* rows that are gathered: of the outer plan, or to be rechecked */
	GpustrChunkBuilder rows;
	bool		row_waits;		/* the plan's last row has found no room yet */
	int32		next_rows;		/* to gather next time */
	bool		plan_done;		/* the plan, or the store, is at its end */

	/* fused: see join_pages.c */
	GpustrPageScan *scan;		/* NULL: not fused, or not yet */
	const GpustrBatch *batch;	/* of pages, whose results come next; NULL:
								 * none */
	bool		from_columns;	/* the results handed out are of columns */
	int32		word;			/* of its recheck bitmap that is looked at */
	uint32		bits;			/* that are left in it; 0 before the first */
	bool		flushing;		/* gathered rows are sent ... */
	bool		flushed;		/* ... and have been */
	bool		scan_done;
} GpustrJoinOuter;

/* Begin with the pages. */
extern void gpustr_pages_begin(GpustrJoinState *state);

/* As gpustr_outer_next() and gpustr_outer_settle(); columns: the batch of columns. */
extern const GpustrBatch *gpustr_pages_next(GpustrJoinState *state);
extern const GpustrBatch *gpustr_pages_settle(GpustrJoinState *state, const GpustrBatch *columns);

/* The rows that have been gathered because they are recheck, once; then NULL. */
extern const GpustrChunk *gpustr_pages_rechecked(GpustrJoinState *state);

/* A rescan: from the first page on. */
extern void gpustr_pages_reset(GpustrJoinState *state);

/* Let the outer plan scan the pages itself, from the first one on. */
extern void gpustr_pages_give_back(GpustrJoinState *state);

extern void gpustr_pages_end(GpustrJoinState *state);

#endif							/* GPUSTR_JOIN_OUTER_PRIVATE_H */
