/*-------------------------------------------------------------------------
 *
 * dfa_table.h
 *	  Deterministic automata while they are made: tables that can be made smaller.
 *
 * Plain C.
 *
 * IDENTIFICATION
 *	  src/program/dfa_table.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_DFA_TABLE_H
#define GPUSTR_DFA_TABLE_H

#include "program/literal_trie.h"

/*
 * An automaton over colours, which are classes of bytes or of characters.  States
 * GPUSTR_DFA_REJECT and GPUSTR_DFA_ACCEPT are what they are in a GpustrDfa.
 */
typedef struct GpustrDfaTable
{
	int32_t		nstates;
	int32_t		ncolors;
	int32_t		start;
	int32_t		middle;			/* another state that is kept in sight */
	int32_t    *next;			/* [nstates][ncolors] */
	uint8_t    *at_end;			/* [nstates]: GpustrTruth */
} GpustrDfaTable;

/*
 * Merge states that no text tells apart, by refining a partition until it is stable
 * (Moore).  *work: steps that may be done yet, of a few nanoseconds.  Returns 0, and the
 * automaton is as it was, if they do not suffice or there is no memory.
 */
extern int	gpustr_table_merge_states(GpustrDfaTable *table, size_t *work,
									  const GpustrTrieMemory *memory);

/*
 * Merge colours that no state tells apart.  merged[ncolors before]: what each is now.
 * Returns 0, and the automaton is as it was, if there is no memory.
 */
extern int	gpustr_table_merge_colors(GpustrDfaTable *table, int32_t *merged,
									  const GpustrTrieMemory *memory);

#endif							/* GPUSTR_DFA_TABLE_H */
