/*-------------------------------------------------------------------------
 *
 * search.h
 *	  Find a text in another one.
 *
 * A text occurs at a position if its bytes stand there; positions count
 * characters from 1, and occurrences may overlap.  The empty text occurs at each
 * position, the one after the last character included.
 *
 * In UTF-8 bytes are searched for and characters are counted afterwards: a text
 * starts with the first byte of a character, which no continuation byte equals,
 * so no occurrence starts inside a character.
 *
 * To find the first occurrence: find_bytes.h.  For all of them RowfnSearch:
 * candidates by first and last byte, then a comparison; but the bytes that are
 * compared are counted, and where they become many (a text of one letter, say)
 * two_way.h goes on, whose time is linear in any case.  It stops after as much work
 * as it is told, or when its room for hits is full, and goes on from there.
 *
 * IDENTIFICATION
 *	  src/rowfn/search.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_SEARCH_H
#define GPUSTR_ROWFN_SEARCH_H

#include "rowfn/like.h"
#include "rowfn/two_way.h"

/*
 * Characters that start within the len bytes at s: all bytes in a single-byte
 * encoding, else those that continue none.
 */
GPUSTR_FN int32_t
rowfn_count_starts(const char *s, int32_t len, int32_t encoding)
{
	int32_t		n = 0;
	int32_t		i = 0;

	if (encoding != GPUSTR_ENC_UTF8)
		return len;
#ifdef ROWFN_SSE2
	while (len - i >= 16)
	{
		const __m128i below = _mm_set1_epi8(-65);	/* 0xBF */
		__m128i		sum = _mm_setzero_si128();
		int			turns = 0;

		for (; len - i >= 16 && turns < 255; i += 16, turns++)
			sum = _mm_sub_epi8(sum, _mm_cmpgt_epi8(_mm_loadu_si128((const __m128i *) (s + i)), below));
		sum = _mm_sad_epu8(sum, _mm_setzero_si128());
		n += _mm_cvtsi128_si32(sum) + _mm_cvtsi128_si32(_mm_srli_si128(sum, 8));
	}
#endif
	for (; i < len; i++)
		n += !rowfn_utf8_is_continuation(s[i]);
	return n;
}

/*
 * First position, from character 'from' on, where the n bytes of 'what' occur in
 * the len bytes of s; 0: nowhere.  from < 1 counts as 1.
 */
GPUSTR_FN int32_t
rowfn_find(const char *s, int32_t len, const char *what, int32_t n, int64_t from, int32_t encoding)
{
	int32_t		start;
	int32_t		hit;

	if (from < 1)
		from = 1;
	if (from - 1 > len)
		return 0;
	start = rowfn_like_skip(s, 0, len, (int32_t) (from - 1), encoding);
	if (start < 0)
		return 0;
	if (n == 0)
		return (int32_t) from;
	hit = rowfn_find_bytes(s, start, len, what, n);
	if (hit < 0)
		return 0;
	return (int32_t) from + rowfn_count_starts(s + start, hit - start, encoding);
}

/* A search in a long text, all hits one after the other. */
typedef struct RowfnSearch
{
	const char *s;
	int32_t		len;
	const char *what;
	int32_t		n;				/* >= 1 */
	int32_t		at;				/* candidates from here on */
	int64_t		compared;		/* bytes, less what is granted for each place */
	int			done;
	int			hard;			/* two_way goes on */
	RowfnTwoWay two_way;
} RowfnSearch;

/* Comparisons may take so many bytes for each place on average, and some to begin with. */
#define ROWFN_SEARCH_GRANT 4
#define ROWFN_SEARCH_CREDIT 65536

/* n >= 1; the search starts at byte 'at'. */
GPUSTR_FN void
rowfn_search_begin(RowfnSearch *search, const char *s, int32_t len, const char *what, int32_t n, int32_t at)
{
	search->s = s;
	search->len = len;
	search->what = what;
	search->n = n;
	search->at = at;
	search->compared = -ROWFN_SEARCH_CREDIT;
	search->done = 0;
	search->hard = 0;
}

/* Do the n bytes stand there?  Adds to *compared the bytes that were looked at. */
GPUSTR_FN int
rowfn_search_equal(const char *at, const char *what, int32_t n, int64_t *compared)
{
	int32_t		i;

	for (i = 0; n - i >= 64; i += 64)
		if (!rowfn_bytes_eq(at + i, what + i, 64))
		{
			*compared += i + 64;
			return 0;
		}
	*compared += n;
	return rowfn_bytes_eq(at + i, what + i, n - i);
}

/*
 * Candidates from search->at on, before 'stop'.  Returns the number of hits
 * written.  Stops early when there is no room, or too much to compare.
 */
GPUSTR_FN int32_t
rowfn_search_easy(RowfnSearch *search, int32_t stop, int32_t *hits, int32_t room)
{
	const char *s = search->s;
	const char *what = search->what;
	int32_t		n = search->n;
	int32_t		at = search->at;
	int32_t		nhits = 0;
	int64_t		compared = search->compared;

#ifdef ROWFN_SSE2
	const __m128i first16 = _mm_set1_epi8(what[0]);
	const __m128i last16 = _mm_set1_epi8(what[n - 1]);

	for (; stop - at >= 16 && room - nhits >= 16 && compared <= 0; at += 16)
	{
		__m128i		at_first = _mm_loadu_si128((const __m128i *) (s + at));
		__m128i		at_last = _mm_loadu_si128((const __m128i *) (s + at + n - 1));
		unsigned	found = (unsigned) _mm_movemask_epi8(_mm_and_si128(_mm_cmpeq_epi8(at_first, first16),
																	   _mm_cmpeq_epi8(at_last, last16)));

		for (; found != 0; found &= found - 1)
		{
			int32_t		place = at + __builtin_ctz(found);

			if (n <= 2 || rowfn_search_equal(s + place, what, n, &compared))
				hits[nhits++] = place;
		}
		compared -= compared > -ROWFN_SEARCH_CREDIT ? 16 * ROWFN_SEARCH_GRANT : 0;
	}
#endif
	for (; at < stop && nhits < room && compared <= 0; at++)
	{
		if (s[at] == what[0] && s[at + n - 1] == what[n - 1] &&
			(n <= 2 || rowfn_search_equal(s + at, what, n, &compared)))
			hits[nhits++] = at;
		compared -= compared > -ROWFN_SEARCH_CREDIT ? ROWFN_SEARCH_GRANT : 0;
	}
	search->compared = compared;
	search->at = at;
	return nhits;
}

/*
 * Go on for about 'budget' bytes.  Writes up to room >= 1 hits, byte positions
 * from 0, ascending; returns how many.  search->done says that these were the
 * last ones.
 */
GPUSTR_FN int32_t
rowfn_search_next(RowfnSearch *search, int64_t budget, int32_t *hits, int32_t room)
{
	int32_t		places = search->len - search->n + 1;
	int32_t		nhits = 0;

	while (!search->hard)
	{
		int32_t		before = search->at;
		int32_t		stop = places - before > budget ? before + (int32_t) budget : places;

		if (before >= places)
		{
			search->done = 1;
			return nhits;
		}
		if (budget <= 0 || nhits == room)
			return nhits;
		nhits += rowfn_search_easy(search, stop, hits + nhits, room - nhits);
		budget -= search->at - before;
		if (search->compared > 0)
		{
			search->hard = 1;
			rowfn_two_way_begin(&search->two_way, search->what, search->n, search->at);
		}
	}
	while (budget > 0 && nhits < room)
	{
		int			found = rowfn_two_way_step(&search->two_way, search->s, search->len, &budget, &hits[nhits]);

		if (found == ROWFN_TWO_WAY_END)
		{
			search->done = 1;
			break;
		}
		nhits += found == ROWFN_TWO_WAY_HIT;
	}
	return nhits;
}

/* Past these bytes comparing at each place anew takes too long. */
#define ROWFN_COUNT_EASY_BYTES 64

/* Hits that are counted at a time. */
#define ROWFN_COUNT_HITS 32

/* How many times the n bytes of 'what' occur in the len bytes of s. */
GPUSTR_FN int64_t
rowfn_count_matches(const char *s, int32_t len, const char *what, int32_t n, int32_t encoding)
{
	int32_t		hits[ROWFN_COUNT_HITS];
	int64_t		count = 0;
	int32_t		at = -1;
	RowfnSearch search;

	if (n == 0)
		return (int64_t) rowfn_count_starts(s, len, encoding) + 1;
	if (n <= ROWFN_COUNT_EASY_BYTES)
	{
		while ((at = rowfn_like_find(s, at + 1, len, what, n, (const GpustrFold *) 0, ROWFN_FOLD_NONE)) >= 0)
			count++;
		return count;
	}
	rowfn_search_begin(&search, s, len, what, n, 0);
	while (!search.done)
		count += rowfn_search_next(&search, INT64_MAX, hits, ROWFN_COUNT_HITS);
	return count;
}

#endif							/* GPUSTR_ROWFN_SEARCH_H */
