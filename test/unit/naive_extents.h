/*-------------------------------------------------------------------------
 *
 * naive_extents.h
 *	  Plain answers to calls of functions of texts: where something matches.
 *
 * All places are tried, and all ends from there, character by character.
 *
 * IDENTIFICATION
 *	  test/unit/naive_extents.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_TEST_NAIVE_EXTENTS_H
#define GPUSTR_TEST_NAIVE_EXTENTS_H

#include "naive_text.h"

/* Matches of a text, as numbers of characters. */
typedef struct NaiveExtents
{
	const GpustrRegexExtents *x;
	const NaiveChars *chars;
	int64_t		steps;			/* bytes looked at, and one for each place */
	int			recheck;
	int32_t		begin;
	int32_t		end;
} NaiveExtents;

/* The state after byte i. */
static inline int32_t
naive_step(const NaiveExtents *e, int32_t state, int32_t i)
{
	const GpustrDfa *dfa = (const GpustrDfa *) (e->x + 1);
	const uint16_t *next = (const uint16_t *) ((const char *) dfa + dfa->next_off);

	return next[state * dfa->nclasses + dfa->class_of[(unsigned char) e->chars->s[i]]];
}

/* Where a match from character 'begin' on ends; -1: there is none. */
static inline int32_t
naive_match_end(NaiveExtents *e, int32_t begin)
{
	const GpustrDfa *dfa = (const GpustrDfa *) (e->x + 1);
	const int32_t *off = e->chars->off;
	int			shortest = (e->x->flags & GPUSTR_EXTENTS_SHORTEST) != 0;
	int32_t		state = begin == 0 ? dfa->start : e->x->middle;
	int32_t		end = -1;
	int32_t		c;
	int32_t		i;

	if (begin > 0)
		for (i = off[begin - 1]; i < off[begin]; i++)
			state = naive_step(e, state, i);
	if (e->x->plain >= 0)
		state = e->x->plain;
	for (c = begin; c < e->chars->n && !(shortest && end >= 0); c++)
		for (i = off[c]; i < off[c + 1] && state > 1 && !(shortest && end >= 0); i++)
		{
			state = naive_step(e, state, i);
			e->steps += !(shortest && state >= e->x->accept && state < e->x->accept + e->x->naccept);
			if (state >= e->x->accept && state < e->x->accept + e->x->naccept)
				end = c;
		}
	e->steps++;
	if (state == 1)
		e->recheck = 1;
	if (!(shortest && end >= 0) && c == e->chars->n && state > 1 &&
		((const uint8_t *) dfa + dfa->at_end_off)[state] == 1)
		end = c;
	return end;
}

/* Find the first match from character 'from' on. */
static inline int
naive_find_extents(NaiveExtents *e, int32_t from)
{
	int32_t		len = e->chars->off[e->chars->n];
	int32_t		b;

	for (b = from; b <= e->chars->n; b++)
	{
		int64_t		steps = e->steps;
		uint32_t	byte = b < e->chars->n ? (unsigned char) e->chars->s[e->chars->off[b]] : 0;
		int			passed = b < e->chars->n && (e->x->begins[byte / 32] >> byte % 32 & 1) == 0;

		e->begin = b;
		e->end = naive_match_end(e, b);
		if (passed)
			e->steps = steps;
		if (passed && (e->end >= 0 || e->recheck))
		{
			printf("# a match begins with byte %u\n", byte);
			exit(2);
		}
		if (e->recheck || e->steps > 16 * (int64_t) len + 4096)
		{
			e->recheck = 1;
			return 0;
		}
		if (e->end >= 0)
			return 1;
	}
	return 0;
}

/* What stands for a match; 0: \1 to \9. */
static inline int
naive_replacement(NaiveAnswer *answer, RowfnText with, const char *match, int32_t len)
{
	int32_t		i;

	for (i = 0; i < with.len; i++)
	{
		char		next = i + 1 < with.len ? with.s[i + 1] : ' ';

		if (with.s[i] != '\\')
			naive_add(answer, with.s + i, 1);
		else if (next == '&')
		{
			naive_add(answer, match, len);
			i++;
		}
		else
		{
			naive_add(answer, "\\", 1);
			if (next == '\\')
				i++;
			else if (next >= '1' && next <= '9')
				return 0;
		}
	}
	return 1;
}

/* regexp_substr(), regexp_replace(), regexp_count(), regexp_instr() */
static inline void
naive_extents(int function, const RowfnArgs *args, const NaiveChars *chars, NaiveAnswer *answer)
{
	NaiveExtents e = {(const GpustrRegexExtents *) args->constant, chars, 0, 0, 0, 0};
	static NaiveAnswer unused;
	int32_t		from = e.x->pass;
	int32_t		copied = 0;
	int64_t		n = 0;
	int			counts = function == GPUSTR_TEXT_REGEX_COUNT;
	int			found = 0;

	unused.value = 0;
	if (function == GPUSTR_TEXT_REGEX_REPLACE && !naive_replacement(&unused, args->text[1], "", 0))
		e.recheck = 1;
	while (!e.recheck && from <= chars->n && naive_find_extents(&e, from))
	{
		n++;
		from = e.end + (e.end == e.begin);
		if (e.x->which > n && !counts)
			continue;
		found = 1;
		if (function == GPUSTR_TEXT_REGEX_REPLACE)
		{
			naive_add_range(answer, chars, copied + 1, e.begin + 1);
			(void) naive_replacement(answer, args->text[1], chars->s + chars->off[e.begin],
									 chars->off[e.end] - chars->off[e.begin]);
			copied = e.end;
		}
		if (!counts && (e.x->which > 0 || function != GPUSTR_TEXT_REGEX_REPLACE))
			break;
	}
	answer->recheck = e.recheck || (function == GPUSTR_TEXT_REGEX_SUBSTR && !found);
	if (function == GPUSTR_TEXT_REGEX_REPLACE)
		naive_add_range(answer, chars, copied + 1, chars->n + 1);
	else if (function == GPUSTR_TEXT_REGEX_SUBSTR)
		naive_add_range(answer, chars, e.begin + 1, e.end + 1);
	else if (counts)
		answer->value = n;
	else
		answer->value = !found ? 0 : (e.x->flags & GPUSTR_EXTENTS_END ? e.end : e.begin) + 1;
}

#endif							/* GPUSTR_TEST_NAIVE_EXTENTS_H */
