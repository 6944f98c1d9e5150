/*-------------------------------------------------------------------------
 *
 * test_numeric.c
 *	  Numerics are ordered as the decimal numbers that they stand for.
 *
 * Decimal numbers are made as strings, compared as strings, and stored as
 * PostgreSQL would, in either format, with and without stray zero digits.
 * Each lies at the end of an allocation of its own, for ASan.
 *
 * IDENTIFICATION
 *	  test/unit/test_numeric.c
 *
 *-------------------------------------------------------------------------
 */
#include "heap_gen.h"
#include "naive_values.h"
#include "rowfn/compare.h"
#include "test_common.h"

/* Digits before and after the point: multiples of 4. */
#define BEFORE 24
#define AFTER 24

/* A number: BEFORE + AFTER decimal digits and a sign. */
typedef struct Decimal
{
	int			sign;			/* -1, 1; 0 for zero */
	char		digit[BEFORE + AFTER + 1];
} Decimal;

/* Bytes of a numeric. */
typedef struct Stored
{
	char	   *bytes;
	int32_t		n;
} Stored;

/* A copy without room to spare, at an odd address at times. */
static Stored
store(const void *bytes, int32_t n, int shift)
{
	Stored		stored;

	stored.bytes = (char *) malloc((size_t) (n + shift)) + shift;
	stored.n = n;
	memcpy(stored.bytes, bytes, (size_t) n);
	return stored;
}

static void
release(Stored stored, int shift)
{
	free(stored.bytes - shift);
}

/* A random number of few digits, which are often 0 or 9. */
static Decimal
make_decimal(Rng *rng)
{
	Decimal		d;
	int			first = BEFORE - 1 - rng_below(rng, rng_one_in(rng, 3) ? BEFORE : 3) + rng_below(rng, 8);
	int			n = rng_below(rng, rng_one_in(rng, 3) ? 20 : 4);
	int			i;

	memset(d.digit, '0', BEFORE + AFTER);
	d.digit[BEFORE + AFTER] = '\0';
	d.sign = 0;
	for (i = first; i < first + n && i < BEFORE + AFTER; i++)
	{
		d.digit[i] = "0019"[rng_below(rng, 4)];
		if (d.digit[i] == '1')
			d.digit[i] = (char) ('0' + rng_below(rng, 10));
		if (d.digit[i] != '0')
			d.sign = 1;
	}
	if (rng_one_in(rng, 2))
		d.sign = -d.sign;
	return d;
}

static int
compare_decimals(const Decimal *a, const Decimal *b)
{
	int			cmp = strcmp(a->digit, b->digit);

	if (a->sign != b->sign)
		return a->sign < b->sign ? -1 : 1;
	return (cmp > 0 ? 1 : cmp < 0 ? -1 : 0) * a->sign;
}

/* Store it.  stray: keep up to so many zero digits at either end. */
static Stored
store_decimal(Rng *rng, const Decimal *d, int stray, int shift)
{
	uint16_t	words[(BEFORE + AFTER) / 4 + 2];
	uint16_t	digits[(BEFORE + AFTER) / 4];
	int			weight = BEFORE / 4 - 1;
	int			first = 0;
	int			end = (BEFORE + AFTER) / 4;
	int			n = 0;
	uint32_t	dscale = (uint32_t) rng_below(rng, 64);
	int			i;

	for (i = 0; i < end; i++)
		digits[i] = (uint16_t) ((d->digit[4 * i] - '0') * 1000 + (d->digit[4 * i + 1] - '0') * 100 +
								(d->digit[4 * i + 2] - '0') * 10 + (d->digit[4 * i + 3] - '0'));
	while (first < end && digits[first] == 0)
		first++;
	while (end > first && digits[end - 1] == 0)
		end--;
	if (first == end)
		weight = rng_below(rng, 3) - 1; /* zero: arbitrary */
	else
	{
		for (i = rng_below(rng, stray + 1); i > 0 && first > 0; i--)
			first--;
		for (i = rng_below(rng, stray + 1); i > 0 && end < (BEFORE + AFTER) / 4; i--)
			end++;
		weight -= first;
	}
	if (rng_one_in(rng, 2))
		words[n++] = (uint16_t) (0x8000 | (d->sign < 0 ? 0x2000 : 0) | dscale << 7 | ((uint32_t) weight & 0x7F));
	else
	{
		words[n++] = (uint16_t) ((d->sign < 0 ? 0x4000 : 0) | dscale * 3);
		words[n++] = (uint16_t) weight;
	}
	for (i = first; i < end; i++)
		words[n++] = digits[i];
	return store(words, 2 * n, shift);
}

static void
test_decimals(Rng *rng)
{
	int			equal = 0;
	int			i;

	for (i = 0; i < test_rounds(300000); i++)
	{
		Decimal		a = make_decimal(rng);
		Decimal		b = make_decimal(rng);
		int			stray = rng_below(rng, 3);
		int			shift = rng_below(rng, 2);
		Stored		x;
		Stored		y;
		int			cmp;

		if (rng_one_in(rng, 3))
		{
			int			at = rng_below(rng, BEFORE + AFTER);

			/* nearly the same */
			b = a;
			if (a.sign != 0 && b.digit[at] != '0' && b.digit[at] != '1' && rng_one_in(rng, 2))
				b.digit[at]--;
		}
		x = store_decimal(rng, &a, stray, shift);
		y = store_decimal(rng, &b, stray, 1 - shift);
		CHECK(rowfn_compare_numeric(x.bytes, x.n, y.bytes, y.n, &cmp) == 0, "recheck");
		CHECK(cmp == compare_decimals(&a, &b), "%d %s and %d %s: %d", a.sign, a.digit, b.sign, b.digit, cmp);
		equal += cmp == 0;
		release(x, shift);
		release(y, 1 - shift);
	}
	CHECK(equal > test_rounds(300000) / 20, "only %d equal", equal);
	test_done("decimal numbers");
}

/* Headers at their limits, as numeric.c describes them, in order. */
static void
test_special(void)
{
	static const struct
	{
		uint16_t	word[4];
		int			nwords;
		int			rank;
	}			values[] = {
		{{0xF000}, 1, 0},		/* -infinity */
		{{0x4000, 0x7FFF, 1}, 3, 1},	/* -10000^32767 */
		{{0xA03F, 1}, 2, 2},	/* -10000^63 */
		{{0xA000, 1}, 2, 3},	/* -1 */
		{{0x4000, 0, 1}, 3, 3}, /* -1, long */
		{{0x7FFF, 0, 1}, 3, 3}, /* -1, the largest scale */
		{{0xA07F, 1}, 2, 4},	/* -0.0001 */
		{{0xA040, 1}, 2, 5},	/* -10000^-64 */
		{{0x4000, 0x8000, 1}, 3, 6},	/* -10000^-32768 */
		{{0x8000}, 1, 7},		/* 0 */
		{{0x8100}, 1, 7},		/* 0.00 */
		{{0xA000}, 1, 7},		/* -0, which is not stored */
		{{0x0000, 0}, 2, 7},	/* 0, long */
		{{0x0000, 0x8000, 1}, 3, 8},
		{{0x8040, 1}, 2, 9},
		{{0x807F, 1}, 2, 10},
		{{0x8000, 1}, 2, 11},
		{{0x9F80, 1}, 2, 11},	/* the largest short scale */
		{{0x8000, 1, 1}, 3, 12},	/* 1.0001 */
		{{0x8000, 9999}, 2, 13},
		{{0x8001, 1}, 2, 14},	/* 10000 */
		{{0x0000, 0x7FFF, 1}, 3, 15},
		{{0xD000}, 1, 16},		/* infinity */
		{{0xC000}, 1, 17},		/* NaN */
		{{0xC000, 0}, 2, 17}	/* NaN of older releases */
	};
	int			n = (int) (sizeof(values) / sizeof(values[0]));
	int			i;
	int			j;

	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
		{
			Stored		a = store(values[i].word, 2 * values[i].nwords, 0);
			Stored		b = store(values[j].word, 2 * values[j].nwords, 1);
			int			cmp;

			CHECK(rowfn_compare_text(GPUSTR_ORDER_NUMERIC, a.bytes, a.n, b.bytes, b.n, &cmp) == 0 &&
				  cmp == (values[i].rank > values[j].rank) - (values[i].rank < values[j].rank),
				  "values %d and %d", i, j);
			release(a, 0);
			release(b, 1);
		}
	test_done("special values and headers");
}

/* What is no numeric is recheck, on either side. */
static void
test_no_numeric(void)
{
	static const struct
	{
		unsigned char byte[4];
		int32_t		n;
	}			bad[] = {
		{{0}, 0}, {{0}, 1}, {{0, 0x80, 1}, 3}, {{0, 0}, 2}, {{0, 0x40}, 2}, {{0, 0, 0}, 3},
		{{1, 0xC0}, 2}, {{0, 0xE0}, 2}, {{0, 0xC8}, 2}, {{1, 0xD0}, 2}, {{0xFF, 0xFF}, 2}
	};
	static const char one[4] = {0, (char) 0x80, 1, 0};
	static const char nan[2] = {0, (char) 0xC0};
	int			i;

	for (i = 0; i < (int) (sizeof(bad) / sizeof(bad[0])); i++)
	{
		Stored		a = store(bad[i].byte, bad[i].n, 1);
		int			cmp;

		CHECK(rowfn_compare_numeric(a.bytes, a.n, one, 4, &cmp) == 1, "case %d", i);
		CHECK(rowfn_compare_numeric(one, 4, a.bytes, a.n, &cmp) == 1, "case %d", i);
		CHECK(rowfn_compare_numeric(nan, 2, a.bytes, a.n, &cmp) == 1, "case %d", i);
		CHECK(rowfn_compare_numeric(a.bytes, a.n, a.bytes, a.n, &cmp) == 1, "case %d", i);
		release(a, 1);
	}
	test_done("bytes that are no numeric");
}

/* Any bytes: no wrong access, and the same answer from left and right. */
static void
test_random(Rng *rng)
{
	int			i;

	for (i = 0; i < test_rounds(300000); i++)
	{
		char		bytes[2][32];
		Stored		stored[2];
		int			cmp;
		int			back;
		int			want;
		int			recheck;
		int			k;

		for (k = 0; k < 2; k++)
		{
			int32_t		n = heap_gen_numeric(rng, bytes[k]);

			while (rng_one_in(rng, 4) && n > 0)
				bytes[k][rng_below(rng, n)] = (char) rng_next(rng);
			stored[k] = store(bytes[k], n, k);
		}
		recheck = rowfn_compare_numeric(stored[0].bytes, stored[0].n, stored[1].bytes, stored[1].n, &cmp);
		CHECK(recheck == !naive_compare_numeric(stored[0].bytes, stored[0].n, stored[1].bytes, stored[1].n, &want) &&
			  (recheck || cmp == want), "%d %d, not %d", recheck, cmp, want);
		CHECK(rowfn_compare_numeric(stored[1].bytes, stored[1].n, stored[0].bytes, stored[0].n, &back) == recheck &&
			  (recheck || back == -cmp), "%d and back %d", cmp, back);
		release(stored[0], 0);
		release(stored[1], 1);
	}
	test_done("random bytes");
}

int
main(void)
{
	Rng			rng = rng_make(test_seed());

	test_decimals(&rng);
	test_special();
	test_no_numeric();
	test_random(&rng);
	return test_exit();
}
