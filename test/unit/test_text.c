/*-------------------------------------------------------------------------
 *
 * test_text.c
 *	  Functions of texts: PostgreSQL's answers, random calls against plain code,
 *	  bytes that are no text, and texts that change.
 *
 * IDENTIFICATION
 *	  test/unit/test_text.c
 *
 *-------------------------------------------------------------------------
 */
#include "naive_text_call.h"
#include "text_call.h"
#include "text_examples_make.h"
#include "text_examples_slice.h"
#include "text_gen.h"

/* Functions that are tested elsewhere. */
static int
is_elsewhere(int function)
{
	return function == GPUSTR_TEXT_REDACT_PII || function == GPUSTR_TEXT_FIND ||
		function == GPUSTR_TEXT_COUNT_MATCHES || function == GPUSTR_TEXT_EDIT_DISTANCE ||
		function == GPUSTR_TEXT_EDIT_WITHIN || function == GPUSTR_TEXT_FUZZY_FIND;
}

/* Room for arguments. */
typedef struct TestArgs
{
	RowfnArgs	args;
	char		text[3][TEXT_GEN_BYTES];
				_Alignas(8) char constant[TEXT_GEN_MAP_BYTES];
} TestArgs;

/* Random arguments; valid texts. */
static void
make_args(Rng *rng, int function, TestArgs *made)
{
	const char *shape = gpustr_text_function_shape(function);
	RowfnArgs  *args = &made->args;
	uint32_t	bytes;
	int			i;

	memset(args, 0, sizeof(*args));
	args->encoding = rng_below(rng, 2);
	for (i = 0; i < 3 && shape[i] != '\0'; i++)
	{
		char	   *text = made->text[i];

		if (shape[i] == 'V')
			args->value[i] = i == 0 || rng_one_in(rng, 20) ? text_gen_number(rng) : text_gen_count(rng);
		else if (function == GPUSTR_TEXT_TO_FLOAT4 || function == GPUSTR_TEXT_TO_FLOAT8)
			args->text[i].len = text_gen_float_text(rng, text);
		else if (function == GPUSTR_TEXT_TO_UUID)
			args->text[i].len = text_gen_uuid_text(rng, text);
		else if (function == GPUSTR_TEXT_FROM_NUMERIC)
			args->text[i].len = text_gen_numeric(rng, text);
		else if (function >= GPUSTR_TEXT_TO_INT2 && function <= GPUSTR_TEXT_TO_DATE)
			args->text[i].len = text_gen_number_text(rng, text);
		else if (i > 0 && rng_one_in(rng, 2) && args->text[0].len > 0)
		{
			/* a piece of the first text, cut at characters */
			const char *from = made->text[0];
			int32_t		len = args->text[0].len;
			int32_t		start = rng_below(rng, len);
			int32_t		end;

			while (args->encoding == GPUSTR_ENC_UTF8 && start > 0 && rowfn_utf8_is_continuation(from[start]))
				start--;
			end = start + rng_below(rng, rng_one_in(rng, 3) ? len - start : 4);
			end = end > len ? len : end;
			while (args->encoding == GPUSTR_ENC_UTF8 && end < len && rowfn_utf8_is_continuation(from[end]))
				end++;
			memcpy(text, from + start, (size_t) (end - start));
			args->text[i].len = end - start;
		}
		else
			args->text[i].len = text_gen_text(rng, args->encoding, text);
		if (function == GPUSTR_TEXT_REGEX_REPLACE && i == 1)
			args->text[i].len = extents_gen_replacement(rng, text);
		if (function == GPUSTR_TEXT_FROM_UUID && !rng_one_in(rng, 4))
			args->text[i].len = 16;
		args->text[i].s = text;
	}
	if (function == GPUSTR_TEXT_FROM_FLOAT4 || function == GPUSTR_TEXT_FROM_FLOAT8)
		args->value[0] = text_gen_float(rng, function == GPUSTR_TEXT_FROM_FLOAT4);
	bytes = text_gen_constant(rng, function, args->encoding, made->constant);
	args->constant = made->constant;
	CHECK(rowfn_text_check(function, args->constant, bytes), "function %d: its constant is refused", function);
}

/* One random call; is its answer the plain one? */
static void
random_call(Rng *rng, int function)
{
	static NaiveAnswer want;
	static TestArgs made;
	TextAnswer	got;

	make_args(rng, function, &made);
	naive_text_function(function, &made.args, &want);
	got = call_text_function(function, &made.args);
	CHECK(got.recheck == want.recheck && (got.recheck || got.value == want.value) &&
		  (got.text == NULL || want.value > NAIVE_MAX_BYTES ||
		   memcmp(got.text, want.text, (size_t) want.value) == 0),
		  "function %d in encoding %d of \"%.*s\" \"%.*s\" \"%.*s\" %lld %lld %lld: %d %lld \"%s\", not %d %lld \"%.*s\"",
		  function, made.args.encoding, made.args.text[0].len, made.args.text[0].s, made.args.text[1].len,
		  made.args.text[1].s, made.args.text[2].len, made.args.text[2].s, (long long) made.args.value[0],
		  (long long) made.args.value[1], (long long) made.args.value[2], got.recheck, (long long) got.value,
		  got.text ? got.text : "", want.recheck, (long long) want.value, (int) want.value, want.text);
	free(got.text);
}

/* A call with bytes that are no text: nothing outside is touched. */
static void
spoilt_call(Rng *rng, int function)
{
	static TestArgs made;
	int			i;

	make_args(rng, function, &made);
	for (i = 0; i < 3; i++)
		if (rng_one_in(rng, 2))
			text_gen_spoil(rng, made.text[i], made.args.text[i].len);
	free(call_text_function(function, &made.args).text);
	if (function > GPUSTR_TEXT_SLICE_LAST && function <= GPUSTR_TEXT_MAKE_LAST)
		call_while_changing(rng, function, &made.args);
}

static void
test_random(Rng *rng)
{
	int			function;
	int			i;

	for (function = 1; function <= GPUSTR_TEXT_FUNCTION_LAST; function++)
	{
		char		name[64];

		if (is_elsewhere(function))
			continue;
		for (i = 0; i < test_rounds(8000); i++)
			random_call(rng, function);
		snprintf(name, sizeof(name), "random calls of function %d", function);
		test_done(name);
	}
	for (i = 0; i < test_rounds(8000); i++)
		for (function = 1; function <= GPUSTR_TEXT_FUNCTION_LAST; function++)
			if (!is_elsewhere(function))
				spoilt_call(rng, function);
	test_done("bytes that are no text, and texts that change");
}

/* What a function makes of one text; constant: or NULL. */
static TextAnswer
call_one(int function, const char *text, int32_t len, const void *constant, int32_t encoding)
{
	RowfnArgs	args;

	memset(&args, 0, sizeof(args));
	args.text[0].s = text;
	args.text[0].len = len;
	args.constant = (const char *) constant;
	args.encoding = encoding;
	return call_text_function(function, &args);
}

static void
expect_one(int function, const char *text, const void *constant, const char *want)
{
	TextAnswer	got = call_one(function, text, (int32_t) strlen(text), constant, GPUSTR_ENC_UTF8);

	CHECK(got.recheck == (want == NULL) && (got.recheck || strcmp(got.text, want) == 0),
		  "function %d of \"%s\": \"%s\"", function, text, got.recheck ? "recheck" : got.text);
	free(got.text);
}

/* The maps of upper() and lower(), one behind the other; pairs of codes, 0 at the end. */
static void
set_maps(char *maps, int others_stay, const uint32_t *upper, const uint32_t *lower)
{
	GpustrCaseMap *map = (GpustrCaseMap *) maps;
	int			which;
	int			c;

	for (which = 0; which < 2; which++)
	{
		const uint32_t *pairs = which == 0 ? upper : lower;
		int			from = which == 0 ? 'a' : 'A';

		for (c = 0; c < 128; c++)
			map->ascii[c] = (uint8_t) (c >= from && c < from + 26 ? c ^ 32 : c);
		map->others_stay = others_stay;
		map->npairs = 0;
		for (; pairs[0] != 0; pairs += 2)
		{
			map->pairs[map->npairs].from = pairs[0];
			map->pairs[map->npairs++].to = pairs[1];
		}
		map = (GpustrCaseMap *) ((char *) map + GPUSTR_CASE_MAP_BYTES(map->npairs));
	}
}

/*
 * Answers of PostgreSQL 15 under C, and under C.UTF-8 as far as the pairs go;
 * sharp s and the rest stay.
 */
static void
test_case(void)
{
	static const uint32_t none[] = {0};
	static const uint32_t upper[] = {0xE9, 0xC9, 0xFC, 0xDC, 0x131, 'I', 0x17F, 'S', 0x250, 0x2C6F, 0};
	static const uint32_t lower[] = {0xC9, 0xE9, 0xDC, 0xFC, 0x130, GPUSTR_CASE_RECHECK, 0x2C6F, 0x250, 0};
	_Alignas(8) char maps[640];
	GpustrCaseMap *second;

	set_maps(maps, 1, none, none);
	expect_one(GPUSTR_TEXT_UPPER, "abcXYZ \303\251\344\270\255", maps, "ABCXYZ \303\251\344\270\255");
	expect_one(GPUSTR_TEXT_UPPER, "a\303", maps, "A\303");
	expect_one(GPUSTR_TEXT_INITCAP, "hi THOMAS don't 1st o2x_y", maps, "Hi Thomas Don'T 1st O2x_Y");
	expect_one(GPUSTR_TEXT_INITCAP, "a\303\251b", maps, "A\303\251B");
	expect_one(GPUSTR_TEXT_INITCAP, "0aB 9aB /aB :aB @aB [aB `aB {aB aZz AzZ", maps,
			   "0ab 9ab /Ab :Ab @Ab [Ab `Ab {Ab Azz Azz");
	expect_one(GPUSTR_TEXT_INITCAP, "", maps, "");
	test_done("case maps of collation C");

	set_maps(maps, 1, upper, lower);
	second = (GpustrCaseMap *) naive_next_map(maps);
	expect_one(GPUSTR_TEXT_UPPER, "caf\303\251 \303\237 \344\270\255", maps, "CAF\303\211 \303\237 \344\270\255");
	expect_one(GPUSTR_TEXT_UPPER, "\304\261\305\277", maps, "IS");
	expect_one(GPUSTR_TEXT_UPPER, "\311\220x", maps, "\342\261\257X");
	expect_one(GPUSTR_TEXT_LOWER, "\342\261\257X", second, "\311\220x");
	expect_one(GPUSTR_TEXT_LOWER, "CAF\303\211 \303\234", second, "caf\303\251 \303\274");
	expect_one(GPUSTR_TEXT_LOWER, "a\304\260", second, NULL);
	expect_one(GPUSTR_TEXT_UPPER, "a\303", maps, NULL);
	expect_one(GPUSTR_TEXT_UPPER, "a\300\200", maps, NULL);
	expect_one(GPUSTR_TEXT_UPPER, "a\355\240\200", maps, NULL);
	expect_one(GPUSTR_TEXT_UPPER, "a\364\220\200\200", maps, NULL);
	expect_one(GPUSTR_TEXT_UPPER, "a\200", maps, NULL);
	expect_one(GPUSTR_TEXT_INITCAP, "\303\251COLE M\303\234LLER caf\303\251 x", maps,
			   "\303\211cole M\303\274ller Caf\303\251 X");
	/* is a Chinese character a letter?  C.UTF-8 says so; the maps do not tell */
	expect_one(GPUSTR_TEXT_INITCAP, "\344\270\255 a", maps, "\344\270\255 A");
	expect_one(GPUSTR_TEXT_INITCAP, "\344\270\255a", maps, NULL);
	expect_one(GPUSTR_TEXT_INITCAP, "a\304\260", maps, NULL);
	expect_one(GPUSTR_TEXT_INITCAP, "a \304\260", maps, "A \304\260");
	test_done("case maps with pairs");

	set_maps(maps, 0, upper, lower);
	expect_one(GPUSTR_TEXT_UPPER, "caf\303\251", maps, "CAF\303\211");
	expect_one(GPUSTR_TEXT_UPPER, "caf\303\251 \303\237", maps, NULL);
	((GpustrCaseMap *) maps)->ascii['i'] = 0xFF;
	expect_one(GPUSTR_TEXT_UPPER, "cafe", maps, "CAFE");
	expect_one(GPUSTR_TEXT_UPPER, "iota", maps, NULL);
	expect_one(GPUSTR_TEXT_INITCAP, "fine", maps, "Fine");
	expect_one(GPUSTR_TEXT_INITCAP, "if", maps, NULL);
	test_done("case maps that do not know");
}

/* A constant that is no map is refused. */
static void
test_constants(void)
{
	static const uint32_t pairs[] = {0xE9, 0xC9, 0xFC, 0xDC, 0};
	_Alignas(8) char maps[640];
	GpustrCaseMap *map = (GpustrCaseMap *) maps;
	const char *p = maps;
	uint32_t	one = GPUSTR_CASE_MAP_BYTES(2);

	set_maps(maps, 1, pairs, pairs);
	CHECK(rowfn_text_check(GPUSTR_TEXT_UPPER, p, one), "a map is refused");
	CHECK(rowfn_text_check(GPUSTR_TEXT_INITCAP, p, 2 * one), "two maps are refused");
	CHECK(!rowfn_text_check(GPUSTR_TEXT_INITCAP, p, one), "one map will do for initcap()");
	CHECK(!rowfn_text_check(GPUSTR_TEXT_INITCAP, p, 2 * one - 8), "the second map is cut off");
	CHECK(!rowfn_text_check(GPUSTR_TEXT_UPPER, p, one - 8), "a map is cut off");
	CHECK(!rowfn_text_check(GPUSTR_TEXT_UPPER, p, 0), "there is no map");
	CHECK(rowfn_text_check(GPUSTR_TEXT_CONCAT, p, 0), "CONCAT needs a constant");
	CHECK(!rowfn_text_check(GPUSTR_TEXT_CONCAT, p, 8), "CONCAT takes a constant");
	CHECK(!rowfn_text_check(0, p, 0) && !rowfn_text_check(GPUSTR_TEXT_FUNCTION_LAST + 1, p, 0),
		  "there are more functions");
	map->npairs = -1;
	CHECK(!rowfn_text_check(GPUSTR_TEXT_UPPER, p, one), "-1 pairs");
	map->npairs = INT32_MAX;
	CHECK(!rowfn_text_check(GPUSTR_TEXT_UPPER, p, one), "2^31 pairs");
	map->npairs = 2;
	map->pairs[1].from = map->pairs[0].from;
	CHECK(!rowfn_text_check(GPUSTR_TEXT_UPPER, p, one), "pairs do not ascend");
	map->pairs[1].from++;
	map->ascii[7] = 0x80;
	CHECK(!rowfn_text_check(GPUSTR_TEXT_UPPER, p, one), "ASCII becomes 0x80");
	test_done("constants");
}

/* What would take PostgreSQL, or a device, too much is left to PostgreSQL. */
static void
test_limits(void)
{
	static const GpustrCaseMap map;
	RowfnArgs	args;
	int			i;

	memset(&args, 0, sizeof(args));
	args.constant = (const char *) &map;
	for (i = 0; i < 3; i++)
		args.text[i].s = "x";	/* nothing is looked at */
	args.text[0].len = 1000000;
	args.text[1].len = (1 << 20) - 1000000;
	CHECK(rowfn_text_bytes(GPUSTR_TEXT_CONCAT, &args) == 1 << 20, "a text of 1 MB");
	args.text[1].len++;
	CHECK(rowfn_text_bytes(GPUSTR_TEXT_CONCAT, &args) == ROWFN_TEXT_RECHECK, "a text of more");
	args.text[0].len = args.text[1].len = 0x1FFFFFFF;
	CHECK(rowfn_text_bytes(GPUSTR_TEXT_CONCAT, &args) == ROWFN_TEXT_RECHECK, "a text of 1 GB");
	args.text[0].len = INT32_MAX;
	args.text[1].len = INT32_MAX;
	CHECK(rowfn_text_bytes(GPUSTR_TEXT_CONCAT, &args) == ROWFN_TEXT_RECHECK, "a text of 4 GB");
	args.value[1] = INT32_MAX;
	CHECK(rowfn_text_bytes(GPUSTR_TEXT_REPEAT, &args) == ROWFN_TEXT_RECHECK, "a text of 4 EB");
	CHECK(rowfn_text_bytes(GPUSTR_TEXT_UPPER, &args) == ROWFN_TEXT_RECHECK, "upper() of 2 GB");
	CHECK(rowfn_text_bytes(GPUSTR_TEXT_INITCAP, &args) == ROWFN_TEXT_RECHECK, "initcap() of 2 GB");
	CHECK(rowfn_text_bytes(GPUSTR_TEXT_TRANSLATE, &args) == ROWFN_TEXT_RECHECK, "translate() of 2 GB");
	test_done("limits");
}

/*
 * Of 'a', then anything up to an x: what is tried from each a, where there is no x, goes
 * to the end; in a long text that is not done often.
 */
static void
test_late_failures(void)
{
	static const uint16_t next[4][3] = {{0, 0, 0}, {1, 1, 1}, {0, 3, 0}, {3, 3, 1}};
	static struct
	{
		GpustrRegexExtents x;
		GpustrDfa	dfa;
		uint16_t	next[4][3];
		uint8_t		at_end[8];
	}			made;
	int32_t		len = ROWFN_EXTENTS_BYTES;
	char	   *text = (char *) malloc((size_t) len);
	int32_t		n;

	made.x.plain = made.x.middle = made.dfa.start = 2;
	made.x.accept = 4;
	made.x.begins['a' / 32] = 1u << 'a' % 32;
	made.dfa.nstates = 4;
	made.dfa.nclasses = 3;
	made.dfa.next_off = (int32_t) ((char *) made.next - (char *) &made.dfa);
	made.dfa.at_end_off = (int32_t) ((char *) made.at_end - (char *) &made.dfa);
	made.dfa.class_of['a'] = 1;
	made.dfa.class_of['x'] = 2;
	made.at_end[1] = GPUSTR_TRUE;
	memcpy(made.next, next, sizeof(next));
	CHECK(rowfn_text_check(GPUSTR_TEXT_REGEX_COUNT, (const char *) &made, sizeof(made)), "the automaton is refused");
	memset(text, '.', (size_t) len);
	for (n = 0; n < 20; n++)
	{
		TextAnswer	all = call_one(GPUSTR_TEXT_REGEX_COUNT, text, len, &made, GPUSTR_ENC_UTF8);
		TextAnswer	few = call_one(GPUSTR_TEXT_REGEX_COUNT, text, 1000, &made, GPUSTR_ENC_UTF8);

		CHECK(all.recheck == (n > 2), "%d places fail late: recheck %d", n, all.recheck);
		CHECK(few.recheck == (n > 16 + 4), "%d places of a short text fail late: recheck %d", n, few.recheck);
		CHECK((all.recheck || all.value == 0) && (few.recheck || few.value == 0), "a match is counted");
		text[n] = 'a';
	}
	free(text);
	test_done("many places that fail late");
}

/* The first place of the n bytes of 'what' in [start, end), or -1. */
static int32_t
naive_find(const char *s, int32_t start, int32_t end, const char *what, int32_t n)
{
	for (; start <= end - n; start++)
		if (memcmp(s + start, what, (size_t) n) == 0)
			return start;
	return -1;
}

/* Search among few different bytes, so that much of what is sought fits. */
static void
find_one(Rng *rng)
{
	char	   *block;
	char	   *what_block;
	char		text[600];
	char		what[300];
	int32_t		n = 1 + rng_below(rng, rng_one_in(rng, 2) ? 4 : rng_one_in(rng, 2) ? 40 : 300);
	int32_t		len = rng_below(rng, rng_one_in(rng, 2) ? 600 : 40);
	int32_t		period = 1 + rng_below(rng, n);
	int32_t		start = rng_one_in(rng, 2) ? 0 : rng_below(rng, len + 1);
	RowfnText	t;
	RowfnText	w;
	int32_t		want;
	int32_t		got;
	int32_t		i;

	for (i = 0; i < n; i++)
		what[i] = (char) (i < period || rng_one_in(rng, 60) ? 'a' + rng_below(rng, 2) : what[i - period]);
	for (i = 0; i < len; i++)
		text[i] = (char) (rng_one_in(rng, 50) ? 'a' + rng_below(rng, 3) : what[i % n]);
	t = call_exact(text, len, &block);
	w = call_exact(what, n, &what_block);
	want = naive_find(text, start, len, what, n);
	got = rowfn_find_bytes(t.s, start, len, w.s, n);
	CHECK(got == want, "\"%.*s\" from %d of \"%.*s\": %d, not %d", n, what, start, len, text, got, want);
	got = n < 2 ? want : rowfn_find_two_way(t.s, start, len, w.s, n);
	CHECK(got == want, "two-way: \"%.*s\" from %d of \"%.*s\": %d, not %d", n, what, start, len, text, got,
		  want);
	free(block);
	free(what_block);
}

/* A search that compares nearly all of what is sought at each place is stopped in time. */
static void
find_slowly(void)
{
	int32_t		len = 4000000;
	int32_t		n = 100000;
	char	   *text = (char *) malloc((size_t) len);
	char	   *what = (char *) malloc((size_t) n);
	clock_t		start = clock();

	memset(text, 'a', (size_t) len);
	memset(what, 'a', (size_t) n);
	what[n - 2] = 'b';
	CHECK(rowfn_find_bytes(text, 0, len, what, n) == -1, "found what is not there");
	text[len - 2] = 'b';
	CHECK(rowfn_find_bytes(text, 0, len, what, n) == len - n, "not found at the end");
	CHECK(clock() - start < 3 * CLOCKS_PER_SEC, "searching takes quadratic time");
	free(text);
	free(what);
}

static void
test_find(Rng *rng)
{
	int			i;

	for (i = 0; i < test_rounds(100000); i++)
		find_one(rng);
	test_done("bytes found in bytes");
	find_slowly();
	test_done("time to find bytes");
}

int
main(void)
{
	Rng			rng;

	call_examples(slice_examples, (int) (sizeof(slice_examples) / sizeof(slice_examples[0])));
	test_done("PostgreSQL's answers: slices");
	call_examples(make_examples, (int) (sizeof(make_examples) / sizeof(make_examples[0])));
	test_done("PostgreSQL's answers: made texts and measures");
	test_case();
	test_constants();
	test_limits();
	test_late_failures();
	rng = rng_make(test_seed());
	test_find(&rng);
	test_random(&rng);
	return test_exit();
}
