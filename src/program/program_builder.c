/*-------------------------------------------------------------------------
 *
 * program_builder.c
 *	  Put a program together, step by step, into memory of the caller's.
 *
 * The area grows from its start: the header, then each constant and missing
 * value as it comes, each at a multiple of 8.  Steps and attributes wait in
 * the builder and are copied behind them by gpustr_builder_finish().  The area
 * counts in whole multiples of 8, so that padding always fits.
 *
 * Once something does not fit, 'full' is set and nothing is written any more;
 * register numbers returned from then on are 0 and of no use.
 *
 * IDENTIFICATION
 *	  src/program/program_builder.c
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "program/like_compile.h"
#include "program/program_builder.h"

#define BUILDER_ALIGN_UP(x) (((x) + 7u) & ~7u)

/* Take 'bytes' at the end of the area, which fit, and pad to a multiple of 8. */
static void
builder_take(GpustrProgramBuilder *b, uint32_t bytes)
{
	uint32_t	pad;

	b->used += bytes;
	pad = BUILDER_ALIGN_UP(b->used) - b->used;
	memset(b->area + b->used, 0, pad);
	b->used += pad;
}

/* Room for 'bytes' more, aligned; NULL, and full, if there is none. */
static char *
builder_room(GpustrProgramBuilder *b, uint32_t bytes)
{
	char	   *room = b->area + b->used;

	if (b->full || bytes > b->area_bytes - b->used)
	{
		b->full = 1;
		return NULL;
	}
	builder_take(b, bytes);
	return room;
}

/* Copy bytes into the area.  Returns their offset. */
static uint32_t
builder_copy(GpustrProgramBuilder *b, const void *bytes, uint32_t nbytes)
{
	char	   *room = builder_room(b, nbytes);

	if (room == NULL)
		return 0;
	if (nbytes > 0)
		memcpy(room, bytes, nbytes);
	return (uint32_t) (room - b->area);
}

/* A new step; NULL, and full, if there are too many. */
static GpustrStep *
builder_step(GpustrProgramBuilder *b, GpustrOp op)
{
	GpustrStep *step;

	if (b->full || b->nsteps == GPUSTR_MAX_STEPS)
	{
		b->full = 1;
		return NULL;
	}
	step = &b->step[b->nsteps++];
	memset(step, 0, sizeof(*step));
	step->op = (uint16_t) op;
	return step;
}

/* A new step that makes a text register. */
static uint16_t
builder_text_step(GpustrProgramBuilder *b, GpustrOp op, int32_t attr)
{
	GpustrStep *step;

	if (b->ntext == GPUSTR_MAX_TEXT_REGS)
		b->full = 1;
	step = builder_step(b, op);
	if (step == NULL)
		return 0;
	step->attr = attr;
	step->out = (uint16_t) b->ntext++;
	return step->out;
}

/* A new step that makes a bool register; the caller fills in the arguments. */
static GpustrStep *
builder_bool_step(GpustrProgramBuilder *b, GpustrOp op)
{
	GpustrStep *step;

	if (b->nbool == GPUSTR_MAX_BOOL_REGS)
		b->full = 1;
	step = builder_step(b, op);
	if (step != NULL)
		step->out = (uint16_t) b->nbool++;
	return step;
}

void
gpustr_builder_init(GpustrProgramBuilder *b, int32_t encoding, void *area, uint32_t area_bytes)
{
	b->area = (char *) area;
	b->area_bytes = area_bytes & ~7u;
	b->used = 0;
	b->full = 0;
	b->encoding = encoding;
	b->nsteps = 0;
	b->ntext = 0;
	b->nbool = 0;
	b->nattrs = 0;
	(void) builder_room(b, sizeof(GpustrProgram));
}

void
gpustr_builder_attr(GpustrProgramBuilder *b, int16_t len, uint8_t align, uint8_t missing,
					const void *missing_value, uint32_t missing_bytes)
{
	GpustrAttr *attr;
	uint32_t	off = 0;

	if (b->nattrs == GPUSTR_MAX_ATTRS)
		b->full = 1;
	if (missing == 1)
		off = builder_copy(b, missing_value, missing_bytes);
	if (b->full)
		return;
	attr = &b->attr[b->nattrs++];
	attr->len = len;
	attr->align = align;
	attr->missing = missing;
	attr->missing_off = off;
	attr->missing_bytes = missing == 1 ? missing_bytes : 0;
}

uint16_t
gpustr_builder_decode_text(GpustrProgramBuilder *b, int32_t attr)
{
	return builder_text_step(b, GPUSTR_OP_DECODE_TEXT, attr);
}

uint16_t
gpustr_builder_column(GpustrProgramBuilder *b, int32_t column)
{
	return builder_text_step(b, GPUSTR_OP_COLUMN, column);
}

uint16_t
gpustr_builder_decode_null(GpustrProgramBuilder *b, int32_t attr)
{
	GpustrStep *step = builder_bool_step(b, GPUSTR_OP_DECODE_NULL);

	if (step == NULL)
		return 0;
	step->attr = attr;
	return step->out;
}

uint16_t
gpustr_builder_const(GpustrProgramBuilder *b, GpustrTruth value)
{
	GpustrStep *step = builder_bool_step(b, GPUSTR_OP_CONST);

	if (step == NULL)
		return 0;
	step->attr = (int32_t) value;
	return step->out;
}

uint16_t
gpustr_builder_like(GpustrProgramBuilder *b, uint16_t text, const char *pattern,
					int32_t pattern_bytes)
{
	GpustrStep *step = builder_bool_step(b, GPUSTR_OP_LIKE);
	uint32_t	bytes;

	if (step == NULL)
		return 0;
	step->in0 = text;
	step->const_off = b->used;
	bytes = gpustr_like_compile(pattern, pattern_bytes, b->encoding, b->area + b->used,
								b->area_bytes - b->used);
	if (bytes == 0)
	{
		b->full = 1;
		return 0;
	}
	step->const_bytes = bytes;
	builder_take(b, bytes);
	return step->out;
}

uint16_t
gpustr_builder_text_eq(GpustrProgramBuilder *b, uint16_t text, const char *value,
					   int32_t value_bytes)
{
	GpustrStep *step = builder_bool_step(b, GPUSTR_OP_TEXT_EQ);

	if (step == NULL)
		return 0;
	step->in0 = text;
	step->const_off = builder_copy(b, value, (uint32_t) value_bytes);
	step->const_bytes = (uint32_t) value_bytes;
	return step->out;
}

uint16_t
gpustr_builder_binary(GpustrProgramBuilder *b, GpustrOp op, uint16_t left, uint16_t right)
{
	GpustrStep *step = builder_bool_step(b, op);

	if (step == NULL)
		return 0;
	step->in0 = left;
	step->in1 = right;
	return step->out;
}

uint16_t
gpustr_builder_not(GpustrProgramBuilder *b, uint16_t arg)
{
	GpustrStep *step = builder_bool_step(b, GPUSTR_OP_NOT);

	if (step == NULL)
		return 0;
	step->in0 = arg;
	return step->out;
}

void
gpustr_builder_select(GpustrProgramBuilder *b, uint16_t arg)
{
	GpustrStep *step = builder_step(b, GPUSTR_OP_SELECT);

	if (step != NULL)
		step->in0 = arg;
}

void
gpustr_builder_redact(GpustrProgramBuilder *b, uint16_t name, uint16_t visibility)
{
	GpustrStep *step = builder_step(b, GPUSTR_OP_REDACT);

	if (step != NULL)
	{
		step->in0 = name;
		step->in1 = visibility;
	}
}

uint32_t
gpustr_builder_finish(GpustrProgramBuilder *b)
{
	GpustrProgram *program = (GpustrProgram *) b->area;
	uint32_t	step_off;
	uint32_t	attr_off;

	step_off = builder_copy(b, b->step, (uint32_t) b->nsteps * sizeof(GpustrStep));
	attr_off = builder_copy(b, b->attr, (uint32_t) b->nattrs * sizeof(GpustrAttr));
	if (b->full)
		return 0;
	program->bytes = b->used;
	program->encoding = b->encoding;
	program->nsteps = b->nsteps;
	program->ntext = b->ntext;
	program->nbool = b->nbool;
	program->nattrs = b->nattrs;
	program->step_off = step_off;
	program->attr_off = attr_off;
	return b->used;
}
