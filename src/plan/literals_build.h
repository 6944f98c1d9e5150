/*-------------------------------------------------------------------------
 *
 * literals_build.h
 *	  Clauses that look for many literals: which are refused, and their steps.
 *
 * IDENTIFICATION
 *	  src/plan/literals_build.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_LITERALS_BUILD_H
#define GPUSTR_LITERALS_BUILD_H

#include "utils/array.h"

#include "plan/expr_build.h"
#include "program/literal_trie.h"

/* Bytes that the automata of literals of a program may have together. */
extern uint32 gpustr_literals_max_bytes(void);

/*
 * Why may a call of contains_any() with this array not be offloaded?  NULL: it may.
 * The rest of the call has been looked at.
 */
extern const char *gpustr_literals_refusal(ArrayType *patterns);

/* A call of contains_any(). */
extern GpustrReg gpustr_build_contains_any(GpustrBuild *build, List *args);

/*
 * Does one of the literals occur in the text?  *reg: the truth.  False, and nothing
 * done, if their automaton would be too large.
 */
extern bool gpustr_build_literals(GpustrBuild *build, GpustrReg text,
								  const GpustrLiteral *literals, int n, GpustrReg *reg);

#endif							/* GPUSTR_LITERALS_BUILD_H */
