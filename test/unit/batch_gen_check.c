/*-------------------------------------------------------------------------
 *
 * batch_gen_check.c
 *	  The results of a random batch, against a plain evaluation row by row.
 *
 * IDENTIFICATION
 *	  test/unit/batch_gen_check.c
 *
 *-------------------------------------------------------------------------
 */
#include <stddef.h>

#include "batch_gen.h"
#include "naive.h"

/* What a row must give. */
typedef struct Expected
{
	int			selects;
	int			truth;			/* of SELECT */
	int			redacts;
	int			redact_recheck;
	int32_t		redacted_bytes; /* -1: NULL */
	char		redacted[HEAP_GEN_MAX_TEXT + 8];
} Expected;

/* A value as a truth: false stands for "there is one". */
static int
value_truth(const GenValue *value)
{
	return value->state == HEAP_GEN_VALUE ? GPUSTR_FALSE :
		value->state == HEAP_GEN_NULL ? GPUSTR_NULL : GPUSTR_RECHECK;
}

static void
evaluate_row(const GenBatch *gen, int32_t row, Expected *want)
{
	const GenValue *text[GEN_MAX_STEPS];
	int			truth[GEN_MAX_STEPS];
	int32_t		i;

	memset(want, 0, offsetof(Expected, redacted));
	for (i = 0; i < gen->nsteps; i++)
	{
		const GenStep *step = &gen->step[i];
		const GenValue *values = &gen->value[row * gen->nvalues];
		const GenValue *a = NULL;
		const GenValue *b = NULL;

		switch (step->op)
		{
			case GPUSTR_OP_DECODE_TEXT:
				text[step->out] = &values[step->attr - 1];
				break;
			case GPUSTR_OP_COLUMN:
				text[step->out] = &values[step->attr];
				break;
			case GPUSTR_OP_DECODE_NULL:
				a = &values[step->attr - 1];
				truth[step->out] = a->state == HEAP_GEN_BROKEN ? GPUSTR_RECHECK :
					a->state == HEAP_GEN_NULL ? GPUSTR_TRUE : GPUSTR_FALSE;
				break;
			case GPUSTR_OP_CONST:
				truth[step->out] = step->attr;
				break;
			case GPUSTR_OP_LIKE:
				a = text[step->in0];
				truth[step->out] = value_truth(a);
				if (truth[step->out] == GPUSTR_FALSE)
					truth[step->out] = naive_like(gen->text + a->off, a->len, step->value,
												  step->value_bytes, gen->encoding);
				break;
			case GPUSTR_OP_ILIKE:
				a = text[step->in0];
				truth[step->out] = value_truth(a);
				if (truth[step->out] == GPUSTR_FALSE)
					truth[step->out] = naive_ilike(gen->text + a->off, a->len, &step->fold, step->value,
												   step->value_bytes, gen->encoding);
				break;
			case GPUSTR_OP_TEXT_EQ:
				a = text[step->in0];
				truth[step->out] = value_truth(a);
				if (truth[step->out] == GPUSTR_FALSE)
					truth[step->out] = a->len == step->value_bytes &&
						(a->len == 0 || memcmp(gen->text + a->off, step->value, (size_t) a->len) == 0);
				break;
			case GPUSTR_OP_AND:
				truth[step->out] = naive_and[truth[step->in0]][truth[step->in1]];
				break;
			case GPUSTR_OP_OR:
				truth[step->out] = naive_or[truth[step->in0]][truth[step->in1]];
				break;
			case GPUSTR_OP_QUAL:
				truth[step->out] = naive_qual[truth[step->in0]][truth[step->in1]];
				break;
			case GPUSTR_OP_NOT:
				truth[step->out] = naive_not[truth[step->in0]];
				break;
			case GPUSTR_OP_SELECT:
				want->selects = 1;
				want->truth = truth[step->in0];
				break;
			case GPUSTR_OP_REDACT:
				a = text[step->in0];
				b = text[step->in1];
				want->redacts = 1;
				want->redacted_bytes = -1;
				if (value_truth(a) == GPUSTR_RECHECK || value_truth(b) == GPUSTR_RECHECK)
					want->redact_recheck = 1;
				else if (value_truth(a) == GPUSTR_FALSE && value_truth(b) == GPUSTR_FALSE)
					want->redacted_bytes = naive_redact(gen->text + a->off, a->len,
														gen->text + b->off, b->len,
														gen->encoding, want->redacted);
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

/* Is the row's place in the output column as expected? */
static int
redacted_ok(const GpustrBatch *batch, int32_t row, const Expected *want)
{
	const GpustrColumn *column = &batch->out_column;
	const int32_t *offsets = GPUSTR_BODY_PTR(batch, column->offsets_off, const int32_t);
	const unsigned char *validity = GPUSTR_BODY_PTR(batch, column->validity_off, const unsigned char);
	const char *data = GPUSTR_BODY_PTR(batch, column->data_off, const char);
	int32_t		bytes = want->redacted_bytes >= 0 ? want->redacted_bytes : 0;

	if (row == 0 && offsets[0] != 0)
		return 0;
	return ((validity[row / 8] >> (row % 8)) & 1) == (want->redacted_bytes >= 0) &&
		offsets[row] >= 0 && offsets[row + 1] - offsets[row] == bytes &&
		offsets[row + 1] <= (int64_t) column->data_bytes &&
		memcmp(data + offsets[row], want->redacted, (size_t) bytes) == 0;
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

int
gen_check(const GenBatch *gen, const void *body)
{
	static Expected want;
	const GpustrBatch *batch = (const GpustrBatch *) body;
	const uint32_t *selected = GPUSTR_BODY_PTR(body, batch->selected_off, const uint32_t);
	const uint32_t *recheck = GPUSTR_BODY_PTR(body, batch->recheck_off, const uint32_t);
	int			bad = 0;
	int			redacts = 0;
	int32_t		row;

	for (row = 0; row < gen->nrows; row++)
	{
		int			want_recheck;
		int			want_selected;

		evaluate_row(gen, row, &want);
		redacts = want.redacts;
		want_recheck = want.redact_recheck || (want.selects && want.truth == GPUSTR_RECHECK);
		want_selected = want.selects && want.truth == GPUSTR_TRUE && !want_recheck;
		if (bit_of(recheck, row) != want_recheck || bit_of(selected, row) != want_selected ||
			(want.redacts && !redacted_ok(batch, row, &want)))
		{
			if (bad++ < 3)
				printf("# row %d: selected %d recheck %d, not %d %d, or its text differs\n", row,
					   bit_of(selected, row), bit_of(recheck, row), want_selected, want_recheck);
		}
	}
	if (!tail_ok(selected, gen->nrows, 32) || !tail_ok(recheck, gen->nrows, 32) ||
		(redacts && !tail_ok(GPUSTR_BODY_PTR(body, batch->out_column.validity_off, const char), gen->nrows, 8)))
	{
		printf("# bits past the last row are set\n");
		bad++;
	}
	return bad;
}

/* Call 'visit' with each result region of the batch: offset and bytes that an engine writes. */
static void
for_each_result(const GpustrBatch *batch, void (*visit) (void *context, uint32_t off, uint64_t bytes),
				void *context)
{
	uint64_t	bitmap_bytes = 4 * (uint64_t) GPUSTR_BITMAP_WORDS(batch->nrows);

	if (batch->selected_off != 0)
		visit(context, batch->selected_off, bitmap_bytes);
	if (batch->recheck_off != 0)
		visit(context, batch->recheck_off, bitmap_bytes);
	if (batch->out_column.offsets_off != 0)
	{
		const GpustrColumn *column = &batch->out_column;

		visit(context, column->validity_off, ((uint64_t) batch->nrows + 7) / 8);
		visit(context, column->offsets_off, 4 * ((uint64_t) batch->nrows + 1));
		visit(context, column->data_off, column->data_bytes);
	}
}

typedef struct Poison
{
	char	   *body;
	int			byte;
} Poison;

static void
poison_region(void *context, uint32_t off, uint64_t bytes)
{
	Poison	   *poison = (Poison *) context;

	memset(poison->body + off, poison->byte, (size_t) bytes);
}

void
gen_poison(GpustrBatch *batch, int byte)
{
	Poison		poison;

	poison.body = (char *) batch;
	poison.byte = byte;
	for_each_result(batch, poison_region, &poison);
}

typedef struct Compare
{
	const char *a;
	const char *b;
	uint32_t	data_off;		/* of the output column: only what is used */
	int			same;
} Compare;

static void
compare_region(void *context, uint32_t off, uint64_t bytes)
{
	Compare    *compare = (Compare *) context;
	const GpustrBatch *batch = (const GpustrBatch *) compare->a;

	if (off == compare->data_off)
	{
		int32_t		used = GPUSTR_BODY_PTR(batch, batch->out_column.offsets_off, const int32_t)[batch->nrows];

		if (used >= 0 && (uint64_t) used < bytes)
			bytes = (uint64_t) used;
	}
	if (memcmp(compare->a + off, compare->b + off, (size_t) bytes) != 0)
		compare->same = 0;
}

int
gen_compare(const void *a, const void *b)
{
	const GpustrBatch *batch = (const GpustrBatch *) a;
	Compare		compare;

	compare.a = (const char *) a;
	compare.b = (const char *) b;
	compare.data_off = batch->out_column.offsets_off != 0 ? batch->out_column.data_off : 0;
	compare.same = 1;
	for_each_result(batch, compare_region, &compare);
	return compare.same;
}
