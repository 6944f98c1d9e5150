/*-------------------------------------------------------------------------
 *
 * pii_match.h
 *	  Personal data in a text: is there some of this kind at this place?
 *
 * Each function answers for one kind and one place, and returns where what it has
 * found ends; 0: there is nothing.  docs/redact_pii.md has the grammars; a line of
 * each stands with its function.  In these
 *
 *		D		a digit
 *		H		a hexadecimal digit
 *		A		an ASCII letter
 *		W		A, D or _: what words are made of
 *
 * and all other bytes, those from 128 on as well, are borders of words.  So a
 * match is ASCII, and what it is does not depend on the encoding, as in no encoding
 * of a server is a byte below 128 part of a longer character.
 *
 * Where a match has to begin a word, the caller has seen that it does.
 *
 * No function looks at more than ROWFN_PII_DOMAIN bytes and two ahead, or
 * ROWFN_PII_LOCAL and one back.  The bytes may change between two looks; what is
 * found may then be odd, but it lies within the text.
 *
 * IDENTIFICATION
 *	  src/rowfn/pii_match.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_PII_MATCH_H
#define GPUSTR_ROWFN_PII_MATCH_H

#include "program/program.h"

/* The most bytes of what stands before the @ of an address, and behind it. */
#define ROWFN_PII_LOCAL 64
#define ROWFN_PII_DOMAIN 255

/* Digits of a card, and of an international telephone number. */
#define ROWFN_PII_CARD_MIN 12
#define ROWFN_PII_CARD_MAX 19
#define ROWFN_PII_PHONE_MIN 8
#define ROWFN_PII_PHONE_MAX 15

GPUSTR_FN int
rowfn_pii_is_digit(unsigned c)
{
	return c - '0' < 10u;
}

GPUSTR_FN int
rowfn_pii_is_letter(unsigned c)
{
	return (c | 0x20) - 'a' < 26u;
}

GPUSTR_FN int
rowfn_pii_is_hex(unsigned c)
{
	return rowfn_pii_is_digit(c) || (c | 0x20) - 'a' < 6u;
}

GPUSTR_FN int
rowfn_pii_is_word(unsigned c)
{
	return rowfn_pii_is_letter(c) || rowfn_pii_is_digit(c) || c == '_';
}

/* The byte at i; 0, a border, outside of the text. */
GPUSTR_FN unsigned
rowfn_pii_byte(const char *s, int32_t len, int32_t i)
{
	return i >= 0 && i < len ? (unsigned char) s[i] : 0;
}

GPUSTR_FN int
rowfn_pii_digit_at(const char *s, int32_t len, int32_t i)
{
	return rowfn_pii_is_digit(rowfn_pii_byte(s, len, i));
}

GPUSTR_FN int
rowfn_pii_word_at(const char *s, int32_t len, int32_t i)
{
	return rowfn_pii_is_word(rowfn_pii_byte(s, len, i));
}

/* Digits from i on, at most 'most'. */
GPUSTR_FN int32_t
rowfn_pii_digits(const char *s, int32_t len, int32_t i, int32_t most)
{
	int32_t		n = 0;

	while (n < most && rowfn_pii_digit_at(s, len, i + n))
		n++;
	return n;
}

/* Is i behind a number and a point, or a hyphen where these count? */
GPUSTR_FN int
rowfn_pii_number_before(const char *s, int32_t len, int32_t i, int hyphen)
{
	unsigned	c = rowfn_pii_byte(s, len, i - 1);

	return (c == '.' || (hyphen && c == '-')) && rowfn_pii_digit_at(s, len, i - 2);
}

/* May a number end at i?  Not within a word, nor before a point and a digit. */
GPUSTR_FN int
rowfn_pii_number_ends(const char *s, int32_t len, int32_t i, int hyphen)
{
	unsigned	c = rowfn_pii_byte(s, len, i);

	if (rowfn_pii_is_word(c))
		return 0;
	return !((c == '.' || (hyphen && c == '-')) && rowfn_pii_digit_at(s, len, i + 1));
}

/*
 * The part of an address behind its @, which is at i: labels with points between
 * them, of letters, digits and, within them, hyphens; at least two, the last of two
 * bytes or more that begin with a letter.  The longest.
 */
GPUSTR_FN int32_t
rowfn_pii_domain(const char *s, int32_t len, int32_t i)
{
	int32_t		last = len - i - 1 > ROWFN_PII_DOMAIN ? i + 1 + ROWFN_PII_DOMAIN : len;
	int32_t		end = 0;
	int32_t		from = i + 1;	/* of the label */
	int			labels = 0;

	for (;;)
	{
		int32_t		to = from;
		int32_t		stop = from;	/* behind its last letter or digit */

		for (; to < len && to <= last; to++)
		{
			unsigned	c = rowfn_pii_byte(s, len, to);

			if (rowfn_pii_is_letter(c) || rowfn_pii_is_digit(c))
				stop = to + 1;
			else if (c != '-' || to == from)
				break;
		}
		if (stop == from || to > last)
			return end;
		labels++;
		if (labels > 1 && stop - from >= 2 && rowfn_pii_is_letter(rowfn_pii_byte(s, len, from)))
			end = stop;
		if (stop < to || rowfn_pii_byte(s, len, to) != '.')
			return end;
		from = to + 1;
	}
}

/*
 * Where the part of an address before its @, which is at i, begins, not before
 * 'first'; i if there is none.  W, which no W stands before, then any number of
 * W, %, +, point and hyphen; the leftmost such place.
 */
GPUSTR_FN int32_t
rowfn_pii_local(const char *s, int32_t len, int32_t i, int32_t first)
{
	int32_t		start = i;
	int32_t		j;

	if (first < i - ROWFN_PII_LOCAL)
		first = i - ROWFN_PII_LOCAL;
	for (j = i - 1; j >= first; j--)
	{
		unsigned	c = rowfn_pii_byte(s, len, j);

		if (rowfn_pii_is_word(c))
		{
			if (!rowfn_pii_word_at(s, len, j - 1))
				start = j;
		}
		else if (c != '.' && c != '-' && c != '+' && c != '%')
			break;
	}
	return start;
}

/* IPv4: four numbers up to 255, of one to three digits, with points between them. */
GPUSTR_FN int32_t
rowfn_pii_quad(const char *s, int32_t len, int32_t i)
{
	int			part;

	for (part = 0; part < 4; part++)
	{
		int32_t		value = 0;
		int32_t		n;

		if (part > 0 && rowfn_pii_byte(s, len, i++) != '.')
			return 0;
		for (n = 0; n < 3 && rowfn_pii_digit_at(s, len, i); n++)
			value = value * 10 + (int32_t) (rowfn_pii_byte(s, len, i++) - '0');
		if (n == 0 || value > 255)
			return 0;
	}
	return rowfn_pii_number_ends(s, len, i, 0) ? i : 0;
}

GPUSTR_FN int32_t
rowfn_pii_ipv4(const char *s, int32_t len, int32_t i)
{
	return rowfn_pii_number_before(s, len, i, 0) ? 0 : rowfn_pii_quad(s, len, i);
}

/*
 * IPv6: eight groups of one to four H, with colons between them; one run of groups
 * may be left out (::), the last two may be an IPv4 address.  There is a D in
 * it, so that names such as Feed::add are none.
 */
GPUSTR_FN int32_t
rowfn_pii_ipv6(const char *s, int32_t len, int32_t i)
{
	int32_t		groups = 0;
	int			compressed = 0;
	int			digit = 0;
	unsigned	c;

	if (rowfn_pii_byte(s, len, i - 1) == ':' || rowfn_pii_number_before(s, len, i, 0))
		return 0;
	if (rowfn_pii_byte(s, len, i) == ':')
	{
		if (rowfn_pii_byte(s, len, i + 1) != ':')
			return 0;
		compressed = 1;
		i += 2;
	}
	for (;;)
	{
		int32_t		n = 0;

		while (n < 5 && rowfn_pii_is_hex(c = rowfn_pii_byte(s, len, i + n)))
		{
			digit |= rowfn_pii_is_digit(c);
			n++;
		}
		if (n == 0)
			break;				/* after :: only */
		if (n == 5 || ++groups > 8)
			return 0;
		if (rowfn_pii_byte(s, len, i + n) == '.' && rowfn_pii_digit_at(s, len, i + n + 1))
		{
			i = rowfn_pii_quad(s, len, i);
			if (i == 0)
				return 0;
			groups++;
			break;
		}
		i += n;
		if (rowfn_pii_byte(s, len, i) != ':')
			break;
		c = rowfn_pii_byte(s, len, i + 1);
		if (c == ':' && compressed)
			return 0;
		if (c != ':' && !rowfn_pii_is_hex(c))
			break;
		i++;
		if (c == ':')
		{
			compressed = 1;
			i++;
		}
	}
	if (!digit || (compressed ? groups > 7 : groups != 8) || !rowfn_pii_number_ends(s, len, i, 0))
		return 0;
	c = rowfn_pii_byte(s, len, i + 1);
	if (rowfn_pii_byte(s, len, i) == ':' && (c == ':' || rowfn_pii_is_hex(c)))
		return 0;
	return i;
}

/*
 * A card: 12 to 19 D that pass Luhn's check and begin with 2 to 6 or 1800; in one
 * run, or in groups with single blanks, or single hyphens, between them, of which
 * each but the last has four D or more.  The longest.
 */
GPUSTR_FN int32_t
rowfn_pii_card(const char *s, int32_t len, int32_t i)
{
	unsigned	c = rowfn_pii_byte(s, len, i);
	unsigned	separator = 0;
	int32_t		end = 0;
	int32_t		n = 0;			/* digits */
	int32_t		group = 0;
	int32_t		sum[2] = {0, 0};	/* with digits 0, 2, ... doubled; 1, 3,
									 * ... */

	if ((c - '2' > 4u &&
		 !(c == '1' && rowfn_pii_byte(s, len, i + 1) == '8' &&
		   rowfn_pii_byte(s, len, i + 2) == '0' && rowfn_pii_byte(s, len, i + 3) == '0')) ||
		rowfn_pii_number_before(s, len, i, 0))
		return 0;
	while (n < ROWFN_PII_CARD_MAX && rowfn_pii_is_digit(c = rowfn_pii_byte(s, len, i)))
	{
		int32_t		digit = (int32_t) (c - '0');

		sum[n & 1] += digit > 4 ? 2 * digit - 9 : 2 * digit;
		sum[~n & 1] += digit;
		n++;
		group++;
		c = rowfn_pii_byte(s, len, ++i);
		if (rowfn_pii_is_digit(c))
			continue;

		/* the last digit is not doubled: of the others every second is */
		if (n >= ROWFN_PII_CARD_MIN && sum[n & 1] % 10 == 0 &&
			rowfn_pii_number_ends(s, len, i, 0))
			end = i;
		if ((c != ' ' && c != '-') || group < 4 || (separator != 0 && c != separator))
			break;
		separator = c;
		group = 0;
		i++;
	}
	return end;
}

/*
 * SSN: DDD DD DDDD with hyphens, or with blanks, between them; none of the three is
 * all 0, the first is neither 666 nor from 900 on.
 */
GPUSTR_FN int32_t
rowfn_pii_ssn(const char *s, int32_t len, int32_t i)
{
	unsigned	separator = rowfn_pii_byte(s, len, i + 3);
	unsigned	a = rowfn_pii_byte(s, len, i);
	unsigned	b = rowfn_pii_byte(s, len, i + 1);
	unsigned	c = rowfn_pii_byte(s, len, i + 2);

	if ((separator != '-' && separator != ' ') || rowfn_pii_byte(s, len, i + 6) != separator ||
		rowfn_pii_digits(s, len, i, 3) != 3 || rowfn_pii_digits(s, len, i + 4, 2) != 2 ||
		rowfn_pii_digits(s, len, i + 7, 4) != 4 || rowfn_pii_number_before(s, len, i, 1) ||
		!rowfn_pii_number_ends(s, len, i + 11, 1))
		return 0;
	if (a == '9' || (a == '0' && b == '0' && c == '0') || (a == '6' && b == '6' && c == '6') ||
		(rowfn_pii_byte(s, len, i + 4) == '0' && rowfn_pii_byte(s, len, i + 5) == '0') ||
		(rowfn_pii_byte(s, len, i + 7) == '0' && rowfn_pii_byte(s, len, i + 8) == '0' &&
		 rowfn_pii_byte(s, len, i + 9) == '0' && rowfn_pii_byte(s, len, i + 10) == '0'))
		return 0;
	return i + 11;
}

/* An extension, x and one to six D, if there is one: where it ends, else i. */
GPUSTR_FN int32_t
rowfn_pii_extension(const char *s, int32_t len, int32_t i)
{
	int32_t		n;

	if (rowfn_pii_byte(s, len, i) != 'x')
		return i;
	n = rowfn_pii_digits(s, len, i + 1, 6);
	return n > 0 ? i + 1 + n : i;
}

/* Is there one of blank, point, hyphen at i? */
GPUSTR_FN int
rowfn_pii_phone_separator(const char *s, int32_t len, int32_t i)
{
	unsigned	c = rowfn_pii_byte(s, len, i);

	return c == ' ' || c == '.' || c == '-';
}

/* Three digits, the first from 2 on. */
GPUSTR_FN int
rowfn_pii_phone_code(const char *s, int32_t len, int32_t i)
{
	return rowfn_pii_byte(s, len, i) >= '2' && rowfn_pii_digits(s, len, i, 3) == 3;
}

/*
 * A telephone number of North America: 1 and a separator, or nothing; an area code
 * and a separator, or an area code in parentheses and a separator or nothing; three
 * D, a separator, four D; an extension or nothing.  At i is 1, the area
 * code, or its parenthesis.
 */
GPUSTR_FN int32_t
rowfn_pii_phone_national(const char *s, int32_t len, int32_t i)
{
	if (rowfn_pii_number_before(s, len, i, 1))
		return 0;
	if (rowfn_pii_byte(s, len, i) == '1')
	{
		if (!rowfn_pii_phone_separator(s, len, i + 1))
			return 0;
		i += 2;
	}
	if (rowfn_pii_byte(s, len, i) == '(')
	{
		if (!rowfn_pii_phone_code(s, len, i + 1) || rowfn_pii_byte(s, len, i + 4) != ')')
			return 0;
		i += 5;
		i += rowfn_pii_phone_separator(s, len, i);
	}
	else
	{
		if (!rowfn_pii_phone_code(s, len, i) || !rowfn_pii_phone_separator(s, len, i + 3))
			return 0;
		i += 4;
	}
	if (!rowfn_pii_phone_code(s, len, i) || !rowfn_pii_phone_separator(s, len, i + 3) ||
		rowfn_pii_digits(s, len, i + 4, 4) != 4)
		return 0;
	i = rowfn_pii_extension(s, len, i + 8);
	return rowfn_pii_number_ends(s, len, i, 1) ? i : 0;
}

/*
 * An international telephone number: +, then 8 to 15 D, of which the first is not 0,
 * or just 11 if that is 1 (North America); in groups with a separator between
 * them, some of which may be in parentheses, then an extension or nothing.  The
 * longest.  At i is the +.
 */
GPUSTR_FN int32_t
rowfn_pii_phone_international(const char *s, int32_t len, int32_t i)
{
	int			america = rowfn_pii_byte(s, len, i + 1) == '1';
	int32_t		least = america ? 11 : ROWFN_PII_PHONE_MIN;
	int32_t		most = america ? 11 : ROWFN_PII_PHONE_MAX;
	int32_t		end = 0;
	int32_t		n = 0;
	int			open = 0;

	if (rowfn_pii_word_at(s, len, i - 1) || rowfn_pii_byte(s, len, i - 1) == '+' ||
		rowfn_pii_byte(s, len, i + 1) == '0')
		return 0;
	i++;
	while (n < most && rowfn_pii_digit_at(s, len, i))
	{
		int32_t		next;

		n++;
		i++;
		if (rowfn_pii_digit_at(s, len, i))
			continue;
		if (open && rowfn_pii_byte(s, len, i) == ')')
		{
			open = 0;
			i++;
		}
		if (!open && n >= least)
		{
			next = rowfn_pii_extension(s, len, i);
			if (rowfn_pii_number_ends(s, len, next, 1))
				end = next;
			if (next > i)
				break;
		}
		i += rowfn_pii_phone_separator(s, len, i);
		if (!open && rowfn_pii_byte(s, len, i) == '(')
		{
			open = 1;
			i++;
		}
	}
	return end;
}

/* What an IBAN of the country has characters; 0: there is no such country. */
GPUSTR_FN int32_t
rowfn_pii_iban_length(unsigned a, unsigned b)
{
	/* SWIFT's registry: country and length */
	const char *entry =
	"AD24AE23AL28AT20AZ28BA20BE16BG22BH22BI27BR29BY28CH21CR22CY28CZ24DE22DJ27DK18DO28EE20"
	"EG29ES24FI18FK18FO18FR27GB22GE22GI23GL18GR27GT28HN28HR21HU28IE22IL23IQ23IS26IT27JO30"
	"KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MN20MR27MT31MU30NI28NL18NO15OM23"
	"PK24PL28PS29PT25QA29RO24RS22RU33SA24SC31SD18SE24SI19SK24SM27SO23ST25SV28TL23TN24TR26"
	"UA29VA22VG24XK20YE30";

	for (; *entry != '\0'; entry += 4)
	{
		if ((unsigned char) entry[0] == a && (unsigned char) entry[1] == b)
			return (entry[2] - '0') * 10 + (entry[3] - '0');
	}
	return 0;
}

/* One more character of a number in base 36, modulo 97. */
GPUSTR_FN int32_t
rowfn_pii_mod97(int32_t value, unsigned c)
{
	if (rowfn_pii_is_digit(c))
		return (value * 10 + (int32_t) (c - '0')) % 97;
	return (value * 100 + (int32_t) ((c | 0x20) - 'a') + 10) % 97;
}

/*
 * IBAN: AA of a country, DD, then A and D as many as the country has, that pass
 * ISO 7064's check (mod 97-10); in one run, or with single blanks between
 * groups of four.
 */
GPUSTR_FN int32_t
rowfn_pii_iban(const char *s, int32_t len, int32_t i)
{
	int32_t		length = rowfn_pii_iban_length(rowfn_pii_byte(s, len, i) & ~0x20u,
											   rowfn_pii_byte(s, len, i + 1) & ~0x20u);
	int			blanks = rowfn_pii_byte(s, len, i + 4) == ' ';
	int32_t		at = i + 4;
	int32_t		value = 0;
	int32_t		n;

	if (length == 0 || rowfn_pii_digits(s, len, i + 2, 2) != 2)
		return 0;
	for (n = 4; n < length; n++)
	{
		unsigned	c;

		if (blanks && n % 4 == 0 && rowfn_pii_byte(s, len, at++) != ' ')
			return 0;
		c = rowfn_pii_byte(s, len, at++);
		if (!rowfn_pii_is_letter(c) && !rowfn_pii_is_digit(c))
			return 0;
		value = rowfn_pii_mod97(value, c);
	}
	for (n = 0; n < 4; n++)
	{
		unsigned	c = rowfn_pii_byte(s, len, i + n);

		if (!rowfn_pii_is_letter(c) && !rowfn_pii_is_digit(c))
			return 0;
		value = rowfn_pii_mod97(value, c);
	}
	return value == 1 && !rowfn_pii_word_at(s, len, at) ? at : 0;
}

#endif							/* GPUSTR_ROWFN_PII_MATCH_H */
