/*-------------------------------------------------------------------------
 *
 * join_outer.h
 *	  The outer side of a GpuJoin: batches that have been probed.
 *
 * IDENTIFICATION
 *	  src/exec/join_outer.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_JOIN_OUTER_H
#define GPUSTR_JOIN_OUTER_H

#include "exec/join_node.h"

/* Begin a pass, whose tables are there. */
extern void gpustr_outer_begin(GpustrJoinState *state);

/*
 * The next results: a batch whose result regions have some; NULL at the end of the
 * pass.  Valid until the next call, or settle().
 */
extern const GpustrBatch *gpustr_outer_next(GpustrJoinState *state);

/*
 * Wait for what is in flight, and hold neither pins nor slots.  Returns where the
 * batch is now that next() returned last, or NULL if it is not needed any more.
 */
extern const GpustrBatch *gpustr_outer_settle(GpustrJoinState *state);

/* Give up what is in flight (end, rescan); the outer plan is not touched. */
extern void gpustr_outer_reset(GpustrJoinState *state);

/* Give up all of the pass that is still to come, until a rescan. */
extern void gpustr_outer_surrender(GpustrJoinState *state);

/* End for good. */
extern void gpustr_outer_end(GpustrJoinState *state);

#endif							/* GPUSTR_JOIN_OUTER_H */
