/*-------------------------------------------------------------------------
 *
 * columns.cu
 *	  Columns of texts in device memory for the benchmarks.
 *
 * IDENTIFICATION
 *	  test/bench/dfa/columns.cu
 *
 *-------------------------------------------------------------------------
 */
#include "columns.cuh"

#include <algorithm>

#include "cuda_must.cuh"
#include "kernels.cuh"

/* Rows that are compared with the host's matcher, at either end. */
#define SAMPLE_ROWS 100000

/* A multiple of 32, so that the last sample starts with a word. */
#define GROUP_ROWS 160

/* Offsets in a group of rows: each group has the same lengths. */
struct Group
{
	int32_t start[GROUP_ROWS + 1];
};

static __global__ void make_starts(const Group group, int32_t n, int32_t *start)
{
	int32_t r = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);

	if (r <= n)
		start[r] = r / GROUP_ROWS * group.start[GROUP_ROWS] + group.start[r % GROUP_ROWS];
}

/* One of 32 bits' values: letters like random_word()'s, now and then something else. */
static __global__ void make_text(int64_t n, uint64_t seed, char *text)
{
	int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
	uint64_t h = ((uint64_t)i + seed) * 0x9E3779B97F4A7C15ULL;
	uint32_t a;
	uint32_t b;

	if (i >= n)
		return;
	h = (h ^ h >> 31) * 0xBF58476D1CE4E5B9ULL;
	h = (h ^ h >> 29) * 0x94D049BB133111EBULL;
	a = (uint32_t)(h >> 40) & 0xFFF;
	b = (uint32_t)(h >> 52);
	if ((h & 7) == 0)
		text[i] = (h >> 3 & 3) == 0 ? (char)('0' + a % 10) : ' ';
	else
		text[i] = (char)('a' + (a * 26 >> 12) * (b * 26 >> 12) / 26);
}

Column make_column(const char *name, int32_t shortest, int32_t longest, int64_t part_bytes,
				   uint64_t seed)
{
	Column column;
	Group group;
	int32_t lengths = longest - shortest + 1;

	group.start[0] = 0;
	for (int i = 0; i < GROUP_ROWS; i++)
		group.start[i + 1] = group.start[i] + shortest + i * 37 % lengths;
	column.name = name;
	column.nrows = (int32_t)(part_bytes / group.start[GROUP_ROWS]) * GROUP_ROWS;
	part_bytes = (int64_t)column.nrows / GROUP_ROWS * group.start[GROUP_ROWS];
	column.bytes = part_bytes * PARTS;
	column.plane_words = (column.nrows + 31) / 32;
	CUDA_MUST(cudaMalloc((void **)&column.start, 4 * ((size_t)column.nrows + 1)));
	CUDA_MUST(cudaMalloc((void **)&column.out, 8 * PARTS * (size_t)column.plane_words));
	make_starts<<<launch_blocks((int64_t)column.nrows + 1, 256), 256>>>(group, column.nrows,
																		column.start);
	CUDA_MUST(cudaPeekAtLastError());
	for (int i = 0; i < PARTS; i++)
	{
		/* pieces of 16 bytes are read */
		CUDA_MUST(cudaMalloc((void **)&column.text[i], (size_t)part_bytes + 16));
		make_text<<<launch_blocks(part_bytes + 16, 256), 256>>>(
			part_bytes + 16, seed + (uint64_t)i * PART_BYTES, column.text[i]);
		CUDA_MUST(cudaPeekAtLastError());
	}
	for (int i = 0; i < GROUP_ROWS; i++)
		column.sample_start.push_back(group.start[i]);
	while ((int32_t)column.sample_start.size() <= std::min(SAMPLE_ROWS, column.nrows))
		column.sample_start.push_back(column.sample_start[column.sample_start.size() - GROUP_ROWS] +
									  group.start[GROUP_ROWS]);
	while ((column.sample_start.size() - 1) % GROUP_ROWS != 0)
		column.sample_start.pop_back();
	for (int i = 0; i < 2; i++)
	{
		size_t bytes = (size_t)column.sample_start.back();

		column.sample[i].resize(bytes);
		CUDA_MUST(cudaMemcpy(column.sample[i].data(),
							 i == 0 ? column.text[0]
									: column.text[PARTS - 1] + part_bytes - (int64_t)bytes,
							 bytes, cudaMemcpyDeviceToHost));
	}
	return column;
}

void free_column(Column *column)
{
	CUDA_MUST(cudaFree(column->start));
	CUDA_MUST(cudaFree(column->out));
	for (char *text : column->text)
		CUDA_MUST(cudaFree(text));
}

bool is_right(const Column &column, const std::vector<uint32_t> &want)
{
	size_t n = want.size() / 2;
	std::vector<uint32_t> lo(want.size());
	std::vector<uint32_t> hi(want.size());
	const uint32_t *last = column.out + (2 * PARTS - 1) * column.plane_words;

	for (int plane = 0; plane < 2; plane++)
	{
		uint32_t *to = plane == 0 ? lo.data() : hi.data();

		CUDA_MUST(
			cudaMemcpy(to, column.out + plane * column.plane_words, 4 * n, cudaMemcpyDeviceToHost));
		CUDA_MUST(cudaMemcpy(to + n, last + plane * column.plane_words - n, 4 * n,
							 cudaMemcpyDeviceToHost));
	}
	return lo == want && hi == std::vector<uint32_t>(want.size(), 0);
}
