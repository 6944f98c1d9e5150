/*-------------------------------------------------------------------------
 *
 * shared_load.cuh
 *	  Loads from shared memory by address.
 *
 * IDENTIFICATION
 *	  cuda/shared_load.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_SHARED_LOAD_CUH
#define GPUSTR_SHARED_LOAD_CUH

#include <stdint.h>

/*
 * Loads from shared memory, given an address there: by the compiler's own code
 * for this, each would work out where shared memory is, and be in a branch of
 * its own.
 */
static __device__ __forceinline__ uint32_t shared_load8(uint32_t at)
{
	uint32_t v;

	asm volatile("ld.shared.u8 %0, [%1];" : "=r"(v) : "r"(at));
	return v;
}

/* If 'take' is 0, 'otherwise'. */
static __device__ __forceinline__ uint32_t shared_load8_if(uint32_t take, uint32_t at,
														   uint32_t otherwise)
{
	uint32_t v = otherwise;

	asm volatile("{\n\t"
				 ".reg .pred p;\n\t"
				 "setp.ne.u32 p, %1, 0;\n\t"
				 "@p ld.shared.u8 %0, [%2];\n\t"
				 "}"
				 : "+r"(v)
				 : "r"(take), "r"(at));
	return v;
}

static __device__ __forceinline__ uint32_t shared_load16_if(uint32_t take, uint32_t at,
															uint32_t otherwise)
{
	uint32_t v = otherwise;

	asm volatile("{\n\t"
				 ".reg .pred p;\n\t"
				 "setp.ne.u32 p, %1, 0;\n\t"
				 "@p ld.shared.u16 %0, [%2];\n\t"
				 "}"
				 : "+r"(v)
				 : "r"(take), "r"(at));
	return v;
}

#endif /* GPUSTR_SHARED_LOAD_CUH */
