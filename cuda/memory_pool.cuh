/*-------------------------------------------------------------------------
 *
 * memory_pool.cuh
 *	  A stream-ordered pool of device memory with a limit.
 *
 * cudaMallocFromPoolAsync() takes allocation out of the request path: memory
 * that one request frees is handed to the next without a call of the driver,
 * in stream order.  The pool keeps what it has, up to the limit, until it is
 * closed.
 *
 * Beside it there may be memory that the driver takes for itself once certain
 * kernels run, and does not give back: it counts from then on ("fixed").  It may be
 * half of the limit at most, so that enough is left for others; if the limit is
 * lowered later, and it is more, which cannot be helped, it does not count.
 *
 * Invariant: used == sum of the allocations that are not freed, <= the limit
 * at the time each of them was made.
 *
 * Failure: ENGINE_OUT_OF_MEMORY, from the limit or from the device; nothing is
 * then allocated, and the pool stays usable.
 *
 * One thread uses a pool.
 *
 * IDENTIFICATION
 *	  cuda/memory_pool.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_MEMORY_POOL_CUH
#define GPUSTR_MEMORY_POOL_CUH

#include "cuda_check.cuh"

struct MemoryPool
{
	cudaMemPool_t pool;
	const volatile uint64_t *limit; /* bytes; may change at any time; NULL: none */
	uint64_t used;					/* bytes allocated and not freed */
	uint64_t fixed;					/* bytes beside the pool */
};

EngineCode memory_pool_open(MemoryPool *pool, int device, const volatile uint64_t *limit,
							EngineError *error);

/* Would this many bytes more be within the limit? */
bool memory_pool_has_room(const MemoryPool *pool, uint64_t bytes);

/*
 * Take so many bytes beside the pool into account, unless they are already.  On
 * failure, ENGINE_OUT_OF_MEMORY, they are not.
 */
EngineCode memory_pool_take_fixed(MemoryPool *pool, uint64_t bytes, EngineError *error);

/* *memory is aligned to 256 bytes. */
EngineCode memory_pool_alloc(MemoryPool *pool, cudaStream_t stream, uint64_t bytes, void **memory,
							 EngineError *error);

/* Free in stream order.  'bytes' as allocated; memory may be NULL. */
void memory_pool_free(MemoryPool *pool, cudaStream_t stream, void *memory, uint64_t bytes);

/* Bytes of the device that the pool holds, cached ones included. */
uint64_t memory_pool_held(const MemoryPool *pool);

/* Give what is cached back to the device: what has been freed and is through. */
void memory_pool_trim(MemoryPool *pool);

void memory_pool_close(MemoryPool *pool);

#endif /* GPUSTR_MEMORY_POOL_CUH */
