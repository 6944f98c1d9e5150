/*-------------------------------------------------------------------------
 *
 * join_table.c
 *	  The table of a step of a GpuJoin, in the engine where the tables are.
 *
 * The rows of the pass's partition go from the store to the engine, a request for each
 * chunk, several in flight; then one that finishes the table.  An inner row's number
 * is its place in that order, so the store tells it again.
 *
 * A device that fails one of these requests, or is lost, has no such table any more;
 * the client says so by calling before_redo's function, which then notes it and leaves
 * what to do to join_build.c.  Once the tables are there the same call means that they
 * are needed in this session: then it makes them here, under the same ids, and the pass
 * goes on here.
 *
 * IDENTIFICATION
 *	  src/exec/join_table.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "batch/column_batch.h"
#include "compat.h"
#include "exec/join_parallel.h"
#include "exec/join_table.h"
#include "guc.h"
#include "program/program_builder.h"
#include "rowfn/hash_table.h"

/* Room for the program of a build: a step for each column, and the table's columns. */
#define PROGRAM_BYTES (16 * 1024)

/* A table that is being built. */
typedef struct TableBuild
{
	GpustrJoinState *state;
	const GpustrSide *side;
	GpustrTableBuild *table;	/* what the next request says */
	GpustrProgramBuilder *builder;
	void	   *program;		/* of PROGRAM_BYTES */
	GpustrRequest *request[GPUSTR_MAX_BATCH_DEPTH];
	int			first;			/* the oldest one in flight */
	int			nrequests;
	GpustrTableResult result;	/* all 0: it has not been finished */
} TableBuild;

uint64
gpustr_table_bytes(const GpustrSide *side, const GpustrStoreTotals *totals)
{
	/* slots of 8 bytes, ROWFN_TABLE_LOAD of 100 taken, and runs */
	uint64		row_bytes = 8 * 100 / ROWFN_TABLE_LOAD + 4;
	uint64		bytes = 0;
	int			i;

	for (i = 0; i < side->ncolumns; i++)
	{
		row_bytes += 8;
		if (side->column[i].carrier.is_text)
			bytes += totals->text_bytes[i];
	}
	return bytes + row_bytes * totals->rows + totals->rows * side->ncolumns / 8;
}

bool
gpustr_table_is_possible(const GpustrSide *side, const GpustrStoreTotals *totals, int parts)
{
	int			i;

	for (i = 0; i < side->ncolumns; i++)
	{
		if (side->column[i].carrier.is_text && totals->text_bytes[i] / parts > PG_INT32_MAX)
			return false;
	}
	return totals->rows / parts <= ROWFN_TABLE_MAX_ROWS;
}

void
gpustr_table_totals(GpustrJoinState *state, int step, GpustrStoreTotals *totals)
{
	const GpustrJoinTables *tables = &state->tables;
	GpustrStore *store = state->side[step + 1].store;

	if (tables->npartitions[step] == 1)
		*totals = *gpustr_store_totals(store);
	else
		gpustr_store_partition_totals(store, tables->hash_bits, tables->partition[step],
									  tables->npartitions[step], totals);
}

/* What all requests of the table have in common. */
static void
describe_table(TableBuild *build, int step, const GpustrStoreTotals *totals)
{
	const GpustrSide *side = build->side;
	Size		bytes = offsetof(GpustrTableBuild, column) +
	side->ncolumns * sizeof(GpustrTableColumn);
	GpustrTableBuild *table = palloc0(bytes);
	int			i;

	table->table = build->state->tables.table[step];
	table->nrows = (int32) totals->rows;
	table->ncolumns = side->ncolumns;
	table->nkeys = side->nkeys;
	table->hash_bits = build->state->tables.hash_bits;
	table->load = ROWFN_TABLE_LOAD;
	for (i = 0; i < side->nkeys; i++)
	{
		table->key_kind[i] = side->key_kind[i];
		table->key_column[i] = (uint16) side->key_column[i];
	}
	for (i = 0; i < side->ncolumns; i++)
	{
		table->column[i].is_text = side->column[i].carrier.is_text;
		if (table->column[i].is_text)
			table->column[i].bytes = totals->text_bytes[i];
	}
	build->table = table;
}

/* The program of the next request. */
static const GpustrProgram *
make_program(TableBuild *build)
{
	GpustrProgramBuilder *b = build->builder;
	GpustrTableBuild *table = build->table;
	int			i;

	/* no column has a text function, so the encoding is of no interest */
	gpustr_builder_init(b, GPUSTR_ENC_SINGLE_BYTE, build->program, PROGRAM_BYTES);
	for (i = 0; i < table->ncolumns; i++)
	{
		if (table->finish)
			table->column[i].reg = 0;
		else if (table->column[i].is_text)
			table->column[i].reg = gpustr_builder_column(b, i);
		else
			table->column[i].reg = gpustr_builder_column_value(b, i);
	}
	gpustr_builder_build(b, table);
	if (gpustr_builder_finish(b) == 0)
		elog(ERROR, "the program of a join's table does not fit %d bytes", PROGRAM_BYTES);
	return build->program;
}

/*
 * The request that finishes the table is through.  A device whose numbers cannot be has
 * no such table.
 */
static void
take_result(TableBuild *build, GpustrRequest *request)
{
	GpustrJoinState *state = build->state;

	if (state->build_failed)
		return;
	if (gpustr_column_batch_table(gpustr_request_body(request), gpustr_request_bytes(request),
								  build->table, &build->result))
		return;
	elog(state->place == GPUSTR_PLACE_LOCAL ? ERROR : DEBUG1,
		 "an engine reports an impossible hash table of %d rows", build->table->nrows);
	state->build_failed = true;
}

static void
collect_oldest(TableBuild *build)
{
	GpustrRequest *request = build->request[build->first];

	gpustr_request_wait(request);
	/* that request is alone */
	if (build->table->finish)
		take_result(build, request);
	gpustr_request_release(request);
	build->first = (build->first + 1) % GPUSTR_MAX_BATCH_DEPTH;
	build->nrequests--;
}

/* Have a chunk's rows, or none, sent.  False if it cannot go where the table is. */
static bool
send_chunk(TableBuild *build, const GpustrChunk *chunk)
{
	GpustrJoinState *state = build->state;
	const GpustrProgram *program = make_program(build);
	Size		bytes = gpustr_column_batch_bytes(program->bytes, chunk, 0, chunk->nrows, NULL);
	int			depth = Min(gpustr_client_depth(state->client), GPUSTR_MAX_BATCH_DEPTH);
	GpustrRequest *request;

	CHECK_FOR_INTERRUPTS();
	while (build->nrequests >= Max(depth, 1))
		collect_oldest(build);
	while ((request = gpustr_request_acquire(state->client, bytes)) == NULL)
	{
		if (build->nrequests == 0)
			elog(ERROR, "no memory for a batch, though none is in flight");
		collect_oldest(build);
	}
	if (state->place != GPUSTR_PLACE_LOCAL && gpustr_request_is_local(request))
	{
		state->build_refused = true;
		gpustr_request_release(request);
		return false;
	}
	gpustr_request_set_mark(request, 0, false); /* of pages, maybe */
	(void) gpustr_column_batch_fill(gpustr_request_body(request), gpustr_request_bytes(request),
									program, chunk, 0, chunk->nrows, NULL);
	build->request[(build->first + build->nrequests++) % GPUSTR_MAX_BATCH_DEPTH] = request;
	gpustr_request_submit(request);
	return !state->build_failed;
}

/* Send all rows of the partition.  False if the place has failed. */
static bool
send_rows(TableBuild *build, int step)
{
	const GpustrJoinTables *tables = &build->state->tables;
	GpustrTableBuild *table = build->table;
	GpustrStore *store = build->state->side[step + 1].store;
	const GpustrChunk *chunk;
	int			i;

	gpustr_store_rewind(store, tables->hash_bits, tables->partition[step],
						tables->npartitions[step]);
	while ((chunk = gpustr_store_next(store)) != NULL)
	{
		if (!send_chunk(build, chunk))
			return false;
		table->first_row += chunk->nrows;
		for (i = 0; i < table->ncolumns; i++)
		{
			const GpustrChunkColumn *column = &chunk->column[i];

			if (column->is_text)
				table->column[i].first_byte += column->offsets[chunk->nrows] - column->offsets[0];
		}
	}
	if (table->first_row != table->nrows)
		elog(ERROR, "a join's store has %d rows, not %d", table->first_row, table->nrows);
	return true;
}

/* Have the hash table made.  False if the place has failed. */
static bool
finish_table(TableBuild *build)
{
	GpustrTableBuild *table = build->table;
	GpustrChunk none = {0};
	int			i;

	while (build->nrequests > 0)
		collect_oldest(build);
	if (build->state->build_failed)
		return false;
	table->finish = 1;
	table->first_row = 0;
	for (i = 0; i < table->ncolumns; i++)
		table->column[i].first_byte = 0;
	return send_chunk(build, &none);
}

/*
 * Build a table under the id that there is, in the client's place.
 *
 * result	out: what the engine says of it
 */
static bool
build_table(GpustrJoinState *state, int step, const GpustrStoreTotals *totals,
			GpustrTableResult *result)
{
	MemoryContext context = AllocSetContextCreate(state->context, "GpuJoin table",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	TableBuild	build = {0};
	bool		built;

	build.state = state;
	build.side = &state->side[step + 1].side;
	build.builder = palloc(sizeof(GpustrProgramBuilder));
	build.program = palloc(PROGRAM_BYTES);
	describe_table(&build, step, totals);
	built = send_rows(&build, step) && finish_table(&build);
	while (build.nrequests > 0)
		collect_oldest(&build);
	*result = build.result;
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return built && !state->build_failed;
}

/*
 * Add what there is to say of the pass's partition, which has so many rows, unless that
 * has been done.
 */
static void
add_result(GpustrJoinState *state, int step, int64 rows, const GpustrTableResult *result)
{
	const GpustrJoinTables *tables = &state->tables;
	GpustrTableFacts *facts = &state->facts[step];
	int			end = GPUSTR_MAX_PARTITIONS / tables->npartitions[step] * (tables->partition[step] + 1);

	if (facts->stale)
		memset(facts, 0, sizeof(*facts));
	if (end <= facts->counted)
		return;
	facts->counted = end;
	facts->nulls += rows - result->keyed;
	facts->distinct += result->distinct;
	facts->slots += result->slots;
	facts->window = Max(facts->window, result->window);
}

void
gpustr_table_pass_over(GpustrJoinState *state, int step)
{
	const GpustrTableResult none = {0};

	add_result(state, step, 0, &none);
}

bool
gpustr_table_build(GpustrJoinState *state, int step, const GpustrStoreTotals *totals)
{
	GpustrTableFacts *facts = &state->facts[step];
	const GpustrSide *side = &state->side[step + 1].side;
	GpustrTableResult result;
	uint64		id = 0;

	if (!gpustr_table_is_possible(side, totals, 1))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many rows of one key in the inner side of a join"),
				 errhint("Set \"gpustr.enable_join\" to off.")));
	if (state->place == GPUSTR_PLACE_LOCAL)
		id = gpustr_table_claim_local(state->context);
	else if (state->building_shared)
		id = gpustr_join_shared_table(state, step);
	else
		id = gpustr_table_claim(state->context);
	state->build_refused = id == 0;
	if (id == 0)
		return false;
	state->tables.table[step] = id;
	state->building = true;
	state->build_failed = false;
	state->table_built[step] = build_table(state, step, totals, &result);
	state->building = false;
	if (!state->table_built[step])
		return false;
	add_result(state, step, totals->rows, &result);
	facts->rows = gpustr_store_totals(state->side[step + 1].store)->rows;
	facts->bytes = Max(facts->bytes, gpustr_table_bytes(side, totals));
	facts->partitions = state->tables.npartitions[step];
	return true;
}

void
gpustr_table_drop(GpustrJoinState *state, int step)
{
	uint64		id = state->tables.table[step];

	if (id != 0 && (state->shared == NULL || id != gpustr_join_shared_table(state, step)))
		gpustr_table_release(id);
	state->tables.table[step] = 0;
	state->table_built[step] = false;
}

void
gpustr_tables_here(void *arg)
{
	GpustrJoinState *state = arg;
	int			i;

	if (state->building)
	{
		state->build_failed = true;
		return;
	}
	/* the client's place is this session from now on */
	state->place = GPUSTR_PLACE_LOCAL;
	for (i = 0; i < state->join->nsteps; i++)
	{
		GpustrStoreTotals totals;
		GpustrTableResult result;	/* has been said of the device's, which
									 * had the same rows */

		gpustr_table_totals(state, i, &totals);
		if (!build_table(state, i, &totals, &result))
			elog(ERROR, "could not make the table of a join in this session");
	}
}
