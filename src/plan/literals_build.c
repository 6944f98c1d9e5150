/*-------------------------------------------------------------------------
 *
 * literals_build.c
 *	  Clauses that look for many literals: which are refused, and their steps.
 *
 * Few literals become a GpustrDfa of states that fit a byte, which the engines run
 * fastest; more of them a GpustrAhoCorasick.  One travels with every batch, so it
 * must be small beside one.
 *
 * Automata are made when the query is planned, to know their size, and when it is
 * executed; so the last two are kept.
 *
 * IDENTIFICATION
 *	  src/plan/literals_build.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "compat.h"
#include "guc.h"
#include "plan/literals_build.h"
#include "sqlfn/contains_any.h"

/* The largest automaton, and the share of a batch that it may be. */
#define MAX_LITERALS_BYTES (4 * 1024 * 1024)
#define LITERALS_BATCH_SHARE 4

/* States of a GpustrDfa that is taken instead: as many as fit a byte. */
#define MAX_DFA_STATES 256

/* Bytes of literals up to which an automaton is kept. */
#define MAX_KEPT_BYTES (4 * 1024 * 1024)
#define KEPT 2

/* An automaton of literals; neither: it is too large. */
typedef struct LiteralsAutomaton
{
	const GpustrDfa *dfa;
	const GpustrAhoCorasick *set;
	uint32		bytes;
} LiteralsAutomaton;

/* One that is kept, with what it was made of. */
typedef struct KeptAutomaton
{
	MemoryContext context;		/* NULL: none */
	int			n;
	GpustrLiteral *literals;
	uint32		max_bytes;
	int			max_dfa_kb;
	LiteralsAutomaton made;
} KeptAutomaton;

static KeptAutomaton kept[KEPT];	/* the last used first */

uint32
gpustr_literals_max_bytes(void)
{
	return Min(MAX_LITERALS_BYTES, gpustr_batch_bytes / LITERALS_BATCH_SHARE);
}

static LiteralsAutomaton
make_automaton(const GpustrLiteral *literals, int n)
{
	LiteralsAutomaton made = {NULL, NULL, 0};
	uint32		max_bytes = gpustr_literals_max_bytes();
	uint32		max_dfa_bytes = Min(max_bytes, (uint32) gpustr_max_automaton_size * 1024);
	Size		max_nodes;
	GpustrLiteralTrie trie;

	/*
	 * a state is a row of two bytes at the least, or a cold one; a literal's
	 * end is none
	 */
	max_nodes = max_bytes / sizeof(GpustrColdState) + GPUSTR_AHO_HOT_BYTES / sizeof(uint16) + (Size) n;
	if (!gpustr_trie_make(&trie, literals, n, 1, Min(max_nodes, PG_INT32_MAX),
						  &gpustr_palloc_trie_memory))
		return made;
	made.dfa = gpustr_trie_dfa(&trie, MAX_DFA_STATES, max_dfa_bytes, &gpustr_palloc_trie_memory,
							   &made.bytes);
	if (made.dfa == NULL)
		made.set = gpustr_trie_aho_corasick(&trie, GPUSTR_AHO_HOT_BYTES, max_bytes,
											&gpustr_palloc_trie_memory, &made.bytes);
	return made;
}

static bool
is_of(const KeptAutomaton *entry, const GpustrLiteral *literals, int n)
{
	int			i;

	if (entry->context == NULL || entry->n != n ||
		entry->max_bytes != gpustr_literals_max_bytes() ||
		entry->max_dfa_kb != gpustr_max_automaton_size)
		return false;
	for (i = 0; i < n; i++)
	{
		if (entry->literals[i].bytes != literals[i].bytes ||
			memcmp(entry->literals[i].at, literals[i].at, literals[i].bytes) != 0)
			return false;
	}
	return true;
}

/* Keep an automaton, in place of the one that was used least recently. */
static void
keep(const GpustrLiteral *literals, int n, Size literal_bytes, const LiteralsAutomaton *made)
{
	const void *automaton = made->dfa != NULL ? (const void *) made->dfa : made->set;
	KeptAutomaton entry = {NULL, n, NULL, gpustr_literals_max_bytes(), gpustr_max_automaton_size, *made};
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "gpustr automaton of literals",
												  ALLOCSET_SMALL_SIZES);
	char	   *to = MemoryContextAlloc(context, literal_bytes + 1);
	int			i;

	entry.literals = MemoryContextAlloc(context, sizeof(GpustrLiteral) * (n + 1));
	for (i = 0; i < n; i++)
	{
		entry.literals[i].at = to;
		entry.literals[i].bytes = literals[i].bytes;
		memcpy(to, literals[i].at, literals[i].bytes);
		to += literals[i].bytes;
	}
	if (automaton != NULL)
	{
		void	   *copy = memcpy(MemoryContextAlloc(context, made->bytes), automaton, made->bytes);

		entry.made.dfa = made->dfa != NULL ? copy : NULL;
		entry.made.set = made->dfa != NULL ? NULL : copy;
	}
	/* nothing can fail from here on */
	MemoryContextSetParent(context, TopMemoryContext);
	if (kept[KEPT - 1].context != NULL)
		MemoryContextDelete(kept[KEPT - 1].context);
	memmove(&kept[1], &kept[0], sizeof(KeptAutomaton) * (KEPT - 1));
	entry.context = context;
	kept[0] = entry;
}

/* The automaton of literals, none of which is empty; of use until the next call. */
static LiteralsAutomaton
find_automaton(const GpustrLiteral *literals, int n)
{
	MemoryContext work;
	MemoryContext old;
	LiteralsAutomaton made;
	Size		literal_bytes = 0;
	int			i;

	for (i = 0; i < KEPT; i++)
	{
		if (is_of(&kept[i], literals, n))
		{
			KeptAutomaton found = kept[i];

			memmove(&kept[1], &kept[0], sizeof(KeptAutomaton) * i);
			kept[0] = found;
			return found.made;
		}
	}
	for (i = 0; i < n; i++)
		literal_bytes += literals[i].bytes;
	if (literal_bytes > MAX_KEPT_BYTES)
		return make_automaton(literals, n);

	work = AllocSetContextCreate(CurrentMemoryContext, "gpustr literals work",
								 ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(work);
	made = make_automaton(literals, n);
	keep(literals, n, literal_bytes, &made);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
	return kept[0].made;
}

static bool
has_empty(const GpustrLiteral *literals, int n)
{
	int			i;

	for (i = 0; i < n; i++)
	{
		if (literals[i].bytes == 0)
			return true;
	}
	return false;
}

bool
gpustr_build_literals(GpustrBuild *build, GpustrReg text, const GpustrLiteral *literals, int n,
					  GpustrReg *reg)
{
	GpustrProgramBuilder *b = &build->builder;
	LiteralsAutomaton automaton;

	if (n == 0 || has_empty(literals, n))
	{
		/* the same for all texts that there are */
		*reg = gpustr_reg(GPUSTR_KIND_BOOL, gpustr_builder_like(b, text.reg, "%", 1));
		if (n == 0)
			*reg = gpustr_build_not(build, *reg);
		return true;
	}
	automaton = find_automaton(literals, n);
	if (automaton.dfa == NULL && automaton.set == NULL)
		return false;
	build->literals_bytes += automaton.bytes;
	if (automaton.dfa != NULL)
		*reg = gpustr_reg(GPUSTR_KIND_BOOL, gpustr_builder_dfa(b, text.reg, automaton.dfa,
															   automaton.bytes, GPUSTR_TRUE));
	else
		*reg = gpustr_reg(GPUSTR_KIND_BOOL, gpustr_builder_contains_any(b, text.reg, automaton.set,
																		automaton.bytes));
	return true;
}

const char *
gpustr_literals_refusal(ArrayType *patterns)
{
	GpustrLiteral *literals;
	LiteralsAutomaton automaton;
	int			n;

	if (ARR_NDIM(patterns) > 1)
		return "the array has more than one dimension";
	literals = gpustr_array_literals(patterns, &n, NULL);
	if (n == 0 || has_empty(literals, n))
		return NULL;
	automaton = find_automaton(literals, n);
	if (automaton.dfa == NULL && automaton.set == NULL)
		return psprintf("the automaton of its patterns would be larger than %u kB",
						gpustr_literals_max_bytes() / 1024);
	return NULL;
}

GpustrReg
gpustr_build_contains_any(GpustrBuild *build, List *args)
{
	GpustrFixed fixed;
	ArrayType  *patterns;
	GpustrLiteral *literals;
	GpustrReg text;
	GpustrReg	reg;
	int			n;

	if (!gpustr_fixed(build, lsecond(args), &fixed))
		elog(ERROR, "unexpected patterns in an offloaded clause");
	if (!fixed.known)
		return gpustr_build_unknown_test(build);
	text = gpustr_build_expr(build, linitial(args));

	if (fixed.isnull)
		return gpustr_build_unless_recheck(build, text, GPUSTR_NULL);

	/* a late array may be one that would have been refused */
	patterns = DatumGetArrayTypeP(fixed.value);
	if (ARR_NDIM(patterns) > 1)
		return gpustr_build_truth(build, GPUSTR_RECHECK);
	literals = gpustr_array_literals(patterns, &n, NULL);
	if (!gpustr_build_literals(build, text, literals, n, &reg))
		return gpustr_build_truth(build, GPUSTR_RECHECK);
	return reg;
}
