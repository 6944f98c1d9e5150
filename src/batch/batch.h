/*-------------------------------------------------------------------------
 *
 * batch.h
 *	  The memory layout of one batch: what a requester hands to an engine.
 *
 * A batch is one contiguous, position-independent block of memory, the
 * "body": a staging slot shared with a device process, or private memory of
 * the backend.  Every reference inside it is a byte offset from its start, so
 * each process may map it where it likes.  It holds, in this order,
 *
 *		GpustrBatch				this header
 *		program					see program.h
 *		inputs					pages and line pointers, or columns
 *		results					written by the engine
 *		staged pages			inputs, too, of which the results have no need
 *
 * There are two kinds of input.
 *
 * A *page batch* names heap pages and, per page, the line pointers that are
 * visible to the requester's snapshot.  The engine decodes the tuples itself.
 * Row r of the batch is line pointer line[r] of page p, where
 * row_start[p] <= r < row_start[p + 1].
 *
 * A *column batch* holds columns in Apache Arrow's layout: a validity bitmap
 * (bit i % 8 of byte i / 8 is set where value i is not NULL), int32 offsets
 * [nrows + 1] that never decrease, and the bytes; value i is
 * data[offsets[i] .. offsets[i + 1]).
 *
 * Invariants on submission:
 *	- every offset is a multiple of GPUSTR_BODY_ALIGN, and every region lies
 *	  within body_bytes; no two regions overlap;
 *	- in_bytes covers header, program and inputs except staged pages.
 * An engine checks these (gpustr_batch_check) and answers ENGINE_BAD_INPUT
 * if they do not hold.  It writes nothing outside the result regions, so that
 * the requester can hand the same body to another engine after a failure.
 *
 * Bytes *inside* pages are hostile: see rowfn/heap_tuple.h.
 *
 * Plain C, shared with cuda/; <stdint.h> and program.h only.
 *
 * IDENTIFICATION
 *	  src/batch/batch.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_BATCH_H
#define GPUSTR_BATCH_H

#include <stdint.h>

#include "program/program.h"

/* Bytes in a heap page; compat.h asserts that it is the server's BLCKSZ. */
#define GPUSTR_PAGE_BYTES 8192

/* The most line pointers a heap page can hold: MaxHeapTuplesPerPage. */
#define GPUSTR_PAGE_MAX_ROWS 291

/* Alignment in bytes of every region of a body: a cache line, 4 x 16 bytes. */
#define GPUSTR_BODY_ALIGN 64
#define GPUSTR_BODY_ALIGN_UP(x) \
	(((uint32_t) (x) + (GPUSTR_BODY_ALIGN - 1)) & ~(uint32_t) (GPUSTR_BODY_ALIGN - 1))

#define GPUSTR_BATCH_MAGIC 0x67707331	/* "gps1" */

typedef enum GpustrBatchKind
{
	GPUSTR_BATCH_PAGES = 1,
	GPUSTR_BATCH_COLUMNS = 2
} GpustrBatchKind;

/* The most columns a column batch may carry. */
#define GPUSTR_MAX_COLUMNS 40

/*
 * A column of text in Arrow's "utf8" layout (in the database's encoding).
 * data_bytes is the room at data_off; in an input column, offsets[nrows] of it
 * are used.
 *
 * Or, where offsets_off is 0, a column of values: int64 [nrows] at data_off, as
 * a value register has them (program.h).
 */
typedef struct GpustrColumn
{
	uint32_t	validity_off;	/* [(nrows + 7) / 8] bytes */
	uint32_t	offsets_off;	/* int32 [nrows + 1] */
	uint32_t	data_off;		/* [data_bytes] bytes */
	uint32_t	data_bytes;
} GpustrColumn;

/* The most result columns of a join. */
#define GPUSTR_MAX_RESULT_COLUMNS 32

/* The inner row of a pair that has none. */
#define GPUSTR_NO_ROW UINT32_MAX

/*
 * What a join has brought: rows [0, nrows) of the result regions are valid.  The
 * results of a batch are a sequence, and each run of the request brings a piece of it,
 * from the batch's result_pair and result_skip on: where 'more' is 1 the requester puts
 * next_pair and next_skip there and has the request run again, by any engine.  The
 * recheck bitmap and 'probed' are those of the whole batch in each piece.
 *
 * A piece ends where a result column has no room for the next text; so if nrows is
 * 0 and more is 1 there is no room for one row, and the requester must make some.
 */
typedef struct GpustrJoinResult
{
	int32_t		nrows;			/* at most result_room */
	int32_t		more;
	uint64_t	next_pair;
	uint64_t	next_skip;
	int32_t		probed;			/* rows of the batch that the first PROBE's
								 * condition let pass and that are not recheck
								 * for their keys */
	int32_t		unused;			/* 0 */
} GpustrJoinResult;

/*
 * What the request that finishes a table (program/join_steps.h) says of it.  Rows of
 * equal keys share a slot, and one with a NULL in its key has none.
 */
typedef struct GpustrTableResult
{
	uint64_t	slots;			/* of the hash table, taken or not */
	uint32_t	keyed;			/* rows whose key has no NULL */
	uint32_t	distinct;		/* keys that differ: slots taken */
	uint32_t	window;			/* slots that a probe looks at together */
	uint32_t	unused;			/* 0 */
} GpustrTableResult;

typedef struct GpustrBatch
{
	uint32_t	magic;			/* GPUSTR_BATCH_MAGIC */
	uint32_t	kind;			/* GpustrBatchKind */
	uint32_t	body_bytes;		/* size of the whole body */
	uint32_t	in_bytes;		/* bytes from the start that are input, less
								 * staged pages */
	int32_t		nrows;
	uint32_t	program_off;
	uint32_t	program_bytes;

	/* page batches */
	int32_t		npages;
	uint32_t	page_off;		/* int32 [npages]: >= 0, block number within
								 * the shared buffer pool; < 0, staged page
								 * number -1 - page[p] */
	uint32_t	row_start_off;	/* int32 [npages + 1] */
	uint32_t	line_off;		/* uint16 [nrows]: line pointer, from 1 */
	int32_t		nstaged;		/* copied pages ... */
	uint32_t	staged_off;		/* ... GPUSTR_PAGE_BYTES each, from here */

	/* column batches */
	int32_t		ncolumns;
	GpustrColumn column[GPUSTR_MAX_COLUMNS];

	/*
	 * Results.  GPUSTR_OP_SELECT writes two bitmaps of uint32 [(nrows + 31) /
	 * 32], bit i % 32 of word i / 32 for row i: the rows that qualify, and
	 * the rows that PostgreSQL must evaluate itself.  No row is in both; bits
	 * past nrows are 0.  Without such a step they are all 0, where there is
	 * room for them.
	 *
	 * An operator that makes a text column writes an output column; each is
	 * written by one step.  A row that only PostgreSQL can compute is NULL
	 * there and in the recheck bitmap.  So is one for which there is no room:
	 * a value that is not NULL, be it empty, and whose end, counted with all
	 * values before it, lies past data_bytes; offsets stop at data_bytes.
	 */
	uint32_t	selected_off;	/* 0: the program selects nothing */
	uint32_t	recheck_off;
	int32_t		nout;
	GpustrColumn out_column[GPUSTR_MAX_OUT_COLUMNS];

	/*
	 * Results of a join, for a program with GPUSTR_OP_RESULT.  Such a program
	 * selects nothing, has no output columns, and needs recheck_off, for the
	 * rows of the batch that only PostgreSQL can join.  Row i of the results
	 * is a row of the program's last space.
	 *
	 * result_pair, result_skip: the results that come of the first
	 * result_pair pairs of the first PROBE are left out, and result_skip
	 * more.
	 */
	uint32_t	result_off;		/* GpustrJoinResult; 0: no such program */
	int32_t		result_room;	/* rows; at least 1 */
	uint64_t	result_pair;
	uint64_t	result_skip;
	uint32_t	result_outer_off;	/* int32 [result_room]: the row of the
									 * batch; 0: not wanted */
	uint32_t	result_inner_off;	/* uint32 [result_room]: the inner row of
									 * the last PROBE, or GPUSTR_NO_ROW; 0:
									 * not wanted */
	uint32_t	result_recheck_off; /* uint32 [(result_room + 31) / 32]: a
									 * condition on the way was recheck */
	int32_t		nresult;
	GpustrColumn result_column[GPUSTR_MAX_RESULT_COLUMNS];	/* with room for
															 * result_room rows */

	/*
	 * For a program with GPUSTR_OP_BUILD, which has no other results: the
	 * request that finishes a table writes a GpustrTableResult here.  0: no
	 * such program.
	 */
	uint32_t	table_off;
} GpustrBatch;

/*
 * Typed access to a region of a body.
 *
 * off	byte offset from the start of the body
 */
#define GPUSTR_BODY_PTR(body, off, type) ((type *) ((char *) (body) + (off)))

/* Words of a bitmap over n rows. */
#define GPUSTR_BITMAP_WORDS(n) (((uint32_t) (n) + 31) / 32)

#endif							/* GPUSTR_BATCH_H */
