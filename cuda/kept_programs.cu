/*-------------------------------------------------------------------------
 *
 * kept_programs.cu
 *	  Programs in device memory, and what requests have of them.
 *
 * See kept_programs.cuh.
 *
 * IDENTIFICATION
 *	  cuda/kept_programs.cu
 *
 *-------------------------------------------------------------------------
 */
#include "kept_programs.cuh"

#include <string.h>
#include <time.h>

static uint64_t now_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static uint64_t copy_bytes(const GpustrKeptProgram *kept)
{
	return (uint64_t)kept->bytes + KEPT_TAIL_BYTES;
}

/* Of the cache: give the copy on the device back. */
static void give_back(void *context, GpustrKeptProgram *kept)
{
	KeptPrograms *programs = (KeptPrograms *)context;

	memory_pool_free(programs->pool, programs->stream, kept->device, copy_bytes(kept));
	kept->device = NULL;
	kept->filled = NULL;
}

EngineCode kept_open(KeptPrograms *programs, MemoryPool *pool, EngineError *error)
{
	memset(programs, 0, sizeof(*programs));
	programs->pool = pool;
	gpustr_cache_init(&programs->cache, GPUSTR_KEPT_BYTES, give_back, programs);
	CUDA_TRY(cudaStreamCreateWithFlags(&programs->stream, cudaStreamNonBlocking));
	return ENGINE_OK;
}

void kept_close(KeptPrograms *programs)
{
	if (programs->stream == NULL)
		return;
	gpustr_cache_age(&programs->cache, 0, 1);
	CUDA_IGNORE(cudaStreamSynchronize(programs->stream));
	CUDA_IGNORE(cudaStreamDestroy(programs->stream));
	programs->stream = NULL;
}

EngineCode kept_check(KeptPrograms *programs, EngineRequest *request)
{
	GpustrKeptProgram *kept =
		gpustr_cache_use(&programs->cache, request->body, request->body_bytes, now_ms());

	request->engine_program = kept;
	if (kept == NULL)
		return gpustr_batch_check(request->body, request->body_bytes, &request->error);
	if (gpustr_batch_check_program(request->body, request->body_bytes, kept->program, kept->checked,
								   &request->error) == ENGINE_OK)
		gpustr_cache_accept(kept);
	return request->error.code;
}

void kept_leave(KeptPrograms *programs, EngineRequest *request)
{
	if (request->engine_program != NULL)
		gpustr_cache_leave(&programs->cache, (GpustrKeptProgram *)request->engine_program);
	request->engine_program = NULL;
}

EngineCode kept_alloc(KeptPrograms *programs, cudaStream_t stream, uint64_t bytes, void **memory,
					  EngineError *error)
{
	EngineCode code;

	do
		code = memory_pool_alloc(programs->pool, stream, bytes, memory, error);
	while (code == ENGINE_OUT_OF_MEMORY && gpustr_cache_shrink(&programs->cache));
	if (code == ENGINE_OK)
	{
		error->code = ENGINE_OK;
		error->message[0] = '\0';
	}
	return code;
}

EngineCode kept_take_fixed(KeptPrograms *programs, uint64_t bytes, EngineError *error)
{
	EngineCode code;

	do
		code = memory_pool_take_fixed(programs->pool, bytes, error);
	while (code == ENGINE_OUT_OF_MEMORY && gpustr_cache_shrink(&programs->cache));
	if (code == ENGINE_OK)
	{
		error->code = ENGINE_OK;
		error->message[0] = '\0';
	}
	return code;
}

GpustrKeptProgram *kept_start(KeptPrograms *programs, const EngineRequest *request,
							  cudaStream_t stream, bool *fill)
{
	GpustrKeptProgram *kept = (GpustrKeptProgram *)request->engine_program;

	*fill = false;
	if (kept == NULL || kept->nranges == 0)
		return NULL;
	if (kept->device == NULL)
	{
		EngineError ignored;

		if (kept_alloc(programs, stream, copy_bytes(kept), &kept->device, &ignored) != ENGINE_OK)
			return NULL;
		*fill = true;
	}
	kept->running++;
	return kept;
}

void kept_finish(KeptPrograms *programs, GpustrKeptProgram *kept, bool fill, bool failed)
{
	if (kept == NULL)
		return;
	kept->running--;
	if (fill)
		kept->filled = NULL;

	/* others read it only if it was put on the stream: then it is there, whatever failed since */
	if (fill && failed && kept->running == 0)
		give_back(programs, kept);
}

void kept_count(KeptPrograms *programs, const GpustrProgram *program, bool copied)
{
	if (program->key == 0)
		return;
	if (copied)
		programs->misses++;
	else
		programs->hits++;
}

void kept_idle(KeptPrograms *programs)
{
	gpustr_cache_age(&programs->cache, now_ms(), 0);
	while (!memory_pool_has_room(programs->pool, 0) && gpustr_cache_shrink(&programs->cache))
		;
}
