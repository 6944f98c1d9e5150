/*-------------------------------------------------------------------------
 *
 * two_way.h
 *	  Search in linear time and constant memory, whatever the texts are.
 *
 * The Two-Way algorithm (Crochemore and Perrin, "Two-way string-matching",
 * 1991).  The text looked for is cut at a critical position, found from the
 * greater of its maximal suffixes under both orders of bytes; the right part is
 * compared from left to right, a mismatch moves on by as many bytes as have
 * matched, and then the left part is compared.  After a hit, or a mismatch in the
 * left part, it moves on by the period, or where the text looked for has no
 * short one by a lower bound of it: so overlapping hits are all found.
 *
 * Both the preparation and the search can be left after any amount of work and
 * taken up again, as PostgreSQL wants to look for interrupts.
 *
 * The bytes looked at may be folded as they are compared, as ILIKE has it; what is
 * looked for has been folded before.
 *
 * IDENTIFICATION
 *	  src/rowfn/two_way.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_TWO_WAY_H
#define GPUSTR_ROWFN_TWO_WAY_H

#include "rowfn/fold.h"

typedef struct RowfnTwoWay
{
	const char *what;
	int32_t		n;
	int			phase;			/* 0, 1: maximal suffix, by either order; 2:
								 * right part; 3: left part */

	/* a maximal suffix being looked for */
	int32_t		suffix;			/* it starts at suffix + 1 */
	int32_t		other;			/* one that is compared with it */
	int32_t		k;				/* bytes from there */
	int32_t		period;

	int32_t		cut;			/* the right part starts at cut + 1 */
	int32_t		memory;			/* bytes that are known to match after a shift */
	int32_t		known;			/* the same, at this place */
	int32_t		at;				/* the place at hand */
} RowfnTwoWay;

#define ROWFN_TWO_WAY_MORE	0	/* the budget is spent */
#define ROWFN_TWO_WAY_HIT	1
#define ROWFN_TWO_WAY_END	2

GPUSTR_FN void
rowfn_two_way_suffix(RowfnTwoWay *t)
{
	t->suffix = -1;
	t->other = 0;
	t->k = 1;
	t->period = 1;
}

/* Look for the n >= 1 bytes of 'what', from byte 'at' on. */
GPUSTR_FN void
rowfn_two_way_begin(RowfnTwoWay *t, const char *what, int32_t n, int32_t at)
{
	t->what = what;
	t->n = n;
	t->at = at;
	t->phase = 0;
	t->cut = 0;
	t->memory = 0;
	t->known = 0;
	rowfn_two_way_suffix(t);
}

/* Both suffixes are known: where to cut, and by how much to move on. */
GPUSTR_FN void
rowfn_two_way_cut(RowfnTwoWay *t, int32_t first_suffix, int32_t first_period)
{
	if (first_suffix >= t->suffix)
	{
		t->cut = first_suffix;
		t->period = first_period;
	}
	else
		t->cut = t->suffix;
	if (t->cut + 1 <= t->n - t->period && rowfn_bytes_eq(t->what, t->what + t->period, t->cut + 1))
		t->memory = t->n - t->period;
	else
	{
		t->memory = 0;
		t->period = (t->cut > t->n - t->cut - 1 ? t->cut : t->n - t->cut - 1) + 1;
	}
	t->phase = 2;
	t->k = t->cut + 1;
}

/*
 * Find the maximal suffix of phase 0 or 1.  The first one's is kept in cut and
 * memory until the second one's is there.
 */
GPUSTR_FN void
rowfn_two_way_prepare(RowfnTwoWay *t, int64_t *budget)
{
	const char *what = t->what;

	while (t->k < t->n - t->other)
	{
		unsigned char a;
		unsigned char b;

		if ((*budget)-- <= 0)
			return;
		a = (unsigned char) what[t->suffix + t->k];
		b = (unsigned char) what[t->other + t->k];
		if (a == b)
		{
			if (t->k == t->period)
			{
				t->other += t->period;
				t->k = 1;
			}
			else
				t->k++;
		}
		else if (t->phase == 0 ? a > b : a < b)
		{
			t->other += t->k;
			t->k = 1;
			t->period = t->other - t->suffix;
		}
		else
		{
			t->suffix = t->other++;
			t->k = t->period = 1;
		}
	}
	if (t->phase == 0)
	{
		t->cut = t->suffix;
		t->memory = t->period;
		rowfn_two_way_suffix(t);
		t->phase = 1;
	}
	else
		rowfn_two_way_cut(t, t->cut, t->memory);
}

/* Bytes from k on to compare at once, up to 'end' and within the budget: where to stop. */
GPUSTR_FN int32_t
rowfn_two_way_stop(int32_t k, int32_t end, int64_t budget)
{
	return budget >= end - k ? end : budget > 0 ? k + (int32_t) budget : k;
}

/*
 * Go on in the len bytes of s, folded, for at most *budget comparisons, which is
 * lowered.  Returns one of the codes above; HIT: *hit is where.
 */
ROWFN_INLINE int
rowfn_two_way_step_folded(RowfnTwoWay *t, const char *s, int32_t len, int64_t *budget, int32_t *hit,
						  const GpustrFold *fold, RowfnFoldKind kind)
{
	const char *what = t->what;
	int32_t		n = t->n;
	int32_t		cut;
	int32_t		at = t->at;
	int32_t		known = t->known;
	int32_t		k;
	int64_t		left;
	int			phase;
	int			code = ROWFN_TWO_WAY_END;

	while (t->phase < 2)
	{
		if (*budget <= 0)
			return ROWFN_TWO_WAY_MORE;
		rowfn_two_way_prepare(t, budget);
	}
	cut = t->cut;
	k = t->k;
	phase = t->phase;
	left = *budget;
	while (at <= len - n)
	{
		int32_t		from = k;
		int32_t		stop;

		if (phase == 2)
		{
			if (k == cut + 1)
			{
				/* by one, to where the right part's first byte is */
				const char *right = s + at + k;
				int32_t		by = 0;

				stop = rowfn_two_way_stop(0, len - n - at, left);
				while (by < stop && rowfn_fold_byte(right[by], fold, kind) != what[k])
					by++;
				known = by > 0 ? 0 : known;
				at += by;
				left -= by;
			}
			stop = rowfn_two_way_stop(k, n, left);
			while (k < stop && what[k] == rowfn_fold_byte(s[at + k], fold, kind))
				k++;
			left -= k - from;
			if (k < n)
			{
				if (left <= 0)
				{
					code = ROWFN_TWO_WAY_MORE;
					break;
				}
				left--;
				/* one past the last place is as good as any further */
				at = k - cut <= len - at ? at + k - cut : len;
				known = 0;
				k = cut + 1;
				continue;
			}
			phase = 3;
			from = k = cut + 1;
		}
		stop = k - known <= left ? known : left > 0 ? k - (int32_t) left : k;
		while (k > stop && what[k - 1] == rowfn_fold_byte(s[at + k - 1], fold, kind))
			k--;
		left -= from - k;
		if (k > known)
		{
			if (left <= 0)
			{
				code = ROWFN_TWO_WAY_MORE;
				break;
			}
			left--;
		}
		else
		{
			*hit = at;
			code = ROWFN_TWO_WAY_HIT;
		}
		at = t->period <= len - at ? at + t->period : len;
		known = t->memory;
		k = cut + 1 > known ? cut + 1 : known;
		phase = 2;
		if (code == ROWFN_TWO_WAY_HIT)
			break;
	}
	t->at = at;
	t->known = known;
	t->k = k;
	t->phase = phase;
	*budget = left;
	return code;
}

/* The same, bytes as they are. */
GPUSTR_FN int
rowfn_two_way_step(RowfnTwoWay *t, const char *s, int32_t len, int64_t *budget, int32_t *hit)
{
	return rowfn_two_way_step_folded(t, s, len, budget, hit, (const GpustrFold *) 0, ROWFN_FOLD_NONE);
}

#endif							/* GPUSTR_ROWFN_TWO_WAY_H */
