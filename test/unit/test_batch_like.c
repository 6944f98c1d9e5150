/*-------------------------------------------------------------------------
 *
 * test_batch_like.c
 *	  LIKE and ILIKE with an automaton: constants that must be refused, and that
 *	  the automaton gives the pattern's answers.
 *
 * IDENTIFICATION
 *	  test/unit/test_batch_like.c
 *
 *-------------------------------------------------------------------------
 */
#include <stddef.h>

#include "batch/batch_layout.h"
#include "batch_gen.h"
#include "engine/engine.h"
#include "program/program_builder.h"
#include "rowfn/like.h"
#include "test_common.h"

#define BODY_BYTES 65536
#define NBLOCKS 64

static GpustrProgramBuilder builder;
static uint64_t area[4096];
static char *body;

/* A number of an automaton, and what it must not be. */
static const struct
{
	size_t		at;
	const char *name;
	int32_t		bad[5];
}			numbers[] = {
	{offsetof(GpustrDfa, nstates), "nstates", {1, 0, -1, INT32_MIN, INT32_MAX}},
	{offsetof(GpustrDfa, nclasses), "nclasses", {1, 0, -1, 257, INT32_MAX}},
	{offsetof(GpustrDfa, start), "start", {65535, 65536, -1, INT32_MIN, INT32_MAX}},
	{offsetof(GpustrDfa, next_off), "next_off", {0, -2, sizeof(GpustrDfa) + 1, INT32_MIN, INT32_MAX - 1}},
	{offsetof(GpustrDfa, at_end_off), "at_end_off", {0, -1, sizeof(GpustrDfa) - 1, INT32_MIN, INT32_MAX}}
};

static int
accepted(void)
{
	EngineError error;
	EngineCode	code = gpustr_batch_check(body, BODY_BYTES, &error);

	CHECK(code == ENGINE_OK || (code == ENGINE_BAD_INPUT && error.message[0] != '\0'), "code %d", code);
	return code == ENGINE_OK;
}

/*
 * A pattern with its automaton behind it, for the step and at the end of its
 * program: refused with any byte less, and with any number in the automaton that
 * is none.
 */
static void
check_automaton(GpustrOp op)
{
	GpustrFold	fold;
	GpustrProgram *program;
	GpustrStep *step;
	GpustrLikePattern *pattern;
	GpustrDfa  *dfa;
	GpustrDfa	good;
	char	   *constant;
	uint16_t   *next;
	uint32_t	fold_bytes = op == GPUSTR_OP_ILIKE ? sizeof(fold) : 0;
	uint32_t	bytes;
	uint32_t	at;
	uint32_t	n;
	uint64_t	data_bytes[1] = {0};
	int			i;
	int			k;

	memset(&fold, 0, sizeof(fold));
	for (i = 0; i < 128; i++)
		fold.ascii[i] = (uint8_t) i;
	gpustr_builder_init(&builder, GPUSTR_ENC_UTF8, area, sizeof(area));
	(void) gpustr_builder_column(&builder, 0);
	gpustr_builder_select(&builder, op == GPUSTR_OP_ILIKE ?
						  gpustr_builder_ilike(&builder, 0, &fold, "%a_b%", 5) :
						  gpustr_builder_like(&builder, 0, "%a_b%", 5));
	CHECK(gpustr_builder_finish(&builder) != 0, "the program fits");
	(void) gpustr_layout_columns(body, BODY_BYTES, (const GpustrProgram *) area, 0, 1, data_bytes, 0);
	memset(GPUSTR_BODY_PTR(body, ((GpustrBatch *) body)->column[0].offsets_off, char), 0, 4);
	program = GPUSTR_BODY_PTR(body, ((GpustrBatch *) body)->program_off, GpustrProgram);
	step = (GpustrStep *) ((char *) program + program->step_off) + 1;
	CHECK(step->op == op && step->aux == 1 && accepted(), "operator %d with an automaton", op);
	constant = (char *) program + step->const_off;
	pattern = (GpustrLikePattern *) (constant + fold_bytes);
	at = fold_bytes + GPUSTR_LIKE_AUTOMATON_AT(pattern);
	dfa = (GpustrDfa *) (constant + at);
	next = (uint16_t *) ((char *) dfa + dfa->next_off);
	good = *dfa;
	bytes = at + (uint32_t) (dfa->at_end_off > dfa->next_off ? dfa->at_end_off + dfa->nstates :
							 dfa->next_off + 2 * dfa->nstates * dfa->nclasses);
	for (n = 0; n <= step->const_bytes; n++)
	{
		GpustrStep	whole = *step;

		step->const_bytes = n;
		CHECK(accepted() == (n >= bytes), "an automaton cut to %u of %u bytes", n, bytes);
		step->aux = 0;
		CHECK(accepted() == (n >= fold_bytes + pattern->bytes), "a pattern cut to %u bytes", n);
		*step = whole;
	}
	for (i = 2; i < 300; i++)
	{
		step->aux = (uint16_t) (i < 290 ? i : 65535 - (i - 290));
		CHECK(!accepted(), "aux %d", step->aux);
	}
	step->aux = 1;
	for (i = 0; i < (int) (sizeof(numbers) / sizeof(numbers[0])); i++)
		for (k = 0; k < 5; k++)
		{
			memcpy((char *) dfa + numbers[i].at, &numbers[i].bad[k], sizeof(int32_t));
			CHECK(!accepted(), "%s %d", numbers[i].name, numbers[i].bad[k]);
			*dfa = good;
		}
	dfa->start = dfa->nstates;
	CHECK(!accepted(), "start is no state");
	*dfa = good;
	for (i = 0; i < 256; i++)
	{
		dfa->class_of[i] = (uint8_t) dfa->nclasses;
		CHECK(!accepted(), "class of byte %d", i);
		*dfa = good;
	}
	for (i = 0; i < dfa->nstates * dfa->nclasses; i++)
	{
		uint16_t	state = next[i];

		next[i] = (uint16_t) dfa->nstates;
		CHECK(!accepted(), "next[%d] is no state", i);
		next[i] = 0xFFFF;
		CHECK(!accepted(), "next[%d] is 65535", i);
		next[i] = state;
	}

	/* the pattern says where the automaton is */
	n = pattern->bytes;
	pattern->bytes = step->const_bytes - fold_bytes;
	CHECK(!accepted(), "the automaton is past the end");
	pattern->bytes = UINT32_MAX;
	CHECK(!accepted(), "the pattern is too long");
	pattern->bytes = n;
	CHECK(accepted(), "operator %d, repaired", op);
}

static Engine *
open_engine(char *blocks)
{
	static volatile int32_t zero_copy_blocks;
	static volatile uint64_t memory_limit = UINT64_MAX;
	EngineConfig config;
	EngineError error;
	Engine	   *engine;

	memset(&config, 0, sizeof(config));
	config.blocks = blocks;
	config.nblocks = NBLOCKS;
	config.zero_copy_blocks = &zero_copy_blocks;
	config.memory_limit = &memory_limit;
	if (gpustr_engine_host()->open(&config, &engine, &error) != ENGINE_OK)
	{
		printf("# %s\n", error.message);
		exit(2);
	}
	return engine;
}

/* Run a copy of 'body', to be freed; its automata in place of its patterns, or not. */
static char *
run_copy(Engine *engine, int by_automata, int *used)
{
	char	   *copy = aligned_alloc(GPUSTR_BODY_ALIGN, BODY_BYTES);
	EngineRequest request;

	memcpy(copy, body, BODY_BYTES);
	if (by_automata)
		*used = gen_use_automata(copy);
	memset(&request, 0, sizeof(request));
	request.body = copy;
	request.body_bytes = BODY_BYTES;
	engine->methods->submit(engine, &request);
	CHECK(engine->methods->poll(engine) == &request, "another request came back");
	CHECK(request.error.code == ENGINE_OK, "%s", request.error.message);
	return copy;
}

/* Have all automata that follow patterns start where nothing is accepted. */
static void
break_automata(void)
{
	GpustrProgram *program = GPUSTR_BODY_PTR(body, ((GpustrBatch *) body)->program_off, GpustrProgram);
	const GpustrStep *step = GPUSTR_PROGRAM_STEPS(program);
	int32_t		i;

	for (i = 0; i < program->nsteps; i++, step++)
	{
		uint32_t	at = step->op == GPUSTR_OP_ILIKE ? sizeof(GpustrFold) : 0;
		char	   *constant = (char *) program + step->const_off;

		if ((step->op == GPUSTR_OP_LIKE || step->op == GPUSTR_OP_ILIKE) && step->aux == 1)
			((GpustrDfa *) (constant + at + GPUSTR_LIKE_AUTOMATON_AT(constant + at)))->start = GPUSTR_DFA_REJECT;
	}
}

/*
 * Random batches: both ways the results are right.  Automata that say something else
 * are accepted, but change nothing where patterns are compared.
 */
static void
test_both_ways(Rng *rng, char *blocks)
{
	GenOptions	options = {0, 1000, 5, blocks, NBLOCKS, 1, 1};
	Engine	   *engine = open_engine(blocks);
	int			rounds = test_rounds(1500);
	int			with_automata = 0;
	int			differ = 0;
	int			i;

	for (i = 0; i < rounds; i++)
	{
		GenBatch   *gen = gen_batch(rng, &options, body, BODY_BYTES);
		int			used = 0;
		char	   *by_pattern = run_copy(engine, 0, &used);
		char	   *by_automaton = run_copy(engine, 1, &used);

		CHECK(gen_check(gen, by_pattern) == 0 && gen_check(gen, by_automaton) == 0 &&
			  gen_compare(by_pattern, by_automaton), "batch %d: the ways differ", i);
		free(by_automaton);
		if (used > 0)
		{
			char	   *again;

			break_automata();
			CHECK(accepted(), "batch %d: an automaton that starts in state 0", i);
			again = run_copy(engine, 0, &used);
			by_automaton = run_copy(engine, 1, &used);
			CHECK(gen_compare(by_pattern, again), "batch %d: the host engine runs automata of patterns", i);
			differ += !gen_compare(again, by_automaton);
			with_automata++;
			free(again);
			free(by_automaton);
		}
		free(by_pattern);
		gen_free(gen);
	}
	printf("# %d of %d batches have automata of patterns, %d give something else with broken ones\n",
		   with_automata, rounds, differ);
	CHECK(with_automata > rounds / 10 && differ > rounds / 100, "too few automata");
	engine->methods->close(engine);
	test_done("random batches by patterns and by automata");
}

int
main(void)
{
	char	   *blocks = aligned_alloc(GPUSTR_PAGE_BYTES, (size_t) NBLOCKS * GPUSTR_PAGE_BYTES);
	Rng			rng = rng_make(test_seed());

	memset(blocks, 0, (size_t) NBLOCKS * GPUSTR_PAGE_BYTES);
	body = aligned_alloc(GPUSTR_BODY_ALIGN, BODY_BYTES);
	memset(body, 0xA5, BODY_BYTES);
	check_automaton(GPUSTR_OP_LIKE);
	test_done("LIKE with one thing wrong in its automaton");
	check_automaton(GPUSTR_OP_ILIKE);
	test_done("ILIKE with one thing wrong in its automaton");
	test_both_ways(&rng, blocks);
	free(blocks);
	free(body);
	return test_exit();
}
