/*-------------------------------------------------------------------------
 *
 * batch_layout.h
 *	  Place the regions of a batch in a body.
 *
 * A requester lays a body out for the most that it may hold, fills it, and
 * then "closes" it with what it does hold.  Plain C; allocates nothing.
 *
 * IDENTIFICATION
 *	  src/batch/batch_layout.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_BATCH_LAYOUT_H
#define GPUSTR_BATCH_LAYOUT_H

#include "batch/batch.h"
#include "program/program.h"

/*
 * The most pages, all staged, that a page batch of this size can hold beside
 * 'nout' output columns of out_page_bytes for each page; may be 0.
 */
extern int32_t gpustr_layout_max_pages(uint32_t body_bytes, uint32_t program_bytes,
									   int32_t nout, uint32_t out_page_bytes);

/*
 * Lay out a page batch for up to 'max_pages' pages of GPUSTR_PAGE_MAX_ROWS
 * rows and copy the program in.  On return npages, nrows and nstaged are 0 and
 * row_start[0] is 0.  max_pages must not exceed gpustr_layout_max_pages().
 */
extern GpustrBatch *gpustr_layout_pages(void *body, uint32_t body_bytes,
										const GpustrProgram *program, int32_t max_pages,
										int32_t nout, uint32_t out_page_bytes);

/* The same in a body in which that very program has been laid out: it is not copied. */
extern GpustrBatch *gpustr_layout_pages_again(void *body, uint32_t body_bytes,
											  const GpustrProgram *program, int32_t max_pages,
											  int32_t nout, uint32_t out_page_bytes);

/*
 * Add a page with nlines >= 0 visible line pointers.  block >= 0: a block of
 * the shared buffer pool; -1: the page is staged, and the caller copies
 * GPUSTR_PAGE_BYTES to the address returned (NULL otherwise).
 */
extern void *gpustr_layout_add_page(GpustrBatch *batch, int32_t block,
									const uint16_t *lines, int32_t nlines);

/* Bytes that a column batch needs.  out_bytes: room for the output column's data. */
extern uint64_t gpustr_layout_columns_bytes(uint32_t program_bytes, int32_t nrows,
											int32_t ncolumns, const uint64_t *data_bytes,
											uint64_t out_bytes);

/*
 * Lay out a column batch of 'ncolumns' input columns with room for
 * data_bytes[i] bytes each, selection bitmaps, and an output column with room
 * for out_bytes (no output column if that is 0).  The caller fills validity,
 * offsets and data.  body_bytes must be at least
 * gpustr_layout_columns_bytes().
 */
extern GpustrBatch *gpustr_layout_columns(void *body, uint32_t body_bytes,
										  const GpustrProgram *program, int32_t nrows,
										  int32_t ncolumns, const uint64_t *data_bytes,
										  uint64_t out_bytes);

/*
 * What a join's batches bring back: how many result rows there is room for, of which
 * kinds the columns are, and how much room each text column has.
 */
typedef struct GpustrResultLayout
{
	int32_t		room;			/* rows, at least 1 */
	int			want_outer;		/* result_outer_off */
	int			want_inner;		/* result_inner_off */
	int32_t		ncolumns;
	uint8_t		is_text[GPUSTR_MAX_RESULT_COLUMNS];
	uint32_t	text_bytes[GPUSTR_MAX_RESULT_COLUMNS];
} GpustrResultLayout;

/* Bytes that the result regions take, rounded up as a body's regions are. */
extern uint64_t gpustr_layout_result_bytes(const GpustrResultLayout *result);

/*
 * A page batch for a program with RESULT steps: as gpustr_layout_pages(), without
 * output columns, and without a bitmap of selected rows.  max_pages: at most what
 * gpustr_layout_join_max_pages() says, which may be 0; or body_bytes is at least
 * gpustr_layout_join_pages_bytes().
 */
extern uint64_t gpustr_layout_join_pages_bytes(uint32_t program_bytes, int32_t max_pages,
											   const GpustrResultLayout *result);
extern int32_t gpustr_layout_join_max_pages(uint32_t body_bytes, uint32_t program_bytes,
											const GpustrResultLayout *result);
extern GpustrBatch *gpustr_layout_join_pages(void *body, uint32_t body_bytes,
											 const GpustrProgram *program, int32_t max_pages,
											 const GpustrResultLayout *result);

/* The same in a body in which that very program has been laid out: it is not copied. */
extern GpustrBatch *gpustr_layout_join_pages_again(void *body, uint32_t body_bytes,
												   const GpustrProgram *program, int32_t max_pages,
												   const GpustrResultLayout *result);

/* An input column of gpustr_layout_join_columns(). */
typedef struct GpustrInputLayout
{
	int32_t		is_text;
	uint64_t	bytes;			/* texts: room for their bytes */
} GpustrInputLayout;

/*
 * A column batch of texts and values, for a program of BUILD (result NULL) or one
 * with RESULT steps.  The caller fills validity, offsets and data; what will be said of
 * a table is all 0, which it never is once it has been said.  body_bytes must be
 * at least gpustr_layout_join_columns_bytes().
 */
extern uint64_t gpustr_layout_join_columns_bytes(uint32_t program_bytes, int32_t nrows,
												 int32_t ncolumns,
												 const GpustrInputLayout *column,
												 const GpustrResultLayout *result);
extern GpustrBatch *gpustr_layout_join_columns(void *body, uint32_t body_bytes,
											   const GpustrProgram *program, int32_t nrows,
											   int32_t ncolumns, const GpustrInputLayout *column,
											   const GpustrResultLayout *result);

#endif							/* GPUSTR_BATCH_LAYOUT_H */
