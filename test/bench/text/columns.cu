/*-------------------------------------------------------------------------
 *
 * columns.cu
 *	  Columns of texts in device memory for the benchmark, and samples of them.
 *
 * IDENTIFICATION
 *	  test/bench/text/columns.cu
 *
 *-------------------------------------------------------------------------
 */
#include "columns.cuh"

#include <algorithm>
#include <cuda_runtime.h>
#include <string.h>

#include "cuda_must.cuh"

/* Texts of a part at most: an arena of as many bytes, and half more, fits behind. */
#define PART_BYTES 700000000LL

/* Pieces of 16 bytes are read. */
#define TAIL_BYTES 64

static __host__ __device__ uint64_t mix(uint64_t x)
{
	x *= 0x9E3779B97F4A7C15ULL;
	x = (x ^ x >> 31) * 0xBF58476D1CE4E5B9ULL;
	return x ^ x >> 29;
}

/* Words of lower-case letters with blanks and digits. */
static __global__ void fill_text(int64_t n, uint64_t seed, char *text)
{
	int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
	uint64_t h = mix((uint64_t)i + seed);
	uint32_t a = (uint32_t)(h >> 40) & 0xFFF;
	uint32_t b = (uint32_t)(h >> 52);

	if (i >= n)
		return;
	if ((h & 7) == 0)
		text[i] = (h >> 3 & 3) == 0 ? (char)('0' + a % 10) : ' ';
	else
		text[i] = (char)('a' + (a * 26 >> 12) * (b * 26 >> 12) / 26);
}

/* Put the needle into every 16th row or so. */
static __global__ void plant(int32_t nrows, const int32_t *offset, uint64_t seed, char *text)
{
	const char needle[] = COLUMN_NEEDLE;
	const int32_t n = (int32_t)sizeof(needle) - 1;
	int32_t r = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);
	uint64_t h = mix((uint64_t)r + seed + 77);

	if (r >= nrows || (h & 15) != 0 || offset[r + 1] - offset[r] < n)
		return;
	text += offset[r] + (int32_t)((h >> 8) % (uint64_t)(offset[r + 1] - offset[r] - n + 1));
	for (int32_t i = 0; i < n; i++)
		text[i] = needle[i];
}

int32_t Column::sample_rows() const
{
	return std::min(nrows, COLUMN_SAMPLE_ROWS);
}

int32_t Column::sample_row(int i) const
{
	return i == 0 ? 0 : nrows - sample_rows();
}

Column make_column(const ColumnShape &shape, int64_t bytes, uint64_t seed)
{
	const int32_t lengths = shape.longest - shape.shortest + 1;
	Column column;
	int64_t target;

	column.name = shape.name;
	column.nparts = (int)((bytes + PART_BYTES - 1) / PART_BYTES);
	target = bytes / column.nparts;
	column.host.push_back(0);
	for (int32_t r = 0; column.host.back() < target; r++)
	{
		int32_t len = shape.shortest + (int32_t)(mix((uint64_t)r + seed) % (uint64_t)lengths);

		if (shape.long_every > 0 && mix((uint64_t)r + seed + 5) % (uint64_t)shape.long_every == 0)
			len = shape.long_bytes;
		column.host.push_back(column.host.back() + len);
	}
	column.nrows = (int32_t)column.host.size() - 1;
	column.part_bytes = column.host.back();
	column.arena_at = (int32_t)((column.part_bytes + TAIL_BYTES + 255) / 256 * 256);
	column.arena_bytes = std::min((uint64_t)(INT32_MAX - column.arena_at - TAIL_BYTES),
								  2 * (uint64_t)column.part_bytes + 64 * (uint64_t)column.nrows);
	CUDA_MUST(cudaMalloc((void **)&column.offset, column.host.size() * sizeof(int32_t)));
	CUDA_MUST(cudaMemcpy(column.offset, column.host.data(), column.host.size() * sizeof(int32_t),
						 cudaMemcpyHostToDevice));
	for (int i = 0; i < column.nparts; i++)
	{
		const uint64_t part_seed = seed + (uint64_t)i * 3000000000ULL;
		const int64_t n = column.part_bytes + TAIL_BYTES;

		CUDA_MUST(cudaMalloc((void **)&column.base[i],
							 (size_t)column.arena_at + column.arena_bytes + TAIL_BYTES));
		fill_text<<<(unsigned)((n + 255) / 256), 256>>>(n, part_seed, column.base[i]);
		CUDA_MUST(cudaPeekAtLastError());
		plant<<<(unsigned)((column.nrows + 255) / 256), 256>>>(column.nrows, column.offset,
															   part_seed, column.base[i]);
		CUDA_MUST(cudaPeekAtLastError());
	}
	CUDA_MUST(cudaDeviceSynchronize());
	for (int i = 0; i < 2; i++)
	{
		const int32_t from = column.host[(size_t)column.sample_row(i)];
		const int32_t to = column.host[(size_t)(column.sample_row(i) + column.sample_rows())];

		column.sample[i].resize((size_t)(to - from));
		CUDA_MUST(cudaMemcpy(column.sample[i].data(),
							 column.base[i == 0 ? 0 : column.nparts - 1] + from,
							 (size_t)(to - from), cudaMemcpyDeviceToHost));
	}
	return column;
}

void free_column(Column *column)
{
	CUDA_MUST(cudaFree(column->offset));
	for (int i = 0; i < column->nparts; i++)
		CUDA_MUST(cudaFree(column->base[i]));
}
