/*-------------------------------------------------------------------------
 *
 * test_like.c
 *	  LIKE and ILIKE: cases by hand, and random ones against the naive matcher.
 *
 * IDENTIFICATION
 *	  test/unit/test_like.c
 *
 *-------------------------------------------------------------------------
 */
#include "naive.h"
#include "program/like_automaton.h"
#include "program/like_compile.h"
#include "test_common.h"

#define E_ACUTE "\303\251"
#define ZHONG "\344\270\255"
#define SMILE "\360\237\231\202"
#define ACUTE "\314\201"

static uint64_t compiled[1 << 14];
static uint64_t automaton[GPUSTR_LIKE_AUTOMATON_BYTES / 8];

/* How many patterns had an automaton, and how many had none. */
static int	automata[2];

/* What is compiled, as an automaton, must give the same answer; fold NULL: LIKE. */
static void
check_automaton(const char *text, int32_t len, const GpustrFold *fold, int32_t encoding, int want)
{
	const GpustrDfa *dfa = (const GpustrDfa *) automaton;
	uint32_t	bytes = gpustr_like_automaton(compiled, encoding, fold, automaton,
											  sizeof(automaton));

	automata[bytes > 0 ? 0 : 1]++;
	if (bytes == 0)
		return;
	CHECK(bytes <= sizeof(automaton) && rowfn_dfa_check(dfa, bytes), "an automaton of %u bytes",
		  bytes);
	CHECK((int) rowfn_dfa_match(dfa, text, len) == want,
		  "\"%.*s\": the automaton of %d states says %u, not %d", len, text, dfa->nstates,
		  rowfn_dfa_match(dfa, text, len), want);
}

/* Compile and match, the text at the very end of an allocation and at its start. */
static int
like(const char *text, int32_t len, const char *pattern, int32_t plen, int32_t encoding)
{
	uint32_t	bytes = gpustr_like_compile(pattern, plen, encoding, compiled, sizeof(compiled));
	char	   *copy = malloc((size_t) len + 8);
	char	   *exact = malloc((size_t) len + 1);
	int			offset = (int) ((uint32_t) len % 8);
	int			got;
	int			again;

	CHECK(bytes > 0 && rowfn_like_check(compiled, bytes), "pattern \"%.*s\": %u bytes",
		  plen, pattern, bytes);
	if (len > 0)
	{
		memcpy(exact + 1, text, (size_t) len);
		memcpy(copy + offset, text, (size_t) len);
	}
	got = rowfn_like(exact + 1, len, compiled, encoding);
	again = rowfn_like(copy + offset, len, compiled, encoding);
	CHECK(got == again, "\"%.*s\": the answer depends on where the text is", len, text);
	check_automaton(exact + 1, len, NULL, encoding, got);
	free(exact);
	free(copy);
	return got;
}

static void
expect(const char *text, const char *pattern, int want)
{
	int			got = like(text, (int32_t) strlen(text), pattern, (int32_t) strlen(pattern),
						   GPUSTR_ENC_UTF8);

	CHECK(got == want, "\"%s\" LIKE \"%s\" is %d, not %d", text, pattern, got, want);
}

/* Which of the texts match?  'want' has a letter Y or n for each. */
static void
expect_each(const char *const *texts, const char *pattern, const char *want)
{
	int			i;

	for (i = 0; texts[i] != NULL; i++)
		expect(texts[i], pattern, want[i] == 'Y' ? GPUSTR_TRUE : GPUSTR_FALSE);
}

static void
test_escapes(void)
{
	static const char *const texts[] = {
		"m@ca", "m%@ca", "mXX@ca", "be_r", "beer", "h_llo", "hello", "100%", "100x",
		"a\\b", "a%b", "ab", "price#5", NULL
	};

	/* as like_escape() rewrites the patterns of case 01 */
	expect_each(texts, "m\\@ca", "Ynnnnnnnnnnnn");
	expect_each(texts, "b\\e\\_r", "nnnYnnnnnnnnn");
	expect_each(texts, "be\\__r", "nnnnnnnnnnnnn");
	expect_each(texts, "be\\_r", "nnnYnnnnnnnnn");
	expect_each(texts, "h\\_llo", "nnnnnYnnnnnnn");
	expect_each(texts, "100\\%", "nnnnnnnYnnnnn");
	expect_each(texts, "a\\\\b", "nnnnnnnnnYnnn");
	expect_each(texts, "a\\b", "nnnnnnnnnnnYn");
	expect_each(texts, "a\\%b", "nnnnnnnnnnYnn");
	expect_each(texts, "%#_", "nnnnnnnnnnnnY");
	expect_each(texts, "m%@ca", "YYYnnnnnnnnnn");
	expect_each(texts, "100_", "nnnnnnnYYnnnn");
	expect_each(texts, "%\\%%", "nYnnnnnYnnYnn");
	test_done("escapes (case 01)");
}

static void
test_characters(void)
{
	static const char *const texts[] = {
		"A", E_ACUTE, ZHONG, SMILE, "e" ACUTE, "", "AB", E_ACUTE ZHONG, SMILE SMILE,
		"caf" E_ACUTE, "cafe", "caf" E_ACUTE "s", "cafe" ACUTE,
		"\360\237\221\250\342\200\215\360\237\221\251\342\200\215\360\237\221\247",
		"\360\237\207\251\360\237\207\252", NULL
	};
	static const char *const letters[] = {"x", E_ACUTE, ZHONG, SMILE};
	char		text[4 * 70 + 1];
	char		pattern[80];
	int			k;
	int			n;

	expect_each(texts, "_", "YYYYnnnnnnnnnnn");
	expect_each(texts, "__", "nnnnYnYYYnnnnnY");
	expect_each(texts, "caf_", "nnnnnnnnnYYnnnn");
	expect_each(texts, "_____%", "nnnnnnnnnnnYYYn");
	expect_each(texts, "%f_", "nnnnnnnnnYYnnnn");
	expect_each(texts, "_" ZHONG, "nnnnnnnYnnnnnnn");
	expect_each(texts, "%_%_", "nnnnYnYYYYYYYYY");
	expect_each(texts, "%\342\200\215%", "nnnnnnnnnnnnnYn");
	for (k = 0; k < 4; k++)
		for (n = 0; n <= 70; n++)
		{
			int			i;

			text[0] = '\0';
			for (i = 0; i < n; i++)
				strcat(text, letters[k]);
			memset(pattern, '_', sizeof(pattern));
			pattern[33] = '\0';
			expect(text, pattern, n == 33);
			pattern[33] = '_';
			pattern[64] = '\0';
			expect(text, pattern, n == 64);
			pattern[64] = '_';
			pattern[0] = '%';
			pattern[66] = '\0';
			expect(text, pattern, n >= 65);
		}
	test_done("one '_' takes one character (case 03)");
}

static void
test_empty(void)
{
	static const char *const texts[] = {"", "a", "abc", " ", E_ACUTE, NULL};
	char		pattern[5003];

	expect_each(texts, "", "Ynnnn");
	expect_each(texts, "%", "YYYYY");
	expect_each(texts, "%%%", "YYYYY");
	expect_each(texts, "%_%", "nYYYY");
	expect_each(texts, "_%", "nYYYY");
	expect_each(texts, "%_", "nYYYY");
	expect_each(texts, "abc", "nnYnn");
	expect_each(texts, "%abc%", "nnYnn");
	expect_each(texts, "%a%", "nYYnn");
	memset(pattern, 'a', sizeof(pattern));
	pattern[0] = '%';
	pattern[5001] = '%';
	pattern[5002] = '\0';
	expect_each(texts, pattern, "nnnnn");
	test_done("empty patterns and texts (case 09)");
}

static void
test_lone_escape(void)
{
	expect("abc", "abc\\", GPUSTR_RECHECK);
	expect("", "\\", GPUSTR_RECHECK);
	expect("abc", "%\\", GPUSTR_RECHECK);
	expect("abc", "x\\", GPUSTR_RECHECK);
	expect("abc\\", "abc\\\\", GPUSTR_TRUE);
	expect("abc", "abc\\\\\\", GPUSTR_RECHECK);
	test_done("a lone escape at the end");
}

static void
test_overlaps(void)
{
	expect("aab", "%ab", GPUSTR_TRUE);
	expect("ab", "ab%b", GPUSTR_FALSE);
	expect("aba", "ab%ba", GPUSTR_FALSE);
	expect("abba", "ab%ba", GPUSTR_TRUE);
	expect("aaab", "%aab%", GPUSTR_TRUE);
	expect("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "%aab%", GPUSTR_TRUE);
	expect("aXbaYb", "%a_b", GPUSTR_TRUE);
	expect("abab", "%ab%ab%", GPUSTR_TRUE);
	expect("aba", "%ab%ab%", GPUSTR_FALSE);
	expect("xay", "%a_%y%", GPUSTR_FALSE);
	expect("xazy", "%a_%y%", GPUSTR_TRUE);
	expect("a" ZHONG "bab", "%a_b%", GPUSTR_TRUE);
	expect("a" ZHONG, "%a_", GPUSTR_TRUE);
	expect(ZHONG ZHONG "a", "__a", GPUSTR_TRUE);
	expect(ZHONG "a", "%__a", GPUSTR_FALSE);
	/* both characters end in the same byte: no match inside a character */
	expect("\303\251", "%\304\251%", GPUSTR_FALSE);
	test_done("overlaps and boundaries");
}

/* A pattern that does not fit gives 0, one that fits gives what is needed. */
static void
test_room(void)
{
	uint32_t	need = gpustr_like_compile("%ab_c%d", 7, GPUSTR_ENC_UTF8, compiled, sizeof(compiled));
	uint32_t	room;

	CHECK(need > 0, "does not compile");
	for (room = 0; room < need; room++)
	{
		uint64_t   *out = malloc(room + 1);

		CHECK(gpustr_like_compile("%ab_c%d", 7, GPUSTR_ENC_UTF8, out, room) == 0,
			  "fits in %u bytes", room);
		free(out);
	}
	CHECK(gpustr_like_compile("%ab_c%d", 7, GPUSTR_ENC_UTF8, compiled, need) == need,
		  "does not fit in %u bytes", need);
	test_done("room for the compiled pattern");
}

/* A compiled pattern with a word changed is refused or still harmless. */
static void
test_damage(Rng *rng)
{
	int			i;

	for (i = 0; i < test_rounds(100000); i++)
	{
		char		pattern[64];
		char		text[64];
		int32_t		plen = test_pattern(rng, pattern, sizeof(pattern), TEST_ALL_LETTERS, NULL, 0);
		int32_t		len = test_text(rng, text, test_length(rng, 64), TEST_ALL_LETTERS);
		uint32_t	bytes = gpustr_like_compile(pattern, plen, GPUSTR_ENC_UTF8, compiled,
												sizeof(compiled));
		uint64_t   *damaged = malloc(bytes);
		char	   *exact = malloc((size_t) len + 1);
		uint32_t	value = rng_one_in(rng, 2) ? (uint32_t) rng_below(rng, 300) : rng_next(rng);

		memcpy(damaged, compiled, bytes);
		memcpy(exact + 1, text, (size_t) len);
		memcpy((char *) damaged + 4 * rng_below(rng, (int32_t) (bytes / 4)), &value, 4);
		if (rowfn_like_check(damaged, bytes))
		{
			int			got = rowfn_like(exact + 1, len, damaged, GPUSTR_ENC_UTF8);

			CHECK(got == GPUSTR_TRUE || got == GPUSTR_FALSE || got == GPUSTR_RECHECK,
				  "answer %d", got);
		}
		free(damaged);
		free(exact);
	}
	test_done("damaged patterns");
}

static void
test_random(Rng *rng, const char *name, int rounds, int letters, int32_t max_bytes, int32_t encoding)
{
	int			seen[4] = {0};
	int			i;

	for (i = 0; i < test_rounds(rounds); i++)
	{
		char		pattern[256];
		char		text[512];
		int32_t		len = test_text(rng, text, test_length(rng, max_bytes), letters);
		int32_t		plen = test_pattern(rng, pattern, sizeof(pattern), letters, text, len);
		int			want = naive_like(text, len, pattern, plen, encoding);
		int			got = like(text, len, pattern, plen, encoding);

		CHECK(got == want, "\"%.*s\" LIKE \"%.*s\" is %d, not %d", len, text, plen, pattern, got, want);
		seen[want]++;
	}
	printf("# %s: %d true, %d false, %d recheck\n", name, seen[GPUSTR_TRUE], seen[GPUSTR_FALSE],
		   seen[GPUSTR_RECHECK]);
	CHECK(seen[GPUSTR_TRUE] > 0 && seen[GPUSTR_FALSE] > 0, "one-sided");
	test_done(name);
}

/* ILIKE by each kind of fold that fits, the text where an overrun is seen. */
static int
ilike(const char *text, int32_t len, const GpustrFold *fold, const char *pattern, int32_t plen,
	  int32_t encoding)
{
	RowfnFoldKind kind = rowfn_fold_kind(fold);
	char	   *exact = malloc((size_t) len + 1);
	int			got;

	CHECK(rowfn_fold_check(fold), "not a fold");
	CHECK(gpustr_like_compile(pattern, plen, encoding, compiled, sizeof(compiled)) > 0,
		  "pattern \"%.*s\"", plen, pattern);
	if (len > 0)
		memcpy(exact + 1, text, (size_t) len);
	got = rowfn_ilike(exact + 1, len, fold, ROWFN_FOLD_TABLE, compiled, encoding);
	if (kind == ROWFN_FOLD_ASCII)
		CHECK(rowfn_ilike(exact + 1, len, fold, ROWFN_FOLD_ASCII, compiled, encoding) == got,
			  "\"%.*s\" ILIKE \"%.*s\" depends on the kind of fold", len, text, plen, pattern);
	check_automaton(exact + 1, len, fold, encoding, got);
	free(exact);
	return got;
}

static void
expect_ilike(const char *text, const GpustrFold *fold, const char *pattern, int want)
{
	int			got = ilike(text, (int32_t) strlen(text), fold, pattern, (int32_t) strlen(pattern),
							GPUSTR_ENC_UTF8);

	CHECK(got == want, "\"%s\" ILIKE \"%s\" is %d, not %d", text, pattern, got, want);
}

/* Each byte alone, and at each place of a word, against the definition. */
static void
test_fold_bytes(void)
{
	GpustrFold	fold;
	int			c;
	int			at;

	memset(&fold, 0, sizeof(fold));
	for (c = 0; c < 128; c++)
		fold.ascii[c] = (uint8_t) (c >= 'A' && c <= 'Z' ? c + 32 : c);
	CHECK(rowfn_fold_kind(&fold) == ROWFN_FOLD_ASCII, "the fold of ASCII is not recognised");
	for (c = 0; c < 256; c++)
	{
		unsigned char want = (unsigned char) (c >= 'A' && c <= 'Z' ? c + 32 : c);

		CHECK((unsigned char) rowfn_fold_byte((char) c, &fold, ROWFN_FOLD_ASCII) == want, "byte %d", c);
		CHECK((unsigned char) rowfn_fold_byte((char) c, &fold, ROWFN_FOLD_TABLE) == want, "byte %d", c);
		CHECK((unsigned char) rowfn_fold_byte((char) c, &fold, ROWFN_FOLD_NONE) == c, "byte %d", c);
		for (at = 0; at < 32; at += 8)
		{
			uint32_t	others = 0xFF80A55Au & ~(0xFFu << at);
			uint32_t	word = others | (uint32_t) c << at;

			CHECK(rowfn_fold_ascii4(word) == ((rowfn_fold_ascii4(others) & ~(0xFFu << at)) |
											  (uint32_t) want << at), "byte %d at bit %d", c, at);
		}
	}
	CHECK(rowfn_fold_ascii4(0x5A5B4140u) == 0x7A5B6140u, "Z [ A @");
	for (c = 1; c < 128; c++)
	{
		GpustrFold	other = fold;

		other.ascii[c] ^= 1;
		CHECK(rowfn_fold_kind(&other) == ROWFN_FOLD_TABLE, "byte %d differs", c);
		other.ascii[c] = 200;
		CHECK(!rowfn_fold_check(&other), "byte %d is none", c);
		other.ascii[c] = GPUSTR_FOLD_RECHECK;
		CHECK(rowfn_fold_check(&other), "byte %d is recheck", c);
	}
	fold.others_stay = 2;
	CHECK(!rowfn_fold_check(&fold), "others_stay 2");
	test_done("folding bytes");
}

static void
test_ilike_by_hand(void)
{
	static const char long_text[] = "The QUICK brown Fox Jumps over the LAZY dog";
	char		text[128];
	GpustrFold	c_fold;
	GpustrFold	en;
	GpustrFold	tr;
	int			i;

	memset(&c_fold, 0, sizeof(c_fold));
	for (i = 0; i < 128; i++)
		c_fold.ascii[i] = (uint8_t) (i >= 'A' && i <= 'Z' ? i + 32 : i);
	en = tr = c_fold;
	c_fold.others_stay = 1;
	tr.ascii['I'] = GPUSTR_FOLD_RECHECK;

	expect_ilike("AbC", &c_fold, "abc", GPUSTR_TRUE);
	expect_ilike("AbC", &en, "_b%", GPUSTR_TRUE);
	expect_ilike("A[Z@z", &en, "a[z@z", GPUSTR_TRUE);
	expect_ilike("A{Z`z", &en, "a[z@z", GPUSTR_FALSE);
	expect_ilike("A%B", &en, "a\\%b", GPUSTR_TRUE);
	expect_ilike("AxB", &en, "a\\%b", GPUSTR_FALSE);
	expect_ilike("CAF" E_ACUTE, &c_fold, "caf" E_ACUTE, GPUSTR_TRUE);
	expect_ilike("CAF" E_ACUTE, &c_fold, "caf_", GPUSTR_TRUE);
	expect_ilike("CAF" E_ACUTE, &en, "caf_", GPUSTR_RECHECK);
	/* the whole value, wherever the pattern looks */
	expect_ilike("zzz" E_ACUTE, &en, "a%", GPUSTR_RECHECK);
	expect_ilike(E_ACUTE "zzz", &en, "%a", GPUSTR_RECHECK);
	expect_ilike(E_ACUTE, &en, "aaaaaaaaaaaa", GPUSTR_RECHECK);
	expect_ilike(E_ACUTE, &en, "%", GPUSTR_RECHECK);
	expect_ilike("zzzI", &tr, "a%", GPUSTR_RECHECK);
	expect_ilike("zzzi", &tr, "a%", GPUSTR_FALSE);
	expect_ilike("i", &tr, "i", GPUSTR_TRUE);
	expect_ilike("I", &en, "i", GPUSTR_TRUE);
	expect_ilike("I", &tr, "i", GPUSTR_RECHECK);
	expect_ilike("A", &tr, "a", GPUSTR_TRUE);
	expect_ilike("", &en, "", GPUSTR_TRUE);
	expect_ilike("", &en, "%", GPUSTR_TRUE);
	expect_ilike("", &en, "_", GPUSTR_FALSE);
	expect_ilike("abc", &en, "abc\\", GPUSTR_RECHECK);
	expect_ilike(long_text, &en, "the quick brown fox jumps over the lazy dog", GPUSTR_TRUE);
	expect_ilike(long_text, &en, "%lazy%", GPUSTR_TRUE);
	expect_ilike(long_text, &en, "%LAZY%", GPUSTR_FALSE);	/* not folded */
	for (i = 0; i < (int) strlen(long_text); i++)
	{
		/* one character that does not fit, or needs PostgreSQL, at each place */
		strcpy(text, long_text);
		text[i] = '#';
		expect_ilike(text, &en, "the quick brown fox jumps over the lazy dog", GPUSTR_FALSE);
		text[i] = (char) 0xE9;
		CHECK(ilike(text, (int32_t) strlen(text), &en, "%", 1, GPUSTR_ENC_SINGLE_BYTE) == GPUSTR_RECHECK,
			  "place %d", i);
		CHECK(ilike(text, (int32_t) strlen(text), &c_fold, "%", 1, GPUSTR_ENC_SINGLE_BYTE) == GPUSTR_TRUE,
			  "place %d", i);
		text[i] = 'I';
		expect_ilike(text, &tr, "x%", GPUSTR_RECHECK);
	}
	test_done("ILIKE by hand (cases 05 and 06)");
}

static void
test_random_ilike(Rng *rng, const char *name, int rounds, int letters, int32_t max_bytes,
				  int32_t encoding)
{
	int			seen[4] = {0};
	int			i;

	for (i = 0; i < test_rounds(rounds); i++)
	{
		char		pattern[256];
		char		text[512];
		GpustrFold	fold;
		int32_t		len = test_text(rng, text, test_length(rng, max_bytes), letters);
		int32_t		plen = test_pattern(rng, pattern, sizeof(pattern), letters, text, len);
		int			want;
		int			got;

		test_fold(rng, &fold);
		test_fold_pattern(pattern, plen, &fold);
		want = naive_ilike(text, len, &fold, pattern, plen, encoding);
		got = ilike(text, len, &fold, pattern, plen, encoding);
		CHECK(got == want, "\"%.*s\" ILIKE \"%.*s\" is %d, not %d", len, text, plen, pattern, got, want);
		seen[want]++;
	}
	printf("# %s: %d true, %d false, %d recheck\n", name, seen[GPUSTR_TRUE], seen[GPUSTR_FALSE],
		   seen[GPUSTR_RECHECK]);
	CHECK(seen[GPUSTR_TRUE] > 0 && seen[GPUSTR_FALSE] > 0 && seen[GPUSTR_RECHECK] > 0, "one-sided");
	test_done(name);
}

/* Any bytes, patterns of which may start within a character: the two forms agree. */
static void
test_broken(Rng *rng)
{
	static const char bytes[] = "aab\200\251\303\344\360A";
	GpustrFold	fold;
	int			seen[4] = {0};
	int			i;

	for (i = 0; i < test_rounds(400000); i++)
	{
		char		pattern[16];
		char		text[16];
		int32_t		len = rng_below(rng, (int32_t) sizeof(text));
		int32_t		plen = rng_below(rng, (int32_t) sizeof(pattern));
		int32_t		j;

		for (j = 0; j < len; j++)
			text[j] = bytes[rng_below(rng, (int32_t) sizeof(bytes) - 1)];
		for (j = 0; j < plen; j++)
			pattern[j] = rng_one_in(rng, 2) ? "%%_"[rng_below(rng, 3)] :
				bytes[rng_below(rng, rng_one_in(rng, 2) ? 3 : (int32_t) sizeof(bytes) - 2)];
		if (rng_one_in(rng, 2))
			seen[like(text, len, pattern, plen, GPUSTR_ENC_UTF8)]++;
		else
		{
			test_fold(rng, &fold);
			seen[ilike(text, len, &fold, pattern, plen, GPUSTR_ENC_UTF8)]++;
		}
	}
	CHECK(seen[GPUSTR_TRUE] > 0 && seen[GPUSTR_FALSE] > 0 && seen[GPUSTR_RECHECK] > 0, "one-sided");
	test_done("any bytes, matched and by automaton");
}

/* What has an automaton, and of how many states. */
static void
test_automata(void)
{
	static const struct
	{
		const char *pattern;
		int			states;		/* 0: none */
	}			examples[] = {
		{"%ab%cd%", 6}, {"", 3}, {"%", 2}, {"abc", 6}, {"%abcdefgh%", 10}, {"%a__________b%", 0},
		{"a\\", 0}, {"%_", 4}, {"\251%", 0}, {"a\251%", 4}
	};
	char		longest[128];
	size_t		i;

	for (i = 0; i < sizeof(examples) / sizeof(examples[0]); i++)
	{
		const char *pattern = examples[i].pattern;
		const GpustrDfa *dfa = (const GpustrDfa *) automaton;
		uint32_t	bytes;

		CHECK(gpustr_like_compile(pattern, (int32_t) strlen(pattern), GPUSTR_ENC_UTF8, compiled,
								  sizeof(compiled)) > 0, "pattern \"%s\"", pattern);
		bytes = gpustr_like_automaton(compiled, GPUSTR_ENC_UTF8, NULL, automaton, sizeof(automaton));
		CHECK((bytes > 0 ? dfa->nstates : 0) == examples[i].states, "\"%s\" has %d states, not %d",
			  pattern, bytes > 0 ? dfa->nstates : 0, examples[i].states);
		CHECK(bytes == 0 ||
			  gpustr_like_automaton(compiled, GPUSTR_ENC_UTF8, NULL, automaton, bytes) == bytes,
			  "\"%s\" in exactly its room", pattern);
		CHECK(bytes == 0 ||
			  gpustr_like_automaton(compiled, GPUSTR_ENC_UTF8, NULL, automaton, bytes - 1) == 0,
			  "\"%s\" in less", pattern);
	}
	memset(longest, 'x', sizeof(longest));
	CHECK(like("", 0, longest, sizeof(longest), GPUSTR_ENC_UTF8) == GPUSTR_FALSE, "a long pattern");
	CHECK(gpustr_like_automaton(compiled, GPUSTR_ENC_UTF8, NULL, automaton, sizeof(automaton)) == 0,
		  "a long pattern has an automaton");
	printf("# %d patterns with an automaton, %d without\n", automata[0], automata[1]);
	CHECK(automata[0] > automata[1] && automata[1] > 0, "one-sided");
	test_done("automata of patterns");
}

int
main(void)
{
	Rng			rng;

	test_escapes();
	test_characters();
	test_empty();
	test_lone_escape();
	test_overlaps();
	test_room();
	rng = rng_make(test_seed());
	test_damage(&rng);
	test_random(&rng, "random: two letters", 200000, 2, 60, GPUSTR_ENC_UTF8);
	test_random(&rng, "random: ASCII", 200000, TEST_ASCII_LETTERS, 200, GPUSTR_ENC_SINGLE_BYTE);
	test_random(&rng, "random: UTF-8", 300000, TEST_ALL_LETTERS, 400, GPUSTR_ENC_UTF8);
	test_random(&rng, "random: bytes above 127 in a single-byte encoding", 100000,
				TEST_ALL_LETTERS, 200, GPUSTR_ENC_SINGLE_BYTE);
	test_fold_bytes();
	test_ilike_by_hand();
	test_random_ilike(&rng, "ILIKE, random: ASCII", 200000, TEST_ASCII_LETTERS, 200, GPUSTR_ENC_UTF8);
	test_random_ilike(&rng, "ILIKE, random: UTF-8", 200000, TEST_ALL_LETTERS, 400, GPUSTR_ENC_UTF8);
	test_random_ilike(&rng, "ILIKE, random: bytes above 127 in a single-byte encoding", 100000,
					  TEST_ALL_LETTERS, 200, GPUSTR_ENC_SINGLE_BYTE);
	test_broken(&rng);
	test_automata();
	return test_exit();
}
