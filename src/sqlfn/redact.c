/*-------------------------------------------------------------------------
 *
 * redact.c
 *	  Functions callable from SQL that hide text: redact and mask.
 *
 * The scalar functions run the row functions of rowfn/redact.h and rowfn/mask.h
 * in place; one value is not worth a trip to a device.  The array form makes
 * column batches of its arguments, as large as a body allows, and keeps several
 * of them in flight; a row that the engine leaves to PostgreSQL (recheck) is
 * computed here.
 *
 * The engines, and so the row functions, know UTF-8 and single-byte encodings.
 * In others it is PostgreSQL's to say where a character ends (pg_mblen), and
 * the array form runs value by value.
 *
 * IDENTIFICATION
 *	  src/sqlfn/redact.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "batch/batch_layout.h"
#include "compat.h"
#include "guc.h"
#include "program/program_builder.h"
#include "rowfn/mask.h"
#include "rowfn/redact.h"
#include "service/client.h"
#include "sqlfn/redact.h"

/* Room for the program: one step of each kind. */
#define REDACT_PROGRAM_BYTES 512

/* The most rows of one batch: bounds the requester's bookkeeping. */
#define REDACT_MAX_ROWS (4 * 1024 * 1024)

PG_FUNCTION_INFO_V1(gpustr_redact);
PG_FUNCTION_INFO_V1(gpustr_redact_array);
PG_FUNCTION_INFO_V1(gpustr_mask);

/* The bytes of a text value, whatever its header. */
typedef struct Bytes
{
	const char *data;
	int32		len;
} Bytes;

static Bytes
bytes_of(Datum value)
{
	struct varlena *v = (struct varlena *) DatumGetPointer(value);
	Bytes		b;

	b.data = VARDATA_ANY(v);
	b.len = VARSIZE_ANY_EXHDR(v);
	return b;
}

/* The database's encoding for row functions; -1: one that they do not know. */
static int32
rowfn_encoding(void)
{
	if (pg_database_encoding_max_length() == 1)
		return GPUSTR_ENC_SINGLE_BYTE;
	return GetDatabaseEncoding() == PG_UTF8 ? GPUSTR_ENC_UTF8 : -1;
}

static text *
redact_one(Bytes name, Bytes visibility)
{
	RowfnRedactParts parts;
	int			initial = 0;
	int32		len;
	text	   *result;

	if (!rowfn_redact_is_public(visibility.data, visibility.len))
		return cstring_to_text_with_len("X X", ROWFN_REDACTED_BYTES);

	parts = rowfn_redact_split(name.data, name.len);
	if (parts.last_off < name.len)
		initial = Min(pg_mblen(name.data + parts.last_off), name.len - parts.last_off);
	len = rowfn_redact_public_bytes(parts, name.len, initial);
	result = palloc(VARHDRSZ + len);
	SET_VARSIZE(result, VARHDRSZ + len);
	rowfn_redact_write_public(name.data, name.len, parts, initial, VARDATA(result));
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

	PG_RETURN_TEXT_P(redact_one(bytes_of(PointerGetDatum(name)),
								bytes_of(PointerGetDatum(visibility))));
}

/* rowfn_mask_split() in any encoding. */
static RowfnMaskParts
mask_split(Bytes value, int32 keep_left, int32 keep_right)
{
	int32		encoding = rowfn_encoding();
	RowfnMaskParts parts;
	int64		hidden;

	if (encoding >= 0)
		return rowfn_mask_split(value.data, value.len, keep_left, keep_right, encoding);
	hidden = (int64) pg_mbstrlen_with_len(value.data, value.len) - keep_left - keep_right;
	parts.hidden = (int32) Max(hidden, 0);
	parts.left_bytes = pg_mbcharcliplen(value.data, value.len, keep_left);
	parts.hidden_bytes = pg_mbcharcliplen(value.data + parts.left_bytes,
										  value.len - parts.left_bytes, parts.hidden);
	return parts;
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
	Bytes		value = bytes_of(PointerGetDatum(PG_GETARG_TEXT_PP(0)));
	int32		keep_left = PG_GETARG_INT32(1);
	int32		keep_right = PG_GETARG_INT32(2);
	Bytes		mask = bytes_of(PointerGetDatum(PG_GETARG_TEXT_PP(3)));
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
	rowfn_mask_write(value.data, value.len, parts, mask.data, mask.len, VARDATA(result));
	PG_RETURN_TEXT_P(result);
}

/*----------
 * The array form
 *----------
 */

/* Both arguments, taken apart. */
typedef struct RedactInput
{
	int			n;
	Datum	   *name;
	bool	   *name_null;
	Datum	   *visibility;
	bool	   *visibility_null;
} RedactInput;

/* One batch in flight: rows [first, first + n) of the input. */
typedef struct RedactBatch
{
	GpustrRequest *request;
	int			first;
	int			n;
} RedactBatch;

/* The elements of the result array, one after the other as arrays store them. */
typedef struct RedactOutput
{
	char	   *data;			/* after the array's header and NULL bitmap */
	Size		used;
	Size		room;
	bits8	   *nulls;			/* [(n + 7) / 8], 1 where not NULL */
	bool		has_null;
} RedactOutput;

static const GpustrProgram *
redact_program(void *area)
{
	GpustrProgramBuilder *builder = palloc(sizeof(GpustrProgramBuilder));
	uint16		name;
	uint16		visibility;

	gpustr_builder_init(builder, rowfn_encoding(), area, REDACT_PROGRAM_BYTES);
	name = gpustr_builder_column(builder, 0);
	visibility = gpustr_builder_column(builder, 1);
	gpustr_builder_redact(builder, 0, name, visibility);
	if (gpustr_builder_finish(builder) == 0)
		elog(ERROR, "program for redact does not fit %d bytes", REDACT_PROGRAM_BYTES);
	pfree(builder);
	return area;
}

/* Copy rows of one array into an input column. */
static void
fill_column(GpustrBatch *batch, const GpustrColumn *column,
			const Datum *value, const bool *null, int n)
{
	uint8	   *validity = GPUSTR_BODY_PTR(batch, column->validity_off, uint8);
	int32	   *offsets = GPUSTR_BODY_PTR(batch, column->offsets_off, int32);
	char	   *data = GPUSTR_BODY_PTR(batch, column->data_off, char);
	int32		used = 0;
	int			i;

	memset(validity, 0, (n + 7) / 8);
	for (i = 0; i < n; i++)
	{
		offsets[i] = used;
		if (!null[i])
		{
			Bytes		b = bytes_of(value[i]);

			validity[i / 8] |= (uint8) (1 << (i % 8));
			memcpy(data + used, b.data, b.len);
			used += b.len;
		}
	}
	offsets[n] = used;
}

/* Bytes of each column, and of the result, of rows [first, first + n). */
typedef struct RedactSize
{
	uint64		data[2];
	uint64		out;
} RedactSize;

static void
add_row_size(RedactSize *size, const RedactInput *input, int row)
{
	int32		name_len = input->name_null[row] ? 0 : bytes_of(input->name[row]).len;

	size->data[0] += name_len;
	if (!input->visibility_null[row])
		size->data[1] += bytes_of(input->visibility[row]).len;
	size->out += Max(name_len, ROWFN_REDACTED_BYTES);
}

/*
 * Start the next batch: as many rows from 'first' on as a body holds, at least
 * one.  False if there is no body now (collect a batch first).
 */
static bool
start_batch(GpustrClient *client, const GpustrProgram *program,
			const RedactInput *input, int first, RedactBatch *batch)
{
	RedactSize	size = {{0, 0}, 0};
	GpustrRequest *request;
	GpustrBatch *body;
	uint64		bytes;
	int			n = 1;

	add_row_size(&size, input, first);
	bytes = gpustr_layout_columns_bytes(program->bytes, 1, 2, size.data, size.out);
	request = gpustr_request_acquire(client, bytes);
	if (request == NULL)
		return false;
	while (first + n < input->n && n < REDACT_MAX_ROWS)
	{
		RedactSize	next = size;

		add_row_size(&next, input, first + n);
		bytes = gpustr_layout_columns_bytes(program->bytes, n + 1, 2, next.data, next.out);
		if (bytes > gpustr_request_bytes(request))
			break;
		size = next;
		n++;
	}

	body = gpustr_layout_columns(gpustr_request_body(request), gpustr_request_bytes(request),
								 program, n, 2, size.data, size.out);
	fill_column(body, &body->column[0], input->name + first, input->name_null + first, n);
	fill_column(body, &body->column[1], input->visibility + first,
				input->visibility_null + first, n);
	gpustr_request_submit(request);
	batch->request = request;
	batch->first = first;
	batch->n = n;
	return true;
}

static void
output_append(RedactOutput *out, int row, const char *data, int32 len)
{
	Size		need = INTALIGN(VARHDRSZ + len);
	text	   *element;

	if (out->used + need > out->room)
	{
		Size		room = Max(out->room * 2, out->used + need);

		if (out->used + need > MaxAllocSize)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("array size exceeds the maximum allowed (%d)", (int) MaxAllocSize),
					 errhint("Redact fewer names at a time.")));
		out->room = Min(room, MaxAllocSize);
		out->data = repalloc(out->data, out->room);
	}
	element = (text *) (out->data + out->used);
	SET_VARSIZE(element, VARHDRSZ + len);
	memcpy(VARDATA(element), data, len);
	memset((char *) element + VARHDRSZ + len, 0, need - VARHDRSZ - len);
	out->used += need;
	out->nulls[row / 8] |= (bits8) (1 << (row % 8));
}

/* Compute a row here. */
static void
redact_row(const RedactInput *input, int row, RedactOutput *out)
{
	text	   *value;

	if (input->name_null[row] || input->visibility_null[row])
	{
		out->has_null = true;
		return;
	}
	value = redact_one(bytes_of(input->name[row]), bytes_of(input->visibility[row]));
	output_append(out, row, VARDATA(value), VARSIZE(value) - VARHDRSZ);
	pfree(value);
}

/* Take the results of a batch, and compute what the engine could not. */
static void
collect_batch(RedactBatch *batch, const RedactInput *input, RedactOutput *out)
{
	GpustrBatch *body;
	const uint32 *recheck;
	const uint8 *validity;
	const int32 *offsets;
	const char *data;
	int			i;

	gpustr_request_wait(batch->request);
	body = gpustr_request_body(batch->request);
	recheck = GPUSTR_BODY_PTR(body, body->recheck_off, uint32);
	validity = GPUSTR_BODY_PTR(body, body->out_column[0].validity_off, uint8);
	offsets = GPUSTR_BODY_PTR(body, body->out_column[0].offsets_off, int32);
	data = GPUSTR_BODY_PTR(body, body->out_column[0].data_off, char);
	for (i = 0; i < batch->n; i++)
	{
		if ((recheck[i / 32] >> (i % 32)) & 1)
			redact_row(input, batch->first + i, out);
		else if (validity[i / 8] & (1 << (i % 8)))
			output_append(out, batch->first + i, data + offsets[i], offsets[i + 1] - offsets[i]);
		else
			out->has_null = true;
	}
	gpustr_request_release(batch->request);
}

/* Is the row too large for any batch? */
static bool
is_oversize(const GpustrProgram *program, const RedactInput *input, int row)
{
	RedactSize	size = {{0, 0}, 0};

	add_row_size(&size, input, row);
	return gpustr_layout_columns_bytes(program->bytes, 1, 2, size.data, size.out) >
		GPUSTR_MAX_BODY_BYTES;
}

/* Run all rows through an engine, batches in flight at a time. */
static void
redact_in_batches(const RedactInput *input, RedactOutput *out)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "gpustr redact", ALLOCSET_SMALL_SIZES);
	GpustrClient *client = gpustr_client_create(context);
	uint64		area[REDACT_PROGRAM_BYTES / sizeof(uint64)];
	const GpustrProgram *program = redact_program(area);
	RedactBatch flight[GPUSTR_MAX_BATCH_DEPTH];
	int			depth = gpustr_client_depth(client);
	int			head = 0;
	int			nflight = 0;
	int			row = 0;

	while (row < input->n || nflight > 0)
	{
		RedactBatch *next = &flight[(head + nflight) % GPUSTR_MAX_BATCH_DEPTH];

		CHECK_FOR_INTERRUPTS();
		if (row < input->n && is_oversize(program, input, row))
		{
			if (nflight == 0)
			{
				redact_row(input, row++, out);
				continue;
			}
		}
		else if (row < input->n && nflight < depth &&
				 start_batch(client, program, input, row, next))
		{
			row += next->n;
			nflight++;
			continue;
		}
		collect_batch(&flight[head], input, out);
		head = (head + 1) % GPUSTR_MAX_BATCH_DEPTH;
		nflight--;
	}
	MemoryContextDelete(context);
}

/* The same, value by value, for encodings that engines do not know. */
static void
redact_by_value(const RedactInput *input, RedactOutput *out)
{
	int			i;

	for (i = 0; i < input->n; i++)
		redact_row(input, i, out);
}

/* An array of the dimensions of 'like' with the elements of 'out'. */
static ArrayType *
make_array(ArrayType *like, int n, const RedactOutput *out)
{
	int			ndim = ARR_NDIM(like);
	Size		header = out->has_null ? ARR_OVERHEAD_WITHNULLS(ndim, n) :
	ARR_OVERHEAD_NONULLS(ndim);
	ArrayType  *array;

	if (header + out->used > MaxAllocSize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("array size exceeds the maximum allowed (%d)", (int) MaxAllocSize),
				 errhint("Redact fewer names at a time.")));
	array = palloc0(header + out->used);
	SET_VARSIZE(array, header + out->used);
	array->ndim = ndim;
	array->dataoffset = out->has_null ? header : 0;
	array->elemtype = TEXTOID;
	memcpy(ARR_DIMS(array), ARR_DIMS(like), ndim * sizeof(int));
	memcpy(ARR_LBOUND(array), ARR_LBOUND(like), ndim * sizeof(int));
	if (out->has_null)			/* the bitmap comes where data else begins */
		memcpy((char *) array + ARR_OVERHEAD_NONULLS(ndim), out->nulls, (n + 7) / 8);
	memcpy(ARR_DATA_PTR(array), out->data, out->used);
	return array;
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
	ArrayType  *names = PG_GETARG_ARRAYTYPE_P(0);
	ArrayType  *visibilities = PG_GETARG_ARRAYTYPE_P(1);
	RedactInput input;
	RedactOutput out;
	int			n;

	check_same_shape(names, visibilities);
	deconstruct_array(names, TEXTOID, -1, false, TYPALIGN_INT,
					  &input.name, &input.name_null, &input.n);
	deconstruct_array(visibilities, TEXTOID, -1, false, TYPALIGN_INT,
					  &input.visibility, &input.visibility_null, &n);

	memset(&out, 0, sizeof(out));
	out.room = Max(ARR_SIZE(names), 1024);
	out.data = palloc(out.room);
	out.nulls = palloc0((input.n + 7) / 8);
	if (rowfn_encoding() >= 0)
		redact_in_batches(&input, &out);
	else
		redact_by_value(&input, &out);
	PG_RETURN_ARRAYTYPE_P(make_array(names, input.n, &out));
}
