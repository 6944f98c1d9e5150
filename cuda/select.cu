/*-------------------------------------------------------------------------
 *
 * select.cu
 *	  The four-state logic on whole words, and the result bitmaps.
 *
 * All work on words of 32 rows.  Bits of a register past the rows of the batch
 * may be anything; they are cleared when results are written.
 *
 * IDENTIFICATION
 *	  cuda/select.cu
 *
 *-------------------------------------------------------------------------
 */
#include "kernels.cuh"

#define SELECT_THREADS 256

/* Rows of a word that exist, as a mask. */
static __device__ __forceinline__ uint32_t row_mask(int32_t nrows, int32_t word)
{
	int32_t left = nrows - word * 32;

	return left >= 32 ? 0xFFFFFFFF : (1u << left) - 1;
}

/* The word that this thread works on. */
static __device__ __forceinline__ int32_t my_word()
{
	return (int32_t)(blockIdx.x * SELECT_THREADS + threadIdx.x);
}

/* A word of a register: a state, or a truth. */
static __device__ __forceinline__ GpustrTruthWord register_word(const TextRegister &reg, int32_t w)
{
	return text_state(reg, w);
}

static __device__ __forceinline__ GpustrTruthWord register_word(const ValueRegister &reg, int32_t w)
{
	return value_state(reg, w);
}

static __device__ __forceinline__ GpustrTruthWord register_word(const BoolRegister &reg, int32_t w)
{
	return gpustr_truth_word(reg.lo[w], reg.hi[w]);
}

static int32_t words_of(int32_t nrows)
{
	return (int32_t)GPUSTR_BITMAP_WORDS(nrows);
}

/*
 * logic - combine two bool registers.
 *
 * a, b, out	[nwords] words a plane
 *
 * One thread a word, 256 a block.
 * e.g. AND of 4 rows T N R F and N F T T: N F R F
 */
template <GpustrOp OP>
static __global__ void __launch_bounds__(SELECT_THREADS)
	logic(BoolRegister a, BoolRegister b, int32_t nwords, BoolRegister out)
{
	int32_t w = my_word();
	GpustrTruthWord word;

	if (w >= nwords)
		return;
	word = gpustr_truth_word(a.lo[w], a.hi[w]);
	if (OP == GPUSTR_OP_AND)
		word = gpustr_truth_and(word, gpustr_truth_word(b.lo[w], b.hi[w]));
	else if (OP == GPUSTR_OP_OR)
		word = gpustr_truth_or(word, gpustr_truth_word(b.lo[w], b.hi[w]));
	else if (OP == GPUSTR_OP_QUAL)
		word = gpustr_truth_qual(word, gpustr_truth_word(b.lo[w], b.hi[w]));
	else
		word = gpustr_truth_not(word);
	out.lo[w] = word.lo;
	out.hi[w] = word.hi;
}

cudaError_t launch_logic(GpustrOp op, BoolRegister a, BoolRegister b, int32_t nrows,
						 BoolRegister out, cudaStream_t stream)
{
	int32_t n = words_of(nrows);
	unsigned blocks = launch_blocks(n, SELECT_THREADS);

	if (op == GPUSTR_OP_AND)
		logic<GPUSTR_OP_AND><<<blocks, SELECT_THREADS, 0, stream>>>(a, b, n, out);
	else if (op == GPUSTR_OP_OR)
		logic<GPUSTR_OP_OR><<<blocks, SELECT_THREADS, 0, stream>>>(a, b, n, out);
	else if (op == GPUSTR_OP_QUAL)
		logic<GPUSTR_OP_QUAL><<<blocks, SELECT_THREADS, 0, stream>>>(a, b, n, out);
	else
		logic<GPUSTR_OP_NOT><<<blocks, SELECT_THREADS, 0, stream>>>(a, b, n, out);
	return cudaPeekAtLastError();
}

cudaError_t launch_const(GpustrTruth value, int32_t nrows, BoolRegister out, cudaStream_t stream)
{
	size_t bytes = (size_t)words_of(nrows) * sizeof(uint32_t);
	cudaError_t rc = cudaMemsetAsync(out.lo, value & 1 ? 0xFF : 0, bytes, stream);

	return rc != cudaSuccess ? rc : cudaMemsetAsync(out.hi, value & 2 ? 0xFF : 0, bytes, stream);
}

/*
 * is_state - is each row null, or true?  Never null.
 *
 * in		[nwords] words: a text's or a value's state (false where there is a
 *			value), or a truth
 * out		[nwords] words a plane
 *
 * One thread a word, 256 a block.
 * e.g. IS NULL of 4 rows T N R F: F T R F; IS TRUE: T F R F
 */
template <GpustrOp OP, class Register>
static __global__ void __launch_bounds__(SELECT_THREADS)
	is_state(const Register in, int32_t nwords, BoolRegister out)
{
	int32_t w = my_word();
	GpustrTruthWord word;

	if (w >= nwords)
		return;
	word = register_word(in, w);
	out.lo[w] = OP == GPUSTR_OP_IS_TRUE ? word.lo : word.hi;
	out.hi[w] = word.lo & word.hi;
}

template <GpustrOp OP, class Register>
static cudaError_t start_is(const Register &in, int32_t nrows, BoolRegister out,
							cudaStream_t stream)
{
	int32_t n = words_of(nrows);

	is_state<OP><<<launch_blocks(n, SELECT_THREADS), SELECT_THREADS, 0, stream>>>(in, n, out);
	return cudaPeekAtLastError();
}

cudaError_t launch_null_text(const TextRegister &in, int32_t nrows, BoolRegister out,
							 cudaStream_t stream)
{
	return start_is<GPUSTR_OP_NULL_TEXT>(in, nrows, out, stream);
}

cudaError_t launch_null_value(const ValueRegister &in, int32_t nrows, BoolRegister out,
							  cudaStream_t stream)
{
	return start_is<GPUSTR_OP_NULL_VALUE>(in, nrows, out, stream);
}

cudaError_t launch_null_bool(BoolRegister in, int32_t nrows, BoolRegister out, cudaStream_t stream)
{
	return start_is<GPUSTR_OP_NULL_BOOL>(in, nrows, out, stream);
}

cudaError_t launch_is_true(BoolRegister in, int32_t nrows, BoolRegister out, cudaStream_t stream)
{
	return start_is<GPUSTR_OP_IS_TRUE>(in, nrows, out, stream);
}

/*
 * select_rows - a bool register to the result bitmaps.
 *
 * in					[nwords] words a plane
 * selected, recheck	[nwords] words; recheck is ORed into
 *
 * One thread a word, 256 a block.
 * e.g. rows T N R F: selected 0001, recheck 0100
 */
static __global__ void __launch_bounds__(SELECT_THREADS)
	select_rows(BoolRegister in, int32_t nrows, int32_t nwords, uint32_t *selected,
				uint32_t *recheck)
{
	int32_t w = my_word();
	uint32_t mask;

	if (w >= nwords)
		return;
	mask = row_mask(nrows, w);
	selected[w] = in.lo[w] & ~in.hi[w] & mask;
	recheck[w] |= in.lo[w] & in.hi[w] & mask;
}

cudaError_t launch_select(BoolRegister in, int32_t nrows, uint32_t *selected, uint32_t *recheck,
						  cudaStream_t stream)
{
	int32_t n = words_of(nrows);

	select_rows<<<launch_blocks(n, SELECT_THREADS), SELECT_THREADS, 0, stream>>>(in, nrows, n,
																				 selected, recheck);
	return cudaPeekAtLastError();
}

/*
 * finish - no row is in both bitmaps; count the rows to recheck.
 *
 * selected, recheck	[nwords] words; selected may be NULL
 * rechecks				added to
 * computed				set to 1
 *
 * One thread a word, 256 a block; one atomic addition a warp that has any.
 * e.g. selected 0011, recheck 0110: selected 0001, *rechecks + 2, *computed 1
 */
static __global__ void __launch_bounds__(SELECT_THREADS)
	finish(int32_t nwords, uint32_t *selected, const uint32_t *recheck,
		   unsigned long long *rechecks, unsigned long long *computed)
{
	int32_t w = my_word();
	uint32_t count = 0;

	if (w < nwords)
	{
		uint32_t bits = recheck[w];

		if (bits != 0 && selected != NULL)
			selected[w] &= ~bits;
		count = (uint32_t)__popc(bits);
	}
	count = __reduce_add_sync(0xFFFFFFFF, count);
	if (threadIdx.x % 32 == 0 && count != 0)
		atomicAdd(rechecks, (unsigned long long)count);
	if (w == 0)
		*computed = 1;
}

cudaError_t launch_finish(int32_t nrows, uint32_t *selected, const uint32_t *recheck,
						  unsigned long long *rechecks, unsigned long long *computed,
						  cudaStream_t stream)
{
	int32_t n = words_of(nrows);

	finish<<<launch_blocks(n, SELECT_THREADS), SELECT_THREADS, 0, stream>>>(n, selected, recheck,
																			rechecks, computed);
	return cudaPeekAtLastError();
}
