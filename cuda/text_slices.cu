/*-------------------------------------------------------------------------
 *
 * text_slices.cu
 *	  TEXT_MAKE of functions whose answer is a part of their text.
 *
 * No byte is written but where each answer starts and ends.
 *
 * IDENTIFICATION
 *	  cuda/text_slices.cu
 *
 *-------------------------------------------------------------------------
 */
#include "kernels.cuh"
#include "rowfn/text_slice.h"
#include "text_args.cuh"

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

			if (!rowfn_text_slice(FUNCTION, &row, &slice))
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
