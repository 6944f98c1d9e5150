/*-------------------------------------------------------------------------
 *
 * program.h
 *	  What an engine is asked to do with a batch: a short array of steps.
 *
 * A step reads and writes numbered registers.  There are three kinds:
 *
 *		text registers	one string (or NULL, or recheck) per row; also any other
 *						value that is handled as bytes (numeric, uuid, ...)
 *		value registers	64 bits (or NULL, or recheck) per row: integers,
 *						dates and times as int64, floats as double
 *		bool registers	one four-state truth value per row
 *
 * numbered separately from 0.  Each register is written by one step, before
 * the steps that read it.  An engine runs the steps in order over all rows;
 * what a step makes stays with the engine until the next step.
 *
 * The four-state logic
 * --------------------
 * PostgreSQL's three truth values and *recheck*: "only PostgreSQL can tell".
 * The device never raises an SQL error; a row for which PostgreSQL might
 * raise one is recheck.  So order matters, as PostgreSQL evaluates from left
 * to right and stops as soon as the answer is known:
 *
 *	AND		the first false decides false.  A recheck before it decides
 *			recheck, since PostgreSQL evaluates that one first.  Otherwise the
 *			first recheck decides recheck, then any null decides null.
 *	OR		alike, with true for false.
 *	NOT		swaps true and false, passes null and recheck on.
 *	QUAL	the clause list of a WHERE: the first clause that is not true
 *			decides.  (ExecQual stops at null as at false, AND does not.)
 *
 *	  AND | F T N R		  OR | F T N R		QUAL | F T N R		NOT
 *	  ----+--------		  ---+--------		-----+--------		F -> T
 *	   F  | F F F F		   F | F T N R		  F  | F F F F		T -> F
 *	   T  | F T N R		   T | T T T T		  T  | F T N R		N -> N
 *	   N  | F N N R		   N | N T N R		  N  | N N N N		R -> R
 *	   R  | R R R R		   R | R R R R		  R  | R R R R
 *
 * (row: left operand, column: right operand).  Values are kept as two bit
 * planes, 32 rows a word: see GpustrTruth.  The formulas below are tested
 * exhaustively against the tables in test/unit.
 *
 * A program is one contiguous, position-independent block, the same in a plan
 * node, a staging slot and device memory:
 *
 *		GpustrProgram, steps, attributes, constants
 *
 * Plain C, shared with cuda/; <stdint.h> only.
 *
 * IDENTIFICATION
 *	  src/program/program.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_PROGRAM_H
#define GPUSTR_PROGRAM_H

#include <stdint.h>

#include "program/join_steps.h"

#ifdef __CUDACC__
#define GPUSTR_FN static __host__ __device__ __forceinline__
#else
#define GPUSTR_FN static inline
#endif

/* Truth values.  Bit 0 and bit 1 are the two bit planes. */
typedef enum GpustrTruth
{
	GPUSTR_FALSE = 0,
	GPUSTR_TRUE = 1,
	GPUSTR_NULL = 2,
	GPUSTR_RECHECK = 3
} GpustrTruth;

/* 32 rows of truth values: bit i of lo and hi belong to row i. */
typedef struct GpustrTruthWord
{
	uint32_t	lo;				/* true or recheck */
	uint32_t	hi;				/* null or recheck */
} GpustrTruthWord;

GPUSTR_FN GpustrTruthWord
gpustr_truth_word(uint32_t lo, uint32_t hi)
{
	GpustrTruthWord w;

	w.lo = lo;
	w.hi = hi;
	return w;
}

/* NOT: false 00 <-> true 01; null 10 and recheck 11 stay. */
GPUSTR_FN GpustrTruthWord
gpustr_truth_not(GpustrTruthWord a)
{
	return gpustr_truth_word(a.lo ^ ~a.hi, a.hi);
}

/*
 * AND: a where it is false or recheck; b where a is true, or where a is null
 * and b is not true; null where a is null and b is true.
 */
GPUSTR_FN GpustrTruthWord
gpustr_truth_and(GpustrTruthWord a, GpustrTruthWord b)
{
	uint32_t	a_true = a.lo & ~a.hi;
	uint32_t	a_null = a.hi & ~a.lo;
	uint32_t	a_recheck = a.lo & a.hi;
	uint32_t	b_true = b.lo & ~b.hi;

	return gpustr_truth_word(a_recheck | (a_true & b.lo) | (a_null & b.lo & ~b_true),
							 a_recheck | (a_true & b.hi) | (a_null & (b.hi | b_true)));
}

/* OR: by De Morgan, which holds in this logic as NOT keeps null and recheck. */
GPUSTR_FN GpustrTruthWord
gpustr_truth_or(GpustrTruthWord a, GpustrTruthWord b)
{
	return gpustr_truth_not(gpustr_truth_and(gpustr_truth_not(a), gpustr_truth_not(b)));
}

/* QUAL: b where a is true, else a. */
GPUSTR_FN GpustrTruthWord
gpustr_truth_qual(GpustrTruthWord a, GpustrTruthWord b)
{
	uint32_t	a_true = a.lo & ~a.hi;

	return gpustr_truth_word((a_true & b.lo) | (~a_true & a.lo),
							 (a_true & b.hi) | (~a_true & a.hi));
}

/* How many bytes a character takes. */
typedef enum GpustrEncoding
{
	GPUSTR_ENC_SINGLE_BYTE = 0, /* SQL_ASCII, LATIN1, ... */
	GPUSTR_ENC_UTF8 = 1
} GpustrEncoding;

/*
 * How the bytes of a fixed-length attribute become a value.  Integers are
 * sign-extended but for the two that have no sign; float4 is widened, which is
 * exact.
 */
typedef enum GpustrValueType
{
	GPUSTR_VALUE_BOOL = 1,		/* 1 byte: 0 or 1 */
	GPUSTR_VALUE_CHAR,			/* 1 byte, unsigned: "char" */
	GPUSTR_VALUE_INT2,
	GPUSTR_VALUE_INT4,			/* date, too */
	GPUSTR_VALUE_INT8,			/* time, timestamp, timestamptz, too */
	GPUSTR_VALUE_OID,			/* 4 bytes, unsigned; enum, too */
	GPUSTR_VALUE_FLOAT4,
	GPUSTR_VALUE_FLOAT8,
	GPUSTR_VALUE_LAST = GPUSTR_VALUE_FLOAT8
} GpustrValueType;

/* What a comparison asks. */
typedef enum GpustrRelation
{
	GPUSTR_REL_EQ = 1,
	GPUSTR_REL_NE,
	GPUSTR_REL_LT,
	GPUSTR_REL_LE,
	GPUSTR_REL_GT,
	GPUSTR_REL_GE,
	GPUSTR_REL_LAST = GPUSTR_REL_GE
} GpustrRelation;

/* By which order. */
typedef enum GpustrOrder
{
	GPUSTR_ORDER_INT = 1,		/* values: int64 */
	GPUSTR_ORDER_FLOAT,			/* values: as float8; NaN = NaN, above all */
	GPUSTR_ORDER_BYTES,			/* texts: memcmp, then length */
	GPUSTR_ORDER_INTERVAL,		/* texts of 16 bytes: interval */
	GPUSTR_ORDER_NUMERIC,		/* texts: what follows numeric's length word */
	GPUSTR_ORDER_LAST = GPUSTR_ORDER_NUMERIC
} GpustrOrder;

/* Arithmetic; the unary ones have no in1. */
typedef enum GpustrArith
{
	GPUSTR_ARITH_ADD = 1,
	GPUSTR_ARITH_SUB,
	GPUSTR_ARITH_MUL,
	GPUSTR_ARITH_DIV,
	GPUSTR_ARITH_MOD,			/* integers only */
	GPUSTR_ARITH_NEG,			/* unary */
	GPUSTR_ARITH_ABS,			/* unary */
	GPUSTR_ARITH_AND,			/* bits; integers only, and the next four */
	GPUSTR_ARITH_OR,
	GPUSTR_ARITH_XOR,
	GPUSTR_ARITH_NOT,			/* unary */
	GPUSTR_ARITH_LAST = GPUSTR_ARITH_NOT
} GpustrArith;

/* Casts between values.  What PostgreSQL would refuse is recheck. */
typedef enum GpustrCast
{
	GPUSTR_CAST_INT_TO_INT2 = 1,	/* out of range: recheck */
	GPUSTR_CAST_INT_TO_INT4,
	GPUSTR_CAST_INT_TO_OID,
	GPUSTR_CAST_INT_TO_FLOAT4,
	GPUSTR_CAST_INT_TO_FLOAT8,
	GPUSTR_CAST_FLOAT_TO_FLOAT4,	/* over- and underflow: recheck */
	GPUSTR_CAST_FLOAT_TO_INT2,	/* rounds to even; NaN, range: recheck */
	GPUSTR_CAST_FLOAT_TO_INT4,
	GPUSTR_CAST_FLOAT_TO_INT8,
	GPUSTR_CAST_DATE_TO_TIMESTAMP,	/* infinities kept; range: recheck */
	GPUSTR_CAST_LAST = GPUSTR_CAST_DATE_TO_TIMESTAMP
} GpustrCast;

/*
 * Operators.  "text", "value", "bool" are registers of that kind; fields of
 * the step that are not named are 0.  A step whose inputs are NULL makes NULL,
 * and of recheck makes recheck, unless it says otherwise; recheck before NULL.
 */
typedef enum GpustrOp
{
	/* from the input */
	GPUSTR_OP_DECODE_TEXT = 1,	/* text: varlena attribute attr of the tuple */
	GPUSTR_OP_DECODE_BYTES,		/* text: the attribute's fixed length; aux 1:
								 * up to the first zero byte (name) */
	GPUSTR_OP_DECODE_VALUE,		/* value: attribute attr, GpustrValueType aux */
	GPUSTR_OP_DECODE_NULL,		/* bool: attribute attr IS NULL */
	GPUSTR_OP_COLUMN,			/* text: input column attr */
	GPUSTR_OP_CONST,			/* bool: GpustrTruth attr in all rows */
	GPUSTR_OP_CONST_TEXT,		/* text: const, all rows; attr: GPUSTR_FALSE,
								 * or GPUSTR_NULL or GPUSTR_RECHECK in all
								 * rows */
	GPUSTR_OP_CONST_VALUE,		/* value: the 8 bytes of const; attr alike */

	/* tests */
	GPUSTR_OP_LIKE,				/* bool: text in0 LIKE the compiled pattern at
								 * const (rowfn/like.h); aux 1: it is followed
								 * by a GpustrDfa that gives the same answers */
	GPUSTR_OP_ILIKE,			/* bool: alike, the text folded by the
								 * GpustrFold at const, which the pattern
								 * follows; the GpustrDfa folds */
	GPUSTR_OP_DFA,				/* bool: text in0 is accepted by the GpustrDfa
								 * at const (rowfn/dfa.h); attr 1: what is
								 * accepted is recheck; aux 1: only where bool
								 * in2 is true, else that */
	GPUSTR_OP_TEXT_EQ,			/* bool: text in0 = bytes at const */
	GPUSTR_OP_COMPARE_TEXT,		/* bool: text in0, in1; aux: GpustrRelation,
								 * attr: GpustrOrder */
	GPUSTR_OP_COMPARE_VALUE,	/* bool: value in0, in1; alike */
	GPUSTR_OP_IN_TEXT,			/* bool: text in0 is in the set at const:
								 * GpustrTextSet; attr 1: the list has a NULL,
								 * so what is not found is NULL */
	GPUSTR_OP_IN_VALUE,			/* bool: value in0 among the ascending int64
								 * at const; attr alike */
	GPUSTR_OP_NULL_TEXT,		/* bool: text in0 IS NULL: never NULL */
	GPUSTR_OP_NULL_VALUE,
	GPUSTR_OP_NULL_BOOL,		/* IS UNKNOWN */
	GPUSTR_OP_IS_TRUE,			/* bool: bool in0 IS TRUE: never NULL */
	GPUSTR_OP_VALUE_TRUE,		/* bool: value in0 <> 0 */

	/* logic */
	GPUSTR_OP_AND,				/* bool in0 AND bool in1 */
	GPUSTR_OP_OR,
	GPUSTR_OP_NOT,				/* NOT bool in0 */
	GPUSTR_OP_QUAL,				/* clause list: bool in0 so far, bool in1 next */
	GPUSTR_OP_CHOOSE_BOOL,		/* bool: in0 where bool in2 is true, recheck
								 * where that is, else in1 */
	GPUSTR_OP_CHOOSE_TEXT,		/* text, alike */
	GPUSTR_OP_CHOOSE_VALUE,		/* value, alike */

	/* texts and values made of others */
	GPUSTR_OP_TRIM_BLANKS,		/* text: in0 without its trailing blanks */
	GPUSTR_OP_LENGTH,			/* value: characters of text in0; aux 1: bytes */
	GPUSTR_OP_BOOL_VALUE,		/* value: 0 or 1 for bool in0 */
	GPUSTR_OP_ARITH,			/* value: in0, in1; aux: GpustrArith, attr:
								 * GpustrValueType of the result (INT2, INT4,
								 * INT8, FLOAT4, FLOAT8); an error: recheck */
	GPUSTR_OP_CAST,				/* value: in0; aux: GpustrCast */
	GPUSTR_OP_TEXT_MAKE,		/* text: the answer of function aux, a slice
								 * or a made text (text_function.h); attr 1:
								 * of bytes, not characters */
	GPUSTR_OP_TEXT_MEASURE,		/* value: alike, a measure */

	/* results */
	GPUSTR_OP_SELECT,			/* bool in0 to the result bitmaps */
	GPUSTR_OP_REDACT,			/* text in0 (name), in1 (visibility) to output
								 * column attr: rowfn/redact.h; aux 1: where
								 * bool in2 is not true: NULL, no recheck */
	GPUSTR_OP_MASK,				/* text in0 to output column attr, by the
								 * GpustrMask at const: rowfn/mask.h; aux and
								 * in2 alike */
	GPUSTR_OP_OUTPUT_TEXT,		/* text in0 to output column attr, as it is;
								 * aux and in2 alike */

	/* more tests */
	GPUSTR_OP_CONTAINS_ANY,		/* bool: one of the literals of the
								 * GpustrAhoCorasick at const occurs in text
								 * in0 (rowfn/aho_corasick.h) */
	GPUSTR_OP_FIND_ALL,			/* where const stands in text in0 to output
								 * column attr: GpustrFound; aux and in2 alike */

	/* joins: see join_steps.h */
	GPUSTR_OP_COLUMN_VALUE,		/* value: input column attr, of values */
	GPUSTR_OP_BUILD,			/* rows of the batch become rows of a table:
								 * GpustrTableBuild at const.  Nothing else
								 * makes results in such a program. */
	GPUSTR_OP_PROBE,			/* the rows for which bool in0 is true meet
								 * those of a table: GpustrProbe at const.
								 * Opens the next space */
	GPUSTR_OP_GATHER_TEXT,		/* text: of each pair's outer row, text in0 */
	GPUSTR_OP_GATHER_VALUE,		/* value: alike */
	GPUSTR_OP_INNER_TEXT,		/* text: of each pair's inner row, column attr
								 * of the table of the PROBE that opened this
								 * space; NULL where there is none */
	GPUSTR_OP_INNER_VALUE,		/* value: alike */
	GPUSTR_OP_RESULT,			/* the rows of the last space, which is not
								 * space 0, are the results: GpustrBatch
								 * result_off.  aux 1: only those for which
								 * bool in0 is true or recheck, and those
								 * without an inner row, for which it is not
								 * looked at.  Only the next two follow it */
	GPUSTR_OP_RESULT_TEXT,		/* after RESULT: text in0, of the last space,
								 * to result column attr */
	GPUSTR_OP_RESULT_VALUE,		/* alike: value in0 */
	GPUSTR_OP_LAST = GPUSTR_OP_RESULT_VALUE
} GpustrOp;

/* The most output columns of a program, and so of a batch. */
#define GPUSTR_MAX_OUT_COLUMNS 4

/* The most registers of each kind, and steps, that a program may have. */
#define GPUSTR_MAX_TEXT_REGS 64
#define GPUSTR_MAX_VALUE_REGS 128
#define GPUSTR_MAX_BOOL_REGS 128
#define GPUSTR_MAX_STEPS 256

/* The most attributes of a table that a program can walk over: MaxHeapAttributeNumber. */
#define GPUSTR_MAX_ATTRS 1600

typedef struct GpustrStep
{
	uint16_t	op;				/* GpustrOp */
	uint16_t	out;
	uint16_t	in0;
	uint16_t	in1;
	uint16_t	in2;
	uint16_t	aux;			/* what the operator says */
	int32_t		attr;			/* attribute number from 1, column from 0, or
								 * what the operator says */
	uint32_t	const_off;		/* from the start of the program; aligned to 8 */
	uint32_t	const_bytes;
} GpustrStep;

/*
 * How to fold a character to lower case, for GPUSTR_OP_ILIKE: what PostgreSQL
 * makes of each under the clause's collation.
 */
typedef struct GpustrFold
{
	uint8_t		ascii[128];		/* the folded byte; GPUSTR_FOLD_RECHECK: a
								 * value with that character is recheck */
	int32_t		others_stay;	/* bytes from 128 on: 1 stay, 0 are recheck */
	int32_t		unused;
} GpustrFold;

#define GPUSTR_FOLD_RECHECK 0xFF

/*
 * A deterministic automaton over bytes, for GPUSTR_OP_DFA.  It starts in state
 * 'start', takes the text byte by byte, and accepts it if it comes to state 1,
 * or is in a state of which at_end is 1 when the text ends.  Where at_end is 3,
 * as GPUSTR_RECHECK, it cannot tell.
 *
 * Two states stay what they are, whatever follows: 0 rejects, 1 accepts.  So a
 * matcher may stop there.
 */
typedef struct GpustrDfa
{
	int32_t		nstates;		/* >= 2, <= 65535 */
	int32_t		nclasses;		/* classes of bytes: 1 to 256 */
	int32_t		start;
	int32_t		next_off;		/* uint16 [nstates][nclasses]: the next state;
								 * bytes from the start of this struct */
	int32_t		at_end_off;		/* uint8 [nstates]: GpustrTruth, not NULL */
	int32_t		unused;
	uint8_t		class_of[256];	/* of each byte */
} GpustrDfa;

#define GPUSTR_DFA_REJECT 0
#define GPUSTR_DFA_ACCEPT 1

/*
 * An automaton over bytes that looks for many literals (Aho and Corasick, made
 * deterministic), for GPUSTR_OP_CONTAINS_ANY.  It starts in state 0, and has found
 * one when it comes to GPUSTR_FOUND.
 *
 * The first states, which texts are in most of the time, are hot: they have a
 * row each.  A cold one has what differs from the row of a hot one: few edges,
 * which lead to a state by a class of bytes.
 */
typedef struct GpustrAhoCorasick
{
	int32_t		nstates;		/* 1 to GPUSTR_AHO_MAX_STATES */
	int32_t		nclasses;		/* classes of bytes: 1 to 256 */
	int32_t		nhot;			/* the first states: 1 to 65535 */
	int32_t		nmore;
	int32_t		hot_off;		/* uint16 [nhot][nclasses]: the next state;
								 * bytes from the start of this struct */
	int32_t		cold_off;		/* GpustrColdState [nstates - nhot] */
	int32_t		more_off;		/* uint32 [nmore]: edges */
	int32_t		unused;
	uint8_t		class_of[256];	/* of each byte */
} GpustrAhoCorasick;

/* An edge: a state, and above GPUSTR_EDGE_BITS the class that leads there. */
typedef struct GpustrColdState
{
	uint32_t	edge[2];		/* the second may be the first */
	uint32_t	more;			/* its other edges: more[] from there */
	uint16_t	hot;			/* where other classes lead: as from there */
	uint16_t	nmore;			/* 0 to 255 */
} GpustrColdState;

#define GPUSTR_EDGE_BITS 24
#define GPUSTR_EDGE_STATE 0xFFFFFFu
#define GPUSTR_AHO_MAX_STATES (1 << GPUSTR_EDGE_BITS)

/* No state has this number, or it is not come to. */
#define GPUSTR_FOUND 0xFFFFu

/*
 * A set of strings, for GPUSTR_OP_IN_TEXT: the strings one after the other,
 * in ascending order by memcmp and then length, none twice.
 */
typedef struct GpustrTextSet
{
	int32_t		n;
	int32_t		offsets[1];		/* [n + 1], from the first string's first
								 * byte; the bytes follow */
} GpustrTextSet;

/*
 * How to mask a text, for GPUSTR_OP_MASK: how many characters to keep on either
 * side, and what stands for each of the others.
 */
typedef struct GpustrMask
{
	int32_t		keep_left;		/* >= 0 */
	int32_t		keep_right;		/* >= 0 */
	int32_t		mask_bytes;		/* the bytes follow */
	int32_t		unused;
} GpustrMask;

/*
 * The answers of GPUSTR_OP_FIND_ALL.  Of a text of len bytes the first len - n + 1
 * are places where the n >= 1 bytes of const may start.  A hit is counted in
 * characters that start before it, in a single-byte encoding in bytes; so texts
 * that are pieces of a longer one, each with the first n - 1 bytes of the next,
 * have each hit once, and add up.
 */
typedef struct GpustrFound
{
	int32_t		starts;			/* characters that start in the places */
	int32_t		hits[1];		/* ascending; as many as the answer has bytes
								 * for, none if it has 4 */
} GpustrFound;

/* Places of a piece, at most, for a device to search it at one go. */
#define GPUSTR_FIND_PIECE (16384 - 16)

/*
 * What is needed to walk over an attribute of a heap tuple, as pg_attribute
 * has it, dropped ones included.
 */
typedef struct GpustrAttr
{
	int16_t		len;			/* bytes; -1 varlena, -2 C string */
	uint8_t		align;			/* 1, 2, 4 or 8 bytes */
	uint8_t		missing;		/* tuples that end before this attribute have:
								 * 0 NULL, 1 the value at missing_off, 2 a
								 * value that only PostgreSQL can supply */
	uint32_t	missing_off;	/* from the start of the program */
	uint32_t	missing_bytes;
} GpustrAttr;

typedef struct GpustrProgram
{
	uint32_t	bytes;			/* of the whole program */
	int32_t		encoding;		/* GpustrEncoding */
	int32_t		nsteps;
	int32_t		ntext;			/* text registers used */
	int32_t		nvalue;			/* value registers used */
	int32_t		nbool;			/* bool registers used */
	int32_t		nattrs;			/* attributes described; enough for each
								 * DECODE step */
	uint32_t	step_off;		/* GpustrStep [nsteps] */
	uint32_t	attr_off;		/* GpustrAttr [nattrs] */
	uint32_t	unused;			/* 0 */
	uint64_t	key;			/* gpustr_program_key(), by which an engine
								 * looks for a copy that it has kept; 0: none */
} GpustrProgram;

/* A program of fewer bytes has no key: to copy it once more costs next to nothing. */
#define GPUSTR_KEY_LEAST_BYTES 4096

#define GPUSTR_PROGRAM_STEPS(p) ((const GpustrStep *) ((const char *) (p) + (p)->step_off))
#define GPUSTR_PROGRAM_ATTRS(p) ((const GpustrAttr *) ((const char *) (p) + (p)->attr_off))
#define GPUSTR_PROGRAM_CONST(p, step) ((const char *) (p) + (step)->const_off)

#endif							/* GPUSTR_PROGRAM_H */
