/*-------------------------------------------------------------------------
 *
 * test_batch_output.c
 *	  Batches with output columns that must be refused: one thing wrong.
 *
 * IDENTIFICATION
 *	  test/unit/test_batch_output.c
 *
 *-------------------------------------------------------------------------
 */
#include "batch/batch_layout.h"
#include "engine/engine.h"
#include "program/program_builder.h"
#include "test_common.h"

#define BODY_BYTES 65536

static GpustrProgramBuilder builder;
static uint64_t area[4096];
static char *body;

static int
accepted(void)
{
	EngineError error;
	EngineCode	code = gpustr_batch_check(body, BODY_BYTES, &error);

	CHECK(code == ENGINE_OK || (code == ENGINE_BAD_INPUT && error.message[0] != '\0'), "code %d", code);
	return code == ENGINE_OK;
}

/*
 * Make a body of one row with ncolumns input columns, or of no pages, and
 * 'nout' output columns, made by MASK but for the first; column 1 where a truth
 * is true.  Returns the first such step.
 */
static GpustrStep *
make_outputs(int pages, int32_t ncolumns, int32_t nout)
{
	static const uint64_t data_bytes[GPUSTR_MAX_COLUMNS] = {0};
	GpustrBatch *batch = (GpustrBatch *) body;
	GpustrProgram *program;
	uint32_t	off;
	int32_t		i;

	gpustr_builder_init(&builder, GPUSTR_ENC_UTF8, area, sizeof(area));
	(void) gpustr_builder_const_text(&builder, GPUSTR_FALSE, "text", 4);
	(void) gpustr_builder_const(&builder, GPUSTR_TRUE);
	for (i = 0; i < nout; i++)
	{
		if (i == 0)
			gpustr_builder_redact(&builder, i, 0, 0);
		else
			gpustr_builder_mask(&builder, i, 0, 1, 2, "mask", 4);
		if (i == 1)
			gpustr_builder_only_where(&builder, 0);
	}

	/* one more bool, too late for the steps before */
	(void) gpustr_builder_const(&builder, GPUSTR_TRUE);
	CHECK(gpustr_builder_finish(&builder) > 0, "the program fits");
	program = (GpustrProgram *) area;
	if (pages)
		(void) gpustr_layout_pages(body, BODY_BYTES, program, 1, nout, 64);
	else
	{
		(void) gpustr_layout_columns(body, BODY_BYTES, program, 1, ncolumns, data_bytes, nout > 0 ? 64 : 0);
		for (i = 0; i < ncolumns; i++)
			memset(GPUSTR_BODY_PTR(body, batch->column[i].offsets_off, char), 0, 2 * sizeof(int32_t));
		off = batch->out_column[0].data_off + 64;
		for (batch->nout = nout, i = 1; i < nout; i++, off += 192)
		{
			batch->out_column[i].validity_off = off;
			batch->out_column[i].offsets_off = off + 64;
			batch->out_column[i].data_off = off + 128;
			batch->out_column[i].data_bytes = 64;
		}
	}
	program = GPUSTR_BODY_PTR(body, batch->program_off, GpustrProgram);
	return (GpustrStep *) ((char *) program + program->step_off) + 2;
}

/* Which step makes which output column, and where. */
static void
check_output_steps(int pages)
{
	static const int32_t bad_nout[] = {-1, 0, 1, 2, 4, 5, 6, 256, 65539, INT32_MAX, INT32_MIN};
	static const uint16_t bad_bool[] = {1, 2, 127, 128, 0xFFFF};
	GpustrStep *step = make_outputs(pages, 1, 3);
	GpustrBatch *batch = (GpustrBatch *) body;
	GpustrBatch good = *batch;
	int			column[3];
	int			i;

	CHECK(accepted(), "three columns");
	batch->out_column[3] = batch->out_column[2];	/* not looked at: 3
													 * columns */
	CHECK(accepted(), "a fourth column that is not");
	batch->out_column[3].validity_off = BODY_BYTES - 192;
	batch->out_column[3].offsets_off = BODY_BYTES - 128;
	batch->out_column[3].data_off = BODY_BYTES - 64;
	for (i = 0; i < (int) (sizeof(bad_nout) / sizeof(bad_nout[0])); i++)
	{
		batch->nout = bad_nout[i];
		CHECK(!accepted(), "%d output columns", batch->nout);
	}
	*batch = good;

	/* each column once, in any order */
	for (i = 0; i < 6 * 6 * 6; i++)
	{
		int			seen = 0;
		int			k;

		column[0] = i % 6 - 1;
		column[1] = i / 6 % 6 - 1;
		column[2] = i / 36 - 1;
		for (k = 0; k < 3; k++)
		{
			step[k].attr = column[k];
			seen |= column[k] >= 0 ? 1 << column[k] : 0;
		}
		CHECK(accepted() == (seen == 7), "columns %d %d %d", column[0], column[1], column[2]);
	}
	for (i = 0; i < 3; i++)
		step[i].attr = i;

	/* none missing, but one twice */
	batch->nout = 2;
	for (i = 0; i < 8; i++)
	{
		step[0].attr = i & 1;
		step[1].attr = (i >> 1) & 1;
		step[2].attr = i >> 2;
		CHECK(!accepted(), "two columns of three steps: %d", i);
	}
	*batch = good;
	for (i = 0; i < 3; i++)
		step[i].attr = i;
	CHECK(accepted(), "repaired");

	/* an output column needs the recheck bitmap, and no other */
	batch->recheck_off = 0;
	CHECK(!accepted(), "no recheck bitmap");
	*batch = good;
	batch->selected_off = 0;
	CHECK(accepted(), "no selection");
	*batch = good;

	/* only where */
	for (i = 0; i < 5; i++)
	{
		int			k;

		for (k = 0; k < 3; k++)
		{
			GpustrStep	saved = step[k];

			step[k].aux = 0;
			step[k].in2 = bad_bool[i];
			CHECK(accepted(), "a truth that is not asked for");
			step[k].aux = 1;
			CHECK(!accepted(), "only where bool %d", bad_bool[i]);
			step[k].in2 = 0;
			CHECK(accepted(), "only where bool 0");
			step[k] = saved;
		}
	}
	CHECK(accepted(), "repaired");
}

/* The regions of output columns: aligned, in the body, apart from all others. */
static void
check_output_regions(int pages)
{
	GpustrBatch *batch = (GpustrBatch *) body;
	uint32_t	taken[7];
	int32_t		c;
	int			k;

	(void) make_outputs(pages, 1, GPUSTR_MAX_OUT_COLUMNS);
	CHECK(accepted(), "the most output columns");
	batch->nout++;
	CHECK(!accepted(), "one too many");
	batch->nout--;
	taken[0] = 0;
	taken[1] = batch->program_off;
	taken[2] = pages ? batch->row_start_off : batch->column[0].offsets_off;
	taken[3] = pages ? batch->row_start_off : batch->recheck_off;
	for (c = 0; c < GPUSTR_MAX_OUT_COLUMNS; c++)
	{
		GpustrColumn *column = &batch->out_column[c];
		GpustrColumn good = *column;
		const GpustrColumn *other = &batch->out_column[(c + 1) % GPUSTR_MAX_OUT_COLUMNS];
		uint32_t   *off[3];

		off[0] = &column->validity_off;
		off[1] = &column->offsets_off;
		off[2] = &column->data_off;
		taken[4] = other->offsets_off;
		taken[5] = other->data_off;
		for (k = pages; k < 3; k++) /* no row, no validity */
		{
			int			i;

			taken[6] = k == 1 ? good.data_off : good.offsets_off;
			for (i = 0; i < 7; i++)
			{
				*off[k] = taken[i];
				CHECK(!accepted(), "column %d, region %d at %u", c, k, taken[i]);
			}
			for (i = 1; i < 64; i++)
			{
				*column = good;
				*off[k] += (uint32_t) i;
				CHECK(!accepted(), "column %d, region %d is not aligned", c, k);
			}
			*off[k] = BODY_BYTES;
			CHECK(!accepted(), "column %d, region %d at the end", c, k);
			*off[k] = 0xFFFFFFC0;
			CHECK(!accepted(), "column %d, region %d past the end", c, k);
			*column = good;
		}
		column->data_bytes = BODY_BYTES - good.data_off + 1;
		CHECK(!accepted(), "column %d: too much room", c);
		column->data_bytes = UINT32_MAX;
		CHECK(!accepted(), "column %d: all the room there is", c);
		column->data_bytes = 0;
		CHECK(accepted(), "column %d: no room", c);
		*column = good;
	}
	CHECK(accepted(), "repaired");
	(void) make_outputs(0, GPUSTR_MAX_COLUMNS, GPUSTR_MAX_OUT_COLUMNS);
	CHECK(accepted(), "the most columns of both kinds");
}

/* The constant of MASK. */
static void
check_masks(void)
{
	static const int32_t bad_bytes[] = {-1, -4, 0, 1, 3, 5, 8, 65536, INT32_MAX, INT32_MIN, -16, -12};
	static const int32_t keep[] = {0, 1, 100, INT32_MAX, -1, -100, INT32_MIN};
	GpustrStep *step = make_outputs(0, 1, 2) + 1;
	GpustrMask *mask = (GpustrMask *) (body + ((GpustrBatch *) body)->program_off + step->const_off);
	GpustrStep	good = *step;
	uint32_t	n;
	int			i;

	CHECK(accepted() && mask->keep_left == 1 && mask->keep_right == 2 && mask->mask_bytes == 4, "the mask");
	for (i = 0; i < 7; i++)
	{
		mask->keep_left = keep[i];
		CHECK(accepted() == (keep[i] >= 0), "keep %d on the left", keep[i]);
		mask->keep_left = 1;
		mask->keep_right = keep[i];
		CHECK(accepted() == (keep[i] >= 0), "keep %d on the right", keep[i]);
		mask->keep_right = 2;
	}
	for (i = 0; i < 12; i++)
	{
		mask->mask_bytes = bad_bytes[i];
		CHECK(!accepted(), "%d bytes", bad_bytes[i]);
	}
	mask->mask_bytes = 4;
	for (n = 0; n < 40; n++)
	{
		step->const_bytes = n;
		CHECK(accepted() == (n == 20), "a constant of %u bytes", n);
	}
	step->const_bytes = sizeof(GpustrMask) + UINT32_C(0x80000000);
	mask->mask_bytes = INT32_MIN;
	CHECK(!accepted(), "a negative mask of 2 GB");
	step->const_bytes = 15;
	mask->mask_bytes = -1;
	CHECK(!accepted(), "a negative mask");
	mask->mask_bytes = 4;
	*step = good;
	for (n = 1; n < 8; n++)
	{
		step->const_off = good.const_off + n;
		CHECK(!accepted(), "a mask that is not aligned");
	}
	*step = good;
	step->const_bytes = sizeof(GpustrMask);
	mask->mask_bytes = 0;
	CHECK(accepted(), "an empty mask");
}

int
main(void)
{
	int			pages;

	body = aligned_alloc(GPUSTR_BODY_ALIGN, BODY_BYTES);
	memset(body, 0xA5, BODY_BYTES);
	for (pages = 0; pages < 2; pages++)
	{
		check_output_steps(pages);
		check_output_regions(pages);
	}
	test_done("output columns");
	check_masks();
	test_done("masks");
	free(body);
	return test_exit();
}
