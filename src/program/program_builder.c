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
 * Functions of texts, and output columns, are in builder_output.c.
 *
 * IDENTIFICATION
 *	  src/program/program_builder.c
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "program/builder_steps.h"
#include "program/like_automaton.h"
#include "program/like_compile.h"
#include "program/program_key.h"

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

char *
gpustr_builder_room(GpustrProgramBuilder *b, uint32_t bytes)
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

uint32_t
gpustr_builder_copy(GpustrProgramBuilder *b, const void *bytes, uint32_t nbytes)
{
	char	   *room = gpustr_builder_room(b, nbytes);

	if (room == NULL)
		return 0;
	if (nbytes > 0)
		memcpy(room, bytes, nbytes);
	return (uint32_t) (room - b->area);
}

GpustrStep *
gpustr_builder_step(GpustrProgramBuilder *b, GpustrOp op)
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

GpustrStep *
gpustr_builder_text_step(GpustrProgramBuilder *b, GpustrOp op)
{
	GpustrStep *step;

	if (b->ntext == GPUSTR_MAX_TEXT_REGS)
		b->full = 1;
	step = gpustr_builder_step(b, op);
	if (step != NULL)
		step->out = (uint16_t) b->ntext++;
	return step;
}

GpustrStep *
gpustr_builder_value_step(GpustrProgramBuilder *b, GpustrOp op)
{
	GpustrStep *step;

	if (b->nvalue == GPUSTR_MAX_VALUE_REGS)
		b->full = 1;
	step = gpustr_builder_step(b, op);
	if (step != NULL)
		step->out = (uint16_t) b->nvalue++;
	return step;
}

/* A new step that makes a bool register; the caller fills in the arguments. */
static GpustrStep *
builder_bool_step(GpustrProgramBuilder *b, GpustrOp op)
{
	GpustrStep *step;

	if (b->nbool == GPUSTR_MAX_BOOL_REGS)
		b->full = 1;
	step = gpustr_builder_step(b, op);
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
	b->like_bytes = 0;
	b->full = 0;
	b->encoding = encoding;
	b->nsteps = 0;
	b->ntext = 0;
	b->nvalue = 0;
	b->nbool = 0;
	b->nattrs = 0;
	(void) gpustr_builder_room(b, sizeof(GpustrProgram));
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
		off = gpustr_builder_copy(b, missing_value, missing_bytes);
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
	GpustrStep *step = gpustr_builder_text_step(b, GPUSTR_OP_DECODE_TEXT);

	if (step == NULL)
		return 0;
	step->attr = attr;
	return step->out;
}

uint16_t
gpustr_builder_decode_bytes(GpustrProgramBuilder *b, int32_t attr, int cstring)
{
	GpustrStep *step = gpustr_builder_text_step(b, GPUSTR_OP_DECODE_BYTES);

	if (step == NULL)
		return 0;
	step->attr = attr;
	step->aux = cstring != 0;
	return step->out;
}

uint16_t
gpustr_builder_decode_value(GpustrProgramBuilder *b, int32_t attr, GpustrValueType type)
{
	GpustrStep *step = gpustr_builder_value_step(b, GPUSTR_OP_DECODE_VALUE);

	if (step == NULL)
		return 0;
	step->attr = attr;
	step->aux = (uint16_t) type;
	return step->out;
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
gpustr_builder_column(GpustrProgramBuilder *b, int32_t column)
{
	GpustrStep *step = gpustr_builder_text_step(b, GPUSTR_OP_COLUMN);

	if (step == NULL)
		return 0;
	step->attr = column;
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
gpustr_builder_const_text(GpustrProgramBuilder *b, GpustrTruth state, const char *value,
						  int32_t value_bytes)
{
	GpustrStep *step = gpustr_builder_text_step(b, GPUSTR_OP_CONST_TEXT);

	if (step == NULL)
		return 0;
	step->attr = (int32_t) state;
	step->const_off = gpustr_builder_copy(b, value, (uint32_t) value_bytes);
	step->const_bytes = (uint32_t) value_bytes;
	return step->out;
}

uint16_t
gpustr_builder_const_value(GpustrProgramBuilder *b, GpustrTruth state, int64_t value)
{
	GpustrStep *step = gpustr_builder_value_step(b, GPUSTR_OP_CONST_VALUE);

	if (step == NULL)
		return 0;
	step->attr = (int32_t) state;
	step->const_off = gpustr_builder_copy(b, &value, sizeof(value));
	step->const_bytes = sizeof(value);
	return step->out;
}

/* Compile a LIKE pattern at the end of the area; returns its bytes. */
static uint32_t
builder_pattern(GpustrProgramBuilder *b, const char *pattern, int32_t pattern_bytes)
{
	uint32_t	bytes = gpustr_like_compile(pattern, pattern_bytes, b->encoding,
											b->area + b->used, b->area_bytes - b->used);

	if (bytes == 0)
		b->full = 1;
	else
		builder_take(b, bytes);
	return bytes;
}

/*
 * Complete a step with the pattern that comes next in the area, and with the
 * automaton that it is, if that is small and there is room to spare.  fold: as for
 * gpustr_like_automaton().
 */
static void
builder_matcher(GpustrProgramBuilder *b, GpustrStep *step, const GpustrFold *fold,
				const char *pattern, int32_t pattern_bytes)
{
	uint32_t	at = b->used;
	uint32_t	left;
	uint32_t	bytes;

	if (builder_pattern(b, pattern, pattern_bytes) == 0)
		return;
	step->const_bytes = b->used - step->const_off;
	left = GPUSTR_BUILDER_LIKE_BYTES - b->like_bytes;
	if (left > (b->area_bytes - b->used) / 2)
		left = (b->area_bytes - b->used) / 2;
	bytes = gpustr_like_automaton(b->area + at, b->encoding, fold, b->area + b->used, left);
	if (bytes == 0)
		return;
	at = b->used;
	builder_take(b, bytes);
	b->like_bytes += b->used - at;
	step->const_bytes = b->used - step->const_off;
	step->aux = 1;
}

uint16_t
gpustr_builder_like(GpustrProgramBuilder *b, uint16_t text, const char *pattern,
					int32_t pattern_bytes)
{
	GpustrStep *step = builder_bool_step(b, GPUSTR_OP_LIKE);

	if (step == NULL)
		return 0;
	step->in0 = text;
	step->const_off = b->used;
	builder_matcher(b, step, NULL, pattern, pattern_bytes);
	return step->out;
}

uint16_t
gpustr_builder_ilike(GpustrProgramBuilder *b, uint16_t text, const GpustrFold *fold,
					 const char *pattern, int32_t pattern_bytes)
{
	GpustrStep *step = builder_bool_step(b, GPUSTR_OP_ILIKE);

	if (step == NULL)
		return 0;
	step->in0 = text;
	step->const_off = gpustr_builder_copy(b, fold, sizeof(*fold));
	builder_matcher(b, step, fold, pattern, pattern_bytes);
	return step->out;
}

/* A test of a text by a constant, which is copied; NULL, and full, if there is no room. */
static GpustrStep *
builder_test_by(GpustrProgramBuilder *b, GpustrOp op, uint16_t text, const void *constant,
				uint32_t constant_bytes)
{
	GpustrStep *step = builder_bool_step(b, op);

	if (step == NULL)
		return NULL;
	step->in0 = text;
	step->const_off = gpustr_builder_copy(b, constant, constant_bytes);
	step->const_bytes = constant_bytes;
	return step;
}

uint16_t
gpustr_builder_dfa(GpustrProgramBuilder *b, uint16_t text, const GpustrDfa *dfa,
				   uint32_t dfa_bytes, GpustrTruth accepted)
{
	GpustrStep *step = builder_test_by(b, GPUSTR_OP_DFA, text, dfa, dfa_bytes);

	if (step == NULL)
		return 0;
	step->attr = accepted == GPUSTR_RECHECK;
	return step->out;
}

uint16_t
gpustr_builder_dfa_where(GpustrProgramBuilder *b, uint16_t text, uint16_t where,
						 const GpustrDfa *dfa, uint32_t dfa_bytes, GpustrTruth accepted)
{
	uint16_t	out = gpustr_builder_dfa(b, text, dfa, dfa_bytes, accepted);

	if (!b->full)
	{
		b->step[b->nsteps - 1].aux = 1;
		b->step[b->nsteps - 1].in2 = where;
	}
	return out;
}

uint16_t
gpustr_builder_contains_any(GpustrProgramBuilder *b, uint16_t text, const GpustrAhoCorasick *set,
							uint32_t set_bytes)
{
	GpustrStep *step = builder_test_by(b, GPUSTR_OP_CONTAINS_ANY, text, set, set_bytes);

	return step != NULL ? step->out : 0;
}

uint16_t
gpustr_builder_text_eq(GpustrProgramBuilder *b, uint16_t text, const char *value,
					   int32_t value_bytes)
{
	GpustrStep *step = builder_test_by(b, GPUSTR_OP_TEXT_EQ, text, value, (uint32_t) value_bytes);

	return step != NULL ? step->out : 0;
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
gpustr_builder_compare(GpustrProgramBuilder *b, GpustrOp op, GpustrRelation relation,
					   GpustrOrder order, uint16_t left, uint16_t right)
{
	GpustrStep *step = builder_bool_step(b, op);

	if (step == NULL)
		return 0;
	step->in0 = left;
	step->in1 = right;
	step->aux = (uint16_t) relation;
	step->attr = (int32_t) order;
	return step->out;
}

uint16_t
gpustr_builder_in_text(GpustrProgramBuilder *b, uint16_t text, int32_t n,
					   const char *const *values, const int32_t *value_bytes, int has_null)
{
	GpustrStep *step = builder_bool_step(b, GPUSTR_OP_IN_TEXT);
	uint64_t	bytes = sizeof(GpustrTextSet) + 4 * (uint64_t) n;
	GpustrTextSet *set;
	char	   *at;
	int32_t		i;

	if (step == NULL)
		return 0;
	for (i = 0; i < n; i++)
		bytes += (uint64_t) value_bytes[i];
	step->in0 = text;
	step->attr = has_null != 0;
	set = bytes <= INT32_MAX ? (GpustrTextSet *) gpustr_builder_room(b, (uint32_t) bytes) : NULL;
	if (set == NULL)
	{
		b->full = 1;
		return 0;
	}
	step->const_off = (uint32_t) ((char *) set - b->area);
	step->const_bytes = (uint32_t) bytes;
	set->n = n;
	set->offsets[0] = 0;
	at = (char *) &set->offsets[n + 1];
	for (i = 0; i < n; i++)
	{
		if (value_bytes[i] > 0)
			memcpy(at, values[i], (size_t) value_bytes[i]);
		at += value_bytes[i];
		set->offsets[i + 1] = set->offsets[i] + value_bytes[i];
	}
	return step->out;
}

uint16_t
gpustr_builder_in_value(GpustrProgramBuilder *b, uint16_t value, int32_t n,
						const int64_t *values, int has_null)
{
	GpustrStep *step = builder_bool_step(b, GPUSTR_OP_IN_VALUE);

	if (step == NULL)
		return 0;
	step->in0 = value;
	step->attr = has_null != 0;
	if (n > (int32_t) (b->area_bytes / sizeof(int64_t)))
	{
		b->full = 1;
		return 0;
	}
	step->const_off = gpustr_builder_copy(b, values, (uint32_t) n * sizeof(int64_t));
	step->const_bytes = (uint32_t) n * sizeof(int64_t);
	return step->out;
}

uint16_t
gpustr_builder_test(GpustrProgramBuilder *b, GpustrOp op, uint16_t arg)
{
	GpustrStep *step = builder_bool_step(b, op);

	if (step == NULL)
		return 0;
	step->in0 = arg;
	return step->out;
}

uint16_t
gpustr_builder_choose(GpustrProgramBuilder *b, GpustrOp op, uint16_t condition,
					  uint16_t yes, uint16_t no)
{
	GpustrStep *step;

	if (op == GPUSTR_OP_CHOOSE_BOOL)
		step = builder_bool_step(b, op);
	else if (op == GPUSTR_OP_CHOOSE_TEXT)
		step = gpustr_builder_text_step(b, op);
	else
		step = gpustr_builder_value_step(b, op);
	if (step == NULL)
		return 0;
	step->in0 = yes;
	step->in1 = no;
	step->in2 = condition;
	return step->out;
}

uint16_t
gpustr_builder_trim_blanks(GpustrProgramBuilder *b, uint16_t text)
{
	GpustrStep *step = gpustr_builder_text_step(b, GPUSTR_OP_TRIM_BLANKS);

	if (step == NULL)
		return 0;
	step->in0 = text;
	return step->out;
}

uint16_t
gpustr_builder_length(GpustrProgramBuilder *b, uint16_t text, int bytes)
{
	GpustrStep *step = gpustr_builder_value_step(b, GPUSTR_OP_LENGTH);

	if (step == NULL)
		return 0;
	step->in0 = text;
	step->aux = bytes != 0;
	return step->out;
}

uint16_t
gpustr_builder_bool_value(GpustrProgramBuilder *b, uint16_t arg)
{
	GpustrStep *step = gpustr_builder_value_step(b, GPUSTR_OP_BOOL_VALUE);

	if (step == NULL)
		return 0;
	step->in0 = arg;
	return step->out;
}

uint16_t
gpustr_builder_arith(GpustrProgramBuilder *b, GpustrArith arith, GpustrValueType type,
					 uint16_t left, uint16_t right)
{
	GpustrStep *step = gpustr_builder_value_step(b, GPUSTR_OP_ARITH);

	if (step == NULL)
		return 0;
	step->in0 = left;
	step->in1 = right;
	step->aux = (uint16_t) arith;
	step->attr = (int32_t) type;
	return step->out;
}

uint16_t
gpustr_builder_cast(GpustrProgramBuilder *b, GpustrCast cast, uint16_t arg)
{
	GpustrStep *step = gpustr_builder_value_step(b, GPUSTR_OP_CAST);

	if (step == NULL)
		return 0;
	step->in0 = arg;
	step->aux = (uint16_t) cast;
	return step->out;
}

uint32_t
gpustr_builder_finish(GpustrProgramBuilder *b)
{
	GpustrProgram *program = (GpustrProgram *) b->area;
	uint32_t	step_off;
	uint32_t	attr_off;

	step_off = gpustr_builder_copy(b, b->step, (uint32_t) b->nsteps * sizeof(GpustrStep));
	attr_off = gpustr_builder_copy(b, b->attr, (uint32_t) b->nattrs * sizeof(GpustrAttr));
	if (b->full)
		return 0;
	program->bytes = b->used;
	program->encoding = b->encoding;
	program->nsteps = b->nsteps;
	program->ntext = b->ntext;
	program->nvalue = b->nvalue;
	program->nbool = b->nbool;
	program->nattrs = b->nattrs;
	program->step_off = step_off;
	program->attr_off = attr_off;
	program->unused = 0;
	program->key = 0;
	program->key = gpustr_program_key(program);
	return b->used;
}
