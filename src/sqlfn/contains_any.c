/*-------------------------------------------------------------------------
 *
 * contains_any.c
 *	  Functions callable from SQL that look for many literals at once:
 *	  contains_any and matching.
 *
 * The literals become an automaton of Aho and Corasick, which takes one step a
 * byte, however many they are: contains_any's that of rowfn/aho_corasick.h, which
 * the engines run, too; matching's the tree itself, where all that ends at a
 * byte is found along the fail links.
 *
 * It is kept in fn_extra, with a copy of the array.  An array that is no constant
 * is compared with that copy at each call.  Until it has come twice, few literals
 * are looked for one by one: there an automaton would take longer to make.
 * So are those that are too many for one.
 *
 * In encodings where the bytes of a character may be parts of two others,
 * PostgreSQL's strpos() looks for each literal.
 *
 * Whatever may take long can be cancelled.
 *
 * IDENTIFICATION
 *	  src/sqlfn/contains_any.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/primnodes.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "compat.h"
#include "rowfn/aho_corasick.h"
#include "rowfn/like.h"
#include "sqlfn/contains_any.h"

PG_FUNCTION_INFO_V1(gpustr_contains_any);
PG_FUNCTION_INFO_V1(gpustr_matching);

/* Literals that are looked for one by one in the first value that comes. */
#define FEW_LITERALS 8

/* Bytes of a value between two looks for interrupts. */
#define SEARCH_CHUNK_BYTES (128 * 1024)

/* One by one, a literal may be compared at each byte of a chunk. */
#define SEARCH_CHUNK_COMPARED (64 * 1024 * 1024)
#define SEARCH_LEAST_CHUNK_BYTES 64

/* What is known of the last array. */
typedef struct LiteralCache
{
	MemoryContext context;		/* of all of it */
	ArrayType  *array;			/* a copy; NULL: there is none */
	bool		is_constant;	/* all calls have it */
	bool		seen_twice;
	bool		too_large;		/* for an automaton */
	int			n;
	GpustrLiteral *literals;	/* [n] */
	int32	   *positions;		/* [n] */
	bool		has_empty;
	GpustrAhoCorasick *set;		/* contains_any; NULL: not made */

	/* matching; nnodes 0: not made */
	GpustrLiteralTrie trie;
	uint32		root_child[256];
	uint32	   *visited;		/* [nnodes]: the last call that came there */
	uint32		call;
} LiteralCache;

static void *
trie_resize(void *old, size_t bytes)
{
	if (old == NULL)
		return MemoryContextAllocHuge(CurrentMemoryContext, bytes);
	return repalloc_huge(old, bytes);
}

static void
trie_poll(void)
{
	CHECK_FOR_INTERRUPTS();
}

const GpustrTrieMemory gpustr_palloc_trie_memory = {trie_resize, pfree, trie_poll};

GpustrLiteral *
gpustr_array_literals(ArrayType *array, int *n, int32 **positions)
{
	GpustrLiteral *literals;
	Datum	   *values;
	bool	   *nulls;
	int			nelements;
	int			i;

	deconstruct_array(array, ARR_ELEMTYPE(array), -1, false, TYPALIGN_INT,
					  &values, &nulls, &nelements);
	literals = MemoryContextAllocHuge(CurrentMemoryContext,
									  sizeof(GpustrLiteral) * ((Size) nelements + 1));
	if (positions != NULL)
		*positions = palloc_array(int32, nelements + 1);
	*n = 0;
	for (i = 0; i < nelements; i++)
	{
		struct varlena *value = (struct varlena *) DatumGetPointer(values[i]);

		if (nulls[i])
			continue;
		literals[*n].at = VARDATA_ANY(value);
		literals[*n].bytes = VARSIZE_ANY_EXHDR(value);
		if (positions != NULL)
			(*positions)[*n] = i + 1;
		(*n)++;
	}
	pfree(values);
	pfree(nulls);
	return literals;
}

/* Is the second argument a constant of the query? */
static bool
patterns_are_constant(const FmgrInfo * flinfo)
{
	Node	   *expr = flinfo->fn_expr;

	if (expr == NULL || !IsA(expr, FuncExpr) || list_length(((FuncExpr *) expr)->args) != 2)
		return false;
	return IsA(lsecond(((FuncExpr *) expr)->args), Const);
}

static void
fill_cache(LiteralCache *cache, ArrayType *array, bool is_constant)
{
	MemoryContext context = cache->context;
	MemoryContext old;
	int			i;

	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array of patterns must be one-dimensional"),
				 errdetail("It has %d dimensions.", ARR_NDIM(array))));
	MemoryContextReset(context);
	memset(cache, 0, sizeof(*cache));
	cache->context = context;
	old = MemoryContextSwitchTo(context);
	array = memcpy(MemoryContextAllocHuge(context, VARSIZE(array)), array, VARSIZE(array));
	cache->literals = gpustr_array_literals(array, &cache->n, &cache->positions);
	for (i = 0; i < cache->n; i++)
		cache->has_empty |= cache->literals[i].bytes == 0;
	MemoryContextSwitchTo(old);
	cache->is_constant = is_constant;
	cache->array = array;
}

/* The literals of this call. */
static LiteralCache *
get_literals(FunctionCallInfo fcinfo)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;
	LiteralCache *cache = flinfo->fn_extra;
	ArrayType  *array;

	if (cache != NULL && cache->is_constant)
		return cache;
	array = PG_GETARG_ARRAYTYPE_P(1);
	if (cache == NULL)
	{
		cache = MemoryContextAllocZero(flinfo->fn_mcxt, sizeof(LiteralCache));
		cache->context = AllocSetContextCreate(flinfo->fn_mcxt, "gpustr literals",
											   ALLOCSET_SMALL_SIZES);
		flinfo->fn_extra = cache;
	}
	if (cache->array != NULL && VARSIZE(cache->array) == VARSIZE(array) &&
		memcmp(cache->array, array, VARSIZE(array)) == 0)
		cache->seen_twice = true;
	else
		fill_cache(cache, array, patterns_are_constant(flinfo));
	return cache;
}

/* May literals be looked for by their bytes, whatever characters these are of? */
static bool
bytes_will_do(void)
{
	return pg_database_encoding_max_length() == 1 || GetDatabaseEncoding() == PG_UTF8;
}

static bool
wants_automaton(const LiteralCache *cache)
{
	return bytes_will_do() && !cache->too_large &&
		(cache->is_constant || cache->seen_twice || cache->n > FEW_LITERALS);
}

/* Does one literal, which is not empty, occur in the value? */
static bool
find_literal(text *value, const GpustrLiteral *literal)
{
	const char *s = VARDATA_ANY(value);
	int32		len = VARSIZE_ANY_EXHDR(value);
	int32		chunk = Max(Min(SEARCH_CHUNK_BYTES, SEARCH_CHUNK_COMPARED / literal->bytes),
							SEARCH_LEAST_CHUNK_BYTES);
	int32		at;

	CHECK_FOR_INTERRUPTS();
	if (!bytes_will_do())
		return DatumGetInt32(DirectFunctionCall2Coll(textpos, C_COLLATION_OID, PointerGetDatum(value),
													 PointerGetDatum(cstring_to_text_with_len(literal->at, literal->bytes)))) > 0;
	for (at = 0; at <= len - literal->bytes; at += chunk)
	{
		int32		places = Min(chunk, len - literal->bytes + 1 - at);

		if (rowfn_like_find(s, at, at + places + literal->bytes - 1, literal->at, literal->bytes,
							NULL, ROWFN_FOLD_NONE) >= 0)
			return true;
		CHECK_FOR_INTERRUPTS();
	}
	return false;
}

/* Have an automaton for contains_any; false: it would be too large. */
static bool
have_set(LiteralCache *cache)
{
	MemoryContext old;
	GpustrLiteralTrie trie;
	GpustrAhoCorasick *set = NULL;
	uint32		bytes;

	if (cache->set != NULL)
		return true;
	old = MemoryContextSwitchTo(cache->context);
	if (gpustr_trie_make(&trie, cache->literals, cache->n, 1, GPUSTR_AHO_MAX_STATES - 1,
						 &gpustr_palloc_trie_memory))
	{
		set = gpustr_trie_aho_corasick(&trie, GPUSTR_AHO_HOT_BYTES, INT32_MAX,
									   &gpustr_palloc_trie_memory, &bytes);
		gpustr_trie_free(&trie, &gpustr_palloc_trie_memory);
	}
	MemoryContextSwitchTo(old);
	cache->set = set;
	cache->too_large = set == NULL;
	return set != NULL;
}

static bool
search_set(const GpustrAhoCorasick *set, text *value)
{
	const char *s = VARDATA_ANY(value);
	int32		left = VARSIZE_ANY_EXHDR(value);
	uint32		state = 0;

	while (left > 0 && state != GPUSTR_FOUND)
	{
		int32		chunk = Min(left, SEARCH_CHUNK_BYTES);

		CHECK_FOR_INTERRUPTS();
		state = rowfn_aho_run(set, state, s, chunk);
		s += chunk;
		left -= chunk;
	}
	return state == GPUSTR_FOUND;
}

/*
 * gpustr.contains_any(value text, patterns text[]) -> boolean
 *
 * Does at least one of the patterns occur in the value, byte by byte, whatever the
 * collation?  A pattern that is NULL occurs nowhere, an empty one everywhere.  More
 * than one dimension is an error.  Strict.
 */
Datum
gpustr_contains_any(PG_FUNCTION_ARGS)
{
	text	   *value = PG_GETARG_TEXT_PP(0);
	LiteralCache *cache = get_literals(fcinfo);
	bool		found = cache->has_empty;
	int			i;

	if (!found && wants_automaton(cache) && have_set(cache))
		found = search_set(cache->set, value);
	else
	{
		for (i = 0; i < cache->n && !found; i++)
			found = find_literal(value, &cache->literals[i]);
	}
	PG_FREE_IF_COPY(value, 0);
	PG_RETURN_BOOL(found);
}

/* Have a tree for matching; false: it would be too large. */
static bool
have_trie(LiteralCache *cache)
{
	MemoryContext old;
	GpustrLiteralTrie trie;
	int			byte;

	if (cache->visited != NULL)
		return true;
	old = MemoryContextSwitchTo(cache->context);
	if (gpustr_trie_make(&trie, cache->literals, cache->n, 0, GPUSTR_AHO_MAX_STATES - 1,
						 &gpustr_palloc_trie_memory))
	{
		cache->trie = trie;
		for (byte = 0; byte < 256; byte++)
			cache->root_child[byte] = gpustr_trie_child(&trie, 0, byte);
		cache->visited = MemoryContextAllocExtended(cache->context, trie.nnodes * sizeof(uint32),
													MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	}
	else
		cache->too_large = true;
	MemoryContextSwitchTo(old);
	return cache->visited != NULL;
}

/* What is found in a value. */
typedef struct Matches
{
	int			n;
	Datum	   *positions;		/* [n] */
} Matches;

/*
 * All literals that end at a node or at an end of it, but for those that this call
 * has found before.
 */
static void
note_node(LiteralCache *cache, uint32 node, Matches *matches)
{
	const GpustrLiteralTrie *trie = &cache->trie;
	int32		literal;

	while (cache->visited[node] != cache->call)
	{
		cache->visited[node] = cache->call;
		for (literal = trie->node[node].literal; literal != GPUSTR_NO_LITERAL;
			 literal = trie->next_same[literal])
			matches->positions[matches->n++] = Int32GetDatum(cache->positions[literal]);
		node = trie->node[node].fail;
	}
}

static void
search_trie(LiteralCache *cache, text *value, Matches *matches)
{
	const GpustrLiteralTrie *trie = &cache->trie;
	const unsigned char *s = (const unsigned char *) VARDATA_ANY(value);
	int32		len = VARSIZE_ANY_EXHDR(value);
	uint32		node = 0;
	int32		i;

	if (++cache->call == 0)
	{
		memset(cache->visited, 0, trie->nnodes * sizeof(uint32));
		cache->call = 1;
	}
	note_node(cache, 0, matches);
	for (i = 0; i < len; i++)
	{
		uint32		child = 0;

		if (i % SEARCH_CHUNK_BYTES == 0)
			CHECK_FOR_INTERRUPTS();
		while (node != 0 && (child = gpustr_trie_child(trie, node, s[i])) == 0)
			node = trie->node[node].fail;
		node = node != 0 ? child : cache->root_child[s[i]];
		note_node(cache, node, matches);
	}
}

static int
compare_positions(const void *a, const void *b)
{
	int32		x = DatumGetInt32(*(const Datum *) a);
	int32		y = DatumGetInt32(*(const Datum *) b);

	return (x > y) - (x < y);
}

/*
 * gpustr.matching(value text, patterns text[]) -> integer[]
 *
 * Which of the patterns occur in the value, as for contains_any: their positions in
 * the array, counted from 1 whatever its lower bound, ascending.  A pattern that
 * stands there twice is found twice.  Strict.
 */
Datum
gpustr_matching(PG_FUNCTION_ARGS)
{
	text	   *value = PG_GETARG_TEXT_PP(0);
	LiteralCache *cache = get_literals(fcinfo);
	Matches		matches;
	int			i;

	matches.n = 0;
	matches.positions = MemoryContextAllocHuge(CurrentMemoryContext,
											   sizeof(Datum) * ((Size) cache->n + 1));
	if (wants_automaton(cache) && have_trie(cache))
	{
		search_trie(cache, value, &matches);
		qsort(matches.positions, matches.n, sizeof(Datum), compare_positions);
	}
	else
	{
		for (i = 0; i < cache->n; i++)
		{
			if (cache->literals[i].bytes == 0 || find_literal(value, &cache->literals[i]))
				matches.positions[matches.n++] = Int32GetDatum(cache->positions[i]);
		}
	}
	PG_FREE_IF_COPY(value, 0);
	if (matches.n == 0)
		PG_RETURN_ARRAYTYPE_P(construct_empty_array(INT4OID));
	PG_RETURN_ARRAYTYPE_P(construct_array(matches.positions, matches.n, INT4OID, sizeof(int32),
										  true, TYPALIGN_INT));
}
