/*-------------------------------------------------------------------------
 *
 * regex_extents.h
 *	  Automata that tell where a regular expression matches.
 *
 * IDENTIFICATION
 *	  src/plan/regex_extents.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_REGEX_EXTENTS_H
#define GPUSTR_REGEX_EXTENTS_H

#include "program/text_function.h"

/*
 * Under a deterministic collation, with flags of regex_nfa.h.  NULL: only PostgreSQL
 * can tell, or the automaton would have more than max_bytes.  captures: what
 * parentheses take is wanted, so there may be none.
 *
 * Which matches are wanted is not filled in.  Of use until the next call.  *bytes:
 * its size.
 */
extern const GpustrRegexExtents *gpustr_regex_extents(const char *pattern, int pattern_bytes,
													  int cflags, Oid collation, bool captures,
													  Size max_bytes, uint32 *bytes);

#endif							/* GPUSTR_REGEX_EXTENTS_H */
