/*-------------------------------------------------------------------------
 *
 * hash_sort.cuh
 *	  Rows of equal keys put in ascending order.
 *
 * After hash_make_runs() the rows of a run have no order; pairs have one, so both
 * engines number them alike.
 *
 *		hash_sort_runs		short runs, each by one thread, where they are; notes
 *							of the long ones
 *		(the host reads the counters: is there any?)
 *		hash_sort_long		these together, by one radix sort
 *
 * Long runs are gathered one after the other into items: where the run begins among
 * these, and in the lower bits the row.  So in the order of the items a run is where
 * it was, and its rows ascend, be it a hundred million rows or thirty.
 *
 * IDENTIFICATION
 *	  cuda/hash_sort.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_HASH_SORT_CUH
#define GPUSTR_HASH_SORT_CUH

#include <cub/device/device_radix_sort.cuh>

#include "cuda_check.cuh"
#include "hash_counters.cuh"
#include "hash_table.cuh"

/* Rows that a thread puts in order, at most. */
#define HASH_SHORT_RUN 24

/* About how many blocks gather runs. */
#define HASH_GATHER_BLOCKS 2048

struct HashLongRun
{
	uint32_t row_at; /* its first row is runs[row_at] ... */
	uint32_t item;	 /* ... and items[item] */
};

/* One thread a slot.  By insertion: runs are short, and half in order. */
static __global__ void __launch_bounds__(HASH_BLOCK)
	hash_sort_runs_kernel(const RowfnTable table, uint64_t nslots, HashLongRun *longs,
						  HashCounters *counters)
{
	const uint64_t i = (uint64_t)blockIdx.x * HASH_BLOCK + threadIdx.x;
	const uint32_t value = i < nslots ? rowfn_slot_value(table.slots[i]) : ROWFN_NO_ROW;
	uint32_t *run;
	uint32_t n;

	if (value == ROWFN_NO_ROW || (value & ROWFN_VALUE_RUN) == 0)
		return;
	run = table.runs + (value & ~ROWFN_VALUE_RUN);
	n = *run++;
	if (n > HASH_SHORT_RUN)
	{
		HashLongRun noted;

		noted.row_at = (value & ~ROWFN_VALUE_RUN) + 1;
		noted.item = atomicAdd(&counters->long_words, n);
		longs[atomicAdd(&counters->long_runs, 1)] = noted;
		return;
	}
	for (uint32_t k = 1; k < n; k++)
	{
		uint32_t row = run[k];
		uint32_t to = k;

		for (; to > 0 && run[to - 1] > row; to--)
			run[to] = run[to - 1];
		if (to < k)
			run[to] = row;
	}
}

/* A run is that of all blocks of one blockIdx.x. */
static __global__ void __launch_bounds__(HASH_BLOCK)
	hash_gather_runs_kernel(const uint32_t *runs, const HashLongRun *longs, int row_bits,
							uint32_t *row_at, uint64_t *items)
{
	const HashLongRun run = longs[blockIdx.x];
	const uint64_t n = runs[run.row_at - 1];

	if (blockIdx.y == 0 && threadIdx.x == 0)
		row_at[run.item] = run.row_at;
	for (uint64_t k = (uint64_t)blockIdx.y * HASH_BLOCK + threadIdx.x; k < n;
		 k += (uint64_t)gridDim.y * HASH_BLOCK)
		items[run.item + k] = (uint64_t)run.item << row_bits | runs[run.row_at + k];
}

static __global__ void __launch_bounds__(HASH_BLOCK)
	hash_spread_runs_kernel(const uint64_t *items, uint32_t n, int row_bits, const uint32_t *row_at,
							uint32_t *runs)
{
	const uint64_t i = (uint64_t)blockIdx.x * HASH_BLOCK + threadIdx.x;

	if (i < n)
	{
		uint64_t item = items[i];
		uint32_t run = (uint32_t)(item >> row_bits);

		runs[row_at[run] + ((uint32_t)i - run)] = (uint32_t)(item & ((1ull << row_bits) - 1));
	}
}

/* Bits that tell numbers below n from each other. */
static inline int hash_bits_of(uint64_t n)
{
	int bits = 1;

	while (n > 1ull << bits)
		bits++;
	return bits;
}

/*
 * Order short runs, and note the long ones, after hash_make_runs().
 *
 * longs	out: [rows / HASH_SHORT_RUN], aligned to 4 bytes
 *
 * e.g. runs {3, 5, 0, 2, 2, 4, 1} become {3, 0, 2, 5, 2, 1, 4}
 */
static inline cudaError_t hash_sort_runs(const RowfnTable &table, HashLongRun *longs,
										 HashCounters *counters, cudaStream_t stream)
{
	const uint64_t nslots = (uint64_t)table.nwindows * table.window;

	hash_sort_runs_kernel<<<(uint32_t)((nslots + HASH_BLOCK - 1) / HASH_BLOCK), HASH_BLOCK, 0,
							stream>>>(table, nslots, longs, counters);
	return cudaPeekAtLastError();
}

/* Bytes of scratch memory for hash_sort_long(). */
static inline cudaError_t hash_sort_scratch(uint32_t long_words, size_t *bytes)
{
	cub::DoubleBuffer<uint64_t> items(NULL, NULL);

	*bytes = 0;
	return cub::DeviceRadixSort::SortKeys(NULL, *bytes, items, long_words, 0, 64);
}

/*
 * Order the long runs, if any.
 *
 * rows			of the table
 * known		the counters, as hash_sort_runs() has left them, in host memory
 * row_at		scratch: [known.long_words]
 * a, b			scratch: [known.long_words] items
 */
static inline cudaError_t hash_sort_long(const RowfnTable &table, uint32_t rows,
										 const HashCounters &known, const HashLongRun *longs,
										 uint32_t *row_at, uint64_t *a, uint64_t *b, void *scratch,
										 size_t scratch_bytes, cudaStream_t stream)
{
	const uint32_t n = known.long_words;
	const int row_bits = hash_bits_of(rows);
	const uint32_t each = n > 0 ? HASH_GATHER_BLOCKS / known.long_runs : 0;
	const dim3 grid(known.long_runs, each > 0 ? each : 1);
	cub::DoubleBuffer<uint64_t> items(a, b);

	if (n == 0)
		return cudaSuccess;
	hash_gather_runs_kernel<<<grid, HASH_BLOCK, 0, stream>>>(table.runs, longs, row_bits, row_at,
															 a);
	CUDA_PASS(cudaPeekAtLastError());
	CUDA_PASS(cub::DeviceRadixSort::SortKeys(scratch, scratch_bytes, items, n, 0,
											 row_bits + hash_bits_of(n), stream));
	hash_spread_runs_kernel<<<(uint32_t)(((uint64_t)n + HASH_BLOCK - 1) / HASH_BLOCK), HASH_BLOCK,
							  0, stream>>>(items.Current(), n, row_bits, row_at, table.runs);
	return cudaPeekAtLastError();
}

#endif /* GPUSTR_HASH_SORT_CUH */
