/*-------------------------------------------------------------------------
 *
 * join_emit.h
 *	  The rows that a GpuJoin hands out.
 *
 * IDENTIFICATION
 *	  src/exec/join_emit.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_JOIN_EMIT_H
#define GPUSTR_JOIN_EMIT_H

#include "exec/join_node.h"

extern void gpustr_emit_init(GpustrJoinState *state);

/* Begin a pass: nothing has been met yet. */
extern void gpustr_emit_begin_pass(GpustrJoinState *state);

/* The next row that comes of pairs; NULL at the end of the pass. */
extern TupleTableSlot *gpustr_emit_next(GpustrJoinState *state);

/* The next inner row of the pass that has met nothing; NULL at the end. */
extern TupleTableSlot *gpustr_emit_rest(GpustrJoinState *state);

/* The batch whose results are handed out has moved here. */
extern void gpustr_emit_moved(GpustrJoinState *state, const GpustrBatch *batch);

#endif							/* GPUSTR_JOIN_EMIT_H */
