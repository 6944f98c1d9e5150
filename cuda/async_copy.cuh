/*-------------------------------------------------------------------------
 *
 * async_copy.cuh
 *	  Copies from device memory to shared memory that do not wait, and the
 *	  barriers in shared memory that say when they are through.
 *
 * A barrier ("mbarrier") has phases.  It is made with the number of arrivals
 * that end a phase; phase 0 is the first, and mbarrier_wait(b, p & 1) returns
 * once phase p has ended, provided that the waiter is at most one phase behind.
 *
 * Two kinds of copies, both of multiples of 16 bytes between addresses that
 * are multiples of 16:
 *	- the bulk copy engine of sm_90: one thread asks, the barrier is told the
 *	  bytes to expect and counts them off as they arrive;
 *	- cp.async of sm_80: each lane of a warp asks for 16 bytes at a time, and
 *	  its arrival at the barrier is put off until its copies are through.
 *
 * And an OR to shared memory that does not wait, either.
 *
 * IDENTIFICATION
 *	  cuda/async_copy.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ASYNC_COPY_CUH
#define GPUSTR_ASYNC_COPY_CUH

#include <stdint.h>

/* Is the bulk copy engine there in the code that is being compiled? */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define GPUSTR_BULK_COPY 1
#else
#define GPUSTR_BULK_COPY 0
#endif

/* Address of a variable in shared memory, as instructions for it want it. */
__device__ __forceinline__ uint32_t shared_address(const void *p)
{
	return (uint32_t)__cvta_generic_to_shared(p);
}

/* *word |= bits, atomic among the threads of a block. */
__device__ __forceinline__ void shared_or(uint32_t *word, uint32_t bits)
{
	asm volatile("red.shared.or.b32 [%0], %1;" ::"r"(shared_address(word)), "r"(bits) : "memory");
}

__device__ __forceinline__ void mbarrier_init(uint64_t *bar, uint32_t arrivals)
{
	asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(arrivals)
				 : "memory");
}

/* After all mbarrier_init(), before the block's barrier that publishes them. */
__device__ __forceinline__ void mbarrier_init_fence()
{
#if GPUSTR_BULK_COPY
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

__device__ __forceinline__ void mbarrier_arrive(uint64_t *bar)
{
	asm volatile("{\n\t"
				 ".reg .b64 state;\n\t"
				 "mbarrier.arrive.shared.b64 state, [%0];\n\t"
				 "}" ::"r"(shared_address(bar))
				 : "memory");
}

/* Wait until the phase of this parity has ended. */
__device__ __forceinline__ void mbarrier_wait(uint64_t *bar, uint32_t parity)
{
	uint32_t address = shared_address(bar);
	uint32_t ended;

	do
	{
#if GPUSTR_BULK_COPY
		asm volatile("{\n\t"
					 ".reg .pred p;\n\t"
					 "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
					 "selp.b32 %0, 1, 0, p;\n\t"
					 "}"
					 : "=r"(ended)
					 : "r"(address), "r"(parity)
					 : "memory");
#else
		asm volatile("{\n\t"
					 ".reg .pred p;\n\t"
					 "mbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n\t"
					 "selp.b32 %0, 1, 0, p;\n\t"
					 "}"
					 : "=r"(ended)
					 : "r"(address), "r"(parity)
					 : "memory");
#endif
	} while (!ended);
}

/* Arrive, and let the phase also wait for 'bytes' of bulk copies.  sm_90 */
__device__ __forceinline__ void mbarrier_arrive_expect(uint64_t *bar, uint32_t bytes)
{
#if GPUSTR_BULK_COPY
	asm volatile("{\n\t"
				 ".reg .b64 state;\n\t"
				 "mbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1;\n\t"
				 "}" ::"r"(shared_address(bar)),
				 "r"(bytes)
				 : "memory");
#else
	(void)bar;
	(void)bytes;
	__trap();
#endif
}

/* One thread: start a copy that 'bar' counts.  sm_90; bytes > 0 */
__device__ __forceinline__ void bulk_copy(void *to, const void *from, uint32_t bytes, uint64_t *bar)
{
#if GPUSTR_BULK_COPY
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
				 "[%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
				 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(bar))
				 : "memory");
#else
	(void)to;
	(void)from;
	(void)bytes;
	(void)bar;
	__trap();
#endif
}

/* One warp: start a copy. */
__device__ __forceinline__ void warp_copy(void *to, const void *from, uint32_t bytes, uint32_t lane)
{
	uint32_t address = shared_address(to);
	uint64_t source = __cvta_generic_to_global(from);
	uint32_t i;

	for (i = lane * 16; i < bytes; i += 32 * 16)
		asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address + i), "l"(source + i)
					 : "memory");
}

/*
 * Each lane: arrive at 'bar' once the copies that it has started are through.
 * One of the arrivals that the barrier was made for.
 */
__device__ __forceinline__ void warp_copy_arrive(uint64_t *bar)
{
	asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(bar))
				 : "memory");
}

/* Each lane: wait for the copies that it has started with warp_copy(). */
__device__ __forceinline__ void warp_copy_wait()
{
	asm volatile("cp.async.wait_all;" ::: "memory");
}

#endif /* GPUSTR_ASYNC_COPY_CUH */
