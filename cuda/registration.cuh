/*-------------------------------------------------------------------------
 *
 * registration.cuh
 *	  Make host memory that the requesters own readable to the device.
 *
 * The staging pool is registered by registration_open(): copies to and from it
 * are then asynchronous and run at the speed of the bus.
 *
 * The shared buffer pool follows from a thread of its own, in chunks, since
 * registering it takes seconds.  The thread publishes how many leading blocks
 * are readable in place: a block counts when every byte of it, hence every
 * chunk up to its end, is registered.  Chunks are cut at pages of the
 * operating system, at multiples of 2 MB where possible, so that no huge page
 * is in two chunks.  The first chunk starts at the page that holds the first
 * byte of the pool, which may be shared with what stands before the pool.
 *
 * Failure is not an error: what is not registered is copied by the slow way
 * (staging pool), or has to be staged (blocks).  A line on stderr says so; the
 * device process puts that into the server's log.
 *
 * IDENTIFICATION
 *	  cuda/registration.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_REGISTRATION_CUH
#define GPUSTR_REGISTRATION_CUH

#include <pthread.h>

#include "cuda_check.cuh"

/* Most bytes registered in one call: it cannot be interrupted. */
#define REGISTRATION_CHUNK_BYTES ((size_t)256 << 20)

struct Registration
{
	int device;
	unsigned read_only_flag; /* cudaHostRegisterReadOnly, or 0 */

	char *staging; /* registered, or NULL */

	const char *blocks; /* the pool, or NULL */
	int32_t nblocks;
	volatile int32_t *published; /* the caller's watermark */

	/* leading blocks that kernels may read; the thread's, read by all */
	volatile int32_t registered_blocks;

	char **chunk; /* [nchunks] start of each registered chunk */
	int32_t nchunks;
	int32_t max_chunks;

	pthread_t thread;
	bool thread_started;
	volatile int stop; /* asks the thread to end */
};

/* Register the staging pool, start the thread.  Needs the device to be current. */
void registration_open(Registration *reg, int device, const EngineConfig *config);

/* Stop the thread, unregister all.  No kernel may be running. */
void registration_close(Registration *reg);

#endif /* GPUSTR_REGISTRATION_CUH */
