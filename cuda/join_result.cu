/*-------------------------------------------------------------------------
 *
 * join_result.cu
 *	  Rows of a join's last space that are results: RESULT and its columns.
 *
 *		keep		which rows are results, in ascending order
 *		result		of a piece of them: rows, flags, values, and where texts are
 *		(texts are put together by launch_output_text())
 *		result_end	the first text without room ends the piece
 *
 * How many results there are is known on the device only, so a piece is worked out for
 * as many as there may be; those that are not there are NULL.
 *
 * IDENTIFICATION
 *	  cuda/join_result.cu
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "join_kernels.cuh"
#include "row_words.cuh"

typedef thrust::counting_iterator<int32_t> RowNumbers;

/* Is a row a result? */
struct IsKept
{
	const uint32_t *lo;	   /* true or recheck */
	const uint32_t *inner; /* NULL: it does not matter */

	__device__ __forceinline__ bool operator()(int32_t r) const
	{
		return (lo[r / 32] >> (r % 32) & 1) != 0 || (inner != NULL && inner[r] == GPUSTR_NO_ROW);
	}
};

cudaError_t keep_scratch_need(int32_t nrows, uint64_t *bytes)
{
	int32_t *index = NULL;
	unsigned long long *kept = NULL;
	size_t need = 0;

	CUDA_PASS(
		cub::DeviceSelect::If(NULL, need, RowNumbers(0), index, kept, nrows, IsKept{NULL, NULL}));
	*bytes = need;
	return cudaSuccess;
}

cudaError_t launch_keep(const uint32_t *lo, const uint32_t *inner, int32_t nrows, int32_t *index,
						unsigned long long *kept, void *scratch, uint64_t scratch_bytes,
						cudaStream_t stream)
{
	size_t bytes = scratch_bytes;

	return cub::DeviceSelect::If(scratch, bytes, RowNumbers(0), index, kept, nrows,
								 IsKept{lo, inner}, stream);
}

/* The row of a space, counted from 0, that a row of the last one came of. */
static __device__ __forceinline__ int32_t row_before(const JoinSteps &steps, int32_t row,
													 int32_t space)
{
	for (int32_t s = steps.n - 1; s >= space; s--)
		row = steps.outer[s][row];
	return row;
}

/* Result i: its row in the last space. */
static __device__ __forceinline__ int32_t result_row(const int32_t *index, unsigned long long i)
{
	return index != NULL ? index[i] : (int32_t)i;
}

/* Results of a piece that are there. */
static __device__ __forceinline__ int32_t results_there(unsigned long long all,
														unsigned long long skip, int32_t room)
{
	return all <= skip ? 0 : (int32_t)min(all - skip, (unsigned long long)room);
}

/*
 * make_result - rows, flags and columns of a piece.
 *
 * to_valid	[(room + 31) / 32] words of each column; 0 for what is not there
 *
 * One thread a result, 256 a block; a warp writes words by ballot.
 * e.g. index {1, 4, 5}, skip 1, room 4, outer {0, 0, 1, 1, 2, 3}, value {9, 8, 7, 6, NULL,
 *		5}: to_outer {2, 3, -, -}, to_value {-, 5, -, -}, to_valid 0010
 */
static __global__ void __launch_bounds__(ROW_THREADS)
	make_result(const __grid_constant__ ResultArgs args,
				const __grid_constant__ ResultColumns columns)
{
	const int32_t i = my_row();
	const unsigned long long all = args.kept != NULL ? *args.kept : (unsigned long long)args.nrows;
	const bool there = i < results_there(all, args.skip, args.room);
	bool doubt = false;
	int32_t r = 0;

	if (!warp_has_rows(i, args.room))
		return;
	if (there)
	{
		uint32_t inner_row;
		uint32_t w;
		uint32_t bit;

		r = result_row(args.index, args.skip + i);
		inner_row = args.inner[r];
		w = (uint32_t)r / 32;
		bit = 1u << r % 32;
		if (args.to_outer != NULL)
			args.to_outer[i] = row_before(args.steps, r, 0);
		if (args.to_inner != NULL)
			args.to_inner[i] = inner_row;
		if (args.doubt != NULL && (args.doubt[w] & bit) != 0)
			doubt = true;
		if (args.condition_lo != NULL && inner_row != GPUSTR_NO_ROW &&
			(args.condition_lo[w] & args.condition_hi[w] & bit) != 0)
			doubt = true;
	}
	for (int32_t c = 0; c < args.ncolumns; c++)
	{
		const JoinColumn &column = columns.column[c];
		uint32_t state = GPUSTR_NULL;
		uint32_t valid;

		if (there)
		{
			const uint32_t w = (uint32_t)r / 32;
			const uint32_t bit = 1u << r % 32;

			if ((column.valid == NULL || (column.valid[w] & bit) != 0) &&
				(column.recheck == NULL || (column.recheck[w] & bit) == 0))
				state = GPUSTR_FALSE;
		}
		if (i < args.room)
		{
			const bool has = state == GPUSTR_FALSE;

			if (column.to_value != NULL)
				column.to_value[i] = !has					? 0
									 : column.value != NULL ? column.value[r]
															: column.constant;
			if (column.to_start != NULL)
			{
				column.to_start[i] = has ? column.start[r] : 0;
				column.to_end[i] = has ? column.end[r] : 0;
			}
		}
		__syncwarp();
		valid = __ballot_sync(0xFFFFFFFF, state == GPUSTR_FALSE);
		if (i % 32 == 0)
			column.to_valid[i / 32] = valid;
	}
	__syncwarp();
	if (args.to_recheck != NULL)
	{
		uint32_t word = __ballot_sync(0xFFFFFFFF, doubt);

		if (i % 32 == 0)
			args.to_recheck[i / 32] = word;
	}
}

cudaError_t launch_result(const ResultArgs &args, const ResultColumns &columns, cudaStream_t stream)
{
	make_result<<<launch_blocks(args.room, ROW_THREADS), ROW_THREADS, 0, stream>>>(args, columns);
	return cudaPeekAtLastError();
}

/* The first result, of [0, i], that came of the same pair of the first PROBE as result i. */
static __device__ __forceinline__ unsigned long long first_alike(const ResultEnd &end,
																 unsigned long long i, int32_t pair)
{
	unsigned long long low = 0;
	unsigned long long high = i;

	while (low < high)
	{
		unsigned long long middle = (low + high) / 2;

		if (row_before(end.steps, result_row(end.index, middle), 1) < pair)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * result_end - where a piece ends, and the next one starts.
 *
 * One block of 256 threads.
 * e.g. 10 results, skip 2, room 5, no_room 01000: written 3; result 5 came of pair 4,
 *		as did result 4: next_pair 4, next_skip 1
 */
static __global__ void __launch_bounds__(ROW_THREADS)
	result_end(const __grid_constant__ ResultEnd end, JoinCounters *counters,
			   unsigned long long *computed)
{
	__shared__ int32_t written;
	const unsigned long long all = end.kept != NULL ? *end.kept : (unsigned long long)end.nrows;

	if (threadIdx.x == 0)
		written = results_there(all, end.skip, end.room);
	__syncthreads();
	if (end.no_room != NULL)
		for (int32_t w = (int32_t)threadIdx.x; w < (int32_t)GPUSTR_BITMAP_WORDS(end.room);
			 w += ROW_THREADS)
			if (end.no_room[w] != 0)
			{
				/* those of this thread that follow are behind it */
				atomicMin(&written, w * 32 + __ffs((int)end.no_room[w]) - 1);
				break;
			}
	__syncthreads();
	for (int32_t c = (int32_t)threadIdx.x; c < end.ncolumns; c += ROW_THREADS)
		counters->bytes[c] = end.offset[c] != NULL ? (uint32_t)end.offset[c][written] : 0;
	if (threadIdx.x == 0)
	{
		const unsigned long long next = end.skip + written;

		counters->kept = all;
		counters->written = (unsigned long long)written;
		if (next < all)
		{
			int32_t pair = row_before(end.steps, result_row(end.index, next), 1);

			counters->next_pair = (unsigned long long)pair;
			counters->next_skip = next - first_alike(end, next, pair);
		}
		*computed = 1;
	}
}

cudaError_t launch_result_end(const ResultEnd &end, JoinCounters *counters,
							  unsigned long long *computed, cudaStream_t stream)
{
	result_end<<<1, ROW_THREADS, 0, stream>>>(end, counters, computed);
	return cudaPeekAtLastError();
}
