/*-------------------------------------------------------------------------
 *
 * test_dfa_join.c
 *	  Several automata as one: examples, and random ones against running each.
 *
 * In UTF-8 automata have the form that regex_bytes.c gives them: states between
 * characters stay what they are at a continuation byte, others come within characters only.
 *
 * IDENTIFICATION
 *	  test/unit/test_dfa_join.c
 *
 *-------------------------------------------------------------------------
 */
#include "batch_gen.h"
#include "program/dfa_join.h"
#include "rowfn/dfa.h"

#define MAX_BYTES (16 * 1024 * 1024)
#define MOST_STATES 100
#define MOST_TEXT 120

/* Characters of a random automaton: ASCII, some of two and three bytes. */
static const char *const chars[] = {
	"a", "b", "c", "0", " ", "\303\251", "\303\211", "\303\237", "\305\241", "\316\261",
	"\342\202\254", "\342\202\201", "\342\204\252", "\360\237\230\200"
};

#define NCHARS ((int) (sizeof(chars) / sizeof(chars[0])))

static int	allocations_left = -1;	/* -1: as many as are asked for */
static int	allocated;			/* and not given back */

static void *
resize(void *old, size_t bytes)
{
	if (allocations_left == 0)
		return NULL;
	allocations_left -= allocations_left > 0;
	allocated += old == NULL;
	return realloc(old, bytes);
}

static void
release(void *old)
{
	allocated--;
	free(old);
}

static void
poll(void)
{
}

static const GpustrTrieMemory memory = {resize, release, poll};

/* Build an automaton out of a table by byte. */
static GpustrDfa *
from_table(int32_t nstates, int32_t start, const uint16_t *next, const uint8_t *at_end,
		   uint32_t *bytes)
{
	GpustrDfa  *dfa;
	int			i;

	*bytes = (uint32_t) sizeof(GpustrDfa) + (uint32_t) nstates * 513;
	dfa = calloc(1, *bytes);
	dfa->nstates = nstates;
	dfa->nclasses = 256;
	dfa->start = start;
	dfa->next_off = (int32_t) sizeof(GpustrDfa);
	dfa->at_end_off = (int32_t) sizeof(GpustrDfa) + nstates * 512;
	for (i = 0; i < 256; i++)
		dfa->class_of[i] = (uint8_t) i;
	memcpy((char *) dfa + dfa->next_off, next, (size_t) nstates * 512);
	memcpy((char *) dfa + dfa->at_end_off, at_end, (size_t) nstates);
	return dfa;
}

/* A search for one byte, or for the first being that. */
static GpustrDfa *
make_search(char byte, int at_start, uint32_t *bytes)
{
	uint16_t	next[3 * 256];
	uint8_t		at_end[] = {0, 1, 0};
	int			i;

	for (i = 0; i < 256; i++)
	{
		next[i] = GPUSTR_DFA_REJECT;
		next[256 + i] = GPUSTR_DFA_ACCEPT;
		next[512 + i] = at_start ? GPUSTR_DFA_REJECT : 2;
	}
	next[512 + (unsigned char) byte] = GPUSTR_DFA_ACCEPT;
	return from_table(3, 2, next, at_end, bytes);
}

static GpustrDfa *
join(const GpustrDfa *a, const GpustrDfa *b, int use_or, int utf8, uint32_t *bytes)
{
	size_t		work = 100 * 1000 * 1000;
	GpustrDfa  *joined = gpustr_dfa_join(a, b, use_or, utf8, MAX_BYTES, &work, &memory, bytes);

	CHECK(joined != NULL, "%d and %d states", a->nstates, b->nstates);
	if (joined != NULL)
	{
		CHECK(rowfn_dfa_check(joined, *bytes), "%d states", joined->nstates);
		CHECK(gpustr_dfa_is_exact(joined), "%d states", joined->nstates);
	}
	return joined;
}

/* Bytes of a text after which nothing can change; -1: it takes the end. */
static int32_t
decided_after(const GpustrDfa *dfa, const char *text)
{
	int32_t		len = (int32_t) strlen(text);
	int32_t		i;

	for (i = 0; i <= len; i++)
	{
		if (rowfn_dfa_run(dfa, (uint32_t) dfa->start, text, i) <= GPUSTR_DFA_ACCEPT)
			return i;
	}
	return -1;
}

static void
check_examples(void)
{
	uint32_t	bytes;
	GpustrDfa  *a = make_search('a', 0, &bytes);
	GpustrDfa  *b = make_search('b', 0, &bytes);
	GpustrDfa  *at_start = make_search('x', 1, &bytes);
	GpustrDfa  *not_b = gpustr_dfa_not(b, bytes, &memory);
	GpustrDfa  *either = join(a, b, 1, 1, &bytes);
	GpustrDfa  *both = join(a, b, 0, 0, &bytes);
	GpustrDfa  *only_a = join(a, not_b, 0, 1, &bytes);
	GpustrDfa  *x_and_a = join(at_start, a, 0, 0, &bytes);
	GpustrDfa  *always;
	GpustrDfa  *never;

	/* the fewest states, and an answer as soon as there is one */
	CHECK(either->nstates == 3 && decided_after(either, "..b.") == 3, "OR of two");
	CHECK(decided_after(either, "....") == -1 && !rowfn_dfa_match(either, "..", 2), "OR of two");
	CHECK(both->nstates == 5 && decided_after(both, "..ab.") == 4, "AND of two");
	CHECK(decided_after(both, "..bb.a.") == 6 && decided_after(both, "aaaa") == -1, "AND of two");
	CHECK(only_a->nstates == 4 && decided_after(only_a, "..ab") == 4, "AND NOT");
	CHECK(rowfn_dfa_match(only_a, "xa", 2) && !rowfn_dfa_match(only_a, "xx", 2), "AND NOT");
	CHECK(decided_after(x_and_a, "yaaa") == 1 && decided_after(x_and_a, "xya.") == 3, "AND at the start");

	/* what is decided before there is a text */
	always = join(b, not_b, 1, 1, &bytes);
	CHECK(decided_after(always, "") == 0 && rowfn_dfa_match(always, "", 0), "OR of contraries");
	never = join(b, not_b, 0, 1, &bytes);
	CHECK(decided_after(never, "") == 0 && !rowfn_dfa_match(never, "", 0), "AND of contraries");
	free(join(never, always, 1, 1, &bytes));

	/* what is read: all, or a byte of each text */
	CHECK(gpustr_dfa_bytes_read(at_start) == GPUSTR_DFA_SAMPLE / 64, "read %d", gpustr_dfa_bytes_read(at_start));
	CHECK(gpustr_dfa_bytes_read(always) == 0, "read %d", gpustr_dfa_bytes_read(always));
	CHECK(gpustr_dfa_bytes_read(either) < gpustr_dfa_bytes_read(both), "OR reads less than AND");
	CHECK(gpustr_dfa_bytes_read(x_and_a) < GPUSTR_DFA_SAMPLE / 16, "read %d", gpustr_dfa_bytes_read(x_and_a));
	free(a);
	free(b);
	free(at_start);
	free(not_b);
	free(either);
	free(both);
	free(only_a);
	free(x_and_a);
	free(always);
	free(never);
}

/* One that can always tell. */
static GenDfa *
gen_exact(Rng *rng)
{
	GenDfa	   *dfa = gen_dfa(rng, 1024 + (uint32_t) rng_below(rng, 6000));
	int32_t		i;

	while (dfa->nstates > MOST_STATES)
	{
		gen_dfa_free(dfa);
		dfa = gen_dfa(rng, 1024 + (uint32_t) rng_below(rng, 6000));
	}
	CHECK(gpustr_dfa_is_exact(dfa->made) ==
		  (memchr(dfa->at_end, GPUSTR_RECHECK, (size_t) dfa->nstates) == NULL), "exact");
	for (i = 0; i < dfa->nstates; i++)
		dfa->at_end[i] &= 1;
	memcpy((char *) dfa->made + dfa->made->at_end_off, dfa->at_end, (size_t) dfa->nstates);
	return dfa;
}

/* Any two bytes automata, AND, OR and NOT, by running each. */
static void
check_bytes(Rng *rng, int *accepted)
{
	GenDfa	   *a = gen_exact(rng);
	GenDfa	   *b = gen_exact(rng);
	uint32_t	bytes;
	GpustrDfa  *and = join(a->made, b->made, 0, 0, &bytes);
	GpustrDfa  *or = join(a->made, b->made, 1, 0, &bytes);
	GpustrDfa  *same = join(a->made, a->made, rng_one_in(rng, 2), 0, &bytes);
	GpustrDfa  *not = gpustr_dfa_not(b->made, b->bytes, &memory);
	char		text[MOST_TEXT];
	int			i;
	int			k;

	CHECK(same->nstates <= a->nstates, "%d states instead of %d", same->nstates, a->nstates);
	CHECK(rowfn_dfa_check(not, b->bytes), "NOT");
	for (i = 0; i < 20; i++)
	{
		int32_t		len = test_length(rng, MOST_TEXT);
		uint32_t	in_a;
		uint32_t	in_b;

		for (k = 0; k < len; k++)
			text[k] = (char) (rng_one_in(rng, 2) ? rng_below(rng, 256) : 'a' + rng_below(rng, 3));
		in_a = gen_dfa_truth(a, text, len);
		in_b = gen_dfa_truth(b, text, len);
		CHECK(rowfn_dfa_match(and, text, len) == (in_a & in_b), "AND, %d bytes", len);
		CHECK(rowfn_dfa_match(or, text, len) == (in_a | in_b), "OR, %d bytes", len);
		CHECK(rowfn_dfa_match(not, text, len) == 1 - in_b, "NOT, %d bytes", len);
		CHECK(rowfn_dfa_match(same, text, len) == in_a, "with itself, %d bytes", len);
		*accepted += rowfn_dfa_match(and, text, len) == GPUSTR_TRUE;
	}
	gen_dfa_free(a);
	gen_dfa_free(b);
	free(and);
	free(or);
	free(same);
	free(not);
}

/*
 * A random automaton over chars[]: states between characters first, then those after
 * the bytes that several characters begin with.  A character of one lead byte leads on at once.
 */
static GpustrDfa *
gen_utf8(Rng *rng, uint32_t *bytes)
{
	int32_t		between = 3 + rng_below(rng, 12);
	int32_t		nstates = between;
	int32_t		most = between + between * NCHARS;
	uint16_t   *next = calloc((size_t) most, 512);
	uint8_t    *at_end = calloc((size_t) most, 1);
	int32_t		absorb = 1 + rng_below(rng, 60);
	int32_t		s;
	int			i;
	GpustrDfa  *dfa;

	for (i = 0; i < 256; i++)
		next[256 + i] = GPUSTR_DFA_ACCEPT;
	at_end[1] = 1;
	for (s = 2; s < between; s++)
	{
		at_end[s] = (uint8_t) rng_below(rng, 2);
		for (i = 0; i < 256; i++)
			next[s * 256 + i] = (uint16_t) (i >= 0x80 && i < 0xC0 ? s : i < 0x80 ? 2 : 0);
		for (i = 0; i < NCHARS; i++)
		{
			const unsigned char *c = (const unsigned char *) chars[i];
			uint16_t	to = (uint16_t) (rng_one_in(rng, absorb) ? rng_below(rng, 2) :
										 2 + rng_below(rng, between - 2));
			int32_t		at = s;

			/* an emoji is the only one of its first byte */
			if (c[0] < 0x80 || c[0] == 0xF0)
			{
				next[s * 256 + c[0]] = to;
				continue;
			}
			for (; c[1] != 0; c++)
			{
				if (next[at * 256 + c[0]] < between)
					next[at * 256 + c[0]] = (uint16_t) nstates++;
				at = next[at * 256 + c[0]];
			}
			next[at * 256 + c[0]] = to;
		}
	}
	dfa = from_table(nstates, 2, next, at_end, bytes);
	free(next);
	free(at_end);
	return dfa;
}

/* Trees of three, over valid texts, by running each. */
static void
check_utf8(Rng *rng, int *accepted, int32_t *pairs, int32_t *states)
{
	uint32_t	bytes[4];
	GpustrDfa  *a = gen_utf8(rng, &bytes[0]);
	GpustrDfa  *b = gen_utf8(rng, &bytes[1]);
	GpustrDfa  *c = gen_utf8(rng, &bytes[2]);
	GpustrDfa  *not = gpustr_dfa_not(b, bytes[1], &memory);
	int			use_or = rng_below(rng, 2);
	GpustrDfa  *two = join(a, not, use_or, 1, &bytes[3]);
	GpustrDfa  *three = join(two, c, !use_or, 1, &bytes[3]);
	char		text[MOST_TEXT];
	int			i;

	*pairs += a->nstates * b->nstates;
	*states += two->nstates;
	for (i = 0; i < 20; i++)
	{
		int32_t		left = test_length(rng, MOST_TEXT / 4);
		int32_t		len = 0;
		uint32_t	in_a;
		uint32_t	in_b;
		uint32_t	in_c;
		uint32_t	want;

		for (; left > 0; left--)
		{
			const char *next = chars[rng_below(rng, NCHARS)];

			memcpy(text + len, next, strlen(next));
			len += (int32_t) strlen(next);
		}
		in_a = rowfn_dfa_match(a, text, len);
		in_b = 1 - rowfn_dfa_match(b, text, len);
		in_c = rowfn_dfa_match(c, text, len);
		want = use_or ? in_a | in_b : in_a & in_b;
		CHECK(rowfn_dfa_match(two, text, len) == want, "two, %d bytes", len);
		want = use_or ? want & in_c : want | in_c;
		CHECK(rowfn_dfa_match(three, text, len) == want, "three, %d bytes", len);
		*accepted += want == GPUSTR_TRUE;
	}
	free(a);
	free(b);
	free(c);
	free(not);
	free(two);
	free(three);
}

/* Too little work, room or memory: NULL, and nothing is left behind. */
static void
check_limits(Rng *rng)
{
	uint32_t	bytes;
	uint32_t	joined_bytes;
	GpustrDfa  *a = gen_utf8(rng, &bytes);
	GpustrDfa  *b = gen_utf8(rng, &bytes);
	GpustrDfa  *joined = join(a, b, 1, 1, &joined_bytes);
	size_t		work;
	size_t		used = 0;
	int			n = 0;

	free(joined);
	allocated = 0;
	work = 100 * 1000 * 1000;
	CHECK(gpustr_dfa_join(a, b, 1, 1, joined_bytes - 1, &work, &memory, &bytes) == NULL, "a byte too few");
	used = 100 * 1000 * 1000 - work;
	work = used;
	joined = gpustr_dfa_join(a, b, 1, 1, joined_bytes, &work, &memory, &bytes);
	CHECK(joined != NULL && work == 0, "as much as it needs");
	release(joined);
	work = used - 1;
	CHECK(gpustr_dfa_join(a, b, 1, 1, joined_bytes, &work, &memory, &bytes) == NULL, "a step too few");
	for (;; n++)
	{
		work = used;
		allocations_left = n;
		joined = gpustr_dfa_join(a, b, 1, 1, joined_bytes, &work, &memory, &bytes);
		if (joined != NULL)
			break;
		CHECK(allocated == 0, "%d left of %d", allocated, n);
	}
	CHECK(n > 5, "%d allocations", n);
	release(joined);
	allocations_left = 0;
	CHECK(gpustr_dfa_not(a, bytes, &memory) == NULL, "no memory");
	allocations_left = -1;
	CHECK(allocated == 0, "%d left", allocated);
	free(a);
	free(b);
}

int
main(void)
{
	Rng			rng = rng_make(test_seed());
	int			rounds = test_rounds(200);
	int			accepted = 0;
	int32_t		pairs = 0;
	int32_t		states = 0;
	int			i;

	check_examples();
	test_done("examples");
	for (i = 0; i < rounds; i++)
		check_bytes(&rng, &accepted);
	CHECK(accepted > rounds && accepted < rounds * 19, "%d of %d accepted", accepted, rounds * 20);
	test_done("any two, over bytes");
	accepted = 0;
	for (i = 0; i < rounds; i++)
		check_utf8(&rng, &accepted, &pairs, &states);
	printf("# %d states instead of %d pairs\n", states, pairs);
	CHECK(accepted > rounds && accepted < rounds * 19, "%d of %d accepted", accepted, rounds * 20);
	CHECK(states < pairs / 4, "pairs for texts that there are not");
	test_done("trees of three, over UTF-8");
	for (i = 0; i < 20; i++)
		check_limits(&rng);
	test_done("too little work, room or memory");
	return test_exit();
}
