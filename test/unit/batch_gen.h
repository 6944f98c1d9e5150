/*-------------------------------------------------------------------------
 *
 * batch_gen.h
 *	  Random batches with random programs, and what they must give.
 *
 * gen_batch() makes a body; any engine may run it; gen_check() compares its
 * results, row by row, with a plain evaluation of the same program over the
 * values that went into the pages or columns.  gen_compare() compares the
 * results of two engines over two copies of a body, bit for bit.
 *
 * Output columns have more room than they need, or less, or none.
 *
 * IDENTIFICATION
 *	  test/unit/batch_gen.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_TEST_BATCH_GEN_H
#define GPUSTR_TEST_BATCH_GEN_H

#include "batch/batch.h"
#include "heap_gen.h"
#include "program/program.h"
#include "test_common.h"

#ifdef __cplusplus
extern "C"
{
#endif

#define GEN_MAX_STEPS 200
#define GEN_MAX_CONST 128
#define GEN_MAX_COLUMNS 4
#define GEN_MAX_SET 8
#define GEN_SET_BYTES 100

/* The longest mask, so that what is expected has a bound. */
#define GEN_MAX_MASK 40

/* A random automaton, as a table by byte. */
typedef struct GenDfa
{
	int32_t		nstates;
	int32_t		start;
	uint16_t   *next;			/* [nstates][256] */
	uint8_t    *at_end;			/* [nstates] */
	uint8_t		class_of[256];
	GpustrDfa  *made;			/* the same, as a program has it */
	uint32_t	bytes;			/* of that */
} GenDfa;

/* Literals, and the automaton that a program has. */
typedef struct GenLiterals
{
	int32_t		n;
	char	   *bytes;			/* at equal distances */
	int32_t    *len;			/* [n] */
	GpustrAhoCorasick *made;
	uint32_t	made_bytes;
}			GenLiterals;

/* A step, with its constant as the user would write it. */
typedef struct GenStep
{
	GpustrOp	op;
	uint16_t	out;
	uint16_t	in0;
	uint16_t	in1;
	uint16_t	in2;
	uint16_t	aux;
	int32_t		attr;
	int32_t		attr_len;		/* of the attribute: GpustrAttr.len */
	char		value[GEN_MAX_CONST];	/* LIKE pattern, or text to equal, or
										 * const, or mask */
	int32_t		value_bytes;
	int64_t		number[GEN_MAX_SET];	/* IN_VALUE: the list; CONST_VALUE;
										 * MASK: keep_left, keep_right */
	char		text[GEN_MAX_SET][GEN_SET_BYTES];	/* IN_TEXT: the list */
	int32_t		text_bytes[GEN_MAX_SET];
	int32_t		nset;			/* of either */
	GpustrFold	fold;			/* of ILIKE */
	GenDfa	   *dfa;			/* of DFA */
	GenLiterals *literals;		/* of CONTAINS_ANY */
	char	   *constant;		/* of TEXT_MAKE, malloc'd; NULL: none */
	uint32_t	constant_bytes;
} GenStep;

/* One attribute or column of one row, as an engine must see it. */
typedef struct GenValue
{
	HeapGenState state;
	int32_t		len;
	uint32_t	off;			/* in GenBatch.text */
} GenValue;

typedef struct GenBatch
{
	GpustrBatch *batch;			/* the body */
	uint32_t	body_bytes;
	int32_t		encoding;
	int32_t		nrows;
	int32_t		nvalues;		/* attributes or columns a row has */
	GenValue   *value;			/* [nrows * nvalues] */
	char	   *text;			/* all texts */
	size_t		text_bytes;
	size_t		text_room;
	size_t		value_room;
	int32_t		nsteps;
	GenStep		step[GEN_MAX_STEPS];
} GenBatch;

/* What to make. */
typedef struct GenOptions
{
	int			kind;			/* GpustrBatchKind; 0: either */
	int32_t		max_rows;		/* of a column batch */
	int32_t		max_pages;		/* of a page batch */
	void	   *blocks;			/* pages that a batch may name in place; they
								 * are overwritten.  NULL: all pages staged */
	int32_t		nblocks;
	int			output_pages;	/* page batches may have output columns, too */
	int			text_functions; /* call functions of texts; where there is
								 * little memory, which rows are recheck for
								 * want of it is not told */
} GenOptions;

/*
 * Make a batch in body[body_bytes], aligned to GPUSTR_BODY_ALIGN; 64 kB is
 * enough for some pages, columns are made as large as fits.  The result
 * regions are poisoned.  Free with gen_free().
 */
extern GenBatch *gen_batch(Rng *rng, const GenOptions *options, void *body, uint32_t body_bytes);

/* Fill the result regions with bytes that are no answer. */
extern void gen_poison(GpustrBatch *batch, int byte);

/*
 * Are the results in 'body', a run of this batch or of a copy of it, right?
 * The output columns may have been given less room than gen_batch() gave.
 * Prints what is wrong and returns how many rows are.
 */
extern int	gen_check(const GenBatch *gen, const void *body);

/*
 * Are the results in two bodies the same, bit for bit?  Data of output columns
 * count as far as there are values.  Returns 0 or 1.
 */
extern int	gen_compare(const void *a, const void *b);

/*
 * Have the program in a body that gpustr_batch_check() accepts run the automata
 * that follow patterns of LIKE and ILIKE in place of these, as GPUSTR_OP_DFA: the
 * answers are the same unless the body was damaged.  Returns how many there are.
 */
extern int	gen_use_automata(void *body);

/*
 * Make an automaton that takes at most max_bytes in a program, >= 1024; of at
 * most 300 states if less than 65536, else of many classes.
 */
extern GenDfa *gen_dfa(Rng *rng, uint32_t max_bytes);

/* Does it accept the text? */
extern GpustrTruth gen_dfa_truth(const GenDfa *dfa, const char *text, int32_t len);

extern void gen_dfa_free(GenDfa *dfa);

/*
 * Literals, some of them parts of a sample, whose automaton takes at most max_bytes
 * in a program, >= 4096.
 */
extern GenLiterals * gen_literals(Rng *rng, uint32_t max_bytes, const char *sample,
								  int32_t sample_bytes);

/* Does one of them occur in the text? */
extern GpustrTruth gen_literals_truth(const GenLiterals * l, const char *text, int32_t len);

extern void gen_literals_free(GenLiterals * l);

/* Print the program. */
extern void gen_print(const GenBatch *gen);

extern void gen_free(GenBatch *gen);

#ifdef __cplusplus
}
#endif

#endif							/* GPUSTR_TEST_BATCH_GEN_H */
