/*-------------------------------------------------------------------------
 *
 * strings_output_text.cu
 *	  Output columns: OUTPUT_TEXT, a text as it is.
 *
 *		count_texts		which rows have a text, and the bytes of a block's rows
 *		a scan			where each block's texts start
 *		copy_texts		offsets and bytes; rows for which there is no room
 *
 * What there is room for, and how sums are kept from overflowing, is as in
 * strings_output.cu; but how long a text is need not be worked out, so that it
 * is looked up twice rather than written down.  The bytes of a block's rows are
 * copied by words of 16: text_pieces.cuh.
 *
 * IDENTIFICATION
 *	  cuda/strings_output_text.cu
 *
 *-------------------------------------------------------------------------
 */
#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>

#include "cuda_check.cuh"
#include "kernels.cuh"
#include "row_words.cuh"
#include "text_pieces.cuh"

typedef cub::BlockScan<unsigned long long, ROW_THREADS> OutputScan;

/* Bytes of row r, as far as they count; 0 if it has no text. */
static __device__ __forceinline__ unsigned long long
counted_bytes(const TextRegister &text, uint32_t valid, int32_t r, uint64_t room)
{
	return valid >> (r % 32) & 1 ? min((uint64_t)text_bytes(text, r), room + 1) : 0;
}

/*
 * count_texts - which rows have a text, and the bytes of each block's rows.
 *
 * text		[nrows] text register
 * where	[nwords] words a plane, only where it is true; lo NULL: all rows
 * column	valid is written, recheck ORed into
 * sum		[blocks] bytes; each text counts at most column.room + 1
 *
 * One thread a row, 256 a block; a warp's first thread writes its words.
 */
static __global__ void __launch_bounds__(ROW_THREADS)
	count_texts(const TextRegister text, BoolRegister where, int32_t nrows,
				const OutputColumn column, unsigned long long *sum)
{
	__shared__ OutputScan::TempStorage scan;
	int32_t r = my_row();
	int32_t w = r / 32;
	unsigned long long bytes = 0;
	unsigned long long before;
	unsigned long long all;

	if (r < nrows)
	{
		GpustrTruthWord state = text_state(text, w);
		uint32_t asked = rows_asked_for(where, nrows, w);

		bytes = counted_bytes(text, asked & ~state.hi, r, column.room);
		if (r % 32 == 0)
		{
			column.valid[w] = asked & ~state.hi;
			if ((asked & state.lo) != 0)
				column.recheck[w] |= asked & state.lo;
		}
	}
	OutputScan(scan).ExclusiveSum(bytes, before, all);
	if (threadIdx.x == 0)
		sum[blockIdx.x] = all;
}

/*
 * Write bytes [0, total) of what the pieces are to 'to', in words of 16, the first
 * and the last, which are shared with neighbours, byte by byte.  A block.
 */
static __device__ __forceinline__ void write_pieces(const TextPieces<ROW_THREADS> &pieces,
													uint32_t total, char *to)
{
	const int32_t head = (int32_t)((uintptr_t)to & 15);

	for (int64_t at = (int64_t)threadIdx.x * 16 - head; at < (int64_t)total; at += ROW_THREADS * 16)
	{
		uint4 word = text_word(pieces, (int32_t)at);

		if (at >= 0 && at + 16 <= (int64_t)total)
			*(uint4 *)(to + at) = word;
		else
		{
			const uint32_t part[4] = {word.x, word.y, word.z, word.w};

#pragma unroll
			for (int i = 0; i < 16; i++)
				if (at + i >= 0 && at + i < (int64_t)total)
					to[at + i] = (char)(part[i / 4] >> 8 * (i % 4));
		}
	}
}

/*
 * copy_texts - offsets and bytes.
 *
 * start	[blocks] where each block's texts start, room or not
 * column	valid as count_texts() has left it; all others are written
 *
 * One thread a row, 256 a block.
 * e.g. texts {"abc", NULL, "defgh", "ij"}, room 8: offsets {0, 3, 3, 8, 8}, valid
 *		0101, recheck 1000, bytes 8, used 8
 */
static __global__ void __launch_bounds__(ROW_THREADS)
	copy_texts(const TextRegister text, int32_t nrows, const OutputColumn column,
			   const unsigned long long *start)
{
	__shared__ OutputScan::TempStorage scan;
	__shared__ TextPieces<ROW_THREADS> pieces;
	const uint64_t block_start = start[blockIdx.x];
	int32_t r = my_row();
	int32_t w = r / 32;
	unsigned long long bytes = 0;
	unsigned long long at;
	unsigned long long all;
	bool valid = false;
	bool has_room;
	bool as_it_lies; /* the text is what lies in the column */
	uint32_t no_room;

	if (r < nrows)
	{
		uint32_t word = column.valid[w];

		valid = word >> (r % 32) & 1;
		bytes = counted_bytes(text, word, r, column.room);
	}
	if (threadIdx.x == 0)
		pieces.n = ROW_THREADS;
	text_pieces_clear(&pieces, ROW_THREADS);
	OutputScan(scan).ExclusiveSum(bytes, at, all);
	has_room = block_start + at + bytes <= column.room;
	as_it_lies = r >= nrows || (has_room && (int64_t)bytes == text_bytes(text, r));
	if (r < nrows)
	{
		uint64_t from = block_start + at;
		uint64_t to = from + bytes;

		column.offset[r] = (int32_t)min(from, column.room);
		if (r == nrows - 1)
		{
			column.offset[nrows] = (int32_t)min(to, column.room);
			*column.bytes = min(to, column.room);
		}

		/* one row is the first that ends past the room, or the last of all */
		if (from <= column.room && (to > column.room || r == nrows - 1))
			*column.used = to > column.room ? from : to;
	}
	__syncwarp();
	no_room = __ballot_sync(0xFFFFFFFF, valid && !has_room);
	if (r % 32 == 0 && no_room != 0)
	{
		column.valid[w] &= ~no_room;
		column.recheck[w] |= no_room;
	}
	if (text.packed && __syncthreads_and(as_it_lies))
	{
		if (threadIdx.x == 0)
		{
			pieces.n = 1;
			pieces.from[0] = text_at(text, r);
			pieces.end[0] = (uint32_t)all;
		}
	}
	else
	{
		__syncthreads();

		/* a row without room is the first of as many as follow */
		if (!has_room || r >= nrows)
			atomicMin(&pieces.n, threadIdx.x);
		else
		{
			pieces.from[threadIdx.x] = bytes > 0 ? text_at(text, r) - at : NULL;
			text_pieces_note(&pieces, threadIdx.x, (uint32_t)at, (uint32_t)(at + bytes));
			pieces.end[threadIdx.x] = (uint32_t)(at + bytes);
		}
	}
	__syncthreads();
	if (pieces.n > 0)
		write_pieces(pieces, pieces.end[pieces.n - 1], column.data + block_start);
}

/* Bytes for the blocks' sums, so that what follows is aligned. */
static uint64_t sums_bytes(int32_t nrows)
{
	return ((uint64_t)launch_blocks(nrows, ROW_THREADS) * sizeof(unsigned long long) + 255) &
		   ~255ULL;
}

cudaError_t output_text_scratch_need(int32_t nrows, uint64_t *bytes)
{
	unsigned long long *none = NULL;
	size_t scan_bytes = 0;

	*bytes = 0;
	if (nrows == 0)
		return cudaSuccess;
	CUDA_PASS(cub::DeviceScan::ExclusiveSum(NULL, scan_bytes, none, none,
											(int)launch_blocks(nrows, ROW_THREADS)));
	*bytes = sums_bytes(nrows) + scan_bytes;
	return cudaSuccess;
}

cudaError_t launch_output_text(const TextRegister &text, BoolRegister where, int32_t nrows,
							   const OutputColumn &column, cudaStream_t stream)
{
	const unsigned blocks = launch_blocks(nrows, ROW_THREADS);
	unsigned long long *sum = (unsigned long long *)column.scratch;
	uint64_t need;
	size_t scan_bytes;

	CUDA_PASS(output_text_scratch_need(nrows, &need));
	scan_bytes = need - sums_bytes(nrows);
	count_texts<<<blocks, ROW_THREADS, 0, stream>>>(text, where, nrows, column, sum);
	CUDA_PASS(cudaPeekAtLastError());
	CUDA_PASS(cub::DeviceScan::ExclusiveSum((char *)column.scratch + sums_bytes(nrows), scan_bytes,
											sum, sum, (int)blocks, stream));
	copy_texts<<<blocks, ROW_THREADS, 0, stream>>>(text, nrows, column, sum);
	return cudaPeekAtLastError();
}
