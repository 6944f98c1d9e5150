/*-------------------------------------------------------------------------
 *
 * regex_cache.c
 *	  Automata of regular expressions, made once and kept.
 *
 * Other automata are kept with them, under keys that their makers choose.
 *
 * A clause is looked at several times, when the query is planned and when it is
 * executed, and the next query may have the same.  So automata are kept, the last
 * used first, and the last ones go when all take too much memory.  That there is
 * one, or why there is none, is kept for longer: it is asked more often, and a
 * query with more expressions than there is room for would find none of them.
 *
 * IDENTIFICATION
 *	  src/plan/regex_cache.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/ilist.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "guc.h"
#include "plan/regex_cache.h"
#include "plan/regex_dfa.h"
#include "plan/regex_literal.h"
#include "program/dfa_join.h"

/* Of all automata, but for the last used one. */
#define CACHE_BYTES (4 * 1024 * 1024)
#define CACHE_ENTRIES 256

/*
 * What is tried, one after the other, where the automaton gets too large because of
 * classes of characters: 0: all characters are told apart; else those below, and
 * values in which others matter are PostgreSQL's.  In UTF-8, those of one byte and
 * of two are below these.
 */
const uint32 gpustr_exact_below[GPUSTR_EXACT_BELOW] = {0, 0x800, 0x80};

/* In place of the flags of an expression: it is another automaton's key. */
#define OTHER_KEY (-1)

typedef struct CacheEntry
{
	dlist_node	node;
	MemoryContext context;		/* of the entry and what it points to */
	Size		bytes;
	Oid			collation;
	int			cflags;
	int			max_size;		/* gpustr.max_automaton_size */
	int			pattern_bytes;
	char	   *pattern;
	GpustrRegex regex;
} CacheEntry;

static dlist_head cache = DLIST_STATIC_INIT(cache);
static int	cache_entries = 0;
static Size cache_bytes = 0;

static CacheEntry *
find(const char *pattern, int bytes, int cflags, Oid collation)
{
	dlist_iter	iter;

	dlist_foreach(iter, &cache)
	{
		CacheEntry *entry = dlist_container(CacheEntry, node, iter.cur);

		if (entry->pattern_bytes == bytes && entry->cflags == cflags &&
			entry->collation == collation && entry->max_size == gpustr_max_automaton_size &&
			memcmp(entry->pattern, pattern, bytes) == 0)
			return entry;
	}
	return NULL;
}

Size
gpustr_automaton_work(void)
{
	return GPUSTR_WORK_PER_BYTE * (Size) gpustr_max_automaton_size * 1024;
}

/* Make the automaton, in the current context. */
static GpustrRegex
make(const char *pattern, int bytes, int cflags, Oid collation)
{
	Size		max_bytes = (Size) gpustr_max_automaton_size * 1024;
	bool		utf8 = GetDatabaseEncoding() == PG_UTF8;
	GpustrRegex regex = {NULL, NULL, 0, GPUSTR_TRUE, NULL, 0, 0};
	GpustrRegexNfa *nfa = gpustr_regex_nfa(pattern, bytes, cflags, collation,
										   &regex.refusal);
	int			i;

	if (nfa == NULL)
		return regex;
	for (i = 0; i < GPUSTR_EXACT_BELOW && regex.dfa == NULL; i++)
	{
		GpustrRegexWork work = {gpustr_automaton_work(), max_bytes};
		GpustrRegexNfa tried = *nfa;
		GpustrColorDfa *colors;

		if (i > 0 && !(utf8 && gpustr_regex_coarsen(&tried, gpustr_exact_below[i])))
			continue;
		colors = gpustr_regex_color_dfa(&tried, &work);
		if (colors == NULL)
			break;
		regex.dfa = gpustr_regex_byte_dfa(colors, utf8, &work, &regex.bytes);
	}
	if (regex.dfa == NULL)
		regex.refusal = "its automaton would be larger than gpustr.max_automaton_size";
	if (nfa->approximate)
		regex.accepted = GPUSTR_RECHECK;
	if (regex.dfa != NULL)
		regex.literal = gpustr_regex_literal(nfa, &regex.literal_bytes);
	return regex;
}

/* Keep it; what it points to is copied. */
static CacheEntry *
keep(const char *pattern, int bytes, int cflags, Oid collation, const GpustrRegex *regex)
{
	MemoryContext context = AllocSetContextCreate(TopMemoryContext, "gpustr automaton",
												  ALLOCSET_SMALL_SIZES);
	CacheEntry *entry = MemoryContextAllocZero(context, sizeof(CacheEntry));

	entry->context = context;
	entry->collation = collation;
	entry->cflags = cflags;
	entry->max_size = gpustr_max_automaton_size;
	entry->pattern_bytes = bytes;
	entry->pattern = MemoryContextAlloc(context, bytes + 1);
	memcpy(entry->pattern, pattern, bytes);
	entry->regex = *regex;
	if (regex->dfa != NULL)
	{
		void	   *copy = MemoryContextAlloc(context, regex->bytes);

		memcpy(copy, regex->dfa, regex->bytes);
		entry->regex.dfa = copy;
	}
	if (regex->literal != NULL)
	{
		char	   *copy = MemoryContextAlloc(context, regex->literal_bytes);

		memcpy(copy, regex->literal, regex->literal_bytes);
		entry->regex.literal = copy;
	}
	entry->bytes = bytes + regex->bytes;
	dlist_push_head(&cache, &entry->node);
	cache_entries++;
	cache_bytes += entry->bytes;
	return entry;
}

static void
forget(CacheEntry *entry)
{
	dlist_delete(&entry->node);
	cache_entries--;
	cache_bytes -= entry->bytes;
	MemoryContextDelete(entry->context);
}

static bool
lacks_automaton(const CacheEntry *entry)
{
	return entry->regex.refusal == NULL && entry->regex.dfa == NULL;
}

/* Make room: but for the first entry, which is about to be used. */
static void
shrink(void)
{
	CacheEntry *entry = dlist_tail_element(CacheEntry, node, &cache);

	while (cache_bytes > CACHE_BYTES && dlist_has_prev(&cache, &entry->node))
	{
		if (entry->regex.dfa != NULL)
		{
			pfree(unconstify(GpustrDfa *, entry->regex.dfa));
			entry->regex.dfa = NULL;
			entry->bytes -= entry->regex.bytes;
			cache_bytes -= entry->regex.bytes;
		}
		entry = dlist_container(CacheEntry, node, dlist_prev_node(&cache, &entry->node));
	}
	while (cache_entries > 1 && (cache_entries > CACHE_ENTRIES || cache_bytes > CACHE_BYTES))
		forget(dlist_tail_element(CacheEntry, node, &cache));
}

/* One of an expression (make NULL) or another; of use until the next call. */
static CacheEntry *
look_up(const char *pattern, int bytes, int cflags, Oid collation, bool with_automaton,
		GpustrMakeAutomaton make_other, const void *arg)
{
	CacheEntry *entry = find(pattern, bytes, cflags, collation);

	/* there may be a hundred thousand of them */
	CHECK_FOR_INTERRUPTS();
	if (entry != NULL && with_automaton && lacks_automaton(entry))
	{
		forget(entry);
		entry = NULL;
	}
	if (entry != NULL)
		dlist_move_head(&cache, &entry->node);
	else
	{
		MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "gpustr automaton work",
												   ALLOCSET_DEFAULT_SIZES);
		MemoryContext old = MemoryContextSwitchTo(work);
		GpustrRegex regex = {NULL, NULL, 0, GPUSTR_TRUE, NULL, 0, 0};

		if (make_other != NULL)
			make_other(arg, &regex);
		else
			regex = make(pattern, bytes, cflags, collation);
		if (regex.dfa != NULL)
			regex.bytes_read = gpustr_dfa_bytes_read(regex.dfa);
		entry = keep(pattern, bytes, cflags, collation, &regex);
		MemoryContextSwitchTo(old);
		MemoryContextDelete(work);
		shrink();
	}
	return entry;
}

const GpustrRegex *
gpustr_regex(const char *pattern, int bytes, int cflags, Oid collation)
{
	return &look_up(pattern, bytes, cflags, collation, true, NULL, NULL)->regex;
}

const char *
gpustr_regex_refusal(const char *pattern, int bytes, int cflags, Oid collation)
{
	return look_up(pattern, bytes, cflags, collation, false, NULL, NULL)->regex.refusal;
}

bool
gpustr_regex_is_known(const char *pattern, int bytes, int cflags, Oid collation)
{
	return find(pattern, bytes, cflags, collation) != NULL;
}

const GpustrRegex *
gpustr_kept_automaton(const char *key, int bytes, GpustrMakeAutomaton make_other, const void *arg)
{
	return &look_up(key, bytes, OTHER_KEY, InvalidOid, true, make_other, arg)->regex;
}
