/*-------------------------------------------------------------------------
 *
 * compare_join_build.c
 *	  Tables of random joins on the CUDA engine: built by several requests at a time,
 *	  perhaps with little memory, and dropped while they are used.
 *
 * IDENTIFICATION
 *	  test/gpu/compare_join_build.c
 *
 *-------------------------------------------------------------------------
 */
#include "compare_join.h"
#include "join_gen.h"

/* Requests that build the tables of one join: more than the generator makes. */
#define MAX_BUILDS 64

/* Does a request to build a table finish it? */
static int
is_finish(const void *body)
{
	const GpustrBatch *batch = (const GpustrBatch *) body;
	const GpustrProgram *program = GPUSTR_BODY_PTR(body, batch->program_off, const GpustrProgram);
	const GpustrStep *steps = GPUSTR_PROGRAM_STEPS(program);
	int32_t		i;

	for (i = 0; i < program->nsteps; i++)
		if (steps[i].op == GPUSTR_OP_BUILD)
			return ((const GpustrTableBuild *) GPUSTR_PROGRAM_CONST(program, &steps[i]))->finish;
	return 0;
}

/* Send the rows of a join's tables side by side, or finish them all.  Returns the worst error. */
static EngineCode
send_builds(const GenJoin *join, int finish, EngineError *error)
{
	EngineRequest requests[MAX_BUILDS];
	int			n = 0;
	int			i;

	for (i = 0; i < join->nbuilds && n < MAX_BUILDS; i++)
		if (is_finish(join->build[i]) == finish)
			join_set_request(&requests[n++], join->build[i]);
	join_run(ON_CUDA, requests, n);
	memset(error, 0, sizeof(*error));
	for (i = 0; i < n; i++)
		if (requests[i].error.code != ENGINE_OK &&
			(error->code == ENGINE_OK || error->code == ENGINE_NO_TABLE))
			*error = requests[i].error;
	return error->code;
}

static void
drop_on_cuda(const GenJoin *join)
{
	int			i;

	for (i = 0; i < join->nprobes; i++)
		join_engines[ON_CUDA]->methods->drop_table(join_engines[ON_CUDA], join->probes[i].probe.table);
}

int
join_build_on_cuda(Rng *rng, const GenJoin *join)
{
	uint64_t	limit = UINT64_MAX;
	EngineError error;

	if (rng_one_in(rng, 3))
		limit = join_table_bytes() + (uint64_t) rng_below(rng, rng_one_in(rng, 2) ? 1 << 20 : 1 << 14);

	for (;;)
	{
		int			scarce = limit != UINT64_MAX;

		join_set_limit(limit);
		if (send_builds(join, 0, &error) == ENGINE_OK)
			(void) send_builds(join, 1, &error);
		join_set_limit(UINT64_MAX);
		if (error.code == ENGINE_OK)
		{
			if (gen_join_check_tables(join) > 0)
				join_fail("the CUDA engine says what is not true of a table");
			return 1;
		}

		/*
		 * rows of a table that a lack of memory has taken away are of one
		 * that comes after
		 */
		drop_on_cuda(join);
		if (!scarce || (error.code != ENGINE_OUT_OF_MEMORY && error.code != ENGINE_NO_TABLE))
		{
			join_fail("tables of a join: %s", error.message);
			return 0;
		}
		join_refused++;
		limit += limit / 16 + 4096;
	}
}

void
compare_dropped_join(Rng *rng)
{
	GenJoinOptions options = {GPUSTR_BATCH_COLUMNS, 400, 12, 20000, NULL, 0};
	GenJoin    *join = gen_join(rng, &options);
	const EngineMethods *methods = join_engines[ON_CUDA]->methods;
	int			building = rng_one_in(rng, 2);
	int			polls = rng_one_in(rng, 2) ? 0 : rng_below(rng, 2000);
	EngineRequest requests[MAX_BUILDS];
	uint64_t	at = 0;
	int			out = 0;
	int			n = 0;
	int			i;

	for (i = 0; building && i < join->nbuilds && n < MAX_BUILDS; i++)
		if (!is_finish(join->build[i]))
			join_set_request(&requests[n++], join->build[i]);
	if (!building && join_build_on_cuda(rng, join))
		join_set_request(&requests[n++], join->probe);
	for (i = 0; i < n; i++)
		methods->submit(join_engines[ON_CUDA], &requests[i]);
	for (i = 0; i < polls && out < n; i++)
		out += methods->poll(join_engines[ON_CUDA]) != NULL;
	drop_on_cuda(join);
	while (out < n)
		out += methods->poll(join_engines[ON_CUDA]) != NULL;
	for (i = 0; i < n; i++)
		if (requests[i].error.code != ENGINE_OK && (!building || requests[i].error.code != ENGINE_NO_TABLE))
			join_fail("a table dropped in use: %s", requests[i].error.message);
	if (!building && n == 1 && requests[0].error.code == ENGINE_OK && gen_join_check(join, join->probe, &at) != 0)
		join_fail("the results of tables dropped in use are wrong");
	drop_on_cuda(join);
	if (methods->tables(join_engines[ON_CUDA], NULL, 0) != 0)
		join_fail("tables dropped in use are there");
	join_count(0);
	gen_join_free(join);
}
