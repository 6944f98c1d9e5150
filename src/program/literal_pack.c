/*-------------------------------------------------------------------------
 *
 * literal_pack.c
 *	  Automata made of a tree of literals (literal_trie.h).
 *
 * Nodes become states in the tree's order, which is by depth, but for those at
 * which something is found: they are one state.  A state leads by a byte to its
 * child, or else to where the state leads that it fails to, which comes before it.
 * So a row is a copy of an earlier row with the children put in.
 *
 * In a GpustrAhoCorasick the states of the least depth have rows, as many as there is
 * room for, or as have children of numbers that a row can hold.  A cold state's
 * edges are its children and, if it fails to a cold state, the edges of that
 * one, for classes that it has no child for: both have the same hot state.
 *
 * IDENTIFICATION
 *	  src/program/literal_pack.c
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "program/literal_trie.h"

/* The most edges that a cold state has outside of more[]. */
#define INLINE_EDGES 2

/* Nodes between two calls of poll(). */
#define POLL_NODES 16384

typedef struct Pack
{
	GpustrLiteralTrie *trie;
	const GpustrTrieMemory *memory;
	uint8_t		class_of[256];
	uint32_t	nclasses;
	uint32_t	nstates;
	uint32_t	nhot;
	uint16_t   *hot;
	GpustrColdState *cold;
	uint32_t   *more;
	uint32_t	nmore;
	uint32_t	more_space;
	uint32_t	max_more;
} Pack;

static int
is_found(const GpustrLiteralTrie *trie, uint32_t node)
{
	return trie->node[node].literal != GPUSTR_NO_LITERAL;
}

/* The state of a node, or 'found'. */
static uint32_t
state_of(const GpustrLiteralTrie *trie, uint32_t node, uint32_t found)
{
	return is_found(trie, node) ? found : trie->node[node].first;
}

/* Put bytes that the literals have into classes of their own, all others into one. */
static uint32_t
find_classes(const GpustrLiteralTrie *trie, uint8_t *class_of)
{
	uint8_t		is_used[256] = {0};
	uint32_t	n = 0;
	uint32_t	i;

	for (i = 1; i < trie->nnodes; i++)
		is_used[trie->node[i].byte] = 1;
	for (i = 0; i < 256; i++)
		n += is_used[i];

	/* class 0 is that of the others, if there are any */
	n = n < 256;
	for (i = 0; i < 256; i++)
		class_of[i] = (uint8_t) (is_used[i] ? n++ : 0);
	return n;
}

/* Number the nodes that are states of their own, but for 'none'.  Returns the next number. */
static uint32_t
number_states(GpustrLiteralTrie *trie, uint32_t from, uint32_t none)
{
	uint32_t	n = from;
	uint32_t	node;

	for (node = 0; node < trie->nnodes; node++)
	{
		if (is_found(trie, node))
			continue;
		n += n == none;
		trie->node[node].first = n++;
	}
	return n;
}

/* The row of a node's state, out of that of the one that it fails to. */
static void
fill_row(const GpustrLiteralTrie *trie, const uint8_t *class_of, uint32_t nclasses, uint16_t *rows,
		 uint32_t node, uint32_t found)
{
	const GpustrTrieNode *n = &trie->node[node];
	uint16_t   *row = rows + (size_t) n->first * nclasses;
	uint32_t	i;

	if (node != 0)
		memcpy(row, rows + (size_t) trie->node[n->fail].first * nclasses,
			   nclasses * sizeof(uint16_t));
	else
		for (i = 0; i < nclasses; i++)
			row[i] = (uint16_t) n->first;
	for (i = n->first_child; i < n[1].first_child; i++)
		row[class_of[trie->node[i].byte]] = (uint16_t) state_of(trie, i, found);
}

/* How many states, from the first, have rows; their nodes are those before *node. */
static uint32_t
count_hot(const Pack *pack, uint32_t hot_bytes, uint32_t *node)
{
	const GpustrLiteralTrie *trie = pack->trie;
	uint32_t	most = hot_bytes / (pack->nclasses * (uint32_t) sizeof(uint16_t));
	uint32_t	n = 0;

	if (most > GPUSTR_FOUND)
		most = GPUSTR_FOUND;
	for (*node = 0; *node < trie->nnodes; (*node)++)
	{
		uint32_t	child = trie->node[*node + 1].first_child;

		if (is_found(trie, *node))
			continue;

		/* its last child that is a state must fit a row */
		while (child > trie->node[*node].first_child && is_found(trie, child - 1))
			child--;
		if (n > 0 && (n >= most || (child > trie->node[*node].first_child &&
									trie->node[child - 1].first > GPUSTR_FOUND)))
			break;
		n++;
	}
	return n;
}

/* Add an edge to a cold state that has n.  0: there are too many. */
static int
add_edge(Pack *pack, GpustrColdState *cold, uint32_t n, uint32_t edge)
{
	if (n == 0)
		cold->edge[0] = cold->edge[1] = edge;
	else if (n < INLINE_EDGES)
		cold->edge[n] = edge;
	else
	{
		if (pack->nmore == pack->max_more)
			return 0;
		if (pack->nmore == pack->more_space)
		{
			uint32_t	space = pack->more_space < 512 ? 1024 : 2 * pack->more_space;
			uint32_t   *more = (uint32_t *) pack->memory->resize(pack->more, (size_t) space * sizeof(uint32_t));

			if (more == NULL)
				return 0;
			pack->more = more;
			pack->more_space = space;
		}
		pack->more[pack->nmore++] = edge;
		cold->nmore++;
	}
	return 1;
}

/* Edge i of a cold state; there are nmore and INLINE_EDGES, the second maybe the first. */
static uint32_t
edge_of(const Pack *pack, const GpustrColdState *cold, uint32_t i)
{
	return i < INLINE_EDGES ? cold->edge[i] : pack->more[cold->more + i - INLINE_EDGES];
}

static int
fill_cold(Pack *pack, uint32_t node)
{
	const GpustrLiteralTrie *trie = pack->trie;
	const GpustrTrieNode *n = &trie->node[node];
	GpustrColdState *cold = &pack->cold[n->first - pack->nhot];
	uint32_t	fail = trie->node[n->fail].first;
	uint32_t	has_class[8] = {0};
	uint32_t	nedges = 0;
	uint32_t	i;

	cold->more = pack->nmore;
	cold->nmore = 0;
	for (i = n->first_child; i < n[1].first_child; i++)
	{
		uint32_t	c = pack->class_of[trie->node[i].byte];

		has_class[c / 32] |= 1u << (c % 32);
		if (!add_edge(pack, cold, nedges++,
					  state_of(trie, i, GPUSTR_FOUND) | c << GPUSTR_EDGE_BITS))
			return 0;
	}
	if (fail < pack->nhot)
		cold->hot = (uint16_t) fail;
	else
	{
		const GpustrColdState *from = &pack->cold[fail - pack->nhot];

		cold->hot = from->hot;
		for (i = 0; i < INLINE_EDGES + (uint32_t) from->nmore; i++)
		{
			uint32_t	edge = edge_of(pack, from, i);
			uint32_t	c = edge >> GPUSTR_EDGE_BITS;

			if (has_class[c / 32] & 1u << (c % 32))
				continue;
			has_class[c / 32] |= 1u << (c % 32);
			if (!add_edge(pack, cold, nedges++, edge))
				return 0;
		}
	}
	return 1;
}

/* The state that no node has, so that GPUSTR_FOUND is free, has a node's form all the same. */
static void
fill_hole(Pack *pack)
{
	GpustrColdState *cold = &pack->cold[GPUSTR_FOUND - pack->nhot];

	memset(cold, 0, sizeof(*cold));
}

/* Put the parts into one block. */
static GpustrAhoCorasick *
assemble(const Pack *pack, uint64_t bytes)
{
	uint32_t	hot_bytes = (pack->nhot * pack->nclasses * (uint32_t) sizeof(uint16_t) + 7) & ~7u;
	uint32_t	ncold = pack->nstates - pack->nhot;
	GpustrAhoCorasick *set = (GpustrAhoCorasick *) pack->memory->resize(NULL, bytes);

	if (set == NULL)
		return NULL;
	memset(set, 0, sizeof(*set));
	set->nstates = (int32_t) pack->nstates;
	set->nclasses = (int32_t) pack->nclasses;
	set->nhot = (int32_t) pack->nhot;
	set->nmore = (int32_t) pack->nmore;
	set->hot_off = (int32_t) sizeof(*set);
	set->cold_off = set->hot_off + (int32_t) hot_bytes;
	set->more_off = set->cold_off + (int32_t) (ncold * sizeof(GpustrColdState));
	memcpy(set->class_of, pack->class_of, sizeof(set->class_of));
	memcpy((char *) set + set->hot_off, pack->hot, hot_bytes);
	if (ncold > 0)
		memcpy((char *) set + set->cold_off, pack->cold, ncold * sizeof(GpustrColdState));
	if (pack->nmore > 0)
		memcpy((char *) set + set->more_off, pack->more, pack->nmore * sizeof(uint32_t));
	return set;
}

/* Bytes of the automaton but for more[]. */
static uint64_t
fixed_bytes(const Pack *pack)
{
	uint64_t	hot_bytes = (uint64_t) pack->nhot * pack->nclasses * sizeof(uint16_t);

	return sizeof(GpustrAhoCorasick) + ((hot_bytes + 7) & ~(uint64_t) 7) +
		(uint64_t) (pack->nstates - pack->nhot) * sizeof(GpustrColdState);
}

static int
fill_states(Pack *pack, uint32_t first_cold)
{
	const GpustrLiteralTrie *trie = pack->trie;
	uint32_t	node;

	for (node = 0; node < trie->nnodes; node++)
	{
		if (node % POLL_NODES == 0)
			pack->memory->poll();
		if (is_found(trie, node))
			continue;
		if (node < first_cold)
			fill_row(trie, pack->class_of, pack->nclasses, pack->hot, node, GPUSTR_FOUND);
		else if (!fill_cold(pack, node))
			return 0;
	}
	if (pack->nstates > GPUSTR_FOUND)
		fill_hole(pack);
	return 1;
}

GpustrAhoCorasick *
gpustr_trie_aho_corasick(GpustrLiteralTrie *trie, uint32_t hot_bytes, uint32_t max_bytes,
						 const GpustrTrieMemory *memory, uint32_t *bytes)
{
	Pack		pack;
	GpustrAhoCorasick *set = NULL;
	uint32_t	first_cold;
	size_t		row_bytes;

	memset(&pack, 0, sizeof(pack));
	pack.trie = trie;
	pack.memory = memory;
	pack.nclasses = find_classes(trie, pack.class_of);
	pack.nstates = number_states(trie, 0, GPUSTR_FOUND);
	pack.nhot = count_hot(&pack, hot_bytes, &first_cold);
	if (pack.nstates > GPUSTR_AHO_MAX_STATES || max_bytes > INT32_MAX ||
		fixed_bytes(&pack) > max_bytes)
		return NULL;
	pack.max_more = (uint32_t) ((max_bytes - fixed_bytes(&pack)) / sizeof(uint32_t));

	row_bytes = ((size_t) pack.nhot * pack.nclasses * sizeof(uint16_t) + 7) & ~(size_t) 7;
	pack.hot = (uint16_t *) memory->resize(NULL, row_bytes);
	pack.cold = (GpustrColdState *) memory->resize(NULL, ((size_t) (pack.nstates - pack.nhot) + 1) *
												   sizeof(GpustrColdState));
	if (pack.hot != NULL && pack.cold != NULL)
	{
		/* what pads the rows */
		memset((char *) pack.hot + row_bytes - 8, 0, 8);
		if (fill_states(&pack, first_cold))
		{
			*bytes = (uint32_t) (fixed_bytes(&pack) + pack.nmore * sizeof(uint32_t));
			set = assemble(&pack, *bytes);
		}
	}
	if (pack.hot != NULL)
		memory->release(pack.hot);
	if (pack.cold != NULL)
		memory->release(pack.cold);
	if (pack.more != NULL)
		memory->release(pack.more);
	return set;
}

GpustrDfa *
gpustr_trie_dfa(GpustrLiteralTrie *trie, int32_t max_states, uint32_t max_bytes,
				const GpustrTrieMemory *memory, uint32_t *bytes)
{
	uint8_t		class_of[256];
	uint32_t	nclasses = find_classes(trie, class_of);
	uint32_t	nstates = number_states(trie, GPUSTR_DFA_ACCEPT + 1, UINT32_MAX);
	uint64_t	row_bytes = (uint64_t) nstates * nclasses * sizeof(uint16_t);
	GpustrDfa  *dfa;
	uint16_t   *rows;
	uint32_t	i;

	if (nstates > (uint32_t) max_states || sizeof(GpustrDfa) + row_bytes + nstates > max_bytes)
		return NULL;
	*bytes = (uint32_t) (sizeof(GpustrDfa) + row_bytes + nstates);
	dfa = (GpustrDfa *) memory->resize(NULL, *bytes);
	if (dfa == NULL)
		return NULL;
	memset(dfa, 0, *bytes);
	dfa->nstates = (int32_t) nstates;
	dfa->nclasses = (int32_t) nclasses;
	dfa->start = GPUSTR_DFA_ACCEPT + 1;
	dfa->next_off = (int32_t) sizeof(GpustrDfa);
	dfa->at_end_off = dfa->next_off + (int32_t) row_bytes;
	memcpy(dfa->class_of, class_of, sizeof(class_of));
	rows = (uint16_t *) ((char *) dfa + dfa->next_off);
	for (i = 0; i < nclasses; i++)
		rows[GPUSTR_DFA_ACCEPT * nclasses + i] = GPUSTR_DFA_ACCEPT;
	for (i = 0; i < trie->nnodes; i++)
		if (!is_found(trie, i))
			fill_row(trie, class_of, nclasses, rows, i, GPUSTR_DFA_ACCEPT);
	((uint8_t *) dfa)[dfa->at_end_off + GPUSTR_DFA_ACCEPT] = GPUSTR_TRUE;
	return dfa;
}
