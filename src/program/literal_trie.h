/*-------------------------------------------------------------------------
 *
 * literal_trie.h
 *	  Many literals as one tree, with the links of Aho and Corasick, and the
 *	  automata that are made of it.
 *
 * Plain C.
 *
 * IDENTIFICATION
 *	  src/program/literal_trie.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_LITERAL_TRIE_H
#define GPUSTR_LITERAL_TRIE_H

#include <stddef.h>

#include "program/program.h"

typedef struct GpustrLiteral
{
	const char *at;
	int32_t		bytes;
} GpustrLiteral;

/*
 * Where memory is from.  resize() is realloc(): NULL makes new memory; it may fail
 * by returning NULL or by not returning.  release() is free().  poll() is called
 * every millisecond or so, and need not return either; what has been allocated
 * is then the caller's to find.
 */
typedef struct GpustrTrieMemory
{
	void	   *(*resize) (void *old, size_t bytes);
	void		(*release) (void *old);
	void		(*poll) (void);
} GpustrTrieMemory;

#define GPUSTR_NO_LITERAL (-1)

/* A node: what has been read of some literals. */
typedef struct GpustrTrieNode
{
	uint32_t	first_child;	/* up to the next node's first_child */
	uint32_t	fail;			/* the longest end of it that is a node */
	int32_t		literal;		/* one that ends here; GPUSTR_NO_LITERAL */
	uint32_t	first;			/* while it is made: the literals that go
								 * through it; then its number in an automaton */
	uint32_t	last;
	uint8_t		byte;			/* that leads here; its parent's children
								 * ascend by it */
} GpustrTrieNode;

/*
 * Node 0 is the root.  Nodes are in order of their depth, those of one parent
 * next to each other.
 */
typedef struct GpustrLiteralTrie
{
	uint32_t	nnodes;
	uint32_t	space;
	GpustrTrieNode *node;		/* [nnodes + 1] */
	int32_t    *next_same;		/* [nliterals]: another one of the same bytes */
} GpustrLiteralTrie;

/*
 * Make the tree.  cut: nothing is wanted but whether some literal occurs; so a node
 * that one ends at, or at an end of which one does, has no children.
 *
 * literals	[n]; those of no bytes end at the root
 *
 * Returns 0 if there are more than max_nodes nodes, or no memory.
 */
extern int	gpustr_trie_make(GpustrLiteralTrie *trie, const GpustrLiteral *literals, int32_t n,
							 int cut, uint32_t max_nodes, const GpustrTrieMemory *memory);
extern void gpustr_trie_free(GpustrLiteralTrie *trie, const GpustrTrieMemory *memory);

/* The child that a byte leads to; 0: none. */
extern uint32_t gpustr_trie_child(const GpustrLiteralTrie *trie, uint32_t node, uint8_t byte);

/*
 * Bytes of the rows of the hot states, so that with the classes two blocks' fit into
 * a multiprocessor's shared memory, or one's where that is small.
 */
#define GPUSTR_AHO_HOT_BYTES 98304

/*
 * The automata of a tree that was cut, at whose root no literal ends.  NULL: larger
 * than max_bytes, or no memory.  hot_bytes: of the rows of the hot states, if one
 * state's are fewer.
 */
extern GpustrAhoCorasick *gpustr_trie_aho_corasick(GpustrLiteralTrie *trie, uint32_t hot_bytes,
												   uint32_t max_bytes,
												   const GpustrTrieMemory *memory,
												   uint32_t *bytes);
extern GpustrDfa *gpustr_trie_dfa(GpustrLiteralTrie *trie, int32_t max_states, uint32_t max_bytes,
								  const GpustrTrieMemory *memory, uint32_t *bytes);

#endif							/* GPUSTR_LITERAL_TRIE_H */
