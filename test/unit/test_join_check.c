/*-------------------------------------------------------------------------
 *
 * test_join_check.c
 *	  Joins that must be refused: one thing wrong at a time.
 *
 * A body of each kind is accepted as it is, and refused with each of the changes.
 * Those that only the host engine can see are put to it.
 *
 * IDENTIFICATION
 *	  test/unit/test_join_check.c
 *
 *-------------------------------------------------------------------------
 */
#include <stddef.h>

#include "batch/batch_layout.h"
#include "engine/engine.h"
#include "program/program_builder.h"
#include "rowfn/hash_key.h"
#include "rowfn/hash_table.h"
#include "test_common.h"

#define BODY_BYTES 65536
#define NROWS 10
#define NTABLE 30				/* rows of the table */
#define ROOM 20

static GpustrProgramBuilder builder;
static uint64_t area[4096];
static char *body;				/* of which 'bytes' are laid out */
static char *good;				/* the same, all right */
static uint32_t bytes;

static GpustrBatch *
batch(void)
{
	return (GpustrBatch *) body;
}

static GpustrProgram *
program(void)
{
	return GPUSTR_BODY_PTR(body, batch()->program_off, GpustrProgram);
}

static GpustrStep *
steps(void)
{
	return (GpustrStep *) ((char *) program() + program()->step_off);
}

/* The step of this operator; the first. */
static GpustrStep *
step_of(GpustrOp op)
{
	GpustrStep *step = steps();

	while (step->op != op)
		step++;
	return step;
}

static GpustrTableBuild *
build(void)
{
	return (GpustrTableBuild *) ((char *) program() + step_of(GPUSTR_OP_BUILD)->const_off);
}

static GpustrTableColumn *
column(int i)
{
	return (GpustrTableColumn *) ((char *) build() + offsetof(GpustrTableBuild, column)) + i;
}

static GpustrProbe *
probe(void)
{
	return (GpustrProbe *) ((char *) program() + step_of(GPUSTR_OP_PROBE)->const_off);
}

static EngineCode
check(void)
{
	EngineError error;

	return gpustr_batch_check(body, bytes, &error);
}

/* What was changed since the last of these must have been refused. */
static void
refused(const char *what)
{
	CHECK(check() == ENGINE_BAD_INPUT, "%s is accepted", what);
	memcpy(body, good, BODY_BYTES);
}

#define REFUSED(change) \
	do { \
		change; \
		refused(#change); \
	} while (0)

/* The same, for what is right in another way. */
#define ACCEPTED(change) \
	do { \
		change; \
		CHECK(check() == ENGINE_OK, "%s is refused", #change); \
		memcpy(body, good, BODY_BYTES); \
	} while (0)

static void
accept_good(void)
{
	EngineError error;

	CHECK(gpustr_batch_check(body, bytes, &error) == ENGINE_OK, "%s", error.message);
	memcpy(good, body, BODY_BYTES);
}

static void
lay_out(const GpustrInputLayout *columns, int ncolumns, int32_t nrows, const GpustrResultLayout *result)
{
	const GpustrProgram *p = (const GpustrProgram *) area;

	CHECK(gpustr_builder_finish(&builder) > 0, "no program");
	memset(body, 0, BODY_BYTES);
	bytes = (uint32_t) gpustr_layout_join_columns_bytes(p->bytes, nrows, ncolumns, columns, result);
	(void) gpustr_layout_join_columns(body, bytes, p, nrows, ncolumns, columns, result);
}

/* Rows of a table of a value, a text and a value; the first two are the key. */
static void
make_build(int finish)
{
	static const GpustrInputLayout columns[] = {{0, 0}, {1, 50}, {0, 0}};
	uint64_t	memory[(offsetof(GpustrTableBuild, column) + 3 * sizeof(GpustrTableColumn)) / 8];
	GpustrTableBuild *b = (GpustrTableBuild *) memory;
	GpustrTableColumn *c = (GpustrTableColumn *) ((char *) memory + offsetof(GpustrTableBuild, column));

	memset(memory, 0, sizeof(memory));
	gpustr_builder_init(&builder, GPUSTR_ENC_UTF8, area, sizeof(area));
	if (!finish)
	{
		c[0].reg = gpustr_builder_column_value(&builder, 0);
		c[1].reg = gpustr_builder_column(&builder, 1);
		c[2].reg = gpustr_builder_column_value(&builder, 2);
	}
	b->table = 5;
	b->nrows = NTABLE;
	b->first_row = finish ? NTABLE : NTABLE - NROWS;
	b->finish = finish;
	b->ncolumns = 3;
	b->nkeys = 2;
	b->hash_bits = ROWFN_HASH_BITS;
	b->load = 50;
	b->key_kind[0] = ROWFN_KEY_FLOAT;
	b->key_kind[1] = ROWFN_KEY_PADDED;
	b->key_column[1] = 1;
	c[1].is_text = 1;
	c[1].bytes = 100;
	c[1].first_byte = 50;
	gpustr_builder_build(&builder, b);
	lay_out(columns, finish ? 0 : 3, finish ? 0 : NROWS, NULL);
	accept_good();
}

static void
test_build(void)
{
	make_build(0);
	REFUSED(build()->table = 0);
	REFUSED(build()->nrows = -1);
	REFUSED(build()->nrows = ROWFN_TABLE_MAX_ROWS + 1);
	REFUSED(build()->nrows = NTABLE - 1);
	REFUSED(build()->first_row = -1);
	REFUSED(build()->first_row = NTABLE - NROWS + 1);
	REFUSED(build()->first_row = NTABLE + 1);
	REFUSED(build()->first_row = INT32_MAX);
	REFUSED(build()->finish = 2);
	REFUSED(build()->finish = -1);
	REFUSED(build()->finish = 1);
	REFUSED(build()->ncolumns = 0);
	REFUSED(build()->ncolumns = 2);
	REFUSED(build()->ncolumns = 4);
	REFUSED(build()->ncolumns = GPUSTR_MAX_TABLE_COLUMNS + 1);
	REFUSED(build()->ncolumns = -1);
	REFUSED(build()->nkeys = 0);
	REFUSED(build()->nkeys = GPUSTR_MAX_KEYS + 1);
	REFUSED(build()->nkeys = -1);
	REFUSED(build()->hash_bits = -1);
	REFUSED(build()->hash_bits = ROWFN_HASH_BITS + 1);
	REFUSED(build()->load = 0);
	REFUSED(build()->load = 101);
	REFUSED(build()->key_kind[0] = ROWFN_KEY_NUMERIC + 1);
	REFUSED(build()->key_kind[0] = ROWFN_KEY_BYTES);
	REFUSED(build()->key_kind[1] = ROWFN_KEY_VALUE);
	REFUSED(build()->key_column[0] = 1);
	REFUSED(build()->key_column[1] = 2);
	REFUSED(build()->key_column[1] = 3);
	REFUSED(column(0)->is_text = 1);
	REFUSED(column(1)->is_text = 0);
	REFUSED(column(1)->is_text = 2);
	REFUSED(column(0)->reg = 2);
	REFUSED(column(1)->reg = 1);
	REFUSED(column(1)->reg = GPUSTR_MAX_TEXT_REGS);
	REFUSED(column(2)->reg = GPUSTR_MAX_VALUE_REGS);
	REFUSED(column(2)->bytes = 1);
	REFUSED(column(1)->first_byte = 101);
	REFUSED(column(1)->bytes = UINT64_MAX);
	REFUSED(step_of(GPUSTR_OP_BUILD)->const_bytes -= 8);
	REFUSED(step_of(GPUSTR_OP_BUILD)->const_bytes += 8);
	REFUSED(step_of(GPUSTR_OP_BUILD)->const_bytes = 4);
	REFUSED(step_of(GPUSTR_OP_BUILD)->const_off += 4);
	REFUSED(step_of(GPUSTR_OP_BUILD)->const_off = program()->bytes);
	REFUSED(*step_of(GPUSTR_OP_COLUMN) = *step_of(GPUSTR_OP_BUILD));
	REFUSED(batch()->nresult = 1);
	REFUSED(batch()->result_off = batch()->column[2].data_off);
	REFUSED(batch()->table_off = 0);
	REFUSED(batch()->table_off += 8);
	REFUSED(batch()->table_off = batch()->column[2].data_off);
	REFUSED(batch()->table_off = batch()->program_off);
	REFUSED(batch()->table_off = batch()->body_bytes);
	REFUSED(batch()->table_off = UINT32_MAX - 63);
	REFUSED(batch()->body_bytes -= GPUSTR_BODY_ALIGN);
	REFUSED(*step_of(GPUSTR_OP_BUILD) = *step_of(GPUSTR_OP_COLUMN_VALUE);
	batch()->table_off = 0);
	ACCEPTED(build()->first_row = 0);
	ACCEPTED(build()->key_column[0] = 2);
	ACCEPTED(build()->load = 100);
	ACCEPTED(build()->hash_bits = 0);
	ACCEPTED(column(1)->first_byte = 100);

	/* columns of values and of texts */
	REFUSED(batch()->column[1].offsets_off = 0);
	REFUSED(batch()->column[0].offsets_off = batch()->column[1].offsets_off);
	REFUSED(batch()->column[0].data_bytes = 8 * NROWS - 1);
	REFUSED(batch()->column[0].data_off += 8);
	REFUSED(batch()->column[0].data_off = batch()->column[2].data_off);
	REFUSED(batch()->column[0].data_off = batch()->in_bytes);
	REFUSED(step_of(GPUSTR_OP_COLUMN_VALUE)->attr = 1);
	REFUSED(step_of(GPUSTR_OP_COLUMN_VALUE)->attr = 3);
	REFUSED(step_of(GPUSTR_OP_COLUMN_VALUE)->attr = -1);
	REFUSED(step_of(GPUSTR_OP_COLUMN)->attr = 2);
	REFUSED(batch()->ncolumns = GPUSTR_MAX_COLUMNS + 1);

	make_build(1);
	REFUSED(build()->finish = 0);
	REFUSED(batch()->nrows = 1);
	REFUSED(program()->ntext = 1);
	REFUSED(program()->nvalue = 1);
	REFUSED(program()->nbool = 1);
	REFUSED(column(1)->is_text = 0);
	REFUSED(batch()->table_off = 0);
	REFUSED(batch()->table_off = batch()->body_bytes);
	ACCEPTED(column(1)->reg = 7);
	test_done("BUILD");
}

/* A value and a text; two probes; a result of each kind. */
static void
make_probe(void)
{
	static const GpustrInputLayout columns[] = {{0, 0}, {1, 50}};
	GpustrResultLayout result;
	GpustrProbe p;
	uint16_t	value;
	uint16_t	text;
	uint16_t	truth;

	memset(&result, 0, sizeof(result));
	result.room = ROOM;
	result.want_outer = 1;
	result.want_inner = 1;
	result.ncolumns = 2;
	result.is_text[1] = 1;
	result.text_bytes[1] = 100;
	memset(&p, 0, sizeof(p));
	p.table = 5;
	p.kind = GPUSTR_PROBE_MARK;
	p.nkeys = 2;
	p.hash_bits = ROWFN_HASH_BITS;
	p.npartitions = 3;
	p.partition = 2;
	p.key_kind[0] = ROWFN_KEY_FLOAT;
	p.key_kind[1] = ROWFN_KEY_PADDED;
	gpustr_builder_init(&builder, GPUSTR_ENC_UTF8, area, sizeof(area));
	value = gpustr_builder_column_value(&builder, 0);
	text = gpustr_builder_column(&builder, 1);
	p.key_reg[0] = value;
	p.key_reg[1] = text;
	gpustr_builder_probe(&builder, gpustr_builder_const(&builder, GPUSTR_TRUE), &p);
	value = gpustr_builder_gather(&builder, 0, value);
	text = gpustr_builder_inner(&builder, 1, 1);
	truth = gpustr_builder_test(&builder, GPUSTR_OP_VALUE_TRUE, value);
	p.key_reg[0] = value;
	p.key_reg[1] = text;
	p.table = 6;
	gpustr_builder_probe(&builder, truth, &p);
	value = gpustr_builder_inner(&builder, 0, 0);
	text = gpustr_builder_gather(&builder, 1, text);
	gpustr_builder_result(&builder, gpustr_builder_test(&builder, GPUSTR_OP_NULL_TEXT, text));
	gpustr_builder_result_column(&builder, 0, 0, value);
	gpustr_builder_result_column(&builder, 1, 1, text);
	lay_out(columns, 2, NROWS, &result);
	accept_good();
}

static void
test_probe(void)
{
	make_probe();
	REFUSED(probe()->table = 0);
	REFUSED(probe()->kind = 0);
	REFUSED(probe()->kind = GPUSTR_PROBE_LAST + 1);
	REFUSED(probe()->nkeys = 0);
	REFUSED(probe()->nkeys = GPUSTR_MAX_KEYS + 1);
	REFUSED(probe()->nkeys = 3;
	probe()->key_reg[2] = 1);
	REFUSED(probe()->hash_bits = -1);
	REFUSED(probe()->hash_bits = ROWFN_HASH_BITS + 1);
	REFUSED(probe()->npartitions = 0);
	REFUSED(probe()->npartitions = 2);
	REFUSED(probe()->partition = -1);
	REFUSED(probe()->partition = 3);
	REFUSED(probe()->key_kind[0] = ROWFN_KEY_NUMERIC;
	probe()->key_reg[0] = 1);
	REFUSED(probe()->key_kind[0] = ROWFN_KEY_NUMERIC + 1);
	REFUSED(probe()->key_kind[1] = ROWFN_KEY_WORD;
	probe()->key_reg[1] = 1);
	REFUSED(probe()->key_reg[0] = 1);
	REFUSED(probe()->key_reg[1] = GPUSTR_MAX_TEXT_REGS);
	REFUSED(probe()->key_reg[0] = GPUSTR_MAX_VALUE_REGS);
	REFUSED(step_of(GPUSTR_OP_PROBE)->in0 = 1);
	REFUSED(step_of(GPUSTR_OP_PROBE)->in0 = GPUSTR_MAX_BOOL_REGS);
	REFUSED(step_of(GPUSTR_OP_PROBE)->const_bytes -= 8);
	REFUSED(step_of(GPUSTR_OP_PROBE)->const_bytes += 8);
	REFUSED(step_of(GPUSTR_OP_PROBE)->const_off += 4);
	REFUSED(step_of(GPUSTR_OP_PROBE)->const_off = program()->bytes);
	REFUSED(step_of(GPUSTR_OP_PROBE)->op = GPUSTR_OP_CONST);
	REFUSED(batch()->table_off = batch()->result_recheck_off);
	ACCEPTED(probe()->partition = 0);
	ACCEPTED(probe()->kind = GPUSTR_PROBE_ANTI);
	test_done("PROBE");
}

/* Registers of one space in another. */
static void
test_spaces(void)
{
	make_probe();
	REFUSED(step_of(GPUSTR_OP_GATHER_VALUE)->in0 = 1);
	REFUSED(step_of(GPUSTR_OP_GATHER_VALUE)->in0 = GPUSTR_MAX_VALUE_REGS);
	REFUSED(step_of(GPUSTR_OP_GATHER_VALUE)->out = 0);
	REFUSED(step_of(GPUSTR_OP_GATHER_VALUE)->out = GPUSTR_MAX_VALUE_REGS);
	REFUSED(step_of(GPUSTR_OP_GATHER_TEXT)->in0 = 0);
	REFUSED(step_of(GPUSTR_OP_GATHER_TEXT)->in0 = GPUSTR_MAX_TEXT_REGS);
	REFUSED(step_of(GPUSTR_OP_INNER_TEXT)->attr = -1);
	REFUSED(step_of(GPUSTR_OP_INNER_TEXT)->attr = GPUSTR_MAX_TABLE_COLUMNS);
	REFUSED(step_of(GPUSTR_OP_VALUE_TRUE)->in0 = 0);
	REFUSED(step_of(GPUSTR_OP_NULL_TEXT)->in0 = 1);
	REFUSED(step_of(GPUSTR_OP_GATHER_VALUE)->op = GPUSTR_OP_COLUMN_VALUE);
	REFUSED(step_of(GPUSTR_OP_INNER_TEXT)->op = GPUSTR_OP_COLUMN);
	REFUSED(step_of(GPUSTR_OP_COLUMN_VALUE)->op = GPUSTR_OP_INNER_VALUE);
	REFUSED(step_of(GPUSTR_OP_COLUMN_VALUE)->op = GPUSTR_OP_GATHER_VALUE);
	ACCEPTED(step_of(GPUSTR_OP_INNER_TEXT)->attr = GPUSTR_MAX_TABLE_COLUMNS - 1);
	test_done("spaces");
}

static void
test_result(void)
{
	GpustrStep	step;

	make_probe();
	REFUSED(step_of(GPUSTR_OP_RESULT)->aux = 2);
	REFUSED(step_of(GPUSTR_OP_RESULT)->in0 = 0);
	REFUSED(step_of(GPUSTR_OP_RESULT)->op = GPUSTR_OP_SELECT);
	ACCEPTED(step_of(GPUSTR_OP_RESULT)->aux = 0);
	REFUSED(step_of(GPUSTR_OP_RESULT_TEXT)->attr = 0);
	REFUSED(step_of(GPUSTR_OP_RESULT_TEXT)->attr = 2);
	REFUSED(step_of(GPUSTR_OP_RESULT_TEXT)->attr = -1);
	REFUSED(step_of(GPUSTR_OP_RESULT_TEXT)->in0 = 0);
	REFUSED(step_of(GPUSTR_OP_RESULT_TEXT)->in0 = GPUSTR_MAX_TEXT_REGS);
	REFUSED(step_of(GPUSTR_OP_RESULT_VALUE)->attr = 1);
	REFUSED(step_of(GPUSTR_OP_RESULT_VALUE)->in0 = 0);
	REFUSED(step_of(GPUSTR_OP_RESULT_TEXT)->op = GPUSTR_OP_NULL_BOOL);
	REFUSED(*step_of(GPUSTR_OP_RESULT_TEXT) = *step_of(GPUSTR_OP_RESULT_VALUE));
	REFUSED(*step_of(GPUSTR_OP_RESULT_TEXT) = *step_of(GPUSTR_OP_RESULT));
	REFUSED(*step_of(GPUSTR_OP_RESULT_TEXT) = *step_of(GPUSTR_OP_PROBE));
	step = *step_of(GPUSTR_OP_RESULT);
	REFUSED(*step_of(GPUSTR_OP_RESULT) = *step_of(GPUSTR_OP_RESULT_VALUE);
	steps()[program()->nsteps - 2] = step);
	REFUSED(program()->nsteps--);
	REFUSED(program()->nsteps -= 3);

	/* before any PROBE */
	REFUSED(steps()[2] = step);
	test_done("RESULT");
}

static void
test_result_batch(void)
{
	GpustrBatch *b;

	make_probe();
	b = batch();
	REFUSED(b->result_off = 0);
	REFUSED(b->result_off += 4);
	REFUSED(b->result_off = bytes);
	REFUSED(b->result_off = b->result_recheck_off);
	REFUSED(b->recheck_off = 0);
	REFUSED(b->selected_off = b->result_outer_off;
	b->result_outer_off = 0);
	REFUSED(b->nout = 1;
	b->out_column[0] = b->result_column[1];
	b->nresult = 1;
	program()->nsteps--);
	REFUSED(b->result_room = 0);
	REFUSED(b->result_room = -1);
	REFUSED(b->result_room = INT32_MAX);
	REFUSED(b->result_room = 1000);
	REFUSED(b->result_recheck_off = 0);
	REFUSED(b->result_recheck_off = bytes);
	REFUSED(b->result_recheck_off = b->column[0].data_off);
	REFUSED(b->result_outer_off = b->result_inner_off);
	REFUSED(b->result_outer_off += 8);
	REFUSED(b->result_inner_off = bytes);
	REFUSED(b->result_inner_off = b->result_column[0].data_off);
	REFUSED(b->nresult = 1);
	REFUSED(b->nresult = 3);
	REFUSED(b->nresult = -1);
	REFUSED(b->nresult = GPUSTR_MAX_RESULT_COLUMNS + 1);
	REFUSED(b->result_column[0].data_bytes = 8 * ROOM - 1);
	REFUSED(b->result_column[0].validity_off = bytes);
	REFUSED(b->result_column[1].offsets_off = 0);
	REFUSED(b->result_column[1].offsets_off = b->result_column[0].data_off);
	REFUSED(b->result_column[1].data_bytes = UINT32_MAX);
	ACCEPTED(b->result_outer_off = 0);
	ACCEPTED(b->result_inner_off = 0);
	ACCEPTED(b->result_room = 1);
	ACCEPTED(b->result_column[1].data_bytes = 0);
	ACCEPTED(b->result_pair = UINT64_MAX;
	b->result_skip = UINT64_MAX);
	test_done("the results of a batch");
}

/* An ordinary program. */
static void
test_ordinary(void)
{
	static const GpustrInputLayout columns[] = {{0, 0}};

	gpustr_builder_init(&builder, GPUSTR_ENC_UTF8, area, sizeof(area));
	(void) gpustr_builder_column_value(&builder, 0);
	lay_out(columns, 1, NROWS, NULL);
	batch()->table_off = 0;
	accept_good();
	REFUSED(batch()->table_off = batch()->body_bytes - GPUSTR_BODY_ALIGN);
	REFUSED(batch()->result_off = batch()->column[0].data_off);
	REFUSED(batch()->nresult = 1);
	test_done("a program that is no join");
}

/* Run what is in the body. */
static EngineCode
run(Engine *engine)
{
	EngineRequest request;

	memset(&request, 0, sizeof(request));
	request.body = body;
	request.body_bytes = bytes;
	engine->methods->submit(engine, &request);
	CHECK(engine->methods->poll(engine) == &request, "it does not come back");
	return request.error.code;
}

#define RUNS(expected, change) \
	do { \
		change; \
		CHECK(run(engine) == (expected), "%s is answered otherwise", #change); \
		memcpy(body, good, BODY_BYTES); \
	} while (0)

/* What the engine alone can see. */
static void
test_engine(void)
{
	EngineConfig config;
	EngineError error;
	Engine	   *engine;

	memset(&config, 0, sizeof(config));
	if (gpustr_engine_host()->open(&config, &engine, &error) != ENGINE_OK)
		exit(2);
	make_build(0);
	RUNS(ENGINE_BAD_INPUT, column(1)->first_byte = 51;
	GPUSTR_BODY_PTR(body, batch()->column[1].offsets_off, int32_t)[NROWS] = 50;
	memset(GPUSTR_BODY_PTR(body, batch()->column[1].validity_off, char), 0xFF, 2));
	RUNS(ENGINE_OK, (void) 0);
	RUNS(ENGINE_BAD_INPUT, build()->load = 51);
	RUNS(ENGINE_BAD_INPUT, build()->nkeys = 1);
	RUNS(ENGINE_BAD_INPUT, build()->hash_bits = 31);
	RUNS(ENGINE_BAD_INPUT, build()->key_kind[0] = ROWFN_KEY_VALUE);
	RUNS(ENGINE_BAD_INPUT, build()->key_column[0] = 2);
	RUNS(ENGINE_BAD_INPUT, column(1)->bytes = 101);
	RUNS(ENGINE_OK, build()->first_row = 0);
	RUNS(ENGINE_OK, build()->first_row = NROWS);
	make_build(1);
	RUNS(ENGINE_OK, (void) 0);
	RUNS(ENGINE_BAD_INPUT, (void) 0);
	make_build(0);
	RUNS(ENGINE_BAD_INPUT, (void) 0);
	RUNS(ENGINE_OK, build()->table = 6);
	RUNS(ENGINE_OK, build()->table = 6;
	build()->first_row = 0);
	RUNS(ENGINE_OK, build()->table = 6;
	build()->first_row = 0);
	RUNS(ENGINE_OK, build()->table = 6;
	build()->first_row = NROWS);
	make_build(1);
	RUNS(ENGINE_BAD_INPUT, build()->table = 6); /* too many rows */
	engine->methods->drop_table(engine, 6);

	make_probe();
	RUNS(ENGINE_NO_TABLE, (void) 0);
	make_build(0);
	RUNS(ENGINE_OK, build()->table = 6;
	build()->nrows = NROWS;
	build()->first_row = 0);
	make_probe();
	RUNS(ENGINE_NO_TABLE, (void) 0);
	make_build(1);
	RUNS(ENGINE_OK, build()->table = 6;
	build()->nrows = NROWS;
	build()->first_row = NROWS);
	make_probe();
	RUNS(ENGINE_OK, (void) 0);
	RUNS(ENGINE_BAD_INPUT, probe()->nkeys = 1);
	RUNS(ENGINE_BAD_INPUT, probe()->key_kind[0] = ROWFN_KEY_VALUE);
	RUNS(ENGINE_BAD_INPUT, probe()->hash_bits = 31);
	RUNS(ENGINE_BAD_INPUT, step_of(GPUSTR_OP_INNER_TEXT)->attr = 0);
	RUNS(ENGINE_BAD_INPUT, step_of(GPUSTR_OP_INNER_TEXT)->attr = 3);
	RUNS(ENGINE_BAD_INPUT, step_of(GPUSTR_OP_INNER_VALUE)->attr = 1);
	RUNS(ENGINE_NO_TABLE, probe()->table = 7);
	engine->methods->close(engine);
	test_done("what the engine alone can see");
}

int
main(void)
{
	body = aligned_alloc(GPUSTR_BODY_ALIGN, BODY_BYTES);
	good = malloc(BODY_BYTES);
	test_build();
	test_probe();
	test_spaces();
	test_result();
	test_result_batch();
	test_ordinary();
	test_engine();
	free(body);
	free(good);
	return test_exit();
}
