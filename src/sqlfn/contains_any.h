/*-------------------------------------------------------------------------
 *
 * contains_any.h
 *	  Functions callable from SQL that look for many literals at once.
 *
 * IDENTIFICATION
 *	  src/sqlfn/contains_any.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_CONTAINS_ANY_H
#define GPUSTR_CONTAINS_ANY_H

#include "fmgr.h"
#include "utils/array.h"

#include "program/literal_trie.h"

/* Trees in the current memory context; may be cancelled. */
extern const GpustrTrieMemory gpustr_palloc_trie_memory;

/*
 * The elements of an array of texts that are not NULL, in the current context; they
 * point into the array.  *positions: of each in the array, from 1.  NULL: do not
 * tell.
 */
extern GpustrLiteral *gpustr_array_literals(ArrayType *array, int *n, int32 **positions);

extern PGDLLEXPORT Datum gpustr_contains_any(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpustr_matching(PG_FUNCTION_ARGS);

#endif							/* GPUSTR_CONTAINS_ANY_H */
