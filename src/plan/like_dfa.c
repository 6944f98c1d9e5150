/*-------------------------------------------------------------------------
 *
 * like_dfa.c
 *	  LIKE patterns as automata, to be joined with others.
 *
 * A pattern is a nondeterministic automaton as it stands: a state for each number of
 * its characters that have been read, which a '%' lets stay what it is.  From there on
 * it goes the way of regular expressions (regex_dfa.c, regex_bytes.c): each character
 * of the pattern is a colour, all others are one.
 *
 * The result has the form of regex_bytes.c, which joining relies on (dfa_join.h).
 *
 * Under ILIKE, all characters that fold to one of the pattern have its colour.
 *
 * IDENTIFICATION
 *	  src/plan/like_dfa.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "mb/pg_wchar.h"

#include "compat.h"
#include "plan/like_dfa.h"
#include "plan/regex_literal.h"

/* What stands for a '_'. */
#define ANY_CHAR PG_UINT32_MAX

/* A pattern, taken apart. */
typedef struct LikeParts
{
	int			n;
	uint32	   *character;		/* [n]; or ANY_CHAR */
	bool	   *gap;			/* [n + 1]: a '%' before that */
} LikeParts;

typedef struct ColoredChar
{
	uint32		c;
	int32 color;
} ColoredChar;

bool
gpustr_fold_is_exact(const GpustrFold *fold)
{
	/* there is no zero byte in text */
	return fold->others_stay &&
		memchr(fold->ascii + 1, GPUSTR_FOLD_RECHECK, sizeof(fold->ascii) - 1) == NULL;
}

/* False if the pattern ends with an escape. */
static bool
take_apart(const char *pattern, int bytes, LikeParts *parts)
{
	pg_wchar   *wide = palloc_array(pg_wchar, bytes + 1);
	int			n = pg_mb2wchar_with_len(pattern, wide, bytes);
	int			i;

	parts->n = 0;
	parts->character = palloc_array(uint32, n + 1);
	parts->gap = palloc0_array(bool, n + 1);
	for (i = 0; i < n; i++)
	{
		bool		escaped = wide[i] == '\\';

		if (escaped && ++i == n)
			return false;
		if (!escaped && wide[i] == '%')
			parts->gap[parts->n] = true;
		else
			parts->character[parts->n++] = !escaped && wide[i] == '_' ? ANY_CHAR : wide[i];
	}
	return true;
}

static int
compare_colored(const void *a, const void *b)
{
	uint32		x = ((const ColoredChar *) a)->c;
	uint32		y = ((const ColoredChar *) b)->c;

	return (x > y) - (x < y);
}

/*
 * Give each character of the pattern a colour from 1 on, which those that fold to it
 * have, too.  Returns the characters, ascending.
 */
static ColoredChar *
color_characters(const LikeParts *parts, const GpustrFold *fold, int *n)
{
	ColoredChar *colored = palloc_array(ColoredChar, parts->n + 128);
	ColoredChar *found;
	int			ncolors = 0;
	int			i;

	for (i = 0; i < parts->n; i++)
	{
		if (parts->character[i] == ANY_CHAR)
			continue;
		colored[ncolors].c = parts->character[i];
		colored[ncolors++].color = 0;
	}
	qsort(colored, ncolors, sizeof(ColoredChar), compare_colored);
	*n = 0;
	for (i = 0; i < ncolors; i++)
	{
		if (*n > 0 && colored[*n - 1].c == colored[i].c)
			continue;
		colored[*n].c = colored[i].c;
		colored[*n].color = *n + 1;
		(*n)++;
	}
	if (fold == NULL)
		return colored;

	ncolors = *n;
	found = palloc_array(ColoredChar, ncolors + 128);
	*n = 0;
	for (i = 0; i < ncolors; i++)
	{
		if (colored[i].c >= lengthof(fold->ascii))
			found[(*n)++] = colored[i];
	}
	for (i = 1; i < lengthof(fold->ascii); i++)
	{
		ColoredChar key = {fold->ascii[i], 0};
		ColoredChar *folded = bsearch(&key, colored, ncolors, sizeof(ColoredChar), compare_colored);

		if (folded == NULL)
			continue;
		found[*n].c = i;
		found[(*n)++].color = folded->color;
	}
	qsort(found, *n, sizeof(ColoredChar), compare_colored);
	return found;
}

static void
add_run(GpustrRegexNfa *nfa, uint32 first, int32 color)
{
	GpustrColorRun *last = &nfa->runs[nfa->nruns - 1];

	if (nfa->nruns > 0 && last->first == first)
		last->color = color;

	else if (nfa->nruns == 0 || last->color !=color)
	{
		nfa->runs[nfa->nruns].first = first;
		nfa->runs[nfa->nruns++].color = color;
	}
}

static void
add_colors(GpustrRegexNfa *nfa, const ColoredChar *colored, int n)
{
	int			i;

	nfa->ncolors = 1;
	nfa->nruns = 0;
	nfa->runs = palloc_array(GpustrColorRun, 2 * n + 2);
	add_run(nfa, 0, 0);
	for (i = 0; i < n; i++)
	{
		nfa->ncolors = Max(nfa->ncolors, colored[i].color +1);
		add_run(nfa, colored[i].c, colored[i].color);
		add_run(nfa, colored[i].c + 1, 0);
	}
}

/* The colour of a character of the pattern. */
static int32
color_of(const GpustrRegexNfa *nfa, uint32 c)
{
	int			low = 0;
	int			high = nfa->nruns - 1;

	while (low < high)
	{
		int			middle = (low + high + 1) / 2;

		if (nfa->runs[middle].first <= c)
			low = middle;
		else
			high = middle - 1;
	}
	return nfa->runs[low].color;
}

static void
add_arc(GpustrRegexNfa *nfa, int *narcs, int32 color, int to)
{
	nfa->arcs[*narcs].color = color;

	nfa->arcs[(*narcs)++].to = to;
}

/* State i: so many characters have been read. */
static void
add_arcs(GpustrRegexNfa *nfa, const LikeParts *parts)
{
	int			n = parts->n;
	int			narcs = 0;
	int			i;

	nfa->nstates = n + 3;
	nfa->initial = n + 1;
	nfa->final = n + 2;
	nfa->first_arc = palloc_array(int, nfa->nstates + 1);
	nfa->arcs = palloc_array(GpustrRegexArc, 2 * nfa->nstates);
	for (i = 0; i <= n; i++)
	{
		int			next = i + 1 == n && parts->gap[n] ? nfa->final : i + 1;

		nfa->first_arc[i] = narcs;
		if (parts->gap[i])
			add_arc(nfa, &narcs, GPUSTR_ARC_ANY, i);
		if (i == n)
			add_arc(nfa, &narcs, GPUSTR_ARC_END, nfa->final);
		else if (parts->character[i] == ANY_CHAR)
			add_arc(nfa, &narcs, GPUSTR_ARC_ANY, next);
		else
			add_arc(nfa, &narcs, color_of(nfa, parts->character[i]), next);
	}
	nfa->first_arc[nfa->initial] = narcs;
	add_arc(nfa, &narcs, GPUSTR_ARC_BEGIN, n == 0 && parts->gap[0] ? nfa->final : 0);
	nfa->first_arc[nfa->final] = narcs;
	nfa->first_arc[nfa->nstates] = narcs;
}

GpustrDfa *
gpustr_like_dfa(const char *pattern, int pattern_bytes, const GpustrFold *fold,
				GpustrRegexWork *work, uint32 *bytes)
{
	GpustrRegexNfa nfa = {0};
	LikeParts	parts;
	ColoredChar *colored;
	GpustrColorDfa *colors;
	int			ncolored;

	/* each character is a state at least */
	if (pattern_bytes > work->max_bytes)
		return NULL;
	if (!take_apart(pattern, pattern_bytes, &parts))
		return NULL;
	colored = color_characters(&parts, fold, &ncolored);
	add_colors(&nfa, colored, ncolored);

	if (fold != NULL)
	{
		/* a character of the pattern that none folds to is no text's */
		int			i;

		for (i = 0; i < parts.n; i++)
		{
			uint32		c = parts.character[i];

			if (c < lengthof(fold->ascii) && fold->ascii[c] != c)
				return NULL;
		}
	}
	add_arcs(&nfa, &parts);
	colors = gpustr_regex_color_dfa(&nfa, work);
	if (colors == NULL)
		return NULL;
	return gpustr_regex_byte_dfa(colors, GetDatabaseEncoding() == PG_UTF8, work, bytes);
}

char *
gpustr_like_literal(const char *pattern, int pattern_bytes, int *bytes)
{
	char	   *literal = palloc(pattern_bytes + 1);
	char	   *piece = palloc(pattern_bytes + 1);
	int			n = 0;
	int			i;

	*bytes = 0;
	for (i = 0; i <= pattern_bytes; i++)
	{
		if (i < pattern_bytes && pattern[i] != '%' && pattern[i] != '_')
		{
			if (pattern[i] == '\\' && ++i == pattern_bytes)
				break;
			piece[n++] = pattern[i];
			continue;
		}
		if (n > *bytes)
		{
			memcpy(literal, piece, n);
			*bytes = n;
		}
		n = 0;
	}
	*bytes = pg_mbcliplen(literal, *bytes, GPUSTR_MAX_REGEX_LITERAL);
	return *bytes > 0 ? literal : NULL;
}
