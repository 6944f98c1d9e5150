/*-------------------------------------------------------------------------
 *
 * text_gen.h
 *	  Random arguments of functions of texts.
 *
 * IDENTIFICATION
 *	  test/unit/text_gen.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_TEST_TEXT_GEN_H
#define GPUSTR_TEST_TEXT_GEN_H

#include "extents_gen.h"
#include "rowfn/text_args.h"

/* The most bytes of a text that is made here, and of a constant, which may be two case maps. */
#define TEXT_GEN_BYTES 200
#define TEXT_GEN_MAP_BYTES (2 * (int) GPUSTR_CASE_MAP_BYTES(8) + EXTENTS_GEN_BYTES)

/* The characters of test_letters from 128 on; those of LATIN1 are among them. */
static const uint32_t text_gen_codes[] = {0xE8, 0xE9, 0x301, 0x4E2D, 0x4E2E, 0x1F642};

/*
 * A random map: some ASCII letters change, or are not known, and some of the
 * rest.  Returns its bytes.
 */
static inline TEST_UNUSED uint32_t
text_gen_map(Rng *rng, char *to, int32_t encoding)
{
	static const uint32_t changed[] = {'a', 'S', 0xC8, 0xC9, 0xE9, GPUSTR_CASE_RECHECK, 0x4E2D, 0x1F600};
	GpustrCaseMap *map = (GpustrCaseMap *) to;
	int			ncodes = encoding == GPUSTR_ENC_UTF8 ? 6 : 2;
	int			nchanged = encoding == GPUSTR_ENC_UTF8 ? 8 : 6;
	int			c;

	memset(to, 0, GPUSTR_CASE_MAP_BYTES(8));
	for (c = 0; c < 128; c++)
		map->ascii[c] = (uint8_t) (rng_one_in(rng, 2) && c >= 'a' && c <= 'z' ? c - 32 : c);
	if (rng_one_in(rng, 8))
		map->ascii[rng_one_in(rng, 2) ? 'b' : 'x'] = 0xFF;
	map->others_stay = rng_one_in(rng, 2);
	for (c = 0; c < ncodes; c++)
	{
		if (rng_one_in(rng, 2))
			continue;
		map->pairs[map->npairs].from = text_gen_codes[c];
		map->pairs[map->npairs++].to = rng_one_in(rng, 3) ? text_gen_codes[c] : changed[rng_below(rng, nchanged)];
	}
	if (rng_one_in(rng, 4))
	{
		map->npairs = 0;		/* as of collation C */
		map->others_stay = 1;
	}
	return GPUSTR_CASE_MAP_BYTES(map->npairs);
}

/* The constant that a function needs.  Returns its bytes; 0: none. */
static inline TEST_UNUSED uint32_t
text_gen_constant(Rng *rng, int function, int32_t encoding, char *to)
{
	uint32_t	bytes;

	if (function == GPUSTR_TEXT_REGEX_SUBSTR || function == GPUSTR_TEXT_REGEX_REPLACE ||
		function == GPUSTR_TEXT_REGEX_COUNT || function == GPUSTR_TEXT_REGEX_INSTR)
		return extents_gen(rng, encoding, to);
	if (function != GPUSTR_TEXT_UPPER && function != GPUSTR_TEXT_LOWER && function != GPUSTR_TEXT_INITCAP)
		return 0;
	bytes = text_gen_map(rng, to, encoding);
	if (function == GPUSTR_TEXT_INITCAP)
		bytes += text_gen_map(rng, to + bytes, encoding);
	return bytes;
}

/* A number of characters, or which field. */
static inline TEST_UNUSED int64_t
text_gen_count(Rng *rng)
{
	static const int64_t many[] = {
		INT32_MIN, INT32_MIN + 1, INT32_MAX - 1, INT32_MAX, INT64_C(2147483648), INT64_MIN, INT64_MAX, 268435455
	};

	return rng_one_in(rng, 12) ? many[rng_below(rng, 8)] : rng_below(rng, rng_one_in(rng, 4) ? 200 : 12) - 5;
}

/* Any number. */
static inline TEST_UNUSED int64_t
text_gen_number(Rng *rng)
{
	static const int64_t limits[] = {
		INT16_MIN, INT16_MAX, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX, 0xD7FF, 0xDFFF, 0x10FFFF, -2451545, 2145031948
	};
	int64_t		number = (int64_t) ((uint64_t) rng_next(rng) << 32 | rng_next(rng)) >> rng_below(rng, 64);

	if (rng_one_in(rng, 6))
		number = (int64_t) ((uint64_t) limits[rng_below(rng, 11)] + (uint64_t) (rng_below(rng, 5) - 2));
	return number;
}

/* A number or a date as text, or nearly one; at most 40 bytes. */
static inline TEST_UNUSED int32_t
text_gen_number_text(Rng *rng, char *to)
{
	static const char blanks[] = " \t\n\v\f\rx";
	int32_t		n = 0;
	int			i;

	for (i = rng_one_in(rng, 4) ? rng_below(rng, 3) : 0; i > 0; i--)
		to[n++] = blanks[rng_below(rng, 6)];
	if (rng_one_in(rng, 3))
		n += snprintf(to + n, 30, "%04d-%02d-%02d", rng_below(rng, rng_one_in(rng, 9) ? 12000 : 2400),
					  rng_below(rng, 14), rng_below(rng, 33));
	else
		n += snprintf(to + n, 30, rng_one_in(rng, 6) ? "%+lld" : "%lld", (long long) text_gen_number(rng));
	for (i = rng_one_in(rng, 4) ? rng_below(rng, 3) : 0; i > 0; i--)
		to[n++] = blanks[rng_below(rng, 7)];
	if (rng_one_in(rng, 12) && n > 0)
		to[rng_below(rng, n)] = "+-.0x 9"[rng_below(rng, 7)];
	return n;
}

/* The bits of a float, as a double; float4: of one that is a float4. */
static inline TEST_UNUSED int64_t
text_gen_float(Rng *rng, int is_float4)
{
	static const double edges[] = {
		0.0, -0.0, 1e15, 1e-4, 1e-5, 999999, 1e6, 16777216, 16777220, 9007199254740991.0, 9007199254740992.0, 2.9103830456733704e-11, 4503599627370496.0, 2251799813685248.0
	};
	double		number;
	int64_t		bits;

	if (rng_one_in(rng, 4))
	{
		/* of few digits */
		number = (double) (text_gen_number(rng) % 10000000);
		for (bits = rng_below(rng, 10); bits > 0; bits--)
			number /= 10;
	}
	else if (rng_one_in(rng, 8))
		number = edges[rng_below(rng, 14)];
	else
	{
		bits = (int64_t) ((uint64_t) rng_next(rng) << 32 | rng_next(rng));
		if (rng_one_in(rng, 4))
			bits = (int64_t) ((uint64_t) bits >> 40 << 40);
		if (rng_one_in(rng, 12))
			bits &= ~((INT64_C(1) << 52) - 1);
		if (!rng_one_in(rng, 12))
			bits = (bits & ~(INT64_C(0x7FF) << 52)) | (int64_t) (1023 - 37 + rng_below(rng, 93)) << 52;
		memcpy(&number, &bits, sizeof(number));
	}
	if (is_float4)
		number = (double) (float) number;
	if (number != number)
		return INT64_C(0x7FF8000000000000);
	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

/* A float as text, or nearly one; at most 60 bytes. */
static inline TEST_UNUSED int32_t
text_gen_float_text(Rng *rng, char *to)
{
	int64_t		bits = text_gen_float(rng, rng_one_in(rng, 2));
	double		number;
	int32_t		n = 0;

	memcpy(&number, &bits, sizeof(number));
	if (rng_one_in(rng, 8))
		to[n++] = " \t\n+"[rng_below(rng, 4)];
	if (rng_one_in(rng, 3))
		n += snprintf(to + n, 40, "%.*g", 1 + rng_below(rng, 20), number);
	else
	{
		int			digits = 1 + rng_below(rng, 21);
		int			point = rng_below(rng, 24);

		for (; digits > 0; digits--, point--)
		{
			if (point == 0)
				to[n++] = '.';
			to[n++] = (char) ('0' + (rng_one_in(rng, 3) ? 0 : rng_below(rng, 10)));
		}
		if (rng_one_in(rng, 2))
			n += snprintf(to + n, 12, "%c%d", rng_one_in(rng, 2) ? 'e' : 'E', rng_below(rng, 70) - 35);
	}
	if (rng_one_in(rng, 8))
		to[n++] = ' ';
	if (rng_one_in(rng, 12))
		to[rng_below(rng, n)] = "+-.e0x 9"[rng_below(rng, 8)];
	return n;
}

/* A uuid as text, or nearly one. */
static inline TEST_UNUSED int32_t
text_gen_uuid_text(Rng *rng, char *to)
{
	int			braces = rng_one_in(rng, 3);
	int			hyphens = rng_below(rng, 3);	/* none, the usual ones, any */
	int32_t		n = 0;
	int			i;

	if (braces)
		to[n++] = '{';
	for (i = 0; i < 32; i++)
	{
		if (i > 0 && i % 4 == 0 && (hyphens == 1 ? i >= 8 && i <= 20 : hyphens == 2 && rng_one_in(rng, 2)))
			to[n++] = '-';
		to[n++] = "0123456789abcdefABCDEF"[rng_below(rng, 22)];
	}
	if (braces)
		to[n++] = '}';
	if (rng_one_in(rng, 4))
		to[rng_below(rng, n)] = "-{} g0"[rng_below(rng, 6)];
	return rng_one_in(rng, 12) ? rng_below(rng, n) : n;
}

/* A numeric as it is stored, or nearly one; at most TEXT_GEN_BYTES bytes. */
static inline TEST_UNUSED int32_t
text_gen_numeric(Rng *rng, char *to)
{
	unsigned char *p = (unsigned char *) to;
	int32_t		n = 2;
	int			i;

	p[0] = (unsigned char) rng_next(rng);
	p[1] = (unsigned char) (0x80 | (rng_next(rng) & 0x3F));
	if (rng_one_in(rng, 3))
	{
		p[1] &= 0x41;
		p[2] = (unsigned char) (rng_below(rng, 30) - 15);
		p[3] = (unsigned char) (p[2] >= 128 ? 255 : 0);
		n = 4;
	}
	else if (rng_one_in(rng, 8))
		p[1] |= 0xC0;
	for (i = rng_below(rng, 12); i > 0; i--)
	{
		int			digit = rng_one_in(rng, 4) ? rng_below(rng, 12) * 1000 : rng_below(rng, rng_one_in(rng, 30) ? 65536 : 10000);

		p[n++] = (unsigned char) digit;
		p[n++] = (unsigned char) (digit >> 8);
	}
	return rng_one_in(rng, 20) ? rng_below(rng, n) : n;
}

/* A text, valid in the encoding; at most TEXT_GEN_BYTES bytes. */
static inline TEST_UNUSED int32_t
text_gen_text(Rng *rng, int32_t encoding, char *to)
{
	int			letters = rng_one_in(rng, 3) ? 2 : encoding == GPUSTR_ENC_UTF8 ? TEST_ALL_LETTERS : TEST_ASCII_LETTERS;
	int32_t		n = test_text(rng, to, test_length(rng, TEXT_GEN_BYTES), letters);
	int32_t		i;

	if (encoding != GPUSTR_ENC_UTF8 && rng_one_in(rng, 2))
		for (i = rng_below(rng, 4); i > 0 && n > 0; i--)
			to[rng_below(rng, n)] = (char) (rng_one_in(rng, 2) ? 0xE8 + rng_below(rng, 2) : rng_below(rng, 256));
	return n;
}

/* Spoil a text. */
static inline TEST_UNUSED void
text_gen_spoil(Rng *rng, char *text, int32_t len)
{
	static const char bytes[] = {
		'a', (char) 0x80, (char) 0xBF, (char) 0xC0, (char) 0xC3, (char) 0xE4, (char) 0xED, (char) 0xF0, (char) 0xF8,
		(char) 0xFF, 0
	};
	int			i;

	for (i = 1 + rng_below(rng, 4); i > 0 && len > 0; i--)
		text[rng_one_in(rng, 3) ? len - 1 : rng_below(rng, len)] = bytes[rng_below(rng, 11)];
}

#endif							/* GPUSTR_TEST_TEXT_GEN_H */
