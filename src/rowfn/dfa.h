/*-------------------------------------------------------------------------
 *
 * dfa.h
 *	  Run a deterministic automaton over a text.
 *
 * The automaton (GpustrDfa in program.h) is made by the planner out of
 * PostgreSQL's own compiled regular expression; here it is a table.  One step a
 * byte, and an end at the first state that nothing leaves.
 *
 * IDENTIFICATION
 *	  src/rowfn/dfa.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_DFA_H
#define GPUSTR_ROWFN_DFA_H

#include "program/program.h"

#define ROWFN_DFA_NEXT(dfa) ((const uint16_t *) ((const char *) (dfa) + (dfa)->next_off))
#define ROWFN_DFA_AT_END(dfa) ((const uint8_t *) ((const char *) (dfa) + (dfa)->at_end_off))

/*
 * Is it an automaton within 'bytes' bytes, so that it may be run unchecked?  States
 * 0 and 1 must stay what they are.
 */
GPUSTR_FN int
rowfn_dfa_check(const GpustrDfa *dfa, uint32_t bytes)
{
	uint64_t	cells;
	const uint16_t *next;
	int			bad = 0;
	int32_t		i;

	if (bytes < sizeof(GpustrDfa) || bytes > INT32_MAX ||
		dfa->nstates < 2 || dfa->nstates > 65535 || dfa->nclasses < 1 || dfa->nclasses > 256 ||
		dfa->start < 0 || dfa->start >= dfa->nstates)
		return 0;
	cells = (uint64_t) dfa->nstates * (uint64_t) dfa->nclasses;
	if (dfa->next_off < (int32_t) sizeof(GpustrDfa) || dfa->next_off % 2 != 0 ||
		dfa->at_end_off < (int32_t) sizeof(GpustrDfa) ||
		(uint64_t) dfa->next_off + 2 * cells > bytes ||
		(uint64_t) dfa->at_end_off + (uint64_t) dfa->nstates > bytes)
		return 0;
	for (i = 0; i < 256; i++)
		bad |= dfa->class_of[i] >= dfa->nclasses;
	next = ROWFN_DFA_NEXT(dfa);
	for (i = 0; i < (int32_t) cells; i++)
		bad |= next[i] >= dfa->nstates;
	for (i = 0; i < dfa->nclasses; i++)
		bad |= next[i] != GPUSTR_DFA_REJECT || next[dfa->nclasses + i] != GPUSTR_DFA_ACCEPT;
	for (i = 0; i < dfa->nstates; i++)
		bad |= ROWFN_DFA_AT_END(dfa)[i] > GPUSTR_RECHECK || ROWFN_DFA_AT_END(dfa)[i] == GPUSTR_NULL;
	return !bad && ROWFN_DFA_AT_END(dfa)[GPUSTR_DFA_REJECT] == GPUSTR_FALSE &&
		ROWFN_DFA_AT_END(dfa)[GPUSTR_DFA_ACCEPT] == GPUSTR_TRUE;
}

/* The state after more bytes of a text, or one that nothing leaves. */
GPUSTR_FN uint32_t
rowfn_dfa_run(const GpustrDfa *dfa, uint32_t state, const char *text, int32_t len)
{
	const uint16_t *next = ROWFN_DFA_NEXT(dfa);
	uint32_t	nclasses = (uint32_t) dfa->nclasses;
	int32_t		i;

	for (i = 0; i < len && state > GPUSTR_DFA_ACCEPT; i++)
		state = next[state * nclasses + dfa->class_of[(unsigned char) text[i]]];
	return state;
}

/* Is the text accepted?  GPUSTR_FALSE, GPUSTR_TRUE or GPUSTR_RECHECK. */
GPUSTR_FN uint32_t
rowfn_dfa_match(const GpustrDfa *dfa, const char *text, int32_t len)
{
	return ROWFN_DFA_AT_END(dfa)[rowfn_dfa_run(dfa, (uint32_t) dfa->start, text, len)];
}

#endif							/* GPUSTR_ROWFN_DFA_H */
