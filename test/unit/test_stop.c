/*-------------------------------------------------------------------------
 *
 * test_stop.c
 *	  The host engine is asked to stop within a step, at rows that may take long,
 *	  and rows that take too long are recheck.
 *
 * IDENTIFICATION
 *	  test/unit/test_stop.c
 *
 *-------------------------------------------------------------------------
 */
#include "batch/batch_layout.h"
#include "engine/engine.h"
#include "engine/host_steps.h"
#include "program/literal_trie.h"
#include "program/program_builder.h"
#include "test_common.h"

#define NROWS HOST_CHUNK_ROWS
#define LONG_ROW 4096
#define SHORT_ROW 16
#define BODY_BYTES (8 << 20)
#define AREA_BYTES (1 << 20)

static char *body;
static char *area;
static GpustrProgramBuilder builder;
static volatile uint64_t memory_limit = UINT64_MAX;

/* How often stop() has been asked, and which time it says so; 0: never. */
static int	asked;
static int	stop_at;

static int
stop(void)
{
	return ++asked == stop_at;
}

/* An automaton that reads to the end, and accepts nothing. */
static uint16_t
add_dfa(uint16_t text)
{
	struct
	{
		GpustrDfa	dfa;
		uint16_t	next[3];
		uint8_t		at_end[6];
	}			never;

	memset(&never, 0, sizeof(never));
	never.dfa.nstates = 3;
	never.dfa.nclasses = 1;
	never.dfa.start = 2;
	never.dfa.next_off = (int32_t) ((char *) never.next - (char *) &never);
	never.dfa.at_end_off = (int32_t) ((char *) never.at_end - (char *) &never);
	never.next[1] = 1;
	never.next[2] = 2;
	never.at_end[1] = GPUSTR_TRUE;
	return gpustr_builder_dfa(&builder, text, &never.dfa, sizeof(never), GPUSTR_TRUE);
}

static void
no_poll(void)
{
}

static uint16_t
add_contains_any(uint16_t text)
{
	static const GpustrTrieMemory memory = {realloc, free, no_poll};
	GpustrLiteral literals[] = {{"xy", 2}, {"yz", 2}};
	GpustrLiteralTrie trie;
	GpustrAhoCorasick *set;
	uint32_t	bytes = 0;
	uint16_t	reg;

	if (!gpustr_trie_make(&trie, literals, 2, 1, 100, &memory))
		exit(2);
	set = gpustr_trie_aho_corasick(&trie, GPUSTR_AHO_HOT_BYTES, INT32_MAX, &memory, &bytes);
	gpustr_trie_free(&trie, &memory);
	reg = gpustr_builder_contains_any(&builder, text, set, bytes);
	free(set);
	return reg;
}

/* The kinds of steps; from REDACT on they make the output column. */
enum
{
	LIKE, ILIKE, DFA, CONTAINS_ANY, COMPARE, LENGTH, MEASURE, EDIT, MAKE, MAKE_MUCH, REDACT, MASK, OUTPUT, FIND_ALL,
	NKINDS
};

static const char *const kind_names[NKINDS] = {
	"like", "ilike", "dfa", "contains_any", "compare", "length", "position", "edit_distance", "replace", "repeat",
	"redact", "mask", "output", "find_all"
};

static void
add_step(int kind, uint16_t text, int64_t times)
{
	static GpustrFold fold;
	uint16_t	args[3] = {text, 0, 0};

	args[1] = gpustr_builder_const_text(&builder, GPUSTR_FALSE, "public", 6);
	args[2] = gpustr_builder_const_text(&builder, GPUSTR_FALSE, "x", 1);
	switch (kind)
	{
		case LIKE:
			(void) gpustr_builder_like(&builder, text, "%xx%", 4);
			break;
		case ILIKE:
			(void) gpustr_builder_ilike(&builder, text, &fold, "%xx%", 4);
			break;
		case DFA:
			(void) add_dfa(text);
			break;
		case CONTAINS_ANY:
			(void) add_contains_any(text);
			break;
		case COMPARE:
			(void) gpustr_builder_compare(&builder, GPUSTR_OP_COMPARE_TEXT, GPUSTR_REL_LT, GPUSTR_ORDER_BYTES, text, text);
			break;
		case LENGTH:
			(void) gpustr_builder_length(&builder, text, 0);
			break;
		case MEASURE:
			(void) gpustr_builder_text_function(&builder, GPUSTR_TEXT_POSITION, args, NULL, 0);
			break;
		case EDIT:
			(void) gpustr_builder_text_function(&builder, GPUSTR_TEXT_EDIT_DISTANCE, args, NULL, 0);
			break;
		case MAKE:
			(void) gpustr_builder_text_function(&builder, GPUSTR_TEXT_REPLACE, args, NULL, 0);
			break;
		case MAKE_MUCH:
			args[1] = gpustr_builder_const_value(&builder, GPUSTR_FALSE, times);
			(void) gpustr_builder_text_function(&builder, GPUSTR_TEXT_REPEAT, args, NULL, 0);
			break;
		case REDACT:
			gpustr_builder_redact(&builder, 0, text, args[1]);
			break;
		case MASK:
			gpustr_builder_mask(&builder, 0, text, 1, 1, "x", 1);
			break;
		case OUTPUT:
			gpustr_builder_output_text(&builder, 0, text);
			break;
		case FIND_ALL:
			gpustr_builder_find_all(&builder, 0, text, "xx", 2);
			break;
	}
}

/* A column of n rows of so many bytes each, for the program that has been built. */
static GpustrBatch *
make_batch(int n, int32_t bytes, int has_output)
{
	uint64_t	data_bytes = (uint64_t) n * (uint64_t) bytes;
	uint64_t	out_bytes = has_output ? 2 * data_bytes : 0;
	GpustrBatch *batch;
	int32_t    *offsets;
	int			i;

	if (gpustr_builder_finish(&builder) == 0 ||
		gpustr_layout_columns_bytes(((GpustrProgram *) area)->bytes, n, 1, &data_bytes, out_bytes) > BODY_BYTES)
		exit(2);
	batch = gpustr_layout_columns(body, BODY_BYTES, (const GpustrProgram *) area, n, 1, &data_bytes, out_bytes);
	memset(GPUSTR_BODY_PTR(body, batch->column[0].validity_off, char), 0xFF, (size_t) (n + 7) / 8);
	offsets = GPUSTR_BODY_PTR(body, batch->column[0].offsets_off, int32_t);
	for (i = 0; i <= n; i++)
		offsets[i] = i * bytes;
	memset(GPUSTR_BODY_PTR(body, batch->column[0].data_off, char), 'b', data_bytes);
	return batch;
}

static EngineCode
run(Engine *engine)
{
	EngineRequest request;

	memset(&request, 0, sizeof(request));
	request.body = body;
	request.body_bytes = BODY_BYTES;
	asked = 0;
	engine->methods->submit(engine, &request);
	(void) engine->methods->poll(engine);
	return request.error.code;
}

static void
begin_program(void)
{
	gpustr_builder_init(&builder, GPUSTR_ENC_UTF8, area, AREA_BYTES);
	(void) gpustr_builder_column(&builder, 0);
}

/* Is it asked more often where rows are long, and does it stop whenever it is told to? */
static void
test_kind(Engine *engine, int kind)
{
	int			asked_short;
	int			asked_long;
	int			i;

	begin_program();
	add_step(kind, 0, 16);
	(void) make_batch(NROWS, SHORT_ROW, kind >= REDACT);
	stop_at = 0;
	CHECK(run(engine) == ENGINE_OK, "%s: short rows", kind_names[kind]);
	asked_short = asked;

	begin_program();
	add_step(kind, 0, 16);
	(void) make_batch(NROWS, LONG_ROW, kind >= REDACT);
	CHECK(run(engine) == ENGINE_OK, "%s: long rows", kind_names[kind]);
	asked_long = asked;
	CHECK(asked_long > asked_short, "%s: asked %d times, and %d times for short rows", kind_names[kind],
		  asked_long, asked_short);
	for (i = 1; i <= asked_long; i++)
	{
		stop_at = i;
		CHECK(run(engine) == ENGINE_STOPPED && asked == i, "%s: not stopped at %d, but at %d", kind_names[kind], i, asked);
	}
	stop_at = 0;
	CHECK(run(engine) == ENGINE_OK, "%s: once more", kind_names[kind]);
}

/* Is the only row recheck? */
static int
is_recheck(Engine *engine, const GpustrBatch *batch)
{
	CHECK(run(engine) == ENGINE_OK, "it runs");
	return (int) (GPUSTR_BODY_PTR(body, batch->recheck_off, const uint32_t)[0] & 1);
}

/* Long patterns are not compared at each byte of long texts. */
static void
test_too_much(Engine *engine)
{
	char		pattern[70];
	int			n;

	memset(pattern, 'b', sizeof(pattern));
	pattern[0] = '%';
	for (n = 16; n <= 64; n += 48)
	{
		pattern[n] = 'x';
		pattern[n + 1] = '%';
		begin_program();
		gpustr_builder_select(&builder, gpustr_builder_like(&builder, 0, pattern, n + 2));
		CHECK(is_recheck(engine, make_batch(1, 2000000, 0)) == (n == 64), "a pattern of %d bytes", n);
		pattern[n] = pattern[n + 1] = 'b';
	}
	test_done("rows that take too long");
}

int
main(void)
{
	EngineConfig config;
	EngineError error;
	Engine	   *engine;
	int			kind;

	body = aligned_alloc(GPUSTR_BODY_ALIGN, BODY_BYTES);
	area = aligned_alloc(8, AREA_BYTES);
	memset(&config, 0, sizeof(config));
	config.memory_limit = &memory_limit;
	config.stop = stop;
	if (body == NULL || area == NULL || gpustr_engine_host()->open(&config, &engine, &error) != ENGINE_OK)
		return 2;
	for (kind = 0; kind < NKINDS; kind++)
		test_kind(engine, kind);
	test_done("steps that are stopped");
	test_too_much(engine);
	engine->methods->close(engine);
	free(body);
	free(area);
	return test_exit();
}
