/*-------------------------------------------------------------------------
 *
 * naive.h
 *	  Plain answers to compare the row functions with.
 *
 * Written from PostgreSQL's documentation and from the tables and comments in
 * program.h, redact.h and mask.h, without a look at how the row functions work, and as
 * simple as can be; slow.
 *
 * IDENTIFICATION
 *	  test/unit/naive.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_TEST_NAIVE_H
#define GPUSTR_TEST_NAIVE_H

#include <stdlib.h>
#include <string.h>

#include "program/program.h"

/* The tables of program.h, [left][right]. */
static const unsigned char naive_and[4][4] = {
	{0, 0, 0, 0}, {0, 1, 2, 3}, {0, 2, 2, 3}, {3, 3, 3, 3}
};
static const unsigned char naive_or[4][4] = {
	{0, 1, 2, 3}, {1, 1, 1, 1}, {2, 1, 2, 3}, {3, 3, 3, 3}
};
static const unsigned char naive_qual[4][4] = {
	{0, 0, 0, 0}, {0, 1, 2, 3}, {2, 2, 2, 2}, {3, 3, 3, 3}
};
static const unsigned char naive_not[4] = {1, 0, 2, 3};

/* Bytes of the character at s. */
static inline int32_t
naive_char_bytes(const char *s, int32_t len, int32_t encoding)
{
	int32_t		n = 1;

	if (encoding == GPUSTR_ENC_UTF8)
		while (n < len && ((unsigned char) s[n] & 0xC0) == 0x80)
			n++;
	return n;
}

/*
 * Does the text match the pattern, from here on?  "An underscore stands for
 * any single character; a percent sign matches any sequence of zero or more
 * characters; a backslash makes the character after it match itself."
 *
 * known[s * (plen + 1) + p]: 0 not asked yet, 1 no, 2 yes; or NULL.
 */
static inline int
naive_like_at(const char *text, int32_t len, int32_t s, const char *pattern, int32_t plen,
			  int32_t p, int32_t encoding, unsigned char *known)
{
	unsigned char *memo = &known[(size_t) s * ((size_t) plen + 1) + (size_t) p];
	int			yes;

	if (*memo != 0)
		return *memo == 2;
	if (p == plen)
		yes = s == len;
	else if (pattern[p] == '%')
		yes = naive_like_at(text, len, s, pattern, plen, p + 1, encoding, known) ||
			(s < len && naive_like_at(text, len, s + naive_char_bytes(text + s, len - s, encoding),
									  pattern, plen, p, encoding, known));
	else if (s == len)
		yes = 0;
	else if (pattern[p] == '_')
		yes = naive_like_at(text, len, s + naive_char_bytes(text + s, len - s, encoding),
							pattern, plen, p + 1, encoding, known);
	else
	{
		int32_t		q = pattern[p] == '\\' ? p + 1 : p;
		int32_t		n = naive_char_bytes(pattern + q, plen - q, encoding);

		yes = n <= len - s && memcmp(text + s, pattern + q, (size_t) n) == 0 &&
			naive_like_at(text, len, s + n, pattern, plen, q + n, encoding, known);
	}
	*memo = yes ? 2 : 1;
	return yes;
}

/* Does the pattern end in an escape with nothing after it? */
static inline int
naive_like_lone_escape(const char *pattern, int32_t plen)
{
	int32_t		p;

	for (p = 0; p < plen; p++)
		if (pattern[p] == '\\' && ++p == plen)
			return 1;
	return 0;
}

/* LIKE as a GpustrTruth. */
static inline int
naive_like(const char *text, int32_t len, const char *pattern, int32_t plen, int32_t encoding)
{
	unsigned char *known;
	int			yes;

	if (naive_like_lone_escape(pattern, plen))
		return GPUSTR_RECHECK;
	known = (unsigned char *) calloc((size_t) len + 1, (size_t) plen + 1);
	yes = naive_like_at(text, len, 0, pattern, plen, 0, encoding, known);
	free(known);
	return yes ? GPUSTR_TRUE : GPUSTR_FALSE;
}

/* Does the text have a character that the fold leaves to PostgreSQL? */
static inline int
naive_fold_undecided(const char *text, int32_t len, const GpustrFold *fold)
{
	int32_t		i;

	for (i = 0; i < len; i++)
	{
		unsigned char c = (unsigned char) text[i];

		if (c >= 128 ? !fold->others_stay : fold->ascii[c] == GPUSTR_FOLD_RECHECK)
			return 1;
	}
	return 0;
}

/* ILIKE as a GpustrTruth; the pattern has been folded. */
static inline int
naive_ilike(const char *text, int32_t len, const GpustrFold *fold, const char *pattern,
			int32_t plen, int32_t encoding)
{
	char	   *folded;
	int32_t		i;
	int			truth;

	if (naive_fold_undecided(text, len, fold))
		return GPUSTR_RECHECK;
	folded = (char *) malloc((size_t) len + 1);
	for (i = 0; i < len; i++)
	{
		unsigned char c = (unsigned char) text[i];

		folded[i] = (char) (c < 128 ? fold->ascii[c] : c);
	}
	truth = naive_like(folded, len, pattern, plen, encoding);
	free(folded);
	return truth;
}

/* Redaction into out; returns its length. */
static inline int32_t
naive_redact(const char *name, int32_t len, const char *visibility, int32_t vlen,
			 int32_t encoding, char *out)
{
	const char *space = len > 0 ? (const char *) memchr(name, ' ', (size_t) len) : NULL;
	const char *last = space;
	int32_t		n = 0;

	if (vlen != 6 || memcmp(visibility, "public", 6) != 0)
	{
		memcpy(out, "X X", 3);
		return 3;
	}
	while (last != NULL && last < name + len && *last == ' ')
		last++;
	if (last != NULL && last < name + len)
	{
		n = naive_char_bytes(last, (int32_t) (name + len - last), encoding);
		memcpy(out, last, (size_t) n);
		out[n++] = ' ';
	}
	if (space != NULL)
		len = (int32_t) (space - name);
	if (len > 0)
		memcpy(out + n, name, (size_t) len);
	return n + len;
}

/*
 * Mask a text, character by character.  out: room for len bytes and as many
 * masks.  Returns the bytes.
 */
static inline int32_t
naive_mask(const char *text, int32_t len, int32_t keep_left, int32_t keep_right,
		   const char *mask, int32_t mask_bytes, int32_t encoding, char *out)
{
	int32_t		chars = 0;
	int32_t		bytes = 0;
	int32_t		c;
	int32_t		i;

	for (i = 0; i < len; i += naive_char_bytes(text + i, len - i, encoding))
		chars++;
	for (c = 0, i = 0; c < chars; c++)
	{
		int32_t		n = naive_char_bytes(text + i, len - i, encoding);
		int			kept = c < keep_left || chars - c <= keep_right;

		if (kept)
			memcpy(out + bytes, text + i, (size_t) n);
		else if (mask_bytes > 0)
			memcpy(out + bytes, mask, (size_t) mask_bytes);
		bytes += kept ? n : mask_bytes;
		i += n;
	}
	return bytes;
}

/*
 * Where n >= 1 bytes stand in a text, as program.h says it (GpustrFound).  out: room
 * for 4 bytes a place and 4 more.  Returns the bytes.
 */
static inline int32_t
naive_find_all(const char *text, int32_t len, const char *what, int32_t n, int32_t encoding, char *out)
{
	int32_t		starts = 0;
	int32_t		bytes = 4;
	int32_t		i;

	for (i = 0; i <= len - n; i++)
	{
		if (memcmp(text + i, what, (size_t) n) == 0)
		{
			memcpy(out + bytes, &starts, 4);
			bytes += 4;
		}
		starts += encoding != GPUSTR_ENC_UTF8 || ((unsigned char) text[i] & 0xC0) != 0x80;
	}
	memcpy(out, &starts, 4);
	return bytes;
}

#endif							/* GPUSTR_TEST_NAIVE_H */
