/*-------------------------------------------------------------------------
 *
 * like_dfa.h
 *	  LIKE patterns as automata, to be joined with others.
 *
 * IDENTIFICATION
 *	  src/plan/like_dfa.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_LIKE_DFA_H
#define GPUSTR_LIKE_DFA_H

#include "plan/regex_dfa.h"

/* Is the value of a fold never recheck, so that ILIKE can be an automaton? */
extern bool gpustr_fold_is_exact(const GpustrFold *fold);

/*
 * The automaton of a pattern in the database's encoding.  fold: NULL, or of ILIKE, whose
 * pattern is folded; it is exact.  NULL: too much work or too large, or a pattern that
 * ends with an escape, of which PostgreSQL complains.  *bytes: its size.
 */
extern GpustrDfa *gpustr_like_dfa(const char *pattern, int pattern_bytes,
								  const GpustrFold *fold, GpustrRegexWork *work,
								  uint32 *bytes);

/*
 * The longest literal that values that match have, up to GPUSTR_MAX_REGEX_LITERAL bytes
 * of it; NULL: none.
 */
extern char *gpustr_like_literal(const char *pattern, int pattern_bytes, int *bytes);

#endif							/* GPUSTR_LIKE_DFA_H */
