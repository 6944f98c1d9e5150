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
 * A function that makes a text of one text or two, strict, and what it is called
 * with: row by row the elements of as many arrays.  The callbacks get no NULL.
 */
typedef struct GpustrTextBatches
{
	int			ncolumns;
	int			n;				/* rows */
	Datum	   *value[GPUSTR_TEXT_BATCH_COLUMNS];
	bool	   *null[GPUSTR_TEXT_BATCH_COLUMNS];

	/* The steps: from columns 0, 1 to output column 0. */
	void		(*build) (GpustrProgramBuilder *builder, const void *context);

	/* The most bytes that an answer may have, of these arguments. */
	uint64		(*most_bytes) (const GpustrBytes *args, const void *context);

	/* The answer, where the engine leaves it to us. */
	text	   *(*compute) (const GpustrBytes *args, const void *context);
	const void *context;
} GpustrTextBatches;

extern GpustrBytes gpustr_bytes_of(Datum value);

/* The database's encoding for row functions; -1: one that they do not know. */
extern int32 gpustr_rowfn_encoding(void);

/* Take column 'i' out of an array of texts. */
extern void gpustr_text_batches_column(GpustrTextBatches *batches, int i, ArrayType *array);

/* All answers, in an array of the dimensions of 'like'; NULL where an argument is. */
extern ArrayType *gpustr_text_batches_run(const GpustrTextBatches *batches, ArrayType *like);

#endif							/* GPUSTR_SQLFN_TEXT_BATCHES_H */
