/*-------------------------------------------------------------------------
 *
 * strings_output.cu
 *	  Output columns: MASK and REDACT of texts that lie anywhere, in three
 *	  passes.
 *
 *		measure_output	which rows have an answer, and how long each is
 *		a scan			where each ends
 *		write_output	offsets and answers; rows for which there is no room
 *
 * How long a batch's answers are is known on the device only, and the room for
 * them was guessed before; so an answer whose end lies past the room is not
 * written, and its row is left to PostgreSQL, as are all answers behind it:
 * batch.h.  Ends are 64 bits wide and count all answers, room or not.  One that
 * is longer than the room counts as a byte longer, so that no sum overflows.
 *
 * An operator is a struct of its inputs with these members:
 *
 *		Parts			what it finds out about a row when it measures it
 *		state()			of 32 rows' inputs: value (false), null or recheck
 *		split()			a row's parts
 *		bytes()			how long its answer is
 *		write()			the answer, by one thread
 *		write_together	the answer, by a warp
 *
 * Column batches whose room is known to suffice are redacted in one pass:
 * strings_redact.cuh.
 *
 * IDENTIFICATION
 *	  cuda/strings_output.cu
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_scan.cuh>

#include "cuda_check.cuh"
#include "kernels.cuh"
#include "row_words.cuh"
#include "rowfn/mask.h"
#include "rowfn/redact.h"

/* Answers of more bytes are written by a warp, one after the other. */
#define OUTPUT_SHORT_BYTES 64

/* Alignment in bytes of what is in the working memory. */
#define OUTPUT_ALIGN 256

/* Copy n bytes, which do not overlap, by a warp. */
static __device__ __forceinline__ void
copy_together(char *__restrict__ to, const char *__restrict__ from, int32_t n, uint32_t lane)
{
#pragma unroll 4
	for (uint32_t j = lane; j < (uint32_t)n; j += 32)
		to[j] = from[j];
}

/* MASK: rowfn/mask.h */
struct MaskOutput
{
	typedef RowfnMaskParts Parts;

	TextRegister text;
	const char *mask; /* [mask_bytes] */
	int32_t mask_bytes;
	int32_t keep_left;
	int32_t keep_right;
	int32_t encoding;

	__device__ __forceinline__ GpustrTruthWord state(int32_t word) const
	{
		return text_state(text, word);
	}

	__device__ __forceinline__ Parts split(int32_t r) const
	{
		return rowfn_mask_split(text_at(text, r), text_bytes(text, r), keep_left, keep_right,
								encoding);
	}

	__device__ __forceinline__ int64_t bytes(int32_t r, const Parts &parts) const
	{
		return rowfn_mask_bytes(text_bytes(text, r), parts, mask_bytes);
	}

	__device__ __forceinline__ void write(int32_t r, Parts parts, char *out) const
	{
		/* a mask of no bytes need not be written many times */
		if (mask_bytes == 0)
			parts.hidden = 0;
		rowfn_mask_write(text_at(text, r), text_bytes(text, r), parts, mask, mask_bytes, out);
	}

	__device__ __forceinline__ void write_together(int32_t r, const Parts &parts, char *out,
												   uint32_t lane) const
	{
		const char *s = text_at(text, r);
		int32_t right = parts.left_bytes + parts.hidden_bytes;
		uint32_t masked = (uint32_t)parts.hidden * (uint32_t)mask_bytes; /* there is room for it */

		copy_together(out, s, parts.left_bytes, lane);
		for (uint32_t j = lane; j < masked; j += 32)
			out[(uint32_t)parts.left_bytes + j] = mask[j % (uint32_t)mask_bytes];
		copy_together(out + parts.left_bytes + masked, s + right, text_bytes(text, r) - right,
					  lane);
	}
};

/* REDACT: rowfn/redact.h */
struct RedactOutput
{
	struct Parts
	{
		RowfnRedactParts name;
		int32_t initial_bytes; /* -1: the name is not public */
	};

	TextRegister name;
	TextRegister visibility;
	int32_t encoding;

	__device__ __forceinline__ GpustrTruthWord state(int32_t word) const
	{
		return state_both(text_state(name, word), text_state(visibility, word));
	}

	__device__ __forceinline__ Parts split(int32_t r) const
	{
		Parts parts = {{0, 0}, -1};

		if (rowfn_redact_is_public(text_at(visibility, r), text_bytes(visibility, r)))
		{
			const char *s = text_at(name, r);
			int32_t len = text_bytes(name, r);

			parts.name = rowfn_redact_split(s, len);
			parts.initial_bytes = 0;
			if (parts.name.last_off < len)
				parts.initial_bytes =
					rowfn_char_bytes(s + parts.name.last_off, len - parts.name.last_off, encoding);
		}
		return parts;
	}

	__device__ __forceinline__ int64_t bytes(int32_t r, const Parts &parts) const
	{
		if (parts.initial_bytes < 0)
			return ROWFN_REDACTED_BYTES;
		return rowfn_redact_public_bytes(parts.name, text_bytes(name, r), parts.initial_bytes);
	}

	__device__ __forceinline__ void write(int32_t r, const Parts &parts, char *out) const
	{
		/* without a visibility no name is public */
		if (parts.initial_bytes < 0)
			rowfn_redact_write(NULL, 0, NULL, 0, encoding, out);
		else
			rowfn_redact_write_public(text_at(name, r), text_bytes(name, r), parts.name,
									  parts.initial_bytes, out);
	}

	__device__ __forceinline__ void write_together(int32_t r, const Parts &parts, char *out,
												   uint32_t lane) const
	{
		const char *s = text_at(name, r);

		/* a long answer is of a public name */
		if (parts.name.last_off < text_bytes(name, r))
		{
			if (lane < (uint32_t)parts.initial_bytes)
				out[lane] = s[parts.name.last_off + (int32_t)lane];
			else if (lane == (uint32_t)parts.initial_bytes)
				out[lane] = ' ';
			out += parts.initial_bytes + 1;
		}
		copy_together(out, s, parts.name.first_bytes, lane);
	}
};

/*
 * measure_output - which rows have an answer, and how long each is.
 *
 * where	[nwords] words a plane, only where it is true; lo NULL: all rows
 * parts	[nrows] of rows that have an answer
 * bytes	[nrows] at most column.room + 1; 0 without an answer
 * column	valid is written, recheck ORed into
 *
 * One thread a row, 256 a block; a warp's first thread writes its words.
 * e.g. MASK by "**", which keeps a character on the left, of {"abc", NULL, recheck,
 *		"de"} where T T T N: bytes {5, 0, 0, 0}, valid 0001, recheck 0100
 */
template <class Operator>
static __global__ void __launch_bounds__(ROW_THREADS)
	measure_output(const Operator op, BoolRegister where, int32_t nrows, const OutputColumn column,
				   typename Operator::Parts *parts, uint64_t *bytes)
{
	int32_t r = my_row();
	int32_t w = r / 32;
	GpustrTruthWord state;
	uint32_t asked;
	uint64_t n = 0;

	if (r >= nrows)
		return;
	state = op.state(w);
	asked = rows_asked_for(where, nrows, w);
	if ((asked & ~state.hi) >> (r % 32) & 1)
	{
		typename Operator::Parts mine = op.split(r);

		n = min((uint64_t)op.bytes(r, mine), column.room + 1);
		parts[r] = mine;
	}
	bytes[r] = n;
	if (r % 32 == 0)
	{
		column.valid[w] = asked & ~state.hi;
		if ((asked & state.lo) != 0)
			column.recheck[w] |= asked & state.lo;
	}
}

/*
 * write_output - offsets and answers.
 *
 * parts	[nrows] from measure_output()
 * end		[nrows] where each answer ends, room or not
 * column	valid as measure_output() has left it; all others are written
 *
 * One thread a row, 256 a block.  A short answer is written by its thread, a
 * long one by the warp.
 * e.g. ends {3, 3, 8, 10}, all but row 1 valid, room 8: offsets {0, 3, 3, 8, 8},
 *		valid 0101, recheck 1000, bytes 8, used 8
 */
template <class Operator>
static __global__ void __launch_bounds__(ROW_THREADS)
	write_output(const Operator op, int32_t nrows, const OutputColumn column,
				 const typename Operator::Parts *parts, const uint64_t *end)
{
	int32_t r = my_row();
	int32_t w = r / 32;
	uint32_t lane = (uint32_t)r % 32;
	uint64_t start = 0;
	uint64_t stop = 0;
	bool valid = false;
	bool is_long;
	uint32_t no_room;
	uint32_t together;

	if (!warp_has_rows(r, nrows))
		return;
	if (r < nrows)
	{
		valid = column.valid[w] >> lane & 1;
		start = r > 0 ? end[r - 1] : 0;
		stop = end[r];
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
	no_room = __ballot_sync(0xFFFFFFFF, valid && stop > column.room);
	if (lane == 0 && no_room != 0)
	{
		column.valid[w] &= ~no_room;
		column.recheck[w] |= no_room;
	}
	valid = valid && stop <= column.room;
	is_long = stop - start > OUTPUT_SHORT_BYTES;
	if (valid && !is_long)
		op.write(r, parts[r], column.data + start);

	together = __ballot_sync(0xFFFFFFFF, valid && is_long);
	while (together != 0)
	{
		int32_t row = w * 32 + __ffs((int)together) - 1;

		op.write_together(row, parts[row], column.data + (row > 0 ? end[row - 1] : 0), lane);
		together &= together - 1;
	}
}

/* What is in the working memory, in bytes from its start. */
struct OutputScratch
{
	uint64_t parts_at;
	uint64_t scan_at;
	size_t scan_bytes;
};

static uint64_t aligned(uint64_t bytes)
{
	return (bytes + OUTPUT_ALIGN - 1) / OUTPUT_ALIGN * OUTPUT_ALIGN;
}

/* Ends, parts and what the scan asks for. */
static cudaError_t lay_out_scratch(int32_t nrows, OutputScratch *scratch)
{
	static_assert(sizeof(RedactOutput::Parts) == sizeof(MaskOutput::Parts),
				  "working memory serves both");
	uint64_t *none = NULL;

	scratch->parts_at = aligned((uint64_t)nrows * sizeof(uint64_t));
	scratch->scan_at = scratch->parts_at + aligned((uint64_t)nrows * sizeof(RedactOutput::Parts));
	scratch->scan_bytes = 0;
	return cub::DeviceScan::InclusiveSum(NULL, scratch->scan_bytes, none, none, nrows);
}

cudaError_t output_scratch_need(int32_t nrows, uint64_t *bytes)
{
	OutputScratch scratch;

	*bytes = 0;
	if (nrows == 0)
		return cudaSuccess;
	CUDA_PASS(lay_out_scratch(nrows, &scratch));
	*bytes = scratch.scan_at + scratch.scan_bytes;
	return cudaSuccess;
}

template <class Operator>
static cudaError_t start_output(const Operator &op, BoolRegister where, int32_t nrows,
								const OutputColumn &column, cudaStream_t stream)
{
	unsigned blocks = launch_blocks(nrows, ROW_THREADS);
	char *memory = (char *)column.scratch;
	uint64_t *end = (uint64_t *)memory;
	typename Operator::Parts *parts;
	OutputScratch scratch;

	CUDA_PASS(lay_out_scratch(nrows, &scratch));
	parts = (typename Operator::Parts *)(memory + scratch.parts_at);
	measure_output<Operator>
		<<<blocks, ROW_THREADS, 0, stream>>>(op, where, nrows, column, parts, end);
	CUDA_PASS(cudaPeekAtLastError());
	CUDA_PASS(cub::DeviceScan::InclusiveSum(memory + scratch.scan_at, scratch.scan_bytes, end, end,
											nrows, stream));
	write_output<Operator><<<blocks, ROW_THREADS, 0, stream>>>(op, nrows, column, parts, end);
	return cudaPeekAtLastError();
}

cudaError_t launch_output_mask(const TextRegister &text, const GpustrMask &mask,
							   const char *mask_text, int32_t encoding, BoolRegister where,
							   int32_t nrows, const OutputColumn &column, cudaStream_t stream)
{
	MaskOutput op;

	op.text = text;
	op.mask = mask_text;
	op.mask_bytes = mask.mask_bytes;
	op.keep_left = mask.keep_left;
	op.keep_right = mask.keep_right;
	op.encoding = encoding;
	return start_output(op, where, nrows, column, stream);
}

cudaError_t launch_output_redact(const TextRegister &name, const TextRegister &visibility,
								 int32_t encoding, BoolRegister where, int32_t nrows,
								 const OutputColumn &column, cudaStream_t stream)
{
	RedactOutput op;

	op.name = name;
	op.visibility = visibility;
	op.encoding = encoding;
	return start_output(op, where, nrows, column, stream);
}
