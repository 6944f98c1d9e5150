/*-------------------------------------------------------------------------
 *
 * regex_dfa.c
 *	  Make a regular expression deterministic, as an automaton over colours.
 *
 * The states are sets of states of the nondeterministic automaton, found from
 * the start on (subset construction).  A set with the final state is
 * GPUSTR_DFA_ACCEPT, whatever else is in it; the empty one is GPUSTR_DFA_REJECT.
 * Then states are merged that no text tells apart, and colours that no state does
 * (dfa_table.c).
 *
 * A wild colour leads to where any of the colours that it may be leads.  If they do
 * not all lead to the same set, what follows is doubtful: that is a mark of the set,
 * and with it, instead of accepting, the automaton cannot tell.
 *
 * An expression such as (a|b)*a(a|b){30} has billions of sets, so both stop when
 * they have worked for too long: the first gives up, the second leaves the
 * automaton as it is.
 *
 * Memory is the caller's current context, which it had better reset.
 *
 * IDENTIFICATION
 *	  src/plan/regex_dfa.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"

#include "plan/regex_dfa.h"
#include "program/dfa_table.h"
#include "sqlfn/contains_any.h"

#define EMPTY_SLOT (-1)

/* While sets are found, this state is what a doubtful set with the final state is. */
#define CANNOT_TELL (GPUSTR_DFA_ACCEPT + 1)

/* The sets, in the order in which they were found. */
typedef struct Sets
{
	const GpustrRegexNfa *nfa;
	GpustrRegexWork *work;
	int			doubt;			/* the bit that marks a doubtful set */
	int			words;			/* of a set */
	int			n;
	int			space;
	uint64	   *bits;			/* [n][words] */
	uint32	   *hash;			/* [n] */
	int			nslots;			/* a power of two */
	int32	   *slots;			/* state by hash */
	int32	   *next;			/* [n][ncolors] */
	uint8	   *at_end;			/* [n]: GpustrTruth */
	int			start;
	int			middle;			/* the initial state */
	bool		too_large;
} Sets;

static uint64 *
set_bits(const Sets *sets, int state)
{
	return sets->bits + (Size) state * sets->words;
}

static bool
has_state(const uint64 *set, int state)
{
	return (set[state / 64] >> (state % 64)) & 1;
}

static void
add_state(uint64 *set, int state)
{
	set[state / 64] |= UINT64CONST(1) << (state % 64);
}

static void
grow_slots(Sets *sets)
{
	int			i;

	sets->nslots *= 2;
	sets->slots = repalloc_huge(sets->slots, sets->nslots * sizeof(int32));
	for (i = 0; i < sets->nslots; i++)
		sets->slots[i] = EMPTY_SLOT;
	for (i = 0; i < sets->n; i++)
	{
		uint32		slot = sets->hash[i] & (sets->nslots - 1);

		while (sets->slots[slot] != EMPTY_SLOT)
			slot = (slot + 1) & (sets->nslots - 1);
		sets->slots[slot] = i;
	}
}

static int
add_set(Sets *sets, const uint64 *set, uint32 hash, uint32 slot)
{
	int			state = sets->n++;
	Size		ncolors = sets->nfa->ncolors;

	if (sets->n > sets->space)
	{
		sets->space *= 2;
		sets->bits = repalloc_huge(sets->bits, sizeof(uint64) * sets->words * sets->space);
		sets->hash = repalloc_huge(sets->hash, sizeof(uint32) * sets->space);
		sets->next = repalloc_huge(sets->next, sizeof(int32) * ncolors * sets->space);
		sets->at_end = repalloc_huge(sets->at_end, sets->space);
	}
	memcpy(set_bits(sets, state), set, sizeof(uint64) * sets->words);
	sets->hash[state] = hash;
	sets->slots[slot] = state;
	if (sets->n > sets->nslots / 2)
		grow_slots(sets);
	return state;
}

/* The state that a set is. */
static int
find_set(Sets *sets, const uint64 *set)
{
	uint32		hash;
	uint32		slot;

	if (has_state(set, sets->nfa->final) && !sets->nfa->extents)
		return has_state(set, sets->doubt) ? CANNOT_TELL : GPUSTR_DFA_ACCEPT;
	hash = hash_bytes((const unsigned char *) set, sizeof(uint64) * sets->words);
	slot = hash & (sets->nslots - 1);
	while (sets->slots[slot] != EMPTY_SLOT)
	{
		int			state = sets->slots[slot];

		if (sets->hash[state] == hash &&
			memcmp(set_bits(sets, state), set, sizeof(uint64) * sets->words) == 0)
			return state;
		slot = (slot + 1) & (sets->nslots - 1);
	}

	/*
	 * Each state will need a row of the table; some states go when they are
	 * merged, and colours too.
	 */
	if (!gpustr_regex_work(sets->work, sets->words) ||
		(Size) (sets->n + 1) * sets->nfa->ncolors > sets->work->max_bytes ||
		sets->n == 2 * 65536)
	{
		sets->too_large = true;
		return GPUSTR_DFA_REJECT;
	}
	return add_set(sets, set, hash, slot);
}

static void
init_sets(Sets *sets, const GpustrRegexNfa *nfa, GpustrRegexWork *work)
{
	memset(sets, 0, sizeof(*sets));
	sets->nfa = nfa;
	sets->work = work;
	sets->doubt = nfa->nstates;
	sets->words = nfa->nstates / 64 + 1;
	sets->space = 64;
	sets->bits = palloc_array(uint64, sets->words * sets->space);
	sets->hash = palloc_array(uint32, sets->space);
	sets->next = palloc_array(int32, nfa->ncolors * sets->space);
	sets->at_end = palloc_array(uint8, sets->space);
	sets->nslots = 128;
	sets->slots = palloc_array(int32, sets->nslots);
	memset(sets->slots, 0xFF, sizeof(int32) * sets->nslots);

	/*
	 * the states that stay what they are; the second and third are not found
	 * by their sets
	 */
	(void) find_set(sets, palloc0_array(uint64, sets->words));
	sets->n = nfa->nwild > 0 ? CANNOT_TELL + 1 : GPUSTR_DFA_ACCEPT + 1;
	memset(set_bits(sets, GPUSTR_DFA_ACCEPT), 0, 2 * sizeof(uint64) * sets->words);
	sets->hash[GPUSTR_DFA_ACCEPT] = 0;
	sets->hash[CANNOT_TELL] = 0;
}

/* What is reached from the initial state by the value's begin. */
static int
start_state(Sets *sets)
{
	const GpustrRegexNfa *nfa = sets->nfa;
	uint64	   *set = palloc0_array(uint64, sets->words);
	int			i;

	for (i = nfa->first_arc[nfa->initial]; i < nfa->first_arc[nfa->initial + 1]; i++)
	{
		if (nfa->arcs[i].color == GPUSTR_ARC_BEGIN)
			add_state(set, nfa->arcs[i].to);
	}
	return find_set(sets, set);
}

/* The initial state itself, where the character before is still to be seen. */
static int
initial_state(Sets *sets)
{
	uint64	   *set = palloc0_array(uint64, sets->words);

	add_state(set, sets->nfa->initial);
	return find_set(sets, set);
}

/* Working memory of follow(). */
typedef struct Follow
{
	uint64	   *any;			/* what a character of any colour leads to */
	uint64	   *all;			/* what one of the wild colour does */
	uint64	   *of_color;		/* [ncolors][words]; what it does beside 'any' */
	int			ntouched;
	int		   *touched;		/* the colours for which that is something */
	bool	   *is_touched;		/* [ncolors] */
} Follow;

static uint64 *
color_set(const Sets *sets, const Follow *f, int color)
{
	return f->of_color + (Size) color *sets->words;
}

/* The state that a set is, with the doubt of the one that leads there. */
static int
find_following(Sets *sets, uint64 *set, bool doubtful)
{
	int			w;

	for (w = 0; doubtful && w < sets->words; w++)
	{
		if (set[w] != 0)
		{
			add_state(set, sets->doubt);
			break;
		}
	}
	return find_set(sets, set);
}

/* The arcs of all states of a set, by what they take. */
static bool
follow_arcs(Sets *sets, Follow *f, int state)
{
	const GpustrRegexNfa *nfa = sets->nfa;
	uint8		at_end = GPUSTR_FALSE;
	int			w;
	int			i;

	f->ntouched = 0;
	memset(f->any, 0, sizeof(uint64) * sets->words);
	for (w = 0; w < sets->words; w++)
	{
		uint64		left = set_bits(sets, state)[w];

		while (left != 0)
		{
			int			from = 64 * w + pg_rightmost_one_pos64(left);

			left &= left - 1;
			if (from == sets->doubt)
				break;
			if (!gpustr_regex_work(sets->work, 2 + nfa->first_arc[from + 1] - nfa->first_arc[from]))
				return false;
			for (i = nfa->first_arc[from]; i < nfa->first_arc[from + 1]; i++)
			{
				int color = nfa->arcs[i].color;

				if (color == GPUSTR_ARC_ANY)
					add_state(f->any, nfa->arcs[i].to);
				else if (color == GPUSTR_ARC_END && nfa->arcs[i].to == nfa->final)
					at_end = GPUSTR_TRUE;
				else if (color >=0)
				{
					if (!f->is_touched[color])
					{
						f->is_touched[color] = true;
						f->touched[f->ntouched++] = color;

						memset(color_set(sets, f, color), 0, sizeof(uint64) * sets->words);
					}
					add_state(color_set(sets, f, color), nfa->arcs[i].to);
				}
			}
		}
	}
	if (at_end == GPUSTR_TRUE && has_state(set_bits(sets, state), sets->doubt))
		at_end = GPUSTR_RECHECK;
	if (has_state(set_bits(sets, state), nfa->final))
		at_end |= GPUSTR_AT_FINAL;
	sets->at_end[state] = at_end;
	return true;
}

/* Where the wild colour leads, after all that it may be. */
static int
follow_wild(Sets *sets, Follow *f, bool doubtful)
{
	const GpustrRegexNfa *nfa = sets->nfa;
	const uint64 *first = NULL;
	bool		all_final = true;
	bool		same = true;
	bool		some = false;
	int			i;
	int			w;

	memset(f->all, 0, sizeof(uint64) * sets->words);
	for (i = 0; i < nfa->nwild; i++)
	{
		const uint64 *set = f->is_touched[nfa->wild[i]] ? color_set(sets, f, nfa->wild[i]) : f->any;

		if (first == NULL)
			first = set;
		same &= memcmp(first, set, sizeof(uint64) * sets->words) == 0;
		all_final &= has_state(set, nfa->final);
		for (w = 0; w < sets->words; w++)
		{
			f->all[w] |= set[w];
			some |= set[w] != 0;
		}
	}
	if (nfa->extents && !same)
		return GPUSTR_DFA_ACCEPT;
	if (some && (doubtful || !(same || all_final)))
		add_state(f->all, sets->doubt);
	return find_set(sets, f->all);
}

/* Find where a state leads. */
static bool
follow(Sets *sets, Follow *f, int state)
{
	const GpustrRegexNfa *nfa = sets->nfa;
	Size		row = (Size) state * nfa->ncolors;
	bool		doubtful = has_state(set_bits(sets, state), sets->doubt);
	int			to = GPUSTR_DFA_REJECT;
	int			i;
	int			w;

	if (!follow_arcs(sets, f, state) ||
		!gpustr_regex_work(sets->work, nfa->ncolors / 4 +
						   2 * (Size) (f->ntouched + nfa->nwild + 1) * sets->words))
		return false;
	for (i = 0; i < f->ntouched; i++)
	{
		uint64	   *set = color_set(sets, f, f->touched[i]);

		for (w = 0; w < sets->words; w++)
			set[w] |= f->any[w];
	}

	/* find_set() may move sets->next */
	if (nfa->nwild > 0)
	{
		to = follow_wild(sets, f, doubtful);
		sets->next[row + nfa->ncolors - 1] = to;
	}
	if (f->ntouched < nfa->ncolors)
		to = find_following(sets, f->any, doubtful);
	for (i = 0; i < nfa->ncolors - (nfa->nwild > 0); i++)
	{
		if (!f->is_touched[i])
			sets->next[row + i] = to;
	}
	for (i = 0; i < f->ntouched; i++)
	{
		to = find_following(sets, color_set(sets, f, f->touched[i]), doubtful);
		sets->next[row + f->touched[i]] = to;
		f->is_touched[f->touched[i]] = false;
	}
	return !sets->too_large;
}

static bool
find_all_sets(Sets *sets)
{
	int			ncolors = sets->nfa->ncolors;
	int			nfixed = sets->n;
	Follow		f;
	int			state;
	int			i;

	f.any = palloc_array(uint64, sets->words);
	f.all = palloc_array(uint64, sets->words);
	f.of_color = palloc_extended(sizeof(uint64) * sets->words * ncolors, MCXT_ALLOC_HUGE);
	f.touched = palloc_array(int, ncolors);
	f.is_touched = palloc0_array(bool, ncolors);
	for (state = 0; state < nfixed; state++)
	{
		for (i = 0; i < ncolors; i++)
			sets->next[(Size) state * ncolors + i] = state;
		sets->at_end[state] = state == CANNOT_TELL ? GPUSTR_RECHECK : state;
	}
	if (sets->nfa->extents)
		sets->at_end[GPUSTR_DFA_ACCEPT] = GPUSTR_RECHECK;
	sets->start = start_state(sets);
	sets->middle = sets->start;
	if (sets->nfa->extents)
		sets->middle = initial_state(sets);
	for (; state < sets->n; state++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!follow(sets, &f, state))
			return false;
	}
	return !sets->too_large;
}

/* Merge states, then colours, that no text tells apart, as far as there is work left. */
static void
reduce(GpustrColorDfa *dfa, GpustrRegexWork *work)
{
	GpustrDfaTable table = {dfa->nstates, dfa->ncolors, dfa->start, dfa->middle, dfa->next, dfa->at_end};
	int32	   *merged = palloc_extended(sizeof(int32) * dfa->ncolors, MCXT_ALLOC_HUGE);
	int			nruns = 0;
	int			i;

	(void) gpustr_table_merge_states(&table, &work->left, &gpustr_palloc_trie_memory);
	(void) gpustr_table_merge_colors(&table, merged, &gpustr_palloc_trie_memory);
	dfa->nstates = table.nstates;
	dfa->ncolors = table.ncolors;
	dfa->start = table.start;
	dfa->middle = table.middle;
	for (i = 0; i < dfa->nruns; i++)
	{
		int32 color = merged[dfa->runs[i].color];

		if (nruns > 0 && dfa->runs[nruns - 1].color == color)
			continue;
		dfa->runs[nruns].first = dfa->runs[i].first;
		dfa->runs[nruns++].color = color;
	}
	dfa->nruns = nruns;
	pfree(merged);
}

GpustrColorDfa *
gpustr_regex_color_dfa(const GpustrRegexNfa *nfa, GpustrRegexWork *work)
{
	GpustrColorDfa *dfa = palloc_object(GpustrColorDfa);
	Sets		sets;

	if (nfa->nstates > 65535 * 2)
		return NULL;
	init_sets(&sets, nfa, work);
	if (!find_all_sets(&sets))
		return NULL;
	dfa->start = sets.start;
	dfa->middle = sets.middle;
	dfa->nstates = sets.n;
	dfa->ncolors = nfa->ncolors;
	dfa->next = sets.next;
	dfa->at_end = sets.at_end;
	dfa->nruns = nfa->nruns;
	dfa->runs = palloc_array(GpustrColorRun, nfa->nruns);
	memcpy(dfa->runs, nfa->runs, nfa->nruns * sizeof(GpustrColorRun));
	reduce(dfa, work);
	return dfa;
}

bool
gpustr_regex_coarsen(GpustrRegexNfa *nfa, uint32 first)
{
	bool	   *found = palloc0_array(bool, nfa->ncolors);
	GpustrColorRun *runs;
	int			nruns = 0;
	int			n = 0;
	int			i;

	for (i = 0; i < nfa->nruns; i++)
	{
		uint32		end = i + 1 < nfa->nruns ? nfa->runs[i + 1].first : PG_UINT32_MAX;
		int32 color = nfa->runs[i].color;

		if (nfa->runs[i].first < first)
			nruns++;
		if (end > first && !found[color])
		{
			found[color] = true;
			n++;
		}
	}
	if (n < 2 || nfa->nwild > 0)
		return false;

	nfa->wild = palloc_array(int, n);
	for (i = 0; i < nfa->ncolors; i++)
	{
		if (found[i])
			nfa->wild[nfa->nwild++] = i;
	}
	runs = palloc_array(GpustrColorRun, nruns + 1);
	memcpy(runs, nfa->runs, nruns * sizeof(GpustrColorRun));
	runs[nruns].first = first;
	runs[nruns].color = nfa->ncolors++;
	nfa->runs = runs;
	nfa->nruns = nruns + 1;
	return true;
}

uint32
gpustr_regex_last_char(void)
{
	return GetDatabaseEncoding() == PG_UTF8 ? 0x10FFFF : 0xFF;
}
