/*-------------------------------------------------------------------------
 *
 * redact_pii.c
 *	  Functions callable from SQL that hide what they find: redact_pii and
 *	  redact_pattern.
 *
 * docs/redact_pii.md says what personal data is; rowfn/pii.h finds and hides it.  As
 * that is ASCII, any encoding of a server will do.  A long value can be cancelled.
 *
 * redact_pattern() is PostgreSQL's regexp_replace() of all matches, by its own
 * code; what is gained by it is that a GpuScan knows it.
 *
 * IDENTIFICATION
 *	  src/sqlfn/redact_pii.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "compat.h"

#define ROWFN_PII_POLL() CHECK_FOR_INTERRUPTS()
#include "rowfn/pii.h"
#include "sqlfn/redact_pii.h"
#include "sqlfn/text_array.h"

PG_FUNCTION_INFO_V1(gpustr_redact_pii);
PG_FUNCTION_INFO_V1(gpustr_redact_pii_array);
PG_FUNCTION_INFO_V1(gpustr_redact_pattern);

/* From here on the room for an answer is not taken for the longest possible one. */
#define LONG_VALUE_BYTES (64 * 1024)

static const struct
{
	const char *name;
	RowfnPiiKind kind;
}			kind_names[] =

{
	{"email", ROWFN_PII_EMAIL},
	{"phone", ROWFN_PII_PHONE},
	{"card", ROWFN_PII_CARD},
	{"ipv4", ROWFN_PII_IPV4},
	{"ipv6", ROWFN_PII_IPV6},
	{"iban", ROWFN_PII_IBAN},
	{"ssn", ROWFN_PII_SSN}
};

/* The kind of a name; 0: there is none. */
static int32
kind_of(GpustrBytes name)
{
	int			i;

	for (i = 0; i < lengthof(kind_names); i++)
	{
		if ((int32) strlen(kind_names[i].name) == name.len &&
			memcmp(kind_names[i].name, name.data, name.len) == 0)
			return kind_names[i].kind;
	}
	return 0;
}

/* Look at an array of names; where it is wrong raise an error, or say -1. */
static int32
kinds_of(ArrayType *names, bool raise)
{
	int32		kinds = 0;
	Datum	   *value;
	bool	   *null;
	int			n;
	int			i;

	if (ARR_NDIM(names) > 1)
	{
		if (raise)
			ereport(ERROR,
					(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
					 errmsg("array of kinds must have one dimension, not %d", ARR_NDIM(names))));
		return -1;
	}
	deconstruct_array(names, TEXTOID, -1, false, TYPALIGN_INT, &value, &null, &n);
	for (i = 0; i < n; i++)
	{
		GpustrBytes name;
		int32		kind;

		if (null[i])
		{
			if (raise)
				ereport(ERROR,
						(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						 errmsg("array of kinds must not contain nulls")));
			return -1;
		}
		name = gpustr_bytes_of(value[i]);
		kind = kind_of(name);
		if (kind == 0)
		{
			if (raise)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("unknown kind of personal data: \"%s\"",
								pnstrdup(name.data, name.len)),
						 errdetail("Kinds are \"email\", \"phone\", \"card\", \"ipv4\", \"ipv6\", \"iban\" and \"ssn\".")));
			return -1;
		}
		kinds |= kind;
	}
	return kinds;
}

int32
gpustr_pii_kinds(ArrayType *names)
{
	return kinds_of(names, false);
}

/* What a call site had as kinds the last time, and what they were. */
typedef struct KnownKinds
{
	int32		kinds;
	Size		bytes;
	char		names[FLEXIBLE_ARRAY_MEMBER];
} KnownKinds;

/* The kinds of a call: looked at again only if they are others. */
static int32
call_kinds(FmgrInfo * flinfo, ArrayType *names)
{
	KnownKinds *known = flinfo->fn_extra;
	int32		kinds;

	if (known != NULL && known->bytes == VARSIZE(names) &&
		memcmp(known->names, names, known->bytes) == 0)
		return known->kinds;
	kinds = kinds_of(names, true);
	if (known != NULL)
		pfree(known);
	flinfo->fn_extra = NULL;
	known = MemoryContextAlloc(flinfo->fn_mcxt, offsetof(KnownKinds, names) + VARSIZE(names));
	known->kinds = kinds;
	known->bytes = VARSIZE(names);
	memcpy(known->names, names, known->bytes);
	flinfo->fn_extra = known;
	return kinds;
}

/* The redacted value; NULL: it stays as it is. */
static text *
redact(GpustrBytes value, int32 kinds)
{
	RowfnPiiScan scan = rowfn_pii_begin(value.data, value.len, kinds);
	RowfnPiiMatch match;
	int64		bytes = 2 * (int64) value.len;
	text	   *result;

	if (!rowfn_pii_next(&scan, &match))
		return NULL;

	/* of a long value it pays to know before */
	if (value.len > LONG_VALUE_BYTES)
		bytes = rowfn_pii_bytes(value.data, value.len, kinds);
	if (bytes > MaxAllocSize - VARHDRSZ)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("redacted value is too long"),
				 errdetail("The result would have %lld bytes, the limit is %zu.",
						   (long long) bytes, MaxAllocSize - VARHDRSZ)));
	result = palloc(VARHDRSZ + bytes);
	bytes = rowfn_pii_write_from(&scan, &match, VARDATA(result), bytes);
	SET_VARSIZE(result, VARHDRSZ + bytes);
	return result;
}

/*
 * gpustr.redact_pii(value text, kinds text[]) -> text
 *
 * The value with all personal data of these kinds replaced by the names of the
 * kinds, such as [EMAIL].  Strict.  Kinds that do not exist or are NULL are an
 * error, as are arrays of more than one dimension; without kinds the value stays.
 */
Datum
gpustr_redact_pii(PG_FUNCTION_ARGS)
{
	text	   *value = PG_GETARG_TEXT_PP(0);
	int32		kinds = call_kinds(fcinfo->flinfo, PG_GETARG_ARRAYTYPE_P(1));
	text	   *result = redact(gpustr_bytes_of(PointerGetDatum(value)), kinds);

	PG_RETURN_TEXT_P(result != NULL ? result : value);
}

static void
build_redact_pii(GpustrProgramBuilder *builder, const void *context)
{
	uint16_t	value = gpustr_builder_column(builder, 0);

	gpustr_builder_output_text(builder, 0,
							   gpustr_builder_text_function(builder, GPUSTR_TEXT_REDACT_PII, &value,
															context, sizeof(int32)));
}

/* The shortest address is of 6 bytes, and [EMAIL] of 7; ::1 and a blank are 4. */
static uint64
redact_pii_most_bytes(const GpustrBytes *args, const void *context)
{
	return 2 * (uint64) args[0].len;
}

static text *
redact_pii_args(const GpustrBytes *args, const void *context)
{
	text	   *result = redact(args[0], *(const int32 *) context);

	return result != NULL ? result : cstring_to_text_with_len(args[0].data, args[0].len);
}

/*
 * gpustr.redact_pii(texts text[], kinds text[]) -> text[]
 *
 * Element by element as the scalar form, NULL where the text is NULL; the result has
 * the dimensions of texts.  Strict.
 */
Datum
gpustr_redact_pii_array(PG_FUNCTION_ARGS)
{
	ArrayType  *values = PG_GETARG_ARRAYTYPE_P(0);
	int32		kinds = call_kinds(fcinfo->flinfo, PG_GETARG_ARRAYTYPE_P(1));
	GpustrTextArray function = {build_redact_pii, redact_pii_most_bytes, redact_pii_args, &kinds};

	if (kinds == 0)
		PG_RETURN_ARRAYTYPE_P(values);
	PG_RETURN_ARRAYTYPE_P(gpustr_text_array_run(&function, 1, &values));
}

/*
 * gpustr.redact_pattern(value text, regex text, replacement text) -> text
 *
 * regexp_replace(value, regex, replacement, 'g').  Strict.
 */
Datum
gpustr_redact_pattern(PG_FUNCTION_ARGS)
{
	return DirectFunctionCall4Coll(textregexreplace, PG_GET_COLLATION(),
								   PG_GETARG_DATUM(0), PG_GETARG_DATUM(1), PG_GETARG_DATUM(2),
								   PointerGetDatum(cstring_to_text_with_len("g", 1)));
}
