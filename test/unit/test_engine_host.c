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
#include <sys/mman.h>

#include "batch/batch_layout.h"
#include "batch_gen.h"
#include "engine/engine.h"
#include "program/program_builder.h"

#define BODY_BYTES (1 << 20)
#define NBLOCKS 64

static char *blocks;
static volatile int32_t zero_copy_blocks;
static volatile uint64_t memory_limit = UINT64_MAX;

/* How often stop() is still asked until it says so; negative: never. */
static int	asked_until_stop = -1;

static int
stop(void)
{
	return asked_until_stop >= 0 && asked_until_stop-- == 0;
}

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
	config.stop = stop;
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
	uint64_t	nrows = (uint64_t) batch->nrows;
	uint64_t	written = 8 * (uint64_t) GPUSTR_BITMAP_WORDS(batch->nrows);
	uint64_t	rechecks = 0;
	int32_t		row;
	int32_t		c;

	for (row = 0; row < batch->nrows; row++)
		rechecks += (recheck[row / 32] >> (row % 32)) & 1;
	CHECK(request->rechecks == rechecks, "%llu rechecks, not %llu",
		  (unsigned long long) request->rechecks, (unsigned long long) rechecks);
	CHECK(request->bytes_in == batch->in_bytes + (uint64_t) batch->npages * GPUSTR_PAGE_BYTES,
		  "bytes_in is %llu", (unsigned long long) request->bytes_in);
	for (c = 0; c < batch->nout; c++)
		written += (nrows + 7) / 8 + 4 * (nrows + 1) +
			(uint64_t) GPUSTR_BODY_PTR(batch, batch->out_column[c].offsets_off, const int32_t)[nrows];
	CHECK(request->bytes_out == written, "bytes_out is %llu, not %llu",
		  (unsigned long long) request->bytes_out, (unsigned long long) written);
}

/* How output columns end: empty, at the end of their room, or before. */
static void
count_ends(const GpustrBatch *batch, uint64_t *ends)
{
	int32_t		c;

	for (c = 0; c < batch->nout; c++)
	{
		int32_t		end = GPUSTR_BODY_PTR(batch, batch->out_column[c].offsets_off, const int32_t)[batch->nrows];

		ends[end == 0 ? 0 : (uint32_t) end == batch->out_column[c].data_bytes ? 1 : 2]++;
	}
}

static void
test_random(Engine *engine, Rng *rng, void *body)
{
	GenOptions	options = {0, 3000, 40, blocks, NBLOCKS, 1, 1};
	uint64_t	rows = 0;
	uint64_t	ends[3] = {0, 0, 0};
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
			count_ends((const GpustrBatch *) copy, ends);

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
	printf("# output columns: %llu empty, %llu full, %llu with room left\n", (unsigned long long) ends[0],
		   (unsigned long long) ends[1], (unsigned long long) ends[2]);
	CHECK(rows > (uint64_t) test_rounds(1500) * 50, "too few rows");
	for (i = 0; i < 3; i++)
		CHECK(ends[i] > (uint64_t) test_rounds(1500) / 30, "too few output columns");
	test_done("random batches");
}

/* A request that is stopped, wherever that is, and the same one once more. */
static void
test_stop(Engine *engine, Rng *rng, void *body)
{
	GenOptions	options = {0, 2000, 8, blocks, NBLOCKS, 1, 0};
	int			stopped = 0;
	int			i;

	for (i = 0; i < test_rounds(200); i++)
	{
		GenBatch   *gen = gen_batch(rng, &options, body, BODY_BYTES);
		EngineRequest request;
		EngineCode	code;

		gen_poison(gen->batch, 0xA5);
		asked_until_stop = rng_below(rng, 30);
		code = run(engine, body, BODY_BYTES, &request);
		CHECK(code == (asked_until_stop < 0 ? ENGINE_STOPPED : ENGINE_OK), "%d: %s", (int) code, request.error.message);
		stopped += code == ENGINE_STOPPED;
		asked_until_stop = -1;
		code = run(engine, body, BODY_BYTES, &request);
		CHECK(code == ENGINE_OK && gen_check(gen, body) == 0, "%s", request.error.message);
		gen_free(gen);
	}
	CHECK(stopped > test_rounds(200) / 10 && stopped < test_rounds(200), "%d were stopped", stopped);
	test_done("stopped requests");
}

static void
test_memory_limit(Engine *engine, Rng *rng, void *body)
{
	GenOptions	options = {0, 500, 8, blocks, NBLOCKS, 1, 0};
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
	GenOptions	options = {0, 60, 2, blocks, NBLOCKS, 1, 1};
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
	GenOptions	options = {GPUSTR_BATCH_PAGES, 0, 8, NULL, 0, 0, 0};
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

/*
 * What an output column has no room for is recheck, and nothing is written
 * past the room: gen_check() with as much room as is used, with a byte less,
 * and with any less.
 */
static void
test_small_output(Engine *engine, Rng *rng, void *body)
{
	GenOptions	options = {0, 500, 4, blocks, NBLOCKS, 1, 1};
	int			tried = 0;
	int			fewer = 0;

	while (tried < 100)
	{
		GenBatch   *gen = gen_batch(rng, &options, body, BODY_BYTES);
		GpustrBatch *batch = gen->batch;
		int32_t		c;

		for (c = 0; c < batch->nout; c++)
		{
			const int32_t *offsets = GPUSTR_BODY_PTR(body, batch->out_column[c].offsets_off, const int32_t);
			uint32_t	room = batch->out_column[c].data_bytes;
			EngineRequest request;
			uint64_t	rechecks;
			uint32_t	used;
			int			i;

			CHECK(run(engine, body, BODY_BYTES, &request) == ENGINE_OK, "%s", request.error.message);
			rechecks = request.rechecks;
			used = (uint32_t) offsets[gen->nrows];
			tried += used > 0;
			for (i = 0; i < 5 && used > 0; i++)
			{
				batch->out_column[c].data_bytes = i == 0 ? used : i == 1 ? used - 1 : (uint32_t) rng_below(rng, (int32_t) used);
				memset(GPUSTR_BODY_PTR(body, batch->out_column[c].data_off, char), 0x77, room);
				CHECK(run(engine, body, BODY_BYTES, &request) == ENGINE_OK, "%s", request.error.message);
				CHECK(gen_check(gen, body) == 0, "column %d, %u of %u bytes", c, batch->out_column[c].data_bytes, used);
				check_counts(batch, &request);
				CHECK(request.rechecks >= rechecks, "%llu rechecks", (unsigned long long) request.rechecks);
				fewer += request.rechecks > rechecks;
				for (; batch->out_column[c].data_bytes < room; batch->out_column[c].data_bytes++)
					CHECK(GPUSTR_BODY_PTR(body, batch->out_column[c].data_off, char)[batch->out_column[c].data_bytes] == 0x77,
						  "written at %u", batch->out_column[c].data_bytes);
			}
			batch->out_column[c].data_bytes = room;
		}
		gen_free(gen);
	}
	CHECK(fewer > 100, "rows without room in %d runs", fewer);
	test_done("output columns with too little room");
}

/*
 * A column batch of three rows whose first, masked, has chars * mask_bytes
 * bytes, and more room than int32 can count, which is never touched.
 */
static void
check_huge(Engine *engine, int32_t chars, int32_t mask_bytes, int32_t end)
{
	const uint64_t bytes = UINT64_C(3) << 30;
	static GpustrProgramBuilder builder;
	static uint64_t program[16384];
	uint64_t	data_bytes[1] = {100000};
	char	   *body = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char	   *mask = calloc(1, (size_t) mask_bytes);
	GpustrBatch *batch;
	EngineRequest request;
	int32_t    *offsets;
	int			i;

	if (body == MAP_FAILED || mask == NULL)
	{
		printf("# out of memory\n");
		exit(2);
	}
	gpustr_builder_init(&builder, GPUSTR_ENC_SINGLE_BYTE, program, sizeof(program));
	gpustr_builder_mask(&builder, 0, gpustr_builder_column(&builder, 0), 0, 0, mask, mask_bytes);
	CHECK(gpustr_builder_finish(&builder) > 0, "the program fits");
	batch = gpustr_layout_columns(body, (uint32_t) bytes, (const GpustrProgram *) program, 3, 1, data_bytes,
								  bytes - (1 << 20));
	offsets = GPUSTR_BODY_PTR(body, batch->column[0].offsets_off, int32_t);
	for (i = 1; i <= 3; i++)
		offsets[i] = chars;		/* the last two are empty, not NULL */
	GPUSTR_BODY_PTR(body, batch->column[0].validity_off, char)[0] = 7;
	CHECK(run(engine, body, (uint32_t) bytes, &request) == ENGINE_OK, "%s", request.error.message);
	CHECK(*GPUSTR_BODY_PTR(body, batch->recheck_off, uint32_t) == 7 &&
		  *GPUSTR_BODY_PTR(body, batch->out_column[0].validity_off, char) == 0, "the rows do not fit");
	offsets = GPUSTR_BODY_PTR(body, batch->out_column[0].offsets_off, int32_t);
	CHECK(offsets[0] == 0 && offsets[1] == end && offsets[2] == end && offsets[3] == end, "ends at %d", offsets[1]);
	check_counts(batch, &request);
	free(mask);
	(void) munmap(body, bytes);
}

static void
test_huge_values(Engine *engine)
{
	/* 2 GB and a bit, 4 GB exactly, and more */
	check_huge(engine, 65537, 32768, INT32_MAX);
	check_huge(engine, 65536, 65536, INT32_MAX);
	check_huge(engine, 100000, 100000, INT32_MAX);
	test_done("values of gigabytes");
}

/* Requests come back in the order of submission; info and open behave. */
static void
test_interface(Engine *engine, Rng *rng, void *body)
{
	GenOptions	options = {0, 100, 4, blocks, NBLOCKS, 1, 1};
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
	test_stop(engine, &rng, body);
	test_memory_limit(engine, &rng, body);
	test_refused(engine, &rng, body);
	test_damage(engine, &rng, body);
	test_small_output(engine, &rng, body);
	test_huge_values(engine);
	engine->methods->close(engine);
	free(blocks);
	free(body);
	return test_exit();
}
