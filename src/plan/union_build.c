/*-------------------------------------------------------------------------
 *
 * union_build.c
 *	  Several tests of one text, as one automaton.
 *
 * Regular expressions and LIKE patterns that are joined by AND, OR and NOT over one
 * text can be decided by one automaton that reads the text once, and that ends as
 * soon as the truth of all is known (dfa_join.c).
 *
 * Joined are only tests of which the automaton can always tell: no lookaround, no
 * back-references, no classes that were cut short, no pattern that ends with an escape, no
 * ILIKE under a collation of which not all is known.  They are true or false for every
 * text that there is, NULL or recheck for none but the text's sake, and then all of
 * them are.  So it does not matter in which order they are evaluated, nor whether a list of
 * clauses stops at NULL.  Neighbours only: one that may be recheck keeps its place.
 *
 * A joined automaton may be much larger than all of them, and it reads what a search
 * for a literal skips.  So of all beginnings of the list the one is taken that saves most, by
 * an estimate of the bytes that each step looks at: an automaton is run over a sample.
 * To make them takes time, so nothing more is joined in a program for which they have
 * become many bytes; what would be too large takes most.
 *
 * Automata are kept with those of regular expressions, by a key that says what they are
 * of: all that is joined here is made once.
 *
 * IDENTIFICATION
 *	  src/plan/union_build.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/float.h"

#include "compat.h"
#include "guc.h"
#include "plan/fold_probe.h"
#include "plan/like_dfa.h"
#include "plan/regex_build.h"
#include "plan/several_build.h"
#include "plan/union_build.h"
#include "program/dfa_join.h"
#include "service/client.h"
#include "sqlfn/contains_any.h"

/*
 * What a byte costs that a step reads, in the session's own engine: the search for
 * a literal is 1.  An automaton whose rows do not fit the fastest cache takes longer.
 */
#define SEARCH_COST 1.0
#define LOCAL_DFA_COST 8.0
#define LOCAL_DFA_FAST_BYTES (32 * 1024)

/*
 * On a device, a LIKE and an automaton read a row from its memory, and that is what both
 * take; but an automaton that does not fit a multiprocessor's.
 */
#define DEVICE_DFA_COST 1.0
#define DEVICE_DFA_FAST_BYTES (64 * 1024)

#define LARGE_DFA_FACTOR 2.0

/*
 * Bytes of all automata that are tried for one program, in those of the largest that there
 * may be.  And what one counts that would be larger, alike: that takes 40 ms for 256 kB.
 */
#define MOST_TRIED 8
#define TOO_LARGE_COUNTS 4

/* Rows that have the literal that is looked for before an automaton runs. */
#define LITERAL_ROWS 0.125

typedef enum TestKind
{
	TEST_REGEX,
	TEST_LIKE,
	TEST_NOT,					/* of left */
	TEST_AND,					/* of left and right */
	TEST_OR
} TestKind;

/* One test, or several joined. */
typedef struct Test
{
	TestKind	kind;
	struct varlena *pattern;
	int			cflags;			/* of a regular expression */
	Oid			collation;
	const GpustrFold *fold;		/* of ILIKE */
	const struct Test *left;
	const struct Test *right;
	int			ntests;
	GpustrLiteralUse literal;	/* could it be one of many literals? */
	StringInfoData key;
} Test;

/* Makes of a GpustrDfa what is kept. */
static void
set_automaton(GpustrRegex *regex, const GpustrDfa *dfa, uint32 bytes)
{
	regex->dfa = dfa;
	regex->bytes = bytes;
	if (dfa == NULL)
		regex->refusal = "the automaton would be too large";
}

static const GpustrRegex *automaton_of(const Test *test);

/* The automaton of a part, copied to the current context; NULL: none that can tell. */
static const GpustrRegex *
copy_of_part(const Test *test)
{
	const GpustrRegex *kept = automaton_of(test);
	GpustrRegex *copy;

	if (kept->refusal != NULL || kept->accepted != GPUSTR_TRUE || !gpustr_dfa_is_exact(kept->dfa))
		return NULL;
	copy = palloc_object(GpustrRegex);
	*copy = *kept;
	copy->dfa = memcpy(palloc_extended(kept->bytes, MCXT_ALLOC_HUGE), kept->dfa, kept->bytes);
	if (kept->literal != NULL)
		copy->literal = memcpy(palloc(kept->literal_bytes), kept->literal, kept->literal_bytes);
	return copy;
}

/* A GpustrMakeAutomaton. */
static void
make_automaton(const void *arg, GpustrRegex *regex)
{
	const Test *test = arg;
	GpustrRegexWork work = {gpustr_automaton_work(), (Size) gpustr_max_automaton_size * 1024};
	const GpustrRegex *left;
	const GpustrRegex *right;
	GpustrDfa  *dfa = NULL;
	uint32		bytes = 0;

	if (test->kind == TEST_LIKE)
	{
		const char *pattern = VARDATA_ANY(test->pattern);
		int			n = VARSIZE_ANY_EXHDR(test->pattern);

		dfa = gpustr_like_dfa(pattern, n, test->fold, &work, &bytes);
		set_automaton(regex, dfa, bytes);
		if (dfa != NULL && test->fold == NULL)
			regex->literal = gpustr_like_literal(pattern, n, &regex->literal_bytes);
		return;
	}
	left = copy_of_part(test->left);
	if (left != NULL && test->kind == TEST_NOT)
		dfa = gpustr_dfa_not(left->dfa, bytes = left->bytes, &gpustr_palloc_trie_memory);
	right = left != NULL && test->kind != TEST_NOT ? copy_of_part(test->right) : NULL;
	if (right != NULL)
		dfa = gpustr_dfa_join(left->dfa, right->dfa, test->kind == TEST_OR,
							  GetDatabaseEncoding() == PG_UTF8, work.max_bytes, &work.left,
							  &gpustr_palloc_trie_memory, &bytes);
	set_automaton(regex, dfa, bytes);

	/* what both accept has what each of them needs */
	if (dfa == NULL || test->kind != TEST_AND)
		return;
	if (left->literal_bytes < right->literal_bytes)
		left = right;
	regex->literal = left->literal;
	regex->literal_bytes = left->literal_bytes;
}

/* Of use until the next call. */
static const GpustrRegex *
automaton_of(const Test *test)
{
	if (test->kind == TEST_REGEX)
		return gpustr_regex(VARDATA_ANY(test->pattern), VARSIZE_ANY_EXHDR(test->pattern),
							test->cflags, test->collation);
	return gpustr_kept_automaton(test->key.data, test->key.len, make_automaton, test);
}

static Test *
new_test(TestKind kind, const Test *left, const Test *right)
{
	Test	   *test = palloc0_object(Test);

	test->kind = kind;
	test->left = left;
	test->right = right;
	test->ntests = (left ? left->ntests : 1) + (right ? right->ntests : 0);
	initStringInfo(&test->key);
	appendStringInfoChar(&test->key, (char) ('0' + kind));
	if (left != NULL)
		appendBinaryStringInfo(&test->key, left->key.data, left->key.len);
	if (right != NULL)
		appendBinaryStringInfo(&test->key, right->key.data, right->key.len);
	return test;
}

/* A test of a function for a pattern; NULL: it has no automaton that can always tell. */
static const Test *
test_of(const GpustrFunction *function, const Const *options, Oid collation,
		const GpustrFixed *pattern)
{
	bool		folded = (function->flags & GPUSTR_FLAG_FOLDED) != 0;
	bool		negated = (function->flags & GPUSTR_FLAG_NEGATED) != 0;
	TestKind	kind = function->kind == GPUSTR_FUNCTION_REGEX ? TEST_REGEX : TEST_LIKE;
	Test	   *test;
	int			bytes;

	if (!pattern->known || pattern->isnull ||
		(function->kind != GPUSTR_FUNCTION_REGEX && function->kind != GPUSTR_FUNCTION_LIKE &&
		 function->kind != GPUSTR_FUNCTION_STARTS_WITH))
		return NULL;
	test = new_test(kind, NULL, NULL);
	test->pattern = PG_DETOAST_DATUM_PACKED(pattern->value);
	test->collation = collation;
	if (kind == TEST_REGEX && !gpustr_regex_call_flags(function, options, &test->cflags))
		return NULL;
	if (function->kind == GPUSTR_FUNCTION_STARTS_WITH)
		test->pattern = gpustr_like_escape_prefix(test->pattern);
	if (kind == TEST_LIKE && folded)
	{
		test->fold = gpustr_fold_for_collation(collation);
		if (test->fold == NULL || !gpustr_fold_is_exact(test->fold))
			return NULL;
		test->pattern = gpustr_fold_pattern(test->pattern, collation);
	}

	/* LIKE is the same under all collations */
	if (kind == TEST_REGEX || folded)
		appendBinaryStringInfo(&test->key, (char *) &collation, sizeof(collation));
	appendStringInfoChar(&test->key, folded ? 'f' : '=');
	appendBinaryStringInfo(&test->key, (char *) &test->cflags, sizeof(test->cflags));
	bytes = VARSIZE_ANY_EXHDR(test->pattern);
	if (bytes > (Size) gpustr_max_automaton_size * 1024)
		return NULL;
	appendBinaryStringInfo(&test->key, (char *) &bytes, sizeof(bytes));
	appendBinaryStringInfo(&test->key, VARDATA_ANY(test->pattern), bytes);
	if (negated)
		test = new_test(TEST_NOT, test, NULL);
	test->literal = gpustr_literal_use(function, pattern);
	return test;
}

/* Both, if there are not too many tests; either may be NULL. */
static const Test *
both(bool use_or, const Test *left, const Test *right)
{
	if (left == NULL || right == NULL || left->ntests + right->ntests > GPUSTR_MOST_JOINED)
		return NULL;
	return new_test(use_or ? TEST_OR : TEST_AND, left, right);
}

/* Take note of the text that is tested.  False if it is not that of before. */
static bool
same_text(Node **text, Node *other)
{
	if (*text !=NULL && !equal(*text, other))
		return false;
	*text = other;
	return true;
}

/* op ANY and op ALL, of a list without NULLs. */
static const Test *
test_of_array(GpustrBuild *build, ScalarArrayOpExpr *op, Node **text)
{
	const GpustrFunction *function = gpustr_function(op->opfuncid);
	const Test *test = NULL;
	GpustrFixed fixed;
	GpustrFixed *elements;
	ArrayType  *array;
	int			n;
	int			i;

	if (function == NULL || !gpustr_fixed(build, lsecond(op->args), &fixed) || !fixed.known ||
		fixed.isnull || !same_text(text, linitial(op->args)))
		return NULL;
	array = DatumGetArrayTypeP(fixed.value);
	n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	if (n == 0 || n > GPUSTR_MOST_JOINED)
		return NULL;
	elements = gpustr_array_elements(array, &n);
	for (i = 0; i < n; i++)
	{
		const Test *next = test_of(function, NULL, op->inputcollid, &elements[i]);

		test = i == 0 ? next : both(op->useOr, test, next);
		if (test == NULL)
			return NULL;
	}
	return test;
}

static const Test *test_of_expr(GpustrBuild *build, Node *expr, Node **text);

static const Test *
test_of_bool_expr(GpustrBuild *build, BoolExpr *expr, Node **text)
{
	const Test *test = test_of_expr(build, linitial(expr->args), text);
	int			i;

	if (test != NULL && expr->boolop == NOT_EXPR)
		return new_test(TEST_NOT, test, NULL);
	for (i = 1; i < list_length(expr->args) && test != NULL; i++)
		test = both(expr->boolop == OR_EXPR, test,
					test_of_expr(build, list_nth(expr->args, i), text));
	return test;
}

/*
 * An expression over a text, which is *text, or becomes it where that is NULL.  NULL: it
 * has no automaton that can always tell.
 */
static const Test *
test_of_expr(GpustrBuild *build, Node *expr, Node **text)
{
	const GpustrFunction *function;
	List	   *args;
	Oid			collation;
	GpustrFixed pattern;

	check_stack_depth();
	if (IsA(expr, BoolExpr))
		return test_of_bool_expr(build, (BoolExpr *) expr, text);
	if (IsA(expr, ScalarArrayOpExpr))
		return test_of_array(build, (ScalarArrayOpExpr *) expr, text);
	if (IsA(expr, OpExpr))
	{
		function = gpustr_function(((OpExpr *) expr)->opfuncid);
		args = ((OpExpr *) expr)->args;
		collation = ((OpExpr *) expr)->inputcollid;
	}
	else if (IsA(expr, FuncExpr))
	{
		function = gpustr_function(((FuncExpr *) expr)->funcid);
		args = ((FuncExpr *) expr)->args;
		collation = ((FuncExpr *) expr)->inputcollid;
	}
	else
		return NULL;
	if (function == NULL || list_length(args) < 2 ||
		(function->kind != GPUSTR_FUNCTION_REGEX && function->kind != GPUSTR_FUNCTION_LIKE &&
		 function->kind != GPUSTR_FUNCTION_STARTS_WITH) ||
		!gpustr_fixed(build, lsecond(args), &pattern) || !same_text(text, linitial(args)))
		return NULL;
	return test_of(function, list_length(args) > 2 ? castNode(Const, lthird(args)) : NULL,
				   collation, &pattern);
}

/* What the run of an automaton costs. */
static double
run_cost(const GpustrRegex *regex)
{
	bool		device = gpustr_engine_choice() == GPUSTR_RUN_DEVICE;
	double		cost = regex->bytes_read * (device ? DEVICE_DFA_COST : LOCAL_DFA_COST);

	if (regex->bytes > (device ? DEVICE_DFA_FAST_BYTES : LOCAL_DFA_FAST_BYTES))
		cost *= LARGE_DFA_FACTOR;
	if (regex->accepted == GPUSTR_TRUE && gpustr_literal_may_come_first(regex))
		cost = SEARCH_COST * GPUSTR_DFA_SAMPLE + LITERAL_ROWS * cost;
	return cost;
}

/* The automaton of several tests, which is one more that has been tried. */
static const GpustrRegex *
try_joined(GpustrBuild *build, const Test *test)
{
	const GpustrRegex *regex = automaton_of(test);

	build->tried_bytes += regex->refusal == NULL ? regex->bytes :
		TOO_LARGE_COUNTS * (Size) gpustr_max_automaton_size * 1024;
	return regex;
}

static bool
may_try_more(const GpustrBuild *build)
{
	return build->tried_bytes < MOST_TRIED * (Size) gpustr_max_automaton_size * 1024;
}

/* What a test costs, be it in one step or, if that is cheaper, in several. */
static double
test_cost(GpustrBuild *build, const Test *test)
{
	const GpustrRegex *regex = test->right != NULL ? try_joined(build, test) : automaton_of(test);
	double		cost = regex->refusal == NULL ? run_cost(regex) : get_float8_infinity();
	double		separate = cost;

	if (test->kind == TEST_LIKE)
		return regex->refusal == NULL ? regex->bytes_read * SEARCH_COST : cost;
	if (test->kind != TEST_REGEX)
		separate = test_cost(build, test->left);
	if (test->right != NULL)
		separate += test_cost(build, test->right);
	return Min(cost, separate);
}

/* The test of a list, or the list that is joined to one, that saves most. */
typedef struct BestTest
{
	GpustrBuild *build;
	bool		use_or;
	const Test *joined;			/* all so far; NULL: none */
	double		separate;		/* what they cost one by one */
	int			n;
	int			nliterals;		/* the first ones, which can be one step, too */
	const Test *best;			/* NULL: none that saves anything */
	int			nbest;
	double		saved;
} BestTest;

/* Look at the next one of a list.  False if that was the last that can be joined. */
static bool
add_test(BestTest *list, const Test *next)
{
	const GpustrRegex *regex;
	double		cost;

	CHECK_FOR_INTERRUPTS();
	list->joined = list->n == 0 ? next : both(list->use_or, list->joined, next);
	if (list->joined == NULL || !may_try_more(list->build))
		return false;
	cost = test_cost(list->build, next);
	regex = list->n == 0 ? automaton_of(next) : try_joined(list->build, list->joined);
	if (regex->refusal != NULL || regex->accepted != GPUSTR_TRUE)
		return false;
	if (list->nliterals == list->n &&
		next->literal == (list->use_or ? GPUSTR_LITERAL_IN_OR : GPUSTR_LITERAL_IN_AND))
	{
		list->nliterals++;

		/*
		 * as several_build.c does, which knows no limit of their number
		 * either
		 */
		if (list->nliterals >= GPUSTR_FEWEST_LITERALS)
			cost = Min(list->separate + cost, run_cost(regex)) - list->separate;
	}
	list->n++;
	list->separate += cost;
	cost = list->separate - run_cost(regex);
	if (list->n > 1 && cost > list->saved)
	{
		list->saved = cost;
		list->best = list->joined;
		list->nbest = list->n;
	}
	return true;
}

/* The step for the best one.  Returns how many tests that is of. */
static int
build_best(GpustrBuild *build, const BestTest *list, GpustrReg text, GpustrReg *reg)
{
	const GpustrRegex *regex = automaton_of(list->best);

	elog(DEBUG1, "gpustr: %d tests of one text are one automaton of %d states",
		 list->best->ntests, regex->dfa->nstates);
	*reg = gpustr_build_automaton(build, text, regex);
	return list->nbest;
}

/*
 * Is it to be taken?  Not if all of them look for literals; and if there is room for one
 * more automaton, beside those of other clauses.
 */
static bool
is_wanted(const GpustrBuild *build, const BestTest *list)
{
	if (list->best == NULL || build->builder.full ||
		(list->nliterals >= GPUSTR_FEWEST_LITERALS && list->nbest <= list->nliterals))
		return false;
	return build->automata_bytes + automaton_of(list->best)->bytes <=
		2 * (Size) gpustr_max_automaton_size * 1024;
}

int
gpustr_build_union(GpustrBuild *build, bool use_or, List *exprs, int from, int most,
				   GpustrReg *reg)
{
	BestTest	list = {.build = build,.use_or = use_or};
	Node	   *text = NULL;
	int			i;

	if (build->builder.full || most < 2)
		return 0;
	for (i = from; i < from + most; i++)
	{
		if (!add_test(&list, test_of_expr(build, list_nth(exprs, i), &text)))
			break;
	}
	if (!is_wanted(build, &list))
		return 0;
	return build_best(build, &list, gpustr_build_expr(build, text), reg);
}

int
gpustr_build_union_list(GpustrBuild *build, const GpustrFunction *function, Oid collation,
						bool use_or, GpustrReg text, const GpustrFixed *elements, int from,
						int n, GpustrReg *reg)
{
	BestTest	list = {.build = build,.use_or = use_or};
	int			i;

	if (build->builder.full || n - from < 2)
		return 0;
	for (i = from; i < n; i++)
	{
		if (!add_test(&list, test_of(function, NULL, collation, &elements[i])))
			break;
	}
	if (!is_wanted(build, &list))
		return 0;
	return build_best(build, &list, text, reg);
}
