/*-------------------------------------------------------------------------
 *
 * test_dfa.c
 *	  Automata over bytes: examples, and random ones against a table by byte.
 *
 * IDENTIFICATION
 *	  test/unit/test_dfa.c
 *
 *-------------------------------------------------------------------------
 */
#include "batch_gen.h"
#include "rowfn/dfa.h"

/*
 * 'a.*b', searched for; the end is accepted once there was an 'a' or where
 * nothing was.  Classes: 'a', 'b', zero bytes and those from 128 on, others.
 */
static GpustrDfa *
make_example(uint32_t *bytes)
{
	static const uint16_t next[] = {
		0, 0, 0, 0,
		1, 1, 1, 1,
		4, 3, 0, 3,				/* 2: nothing yet */
		4, 3, 0, 3,				/* 3: no 'a' yet */
		4, 1, 0, 4				/* 4: an 'a' */
	};
	static const uint8_t at_end[] = {0, 1, 1, 0, 1};
	GpustrDfa  *dfa;
	int			i;

	*bytes = (uint32_t) (sizeof(GpustrDfa) + sizeof(next) + sizeof(at_end));
	dfa = calloc(1, *bytes);
	dfa->nstates = 5;
	dfa->nclasses = 4;
	dfa->start = 2;
	dfa->next_off = (int32_t) sizeof(GpustrDfa);
	dfa->at_end_off = (int32_t) (sizeof(GpustrDfa) + sizeof(next));
	for (i = 0; i < 256; i++)
		dfa->class_of[i] = i == 'a' ? 0 : i == 'b' ? 1 : i == 0 || i >= 128 ? 2 : 3;
	memcpy((char *) dfa + dfa->next_off, next, sizeof(next));
	memcpy((char *) dfa + dfa->at_end_off, at_end, sizeof(at_end));
	return dfa;
}

/* Match from an exact allocation, so that ASan sees a byte too many. */
static uint32_t
match(const GpustrDfa *dfa, const char *text, int32_t len)
{
	char	   *t = malloc((size_t) len + 1);
	uint32_t	accepted;

	memcpy(t + 1, text, (size_t) len);
	accepted = rowfn_dfa_match(dfa, t + 1, len);
	free(t);
	return accepted;
}

static void
check_examples(void)
{
	static const struct
	{
		const char *text;
		int32_t		len;
		uint32_t	accepted;
	}			examples[] = {
		{"", 0, 1}, {"a", 1, 1}, {"b", 1, 0}, {"x", 1, 0}, {"ab", 2, 1}, {"ba", 2, 1}, {"bxx", 3, 0},
		{"xxaxxbxx", 8, 1}, {"ab\0", 3, 1}, {"a\0b", 3, 0}, {"\0ab", 3, 0}, {"xa\377b", 4, 0}, {"ab\377", 3, 1},
		{"\200", 1, 0}, {"x\177a", 3, 1}
	};
	uint32_t	bytes;
	GpustrDfa  *dfa = make_example(&bytes);
	int			i;

	CHECK(rowfn_dfa_check(dfa, bytes), "the example");
	for (i = 0; i < (int) (sizeof(examples) / sizeof(examples[0])); i++)
		CHECK(match(dfa, examples[i].text, examples[i].len) == examples[i].accepted, "example %d", i);
	dfa->start = GPUSTR_DFA_REJECT;
	CHECK(!match(dfa, "ab", 2) && !match(dfa, "", 0), "starts rejected");
	dfa->start = GPUSTR_DFA_ACCEPT;
	CHECK(match(dfa, "\0", 1) && match(dfa, "", 0), "starts accepted");
	free(dfa);
}

/* One that counts: 70,000 bytes to a state that stays, by way of 65,535 states. */
static void
check_most_states(void)
{
	uint32_t	bytes = (uint32_t) sizeof(GpustrDfa) + 65535 * 3;
	GpustrDfa  *dfa = calloc(1, bytes);
	char	   *text = malloc(70000);
	uint16_t   *next;
	int32_t		s;

	dfa->nstates = 65535;
	dfa->nclasses = 1;
	dfa->start = 2;
	dfa->next_off = (int32_t) sizeof(GpustrDfa);
	dfa->at_end_off = (int32_t) sizeof(GpustrDfa) + 65535 * 2;
	next = (uint16_t *) ((char *) dfa + dfa->next_off);
	for (s = 0; s < 65535; s++)
		next[s] = (uint16_t) (s < 2 ? s : s < 65534 ? s + 1 : GPUSTR_DFA_ACCEPT);
	((uint8_t *) dfa)[dfa->at_end_off + GPUSTR_DFA_ACCEPT] = 1;
	((uint8_t *) dfa)[dfa->at_end_off + 65534] = 0;
	memset(text, 'x', 70000);
	CHECK(rowfn_dfa_check(dfa, bytes), "65,535 states");
	CHECK(!rowfn_dfa_match(dfa, text, 65532), "one byte too few");
	CHECK(rowfn_dfa_match(dfa, text, 65533), "as many bytes as states");
	CHECK(rowfn_dfa_match(dfa, text, 70000), "more bytes");
	free(text);
	free(dfa);
}

static void
check_random(Rng *rng, int *accepted)
{
	GenDfa	   *dfa = gen_dfa(rng, 1024 + (uint32_t) rng_below(rng, 20000));
	char		text[200];
	int			i;
	int			k;

	CHECK(rowfn_dfa_check(dfa->made, dfa->bytes), "%d states", dfa->nstates);
	for (i = 0; i < 20; i++)
	{
		int32_t		len = test_length(rng, (int32_t) sizeof(text));
		uint32_t	want;

		for (k = 0; k < len; k++)
			text[k] = (char) (rng_one_in(rng, 2) ? rng_below(rng, 256) : 'a' + rng_below(rng, 3));
		want = gen_dfa_truth(dfa, text, len);
		CHECK(match(dfa->made, text, len) == want, "%d states, %d bytes", dfa->nstates, len);
		*accepted += want == GPUSTR_TRUE;
	}
	gen_dfa_free(dfa);
}

int
main(void)
{
	Rng			rng = rng_make(test_seed());
	int			rounds = test_rounds(3000);
	int			accepted = 0;
	int			i;

	check_examples();
	test_done("examples");
	check_most_states();
	test_done("as many states as there may be");
	for (i = 0; i < rounds; i++)
		check_random(&rng, &accepted);
	printf("# %d of %d accepted\n", accepted, rounds * 20);
	CHECK(accepted > rounds && accepted < rounds * 19, "all or none are accepted");
	test_done("random automata");
	return test_exit();
}
