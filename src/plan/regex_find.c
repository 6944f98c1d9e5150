/*-------------------------------------------------------------------------
 *
 * regex_find.c
 *	  Functions that look for matches of a regular expression: regexp_replace(),
 *	  regexp_substr(), regexp_count(), ...
 *
 * Where in a value a match begins and ends only PostgreSQL can tell; but whether
 * there is one an automaton tells, exactly if it says that there is none.  For such
 * a value the answer is known: regexp_replace() and gpustr.redact_pattern() leave it
 * as it is, regexp_substr(), substring() and an element of regexp_match() are
 * NULL, regexp_count() and regexp_instr() are 0.  All others are recheck.  So the
 * engine spares PostgreSQL the values without a match, and pays where these are
 * many: cost.c asks for the selectivity of the expression.
 *
 *		replace(value)	CHOOSE_TEXT	where DFA: recheck, else value
 *
 * A search that begins later in the value, or a match other than the first, finds
 * nothing either where there is no match at all: ^ and what looks back see the
 * whole value wherever the search begins.  Flags, start, N and the like have to be
 * constants, as PostgreSQL raises an error for some.
 *
 * regexp_match() IS NULL is a test like ~, not a prefilter.
 *
 * IDENTIFICATION
 *	  src/plan/regex_find.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_operator_d.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"

#include "compat.h"
#include "plan/regex_build.h"
#include "plan/regex_find.h"

/* The flags of a call without those that say how many matches count. */
static Const *
without_global(Const *flags)
{
	char	   *given = TextDatumGetCString(flags->constvalue);
	char	   *kept = given;
	char	   *c;

	for (c = given; *c != '\0'; c++)
	{
		if (*c != 'g')
			*kept++ = *c;
	}
	return makeConst(TEXTOID, -1, flags->constcollid, -1,
					 PointerGetDatum(cstring_to_text_with_len(given, kept - given)), false, false);
}

/* The flags among the arguments; NULL: there are none. */
static Node *
find_flags(const GpustrFunction *function, List *args)
{
	ListCell   *lc;

	for_each_from(lc, args, function->how)
	{
		if (exprType(lfirst(lc)) == TEXTOID)
			return lfirst(lc);
	}
	return NULL;
}

/* The flags as those of regexp_like(). */
static Const *
find_options(const GpustrFunction *function, List *args)
{
	Node	   *flags = find_flags(function, args);

	if (flags == NULL)
		return NULL;
	return function->what == GPUSTR_MISS_VALUE ? without_global((Const *) flags) : (Const *) flags;
}

/*
 * Would PostgreSQL raise an error for one of the numbers?  They are, in this
 * order: where to start; which match, 0 for all of regexp_replace(); a subexpression,
 * before which regexp_instr() has whether to return the end.
 */
static bool
numbers_are_valid(const GpustrFunction *function, List *args)
{
	const int	least[] = {1, function->what == GPUSTR_MISS_VALUE ? 0 : 1, 0, 0};
	int			n = 0;
	ListCell   *lc;

	for_each_from(lc, args, function->how)
	{
		Const	   *arg = lfirst(lc);

		if (arg->consttype != INT4OID)
			continue;
		if (n >= lengthof(least) || DatumGetInt32(arg->constvalue) < least[n] ||
			(function->what == GPUSTR_MISS_ZERO && n == 2 && DatumGetInt32(arg->constvalue) > 1))
			return false;
		n++;
	}
	return true;
}

const char *
gpustr_regex_find_refusal(const GpustrFunction *function, List *args, Oid collation)
{
	List	   *test = list_make2(linitial(args), lsecond(args));
	Const	   *options;
	ListCell   *lc;

	for_each_from(lc, args, function->how)
	{
		Const	   *arg = lfirst(lc);

		if (!IsA(arg, Const) || arg->constisnull)
			return "the options are not a constant";
	}
	if (!numbers_are_valid(function, args))
		return "the options are invalid";
	options = find_options(function, args);
	if (options != NULL)
		test = lappend(test, options);
	return gpustr_regex_call_refusal(function, test, collation);
}

static GpustrReg
unknown_answer(GpustrBuild *build, const GpustrFunction *function)
{
	GpustrProgramBuilder *b = &build->builder;

	if (function->what == GPUSTR_MISS_ZERO)
		return gpustr_reg(GPUSTR_KIND_VALUE, gpustr_builder_const_value(b, GPUSTR_RECHECK, 0));
	return gpustr_reg(GPUSTR_KIND_TEXT, gpustr_builder_const_text(b, GPUSTR_RECHECK, "", 0));
}

static GpustrReg
null_answer(GpustrBuild *build, const GpustrFunction *function)
{
	GpustrProgramBuilder *b = &build->builder;

	if (function->what == GPUSTR_MISS_ZERO)
		return gpustr_reg(GPUSTR_KIND_VALUE, gpustr_builder_const_value(b, GPUSTR_NULL, 0));
	return gpustr_reg(GPUSTR_KIND_TEXT, gpustr_builder_const_text(b, GPUSTR_NULL, "", 0));
}

/* The answer where nothing matches; NULL where the value is. */
static GpustrReg
miss_answer(GpustrBuild *build, const GpustrFunction *function, GpustrReg value)
{
	GpustrReg	zero;

	if (function->what == GPUSTR_MISS_VALUE)
		return value;
	if (function->what != GPUSTR_MISS_ZERO)
		return null_answer(build, function);
	zero = gpustr_reg(GPUSTR_KIND_VALUE,
					  gpustr_builder_const_value(&build->builder, GPUSTR_FALSE, 0));
	return gpustr_build_choose(build, gpustr_build_is_null(build, value),
							   null_answer(build, function), zero);
}

/*
 * The arguments are what they are in the list, whatever the answer is: a recheck
 * among them is one before a NULL is.
 */
GpustrReg
gpustr_build_regex_find(GpustrBuild *build, const GpustrFunction *function, List *args,
						Oid collation)
{
	bool		replaces = function->how > 2;
	GpustrFixed pattern;
	GpustrReg	value;
	GpustrReg	found;
	GpustrReg	answer;

	if (!gpustr_fixed(build, lsecond(args), &pattern))
		elog(ERROR, "unexpected pattern in an offloaded expression");
	if (!pattern.known)
	{
		(void) gpustr_build_unknown_test(build);
		return unknown_answer(build, function);
	}
	value = gpustr_build_expr(build, linitial(args));
	if (pattern.isnull)
	{
		found = gpustr_build_unless_recheck(build, value, GPUSTR_FALSE);
		answer = null_answer(build, function);
	}
	else
	{
		found = gpustr_build_regex(build, function, find_options(function, args), collation, value,
								   PG_DETOAST_DATUM_PACKED(pattern.value));
		answer = miss_answer(build, function, value);
	}
	answer = gpustr_build_choose(build, found, unknown_answer(build, function), answer);
	if (replaces && !(IsA(lthird(args), Const) && !((Const *) lthird(args))->constisnull))
	{
		GpustrReg	replacement = gpustr_build_expr(build, lthird(args));

		/*
		 * NULL if it is, but not before it is known that the value is no
		 * recheck
		 */
		found = gpustr_build_is_null(build, replacement);
		found = gpustr_build_choose(build, gpustr_build_unless_recheck(build, value, GPUSTR_TRUE),
									found, found);
		answer = gpustr_build_choose(build, found, null_answer(build, function), answer);
	}
	return answer;
}

GpustrReg
gpustr_build_regex_found(GpustrBuild *build, FuncExpr *call)
{
	const GpustrFunction *function = gpustr_function(call->funcid);
	GpustrFixed pattern;
	GpustrReg	found;

	if (!gpustr_fixed(build, lsecond(call->args), &pattern))
		elog(ERROR, "unexpected pattern in an offloaded expression");
	if (!pattern.known)
		return gpustr_build_unknown_test(build);
	found = gpustr_build_expr(build, linitial(call->args));
	if (pattern.isnull)
		return gpustr_build_unless_recheck(build, found, GPUSTR_FALSE);
	found = gpustr_build_regex(build, function, find_options(function, call->args), call->inputcollid,
							   found, PG_DETOAST_DATUM_PACKED(pattern.value));
	return gpustr_reg(GPUSTR_KIND_BOOL,
					  gpustr_builder_test(&build->builder, GPUSTR_OP_IS_TRUE, found.reg));
}

GpustrReg
gpustr_build_match_element(GpustrBuild *build, SubscriptingRef * ref)
{
	FuncExpr   *call = castNode(FuncExpr, ref->refexpr);

	return gpustr_build_regex_find(build, gpustr_function(call->funcid), call->args,
								   call->inputcollid);
}

FuncExpr *
gpustr_regexp_match_call(Node *node)
{
	const GpustrFunction *function;

	if (!IsA(node, FuncExpr))
		return NULL;
	function = gpustr_function(((FuncExpr *) node)->funcid);
	if (function == NULL || function->kind != GPUSTR_FUNCTION_REGEX_FIND ||
		function->what != GPUSTR_MISS_NULL_ARRAY)
		return NULL;
	return (FuncExpr *) node;
}

/* Of an expression that is not known, or has flags. */
#define UNKNOWN_SELECTIVITY 0.05

typedef struct SelectivityContext
{
	PlannerInfo *root;
	double		misses;			/* part of rows in which nothing matches */
} SelectivityContext;

/*
 * The part of rows that match, by PostgreSQL's own estimate for ~ or ~*.  That
 * compiles the expression as one without flags, and may raise an error where the
 * call would not.
 */
static double
call_selectivity(PlannerInfo *root, const GpustrFunction *function, List *args, Oid collation)
{
	Const	   *flags = (Const *) find_flags(function, args);
	const char *given = flags != NULL ? TextDatumGetCString(flags->constvalue) : "";
	bool		folded = strchr(given, 'i') != NULL;
	OpExpr	   *test;

	if (!IsA(lsecond(args), Const) || strspn(given, "gi") < strlen(given))
		return UNKNOWN_SELECTIVITY;
	test = (OpExpr *) make_opclause(folded ? OID_TEXT_ICREGEXEQ_OP : OID_TEXT_REGEXEQ_OP, BOOLOID, false,
									linitial(args), lsecond(args), InvalidOid, collation);
	set_opfuncid(test);
	return clause_selectivity(root, (Node *) test, 0, JOIN_INNER, NULL);
}

static bool
selectivity_walker(Node *node, SelectivityContext *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, NullTest) && gpustr_regexp_match_call((Node *) ((NullTest *) node)->arg) != NULL)
		return false;
	if (IsA(node, FuncExpr))
	{
		FuncExpr   *call = (FuncExpr *) node;
		const GpustrFunction *function = gpustr_function(call->funcid);

		if (function != NULL && function->kind == GPUSTR_FUNCTION_REGEX_FIND)
			context->misses *= 1 - call_selectivity(context->root, function, call->args,
													call->inputcollid);
	}
	return expression_tree_walker(node, selectivity_walker, (void *) context);
}

double
gpustr_regex_find_selectivity(PlannerInfo *root, Node *expr)
{
	SelectivityContext context = {root, 1};

	(void) selectivity_walker(expr, &context);
	return 1 - context.misses;
}
