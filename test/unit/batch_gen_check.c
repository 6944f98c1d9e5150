/*-------------------------------------------------------------------------
 *
 * batch_gen_check.c
 *	  The results of a random batch, against a plain evaluation row by row.
 *
 * An output column is checked with a running total of its own: all values that
 * are not NULL count, whether there is room for them or not.
 *
 * IDENTIFICATION
 *	  test/unit/batch_gen_check.c
 *
 *-------------------------------------------------------------------------
 */
#include "batch_gen.h"
#include "batch_gen_text.h"
#include "naive.h"
#include "naive_values.h"

/* What a row must give in an output column. */
typedef struct ExpectedText
{
	int			state;			/* false: there is one */
	int32_t		bytes;
	char		text[3 * HEAP_GEN_MAX_TEXT * (GEN_MAX_MASK + 1) + 8];
}			ExpectedText;

/* What a row must give. */
typedef struct Expected
{
	int			selects;
	int			truth;			/* of SELECT */
	ExpectedText out[GPUSTR_MAX_OUT_COLUMNS];
} Expected;

/* Registers of a row.  state: false stands for "there is one". */
typedef struct RowText
{
	int			state;
	const char *bytes;
	int32_t		len;
} RowText;

typedef struct RowValue
{
	int			state;
	int64_t		value;
} RowValue;

typedef struct RowRegisters
{
	RowText		text[GEN_MAX_STEPS];
	RowValue	value[GEN_MAX_STEPS];
	int			truth[GEN_MAX_STEPS];
} RowRegisters;

/* What an attribute or column gives as a text. */
static RowText
text_of(const GenBatch *gen, const GenValue *value)
{
	RowText		text;

	text.state = value->state == HEAP_GEN_VALUE ? GPUSTR_FALSE :
		value->state == HEAP_GEN_NULL ? GPUSTR_NULL : GPUSTR_RECHECK;
	text.bytes = value->len > 0 ? gen->text + value->off : "";
	text.len = value->len;
	return text;
}

/* Recheck before NULL. */
static int
both(int a, int b)
{
	if (a == GPUSTR_RECHECK || b == GPUSTR_RECHECK)
		return GPUSTR_RECHECK;
	return a == GPUSTR_NULL || b == GPUSTR_NULL ? GPUSTR_NULL : GPUSTR_FALSE;
}

/* Is the text, or else the value, in the step's list? */
static int
in_list(const GenStep *step, const RowText *text, int64_t value)
{
	int32_t		i;

	for (i = 0; i < step->nset; i++)
		if (text != NULL ? naive_compare_bytes(text->bytes, text->len, step->text[i], step->text_bytes[i]) == 0 :
			value == step->number[i])
			return GPUSTR_TRUE;
	return step->attr == 1 ? GPUSTR_NULL : GPUSTR_FALSE;
}

/* TEXT_MAKE and TEXT_MEASURE: the answer, and its state. */
static int
call_function(const GenBatch *gen, const GenStep *step, const RowRegisters *row, GenTextAnswer *answer)
{
	const char *shape = gpustr_text_function_shape(step->aux);
	const uint16_t in[3] = {step->in0, step->in1, step->in2};
	GenTextCall call;
	int			state = GPUSTR_FALSE;
	int			i;

	memset(&call, 0, sizeof(call));
	for (i = 0; shape[i] != '\0'; i++)
	{
		if (shape[i] == 'T')
		{
			state = both(state, row->text[in[i]].state);
			call.text[i] = row->text[in[i]].bytes;
			call.len[i] = row->text[in[i]].len;
		}
		else
		{
			state = both(state, row->value[in[i]].state);
			call.value[i] = row->value[in[i]].value;
		}
	}
	if (state == GPUSTR_FALSE && !gen_text_call(step, gen->encoding, &call, answer))
		state = GPUSTR_RECHECK;
	return state;
}

/* Steps that make a text. */
static RowText
evaluate_text(const GenBatch *gen, const GenValue *values, const GenStep *step, const RowRegisters *row)
{
	RowText		text = {GPUSTR_FALSE, step->value, step->value_bytes};
	GenTextAnswer answer = {"", 0};

	switch (step->op)
	{
		case GPUSTR_OP_DECODE_TEXT:
			return text_of(gen, &values[step->attr - 1]);
		case GPUSTR_OP_DECODE_BYTES:
			text = text_of(gen, &values[step->attr - 1]);
			if (text.state == GPUSTR_FALSE && (step->attr_len <= 0 || text.len != step->attr_len))
				text.state = GPUSTR_RECHECK;
			if (step->aux == 1 && text.len > 0 && memchr(text.bytes, 0, (size_t) text.len) != NULL)
				text.len = (int32_t) strlen(text.bytes);
			return text;
		case GPUSTR_OP_COLUMN:
			return text_of(gen, &values[step->attr]);
		case GPUSTR_OP_CONST_TEXT:
			text.state = step->attr;
			return text;
		case GPUSTR_OP_CHOOSE_TEXT:
			text = row->truth[step->in2] == GPUSTR_TRUE ? row->text[step->in0] : row->text[step->in1];
			if (row->truth[step->in2] == GPUSTR_RECHECK)
				text.state = GPUSTR_RECHECK;
			return text;
		case GPUSTR_OP_TEXT_MAKE:
			text.state = call_function(gen, step, row, &answer);
			text.bytes = answer.text;
			text.len = text.state == GPUSTR_FALSE ? (int32_t) answer.value : 0;
			return text;
		default:				/* TRIM_BLANKS */
			text = row->text[step->in0];
			while (text.len > 0 && text.bytes[text.len - 1] == ' ')
				text.len--;
			return text;
	}
}

/* Steps that make a value. */
static RowValue
evaluate_value(const GenBatch *gen, const GenValue *values, const GenStep *step, const RowRegisters *row)
{
	RowValue	value = {GPUSTR_FALSE, 0};
	GenTextAnswer answer = {"", 0};
	RowText		text;
	int			ok = 1;

	switch (step->op)
	{
		case GPUSTR_OP_DECODE_VALUE:
			text = text_of(gen, &values[step->attr - 1]);
			value.state = text.state;
			if (text.state != GPUSTR_FALSE)
				return value;
			ok = step->attr_len == naive_value_bytes[step->aux] && text.len == step->attr_len;
			if (ok)
				value.value = naive_load(text.bytes, step->aux);
			break;
		case GPUSTR_OP_CONST_VALUE:
			value.state = step->attr;
			value.value = step->number[0];
			return value;
		case GPUSTR_OP_CHOOSE_VALUE:
			value = row->truth[step->in2] == GPUSTR_TRUE ? row->value[step->in0] : row->value[step->in1];
			ok = row->truth[step->in2] != GPUSTR_RECHECK;
			break;
		case GPUSTR_OP_LENGTH:
			text = row->text[step->in0];
			value.state = text.state;
			while (text.len > 0)
			{
				int32_t		bytes = step->aux == 1 ? 1 : naive_char_bytes(text.bytes, text.len, gen->encoding);

				text.bytes += bytes;
				text.len -= bytes;
				value.value++;
			}
			return value;
		case GPUSTR_OP_BOOL_VALUE:
			value.value = row->truth[step->in0] == GPUSTR_TRUE;
			value.state = row->truth[step->in0] & 2 ? row->truth[step->in0] : GPUSTR_FALSE;
			return value;
		case GPUSTR_OP_ARITH:
			value.state = row->value[step->in0].state;
			if (step->aux != GPUSTR_ARITH_NEG && step->aux != GPUSTR_ARITH_ABS &&
				step->aux != GPUSTR_ARITH_NOT)
				value.state = both(value.state, row->value[step->in1].state);
			if (value.state != GPUSTR_FALSE)
				return value;
			if (step->attr == GPUSTR_VALUE_FLOAT4 || step->attr == GPUSTR_VALUE_FLOAT8)
				ok = naive_arith_float(step->aux, step->attr, row->value[step->in0].value,
									   row->value[step->in1].value, &value.value);
			else
				ok = naive_arith_int(step->aux, step->attr, row->value[step->in0].value,
									 row->value[step->in1].value, &value.value);
			break;
		case GPUSTR_OP_TEXT_MEASURE:
			value.state = call_function(gen, step, row, &answer);
			value.value = answer.value;
			return value;
		default:				/* CAST */
			value.state = row->value[step->in0].state;
			if (value.state != GPUSTR_FALSE)
				return value;
			ok = naive_cast(step->aux, row->value[step->in0].value, &value.value);
			break;
	}
	if (!ok)
		value.state = GPUSTR_RECHECK;
	return value;
}

/* Steps that test a text or value, or decode a bool. */
static int
evaluate_test(const GenBatch *gen, const GenValue *values, const GenStep *step, const RowRegisters *row)
{
	const GenValue *attr;
	const RowText *a = &row->text[step->in0];
	const RowText *b = &row->text[step->in1];
	const RowValue *x = &row->value[step->in0];
	const RowValue *y = &row->value[step->in1];
	int			truth;
	int			cmp = 0;

	switch (step->op)
	{
		case GPUSTR_OP_DECODE_NULL:
			attr = &values[step->attr - 1];
			return attr->state == HEAP_GEN_BROKEN ? GPUSTR_RECHECK :
				attr->state == HEAP_GEN_NULL ? GPUSTR_TRUE : GPUSTR_FALSE;
		case GPUSTR_OP_LIKE:
			if (a->state != GPUSTR_FALSE)
				return a->state;
			return naive_like(a->bytes, a->len, step->value, step->value_bytes, gen->encoding);
		case GPUSTR_OP_ILIKE:
			if (a->state != GPUSTR_FALSE)
				return a->state;
			return naive_ilike(a->bytes, a->len, &step->fold, step->value, step->value_bytes,
							   gen->encoding);
		case GPUSTR_OP_DFA:
			if (step->aux == 1 && row->truth[step->in2] != GPUSTR_TRUE)
				return row->truth[step->in2];
			if (a->state != GPUSTR_FALSE)
				return a->state;
			truth = gen_dfa_truth(step->dfa, a->bytes, a->len);
			return truth == GPUSTR_TRUE && step->attr == 1 ? GPUSTR_RECHECK : truth;
		case GPUSTR_OP_CONTAINS_ANY:
			if (a->state != GPUSTR_FALSE)
				return a->state;
			return gen_literals_truth(step->literals, a->bytes, a->len);
		case GPUSTR_OP_TEXT_EQ:
			if (a->state != GPUSTR_FALSE)
				return a->state;
			return naive_compare_bytes(a->bytes, a->len, step->value, step->value_bytes) == 0;
		case GPUSTR_OP_COMPARE_TEXT:
			truth = both(a->state, b->state);
			if (truth != GPUSTR_FALSE)
				return truth;
			if (!naive_compare_text(step->attr, a->bytes, a->len, b->bytes, b->len, &cmp))
				return GPUSTR_RECHECK;
			return naive_relation(cmp, step->aux);
		case GPUSTR_OP_COMPARE_VALUE:
			truth = both(x->state, y->state);
			if (truth != GPUSTR_FALSE)
				return truth;
			return naive_relation(naive_compare_value(step->attr, x->value, y->value), step->aux);
		case GPUSTR_OP_IN_TEXT:
			return a->state != GPUSTR_FALSE ? a->state : in_list(step, a, 0);
		case GPUSTR_OP_IN_VALUE:
			return x->state != GPUSTR_FALSE ? x->state : in_list(step, NULL, x->value);
		case GPUSTR_OP_NULL_TEXT:
			return a->state == GPUSTR_RECHECK ? GPUSTR_RECHECK : a->state == GPUSTR_NULL;
		case GPUSTR_OP_NULL_VALUE:
			return x->state == GPUSTR_RECHECK ? GPUSTR_RECHECK : x->state == GPUSTR_NULL;
		default:				/* VALUE_TRUE */
			return x->state != GPUSTR_FALSE ? x->state : x->value != 0;
	}
}

/* Steps that make an output column. */
static void
evaluate_output(const GenBatch *gen, const GenStep *step, const RowRegisters *row, ExpectedText * want)
{
	const RowText *a = &row->text[step->in0];
	const RowText *b = &row->text[step->in1];

	want->state = step->op == GPUSTR_OP_REDACT ? both(a->state, b->state) : a->state;
	if (step->aux == 1 && row->truth[step->in2] != GPUSTR_TRUE)
		want->state = GPUSTR_NULL;
	if (want->state != GPUSTR_FALSE)
		return;
	if (step->op == GPUSTR_OP_REDACT)
		want->bytes = naive_redact(a->bytes, a->len, b->bytes, b->len, gen->encoding, want->text);
	else if (step->op == GPUSTR_OP_FIND_ALL)
		want->bytes = naive_find_all(a->bytes, a->len, step->value, step->value_bytes, gen->encoding, want->text);
	else if (step->op == GPUSTR_OP_OUTPUT_TEXT)
	{
		want->bytes = a->len;
		memcpy(want->text, a->bytes, (size_t) a->len);
	}
	else if (step->op == GPUSTR_OP_FIND_ALL)
		want->bytes = naive_find_all(a->bytes, a->len, step->value, step->value_bytes, gen->encoding, want->text);
	else
		want->bytes = naive_mask(a->bytes, a->len, (int32_t) step->number[0], (int32_t) step->number[1],
								 step->value, step->value_bytes, gen->encoding, want->text);
}

static void
evaluate_row(const GenBatch *gen, int32_t r, Expected *want)
{
	const GenValue *values = &gen->value[r * gen->nvalues];
	RowRegisters row;
	int32_t		i;

	want->selects = 0;
	want->truth = GPUSTR_FALSE;
	memset(&row, 0, sizeof(row));
	gen_text_reset();
	for (i = 0; i < gen->nsteps; i++)
	{
		const GenStep *step = &gen->step[i];
		int		   *truth = &row.truth[step->out];

		switch (step->op)
		{
			case GPUSTR_OP_DECODE_TEXT:
			case GPUSTR_OP_DECODE_BYTES:
			case GPUSTR_OP_COLUMN:
			case GPUSTR_OP_CONST_TEXT:
			case GPUSTR_OP_CHOOSE_TEXT:
			case GPUSTR_OP_TRIM_BLANKS:
			case GPUSTR_OP_TEXT_MAKE:
				row.text[step->out] = evaluate_text(gen, values, step, &row);
				break;
			case GPUSTR_OP_DECODE_VALUE:
			case GPUSTR_OP_CONST_VALUE:
			case GPUSTR_OP_CHOOSE_VALUE:
			case GPUSTR_OP_LENGTH:
			case GPUSTR_OP_BOOL_VALUE:
			case GPUSTR_OP_ARITH:
			case GPUSTR_OP_CAST:
			case GPUSTR_OP_TEXT_MEASURE:
				row.value[step->out] = evaluate_value(gen, values, step, &row);
				break;
			case GPUSTR_OP_DECODE_NULL:
			case GPUSTR_OP_LIKE:
			case GPUSTR_OP_ILIKE:
			case GPUSTR_OP_DFA:
			case GPUSTR_OP_CONTAINS_ANY:
			case GPUSTR_OP_TEXT_EQ:
			case GPUSTR_OP_COMPARE_TEXT:
			case GPUSTR_OP_COMPARE_VALUE:
			case GPUSTR_OP_IN_TEXT:
			case GPUSTR_OP_IN_VALUE:
			case GPUSTR_OP_NULL_TEXT:
			case GPUSTR_OP_NULL_VALUE:
			case GPUSTR_OP_VALUE_TRUE:
				*truth = evaluate_test(gen, values, step, &row);
				break;
			case GPUSTR_OP_CONST:
				*truth = step->attr;
				break;
			case GPUSTR_OP_AND:
				*truth = naive_and[row.truth[step->in0]][row.truth[step->in1]];
				break;
			case GPUSTR_OP_OR:
				*truth = naive_or[row.truth[step->in0]][row.truth[step->in1]];
				break;
			case GPUSTR_OP_QUAL:
				*truth = naive_qual[row.truth[step->in0]][row.truth[step->in1]];
				break;
			case GPUSTR_OP_NOT:
				*truth = naive_not[row.truth[step->in0]];
				break;
			case GPUSTR_OP_IS_TRUE:
				*truth = row.truth[step->in0] == GPUSTR_NULL ? GPUSTR_FALSE : row.truth[step->in0];
				break;
			case GPUSTR_OP_NULL_BOOL:
				*truth = row.truth[step->in0] == GPUSTR_RECHECK ? GPUSTR_RECHECK : row.truth[step->in0] == GPUSTR_NULL;
				break;
			case GPUSTR_OP_CHOOSE_BOOL:
				*truth = row.truth[step->in2] == GPUSTR_RECHECK ? GPUSTR_RECHECK :
					row.truth[row.truth[step->in2] == GPUSTR_TRUE ? step->in0 : step->in1];
				break;
			case GPUSTR_OP_SELECT:
				want->selects = 1;
				want->truth = row.truth[step->in0];
				break;
			case GPUSTR_OP_REDACT:
			case GPUSTR_OP_MASK:
			case GPUSTR_OP_OUTPUT_TEXT:
			case GPUSTR_OP_FIND_ALL:
			case GPUSTR_OP_FIND_ALL:
			case GPUSTR_OP_OUTPUT_TEXT:
				evaluate_output(gen, step, &row, &want->out[step->attr]);
				break;
			default:
				break;			/* not generated */
		}
	}
}

static int
bit_of(const uint32_t *words, int32_t row)
{
	return (int) ((words[row / 32] >> (row % 32)) & 1);
}

/*
 * Is the row's place in an output column as expected?  *total: of the rows
 * before; *recheck is set where the row is recheck.
 */
static int
output_ok(const GpustrBatch *batch, const GpustrColumn *column, int32_t row, const ExpectedText * want,
		  int64_t *total, int *recheck)
{
	const int32_t *offsets = GPUSTR_BODY_PTR(batch, column->offsets_off, const int32_t);
	const unsigned char *validity = GPUSTR_BODY_PTR(batch, column->validity_off, const unsigned char);
	const char *data = GPUSTR_BODY_PTR(batch, column->data_off, const char);
	int64_t		room = column->data_bytes;
	int64_t		start = *total;
	int64_t		end = start + (want->state == GPUSTR_FALSE ? want->bytes : 0);
	int			valid = want->state == GPUSTR_FALSE && end <= room;

	*total = end;
	if (want->state == GPUSTR_RECHECK || (want->state == GPUSTR_FALSE && !valid))
		*recheck = 1;
	return ((validity[row / 8] >> (row % 8)) & 1) == valid &&
		offsets[row] == (start < room ? start : room) &&
		offsets[row + 1] == (end < room ? end : room) &&
		(!valid || memcmp(data + start, want->text, (size_t) want->bytes) == 0);
}

/* Bits of a bitmap past its n rows must be 0.  unit: bits in a word. */
static int
tail_ok(const void *bitmap, int32_t n, int32_t unit)
{
	const unsigned char *bytes = (const unsigned char *) bitmap;
	int32_t		end = (n + unit - 1) / unit * unit;
	int32_t		i;

	for (i = n; i < end; i++)
		if ((bytes[i / 8] >> (i % 8)) & 1)
			return 0;
	return 1;
}

/* Are the bits past the last row, and the columns of no row, as they must be? */
static int
ends_ok(const GpustrBatch *batch)
{
	int32_t		c;

	if (!tail_ok(GPUSTR_BODY_PTR(batch, batch->selected_off, const char), batch->nrows, 32) ||
		!tail_ok(GPUSTR_BODY_PTR(batch, batch->recheck_off, const char), batch->nrows, 32))
		return 0;
	for (c = 0; c < batch->nout; c++)
	{
		const GpustrColumn *column = &batch->out_column[c];

		if (!tail_ok(GPUSTR_BODY_PTR(batch, column->validity_off, const char), batch->nrows, 8) ||
			GPUSTR_BODY_PTR(batch, column->offsets_off, const int32_t)[0] != 0)
			return 0;
	}
	return 1;
}

int
gen_check(const GenBatch *gen, const void *body)
{
	static Expected want;
	const GpustrBatch *batch = (const GpustrBatch *) body;
	const uint32_t *selected = GPUSTR_BODY_PTR(body, batch->selected_off, const uint32_t);
	const uint32_t *recheck = GPUSTR_BODY_PTR(body, batch->recheck_off, const uint32_t);
	int64_t		total[GPUSTR_MAX_OUT_COLUMNS] = {0};
	int			bad = 0;
	int32_t		row;
	int32_t		c;

	for (row = 0; row < gen->nrows; row++)
	{
		int			want_recheck;
		int			want_selected;
		int			out_ok = 1;

		evaluate_row(gen, row, &want);
		want_recheck = want.selects && want.truth == GPUSTR_RECHECK;
		for (c = 0; c < batch->nout; c++)
			if (!output_ok(batch, &batch->out_column[c], row, &want.out[c], &total[c], &want_recheck))
				out_ok = 0;
		want_selected = want.selects && want.truth == GPUSTR_TRUE && !want_recheck;
		if (bit_of(recheck, row) != want_recheck || bit_of(selected, row) != want_selected || !out_ok)
		{
			if (bad++ < 3)
				printf("# row %d: selected %d recheck %d, not %d %d, or its text differs\n", row,
					   bit_of(selected, row), bit_of(recheck, row), want_selected, want_recheck);
		}
	}
	if (!ends_ok(batch))
	{
		printf("# bits past the last row are set, or a column does not start at 0\n");
		bad++;
	}
	return bad;
}
