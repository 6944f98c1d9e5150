/*-------------------------------------------------------------------------
 *
 * text_measures.cu
 *	  TEXT_MEASURE: functions of texts whose answer is a value.
 *
 * One thread a row; but strpos() of long texts is left to warps, text by text.
 *
 * IDENTIFICATION
 *	  cuda/text_measures.cu
 *
 *-------------------------------------------------------------------------
 */
#include "cuda_check.cuh"
#include "kernels.cuh"
#include "rowfn/text_measure.h"
#include "text_args.cuh"
#include "text_together.cuh"

/*
 * The rows of a warp that are long, by all its lanes: as rowfn_position().
 *
 * is_long	of this lane's row
 * truth, value	out: of this lane's row, if it is long
 */
static __device__ __forceinline__ void position_together(const RowfnArgs &row, bool is_long,
														 uint32_t lane, uint32_t *truth,
														 int64_t *value)
{
	for (uint32_t rows = __ballot_sync(0xFFFFFFFF, is_long); rows != 0; rows &= rows - 1)
	{
		const int of = __ffs((int)rows) - 1;
		const char *s = warp_pointer(row.text[0].s, of);
		const char *what = warp_pointer(row.text[1].s, of);
		const int32_t len = __shfl_sync(0xFFFFFFFF, row.text[0].len, of);
		const int32_t what_len = __shfl_sync(0xFFFFFFFF, row.text[1].len, of);
		const int32_t at = find_together(s, len, what, what_len, lane);
		int32_t before = at;

		if (at > 0 && row.encoding == GPUSTR_ENC_UTF8)
			before = count_together(s, at, lane);
		if (lane == (uint32_t)of)
		{
			*value = (int64_t)before + 1; /* 0 if it is nowhere */
			*truth = at >= 0 && rowfn_text_cut(s, at, row.encoding) ? GPUSTR_RECHECK : GPUSTR_FALSE;
		}
		__syncwarp();
	}
}

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
	int64_t answer = 0;
	RowfnArgs row = {};
	bool is_long = false;

	if (!warp_has_rows(r, nrows))
		return;
	row.encoding = args.encoding;
	if (r < nrows)
	{
		truth = row_truth(text_args_state(args, r / 32), r);
		if (truth == GPUSTR_FALSE)
		{
			row = text_args_row(args, r);
			is_long = FUNCTION == GPUSTR_TEXT_POSITION && row.text[0].len >= TOGETHER_BYTES &&
					  row.text[1].len > 0;
			if (!is_long && !rowfn_text_measure(FUNCTION, &row, &answer))
				truth = GPUSTR_RECHECK;
		}
	}
	__syncwarp();
	if (FUNCTION == GPUSTR_TEXT_POSITION)
		position_together(row, is_long, (uint32_t)r % 32, &truth, &answer);
	if (r < nrows)
		value[r] = answer;
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

	if (function == GPUSTR_TEXT_POSITION && search_is_for(args.text[0], args.text[1]))
		return launch_search(args.text[0], args.text[1], args.encoding, nrows, value, planes,
							 stream);
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
		MEASURE(GPUSTR_TEXT_REGEX_COUNT);
		MEASURE(GPUSTR_TEXT_REGEX_INSTR);
		MEASURE(GPUSTR_TEXT_TO_FLOAT4);
		MEASURE(GPUSTR_TEXT_TO_FLOAT8);
		MEASURE(GPUSTR_TEXT_GET_BYTE);
		default:
			return cudaErrorInvalidValue;
	}
#undef MEASURE
}

bool measure_has_local(GpustrTextFunction function)
{
	return function == GPUSTR_TEXT_EDIT_DISTANCE || function == GPUSTR_TEXT_EDIT_WITHIN ||
		   function == GPUSTR_TEXT_FUZZY_FIND;
}

cudaError_t prepare_measures(const cudaDeviceProp &props, uint64_t *local_bytes)
{
	const void *const kernels[] = {(const void *)measure_text<GPUSTR_TEXT_EDIT_DISTANCE>,
								   (const void *)measure_text<GPUSTR_TEXT_EDIT_WITHIN>,
								   (const void *)measure_text<GPUSTR_TEXT_FUZZY_FIND>};
	uint64_t most = 0; /* bytes of a thread */

	for (const void *kernel : kernels)
	{
		cudaFuncAttributes attributes;

		CUDA_PASS(cudaFuncGetAttributes(&attributes, kernel));
		most = attributes.localSizeBytes > most ? attributes.localSizeBytes : most;
	}

	/* the driver has it for all threads that a device can hold, whatever the launch */
	*local_bytes =
		most * (uint64_t)props.maxThreadsPerMultiProcessor * (uint64_t)props.multiProcessorCount;
	return cudaSuccess;
}
