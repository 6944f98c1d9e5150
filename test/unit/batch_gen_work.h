/*-------------------------------------------------------------------------
 *
 * batch_gen_work.h
 *	  What batch_gen.c, batch_gen_program.c and batch_gen_text.c share.
 *
 * IDENTIFICATION
 *	  test/unit/batch_gen_work.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_TEST_BATCH_GEN_WORK_H
#define GPUSTR_TEST_BATCH_GEN_WORK_H

#include "batch_gen.h"
#include "program/program_builder.h"

/* Room for a finished program. */
#define GEN_PROGRAM_BYTES (512 * 1024)

/*
 * Bytes for automata in a program: for small bodies, which are to have room
 * for rows, too; and now and then for large ones, so that one has more states
 * than shared memory.
 */
#define GEN_DFA_BYTES 12288
#define GEN_LARGE_DFA_BYTES 400000

/* Enough for two states with a class for each byte. */
#define GEN_LEAST_DFA_BYTES 2048

/* Texts that values and patterns have in common. */
#define GEN_SAMPLES 6
#define GEN_SAMPLE_BYTES 100

/* What a text register holds. */
typedef enum GenTextKind
{
	GEN_BYTES,					/* any bytes */
	GEN_TEXT					/* a text in the encoding */
} GenTextKind;

/*
 * The most bytes that a text register holds, of all rows: so many times those of
 * the input, and so many for each row.
 */
typedef struct GenTextBound
{
	int32_t		inputs;
	int32_t		row_bytes;
} GenTextBound;

/* What gen_batch() works with. */
typedef struct GenWork
{
	Rng		   *rng;
	GenBatch   *gen;
	int			letters;
	char		sample[GEN_SAMPLES][GEN_SAMPLE_BYTES];
	int32_t		sample_bytes[GEN_SAMPLES];
	HeapGenTable table;
	int32_t		text_attr;		/* a text attribute of it */
	int32_t		ncolumns;

	/* registers made so far */
	int32_t		ntext;
	int32_t		nvalue;
	int32_t		nbool;
	GenTextKind text_kind[GEN_MAX_STEPS];
	int			is_float4[GEN_MAX_STEPS];	/* of value registers */
	GenTextBound text_bound[GEN_MAX_STEPS];
	int			text_functions;
	uint32_t	dfa_bytes;		/* left for automata */

	uint64_t	program[GEN_PROGRAM_BYTES / 8];
	GpustrProgramBuilder builder;
} GenWork;

/* A new step, and random registers to work on: see batch_gen_program.c. */
extern GenStep *gen_new_step(GenWork *work, GpustrOp op, uint16_t in0, uint16_t in1, int32_t attr);
extern uint16_t gen_any_text(GenWork *work, GenTextKind kind);
extern uint16_t gen_any_value(GenWork *work);
extern uint16_t gen_any_bool(GenWork *work);

/* A step that calls a function of texts: see batch_gen_text.c. */
extern void gen_text_function(GenWork *work);

/* A step that finds all places of something: see batch_gen_text.c. */
extern GenStep *gen_find_all(GenWork *work, GenTextKind kind, int32_t column);

/* Steps with an automaton, as long as there is room for it. */
extern void gen_dfa_step(GenWork *work);
extern void gen_contains_any_step(GenWork *work);

/*
 * Make the program, for a page or a column batch, with nout output columns.
 * Returns its bytes.
 */
extern uint32_t gen_program(GenWork *work, int pages, int select, int32_t nout);

#endif							/* GPUSTR_TEST_BATCH_GEN_WORK_H */
