/*-------------------------------------------------------------------------
 *
 * late_values.c
 *	  Expressions whose value is known when the scan runs: which they are, and
 *	  what may be evaluated when.
 *
 * Evaluating an expression may raise an error, run an InitPlan or have a side
 * effect.  What does neither is called harmless here: nobody notices whether
 * it was evaluated.
 *
 * IDENTIFICATION
 *	  src/plan/late_values.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_proc.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "plan/late_values.h"

/* Is there something that only a row, or a surrounding expression, can give? */
static bool
bound_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Var:
		case T_PlaceHolderVar:
		case T_SubLink:
		case T_SubPlan:
		case T_AlternativeSubPlan:
		case T_Aggref:
		case T_GroupingFunc:
		case T_WindowFunc:
		case T_CaseTestExpr:
		case T_CoerceToDomainValue:
		case T_SetToDefault:
		case T_CurrentOfExpr:
			return true;
		case T_ArrayCoerceExpr:
			/* the element's expression has a CaseTestExpr for the element */
			return bound_walker((Node *) ((ArrayCoerceExpr *) node)->arg, context);
		default:
			return expression_tree_walker(node, bound_walker, context);
	}
}

bool
gpustr_is_late(Node *expr)
{
	return !bound_walker(expr, NULL) && !contain_volatile_functions(expr);
}

/* check_functions_in_node callback: can the function raise or leak? */
static bool
function_is_harmful(Oid funcid, void *context)
{
	if (funcid == F_NOW || funcid == F_TRANSACTION_TIMESTAMP ||
		funcid == F_STATEMENT_TIMESTAMP)
		return false;
	return !get_func_leakproof(funcid) || func_volatile(funcid) == PROVOLATILE_VOLATILE;
}

/*
 * Leakproof functions raise one kind of error, which depends on no value: that
 * the collation cannot be told, or is one that they do not work with.
 */
static bool
collation_is_harmful(Node *node)
{
	Oid			collation = exprInputCollation(node);
	List	   *args;
	ListCell   *lc;

	if (OidIsValid(collation))
		return !get_collation_isdeterministic(collation);
	args = IsA(node, FuncExpr) ? ((FuncExpr *) node)->args :
		IsA(node, ScalarArrayOpExpr) ? ((ScalarArrayOpExpr *) node)->args :
		((OpExpr *) node)->args;
	foreach(lc, args)
	{
		if (type_is_collatable(exprType(lfirst(lc))))
			return true;
	}
	return false;
}

static bool
harmful_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Var:
		case T_Const:
		case T_BoolExpr:
		case T_NullTest:
		case T_BooleanTest:
		case T_RelabelType:
		case T_CaseExpr:
		case T_CaseWhen:
		case T_CaseTestExpr:
		case T_CoalesceExpr:
		case T_List:
			break;
		case T_ArrayExpr:
			/* arrays of different dimensions do not make one */
			if (((ArrayExpr *) node)->multidims)
				return true;
			break;
		case T_Param:
			/* may be an InitPlan's, which runs when it is first looked at */
			if (((Param *) node)->paramkind == PARAM_EXEC)
				return true;
			break;
		case T_OpExpr:
		case T_FuncExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
		case T_ScalarArrayOpExpr:
			if (check_functions_in_node(node, function_is_harmful, context) ||
				collation_is_harmful(node))
				return true;
			break;
		default:
			return true;		/* subplans, I/O casts, domains, ... */
	}
	return expression_tree_walker(node, harmful_walker, context);
}

/*
 * A clause that PostgreSQL would have evaluated before an offloaded one may be
 * left unevaluated, since the offloaded one has ruled out the row.  That is
 * unnoticed if the clause is made of leakproof functions, which by definition
 * raise no error that depends on their arguments, and has no side effect.
 *
 * This is stricter than contain_leaked_vars(), which allows a function that is
 * not leakproof if no column is passed to it: 1 / $1 leaks nothing, but it may
 * raise an error.
 */
bool
gpustr_clause_is_harmless(Node *clause)
{
	return !harmful_walker(clause, NULL);
}

/* A late value may be computed though PostgreSQL would not come to it. */
bool
gpustr_late_is_harmless(Node *expr)
{
	return !harmful_walker(expr, NULL);
}
