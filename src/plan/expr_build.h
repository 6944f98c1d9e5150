/*-------------------------------------------------------------------------
 *
 * expr_build.h
 *	  Turn an expression into the steps of a program.
 *
 * IDENTIFICATION
 *	  src/plan/expr_build.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_EXPR_BUILD_H
#define GPUSTR_EXPR_BUILD_H

#include "nodes/primnodes.h"
#include "utils/relcache.h"

#include "plan/late_values.h"
#include "plan/program_build.h"
#include "plan/ship_types.h"
#include "program/program_builder.h"

/* Where the value of an expression is. */
typedef struct GpustrReg
{
	GpustrKind	kind;
	uint16_t	reg;
} GpustrReg;

/* What has been made of an attribute or of a register, to be used again. */
typedef enum GpustrMade
{
	GPUSTR_MADE_NULL,			/* bool: attribute IS NULL */
	GPUSTR_MADE_COLUMN,			/* text or value: the attribute's value */
	GPUSTR_MADE_TRUTH,			/* bool: that a value register is not 0 */
	GPUSTR_MADE_TRIMMED,		/* text: a text register without blanks */
	GPUSTR_MADE_CALL			/* the value of a call */
} GpustrMade;

typedef struct GpustrMadeReg
{
	GpustrMade	made;
	int			of;				/* attribute or register */
	Node	   *call;			/* of GPUSTR_MADE_CALL */
	GpustrReg	reg;
} GpustrMadeReg;

#define GPUSTR_MAX_MADE (GPUSTR_MAX_TEXT_REGS + GPUSTR_MAX_VALUE_REGS + GPUSTR_MAX_BOOL_REGS)

typedef struct GpustrBuild
{
	GpustrProgramBuilder builder;
	Oid			relation;		/* the table that is scanned, or 0 */

	/* the text or value register of a column; NULL: one of that table */
	GpustrReg	(*column) (void *context, Var *var);
	void	   *column_context;

	const GpustrLateValues *late;	/* NULL: nothing is known yet */
	GpustrReg	case_arg;		/* what a CaseTestExpr stands for */
	bool		in_case;		/* there may be one */
	int			unknown_steps;	/* steps that late values would bring */
	uint32		automata_bytes; /* of the constants so far */
	uint32		literals_bytes; /* of automata of literals, alike */
	Size		tried_bytes;	/* of joined automata that were looked at */
	int			nmade;
	GpustrMadeReg made[GPUSTR_MAX_MADE];
} GpustrBuild;

/* A constant, or what is known of a late value. */
typedef struct GpustrFixed
{
	bool		known;
	bool		isnull;
	Datum		value;
	Oid			type;
} GpustrFixed;

static inline GpustrReg
gpustr_reg(GpustrKind kind, uint16_t number)
{
	GpustrReg	reg;

	reg.kind = kind;
	reg.reg = number;
	return reg;
}

/* The steps for an expression that shippable.c let pass. */
extern GpustrReg gpustr_build_expr(GpustrBuild *build, Node *expr);

/*
 * A program over the first 'last' attributes of the table, or, if rel is NULL,
 * over none; and what has been built, in memory of its own, or NULL if it did not
 * fit, after which there is no build.  In program_build.c.
 */
extern GpustrBuild *gpustr_begin_build(Relation rel, int last, const GpustrLateValues *late);
extern GpustrProgram *gpustr_end_build(GpustrBuild *build);

/*
 * The truth of the offloaded ones of the clauses, true if there are none; and the last
 * attribute that these, and the outputs, look at.  What does not fit, and leave room for
 * 'keep' registers of either kind and twice as many steps, is left to recheck.  In
 * program_build.c.
 */
extern GpustrReg gpustr_build_clauses(GpustrBuild *build, const GpustrScanClauses *clauses,
									  int keep);
extern int	gpustr_last_attribute(const GpustrScanClauses *clauses);

/*
 * The text or value register of a table's attribute; the value of a column, and
 * whether it is NULL; and what has been made of an attribute or register, NULL if
 * nothing has.  In column_build.c.
 */
extern GpustrReg gpustr_build_attribute(GpustrBuild *build, AttrNumber attno,
										const GpustrCarrier *carrier);
extern GpustrReg gpustr_build_column(GpustrBuild *build, Var *var);
extern GpustrReg gpustr_build_null_column(GpustrBuild *build, Var *var);
extern const GpustrReg *gpustr_find_made(const GpustrBuild *build, GpustrMade made, int of);
extern GpustrReg gpustr_remember_made(GpustrBuild *build, GpustrMade made, int of, GpustrReg reg);

/* The same for op ANY and op ALL; in array_build.c. */
extern GpustrReg gpustr_build_array_op(GpustrBuild *build, ScalarArrayOpExpr *op);

/* Parts of it, in expr_build.c, that array_build.c and text_build.c need. */
extern GpustrReg gpustr_build_operand(GpustrBuild *build, const GpustrFunction *function,
									  int side, Node *expr);
extern GpustrReg gpustr_build_test(GpustrBuild *build, const GpustrFunction *function,
								   Oid collation, GpustrReg left, const GpustrFixed *right);
extern GpustrReg gpustr_build_truth(GpustrBuild *build, GpustrTruth truth);
extern GpustrReg gpustr_build_unless_recheck(GpustrBuild *build, GpustrReg arg,
											 GpustrTruth truth);
extern GpustrReg gpustr_build_unknown_test(GpustrBuild *build);
extern GpustrReg gpustr_build_not(GpustrBuild *build, GpustrReg arg);
extern GpustrReg gpustr_build_is_null(GpustrBuild *build, GpustrReg arg);
extern GpustrReg gpustr_build_choose(GpustrBuild *build, GpustrReg condition, GpustrReg yes,
									 GpustrReg no);

/*
 * Constants and late values; in fixed_build.c.  gpustr_fixed(): is the
 * expression one?  Then what is known of it.
 */
extern bool gpustr_fixed(GpustrBuild *build, Node *expr, GpustrFixed *fixed);
extern int64_t gpustr_fixed_value(const GpustrFixed *fixed);
extern const char *gpustr_fixed_bytes(const GpustrFixed *fixed, bool trim, int32_t *bytes);
extern GpustrReg gpustr_build_fixed(GpustrBuild *build, const GpustrFixed *fixed, bool trim);

#endif							/* GPUSTR_EXPR_BUILD_H */
