/*-------------------------------------------------------------------------
 *
 * batch_layout.c
 *	  Place the regions of a batch in a body.
 *
 * A page batch:	header, program, page[], row_start[], line[],
 *					selected, recheck, output columns, staged pages
 * A column batch:	header, program, columns (validity, offsets, data each),
 *					selected, recheck, output column
 *
 * One for a join has, for selected and the output columns, what it brings back:
 * counts, outer rows, inner rows, rechecks, result columns.
 *
 * Offsets are fixed when the body is laid out, for the most that it may hold.
 * line[] is the last input before the staged pages, so that in_bytes can grow
 * with the pages that are added: an engine copies no more than is filled.
 *
 * IDENTIFICATION
 *	  src/batch/batch_layout.c
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "batch/batch_layout.h"

#define LAYOUT_ALIGN_UP(x) \
	(((uint64_t) (x) + (GPUSTR_BODY_ALIGN - 1)) & ~(uint64_t) (GPUSTR_BODY_ALIGN - 1))

/* Where the next region goes; 64 bits wide, so that a sum cannot wrap. */
typedef struct LayoutCursor
{
	uint64_t	off;
} LayoutCursor;

/* Place a region.  Returns its offset. */
static uint32_t
layout_place(LayoutCursor *cursor, uint64_t bytes)
{
	uint64_t	off = cursor->off;

	cursor->off = LAYOUT_ALIGN_UP(off + bytes);
	return (uint32_t) off;
}

/* Place header and program. */
static void
layout_start(LayoutCursor *cursor, GpustrBatch *batch, uint32_t program_bytes)
{
	cursor->off = 0;
	(void) layout_place(cursor, sizeof(GpustrBatch));
	batch->program_off = layout_place(cursor, program_bytes);
	batch->program_bytes = program_bytes;
}

/* Place the bitmaps of a selection. */
static void
layout_bitmaps(LayoutCursor *cursor, GpustrBatch *batch, int32_t nrows)
{
	uint64_t	bytes = 4 * (uint64_t) GPUSTR_BITMAP_WORDS(nrows);

	/* an empty bitmap still gets an offset of its own */
	if (bytes == 0)
		bytes = 4;
	batch->selected_off = layout_place(cursor, bytes);
	batch->recheck_off = layout_place(cursor, bytes);
}

/* Place a column. */
static void
layout_column(LayoutCursor *cursor, GpustrColumn *column, int32_t nrows, uint64_t data_bytes)
{
	column->validity_off = layout_place(cursor, ((uint64_t) nrows + 7) / 8);
	column->offsets_off = layout_place(cursor, 4 * ((uint64_t) nrows + 1));
	column->data_off = layout_place(cursor, data_bytes);
	column->data_bytes = (uint32_t) data_bytes;
}

/* Place all of a page batch.  Returns the bytes it needs. */
static uint64_t
layout_pages(GpustrBatch *batch, uint32_t program_bytes, int32_t max_pages,
			 int32_t nout, uint32_t out_page_bytes)
{
	LayoutCursor cursor;
	int32_t		max_rows = max_pages * GPUSTR_PAGE_MAX_ROWS;
	int32_t		i;

	layout_start(&cursor, batch, program_bytes);
	batch->page_off = layout_place(&cursor, 4 * (uint64_t) max_pages);
	batch->row_start_off = layout_place(&cursor, 4 * ((uint64_t) max_pages + 1));
	batch->line_off = layout_place(&cursor, 2 * (uint64_t) max_rows);
	layout_bitmaps(&cursor, batch, max_rows);
	batch->nout = nout;
	for (i = 0; i < nout; i++)
		layout_column(&cursor, &batch->out_column[i], max_rows,
					  (uint64_t) max_pages * out_page_bytes);
	batch->staged_off = layout_place(&cursor, (uint64_t) GPUSTR_PAGE_BYTES * (uint64_t) max_pages);
	return cursor.off;
}

/* Place all of a column batch.  Returns the bytes it needs. */
static uint64_t
layout_columns(GpustrBatch *batch, uint32_t program_bytes, int32_t nrows, int32_t ncolumns,
			   const uint64_t *data_bytes, uint64_t out_bytes)
{
	LayoutCursor cursor;
	int32_t		i;

	layout_start(&cursor, batch, program_bytes);
	for (i = 0; i < ncolumns; i++)
		layout_column(&cursor, &batch->column[i], nrows, data_bytes[i]);
	batch->in_bytes = (uint32_t) cursor.off;
	layout_bitmaps(&cursor, batch, nrows);
	batch->nout = out_bytes > 0;
	if (out_bytes > 0)
		layout_column(&cursor, &batch->out_column[0], nrows, out_bytes);
	return cursor.off;
}

/* Place a column of values. */
static void
layout_values(LayoutCursor *cursor, GpustrColumn *column, int32_t nrows)
{
	uint64_t	bytes = 8 * (uint64_t) nrows;

	column->validity_off = layout_place(cursor, ((uint64_t) nrows + 7) / 8);
	column->offsets_off = 0;
	column->data_off = layout_place(cursor, bytes);
	column->data_bytes = (uint32_t) bytes;
}

/* Place what a join brings back. */
static void
layout_result(LayoutCursor *cursor, GpustrBatch *batch, const GpustrResultLayout *result)
{
	int32_t		room = result->room;
	int32_t		i;

	batch->result_off = layout_place(cursor, sizeof(GpustrJoinResult));
	batch->result_room = room;
	batch->result_outer_off = result->want_outer ? layout_place(cursor, 4 * (uint64_t) room) : 0;
	batch->result_inner_off = result->want_inner ? layout_place(cursor, 4 * (uint64_t) room) : 0;
	batch->result_recheck_off = layout_place(cursor, 4 * (uint64_t) GPUSTR_BITMAP_WORDS(room));
	batch->nresult = result->ncolumns;
	for (i = 0; i < result->ncolumns; i++)
	{
		if (result->is_text[i])
			layout_column(cursor, &batch->result_column[i], room, result->text_bytes[i]);
		else
			layout_values(cursor, &batch->result_column[i], room);
	}
}

/* Place the results of a join's batch of up to max_rows rows. */
static void
layout_join_outputs(LayoutCursor *cursor, GpustrBatch *batch, int32_t max_rows,
					const GpustrResultLayout *result)
{
	uint64_t	bytes = 4 * (uint64_t) GPUSTR_BITMAP_WORDS(max_rows);

	batch->recheck_off = layout_place(cursor, bytes > 0 ? bytes : 4);
	layout_result(cursor, batch, result);
}

/* Place all of a join's page batch.  Returns the bytes it needs. */
static uint64_t
layout_join_pages(GpustrBatch *batch, uint32_t program_bytes, int32_t max_pages,
				  const GpustrResultLayout *result)
{
	LayoutCursor cursor;
	int32_t		max_rows = max_pages * GPUSTR_PAGE_MAX_ROWS;

	layout_start(&cursor, batch, program_bytes);
	batch->page_off = layout_place(&cursor, 4 * (uint64_t) max_pages);
	batch->row_start_off = layout_place(&cursor, 4 * ((uint64_t) max_pages + 1));
	batch->line_off = layout_place(&cursor, 2 * (uint64_t) max_rows);
	layout_join_outputs(&cursor, batch, max_rows, result);
	batch->staged_off = layout_place(&cursor, (uint64_t) GPUSTR_PAGE_BYTES * (uint64_t) max_pages);
	return cursor.off;
}

/* Place all of a join's column batch.  Returns the bytes it needs. */
static uint64_t
layout_join_columns(GpustrBatch *batch, uint32_t program_bytes, int32_t nrows, int32_t ncolumns,
					const GpustrInputLayout *column, const GpustrResultLayout *result)
{
	LayoutCursor cursor;
	int32_t		i;

	layout_start(&cursor, batch, program_bytes);
	for (i = 0; i < ncolumns; i++)
	{
		if (column[i].is_text)
			layout_column(&cursor, &batch->column[i], nrows, column[i].bytes);
		else
			layout_values(&cursor, &batch->column[i], nrows);
	}
	batch->in_bytes = (uint32_t) cursor.off;
	if (result != NULL)
		layout_join_outputs(&cursor, batch, nrows, result);
	else
		batch->table_off = layout_place(&cursor, sizeof(GpustrTableResult));
	return cursor.off;
}

int32_t
gpustr_layout_max_pages(uint32_t body_bytes, uint32_t program_bytes,
						int32_t nout, uint32_t out_page_bytes)
{
	GpustrBatch scratch;
	int32_t		low = 0;
	int32_t		high = (int32_t) (body_bytes / GPUSTR_PAGE_BYTES);

	/* the most pages whose layout fits; 0 pages is the answer if none does */
	while (low < high)
	{
		int32_t		mid = low + (high - low + 1) / 2;

		if (layout_pages(&scratch, program_bytes, mid, nout, out_page_bytes) <= body_bytes)
			low = mid;
		else
			high = mid - 1;
	}
	return low;
}

/* Fill in what all batches have in common, but for the program. */
static GpustrBatch *
layout_header(void *body, uint32_t body_bytes, GpustrBatchKind kind, const GpustrBatch *layout)
{
	GpustrBatch *batch = (GpustrBatch *) body;

	*batch = *layout;
	batch->magic = GPUSTR_BATCH_MAGIC;
	batch->kind = (uint32_t) kind;
	batch->body_bytes = body_bytes;
	return batch;
}

GpustrBatch *
gpustr_layout_pages_again(void *body, uint32_t body_bytes, const GpustrProgram *program,
						  int32_t max_pages, int32_t nout, uint32_t out_page_bytes)
{
	GpustrBatch layout;
	GpustrBatch *batch;

	memset(&layout, 0, sizeof(layout));
	(void) layout_pages(&layout, program->bytes, max_pages, nout, out_page_bytes);
	layout.in_bytes = layout.line_off;
	batch = layout_header(body, body_bytes, GPUSTR_BATCH_PAGES, &layout);
	GPUSTR_BODY_PTR(body, batch->row_start_off, int32_t)[0] = 0;
	return batch;
}

GpustrBatch *
gpustr_layout_pages(void *body, uint32_t body_bytes, const GpustrProgram *program,
					int32_t max_pages, int32_t nout, uint32_t out_page_bytes)
{
	GpustrBatch *batch = gpustr_layout_pages_again(body, body_bytes, program, max_pages,
												   nout, out_page_bytes);

	memcpy(GPUSTR_BODY_PTR(body, batch->program_off, char), program, program->bytes);
	return batch;
}

void *
gpustr_layout_add_page(GpustrBatch *batch, int32_t block, const uint16_t *lines, int32_t nlines)
{
	int32_t    *page = GPUSTR_BODY_PTR(batch, batch->page_off, int32_t);
	int32_t    *row_start = GPUSTR_BODY_PTR(batch, batch->row_start_off, int32_t);
	uint16_t   *line = GPUSTR_BODY_PTR(batch, batch->line_off, uint16_t);
	void	   *staged = NULL;

	if (nlines > 0)
		memcpy(line + batch->nrows, lines, 2 * (size_t) nlines);
	if (block < 0)
	{
		staged = GPUSTR_BODY_PTR(batch, batch->staged_off, char) +
			(size_t) batch->nstaged * GPUSTR_PAGE_BYTES;
		block = -1 - batch->nstaged;
		batch->nstaged++;
	}
	page[batch->npages++] = block;
	batch->nrows += nlines;
	row_start[batch->npages] = batch->nrows;
	batch->in_bytes = batch->line_off + 2 * (uint32_t) batch->nrows;
	return staged;
}

uint64_t
gpustr_layout_columns_bytes(uint32_t program_bytes, int32_t nrows, int32_t ncolumns,
							const uint64_t *data_bytes, uint64_t out_bytes)
{
	GpustrBatch scratch;

	return layout_columns(&scratch, program_bytes, nrows, ncolumns, data_bytes, out_bytes);
}

GpustrBatch *
gpustr_layout_columns(void *body, uint32_t body_bytes, const GpustrProgram *program,
					  int32_t nrows, int32_t ncolumns, const uint64_t *data_bytes,
					  uint64_t out_bytes)
{
	GpustrBatch layout;
	GpustrBatch *batch;

	memset(&layout, 0, sizeof(layout));
	(void) layout_columns(&layout, program->bytes, nrows, ncolumns, data_bytes, out_bytes);
	layout.nrows = nrows;
	layout.ncolumns = ncolumns;
	batch = layout_header(body, body_bytes, GPUSTR_BATCH_COLUMNS, &layout);
	memcpy(GPUSTR_BODY_PTR(body, batch->program_off, char), program, program->bytes);
	return batch;
}

uint64_t
gpustr_layout_result_bytes(const GpustrResultLayout *result)
{
	GpustrBatch scratch;
	LayoutCursor cursor = {0};

	layout_result(&cursor, &scratch, result);
	return cursor.off;
}

uint64_t
gpustr_layout_join_pages_bytes(uint32_t program_bytes, int32_t max_pages,
							   const GpustrResultLayout *result)
{
	GpustrBatch scratch;

	return layout_join_pages(&scratch, program_bytes, max_pages, result);
}

int32_t
gpustr_layout_join_max_pages(uint32_t body_bytes, uint32_t program_bytes,
							 const GpustrResultLayout *result)
{
	int32_t		low = 0;
	int32_t		high = (int32_t) (body_bytes / GPUSTR_PAGE_BYTES);

	while (low < high)
	{
		int32_t		mid = low + (high - low + 1) / 2;

		if (gpustr_layout_join_pages_bytes(program_bytes, mid, result) <= body_bytes)
			low = mid;
		else
			high = mid - 1;
	}
	return low;
}

GpustrBatch *
gpustr_layout_join_pages_again(void *body, uint32_t body_bytes, const GpustrProgram *program,
							   int32_t max_pages, const GpustrResultLayout *result)
{
	GpustrBatch layout;
	GpustrBatch *batch;

	memset(&layout, 0, sizeof(layout));
	(void) layout_join_pages(&layout, program->bytes, max_pages, result);
	layout.in_bytes = layout.line_off;
	batch = layout_header(body, body_bytes, GPUSTR_BATCH_PAGES, &layout);
	GPUSTR_BODY_PTR(body, batch->row_start_off, int32_t)[0] = 0;
	return batch;
}

GpustrBatch *
gpustr_layout_join_pages(void *body, uint32_t body_bytes, const GpustrProgram *program,
						 int32_t max_pages, const GpustrResultLayout *result)
{
	GpustrBatch *batch = gpustr_layout_join_pages_again(body, body_bytes, program, max_pages,
														result);

	memcpy(GPUSTR_BODY_PTR(body, batch->program_off, char), program, program->bytes);
	return batch;
}

uint64_t
gpustr_layout_join_columns_bytes(uint32_t program_bytes, int32_t nrows, int32_t ncolumns,
								 const GpustrInputLayout *column,
								 const GpustrResultLayout *result)
{
	GpustrBatch scratch;

	return layout_join_columns(&scratch, program_bytes, nrows, ncolumns, column, result);
}

GpustrBatch *
gpustr_layout_join_columns(void *body, uint32_t body_bytes, const GpustrProgram *program,
						   int32_t nrows, int32_t ncolumns, const GpustrInputLayout *column,
						   const GpustrResultLayout *result)
{
	GpustrBatch layout;
	GpustrBatch *batch;

	memset(&layout, 0, sizeof(layout));
	(void) layout_join_columns(&layout, program->bytes, nrows, ncolumns, column, result);
	layout.nrows = nrows;
	layout.ncolumns = ncolumns;
	batch = layout_header(body, body_bytes, GPUSTR_BATCH_COLUMNS, &layout);
	if (batch->table_off != 0)
		memset(GPUSTR_BODY_PTR(body, batch->table_off, char), 0, sizeof(GpustrTableResult));
	memcpy(GPUSTR_BODY_PTR(body, batch->program_off, char), program, program->bytes);
	return batch;
}
