/*-------------------------------------------------------------------------
 *
 * compare_text.h
 *	  What batches of functions of texts are made of: compare_text.c.
 *
 * IDENTIFICATION
 *	  test/gpu/compare_text.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_COMPARE_TEXT_H
#define GPUSTR_COMPARE_TEXT_H

#include "compare.h"
#include "program/program_builder.h"
#include "program/text_function.h"

#define PROGRAM_WORDS 4096
#define INPUTS 3				/* texts, short texts, numbers and dates */
#define MAX_REGISTERS 24

/* The most that a text is repeated by, so that few batches want more than the room. */
#define MAX_TIMES 4

/* What a batch is made of. */
typedef struct TextCase
{
	int32_t		n;
	int32_t		long_every;		/* one text in so many is long; 0: none */
	int32_t		long_bytes;
	int			ascii;			/* of the first column, all */
	int			broken;			/* texts need not be valid UTF-8 */
	int			same;			/* texts, and what is sought, nearly of one letter */
	int			few;			/* the first column's of so many letters; 0: of all kinds */
}			TextCase;

/* Registers to choose from. */
typedef struct TextWork
{
	Rng		   *rng;
	GpustrProgramBuilder builder;
	int32_t		encoding;
	uint16_t	text[MAX_REGISTERS];
	int32_t		ntext;
	uint16_t	value[MAX_REGISTERS];
	int32_t		nvalue;
	uint16_t	times;			/* a value of 0 to MAX_TIMES */
	uint16_t	flag;			/* a bool register */
	int32_t		nout;			/* output columns so far */
}			TextWork;

/* Add a text to choose from; put a text out, in the next column, if there is one. */
extern void compare_text_add(TextWork * work, uint16_t reg);
extern void compare_text_show(TextWork * work, uint16_t text);

/* Add a call of a function, and put the answer out; a value, as text. */
extern void compare_text_call(TextWork * work, GpustrTextFunction function);

/* Fill a column of a batch that has been laid out. */
extern void compare_text_fill(Rng *rng, const TextCase * c, GpustrBatch *batch, int i, int nulls);

/* Run it; and what judges it if no step needs too much room for sure. */
extern void compare_text_run(Flight *flight, GpustrBatch *batch,
							 const char *(*judge) (const Flight *flight), const char *round);
extern const char *compare_text_judge(const Flight *flight);

/* compare_replace.c: one batch of n rows; longs: some texts of 16 kB */
extern void compare_text_replace(Rng *rng, int32_t n, int longs);

#endif							/* GPUSTR_COMPARE_TEXT_H */
