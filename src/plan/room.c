/*-------------------------------------------------------------------------
 *
 * room.c
 *	  Are values likely to be too long for the engines?
 *
 * An engine has a bounded room for what it works out: columns of the table of an
 * edit distance, a megabyte for a text that is made (text_function.h).  What takes more is recheck, which is known when the values
 * are.  For the cost of it each is taken to be as wide as pg_statistic says
 * that the column is on average; of a column without statistics nothing is known.
 * A width in bytes stands for as many characters.
 *
 * IDENTIFICATION
 *	  src/plan/room.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "plan/room.h"
#include "plan/ship_types.h"

/* The width of an expression: a constant's, or that of all columns in it. */
static double
width_of(Relation table, Node *expr)
{
	double		width = 0;
	ListCell   *lc;

	if (IsA(expr, Const))
	{
		Const	   *value = (Const *) expr;

		return value->constisnull || value->constlen != -1 ? 0 :
			VARSIZE_ANY_EXHDR(PG_DETOAST_DATUM_PACKED(value->constvalue));
	}
	foreach(lc, pull_var_clause(expr, PVC_RECURSE_PLACEHOLDERS | PVC_RECURSE_AGGREGATES | PVC_RECURSE_WINDOWFUNCS))
		width += get_attavgwidth(RelationGetRelid(table), ((Var *) lfirst(lc))->varattno);
	return width;
}

/* A constant number, or 1. */
static double
number_of(Node *expr)
{
	return IsA(expr, Const) && !((Const *) expr)->constisnull ? DatumGetInt32(((Const *) expr)->constvalue) : 1;
}

/* Does a call take more than there is room for? */
static bool
call_exceeds(Relation table, const GpustrFunction *function, List *args)
{
	double		first = width_of(table, linitial(args));
	double		second = list_length(args) > 1 ? width_of(table, lsecond(args)) : 0;

	switch (function->what)
	{
		case GPUSTR_TEXT_EDIT_DISTANCE:
			return Min(first, second) > GPUSTR_STRIP_ROWS && Max(first, second) > GPUSTR_EDIT_COLUMNS;
		case GPUSTR_TEXT_EDIT_WITHIN:
			return Min(first, second) > GPUSTR_STRIP_ROWS && Max(first, second) > GPUSTR_EDIT_COLUMNS &&
				2 * number_of(lthird(args)) > GPUSTR_EDIT_COLUMNS;
		case GPUSTR_TEXT_FUZZY_FIND:
			return second > GPUSTR_STRIP_ROWS * GPUSTR_FUZZY_STRIPS ||
				second / GPUSTR_STRIP_ROWS * first > GPUSTR_EDIT_WORK;
		case GPUSTR_TEXT_REPEAT:
			return first * number_of(lsecond(args)) > GPUSTR_MADE_BYTES;
		case GPUSTR_TEXT_LPAD:
		case GPUSTR_TEXT_RPAD:
			return number_of(lsecond(args)) > GPUSTR_MADE_BYTES;
		default:
			return false;
	}
}

static bool
exceeds_walker(Node *node, Relation table)
{
	if (node == NULL)
		return false;
	if (IsA(node, FuncExpr))
	{
		const GpustrFunction *function = gpustr_function(((FuncExpr *) node)->funcid);

		if (function != NULL && function->kind == GPUSTR_FUNCTION_TEXT &&
			call_exceeds(table, function, ((FuncExpr *) node)->args))
			return true;
	}
	return expression_tree_walker(node, exceeds_walker, table);
}

bool
gpustr_exceeds_room(Relation table, List *exprs)
{
	return exceeds_walker((Node *) exprs, table);
}
