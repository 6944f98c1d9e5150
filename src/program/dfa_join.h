/*-------------------------------------------------------------------------
 *
 * dfa_join.h
 *	  Several automata as one: AND, OR and NOT of what they accept.
 *
 * Only automata that can always tell (gpustr_dfa_is_exact()) are joined: all of them
 * are run over the same text, so that AND and OR of their answers are true or false,
 * in whatever order they would be evaluated.
 *
 * Plain C.
 *
 * IDENTIFICATION
 *	  src/program/dfa_join.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_DFA_JOIN_H
#define GPUSTR_DFA_JOIN_H

#include "program/literal_trie.h"

/* Is no text recheck? */
extern int	gpustr_dfa_is_exact(const GpustrDfa *dfa);

/*
 * The least automaton that accepts what both (use_or: one of both) accept, and that
 * comes to its end as soon as that is decided.
 *
 * utf8: texts are valid UTF-8, and both automata are of regex_bytes.c or joined
 * ones: at a continuation byte, a state between characters stays what it is.
 *
 * *work: steps that may be done yet, of a few nanoseconds.  Returns NULL if they do not
 * suffice, if the automaton would be larger than max_bytes, or if there is no memory.
 * *bytes: its size.
 */
extern GpustrDfa *gpustr_dfa_join(const GpustrDfa *a, const GpustrDfa *b, int use_or, int utf8,
								  uint32_t max_bytes, size_t *work,
								  const GpustrTrieMemory *memory, uint32_t *bytes);

/* One of the same size that accepts what this one does not.  NULL: no memory. */
extern GpustrDfa *gpustr_dfa_not(const GpustrDfa *dfa, uint32_t bytes,
								 const GpustrTrieMemory *memory);

/* Of GPUSTR_DFA_SAMPLE bytes of texts, how many does it read before it has decided? */
#define GPUSTR_DFA_SAMPLE 1024
extern int32_t gpustr_dfa_bytes_read(const GpustrDfa *dfa);

#endif							/* GPUSTR_DFA_JOIN_H */
