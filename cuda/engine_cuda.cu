/*-------------------------------------------------------------------------
 *
 * engine_cuda.cu
 *	  The CUDA engine: requests in flight on several streams.
 *
 * A request waits in a queue until one of MAX_IN_FLIGHT lanes is free; a lane
 * is a stream, its events and a few bytes of pinned memory.  request.cu puts
 * the request's work on the stream; poll() asks the lanes' events, without
 * waiting, and takes a request that is through out of its lane.  A request
 * that makes columns goes through its lane twice: once their sizes are known,
 * they are copied.
 *
 * Requests are linked by engine_private while they wait or are through; the
 * engine allocates nothing for one but its device memory.
 *
 * Over the memory limit, a request waits for those in flight and fails with
 * ENGINE_OUT_OF_MEMORY only if it is alone, and no program is kept.
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

#include "kept_programs.cuh"
#include "memory_pool.cuh"
#include "registration.cuh"
#include "request.cuh"

#ifndef GPUSTR_VERSION
#error "GPUSTR_VERSION must be defined: see the Makefile"
#endif

/* The entry point, found by name. */
extern "C" __attribute__((visibility("default"))) const EngineMethods *gpustr_engine_cuda(void);

#define MAX_IN_FLIGHT 8

/* How often poll() asks the driver about a lane whose counters say that it is too early. */
#define POLLS_PER_QUERY 16

/* The oldest architecture that there is code for: sm_80. */
#define OLDEST_MAJOR 8

struct CudaLane
{
	EngineRequest *request; /* NULL: free */
	bool fetching;			/* the output columns are on their way */
	int polls;				/* since the driver was asked */
	cudaStream_t stream;
	RequestEvents events;
	RequestCounters *counters; /* pinned */
	RequestPlan plan;
	void *memory;
};

/* Requests, oldest first. */
struct RequestList
{
	EngineRequest *head;
	EngineRequest *tail;
};

struct CudaEngine
{
	Engine base; /* must be first */
	EngineConfig config;
	cudaDeviceProp props;
	MemoryPool pool;
	Registration registration;
	RedactBlocks redact_blocks;
	DfaDevice dfa_device;
	uint64_t measure_bytes; /* of device memory that kernels with much local memory take */
	KeptPrograms programs;
	bool trimmed;			   /* the pool holds no more than it has to */
	RequestCounters *counters; /* pinned, [MAX_IN_FLIGHT] */
	CudaLane lane[MAX_IN_FLIGHT];
	int busy;		 /* lanes that are not free */
	int next;		 /* the lane that poll() asks first */
	bool stalled;	 /* the first that waits needs memory that is in use */
	bool lost;		 /* the engine is unusable ... */
	EngineError why; /* ... since this happened */
	RequestList waiting;
	RequestList done;
};

static void list_append(RequestList *list, EngineRequest *request)
{
	request->engine_private = NULL;
	if (list->tail != NULL)
		list->tail->engine_private = request;
	else
		list->head = request;
	list->tail = request;
}

static EngineRequest *list_take(RequestList *list)
{
	EngineRequest *request = list->head;

	if (request == NULL)
		return NULL;
	list->head = (EngineRequest *)request->engine_private;
	if (list->head == NULL)
		list->tail = NULL;
	request->engine_private = NULL;
	return request;
}

static void no_error(EngineError *error)
{
	error->code = ENGINE_OK;
	error->message[0] = '\0';
}

/* A request has failed.  Unless it lacked memory or was bad, so has the engine. */
static void note_failure(CudaEngine *engine, EngineError *error)
{
	if (error->code == ENGINE_NO_DEVICE)
		error->code = ENGINE_LOST;
	if (error->code == ENGINE_LOST && !engine->lost)
	{
		engine->lost = true;
		engine->why = *error;
	}
}

/* Take the request out of its lane. */
static EngineRequest *lane_release(CudaEngine *engine, CudaLane *lane)
{
	EngineRequest *request = lane->request;

	kept_finish(&engine->programs, lane->plan.kept, lane->plan.fill,
				request->error.code != ENGINE_OK);
	kept_leave(&engine->programs, request);
	memory_pool_free(&engine->pool, lane->stream, lane->memory, lane->plan.bytes);
	lane->memory = NULL;
	lane->request = NULL;
	lane->fetching = false;
	engine->busy--;
	engine->stalled = false;
	return request;
}

/*
 * Give up a request of which some work may be on the stream: that must be over
 * before the body is anybody else's.
 */
static EngineRequest *lane_give_up(CudaEngine *engine, CudaLane *lane)
{
	cudaError_t rc = engine->lost ? cudaSuccess : cudaStreamSynchronize(lane->stream);

	if (rc != cudaSuccess)
	{
		(void)cuda_error(&lane->request->error, rc, "request");
		lane->request->error.code = ENGINE_LOST;
	}
	note_failure(engine, &lane->request->error);
	return lane_release(engine, lane);
}

/* Nanoseconds between two events that are over. */
static uint64_t elapsed_ns(cudaEvent_t from, cudaEvent_t to)
{
	float ms = 0;

	if (cudaEventElapsedTime(&ms, from, to) != cudaSuccess)
	{
		(void)cudaGetLastError();
		return 0;
	}
	return (uint64_t)((double)ms * 1e6);
}

/* What a request that went well has read and written, as the host engine counts it. */
static void count_bytes(EngineRequest *request, const RequestPlan *plan,
						const RequestCounters *counters)
{
	const GpustrBatch *batch = &plan->batch;
	uint64_t nrows = (uint64_t)batch->nrows;
	uint64_t bitmap_bytes = (uint64_t)plan->nwords * sizeof(uint32_t);
	int32_t i;

	request->bytes_in = batch->in_bytes + (uint64_t)batch->npages * GPUSTR_PAGE_BYTES;
	request->bytes_out = 0;
	if (batch->selected_off != 0)
		request->bytes_out += bitmap_bytes;
	if (batch->recheck_off != 0)
		request->bytes_out += bitmap_bytes;
	for (i = 0; i < batch->nout; i++)
		request->bytes_out += (nrows + 7) / 8 + 4 * (nrows + 1) + counters->out_bytes[i];
	request->rechecks = counters->rechecks;
}

/*
 * The work of a lane is over.  Returns the request if it is through, or NULL
 * if its output columns are now on their way.
 */
static EngineRequest *lane_finish(CudaEngine *engine, CudaLane *lane)
{
	EngineRequest *request = lane->request;
	EngineError *error = &request->error;

	if (lane->fetching)
		request->transfer_ns += elapsed_ns(lane->events.started, lane->events.finished);
	else
	{
		request->transfer_ns = elapsed_ns(lane->events.started, lane->events.copied_in) +
							   elapsed_ns(lane->events.computed, lane->events.finished);
		request->kernel_ns = elapsed_ns(lane->events.copied_in, lane->events.computed);
		if (lane->plan.batch.nout > 0)
		{
			if (request_fetch_output(&lane->plan, (char *)lane->memory, lane->counters,
									 lane->events, lane->stream, error) == ENGINE_OK)
			{
				lane->fetching = true;
				return NULL;
			}
			return lane_give_up(engine, lane);
		}
	}
	count_bytes(request, &lane->plan, lane->counters);
	return lane_release(engine, lane);
}

/* Blocks of the pool that kernels can read. */
static int32_t readable_blocks(const CudaEngine *engine)
{
	return __atomic_load_n(&engine->registration.registered_blocks, __ATOMIC_ACQUIRE);
}

/*
 * Start a request in a free lane.  Returns ENGINE_OK if it runs.
 * ENGINE_OUT_OF_MEMORY leaves the lane free, as does any other failure.
 */
static EngineCode lane_start(CudaEngine *engine, CudaLane *lane, EngineRequest *request)
{
	GpustrKeptProgram *kept = (GpustrKeptProgram *)request->engine_program;
	EngineError *error = &request->error;
	EngineCode code;

	code = request_plan(&lane->plan, request->body, kept != NULL ? kept->program : NULL,
						readable_blocks(engine), error);
	if (code != ENGINE_OK)
		return code;
	engine->trimmed = false;
	code = kept_alloc(&engine->programs, lane->stream, lane->plan.bytes, &lane->memory, error);
	if (code == ENGINE_OK && request_is_measured(&lane->plan))
	{
		code = kept_take_fixed(&engine->programs, engine->measure_bytes, error);
		if (code != ENGINE_OK)
		{
			memory_pool_free(&engine->pool, lane->stream, lane->memory, lane->plan.bytes);
			lane->memory = NULL;
		}
	}
	if (code != ENGINE_OK)
		return code;
	lane->request = request;
	engine->busy++;
	lane->plan.kept = kept_start(&engine->programs, request, lane->stream, &lane->plan.fill);
	kept_count(&engine->programs, lane->plan.program, lane->plan.kept == NULL || lane->plan.fill);
	code = request_start(&lane->plan, (char *)lane->memory, engine->config.blocks,
						 engine->redact_blocks, engine->dfa_device, lane->counters, lane->events,
						 lane->stream, error);
	if (code != ENGINE_OK)
		(void)lane_give_up(engine, lane);
	return error->code;
}

/* A request without rows, which leaves nothing for the device to do. */
static void run_empty(CudaEngine *engine, EngineRequest *request)
{
	GpustrBatch *batch = (GpustrBatch *)request->body;
	RequestPlan plan;
	int32_t i;

	if (request_plan(&plan, batch, NULL, readable_blocks(engine), &request->error) != ENGINE_OK)
		return;

	/* an output column of no rows still has its first offset */
	for (i = 0; i < batch->nout; i++)
		GPUSTR_BODY_PTR(batch, batch->out_column[i].offsets_off, int32_t)[0] = 0;
	request->bytes_in = batch->in_bytes + (uint64_t)batch->npages * GPUSTR_PAGE_BYTES;
	request->bytes_out = sizeof(int32_t) * (uint64_t)batch->nout;
}

/* Start what waits, as far as lanes and memory go. */
static void start_waiting(CudaEngine *engine)
{
	while (engine->waiting.head != NULL && !engine->stalled)
	{
		EngineRequest *request = engine->waiting.head;
		CudaLane *lane = NULL;
		EngineCode code = ENGINE_OK;
		int i;

		if (engine->lost)
			request->error = engine->why;
		else
		{
			for (i = 0; i < MAX_IN_FLIGHT && lane == NULL; i++)
				if (engine->lane[i].request == NULL)
					lane = &engine->lane[i];
			if (lane == NULL)
				return;
			code = lane_start(engine, lane, request);
			if (code == ENGINE_OUT_OF_MEMORY && engine->busy > 0)
			{
				/* wait for a lane to give memory back */
				no_error(&request->error);
				engine->stalled = true;
				return;
			}
			note_failure(engine, &request->error);
		}
		(void)list_take(&engine->waiting);
		if (request->error.code != ENGINE_OK)
		{
			kept_leave(&engine->programs, request);
			list_append(&engine->done, request);
		}
	}
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
	if (kept_open(&engine->programs, &engine->pool, error) != ENGINE_OK)
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
		if (((GpustrBatch *)request->body)->nrows > 0)
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

/*
 * Is there no need to ask the driver whether a lane is through?  A question costs
 * some microseconds, and there are many.  Before the copies at a request's end
 * the counters come, with a word that is not 0.  They do not come if the
 * device is lost, so the driver is asked now and then all the same.
 */
static bool too_early(CudaLane *lane)
{
	if (!lane->fetching && *(volatile const unsigned long long *)&lane->counters->computed == 0 &&
		++lane->polls < POLLS_PER_QUERY)
		return true;
	lane->polls = 0;
	return false;
}

/* Take a request out of a lane that is through, or lost. */
static EngineRequest *poll_lane(CudaEngine *engine, CudaLane *lane)
{
	cudaError_t rc = cudaSuccess;

	if (lane->request == NULL || (!engine->lost && too_early(lane)))
		return NULL;
	if (!engine->lost)
	{
		rc = cudaEventQuery(lane->events.finished);
		if (rc == cudaErrorNotReady)
			return NULL;
		if (rc == cudaSuccess)
			return lane_finish(engine, lane);
		(void)cuda_error(&lane->request->error, rc, "request");
		lane->request->error.code = ENGINE_LOST;
		note_failure(engine, &lane->request->error);
	}
	lane->request->error = engine->why;
	return lane_release(engine, lane);
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
}

static const EngineMethods cuda_methods = {
	GPUSTR_ENGINE_ABI, GPUSTR_VERSION, "cuda",	  cuda_device_count, cuda_open,
	cuda_submit,	   cuda_poll,	   cuda_info, cuda_close,
};

const EngineMethods *gpustr_engine_cuda(void)
{
	return &cuda_methods;
}
