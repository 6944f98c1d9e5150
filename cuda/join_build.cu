/*-------------------------------------------------------------------------
 *
 * join_build.cu
 *	  The rows of a batch copied into a table of a join.
 *
 * See join_build.cuh.
 *
 * IDENTIFICATION
 *	  cuda/join_build.cu
 *
 *-------------------------------------------------------------------------
 */
#include "join_build.cuh"

#define BUILD_THREADS 256

/* What an offset is that no request has written. */
#define NO_OFFSET (-1)

/* The rows below nrows of a word. */
static __device__ __forceinline__ uint32_t rows_of_word(int32_t nrows, int32_t word)
{
	int32_t left = nrows - 32 * word;

	return left >= 32 ? 0xFFFFFFFF : (1u << left) - 1;
}

/*
 * Put 32 rows of a batch into the table's bitmap.
 *
 * e.g. first_row 30, word 0, valid bits 0b1011: bits 30, 31 and 33 of the table
 */
static __device__ __forceinline__ void merge_word(const BuildBits &bits, int32_t word,
												  GpustrTruthWord state)
{
	const uint32_t rows = rows_of_word(bits.nrows, word);
	const uint32_t valid = rows & ~state.hi;
	const uint32_t recheck = rows & state.lo;
	const uint32_t first = (uint32_t)bits.first_row + 32u * (uint32_t)word;
	const uint32_t shift = first % 32;
	uint32_t *to = bits.valid + first / 32;

	if (valid != rows)
		atomicAdd(bits.nulls, (uint32_t)__popc(rows & ~valid));
	if (recheck != 0)
		bits.recheck[word] |= recheck;
	if (valid << shift != 0)
		atomicOr(to, valid << shift);
	if (shift > 0 && valid >> (32 - shift) != 0)
		atomicOr(to + 1, valid >> (32 - shift));
}

/* One thread a row; a warp's first thread merges its word. */
static __global__ void __launch_bounds__(BUILD_THREADS)
	build_values(const ValueRegister from, int64_t *to, const BuildBits bits)
{
	const int32_t r = (int32_t)(blockIdx.x * BUILD_THREADS + threadIdx.x);

	if (r >= bits.nrows)
		return;
	to[r] = value_at(from, r);
	if (r % 32 == 0)
		merge_word(bits, r / 32, value_state(from, r / 32));
}

/* One thread a word. */
static __global__ void __launch_bounds__(BUILD_THREADS)
	build_valid(const TextRegister from, const BuildBits bits)
{
	const int32_t w = (int32_t)(blockIdx.x * BUILD_THREADS + threadIdx.x);

	if (w < (int32_t)GPUSTR_BITMAP_WORDS(bits.nrows))
		merge_word(bits, w, text_state(from, w));
}

/* One thread an offset. */
static __global__ void __launch_bounds__(BUILD_THREADS)
	build_offsets(const int32_t *from, int32_t from_first, int32_t nrows, int32_t first_byte,
				  int32_t *to, uint32_t *astray)
{
	const int32_t i = (int32_t)(blockIdx.x * BUILD_THREADS + threadIdx.x);
	int32_t mine;

	if (i > nrows)
		return;
	mine = from[i] - from_first + first_byte;
	if (i > 0 && i < nrows)
		to[i] = mine;
	else
	{
		int32_t was = atomicExch(to + i, mine);

		if (was != NO_OFFSET && was != mine)
			atomicAdd(astray, 1);
	}
}

cudaError_t launch_build_values(const ValueRegister &from, int64_t *to, const BuildBits &bits,
								cudaStream_t stream)
{
	build_values<<<launch_blocks(bits.nrows, BUILD_THREADS), BUILD_THREADS, 0, stream>>>(from, to,
																						 bits);
	return cudaPeekAtLastError();
}

cudaError_t launch_build_valid(const TextRegister &from, const BuildBits &bits, cudaStream_t stream)
{
	const int32_t nwords = (int32_t)GPUSTR_BITMAP_WORDS(bits.nrows);

	build_valid<<<launch_blocks(nwords, BUILD_THREADS), BUILD_THREADS, 0, stream>>>(from, bits);
	return cudaPeekAtLastError();
}

cudaError_t launch_build_offsets(const int32_t *from, int32_t from_first, int32_t nrows,
								 int32_t first_byte, int32_t *to, uint32_t *astray,
								 cudaStream_t stream)
{
	build_offsets<<<launch_blocks((int64_t)nrows + 1, BUILD_THREADS), BUILD_THREADS, 0, stream>>>(
		from, from_first, nrows, first_byte, to, astray);
	return cudaPeekAtLastError();
}
