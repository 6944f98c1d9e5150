/*-------------------------------------------------------------------------
 *
 * number_text.h
 *	  Numbers, dates, timestamps, truth values, uuid, bytes and code points as text,
 *	  and back.
 *
 * To text as PostgreSQL's output functions write them.  From text as far as
 * PostgreSQL's input functions take it in any setting and locale: what they
 * refuse, what only some versions take, and bytes from 128 on, which may be
 * blanks in some locale, are recheck.
 *
 * Days and dates by Howard Hinnant's algorithms (days_from_civil and back).
 *
 * IDENTIFICATION
 *	  src/rowfn/number_text.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_NUMBER_TEXT_H
#define GPUSTR_ROWFN_NUMBER_TEXT_H

#include "rowfn/characters.h"

/* Dates: days since 2000-01-01. */
#define ROWFN_DATE_BEFORE_ALL ((int64_t) INT32_MIN)
#define ROWFN_DATE_AFTER_ALL ((int64_t) INT32_MAX)
#define ROWFN_DATE_FIRST INT64_C(-2451545)	/* 4714-11-24 BC */
#define ROWFN_DATE_LAST INT64_C(2145031948) /* 5874897-12-31 */

/* From 0000-03-01 to 2000-01-01; days of 400 years. */
#define ROWFN_DATE_FROM_MARCH_0 730425
#define ROWFN_DAYS_OF_400_YEARS 146097

/* Digits of a number, >= 1; base 10 or 16. */
GPUSTR_FN int32_t
rowfn_digits(uint64_t number, uint32_t base)
{
	int32_t		n = 1;

	while (number >= base)
	{
		number /= base;
		n++;
	}
	return n;
}

GPUSTR_FN uint32_t
rowfn_hex_digit(uint32_t nibble)
{
	return nibble < 10 ? '0' + nibble : 'a' + nibble - 10;
}

/* Write a number as n digits, the last ones of it, with zeros before. */
GPUSTR_FN void
rowfn_put_digits(RowfnOut *out, uint64_t number, uint32_t base, int32_t n)
{
	int32_t		i;

	if (n > out->left)
		return;
	for (i = n - 1; i >= 0; i--)
	{
		out->at[i] = (char) rowfn_hex_digit((uint32_t) (number % base));
		number /= base;
	}
	out->at += n;
	out->left -= n;
}

/* The amount of a number, also of the least. */
GPUSTR_FN uint64_t
rowfn_amount(int64_t number)
{
	return number < 0 ? ~(uint64_t) number + 1 : (uint64_t) number;
}

GPUSTR_FN void
rowfn_int_write(int64_t number, char *to, int64_t bytes)
{
	RowfnOut	out = rowfn_out(to, bytes);
	uint64_t	amount = rowfn_amount(number);

	if (number < 0)
		rowfn_put_byte(&out, '-');
	rowfn_put_digits(&out, amount, 10, rowfn_digits(amount, 10));
}

/* A date in parts; BC years are 0 for 1 BC, -1 for 2 BC. */
typedef struct RowfnDate
{
	int32_t		year;
	int32_t		month;
	int32_t		day;
} RowfnDate;

GPUSTR_FN RowfnDate
rowfn_date_parts(int64_t days)
{
	int64_t		d = days + ROWFN_DATE_FROM_MARCH_0;
	int64_t		era = (d >= 0 ? d : d - (ROWFN_DAYS_OF_400_YEARS - 1)) / ROWFN_DAYS_OF_400_YEARS;
	int32_t		day_of_era = (int32_t) (d - era * ROWFN_DAYS_OF_400_YEARS);
	int32_t		year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
	int32_t		day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	int32_t		month = (5 * day_of_year + 2) / 153;	/* from March */
	RowfnDate	date;

	date.day = day_of_year - (153 * month + 2) / 5 + 1;
	date.month = month < 10 ? month + 3 : month - 9;
	date.year = (int32_t) (year_of_era + era * 400) + (date.month <= 2);
	return date;
}

/* The day of a date of year >= 1. */
GPUSTR_FN int64_t
rowfn_date_days(RowfnDate date)
{
	int32_t		year = date.month <= 2 ? date.year - 1 : date.year;
	int32_t		month = date.month > 2 ? date.month - 3 : date.month + 9;
	int32_t		day_of_year = (153 * month + 2) / 5 + date.day - 1;

	return (int64_t) year * 365 + year / 4 - year / 100 + year / 400 + day_of_year -
		ROWFN_DATE_FROM_MARCH_0;
}

/* The year as it is written, and its digits. */
GPUSTR_FN int32_t
rowfn_date_year(RowfnDate date, int32_t *digits)
{
	int32_t		year = date.year > 0 ? date.year : 1 - date.year;

	*digits = rowfn_digits((uint64_t) year, 10);
	if (*digits < 4)
		*digits = 4;
	return year;
}

/* Bytes of a date, or ROWFN_TEXT_RECHECK. */
GPUSTR_FN int64_t
rowfn_date_bytes(int64_t days)
{
	RowfnDate	date;
	int32_t		digits;

	if (days == ROWFN_DATE_BEFORE_ALL)
		return 9;				/* -infinity */
	if (days == ROWFN_DATE_AFTER_ALL)
		return 8;
	if (days < ROWFN_DATE_FIRST || days > ROWFN_DATE_LAST)
		return ROWFN_TEXT_RECHECK;
	date = rowfn_date_parts(days);
	(void) rowfn_date_year(date, &digits);
	return digits + 6 + (date.year > 0 ? 0 : 3);
}

/* Write the date, but for BC. */
GPUSTR_FN void
rowfn_put_date(RowfnOut *out, RowfnDate date)
{
	int32_t		digits;
	int32_t		year = rowfn_date_year(date, &digits);

	rowfn_put_digits(out, (uint64_t) year, 10, digits);
	rowfn_put_byte(out, '-');
	rowfn_put_digits(out, (uint64_t) date.month, 10, 2);
	rowfn_put_byte(out, '-');
	rowfn_put_digits(out, (uint64_t) date.day, 10, 2);
}

GPUSTR_FN void
rowfn_date_write(int64_t days, char *to, int64_t bytes)
{
	RowfnOut	out = rowfn_out(to, bytes);
	RowfnDate	date;

	if (days == ROWFN_DATE_BEFORE_ALL || days == ROWFN_DATE_AFTER_ALL)
	{
		rowfn_put_literal(&out, days < 0 ? "-infinity" : "infinity");
		return;
	}
	date = rowfn_date_parts(days);
	rowfn_put_date(&out, date);
	if (date.year <= 0)
		rowfn_put_literal(&out, " BC");
}

/* Timestamps: microseconds since 2000-01-01 00:00. */
#define ROWFN_TIMESTAMP_BEFORE_ALL INT64_MIN
#define ROWFN_TIMESTAMP_AFTER_ALL INT64_MAX
#define ROWFN_TIMESTAMP_FIRST INT64_C(-211813488000000000)	/* 4714-11-24 BC */
#define ROWFN_TIMESTAMP_END INT64_C(9223371331200000000)	/* 294277-01-01 */
#define ROWFN_USECS_OF_DAY INT64_C(86400000000)

/* A timestamp's day; *usecs: since that day began. */
GPUSTR_FN int64_t
rowfn_timestamp_day(int64_t timestamp, int64_t *usecs)
{
	int64_t		day = timestamp / ROWFN_USECS_OF_DAY - (timestamp % ROWFN_USECS_OF_DAY < 0);

	*usecs = timestamp - day * ROWFN_USECS_OF_DAY;
	return day;
}

/* Digits of the fraction of a second, without zeros at its end. */
GPUSTR_FN int32_t
rowfn_fraction_digits(int64_t *fraction)
{
	int32_t		n = *fraction != 0 ? 6 : 0;

	for (; n > 0 && *fraction % 10 == 0; n--)
		*fraction /= 10;
	return n;
}

/* Bytes of a timestamp, as DateStyle ISO has it; or ROWFN_TEXT_RECHECK. */
GPUSTR_FN int64_t
rowfn_timestamp_bytes(int64_t timestamp)
{
	int64_t		fraction;
	int64_t		day;
	int32_t		n;

	if (timestamp == ROWFN_TIMESTAMP_BEFORE_ALL)
		return 9;				/* -infinity */
	if (timestamp == ROWFN_TIMESTAMP_AFTER_ALL)
		return 8;
	if (timestamp < ROWFN_TIMESTAMP_FIRST || timestamp >= ROWFN_TIMESTAMP_END)
		return ROWFN_TEXT_RECHECK;
	day = rowfn_timestamp_day(timestamp, &fraction);
	fraction %= 1000000;
	n = rowfn_fraction_digits(&fraction);
	return rowfn_date_bytes(day) + 9 + n + (n > 0);
}

GPUSTR_FN void
rowfn_timestamp_write(int64_t timestamp, char *to, int64_t bytes)
{
	RowfnOut	out = rowfn_out(to, bytes);
	RowfnDate	date;
	int64_t		usecs;
	int64_t		fraction;
	int32_t		n;

	if (timestamp == ROWFN_TIMESTAMP_BEFORE_ALL || timestamp == ROWFN_TIMESTAMP_AFTER_ALL)
	{
		rowfn_put_literal(&out, timestamp < 0 ? "-infinity" : "infinity");
		return;
	}
	date = rowfn_date_parts(rowfn_timestamp_day(timestamp, &usecs));
	rowfn_put_date(&out, date);
	for (n = 0; n < 3; n++)
	{
		/* hours, minutes, seconds */
		int64_t		unit = n == 0 ? INT64_C(3600000000) : n == 1 ? 60000000 : 1000000;

		rowfn_put_byte(&out, n == 0 ? ' ' : ':');
		rowfn_put_digits(&out, (uint64_t) (usecs / unit), 10, 2);
		usecs %= unit;
	}
	fraction = usecs;
	n = rowfn_fraction_digits(&fraction);
	if (n > 0)
		rowfn_put_byte(&out, '.');
	rowfn_put_digits(&out, (uint64_t) fraction, 10, n);
	if (date.year <= 0)
		rowfn_put_literal(&out, " BC");
}

/* Bytes in hexadecimal. */
GPUSTR_FN void
rowfn_put_hex(RowfnOut *out, const char *s, int32_t n)
{
	int32_t		i;

	for (i = 0; i < n; i++)
	{
		uint32_t	byte = (unsigned char) s[i];

		rowfn_put_byte(out, rowfn_hex_digit(byte >> 4));
		rowfn_put_byte(out, rowfn_hex_digit(byte & 15));
	}
}

#define ROWFN_UUID_BYTES 16
#define ROWFN_UUID_TEXT_BYTES 36

GPUSTR_FN void
rowfn_uuid_write(RowfnText uuid, char *to, int64_t bytes)
{
	RowfnOut	out = rowfn_out(to, bytes);
	int32_t		i;

	for (i = 0; i < ROWFN_UUID_BYTES; i += 2)
	{
		if (i >= 4 && i <= 10)
			rowfn_put_byte(&out, '-');
		rowfn_put_hex(&out, uuid.s + i, 2);
	}
}

/* What a hexadecimal digit counts; 16 or more: it is none. */
GPUSTR_FN uint32_t
rowfn_hex_value(char c)
{
	uint32_t	digit = (uint32_t) (unsigned char) c - '0';
	uint32_t	letter = ((uint32_t) (unsigned char) c | 0x20) - 'a';

	return digit < 10 ? digit : letter < 6 ? letter + 10 : 16;
}

/*
 * Read a uuid: 32 hexadecimal digits, with a hyphen or none behind every four but the
 * last, in braces or not.  Writes it; returns 0 for recheck, having written some of it.
 */
GPUSTR_FN int
rowfn_to_uuid(RowfnText text, RowfnOut *out)
{
	int			braces = text.len > 0 && text.s[0] == '{';
	int32_t		at = braces;
	int32_t		i;

	if (braces && text.s[text.len - 1] != '}')
		return 0;
	text.len -= braces;
	for (i = 0; i < ROWFN_UUID_BYTES; i++)
	{
		uint32_t	high;
		uint32_t	low;

		if (text.len - at < 2)
			return 0;
		high = rowfn_hex_value(text.s[at]);
		low = rowfn_hex_value(text.s[at + 1]);
		if (high > 15 || low > 15)
			return 0;
		rowfn_put_byte(out, high << 4 | low);
		at += 2;
		if (i % 2 == 1 && i < ROWFN_UUID_BYTES - 1 && at < text.len && text.s[at] == '-')
			at++;
	}
	return at == text.len;
}

/* Bytes of the uuid that a text is, or ROWFN_TEXT_RECHECK. */
GPUSTR_FN int64_t
rowfn_to_uuid_bytes(RowfnText text)
{
	RowfnOut	nothing = rowfn_out((char *) 0, 0);

	return rowfn_to_uuid(text, &nothing) ? ROWFN_UUID_BYTES : ROWFN_TEXT_RECHECK;
}

/* The uuid; 0 bytes for what has become none since. */
GPUSTR_FN void
rowfn_to_uuid_write(RowfnText text, char *to, int64_t bytes)
{
	RowfnOut	out = rowfn_out(to, bytes);

	(void) rowfn_to_uuid(text, &out);
	rowfn_put_fill(&out, 0, out.left);
}

/* Bytes of chr(), or ROWFN_TEXT_RECHECK. */
GPUSTR_FN int64_t
rowfn_chr_bytes(int64_t code, int32_t encoding)
{
	if (code <= 0 || code > (encoding == GPUSTR_ENC_UTF8 ? 0x10FFFF : 0xFF) ||
		(code >= 0xD800 && code <= 0xDFFF))
		return ROWFN_TEXT_RECHECK;
	return rowfn_code_bytes((uint32_t) code, encoding);
}

/* Is it a blank, in each locale?  isspace() of C. */
GPUSTR_FN int
rowfn_is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The text without blanks on either side. */
GPUSTR_FN RowfnText
rowfn_without_blanks(RowfnText text)
{
	while (text.len > 0 && rowfn_is_blank(text.s[0]))
	{
		text.s++;
		text.len--;
	}
	while (text.len > 0 && rowfn_is_blank(text.s[text.len - 1]))
		text.len--;
	return text;
}

/* The number of n decimal digits at s, n <= 18; -1 if one is none. */
GPUSTR_FN int64_t
rowfn_decimal(const char *s, int32_t n)
{
	int64_t		number = 0;
	int32_t		i;

	for (i = 0; i < n; i++)
	{
		if (s[i] < '0' || s[i] > '9')
			return -1;
		number = number * 10 + (s[i] - '0');
	}
	return number;
}

/* An integer from 'least' to -(least + 1).  Returns 0 for recheck. */
GPUSTR_FN int
rowfn_to_int(RowfnText text, int64_t least, int64_t *value)
{
	int			negative;
	int64_t		number = 0;		/* negative, as the least one has no opposite */
	int32_t		i;

	text = rowfn_without_blanks(text);
	if (text.len <= 0)
		return 0;
	negative = text.s[0] == '-';
	if (negative || text.s[0] == '+')
	{
		text.s++;
		text.len--;
	}
	for (i = 0; i < text.len; i++)
	{
		int32_t		digit = text.s[i] - '0';

		if (digit < 0 || digit > 9 || number < least / 10 || number * 10 < least + digit)
			return 0;
		number = number * 10 - digit;
	}
	if (text.len <= 0 || (!negative && number == least))
		return 0;
	*value = negative ? number : -number;
	return 1;
}

/* A date as YYYY-MM-DD, which each DateStyle reads alike.  Returns 0 for recheck. */
GPUSTR_FN int
rowfn_to_date(RowfnText text, int64_t *value)
{
	int64_t		year;
	int64_t		month;
	int64_t		day;
	int			days;
	RowfnDate	date;

	text = rowfn_without_blanks(text);
	if (text.len != 10 || text.s[4] != '-' || text.s[7] != '-')
		return 0;
	year = rowfn_decimal(text.s, 4);
	month = rowfn_decimal(text.s + 5, 2);
	day = rowfn_decimal(text.s + 8, 2);
	if (year < 1 || month < 1 || month > 12 || day < 1)
		return 0;
	if (month == 2)
		days = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
	else
		days = 30 + ((month + (month > 7)) & 1);
	if (day > days)
		return 0;
	date.year = (int32_t) year;
	date.month = (int32_t) month;
	date.day = (int32_t) day;
	*value = rowfn_date_days(date);
	return 1;
}

#endif							/* GPUSTR_ROWFN_NUMBER_TEXT_H */
