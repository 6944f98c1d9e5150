/*-------------------------------------------------------------------------
 *
 * regex_extents.c
 *	  Automata that tell where a regular expression matches.
 *
 * What PostgreSQL finds, from its regexec.c.  A search from place s of a value on is
 * pg_regexec(); without back-references that is find(), which
 *
 *	1.	lets the search automaton look for the first place at which some match ends,
 *		'close'; there is none, and nothing is found, if no place b >= s begins a
 *		match.  In passing it notes 'open', the last place at which nothing but its
 *		"no progress" states were alive.  A match that begins before 'open' would
 *		have been under way there, and makesearch() keeps the states of one that is
 *		under way apart from those; so no match begins in [s, open).
 *	2.	tries the automaton of the whole expression, tree->cnfa, from each place b in
 *		[open, close] by longest(), or by shortest() if the tree prefers that
 *		(SHORTER), and takes the first b from which there is a match, with the end
 *		that it is told.  There is one: that which ends at 'close'.
 *
 * So the match begins at the least b >= s from which there is any, and it ends at the
 * last, or first, place e so that [b, e) is one.  Neither depends on what parentheses
 * or lazy quantifiers within have: these only matter to cdissect(), which divides
 * [b, e) up for those who ask for parentheses, and without back-references has
 * no say in the matter.
 *
 * longest() and shortest() start with the state tree->cnfa.pre, take the colour of
 * the character before b, or that of the value's begin if b is 0, wherever s is;
 * then those of the characters from b on; at the value's end, that of the end.  There
 * is a match [b, e) just where the final state is in the set after the character at
 * e, or the end, has been taken.  That is what the automaton made here does, for all
 * colours, by sets of states, as theirs.  For sets of all strings of some lengths
 * (MATCHALL) they count instead; the arcs say the same.
 *
 * Not here: back-references (another loop, cfindloop(), in which cdissect() may
 * refuse); lookaround constraints (LACON arcs look further than one character); and
 * expressions that cannot match.  How PostgreSQL goes on after a match is in
 * rowfn/regex_extents.h.
 *
 * A wild colour (regex_dfa.c) whose characters lead to different sets leads to where
 * the automaton cannot tell.
 *
 * Automata are kept, as in regex_cache.c, the last used first; also that there is none.
 *
 * IDENTIFICATION
 *	  src/plan/regex_extents.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/ilist.h"
#include "mb/pg_wchar.h"
#include "utils/memutils.h"

#include "compat.h"
#include "plan/regex_cache.h"
#include "plan/regex_dfa.h"
#include "plan/regex_extents.h"

#define CACHE_BYTES (4 * 1024 * 1024)
#define CACHE_ENTRIES 64

#define FIRST_CONTINUATION 0x80
#define FIRST_LEAD 0xC0

typedef struct ExtentsEntry
{
	dlist_node	node;
	MemoryContext context;		/* of the entry and what it points to */
	Oid			collation;
	int			cflags;
	bool		captures;
	Size		max_bytes;
	int			pattern_bytes;
	char	   *pattern;
	uint32		bytes;
	GpustrRegexExtents *extents;	/* NULL: there are none */
} ExtentsEntry;

static dlist_head cache = DLIST_STATIC_INIT(cache);
static int	cache_entries = 0;
static Size cache_bytes = 0;

/* Number the states anew, those that accept one after the other; returns how many. */
static int
order_states(GpustrColorDfa *dfa)
{
	int32	   *number = palloc_array(int32, dfa->nstates);
	int32	   *next = palloc_extended(sizeof(int32) * dfa->nstates * dfa->ncolors, MCXT_ALLOC_HUGE);
	uint8	   *at_end = palloc_array(uint8, dfa->nstates);
	int			naccept = 0;
	int			nothers = 0;
	int			state;
	int			c;

	for (state = GPUSTR_DFA_ACCEPT + 1; state < dfa->nstates; state++)
		naccept += (dfa->at_end[state] & GPUSTR_AT_FINAL) != 0;
	number[GPUSTR_DFA_REJECT] = GPUSTR_DFA_REJECT;
	number[GPUSTR_DFA_ACCEPT] = GPUSTR_DFA_ACCEPT;
	for (state = GPUSTR_DFA_ACCEPT + 1; state < dfa->nstates; state++)
	{
		bool		accepts = (dfa->at_end[state] & GPUSTR_AT_FINAL) != 0;

		number[state] = GPUSTR_DFA_ACCEPT + 1 +
			(accepts ? state - GPUSTR_DFA_ACCEPT - 1 - nothers : naccept + nothers);
		nothers += !accepts;
	}
	for (state = 0; state < dfa->nstates; state++)
	{
		at_end[number[state]] = dfa->at_end[state] & ~GPUSTR_AT_FINAL;
		for (c = 0; c < dfa->ncolors; c++)
			next[(Size) number[state] * dfa->ncolors + c] =
				number[dfa->next[(Size) state * dfa->ncolors + c]];
	}
	at_end[GPUSTR_DFA_ACCEPT] = GPUSTR_TRUE;
	dfa->start = number[dfa->start];
	dfa->middle = number[dfa->middle];
	dfa->next = next;
	dfa->at_end = at_end;
	return naccept;
}

/* May a match that starts in that state begin with the byte? */
static bool
may_begin(const GpustrDfa *dfa, int state, int byte)
{
	const uint16 *next = (const uint16 *) ((const char *) dfa + dfa->next_off);

	return next[state * dfa->nclasses + dfa->class_of[byte]] != GPUSTR_DFA_REJECT;
}

/* The states in which matches start, and the bytes that they begin with. */
static void
find_begins(GpustrRegexExtents *extents, const GpustrColorDfa *colors, const GpustrDfa *dfa,
			bool utf8)
{
	bool	   *starts = palloc0_array(bool, colors->nstates);
	int			state;
	int			byte;
	int			c;

	extents->plain = colors->start;
	starts[colors->start] = true;
	for (c = 0; c < colors->ncolors; c++)
	{
		state = colors->next[(Size) colors->middle * colors->ncolors + c];
		starts[state] = true;
		if (state != colors->start)
			extents->plain = -1;
	}
	for (state = 0; state < colors->nstates; state++)
	{
		if (!starts[state])
			continue;
		for (byte = 0; byte < 256; byte++)
		{
			if (utf8 && byte >= FIRST_CONTINUATION && byte < FIRST_LEAD)
				continue;
			if (may_begin(dfa, state, byte))
				extents->begins[byte / 32] |= UINT32_C(1) << (byte % 32);
		}
	}
}

/* Put it together; NULL: it would be too large. */
static GpustrRegexExtents *
make_from(const GpustrRegexNfa *nfa, GpustrRegexWork *work, uint32 *bytes)
{
	bool		utf8 = GetDatabaseEncoding() == PG_UTF8;
	GpustrColorDfa *colors = gpustr_regex_color_dfa(nfa, work);
	GpustrRegexExtents *extents;
	GpustrDfa  *dfa;
	uint32		dfa_bytes;
	int			naccept;

	if (colors == NULL)
		return NULL;
	naccept = order_states(colors);
	dfa = gpustr_regex_byte_dfa(colors, utf8, work, &dfa_bytes);
	if (dfa == NULL)
		return NULL;
	*bytes = sizeof(GpustrRegexExtents) + dfa_bytes;
	extents = palloc0(*bytes);
	extents->flags = nfa->shortest ? GPUSTR_EXTENTS_SHORTEST : 0;
	extents->middle = colors->middle;
	extents->accept = GPUSTR_DFA_ACCEPT + 1;
	extents->naccept = naccept;
	find_begins(extents, colors, dfa, utf8);
	memcpy(extents + 1, dfa, dfa_bytes);
	return extents;
}

/* In the current context. */
static GpustrRegexExtents *
make(const ExtentsEntry *key, uint32 *bytes)
{
	GpustrRegexNfa *nfa = gpustr_regex_extents_nfa(key->pattern, key->pattern_bytes, key->cflags,
												   key->collation, key->captures);
	GpustrRegexExtents *extents = NULL;
	int			i;

	*bytes = 0;
	if (nfa == NULL || key->max_bytes <= sizeof(GpustrRegexExtents))
		return NULL;
	for (i = 0; i < GPUSTR_EXACT_BELOW && extents == NULL; i++)
	{
		Size		max_bytes = key->max_bytes - sizeof(GpustrRegexExtents);
		GpustrRegexWork work = {gpustr_automaton_work(), max_bytes};
		GpustrRegexNfa tried = *nfa;

		if (i > 0 && !(GetDatabaseEncoding() == PG_UTF8 &&
					   gpustr_regex_coarsen(&tried, gpustr_exact_below[i])))
			continue;
		extents = make_from(&tried, &work, bytes);
	}
	return extents;
}

static bool
is_same(const ExtentsEntry *a, const ExtentsEntry *b)
{
	return a->pattern_bytes == b->pattern_bytes && a->cflags == b->cflags &&
		a->captures == b->captures && a->collation == b->collation &&
		a->max_bytes == b->max_bytes && memcmp(a->pattern, b->pattern, a->pattern_bytes) == 0;
}

static ExtentsEntry *
find(const ExtentsEntry *key)
{
	dlist_iter	iter;

	dlist_foreach(iter, &cache)
	{
		ExtentsEntry *entry = dlist_container(ExtentsEntry, node, iter.cur);

		if (is_same(entry, key))
			return entry;
	}
	return NULL;
}

/* Keep what was made; it is copied. */
static ExtentsEntry *
keep(const ExtentsEntry *key, const GpustrRegexExtents *extents, uint32 bytes)
{
	MemoryContext context = AllocSetContextCreate(TopMemoryContext, "gpustr extents automaton",
												  ALLOCSET_SMALL_SIZES);
	ExtentsEntry *entry = MemoryContextAlloc(context, sizeof(ExtentsEntry));

	*entry = *key;
	entry->context = context;
	entry->pattern = MemoryContextAlloc(context, key->pattern_bytes + 1);
	memcpy(entry->pattern, key->pattern, key->pattern_bytes);
	entry->bytes = bytes;
	if (extents != NULL)
	{
		entry->extents = MemoryContextAlloc(context, bytes);
		memcpy(entry->extents, extents, bytes);
	}
	dlist_push_head(&cache, &entry->node);
	cache_entries++;
	cache_bytes += bytes + key->pattern_bytes;
	return entry;
}

static void
forget(ExtentsEntry *entry)
{
	dlist_delete(&entry->node);
	cache_entries--;
	cache_bytes -= entry->bytes + entry->pattern_bytes;
	MemoryContextDelete(entry->context);
}

const GpustrRegexExtents *
gpustr_regex_extents(const char *pattern, int pattern_bytes, int cflags, Oid collation,
					 bool captures, Size max_bytes, uint32 *bytes)
{
	ExtentsEntry key = {{NULL, NULL}, NULL, collation, cflags, captures, max_bytes, pattern_bytes,
	unconstify(char *, pattern), 0, NULL};
	ExtentsEntry *entry = find(&key);

	if (entry != NULL)
		dlist_move_head(&cache, &entry->node);
	else
	{
		MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "gpustr automaton work",
												   ALLOCSET_DEFAULT_SIZES);
		MemoryContext old = MemoryContextSwitchTo(work);
		GpustrRegexExtents *extents = make(&key, bytes);

		entry = keep(&key, extents, *bytes);
		MemoryContextSwitchTo(old);
		MemoryContextDelete(work);
		while (cache_entries > 1 && (cache_entries > CACHE_ENTRIES || cache_bytes > CACHE_BYTES))
			forget(dlist_tail_element(ExtentsEntry, node, &cache));
	}
	*bytes = entry->bytes;
	return entry->extents;
}
