/*-------------------------------------------------------------------------
 *
 * text_measures.cu
 *	  TEXT_MEASURE: functions of texts whose answer is a value.
 *
 * IDENTIFICATION
 *	  cuda/text_measures.cu
 *
 *-------------------------------------------------------------------------
 */
#include "kernels.cuh"
#include "rowfn/text_measure.h"
#include "text_args.cuh"

/*
 * measure_text - the answers.
 *
 * args		[nrows] registers
 * value	[nrows]
 * planes	[(nrows + 31) / 32] words each
 *
 * One thread a row, 256 a block; a warp writes one word of each plane by ballot.
 * e.g. strpos() of texts {"abc", NULL, "x"} and "c": value {3, 0, 0}, valid 101,
 *		recheck 000
 */
template <int FUNCTION>
static __global__ void __launch_bounds__(ROW_THREADS)
	measure_text(const TextArgs args, int32_t nrows, int64_t *value, StatePlanes planes)
{
	int32_t r = my_row();
	uint32_t truth = GPUSTR_RECHECK;

	if (!warp_has_rows(r, nrows))
		return;
	if (r < nrows)
	{
		int64_t answer = 0;

		truth = row_truth(text_args_state(args, r / 32), r);
		if (truth == GPUSTR_FALSE)
		{
			RowfnArgs row = text_args_row(args, r);

			if (!rowfn_text_measure(FUNCTION, &row, &answer))
				truth = GPUSTR_RECHECK;
		}
		value[r] = answer;
	}
	__syncwarp();
	write_state(planes, r, truth);
}

template <int FUNCTION>
static cudaError_t launch(const TextArgs &args, int32_t nrows, int64_t *value, StatePlanes planes,
						  cudaStream_t stream)
{
	measure_text<FUNCTION>
		<<<launch_blocks(nrows, ROW_THREADS), ROW_THREADS, 0, stream>>>(args, nrows, value, planes);
	return cudaPeekAtLastError();
}

cudaError_t launch_text_measure(GpustrTextFunction function, const TextArgs &args, int32_t nrows,
								int64_t *value, StatePlanes planes, cudaStream_t stream)
{
#define MEASURE(function)                                                                          \
	case function:                                                                                 \
		return launch<function>(args, nrows, value, planes, stream)

	switch (function)
	{
		MEASURE(GPUSTR_TEXT_POSITION);
		MEASURE(GPUSTR_TEXT_FIND);
		MEASURE(GPUSTR_TEXT_COUNT_MATCHES);
		MEASURE(GPUSTR_TEXT_ASCII);
		MEASURE(GPUSTR_TEXT_TO_INT2);
		MEASURE(GPUSTR_TEXT_TO_INT4);
		MEASURE(GPUSTR_TEXT_TO_INT8);
		MEASURE(GPUSTR_TEXT_TO_DATE);
		MEASURE(GPUSTR_TEXT_EDIT_DISTANCE);
		MEASURE(GPUSTR_TEXT_EDIT_WITHIN);
		MEASURE(GPUSTR_TEXT_FUZZY_FIND);
		default:
			return cudaErrorInvalidValue;
	}
#undef MEASURE
}
