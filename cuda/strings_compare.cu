/*-------------------------------------------------------------------------
 *
 * strings_compare.cu
 *	  Equality of texts on the device.
 *
 * Lengths decide most rows, the first bytes most of the rest: so strings are
 * read from where they are.
 *
 * IDENTIFICATION
 *	  cuda/strings_compare.cu
 *
 *-------------------------------------------------------------------------
 */
#include "kernels.cuh"
#include "rowfn/compare.h"

#define COMPARE_THREADS 256

/*
 * text_eq - compare each row with a constant.
 *
 * text		[nrows] text register
 * value	[value_bytes] bytes
 * out		[(nrows + 31) / 32] words a plane
 *
 * One thread a row, 256 a block; a warp writes one word of each plane by
 * ballot.  Threads past nrows vote 0.
 * e.g. texts {"ab", "b", NULL, "abc"}, value "ab": lo 0001, hi 0100
 */
static __global__ void __launch_bounds__(COMPARE_THREADS)
	text_eq(const TextRegister text, int32_t nrows, const char *value, int32_t value_bytes,
			BoolRegister out)
{
	const uint32_t lane = threadIdx.x % 32;
	int32_t r = (int32_t)(blockIdx.x * COMPARE_THREADS + threadIdx.x);
	uint32_t truth = GPUSTR_FALSE;
	GpustrTruthWord state;

	if (r / 32 * 32 >= nrows)
		return;
	state = text_state(text, r / 32);
	if (r < nrows)
	{
		truth = (state.lo >> lane & 1) | (state.hi >> lane & 1) << 1;
		if (truth == 0)
			truth =
				(uint32_t)rowfn_text_eq(text_at(text, r), text_bytes(text, r), value, value_bytes);
	}
	state.lo = __ballot_sync(0xFFFFFFFF, truth & 1);
	state.hi = __ballot_sync(0xFFFFFFFF, truth & 2);
	if (lane == 0)
	{
		out.lo[r / 32] = state.lo;
		out.hi[r / 32] = state.hi;
	}
}

cudaError_t launch_text_eq(const TextRegister &text, int32_t nrows, const char *value,
						   int32_t value_bytes, BoolRegister out, cudaStream_t stream)
{
	text_eq<<<launch_blocks(nrows, COMPARE_THREADS), COMPARE_THREADS, 0, stream>>>(
		text, nrows, value, value_bytes, out);
	return cudaPeekAtLastError();
}
