/*-------------------------------------------------------------------------
 *
 * own_functions.c
 *	  This library's own SQL functions, as the engines know them.
 *
 * An own function has no fixed OID, schema or name: it is known by what it runs.
 * A function is ours if it is of language C, has one of our symbols and, loaded,
 * our address; has just the arguments and the result of the table; and is
 * strict, so that a call with a NULL is NULL.  One with a SET clause or SECURITY
 * DEFINER has another address, and is not ours.
 *
 * To add one: put a row into the table, with its C symbol and address, types, and
 * what it does.  The rest is as for PostgreSQL's functions (ship_types.c); so a
 * function of program/text_function.h whose arguments are its shape's, in that
 * order, needs no more than
 *
 *		{"gpustr_find", gpustr_find, INT4OID, 3, {TEXTOID, TEXTOID, INT4OID},
 *			{InvalidOid, GPUSTR_FUNCTION_TEXT, GPUSTR_TEXT_FIND, 0, GPUSTR_FLAG_TEXT}},
 *
 * 'how' says how the call differs from that (GPUSTR_HOW_ in ship_types.h: a last
 * argument that the call leaves out, a value that is a truth).  Overloads are rows of
 * their own, with the same symbol or not.  GPUSTR_FLAG_TEXT: it counts characters,
 * so the encoding matters; GPUSTR_FLAG_COLLATED: refused under a nondeterministic
 * collation.  A function that needs a constant made of its arguments has a case in
 * text_build.c, text_constant(), and says there what it refuses.
 *
 * What is found is kept for the backend, until some pg_proc row changes.
 *
 * IDENTIFICATION
 *	  src/plan/own_functions.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/syscache.h"

#include "plan/own_functions.h"
#include "sqlfn/contains_any.h"
#include "sqlfn/redact.h"
#include "sqlfn/redact_pii.h"
#include "sqlfn/search.h"

#define MAX_OWN_ARGS 4

typedef struct OwnFunction
{
	const char *symbol;
	PGFunction	address;
	Oid			result;
	int16		nargs;
	Oid			args[MAX_OWN_ARGS];
	GpustrFunction function;
} OwnFunction;

static const OwnFunction own_functions[] = {
	{"gpustr_redact", gpustr_redact, TEXTOID, 2, {TEXTOID, TEXTOID},
	{InvalidOid, GPUSTR_FUNCTION_REDACT, 0, 0, GPUSTR_FLAG_TEXT}},
	{"gpustr_mask", gpustr_mask, TEXTOID, 4, {TEXTOID, INT4OID, INT4OID, TEXTOID},
	{InvalidOid, GPUSTR_FUNCTION_MASK, 0, 0, GPUSTR_FLAG_TEXT}},
	{"gpustr_contains_any", gpustr_contains_any, BOOLOID, 2, {TEXTOID, TEXTARRAYOID},
	{InvalidOid, GPUSTR_FUNCTION_CONTAINS_ANY, 0, 0, GPUSTR_FLAG_TEXT}},
	{"gpustr_redact_pii", gpustr_redact_pii, TEXTOID, 2, {TEXTOID, TEXTARRAYOID},
	{InvalidOid, GPUSTR_FUNCTION_PII, 0, 0, 0}},
	{"gpustr_redact_pattern", gpustr_redact_pattern, TEXTOID, 3, {TEXTOID, TEXTOID, TEXTOID},
	{InvalidOid, GPUSTR_FUNCTION_REGEX_FIND, GPUSTR_MISS_VALUE, 3, GPUSTR_FLAG_TEXT | GPUSTR_FLAG_COLLATED}},
	{"gpustr_find", gpustr_find, INT4OID, 3, {TEXTOID, TEXTOID, INT4OID},
	{InvalidOid, GPUSTR_FUNCTION_TEXT, GPUSTR_TEXT_FIND, 0, GPUSTR_FLAG_TEXT}},
	{"gpustr_count_matches", gpustr_count_matches, INT8OID, 2, {TEXTOID, TEXTOID},
	{InvalidOid, GPUSTR_FUNCTION_TEXT, GPUSTR_TEXT_COUNT_MATCHES, 0, GPUSTR_FLAG_TEXT}},
	{"gpustr_edit_distance", gpustr_edit_distance, INT4OID, 2, {TEXTOID, TEXTOID},
	{InvalidOid, GPUSTR_FUNCTION_TEXT, GPUSTR_TEXT_EDIT_DISTANCE, 0, GPUSTR_FLAG_TEXT}},
	{"gpustr_edit_distance_within", gpustr_edit_distance_within, BOOLOID, 3, {TEXTOID, TEXTOID, INT4OID},
	{InvalidOid, GPUSTR_FUNCTION_TEXT, GPUSTR_TEXT_EDIT_WITHIN, GPUSTR_HOW_TRUTH, GPUSTR_FLAG_TEXT}},
	{"gpustr_fuzzy_find", gpustr_fuzzy_find, INT4OID, 3, {TEXTOID, TEXTOID, INT4OID},
	{InvalidOid, GPUSTR_FUNCTION_TEXT, GPUSTR_TEXT_FUZZY_FIND, 0, GPUSTR_FLAG_TEXT}},
};

/* What is known of a function that was asked for. */
typedef struct KnownEntry
{
	Oid			funcid;			/* hash key: must be first */
	const GpustrFunction *function; /* NULL: not ours */
} KnownEntry;

static HTAB *known = NULL;

/* The row of the table that pg_proc's row fits, but for its address. */
static const OwnFunction *
find_row(HeapTuple tuple)
{
	Form_pg_proc proc = (Form_pg_proc) GETSTRUCT(tuple);
	bool		isnull;
	Datum		prosrc = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosrc, &isnull);
	char	   *symbol;
	int			i;

	if (proc->prolang != ClanguageId || !proc->proisstrict || proc->proretset || isnull)
		return NULL;
	symbol = TextDatumGetCString(prosrc);
	for (i = 0; i < lengthof(own_functions); i++)
	{
		const OwnFunction *own = &own_functions[i];

		if (strcmp(symbol, own->symbol) == 0 && proc->prorettype == own->result &&
			proc->pronargs == own->nargs &&
			memcmp(proc->proargtypes.values, own->args, own->nargs * sizeof(Oid)) == 0)
			return own;
	}
	return NULL;
}

static const GpustrFunction *
find_function(Oid funcid)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(funcid));
	const OwnFunction *own;
	FmgrInfo	finfo;

	if (!HeapTupleIsValid(tuple))
		return NULL;
	own = find_row(tuple);
	ReleaseSysCache(tuple);
	if (own == NULL)
		return NULL;
	fmgr_info(funcid, &finfo);
	return finfo.fn_addr == own->address ? &own->function : NULL;
}

/* Syscache callback: a function has changed, whichever. */
static void
forget_known(Datum arg, int cacheid, uint32 hashvalue)
{
	if (known != NULL)
		hash_destroy(known);
	known = NULL;
}

static void
create_known(void)
{
	static bool registered = false;
	HASHCTL		ctl;

	ctl.keysize = sizeof(Oid);
	ctl.entrysize = sizeof(KnownEntry);
	known = hash_create("gpustr own functions", 32, &ctl, HASH_ELEM | HASH_BLOBS);
	if (!registered)
		CacheRegisterSyscacheCallback(PROCOID, forget_known, (Datum) 0);
	registered = true;
}

const GpustrFunction *
gpustr_own_function(Oid funcid)
{
	const GpustrFunction *function;
	KnownEntry *entry = NULL;

	if (funcid < FirstNormalObjectId)
		return NULL;
	if (known != NULL)
		entry = hash_search(known, &funcid, HASH_FIND, NULL);
	if (entry != NULL)
		return entry->function;

	/* may raise an error, or have the table forgotten */
	function = find_function(funcid);
	if (known == NULL)
		create_known();
	entry = hash_search(known, &funcid, HASH_ENTER, NULL);
	entry->function = function;
	return function;
}
