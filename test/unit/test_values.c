/*-------------------------------------------------------------------------
 *
 * test_values.c
 *	  Arithmetic, casts and orders of values: limits, small ranges, and what
 *	  PostgreSQL answers or refuses.
 *
 * The tables hold what PostgreSQL 15 answers to the expressions in their
 * comments; RECHECK stands for an error.
 *
 * IDENTIFICATION
 *	  test/unit/test_values.c
 *
 *-------------------------------------------------------------------------
 */
#include "heap_gen.h"
#include "naive.h"
#include "naive_values.h"
#include "rowfn/compare.h"
#include "test_common.h"

#define I2 GPUSTR_VALUE_INT2
#define I4 GPUSTR_VALUE_INT4
#define I8 GPUSTR_VALUE_INT8
#define F4 GPUSTR_VALUE_FLOAT4
#define F8 GPUSTR_VALUE_FLOAT8
#define COUNT(array) ((int) (sizeof(array) / sizeof((array)[0])))

static const int64_t edges[] = {
	0, 1, -1, 2, -2, 3, 7, -7, 10, 100, 181, 182, -182, 255, 256, 32766, 32767, 32768, -32767, -32768,
	-32769, 46340, 46341, -46341, 65535, 65536, 2147483646, 2147483647, 2147483648, -2147483647,
	-2147483648, -2147483649, 3037000499, 3037000500, -3037000500, 4294967295, 4294967296,
	4503599627370497, INT64_MAX - 1, INT64_MAX, INT64_MIN + 1, INT64_MIN
};

/* Check one integer operation against 128-bit arithmetic. */
static void
check_int(int arith, int type, int64_t a, int64_t b)
{
	int64_t		got = 77;
	int64_t		want = 0;
	int			recheck = rowfn_arith(arith, type, a, b, &got);
	int			ok = naive_arith_int(arith, type, a, b, &want);

	CHECK(recheck == !ok && (recheck || got == want), "arith %d type %d of %lld and %lld: %d %lld, not %lld",
		  arith, type, (long long) a, (long long) b, recheck, (long long) got, (long long) want);
}

static void
test_integers(void)
{
	static const struct
	{
		int			arith;
		int			type;
		int64_t		a;
		int64_t		b;
		int			recheck;
		int64_t		result;
	}			cases[] = {
		{GPUSTR_ARITH_ADD, I2, 32767, 1, 1, 0},
		{GPUSTR_ARITH_ADD, I4, 32767, 1, 0, 32768},
		{GPUSTR_ARITH_ADD, I4, 2147483647, 1, 1, 0},
		{GPUSTR_ARITH_ADD, I8, INT64_MAX, 1, 1, 0},
		{GPUSTR_ARITH_ADD, I8, INT64_MAX, INT64_MIN, 0, -1},
		{GPUSTR_ARITH_SUB, I4, -2147483648, 1, 1, 0},
		{GPUSTR_ARITH_SUB, I8, INT64_MIN, 1, 1, 0},
		{GPUSTR_ARITH_SUB, I8, 0, INT64_MIN, 1, 0},
		{GPUSTR_ARITH_SUB, I8, -1, INT64_MIN, 0, INT64_MAX},
		{GPUSTR_ARITH_MUL, I2, 182, 181, 1, 0},
		{GPUSTR_ARITH_MUL, I4, 46341, 46341, 1, 0},
		{GPUSTR_ARITH_MUL, I4, 46340, 46340, 0, 2147395600},
		{GPUSTR_ARITH_MUL, I4, 65536, -32768, 0, -2147483648},
		{GPUSTR_ARITH_MUL, I8, 3037000500, 3037000500, 1, 0},
		{GPUSTR_ARITH_MUL, I8, -1, INT64_MIN, 1, 0},
		{GPUSTR_ARITH_DIV, I4, 7, 2, 0, 3},
		{GPUSTR_ARITH_DIV, I4, -7, 2, 0, -3},	/* towards 0 */
		{GPUSTR_ARITH_DIV, I4, 1, 0, 1, 0},
		{GPUSTR_ARITH_DIV, I2, -32768, -1, 1, 0},
		{GPUSTR_ARITH_DIV, I4, -2147483648, -1, 1, 0},
		{GPUSTR_ARITH_DIV, I8, INT64_MIN, -1, 1, 0},
		{GPUSTR_ARITH_MOD, I4, -7, 3, 0, -1},	/* sign of the dividend */
		{GPUSTR_ARITH_MOD, I4, 7, -3, 0, 1},
		{GPUSTR_ARITH_MOD, I4, 7, 0, 1, 0},
		{GPUSTR_ARITH_MOD, I2, -32768, -1, 0, 0},
		{GPUSTR_ARITH_MOD, I4, -2147483648, -1, 0, 0},
		{GPUSTR_ARITH_MOD, I8, INT64_MIN, -1, 0, 0},
		{GPUSTR_ARITH_NEG, I2, -32768, 0, 1, 0},
		{GPUSTR_ARITH_NEG, I4, -2147483648, 0, 1, 0},
		{GPUSTR_ARITH_NEG, I8, INT64_MIN, 0, 1, 0},
		{GPUSTR_ARITH_NEG, I8, INT64_MAX, 0, 0, -INT64_MAX},
		{GPUSTR_ARITH_ABS, I2, -32768, 0, 1, 0},
		{GPUSTR_ARITH_ABS, I4, -5, 0, 0, 5},
		{GPUSTR_ARITH_ABS, I8, INT64_MIN, 0, 1, 0},
		{GPUSTR_ARITH_AND, I4, 91, 15, 0, 11},
		{GPUSTR_ARITH_OR, I4, 32, 3, 0, 35},
		{GPUSTR_ARITH_XOR, I4, 17, 5, 0, 20},
		{GPUSTR_ARITH_NOT, I4, 1, 0, 0, -2},
		{GPUSTR_ARITH_NOT, I2, 32767, 0, 0, -32768}
	};
	static const int types[] = {I2, I4, I8};
	int			arith;
	int			i;
	int			j;
	int			t;

	for (i = 0; i < COUNT(cases); i++)
	{
		int64_t		result = 0;
		int			recheck = rowfn_arith(cases[i].arith, cases[i].type, cases[i].a, cases[i].b, &result);

		CHECK(recheck == cases[i].recheck && (recheck || result == cases[i].result),
			  "case %d: %d %lld", i, recheck, (long long) result);
	}
	for (arith = 1; arith <= GPUSTR_ARITH_LAST; arith++)
		for (t = 0; t < 3; t++)
		{
			for (i = 0; i < COUNT(edges); i++)
				for (j = 0; j < COUNT(edges); j++)
					check_int(arith, types[t], edges[i], edges[j]);
			for (i = -130; i <= 130; i++)
				for (j = -130; j <= 130; j++)
					check_int(arith, types[t], i, j);
		}

	/* all of smallint with each edge of it */
	for (arith = 1; arith <= GPUSTR_ARITH_LAST; arith++)
		for (j = 0; j < COUNT(edges); j++)
			if (edges[j] == (int16_t) edges[j])
				for (i = INT16_MIN; i <= INT16_MAX; i++)
					check_int(arith, I2, i, edges[j]);
	CHECK(rowfn_arith_is_unary(GPUSTR_ARITH_NEG) && rowfn_arith_is_unary(GPUSTR_ARITH_ABS) &&
		  rowfn_arith_is_unary(GPUSTR_ARITH_NOT) && !rowfn_arith_is_unary(GPUSTR_ARITH_ADD) &&
		  !rowfn_arith_is_unary(GPUSTR_ARITH_XOR), "unary");
	CHECK(!rowfn_arith_exists(GPUSTR_ARITH_MOD, F8) && !rowfn_arith_exists(GPUSTR_ARITH_NOT, F4) &&
		  !rowfn_arith_exists(GPUSTR_ARITH_ADD, GPUSTR_VALUE_OID) && !rowfn_arith_exists(0, I4) &&
		  !rowfn_arith_exists(GPUSTR_ARITH_LAST + 1, I4) && rowfn_arith_exists(GPUSTR_ARITH_DIV, F4) &&
		  rowfn_arith_exists(GPUSTR_ARITH_LAST, I8) && rowfn_arith_exists(GPUSTR_ARITH_ABS, F8), "exists");
	test_done("integer arithmetic");
}

static void
test_floats(Rng *rng)
{
	const double inf = INFINITY;
	const double nan = NAN;
	const double min4 = 1.401298464324817e-45;	/* the smallest float4 */
	const double max4 = 3.4028234663852886e38;
	const double max8 = 1.7976931348623157e308;
	const struct
	{
		int			arith;
		int			type;
		double		a;
		double		b;
		int			recheck;
		double		result;
	}			cases[] = {
		{GPUSTR_ARITH_ADD, F8, 0.1, 0.2, 0, 0.30000000000000004},
		{GPUSTR_ARITH_ADD, F4, 16777216, 1, 0, 16777216},
		{GPUSTR_ARITH_ADD, F8, 16777216, 1, 0, 16777217},
		{GPUSTR_ARITH_ADD, F8, max8, max8, 1, 0},
		{GPUSTR_ARITH_ADD, F4, max4, max4, 1, 0},
		{GPUSTR_ARITH_ADD, F8, max4, max4, 0, 6.805646932770577e38},
		{GPUSTR_ARITH_ADD, F8, inf, 1, 0, inf},
		{GPUSTR_ARITH_ADD, F8, inf, -inf, 0, nan},
		{GPUSTR_ARITH_ADD, F4, nan, inf, 0, nan},
		{GPUSTR_ARITH_SUB, F8, inf, inf, 0, nan},
		{GPUSTR_ARITH_SUB, F4, -max4, max4, 1, 0},
		{GPUSTR_ARITH_SUB, F8, -0.0, 0.0, 0, -0.0},
		{GPUSTR_ARITH_MUL, F8, 1e200, 1e200, 1, 0},
		{GPUSTR_ARITH_MUL, F8, 1e-200, 1e-200, 1, 0},	/* underflow */
		{GPUSTR_ARITH_MUL, F4, min4, 0.25, 1, 0},
		{GPUSTR_ARITH_MUL, F8, min4, 0.25, 0, 3.503246160812043e-46},
		{GPUSTR_ARITH_MUL, F8, 0, -1, 0, -0.0},
		{GPUSTR_ARITH_MUL, F8, 0, inf, 0, nan},
		{GPUSTR_ARITH_MUL, F8, inf, -2, 0, -inf},
		{GPUSTR_ARITH_DIV, F8, 1, 0, 1, 0},
		{GPUSTR_ARITH_DIV, F8, 0, 0, 1, 0},
		{GPUSTR_ARITH_DIV, F8, inf, -0.0, 1, 0},
		{GPUSTR_ARITH_DIV, F8, nan, 0, 0, nan},
		{GPUSTR_ARITH_DIV, F4, nan, -0.0, 0, nan},
		{GPUSTR_ARITH_DIV, F8, 1, inf, 0, 0},
		{GPUSTR_ARITH_DIV, F8, inf, inf, 0, nan},
		{GPUSTR_ARITH_DIV, F8, 1e-200, 1e200, 1, 0},
		{GPUSTR_ARITH_DIV, F8, 1e200, 1e-200, 1, 0},
		{GPUSTR_ARITH_DIV, F4, 1, 3, 0, 0.3333333432674408},
		{GPUSTR_ARITH_DIV, F8, 1, 3, 0, 0.3333333333333333},
		{GPUSTR_ARITH_NEG, F8, 0, 0, 0, -0.0},
		{GPUSTR_ARITH_NEG, F4, inf, 0, 0, -inf},
		{GPUSTR_ARITH_ABS, F8, -0.0, 0, 0, 0},
		{GPUSTR_ARITH_ABS, F4, -1.5, 0, 0, 1.5}
	};
	int			i;

	for (i = 0; i < COUNT(cases); i++)
	{
		int64_t		result = 0;
		int			recheck = rowfn_arith(cases[i].arith, cases[i].type, naive_bits(cases[i].a),
										  naive_bits(cases[i].b), &result);

		CHECK(recheck == cases[i].recheck && (recheck || result == naive_bits(cases[i].result)),
			  "case %d: %d %.17g", i, recheck, naive_double(result));
	}
	for (i = 0; i < test_rounds(300000); i++)
	{
		static const int ariths[] = {
			GPUSTR_ARITH_ADD, GPUSTR_ARITH_SUB, GPUSTR_ARITH_MUL, GPUSTR_ARITH_DIV, GPUSTR_ARITH_NEG, GPUSTR_ARITH_ABS
		};
		int			type = rng_one_in(rng, 2) ? F4 : F8;
		int			arith = ariths[rng_below(rng, 6)];
		char		bytes[16];
		int64_t		a;
		int64_t		b;
		int64_t		got;
		int64_t		want = 0;
		int			recheck;
		int			ok;

		heap_gen_fixed(rng, bytes, naive_value_bytes[type]);
		heap_gen_fixed(rng, bytes + 8, naive_value_bytes[type]);
		a = naive_load(bytes, type);
		b = naive_load(bytes + 8, type);
		recheck = rowfn_arith(arith, type, a, b, &got);
		ok = naive_arith_float(arith, type, a, b, &want);
		CHECK(recheck == !ok && (recheck || got == want), "arith %d type %d of %.17g and %.17g: %d %.17g, not %.17g",
			  arith, type, naive_double(a), naive_double(b), recheck, naive_double(got), naive_double(want));
	}
	test_done("float arithmetic");
}

static void
check_cast(int cast, int64_t in)
{
	int64_t		got = 77;
	int64_t		want = 0;
	int			recheck = rowfn_cast(cast, in, &got);
	int			ok = naive_cast(cast, in, &want);

	CHECK(recheck == !ok && (recheck || got == want), "cast %d of %lld (%.17g): %d %lld, not %lld", cast,
		  (long long) in, naive_double(in), recheck, (long long) got, (long long) want);
}

static void
test_casts(Rng *rng)
{
	static const struct
	{
		int			cast;
		double		in;
		int			recheck;
		int64_t		result;
	}			cases[] = {
		{GPUSTR_CAST_FLOAT_TO_INT2, 32767.4, 0, 32767},
		{GPUSTR_CAST_FLOAT_TO_INT2, 32767.5, 1, 0},
		{GPUSTR_CAST_FLOAT_TO_INT2, -32768.5, 0, -32768},
		{GPUSTR_CAST_FLOAT_TO_INT2, -32768.6, 1, 0},
		{GPUSTR_CAST_FLOAT_TO_INT4, 0.5, 0, 0},
		{GPUSTR_CAST_FLOAT_TO_INT4, 1.5, 0, 2},
		{GPUSTR_CAST_FLOAT_TO_INT4, 2.5, 0, 2},
		{GPUSTR_CAST_FLOAT_TO_INT4, -0.5, 0, 0},
		{GPUSTR_CAST_FLOAT_TO_INT4, -1.5, 0, -2},
		{GPUSTR_CAST_FLOAT_TO_INT4, 0.49999999999999994, 0, 0},
		{GPUSTR_CAST_FLOAT_TO_INT4, 2147483647.4, 0, 2147483647},
		{GPUSTR_CAST_FLOAT_TO_INT4, 2147483647.5, 1, 0},
		{GPUSTR_CAST_FLOAT_TO_INT4, -2147483648.5, 0, -2147483648},
		{GPUSTR_CAST_FLOAT_TO_INT4, NAN, 1, 0},
		{GPUSTR_CAST_FLOAT_TO_INT4, INFINITY, 1, 0},
		{GPUSTR_CAST_FLOAT_TO_INT8, -INFINITY, 1, 0},
		{GPUSTR_CAST_FLOAT_TO_INT8, 9223372036854774784.0, 0, 9223372036854774784},
		{GPUSTR_CAST_FLOAT_TO_INT8, 9223372036854775808.0, 1, 0},
		{GPUSTR_CAST_FLOAT_TO_INT8, -9223372036854775808.0, 0, INT64_MIN},
		{GPUSTR_CAST_FLOAT_TO_INT8, 4503599627370495.5, 0, 4503599627370496},
		{GPUSTR_CAST_FLOAT_TO_FLOAT4, 1e39, 1, 0},
		{GPUSTR_CAST_FLOAT_TO_FLOAT4, 1e-46, 1, 0}
	};
	static const struct
	{
		int			cast;
		int64_t		in;
		int			recheck;
		int64_t		result;
	}			integers[] = {
		{GPUSTR_CAST_INT_TO_INT2, 32768, 1, 0},
		{GPUSTR_CAST_INT_TO_INT2, -32768, 0, -32768},
		{GPUSTR_CAST_INT_TO_INT4, 2147483648, 1, 0},
		{GPUSTR_CAST_INT_TO_OID, -1, 1, 0},
		{GPUSTR_CAST_INT_TO_OID, 4294967295, 0, 4294967295},
		{GPUSTR_CAST_INT_TO_OID, 4294967296, 1, 0},

		/*
		 * date '-infinity', 'infinity', '294276-12-31', '294277-01-01',
		 * '4713-01-01 BC'
		 */
		{GPUSTR_CAST_DATE_TO_TIMESTAMP, INT32_MIN, 0, INT64_MIN},
		{GPUSTR_CAST_DATE_TO_TIMESTAMP, INT32_MAX, 0, INT64_MAX},
		{GPUSTR_CAST_DATE_TO_TIMESTAMP, 106751982, 0, INT64_C(9223371244800000000)},
		{GPUSTR_CAST_DATE_TO_TIMESTAMP, 106751983, 1, 0},
		{GPUSTR_CAST_DATE_TO_TIMESTAMP, -2451507, 0, INT64_C(-211810204800000000)},
		{GPUSTR_CAST_DATE_TO_TIMESTAMP, 1, 0, INT64_C(86400000000)}
	};
	int64_t		result;
	int			recheck;
	int			cast;
	int			i;

	for (i = 0; i < COUNT(cases); i++)
	{
		recheck = rowfn_cast(cases[i].cast, naive_bits(cases[i].in), &result);
		CHECK(recheck == cases[i].recheck && (recheck || result == cases[i].result), "case %d: %d %lld", i,
			  recheck, (long long) result);
	}
	for (i = 0; i < COUNT(integers); i++)
	{
		recheck = rowfn_cast(integers[i].cast, integers[i].in, &result);
		CHECK(recheck == integers[i].recheck && (recheck || result == integers[i].result), "case %d: %d %lld", i,
			  recheck, (long long) result);
	}

	/* 2^24 + 1 and 2^53 + 1 are rounded */
	CHECK(rowfn_cast(GPUSTR_CAST_INT_TO_FLOAT4, 16777217, &result) == 0 && naive_double(result) == 16777216, "float4");
	CHECK(rowfn_cast(GPUSTR_CAST_INT_TO_FLOAT8, 9007199254740993, &result) == 0 &&
		  naive_double(result) == 9007199254740992.0, "float8");
	CHECK(rowfn_cast(GPUSTR_CAST_LAST + 1, 0, &result) == 1 && rowfn_cast(0, 0, &result) == 1, "no such cast");

	/* quarters over all of smallint, and around the limits of integer */
	for (i = -4 * 33000; i <= 4 * 33000; i++)
	{
		check_cast(GPUSTR_CAST_FLOAT_TO_INT2, naive_bits(i / 4.0));
		check_cast(GPUSTR_CAST_FLOAT_TO_INT4, naive_bits(i / 4.0 + 2147483647.0));
		check_cast(GPUSTR_CAST_FLOAT_TO_INT4, naive_bits(i / 4.0 - 2147483648.0));
		check_cast(GPUSTR_CAST_FLOAT_TO_INT8, naive_bits(i / 4.0 + 4503599627370496.0));
		check_cast(GPUSTR_CAST_FLOAT_TO_INT8, naive_bits(i / 4.0 - 4503599627370496.0));
	}
	for (cast = 1; cast <= GPUSTR_CAST_LAST; cast++)
	{
		for (i = 0; i < COUNT(edges); i++)
			check_cast(cast, edges[i]);
		for (i = -70000; i <= 70000; i++)
			check_cast(cast, i);
		for (i = 0; i < test_rounds(50000); i++)
		{
			char		bytes[8];
			int			type = 1 + rng_below(rng, GPUSTR_VALUE_LAST);

			heap_gen_fixed(rng, bytes, naive_value_bytes[type]);
			check_cast(cast, naive_load(bytes, type));
		}
	}
	test_done("casts");
}

static void
test_load(Rng *rng)
{
	static const char bytes[8] = {(char) 0xFE, (char) 0xFF, (char) 0xFF, (char) 0xFF, 1, 0, 0, (char) 0x80};
	static const char one4[4] = {0, 0, (char) 0x80, 0x3F};	/* 1.0 as float4 */
	static const int64_t want[] = {
		0, 1, 0xFE, -2, -2, 0, 4294967294, 0, 0
	};
	char		area[32];
	int			type;
	int			shift;
	int			i;

	for (type = 1; type <= GPUSTR_VALUE_LAST; type++)
	{
		CHECK(rowfn_value_bytes(type) == naive_value_bytes[type], "bytes of type %d", type);
		for (shift = 0; shift < 8; shift++)
		{
			memcpy(area + shift, bytes, 8);
			if (type <= GPUSTR_VALUE_OID && type != GPUSTR_VALUE_INT8)
				CHECK(rowfn_value_load(area + shift, type) == want[type], "type %d", type);
			for (i = 0; i < 200; i++)
			{
				heap_gen_fixed(rng, area + shift, naive_value_bytes[type]);
				CHECK(rowfn_value_load(area + shift, type) == naive_load(area + shift, type), "type %d", type);
			}
		}
	}
	CHECK(rowfn_value_load(bytes, GPUSTR_VALUE_INT8) == INT64_MIN + INT64_C(0x1FFFFFFFE), "int8");
	CHECK(naive_double(rowfn_value_load(one4, GPUSTR_VALUE_FLOAT4)) == 1.0, "float4");
	test_done("stored values");
}

static void
test_orders(Rng *rng)
{
	/* ascending; those with the same number are equal */
	const struct
	{
		double		value;
		int			rank;
	}			floats[] = {
		{-INFINITY, 0}, {-1e308, 1}, {-1, 2}, {-5e-324, 3}, {-0.0, 4}, {0.0, 4}, {5e-324, 5}, {1, 6},
		{INFINITY, 7}, {NAN, 8}, {-NAN, 8}
	};
	static const char *const texts[] = {"", "\001", "a", "aa", "ab", "b", "\177", "\200", "\303\251", "\377"};
	int64_t		set[9];
	int			i;
	int			j;
	int			relation;

	for (i = 0; i < COUNT(floats); i++)
		for (j = 0; j < COUNT(floats); j++)
		{
			int			want = (floats[i].rank > floats[j].rank) - (floats[i].rank < floats[j].rank);

			CHECK(rowfn_compare_float(floats[i].value, floats[j].value) == want, "%g and %g", floats[i].value,
				  floats[j].value);
		}
	for (i = 0; i < COUNT(edges); i++)
		for (j = 0; j < COUNT(edges); j++)
			CHECK(rowfn_compare_value(GPUSTR_ORDER_INT, edges[i], edges[j]) ==
				  (edges[i] > edges[j]) - (edges[i] < edges[j]), "%lld", (long long) edges[i]);
	for (i = 0; i < COUNT(texts); i++)
		for (j = 0; j < COUNT(texts); j++)
			CHECK(rowfn_compare_bytes(texts[i], (int32_t) strlen(texts[i]), texts[j], (int32_t) strlen(texts[j])) ==
				  (i > j) - (i < j), "texts %d and %d", i, j);
	for (relation = 1; relation <= GPUSTR_REL_LAST; relation++)
		for (i = -1; i <= 1; i++)
			CHECK(rowfn_relation(i, relation) == naive_relation(i, relation), "relation %d of %d", relation, i);
	for (i = 0; i < 9; i++)
		set[i] = i * 10 - 40;
	for (i = 0; i <= 9; i++)
		for (j = -60; j <= 60; j++)
			CHECK(rowfn_in_value(j, set, i) == (j % 10 == 0 && j >= -40 && j <= -50 + 10 * i), "%d of %d", j, i);
	for (i = 0; i < test_rounds(100000); i++)
	{
		char		a[16];
		char		b[17];
		int			cmp;
		int			want;

		heap_gen_fixed(rng, a, 16);
		heap_gen_fixed(rng, b + 1, 16);
		CHECK(rowfn_compare_text(GPUSTR_ORDER_INTERVAL, a, 16, b + 1, 16, &cmp) == 0, "recheck");
		(void) naive_compare_text(GPUSTR_ORDER_INTERVAL, a, 16, b + 1, 16, &want);
		CHECK(cmp == want, "interval");
	}
	test_done("orders");
}

/* interval '1 mon' = '30 days' = '720:00', and the limits of each field. */
static void
test_intervals(void)
{
	static const struct
	{
		int64_t		time;
		int32_t		day;
		int32_t		month;
		int			rank;
	}			intervals[] = {
		{INT64_MIN, INT32_MIN, INT32_MIN, 0},
		{0, INT32_MIN, INT32_MIN, 1},
		{0, 0, INT32_MIN, 2},
		{INT64_MIN, 0, 0, 3},
		{-86400000000, 0, 0, 4}, {0, -1, 0, 4}, {0, 29, -1, 4},
		{-1, 0, 0, 5},
		{0, 0, 0, 6}, {-86400000000, 1, 0, 6}, {86400000000, 29, -1, 6},
		{1, 0, 0, 7},
		{86399999999, 0, 0, 8},
		{86400000000, 0, 0, 9}, {0, 1, 0, 9},
		{2592000000000, 0, 0, 10}, {0, 30, 0, 10}, {0, 0, 1, 10},
		{INT64_MAX, 0, 0, 11},
		{0, 0, INT32_MAX, 12},
		{INT64_MAX, INT32_MAX, INT32_MAX, 13}
	};
	int			i;
	int			j;

	for (i = 0; i < COUNT(intervals); i++)
		for (j = 0; j < COUNT(intervals); j++)
		{
			char		a[16];
			char		b[16];
			int			cmp;

			memcpy(a, &intervals[i].time, 8);
			memcpy(a + 8, &intervals[i].day, 4);
			memcpy(a + 12, &intervals[i].month, 4);
			memcpy(b, &intervals[j].time, 8);
			memcpy(b + 8, &intervals[j].day, 4);
			memcpy(b + 12, &intervals[j].month, 4);
			CHECK(rowfn_compare_text(GPUSTR_ORDER_INTERVAL, a, 16, b, 16, &cmp) == 0 &&
				  cmp == (intervals[i].rank > intervals[j].rank) - (intervals[i].rank < intervals[j].rank),
				  "intervals %d and %d", i, j);
			CHECK(rowfn_compare_text(GPUSTR_ORDER_INTERVAL, a, 15, b, 16, &cmp) == 1 &&
				  rowfn_compare_text(GPUSTR_ORDER_INTERVAL, a, 16, b, 17, &cmp) == 1, "no interval");
		}
	test_done("intervals");
}

static void
test_texts(Rng *rng)
{
	int			i;

	CHECK(rowfn_trimmed_bytes("ab  ", 4) == 2 && rowfn_trimmed_bytes("   ", 3) == 0 &&
		  rowfn_trimmed_bytes("", 0) == 0 && rowfn_trimmed_bytes(" a", 2) == 2 &&
		  rowfn_trimmed_bytes("a\t", 2) == 2, "trim");
	CHECK(rowfn_char_count("a\303\251\344\270\255\360\237\231\202", 10, GPUSTR_ENC_UTF8) == 4 &&
		  rowfn_char_count("a\303\251\344\270\255\360\237\231\202", 10, GPUSTR_ENC_SINGLE_BYTE) == 10 &&
		  rowfn_char_count("", 0, GPUSTR_ENC_UTF8) == 0, "characters");
	for (i = 0; i < test_rounds(20000); i++)
	{
		char		text[200];
		int32_t		len = test_text(rng, text, test_length(rng, 200), TEST_ALL_LETTERS);
		int32_t		at = 0;
		int32_t		n = 0;

		for (; at < len; n++)
			at += naive_char_bytes(text + at, len - at, GPUSTR_ENC_UTF8);
		CHECK(rowfn_char_count(text, len, GPUSTR_ENC_UTF8) == n, "%d characters", n);
	}
	test_done("trailing blanks and characters");
}

int
main(void)
{
	Rng			rng = rng_make(test_seed());

	test_load(&rng);
	test_integers();
	test_floats(&rng);
	test_casts(&rng);
	test_orders(&rng);
	test_intervals();
	test_texts(&rng);
	return test_exit();
}
