/*-------------------------------------------------------------------------
 *
 * join_chunk.h
 *	  A chunk of a join's store: put together row by row, and packed.
 *
 * IDENTIFICATION
 *	  src/exec/join_chunk.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_JOIN_CHUNK_H
#define GPUSTR_JOIN_CHUNK_H

#include "storage/buffile.h"

#include "exec/join_store.h"

/* Rows of a chunk at most, however narrow they are. */
#define GPUSTR_CHUNK_MAX_ROWS (1 << 24)

/* A chunk to which rows are added, in arrays of its own. */
typedef struct GpustrChunkBuilder
{
	GpustrChunk chunk;
	MemoryContext context;
	int32		room;			/* rows that the arrays have room for */
	Size		text_room[GPUSTR_MAX_TABLE_COLUMNS];	/* bytes, alike */
	Size		row_bytes;		/* of a row, less its texts */
	Size		bytes;			/* of all rows */
	Size		limit;			/* that bytes should not exceed */
} GpustrChunkBuilder;

/* A builder without rows; its arrays will be in the context. */
extern void gpustr_chunk_begin(GpustrChunkBuilder *builder, const GpustrSide *side,
							   Size limit, MemoryContext context);

/* Begin anew; what was needed for a row out of the common is given back. */
extern void gpustr_chunk_reset(GpustrChunkBuilder *builder);

/* Make room for a row more.  For gpustr_chunk_row(). */
extern void gpustr_chunk_grow(GpustrChunkBuilder *builder);

/* Make room for 'len' bytes more of a text column.  For gpustr_chunk_text(). */
extern void gpustr_chunk_grow_text(GpustrChunkBuilder *builder, int column, Size len);

/*
 * Add a row of Datums; varlenas may be toasted.  False, and nothing is added, if there
 * is no room for it (gpustr_chunk_fits()).
 */
extern bool gpustr_chunk_put(GpustrChunkBuilder *builder, const GpustrSide *side,
							 const Datum *values, const bool *nulls);

/* Clear the bits of validity that are past the last row: the chunk can be read. */
extern void gpustr_chunk_close(GpustrChunkBuilder *builder);

/*
 * A packed chunk: what is kept in memory or in a file, in one piece.
 */
typedef struct GpustrPackedChunk
{
	Size		bytes;			/* with this header: a multiple of MAXALIGN */
	int64		nrows;
} GpustrPackedChunk;

/* Bytes of a chunk when it is packed. */
extern Size gpustr_packed_bytes(const GpustrChunk *chunk);

/* Pack a chunk into memory of gpustr_packed_bytes(), or to the end of a file. */
extern void gpustr_pack_memory(const GpustrChunk *chunk, GpustrPackedChunk *packed);
extern void gpustr_pack_file(const GpustrChunk *chunk, BufFile *file);

/* Point a chunk, of which ncolumns and is_text are set, to the parts of a packed one. */
extern void gpustr_unpack(GpustrPackedChunk *packed, GpustrChunk *chunk);

/*
 * The hash of each row's key as hash[], and whether it has one without NULL as
 * valid[(nrows + 31) / 32].  scratch: [nkeys * nrows].
 */
extern void gpustr_chunk_hashes(const GpustrChunk *chunk, const GpustrSide *side, int hash_bits,
								uint32 *hash, uint32 *valid, uint32 *scratch);

/* Is there room for a row with so many bytes of text?  If not begin another chunk. */
static inline bool
gpustr_chunk_fits(const GpustrChunkBuilder *builder, Size text_bytes)
{
	return builder->chunk.nrows == 0 ||
		(builder->bytes + builder->row_bytes + text_bytes <= builder->limit &&
		 builder->chunk.nrows < GPUSTR_CHUNK_MAX_ROWS);
}

/* Add a row, all of whose columns are set next, each once.  Returns its number. */
static inline int32
gpustr_chunk_row(GpustrChunkBuilder *builder, Size text_bytes)
{
	if (unlikely(builder->chunk.nrows == builder->room))
		gpustr_chunk_grow(builder);
	builder->bytes += builder->row_bytes + text_bytes;
	return builder->chunk.nrows++;
}

static inline void
gpustr_chunk_value(GpustrChunkBuilder *builder, int column, int32 row, int64 value)
{
	builder->chunk.column[column].value[row] = value;
}

static inline void
gpustr_chunk_text(GpustrChunkBuilder *builder, int column, int32 row, const char *bytes, Size len)
{
	GpustrChunkColumn *to = &builder->chunk.column[column];
	Size		end = to->offsets[row] + len;

	if (unlikely(end > builder->text_room[column]))
		gpustr_chunk_grow_text(builder, column, end);
	memcpy(to->data + to->offsets[row], bytes, len);
	to->offsets[row + 1] = (int32) end;
}

static inline void
gpustr_chunk_put_null(GpustrChunkBuilder *builder, int column, int32 row)
{
	GpustrChunkColumn *to = &builder->chunk.column[column];

	to->validity[row / 8] &= ~(1 << row % 8);
	if (to->is_text)
		to->offsets[row + 1] = to->offsets[row];
	else
		to->value[row] = 0;
}

static inline bool
gpustr_chunk_is_null(const GpustrChunkColumn *column, int32 row)
{
	return (column->validity[row / 8] >> row % 8 & 1) == 0;
}

#endif							/* GPUSTR_JOIN_CHUNK_H */
