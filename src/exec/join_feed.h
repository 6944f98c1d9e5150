/*-------------------------------------------------------------------------
 *
 * join_feed.h
 *	  How a row of one side's plan becomes a row of the side's columns.
 *
 * IDENTIFICATION
 *	  src/exec/join_feed.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_JOIN_FEED_H
#define GPUSTR_JOIN_FEED_H

#include "nodes/execnodes.h"

#include "plan/join_program.h"

typedef struct GpustrFeed
{
	const GpustrSide *side;
	int			ncolumns;		/* that come from the plan: the first ones */
	int			last_resno;		/* of its target list that is looked at */
	int			resno[GPUSTR_MAX_TABLE_COLUMNS];
	ExprState  *key[GPUSTR_MAX_TABLE_COLUMNS];	/* of the others */
	TupleTableSlot *slot;		/* shaped like the node's scan slot, for keys */
	ExprContext *econtext;
	bool		has_params;		/* a key depends on Params */

	/*
	 * the row, valid until the next one; what keys are is in econtext's
	 * memory
	 */
	Datum		value[GPUSTR_MAX_TABLE_COLUMNS];
	bool		isnull[GPUSTR_MAX_TABLE_COLUMNS];
} GpustrFeed;

/* For side 'number' of a node that has been initialised. */
extern void gpustr_feed_init(GpustrFeed *feed, CustomScanState *node, const GpustrJoinPlan *join,
							 const GpustrSide *side, int number);

/* Take a row of the plan; keys that are expressions are evaluated. */
extern void gpustr_feed_row(GpustrFeed *feed, TupleTableSlot *slot);

#endif							/* GPUSTR_JOIN_FEED_H */
