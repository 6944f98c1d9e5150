/*-------------------------------------------------------------------------
 *
 * strings_contains_any.cu
 *	  Automata of many literals on the device.
 *
 * As in strings_dfa.cu one thread takes a row, in aligned pieces of 16 bytes, and
 * looks up a state a byte; blocks stay on the device.  Here the rows of the hot
 * states are in shared memory, and the cold states in global memory, where those
 * that are met often are in cache: most texts are in a hot state most of the time.
 *
 * A byte in a cold state first looks at that state's edges, all of which are mostly in
 * one sector.  If none is the byte's, its hot state's row is looked at, by the same
 * instruction as for the other lanes.
 *
 * IDENTIFICATION
 *	  cuda/strings_contains_any.cu
 *
 *-------------------------------------------------------------------------
 */
#include "automaton_run.cuh"
#include "row_words.cuh"
#include "rowfn/aho_corasick.h"
#include "shared_load.cuh"
#include "sm_threads.cuh"

#define SEARCH_THREADS 1024
#define SEARCH_WARPS (SEARCH_THREADS / 32)

/* The class of each byte: before the rows. */
#define SEARCH_CLASS_BYTES 256

/* An automaton in device memory. */
struct SearchTable
{
	const uint8_t *class_of; /* [256] */
	const uint16_t *hot;	 /* [nhot][nclasses] */
	const uint2 *cold;		 /* [nstates - nhot][2]: edges; more, hot and nmore */
	const uint32_t *more;
	uint32_t nclasses;
	uint32_t nhot;
};

/* Bytes of shared memory. */
static uint64_t search_shared_bytes(const GpustrAhoCorasick *set, bool shared_rows)
{
	return SEARCH_CLASS_BYTES +
		   (shared_rows ? (uint64_t)set->nhot * (uint64_t)set->nclasses * sizeof(uint16_t) : 0);
}

/* Fill the block's table. */
template <bool SHARED_ROWS>
static __device__ __forceinline__ void fill_table(const SearchTable &set, unsigned char *shared)
{
	const uint32_t cells = set.nhot * set.nclasses;
	uint32_t *rows = (uint32_t *)(shared + SEARCH_CLASS_BYTES);

	if (threadIdx.x < SEARCH_CLASS_BYTES / sizeof(uint32_t))
		((uint32_t *)shared)[threadIdx.x] = ((const uint32_t *)set.class_of)[threadIdx.x];
	if constexpr (SHARED_ROWS)
	{
#pragma unroll 4
		for (uint32_t i = threadIdx.x; i < cells / 2; i += SEARCH_THREADS)
			rows[i] = ((const uint32_t *)set.hot)[i];
		if (cells % 2 != 0 && threadIdx.x == 0)
			((uint16_t *)rows)[cells - 1] = set.hot[cells - 1];
	}
}

/*
 * Where a byte of class c leads from a cold state by its edges; if by none of them,
 * *row is that of its hot state.
 */
static __device__ __forceinline__ bool follow_edge(const SearchTable &set, uint32_t cold,
												   uint32_t c, uint32_t *state, uint32_t *row)
{
	const uint2 edges = set.cold[2 * (uint64_t)cold];
	const uint2 rest = set.cold[2 * (uint64_t)cold + 1];
	uint32_t nmore = rest.y >> 16;

	if (edges.x >> GPUSTR_EDGE_BITS == c || edges.y >> GPUSTR_EDGE_BITS == c)
	{
		*state = (edges.x >> GPUSTR_EDGE_BITS == c ? edges.x : edges.y) & GPUSTR_EDGE_STATE;
		return true;
	}
	for (uint32_t i = 0; i < nmore; i++)
	{
		uint32_t edge = set.more[rest.x + i];

		if (edge >> GPUSTR_EDGE_BITS == c)
		{
			*state = edge & GPUSTR_EDGE_STATE;
			return true;
		}
	}
	*row = rest.y & 0xFFFF;
	return false;
}

/*
 * The state after those of 4 bytes that bits 0 to 3 of 'mask' stand for.
 * table: the address of the block's table in shared memory
 */
template <bool SHARED_ROWS>
static __device__ __forceinline__ uint32_t next_word(const SearchTable &set, uint32_t table,
													 uint32_t state, uint32_t word, uint32_t mask)
{
	uint32_t column[4];

#pragma unroll
	for (int i = 0; i < 4; i++)
		column[i] = shared_load8(table + __byte_perm(word, 0, 0x4440 + i));
#pragma unroll
	for (int i = 0; i < 4; i++)
	{
		uint32_t look = mask & 1u << i;
		uint32_t row = state;

		if (state >= set.nhot)
		{
			if (look != 0 && state != GPUSTR_FOUND &&
				follow_edge(set, state - set.nhot, column[i], &state, &row))
				look = 0;
			if (state == GPUSTR_FOUND)
				look = 0;
		}
		if constexpr (SHARED_ROWS)
			state = shared_load16_if(
				look, table + (row * set.nclasses + column[i]) * 2 + SEARCH_CLASS_BYTES, state);
		else if (look != 0)
			state = set.hot[row * set.nclasses + column[i]];
	}
	return state;
}

/* The state at the text's end, or GPUSTR_FOUND. */
template <bool SHARED_ROWS>
static __device__ __forceinline__ uint32_t last_state(const SearchTable &set, uint32_t table,
													  const char *value, int32_t len)
{
	auto next = [&](uint32_t from, uint32_t word, uint32_t mask)
	{ return next_word<SHARED_ROWS>(set, table, from, word, mask); };

	return run_automaton<1>(value, len, 0, next,
							[](uint32_t state) { return state == GPUSTR_FOUND; });
}

/*
 * search_literals - does one of the literals occur in a row?
 *
 * text		[nrows] text register
 * out		[(nrows + 31) / 32] words a plane
 *
 * One thread a row; a warp writes one word of each plane by ballot, then goes
 * on to that which is as many words further as the grid has warps.  Threads
 * past nrows vote 0.
 * e.g. texts {"ab", "b", NULL, "xa"}, literals "ab" and "x": lo 1001, hi 0100
 */
template <bool SHARED_ROWS>
static __global__ void __launch_bounds__(SEARCH_THREADS, SM_BLOCKS(SEARCH_THREADS))
	search_literals(const TextRegister text, int32_t nrows, const SearchTable set, BoolRegister out)
{
	extern __shared__ __align__(16) unsigned char search_shared[];
	const int32_t nwords = (int32_t)(((uint32_t)nrows + 31) / 32);
	const int32_t lane = (int32_t)(threadIdx.x % 32);
	const uint32_t table = (uint32_t)__cvta_generic_to_shared(search_shared);
	int32_t w;

	fill_table<SHARED_ROWS>(set, search_shared);
	__syncthreads();
	for (w = (int32_t)(blockIdx.x * SEARCH_WARPS + threadIdx.x / 32); w < nwords;
		 w += (int32_t)(gridDim.x * SEARCH_WARPS))
	{
		int32_t r = w * 32 + lane;
		uint32_t truth = GPUSTR_FALSE;

		if (r < nrows)
		{
			truth = row_truth(text_state(text, w), r);
			if (truth == GPUSTR_FALSE &&
				last_state<SHARED_ROWS>(set, table, text_at(text, r), text_bytes(text, r)) ==
					GPUSTR_FOUND)
				truth = GPUSTR_TRUE;
		}
		__syncwarp();
		write_truth(out, r, truth);
	}
}

cudaError_t prepare_contains_any(const DfaDevice &limits)
{
	/* 0: a device that does not grant so much; rows are then in global memory */
	if (limits.block_shared == 0)
		return cudaSuccess;
	return cudaFuncSetAttribute(search_literals<true>, cudaFuncAttributeMaxDynamicSharedMemorySize,
								limits.block_shared);
}

template <bool SHARED_ROWS>
static cudaError_t launch_search(const DfaDevice &limits, const TextRegister &text, int32_t nrows,
								 const GpustrAhoCorasick *set, const GpustrAhoCorasick *device_set,
								 BoolRegister out, cudaStream_t stream)
{
	const unsigned shared = (unsigned)search_shared_bytes(set, SHARED_ROWS);
	const unsigned blocks = automaton_blocks(limits, nrows, SEARCH_THREADS, shared);
	const char *base = (const char *)device_set;
	SearchTable table;

	table.class_of = device_set->class_of;
	table.hot = (const uint16_t *)(base + set->hot_off);
	table.cold = (const uint2 *)(base + set->cold_off);
	table.more = (const uint32_t *)(base + set->more_off);
	table.nclasses = (uint32_t)set->nclasses;
	table.nhot = (uint32_t)set->nhot;
	search_literals<SHARED_ROWS>
		<<<blocks, SEARCH_THREADS, shared, stream>>>(text, nrows, table, out);
	return cudaPeekAtLastError();
}

cudaError_t launch_contains_any(const DfaDevice &limits, const TextRegister &text, int32_t nrows,
								const GpustrAhoCorasick *set, const GpustrAhoCorasick *device_set,
								BoolRegister out, cudaStream_t stream)
{
	if (search_shared_bytes(set, true) <= (uint64_t)limits.block_shared)
		return launch_search<true>(limits, text, nrows, set, device_set, out, stream);
	return launch_search<false>(limits, text, nrows, set, device_set, out, stream);
}
