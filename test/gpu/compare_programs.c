/*-------------------------------------------------------------------------
 *
 * compare_programs.c
 *	  Compare the engines on programs that the CUDA engine keeps on the device:
 *	  the same one over several batches, several by turns, more than there is
 *	  memory for, and bodies that lie about theirs.
 *
 * A program has two large constants, an automaton of literals and a set, with small
 * ones before, between and behind them that steps read in their own way: a text
 * that is chosen, and so is found by an offset from the request's memory, and one
 * that is compared.
 *
 * IDENTIFICATION
 *	  test/gpu/compare_programs.c
 *
 *-------------------------------------------------------------------------
 */
#include <time.h>

#include <cuda_runtime_api.h>

#include "batch/batch_layout.h"
#include "compare.h"
#include "engine/program_cache.h"
#include "program/program_builder.h"
#include "rowfn/aho_corasick.h"

#define PROGRAMS 6
#define MAX_TEXT 100
#define LETTERS 6
#define SET_VALUES 900
#define FLIGHTS 12

/* Bytes by which code that is loaded with a kernel may add to what it takes. */
#define CODE_BYTES ((size_t) 64 << 20)

static GpustrProgram *programs[PROGRAMS];

/* Memory for a program beside its automaton. */
#define OTHER_BYTES 65536

/* Strings that ascend. */
static uint16_t
add_set(GpustrProgramBuilder *b, Rng *rng)
{
	static char text[SET_VALUES][8];
	const char *value[SET_VALUES];
	int32_t		bytes[SET_VALUES];
	int			i;

	for (i = 0; i < SET_VALUES; i++)
	{
		(void) snprintf(text[i], sizeof(text[i]), "a%03d%c", i, 'a' + rng_below(rng, LETTERS));
		value[i] = text[i];
		bytes[i] = 5;
	}
	return gpustr_builder_in_text(b, 0, SET_VALUES, value, bytes, 0);
}

/*
 * CASE WHEN it has a literal OR is in the set OR equals a text THEN a text ELSE the
 * value END, of all rows; and which rows have one.
 */
static GpustrProgram *
make_program(Rng *rng)
{
	GpustrProgramBuilder *b = malloc(sizeof(GpustrProgramBuilder));
	uint32_t	bytes;
	GpustrAhoCorasick *set = compare_make_set(rng, 300 + rng_below(rng, 3000), LETTERS, &bytes);
	char	   *program = malloc(bytes + OTHER_BYTES);
	char		instead[64];
	uint16_t	found;
	uint16_t	text;

	compare_make_letters(rng, instead, sizeof(instead), LETTERS);
	gpustr_builder_init(b, GPUSTR_ENC_SINGLE_BYTE, program, bytes + OTHER_BYTES);
	(void) gpustr_builder_column(b, 0);
	text = gpustr_builder_const_text(b, GPUSTR_FALSE, instead, 1 + rng_below(rng, 63));
	found = gpustr_builder_contains_any(b, 0, set, bytes);
	found = gpustr_builder_binary(b, GPUSTR_OP_OR, found,
								  gpustr_builder_text_eq(b, 0, instead, rng_below(rng, 3)));
	if (rng_one_in(rng, 2))
		text = gpustr_builder_choose(b, GPUSTR_OP_CHOOSE_TEXT, found, text,
									 gpustr_builder_const_text(b, GPUSTR_FALSE, instead + 3, rng_below(rng, 60)));
	found = gpustr_builder_binary(b, GPUSTR_OP_OR, found, add_set(b, rng));
	gpustr_builder_select(b, found);
	gpustr_builder_output_text(b, 0, gpustr_builder_choose(b, GPUSTR_OP_CHOOSE_TEXT, found, text, 0));
	if (gpustr_builder_finish(b) == 0 || ((GpustrProgram *) program)->key == 0)
	{
		printf("compare_programs: the program does not fit\n");
		exit(2);
	}
	free(b);
	free(set);
	return (GpustrProgram *) program;
}

/* A batch of random texts for a program. */
static void
make_flight(Flight *flight, Rng *rng, const GpustrProgram *program, int32_t nrows)
{
	uint64_t	room = (uint64_t) nrows * MAX_TEXT;
	GpustrBatch *batch;
	int32_t    *offsets;
	char	   *data;
	int32_t		r;

	memset(flight, 0, sizeof(*flight));
	flight->body_bytes = (uint32_t) gpustr_layout_columns_bytes(program->bytes, nrows, 1, &room, room);
	flight->body = flight->own = compare_allocate_body(flight->body_bytes);
	memset(flight->body, 0x11, flight->body_bytes);
	batch = gpustr_layout_columns(flight->body, flight->body_bytes, program, nrows, 1, &room, room);
	memset(GPUSTR_BODY_PTR(batch, batch->column[0].validity_off, char), 0xF7, ((size_t) nrows + 7) / 8);
	offsets = GPUSTR_BODY_PTR(batch, batch->column[0].offsets_off, int32_t);
	data = GPUSTR_BODY_PTR(batch, batch->column[0].data_off, char);
	offsets[0] = 0;
	for (r = 0; r < nrows; r++)
	{
		int32_t		n = rng_one_in(rng, 3) ? 5 : rng_below(rng, MAX_TEXT);

		compare_make_letters(rng, data + offsets[r], n, LETTERS);
		if (n == 5)
			(void) snprintf(data + offsets[r], 6, "a%03d%c", rng_below(rng, SET_VALUES + 50), 'a' + rng_below(rng, LETTERS));
		offsets[r + 1] = offsets[r] + n;
	}
	gen_poison(batch, 0xC3);
	compare_make_copy(flight);
	gen_poison((GpustrBatch *) flight->copy, 0x3C);
}

static GpustrProgram *
program_of(void *body)
{
	return GPUSTR_BODY_PTR(body, ((GpustrBatch *) body)->program_off, GpustrProgram);
}

/* Change the key in a flight's body; in both copies. */
static void
set_key(Flight *flight, uint64_t key)
{
	program_of(flight->body)->key = key;
	program_of(flight->copy)->key = key;
}

/* Nothing is left on the device. */
static void
forget_all(void)
{
	EngineInfo	info;

	compare_set_limit(0);
	compare_info(&info);
	compare_set_limit(UINT64_MAX);
	if (info.programs != 0 || info.program_bytes != 0 || info.memory_used != 0)
		compare_fail("%d programs of %llu bytes are over the limit", info.programs,
					 (unsigned long long) info.program_bytes);
}

/* One batch after the other: hits and misses. */
static void
round_same(Rng *rng, int32_t nrows)
{
	EngineInfo	before;
	EngineInfo	after;
	Flight		flight;
	int			i;

	compare_info(&before);
	for (i = 0; i < 6; i++)
	{
		make_flight(&flight, rng, programs[0], nrows);
		compare_run_flights(&flight, 1, "a program over several batches");
	}
	compare_info(&after);
	if (after.program_misses - before.program_misses != 2 || after.program_hits - before.program_hits != 4 ||
		after.programs != 1 || after.program_bytes != programs[0]->bytes)
		compare_fail("%llu misses, %llu hits, %d programs of %llu bytes are kept",
					 (unsigned long long) (after.program_misses - before.program_misses),
					 (unsigned long long) (after.program_hits - before.program_hits), after.programs,
					 (unsigned long long) after.program_bytes);
}

/* Several by turns, in flight at the same time; some lie. */
static void
round_mixed(Rng *rng, int32_t nrows, uint64_t limit)
{
	Flight		flights[FLIGHTS];
	int			n = 2 + rng_below(rng, FLIGHTS - 1);
	int			i;

	for (i = 0; i < n; i++)
	{
		make_flight(&flights[i], rng, programs[rng_below(rng, PROGRAMS)], 1 + rng_below(rng, nrows));
		flights[i].may_lack_memory = limit != UINT64_MAX;
		if (rng_one_in(rng, 4))
			set_key(&flights[i], rng_one_in(rng, 2) ? programs[rng_below(rng, PROGRAMS)]->key : rng_next(rng));
	}
	compare_set_limit(limit);
	compare_run_flights(flights, n, "programs by turns");
	compare_set_limit(UINT64_MAX);
}

/* Does a batch run within the limit? */
static int
runs_within(Rng *rng, int32_t nrows, const GpustrProgram *program, uint64_t limit, int with_key)
{
	Flight		flight;
	EngineCode	code = ENGINE_LOST;

	make_flight(&flight, rng, program, nrows);
	if (!with_key)
		set_key(&flight, 0);
	flight.may_lack_memory = 1;
	flight.code = &code;
	compare_set_limit(limit);
	compare_run_flights(&flight, 1, "the least memory");
	compare_set_limit(UINT64_MAX);
	return code == ENGINE_OK;
}

/*
 * The least limit under which a batch runs whose program has no key: with one it
 * must run, too, whatever is kept.
 */
static void
round_least_memory(Rng *rng, int32_t nrows)
{
	uint64_t	low = 0;		/* not enough */
	uint64_t	high = (uint64_t) 64 << 20; /* surely enough */
	EngineInfo	info;
	time_t		start;
	int			i;

	forget_all();
	while (high - low > 1)
	{
		uint64_t	limit = low + (high - low) / 2;

		if (runs_within(rng, nrows, programs[0], limit, 0))
			high = limit;
		else
			low = limit;
	}
	start = time(NULL);
	for (i = 0; i < 2 * PROGRAMS; i++)
		(void) runs_within(rng, nrows, programs[i % PROGRAMS], UINT64_MAX, 1);
	compare_info(&info);

	/* under a sanitizer the first may have got too old by now */
	if (info.programs != PROGRAMS && difftime(time(NULL), start) < GPUSTR_KEPT_MS / 1000 - 1)
		compare_fail("%d programs are kept", info.programs);
	for (i = 0; i < 3; i++)
		if (!runs_within(rng, nrows, programs[0], high, 1))
			compare_fail("programs that are kept take memory from a batch");
	compare_info(&info);
	if (info.programs != 0)
		compare_fail("%d programs are kept where there is no room", info.programs);

	/* one copy has room, two have none: they give way to each other */
	high += programs[0]->bytes > programs[1]->bytes ? programs[0]->bytes : programs[1]->bytes;
	high += programs[1]->bytes + 4096;	/* the other batch may be larger by so much */
	for (i = 0; i < 6; i++)
		if (!runs_within(rng, nrows, programs[i % 2], high, 1))
			compare_fail("programs that are kept take memory from another batch");
}

void
compare_programs(Rng *rng, int small)
{
	int32_t		nrows = small ? 300 : 5000;
	EngineInfo	info;
	int			i;

	for (i = 0; i < PROGRAMS; i++)
		programs[i] = make_program(rng);
	round_same(rng, nrows);
	for (i = 0; i < (small ? 4 : 40); i++)
		round_mixed(rng, nrows, UINT64_MAX);
	for (i = 0; i < (small ? 4 : 60); i++)
		round_mixed(rng, nrows, (uint64_t) rng_below(rng, small ? 4 << 20 : 16 << 20));
	round_least_memory(rng, nrows);
	compare_info(&info);
	printf("compare_engines: programs: %llu hits, %llu misses, %u bytes the first\n",
		   (unsigned long long) info.program_hits, (unsigned long long) info.program_misses, programs[0]->bytes);
	forget_all();
	for (i = 0; i < PROGRAMS; i++)
		free(programs[i]);
}

/* What the driver takes for the kernels of edit distances is not more than is counted. */
void
compare_local_memory(Rng *rng)
{
	GpustrProgramBuilder *b = malloc(sizeof(GpustrProgramBuilder));
	char	   *program[2];
	size_t		all;
	size_t		left[2];
	EngineInfo	info[2];
	Flight		flight;
	int			i;

	for (i = 0; i < 2; i++)
	{
		const uint16_t args[2] = {0, 0};
		GpustrTextFunction function = i == 0 ? GPUSTR_TEXT_POSITION : GPUSTR_TEXT_EDIT_DISTANCE;
		uint16_t	value;

		program[i] = malloc(OTHER_BYTES);
		gpustr_builder_init(b, GPUSTR_ENC_SINGLE_BYTE, program[i], OTHER_BYTES);
		(void) gpustr_builder_column(b, 0);
		value = gpustr_builder_text_function(b, function, args, NULL, 0);
		gpustr_builder_select(b, gpustr_builder_test(b, GPUSTR_OP_VALUE_TRUE, value));
		gpustr_builder_output_text(b, 0, 0);
		if (gpustr_builder_finish(b) == 0)
		{
			printf("compare_programs: the program does not fit\n");
			exit(2);
		}
		make_flight(&flight, rng, (const GpustrProgram *) program[i], 100);
		compare_run_flights(&flight, 1, "local memory");
		compare_info(&info[i]);
		if (cudaMemGetInfo(&left[i], &all) != cudaSuccess)
		{
			printf("compare_programs: cudaMemGetInfo failed\n");
			exit(2);
		}
		free(program[i]);
	}
	free(b);
	printf("compare_engines: local memory of kernels: %lld bytes taken, %llu counted\n",
		   (long long) (left[0] - left[1]), (unsigned long long) info[1].fixed_bytes);
	if (info[0].fixed_bytes != 0 || info[1].fixed_bytes == 0)
		compare_fail("local memory is not counted when it is taken");
	if ((long long) (left[0] - left[1]) > (long long) (info[1].fixed_bytes + CODE_BYTES))
		compare_fail("local memory takes more than is counted");
}
