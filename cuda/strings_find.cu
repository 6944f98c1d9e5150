/*-------------------------------------------------------------------------
 *
 * strings_find.cu
 *	  FIND_ALL: all places where a pattern stands, in order.
 *
 * One long text comes as many rows, pieces of it (GPUSTR_FIND_PIECE).  A block takes
 * a row, so that bytes, not texts, are shared out over the multiprocessors:
 *
 *		search_rows		the hits of each row: counted, and the first few staged
 *		measure_found	which rows have an answer, and how long each is
 *		a scan			where each ends
 *		write_found		offsets and answers; rows for which there is no room
 *
 * Text is read once, 16 bytes a thread, a warp 2 KB side by side.  A thread forms the
 * 4 bytes at each of its 16 places, the last ones with its neighbour's first word,
 * and compares them with the pattern's; what agrees is compared further in
 * memory.  A warp that has hits numbers them by a scan over its lanes; warps add
 * up their counts through shared memory.  So hits are written in order, and
 * nothing is sorted.
 *
 * A row with more hits than are staged is searched once more by the warp that
 * writes it: then it is the answer that takes the bandwidth.
 *
 * The pattern stays in global memory, however long it is, and its first words in
 * the first-level cache.
 *
 * IDENTIFICATION
 *	  cuda/strings_find.cu
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_scan.cuh>

#include "cuda_check.cuh"
#include "kernels.cuh"
#include "row_words.cuh"

#define FIND_THREADS 256
#define FIND_WARPS (FIND_THREADS / 32)

/* Pieces of 16 bytes of a thread in a tile, and bytes of a warp's part of it. */
#define FIND_PIECES 4
#define FIND_WARP_BYTES (FIND_PIECES * 32 * 16)

/* A row of so many places is one tile of a block, wherever it starts. */
static_assert(FIND_WARPS * FIND_WARP_BYTES - 16 == GPUSTR_FIND_PIECE, "a piece is a tile");

/* Hits of a row that are staged. */
#define FIND_STAGED 64

/* Threads of the kernel that writes: a warp a row. */
#define FIND_WRITE_THREADS 256

/* Alignment in bytes of what is in the working memory. */
#define FIND_ALIGN 256

struct FindPattern
{
	const char *what; /* in device memory, aligned to 8 */
	int32_t bytes;
	uint32_t first; /* its first 4 bytes, as far as there are */
	uint32_t mask;	/* bits of these */
};

/* What is counted: in 16 bits each where it is of one tile. */
struct FindCount
{
	uint32_t hits;
	uint32_t starts; /* characters that start in the places */
};

static __device__ __forceinline__ FindCount find_unpack(uint32_t packed)
{
	FindCount count = {packed & 0xFFFF, packed >> 16};

	return count;
}

/* Bits of those of 16 bytes, the first at 'off', that are in [from, to). */
static __device__ __forceinline__ uint32_t bits_within(uint32_t off, uint32_t from, uint32_t to)
{
	uint32_t bits = 0xFFFF;

	if (off < from)
		bits = from - off < 16 ? 0xFFFF << (from - off) & 0xFFFF : 0;
	if (to < off + 16)
		bits &= to > off ? (1u << (to - off)) - 1 : 0;
	return bits;
}

/* Places among 4 at which the first bytes of the pattern stand. */
static __device__ __forceinline__ uint32_t first_bytes_at(uint32_t w, uint32_t next,
														  const FindPattern &pattern)
{
	uint32_t bits = 0;

#pragma unroll
	for (int i = 0; i < 4; i++)
	{
		uint32_t four = __funnelshift_r(w, next, 8 * i);

		if (((four ^ pattern.first) & pattern.mask) == 0)
			bits |= 1u << i;
	}
	return bits;
}

/* Bytes among 4 that continue no UTF-8 character. */
static __device__ __forceinline__ uint32_t starts_among(uint32_t w)
{
	uint32_t continues = w >> 7 & ~(w >> 6) & 0x01010101;

	/* bits 0, 8, 16 and 24 to bits 0 to 3: no two products meet */
	return ((continues ^ 0x01010101) * 0x10204080) >> 28;
}

/*
 * Does the rest of the pattern, more than 4 bytes long, stand at s + 4?  Words that
 * hold none of its bytes are not read.
 */
static __device__ bool rest_stands_at(const char *s, const FindPattern &pattern)
{
	const uint32_t *rest = (const uint32_t *)pattern.what + 1;
	const uint32_t *words = (const uint32_t *)((uintptr_t)s & ~(uintptr_t)3) + 1;
	uint32_t skip = (uint32_t)((uintptr_t)s & 3);
	int32_t left = pattern.bytes - 4;
	uint32_t word = *words;

	for (; left > 0; left -= 4)
	{
		uint32_t mask = left >= 4 ? 0xFFFFFFFF : (1u << 8 * left) - 1;
		uint32_t next = 0;

		words++;
		if (left > 4 || skip + (uint32_t)left > 4)
			next = *words;
		if (((__funnelshift_r(word, next, 8 * skip) ^ *rest++) & mask) != 0)
			return false;
		word = next;
	}
	return true;
}

/* A warp's part of a tile: bits of its threads' pieces. */
struct FindBits
{
	uint32_t hits[FIND_PIECES];
	uint32_t starts[FIND_PIECES];
};

/*
 * Look at a warp's part of a tile.
 *
 * origin	aligned to 16, at most 15 bytes before the text
 * at		of the warp's part, from origin; a multiple of 16
 * from, to	of the places, from origin; stop: of the text
 */
template <bool UTF8>
static __device__ __forceinline__ FindBits look_at(const char *origin, uint32_t at, uint32_t from,
												   uint32_t to, uint32_t stop,
												   const FindPattern &pattern)
{
	const uint32_t lane = threadIdx.x % 32;
	uint4 piece[FIND_PIECES];
	uint32_t after_all = 0; /* the word after the last lane's last piece */
	FindBits bits;

#pragma unroll
	for (int q = 0; q < FIND_PIECES; q++)
	{
		uint32_t off = at + q * 512 + lane * 16;

		piece[q] = make_uint4(0, 0, 0, 0);
		if (off < stop)
			piece[q] = *(const uint4 *)(origin + off);
	}
	if (lane == 31 && at + FIND_WARP_BYTES < stop)
		after_all = *(const uint32_t *)(origin + at + FIND_WARP_BYTES);
#pragma unroll
	for (int q = 0; q < FIND_PIECES; q++)
	{
		uint32_t off = at + q * 512 + lane * 16;
		uint32_t places = bits_within(off, from, to);
		uint32_t next = __shfl_down_sync(0xFFFFFFFF, piece[q].x, 1);
		uint32_t after = after_all;
		uint32_t hits;

		if (q + 1 < FIND_PIECES)
			after = __shfl_sync(0xFFFFFFFF, piece[q + 1 < FIND_PIECES ? q + 1 : q].x, 0);
		if (lane == 31)
			next = after;
		hits = first_bytes_at(piece[q].x, piece[q].y, pattern) |
			   first_bytes_at(piece[q].y, piece[q].z, pattern) << 4 |
			   first_bytes_at(piece[q].z, piece[q].w, pattern) << 8 |
			   first_bytes_at(piece[q].w, next, pattern) << 12;
		hits &= places;
		if (pattern.bytes > 4)
		{
			for (uint32_t left = hits; left != 0; left &= left - 1)
			{
				uint32_t i = (uint32_t)__ffs((int)left) - 1;

				if (!rest_stands_at(origin + off + i, pattern))
					hits ^= 1u << i;
			}
		}
		bits.hits[q] = hits;
		bits.starts[q] = 0;
		if (UTF8)
			bits.starts[q] = (starts_among(piece[q].x) | starts_among(piece[q].y) << 4 |
							  starts_among(piece[q].z) << 8 | starts_among(piece[q].w) << 12) &
							 places;
	}
	return bits;
}

/*
 * Search a text by WARPS warps of a block, whose threads all call this; returns the
 * counts to all of them, and writes the first 'room' hits.
 *
 * totals	[2][WARPS], shared by the warps; not used by one alone
 */
template <bool UTF8, int WARPS>
static __device__ FindCount search_text(const char *s, int32_t len, const FindPattern &pattern,
										int32_t *to, uint32_t room, uint32_t (*totals)[WARPS])
{
	const uint32_t lane = threadIdx.x % 32;
	const uint32_t warp = WARPS > 1 ? threadIdx.x / 32 : 0;
	const uint32_t from = (uint32_t)((uintptr_t)s & 15);
	const char *origin = s - from;
	uint32_t places = len >= pattern.bytes ? (uint32_t)(len - pattern.bytes) + 1 : 0;
	FindCount before = {0, 0};
	int turn = 0;

	for (uint32_t tile = 0; places > 0 && tile < from + places; tile += WARPS * FIND_WARP_BYTES)
	{
		uint32_t at = tile + warp * FIND_WARP_BYTES;
		FindBits bits =
			look_at<UTF8>(origin, at, from, from + places, from + (uint32_t)len, pattern);
		uint32_t packed = 0;
		uint32_t mine;
		FindCount lower;

#pragma unroll
		for (int q = 0; q < FIND_PIECES; q++)
			packed += (uint32_t)__popc(bits.hits[q]) | (uint32_t)__popc(bits.starts[q]) << 16;
		packed = __reduce_add_sync(0xFFFFFFFF, packed);
		mine = packed;
		lower = before;
		if constexpr (WARPS > 1)
		{
			if (lane == 0)
				totals[turn][warp] = packed;
			__syncthreads();
			packed = 0;
#pragma unroll
			for (uint32_t w = 0; w < WARPS; w++)
			{
				FindCount count = find_unpack(totals[turn][w]);

				if (w < warp)
				{
					lower.hits += count.hits;
					lower.starts += count.starts;
				}
				before.hits += count.hits;
				before.starts += count.starts;
			}
			turn ^= 1;
		}
		else
		{
			before.hits += find_unpack(packed).hits;
			before.starts += find_unpack(packed).starts;
		}
		if ((mine & 0xFFFF) == 0 || lower.hits >= room)
			continue;
#pragma unroll
		for (int q = 0; q < FIND_PIECES; q++)
		{
			uint32_t own = (uint32_t)__popc(bits.hits[q]) | (uint32_t)__popc(bits.starts[q]) << 16;
			uint32_t sum = own;
			FindCount first;
			FindCount all;

#pragma unroll
			for (int d = 1; d < 32; d *= 2)
			{
				uint32_t other = __shfl_up_sync(0xFFFFFFFF, sum, d);

				if (lane >= (uint32_t)d)
					sum += other;
			}
			all = find_unpack(__shfl_sync(0xFFFFFFFF, sum, 31));
			first = find_unpack(sum - own);
			for (uint32_t left = bits.hits[q]; left != 0; left &= left - 1)
			{
				uint32_t i = (uint32_t)__ffs((int)left) - 1;
				uint32_t hit = lower.hits + first.hits++;
				uint32_t place = at + q * 512 + lane * 16 + i - from;

				if (UTF8)
					place = lower.starts + first.starts +
							(uint32_t)__popc(bits.starts[q] & ((1u << i) - 1));
				if (hit < room)
					to[hit] = (int32_t)place;
			}
			lower.hits += all.hits;
			lower.starts += all.starts;
		}
	}
	if (!UTF8)
		before.starts = places;
	return before;
}

/*
 * search_rows - the hits of each row: counted, and the first few staged.
 *
 * count	[nrows]
 * staged	[nrows][FIND_STAGED]
 *
 * A block a row, 256 threads.
 * e.g. "ab" in {"abcab", "ba"}: count {{2, 4}, {0, 1}}, staged {{0, 3}, {}}
 */
template <bool UTF8>
static __global__ void __launch_bounds__(FIND_THREADS)
	search_rows(const TextRegister text, BoolRegister where, int32_t nrows,
				const FindPattern pattern, FindCount *count, int32_t *staged)
{
	__shared__ uint32_t totals[2][FIND_WARPS];
	int32_t r = (int32_t)blockIdx.x;
	uint32_t asked = rows_asked_for(where, nrows, r / 32) & ~text_state(text, r / 32).hi;
	FindCount found;

	if ((asked >> (r % 32) & 1) == 0)
		return;
	found = search_text<UTF8, FIND_WARPS>(text_at(text, r), text_bytes(text, r), pattern,
										  staged + (int64_t)r * FIND_STAGED, FIND_STAGED, totals);
	if (threadIdx.x == 0)
		count[r] = found;
}

/*
 * measure_found - which rows have an answer, and how long each is.
 *
 * count	[nrows] of rows that have one
 * bytes	[nrows] at most column.room + 1; 0 without an answer
 * column	valid is written, recheck ORed into
 *
 * One thread a row, 256 a block; a warp's first thread writes its words.
 * e.g. counts of the example above: bytes {12, 4}
 */
static __global__ void __launch_bounds__(ROW_THREADS)
	measure_found(const TextRegister text, BoolRegister where, int32_t nrows,
				  const OutputColumn column, const FindCount *count, uint64_t *bytes)
{
	int32_t r = my_row();
	int32_t w = r / 32;
	GpustrTruthWord state;
	uint32_t asked;
	uint64_t n = 0;

	if (r >= nrows)
		return;
	state = text_state(text, w);
	asked = rows_asked_for(where, nrows, w);
	if ((asked & ~state.hi) >> (r % 32) & 1)
		n = min(sizeof(int32_t) * ((uint64_t)count[r].hits + 1), column.room + 1);
	bytes[r] = n;
	if (r % 32 == 0)
	{
		column.valid[w] = asked & ~state.hi;
		if ((asked & state.lo) != 0)
			column.recheck[w] |= asked & state.lo;
	}
}

/*
 * write_found - offsets and answers.
 *
 * count	[nrows], staged [nrows][FIND_STAGED] from search_rows()
 * end		[nrows] where each answer ends, room or not
 * column	valid as measure_found() has left it; all others are written
 *
 * A warp a row, 8 a block.
 */
template <bool UTF8>
static __global__ void __launch_bounds__(FIND_WRITE_THREADS)
	write_found(const TextRegister text, int32_t nrows, const FindPattern pattern,
				const OutputColumn column, const FindCount *count, const int32_t *staged,
				const uint64_t *end)
{
	int32_t r = (int32_t)((blockIdx.x * FIND_WRITE_THREADS + threadIdx.x) / 32);
	uint32_t lane = threadIdx.x % 32;
	uint32_t bit = 1u << r % 32;
	uint64_t start;
	uint64_t stop;
	uint32_t hits;
	int32_t *to;

	if (r >= nrows)
		return;
	start = r > 0 ? end[r - 1] : 0;
	stop = end[r];
	if (lane == 0)
	{
		column.offset[r] = (int32_t)min(start, column.room);
		if (r == nrows - 1)
		{
			column.offset[nrows] = (int32_t)min(stop, column.room);
			*column.bytes = min(stop, column.room);
		}

		/* one row is the first that ends past the room, or the last of all */
		if (start <= column.room && (stop > column.room || r == nrows - 1))
			*column.used = stop > column.room ? start : stop;
	}
	if (start == stop)
		return;
	if (stop > column.room)
	{
		if (lane == 0)
		{
			(void)atomicAnd(&column.valid[r / 32], ~bit);
			(void)atomicOr(&column.recheck[r / 32], bit);
		}
		return;
	}
	hits = count[r].hits;
	to = (int32_t *)(column.data + start);
	if (lane == 0)
		to[0] = (int32_t)count[r].starts;
	if (hits > FIND_STAGED)
		(void)search_text<UTF8, 1>(text_at(text, r), text_bytes(text, r), pattern, to + 1, hits,
								   NULL);
	else
		for (uint32_t i = lane; i < hits; i += 32)
			to[1 + i] = staged[(int64_t)r * FIND_STAGED + i];
}

/* What is in the working memory, in bytes from its start. */
struct FindScratch
{
	uint64_t count_at;
	uint64_t staged_at;
	uint64_t scan_at;
	size_t scan_bytes;
};

static uint64_t find_aligned(uint64_t bytes)
{
	return (bytes + FIND_ALIGN - 1) / FIND_ALIGN * FIND_ALIGN;
}

/* Ends, counts, staged hits and what the scan asks for. */
static cudaError_t lay_out_find(int32_t nrows, FindScratch *scratch)
{
	uint64_t *none = NULL;
	uint64_t n = (uint64_t)nrows;

	scratch->count_at = find_aligned(n * sizeof(uint64_t));
	scratch->staged_at = scratch->count_at + find_aligned(n * sizeof(FindCount));
	scratch->scan_at = scratch->staged_at + find_aligned(n * FIND_STAGED * sizeof(int32_t));
	scratch->scan_bytes = 0;
	return cub::DeviceScan::InclusiveSum(NULL, scratch->scan_bytes, none, none, nrows);
}

cudaError_t find_all_scratch_need(int32_t nrows, uint64_t *bytes)
{
	FindScratch scratch;

	*bytes = 0;
	if (nrows == 0)
		return cudaSuccess;
	CUDA_PASS(lay_out_find(nrows, &scratch));
	*bytes = scratch.scan_at + scratch.scan_bytes;
	return cudaSuccess;
}

template <bool UTF8>
static cudaError_t start_find(const TextRegister &text, const FindPattern &pattern,
							  BoolRegister where, int32_t nrows, const OutputColumn &column,
							  cudaStream_t stream)
{
	char *memory = (char *)column.scratch;
	uint64_t *end = (uint64_t *)memory;
	FindScratch scratch;
	FindCount *count;
	int32_t *staged;

	CUDA_PASS(lay_out_find(nrows, &scratch));
	count = (FindCount *)(memory + scratch.count_at);
	staged = (int32_t *)(memory + scratch.staged_at);
	search_rows<UTF8>
		<<<(unsigned)nrows, FIND_THREADS, 0, stream>>>(text, where, nrows, pattern, count, staged);
	CUDA_PASS(cudaPeekAtLastError());
	measure_found<<<launch_blocks(nrows, ROW_THREADS), ROW_THREADS, 0, stream>>>(
		text, where, nrows, column, count, end);
	CUDA_PASS(cudaPeekAtLastError());
	CUDA_PASS(cub::DeviceScan::InclusiveSum(memory + scratch.scan_at, scratch.scan_bytes, end, end,
											nrows, stream));
	write_found<UTF8>
		<<<launch_blocks((int64_t)nrows * 32, FIND_WRITE_THREADS), FIND_WRITE_THREADS, 0, stream>>>(
			text, nrows, pattern, column, count, staged, end);
	return cudaPeekAtLastError();
}

cudaError_t launch_find_all(const TextRegister &text, const char *what, const char *device_what,
							int32_t what_bytes, int32_t encoding, BoolRegister where, int32_t nrows,
							const OutputColumn &column, cudaStream_t stream)
{
	FindPattern pattern = {device_what, what_bytes, 0, 0};

	for (int i = 0; i < 4 && i < what_bytes; i++)
	{
		pattern.first |= (uint32_t)(unsigned char)what[i] << 8 * i;
		pattern.mask |= 0xFFu << 8 * i;
	}
	return encoding == GPUSTR_ENC_UTF8
			   ? start_find<true>(text, pattern, where, nrows, column, stream)
			   : start_find<false>(text, pattern, where, nrows, column, stream);
}
