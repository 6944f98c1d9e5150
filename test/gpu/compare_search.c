/*-------------------------------------------------------------------------
 *
 * compare_search.c
 *	  LIKE, ILIKE and strpos() of constants over columns, in both engines.
 *
 * The host engine compares patterns and texts; the CUDA engine has automata for
 * patterns, and goes over the bytes of a column for a literal (strings_search.cu,
 * strings_dfa.cu).  Texts are short, or long enough for a warp to share them (more
 * than 1 KB, than 16 KB), NULL with bytes and without, empty, of broken UTF-8, or
 * nearly of one letter, so that comparing a literal gets slow.  What is sought is
 * mostly cut out of some row.  Every answer is put out, as text; one selects.
 *
 * IDENTIFICATION
 *	  test/gpu/compare_search.c
 *
 *-------------------------------------------------------------------------
 */
#include "batch/batch_layout.h"
#include "compare.h"
#include "program/program_builder.h"
#include "program/text_function.h"
#include "rowfn/like.h"

#define PROGRAM_BYTES (256 * 1024)
#define MAX_ROWS 3000
#define MAX_TEXT 40000
#define MAX_SOUGHT 120

/* What an answer takes as text: an int8, "false". */
#define ANSWER_BYTES 24

/* The texts of a batch. */
typedef struct SearchTexts
{
	int32_t		n;
	int32_t		encoding;
	int32_t		letters;		/* as for test_text() */
	int			broken;			/* bytes of any kind are among them */
	int			same;			/* nearly of one letter */
	int32_t		long_every;		/* one in so many has more than 1 KB; 0: none */
	int32_t		offset[MAX_ROWS + 1];
	unsigned char valid[MAX_ROWS / 8 + 1];
	char	   *data;
	size_t		room;
} SearchTexts;

/* What was compared, so that it cannot become one-sided unnoticed. */
static int64_t patterns;
static int64_t with_automaton;
static int64_t one_literal;
static int64_t all_rows;
static int64_t true_rows;
static int64_t over_1k;
static int64_t over_16k;

static int32_t
make_length(Rng *rng, const SearchTexts *texts)
{
	if (rng_one_in(rng, 12))
		return 0;
	if (texts->long_every > 0 && rng_one_in(rng, texts->long_every))
		return rng_one_in(rng, 4) ? rng_below(rng, MAX_TEXT + 1) : 900 + rng_below(rng, 2500);
	return rng_below(rng, 130);
}

/*
 * Nearly all the same letter, so that searching is slow; in UTF-8 at times with others
 * of two bytes, that a search which has become slow does not look at one by one.
 */
static void
make_same(Rng *rng, char *text, int32_t len, int32_t encoding)
{
	int32_t		from = rng_below(rng, len + 1);
	int32_t		to = rng_one_in(rng, 3) ? from + rng_below(rng, len - from + 1) : from;
	int32_t		i;

	for (i = 0; i < len; i++)
		text[i] = rng_one_in(rng, 500) ? 'b' : 'a';
	if (encoding == GPUSTR_ENC_UTF8)
		for (i = from; i + 1 < to; i += 2)
			memcpy(text + i, "\xC3\xA9", 2);
}

static void
make_texts(Rng *rng, SearchTexts *texts)
{
	int32_t		at = 0;
	int32_t		r;
	int32_t		i;

	memset(texts->valid, 0, sizeof(texts->valid));
	for (r = 0; r < texts->n; r++)
	{
		int			null = rng_one_in(rng, 15);
		int32_t		len = null && rng_one_in(rng, 2) ? 0 : make_length(rng, texts);

		if ((size_t) at + MAX_TEXT > texts->room)
		{
			texts->room = 2 * texts->room + MAX_TEXT;
			texts->data = realloc(texts->data, texts->room);
		}
		if (texts->same)
			make_same(rng, texts->data + at, len, texts->encoding);
		else
			len = test_text(rng, texts->data + at, len, texts->letters);
		for (i = 0; i < len && texts->broken; i++)
			if (rng_one_in(rng, 12))
				texts->data[at + i] = (char) rng_below(rng, 256);
		if (!null)
			texts->valid[r / 8] |= (unsigned char) (1 << (r % 8));
		over_1k += len > 1024;
		over_16k += len > 16384;
		texts->offset[r] = at;
		at += len;
	}
	texts->offset[texts->n] = at;
}

/* A part of some row, at most 'most' bytes, at times with another last byte. */
static int32_t
cut_out(Rng *rng, const SearchTexts *texts, int32_t most, char *out)
{
	int32_t		r = rng_below(rng, texts->n);
	int32_t		len = texts->offset[r + 1] - texts->offset[r];
	int32_t		from = rng_below(rng, len + 1);
	int32_t		n = rng_below(rng, (len - from < most ? len - from : most) + 1);

	memcpy(out, texts->data + texts->offset[r] + from, (size_t) n);
	if (n > 0 && rng_one_in(rng, 6))
		out[n - 1] = 'b';
	return n;
}

/* Something to look for: mostly short. */
static int32_t
make_sought(Rng *rng, const SearchTexts *texts, char *out)
{
	int32_t		n = cut_out(rng, texts, rng_one_in(rng, 4) ? MAX_SOUGHT : 1 + rng_below(rng, 9), out);

	if (n == 0 && !rng_one_in(rng, 10))
		out[n++] = 'a';
	return n;
}

/* A pattern: a literal anywhere, parts of texts anywhere, or as test_pattern() has them. */
static int32_t
make_pattern(Rng *rng, const SearchTexts *texts, char *out)
{
	char		part[MAX_SOUGHT];
	int32_t		bytes = 0;
	int32_t		n;
	int32_t		i;
	int			parts = rng_below(rng, 5);

	if (parts == 0)
	{
		n = cut_out(rng, texts, 60, part);
		return test_pattern(rng, out, MAX_SOUGHT, texts->letters, part, n);
	}
	if (parts > 3)
		parts = 1;
	out[bytes++] = '%';
	for (; parts > 0; parts--)
	{
		n = parts == 1 ? make_sought(rng, texts, part) : cut_out(rng, texts, 4, part);
		for (i = 0; i < n; i++)
		{
			if (part[i] == '%' || part[i] == '_' || part[i] == '\\')
				out[bytes++] = '\\';
			out[bytes++] = part[i];
		}
		out[bytes++] = '%';
	}
	return bytes;
}

/* Count a pattern, and the rows that match. */
static void
count_matches(const SearchTexts *texts, const GpustrProgramBuilder *b)
{
	const GpustrStep *step = &b->step[b->nsteps - 1];
	const char *constant = b->area + step->const_off;
	const GpustrFold *fold = step->op == GPUSTR_OP_ILIKE ? (const GpustrFold *) constant : NULL;
	const void *pattern = constant + (fold != NULL ? sizeof(GpustrFold) : 0);
	int32_t		r;

	patterns++;
	with_automaton += step->aux == 1;
	one_literal += fold == NULL && rowfn_like_only_literal(pattern) != NULL;
	for (r = 0; r < texts->n; r++)
	{
		const char *text = texts->data + texts->offset[r];
		int32_t		len = texts->offset[r + 1] - texts->offset[r];
		int			truth = fold != NULL ?
			rowfn_ilike(text, len, fold, rowfn_fold_kind(fold), pattern, texts->encoding) :
			rowfn_like(text, len, pattern, texts->encoding);

		true_rows += truth == GPUSTR_TRUE;
	}
	all_rows += texts->n;
}

/* A step that tests the text; returns its bool register. */
static uint16_t
add_test(Rng *rng, const SearchTexts *texts, GpustrProgramBuilder *b, uint16_t text)
{
	char		pattern[4 * MAX_SOUGHT];
	int32_t		bytes = make_pattern(rng, texts, pattern);
	GpustrFold	fold;
	uint16_t	made;

	if (rng_one_in(rng, 3))
	{
		test_fold(rng, &fold);
		test_fold_pattern(pattern, bytes, &fold);
		made = gpustr_builder_ilike(b, text, &fold, pattern, bytes);
	}
	else
		made = gpustr_builder_like(b, text, pattern, bytes);
	count_matches(texts, b);
	return made;
}

/* A step that searches the text for a constant; returns its value register. */
static uint16_t
add_position(Rng *rng, const SearchTexts *texts, GpustrProgramBuilder *b, uint16_t text)
{
	char		what[MAX_SOUGHT];
	int32_t		bytes = make_sought(rng, texts, what);
	uint16_t	args[2];

	args[0] = text;
	args[1] = gpustr_builder_const_text(b, rng_one_in(rng, 20) ? GPUSTR_NULL : GPUSTR_FALSE, what, bytes);
	return gpustr_builder_text_function(b, GPUSTR_TEXT_POSITION, args, NULL, 0);
}

/* Returns how many output columns there are. */
static int32_t
make_program(Rng *rng, const SearchTexts *texts, void *program)
{
	GpustrProgramBuilder *b = malloc(sizeof(*b));
	uint16_t	text;
	int32_t		nout = 0;

	gpustr_builder_init(b, texts->encoding, program, PROGRAM_BYTES);
	text = gpustr_builder_column(b, 0);

	/* a text that is no column's any more has other ways */
	if (rng_one_in(rng, 5))
		text = gpustr_builder_trim_blanks(b, text);
	while (nout < GPUSTR_MAX_OUT_COLUMNS)
	{
		GpustrTextFunction show = GPUSTR_TEXT_FROM_INT;
		uint16_t	value;

		if (nout % 2 == 0)
			value = add_position(rng, texts, b, text);
		else
		{
			value = gpustr_builder_bool_value(b, add_test(rng, texts, b, text));
			show = GPUSTR_TEXT_FROM_BOOL;
		}
		gpustr_builder_output_text(b, nout++, gpustr_builder_text_function(b, show, &value, NULL, 0));
	}
	gpustr_builder_select(b, add_test(rng, texts, b, text));
	if (gpustr_builder_finish(b) == 0)
	{
		printf("compare_search: the program does not fit\n");
		exit(2);
	}
	free(b);
	return nout;
}

static void
round_search(Rng *rng, SearchTexts *texts)
{
	void	   *program = malloc(PROGRAM_BYTES);
	uint64_t	room;
	int32_t		nout;
	Flight		flight;
	GpustrBatch *batch;

	make_texts(rng, texts);
	nout = make_program(rng, texts, program);
	memset(&flight, 0, sizeof(flight));
	room = (uint64_t) texts->offset[texts->n];
	batch = compare_lay_out(&flight, (const GpustrProgram *) program, texts->n, 1, &room, nout,
							(uint64_t) texts->n * ANSWER_BYTES);
	memcpy(GPUSTR_BODY_PTR(batch, batch->column[0].validity_off, char), texts->valid,
		   ((size_t) texts->n + 7) / 8);
	memcpy(GPUSTR_BODY_PTR(batch, batch->column[0].offsets_off, char), texts->offset,
		   sizeof(int32_t) * ((size_t) texts->n + 1));
	memcpy(GPUSTR_BODY_PTR(batch, batch->column[0].data_off, char), texts->data, (size_t) room);
	gen_poison(batch, 0xC3);
	compare_make_copy(&flight);
	gen_poison((GpustrBatch *) flight.copy, 0x3C);
	compare_run_flights(&flight, 1, "searches");
	free(program);
}

void
compare_search(Rng *rng, int small)
{
	static const int32_t sizes[] = {1, 31, 32, 33, 255, 256, 257, 1000, MAX_ROWS};
	SearchTexts *texts = calloc(1, sizeof(*texts));
	int			i;

	for (i = 0; i < (small ? 16 : 240); i++)
	{
		texts->n = sizes[rng_below(rng, small ? 7 : 9)];
		texts->encoding = rng_one_in(rng, 3) ? GPUSTR_ENC_SINGLE_BYTE : GPUSTR_ENC_UTF8;
		texts->letters = i % 4 == 0 ? 2 : rng_one_in(rng, 2) ? TEST_ASCII_LETTERS : TEST_ALL_LETTERS;
		texts->broken = i % 4 == 1;
		texts->same = i % 8 == 2;

		/* none, one, or nearly all of a warp's rows */
		texts->long_every = i % 3 == 0 ? 0 : i % 3 == 1 ? 40 : texts->n > 300 ? 10 : 2;
		round_search(rng, texts);
	}
	printf("compare_engines: searches: %lld patterns, %lld with an automaton, %lld one literal, %lld of %lld rows match, "
		   "%lld of more than 1 KB, %lld of more than 16\n", (long long) patterns, (long long) with_automaton,
		   (long long) one_literal, (long long) true_rows, (long long) all_rows, (long long) over_1k,
		   (long long) over_16k);
	if (with_automaton * 2 < patterns || one_literal * 8 < patterns || true_rows * 20 < all_rows ||
		true_rows * 20 > 19 * all_rows || over_1k == 0 || over_16k == 0)
	{
		printf("compare_search: not what is to be compared\n");
		exit(2);
	}
	free(texts->data);
	free(texts);
}
