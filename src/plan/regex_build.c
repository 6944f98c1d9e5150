/*-------------------------------------------------------------------------
 *
 * regex_build.c
 *	  Clauses with regular expressions: which are refused, and their steps.
 *
 * A pattern that is known when the query is planned is compiled then, so that
 * EXPLAIN can say why it is not offloaded.  An invalid one raises no error there:
 * PostgreSQL raises it when a row comes to it, and not if none does.
 *
 * A late pattern is taken to be one that can be offloaded.  If it is not, all rows
 * are recheck.
 *
 * IDENTIFICATION
 *	  src/plan/regex_build.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "guc.h"
#include "plan/literal_share.h"
#include "plan/regex_build.h"
#include "plan/regex_cache.h"
#include "plan/regex_extents.h"
#include "plan/regex_literal.h"
#include "plan/regex_nfa.h"
#include "service/client.h"

/* Bytes of a literal that is looked for first. */
#define FEWEST_LITERAL_BYTES 3

/*
 * The largest share of values with a literal for which it is looked for first: the
 * search takes a third of the automaton's time in the local engine, and then the automaton
 * runs over these values, too (test/bench/NOTES.md).
 */
#define MOST_WITH_LITERAL 0.6

/* States up to which a device's automata are nearly as fast as the search. */
#define FAST_STATES 200

bool
gpustr_regex_call_flags(const GpustrFunction *function, const Const *options, int *cflags)
{
	struct varlena *text;

	*cflags = gpustr_regex_operator_flags((function->flags & GPUSTR_FLAG_FOLDED) != 0);
	if (options == NULL)
		return true;
	text = PG_DETOAST_DATUM_PACKED(options->constvalue);

	return gpustr_regex_option_flags(VARDATA_ANY(text), VARSIZE_ANY_EXHDR(text), cflags);
}

static const char *
refusal_of(struct varlena *pattern, int cflags, Oid collation)
{
	return gpustr_regex_refusal(VARDATA_ANY(pattern), VARSIZE_ANY_EXHDR(pattern), cflags, collation);
}

const char *
gpustr_regex_call_refusal(const GpustrFunction *function, List *args, Oid collation)
{
	Const	   *pattern = lsecond(args);
	Const	   *options = list_length(args) > 2 ? lthird(args) : NULL;
	int			cflags;

	if (options != NULL && (!IsA(options, Const) || options->constisnull))
		return "the options are not a constant";
	if (!gpustr_regex_call_flags(function, options, &cflags))
		return "the options are invalid";
	if (!IsA(pattern, Const) || pattern->constisnull)
		return NULL;
	return refusal_of(PG_DETOAST_DATUM_PACKED(pattern->constvalue), cflags, collation);
}

const char *
gpustr_regex_array_refusal(const GpustrFunction *function, ArrayType *patterns, Oid collation)
{
	const char *reason = NULL;
	Datum	   *values;
	bool	   *nulls;
	int			cflags;
	int			n;
	int			i;

	(void) gpustr_regex_call_flags(function, NULL, &cflags);

	/* elements may be of type varchar, relabelled */
	deconstruct_array(patterns, ARR_ELEMTYPE(patterns), -1, false, TYPALIGN_INT, &values, &nulls, &n);
	for (i = 0; i < n && reason == NULL; i++)
	{
		if (!nulls[i])
			reason = refusal_of(PG_DETOAST_DATUM_PACKED(values[i]), cflags, collation);
	}
	return reason;
}

/* The pattern '%literal%'; returns its bytes. */
static int
literal_pattern(const GpustrRegex *regex, char *pattern)
{
	int			n = 0;
	int			i;

	pattern[n++] = '%';
	for (i = 0; i < regex->literal_bytes; i++)
	{
		if (regex->literal[i] == '%' || regex->literal[i] == '_' || regex->literal[i] == '\\')
			pattern[n++] = '\\';
		pattern[n++] = regex->literal[i];
	}
	pattern[n++] = '%';
	return n;
}

/* Is a pattern of LIKE true for most values of the column that a register holds? */
static bool
is_frequent(const GpustrBuild *build, GpustrReg text, const char *pattern, int bytes)
{
	int			i;

	for (i = 0; i < build->nmade; i++)
	{
		const GpustrMadeReg *made = &build->made[i];

		if (made->made == GPUSTR_MADE_COLUMN && made->reg.kind == GPUSTR_KIND_TEXT &&
			made->reg.reg == text.reg)
			return gpustr_literal_share(build->relation, (AttrNumber) made->of, pattern, bytes) > MOST_WITH_LITERAL;
	}
	return false;
}

bool
gpustr_literal_may_come_first(const GpustrRegex *regex)
{
	if (regex->literal_bytes < FEWEST_LITERAL_BYTES)
		return false;
	return regex->dfa->nstates > FAST_STATES || regex->accepted == GPUSTR_RECHECK ||
		gpustr_engine_choice() != GPUSTR_RUN_DEVICE;
}

/* May it, and is it worth its while here?  What is accepted and not exact costs most. */
static bool
literal_comes_first(const GpustrBuild *build, GpustrReg text, const GpustrRegex *regex,
					const char *pattern, int bytes)
{
	return gpustr_literal_may_come_first(regex) &&
		(regex->accepted == GPUSTR_RECHECK || !is_frequent(build, text, pattern, bytes));
}

GpustrReg
gpustr_build_automaton(GpustrBuild *build, GpustrReg text, const GpustrRegex *regex)
{
	GpustrProgramBuilder *b = &build->builder;
	char		like[2 * GPUSTR_MAX_REGEX_LITERAL + 2];
	int			like_bytes = literal_pattern(regex, like);

	build->automata_bytes += regex->bytes;
	if (literal_comes_first(build, text, regex, like, like_bytes))
	{
		uint16_t	where = gpustr_builder_like(b, text.reg, like, like_bytes);

		return gpustr_reg(GPUSTR_KIND_BOOL,
						  gpustr_builder_dfa_where(b, text.reg, where, regex->dfa, regex->bytes,
												   regex->accepted));
	}
	return gpustr_reg(GPUSTR_KIND_BOOL, gpustr_builder_dfa(b, text.reg, regex->dfa, regex->bytes,
														   regex->accepted));
}

GpustrReg
gpustr_build_regex(GpustrBuild *build, const GpustrFunction *function, const Const *options,
				   Oid collation, GpustrReg text, struct varlena *pattern)
{
	const GpustrRegex *regex;
	GpustrReg	reg;
	int			cflags;

	if (!gpustr_regex_call_flags(function, options, &cflags))
		elog(ERROR, "unexpected options in an offloaded clause");
	if (build->builder.full)
		return gpustr_build_truth(build, GPUSTR_RECHECK);
	regex = gpustr_regex(VARDATA_ANY(pattern), VARSIZE_ANY_EXHDR(pattern), cflags, collation);
	if (regex->refusal != NULL)
		return gpustr_build_truth(build, GPUSTR_RECHECK);
	reg = gpustr_build_automaton(build, text, regex);
	return function->flags & GPUSTR_FLAG_NEGATED ? gpustr_build_not(build, reg) : reg;
}

/* Both automata together have the room of one. */
const GpustrRegexExtents *
gpustr_regex_call_extents(const GpustrFunction *function, const Const *options, bool captures,
						  Oid collation, struct varlena *pattern, uint32 *bytes)
{
	Size		max_bytes = (Size) gpustr_max_automaton_size * 1024;
	const char *s = VARDATA_ANY(pattern);
	int			len = VARSIZE_ANY_EXHDR(pattern);
	const GpustrRegex *regex;
	int			cflags;

	if (!gpustr_regex_call_flags(function, options, &cflags))
		return NULL;
	regex = gpustr_regex(s, len, cflags, collation);
	if (regex->refusal != NULL || regex->accepted == GPUSTR_RECHECK || regex->bytes >= max_bytes)
		return NULL;
	return gpustr_regex_extents(s, len, cflags, collation, captures, max_bytes - regex->bytes, bytes);
}

GpustrReg
gpustr_build_regexp_like(GpustrBuild *build, const GpustrFunction *function, List *args,
						 Oid collation)
{
	GpustrFixed fixed;
	GpustrReg	left;

	if (!gpustr_fixed(build, lsecond(args), &fixed))
		elog(ERROR, "unexpected pattern in an offloaded clause");
	if (!fixed.known)
		return gpustr_build_unknown_test(build);
	left = gpustr_build_expr(build, linitial(args));
	if (fixed.isnull)
		return gpustr_build_unless_recheck(build, left, GPUSTR_NULL);
	return gpustr_build_regex(build, function, castNode(Const, lthird(args)), collation, left,
							  PG_DETOAST_DATUM_PACKED(fixed.value));
}
