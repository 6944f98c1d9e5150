/*-------------------------------------------------------------------------
 *
 * builder_output.c
 *	  Put a program together: functions of texts, and output columns.
 *
 * See program_builder.c for how the area grows, and what happens when it is
 * full.
 *
 * IDENTIFICATION
 *	  src/program/builder_output.c
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "program/builder_steps.h"

uint16_t
gpustr_builder_text_function(GpustrProgramBuilder *b, GpustrTextFunction function,
							 const uint16_t *args, const void *constant,
							 uint32_t constant_bytes)
{
	int			nargs = (int) strlen(gpustr_text_function_shape(function));
	GpustrStep *step = function <= GPUSTR_TEXT_MAKE_LAST ?
	gpustr_builder_text_step(b, GPUSTR_OP_TEXT_MAKE) : gpustr_builder_value_step(b, GPUSTR_OP_TEXT_MEASURE);

	if (step == NULL)
		return 0;
	step->aux = (uint16_t) function;
	step->in0 = args[0];
	step->in1 = nargs > 1 ? args[1] : 0;
	step->in2 = nargs > 2 ? args[2] : 0;
	step->const_off = gpustr_builder_copy(b, constant, constant_bytes);
	step->const_bytes = constant_bytes;
	return step->out;
}

void
gpustr_builder_of_bytes(GpustrProgramBuilder *b)
{
	if (!b->full)
		b->step[b->nsteps - 1].attr = 1;
}

void
gpustr_builder_select(GpustrProgramBuilder *b, uint16_t arg)
{
	GpustrStep *step = gpustr_builder_step(b, GPUSTR_OP_SELECT);

	if (step != NULL)
		step->in0 = arg;
}

/* A step that makes an output column; NULL if it does not fit. */
static GpustrStep *
builder_output(GpustrProgramBuilder *b, GpustrOp op, int32_t column, uint16_t in0, uint16_t in1)
{
	GpustrStep *step = gpustr_builder_step(b, op);

	if (step == NULL)
		return NULL;
	step->attr = column;
	step->in0 = in0;
	step->in1 = in1;
	return step;
}

void
gpustr_builder_redact(GpustrProgramBuilder *b, int32_t column, uint16_t name,
					  uint16_t visibility)
{
	(void) builder_output(b, GPUSTR_OP_REDACT, column, name, visibility);
}

void
gpustr_builder_output_text(GpustrProgramBuilder *b, int32_t column, uint16_t text)
{
	(void) builder_output(b, GPUSTR_OP_OUTPUT_TEXT, column, text, 0);
}

void
gpustr_builder_find_all(GpustrProgramBuilder *b, int32_t column, uint16_t text,
						const char *what, int32_t what_bytes)
{
	GpustrStep *step = builder_output(b, GPUSTR_OP_FIND_ALL, column, text, 0);

	if (step == NULL)
		return;
	step->const_off = gpustr_builder_copy(b, what, (uint32_t) what_bytes);
	step->const_bytes = (uint32_t) what_bytes;
}

void
gpustr_builder_mask(GpustrProgramBuilder *b, int32_t column, uint16_t text,
					int32_t keep_left, int32_t keep_right,
					const char *mask, int32_t mask_bytes)
{
	GpustrMask	head = {keep_left, keep_right, mask_bytes, 0};
	GpustrStep *step = builder_output(b, GPUSTR_OP_MASK, column, text, 0);
	char	   *to = gpustr_builder_room(b, sizeof(GpustrMask) + (uint32_t) mask_bytes);

	if (step == NULL || to == NULL)
		return;
	step->const_off = (uint32_t) (to - b->area);
	step->const_bytes = sizeof(GpustrMask) + (uint32_t) mask_bytes;
	memcpy(to, &head, sizeof(head));
	if (mask_bytes > 0)
		memcpy(to + sizeof(head), mask, (size_t) mask_bytes);
}

void
gpustr_builder_only_where(GpustrProgramBuilder *b, uint16_t condition)
{
	if (b->full)
		return;
	b->step[b->nsteps - 1].aux = 1;
	b->step[b->nsteps - 1].in2 = condition;
}
