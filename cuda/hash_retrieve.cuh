/*-------------------------------------------------------------------------
 *
 * hash_retrieve.cuh
 *	  Pairs of an outer and an inner row with equal keys, in one pass.
 *
 * Pairs go to an area of fixed size, as many as fit; a call after that goes on
 * where it stopped.  A block takes a tile of HASH_TILE outer rows:
 *
 *		1. each row is looked up; what its slot says is kept in shared memory;
 *		2. the pairs before each row, by a scan over the block;
 *		3. HASH_FLUSH pairs at most are given room by one atomic, and written;
 *		   and so on, until the tile or the area is at its end.
 *
 * In 3, what is shared out among the threads is pairs, not rows: neighbouring
 * threads write neighbouring pairs, wherever those come from.  So a key with a
 * million rows is written by the whole block, and as other blocks get room in
 * turn, by all of them.  A warp finds out which rows its 32 pairs belong to by one
 * vote: at which of the 32 does a row begin.
 *
 * A tile's pairs have an order (outer row, then place in the run), so how many of
 * them have been written is all that must be remembered, per tile.  A call
 * with an area for one pair or more makes headway.  Whoever finds the area full
 * before it looks up anything leaves its tile to the next call: looked up twice are
 * at most as many tiles as there are blocks at work.
 *
 * Where no key of the table occurs twice a row has at most one pair: places come
 * from votes, there is no scan and nothing to divide up.
 *
 * IDENTIFICATION
 *	  cuda/hash_retrieve.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_HASH_RETRIEVE_CUH
#define GPUSTR_HASH_RETRIEVE_CUH

#include <cub/block/block_scan.cuh>

#include "cuda_check.cuh"
#include "hash_table.cuh"

/* Pairs that a block gets room for at once; at least HASH_TILE. */
#define HASH_FLUSH 16384

/* Of a tile: all its pairs are written. */
#define HASH_TILE_DONE 0xFFFFFFFFFFFFFFFFull

/* How far a source has been probed; in device memory. */
struct HashProgress
{
	unsigned long long pairs; /* of this call; may exceed the room: then it is full */
	uint32_t next_tile;		  /* of this call */
	uint32_t tiles_done;	  /* of all calls; hash_tiles(): at the end */
};

/* Where pairs go. */
struct HashPairs
{
	uint32_t *outer; /* [room] */
	uint32_t *inner; /* [room] ROWFN_NO_ROW: the outer row has none */
	uint32_t room;
};

/* What the threads of a block share. */
struct HashTileShared
{
	typedef cub::BlockScan<unsigned long long, HASH_BLOCK> Scan;

	uint32_t value[HASH_TILE]; /* of slots; then of rows with pairs only */
	uint32_t outer[HASH_TILE];
	unsigned long long start[HASH_TILE]; /* pairs of the tile before the row */
	typename Scan::TempStorage scan;
	uint32_t warp_at[HASH_TILE / 32];
	unsigned long long base;
	uint32_t tile;
	uint32_t pairs;
};

/* Give the block room for 'wanted' pairs; returns how many it has got, from *base on. */
__device__ __forceinline__ uint32_t hash_take_room(HashTileShared &shared, HashProgress *progress,
												   uint32_t room, uint32_t wanted,
												   unsigned long long *base)
{
	if (threadIdx.x == 0)
		shared.base = atomicAdd(&progress->pairs, (unsigned long long)wanted);
	__syncthreads();
	*base = shared.base;
	__syncthreads();
	if (*base >= room)
		return 0;
	return room - *base < wanted ? (uint32_t)(room - *base) : wanted;
}

/* Pairs of a table without runs; returns how many of the tile's have been written. */
template <bool OUTER>
__device__ __forceinline__ unsigned long long
hash_write_single(HashTileShared &shared, HashProgress *progress, const HashPairs &pairs,
				  unsigned long long done, unsigned long long *all)
{
	const uint32_t lane = threadIdx.x % 32;
	uint32_t place[HASH_TILE / HASH_BLOCK];
	bool has[HASH_TILE / HASH_BLOCK];
	unsigned long long base;
	uint32_t got;

#pragma unroll
	for (int k = 0; k < HASH_TILE / HASH_BLOCK; k++)
	{
		uint32_t at = k * HASH_BLOCK + threadIdx.x;
		uint32_t votes;

		has[k] = OUTER ? shared.outer[at] != ROWFN_NO_ROW : shared.value[at] != ROWFN_NO_ROW;
		votes = __ballot_sync(0xFFFFFFFFu, has[k]);
		place[k] = (uint32_t)__popc(votes & ((1u << lane) - 1));
		if (lane == 0)
			shared.warp_at[at / 32] = (uint32_t)__popc(votes);
	}
	__syncthreads();
	if (threadIdx.x < 32)
	{
		uint32_t mine = shared.warp_at[lane];
		uint32_t sum = mine;

#pragma unroll
		for (int step = 1; step < 32; step *= 2)
		{
			uint32_t other = __shfl_up_sync(0xFFFFFFFFu, sum, step);

			if (lane >= (uint32_t)step)
				sum += other;
		}
		shared.warp_at[lane] = sum - mine;
		if (lane == 31)
			shared.pairs = sum;
	}
	__syncthreads();
	*all = shared.pairs;
	if (*all == done)
		return done;
	got = hash_take_room(shared, progress, pairs.room, (uint32_t)(*all - done), &base);
#pragma unroll
	for (int k = 0; k < HASH_TILE / HASH_BLOCK; k++)
	{
		uint32_t at = k * HASH_BLOCK + threadIdx.x;
		uint32_t to = shared.warp_at[at / 32] + place[k] - (uint32_t)done;

		/* what was written before wraps around */
		if (has[k] && to < got)
		{
			__stcs(pairs.outer + base + to, shared.outer[at]);
			__stcs(pairs.inner + base + to, shared.value[at]);
		}
	}
	return done + got;
}

/* Write pairs [from, from + n) of a tile with 'rows' rows that have any. */
__device__ __forceinline__ void hash_write_pairs(const HashTileShared &shared, const uint32_t *runs,
												 uint32_t rows, unsigned long long from, uint32_t n,
												 const HashPairs &pairs, unsigned long long base)
{
	const uint32_t warps = HASH_BLOCK / 32;
	const uint32_t lane = threadIdx.x % 32;
	const uint32_t share = (n + 32 * warps - 1) / (32 * warps) * 32;
	uint32_t at = threadIdx.x / 32 * share;
	const uint32_t end = n - at < share ? n : at + share;
	uint32_t row = 0;
	uint32_t high = rows;

	if (at >= n)
		return;

	/* the last row that starts at or before the first pair */
	while (high - row > 1)
	{
		uint32_t middle = (row + high) / 2;

		if (shared.start[middle] <= from + at)
			row = middle;
		else
			high = middle;
	}
	for (; at < end; at += 32)
	{
		const unsigned long long first = from + at;
		unsigned long long ahead =
			row + 1 + lane < rows ? shared.start[row + 1 + lane] - first : HASH_TILE_DONE;
		uint32_t begins = __reduce_or_sync(0xFFFFFFFFu, ahead < 32 ? 1u << ahead : 0);
		uint32_t mine = row + (uint32_t)__popc(begins & (0xFFFFFFFFu >> (31 - lane)));

		if (at + lane < end)
		{
			uint32_t k = (uint32_t)(first + lane - shared.start[mine]);

			__stcs(pairs.outer + base + at + lane, shared.outer[mine]);
			__stcs(pairs.inner + base + at + lane, rowfn_value_row(runs, shared.value[mine], k));
		}
		row += (uint32_t)__popc(begins);
		if (row + 1 < rows && shared.start[row + 1] == first + 32)
			row++;
	}
}

/* Pairs of a table with runs; returns how many of the tile's have been written. */
template <bool OUTER>
__device__ __forceinline__ unsigned long long
hash_write_runs(HashTileShared &shared, const uint32_t *runs, HashProgress *progress,
				const HashPairs &pairs, unsigned long long done, unsigned long long *all)
{
	const int each = HASH_TILE / HASH_BLOCK;
	uint32_t value[each];
	uint32_t outer[each];
	uint32_t count[each];
	unsigned long long sum = 0;
	unsigned long long before;
	unsigned long long total;
	uint32_t rows;

	/* pairs, and in the lowest 11 bits rows that have any, in one sum */
#pragma unroll
	for (int k = 0; k < each; k++)
	{
		uint32_t at = threadIdx.x * each + k;

		value[k] = shared.value[at];
		outer[k] = shared.outer[at];
		count[k] = outer[k] == ROWFN_NO_ROW ? 0 : rowfn_value_rows(runs, value[k]);
		if (OUTER && count[k] == 0 && outer[k] != ROWFN_NO_ROW)
			count[k] = 1;
		sum += (unsigned long long)count[k] << 11 | (count[k] > 0);
	}
	HashTileShared::Scan(shared.scan).ExclusiveSum(sum, before, total);

	/* and all have read value[] and outer[] */
	__syncthreads();
#pragma unroll
	for (int k = 0; k < each; k++)
		if (count[k] > 0)
		{
			uint32_t to = (uint32_t)before & 0x7FF;

			shared.start[to] = before >> 11;
			shared.value[to] = value[k];
			shared.outer[to] = outer[k];
			before += (unsigned long long)count[k] << 11 | 1;
		}
	__syncthreads();
	*all = total >> 11;
	rows = (uint32_t)total & 0x7FF;
	while (done < *all)
	{
		uint32_t wanted = *all - done < HASH_FLUSH ? (uint32_t)(*all - done) : HASH_FLUSH;
		unsigned long long base;
		uint32_t got = hash_take_room(shared, progress, pairs.room, wanted, &base);

		if (got > 0)
			hash_write_pairs(shared, runs, rows, done, got, pairs, base);
		done += got;
		if (got < wanted)
			break;
	}
	return done;
}

/* Blocks take tiles as they come.  written: [hash_tiles(n)] */
template <int GROUP, int BUCKET, bool RUNS, bool OUTER, class Source, class Equal>
static __global__ void __launch_bounds__(HASH_BLOCK)
	hash_retrieve_kernel(const RowfnTable table, const Source source,
						 const __grid_constant__ Equal equal, uint32_t n, HashProgress *progress,
						 unsigned long long *written, const HashPairs pairs)
{
	__shared__ HashTileShared shared;
	const uint32_t tiles = (uint32_t)(((uint64_t)n + HASH_TILE - 1) / HASH_TILE);

	for (;;)
	{
		unsigned long long done;
		unsigned long long all;

		__syncthreads();
		if (threadIdx.x == 0)
		{
			/* full: leave the rest to another call */
			shared.tile = *(volatile unsigned long long *)&progress->pairs >= pairs.room
							  ? tiles
							  : atomicAdd(&progress->next_tile, 1);
		}
		for (uint32_t at = threadIdx.x; at < HASH_TILE; at += HASH_BLOCK)
		{
			shared.value[at] = ROWFN_NO_ROW;
			shared.outer[at] = ROWFN_NO_ROW;
		}
		__syncthreads();
		if (shared.tile >= tiles)
			return;
		done = written[shared.tile];
		if (done == HASH_TILE_DONE)
			continue;
		hash_probe_tile<GROUP, BUCKET>(table, source, equal, shared.tile * HASH_TILE, n,
									   [&](uint32_t at, uint32_t row, uint32_t value)
									   {
										   shared.value[at] = value;
										   shared.outer[at] = row;
									   });
		__syncthreads();
		if constexpr (RUNS)
			done = hash_write_runs<OUTER>(shared, table.runs, progress, pairs, done, &all);
		else
			done = hash_write_single<OUTER>(shared, progress, pairs, done, &all);
		if (threadIdx.x == 0)
		{
			written[shared.tile] = done == all ? HASH_TILE_DONE : done;
			if (done == all)
				atomicAdd(&progress->tiles_done, 1);
		}
	}
}

/* Start a source of n: nothing is written yet.  written: [hash_tiles(n)] */
static inline cudaError_t hash_retrieve_begin(uint32_t n, HashProgress *progress,
											  unsigned long long *written, cudaStream_t stream)
{
	CUDA_PASS(cudaMemsetAsync(progress, 0, sizeof(HashProgress), stream));
	return cudaMemsetAsync(written, 0, 8 * (size_t)hash_tiles(n), stream);
}

template <int GROUP, int BUCKET, bool OUTER, class Source, class Equal>
static cudaError_t hash_retrieve_start(const RowfnTable &table, const Source &source,
									   const Equal &equal, uint32_t n, HashProgress *progress,
									   unsigned long long *written, const HashPairs &pairs,
									   cudaStream_t stream)
{
	auto kernel = table.runs != NULL
					  ? hash_retrieve_kernel<GROUP, BUCKET, true, OUTER, Source, Equal>
					  : hash_retrieve_kernel<GROUP, BUCKET, false, OUTER, Source, Equal>;
	int device;
	int sms;
	int resident;
	uint32_t blocks;

	CUDA_PASS(cudaGetDevice(&device));
	CUDA_PASS(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
	CUDA_PASS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, HASH_BLOCK, 0));
	blocks = (uint32_t)(sms * resident);
	if (blocks > hash_tiles(n))
		blocks = hash_tiles(n);
	kernel<<<blocks, HASH_BLOCK, 0, stream>>>(table, source, equal, n, progress, written, pairs);
	return cudaPeekAtLastError();
}

/*
 * Pairs of the source's rows with the table's, as many as there is room for and
 * have not been written by calls before.  The host then reads *progress: the
 * area holds min(pairs, room) pairs, in no order; at the end tiles_done is
 * hash_tiles(n), else it calls again with the same table, source and progress.
 *
 * outer		a row without inner ones makes a pair with ROWFN_NO_ROW
 * pairs.room	at least 1
 *
 * e.g. inner words {7, 5, 7, 9, 5, 7, 1, 2}, outer {1, 7, 3, 5, 7, NULL, 9, 0}, room 7:
 * 7 pairs of (0,6) (1,0) (1,2) (1,5) (3,1) (3,4) (4,0) (4,2) (4,5) (6,3); a second
 * call: the other 3; outer: also (2,-) (5,-) (7,-)
 */
template <class Source, class Equal>
static cudaError_t hash_retrieve(int group, int bucket, bool outer, const RowfnTable &table,
								 const Source &source, const Equal &equal, uint32_t n,
								 HashProgress *progress, unsigned long long *written,
								 const HashPairs &pairs, cudaStream_t stream)
{
	if (n == 0)
		return cudaSuccess;
	if ((uint32_t)(group * bucket) != table.window || n > HASH_MAX_ROWS || pairs.room == 0)
		return cudaErrorInvalidValue;

	/* pairs and next_tile */
	CUDA_PASS(cudaMemsetAsync(progress, 0, 12, stream));
#define HASH_CALL(g, b)                                                                            \
	(outer ? hash_retrieve_start<g, b, true>(table, source, equal, n, progress, written, pairs,    \
											 stream)                                               \
		   : hash_retrieve_start<g, b, false>(table, source, equal, n, progress, written, pairs,   \
											  stream))
	return HASH_SHAPE(group, bucket, HASH_CALL);
#undef HASH_CALL
}

#endif /* GPUSTR_HASH_RETRIEVE_CUH */
