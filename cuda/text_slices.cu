/*-------------------------------------------------------------------------
 *
 * text_slices.cu
 *	  TEXT_MAKE of functions whose answer is a part of their text.
 *
 * No byte is written but where each answer starts and ends.
 *
 * What is asked for most takes another way to the answer of rowfn_text_slice(), in
 * pieces of 16 bytes of which several are on their way at once: the first characters
 * of texts that are ASCII up to there, and fields between separators of one byte.
 *
 * IDENTIFICATION
 *	  cuda/text_slices.cu
 *
 *-------------------------------------------------------------------------
 */
#include "kernels.cuh"
#include "rowfn/text_slice.h"
#include "sought_bits.cuh"
#include "text_args.cuh"

/* Pieces that a thread loads before it looks at them. */
#define SLICE_LOADS 4

/* The pieces from byte 'at' of s on, aligned, that hold bytes before 'stop'; others are 0. */
static __device__ __forceinline__ void load_pieces(const char *s, int32_t at, int32_t stop,
												   uint4 (&piece)[SLICE_LOADS])
{
#pragma unroll
	for (int i = 0; i < SLICE_LOADS; i++)
	{
		piece[i] = make_uint4(0, 0, 0, 0);
		if (at + 16 * i < stop)
			piece[i] = *(const uint4 *)(s + at + 16 * i);
	}
}

/*
 * substr() of a text that is ASCII as far as it matters; from and count are as they
 * may be.  Returns whether it is so.
 */
static __device__ __forceinline__ bool substr_of_ascii(const RowfnText &text, int64_t from,
													   int64_t count, RowfnText *slice)
{
	const int64_t end = from + count;
	int32_t stop;
	int32_t start;
	uint32_t any = 0;

	if (!rowfn_is_int4(from) || !rowfn_is_int4(count) || count < 0 || end > INT32_MAX || end <= 1)
		return false;
	start = min((int32_t)max(from, (int64_t)1) - 1, text.len);
	stop = min((int32_t)end - 1, text.len);
	for (int32_t at = -(int32_t)((uintptr_t)text.s & 15); at < stop; at += 16 * SLICE_LOADS)
	{
		uint4 piece[SLICE_LOADS];

		load_pieces(text.s, at, stop, piece);
#pragma unroll
		for (int i = 0; i < SLICE_LOADS; i++)
			any |= piece[i].x | piece[i].y | piece[i].z | piece[i].w;
	}
	slice->s = text.s + start;
	slice->len = stop - start;
	return (any & 0x80808080) == 0;
}

/* split_part(), n >= 1, of a separator of one byte. */
static __device__ __forceinline__ void split_by_byte(const RowfnText &text, char separator,
													 int32_t n, RowfnText *slice)
{
	const Sought<1> sought = {{(unsigned char)separator * 0x01010101u}};
	int32_t left = n - 1; /* separators before the field that have not been seen */
	int32_t start = 0;
	int32_t end = -1;

	for (int32_t at = -(int32_t)((uintptr_t)text.s & 15); at < text.len && end < 0;
		 at += 16 * SLICE_LOADS)
	{
		uint4 piece[SLICE_LOADS];

		load_pieces(text.s, at, text.len, piece);
#pragma unroll
		for (int i = 0; i < SLICE_LOADS; i++)
		{
			const int32_t mine = at + 16 * i;
			uint32_t bits =
				sought_bits(sought, piece[i], 0) & rowfn_piece_bits(-mine, text.len - mine);

			if (__popc(bits) < left)
			{
				left -= __popc(bits);
				continue;
			}
			for (; bits != 0 && end < 0; bits &= bits - 1)
			{
				const int32_t place = mine + __ffs((int)bits) - 1;

				if (left == 0)
					end = place;
				else if (--left == 0)
					start = place + 1;
			}
		}
	}
	slice->s = text.s;
	slice->len = 0;
	if (left == 0)
	{
		slice->s += start;
		slice->len = (end < 0 ? text.len : end) - start;
	}
}

/* As rowfn_text_slice(). */
template <int FUNCTION>
static __device__ __forceinline__ bool row_slice(const RowfnArgs &row, RowfnText *slice)
{
	const bool is_utf8 = row.encoding == GPUSTR_ENC_UTF8;

	if (FUNCTION == GPUSTR_TEXT_SUBSTR && is_utf8 &&
		substr_of_ascii(row.text[0], row.value[1], row.value[2], slice))
		return true;
	if (FUNCTION == GPUSTR_TEXT_LEFT && is_utf8 &&
		substr_of_ascii(row.text[0], 1, row.value[1], slice))
		return true;
	if (FUNCTION == GPUSTR_TEXT_SPLIT_PART && row.text[1].len == 1 && row.value[2] >= 1 &&
		rowfn_is_int4(row.value[2]))
	{
		split_by_byte(row.text[0], row.text[1].s[0], (int32_t)row.value[2], slice);
		return true;
	}
	return rowfn_text_slice(FUNCTION, &row, slice) != 0;
}

/*
 * slice_text - where each answer is.
 *
 * args		[nrows] registers, the texts within 2 GB of base
 * start, end	[nrows] bytes from base
 * planes	[(nrows + 31) / 32] words each
 *
 * One thread a row, 256 a block; a warp writes one word of each plane by ballot.
 * e.g. left() of texts {"abc", NULL, "x"} at 10, 20, 30 and values {2, 1, 4}:
 *		start {10, 0, 30}, end {12, 0, 31}, valid 101, recheck 000
 */
template <int FUNCTION>
static __global__ void __launch_bounds__(ROW_THREADS)
	slice_text(const TextArgs args, const char *base, int32_t nrows, int32_t *start, int32_t *end,
			   StatePlanes planes)
{
	int32_t r = my_row();
	uint32_t truth = GPUSTR_RECHECK;

	if (!warp_has_rows(r, nrows))
		return;
	if (r < nrows)
	{
		RowfnText slice = {base, 0};

		truth = row_truth(text_args_state(args, r / 32), r);
		if (truth == GPUSTR_FALSE)
		{
			RowfnArgs row = text_args_row(args, r);

			if (!row_slice<FUNCTION>(row, &slice))
			{
				truth = GPUSTR_RECHECK;
				slice.s = base;
				slice.len = 0;
			}
		}
		start[r] = (int32_t)(slice.s - base);
		end[r] = (int32_t)(slice.s - base) + slice.len;
	}
	__syncwarp();
	write_state(planes, r, truth);
}

template <int FUNCTION>
static cudaError_t launch(const TextArgs &args, const char *base, int32_t nrows, int32_t *start,
						  int32_t *end, StatePlanes planes, cudaStream_t stream)
{
	slice_text<FUNCTION><<<launch_blocks(nrows, ROW_THREADS), ROW_THREADS, 0, stream>>>(
		args, base, nrows, start, end, planes);
	return cudaPeekAtLastError();
}

cudaError_t launch_text_slice(GpustrTextFunction function, const TextArgs &args, const char *base,
							  int32_t nrows, int32_t *start, int32_t *end, StatePlanes planes,
							  cudaStream_t stream)
{
#define SLICE(function)                                                                            \
	case function:                                                                                 \
		return launch<function>(args, base, nrows, start, end, planes, stream)

	switch (function)
	{
		SLICE(GPUSTR_TEXT_SUBSTR);
		SLICE(GPUSTR_TEXT_SUBSTR_FROM);
		SLICE(GPUSTR_TEXT_LEFT);
		SLICE(GPUSTR_TEXT_RIGHT);
		SLICE(GPUSTR_TEXT_BTRIM);
		SLICE(GPUSTR_TEXT_LTRIM);
		SLICE(GPUSTR_TEXT_RTRIM);
		SLICE(GPUSTR_TEXT_SPLIT_PART);
		SLICE(GPUSTR_TEXT_REGEX_SUBSTR);
		default:
			return cudaErrorInvalidValue;
	}
#undef SLICE
}
