/*-------------------------------------------------------------------------
 *
 * values.cu
 *	  Values of 64 bits: comparisons, arithmetic, casts.
 *
 * One kernel for each operator, with the kind of operation compiled in, so
 * that a row takes no branch but those that its value needs.  Each reads 8
 * bytes a row and operand, and writes 8 bytes or 2 bits.
 *
 * Both engines must agree bit for bit: single and double precision are IEEE's
 * on the device, too, rounding to nearest, denormals kept.  What could differ
 * is a product and a sum that become one operation: cuda.mk forbids it.
 *
 * IDENTIFICATION
 *	  cuda/values.cu
 *
 *-------------------------------------------------------------------------
 */
#include "kernels.cuh"
#include "row_words.cuh"
#include "rowfn/value.h"

/*
 * compare_value - compare two values by a GpustrOrder.
 *
 * a, b		[nrows] value registers
 * out		[(nrows + 31) / 32] words a plane
 *
 * One thread a row, 256 a block; a warp writes one word of each plane by
 * ballot.  Threads past nrows vote 0.
 * e.g. a {1, 2, NULL}, b {2, 2, 2}, GPUSTR_REL_LT: lo 001, hi 100
 */
template <int ORDER>
static __global__ void __launch_bounds__(ROW_THREADS)
	compare_value(const ValueRegister a, const ValueRegister b, int32_t relation, int32_t nrows,
				  BoolRegister out)
{
	int32_t r = my_row();
	uint32_t truth = GPUSTR_FALSE;

	if (!warp_has_rows(r, nrows))
		return;
	if (r < nrows)
	{
		truth = row_truth(state_both(value_state(a, r / 32), value_state(b, r / 32)), r);
		if (truth == GPUSTR_FALSE)
			truth = (uint32_t)rowfn_relation(
				rowfn_compare_value(ORDER, value_at(a, r), value_at(b, r)), relation);
	}
	write_truth(out, r, truth);
}

cudaError_t launch_compare_value(GpustrOrder order, GpustrRelation relation, const ValueRegister &a,
								 const ValueRegister &b, int32_t nrows, BoolRegister out,
								 cudaStream_t stream)
{
	unsigned blocks = launch_blocks(nrows, ROW_THREADS);

	if (order == GPUSTR_ORDER_FLOAT)
		compare_value<GPUSTR_ORDER_FLOAT>
			<<<blocks, ROW_THREADS, 0, stream>>>(a, b, relation, nrows, out);
	else
		compare_value<GPUSTR_ORDER_INT>
			<<<blocks, ROW_THREADS, 0, stream>>>(a, b, relation, nrows, out);
	return cudaPeekAtLastError();
}

/*
 * in_value - is each value one of an ascending list?
 *
 * in			[nrows] value register
 * values		[n] ascending
 * not_found	GPUSTR_FALSE, or GPUSTR_NULL if there is a NULL in the list
 * out			[(nrows + 31) / 32] words a plane
 *
 * One thread a row, 256 a block, which searches by halves: the list stays in
 * cache.  A warp writes one word of each plane by ballot; threads past nrows
 * vote 0.
 * e.g. in {5, 6, NULL}, values {3, 5}, GPUSTR_FALSE: lo 001, hi 100
 */
static __global__ void __launch_bounds__(ROW_THREADS)
	in_value(const ValueRegister in, const int64_t *values, int32_t n, uint32_t not_found,
			 int32_t nrows, BoolRegister out)
{
	int32_t r = my_row();
	uint32_t truth = GPUSTR_FALSE;

	if (!warp_has_rows(r, nrows))
		return;
	if (r < nrows)
	{
		truth = row_truth(value_state(in, r / 32), r);
		if (truth == GPUSTR_FALSE)
			truth = rowfn_in_value(value_at(in, r), values, n) ? GPUSTR_TRUE : not_found;
	}
	write_truth(out, r, truth);
}

cudaError_t launch_in_value(const ValueRegister &in, const int64_t *values, int32_t n,
							GpustrTruth not_found, int32_t nrows, BoolRegister out,
							cudaStream_t stream)
{
	in_value<<<launch_blocks(nrows, ROW_THREADS), ROW_THREADS, 0, stream>>>(in, values, n,
																			not_found, nrows, out);
	return cudaPeekAtLastError();
}

/*
 * value_true - is each value other than 0?
 *
 * in		[nrows] value register
 * out		[(nrows + 31) / 32] words a plane
 *
 * One thread a row, 256 a block; a warp writes one word of each plane by
 * ballot.  Threads past nrows vote 0.
 * e.g. in {0, 7, NULL}: lo 010, hi 100
 */
static __global__ void __launch_bounds__(ROW_THREADS)
	value_true(const ValueRegister in, int32_t nrows, BoolRegister out)
{
	int32_t r = my_row();
	uint32_t truth = GPUSTR_FALSE;

	if (!warp_has_rows(r, nrows))
		return;
	if (r < nrows)
	{
		truth = row_truth(value_state(in, r / 32), r);
		if (truth == GPUSTR_FALSE)
			truth = value_at(in, r) != 0 ? GPUSTR_TRUE : GPUSTR_FALSE;
	}
	write_truth(out, r, truth);
}

cudaError_t launch_value_true(const ValueRegister &in, int32_t nrows, BoolRegister out,
							  cudaStream_t stream)
{
	value_true<<<launch_blocks(nrows, ROW_THREADS), ROW_THREADS, 0, stream>>>(in, nrows, out);
	return cudaPeekAtLastError();
}

/*
 * bool_value - 0 or 1 for each truth value.
 *
 * in		[(nrows + 31) / 32] words a plane
 * value	[nrows]
 * planes	[(nrows + 31) / 32] words each
 *
 * One thread a row, 256 a block; a warp writes one word of each plane.
 * e.g. in T F N R: value {1, 0, 0, 0}, valid 0011, recheck 1000
 */
static __global__ void __launch_bounds__(ROW_THREADS)
	bool_value(BoolRegister in, int32_t nrows, int64_t *value, StatePlanes planes)
{
	int32_t r = my_row();
	uint32_t truth = GPUSTR_FALSE;

	if (!warp_has_rows(r, nrows))
		return;
	if (r < nrows)
	{
		truth = row_truth(gpustr_truth_word(in.lo[r / 32], in.hi[r / 32]), r);
		value[r] = truth == GPUSTR_TRUE;
	}
	write_state(planes, r, truth == GPUSTR_TRUE ? GPUSTR_FALSE : truth);
}

cudaError_t launch_bool_value(BoolRegister in, int32_t nrows, int64_t *value, StatePlanes planes,
							  cudaStream_t stream)
{
	bool_value<<<launch_blocks(nrows, ROW_THREADS), ROW_THREADS, 0, stream>>>(in, nrows, value,
																			  planes);
	return cudaPeekAtLastError();
}

/*
 * arith - calculate with two values, or with one.
 *
 * a, b		[nrows] value registers; a unary operation does not look at b
 * type		GpustrValueType of the result
 * value	[nrows]
 * planes	[(nrows + 31) / 32] words each
 *
 * One thread a row, 256 a block; a warp writes one word of each plane by
 * ballot.  All rows take one way but for an error, which is recheck.
 * e.g. a {7, 7, NULL}, b {2, 0, 1}, GPUSTR_ARITH_DIV: value {3, 0, 0}, valid
 *		001, recheck 010
 */
template <int ARITH, bool FLOATS>
static __global__ void __launch_bounds__(ROW_THREADS)
	arith(const ValueRegister a, const ValueRegister b, int32_t type, int32_t nrows, int64_t *value,
		  StatePlanes planes)
{
	int32_t r = my_row();
	uint32_t state = GPUSTR_FALSE;

	if (!warp_has_rows(r, nrows))
		return;
	if (r < nrows)
	{
		const bool unary = rowfn_arith_is_unary(ARITH);
		GpustrTruthWord word = value_state(a, r / 32);
		int64_t result = 0;

		if (!unary)
			word = state_both(word, value_state(b, r / 32));
		state = row_truth(word, r);
		if (state == GPUSTR_FALSE)
		{
			int64_t x = value_at(a, r);
			int64_t y = unary ? 0 : value_at(b, r);
			int recheck = FLOATS ? rowfn_arith_float(ARITH, type, x, y, &result)
								 : rowfn_arith_int(ARITH, type, x, y, &result);

			if (recheck)
				state = GPUSTR_RECHECK;
		}
		value[r] = result;
	}
	write_state(planes, r, state);
}

template <int ARITH>
static cudaError_t start_arith(GpustrValueType type, const ValueRegister &a, const ValueRegister &b,
							   int32_t nrows, int64_t *value, StatePlanes planes,
							   cudaStream_t stream)
{
	unsigned blocks = launch_blocks(nrows, ROW_THREADS);

	if (type == GPUSTR_VALUE_FLOAT4 || type == GPUSTR_VALUE_FLOAT8)
		arith<ARITH, true><<<blocks, ROW_THREADS, 0, stream>>>(a, b, type, nrows, value, planes);
	else
		arith<ARITH, false><<<blocks, ROW_THREADS, 0, stream>>>(a, b, type, nrows, value, planes);
	return cudaPeekAtLastError();
}

cudaError_t launch_arith(GpustrArith op, GpustrValueType type, const ValueRegister &a,
						 const ValueRegister &b, int32_t nrows, int64_t *value, StatePlanes planes,
						 cudaStream_t stream)
{
	switch (op)
	{
		case GPUSTR_ARITH_ADD:
			return start_arith<GPUSTR_ARITH_ADD>(type, a, b, nrows, value, planes, stream);
		case GPUSTR_ARITH_SUB:
			return start_arith<GPUSTR_ARITH_SUB>(type, a, b, nrows, value, planes, stream);
		case GPUSTR_ARITH_MUL:
			return start_arith<GPUSTR_ARITH_MUL>(type, a, b, nrows, value, planes, stream);
		case GPUSTR_ARITH_DIV:
			return start_arith<GPUSTR_ARITH_DIV>(type, a, b, nrows, value, planes, stream);
		case GPUSTR_ARITH_MOD:
			return start_arith<GPUSTR_ARITH_MOD>(type, a, b, nrows, value, planes, stream);
		case GPUSTR_ARITH_NEG:
			return start_arith<GPUSTR_ARITH_NEG>(type, a, b, nrows, value, planes, stream);
		case GPUSTR_ARITH_ABS:
			return start_arith<GPUSTR_ARITH_ABS>(type, a, b, nrows, value, planes, stream);
		case GPUSTR_ARITH_AND:
			return start_arith<GPUSTR_ARITH_AND>(type, a, b, nrows, value, planes, stream);
		case GPUSTR_ARITH_OR:
			return start_arith<GPUSTR_ARITH_OR>(type, a, b, nrows, value, planes, stream);
		case GPUSTR_ARITH_XOR:
			return start_arith<GPUSTR_ARITH_XOR>(type, a, b, nrows, value, planes, stream);
		case GPUSTR_ARITH_NOT:
			return start_arith<GPUSTR_ARITH_NOT>(type, a, b, nrows, value, planes, stream);
	}
	return cudaErrorInvalidValue;
}

/*
 * cast_value - GpustrCast of each value.
 *
 * in		[nrows] value register
 * value	[nrows]
 * planes	[(nrows + 31) / 32] words each
 *
 * One thread a row, 256 a block; a warp writes one word of each plane by
 * ballot.
 * e.g. in {1, 40000, NULL}, GPUSTR_CAST_INT_TO_INT2: value {1, 0, 0}, valid
 *		001, recheck 010
 */
template <int CAST>
static __global__ void __launch_bounds__(ROW_THREADS)
	cast_value(const ValueRegister in, int32_t nrows, int64_t *value, StatePlanes planes)
{
	int32_t r = my_row();
	uint32_t state = GPUSTR_FALSE;

	if (!warp_has_rows(r, nrows))
		return;
	if (r < nrows)
	{
		int64_t result = 0;

		state = row_truth(value_state(in, r / 32), r);
		if (state == GPUSTR_FALSE && rowfn_cast(CAST, value_at(in, r), &result))
		{
			state = GPUSTR_RECHECK;
			result = 0;
		}
		value[r] = result;
	}
	write_state(planes, r, state);
}

template <int CAST>
static cudaError_t start_cast(const ValueRegister &in, int32_t nrows, int64_t *value,
							  StatePlanes planes, cudaStream_t stream)
{
	cast_value<CAST>
		<<<launch_blocks(nrows, ROW_THREADS), ROW_THREADS, 0, stream>>>(in, nrows, value, planes);
	return cudaPeekAtLastError();
}

cudaError_t launch_cast(GpustrCast cast, const ValueRegister &in, int32_t nrows, int64_t *value,
						StatePlanes planes, cudaStream_t stream)
{
	switch (cast)
	{
		case GPUSTR_CAST_INT_TO_INT2:
			return start_cast<GPUSTR_CAST_INT_TO_INT2>(in, nrows, value, planes, stream);
		case GPUSTR_CAST_INT_TO_INT4:
			return start_cast<GPUSTR_CAST_INT_TO_INT4>(in, nrows, value, planes, stream);
		case GPUSTR_CAST_INT_TO_OID:
			return start_cast<GPUSTR_CAST_INT_TO_OID>(in, nrows, value, planes, stream);
		case GPUSTR_CAST_INT_TO_FLOAT4:
			return start_cast<GPUSTR_CAST_INT_TO_FLOAT4>(in, nrows, value, planes, stream);
		case GPUSTR_CAST_INT_TO_FLOAT8:
			return start_cast<GPUSTR_CAST_INT_TO_FLOAT8>(in, nrows, value, planes, stream);
		case GPUSTR_CAST_FLOAT_TO_FLOAT4:
			return start_cast<GPUSTR_CAST_FLOAT_TO_FLOAT4>(in, nrows, value, planes, stream);
		case GPUSTR_CAST_FLOAT_TO_INT2:
			return start_cast<GPUSTR_CAST_FLOAT_TO_INT2>(in, nrows, value, planes, stream);
		case GPUSTR_CAST_FLOAT_TO_INT4:
			return start_cast<GPUSTR_CAST_FLOAT_TO_INT4>(in, nrows, value, planes, stream);
		case GPUSTR_CAST_FLOAT_TO_INT8:
			return start_cast<GPUSTR_CAST_FLOAT_TO_INT8>(in, nrows, value, planes, stream);
		case GPUSTR_CAST_DATE_TO_TIMESTAMP:
			return start_cast<GPUSTR_CAST_DATE_TO_TIMESTAMP>(in, nrows, value, planes, stream);
	}
	return cudaErrorInvalidValue;
}
