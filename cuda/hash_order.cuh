/*-------------------------------------------------------------------------
 *
 * hash_order.cuh
 *	  Hashes of keys, and rows in the order of their hashes.
 *
 * A table that is larger than the L2 cache costs each row a sector from memory,
 * and each insertion one there and back.  Rows whose hashes have the same
 * uppermost bits look into the same piece of the table
 * (rowfn/hash_table.h); so when rows are brought in that order first, by one pass
 * of a radix sort over at most 8 bits, pieces stay in the cache while they are
 * used.  The pass moves 8 bytes a row twice, in streams.
 *
 * IDENTIFICATION
 *	  cuda/hash_order.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_HASH_ORDER_CUH
#define GPUSTR_HASH_ORDER_CUH

#include <cub/device/device_radix_sort.cuh>

#include "cuda_check.cuh"
#include "hash_table.cuh"

/* A piece of a table that certainly stays in the L2 cache: bytes. */
#define HASH_PIECE_BYTES (4 << 20)
#define HASH_ORDER_BITS 8

static __global__ void __launch_bounds__(HASH_BLOCK)
	hash_keys_kernel(const __grid_constant__ RowfnKeys keys, uint32_t n, uint32_t *hash,
					 uint32_t *valid, uint32_t *recheck)
{
	const uint64_t i = (uint64_t)blockIdx.x * HASH_BLOCK + threadIdx.x;
	const uint32_t row = (uint32_t)i;
	bool has = i < n && rowfn_keys_valid(&keys, row);
	bool doubtful = false;
	uint32_t bits;

	if (has)
		doubtful = rowfn_key_hash(&keys, row, &hash[row]) != 0;
	bits = __ballot_sync(0xFFFFFFFFu, has && !doubtful);
	if (threadIdx.x % 32 == 0 && i < n)
		valid[row / 32] = bits;
	bits = __ballot_sync(0xFFFFFFFFu, doubtful);
	if (threadIdx.x % 32 == 0 && i < n)
		recheck[row / 32] = bits;
}

/*
 * Hash keys, for a HashSource.
 *
 * hash			out: [n]; undefined for rows that are not valid
 * valid		out: [(n + 31) / 32] as keys.valid, less rows in doubt; not keys.valid itself
 * recheck		out: [(n + 31) / 32] rows that PostgreSQL must join
 *
 * e.g. NUMERIC {1, 1.0, NULL, 2, (3 bytes), NaN, NaN, 0}: hash[0] == hash[1],
 * hash[5] == hash[6]; valid 1 1 0 1 0 1 1 1; recheck 0 0 0 0 1 0 0 0
 */
static inline cudaError_t hash_keys(const RowfnKeys &keys, uint32_t n, uint32_t *hash,
									uint32_t *valid, uint32_t *recheck, cudaStream_t stream)
{
	if (n == 0)
		return cudaSuccess;
	hash_keys_kernel<<<(uint32_t)(((uint64_t)n + HASH_BLOCK - 1) / HASH_BLOCK), HASH_BLOCK, 0,
					   stream>>>(keys, n, hash, valid, recheck);
	return cudaPeekAtLastError();
}

template <class Source>
static __global__ void __launch_bounds__(HASH_BLOCK)
	hash_items_kernel(const Source source, uint32_t n, uint64_t *item)
{
	uint64_t i = (uint64_t)blockIdx.x * HASH_BLOCK + threadIdx.x;
	uint32_t hash;
	uint32_t row;

	if (i >= n)
		return;
	if (source.get((uint32_t)i, &hash, &row))
		item[i] = (uint64_t)hash << 32 | row;
	else
		item[i] = 0xFFFFFFFF00000000ull | HASH_ITEM_NULL | row;
}

/* Bits to order by, for a table; 0: it stays in the cache anyway. */
static inline int hash_order_bits(const RowfnTable &table)
{
	const uint64_t bytes = 8 * (uint64_t)table.nwindows * table.window;
	int bits = 0;

	while (bits < HASH_ORDER_BITS && bytes >> bits > HASH_PIECE_BYTES)
		bits++;
	return bits;
}

/* Bytes of scratch memory for hash_order(). */
static inline cudaError_t hash_order_scratch(uint32_t n, size_t *bytes)
{
	cub::DoubleBuffer<uint64_t> items(NULL, NULL);

	*bytes = 0;
	return cub::DeviceRadixSort::SortKeys(NULL, *bytes, items, n, 64 - HASH_ORDER_BITS, 64);
}

/*
 * Bring a source in the order of the upper 'bits' bits of its hashes, 0 to
 * HASH_ORDER_BITS; rows without a key are among the last.
 *
 * a, b			[n] scratch memory for items; the items are in *ordered, one of the
 *				two
 *
 * e.g. 2 bits, hashes {C0000001, 40000000, 0, 80000000, 1, NULL, 40000001, 0}: rows
 * 2 4 7 1 6 3 0 5
 */
template <class Source>
static cudaError_t hash_order(const Source &source, uint32_t n, int bits, uint64_t *a, uint64_t *b,
							  void *scratch, size_t scratch_bytes, ItemSource *ordered,
							  cudaStream_t stream)
{
	cub::DoubleBuffer<uint64_t> items(a, b);

	ordered->item = a;
	if (n == 0)
		return cudaSuccess;
	hash_items_kernel<<<(uint32_t)(((uint64_t)n + HASH_BLOCK - 1) / HASH_BLOCK), HASH_BLOCK, 0,
						stream>>>(source, n, a);
	CUDA_PASS(cudaPeekAtLastError());
	if (bits > 0)
		CUDA_PASS(cub::DeviceRadixSort::SortKeys(scratch, scratch_bytes, items, n, 64 - bits, 64,
												 stream));
	ordered->item = items.Current();
	return cudaSuccess;
}

#endif /* GPUSTR_HASH_ORDER_CUH */
