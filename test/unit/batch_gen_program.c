/*-------------------------------------------------------------------------
 *
 * batch_gen_program.c
 *	  Random programs for random batches.
 *
 * Any operator may work on any register, with two exceptions, where answers
 * are only defined for what PostgreSQL can store: operators that look at
 * characters get texts in the encoding, and float4 arithmetic gets float4
 * values.
 *
 * IDENTIFICATION
 *	  test/unit/batch_gen_program.c
 *
 *-------------------------------------------------------------------------
 */
#include "batch_gen_work.h"
#include "naive_values.h"

GenStep *
gen_new_step(GenWork *work, GpustrOp op, uint16_t in0, uint16_t in1, int32_t attr)
{
	GenStep    *step = &work->gen->step[work->gen->nsteps++];

	memset(step, 0, sizeof(*step));
	step->op = op;
	step->in0 = in0;
	step->in1 = in1;
	step->attr = attr;
	return step;
}

/*
 * One of n registers.  Often the last, so that much of a program counts for its
 * result.
 */
static int32_t
any_register(GenWork *work, int32_t n)
{
	return rng_one_in(work->rng, 2) ? n - 1 : rng_below(work->rng, n);
}

/* A random text register; 'kind' at least. */
uint16_t
gen_any_text(GenWork *work, GenTextKind kind)
{
	int32_t		reg;

	/* register 0 is an input text */
	do
		reg = any_register(work, work->ntext);
	while (work->text_kind[reg] < kind);
	return (uint16_t) reg;
}

uint16_t
gen_any_value(GenWork *work)
{
	return (uint16_t) any_register(work, work->nvalue);
}

uint16_t
gen_any_bool(GenWork *work)
{
	return (uint16_t) any_register(work, work->nbool);
}

/* What a constant state is: mostly a value. */
static int32_t
any_state(GenWork *work)
{
	return rng_one_in(work->rng, 8) ? GPUSTR_NULL : rng_one_in(work->rng, 8) ? GPUSTR_RECHECK : GPUSTR_FALSE;
}

/* A text that a value may be equal to. */
static int32_t
any_sample(GenWork *work, char *out)
{
	int			i = rng_below(work->rng, GEN_SAMPLES);

	memcpy(out, work->sample[i], (size_t) work->sample_bytes[i]);
	return work->sample_bytes[i];
}

/* Alike: a sample, a numeric, an interval. */
static int32_t
any_constant(GenWork *work, char *out)
{
	switch (rng_below(work->rng, 4))
	{
		case 0:
			return heap_gen_numeric(work->rng, out);
		case 1:
			heap_gen_fixed(work->rng, out, 16);
			return 16;
		default:
			return any_sample(work, out);
	}
}

/* A value as it may come from a column; *is_float4 if it has no more digits. */
static int64_t
any_number(GenWork *work, int *is_float4)
{
	char		bytes[8];
	int			type = 1 + rng_below(work->rng, GPUSTR_VALUE_LAST);

	heap_gen_fixed(work->rng, bytes, naive_value_bytes[type]);
	*is_float4 = type == GPUSTR_VALUE_FLOAT4;
	if (type == GPUSTR_VALUE_INT4 && rng_one_in(work->rng, 2))
		return rng_below(work->rng, 30);	/* a length */
	return naive_load(bytes, type);
}

/* A step that takes a text out of the input. */
static void
add_input_text(GenWork *work, int pages)
{
	int32_t		attr = rng_below(work->rng, work->table.nattrs);
	GenTextKind kind = GEN_TEXT;
	GenTextBound bound = {1, 0};
	GenStep    *step;

	if (work->ntext == 0)
		attr = work->text_attr - 1;
	if (pages && work->table.attr[attr].missing == 1)
		bound.row_bytes = (int32_t) work->table.attr[attr].missing_bytes;
	if (!pages)
	{
		step = gen_new_step(work, GPUSTR_OP_COLUMN, 0, 0, rng_below(work->rng, work->ncolumns));
		step->out = gpustr_builder_column(&work->builder, step->attr);
	}
	else if (work->table.attr[attr].len == -1)
	{
		step = gen_new_step(work, GPUSTR_OP_DECODE_TEXT, 0, 0, attr + 1);
		step->out = gpustr_builder_decode_text(&work->builder, step->attr);
		if (work->table.numeric[attr])
			kind = GEN_BYTES;
	}
	else
	{
		step = gen_new_step(work, GPUSTR_OP_DECODE_BYTES, 0, 0, attr + 1);
		step->aux = (uint16_t) rng_below(work->rng, 2);
		step->out = gpustr_builder_decode_bytes(&work->builder, step->attr, step->aux);
		step->attr_len = work->table.attr[attr].len;
		kind = GEN_BYTES;
	}
	work->text_bound[work->ntext] = bound;
	work->text_kind[work->ntext++] = kind;
}

/* A step that makes a text of others. */
static void
add_text_step(GenWork *work)
{
	GpustrProgramBuilder *b = &work->builder;
	uint16_t	x = gen_any_text(work, GEN_BYTES);
	uint16_t	y = gen_any_text(work, GEN_BYTES);
	GenTextKind kind = work->text_kind[x];
	GenTextBound bound = work->text_bound[x];
	GenStep    *step;

	if (work->nbool > 0 && rng_one_in(work->rng, 2))
	{
		step = gen_new_step(work, GPUSTR_OP_CHOOSE_TEXT, x, y, 0);
		step->in2 = gen_any_bool(work);
		step->out = gpustr_builder_choose(b, step->op, step->in2, x, y);
		if (work->text_kind[y] < kind)
			kind = work->text_kind[y];
		bound.inputs += work->text_bound[y].inputs;
		bound.row_bytes += work->text_bound[y].row_bytes;
	}
	else if (rng_one_in(work->rng, 2))
	{
		step = gen_new_step(work, GPUSTR_OP_TRIM_BLANKS, x, 0, 0);
		step->out = gpustr_builder_trim_blanks(b, x);
	}
	else
	{
		step = gen_new_step(work, GPUSTR_OP_CONST_TEXT, 0, 0, any_state(work));
		if (rng_one_in(work->rng, 2))
		{
			step->value_bytes = any_sample(work, step->value);
			kind = GEN_TEXT;
		}
		else
		{
			step->value_bytes = any_constant(work, step->value);
			kind = GEN_BYTES;
		}
		step->out = gpustr_builder_const_text(b, (GpustrTruth) step->attr, step->value, step->value_bytes);
		bound.inputs = 0;
		bound.row_bytes = step->value_bytes;
	}
	work->text_bound[work->ntext] = bound;
	work->text_kind[work->ntext++] = kind;
}

/* A step that takes a value out of the input, or a constant. */
static void
add_input_value(GenWork *work, int pages)
{
	int32_t		attr = rng_below(work->rng, work->table.nattrs);
	int32_t		len = work->table.attr[attr].len;
	int			type = 1 + rng_below(work->rng, GPUSTR_VALUE_LAST);
	GenStep    *step;

	if (pages && !rng_one_in(work->rng, 3))
	{
		/* mostly of a type of this length */
		if (len == 1 || len == 2 || len == 4 || len == 8)
			while (naive_value_bytes[type] != len && !rng_one_in(work->rng, 50))
				type = 1 + rng_below(work->rng, GPUSTR_VALUE_LAST);
		step = gen_new_step(work, GPUSTR_OP_DECODE_VALUE, 0, 0, attr + 1);
		step->aux = (uint16_t) type;
		step->attr_len = len;
		step->out = gpustr_builder_decode_value(&work->builder, step->attr, (GpustrValueType) type);
		work->is_float4[work->nvalue] = type == GPUSTR_VALUE_FLOAT4;
	}
	else
	{
		step = gen_new_step(work, GPUSTR_OP_CONST_VALUE, 0, 0, any_state(work));
		step->number[0] = any_number(work, &work->is_float4[work->nvalue]);
		step->out = gpustr_builder_const_value(&work->builder, (GpustrTruth) step->attr, step->number[0]);
	}
	work->nvalue++;
}

static void
add_arith(GenWork *work, uint16_t x, uint16_t y)
{
	static const GpustrValueType types[] = {
		GPUSTR_VALUE_INT2, GPUSTR_VALUE_INT4, GPUSTR_VALUE_INT8, GPUSTR_VALUE_FLOAT8, GPUSTR_VALUE_FLOAT4
	};
	static const GpustrArith float_arith[] = {
		GPUSTR_ARITH_ADD, GPUSTR_ARITH_SUB, GPUSTR_ARITH_MUL, GPUSTR_ARITH_DIV, GPUSTR_ARITH_NEG, GPUSTR_ARITH_ABS
	};
	int			narrow = work->is_float4[x] && work->is_float4[y];
	GpustrValueType type = narrow && !rng_one_in(work->rng, 4) ? GPUSTR_VALUE_FLOAT4 : types[rng_below(work->rng, 4)];
	GpustrArith arith = (GpustrArith) (1 + rng_below(work->rng, GPUSTR_ARITH_LAST));
	GenStep    *step = gen_new_step(work, GPUSTR_OP_ARITH, x, y, (int32_t) type);

	if (type == GPUSTR_VALUE_FLOAT4 || type == GPUSTR_VALUE_FLOAT8)
		arith = float_arith[rng_below(work->rng, 6)];
	step->aux = (uint16_t) arith;
	step->out = gpustr_builder_arith(&work->builder, arith, type, x, y);
	work->is_float4[work->nvalue] = type == GPUSTR_VALUE_FLOAT4;
}

/* A step that makes a value of others. */
static void
add_value_step(GenWork *work)
{
	GpustrProgramBuilder *b = &work->builder;
	uint16_t	x = gen_any_value(work);
	uint16_t	y = gen_any_value(work);
	int			kind = rng_below(work->rng, work->nbool > 0 ? 8 : 6);
	GenStep    *step;

	work->is_float4[work->nvalue] = 0;
	if (kind < 3)
		add_arith(work, x, y);
	else if (kind < 5)
	{
		step = gen_new_step(work, GPUSTR_OP_CAST, x, 0, 0);
		step->aux = (uint16_t) (1 + rng_below(work->rng, GPUSTR_CAST_LAST));
		step->out = gpustr_builder_cast(b, (GpustrCast) step->aux, x);
		work->is_float4[work->nvalue] = step->aux == GPUSTR_CAST_INT_TO_FLOAT4 ||
			step->aux == GPUSTR_CAST_FLOAT_TO_FLOAT4;
	}
	else if (kind == 5)
	{
		int			bytes = rng_below(work->rng, 2);

		step = gen_new_step(work, GPUSTR_OP_LENGTH, gen_any_text(work, bytes ? GEN_BYTES : GEN_TEXT), 0, 0);
		step->aux = (uint16_t) bytes;
		step->out = gpustr_builder_length(b, step->in0, bytes);
	}
	else if (kind == 6)
	{
		step = gen_new_step(work, GPUSTR_OP_CHOOSE_VALUE, x, y, 0);
		step->in2 = gen_any_bool(work);
		step->out = gpustr_builder_choose(b, step->op, step->in2, x, y);
		work->is_float4[work->nvalue] = work->is_float4[x] && work->is_float4[y];
	}
	else
	{
		step = gen_new_step(work, GPUSTR_OP_BOOL_VALUE, gen_any_bool(work), 0, 0);
		step->out = gpustr_builder_bool_value(b, step->in0);
	}
	work->nvalue++;
}

/* IN_TEXT: the step keeps the list as it is, the program gets it in order. */
static void
add_in_text(GenWork *work)
{
	const char *sorted[GEN_MAX_SET];
	int32_t		bytes[GEN_MAX_SET];
	GenStep    *step = gen_new_step(work, GPUSTR_OP_IN_TEXT, gen_any_text(work, GEN_BYTES), 0, rng_below(work->rng, 2));
	int32_t		n = 0;
	int32_t		i;

	for (step->nset = rng_below(work->rng, GEN_MAX_SET + 1); n < step->nset; n++)
		step->text_bytes[n] = any_constant(work, step->text[n]);
	n = 0;
	for (i = 0; i < step->nset; i++)
	{
		int32_t		at = 0;
		int			cmp = 1;

		while (at < n && (cmp = naive_compare_bytes(step->text[i], step->text_bytes[i], sorted[at], bytes[at])) > 0)
			at++;
		if (at < n && cmp == 0)
			continue;
		memmove(&sorted[at + 1], &sorted[at], (size_t) (n - at) * sizeof(sorted[0]));
		memmove(&bytes[at + 1], &bytes[at], (size_t) (n - at) * sizeof(bytes[0]));
		sorted[at] = step->text[i];
		bytes[at] = step->text_bytes[i];
		n++;
	}
	step->out = gpustr_builder_in_text(&work->builder, step->in0, n, sorted, bytes, step->attr);
}

static void
add_in_value(GenWork *work)
{
	int64_t		sorted[GEN_MAX_SET];
	GenStep    *step = gen_new_step(work, GPUSTR_OP_IN_VALUE, gen_any_value(work), 0, rng_below(work->rng, 2));
	int32_t		n = 0;
	int32_t		i;
	int			is_float4;

	for (step->nset = rng_below(work->rng, GEN_MAX_SET + 1); n < step->nset; n++)
		step->number[n] = any_number(work, &is_float4);
	n = 0;
	for (i = 0; i < step->nset; i++)
	{
		int32_t		at = 0;

		while (at < n && step->number[i] > sorted[at])
			at++;
		if (at < n && step->number[i] == sorted[at])
			continue;
		memmove(&sorted[at + 1], &sorted[at], (size_t) (n - at) * sizeof(sorted[0]));
		sorted[at] = step->number[i];
		n++;
	}
	step->out = gpustr_builder_in_value(&work->builder, step->in0, n, sorted, step->attr);
}

/* A step that makes a bool of texts. */
static void
add_text_test(GenWork *work)
{
	Rng		   *rng = work->rng;
	GpustrProgramBuilder *b = &work->builder;
	int			i = rng_below(rng, GEN_SAMPLES);
	int			kind = rng_below(rng, 18);
	GenStep    *step;

	if (kind >= 16 && work->dfa_bytes >= 4096)
		gen_contains_any_step(work);
	else if (kind >= 12 && work->dfa_bytes >= GEN_LEAST_DFA_BYTES)
		gen_dfa_step(work);
	else if (kind >= 10)
	{
		step = gen_new_step(work, GPUSTR_OP_ILIKE, gen_any_text(work, GEN_TEXT), 0, 0);
		test_fold(rng, &step->fold);
		step->value_bytes = test_pattern(rng, step->value, GEN_MAX_CONST, work->letters,
										 work->sample[i], work->sample_bytes[i]);
		test_fold_pattern(step->value, step->value_bytes, &step->fold);
		step->out = gpustr_builder_ilike(b, step->in0, &step->fold, step->value, step->value_bytes);
	}
	else if (kind < 4)
	{
		step = gen_new_step(work, GPUSTR_OP_LIKE, gen_any_text(work, GEN_TEXT), 0, 0);
		step->value_bytes = test_pattern(rng, step->value, GEN_MAX_CONST, work->letters,
										 work->sample[i], work->sample_bytes[i]);
		step->out = gpustr_builder_like(b, step->in0, step->value, step->value_bytes);
	}
	else if (kind == 4)
	{
		step = gen_new_step(work, GPUSTR_OP_TEXT_EQ, gen_any_text(work, GEN_BYTES), 0, 0);
		step->value_bytes = any_constant(work, step->value);
		step->out = gpustr_builder_text_eq(b, step->in0, step->value, step->value_bytes);
	}
	else if (kind < 8)
	{
		GpustrOrder order = (GpustrOrder) (GPUSTR_ORDER_BYTES + rng_below(rng, 3));

		step = gen_new_step(work, GPUSTR_OP_COMPARE_TEXT, gen_any_text(work, GEN_BYTES), gen_any_text(work, GEN_BYTES),
							(int32_t) order);
		step->aux = (uint16_t) (1 + rng_below(rng, GPUSTR_REL_LAST));
		step->out = gpustr_builder_compare(b, step->op, (GpustrRelation) step->aux, order, step->in0, step->in1);
	}
	else if (kind == 8)
		add_in_text(work);
	else
	{
		step = gen_new_step(work, GPUSTR_OP_NULL_TEXT, gen_any_text(work, GEN_BYTES), 0, 0);
		step->out = gpustr_builder_test(b, step->op, step->in0);
	}
}

/* A step that makes a bool of values. */
static void
add_value_test(GenWork *work)
{
	Rng		   *rng = work->rng;
	int			kind = rng_below(rng, 7);
	GenStep    *step;

	if (kind < 4)
	{
		GpustrOrder order = rng_one_in(rng, 2) ? GPUSTR_ORDER_INT : GPUSTR_ORDER_FLOAT;

		step = gen_new_step(work, GPUSTR_OP_COMPARE_VALUE, gen_any_value(work), gen_any_value(work), (int32_t) order);
		step->aux = (uint16_t) (1 + rng_below(rng, GPUSTR_REL_LAST));
		step->out = gpustr_builder_compare(&work->builder, step->op, (GpustrRelation) step->aux, order,
										   step->in0, step->in1);
	}
	else if (kind == 4)
		add_in_value(work);
	else
	{
		step = gen_new_step(work, kind == 5 ? GPUSTR_OP_NULL_VALUE : GPUSTR_OP_VALUE_TRUE, gen_any_value(work), 0, 0);
		step->out = gpustr_builder_test(&work->builder, step->op, step->in0);
	}
}

/* A step that makes a bool of bools. */
static void
add_logic(GenWork *work)
{
	static const GpustrOp binary[] = {GPUSTR_OP_AND, GPUSTR_OP_OR, GPUSTR_OP_QUAL};
	static const GpustrOp unary[] = {GPUSTR_OP_NOT, GPUSTR_OP_NOT, GPUSTR_OP_IS_TRUE, GPUSTR_OP_NULL_BOOL};
	uint16_t	x = gen_any_bool(work);
	uint16_t	y = gen_any_bool(work);
	int			kind = rng_below(work->rng, 8);
	GenStep    *step;

	if (kind < 4)
	{
		step = gen_new_step(work, binary[rng_below(work->rng, 3)], x, y, 0);
		step->out = gpustr_builder_binary(&work->builder, step->op, x, y);
	}
	else if (kind < 7)
	{
		step = gen_new_step(work, unary[rng_below(work->rng, 4)], x, 0, 0);
		step->out = gpustr_builder_test(&work->builder, step->op, x);
	}
	else
	{
		step = gen_new_step(work, GPUSTR_OP_CHOOSE_BOOL, x, y, 0);
		step->in2 = gen_any_bool(work);
		step->out = gpustr_builder_choose(&work->builder, step->op, step->in2, x, y);
	}
}

/* A step that makes a bool register. */
static void
add_bool_step(GenWork *work, int pages)
{
	int			kind = rng_below(work->rng, work->nbool > 0 ? 16 : 8);
	GenStep    *step;

	if (kind < 4)
		add_text_test(work);
	else if (kind < 6 && work->nvalue > 0)
		add_value_test(work);
	else if (kind == 6 && pages)
	{
		step = gen_new_step(work, GPUSTR_OP_DECODE_NULL, 0, 0, 1 + rng_below(work->rng, work->table.nattrs));
		step->out = gpustr_builder_decode_null(&work->builder, step->attr);
	}
	else if (kind < 8)
	{
		step = gen_new_step(work, GPUSTR_OP_CONST, 0, 0, rng_below(work->rng, 4));
		step->out = gpustr_builder_const(&work->builder, (GpustrTruth) step->attr);
	}
	else
		add_logic(work);
	work->nbool++;
}

/* How many characters to keep: few, or more than a text has. */
static int32_t
any_keep(GenWork *work)
{
	static const int32_t many[] = {60, 1000, INT32_MAX - 1, INT32_MAX};

	return rng_one_in(work->rng, 8) ? many[rng_below(work->rng, 4)] : rng_below(work->rng, 6);
}

/* A step that makes an output column. */
static void
add_output(GenWork *work, int32_t column)
{
	Rng		   *rng = work->rng;
	GpustrProgramBuilder *b = &work->builder;
	GenTextKind kind = work->gen->encoding == GPUSTR_ENC_UTF8 ? GEN_TEXT : GEN_BYTES;
	GenStep    *step;

	if (work->text_functions && rng_one_in(rng, 3))
	{
		step = gen_new_step(work, GPUSTR_OP_OUTPUT_TEXT, gen_any_text(work, GEN_BYTES), 0, column);
		gpustr_builder_output_text(b, column, step->in0);
	}
	else if (rng_one_in(rng, 2))
	{
		step = gen_new_step(work, GPUSTR_OP_REDACT, gen_any_text(work, kind), gen_any_text(work, GEN_BYTES), column);
		gpustr_builder_redact(b, column, step->in0, step->in1);
	}
	else if (rng_one_in(rng, 2))
		step = gen_find_all(work, kind, column);
	else
	{
		step = gen_new_step(work, GPUSTR_OP_MASK, gen_any_text(work, kind), 0, column);
		step->number[0] = any_keep(work);
		step->number[1] = any_keep(work);
		step->value_bytes = test_text(rng, step->value, rng_below(rng, rng_one_in(rng, 6) ? GEN_MAX_MASK + 1 : 3),
									  work->letters);
		gpustr_builder_mask(b, column, step->in0, (int32_t) step->number[0], (int32_t) step->number[1],
							step->value, step->value_bytes);
	}
	if (work->nbool > 0 && rng_one_in(rng, 2))
	{
		step->aux = 1;
		step->in2 = gen_any_bool(work);
		gpustr_builder_only_where(b, step->in2);
	}
}

uint32_t
gen_program(GenWork *work, int pages, int select, int32_t nout)
{
	Rng		   *rng = work->rng;
	int32_t		first = nout > 0 ? rng_below(rng, nout) : 0;
	int32_t		made = 0;
	int32_t		before_select;
	int			n;
	int32_t		i;

	work->dfa_bytes = work->gen->body_bytes >= 1 << 20 && rng_one_in(rng, 8) ? GEN_LARGE_DFA_BYTES : GEN_DFA_BYTES;
	gpustr_builder_init(&work->builder, work->gen->encoding, work->program, GEN_PROGRAM_BYTES);
	for (i = 0; pages && i < work->table.nattrs; i++)
	{
		const GpustrAttr *attr = &work->table.attr[i];

		gpustr_builder_attr(&work->builder, attr->len, attr->align, attr->missing,
							work->table.missing[i], attr->missing_bytes);
	}
	for (n = 1 + rng_below(rng, 4); n > 0; n--)
		add_input_text(work, pages);
	for (n = rng_below(rng, 5); n > 0; n--)
		add_input_value(work, pages);

	for (n = work->text_functions ? rng_below(rng, 4) : 0; n > 0; n--)
		gen_text_function(work);

	/* output columns in any order, some at once, some after the tests */
	if (nout > 0 && rng_one_in(rng, 4))
		add_output(work, (first + made++) % nout);
	if (select || rng_one_in(rng, 2))
		for (n = 1 + rng_below(rng, rng_one_in(rng, 2) ? 4 : 20); n > 0; n--)
		{
			if (rng_one_in(rng, 6))
				add_text_step(work);
			if (work->text_functions && rng_one_in(rng, 3))
				gen_text_function(work);
			if (work->nvalue > 0 && rng_one_in(rng, 3))
				add_value_step(work);
			add_bool_step(work, pages);
		}
	for (before_select = rng_below(rng, nout + 1); made < before_select;)
		add_output(work, (first + made++) % nout);
	if (select)
	{
		(void) gen_new_step(work, GPUSTR_OP_SELECT, (uint16_t) (work->nbool - 1), 0, 0);
		gpustr_builder_select(&work->builder, (uint16_t) (work->nbool - 1));
	}
	while (made < nout)
		add_output(work, (first + made++) % nout);
	return gpustr_builder_finish(&work->builder);
}
