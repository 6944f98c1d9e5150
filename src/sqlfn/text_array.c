/*-------------------------------------------------------------------------
 *
 * text_array.c
 *	  Functions over whole arrays of texts that make an array of texts.
 *
 * The answers of text_batches.c, one after the other as arrays store them.
 *
 * IDENTIFICATION
 *	  src/sqlfn/text_array.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/memutils.h"

#include "sqlfn/text_array.h"

/* Room for the program: a few steps. */
#define PROGRAM_BYTES 512

/* The longest argument for a batch: nothing is asked while an engine is at one. */
#define LONGEST_TEXT (1024 * 1024)

/* The elements of the result array. */
typedef struct ArrayOutput
{
	const GpustrTextArray *function;
	char	   *data;			/* after the array's header and NULL bitmap */
	Size		used;
	Size		room;
	bits8	   *nulls;			/* [(n + 7) / 8], 1 where not NULL */
	int			nvalues;		/* that are not NULL */
} ArrayOutput;

/* A clear error before any arithmetic goes wrong. */
static void
check_array_bytes(Size bytes)
{
	if (bytes > MaxAllocSize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("array size exceeds the maximum allowed (%d)", (int) MaxAllocSize),
				 errhint("Redact fewer values at a time.")));
}

/* Row after row comes here. */
static void
output_append(int row, GpustrBytes answer, void *context)
{
	ArrayOutput *out = context;
	int32		len = answer.len;
	Size		need = INTALIGN(VARHDRSZ + len);
	text	   *element;

	if (out->used + need > out->room)
	{
		Size		room = Max(out->room * 2, out->used + need);

		check_array_bytes(out->used + need);
		out->room = Min(room, MaxAllocSize);
		out->data = repalloc(out->data, out->room);
	}
	element = (text *) (out->data + out->used);
	SET_VARSIZE(element, VARHDRSZ + len);
	gpustr_copy(VARDATA(element), answer.data, len);
	memset((char *) element + VARHDRSZ + len, 0, need - VARHDRSZ - len);
	out->used += need;
	out->nulls[row / 8] |= (bits8) (1 << (row % 8));
	out->nvalues++;
}

/* A row that is computed here. */
static void
output_compute(int row, const GpustrBytes *args, void *context)
{
	ArrayOutput *out = context;
	text	   *value = out->function->compute(args, out->function->context);

	output_append(row, gpustr_bytes_of(PointerGetDatum(value)), out);
	pfree(value);
}

static void
output_build(GpustrProgramBuilder *builder, const void *context)
{
	const ArrayOutput *out = context;

	out->function->build(builder, out->function->context);
}

static uint64
output_most_bytes(const GpustrBytes *args, const void *context)
{
	const ArrayOutput *out = context;

	return out->function->most_bytes(args, out->function->context);
}

/* An array of the dimensions of 'like' with the elements of 'out'. */
static ArrayType *
make_array(ArrayType *like, int n, const ArrayOutput *out)
{
	int			ndim = ARR_NDIM(like);
	bool		has_null = out->nvalues < n;
	Size		header = has_null ? ARR_OVERHEAD_WITHNULLS(ndim, n) :
	ARR_OVERHEAD_NONULLS(ndim);
	ArrayType  *array;

	check_array_bytes(header + out->used);
	array = palloc0(header + out->used);
	SET_VARSIZE(array, header + out->used);
	array->ndim = ndim;
	array->dataoffset = has_null ? header : 0;
	array->elemtype = TEXTOID;
	memcpy(ARR_DIMS(array), ARR_DIMS(like), ndim * sizeof(int));
	memcpy(ARR_LBOUND(array), ARR_LBOUND(like), ndim * sizeof(int));
	if (has_null)				/* the bitmap comes where data else begins */
		memcpy((char *) array + ARR_OVERHEAD_NONULLS(ndim), out->nulls, (n + 7) / 8);
	gpustr_copy(ARR_DATA_PTR(array), out->data, out->used);
	return array;
}

ArrayType *
gpustr_text_array_run(const GpustrTextArray *function, int narrays, ArrayType **arrays)
{
	ArrayType  *like = arrays[0];
	ArrayOutput out;
	GpustrTextBatches batches = {
		.ncolumns = narrays,
		.program_bytes = PROGRAM_BYTES,
		.longest = LONGEST_TEXT,
		.build = output_build,
		.most_bytes = output_most_bytes,
		.take = output_append,
		.compute = output_compute,
		.context = &out,
	};
	int			i;

	for (i = 0; i < narrays; i++)
		gpustr_text_batches_column(&batches, i, arrays[i]);
	memset(&out, 0, sizeof(out));
	out.function = function;
	out.room = Max(ARR_SIZE(like), 1024);
	out.data = palloc(out.room);
	out.nulls = palloc0((batches.n + 7) / 8);
	gpustr_text_batches_run(&batches);
	return make_array(like, batches.n, &out);
}
