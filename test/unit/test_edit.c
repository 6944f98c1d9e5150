/*-------------------------------------------------------------------------
 *
 * test_edit.c
 *	  Edit distance and approximate search, against the whole table.
 *
 * IDENTIFICATION
 *	  test/unit/test_edit.c
 *
 *-------------------------------------------------------------------------
 */
#include "rowfn/fuzzy_find.h"
#include "test_common.h"

#define MAX_BYTES 5000

typedef struct Chars
{
	int32_t		n;
	uint32_t	code[MAX_BYTES];
} Chars;

/* Take a text apart. */
static void
chars_of(const char *s, int32_t len, int32_t encoding, Chars *out)
{
	int32_t		pos = 0;

	out->n = 0;
	while (pos < len)
	{
		int32_t		n = rowfn_char_bytes(s + pos, len - pos, encoding);
		uint32_t	code = 0;
		int32_t		i;

		for (i = 0; i < n; i++)
			code = code << 8 | (unsigned char) s[pos + i];
		out->code[out->n++] = code;
		pos += n;
	}
}

static int32_t
least_of(int32_t a, int32_t b, int32_t c)
{
	return a < b ? (a < c ? a : c) : (b < c ? b : c);
}

/* The last row of the table; first row: j, or 0 if free. */
static void
naive_table(const Chars *a, const Chars *b, int is_free, int32_t *row)
{
	static int32_t column[2][MAX_BYTES + 1];
	int32_t		i;
	int32_t		j;

	for (i = 0; i <= a->n; i++)
		column[0][i] = i;
	row[0] = a->n;
	for (j = 1; j <= b->n; j++)
	{
		int32_t    *now = column[j % 2];
		int32_t    *before = column[(j - 1) % 2];

		now[0] = is_free ? 0 : j;
		for (i = 1; i <= a->n; i++)
			now[i] = least_of(now[i - 1] + 1, before[i] + 1,
							  before[i - 1] + (a->code[i - 1] != b->code[j - 1]));
		row[j] = now[a->n];
	}
}

/* As fuzzy_find.h says it, from distances of all parts that end first. */
static int32_t
naive_fuzzy(const Chars *s, const Chars *what, int32_t k)
{
	static int32_t row[MAX_BYTES + 1];
	static int32_t back[MAX_BYTES + 1];
	static Chars head;
	static Chars turned;
	int32_t		end = 0;
	int32_t		longest = 0;
	int32_t		i;

	naive_table(what, s, 1, row);
	while (end <= s->n && row[end] > k)
		end++;
	if (end > s->n)
		return 0;
	if (end == 0)
		return 1;
	head.n = end;
	for (i = 0; i < end; i++)
		head.code[i] = s->code[end - 1 - i];
	turned.n = what->n;
	for (i = 0; i < what->n; i++)
		turned.code[i] = what->code[what->n - 1 - i];
	naive_table(&turned, &head, 0, back);
	for (i = 1; i <= end; i++)
		if (back[i] <= k)
			longest = i;
	return end - longest + 1;
}

/* A text like another one, with some edits. */
static int32_t
edited(Rng *rng, const char *s, int32_t len, int32_t encoding, int32_t edits, int letters, char *out, int32_t max)
{
	int32_t		pos = 0;
	int32_t		to = 0;

	while (pos < len && to < max - 8)
	{
		int32_t		n = rowfn_char_bytes(s + pos, len - pos, encoding);

		if (edits > 0 && rng_one_in(rng, len / edits + 1))
		{
			int			kind = rng_below(rng, 3);

			if (kind < 2)
			{
				const char *letter = test_letters[rng_below(rng, letters)];

				memcpy(out + to, letter, strlen(letter));
				to += (int32_t) strlen(letter);
			}
			if (kind > 0)
			{
				pos += n;
				continue;
			}
		}
		memcpy(out + to, s + pos, (size_t) n);
		to += n;
		pos += n;
	}
	return to;
}

static char *
exact_copy(const char *s, int32_t len)
{
	char	   *copy = malloc((size_t) len + 1);

	memcpy(copy + 1, s, (size_t) len);
	return copy;
}

/* rowfn_edit_step() in small steps, with just the carry that it needs. */
static int64_t
distance_in_steps(Rng *rng, RowfnText a, RowfnText b, int32_t encoding, int32_t k)
{
	int32_t		a_chars = rowfn_edit_chars(a.s, a.len, encoding);
	int32_t		b_chars = rowfn_edit_chars(b.s, b.len, encoding);
	int64_t		columns;
	int64_t		distance;
	uint32_t   *carry;
	RowfnEdit	edit;

	if (a_chars > b_chars)
		return distance_in_steps(rng, b, a, encoding, k);
	if (b_chars - a_chars > k)
		return (int64_t) k + 1;
	columns = rowfn_edit_carry(a_chars, b_chars, k);
	carry = malloc(4 * ROWFN_CARRY_WORDS((size_t) columns));
	rowfn_edit_begin(&edit, a.s, a.len, a_chars, b.s, b.len, b_chars, encoding, k, carry, (int32_t) columns);
	do
		distance = rowfn_edit_step(&edit, 1 + rng_below(rng, 300));
	while (distance < 0);
	free(carry);
	return distance;
}

static int64_t
fuzzy_in_steps(Rng *rng, RowfnText s, RowfnText what, int32_t encoding, int32_t k)
{
	int32_t		what_chars = rowfn_edit_chars(what.s, what.len, encoding);
	int32_t		piece = 1 + rng_below(rng, 200);
	uint64_t   *state;
	uint32_t   *carry;
	int64_t		at;
	RowfnFuzzy	f;

	if (k >= what_chars)
		return 1;
	state = malloc(16 * (size_t) rowfn_fuzzy_strips(what_chars));
	carry = malloc(4 * ROWFN_CARRY_WORDS((size_t) piece));
	rowfn_fuzzy_begin(&f, s.s, s.len, what.s, what.len, what_chars, encoding, k, state, carry, piece);
	do
		at = rowfn_fuzzy_step(&f, 1 + rng_below(rng, 300));
	while (at < 0);
	free(state);
	free(carry);
	return at;
}

/* One pair of texts, all functions.  The rows' functions may say recheck if the texts are long. */
static void
check_pair(Rng *rng, const char *s, int32_t s_len, const char *t, int32_t t_len, int32_t encoding)
{
	static Chars a;
	static Chars b;
	static int32_t row[MAX_BYTES + 1];
	char	   *s_copy = exact_copy(s, s_len);
	char	   *t_copy = exact_copy(t, t_len);
	RowfnArgs	args;
	int64_t		value;
	int64_t		want;
	int32_t		k;
	int			ok;

	chars_of(s, s_len, encoding, &a);
	chars_of(t, t_len, encoding, &b);
	naive_table(&a, &b, 0, row);
	want = row[b.n];
	memset(&args, 0, sizeof(args));
	args.encoding = encoding;
	args.text[0].s = s_copy + 1;
	args.text[0].len = s_len;
	args.text[1].s = t_copy + 1;
	args.text[1].len = t_len;

	ok = rowfn_measure_edit_distance(&args, &value);
	CHECK(ok || (a.n > 64 && b.n > 64 && (a.n > 1024 || b.n > 1024)), "recheck of %d and %d characters", a.n, b.n);
	CHECK(!ok || value == want, "\"%.*s\" and \"%.*s\": %lld, not %lld", s_len, s, t_len, t,
		  (long long) value, (long long) want);
	k = (int32_t) want + rng_below(rng, 5) - 2;
	if (rng_one_in(rng, 4))
		k = rng_below(rng, 1000);
	args.value[2] = k;
	ok = rowfn_measure_edit_within(&args, &value);
	CHECK(ok || k > 400, "recheck of %d and %d characters, k %d", a.n, b.n, k);
	CHECK(!ok || value == (want <= k), "\"%.*s\" and \"%.*s\" within %d: %d, distance %d", s_len, s, t_len, t, k,
		  (int) value, (int) want);
	if (k >= 0)
	{
		value = distance_in_steps(rng, args.text[0], args.text[1], encoding, k);
		CHECK(value == (want <= k ? want : (int64_t) k + 1), "\"%.*s\" and \"%.*s\" within %d: %d, distance %d",
			  s_len, s, t_len, t, k, (int) value, (int) want);
	}

	/* t in s */
	k = rng_below(rng, b.n + 2);
	if (b.n > 4 && rng_one_in(rng, 2))
		k = rng_below(rng, 4);
	args.value[2] = k;
	want = naive_fuzzy(&a, &b, k);
	ok = rowfn_measure_fuzzy_find(&args, &value);
	CHECK(ok || b.n > 1024, "recheck of %d characters", b.n);
	CHECK(!ok || value == want, "\"%.*s\" in \"%.*s\" with %d: %d, not %d", t_len, t, s_len, s, k,
		  (int) value, (int) want);
	value = fuzzy_in_steps(rng, args.text[0], args.text[1], encoding, k);
	CHECK(value == want, "\"%.*s\" in \"%.*s\" with %d, in steps: %d, not %d", t_len, t, s_len, s, k,
		  (int) value, (int) want);
	free(s_copy);
	free(t_copy);
}

static void
random_pairs(Rng *rng, int rounds, int32_t max)
{
	char	   *s = malloc(MAX_BYTES);
	char	   *t = malloc(MAX_BYTES);

	while (rounds-- > 0)
	{
		int32_t		encoding = rng_below(rng, 2);
		int			letters = rng_one_in(rng, 3) ? 2 : encoding == GPUSTR_ENC_UTF8 ? TEST_ALL_LETTERS : TEST_ASCII_LETTERS;
		int32_t		s_len = test_text(rng, s, max <= 150 ? test_length(rng, max) : max / 2 + rng_below(rng, max / 2), letters);
		int32_t		t_len;

		if (rng_one_in(rng, 3))
			t_len = test_text(rng, t, rng_below(rng, max), letters);
		else
			t_len = edited(rng, s, s_len, encoding, rng_below(rng, 6), letters, t, MAX_BYTES);
		if (rng_one_in(rng, 4) && t_len > 8)
		{
			/* a part, from a character on */
			int32_t		from = rng_below(rng, t_len / 2);

			while (encoding == GPUSTR_ENC_UTF8 && from < t_len && rowfn_utf8_is_continuation(t[from]))
				from++;
			memmove(t, t + from, (size_t) (t_len - from));
			t_len -= from;
		}
		check_pair(rng, s, s_len, t, t_len, encoding);
	}
	free(s);
	free(t);
}

/* Bytes that are no text: nothing outside of them is touched, and both ways agree. */
static void
random_bytes(Rng *rng, int rounds)
{
	static const char bytes[] = {'a', (char) 0x80, (char) 0xBF, (char) 0xC3, (char) 0xE4, (char) 0xF0, (char) 0xFF};

	while (rounds-- > 0)
	{
		int32_t		len[2];
		char	   *text[2];
		RowfnArgs	args;
		int64_t		value;
		int			i;
		int32_t		j;

		memset(&args, 0, sizeof(args));
		args.encoding = GPUSTR_ENC_UTF8;
		args.value[2] = rng_below(rng, 3);
		for (i = 0; i < 2; i++)
		{
			len[i] = rng_below(rng, rng_one_in(rng, 4) ? 200 : 12);
			text[i] = malloc((size_t) len[i] + 1);
			for (j = 1; j <= len[i]; j++)
				text[i][j] = bytes[rng_below(rng, 7)];
			args.text[i].s = text[i] + 1;
			args.text[i].len = len[i];
		}
		CHECK(rowfn_measure_edit_distance(&args, &value) && value >= 0 && value <= 200, "distance");
		CHECK(rowfn_measure_edit_within(&args, &value) && (value == 0 || value == 1), "within");
		CHECK(rowfn_measure_fuzzy_find(&args, &value) && value >= 0 && value <= 200, "position");
		CHECK(rowfn_measure_find(&args, &value) && value >= 0 && value <= 200, "position");
		free(text[0]);
		free(text[1]);
	}
}

static int64_t
call(int (*function) (const RowfnArgs *, int64_t *), const char *a, const char *b, int64_t k)
{
	RowfnArgs	args;
	int64_t		value = -1;

	memset(&args, 0, sizeof(args));
	args.text[0].s = a;
	args.text[0].len = (int32_t) strlen(a);
	args.text[1].s = b;
	args.text[1].len = (int32_t) strlen(b);
	args.value[2] = k;
	args.encoding = GPUSTR_ENC_UTF8;
	return function(&args, &value) ? value : -1;
}

/* Texts that a thread would have to do with for long are recheck, shorter ones are not. */
static void
long_texts(void)
{
	int32_t		len = 4 * 1000 * 1000;
	char	   *a = malloc((size_t) len + 1);
	char	   *b = malloc((size_t) len + 1);

	memset(a, 'a', (size_t) len);
	memset(b, 'b', (size_t) len);
	a[len] = b[1000] = '\0';
	CHECK(call(rowfn_measure_edit_distance, a, a, 0) == -1, "distance");
	CHECK(call(rowfn_measure_edit_within, a, a, 400) == -1, "within");
	CHECK(call(rowfn_measure_edit_within, a, b, 400) == 0, "of other lengths");
	CHECK(call(rowfn_measure_fuzzy_find, a, b, 400) == -1, "fuzzy_find");
	a[100000] = '\0';
	CHECK(call(rowfn_measure_edit_distance, a, a, 0) == 0, "a shorter distance");
	CHECK(call(rowfn_measure_edit_within, a, a, 400) == 1, "within, shorter");
	CHECK(call(rowfn_measure_fuzzy_find, a, b, 400) == 0, "fuzzy_find, shorter");
	free(a);
	free(b);
}

int
main(void)
{
	Rng			rng;

	CHECK(call(rowfn_measure_edit_distance, "kitten", "sitting", 0) == 3, "kitten");
	CHECK(call(rowfn_measure_edit_distance, "", "", 0) == 0, "nothing");
	CHECK(call(rowfn_measure_edit_distance, "", "ab\303\251", 0) == 3, "from nothing");
	CHECK(call(rowfn_measure_edit_distance, "\303\251", "\303\250", 0) == 1, "a character");
	CHECK(call(rowfn_measure_edit_within, "kitten", "sitting", 3) == 1, "within");
	CHECK(call(rowfn_measure_edit_within, "kitten", "sitting", 2) == 0, "not within");
	CHECK(call(rowfn_measure_edit_within, "a", "a", -1) == 0, "negative");
	CHECK(call(rowfn_measure_edit_within, "a", "b", INT64_MAX) == 1, "any");
	CHECK(call(rowfn_measure_fuzzy_find, "the smith", "smith", 0) == 5, "exact");
	CHECK(call(rowfn_measure_fuzzy_find, "the smith", "smith", 1) == 5, "ends early");
	CHECK(call(rowfn_measure_fuzzy_find, "the xmith", "smith", 1) == 5, "the longest");
	CHECK(call(rowfn_measure_fuzzy_find, "the xmyth", "smith", 1) == 0, "too many errors");
	CHECK(call(rowfn_measure_fuzzy_find, "", "ab", 2) == 1, "nothing is left");
	CHECK(call(rowfn_measure_fuzzy_find, "", "", 0) == 1, "nothing");
	CHECK(call(rowfn_measure_fuzzy_find, "x", "ab", -1) == -1, "negative is recheck");
	CHECK(call(rowfn_measure_fuzzy_find, "\344\270\255\344\270\255\303\251t\303\251", "et\303\251", 1) == 3, "characters");
	test_done("examples");

	rng = rng_make(test_seed());
	random_pairs(&rng, test_rounds(8000), 60);
	test_done("short texts");
	random_pairs(&rng, test_rounds(1500), 150);
	random_pairs(&rng, test_rounds(60), 700);
	random_pairs(&rng, test_rounds(10), 2200);
	test_done("texts of several strips");
	random_bytes(&rng, test_rounds(30000));
	test_done("bytes that are no text");
	long_texts();
	test_done("long texts");
	return test_exit();
}
