/*-------------------------------------------------------------------------
 *
 * text_build.c
 *	  Calls of functions of texts as steps of a program.
 *
 * A call's arguments are those of the function's shape (text_function.h), in that
 * order, but for what GPUSTR_HOW_ says.  What a function needs beside them, such as
 * the case map of its collation, is the step's constant; steps that need the same
 * one share it.
 *
 * Some calls are made of several steps: concat() and concat_ws(), which leave out
 * what is NULL; overlay(); the casts of a text to boolean, varchar(n), char(n);
 * starts_with() with a prefix that each row brings along.
 *
 * A date or timestamp as text depends on DateStyle, a float on extra_float_digits, which
 * may be another one when a plan is used again: then it is recheck; or while a scan
 * runs: see scan_backward.c.
 *
 * IDENTIFICATION
 *	  src/plan/text_build.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgroids.h"

#include "plan/case_probe.h"
#include "plan/pii_build.h"
#include "plan/regex_find.h"
#include "plan/text_build.h"

bool
gpustr_is_text_call(const GpustrFunction *function)
{
	return function->kind == GPUSTR_FUNCTION_TEXT ||
		function->kind == GPUSTR_FUNCTION_CONCAT ||
		function->kind == GPUSTR_FUNCTION_TEXT_BOOL ||
		function->kind == GPUSTR_FUNCTION_REGEX_FIND ||
		function->kind == GPUSTR_FUNCTION_PII ||
		function->kind == GPUSTR_FUNCTION_TYPMOD ||
		function->kind == GPUSTR_FUNCTION_OVERLAY ||
		function->kind == GPUSTR_FUNCTION_ENCODE;
}

/* A string literal for which there was no type to take on. */
static bool
is_untyped(Node *arg)
{
	return IsA(arg, Const) && ((Const *) arg)->consttype == UNKNOWNOID;
}

List *
gpustr_typed_args(List *args)
{
	List	   *typed = NIL;
	ListCell   *lc;

	foreach(lc, args)
	{
		if (!is_untyped(lfirst(lc)))
			typed = lappend(typed, lfirst(lc));
	}
	return typed;
}

/* Why can concat() not show a value of this type? */
static const char *
shown_refusal(Oid type)
{
	const GpustrType *known = gpustr_type(type);

	if (known != NULL && (gpustr_io_cast(type, TEXTOID) != NULL || known->type == TEXTOID ||
						  known->type == VARCHAROID || known->type == BPCHAROID ||
						  known->type == NAMEOID))
		return NULL;
	return psprintf("type %s as text is not supported", format_type_be(type));
}

/* The GPUSTR_SHOWS_ of a cast, which may be NULL. */
static int
cast_shows(const GpustrFunction *cast)
{
	if (cast == NULL || cast->kind != GPUSTR_FUNCTION_TEXT)
		return 0;
	switch (cast->what)
	{
		case GPUSTR_TEXT_FROM_DATE:
		case GPUSTR_TEXT_FROM_TIMESTAMP:
			return GPUSTR_SHOWS_DATES;
		case GPUSTR_TEXT_FROM_FLOAT4:
		case GPUSTR_TEXT_FROM_FLOAT8:
			return GPUSTR_SHOWS_FLOATS;
		default:
			return 0;
	}
}

static bool
shows_walker(Node *node, int *shows)
{
	ListCell   *lc;

	if (node == NULL)
		return false;
	if (IsA(node, CoerceViaIO))
		*shows |= cast_shows(gpustr_io_cast(exprType((Node *) ((CoerceViaIO *) node)->arg),
											((CoerceViaIO *) node)->resulttype));
	else if (IsA(node, FuncExpr) && (((FuncExpr *) node)->funcid == F_CONCAT ||
									 ((FuncExpr *) node)->funcid == F_CONCAT_WS))
	{
		foreach(lc, ((FuncExpr *) node)->args)
			* shows |= cast_shows(gpustr_io_cast(exprType(lfirst(lc)), TEXTOID));
	}
	return expression_tree_walker(node, shows_walker, shows);
}

int
gpustr_shows(Node *expr)
{
	int			shows = 0;

	(void) shows_walker(expr, &shows);
	return shows;
}

const char *
gpustr_shows_refusal(int shows)
{
	if ((shows & GPUSTR_SHOWS_DATES) && DateStyle != USE_ISO_DATES)
		return "\"DateStyle\" is not ISO";
	if ((shows & GPUSTR_SHOWS_FLOATS) && extra_float_digits < 1)
		return "\"extra_float_digits\" is less than 1";
	return NULL;
}

/* Is it a constant, not NULL? */
static bool
is_given(Node *arg)
{
	return IsA(arg, Const) && !((Const *) arg)->constisnull;
}

/* Is the format of encode() hexadecimal? */
static bool
is_hex(Node *format)
{
	return is_given(format) && pg_strcasecmp(TextDatumGetCString(((Const *) format)->constvalue), "hex") == 0;
}

const char *
gpustr_text_call_refusal(const GpustrFunction *function, List *args, Oid collation)
{
	int			omitted = (function->how & (GPUSTR_HOW_BLANK | GPUSTR_HOW_ONE)) != 0;
	const char *reason = NULL;
	ListCell   *lc;

	if (function->kind == GPUSTR_FUNCTION_CONCAT)
	{
		foreach(lc, gpustr_typed_args(args))
		{
			Oid			type = exprType(lfirst(lc));
			const GpustrFunction *cast = gpustr_io_cast(type, TEXTOID);

			if (reason == NULL)
				reason = shown_refusal(type);
			if (reason == NULL && cast != NULL)
				reason = gpustr_text_call_refusal(cast, list_make1(lfirst(lc)), InvalidOid);
		}
		return reason;
	}
	if (function->kind == GPUSTR_FUNCTION_TYPMOD)
		return is_given(lsecond(args)) && is_given(lthird(args)) &&
			DatumGetBool(((Const *) lthird(args))->constvalue) ? NULL : "the cast is not an explicit one";
	if (function->kind == GPUSTR_FUNCTION_ENCODE)
		return is_hex(lsecond(args)) ? NULL : "the format is not the constant 'hex'";
	if (function->kind != GPUSTR_FUNCTION_TEXT)
		return NULL;
	if (list_length(args) + omitted != (int) strlen(gpustr_text_function_shape(function->what)))
		elog(ERROR, "unexpected number of arguments of text function %d", function->what);
	if (function->what == GPUSTR_TEXT_INITCAP)
		return gpustr_initcap_refusal(collation);
	return gpustr_shows_refusal(cast_shows(function));
}

static GpustrReg
text_reg(uint16_t number)
{
	return gpustr_reg(GPUSTR_KIND_TEXT, number);
}

static GpustrReg
const_text(GpustrBuild *build, GpustrTruth state, const char *value)
{
	return text_reg(gpustr_builder_const_text(&build->builder, state, value, strlen(value)));
}

/* The register of an argument that the call has; letter: T or V. */
static uint16_t
build_argument(GpustrBuild *build, Node *arg, char letter)
{
	GpustrReg	reg = gpustr_build_expr(build, arg);

	if ((letter == 'T') != (reg.kind == GPUSTR_KIND_TEXT))
		elog(ERROR, "unexpected type of an argument of an offloaded function");
	if (reg.kind == GPUSTR_KIND_BOOL)
		return gpustr_builder_bool_value(&build->builder, reg.reg);
	return reg.reg;
}

/* The register of the argument that the call leaves out. */
static uint16_t
build_omitted(GpustrBuild *build, const GpustrFunction *function)
{
	if (function->how & GPUSTR_HOW_ONE)
		return gpustr_builder_const_value(&build->builder, GPUSTR_FALSE, 1);
	return const_text(build, GPUSTR_FALSE, " ").reg;
}

/* What the function needs beside its arguments; NULL: nothing. */
static const void *
text_constant(GpustrBuild *build, const GpustrFunction *function, Oid collation, uint32_t *bytes)
{
	bool		planning = build->late == NULL;

	*bytes = 0;
	switch (function->what)
	{
		case GPUSTR_TEXT_UPPER:
			return gpustr_case_map(collation, GPUSTR_CASE_UPPER, planning, bytes);
		case GPUSTR_TEXT_LOWER:
			return gpustr_case_map(collation, GPUSTR_CASE_LOWER, planning, bytes);
		case GPUSTR_TEXT_INITCAP:
			return gpustr_initcap_maps(collation, planning, bytes);
		default:
			return NULL;
	}
}

/* A step of the same function with the same constant; NULL: there is none. */
static const GpustrStep *
find_constant(const GpustrProgramBuilder *b, const GpustrFunction *function,
			  const void *constant, uint32_t bytes)
{
	int			i;

	for (i = 0; bytes > 0 && i < b->nsteps; i++)
	{
		const GpustrStep *step = &b->step[i];

		if (step->op == GPUSTR_OP_TEXT_MAKE && step->aux == function->what &&
			step->const_bytes == bytes && memcmp(b->area + step->const_off, constant, bytes) == 0)
			return step;
	}
	return NULL;
}

/* The step of a GPUSTR_FUNCTION_TEXT. */
static GpustrReg
build_function(GpustrBuild *build, const GpustrFunction *function, List *args, Oid collation)
{
	GpustrProgramBuilder *b = &build->builder;
	GpustrTextFunction number = (GpustrTextFunction) function->what;
	const char *shape = gpustr_text_function_shape(number);
	uint16_t	in[3] = {0, 0, 0};
	const void *constant;
	const GpustrStep *shared;
	uint32_t	bytes;
	uint16_t	out;
	int			i;

	if (gpustr_shows_refusal(cast_shows(function)) != NULL)
		return const_text(build, GPUSTR_RECHECK, "");
	for (i = 0; shape[i] != '\0'; i++)
		in[i] = i < list_length(args) ? build_argument(build, list_nth(args, i), shape[i]) :
			build_omitted(build, function);
	constant = text_constant(build, function, collation, &bytes);
	shared = find_constant(b, function, constant, bytes);
	if (shared != NULL)
	{
		out = gpustr_builder_text_function(b, number, in, NULL, 0);
		if (!b->full)
		{
			b->step[b->nsteps - 1].const_off = shared->const_off;
			b->step[b->nsteps - 1].const_bytes = bytes;
		}
	}
	else
		out = gpustr_builder_text_function(b, number, in, constant, bytes);
	if (function->how & GPUSTR_HOW_BYTES)
		gpustr_builder_of_bytes(b);
	if (number <= GPUSTR_TEXT_MAKE_LAST)
		return text_reg(out);
	if (function->how & GPUSTR_HOW_TRUTH)
		return gpustr_reg(GPUSTR_KIND_BOOL, gpustr_builder_test(b, GPUSTR_OP_VALUE_TRUE, out));
	return gpustr_reg(GPUSTR_KIND_VALUE, out);
}

static GpustrReg
build_join(GpustrBuild *build, GpustrReg left, GpustrReg right)
{
	uint16_t	in[2] = {left.reg, right.reg};

	return text_reg(gpustr_builder_text_function(&build->builder, GPUSTR_TEXT_CONCAT, in, NULL, 0));
}

static GpustrReg
build_or(GpustrBuild *build, GpustrReg left, GpustrReg right)
{
	return gpustr_reg(GPUSTR_KIND_BOOL,
					  gpustr_builder_binary(&build->builder, GPUSTR_OP_OR, left.reg, right.reg));
}

/* A value as concat() shows it. */
static GpustrReg
build_shown(GpustrBuild *build, Node *arg)
{
	const GpustrFunction *cast = gpustr_io_cast(exprType(arg), TEXTOID);

	if (is_untyped(arg))
		return ((Const *) arg)->constisnull ? const_text(build, GPUSTR_NULL, "") :
			const_text(build, GPUSTR_FALSE, DatumGetCString(((Const *) arg)->constvalue));
	return cast != NULL ? build_function(build, cast, list_make1(arg), InvalidOid) :
		gpustr_build_expr(build, arg);
}

static bool
is_null_const(Node *arg)
{
	return IsA(arg, Const) && ((Const *) arg)->constisnull;
}

/* A text, and an empty one where it is NULL. */
static GpustrReg
build_or_empty(GpustrBuild *build, Node *arg, GpustrReg text, GpustrReg empty)
{
	if (IsA(arg, Const))
		return text;

	return gpustr_build_choose(build, gpustr_build_is_null(build, text), empty, text);
}

static GpustrReg
build_concat(GpustrBuild *build, List *args)
{
	GpustrReg	empty = const_text(build, GPUSTR_FALSE, "");
	GpustrReg	joined = empty;
	bool		first = true;
	ListCell   *lc;

	foreach(lc, args)
	{
		Node	   *arg = lfirst(lc);
		GpustrReg text;

		if (is_null_const(arg))
			continue;
		text = build_or_empty(build, arg, build_shown(build, arg), empty);
		joined = first ? text : build_join(build, joined, text);

		first = false;
	}
	return joined;
}

/*
 * concat_ws(): 'joined' are the arguments so far that are not NULL, 'some' whether
 * there is one; it is not needed once an argument is a constant, 'sure'.  NULL if
 * the separator is, but recheck if an argument is: PostgreSQL has evaluated that.
 */
static GpustrReg
build_concat_ws(GpustrBuild *build, List *args)
{
	GpustrReg	separator = build_shown(build, linitial(args));
	GpustrReg	empty = const_text(build, GPUSTR_FALSE, "");
	GpustrReg	joined = empty;
	GpustrReg	some = {GPUSTR_KIND_BOOL, 0};
	bool		first = true;
	bool		sure = false;
	ListCell   *lc;

	for_each_from(lc, args, 1)
	{
		Node	   *arg = lfirst(lc);
		bool		constant = IsA(arg, Const);
		GpustrReg text;
		GpustrReg	none;
		GpustrReg	longer;

		if (is_null_const(arg))
			continue;
		text = build_shown(build, arg);

		none = constant ? gpustr_build_truth(build, GPUSTR_FALSE) : gpustr_build_is_null(build, text);
		if (first)
			joined = build_or_empty(build, arg, text, empty);
		else
		{
			longer = build_join(build, build_join(build, joined, separator), text);
			if (!sure)
				longer = gpustr_build_choose(build, some, longer, text);
			joined = constant ? longer : gpustr_build_choose(build, none, joined, longer);
		}
		sure = sure || constant;
		if (!sure)
		{
			GpustrReg	one = gpustr_build_not(build, none);

			some = first ? one : build_or(build, some, one);
		}
		first = false;
	}
	if (is_given(linitial(args)))
		return joined;
	return gpustr_build_choose(build,
							   build_or(build, gpustr_build_is_null(build, joined),
										gpustr_build_is_null(build, separator)),
							   const_text(build, GPUSTR_NULL, ""), joined);
}

/*
 * The cast of a text to boolean: the usual spellings.  PostgreSQL takes others, too,
 * and raises an error for the rest.
 */
static GpustrReg
build_text_bool(GpustrBuild *build, Node *arg)
{
	static const char *const yes[] = {
		"1", "ON", "On", "T", "TRUE", "True", "Y", "YES", "Yes", "on", "t", "true", "y", "yes"
	};
	static const char *const no[] = {
		"0", "F", "FALSE", "False", "N", "NO", "No", "OFF", "Off", "f", "false", "n", "no", "off"
	};
	int32_t		bytes[lengthof(yes)];
	GpustrReg text = gpustr_build_expr(build, arg);
	GpustrReg	is_yes;
	GpustrReg	is_no;
	GpustrReg	unknown;
	int			i;

	StaticAssertStmt(lengthof(yes) == lengthof(no), "one array for the lengths of both");
	for (i = 0; i < lengthof(yes); i++)
		bytes[i] = strlen(yes[i]);
	is_yes = gpustr_reg(GPUSTR_KIND_BOOL,
						gpustr_builder_in_text(&build->builder, text.reg, lengthof(yes), yes, bytes, 0));
	for (i = 0; i < lengthof(no); i++)
		bytes[i] = strlen(no[i]);
	is_no = gpustr_reg(GPUSTR_KIND_BOOL,
					   gpustr_builder_in_text(&build->builder, text.reg, lengthof(no), no, bytes, 0));
	unknown = gpustr_build_choose(build, gpustr_build_is_null(build, text),
								  gpustr_build_truth(build, GPUSTR_NULL),
								  gpustr_build_truth(build, GPUSTR_RECHECK));
	return gpustr_build_choose(build, is_yes, gpustr_build_truth(build, GPUSTR_TRUE),
							   gpustr_build_choose(build, is_no, gpustr_build_truth(build, GPUSTR_FALSE),
												   unknown));
}

/* An explicit cast to varchar(n) cuts a text off, one to char(n) fills it up, too. */
static GpustrReg
build_typmod(GpustrBuild *build, const GpustrFunction *function, List *args)
{
	GpustrProgramBuilder *b = &build->builder;
	int32		typmod = DatumGetInt32(((Const *) lsecond(args))->constvalue);
	uint16_t	in[3] = {gpustr_build_expr(build, linitial(args)).reg, 0, 0};

	if (typmod < (int32) VARHDRSZ)
		return text_reg(in[0]);
	in[1] = gpustr_builder_const_value(b, GPUSTR_FALSE, typmod - (int32) VARHDRSZ);
	if (function->what == 0)
		return text_reg(gpustr_builder_text_function(b, GPUSTR_TEXT_LEFT, in, NULL, 0));
	in[2] = const_text(build, GPUSTR_FALSE, " ").reg;
	return text_reg(gpustr_builder_text_function(b, GPUSTR_TEXT_RPAD, in, NULL, 0));
}

/* A part of a text, from one value on; 'count' of it, if that is not -1. */
static uint16_t
build_part(GpustrBuild *build, bool bytes, uint16_t text, uint16_t from, int count)
{
	uint16_t	in[3] = {0, 0, 0};
	uint16_t	out;

	in[0] = text;

	in[1] = from;
	in[2] = (uint16_t) count;
	out = gpustr_builder_text_function(&build->builder,
									   count < 0 ? GPUSTR_TEXT_SUBSTR_FROM : GPUSTR_TEXT_SUBSTR,
									   in, NULL, 0);
	if (bytes)
		gpustr_builder_of_bytes(&build->builder);
	return out;
}

/*
 * overlay(text, new, from [, count]): what is before 'from', the new text, and what
 * is behind as much of the old one as the new one has, or 'count'.  As in
 * PostgreSQL: from < 1 asks for a part of negative length, and from + count may not
 * overflow.
 */
static GpustrReg
build_overlay(GpustrBuild *build, const GpustrFunction *function, List *args)
{
	GpustrProgramBuilder *b = &build->builder;
	bool		bytes = (function->how & GPUSTR_HOW_BYTES) != 0;
	uint16_t text = build_argument(build, linitial(args), 'T');
	uint16_t	fresh = build_argument(build, lsecond(args), 'T');
	uint16_t	from = build_argument(build, lthird(args), 'V');
	uint16_t	one = gpustr_builder_const_value(b, GPUSTR_FALSE, 1);
	uint16_t	before;
	uint16_t	count;
	uint16_t	after;

	before = build_part(build, bytes, text, one,
						gpustr_builder_arith(b, GPUSTR_ARITH_SUB, GPUSTR_VALUE_INT4, from, one));
	count = list_length(args) > 3 ? build_argument(build, lfourth(args), 'V') :
		gpustr_builder_length(b, fresh, bytes);
	after = build_part(build, bytes, text,
					   gpustr_builder_arith(b, GPUSTR_ARITH_ADD, GPUSTR_VALUE_INT4, from, count), -1);
	return build_join(build, build_join(build, text_reg(before), text_reg(fresh)), text_reg(after));
}

/* encode(bytes, 'hex') */
static GpustrReg
build_encode(GpustrBuild *build, List *args)
{
	uint16_t	in[1];

	in[0] = build_argument(build, linitial(args), 'T');
	return text_reg(gpustr_builder_text_function(&build->builder, GPUSTR_TEXT_HEX, in, NULL, 0));
}

GpustrReg
gpustr_build_text_call(GpustrBuild *build, const GpustrFunction *function, List *args,
					   Oid collation)
{
	if (function->kind == GPUSTR_FUNCTION_TEXT_BOOL)
		return build_text_bool(build, linitial(args));
	if (function->kind == GPUSTR_FUNCTION_REGEX_FIND)
		return gpustr_build_regex_find(build, function, args, collation);
	if (function->kind == GPUSTR_FUNCTION_PII)
		return gpustr_build_pii(build, args);
	if (function->kind == GPUSTR_FUNCTION_TYPMOD)
		return build_typmod(build, function, args);
	if (function->kind == GPUSTR_FUNCTION_OVERLAY)
		return build_overlay(build, function, args);
	if (function->kind == GPUSTR_FUNCTION_ENCODE)
		return build_encode(build, args);
	if (function->kind == GPUSTR_FUNCTION_CONCAT)
		return function->what == 1 ? build_concat_ws(build, args) : build_concat(build, args);
	return build_function(build, function, args, collation);
}

/* It starts with the prefix if that is found at position 1. */
GpustrReg
gpustr_build_starts_with(GpustrBuild *build, Node *text, Node *prefix)
{
	GpustrProgramBuilder *b = &build->builder;
	uint16_t	in[2];

	in[0] = build_argument(build, text, 'T');
	in[1] = build_argument(build, prefix, 'T');
	return gpustr_reg(GPUSTR_KIND_BOOL,
					  gpustr_builder_compare(b, GPUSTR_OP_COMPARE_VALUE, GPUSTR_REL_EQ, GPUSTR_ORDER_INT,
											 gpustr_builder_text_function(b, GPUSTR_TEXT_POSITION, in, NULL, 0),
											 gpustr_builder_const_value(b, GPUSTR_FALSE, 1)));
}
