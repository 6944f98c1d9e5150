/*-------------------------------------------------------------------------
 *
 * regex_dfa.h
 *	  Make a regular expression deterministic.
 *
 * IDENTIFICATION
 *	  src/plan/regex_dfa.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_REGEX_DFA_H
#define GPUSTR_REGEX_DFA_H

#include "plan/regex_nfa.h"
#include "program/program.h"

/*
 * An automaton over colours of characters.  States GPUSTR_DFA_REJECT and
 * GPUSTR_DFA_ACCEPT are what they are in a GpustrDfa.
 */
typedef struct GpustrColorDfa
{
	int			nstates;
	int			ncolors;
	int			start;
	int32	   *next;			/* [nstates][ncolors] */
	uint8	   *at_end;			/* [nstates]: GpustrTruth */
	int			middle;			/* of an automaton for extents: the initial
								 * state itself */
	int			nruns;
	GpustrColorRun *runs;		/* which characters have which colour */
} GpustrColorDfa;

/* How much more work may be done, in steps of a few nanoseconds. */
typedef struct GpustrRegexWork
{
	Size		left;
	Size		max_bytes;		/* of the automaton */
} GpustrRegexWork;

static inline bool
gpustr_regex_work(GpustrRegexWork *work, Size steps)
{
	if (steps > work->left)
		return false;
	work->left -= steps;
	return true;
}

/*
 * In an automaton for extents GPUSTR_DFA_ACCEPT cannot tell, and at_end has this
 * beside the truth where the final state is reached; it goes on there.
 */
#define GPUSTR_AT_FINAL 4

/* The least automaton, and the fewest colours.  NULL: too much work. */
extern GpustrColorDfa *gpustr_regex_color_dfa(const GpustrRegexNfa *nfa, GpustrRegexWork *work);

/*
 * The same over bytes, in UTF-8 or with a byte a character.  NULL: it is too
 * large.  *bytes: its size.
 */
extern GpustrDfa *gpustr_regex_byte_dfa(const GpustrColorDfa *colors, bool utf8,
										GpustrRegexWork *work, uint32 *bytes);

#endif							/* GPUSTR_REGEX_DFA_H */
