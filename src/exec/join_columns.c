/*-------------------------------------------------------------------------
 *
 * join_columns.c
 *	  Batches of columns that meet the tables of a GpuJoin.
 *
 * Rows come in chunks, a batch takes as many of them as a body has room for beside
 * their results, and several batches are in flight; results are handed out in the
 * order of submission.
 *
 * How many results there will be is not known.  Room is made for as many as earlier
 * batches have had (join_room.h); where that does not do, the batch is run again from
 * where it stopped, until all has been handed out: in the same body, with the room that
 * its results so far ask for, or in a larger one, which is this session's and so only to
 * be had where the tables are its own, too.  A text that is longer than all the room of
 * its column gets more of it, for fewer rows, and in the end a larger body anyway.
 *
 * Invariant: batches are in a ring, oldest first; only the oldest one may be one whose
 * results are being handed out, all others are in flight.
 *
 * Failure: requests belong to the client.
 *
 * IDENTIFICATION
 *	  src/exec/join_columns.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "batch/column_batch.h"
#include "batch/join_room.h"
#include "compat.h"
#include "exec/join_columns.h"
#include "exec/join_outer.h"
#include "guc.h"

/* Rows for which results are counted together, as a unit (join_room.h). */
#define UNIT_ROWS 64

/* A batch, and how its results lie. */
typedef struct ColumnBatch
{
	GpustrRequest *request;
	GpustrBatch *batch;
	int64		nresults;		/* that it has had so far ... */
	int			pieces;			/* ... in so many pieces */
} ColumnBatch;

struct GpustrColumns
{
	GpustrJoinState *state;
	GpustrNextChunk next_chunk;
	const GpustrProgram *program;
	const GpustrChunk *chunk;	/* rows from chunk_row on are to come, or NULL */
	int32		chunk_row;

	int			first;
	int			nbatches;
	int			limit;			/* that may be in flight */
	bool		emitting;		/* the oldest one's results are handed out */
	ColumnBatch ring[GPUSTR_MAX_BATCH_DEPTH];
	GpustrJoinRoom room;
};

GpustrColumns *
gpustr_columns_create(GpustrJoinState *state, GpustrNextChunk next_chunk)
{
	GpustrColumns *columns = palloc0(sizeof(GpustrColumns));
	const GpustrResultLayout *first = &state->results.layout;

	columns->state = state;
	columns->next_chunk = next_chunk;
	/* a result for each row, to begin with */
	gpustr_join_room_init(&columns->room, first, Max(first->room / UNIT_ROWS, 1));
	return columns;
}

void
gpustr_columns_begin(GpustrColumns *columns, const GpustrProgram *program)
{
	Assert(columns->nbatches == 0);
	columns->program = program;
	columns->chunk = NULL;
	columns->limit = 1;
}

static int32
units_of(int32 nrows)
{
	return (nrows + UNIT_ROWS - 1) / UNIT_ROWS;
}

/* Bytes of a body for the next n rows of the chunk, with 2^scale times the usual room. */
static uint64
body_bytes(const GpustrColumns *columns, int32 n, int scale)
{
	GpustrResultLayout layout;

	gpustr_join_room_layout(&columns->room, units_of(n), scale, &layout);
	return gpustr_column_batch_bytes(columns->program->bytes, columns->chunk, columns->chunk_row,
									 columns->chunk_row + n, &layout);
}

/* Have rows to send.  False if there are none. */
static bool
have_rows(GpustrColumns *columns)
{
	if (columns->chunk != NULL && columns->chunk_row < columns->chunk->nrows)
		return true;
	columns->chunk = columns->next_chunk(columns->state);
	columns->chunk_row = 0;
	return columns->chunk != NULL;
}

/*
 * A body, though others may have all slots: other sessions, or other nodes of this
 * query, which keep theirs until they are asked for more rows.
 */
static GpustrRequest *
acquire_surely(GpustrColumns *columns, Size bytes)
{
	GpustrRequest *request = gpustr_request_acquire(columns->state->client, bytes);

	if (request != NULL)
		return request;
	(void) gpustr_outer_settle(columns->state);
	return gpustr_request_acquire_soon(columns->state->client, bytes);
}

/* How many rows of the chunk fit into a body of so many bytes; 0: not one. */
static int32
fit_rows(const GpustrColumns *columns, uint64 bytes, int scale)
{
	int32		low = 0;
	int32		high = columns->chunk->nrows - columns->chunk_row;

	while (low < high)
	{
		int32		mid = low + (high - low + 1) / 2;

		if (body_bytes(columns, mid, scale) <= bytes)
			low = mid;
		else
			high = mid - 1;
	}
	return low;
}

/* Inputs of a batch. */
typedef struct ColumnInputs
{
	uint32		program_bytes;
	int32		nrows;
	int			ncolumns;
	GpustrInputLayout column[GPUSTR_MAX_COLUMNS];
} ColumnInputs;

static void
inputs_of(const GpustrBatch *batch, ColumnInputs *inputs)
{
	int			i;

	inputs->program_bytes = batch->program_bytes;
	inputs->nrows = batch->nrows;
	inputs->ncolumns = batch->ncolumns;
	for (i = 0; i < batch->ncolumns; i++)
	{
		const GpustrColumn *column = &batch->column[i];

		inputs->column[i].is_text = column->offsets_off != 0;
		inputs->column[i].bytes = column->offsets_off != 0 ? column->data_bytes : 0;
	}
}

/* GpustrJoinBytes, of a batch. */
static uint64
bytes_of(const void *arg, const GpustrResultLayout *layout)
{
	const ColumnInputs *inputs = arg;

	return gpustr_layout_join_columns_bytes(inputs->program_bytes, inputs->nrows,
											inputs->ncolumns, inputs->column, layout);
}

/* Next rows of the chunk. */
typedef struct ChunkRows
{
	const GpustrColumns *columns;
	int32		n;
} ChunkRows;

/* GpustrJoinBytes, of rows that are to become one. */
static uint64
bytes_of_rows(const void *arg, const GpustrResultLayout *layout)
{
	const ChunkRows *rows = arg;
	const GpustrColumns *columns = rows->columns;

	return gpustr_column_batch_bytes(columns->program->bytes, columns->chunk, columns->chunk_row,
									 columns->chunk_row + rows->n, layout);
}

/* Put the next n rows into a body; what there is beyond them is room for results. */
static GpustrBatch *
fill_body(const GpustrColumns *columns, GpustrRequest *request, int32 n)
{
	ChunkRows	rows = {columns, n};
	GpustrResultLayout layout;

	gpustr_join_room_fit(&columns->room, units_of(n), gpustr_request_bytes(request),
						 bytes_of_rows, &rows, &layout);
	return gpustr_column_batch_fill(gpustr_request_body(request), gpustr_request_bytes(request),
									columns->program, columns->chunk, columns->chunk_row,
									columns->chunk_row + n, &layout);
}

/* Send a batch.  False if there is nothing to send, or no body now. */
static bool
submit_batch(GpustrColumns *columns)
{
	ColumnBatch *next;
	GpustrRequest *request;
	uint64		bytes;
	int			scale = 0;
	int32		n;

	if (!have_rows(columns))
		return false;
	/* rather less room than a body that is not where the tables are */
	while ((bytes = body_bytes(columns, 1, scale)) > (uint64) gpustr_batch_bytes &&
		   scale > GPUSTR_JOIN_ROOM_LEAST_SCALE)
		scale--;
	if (columns->nbatches > 0)
		request = gpustr_request_acquire(columns->state->client, bytes);
	else
		request = acquire_surely(columns, bytes);
	if (request == NULL)
		return false;
	gpustr_request_set_mark(request, 0, false); /* of pages, maybe */
	n = fit_rows(columns, gpustr_request_bytes(request), scale);
	Assert(n > 0);
	next = &columns->ring[(columns->first + columns->nbatches) % GPUSTR_MAX_BATCH_DEPTH];
	next->batch = fill_body(columns, request, n);
	next->request = request;
	next->nresults = 0;
	next->pieces = 0;
	columns->chunk_row += n;
	columns->nbatches++;
	gpustr_request_submit(request);
	return true;
}

static const GpustrJoinResult *
results_of(const GpustrBatch *batch)
{
	return GPUSTR_BODY_PTR(batch, batch->result_off, const GpustrJoinResult);
}

/* Wait for the results of a batch. */
static void
collect_batch(ColumnBatch *cb)
{
	const uint32 *recheck;
	int32		i;

	gpustr_request_wait(cb->request);
	cb->batch = gpustr_request_body(cb->request);
	recheck = GPUSTR_BODY_PTR(cb->batch, cb->batch->recheck_off, const uint32);
	for (i = 0; i < GPUSTR_BITMAP_WORDS(cb->batch->nrows); i++)
	{
		/* the keys of columns are plain, or PostgreSQL's */
		if (recheck[i] != 0)
			elog(ERROR, "an engine cannot tell what a row of a join's columns meets");
	}
}

/* Note what a piece has brought. */
static void
learn_piece(GpustrColumns *columns, ColumnBatch *cb)
{
	cb->pieces++;
	cb->nresults += results_of(cb->batch)->nrows;
	gpustr_join_room_note(&columns->room, cb->batch, units_of(cb->batch->nrows), cb->nresults);
}

/* Does the batch run in this session, where the tables are? */
static bool
is_here(const GpustrColumns *columns)
{
	return columns->state->place == GPUSTR_PLACE_LOCAL;
}

/*
 * The most bytes that the next piece's body should have.  One that is in memory of this
 * session, but not where the tables are, goes back to a slot.
 */
static uint64
next_bytes(const GpustrColumns *columns, const ColumnBatch *cb)
{
	uint64		bytes = gpustr_request_bytes(cb->request);

	if (is_here(columns))
		return gpustr_join_room_own_bytes(bytes, cb->pieces);
	if (gpustr_request_is_local(cb->request))
		return Max(bytes, TYPEALIGN_DOWN(GPUSTR_BODY_ALIGN, gpustr_batch_bytes));
	return bytes;
}

/*
 * The layout for the next piece: one that should have twice as many results, if there is
 * any; one with more room for texts if there was none for a single row.
 */
static void
next_layout(const GpustrColumns *columns, const ColumnBatch *cb, const ColumnInputs *inputs,
			GpustrResultLayout *layout)
{
	int32		nresults = results_of(cb->batch)->nrows;

	gpustr_join_room_fit(&columns->room, units_of(inputs->nrows), next_bytes(columns, cb),
						 bytes_of, inputs, layout);
	if (nresults > 0 && layout->room / 2 >= nresults)
		return;
	gpustr_join_room_of_batch(cb->batch, layout);
	if (nresults == 0 &&
		!gpustr_join_room_enlarge(layout, cb->batch->in_bytes, GPUSTR_MAX_BODY_BYTES))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("texts of a joined row are too large for a batch"),
				 errdetail("A batch holds 2 GB at most.")));
}

/*
 * Lay a batch out once more, with the inputs that it has: in its body, or in another
 * one if that is too small or in memory of this session, which is not where the tables
 * are.
 */
static void
lay_out_again(GpustrColumns *columns, ColumnBatch *cb)
{
	ColumnInputs inputs;
	GpustrResultLayout layout;
	GpustrRequest *old = cb->request;
	uint64		bytes;

	inputs_of(cb->batch, &inputs);
	next_layout(columns, cb, &inputs, &layout);
	bytes = bytes_of(&inputs, &layout);
	if (bytes <= gpustr_request_bytes(old) && (is_here(columns) || !gpustr_request_is_local(old)))
		gpustr_request_again(old);
	else
	{
		gpustr_request_detach(old);
		cb->batch = gpustr_request_body(old);
		cb->request = is_here(columns) ?
			gpustr_request_acquire_local(columns->state->client, bytes) :
			acquire_surely(columns, bytes);
		gpustr_request_set_mark(cb->request, 0, false);
		memcpy(gpustr_request_body(cb->request), cb->batch, cb->batch->in_bytes);
		gpustr_request_release(old);
	}
	cb->batch = gpustr_layout_join_columns(gpustr_request_body(cb->request),
										   gpustr_request_bytes(cb->request),
										   columns->program, inputs.nrows, inputs.ncolumns,
										   inputs.column, &layout);
}

/* Run the batch again, for the results that are still to come. */
static void
continue_batch(GpustrColumns *columns, ColumnBatch *cb)
{
	const GpustrJoinResult *results = results_of(cb->batch);
	uint64		pair = results->next_pair;
	uint64		skip = results->next_skip;

	lay_out_again(columns, cb);
	cb->batch->result_pair = pair;
	cb->batch->result_skip = skip;
	gpustr_request_submit(cb->request);
	collect_batch(cb);
}

static void
release_oldest(GpustrColumns *columns)
{
	gpustr_request_release(columns->ring[columns->first].request);
	columns->first = (columns->first + 1) % GPUSTR_MAX_BATCH_DEPTH;
	columns->nbatches--;
	columns->emitting = false;
}

/*
 * Let batches fly: the first one goes alone, so that LIMIT 1 does not wait for more;
 * then one more each time.
 */
static void
fill_ring(GpustrColumns *columns)
{
	int			depth = Max(gpustr_client_depth(columns->state->client), 1);

	columns->limit = Min(columns->limit, Min(depth, GPUSTR_MAX_BATCH_DEPTH));
	while (columns->nbatches < columns->limit && submit_batch(columns))
		CHECK_FOR_INTERRUPTS();
	columns->limit++;
}

const GpustrBatch *
gpustr_columns_next(GpustrColumns *columns)
{
	ColumnBatch *cb;

	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		cb = &columns->ring[columns->first];
		if (columns->emitting && results_of(cb->batch)->more)
			continue_batch(columns, cb);
		else
		{
			if (columns->emitting)
				release_oldest(columns);
			fill_ring(columns);
			if (columns->nbatches == 0)
				return NULL;
			cb = &columns->ring[columns->first];
			collect_batch(cb);
			columns->emitting = true;
		}
		learn_piece(columns, cb);
		if (results_of(cb->batch)->nrows > 0)
			return cb->batch;
	}
}

const GpustrBatch *
gpustr_columns_settle(GpustrColumns *columns)
{
	int			i;

	for (i = 0; i < columns->nbatches; i++)
	{
		ColumnBatch *cb = &columns->ring[(columns->first + i) % GPUSTR_MAX_BATCH_DEPTH];

		gpustr_request_wait(cb->request);
		gpustr_request_detach(cb->request);
		cb->batch = gpustr_request_body(cb->request);
	}
	return columns->emitting ? columns->ring[columns->first].batch : NULL;
}

void
gpustr_columns_reset(GpustrColumns *columns)
{
	while (columns->nbatches > 0)
		release_oldest(columns);
	columns->chunk = NULL;
}
