/*-------------------------------------------------------------------------
 *
 * compare_redact.c
 *	  Redaction of columns in both engines.
 *
 * The random batches of batch_gen.c are small.  These have sizes around those
 * of the kernel's tiles and are large enough for both of its shapes; names are
 * short, so that tiles go through shared memory, but for a few of megabytes.
 *
 * IDENTIFICATION
 *	  test/gpu/compare_redact.c
 *
 *-------------------------------------------------------------------------
 */
#include "batch/batch_layout.h"
#include "compare.h"
#include "program/program_builder.h"

/* Add a name or a visibility of a column for redaction. */
static int32_t
redact_text(Rng *rng, char *out, int visibility, int32_t huge)
{
	static const char *const letters[] = {"a", "e", "n", "r", "\303\251", "\344\270\255", "\360\237\231\202"};
	int32_t		len = 0;
	int			n;

	if (visibility)
	{
		const char *text = rng_one_in(rng, 2) ? "public" : rng_one_in(rng, 40) ? "publiC" : "private";

		memcpy(out, text, strlen(text));
		return (int32_t) strlen(text);
	}
	if (huge > 0)
	{
		memset(out, 'h', (size_t) huge);
		out[huge / 2] = ' ';
		return huge;
	}
	for (n = rng_below(rng, rng_one_in(rng, 50) ? 60 : 14); n > 0; n--)
	{
		const char *letter = rng_one_in(rng, 6) ? " " : letters[rng_below(rng, rng_one_in(rng, 4) ? 7 : 4)];

		memcpy(out + len, letter, strlen(letter));
		len += (int32_t) strlen(letter);
	}
	return len;
}

/* A column batch of n rows of names, some NULL, one in 'huge_every' of megabytes. */
static void
make_redact(Flight *flight, Rng *rng, int32_t n, int nulls, int32_t huge_every, int32_t huge)
{
	uint64_t	program[128];
	const GpustrProgram *made = (const GpustrProgram *) program;
	GpustrProgramBuilder *builder = malloc(sizeof(*builder));
	uint64_t	room[2];
	uint64_t	need;
	GpustrBatch *batch;
	int			c;

	room[0] = (uint64_t) n * 60 + (huge_every > 0 ? (uint64_t) huge * ((uint64_t) n / (uint64_t) huge_every + 1) : 0);
	room[1] = (uint64_t) n * 8;
	memset(flight, 0, sizeof(*flight));
	gpustr_builder_init(builder, rng_below(rng, 2), program, sizeof(program));
	(void) gpustr_builder_column(builder, 0);
	(void) gpustr_builder_column(builder, 1);
	gpustr_builder_redact(builder, 0, 0, 1);
	if (gpustr_builder_finish(builder) == 0)
		exit(2);
	free(builder);
	need = gpustr_layout_columns_bytes(made->bytes, n, 2, room, room[0] + 3 * (uint64_t) n);
	flight->body_bytes = (uint32_t) need;
	flight->own = flight->body = compare_allocate_body(flight->body_bytes);
	memset(flight->body, 0x11, flight->body_bytes);
	batch = gpustr_layout_columns(flight->body, flight->body_bytes, made, n, 2, room,
								  room[0] + 3 * (uint64_t) n);
	for (c = 0; c < 2; c++)
	{
		unsigned char *validity = GPUSTR_BODY_PTR(batch, batch->column[c].validity_off, unsigned char);
		int32_t    *offsets = GPUSTR_BODY_PTR(batch, batch->column[c].offsets_off, int32_t);
		char	   *data = GPUSTR_BODY_PTR(batch, batch->column[c].data_off, char);
		int32_t		used = 0;
		int32_t		r;

		memset(validity, 0, ((size_t) n + 7) / 8);
		for (r = 0; r < n; r++)
		{
			offsets[r] = used;
			if (nulls && rng_one_in(rng, 10))
				continue;
			validity[r / 8] |= (unsigned char) (1 << (r % 8));
			used += redact_text(rng, data + used, c == 1,
								huge_every > 0 && r % huge_every == huge_every - 1 ? huge : 0);
		}
		offsets[n] = used;
	}
	gen_poison(batch, 0xC3);
	compare_make_copy(flight);
	gen_poison((GpustrBatch *) flight->copy, 0x3C);
}

static void
round_redact(Rng *rng, int32_t n, int nulls, int32_t huge_every, int32_t huge)
{
	Flight		flight;

	make_redact(&flight, rng, n, nulls, huge_every, huge);
	compare_run_flights(&flight, 1, "redaction");
}

/* The rounds that are done once: sizes around those of tiles, and large ones. */
void
compare_redaction(Rng *rng, int small)
{
	static const int32_t sizes[] = {1, 31, 32, 33, 511, 512, 513, 1023, 1024, 1025, 5000};
	size_t		i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
	{
		round_redact(rng, sizes[i], 0, 0, 0);
		round_redact(rng, sizes[i], 1, 0, 0);
		round_redact(rng, sizes[i], 1, 400, 100000);
	}
	if (small)
		return;
	round_redact(rng, 200000, 1, 0, 0);
	round_redact(rng, 200000, 0, 50000, 5000000);

	/* large enough for the large shape */
	round_redact(rng, 2500000, 0, 0, 0);
	round_redact(rng, 2500000, 1, 1000000, 3000000);
}
