/*-------------------------------------------------------------------------
 *
 * dfa_table.c
 *	  Make automata smaller that are still tables.
 *
 * States are merged round by round: two stay together if they are, and lead to
 * states that are.  Rows are compared by a hash of where they lead, then cell by
 * cell.  Colours are columns of the table, compared alike, once.
 *
 * IDENTIFICATION
 *	  src/program/dfa_table.c
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "program/dfa_table.h"

#define EMPTY_SLOT (-1)

/* Steps of work between two calls of poll(). */
#define POLL_STEPS (1 << 16)

/* Multiplier of a Fibonacci hash. */
#define HASH_FACTOR UINT64_C(0x9E3779B97F4A7C15)

/* Working memory of a merge. */
typedef struct Parts
{
	int32_t    *part;			/* [nstates]: of this round */
	int32_t    *refined;		/* [nstates]: of the next one */
	int32_t    *slots;			/* [nslots]: state by hash */
	uint32_t	nslots;			/* a power of two */
} Parts;

/* Do two states of one part lead to the same parts? */
static int
lead_alike(const GpustrDfaTable *table, const int32_t *part, int32_t a, int32_t b)
{
	const int32_t *next_a = table->next + (size_t) a * (size_t) table->ncolors;
	const int32_t *next_b = table->next + (size_t) b * (size_t) table->ncolors;
	int32_t		c = 0;

	if (part[a] != part[b])
		return 0;
	while (c < table->ncolors && part[next_a[c]] == part[next_b[c]])
		c++;
	return c == table->ncolors;
}

/* One round of refinement.  Returns the number of parts. */
static int32_t
refine(const GpustrDfaTable *table, Parts *p, const GpustrTrieMemory *memory)
{
	int32_t		n = 0;
	int32_t		steps = 0;
	int32_t		state;
	int32_t		c;

	memset(p->slots, 0xFF, sizeof(int32_t) * p->nslots);
	for (state = 0; state < table->nstates; state++)
	{
		const int32_t *next = table->next + (size_t) state * (size_t) table->ncolors;
		uint64_t	hash = (uint64_t) p->part[state] + 1;
		uint32_t	slot;

		for (c = 0; c < table->ncolors; c++)
			hash = (hash ^ (uint64_t) p->part[next[c]]) * HASH_FACTOR;
		slot = (uint32_t) (hash >> 32) & (p->nslots - 1);
		while (p->slots[slot] != EMPTY_SLOT &&
			   !lead_alike(table, p->part, p->slots[slot], state))
			slot = (slot + 1) & (p->nslots - 1);
		if (p->slots[slot] == EMPTY_SLOT)
		{
			p->slots[slot] = state;
			p->refined[state] = n++;
		}
		else
			p->refined[state] = p->refined[p->slots[slot]];
		steps += table->ncolors + 4;
		if (steps >= POLL_STEPS)
		{
			steps = 0;
			memory->poll();
		}
	}
	return n;
}

/* Refine until it is stable.  0: too much work. */
static int
find_parts(const GpustrDfaTable *table, Parts *p, size_t *work, const GpustrTrieMemory *memory)
{
	size_t		round = (size_t) table->nstates * ((size_t) table->ncolors + 4);
	int32_t		n = 2;
	int32_t		before;
	int32_t		state;

	for (state = 0; state < table->nstates; state++)
		p->part[state] = table->at_end[state];
	do
	{
		int32_t    *swap = p->part;

		if (round > *work)
			return 0;
		*work -= round;
		before = n;
		n = refine(table, p, memory);
		p->part = p->refined;
		p->refined = swap;
	} while (n > before);
	return 1;
}

/*
 * Parts are numbered by their first states, so 0 and 1 stay what they are, and a part's
 * row may overwrite one that has been read.
 */
static void
keep_parts(GpustrDfaTable *table, const int32_t *part)
{
	size_t		ncolors = (size_t) table->ncolors;
	int32_t		n = 0;
	int32_t		state;
	size_t		c;

	for (state = 0; state < table->nstates; state++)
	{
		if (part[state] < n)
			continue;
		for (c = 0; c < ncolors; c++)
			table->next[(size_t) n * ncolors + c] =
				part[table->next[(size_t) state * ncolors + c]];
		table->at_end[n++] = table->at_end[state];
	}
	table->start = part[table->start];
	table->middle = part[table->middle];
	table->nstates = n;
}

int
gpustr_table_merge_states(GpustrDfaTable *table, size_t *work, const GpustrTrieMemory *memory)
{
	size_t		bytes = sizeof(int32_t) * (size_t) table->nstates;
	Parts		p;
	int			merged = 0;

	p.nslots = 16;
	while (p.nslots < 2 * (uint32_t) table->nstates)
		p.nslots *= 2;
	p.part = (int32_t *) memory->resize(NULL, bytes);
	p.refined = (int32_t *) memory->resize(NULL, bytes);
	p.slots = (int32_t *) memory->resize(NULL, sizeof(int32_t) * p.nslots);
	if (p.part != NULL && p.refined != NULL && p.slots != NULL &&
		find_parts(table, &p, work, memory))
	{
		keep_parts(table, p.part);
		merged = 1;
	}
	if (p.part != NULL)
		memory->release(p.part);
	if (p.refined != NULL)
		memory->release(p.refined);
	if (p.slots != NULL)
		memory->release(p.slots);
	return merged;
}

/* Does no state tell two colours apart? */
static int
are_alike(const GpustrDfaTable *table, int32_t a, int32_t b)
{
	const int32_t *next = table->next;
	int32_t		state = 0;

	while (state < table->nstates && next[a] == next[b])
	{
		next += table->ncolors;
		state++;
	}
	return state == table->nstates;
}

/* What each colour is now: into merged[]; and the first of each into first[]. */
static int32_t
find_colors(const GpustrDfaTable *table, uint64_t *hash, int32_t *first, int32_t *merged,
			const GpustrTrieMemory *memory)
{
	const int32_t *next = table->next;
	int32_t		n = 0;
	int32_t		state;
	int32_t		c;
	int32_t		i;

	memset(hash, 0, sizeof(uint64_t) * (size_t) table->ncolors);
	for (state = 0; state < table->nstates; state++)
	{
		for (c = 0; c < table->ncolors; c++)
			hash[c] = (hash[c] ^ (uint64_t) *next++) * HASH_FACTOR;
		if (state % 64 == 0)
			memory->poll();
	}
	for (c = 0; c < table->ncolors; c++)
	{
		memory->poll();
		for (i = 0; i < n; i++)
		{
			if (hash[first[i]] == hash[c] && are_alike(table, first[i], c))
				break;
		}
		if (i == n)
			first[n++] = c;
		merged[c] = i;
	}
	return n;
}

int
gpustr_table_merge_colors(GpustrDfaTable *table, int32_t *merged, const GpustrTrieMemory *memory)
{
	size_t		ncolors = (size_t) table->ncolors;
	uint64_t   *hash = (uint64_t *) memory->resize(NULL, sizeof(uint64_t) * ncolors);
	int32_t    *first = (int32_t *) memory->resize(NULL, sizeof(int32_t) * ncolors);
	int			done = 0;

	if (hash != NULL && first != NULL)
	{
		int32_t		n = find_colors(table, hash, first, merged, memory);
		int32_t    *to = table->next;
		int32_t		state;
		int32_t		i;

		/* first[i] >= i: no colour is overwritten before it is read */
		for (state = 0; state < table->nstates; state++)
		{
			for (i = 0; i < n; i++)
				*to++ = table->next[(size_t) state * ncolors + (size_t) first[i]];
		}
		table->ncolors = n;
		done = 1;
	}
	if (hash != NULL)
		memory->release(hash);
	if (first != NULL)
		memory->release(first);
	return done;
}
