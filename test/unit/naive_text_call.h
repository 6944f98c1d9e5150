/*-------------------------------------------------------------------------
 *
 * naive_text_call.h
 *	  Plain answers to calls of functions of texts: the calls.
 *
 * Digests are calculated as RFC 1321 and FIPS 180-4 write them, on a padded copy
 * of the message, with constants from sines and roots.
 *
 * IDENTIFICATION
 *	  test/unit/naive_text_call.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_TEST_NAIVE_TEXT_CALL_H
#define GPUSTR_TEST_NAIVE_TEXT_CALL_H

#include "naive_extents.h"
#include "naive_numbers.h"

/* A copy of the message, padded; big: its length in bits is big-endian. */
static inline unsigned char *
naive_padded(RowfnText text, int big, size_t *bytes)
{
	size_t		n = ((size_t) text.len + 8) / 64 * 64 + 64;
	unsigned char *padded = (unsigned char *) calloc(n, 1);
	uint64_t	bits = 8 * (uint64_t) text.len;
	int			i;

	if (text.len > 0)
		memcpy(padded, text.s, (size_t) text.len);
	padded[text.len] = 0x80;
	for (i = 0; i < 8; i++)
		padded[n - 8 + (size_t) i] = (unsigned char) (bits >> 8 * (big ? 7 - i : i));
	*bytes = n;
	return padded;
}

static inline void
naive_md5(NaiveAnswer *answer, RowfnText text)
{
	static const int turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
	uint32_t	h[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
	unsigned char digest[16];
	size_t		bytes;
	unsigned char *padded = naive_padded(text, 0, &bytes);
	size_t		at;
	int			i;

	for (at = 0; at < bytes; at += 64)
	{
		uint32_t	v[4];

		memcpy(v, h, sizeof(v));
		for (i = 0; i < 64; i++)
		{
			static const int factor[] = {1, 5, 3, 7};
			static const int add[] = {0, 1, 5, 0};
			int			round = i / 16;
			const unsigned char *m = padded + at + 4 * ((factor[round] * i + add[round]) % 16);
			uint32_t	word = m[0] | (uint32_t) m[1] << 8 | (uint32_t) m[2] << 16 | (uint32_t) m[3] << 24;
			uint32_t	f = round == 0 ? (v[1] & v[2]) | (~v[1] & v[3]) :
			round == 1 ? (v[3] & v[1]) | (~v[3] & v[2]) :
			round == 2 ? v[1] ^ v[2] ^ v[3] : v[2] ^ (v[1] | ~v[3]);
			uint32_t	sum = v[0] + f + word + (uint32_t) floor(fabs(sin(i + 1)) * 4294967296.0);
			int			turn = turns[round][i % 4];

			v[0] = v[3];
			v[3] = v[2];
			v[2] = v[1];
			v[1] += sum << turn | sum >> (32 - turn);
		}
		for (i = 0; i < 4; i++)
			h[i] += v[i];
	}
	for (i = 0; i < 16; i++)
		digest[i] = (unsigned char) (h[i / 4] >> 8 * (i % 4));
	naive_hex(answer, (const char *) digest, 16);
	free(padded);
}

/* The first 32 bits of the fraction of a root of the i-th prime, from 0. */
static inline uint32_t
naive_prime_root(int i, int cube)
{
	int			prime = 1;
	int			d;
	long double root;

	for (i++; i > 0; i--)
		do
		{
			prime++;
			for (d = 2; prime % d != 0; d++)
				;
		} while (d != prime);
	root = cube ? cbrtl((long double) prime) : sqrtl((long double) prime);
	return (uint32_t) ((root - floorl(root)) * 4294967296.0L);
}

static inline uint32_t
naive_turn(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

static inline void
naive_sha256(NaiveAnswer *answer, RowfnText text)
{
	static uint32_t k[64];
	uint32_t	h[8];
	unsigned char digest[32];
	size_t		bytes;
	unsigned char *padded = naive_padded(text, 1, &bytes);
	size_t		at;
	int			i;

	for (i = 0; i < 64 && k[63] == 0; i++)
		k[i] = naive_prime_root(i, 1);
	for (i = 0; i < 8; i++)
		h[i] = naive_prime_root(i, 0);
	for (at = 0; at < bytes; at += 64)
	{
		uint32_t	w[64];
		uint32_t	a[8];

		memcpy(a, h, sizeof(a));
		for (i = 0; i < 64; i++)
		{
			const unsigned char *m = padded + at + 4 * (i % 16);
			uint32_t	t1;
			uint32_t	t2;

			if (i < 16)
				w[i] = (uint32_t) m[0] << 24 | (uint32_t) m[1] << 16 | (uint32_t) m[2] << 8 | m[3];
			else
				w[i] = w[i - 16] + w[i - 7] +
					(naive_turn(w[i - 15], 7) ^ naive_turn(w[i - 15], 18) ^ w[i - 15] >> 3) +
					(naive_turn(w[i - 2], 17) ^ naive_turn(w[i - 2], 19) ^ w[i - 2] >> 10);
			t1 = a[7] + (naive_turn(a[4], 6) ^ naive_turn(a[4], 11) ^ naive_turn(a[4], 25)) +
				((a[4] & a[5]) ^ (~a[4] & a[6])) + k[i] + w[i];
			t2 = (naive_turn(a[0], 2) ^ naive_turn(a[0], 13) ^ naive_turn(a[0], 22)) +
				((a[0] & a[1]) ^ (a[0] & a[2]) ^ (a[1] & a[2]));
			memmove(&a[1], &a[0], 7 * sizeof(a[0]));
			a[0] = t1 + t2;
			a[4] += t1;
		}
		for (i = 0; i < 8; i++)
			h[i] += a[i];
	}
	for (i = 0; i < 32; i++)
		digest[i] = (unsigned char) (h[i / 4] >> (24 - 8 * (i % 4)));
	naive_add(answer, (const char *) digest, 32);
	free(padded);
}

static inline void
naive_position(NaiveAnswer *answer, const NaiveChars *chars, const NaiveChars *what)
{
	int32_t		i;

	answer->value = what->n == 0;
	for (i = chars->n - 1; i >= 0; i--)
		if (naive_stands(chars, i, what))
			answer->value = i + 1;
}

static inline void
naive_slice(int function, const RowfnArgs *args, const NaiveChars *chars, NaiveAnswer *answer)
{
	const NaiveChars *text = &chars[0];
	int64_t		v1 = args->value[1];
	int64_t		v2 = args->value[2];

	switch (function)
	{
		case GPUSTR_TEXT_SUBSTR:
			answer->recheck = !naive_is_int4(v1) || !naive_is_int4(v2) || v2 < 0;
			if (!answer->recheck)
				naive_add_range(answer, text, v1, v1 + v2);
			break;
		case GPUSTR_TEXT_SUBSTR_FROM:
			answer->recheck = !naive_is_int4(v1);
			naive_add_range(answer, text, v1, INT32_MAX);
			break;
		case GPUSTR_TEXT_LEFT:
			answer->recheck = !naive_is_int4(v1);
			if (!answer->recheck)
				naive_add_range(answer, text, 1, (v1 < 0 ? text->n + v1 : v1) + 1);
			break;
		case GPUSTR_TEXT_RIGHT:
			answer->recheck = !naive_is_int4(v1) || v1 == INT32_MIN;
			if (!answer->recheck)
				naive_add_range(answer, text, (v1 < 0 ? -v1 : text->n - v1) + 1, INT32_MAX);
			break;
		case GPUSTR_TEXT_BTRIM:
			naive_trim(answer, text, &chars[1], 1, 1);
			break;
		case GPUSTR_TEXT_LTRIM:
			naive_trim(answer, text, &chars[1], 1, 0);
			break;
		case GPUSTR_TEXT_RTRIM:
			naive_trim(answer, text, &chars[1], 0, 1);
			break;
		default:				/* SPLIT_PART */
			answer->recheck = !naive_is_int4(v2) || v2 == 0;
			if (!answer->recheck)
				naive_split_part(answer, text, &chars[1], v2);
			break;
	}
}

/* The map after this one. */
static inline const GpustrCaseMap *
naive_next_map(const char *constant)
{
	const GpustrCaseMap *map = (const GpustrCaseMap *) constant;

	return (const GpustrCaseMap *) (constant + GPUSTR_CASE_MAP_BYTES(map->npairs));
}

static inline void
naive_number(int function, int64_t v, int32_t encoding, NaiveAnswer *answer)
{
	char		number[40];

	switch (function)
	{
		case GPUSTR_TEXT_CHR:
			answer->recheck = v < 1 || v > (encoding == GPUSTR_ENC_UTF8 ? 0x10FFFF : 255) ||
				(v >= 0xD800 && v < 0xE000);
			if (!answer->recheck)
				naive_add_code(answer, (uint32_t) v, encoding);
			return;
		case GPUSTR_TEXT_FROM_DATE:
			naive_date(answer, v);
			return;
		case GPUSTR_TEXT_FROM_FLOAT4:
		case GPUSTR_TEXT_FROM_FLOAT8:
			naive_from_float(answer, v, function == GPUSTR_TEXT_FROM_FLOAT4);
			return;
		case GPUSTR_TEXT_FROM_TIMESTAMP:
			naive_timestamp(answer, v);
			return;
		case GPUSTR_TEXT_TO_HEX4:
			snprintf(number, sizeof(number), "%x", (unsigned) (uint32_t) v);
			break;
		case GPUSTR_TEXT_TO_HEX8:
			snprintf(number, sizeof(number), "%llx", (unsigned long long) v);
			break;
		case GPUSTR_TEXT_FROM_INT:
			snprintf(number, sizeof(number), "%lld", (long long) v);
			break;
		default:				/* FROM_BOOL */
			strcpy(number, v != 0 ? "true" : "false");
			break;
	}
	naive_add(answer, number, (int32_t) strlen(number));
}

static inline void
naive_make(int function, const RowfnArgs *args, const NaiveChars *chars, NaiveAnswer *answer)
{
	const RowfnText *text = args->text;
	const GpustrCaseMap *map = (const GpustrCaseMap *) args->constant;
	int64_t		i;

	switch (function)
	{
		case GPUSTR_TEXT_UPPER:
		case GPUSTR_TEXT_LOWER:
			naive_case_text(answer, &chars[0], map, NULL, args->encoding);
			break;
		case GPUSTR_TEXT_INITCAP:
			naive_case_text(answer, &chars[0], map, naive_next_map(args->constant), args->encoding);
			break;
		case GPUSTR_TEXT_CONCAT:
			naive_add(answer, text[0].s, text[0].len);
			naive_add(answer, text[1].s, text[1].len);
			break;
		case GPUSTR_TEXT_REPLACE:
			naive_replace(answer, &chars[0], &chars[1], text[2]);
			break;
		case GPUSTR_TEXT_TRANSLATE:
			naive_translate(answer, &chars[0], &chars[1], &chars[2]);
			break;
		case GPUSTR_TEXT_LPAD:
		case GPUSTR_TEXT_RPAD:
			answer->recheck = !naive_is_int4(args->value[1]);
			if (!answer->recheck)
				naive_pad(answer, &chars[0], args->value[1], &chars[2], function == GPUSTR_TEXT_LPAD,
						  args->encoding);
			break;
		case GPUSTR_TEXT_REPEAT:
			answer->recheck = !naive_is_int4(args->value[1]) ||
				text[0].len * (double) args->value[1] > NAIVE_TEXT_BYTES;
			if (text[0].len * (double) args->value[1] > NAIVE_MAX_BYTES)
				answer->value = answer->recheck ? 0 : args->value[1] * text[0].len;
			else
				for (i = 0; !answer->recheck && i < args->value[1] && text[0].len > 0; i++)
					naive_add(answer, text[0].s, text[0].len);
			break;
		case GPUSTR_TEXT_REVERSE:
			for (i = chars[0].n - 1; i >= 0; i--)
				naive_add_char(answer, &chars[0], (int32_t) i);
			break;
		case GPUSTR_TEXT_FROM_UUID:
			answer->recheck = text[0].len != 16;
			for (i = 0; !answer->recheck && i < 16; i++)
			{
				if (i == 4 || i == 6 || i == 8 || i == 10)
					naive_add(answer, "-", 1);
				naive_hex(answer, text[0].s + i, 1);
			}
			break;
		case GPUSTR_TEXT_FROM_NUMERIC:
			naive_numeric(answer, text[0]);
			break;
		case GPUSTR_TEXT_TO_UUID:
			naive_to_uuid(answer, text[0]);
			break;
		case GPUSTR_TEXT_HEX:
			naive_hex(answer, text[0].s, text[0].len);
			break;
		case GPUSTR_TEXT_MD5:
			naive_md5(answer, text[0]);
			break;
		case GPUSTR_TEXT_SHA256:
			naive_sha256(answer, text[0]);
			break;
		default:
			naive_number(function, args->value[0], args->encoding, answer);
			break;
	}
}

static inline void
naive_measure(int function, const RowfnArgs *args, const NaiveChars *chars, NaiveAnswer *answer)
{
	const RowfnText *text = args->text;

	switch (function)
	{
		case GPUSTR_TEXT_POSITION:
			naive_position(answer, &chars[0], &chars[1]);
			break;
		case GPUSTR_TEXT_ASCII:
			answer->value = chars[0].n == 0 ? 0 : naive_code(text[0].s, chars[0].off[1]);
			break;
		case GPUSTR_TEXT_TO_INT2:
			naive_to_int(answer, text[0], INT16_MIN, INT16_MAX);
			break;
		case GPUSTR_TEXT_TO_INT4:
			naive_to_int(answer, text[0], INT32_MIN, INT32_MAX);
			break;
		case GPUSTR_TEXT_TO_INT8:
			naive_to_int(answer, text[0], INT64_MIN, INT64_MAX);
			break;
		case GPUSTR_TEXT_TO_FLOAT4:
		case GPUSTR_TEXT_TO_FLOAT8:
			naive_to_float(answer, text[0], function == GPUSTR_TEXT_TO_FLOAT4);
			break;
		case GPUSTR_TEXT_GET_BYTE:
			answer->recheck = args->value[1] < 0 || args->value[1] >= text[0].len;
			if (!answer->recheck)
				answer->value = (unsigned char) text[0].s[args->value[1]];
			break;
		default:				/* TO_DATE */
			naive_to_date(answer, text[0]);
			break;
	}
}

/* Call a function.  Arguments are valid texts of at most NAIVE_MAX_CHARS. */
static inline void
naive_text_function(int function, const RowfnArgs *args, NaiveAnswer *answer)
{
	static NaiveChars chars[3];
	const char *shape = gpustr_text_function_shape(function);
	int			i;

	answer->recheck = 0;
	answer->value = 0;
	for (i = 0; i < 3 && shape[i] != '\0'; i++)
		if (shape[i] == 'T')
			naive_chars(args->text[i], args->encoding, &chars[i]);
	if (function == GPUSTR_TEXT_REGEX_SUBSTR || function == GPUSTR_TEXT_REGEX_REPLACE ||
		function == GPUSTR_TEXT_REGEX_COUNT || function == GPUSTR_TEXT_REGEX_INSTR)
		naive_extents(function, args, chars, answer);
	else if (function <= GPUSTR_TEXT_SLICE_LAST)
		naive_slice(function, args, chars, answer);
	else if (function <= GPUSTR_TEXT_MAKE_LAST)
	{
		naive_make(function, args, chars, answer);
		answer->recheck |= answer->value > NAIVE_TEXT_BYTES;
	}
	else
		naive_measure(function, args, chars, answer);
}

#endif							/* GPUSTR_TEST_NAIVE_TEXT_CALL_H */
