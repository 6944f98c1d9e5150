/*-------------------------------------------------------------------------
 *
 * scan_node.h
 *	  The GpuScan executor node.
 *
 * IDENTIFICATION
 *	  src/exec/scan_node.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_SCAN_NODE_H
#define GPUSTR_SCAN_NODE_H

#include "access/heapam.h"
#include "nodes/execnodes.h"

#include "batch/page_batch.h"
#include "plan/program_build.h"

typedef struct GpustrScanState
{
	CustomScanState css;		/* must be first field */
	GpustrScanClauses *clauses;
	MemoryContext context;		/* of the client and the page scan */
	GpustrClient *client;		/* NULL under plain EXPLAIN */
	struct GpustrLate *late;	/* NULL until the first row is asked for */
	struct GpustrOutput *output;	/* NULL: the table's own tuples come out */
	GpustrPageScan *scan;		/* NULL until the first row is asked for */
	bool		fused;			/* a GpuJoin reads the pages, for itself */

	/* in a parallel plan: see scan_parallel.c */
	struct GpustrScanShared *shared;	/* in the DSM, while that is there */
	TableScanDesc parallel_heap;	/* begun there, until 'scan' has it */
	GpustrClientCounters workers;	/* of workers of a DSM that has gone */
	GpustrClientCounters reported;	/* what this worker has added to 'shared' */

	uint64		nrejected;		/* recheck rows that PostgreSQL ruled out */
	uint64		nremoved;		/* of these and the engine's, counted so far */

	ExprState  *full_qual;		/* all clauses: for rows that are recheck */
	ExprState  *local_qual;		/* those that are not offloaded, or NULL */

	/*
	 * The plan reads no column and there is no local qual, so selected rows
	 * are emitted without a look at their pages.
	 */
	bool		blind;
	GpustrPageRow row;			/* the last one that the page scan handed out */
	bool		no_output;		/* its target list is empty, too */
	bool		slot_is_blind;	/* the scan slot is all NULL */

	/* going backward: see scan_backward.c */
	bool		may_go_back;	/* the executor said so */
	ItemPointerData last;		/* the last row that came out; invalid: none
								 * yet, or the end was reached */
	HeapScanDesc walk;			/* once it has gone back, until a rescan */

	/* dates and floats that become texts: see scan_backward.c */
	int			shows;			/* GPUSTR_SHOWS_ of what the engine does */
	bool		has_shown;		/* the settings were such that it does */
} GpustrScanState;

/*
 * The next row that passes all clauses, in the scan slot: its tuple, or all NULL
 * where 'blind'.  An empty slot at the end.
 */
extern TupleTableSlot *gpustr_scan_next_row(GpustrScanState *state);

/* Fetch the tuple of state->row into the scan slot.  Does it pass all clauses? */
extern bool gpustr_scan_judge_row(GpustrScanState *state);

/*
 * Make the scan slot stand for a row whose page is not looked at: all NULL, but
 * it says where the row is, for WHERE CURRENT OF.
 */
extern void gpustr_scan_store_blind(GpustrScanState *state, const GpustrPageRow *row);

/* For EXPLAIN ANALYZE, of a GpuJoin, too: what has gone through an engine. */
extern void gpustr_explain_counters(const GpustrClientCounters *counters,
									struct ExplainState *es);

extern void gpustr_scan_explain(CustomScanState *node, List *ancestors,
								struct ExplainState *es);

#endif							/* GPUSTR_SCAN_NODE_H */
