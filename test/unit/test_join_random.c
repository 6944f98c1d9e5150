/*-------------------------------------------------------------------------
 *
 * test_join_random.c
 *	  Random joins on the host engine, against nested loops.
 *
 * IDENTIFICATION
 *	  test/unit/test_join_random.c
 *
 *-------------------------------------------------------------------------
 */
#include "batch/column_batch.h"
#include "engine/engine.h"
#include "join_gen.h"
#include "rowfn/hash_table.h"

#define POOL_BLOCKS 64

static Engine *engine;
static char *blocks;
static int32_t zero_copy_blocks;
static volatile uint64_t memory_limit = UINT64_MAX;

/* Run a request; its code. */
static EngineCode
run(void *body)
{
	EngineRequest request;

	memset(&request, 0, sizeof(request));
	request.body = body;
	request.body_bytes = ((const GpustrBatch *) body)->body_bytes;
	engine->methods->submit(engine, &request);
	CHECK(engine->methods->poll(engine) == &request, "it does not come back");
	CHECK(request.error.code == ENGINE_OK, "%s", request.error.message);
	return request.error.code;
}

/* All pieces, from result 'at' on, of a body that asks for them. */
static int
run_pieces(Rng *rng, const GenJoin *join, void *body, uint64_t at)
{
	const GpustrBatch *batch = (const GpustrBatch *) body;
	const GpustrJoinResult *result = GPUSTR_BODY_PTR(body, batch->result_off, const GpustrJoinResult);
	int			bad = 0;

	for (;;)
	{
		if (run(body) != ENGINE_OK)
			return bad + 1;
		bad += gen_join_check(join, body, &at);
		if (bad > 0 || !result->more)
			break;
		gen_join_next(rng, join, body, at);
	}
	return bad;
}

static void
drop_tables(const GenJoin *join)
{
	int			i;

	for (i = 0; i < join->nprobes; i++)
		engine->methods->drop_table(engine, join->probes[i].probe.table);
}

/* Joins of all kinds, from the start and from anywhere. */
static void
test_joins(Rng *rng)
{
	int			rounds = test_rounds(700);
	uint64_t	results = 0;
	int			i;

	while (rounds-- > 0 && test_bad == 0)
	{
		GenJoinOptions options = {0, 700, 12, 20000, blocks, POOL_BLOCKS};
		GenJoin    *join;
		int			bad = 0;

		if (rng_one_in(rng, 2))
			options.max_rows = 60;
		join = gen_join(rng, &options);
		for (i = 0; i < join->nbuilds; i++)
			bad += run(join->build[i]) != ENGINE_OK;
		if (bad == 0)
			bad += gen_join_check_tables(join);
		if (bad == 0)
			bad += run_pieces(rng, join, join->probe, 0);
		for (i = 0; i < 2 && bad == 0; i++)
		{
			uint64_t	first = gen_join_seek(rng, join, join->probe);

			bad += run_pieces(rng, join, join->probe, first);
		}
		if (bad > 0)
			gen_join_print(join);
		CHECK(bad == 0, "%d wrong", bad);
		drop_tables(join);
		results += join->nrows;
		gen_join_free(join);
	}
	CHECK(engine->methods->tables(engine, NULL, 0) == 0, "tables are left");
	printf("# %llu results\n", (unsigned long long) results);
	test_done("random joins");
}

/* The first PROBE of a body. */
static GpustrProbe *
first_probe(void *body)
{
	const GpustrProgram *program = GPUSTR_BODY_PTR(body, ((GpustrBatch *) body)->program_off, const GpustrProgram);
	const GpustrStep *step = GPUSTR_PROGRAM_STEPS(program);

	while (step->op != GPUSTR_OP_PROBE)
		step++;
	return GPUSTR_BODY_PTR(program, step->const_off, GpustrProbe);
}

/* All results of a body, in one piece at a time: how many, and the sum of something of each. */
static uint64_t
sum_results(void *body, uint64_t *n)
{
	GpustrBatch *batch = (GpustrBatch *) body;
	const GpustrJoinResult *result = GPUSTR_BODY_PTR(body, batch->result_off, const GpustrJoinResult);
	uint64_t	sum = 0;
	int32_t		i;

	batch->result_pair = 0;
	batch->result_skip = 0;
	do
	{
		const int32_t *outer = GPUSTR_BODY_PTR(body, batch->result_outer_off, const int32_t);
		const uint32_t *inner = GPUSTR_BODY_PTR(body, batch->result_inner_off, const uint32_t);

		if (run(body) != ENGINE_OK)
			return 0;
		for (i = 0; i < result->nrows; i++)
			sum += ((uint64_t) outer[i] << 32 | inner[i]) * UINT64_C(0x9E3779B97F4A7C15) >> 7;
		*n += (uint64_t) result->nrows;
		batch->result_pair = result->next_pair;
		batch->result_skip = result->next_skip;
	} while (result->more && result->nrows > 0);
	return sum;
}

/* The partitions of a join are the join. */
static void
test_partitions(Rng *rng)
{
	int			rounds = test_rounds(150);
	int			several = 0;

	while (rounds-- > 0)
	{
		GenJoinOptions options = {0, 300, 6, 20000, blocks, POOL_BLOCKS};
		GenJoin    *join = gen_join(rng, &options);
		GpustrBatch *batch = (GpustrBatch *) join->probe;
		GpustrProbe *probe = first_probe(join->probe);
		uint64_t	whole = 0;
		uint64_t	parts = 0;
		uint64_t	sum;
		int			nonempty = 0;
		int			i;

		if (batch->result_outer_off != 0 && batch->result_inner_off != 0)
		{
			for (i = 0; i < join->nbuilds; i++)
				(void) run(join->build[i]);
			probe->npartitions = 1;
			probe->partition = 0;
			sum = sum_results(batch, &whole);
			probe->npartitions = 1 + rng_below(rng, 6);
			for (i = 0; i < probe->npartitions; i++)
			{
				uint64_t	before = parts;

				probe->partition = i;
				sum -= sum_results(batch, &parts);
				nonempty += parts > before;
			}
			several += nonempty > 1;
			CHECK(parts == whole && sum == 0, "%llu results, in %d partitions %llu", (unsigned long long) whole,
				  probe->npartitions, (unsigned long long) parts);
			drop_tables(join);
		}
		gen_join_free(join);
	}
	CHECK(several > 0, "no join has results in several partitions");
	test_done("partitions");
}

/* Build and probe in so much memory.  Returns 0 if there was too little. */
static int
run_within(Rng *rng, const GenJoin *join, uint64_t limit)
{
	EngineInfo	info;
	EngineRequest request;
	int			i;

	memory_limit = limit;
	for (i = 0; i <= join->nbuilds; i++)
	{
		void	   *body = i < join->nbuilds ? join->build[i] : join->probe;

		memset(&request, 0, sizeof(request));
		request.body = body;
		request.body_bytes = ((const GpustrBatch *) body)->body_bytes;
		engine->methods->submit(engine, &request);
		CHECK(engine->methods->poll(engine) == &request, "it does not come back");
		engine->methods->info(engine, &info);
		CHECK(info.memory_used <= limit, "%llu bytes are used", (unsigned long long) info.memory_used);
		CHECK(request.error.code == ENGINE_OK || request.error.code == ENGINE_OUT_OF_MEMORY, "%s", request.error.message);
		if (request.error.code != ENGINE_OK)
			return 0;
	}
	CHECK(run_pieces(rng, join, join->probe, 0) == 0, "wrong in %llu bytes", (unsigned long long) limit);
	return 1;
}

/* Memory limits from 0 up: the right answer, or none. */
static void
test_memory(Rng *rng)
{
	int			rounds = test_rounds(25);
	int			worked = 0;
	int			failed = 0;

	while (rounds-- > 0)
	{
		GenJoinOptions options = {0, 100, 4, 2000, blocks, POOL_BLOCKS};
		GenJoin    *join = gen_join(rng, &options);
		uint64_t	limit = 0;
		int			enough = 0;

		while (!enough && limit < UINT64_C(100) << 20)
		{
			enough = run_within(rng, join, limit);
			drop_tables(join);
			worked += enough;
			failed += !enough;
			limit += 1 + (uint64_t) rng_below(rng, 20000) + limit / 16;
		}
		CHECK(enough, "%llu bytes are not enough", (unsigned long long) limit);
		gen_join_free(join);
	}
	memory_limit = UINT64_MAX;
	CHECK(worked > 0 && failed > 0, "%d worked, %d did not", worked, failed);
	test_done("memory limits");
}

/* Drop whatever there is, under whatever id. */
static void
drop_all(void)
{
	uint64_t	id;

	while (engine->methods->tables(engine, &id, 1) > 0)
		engine->methods->drop_table(engine, id);
}

/*
 * Run a copy of a body of which a word has been changed.  Whatever that is, nothing is
 * written but what is said of a table, and that is one that can be.  Returns whether
 * there is one.
 */
static int
run_damaged(Rng *rng, const void *good)
{
	uint32_t	bytes = ((const GpustrBatch *) good)->body_bytes;
	uint32_t	at = 4 * (uint32_t) rng_below(rng, (int32_t) ((const GpustrBatch *) good)->in_bytes / 4);
	char	   *body = aligned_alloc(GPUSTR_BODY_ALIGN, GPUSTR_BODY_ALIGN_UP(bytes));
	char	   *before = malloc(bytes);
	EngineRequest request;
	GpustrTableResult result;
	GpustrTableBuild build;
	uint32_t	word;
	int			finished;

	memcpy(body, good, bytes);
	memcpy(&word, body + at, 4);
	word = rng_one_in(rng, 2) ? word ^ 1u << rng_below(rng, 32) : word + (uint32_t) rng_below(rng, 129) - 64;
	memcpy(body + at, &word, 4);
	memcpy(before, body, bytes);
	memset(&request, 0, sizeof(request));
	request.body = body;
	request.body_bytes = bytes;
	engine->methods->submit(engine, &request);
	CHECK(engine->methods->poll(engine) == &request, "it does not come back");
	/* it may be a request that does not finish any more */
	finished = request.error.code == ENGINE_OK && memcmp(before, body, bytes) != 0;
	if (finished)
	{
		build.nrows = ROWFN_TABLE_MAX_ROWS;
		CHECK(gpustr_column_batch_table(body, bytes, &build, &result), "what cannot be is said of a table");
		memcpy(GPUSTR_BODY_PTR(before, ((GpustrBatch *) body)->table_off, char), &result, sizeof(result));
	}
	CHECK(memcmp(before, body, bytes) == 0, "word %u: a body has been written to", at / 4);
	free(before);
	free(body);
	return finished;
}

/*
 * Requests that finish a table, a word of which is anything: it may be as large as
 * there can be, so that memory has a limit.
 */
static void
test_damage(Rng *rng)
{
	int			rounds = test_rounds(200);
	int			good = 0;
	int			bad = 0;

	memory_limit = UINT64_C(256) << 20;
	while (rounds-- > 0)
	{
		GenJoinOptions options = {0, 60, 4, 2000, blocks, POOL_BLOCKS};
		GenJoin    *join = gen_join(rng, &options);
		int			tries;

		for (tries = 0; tries < 20; tries++)
		{
			int			i = 0;
			int			went;

			/* the rows of the first table, again if it has been finished */
			while (((const GpustrBatch *) join->build[i])->ncolumns > 0)
				(void) run(join->build[i++]);
			went = run_damaged(rng, join->build[i]);
			good += went;
			bad += !went;
			drop_all();
		}
		gen_join_free(join);
	}
	memory_limit = UINT64_MAX;
	CHECK(good > 0 && bad > 0, "%d went well, %d did not", good, bad);
	test_done("requests that finish a table, damaged");
}

int
main(void)
{
	Rng			rng = rng_make(test_seed());
	EngineConfig config;
	EngineError error;

	blocks = malloc((size_t) POOL_BLOCKS * GPUSTR_PAGE_BYTES);
	memset(&config, 0, sizeof(config));
	config.blocks = blocks;
	config.nblocks = POOL_BLOCKS;
	config.zero_copy_blocks = &zero_copy_blocks;
	config.memory_limit = &memory_limit;
	if (gpustr_engine_host()->open(&config, &engine, &error) != ENGINE_OK)
		return 2;
	test_joins(&rng);
	test_partitions(&rng);
	test_memory(&rng);
	test_damage(&rng);
	engine->methods->close(engine);
	free(blocks);
	return test_exit();
}
