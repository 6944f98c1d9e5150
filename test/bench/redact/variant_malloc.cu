/*-------------------------------------------------------------------------
 *
 * variant_malloc.cu
 *	  Redact with malloc() and free() inside of kernels.
 *
 * What a first try looks like: each row allocates its answer from the device's
 * heap, a column is made from the answers, and another kernel frees them.  The
 * heap takes one request at a time.
 *
 * IDENTIFICATION
 *	  test/bench/redact/variant_malloc.cu
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_scan.cuh>

#include "bench.cuh"

/* Bytes of the device's heap; a small allocation takes about 80. */
#define MALLOC_HEAP_BYTES ((size_t)2 << 30)
#define MALLOC_MAX_ROWS 10000000

ROW_KERNEL malloc_redact(const Input in, char **answer, int32_t *size)
{
	int32_t r = my_row();

	if (r < in.n)
	{
		InputRow row = input_row(in, r);
		int32_t bytes = rowfn_redact_bytes(row.name, row.name_len, row.visibility,
										   row.visibility_len, in.encoding);
		char *to = (char *)malloc((size_t)bytes + 1);

		/* an answer that there is no memory for shows as a wrong result */
		if (to != NULL)
			rowfn_redact_write(row.name, row.name_len, row.visibility, row.visibility_len,
							   in.encoding, to);
		else
			bytes = 0;
		answer[r] = to;
		size[r] = bytes;
	}
	else if (r == in.n)
		size[r] = 0;
}

ROW_KERNEL malloc_gather(char *const *answer, int32_t n, const int32_t *start, char *data)
{
	int32_t r = my_row();

	if (r < n)
		for (int32_t i = start[r]; i < start[r + 1]; i++)
			data[i] = answer[r][i - start[r]];
}

ROW_KERNEL malloc_free(char **answer, int32_t n)
{
	int32_t r = my_row();

	if (r < n)
		free(answer[r]);
}

class MallocVariant : public Variant
{
  public:
	MallocVariant()
	{
		CUDA_MUST(cudaDeviceSetLimit(cudaLimitMallocHeapSize, MALLOC_HEAP_BYTES));
	}

	const char *name() const override
	{
		return "kernel with malloc and free";
	}

	bool fits(int32_t rows) const override
	{
		return rows <= MALLOC_MAX_ROWS;
	}

	void prepare(int32_t max_rows, int64_t max_name_bytes) override
	{
		(void)max_name_bytes;
		answer_ = device_new<char *>(max_rows);
		size_ = device_new<int32_t>((int64_t)max_rows + 1);
		CUDA_MUST(cub::DeviceScan::ExclusiveSum(NULL, scan_bytes_, size_, size_, max_rows + 1));
		scan_ = device_new<char>((int64_t)scan_bytes_);
	}

	void run(const Input &in, const Output &out, cudaStream_t stream) override
	{
		size_t bytes = scan_bytes_;

		launches = 0;
		malloc_redact<<<row_blocks((int64_t)in.n + 1), ROW_THREADS, 0, stream>>>(in, answer_,
																				 size_);
		LAUNCHED(1);
		CUDA_MUST(cub::DeviceScan::ExclusiveSum(scan_, bytes, size_, out.start, in.n + 1, stream));
		LAUNCHED(SCAN_LAUNCHES);
		malloc_gather<<<row_blocks(in.n), ROW_THREADS, 0, stream>>>(answer_, in.n, out.start,
																	out.data);
		LAUNCHED(1);
		malloc_free<<<row_blocks(in.n), ROW_THREADS, 0, stream>>>(answer_, in.n);
		LAUNCHED(1);
	}

	void release() override
	{
		CUDA_MUST(cudaFree(answer_));
		CUDA_MUST(cudaFree(size_));
		CUDA_MUST(cudaFree(scan_));
	}

  private:
	char **answer_ = NULL;
	int32_t *size_ = NULL;
	char *scan_ = NULL;
	size_t scan_bytes_ = 0;
};

Variant *make_malloc_variant()
{
	return new MallocVariant;
}
