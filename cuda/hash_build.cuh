/*-------------------------------------------------------------------------
 *
 * hash_build.cuh
 *	  The hash table of a join, built in device memory.
 *
 *		hash_begin			all slots empty, counters 0
 *		hash_insert			rows in, as often as there are sources
 *		(the host reads the counters: full?  has any key occurred twice?)
 *		hash_make_runs		if so: rows of equal keys brought together; hash_sort.cuh
 *							puts them in order
 *
 * A thread group that finds an empty slot takes it by one compare-and-swap; if
 * another was faster, it looks at what that one put there.  All groups try the
 * slots of a key in the same order and slots never become empty again, so a key
 * gets one slot.
 *
 * Rows beyond their key's first only note its slot (in met[], where they stand
 * in the source).  Counting them and putting them into runs, equal ones of a
 * warp add up first: one counter is touched at most 32 times less often than
 * its key occurs, and no thread ever walks over a key's rows.
 *
 * IDENTIFICATION
 *	  cuda/hash_build.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_HASH_BUILD_CUH
#define GPUSTR_HASH_BUILD_CUH

#include <cub/block/block_scan.cuh>

#include "cuda_check.cuh"
#include "hash_counters.cuh"
#include "hash_table.cuh"

/* hash_insert_row(): what it returns but the number of a slot. */
#define HASH_TAKEN ROWFN_NO_ROW
#define HASH_FULL (ROWFN_NO_ROW - 1)

/*
 * Put a row into the table, by its group.  Returns, in all threads of it, the
 * slot that its key has already, HASH_TAKEN or HASH_FULL.
 */
template <int GROUP, int BUCKET, class Equal>
__device__ __forceinline__ uint32_t hash_insert_row(const RowfnTable &table, uint32_t hash,
													uint32_t row, const Equal &equal)
{
	const uint32_t rank = threadIdx.x % GROUP;
	const HashWord wanted = rowfn_slot(hash, row);
	uint32_t window = rowfn_table_first(hash, table.nwindows);

#pragma unroll 1
	for (uint32_t tried = 0; tried < table.nwindows; tried++)
	{
		HashWord *p = hash_bucket<GROUP, BUCKET>(table, window, rank);
		HashBucket<BUCKET> bucket;

		bucket.load_shared(p);
		for (;;)
		{
			/* the first slot of this thread that decides, if any does */
			int at = BUCKET;
			bool met = false;
			uint32_t outcome = HASH_FULL;

#pragma unroll
			for (int b = 0; b < BUCKET; b++)
				if (at == BUCKET)
				{
					HashWord slot = bucket.slot[b];

					if (rowfn_slot_empty(slot))
						at = b;
					else if (rowfn_slot_hash(slot) == hash &&
							 equal(table, rowfn_slot_value(slot), row))
					{
						at = b;
						met = true;
					}
				}

			uint32_t leader = 0;

			if constexpr (GROUP > 1)
			{
				uint32_t votes = hash_group<GROUP>().ballot(at < BUCKET);

				if (votes == 0)
					break;
				leader = (uint32_t)__ffs((int)votes) - 1;
			}
			else if (at == BUCKET)
				break;
			if (rank == leader)
			{
				if (met)
					outcome = (uint32_t)(p - (HashWord *)table.slots) + (uint32_t)at;
				else
				{
					HashWord old = atomicCAS(p + at, (HashWord)ROWFN_SLOT_EMPTY, wanted);

					if (old == ROWFN_SLOT_EMPTY)
						outcome = HASH_TAKEN;
#pragma unroll
					for (int b = 0; b < BUCKET; b++)
						if (b == at)
							bucket.slot[b] = old;
				}
			}
			if constexpr (GROUP > 1)
				outcome = hash_group<GROUP>().shfl(outcome, leader);
			if (outcome != HASH_FULL)
				return outcome;
		}
		window = rowfn_table_next(window, table.nwindows);
	}
	return HASH_FULL;
}

/* One tile a block.  n <= HASH_MAX_ROWS; met: [n] */
template <int GROUP, int BUCKET, class Source, class Equal>
static __global__ void __launch_bounds__(HASH_BLOCK)
	hash_insert_kernel(const RowfnTable table, const Source source,
					   const __grid_constant__ Equal equal, uint32_t n, uint32_t *met,
					   HashCounters *counters)
{
	const uint32_t groups = HASH_BLOCK / GROUP;
	const bool first = threadIdx.x % GROUP == 0;
	__shared__ uint32_t sums[3];
	uint32_t distinct = 0;
	uint32_t repeated = 0;
	uint32_t left_out = 0;

	if (threadIdx.x < 3)
		sums[threadIdx.x] = 0;
	__syncthreads();
#pragma unroll 1
	for (uint32_t k = 0; k < HASH_TILE; k += groups)
	{
		uint32_t i = blockIdx.x * HASH_TILE + k + threadIdx.x / GROUP;
		uint32_t outcome = ROWFN_NO_ROW;
		uint32_t hash;
		uint32_t row;

		if (i >= n)
			break;
		if (source.get(i, &hash, &row))
		{
			outcome = hash_insert_row<GROUP, BUCKET>(table, hash, row, equal);
			distinct += outcome == HASH_TAKEN;
			left_out += outcome == HASH_FULL;
			repeated += outcome < HASH_FULL;
		}
		if (first)
			__stcs(met + i, outcome < HASH_FULL ? outcome : ROWFN_NO_ROW);
	}
	if (first)
	{
		atomicAdd(&sums[0], distinct);
		if (repeated > 0)
			atomicAdd(&sums[1], repeated);
		if (left_out > 0)
			atomicAdd(&sums[2], left_out);
	}
	__syncthreads();
	if (threadIdx.x < 3 && sums[threadIdx.x] > 0)
		atomicAdd(&counters->distinct + threadIdx.x, sums[threadIdx.x]);
}

/* Add 1 to count[at] for each thread whose 'at' is not ROWFN_NO_ROW; returns what it was for it. */
__device__ __forceinline__ uint32_t hash_add_together(uint32_t *count, uint32_t at)
{
	unsigned alike = __match_any_sync(0xFFFFFFFFu, at);
	unsigned before = alike & ((1u << threadIdx.x % 32) - 1);
	int leader = __ffs((int)alike) - 1;
	uint32_t was = 0;

	if (at != ROWFN_NO_ROW && before == 0)
		was = atomicAdd(count + at, (uint32_t)__popc(alike));
	return __shfl_sync(0xFFFFFFFFu, was, leader) + (uint32_t)__popc(before);
}

static __global__ void __launch_bounds__(HASH_BLOCK)
	hash_count_met_kernel(const uint32_t *met, uint32_t n, uint32_t *count)
{
	uint64_t i = (uint64_t)blockIdx.x * HASH_BLOCK + threadIdx.x;
	uint32_t at = i < n ? __ldcs(met + i) : ROWFN_NO_ROW;

	if (__any_sync(0xFFFFFFFFu, at != ROWFN_NO_ROW))
		(void)hash_add_together(count, at);
}

/* Allot runs: 4 slots a thread.  count[] becomes where the next row goes. */
static __global__ void __launch_bounds__(HASH_BLOCK)
	hash_allot_kernel(HashWord *slots, uint64_t nslots, uint32_t *count, uint32_t *runs,
					  HashCounters *counters)
{
	typedef cub::BlockScan<uint32_t, HASH_BLOCK> Scan;
	__shared__ typename Scan::TempStorage scratch;
	__shared__ uint32_t taken;
	const uint64_t first = (uint64_t)blockIdx.x * HASH_TILE;
	uint32_t more[4];
	uint32_t words = 0;
	uint32_t at;
	uint32_t sum;

#pragma unroll
	for (int k = 0; k < 4; k++)
	{
		uint64_t i = first + k * HASH_BLOCK + threadIdx.x;

		more[k] = i < nslots ? count[i] : 0;
		words += more[k] > 0 ? more[k] + 2 : 0;
	}
	if (__syncthreads_or(words > 0) == 0)
		return;
	Scan(scratch).ExclusiveSum(words, at, sum);
	if (threadIdx.x == 0)
		taken = atomicAdd(&counters->run_words, sum);
	__syncthreads();
	at += taken;
#pragma unroll
	for (int k = 0; k < 4; k++)
		if (more[k] > 0)
		{
			uint64_t i = first + k * HASH_BLOCK + threadIdx.x;
			HashWord slot = slots[i];

			runs[at] = more[k] + 1;
			runs[at + 1] = rowfn_slot_value(slot);
			slots[i] = rowfn_slot(rowfn_slot_hash(slot), ROWFN_VALUE_RUN | at);
			count[i] = at + 2;
			at += more[k] + 2;
		}
}

template <class Source>
static __global__ void __launch_bounds__(HASH_BLOCK)
	hash_place_kernel(const Source source, const uint32_t *met, uint32_t n, uint32_t *count,
					  uint32_t *runs)
{
	uint64_t i = (uint64_t)blockIdx.x * HASH_BLOCK + threadIdx.x;
	uint32_t at = i < n ? __ldcs(met + i) : ROWFN_NO_ROW;

	if (__any_sync(0xFFFFFFFFu, at != ROWFN_NO_ROW))
	{
		uint32_t to = hash_add_together(count, at);

		if (at != ROWFN_NO_ROW)
			runs[to] = source.row((uint32_t)i);
	}
}

static inline uint64_t hash_slots(const RowfnTable &table)
{
	return (uint64_t)table.nwindows * table.window;
}

/*
 * Empty a table.  table.slots: [hash_slots(table)] of device memory, aligned to
 * 16 bytes; nwindows as rowfn_table_windows() says.
 */
static inline cudaError_t hash_begin(const RowfnTable &table, HashCounters *counters,
									 cudaStream_t stream)
{
	CUDA_PASS(cudaMemsetAsync(table.slots, 0xFF, 8 * hash_slots(table), stream));
	return cudaMemsetAsync(counters, 0, sizeof(HashCounters), stream);
}

/*
 * Put in the rows of a source; those of the whole table are
 * ROWFN_TABLE_MAX_ROWS at most, no row comes twice.  table.window is group * bucket.
 *
 * met		out: [n] the slot of an equal key, for hash_make_runs(), or
 *			ROWFN_NO_ROW; kept until then
 *
 * e.g. words {7, 5, 7, 9, 5, 7, 1, 2}: distinct 5, repeated 3, met of rows 2 and
 * 5 the slot of 7, of row 4 that of 5 (if the rows come in that order)
 */
template <int GROUP, int BUCKET, class Source, class Equal>
static cudaError_t hash_insert_as(const RowfnTable &table, const Source &source, const Equal &equal,
								  uint32_t n, uint32_t *met, HashCounters *counters,
								  cudaStream_t stream)
{
	if (n == 0)
		return cudaSuccess;
	if ((uint32_t)(GROUP * BUCKET) != table.window || n > HASH_MAX_ROWS)
		return cudaErrorInvalidValue;
	hash_insert_kernel<GROUP, BUCKET>
		<<<hash_tiles(n), HASH_BLOCK, 0, stream>>>(table, source, equal, n, met, counters);
	return cudaPeekAtLastError();
}

/* The same for a probing shape that is known when it runs. */
template <class Source, class Equal>
static cudaError_t hash_insert(int group, int bucket, const RowfnTable &table, const Source &source,
							   const Equal &equal, uint32_t n, uint32_t *met,
							   HashCounters *counters, cudaStream_t stream)
{
#define HASH_CALL(g, b) hash_insert_as<g, b>(table, source, equal, n, met, counters, stream)
	return HASH_SHAPE(group, bucket, HASH_CALL);
#undef HASH_CALL
}

/* Words that runs[] needs at most: 'rows' of all, 'repeated' beyond their key's first. */
static inline uint64_t hash_run_words(uint64_t rows, uint64_t repeated)
{
	uint64_t by_rows = rows + rows / 2;

	return 3 * repeated < by_rows ? 3 * repeated : by_rows;
}

/*
 * Bring rows of equal keys together, after one hash_insert() of n rows.
 *
 * table.runs	out: [hash_run_words()]
 * count		scratch: [hash_slots()]
 *
 * e.g. of the rows above: runs {3, 0, 2, 5, 2, 1, 4} or {2, 1, 4, 3, 0, 2, 5}; the
 * slot of 7 is a run at 0 (or 3), that of 5 one at 4 (or 0); within one the rows
 * have no order
 */
template <class Source>
static cudaError_t hash_make_runs(const RowfnTable &table, const Source &source, uint32_t n,
								  const uint32_t *met, uint32_t *count, HashCounters *counters,
								  cudaStream_t stream)
{
	const uint64_t nslots = hash_slots(table);
	const uint32_t blocks = (uint32_t)(((uint64_t)n + HASH_BLOCK - 1) / HASH_BLOCK);

	if (n == 0)
		return cudaSuccess;
	CUDA_PASS(cudaMemsetAsync(count, 0, 4 * nslots, stream));
	hash_count_met_kernel<<<blocks, HASH_BLOCK, 0, stream>>>(met, n, count);
	CUDA_PASS(cudaPeekAtLastError());
	hash_allot_kernel<<<(uint32_t)((nslots + HASH_TILE - 1) / HASH_TILE), HASH_BLOCK, 0, stream>>>(
		(HashWord *)table.slots, nslots, count, table.runs, counters);
	CUDA_PASS(cudaPeekAtLastError());
	hash_place_kernel<<<blocks, HASH_BLOCK, 0, stream>>>(source, met, n, count, table.runs);
	return cudaPeekAtLastError();
}

#endif /* GPUSTR_HASH_BUILD_CUH */
