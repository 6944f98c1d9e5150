/*-------------------------------------------------------------------------
 *
 * builder_join.c
 *	  Put a program together: what joins have beside the rest.
 *
 * See program_builder.c for how the area grows, and what happens when it is
 * full.  Registers are numbered through all spaces of rows.
 *
 * IDENTIFICATION
 *	  src/program/builder_join.c
 *
 *-------------------------------------------------------------------------
 */
#include <stddef.h>

#include "program/builder_steps.h"

uint16_t
gpustr_builder_column_value(GpustrProgramBuilder *b, int32_t column)
{
	GpustrStep *step = gpustr_builder_value_step(b, GPUSTR_OP_COLUMN_VALUE);

	if (step == NULL)
		return 0;
	step->attr = column;
	return step->out;
}

/* A step that has a constant and makes no register; NULL if it does not fit. */
static GpustrStep *
builder_constant_step(GpustrProgramBuilder *b, GpustrOp op, const void *constant, size_t bytes)
{
	GpustrStep *step = gpustr_builder_step(b, op);

	if (step == NULL)
		return NULL;
	step->const_off = gpustr_builder_copy(b, constant, (uint32_t) bytes);
	step->const_bytes = (uint32_t) bytes;
	return step;
}

void
gpustr_builder_build(GpustrProgramBuilder *b, const GpustrTableBuild *table)
{
	(void) builder_constant_step(b, GPUSTR_OP_BUILD, table,
								 offsetof(GpustrTableBuild, column) +
								 (size_t) table->ncolumns * sizeof(GpustrTableColumn));
}

void
gpustr_builder_probe(GpustrProgramBuilder *b, uint16_t condition, const GpustrProbe *probe)
{
	GpustrStep *step = builder_constant_step(b, GPUSTR_OP_PROBE, probe, sizeof(GpustrProbe));

	if (step != NULL)
		step->in0 = condition;
}

/* A step that makes a text or a value register, by kind. */
static GpustrStep *
builder_kind_step(GpustrProgramBuilder *b, int kind_text, GpustrOp text, GpustrOp value)
{
	return kind_text ? gpustr_builder_text_step(b, text) : gpustr_builder_value_step(b, value);
}

uint16_t
gpustr_builder_gather(GpustrProgramBuilder *b, int kind_text, uint16_t reg)
{
	GpustrStep *step = builder_kind_step(b, kind_text, GPUSTR_OP_GATHER_TEXT,
										 GPUSTR_OP_GATHER_VALUE);

	if (step == NULL)
		return 0;
	step->in0 = reg;
	return step->out;
}

uint16_t
gpustr_builder_inner(GpustrProgramBuilder *b, int kind_text, int32_t column)
{
	GpustrStep *step = builder_kind_step(b, kind_text, GPUSTR_OP_INNER_TEXT,
										 GPUSTR_OP_INNER_VALUE);

	if (step == NULL)
		return 0;
	step->attr = column;
	return step->out;
}

void
gpustr_builder_result(GpustrProgramBuilder *b, int32_t condition)
{
	GpustrStep *step = gpustr_builder_step(b, GPUSTR_OP_RESULT);

	if (step == NULL || condition < 0)
		return;
	step->aux = 1;
	step->in0 = (uint16_t) condition;
}

void
gpustr_builder_result_column(GpustrProgramBuilder *b, int kind_text, int32_t column, uint16_t reg)
{
	GpustrStep *step = gpustr_builder_step(b, kind_text ? GPUSTR_OP_RESULT_TEXT :
										   GPUSTR_OP_RESULT_VALUE);

	if (step == NULL)
		return;
	step->attr = column;
	step->in0 = reg;
}
