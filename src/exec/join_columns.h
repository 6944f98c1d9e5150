/*-------------------------------------------------------------------------
 *
 * join_columns.h
 *	  Batches of columns that meet the tables of a GpuJoin.
 *
 * IDENTIFICATION
 *	  src/exec/join_columns.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_JOIN_COLUMNS_H
#define GPUSTR_JOIN_COLUMNS_H

#include "exec/join_node.h"

typedef struct GpustrColumns GpustrColumns;

/*
 * Asked for rows of the outer side: some, or NULL if there are none (now).  They are to
 * stay until the next call.
 */
typedef const GpustrChunk *(*GpustrNextChunk) (GpustrJoinState *state);

/* In the current memory context. */
extern GpustrColumns *gpustr_columns_create(GpustrJoinState *state, GpustrNextChunk next_chunk);

/* Begin with a program, which is to stay. */
extern void gpustr_columns_begin(GpustrColumns *columns, const GpustrProgram *program);

/*
 * The next results, as gpustr_outer_next(); NULL if there are no more rows.  It asks for
 * rows again when it is called again.
 */
extern const GpustrBatch *gpustr_columns_next(GpustrColumns *columns);

/* As gpustr_outer_settle(). */
extern const GpustrBatch *gpustr_columns_settle(GpustrColumns *columns);

/* Give up what is in flight. */
extern void gpustr_columns_reset(GpustrColumns *columns);

#endif							/* GPUSTR_JOIN_COLUMNS_H */
