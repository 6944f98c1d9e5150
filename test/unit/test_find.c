/*-------------------------------------------------------------------------
 *
 * test_find.c
 *	  LIKE's search of literals, folded or not: each hit, by either way of searching,
 *	  and how many bytes it compares in texts that are made to be slow.
 *
 * IDENTIFICATION
 *	  test/unit/test_find.c
 *
 *-------------------------------------------------------------------------
 */
#include "program/like_compile.h"
#include "rowfn/like.h"
#include "rowfn/text_args.h"
#include "test_common.h"

#define MAX_TEXT 500
#define SLOW_BYTES 1000000
#define SLOW_LITERAL 5000

/* A fold of upper case to lower, and, if 'table', of x to y. */
static GpustrFold
make_fold(int table)
{
	GpustrFold	fold;
	int			c;

	memset(&fold, 0, sizeof(fold));
	for (c = 0; c < 128; c++)
		fold.ascii[c] = (uint8_t) (c >= 'A' && c <= 'Z' ? c + 32 : c);
	if (table)
		fold.ascii['x'] = 'y';
	fold.others_stay = 1;
	return fold;
}

/* The next hit of a search, the kind being a constant. */
static int32_t
next_hit(RowfnLikeFind *find, RowfnTwoWay *two_way, RowfnText text, int32_t pos, RowfnText what,
		 const GpustrFold *fold, RowfnFoldKind kind)
{
	switch (kind)
	{
		case ROWFN_FOLD_NONE:
			return rowfn_like_find_next(find, two_way, text.s, pos, text.len, what.s, what.len, fold, ROWFN_FOLD_NONE);
		case ROWFN_FOLD_ASCII:
			return rowfn_like_find_next(find, two_way, text.s, pos, text.len, what.s, what.len, fold, ROWFN_FOLD_ASCII);
		default:
			return rowfn_like_find_next(find, two_way, text.s, pos, text.len, what.s, what.len, fold, ROWFN_FOLD_TABLE);
	}
}

static RowfnText
exact(const char *s, int32_t len, char **block)
{
	RowfnText	text;

	*block = malloc((size_t) len + 1);
	memcpy(*block + 1, s, (size_t) len);
	text.s = *block + 1;
	text.len = len;
	return text;
}

/* All hits of a random literal in a random text of its kin; overlapping ones, too. */
static void
random_search(Rng *rng)
{
	RowfnFoldKind kind = (RowfnFoldKind) rng_below(rng, 3);
	GpustrFold	fold = make_fold(kind == ROWFN_FOLD_TABLE);
	char		what[MAX_TEXT];
	char		s[MAX_TEXT];
	int32_t		n = 1 + rng_below(rng, rng_one_in(rng, 2) ? 5 : 60);
	int32_t		len = rng_below(rng, MAX_TEXT);
	int32_t		period = 1 + rng_below(rng, n);
	int32_t		hit = -1;
	int32_t		at;
	int32_t		i;
	RowfnLikeFind find = rowfn_like_find_begin(0);
	RowfnTwoWay two_way;
	char	   *block[2];
	RowfnText	text;
	RowfnText	literal;

	for (i = 0; i < n; i++)
		what[i] = i < period || rng_one_in(rng, 40) ? "aby"[rng_below(rng, 3)] : what[i - period];
	for (i = 0; i < len; i++)
	{
		s[i] = rng_one_in(rng, 40) ? "abyxA"[rng_below(rng, 5)] : what[i % n];
		if (kind != ROWFN_FOLD_NONE && rng_one_in(rng, 2))
			s[i] = (char) (s[i] & ~32);
		if (kind == ROWFN_FOLD_TABLE && s[i] == 'y' && rng_one_in(rng, 2))
			s[i] = 'x';
	}
	text = exact(s, len, &block[0]);
	literal = exact(what, n, &block[1]);
	if (rng_one_in(rng, 2))
		find.compared = rng_one_in(rng, 2) ? 256 : INT64_C(1) << 40;
	for (at = 0; at <= len - n; at++)
	{
		for (i = 0; i < n && what[i] == (kind == ROWFN_FOLD_NONE ? s[at + i] : (char) fold.ascii[(int) s[at + i]]); i++)
			;
		if (i < n)
			continue;
		hit = next_hit(&find, &two_way, text, hit + 1, literal, &fold, kind);
		CHECK(hit == at, "kind %d: \"%.*s\" in \"%.*s\": %d, not %d", kind, n, what, len, s, hit, at);
		if (hit != at)
			break;
	}
	if (at > len - n)
	{
		hit = next_hit(&find, &two_way, text, hit + 1, literal, &fold, kind);
		CHECK(hit == -1, "kind %d: \"%.*s\" in \"%.*s\": %d, where it is not", kind, n, what, len, s, hit);
	}
	free(block[0]);
	free(block[1]);
}

/* A text of one letter, and a literal that fits nearly everywhere. */
static void
test_slow(void)
{
	char	   *text = malloc(SLOW_BYTES);
	char	   *what = malloc(SLOW_LITERAL);
	GpustrFold	fold = make_fold(0);
	int			kind;

	memset(what, 'a', SLOW_LITERAL);
	what[SLOW_LITERAL - 2] = 'b';
	for (kind = 0; kind < 2; kind++)
	{
		RowfnLikeFind find = rowfn_like_find_begin(0);
		RowfnTwoWay two_way;
		int64_t		budget = 3 * SLOW_BYTES + 4 * SLOW_LITERAL;
		int32_t		hit = -1;
		int			code;

		memset(text, kind == 0 ? 'a' : 'A', SLOW_BYTES);
		if (kind == 0)
			hit = rowfn_like_find_fast(&find, text, 0, SLOW_BYTES, what, SLOW_LITERAL, NULL, ROWFN_FOLD_NONE);
		else
			hit = rowfn_like_find_fast(&find, text, 0, SLOW_BYTES, what, SLOW_LITERAL, &fold, ROWFN_FOLD_ASCII);
		CHECK(hit == -1 && find.slow && find.compared <= 3 * SLOW_LITERAL && find.slow_at < 16,
			  "%lld bytes compared", (long long) find.compared);
		rowfn_two_way_begin(&two_way, what, SLOW_LITERAL, find.slow_at);
		code = kind == 0 ? rowfn_two_way_step(&two_way, text, SLOW_BYTES, &budget, &hit) :
			rowfn_two_way_step_folded(&two_way, text, SLOW_BYTES, &budget, &hit, &fold, ROWFN_FOLD_ASCII);
		CHECK(code == ROWFN_TWO_WAY_END, "two-way has not come to the end: %d", code);
	}
	test_done("bytes compared in slow texts");

	/* hits at each place, none of which is followed by what the pattern says */
	memset(text, 'a', SLOW_BYTES);
	memset(what, 'a', SLOW_LITERAL);
	{
		RowfnLikeFind find = rowfn_like_find_begin(0);
		RowfnTwoWay two_way;
		int32_t		hit = -1;
		int32_t		nhits = 0;
		int32_t		fast = 0;

		while ((hit = rowfn_like_find_next(&find, &two_way, text, hit + 1, SLOW_BYTES, what, SLOW_LITERAL, NULL,
										   ROWFN_FOLD_NONE)) >= 0)
		{
			CHECK(hit == nhits, "hit %d at %d", nhits, hit);
			fast += !find.slow;
			nhits++;
		}
		CHECK(nhits == SLOW_BYTES - SLOW_LITERAL + 1 && fast < 4, "%d hits, %d the fast way", nhits, fast);
	}
	test_done("many hits in slow texts");
	free(text);
	free(what);
}

/* The same by whole patterns: the answers. */
static void
test_patterns(void)
{
	static uint64_t compiled[SLOW_LITERAL];
	char	   *text = malloc(SLOW_BYTES);
	char	   *pattern = malloc(SLOW_LITERAL + 8);
	GpustrFold	fold = make_fold(0);
	int			i;

	memset(text, 'a', SLOW_BYTES);
	for (i = 0; i < 4; i++)
	{
		int			at_end = i & 1;
		int32_t		n = SLOW_LITERAL;

		memset(pattern, 'a', SLOW_LITERAL + 8);
		pattern[0] = '%';
		pattern[n] = 'b';
		pattern[n + 1] = 'a';
		if (i >= 2)
		{
			pattern[n++] = '_';
			pattern[n] = 'b';
		}
		pattern[n + 2] = '%';
		text[SLOW_BYTES - 2] = at_end ? 'b' : 'a';
		CHECK(gpustr_like_compile(pattern, n + 3, GPUSTR_ENC_UTF8, compiled, sizeof(compiled)) > 0, "a pattern");
		CHECK(rowfn_like(text, SLOW_BYTES, compiled, GPUSTR_ENC_UTF8) == (at_end ? GPUSTR_TRUE : GPUSTR_FALSE), "LIKE, %d", i);
		CHECK(rowfn_ilike(text, SLOW_BYTES, &fold, ROWFN_FOLD_ASCII, compiled, GPUSTR_ENC_UTF8) ==
			  (at_end ? GPUSTR_TRUE : GPUSTR_FALSE), "ILIKE, %d", i);
	}
	test_done("patterns over slow texts");
	free(text);
	free(pattern);
}

int
main(void)
{
	Rng			rng = rng_make(test_seed());
	int			i;

	for (i = 0; i < test_rounds(100000); i++)
		random_search(&rng);
	test_done("hits, one by one");
	test_slow();
	test_patterns();
	return test_exit();
}
