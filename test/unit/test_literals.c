/*-------------------------------------------------------------------------
 *
 * test_literals.c
 *	  Automata of many literals against a naive search.
 *
 * IDENTIFICATION
 *	  test/unit/test_literals.c
 *
 *-------------------------------------------------------------------------
 */
#include <stddef.h>

#include "program/literal_trie.h"
#include "rowfn/aho_corasick.h"
#include "rowfn/dfa.h"
#include "test_common.h"

#define MAX_NODES (1u << 22)
#define MAX_TEXT 400

static int	polls;
static int	allocations_left = -1;	/* -1: no end of them */

static void *
resize(void *old, size_t bytes)
{
	if (allocations_left == 0)
		return NULL;
	allocations_left -= allocations_left > 0;
	return realloc(old, bytes);
}

static void
poll(void)
{
	polls++;
}

static const GpustrTrieMemory memory = {resize, free, poll};

/* Some literals, in memory of their own. */
typedef struct Literals
{
	int32_t		n;
	GpustrLiteral *literal;
} Literals;

static void
add_literal(Literals *l, const char *at, int32_t bytes)
{
	char	   *copy = malloc((size_t) bytes + 1);

	memcpy(copy, at, (size_t) bytes);
	l->literal = realloc(l->literal, (size_t) (l->n + 1) * sizeof(GpustrLiteral));
	l->literal[l->n].at = copy;
	l->literal[l->n++].bytes = bytes;
}

static void
free_literals(Literals *l)
{
	while (l->n > 0)
		free((char *) l->literal[--l->n].at);
	free(l->literal);
	l->literal = NULL;
}

/* Letters from a few on; all bytes if 'letters' is 256. */
static void
random_bytes(Rng *rng, char *to, int32_t bytes, int32_t letters)
{
	int32_t		i;

	for (i = 0; i < bytes; i++)
		to[i] = (char) (rng_below(rng, letters) + (letters < 100 ? 'a' : 0));
}

static void
random_literals(Rng *rng, Literals *l, int32_t n, int32_t longest, int32_t letters)
{
	char		bytes[64];

	while (l->n < n)
	{
		const GpustrLiteral *before = l->n > 0 ? &l->literal[rng_below(rng, l->n)] : NULL;
		int32_t		len = 1 + rng_below(rng, longest);

		random_bytes(rng, bytes, len, letters);

		/* one that has an end or a beginning of another */
		if (before != NULL && rng_one_in(rng, 3))
		{
			int32_t		same = 1 + rng_below(rng, before->bytes < len ? before->bytes : len);

			if (rng_one_in(rng, 2))
				memcpy(bytes, before->at, (size_t) same);
			else
				memcpy(bytes, before->at + before->bytes - same, (size_t) same);
		}
		add_literal(l, bytes, len);
	}
}

static int
occurs(const GpustrLiteral *l, const char *text, int32_t len)
{
	int32_t		i;

	for (i = 0; i + l->bytes <= len; i++)
		if (memcmp(text + i, l->at, (size_t) l->bytes) == 0)
			return 1;
	return 0;
}

static int
any_occurs(const Literals *l, const char *text, int32_t len)
{
	int32_t		i;

	for (i = 0; i < l->n; i++)
		if (occurs(&l->literal[i], text, len))
			return 1;
	return 0;
}

/* From an exact allocation, so that ASan sees a byte too many. */
static int
aho_match(const GpustrAhoCorasick *set, const char *text, int32_t len)
{
	char	   *t = malloc((size_t) len + 1);
	int			found;
	uint32_t	state;

	memcpy(t + 1, text, (size_t) len);
	found = rowfn_aho_match(set, t + 1, len);

	/* in two parts */
	state = rowfn_aho_run(set, 0, t + 1, len / 3);
	CHECK((rowfn_aho_run(set, state, t + 1 + len / 3, len - len / 3) == GPUSTR_FOUND) == found, "in parts");
	free(t);
	return found;
}

/* One set of literals, with so much room for hot states. */
static void
check_set(Rng *rng, const Literals *l, uint32_t hot_bytes, int32_t letters, int texts, int *found)
{
	GpustrLiteralTrie trie;
	GpustrAhoCorasick *set;
	GpustrDfa  *dfa;
	uint32_t	bytes;
	uint32_t	dfa_bytes = 0;
	char		text[MAX_TEXT];
	int			i;

	if (!gpustr_trie_make(&trie, l->literal, l->n, 1, MAX_NODES, &memory))
	{
		CHECK(0, "no tree of %d literals", l->n);
		return;
	}
	set = gpustr_trie_aho_corasick(&trie, hot_bytes, INT32_MAX, &memory, &bytes);
	CHECK(set != NULL && rowfn_aho_check(set, bytes), "%d literals", l->n);
	CHECK(set->hot_off + (int64_t) set->nhot * set->nclasses * 2 <= bytes, "size");
	CHECK(gpustr_trie_aho_corasick(&trie, hot_bytes, bytes - 1, &memory, &bytes) == NULL, "too small");
	dfa = gpustr_trie_dfa(&trie, 65535, 1 << 24, &memory, &dfa_bytes);
	CHECK(dfa == NULL || rowfn_dfa_check(dfa, dfa_bytes), "%d literals", l->n);
	for (i = 0; i < texts; i++)
	{
		int32_t		len = test_length(rng, MAX_TEXT);
		int			want;

		random_bytes(rng, text, len, rng_one_in(rng, 20) ? 256 : letters);
		if (len > 0 && rng_one_in(rng, 2))
		{
			const GpustrLiteral *some = &l->literal[rng_below(rng, l->n)];
			int32_t		at = rng_below(rng, len);
			int32_t		n = some->bytes < len - at ? some->bytes : len - at;

			memcpy(text + at, some->at, (size_t) n);
		}
		want = any_occurs(l, text, len);
		CHECK(aho_match(set, text, len) == want, "%d literals, %d hot, %d bytes", l->n, set->nhot, len);
		CHECK(dfa == NULL || (int) rowfn_dfa_match(dfa, text, len) == want, "%d literals, %d bytes", l->n, len);
		*found += want;
	}
	free(set);
	free(dfa);
	gpustr_trie_free(&trie, &memory);
}

static void
check_random(Rng *rng, int *found)
{
	static const int32_t alphabets[] = {1, 2, 3, 5, 26, 256};
	int32_t		letters = alphabets[rng_below(rng, 6)];
	int32_t		longest = rng_one_in(rng, 3) ? 40 : 1 + rng_below(rng, 8);
	Literals	l = {0, NULL};

	random_literals(rng, &l, 1 + rng_below(rng, rng_one_in(rng, 4) ? 300 : 12), longest, letters);
	check_set(rng, &l, (uint32_t) rng_below(rng, rng_one_in(rng, 2) ? 200 : 20000), letters, 10, found);
	free_literals(&l);
}

/* What cannot be random: long ones, all alike, all bytes, more than 65,535 states. */
static void
check_special(Rng *rng, int *found)
{
	Literals	l = {0, NULL};
	char	   *many = malloc(1 << 20);
	char		two[2];
	GpustrLiteralTrie trie;
	GpustrAhoCorasick *set;
	uint32_t	bytes;
	int32_t		i;

	/*
	 * a^n b for all n: nothing is left out, and fails go from each to the
	 * next
	 */
	memset(many, 'a', 1 << 20);
	for (i = 1; i < 200; i++)
	{
		many[i] = 'b';
		add_literal(&l, many + (i % 7), i + 1 - i % 7);
		many[i] = 'a';
	}
	check_set(rng, &l, 100, 2, 20, found);
	free_literals(&l);

	/* one of a megabyte, which does not fit a text, and a short one */
	for (i = 0; i < 1 << 20; i++)
		many[i] = (char) ('a' + rng_below(rng, 4));
	add_literal(&l, many, 1 << 20);
	add_literal(&l, "zz", 2);
	check_set(rng, &l, 5000, 4, 10, found);
	CHECK(gpustr_trie_make(&trie, l.literal, l.n, 1, MAX_NODES, &memory), "a megabyte");
	set = gpustr_trie_aho_corasick(&trie, 5000, INT32_MAX, &memory, &bytes);
	CHECK(aho_match(set, many, 1 << 20) && !aho_match(set, many, (1 << 20) - 1) &&
		  !aho_match(set, many + 1, (1 << 20) - 1), "a megabyte is found as a whole only");
	CHECK(set->nstates > 1000000, "%d states", set->nstates);
	free(set);
	gpustr_trie_free(&trie, &memory);
	CHECK(!gpustr_trie_make(&trie, l.literal, l.n, 1, 1000000, &memory), "too many nodes");
	free_literals(&l);

	/* all pairs of bytes: no byte is of no literal */
	for (i = 0; i < 65536; i += 3)
	{
		two[0] = (char) (i >> 8);
		two[1] = (char) i;
		add_literal(&l, two, 2);
	}
	check_set(rng, &l, 98304, 256, 30, found);
	free_literals(&l);

	/*
	 * many, of a few letters, so that there are numbers on both sides of
	 * GPUSTR_FOUND
	 */
	random_literals(rng, &l, 9000, 25, 4);
	for (i = 0; i < l.n; i++)
		if (l.literal[i].bytes < 12)
			*(char *) l.literal[i].at = 'x';
	check_set(rng, &l, 98304, 4, 60, found);
	free_literals(&l);
	free(many);
}

/* Whole trees: which literals end where. */
static void
check_whole_tree(Rng *rng)
{
	Literals	l = {0, NULL};
	GpustrLiteralTrie trie;
	int32_t    *seen;
	uint32_t	node;
	int32_t		n = 0;
	int32_t		i;

	random_literals(rng, &l, 1 + rng_below(rng, 100), 1 + rng_below(rng, 9), 2);
	add_literal(&l, "", 0);
	add_literal(&l, "", 0);
	CHECK(gpustr_trie_make(&trie, l.literal, l.n, 0, MAX_NODES, &memory), "%d literals", l.n);
	seen = calloc((size_t) l.n, sizeof(int32_t));
	for (node = 0; node < trie.nnodes; node++)
		for (i = trie.node[node].literal; i != GPUSTR_NO_LITERAL; i = trie.next_same[i])
		{
			uint32_t	at = 0;
			int32_t		k;

			for (k = 0; k < l.literal[i].bytes; k++)
			{
				at = gpustr_trie_child(&trie, at, (uint8_t) l.literal[i].at[k]);
				CHECK(at != 0, "literal %d byte %d", i, k);
			}
			CHECK(at == node, "literal %d", i);
			n += !seen[i]++;
		}
	CHECK(n == l.n, "%d of %d literals", n, l.n);
	free(seen);
	gpustr_trie_free(&trie, &memory);
	free_literals(&l);
}

/* An automaton with cold states and edges in more[]. */
static GpustrAhoCorasick *
make_small(uint32_t *bytes)
{
	static const GpustrLiteral literals[] = {{"abcd", 4}, {"abce", 4}, {"abcf", 4}, {"abcg", 4}, {"bcx", 3}, {"cyz", 3}};
	GpustrLiteralTrie trie;
	GpustrAhoCorasick *set = NULL;

	if (gpustr_trie_make(&trie, literals, 6, 1, MAX_NODES, &memory))
	{
		set = gpustr_trie_aho_corasick(&trie, 60, INT32_MAX, &memory, bytes);
		gpustr_trie_free(&trie, &memory);
	}
	return set;
}

typedef struct AhoNumber
{
	size_t		at;
	const char *name;
	int32_t		bad[6];
}			AhoNumber;

static const AhoNumber aho_numbers[] = {
	{offsetof(GpustrAhoCorasick, nstates), "nstates", {0, -1, INT32_MIN, (1 << 24) + 1, INT32_MAX, 1}},
	{offsetof(GpustrAhoCorasick, nclasses), "nclasses", {0, -1, INT32_MIN, 257, INT32_MAX, 2}},
	{offsetof(GpustrAhoCorasick, nhot), "nhot", {0, -1, INT32_MIN, 65536, INT32_MAX, 1000}},
	{offsetof(GpustrAhoCorasick, nmore), "nmore", {-1, INT32_MIN, INT32_MAX, 0, 1 << 20, 1 << 30}},
	{offsetof(GpustrAhoCorasick, hot_off), "hot_off", {0, -4, INT32_MIN, INT32_MAX - 3, 289, 290}},
	{offsetof(GpustrAhoCorasick, cold_off), "cold_off", {0, -8, INT32_MIN, INT32_MAX - 7, 289, 292}},
	{offsetof(GpustrAhoCorasick, more_off), "more_off", {0, -4, INT32_MIN, INT32_MAX - 3, 289, 290}}
};

/* Each way in which an automaton is none. */
static void
check_refused(void)
{
	uint32_t	bytes;
	GpustrAhoCorasick *set = make_small(&bytes);
	GpustrAhoCorasick *bad = malloc(bytes);
	uint16_t   *hot = (uint16_t *) ROWFN_AHO_HOT(bad);
	GpustrColdState *cold = (GpustrColdState *) ROWFN_AHO_COLD(set);
	uint32_t   *more;
	uint32_t	n;
	int32_t		ncold = set->nstates - set->nhot;
	int			i;
	int			k;

	CHECK(rowfn_aho_check(set, bytes) && ncold > 1 && set->nmore > 0, "%d cold states, %d edges", ncold, set->nmore);
	for (n = 0; n < bytes; n++)
		CHECK(!rowfn_aho_check(set, n), "%u bytes", n);
	for (i = 0; i < (int) (sizeof(aho_numbers) / sizeof(aho_numbers[0])); i++)
		for (k = 0; k < 6; k++)
		{
			memcpy(bad, set, bytes);
			memcpy((char *) bad + aho_numbers[i].at, &aho_numbers[i].bad[k], sizeof(int32_t));
			CHECK(!rowfn_aho_check(bad, bytes), "%s %d", aho_numbers[i].name, aho_numbers[i].bad[k]);
		}
	for (i = 0; i < 256; i++)
	{
		memcpy(bad, set, bytes);
		bad->class_of[i] = (uint8_t) set->nclasses;
		CHECK(!rowfn_aho_check(bad, bytes), "class of byte %d", i);
	}
	memcpy(bad, set, bytes);
	hot = (uint16_t *) ROWFN_AHO_HOT(bad);
	cold = (GpustrColdState *) ROWFN_AHO_COLD(bad);
	more = (uint32_t *) ROWFN_AHO_MORE(bad);
#define REFUSED(field, value) \
	do { \
		memcpy(bad, set, bytes); \
		field = (value); \
		CHECK(!rowfn_aho_check(bad, bytes), "%s %d", #field, i); \
	} while (0)
	for (i = 0; i < set->nhot * set->nclasses; i++)
	{
		REFUSED(hot[i], (uint16_t) set->nstates);
		REFUSED(hot[i], 0xFFFE);
		memcpy(bad, set, bytes);
		hot[i] = GPUSTR_FOUND;
		CHECK(rowfn_aho_check(bad, bytes), "hot[%d] found", i);
	}
	for (i = 0; i < ncold; i++)
	{
		REFUSED(cold[i].edge[0], (uint32_t) set->nstates);
		REFUSED(cold[i].edge[0], 0xFFFFFF);
		REFUSED(cold[i].edge[1], (uint32_t) set->nstates | 1u << 24);
		REFUSED(cold[i].edge[1], 0xFFFFFFFF);
		REFUSED(cold[i].hot, (uint16_t) set->nhot);
		REFUSED(cold[i].hot, 0xFFFF);
		REFUSED(cold[i].nmore, 256);
		REFUSED(cold[i].nmore, (uint16_t) (set->nmore + 1));
		REFUSED(cold[i].more, 0xFFFFFFFF - cold[i].nmore);
		REFUSED(cold[i].more, (uint32_t) set->nmore + 1);
	}
	for (i = 0; i < set->nmore; i++)
	{
		REFUSED(more[i], (uint32_t) set->nstates);
		REFUSED(more[i], 0xFFFFFF);
	}
#undef REFUSED
	memcpy(bad, set, bytes);
	CHECK(rowfn_aho_check(bad, bytes), "as it was");
	free(set);
	free(bad);
}

/* What passes the check, be it no automaton of literals, reads nothing outside. */
static void
check_damaged(Rng *rng, int rounds, int *passed)
{
	uint32_t	bytes;
	GpustrAhoCorasick *set = make_small(&bytes);
	char		text[60];

	for (; rounds > 0; rounds--)
	{
		GpustrAhoCorasick *bad = malloc(bytes);
		int			n = 1 + rng_below(rng, 6);
		int			i;

		memcpy(bad, set, bytes);
		while (n-- > 0)
			((unsigned char *) bad)[rng_one_in(rng, 4) ? rng_below(rng, (int32_t) bytes) :
									256 + 32 + rng_below(rng, (int32_t) bytes - 288)] =
				(unsigned char) (rng_one_in(rng, 2) ? rng_below(rng, 256) : rng_below(rng, 12));
		if (rowfn_aho_check(bad, bytes))
		{
			(*passed)++;
			for (i = 0; i < 10; i++)
			{
				random_bytes(rng, text, sizeof(text), rng_one_in(rng, 3) ? 256 : 26);
				(void) aho_match(bad, text, sizeof(text));
			}
		}
		free(bad);
	}
	free(set);
}

/* Memory runs out at each place in turn. */
static void
check_out_of_memory(Rng *rng)
{
	Literals	l = {0, NULL};
	int			most;

	random_literals(rng, &l, 200, 12, 3);
	for (most = 0;; most++)
	{
		GpustrLiteralTrie trie;
		GpustrAhoCorasick *set = NULL;
		uint32_t	bytes;

		allocations_left = most;
		if (gpustr_trie_make(&trie, l.literal, l.n, 1, MAX_NODES, &memory))
		{
			set = gpustr_trie_aho_corasick(&trie, 100, INT32_MAX, &memory, &bytes);
			gpustr_trie_free(&trie, &memory);
		}
		free(set);
		if (set != NULL)
			break;
		CHECK(most < 100, "it never is enough");
		if (most == 100)
			break;
	}
	CHECK(most > 6, "%d allocations", most);
	allocations_left = -1;
	free_literals(&l);
}

int
main(void)
{
	Rng			rng = rng_make(test_seed());
	int			rounds = test_rounds(3000);
	int			found = 0;
	int			i;

	for (i = 0; i < rounds; i++)
		check_random(&rng, &found);
	CHECK(found > rounds && found < 9 * rounds, "%d of %d texts have one", found, 10 * rounds);
	test_done("random literals");
	check_special(&rng, &found);
	CHECK(polls > 10, "%d calls of poll()", polls);
	test_done("long and many literals");
	for (i = 0; i < rounds / 10; i++)
		check_whole_tree(&rng);
	test_done("whole trees");
	check_refused();
	test_done("refused");
	found = 0;
	check_damaged(&rng, 10 * rounds, &found);
	CHECK(found > rounds / 5 && found < 10 * rounds, "%d of %d pass", found, 10 * rounds);
	test_done("damaged");
	check_out_of_memory(&rng);
	test_done("out of memory");
	return test_exit();
}
