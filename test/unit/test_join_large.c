/*-------------------------------------------------------------------------
 *
 * test_join_large.c
 *	  Joins on the host engine with more pairs than there is memory for, and how
 *	  soon they stop.
 *
 * IDENTIFICATION
 *	  test/unit/test_join_large.c
 *
 *-------------------------------------------------------------------------
 */
#include "batch/batch_layout.h"
#include "engine/engine.h"
#include "program/program_builder.h"
#include "program/text_function.h"
#include "rowfn/hash_key.h"
#include "rowfn/numeric.h"
#include "test_common.h"

#define BODY_BYTES (8 << 20)
#define TABLE_ID 77
#define MANY 100000
#define LIMIT_BYTES (8 << 20)	/* of memory: pairs would take much more */

/* A request stops within so long of when it is asked to. */
#define STOP_NS 50000000

static char *body;
static uint64_t area[4096];
static GpustrProgramBuilder builder;
static Engine *engine;
static volatile uint64_t memory_limit = LIMIT_BYTES;
static EngineRequest request;

/* When to stop, and when the request was told so; 0: never. */
static uint64_t stop_at;
static uint64_t told_at;

static uint64_t
now_ns(void)
{
	struct timespec t;

	(void) clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

static int
stop(void)
{
	return stop_at != 0 && now_ns() >= stop_at;
}

static EngineCode
run(void)
{
	memset(&request, 0, sizeof(request));
	request.body = body;
	request.body_bytes = BODY_BYTES;
	engine->methods->submit(engine, &request);
	told_at = now_ns();
	CHECK(engine->methods->poll(engine) == &request, "it does not come back");
	return request.error.code;
}

/* A column of n values: key, but for those that 'other' says. */
static void
fill_keys(const GpustrBatch *batch, int32_t n, int64_t (*key) (int32_t row))
{
	const GpustrColumn *column = &batch->column[0];
	int32_t		i;

	memset(GPUSTR_BODY_PTR(body, column->validity_off, char), 0xFF, (size_t) (n + 7) / 8);
	for (i = 0; i < n; i++)
		GPUSTR_BODY_PTR(body, column->data_off, int64_t)[i] = key(i);
}

/* Every row of one key, but for one in a thousand. */
static int64_t
mostly_7(int32_t row)
{
	return row % 1000 == 999 ? row : 7;
}

static int64_t
distinct(int32_t row)
{
	return row;
}

/* Build a table of n rows, in one request, and finish it.  Returns the last code. */
static EngineCode
build(int32_t n, int64_t (*key) (int32_t row), int32_t hash_bits)
{
	static const GpustrInputLayout column = {0, 0};
	GpustrTableBuild t;
	EngineCode	code;
	int			finish;

	memset(&t, 0, sizeof(t));
	t.table = TABLE_ID;
	t.nrows = n;
	t.ncolumns = 1;
	t.nkeys = 1;
	t.hash_bits = hash_bits;
	t.load = 50;
	t.key_kind[0] = ROWFN_KEY_VALUE;
	for (finish = 0; finish <= 1; finish++)
	{
		gpustr_builder_init(&builder, GPUSTR_ENC_UTF8, area, sizeof(area));
		t.finish = finish;
		t.column[0].reg = finish ? 0 : gpustr_builder_column_value(&builder, 0);
		gpustr_builder_build(&builder, &t);
		CHECK(gpustr_builder_finish(&builder) > 0, "no program");
		(void) gpustr_layout_join_columns(body, BODY_BYTES, (const GpustrProgram *) area, finish ? 0 : n,
										  finish ? 0 : 1, &column, NULL);
		if (!finish)
			fill_keys((const GpustrBatch *) body, n, key);
		code = run();
		if (code != ENGINE_OK)
			return code;
	}
	return code;
}

/*
 * A probe of n rows.  nothing: a condition that no pair meets.  chain: each pair probes
 * once more.
 */
static GpustrBatch *
make_probe(GpustrProbeKind kind, int32_t n, int64_t (*key) (int32_t row), int32_t room, int nothing,
		   int chain, int32_t hash_bits)
{
	static const GpustrInputLayout column = {0, 0};
	GpustrResultLayout result;
	GpustrProbe p;
	GpustrBatch *batch;
	uint16_t	reg;
	int			condition = -1;

	memset(&result, 0, sizeof(result));
	result.room = room;
	result.want_outer = 1;
	result.want_inner = 1;
	memset(&p, 0, sizeof(p));
	p.table = TABLE_ID;
	p.kind = kind;
	p.nkeys = 1;
	p.hash_bits = hash_bits;
	p.npartitions = 1;
	p.key_kind[0] = ROWFN_KEY_VALUE;
	gpustr_builder_init(&builder, GPUSTR_ENC_UTF8, area, sizeof(area));
	reg = gpustr_builder_column_value(&builder, 0);
	p.key_reg[0] = reg;
	gpustr_builder_probe(&builder, gpustr_builder_const(&builder, GPUSTR_TRUE), &p);
	if (chain)
	{
		reg = gpustr_builder_gather(&builder, 0, reg);
		p.key_reg[0] = reg;
		gpustr_builder_probe(&builder, gpustr_builder_const(&builder, GPUSTR_TRUE), &p);
	}
	if (nothing)
		condition = gpustr_builder_test(&builder, GPUSTR_OP_NULL_VALUE, gpustr_builder_inner(&builder, 0, 0));
	gpustr_builder_result(&builder, condition);
	CHECK(gpustr_builder_finish(&builder) > 0, "no program");
	batch = gpustr_layout_join_columns(body, BODY_BYTES, (const GpustrProgram *) area, n, 1, &column, &result);
	fill_keys(batch, n, key);
	return batch;
}

/* All pairs of outer 7 and inner 7, in order, in little memory. */
static void
test_one_key(void)
{
	const int32_t nouter = 20;
	const GpustrJoinResult *result;
	GpustrBatch *batch;
	uint64_t	n = 0;
	int64_t		last = -1;

	CHECK(build(MANY, mostly_7, ROWFN_HASH_BITS) == ENGINE_OK, "%s", request.error.message);
	batch = make_probe(GPUSTR_PROBE_MARK, nouter, mostly_7, 12345, 0, 0, ROWFN_HASH_BITS);
	result = GPUSTR_BODY_PTR(body, batch->result_off, const GpustrJoinResult);
	do
	{
		const int32_t *outer = GPUSTR_BODY_PTR(body, batch->result_outer_off, const int32_t);
		const uint32_t *inner = GPUSTR_BODY_PTR(body, batch->result_inner_off, const uint32_t);
		int32_t		i;

		if (n > 0)
		{
			batch->result_pair = result->next_pair;
			batch->result_skip = result->next_skip;
		}
		CHECK(run() == ENGINE_OK, "%s", request.error.message);
		CHECK(result->nrows > 0, "nothing");
		for (i = 0; i < result->nrows; i++, n++)
		{
			/* a pair as a number: ascending, a mark last */
			int64_t		pair = ((int64_t) outer[i] << 32) + inner[i];

			CHECK(inner[i] == GPUSTR_NO_ROW || (inner[i] < MANY && inner[i] % 1000 != 999), "pair (%d, %u)", outer[i], inner[i]);
			CHECK(pair > last, "pair (%d, %u)", outer[i], inner[i]);
			last = pair;
		}
	} while (result->more && test_bad == 0);
	CHECK(n == (uint64_t) nouter * (MANY - MANY / 1000 + 1), "%llu pairs", (unsigned long long) n);

	/* far into the results of one pair of the first PROBE */
	batch = make_probe(GPUSTR_PROBE_INNER, 2, mostly_7, 10, 0, 1, ROWFN_HASH_BITS);
	batch->result_pair = 100;
	batch->result_skip = (uint64_t) 20000 * (MANY - MANY / 1000) + 5;
	CHECK(run() == ENGINE_OK, "%s", request.error.message);
	result = GPUSTR_BODY_PTR(body, batch->result_off, const GpustrJoinResult);
	CHECK(result->nrows == 10 && result->more && result->next_pair == 20100 && result->next_skip == 15,
		  "%d, then pair %llu and %llu", result->nrows, (unsigned long long) result->next_pair,
		  (unsigned long long) result->next_skip);
	CHECK(GPUSTR_BODY_PTR(body, batch->result_inner_off, const uint32_t)[0] == 5, "another pair");
	engine->methods->drop_table(engine, TABLE_ID);
	test_done("a key of 100000 rows");
}

/*
 * A text that is made in one space stays while the next makes more, chunk by chunk.
 */
static void
test_made_texts(void)
{
	static const GpustrInputLayout column = {0, 0};
	const int32_t nouter = 3;
	const GpustrJoinResult *result;
	GpustrResultLayout layout;
	GpustrProbe p;
	GpustrBatch *batch;
	uint16_t	args[2];
	uint16_t	outer_text;
	uint16_t	key;
	int			i;

	CHECK(build(2000, mostly_7, ROWFN_HASH_BITS) == ENGINE_OK, "%s", request.error.message);
	memset(&layout, 0, sizeof(layout));
	layout.room = nouter * 2000;
	layout.ncolumns = 2;
	layout.is_text[0] = layout.is_text[1] = 1;
	layout.text_bytes[0] = layout.text_bytes[1] = 100000;
	memset(&p, 0, sizeof(p));
	p.table = TABLE_ID;
	p.kind = GPUSTR_PROBE_INNER;
	p.nkeys = 1;
	p.hash_bits = ROWFN_HASH_BITS;
	p.npartitions = 1;
	p.key_kind[0] = ROWFN_KEY_VALUE;
	gpustr_builder_init(&builder, GPUSTR_ENC_UTF8, area, sizeof(area));
	p.key_reg[0] = args[1] = key = gpustr_builder_column_value(&builder, 0);
	args[0] = gpustr_builder_const_text(&builder, GPUSTR_FALSE, "ab", 2);
	outer_text = gpustr_builder_text_function(&builder, GPUSTR_TEXT_REPEAT, args, NULL, 0);
	gpustr_builder_probe(&builder, gpustr_builder_const(&builder, GPUSTR_TRUE), &p);
	outer_text = gpustr_builder_gather(&builder, 1, outer_text);
	args[1] = gpustr_builder_gather(&builder, 0, key);
	args[0] = gpustr_builder_const_text(&builder, GPUSTR_FALSE, "xy", 2);
	args[0] = gpustr_builder_text_function(&builder, GPUSTR_TEXT_REPEAT, args, NULL, 0);
	gpustr_builder_result(&builder, -1);
	gpustr_builder_result_column(&builder, 1, 0, outer_text);
	gpustr_builder_result_column(&builder, 1, 1, args[0]);
	CHECK(gpustr_builder_finish(&builder) > 0, "no program");
	batch = gpustr_layout_join_columns(body, BODY_BYTES, (const GpustrProgram *) area, nouter, 1, &column, &layout);
	fill_keys(batch, nouter, mostly_7);
	CHECK(run() == ENGINE_OK, "%s", request.error.message);
	result = GPUSTR_BODY_PTR(body, batch->result_off, const GpustrJoinResult);
	CHECK(result->nrows == nouter * 1998 && !result->more, "%d rows", result->nrows);
	for (i = 0; i < 2 * result->nrows; i++)
	{
		const GpustrColumn *c = &batch->result_column[i % 2];
		const int32_t *offsets = GPUSTR_BODY_PTR(body, c->offsets_off, const int32_t) + i / 2;

		CHECK(offsets[1] - offsets[0] == 14 &&
			  memcmp(GPUSTR_BODY_PTR(body, c->data_off, const char) + offsets[0],
					 i % 2 == 0 ? "ababababababab" : "xyxyxyxyxyxyxy", 14) == 0, "row %d, column %d", i / 2, i % 2);
	}
	engine->methods->drop_table(engine, TABLE_ID);
	test_done("texts made in two spaces");
}

/* Ask a request to stop after some time; it has to, soon. */
static void
expect_stop(const char *what, uint64_t after_ns)
{
	stop_at = now_ns() + after_ns;
	CHECK(run() == ENGINE_STOPPED, "%s: %s", what, request.error.code == ENGINE_OK ? "through" : request.error.message);
	CHECK(told_at < stop_at + STOP_NS, "%s: stops after %llu ns", what, (unsigned long long) (told_at - stop_at));
	stop_at = 0;
}

static void
test_stop(void)
{
	CHECK(build(MANY, mostly_7, ROWFN_HASH_BITS) == ENGINE_OK, "%s", request.error.message);
	(void) make_probe(GPUSTR_PROBE_INNER, MANY, mostly_7, 10, 1, 0, ROWFN_HASH_BITS);
	expect_stop("10^10 pairs, of which none is a result", 20000000);
	(void) make_probe(GPUSTR_PROBE_INNER, MANY, mostly_7, 10, 1, 1, ROWFN_HASH_BITS);
	expect_stop("10^15 pairs", 20000000);
	engine->methods->drop_table(engine, TABLE_ID);

	/* keys that all collide */
	CHECK(build(3000, distinct, 0) == ENGINE_OK, "%s", request.error.message);
	(void) make_probe(GPUSTR_PROBE_INNER, MANY, distinct, 10, 1, 0, 0);
	expect_stop("keys that collide", 20000000);
	engine->methods->drop_table(engine, TABLE_ID);
	test_done("a join stops soon");
}

/* A table whose making was stopped can be made again. */
static void
test_stopped_build(void)
{
	EngineInfo	info;
	uint64_t	before;
	EngineCode	code;

	memory_limit = UINT64_MAX;
	stop_at = now_ns() + 30000000;
	code = build(MANY, distinct, 0);
	CHECK(code == ENGINE_STOPPED, "code %d", (int) code);
	CHECK(told_at < stop_at + STOP_NS, "stops after %llu ns", (unsigned long long) (told_at - stop_at));
	stop_at = 0;
	engine->methods->info(engine, &info);
	CHECK(info.tables == 1, "%d tables", info.tables);
	before = info.table_bytes;
	CHECK(before < MANY * 16, "%llu bytes are left of what was made", (unsigned long long) before);
	engine->methods->drop_table(engine, TABLE_ID);
	memory_limit = LIMIT_BYTES;

	/* all requests from the first */
	CHECK(build(1000, distinct, 0) == ENGINE_OK, "%s", request.error.message);
	engine->methods->drop_table(engine, TABLE_ID);
	test_done("a table whose making is stopped");
}

/* Values that are recheck, and numeric keys that are not well-formed. */
static void
test_doubt(void)
{
	static const GpustrInputLayout columns[] = {{0, 0}, {1, 16}};
	GpustrTableBuild t;
	GpustrBatch *batch;
	uint16_t	value;

	memset(&t, 0, sizeof(t));
	t.table = TABLE_ID;
	t.nrows = 1;
	t.ncolumns = 1;
	t.nkeys = 1;
	t.hash_bits = ROWFN_HASH_BITS;
	t.load = 50;
	t.key_kind[0] = ROWFN_KEY_VALUE;
	gpustr_builder_init(&builder, GPUSTR_ENC_UTF8, area, sizeof(area));
	value = gpustr_builder_column_value(&builder, 0);
	t.column[0].reg = gpustr_builder_cast(&builder, GPUSTR_CAST_INT_TO_INT2, value);
	gpustr_builder_build(&builder, &t);
	CHECK(gpustr_builder_finish(&builder) > 0, "no program");
	batch = gpustr_layout_join_columns(body, BODY_BYTES, (const GpustrProgram *) area, 1, 1, columns, NULL);
	GPUSTR_BODY_PTR(body, batch->column[0].validity_off, unsigned char)[0] = 1;
	GPUSTR_BODY_PTR(body, batch->column[0].data_off, int64_t)[0] = 100000;
	CHECK(run() == ENGINE_BAD_INPUT, "a value that is recheck is taken");
	GPUSTR_BODY_PTR(body, batch->column[0].data_off, int64_t)[0] = 1000;
	CHECK(run() == ENGINE_OK, "%s", request.error.message);
	engine->methods->drop_table(engine, TABLE_ID);

	t.key_kind[0] = ROWFN_KEY_NUMERIC;
	t.column[0].is_text = 1;
	t.column[0].bytes = 1;
	gpustr_builder_init(&builder, GPUSTR_ENC_UTF8, area, sizeof(area));
	t.column[0].reg = gpustr_builder_column(&builder, 0);
	gpustr_builder_build(&builder, &t);
	CHECK(gpustr_builder_finish(&builder) > 0, "no program");
	batch = gpustr_layout_join_columns(body, BODY_BYTES, (const GpustrProgram *) area, 1, 1, columns + 1, NULL);
	GPUSTR_BODY_PTR(body, batch->column[0].validity_off, unsigned char)[0] = 1;
	GPUSTR_BODY_PTR(body, batch->column[0].offsets_off, int32_t)[0] = 0;
	GPUSTR_BODY_PTR(body, batch->column[0].offsets_off, int32_t)[1] = 1;
	CHECK(run() == ENGINE_OK, "%s", request.error.message);
	t.finish = 1;
	t.first_row = 1;
	gpustr_builder_init(&builder, GPUSTR_ENC_UTF8, area, sizeof(area));
	gpustr_builder_build(&builder, &t);
	CHECK(gpustr_builder_finish(&builder) > 0, "no program");
	(void) gpustr_layout_join_columns(body, BODY_BYTES, (const GpustrProgram *) area, 0, 0, NULL, NULL);
	CHECK(run() == ENGINE_BAD_INPUT, "a key that is in doubt is taken");
	engine->methods->drop_table(engine, TABLE_ID);
	test_done("values in doubt");
}

int
main(void)
{
	EngineConfig config;
	EngineError error;

	memset(&config, 0, sizeof(config));
	config.memory_limit = &memory_limit;
	config.stop = stop;
	if (gpustr_engine_host()->open(&config, &engine, &error) != ENGINE_OK)
		return 2;
	body = aligned_alloc(GPUSTR_BODY_ALIGN, BODY_BYTES);
	test_one_key();
	test_made_texts();
	test_stop();
	test_stopped_build();
	test_doubt();
	free(body);
	engine->methods->close(engine);
	return test_exit();
}
