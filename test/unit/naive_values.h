/*-------------------------------------------------------------------------
 *
 * naive_values.h
 *	  Plain answers about values, intervals and numerics, to compare the row
 *	  functions with.
 *
 * Written from program.h, PostgreSQL's documentation and the layout of its
 * types, without a look at how the row functions work: integers in 128 bits,
 * numerics by looking at one place after the other.
 *
 * IDENTIFICATION
 *	  test/unit/naive_values.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_TEST_NAIVE_VALUES_H
#define GPUSTR_TEST_NAIVE_VALUES_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "program/program.h"

__extension__ typedef __int128 NaiveWide;

static inline double
naive_double(int64_t bits)
{
	double		d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

/* All NaN are one. */
static inline int64_t
naive_bits(double d)
{
	int64_t		bits;

	memcpy(&bits, &d, sizeof(bits));
	return isnan(d) ? INT64_C(0x7FF8000000000000) : bits;
}

/* Bytes of a GpustrValueType, by number. */
static const int32_t naive_value_bytes[] = {0, 1, 1, 2, 4, 8, 4, 4, 8};

static inline int64_t
naive_load(const char *bytes, int type)
{
	union
	{
		signed char c;
		int16_t		i2;
		int32_t		i4;
		int64_t		i8;
		uint32_t	oid;
		float		f4;
	}			u;

	memcpy(&u, bytes, (size_t) naive_value_bytes[type]);
	switch (type)
	{
		case GPUSTR_VALUE_BOOL:
			return u.c == 0 ? 0 : 1;
		case GPUSTR_VALUE_CHAR:
			return u.c < 0 ? u.c + 256 : u.c;
		case GPUSTR_VALUE_INT2:
			return u.i2;
		case GPUSTR_VALUE_INT4:
			return u.i4;
		case GPUSTR_VALUE_OID:
			return u.oid;
		case GPUSTR_VALUE_FLOAT4:
			return naive_bits(u.f4);
		default:
			return u.i8;
	}
}

/* Is a "relation" b, when they compare as less (-1), equal (0) or greater (1)? */
static inline int
naive_relation(int cmp, int relation)
{
	switch (relation)
	{
		case GPUSTR_REL_EQ:
			return cmp == 0;
		case GPUSTR_REL_NE:
			return cmp != 0;
		case GPUSTR_REL_LT:
			return cmp < 0;
		case GPUSTR_REL_LE:
			return cmp <= 0;
		case GPUSTR_REL_GT:
			return cmp > 0;
		default:
			return cmp >= 0;
	}
}

static inline int
naive_compare_value(int order, int64_t a, int64_t b)
{
	double		x = naive_double(a);
	double		y = naive_double(b);

	if (order == GPUSTR_ORDER_INT)
		return a < b ? -1 : a == b ? 0 : 1;
	if (isnan(x) && isnan(y))
		return 0;
	if (isnan(x))
		return 1;
	if (isnan(y))
		return -1;
	return x < y ? -1 : x == y ? 0 : 1;
}

/* Microseconds of an interval. */
static inline NaiveWide
naive_interval(const char *p)
{
	int64_t		time;
	int32_t		day;
	int32_t		month;

	memcpy(&time, p, 8);
	memcpy(&day, p + 8, 4);
	memcpy(&month, p + 12, 4);
	return (NaiveWide) time + ((NaiveWide) day + (NaiveWide) month * 30) * 24 * 3600 * 1000000;
}

typedef struct NaiveNumeric
{
	int			rank;			/* -1 -infinity, 0 a number, 1 infinity, 2 NaN */
	int			sign;			/* -1 or 1; 0: no digits */
	int			weight;			/* the first digit's place */
	int			ndigits;
	int16_t		digit[4096];
} NaiveNumeric;

/* Returns 0 if the bytes are no numeric. */
static inline int
naive_numeric(const char *p, int32_t bytes, NaiveNumeric *n)
{
	uint16_t	word[4098];
	int			nwords = bytes / 2;
	int			first = 1;

	if (bytes < 2 || bytes > (int32_t) sizeof(word) || bytes % 2 == 1)
		return 0;
	memcpy(word, p, (size_t) bytes);
	n->rank = 0;
	n->ndigits = 0;
	if (word[0] >= 0xC000)
	{
		n->rank = word[0] == 0xC000 ? 2 : word[0] == 0xD000 ? 1 : -1;
		return word[0] == 0xC000 || word[0] == 0xD000 || word[0] == 0xF000;
	}
	n->sign = word[0] & (word[0] >= 0x8000 ? 0x2000 : 0x4000) ? -1 : 1;
	if (word[0] >= 0x8000)
	{
		n->weight = word[0] & 0x7F;
		if (n->weight > 63)
			n->weight -= 128;
	}
	else
	{
		if (nwords < 2)
			return 0;
		n->weight = (int16_t) word[1];
		first = 2;
	}
	n->ndigits = nwords - first;
	memcpy(n->digit, word + first, 2 * (size_t) n->ndigits);
	if (n->ndigits == 0)
		n->sign = 0;
	return 1;
}

/* The digit at a place; *there: the number has such a place. */
static inline int
naive_digit(const NaiveNumeric *n, int place, int *there)
{
	int			i = n->weight - place;

	*there = i >= 0 && i < n->ndigits;
	return *there ? n->digit[i] : 0;
}

/* Returns 0 if one is no numeric. */
static inline int
naive_compare_numeric(const char *a, int32_t abytes, const char *b, int32_t bbytes, int *cmp)
{
	static NaiveNumeric x;
	static NaiveNumeric y;
	int			place;
	int			last;

	*cmp = 0;
	if (!naive_numeric(a, abytes, &x) || !naive_numeric(b, bbytes, &y))
		return 0;
	if (x.rank != 0 || y.rank != 0)
		*cmp = x.rank < y.rank ? -1 : x.rank == y.rank ? 0 : 1;
	else if (x.sign != y.sign || x.sign == 0)
		*cmp = x.sign < y.sign ? -1 : x.sign == y.sign ? 0 : 1;
	else
	{
		place = x.weight > y.weight ? x.weight : y.weight;
		last = x.weight - x.ndigits < y.weight - y.ndigits ? x.weight - x.ndigits : y.weight - y.ndigits;
		for (; *cmp == 0 && place > last; place--)
		{
			int			x_there;
			int			y_there;
			int			dx = naive_digit(&x, place, &x_there);
			int			dy = naive_digit(&y, place, &y_there);

			/* a digit that the other has not counts unless it is 0 */
			if (x_there && y_there)
				*cmp = dx < dy ? -1 : dx == dy ? 0 : 1;
			else if (dx != 0 || dy != 0)
				*cmp = dx != 0 ? 1 : -1;
		}
		*cmp *= x.sign;
	}
	return 1;
}

/* By memcmp, then length. */
static inline int
naive_compare_bytes(const char *a, int32_t alen, const char *b, int32_t blen)
{
	int32_t		i;

	for (i = 0; i < alen && i < blen; i++)
		if (a[i] != b[i])
			return (unsigned char) a[i] < (unsigned char) b[i] ? -1 : 1;
	return alen < blen ? -1 : alen == blen ? 0 : 1;
}

/* Returns 0 for recheck. */
static inline int
naive_compare_text(int order, const char *a, int32_t alen, const char *b, int32_t blen, int *cmp)
{
	if (order == GPUSTR_ORDER_NUMERIC)
		return naive_compare_numeric(a, alen, b, blen, cmp);
	if (order == GPUSTR_ORDER_INTERVAL)
	{
		NaiveWide	x;
		NaiveWide	y;

		if (alen != 16 || blen != 16)
			return 0;
		x = naive_interval(a);
		y = naive_interval(b);
		*cmp = x < y ? -1 : x == y ? 0 : 1;
		return 1;
	}
	*cmp = naive_compare_bytes(a, alen, b, blen);
	return 1;
}

/* Returns 0 for recheck. */
static inline int
naive_arith_int(int arith, int type, int64_t a, int64_t b, int64_t *result)
{
	NaiveWide	x = a;
	NaiveWide	y = b;
	NaiveWide	r;
	NaiveWide	end = (NaiveWide) 1 << (type == GPUSTR_VALUE_INT2 ? 15 : type == GPUSTR_VALUE_INT4 ? 31 : 63);

	if ((arith == GPUSTR_ARITH_DIV || arith == GPUSTR_ARITH_MOD) && b == 0)
		return 0;
	switch (arith)
	{
		case GPUSTR_ARITH_ADD:
			r = x + y;
			break;
		case GPUSTR_ARITH_SUB:
			r = x - y;
			break;
		case GPUSTR_ARITH_MUL:
			r = x * y;
			break;
		case GPUSTR_ARITH_DIV:
			r = x / y;
			break;
		case GPUSTR_ARITH_MOD:
			r = x % y;
			break;
		case GPUSTR_ARITH_NEG:
			r = -x;
			break;
		case GPUSTR_ARITH_ABS:
			r = x < 0 ? -x : x;
			break;
		case GPUSTR_ARITH_AND:
			r = x & y;
			break;
		case GPUSTR_ARITH_OR:
			r = x | y;
			break;
		case GPUSTR_ARITH_XOR:
			r = x ^ y;
			break;
		default:
			r = -1 - x;
			break;
	}
	*result = (int64_t) r;
	return r >= -end && r < end;
}

/*
 * "value out of range: overflow" where the result is infinite and no operand
 * is (of a division: the dividend is not); "underflow" where a product or
 * quotient is 0 and should not be.  Returns 0 for recheck.
 */
static inline int
naive_arith_float(int arith, int type, int64_t a, int64_t b, int64_t *result)
{
	double		x = naive_double(a);
	double		y = naive_double(b);
	float		fx = (float) x;
	float		fy = (float) y;
	int			is_float4 = type == GPUSTR_VALUE_FLOAT4;
	double		r;

	switch (arith)
	{
		case GPUSTR_ARITH_ADD:
			r = is_float4 ? (float) (fx + fy) : x + y;
			break;
		case GPUSTR_ARITH_SUB:
			r = is_float4 ? (float) (fx - fy) : x - y;
			break;
		case GPUSTR_ARITH_MUL:
			r = is_float4 ? (float) (fx * fy) : x * y;
			if (r == 0 && x != 0 && y != 0)
				return 0;
			break;
		case GPUSTR_ARITH_DIV:
			if (y == 0 && !isnan(x))
				return 0;
			r = is_float4 ? (float) (fx / fy) : x / y;
			if (r == 0 && x != 0 && !isinf(y))
				return 0;
			y = 0;				/* of no account for overflow */
			break;
		case GPUSTR_ARITH_NEG:
			*result = (int64_t) ((uint64_t) a ^ UINT64_C(0x8000000000000000));
			return 1;
		default:
			*result = (int64_t) ((uint64_t) a & UINT64_C(0x7FFFFFFFFFFFFFFF));
			return 1;
	}
	*result = naive_bits(r);
	return !isinf(r) || isinf(x) || isinf(y);
}

/* Round to even, as an integer of 'bits' bits.  Returns 0 for recheck. */
static inline int
naive_round(double d, int bits, int64_t *result)
{
	NaiveWide	end = (NaiveWide) 1 << (bits - 1);
	NaiveWide	whole;
	double		rest;

	if (!(d > -1e20 && d < 1e20))
		return 0;
	whole = (NaiveWide) d;
	rest = d - (double) whole;	/* exact, of the sign of d */
	if (rest > 0.5 || (rest == 0.5 && whole % 2 != 0))
		whole++;
	else if (rest < -0.5 || (rest == -0.5 && whole % 2 != 0))
		whole--;
	*result = (int64_t) whole;
	return whole >= -end && whole < end;
}

/* Returns 0 for recheck. */
static inline int
naive_cast(int cast, int64_t in, int64_t *result)
{
	double		d = naive_double(in);
	float		f = (float) d;
	NaiveWide	usecs = (NaiveWide) in * 86400 * 1000000;

	*result = in;
	switch (cast)
	{
		case GPUSTR_CAST_INT_TO_INT2:
			return in == (int16_t) in;
		case GPUSTR_CAST_INT_TO_INT4:
			return in == (int32_t) in;
		case GPUSTR_CAST_INT_TO_OID:
			return in == (int64_t) (uint32_t) in;
		case GPUSTR_CAST_INT_TO_FLOAT4:
			f = (float) in;
			*result = naive_bits(f);
			return 1;
		case GPUSTR_CAST_INT_TO_FLOAT8:
			*result = naive_bits((double) in);
			return 1;
		case GPUSTR_CAST_FLOAT_TO_FLOAT4:
			*result = naive_bits(f);
			return !(isinf(f) && !isinf(d)) && !(f == 0 && d != 0);
		case GPUSTR_CAST_FLOAT_TO_INT2:
			return naive_round(d, 16, result);
		case GPUSTR_CAST_FLOAT_TO_INT4:
			return naive_round(d, 32, result);
		case GPUSTR_CAST_FLOAT_TO_INT8:
			return naive_round(d, 64, result);
		default:

			/*
			 * Dates go from 4713-11-24 BC, 2451545 days before 2000-01-01;
			 * timestamps end before 294277-01-01, 9223371331200000000
			 * microseconds after it.  Infinite dates are the limits of int4.
			 */
			if (in == INT32_MIN || in == INT32_MAX)
			{
				*result = in < 0 ? INT64_MIN : INT64_MAX;
				return 1;
			}
			*result = (int64_t) usecs;
			return in >= -2451545 && usecs < INT64_C(9223371331200000000);
	}
}

#endif							/* GPUSTR_TEST_NAIVE_VALUES_H */
