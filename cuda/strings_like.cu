/*-------------------------------------------------------------------------
 *
 * strings_like.cu
 *	  LIKE and ILIKE on the device.
 *
 * The matcher reads strings byte by byte, one row a thread.  From device
 * memory that would fetch a whole sector for each byte once the cache is
 * short: 2,048 threads with strings of 100 bytes want 200 KB of it.  So a warp
 * first copies the strings of its 32 rows to shared memory, by pieces of 16
 * bytes, 8 lanes a row, so that each string is read once and all at once.
 * Rows whose strings do not fit are matched in device memory.
 *
 * ILIKE folds the pieces as it copies them, and notes on the way which rows
 * the fold cannot decide; what is in the stage is then matched as for LIKE.
 *
 * IDENTIFICATION
 *	  cuda/strings_like.cu
 *
 *-------------------------------------------------------------------------
 */
#include "kernels.cuh"
#include "rowfn/like.h"

#define LIKE_THREADS 128
#define LIKE_WARPS (LIKE_THREADS / 32)

/* Bytes of strings that a warp stages: 32 rows of 144 bytes. */
#define LIKE_STAGE_BYTES (32 * 144)

/* The longest string that is staged: one row must not keep the others out. */
#define LIKE_LONGEST_STAGED (LIKE_STAGE_BYTES / 4)

/* Lanes that copy one row, and rows copied at a time. */
#define LIKE_COPY_LANES 8
#define LIKE_COPY_ROWS (32 / LIKE_COPY_LANES)

/* Fold 4 bytes. */
template <RowfnFoldKind KIND>
static __device__ __forceinline__ uint32_t fold_word(uint32_t w, const GpustrFold *fold)
{
	if constexpr (KIND == ROWFN_FOLD_NONE)
		return w;
	else if constexpr (KIND == ROWFN_FOLD_ASCII)
		return rowfn_fold_ascii4(w);
	else
	{
		uint32_t folded = 0;

#pragma unroll
		for (int i = 0; i < 32; i += 8)
			folded |= (uint32_t)(unsigned char)rowfn_fold_byte((char)(w >> i), fold, KIND) << i;
		return folded;
	}
}

/* Bits of those of 4 bytes that the fold cannot decide, from bit 0. */
template <RowfnFoldKind KIND>
static __device__ __forceinline__ uint32_t undecided_bytes(uint32_t w, const GpustrFold *fold)
{
	uint32_t bits = 0;

	/* bits 7, 15, 23 and 31 to bits 0 to 3: no two products meet */
	if (!fold->others_stay)
		bits = ((w >> 7 & 0x01010101) * 0x10204080) >> 28;
	if constexpr (KIND == ROWFN_FOLD_TABLE)
	{
#pragma unroll
		for (int i = 0; i < 4; i++)
		{
			uint32_t c = w >> 8 * i & 0xFF;

			if (c < 128 && fold->ascii[c] == GPUSTR_FOLD_RECHECK)
				bits |= 1u << i;
		}
	}
	return bits;
}

/*
 * like - match each row against a compiled LIKE pattern.
 *
 * text		[nrows] text register
 * fold_from	how to fold; unused for ROWFN_FOLD_NONE
 * pattern	compiled, rowfn/like.h, aligned to 8 bytes
 * out		[(nrows + 31) / 32] words a plane
 *
 * One thread a row, 128 a block; a warp writes one word of each plane by
 * ballot.  Threads past nrows vote 0.  A warp's stage is its own; the fold is
 * the block's.
 * e.g. texts {"ab", "b", NULL, "abc"}, pattern "a%": lo 1001, hi 0100
 */
template <RowfnFoldKind KIND>
static __global__ void __launch_bounds__(LIKE_THREADS)
	like(const TextRegister text, int32_t nrows, const GpustrFold *fold_from, const void *pattern,
		 int32_t encoding, BoolRegister out)
{
	__shared__ __align__(16) char stages[LIKE_WARPS][LIKE_STAGE_BYTES];
	__shared__ GpustrFold fold;
	const uint32_t lane = threadIdx.x % 32;
	int32_t r = (int32_t)(blockIdx.x * LIKE_THREADS + threadIdx.x);
	char *stage = stages[threadIdx.x / 32];
	const char *value = text.base;
	const char *from;	/* the pieces of 16 bytes that hold the string */
	uint32_t bytes = 0; /* of these pieces; 0: the string is not staged */
	uint32_t slot;		/* bytes of the stage that it takes */
	uint32_t stop;		/* running sum of slots over the warp */
	int32_t len = 0;
	uint32_t truth = GPUSTR_FALSE;
	GpustrTruthWord state = gpustr_truth_word(0, 0);
	bool match = false;
	bool undecided = false; /* the staged string has a character that is recheck */

	if constexpr (KIND != ROWFN_FOLD_NONE)
	{
		if (threadIdx.x < sizeof(fold) / sizeof(uint32_t))
			((uint32_t *)&fold)[threadIdx.x] = ((const uint32_t *)fold_from)[threadIdx.x];
		__syncthreads();
	}
	if (r / 32 * 32 >= nrows)
		return;
	state = text_state(text, r / 32);
	if (r < nrows)
	{
		truth = (state.lo >> lane & 1) | (state.hi >> lane & 1) << 1;
		match = truth == 0;
	}
	if (match)
	{
		value = text_at(text, r);
		len = text_bytes(text, r);
	}

	from = value - ((uintptr_t)value & 15);
	if (len > 0 && len <= LIKE_LONGEST_STAGED)
		bytes = ((uint32_t)(value - from) + (uint32_t)len + 15) & ~15u;

	/* an odd number of pieces, so that rows start at different banks */
	slot = bytes > 0 ? bytes | 16 : 0;
	stop = slot;
#pragma unroll
	for (int d = 1; d < 32; d *= 2)
	{
		uint32_t other = __shfl_up_sync(0xFFFFFFFF, stop, d);

		if (lane >= (uint32_t)d)
			stop += other;
	}
	if (stop > LIKE_STAGE_BYTES)
		bytes = 0;
#pragma unroll
	for (uint32_t i = 0; i < 32; i += LIKE_COPY_ROWS)
	{
		uint32_t row = i + lane / LIKE_COPY_LANES;
		const char *row_from =
			(const char *)__shfl_sync(0xFFFFFFFF, (unsigned long long)(uintptr_t)from, (int)row);
		uint32_t row_bytes = __shfl_sync(0xFFFFFFFF, bytes, (int)row);
		uint32_t row_to = __shfl_sync(0xFFFFFFFF, stop - slot, (int)row);

		uint32_t bits = 0; /* of undecided bytes, in all pieces of the lane */
		uint32_t head = 0; /* bytes of the first piece that are not the string's */
		uint32_t last = 0; /* bytes of the pieces up to the string's end */

		if constexpr (KIND != ROWFN_FOLD_NONE)
		{
			head = __shfl_sync(0xFFFFFFFF, (uint32_t)(value - from), (int)row);
			last = head + (uint32_t)__shfl_sync(0xFFFFFFFF, len, (int)row);
		}
		for (uint32_t b = lane % LIKE_COPY_LANES * 16; b < row_bytes; b += LIKE_COPY_LANES * 16)
		{
			uint4 piece = *(const uint4 *)(row_from + b);

			if constexpr (KIND != ROWFN_FOLD_NONE)
			{
				uint32_t found = undecided_bytes<KIND>(piece.x, &fold) |
								 undecided_bytes<KIND>(piece.y, &fold) << 4 |
								 undecided_bytes<KIND>(piece.z, &fold) << 8 |
								 undecided_bytes<KIND>(piece.w, &fold) << 12;

				if (b == 0)
					found &= 0xFFFFu << head;
				if (last - b < 16)
					found &= (1u << (last - b)) - 1;
				bits |= found;
				piece.x = fold_word<KIND>(piece.x, &fold);
				piece.y = fold_word<KIND>(piece.y, &fold);
				piece.z = fold_word<KIND>(piece.z, &fold);
				piece.w = fold_word<KIND>(piece.w, &fold);
			}
			*(uint4 *)(stage + row_to + b) = piece;
		}
		if constexpr (KIND != ROWFN_FOLD_NONE)
		{
			uint32_t rows = __ballot_sync(0xFFFFFFFF, bits != 0);

			/* the lanes that copied the row of this one */
			if (lane / LIKE_COPY_ROWS == i / LIKE_COPY_ROWS)
				undecided =
					rows >> lane % LIKE_COPY_ROWS * LIKE_COPY_LANES & ((1u << LIKE_COPY_LANES) - 1);
		}
	}
	__syncwarp();
	if (match)
	{
		if (bytes > 0)
			value = stage + (stop - slot) + (value - from);
		if (KIND != ROWFN_FOLD_NONE && len > 0 && bytes == 0)
			truth = (uint32_t)rowfn_ilike(value, len, &fold, KIND, pattern, encoding);
		else if (undecided)
			truth = GPUSTR_RECHECK;
		else
			truth = (uint32_t)rowfn_like(value, len, pattern, encoding);
	}
	state.lo = __ballot_sync(0xFFFFFFFF, truth & 1);
	state.hi = __ballot_sync(0xFFFFFFFF, truth & 2);
	if (lane == 0)
	{
		out.lo[r / 32] = state.lo;
		out.hi[r / 32] = state.hi;
	}
}

cudaError_t launch_like(const TextRegister &text, int32_t nrows, const void *pattern,
						int32_t encoding, BoolRegister out, cudaStream_t stream)
{
	like<ROWFN_FOLD_NONE><<<launch_blocks(nrows, LIKE_THREADS), LIKE_THREADS, 0, stream>>>(
		text, nrows, NULL, pattern, encoding, out);
	return cudaPeekAtLastError();
}

cudaError_t launch_ilike(const TextRegister &text, int32_t nrows, RowfnFoldKind kind,
						 const GpustrFold *fold, int32_t encoding, BoolRegister out,
						 cudaStream_t stream)
{
	const unsigned blocks = launch_blocks(nrows, LIKE_THREADS);
	const void *pattern = fold + 1;

	if (kind == ROWFN_FOLD_ASCII)
		like<ROWFN_FOLD_ASCII>
			<<<blocks, LIKE_THREADS, 0, stream>>>(text, nrows, fold, pattern, encoding, out);
	else
		like<ROWFN_FOLD_TABLE>
			<<<blocks, LIKE_THREADS, 0, stream>>>(text, nrows, fold, pattern, encoding, out);
	return cudaPeekAtLastError();
}
