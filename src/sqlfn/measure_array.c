/*-------------------------------------------------------------------------
 *
 * measure_array.c
 *	  The array forms of find, count_matches, edit_distance,
 *	  edit_distance_within and fuzzy_find: a column of texts, one argument for
 *	  all.
 *
 * The elements become rows of column batches, as many as a body holds, several
 * batches in flight.  An engine answers in decimal digits, as an output column
 * holds texts.  What it leaves to PostgreSQL (recheck) is computed here by the
 * scalar function, as are long elements, for which a cancel must be seen; so the
 * answers are the scalar function's.
 *
 * In encodings that row functions do not know all is computed here.
 *
 * IDENTIFICATION
 *	  src/sqlfn/measure_array.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "batch/batch_layout.h"
#include "compat.h"
#include "guc.h"
#include "program/program_builder.h"
#include "service/client.h"
#include "sqlfn/search.h"

/* Room for the program, beside the argument that all rows have in common. */
#define MEASURE_PROGRAM_BYTES 1024

/* Digits of an answer, and a sign. */
#define MEASURE_DIGITS 20

/* The most rows of one batch: bounds the requester's bookkeeping. */
#define MEASURE_MAX_ROWS (1024 * 1024)

/* Longer elements, and longer arguments, are not for batches. */
#define MEASURE_MAX_TEXT (64 * 1024)
#define MEASURE_MAX_WHAT 4096

PG_FUNCTION_INFO_V1(gpustr_find_array);
PG_FUNCTION_INFO_V1(gpustr_count_matches_array);
PG_FUNCTION_INFO_V1(gpustr_edit_distance_array);
PG_FUNCTION_INFO_V1(gpustr_edit_distance_within_array);
PG_FUNCTION_INFO_V1(gpustr_fuzzy_find_array);

/* A call. */
typedef struct MeasureCall
{
	GpustrTextFunction function;
	int32		encoding;
	int			n;
	Datum	   *value;
	bool	   *null;
	SearchBytes what;
	int32		number;			/* the third argument, if the function has one */
	Oid			result_type;
	Datum	   *result;			/* [n]; NULL where the value is */
} MeasureCall;

/* One batch in flight: rows [first, first + n). */
typedef struct MeasureBatch
{
	GpustrRequest *request;
	int			first;
	int			n;
} MeasureBatch;

static Datum
result_datum(const MeasureCall *call, int64 answer)
{
	if (call->result_type == INT8OID)
		return Int64GetDatum(answer);
	if (call->result_type == BOOLOID)
		return BoolGetDatum(answer != 0);
	return Int32GetDatum((int32) answer);
}

/* Compute a row here. */
static void
measure_row(MeasureCall *call, int row)
{
	SearchBytes hay = gpustr_search_bytes(call->value[row]);
	int64		answer;

	switch (call->function)
	{
		case GPUSTR_TEXT_FIND:
			answer = gpustr_find_one(hay, call->what, call->number, call->encoding);
			break;
		case GPUSTR_TEXT_COUNT_MATCHES:
			answer = gpustr_count_one(hay, call->what, call->encoding);
			break;
		case GPUSTR_TEXT_EDIT_DISTANCE:
			answer = gpustr_edit_distance_one(hay, call->what, call->encoding);
			break;
		case GPUSTR_TEXT_EDIT_WITHIN:
			answer = gpustr_edit_within_one(hay, call->what, call->number, call->encoding);
			break;
		default:
			answer = gpustr_fuzzy_find_one(hay, call->what, call->number, call->encoding);
			break;
	}
	call->result[row] = result_datum(call, answer);
}

static const GpustrProgram *
measure_program(const MeasureCall *call)
{
	GpustrProgramBuilder *builder = palloc(sizeof(GpustrProgramBuilder));
	Size		bytes = MEASURE_PROGRAM_BYTES + call->what.len;
	void	   *area = palloc(bytes);
	uint16		args[3];
	uint16		digits;

	gpustr_builder_init(builder, call->encoding, area, bytes);
	args[0] = gpustr_builder_column(builder, 0);
	args[1] = gpustr_builder_const_text(builder, GPUSTR_FALSE, call->what.data, call->what.len);
	args[2] = gpustr_builder_const_value(builder, GPUSTR_FALSE, call->number);
	args[0] = gpustr_builder_text_function(builder, call->function, args, NULL, 0);
	digits = gpustr_builder_text_function(builder, GPUSTR_TEXT_FROM_INT, args, NULL, 0);
	gpustr_builder_output_text(builder, 0, digits);
	if (gpustr_builder_finish(builder) == 0)
		elog(ERROR, "program for an array does not fit %zu bytes", bytes);
	pfree(builder);
	return area;
}

/* Bytes of a row; -1: it is not for a batch. */
static int32
row_bytes(const MeasureCall *call, int row)
{
	int32		bytes = call->null[row] ? 0 : gpustr_search_bytes(call->value[row]).len;

	return bytes <= MEASURE_MAX_TEXT ? bytes : -1;
}

/* Copy rows into the input column. */
static void
fill_column(const MeasureCall *call, GpustrBatch *body, int first, int n)
{
	uint8	   *validity = GPUSTR_BODY_PTR(body, body->column[0].validity_off, uint8);
	int32	   *offsets = GPUSTR_BODY_PTR(body, body->column[0].offsets_off, int32);
	char	   *data = GPUSTR_BODY_PTR(body, body->column[0].data_off, char);
	int32		used = 0;
	int			i;

	memset(validity, 0, (n + 7) / 8);
	for (i = 0; i < n; i++)
	{
		offsets[i] = used;
		if (!call->null[first + i])
		{
			SearchBytes b = gpustr_search_bytes(call->value[first + i]);

			validity[i / 8] |= (uint8) (1 << (i % 8));
			memcpy(data + used, b.data, b.len);
			used += b.len;
		}
	}
	offsets[n] = used;
}

/* Bytes that a body for n rows of 'data' bytes needs. */
static uint64
body_bytes(const GpustrProgram *program, int n, uint64 data)
{
	return gpustr_layout_columns_bytes(program->bytes, n, 1, &data, (uint64) n * MEASURE_DIGITS);
}

/*
 * Start the next batch: as many rows from 'first' on as a body holds, at least
 * one.  False if there is no body now (collect a batch first).
 */
static bool
start_batch(GpustrClient *client, const GpustrProgram *program, const MeasureCall *call,
			int first, MeasureBatch *batch)
{
	uint64		data = row_bytes(call, first);
	GpustrRequest *request = gpustr_request_acquire(client, body_bytes(program, 1, data));
	GpustrBatch *body;
	int			n = 1;

	if (request == NULL)
		return false;
	while (first + n < call->n && n < MEASURE_MAX_ROWS)
	{
		int32		bytes = row_bytes(call, first + n);

		if (bytes < 0 || body_bytes(program, n + 1, data + bytes) > gpustr_request_bytes(request))
			break;
		data += bytes;
		n++;
	}
	body = gpustr_layout_columns(gpustr_request_body(request), gpustr_request_bytes(request),
								 program, n, 1, &data, (uint64) n * MEASURE_DIGITS);
	fill_column(call, body, first, n);
	gpustr_request_submit(request);
	batch->request = request;
	batch->first = first;
	batch->n = n;
	return true;
}

/* The number that these digits are; none of the answers is negative. */
static int64
parse_digits(const char *digits, int32 n)
{
	int64		number = 0;
	int32		i;

	for (i = 0; i < n; i++)
		number = number * 10 + (digits[i] - '0');
	return number;
}

/* Take the results of a batch, and compute what the engine could not. */
static void
collect_batch(MeasureBatch *batch, MeasureCall *call)
{
	GpustrBatch *body;
	const uint32 *recheck;
	const int32 *offsets;
	const char *data;
	int			i;

	gpustr_request_wait(batch->request);
	body = gpustr_request_body(batch->request);
	recheck = GPUSTR_BODY_PTR(body, body->recheck_off, uint32);
	offsets = GPUSTR_BODY_PTR(body, body->out_column[0].offsets_off, int32);
	data = GPUSTR_BODY_PTR(body, body->out_column[0].data_off, char);
	for (i = 0; i < batch->n; i++)
	{
		if ((recheck[i / 32] >> (i % 32)) & 1)
		{
			CHECK_FOR_INTERRUPTS();
			measure_row(call, batch->first + i);
		}
		else if (!call->null[batch->first + i])
			call->result[batch->first + i] =
				result_datum(call, parse_digits(data + offsets[i], offsets[i + 1] - offsets[i]));
	}
	gpustr_request_release(batch->request);
}

/* Run all rows through an engine, batches in flight at a time. */
static void
measure_in_batches(MeasureCall *call)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "gpustr array", ALLOCSET_SMALL_SIZES);
	GpustrClient *client = gpustr_client_create(context);
	const GpustrProgram *program = measure_program(call);
	MeasureBatch flight[GPUSTR_MAX_BATCH_DEPTH];
	int			depth = gpustr_client_depth(client);
	int			head = 0;
	int			nflight = 0;
	int			row = 0;

	while (row < call->n || nflight > 0)
	{
		MeasureBatch *next = &flight[(head + nflight) % GPUSTR_MAX_BATCH_DEPTH];

		CHECK_FOR_INTERRUPTS();
		if (row < call->n && row_bytes(call, row) < 0)
		{
			measure_row(call, row++);
			continue;
		}
		if (row < call->n && nflight < depth && start_batch(client, program, call, row, next))
		{
			row += next->n;
			nflight++;
			continue;
		}
		collect_batch(&flight[head], call);
		head = (head + 1) % GPUSTR_MAX_BATCH_DEPTH;
		nflight--;
	}
	MemoryContextDelete(context);
}

static void
measure_by_value(MeasureCall *call)
{
	int			i;

	for (i = 0; i < call->n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!call->null[i])
			measure_row(call, i);
	}
}

/* All array forms: the elements' answers, in an array of the same shape. */
static Datum
measure_array(FunctionCallInfo fcinfo, GpustrTextFunction function, Oid result_type)
{
	ArrayType  *texts = PG_GETARG_ARRAYTYPE_P(0);
	MeasureCall call;
	int16		len;
	bool		byval;
	char		align;

	memset(&call, 0, sizeof(call));
	call.function = function;
	call.encoding = gpustr_search_encoding();
	call.what = gpustr_search_bytes(PointerGetDatum(PG_GETARG_TEXT_PP(1)));
	call.number = PG_NARGS() > 2 ? PG_GETARG_INT32(2) : 0;
	call.result_type = result_type;
	deconstruct_array(texts, TEXTOID, -1, false, TYPALIGN_INT, &call.value, &call.null, &call.n);
	call.result = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Datum) * Max(call.n, 1));
	if (call.encoding >= 0 && call.what.len <= MEASURE_MAX_WHAT)
		measure_in_batches(&call);
	else
		measure_by_value(&call);
	get_typlenbyvalalign(result_type, &len, &byval, &align);
	PG_RETURN_ARRAYTYPE_P(construct_md_array(call.result, call.null, ARR_NDIM(texts), ARR_DIMS(texts),
											 ARR_LBOUND(texts), result_type, len, byval, align));
}

/* gpustr.find(haystacks text[], pattern text, start int) -> int[].  Strict, as all here. */
Datum
gpustr_find_array(PG_FUNCTION_ARGS)
{
	return measure_array(fcinfo, GPUSTR_TEXT_FIND, INT4OID);
}

/* gpustr.count_matches(haystacks text[], pattern text) -> bigint[] */
Datum
gpustr_count_matches_array(PG_FUNCTION_ARGS)
{
	return measure_array(fcinfo, GPUSTR_TEXT_COUNT_MATCHES, INT8OID);
}

/* gpustr.edit_distance(texts text[], b text) -> int[] */
Datum
gpustr_edit_distance_array(PG_FUNCTION_ARGS)
{
	return measure_array(fcinfo, GPUSTR_TEXT_EDIT_DISTANCE, INT4OID);
}

/* gpustr.edit_distance_within(texts text[], b text, k int) -> boolean[] */
Datum
gpustr_edit_distance_within_array(PG_FUNCTION_ARGS)
{
	return measure_array(fcinfo, GPUSTR_TEXT_EDIT_WITHIN, BOOLOID);
}

/* gpustr.fuzzy_find(haystacks text[], pattern text, k int) -> int[] */
Datum
gpustr_fuzzy_find_array(PG_FUNCTION_ARGS)
{
	return measure_array(fcinfo, GPUSTR_TEXT_FUZZY_FIND, INT4OID);
}
