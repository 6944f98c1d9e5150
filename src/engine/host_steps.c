/*-------------------------------------------------------------------------
 *
 * host_steps.c
 *	  The steps of a program, on the CPU, over a chunk of rows.
 *
 * One function a step, each a loop around a row function; the body has been
 * checked, so registers, constants and offsets are used as they are.  A value
 * is looked at only where the text register says that there is one.
 *
 * The only step that can fail is REDACT: the output column may be too small.
 *
 * IDENTIFICATION
 *	  src/engine/host_steps.c
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "engine/host_steps.h"
#include "rowfn/compare.h"
#include "rowfn/heap_tuple.h"
#include "rowfn/like.h"
#include "rowfn/redact.h"

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

static void
step_decode_text(HostRun *run, const GpustrStep *step)
{
	const GpustrAttr *attrs = GPUSTR_PROGRAM_ATTRS(run->program);
	const uint16_t *line = GPUSTR_BODY_PTR(run->body, run->batch->line_off, const uint16_t) + run->row;
	RowfnHeapStart start = rowfn_heap_start(attrs, step->attr);
	HostText   *out = &run->text[step->out];
	int32_t		w;

	for (w = 0; w < host_chunk_words(run); w++)
	{
		int32_t		first = w * 32;
		int32_t		n = run->nrows - first < 32 ? run->nrows - first : 32;
		uint32_t	lo = 0;
		uint32_t	hi = 0;
		int32_t		i;

		for (i = 0; i < n; i++)
		{
			int32_t		r = first + i;
			int			state;

			if (r + HOST_PREFETCH_ROWS < run->nrows)
				prefetch_tuple(run->page[r + HOST_PREFETCH_ROWS], line[r + HOST_PREFETCH_ROWS]);
			state = rowfn_heap_text(run->page[r], line[r], attrs, step->attr, start,
									(const char *) run->program, &out->value[r], &out->len[r]);
			lo |= (uint32_t) (state == ROWFN_HEAP_RECHECK) << i;
			hi |= (uint32_t) (state != ROWFN_HEAP_VALUE) << i;
		}
		out->state[w] = gpustr_truth_word(lo, hi);
	}
}

static void
step_decode_null(HostRun *run, const GpustrStep *step)
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

static void
step_column(HostRun *run, const GpustrStep *step)
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

static void
step_const(HostRun *run, const GpustrStep *step)
{
	HostBool   *out = &run->boolean[step->out];
	GpustrTruthWord word;
	int32_t		w;

	word = gpustr_truth_word(step->attr & 1 ? 0xFFFFFFFFu : 0, step->attr & 2 ? 0xFFFFFFFFu : 0);
	for (w = 0; w < HOST_CHUNK_WORDS; w++)
		out->word[w] = word;
}

static void
step_like(HostRun *run, const GpustrStep *step)
{
	const HostText *in = &run->text[step->in0];
	const void *pattern = GPUSTR_PROGRAM_CONST(run->program, step);
	HostBool   *out = &run->boolean[step->out];
	int32_t		encoding = run->program->encoding;
	int32_t		w;

	for (w = 0; w < host_chunk_words(run); w++)
	{
		GpustrTruthWord word = in->state[w];
		uint32_t	todo = ~word.hi & host_chunk_mask(run, w);

		while (todo != 0)
		{
			int32_t		bit = __builtin_ctz(todo);
			int32_t		r = w * 32 + bit;
			uint32_t	truth = (uint32_t) rowfn_like(in->value[r], in->len[r], pattern, encoding);

			word.lo |= (truth & 1) << bit;
			word.hi |= (truth >> 1) << bit;
			todo &= todo - 1;
		}
		out->word[w] = word;
	}
}

/* For one kind of fold, which is constant where this is inlined. */
ROWFN_INLINE void
ilike_of_kind(HostRun *run, const GpustrStep *step, RowfnFoldKind kind)
{
	const HostText *in = &run->text[step->in0];
	const GpustrFold *fold = (const GpustrFold *) GPUSTR_PROGRAM_CONST(run->program, step);
	const void *pattern = fold + 1;
	HostBool   *out = &run->boolean[step->out];
	int32_t		encoding = run->program->encoding;
	int32_t		w;

	for (w = 0; w < host_chunk_words(run); w++)
	{
		GpustrTruthWord word = in->state[w];
		uint32_t	todo = ~word.hi & host_chunk_mask(run, w);

		while (todo != 0)
		{
			int32_t		bit = __builtin_ctz(todo);
			int32_t		r = w * 32 + bit;
			uint32_t	truth = (uint32_t) rowfn_ilike(in->value[r], in->len[r], fold, kind, pattern,
													   encoding);

			word.lo |= (truth & 1) << bit;
			word.hi |= (truth >> 1) << bit;
			todo &= todo - 1;
		}
		out->word[w] = word;
	}
}

static void
step_ilike(HostRun *run, const GpustrStep *step)
{
	const GpustrFold *fold = (const GpustrFold *) GPUSTR_PROGRAM_CONST(run->program, step);

	if (rowfn_fold_kind(fold) == ROWFN_FOLD_ASCII)
		ilike_of_kind(run, step, ROWFN_FOLD_ASCII);
	else
		ilike_of_kind(run, step, ROWFN_FOLD_TABLE);
}

static void
step_text_eq(HostRun *run, const GpustrStep *step)
{
	const HostText *in = &run->text[step->in0];
	const char *value = GPUSTR_PROGRAM_CONST(run->program, step);
	HostBool   *out = &run->boolean[step->out];
	int32_t		w;

	for (w = 0; w < host_chunk_words(run); w++)
	{
		GpustrTruthWord word = in->state[w];
		uint32_t	todo = ~word.hi & host_chunk_mask(run, w);

		while (todo != 0)
		{
			int32_t		bit = __builtin_ctz(todo);
			int32_t		r = w * 32 + bit;

			word.lo |= (uint32_t) rowfn_text_eq(in->value[r], in->len[r], value,
												(int32_t) step->const_bytes) << bit;
			todo &= todo - 1;
		}
		out->word[w] = word;
	}
}

static void
step_logic(HostRun *run, const GpustrStep *step)
{
	const GpustrTruthWord *a = run->boolean[step->in0].word;
	const GpustrTruthWord *b = run->boolean[step->in1].word;
	GpustrTruthWord *out = run->boolean[step->out].word;
	int32_t		w;

	for (w = 0; w < host_chunk_words(run); w++)
	{
		if (step->op == GPUSTR_OP_AND)
			out[w] = gpustr_truth_and(a[w], b[w]);
		else if (step->op == GPUSTR_OP_OR)
			out[w] = gpustr_truth_or(a[w], b[w]);
		else if (step->op == GPUSTR_OP_QUAL)
			out[w] = gpustr_truth_qual(a[w], b[w]);
		else
			out[w] = gpustr_truth_not(a[w]);
	}
}

static void
step_select(HostRun *run, const GpustrStep *step)
{
	uint32_t   *selected = GPUSTR_BODY_PTR(run->body, run->batch->selected_off, uint32_t) + run->row / 32;
	uint32_t   *recheck = GPUSTR_BODY_PTR(run->body, run->batch->recheck_off, uint32_t) + run->row / 32;
	const GpustrTruthWord *in = run->boolean[step->in0].word;
	int32_t		w;

	for (w = 0; w < host_chunk_words(run); w++)
	{
		selected[w] = in[w].lo & ~in[w].hi & host_chunk_mask(run, w);
		recheck[w] |= in[w].lo & in[w].hi & host_chunk_mask(run, w);
	}
}

/*
 * A string that is read twice, and must be the same both times.  Bytes in a
 * page may change under us once the requester has given up; what the program
 * holds does not.
 */
static const char *
steady(const HostRun *run, const char *value, int32_t len, char *copy)
{
	if (run->batch->kind != GPUSTR_BATCH_PAGES || len > GPUSTR_PAGE_BYTES)
		return value;
	memcpy(copy, value, (size_t) len);
	return copy;
}

static EngineCode
step_redact(HostRun *run, const GpustrStep *step)
{
	const GpustrColumn *column = &run->batch->out_column;
	const HostText *name = &run->text[step->in0];
	const HostText *visibility = &run->text[step->in1];
	unsigned char *validity = GPUSTR_BODY_PTR(run->body, column->validity_off, unsigned char) + run->row / 8;
	int32_t    *offsets = GPUSTR_BODY_PTR(run->body, column->offsets_off, int32_t) + run->row;
	char	   *data = GPUSTR_BODY_PTR(run->body, column->data_off, char);
	uint32_t   *recheck = GPUSTR_BODY_PTR(run->body, run->batch->recheck_off, uint32_t) + run->row / 32;
	uint32_t	room = column->data_bytes < INT32_MAX ? column->data_bytes : INT32_MAX;
	int32_t		encoding = run->program->encoding;
	int32_t		r;

	memset(validity, 0, (size_t) (run->nrows + 7) / 8);
	for (r = 0; r < run->nrows; r++)
	{
		GpustrTruthWord a = name->state[r / 32];
		GpustrTruthWord b = visibility->state[r / 32];
		uint32_t	bit = 1u << (r % 32);

		offsets[r] = run->out_bytes;
		if ((a.lo | b.lo) & bit)
			recheck[r / 32] |= bit;
		else if (((a.hi | b.hi) & bit) == 0)
		{
			char		name_copy[GPUSTR_PAGE_BYTES];
			char		visibility_copy[GPUSTR_PAGE_BYTES];
			const char *n = steady(run, name->value[r], name->len[r], name_copy);
			const char *v = steady(run, visibility->value[r], visibility->len[r], visibility_copy);
			int32_t		bytes = rowfn_redact_bytes(n, name->len[r], v, visibility->len[r],
												   encoding);

			if ((uint32_t) bytes > room - (uint32_t) run->out_bytes)
				return gpustr_engine_error(run->error, ENGINE_BAD_INPUT,
										   "output column of %u bytes is too small",
										   column->data_bytes);
			rowfn_redact_write(n, name->len[r], v, visibility->len[r], encoding,
							   data + run->out_bytes);
			run->out_bytes += bytes;
			validity[r / 8] |= (unsigned char) (1 << (r % 8));
		}
	}
	offsets[r] = run->out_bytes;
	return ENGINE_OK;
}

EngineCode
gpustr_host_step(HostRun *run, const GpustrStep *step)
{
	switch ((GpustrOp) step->op)
	{
		case GPUSTR_OP_DECODE_TEXT:
			step_decode_text(run, step);
			break;
		case GPUSTR_OP_DECODE_NULL:
			step_decode_null(run, step);
			break;
		case GPUSTR_OP_COLUMN:
			step_column(run, step);
			break;
		case GPUSTR_OP_CONST:
			step_const(run, step);
			break;
		case GPUSTR_OP_LIKE:
			step_like(run, step);
			break;
		case GPUSTR_OP_ILIKE:
			step_ilike(run, step);
			break;
		case GPUSTR_OP_TEXT_EQ:
			step_text_eq(run, step);
			break;
		case GPUSTR_OP_AND:
		case GPUSTR_OP_OR:
		case GPUSTR_OP_NOT:
		case GPUSTR_OP_QUAL:
			step_logic(run, step);
			break;
		case GPUSTR_OP_SELECT:
			step_select(run, step);
			break;
		case GPUSTR_OP_REDACT:
			return step_redact(run, step);
		default:
			return gpustr_engine_error(run->error, ENGINE_BAD_INPUT, "operator %d", step->op);
	}
	return ENGINE_OK;
}
