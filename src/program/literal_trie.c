/*-------------------------------------------------------------------------
 *
 * literal_trie.c
 *	  Many literals as one tree, with the links of Aho and Corasick.
 *
 * Nodes are made level by level.  A node's literals are a range of an array; at
 * its turn they are sorted by their next byte, which makes the ranges of its
 * children.  So the literals need no order before, and the work is in
 * proportion to their bytes, whatever they have in common.
 *
 * A node's fail link, by Aho and Corasick (1975), is found from its parent's when it
 * is made: all shallower nodes have their children by then.
 *
 * IDENTIFICATION
 *	  src/program/literal_trie.c
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "program/literal_trie.h"

/* Literals up to so many are sorted one by one, more by counting. */
#define INSERT_LITERALS 24

/* Steps of work between two calls of poll(). */
#define POLL_STEPS (1 << 16)

typedef struct TrieWork
{
	GpustrLiteralTrie *trie;
	const GpustrLiteral *literals;
	const GpustrTrieMemory *memory;
	int32_t    *order;			/* [n]: literals */
	int32_t    *sorted;			/* [n] */
	uint32_t	max_nodes;
	int			cut;
	int			steps;			/* since poll() was called */
} TrieWork;

static void
count_steps(TrieWork *work, uint32_t steps)
{
	if ((uint32_t) work->steps + steps < POLL_STEPS)
	{
		work->steps += (int) steps;
		return;
	}
	work->steps = 0;
	work->memory->poll();
}

uint32_t
gpustr_trie_child(const GpustrLiteralTrie *trie, uint32_t node, uint8_t byte)
{
	uint32_t	low = trie->node[node].first_child;
	uint32_t	high = trie->node[node + 1].first_child;

	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (trie->node[middle].byte == byte)
			return middle;
		if (trie->node[middle].byte < byte)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}

/* Room for one more node and the end.  0: there is none. */
static int
have_room(TrieWork *work)
{
	GpustrLiteralTrie *trie = work->trie;
	GpustrTrieNode *node;

	if (trie->nnodes >= work->max_nodes)
		return 0;
	if (trie->nnodes + 1 < trie->space)
		return 1;
	trie->space *= 2;
	node = (GpustrTrieNode *) work->memory->resize(trie->node,
												   trie->space * sizeof(GpustrTrieNode));
	if (node == NULL)
		return 0;
	trie->node = node;
	return 1;
}

/* Where a literal goes on from a depth: 0 it ends, or its byte and 1. */
static int
key_of(const TrieWork *work, int32_t literal, int32_t depth)
{
	const GpustrLiteral *l = &work->literals[literal];

	return l->bytes == depth ? 0 : 1 + (unsigned char) l->at[depth];
}

/* Sort a range of literals by their keys; those of one key keep their order. */
static void
sort_range(TrieWork *work, uint32_t first, uint32_t last, int32_t depth)
{
	int32_t    *order = work->order;
	uint32_t	at[257 + 1] = {0};
	uint32_t	i;

	if (last - first <= INSERT_LITERALS)
	{
		for (i = first + 1; i < last; i++)
		{
			int32_t		literal = order[i];
			int			key = key_of(work, literal, depth);
			uint32_t	j;

			for (j = i; j > first && key_of(work, order[j - 1], depth) > key; j--)
				order[j] = order[j - 1];
			order[j] = literal;
		}
		return;
	}
	for (i = first; i < last; i++)
		at[key_of(work, order[i], depth) + 1]++;
	for (i = 1; i <= 257; i++)
		at[i] += at[i - 1];
	for (i = first; i < last; i++)
		work->sorted[at[key_of(work, order[i], depth)]++] = order[i];
	memcpy(order + first, work->sorted, (last - first) * sizeof(int32_t));
}

/* The fail link of a child of 'parent' by 'byte'. */
static uint32_t
find_fail(TrieWork *work, uint32_t parent, uint8_t byte)
{
	const GpustrLiteralTrie *trie = work->trie;
	uint32_t	node = parent;

	while (node != 0)
	{
		uint32_t	child;

		node = trie->node[node].fail;
		child = gpustr_trie_child(trie, node, byte);
		count_steps(work, 1);
		if (child != 0)
			return child;
	}
	return 0;
}

/* A child of a node, by the byte that the literals of the range have. */
static int
add_child(TrieWork *work, uint32_t parent, uint32_t first, uint32_t last, int32_t depth)
{
	GpustrLiteralTrie *trie = work->trie;
	GpustrTrieNode *node;
	uint8_t		byte = (uint8_t) work->literals[work->order[first]].at[depth];
	uint32_t	fail = find_fail(work, parent, byte);

	if (!have_room(work))
		return 0;
	node = &trie->node[trie->nnodes++];
	node->first = first;
	node->last = last;
	node->byte = byte;
	node->fail = fail;
	node->literal = GPUSTR_NO_LITERAL;
	return 1;
}

/* Make the children of a node. */
static int
expand(TrieWork *work, uint32_t parent, int32_t depth)
{
	GpustrLiteralTrie *trie = work->trie;
	uint32_t	first = trie->node[parent].first;
	uint32_t	last = trie->node[parent].last;

	trie->node[parent].first_child = trie->nnodes;
	if (work->cut)
	{
		/* what it fails to is shallower: it has been here */
		trie->node[parent].literal = trie->node[trie->node[parent].fail].literal;
		if (trie->node[parent].literal != GPUSTR_NO_LITERAL)
			return 1;
	}
	count_steps(work, last - first);
	sort_range(work, first, last, depth);
	for (; first < last && key_of(work, work->order[first], depth) == 0; first++)
	{
		int32_t		literal = work->order[first];

		trie->next_same[literal] = trie->node[parent].literal;
		trie->node[parent].literal = literal;
	}
	if (work->cut && trie->node[parent].literal != GPUSTR_NO_LITERAL)
		return 1;
	while (first < last)
	{
		int			key = key_of(work, work->order[first], depth);
		uint32_t	end = first + 1;

		while (end < last && key_of(work, work->order[end], depth) == key)
			end++;
		if (!add_child(work, parent, first, end, depth))
			return 0;
		first = end;
	}
	return 1;
}

static int
make_nodes(TrieWork *work, int32_t n)
{
	GpustrLiteralTrie *trie = work->trie;
	GpustrTrieNode *root = trie->node;
	uint32_t	level_end = 1;
	uint32_t	node;
	int32_t		depth = 0;

	memset(root, 0, sizeof(*root));
	root->literal = GPUSTR_NO_LITERAL;
	root->last = (uint32_t) n;
	trie->nnodes = 1;
	for (node = 0; node < trie->nnodes; node++)
	{
		if (node == level_end)
		{
			level_end = trie->nnodes;
			depth++;
		}
		if (!expand(work, node, depth))
			return 0;
	}
	trie->node[trie->nnodes].first_child = trie->nnodes;
	return 1;
}

int
gpustr_trie_make(GpustrLiteralTrie *trie, const GpustrLiteral *literals, int32_t n, int cut,
				 uint32_t max_nodes, const GpustrTrieMemory *memory)
{
	size_t		bytes = ((size_t) n + 1) * sizeof(int32_t);
	TrieWork	work = {trie, literals, memory, NULL, NULL, max_nodes, cut, 0};
	int			made = 0;
	int32_t		i;

	trie->nnodes = 0;
	trie->space = 64;
	trie->next_same = (int32_t *) memory->resize(NULL, bytes);
	trie->node = (GpustrTrieNode *) memory->resize(NULL, trie->space * sizeof(GpustrTrieNode));
	work.order = (int32_t *) memory->resize(NULL, bytes);
	work.sorted = (int32_t *) memory->resize(NULL, bytes);
	if (trie->next_same != NULL && trie->node != NULL && work.order != NULL && work.sorted != NULL)
	{
		for (i = 0; i < n; i++)
			work.order[i] = i;
		made = make_nodes(&work, n);
	}
	if (work.order != NULL)
		memory->release(work.order);
	if (work.sorted != NULL)
		memory->release(work.sorted);
	if (!made)
		gpustr_trie_free(trie, memory);
	return made;
}

void
gpustr_trie_free(GpustrLiteralTrie *trie, const GpustrTrieMemory *memory)
{
	if (trie->node != NULL)
		memory->release(trie->node);
	if (trie->next_same != NULL)
		memory->release(trie->next_same);
	trie->node = NULL;
	trie->next_same = NULL;
}
