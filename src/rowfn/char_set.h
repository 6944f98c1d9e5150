/*-------------------------------------------------------------------------
 *
 * char_set.h
 *	  A text as a set of characters, for trimming and translating.
 *
 * Whether it has an ASCII character is asked of 128 bits; others, and which one
 * it is, are looked for in the text.  A text that is large, in which as much is
 * to be looked for, is PostgreSQL's.
 *
 * IDENTIFICATION
 *	  src/rowfn/char_set.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_CHAR_SET_H
#define GPUSTR_ROWFN_CHAR_SET_H

#include "rowfn/characters.h"

/*
 * The most bytes of a set, and of a set times those of the text that is asked
 * for.  With more, a row could take a device for seconds: some 50 ns a byte of the
 * set, twice.
 */
#define ROWFN_SET_BYTES 4096
#define ROWFN_SET_WORK (INT64_C(1) << 24)

/* Past these bytes PostgreSQL's arrays over the characters of a text do not fit. */
#define ROWFN_CHARACTERS_BYTES (1 << 26)

typedef struct RowfnCharSet
{
	const char *s;
	int32_t		len;
	int32_t		encoding;
	uint64_t	low;			/* of characters 0 to 63 */
	uint64_t	high;			/* of 64 to 127 */
	int			others;			/* are there any? */
} RowfnCharSet;

/* Make the set, to be used for a text of text_len bytes.  Returns 0: recheck. */
GPUSTR_FN int
rowfn_char_set(RowfnText set, int32_t text_len, int32_t encoding, RowfnCharSet *made)
{
	int32_t		i;

	if (text_len > ROWFN_CHARACTERS_BYTES || set.len > ROWFN_SET_BYTES ||
		(int64_t) set.len * text_len > ROWFN_SET_WORK || rowfn_text_cut(set.s, set.len, encoding))
		return 0;
	made->s = set.s;
	made->len = set.len;
	made->encoding = encoding;
	made->low = 0;
	made->high = 0;
	made->others = 0;
	for (i = 0; i < set.len; i++)
	{
		unsigned char c = (unsigned char) set.s[i];

		if (c < 64)
			made->low |= UINT64_C(1) << c;
		else if (c < 128)
			made->high |= UINT64_C(1) << (c - 64);
		else
			made->others = 1;
	}
	return 1;
}

/* Which of the set's characters, from 0, is that of n bytes at s?  -1: none. */
GPUSTR_FN int32_t
rowfn_char_set_index(const RowfnCharSet *set, const char *s, int32_t n)
{
	unsigned char c = (unsigned char) s[0];
	int32_t		index = 0;
	int32_t		bytes;
	int32_t		i;
	int32_t		j;

	if (c < 128 ? (((c < 64 ? set->low : set->high) >> (c & 63)) & 1) == 0 : !set->others)
		return -1;
	if (!set->others)
	{
		for (i = 0; i < set->len; i++)
			if (set->s[i] == s[0])
				return i;
		return -1;				/* it has changed */
	}
	for (i = 0; i < set->len; i += bytes)
	{
		bytes = rowfn_lead_bytes(set->s[i], set->encoding);
		if (bytes > set->len - i)
			return -1;			/* it has changed */
		if (bytes == n)
		{
			for (j = 0; j < n && set->s[i + j] == s[j]; j++)
				;
			if (j == n)
				return index;
		}
		index++;
	}
	return -1;
}

/* Is the character of n bytes at s in the set? */
GPUSTR_FN int
rowfn_char_set_has(const RowfnCharSet *set, const char *s, int32_t n)
{
	unsigned char c = (unsigned char) s[0];

	if (c < 64)
		return (int) ((set->low >> c) & 1);
	if (c < 128 && n == 1)
		return (int) ((set->high >> (c - 64)) & 1);
	return rowfn_char_set_index(set, s, n) >= 0;
}

#endif							/* GPUSTR_ROWFN_CHAR_SET_H */
