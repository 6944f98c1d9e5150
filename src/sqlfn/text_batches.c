/*-------------------------------------------------------------------------
 *
 * text_batches.c
 *	  Functions over whole arrays of texts, computed by an engine in batches.
 *
 * Column batches are made of the arguments, as large as a body allows, and several
 * of them kept in flight; a row that the engine leaves to PostgreSQL (recheck),
 * or that is too large for any batch, is computed here.
 *
 * The engines, and so the row functions, know UTF-8 and single-byte encodings.
 * In others it is PostgreSQL's to say where a character ends (pg_mblen), and all
 * is computed value by value.
 *
 * IDENTIFICATION
 *	  src/sqlfn/text_batches.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "batch/batch_layout.h"
#include "compat.h"
#include "guc.h"
#include "service/client.h"
#include "sqlfn/text_batches.h"

/* Room for the program: a few steps. */
#define PROGRAM_BYTES 512

/* The most rows of one batch: bounds the requester's bookkeeping. */
#define MAX_ROWS (4 * 1024 * 1024)

/* There is an output column also where all its values are NULL or empty. */
#define LEAST_OUT_BYTES 8

/* One batch in flight: rows [first, first + n) of the input. */
typedef struct ColumnBatch
{
	GpustrRequest *request;
	int			first;
	int			n;
} ColumnBatch;

/* The elements of the result array, one after the other as arrays store them. */
typedef struct ArrayOutput
{
	char	   *data;			/* after the array's header and NULL bitmap */
	Size		used;
	Size		room;
	bits8	   *nulls;			/* [(n + 7) / 8], 1 where not NULL */
	bool		has_null;
} ArrayOutput;

GpustrBytes
gpustr_bytes_of(Datum value)
{
	struct varlena *v = (struct varlena *) DatumGetPointer(value);
	GpustrBytes b;

	b.data = VARDATA_ANY(v);
	b.len = VARSIZE_ANY_EXHDR(v);
	return b;
}

int32
gpustr_rowfn_encoding(void)
{
	if (pg_database_encoding_max_length() == 1)
		return GPUSTR_ENC_SINGLE_BYTE;
	return GetDatabaseEncoding() == PG_UTF8 ? GPUSTR_ENC_UTF8 : -1;
}

void
gpustr_text_batches_column(GpustrTextBatches *batches, int i, ArrayType *array)
{
	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT,
					  &batches->value[i], &batches->null[i], &batches->n);
}

static const GpustrProgram *
make_program(const GpustrTextBatches *batches, void *area)
{
	GpustrProgramBuilder *builder = palloc(sizeof(GpustrProgramBuilder));

	gpustr_builder_init(builder, gpustr_rowfn_encoding(), area, PROGRAM_BYTES);
	batches->build(builder, batches->context);
	if (gpustr_builder_finish(builder) == 0)
		elog(ERROR, "program does not fit %d bytes", PROGRAM_BYTES);
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
			GpustrBytes b = gpustr_bytes_of(value[i]);

			validity[i / 8] |= (uint8) (1 << (i % 8));
			memcpy(data + used, b.data, b.len);
			used += b.len;
		}
	}
	offsets[n] = used;
}

/* Bytes of each column, and of the result, of some rows. */
typedef struct RowsSize
{
	uint64		data[GPUSTR_TEXT_BATCH_COLUMNS];
	uint64		out;
} RowsSize;

/* The arguments of a row; false if one is NULL, and then of no bytes. */
static bool
row_args(const GpustrTextBatches *batches, int row, GpustrBytes *args)
{
	bool		all = true;
	int			i;

	for (i = 0; i < batches->ncolumns; i++)
	{
		if (batches->null[i][row])
		{
			args[i].data = NULL;
			args[i].len = 0;
			all = false;
		}
		else
			args[i] = gpustr_bytes_of(batches->value[i][row]);
	}
	return all;
}

static void
add_row_size(RowsSize *size, const GpustrTextBatches *batches, int row)
{
	GpustrBytes args[GPUSTR_TEXT_BATCH_COLUMNS];
	bool		all = row_args(batches, row, args);
	int			i;

	for (i = 0; i < batches->ncolumns; i++)
		size->data[i] += args[i].len;
	if (all)
		size->out += batches->most_bytes(args, batches->context);
}

static uint64
body_bytes(const GpustrTextBatches *batches, const GpustrProgram *program, int n,
		   const RowsSize *size)
{
	return gpustr_layout_columns_bytes(program->bytes, n, batches->ncolumns, size->data, size->out);
}

/*
 * Start the next batch: as many rows from 'first' on as a body holds, at least
 * one.  False if there is no body now (collect a batch first).
 */
static bool
start_batch(GpustrClient *client, const GpustrProgram *program,
			const GpustrTextBatches *batches, int first, ColumnBatch *batch)
{
	RowsSize	size = {{0, 0}, LEAST_OUT_BYTES};
	GpustrRequest *request;
	GpustrBatch *body;
	int			n = 1;
	int			i;

	add_row_size(&size, batches, first);
	request = gpustr_request_acquire(client, body_bytes(batches, program, 1, &size));
	if (request == NULL)
		return false;
	while (first + n < batches->n && n < MAX_ROWS)
	{
		RowsSize	next = size;

		add_row_size(&next, batches, first + n);
		if (body_bytes(batches, program, n + 1, &next) > gpustr_request_bytes(request))
			break;
		size = next;
		n++;
	}

	body = gpustr_layout_columns(gpustr_request_body(request), gpustr_request_bytes(request),
								 program, n, batches->ncolumns, size.data, size.out);
	for (i = 0; i < batches->ncolumns; i++)
		fill_column(body, &body->column[i], batches->value[i] + first, batches->null[i] + first, n);
	gpustr_request_submit(request);
	batch->request = request;
	batch->first = first;
	batch->n = n;
	return true;
}

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

static void
output_append(ArrayOutput *out, int row, const char *data, int32 len)
{
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
	memcpy(VARDATA(element), data, len);
	memset((char *) element + VARHDRSZ + len, 0, need - VARHDRSZ - len);
	out->used += need;
	out->nulls[row / 8] |= (bits8) (1 << (row % 8));
}

/* Compute a row here. */
static void
compute_row(const GpustrTextBatches *batches, int row, ArrayOutput *out)
{
	GpustrBytes args[GPUSTR_TEXT_BATCH_COLUMNS];
	text	   *value;

	if (!row_args(batches, row, args))
	{
		out->has_null = true;
		return;
	}
	value = batches->compute(args, batches->context);
	output_append(out, row, VARDATA(value), VARSIZE(value) - VARHDRSZ);
	pfree(value);
}

/* Take the results of a batch, and compute what the engine could not. */
static void
collect_batch(ColumnBatch *batch, const GpustrTextBatches *batches, ArrayOutput *out)
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
			compute_row(batches, batch->first + i, out);
		else if (validity[i / 8] & (1 << (i % 8)))
			output_append(out, batch->first + i, data + offsets[i], offsets[i + 1] - offsets[i]);
		else
			out->has_null = true;
	}
	gpustr_request_release(batch->request);
}

/* Is the row too large for any batch? */
static bool
is_oversize(const GpustrProgram *program, const GpustrTextBatches *batches, int row)
{
	RowsSize	size = {{0, 0}, LEAST_OUT_BYTES};

	add_row_size(&size, batches, row);
	return body_bytes(batches, program, 1, &size) > GPUSTR_MAX_BODY_BYTES;
}

/* Run all rows through an engine, batches in flight at a time. */
static void
run_in_batches(const GpustrTextBatches *batches, ArrayOutput *out)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "gpustr array", ALLOCSET_SMALL_SIZES);
	GpustrClient *client = gpustr_client_create(context);
	uint64		area[PROGRAM_BYTES / sizeof(uint64)];
	const GpustrProgram *program = make_program(batches, area);
	ColumnBatch flight[GPUSTR_MAX_BATCH_DEPTH];
	int			depth = gpustr_client_depth(client);
	int			head = 0;
	int			nflight = 0;
	int			row = 0;

	while (row < batches->n || nflight > 0)
	{
		ColumnBatch *next = &flight[(head + nflight) % GPUSTR_MAX_BATCH_DEPTH];

		CHECK_FOR_INTERRUPTS();
		if (row < batches->n && is_oversize(program, batches, row))
		{
			if (nflight == 0)
			{
				compute_row(batches, row++, out);
				continue;
			}
		}
		else if (row < batches->n && nflight < depth &&
				 start_batch(client, program, batches, row, next))
		{
			row += next->n;
			nflight++;
			continue;
		}
		collect_batch(&flight[head], batches, out);
		head = (head + 1) % GPUSTR_MAX_BATCH_DEPTH;
		nflight--;
	}
	MemoryContextDelete(context);
}

/* The same, value by value, for encodings that engines do not know. */
static void
run_by_value(const GpustrTextBatches *batches, ArrayOutput *out)
{
	int			i;

	for (i = 0; i < batches->n; i++)
		compute_row(batches, i, out);
}

/* An array of the dimensions of 'like' with the elements of 'out'. */
static ArrayType *
make_array(ArrayType *like, int n, const ArrayOutput *out)
{
	int			ndim = ARR_NDIM(like);
	Size		header = out->has_null ? ARR_OVERHEAD_WITHNULLS(ndim, n) :
	ARR_OVERHEAD_NONULLS(ndim);
	ArrayType  *array;

	check_array_bytes(header + out->used);
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

ArrayType *
gpustr_text_batches_run(const GpustrTextBatches *batches, ArrayType *like)
{
	ArrayOutput out;

	memset(&out, 0, sizeof(out));
	out.room = Max(ARR_SIZE(like), 1024);
	out.data = palloc(out.room);
	out.nulls = palloc0((batches->n + 7) / 8);
	if (gpustr_rowfn_encoding() >= 0)
		run_in_batches(batches, &out);
	else
		run_by_value(batches, &out);
	return make_array(like, batches->n, &out);
}
