/*-------------------------------------------------------------------------
 *
 * measure_array.c
 *	  The array forms of find, count_matches, edit_distance,
 *	  edit_distance_within and fuzzy_find: a column of texts, one argument for
 *	  all.
 *
 * The elements go through an engine in batches (text_batches.h).  An engine answers in
 * decimal digits, as an output column holds texts.  What it leaves to PostgreSQL
 * (recheck) is computed here by the scalar function, as are long elements, for
 * which a cancel must be seen; so the answers are the scalar function's.
 *
 * IDENTIFICATION
 *	  src/sqlfn/measure_array.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "compat.h"
#include "sqlfn/search.h"

/* Room for the program, beside the argument that all rows have in common. */
#define MEASURE_PROGRAM_BYTES 1024

/* Digits of an answer, and a sign. */
#define MEASURE_DIGITS 20

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
	GpustrBytes what;
	int32		number;			/* the third argument, if the function has one */
	Oid			result_type;
	Datum	   *result;			/* of each row; not set where that is NULL */
} MeasureCall;

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
measure_row(int row, const GpustrBytes *args, void *context)
{
	MeasureCall *call = context;
	int32		encoding = gpustr_rowfn_encoding();
	int64		answer;

	switch (call->function)
	{
		case GPUSTR_TEXT_FIND:
			answer = gpustr_find_one(args[0], call->what, call->number, encoding);
			break;
		case GPUSTR_TEXT_COUNT_MATCHES:
			answer = gpustr_count_one(args[0], call->what, encoding);
			break;
		case GPUSTR_TEXT_EDIT_DISTANCE:
			answer = gpustr_edit_distance_one(args[0], call->what, encoding);
			break;
		case GPUSTR_TEXT_EDIT_WITHIN:
			answer = gpustr_edit_within_one(args[0], call->what, call->number, encoding);
			break;
		default:
			answer = gpustr_fuzzy_find_one(args[0], call->what, call->number, encoding);
			break;
	}
	call->result[row] = result_datum(call, answer);
}

static void
measure_build(GpustrProgramBuilder *builder, const void *context)
{
	const MeasureCall *call = context;
	uint16		args[3];

	args[0] = gpustr_builder_column(builder, 0);
	args[1] = gpustr_builder_const_text(builder, GPUSTR_FALSE, call->what.data, call->what.len);
	args[2] = gpustr_builder_const_value(builder, GPUSTR_FALSE, call->number);
	args[0] = gpustr_builder_text_function(builder, call->function, args, NULL, 0);
	gpustr_builder_output_text(builder, 0,
							   gpustr_builder_text_function(builder, GPUSTR_TEXT_FROM_INT, args, NULL, 0));
}

static uint64
measure_most_bytes(const GpustrBytes *args, const void *context)
{
	return MEASURE_DIGITS;
}

/* The engine's answer: the digits of a number; none of them is negative. */
static void
measure_take(int row, GpustrBytes answer, void *context)
{
	MeasureCall *call = context;
	int64		number = 0;
	int32		i;

	for (i = 0; i < answer.len; i++)
		number = number * 10 + (answer.data[i] - '0');
	call->result[row] = result_datum(call, number);
}

/* All array forms: the elements' answers, in an array of the same shape. */
static Datum
measure_array(FunctionCallInfo fcinfo, GpustrTextFunction function, Oid result_type)
{
	ArrayType  *texts = PG_GETARG_ARRAYTYPE_P(0);
	MeasureCall call = {
		.function = function,
		.what = gpustr_bytes_of(PointerGetDatum(PG_GETARG_TEXT_PP(1))),
		.number = PG_NARGS() > 2 ? PG_GETARG_INT32(2) : 0,
		.result_type = result_type,
	};
	GpustrTextBatches batches = {
		.ncolumns = 1,
		.longest = call.what.len <= MEASURE_MAX_WHAT ? MEASURE_MAX_TEXT : -1,
		.program_bytes = MEASURE_PROGRAM_BYTES + call.what.len,
		.build = measure_build,
		.most_bytes = measure_most_bytes,
		.take = measure_take,
		.compute = measure_row,
		.context = &call,
	};
	int16		len;
	bool		byval;
	char		align;

	gpustr_text_batches_column(&batches, 0, texts);
	call.result = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Datum) * Max(batches.n, 1));
	gpustr_text_batches_run(&batches);
	get_typlenbyvalalign(result_type, &len, &byval, &align);
	PG_RETURN_ARRAYTYPE_P(construct_md_array(call.result, batches.null[0], ARR_NDIM(texts), ARR_DIMS(texts),
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
