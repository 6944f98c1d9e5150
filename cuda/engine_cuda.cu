/*-------------------------------------------------------------------------
 *
 * engine_cuda.cu
 *	  The CUDA engine: requests in flight on several streams.
 *
 * lanes.cuh says how they go through.
 *
 * Failure: whatever CUDA reports while a request runs, other than a lack of
 * memory, loses the engine: all requests come back with ENGINE_LOST, those
 * submitted later too.
 *
 * IDENTIFICATION
 *	  cuda/engine_cuda.cu
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lanes.cuh"

#if !defined(GPUSTR_VERSION) || !defined(GPUSTR_ENGINE_ABI)
#error "GPUSTR_VERSION and GPUSTR_ENGINE_ABI must be defined: see the Makefile"
#endif

/* The entry point, found by name. */
extern "C" __attribute__((visibility("default"))) const EngineMethods *gpustr_engine_cuda(void);

/* The oldest architecture that there is code for: sm_80. */
#define OLDEST_MAJOR 8

static void no_error(EngineError *error)
{
	error->code = ENGINE_OK;
	error->message[0] = '\0';
}

/* A request without rows, which leaves nothing for the device to do. */
static void run_empty(CudaEngine *engine, EngineRequest *request)
{
	GpustrBatch *batch = (GpustrBatch *)request->body;
	RequestPlan plan;
	RequestJoin join;
	int32_t i;

	if (request_plan(&plan, batch, NULL, readable_blocks(engine), &request->error) != ENGINE_OK ||
		join_begin(&join, &engine->tables, batch, plan.program, &request->error) != ENGINE_OK)
		return;
	if (join.nprobes > 0)
	{
		join_no_results(&join, &plan);
		request->bytes_out = join.out_bytes;
	}

	/* an output column of no rows still has its first offset */
	for (i = 0; i < batch->nout; i++)
		GPUSTR_BODY_PTR(batch, batch->out_column[i].offsets_off, int32_t)[0] = 0;
	request->bytes_in = batch->in_bytes + (uint64_t)batch->npages * GPUSTR_PAGE_BYTES;
	request->bytes_out += sizeof(int32_t) * (uint64_t)batch->nout;
}

static int32_t cuda_device_count(EngineError *error)
{
	int count = 0;
	cudaError_t rc;

	no_error(error);
	rc = cudaGetDeviceCount(&count);
	if (rc != cudaSuccess)
	{
		(void)cuda_error(error, rc, "cudaGetDeviceCount");
		return -1;
	}
	return count;
}

static void cuda_close(Engine *base)
{
	CudaEngine *engine = (CudaEngine *)base;
	int i;

	CUDA_IGNORE(cudaSetDevice(engine->config.ordinal));
	for (i = 0; i < MAX_IN_FLIGHT; i++)
	{
		CudaLane *lane = &engine->lane[i];

		if (lane->stream != NULL)
		{
			CUDA_IGNORE(cudaStreamSynchronize(lane->stream));
			CUDA_IGNORE(cudaStreamDestroy(lane->stream));
		}
		if (lane->events.started != NULL)
			CUDA_IGNORE(cudaEventDestroy(lane->events.started));
		if (lane->events.copied_in != NULL)
			CUDA_IGNORE(cudaEventDestroy(lane->events.copied_in));
		if (lane->events.computed != NULL)
			CUDA_IGNORE(cudaEventDestroy(lane->events.computed));
		if (lane->events.finished != NULL)
			CUDA_IGNORE(cudaEventDestroy(lane->events.finished));
	}
	if (engine->counters != NULL)
		CUDA_IGNORE(cudaFreeHost(engine->counters));
	finish_close(&engine->finish);
	tables_close(&engine->tables);
	kept_close(&engine->programs);
	memory_pool_close(&engine->pool);
	registration_close(&engine->registration);
	free(engine);
}

/* Everything in open() that can fail. */
static EngineCode open_device(CudaEngine *engine, EngineError *error)
{
	int device = engine->config.ordinal;
	int i;

	CUDA_TRY(cudaSetDevice(device));
	CUDA_TRY(cudaGetDeviceProperties(&engine->props, device));
	if (engine->props.major < OLDEST_MAJOR)
		return gpustr_engine_error(
			error, ENGINE_NO_DEVICE, "device %d, %s, has compute capability %d.%d, %d.0 is needed",
			device, engine->props.name, engine->props.major, engine->props.minor, OLDEST_MAJOR);
	CUDA_TRY(prepare_redact(device, &engine->redact_blocks));
	CUDA_TRY(prepare_dfa(device, &engine->dfa_device));
	CUDA_TRY(prepare_contains_any(engine->dfa_device));
	if (engine->redact_blocks.small == 0)
		return gpustr_engine_error(error, ENGINE_NO_DEVICE,
								   "device %d, %s, has too little shared memory", device,
								   engine->props.name);
	if (memory_pool_open(&engine->pool, device, engine->config.memory_limit, error) != ENGINE_OK)
		return error->code;
	if (kept_open(&engine->programs, &engine->pool, error) != ENGINE_OK ||
		tables_open(&engine->tables, &engine->programs, error) != ENGINE_OK ||
		finish_open(&engine->finish, error) != ENGINE_OK)
		return error->code;
	CUDA_TRY(prepare_measures(engine->props, &engine->measure_bytes));
	CUDA_TRY(cudaHostAlloc((void **)&engine->counters, MAX_IN_FLIGHT * sizeof(RequestCounters),
						   cudaHostAllocPortable));
	for (i = 0; i < MAX_IN_FLIGHT; i++)
	{
		CudaLane *lane = &engine->lane[i];

		lane->counters = &engine->counters[i];
		CUDA_TRY(cudaStreamCreateWithFlags(&lane->stream, cudaStreamNonBlocking));
		CUDA_TRY(cudaEventCreate(&lane->events.started));
		CUDA_TRY(cudaEventCreate(&lane->events.copied_in));
		CUDA_TRY(cudaEventCreate(&lane->events.computed));
		CUDA_TRY(cudaEventCreate(&lane->events.finished));
	}
	registration_open(&engine->registration, device, &engine->config);
	return ENGINE_OK;
}

static EngineCode cuda_open(const EngineConfig *config, Engine **engine, EngineError *error)
{
	CudaEngine *cuda = (CudaEngine *)calloc(1, sizeof(CudaEngine));

	*engine = NULL;
	no_error(error);
	if (cuda == NULL)
		return gpustr_engine_error(error, ENGINE_OUT_OF_MEMORY, "could not allocate an engine");
	cuda->base.methods = gpustr_engine_cuda();
	cuda->config = *config;
	if (open_device(cuda, error) != ENGINE_OK)
	{
		cuda_close(&cuda->base);
		return error->code;
	}
	*engine = &cuda->base;
	return ENGINE_OK;
}

static void cuda_submit(Engine *base, EngineRequest *request)
{
	CudaEngine *engine = (CudaEngine *)base;
	cudaError_t rc;

	no_error(&request->error);
	request->kernel_ns = 0;
	request->transfer_ns = 0;
	request->bytes_in = 0;
	request->bytes_out = 0;
	request->rechecks = 0;
	request->engine_program = NULL;
	if (engine->lost)
		request->error = engine->why;
	else if (kept_check(&engine->programs, request) == ENGINE_OK)
	{
		if (((GpustrBatch *)request->body)->nrows > 0 ||
			request_build(body_program(request)) != NULL)
		{
			list_append(&engine->waiting, request);
			rc = cudaSetDevice(engine->config.ordinal);
			if (rc != cudaSuccess)
			{
				(void)cuda_error(&engine->why, rc, "cudaSetDevice");
				engine->why.code = ENGINE_LOST;
				engine->lost = true;
			}
			start_waiting(engine);
			return;
		}
		run_empty(engine, request);
	}
	kept_leave(&engine->programs, request);
	list_append(&engine->done, request);
}

static EngineRequest *cuda_poll(Engine *base)
{
	CudaEngine *engine = (CudaEngine *)base;
	EngineRequest *request = list_take(&engine->done);
	int i;

	if (request != NULL || (engine->busy == 0 && engine->waiting.head == NULL))
		return request;
	CUDA_IGNORE(cudaSetDevice(engine->config.ordinal));
	for (i = 0; i < MAX_IN_FLIGHT && request == NULL; i++)
		request = poll_lane(engine, &engine->lane[(engine->next + i) % MAX_IN_FLIGHT]);
	engine->next = (engine->next + i) % MAX_IN_FLIGHT;
	start_waiting(engine);
	return request != NULL ? request : list_take(&engine->done);
}

/* Lets go of cached memory, too, when nothing is in flight. */
static void cuda_info(Engine *base, EngineInfo *info)
{
	CudaEngine *engine = (CudaEngine *)base;

	if (engine->busy == 0 && !engine->lost && engine->waiting.head == NULL)
	{
		uint64_t used = engine->pool.used;

		kept_idle(&engine->programs);
		engine->trimmed = engine->trimmed && engine->pool.used == used;
	}

	/* what was freed in stream order is only there once its stream is through */
	if (engine->busy == 0 && !engine->lost && !engine->trimmed)
	{
		for (int i = 0; i < MAX_IN_FLIGHT; i++)
			CUDA_IGNORE(cudaStreamSynchronize(engine->lane[i].stream));
		CUDA_IGNORE(cudaStreamSynchronize(engine->programs.stream));
		CUDA_IGNORE(cudaStreamSynchronize(engine->tables.stream));
		memory_pool_trim(&engine->pool);
		engine->trimmed = true;
	}

	memset(info, 0, sizeof(*info));
	(void)snprintf(info->name, sizeof(info->name), "%.63s", engine->props.name);
	info->memory_total = engine->props.totalGlobalMem;
	info->memory_used = memory_pool_held(&engine->pool);
	info->max_in_flight = MAX_IN_FLIGHT;
	info->fixed_bytes = engine->pool.fixed;
	info->programs = gpustr_cache_on_device(&engine->programs.cache, &info->program_bytes);
	info->program_hits = engine->programs.hits;
	info->program_misses = engine->programs.misses;
	info->tables = engine->tables.count;
	info->table_bytes = engine->tables.bytes;
}

static int32_t cuda_tables(Engine *base, uint64_t *ids, int32_t room)
{
	return tables_ids(&((CudaEngine *)base)->tables, ids, room);
}

static void cuda_drop_table(Engine *base, uint64_t id)
{
	CudaEngine *engine = (CudaEngine *)base;

	if (engine->lost)
		return;
	CUDA_IGNORE(cudaSetDevice(engine->config.ordinal));
	engine_drop_table(engine, id);
}

static const EngineMethods cuda_methods = {
	GPUSTR_ENGINE_ABI, GPUSTR_VERSION, "cuda",	   cuda_device_count, cuda_open,	   cuda_submit,
	cuda_poll,		   cuda_info,	   cuda_close, cuda_tables,		  cuda_drop_table,
};

const EngineMethods *gpustr_engine_cuda(void)
{
	return &cuda_methods;
}
