/*-------------------------------------------------------------------------
 *
 * value.h
 *	  Values of 64 bits: load, compare, calculate, cast.
 *
 * Integers, dates and times are int64; floats are the bits of a double, float4
 * widened.  What is done to them is what PostgreSQL does (int.c, int8.c,
 * float.c, date.c), and each input for which PostgreSQL would raise an error is
 * recheck.
 *
 * Engines must agree bit for bit, and machines differ in which NaN they make:
 * each NaN that is calculated here becomes one and the same.
 *
 * IDENTIFICATION
 *	  src/rowfn/value.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_VALUE_H
#define GPUSTR_ROWFN_VALUE_H

#include "program/program.h"

#define ROWFN_USECS_PER_DAY INT64_C(86400000000)

/* Days since 2000-01-01 of the first date, and of the first that no timestamp has. */
#define ROWFN_DATE_MIN (-2451545)
#define ROWFN_DATE_TIMESTAMP_END 106751983

/* Integers from here on are all that a double can hold. */
#define ROWFN_FLOAT_INTEGERS 4503599627370496.0 /* 2^52 */
#define ROWFN_FLOAT_MAX 1.7976931348623157e308
#define ROWFN_NAN_BITS INT64_C(0x7FF8000000000000)

typedef union RowfnFloatBits
{
	double		number;
	int64_t		bits;
} RowfnFloatBits;

GPUSTR_FN double
rowfn_float(int64_t bits)
{
	RowfnFloatBits f;

	f.bits = bits;
	return f.number;
}

GPUSTR_FN int64_t
rowfn_float_bits(double number)
{
	RowfnFloatBits f;

	f.number = number;
	return number != number ? ROWFN_NAN_BITS : f.bits;
}

GPUSTR_FN int
rowfn_float_is_inf(double number)
{
	return number > ROWFN_FLOAT_MAX || number < -ROWFN_FLOAT_MAX;
}

/* Round to an integer, halves to the even one. */
GPUSTR_FN double
rowfn_float_rint(double number)
{
	if (number >= 0 && number < ROWFN_FLOAT_INTEGERS)
		return (number + ROWFN_FLOAT_INTEGERS) - ROWFN_FLOAT_INTEGERS;
	if (number < 0 && number > -ROWFN_FLOAT_INTEGERS)
		return (number - ROWFN_FLOAT_INTEGERS) + ROWFN_FLOAT_INTEGERS;
	return number;
}

/* Bytes of a stored value of a GpustrValueType. */
GPUSTR_FN int32_t
rowfn_value_bytes(int type)
{
	switch (type)
	{
		case GPUSTR_VALUE_BOOL:
		case GPUSTR_VALUE_CHAR:
			return 1;
		case GPUSTR_VALUE_INT2:
			return 2;
		case GPUSTR_VALUE_INT4:
		case GPUSTR_VALUE_OID:
		case GPUSTR_VALUE_FLOAT4:
			return 4;
		default:
			return 8;
	}
}

/*
 * 1, 2, 4 or 8 bytes as an unsigned number of little-endian order.  A kernel
 * loads them at once where they are aligned.
 */
GPUSTR_FN uint64_t
rowfn_load_bytes(const char *p, int32_t bytes)
{
	uint64_t	v = 0;
	int32_t		i;

#ifdef __CUDA_ARCH__
	if (bytes == 8 && ((uintptr_t) p & 7) == 0)
		return *(const uint64_t *) p;
	if (bytes == 4 && ((uintptr_t) p & 3) == 0)
		return *(const uint32_t *) p;
	if (bytes == 2 && ((uintptr_t) p & 1) == 0)
		return *(const uint16_t *) p;
#elif defined(__GNUC__)
	if (bytes == 8)
	{
		__builtin_memcpy(&v, p, 8);
		return v;
	}
	if (bytes == 4)
	{
		uint32_t	v4;

		__builtin_memcpy(&v4, p, 4);
		return v4;
	}
	if (bytes == 2)
	{
		uint16_t	v2;

		__builtin_memcpy(&v2, p, 2);
		return v2;
	}
#endif
	for (i = 0; i < bytes; i++)
		v |= (uint64_t) (unsigned char) p[i] << (8 * i);
	return v;
}

/*
 * Load the stored value of a GpustrValueType.
 *
 * p	[rowfn_value_bytes(type)] bytes, of any alignment
 */
GPUSTR_FN int64_t
rowfn_value_load(const char *p, int type)
{
	union
	{
		float		number;
		uint32_t	bits;
	}			f;

	switch (type)
	{
		case GPUSTR_VALUE_BOOL:
			return p[0] != 0;
		case GPUSTR_VALUE_CHAR:
			return (unsigned char) p[0];
		case GPUSTR_VALUE_INT2:
			return (int16_t) rowfn_load_bytes(p, 2);
		case GPUSTR_VALUE_INT4:
			return (int32_t) rowfn_load_bytes(p, 4);
		case GPUSTR_VALUE_OID:
			return (int64_t) rowfn_load_bytes(p, 4);
		case GPUSTR_VALUE_FLOAT4:
			f.bits = (uint32_t) rowfn_load_bytes(p, 4);
			return rowfn_float_bits((double) f.number);
		default:
			return (int64_t) rowfn_load_bytes(p, 8);
	}
}

/* Orders: < 0, 0, > 0 as -1, 0, 1. */

GPUSTR_FN int
rowfn_compare_int(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* All NaN are equal, and above all numbers; -0 equals 0. */
GPUSTR_FN int
rowfn_compare_float(double a, double b)
{
	int			a_nan = a != a;
	int			b_nan = b != b;

	return ((a > b) | (a_nan & !b_nan)) - ((a < b) | (b_nan & !a_nan));
}

/* By a GpustrOrder of values. */
GPUSTR_FN int
rowfn_compare_value(int order, int64_t a, int64_t b)
{
	if (order == GPUSTR_ORDER_FLOAT)
		return rowfn_compare_float(rowfn_float(a), rowfn_float(b));
	return rowfn_compare_int(a, b);
}

/*
 * Does a comparison's outcome, -1, 0 or 1, have the GpustrRelation?  A digit of
 * the number for each relation: bit 0 less, bit 1 equal, bit 2 greater.
 */
GPUSTR_FN int
rowfn_relation(int cmp, int relation)
{
	return (int) ((0x6431520u >> (4 * relation + cmp + 1)) & 1);
}

/* Is the value among values[n], which ascend?  Returns 0 or 1. */
GPUSTR_FN int
rowfn_in_value(int64_t value, const int64_t *values, int32_t n)
{
	int32_t		low = 0;

	while (low < n)
	{
		int32_t		middle = low + (n - low) / 2;

		if (values[middle] == value)
			return 1;
		if (values[middle] < value)
			low = middle + 1;
		else
			n = middle;
	}
	return 0;
}

/* Has a GpustrArith one operand only? */
GPUSTR_FN int
rowfn_arith_is_unary(int arith)
{
	return arith == GPUSTR_ARITH_NEG || arith == GPUSTR_ARITH_ABS || arith == GPUSTR_ARITH_NOT;
}

/* Is there such arithmetic for values of a GpustrValueType? */
GPUSTR_FN int
rowfn_arith_exists(int arith, int type)
{
	if (type == GPUSTR_VALUE_FLOAT4 || type == GPUSTR_VALUE_FLOAT8)
		return (arith >= GPUSTR_ARITH_ADD && arith <= GPUSTR_ARITH_DIV) ||
			arith == GPUSTR_ARITH_NEG || arith == GPUSTR_ARITH_ABS;
	return type >= GPUSTR_VALUE_INT2 && type <= GPUSTR_VALUE_INT8 &&
		arith >= GPUSTR_ARITH_ADD && arith <= GPUSTR_ARITH_LAST;
}

/* a * b; returns 1 if that overflows, else 0. */
GPUSTR_FN int
rowfn_multiply_overflows(int64_t a, int64_t b, int64_t *result)
{
#ifdef __CUDA_ARCH__
	*result = (int64_t) ((uint64_t) a * (uint64_t) b);
	return __mul64hi(a, b) != (*result >> 63);
#else
	long long	r;
	int			overflows = __builtin_mul_overflow((long long) a, (long long) b, &r);

	*result = r;
	return overflows;
#endif
}

/* rowfn_arith() for INT2, INT4 and INT8. */
GPUSTR_FN int
rowfn_arith_int(int arith, int type, int64_t a, int64_t b, int64_t *result)
{
	int64_t		r = 0;
	int64_t		limit;
	int			recheck = 0;

	switch (arith)
	{
		case GPUSTR_ARITH_ADD:
			r = (int64_t) ((uint64_t) a + (uint64_t) b);
			recheck = ((a ^ r) & (b ^ r)) < 0;
			break;
		case GPUSTR_ARITH_SUB:
			r = (int64_t) ((uint64_t) a - (uint64_t) b);
			recheck = ((a ^ b) & (a ^ r)) < 0;
			break;
		case GPUSTR_ARITH_MUL:
			recheck = rowfn_multiply_overflows(a, b, &r);
			break;
		case GPUSTR_ARITH_DIV:
			if (b == 0 || (b == -1 && a == INT64_MIN))
				recheck = 1;
			else
				r = a / b;
			break;
		case GPUSTR_ARITH_MOD:
			if (b == 0)
				recheck = 1;
			else if (b != -1)
				r = a % b;
			break;
		case GPUSTR_ARITH_NEG:
			r = (int64_t) (0 - (uint64_t) a);
			recheck = a == INT64_MIN;
			break;
		case GPUSTR_ARITH_ABS:
			r = a < 0 ? (int64_t) (0 - (uint64_t) a) : a;
			recheck = a == INT64_MIN;
			break;
		case GPUSTR_ARITH_AND:
			r = a & b;
			break;
		case GPUSTR_ARITH_OR:
			r = a | b;
			break;
		case GPUSTR_ARITH_XOR:
			r = a ^ b;
			break;
		case GPUSTR_ARITH_NOT:
			r = ~a;
			break;
		default:
			recheck = 1;
			break;
	}
	limit = type == GPUSTR_VALUE_INT2 ? INT16_MAX : type == GPUSTR_VALUE_INT4 ? INT32_MAX : INT64_MAX;
	recheck |= r > limit || r < -limit - 1;
	*result = recheck ? 0 : r;
	return recheck;
}

/*
 * rowfn_arith() for FLOAT4, calculated as float, and FLOAT8.  Overflow and, of
 * products and quotients, underflow are errors.
 */
GPUSTR_FN int
rowfn_arith_float(int arith, int type, int64_t a_bits, int64_t b_bits, int64_t *result)
{
	double		a = rowfn_float(a_bits);
	double		b = rowfn_float(b_bits);
	int			narrow = type == GPUSTR_VALUE_FLOAT4;
	double		r;
	int			recheck = 0;

	*result = 0;
	switch (arith)
	{
		case GPUSTR_ARITH_ADD:
			r = narrow ? (double) ((float) a + (float) b) : a + b;
			recheck = rowfn_float_is_inf(r) && !rowfn_float_is_inf(a) && !rowfn_float_is_inf(b);
			break;
		case GPUSTR_ARITH_SUB:
			r = narrow ? (double) ((float) a - (float) b) : a - b;
			recheck = rowfn_float_is_inf(r) && !rowfn_float_is_inf(a) && !rowfn_float_is_inf(b);
			break;
		case GPUSTR_ARITH_MUL:
			r = narrow ? (double) ((float) a * (float) b) : a * b;
			recheck = (rowfn_float_is_inf(r) && !rowfn_float_is_inf(a) && !rowfn_float_is_inf(b)) ||
				(r == 0 && a != 0 && b != 0);
			break;
		case GPUSTR_ARITH_DIV:
			if (b == 0)
			{
				*result = ROWFN_NAN_BITS;
				return a == a;
			}
			r = narrow ? (double) ((float) a / (float) b) : a / b;
			recheck = (rowfn_float_is_inf(r) && !rowfn_float_is_inf(a)) ||
				(r == 0 && a != 0 && !rowfn_float_is_inf(b));
			break;
		case GPUSTR_ARITH_NEG:
			*result = a_bits ^ INT64_MIN;
			return 0;
		case GPUSTR_ARITH_ABS:
			*result = a_bits & INT64_MAX;
			return 0;
		default:
			return 1;
	}
	*result = recheck ? 0 : rowfn_float_bits(r);
	return recheck;
}

/*
 * GpustrArith on values of the types that make 'type'; b is of no account for
 * a unary one.  Returns 0, or 1 for recheck.
 */
GPUSTR_FN int
rowfn_arith(int arith, int type, int64_t a, int64_t b, int64_t *result)
{
	if (type == GPUSTR_VALUE_FLOAT4 || type == GPUSTR_VALUE_FLOAT8)
		return rowfn_arith_float(arith, type, a, b, result);
	return rowfn_arith_int(arith, type, a, b, result);
}

/* A float, rounded, as an integer from -limit - 1 to limit, 2^n - 1. */
GPUSTR_FN int
rowfn_float_to_int(int64_t in, int64_t limit, int64_t *result)
{
	double		number = rowfn_float_rint(rowfn_float(in));
	double		end = (double) (limit / 2 + 1) * 2;

	/* not so for a NaN */
	if (number >= -end && number < end)
	{
		*result = (int64_t) number;
		return 0;
	}
	*result = 0;
	return 1;
}

/* GpustrCast.  Returns 0, or 1 for recheck. */
GPUSTR_FN int
rowfn_cast(int cast, int64_t in, int64_t *result)
{
	double		number;
	double		narrow;

	*result = in;
	switch (cast)
	{
		case GPUSTR_CAST_INT_TO_INT2:
			return in < INT16_MIN || in > INT16_MAX;
		case GPUSTR_CAST_INT_TO_INT4:
			return in < INT32_MIN || in > INT32_MAX;
		case GPUSTR_CAST_INT_TO_OID:
			return in < 0 || in > (int64_t) UINT32_MAX;
		case GPUSTR_CAST_INT_TO_FLOAT4:
			*result = rowfn_float_bits((double) (float) in);
			return 0;
		case GPUSTR_CAST_INT_TO_FLOAT8:
			*result = rowfn_float_bits((double) in);
			return 0;
		case GPUSTR_CAST_FLOAT_TO_FLOAT4:
			number = rowfn_float(in);
			narrow = (double) (float) number;
			*result = rowfn_float_bits(narrow);
			return (rowfn_float_is_inf(narrow) && !rowfn_float_is_inf(number)) ||
				(narrow == 0 && number != 0);
		case GPUSTR_CAST_FLOAT_TO_INT2:
			return rowfn_float_to_int(in, INT16_MAX, result);
		case GPUSTR_CAST_FLOAT_TO_INT4:
			return rowfn_float_to_int(in, INT32_MAX, result);
		case GPUSTR_CAST_FLOAT_TO_INT8:
			return rowfn_float_to_int(in, INT64_MAX, result);
		case GPUSTR_CAST_DATE_TO_TIMESTAMP:
			if (in == INT32_MIN)
				*result = INT64_MIN;	/* -infinity */
			else if (in == INT32_MAX)
				*result = INT64_MAX;	/* infinity */
			else if (in < ROWFN_DATE_MIN || in >= ROWFN_DATE_TIMESTAMP_END)
				return 1;
			else
				*result = in * ROWFN_USECS_PER_DAY;
			return 0;
		default:
			return 1;
	}
}

#endif							/* GPUSTR_ROWFN_VALUE_H */
