/*-------------------------------------------------------------------------
 *
 * test_engine_text.c
 *	  Functions of texts as steps of programs: which steps are refused, NULL and
 *	  recheck in arguments, want of memory, output columns.
 *
 * IDENTIFICATION
 *	  test/unit/test_engine_text.c
 *
 *-------------------------------------------------------------------------
 */
#include "batch/batch_layout.h"
#include "engine/engine.h"
#include "program/program_builder.h"
#include "rowfn/pii.h"
#include "test_common.h"
#include "text_gen.h"

#define BODY_BYTES (1 << 20)

/* Registers with constants: text 0 to 2, value 0 to 4; state[] of the first three. */
#define NTEXT 3
#define NVALUE 5

static _Alignas(GPUSTR_BODY_ALIGN)
char		body[BODY_BYTES];
static _Alignas(8)
char		area[65536];
static _Alignas(8)
char		maps[TEXT_GEN_MAP_BYTES + 8];
static _Alignas(8)
char		extents[EXTENTS_GEN_BYTES];
static uint32_t extents_bytes;
static GpustrProgramBuilder builder;
static volatile uint64_t memory_limit = UINT64_MAX;

/* Two maps that change nothing. */
static void
make_maps(void)
{
	int			c;

	memset(maps, 0, sizeof(maps));
	for (c = 0; c < 128; c++)
		maps[c] = maps[GPUSTR_CASE_MAP_BYTES(0) + c] = (char) c;
}

/* One that finds something, or not. */
static void
make_extents(void)
{
	Rng			rng = rng_make(1);

	extents_bytes = extents_gen(&rng, GPUSTR_ENC_UTF8, extents);
}

static int
has_extents(int function)
{
	return function == GPUSTR_TEXT_REGEX_SUBSTR || function == GPUSTR_TEXT_REGEX_REPLACE ||
		function == GPUSTR_TEXT_REGEX_COUNT || function == GPUSTR_TEXT_REGEX_INSTR;
}

/* Bytes of the constant that a function needs. */
static uint32_t
constant_bytes(int function)
{
	switch (function)
	{
		case GPUSTR_TEXT_UPPER:
		case GPUSTR_TEXT_LOWER:
			return GPUSTR_CASE_MAP_BYTES(0);
		case GPUSTR_TEXT_INITCAP:
			return 2 * GPUSTR_CASE_MAP_BYTES(0);
		case GPUSTR_TEXT_REDACT_PII:
			return sizeof(int32_t);
		default:
			return has_extents(function) ? extents_bytes : 0;
	}
}

/* Start a program with the constants. */
static void
begin_program(const GpustrTruth *state)
{
	int			i;

	gpustr_builder_init(&builder, GPUSTR_ENC_UTF8, area, sizeof(area));
	for (i = 0; i < NTEXT; i++)
		(void) gpustr_builder_const_text(&builder, state[i], "1999-12-31", 10);
	for (i = 0; i < NVALUE; i++)
		(void) gpustr_builder_const_value(&builder, i < 3 ? state[i] : GPUSTR_FALSE, 1);
}

/* Call a function of registers 0, 1 and 2; its register. */
static uint16_t
add_call(int function)
{
	static const uint16_t args[] = {0, 1, 2};

	return gpustr_builder_text_function(&builder, (GpustrTextFunction) function, args,
										has_extents(function) ? extents : maps, constant_bytes(function));
}

/* Make a body of the program, with nrows rows, nout output columns of no column. */
static void
finish_body(int32_t nrows, int nout)
{
	uint64_t	data_bytes[1] = {0};

	CHECK(gpustr_builder_finish(&builder) > 0, "the program does not fit");
	(void) gpustr_layout_columns(body, BODY_BYTES, (const GpustrProgram *) area, nrows, 1, data_bytes,
								 nout > 0 ? 1 << 16 : 0);
	memset(GPUSTR_BODY_PTR(body, ((GpustrBatch *) body)->column[0].offsets_off, char), 0,
		   4 * ((size_t) nrows + 1));
	memset(GPUSTR_BODY_PTR(body, ((GpustrBatch *) body)->column[0].validity_off, char), 0xFF,
		   ((size_t) nrows + 7) / 8);
}

/* Step i of the body's program, from the end if negative. */
static GpustrStep *
body_step(int i)
{
	GpustrProgram *program = GPUSTR_BODY_PTR(body, ((GpustrBatch *) body)->program_off, GpustrProgram);

	return (GpustrStep *) ((char *) program + program->step_off) + (i < 0 ? program->nsteps + i : i);
}

static int
accepted(void)
{
	EngineError error;

	return gpustr_batch_check(body, BODY_BYTES, &error) == ENGINE_OK;
}

/* The step that calls a function, and what it must not be. */
static void
check_call(int function)
{
	static const GpustrTruth values[3] = {GPUSTR_FALSE, GPUSTR_FALSE, GPUSTR_FALSE};
	const char *shape = gpustr_text_function_shape(function);
	GpustrStep *step;
	GpustrStep	good;
	uint16_t   *in[3];
	int			i;

	begin_program(values);
	(void) add_call(function);
	finish_body(0, 0);
	step = body_step(-1);
	good = *step;
	in[0] = &step->in0;
	in[1] = &step->in1;
	in[2] = &step->in2;
	CHECK(accepted(), "function %d", function);
	for (i = 0; i < 3; i++)
	{
		int			is_arg = i < (int) strlen(shape);
		int			made = is_arg && shape[i] == 'T' ? NTEXT : NVALUE;

		*in[i] = (uint16_t) (made - 1);
		CHECK(accepted(), "function %d: its last argument %d", function, i);
		*in[i] = (uint16_t) made;
		CHECK(accepted() == !is_arg, "function %d: argument %d is not made", function, i);
		*in[i] = 0xFFFF;
		CHECK(accepted() == !is_arg, "function %d: argument %d is 65535", function, i);
		*step = good;
	}
	step->op = good.op == GPUSTR_OP_TEXT_MAKE ? GPUSTR_OP_TEXT_MEASURE : GPUSTR_OP_TEXT_MAKE;
	CHECK(!accepted(), "function %d by the other operator", function);
	*step = good;
	step->out--;
	CHECK(!accepted(), "function %d makes a register again", function);
	*step = good;
	step->attr = 1;
	CHECK(accepted(), "function %d of bytes", function);
	step->attr = 2;
	CHECK(!accepted(), "function %d of neither characters nor bytes", function);
	*step = good;
	step->const_bytes += 8;
	CHECK(constant_bytes(function) != 0 || !accepted(), "function %d takes a constant", function);
	if (constant_bytes(function) > 0)
	{
		step->const_bytes = good.const_bytes - 4;
		CHECK(!accepted(), "function %d: its constant is cut off", function);
		*step = good;
		step->const_off = ((GpustrBatch *) body)->program_bytes;
		CHECK(!accepted(), "function %d: its constant is outside", function);
	}
	*step = good;
	CHECK(accepted(), "function %d, repaired", function);
}

static void
test_check(void)
{
	static const GpustrTruth values[3] = {GPUSTR_FALSE, GPUSTR_FALSE, GPUSTR_FALSE};
	static const uint16_t unknown[] = {0, GPUSTR_TEXT_FUNCTION_LAST + 1, 255, 256, 0x7FFF, 0xFFFF};
	GpustrStep *step;
	GpustrStep	good;
	int			function;
	int			i;

	for (function = 1; function <= GPUSTR_TEXT_FUNCTION_LAST; function++)
		check_call(function);
	for (function = GPUSTR_TEXT_SUBSTR; function <= GPUSTR_TEXT_POSITION; function += GPUSTR_TEXT_POSITION - 1)
		for (i = 0; i < 6; i++)
		{
			begin_program(values);
			(void) add_call(function);
			finish_body(0, 0);
			body_step(-1)->aux = unknown[i];
			CHECK(!accepted(), "function %d", unknown[i]);
		}
	test_done("steps that call functions of texts");

	begin_program(values);
	gpustr_builder_output_text(&builder, 0, NTEXT - 1);
	finish_body(0, 1);
	step = body_step(-1);
	good = *step;
	CHECK(accepted(), "OUTPUT_TEXT");
	step->in0 = NTEXT;
	CHECK(!accepted(), "OUTPUT_TEXT of what is not made");
	*step = good;
	step->attr = 1;
	CHECK(!accepted(), "OUTPUT_TEXT to a column that is not");
	*step = good;
	step->attr = -1;
	CHECK(!accepted(), "OUTPUT_TEXT to column -1");
	*step = good;
	step->aux = 2;
	CHECK(!accepted(), "OUTPUT_TEXT with aux 2");
	*step = good;
	step->aux = 1;
	CHECK(!accepted(), "OUTPUT_TEXT where nothing is made");
	begin_program(values);
	gpustr_builder_output_text(&builder, 0, 0);
	gpustr_builder_output_text(&builder, 0, 1);
	finish_body(0, 1);
	CHECK(!accepted(), "OUTPUT_TEXT twice to a column");
	test_done("steps that output a text");
}

static void
run(Engine *engine, EngineRequest *request)
{
	memset(request, 0, sizeof(*request));
	request->body = body;
	request->body_bytes = BODY_BYTES;
	engine->methods->submit(engine, request);
	CHECK(engine->methods->poll(engine) == request && request->error.code == ENGINE_OK, "%s",
		  request->error.message);
}

static int
bit_of(uint32_t off, int32_t row)
{
	return (int) ((GPUSTR_BODY_PTR(body, off, const uint32_t)[row / 32] >> (row % 32)) & 1);
}

/* NULL where an argument is NULL, recheck where one is recheck: for each function. */
static void
test_states(Engine *engine)
{
	static const GpustrTruth kinds[3] = {GPUSTR_FALSE, GPUSTR_NULL, GPUSTR_RECHECK};
	int			function;
	int			which;

	for (function = 1; function <= GPUSTR_TEXT_FUNCTION_LAST; function++)
		for (which = 0; which < 27; which++)
		{
			GpustrTruth state[3] = {kinds[which % 3], kinds[which / 3 % 3], kinds[which / 9]};
			int			nargs = (int) strlen(gpustr_text_function_shape(function));
			GpustrBatch *batch = (GpustrBatch *) body;
			int			null = 0;
			int			recheck = 0;
			EngineRequest request;
			uint16_t	answer;
			int			i;

			for (i = 0; i < nargs; i++)
			{
				null |= state[i] == GPUSTR_NULL;
				recheck |= state[i] == GPUSTR_RECHECK;
			}
			if (!null && !recheck)
				continue;
			begin_program(state);
			answer = add_call(function);
			gpustr_builder_select(&builder, gpustr_builder_test(&builder, function <= GPUSTR_TEXT_MAKE_LAST ?
																GPUSTR_OP_NULL_TEXT : GPUSTR_OP_NULL_VALUE,
																answer));
			finish_body(33, 0);
			run(engine, &request);
			CHECK(bit_of(batch->selected_off, 32) == !recheck && bit_of(batch->recheck_off, 32) == recheck,
				  "function %d of states %d %d %d", function, state[0], state[1], state[2]);
		}
	test_done("NULL and recheck in arguments");
}

/* Two texts of 1 MB each for 600 rows: more than there is memory for. */
static void
test_memory(Engine *engine)
{
	static const uint64_t limits[] = {UINT64_MAX, 64 << 20, 1 << 20, UINT64_MAX};
	GpustrBatch *batch = (GpustrBatch *) body;
	int			i;

	for (i = 0; i < 4; i++)
	{
		EngineRequest request;
		EngineInfo	info;
		uint16_t	args[3] = {0, 0, 0};
		int32_t		selected = 0;
		int32_t		row;

		gpustr_builder_init(&builder, GPUSTR_ENC_UTF8, area, sizeof(area));
		args[0] = gpustr_builder_const_text(&builder, GPUSTR_FALSE, "abc", 3);
		args[1] = gpustr_builder_const_value(&builder, GPUSTR_FALSE, 333333);
		args[0] = gpustr_builder_text_function(&builder, GPUSTR_TEXT_REPEAT, args, NULL, 0);
		args[1] = gpustr_builder_const_text(&builder, GPUSTR_FALSE, "x", 1);
		args[0] = gpustr_builder_text_function(&builder, GPUSTR_TEXT_CONCAT, args, NULL, 0);
		args[0] = gpustr_builder_length(&builder, args[0], 1);
		args[1] = gpustr_builder_const_value(&builder, GPUSTR_FALSE, 1000000);
		gpustr_builder_select(&builder, gpustr_builder_compare(&builder, GPUSTR_OP_COMPARE_VALUE, GPUSTR_REL_EQ,
															   GPUSTR_ORDER_INT, args[0], args[1]));
		finish_body(600, 0);
		memory_limit = limits[i];
		run(engine, &request);
		for (row = 0; row < 600; row++)
		{
			CHECK(bit_of(batch->selected_off, row) != bit_of(batch->recheck_off, row), "row %d", row);
			selected += bit_of(batch->selected_off, row);
		}
		CHECK(limits[i] == 1 << 20 ? selected == 0 : selected >= (i == 1 ? 60 : 300) && selected < 600,
			  "limit %llu: %d rows are made", (unsigned long long) limits[i], selected);
		engine->methods->info(engine, &info);
		CHECK(info.memory_used == 0, "%llu bytes are kept", (unsigned long long) info.memory_used);
	}
	memory_limit = UINT64_MAX;
	test_done("want of memory");
}

/* Redacted texts take no more of the memory than they have bytes. */
static void
test_redact_memory(Engine *engine)
{
	GpustrBatch *batch = (GpustrBatch *) body;
	int32_t		kinds = ROWFN_PII_EMAIL;
	char		text[1000];
	uint16_t	args[3] = {0, 0, 0};
	EngineRequest request;
	int32_t		row;

	memset(text, 'x', sizeof(text));
	memcpy(text, "bob@example.com ", 16);
	gpustr_builder_init(&builder, GPUSTR_ENC_UTF8, area, sizeof(area));
	args[0] = gpustr_builder_const_text(&builder, GPUSTR_FALSE, text, sizeof(text));
	args[0] = gpustr_builder_text_function(&builder, GPUSTR_TEXT_REDACT_PII, args, &kinds, sizeof(kinds));
	args[0] = gpustr_builder_length(&builder, args[0], 1);
	args[1] = gpustr_builder_const_value(&builder, GPUSTR_FALSE, sizeof(text) - 15 + 7);
	gpustr_builder_select(&builder, gpustr_builder_compare(&builder, GPUSTR_OP_COMPARE_VALUE, GPUSTR_REL_EQ,
														   GPUSTR_ORDER_INT, args[0], args[1]));
	finish_body(256, 0);
	memory_limit = 400 * 1024;
	run(engine, &request);
	for (row = 0; row < 256; row++)
		CHECK(bit_of(batch->selected_off, row) && !bit_of(batch->recheck_off, row), "row %d", row);
	memory_limit = UINT64_MAX;
	test_done("memory of redacted texts");
}

/* A made text, a slice of it and a constant go to output columns; some rows have no room. */
static void
test_output(Engine *engine)
{
	GpustrBatch *batch = (GpustrBatch *) body;
	GpustrColumn *column = &batch->out_column[0];
	uint16_t	args[3] = {0, 0, 0};
	EngineRequest request;
	const int32_t *offsets;
	const char *data;
	int32_t		row;

	gpustr_builder_init(&builder, GPUSTR_ENC_UTF8, area, sizeof(area));
	args[0] = gpustr_builder_const_text(&builder, GPUSTR_FALSE, "ab\303\251,cd", 7);
	args[1] = gpustr_builder_const_text(&builder, GPUSTR_FALSE, ",ef,", 4);
	args[0] = gpustr_builder_text_function(&builder, GPUSTR_TEXT_CONCAT, args, NULL, 0);
	args[1] = gpustr_builder_const_text(&builder, GPUSTR_FALSE, ",", 1);
	args[2] = gpustr_builder_const_value(&builder, GPUSTR_FALSE, -2);
	args[0] = gpustr_builder_text_function(&builder, GPUSTR_TEXT_SPLIT_PART, args, NULL, 0);
	gpustr_builder_output_text(&builder, 0, args[0]);
	finish_body(100, 1);
	column->data_bytes = 2 * 70 + 1;
	run(engine, &request);
	offsets = GPUSTR_BODY_PTR(body, column->offsets_off, const int32_t);
	data = GPUSTR_BODY_PTR(body, column->data_off, const char);
	for (row = 0; row < 100; row++)
	{
		CHECK(bit_of(batch->recheck_off, row) == (row >= 70), "row %d", row);
		if (row < 70)
			CHECK(offsets[row] == 2 * row && memcmp(data + 2 * row, "ef", 2) == 0, "row %d: \"%.2s\" at %d", row,
				  data + offsets[row], offsets[row]);
	}
	CHECK(offsets[100] == 141 && request.rechecks == 30, "%d bytes, %llu rechecks", offsets[100],
		  (unsigned long long) request.rechecks);
	test_done("texts in output columns");
}

int
main(void)
{
	EngineConfig config;
	EngineError error;
	Engine	   *engine;

	memset(&config, 0, sizeof(config));
	config.memory_limit = &memory_limit;
	CHECK(gpustr_engine_host()->open(&config, &engine, &error) == ENGINE_OK, "%s", error.message);
	make_maps();
	make_extents();
	test_check();
	test_states(engine);
	test_memory(engine);
	test_redact_memory(engine);
	test_output(engine);
	engine->methods->close(engine);
	return test_exit();
}
