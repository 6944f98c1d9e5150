/*-------------------------------------------------------------------------
 *
 * test_search.c
 *	  Searching for a text: rows, long searches in pieces of work, Two-Way, against
 *	  comparisons at each place.
 *
 * IDENTIFICATION
 *	  test/unit/test_search.c
 *
 *-------------------------------------------------------------------------
 */
#include "rowfn/fuzzy_find.h"
#include "test_common.h"

#define MAX_TEXT 700
#define MAX_WHAT 200

/* All hits, by trying each place. */
static int32_t
naive_hits(const char *s, int32_t len, const char *what, int32_t n, int32_t from, int32_t *hits)
{
	int32_t		nhits = 0;
	int32_t		at;

	for (at = from; at <= len - n; at++)
		if (memcmp(s + at, what, (size_t) n) == 0)
			hits[nhits++] = at;
	return nhits;
}

static int32_t
naive_starts(const char *s, int32_t len, int32_t encoding)
{
	int32_t		n = 0;
	int32_t		i;

	for (i = 0; i < len; i++)
		n += encoding != GPUSTR_ENC_UTF8 || (s[i] & 0xC0) != 0x80;
	return n;
}

static int32_t
naive_find(const char *s, int32_t len, const char *what, int32_t n, int32_t from, int32_t encoding)
{
	int32_t		at;

	for (at = 0; at <= len - n; at++)
		if ((at == len || encoding != GPUSTR_ENC_UTF8 || (s[at] & 0xC0) != 0x80) &&
			memcmp(s + at, what, (size_t) n) == 0 && naive_starts(s, at, encoding) + 1 >= from)
			return naive_starts(s, at, encoding) + 1;
	return 0;
}

/* A copy whose bytes end where the allocation does, so that ASan sees one too many. */
static char *
exact_copy(const char *s, int32_t len)
{
	char	   *copy = malloc((size_t) len + 1);

	memcpy(copy + 1, s, (size_t) len);
	return copy;
}

/* rowfn_search_next() with odd budgets and room; 'hard': by Two-Way from the start. */
static void
check_search(Rng *rng, const char *s, int32_t len, const char *what, int32_t n, int hard)
{
	char	   *text = exact_copy(s, len);
	char	   *pattern = exact_copy(what, n);
	int32_t		want[MAX_TEXT + 1];
	int32_t		got[MAX_TEXT + 1];
	int32_t		from = rng_one_in(rng, 3) ? rng_below(rng, len + 2) : 0;
	int32_t		nwant = naive_hits(s, len, what, n, from, want);
	int32_t		ngot = 0;
	int			turns = 0;
	RowfnSearch search;

	rowfn_search_begin(&search, text + 1, len, pattern + 1, n, from);
	if (hard)
	{
		search.hard = 1;
		rowfn_two_way_begin(&search.two_way, search.what, n, from);
	}
	else if (rng_one_in(rng, 2))
		search.compared = -rng_below(rng, 300);
	while (!search.done && turns++ < 100000)
	{
		int32_t		room = rng_one_in(rng, 3) ? MAX_TEXT : 1 + rng_below(rng, 40);

		if (room > MAX_TEXT - ngot + 1)
			room = MAX_TEXT - ngot + 1;
		ngot += rowfn_search_next(&search, 1 + rng_below(rng, rng_one_in(rng, 2) ? 5 : 1000), got + ngot, room);
	}
	CHECK(search.done && ngot == nwant && memcmp(got, want, 4 * (size_t) nwant) == 0,
		  "\"%.*s\" in \"%.*s\": %d hits, not %d", n, what, len, s, ngot, nwant);
	CHECK(rowfn_count_matches(text + 1, len, pattern + 1, n, GPUSTR_ENC_UTF8) == naive_hits(s, len, what, n, 0, want),
		  "\"%.*s\" in \"%.*s\"", n, what, len, s);
	free(text);
	free(pattern);
}

/* A text that what is looked for may be made of: random, or of a period. */
static int32_t
random_text(Rng *rng, char *out, int32_t max, int letters)
{
	int32_t		len = test_text(rng, out, test_length(rng, max), letters);
	int32_t		period;
	int32_t		i;

	if (letters == 2 && len > 1 && rng_one_in(rng, 2))
	{
		period = 1 + rng_below(rng, len < 9 ? len : 9);
		for (i = period; i < len; i++)
			out[i] = out[i - period];
		if (rng_one_in(rng, 2))
			out[rng_below(rng, len)] ^= 3;
	}
	return len;
}

static void
random_searches(Rng *rng, int letters, int hard, int rounds)
{
	char		s[MAX_TEXT];
	char		what[MAX_WHAT + 1];

	while (rounds-- > 0)
	{
		int32_t		len = random_text(rng, s, MAX_TEXT, letters);
		int32_t		n = random_text(rng, what, rng_one_in(rng, 3) ? MAX_WHAT : 12, letters);

		if (len > 0 && rng_one_in(rng, 2))
		{
			/* what is there, at times */
			int32_t		at = rng_below(rng, len);

			n = 1 + rng_below(rng, len - at < MAX_WHAT ? len - at : MAX_WHAT);
			memcpy(what, s + at, (size_t) n);
		}
		if (n == 0)
			what[n++] = 'a';
		check_search(rng, s, len, what, n, hard);
	}
}

static int64_t
measure(int function, const char *s, int32_t len, const char *what, int32_t n, int64_t v, int32_t encoding)
{
	RowfnArgs	args;
	int64_t		value = -1;
	int			ok;

	memset(&args, 0, sizeof(args));
	args.text[0].s = s;
	args.text[0].len = len;
	args.text[1].s = what;
	args.text[1].len = n;
	args.value[2] = v;
	args.encoding = encoding;
	ok = function == GPUSTR_TEXT_FIND ? rowfn_measure_find(&args, &value) :
		rowfn_measure_count_matches(&args, &value);
	CHECK(ok, "recheck");
	return value;
}

static void
random_rows(Rng *rng, int rounds)
{
	char		s[MAX_TEXT];
	char		what[MAX_WHAT];

	while (rounds-- > 0)
	{
		int32_t		encoding = rng_below(rng, 2);
		int			letters = encoding == GPUSTR_ENC_UTF8 ? TEST_ALL_LETTERS : TEST_ASCII_LETTERS;
		int32_t		len = test_text(rng, s, test_length(rng, MAX_TEXT), letters);
		int32_t		n = test_text(rng, what, rng_below(rng, 7), letters);
		int32_t		from = rng_below(rng, 8) == 0 ? rng_below(rng, len + 3) : rng_below(rng, 9) - 2;
		char	   *text = exact_copy(s, len);
		char	   *pattern = exact_copy(what, n);
		int32_t		hits[MAX_TEXT + 1];
		int64_t		got = measure(GPUSTR_TEXT_FIND, text + 1, len, pattern + 1, n, from, encoding);
		int64_t		want = naive_find(s, len, what, n, from, encoding);

		CHECK(got == want, "\"%.*s\" in \"%.*s\" from %d: %d, not %d", n, what, len, s, from, (int) got, (int) want);
		got = measure(GPUSTR_TEXT_COUNT_MATCHES, text + 1, len, pattern + 1, n, 0, encoding);
		want = n == 0 ? naive_starts(s, len, encoding) + 1 : naive_hits(s, len, what, n, 0, hits);
		CHECK(got == want, "\"%.*s\" in \"%.*s\": %d times, not %d", n, what, len, s, (int) got, (int) want);
		CHECK(rowfn_count_starts(text + 1, len, encoding) == naive_starts(s, len, encoding), "\"%.*s\"", len, s);
		free(text);
		free(pattern);
	}
}

static int32_t
find(const char *s, const char *what, int64_t from)
{
	return rowfn_find(s, (int32_t) strlen(s), what, (int32_t) strlen(what), from, GPUSTR_ENC_UTF8);
}

/* A search that would take for ever if it compared everywhere. */
static void
worst_case(void)
{
	int32_t		len = 4 * 1000 * 1000;
	int32_t		n = len / 2;
	char	   *s = malloc((size_t) len);
	char	   *what = malloc((size_t) n);
	int32_t		hits[64];
	int64_t		nhits = 0;
	RowfnSearch search;

	memset(s, 'a', (size_t) len);
	memset(what, 'a', (size_t) n);
	rowfn_search_begin(&search, s, len, what, n, 0);
	while (!search.done)
		nhits += rowfn_search_next(&search, 10000, hits, 64);
	CHECK(nhits == len - n + 1, "%lld hits", (long long) nhits);
	CHECK(search.hard, "Two-Way has not been used");
	nhits = rowfn_count_matches(s, len, what, n, GPUSTR_ENC_UTF8);
	CHECK(nhits == len - n + 1, "%lld hits of a row", (long long) nhits);

	what[1] = 'b';
	CHECK(rowfn_find(s, len, what, n, 1, GPUSTR_ENC_UTF8) == 0, "a row");
	CHECK(rowfn_count_matches(s, len, what, n, GPUSTR_ENC_UTF8) == 0, "a row");
	rowfn_search_begin(&search, s, len, what, n, 0);
	nhits = 0;
	while (!search.done)
		nhits += rowfn_search_next(&search, 10000, hits, 64);
	CHECK(nhits == 0, "%lld hits", (long long) nhits);
	what[1] = 'a';
	what[n / 2] = 'b';
	s[len / 2] = 'b';
	rowfn_search_begin(&search, s, len, what, n, 0);
	while (!search.done)
		nhits += rowfn_search_next(&search, 10000, hits, 64);
	CHECK(nhits == 1 && hits[0] == len / 2 - n / 2, "%lld hits", (long long) nhits);
	free(s);
	free(what);
}

int
main(void)
{
	Rng			rng;

	CHECK(find("high", "ig", 1) == 2, "strpos");
	CHECK(find("", "", 1) == 1 && find("abc", "", 1) == 1, "nothing is everywhere");
	CHECK(find("abc", "", 4) == 4 && find("abc", "", 5) == 0, "nothing after the end");
	CHECK(find("abcabc", "abc", 2) == 4 && find("abcabc", "abc", -5) == 1 && find("abcabc", "abc", 5) == 0, "from");
	CHECK(find("abc", "abcd", 1) == 0 && find("", "a", 1) == 0, "longer than the text");
	CHECK(find("abc", "c", INT64_MAX) == 0 && find("abc", "c", INT64_MIN) == 3, "far away");
	CHECK(find("\303\251\344\270\255x", "x", 1) == 3 && find("\303\251\344\270\255x", "\344\270\255", 2) == 2, "characters");
	test_done("examples");

	rng = rng_make(test_seed());
	random_rows(&rng, test_rounds(60000));
	test_done("rows");
	random_searches(&rng, 2, 0, test_rounds(30000));
	random_searches(&rng, TEST_ALL_LETTERS, 0, test_rounds(10000));
	test_done("searches in pieces");
	random_searches(&rng, 2, 1, test_rounds(60000));
	random_searches(&rng, TEST_ASCII_LETTERS, 1, test_rounds(10000));
	test_done("Two-Way");
	worst_case();
	test_done("a text of one letter");
	return test_exit();
}
