/*-------------------------------------------------------------------------
 *
 * shippable.c
 *	  May this clause be evaluated by an engine?  If not, why?
 *
 * All refusal happens here, on expressions that the planner has simplified:
 * constants are folded, NOT is pushed down, operators know their functions.
 * What passes is
 *
 *		column LIKE constant, column NOT LIKE constant
 *		column = constant, column <> constant (either side)
 *		column IS NULL, column IS NOT NULL
 *		AND, OR, NOT and boolean constants over these
 *
 * where column is a text or varchar column (of any type for IS NULL).  A
 * compound is offloaded as a whole or not at all.
 *
 * An engine compares bytes.  That is PostgreSQL's answer only under a
 * deterministic collation and in an encoding that the engines can walk over;
 * under a nondeterministic one PostgreSQL folds or raises an error.
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

#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"

#include "compat.h"
#include "plan/shippable.h"

/* Only the type's name differs between them: text, varchar, domains on them. */
bool
gpustr_is_text_type(Oid type)
{
	Oid			base = getBaseType(type);

	return base == TEXTOID || base == VARCHAROID;
}

/* Take off the relabelling of one kind of text as another. */
static Node *
strip_text_relabel(Node *node)
{
	while (IsA(node, RelabelType) && gpustr_is_text_type(((RelabelType *) node)->resulttype))
	{
		Node	   *arg = (Node *) ((RelabelType *) node)->arg;

		if (!gpustr_is_text_type(exprType(arg)))
			break;
		node = arg;
	}
	return node;
}

/* Is it a column of the scanned table, and not a system column or the row? */
static bool
is_column(Node *node, Index varno)
{
	Var		   *var = (Var *) node;

	return IsA(node, Var) && var->varno == (int) varno &&
		var->varlevelsup == 0 && var->varattno > 0;
}

/* Is it a constant text that is not NULL? */
static bool
is_text_const(Node *node)
{
	return IsA(node, Const) && !((Const *) node)->constisnull &&
		gpustr_is_text_type(((Const *) node)->consttype);
}

/* Why is this expression neither a column nor a constant? */
static const char *
operand_refusal(Node *node)
{
	switch (nodeTag(node))
	{
		case T_FuncExpr:
			if (((FuncExpr *) node)->funcid == F_TEXT_BPCHAR)
				return "char(n) is not supported";
			return psprintf("function %s is not supported",
							format_procedure(((FuncExpr *) node)->funcid));
		case T_OpExpr:
			return psprintf("operator %s is not supported",
							format_operator(((OpExpr *) node)->opno));
		case T_Var:
			if (((Var *) node)->varattno < 0)
				return "system columns are not supported";
			if (((Var *) node)->varattno == 0)
				return "whole-row values are not supported";
			return psprintf("type %s is not supported",
							format_type_be(((Var *) node)->vartype));
		case T_RelabelType:
			return operand_refusal((Node *) ((RelabelType *) node)->arg);
		case T_CoerceViaIO:
			return psprintf("a cast from type %s is not supported",
							format_type_be(exprType((Node *) ((CoerceViaIO *) node)->arg)));
		default:
			return "it does not compare a column with a constant";
	}
}

/* Can the engines walk over text in the database's encoding? */
static const char *
encoding_refusal(void)
{
	int			encoding = GetDatabaseEncoding();

	if (encoding == PG_UTF8 || pg_encoding_max_length(encoding) == 1)
		return NULL;
	return psprintf("encoding %s is not supported", pg_encoding_to_char(encoding));
}

static const char *
collation_refusal(Oid collation)
{
	if (!OidIsValid(collation))
		return "it has no collation";
	if (!get_collation_isdeterministic(collation))
		return psprintf("collation \"%s\" is nondeterministic",
						get_collation_name(collation));
	return NULL;
}

/* Which of the operators that the engines know is this? */
static bool
known_operator(Oid funcid, bool *is_like, bool *negated)
{
	*is_like = (funcid == F_TEXTLIKE || funcid == F_TEXTNLIKE);
	*negated = (funcid == F_TEXTNE || funcid == F_TEXTNLIKE);
	return *is_like || funcid == F_TEXTEQ || funcid == F_TEXTNE;
}

static const char *
op_refusal(OpExpr *op, Index varno)
{
	Node	   *left;
	Node	   *right;
	const char *reason;
	bool		is_like;
	bool		negated;

	set_opfuncid(op);
	switch (op->opfuncid)
	{
		case F_BPCHARLIKE:
		case F_BPCHARNLIKE:
		case F_BPCHAREQ:
		case F_BPCHARNE:
			return "char(n) is not supported";
		default:
			break;
	}
	if (!known_operator(op->opfuncid, &is_like, &negated))
		return psprintf("operator %s is not supported", format_operator(op->opno));

	left = strip_text_relabel((Node *) linitial(op->args));
	right = strip_text_relabel((Node *) lsecond(op->args));

	if (is_column(left, varno) && is_column(right, varno))
		return "it compares two columns";
	if (is_like)
	{
		if (!is_column(left, varno))
			return operand_refusal(left);
		if (!is_text_const(right))
			return "the pattern is not a constant";
	}
	else
	{
		if (is_text_const(left))
		{
			Node	   *swap = left;

			left = right;
			right = swap;
		}
		if (!is_column(left, varno))
			return operand_refusal(left);
		if (!is_text_const(right))
			return operand_refusal(right);
	}
	if (!gpustr_is_text_type(((Var *) left)->vartype))
		return operand_refusal(left);

	reason = collation_refusal(op->inputcollid);
	if (reason == NULL)
		reason = encoding_refusal();
	return reason;
}

static const char *
null_test_refusal(NullTest *test, Index varno)
{
	Node	   *arg = strip_text_relabel((Node *) test->arg);

	if (test->argisrow || (IsA(arg, Var) && type_is_rowtype(((Var *) arg)->vartype)))
		return "row types are not supported";
	if (!is_column(arg, varno))
		return operand_refusal(arg);
	return NULL;
}

const char *
gpustr_clause_refusal(Node *clause, Index varno)
{
	switch (nodeTag(clause))
	{
		case T_BoolExpr:
			{
				ListCell   *lc;

				check_stack_depth();
				foreach(lc, ((BoolExpr *) clause)->args)
				{
					const char *reason = gpustr_clause_refusal(lfirst(lc), varno);

					if (reason != NULL)
						return reason;
				}
				return NULL;
			}
		case T_OpExpr:
			return op_refusal((OpExpr *) clause, varno);
		case T_NullTest:
			return null_test_refusal((NullTest *) clause, varno);
		case T_Const:
			if (((Const *) clause)->consttype == BOOLOID)
				return NULL;
			return "it is not a boolean constant";
		case T_Var:
			return "boolean columns are not supported";
		case T_FuncExpr:
			return psprintf("function %s is not supported",
							format_procedure(((FuncExpr *) clause)->funcid));
		case T_DistinctExpr:
			return "IS DISTINCT FROM is not supported";
		case T_ScalarArrayOpExpr:
			return psprintf("operator %s with ANY or ALL is not supported",
							format_operator(((ScalarArrayOpExpr *) clause)->opno));
		case T_BooleanTest:
			return "IS TRUE, IS FALSE and IS UNKNOWN are not supported";
		case T_SubPlan:
		case T_AlternativeSubPlan:
			return "subqueries are not supported";
		case T_CurrentOfExpr:
			return "CURRENT OF is not supported";
		case T_CaseExpr:
			return "CASE is not supported";
		case T_CoalesceExpr:
			return "COALESCE is not supported";
		default:
			return "it is not a supported kind of expression";
	}
}

void
gpustr_text_test(OpExpr *op, GpustrTextTest *test)
{
	Node	   *left = strip_text_relabel((Node *) linitial(op->args));
	Node	   *right = strip_text_relabel((Node *) lsecond(op->args));

	if (!known_operator(op->opfuncid, &test->is_like, &test->negated))
		elog(ERROR, "unexpected function %u", op->opfuncid);
	if (IsA(left, Const))
	{
		Node	   *swap = left;

		left = right;
		right = swap;
	}
	test->attno = castNode(Var, left)->varattno;
	test->value = DatumGetTextPP(castNode(Const, right)->constvalue);
}

/* check_functions_in_node callback: can the function raise or leak? */
static bool
function_is_harmful(Oid funcid, void *context)
{
	return !get_func_leakproof(funcid) || func_volatile(funcid) == PROVOLATILE_VOLATILE;
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
			if (check_functions_in_node(node, function_is_harmful, context))
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
