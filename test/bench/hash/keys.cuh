/*-------------------------------------------------------------------------
 *
 * keys.cuh
 *	  For hash_bench: keys made, answers checked, and the roofs.
 *
 * IDENTIFICATION
 *	  test/bench/hash/keys.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_BENCH_HASH_KEYS_CUH
#define GPUSTR_BENCH_HASH_KEYS_CUH

#include "hash_table.cuh"

/* Where keys of 'join' and others start. */
#define FIRST_KEY 12345u

/* Key number i: words that look random, all different. */
__host__ __device__ static inline uint32_t key_of(uint32_t i)
{
	return rowfn_hash_word(i + FIRST_KEY) ^ 0x5BD1E995u;
}

/* Row i has key number i, of ndistinct, round and round. */
static __global__ void make_keys(uint32_t *word, uint32_t n, uint32_t ndistinct)
{
	for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		word[i] = key_of((uint32_t)i % ndistinct);
}

/* Keys drawn at random. */
static __global__ void draw_keys(uint32_t *word, uint32_t n, uint32_t ndistinct)
{
	for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		word[i] = key_of(
			(uint32_t)((uint64_t)rowfn_hash_word((uint32_t)i * 2654435761u + 7) * ndistinct >> 32));
}

/* Rows whose answer is wrong. */
static __global__ void check_find(const uint32_t *word, const uint32_t *inner, uint32_t n,
								  const uint32_t *inner_word, uint32_t inner_n,
								  unsigned long long *wrong)
{
	for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		if (inner[i] >= inner_n || inner_word[inner[i]] != word[i])
			atomicAdd(wrong, 1ull);
}

static __global__ void check_pairs(const uint32_t *outer, const uint32_t *inner, uint32_t n,
								   const uint32_t *outer_word, uint32_t outer_n,
								   const uint32_t *inner_word, uint32_t inner_n,
								   unsigned long long *wrong, unsigned long long *sum)
{
	unsigned long long mine = 0;

	for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
	{
		if (outer[i] >= outer_n || inner[i] >= inner_n ||
			inner_word[inner[i]] != outer_word[outer[i]])
			atomicAdd(wrong, 1ull);
		mine += (unsigned long long)outer[i] * 3 + inner[i];
	}
	for (int step = 16; step > 0; step /= 2)
		mine += __shfl_down_sync(0xFFFFFFFFu, mine, step);
	if (threadIdx.x % 32 == 0)
		atomicAdd(sum, mine);
}

/* Roofs: 'ahead' independent accesses a thread. */
static __global__ void gather_roof(const HashWord *p, uint64_t slots, uint32_t n, uint32_t *out)
{
	uint32_t i = (blockIdx.x * blockDim.x) * 4 + threadIdx.x;
	HashWord got[4];

#pragma unroll
	for (int k = 0; k < 4; k++)
		got[k] = __ldg(p + ((uint64_t)rowfn_hash_word(i + k * blockDim.x) * slots >> 32));
#pragma unroll
	for (int k = 0; k < 4; k++)
		if (i + k * blockDim.x < n)
			__stcs(out + i + k * blockDim.x, (uint32_t)got[k]);
}

static __global__ void cas_roof(HashWord *p, uint64_t slots, uint32_t n)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		atomicCAS(p + ((uint64_t)rowfn_hash_word(i) * slots >> 32), ~0ull, (HashWord)i);
}

#endif /* GPUSTR_BENCH_HASH_KEYS_CUH */
