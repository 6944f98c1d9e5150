/*-------------------------------------------------------------------------
 *
 * join_gen.h
 *	  Random joins: tables, a batch that probes them, and what must come of it.
 *
 * gen_join() makes all requests of a join: those that build its tables, in an order
 * in which they may be sent, and the one that probes.  Any engine may run them, as
 * they are or copied elsewhere.  The results come in pieces: gen_join_check() compares
 * one with what nested loops gave, gen_join_next() makes the request ask for the next.
 *
 * A batch that probes has columns of all kinds of keys, small integers besides, and
 * is one of columns, or one of pages with texts that cannot be read, tuples that are
 * broken, and numerics that are not well-formed.
 *
 * Plain C, also good for C++ and nvcc.
 *
 * IDENTIFICATION
 *	  test/unit/join_gen.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_TEST_JOIN_GEN_H
#define GPUSTR_TEST_JOIN_GEN_H

#include "batch/batch.h"
#include "program/program.h"
#include "program/program_builder.h"
#include "test_common.h"

#ifdef __cplusplus
extern "C"
{
#endif

#define GEN_JOIN_MAX_PROBES 3
#define GEN_JOIN_MAX_RELATIONS (GEN_JOIN_MAX_PROBES + 1)

/* Columns of a relation, and registers that go from one space to the next. */
#define GEN_JOIN_MAX_COLUMNS 10
#define GEN_JOIN_MAX_LIVE 12
#define GEN_JOIN_MAX_RESULT 8
#define GEN_JOIN_MAX_TERMS 4

/* Kinds of columns: those of keys (RowfnKeyKind), and integers for conditions. */
#define GEN_JOIN_SMALL 6
#define GEN_JOIN_KINDS 7

/* One column of one row. */
typedef struct GenCell
{
	uint8_t		state;			/* GPUSTR_FALSE: a value; NULL; or RECHECK */
	uint8_t		broken;			/* a numeric that is not well-formed */
	uint32_t	number;			/* equal for equal keys */
	int64_t		value;			/* as a value register has it */
	int32_t		len;			/* of a text */
	uint64_t	off;			/* in the relation's texts */
} GenCell;

/* The rows of the batch (relation 0), or of a table. */
typedef struct GenRelation
{
	int32_t		nrows;
	int32_t		ncolumns;
	int			kind[GEN_JOIN_MAX_COLUMNS];
	GenCell    *cell;			/* [nrows * ncolumns] */
	char	   *text;
	uint64_t	text_bytes;
	uint64_t	text_room;
} GenRelation;

/* A column of a relation, or (relation -1) a constant, and its register. */
typedef struct GenVariable
{
	int			relation;
	int			column;
	int			kind;
	uint16_t	reg;
	GenCell		constant;
	char		bytes[64];		/* of that */
} GenVariable;

/* Part of a condition: what it adds to those before it. */
typedef struct GenTerm
{
	GpustrOp	op;				/* AND, OR or QUAL */
	int			negated;
	GpustrOp	test;			/* CONST, NULL_TEXT, NULL_VALUE, or
								 * COMPARE_VALUE: less than 'number', and
								 * recheck where it is no int2 */
	GpustrTruth truth;			/* of CONST */
	int64_t		number;
	GenVariable variable;
} GenTerm;

typedef struct GenCondition
{
	int			nterms;			/* 0: true */
	GenTerm		term[GEN_JOIN_MAX_TERMS];
} GenCondition;

/* A PROBE: of relation i + 1. */
typedef struct GenProbe
{
	GpustrProbe probe;
	GenVariable key[GPUSTR_MAX_KEYS];
	int			key_column[GPUSTR_MAX_KEYS];	/* of the table */
	GenCondition condition;
} GenProbe;

/* A result. */
typedef struct GenJoinRow
{
	int64_t		row[GEN_JOIN_MAX_RELATIONS];	/* -1: none */
	int			recheck;
	uint64_t	pair;			/* of the first PROBE */
} GenJoinRow;

typedef struct GenJoin
{
	/* requests */
	int			nbuilds;
	void	  **build;			/* [nbuilds] bodies, which start with a
								 * GpustrBatch: body_bytes are in it.  Those
								 * of a table are together, the last finishes */
	void	   *probe;			/* the body that probes */

	/* what they are about */
	GenRelation relation[GEN_JOIN_MAX_RELATIONS];
	int			nlive[GEN_JOIN_MAX_RELATIONS];
	GenVariable live[GEN_JOIN_MAX_RELATIONS][GEN_JOIN_MAX_LIVE];	/* what each space after
																	 * the first has */
	int			nprobes;
	GenProbe	probes[GEN_JOIN_MAX_PROBES];
	int			filtered;		/* RESULT has a condition */
	GenCondition condition;
	int			nresult;
	GenVariable result[GEN_JOIN_MAX_RESULT];
	int32_t		result_room;	/* the most that the layout has */
	uint32_t	text_room[GPUSTR_MAX_RESULT_COLUMNS];	/* alike */
	int			pages;			/* a page batch */
	int			encoding;

	/* what must come of it */
	uint64_t	nrows;
	uint64_t	rows_room;
	GenJoinRow *row;			/* [nrows] */
	uint64_t	npairs;			/* of the first PROBE */
	int32_t		probed;
	uint32_t   *recheck;		/* of the batch */
} GenJoin;

/* What to make. */
typedef struct GenJoinOptions
{
	int			kind;			/* GpustrBatchKind; 0: either */
	int32_t		max_rows;		/* of the batch, and of each table */
	int32_t		max_pages;
	uint64_t	max_results;	/* a join with more is thrown away, and
								 * another made */
	void	   *blocks;			/* pages that a batch may name in place; they
								 * are overwritten.  NULL: all pages staged */
	int32_t		nblocks;
} GenJoinOptions;

/* Make a join.  Free with gen_join_free(). */
extern GenJoin *gen_join(Rng *rng, const GenJoinOptions *options);

extern void gen_join_free(GenJoin *join);

/*
 * Is the piece of results in 'body', a run of join->probe or of a copy of it, right?
 *
 * at		the result with which the piece starts; advanced.  Start from 0
 *
 * Prints what is wrong; returns how much.  When the piece says that there are more,
 * gen_join_next() and another run have to follow.
 */
extern int	gen_join_check(const GenJoin *join, const void *body, uint64_t *at);

/*
 * Have the engine that has run all of join->build said what is true of the tables?
 * What it said is poisoned then, for the next engine.  Prints what is wrong; returns
 * how much.
 */
extern int	gen_join_check_tables(const GenJoin *join);

/*
 * Ask for the piece after the one in 'body', with other rooms for results.  Result
 * regions are poisoned.  at: how many results have been seen.
 */
extern void gen_join_next(Rng *rng, const GenJoin *join, void *body, uint64_t at);

/* Ask for the results from any place on.  Returns which is the first. */
extern uint64_t gen_join_seek(Rng *rng, const GenJoin *join, void *body);

/* Print the join. */
extern void gen_join_print(const GenJoin *join);

/* For batch_gen_join*.c: what must come of it; 0: more than max_results. */
extern int	gen_join_expect(GenJoin *join, uint64_t max_results);

/*
 * For batch_gen_join*.c: the requests.  A batch of pages may have fewer rows than the
 * relation: then that gets fewer.
 */
extern void gen_join_make_requests(Rng *rng, const GenJoinOptions *options, GenJoin *join);

/*
 * For batch_gen_join*.c: does column i of a batch of pages go beyond the first space?
 * Then the first condition is recheck where it is.
 */
static inline TEST_UNUSED int
gen_join_goes_on(const GenJoin *join, int i)
{
	int			v;

	for (v = 0; v < join->nlive[1]; v++)
		if (join->live[1][v].relation == 0 && join->live[1][v].column == i)
			return join->pages;
	return 0;
}

/* For batch_gen_join*.c: the cell of a relation, and its bytes. */
static inline TEST_UNUSED const GenCell *
gen_join_cell(const GenRelation *relation, int64_t row, int column)
{
	return &relation->cell[row * relation->ncolumns + column];
}

static inline TEST_UNUSED int
gen_join_is_text(int kind)
{
	return kind >= 3 && kind < GEN_JOIN_SMALL;
}

#ifdef __cplusplus
}
#endif

#endif							/* GPUSTR_TEST_JOIN_GEN_H */
