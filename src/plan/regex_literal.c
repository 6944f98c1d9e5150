/*-------------------------------------------------------------------------
 *
 * regex_literal.c
 *	  A literal that whatever matches a regular expression must have.
 *
 * A state without which the final state cannot be reached (a dominator of it) is come
 * to whenever a value matches.  The characters that must have been read just
 * before it is come to for the first time are a part of the value:
 *
 *	- if it is come to from one other state only, by arcs of one colour that
 *	  one character has: that one's, whenever it is come to, and the character;
 *	- else none.
 *
 * "Whenever" is stricter than "for the first time": there, an arc from the state
 * to itself counts, too.
 *
 * Lookaround and back-references make the automaton accept more than matches,
 * so what it needs, a match needs.
 *
 * IDENTIFICATION
 *	  src/plan/regex_literal.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"

#include "compat.h"
#include "plan/regex_literal.h"

#define NO_STATE (-1)
#define SEVERAL (-2)
#define NO_CHAR 0				/* no value has it */

/* Arcs that may be followed to find the dominators. */
#define MAX_FOLLOWED (2 * 1024 * 1024)

/* How a state is come to from others. */
typedef struct Entry
{
	int			from;			/* the only state; NO_STATE or SEVERAL */
	uint32		character;		/* that all these arcs take; NO_CHAR: not one */
	bool		repeats;		/* it has an arc to itself */
} Entry;

/* The one character of each colour; NO_CHAR if it has none or more. */
static uint32 *
characters_of_colors(const GpustrRegexNfa *nfa)
{
	uint32	   *character = palloc0_array(uint32, nfa->ncolors);
	uint64	   *n = palloc0_array(uint64, nfa->ncolors);
	int			i;

	for (i = 0; i < nfa->nruns; i++)
	{
		uint32		end = i + 1 < nfa->nruns ? nfa->runs[i + 1].first : gpustr_regex_last_char() + 1;
		int			co = nfa->runs[i].color;

		n[co] += end - nfa->runs[i].first;
		character[co] = nfa->runs[i].first;
	}
	for (i = 0; i < nfa->ncolors; i++)
	{
		if (n[i] != 1)
			character[i] = NO_CHAR;
	}
	return character;
}

/*
 * States that are reached from the initial one without going through 'without', one
 * after the other, into queue[]; reached[] is cleared first.  Their number.
 */
static int
reach(const GpustrRegexNfa *nfa, int without, bool *reached, int *queue)
{
	int			n = 0;
	int			i;
	int			k;

	memset(reached, 0, nfa->nstates * sizeof(bool));
	if (nfa->initial == without)
		return 0;
	reached[nfa->initial] = true;
	queue[n++] = nfa->initial;
	for (i = 0; i < n; i++)
	{
		for (k = nfa->first_arc[queue[i]]; k < nfa->first_arc[queue[i] + 1]; k++)
		{
			int			to = nfa->arcs[k].to;

			if (reached[to] || to == without)
				continue;
			reached[to] = true;
			queue[n++] = to;
		}
	}
	return n;
}

static void
note_arc(Entry *entry, int from, uint32 character)
{
	if (entry->from == NO_STATE)
	{
		entry->from = from;
		entry->character = character;
	}
	else
	{
		if (entry->from != from)
			entry->from = SEVERAL;
		if (entry->character != character)
			entry->character = NO_CHAR;
	}
}

/* How each state is come to, by arcs of the n states in queue[]. */
static Entry *
find_entries(const GpustrRegexNfa *nfa, const int *queue, int n)
{
	const uint32 *character = characters_of_colors(nfa);
	Entry	   *entries = palloc_array(Entry, nfa->nstates);
	int			i;
	int			k;

	for (i = 0; i < nfa->nstates; i++)
	{
		entries[i].from = NO_STATE;
		entries[i].character = NO_CHAR;
		entries[i].repeats = false;
	}
	for (i = 0; i < n; i++)
	{
		int			from = queue[i];

		for (k = nfa->first_arc[from]; k < nfa->first_arc[from + 1]; k++)
		{
			int			to = nfa->arcs[k].to;
			int			co = nfa->arcs[k].color;

			if (to == from)
				entries[to].repeats = true;
			else
				note_arc(&entries[to], from, co >= 0 ? character[co] : NO_CHAR);
		}
	}
	/* where a path begins, nothing has been read */
	entries[nfa->initial].character = NO_CHAR;
	return entries;
}

/* What must have been read when a state is first come to: bytes, from the end of to[]. */
static int
read_before(const Entry *entries, int state, char *to)
{
	bool		utf8 = GetDatabaseEncoding() == PG_UTF8;
	int			bytes = 0;

	for (;;)
	{
		const Entry *entry = &entries[state];
		unsigned char coded[8];
		int			n = 1;

		if (entry->character == NO_CHAR)
			break;
		coded[0] = (unsigned char) entry->character;
		if (utf8)
		{
			unicode_to_utf8(entry->character, coded);
			n = pg_utf_mblen(coded);
		}
		if (bytes + n > GPUSTR_MAX_REGEX_LITERAL)
			break;
		bytes += n;
		memcpy(to + GPUSTR_MAX_REGEX_LITERAL - bytes, coded, n);

		/* what has been read before that, whenever it is come to */
		state = entry->from;
		if (state < 0 || entries[state].repeats)
			break;
	}
	return bytes;
}

char *
gpustr_regex_literal(const GpustrRegexNfa *nfa, int *bytes)
{
	bool	   *reached = palloc_array(bool, nfa->nstates);
	int		   *states = palloc_array(int, nfa->nstates);
	int		   *queue = palloc_array(int, nfa->nstates);
	int			n = reach(nfa, NO_STATE, reached, states);
	Entry	   *entries = find_entries(nfa, states, n);
	char	   *best = palloc(GPUSTR_MAX_REGEX_LITERAL);
	char	   *tried = palloc(GPUSTR_MAX_REGEX_LITERAL);
	Size		followed = 0;
	int			i;

	*bytes = 0;
	if (!reached[nfa->final])
		return NULL;
	for (i = 0; i < n; i++)
	{
		int			length = states[i] == nfa->final ? 0 : read_before(entries, states[i], tried);

		if (length <= *bytes)
			continue;
		CHECK_FOR_INTERRUPTS();
		followed += nfa->first_arc[nfa->nstates];
		if (followed > MAX_FOLLOWED)
			break;
		(void) reach(nfa, states[i], reached, queue);
		if (reached[nfa->final])
			continue;			/* there is a way around it */
		*bytes = length;
		memcpy(best, tried + GPUSTR_MAX_REGEX_LITERAL - length, length);
	}
	return *bytes > 0 ? best : NULL;
}
