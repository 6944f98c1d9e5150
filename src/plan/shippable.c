/*-------------------------------------------------------------------------
 *
 * shippable.c
 *	  May this clause be evaluated by an engine?  If not, why?
 *
 * All refusal happens here, on expressions that the planner has simplified:
 * constants are folded, NOT is pushed down, operators know their functions.
 * What passes is made of
 *
 *		columns, constants and late values (late_values.h) of a known type
 *		known operators, functions and casts (ship_types.c, own_functions.c)
 *		over these
 *		op ANY, op ALL with a constant or late array
 *		IS [NOT] NULL, TRUE, FALSE, UNKNOWN, DISTINCT FROM
 *		CASE, COALESCE, NULLIF, AND, OR, NOT
 *
 * A compound is offloaded as a whole or not at all.
 *
 * An engine compares bytes.  That is PostgreSQL's answer only under a
 * deterministic collation, for an order only under a collation of bytes, and
 * in an encoding that the engines can walk over; under a nondeterministic one
 * PostgreSQL folds or raises an error.
 *
 * A late value is computed before the rows are looked at, so where PostgreSQL
 * might not come to it, in an arm of OR or CASE, it has to be harmless.
 *
 * Not this file's job: whether the program fits (program_build.c), whether
 * the order of the clauses allows it (there too, by
 * gpustr_clause_is_harmless()), and what it costs (cost.c).
 *
 * IDENTIFICATION
 *	  src/plan/shippable.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"

#include "compat.h"
#include "guc.h"
#include "plan/fold_probe.h"
#include "plan/late_values.h"
#include "plan/literals_build.h"
#include "plan/pii_build.h"
#include "plan/regex_build.h"
#include "plan/regex_find.h"
#include "plan/several_build.h"
#include "plan/shippable.h"
#include "plan/text_build.h"

/* Where an expression stands. */
typedef struct ShipPlace
{
	Index		varno;			/* of the scanned table */
	bool		conditional;	/* PostgreSQL might not evaluate it */
	bool		in_case;		/* a CaseTestExpr has a meaning */
} ShipPlace;

static const char *expr_refusal(Node *node, ShipPlace place);

static const char *
type_refusal(Oid type)
{
	if (gpustr_type(type) != NULL)
		return NULL;
	return psprintf("type %s is not supported", format_type_be(type));
}

/* Why is this expression none that the engines know? */
static const char *
unknown_refusal(Node *node)
{
	switch (nodeTag(node))
	{
		case T_FuncExpr:
			return psprintf("function %s is not supported",
							format_procedure(((FuncExpr *) node)->funcid));
		case T_OpExpr:
			return psprintf("operator %s is not supported",
							format_operator(((OpExpr *) node)->opno));
		case T_RelabelType:
		case T_CoerceViaIO:
			{
				Node	   *arg = IsA(node, RelabelType) ?
				(Node *) ((RelabelType *) node)->arg : (Node *) ((CoerceViaIO *) node)->arg;

				return psprintf("a cast from type %s to type %s is not supported",
								format_type_be(exprType(arg)),
								format_type_be(exprType(node)));
			}
		case T_CoerceToDomain:
			return "a cast to a domain is not supported";
		case T_SubPlan:
		case T_AlternativeSubPlan:
			return "subqueries are not supported";
		case T_CurrentOfExpr:
			return "CURRENT OF is not supported";
		case T_MinMaxExpr:
			return "GREATEST and LEAST are not supported";
		case T_RowCompareExpr:
			return "row comparisons are not supported";
		default:
			return "it is not a supported kind of expression";
	}
}

const char *
gpustr_encoding_refusal(void)
{
	int			encoding = GetDatabaseEncoding();

	if (encoding == PG_UTF8 || pg_encoding_max_length(encoding) == 1)
		return NULL;
	return psprintf("encoding %s is not supported", pg_encoding_to_char(encoding));
}

const char *
gpustr_collation_refusal(const GpustrFunction *function, Oid collation)
{
	if (!OidIsValid(collation))
		return "it has no collation";
	if (!get_collation_isdeterministic(collation))
		return psprintf("collation \"%s\" is nondeterministic",
						get_collation_name(collation));
	if (function->kind == GPUSTR_FUNCTION_COMPARE &&
		function->what != GPUSTR_REL_EQ && function->what != GPUSTR_REL_NE &&
		!gpustr_collation_is_bytes(collation))
		return psprintf("the order of collation \"%s\" is not that of bytes",
						get_collation_name(collation));
	return NULL;
}

static const char *
var_refusal(Var *var, ShipPlace place)
{
	if (var->varno != (int) place.varno || var->varlevelsup != 0)
		return "it looks at another table";
	if (var->varattno < 0)
		return "system columns are not supported";
	if (var->varattno == 0)
		return "whole-row values are not supported";
	return type_refusal(var->vartype);
}

/* May a late expression be computed before the rows are looked at? */
static const char *
early_refusal(Node *node, ShipPlace place)
{
	if (place.conditional && !gpustr_late_is_harmless(node))
		return "a value that it may not come to could raise an error";
	return NULL;
}

/* All expressions of the list, from item 'first' on; NULL items are none. */
static const char *
list_refusal(List *list, int first, ShipPlace place)
{
	ListCell   *lc;

	for_each_from(lc, list, first)
	{
		const char *reason = expr_refusal(lfirst(lc), place);

		if (reason != NULL)
			return reason;
	}
	return NULL;
}

/* Is it a constant, now or when the scan runs? */
static bool
is_fixed(Node *node)
{
	return IsA(node, Const) || gpustr_is_late(node);
}

/* Do the collation and the encoding allow it? */
static const char *
text_refusal(const GpustrFunction *function, Oid collation)
{
	const char *reason = NULL;

	if (function->flags & GPUSTR_FLAG_COLLATED)
		reason = gpustr_collation_refusal(function, collation);
	if (reason == NULL && (function->flags & GPUSTR_FLAG_TEXT))
		reason = gpustr_encoding_refusal();
	if (reason == NULL && (function->flags & GPUSTR_FLAG_FOLDED))
		reason = gpustr_fold_refusal(collation);
	if (reason == NULL && gpustr_max_automaton_size == 0 &&
		(function->kind == GPUSTR_FUNCTION_REGEX || function->kind == GPUSTR_FUNCTION_REGEX_FIND))
		reason = "\"gpustr.max_automaton_size\" is 0";
	return reason;
}

/* Does it test a text against a pattern? */
static bool
is_pattern_test(const GpustrFunction *function)
{
	return function->kind == GPUSTR_FUNCTION_LIKE ||
		function->kind == GPUSTR_FUNCTION_STARTS_WITH ||
		function->kind == GPUSTR_FUNCTION_REGEX;
}

/* gpustr.contains_any(text, patterns); it looks at bytes, whatever the collation. */
static const char *
contains_any_refusal(List *args, ShipPlace place)
{
	Node	   *patterns = lsecond(args);
	const char *reason;

	if (!is_fixed(patterns))
		return "the array is not a constant";
	reason = early_refusal(patterns, place);
	if (reason == NULL)
		reason = expr_refusal(linitial(args), place);
	if (reason == NULL)
		reason = gpustr_encoding_refusal();
	if (reason == NULL && IsA(patterns, Const) && !((Const *) patterns)->constisnull)
		reason = gpustr_literals_refusal(DatumGetArrayTypeP(((Const *) patterns)->constvalue));
	return reason;
}

/* A call of a function that looks for a regular expression; what it returns is known. */
static const char *
find_call_refusal(const GpustrFunction *function, List *args, Oid collation, ShipPlace place)
{
	const char *reason;

	if (!is_fixed(lsecond(args)))
		return "the pattern is not a constant";
	reason = list_refusal(args, 0, place);
	if (reason == NULL)
		reason = text_refusal(function, collation);
	if (reason == NULL)
		reason = gpustr_regex_find_refusal(function, args, collation);
	return reason;
}

/* The same for regexp_match(), where its array is not needed. */
static const char *
match_call_refusal(FuncExpr *call, ShipPlace place)
{
	return find_call_refusal(gpustr_function(call->funcid), call->args, call->inputcollid, place);
}

static const char *
pii_call_refusal(List *args, ShipPlace place)
{
	const char *reason = gpustr_pii_refusal(lsecond(args));

	if (reason == NULL && !IsA(lsecond(args), Const))
		reason = early_refusal(lsecond(args), place);
	return reason ? reason : expr_refusal(linitial(args), place);
}

/* A call of a function, be it written as one or as an operator. */
static const char *
call_refusal(Node *node, Oid funcid, List *args, Oid collation, ShipPlace place)
{
	const GpustrFunction *function = gpustr_function(funcid);
	const char *reason;

	if (function == NULL || function->kind == GPUSTR_FUNCTION_REDACT ||
		function->kind == GPUSTR_FUNCTION_MASK)
		return unknown_refusal(node);
	if (function->kind == GPUSTR_FUNCTION_CONTAINS_ANY)
		return contains_any_refusal(args, place);
	if (function->kind == GPUSTR_FUNCTION_PII)
		return pii_call_refusal(args, place);
	if (function->kind == GPUSTR_FUNCTION_REGEX_FIND)
		return gpustr_regexp_match_call(node) != NULL ? unknown_refusal(node) :
			find_call_refusal(function, args, collation, place);
	if (is_pattern_test(function) && function->kind != GPUSTR_FUNCTION_STARTS_WITH &&
		!is_fixed(lsecond(args)))
		return "the pattern is not a constant";
	reason = list_refusal(function->kind == GPUSTR_FUNCTION_CONCAT ? gpustr_typed_args(args) : args,
						  0, place);
	if (reason == NULL)
		reason = text_refusal(function, collation);
	if (reason == NULL && function->kind == GPUSTR_FUNCTION_REGEX)
		reason = gpustr_regex_call_refusal(function, args, collation);
	if (reason == NULL)
		reason = gpustr_text_call_refusal(function, args, collation);
	return reason;
}

static const char *
io_cast_refusal(CoerceViaIO *cast, ShipPlace place)
{
	const GpustrFunction *function = gpustr_io_cast(exprType((Node *) cast->arg), cast->resulttype);
	const char *reason;

	if (function == NULL)
		return unknown_refusal((Node *) cast);
	reason = expr_refusal((Node *) cast->arg, place);
	if (reason == NULL)
		reason = text_refusal(function, InvalidOid);
	if (reason == NULL)
		reason = gpustr_text_call_refusal(function, list_make1(cast->arg), InvalidOid);
	return reason;
}

bool
gpustr_is_set_test(const GpustrFunction *function, bool use_or)
{
	return function->kind == GPUSTR_FUNCTION_COMPARE &&
		(function->how == GPUSTR_ORDER_INT || function->how == GPUSTR_ORDER_BYTES) &&
		(function->flags & GPUSTR_FLAG_RIGHT_DATE) == 0 &&
		function->what == (use_or ? GPUSTR_REL_EQ : GPUSTR_REL_NE);
}

static const char *
array_op_refusal(ScalarArrayOpExpr *op, ShipPlace place)
{
	const GpustrFunction *function;
	Node	   *array = lsecond(op->args);
	const char *reason;

	set_sa_opfuncid(op);
	function = gpustr_function(op->opfuncid);
	if (function == NULL ||
		(function->kind != GPUSTR_FUNCTION_COMPARE && !is_pattern_test(function)))
		return psprintf("operator %s with ANY or ALL is not supported",
						format_operator(op->opno));
	if (!is_fixed(array))
		return "the array is not a constant";
	reason = type_refusal(get_base_element_type(exprType(array)));
	if (reason == NULL)
		reason = early_refusal(array, place);
	if (reason == NULL)
		reason = expr_refusal(linitial(op->args), place);
	if (reason == NULL)
		reason = text_refusal(function, op->inputcollid);
	if (reason == NULL && IsA(array, Const) && !((Const *) array)->constisnull &&
		!gpustr_is_set_test(function, op->useOr))
	{
		ArrayType  *value = DatumGetArrayTypeP(((Const *) array)->constvalue);
		int			n;
		GpustrFixed *elements = gpustr_array_elements(value, &n);

		if (n > GPUSTR_MAX_CHAIN &&
			gpustr_list_tests(function, op->useOr, elements, n) > GPUSTR_MAX_CHAIN)
			reason = psprintf("the list has more than %d elements", GPUSTR_MAX_CHAIN);
		else if (function->kind == GPUSTR_FUNCTION_REGEX)
			reason = gpustr_regex_array_refusal(function, value, op->inputcollid);
	}
	return reason;
}

/* IS DISTINCT FROM and NULLIF: by an operator that must mean equality. */
static const char *
equality_refusal(OpExpr *op, ShipPlace place)
{
	const GpustrFunction *function;

	set_opfuncid(op);
	function = gpustr_function(op->opfuncid);
	if (function == NULL || function->kind != GPUSTR_FUNCTION_COMPARE ||
		function->what != GPUSTR_REL_EQ)
		return psprintf("operator %s is not supported", format_operator(op->opno));
	return call_refusal((Node *) op, op->opfuncid, op->args, op->inputcollid, place);
}

static const char *
null_test_refusal(NullTest *test, ShipPlace place)
{
	Node	   *arg = (Node *) test->arg;

	if (test->argisrow || (IsA(arg, Var) && type_is_rowtype(((Var *) arg)->vartype)))
		return "row types are not supported";
	while (IsA(arg, RelabelType))
		arg = (Node *) ((RelabelType *) arg)->arg;

	/* a column of any type */
	if (IsA(arg, Var) && ((Var *) arg)->varattno > 0 &&
		((Var *) arg)->varno == (int) place.varno && ((Var *) arg)->varlevelsup == 0)
		return NULL;
	if (gpustr_regexp_match_call(arg) != NULL)
		return match_call_refusal((FuncExpr *) arg, place);
	return expr_refusal((Node *) test->arg, place);
}

/* An element of an array: only of what regexp_match() returns. */
static const char *
subscript_refusal(SubscriptingRef * ref, ShipPlace place)
{
	FuncExpr   *call = gpustr_regexp_match_call((Node *) ref->refexpr);
	Node	   *index;

	if (call == NULL || ref->refassgnexpr != NULL || ref->reflowerindexpr != NIL ||
		list_length(ref->refupperindexpr) != 1)
		return unknown_refusal((Node *) ref);
	index = linitial(ref->refupperindexpr);
	if (!IsA(index, Const) || ((Const *) index)->constisnull)
		return "the subscript is not a constant";
	return match_call_refusal(call, place);
}

static const char *
case_refusal(CaseExpr *expr, ShipPlace place)
{
	ShipPlace	arm = place;
	const char *reason = type_refusal(expr->casetype);
	ListCell   *lc;

	arm.conditional = true;
	if (expr->arg != NULL)
	{
		if (reason == NULL)
			reason = expr_refusal((Node *) expr->arg, arm);
		arm.in_case = true;
	}
	foreach(lc, expr->args)
	{
		CaseWhen   *when = lfirst_node(CaseWhen, lc);

		if (reason == NULL)
			reason = expr_refusal((Node *) when->expr, arm);
		if (reason == NULL)
			reason = expr_refusal((Node *) when->result, arm);
	}
	if (reason == NULL && expr->defresult != NULL)
		reason = expr_refusal((Node *) expr->defresult, arm);
	return reason;
}

static const char *
compound_refusal(Node *node, ShipPlace place)
{
	ShipPlace	arm = place;

	arm.conditional = true;
	switch (nodeTag(node))
	{
		case T_BoolExpr:
			return list_refusal(((BoolExpr *) node)->args, 0,
								((BoolExpr *) node)->boolop == NOT_EXPR ? place : arm);
		case T_OpExpr:
			set_opfuncid((OpExpr *) node);
			return call_refusal(node, ((OpExpr *) node)->opfuncid, ((OpExpr *) node)->args,
								((OpExpr *) node)->inputcollid, place);
		case T_FuncExpr:

			/*
			 * int2 to oid is int2 to int4, which keeps the sign that an oid
			 * lacks
			 */
			if (((FuncExpr *) node)->funcid == F_INT4_INT2 &&
				((FuncExpr *) node)->funcresulttype != INT4OID)
				return unknown_refusal(node);
			return call_refusal(node, ((FuncExpr *) node)->funcid, ((FuncExpr *) node)->args,
								((FuncExpr *) node)->inputcollid, place);
		case T_ScalarArrayOpExpr:
			return array_op_refusal((ScalarArrayOpExpr *) node, place);
		case T_DistinctExpr:
		case T_NullIfExpr:
			return equality_refusal((OpExpr *) node, place);
		case T_NullTest:
			return null_test_refusal((NullTest *) node, place);
		case T_BooleanTest:
			return expr_refusal((Node *) ((BooleanTest *) node)->arg, place);
		case T_CaseExpr:
			return case_refusal((CaseExpr *) node, place);
		case T_CaseTestExpr:
			if (place.in_case)
				return type_refusal(((CaseTestExpr *) node)->typeId);
			return unknown_refusal(node);
		case T_CoalesceExpr:
			{
				CoalesceExpr *expr = (CoalesceExpr *) node;
				const char *reason = type_refusal(expr->coalescetype);

				return reason ? reason : list_refusal(expr->args, 0, arm);
			}
		case T_SubscriptingRef:
			return subscript_refusal((SubscriptingRef *) node, place);
		case T_CoerceViaIO:
			return io_cast_refusal((CoerceViaIO *) node, place);
		case T_RelabelType:
			{
				RelabelType *relabel = (RelabelType *) node;
				int			cast;
				const char *reason = expr_refusal((Node *) relabel->arg, place);

				if (reason == NULL && !gpustr_relabels(exprType((Node *) relabel->arg),
													   relabel->resulttype, &cast))
					reason = unknown_refusal(node);
				return reason;
			}
		default:
			return unknown_refusal(node);
	}
}

static const char *
expr_refusal(Node *node, ShipPlace place)
{
	check_stack_depth();
	if (IsA(node, Const))
		return type_refusal(((Const *) node)->consttype);
	if (IsA(node, Var))
		return var_refusal((Var *) node, place);
	if (gpustr_is_late(node))
	{
		const char *reason = type_refusal(exprType(node));

		return reason ? reason : early_refusal(node, place);
	}
	return compound_refusal(node, place);
}

const char *
gpustr_clause_refusal(Node *clause, Index varno)
{
	ShipPlace	place = {varno, false, false};

	return expr_refusal(clause, place);
}

const char *
gpustr_argument_refusal(Node *arg, Index varno)
{
	ShipPlace	place = {varno, true, false};

	return expr_refusal(arg, place);
}
