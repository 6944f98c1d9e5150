/*-------------------------------------------------------------------------
 *
 * regex_cache.h
 *	  Automata of regular expressions.
 *
 * IDENTIFICATION
 *	  src/plan/regex_cache.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_REGEX_CACHE_H
#define GPUSTR_REGEX_CACHE_H

#include "program/program.h"

/*
 * Steps of work for each byte that an automaton may have; 256 kB: a few
 * milliseconds.
 */
#define GPUSTR_WORK_PER_BYTE 8

/* How many characters are told apart where all would be too many: see regex_cache.c. */
#define GPUSTR_EXACT_BELOW 3
extern const uint32 gpustr_exact_below[GPUSTR_EXACT_BELOW];

typedef struct GpustrRegex
{
	const char *refusal;		/* why there is no automaton; a literal */
	const GpustrDfa *dfa;
	uint32		bytes;
	GpustrTruth accepted;		/* what it accepts is true, or recheck */
	const char *literal;		/* what it accepts has this; NULL: not known */
	int			literal_bytes;
	int			bytes_read;		/* of GPUSTR_DFA_SAMPLE bytes */
} GpustrRegex;

/*
 * The automaton of a pattern under a deterministic collation, with flags of
 * regex_nfa.h.  Of use until the next call.
 */
extern const GpustrRegex *gpustr_regex(const char *pattern, int bytes, int cflags,
									   Oid collation);

/* Why there is no automaton, a literal; NULL: there is one. */
extern const char *gpustr_regex_refusal(const char *pattern, int bytes, int cflags,
										Oid collation);

/* Has it been made, or found that there is none? */
extern bool gpustr_regex_is_known(const char *pattern, int bytes, int cflags, Oid collation);

/*
 * Another automaton that is kept with these, by a key.  If it is not there, make() makes
 * it in the current context; *regex is as of one that accepts what is true, without a
 * literal.  It may look for others.  Of use until the next call, too.
 */
typedef void (*GpustrMakeAutomaton) (const void *arg, GpustrRegex *regex);
extern const GpustrRegex *gpustr_kept_automaton(const char *key, int bytes,
												GpustrMakeAutomaton make, const void *arg);

/* Steps of work that making an automaton may take. */
extern Size gpustr_automaton_work(void);

#endif							/* GPUSTR_REGEX_CACHE_H */
