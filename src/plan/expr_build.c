/*-------------------------------------------------------------------------
 *
 * expr_build.c
 *	  Turn an expression into the steps of a program.
 *
 * Each expression becomes a register of the kind that its type has.  Operands
 * are built from left to right, though the order among steps means nothing:
 * whether an operand that PostgreSQL would not have come to decides is settled
 * by the four-state logic of the steps that read it.
 *
 * A late value that is not known yet is a constant in state recheck.  Where
 * the steps themselves depend on the value, as with a pattern or an array, the
 * whole test is.
 *
 * Invariant: each column is looked up once, however many expressions look at
 * it (column_build.c); and equal calls are made once.
 *
 * Failure: what does not fit sets the builder's 'full'.
 *
 * IDENTIFICATION
 *	  src/plan/expr_build.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"

#include "compat.h"
#include "plan/expr_build.h"
#include "plan/fold_probe.h"
#include "plan/literals_build.h"
#include "plan/pii_build.h"
#include "plan/regex_build.h"
#include "plan/regex_find.h"
#include "plan/several_build.h"
#include "plan/text_build.h"

/* Steps that an unknown pattern or array stands for: decode and test. */
#define UNKNOWN_TEST_STEPS 2

/* The register of a call that is equal to this one; NULL: there is none. */
static const GpustrReg *
find_call(const GpustrBuild *build, Node *call)
{
	int			i;

	for (i = 0; i < build->nmade && !build->in_case; i++)
	{
		if (build->made[i].made == GPUSTR_MADE_CALL && equal(build->made[i].call, call))
			return &build->made[i].reg;
	}
	return NULL;
}

static GpustrReg
remember_call(GpustrBuild *build, Node *call, GpustrReg reg)
{
	if (!build->in_case && build->nmade < GPUSTR_MAX_MADE)
	{
		(void) gpustr_remember_made(build, GPUSTR_MADE_CALL, 0, reg);
		build->made[build->nmade - 1].call = call;
	}
	return reg;
}

GpustrReg
gpustr_build_truth(GpustrBuild *build, GpustrTruth truth)
{
	return gpustr_reg(GPUSTR_KIND_BOOL, gpustr_builder_const(&build->builder, truth));
}

GpustrReg
gpustr_build_not(GpustrBuild *build, GpustrReg arg)
{
	return gpustr_reg(GPUSTR_KIND_BOOL,
					  gpustr_builder_test(&build->builder, GPUSTR_OP_NOT, arg.reg));
}

static GpustrReg
build_binary(GpustrBuild *build, GpustrOp op, GpustrReg left, GpustrReg right)
{
	return gpustr_reg(GPUSTR_KIND_BOOL,
					  gpustr_builder_binary(&build->builder, op, left.reg, right.reg));
}

GpustrReg
gpustr_build_is_null(GpustrBuild *build, GpustrReg arg)
{
	GpustrOp	op = arg.kind == GPUSTR_KIND_TEXT ? GPUSTR_OP_NULL_TEXT :
	arg.kind == GPUSTR_KIND_VALUE ? GPUSTR_OP_NULL_VALUE : GPUSTR_OP_NULL_BOOL;

	return gpustr_reg(GPUSTR_KIND_BOOL, gpustr_builder_test(&build->builder, op, arg.reg));
}

GpustrReg
gpustr_build_choose(GpustrBuild *build, GpustrReg condition, GpustrReg yes, GpustrReg no)
{
	GpustrOp	op = yes.kind == GPUSTR_KIND_TEXT ? GPUSTR_OP_CHOOSE_TEXT :
	yes.kind == GPUSTR_KIND_VALUE ? GPUSTR_OP_CHOOSE_VALUE : GPUSTR_OP_CHOOSE_BOOL;

	return gpustr_reg(yes.kind,
					  gpustr_builder_choose(&build->builder, op, condition.reg, yes.reg, no.reg));
}

/* The same truth in all rows, but for those where the operand is recheck. */
GpustrReg
gpustr_build_unless_recheck(GpustrBuild *build, GpustrReg arg, GpustrTruth truth)
{
	GpustrReg	computed = build_binary(build, GPUSTR_OP_OR, gpustr_build_is_null(build, arg),
										gpustr_build_truth(build, GPUSTR_TRUE));

	return build_binary(build, GPUSTR_OP_AND, computed, gpustr_build_truth(build, truth));
}

/* A test that depends on a value that is not known. */
GpustrReg
gpustr_build_unknown_test(GpustrBuild *build)
{
	build->unknown_steps += UNKNOWN_TEST_STEPS;
	return gpustr_build_truth(build, GPUSTR_RECHECK);
}

/* Make the operand of a comparison out of an expression's register. */
static GpustrReg
convert_operand(GpustrBuild *build, const GpustrFunction *function, int side, GpustrReg reg)
{
	GpustrProgramBuilder *b = &build->builder;
	int			date = side == 0 ? GPUSTR_FLAG_LEFT_DATE : GPUSTR_FLAG_RIGHT_DATE;
	const GpustrReg *found;

	if (reg.kind == GPUSTR_KIND_BOOL)
		return gpustr_reg(GPUSTR_KIND_VALUE, gpustr_builder_bool_value(b, reg.reg));
	if (function->flags & date)
		return gpustr_reg(GPUSTR_KIND_VALUE,
						  gpustr_builder_cast(b, GPUSTR_CAST_DATE_TO_TIMESTAMP, reg.reg));
	if ((function->flags & GPUSTR_FLAG_TRIM) == 0)
		return reg;
	found = gpustr_find_made(build, GPUSTR_MADE_TRIMMED, reg.reg);
	if (found != NULL)
		return *found;
	return gpustr_remember_made(build, GPUSTR_MADE_TRIMMED, reg.reg,
								gpustr_reg(GPUSTR_KIND_TEXT, gpustr_builder_trim_blanks(b, reg.reg)));
}

GpustrReg
gpustr_build_operand(GpustrBuild *build, const GpustrFunction *function, int side, Node *expr)
{
	if (function->kind != GPUSTR_FUNCTION_COMPARE)
		return gpustr_build_expr(build, expr);
	return convert_operand(build, function, side, gpustr_build_expr(build, expr));
}

static GpustrReg
build_compare(GpustrBuild *build, const GpustrFunction *function, GpustrReg left, GpustrReg right)
{
	GpustrOp	op = left.kind == GPUSTR_KIND_TEXT ? GPUSTR_OP_COMPARE_TEXT : GPUSTR_OP_COMPARE_VALUE;

	return gpustr_reg(GPUSTR_KIND_BOOL,
					  gpustr_builder_compare(&build->builder, op, (GpustrRelation) function->what,
											 (GpustrOrder) function->how, left.reg, right.reg));
}

/* Is it an equality of bytes, or its contrary? */
static bool
is_byte_equality(const GpustrFunction *function)
{
	return function->kind == GPUSTR_FUNCTION_COMPARE && function->how == GPUSTR_ORDER_BYTES &&
		(function->what == GPUSTR_REL_EQ || function->what == GPUSTR_REL_NE);
}

/* LIKE, ILIKE, starts_with, ~ with a known pattern. */
static GpustrReg
build_pattern(GpustrBuild *build, const GpustrFunction *function, Oid collation,
			  GpustrReg left, const GpustrFixed *right)
{
	GpustrProgramBuilder *b = &build->builder;
	struct varlena *pattern = PG_DETOAST_DATUM_PACKED(right->value);
	GpustrReg	reg;

	if (function->kind == GPUSTR_FUNCTION_REGEX)
		return gpustr_build_regex(build, function, NULL, collation, left, pattern);
	if (function->kind == GPUSTR_FUNCTION_STARTS_WITH)
		pattern = gpustr_like_escape_prefix(pattern);
	if (function->flags & GPUSTR_FLAG_FOLDED)
	{
		const GpustrFold *fold = gpustr_fold_for_collation(collation);

		if (fold == NULL)
			elog(ERROR, "unexpected collation of an offloaded ILIKE: %u", collation);
		pattern = gpustr_fold_pattern(pattern, collation);
		reg = gpustr_reg(GPUSTR_KIND_BOOL,
						 gpustr_builder_ilike(b, left.reg, fold, VARDATA_ANY(pattern),
											  VARSIZE_ANY_EXHDR(pattern)));
	}
	else
		reg = gpustr_reg(GPUSTR_KIND_BOOL,
						 gpustr_builder_like(b, left.reg, VARDATA_ANY(pattern),
											 VARSIZE_ANY_EXHDR(pattern)));
	return function->flags & GPUSTR_FLAG_NEGATED ? gpustr_build_not(build, reg) : reg;
}

/* Test an operand against a constant or late value. */
GpustrReg
gpustr_build_test(GpustrBuild *build, const GpustrFunction *function, Oid collation,
				  GpustrReg left, const GpustrFixed *right)
{
	bool		trim = (function->flags & GPUSTR_FLAG_TRIM) != 0;

	if (!right->known && (function->kind != GPUSTR_FUNCTION_COMPARE || is_byte_equality(function)))
		return gpustr_build_unknown_test(build);
	if (right->isnull && right->known)
		return gpustr_build_unless_recheck(build, left, GPUSTR_NULL);
	if (function->kind != GPUSTR_FUNCTION_COMPARE)
		return build_pattern(build, function, collation, left, right);
	if (is_byte_equality(function))
	{
		int32_t		bytes;
		const char *value = gpustr_fixed_bytes(right, trim, &bytes);
		GpustrReg	reg = gpustr_reg(GPUSTR_KIND_BOOL,
									 gpustr_builder_text_eq(&build->builder, left.reg, value, bytes));

		return function->what == GPUSTR_REL_NE ? gpustr_build_not(build, reg) : reg;
	}
	else
	{
		GpustrReg	reg = gpustr_build_fixed(build, right, trim);

		if (reg.kind == GPUSTR_KIND_BOOL || (function->flags & GPUSTR_FLAG_RIGHT_DATE))
			reg = convert_operand(build, function, 1, reg);
		return build_compare(build, function, left, reg);
	}
}

/* An operator or function that makes a bool of two operands. */
static GpustrReg
build_two(GpustrBuild *build, const GpustrFunction *function, List *args, Oid collation)
{
	Node	   *left = linitial(args);
	Node	   *right = lsecond(args);
	GpustrFixed fixed;
	GpustrReg	left_reg;

	if (gpustr_fixed(build, right, &fixed))
	{
		/* do not decode for a pattern that is not there yet */
		if (!fixed.known && function->kind != GPUSTR_FUNCTION_COMPARE)
			return gpustr_build_unknown_test(build);
		left_reg = gpustr_build_operand(build, function, 0, left);
		return gpustr_build_test(build, function, collation, left_reg, &fixed);
	}
	if (is_byte_equality(function) && gpustr_fixed(build, left, &fixed))
		return gpustr_build_test(build, function, collation,
								 gpustr_build_operand(build, function, 1, right), &fixed);
	if (function->kind == GPUSTR_FUNCTION_STARTS_WITH)
		return gpustr_build_starts_with(build, left, right);
	left_reg = gpustr_build_operand(build, function, 0, left);
	return build_compare(build, function, left_reg,
						 gpustr_build_operand(build, function, 1, right));
}

/* A call of a function, be it written as one or as an operator. */
static GpustrReg
build_call(GpustrBuild *build, Oid funcid, List *args, Oid collation)
{
	GpustrProgramBuilder *b = &build->builder;
	const GpustrFunction *function = gpustr_function(funcid);
	GpustrReg	arg;
	uint16_t	second = 0;

	if (function == NULL)
		elog(ERROR, "unexpected function in an offloaded clause: %u", funcid);
	if (function->kind == GPUSTR_FUNCTION_REGEX && function->what == 1)
		return gpustr_build_regexp_like(build, function, args, collation);
	if (function->kind == GPUSTR_FUNCTION_CONTAINS_ANY)
		return gpustr_build_contains_any(build, args);
	if (function->kind == GPUSTR_FUNCTION_COMPARE || function->kind == GPUSTR_FUNCTION_LIKE ||
		function->kind == GPUSTR_FUNCTION_STARTS_WITH || function->kind == GPUSTR_FUNCTION_REGEX)
		return build_two(build, function, args, collation);

	if (gpustr_is_text_call(function))
		return gpustr_build_text_call(build, function, args, collation);

	arg = gpustr_build_expr(build, linitial(args));
	switch ((GpustrFunctionKind) function->kind)
	{
		case GPUSTR_FUNCTION_ARITH:
			if (list_length(args) > 1)
				second = gpustr_build_expr(build, lsecond(args)).reg;
			return gpustr_reg(GPUSTR_KIND_VALUE,
							  gpustr_builder_arith(b, (GpustrArith) function->what,
												   (GpustrValueType) function->how, arg.reg, second));
		case GPUSTR_FUNCTION_CAST:
			return gpustr_reg(GPUSTR_KIND_VALUE,
							  gpustr_builder_cast(b, (GpustrCast) function->what, arg.reg));
		case GPUSTR_FUNCTION_TRIM:
			return gpustr_reg(GPUSTR_KIND_TEXT, gpustr_builder_trim_blanks(b, arg.reg));
		case GPUSTR_FUNCTION_LENGTH:
			if (function->flags & GPUSTR_FLAG_TRIM)
				arg.reg = gpustr_builder_trim_blanks(b, arg.reg);
			return gpustr_reg(GPUSTR_KIND_VALUE, gpustr_builder_length(b, arg.reg, function->what));
		case GPUSTR_FUNCTION_BOOL_VALUE:
			return gpustr_reg(GPUSTR_KIND_VALUE, gpustr_builder_bool_value(b, arg.reg));
		case GPUSTR_FUNCTION_VALUE_BOOL:
			return gpustr_reg(GPUSTR_KIND_BOOL, gpustr_builder_test(b, GPUSTR_OP_VALUE_TRUE, arg.reg));
		default:
			return arg;
	}
}

static GpustrReg
build_bool_expr(GpustrBuild *build, BoolExpr *expr)
{
	GpustrOp	op = expr->boolop == AND_EXPR ? GPUSTR_OP_AND : GPUSTR_OP_OR;
	GpustrReg	reg;
	int			i;

	if (expr->boolop == NOT_EXPR)
		return gpustr_build_not(build, gpustr_build_expr(build, linitial(expr->args)));
	for (i = 0; i < list_length(expr->args);)
	{
		GpustrReg	arg;
		int			n = gpustr_build_several(build, expr, i, &arg);

		if (n == 0)
			arg = gpustr_build_expr(build, list_nth(expr->args, i));
		reg = i == 0 ? arg : build_binary(build, op, reg, arg);
		i += Max(n, 1);
	}
	return reg;
}

static GpustrReg
build_null_test(GpustrBuild *build, NullTest *test)
{
	Node	   *arg = (Node *) test->arg;
	GpustrReg	reg;

	while (IsA(arg, RelabelType))
		arg = (Node *) ((RelabelType *) arg)->arg;
	if (IsA(arg, Var))
		reg = gpustr_build_null_column(build, (Var *) arg);
	else if (gpustr_regexp_match_call(arg) != NULL)
		reg = gpustr_build_not(build, gpustr_build_regex_found(build, (FuncExpr *) arg));
	else
		reg = gpustr_build_is_null(build, gpustr_build_expr(build, (Node *) test->arg));
	return test->nulltesttype == IS_NOT_NULL ? gpustr_build_not(build, reg) : reg;
}

static GpustrReg
build_boolean_test(GpustrBuild *build, BooleanTest *test)
{
	GpustrReg	reg = gpustr_build_expr(build, (Node *) test->arg);
	bool		negated = test->booltesttype == IS_NOT_TRUE ||
	test->booltesttype == IS_NOT_FALSE || test->booltesttype == IS_NOT_UNKNOWN;

	if (test->booltesttype == IS_UNKNOWN || test->booltesttype == IS_NOT_UNKNOWN)
		reg = gpustr_build_is_null(build, reg);
	else
	{
		if (test->booltesttype == IS_FALSE || test->booltesttype == IS_NOT_FALSE)
			reg = gpustr_build_not(build, reg);
		reg = gpustr_reg(GPUSTR_KIND_BOOL,
						 gpustr_builder_test(&build->builder, GPUSTR_OP_IS_TRUE, reg.reg));
	}
	return negated ? gpustr_build_not(build, reg) : reg;
}

/* IS DISTINCT FROM: NULLs count as equal to each other, and to nothing else. */
static GpustrReg
build_distinct(GpustrBuild *build, DistinctExpr *expr)
{
	GpustrReg	left = gpustr_build_expr(build, linitial(expr->args));
	GpustrReg	right = gpustr_build_expr(build, lsecond(expr->args));
	const GpustrFunction *function = gpustr_function(expr->opfuncid);
	GpustrReg	left_null = gpustr_build_is_null(build, left);
	GpustrReg	right_null = gpustr_build_is_null(build, right);
	GpustrReg	differ;

	differ = gpustr_build_not(build, build_compare(build, function,
												   convert_operand(build, function, 0, left),
												   convert_operand(build, function, 1, right)));
	differ = gpustr_build_choose(build, right_null, gpustr_build_truth(build, GPUSTR_TRUE), differ);
	return gpustr_build_choose(build, left_null, gpustr_build_not(build, right_null), differ);
}

/* NULLIF: NULL where the two are equal, else the first. */
static GpustrReg
build_null_if(GpustrBuild *build, NullIfExpr *expr)
{
	GpustrReg	first = gpustr_build_expr(build, linitial(expr->args));
	GpustrReg	equal = build_call(build, expr->opfuncid, expr->args, expr->inputcollid);
	GpustrFixed none = {true, true, (Datum) 0, exprType(linitial(expr->args))};

	return gpustr_build_choose(build, equal, gpustr_build_fixed(build, &none, false), first);
}

static GpustrReg
build_coalesce(GpustrBuild *build, CoalesceExpr *expr)
{
	int			i = list_length(expr->args) - 1;
	GpustrReg	reg = gpustr_build_expr(build, list_nth(expr->args, i));

	while (--i >= 0)
	{
		GpustrReg	arg = gpustr_build_expr(build, list_nth(expr->args, i));

		reg = gpustr_build_choose(build, gpustr_build_is_null(build, arg), reg, arg);
	}
	return reg;
}

static GpustrReg
build_case(GpustrBuild *build, CaseExpr *expr)
{
	GpustrReg	outer = build->case_arg;
	bool		in_case = build->in_case;
	GpustrReg	arg = outer;
	GpustrReg	reg;
	int			i;

	if (expr->arg != NULL)
		arg = gpustr_build_expr(build, (Node *) expr->arg);
	if (expr->defresult != NULL)
		reg = gpustr_build_expr(build, (Node *) expr->defresult);
	else
	{
		GpustrFixed none = {true, true, (Datum) 0, expr->casetype};

		reg = gpustr_build_fixed(build, &none, false);
	}
	for (i = list_length(expr->args) - 1; i >= 0; i--)
	{
		CaseWhen   *when = list_nth_node(CaseWhen, expr->args, i);
		GpustrReg	condition;

		build->case_arg = arg;
		build->in_case |= expr->arg != NULL;
		condition = gpustr_build_expr(build, (Node *) when->expr);
		build->case_arg = outer;
		build->in_case = in_case;
		reg = gpustr_build_choose(build, condition,
								  gpustr_build_expr(build, (Node *) when->result), reg);
	}
	return reg;
}

static GpustrReg
build_relabel(GpustrBuild *build, RelabelType *relabel)
{
	GpustrReg	reg = gpustr_build_expr(build, (Node *) relabel->arg);
	int			cast;

	(void) gpustr_relabels(exprType((Node *) relabel->arg), relabel->resulttype, &cast);
	if (cast != 0)
		reg.reg = gpustr_builder_cast(&build->builder, (GpustrCast) cast, reg.reg);
	return reg;
}

static GpustrReg
build_io_cast(GpustrBuild *build, CoerceViaIO *cast)
{
	return gpustr_build_text_call(build,
								  gpustr_io_cast(exprType((Node *) cast->arg), cast->resulttype),
								  list_make1(cast->arg), InvalidOid);
}

/* A call, be it written as function, operator or cast. */
static GpustrReg
build_any_call(GpustrBuild *build, Node *expr)
{
	const GpustrReg *found = find_call(build, expr);

	if (found != NULL)
		return *found;
	if (IsA(expr, CoerceViaIO))
		return remember_call(build, expr, build_io_cast(build, (CoerceViaIO *) expr));
	if (IsA(expr, OpExpr))
		return remember_call(build, expr,
							 build_call(build, ((OpExpr *) expr)->opfuncid, ((OpExpr *) expr)->args,
										((OpExpr *) expr)->inputcollid));
	return remember_call(build, expr,
						 build_call(build, ((FuncExpr *) expr)->funcid, ((FuncExpr *) expr)->args,
									((FuncExpr *) expr)->inputcollid));
}

GpustrReg
gpustr_build_expr(GpustrBuild *build, Node *expr)
{
	GpustrFixed fixed;

	check_stack_depth();
	if (gpustr_fixed(build, expr, &fixed))
		return gpustr_build_fixed(build, &fixed, false);
	switch (nodeTag(expr))
	{
		case T_Var:
			return gpustr_build_column(build, (Var *) expr);
		case T_OpExpr:
		case T_FuncExpr:
		case T_CoerceViaIO:
			return build_any_call(build, expr);
		case T_SubscriptingRef:
			return gpustr_build_match_element(build, (SubscriptingRef *) expr);
		case T_ScalarArrayOpExpr:
			return gpustr_build_array_op(build, (ScalarArrayOpExpr *) expr);
		case T_BoolExpr:
			return build_bool_expr(build, (BoolExpr *) expr);
		case T_NullTest:
			return build_null_test(build, (NullTest *) expr);
		case T_BooleanTest:
			return build_boolean_test(build, (BooleanTest *) expr);
		case T_DistinctExpr:
			return build_distinct(build, (DistinctExpr *) expr);
		case T_NullIfExpr:
			return build_null_if(build, (NullIfExpr *) expr);
		case T_CoalesceExpr:
			return build_coalesce(build, (CoalesceExpr *) expr);
		case T_CaseExpr:
			return build_case(build, (CaseExpr *) expr);
		case T_CaseTestExpr:
			return build->case_arg;
		case T_RelabelType:
			return build_relabel(build, (RelabelType *) expr);
		default:
			elog(ERROR, "unexpected node type in an offloaded clause: %d",
				 (int) nodeTag(expr));
	}
}
