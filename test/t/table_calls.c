/*-------------------------------------------------------------------------
 *
 * table_calls.c
 *	  Functions through which a test makes tables of joins and probes them, by
 *	  requests of its own and without a plan.
 *
 * Row i of the table has key i % nkeys; the probing rows have keys 0, 1, 2 ...  So with
 * as many of these as there are keys each row of the table is met once.
 *
 * IDENTIFICATION
 *	  test/t/table_calls.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "batch/batch_layout.h"
#include "program/program_builder.h"
#include "rowfn/hash_key.h"
#include "service/client.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(join_rows);
PG_FUNCTION_INFO_V1(hold_tables);

extern PGDLLEXPORT Datum join_rows(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum hold_tables(PG_FUNCTION_ARGS);

#define AREA_BYTES 8192

typedef struct Join
{
	GpustrClient *client;
	uint64		table;
	int			nrows;
	int			nkeys;
	int			chunk;			/* rows of a request */
	int			redone;			/* how often the table was made anew */
	int64		rows;			/* of results */
	int64		sum;			/* of their inner rows */
} Join;

/* Requests in flight, oldest first. */
typedef struct Flight
{
	int			n;
	GpustrRequest *request[4];
} Flight;

static GpustrProgramBuilder builder;
static uint64 area[AREA_BYTES / 8];

static GpustrProgram *
build_program(const Join *join, int first_row, bool finish)
{
	GpustrTableBuild build;

	memset(&build, 0, sizeof(build));
	build.table = join->table;
	build.nrows = join->nrows;
	build.first_row = first_row;
	build.finish = finish;
	build.ncolumns = 1;
	build.nkeys = 1;
	build.hash_bits = 32;
	build.load = 50;
	build.key_kind[0] = ROWFN_KEY_VALUE;
	gpustr_builder_init(&builder, GPUSTR_ENC_UTF8, area, AREA_BYTES);
	if (!finish)
		build.column[0].reg = gpustr_builder_column_value(&builder, 0);
	gpustr_builder_build(&builder, &build);
	if (gpustr_builder_finish(&builder) == 0)
		elog(ERROR, "program does not fit");
	return (GpustrProgram *) area;
}

static GpustrProgram *
probe_program(const Join *join)
{
	GpustrProbe probe;
	uint16_t	all;

	memset(&probe, 0, sizeof(probe));
	probe.table = join->table;
	probe.kind = GPUSTR_PROBE_INNER;
	probe.nkeys = 1;
	probe.hash_bits = 32;
	probe.npartitions = 1;
	probe.key_kind[0] = ROWFN_KEY_VALUE;
	gpustr_builder_init(&builder, GPUSTR_ENC_UTF8, area, AREA_BYTES);
	probe.key_reg[0] = gpustr_builder_column_value(&builder, 0);
	all = gpustr_builder_const(&builder, GPUSTR_TRUE);
	gpustr_builder_probe(&builder, all, &probe);
	gpustr_builder_result(&builder, -1);
	if (gpustr_builder_finish(&builder) == 0)
		elog(ERROR, "program does not fit");
	return (GpustrProgram *) area;
}

/* A body with n keys in it, of rows first .. first + n - 1; NULL: collect first. */
static GpustrRequest *
acquire(Join *join, const GpustrProgram *program, int first, int n, int modulus,
		const GpustrResultLayout *result)
{
	GpustrInputLayout input = {0, 0};
	int			ncolumns = n > 0 ? 1 : 0;
	Size		bytes = gpustr_layout_join_columns_bytes(program->bytes, n, ncolumns, &input, result);
	GpustrRequest *request = gpustr_request_acquire(join->client, bytes);
	GpustrBatch *batch;
	int			i;

	if (request == NULL)
		return NULL;
	batch = gpustr_layout_join_columns(gpustr_request_body(request), gpustr_request_bytes(request),
									   program, n, ncolumns, &input, result);
	if (batch == NULL)
		elog(ERROR, "batch does not fit");
	if (n > 0)
	{
		memset(GPUSTR_BODY_PTR(batch, batch->column[0].validity_off, char), 0xFF, (n + 7) / 8);
		for (i = 0; i < n; i++)
			GPUSTR_BODY_PTR(batch, batch->column[0].data_off, int64)[i] = (first + i) % modulus;
	}
	return request;
}

/* Take the results of the oldest request in flight, run again while there are more. */
static void
collect(Join *join, Flight *flight)
{
	GpustrRequest *request = flight->request[0];

	for (;;)
	{
		GpustrBatch *batch;
		GpustrJoinResult *result;
		int			i;

		gpustr_request_wait(request);
		batch = gpustr_request_body(request);
		if (batch->result_off == 0)
			break;
		result = GPUSTR_BODY_PTR(batch, batch->result_off, GpustrJoinResult);
		for (i = 0; i < result->nrows; i++)
			join->sum += GPUSTR_BODY_PTR(batch, batch->result_inner_off, uint32)[i];
		join->rows += result->nrows;
		if (!result->more)
			break;
		batch->result_pair = result->next_pair;
		batch->result_skip = result->next_skip;
		gpustr_request_again(request);
		gpustr_request_submit(request);
	}
	gpustr_request_release(request);
	flight->n--;
	memmove(&flight->request[0], &flight->request[1], sizeof(GpustrRequest *) * flight->n);
}

static void
submit(Join *join, Flight *flight, GpustrRequest *request)
{
	gpustr_request_submit(request);
	flight->request[flight->n++] = request;
	if (flight->n == lengthof(flight->request))
		collect(join, flight);
}

/* Make the table where the client is; false: it has become local on the way. */
static bool
make_table(Join *join)
{
	int			place = gpustr_client_place(join->client);
	Flight		flight = {0};
	int			first = 0;

	while (first < join->nrows)
	{
		int			n = Min(join->chunk, join->nrows - first);
		GpustrRequest *request = acquire(join, build_program(join, first, false), first, n,
										 join->nkeys, NULL);

		if (request == NULL)
			collect(join, &flight);
		else
		{
			submit(join, &flight, request);
			first += n;
		}
		if (gpustr_client_place(join->client) != place)
			break;
	}
	while (flight.n > 0)
		collect(join, &flight);
	if (gpustr_client_place(join->client) == place)
	{
		submit(join, &flight, acquire(join, build_program(join, 0, true), 0, 0, 1, NULL));
		collect(join, &flight);
	}
	return gpustr_client_place(join->client) == place;
}

static void
redo(void *arg)
{
	Join	   *join = arg;

	if (gpustr_client_place(join->client) != GPUSTR_PLACE_LOCAL)
		elog(ERROR, "the client is not local");
	join->redone++;
	(void) make_table(join);
}

static void
sleep_ms(int ms)
{
	TimestampTz end = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), ms);

	while (GetCurrentTimestamp() < end)
	{
		CHECK_FOR_INTERRUPTS();
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, 10, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
	}
}

/*
 * join_rows(nrows int, nkeys int, chunk int, room int, pause int) -> text: the result
 * rows, the sum of their inner rows, where the join ended, and how often the table was
 * made anew.  room: result rows of a request; pause: ms between build and probe.
 */
Datum
join_rows(PG_FUNCTION_ARGS)
{
	GpustrResultLayout result;
	Flight		flight = {0};
	Join		join;
	int			place = gpustr_choose_place();
	int			first = 0;

	memset(&join, 0, sizeof(join));
	memset(&result, 0, sizeof(result));
	join.nrows = PG_GETARG_INT32(0);
	join.nkeys = PG_GETARG_INT32(1);
	join.chunk = PG_GETARG_INT32(2);
	result.room = PG_GETARG_INT32(3);
	result.want_inner = 1;
	if (place >= 0 && (join.table = gpustr_table_claim(CurrentMemoryContext)) == 0)
		place = GPUSTR_PLACE_LOCAL;
	if (place < 0)
		join.table = gpustr_table_claim_local(CurrentMemoryContext);
	join.client = gpustr_client_create(CurrentMemoryContext);
	gpustr_client_set_place(join.client, place);
	gpustr_client_before_redo(join.client, redo, &join);
	(void) make_table(&join);
	sleep_ms(PG_GETARG_INT32(4));
	while (first < join.nkeys)
	{
		int			n = Min(join.chunk, join.nkeys - first);
		GpustrRequest *request = acquire(&join, probe_program(&join), first, n, join.nkeys, &result);

		if (request == NULL)
		{
			collect(&join, &flight);
			continue;
		}
		submit(&join, &flight, request);
		first += n;
	}
	while (flight.n > 0)
		collect(&join, &flight);
	PG_RETURN_TEXT_P(cstring_to_text(psprintf(INT64_FORMAT " " INT64_FORMAT " %s %d", join.rows, join.sum,
											  gpustr_client_place(join.client) >= 0 ? "device" : "local",
											  join.redone)));
}

/*
 * hold_tables(n int) -> int: claim n ids, until the transaction ends; how many there
 * were.
 */
Datum
hold_tables(PG_FUNCTION_ARGS)
{
	ResourceOwner owner = CurrentResourceOwner;
	int			given = 0;
	int			i;

	CurrentResourceOwner = TopTransactionResourceOwner;
	for (i = 0; i < PG_GETARG_INT32(0); i++)
		given += gpustr_table_claim(TopTransactionContext) != 0;
	CurrentResourceOwner = owner;
	PG_RETURN_INT32(given);
}
