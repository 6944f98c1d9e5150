/*-------------------------------------------------------------------------
 *
 * compare_text.c
 *	  Functions of texts in both engines.
 *
 * Each batch has one function in particular, others of its answers, and output
 * columns that show all texts that are made, and so, as text, all values.  Texts
 * come as columns, constants, slices and choices; short, long, of broken UTF-8, or
 * so much alike that searches by first bytes get slow.
 *
 * The CUDA engine has gpustr_text_room() bytes for what a step makes, the host
 * engine as much as it takes.  What the host engine puts out tells how many bytes
 * each step has made: where none made more than the room, both must agree bit
 * for bit; else on the rows that neither has left to PostgreSQL.  Last, a batch
 * that needs too much: it must get all of the room.
 *
 * IDENTIFICATION
 *	  test/gpu/compare_text.c
 *
 *-------------------------------------------------------------------------
 */
#include "batch/batch_layout.h"
#include "compare_text.h"
#include "extents_gen.h"

/* Batches of which the engines had to agree on all rows; others. */
static int	strict;
static int	loose;

static int
append(char *out, int32_t len, int32_t left, const char *what)
{
	int32_t		bytes = (int32_t) strlen(what);

	if (bytes > left - len)
		return 0;
	memcpy(out + len, what, (size_t) bytes);
	return bytes;
}

/* Make a text of at most 'left' bytes for column i. */
static int32_t
make_text(Rng *rng, const TextCase * c, int i, int32_t left, char *out)
{
	static const char *const letters[] = {
		"a", "b", "A", "Z", " ", ",", "ab", "0", "z", "_", "\303\251", "\303\237", "\304\261",
		"\311\220", "\344\270\255", "\360\237\231\202"
	};
	static const char *const words[] = {
		"2024-02-29", "1999-12-31", "2023-02-29", "-32768", "32768", "+7", " 12 ", "2147483648",
		"-9223372036854775808", "9223372036854775808", "0", "user@example.com", "4111 1111 1111 1111",
		"192.168.0.1", "fe80::1", "DE89 3704 0044 0532 0130 00", "078-05-1120", "infinity",
		"1.5", "-0.30000000000000004", " .5e-3 ", "123456789012345678", "1e22", "1.00000017881393432617",
		"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "{A0EEBC999C0B4EF8BB6D6BB9BD380A11}", "a0eebc99-9c0b4ef8",
		"\1\200\20\047\5\0"
	};
	const int32_t nwords = (int32_t) (sizeof(words) / sizeof(words[0]));
	int32_t		most = rng_one_in(rng, 20) ? 300 : rng_one_in(rng, 3) ? 70 : 16;
	int32_t		len = 0;
	int32_t		j;

	if (i == 0 && c->few > 0)
		most = c->long_every > 0 && rng_one_in(rng, c->long_every) ? c->long_bytes : 200;
	else if (i == 1 && c->same)
		most = 100;				/* count_matches() has another way past 64 bytes */
	else if (i > 0)
		most = 1 + rng_below(rng, 6);
	else if (c->long_every > 0 && rng_one_in(rng, c->long_every))
		most = c->long_bytes;
	if (i == 2 && !rng_one_in(rng, 4))
		return append(out, 0, left, words[rng_below(rng, nwords)]);
	if (i == 2 && left >= 16)
	{
		for (j = 0; j < 16; j++)
			out[j] = (char) rng_next(rng);
		return 16;
	}
	most = rng_below(rng, (most < left ? most : left) + 1);
	while (len < most)
	{
		int32_t		bytes;

		if (c->same && i < 2)
		{
			out[len++] = rng_one_in(rng, i == 0 ? 300 : 100) ? 'b' : 'a';
			continue;
		}
		if (c->few > 0 && i == 0)
		{
			out[len++] = (char) ('a' + rng_below(rng, c->few));
			continue;
		}
		if (c->broken && i == 0 && rng_one_in(rng, 8))
		{
			out[len++] = (char) (128 + rng_below(rng, 128));
			continue;
		}
		if (i == 0 && rng_one_in(rng, 40))
			bytes = append(out, len, most, words[rng_below(rng, nwords)]);
		else
			bytes = append(out, len, most, letters[rng_below(rng, c->ascii || !rng_one_in(rng, 4) ? 10 : 16)]);
		if (bytes == 0)
			break;
		len += bytes;
	}
	return len;
}

/* Add a case map to a constant, from 'at' on; returns its bytes. */
static uint32_t
make_case_map(const TextWork * work, int upper, char *at)
{
	static const GpustrCasePair ups[] = {
		{0xDF, GPUSTR_CASE_RECHECK}, {0xE9, 0xC9}, {0x131, 'I'}, {0x250, 0x2C6F}
	};
	static const GpustrCasePair downs[] = {{0xC9, 0xE9}, {0x130, GPUSTR_CASE_RECHECK}, {0x2C6F, 0x250}};
	GpustrCaseMap *map = (GpustrCaseMap *) at;
	int32_t		n = upper ? 4 : 3;
	uint8_t		from = upper ? 'a' : 'A';
	int32_t		i;

	memset(at, 0, GPUSTR_CASE_MAP_BYTES(n));
	for (i = 0; i < 128; i++)
		map->ascii[i] = (uint8_t) (i >= from && i < from + 26 ? i ^ 32 : i);
	if (rng_one_in(work->rng, 4))
		map->ascii['b'] = 0xFF;
	map->ascii[0] = rng_one_in(work->rng, 2) ? 0xFF : 0;	/* of no account */
	map->others_stay = !rng_one_in(work->rng, 3);

	/* in a single-byte encoding characters are bytes */
	for (i = 0; i < n; i++)
		if (work->encoding == GPUSTR_ENC_UTF8 || (upper ? ups : downs)[i].from < 256)
			map->pairs[map->npairs++] = (upper ? ups : downs)[i];
	return GPUSTR_CASE_MAP_BYTES(map->npairs);
}

/* The constant of a function; returns its bytes. */
static uint32_t
make_constant(const TextWork * work, GpustrTextFunction function, char *constant)
{
	uint32_t	bytes;
	int32_t		kinds;

	switch (function)
	{
		case GPUSTR_TEXT_UPPER:
		case GPUSTR_TEXT_LOWER:
			return make_case_map(work, function == GPUSTR_TEXT_UPPER, constant);
		case GPUSTR_TEXT_INITCAP:
			bytes = make_case_map(work, 1, constant);
			return bytes + make_case_map(work, 0, constant + bytes);
		case GPUSTR_TEXT_REDACT_PII:
			kinds = rng_one_in(work->rng, 2) ? 0x7F : rng_below(work->rng, 128);
			memcpy(constant, &kinds, sizeof(kinds));
			return sizeof(kinds);
		case GPUSTR_TEXT_REGEX_SUBSTR:
		case GPUSTR_TEXT_REGEX_REPLACE:
		case GPUSTR_TEXT_REGEX_COUNT:
		case GPUSTR_TEXT_REGEX_INSTR:
			return extents_gen(work->rng, work->encoding, constant);
		default:
			return 0;
	}
}

void
compare_text_add(TextWork * work, uint16_t reg)
{
	if (work->ntext < MAX_REGISTERS)
		work->text[work->ntext++] = reg;
}

static void
add_value(TextWork * work, uint16_t reg)
{
	if (work->nvalue < MAX_REGISTERS)
		work->value[work->nvalue++] = reg;
}

/* Put a text out, in the next column, if there is one. */
void
compare_text_show(TextWork * work, uint16_t text)
{
	if (work->nout < GPUSTR_MAX_OUT_COLUMNS)
		gpustr_builder_output_text(&work->builder, work->nout++, text);
}

/* Add a call of a function, and put the answer out; a value, as text. */
void
compare_text_call(TextWork * work, GpustrTextFunction function)
{
	uint64_t	constant[128];
	const char *shape = gpustr_text_function_shape((int) function);
	int			lengthens = function == GPUSTR_TEXT_LPAD || function == GPUSTR_TEXT_RPAD ||
		function == GPUSTR_TEXT_REPEAT;
	uint32_t	bytes = make_constant(work, function, (char *) constant);
	uint16_t	args[3] = {0, 0, 0};
	uint16_t	answer;
	int			i;

	for (i = 0; shape[i] != '\0'; i++)
	{
		if (shape[i] == 'V')
			args[i] = lengthens ? work->times : work->value[rng_below(work->rng, work->nvalue)];
		else if (i == 0 && (lengthens || rng_one_in(work->rng, 2)))
			args[i] = 0;		/* the first column */
		else if (i == 1 && function == GPUSTR_TEXT_REGEX_REPLACE)
			args[i] = work->text[3 + rng_below(work->rng, 3)];	/* a short constant */
		else
			args[i] = work->text[i == 0 ? work->ntext - 1 - rng_below(work->rng, 3) :
								 rng_below(work->rng, rng_one_in(work->rng, 4) ? work->ntext : 6)];
	}
	answer = gpustr_builder_text_function(&work->builder, function, args, constant, bytes);
	if (rng_one_in(work->rng, 8))
		gpustr_builder_of_bytes(&work->builder);
	if (function <= GPUSTR_TEXT_MAKE_LAST)
		compare_text_add(work, answer);
	else
	{
		add_value(work, answer);
		answer = gpustr_builder_text_function(&work->builder, GPUSTR_TEXT_FROM_INT, &answer, NULL, 0);
	}
	compare_text_show(work, answer);
}

/* Registers that calls have as arguments. */
static void
add_registers(TextWork * work)
{
	static const char *const samples[] = {"", "a", " ", ", ", "ab", "\303\251", "zA0_ \303\251ab", "[\\&]\\"};
	static const int64_t numbers[] = {0, 1, 2, 3, 7, -1, -3, 20, 255, 65, 0x20AC, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN,
		/* floats: 0.5, -1/3, pi, 2^52 + 0.5, 1e-7; as float4, too: 16777216, 0.1 */
		0x3FE0000000000000, (int64_t) 0xBFD5555555555555, 0x400921FB54442D18, 0x4330000000000000, 0x3E7AD7F29ABCAF48,
		0x4170000000000000, 0x3FB99999A0000000};
	GpustrProgramBuilder *b = &work->builder;
	Rng		   *rng = work->rng;
	const char *sample;
	uint16_t	flag;
	int			i;

	for (i = 0; i < INPUTS; i++)
		compare_text_add(work, gpustr_builder_column(b, i));
	for (i = 0; i < 3; i++)
	{
		sample = samples[rng_below(rng, 8)];
		compare_text_add(work, gpustr_builder_const_text(b, rng_one_in(rng, 12) ? GPUSTR_NULL : GPUSTR_FALSE, sample,
												 (int32_t) strlen(sample)));
	}
	flag = gpustr_builder_like(b, 0, "%a%", 3);
	work->flag = rng_one_in(rng, 2) ? flag :
		gpustr_builder_binary(b, GPUSTR_OP_OR, flag, gpustr_builder_const(b, GPUSTR_RECHECK));
	compare_text_add(work, gpustr_builder_trim_blanks(b, 0));
	compare_text_add(work, gpustr_builder_choose(b, GPUSTR_OP_CHOOSE_TEXT, work->flag, 0, work->text[rng_below(rng, 6)]));
	for (i = 0; i < 4; i++)
		add_value(work, gpustr_builder_const_value(b, rng_one_in(rng, 12) ? GPUSTR_RECHECK : GPUSTR_FALSE,
												   numbers[rng_below(rng, rng_one_in(rng, 3) ? 22 : 8)]));
	add_value(work, gpustr_builder_length(b, (uint16_t) rng_below(rng, 2), rng_below(rng, 2)));
	work->times = gpustr_builder_arith(b, GPUSTR_ARITH_MOD, GPUSTR_VALUE_INT8, work->value[4],
									   gpustr_builder_const_value(b, GPUSTR_FALSE, MAX_TIMES + 1));
	add_value(work, gpustr_builder_arith(b, GPUSTR_ARITH_SUB, GPUSTR_VALUE_INT8, work->times,
										 work->value[rng_below(rng, 4)]));
}

/* Returns how many output columns there are. */
static int32_t
make_program(Rng *rng, GpustrTextFunction function, uint64_t *program)
{
	TextWork   *work = calloc(1, sizeof(*work));
	int32_t		nout;
	int			i;

	work->rng = rng;
	work->encoding = rng_one_in(rng, 3) ? GPUSTR_ENC_SINGLE_BYTE : GPUSTR_ENC_UTF8;
	gpustr_builder_init(&work->builder, work->encoding, program, PROGRAM_WORDS * sizeof(uint64_t));
	add_registers(work);
	for (i = rng_below(rng, 3); i > 0; i--)
		compare_text_call(work, (GpustrTextFunction) (1 + rng_below(rng, GPUSTR_TEXT_FUNCTION_LAST)));
	compare_text_call(work, function);
	if (rng_one_in(rng, 2))
		gpustr_builder_select(&work->builder, gpustr_builder_like(&work->builder, work->text[work->ntext - 1], "%b%", 3));

	/* an output column of a text that needs no room may have a condition */
	if (work->nout < GPUSTR_MAX_OUT_COLUMNS)
	{
		compare_text_show(work, work->text[rng_below(rng, 8)]);
		gpustr_builder_only_where(&work->builder, work->flag);
	}
	if (gpustr_builder_finish(&work->builder) == 0)
	{
		printf("compare_text: the program does not fit\n");
		exit(2);
	}
	nout = work->nout;
	free(work);
	return nout;
}

/* Fill input column i. */
void
compare_text_fill(Rng *rng, const TextCase * c, GpustrBatch *batch, int i, int nulls)
{
	unsigned char *validity = GPUSTR_BODY_PTR(batch, batch->column[i].validity_off, unsigned char);
	int32_t    *offsets = GPUSTR_BODY_PTR(batch, batch->column[i].offsets_off, int32_t);
	char	   *data = GPUSTR_BODY_PTR(batch, batch->column[i].data_off, char);
	int32_t		used = 0;
	int32_t		r;

	memset(validity, 0, ((size_t) c->n + 7) / 8);
	for (r = 0; r < c->n; r++)
	{
		int			null = nulls && rng_one_in(rng, 8);

		offsets[r] = used;
		if (!null)
			validity[r / 8] |= (unsigned char) (1 << (r % 8));

		/* a NULL may have bytes, too */
		if (!null || rng_one_in(rng, 4))
			used += make_text(rng, c, i, (int32_t) batch->column[i].data_bytes - used, data + used);
	}
	offsets[c->n] = used;
}

/* Bytes that the CUDA engine has for what a step makes. */
static uint64_t
step_room(const GpustrBatch *batch)
{
	uint64_t	bytes = 0;
	int			i;

	for (i = 0; i < batch->ncolumns; i++)
		bytes += (uint64_t) GPUSTR_BODY_PTR(batch, batch->column[i].offsets_off, const int32_t)[batch->nrows];
	return gpustr_text_room(batch->nrows, bytes);
}

static int
bit_of(const void *body, uint32_t off, int32_t r)
{
	return GPUSTR_BODY_PTR(body, off, const unsigned char)[r / 8] >> (r % 8) & 1;
}

/* Have both bodies the same in a row of an output column? */
static int
same_value(const void *a, const void *b, const GpustrColumn *column, int32_t r)
{
	const int32_t *x = GPUSTR_BODY_PTR(a, column->offsets_off, const int32_t) + r;
	const int32_t *y = GPUSTR_BODY_PTR(b, column->offsets_off, const int32_t) + r;

	if (bit_of(a, column->validity_off, r) != bit_of(b, column->validity_off, r))
		return 0;
	return x[1] - x[0] == y[1] - y[0] &&
		memcmp(GPUSTR_BODY_PTR(a, column->data_off, const char) + x[0],
			   GPUSTR_BODY_PTR(b, column->data_off, const char) + y[0], (size_t) (x[1] - x[0])) == 0;
}

/* Do both agree on the rows that neither has left to PostgreSQL? */
static int
agree(const void *a, const void *b)
{
	const GpustrBatch *batch = (const GpustrBatch *) b;
	int32_t		r;
	int32_t		i;

	for (r = 0; r < batch->nrows; r++)
	{
		if (bit_of(a, batch->recheck_off, r) || bit_of(b, batch->recheck_off, r))
			continue;
		if (bit_of(a, batch->selected_off, r) != bit_of(b, batch->selected_off, r))
			return 0;
		for (i = 0; i < batch->nout; i++)
			if (!same_value(a, b, &batch->out_column[i], r))
				return 0;
	}
	return 1;
}

const char *
compare_text_judge(const Flight *flight)
{
	const GpustrBatch *batch = (const GpustrBatch *) flight->copy;
	uint64_t	room = step_room(batch);
	int			enough = 1;
	int32_t		i;

	for (i = 0; i < batch->nout; i++)
		if ((uint64_t) GPUSTR_BODY_PTR(batch, batch->out_column[i].offsets_off, const int32_t)[batch->nrows] > room)
			enough = 0;
	if (!enough)
	{
		loose++;
		return agree(flight->body, flight->copy) ? NULL : "the results differ, and not for want of room";
	}
	strict++;
	if (!gen_compare(flight->body, flight->copy))
		return "the results differ";
	if (flight->cuda.rechecks != flight->host.rechecks || flight->cuda.bytes_out != flight->host.bytes_out)
		return "the counters differ";
	return NULL;
}

GpustrBatch *
compare_lay_out(Flight *flight, const GpustrProgram *program, int32_t n, int32_t ninputs,
				const uint64_t *room, int32_t nout, uint64_t out_bytes)
{
	GpustrBatch *batch;
	uint64_t	bytes = gpustr_layout_columns_bytes(program->bytes, n, ninputs, room, 0);
	uint32_t	laid_out = (uint32_t) bytes;
	uint32_t	validity = GPUSTR_BODY_ALIGN_UP((n + 7) / 8);
	uint32_t	offsets = GPUSTR_BODY_ALIGN_UP(4 * (n + 1));
	uint32_t	at = GPUSTR_BODY_ALIGN_UP(laid_out);
	int32_t		i;

	flight->body_bytes = at + (uint32_t) nout * (validity + offsets + GPUSTR_BODY_ALIGN_UP(out_bytes));
	flight->own = flight->body = compare_allocate_body(flight->body_bytes);
	memset(flight->body, 0x11, flight->body_bytes);
	batch = gpustr_layout_columns(flight->body, laid_out, program, n, ninputs, room, 0);
	batch->body_bytes = flight->body_bytes;
	batch->nout = nout;
	for (i = 0; i < nout; i++)
	{
		batch->out_column[i].validity_off = at;
		batch->out_column[i].offsets_off = at + validity;
		batch->out_column[i].data_off = at + validity + offsets;
		batch->out_column[i].data_bytes = (uint32_t) out_bytes;
		at += validity + offsets + GPUSTR_BODY_ALIGN_UP(out_bytes);
	}
	return batch;
}

/* Run it. */
void
compare_text_run(Flight *flight, GpustrBatch *batch, const char *(*judge) (const Flight *flight), const char *round)
{
	flight->judge = judge;
	gen_poison(batch, 0xC3);
	compare_make_copy(flight);
	gen_poison((GpustrBatch *) flight->copy, 0x3C);
	compare_run_flights(flight, 1, round);
}

static void
round_random(Rng *rng, const TextCase * c, GpustrTextFunction function)
{
	uint64_t	program[PROGRAM_WORDS];
	int32_t		nout = make_program(rng, function, program);
	int			nulls = rng_below(rng, 2);
	uint64_t	room[INPUTS];
	GpustrBatch *batch;
	Flight		flight;
	char		name[64];
	int			i;

	memset(&flight, 0, sizeof(flight));
	room[0] = (uint64_t) c->n * 60 + (c->long_every > 0 ? 8 * (uint64_t) c->long_bytes : 0);
	room[1] = (uint64_t) c->n * (c->same ? 64 : 8);
	room[2] = (uint64_t) c->n * 24;

	/* a byte more than all the room that there can be, so that more than that shows */
	batch = compare_lay_out(&flight, (const GpustrProgram *) program, c->n, INPUTS, room, nout,
							gpustr_text_room(c->n, room[0] + room[1] + room[2]) + 1);
	for (i = 0; i < INPUTS; i++)
		compare_text_fill(rng, c, batch, i, nulls);
	(void) snprintf(name, sizeof(name), "function of texts %d", (int) function);
	compare_text_run(&flight, batch, compare_text_judge, name);
}

/* The longest text of round_no_room(). */
#define NO_ROOM_BYTES 700

/* All of the room must have been used, but for what one answer would have needed. */
static const char *
judge_no_room(const Flight *flight)
{
	const GpustrBatch *batch = (const GpustrBatch *) flight->copy;
	uint64_t	room = step_room(batch);
	uint64_t	made = (uint64_t) GPUSTR_BODY_PTR(flight->body, batch->out_column[0].offsets_off, const int32_t)[batch->nrows];
	uint64_t	all = (uint64_t) GPUSTR_BODY_PTR(batch, batch->out_column[0].offsets_off, const int32_t)[batch->nrows];
	uint64_t	rechecks = 0;
	int32_t		r;

	for (r = 0; r < batch->nrows; r++)
	{
		rechecks += (uint64_t) bit_of(flight->body, batch->recheck_off, r);
		if (bit_of(flight->body, batch->recheck_off, r) == bit_of(flight->body, batch->out_column[0].validity_off, r))
			return "a row is neither computed nor left to PostgreSQL, or both";
	}
	if (flight->host.rechecks != 0 || flight->cuda.rechecks != rechecks || rechecks == 0)
		return "the counters are wrong";
	if (!agree(flight->body, flight->copy))
		return "the results differ";
	if (all <= room)
		return "there was room for all";
	if (made + NO_ROOM_BYTES * 10 < room)
		return "not all of the room was used";
	return NULL;
}

/* Texts ten times over. */
static void
round_no_room(Rng *rng, int32_t n)
{
	TextCase	c = {0};
	uint64_t	program[PROGRAM_WORDS];
	uint64_t	room[INPUTS];
	GpustrProgramBuilder *b = malloc(sizeof(*b));
	uint16_t	args[2] = {0, 0};
	GpustrBatch *batch;
	Flight		flight;
	int			i;

	memset(&flight, 0, sizeof(flight));
	c.n = n;
	gpustr_builder_init(b, GPUSTR_ENC_UTF8, program, sizeof(program));
	for (i = 0; i < INPUTS; i++)
		(void) gpustr_builder_column(b, i);
	args[1] = gpustr_builder_const_value(b, GPUSTR_FALSE, 10);
	gpustr_builder_output_text(b, 0, gpustr_builder_text_function(b, GPUSTR_TEXT_REPEAT, args, NULL, 0));
	if (gpustr_builder_finish(b) == 0)
		exit(2);
	free(b);
	room[0] = (uint64_t) n * NO_ROOM_BYTES;
	room[1] = room[2] = 0;
	batch = compare_lay_out(&flight, (const GpustrProgram *) program, n, INPUTS, room, 1, room[0] * 10);
	compare_text_fill(rng, &c, batch, 1, 0);
	compare_text_fill(rng, &c, batch, 2, 0);
	for (i = 0; i < n; i++)
	{
		int32_t    *offsets = GPUSTR_BODY_PTR(batch, batch->column[0].offsets_off, int32_t);

		offsets[0] = 0;
		offsets[i + 1] = offsets[i] + 200 + rng_below(rng, NO_ROOM_BYTES - 200);
	}
	memset(GPUSTR_BODY_PTR(batch, batch->column[0].validity_off, char), 0xFF, ((size_t) n + 7) / 8);
	for (i = 0; i < (int) room[0]; i++)
		GPUSTR_BODY_PTR(batch, batch->column[0].data_off, char)[i] = (char) ('a' + i % 26);
	compare_text_run(&flight, batch, judge_no_room, "no room for what a step makes");
}

void
compare_text(Rng *rng, int small)
{
	static const int32_t sizes[] = {1, 31, 32, 33, 255, 256, 257, 1000, 3000};
	int			repeat;
	int			function;

	for (repeat = 0; repeat < (small ? 1 : 12); repeat++)
		for (function = 1; function <= GPUSTR_TEXT_FUNCTION_LAST; function++)
		{
			TextCase	c = {0};

			c.n = sizes[rng_below(rng, small ? 7 : 9)];
			c.ascii = rng_one_in(rng, 3);
			c.broken = rng_one_in(rng, 4);
			c.same = rng_one_in(rng, 8);
			if (rng_one_in(rng, 2))
			{
				c.long_every = 1 + rng_below(rng, 40);
				c.long_bytes = !small && rng_one_in(rng, 4) ? 20000 : 600;
			}
			round_random(rng, &c, (GpustrTextFunction) function);
		}
	if (!small)
	{
		const		TextCase many = {.n = 40000,.ascii = 1};

		for (function = 1; function <= GPUSTR_TEXT_FUNCTION_LAST; function++)
			round_random(rng, &many, (GpustrTextFunction) function);
	}
	for (repeat = 0; repeat < (small ? 10 : 200); repeat++)
		compare_text_replace(rng, sizes[rng_below(rng, small ? 7 : 9)], rng_one_in(rng, 4));
	for (repeat = 0; repeat < 4; repeat++)
	{
		round_no_room(rng, 40);
		round_no_room(rng, 2000);
	}
	printf("compare_engines: functions of texts: %d batches in full, %d with too little room\n", strict, loose);
}
