/*-------------------------------------------------------------------------
 *
 * like_automaton.h
 *	  Make an automaton of a compiled LIKE pattern.
 *
 * Plain C; allocates nothing.
 *
 * IDENTIFICATION
 *	  src/program/like_automaton.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_LIKE_AUTOMATON_H
#define GPUSTR_LIKE_AUTOMATON_H

#include "rowfn/dfa.h"
#include "rowfn/like.h"

/* The most bytes that one takes. */
#define GPUSTR_LIKE_AUTOMATON_BYTES (sizeof(GpustrDfa) + 128 + 2 * 4096)

/*
 * Make a GpustrDfa that answers for every string of bytes what rowfn_like(), or with
 * a fold rowfn_ilike(), does, in out[out_bytes], aligned to 8 bytes.
 *
 * pattern	from gpustr_like_compile() for the same encoding
 * fold		NULL for LIKE; else the pattern is folded
 *
 * Returns the bytes used, or 0 if there is no automaton that is small enough.
 */
extern uint32_t gpustr_like_automaton(const void *pattern, int32_t encoding,
									  const GpustrFold *fold, void *out, uint32_t out_bytes);

#endif							/* GPUSTR_LIKE_AUTOMATON_H */
