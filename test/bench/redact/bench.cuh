/*-------------------------------------------------------------------------
 *
 * bench.cuh
 *	  What the variants of the redaction benchmark share.
 *
 * A variant makes an output column from two input columns, all in device
 * memory, in Arrow's layout without validity bitmaps.
 *
 * IDENTIFICATION
 *	  test/bench/redact/bench.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_BENCH_CUH
#define GPUSTR_BENCH_CUH

#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "cuda_must.cuh"
#include "rowfn/redact.h"

/* Read past the end of every buffer: 16-byte pieces, see text_register.cuh. */
#define BENCH_PAD 64

/* Input, in device memory. */
struct Input
{
	int32_t n;
	int32_t encoding;
	const char *name; /* [name_start[n]] */
	const int32_t *name_start;
	const char *visibility;
	const int32_t *visibility_start;
	int64_t name_bytes;
	int64_t visibility_bytes;
};

/* Output, in device memory. */
struct Output
{
	int32_t *start; /* [n + 1] */
	char *data;		/* [room] */
	int64_t room;	/* at least what is needed */
};

/* Where row r's strings are. */
struct InputRow
{
	const char *name;
	int32_t name_len;
	const char *visibility;
	int32_t visibility_len;
};

__device__ __forceinline__ InputRow input_row(const Input &in, int32_t r)
{
	InputRow row;

	row.name = in.name + in.name_start[r];
	row.name_len = in.name_start[r + 1] - in.name_start[r];
	row.visibility = in.visibility + in.visibility_start[r];
	row.visibility_len = in.visibility_start[r + 1] - in.visibility_start[r];
	return row;
}

/*
 * A way to do it.  run() only puts work on the stream, unless the variant is
 * one that waits; all memory but the output is its own, made for max_rows.
 */
class Variant
{
  public:
	virtual ~Variant() = default;
	virtual const char *name() const = 0;

	/* Can it do so many rows (of about so many bytes)? */
	virtual bool fits(int32_t rows) const
	{
		(void)rows;
		return true;
	}
	virtual void prepare(int32_t max_rows, int64_t max_name_bytes) = 0;
	virtual void run(const Input &in, const Output &out, cudaStream_t stream) = 0;
	virtual void release() = 0;

	/* Kernels that the last run() launched. */
	int launches = 0;
};

/* Count a launch and check it. */
#define LAUNCHED(count)                                                                            \
	do                                                                                             \
	{                                                                                              \
		launches += (count);                                                                       \
		CUDA_MUST(cudaPeekAtLastError());                                                          \
	} while (0)

/* Kernels that cub::DeviceScan launches: one to set up its tiles, one to scan. */
#define SCAN_LAUNCHES 2

#define ROW_THREADS 256

static inline unsigned row_blocks(int64_t n)
{
	return (unsigned)((n + ROW_THREADS - 1) / ROW_THREADS);
}

/* One row a thread. */
#define ROW_KERNEL static __global__ void __launch_bounds__(ROW_THREADS)

__device__ __forceinline__ int32_t my_row()
{
	return (int32_t)(blockIdx.x * ROW_THREADS + threadIdx.x);
}

template <class T>
static inline T *device_new(int64_t count)
{
	void *p = NULL;

	CUDA_MUST(cudaMalloc(&p, (size_t)count * sizeof(T) + BENCH_PAD));
	return (T *)p;
}

/* The variants; each is made once. */
Variant *make_api_variant();
Variant *make_malloc_variant();
Variant *make_views_variant();
Variant *make_two_pass_variant();

/* The shapes of the one-pass kernel; the last has a NULL. */
Variant *make_one_pass_variant(int i);

#endif /* GPUSTR_BENCH_CUH */
