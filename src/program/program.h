/*-------------------------------------------------------------------------
 *
 * program.h
 *	  What an engine is asked to do with a batch: a short array of steps.
 *
 * A step reads and writes numbered registers.  There are two kinds:
 *
 *		text registers	one string (or NULL, or recheck) per row
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
 * Operators.  "text n" and "bool n" are registers; arguments not named are 0.
 *
 * op			out		in0		in1		other arguments
 */
typedef enum GpustrOp
{
	GPUSTR_OP_DECODE_TEXT = 1,	/* text from attribute attr of the tuple */
	GPUSTR_OP_DECODE_NULL,		/* bool: attribute attr IS NULL */
	GPUSTR_OP_COLUMN,			/* text from input column attr */
	GPUSTR_OP_CONST,			/* bool: the GpustrTruth in attr, all rows */
	GPUSTR_OP_LIKE,				/* bool: text in0 LIKE the compiled pattern at
								 * const (rowfn/like.h) */
	GPUSTR_OP_TEXT_EQ,			/* bool: text in0 = bytes at const */
	GPUSTR_OP_AND,				/* bool in0 AND bool in1 */
	GPUSTR_OP_OR,
	GPUSTR_OP_NOT,				/* NOT bool in0 */
	GPUSTR_OP_QUAL,				/* clause list: bool in0 so far, bool in1 next */
	GPUSTR_OP_SELECT,			/* bool in0 to the result bitmaps */
	GPUSTR_OP_REDACT,			/* text in0 (name), in1 (visibility) to the
								 * output column: rowfn/redact.h */
	GPUSTR_OP_LAST = GPUSTR_OP_REDACT
} GpustrOp;

/* The most registers of each kind, and steps, that a program may have. */
#define GPUSTR_MAX_TEXT_REGS 32
#define GPUSTR_MAX_BOOL_REGS 128
#define GPUSTR_MAX_STEPS 256

typedef struct GpustrStep
{
	uint16_t	op;				/* GpustrOp */
	uint16_t	out;
	uint16_t	in0;
	uint16_t	in1;
	int32_t		attr;			/* attribute number from 1, input column from
								 * 0, or GpustrTruth */
	uint32_t	const_off;		/* from the start of the program; aligned to 8 */
	uint32_t	const_bytes;
} GpustrStep;

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
	int32_t		nbool;			/* bool registers used */
	int32_t		nattrs;			/* attributes described; enough for each
								 * DECODE step */
	uint32_t	step_off;		/* GpustrStep [nsteps] */
	uint32_t	attr_off;		/* GpustrAttr [nattrs] */
} GpustrProgram;

#define GPUSTR_PROGRAM_STEPS(p) ((const GpustrStep *) ((const char *) (p) + (p)->step_off))
#define GPUSTR_PROGRAM_ATTRS(p) ((const GpustrAttr *) ((const char *) (p) + (p)->attr_off))
#define GPUSTR_PROGRAM_CONST(p, step) ((const char *) (p) + (step)->const_off)

#endif							/* GPUSTR_PROGRAM_H */
