/*-------------------------------------------------------------------------
 *
 * late_eval.c
 *	  Values in the clauses of a GpuScan that are known only when it runs.
 *
 * In "msg ~~ $1", "t > now() - interval '1 day'", "x = ANY ($2)" one side is not
 * a constant, but has the same value for all rows of a scan.  The program needs
 * that value.  When may it be evaluated?  PostgreSQL does it for a row that gets
 * there, and the expression may raise an error; so:
 *
 *	- one that can neither raise nor has a side effect, such as a Param, is
 *	  evaluated when the first visible row appears;
 *	- any other one when PostgreSQL has evaluated its clause for some row.  Until
 *	  then it is *recheck* in the program, so that PostgreSQL evaluates the rows
 *	  that get to that clause: here, clause by clause, so that it is seen which
 *	  ones were reached.  Since shippable.c lets such a value stand only where a
 *	  clause that is evaluated evaluates it, too, it has raised no error then.
 *
 * A Param of an InitPlan that has not run is of the second kind.
 *
 * Values are kept over rescans unless a Param in them has changed.
 *
 * IDENTIFICATION
 *	  src/exec/late_eval.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "compat.h"
#include "exec/late_eval.h"
#include "plan/shippable.h"

/* Of a late value in an output; it is harmless. */
#define NO_CLAUSE (-1)

typedef struct LateValue
{
	Node	   *expr;			/* in the clauses: found by its address */
	int			clause;
	Bitmapset  *params;			/* PARAM_EXEC that it reads */
	bool		harmless;		/* but for InitPlans of such Params */
	ExprState  *state;
	int16		typlen;
	bool		typbyval;

	bool		known;
	bool		isnull;
	Datum		value;			/* in the context of GpustrLate */
}			LateValue;

struct GpustrLate
{
	ScanState  *ss;
	const GpustrScanClauses *clauses;
	MemoryContext context;
	MemoryContext build;		/* working memory of a build */
	List	   *values;			/* of LateValue */
	ExprState **clause_state;	/* [clauses], made when first needed */
	GpustrLateBuild build_other;	/* or NULL: the clauses' program */
	void	   *build_arg;
	GpustrProgram *program;
};

/* Replace PARAM_EXEC Params by constants, and collect their numbers. */
static Node *
without_params(Node *node, Bitmapset * *params)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXEC)
	{
		Param	   *param = (Param *) node;

		*params = bms_add_member(*params, param->paramid);
		return (Node *) makeNullConst(param->paramtype, param->paramtypmod, param->paramcollid);
	}
	return expression_tree_mutator(node, without_params, params);
}

static LateValue *
find_value(GpustrLate *late, Node *expr)
{
	ListCell   *lc;

	foreach(lc, late->values)
	{
		LateValue  *v = lfirst(lc);

		if (v->expr == expr)
			return v;
	}
	return NULL;
}

/* expression_tree_walker: is it this very node, or one that has it? */
static bool
has_node(Node *node, void *expr)
{
	if (node == NULL)
		return false;
	return node == expr || expression_tree_walker(node, has_node, expr);
}

/* Which clause the expression is in; NO_CLAUSE: it is in an output. */
static int
clause_of(const GpustrLate *late, Node *expr)
{
	ListCell   *lc;

	foreach(lc, late->clauses->clauses)
	{
		if (has_node(lfirst(lc), expr))
			return foreach_current_index(lc);
	}
	if (!has_node((Node *) late->clauses->outputs, expr))
		elog(ERROR, "a late value is in no clause and no output of the scan");
	return NO_CLAUSE;
}

static LateValue *
add_value(GpustrLate *late, Node *expr)
{
	MemoryContext old = MemoryContextSwitchTo(late->context);
	LateValue  *v = palloc0(sizeof(LateValue));

	v->expr = expr;
	v->clause = clause_of(late, expr);
	v->harmless = gpustr_clause_is_harmless(without_params(expr, &v->params));
	v->state = ExecInitExpr((Expr *) expr, &late->ss->ps);
	get_typlenbyval(exprType(expr), &v->typlen, &v->typbyval);
	late->values = lappend(late->values, v);
	MemoryContextSwitchTo(old);
	return v;
}

/*
 * GpustrLateValues.lookup.  A build asks for a value only as far as it gets:
 * where one is not known it may not ask for the next in the same clause.  So
 * values are noted as they are asked for.
 */
static bool
lookup_value(void *context, Node *expr, Datum *value, bool *isnull)
{
	GpustrLate *late = context;
	LateValue  *v = find_value(late, expr);

	if (v == NULL)
		v = add_value(late, expr);
	*value = v->value;
	*isnull = v->isnull;
	return v->known;
}

static GpustrProgram *
build(GpustrLate *late)
{
	GpustrLateValues known = {.lookup = lookup_value,.context = late};
	MemoryContext old = MemoryContextSwitchTo(late->build);
	GpustrProgram *built;
	GpustrProgram *program;

	if (late->build_other != NULL)
		built = late->build_other(late->build_arg, &known);
	else
		built = gpustr_build_clause_program(late->ss->ss_currentRelation, late->clauses, &known);
	program = MemoryContextAlloc(late->context, built->bytes);
	memcpy(program, built, built->bytes);
	MemoryContextSwitchTo(old);
	MemoryContextReset(late->build);
	return program;
}

GpustrLate *
gpustr_late_create(ScanState *ss, const GpustrScanClauses *clauses)
{
	GpustrLate *late = palloc0(sizeof(GpustrLate));

	late->ss = ss;
	late->clauses = clauses;
	late->context = CurrentMemoryContext;
	late->build = AllocSetContextCreate(late->context, "GpuScan program",
										ALLOCSET_DEFAULT_SIZES);
	return late;
}

void
gpustr_late_set_build(GpustrLate *late, GpustrLateBuild build_other, void *arg)
{
	late->build_other = build_other;
	late->build_arg = arg;
}

/* Evaluate a value, and keep it. */
static void
evaluate(GpustrLate *late, LateValue * v, ExprContext *econtext)
{
	MemoryContext old;

	v->value = ExecEvalExprSwitchContext(v->state, econtext, &v->isnull);
	old = MemoryContextSwitchTo(late->context);
	if (v->isnull)
		v->value = (Datum) 0;
	else if (v->typlen == -1)
		v->value = PointerGetDatum(PG_DETOAST_DATUM_COPY(v->value));
	else
		v->value = datumCopy(v->value, v->typbyval, v->typlen);
	MemoryContextSwitchTo(old);
	v->known = true;
}

/* Does it read no Param of an InitPlan that has yet to run? */
static bool
params_are_set(const LateValue * v, ExprContext *econtext)
{
	int			id = -1;

	while ((id = bms_next_member(v->params, id)) >= 0)
	{
		if (econtext->ecxt_param_exec_vals[id].execPlan != NULL)
			return false;
	}
	return true;
}

const GpustrProgram *
gpustr_late_program(GpustrLate *late)
{
	ExprContext *econtext = late->ss->ps.ps_ExprContext;
	int			nvalues;

	do
	{
		ListCell   *lc;

		nvalues = list_length(late->values);
		foreach(lc, late->values)
		{
			LateValue  *v = lfirst(lc);

			if (!v->known && v->harmless && params_are_set(v, econtext))
				evaluate(late, v, econtext);
		}
		if (late->program != NULL)
			pfree(late->program);
		late->program = build(late);
	} while (list_length(late->values) > nvalues);
	return late->program;
}

bool
gpustr_late_waits(const GpustrLate *late)
{
	ListCell   *lc;

	foreach(lc, late->values)
	{
		if (!((LateValue *) lfirst(lc))->known)
			return true;
	}
	return false;
}

static void
init_clause_states(GpustrLate *late)
{
	MemoryContext old = MemoryContextSwitchTo(late->context);
	ListCell   *lc;
	int			i = 0;

	late->clause_state = palloc_array(ExprState *, list_length(late->clauses->clauses));
	foreach(lc, late->clauses->clauses)
		late->clause_state[i++] = ExecInitQual(list_make1(lfirst(lc)), &late->ss->ps);
	MemoryContextSwitchTo(old);
}

/* PostgreSQL has evaluated a clause: so can we its values. */
static bool
learn(GpustrLate *late, int clause, ExprContext *econtext)
{
	bool		learned = false;
	ListCell   *lc;

	foreach(lc, late->values)
	{
		LateValue  *v = lfirst(lc);

		if (v->clause == clause && !v->known)
		{
			evaluate(late, v, econtext);
			learned = true;
		}
	}
	return learned;
}

bool
gpustr_late_judge(GpustrLate *late, ExprContext *econtext, bool *learned)
{
	int			n = list_length(late->clauses->clauses);
	bool		passes = true;
	int			i;

	if (late->clause_state == NULL)
		init_clause_states(late);
	for (i = 0; passes && i < n; i++)
	{
		passes = ExecQual(late->clause_state[i], econtext);
		*learned |= learn(late, i, econtext);
	}
	return passes;
}

void
gpustr_late_rescan(GpustrLate *late, Bitmapset * changed)
{
	ListCell   *lc;

	foreach(lc, late->values)
	{
		LateValue  *v = lfirst(lc);

		if (!v->known || !bms_overlap(v->params, changed))
			continue;
		if (!v->isnull && !v->typbyval)
			pfree(DatumGetPointer(v->value));
		v->known = false;
	}
}
