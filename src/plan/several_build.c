/*-------------------------------------------------------------------------
 *
 * several_build.c
 *	  Several patterns for one text, as one step.
 *
 * A text that is LIKE '%this%' OR LIKE '%that%' has one of some literals, for which
 * there are automata (literals_build.c); and if it is neither, by NOT LIKE and
 * AND, it has none.  Such a test is never recheck but for its text, so neighbours
 * in an OR may be made one.  Neighbours only: one that is recheck keeps its place.
 *
 * A LIKE of one literal is a search that is faster than an automaton, so it takes a few
 * to gain.
 *
 * Other patterns, and regular expressions, are joined by union_build.c, which comes
 * first.
 *
 * IDENTIFICATION
 *	  src/plan/several_build.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/array.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "plan/literals_build.h"
#include "plan/several_build.h"
#include "plan/union_build.h"

/* Can tests of a function, joined by OR or else AND, be a test for literals? */
static bool
joins_to_literals(const GpustrFunction *function, bool use_or)
{
	bool		negated = (function->flags & GPUSTR_FLAG_NEGATED) != 0;

	return function->kind == GPUSTR_FUNCTION_LIKE &&
		(function->flags & GPUSTR_FLAG_FOLDED) == 0 && negated != use_or;
}

/* Does a LIKE pattern look for a literal, anywhere?  Then it, unescaped. */
static bool
literal_of_pattern(const GpustrFixed *pattern, GpustrLiteral *literal)
{
	struct varlena *value;
	const char *s;
	char	   *to;
	int			n;
	int			i;

	if (!pattern->known || pattern->isnull)
		return false;
	value = PG_DETOAST_DATUM_PACKED(pattern->value);
	s = VARDATA_ANY(value);
	n = VARSIZE_ANY_EXHDR(value);
	if (n < 3 || s[0] != '%')
		return false;
	to = palloc(n);
	literal->at = to;
	literal->bytes = 0;
	for (i = 0; i < n && s[i] == '%'; i++)
		 /* any number of them */ ;
	for (; i < n && s[i] != '%'; i++)
	{
		if (s[i] == '_' || (s[i] == '\\' && ++i == n))
			return false;
		to[literal->bytes++] = s[i];
	}

	/* nothing but the end may follow */
	if (i == n || literal->bytes == 0)
		return false;
	while (i < n && s[i] == '%')
		i++;
	return i == n;
}

GpustrLiteralUse
gpustr_literal_use(const GpustrFunction *function, const GpustrFixed *pattern)
{
	GpustrLiteral literal;

	if (joins_to_literals(function, true) && literal_of_pattern(pattern, &literal))
		return GPUSTR_LITERAL_IN_OR;
	if (joins_to_literals(function, false) && literal_of_pattern(pattern, &literal))
		return GPUSTR_LITERAL_IN_AND;
	return GPUSTR_LITERAL_NEVER;
}

/* Elements from one on that have literals, into literals[]. */
static int
literals_from(const GpustrFixed *elements, int from, int n, GpustrLiteral *literals)
{
	int			i = from;

	while (i < n && literal_of_pattern(&elements[i], &literals[i - from]))
		i++;
	return i - from;
}

int
gpustr_list_tests(const GpustrFunction *function, bool use_or, const GpustrFixed *elements, int n)
{
	GpustrLiteral *literals;
	int			tests = 0;
	int			i = 0;

	if (!joins_to_literals(function, use_or))
		return n;
	literals = palloc_array(GpustrLiteral, n + 1);
	while (i < n)
	{
		int			run = literals_from(elements, i, n, literals);

		tests += run >= GPUSTR_FEWEST_LITERALS ? 1 : Max(run, 1);
		i += Max(run, 1);
	}
	return tests;
}

/* One test for some literals, of a function that joins to it. */
static bool
build_literals(GpustrBuild *build, bool use_or, GpustrReg text, const GpustrLiteral *literals,
			   int n, GpustrReg *reg)
{
	if (n < GPUSTR_FEWEST_LITERALS || !gpustr_build_literals(build, text, literals, n, reg))
		return false;
	if (!use_or)
		*reg = gpustr_build_not(build, *reg);
	return true;
}

GpustrReg
gpustr_build_list(GpustrBuild *build, const GpustrFunction *function, Oid collation, bool use_or,
				  GpustrReg left, const GpustrFixed *elements, int n)
{
	GpustrLiteral *literals = palloc_array(GpustrLiteral, n + 1);
	bool		joins = joins_to_literals(function, use_or);
	GpustrReg	reg = left;
	int			i = 0;

	while (i < n && !build->builder.full)
	{
		GpustrReg	next;
		int			run = gpustr_build_union_list(build, function, collation, use_or, left,
												  elements, i, n, &next);

		if (run == 0)
		{
			run = joins ? literals_from(elements, i, n, literals) : 0;
			if (!build_literals(build, use_or, left, literals, run, &next))
			{
				run = 1;
				next = gpustr_build_test(build, function, collation, left, &elements[i]);
			}
		}
		if (i > 0)
			next.reg = gpustr_builder_binary(&build->builder, use_or ? GPUSTR_OP_OR : GPUSTR_OP_AND,
											 reg.reg, next.reg);
		reg = next;
		i += run;
	}
	return reg;
}

/* Is it a test of a text for a literal, which joins with others to one? */
static bool
is_literal_test(GpustrBuild *build, Node *node, bool use_or, Node **text, GpustrLiteral *literal)
{
	const GpustrFunction *function;
	GpustrFixed pattern;

	if (!IsA(node, OpExpr))
		return false;
	function = gpustr_function(((OpExpr *) node)->opfuncid);
	if (function == NULL || !joins_to_literals(function, use_or) ||
		!gpustr_fixed(build, lsecond(((OpExpr *) node)->args), &pattern) ||
		!literal_of_pattern(&pattern, literal))
		return false;
	*text = linitial(((OpExpr *) node)->args);
	return true;
}

int
gpustr_build_several(GpustrBuild *build, BoolExpr *expr, int from, GpustrReg *reg)
{
	int			n = list_length(expr->args);
	bool		use_or = expr->boolop == OR_EXPR;
	GpustrLiteral *literals;
	Node	   *text = NULL;
	Node	   *other;
	int			i = gpustr_build_union(build, use_or, expr->args, from, n - from, reg);

	if (i > 0)
		return i;
	i = from;
	if (n - from < GPUSTR_FEWEST_LITERALS)
		return 0;
	literals = palloc_array(GpustrLiteral, n);
	while (i < n && is_literal_test(build, list_nth(expr->args, i), use_or, &other,
									&literals[i - from]))
	{
		if (text !=NULL && !equal(text, other))
			break;
		text = other;

		i++;
	}
	if (i - from < GPUSTR_FEWEST_LITERALS ||
		!build_literals(build, use_or, gpustr_build_expr(build, text), literals, i - from, reg))
		return 0;
	return i - from;
}

GpustrFixed *
gpustr_array_elements(ArrayType *array, int *n)
{
	GpustrFixed *elements;
	Datum	   *values;
	bool	   *nulls;
	int16		len;
	bool		byval;
	char		align;
	int			i;

	get_typlenbyvalalign(ARR_ELEMTYPE(array), &len, &byval, &align);
	deconstruct_array(array, ARR_ELEMTYPE(array), len, byval, align, &values, &nulls, n);
	elements = palloc_array(GpustrFixed, *n + 1);
	for (i = 0; i < *n; i++)
	{
		elements[i].known = true;
		elements[i].isnull = nulls[i];
		elements[i].value = values[i];
		elements[i].type = ARR_ELEMTYPE(array);
	}
	return elements;
}
