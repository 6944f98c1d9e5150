/*-------------------------------------------------------------------------
 *
 * host_steps.h
 *	  The steps of a program, on the CPU, over a chunk of rows.
 *
 * Shared by engine_host.c, which takes a batch chunk by chunk, and
 * host_steps.c, which does the work of each step.
 *
 * A text register is, for each row of the chunk, a pointer and a length into
 * the page, the column or the program, and a truth word that says value
 * (false), null or recheck.  A bool register is truth words.
 *
 * Invariants:
 *	- a chunk starts at a multiple of 32 rows, so that it owns its words of
 *	  the result bitmaps;
 *	- bits of a register past the rows of the batch are arbitrary; they are
 *	  cleared when results are written.
 *
 * IDENTIFICATION
 *	  src/engine/host_steps.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_HOST_STEPS_H
#define GPUSTR_HOST_STEPS_H

#include "engine/engine.h"

/* Rows in a chunk; a multiple of 32. */
#ifndef HOST_CHUNK_ROWS
#define HOST_CHUNK_ROWS 256
#endif
#define HOST_CHUNK_WORDS (HOST_CHUNK_ROWS / 32)

/* A text register. */
typedef struct HostText
{
	const char *value[HOST_CHUNK_ROWS];
	int32_t		len[HOST_CHUNK_ROWS];
	GpustrTruthWord state[HOST_CHUNK_WORDS];	/* false: a value */
} HostText;

/* A bool register. */
typedef struct HostBool
{
	GpustrTruthWord word[HOST_CHUNK_WORDS];
} HostBool;

/* A request at work. */
typedef struct HostRun
{
	const EngineConfig *config;
	char	   *body;
	const GpustrBatch *batch;
	const GpustrProgram *program;
	EngineError *error;

	/* scratch */
	const char **page;			/* [HOST_CHUNK_ROWS]: the page of each row */
	HostText   *text;			/* [ntext] */
	HostBool   *boolean;		/* [nbool] */

	/* the chunk at hand */
	int32_t		row;			/* its first row */
	int32_t		nrows;
	int32_t		page_cursor;	/* page batch: the page of its first row */

	/* the output column */
	int32_t		out_bytes;		/* written so far */
} HostRun;

/* Rows of word w of the chunk that exist, as a mask. */
static inline uint32_t
host_chunk_mask(const HostRun *run, int32_t w)
{
	int32_t		left = run->nrows - w * 32;

	return left >= 32 ? 0xFFFFFFFFu : (1u << left) - 1;
}

static inline int32_t
host_chunk_words(const HostRun *run)
{
	return (run->nrows + 31) / 32;
}

/* Set run->page[] for the rows of the chunk of a page batch. */
extern void gpustr_host_find_pages(HostRun *run);

/*
 * Run one step over the chunk.  SELECT and REDACT add to the recheck bitmap,
 * which starts from 0.
 */
extern EngineCode gpustr_host_step(HostRun *run, const GpustrStep *step);

#endif							/* GPUSTR_HOST_STEPS_H */
