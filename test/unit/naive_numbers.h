/*-------------------------------------------------------------------------
 *
 * naive_numbers.h
 *	  Plain answers to casts of floats, timestamps, numerics and uuids: by the C
 *	  library's printf() and strtod(), digit by digit, character by character.
 *
 * IDENTIFICATION
 *	  test/unit/naive_numbers.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_TEST_NAIVE_NUMBERS_H
#define GPUSTR_TEST_NAIVE_NUMBERS_H

#include <float.h>
#include <math.h>

#include "naive_text.h"

/* Does the decimal number read as this float, and as none other of its type? */
static inline int
naive_reads_as(const char *decimal, double number, int is_float4)
{
	double		read = strtod(decimal, NULL);
	float		number4 = (float) number;

	if (!is_float4)
		return read == number;
	return read > ((double) nextafterf(number4, -INFINITY) + number) / 2 &&
		read < ((double) nextafterf(number4, INFINITY) + number) / 2;
}

/* The fewest digits of a number > 0, and the power of ten of the first one. */
static inline int
naive_float_digits(double number, int is_float4, char *digits)
{
	char		decimal[64];
	int			n;
	int			up;

	for (n = 1; n <= 17; n++)
		for (up = 0; up < 2; up++)
		{
			char		next[64];
			int			power;
			uint64_t	value;

			snprintf(decimal, sizeof(decimal), "%.*e", n - 1, number);
			power = atoi(strchr(decimal, 'e') + 1);
			memmove(decimal + 1, decimal + (n > 1 ? 2 : 1), (size_t) n - 1);
			decimal[n] = '\0';
			value = strtoull(decimal, NULL, 10) + (uint64_t) up;
			snprintf(digits, 32, "%llu", (unsigned long long) value);
			power += (int) strlen(digits) - n;
			snprintf(next, sizeof(next), "%se%d", digits, power - (int) strlen(digits) + 1);
			if (!naive_reads_as(next, number, is_float4))
				continue;
			while (strlen(digits) > 1 && digits[strlen(digits) - 1] == '0')
				digits[strlen(digits) - 1] = '\0';
			return power;
		}
	return 0;
}

static inline void
naive_from_float(NaiveAnswer *answer, int64_t bits, int is_float4)
{
	double		number;
	char		digits[32];
	char		text[64] = "";
	int			power;
	int			n;

	memcpy(&number, &bits, sizeof(number));
	if (isnan(number))
		naive_add(answer, "NaN", 3);
	else if (isinf(number) || number == 0)
	{
		snprintf(text, sizeof(text), "%s%s", signbit(number) ? "-" : "", number == 0 ? "0" : "Infinity");
		naive_add(answer, text, (int32_t) strlen(text));
	}
	if (isnan(number) || isinf(number) || number == 0)
		return;
	answer->recheck = fabs(number) < 2.9103830456733704e-11 || fabs(number) >= 9007199254740992.0;
	if (answer->recheck)
		return;
	power = naive_float_digits(fabs(number), is_float4, digits);
	n = (int) strlen(digits);
	if (power < -4 || power >= (is_float4 ? 6 : 15))
		snprintf(text, sizeof(text), "%.1s%s%se%+03d", digits, n > 1 ? "." : "", digits + 1, power);
	else if (power < 0)
		snprintf(text, sizeof(text), "0.%.*s%s", -power - 1, "000", digits);
	else if (n <= power + 1)
		snprintf(text, sizeof(text), "%s%.*s", digits, power + 1 - n, "000000000000000");
	else
		snprintf(text, sizeof(text), "%.*s.%s", power + 1, digits, digits + power + 1);
	if (number < 0)
		naive_add(answer, "-", 1);
	naive_add(answer, text, (int32_t) strlen(text));
}

/* Is this a number as the casts read it, of at most 18 digits?  *k: power of the last. */
static inline int
naive_is_decimal(const char *s, uint64_t *digits, int *k)
{
	const char *e;
	int			point = 0;
	int			seen = 0;
	char		found[260] = "";
	size_t		n = 0;

	s += *s == '-' || *s == '+';
	*k = 0;
	for (; (*s >= '0' && *s <= '9') || (*s == '.' && !point); s++)
		if (*s == '.')
			point = 1;
		else
		{
			seen = 1;
			*k -= point;
			if (n > 0 || *s != '0')
				found[n++] = *s;
		}
	for (; n > 0 && found[n - 1] == '0'; n--)
		(*k)++;
	found[n] = '\0';
	*digits = strtoull(found, NULL, 10);
	if (!seen || n > 18)
		return 0;
	if (*s == '\0')
		return 1;
	if (*s != 'e' && *s != 'E')
		return 0;
	e = ++s;
	e += *e == '-' || *e == '+';
	n = strlen(e);
	*k += atoi(s);
	return n >= 1 && n <= 4 && strspn(e, "0123456789") == n;
}

static inline void
naive_to_float(NaiveAnswer *answer, RowfnText text, int is_float4)
{
	char		copy[256];
	uint64_t	digits;
	int			k;
	double		number;
	int64_t		bits;
	int32_t		n = text.len;

	while (n > 0 && strchr(" \t\n\v\f\r", text.s[n - 1]) != NULL && text.s[n - 1] != '\0')
		n--;
	while (n > 0 && strchr(" \t\n\v\f\r", text.s[0]) != NULL && text.s[0] != '\0')
	{
		text.s++;
		n--;
	}
	answer->recheck = 1;
	if (n >= (int32_t) sizeof(copy) || (n > 0 && memchr(text.s, 0, (size_t) n) != NULL))
		return;
	if (n > 0)
		memcpy(copy, text.s, (size_t) n);
	copy[n] = '\0';
	if (!naive_is_decimal(copy, &digits, &k))
		return;
	if (digits != 0 && !(digits <= UINT64_C(1) << 53 && k >= -22 && k <= 22) && !(k <= 0 && k >= -27))
		return;
	number = strtod(copy, NULL);
	memcpy(&bits, &number, sizeof(bits));
	if (is_float4)
	{
		if (digits != 0 && (fabs(number) < FLT_MIN || fabs(number) > FLT_MAX || (bits & 0x1FFFFFFF) == 0x10000000))
			return;
		number = strtof(copy, NULL);
	}
	answer->recheck = 0;
	memcpy(&answer->value, &number, sizeof(number));
}

static inline void
naive_timestamp(NaiveAnswer *answer, int64_t timestamp)
{
	char		text[40];
	int64_t		day = timestamp / INT64_C(86400000000);
	int64_t		usecs;
	int			bc;
	int			n;

	if (timestamp == INT64_MIN || timestamp == INT64_MAX)
	{
		naive_add(answer, timestamp < 0 ? "-infinity" : "infinity", timestamp < 0 ? 9 : 8);
		return;
	}
	day -= timestamp - day * INT64_C(86400000000) < 0;
	usecs = timestamp - day * INT64_C(86400000000);
	answer->recheck = day < -2451545 || day >= 106751983;
	if (answer->recheck)
		return;
	naive_date(answer, day);
	bc = answer->text[answer->value - 1] == 'C';
	answer->value -= 3 * bc;
	n = snprintf(text, sizeof(text), " %02d:%02d:%09.6f", (int) (usecs / 3600000000), (int) (usecs / 60000000 % 60),
				 (double) (usecs % 60000000) / 1e6);
	while (text[n - 1] == '0' && strchr(text, '.') != NULL)
		n--;
	n -= text[n - 1] == '.';
	naive_add(answer, text, n);
	naive_add(answer, " BC", 3 * bc);
}

/* A numeric of a short or a long header: digit by digit. */
static inline void
naive_numeric(NaiveAnswer *answer, RowfnText text)
{
	const unsigned char *p = (const unsigned char *) text.s;
	unsigned	header = text.len < 2 ? 0 : p[0] | (unsigned) p[1] << 8;
	int			is_long = (header & 0x8000) == 0;
	int			first = is_long ? 4 : 2;
	int			weight;
	int			scale;
	int			place;
	int			i;

	answer->recheck = text.len < 2 || text.len % 2 != 0 || ((header & 0xC000) != 0xC000 && text.len < first) ||
		((header & 0xC000) == 0xC000 && header != 0xC000 && header != 0xD000 && header != 0xF000);
	if (answer->recheck)
		return;
	if ((header & 0xC000) == 0xC000)
	{
		const char *word = header == 0xC000 ? "NaN" : header == 0xD000 ? "Infinity" : "-Infinity";

		naive_add(answer, word, (int32_t) strlen(word));
		return;
	}
	for (i = first; i < text.len; i += 2)
		answer->recheck |= (p[i] | p[i + 1] << 8) > 9999;
	if (answer->recheck)
		return;
	weight = is_long ? (int16_t) (p[2] | p[3] << 8) : (int) (header & 0x3F) - (int) (header & 0x40);
	scale = (int) (is_long ? header & 0x3FFF : header >> 7 & 0x3F);
	if (header & (is_long ? 0x4000u : 0x2000u))
		naive_add(answer, "-", 1);

	/* 10^place, from the greatest on */
	for (place = weight < 0 ? 0 : 4 * weight + 3; place >= -scale; place--)
	{
		int			power = place >= 0 ? place / 4 : -((3 - place) / 4);
		int			at = first + 2 * (weight - power);
		int			word = weight < power || at >= text.len ? 0 : p[at] | p[at + 1] << 8;
		int			digit = word / (int[]) {1, 10, 100, 1000}[place - 4 * power] % 10;
		char		c = (char) ('0' + digit);

		if (place == -1)
			naive_add(answer, ".", 1);

		/* zeros of the first word, but for its last digit */
		if (place > 0 && place > 4 * power && power == weight && word / (int[])
			{
			1, 10, 100, 1000
		}[place - 4 * power] == 0)
			continue;
		naive_add(answer, &c, 1);
	}
}

static inline void
naive_to_uuid(NaiveAnswer *answer, RowfnText text)
{
	char		digits[33] = "";
	int			n = 0;
	int32_t		i = 0;
	int32_t		end = text.len;

	answer->recheck = 1;
	if (end > 0 && text.s[0] == '{')
	{
		if (text.s[--end] != '}')
			return;
		i++;
	}
	for (; i < end; i++)
	{
		char		c = text.s[i];

		if (c == '-' && n > 0 && n < 32 && n % 4 == 0 && text.s[i - 1] != '-')
			continue;
		if (n == 32 || c == '\0' || strchr("0123456789abcdefABCDEF", c) == NULL)
			return;
		digits[n++] = c;
	}
	if (n < 32)
		return;
	answer->recheck = 0;
	for (i = 0; i < 32; i += 2)
	{
		char		pair[3] = {digits[i], digits[i + 1], '\0'};
		char		byte = (char) strtol(pair, NULL, 16);

		naive_add(answer, &byte, 1);
	}
}

#endif							/* GPUSTR_TEST_NAIVE_NUMBERS_H */
