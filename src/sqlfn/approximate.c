/*-------------------------------------------------------------------------
 *
 * approximate.c
 *	  Functions callable from SQL that compare texts approximately: edit_distance,
 *	  edit_distance_within, fuzzy_find.
 *
 * The algorithms are those of the row functions (rowfn/edit_distance.h,
 * rowfn/fuzzy_find.h), but with as much memory as they ask for, and in steps, between
 * which a cancel is seen.  A distance of long texts is first looked for among
 * small ones, then among twice as large ones, and so on: texts that are alike take
 * little time, and no pair takes more than about twice that of the whole table
 * (Ukkonen).
 *
 * Characters are compared by their bytes, whatever the collation.  In encodings
 * that row functions do not know, texts are taken apart first, 4 bytes a
 * character.
 *
 * IDENTIFICATION
 *	  src/sqlfn/approximate.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "rowfn/fuzzy_find.h"
#include "sqlfn/search.h"

/* Columns of strips between two looks for interrupts: some ms. */
#define STEP_COLUMNS (1024 * 1024)

/* The first distance to try for. */
#define FIRST_K 64

/* Columns of a piece of a text in which a pattern of several strips is looked for. */
#define FUZZY_PIECE 4096

PG_FUNCTION_INFO_V1(gpustr_edit_distance);
PG_FUNCTION_INFO_V1(gpustr_edit_distance_within);
PG_FUNCTION_INFO_V1(gpustr_fuzzy_find);

/* A text for the row functions. */
typedef struct EditText
{
	GpustrBytes bytes;
	int32		chars;
	int32		encoding;
	void	   *apart;			/* made here, or NULL */
} EditText;

/* Take a text apart, 4 bytes a character. */
static EditText
wide_text(GpustrBytes hay, int32 chars)
{
	EditText	wide;
	char	   *to;
	int32		pos;

	if (chars > PG_INT32_MAX / 4)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("text is too long to be compared in this encoding"),
				 errdetail("It has %d characters, the limit is %d.", chars, PG_INT32_MAX / 4)));
	to = MemoryContextAllocHuge(CurrentMemoryContext, Max((Size) chars * 4, 1));
	wide.bytes.data = to;
	wide.bytes.len = chars * 4;
	wide.chars = chars;
	wide.encoding = ROWFN_ENC_WIDE;
	wide.apart = to;
	for (pos = 0; pos < hay.len && chars > 0; chars--)
	{
		int			n = Min(Min(pg_mblen(hay.data + pos), hay.len - pos), 4);

		memset(to, 0, 4);
		memcpy(to, hay.data + pos, n);
		to += 4;
		pos += n;
		if (chars % STEP_COLUMNS == 0)
			CHECK_FOR_INTERRUPTS();
	}
	return wide;
}

static EditText
edit_text(GpustrBytes bytes, int32 encoding)
{
	EditText	hay = {bytes, gpustr_search_chars(bytes, encoding), encoding, NULL};

	return encoding >= 0 ? hay : wide_text(bytes, hay.chars);
}

static void
free_text(EditText hay)
{
	if (hay.apart != NULL)
		pfree(hay.apart);
}

/* The distance, if it is at most k; else k + 1.  a is not the longer one. */
static int64
distance_within(EditText a, EditText b, int32 k)
{
	int64		columns = rowfn_edit_carry(a.chars, b.chars, k);
	uint32	   *carry;
	RowfnEdit	edit;
	int64		distance;

	if (b.chars - a.chars > k)
		return (int64) k + 1;
	carry = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ROWFN_CARRY_WORDS((Size) columns));
	rowfn_edit_begin(&edit, a.bytes.data, a.bytes.len, a.chars, b.bytes.data, b.bytes.len, b.chars,
					 a.encoding, k, carry, (int32) columns);
	while ((distance = rowfn_edit_step(&edit, STEP_COLUMNS)) < 0)
		CHECK_FOR_INTERRUPTS();
	pfree(carry);
	return distance;
}

/* The distance, if it is at most k; else something larger. */
static int64
edit_distance(GpustrBytes a_bytes, GpustrBytes b_bytes, int32 encoding, int64 k)
{
	EditText	a = edit_text(a_bytes, encoding);
	EditText	b = edit_text(b_bytes, encoding);
	int64		limit;
	int64		distance;

	if (a.chars > b.chars)
	{
		EditText	hay = a;

		a = b;
		b = hay;
	}
	k = Min(k, b.chars);
	limit = a.chars > ROWFN_STRIP_ROWS ?
		Min(Max((int64) b.chars - a.chars, FIRST_K), k) : k;
	while ((distance = distance_within(a, b, (int32) limit)) > limit && limit < k)
		limit = Min(limit * 2, k);
	free_text(a);
	free_text(b);
	return distance;
}

int64
gpustr_edit_distance_one(GpustrBytes a, GpustrBytes b, int32 encoding)
{
	return edit_distance(a, b, encoding, PG_INT32_MAX);
}

bool
gpustr_edit_within_one(GpustrBytes a, GpustrBytes b, int64 k, int32 encoding)
{
	return k >= 0 && edit_distance(a, b, encoding, k) <= k;
}

/*
 * gpustr.edit_distance(a text, b text) -> int
 *
 * The least number of characters to insert, delete or replace that makes b of a
 * (Levenshtein), for texts of any length.  Strict.
 */
Datum
gpustr_edit_distance(PG_FUNCTION_ARGS)
{
	GpustrBytes a = gpustr_bytes_of(PointerGetDatum(PG_GETARG_TEXT_PP(0)));
	GpustrBytes b = gpustr_bytes_of(PointerGetDatum(PG_GETARG_TEXT_PP(1)));

	PG_RETURN_INT32((int32) gpustr_edit_distance_one(a, b, gpustr_rowfn_encoding()));
}

/*
 * gpustr.edit_distance_within(a text, b text, k int) -> boolean
 *
 * Is edit_distance(a, b) at most k?  Takes time in proportion to k, not to the
 * square of the length.  Negative k: false.  Strict.
 */
Datum
gpustr_edit_distance_within(PG_FUNCTION_ARGS)
{
	GpustrBytes a = gpustr_bytes_of(PointerGetDatum(PG_GETARG_TEXT_PP(0)));
	GpustrBytes b = gpustr_bytes_of(PointerGetDatum(PG_GETARG_TEXT_PP(1)));

	PG_RETURN_BOOL(gpustr_edit_within_one(a, b, PG_GETARG_INT32(2), gpustr_rowfn_encoding()));
}

int64
gpustr_fuzzy_find_one(GpustrBytes hay, GpustrBytes what, int64 k, int32 encoding)
{
	EditText	in;
	EditText	pattern;
	uint64	   *state;
	uint32	   *carry;
	RowfnFuzzy	search;
	int32		at = 1;

	if (k < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("number of errors must not be negative")));
	pattern = edit_text(what, encoding);
	if (k >= pattern.chars)
	{
		free_text(pattern);
		return 1;
	}
	in.bytes = hay;

	in.encoding = encoding;
	in.apart = NULL;
	if (encoding < 0)
		in = edit_text(hay, encoding);
	state = MemoryContextAllocHuge(CurrentMemoryContext,
								   2 * sizeof(uint64) * rowfn_fuzzy_strips(pattern.chars));
	carry = palloc(sizeof(uint32) * ROWFN_CARRY_WORDS(FUZZY_PIECE));
	rowfn_fuzzy_begin(&search, in.bytes.data, in.bytes.len, pattern.bytes.data, pattern.bytes.len,
					  pattern.chars, in.encoding, (int32) k, state, carry,
					  pattern.chars <= ROWFN_STRIP_ROWS ? PG_INT32_MAX : FUZZY_PIECE);
	while ((at = rowfn_fuzzy_step(&search, STEP_COLUMNS)) < 0)
		CHECK_FOR_INTERRUPTS();
	pfree(state);
	pfree(carry);
	free_text(in);
	free_text(pattern);
	return at;
}

/*
 * gpustr.fuzzy_find(haystack text, pattern text, k int) -> int
 *
 * Where the pattern stands with at most k errors (edits): of the parts of haystack
 * that are that near, those that end first, and of these the longest; the
 * position of its first character, from 1; 0: there is none.  So with k = 0 it
 * is find(), and 1 if k is at least the length of the pattern.  Negative k is
 * an error.  Strict.
 */
Datum
gpustr_fuzzy_find(PG_FUNCTION_ARGS)
{
	GpustrBytes haystack = gpustr_bytes_of(PointerGetDatum(PG_GETARG_TEXT_PP(0)));
	GpustrBytes pattern = gpustr_bytes_of(PointerGetDatum(PG_GETARG_TEXT_PP(1)));

	PG_RETURN_INT32((int32) gpustr_fuzzy_find_one(haystack, pattern, PG_GETARG_INT32(2), gpustr_rowfn_encoding()));
}
