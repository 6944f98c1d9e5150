/*-------------------------------------------------------------------------
 *
 * page_output.c
 *	  Output columns of page batches: how much room they get, and their values.
 *
 * How long the computed values will be is not known before, and a row for which
 * there is no room is PostgreSQL's to compute.  So a scan starts with room for
 * short values; more than that follows what the last batches have needed, up and
 * down (output_room.h), as long as a body holds a page with it: a larger one than
 * a slot would be local.
 *
 * IDENTIFICATION
 *	  src/batch/page_output.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "batch/batch_layout.h"
#include "batch/page_output.h"

/* Room of a column for each page: to begin with, and at most. */
#define FIRST_SHORT_BYTES 1024
#define FIRST_LONG_BYTES 8192
#define LEAST_PAGE_BYTES 64
#define MOST_PAGE_BYTES (64 * 1024)

void
gpustr_page_output_init(GpustrPageOutput *output, int32 nout, bool long_values)
{
	memset(output, 0, sizeof(*output));
	output->nout = nout;
	output->page_bytes = long_values ? FIRST_LONG_BYTES : FIRST_SHORT_BYTES;
	output_room_init(&output->room, output->page_bytes);
}

/* Bytes that columns of such room take for one page. */
static uint32
page_need(int32 nout, uint32 page_bytes)
{
	/* offsets, validity and what alignment takes, beside the values */
	return nout * (page_bytes + 5 * GPUSTR_PAGE_MAX_ROWS + 256);
}

uint32
gpustr_page_output_bytes(const GpustrPageOutput *output)
{
	return page_need(output->nout, output->page_bytes);
}

int32
gpustr_page_output_max_pages(GpustrPageOutput *output, uint32 body_bytes,
							 uint32 program_bytes)
{
	int32		pages = gpustr_layout_max_pages(body_bytes, program_bytes,
												output->nout, output->page_bytes);

	while (pages == 0 && output->page_bytes > LEAST_PAGE_BYTES)
	{
		output->page_bytes /= 2;
		pages = gpustr_layout_max_pages(body_bytes, program_bytes,
										output->nout, output->page_bytes);
	}
	return pages;
}

void
gpustr_page_output_learn(GpustrPageOutput *output, const GpustrBatch *batch)
{
	uint64		need = 0;
	uint32		bytes;
	int			i;

	if (batch->nout == 0)
		return;
	for (i = 0; i < batch->nout; i++)
	{
		const GpustrColumn *column = &batch->out_column[i];
		int32		used = GPUSTR_BODY_PTR(batch, column->offsets_off, int32)[batch->nrows];

		need = Max(need, (uint64) used);
	}
	output_room_note(&output->room, need, batch->npages);

	/* no more than half a body for a page */
	bytes = output_room_next(&output->room, MOST_PAGE_BYTES);
	while (bytes > output->room.least && page_need(output->nout, bytes) >= batch->body_bytes / 2)
		bytes /= 2;
	output->page_bytes = bytes;
}

void
gpustr_page_output_point(GpustrPageOutput *output, const GpustrBatch *batch)
{
	int			i;

	for (i = 0; i < batch->nout; i++)
	{
		const GpustrColumn *column = &batch->out_column[i];

		output->validity[i] = GPUSTR_BODY_PTR(batch, column->validity_off, uint8);
		output->offsets[i] = GPUSTR_BODY_PTR(batch, column->offsets_off, int32);
		output->data[i] = GPUSTR_BODY_PTR(batch, column->data_off, char);
	}
}
