/*-------------------------------------------------------------------------
 *
 * kept_programs.cuh
 *	  Programs in device memory, and what requests have of them.
 *
 * engine/program_cache.h says which programs are kept.  Here is their copy in
 * device memory: it is made by the first request that has use for it, on that
 * request's stream, from the engine's copy in host memory, and others that come
 * before it is there wait for it in stream order.
 *
 * It is counted against the memory limit.  Copies that no request reads are given
 * back before a request is refused for want of memory, the one that has not been
 * used for longest first; when the engine is idle, all that are over the limit, and
 * those that have not been used for GPUSTR_KEPT_MS.
 *
 * A copy that requests read stays where it is until the last of them has left its
 * lane: so by then no kernel reads it, on whatever stream.
 *
 * Failure: where there is no memory for a copy, the program travels with its batch.
 *
 * IDENTIFICATION
 *	  cuda/kept_programs.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_KEPT_PROGRAMS_CUH
#define GPUSTR_KEPT_PROGRAMS_CUH

#include "engine/program_cache.h"
#include "memory_pool.cuh"

/* After a copy: the word of 16 bytes that a constant ends in is read whole. */
#define KEPT_TAIL_BYTES 64

struct KeptPrograms
{
	GpustrProgramCache cache;
	MemoryPool *pool;
	cudaStream_t stream; /* on which copies are freed */
	uint64_t hits;		 /* as in EngineInfo */
	uint64_t misses;
};

/* The pool must be open, and outlive it. */
EngineCode kept_open(KeptPrograms *programs, MemoryPool *pool, EngineError *error);

/* No request may be in flight. */
void kept_close(KeptPrograms *programs);

/*
 * Check a request's body, with the help of what is kept: sets request->engine_program,
 * to be given up by kept_leave().
 */
EngineCode kept_check(KeptPrograms *programs, EngineRequest *request);
void kept_leave(KeptPrograms *programs, EngineRequest *request);

/* As memory_pool_alloc() and memory_pool_take_fixed(), after giving back as many copies as it takes. */
EngineCode kept_alloc(KeptPrograms *programs, cudaStream_t stream, uint64_t bytes, void **memory,
					  EngineError *error);
EngineCode kept_take_fixed(KeptPrograms *programs, uint64_t bytes, EngineError *error);

/*
 * What a request that starts has of its program on the device: the copy, which
 * then is there until kept_finish(), or NULL.  *fill: the request is to make it,
 * and then to set 'filled'.
 */
GpustrKeptProgram *kept_start(KeptPrograms *programs, const EngineRequest *request,
							  cudaStream_t stream, bool *fill);

/* The request has left its lane.  fill: as above; failed: it may not have done so. */
void kept_finish(KeptPrograms *programs, GpustrKeptProgram *kept, bool fill, bool failed);

/* Count a request that has started. */
void kept_count(KeptPrograms *programs, const GpustrProgram *program, bool copied);

/* Nothing is in flight: give back what need not be kept. */
void kept_idle(KeptPrograms *programs);

#endif /* GPUSTR_KEPT_PROGRAMS_CUH */
