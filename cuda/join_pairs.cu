/*-------------------------------------------------------------------------
 *
 * join_pairs.cu
 *	  Pairs by number, and registers brought over to them: GATHER and INNER.
 *
 * The pairs of row r have the numbers [start[r], start[r + 1]).  So a pair's row is
 * found by halves; a block of pairs first finds the rows of its first and its last
 * one, between which the others lie.  It does not matter how the pairs are spread over
 * rows: a key that occurs a million times is the work of as many threads.
 *
 * IDENTIFICATION
 *	  cuda/join_pairs.cu
 *
 *-------------------------------------------------------------------------
 */
#include "join_kernels.cuh"
#include "row_words.cuh"

/* The last row of [low, high) that starts at or before a pair; start[low] <= pair */
static __device__ __forceinline__ int32_t row_of_pair(const unsigned long long *start, int32_t low,
													  int32_t high, unsigned long long pair)
{
	while (high - low > 1)
	{
		int32_t middle = low + (high - low) / 2;

		if (start[middle] <= pair)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/*
 * make_pairs - pairs [first, first + n).
 *
 * start	[nrows + 1] ascending; start[nrows] >= first + n
 *
 * One thread a pair, 256 a block; a warp writes a word by ballot.
 * e.g. start {0, 2, 2, 3}, values {run of rows 1 and 4, none, row 0}, first 1, n 2:
 *		outer {0, 2}, inner {4, 0}
 */
static __global__ void __launch_bounds__(ROW_THREADS)
	make_pairs(const __grid_constant__ PairsArgs args)
{
	__shared__ int32_t row[2];
	const int32_t p = my_row();
	const int32_t block = (int32_t)(blockIdx.x * ROW_THREADS);
	bool doubt = false;

	if (threadIdx.x < 2)
	{
		int32_t at = threadIdx.x == 0 ? block : min(block + ROW_THREADS, args.n) - 1;

		row[threadIdx.x] = row_of_pair(args.start, 0, args.nrows, args.first + at);
	}
	__syncthreads();
	if (p < args.n)
	{
		const unsigned long long pair = args.first + p;
		const int32_t r = row_of_pair(args.start, row[0], row[1] + 1, pair);
		const uint32_t k = (uint32_t)(pair - args.start[r]);
		uint32_t inner = ROWFN_NO_ROW;

		if (args.kind <= GPUSTR_PROBE_MARK)
		{
			const uint32_t value = args.value[r];

			if (k < rowfn_value_rows(args.runs, value))
				inner = rowfn_value_row(args.runs, value, k);
		}
		args.outer[p] = r;
		args.inner[p] = inner;
		doubt = args.doubt != NULL && (args.doubt[r / 32] >> (r % 32) & 1) != 0;
	}
	if (args.doubt != NULL)
	{
		uint32_t word = __ballot_sync(0xFFFFFFFF, doubt);

		if (p % 32 == 0 && p < args.n)
			args.doubt_out[p / 32] = word;
	}
}

cudaError_t launch_pairs(const PairsArgs &args, cudaStream_t stream)
{
	static_assert(
		GPUSTR_PROBE_INNER < GPUSTR_PROBE_MARK && GPUSTR_PROBE_OUTER < GPUSTR_PROBE_MARK &&
			GPUSTR_PROBE_SEMI > GPUSTR_PROBE_MARK && GPUSTR_PROBE_ANTI > GPUSTR_PROBE_MARK,
		"kinds whose pairs have inner rows come first");

	make_pairs<<<launch_blocks(args.n, ROW_THREADS), ROW_THREADS, 0, stream>>>(args);
	return cudaPeekAtLastError();
}

/*
 * bring_columns - registers of the space before, and columns of the table.
 *
 * outer, inner	[npairs]; a column of the table is NULL where inner is ROWFN_NO_ROW
 *
 * One thread a pair, 256 a block; a warp writes words by ballot.
 * e.g. outer {0, 2, 2}, inner {4, 0, none}, value {5, NULL, 7} by outer rows, {10, 11,
 *		12, 13, 14} by inner ones: {5, 7, 7} and {14, 10, NULL}
 */
static __global__ void __launch_bounds__(ROW_THREADS)
	bring_columns(const __grid_constant__ ColumnsArgs args)
{
	const int32_t p = my_row();
	uint32_t outer = ROWFN_NO_ROW;
	uint32_t inner = ROWFN_NO_ROW;

	if (!warp_has_rows(p, args.npairs))
		return;
	if (p < args.npairs)
	{
		outer = (uint32_t)args.outer[p];
		inner = args.inner[p];
	}
	for (int32_t i = 0; i < args.ncolumns; i++)
	{
		const JoinColumn &column = args.column[i];
		const uint32_t r = column.inner ? inner : outer;
		uint32_t state = GPUSTR_NULL;
		int64_t value = 0;
		int32_t start = 0;
		int32_t end = 0;

		if (r != ROWFN_NO_ROW)
		{
			const uint32_t w = r / 32;
			const uint32_t bit = 1u << r % 32;

			state = GPUSTR_FALSE;
			if (column.recheck != NULL && (column.recheck[w] & bit) != 0)
				state = GPUSTR_RECHECK;
			else if (column.valid != NULL && (column.valid[w] & bit) == 0)
				state = GPUSTR_NULL;
			if (state == GPUSTR_FALSE && column.to_value != NULL)
				value = column.value[r];
			if (state == GPUSTR_FALSE && column.to_start != NULL)
			{
				start = column.start[r];
				end = column.end[r];
			}
		}
		if (p < args.npairs)
		{
			if (column.to_value != NULL)
				column.to_value[p] = value;
			if (column.to_start != NULL)
			{
				column.to_start[p] = start;
				column.to_end[p] = end;
			}
		}
		__syncwarp();
		write_state(StatePlanes{column.to_valid, column.to_recheck}, p, state);
	}
}

cudaError_t launch_columns(const ColumnsArgs &args, cudaStream_t stream)
{
	if (args.ncolumns == 0)
		return cudaSuccess;
	bring_columns<<<launch_blocks(args.npairs, ROW_THREADS), ROW_THREADS, 0, stream>>>(args);
	return cudaPeekAtLastError();
}
