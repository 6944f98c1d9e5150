/*-------------------------------------------------------------------------
 *
 * make_cost.c
 *	  What is made once in a session costs a scan that needs it first.
 *
 * Automata of regular expressions are made while a query is planned; PostgreSQL is
 * asked for the case of all characters when a scan starts.  Both are kept for the
 * session (regex_cache.c, case_probe.c), and what is kept costs nothing.
 *
 * Measured: an automaton takes 0.1 to 1 ms, but for large ones; the case of a
 * collation's characters 10 to 40 ms, ICU's twice that.  The borders of classes of
 * characters, which take 20 ms each, are found for automata only, and given to workers.
 *
 * IDENTIFICATION
 *	  src/plan/make_cost.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"

#include "compat.h"
#include "plan/case_probe.h"
#include "plan/make_cost.h"
#include "plan/regex_build.h"

/* In the time that PostgreSQL takes for so many tuples, of 100 ns each. */
#define AUTOMATON_TUPLES 3000
#define CASE_MAP_TUPLES 300000

typedef struct MakeCost
{
	bool		automata;		/* are they asked for? */
	bool		case_maps;
	bool		all;			/* as if nothing were known */
	double		tuples;
	List	   *counted;		/* collations whose upper is, then lower */
	List	   *counted_lower;
} MakeCost;

static void
add_case_map(MakeCost *cost, Oid collation, GpustrCase which)
{
	List	  **counted = which == GPUSTR_CASE_UPPER ? &cost->counted : &cost->counted_lower;
	uint32_t	bytes;

	if (list_member_oid(*counted, collation) || gpustr_ctype_is_c(collation))
		return;
	*counted = lappend_oid(*counted, collation);
	if (cost->all || gpustr_case_map(collation, which, true, &bytes)->ascii['a'] == 0)
		cost->tuples += CASE_MAP_TUPLES;
}

/* The automata of a constant pattern or array of them. */
static void
add_automata(MakeCost *cost, const GpustrFunction *function, Node *pattern, Node *options,
			 Oid collation, bool is_array)
{
	int			cflags;

	if (!IsA(pattern, Const) || ((Const *) pattern)->constisnull)
		return;
	if (is_array)
	{
		ArrayType  *array = DatumGetArrayTypeP(((Const *) pattern)->constvalue);

		/* which are known is not looked up */
		cost->tuples += AUTOMATON_TUPLES *
			(double) ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
		return;
	}
	if (options != NULL && (!IsA(options, Const) || ((Const *) options)->constisnull))
		return;
	if (gpustr_regex_call_flags(function, (Const *) options, &cflags))
	{
		struct varlena *text = PG_DETOAST_DATUM_PACKED(((Const *) pattern)->constvalue);

		if (cost->all || !gpustr_regex_is_known(VARDATA_ANY(text), VARSIZE_ANY_EXHDR(text),
												cflags, collation))
			cost->tuples += AUTOMATON_TUPLES;
	}
}

static void
add_call(MakeCost *cost, Oid funcid, List *args, Oid collation, bool is_array)
{
	const GpustrFunction *function = gpustr_function(funcid);

	if (function == NULL || !OidIsValid(collation))
		return;
	if (cost->automata && function->kind == GPUSTR_FUNCTION_REGEX)
		add_automata(cost, function, lsecond(args), list_length(args) > 2 ? lthird(args) : NULL,
					 collation, is_array);
	if (!cost->case_maps || function->kind != GPUSTR_FUNCTION_TEXT)
		return;
	if (function->what == GPUSTR_TEXT_UPPER || function->what == GPUSTR_TEXT_INITCAP)
		add_case_map(cost, collation, GPUSTR_CASE_UPPER);
	if (function->what == GPUSTR_TEXT_LOWER || function->what == GPUSTR_TEXT_INITCAP)
		add_case_map(cost, collation, GPUSTR_CASE_LOWER);
}

static bool
make_cost_walker(Node *node, MakeCost *cost)
{
	if (node == NULL)
		return false;
	if (IsA(node, RestrictInfo))
		return make_cost_walker((Node *) ((RestrictInfo *) node)->clause, cost);
	if (IsA(node, OpExpr))
		add_call(cost, ((OpExpr *) node)->opfuncid, ((OpExpr *) node)->args,
				 ((OpExpr *) node)->inputcollid, false);
	else if (IsA(node, FuncExpr))
		add_call(cost, ((FuncExpr *) node)->funcid, ((FuncExpr *) node)->args,
				 ((FuncExpr *) node)->inputcollid, false);
	else if (IsA(node, ScalarArrayOpExpr))
		add_call(cost, ((ScalarArrayOpExpr *) node)->opfuncid, ((ScalarArrayOpExpr *) node)->args,
				 ((ScalarArrayOpExpr *) node)->inputcollid, true);
	return expression_tree_walker(node, make_cost_walker, cost);
}

static Cost
make_cost(List *exprs, MakeCost *cost)
{
	(void) make_cost_walker((Node *) exprs, cost);
	return cost->tuples * cpu_tuple_cost;
}

Cost
gpustr_make_cost_to_plan(List *exprs)
{
	MakeCost	cost = {.automata = true};

	return make_cost(exprs, &cost);
}

Cost
gpustr_make_cost_to_run(List *exprs, bool in_worker)
{
	MakeCost	cost = {.automata = in_worker,.case_maps = true,.all = in_worker};

	return make_cost(exprs, &cost);
}
