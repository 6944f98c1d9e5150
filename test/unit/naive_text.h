/*-------------------------------------------------------------------------
 *
 * naive_text.h
 *	  Plain answers to calls of functions of texts.
 *
 * Written from PostgreSQL's documentation and from text_function.h; a text is
 * first cut into its characters, and all is done on these.  Texts are valid in
 * the encoding.  Slow.
 *
 * IDENTIFICATION
 *	  test/unit/naive_text.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_TEST_NAIVE_TEXT_H
#define GPUSTR_TEST_NAIVE_TEXT_H

#include <stdio.h>

#include "naive.h"
#include "rowfn/text_args.h"

/* The most characters of an argument, and bytes of an answer. */
#define NAIVE_MAX_CHARS 4096
#define NAIVE_MAX_BYTES 65536

/* Longer texts are not for an engine to make. */
#define NAIVE_TEXT_BYTES (1 << 20)

/* An answer. */
typedef struct NaiveAnswer
{
	int			recheck;
	int64_t		value;			/* of a measure; else its bytes */
	char		text[NAIVE_MAX_BYTES];
} NaiveAnswer;

/* A text as characters: character i is s[off[i]] to s[off[i + 1]]. */
typedef struct NaiveChars
{
	const char *s;
	int32_t		n;
	int32_t		off[NAIVE_MAX_CHARS + 1];
} NaiveChars;

static inline void
naive_chars(RowfnText text, int32_t encoding, NaiveChars *chars)
{
	int32_t		i;

	chars->s = text.s;
	chars->n = 0;
	for (i = 0; i < text.len && chars->n < NAIVE_MAX_CHARS; chars->n++)
	{
		chars->off[chars->n] = i;
		i += naive_char_bytes(text.s + i, text.len - i, encoding);
	}
	chars->off[chars->n] = text.len;
}

static inline void
naive_add(NaiveAnswer *answer, const char *s, int32_t n)
{
	if (n > 0 && answer->value + n <= NAIVE_MAX_BYTES)
		memcpy(answer->text + answer->value, s, (size_t) n);
	answer->value += n;
}

static inline void
naive_add_char(NaiveAnswer *answer, const NaiveChars *chars, int32_t i)
{
	naive_add(answer, chars->s + chars->off[i], chars->off[i + 1] - chars->off[i]);
}

/* The characters from number 'from' on, counted from 1, to before number 'end'. */
static inline void
naive_add_range(NaiveAnswer *answer, const NaiveChars *chars, int64_t from, int64_t end)
{
	int32_t		i;

	for (i = 0; i < chars->n; i++)
		if (i + 1 >= from && i + 1 < end)
			naive_add_char(answer, chars, i);
}

static inline int
naive_same_char(const NaiveChars *a, int32_t i, const NaiveChars *b, int32_t j)
{
	int32_t		n = a->off[i + 1] - a->off[i];

	return n == b->off[j + 1] - b->off[j] && memcmp(a->s + a->off[i], b->s + b->off[j], (size_t) n) == 0;
}

/* Which character of the set is it, from 0?  -1: none. */
static inline int32_t
naive_index(const NaiveChars *chars, int32_t i, const NaiveChars *set)
{
	int32_t		j;

	for (j = 0; j < set->n; j++)
		if (naive_same_char(chars, i, set, j))
			return j;
	return -1;
}

/* Does 'what', not empty, stand at character i? */
static inline int
naive_stands(const NaiveChars *chars, int32_t i, const NaiveChars *what)
{
	int32_t		j;

	for (j = 0; j < what->n; j++)
		if (i + j >= chars->n || !naive_same_char(chars, i + j, what, j))
			return 0;
	return what->n > 0;
}

static inline void
naive_trim(NaiveAnswer *answer, const NaiveChars *chars, const NaiveChars *set, int at_start, int at_end)
{
	int32_t		start = 0;
	int32_t		end = chars->n;

	while (at_start && start < end && naive_index(chars, start, set) >= 0)
		start++;
	while (at_end && end > start && naive_index(chars, end - 1, set) >= 0)
		end--;
	naive_add_range(answer, chars, start + 1, end + 1);
}

/* Fields between separators; an empty separator is nowhere. */
static inline void
naive_split_part(NaiveAnswer *answer, const NaiveChars *chars, const NaiveChars *separator, int64_t n)
{
	int64_t		nfields = 1;
	int64_t		field = 1;
	int32_t		i;

	for (i = 0; i < chars->n;)
	{
		int			here = naive_stands(chars, i, separator);

		nfields += here;
		i += here ? separator->n : 1;
	}
	if (n < 0)
		n += nfields + 1;
	for (i = 0; i < chars->n;)
	{
		if (naive_stands(chars, i, separator))
		{
			field++;
			i += separator->n;
			continue;
		}
		if (field == n)
			naive_add_char(answer, chars, i);
		i++;
	}
}

static inline void
naive_replace(NaiveAnswer *answer, const NaiveChars *chars, const NaiveChars *from, RowfnText to)
{
	int32_t		i;

	for (i = 0; i < chars->n;)
	{
		if (naive_stands(chars, i, from))
		{
			naive_add(answer, to.s, to.len);
			i += from->n;
		}
		else
			naive_add_char(answer, chars, i++);
	}
}

static inline void
naive_translate(NaiveAnswer *answer, const NaiveChars *chars, const NaiveChars *from, const NaiveChars *to)
{
	int32_t		i;

	for (i = 0; i < chars->n; i++)
	{
		int32_t		index = naive_index(chars, i, from);

		if (index < 0)
			naive_add_char(answer, chars, i);
		else if (index < to->n)
			naive_add_char(answer, to, index);
	}
}

static inline void
naive_pad(NaiveAnswer *answer, const NaiveChars *chars, int64_t n, const NaiveChars *fill, int left,
		  int32_t encoding)
{
	int64_t		kept = n < 0 ? 0 : n < chars->n ? n : chars->n;
	int64_t		missing = fill->n == 0 || n < kept ? 0 : n - kept;
	int64_t		i;

	if ((kept + missing) * (encoding == GPUSTR_ENC_UTF8 ? 4 : 1) + 4 > 0x3FFFFFFF)
	{
		answer->recheck = 1;
		return;
	}
	if (!left)
		naive_add_range(answer, chars, 1, kept + 1);
	if (missing > NAIVE_MAX_BYTES)
	{
		/* too long to compare: whole fills need only be counted */
		answer->value += missing / fill->n * fill->off[fill->n];
		missing %= fill->n;
	}
	for (i = 0; i < missing; i++)
		naive_add_char(answer, fill, (int32_t) (i % fill->n));
	if (left)
		naive_add_range(answer, chars, 1, kept + 1);
}

static inline uint32_t
naive_code(const char *s, int32_t n)
{
	uint32_t	code = n == 1 ? (unsigned char) s[0] : (unsigned char) s[0] & (0x7F >> n);
	int32_t		i;

	for (i = 1; i < n; i++)
		code = code * 64 + ((unsigned char) s[i] - 128);
	return code;
}

static inline void
naive_add_code(NaiveAnswer *answer, uint32_t code, int32_t encoding)
{
	char		bytes[4];
	int32_t		n = encoding != GPUSTR_ENC_UTF8 || code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	int32_t		i;

	for (i = n - 1; i > 0; i--)
	{
		bytes[i] = (char) (0x80 + code % 64);
		code /= 64;
	}
	bytes[0] = (char) (code + (n == 1 ? 0 : n == 2 ? 0xC0 : n == 3 ? 0xE0 : 0xF0));
	naive_add(answer, bytes, n);
}

/* What a character becomes; GPUSTR_CASE_RECHECK. */
static inline uint32_t
naive_case(const GpustrCaseMap *map, uint32_t code)
{
	int32_t		i;

	if (code < 128)
		return map->ascii[code] == 0xFF ? GPUSTR_CASE_RECHECK : map->ascii[code];
	for (i = 0; i < map->npairs; i++)
		if (map->pairs[i].from == code)
			return map->pairs[i].to;
	return map->others_stay ? code : GPUSTR_CASE_RECHECK;
}

/*
 * upper() or lower(); initcap() if there is a second map.  In a word: 0 no, 1
 * yes, 2 not known.
 */
static inline void
naive_case_text(NaiveAnswer *answer, const NaiveChars *chars, const GpustrCaseMap *first,
				const GpustrCaseMap *second, int32_t encoding)
{
	int			c_collation = first->npairs == 0 && first->others_stay &&
	(second == NULL || (second->npairs == 0 && second->others_stay));
	int			in_word = 0;
	int32_t		i;

	for (i = 0; i < chars->n; i++)
	{
		uint32_t	code = naive_code(chars->s + chars->off[i], chars->off[i + 1] - chars->off[i]);
		uint32_t	up = naive_case(first, code);
		uint32_t	down = second == NULL ? up : naive_case(second, code);
		uint32_t	made = in_word == 1 ? down : up;

		if (made == GPUSTR_CASE_RECHECK || (in_word == 2 && up != down))
		{
			answer->recheck = 1;
			return;
		}
		naive_add_code(answer, made, encoding);
		if (second == NULL)
			continue;
		if (made < 128)
			in_word = (made >= '0' && made <= '9') || (made >= 'A' && made <= 'Z') || (made >= 'a' && made <= 'z');
		else if (c_collation)
			in_word = 0;
		else
			in_word = (up != code && up != GPUSTR_CASE_RECHECK) ||
				(down != code && down != GPUSTR_CASE_RECHECK) ? 1 : 2;
	}
}

/* Is it a leap year?  Years BC: 0 is 1 BC. */
static inline int
naive_month_days(int64_t year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int			leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return days[month - 1] + (month == 2 && leap);
}

/* A date, found by walking there: first 400 years at a time, then months. */
static inline void
naive_date(NaiveAnswer *answer, int64_t days)
{
	int64_t		year = 2000;
	int			month = 1;
	char		text[64];

	if (days == INT32_MIN || days == INT32_MAX)
	{
		naive_add(answer, days < 0 ? "-infinity" : "infinity", days < 0 ? 9 : 8);
		return;
	}
	answer->recheck = days < -2451545 || days > INT64_C(2145031948);
	if (answer->recheck)
		return;
	while (days < 0)
	{
		days += 146097;
		year -= 400;
	}
	year += days / 146097 * 400;
	days %= 146097;
	while (days >= naive_month_days(year, month))
	{
		days -= naive_month_days(year, month);
		year += month == 12;
		month = month == 12 ? 1 : month + 1;
	}
	snprintf(text, sizeof(text), "%04lld-%02d-%02d%s", (long long) (year > 0 ? year : 1 - year), month,
			 (int) days + 1, year > 0 ? "" : " BC");
	naive_add(answer, text, (int32_t) strlen(text));
}

/* An integer as the cast reads it. */
static inline void
naive_to_int(NaiveAnswer *answer, RowfnText text, int64_t least, int64_t most)
{
	char		copy[64];
	const char *digits;
	char	   *end;
	__int128	number = 0;
	int32_t		i;

	answer->recheck = 1;
	while (text.len > 0 && strchr(" \t\n\v\f\r", text.s[0]) != NULL && text.s[0] != '\0')
	{
		text.s++;
		text.len--;
	}
	while (text.len > 0 && strchr(" \t\n\v\f\r", text.s[text.len - 1]) != NULL && text.s[text.len - 1] != '\0')
		text.len--;
	if (text.len <= 0 || text.len >= (int32_t) sizeof(copy))
		return;
	memcpy(copy, text.s, (size_t) text.len);
	copy[text.len] = '\0';
	digits = copy + (copy[0] == '-' || copy[0] == '+');
	for (i = 0; digits[i] >= '0' && digits[i] <= '9' && i < 30; i++)
		number = number * 10 + (digits[i] - '0');
	end = (char *) digits + i;
	if (copy[0] == '-')
		number = -number;
	if (i == 0 || end != copy + text.len || number < least || number > most)
		return;
	answer->recheck = 0;
	answer->value = (int64_t) number;
}

/* A date as the cast reads it, if it is YYYY-MM-DD. */
static inline void
naive_to_date(NaiveAnswer *answer, RowfnText text)
{
	char		copy[16];
	int64_t		days = 0;
	int			year;
	int			month;
	int			day;
	int			y;
	int			m;

	answer->recheck = 1;
	while (text.len > 0 && strchr(" \t\n\v\f\r", text.s[0]) != NULL && text.s[0] != '\0')
	{
		text.s++;
		text.len--;
	}
	while (text.len > 0 && strchr(" \t\n\v\f\r", text.s[text.len - 1]) != NULL && text.s[text.len - 1] != '\0')
		text.len--;
	if (text.len != 10)
		return;
	memcpy(copy, text.s, 10);
	copy[10] = '\0';
	for (y = 0; y < 10; y++)
		if (y == 4 || y == 7 ? copy[y] != '-' : copy[y] < '0' || copy[y] > '9')
			return;
	year = atoi(copy);
	month = atoi(copy + 5);
	day = atoi(copy + 8);
	if (year < 1 || month < 1 || month > 12 || day < 1 || day > naive_month_days(year, month))
		return;
	for (y = year; y < 2000; y++)
		days -= 365 + (naive_month_days(y, 2) == 29);
	for (y = 2000; y < year; y++)
		days += 365 + (naive_month_days(y, 2) == 29);
	for (m = 1; m < month; m++)
		days += naive_month_days(year, m);
	answer->recheck = 0;
	answer->value = days + day - 1;
}

static inline void
naive_hex(NaiveAnswer *answer, const char *s, int32_t n)
{
	char		text[3];
	int32_t		i;

	for (i = 0; i < n; i++)
	{
		snprintf(text, sizeof(text), "%02x", (unsigned char) s[i]);
		naive_add(answer, text, 2);
	}
}

/* Is a number of characters, or which field, an int4? */
static inline int
naive_is_int4(int64_t value)
{
	return value == (int32_t) value;
}

#endif							/* GPUSTR_TEST_NAIVE_TEXT_H */
