/*-------------------------------------------------------------------------
 *
 * cuda_check.cuh
 *	  Turn what CUDA returns into an EngineError.
 *
 * Every call of the CUDA runtime goes through one of the two macros below, and
 * every launch is followed by CUDA_TRY(cudaPeekAtLastError()).
 *
 *		cudaErrorMemoryAllocation			ENGINE_OUT_OF_MEMORY; the error is
 *											cleared, the context stays usable
 *		no driver, no device, no such one,
 *		no code for it						ENGINE_NO_DEVICE
 *		anything else						ENGINE_LOST: a fault is sticky, and
 *											a call that is refused is a bug
 *
 * IDENTIFICATION
 *	  cuda/cuda_check.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_CUDA_CHECK_CUH
#define GPUSTR_CUDA_CHECK_CUH

#include <cuda_runtime.h>

#include "engine/engine.h"

/* Fill *error for a return code other than cudaSuccess, and clear CUDA's own. */
static inline EngineCode cuda_error(EngineError *error, cudaError_t rc, const char *what)
{
	EngineCode code = ENGINE_LOST;

	if (rc == cudaErrorMemoryAllocation)
		code = ENGINE_OUT_OF_MEMORY;
	else if (rc == cudaErrorInsufficientDriver || rc == cudaErrorNoDevice ||
			 rc == cudaErrorInvalidDevice || rc == cudaErrorNoKernelImageForDevice)
		code = ENGINE_NO_DEVICE;
	(void)cudaGetLastError();
	return gpustr_engine_error(error, code, "%s: %s (%s)", what, cudaGetErrorString(rc),
							   cudaGetErrorName(rc));
}

/* In a function that returns EngineCode and has an EngineError *error. */
#define CUDA_TRY(call)                                                                             \
	do                                                                                             \
	{                                                                                              \
		cudaError_t cuda_try_rc = (call);                                                          \
		if (cuda_try_rc != cudaSuccess)                                                            \
			return cuda_error(error, cuda_try_rc, #call);                                          \
	} while (0)

/* In a function that returns cudaError_t. */
#define CUDA_PASS(call)                                                                            \
	do                                                                                             \
	{                                                                                              \
		cudaError_t cuda_pass_rc = (call);                                                         \
		if (cuda_pass_rc != cudaSuccess)                                                           \
			return cuda_pass_rc;                                                                   \
	} while (0)

/* In clean-up, where there is nothing left to do about a failure. */
#define CUDA_IGNORE(call)                                                                          \
	do                                                                                             \
	{                                                                                              \
		if ((call) != cudaSuccess)                                                                 \
			(void)cudaGetLastError();                                                              \
	} while (0)

#endif /* GPUSTR_CUDA_CHECK_CUH */
