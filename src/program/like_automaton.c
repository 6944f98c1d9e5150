/*-------------------------------------------------------------------------
 *
 * like_automaton.c
 *	  Make an automaton of a compiled LIKE pattern.
 *
 * A device looks up a state a byte much faster than it compares byte by byte
 * (test/bench/NOTES.md).  So a pattern of which a small automaton can be made goes
 * there as one, too, beside its compiled form, which says what is right: both
 * give the same answer for every string of bytes, also for one that is not valid
 * in UTF-8.
 *
 * The segments are written out as items, one behind the other.  "At item i" means
 * that all before it have been matched by the bytes so far.  A state of the
 * automaton is a set of items, and the automaton is made of these by the subset
 * construction (Rabin and Scott, 1959).  What rowfn/like.h does is a search for the
 * first place of each segment; as it says, that finds a match whenever there is
 * one, so that sets need not remember which place was the first.  But once a
 * later segment has been reached, items of earlier ones say nothing new, and are
 * left out.  That keeps the automaton small: of '%ab%cd%' it has 4 states, and the
 * two that stay.
 *
 * In UTF-8 '_' takes a byte and the continuation bytes that follow.  Of the last
 * segment, if that is anchored at the end, rowfn_like_at_end() looks for characters
 * backwards: they start with a byte that is no continuation, but for one at the
 * very place where the search backwards ends.
 *
 * What a fold cannot decide leads to a state from which nothing leads away and
 * that is recheck; then there is no other such state, since such a byte may come
 * at any time.
 *
 * IDENTIFICATION
 *	  src/program/like_automaton.c
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "program/like_automaton.h"

/* Limits: of a device's fastest form of automata, and of what is worth its bytes. */
#define LIKE_MAX_STATES 128
#define LIKE_MAX_CELLS	4096
#define LIKE_MAX_ITEMS	127

/* In a set: the item that stands for recheck. */
#define LIKE_RECHECK_ITEM LIKE_MAX_ITEMS

typedef enum LikeItemKind
{
	LIKE_BYTE,					/* takes this byte */
	LIKE_CHAR,					/* takes a character, found forwards */
	LIKE_CHAR_BACK,				/* alike, backwards */
	LIKE_ANY,					/* takes any number of bytes */
	LIKE_CHAR_HERE,				/* takes nothing, or what a LIKE_CHAR_BACK
								 * after the LIKE_ANY that follows takes if
								 * that starts here with a continuation byte */
	LIKE_END,					/* the string must end */
	LIKE_REST					/* it matches */
} LikeItemKind;

typedef struct LikeItem
{
	uint8_t		kind;
	uint8_t		byte;
} LikeItem;

/* A set of items: bit i % 64 of word i / 64 is item i. */
typedef struct LikeSet
{
	uint64_t	in[2];
} LikeSet;

typedef struct LikeMaker
{
	const char *block;			/* the compiled pattern */
	const GpustrLikeRun *run;
	int			is_utf8;
	int			has_undecided;	/* is there a byte that is recheck? */
	LikeItem	item[LIKE_MAX_ITEMS];
	int			nitems;
	int			is_too_large;
	LikeSet		set[LIKE_MAX_STATES];	/* of each state */
	int			nstates;
} LikeMaker;

static int
set_has(LikeSet set, int i)
{
	return (int) (set.in[i / 64] >> (i % 64) & 1);
}

static void
set_add(LikeSet *set, int i)
{
	set->in[i / 64] |= UINT64_C(1) << (i % 64);
}

static int
set_is_empty(LikeSet set)
{
	return (set.in[0] | set.in[1]) == 0;
}

static void
add_items(LikeMaker *m, LikeItemKind kind, int32_t n)
{
	if (n > LIKE_MAX_ITEMS - m->nitems)
	{
		m->is_too_large = 1;
		return;
	}
	for (; n > 0; n--)
	{
		m->item[m->nitems].kind = (uint8_t) kind;
		m->item[m->nitems++].byte = 0;
	}
}

/* The runs of a segment; 'kind': of its characters. */
static void
add_runs(LikeMaker *m, const GpustrLikeSegment *segment, LikeItemKind kind)
{
	int32_t		i;
	int32_t		j;

	for (i = 0; i < segment->nruns && !m->is_too_large; i++)
	{
		const GpustrLikeRun *run = &m->run[segment->first_run + i];
		const char *literal = m->block + run->literal_off;
		int			at = m->nitems;

		/* a literal that starts within a character: only in a broken pattern */
		if (m->is_utf8 && rowfn_utf8_is_continuation(literal[0]))
			m->is_too_large = 1;
		add_items(m, LIKE_BYTE, run->literal_bytes);
		for (j = 0; j < run->literal_bytes && !m->is_too_large; j++)
			m->item[at + j].byte = (uint8_t) literal[j];
		add_items(m, kind, run->any);
	}
}

/* Write out the segments as rowfn_like_folded() goes through them. */
static void
make_items(LikeMaker *m, const GpustrLikePattern *p)
{
	const GpustrLikeSegment *segment = GPUSTR_LIKE_SEGMENTS(p);
	const GpustrLikeSegment *last = segment + p->nsegments;
	int			at_end = (p->flags & GPUSTR_LIKE_AT_END) != 0;

	if (p->flags & GPUSTR_LIKE_AT_START)
	{
		add_items(m, LIKE_CHAR, segment->lead);
		add_runs(m, segment, LIKE_CHAR);
		segment++;
		if (segment == last && at_end)
		{
			add_items(m, LIKE_END, 1);
			return;
		}
	}
	if (at_end)
		last--;
	if (at_end && segment == last && m->is_utf8 && last->lead > 0)
		add_items(m, LIKE_CHAR_HERE, 1);
	for (; segment < last; segment++)
	{
		add_items(m, LIKE_CHAR, segment->lead);
		if (segment->nruns > 0)
			add_items(m, LIKE_ANY, 1);
		add_runs(m, segment, LIKE_CHAR);
	}
	if (at_end)
	{
		add_items(m, LIKE_ANY, 1);
		add_items(m, LIKE_CHAR_BACK, last->lead);
		add_runs(m, last, LIKE_CHAR_BACK);
	}
	add_items(m, at_end ? LIKE_END : LIKE_REST, 1);
}

/* Does an item follow a character, more bytes of which may come? */
static int
is_in_character(const LikeMaker *m, int i)
{
	return i > 0 && (m->item[i - 1].kind == LIKE_CHAR || m->item[i - 1].kind == LIKE_CHAR_BACK);
}

/* Add what takes nothing, and leave out what says nothing new. */
static LikeSet
set_closed(const LikeMaker *m, LikeSet set)
{
	int			any = -1;		/* the last LIKE_ANY */
	int			i;

	for (i = 0; i < m->nitems; i++)
	{
		if (!set_has(set, i))
			continue;
		if (m->item[i].kind == LIKE_ANY || m->item[i].kind == LIKE_CHAR_HERE)
			set_add(&set, i + 1);
		if (m->item[i].kind == LIKE_ANY)
			any = i;
		if (m->item[i].kind == LIKE_REST)
		{
			memset(&set, 0, sizeof(set));
			set_add(&set, i);
			return set;
		}
	}
	for (i = 0; i < any; i++)
		if (m->item[i].kind != LIKE_CHAR_HERE)
			set.in[i / 64] &= ~(UINT64_C(1) << (i % 64));
	return set;
}

/* The set after a byte, which is folded; is_continuation: whether it is one in UTF-8 */
static LikeSet
set_after(const LikeMaker *m, LikeSet set, uint8_t byte, int is_continuation)
{
	LikeSet		after = {{0, 0}};
	int			i;

	for (i = 0; i < m->nitems; i++)
	{
		if (!set_has(set, i))
			continue;
		if (is_continuation && is_in_character(m, i))
		{
			set_add(&after, i);
			continue;
		}
		switch ((LikeItemKind) m->item[i].kind)
		{
			case LIKE_BYTE:
				if (m->item[i].byte == byte)
					set_add(&after, i + 1);
				break;
			case LIKE_CHAR:
				set_add(&after, i + 1);
				break;
			case LIKE_CHAR_BACK:
				if (!is_continuation)
					set_add(&after, i + 1);
				break;
			case LIKE_CHAR_HERE:
				if (is_continuation)
					set_add(&after, i + 3);
				break;
			case LIKE_ANY:
			case LIKE_REST:
				set_add(&after, i);
				break;
			case LIKE_END:
				break;
		}
	}
	return set_closed(m, after);
}

/* The state of a set, a new one if need be; LIKE_MAX_STATES: there are too many. */
static int
state_of(LikeMaker *m, LikeSet set)
{
	int			i;

	if (!m->has_undecided && set_is_empty(set))
		return GPUSTR_DFA_REJECT;
	if (!m->has_undecided && set_has(set, m->nitems - 1) &&
		m->item[m->nitems - 1].kind == LIKE_REST)
		return GPUSTR_DFA_ACCEPT;
	for (i = GPUSTR_DFA_ACCEPT + 1; i < m->nstates; i++)
		if (m->set[i].in[0] == set.in[0] && m->set[i].in[1] == set.in[1])
			return i;
	if (m->nstates == LIKE_MAX_STATES)
		return LIKE_MAX_STATES;
	m->set[m->nstates] = set;
	return m->nstates++;
}

/* Is a string that ends in this state LIKE the pattern? */
static uint8_t
truth_at_end(const LikeMaker *m, int state)
{
	LikeSet		set = m->set[state];

	if (state <= GPUSTR_DFA_ACCEPT)
		return state == GPUSTR_DFA_ACCEPT ? GPUSTR_TRUE : GPUSTR_FALSE;
	if (set_has(set, LIKE_RECHECK_ITEM))
		return GPUSTR_RECHECK;
	return set_has(set, m->nitems - 1) ? GPUSTR_TRUE : GPUSTR_FALSE;
}

/*
 * Bytes that are alike for all items are one class.  class_of: [256]; byte: [256] a
 * byte of each class, before it is folded.  Returns how many classes there are.
 */
static int
make_classes(const LikeMaker *m, const GpustrFold *fold, RowfnFoldKind kind, uint8_t *class_of,
			 uint8_t *byte)
{
	uint8_t		is_literal[256] = {0};
	int16_t		known[256 + 3]; /* literal bytes, then the others: starts,
								 * continuations, undecided */
	int			nclasses = 0;
	int			i;

	for (i = 0; i < m->nitems; i++)
		if (m->item[i].kind == LIKE_BYTE)
			is_literal[m->item[i].byte] = 1;
	for (i = 0; i < 256 + 3; i++)
		known[i] = -1;
	for (i = 0; i < 256; i++)
	{
		char		c = (char) i;
		uint8_t		folded = (uint8_t) rowfn_fold_byte(c, fold, kind);
		int			key = 256;

		if (kind != ROWFN_FOLD_NONE && rowfn_fold_undecided(&c, 1, fold, kind))
			key = 256 + 2;
		else if (is_literal[folded])
			key = folded;
		else if (m->is_utf8 && rowfn_utf8_is_continuation(c))
			key = 256 + 1;
		if (known[key] < 0)
		{
			byte[nclasses] = (uint8_t) i;
			known[key] = (int16_t) nclasses++;
		}
		class_of[i] = (uint8_t) known[key];
	}
	return nclasses;
}

uint32_t
gpustr_like_automaton(const void *pattern, int32_t encoding, const GpustrFold *fold, void *out,
					  uint32_t out_bytes)
{
	const GpustrLikePattern *p = (const GpustrLikePattern *) pattern;
	RowfnFoldKind kind = fold != NULL ? rowfn_fold_kind(fold) : ROWFN_FOLD_NONE;
	GpustrDfa  *dfa = (GpustrDfa *) out;
	uint8_t		byte[256];
	uint8_t    *at_end;
	uint16_t   *next;
	LikeMaker	m;
	LikeSet		set = {{0, 0}};
	int			state;
	int			c;

	if ((p->flags & GPUSTR_LIKE_RECHECK) || p->min_bytes > LIKE_MAX_ITEMS ||
		out_bytes < sizeof(GpustrDfa) + LIKE_MAX_STATES)
		return 0;
	memset(&m, 0, sizeof(m));
	m.block = (const char *) pattern;
	m.run = GPUSTR_LIKE_RUNS(p);
	m.is_utf8 = encoding == GPUSTR_ENC_UTF8;
	make_items(&m, p);
	if (m.is_too_large)
		return 0;
	for (c = 0; c < 256 && kind != ROWFN_FOLD_NONE; c++)
	{
		char		one = (char) c;

		m.has_undecided |= rowfn_fold_undecided(&one, 1, fold, kind);
	}

	memset(dfa, 0, sizeof(*dfa));
	dfa->nclasses = make_classes(&m, fold, kind, dfa->class_of, byte);
	dfa->at_end_off = sizeof(GpustrDfa);
	dfa->next_off = sizeof(GpustrDfa) + LIKE_MAX_STATES;
	at_end = (uint8_t *) out + dfa->at_end_off;
	memset(at_end, 0, LIKE_MAX_STATES);
	next = (uint16_t *) ((char *) out + dfa->next_off);
	m.nstates = GPUSTR_DFA_ACCEPT + 1;
	set_add(&set, 0);
	dfa->start = state_of(&m, set_closed(&m, set));
	for (state = 0; state < m.nstates; state++)
	{
		int			cells = (state + 1) * dfa->nclasses;

		if (cells > LIKE_MAX_CELLS ||
			(uint32_t) dfa->next_off + (uint32_t) cells * sizeof(uint16_t) > out_bytes)
			return 0;
		at_end[state] = truth_at_end(&m, state);
		for (c = 0; c < dfa->nclasses; c++)
		{
			int			to = state;

			if (state > GPUSTR_DFA_ACCEPT && !set_has(m.set[state], LIKE_RECHECK_ITEM))
			{
				char		of = (char) byte[c];

				if (kind != ROWFN_FOLD_NONE && rowfn_fold_undecided(&of, 1, fold, kind))
				{
					memset(&set, 0, sizeof(set));
					set_add(&set, LIKE_RECHECK_ITEM);
				}
				else
					set = set_after(&m, m.set[state], (uint8_t) rowfn_fold_byte(of, fold, kind),
									m.is_utf8 && rowfn_utf8_is_continuation(of));
				to = state_of(&m, set);
				if (to == LIKE_MAX_STATES)
					return 0;
			}
			next[state * dfa->nclasses + c] = (uint16_t) to;
		}
	}
	dfa->nstates = m.nstates;
	return (uint32_t) dfa->next_off +
		(uint32_t) (m.nstates * dfa->nclasses) * (uint32_t) sizeof(uint16_t);
}
