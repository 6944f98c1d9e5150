/*-------------------------------------------------------------------------
 *
 * pii.h
 *	  Hide personal data in a text: addresses, numbers of cards and accounts, ...
 *
 * Each match of a kind that is asked for is replaced by the kind's name:
 *
 *		mail bob@example.com or call (415) 555-2671
 *		mail [EMAIL] or call [PHONE]
 *
 * The leftmost match comes first; of those that begin at one place the first kind in
 * the order of RowfnPiiKind; of one kind the longest, within its grammar
 * (pii_match.h).  The search goes on behind the match, which it sees as what it
 * was.
 *
 * One pass.  What is looked for is not a match but a byte without which there is
 * none, close to the match's first byte:
 *
 *		a digit, the first of a run		card, ssn, ipv4: there, or one byte before, or
 *		phone, iban, ipv6				two (AA DD of an iban)
 *		a colon							ipv6: up to four bytes before
 *		@								email: up to ROWFN_PII_LOCAL before
 *
 * So most of a text is skipped eight bytes at a time.  The next @ is found ahead
 * of the rest, as an address begins far before it.
 *
 * Where there is room enough, rowfn_pii_write_from() does with one look.
 * rowfn_pii_bytes() and rowfn_pii_write() agree, unless the bytes change between
 * them, as they may in a page whose pin is gone: then the answer is of no interest,
 * but nothing is written past its end.
 *
 * IDENTIFICATION
 *	  src/rowfn/pii.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_PII_H
#define GPUSTR_ROWFN_PII_H

#include "rowfn/pii_match.h"

/*
 * Called again and again while a search goes on, for those who include this in
 * PostgreSQL and want it to be cancelled: a long value takes seconds.
 */
#ifndef ROWFN_PII_POLL
#define ROWFN_PII_POLL() ((void) 0)
#endif

/* Bits of the step's constant. */
typedef enum RowfnPiiKind
{
	ROWFN_PII_EMAIL = 1,
	ROWFN_PII_IBAN = 2,
	ROWFN_PII_IPV6 = 4,
	ROWFN_PII_IPV4 = 8,
	ROWFN_PII_CARD = 16,
	ROWFN_PII_SSN = 32,
	ROWFN_PII_PHONE = 64,
	ROWFN_PII_ALL = 127
} RowfnPiiKind;

/* Digits of a run that are looked at at once: more than matter to any kind. */
#define ROWFN_PII_RUN (64 * 1024)

/* A match: bytes [start, end). */
typedef struct RowfnPiiMatch
{
	int32_t		start;
	int32_t		end;
	int32_t		kind;			/* RowfnPiiKind */
} RowfnPiiMatch;

/* A search from left to right. */
typedef struct RowfnPiiScan
{
	const char *s;
	int32_t		len;
	int32_t		kinds;
	int32_t		from;			/* no match begins before */
	int32_t		sign;			/* the @ of the next address, or where to look
								 * for it */
	RowfnPiiMatch email;		/* that address; start = len: there is none */
} RowfnPiiScan;

/* What stands for a match. */
GPUSTR_FN const char *
rowfn_pii_name(int32_t kind, int32_t *bytes)
{
	*bytes = kind == ROWFN_PII_SSN ? 5 :
		kind == ROWFN_PII_EMAIL || kind == ROWFN_PII_PHONE ? 7 : 6;
	switch (kind)
	{
		case ROWFN_PII_EMAIL:
			return "[EMAIL]";
		case ROWFN_PII_IBAN:
			return "[IBAN]";
		case ROWFN_PII_IPV6:
			return "[IPV6]";
		case ROWFN_PII_IPV4:
			return "[IPV4]";
		case ROWFN_PII_CARD:
			return "[CARD]";
		case ROWFN_PII_SSN:
			return "[SSN]";
		default:
			return "[PHONE]";
	}
}

/*
 * Eight bytes at p.  A device reads them only from aligned addresses.
 */
#ifdef __CUDA_ARCH__
#define ROWFN_PII_MAY_LOAD(p) (((uintptr_t) (p) & 7) == 0)
#else
#define ROWFN_PII_MAY_LOAD(p) 1
#endif

GPUSTR_FN uint64_t
rowfn_pii_load(const char *p)
{
#ifdef __CUDA_ARCH__
	return *(const uint64_t *) p;
#else
	uint64_t	bytes;

	__builtin_memcpy(&bytes, p, sizeof(bytes));
	return bytes;
#endif
}

/* The first of eight bytes of which the highest bit is set; there is one. */
GPUSTR_FN int32_t
rowfn_pii_first(uint64_t bytes)
{
#if defined(__CUDA_ARCH__)
	return (__ffsll((long long) bytes) - 1) >> 3;
#elif __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return __builtin_clzll(bytes) >> 3;
#else
	return __builtin_ctzll(bytes) >> 3;
#endif
}

#define ROWFN_PII_EACH(c) ((uint64_t) (c) * UINT64_C(0x0101010101010101))

/*
 * Which of eight bytes are from 'low' to 'high', both below 128: their highest bit
 * is set, all others are not.
 */
GPUSTR_FN uint64_t
rowfn_pii_between(uint64_t bytes, int low, int high)
{
	uint64_t	seven = bytes & ROWFN_PII_EACH(0x7F);

	return (seven + ROWFN_PII_EACH(0x80 - low)) & ~(seven + ROWFN_PII_EACH(0x7F - high)) &
		~bytes & ROWFN_PII_EACH(0x80);
}

/* The first byte from 'low' to 'high' in [i, end), end <= len; end if there is none. */
GPUSTR_FN int32_t
rowfn_pii_find(const char *s, int32_t len, int32_t i, int32_t end, int low, int high)
{
	while (i < end)
	{
		if (len - i >= 8 && ROWFN_PII_MAY_LOAD(s + i))
		{
			uint64_t	found = rowfn_pii_between(rowfn_pii_load(s + i), low, high);

			if (found != 0)
			{
				i += rowfn_pii_first(found);
				return i < end ? i : end;
			}
			i += 8;
		}
		else
		{
			unsigned	c = (unsigned char) s[i];

			if (c - (unsigned) low <= (unsigned) (high - low))
				return i;
			i++;
		}
	}
	return end;
}

/* Find the next address: the first that begins at scan->from or behind it. */
GPUSTR_FN void
rowfn_pii_next_email(RowfnPiiScan *scan)
{
	scan->email.kind = ROWFN_PII_EMAIL;
	for (;; scan->sign++)
	{
		scan->sign = rowfn_pii_find(scan->s, scan->len, scan->sign, scan->len, '@', '@');
		scan->email.start = scan->len;
		if (scan->sign >= scan->len)
			return;
		scan->email.end = rowfn_pii_domain(scan->s, scan->len, scan->sign);
		ROWFN_PII_POLL();
		if (scan->email.end == 0)
			continue;
		scan->email.start = rowfn_pii_local(scan->s, scan->len, scan->sign, scan->from);
		if (scan->email.start < scan->sign)
			return;
	}
}

/* Are there two colons side by side, or six?  Else there is no IPv6 address. */
GPUSTR_FN int
rowfn_pii_has_colons(const char *s, int32_t len)
{
	int32_t		i = -1;
	int			n;

	for (n = 0; n < 6; n++)
	{
		int32_t		before = i;

		i = rowfn_pii_find(s, len, i + 1, len, ':', ':');
		if (i >= len)
			return 0;
		if (n > 0 && i == before + 1)
			return 1;
	}
	return 1;
}

GPUSTR_FN RowfnPiiScan
rowfn_pii_begin(const char *s, int32_t len, int32_t kinds)
{
	RowfnPiiScan scan;

	scan.s = s;
	scan.len = len;
	scan.kinds = kinds;
	scan.from = 0;
	scan.sign = 0;
	scan.email.start = len;
	scan.email.end = 0;
	if (kinds & ROWFN_PII_EMAIL)
		rowfn_pii_next_email(&scan);
	if ((kinds & ROWFN_PII_IPV6) && !rowfn_pii_has_colons(s, len))
		scan.kinds &= ~ROWFN_PII_IPV6;
	return scan;
}

/*
 * What begins at i, a digit that begins a word and a run of n digits.  Only what
 * has the right length is looked at closely.
 */
GPUSTR_FN int32_t
rowfn_pii_at_digit(const RowfnPiiScan *scan, int32_t i, int32_t n, int32_t *kind)
{
	const char *s = scan->s;
	int32_t		len = scan->len;
	int32_t		kinds = scan->kinds;
	unsigned	next = rowfn_pii_byte(s, len, i + n);
	unsigned	then = rowfn_pii_byte(s, len, i + n + 1);
	int32_t		end = 0;

	/* most numbers in a text stand alone */
	if (!rowfn_pii_is_digit(then) && then != '(' && n < ROWFN_PII_CARD_MIN &&
		!(kinds & ROWFN_PII_IPV6))
		return 0;
	*kind = ROWFN_PII_IPV6;
	if ((kinds & ROWFN_PII_IPV6) && n <= 4 && (next == ':' || rowfn_pii_is_letter(next)))
		end = rowfn_pii_ipv6(s, len, i);
	if (end == 0 && (kinds & ROWFN_PII_IPV4) && n <= 3 && next == '.')
	{
		*kind = ROWFN_PII_IPV4;
		end = rowfn_pii_ipv4(s, len, i);
	}
	if (end == 0 && (kinds & ROWFN_PII_CARD) && n >= 4 && n <= ROWFN_PII_CARD_MAX &&
		(n >= ROWFN_PII_CARD_MIN || next == ' ' || next == '-'))
	{
		*kind = ROWFN_PII_CARD;
		end = rowfn_pii_card(s, len, i);
	}
	if (end == 0 && (kinds & ROWFN_PII_SSN) && n == 3 && (next == ' ' || next == '-'))
	{
		*kind = ROWFN_PII_SSN;
		end = rowfn_pii_ssn(s, len, i);
	}
	if (end == 0 && (kinds & ROWFN_PII_PHONE) && (n == 3 || n == 1) &&
		(next == ' ' || next == '-' || next == '.'))
	{
		*kind = ROWFN_PII_PHONE;
		end = rowfn_pii_phone_national(s, len, i);
	}
	return end;
}

/*
 * A match that begins at or closely before i, where a run of n digits begins; 0 or 1.
 */
GPUSTR_FN int
rowfn_pii_near_digit(const RowfnPiiScan *scan, int32_t i, int32_t n, RowfnPiiMatch *match)
{
	const char *s = scan->s;
	int32_t		len = scan->len;
	unsigned	before = rowfn_pii_byte(s, len, i - 1);

	match->end = 0;
	if (rowfn_pii_is_word(before))
	{
		match->kind = ROWFN_PII_IBAN;
		match->start = i - 2;
		if ((scan->kinds & ROWFN_PII_IBAN) && n >= 2 && match->start >= scan->from &&
			rowfn_pii_is_letter(before) && !rowfn_pii_word_at(s, len, i - 3))
			match->end = rowfn_pii_iban(s, len, match->start);
		return match->end != 0;
	}
	if ((scan->kinds & ROWFN_PII_PHONE) && i > scan->from && (before == '+' || before == '('))
	{
		match->kind = ROWFN_PII_PHONE;
		match->start = i - 1;
		match->end = before == '+' ? rowfn_pii_phone_international(s, len, i - 1) :
			rowfn_pii_phone_national(s, len, i - 1);
		if (match->end != 0)
			return 1;
	}
	match->start = i;
	match->end = rowfn_pii_at_digit(scan, i, n, &match->kind);
	return match->end != 0;
}

/* A match that begins at or closely before i, where a colon is; 0 or 1. */
GPUSTR_FN int
rowfn_pii_near_colon(const RowfnPiiScan *scan, int32_t i, RowfnPiiMatch *match)
{
	const char *s = scan->s;
	int32_t		len = scan->len;

	match->kind = ROWFN_PII_IPV6;
	match->start = i;
	while (i - match->start < 5 && rowfn_pii_is_hex(rowfn_pii_byte(s, len, match->start - 1)))
		match->start--;

	/* what begins with a digit has been looked at */
	if (match->start < scan->from || rowfn_pii_word_at(s, len, match->start - 1) ||
		rowfn_pii_digit_at(s, len, match->start))
		return 0;
	match->end = rowfn_pii_ipv6(s, len, match->start);
	return match->end != 0;
}

/* The next match; 0: there is none. */
GPUSTR_FN int
rowfn_pii_next(RowfnPiiScan *scan, RowfnPiiMatch *match)
{
	int			high = scan->kinds & ROWFN_PII_IPV6 ? ':' : '9';	/* they are neighbours */
	int32_t		i = scan->from;
	int32_t		end;
	int			found = 0;

	if ((scan->kinds & ROWFN_PII_EMAIL) && scan->email.start < i)
		rowfn_pii_next_email(scan);

	/* what begins before the next address has such a byte before this place */
	end = scan->len - scan->email.start > 4 ? scan->email.start + 4 : scan->len;
	if (scan->kinds == ROWFN_PII_EMAIL)
		i = end;
	while (!found && (i = rowfn_pii_find(scan->s, scan->len, i, end, '0', high)) < end)
	{
		int32_t		n = rowfn_pii_digits(scan->s, scan->len, i, ROWFN_PII_RUN);

		found = n > 0 ? rowfn_pii_near_digit(scan, i, n, match) :
			rowfn_pii_near_colon(scan, i, match);
		i += n > 0 ? n : 1;
		ROWFN_PII_POLL();
	}
	if (scan->email.start < scan->len && (!found || scan->email.start <= match->start))
	{
		*match = scan->email;
		found = 1;
	}
	ROWFN_PII_POLL();
	if (found)
		scan->from = match->end;
	return found;
}

/* Bytes of the answer; kinds: bits of RowfnPiiKind. */
GPUSTR_FN int64_t
rowfn_pii_bytes(const char *s, int32_t len, int32_t kinds)
{
	RowfnPiiScan scan = rowfn_pii_begin(s, len, kinds);
	RowfnPiiMatch match;
	int64_t		bytes = len;

	while (rowfn_pii_next(&scan, &match))
	{
		int32_t		name;

		(void) rowfn_pii_name(match.kind, &name);
		bytes += name - (match.end - match.start);
	}
	return bytes;
}

/* Copy n bytes, or as many as there is room for; returns how many. */
GPUSTR_FN int64_t
rowfn_pii_copy(char *out, int64_t room, const char *from, int64_t n)
{
#ifdef __CUDA_ARCH__
	int64_t		i;
#endif

	if (n > room)
		n = room;
#ifdef __CUDA_ARCH__
	for (i = 0; i < n; i++)
		out[i] = from[i];
#else
	__builtin_memcpy(out, from, (size_t) n);
#endif
	return n;
}

/*
 * Write the answer, 'match' being the first match of the scan, to out[room]; no more
 * than there is room for.  Returns its bytes; 2 * len are enough, as the shortest
 * that matches is ::1.
 */
GPUSTR_FN int64_t
rowfn_pii_write_from(RowfnPiiScan *scan, RowfnPiiMatch *match, char *out, int64_t room)
{
	int64_t		used = 0;
	int32_t		from = 0;

	do
	{
		int32_t		name_bytes;
		const char *name = rowfn_pii_name(match->kind, &name_bytes);

		used += rowfn_pii_copy(out + used, room - used, scan->s + from, match->start - from);
		used += rowfn_pii_copy(out + used, room - used, name, name_bytes);
		from = match->end;
	} while (rowfn_pii_next(scan, match));
	return used + rowfn_pii_copy(out + used, room - used, scan->s + from, scan->len - from);
}

/* Write the answer to out[bytes], bytes as rowfn_pii_bytes() said. */
GPUSTR_FN void
rowfn_pii_write(const char *s, int32_t len, int32_t kinds, char *out, int64_t bytes)
{
	RowfnPiiScan scan = rowfn_pii_begin(s, len, kinds);
	RowfnPiiMatch match;
	int64_t		used;

	used = rowfn_pii_next(&scan, &match) ? rowfn_pii_write_from(&scan, &match, out, bytes) :
		rowfn_pii_copy(out, bytes, s, len);

	/* the text has changed meanwhile */
	while (used < bytes)
		out[used++] = ' ';
}

#endif							/* GPUSTR_ROWFN_PII_H */
