/*-------------------------------------------------------------------------
 *
 * variant_views.cu
 *	  Redact into memory set aside beforehand, then gather.
 *
 * Each row writes its answer to a place of its own, as large as the answer may
 * get (the name's bytes and 3 more), and tells in a vector of string views
 * where it is.  A column is then made from the views: sizes, scan, copy.
 *
 * IDENTIFICATION
 *	  test/bench/redact/variant_views.cu
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_scan.cuh>

#include "bench.cuh"

struct View
{
	const char *data;
	int32_t bytes;
};

ROW_KERNEL views_redact(const Input in, char *work, View *view)
{
	int32_t r = my_row();

	if (r < in.n)
	{
		InputRow row = input_row(in, r);
		char *to = work + in.name_start[r] + (int64_t)ROWFN_REDACTED_BYTES * r;

		rowfn_redact_write(row.name, row.name_len, row.visibility, row.visibility_len, in.encoding,
						   to);
		view[r].data = to;
		view[r].bytes = rowfn_redact_bytes(row.name, row.name_len, row.visibility,
										   row.visibility_len, in.encoding);
	}
}

ROW_KERNEL views_sizes(const View *view, int32_t n, int32_t *size)
{
	int32_t r = my_row();

	if (r <= n)
		size[r] = r < n ? view[r].bytes : 0;
}

ROW_KERNEL views_gather(const View *view, int32_t n, const int32_t *start, char *data)
{
	int32_t r = my_row();

	if (r < n)
	{
		View v = view[r];
		char *to = data + start[r];

		for (int32_t i = 0; i < v.bytes; i++)
			to[i] = v.data[i];
	}
}

class ViewsVariant : public Variant
{
  public:
	const char *name() const override
	{
		return "working memory, views, gather";
	}

	void prepare(int32_t max_rows, int64_t max_name_bytes) override
	{
		work_ = device_new<char>(max_name_bytes + (int64_t)ROWFN_REDACTED_BYTES * max_rows);
		view_ = device_new<View>(max_rows);
		size_ = device_new<int32_t>((int64_t)max_rows + 1);
		CUDA_MUST(cub::DeviceScan::ExclusiveSum(NULL, scan_bytes_, size_, size_, max_rows + 1));
		scan_ = device_new<char>((int64_t)scan_bytes_);
	}

	void run(const Input &in, const Output &out, cudaStream_t stream) override
	{
		size_t bytes = scan_bytes_;

		launches = 0;
		views_redact<<<row_blocks(in.n), ROW_THREADS, 0, stream>>>(in, work_, view_);
		LAUNCHED(1);
		views_sizes<<<row_blocks((int64_t)in.n + 1), ROW_THREADS, 0, stream>>>(view_, in.n, size_);
		LAUNCHED(1);
		CUDA_MUST(cub::DeviceScan::ExclusiveSum(scan_, bytes, size_, out.start, in.n + 1, stream));
		LAUNCHED(SCAN_LAUNCHES);
		views_gather<<<row_blocks(in.n), ROW_THREADS, 0, stream>>>(view_, in.n, out.start,
																   out.data);
		LAUNCHED(1);
	}

	void release() override
	{
		CUDA_MUST(cudaFree(work_));
		CUDA_MUST(cudaFree(view_));
		CUDA_MUST(cudaFree(size_));
		CUDA_MUST(cudaFree(scan_));
	}

  private:
	char *work_ = NULL;
	View *view_ = NULL;
	int32_t *size_ = NULL;
	char *scan_ = NULL;
	size_t scan_bytes_ = 0;
};

Variant *make_views_variant()
{
	return new ViewsVariant;
}
