/*-------------------------------------------------------------------------
 *
 * regex_extents.h
 *	  Where a regular expression matches: regexp_substr(), regexp_replace(),
 *	  regexp_count(), regexp_instr().
 *
 * plan/regex_extents.c makes the automaton (GpustrRegexExtents in
 * program/text_function.h) and says why this is what PostgreSQL finds: of the
 * places from which there is a match the first; of the ends of a match from there
 * the last, or the first.  So the automaton is tried from one place after the
 * other, until it finds an end.  Most places are passed by for their first byte
 * alone.
 *
 *		'aa|ab*' in 'xabb'	x begins nothing; from a: ends at 2, 3, 4
 *
 * The automaton has to see the character behind a match, and at first the one
 * before it, which matter to ^, \m and the like.
 *
 * The next search begins at a match's end, one character later if that is where it
 * begins, too, as in replace_text_regexp() and setup_regexp_matches(); never past
 * the end of the text.
 *
 * A text in which too many places fail late is recheck: ROWFN_EXTENTS_STEPS bounds
 * what one row takes.
 *
 * IDENTIFICATION
 *	  src/rowfn/regex_extents.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_REGEX_EXTENTS_H
#define GPUSTR_ROWFN_REGEX_EXTENTS_H

#include "rowfn/characters.h"
#include "rowfn/dfa.h"

/* Bytes of a text, at most; what is longer is PostgreSQL's. */
#define ROWFN_EXTENTS_BYTES (1 << 20)

/*
 * Bytes that all tries together may look at.  Not more for long texts: a step takes a
 * device's thread some 80 ns, and threads of a warp that try at different bytes
 * wait for each other.
 */
#define ROWFN_EXTENTS_MOST_STEPS (INT64_C(1) << 21)
#define ROWFN_EXTENTS_STEPS(len) \
	((16 * (int64_t) (len) < ROWFN_EXTENTS_MOST_STEPS ? 16 * (int64_t) (len) : ROWFN_EXTENTS_MOST_STEPS) + 4096)

/* What a search finds. */
#define ROWFN_EXTENTS_RECHECK (-1)
#define ROWFN_EXTENTS_NONE 0
#define ROWFN_EXTENTS_FOUND 1

typedef struct RowfnExtents
{
	const GpustrRegexExtents *x;
	RowfnText	text;
	int32_t		encoding;		/* GpustrEncoding */
	int64_t		left;			/* steps; below 0: too many */
	int32_t		at;				/* bytes before the next search; more than
								 * there are: none */
	int32_t		begin;			/* of the match that was found, in bytes */
	int32_t		end;
} RowfnExtents;

GPUSTR_FN RowfnExtents
rowfn_extents_begin(const RowfnArgs *args)
{
	RowfnExtents e;
	int64_t		passed_end = 0;

	e.x = (const GpustrRegexExtents *) args->constant;
	e.text = args->text[0];
	e.encoding = args->encoding;
	e.left = e.text.len > ROWFN_EXTENTS_BYTES || rowfn_text_cut(e.text.s, e.text.len, e.encoding) ?
		-1 : ROWFN_EXTENTS_STEPS(e.text.len);
	e.at = 0;
	e.begin = 0;
	e.end = 0;
	if (e.x->pass > 0 && e.left >= 0)
		e.at = rowfn_skip_counting(e.text.s, e.text.len, e.x->pass, args->encoding, &passed_end);
	if (e.at < 0)
	{
		e.at = 0;
		e.left = -1;
	}
	else if (passed_end > 0)
		e.at = e.text.len + 1;
	return e;
}

/* Where the character starts that byte i is of; not before 'first'. */
GPUSTR_FN int32_t
rowfn_extents_character(const RowfnExtents *e, int32_t i, int32_t first)
{
	int			n = 0;

	while (e->encoding == GPUSTR_ENC_UTF8 && i > first && n < 3 &&
		   rowfn_utf8_is_continuation(e->text.s[i]))
	{
		i--;
		n++;
	}
	return i;
}

/* The state in which a match from byte 'at' on starts. */
GPUSTR_FN uint32_t
rowfn_extents_start(const RowfnExtents *e, int32_t at)
{
	const GpustrDfa *dfa = GPUSTR_EXTENTS_DFA(e->x);
	int32_t		before;

	if (e->x->plain >= 0)
		return (uint32_t) e->x->plain;
	if (at == 0)
		return (uint32_t) dfa->start;
	before = rowfn_extents_character(e, at - 1, 0);
	return rowfn_dfa_run(dfa, (uint32_t) e->x->middle, e->text.s + before, at - before);
}

/* Is there a match from byte 'at' on?  One of ROWFN_EXTENTS_. */
GPUSTR_FN int
rowfn_extents_try(RowfnExtents *e, int32_t at)
{
	const GpustrDfa *dfa = GPUSTR_EXTENTS_DFA(e->x);
	const uint16_t *next = ROWFN_DFA_NEXT(dfa);
	uint32_t	nclasses = (uint32_t) dfa->nclasses;
	uint32_t	accept = (uint32_t) e->x->accept;
	uint32_t	naccept = (uint32_t) e->x->naccept;
	int			shortest = (e->x->flags & GPUSTR_EXTENTS_SHORTEST) != 0;
	uint32_t	state = rowfn_extents_start(e, at);
	int32_t		behind = -1;	/* last byte that let it accept */
	int32_t		i;

	for (i = at; i < e->text.len && state > GPUSTR_DFA_ACCEPT; i++)
	{
		state = next[state * nclasses + dfa->class_of[(unsigned char) e->text.s[i]]];
		if (state - accept < naccept)
		{
			behind = i;
			if (shortest)
				break;
		}
	}
	e->left -= i - at + 1;
	if (state == GPUSTR_DFA_ACCEPT || e->left < 0)
		return ROWFN_EXTENTS_RECHECK;
	e->begin = at;
	if (i == e->text.len && ROWFN_DFA_AT_END(dfa)[state] == GPUSTR_TRUE)
		e->end = i;
	else if (behind >= 0)
		e->end = rowfn_extents_character(e, behind, at);
	else
		return ROWFN_EXTENTS_NONE;
	return ROWFN_EXTENTS_FOUND;
}

/* The next match. */
GPUSTR_FN int
rowfn_extents_next(RowfnExtents *e)
{
	int32_t		len = e->text.len;
	int32_t		at;

	if (e->left < 0)
		return ROWFN_EXTENTS_RECHECK;
	for (at = e->at; at <= len; at++)
	{
		int			found;

		if (at < len)
		{
			uint32_t	byte = (unsigned char) e->text.s[at];

			if (((e->x->begins[byte / 32] >> (byte % 32)) & 1) == 0)
				continue;
		}
		found = rowfn_extents_try(e, at);
		if (found == ROWFN_EXTENTS_NONE)
			continue;
		e->at = e->end;
		if (e->end == e->begin)
			e->at += e->end < len ? rowfn_lead_bytes(e->text.s[e->end], e->encoding) : 1;
		return found;
	}
	e->at = len + 1;
	return ROWFN_EXTENTS_NONE;
}

/* The match that is wanted; of all, the next. */
GPUSTR_FN int
rowfn_extents_wanted(RowfnExtents *e)
{
	int			found = rowfn_extents_next(e);
	int32_t		n;

	for (n = 1; n < e->x->which && found == ROWFN_EXTENTS_FOUND; n++)
		found = rowfn_extents_next(e);
	return found;
}

/* regexp_substr(); recheck where there is no match: the answer is NULL. */
GPUSTR_FN int
rowfn_regex_substr(const RowfnArgs *args, RowfnText *slice)
{
	RowfnExtents e = rowfn_extents_begin(args);

	if (rowfn_extents_wanted(&e) != ROWFN_EXTENTS_FOUND)
		return 0;
	slice->s = e.text.s + e.begin;
	slice->len = e.end - e.begin;
	return 1;
}

/* regexp_count() */
GPUSTR_FN int
rowfn_regex_count(const RowfnArgs *args, int64_t *value)
{
	RowfnExtents e = rowfn_extents_begin(args);
	int64_t		n = 0;
	int			found;

	while ((found = rowfn_extents_next(&e)) == ROWFN_EXTENTS_FOUND)
		n++;
	*value = n;
	return found == ROWFN_EXTENTS_NONE;
}

/* regexp_instr(): at which character the match begins, or where it ends; 0: there is none. */
GPUSTR_FN int
rowfn_regex_instr(const RowfnArgs *args, int64_t *value)
{
	RowfnExtents e = rowfn_extents_begin(args);
	int			found = rowfn_extents_wanted(&e);

	*value = 0;
	if (found == ROWFN_EXTENTS_FOUND)
		*value = (int64_t) rowfn_char_count(e.text.s, e.x->flags & GPUSTR_EXTENTS_END ? e.end : e.begin,
											args->encoding) + 1;
	return found != ROWFN_EXTENTS_RECHECK;
}

/*
 * What a replacement is made of, as PostgreSQL's appendStringInfoRegexpSubstr() has
 * it: \& is the match and \\ a backslash; before anything else, or nothing, a
 * backslash stands for itself.  Returns 0 if there is \1 to \9.
 */
GPUSTR_FN int
rowfn_replacement_parts(RowfnText with, int64_t *bytes, int64_t *matches)
{
	int32_t		i;

	*bytes = 0;
	*matches = 0;
	for (i = 0; i < with.len; i++)
	{
		if (with.s[i] == '\\' && i + 1 < with.len)
		{
			char		c = with.s[i + 1];

			if (c >= '1' && c <= '9')
				return 0;
			if (c == '&' || c == '\\')
				i++;
			if (c == '&')
			{
				(*matches)++;
				continue;
			}
		}
		(*bytes)++;
	}
	return 1;
}

/* A replacement with backslashes in the place of a match. */
GPUSTR_FN void
rowfn_put_replacement(RowfnOut *out, RowfnText with, const char *match, int32_t len)
{
	int32_t		i;

	for (i = 0; i < with.len; i++)
	{
		char		c = with.s[i];

		if (c == '\\' && i + 1 < with.len)
		{
			if (with.s[i + 1] == '&')
			{
				rowfn_put(out, match, len);
				i++;
				continue;
			}
			if (with.s[i + 1] == '\\')
				i++;
		}
		rowfn_put_byte(out, (unsigned char) c);
	}
}

/*
 * regexp_replace(): what fits of the answer to made[room]; its bytes, however many, or
 * ROWFN_TEXT_RECHECK.
 */
GPUSTR_FN int64_t
rowfn_regex_replace(const RowfnArgs *args, char *made, int64_t room)
{
	RowfnOut	out = rowfn_out(made, room);
	RowfnText	with = args->text[1];
	RowfnExtents e = rowfn_extents_begin(args);
	int64_t		bytes = e.text.len;
	int32_t		from = 0;
	int64_t		literal;
	int64_t		matches;
	int			found;

	if (!rowfn_replacement_parts(with, &literal, &matches))
		return ROWFN_TEXT_RECHECK;
	while ((found = rowfn_extents_wanted(&e)) == ROWFN_EXTENTS_FOUND)
	{
		bytes += literal + (matches - 1) * (e.end - e.begin);
		if (out.left > 0)
		{
			rowfn_put(&out, e.text.s + from, e.begin - from);
			if (literal == with.len)
				rowfn_put(&out, with.s, with.len);
			else
				rowfn_put_replacement(&out, with, e.text.s + e.begin, e.end - e.begin);
			from = e.end;
		}
		if (e.x->which > 0)
			break;
	}
	if (found == ROWFN_EXTENTS_RECHECK)
		return ROWFN_TEXT_RECHECK;
	if (out.left > 0)
		rowfn_put(&out, e.text.s + from, e.text.len - from);
	return bytes;
}

#endif							/* GPUSTR_ROWFN_REGEX_EXTENTS_H */
