/*-------------------------------------------------------------------------
 *
 * host_decode.c
 *	  The steps that make registers from the input or from constants.
 *
 * Tuples are decoded in place, in the buffer pool or in a staged copy; their
 * bytes are hostile, and rowfn/heap_tuple.h looks at them.  A text register
 * that is made of them points into the page.
 *
 * IDENTIFICATION
 *	  src/engine/host_decode.c
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "engine/host_steps.h"
#include "rowfn/heap_tuple.h"

/* How many rows ahead tuples are asked for. */
#ifndef HOST_PREFETCH_ROWS
#define HOST_PREFETCH_ROWS 8
#endif

/* Set run->page[] for the rows of the chunk. */
void
gpustr_host_find_pages(HostRun *run)
{
	const int32_t *page = GPUSTR_BODY_PTR(run->body, run->batch->page_off, const int32_t);
	const int32_t *row_start = GPUSTR_BODY_PTR(run->body, run->batch->row_start_off, const int32_t);
	int32_t		p = run->page_cursor;
	int32_t		i = 0;

	while (i < run->nrows)
	{
		const char *at;
		int32_t		end;

		while (row_start[p + 1] <= run->row + i)
			p++;
		if (page[p] >= 0)
			at = (const char *) run->config->blocks + (size_t) page[p] * GPUSTR_PAGE_BYTES;
		else
			at = run->body + run->batch->staged_off + (size_t) (-1 - page[p]) * GPUSTR_PAGE_BYTES;
		end = row_start[p + 1] - run->row;
		if (end > run->nrows)
			end = run->nrows;
		for (; i < end; i++)
			run->page[i] = at;
	}
	run->page_cursor = p;
}

/*
 * Ask for a tuple that is decoded soon.  The line pointer may be anything, but
 * a prefetch of an address that is not there does nothing.
 */
static inline void
prefetch_tuple(const char *page, uint16_t line)
{
	uint32_t	at = ROWFN_PAGE_LINES - 4 + 4 * (uint32_t) line;

	if (at <= GPUSTR_PAGE_BYTES - 4)
	{
		const char *tuple = page + (ROWFN_LOAD(uint32_t, page + at) & 0x7FFF);

		__builtin_prefetch(tuple);
		__builtin_prefetch(tuple + 64);
		__builtin_prefetch(tuple + 128);
	}
}

/* Ask for the tuple that is decoded some rows after row r. */
static inline void
prefetch_ahead(const HostRun *run, const uint16_t *line, int32_t r)
{
	r += HOST_PREFETCH_ROWS;
	if (r < run->nrows)
		prefetch_tuple(run->page[r], line[r]);
}

/* DECODE_TEXT and DECODE_BYTES. */
void
gpustr_host_decode_text(HostRun *run, const GpustrStep *step)
{
	const GpustrAttr *attrs = GPUSTR_PROGRAM_ATTRS(run->program);
	const uint16_t *line = GPUSTR_BODY_PTR(run->body, run->batch->line_off, const uint16_t) + run->row;
	const char *program = (const char *) run->program;
	RowfnHeapStart start = rowfn_heap_start(attrs, step->attr);
	HostText   *out = &run->text[step->out];
	int32_t		w;

	for (w = 0; w < host_chunk_words(run); w++)
	{
		int32_t		n = host_word_rows(run, w);
		uint32_t	lo = 0;
		uint32_t	hi = 0;
		int32_t		i;

		for (i = 0; i < n; i++)
		{
			int32_t		r = w * 32 + i;
			int			state;

			prefetch_ahead(run, line, r);
			if (step->op == GPUSTR_OP_DECODE_TEXT)
				state = rowfn_heap_text(run->page[r], line[r], attrs, step->attr, start, program,
										&out->value[r], &out->len[r]);
			else
				state = rowfn_heap_bytes(run->page[r], line[r], attrs, step->attr, start, program,
										 step->aux, &out->value[r], &out->len[r]);
			lo |= (uint32_t) (state == ROWFN_HEAP_RECHECK) << i;
			hi |= (uint32_t) (state != ROWFN_HEAP_VALUE) << i;
		}
		out->state[w] = gpustr_truth_word(lo, hi);
	}
}

void
gpustr_host_decode_value(HostRun *run, const GpustrStep *step)
{
	const GpustrAttr *attrs = GPUSTR_PROGRAM_ATTRS(run->program);
	const uint16_t *line = GPUSTR_BODY_PTR(run->body, run->batch->line_off, const uint16_t) + run->row;
	const char *program = (const char *) run->program;
	RowfnHeapStart start = rowfn_heap_start(attrs, step->attr);
	HostValue  *out = &run->value[step->out];
	int32_t		w;

	for (w = 0; w < host_chunk_words(run); w++)
	{
		int32_t		n = host_word_rows(run, w);
		uint32_t	lo = 0;
		uint32_t	hi = 0;
		int32_t		i;

		for (i = 0; i < n; i++)
		{
			int32_t		r = w * 32 + i;
			int			state;

			prefetch_ahead(run, line, r);
			state = rowfn_heap_value(run->page[r], line[r], attrs, step->attr, start, program,
									 step->aux, &out->value[r]);
			lo |= (uint32_t) (state == ROWFN_HEAP_RECHECK) << i;
			hi |= (uint32_t) (state != ROWFN_HEAP_VALUE) << i;
		}
		out->state[w] = gpustr_truth_word(lo, hi);
	}
}

void
gpustr_host_decode_null(HostRun *run, const GpustrStep *step)
{
	const GpustrAttr *attrs = GPUSTR_PROGRAM_ATTRS(run->program);
	const uint16_t *line = GPUSTR_BODY_PTR(run->body, run->batch->line_off, const uint16_t) + run->row;
	HostBool   *out = &run->boolean[step->out];
	int32_t		r;

	memset(out, 0, sizeof(*out));
	for (r = 0; r < run->nrows; r++)
	{
		uint32_t	truth = (uint32_t) rowfn_heap_isnull(run->page[r], line[r], attrs, step->attr);

		out->word[r / 32].lo |= (truth & 1) << (r % 32);
		out->word[r / 32].hi |= (truth >> 1) << (r % 32);
	}
}

void
gpustr_host_column(HostRun *run, const GpustrStep *step)
{
	const GpustrColumn *column = &run->batch->column[step->attr];
	const unsigned char *validity = GPUSTR_BODY_PTR(run->body, column->validity_off, const unsigned char);
	const int32_t *offsets = GPUSTR_BODY_PTR(run->body, column->offsets_off, const int32_t) + run->row;
	const char *data = GPUSTR_BODY_PTR(run->body, column->data_off, const char);
	HostText   *out = &run->text[step->out];
	int32_t		w;
	int32_t		r;

	for (w = 0; w < host_chunk_words(run); w++)
		out->state[w] = gpustr_truth_word(0, 0);
	for (r = 0; r < run->nrows; r++)
	{
		int32_t		row = run->row + r;

		out->value[r] = data + offsets[r];
		out->len[r] = offsets[r + 1] - offsets[r];
		if (((validity[row / 8] >> (row % 8)) & 1) == 0)
			out->state[r / 32].hi |= 1u << (r % 32);
	}
}

void
gpustr_host_column_value(HostRun *run, const GpustrStep *step)
{
	const GpustrColumn *column = &run->batch->column[step->attr];
	const unsigned char *validity = GPUSTR_BODY_PTR(run->body, column->validity_off, const unsigned char) + run->row / 8;
	const int64_t *value = GPUSTR_BODY_PTR(run->body, column->data_off, const int64_t) + run->row;
	HostValue  *out = &run->value[step->out];
	int32_t		w;
	int32_t		r;

	memcpy(out->value, value, sizeof(int64_t) * (size_t) run->nrows);
	for (w = 0; w < host_chunk_words(run); w++)
		out->state[w] = gpustr_truth_word(0, 0);
	for (r = 0; r < run->nrows; r++)
		out->state[r / 32].hi |= (~(uint32_t) validity[r / 8] >> (r % 8) & 1) << (r % 32);
}

/* The state of a constant: alike in all rows. */
static GpustrTruthWord
const_state(const GpustrStep *step)
{
	return gpustr_truth_word(step->attr & 1 ? 0xFFFFFFFFu : 0, step->attr & 2 ? 0xFFFFFFFFu : 0);
}

void
gpustr_host_const(HostRun *run, const GpustrStep *step)
{
	int32_t		w;

	for (w = 0; w < HOST_CHUNK_WORDS; w++)
		run->boolean[step->out].word[w] = const_state(step);
}

void
gpustr_host_const_text(HostRun *run, const GpustrStep *step)
{
	HostText   *out = &run->text[step->out];
	const char *value = GPUSTR_PROGRAM_CONST(run->program, step);
	int32_t		i;

	for (i = 0; i < host_chunk_words(run); i++)
		out->state[i] = const_state(step);
	for (i = 0; i < run->nrows; i++)
	{
		out->value[i] = value;
		out->len[i] = (int32_t) step->const_bytes;
	}
}

void
gpustr_host_const_value(HostRun *run, const GpustrStep *step)
{
	HostValue  *out = &run->value[step->out];
	int64_t		value = *(const int64_t *) GPUSTR_PROGRAM_CONST(run->program, step);
	int32_t		i;

	for (i = 0; i < host_chunk_words(run); i++)
		out->state[i] = const_state(step);
	for (i = 0; i < run->nrows; i++)
		out->value[i] = value;
}
