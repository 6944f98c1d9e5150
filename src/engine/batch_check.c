/*-------------------------------------------------------------------------
 *
 * batch_check.c
 *	  Is a body well-formed, so that an engine may use it unchecked?
 *
 * First the program, then the regions of the batch: each is aligned, lies
 * within the body, and does not overlap another; those that are input lie
 * within in_bytes.  Then what the engines index by: row_start[], page numbers
 * and text offsets.  Constants are checked too, compiled patterns included.
 *
 * Not checked: the contents of pages and line pointers (hostile, see
 * rowfn/heap_tuple.h), and whether a block of the buffer pool exists, which
 * only the engine knows.
 *
 * The cost is a pass over row_start[], page[] and offsets[].
 *
 * Compiled into both engines.
 *
 * IDENTIFICATION
 *	  src/engine/batch_check.c
 *
 *-------------------------------------------------------------------------
 */
#include <stdarg.h>
#include <stdio.h>

#include "engine/engine.h"
#include "rowfn/like.h"

/* header, program, page batch (4), results (2 + 3), columns (3 each) */
#define CHECK_MAX_REGIONS (2 + 4 + 5 + 3 * GPUSTR_MAX_COLUMNS)

typedef struct CheckRegion
{
	uint64_t	off;
	uint64_t	bytes;
} CheckRegion;

typedef struct CheckState
{
	const GpustrBatch *batch;
	EngineError *error;
	int			nregions;
	CheckRegion region[CHECK_MAX_REGIONS];	/* by offset, none empty */
} CheckState;

/* What a step reads and makes; NO_REG where it does neither. */
typedef enum CheckRegister
{
	NO_REG,
	TEXT_REG,
	BOOL_REG
} CheckRegister;

typedef struct CheckOp
{
	CheckRegister out;
	CheckRegister in0;
	CheckRegister in1;
} CheckOp;

/* By GpustrOp. */
static const CheckOp check_ops[GPUSTR_OP_LAST + 1] = {
	[GPUSTR_OP_DECODE_TEXT] = {TEXT_REG, NO_REG, NO_REG},
	[GPUSTR_OP_DECODE_NULL] = {BOOL_REG, NO_REG, NO_REG},
	[GPUSTR_OP_COLUMN] = {TEXT_REG, NO_REG, NO_REG},
	[GPUSTR_OP_CONST] = {BOOL_REG, NO_REG, NO_REG},
	[GPUSTR_OP_LIKE] = {BOOL_REG, TEXT_REG, NO_REG},
	[GPUSTR_OP_ILIKE] = {BOOL_REG, TEXT_REG, NO_REG},
	[GPUSTR_OP_TEXT_EQ] = {BOOL_REG, TEXT_REG, NO_REG},
	[GPUSTR_OP_AND] = {BOOL_REG, BOOL_REG, BOOL_REG},
	[GPUSTR_OP_OR] = {BOOL_REG, BOOL_REG, BOOL_REG},
	[GPUSTR_OP_NOT] = {BOOL_REG, BOOL_REG, NO_REG},
	[GPUSTR_OP_QUAL] = {BOOL_REG, BOOL_REG, BOOL_REG},
	[GPUSTR_OP_SELECT] = {NO_REG, BOOL_REG, NO_REG},
	[GPUSTR_OP_REDACT] = {NO_REG, TEXT_REG, TEXT_REG}
};

EngineCode
gpustr_engine_error(EngineError *error, EngineCode code, const char *format,...)
{
	va_list		args;

	error->code = code;
	va_start(args, format);
	(void) vsnprintf(error->message, sizeof(error->message), format, args);
	va_end(args);
	return code;
}

/*
 * Take a region into account: within 'limit' bytes, and apart from those
 * before.
 */
static EngineCode
check_region(CheckState *check, const char *name, uint32_t off, uint64_t bytes, uint64_t limit)
{
	int			i;

	if (off % GPUSTR_BODY_ALIGN != 0)
		return gpustr_engine_error(check->error, ENGINE_BAD_INPUT,
								   "%s at offset %u is not aligned", name, off);
	if (off > limit || bytes > limit - off)
		return gpustr_engine_error(check->error, ENGINE_BAD_INPUT,
								   "%s at offset %u, %llu bytes, ends after %llu", name, off,
								   (unsigned long long) bytes, (unsigned long long) limit);
	if (bytes == 0)
		return ENGINE_OK;
	for (i = check->nregions; i > 0 && check->region[i - 1].off > off; i--)
		check->region[i] = check->region[i - 1];
	check->region[i].off = off;
	check->region[i].bytes = bytes;
	check->nregions++;
	if ((i > 0 && check->region[i - 1].off + check->region[i - 1].bytes > off) ||
		(i + 1 < check->nregions && off + bytes > check->region[i + 1].off))
		return gpustr_engine_error(check->error, ENGINE_BAD_INPUT,
								   "%s at offset %u overlaps another region", name, off);
	return ENGINE_OK;
}

/* Take the regions of a column into account. */
static EngineCode
check_column(CheckState *check, const char *name, const GpustrColumn *column, uint64_t limit)
{
	uint64_t	nrows = (uint64_t) check->batch->nrows;

	if (check_region(check, name, column->validity_off, (nrows + 7) / 8, limit) != ENGINE_OK ||
		check_region(check, name, column->offsets_off, 4 * (nrows + 1), limit) != ENGINE_OK ||
		check_region(check, name, column->data_off, column->data_bytes, limit) != ENGINE_OK)
		return ENGINE_BAD_INPUT;
	return ENGINE_OK;
}

/* A range of the program, from a multiple of 8. */
static int
program_range_ok(const GpustrProgram *program, uint32_t off, uint64_t bytes)
{
	return off % 8 == 0 && off <= program->bytes && bytes <= program->bytes - off;
}

static EngineCode
check_program_shape(const GpustrProgram *program, uint32_t program_bytes, EngineError *error)
{
	const GpustrAttr *attrs;
	int32_t		i;

	if (program_bytes < sizeof(GpustrProgram) || program->bytes != program_bytes)
		return gpustr_engine_error(error, ENGINE_BAD_INPUT, "program of the wrong size");
	if (program->encoding != GPUSTR_ENC_SINGLE_BYTE && program->encoding != GPUSTR_ENC_UTF8)
		return gpustr_engine_error(error, ENGINE_BAD_INPUT, "unknown encoding %d",
								   program->encoding);
	if (program->nsteps < 0 || program->nsteps > GPUSTR_MAX_STEPS ||
		program->ntext < 0 || program->ntext > GPUSTR_MAX_TEXT_REGS ||
		program->nbool < 0 || program->nbool > GPUSTR_MAX_BOOL_REGS ||
		program->nattrs < 0)
		return gpustr_engine_error(error, ENGINE_BAD_INPUT, "too many steps or registers");
	if (!program_range_ok(program, program->step_off,
						  (uint64_t) program->nsteps * sizeof(GpustrStep)) ||
		!program_range_ok(program, program->attr_off,
						  (uint64_t) program->nattrs * sizeof(GpustrAttr)))
		return gpustr_engine_error(error, ENGINE_BAD_INPUT,
								   "steps or attributes outside of the program");
	attrs = GPUSTR_PROGRAM_ATTRS(program);
	for (i = 0; i < program->nattrs; i++)
	{
		const GpustrAttr *a = &attrs[i];

		if ((a->len <= 0 && a->len != -1 && a->len != -2) ||
			(a->align != 1 && a->align != 2 && a->align != 4 && a->align != 8) ||
			a->missing > 2 ||
			(a->missing == 1 && !program_range_ok(program, a->missing_off, a->missing_bytes)))
			return gpustr_engine_error(error, ENGINE_BAD_INPUT, "bad attribute %d", i + 1);
	}
	return ENGINE_OK;
}

/* Is what the step has besides registers in order? */
static int
step_arguments_ok(const GpustrBatch *batch, const GpustrProgram *program, const GpustrStep *step)
{
	switch (step->op)
	{
		case GPUSTR_OP_DECODE_TEXT:
		case GPUSTR_OP_DECODE_NULL:
			return batch->kind == GPUSTR_BATCH_PAGES &&
				step->attr >= 1 && step->attr <= program->nattrs;
		case GPUSTR_OP_COLUMN:
			return batch->kind == GPUSTR_BATCH_COLUMNS &&
				step->attr >= 0 && step->attr < batch->ncolumns;
		case GPUSTR_OP_CONST:
			return step->attr >= GPUSTR_FALSE && step->attr <= GPUSTR_RECHECK;
		case GPUSTR_OP_LIKE:
			return program_range_ok(program, step->const_off, step->const_bytes) &&
				rowfn_like_check(GPUSTR_PROGRAM_CONST(program, step), step->const_bytes);
		case GPUSTR_OP_ILIKE:
			return program_range_ok(program, step->const_off, step->const_bytes) &&
				step->const_bytes >= sizeof(GpustrFold) &&
				rowfn_fold_check((const GpustrFold *) GPUSTR_PROGRAM_CONST(program, step)) &&
				rowfn_like_check(GPUSTR_PROGRAM_CONST(program, step) + sizeof(GpustrFold),
								 step->const_bytes - sizeof(GpustrFold));
		case GPUSTR_OP_TEXT_EQ:
			return program_range_ok(program, step->const_off, step->const_bytes) &&
				step->const_bytes <= INT32_MAX;
		case GPUSTR_OP_SELECT:
			return batch->selected_off != 0 && batch->recheck_off != 0;
		case GPUSTR_OP_REDACT:
			return batch->out_column.offsets_off != 0 && batch->recheck_off != 0;
		default:
			return 1;
	}
}

/* Is register 'reg' of this kind one that an earlier step has made? */
static int
register_made(CheckRegister kind, uint16_t reg, const char *text_made, const char *bool_made)
{
	if (kind == TEXT_REG)
		return reg < GPUSTR_MAX_TEXT_REGS && text_made[reg];
	if (kind == BOOL_REG)
		return reg < GPUSTR_MAX_BOOL_REGS && bool_made[reg];
	return 1;
}

static EngineCode
check_steps(const GpustrBatch *batch, const GpustrProgram *program, EngineError *error)
{
	const GpustrStep *steps = GPUSTR_PROGRAM_STEPS(program);
	char		text_made[GPUSTR_MAX_TEXT_REGS] = {0};
	char		bool_made[GPUSTR_MAX_BOOL_REGS] = {0};
	int			nselect = 0;
	int			nredact = 0;
	int32_t		i;

	for (i = 0; i < program->nsteps; i++)
	{
		const GpustrStep *step = &steps[i];
		const CheckOp *op;
		int			ok;

		if (step->op < 1 || step->op > GPUSTR_OP_LAST)
			return gpustr_engine_error(error, ENGINE_BAD_INPUT,
									   "step %d: unknown operator %d", i, step->op);
		op = &check_ops[step->op];
		ok = register_made(op->in0, step->in0, text_made, bool_made) &&
			register_made(op->in1, step->in1, text_made, bool_made) &&
			step_arguments_ok(batch, program, step);
		if (op->out == TEXT_REG)
			ok = ok && step->out < program->ntext && !text_made[step->out]++;
		else if (op->out == BOOL_REG)
			ok = ok && step->out < program->nbool && !bool_made[step->out]++;
		nselect += step->op == GPUSTR_OP_SELECT;
		nredact += step->op == GPUSTR_OP_REDACT;
		if (!ok || nselect > 1 || nredact > 1)
			return gpustr_engine_error(error, ENGINE_BAD_INPUT,
									   "step %d: bad arguments of operator %d", i, step->op);
	}
	return ENGINE_OK;
}

/* Do the values start from 'first' on, never decrease, and end at most at 'last'? */
static int
ascends(const int32_t *values, int32_t n, int32_t first, int64_t last)
{
	int			bad = 0;
	int32_t		i;

	for (i = 0; i < n; i++)
		bad |= values[i + 1] < values[i];
	return !bad && values[0] >= first && values[n] <= last;
}

static EngineCode
check_pages(CheckState *check)
{
	const GpustrBatch *batch = check->batch;
	uint64_t	npages = (uint64_t) batch->npages;
	const int32_t *page;
	const int32_t *row_start;
	int32_t		i;

	if (batch->npages < 0 || batch->nstaged < 0 || batch->ncolumns != 0)
		return gpustr_engine_error(check->error, ENGINE_BAD_INPUT, "bad number of pages or columns");
	if (check_region(check, "page[]", batch->page_off, 4 * npages, batch->in_bytes) != ENGINE_OK ||
		check_region(check, "row_start[]", batch->row_start_off, 4 * (npages + 1),
					 batch->in_bytes) != ENGINE_OK ||
		check_region(check, "line[]", batch->line_off, 2 * (uint64_t) batch->nrows,
					 batch->in_bytes) != ENGINE_OK ||
		check_region(check, "staged pages", batch->staged_off,
					 (uint64_t) GPUSTR_PAGE_BYTES * (uint64_t) batch->nstaged,
					 batch->body_bytes) != ENGINE_OK)
		return ENGINE_BAD_INPUT;
	page = GPUSTR_BODY_PTR(batch, batch->page_off, const int32_t);
	row_start = GPUSTR_BODY_PTR(batch, batch->row_start_off, const int32_t);
	if (!ascends(row_start, batch->npages, 0, batch->nrows) ||
		row_start[0] != 0 || row_start[batch->npages] != batch->nrows)
		return gpustr_engine_error(check->error, ENGINE_BAD_INPUT, "row_start[] does not ascend");
	for (i = 0; i < batch->npages; i++)
		if (page[i] < -batch->nstaged || row_start[i + 1] - row_start[i] > GPUSTR_PAGE_MAX_ROWS)
			return gpustr_engine_error(check->error, ENGINE_BAD_INPUT,
									   "page %d is not staged or has too many rows", i);
	return ENGINE_OK;
}

static EngineCode
check_columns(CheckState *check)
{
	const GpustrBatch *batch = check->batch;
	int32_t		i;

	if (batch->npages != 0 || batch->nstaged != 0 ||
		batch->ncolumns < 0 || batch->ncolumns > GPUSTR_MAX_COLUMNS)
		return gpustr_engine_error(check->error, ENGINE_BAD_INPUT, "bad number of pages or columns");
	for (i = 0; i < batch->ncolumns; i++)
	{
		const GpustrColumn *column = &batch->column[i];

		if (check_column(check, "column", column, batch->in_bytes) != ENGINE_OK)
			return ENGINE_BAD_INPUT;
		if (!ascends(GPUSTR_BODY_PTR(batch, column->offsets_off, const int32_t), batch->nrows,
					 0, column->data_bytes))
			return gpustr_engine_error(check->error, ENGINE_BAD_INPUT,
									   "offsets of column %d do not ascend", i);
	}
	return ENGINE_OK;
}

static EngineCode
check_results(CheckState *check)
{
	const GpustrBatch *batch = check->batch;
	uint64_t	bytes = 4 * (uint64_t) GPUSTR_BITMAP_WORDS(batch->nrows);

	if (batch->selected_off != 0 &&
		check_region(check, "selected", batch->selected_off, bytes, batch->body_bytes) != ENGINE_OK)
		return ENGINE_BAD_INPUT;
	if (batch->recheck_off != 0 &&
		check_region(check, "recheck", batch->recheck_off, bytes, batch->body_bytes) != ENGINE_OK)
		return ENGINE_BAD_INPUT;
	if (batch->out_column.offsets_off != 0 &&
		check_column(check, "output column", &batch->out_column, batch->body_bytes) != ENGINE_OK)
		return ENGINE_BAD_INPUT;
	return ENGINE_OK;
}

EngineCode
gpustr_batch_check(const void *body, uint32_t body_bytes, EngineError *error)
{
	const GpustrBatch *batch = (const GpustrBatch *) body;
	const GpustrProgram *program;
	CheckState	check;
	EngineCode	code;

	error->code = ENGINE_OK;
	error->message[0] = '\0';
	if (body_bytes < sizeof(GpustrBatch) || batch->magic != GPUSTR_BATCH_MAGIC)
		return gpustr_engine_error(error, ENGINE_BAD_INPUT, "not a batch");
	if (batch->body_bytes > body_bytes || batch->in_bytes > batch->body_bytes)
		return gpustr_engine_error(error, ENGINE_BAD_INPUT, "batch is larger than its body");
	if (batch->nrows < 0)
		return gpustr_engine_error(error, ENGINE_BAD_INPUT, "negative number of rows");
	check.batch = batch;
	check.error = error;
	check.nregions = 0;
	if (check_region(&check, "header", 0, sizeof(GpustrBatch), batch->in_bytes) != ENGINE_OK ||
		check_region(&check, "program", batch->program_off, batch->program_bytes,
					 batch->in_bytes) != ENGINE_OK)
		return ENGINE_BAD_INPUT;
	program = GPUSTR_BODY_PTR(body, batch->program_off, const GpustrProgram);
	code = check_program_shape(program, batch->program_bytes, error);
	if (code == ENGINE_OK)
		code = check_steps(batch, program, error);
	if (code != ENGINE_OK)
		return code;
	if (batch->kind == GPUSTR_BATCH_PAGES)
		code = check_pages(&check);
	else if (batch->kind == GPUSTR_BATCH_COLUMNS)
		code = check_columns(&check);
	else
		code = gpustr_engine_error(error, ENGINE_BAD_INPUT, "unknown kind of batch %u", batch->kind);
	if (code == ENGINE_OK)
		code = check_results(&check);
	return code;
}
