/*-------------------------------------------------------------------------
 *
 * hash_probe.cuh
 *	  Outer rows looked up in the hash table of a join.
 *
 *		hash_find			the inner row, one of them
 *		hash_contains		is there any
 *		hash_count			how many, of each row and together
 *		hash_mark			note for the inner rows that an outer one has met them
 *
 * One block takes a tile of HASH_TILE rows.  Pairs are in hash_retrieve.cuh.
 *
 * IDENTIFICATION
 *	  cuda/hash_probe.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_HASH_PROBE_CUH
#define GPUSTR_HASH_PROBE_CUH

#include "cuda_check.cuh"
#include "hash_table.cuh"

template <int GROUP, int BUCKET, class Source, class Equal>
static __global__ void __launch_bounds__(HASH_BLOCK)
	hash_find_kernel(const RowfnTable table, const Source source,
					 const __grid_constant__ Equal equal, uint32_t n, uint32_t *inner)
{
	const uint32_t first = blockIdx.x * HASH_TILE;

	hash_probe_tile<GROUP, BUCKET>(
		table, source, equal, first, n,
		[&](uint32_t at, uint32_t, uint32_t value)
		{ __stcs(inner + first + at, rowfn_value_row(table.runs, value, 0)); });
}

template <int GROUP, int BUCKET, class Source, class Equal>
static __global__ void __launch_bounds__(HASH_BLOCK)
	hash_contains_kernel(const RowfnTable table, const Source source,
						 const __grid_constant__ Equal equal, uint32_t n, uint32_t *bits)
{
	__shared__ uint8_t found[HASH_TILE];
	const uint32_t first = blockIdx.x * HASH_TILE;

	hash_probe_tile<GROUP, BUCKET>(table, source, equal, first, n,
								   [&](uint32_t at, uint32_t, uint32_t value)
								   { found[at] = value != ROWFN_NO_ROW; });
	__syncthreads();
	for (uint32_t at = threadIdx.x; at < HASH_TILE; at += HASH_BLOCK)
	{
		uint32_t word = __ballot_sync(0xFFFFFFFFu, first + at < n && found[at]);

		if (threadIdx.x % 32 == 0 && first + at < n)
			bits[(first + at) / 32] = word;
	}
}

template <int GROUP, int BUCKET, class Source, class Equal>
static __global__ void __launch_bounds__(HASH_BLOCK)
	hash_count_kernel(const RowfnTable table, const Source source,
					  const __grid_constant__ Equal equal, uint32_t n, bool outer, uint32_t *each,
					  unsigned long long *all)
{
	__shared__ unsigned long long sum;
	const uint32_t first = blockIdx.x * HASH_TILE;
	unsigned long long mine = 0;

	if (threadIdx.x == 0)
		sum = 0;
	__syncthreads();
	hash_probe_tile<GROUP, BUCKET>(table, source, equal, first, n,
								   [&](uint32_t at, uint32_t, uint32_t value)
								   {
									   uint32_t rows = rowfn_value_rows(table.runs, value);

									   if (outer && rows == 0)
										   rows = 1;
									   if (each != NULL)
										   __stcs(each + first + at, rows);
									   mine += rows;
								   });
	for (int step = 16; step > 0; step /= 2)
		mine += __shfl_down_sync(0xFFFFFFFFu, mine, step);
	if (threadIdx.x % 32 == 0)
		atomicAdd(&sum, mine);
	__syncthreads();
	if (threadIdx.x == 0 && sum > 0)
		atomicAdd(all, sum);
}

__device__ __forceinline__ void hash_set_bit(uint32_t *bits, uint32_t row)
{
	uint32_t bit = 1u << row % 32;

	/* most are set already when rows are many: a look costs less than an atomic */
	if ((__ldcg(bits + row / 32) & bit) == 0)
		atomicOr(bits + row / 32, bit);
}

template <int GROUP, int BUCKET, class Source, class Equal>
static __global__ void __launch_bounds__(HASH_BLOCK)
	hash_mark_kernel(const RowfnTable table, const Source source,
					 const __grid_constant__ Equal equal, uint32_t n, uint32_t *matched)
{
	hash_probe_tile<GROUP, BUCKET>(table, source, equal, blockIdx.x * HASH_TILE, n,
								   [&](uint32_t, uint32_t, uint32_t value)
								   {
									   if (value == ROWFN_NO_ROW)
										   return;
									   if ((value & ROWFN_VALUE_RUN) == 0)
										   hash_set_bit(matched, value);
									   else
									   {
										   uint32_t *run = table.runs + (value & ~ROWFN_VALUE_RUN);

										   if ((*(volatile uint32_t *)run & ROWFN_RUN_MATCHED) == 0)
											   atomicOr(run, ROWFN_RUN_MATCHED);
									   }
								   });
}

/* Runs that are marked: their rows.  A long one is the whole block's. */
static __global__ void __launch_bounds__(HASH_BLOCK)
	hash_spread_kernel(const RowfnTable table, uint64_t nslots, uint32_t *matched)
{
	__shared__ uint32_t longer[HASH_BLOCK];
	__shared__ uint32_t nlonger;
	const uint64_t i = (uint64_t)blockIdx.x * HASH_BLOCK + threadIdx.x;
	const uint64_t slot = i < nslots ? table.slots[i] : ROWFN_SLOT_EMPTY;
	const uint32_t value = rowfn_slot_value(slot);

	if (threadIdx.x == 0)
		nlonger = 0;
	__syncthreads();
	if (value != ROWFN_NO_ROW && (value & ROWFN_VALUE_RUN) != 0)
	{
		uint32_t *run = table.runs + (value & ~ROWFN_VALUE_RUN);
		uint32_t count = *run;

		if ((count & ROWFN_RUN_MATCHED) != 0)
		{
			count &= ~ROWFN_RUN_MATCHED;
			*run = count;
			if (count > 32)
				longer[atomicAdd(&nlonger, 1)] = value & ~ROWFN_VALUE_RUN;
			else
				for (uint32_t k = 1; k <= count; k++)
					hash_set_bit(matched, run[k]);
		}
	}
	__syncthreads();
	for (uint32_t j = 0; j < nlonger; j++)
	{
		const uint32_t *run = table.runs + longer[j];

		for (uint32_t k = 1 + threadIdx.x; k <= *run; k += HASH_BLOCK)
			hash_set_bit(matched, run[k]);
	}
}

static __global__ void __launch_bounds__(HASH_BLOCK)
	hash_mark_rows_kernel(const uint32_t *inner, uint32_t n, uint32_t *matched)
{
	uint64_t i = (uint64_t)blockIdx.x * HASH_BLOCK + threadIdx.x;
	uint32_t row = i < n ? inner[i] : ROWFN_NO_ROW;

	if (row != ROWFN_NO_ROW)
		hash_set_bit(matched, row);
}

/* Is the shape that of the table, and the source not too long? */
static inline bool hash_probe_fits(int group, int bucket, const RowfnTable &table, uint32_t n)
{
	return (uint32_t)(group * bucket) == table.window && n <= HASH_MAX_ROWS;
}

/*
 * One inner row for each number of the source.
 *
 * inner	out: [n] ROWFN_NO_ROW: there is none
 *
 * e.g. inner words {7, 5, 9, 1}, outer {1, 2, 7, 7, NULL, 9, 5, 0}: 3 - 0 0 - 2 1 -,
 * with - for ROWFN_NO_ROW
 */
template <class Source, class Equal>
static cudaError_t hash_find(int group, int bucket, const RowfnTable &table, const Source &source,
							 const Equal &equal, uint32_t n, uint32_t *inner, cudaStream_t stream)
{
	if (n == 0)
		return cudaSuccess;
	if (!hash_probe_fits(group, bucket, table, n))
		return cudaErrorInvalidValue;
#define HASH_CALL(g, b)                                                                            \
	(hash_find_kernel<g, b>                                                                        \
	 <<<hash_tiles(n), HASH_BLOCK, 0, stream>>>(table, source, equal, n, inner),                   \
	 cudaPeekAtLastError())
	return HASH_SHAPE(group, bucket, HASH_CALL);
#undef HASH_CALL
}

/*
 * Whether there is an inner row.
 *
 * bits		out: [(n + 31) / 32] bit i of word i/32 for number i of the source; 0
 *			past n
 *
 * e.g. inner and outer as above: 1 0 1 1 0 1 1 0
 */
template <class Source, class Equal>
static cudaError_t hash_contains(int group, int bucket, const RowfnTable &table,
								 const Source &source, const Equal &equal, uint32_t n,
								 uint32_t *bits, cudaStream_t stream)
{
	if (n == 0)
		return cudaSuccess;
	if (!hash_probe_fits(group, bucket, table, n))
		return cudaErrorInvalidValue;
#define HASH_CALL(g, b)                                                                            \
	(hash_contains_kernel<g, b>                                                                    \
	 <<<hash_tiles(n), HASH_BLOCK, 0, stream>>>(table, source, equal, n, bits),                    \
	 cudaPeekAtLastError())
	return HASH_SHAPE(group, bucket, HASH_CALL);
#undef HASH_CALL
}

/*
 * How many inner rows.
 *
 * outer	a row without one counts as one
 * each		out: [n], or NULL
 * all		the sum is added to it
 *
 * e.g. inner words {7, 5, 7, 9, 5, 7, 1, 2}, outer {1, 7, 3, 5, 7, NULL, 9, 0}: 1 3 0
 * 2 3 0 1 0, together 10; outer: 1 3 1 2 3 1 1 1, together 13
 */
template <class Source, class Equal>
static cudaError_t hash_count(int group, int bucket, const RowfnTable &table, const Source &source,
							  const Equal &equal, uint32_t n, bool outer, uint32_t *each,
							  unsigned long long *all, cudaStream_t stream)
{
	if (n == 0)
		return cudaSuccess;
	if (!hash_probe_fits(group, bucket, table, n))
		return cudaErrorInvalidValue;
#define HASH_CALL(g, b)                                                                            \
	(hash_count_kernel<g, b>                                                                       \
	 <<<hash_tiles(n), HASH_BLOCK, 0, stream>>>(table, source, equal, n, outer, each, all),        \
	 cudaPeekAtLastError())
	return HASH_SHAPE(group, bucket, HASH_CALL);
#undef HASH_CALL
}

/*
 * Set the bits of inner rows that an outer row has met.  A key's rows are set
 * together at the end, so a key of many rows that is often met costs no more.
 *
 * matched	[(rows of the table + 31) / 32] words
 *
 * e.g. inner words {7, 5, 7, 9, 5, 7, 1, 2}, outer {5, 5, 1, 0, 5, NULL, 1, 3}: bits
 * 0 1 0 0 1 0 1 0
 */
template <class Source, class Equal>
static cudaError_t hash_mark(int group, int bucket, const RowfnTable &table, const Source &source,
							 const Equal &equal, uint32_t n, uint32_t *matched, cudaStream_t stream)
{
	const uint64_t nslots = (uint64_t)table.nwindows * table.window;
	cudaError_t rc;

	if (n == 0)
		return cudaSuccess;
	if (!hash_probe_fits(group, bucket, table, n))
		return cudaErrorInvalidValue;
#define HASH_CALL(g, b)                                                                            \
	(hash_mark_kernel<g, b>                                                                        \
	 <<<hash_tiles(n), HASH_BLOCK, 0, stream>>>(table, source, equal, n, matched),                 \
	 cudaPeekAtLastError())
	rc = HASH_SHAPE(group, bucket, HASH_CALL);
#undef HASH_CALL
	if (rc != cudaSuccess || table.runs == NULL)
		return rc;
	hash_spread_kernel<<<(uint32_t)((nslots + HASH_BLOCK - 1) / HASH_BLOCK), HASH_BLOCK, 0,
						 stream>>>(table, nslots, matched);
	return cudaPeekAtLastError();
}

/*
 * Set the bits of inner rows of pairs, those that are left after further
 * conditions, say; ROWFN_NO_ROW is passed over.
 *
 * inner	[n]
 *
 * e.g. {5, 1, -, 1, 0, 5, 7, 1}: bits 1 1 0 0 0 1 0 1
 */
static inline cudaError_t hash_mark_rows(const uint32_t *inner, uint32_t n, uint32_t *matched,
										 cudaStream_t stream)
{
	if (n == 0)
		return cudaSuccess;
	hash_mark_rows_kernel<<<(uint32_t)(((uint64_t)n + HASH_BLOCK - 1) / HASH_BLOCK), HASH_BLOCK, 0,
							stream>>>(inner, n, matched);
	return cudaPeekAtLastError();
}

#endif /* GPUSTR_HASH_PROBE_CUH */
