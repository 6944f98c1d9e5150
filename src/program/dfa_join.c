/*-------------------------------------------------------------------------
 *
 * dfa_join.c
 *	  Several automata as one: AND, OR and NOT of what they accept.
 *
 * The states are pairs of states, one of each automaton, found from the start on
 * (product construction, Rabin and Scott 1959).  A pair that decides is
 * GPUSTR_DFA_REJECT or GPUSTR_DFA_ACCEPT, whatever else is in it.  Then states and
 * classes of bytes are merged that no text tells apart.
 *
 * In UTF-8 a state is either between characters, where a continuation byte leaves
 * it as it is, or within one, where others do not come.  A pair with a state within a
 * character rejects these, so that no pairs are made for texts that there are not.  And
 * where all continuation bytes lead to one state between characters, that one will do.
 *
 * Memory is given back but for the automaton that is returned; a poll() or resize()
 * that does not return leaves it to the caller.
 *
 * IDENTIFICATION
 *	  src/program/dfa_join.c
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "program/dfa_join.h"
#include "program/dfa_table.h"

#define EMPTY_SLOT (-1)
#define FIRST_CONTINUATION 0x80
#define FIRST_LEAD 0xC0

/* Steps of work between two calls of poll(). */
#define POLL_STEPS (1 << 16)

/* The texts that gpustr_dfa_bytes_read() reads: so many of so many bytes. */
#define SAMPLE_TEXTS 16
#define SAMPLE_BYTES (GPUSTR_DFA_SAMPLE / SAMPLE_TEXTS)

typedef struct Join
{
	const GpustrDfa *dfa[2];
	int			use_or;
	int			utf8;
	size_t	   *work;
	const GpustrTrieMemory *memory;
	int			failed;

	/* classes of bytes: those that neither tells apart */
	int32_t		nclasses;
	uint8_t		class_of[256];	/* of each byte */
	uint8_t		class_in[256][2];	/* of each class */
	uint8_t		continues[256]; /* is the class one of continuation bytes? */

	/* pairs, in the order in which they were found; the first two are none */
	int32_t		space;
	uint16_t   *pair;			/* [nstates][2] */
	uint32_t	nslots;			/* a power of two */
	int32_t    *slots;			/* pair by hash */
	GpustrDfaTable table;
} Join;

static const uint16_t *
next_of(const GpustrDfa *dfa)
{
	return (const uint16_t *) ((const char *) dfa + dfa->next_off);
}

static const uint8_t *
at_end_of(const GpustrDfa *dfa)
{
	return (const uint8_t *) dfa + dfa->at_end_off;
}

int
gpustr_dfa_is_exact(const GpustrDfa *dfa)
{
	int32_t		state;

	for (state = 0; state < dfa->nstates; state++)
	{
		if (at_end_of(dfa)[state] > GPUSTR_TRUE)
			return 0;
	}
	return 1;
}

static void
find_classes(Join *join)
{
	int			byte;

	for (byte = 0; byte < 256; byte++)
	{
		uint8_t		in0 = join->dfa[0]->class_of[byte];
		uint8_t		in1 = join->dfa[1]->class_of[byte];
		uint8_t		continues = join->utf8 && byte >= FIRST_CONTINUATION && byte < FIRST_LEAD;
		int32_t		i = 0;

		while (i < join->nclasses && (join->class_in[i][0] != in0 || join->class_in[i][1] != in1 ||
									  join->continues[i] != continues))
			i++;
		if (i == join->nclasses)
		{
			join->class_in[i][0] = in0;
			join->class_in[i][1] = in1;
			join->continues[i] = continues;
			join->nclasses++;
		}
		join->class_of[byte] = (uint8_t) i;
	}
}

/* Is a state of one of the automata within a character? */
static int
is_within(const Join *join, int which, uint16_t state)
{
	const GpustrDfa *dfa = join->dfa[which];
	const uint16_t *row = next_of(dfa) + (size_t) state * (size_t) dfa->nclasses;
	int32_t		i;

	for (i = 0; join->utf8 && i < join->nclasses; i++)
	{
		if (join->continues[i] && row[join->class_in[i][which]] != state)
			return 1;
	}
	return 0;
}

static uint32_t
slot_of(const Join *join, uint16_t a, uint16_t b)
{
	uint64_t	hash = ((uint64_t) a << 16 | b) * UINT64_C(0x9E3779B97F4A7C15);

	return (uint32_t) (hash >> 32) & (join->nslots - 1);
}

/* More memory, for twice as many pairs.  0: there is none. */
static int
grow(Join *join)
{
	const GpustrTrieMemory *memory = join->memory;
	size_t		space = join->space == 0 ? 64 : 2 * (size_t) join->space;
	uint16_t   *pair = (uint16_t *) memory->resize(join->pair, 2 * sizeof(uint16_t) * space);
	int32_t    *next;
	uint8_t    *at_end;
	int32_t    *slots;
	int32_t		i;

	if (pair == NULL)
		return 0;
	join->pair = pair;
	next = (int32_t *) memory->resize(join->table.next,
									  sizeof(int32_t) * space * (size_t) join->nclasses);
	if (next == NULL)
		return 0;
	join->table.next = next;
	at_end = (uint8_t *) memory->resize(join->table.at_end, space);
	if (at_end == NULL)
		return 0;
	join->table.at_end = at_end;
	slots = (int32_t *) memory->resize(join->slots, 2 * sizeof(int32_t) * space);
	if (slots == NULL)
		return 0;
	join->slots = slots;
	join->space = (int32_t) space;
	join->nslots = 2 * (uint32_t) space;
	memset(slots, 0xFF, sizeof(int32_t) * join->nslots);
	for (i = 2; i < join->table.nstates; i++)
	{
		uint32_t	slot = slot_of(join, pair[2 * i], pair[2 * i + 1]);

		while (slots[slot] != EMPTY_SLOT)
			slot = (slot + 1) & (join->nslots - 1);
		slots[slot] = i;
	}
	return 1;
}

/* The state that a pair is. */
static int32_t
find_pair(Join *join, uint16_t a, uint16_t b)
{
	uint16_t	decides = join->use_or ? GPUSTR_DFA_ACCEPT : GPUSTR_DFA_REJECT;
	size_t		steps = (size_t) join->nclasses + 8;
	uint32_t	slot;
	int32_t		state;

	if (a == decides || b == decides)
		return decides;
	if (a <= GPUSTR_DFA_ACCEPT && b <= GPUSTR_DFA_ACCEPT)
		return 1 - decides;
	slot = slot_of(join, a, b);
	while (join->slots[slot] != EMPTY_SLOT)
	{
		state = join->slots[slot];
		if (join->pair[2 * state] == a && join->pair[2 * state + 1] == b)
			return state;
		slot = (slot + 1) & (join->nslots - 1);
	}
	state = join->table.nstates;
	if (steps > *join->work || (state == join->space && !grow(join)))
	{
		join->failed = 1;
		return GPUSTR_DFA_REJECT;
	}
	*join->work -= steps;
	for (slot = slot_of(join, a, b); join->slots[slot] != EMPTY_SLOT;)
		slot = (slot + 1) & (join->nslots - 1);
	join->slots[slot] = state;
	join->pair[2 * state] = a;
	join->pair[2 * state + 1] = b;
	join->table.nstates++;
	return state;
}

/* Find where a pair leads. */
static void
follow(Join *join, int32_t state)
{
	uint16_t	a = join->pair[2 * state];
	uint16_t	b = join->pair[2 * state + 1];
	const uint16_t *row_a = next_of(join->dfa[0]) + (size_t) a * (size_t) join->dfa[0]->nclasses;
	const uint16_t *row_b = next_of(join->dfa[1]) + (size_t) b * (size_t) join->dfa[1]->nclasses;
	int			within = is_within(join, 0, a) || is_within(join, 1, b);
	uint8_t		end_a = at_end_of(join->dfa[0])[a];
	uint8_t		end_b = at_end_of(join->dfa[1])[b];
	int32_t		i;

	for (i = 0; i < join->nclasses && !join->failed; i++)
	{
		int32_t		to = GPUSTR_DFA_REJECT;

		/* may move table.next */
		if (!within || join->continues[i])
			to = find_pair(join, row_a[join->class_in[i][0]], row_b[join->class_in[i][1]]);
		join->table.next[(size_t) state * (size_t) join->nclasses + (size_t) i] = to;
	}
	join->table.at_end[state] = within ? GPUSTR_FALSE :
		join->use_or ? (end_a | end_b) : (end_a & end_b);
}

static void
find_all_pairs(Join *join)
{
	GpustrDfaTable *table = &join->table;
	size_t		steps = 0;
	int32_t		state;
	int32_t		i;

	table->nstates = 2;
	table->ncolors = join->nclasses;
	if (!grow(join))
	{
		join->failed = 1;
		return;
	}
	for (state = 0; state < 2; state++)
	{
		for (i = 0; i < join->nclasses; i++)
			table->next[state * join->nclasses + i] = state;
		table->at_end[state] = (uint8_t) state;
	}
	table->start = find_pair(join, (uint16_t) join->dfa[0]->start, (uint16_t) join->dfa[1]->start);
	for (; state < table->nstates && !join->failed; state++)
	{
		follow(join, state);
		steps += (size_t) join->nclasses;
		if (steps >= POLL_STEPS)
		{
			steps = 0;
			join->memory->poll();
		}
	}
}

/* The state that all continuation bytes lead to; -1: they do not. */
static int32_t
only_continuation(const Join *join, int32_t state)
{
	const int32_t *row = join->table.next + (size_t) state * (size_t) join->nclasses;
	int32_t		to = -1;
	int32_t		i;

	for (i = 0; i < join->nclasses; i++)
	{
		if (!join->continues[i])
			continue;
		if (to >= 0 && row[i] != to)
			return -1;
		to = row[i];
	}
	return to;
}

/*
 * Let states within characters that all lead to the same one between characters be like
 * that.  Returns how many there are.
 */
static int
skip_within(Join *join)
{
	GpustrDfaTable *table = &join->table;
	size_t		ncolors = (size_t) table->ncolors;
	int			found = 0;
	int32_t		state;

	for (state = 2; join->utf8 && state < table->nstates; state++)
	{
		int32_t		to = only_continuation(join, state);

		if (to < 0 || to == state || only_continuation(join, to) != to)
			continue;
		memcpy(table->next + (size_t) state * ncolors, table->next + (size_t) to * ncolors,
			   sizeof(int32_t) * ncolors);
		table->at_end[state] = table->at_end[to];
		found++;
	}
	return found;
}

/* Merge states and classes. */
static void
reduce(Join *join)
{
	int32_t		merged[256];
	int			byte;

	do
	{
		if (!gpustr_table_merge_states(&join->table, join->work, join->memory))
			join->failed = 1;
	} while (!join->failed && skip_within(join) > 0);
	if (join->failed || !gpustr_table_merge_colors(&join->table, merged, join->memory))
	{
		join->failed = 1;
		return;
	}
	for (byte = 0; byte < 256; byte++)
		join->class_of[byte] = (uint8_t) merged[join->class_of[byte]];
}

/* Put the automaton together. */
static GpustrDfa *
pack(const Join *join, uint32_t max_bytes, uint32_t *bytes)
{
	const GpustrDfaTable *table = &join->table;
	uint64_t	cells = (uint64_t) table->nstates * (uint64_t) table->ncolors;
	uint64_t	size = sizeof(GpustrDfa) + sizeof(uint16_t) * cells + (uint64_t) table->nstates;
	GpustrDfa  *dfa;
	uint16_t   *next;
	uint64_t	i;

	if (table->nstates > 65535 || size > max_bytes)
		return NULL;
	dfa = (GpustrDfa *) join->memory->resize(NULL, size);
	if (dfa == NULL)
		return NULL;
	memset(dfa, 0, sizeof(GpustrDfa));
	dfa->nstates = table->nstates;
	dfa->nclasses = table->ncolors;
	dfa->start = table->start;
	dfa->next_off = (int32_t) sizeof(GpustrDfa);
	dfa->at_end_off = dfa->next_off + (int32_t) (sizeof(uint16_t) * cells);
	memcpy(dfa->class_of, join->class_of, sizeof(dfa->class_of));
	next = (uint16_t *) ((char *) dfa + dfa->next_off);
	for (i = 0; i < cells; i++)
		next[i] = (uint16_t) table->next[i];
	memcpy((char *) dfa + dfa->at_end_off, table->at_end, (size_t) table->nstates);
	*bytes = (uint32_t) size;
	return dfa;
}

GpustrDfa *
gpustr_dfa_join(const GpustrDfa *a, const GpustrDfa *b, int use_or, int utf8, uint32_t max_bytes,
				size_t *work, const GpustrTrieMemory *memory, uint32_t *bytes)
{
	GpustrDfa  *dfa = NULL;
	Join		join;

	memset(&join, 0, sizeof(join));
	join.dfa[0] = a;
	join.dfa[1] = b;
	join.use_or = use_or;
	join.utf8 = utf8;
	join.work = work;
	join.memory = memory;
	find_classes(&join);
	find_all_pairs(&join);
	if (!join.failed)
		reduce(&join);
	if (!join.failed)
		dfa = pack(&join, max_bytes, bytes);
	if (join.pair != NULL)
		memory->release(join.pair);
	if (join.table.next != NULL)
		memory->release(join.table.next);
	if (join.table.at_end != NULL)
		memory->release(join.table.at_end);
	if (join.slots != NULL)
		memory->release(join.slots);
	return dfa;
}

GpustrDfa *
gpustr_dfa_not(const GpustrDfa *dfa, uint32_t bytes, const GpustrTrieMemory *memory)
{
	GpustrDfa  *negated = (GpustrDfa *) memory->resize(NULL, bytes);
	uint16_t   *next;
	uint8_t    *at_end;
	int32_t		cells = dfa->nstates * dfa->nclasses;
	int32_t		i;

	if (negated == NULL)
		return NULL;
	memcpy(negated, dfa, bytes);
	next = (uint16_t *) ((char *) negated + negated->next_off);
	at_end = (uint8_t *) negated + negated->at_end_off;

	/* all that leads to one of the two states that stay leads to the other */
	if (negated->start <= GPUSTR_DFA_ACCEPT)
		negated->start = 1 - negated->start;
	for (i = 2 * dfa->nclasses; i < cells; i++)
	{
		if (next[i] <= GPUSTR_DFA_ACCEPT)
			next[i] = (uint16_t) (1 - next[i]);
	}
	for (i = 2; i < dfa->nstates; i++)
	{
		if (at_end[i] <= GPUSTR_TRUE)
			at_end[i] = (uint8_t) (1 - at_end[i]);
	}
	return negated;
}

int32_t
gpustr_dfa_bytes_read(const GpustrDfa *dfa)
{
	static const char letters[] = "etaoinshrdlucmfwypvbgkETAOINSR01234567890    ...///--__::==";
	uint32_t	random = 12345;
	int32_t		read = 0;
	int			i;
	int			j;

	for (i = 0; i < SAMPLE_TEXTS; i++)
	{
		uint32_t	state = (uint32_t) dfa->start;

		for (j = 0; j < SAMPLE_BYTES; j++)
		{
			/* a linear congruential generator (Numerical Recipes): high bits */
			random = random * 1664525 + 1013904223;
			if (state <= GPUSTR_DFA_ACCEPT)
				continue;
			read++;
			state = next_of(dfa)[state * (uint32_t) dfa->nclasses +
								 dfa->class_of[(unsigned char) letters[(random >> 16) %
																	   (sizeof(letters) - 1)]]];
		}
	}
	return read;
}
