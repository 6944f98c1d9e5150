/*-------------------------------------------------------------------------
 *
 * registration.cu
 *	  Make host memory that the requesters own readable to the device.
 *
 * See registration.cuh.
 *
 * IDENTIFICATION
 *	  cuda/registration.cu
 *
 *-------------------------------------------------------------------------
 */
#include "registration.cuh"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HUGE_PAGE_BYTES ((uintptr_t)2 << 20)

static void registration_note(const char *what, cudaError_t rc)
{
	fprintf(stderr, "gpustr: %s: %s\n", what, cudaGetErrorString(rc));
	fflush(stderr);
}

/* Register [start, end). */
static cudaError_t register_range(Registration *reg, uintptr_t start, uintptr_t end)
{
	const unsigned flags = cudaHostRegisterPortable | cudaHostRegisterMapped;
	cudaError_t rc;

	if (start >= end)
		return cudaErrorInvalidValue;
	rc = cudaHostRegister((void *)start, end - start, flags | reg->read_only_flag);
	if (rc != cudaSuccess && reg->read_only_flag != 0)
	{
		(void)cudaGetLastError();
		rc = cudaHostRegister((void *)start, end - start, flags);
		if (rc == cudaSuccess)
			reg->read_only_flag = 0;
	}
	if (rc != cudaSuccess)
		(void)cudaGetLastError();
	return rc;
}

/*
 * Register the next chunk, [*start, next), and leave in *start and *end what
 * was registered.  Where the plain range is refused,
 *	- the first and the last page may be registered already, with the staging
 *	  pool beside them: what they hold is then readable, try without them;
 *	- in huge pages, the first chunk has to start at a whole one.
 */
static cudaError_t register_chunk(Registration *reg, uintptr_t *start, uintptr_t *end,
								  uintptr_t page)
{
	bool first = reg->nchunks == 0;
	uintptr_t from = *start;
	uintptr_t to = *end;
	cudaError_t rc = register_range(reg, from, to);

	if (rc == cudaSuccess)
		return rc;
	if (first && rc == cudaErrorHostMemoryAlreadyRegistered &&
		register_range(reg, from + page, to) == cudaSuccess)
	{
		*start = from + page;
		return cudaSuccess;
	}
	if (first && register_range(reg, from & ~(HUGE_PAGE_BYTES - 1), to) == cudaSuccess)
	{
		*start = from & ~(HUGE_PAGE_BYTES - 1);
		return cudaSuccess;
	}
	if (register_range(reg, from, to - page) == cudaSuccess)
	{
		*end = to - page;
		return cudaSuccess;
	}
	return rc;
}

/* Publish that every byte before 'end' is registered. */
static void publish(Registration *reg, uintptr_t end)
{
	uintptr_t bytes = end - (uintptr_t)reg->blocks;
	uintptr_t blocks = bytes / GPUSTR_PAGE_BYTES;

	if (blocks > (uintptr_t)reg->nblocks)
		blocks = (uintptr_t)reg->nblocks;
	__atomic_store_n(&reg->registered_blocks, (int32_t)blocks, __ATOMIC_RELEASE);
	if (reg->published != NULL)
		__atomic_store_n(reg->published, (int32_t)blocks, __ATOMIC_RELEASE);
}

/* The thread: register the pool chunk by chunk. */
static void *registration_main(void *arg)
{
	Registration *reg = (Registration *)arg;
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = (uintptr_t)reg->blocks & ~(page - 1);
	uintptr_t end = (uintptr_t)reg->blocks + (uintptr_t)reg->nblocks * GPUSTR_PAGE_BYTES;
	cudaError_t rc = cudaSetDevice(reg->device);

	if (rc != cudaSuccess)
	{
		registration_note("could not use the device from the registration thread", rc);
		return NULL;
	}
	end = (end + page - 1) & ~(page - 1);
	while (start < end && !reg->stop && reg->nchunks < reg->max_chunks)
	{
		uintptr_t from = start;
		uintptr_t to = (start + REGISTRATION_CHUNK_BYTES) & ~(HUGE_PAGE_BYTES - 1);
		bool last = to >= end;

		if (last)
			to = end;
		rc = register_chunk(reg, &from, &to, page);
		if (rc != cudaSuccess)
		{
			registration_note("could not register all of the shared buffer pool", rc);
			break;
		}
		reg->chunk[reg->nchunks++] = (char *)from;
		publish(reg, to);
		if (last)
			break;
		start = to;
	}
	return NULL;
}

/* Start registering the shared buffer pool, if kernels can read it in place. */
static void registration_start(Registration *reg)
{
	int same_pointer = 0;
	int read_only = 0;
	cudaError_t rc;

	rc = cudaDeviceGetAttribute(&same_pointer, cudaDevAttrCanUseHostPointerForRegisteredMem,
								reg->device);
	if (rc != cudaSuccess || !same_pointer)
	{
		registration_note("kernels cannot read the shared buffer pool in place, pages are staged",
						  rc);
		(void)cudaGetLastError();
		return;
	}
	CUDA_IGNORE(
		cudaDeviceGetAttribute(&read_only, cudaDevAttrHostRegisterReadOnlySupported, reg->device));
	reg->read_only_flag = read_only ? cudaHostRegisterReadOnly : 0;
	reg->max_chunks = (int32_t)((size_t)reg->nblocks * GPUSTR_PAGE_BYTES /
								(REGISTRATION_CHUNK_BYTES - HUGE_PAGE_BYTES)) +
					  3;
	reg->chunk = (char **)calloc((size_t)reg->max_chunks, sizeof(char *));
	if (reg->chunk == NULL)
		return;
	reg->thread_started = pthread_create(&reg->thread, NULL, registration_main, reg) == 0;
	if (!reg->thread_started)
		registration_note("could not start the registration thread, pages are staged",
						  cudaErrorUnknown);
}

void registration_open(Registration *reg, int device, const EngineConfig *config)
{
	memset(reg, 0, sizeof(*reg));
	reg->device = device;
	if (config->staging != NULL && config->staging_bytes > 0)
	{
		uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
		uintptr_t start = (uintptr_t)config->staging & ~(page - 1);
		uintptr_t end =
			((uintptr_t)config->staging + config->staging_bytes + page - 1) & ~(page - 1);
		cudaError_t rc;

		rc = cudaHostRegister((void *)start, end - start,
							  cudaHostRegisterPortable | cudaHostRegisterMapped);
		if (rc == cudaSuccess)
			reg->staging = (char *)start;
		else
		{
			(void)cudaGetLastError();
			registration_note("could not register the staging pool, copies will be slow", rc);
		}
	}
	if (config->blocks != NULL && config->nblocks > 0)
	{
		reg->blocks = (const char *)config->blocks;
		reg->nblocks = config->nblocks;
		reg->published = config->zero_copy_blocks;
		registration_start(reg);
	}
}

void registration_close(Registration *reg)
{
	int32_t i;

	reg->stop = 1;
	if (reg->thread_started)
		(void)pthread_join(reg->thread, NULL);
	reg->thread_started = false;
	for (i = 0; i < reg->nchunks; i++)
		CUDA_IGNORE(cudaHostUnregister(reg->chunk[i]));
	if (reg->staging != NULL)
		CUDA_IGNORE(cudaHostUnregister(reg->staging));
	free(reg->chunk);
	memset(reg, 0, sizeof(*reg));
}
