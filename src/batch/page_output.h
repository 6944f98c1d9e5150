/*-------------------------------------------------------------------------
 *
 * page_output.h
 *	  Output columns of page batches: how much room they get, and their values.
 *
 * IDENTIFICATION
 *	  src/batch/page_output.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_PAGE_OUTPUT_H
#define GPUSTR_PAGE_OUTPUT_H

#include "batch/batch.h"
#include "batch/output_room.h"

typedef struct GpustrPageOutput
{
	int32		nout;			/* output columns */
	uint32		page_bytes;		/* room of each in the next batch, per page */
	GpustrOutputRoom room;		/* what page_bytes follows */

	/* of the batch whose rows are handed out */
	const uint8 *validity[GPUSTR_MAX_OUT_COLUMNS];
	const int32 *offsets[GPUSTR_MAX_OUT_COLUMNS];
	const char *data[GPUSTR_MAX_OUT_COLUMNS];
} GpustrPageOutput;

/* long_values: expect values as long as those that they are made of. */
extern void gpustr_page_output_init(GpustrPageOutput *output, int32 nout, bool long_values);

/* Bytes that the columns take in a body for one page. */
extern uint32 gpustr_page_output_bytes(const GpustrPageOutput *output);

/* The most pages that a body holds; takes from the room if there were none. */
extern int32 gpustr_page_output_max_pages(GpustrPageOutput *output, uint32 body_bytes,
										  uint32 program_bytes);

/* A batch is through: see how much room the next one should have. */
extern void gpustr_page_output_learn(GpustrPageOutput *output, const GpustrBatch *batch);

/* Rows of this batch come next; also when its body has moved. */
extern void gpustr_page_output_point(GpustrPageOutput *output, const GpustrBatch *batch);

/* A value of row 'ordinal' of the batch; NULL if it is NULL. */
static inline const char *
gpustr_page_output_value(const GpustrPageOutput *output, int32 column, int32 ordinal,
						 int32 *len)
{
	int32		start = output->offsets[column][ordinal];

	if ((output->validity[column][ordinal / 8] & (1 << (ordinal % 8))) == 0)
		return NULL;
	*len = output->offsets[column][ordinal + 1] - start;
	return output->data[column] + start;
}

#endif							/* GPUSTR_PAGE_OUTPUT_H */
