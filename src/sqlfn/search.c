/*-------------------------------------------------------------------------
 *
 * search.c
 *	  Functions callable from SQL that search a text: find, find_all,
 *	  count_matches.
 *
 * Bytes are searched, whatever the collation; positions count characters.  In
 * UTF-8 and single-byte encodings a hit always starts a character
 * (rowfn/search.h).  In the other encodings it need not: there a hit counts only
 * if walking over the text, character by character, comes to it.
 *
 * One value is searched here, by RowfnSearch, which is linear in the worst case,
 * 1 MB at a time, so that a cancel is seen.  A long value for which all hits are
 * wanted goes through a device process where one is up: search_pieces.c.
 *
 * IDENTIFICATION
 *	  src/sqlfn/search.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/memutils.h"

#include "compat.h"
#include "rowfn/search.h"
#include "sqlfn/search.h"

/* Bytes to search, or to count characters of, between two looks for interrupts. */
#define SEARCH_STEP (1024 * 1024)

/* Hits that are taken at a time. */
#define SEARCH_HITS 1024

PG_FUNCTION_INFO_V1(gpustr_find);
PG_FUNCTION_INFO_V1(gpustr_find_bytea);
PG_FUNCTION_INFO_V1(gpustr_find_all);
PG_FUNCTION_INFO_V1(gpustr_find_all_bytea);
PG_FUNCTION_INFO_V1(gpustr_count_matches);
PG_FUNCTION_INFO_V1(gpustr_count_matches_bytea);

/* Characters counted from the start of a text on, as far as byte 'at'. */
typedef struct SearchPlace
{
	GpustrBytes hay;
	int32		encoding;
	int32		at;
	int32		chars;
} SearchPlace;

/* Go on to byte 'to', or in odd encodings to the first character from there on. */
static void
advance(SearchPlace *place, int32 to)
{
	while (place->at < to)
	{
		int32		stop = Min(to, place->at + SEARCH_STEP);

		if (place->encoding >= 0)
		{
			place->chars += rowfn_count_starts(place->hay.data + place->at, stop - place->at,
											   place->encoding);
			place->at = stop;
		}
		while (place->at < stop)
		{
			place->at += pg_mblen(place->hay.data + place->at);
			place->chars++;
		}
		CHECK_FOR_INTERRUPTS();
	}
}

int32
gpustr_search_chars(GpustrBytes hay, int32 encoding)
{
	SearchPlace place = {hay,
		encoding,
		0,
	0};

	advance(&place, hay.len);
	return place.chars;
}

int32
gpustr_search_skip(GpustrBytes hay, int64 n, int32 encoding)
{
	SearchPlace place = {hay,
		encoding,
		0,
	0};
	int32		step = SEARCH_STEP;

	if (n > hay.len)
		return -1;
	if (encoding == GPUSTR_ENC_SINGLE_BYTE)
		return (int32) n;

	/*
	 * no step can take more characters than it has bytes, so none goes too
	 * far
	 */
	while (place.chars < n && place.at < hay.len)
	{
		step = (int32) Min(n - place.chars, hay.len - place.at);
		advance(&place, place.at + Min(step, SEARCH_STEP));
	}
	/* the rest of the last character */
	while (encoding == GPUSTR_ENC_UTF8 && place.at < hay.len &&
		   rowfn_utf8_is_continuation(hay.data[place.at]))
		place.at++;
	return place.chars == n ? place.at : -1;
}

/* Position of a hit, from 1, if it starts a character; else 0. */
static int32
position_of(SearchPlace *place, int32 hit)
{
	advance(place, hit);
	return place->at == hit ? place->chars + 1 : 0;
}

int64
gpustr_find_one(GpustrBytes hay, GpustrBytes what, int64 start, int32 encoding)
{
	SearchPlace place = {hay,
		encoding,
		0,
	0};
	RowfnSearch search;
	int32		hits[64];
	int32		from;

	start = Max(start, 1);
	from = gpustr_search_skip(hay, start - 1, encoding);
	if (from < 0)
		return 0;
	if (what.len == 0)
		return start;
	place.at = from;
	place.chars = (int32) (start - 1);
	rowfn_search_begin(&search, hay.data, hay.len, what.data, what.len, from);
	while (!search.done)
	{
		int			nhits = rowfn_search_next(&search, SEARCH_STEP, hits, lengthof(hits));
		int			i;

		CHECK_FOR_INTERRUPTS();
		for (i = 0; i < nhits; i++)
		{
			int32		position = position_of(&place, hits[i]);

			if (position > 0)
				return position;
		}
	}
	return 0;
}

/*
 * gpustr.find(haystack text, pattern text, start int) -> int
 *
 * The first position, from 'start' on, where the pattern stands; 0: nowhere.
 * Positions are characters from 1; start < 1 counts as 1.  An empty pattern stands
 * everywhere, also after the last character.  Strict.
 */
Datum
gpustr_find(PG_FUNCTION_ARGS)
{
	GpustrBytes haystack = gpustr_bytes_of(PointerGetDatum(PG_GETARG_TEXT_PP(0)));
	GpustrBytes pattern = gpustr_bytes_of(PointerGetDatum(PG_GETARG_TEXT_PP(1)));

	PG_RETURN_INT32((int32) gpustr_find_one(haystack, pattern, PG_GETARG_INT32(2), gpustr_rowfn_encoding()));
}

/* gpustr.find(haystack bytea, pattern bytea, start int) -> int: alike, in bytes */
Datum
gpustr_find_bytea(PG_FUNCTION_ARGS)
{
	GpustrBytes haystack = gpustr_bytes_of(PointerGetDatum(PG_GETARG_BYTEA_PP(0)));
	GpustrBytes pattern = gpustr_bytes_of(PointerGetDatum(PG_GETARG_BYTEA_PP(1)));

	PG_RETURN_INT32((int32) gpustr_find_one(haystack, pattern, PG_GETARG_INT32(2), GPUSTR_ENC_SINGLE_BYTE));
}

/*----------
 * All hits
 *----------
 */

/* Feed all hits to the sink, wherever that is done.  what.len >= 1. */
static void
search_all(GpustrBytes hay, GpustrBytes what, int32 encoding, GpustrHitSink sink, void *arg)
{
	SearchPlace place = {hay,
		encoding,
		0,
	0};
	RowfnSearch search;
	int32		hits[SEARCH_HITS];

	if (gpustr_search_pays(hay, what, encoding))
	{
		gpustr_search_pieces(hay, what, encoding, sink, arg);
		return;
	}
	rowfn_search_begin(&search, hay.data, hay.len, what.data, what.len, 0);
	while (!search.done)
	{
		int			nhits = rowfn_search_next(&search, SEARCH_STEP, hits, SEARCH_HITS);
		int			kept = 0;
		int			i;

		CHECK_FOR_INTERRUPTS();
		for (i = 0; i < nhits; i++)
		{
			int32		position = position_of(&place, hits[i]);

			if (position > 0)
				hits[kept++] = position - 1;
		}
		sink(arg, 0, hits, kept);
	}
}

/* The sink of count_matches; arg: int64 */
static void
count_hits(void *arg, int64 base, const int32 *hits, int nhits)
{
	*(int64 *) arg += nhits;
}

int64
gpustr_count_one(GpustrBytes hay, GpustrBytes what, int32 encoding)
{
	int64		count = 0;
	RowfnSearch search;
	int32		hits[SEARCH_HITS];

	if (what.len == 0)
		return (int64) gpustr_search_chars(hay, encoding) + 1;
	if (encoding < 0)
	{
		search_all(hay, what, encoding, count_hits, &count);
		return count;
	}

	/*
	 * Each hit is a character's, and which one does not matter: nothing is
	 * left for a device to save.
	 */
	rowfn_search_begin(&search, hay.data, hay.len, what.data, what.len, 0);
	while (!search.done)
	{
		count += rowfn_search_next(&search, SEARCH_STEP, hits, SEARCH_HITS);
		CHECK_FOR_INTERRUPTS();
	}
	return count;
}

/*
 * gpustr.count_matches(haystack text, pattern text) -> bigint
 *
 * At how many positions the pattern stands; they may overlap.  An empty pattern
 * stands at one more than there are characters.  Strict.
 */
Datum
gpustr_count_matches(PG_FUNCTION_ARGS)
{
	GpustrBytes haystack = gpustr_bytes_of(PointerGetDatum(PG_GETARG_TEXT_PP(0)));
	GpustrBytes pattern = gpustr_bytes_of(PointerGetDatum(PG_GETARG_TEXT_PP(1)));

	PG_RETURN_INT64(gpustr_count_one(haystack, pattern, gpustr_rowfn_encoding()));
}

/* gpustr.count_matches(haystack bytea, pattern bytea) -> bigint: alike, in bytes */
Datum
gpustr_count_matches_bytea(PG_FUNCTION_ARGS)
{
	GpustrBytes haystack = gpustr_bytes_of(PointerGetDatum(PG_GETARG_BYTEA_PP(0)));
	GpustrBytes pattern = gpustr_bytes_of(PointerGetDatum(PG_GETARG_BYTEA_PP(1)));

	PG_RETURN_INT64(gpustr_count_one(haystack, pattern, GPUSTR_ENC_SINGLE_BYTE));
}

/* A bigint[] that grows: the array's header, then its elements. */
typedef struct HitArray
{
	ArrayType  *array;
	int64	   *elements;
	int64		n;
	int64		room;
} HitArray;

static void
hit_array_room(HitArray *hits, int64 more)
{
	int64		limit = (int64) ((MaxAllocSize - ARR_OVERHEAD_NONULLS(1)) / sizeof(int64));
	int64		room = Max(hits->n + more, hits->room * 2);

	if (hits->n + more <= hits->room)
		return;
	if (hits->n + more > limit)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("array size exceeds the maximum allowed (%d)", (int) MaxAllocSize),
				 errhint("Use gpustr.count_matches(), or gpustr.find() with a start.")));
	hits->room = Min(Max(room, 64), limit);
	hits->array = hits->array ? repalloc(hits->array, ARR_OVERHEAD_NONULLS(1) + hits->room * sizeof(int64)) :
		palloc(ARR_OVERHEAD_NONULLS(1) + hits->room * sizeof(int64));
	hits->elements = (int64 *) ((char *) hits->array + ARR_OVERHEAD_NONULLS(1));
}

/* The sink of find_all; arg: HitArray */
static void
append_hits(void *arg, int64 base, const int32 *found, int nfound)
{
	HitArray   *hits = arg;
	int			i;

	hit_array_room(hits, nfound);
	for (i = 0; i < nfound; i++)
		hits->elements[hits->n++] = base + found[i] + 1;
}

/* An empty pattern: each position, and the one after the last. */
static void
append_all(HitArray *hits, int64 last)
{
	int64		i;

	hit_array_room(hits, last);
	for (i = 1; i <= last; i++)
	{
		hits->elements[hits->n++] = i;
		if (i % SEARCH_STEP == 0)
			CHECK_FOR_INTERRUPTS();
	}
}

static ArrayType *
find_all(GpustrBytes hay, GpustrBytes what, int32 encoding)
{
	HitArray	hits = {NULL, NULL, 0, 0};

	if (what.len == 0)
		append_all(&hits, (int64) gpustr_search_chars(hay, encoding) + 1);
	else
		search_all(hay, what, encoding, append_hits, &hits);
	if (hits.n == 0)
		return construct_empty_array(INT8OID);
	SET_VARSIZE(hits.array, ARR_OVERHEAD_NONULLS(1) + hits.n * sizeof(int64));
	hits.array->ndim = 1;
	hits.array->dataoffset = 0;
	hits.array->elemtype = INT8OID;
	ARR_DIMS(hits.array)[0] = (int) hits.n;
	ARR_LBOUND(hits.array)[0] = 1;
	return hits.array;
}

/*
 * gpustr.find_all(haystack text, pattern text) -> bigint[]
 *
 * All positions where the pattern stands, ascending; they may overlap.  Strict.
 */
Datum
gpustr_find_all(PG_FUNCTION_ARGS)
{
	GpustrBytes haystack = gpustr_bytes_of(PointerGetDatum(PG_GETARG_TEXT_PP(0)));
	GpustrBytes pattern = gpustr_bytes_of(PointerGetDatum(PG_GETARG_TEXT_PP(1)));

	PG_RETURN_ARRAYTYPE_P(find_all(haystack, pattern, gpustr_rowfn_encoding()));
}

/* gpustr.find_all(haystack bytea, pattern bytea) -> bigint[]: alike, in bytes */
Datum
gpustr_find_all_bytea(PG_FUNCTION_ARGS)
{
	GpustrBytes haystack = gpustr_bytes_of(PointerGetDatum(PG_GETARG_BYTEA_PP(0)));
	GpustrBytes pattern = gpustr_bytes_of(PointerGetDatum(PG_GETARG_BYTEA_PP(1)));

	PG_RETURN_ARRAYTYPE_P(find_all(haystack, pattern, GPUSTR_ENC_SINGLE_BYTE));
}
