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

extern PGDLLEXPORT Datum gpustr_find(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpustr_count_matches(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpustr_edit_distance(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpustr_edit_distance_within(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpustr_fuzzy_find(PG_FUNCTION_ARGS);

/* Bytes of a varlena value, whatever its header. */
typedef struct SearchBytes
{
	const char *data;
	int32		len;
} SearchBytes;

extern SearchBytes gpustr_search_bytes(Datum value);

/*
 * The database's encoding for row functions (GpustrEncoding); -1: one that they
 * do not know, where only PostgreSQL can say where a character ends.
 */
extern int32 gpustr_search_encoding(void);

/* Characters of a text; looks for interrupts. */
extern int32 gpustr_search_chars(SearchBytes hay, int32 encoding);

/* search.c: the functions of one text, without a limit */
extern int64 gpustr_find_one(SearchBytes hay, SearchBytes what, int64 start, int32 encoding);
extern int64 gpustr_count_one(SearchBytes hay, SearchBytes what, int32 encoding);

/* approximate.c: alike */
extern int64 gpustr_edit_distance_one(SearchBytes a, SearchBytes b, int32 encoding);
extern bool gpustr_edit_within_one(SearchBytes a, SearchBytes b, int64 k, int32 encoding);
extern int64 gpustr_fuzzy_find_one(SearchBytes hay, SearchBytes what, int64 k, int32 encoding);

/*
 * search_pieces.c: search a long value through a device process.  Each call of
 * 'sink' has hits of one piece, ascending: base + hits[i] characters (in a
 * single-byte encoding bytes) stand before a hit.
 */
typedef void (*GpustrHitSink) (void *arg, int64 base, const int32 *hits, int nhits);

extern bool gpustr_search_pays(SearchBytes hay, SearchBytes what, int32 encoding);
extern void gpustr_search_pieces(SearchBytes hay, SearchBytes what, int32 encoding,
								 GpustrHitSink sink, void *arg);

#endif							/* GPUSTR_SQLFN_SEARCH_H */
