/*-------------------------------------------------------------------------
 *
 * join_clauses.c
 *	  What a GpuJoin does with each clause of a join.
 *
 * Keys are picked as PostgreSQL's hash join picks them, if the engines know the
 * operator and its types.  All other clauses of the join are its filter, which the
 * engine decides as far as it can; there are no late values in it.  Clauses that
 * stay with PostgreSQL are evaluated, for the pairs that pass the others, with those; so,
 * as in a scan (program_build.c), none is offloaded after one that could raise an
 * error, or that hides rows from it.
 *
 * IDENTIFICATION
 *	  src/plan/join_clauses.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/restrictinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"

#include "compat.h"
#include "plan/join_clauses.h"
#include "plan/late_values.h"
#include "plan/scan_path.h"
#include "plan/ship_types.h"
#include "plan/shippable.h"
#include "rowfn/hash_key.h"

/* Is the value of such a type its 32 bits? */
static bool
is_word(const GpustrType *type)
{
	return type->value != GPUSTR_VALUE_INT8;
}

int
gpustr_key_kind(OpExpr *op, const char **reason)
{
	const GpustrType *left = gpustr_type(exprType(linitial(op->args)));
	const GpustrType *right = gpustr_type(exprType(lsecond(op->args)));
	const GpustrFunction *function;

	set_opfuncid(op);
	function = gpustr_function(op->opfuncid);
	if (function == NULL || function->kind != GPUSTR_FUNCTION_COMPARE ||
		function->what != GPUSTR_REL_EQ || left == NULL || right == NULL ||
		(function->flags & (GPUSTR_FLAG_LEFT_DATE | GPUSTR_FLAG_RIGHT_DATE)))
	{
		*reason = psprintf("operator %s is not supported as a key", format_operator(op->opno));
		return -1;
	}
	if (function->flags & GPUSTR_FLAG_COLLATED)
	{
		*reason = gpustr_collation_refusal(function, op->inputcollid);
		if (*reason != NULL)
			return -1;
	}
	switch ((GpustrOrder) function->how)
	{
		case GPUSTR_ORDER_INT:
			return is_word(left) && is_word(right) ? ROWFN_KEY_WORD : ROWFN_KEY_VALUE;
		case GPUSTR_ORDER_FLOAT:
			return ROWFN_KEY_FLOAT;
		case GPUSTR_ORDER_BYTES:
			return function->flags & GPUSTR_FLAG_TRIM ? ROWFN_KEY_PADDED : ROWFN_KEY_BYTES;
		case GPUSTR_ORDER_NUMERIC:
			return ROWFN_KEY_NUMERIC;
		default:
			*reason = psprintf("type %s is not supported as a key",
							   format_type_be(exprType(linitial(op->args))));
			return -1;
	}
}

bool
gpustr_key_may_fail(int kind)
{
	return kind == ROWFN_KEY_NUMERIC;
}

/* Columns of expressions: which, and what has been found. */
typedef struct ColumnsContext
{
	List	   *columns;
	Bitmapset  *needed;
	bool		missing;
} ColumnsContext;

/*
 * Are these the same column of a side?  From 16 on, a Var and a PlaceHolderVar say which
 * outer joins may have made them NULL, so that they differ below and above such a join.
 */
static bool
is_same_column(const Node *a, const Node *b)
{
	if (IsA(a, Var) && IsA(b, Var))
	{
		const Var  *x = (const Var *) a;
		const Var  *y = (const Var *) b;

		return x->varno == y->varno && x->varattno == y->varattno &&
			x->varlevelsup == y->varlevelsup;
	}
	if (IsA(a, PlaceHolderVar) && IsA(b, PlaceHolderVar))
		return ((const PlaceHolderVar *) a)->phid == ((const PlaceHolderVar *) b)->phid &&
			((const PlaceHolderVar *) a)->phlevelsup == ((const PlaceHolderVar *) b)->phlevelsup;
	return equal(a, b);
}

/* The place of an expression among the columns, from 0; -1: it is none. */
static int
find_column(List *columns, Node *node)
{
	ListCell   *lc;

	if (IsA(node, Const) || IsA(node, List))
		return -1;
	foreach(lc, columns)
	{
		if (is_same_column(lfirst(lc), node))
			return foreach_current_index(lc);
	}
	return -1;
}

static bool
needs_walker(Node *node, void *context)
{
	ColumnsContext *c = context;
	int			i;

	if (node == NULL)
		return false;
	i = find_column(c->columns, node);
	if (i >= 0)
	{
		c->needed = bms_add_member(c->needed, i);
		return false;
	}
	if (IsA(node, Var))
	{
		c->missing = true;
		return false;
	}
	return expression_tree_walker(node, needs_walker, context);
}

bool
gpustr_join_needs(Node *expr, List *columns, Bitmapset * *needed)
{
	ColumnsContext c = {columns, *needed, false};

	(void) needs_walker(expr, &c);
	*needed = c.needed;
	return !c.missing;
}

static Node *
translate_mutator(Node *node, void *context)
{
	ColumnsContext *c = context;
	int			i;

	if (node == NULL)
		return NULL;
	i = find_column(c->columns, node);
	if (i >= 0)
		return (Node *) makeVar(INDEX_VAR, i + 1, exprType(node), exprTypmod(node),
								exprCollation(node), 0);

	/* setrefs.c does the same with one that is not a column */
	if (IsA(node, PlaceHolderVar))
		return translate_mutator((Node *) ((PlaceHolderVar *) node)->phexpr, context);
	return expression_tree_mutator(node, translate_mutator, context);
}

Node *
gpustr_join_translate(Node *expr, List *columns)
{
	ColumnsContext c = {columns, NULL, false};

	return translate_mutator(expr, &c);
}

/* Look for a column, the only one of columns, and put what is found in its place. */
static bool
seen_walker(Node *node, void *context)
{
	ColumnsContext *c = context;

	if (node == NULL)
		return false;
	if (find_column(c->columns, node) >= 0)
	{
		c->columns = list_make1(node);
		return true;
	}
	return expression_tree_walker(node, seen_walker, context);
}

Node *
gpustr_join_column_in(Node *column, Node *expr)
{
	ColumnsContext c = {list_make1(column), NULL, false};

	return seen_walker(expr, &c) ? linitial(c.columns) : NULL;
}

static Node *
unify_mutator(Node *node, void *context)
{
	ColumnsContext *c = context;
	int			i;

	if (node == NULL)
		return NULL;
	i = find_column(c->columns, node);
	if (i >= 0)
		return copyObject(list_nth(c->columns, i));
	return expression_tree_mutator(node, unify_mutator, context);
}

Node *
gpustr_join_unify(Node *expr, List *columns)
{
	ColumnsContext c = {columns, NULL, false};

	return unify_mutator(expr, &c);
}

/* Is there a value in it that is known when the join runs, and not before? */
static bool
late_walker(Node *node, void *context)
{
	if (node == NULL || IsA(node, Const))
		return false;
	if (!IsA(node, List) && gpustr_is_late(node))
		return true;
	return expression_tree_walker(node, late_walker, context);
}

const char *
gpustr_join_expr_refusal(Node *expr, List *columns)
{
	if (late_walker(expr, NULL))
		return "it has a parameter or a stable function";
	return gpustr_clause_refusal(gpustr_join_translate(expr, columns), INDEX_VAR);
}

/* clause_sides_match_join() of joinpath.c, which is not exported. */
static bool
sides_match(RestrictInfo *rinfo, RelOptInfo *outerrel, RelOptInfo *innerrel)
{
	if (bms_is_subset(rinfo->left_relids, outerrel->relids) &&
		bms_is_subset(rinfo->right_relids, innerrel->relids))
		rinfo->outer_is_left = true;
	else if (bms_is_subset(rinfo->left_relids, innerrel->relids) &&
			 bms_is_subset(rinfo->right_relids, outerrel->relids))
		rinfo->outer_is_left = false;
	else
		return false;
	return true;
}

/* The clause as Hash Join shows it, whichever way it is written: the outer side first. */
static OpExpr *
outer_first(const RestrictInfo *rinfo)
{
	OpExpr	   *op = (OpExpr *) rinfo->clause;

	if (rinfo->outer_is_left || !OidIsValid(get_commutator(op->opno)))
		return op;
	op = copyObject(op);
	CommuteOpExpr(op);
	return op;
}

/* Make the clause a key; or say why it is none. */
static const char *
add_key(GpustrJoinClauses *result, RestrictInfo *rinfo, RelOptInfo *outerrel,
		RelOptInfo *innerrel)
{
	GpustrJoinStep *step = &result->step;
	OpExpr	   *op = (OpExpr *) rinfo->clause;
	const char *reason = NULL;
	Expr	   *left;
	Expr	   *right;
	int			kind;

	if (!rinfo->can_join || !OidIsValid(rinfo->hashjoinoperator) ||
		!sides_match(rinfo, outerrel, innerrel))
		return "";
	kind = gpustr_key_kind(op, &reason);
	if (kind < 0)
		return reason;
	if (step->nkeys == GPUSTR_MAX_KEYS)
		return psprintf("there are %d keys already", GPUSTR_MAX_KEYS);
	left = linitial(op->args);
	right = lsecond(op->args);
	step->outer_keys = lappend(step->outer_keys, rinfo->outer_is_left ? left : right);
	step->inner_keys = lappend(step->inner_keys, rinfo->outer_is_left ? right : left);
	step->key_kinds = lappend_int(step->key_kinds, kind);
	step->key_clauses = lappend(step->key_clauses, outer_first(rinfo));
	result->key_rinfos = lappend(result->key_rinfos, rinfo);
	step->nkeys++;
	return NULL;
}

/* Put the filter into order, and find out which of it may be offloaded. */
static void
sort_filter(PlannerInfo *root, GpustrJoinClauses *result, List *columns)
{
	GpustrJoinStep *step = &result->step;
	Index		local_level = UINT_MAX;
	bool		blocked = false;
	ListCell   *lc;

	result->filter_rinfos = gpustr_order_clauses(root, result->filter_rinfos);
	foreach(lc, result->filter_rinfos)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);
		Node	   *clause = (Node *) rinfo->clause;
		const char *reason = gpustr_join_expr_refusal(clause, columns);

		if (reason == NULL && blocked)
			reason = "it comes after a clause that may raise an error or has side effects";
		if (reason == NULL && rinfo->security_level > local_level && !rinfo->leakproof)
			reason = "it is not leakproof, and a clause that hides rows from it is not offloaded";
		if (reason != NULL)
		{
			local_level = Min(local_level, rinfo->security_level);
			blocked |= !gpustr_clause_is_harmless(clause);
		}
		step->filter = lappend(step->filter, clause);
		step->offloaded = lappend_int(step->offloaded, reason == NULL);
		step->reasons = lappend(step->reasons, makeString(pstrdup(reason ? reason : "")));
	}
}

GpustrJoinClauses *
gpustr_join_clauses(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outerrel,
					RelOptInfo *innerrel, JoinType jointype, List *restrictlist)
{
	GpustrJoinClauses *result = palloc0(sizeof(GpustrJoinClauses));
	List	   *columns = list_concat_copy(outerrel->reltarget->exprs, innerrel->reltarget->exprs);
	List	   *qual = NIL;
	ListCell   *lc;

	result->refusal = "it has no equality between the two sides";
	foreach(lc, restrictlist)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);
		const char *reason;

		if (rinfo->pseudoconstant && gpustr_gates_joins())
			continue;
		if (IS_OUTER_JOIN(jointype) && RINFO_IS_PUSHED_DOWN(rinfo, joinrel->relids))
		{
			qual = lappend(qual, rinfo);
			continue;
		}
		reason = add_key(result, rinfo, outerrel, innerrel);
		if (reason == NULL)
			continue;
		if (reason[0] != '\0')
			result->refusal = reason;
		result->filter_rinfos = lappend(result->filter_rinfos, rinfo);
	}
	if (result->step.nkeys > 0)
	{
		result->refusal = NULL;
		sort_filter(root, result, columns);
	}
	result->qual = get_actual_clauses(gpustr_order_clauses(root, qual));
	return result;
}
