/*-------------------------------------------------------------------------
 *
 * strings_compare.cu
 *	  Comparisons of texts on the device.
 *
 * Of equality, lengths decide most rows; of that and of order, the first bytes
 * most of the rest: so strings are read from where they are.
 *
 * IDENTIFICATION
 *	  cuda/strings_compare.cu
 *
 *-------------------------------------------------------------------------
 */
#include "kernels.cuh"
#include "row_words.cuh"
#include "rowfn/compare.h"

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
static __global__ void __launch_bounds__(ROW_THREADS)
	text_eq(const TextRegister text, int32_t nrows, const char *value, int32_t value_bytes,
			BoolRegister out)
{
	int32_t r = my_row();
	uint32_t truth = GPUSTR_FALSE;

	if (!warp_has_rows(r, nrows))
		return;
	if (r < nrows)
	{
		truth = row_truth(text_state(text, r / 32), r);
		if (truth == GPUSTR_FALSE)
			truth =
				(uint32_t)rowfn_text_eq(text_at(text, r), text_bytes(text, r), value, value_bytes);
	}
	write_truth(out, r, truth);
}

cudaError_t launch_text_eq(const TextRegister &text, int32_t nrows, const char *value,
						   int32_t value_bytes, BoolRegister out, cudaStream_t stream)
{
	text_eq<<<launch_blocks(nrows, ROW_THREADS), ROW_THREADS, 0, stream>>>(text, nrows, value,
																		   value_bytes, out);
	return cudaPeekAtLastError();
}

/*
 * compare_text - compare two texts by a GpustrOrder.
 *
 * a, b		[nrows] text registers
 * out		[(nrows + 31) / 32] words a plane
 *
 * EQUALITY: the relation is equality or its opposite, of which lengths decide.
 * What cannot be compared is recheck.
 *
 * One thread a row, 256 a block; a warp writes one word of each plane by
 * ballot.  Threads past nrows vote 0.
 * e.g. a {"ab", "b", NULL}, b {"abc", "a", "a"}, GPUSTR_REL_LT: lo 001, hi 100
 */
template <int ORDER, bool EQUALITY>
static __global__ void __launch_bounds__(ROW_THREADS)
	compare_text(const TextRegister a, const TextRegister b, int32_t relation, int32_t nrows,
				 BoolRegister out)
{
	int32_t r = my_row();
	uint32_t truth = GPUSTR_FALSE;

	if (!warp_has_rows(r, nrows))
		return;
	if (r < nrows)
	{
		truth = row_truth(state_both(text_state(a, r / 32), text_state(b, r / 32)), r);
		if (truth == GPUSTR_FALSE)
		{
			const char *x = text_at(a, r);
			const char *y = text_at(b, r);
			int32_t x_bytes = text_bytes(a, r);
			int32_t y_bytes = text_bytes(b, r);
			int recheck = 0;
			int cmp;

			if (EQUALITY)
				cmp = !rowfn_text_eq(x, x_bytes, y, y_bytes);
			else
				recheck = rowfn_compare_text(ORDER, x, x_bytes, y, y_bytes, &cmp);
			truth = recheck ? GPUSTR_RECHECK : (uint32_t)rowfn_relation(cmp, relation);
		}
	}
	write_truth(out, r, truth);
}

cudaError_t launch_compare_text(GpustrOrder order, GpustrRelation relation, const TextRegister &a,
								const TextRegister &b, int32_t nrows, BoolRegister out,
								cudaStream_t stream)
{
	unsigned blocks = launch_blocks(nrows, ROW_THREADS);

	if (order == GPUSTR_ORDER_NUMERIC)
		compare_text<GPUSTR_ORDER_NUMERIC, false>
			<<<blocks, ROW_THREADS, 0, stream>>>(a, b, relation, nrows, out);
	else if (order == GPUSTR_ORDER_INTERVAL)
		compare_text<GPUSTR_ORDER_INTERVAL, false>
			<<<blocks, ROW_THREADS, 0, stream>>>(a, b, relation, nrows, out);
	else if (relation == GPUSTR_REL_EQ || relation == GPUSTR_REL_NE)
		compare_text<GPUSTR_ORDER_BYTES, true>
			<<<blocks, ROW_THREADS, 0, stream>>>(a, b, relation, nrows, out);
	else
		compare_text<GPUSTR_ORDER_BYTES, false>
			<<<blocks, ROW_THREADS, 0, stream>>>(a, b, relation, nrows, out);
	return cudaPeekAtLastError();
}

/*
 * in_text - is each text in a set?
 *
 * text			[nrows] text register
 * set			in ascending order
 * not_found	GPUSTR_FALSE, or GPUSTR_NULL if there is a NULL in the list
 * out			[(nrows + 31) / 32] words a plane
 *
 * One thread a row, 256 a block, which searches by halves: the set stays in
 * cache.  A warp writes one word of each plane by ballot; threads past nrows
 * vote 0.
 * e.g. texts {"a", "x", NULL}, set {"a", "b"}, GPUSTR_NULL: lo 001, hi 110
 */
static __global__ void __launch_bounds__(ROW_THREADS)
	in_text(const TextRegister text, const GpustrTextSet *set, uint32_t not_found, int32_t nrows,
			BoolRegister out)
{
	int32_t r = my_row();
	uint32_t truth = GPUSTR_FALSE;

	if (!warp_has_rows(r, nrows))
		return;
	if (r < nrows)
	{
		truth = row_truth(text_state(text, r / 32), r);
		if (truth == GPUSTR_FALSE)
			truth =
				rowfn_in_text(text_at(text, r), text_bytes(text, r), set) ? GPUSTR_TRUE : not_found;
	}
	write_truth(out, r, truth);
}

cudaError_t launch_in_text(const TextRegister &text, const GpustrTextSet *set,
						   GpustrTruth not_found, int32_t nrows, BoolRegister out,
						   cudaStream_t stream)
{
	in_text<<<launch_blocks(nrows, ROW_THREADS), ROW_THREADS, 0, stream>>>(text, set, not_found,
																		   nrows, out);
	return cudaPeekAtLastError();
}
