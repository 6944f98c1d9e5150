/*-------------------------------------------------------------------------
 *
 * sm_threads.cuh
 *	  How many threads a multiprocessor holds, for launch bounds.
 *
 * __launch_bounds__ wants how many blocks are to share a multiprocessor while code is
 * compiled, and a device can be asked only when it runs.  So the architectures
 * of 1,536 and of 2,048 threads are named (CUDA C++ Programming Guide, "Technical
 * Specifications per Compute Capability"); others have 1,024 at least, the most that a
 * block may have.  Too small a number leaves a kernel more registers than it need
 * have, with too large a one ptxas warns, and ignores it.
 *
 * IDENTIFICATION
 *	  cuda/sm_threads.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_SM_THREADS_CUH
#define GPUSTR_SM_THREADS_CUH

#if !defined(__CUDA_ARCH__)
#define SM_THREADS 1024 /* host code has no use for it */
#elif __CUDA_ARCH__ == 800 || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1100)
#define SM_THREADS 2048
#elif (__CUDA_ARCH__ > 800 && __CUDA_ARCH__ < 900) ||                                              \
	(__CUDA_ARCH__ >= 1100 && __CUDA_ARCH__ < 1300)
#define SM_THREADS 1536
#else
#define SM_THREADS 1024
#endif

/* Blocks of so many threads that a multiprocessor holds. */
#define SM_BLOCKS(threads) (SM_THREADS / (threads))

#endif /* GPUSTR_SM_THREADS_CUH */
