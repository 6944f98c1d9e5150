/*-------------------------------------------------------------------------
 *
 * batch_gen_literals.c
 *	  Random automata of literals for random programs.
 *
 * The literals are kept beside the automaton, and looked for one by one.
 *
 * IDENTIFICATION
 *	  test/unit/batch_gen_literals.c
 *
 *-------------------------------------------------------------------------
 */
#include "batch_gen.h"
#include "program/literal_trie.h"

#define MAX_LITERAL 12

static void
no_poll(void)
{
}

static const GpustrTrieMemory memory = {realloc, free, no_poll};

/* A part of a sample, or bytes of a few letters or any. */
static int32_t
make_literal(Rng *rng, char *to, const char *sample, int32_t sample_bytes)
{
	int32_t		n = rng_one_in(rng, 30) ? 1 + rng_below(rng, 3) : 3 + rng_below(rng, MAX_LITERAL - 2);
	int			any = rng_one_in(rng, 20);
	int32_t		i;

	if (sample_bytes > 0 && !rng_one_in(rng, 4))
	{
		int32_t		at = rng_below(rng, sample_bytes);

		if (n > sample_bytes - at)
			n = sample_bytes - at;
		memcpy(to, sample + at, (size_t) n);
		/* nearly there */
		if (!rng_one_in(rng, 6))
			to[n - 1] = (char) ('a' + rng_below(rng, 3));
		return n;
	}
	for (i = 0; i < n; i++)
		to[i] = (char) (any ? rng_below(rng, 256) : 'a' + rng_below(rng, 3));
	return n;
}

/* The automaton; NULL: it takes more bytes. */
static GpustrAhoCorasick *
make_automaton(Rng *rng, const GenLiterals * l, uint32_t max_bytes, uint32_t *bytes)
{
	GpustrLiteral *literals = malloc((size_t) l->n * sizeof(GpustrLiteral));
	GpustrAhoCorasick *set = NULL;
	GpustrLiteralTrie trie;
	int32_t		i;

	for (i = 0; i < l->n; i++)
	{
		literals[i].at = l->bytes + (size_t) i * MAX_LITERAL;
		literals[i].bytes = l->len[i];
	}
	if (gpustr_trie_make(&trie, literals, l->n, 1, 1 << 22, &memory))
	{
		set = gpustr_trie_aho_corasick(&trie, rng_one_in(rng, 2) ? GPUSTR_AHO_HOT_BYTES :
									   (uint32_t) rng_below(rng, 600), max_bytes, &memory, bytes);
		gpustr_trie_free(&trie, &memory);
	}
	free(literals);
	return set;
}

GenLiterals *
gen_literals(Rng *rng, uint32_t max_bytes, const char *sample, int32_t sample_bytes)
{
	GenLiterals *l = calloc(1, sizeof(GenLiterals));
	int32_t		most = max_bytes >= 65536 ? 2500 : 40;
	int32_t		i;

	l->n = 1 + rng_below(rng, rng_one_in(rng, 2) ? most : 6);
	l->bytes = malloc((size_t) l->n * MAX_LITERAL);
	l->len = malloc((size_t) l->n * sizeof(int32_t));
	for (i = 0; i < l->n; i++)
	{
		l->len[i] = make_literal(rng, l->bytes + (size_t) i * MAX_LITERAL, sample, sample_bytes);

		/* many would be found everywhere, if they were short */
		if (most > 40 && l->len[i] < 5)
			memcpy(l->bytes + (size_t) i * MAX_LITERAL + l->len[i], "qz#x", 4);
		if (most > 40 && l->len[i] < 5)
			l->len[i] += 4;
	}
	while ((l->made = make_automaton(rng, l, max_bytes, &l->made_bytes)) == NULL)
		l->n = (l->n + 1) / 2;
	return l;
}

/* One after the other, at each place. */
GpustrTruth
gen_literals_truth(const GenLiterals * l, const char *text, int32_t len)
{
	const char *literal = l->bytes;
	int32_t		i;
	int32_t		at;

	for (i = 0; i < l->n; i++, literal += MAX_LITERAL)
		for (at = 0; at + l->len[i] <= len; at++)
			if (text[at] == literal[0] && memcmp(text + at, literal, (size_t) l->len[i]) == 0)
				return GPUSTR_TRUE;
	return GPUSTR_FALSE;
}

void
gen_literals_free(GenLiterals * l)
{
	if (l == NULL)
		return;
	free(l->bytes);
	free(l->len);
	free(l->made);
	free(l);
}
