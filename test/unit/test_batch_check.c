/*-------------------------------------------------------------------------
 *
 * test_batch_check.c
 *	  Programs that must be refused: one step with one thing wrong.
 *
 * A program has registers of each kind and then the step under test.  It must
 * be accepted as it is, and refused with each of the changes.
 *
 * IDENTIFICATION
 *	  test/unit/test_batch_check.c
 *
 *-------------------------------------------------------------------------
 */
#include <stddef.h>

#include "batch/batch_layout.h"
#include "engine/engine.h"
#include "program/program_builder.h"
#include "test_common.h"

#define BODY_BYTES 65536
#define NATTRS 2

/* Registers that the program has before the step. */
#define NTEXT 3
#define NVALUE 3
#define NBOOL 3

static GpustrProgramBuilder builder;
static uint64_t area[4096];
static char *body;

/* An automaton of 3 states and 2 classes; what lies behind it is not its. */
#define DFA_STATES 3
#define DFA_CLASSES 2

typedef struct SmallDfa
{
	GpustrDfa	dfa;
	uint16_t	next[DFA_STATES * DFA_CLASSES];
	uint8_t		at_end[DFA_STATES];
	uint8_t		rest[9];
} SmallDfa;

#define DFA_NEXT_OFF ((int32_t) offsetof(SmallDfa, next))
#define DFA_AT_END_OFF ((int32_t) offsetof(SmallDfa, at_end))
#define DFA_BYTES (offsetof(SmallDfa, at_end) + DFA_STATES)

/* One state that is always in; its parts are checked in test_literals.c. */
typedef struct SmallAho
{
	GpustrAhoCorasick set;
	uint16_t	hot[4];
}			SmallAho;

/* What a step has in the program, and how it is checked. */
typedef struct StepCase
{
	GpustrOp	op;
	int			pages;			/* page batches only */
	int			nin;			/* registers read */
	uint16_t	in_max[3];		/* how many there are of their kinds */
	uint16_t	aux[2];			/* first and last */
	int32_t		attr[2];
	uint32_t	const_bytes;	/* of the constant, 0: none */
} StepCase;

static const StepCase cases[] = {
	{GPUSTR_OP_DECODE_TEXT, 1, 0, {0, 0, 0}, {0, 0xFFFF}, {1, NATTRS}, 0},
	{GPUSTR_OP_DECODE_BYTES, 1, 0, {0, 0, 0}, {0, 1}, {1, NATTRS}, 0},
	{GPUSTR_OP_DECODE_VALUE, 1, 0, {0, 0, 0}, {1, GPUSTR_VALUE_LAST}, {1, NATTRS}, 0},
	{GPUSTR_OP_DECODE_NULL, 1, 0, {0, 0, 0}, {0, 0xFFFF}, {1, NATTRS}, 0},
	{GPUSTR_OP_CONST, 0, 0, {0, 0, 0}, {0, 0xFFFF}, {0, 3}, 0},
	{GPUSTR_OP_CONST_TEXT, 0, 0, {0, 0, 0}, {0, 0xFFFF}, {2, 3}, 5},
	{GPUSTR_OP_CONST_VALUE, 0, 0, {0, 0, 0}, {0, 0xFFFF}, {2, 3}, 8},
	{GPUSTR_OP_DFA, 0, 1, {NTEXT, 0, 0}, {0, 1}, {0, 1}, DFA_BYTES},
	{GPUSTR_OP_CONTAINS_ANY, 0, 1, {NTEXT, 0, 0}, {0, 0xFFFF}, {-1, 100}, sizeof(SmallAho)},
	{GPUSTR_OP_TEXT_EQ, 0, 1, {NTEXT, 0, 0}, {0, 0xFFFF}, {-1, 100}, 5},
	{GPUSTR_OP_COMPARE_TEXT, 0, 2, {NTEXT, NTEXT, 0}, {1, GPUSTR_REL_LAST},
	{GPUSTR_ORDER_BYTES, GPUSTR_ORDER_NUMERIC}, 0},
	{GPUSTR_OP_COMPARE_VALUE, 0, 2, {NVALUE, NVALUE, 0}, {1, GPUSTR_REL_LAST},
	{GPUSTR_ORDER_INT, GPUSTR_ORDER_FLOAT}, 0},
	{GPUSTR_OP_IN_TEXT, 0, 1, {NTEXT, 0, 0}, {0, 0xFFFF}, {0, 1}, 24},
	{GPUSTR_OP_IN_VALUE, 0, 1, {NVALUE, 0, 0}, {0, 0xFFFF}, {0, 1}, 24},
	{GPUSTR_OP_NULL_TEXT, 0, 1, {NTEXT, 0, 0}, {0, 0xFFFF}, {-1, 100}, 0},
	{GPUSTR_OP_NULL_VALUE, 0, 1, {NVALUE, 0, 0}, {0, 0xFFFF}, {-1, 100}, 0},
	{GPUSTR_OP_NULL_BOOL, 0, 1, {NBOOL, 0, 0}, {0, 0xFFFF}, {-1, 100}, 0},
	{GPUSTR_OP_IS_TRUE, 0, 1, {NBOOL, 0, 0}, {0, 0xFFFF}, {-1, 100}, 0},
	{GPUSTR_OP_VALUE_TRUE, 0, 1, {NVALUE, 0, 0}, {0, 0xFFFF}, {-1, 100}, 0},
	{GPUSTR_OP_CHOOSE_BOOL, 0, 3, {NBOOL, NBOOL, NBOOL}, {0, 0xFFFF}, {-1, 100}, 0},
	{GPUSTR_OP_CHOOSE_TEXT, 0, 3, {NTEXT, NTEXT, NBOOL}, {0, 0xFFFF}, {-1, 100}, 0},
	{GPUSTR_OP_CHOOSE_VALUE, 0, 3, {NVALUE, NVALUE, NBOOL}, {0, 0xFFFF}, {-1, 100}, 0},
	{GPUSTR_OP_TRIM_BLANKS, 0, 1, {NTEXT, 0, 0}, {0, 0xFFFF}, {-1, 100}, 0},
	{GPUSTR_OP_LENGTH, 0, 1, {NTEXT, 0, 0}, {0, 1}, {-1, 100}, 0},
	{GPUSTR_OP_BOOL_VALUE, 0, 1, {NBOOL, 0, 0}, {0, 0xFFFF}, {-1, 100}, 0},
	{GPUSTR_OP_ARITH, 0, 2, {NVALUE, NVALUE, 0}, {GPUSTR_ARITH_ADD, GPUSTR_ARITH_DIV},
	{GPUSTR_VALUE_INT2, GPUSTR_VALUE_INT8}, 0},
	{GPUSTR_OP_ARITH, 0, 2, {NVALUE, NVALUE, 0}, {GPUSTR_ARITH_ADD, GPUSTR_ARITH_DIV},
	{GPUSTR_VALUE_FLOAT4, GPUSTR_VALUE_FLOAT8}, 0},
	{GPUSTR_OP_ARITH, 0, 1, {NVALUE, 0, 0}, {GPUSTR_ARITH_NEG, GPUSTR_ARITH_ABS},
	{GPUSTR_VALUE_FLOAT4, GPUSTR_VALUE_FLOAT8}, 0},
	{GPUSTR_OP_ARITH, 0, 1, {NVALUE, 0, 0}, {GPUSTR_ARITH_NOT, GPUSTR_ARITH_NOT},
	{GPUSTR_VALUE_INT2, GPUSTR_VALUE_INT8}, 0},
	{GPUSTR_OP_CAST, 0, 1, {NVALUE, 0, 0}, {1, GPUSTR_CAST_LAST}, {-1, 100}, 0},
	{GPUSTR_OP_REDACT, 0, 2, {NTEXT, NTEXT, 0}, {0, 1}, {0, 0}, 0},
	{GPUSTR_OP_MASK, 0, 1, {NTEXT, 0, 0}, {0, 1}, {0, 0}, sizeof(GpustrMask)},
	{GPUSTR_OP_FIND_ALL, 0, 1, {NTEXT, 0, 0}, {0, 1}, {0, 0}, 5}
};

/* Does the step make an output column, and no register? */
static int
is_output(const StepCase *c)
{
	return c->op == GPUSTR_OP_REDACT || c->op == GPUSTR_OP_MASK || c->op == GPUSTR_OP_FIND_ALL;
}

/* 'b' leads from state 2 to 1; the end is accepted in 2. */
static void
make_dfa(SmallDfa *d)
{
	static const uint16_t next[] = {0, 0, 1, 1, 2, 1};

	memset(d, 0xFF, sizeof(*d));
	d->dfa.nstates = DFA_STATES;
	d->dfa.nclasses = DFA_CLASSES;
	d->dfa.start = 2;
	d->dfa.next_off = DFA_NEXT_OFF;
	d->dfa.at_end_off = DFA_AT_END_OFF;
	memset(d->dfa.class_of, 0, sizeof(d->dfa.class_of));
	d->dfa.class_of['b'] = 1;
	memcpy(d->next, next, sizeof(next));
	d->at_end[0] = 0;
	d->at_end[1] = 1;
	d->at_end[2] = 1;
}

/* Make a body of no rows; its last step is the case's.  Returns that step. */
static GpustrStep *
make_body(const StepCase *c, int pages)
{
	static const char *const texts[] = {"a", "bc"};
	static const int32_t bytes[] = {1, 2};
	static const int64_t values[] = {-1, 0, 5};
	static const uint64_t no_bytes[16] = {0};
	GpustrProgram *program;
	GpustrStep *step;
	SmallAho	aho = {{1, 1, 1, 0, sizeof(GpustrAhoCorasick), sizeof(GpustrAhoCorasick),
	sizeof(GpustrAhoCorasick), 0, {0}}, {0}};
	SmallDfa	dfa;
	int			i;

	make_dfa(&dfa);
	gpustr_builder_init(&builder, GPUSTR_ENC_UTF8, area, sizeof(area));
	for (i = 0; i < NATTRS; i++)
		gpustr_builder_attr(&builder, -1, 4, 0, NULL, 0);
	for (i = 0; i < NTEXT; i++)
		(void) gpustr_builder_const_text(&builder, GPUSTR_FALSE, "text", 4);
	for (i = 0; i < NVALUE; i++)
		(void) gpustr_builder_const_value(&builder, GPUSTR_FALSE, i);
	for (i = 0; i < NBOOL; i++)
		(void) gpustr_builder_const(&builder, GPUSTR_TRUE);

	/* the constant, by way of a step that is then made the case's */
	if (c->op == GPUSTR_OP_IN_TEXT)
		(void) gpustr_builder_in_text(&builder, 0, 2, texts, bytes, 0);
	else if (c->op == GPUSTR_OP_IN_VALUE)
		(void) gpustr_builder_in_value(&builder, 0, 3, values, 0);
	else if (c->op == GPUSTR_OP_DFA)
		(void) gpustr_builder_dfa(&builder, 0, &dfa.dfa, DFA_BYTES, GPUSTR_TRUE);
	else if (c->op == GPUSTR_OP_CONTAINS_ANY)
		(void) gpustr_builder_contains_any(&builder, 0, &aho.set, sizeof(aho));
	else
		(void) gpustr_builder_text_eq(&builder, 0, (const char *) no_bytes, (int32_t) c->const_bytes);
	step = &builder.step[builder.nsteps - 1];
	step->op = (uint16_t) c->op;
	step->aux = c->aux[0];
	step->attr = c->attr[0];
	builder.ntext = NTEXT + 1;
	builder.nvalue = NVALUE + 1;
	builder.nbool = NBOOL + 1;
	step->out = NTEXT;
	CHECK(NTEXT == NVALUE && NVALUE == NBOOL, "the out register has one number");
	if (gpustr_builder_finish(&builder) == 0)
	{
		printf("# the program does not fit\n");
		exit(2);
	}
	if (pages)
		(void) gpustr_layout_pages(body, BODY_BYTES, (const GpustrProgram *) area, 1, is_output(c), 64);
	else
	{
		uint64_t	data_bytes[1] = {0};

		(void) gpustr_layout_columns(body, BODY_BYTES, (const GpustrProgram *) area, 0, 1, data_bytes,
									 is_output(c) ? 64 : 0);
		memset(GPUSTR_BODY_PTR(body, ((GpustrBatch *) body)->column[0].offsets_off, char), 0, 4);
	}
	program = GPUSTR_BODY_PTR(body, ((GpustrBatch *) body)->program_off, GpustrProgram);
	return (GpustrStep *) ((char *) program + program->step_off) + program->nsteps - 1;
}

static int
accepted(void)
{
	EngineError error;
	EngineCode	code = gpustr_batch_check(body, BODY_BYTES, &error);

	CHECK(code == ENGINE_OK || (code == ENGINE_BAD_INPUT && error.message[0] != '\0'), "code %d", code);
	return code == ENGINE_OK;
}

static void
check_step(const StepCase *c, int pages)
{
	GpustrStep *step = make_body(c, pages);
	GpustrStep	good = *step;
	GpustrProgram *program = GPUSTR_BODY_PTR(body, ((GpustrBatch *) body)->program_off, GpustrProgram);
	uint16_t   *in[3];
	uint32_t	aux;
	int			i;
	int			k;

	in[0] = &step->in0;
	in[1] = &step->in1;
	in[2] = &step->in2;
	if (c->pages && !pages)
	{
		CHECK(!accepted(), "operator %d in a column batch", c->op);
		return;
	}
	CHECK(accepted(), "operator %d", c->op);
	for (i = 0; i < 3; i++)
	{
		static const uint16_t beyond[] = {NTEXT, 31, 32, 63, 64, 127, 128, 255, 0x7FFF, 0xFFFF};

		for (k = 0; k < 10; k++)
		{
			*step = good;
			*in[i] = beyond[k];
			CHECK(accepted() == (i >= c->nin), "operator %d: in%d %d", c->op, i, beyond[k]);
		}
		*step = good;
		if (i < c->nin)
		{
			*in[i] = (uint16_t) (c->in_max[i] - 1);
			CHECK(accepted(), "operator %d: in%d", c->op, i);
		}
	}
	for (aux = 0; aux < 300; aux++)
	{
		*step = good;
		step->aux = (uint16_t) (aux < 290 ? aux : 65535 - (aux - 290));
		if (c->op == GPUSTR_OP_ARITH && step->aux <= GPUSTR_ARITH_LAST)
			continue;			/* others may exist */
		CHECK(accepted() == (step->aux >= c->aux[0] && step->aux <= c->aux[1]), "operator %d: aux %u", c->op, step->aux);
	}
	for (i = -20; i < 40; i++)
	{
		static const int32_t far[] = {256, 65536, 65537, 65538, INT32_MAX, INT32_MIN};
		int			is_const = c->op == GPUSTR_OP_CONST_TEXT || c->op == GPUSTR_OP_CONST_VALUE;

		*step = good;
		step->attr = i < 34 ? i : far[i - 34];
		if (c->op == GPUSTR_OP_ARITH && step->attr > 0 && step->attr <= GPUSTR_VALUE_LAST)
			continue;
		if (c->attr[0] == -1)
			CHECK(accepted(), "operator %d: attr %d", c->op, step->attr);
		else
			CHECK(accepted() == ((step->attr >= c->attr[0] && step->attr <= c->attr[1]) ||
								 (is_const && step->attr == GPUSTR_FALSE)),
				  "operator %d: attr %d", c->op, step->attr);
	}
	*step = good;
	step->out = NTEXT - 1;
	CHECK(accepted() == is_output(c), "operator %d makes a register again", c->op);
	step->out = NTEXT + 1;
	CHECK(accepted() == is_output(c), "operator %d makes a register that is not", c->op);
	*step = good;
	if (c->const_bytes > 0)
	{
		static const uint32_t bad[] = {1, 4, 0x7FFFFFF8, 0x80000000};

		for (i = 0; i < 4; i++)
		{
			step->const_off = good.const_off + bad[i];
			CHECK(!accepted(), "operator %d: constant at + %u", c->op, bad[i]);
		}
		step->const_off = program->bytes;
		CHECK(!accepted(), "operator %d: constant at the end", c->op);
		*step = good;
		for (i = 0; i < 3; i++)
		{
			step->const_bytes = program->bytes - good.const_off + 8 + (i == 1 ? 0x7FFFFF00 : i == 2 ? 0xF0000000 : 0);
			CHECK(!accepted(), "operator %d: constant past the end", c->op);
		}
		*step = good;
	}
	CHECK(accepted(), "operator %d, repaired", c->op);
}

/* A pattern to look for is read by words, all of which have to be in the program. */
static void
check_find_pattern(void)
{
	const StepCase *c = NULL;
	GpustrStep *step;
	GpustrProgram *program;
	uint32_t	left;
	uint32_t	n;
	int			i;

	for (i = 0; i < (int) (sizeof(cases) / sizeof(cases[0])); i++)
		if (cases[i].op == GPUSTR_OP_FIND_ALL)
			c = &cases[i];
	step = make_body(c, 0);
	program = GPUSTR_BODY_PTR(body, ((GpustrBatch *) body)->program_off, GpustrProgram);
	left = program->bytes - step->const_off;
	for (n = 0; n <= left + 4; n++)
	{
		step->const_bytes = n;
		CHECK(accepted() == (n >= 1 && n <= left), "a pattern of %u of %u bytes", n, left);
	}

	/* a program that does not end with a word */
	program->nattrs = 0;		/* which come last */
	program->bytes -= 2;
	((GpustrBatch *) body)->program_bytes -= 2;
	for (n = left - 8; n <= left; n++)
	{
		step->const_bytes = n;
		CHECK(accepted() == (n <= left - 4), "a pattern of %u of %u bytes", n, left - 2);
	}
}

/* The constants of CONST_VALUE and of sets. */
static void
check_constants(void)
{
	int			i;

	for (i = 0; i < (int) (sizeof(cases) / sizeof(cases[0])); i++)
	{
		GpustrStep *step = make_body(&cases[i], 1);
		char	   *program = GPUSTR_BODY_PTR(body, ((GpustrBatch *) body)->program_off, char);
		uint32_t	bytes = step->const_bytes;
		int64_t    *values = (int64_t *) (program + step->const_off);
		int32_t    *set = (int32_t *) (program + step->const_off);
		uint32_t	n;

		if (cases[i].op == GPUSTR_OP_CONST_VALUE)
			for (n = 0; n < 30; n++)
			{
				step->const_bytes = n;
				CHECK(accepted() == (n == 8), "a value of %u bytes", n);
			}
		if (cases[i].op == GPUSTR_OP_IN_VALUE)
		{
			for (n = 0; n <= bytes; n++)
			{
				step->const_bytes = n;
				CHECK(accepted() == (n % 8 == 0), "%u bytes of values", n);
			}
			step->const_bytes = bytes;
			values[1] = values[0];
			CHECK(!accepted(), "a value twice");
			values[1] = 6;
			CHECK(!accepted(), "values descend");
		}
		if (cases[i].op == GPUSTR_OP_IN_TEXT)
		{
			/* n 2, offsets 0 1 3, 3 bytes */
			static const int32_t bad[][4] = {
				{-1, 0, 1, 3}, {3, 0, 1, 3}, {INT32_MAX, 0, 1, 3}, {INT32_MIN, 0, 1, 3}, {2, -1, 1, 3},
				{2, 2, 1, 3}, {2, 0, 4, 3}, {2, 0, 1, 0}, {2, 0, 1, 4}, {2, 0, 1, INT32_MAX}, {2, 0, 1, INT32_MIN}
			};
			int32_t		good[4];
			int			k;

			memcpy(good, set, sizeof(good));
			CHECK(bytes == 19 && good[0] == 2 && good[1] == 0 && good[2] == 1 && good[3] == 3, "the set");
			for (n = 0; n <= 20; n++)
			{
				step->const_bytes = n;
				CHECK(accepted() == (n >= 19), "a set of %u bytes", n);
			}
			step->const_bytes = bytes;
			for (k = 0; k < (int) (sizeof(bad) / sizeof(bad[0])); k++)
			{
				memcpy(set, bad[k], sizeof(good));

				/* a third offset would lie in the strings: "abc" */
				CHECK(!accepted(), "set %d", k);
			}
			set[0] = 0;
			set[1] = 0;
			CHECK(accepted(), "an empty set");
		}
	}
}

/* A number of an automaton, what it must not be, and how many of these there are. */
typedef struct DfaNumber
{
	size_t		at;
	const char *name;
	int32_t		bad[6];
	int			nbad;
} DfaNumber;

static const DfaNumber dfa_numbers[] = {
	{offsetof(GpustrDfa, nstates), "nstates", {1, 0, -1, INT32_MIN, 65536, INT32_MAX}, 6},
	{offsetof(GpustrDfa, nclasses), "nclasses", {1, 0, -1, INT32_MIN, 257, INT32_MAX}, 6},
	{offsetof(GpustrDfa, start), "start", {DFA_STATES, 65535, INT32_MAX, -1, INT32_MIN, DFA_STATES + 1}, 6},
	{offsetof(GpustrDfa, next_off), "next_off", {0, -2, DFA_NEXT_OFF - 2, DFA_NEXT_OFF + 1, INT32_MIN, INT32_MAX - 1}, 6},
	{offsetof(GpustrDfa, at_end_off), "at_end_off", {0, -1, DFA_NEXT_OFF - 1, DFA_AT_END_OFF + 1, INT32_MIN, INT32_MAX}, 6}
};

/* Each way in which an automaton is none. */
static void
check_dfa(void)
{
	static const StepCase dfa_case = {GPUSTR_OP_DFA, 0, 1, {NTEXT, 0, 0}, {0, 0xFFFF}, {0, 1}, DFA_BYTES};
	GpustrStep *step = make_body(&dfa_case, 1);
	char	   *program = GPUSTR_BODY_PTR(body, ((GpustrBatch *) body)->program_off, char);
	char	   *made = program + step->const_off;
	SmallDfa	dfa;
	uint32_t	n;
	int			i;
	int			k;

	CHECK(accepted(), "the automaton");
	for (n = 0; n <= DFA_BYTES; n++)
	{
		step->const_bytes = n;
		CHECK(accepted() == (n == DFA_BYTES), "an automaton of %u bytes", n);
	}
	step->const_bytes = DFA_BYTES;
	for (i = 0; i < (int) (sizeof(dfa_numbers) / sizeof(dfa_numbers[0])); i++)
		for (k = 0; k < dfa_numbers[i].nbad; k++)
		{
			make_dfa(&dfa);
			memcpy((char *) &dfa + dfa_numbers[i].at, &dfa_numbers[i].bad[k], sizeof(int32_t));
			memcpy(made, &dfa, DFA_BYTES);
			CHECK(!accepted(), "%s %d", dfa_numbers[i].name, dfa_numbers[i].bad[k]);
		}

	/* nclasses 1: only the class of 'b' is wrong */
	make_dfa(&dfa);
	dfa.dfa.nclasses = 1;
	dfa.next[1] = 1;
	memcpy(made, &dfa, DFA_BYTES);
	CHECK(!accepted(), "a class that is not");
	dfa.dfa.class_of['b'] = 0;
	memcpy(made, &dfa, DFA_BYTES);
	CHECK(accepted(), "one class");
	for (i = 0; i < 256; i++)
	{
		make_dfa(&dfa);
		dfa.dfa.class_of[i] = DFA_CLASSES;
		memcpy(made, &dfa, DFA_BYTES);
		CHECK(!accepted(), "class of byte %d", i);
	}
	for (i = 0; i < DFA_STATES * DFA_CLASSES; i++)
		for (k = 0; k <= DFA_STATES; k++)
		{
			make_dfa(&dfa);
			dfa.next[i] = (uint16_t) (k < DFA_STATES ? k : 0x8002);
			memcpy(made, &dfa, DFA_BYTES);
			CHECK(accepted() == (k < DFA_STATES && (i / DFA_CLASSES > 1 || k == i / DFA_CLASSES)),
				  "next[%d] %d", i, dfa.next[i]);
			dfa.next[i] = DFA_STATES;
			memcpy(made, &dfa, DFA_BYTES);
			CHECK(!accepted(), "next[%d] is no state", i);
		}
	for (i = 0; i < DFA_STATES; i++)
	{
		make_dfa(&dfa);
		dfa.at_end[i] ^= 1;
		memcpy(made, &dfa, DFA_BYTES);
		CHECK(accepted() == (i == 2), "at_end[%d]", i);
	}
	for (i = 0; i < DFA_STATES; i++)
	{
		make_dfa(&dfa);
		dfa.dfa.start = i;
		memcpy(made, &dfa, DFA_BYTES);
		CHECK(accepted(), "start %d", i);
	}
}

/* Numbers of registers. */
static void
check_counts(void)
{
	GpustrProgram *program;
	GpustrProgram good;

	(void) make_body(&cases[0], 1);
	program = GPUSTR_BODY_PTR(body, ((GpustrBatch *) body)->program_off, GpustrProgram);
	good = *program;
	program->nvalue = -1;
	CHECK(!accepted(), "-1 values");
	program->nvalue = GPUSTR_MAX_VALUE_REGS + 1;
	CHECK(!accepted(), "too many values");
	program->nvalue = GPUSTR_MAX_VALUE_REGS;
	CHECK(accepted(), "the most values");
	program->nvalue = NVALUE - 1;
	CHECK(!accepted(), "a value too few");
	*program = good;
	CHECK(accepted(), "repaired");
}

/*
 * Attributes in a constant, one more than a program may have: as many of the
 * greatest length would overflow what rowfn_heap_start() adds up.
 */
static void
check_attributes(void)
{
	static GpustrAttr attrs[GPUSTR_MAX_ATTRS + 1];
	GpustrProgram *program;
	int			i;

	for (i = 0; i <= GPUSTR_MAX_ATTRS; i++)
	{
		attrs[i].len = INT16_MAX;
		attrs[i].align = 8;
	}
	gpustr_builder_init(&builder, GPUSTR_ENC_UTF8, area, sizeof(area));
	(void) gpustr_builder_const_text(&builder, GPUSTR_FALSE, (const char *) attrs, sizeof(attrs));
	CHECK(gpustr_builder_finish(&builder) != 0, "the program fits");
	(void) gpustr_layout_pages(body, BODY_BYTES, (const GpustrProgram *) area, 1, 0, 0);
	program = GPUSTR_BODY_PTR(body, ((GpustrBatch *) body)->program_off, GpustrProgram);
	program->attr_off = GPUSTR_PROGRAM_STEPS(program)[0].const_off;
	program->nattrs = GPUSTR_MAX_ATTRS;
	CHECK(accepted(), "the most attributes");
	program->nattrs = GPUSTR_MAX_ATTRS + 1;
	CHECK(!accepted(), "too many attributes");
}

int
main(void)
{
	int			i;

	body = aligned_alloc(GPUSTR_BODY_ALIGN, BODY_BYTES);
	memset(body, 0xA5, BODY_BYTES);
	for (i = 0; i < (int) (sizeof(cases) / sizeof(cases[0])); i++)
	{
		check_step(&cases[i], 1);
		check_step(&cases[i], 0);
	}
	test_done("steps with one thing wrong");
	check_constants();
	test_done("constants");
	check_find_pattern();
	test_done("patterns to look for");
	check_dfa();
	test_done("automata with one thing wrong");
	check_counts();
	test_done("numbers of registers");
	check_attributes();
	test_done("numbers of attributes");
	free(body);
	return test_exit();
}
