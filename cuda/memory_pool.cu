/*-------------------------------------------------------------------------
 *
 * memory_pool.cu
 *	  A stream-ordered pool of device memory with a limit.
 *
 * See memory_pool.cuh.
 *
 * IDENTIFICATION
 *	  cuda/memory_pool.cu
 *
 *-------------------------------------------------------------------------
 */
#include "memory_pool.cuh"

EngineCode memory_pool_open(MemoryPool *pool, int device, const volatile uint64_t *limit,
							EngineError *error)
{
	cudaMemPoolProps props = {};
	uint64_t keep = UINT64_MAX; /* bytes the pool may hold while idle */

	pool->pool = NULL;
	pool->limit = limit;
	pool->used = 0;
	pool->fixed = 0;
	props.allocType = cudaMemAllocationTypePinned;
	props.location.type = cudaMemLocationTypeDevice;
	props.location.id = device;
	CUDA_TRY(cudaMemPoolCreate(&pool->pool, &props));
	CUDA_TRY(cudaMemPoolSetAttribute(pool->pool, cudaMemPoolAttrReleaseThreshold, &keep));
	return ENGINE_OK;
}

/* Bytes that the pool may hold. */
static uint64_t memory_limit(const MemoryPool *pool)
{
	uint64_t limit = pool->limit != NULL ? *pool->limit : UINT64_MAX;

	return pool->fixed <= limit / 2 ? limit - pool->fixed : limit;
}

bool memory_pool_has_room(const MemoryPool *pool, uint64_t bytes)
{
	uint64_t limit = memory_limit(pool);

	return pool->used <= limit && bytes <= limit - pool->used;
}

EngineCode memory_pool_take_fixed(MemoryPool *pool, uint64_t bytes, EngineError *error)
{
	uint64_t limit = pool->limit != NULL ? *pool->limit : UINT64_MAX;

	if (bytes <= pool->fixed)
		return ENGINE_OK;
	if (bytes > limit / 2 || !memory_pool_has_room(pool, bytes - pool->fixed))
		return gpustr_engine_error(
			error, ENGINE_OUT_OF_MEMORY,
			"%llu bytes of local memory of kernels are too many with a limit of %llu bytes of "
			"device memory, of which %llu are in use",
			(unsigned long long)bytes, (unsigned long long)limit, (unsigned long long)pool->used);
	pool->fixed = bytes;
	return ENGINE_OK;
}

EngineCode memory_pool_alloc(MemoryPool *pool, cudaStream_t stream, uint64_t bytes, void **memory,
							 EngineError *error)
{
	uint64_t limit = memory_limit(pool);
	uint64_t reserved = 0; /* bytes of the device that the pool holds */
	cudaError_t rc;

	*memory = NULL;
	if (!memory_pool_has_room(pool, bytes))
		return gpustr_engine_error(error, ENGINE_OUT_OF_MEMORY,
								   "%llu bytes of device memory are over the limit of %llu, of "
								   "which %llu are in use",
								   (unsigned long long)bytes, (unsigned long long)limit,
								   (unsigned long long)pool->used);

	/* a pool in pieces, or a lowered limit: give back what is idle */
	CUDA_TRY(cudaMemPoolGetAttribute(pool->pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
	if (reserved > limit)
		CUDA_TRY(cudaMemPoolTrimTo(pool->pool, (size_t)limit));

	rc = cudaMallocFromPoolAsync(memory, (size_t)bytes, pool->pool, stream);
	if (rc == cudaErrorMemoryAllocation)
	{
		(void)cudaGetLastError();
		CUDA_TRY(cudaMemPoolTrimTo(pool->pool, 0));
		rc = cudaMallocFromPoolAsync(memory, (size_t)bytes, pool->pool, stream);
	}
	if (rc != cudaSuccess)
	{
		*memory = NULL;
		return cuda_error(error, rc, "cudaMallocFromPoolAsync");
	}
	pool->used += bytes;
	return ENGINE_OK;
}

void memory_pool_free(MemoryPool *pool, cudaStream_t stream, void *memory, uint64_t bytes)
{
	if (memory == NULL)
		return;
	CUDA_IGNORE(cudaFreeAsync(memory, stream));
	pool->used -= bytes;
}

uint64_t memory_pool_held(const MemoryPool *pool)
{
	uint64_t held = 0;

	if (cudaMemPoolGetAttribute(pool->pool, cudaMemPoolAttrReservedMemCurrent, &held) !=
		cudaSuccess)
		return pool->used;
	return held > pool->used ? held : pool->used;
}

void memory_pool_trim(MemoryPool *pool)
{
	CUDA_IGNORE(cudaMemPoolTrimTo(pool->pool, 0));
}

void memory_pool_close(MemoryPool *pool)
{
	if (pool->pool != NULL)
		CUDA_IGNORE(cudaMemPoolDestroy(pool->pool));
	pool->pool = NULL;
	pool->used = 0;
}
