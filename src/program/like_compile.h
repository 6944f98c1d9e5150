/*-------------------------------------------------------------------------
 *
 * like_compile.h
 *	  Compile a LIKE pattern into the form that rowfn/like.h matches.
 *
 * Plain C; allocates nothing.
 *
 * IDENTIFICATION
 *	  src/program/like_compile.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_LIKE_COMPILE_H
#define GPUSTR_LIKE_COMPILE_H

#include "rowfn/like.h"

/*
 * Compile PostgreSQL's LIKE pattern, with backslash as its escape, to
 * out[out_bytes], aligned to 8 bytes.  Returns the bytes used, or 0 if they
 * are more than out_bytes.
 */
extern uint32_t gpustr_like_compile(const char *pattern, int32_t pattern_bytes,
									int32_t encoding, void *out, uint32_t out_bytes);

#endif							/* GPUSTR_LIKE_COMPILE_H */
