/*-------------------------------------------------------------------------
 *
 * text_batches.c
 *	  Functions over whole arrays of texts, computed by an engine in batches.
 *
 * Column batches are made of the arguments, as large as a body allows, and several
 * of them kept in flight; a row that the engine leaves to PostgreSQL (recheck),
 * or that is too long for a batch, is computed here.  Answers come in the order of
 * the rows.
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

/* The most rows of one batch: bounds the requester's bookkeeping. */
#define MAX_ROWS (1024 * 1024)

/* There is an output column also where all its values are NULL or empty. */
#define LEAST_OUT_BYTES 8

/* Bytes that are copied between two looks for interrupts. */
#define COPY_STEP (16 * 1024 * 1024)

/* One batch in flight: rows [first, first + n) of the input. */
typedef struct ColumnBatch
{
	GpustrRequest *request;
	int			first;
	int			n;
} ColumnBatch;

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
gpustr_copy(void *to, const void *from, Size bytes)
{
	Size		at;

	for (at = 0; at < bytes; at += COPY_STEP)
	{
		CHECK_FOR_INTERRUPTS();
		memcpy((char *) to + at, (const char *) from + at, Min(bytes - at, COPY_STEP));
	}
}

void
gpustr_text_batches_column(GpustrTextBatches *batches, int i, ArrayType *array)
{
	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT,
					  &batches->value[i], &batches->null[i], &batches->n);
}

static const GpustrProgram *
make_program(const GpustrTextBatches *batches)
{
	GpustrProgramBuilder *builder = palloc(sizeof(GpustrProgramBuilder));
	void	   *area = palloc(batches->program_bytes);

	gpustr_builder_init(builder, gpustr_rowfn_encoding(), area, batches->program_bytes);
	batches->build(builder, batches->context);
	if (gpustr_builder_finish(builder) == 0)
		elog(ERROR, "program does not fit %zu bytes", batches->program_bytes);
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

/* Is the row too long for a batch? */
static bool
is_oversize(const GpustrTextBatches *batches, int row)
{
	GpustrBytes args[GPUSTR_TEXT_BATCH_COLUMNS];
	bool		oversize = false;
	int			i;

	(void) row_args(batches, row, args);
	for (i = 0; i < batches->ncolumns; i++)
		oversize |= args[i].len > batches->longest;
	return oversize;
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
	while (first + n < batches->n && n < MAX_ROWS && !is_oversize(batches, first + n))
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

/* Compute a row here. */
static void
compute_row(const GpustrTextBatches *batches, int row)
{
	GpustrBytes args[GPUSTR_TEXT_BATCH_COLUMNS];

	CHECK_FOR_INTERRUPTS();
	if (row_args(batches, row, args))
		batches->compute(row, args, batches->context);
}

/* Take the results of a batch, and compute what the engine could not. */
static void
collect_batch(ColumnBatch *batch, const GpustrTextBatches *batches)
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
		GpustrBytes answer = {data + offsets[i], offsets[i + 1] - offsets[i]};

		if ((recheck[i / 32] >> (i % 32)) & 1)
			compute_row(batches, batch->first + i);
		else if (validity[i / 8] & (1 << (i % 8)))
			batches->take(batch->first + i, answer, batches->context);
	}
	gpustr_request_release(batch->request);
}

/* Run all rows through an engine, batches in flight at a time. */
static void
run_in_batches(const GpustrTextBatches *batches)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "gpustr array", ALLOCSET_SMALL_SIZES);
	GpustrClient *client = gpustr_client_create(context);
	const GpustrProgram *program = make_program(batches);
	ColumnBatch flight[GPUSTR_MAX_BATCH_DEPTH];
	int			depth = gpustr_client_depth(client);
	int			head = 0;
	int			nflight = 0;
	int			row = 0;

	while (row < batches->n || nflight > 0)
	{
		ColumnBatch *next = &flight[(head + nflight) % GPUSTR_MAX_BATCH_DEPTH];

		CHECK_FOR_INTERRUPTS();
		if (row < batches->n && is_oversize(batches, row))
		{
			if (nflight == 0)
			{
				compute_row(batches, row++);
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
		collect_batch(&flight[head], batches);
		head = (head + 1) % GPUSTR_MAX_BATCH_DEPTH;
		nflight--;
	}
	MemoryContextDelete(context);
}

void
gpustr_text_batches_run(const GpustrTextBatches *batches)
{
	int			row;

	if (gpustr_rowfn_encoding() >= 0 && batches->longest >= 0)
		run_in_batches(batches);
	else
		for (row = 0; row < batches->n; row++)
			compute_row(batches, row);
}
