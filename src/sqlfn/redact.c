/*-------------------------------------------------------------------------
 *
 * redact.c
 *	  Functions callable from SQL that hide text: redact and mask.
 *
 * The scalar functions do what rowfn/redact.h and rowfn/mask.h say, in place: one value
 * is not worth a trip to a device.  The array form has an
 * engine compute its elements (text_array.h).
 *
 * IDENTIFICATION
 *	  src/sqlfn/redact.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "compat.h"
#include "rowfn/mask.h"
#include "rowfn/redact.h"
#include "sqlfn/redact.h"
#include "sqlfn/search.h"
#include "sqlfn/text_array.h"

PG_FUNCTION_INFO_V1(gpustr_redact);
PG_FUNCTION_INFO_V1(gpustr_redact_array);
PG_FUNCTION_INFO_V1(gpustr_mask);

/* Bytes of a name that are looked at, some ms long, between two looks for interrupts. */
#define SPLIT_PIECE (4 * 1024 * 1024)

/* rowfn_redact_split(), with looks for interrupts. */
static RowfnRedactParts
redact_split(GpustrBytes name)
{
	RowfnRedactParts parts = {name.len, name.len};
	int32		at;

	for (at = 0; at < name.len && parts.first_bytes == name.len; at += Min(SPLIT_PIECE, name.len - at))
	{
		const char *blank = memchr(name.data + at, ' ', Min(SPLIT_PIECE, name.len - at));

		if (blank != NULL)
			parts.first_bytes = (int32) (blank - name.data);
		CHECK_FOR_INTERRUPTS();
	}
	for (at = parts.first_bytes; at < name.len && name.data[at] == ' '; at++)
	{
		if (at % SPLIT_PIECE == 0)
			CHECK_FOR_INTERRUPTS();
	}
	parts.last_off = at;
	return parts;
}

/* rowfn_redact_write_public(), alike. */
static void
redact_write(GpustrBytes name, RowfnRedactParts parts, int initial, char *out)
{
	if (parts.last_off < name.len)
	{
		gpustr_copy(out, name.data + parts.last_off, initial);
		out[initial] = ' ';
		out += initial + 1;
	}
	gpustr_copy(out, name.data, parts.first_bytes);
}

static text *
redact_one(GpustrBytes name, GpustrBytes visibility)
{
	RowfnRedactParts parts;
	int			initial = 0;
	int32		len;
	text	   *result;

	if (!rowfn_redact_is_public(visibility.data, visibility.len))
		return cstring_to_text_with_len("X X", ROWFN_REDACTED_BYTES);

	parts = redact_split(name);
	if (parts.last_off < name.len)
		initial = Min(pg_mblen(name.data + parts.last_off), name.len - parts.last_off);
	len = rowfn_redact_public_bytes(parts, name.len, initial);
	result = palloc(VARHDRSZ + len);
	SET_VARSIZE(result, VARHDRSZ + len);
	redact_write(name, parts, initial, VARDATA(result));
	return result;
}

/*
 * gpustr.redact(name text, visibility text) -> text
 *
 * See rowfn/redact.h for what it answers.  Strict.
 */
Datum
gpustr_redact(PG_FUNCTION_ARGS)
{
	text	   *name = PG_GETARG_TEXT_PP(0);
	text	   *visibility = PG_GETARG_TEXT_PP(1);

	PG_RETURN_TEXT_P(redact_one(gpustr_bytes_of(PointerGetDatum(name)),
								gpustr_bytes_of(PointerGetDatum(visibility))));
}

/* rowfn_mask_split() in any encoding, of a value of any length. */
static RowfnMaskParts
mask_split(GpustrBytes value, int32 keep_left, int32 keep_right)
{
	int32		encoding = gpustr_rowfn_encoding();
	int64		hidden = (int64) gpustr_search_chars(value, encoding) - keep_left - keep_right;
	RowfnMaskParts parts = {value.len, 0, 0};
	GpustrBytes rest;

	if (hidden <= 0)
		return parts;
	parts.hidden = (int32) hidden;
	parts.left_bytes = gpustr_search_skip(value, keep_left, encoding);
	rest.data = value.data + parts.left_bytes;
	rest.len = value.len - parts.left_bytes;
	parts.hidden_bytes = gpustr_search_skip(rest, hidden, encoding);
	return parts;
}

/* rowfn_mask_write(), with looks for interrupts. */
static void
mask_write(GpustrBytes value, RowfnMaskParts parts, GpustrBytes mask, char *out)
{
	Size		hidden = (Size) parts.hidden * mask.len;
	int32		right = parts.left_bytes + parts.hidden_bytes;
	Size		done = Min(mask.len, hidden);

	gpustr_copy(out, value.data, parts.left_bytes);
	out += parts.left_bytes;
	gpustr_copy(out, mask.data, done);
	for (; done < hidden; done += Min(done, hidden - done))
		gpustr_copy(out + done, out, Min(done, hidden - done));
	gpustr_copy(out + hidden, value.data + right, value.len - right);
}

/*
 * gpustr.mask(value text, keep_left int, keep_right int, mask text) -> text
 *
 * Replace each character of value by mask, except the first keep_left and the
 * last keep_right characters.  Where these meet or overlap, nothing is hidden.
 * Negative counts are an error, as is a result of more than 1 GB.  Strict.
 */
Datum
gpustr_mask(PG_FUNCTION_ARGS)
{
	GpustrBytes value = gpustr_bytes_of(PointerGetDatum(PG_GETARG_TEXT_PP(0)));
	int32		keep_left = PG_GETARG_INT32(1);
	int32		keep_right = PG_GETARG_INT32(2);
	GpustrBytes mask = gpustr_bytes_of(PointerGetDatum(PG_GETARG_TEXT_PP(3)));
	RowfnMaskParts parts;
	int64		len;
	text	   *result;

	if (keep_left < 0 || keep_right < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("number of characters to keep must not be negative"),
				 errdetail("%d characters on the left and %d on the right were asked for.",
						   keep_left, keep_right)));

	parts = mask_split(value, keep_left, keep_right);
	len = rowfn_mask_bytes(value.len, parts, mask.len);
	if (len > MaxAllocSize - VARHDRSZ)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("masked value is too long"),
				 errdetail("The result would have %lld bytes, the limit is %zu.",
						   (long long) len, MaxAllocSize - VARHDRSZ)));

	result = palloc(VARHDRSZ + len);
	SET_VARSIZE(result, VARHDRSZ + len);
	mask_write(value, parts, mask, VARDATA(result));
	PG_RETURN_TEXT_P(result);
}

/*----------
 * The array form
 *----------
 */

static void
build_redact(GpustrProgramBuilder *builder, const void *context)
{
	uint16		name = gpustr_builder_column(builder, 0);

	gpustr_builder_redact(builder, 0, name, gpustr_builder_column(builder, 1));
}

static uint64
redact_most_bytes(const GpustrBytes *args, const void *context)
{
	return Max(args[0].len, ROWFN_REDACTED_BYTES);
}

static text *
redact_args(const GpustrBytes *args, const void *context)
{
	return redact_one(args[0], args[1]);
}

static void
check_same_shape(ArrayType *names, ArrayType *visibilities)
{
	int			nnames = ArrayGetNItems(ARR_NDIM(names), ARR_DIMS(names));
	int			nvisibilities = ArrayGetNItems(ARR_NDIM(visibilities), ARR_DIMS(visibilities));

	if (nnames != nvisibilities)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("arrays of names and visibilities must be of the same length"),
				 errdetail("There are %d names and %d visibilities.", nnames, nvisibilities)));
	if (ARR_NDIM(names) != ARR_NDIM(visibilities) ||
		memcmp(ARR_DIMS(names), ARR_DIMS(visibilities), ARR_NDIM(names) * sizeof(int)) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("arrays of names and visibilities must have the same dimensions"),
				 errdetail("Arrays with %d and %d dimensions of different sizes cannot be paired.",
						   ARR_NDIM(names), ARR_NDIM(visibilities))));
}

/*
 * gpustr.redact(names text[], visibilities text[]) -> text[]
 *
 * Element by element as the scalar form, NULL where either is NULL; the result
 * has the dimensions of names.  Arrays of different length or shape are an
 * error.  Strict.
 */
Datum
gpustr_redact_array(PG_FUNCTION_ARGS)
{
	ArrayType  *arrays[] = {PG_GETARG_ARRAYTYPE_P(0), PG_GETARG_ARRAYTYPE_P(1)};
	GpustrTextArray function = {build_redact, redact_most_bytes, redact_args, NULL};

	check_same_shape(arrays[0], arrays[1]);
	PG_RETURN_ARRAYTYPE_P(gpustr_text_array_run(&function, lengthof(arrays), arrays));
}
