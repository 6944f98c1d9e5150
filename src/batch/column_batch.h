/*-------------------------------------------------------------------------
 *
 * column_batch.h
 *	  Batches of columns for a join, out of rows kept in chunks.
 *
 * A chunk is rows of several columns in private memory, in the layout of an input
 * column of a batch: what a join's store hands out, and what rows of an outer side
 * are gathered in.  A batch takes a range of its rows.
 *
 * Plain C.
 *
 * IDENTIFICATION
 *	  src/batch/column_batch.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_COLUMN_BATCH_H
#define GPUSTR_COLUMN_BATCH_H

#include <stdbool.h>

#include "batch/batch_layout.h"

/*
 * A column of a chunk.  offsets[0] need not be 0; the bits of validity past nrows may
 * be anything, and the bytes of a NULL as well.
 */
typedef struct GpustrChunkColumn
{
	bool		is_text;
	uint8_t    *validity;		/* [(nrows + 7) / 8] */
	int64_t    *value;			/* [nrows] of values */
	int32_t    *offsets;		/* [nrows + 1] of texts */
	char	   *data;
} GpustrChunkColumn;

typedef struct GpustrChunk
{
	int32_t		nrows;
	int			ncolumns;
	GpustrChunkColumn column[GPUSTR_MAX_TABLE_COLUMNS];
} GpustrChunk;

/*
 * Bytes of a body that takes rows [from, to) of the chunk, with all of its columns,
 * beside the program and the results (NULL: none).
 */
extern uint64_t gpustr_column_batch_bytes(uint32_t program_bytes, const GpustrChunk *chunk,
										  int32_t from, int32_t to,
										  const GpustrResultLayout *result);

/*
 * How many of the rows [from, to), from the first on, a body of body_bytes takes; 0 if
 * not even one.
 */
extern int32_t gpustr_column_batch_rows(uint32_t body_bytes, uint32_t program_bytes,
										const GpustrChunk *chunk, int32_t from, int32_t to,
										const GpustrResultLayout *result);

/*
 * Lay out a body of at least gpustr_column_batch_bytes() and copy program and rows
 * [from, to) into it.  Column i of the chunk becomes input column i.
 */
extern GpustrBatch *gpustr_column_batch_fill(void *body, uint32_t body_bytes,
											 const GpustrProgram *program,
											 const GpustrChunk *chunk, int32_t from, int32_t to,
											 const GpustrResultLayout *result);

/*
 * Take what the engine that has finished this table says of it in a body of body_bytes.
 * False if that cannot be, or it has not said anything.
 */
extern bool gpustr_column_batch_table(const void *body, uint32_t body_bytes,
									  const GpustrTableBuild *build, GpustrTableResult *result);

#endif							/* GPUSTR_COLUMN_BATCH_H */
