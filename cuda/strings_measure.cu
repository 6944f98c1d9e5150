/*-------------------------------------------------------------------------
 *
 * strings_measure.cu
 *	  TRIM_BLANKS and LENGTH: where a text ends, and how long it is.
 *
 * Neither can fail: what they make is a value where the text is one, and shares
 * the text's planes.  So only rows that have a value are written.
 *
 * IDENTIFICATION
 *	  cuda/strings_measure.cu
 *
 *-------------------------------------------------------------------------
 */
#include "kernels.cuh"
#include "row_words.cuh"
#include "rowfn/compare.h"

/*
 * trim_blanks - where each text ends without its trailing blanks.
 *
 * text		[nrows] text register, not a constant
 * end		[nrows] bytes from text.base
 *
 * One thread a row, 256 a block.
 * e.g. texts {"ab  ", "", " "} at 10, 20, 30: end {12, 20, 30}
 */
static __global__ void __launch_bounds__(ROW_THREADS)
	trim_blanks(const TextRegister text, int32_t nrows, int32_t *end)
{
	int32_t r = my_row();

	if (r >= nrows)
		return;
	if (row_truth(text_state(text, r / 32), r) == GPUSTR_FALSE)
		end[r] = text.start[r] + rowfn_trimmed_bytes(text_at(text, r), text_bytes(text, r));
	else
		end[r] = text.start[r];
}

cudaError_t launch_trim_blanks(const TextRegister &text, int32_t nrows, int32_t *end,
							   cudaStream_t stream)
{
	trim_blanks<<<launch_blocks(nrows, ROW_THREADS), ROW_THREADS, 0, stream>>>(text, nrows, end);
	return cudaPeekAtLastError();
}

/*
 * length - how many characters each text has.
 *
 * text		[nrows] text register
 * value	[nrows]
 *
 * One thread a row, 256 a block.  Of a single-byte encoding, or for the number
 * of bytes, the strings are not read.
 * e.g. texts {"ab", "\u00e9", ""}, GPUSTR_ENC_UTF8: value {2, 1, 0}
 */
template <int ENCODING>
static __global__ void __launch_bounds__(ROW_THREADS)
	length(const TextRegister text, int32_t nrows, int64_t *value)
{
	int32_t r = my_row();
	int32_t n = 0;

	if (r >= nrows)
		return;
	if (row_truth(text_state(text, r / 32), r) == GPUSTR_FALSE)
		n = rowfn_char_count(text_at(text, r), text_bytes(text, r), ENCODING);
	value[r] = n;
}

cudaError_t launch_length(const TextRegister &text, int32_t encoding, int32_t nrows, int64_t *value,
						  cudaStream_t stream)
{
	unsigned blocks = launch_blocks(nrows, ROW_THREADS);

	if (encoding == GPUSTR_ENC_UTF8)
		length<GPUSTR_ENC_UTF8><<<blocks, ROW_THREADS, 0, stream>>>(text, nrows, value);
	else
		length<GPUSTR_ENC_SINGLE_BYTE><<<blocks, ROW_THREADS, 0, stream>>>(text, nrows, value);
	return cudaPeekAtLastError();
}
