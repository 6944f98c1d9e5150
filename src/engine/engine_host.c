/*-------------------------------------------------------------------------
 *
 * engine_host.c
 *	  The host engine: runs a program over a batch on the CPU.
 *
 * It uses the same row functions as the CUDA engine and gives the same
 * answers.  submit() does all the work; poll() hands the request back.
 *
 * Rows are taken in chunks, small enough that what a step makes is still in
 * cache when the next one reads it; all steps (host_steps.c) run over one
 * chunk before the next.  Of the body nothing but result regions is written.
 *
 * Scratch memory is one block, sized by the program's registers, kept between
 * requests and bounded by the engine's memory limit: over it, or if malloc()
 * fails, the request fails with ENGINE_OUT_OF_MEMORY before any work.  Texts that
 * steps make lie in an arena (host_text.c), of what the limit leaves for it.  The
 * tables of joins (host_table.h) are within the limit, too.
 *
 * IDENTIFICATION
 *	  src/engine/engine_host.c
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/engine.h"
#include "engine/host_join.h"
#include "engine/host_steps.h"
#include "engine/host_table.h"
#include "program/text_function.h"

#if !defined(GPUSTR_VERSION) || !defined(GPUSTR_ENGINE_ABI)
#error "GPUSTR_VERSION and GPUSTR_ENGINE_ABI must be defined: see the Makefile"
#endif

/*
 * The most bytes for texts that the steps of a chunk make.  Without a limit a
 * program could take all memory of the machine, for 256 rows of up to 1 GB each.
 */
#define HOST_ARENA_BYTES ((size_t) 256 << 20)

typedef struct HostEngine
{
	Engine		base;			/* must be first */
	EngineConfig config;
	char	   *scratch;
	size_t		scratch_bytes;
	HostArena	arena;
	HostTables	tables;
	EngineRequest *done_head;	/* through, oldest first; linked by
								 * engine_private */
	EngineRequest *done_tail;
} HostEngine;

static uint64_t
host_now_ns(void)
{
	struct timespec now;

	(void) clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
}

/*
 * Run all steps over the chunk.  The result bitmaps start from 0, as SELECT,
 * REDACT and MASK add their recheck bits one after the other.  Returns 0 if it is
 * to stop.
 */
static int
run_chunk(HostRun *run)
{
	const GpustrBatch *batch = run->batch;
	const GpustrStep *steps = GPUSTR_PROGRAM_STEPS(run->program);
	uint32_t   *selected = NULL;
	uint32_t   *recheck = NULL;
	int32_t		i;

	if (batch->selected_off != 0)
	{
		selected = GPUSTR_BODY_PTR(run->body, batch->selected_off, uint32_t) + run->row / 32;
		memset(selected, 0, 4 * (size_t) host_chunk_words(run));
	}
	if (batch->recheck_off != 0)
	{
		recheck = GPUSTR_BODY_PTR(run->body, batch->recheck_off, uint32_t) + run->row / 32;
		memset(recheck, 0, 4 * (size_t) host_chunk_words(run));
	}
	gpustr_host_arena_reset(run->arena);
	if (batch->kind == GPUSTR_BATCH_PAGES)
		gpustr_host_find_pages(run);
	if (run->join != NULL)
		gpustr_host_join_chunk(run);
	else
		for (i = 0; i < run->program->nsteps; i++)
		{
			if (host_stops(run))
				return 0;
			gpustr_host_step(run, &steps[i]);
		}
	if (run->stopped)
		return 0;
	if (selected != NULL && recheck != NULL)
		for (i = 0; i < host_chunk_words(run); i++)
			selected[i] &= ~recheck[i];
	return 1;
}

/* Steps that may take memory of the arena; at least 1. */
static int32_t
run_count_makes(const HostRun *run)
{
	const GpustrStep *steps = GPUSTR_PROGRAM_STEPS(run->program);
	int32_t		n = 0;
	int32_t		i;

	for (i = 0; i < run->program->nsteps; i++)
		n += steps[i].op == GPUSTR_OP_TEXT_MAKE && steps[i].aux > GPUSTR_TEXT_SLICE_LAST;
	return n > 0 ? n : 1;
}

/* The memory that the engine may use. */
static uint64_t
memory_limit(const HostEngine *engine)
{
	return engine->config.memory_limit != NULL ? *engine->config.memory_limit : UINT64_MAX;
}

/* Let go of what is kept for the next request. */
static void
free_scratch(HostEngine *engine)
{
	free(engine->scratch);
	engine->scratch = NULL;
	engine->scratch_bytes = 0;
	gpustr_host_arena_free(&engine->arena);
}

/*
 * Get the scratch memory of the run, within what the limit leaves beside tables;
 * with join_bytes at the end, from *join on.
 */
static EngineCode
run_get_scratch(HostEngine *engine, HostRun *run, size_t join_bytes, void **join)
{
	uint64_t	limit = memory_limit(engine);
	size_t		bytes;

	limit -= engine->tables.bytes < limit ? engine->tables.bytes : limit;
	bytes = join_bytes + HOST_CHUNK_ROWS * sizeof(const char *) +
		(size_t) run->program->ntext * sizeof(HostText) +
		(size_t) run->program->nvalue * sizeof(HostValue) +
		(size_t) run->program->nbool * sizeof(HostBool);
	if (engine->scratch_bytes < bytes || engine->scratch_bytes > limit)
	{
		free(engine->scratch);
		engine->scratch = NULL;
		engine->scratch_bytes = 0;
		if (bytes > limit)
			return gpustr_engine_error(run->error, ENGINE_OUT_OF_MEMORY,
									   "%zu bytes of scratch memory are needed, the limit is %llu",
									   bytes, (unsigned long long) limit);
		engine->scratch = (char *) malloc(bytes);
		if (engine->scratch == NULL)
			return gpustr_engine_error(run->error, ENGINE_OUT_OF_MEMORY,
									   "could not allocate %zu bytes", bytes);
		engine->scratch_bytes = bytes;
	}
	run->page = (const char **) engine->scratch;
	run->text = (HostText *) (engine->scratch + HOST_CHUNK_ROWS * sizeof(const char *));
	run->value = (HostValue *) (run->text + run->program->ntext);
	run->boolean = (HostBool *) (run->value + run->program->nvalue);
	*join = run->boolean + run->program->nbool;
	engine->arena.limit = limit - bytes < HOST_ARENA_BYTES ? (size_t) (limit - bytes) : HOST_ARENA_BYTES;
	engine->arena.share = engine->arena.limit / (size_t) run_count_makes(run);
	if (engine->arena.bytes > engine->arena.limit)
		gpustr_host_arena_free(&engine->arena);
	run->arena = &engine->arena;
	return ENGINE_OK;
}

/* Are all blocks of the buffer pool that the batch names there? */
static EngineCode
run_check_blocks(const HostRun *run)
{
	const int32_t *page = GPUSTR_BODY_PTR(run->body, run->batch->page_off, const int32_t);
	int32_t		nblocks = run->config->blocks != NULL ? run->config->nblocks : 0;
	int32_t		p;

	if (run->batch->kind == GPUSTR_BATCH_PAGES)
		for (p = 0; p < run->batch->npages; p++)
			if (page[p] >= nblocks)
				return gpustr_engine_error(run->error, ENGINE_BAD_INPUT,
										   "block %d of a pool of %d blocks", page[p], nblocks);
	return ENGINE_OK;
}

/* Count what a request that went well has read and written. */
static void
run_count(const HostRun *run, EngineRequest *request)
{
	const GpustrBatch *batch = run->batch;
	uint64_t	nrows = (uint64_t) batch->nrows;
	uint64_t	bitmap_bytes = 4 * (uint64_t) GPUSTR_BITMAP_WORDS(batch->nrows);
	uint32_t	w;
	int32_t		i;

	request->bytes_in = batch->in_bytes + (uint64_t) batch->npages * GPUSTR_PAGE_BYTES;
	if (batch->selected_off != 0)
		request->bytes_out += bitmap_bytes;
	if (batch->recheck_off != 0)
	{
		const uint32_t *recheck = GPUSTR_BODY_PTR(run->body, batch->recheck_off, const uint32_t);

		request->bytes_out += bitmap_bytes;
		for (w = 0; w < GPUSTR_BITMAP_WORDS(batch->nrows); w++)
			request->rechecks += (uint64_t) __builtin_popcount(recheck[w]);
	}
	for (i = 0; i < batch->nout; i++)
	{
		int64_t		room = host_column_room(&batch->out_column[i]);
		int64_t		used = run->out_total[i] < room ? run->out_total[i] : room;

		request->bytes_out += (nrows + 7) / 8 + 4 * (nrows + 1) + (uint64_t) used;
	}
	if (run->join != NULL)
		request->bytes_out += gpustr_host_join_end(run);
}

/* The BUILD step of a program, NULL if there is none. */
static const GpustrTableBuild *
build_of(const GpustrProgram *program)
{
	const GpustrStep *steps = GPUSTR_PROGRAM_STEPS(program);
	int32_t		i;

	for (i = 0; i < program->nsteps; i++)
		if (steps[i].op == GPUSTR_OP_BUILD)
			return (const GpustrTableBuild *) GPUSTR_PROGRAM_CONST(program, &steps[i]);
	return NULL;
}

/*
 * Get ready what the program needs besides its batch: the table that it builds, or
 * those that it probes, and scratch memory.
 */
static EngineCode
run_begin(HostEngine *engine, HostRun *run, const GpustrTableBuild *build)
{
	size_t		join_bytes = gpustr_host_join_bytes(run->program);
	EngineCode	code = run_check_blocks(run);
	void	   *join = NULL;

	engine->tables.limit = memory_limit(engine);
	if (code == ENGINE_OK && build != NULL)
	{
		if (build->finish || gpustr_host_table_find(&engine->tables, build->table) == NULL)
			free_scratch(engine);
		code = gpustr_host_table_begin(&engine->tables, build, &run->table, run->error);
	}
	if (code == ENGINE_OK)
		code = run_get_scratch(engine, run, join_bytes, &join);
	if (code == ENGINE_OK && join_bytes > 0)
		code = gpustr_host_join_begin(run, &engine->tables, join);
	return code;
}

/* The rows are through: count those of a table, or make its hash table and say what it is. */
static EngineCode
run_end_build(HostEngine *engine, HostRun *run, const GpustrTableBuild *build, EngineRequest *request)
{
	EngineCode	code;

	if (!build->finish)
	{
		run->table->rows_in += run->batch->nrows;
		return ENGINE_OK;
	}
	code = gpustr_host_table_finish(&engine->tables, run->table, engine->config.stop, run->error);
	if (code != ENGINE_OK)
		return code;
	gpustr_host_table_describe(run->table, GPUSTR_BODY_PTR(run->body, run->batch->table_off, GpustrTableResult));
	request->bytes_out += sizeof(GpustrTableResult);
	return ENGINE_OK;
}

/* Run a program of which all is in order. */
static EngineCode
run_rows(HostEngine *engine, HostRun *run, EngineRequest *request)
{
	const GpustrTableBuild *build = build_of(run->program);
	EngineCode	code = run_begin(engine, run, build);
	int32_t		i;

	if (code != ENGINE_OK)
		return code;

	/* an output column of no rows still has its first offset */
	for (i = 0; i < run->batch->nout; i++)
		GPUSTR_BODY_PTR(run->body, run->batch->out_column[i].offsets_off, int32_t)[0] = 0;
	while (run->row < run->batch->nrows)
	{
		run->nrows = run->batch->nrows - run->row;
		if (run->nrows > HOST_CHUNK_ROWS)
			run->nrows = HOST_CHUNK_ROWS;
		if (!run_chunk(run))
			return gpustr_engine_error(run->error, ENGINE_STOPPED, "stopped at row %d", run->row);
		if (run->error->code != ENGINE_OK)
			return run->error->code;
		run->row += run->nrows;
	}
	run_count(run, request);
	return build != NULL ? run_end_build(engine, run, build, request) : ENGINE_OK;
}

/*
 * Run a request.  request->error is OK on entry.  A table for which there is no memory,
 * or which does not have the rows that it should, is no more.
 */
static EngineCode
host_run(HostEngine *engine, EngineRequest *request)
{
	HostRun		run;
	EngineCode	code;
	const GpustrTableBuild *build;

	code = gpustr_batch_check_program(request->body, request->body_bytes, NULL,
									  request->program_known, &request->error);
	if (code != ENGINE_OK)
		return code;
	memset(&run, 0, sizeof(run));
	run.config = &engine->config;
	run.body = (char *) request->body;
	run.batch = (const GpustrBatch *) request->body;
	run.program = GPUSTR_BODY_PTR(run.body, run.batch->program_off, const GpustrProgram);
	run.error = &request->error;
	code = run_rows(engine, &run, request);
	build = build_of(run.program);
	if (build != NULL && (code == ENGINE_OUT_OF_MEMORY || code == ENGINE_NO_TABLE))
		gpustr_host_table_drop(&engine->tables, build->table);
	return code;
}

static int32_t
host_device_count(EngineError *error)
{
	error->code = ENGINE_OK;
	error->message[0] = '\0';
	return 1;
}

static EngineCode
host_open(const EngineConfig *config, Engine **engine, EngineError *error)
{
	HostEngine *host;

	*engine = NULL;
	error->code = ENGINE_OK;
	error->message[0] = '\0';
	if (config->ordinal != 0)
		return gpustr_engine_error(error, ENGINE_NO_DEVICE, "there is no host device %d",
								   config->ordinal);
	host = (HostEngine *) calloc(1, sizeof(HostEngine));
	if (host == NULL)
		return gpustr_engine_error(error, ENGINE_OUT_OF_MEMORY, "could not allocate an engine");
	host->base.methods = gpustr_engine_host();
	host->config = *config;
	if (config->zero_copy_blocks != NULL)
		*config->zero_copy_blocks = config->blocks != NULL ? config->nblocks : 0;
	*engine = &host->base;
	return ENGINE_OK;
}

static void
host_submit(Engine *engine, EngineRequest *request)
{
	HostEngine *host = (HostEngine *) engine;
	uint64_t	start = host_now_ns();

	request->error.code = ENGINE_OK;
	request->error.message[0] = '\0';
	request->transfer_ns = 0;
	request->bytes_in = 0;
	request->bytes_out = 0;
	request->rechecks = 0;
	request->engine_private = NULL;
	(void) host_run(host, request);
	request->kernel_ns = host_now_ns() - start;

	if (host->done_tail != NULL)
		host->done_tail->engine_private = request;
	else
		host->done_head = request;
	host->done_tail = request;
}

static EngineRequest *
host_poll(Engine *engine)
{
	HostEngine *host = (HostEngine *) engine;
	EngineRequest *request = host->done_head;

	if (request == NULL)
		return NULL;
	host->done_head = (EngineRequest *) request->engine_private;
	if (host->done_head == NULL)
		host->done_tail = NULL;
	request->engine_private = NULL;
	return request;
}

static void
host_info(Engine *engine, EngineInfo *info)
{
	HostEngine *host = (HostEngine *) engine;

	free_scratch(host);			/* nothing runs now */
	memset(info, 0, sizeof(*info));
	strcpy(info->name, "host");
	info->memory_used = host->tables.bytes;
	info->max_in_flight = 1;
	info->programs = -1;
	info->tables = host->tables.n;
	info->table_bytes = host->tables.bytes;
}

static void
host_close(Engine *engine)
{
	HostEngine *host = (HostEngine *) engine;

	free_scratch(host);
	gpustr_host_tables_free(&host->tables);
	free(host);
}

static int32_t
host_tables(Engine *engine, uint64_t *ids, int32_t room)
{
	HostEngine *host = (HostEngine *) engine;
	const HostTable *table;
	int32_t		n = 0;

	for (table = host->tables.first; table != NULL; table = table->next, n++)
		if (n < room)
			ids[n] = table->build.table;
	return n;
}

static void
host_drop_table(Engine *engine, uint64_t id)
{
	gpustr_host_table_drop(&((HostEngine *) engine)->tables, id);
}

static const EngineMethods host_methods = {
	.abi = GPUSTR_ENGINE_ABI,
	.version = GPUSTR_VERSION,
	.kind = "host",
	.device_count = host_device_count,
	.open = host_open,
	.submit = host_submit,
	.poll = host_poll,
	.info = host_info,
	.close = host_close,
	.tables = host_tables,
	.drop_table = host_drop_table,
};

const EngineMethods *
gpustr_engine_host(void)
{
	return &host_methods;
}
