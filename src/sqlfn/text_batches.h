/*-------------------------------------------------------------------------
 *
 * text_batches.h
 *	  Functions over whole arrays of texts, computed by an engine in batches.
 *
 * IDENTIFICATION
 *	  src/sqlfn/text_batches.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_SQLFN_TEXT_BATCHES_H
#define GPUSTR_SQLFN_TEXT_BATCHES_H

#include "utils/array.h"

#include "program/program_builder.h"

#define GPUSTR_TEXT_BATCH_COLUMNS 2

/* The bytes of a text value, whatever its header. */
typedef struct GpustrBytes
{
	const char *data;
	int32		len;
} GpustrBytes;

/*
 * A strict function of one text or two, what it is called with, row by row the elements of
 * as many arrays, and where its answers go.  The callbacks get no NULL: a row that has one
 * has no answer.
 */
typedef struct GpustrTextBatches
{
	int			ncolumns;
	int			n;				/* rows */
	Datum	   *value[GPUSTR_TEXT_BATCH_COLUMNS];
	bool	   *null[GPUSTR_TEXT_BATCH_COLUMNS];
	int32		longest;		/* bytes of an argument for a batch; -1: none
								 * is */
	Size		program_bytes;	/* room for the program */

	/* The steps: from columns 0, 1 to output column 0. */
	void		(*build) (GpustrProgramBuilder *builder, const void *context);

	/* The most bytes that an answer may have, of these arguments. */
	uint64		(*most_bytes) (const GpustrBytes *args, const void *context);

	/* An answer of the engine's. */
	void		(*take) (int row, GpustrBytes answer, void *context);

	/* A row that the engine leaves to us. */
	void		(*compute) (int row, const GpustrBytes *args, void *context);
	void	   *context;
} GpustrTextBatches;

extern GpustrBytes gpustr_bytes_of(Datum value);

/*
 * The database's encoding for row functions (GpustrEncoding); -1: one that they
 * do not know, where only PostgreSQL can say where a character ends.
 */
extern int32 gpustr_rowfn_encoding(void);

/* Copy bytes, and look for interrupts. */
extern void gpustr_copy(void *to, const void *from, Size bytes);

/* Take column 'i' out of an array of texts. */
extern void gpustr_text_batches_column(GpustrTextBatches *batches, int i, ArrayType *array);

/* Have all rows answered, in their order. */
extern void gpustr_text_batches_run(const GpustrTextBatches *batches);

#endif							/* GPUSTR_SQLFN_TEXT_BATCHES_H */
