/*-------------------------------------------------------------------------
 *
 * variant_two_pass.cu
 *	  Redact in two passes: sizes, exclusive scan, write.
 *
 * The best of the published four.  The input is read twice.
 *
 * IDENTIFICATION
 *	  test/bench/redact/variant_two_pass.cu
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_scan.cuh>

#include "bench.cuh"

/* Sizes of the answers, and a 0 behind them that the scan turns into the sum. */
ROW_KERNEL two_pass_sizes(const Input in, int32_t *size)
{
	int32_t r = my_row();

	if (r < in.n)
	{
		InputRow row = input_row(in, r);

		size[r] = rowfn_redact_bytes(row.name, row.name_len, row.visibility, row.visibility_len,
									 in.encoding);
	}
	else if (r == in.n)
		size[r] = 0;
}

ROW_KERNEL two_pass_write(const Input in, const int32_t *start, char *data)
{
	int32_t r = my_row();

	if (r < in.n)
	{
		InputRow row = input_row(in, r);

		rowfn_redact_write(row.name, row.name_len, row.visibility, row.visibility_len, in.encoding,
						   data + start[r]);
	}
}

class TwoPassVariant : public Variant
{
  public:
	const char *name() const override
	{
		return "two passes: sizes, scan, write";
	}

	void prepare(int32_t max_rows, int64_t max_name_bytes) override
	{
		(void)max_name_bytes;
		size_ = device_new<int32_t>((int64_t)max_rows + 1);
		CUDA_MUST(cub::DeviceScan::ExclusiveSum(NULL, scan_bytes_, size_, size_, max_rows + 1));
		scan_ = device_new<char>((int64_t)scan_bytes_);
	}

	void run(const Input &in, const Output &out, cudaStream_t stream) override
	{
		size_t bytes = scan_bytes_;

		launches = 0;
		two_pass_sizes<<<row_blocks((int64_t)in.n + 1), ROW_THREADS, 0, stream>>>(in, size_);
		LAUNCHED(1);
		CUDA_MUST(cub::DeviceScan::ExclusiveSum(scan_, bytes, size_, out.start, in.n + 1, stream));
		LAUNCHED(SCAN_LAUNCHES);
		two_pass_write<<<row_blocks(in.n), ROW_THREADS, 0, stream>>>(in, out.start, out.data);
		LAUNCHED(1);
	}

	void release() override
	{
		CUDA_MUST(cudaFree(size_));
		CUDA_MUST(cudaFree(scan_));
	}

  private:
	int32_t *size_ = NULL;
	char *scan_ = NULL;
	size_t scan_bytes_ = 0;
};

Variant *make_two_pass_variant()
{
	return new TwoPassVariant;
}
