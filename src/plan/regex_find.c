/*-------------------------------------------------------------------------
 *
 * regex_find.c
 *	  Functions that look for matches of a regular expression: regexp_replace(),
 *	  regexp_substr(), regexp_count(), ...
 *
 * Whether there is a match an automaton tells, exactly if it says that there is
 * none.  For such a value the answer is known: regexp_replace() and
 * gpustr.redact_pattern() leave it as it is, regexp_substr(), substring() and an
 * element of regexp_match() are NULL, regexp_count() and regexp_instr() are 0.
 *
 * Where it matches another automaton tells, for many expressions (regex_extents.c),
 * if nothing is asked of parentheses.  It runs over values with a match only.
 *
 *		value			TEXT
 *		found			DFA value
 *		matching		CHOOSE_TEXT where found: value, else NULL
 *		made			TEXT_MAKE REGEX_REPLACE matching, replacement
 *		answer			CHOOSE_TEXT where found: made, else value
 *
 * Else 'made' is recheck: so the engine spares PostgreSQL the values without a match,
 * and pays where these are many: cost.c asks for the selectivity of the expression.
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
#include "utils/fmgroids.h"

#include "compat.h"
#include "plan/regex_build.h"
#include "plan/regex_find.h"
#include "rowfn/regex_extents.h"

/* Which element of regexp_match() it is. */
static int
match_element(const SubscriptingRef * ref)
{
	const Const *index = linitial_node(Const, ref->refupperindexpr);

	return index->consttype == INT4OID ? DatumGetInt32(index->constvalue) : 0;
}

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

/* Number n of those, from 0; if it is left out, 'otherwise'. */
static int32
find_number(const GpustrFunction *function, List *args, int n, int32 otherwise)
{
	ListCell   *lc;

	for_each_from(lc, args, function->how)
	{
		Const	   *arg = lfirst(lc);

		if (arg->consttype == INT4OID && n-- == 0)
			return DatumGetInt32(arg->constvalue);
	}
	return otherwise;
}

/* Does regexp_replace() want what parentheses took?  In a constant: others are seen row by row. */
static bool
wants_captures(Node *replacement)
{
	struct varlena *text;
	int64_t		bytes;
	int64_t		matches;
	RowfnText	with;

	if (!IsA(replacement, Const) || ((Const *) replacement)->constisnull)
		return false;
	text = PG_DETOAST_DATUM_PACKED(((Const *) replacement)->constvalue);

	with.s = VARDATA_ANY(text);
	with.len = VARSIZE_ANY_EXHDR(text);
	return !rowfn_replacement_parts(with, &bytes, &matches);
}

/* What a call needs to know of its matches. */
typedef struct Wanted
{
	GpustrTextFunction make;
	bool		captures;		/* of the whole, if nothing captures */
	int32		which;			/* 0: all */
	bool		end;
} Wanted;

/*
 * How the call's matches are found on an engine; false: they are not.  element: of
 * regexp_match(), which one.
 */
static bool
what_is_wanted(const GpustrFunction *function, List *args, int element, Wanted *wanted)
{
	Const	   *flags = (Const *) find_flags(function, args);

	wanted->captures = false;
	wanted->which = 1;
	wanted->end = false;
	switch (function->what)
	{
		case GPUSTR_MISS_VALUE:
			wanted->make = GPUSTR_TEXT_REGEX_REPLACE;

			/* redact_pattern() */
			if (!OidIsValid(function->funcid) ||
				(flags != NULL && strchr(TextDatumGetCString(flags->constvalue), 'g') != NULL))
				wanted->which = 0;
			wanted->which = find_number(function, args, 1, wanted->which);
			return !wants_captures(lthird(args));
		case GPUSTR_MISS_NULL:
			wanted->make = GPUSTR_TEXT_REGEX_SUBSTR;
			wanted->captures = function->funcid == F_SUBSTRING_TEXT_TEXT;
			wanted->which = find_number(function, args, 1, 1);
			return find_number(function, args, 2, 0) == 0;
		case GPUSTR_MISS_NULL_ARRAY:
			wanted->make = GPUSTR_TEXT_REGEX_SUBSTR;
			wanted->captures = true;
			return element == 1;
		default:
			break;
	}
	if (function->funcid == F_REGEXP_COUNT_TEXT_TEXT ||
		function->funcid == F_REGEXP_COUNT_TEXT_TEXT_INT4 ||
		function->funcid == F_REGEXP_COUNT_TEXT_TEXT_INT4_TEXT)
	{
		wanted->make = GPUSTR_TEXT_REGEX_COUNT;
		wanted->which = 0;
		return true;
	}
	wanted->make = GPUSTR_TEXT_REGEX_INSTR;
	wanted->which = find_number(function, args, 1, 1);
	wanted->end = find_number(function, args, 2, 0) == 1;
	return find_number(function, args, 3, 0) == 0;
}

/* What tells where the matches are, for this call; NULL: only PostgreSQL can tell. */
static GpustrRegexExtents *
find_extents(const GpustrFunction *function, List *args, int element, Oid collation,
			 struct varlena *pattern, Wanted *wanted, uint32 *bytes)
{
	const GpustrRegexExtents *known;
	GpustrRegexExtents *extents;

	if (!what_is_wanted(function, args, element, wanted))
		return NULL;
	known = gpustr_regex_call_extents(function, find_options(function, args), wanted->captures,
									  collation, pattern, bytes);
	if (known == NULL)
		return NULL;
	extents = palloc_extended(*bytes, MCXT_ALLOC_HUGE);
	memcpy(extents, known, *bytes);
	extents->pass = find_number(function, args, 0, 1) - 1;
	extents->which = wanted->which;
	if (wanted->end)
		extents->flags |= GPUSTR_EXTENTS_END;
	return extents;
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
 * The text where it has the match that is wanted, else NULL, as what REGEX_SUBSTR takes
 * has to have one.  *step: the step that looked for it, to share its constant.
 */
static uint16_t
build_has_match(GpustrBuild *build, uint16_t text, const GpustrRegexExtents *extents, uint32 bytes,
				GpustrStep *step)
{
	GpustrProgramBuilder *b = &build->builder;
	uint16_t	where = gpustr_builder_text_function(b, GPUSTR_TEXT_REGEX_INSTR, &text, extents, bytes);
	uint16_t	has;

	if (!b->full)
		*step = b->step[b->nsteps - 1];
	has = gpustr_builder_compare(b, GPUSTR_OP_COMPARE_VALUE, GPUSTR_REL_GT, GPUSTR_ORDER_INT, where,
								 gpustr_builder_const_value(b, GPUSTR_FALSE, 0));
	return gpustr_build_choose(build, gpustr_reg(GPUSTR_KIND_BOOL, has),
							   gpustr_reg(GPUSTR_KIND_TEXT, text),
							   gpustr_reg(GPUSTR_KIND_TEXT,
										  gpustr_builder_const_text(b, GPUSTR_NULL, "", 0))).reg;
}

/* The answer where something matches. */
static GpustrReg
hit_answer(GpustrBuild *build, const GpustrFunction *function, List *args, int element,
		   Oid collation, struct varlena *pattern, GpustrReg found, GpustrReg value,
		   GpustrReg replacement)
{
	GpustrProgramBuilder *b = &build->builder;
	GpustrRegexExtents *extents;
	Wanted		wanted;
	uint32		bytes;
	uint16_t	in[2] = {0, replacement.reg};
	uint16_t	out;

	if (b->full)
		return unknown_answer(build, function);
	extents = find_extents(function, args, element, collation, pattern, &wanted, &bytes);
	if (extents == NULL)
		return unknown_answer(build, function);
	in[0] = gpustr_build_choose(build, found, value,
								gpustr_reg(GPUSTR_KIND_TEXT,
										   gpustr_builder_const_text(b, GPUSTR_NULL, "", 0))).reg;
	build->automata_bytes += bytes;
	if (wanted.make == GPUSTR_TEXT_REGEX_SUBSTR && (extents->pass > 0 || extents->which > 1))
	{
		GpustrStep	shared = {0};

		in[0] = build_has_match(build, in[0], extents, bytes, &shared);
		out = gpustr_builder_text_function(b, wanted.make, in, NULL, 0);
		if (!b->full)
		{
			b->step[b->nsteps - 1].const_off = shared.const_off;
			b->step[b->nsteps - 1].const_bytes = shared.const_bytes;
		}
	}
	else
		out = gpustr_builder_text_function(b, wanted.make, in, extents, bytes);
	pfree(extents);
	return gpustr_reg(function->what == GPUSTR_MISS_ZERO ? GPUSTR_KIND_VALUE : GPUSTR_KIND_TEXT, out);
}

/*
 * The arguments are what they are in the list, whatever the answer is: a recheck
 * among them is one before a NULL is.
 */
static GpustrReg
build_find(GpustrBuild *build, const GpustrFunction *function, List *args, int element,
		   Oid collation)
{
	bool		replaces = function->how > 2;
	GpustrReg	replacement = {GPUSTR_KIND_TEXT, 0};
	GpustrFixed pattern;
	GpustrReg	value;
	GpustrReg	found;
	GpustrReg	hit;
	GpustrReg	answer;

	if (!gpustr_fixed(build, lsecond(args), &pattern))
		elog(ERROR, "unexpected pattern in an offloaded expression");
	if (!pattern.known)
	{
		(void) gpustr_build_unknown_test(build);
		return unknown_answer(build, function);
	}
	value = gpustr_build_expr(build, linitial(args));
	if (replaces)
		replacement = gpustr_build_expr(build, lthird(args));
	if (pattern.isnull)
	{
		found = gpustr_build_unless_recheck(build, value, GPUSTR_FALSE);
		hit = unknown_answer(build, function);
		answer = null_answer(build, function);
	}
	else
	{
		struct varlena *text = PG_DETOAST_DATUM_PACKED(pattern.value);

		found = gpustr_build_regex(build, function, find_options(function, args), collation, value,
								   text);
		hit = hit_answer(build, function, args, element, collation, text, found, value, replacement);
		answer = miss_answer(build, function, value);
	}
	answer = gpustr_build_choose(build, found, hit, answer);
	if (replaces && !(IsA(lthird(args), Const) && !((Const *) lthird(args))->constisnull))
	{
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
gpustr_build_regex_find(GpustrBuild *build, const GpustrFunction *function, List *args,
						Oid collation)
{
	return build_find(build, function, args, 0, collation);
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

	return build_find(build, gpustr_function(call->funcid), call->args, match_element(ref),
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

/* Is what it finds found by the engine, so that no row is recheck? */
static bool
is_found(const GpustrFunction *function, List *args, int element, Oid collation)
{
	Const	   *pattern = lsecond(args);
	GpustrRegexExtents *extents;
	Wanted		wanted;
	uint32		bytes;

	if (!IsA(pattern, Const) || pattern->constisnull)
		return false;
	extents = find_extents(function, args, element, collation,
						   PG_DETOAST_DATUM_PACKED(pattern->constvalue), &wanted, &bytes);
	if (extents == NULL)
		return false;
	pfree(extents);
	return true;
}

static bool
selectivity_walker(Node *node, SelectivityContext *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, SubscriptingRef))
	{
		SubscriptingRef *ref = (SubscriptingRef *) node;
		FuncExpr   *call = gpustr_regexp_match_call((Node *) ref->refexpr);

		if (call != NULL && is_found(gpustr_function(call->funcid), call->args, match_element(ref),
									 call->inputcollid))
			return selectivity_walker(linitial(call->args), context);
	}
	if (IsA(node, NullTest) && gpustr_regexp_match_call((Node *) ((NullTest *) node)->arg) != NULL)
		return false;
	if (IsA(node, FuncExpr))
	{
		FuncExpr   *call = (FuncExpr *) node;
		const GpustrFunction *function = gpustr_function(call->funcid);

		if (function != NULL && function->kind == GPUSTR_FUNCTION_REGEX_FIND &&
			!is_found(function, call->args, 0, call->inputcollid))
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
