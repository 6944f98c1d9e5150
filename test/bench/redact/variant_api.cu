/*-------------------------------------------------------------------------
 *
 * variant_api.cu
 *	  Redact with general string functions, one after the other.
 *
 * As a user of a column library would write it: compare, split into first and
 * last names, slice the initial, concatenate, choose.  Each function makes a
 * whole column: sizes, scan, the sum to the host to size the data, write.
 *
 * A name without a last name keeps its first name: concatenate() takes the
 * separator only where both sides are there.
 *
 * IDENTIFICATION
 *	  test/bench/redact/variant_api.cu
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_scan.cuh>

#include "bench.cuh"

/* A column made by one of the functions. */
struct Column
{
	int32_t *start;
	char *data;
};

struct Text
{
	const char *data;
	int32_t bytes;
};

__device__ __forceinline__ Text text_of(const char *data, const int32_t *start, int32_t r)
{
	Text t;

	t.data = data + start[r];
	t.bytes = start[r + 1] - start[r];
	return t;
}

/*
 * The functions, row by row: bytes of the answer, and, if 'to' is not NULL,
 * the answer.
 */
struct SplitFunction
{
	Input in;
	int part; /* 0: before the first run of spaces, 1: after it */

	__device__ int32_t operator()(int32_t r, char *to) const
	{
		Text name = text_of(in.name, in.name_start, r);
		RowfnRedactParts parts = rowfn_redact_split(name.data, name.bytes);
		int32_t from = part == 0 ? 0 : parts.last_off;
		int32_t end = part == 0 ? parts.first_bytes : name.bytes;

		if (to != NULL)
			for (int32_t i = from; i < end; i++)
				to[i - from] = name.data[i];
		return end - from;
	}
};

struct SliceFunction
{
	Column column;
	int32_t encoding;

	__device__ int32_t operator()(int32_t r, char *to) const
	{
		Text t = text_of(column.data, column.start, r);
		int32_t bytes = t.bytes > 0 ? rowfn_char_bytes(t.data, t.bytes, encoding) : 0;

		if (to != NULL)
			for (int32_t i = 0; i < bytes; i++)
				to[i] = t.data[i];
		return bytes;
	}
};

struct ConcatenateFunction
{
	Column initial;
	Column first;

	__device__ int32_t operator()(int32_t r, char *to) const
	{
		Text a = text_of(initial.data, initial.start, r);
		Text b = text_of(first.data, first.start, r);
		int32_t separator = a.bytes > 0;

		if (to != NULL)
		{
			for (int32_t i = 0; i < a.bytes; i++)
				to[i] = a.data[i];
			if (separator)
				to[a.bytes] = ' ';
			for (int32_t i = 0; i < b.bytes; i++)
				to[a.bytes + separator + i] = b.data[i];
		}
		return a.bytes + separator + b.bytes;
	}
};

struct ChooseFunction
{
	Column column;
	const uint8_t *condition;

	__device__ int32_t operator()(int32_t r, char *to) const
	{
		Text t = text_of(column.data, column.start, r);

		if (condition[r])
		{
			if (to != NULL)
				for (int32_t i = 0; i < t.bytes; i++)
					to[i] = t.data[i];
			return t.bytes;
		}
		if (to != NULL)
		{
			to[0] = 'X';
			to[1] = ' ';
			to[2] = 'X';
		}
		return ROWFN_REDACTED_BYTES;
	}
};

template <class Function>
ROW_KERNEL api_sizes(const Function function, int32_t n, int32_t *size)
{
	int32_t r = my_row();

	if (r <= n)
		size[r] = r < n ? function(r, NULL) : 0;
}

template <class Function>
ROW_KERNEL api_write(const Function function, int32_t n, const int32_t *start, char *data)
{
	int32_t r = my_row();

	if (r < n)
		(void)function(r, data + start[r]);
}

ROW_KERNEL api_is_public(const Input in, uint8_t *is_public)
{
	int32_t r = my_row();

	if (r < in.n)
	{
		InputRow row = input_row(in, r);

		is_public[r] = (uint8_t)rowfn_redact_is_public(row.visibility, row.visibility_len);
	}
}

class ApiVariant : public Variant
{
  public:
	const char *name() const override
	{
		return "general functions, a column each";
	}

	void prepare(int32_t max_rows, int64_t max_name_bytes) override
	{
		(void)max_name_bytes;
		size_ = device_new<int32_t>((int64_t)max_rows + 1);
		condition_ = device_new<uint8_t>(max_rows);
		CUDA_MUST(cub::DeviceScan::ExclusiveSum(NULL, scan_bytes_, size_, size_, max_rows + 1));
		scan_ = device_new<char>((int64_t)scan_bytes_);
		CUDA_MUST(cudaHostAlloc((void **)&total_, sizeof(int32_t), cudaHostAllocDefault));
	}

	void run(const Input &in, const Output &out, cudaStream_t stream) override
	{
		Column first;
		Column last;
		Column initial;
		Column joined;
		Column answer = {out.start, out.data};

		launches = 0;
		api_is_public<<<row_blocks(in.n), ROW_THREADS, 0, stream>>>(in, condition_);
		LAUNCHED(1);
		first = make(SplitFunction{in, 0}, in.n, stream);
		last = make(SplitFunction{in, 1}, in.n, stream);
		initial = make(SliceFunction{last, in.encoding}, in.n, stream);
		joined = make(ConcatenateFunction{initial, first}, in.n, stream);
		fill(ChooseFunction{joined, condition_}, in.n, answer, stream);
		drop(first, stream);
		drop(last, stream);
		drop(initial, stream);
		drop(joined, stream);
	}

	void release() override
	{
		CUDA_MUST(cudaFree(size_));
		CUDA_MUST(cudaFree(condition_));
		CUDA_MUST(cudaFree(scan_));
		CUDA_MUST(cudaFreeHost(total_));
	}

  private:
	template <class Function>
	void offsets(const Function &function, int32_t n, int32_t *start, cudaStream_t stream)
	{
		size_t bytes = scan_bytes_;

		api_sizes<<<row_blocks((int64_t)n + 1), ROW_THREADS, 0, stream>>>(function, n, size_);
		LAUNCHED(1);
		CUDA_MUST(cub::DeviceScan::ExclusiveSum(scan_, bytes, size_, start, n + 1, stream));
		LAUNCHED(SCAN_LAUNCHES);
	}

	/* A column with memory of its own, from the device's pool. */
	template <class Function>
	Column make(const Function &function, int32_t n, cudaStream_t stream)
	{
		Column column;

		CUDA_MUST(
			cudaMallocAsync((void **)&column.start, ((size_t)n + 1) * sizeof(int32_t), stream));
		offsets(function, n, column.start, stream);
		CUDA_MUST(cudaMemcpyAsync(total_, column.start + n, sizeof(int32_t), cudaMemcpyDeviceToHost,
								  stream));
		CUDA_MUST(cudaStreamSynchronize(stream));
		CUDA_MUST(cudaMallocAsync((void **)&column.data, (size_t)*total_ + 1, stream));
		api_write<<<row_blocks(n), ROW_THREADS, 0, stream>>>(function, n, column.start,
															 column.data);
		LAUNCHED(1);
		return column;
	}

	template <class Function>
	void fill(const Function &function, int32_t n, Column column, cudaStream_t stream)
	{
		offsets(function, n, column.start, stream);
		api_write<<<row_blocks(n), ROW_THREADS, 0, stream>>>(function, n, column.start,
															 column.data);
		LAUNCHED(1);
	}

	static void drop(Column column, cudaStream_t stream)
	{
		CUDA_MUST(cudaFreeAsync(column.start, stream));
		CUDA_MUST(cudaFreeAsync(column.data, stream));
	}

	int32_t *size_ = NULL;
	uint8_t *condition_ = NULL;
	char *scan_ = NULL;
	size_t scan_bytes_ = 0;
	int32_t *total_ = NULL;
};

Variant *make_api_variant()
{
	return new ApiVariant;
}
