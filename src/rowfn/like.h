/*-------------------------------------------------------------------------
 *
 * like.h
 *	  Match a string against a compiled LIKE pattern.
 *
 * The compiler (program/like_compile.c) cuts a pattern at its unescaped '%'
 * into segments.  A segment is 'lead' times any character, followed by runs;
 * a run is literal bytes, followed by 'any' times any character:
 *
 *		ab__c%_d%%e		segments	{lead 0, "ab" any 2, "c" any 0}
 *									{lead 1, "d" any 0}
 *									{lead 0, "e" any 0}
 *
 * The first segment is anchored at the start of the string unless the pattern
 * begins with '%', the last at its end unless the pattern ends with '%'; a
 * pattern without '%' is one segment that must cover the string.  What is in
 * between is matched from left to right, each segment at the first place
 * where it fits.  That never misses a match: a segment takes a fixed number
 * of characters, so the leftmost place also leaves the most to the rest.
 * For the same reason a segment that runs out of string at one place does so
 * at every later place, and the search ends there.
 *
 * A segment's first literal is searched in linear time; what comes behind it in the
 * same segment is compared at each place where that stands.  So without '_' the cost
 * is linear, else at most (length of the string) x (length of the longest segment);
 * there is no recursion.
 *
 * In UTF-8 one '_' takes a character, and literals are searched byte by byte:
 * a literal starts with the first byte of a character, which no continuation
 * byte equals, so no match can start inside a character.
 *
 * ILIKE is the same with each byte of the string folded as it is compared; the
 * pattern has been folded before.  Values that the fold cannot decide are
 * GPUSTR_RECHECK.
 *
 * A pattern that ends in a lone escape makes PostgreSQL raise an error for
 * the rows where its matcher gets there: it is GPUSTR_RECHECK for all rows.
 *
 * A compiled pattern is one position-independent block, aligned to 8 bytes:
 *
 *		GpustrLikePattern, GpustrLikeSegment [nsegments],
 *		GpustrLikeRun [nruns], literal bytes
 *
 * IDENTIFICATION
 *	  src/rowfn/like.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_LIKE_H
#define GPUSTR_ROWFN_LIKE_H

#include "rowfn/find_bytes.h"
#include "rowfn/fold.h"
#include "rowfn/utf8.h"

/* GpustrLikePattern.flags */
#define GPUSTR_LIKE_RECHECK		0x01	/* every row is recheck */
#define GPUSTR_LIKE_AT_START	0x02	/* segment 0 is anchored at the start */
#define GPUSTR_LIKE_AT_END		0x04	/* the last segment is anchored at the
										 * end; with one segment that is also
										 * AT_START, it covers the string */

typedef struct GpustrLikePattern
{
	uint32_t	bytes;			/* of the whole block */
	uint32_t	flags;			/* GPUSTR_LIKE_... */
	int32_t		min_bytes;		/* no shorter string matches */
	int32_t		nsegments;
	int32_t		nruns;
	uint32_t	segment_off;	/* from the start of the block */
	uint32_t	run_off;
	uint32_t	literal_off;	/* of the first literal; the rest follow */
} GpustrLikePattern;

typedef struct GpustrLikeSegment
{
	int32_t		lead;			/* characters before the first run */
	int32_t		first_run;
	int32_t		nruns;			/* may be 0 */
} GpustrLikeSegment;

typedef struct GpustrLikeRun
{
	uint32_t	literal_off;	/* from the start of the block */
	int32_t		literal_bytes;	/* at least 1 */
	int32_t		any;			/* characters after the literal */
} GpustrLikeRun;

#define GPUSTR_LIKE_SEGMENTS(p) \
	((const GpustrLikeSegment *) ((const char *) (p) + (p)->segment_off))
#define GPUSTR_LIKE_RUNS(p) \
	((const GpustrLikeRun *) ((const char *) (p) + (p)->run_off))

/* Where the GpustrDfa is that may follow a pattern; bytes from the start of the block. */
#define GPUSTR_LIKE_AUTOMATON_AT(p) ((((const GpustrLikePattern *) (p))->bytes + 7u) & ~7u)

/* Is [off, off + count * size) within 'bytes', with off aligned to 4? */
GPUSTR_FN int
rowfn_like_region_ok(uint32_t off, int32_t count, uint32_t size, uint32_t bytes)
{
	return count >= 0 && off % 4 == 0 && off <= bytes &&
		(uint64_t) count * size <= bytes - off;
}

/*
 * Is there a well-formed pattern in the 'bytes' bytes at 'pattern'?  If so,
 * rowfn_like() reads nothing outside of it.  Returns 0 or 1.
 */
GPUSTR_FN int
rowfn_like_check(const void *pattern, uint32_t bytes)
{
	const GpustrLikePattern *p = (const GpustrLikePattern *) pattern;
	int32_t		i;

	if (bytes < sizeof(GpustrLikePattern) || p->bytes > bytes ||
		p->bytes < sizeof(GpustrLikePattern) ||
		!rowfn_like_region_ok(p->segment_off, p->nsegments, sizeof(GpustrLikeSegment), p->bytes) ||
		!rowfn_like_region_ok(p->run_off, p->nruns, sizeof(GpustrLikeRun), p->bytes) ||
		p->literal_off > p->bytes)
		return 0;
	if ((p->flags & (GPUSTR_LIKE_AT_START | GPUSTR_LIKE_AT_END)) != 0 && p->nsegments < 1)
		return 0;
	for (i = 0; i < p->nsegments; i++)
	{
		const GpustrLikeSegment *segment = GPUSTR_LIKE_SEGMENTS(p) + i;

		if (segment->lead < 0 || segment->nruns < 0 || segment->first_run < 0 ||
			segment->first_run > p->nruns ||
			segment->nruns > p->nruns - segment->first_run)
			return 0;
	}
	for (i = 0; i < p->nruns; i++)
	{
		const GpustrLikeRun *run = GPUSTR_LIKE_RUNS(p) + i;

		if (run->any < 0 || run->literal_bytes < 1 || run->literal_off > p->bytes ||
			(uint32_t) run->literal_bytes > p->bytes - run->literal_off)
			return 0;
	}
	return 1;
}

/* A pattern that is one literal, wherever it is: that; else NULL. */
GPUSTR_FN const GpustrLikeRun *
rowfn_like_only_literal(const GpustrLikePattern *p)
{
	const GpustrLikeSegment *segment = GPUSTR_LIKE_SEGMENTS(p);
	const GpustrLikeRun *run = GPUSTR_LIKE_RUNS(p);

	if (p->flags != 0 || p->nsegments != 1 || segment->lead != 0 || segment->nruns != 1)
		return (const GpustrLikeRun *) 0;
	run += segment->first_run;
	return run->any == 0 ? run : (const GpustrLikeRun *) 0;
}

/* Skip n characters forward from pos; -1 if there are not that many before end. */
GPUSTR_FN int32_t
rowfn_like_skip(const char *s, int32_t pos, int32_t end, int32_t n, int32_t encoding)
{
	if (n > end - pos)
		return -1;
	if (encoding != GPUSTR_ENC_UTF8)
		return pos + n;
	for (; n > 0; n--)
	{
		if (pos >= end)
			return -1;
		pos++;
		while (pos < end && rowfn_utf8_is_continuation(s[pos]))
			pos++;
	}
	return pos;
}

/* Skip n characters backward from pos; -1 if there are not that many after start. */
GPUSTR_FN int32_t
rowfn_like_skip_back(const char *s, int32_t start, int32_t pos, int32_t n, int32_t encoding)
{
	if (n > pos - start)
		return -1;
	if (encoding != GPUSTR_ENC_UTF8)
		return pos - n;
	for (; n > 0; n--)
	{
		if (pos <= start)
			return -1;
		pos--;
		while (pos > start && rowfn_utf8_is_continuation(s[pos]))
			pos--;
	}
	return pos;
}

/*
 * A literal that is looked for again and again, from one place behind the last hit:
 * once comparing takes more than find_bytes.h allows, over all of these searches,
 * two_way.h goes on, whose time is linear over all of them.
 */
typedef struct RowfnLikeFind
{
	int32_t		start;			/* where the first search began */
	int			slow;			/* two_way goes on, at first from slow_at */
	int32_t		slow_at;
	int64_t		compared;
} RowfnLikeFind;

ROWFN_INLINE RowfnLikeFind
rowfn_like_find_begin(int32_t start)
{
	RowfnLikeFind find = {start, 0, 0, 0};

	return find;
}

/*
 * Is the literal at this place, of which the first and the last byte fit?  If it is
 * not, comparing may have become slow.
 */
ROWFN_INLINE int
rowfn_like_find_here(RowfnLikeFind *find, const char *s, int32_t at, const char *literal, int32_t n,
					 const GpustrFold *fold, RowfnFoldKind kind)
{
	if (n <= 2)
		return 1;
	find->slow = rowfn_find_is_slow(&find->compared, n, at - find->start);
	find->slow_at = at + 1;
	return rowfn_folded_eq(s + at + 1, literal + 1, n - 2, fold, kind);
}

/*
 * rowfn_like_find_next() while that is not slow.  Candidates are places where the
 * first and the last byte of the literal both fit; with SSE2, 16 places are tried at
 * a time, and nothing outside [pos, end) is read.  On a device: find_bytes.h.
 */
ROWFN_INLINE int32_t
rowfn_like_find_fast(RowfnLikeFind *find, const char *s, int32_t pos, int32_t end,
					 const char *literal, int32_t n, const GpustrFold *fold, RowfnFoldKind kind)
{
	int32_t		stop = end - n + 1; /* places to try: [pos, stop) */
	char		first = literal[0];
	char		last = literal[n - 1];

#ifdef __CUDA_ARCH__
	if (kind == ROWFN_FOLD_NONE)
		return n <= end - pos ? rowfn_find_by_pieces(s, pos, end, literal, n) : -1;
#endif
#ifdef ROWFN_SSE2
	if (kind != ROWFN_FOLD_TABLE && stop - pos >= 16)
	{
		__m128i		first16 = _mm_set1_epi8(first);
		__m128i		last16 = _mm_set1_epi8(last);

		for (;;)
		{
			__m128i		at_first = _mm_loadu_si128((const __m128i *) (s + pos));
			__m128i		at_last = _mm_loadu_si128((const __m128i *) (s + pos + n - 1));
			unsigned	hits;

			at_first = rowfn_fold_16(at_first, kind);
			at_last = rowfn_fold_16(at_last, kind);
			hits = (unsigned) _mm_movemask_epi8(_mm_and_si128(_mm_cmpeq_epi8(at_first, first16),
															  _mm_cmpeq_epi8(at_last, last16)));
			for (; hits != 0; hits &= hits - 1)
			{
				int32_t		at = pos + __builtin_ctz(hits);

				if (rowfn_like_find_here(find, s, at, literal, n, fold, kind))
					return at;
				if (find->slow)
					return -1;
			}
			pos += 16;
			if (pos >= stop)
				return -1;
			/* the last group of 16 overlaps the one before */
			if (pos > stop - 16)
				pos = stop - 16;
		}
	}
#endif
	for (; pos < stop; pos++)
		if (rowfn_fold_byte(s[pos], fold, kind) == first &&
			rowfn_fold_byte(s[pos + n - 1], fold, kind) == last)
		{
			if (rowfn_like_find_here(find, s, pos, literal, n, fold, kind))
				return pos;
			if (find->slow)
				return -1;
		}
	return -1;
}

/* The next hit of a search that goes on by two_way, or -1. */
ROWFN_APART int32_t
rowfn_like_find_slow(RowfnTwoWay *two_way, const char *s, int32_t end, const GpustrFold *fold,
					 RowfnFoldKind kind)
{
	int64_t		budget = INT64_MAX;
	int32_t		hit = -1;

	if (kind == ROWFN_FOLD_NONE)
		(void) rowfn_two_way_step(two_way, s, end, &budget, &hit);
	else if (kind == ROWFN_FOLD_ASCII)
		(void) rowfn_two_way_step_folded(two_way, s, end, &budget, &hit, fold, ROWFN_FOLD_ASCII);
	else
		(void) rowfn_two_way_step_folded(two_way, s, end, &budget, &hit, fold, ROWFN_FOLD_TABLE);
	return hit;
}

ROWFN_APART void
rowfn_like_find_slow_begin(RowfnTwoWay *two_way, const char *literal, int32_t n, int32_t at)
{
	rowfn_two_way_begin(two_way, literal, n, at);
}

/* The first hit of a search that is slow from 'at' on, or -1. */
ROWFN_APART int32_t
rowfn_like_find_slowly(const char *s, int32_t at, int32_t end, const char *literal, int32_t n,
					   const GpustrFold *fold, RowfnFoldKind kind)
{
	RowfnTwoWay two_way;

	rowfn_two_way_begin(&two_way, literal, n, at);
	return rowfn_like_find_slow(&two_way, s, end, fold, kind);
}

/* First place in [pos, end) where the n >= 1 bytes of 'literal' stand, or -1. */
ROWFN_INLINE int32_t
rowfn_like_find(const char *s, int32_t pos, int32_t end, const char *literal, int32_t n,
				const GpustrFold *fold, RowfnFoldKind kind)
{
	RowfnLikeFind find = rowfn_like_find_begin(pos);
	int32_t		hit = rowfn_like_find_fast(&find, s, pos, end, literal, n, fold, kind);

	return hit >= 0 || !find.slow ? hit : rowfn_like_find_slowly(s, find.slow_at, end, literal, n, fold, kind);
}

/*
 * The same of a search that goes on; pos: one behind the last hit; at first, where
 * 'find' begins.  On a device each search is one by itself, as what is remembered
 * between them would take registers that all rows pay for.
 */
ROWFN_INLINE int32_t
rowfn_like_find_next(RowfnLikeFind *find, RowfnTwoWay *two_way, const char *s, int32_t pos,
					 int32_t end, const char *literal, int32_t n, const GpustrFold *fold,
					 RowfnFoldKind kind)
{
#ifdef __CUDA_ARCH__
	(void) find;
	(void) two_way;
	return rowfn_like_find(s, pos, end, literal, n, fold, kind);
#else
	if (!find->slow)
	{
		int32_t		hit = rowfn_like_find_fast(find, s, pos, end, literal, n, fold, kind);

		if (find->slow)
			rowfn_like_find_slow_begin(two_way, literal, n, find->slow_at);
		if (hit >= 0 || !find->slow)
			return hit;
	}
	return rowfn_like_find_slow(two_way, s, end, fold, kind);
#endif
}

/* rowfn_like_runs(): the runs do not fit here, or neither here nor later. */
#define ROWFN_LIKE_NOT_HERE	(-1)
#define ROWFN_LIKE_NEVER	(-2)

/*
 * Match nruns runs from pos on.  Returns the place after them, or one of the
 * codes above.
 */
ROWFN_INLINE int32_t
rowfn_like_runs(const char *s, int32_t pos, int32_t end, const char *block,
				const GpustrLikeRun *run, int32_t nruns, int32_t encoding,
				const GpustrFold *fold, RowfnFoldKind kind)
{
	int32_t		i;

	for (i = 0; i < nruns; i++)
	{
		int32_t		n = run[i].literal_bytes;

		if (n > end - pos)
			return ROWFN_LIKE_NEVER;
		if (!rowfn_folded_eq(s + pos, block + run[i].literal_off, n, fold, kind))
			return ROWFN_LIKE_NOT_HERE;
		pos = rowfn_like_skip(s, pos + n, end, run[i].any, encoding);
		if (pos < 0)
			return ROWFN_LIKE_NEVER;
	}
	return pos;
}

/* Match a segment that starts at pos.  Returns the place after it, or < 0. */
ROWFN_INLINE int32_t
rowfn_like_at_start(const char *s, int32_t pos, int32_t end, const char *block,
					const GpustrLikeSegment *segment, const GpustrLikeRun *run, int32_t encoding,
					const GpustrFold *fold, RowfnFoldKind kind)
{
	pos = rowfn_like_skip(s, pos, end, segment->lead, encoding);
	if (pos < 0)
		return pos;
	return rowfn_like_runs(s, pos, end, block, run + segment->first_run, segment->nruns, encoding,
						   fold, kind);
}

/* Match a segment that ends at end.  Returns where it starts, >= start, or < 0. */
ROWFN_INLINE int32_t
rowfn_like_at_end(const char *s, int32_t start, int32_t end, const char *block,
				  const GpustrLikeSegment *segment, const GpustrLikeRun *run, int32_t encoding,
				  const GpustrFold *fold, RowfnFoldKind kind)
{
	int32_t		i;

	run += segment->first_run;
	for (i = segment->nruns - 1; i >= 0; i--)
	{
		end = rowfn_like_skip_back(s, start, end, run[i].any, encoding);
		if (end < 0 || run[i].literal_bytes > end - start)
			return -1;
		end -= run[i].literal_bytes;
		if (!rowfn_folded_eq(s + end, block + run[i].literal_off, run[i].literal_bytes, fold, kind))
			return -1;
	}
	return rowfn_like_skip_back(s, start, end, segment->lead, encoding);
}

/*
 * Match a segment at the first place in [pos, end) where it fits.  Returns
 * the place after it, or < 0.
 */
ROWFN_INLINE int32_t
rowfn_like_anywhere(const char *s, int32_t pos, int32_t end, const char *block,
					const GpustrLikeSegment *segment, const GpustrLikeRun *run, int32_t encoding,
					const GpustrFold *fold, RowfnFoldKind kind)
{
	const char *literal;
	int32_t		n;
	RowfnLikeFind find;
	RowfnTwoWay two_way;

	if (segment->lead > 0)
		pos = rowfn_like_skip(s, pos, end, segment->lead, encoding);
	if (pos < 0 || segment->nruns == 0)
		return pos;
	run += segment->first_run;
	literal = block + run->literal_off;
	n = run->literal_bytes;
	find = rowfn_like_find_begin(pos);
	for (;;)
	{
		int32_t		after;

		pos = rowfn_like_find_next(&find, &two_way, s, pos, end, literal, n, fold, kind);
		if (pos < 0)
			return -1;
		after = rowfn_like_skip(s, pos + n, end, run->any, encoding);
		if (after < 0)
			return -1;
		after = rowfn_like_runs(s, after, end, block, run + 1, segment->nruns - 1, encoding, fold,
								kind);
		if (after != ROWFN_LIKE_NOT_HERE)
			return after;
		pos++;
	}
}

/* Is the string, folded, LIKE the pattern, which is not GPUSTR_LIKE_RECHECK? */
ROWFN_INLINE int
rowfn_like_folded(const char *s, int32_t len, const void *pattern, int32_t encoding,
				  const GpustrFold *fold, RowfnFoldKind kind)
{
	const GpustrLikePattern *p = (const GpustrLikePattern *) pattern;
	const char *block = (const char *) pattern;
	const GpustrLikeSegment *segment = GPUSTR_LIKE_SEGMENTS(p);
	const GpustrLikeSegment *last = segment + p->nsegments;
	const GpustrLikeRun *run = GPUSTR_LIKE_RUNS(p);
	uint32_t	flags = p->flags;
	int32_t		pos = 0;
	int32_t		end = len;

	if (len < p->min_bytes)
		return GPUSTR_FALSE;
	if (flags & GPUSTR_LIKE_AT_START)
	{
		pos = rowfn_like_at_start(s, pos, end, block, segment, run, encoding, fold, kind);
		if (pos < 0)
			return GPUSTR_FALSE;
		segment++;
		if (segment == last && (flags & GPUSTR_LIKE_AT_END))
			return pos == end ? GPUSTR_TRUE : GPUSTR_FALSE;
	}
	if (flags & GPUSTR_LIKE_AT_END)
	{
		last--;
		end = rowfn_like_at_end(s, pos, end, block, last, run, encoding, fold, kind);
		if (end < 0)
			return GPUSTR_FALSE;
	}
	for (; segment < last; segment++)
	{
		pos = rowfn_like_anywhere(s, pos, end, block, segment, run, encoding, fold, kind);
		if (pos < 0)
			return GPUSTR_FALSE;
	}
	return GPUSTR_TRUE;
}

/*
 * Is the string LIKE the pattern?
 *
 * s		[len] bytes, valid in the encoding
 * pattern	compiled by gpustr_like_compile() for the same encoding
 *
 * Returns GPUSTR_TRUE, GPUSTR_FALSE or GPUSTR_RECHECK.
 */
GPUSTR_FN int
rowfn_like(const char *s, int32_t len, const void *pattern, int32_t encoding)
{
	if (((const GpustrLikePattern *) pattern)->flags & GPUSTR_LIKE_RECHECK)
		return GPUSTR_RECHECK;
	return rowfn_like_folded(s, len, pattern, encoding, (const GpustrFold *) 0, ROWFN_FOLD_NONE);
}

/*
 * Is the string ILIKE the pattern?
 *
 * pattern	compiled from the folded pattern
 * kind		rowfn_fold_kind(fold), as a constant for speed
 *
 * The rest as for rowfn_like().
 */
ROWFN_INLINE int
rowfn_ilike(const char *s, int32_t len, const GpustrFold *fold, RowfnFoldKind kind,
			const void *pattern, int32_t encoding)
{
	if ((((const GpustrLikePattern *) pattern)->flags & GPUSTR_LIKE_RECHECK) ||
		rowfn_fold_undecided(s, len, fold, kind))
		return GPUSTR_RECHECK;
	return rowfn_like_folded(s, len, pattern, encoding, fold, kind);
}

#endif							/* GPUSTR_ROWFN_LIKE_H */
