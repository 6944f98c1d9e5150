/*-------------------------------------------------------------------------
 *
 * compare_literals.c
 *	  Compare the engines on CONTAINS_ANY: automata of few and of thousands of
 *	  literals over a column of texts of the same letters, so that cold states
 *	  are met and about half of the texts have a literal.
 *
 * IDENTIFICATION
 *	  test/gpu/compare_literals.c
 *
 *-------------------------------------------------------------------------
 */
#include "batch/batch_layout.h"
#include "compare.h"
#include "program/literal_trie.h"
#include "program/program_builder.h"
#include "rowfn/aho_corasick.h"

#define MAX_BYTES 16			/* of a literal */
#define MAX_TEXT 200

/* Bytes of a program beside its automaton. */
#define OTHER_BYTES 4096

static int64_t all_rows;
static int64_t found_rows;
static int64_t cold_states;
static int64_t more_edges;

static void
no_poll(void)
{
}

static const GpustrTrieMemory memory = {realloc, free, no_poll};

/* Letters from 'a' on; now and then any byte. */
void
compare_make_letters(Rng *rng, char *to, int32_t n, int32_t letters)
{
	int32_t		i;

	for (i = 0; i < n; i++)
		to[i] = (char) (rng_one_in(rng, 200) ? rng_below(rng, 256) : 'a' + rng_below(rng, letters));
}

/* So many literals, of a length at which about every hundredth place of a text has one. */
GpustrAhoCorasick *
compare_make_set(Rng *rng, int32_t n, int32_t letters, uint32_t *bytes)
{
	char	   *text = malloc((size_t) n * MAX_BYTES);
	GpustrLiteral *literals = malloc((size_t) n * sizeof(GpustrLiteral));
	GpustrLiteralTrie trie;
	GpustrAhoCorasick *set = NULL;
	int32_t		usual = 1;
	double		places;
	int32_t		i;

	for (places = letters; places < 100.0 * n && usual < MAX_BYTES - 2; places *= letters)
		usual++;
	compare_make_letters(rng, text, n * MAX_BYTES, letters);
	for (i = 0; i < n; i++)
	{
		literals[i].at = text + (size_t) i * MAX_BYTES;
		literals[i].bytes = usual + rng_below(rng, 3);

		/* one that another one begins with or ends in, but for a byte */
		if (i > 0 && rng_one_in(rng, 3))
		{
			const char *other = text + (size_t) rng_below(rng, i) * MAX_BYTES + rng_below(rng, 2);

			memcpy(text + (size_t) i * MAX_BYTES, other, (size_t) literals[i].bytes - 1);
		}
	}
	if (gpustr_trie_make(&trie, literals, n, 1, 1 << 22, &memory))
	{
		set = gpustr_trie_aho_corasick(&trie, rng_one_in(rng, 2) ? GPUSTR_AHO_HOT_BYTES :
									   (uint32_t) rng_below(rng, 4000), INT32_MAX, &memory, bytes);
		gpustr_trie_free(&trie, &memory);
	}
	free(literals);
	free(text);
	return set;
}

/* The rows: NULLs, empty ones, and long ones. */
static void
fill_column(Rng *rng, GpustrBatch *batch, int32_t letters)
{
	uint32_t   *validity = GPUSTR_BODY_PTR(batch, batch->column[0].validity_off, uint32_t);
	int32_t    *offsets = GPUSTR_BODY_PTR(batch, batch->column[0].offsets_off, int32_t);
	char	   *data = GPUSTR_BODY_PTR(batch, batch->column[0].data_off, char);
	int32_t		at = 0;
	int32_t		r;

	memset(validity, 0xFF, 4 * (size_t) GPUSTR_BITMAP_WORDS(batch->nrows));
	for (r = 0; r < batch->nrows; r++)
	{
		int32_t		n = rng_one_in(rng, 20) ? rng_below(rng, 3) : rng_below(rng, MAX_TEXT);

		offsets[r] = at;
		if (rng_one_in(rng, 30))
			validity[r / 32] &= ~(1u << (r % 32));
		compare_make_letters(rng, data + at, n, letters);
		at += n;
	}
	offsets[batch->nrows] = at;
}

static void
round_literals(Rng *rng, int32_t n, int32_t nrows)
{
	int32_t		letters = 2 + rng_below(rng, 10);
	uint32_t	bytes = 0;
	GpustrAhoCorasick *set = compare_make_set(rng, n, letters, &bytes);
	uint32_t	program_bytes = bytes + OTHER_BYTES;
	char	   *program = malloc(program_bytes);
	GpustrProgramBuilder *b = malloc(sizeof(GpustrProgramBuilder));
	uint64_t	room = (uint64_t) nrows * MAX_TEXT;
	Flight		flight;
	GpustrBatch *batch;
	int32_t		r;

	gpustr_builder_init(b, GPUSTR_ENC_SINGLE_BYTE, program, program_bytes);
	(void) gpustr_builder_column(b, 0);
	gpustr_builder_select(b, gpustr_builder_contains_any(b, 0, set, bytes));
	if (gpustr_builder_finish(b) == 0)
	{
		printf("compare_literals: the program does not fit\n");
		exit(2);
	}
	memset(&flight, 0, sizeof(flight));
	flight.body_bytes = program_bytes + (uint32_t) room + 32 * (uint32_t) nrows + 65536;
	flight.body = flight.own = compare_allocate_body(flight.body_bytes);
	batch = gpustr_layout_columns(flight.body, flight.body_bytes, (const GpustrProgram *) program, nrows, 1,
								  &room, 0);
	if (batch == NULL)
	{
		printf("compare_literals: the batch does not fit\n");
		exit(2);
	}
	fill_column(rng, batch, letters);
	for (r = 0; r < nrows; r++)
	{
		const int32_t *offset = GPUSTR_BODY_PTR(batch, batch->column[0].offsets_off, const int32_t) + r;

		found_rows += rowfn_aho_match(set, GPUSTR_BODY_PTR(batch, batch->column[0].data_off, const char) + offset[0],
									  offset[1] - offset[0]);
	}
	all_rows += nrows;
	cold_states += set->nstates - set->nhot;
	more_edges += set->nmore;
	gen_poison(batch, 0xC3);
	compare_make_copy(&flight);
	gen_poison((GpustrBatch *) flight.copy, 0x3C);
	compare_run_flights(&flight, 1, "literals");
	free(b);
	free(program);
	free(set);
}

void
compare_literals(Rng *rng, int small)
{
	static const int32_t counts[] = {1, 3, 20, 100, 1000, 10000};
	int			i;

	for (i = 0; i < (small ? 12 : 60); i++)
		round_literals(rng, counts[i % 6], small ? 33 + rng_below(rng, 300) : 1 + rng_below(rng, 100000));
	printf("compare_engines: literals: %lld of %lld rows have one, %lld cold states, %lld edges beside\n",
		   (long long) found_rows, (long long) all_rows, (long long) cold_states, (long long) more_edges);
	if (found_rows * 10 < all_rows || found_rows * 10 > 9 * all_rows || cold_states == 0 || more_edges == 0)
	{
		printf("compare_literals: not what is to be compared\n");
		exit(2);
	}
}
