/*-------------------------------------------------------------------------
 *
 * test_engine_host.c
 *	  The host engine: random batches, limits, and bodies that are wrong.
 *
 * IDENTIFICATION
 *	  test/unit/test_engine_host.c
 *
 *-------------------------------------------------------------------------
 */
#include "batch_gen.h"
#include "engine/engine.h"

#define BODY_BYTES (1 << 20)
#define NBLOCKS 64

static char *blocks;
static volatile int32_t zero_copy_blocks;
static volatile uint64_t memory_limit = UINT64_MAX;

static Engine *
open_engine(void)
{
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

/* Run a body and take the request back. */
static EngineCode
run(Engine *engine, void *body, uint32_t body_bytes, EngineRequest *request)
{
	memset(request, 0, sizeof(*request));
	request->body = body;
	request->body_bytes = body_bytes;
	request->cookie = body;
	engine->methods->submit(engine, request);
	CHECK(engine->methods->poll(engine) == request, "another request came back");
	CHECK(engine->methods->poll(engine) == NULL, "a request came back twice");
	CHECK(request->cookie == body && request->engine_private == NULL, "the request was changed");
	CHECK(request->error.code == ENGINE_OK || request->error.message[0] != '\0', "no message");
	return request->error.code;
}

/* A copy of a body, without room to spare. */
static char *
copy_body(const GpustrBatch *batch)
{
	char	   *copy = aligned_alloc(GPUSTR_BODY_ALIGN, GPUSTR_BODY_ALIGN_UP(batch->body_bytes));

	memcpy(copy, batch, batch->body_bytes);
	return copy;
}

static void
check_counts(const GpustrBatch *batch, const EngineRequest *request)
{
	const uint32_t *recheck = GPUSTR_BODY_PTR(batch, batch->recheck_off, const uint32_t);
	uint64_t	rechecks = 0;
	int32_t		row;

	for (row = 0; row < batch->nrows; row++)
		rechecks += (recheck[row / 32] >> (row % 32)) & 1;
	CHECK(request->rechecks == rechecks, "%llu rechecks, not %llu",
		  (unsigned long long) request->rechecks, (unsigned long long) rechecks);
	CHECK(request->bytes_in == batch->in_bytes + (uint64_t) batch->npages * GPUSTR_PAGE_BYTES,
		  "bytes_in is %llu", (unsigned long long) request->bytes_in);
	CHECK(request->bytes_out >= 8 * (uint64_t) GPUSTR_BITMAP_WORDS(batch->nrows),
		  "bytes_out is %llu", (unsigned long long) request->bytes_out);
}

static void
test_random(Engine *engine, Rng *rng, void *body)
{
	GenOptions	options = {0, 3000, 40, blocks, NBLOCKS, 1};
	uint64_t	rows = 0;
	int			i;

	for (i = 0; i < test_rounds(1500); i++)
	{
		uint32_t	body_bytes = rng_one_in(rng, 2) ? BODY_BYTES : 65536u + 64u * (uint32_t) rng_below(rng, 4000);
		GenBatch   *gen = gen_batch(rng, &options, body, body_bytes);
		char	   *copy = copy_body(gen->batch);
		EngineRequest request;
		EngineCode	code = run(engine, copy, body_bytes, &request);
		int			bad = 0;

		CHECK(code == ENGINE_OK, "%s", request.error.message);
		if (code == ENGINE_OK)
		{
			bad = gen_check(gen, copy);
			CHECK(bad == 0, "%d rows", bad);
			check_counts((const GpustrBatch *) copy, &request);

			/* inputs untouched: with the results put back it is the same body */
			CHECK(memcmp(copy, gen->batch, gen->batch->in_bytes) == 0, "inputs were changed");
			gen_poison((GpustrBatch *) copy, 0x5A);
			gen_poison(gen->batch, 0x5A);
			CHECK(memcmp(copy, gen->batch, body_bytes) == 0, "something else was written");
		}
		if (bad > 0)
			gen_print(gen);
		rows += (uint64_t) gen->nrows;
		free(copy);
		gen_free(gen);
	}
	printf("# %llu rows\n", (unsigned long long) rows);
	CHECK(rows > (uint64_t) test_rounds(1500) * 50, "too few rows");
	test_done("random batches");
}

static void
test_memory_limit(Engine *engine, Rng *rng, void *body)
{
	GenOptions	options = {0, 500, 8, blocks, NBLOCKS, 1};
	int			enough = 0;
	int			too_little = 0;
	int			i;

	for (i = 0; i < test_rounds(20); i++)
	{
		GenBatch   *gen = gen_batch(rng, &options, body, BODY_BYTES);

		for (memory_limit = 0; memory_limit < 300000; memory_limit += 1 + memory_limit / 16)
		{
			EngineRequest request;
			EngineCode	code;
			EngineInfo	info;

			gen_poison(gen->batch, 0xA5);
			code = run(engine, body, BODY_BYTES, &request);
			engine->methods->info(engine, &info);
			CHECK(info.memory_used <= memory_limit, "%llu bytes used, the limit is %llu",
				  (unsigned long long) info.memory_used, (unsigned long long) memory_limit);
			if (code == ENGINE_OK)
			{
				enough++;
				CHECK(gen_check(gen, body) == 0, "limit %llu", (unsigned long long) memory_limit);
			}
			else
			{
				too_little++;
				CHECK(code == ENGINE_OUT_OF_MEMORY, "limit %llu: %s",
					  (unsigned long long) memory_limit, request.error.message);
			}
		}
		gen_free(gen);
	}
	memory_limit = UINT64_MAX;
	CHECK(enough > 0 && too_little > 0, "%d fit, %d do not", enough, too_little);
	test_done("memory limit from 0 up");
}

/* Change one 4-byte word at 'at' in all sorts of ways. */
static void
damage_word(Engine *engine, Rng *rng, const GpustrBatch *batch, uint32_t at, int *refused)
{
	static const uint32_t values[] = {
		0, 1, 2, 3, 63, 64, 65, 128, 4096, 0x7FFF, 0xFFFF, 0x10000, 0x7FFFFFC0, 0x7FFFFFFF,
		0x80000000, 0x80000001, 0xFFFFFF00, 0xFFFFFFC0, 0xFFFFFFFF
	};
	int			n = (int) (sizeof(values) / sizeof(values[0]));
	int			i;

	for (i = 0; i < n + 8; i++)
	{
		char	   *copy = copy_body(batch);
		EngineRequest request;
		EngineCode	code;
		uint32_t	word;

		memcpy(&word, copy + at, 4);
		if (i < n)
			word = values[i];
		else if (i < n + 4)
			word += (uint32_t) rng_below(rng, 3) * 64 - 64;
		else
			word ^= UINT32_C(1) << rng_below(rng, 32);
		memcpy(copy + at, &word, 4);
		code = run(engine, copy, batch->body_bytes, &request);
		CHECK(code == ENGINE_OK || code == ENGINE_BAD_INPUT, "word at %u = %u: code %d", at, word, code);
		*refused += code == ENGINE_BAD_INPUT;
		free(copy);
	}
}

static void
test_damage(Engine *engine, Rng *rng, void *body)
{
	GenOptions	options = {0, 60, 2, blocks, NBLOCKS, 1};
	int			refused = 0;
	int			i;

	for (i = 0; i < test_rounds(12); i++)
	{
		GenBatch   *gen = gen_batch(rng, &options, body, 65536);
		const GpustrBatch *batch = gen->batch;
		uint32_t	at;

		/* every word of the header, and of the program */
		for (at = 0; at < sizeof(GpustrBatch); at += 4)
			damage_word(engine, rng, batch, at, &refused);
		for (at = 0; at + 4 <= batch->program_bytes; at += 4)
			damage_word(engine, rng, batch, batch->program_off + at, &refused);

		/* what the engine indexes by */
		if (batch->kind == GPUSTR_BATCH_PAGES)
		{
			for (at = 0; at < 4 * (uint32_t) batch->npages; at += 4)
				damage_word(engine, rng, batch, batch->page_off + at, &refused);
			for (at = 0; at < 4 * ((uint32_t) batch->npages + 1); at += 4)
				damage_word(engine, rng, batch, batch->row_start_off + at, &refused);
		}
		else
			for (at = 0; at < 4 * ((uint32_t) batch->nrows + 1); at += 4)
				damage_word(engine, rng, batch, batch->column[0].offsets_off + at, &refused);
		gen_free(gen);
	}
	printf("# %d refused\n", refused);
	CHECK(refused > 1000, "only %d refused", refused);
	test_done("damaged bodies");
}

/* Headers that must be refused, one reason each. */
static void
test_refused(Engine *engine, Rng *rng, void *body)
{
	GenOptions	options = {GPUSTR_BATCH_PAGES, 0, 8, NULL, 0, 0};
	GenBatch   *gen;
	GpustrBatch *batch;
	EngineRequest request;
	GpustrBatch saved;
	int			i;

	for (;;)
	{
		gen = gen_batch(rng, &options, body, 262144);
		if (gen->batch->npages >= 2 && gen->nrows >= 3)
			break;
		gen_free(gen);
	}
	batch = gen->batch;
	saved = *batch;
	for (i = 0; i < 21; i++)
	{
		int32_t    *page = GPUSTR_BODY_PTR(body, saved.page_off, int32_t);
		int32_t    *row_start = GPUSTR_BODY_PTR(body, saved.row_start_off, int32_t);
		int32_t		page0 = page[0];
		int32_t		start1 = row_start[1];
		GpustrProgram *program = GPUSTR_BODY_PTR(body, saved.program_off, GpustrProgram);
		GpustrAttr *attr = (GpustrAttr *) ((char *) program + program->attr_off);
		GpustrAttr	attr0 = *attr;
		EngineCode	code;

		switch (i)
		{
			case 0:
				batch->magic++;
				break;
			case 1:
				batch->kind = 3;
				break;
			case 2:
				batch->nrows = -1;
				break;
			case 3:
				batch->in_bytes = batch->body_bytes + 1;
				break;
			case 4:
				batch->program_off += 32;	/* not aligned */
				break;
			case 5:
				batch->row_start_off = batch->page_off; /* overlap */
				break;
			case 6:
				batch->recheck_off = batch->selected_off;
				break;
			case 7:
				batch->selected_off = 0;
				break;
			case 8:
				batch->staged_off = batch->body_bytes & ~63u;
				break;
			case 9:
				page[0] = NBLOCKS;	/* no such block */
				break;
			case 10:
				page[0] = -1 - batch->nstaged;	/* no such staged page */
				break;
			case 11:
				row_start[1] = -1;
				break;
			case 12:
				row_start[1] = batch->nrows + 1;
				break;
			case 13:
				batch->body_bytes = 262144 + 64;
				break;
			case 14:
				batch->ncolumns = 1;
				break;
			case 15:
				attr->len = 0;
				break;
			case 16:
				attr->align = 3;
				break;
			case 17:
				attr->missing = 3;
				break;
			case 18:			/* a missing value past the end */
				attr->missing = 1;
				attr->missing_off = program->bytes - 8;
				attr->missing_bytes = 9;
				break;
			case 19:
				attr->missing = 1;
				attr->missing_off = program->bytes + 8;
				attr->missing_bytes = 0;
				break;
			default:
				batch->in_bytes = batch->line_off;	/* lines are not input */
				break;
		}
		code = run(engine, body, 262144, &request);
		CHECK(code == ENGINE_BAD_INPUT, "case %d is not refused", i);
		*batch = saved;
		page[0] = page0;
		row_start[1] = start1;
		*attr = attr0;
	}
	CHECK(run(engine, body, 262144, &request) == ENGINE_OK, "%s", request.error.message);
	CHECK(gen_check(gen, body) == 0, "wrong after repair");
	CHECK(run(engine, body, sizeof(GpustrBatch) - 1, &request) == ENGINE_BAD_INPUT, "short body");
	gen_free(gen);
	test_done("bodies that must be refused");
}

/* What an output column has no room for is recheck. */
static void
test_small_output(Engine *engine, Rng *rng, void *body)
{
	GenOptions	options = {GPUSTR_BATCH_COLUMNS, 500, 0, NULL, 0, 0};
	int			tried = 0;

	while (tried < 20)
	{
		GenBatch   *gen = gen_batch(rng, &options, body, BODY_BYTES);
		EngineRequest request;

		if (gen->batch->nout > 0 &&
			run(engine, body, BODY_BYTES, &request) == ENGINE_OK)
		{
			int32_t		used = GPUSTR_BODY_PTR(body, gen->batch->out_column[0].offsets_off, int32_t)[gen->nrows];
			uint64_t	written = ((uint64_t) gen->nrows + 7) / 8 + 4 * ((uint64_t) gen->nrows + 1) +
			8 * (uint64_t) GPUSTR_BITMAP_WORDS(gen->nrows) + (uint64_t) used;
			uint64_t	rechecks;

			CHECK(request.bytes_out == written, "bytes_out is %llu, not %llu",
				  (unsigned long long) request.bytes_out, (unsigned long long) written);
			if (used > 0)
			{
				tried++;
				gen->batch->out_column[0].data_bytes = (uint32_t) used;
				CHECK(run(engine, body, BODY_BYTES, &request) == ENGINE_OK, "%s", request.error.message);
				rechecks = request.rechecks;
				gen->batch->out_column[0].data_bytes--;
				CHECK(run(engine, body, BODY_BYTES, &request) == ENGINE_OK, "%s", request.error.message);
				CHECK(GPUSTR_BODY_PTR(body, gen->batch->out_column[0].offsets_off, int32_t)[gen->nrows] == used - 1 &&
					  request.rechecks > rechecks && request.bytes_out == written - 1, "it fits");
			}
		}
		gen_free(gen);
	}
	test_done("output column too small");
}

/* Requests come back in the order of submission; info and open behave. */
static void
test_interface(Engine *engine, Rng *rng, void *body)
{
	GenOptions	options = {0, 100, 4, blocks, NBLOCKS, 1};
	GenBatch   *gen = gen_batch(rng, &options, body, BODY_BYTES);
	EngineRequest requests[5];
	EngineConfig config;
	EngineError error;
	EngineInfo	info;
	Engine	   *second;
	int			i;

	memset(requests, 0, sizeof(requests));
	for (i = 0; i < 5; i++)
	{
		requests[i].body = body;
		requests[i].body_bytes = BODY_BYTES;
		engine->methods->submit(engine, &requests[i]);
	}
	for (i = 0; i < 5; i++)
	{
		EngineRequest *request = engine->methods->poll(engine);

		CHECK(request == &requests[i], "request %d", i);
	}
	CHECK(engine->methods->poll(engine) == NULL, "one too many");
	CHECK(gen_check(gen, body) == 0, "wrong");
	gen_free(gen);

	CHECK(zero_copy_blocks == NBLOCKS, "%d blocks", zero_copy_blocks);
	engine->methods->info(engine, &info);
	CHECK(strcmp(info.name, "host") == 0 && info.memory_total == 0 && info.max_in_flight >= 1, "info");
	CHECK(engine->methods->abi == GPUSTR_ENGINE_ABI && strcmp(engine->methods->kind, "host") == 0, "kind");
	CHECK(engine->methods->device_count(&error) == 1, "device count");
	memset(&config, 0, sizeof(config));
	config.ordinal = 1;
	CHECK(gpustr_engine_host()->open(&config, &second, &error) == ENGINE_NO_DEVICE && second == NULL &&
		  error.message[0] != '\0', "device 1");
	config.ordinal = 0;
	CHECK(gpustr_engine_host()->open(&config, &second, &error) == ENGINE_OK, "without a pool");
	second->methods->close(second);
	test_done("interface");
}

int
main(void)
{
	Rng			rng = rng_make(test_seed());
	void	   *body = aligned_alloc(GPUSTR_BODY_ALIGN, BODY_BYTES);
	Engine	   *engine;

	memset(body, 0xA5, BODY_BYTES);
	blocks = aligned_alloc(GPUSTR_PAGE_BYTES, (size_t) NBLOCKS * GPUSTR_PAGE_BYTES);
	memset(blocks, 0, (size_t) NBLOCKS * GPUSTR_PAGE_BYTES);
	engine = open_engine();
	test_interface(engine, &rng, body);
	test_random(engine, &rng, body);
	test_memory_limit(engine, &rng, body);
	test_refused(engine, &rng, body);
	test_damage(engine, &rng, body);
	test_small_output(engine, &rng, body);
	engine->methods->close(engine);
	free(blocks);
	free(body);
	return test_exit();
}
