/*-------------------------------------------------------------------------
 *
 * wave_asm.cuh
 *	  Instructions that the wave kernel wants by name.
 *
 * Addresses are those of shared memory (async_copy.cuh).
 *
 * IDENTIFICATION
 *	  test/bench/redact/wave_asm.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_BENCH_WAVE_ASM_CUH
#define GPUSTR_BENCH_WAVE_ASM_CUH

#include "async_copy.cuh"

/* The word at an address.  Volatile: it stays behind the wait for its barrier. */
__device__ __forceinline__ uint32_t shared_load(uint32_t address)
{
	uint32_t word;

	asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address));
	return word;
}

/* 4 words.  address: a multiple of 16 */
__device__ __forceinline__ uint4 shared_load16(uint32_t address)
{
	uint4 words;

	asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
				 : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
				 : "r"(address));
	return words;
}

/* 8 bytes.  address: a multiple of 8 */
__device__ __forceinline__ uint64_t shared_load_u64(uint32_t address)
{
	uint64_t value;

	asm volatile("ld.shared.u64 %0, [%1];" : "=l"(value) : "r"(address));
	return value;
}

/*
 * shared_address() that stays in a register: by itself it is worked out anew at
 * every use, from a special register, which takes 30 cycles.
 */
__device__ __forceinline__ uint32_t shared_fixed(const void *p)
{
	uint32_t address;

	asm volatile("mov.u32 %0, %1;" : "=r"(address) : "r"(shared_address(p)));
	return address;
}

/* mbarrier_wait() and mbarrier_arrive(), by address. */
__device__ __forceinline__ void mbarrier_wait_at(uint32_t address, uint32_t parity)
{
#if GPUSTR_BULK_COPY
	uint32_t ended;

	do
		asm volatile("{\n\t"
					 ".reg .pred p;\n\t"
					 "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
					 "selp.b32 %0, 1, 0, p;\n\t"
					 "}"
					 : "=r"(ended)
					 : "r"(address), "r"(parity)
					 : "memory");
	while (!ended);
#else
	(void)address;
	(void)parity;
	__trap();
#endif
}

__device__ __forceinline__ void mbarrier_arrive_at(uint32_t address)
{
	asm volatile("{\n\t"
				 ".reg .b64 state;\n\t"
				 "mbarrier.arrive.shared.b64 state, [%0];\n\t"
				 "}" ::"r"(address)
				 : "memory");
}

/* The word at an address |= bits, atomic among the threads of a block. */
__device__ __forceinline__ void shared_or(uint32_t address, uint32_t bits)
{
	asm volatile("red.shared.or.b32 [%0], %1;" ::"r"(address), "r"(bits) : "memory");
}

/* Which bit is the highest that is set?  -1: none is. */
__device__ __forceinline__ int32_t highest_bit(uint32_t bits)
{
	int32_t bit;

	asm("bfind.u32 %0, %1;" : "=r"(bit) : "r"(bits));
	return bit;
}

/* The sum of the values of the warp's lanes up to this one. */
__device__ __forceinline__ uint32_t wave_warp_scan(uint32_t value)
{
	/* the instruction tells whether there is such a lane */
#pragma unroll
	for (uint32_t d = 1; d < 32; d *= 2)
		asm volatile("{\n\t"
					 ".reg .pred p;\n\t"
					 ".reg .u32 other;\n\t"
					 "shfl.sync.up.b32 other|p, %0, %1, 0, -1;\n\t"
					 "@p add.u32 %0, %0, other;\n\t"
					 "}"
					 : "+r"(value)
					 : "r"(d));
	return value;
}

/* Let the phase that is open also wait for 'bytes' of bulk copies.  sm_90 */
__device__ __forceinline__ void mbarrier_expect(uint64_t *bar, uint32_t bytes)
{
#if GPUSTR_BULK_COPY
	asm volatile(
		"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(bar)),
		"r"(bytes)
		: "memory");
#else
	(void)bar;
	(void)bytes;
	__trap();
#endif
}

/* Have the page of an address ready, and its line in the L2 cache. */
__device__ __forceinline__ void prefetch_line(const void *p)
{
	asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(p)));
}

#endif /* GPUSTR_BENCH_WAVE_ASM_CUH */
