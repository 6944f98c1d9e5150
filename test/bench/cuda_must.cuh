/*-------------------------------------------------------------------------
 *
 * cuda_must.cuh
 *	  For the benchmarks: an error of CUDA's ends the program.
 *
 * IDENTIFICATION
 *	  test/bench/cuda_must.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_CUDA_MUST_CUH
#define GPUSTR_CUDA_MUST_CUH

#include <stdio.h>
#include <stdlib.h>

/* Stop the program where CUDA reports an error. */
#define CUDA_MUST(call)                                                                            \
	do                                                                                             \
	{                                                                                              \
		cudaError_t must_rc = (call);                                                              \
		if (must_rc != cudaSuccess)                                                                \
		{                                                                                          \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                          \
					cudaGetErrorString(must_rc));                                                  \
			exit(2);                                                                               \
		}                                                                                          \
	} while (0)

#endif /* GPUSTR_CUDA_MUST_CUH */
