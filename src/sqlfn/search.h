/*-------------------------------------------------------------------------
 *
 * search.h
 *	  Functions callable from SQL that search texts and compare them.
 *
 * IDENTIFICATION
 *	  src/sqlfn/search.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_SQLFN_SEARCH_H
#define GPUSTR_SQLFN_SEARCH_H

#include "fmgr.h"

#include "program/text_function.h"
#include "sqlfn/text_batches.h"

extern PGDLLEXPORT Datum gpustr_find(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpustr_count_matches(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpustr_edit_distance(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpustr_edit_distance_within(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpustr_fuzzy_find(PG_FUNCTION_ARGS);

/* Characters of a text; looks for interrupts. */
extern int32 gpustr_search_chars(GpustrBytes hay, int32 encoding);

/* The byte after the first n characters; -1: there are not so many.  Alike. */
extern int32 gpustr_search_skip(GpustrBytes hay, int64 n, int32 encoding);

/* search.c: the functions of one text, without a limit */
extern int64 gpustr_find_one(GpustrBytes hay, GpustrBytes what, int64 start, int32 encoding);
extern int64 gpustr_count_one(GpustrBytes hay, GpustrBytes what, int32 encoding);

/* approximate.c: alike */
extern int64 gpustr_edit_distance_one(GpustrBytes a, GpustrBytes b, int32 encoding);
extern bool gpustr_edit_within_one(GpustrBytes a, GpustrBytes b, int64 k, int32 encoding);
extern int64 gpustr_fuzzy_find_one(GpustrBytes hay, GpustrBytes what, int64 k, int32 encoding);

/*
 * search_pieces.c: search a long value through a device process.  Each call of
 * 'sink' has hits of one piece, ascending: base + hits[i] characters (in a
 * single-byte encoding bytes) stand before a hit.
 */
typedef void (*GpustrHitSink) (void *arg, int64 base, const int32 *hits, int nhits);

extern bool gpustr_search_pays(GpustrBytes hay, GpustrBytes what, int32 encoding);
extern void gpustr_search_pieces(GpustrBytes hay, GpustrBytes what, int32 encoding,
								 GpustrHitSink sink, void *arg);

#endif							/* GPUSTR_SQLFN_SEARCH_H */
