/*-------------------------------------------------------------------------
 *
 * batch_check.c
 *	  Is a body well-formed, so that an engine may use it unchecked?
 *
 * First the program, then the regions of the batch: each is aligned, lies
 * within the body, and does not overlap another; those that are input lie
 * within in_bytes.  Then what the engines index by: row_start[], page numbers
 * and text offsets.  Constants are checked too, compiled patterns and sets
 * included.
 *
 * Not checked: the contents of pages and line pointers (hostile, see
 * rowfn/heap_tuple.h), and whether a block of the buffer pool exists, which
 * only the engine knows.
 *
 * The cost is a pass over row_start[], page[], offsets[] and automata.
 * Compiled into both engines.
 *
 * IDENTIFICATION
 *	  src/engine/batch_check.c
 *
 *-------------------------------------------------------------------------
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/check_body.h"
#include "engine/check_constants.h"
#include "engine/engine.h"
#include "rowfn/aho_corasick.h"
#include "rowfn/dfa.h"
#include "rowfn/like.h"
#include "rowfn/text_args.h"
#include "rowfn/value.h"

typedef struct CheckOp
{
	CheckRegister out;
	CheckRegister in0;
	CheckRegister in1;
	CheckRegister in2;
} CheckOp;

/* By GpustrOp; but see step_registers(). */
static const CheckOp check_ops[GPUSTR_OP_LAST + 1] = {
	[GPUSTR_OP_DECODE_TEXT] = {TEXT_REG, NO_REG, NO_REG, NO_REG},
	[GPUSTR_OP_DECODE_BYTES] = {TEXT_REG, NO_REG, NO_REG, NO_REG},
	[GPUSTR_OP_DECODE_VALUE] = {VALUE_REG, NO_REG, NO_REG, NO_REG},
	[GPUSTR_OP_DECODE_NULL] = {BOOL_REG, NO_REG, NO_REG, NO_REG},
	[GPUSTR_OP_COLUMN] = {TEXT_REG, NO_REG, NO_REG, NO_REG},
	[GPUSTR_OP_CONST] = {BOOL_REG, NO_REG, NO_REG, NO_REG},
	[GPUSTR_OP_CONST_TEXT] = {TEXT_REG, NO_REG, NO_REG, NO_REG},
	[GPUSTR_OP_CONST_VALUE] = {VALUE_REG, NO_REG, NO_REG, NO_REG},
	[GPUSTR_OP_LIKE] = {BOOL_REG, TEXT_REG, NO_REG, NO_REG},
	[GPUSTR_OP_ILIKE] = {BOOL_REG, TEXT_REG, NO_REG, NO_REG},
	[GPUSTR_OP_DFA] = {BOOL_REG, TEXT_REG, NO_REG, NO_REG},
	[GPUSTR_OP_TEXT_EQ] = {BOOL_REG, TEXT_REG, NO_REG, NO_REG},
	[GPUSTR_OP_COMPARE_TEXT] = {BOOL_REG, TEXT_REG, TEXT_REG, NO_REG},
	[GPUSTR_OP_COMPARE_VALUE] = {BOOL_REG, VALUE_REG, VALUE_REG, NO_REG},
	[GPUSTR_OP_IN_TEXT] = {BOOL_REG, TEXT_REG, NO_REG, NO_REG},
	[GPUSTR_OP_IN_VALUE] = {BOOL_REG, VALUE_REG, NO_REG, NO_REG},
	[GPUSTR_OP_NULL_TEXT] = {BOOL_REG, TEXT_REG, NO_REG, NO_REG},
	[GPUSTR_OP_NULL_VALUE] = {BOOL_REG, VALUE_REG, NO_REG, NO_REG},
	[GPUSTR_OP_NULL_BOOL] = {BOOL_REG, BOOL_REG, NO_REG, NO_REG},
	[GPUSTR_OP_IS_TRUE] = {BOOL_REG, BOOL_REG, NO_REG, NO_REG},
	[GPUSTR_OP_VALUE_TRUE] = {BOOL_REG, VALUE_REG, NO_REG, NO_REG},
	[GPUSTR_OP_AND] = {BOOL_REG, BOOL_REG, BOOL_REG, NO_REG},
	[GPUSTR_OP_OR] = {BOOL_REG, BOOL_REG, BOOL_REG, NO_REG},
	[GPUSTR_OP_NOT] = {BOOL_REG, BOOL_REG, NO_REG, NO_REG},
	[GPUSTR_OP_QUAL] = {BOOL_REG, BOOL_REG, BOOL_REG, NO_REG},
	[GPUSTR_OP_CHOOSE_BOOL] = {BOOL_REG, BOOL_REG, BOOL_REG, BOOL_REG},
	[GPUSTR_OP_CHOOSE_TEXT] = {TEXT_REG, TEXT_REG, TEXT_REG, BOOL_REG},
	[GPUSTR_OP_CHOOSE_VALUE] = {VALUE_REG, VALUE_REG, VALUE_REG, BOOL_REG},
	[GPUSTR_OP_TRIM_BLANKS] = {TEXT_REG, TEXT_REG, NO_REG, NO_REG},
	[GPUSTR_OP_LENGTH] = {VALUE_REG, TEXT_REG, NO_REG, NO_REG},
	[GPUSTR_OP_BOOL_VALUE] = {VALUE_REG, BOOL_REG, NO_REG, NO_REG},
	[GPUSTR_OP_ARITH] = {VALUE_REG, VALUE_REG, VALUE_REG, NO_REG},
	[GPUSTR_OP_CAST] = {VALUE_REG, VALUE_REG, NO_REG, NO_REG},
	[GPUSTR_OP_SELECT] = {NO_REG, BOOL_REG, NO_REG, NO_REG},
	[GPUSTR_OP_REDACT] = {NO_REG, TEXT_REG, TEXT_REG, NO_REG},
	[GPUSTR_OP_MASK] = {NO_REG, TEXT_REG, NO_REG, NO_REG},
	[GPUSTR_OP_OUTPUT_TEXT] = {NO_REG, TEXT_REG, NO_REG, NO_REG},
	[GPUSTR_OP_CONTAINS_ANY] = {BOOL_REG, TEXT_REG, NO_REG, NO_REG},
	[GPUSTR_OP_FIND_ALL] = {NO_REG, TEXT_REG, NO_REG, NO_REG},
	[GPUSTR_OP_COLUMN_VALUE] = {VALUE_REG, NO_REG, NO_REG, NO_REG},
	[GPUSTR_OP_PROBE] = {NO_REG, BOOL_REG, NO_REG, NO_REG},
	[GPUSTR_OP_GATHER_TEXT] = {TEXT_REG, NO_REG, NO_REG, NO_REG},
	[GPUSTR_OP_GATHER_VALUE] = {VALUE_REG, NO_REG, NO_REG, NO_REG},
	[GPUSTR_OP_INNER_TEXT] = {TEXT_REG, NO_REG, NO_REG, NO_REG},
	[GPUSTR_OP_INNER_VALUE] = {VALUE_REG, NO_REG, NO_REG, NO_REG},
	[GPUSTR_OP_RESULT_TEXT] = {NO_REG, TEXT_REG, NO_REG, NO_REG},
	[GPUSTR_OP_RESULT_VALUE] = {NO_REG, VALUE_REG, NO_REG, NO_REG}
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

EngineCode
gpustr_check_region(CheckState *check, const char *name, uint32_t off, uint64_t bytes, uint64_t limit)
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

EngineCode
gpustr_check_column(CheckState *check, const char *name, const GpustrColumn *column, int32_t nrows,
					uint64_t limit)
{
	uint64_t	n = (uint64_t) (uint32_t) nrows;

	if (column->offsets_off == 0 && column->data_bytes < 8 * n)
		return gpustr_engine_error(check->error, ENGINE_BAD_INPUT, "%s has no room for its values", name);
	if (gpustr_check_region(check, name, column->validity_off, (n + 7) / 8, limit) != ENGINE_OK ||
		(column->offsets_off != 0 &&
		 gpustr_check_region(check, name, column->offsets_off, 4 * (n + 1), limit) != ENGINE_OK) ||
		gpustr_check_region(check, name, column->data_off, column->data_bytes, limit) != ENGINE_OK)
		return ENGINE_BAD_INPUT;
	return ENGINE_OK;
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
		program->nvalue < 0 || program->nvalue > GPUSTR_MAX_VALUE_REGS ||
		program->nbool < 0 || program->nbool > GPUSTR_MAX_BOOL_REGS ||
		program->nattrs < 0 || program->nattrs > GPUSTR_MAX_ATTRS)
		return gpustr_engine_error(error, ENGINE_BAD_INPUT, "too many steps, registers or attributes");
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
			(a->missing == 1 && (a->missing_bytes > INT32_MAX ||
								 !program_range_ok(program, a->missing_off, a->missing_bytes))))
			return gpustr_engine_error(error, ENGINE_BAD_INPUT, "bad attribute %d", i + 1);
	}
	return ENGINE_OK;
}

/*
 * Is what the step has besides registers in order?  known: its constant is, if it
 * may be large.
 */
static int
step_arguments_ok(const GpustrBatch *batch, const GpustrProgram *program, const GpustrStep *step,
				  int known)
{
	int			attr_ok = batch->kind == GPUSTR_BATCH_PAGES && step->attr >= 1 && step->attr <= program->nattrs;
	int			const_ok = program_range_ok(program, step->const_off, step->const_bytes) &&
	step->const_bytes <= INT32_MAX;
	int			state_ok = step->attr == GPUSTR_FALSE || step->attr == GPUSTR_NULL || step->attr == GPUSTR_RECHECK;
	int			out_ok = step->attr >= 0 && step->attr < batch->nout && step->aux <= 1 && batch->recheck_off != 0;
	int			relation_ok = step->aux >= GPUSTR_REL_EQ && step->aux <= GPUSTR_REL_LAST;

	switch (step->op)
	{
		case GPUSTR_OP_DECODE_TEXT:
		case GPUSTR_OP_DECODE_NULL:
			return attr_ok;
		case GPUSTR_OP_DECODE_BYTES:
			return attr_ok && step->aux <= 1;
		case GPUSTR_OP_DECODE_VALUE:
			return attr_ok && step->aux >= GPUSTR_VALUE_BOOL && step->aux <= GPUSTR_VALUE_LAST;
		case GPUSTR_OP_CONST:
			return step->attr >= GPUSTR_FALSE && step->attr <= GPUSTR_RECHECK;
		case GPUSTR_OP_CONST_TEXT:
			return const_ok && state_ok;
		case GPUSTR_OP_CONST_VALUE:
			return const_ok && state_ok && step->const_bytes == sizeof(int64_t);
		case GPUSTR_OP_LIKE:
			return const_ok &&
				(known || like_ok(step, GPUSTR_PROGRAM_CONST(program, step), step->const_bytes));
		case GPUSTR_OP_ILIKE:
			return const_ok && step->const_bytes >= sizeof(GpustrFold) &&
				rowfn_fold_check((const GpustrFold *) GPUSTR_PROGRAM_CONST(program, step)) &&
				(known || like_ok(step, GPUSTR_PROGRAM_CONST(program, step) + sizeof(GpustrFold),
								  step->const_bytes - (uint32_t) sizeof(GpustrFold)));
		case GPUSTR_OP_DFA:
			return const_ok && (step->attr == 0 || step->attr == 1) && step->aux <= 1 &&
				(known || rowfn_dfa_check((const GpustrDfa *) GPUSTR_PROGRAM_CONST(program, step),
										  step->const_bytes));
		case GPUSTR_OP_CONTAINS_ANY:
			return const_ok &&
				(known || rowfn_aho_check((const GpustrAhoCorasick *) GPUSTR_PROGRAM_CONST(program, step),
										  step->const_bytes));
		case GPUSTR_OP_TEXT_EQ:
			return const_ok;
		case GPUSTR_OP_COMPARE_TEXT:
			return relation_ok && step->attr >= GPUSTR_ORDER_BYTES && step->attr <= GPUSTR_ORDER_NUMERIC;
		case GPUSTR_OP_COMPARE_VALUE:
			return relation_ok && step->attr >= GPUSTR_ORDER_INT && step->attr <= GPUSTR_ORDER_FLOAT;
		case GPUSTR_OP_IN_TEXT:
			return (step->attr == 0 || step->attr == 1) && (known || text_set_ok(program, step));
		case GPUSTR_OP_IN_VALUE:
			return (step->attr == 0 || step->attr == 1) && (known || value_set_ok(program, step));
		case GPUSTR_OP_LENGTH:
			return step->aux <= 1;
		case GPUSTR_OP_ARITH:
			return rowfn_arith_exists(step->aux, step->attr);
		case GPUSTR_OP_CAST:
			return step->aux >= GPUSTR_CAST_INT_TO_INT2 && step->aux <= GPUSTR_CAST_LAST;
		case GPUSTR_OP_SELECT:
			return batch->selected_off != 0 && batch->recheck_off != 0;
		case GPUSTR_OP_REDACT:
			return out_ok;
		case GPUSTR_OP_MASK:
			return out_ok && mask_ok(program, step);
		case GPUSTR_OP_OUTPUT_TEXT:
			return out_ok;
		case GPUSTR_OP_FIND_ALL:
			return out_ok && const_ok && find_pattern_ok(program, step);
		case GPUSTR_OP_TEXT_MAKE:
			return step->aux <= GPUSTR_TEXT_MAKE_LAST && text_function_ok(program, step);
		case GPUSTR_OP_TEXT_MEASURE:
			return step->aux > GPUSTR_TEXT_MAKE_LAST && text_function_ok(program, step);
		default:
			return 1;
	}
}

/* Does the step make an output column? */
static int
is_output(const GpustrStep *step)
{
	return step->op == GPUSTR_OP_REDACT || step->op == GPUSTR_OP_MASK ||
		step->op == GPUSTR_OP_OUTPUT_TEXT || step->op == GPUSTR_OP_FIND_ALL;
}

/* The kind of a text function's argument. */
static CheckRegister
argument_register(const char *shape, int i)
{
	int			j;

	for (j = 0; j < i && shape[j] != '\0'; j++)
		;
	return shape[j] == 'T' ? TEXT_REG : shape[j] == 'V' ? VALUE_REG : NO_REG;
}

/*
 * The registers of a step: unary ARITH has no in1; an automaton that runs, and a
 * step that makes an output column, where a truth is true have an in2; RESULT may have
 * a condition; and a text function has what its shape says.
 */
static CheckOp
step_registers(const GpustrStep *step)
{
	CheckOp		op = check_ops[step->op];

	if (step->op == GPUSTR_OP_ARITH && rowfn_arith_is_unary(step->aux))
		op.in1 = NO_REG;
	if (step->op == GPUSTR_OP_DFA && step->aux == 1)
		op.in2 = BOOL_REG;
	if (is_output(step) && step->aux == 1)
		op.in2 = BOOL_REG;
	if (step->op == GPUSTR_OP_RESULT && step->aux == 1)
		op.in0 = BOOL_REG;
	if (step->op == GPUSTR_OP_TEXT_MAKE || step->op == GPUSTR_OP_TEXT_MEASURE)
	{
		const char *shape = gpustr_text_function_shape(step->aux);

		op.out = step->op == GPUSTR_OP_TEXT_MAKE ? TEXT_REG : VALUE_REG;
		if (shape == NULL)
			return op;			/* step_arguments_ok() tells */
		op.in0 = argument_register(shape, 0);
		op.in1 = argument_register(shape, 1);
		op.in2 = argument_register(shape, 2);
	}
	return op;
}

int
gpustr_check_register(CheckRegister kind, uint16_t reg, const CheckMade *made)
{
	int			here = made->space + 1;

	switch (kind)
	{
		case TEXT_REG:
			return reg < GPUSTR_MAX_TEXT_REGS && made->text[reg] == here;
		case VALUE_REG:
			return reg < GPUSTR_MAX_VALUE_REGS && made->value[reg] == here;
		case BOOL_REG:
			return reg < GPUSTR_MAX_BOOL_REGS && made->boolean[reg] == here;
		case NO_REG:
			break;
	}
	return 1;
}

/* Note that a step of this space makes a register.  Returns 0 if one has already. */
static int
note_register(char *made, int space)
{
	if (*made != 0)
		return 0;
	*made = (char) (space + 1);
	return 1;
}

/* Note that a step makes register 'reg'.  Returns 0 if it may not. */
static int
register_make(CheckRegister kind, uint16_t reg, const GpustrProgram *program, CheckMade *made)
{
	switch (kind)
	{
		case TEXT_REG:
			return reg < program->ntext && note_register(&made->text[reg], made->space);
		case VALUE_REG:
			return reg < program->nvalue && note_register(&made->value[reg], made->space);
		case BOOL_REG:
			return reg < program->nbool && note_register(&made->boolean[reg], made->space);
		case NO_REG:
			break;
	}
	return 1;
}

/* Is a step in order?  Notes what it makes. */
static int
check_step(const GpustrBatch *batch, const GpustrProgram *program, const GpustrStep *step, int known,
		   CheckMade *made)
{
	CheckOp		op = step_registers(step);

	if (step->op == GPUSTR_OP_SELECT && made->nselect++ > 0)
		return 0;
	return gpustr_check_register(op.in0, step->in0, made) &&
		gpustr_check_register(op.in1, step->in1, made) &&
		gpustr_check_register(op.in2, step->in2, made) &&
		step_arguments_ok(batch, program, step, known) &&
		gpustr_check_join_step(batch, program, step, made) &&
		register_make(op.out, step->out, program, made) &&
		(!is_output(step) || !made->out_column[step->attr]++);
}

static EngineCode
check_steps(const GpustrBatch *batch, const GpustrProgram *program, int known, EngineError *error)
{
	const GpustrStep *steps = GPUSTR_PROGRAM_STEPS(program);
	CheckMade	made;
	int32_t		i;

	memset(&made, 0, sizeof(made));
	for (i = 0; i < program->nsteps; i++)
	{
		if (steps[i].op < 1 || steps[i].op > GPUSTR_OP_LAST)
			return gpustr_engine_error(error, ENGINE_BAD_INPUT,
									   "step %d: unknown operator %d", i, steps[i].op);
		if (!check_step(batch, program, &steps[i], known, &made))
			return gpustr_engine_error(error, ENGINE_BAD_INPUT,
									   "step %d: bad arguments of operator %d", i, steps[i].op);
	}
	for (i = 0; i < batch->nout; i++)
		if (!made.out_column[i])
			return gpustr_engine_error(error, ENGINE_BAD_INPUT,
									   "no step makes output column %d", i);
	return gpustr_check_join_program(batch, &made, error);
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
	if (gpustr_check_region(check, "page[]", batch->page_off, 4 * npages, batch->in_bytes) != ENGINE_OK ||
		gpustr_check_region(check, "row_start[]", batch->row_start_off, 4 * (npages + 1),
							batch->in_bytes) != ENGINE_OK ||
		gpustr_check_region(check, "line[]", batch->line_off, 2 * (uint64_t) batch->nrows,
							batch->in_bytes) != ENGINE_OK ||
		gpustr_check_region(check, "staged pages", batch->staged_off,
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

		if (gpustr_check_column(check, "column", column, batch->nrows, batch->in_bytes) != ENGINE_OK)
			return ENGINE_BAD_INPUT;
		if (column->offsets_off != 0 &&
			!ascends(GPUSTR_BODY_PTR(batch, column->offsets_off, const int32_t), batch->nrows,
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
	int32_t		i;

	if (batch->selected_off != 0 &&
		gpustr_check_region(check, "selected", batch->selected_off, bytes, batch->body_bytes) != ENGINE_OK)
		return ENGINE_BAD_INPUT;
	if (batch->recheck_off != 0 &&
		gpustr_check_region(check, "recheck", batch->recheck_off, bytes, batch->body_bytes) != ENGINE_OK)
		return ENGINE_BAD_INPUT;
	for (i = 0; i < batch->nout; i++)
	{
		if (batch->out_column[i].offsets_off == 0)
			return gpustr_engine_error(check->error, ENGINE_BAD_INPUT, "output column %d of values", i);
		if (gpustr_check_column(check, "output column", &batch->out_column[i], batch->nrows,
								batch->body_bytes) != ENGINE_OK)
			return ENGINE_BAD_INPUT;
	}
	return gpustr_check_join_results(check);
}

EngineCode
gpustr_batch_check_program(const void *body, uint32_t body_bytes, const GpustrProgram *program,
						   int known, EngineError *error)
{
	const GpustrBatch *batch = (const GpustrBatch *) body;
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
	if (batch->nout < 0 || batch->nout > GPUSTR_MAX_OUT_COLUMNS)
		return gpustr_engine_error(error, ENGINE_BAD_INPUT, "bad number of output columns");
	if (batch->nresult < 0 || batch->nresult > GPUSTR_MAX_RESULT_COLUMNS)
		return gpustr_engine_error(error, ENGINE_BAD_INPUT, "bad number of result columns");
	check.batch = batch;
	check.error = error;
	check.nregions = 0;
	if (gpustr_check_region(&check, "header", 0, sizeof(GpustrBatch), batch->in_bytes) != ENGINE_OK ||
		gpustr_check_region(&check, "program", batch->program_off, batch->program_bytes,
							batch->in_bytes) != ENGINE_OK)
		return ENGINE_BAD_INPUT;
	if (program == NULL)
		program = GPUSTR_BODY_PTR(body, batch->program_off, const GpustrProgram);
	code = check_program_shape(program, batch->program_bytes, error);
	if (code == ENGINE_OK)
		code = check_steps(batch, program, known, error);
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

EngineCode
gpustr_batch_check(const void *body, uint32_t body_bytes, EngineError *error)
{
	return gpustr_batch_check_program(body, body_bytes, NULL, 0, error);
}
