/*-------------------------------------------------------------------------
 *
 * batch_gen_results.c
 *	  The result regions of a batch: fill them, compare those of two engines; and
 *	  the other way to the same results.
 *
 * IDENTIFICATION
 *	  test/unit/batch_gen_results.c
 *
 *-------------------------------------------------------------------------
 */
#include "batch_gen.h"
#include "rowfn/like.h"

/*
 * Call 'visit' with each result region of the batch: offset and bytes that an
 * engine writes.  with_data: the data of output columns, too.
 */
static void
for_each_result(const GpustrBatch *batch, int with_data,
				void (*visit) (void *context, uint32_t off, uint64_t bytes), void *context)
{
	uint64_t	bitmap_bytes = 4 * (uint64_t) GPUSTR_BITMAP_WORDS(batch->nrows);
	int32_t		i;

	if (batch->selected_off != 0)
		visit(context, batch->selected_off, bitmap_bytes);
	if (batch->recheck_off != 0)
		visit(context, batch->recheck_off, bitmap_bytes);
	for (i = 0; i < batch->nout; i++)
	{
		const GpustrColumn *column = &batch->out_column[i];

		visit(context, column->validity_off, ((uint64_t) batch->nrows + 7) / 8);
		visit(context, column->offsets_off, 4 * ((uint64_t) batch->nrows + 1));
		if (with_data)
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
	for_each_result(batch, 1, poison_region, &poison);
}

typedef struct Compare
{
	const char *a;
	const char *b;
	int			same;
} Compare;

static void
compare_region(void *context, uint32_t off, uint64_t bytes)
{
	Compare    *compare = (Compare *) context;

	if (memcmp(compare->a + off, compare->b + off, (size_t) bytes) != 0)
		compare->same = 0;
}

/* Are the values of two columns, whose validity and offsets are the same, the same? */
static int
same_values(const void *a, const void *b, const GpustrColumn *column, int32_t nrows)
{
	const unsigned char *validity = GPUSTR_BODY_PTR(a, column->validity_off, const unsigned char);
	const int32_t *offsets = GPUSTR_BODY_PTR(a, column->offsets_off, const int32_t);
	int32_t		row;

	for (row = 0; row < nrows; row++)
	{
		if (((validity[row / 8] >> (row % 8)) & 1) == 0)
			continue;
		if (offsets[row] < 0 || offsets[row + 1] < offsets[row] ||
			(uint32_t) offsets[row + 1] > column->data_bytes ||
			memcmp(GPUSTR_BODY_PTR(a, column->data_off, const char) + offsets[row],
				   GPUSTR_BODY_PTR(b, column->data_off, const char) + offsets[row],
				   (size_t) (offsets[row + 1] - offsets[row])) != 0)
			return 0;
	}
	return 1;
}

int
gen_compare(const void *a, const void *b)
{
	const GpustrBatch *batch = (const GpustrBatch *) a;
	Compare		compare;
	int32_t		i;

	compare.a = (const char *) a;
	compare.b = (const char *) b;
	compare.same = 1;
	for_each_result(batch, 0, compare_region, &compare);
	for (i = 0; compare.same && i < batch->nout; i++)
		compare.same = same_values(a, b, &batch->out_column[i], batch->nrows);
	return compare.same;
}

int
gen_use_automata(void *body)
{
	GpustrProgram *program = GPUSTR_BODY_PTR(body, ((GpustrBatch *) body)->program_off, GpustrProgram);
	GpustrStep *step = (GpustrStep *) ((char *) program + program->step_off);
	int			used = 0;
	int32_t		i;

	for (i = 0; i < program->nsteps; i++, step++)
	{
		uint32_t	at = step->op == GPUSTR_OP_ILIKE ? sizeof(GpustrFold) : 0;

		if ((step->op != GPUSTR_OP_LIKE && step->op != GPUSTR_OP_ILIKE) || step->aux != 1)
			continue;
		at += GPUSTR_LIKE_AUTOMATON_AT(GPUSTR_PROGRAM_CONST(program, step) + at);
		step->op = GPUSTR_OP_DFA;
		step->aux = 0;
		step->attr = 0;
		step->const_off += at;
		step->const_bytes -= at;
		used++;
	}
	return used;
}
