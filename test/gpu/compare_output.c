/*-------------------------------------------------------------------------
 *
 * compare_output.c
 *	  Output columns of column batches in both engines.
 *
 * The random batches of batch_gen.c have room for nearly all that they make,
 * and short values.  These have several output columns with more or less room,
 * values of every length and validity, conditions of all four states, and every
 * way in which a text can reach the step.  Some batches are not left to chance:
 * room that is right to the byte, and an answer of 4 GB.
 *
 * IDENTIFICATION
 *	  test/gpu/compare_output.c
 *
 *-------------------------------------------------------------------------
 */
#include "batch/batch_layout.h"
#include "compare.h"
#include "program/program_builder.h"

#define PROGRAM_WORDS 1024
#define INPUTS 3				/* texts, visibilities, flags */
#define TEXTS 6
#define CONDITIONS 4

/* What a batch is made of. */
typedef struct OutputCase
{
	int32_t		n;
	int32_t		long_every;		/* one text in so many is long; 0: none */
	int32_t		long_bytes;
	int			broken;			/* texts need not be valid UTF-8 */
}			OutputCase;

/* Make a text of at most 'left' bytes. */
static int32_t
make_text(Rng *rng, const OutputCase * c, int32_t left, char *out)
{
	static const char *const letters[] = {"a", " ", "e", "\303\251", "\344\270\255", "\360\237\231\202"};
	int32_t		most = rng_one_in(rng, 20) ? 300 : rng_one_in(rng, 3) ? 60 : 14;
	int32_t		len = 0;
	int32_t		first;			/* bytes before the first space */

	if (c->long_every > 0 && rng_one_in(rng, c->long_every))
		most = c->long_bytes;
	most = rng_below(rng, (most < left ? most : left) + 1);
	first = rng_one_in(rng, 2) ? 0 : rng_below(rng, most + 1);
	while (len < most)
	{
		const char *letter = letters[rng_below(rng, rng_one_in(rng, 4) ? 6 : 3)];
		int32_t		bytes = (int32_t) strlen(letter);

		if (letter[0] == ' ' && len < first)
			letter = "o";
		if (c->broken && rng_one_in(rng, 8))
			out[len++] = (char) (128 + rng_below(rng, 128));
		else if (len + bytes > most)
			break;
		else
		{
			memcpy(out + len, letter, (size_t) bytes);
			len += bytes;
		}
	}
	return len;
}

/* Conditions: where the flag is 't', which may be NULL; with recheck; constants. */
static void
make_conditions(Rng *rng, GpustrProgramBuilder *b, uint16_t flag, uint16_t *condition)
{
	uint16_t	is_t = gpustr_builder_text_eq(b, flag, "t", 1);
	uint16_t	is_r = gpustr_builder_text_eq(b, flag, "r", 1);
	uint16_t	recheck = gpustr_builder_const(b, GPUSTR_RECHECK);

	condition[0] = is_t;
	condition[1] = gpustr_builder_binary(b, GPUSTR_OP_OR, is_t,
										 gpustr_builder_binary(b, GPUSTR_OP_AND, is_r, recheck));
	condition[2] = gpustr_builder_const(b, (GpustrTruth) rng_below(rng, 4));
	condition[3] = gpustr_builder_test(b, GPUSTR_OP_NOT, is_r);
}

/* Texts: a column, a constant in every state, a choice, what is left of a text. */
static void
make_texts(Rng *rng, GpustrProgramBuilder *b, uint16_t column, const uint16_t *condition,
		   uint16_t *text)
{
	text[0] = column;
	text[1] = gpustr_builder_const_text(b, GPUSTR_FALSE, "Jane  \303\211ve", 10);
	text[2] = gpustr_builder_const_text(b, rng_one_in(rng, 2) ? GPUSTR_NULL : GPUSTR_RECHECK, "", 0);
	text[3] = gpustr_builder_choose(b, GPUSTR_OP_CHOOSE_TEXT, condition[rng_below(rng, CONDITIONS)],
									column, text[1 + rng_below(rng, 2)]);
	text[4] = gpustr_builder_trim_blanks(b, column);
	text[5] = gpustr_builder_trim_blanks(b, text[3]);
}

static int32_t
keep(Rng *rng)
{
	return rng_one_in(rng, 3) ? 0 : rng_one_in(rng, 10) ? INT32_MAX - 3 : rng_below(rng, 12);
}

/* Add the step that makes output column i. */
static void
make_step(Rng *rng, GpustrProgramBuilder *b, int32_t i, const uint16_t *text, uint16_t visibility,
		  const uint16_t *condition)
{
	static const char *const masks[] = {"", "X", "**", "\303\251", "[hidden] ", "0123456789abcdefghijklmnopqrstuvwxyz"};
	const char *mask = masks[rng_below(rng, 6)];
	uint16_t	in = text[rng_one_in(rng, 2) ? 0 : rng_below(rng, TEXTS)];

	if (rng_one_in(rng, 3))
		gpustr_builder_mask(b, i, in, keep(rng), keep(rng), mask, (int32_t) strlen(mask));
	else if (rng_one_in(rng, 2))
		gpustr_builder_output_text(b, i, in);
	else
		gpustr_builder_redact(b, i, in, rng_one_in(rng, 5) ? text[1] : visibility);
	if (rng_one_in(rng, 2))
		gpustr_builder_only_where(b, condition[rng_below(rng, CONDITIONS)]);
}

static void
make_program(Rng *rng, int32_t nout, uint64_t *program)
{
	GpustrProgramBuilder *b = malloc(sizeof(*b));
	uint16_t	column[INPUTS];
	uint16_t	condition[CONDITIONS];
	uint16_t	text[TEXTS];
	int32_t		i;

	gpustr_builder_init(b, rng_one_in(rng, 4) ? GPUSTR_ENC_SINGLE_BYTE : GPUSTR_ENC_UTF8, program,
						PROGRAM_WORDS * sizeof(uint64_t));
	for (i = 0; i < INPUTS; i++)
		column[i] = gpustr_builder_column(b, i);
	make_conditions(rng, b, column[2], condition);
	make_texts(rng, b, column[0], condition, text);
	if (rng_one_in(rng, 2))
		gpustr_builder_select(b, condition[rng_below(rng, CONDITIONS)]);
	for (i = 0; i < nout; i++)
		make_step(rng, b, i, text, column[1], condition);
	if (gpustr_builder_finish(b) == 0)
	{
		printf("compare_output: the program does not fit\n");
		exit(2);
	}
	free(b);
}

/* Fill input column i. */
static void
fill_input(Rng *rng, const OutputCase * c, GpustrBatch *batch, int i, int nulls)
{
	static const char *const visibilities[] = {"public", "private", ""};
	static const char *const flags[] = {"t", "f", "r"};
	unsigned char *validity = GPUSTR_BODY_PTR(batch, batch->column[i].validity_off, unsigned char);
	int32_t    *offsets = GPUSTR_BODY_PTR(batch, batch->column[i].offsets_off, int32_t);
	char	   *data = GPUSTR_BODY_PTR(batch, batch->column[i].data_off, char);
	int			same = rng_one_in(rng, 3);	/* all visibilities, or flags */
	int32_t		used = 0;
	int32_t		r;

	memset(validity, 0, ((size_t) c->n + 7) / 8);
	for (r = 0; r < c->n; r++)
	{
		const char *const *words = i == 1 ? visibilities : flags;

		offsets[r] = used;
		if (nulls && rng_one_in(rng, 8))
			continue;
		validity[r / 8] |= (unsigned char) (1 << (r % 8));
		if (i == 0)
			used += make_text(rng, c, (int32_t) batch->column[0].data_bytes - used, data + used);
		else
		{
			const char *word = words[same ? 1 : rng_one_in(rng, 2) ? 0 : rng_below(rng, 3)];

			memcpy(data + used, word, strlen(word));
			used += (int32_t) strlen(word);
		}
	}
	offsets[c->n] = used;
}

/* Room for an output column: none, for some rows, or plenty. */
static uint32_t
some_room(Rng *rng, const OutputCase * c, uint64_t text_bytes)
{
	switch (rng_below(rng, 5))
	{
		case 0:
			return (uint32_t) rng_below(rng, 300);
		case 1:
			return (uint32_t) (c->n * (1 + rng_below(rng, 20)));
		default:
			return (uint32_t) (4 * text_bytes) + (uint32_t) c->n * 10;
	}
}

/* What redaction of column 0 needs at most, or a little less. */
static uint32_t
tight_room(Rng *rng, const GpustrBatch *batch)
{
	const int32_t *offsets = GPUSTR_BODY_PTR(batch, batch->column[0].offsets_off, const int32_t);
	int32_t		bytes = 0;
	int32_t		r;

	for (r = 0; r < batch->nrows; r++)
		bytes += offsets[r + 1] - offsets[r] > 3 ? offsets[r + 1] - offsets[r] : 3;
	return (uint32_t) (bytes - rng_below(rng, 3));
}

/* Take 'bytes' of a body that grows. */
static uint32_t
place(uint32_t *body_bytes, uint64_t bytes)
{
	uint32_t	at = *body_bytes;

	*body_bytes = GPUSTR_BODY_ALIGN_UP(at + bytes);
	return at;
}

static void
round_output(Rng *rng, const OutputCase * c)
{
	uint64_t	program[PROGRAM_WORDS];
	const GpustrProgram *made = (const GpustrProgram *) program;
	int32_t		nout = 1 + rng_below(rng, GPUSTR_MAX_OUT_COLUMNS);
	int			nulls = rng_below(rng, 2);
	uint64_t	room[INPUTS];
	GpustrColumn out[GPUSTR_MAX_OUT_COLUMNS];
	GpustrBatch *batch;
	Flight		flight;
	uint32_t	laid_out;
	int32_t		i;

	memset(&flight, 0, sizeof(flight));
	make_program(rng, nout, program);
	room[0] = (uint64_t) c->n * 40 + (c->long_every > 0 ? 8 * (uint64_t) c->long_bytes : 0);
	room[1] = (uint64_t) c->n * 8;
	room[2] = (uint64_t) c->n;
	laid_out = (uint32_t) gpustr_layout_columns_bytes(made->bytes, c->n, INPUTS, room, 0);
	flight.body_bytes = GPUSTR_BODY_ALIGN_UP(laid_out);
	for (i = 0; i < nout; i++)
	{
		out[i].data_bytes = some_room(rng, c, room[0]);
		out[i].validity_off = place(&flight.body_bytes, ((uint64_t) c->n + 7) / 8);
		out[i].offsets_off = place(&flight.body_bytes, 4 * ((uint64_t) c->n + 1));
		out[i].data_off = place(&flight.body_bytes, out[i].data_bytes);
	}
	flight.own = flight.body = compare_allocate_body(flight.body_bytes);
	memset(flight.body, 0x11, flight.body_bytes);
	batch = gpustr_layout_columns(flight.body, laid_out, made, c->n, INPUTS, room, 0);
	batch->body_bytes = flight.body_bytes;
	batch->nout = nout;
	memcpy(batch->out_column, out, sizeof(GpustrColumn) * (size_t) nout);
	for (i = 0; i < INPUTS; i++)
		fill_input(rng, c, batch, i, nulls);
	for (i = 0; i < nout; i++)
	{
		uint32_t	bytes = tight_room(rng, batch);

		if (rng_one_in(rng, 2) && bytes < batch->out_column[i].data_bytes)
			batch->out_column[i].data_bytes = bytes;
	}
	gen_poison(batch, 0xC3);
	compare_make_copy(&flight);
	gen_poison((GpustrBatch *) flight.copy, 0x3C);
	compare_run_flights(&flight, 1, "output columns");
}

/*
 * A batch of n rows, not public, with texts of 'bytes' letters, and as much
 * room as is said.  mask_bytes: of the mask; 0: redaction.
 */
static void
round_exact(int32_t n, int32_t bytes, int32_t mask_bytes, uint32_t out_bytes)
{
	static char mask[4096];
	uint64_t	program[PROGRAM_WORDS];
	uint64_t	room[2];
	GpustrProgramBuilder *b = malloc(sizeof(*b));
	GpustrBatch *batch;
	Flight		flight;
	uint32_t	program_bytes;
	int			i;

	memset(&flight, 0, sizeof(flight));
	memset(mask, '*', sizeof(mask));
	gpustr_builder_init(b, GPUSTR_ENC_UTF8, program, sizeof(program));
	(void) gpustr_builder_column(b, 0);
	(void) gpustr_builder_column(b, 1);
	if (mask_bytes > 0)
		gpustr_builder_mask(b, 0, 0, 0, 0, mask, mask_bytes);
	else
		gpustr_builder_redact(b, 0, 0, 1);
	program_bytes = gpustr_builder_finish(b);
	if (program_bytes == 0)
		exit(2);
	free(b);
	room[0] = (uint64_t) n * (uint64_t) bytes;
	room[1] = (uint64_t) n;
	flight.body_bytes = (uint32_t) gpustr_layout_columns_bytes(program_bytes, n, 2, room, out_bytes);
	flight.own = flight.body = compare_allocate_body(flight.body_bytes);
	memset(flight.body, 0x11, flight.body_bytes);
	batch = gpustr_layout_columns(flight.body, flight.body_bytes, (const GpustrProgram *) program, n, 2, room,
								  out_bytes);
	for (i = 0; i < 2; i++)
	{
		int32_t    *offsets = GPUSTR_BODY_PTR(batch, batch->column[i].offsets_off, int32_t);
		int32_t		r;

		memset(GPUSTR_BODY_PTR(batch, batch->column[i].validity_off, char), 0xFF, ((size_t) n + 7) / 8);
		memset(GPUSTR_BODY_PTR(batch, batch->column[i].data_off, char), 'a', (size_t) room[i]);
		for (r = 0; r <= n; r++)
			offsets[r] = r * (i == 0 ? bytes : 1);
	}
	gen_poison(batch, 0xC3);
	compare_make_copy(&flight);
	gen_poison((GpustrBatch *) flight.copy, 0x3C);
	compare_run_flights(&flight, 1, "exact room");
}

/* Room for all, less a byte or more; and lengths that are 0 in 32 bits. */
static void
compare_exact(void)
{
	static const int32_t rows[] = {1, 32, 33, 600, 6000};
	uint32_t	less;
	int			i;

	for (i = 0; i < 5; i++)
		for (less = 0; less < 3; less++)
		{
			uint32_t	all = 3 * (uint32_t) rows[i];

			round_exact(rows[i], 3, 0, all - less);
			round_exact(rows[i], 0, 0, all - less);
			round_exact(rows[i], 3, 1, all - less);
			round_exact(rows[i], 3, 30, 30 * all - less);
		}
	round_exact(2, 100000, 1, 200000);
	round_exact(2, 100000, 36, 200000 * 36 - 1);
	round_exact(3, 1 << 20, 4096, 64);
	round_exact(2, 1 << 19, 4096, 64);
}

/* The rounds that are done once: sizes around those of blocks and of the scan's tiles. */
void
compare_output(Rng *rng, int small)
{
	static const int32_t sizes[] = {1, 2, 31, 32, 33, 255, 256, 257, 1000, 2687, 2688, 2689, 6000};
	int			repeat;
	size_t		i;

	compare_exact();
	for (repeat = 0; repeat < (small ? 2 : 20); repeat++)
		for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		{
			OutputCase	c = {0, 0, 0, 0};

			c.n = sizes[i];
			c.broken = rng_one_in(rng, 4);
			if (rng_one_in(rng, 2))
			{
				/* none longer than what a hidden name becomes; else some long */
				c.long_every = rng_one_in(rng, 3) ? 1 : 1 + rng_below(rng, 40);
				c.long_bytes = c.long_every == 1 ? 3 : rng_one_in(rng, 4) ? 50000 : 200;
			}
			round_output(rng, &c);
		}
	if (!small)
	{
		const		OutputCase many = {400000, 0, 0, 0};
		const		OutputCase huge = {20000, 1000, 3000000, 0};

		round_output(rng, &many);
		round_output(rng, &huge);
	}
}
