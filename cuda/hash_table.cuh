/*-------------------------------------------------------------------------
 *
 * hash_table.cuh
 *	  The hash table of a join in device memory: how threads look into it.
 *
 * What a slot is, and where a key may be, stands in rowfn/hash_table.h.  Here a
 * window is GROUP * BUCKET slots: GROUP threads, neighbours in a warp, share a
 * key, and each loads BUCKET slots at once; then they vote.  A window of 4 slots
 * is one sector of 32 bytes.
 *
 * What is put in or looked up comes from a *source*: number i of it is a row and
 * its hash, or a row without a key (NULL).
 *
 *		WordSource		a column of words, hashed on the way
 *		HashSource		a column of hashes (hash_order.cuh makes them)
 *		ItemSource		hash and row in 8 bytes, in the order of upper bits of
 *						the hash: the table is then used piece by piece, and
 *						its pieces stay in the L2 cache
 *
 * Whether keys of the same hash are equal says an *equality*: always (one WORD;
 * the hash is a bijection), or by the columns of both sides.
 *
 * IDENTIFICATION
 *	  cuda/hash_table.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_HASH_TABLE_CUH
#define GPUSTR_HASH_TABLE_CUH

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include "rowfn/hash_key.h"
#include "rowfn/hash_table.h"

/* Threads of a block, and rows that it takes at a time. */
#define HASH_BLOCK 256
#define HASH_TILE 1024

/* Rows of a group whose first windows are under way together. */
#define HASH_AHEAD 4

/* An item's row: so marked, it has no key. */
#define HASH_ITEM_NULL 0x80000000u

/* Rows of one source. */
#define HASH_MAX_ROWS 0x7FFFFFFF

typedef unsigned long long HashWord;

__device__ __forceinline__ bool hash_is_valid(const uint32_t *valid, uint32_t row)
{
	return valid == NULL || (__ldg(valid + row / 32) >> row % 32 & 1) != 0;
}

struct WordSource
{
	const uint32_t *word;
	const uint32_t *valid; /* NULL: all */

	/* Number i: its row and hash; returns whether it has a key. */
	__device__ __forceinline__ bool get(uint32_t i, uint32_t *hash, uint32_t *row) const
	{
		*row = i;
		*hash = rowfn_hash_word(__ldcs(word + i));
		return hash_is_valid(valid, i);
	}
	__device__ __forceinline__ uint32_t row(uint32_t i) const
	{
		return i;
	}
};

struct HashSource
{
	const uint32_t *hash;
	const uint32_t *valid;

	__device__ __forceinline__ bool get(uint32_t i, uint32_t *h, uint32_t *row) const
	{
		*row = i;
		*h = __ldcs(hash + i);
		return hash_is_valid(valid, i);
	}
	__device__ __forceinline__ uint32_t row(uint32_t i) const
	{
		return i;
	}
};

struct ItemSource
{
	const uint64_t *item;

	__device__ __forceinline__ bool get(uint32_t i, uint32_t *hash, uint32_t *row) const
	{
		HashWord x = __ldcs((const HashWord *)item + i);

		*hash = (uint32_t)(x >> 32);
		*row = (uint32_t)x & ~HASH_ITEM_NULL;
		return ((uint32_t)x & HASH_ITEM_NULL) == 0;
	}
	__device__ __forceinline__ uint32_t row(uint32_t i) const
	{
		return (uint32_t)item[i] & ~HASH_ITEM_NULL;
	}
};

/* Equal hashes are equal keys. */
struct ExactEqual
{
	__device__ __forceinline__ bool operator()(const RowfnTable &, uint32_t, uint32_t) const
	{
		return true;
	}
};

/* A call, so that all kinds of keys are not compiled into each kernel in many places. */
static __device__ __noinline__ bool hash_keys_equal(const RowfnKeys *inner, uint32_t inner_row,
													const RowfnKeys *outer, uint32_t outer_row)
{
	return rowfn_keys_equal(inner, inner_row, outer, outer_row) != 0;
}

/* By the columns; while rows are inserted both sides are the inner one. */
struct KeysEqual
{
	RowfnKeys inner;
	RowfnKeys outer;

	/* value: of a slot */
	__device__ __forceinline__ bool operator()(const RowfnTable &table, uint32_t value,
											   uint32_t row) const
	{
		return hash_keys_equal(&inner, rowfn_value_row(table.runs, value, 0), &outer, row);
	}
};

template <int GROUP>
using HashGroup = cooperative_groups::thread_block_tile<GROUP>;

template <int GROUP>
__device__ __forceinline__ HashGroup<GROUP> hash_group()
{
	return cooperative_groups::tiled_partition<GROUP>(cooperative_groups::this_thread_block());
}

/* A thread's part of a window. */
template <int BUCKET>
struct HashBucket
{
	HashWord slot[BUCKET];

	/* Of a table that does not change. */
	__device__ __forceinline__ void load(const HashWord *p)
	{
		if constexpr (BUCKET == 1)
			slot[0] = __ldg(p);
		else
		{
#pragma unroll
			for (int b = 0; b < BUCKET; b += 2)
			{
				ulonglong2 two = __ldg((const ulonglong2 *)(p + b));

				slot[b] = two.x;
				slot[b + 1] = two.y;
			}
		}
	}

	/* Of one that others insert into: each slot as it is or was a moment ago. */
	__device__ __forceinline__ void load_shared(const HashWord *p)
	{
		if constexpr (BUCKET == 1)
			asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(slot[0]) : "l"(p));
		else
		{
#pragma unroll
			for (int b = 0; b < BUCKET; b += 2)
				asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
							 : "=l"(slot[b]), "=l"(slot[b + 1])
							 : "l"(p + b));
		}
	}
};

/* The calling thread's part of a window. */
template <int GROUP, int BUCKET>
__device__ __forceinline__ HashWord *hash_bucket(const RowfnTable &table, uint32_t window,
												 uint32_t rank)
{
	return (HashWord *)table.slots + ((uint64_t)window * GROUP + rank) * BUCKET;
}

/*
 * Is the key in this window?  Returns true if that is decided, and then *value
 * in all threads of the group: the slot's, or ROWFN_NO_ROW.
 *
 * e.g. GROUP 2, BUCKET 2, slots {hash 5 row 0, hash 7 row 3, hash 5 row 4, empty}
 * and WORD keys: hash 7 -> true, 3; hash 9 -> true, ROWFN_NO_ROW
 */
template <int GROUP, int BUCKET, class Equal>
__device__ __forceinline__ bool hash_look(const RowfnTable &table, const HashBucket<BUCKET> &bucket,
										  uint32_t hash, uint32_t row, const Equal &equal,
										  uint32_t *value)
{
	uint32_t mine = ROWFN_NO_ROW;
	bool empty = false;

#pragma unroll
	for (int b = 0; b < BUCKET; b++)
	{
		HashWord slot = bucket.slot[b];

		if (rowfn_slot_empty(slot))
			empty = true;
		else if (rowfn_slot_hash(slot) == hash && mine == ROWFN_NO_ROW &&
				 equal(table, rowfn_slot_value(slot), row))
			mine = rowfn_slot_value(slot);
	}
	if constexpr (GROUP == 1)
	{
		*value = mine;
		return empty || mine != ROWFN_NO_ROW;
	}
	else
	{
		HashGroup<GROUP> group = hash_group<GROUP>();
		uint32_t found = group.ballot(mine != ROWFN_NO_ROW);

		*value = ROWFN_NO_ROW;
		if (found != 0)
		{
			*value = group.shfl(mine, __ffs((int)found) - 1);
			return true;
		}
		return group.any(empty) != 0;
	}
}

/*
 * Look up HASH_TILE numbers of a source, from 'first' on; those at or past
 * 'total' are left out.  The first thread of a row's group calls
 *
 *		sink(place in the tile, row, value of the slot or ROWFN_NO_ROW)
 *
 * All threads of a block of HASH_BLOCK take part.
 */
template <int GROUP, int BUCKET, class Source, class Equal, class Sink>
__device__ __forceinline__ void hash_probe_tile(const RowfnTable &table, const Source &source,
												const Equal &equal, uint32_t first, uint32_t total,
												Sink &&sink)
{
	const int groups = HASH_BLOCK / GROUP;
	const uint32_t rank = threadIdx.x % GROUP;
	const uint32_t mine = threadIdx.x / GROUP;

#pragma unroll 1
	for (uint32_t base = 0; base < HASH_TILE; base += groups * HASH_AHEAD)
	{
		HashBucket<BUCKET> bucket[HASH_AHEAD];
		uint32_t hash[HASH_AHEAD];
		uint32_t row[HASH_AHEAD];
		bool wanted[HASH_AHEAD];

#pragma unroll
		for (int k = 0; k < HASH_AHEAD; k++)
		{
			uint32_t i = first + base + k * groups + mine;

			wanted[k] = false;
			row[k] = ROWFN_NO_ROW;
			if (i < total)
				wanted[k] = source.get(i, &hash[k], &row[k]);
		}
#pragma unroll
		for (int k = 0; k < HASH_AHEAD; k++)
			if (wanted[k])
				bucket[k].load(hash_bucket<GROUP, BUCKET>(
					table, rowfn_table_first(hash[k], table.nwindows), rank));
#pragma unroll
		for (int k = 0; k < HASH_AHEAD; k++)
		{
			uint32_t value = ROWFN_NO_ROW;

			if (wanted[k] &&
				!hash_look<GROUP, BUCKET>(table, bucket[k], hash[k], row[k], equal, &value))
			{
				uint32_t window = rowfn_table_first(hash[k], table.nwindows);

#pragma unroll 1
				for (uint32_t tried = 1; tried < table.nwindows; tried++)
				{
					HashBucket<BUCKET> other;

					window = rowfn_table_next(window, table.nwindows);
					other.load(hash_bucket<GROUP, BUCKET>(table, window, rank));
					if (hash_look<GROUP, BUCKET>(table, other, hash[k], row[k], equal, &value))
						break;
				}
			}
			if (rank == 0 && row[k] != ROWFN_NO_ROW)
				sink(base + k * groups + mine, row[k], value);
		}
	}
}

/* Tiles of a source of n. */
static inline uint32_t hash_tiles(uint32_t n)
{
	return (uint32_t)(((uint64_t)n + HASH_TILE - 1) / HASH_TILE);
}

/*
 * call(GROUP, BUCKET) of a probing shape that is known when it runs: 1, 2, 4, 8 with 1,
 * 2; 1, 2 with 4.  cudaErrorInvalidValue for any other.
 */
#define HASH_SHAPE(group, bucket, call)                                                            \
	((group) == 1 && (bucket) == 1	 ? call(1, 1)                                                  \
	 : (group) == 1 && (bucket) == 2 ? call(1, 2)                                                  \
	 : (group) == 1 && (bucket) == 4 ? call(1, 4)                                                  \
	 : (group) == 2 && (bucket) == 1 ? call(2, 1)                                                  \
	 : (group) == 2 && (bucket) == 2 ? call(2, 2)                                                  \
	 : (group) == 2 && (bucket) == 4 ? call(2, 4)                                                  \
	 : (group) == 4 && (bucket) == 1 ? call(4, 1)                                                  \
	 : (group) == 4 && (bucket) == 2 ? call(4, 2)                                                  \
	 : (group) == 8 && (bucket) == 1 ? call(8, 1)                                                  \
	 : (group) == 8 && (bucket) == 2 ? call(8, 2)                                                  \
									 : cudaErrorInvalidValue)

#endif /* GPUSTR_HASH_TABLE_CUH */
