/*-------------------------------------------------------------------------
 *
 * output.c
 *	  Which expressions of a SELECT list a scan's engine computes.
 *
 * They are calls of gpustr.redact() and gpustr.mask(), and texts that functions of
 * texts make, found anywhere in the target list, whose arguments the engines can
 * compute.  Of nested ones the outermost is taken.  An expression inside another
 * one is fine: setrefs.c replaces it there by a reference to the scan's output.
 * That the engine computes it for rows for which PostgreSQL would not have, as in
 * an arm of CASE, nobody notices: the engine raises no error, and where there
 * might be one the row is recheck and all PostgreSQL's.
 *
 * redact() and mask() are computed in any scan that a GpuScan does.  Texts are if
 * that costs less (cost.c): scan_path.c offers the planner a scan with and one
 * without them.
 *
 * An expression is computed in a scan
 *	- if it is in the scan's own target already, as that of an arm of a UNION ALL
 *	  is after pull-up;
 *	- if the query's target list reaches the scan: the query is over this one
 *	  table, or over a partitioned one of which this is a partition (the planner
 *	  pushes target lists down to partitions).  Under GROUP BY only what is
 *	  grouped by is, arguments of aggregates and window functions never are, nor
 *	  what the planner puts off until after ORDER BY and LIMIT.
 *
 * The query must be a SELECT, or the SELECT of an INSERT, and lock no rows: a row
 * that EvalPlanQual brings has no computed columns.  System columns and whole
 * rows are not in the virtual slot that such a scan hands out, so where they are
 * asked for nothing is computed.
 *
 * IDENTIFICATION
 *	  src/plan/output.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/tlist.h"
#include "nodes/value.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"

#include "compat.h"
#include "guc.h"
#include "plan/debug_require.h"
#include "plan/late_values.h"
#include "plan/output.h"
#include "plan/own_functions.h"
#include "plan/shippable.h"
#include "plan/text_build.h"

/* Is it an own function of this kind? */
static bool
is_kind(Oid funcid, GpustrFunctionKind kind)
{
	const GpustrFunction *function = gpustr_own_function(funcid);

	return function != NULL && function->kind == kind;
}

static bool
is_redact(Oid funcid)
{
	return is_kind(funcid, GPUSTR_FUNCTION_REDACT);
}

static bool
is_mask(Oid funcid)
{
	return is_kind(funcid, GPUSTR_FUNCTION_MASK);
}

/* Why can an engine not compute this call of redact() or mask()? */
static const char *
output_refusal(FuncExpr *expr, Index varno, bool mask)
{
	const char *reason = gpustr_encoding_refusal();
	ListCell   *lc;

	foreach(lc, expr->args)
	{
		Node	   *arg = lfirst(lc);

		if (reason == NULL)
			reason = gpustr_argument_refusal(arg, varno);
		if (reason == NULL && mask && foreach_current_index(lc) > 0 &&
			!IsA(arg, Const) && !gpustr_is_late(arg))
			reason = "how to mask is not a constant";
	}
	return reason;
}

bool
gpustr_is_own_output(Node *expr)
{
	return IsA(expr, FuncExpr) &&
		(is_redact(((FuncExpr *) expr)->funcid) || is_mask(((FuncExpr *) expr)->funcid));
}

List *
gpustr_own_outputs(List *outputs)
{
	List	   *own = NIL;
	ListCell   *lc;

	foreach(lc, outputs)
	{
		if (gpustr_is_own_output(lfirst(lc)))
			own = lappend(own, lfirst(lc));
	}
	return own;
}

/*
 * Is it worth while to have this call computed?  A number or a truth by itself is
 * a text in no time.
 */
static bool
is_worth_output(const GpustrFunction *function)
{
	return gpustr_is_text_call(function) &&
		(function->kind != GPUSTR_FUNCTION_TEXT ||
		 (function->what != GPUSTR_TEXT_FROM_INT && function->what != GPUSTR_TEXT_FROM_BOOL));
}

/* Is there a call of a function of texts in it, for which that is so? */
static bool
text_call_walker(Node *node, void *context)
{
	const GpustrFunction *function = NULL;

	if (node == NULL)
		return false;
	if (IsA(node, FuncExpr))
		function = gpustr_function(((FuncExpr *) node)->funcid);
	else if (IsA(node, OpExpr))
	{
		set_opfuncid((OpExpr *) node);
		function = gpustr_function(((OpExpr *) node)->opfuncid);
	}
	else if (IsA(node, CoerceViaIO))
		function = gpustr_io_cast(exprType((Node *) ((CoerceViaIO *) node)->arg),
								  ((CoerceViaIO *) node)->resulttype);
	if (function != NULL && is_worth_output(function))
		return true;
	return expression_tree_walker(node, text_call_walker, context);
}

/* Is it a text of rows, made by a function, that the engines can compute? */
static bool
is_text_output(Node *node, Index varno)
{
	const GpustrType *type;

	switch (nodeTag(node))
	{
		case T_FuncExpr:
		case T_OpExpr:
		case T_CoerceViaIO:
		case T_RelabelType:
		case T_CaseExpr:
		case T_CoalesceExpr:
		case T_NullIfExpr:
		case T_SubscriptingRef:
			break;
		default:
			return false;
	}
	type = gpustr_type(exprType(node));
	return type != NULL &&
		(type->type == TEXTOID || type->type == VARCHAROID || type->type == BPCHAROID ||
		 type->type == BYTEAOID) &&
		contain_var_clause(node) && text_call_walker(node, NULL) &&
		gpustr_argument_refusal(node, varno) == NULL;
}

/*
 * Why is this call, of a function that is there for nothing but such outputs, not
 * computed?  NULL: it is not such a call.
 */
static const char *
find_call_refusal(Node *node, Index varno)
{
	const GpustrFunction *function = IsA(node, FuncExpr) ?
	gpustr_function(((FuncExpr *) node)->funcid) : NULL;

	if (function == NULL || exprType(node) != TEXTOID || !contain_var_clause(node) ||
		(function->kind != GPUSTR_FUNCTION_REGEX_FIND && function->kind != GPUSTR_FUNCTION_PII))
		return NULL;
	return gpustr_argument_refusal(node, varno);
}

typedef struct FindContext
{
	Index		varno;
	List	   *outputs;
	List	   *refused;		/* calls, each with a String behind it */
} FindContext;

/*
 * expression_tree_mutator: what ruleutils.c takes for an expression of a finished
 * plan.  It knows no PlaceHolderVars, and looks for the plan that sets a
 * PARAM_EXEC, where there is none yet.
 */
static Node *
printable_mutator(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, PlaceHolderVar))
		return printable_mutator((Node *) ((PlaceHolderVar *) node)->phexpr, context);
	if (IsA(node, Param))
	{
		Param	   *param = copyObject((Param *) node);

		param->paramkind = PARAM_EXTERN;
		return (Node *) param;
	}
	return expression_tree_mutator(node, printable_mutator, context);
}

List *
gpustr_describe_refused(PlannerInfo *root, RelOptInfo *rel, List *refused)
{
	Oid			relid = planner_rt_fetch(rel->relid, root)->relid;
	List	   *names = deparse_context_for(get_rel_name(relid), relid);
	List	   *described = NIL;
	int			i;

	for (i = 0; i < list_length(refused); i += 2)
	{
		Node	   *copy = printable_mutator(list_nth(refused, i), NULL);

		ChangeVarNodes(copy, rel->relid, 1, 0);
		described = lappend(described,
							makeString(psprintf("%s: %s",
												deparse_expression(copy, names, false, false),
												strVal(list_nth(refused, i + 1)))));
	}
	return described;
}

/* Note that a call is not computed, and why. */
static void
note_refused(FindContext *context, Node *call, const char *reason)
{
	context->refused = lappend(lappend(context->refused, call), makeString(pstrdup(reason)));
	gpustr_note_refusal("an expression of the target list is not computed: %s", reason);
}

/* Have it computed; NULL, or the reason why not. */
static const char *
take_output(FindContext *context, Node *expr)
{
	if (!list_member(context->outputs, expr) &&
		list_length(context->outputs) == GPUSTR_MAX_OUT_COLUMNS)
		return psprintf("there are more than %d", GPUSTR_MAX_OUT_COLUMNS);
	context->outputs = list_append_unique(context->outputs, expr);
	return NULL;
}

static bool
find_walker(Node *node, FindContext *context)
{
	if (node == NULL)
		return false;

	/* their arguments are computed above the scan */
	if (IsA(node, Aggref) || IsA(node, WindowFunc) || IsA(node, GroupingFunc) ||
		IsA(node, SubPlan) || IsA(node, AlternativeSubPlan))
		return false;
	if (gpustr_is_own_output(node))
	{
		/* with neither columns nor Params the planner has folded it */
		if (contain_var_clause(node))
		{
			const char *reason = output_refusal((FuncExpr *) node, context->varno,
												is_mask(((FuncExpr *) node)->funcid));

			if (reason == NULL)
				reason = take_output(context, node);
			if (reason == NULL)
				return false;
			note_refused(context, node, reason);
		}
	}
	else if (is_text_output(node, context->varno))
	{
		const char *reason = take_output(context, node);

		if (reason != NULL)
			note_refused(context, node, reason);
		return false;
	}
	else
	{
		const char *reason = find_call_refusal(node, context->varno);

		if (reason != NULL)
			note_refused(context, node, reason);
	}
	return expression_tree_walker(node, find_walker, (void *) context);
}

/* Is there a system column or a whole row in it? */
static bool
needs_tuple_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return ((Var *) node)->varattno <= 0;
	return expression_tree_walker(node, needs_tuple_walker, context);
}

bool
gpustr_query_only_reads(PlannerInfo *root)
{
	Query	   *parse = root->parse;

	return (parse->commandType == CMD_SELECT || parse->commandType == CMD_INSERT) &&
		parse->rowMarks == NIL && root->rowMarks == NIL;
}

/* Does the query's target list get to this scan? */
static bool
target_reaches(PlannerInfo *root, RelOptInfo *rel)
{
	Query	   *parse = root->parse;
	int			parent;

	if (parse->setOperations != NULL || parse->groupingSets != NIL ||
		parse->hasWindowFuncs || parse->hasTargetSRFs ||
		bms_membership(root->all_baserels) != BMS_SINGLETON)
		return false;
	if (rel->reloptkind == RELOPT_BASEREL)
		return true;
	if (!bms_equal(rel->top_parent_relids, root->all_baserels))
		return false;
	parent = bms_singleton_member(root->all_baserels);
	return planner_rt_fetch(parent, root)->relkind == RELKIND_PARTITIONED_TABLE &&
		IS_PARTITIONED_REL(root->simple_rel_array[parent]);
}

/*
 * Is it a column that make_sort_input_target() of the planner has computed above
 * the sort, as it is expensive and LIMIT may spare it for most rows?
 */
static bool
is_postponed(PlannerInfo *root, TargetEntry * tle)
{
	QualCost	cost;

	if (root->parse->sortClause == NIL || tle->ressortgroupref != 0 ||
		(root->parse->limitCount == NULL && root->tuple_fraction <= 0 &&
		 !contain_volatile_functions((Node *) root->processed_tlist)))
		return false;
	cost_qual_eval_node(&cost, (Node *) tle->expr, root);
	return cost.per_tuple > 10 * cpu_operator_cost;
}

/* The expressions of the query's target list that a scan computes, but for columns. */
static List *
query_target(PlannerInfo *root)
{
	bool		grouped = root->parse->hasAggs || root->parse->groupClause != NIL ||
	root->parse->havingQual != NULL;
	List	   *exprs = NIL;
	ListCell   *lc;

	foreach(lc, root->processed_tlist)
	{
		TargetEntry *tle = lfirst_node(TargetEntry, lc);

		if (IsA(tle->expr, Var))
			continue;
		if (grouped ? tle->ressortgroupref != 0 &&
			get_sortgroupref_clause_noerr(tle->ressortgroupref, root->parse->groupClause) != NULL :
			!is_postponed(root, tle))
			exprs = lappend(exprs, tle->expr);
	}
	return exprs;
}

/* The expressions, in terms of the scan's columns, that outputs are looked for in. */
static List *
searched_exprs(PlannerInfo *root, RelOptInfo *rel)
{
	List	   *exprs = NIL;
	List	   *target;
	ListCell   *lc;

	foreach(lc, rel->reltarget->exprs)
	{
		if (!IsA(lfirst(lc), Var))
			exprs = lappend(exprs, lfirst(lc));
	}
	if (!target_reaches(root, rel))
		return exprs;
	target = query_target(root);
	if (target != NIL && rel->reloptkind == RELOPT_OTHER_MEMBER_REL)
		target = (List *) gpustr_adjust_to_child(root, (Node *) target, rel);
	return list_concat(exprs, target);
}

List *
gpustr_searched_exprs(PlannerInfo *root, RelOptInfo *rel)
{
	return gpustr_enable_output && gpustr_query_only_reads(root) ? searched_exprs(root, rel) : NIL;
}

List *
gpustr_find_outputs(PlannerInfo *root, RelOptInfo *rel, List **refused)
{
	FindContext context = {rel->relid, NIL, NIL};
	ListCell   *lc;

	*refused = NIL;
	if (!gpustr_enable_output || !gpustr_query_only_reads(root))
		return NIL;
	(void) find_walker((Node *) searched_exprs(root, rel), &context);
	if (context.outputs != NIL &&
		(needs_tuple_walker((Node *) rel->reltarget->exprs, NULL) ||
		 needs_tuple_walker((Node *) extract_actual_clauses(rel->baserestrictinfo, false), NULL)))
	{
		foreach(lc, context.outputs)
			note_refused(&context, lfirst(lc), "the query needs whole tuples");
		context.outputs = NIL;
	}
	*refused = context.refused;
	return context.outputs;
}

/* Is there a column in it, but for those in the outputs? */
static bool
column_walker(Node *node, List *outputs)
{
	if (node == NULL || list_member(outputs, node))
		return false;
	if (IsA(node, Var))
		return true;
	return expression_tree_walker(node, column_walker, outputs);
}

bool
gpustr_needs_tuples(PlannerInfo *root, RelOptInfo *rel, List *outputs)
{
	Node	   *target = (Node *) rel->reltarget->exprs;

	if (outputs != NIL && target_reaches(root, rel))
	{
		target = (Node *) root->processed_tlist;
		if (rel->reloptkind == RELOPT_OTHER_MEMBER_REL)
			target = gpustr_adjust_to_child(root, target, rel);
	}
	return column_walker(target, outputs);
}

void
gpustr_build_unknown_output(GpustrBuild *build, int32 column)
{
	uint16_t text = gpustr_builder_const_text(&build->builder, GPUSTR_RECHECK, "", 0);

	gpustr_builder_mask(&build->builder, column, text, 0, 0, "", 0);
}

static void
build_mask(GpustrBuild *build, FuncExpr *expr, int32 column)
{
	GpustrFixed left;
	GpustrFixed right;
	GpustrFixed mask;
	uint16_t text = gpustr_build_expr(build, linitial(expr->args)).reg;
	const char *bytes;
	int32_t		nbytes;

	if (!gpustr_fixed(build, lsecond(expr->args), &left) ||
		!gpustr_fixed(build, lthird(expr->args), &right) ||
		!gpustr_fixed(build, lfourth(expr->args), &mask))
		elog(ERROR, "how to mask a value has become variable");
	if (!left.known || !right.known || !mask.known ||
		left.isnull || right.isnull || mask.isnull ||
		DatumGetInt32(left.value) < 0 || DatumGetInt32(right.value) < 0)
	{
		gpustr_build_unknown_output(build, column);
		return;
	}
	bytes = gpustr_fixed_bytes(&mask, false, &nbytes);
	gpustr_builder_mask(&build->builder, column, text, DatumGetInt32(left.value),
						DatumGetInt32(right.value), bytes, nbytes);
}

void
gpustr_build_output(GpustrBuild *build, Node *expr, int32 column)
{
	List	   *args;
	uint16_t	name;
	uint16_t	visibility;

	if (!gpustr_is_own_output(expr))
	{
		gpustr_builder_output_text(&build->builder, column, gpustr_build_expr(build, expr).reg);
		return;
	}
	if (is_mask(((FuncExpr *) expr)->funcid))
	{
		build_mask(build, (FuncExpr *) expr, column);
		return;
	}
	args = ((FuncExpr *) expr)->args;
	name = gpustr_build_expr(build, linitial(args)).reg;
	visibility = gpustr_build_expr(build, lsecond(args)).reg;
	gpustr_builder_redact(&build->builder, column, name, visibility);
}
