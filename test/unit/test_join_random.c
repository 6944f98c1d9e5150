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
#include "engine/engine.h"
#include "join_gen.h"

#define POOL_BLOCKS 64

static Engine *engine;
static char *blocks;
static int32_t zero_copy_blocks;

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

int
main(void)
{
	Rng			rng = rng_make(test_seed());
	EngineConfig config;
	EngineError error;
	int			rounds = test_rounds(700);
	uint64_t	results = 0;
	int			i;

	blocks = malloc((size_t) POOL_BLOCKS * GPUSTR_PAGE_BYTES);
	memset(&config, 0, sizeof(config));
	config.blocks = blocks;
	config.nblocks = POOL_BLOCKS;
	config.zero_copy_blocks = &zero_copy_blocks;
	if (gpustr_engine_host()->open(&config, &engine, &error) != ENGINE_OK)
		return 2;
	while (rounds-- > 0)
	{
		GenJoinOptions options = {0, 700, 12, 20000, blocks, POOL_BLOCKS};
		GenJoin    *join;
		int			bad = 0;

		if (rng_one_in(&rng, 2))
			options.max_rows = 60;
		join = gen_join(&rng, &options);
		for (i = 0; i < join->nbuilds; i++)
			bad += run(join->build[i]) != ENGINE_OK;
		if (bad == 0)
			bad += run_pieces(&rng, join, join->probe, 0);
		for (i = 0; i < 2 && bad == 0; i++)
		{
			uint64_t	first = gen_join_seek(&rng, join, join->probe);

			bad += run_pieces(&rng, join, join->probe, first);
		}
		if (bad > 0)
			gen_join_print(join);
		CHECK(bad == 0, "%d wrong", bad);
		for (i = 0; i < join->nprobes; i++)
			engine->methods->drop_table(engine, join->probes[i].probe.table);
		results += join->nrows;
		gen_join_free(join);
		if (test_bad > 0)
			break;
	}
	CHECK(engine->methods->tables(engine, NULL, 0) == 0, "tables are left");
	printf("# %llu results\n", (unsigned long long) results);
	test_done("random joins");
	engine->methods->close(engine);
	free(blocks);
	return test_exit();
}
