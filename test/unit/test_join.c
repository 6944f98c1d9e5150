/*-------------------------------------------------------------------------
 *
 * test_join.c
 *	  Joins on the host engine: a small one with known answers, and the life of a
 *	  table.
 *
 * IDENTIFICATION
 *	  test/unit/test_join.c
 *
 *-------------------------------------------------------------------------
 */
#include <stddef.h>

#include "batch/batch_layout.h"
#include "engine/engine.h"
#include "program/program_builder.h"
#include "rowfn/hash_key.h"
#include "test_common.h"

#define BODY_BYTES (1 << 20)
#define TABLE_ID UINT64_C(0x123456789A)
#define NONE INT64_MIN			/* a NULL */

static char *body;
static char *area;
static GpustrProgramBuilder builder;
static Engine *engine;
static volatile uint64_t memory_limit = UINT64_MAX;
static EngineRequest request;

/* A table's definition, with room for two columns. */
typedef struct TwoColumns
{
	GpustrTableBuild build;
	GpustrTableColumn second;
} TwoColumns;

static EngineCode
run(void)
{
	memset(&request, 0, sizeof(request));
	request.body = body;
	request.body_bytes = BODY_BYTES;
	engine->methods->submit(engine, &request);
	CHECK(engine->methods->poll(engine) == &request, "it does not come back");
	return request.error.code;
}

/* The inner side: keys, and names. */
static void
define_table(TwoColumns *t, int32_t nrows, int32_t first_row, int finish)
{
	memset(t, 0, sizeof(*t));
	t->build.table = TABLE_ID;
	t->build.nrows = nrows;
	t->build.first_row = first_row;
	t->build.finish = finish;
	t->build.ncolumns = 2;
	t->build.nkeys = 1;
	t->build.hash_bits = ROWFN_HASH_BITS;
	t->build.load = 50;
	t->build.key_kind[0] = ROWFN_KEY_VALUE;
	t->second.is_text = 1;
	t->second.bytes = (uint64_t) nrows * 2;
	t->second.first_byte = (uint64_t) first_row * 2;
}

/* A column of values. */
static void
fill_values(const GpustrBatch *batch, const GpustrColumn *column, const int64_t *values)
{
	unsigned char *validity = GPUSTR_BODY_PTR(body, column->validity_off, unsigned char);
	int64_t    *to = GPUSTR_BODY_PTR(body, column->data_off, int64_t);
	int32_t		i;

	memset(validity, 0, (size_t) (batch->nrows + 7) / 8);
	for (i = 0; i < batch->nrows; i++)
	{
		to[i] = values[i];
		if (values[i] != NONE)
			validity[i / 8] = (unsigned char) (validity[i / 8] | 1 << (i % 8));
	}
}

/* Rows first_row to first_row + n - 1 of a table; row i is called "a" + i and "!". */
static EngineCode
build_rows(int32_t nrows, int32_t first_row, int32_t n, const int64_t *keys)
{
	GpustrInputLayout columns[2] = {{0, 0}, {1, (uint64_t) n * 2}};
	TwoColumns	t;
	GpustrBatch *batch;
	int32_t    *offsets;
	char	   *data;
	int32_t		i;

	define_table(&t, nrows, first_row, 0);
	gpustr_builder_init(&builder, GPUSTR_ENC_UTF8, area, BODY_BYTES);
	t.build.column[0].reg = gpustr_builder_column_value(&builder, 0);
	t.second.reg = gpustr_builder_column(&builder, 1);
	gpustr_builder_build(&builder, (const GpustrTableBuild *) &t);
	CHECK(gpustr_builder_finish(&builder) > 0, "no program");
	batch = gpustr_layout_join_columns(body, BODY_BYTES, (const GpustrProgram *) area, n, 2, columns, NULL);
	fill_values(batch, &batch->column[0], keys);
	memset(GPUSTR_BODY_PTR(body, batch->column[1].validity_off, char), 0xFF, (size_t) (n + 7) / 8);
	offsets = GPUSTR_BODY_PTR(body, batch->column[1].offsets_off, int32_t);
	data = GPUSTR_BODY_PTR(body, batch->column[1].data_off, char);
	for (i = 0; i <= n; i++)
	{
		offsets[i] = 2 * i;
		if (i < n)
		{
			data[2 * i] = (char) ('a' + (first_row + i) % 26);
			data[2 * i + 1] = '!';
		}
	}
	return run();
}

static EngineCode
build_finish(int32_t nrows)
{
	TwoColumns	t;

	define_table(&t, nrows, 0, 1);
	gpustr_builder_init(&builder, GPUSTR_ENC_UTF8, area, BODY_BYTES);
	gpustr_builder_build(&builder, (const GpustrTableBuild *) &t);
	CHECK(gpustr_builder_finish(&builder) > 0, "no program");
	(void) gpustr_layout_join_columns(body, BODY_BYTES, (const GpustrProgram *) area, 0, 0, NULL, NULL);
	return run();
}

/* The probe of a table by values: results are the name, and twice the key. */
static EngineCode
probe(GpustrProbeKind kind, const int64_t *keys, int32_t n, int32_t room, uint32_t text_bytes,
	  uint64_t pair, uint64_t skip)
{
	GpustrInputLayout column = {0, 0};
	GpustrResultLayout result;
	GpustrProbe p;
	GpustrBatch *batch;
	uint16_t	key;
	uint16_t	name;
	uint16_t	twice;

	memset(&result, 0, sizeof(result));
	result.room = room;
	result.want_outer = 1;
	result.want_inner = 1;
	result.ncolumns = 2;
	result.is_text[0] = 1;
	result.text_bytes[0] = text_bytes;
	memset(&p, 0, sizeof(p));
	p.table = TABLE_ID;
	p.kind = kind;
	p.nkeys = 1;
	p.hash_bits = ROWFN_HASH_BITS;
	p.npartitions = 1;
	p.key_kind[0] = ROWFN_KEY_VALUE;
	gpustr_builder_init(&builder, GPUSTR_ENC_UTF8, area, BODY_BYTES);
	key = gpustr_builder_column_value(&builder, 0);
	p.key_reg[0] = key;
	gpustr_builder_probe(&builder, gpustr_builder_const(&builder, GPUSTR_TRUE), &p);
	name = gpustr_builder_inner(&builder, 1, 1);
	key = gpustr_builder_gather(&builder, 0, key);
	twice = gpustr_builder_arith(&builder, GPUSTR_ARITH_ADD, GPUSTR_VALUE_INT8, key, key);
	gpustr_builder_result(&builder, -1);
	gpustr_builder_result_column(&builder, 1, 0, name);
	gpustr_builder_result_column(&builder, 0, 1, twice);
	CHECK(gpustr_builder_finish(&builder) > 0, "no program");
	batch = gpustr_layout_join_columns(body, BODY_BYTES, (const GpustrProgram *) area, n, 1, &column, &result);
	batch->result_pair = pair;
	batch->result_skip = skip;
	fill_values(batch, &batch->column[0], keys);
	return run();
}

/* Append the results, as "outer inner name twice", to a text. */
static GpustrJoinResult
print_results(char *out)
{
	const GpustrBatch *batch = (const GpustrBatch *) body;
	const GpustrJoinResult *result = GPUSTR_BODY_PTR(body, batch->result_off, const GpustrJoinResult);
	const int32_t *outer = GPUSTR_BODY_PTR(body, batch->result_outer_off, const int32_t);
	const uint32_t *inner = GPUSTR_BODY_PTR(body, batch->result_inner_off, const uint32_t);
	const int32_t *offsets = GPUSTR_BODY_PTR(body, batch->result_column[0].offsets_off, const int32_t);
	const char *data = GPUSTR_BODY_PTR(body, batch->result_column[0].data_off, const char);
	const int64_t *twice = GPUSTR_BODY_PTR(body, batch->result_column[1].data_off, const int64_t);
	const unsigned char *valid[2];
	int32_t		i;

	valid[0] = GPUSTR_BODY_PTR(body, batch->result_column[0].validity_off, const unsigned char);
	valid[1] = GPUSTR_BODY_PTR(body, batch->result_column[1].validity_off, const unsigned char);
	out += strlen(out);
	for (i = 0; i < result->nrows; i++)
	{
		out += sprintf(out, "%d ", outer[i]);
		out += inner[i] == GPUSTR_NO_ROW ? sprintf(out, "- ") : sprintf(out, "%u ", inner[i]);
		out += (valid[0][i / 8] >> (i % 8) & 1) == 0 ? sprintf(out, "- ") :
			sprintf(out, "%.*s ", offsets[i + 1] - offsets[i], data + offsets[i]);
		out += (valid[1][i / 8] >> (i % 8) & 1) == 0 ? sprintf(out, "-\n") : sprintf(out, "%lld\n", (long long) twice[i]);
	}
	return *result;
}

static const int64_t inner_keys[] = {7, 5, 7, 9, NONE, 7, 1, 2};
static const int64_t outer_keys[] = {1, 7, 3, NONE, 5};

/* What each kind answers. */
static const char *const answers[GPUSTR_PROBE_LAST + 1] = {
	"",
	"0 6 g! 2\n1 0 a! 14\n1 2 c! 14\n1 5 f! 14\n4 1 b! 10\n",
	"0 6 g! 2\n1 0 a! 14\n1 2 c! 14\n1 5 f! 14\n2 - - 6\n3 - - -\n4 1 b! 10\n",
	"0 6 g! 2\n0 - - 2\n1 0 a! 14\n1 2 c! 14\n1 5 f! 14\n1 - - 14\n2 - - 6\n3 - - -\n4 1 b! 10\n4 - - 10\n",
	"0 - - 2\n1 - - 14\n4 - - 10\n",
	"2 - - 6\n3 - - -\n"
};

static void
build_small(void)
{
	CHECK(build_rows(8, 5, 3, inner_keys + 5) == ENGINE_OK, "%s", request.error.message);
	CHECK(build_rows(8, 0, 5, inner_keys) == ENGINE_OK, "%s", request.error.message);
	CHECK(build_finish(8) == ENGINE_OK, "%s", request.error.message);
}

/* All kinds; in pieces of 1 to 12 rows, and of few bytes. */
static void
test_small(void)
{
	int			kind;
	int32_t		room;

	build_small();
	for (kind = GPUSTR_PROBE_INNER; kind <= GPUSTR_PROBE_LAST; kind++)
		for (room = 1; room <= 12; room++)
		{
			char		got[400] = "";
			GpustrJoinResult result;
			int			pieces = 0;

			memset(&result, 0, sizeof(result));
			do
			{
				CHECK(probe((GpustrProbeKind) kind, outer_keys, 5, room, room % 2 == 0 ? 1000 : 5,
							result.next_pair, result.next_skip) == ENGINE_OK, "%s", request.error.message);
				result = print_results(got);
				CHECK(result.probed == 5, "%d rows were probed", result.probed);
				pieces++;
			} while (result.more && pieces < 20);
			CHECK(strcmp(got, answers[kind]) == 0, "kind %d, room %d: %s", kind, room, got);
		}
	engine->methods->drop_table(engine, TABLE_ID);
	test_done("a small join, all kinds, in pieces");
}

static int32_t
count_tables(uint64_t *bytes)
{
	EngineInfo	info;
	uint64_t	id = 0;
	int32_t		n = engine->methods->tables(engine, &id, 1);

	engine->methods->info(engine, &info);
	CHECK(info.tables == n, "%d tables, not %d", info.tables, n);
	CHECK(n == 0 || id == TABLE_ID, "another table");
	CHECK(info.table_bytes == info.memory_used, "other memory");
	*bytes = info.table_bytes;
	return n;
}

/* What the finished table is said to be. */
static void
check_said(uint32_t keyed, uint32_t distinct, uint64_t slots)
{
	const GpustrTableResult *said = GPUSTR_BODY_PTR(body, ((const GpustrBatch *) body)->table_off, const GpustrTableResult);

	CHECK(said->keyed == keyed && said->distinct == distinct && said->slots == slots && said->window == 4,
		  "%u keys in %u rows, %llu slots, %u in a window", said->distinct, said->keyed,
		  (unsigned long long) said->slots, said->window);
	CHECK(request.bytes_out == sizeof(GpustrTableResult), "%llu bytes", (unsigned long long) request.bytes_out);
}

/* What the engine says of a table: keys, those that are NULL, slots for all rows at a load of 50. */
static void
test_said(void)
{
	static const int64_t null_keys[] = {NONE, NONE, NONE};
	static const int64_t equal_keys[] = {4, 4, 4, 4, 4};

	build_small();
	check_said(7, 5, 16);
	engine->methods->drop_table(engine, TABLE_ID);
	CHECK(build_rows(3, 0, 3, null_keys) == ENGINE_OK, "%s", request.error.message);
	CHECK(request.bytes_out == 0, "%llu bytes of a table that is not finished", (unsigned long long) request.bytes_out);
	CHECK(build_finish(3) == ENGINE_OK, "%s", request.error.message);
	check_said(0, 0, 8);
	engine->methods->drop_table(engine, TABLE_ID);
	CHECK(build_rows(5, 0, 5, equal_keys) == ENGINE_OK, "%s", request.error.message);
	CHECK(build_finish(5) == ENGINE_OK, "%s", request.error.message);
	check_said(5, 1, 12);
	engine->methods->drop_table(engine, TABLE_ID);
	CHECK(build_finish(0) == ENGINE_OK, "%s", request.error.message);
	check_said(0, 0, 4);
	engine->methods->drop_table(engine, TABLE_ID);
	test_done("what is said of a table");
}

/* A table comes to be, is finished, and is no more. */
static void
test_life(void)
{
	uint64_t	bytes;
	uint64_t	less;

	CHECK(count_tables(&bytes) == 0 && bytes == 0, "there are tables");
	CHECK(probe(GPUSTR_PROBE_INNER, outer_keys, 5, 10, 100, 0, 0) == ENGINE_NO_TABLE, "%s", request.error.message);
	CHECK(build_rows(8, 0, 5, inner_keys) == ENGINE_OK, "%s", request.error.message);
	CHECK(count_tables(&less) == 1 && less > 0, "there is no table");
	CHECK(probe(GPUSTR_PROBE_INNER, outer_keys, 5, 10, 100, 0, 0) == ENGINE_NO_TABLE, "it is not finished");
	CHECK(build_rows(9, 5, 3, inner_keys) == ENGINE_BAD_INPUT, "it has another number of rows");
	CHECK(build_rows(8, 5, 3, inner_keys + 5) == ENGINE_OK, "%s", request.error.message);
	CHECK(build_finish(8) == ENGINE_OK, "%s", request.error.message);
	CHECK(count_tables(&bytes) == 1 && bytes > less, "it does not take more");
	CHECK(build_rows(8, 0, 5, inner_keys) == ENGINE_BAD_INPUT, "it is finished");
	CHECK(build_finish(8) == ENGINE_BAD_INPUT, "it is finished");
	CHECK(probe(GPUSTR_PROBE_INNER, outer_keys, 5, 10, 100, 0, 0) == ENGINE_OK, "%s", request.error.message);
	engine->methods->drop_table(engine, TABLE_ID + 1);
	CHECK(count_tables(&bytes) == 1, "it is gone");
	engine->methods->drop_table(engine, TABLE_ID);
	CHECK(count_tables(&bytes) == 0 && bytes == 0, "it is not gone");
	CHECK(probe(GPUSTR_PROBE_INNER, outer_keys, 5, 10, 100, 0, 0) == ENGINE_NO_TABLE, "%s", request.error.message);

	/* rows that never came */
	CHECK(build_rows(8, 0, 5, inner_keys) == ENGINE_OK, "%s", request.error.message);
	CHECK(build_finish(8) == ENGINE_NO_TABLE, "rows are missing");
	CHECK(count_tables(&bytes) == 0 && bytes == 0, "it is not gone");

	/* no rows at all */
	CHECK(build_finish(0) == ENGINE_OK, "%s", request.error.message);
	CHECK(probe(GPUSTR_PROBE_INNER, outer_keys, 5, 10, 100, 0, 0) == ENGINE_OK, "%s", request.error.message);
	engine->methods->drop_table(engine, TABLE_ID);
	test_done("the life of a table");
}

/* Memory limits from 0 up: a table that there is no memory for is gone, or all works. */
static void
test_memory(void)
{
	int			worked = 0;
	int			failed = 0;
	uint64_t	limit;
	uint64_t	bytes;

	for (limit = 0; limit < 400000; limit += limit < 20000 ? 37 : 4001)
	{
		EngineCode	code;

		memory_limit = limit;
		code = build_rows(8, 0, 5, inner_keys);
		if (code == ENGINE_OK)
			code = build_rows(8, 5, 3, inner_keys + 5);
		if (code == ENGINE_OK)
			code = build_finish(8);
		CHECK(code == ENGINE_OK || code == ENGINE_OUT_OF_MEMORY, "%s", request.error.message);
		if (code != ENGINE_OK)
			CHECK(count_tables(&bytes) == 0 && bytes == 0, "it is not gone");
		else
		{
			CHECK(count_tables(&bytes) == 1 && bytes <= limit, "it has more than it may");
			code = probe(GPUSTR_PROBE_INNER, outer_keys, 5, 10, 100, 0, 0);
			CHECK(code == ENGINE_OK || code == ENGINE_OUT_OF_MEMORY, "%s", request.error.message);
			CHECK(count_tables(&bytes) == 1, "it is gone");
		}
		worked += code == ENGINE_OK;
		failed += code != ENGINE_OK;
		engine->methods->drop_table(engine, TABLE_ID);
	}
	memory_limit = UINT64_MAX;
	CHECK(worked > 0 && failed > 0, "%d worked, %d did not", worked, failed);
	test_done("memory limits");
}

int
main(void)
{
	EngineConfig config;
	EngineError error;

	memset(&config, 0, sizeof(config));
	config.memory_limit = &memory_limit;
	if (gpustr_engine_host()->open(&config, &engine, &error) != ENGINE_OK)
		return 2;
	body = aligned_alloc(GPUSTR_BODY_ALIGN, BODY_BYTES);
	area = aligned_alloc(GPUSTR_BODY_ALIGN, BODY_BYTES);
	test_small();
	test_said();
	test_life();
	test_memory();
	free(body);
	free(area);
	engine->methods->close(engine);
	return test_exit();
}
