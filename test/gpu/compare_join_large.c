/*-------------------------------------------------------------------------
 *
 * compare_join_large.c
 *	  Joins that are too large for nested loops, with functions of texts behind the
 *	  PROBE: both engines must bring the same sequence.
 *
 * One table, of up to 700,000 rows, that a batch of up to 90,000 rows probes by a key
 * some of whose values occur very often; perhaps the pairs probe it once more.  What
 * the results have is taken together to a sum, whatever pieces they came in.
 *
 * IDENTIFICATION
 *	  test/gpu/compare_join_large.c
 *
 *-------------------------------------------------------------------------
 */
#include <stddef.h>

#include "batch/batch_layout.h"
#include "compare_join.h"
#include "program/program_builder.h"
#include "program/text_function.h"
#include "rowfn/hash_key.h"

#define PROGRAM_BYTES 65536
#define BODY_BYTES (64 << 20)
#define MAX_TEXT 40

/* Rows of a table at most: more than twice as many as are put in as they come. */
#define LARGEST_TABLE 700000

/* Columns of both sides: a key, a number, a text. */
#define NCOLUMNS 3

typedef struct LargeSide
{
	int32_t		nrows;
	int64_t    *value[2];
	char	   *null;			/* of the number and the text */
	char	   *text;			/* [nrows * MAX_TEXT] */
	int32_t    *len;
} LargeSide;

typedef struct LargeJoin
{
	uint64_t	table;
	LargeSide	outer;
	LargeSide	inner;
	GpustrProbe probe;
	int			twice;			/* the pairs probe, too */
	int			filtered;
	GpustrResultLayout result;
	GpustrProgramBuilder builder;
	char	   *area;			/* for programs */
	char	   *body;
} LargeJoin;

/* The results of an engine so far. */
typedef struct LargeSum
{
	uint64_t	rows;
	uint64_t	hash;
	uint64_t	recheck;
	int32_t		probed;
} LargeSum;

/* A definition of a table with its columns. */
typedef struct LargeBuild
{
	GpustrTableBuild build;
	GpustrTableColumn more[NCOLUMNS - 1];
} LargeBuild;

static void *
allocate(size_t bytes)
{
	void	   *p = aligned_alloc(GPUSTR_BODY_ALIGN, (bytes + GPUSTR_BODY_ALIGN) & ~(size_t) (GPUSTR_BODY_ALIGN - 1));

	if (p == NULL)
		exit(2);
	return p;
}

/* Keys of 0 to domain - 1; of 'skew' in 8 of the rows, 0. */
static void
make_side(Rng *rng, LargeSide *side, int32_t nrows, int32_t domain, int32_t skew)
{
	int32_t		i;
	int32_t		j;

	side->nrows = nrows;
	side->value[0] = allocate(sizeof(int64_t) * (size_t) nrows);
	side->value[1] = allocate(sizeof(int64_t) * (size_t) nrows);
	side->null = allocate((size_t) nrows);
	side->text = allocate(MAX_TEXT * (size_t) nrows);
	side->len = allocate(sizeof(int32_t) * (size_t) nrows);
	for (i = 0; i < nrows; i++)
	{
		side->value[0][i] = rng_below(rng, 8) < skew ? 0 : rng_below(rng, domain);
		side->value[1][i] = rng_below(rng, domain);
		side->null[i] = (char) rng_one_in(rng, 10);
		side->len[i] = rng_one_in(rng, 4) ? 0 : rng_below(rng, MAX_TEXT);
		for (j = 0; j < side->len[i]; j++)
			side->text[(size_t) i * MAX_TEXT + (size_t) j] = (char) ('a' + rng_below(rng, 3));
	}
}

static void
free_side(LargeSide *side)
{
	free(side->value[0]);
	free(side->value[1]);
	free(side->null);
	free(side->text);
	free(side->len);
}

/* Columns of a batch, of rows [first, first + batch->nrows) of a side. */
static void
fill_columns(char *body, const GpustrBatch *batch, const LargeSide *side, int32_t first)
{
	int32_t		n = batch->nrows;
	int32_t		bytes = 0;
	int			c;
	int32_t		i;

	for (c = 0; c < NCOLUMNS; c++)
	{
		unsigned char *valid = GPUSTR_BODY_PTR(body, batch->column[c].validity_off, unsigned char);

		memset(valid, 0, (size_t) (n + 7) / 8);
		for (i = 0; i < n; i++)
			if (c == 0 || !side->null[first + i])
				valid[i / 8] = (unsigned char) (valid[i / 8] | 1 << (i % 8));
	}
	for (c = 0; c < 2 && n > 0; c++)
		memcpy(GPUSTR_BODY_PTR(body, batch->column[c].data_off, char), side->value[c] + first,
			   sizeof(int64_t) * (size_t) n);
	for (i = 0; i < n; i++)
	{
		GPUSTR_BODY_PTR(body, batch->column[2].offsets_off, int32_t)[i] = bytes;
		if (!side->null[first + i])
		{
			memcpy(GPUSTR_BODY_PTR(body, batch->column[2].data_off, char) + bytes,
				   side->text + (size_t) (first + i) * MAX_TEXT, (size_t) side->len[first + i]);
			bytes += side->len[first + i];
		}
	}
	GPUSTR_BODY_PTR(body, batch->column[2].offsets_off, int32_t)[n] = bytes;
}

static uint64_t
text_bytes(const LargeSide *side, int32_t first, int32_t n)
{
	uint64_t	bytes = 0;
	int32_t		i;

	for (i = first; i < first + n; i++)
		bytes += side->null[i] ? 0 : (uint64_t) side->len[i];
	return bytes;
}

/* Send rows [first, first + n) of the table, or finish it. */
static EngineCode
send_rows(LargeJoin *join, JoinEngine engine, int32_t first, int32_t n, int finish)
{
	const LargeSide *side = &join->inner;
	GpustrInputLayout columns[NCOLUMNS] = {{0, 0}, {0, 0}, {1, text_bytes(side, first, n)}};
	GpustrProgramBuilder *b = &join->builder;
	const GpustrBatch *batch;
	LargeBuild	t;
	EngineError error;

	memset(&t, 0, sizeof(t));
	t.build.table = join->table;
	t.build.nrows = side->nrows;
	t.build.first_row = first;
	t.build.finish = finish;
	t.build.ncolumns = NCOLUMNS;
	t.build.nkeys = 1;
	t.build.hash_bits = join->probe.hash_bits;
	t.build.load = 50;
	t.build.key_kind[0] = join->probe.key_kind[0];
	t.more[1].is_text = 1;
	t.more[1].bytes = text_bytes(side, 0, side->nrows);
	t.more[1].first_byte = text_bytes(side, 0, first);
	gpustr_builder_init(b, GPUSTR_ENC_UTF8, join->area, PROGRAM_BYTES);
	if (!finish)
	{
		t.build.column[0].reg = gpustr_builder_column_value(b, 0);
		t.more[0].reg = gpustr_builder_column_value(b, 1);
		t.more[1].reg = gpustr_builder_column(b, 2);
	}
	gpustr_builder_build(b, &t.build);
	(void) gpustr_builder_finish(b);
	batch = gpustr_layout_join_columns(join->body, BODY_BYTES, (const GpustrProgram *) join->area, finish ? 0 : n,
									   finish ? 0 : NCOLUMNS, columns, NULL);
	if (!finish)
		fill_columns(join->body, batch, side, first);
	return join_run_body(engine, join->body, &error);
}

/* Send all rows of the table, and finish it. */
static EngineCode
send_table(Rng *rng, LargeJoin *join, JoinEngine engine)
{
	EngineCode	code = ENGINE_OK;
	int32_t		first = 0;

	while (code == ENGINE_OK && first < join->inner.nrows)
	{
		int32_t		n = 1 + rng_below(rng, 60000);

		n = n < join->inner.nrows - first ? n : join->inner.nrows - first;
		code = send_rows(join, engine, first, n, 0);
		first += n;
	}
	return code == ENGINE_OK ? send_rows(join, engine, 0, 0, 1) : code;
}

/*
 * Alike, perhaps with little memory; returns whether it is there.
 *
 * said		out: what the engine says of it
 */
static int
build_table(Rng *rng, LargeJoin *join, JoinEngine engine, GpustrTableResult *said)
{
	const GpustrBatch *batch = (const GpustrBatch *) join->body;
	uint64_t	limit = UINT64_MAX;
	EngineCode	code;

	if (engine == ON_CUDA && rng_one_in(rng, 2))
		limit = join_table_bytes() + (uint64_t) rng_below(rng, 100 * join->inner.nrows + (1 << 20));
	for (;;)
	{
		join_set_limit(limit);
		code = send_table(rng, join, engine);
		join_set_limit(UINT64_MAX);
		if (code != ENGINE_OUT_OF_MEMORY || limit == UINT64_MAX)
			break;
		join_drop(join->table);
		limit += limit / 8 + 65536;
	}
	if (code != ENGINE_OK)
		join_fail("engine %d: rows of a large table: error %d", (int) engine, (int) code);
	else
		*said = *GPUSTR_BODY_PTR(batch, batch->table_off, const GpustrTableResult);
	return code == ENGINE_OK;
}

/* A call of a function of texts. */
static uint16_t
call(GpustrProgramBuilder *b, GpustrTextFunction function, uint16_t a, uint16_t c, uint16_t d)
{
	uint16_t	args[3];

	args[0] = a;
	args[1] = c;
	args[2] = d;
	return gpustr_builder_text_function(b, function, args, NULL, 0);
}

/* What the space at hand makes of a text of each side: four texts. */
static void
make_texts(GpustrProgramBuilder *b, uint16_t outer, uint16_t inner, uint16_t *out)
{
	uint16_t	none = gpustr_builder_const_text(b, GPUSTR_FALSE, "none", 4);
	uint16_t	from = gpustr_builder_const_text(b, GPUSTR_FALSE, "ab", 2);
	uint16_t	to = gpustr_builder_const_text(b, GPUSTR_FALSE, "<->", 3);
	uint16_t	is_null = gpustr_builder_test(b, GPUSTR_OP_NULL_TEXT, inner);
	int64_t		two = 2;
	int64_t		five = 5;

	out[0] = gpustr_builder_choose(b, GPUSTR_OP_CHOOSE_TEXT, is_null, none, inner);
	out[1] = call(b, GPUSTR_TEXT_CONCAT, outer, out[0], 0);
	out[2] = call(b, GPUSTR_TEXT_SUBSTR, inner, gpustr_builder_const_value(b, GPUSTR_FALSE, two),
				  gpustr_builder_const_value(b, GPUSTR_FALSE, five));
	out[3] = call(b, GPUSTR_TEXT_REPLACE, inner, from, to);
}

/* The program that probes. */
static void
make_program(LargeJoin *join)
{
	GpustrProgramBuilder *b = &join->builder;
	uint16_t	text[4];
	uint16_t	number;
	uint16_t	outer_number;
	uint16_t	outer_text;
	uint16_t	condition;
	int			i;

	gpustr_builder_init(b, GPUSTR_ENC_UTF8, join->area, PROGRAM_BYTES);
	join->probe.key_reg[0] = gpustr_builder_column_value(b, 0);
	outer_number = gpustr_builder_column_value(b, 1);
	outer_text = gpustr_builder_column(b, 2);
	condition = gpustr_builder_test(b, GPUSTR_OP_NOT, gpustr_builder_test(b, GPUSTR_OP_NULL_VALUE, outer_number));
	gpustr_builder_probe(b, condition, &join->probe);
	outer_number = gpustr_builder_gather(b, 0, outer_number);
	outer_text = gpustr_builder_gather(b, 1, outer_text);
	number = gpustr_builder_inner(b, 0, 1);
	make_texts(b, outer_text, gpustr_builder_inner(b, 1, 2), text);
	condition = gpustr_builder_compare(b, GPUSTR_OP_COMPARE_VALUE, GPUSTR_REL_LT, GPUSTR_ORDER_INT, number, outer_number);
	if (join->twice)
	{
		GpustrProbe again = join->probe;

		again.key_reg[0] = number;
		gpustr_builder_probe(b, condition, &again);
		for (i = 0; i < 4; i++)
			text[i] = gpustr_builder_gather(b, 1, text[i]);
		number = gpustr_builder_gather(b, 0, number);
		make_texts(b, text[1], gpustr_builder_inner(b, 1, 2), text);
		outer_number = gpustr_builder_gather(b, 0, outer_number);
		condition = gpustr_builder_compare(b, GPUSTR_OP_COMPARE_VALUE, GPUSTR_REL_GE, GPUSTR_ORDER_INT,
										   gpustr_builder_inner(b, 0, 1), outer_number);
	}
	gpustr_builder_result(b, join->filtered ? condition : -1);
	for (i = 0; i < 4; i++)
		gpustr_builder_result_column(b, 1, i, text[i]);
	gpustr_builder_result_column(b, 0, 4, number);
	gpustr_builder_result_column(b, 0, 5, outer_number);
	if (gpustr_builder_finish(b) == 0)
		join_fail("a program is too large");
}

static uint64_t
add(uint64_t hash, uint64_t x)
{
	return rowfn_mix64(hash ^ x) + ROWFN_MIX_BYTES;
}

static uint64_t
add_column(uint64_t hash, const char *body, const GpustrColumn *column, int32_t i)
{
	const int32_t *offsets = GPUSTR_BODY_PTR(body, column->offsets_off, const int32_t);
	const char *data = GPUSTR_BODY_PTR(body, column->data_off, const char);
	int32_t		at;

	if ((GPUSTR_BODY_PTR(body, column->validity_off, const unsigned char)[i / 8] >> (i % 8) & 1) == 0)
		return add(hash, 1);
	if (column->offsets_off == 0)
		return add(hash, (uint64_t) ((const int64_t *) data)[i]);
	hash = add(hash, (uint64_t) (offsets[i + 1] - offsets[i]) << 1);
	for (at = offsets[i]; at < offsets[i + 1]; at++)
		hash = hash * 31 + (unsigned char) data[at];
	return hash;
}

/* Add the results of a piece. */
static void
add_piece(LargeSum *sum, const char *body)
{
	const GpustrBatch *batch = (const GpustrBatch *) body;
	const GpustrJoinResult *result = GPUSTR_BODY_PTR(body, batch->result_off, const GpustrJoinResult);
	const uint32_t *recheck = GPUSTR_BODY_PTR(body, batch->result_recheck_off, const uint32_t);
	int32_t		i;
	int32_t		c;

	for (i = 0; i < result->nrows; i++)
	{
		sum->hash = add(sum->hash, (uint64_t) GPUSTR_BODY_PTR(body, batch->result_outer_off, const int32_t)[i]);
		sum->hash = add(sum->hash, GPUSTR_BODY_PTR(body, batch->result_inner_off, const uint32_t)[i]);
		sum->hash = add(sum->hash, recheck[i / 32] >> (i % 32) & 1);
		for (c = 0; c < batch->nresult; c++)
			sum->hash = add_column(sum->hash, body, &batch->result_column[c], i);
	}
	sum->rows += (uint64_t) result->nrows;
	sum->probed = result->probed;
}

/* Run the probe to its end on one engine.  rooms: of pieces, at random. */
static int
run_probe(Rng *rng, LargeJoin *join, JoinEngine engine, LargeSum *sum)
{
	GpustrInputLayout columns[NCOLUMNS] = {{0, 0}, {0, 0}, {1, text_bytes(&join->outer, 0, join->outer.nrows)}};
	GpustrBatch *batch;
	GpustrJoinResult *result;
	uint64_t	limit = UINT64_MAX;
	EngineError error;

	memset(sum, 0, sizeof(*sum));
	batch = gpustr_layout_join_columns(join->body, BODY_BYTES, (const GpustrProgram *) join->area,
									   join->outer.nrows, NCOLUMNS, columns, &join->result);
	fill_columns(join->body, batch, &join->outer, 0);
	result = GPUSTR_BODY_PTR(join->body, batch->result_off, GpustrJoinResult);
	if (engine == ON_CUDA && rng_one_in(rng, 2))
		limit = join_table_bytes() + (uint64_t) rng_below(rng, 128 << 20);
	do
	{
		batch->result_room = 1 + rng_below(rng, join->result.room) / (rng_one_in(rng, 8) ? 100 : 1);
		if (sum->rows == 0 || result->nrows == 0)
			batch->result_room = join->result.room;
		memset(GPUSTR_BODY_PTR(join->body, batch->result_recheck_off, char), 0xC3,
			   (size_t) (join->result.room + 31) / 32 * 4);
		join_set_limit(limit);
		(void) join_run_body(engine, join->body, &error);
		join_set_limit(UINT64_MAX);
		if (error.code == ENGINE_OUT_OF_MEMORY && limit != UINT64_MAX)
		{
			limit += limit / 4;
			result->more = 1;
			continue;
		}
		if (error.code != ENGINE_OK)
		{
			join_fail("engine %d: a large probe: %s", (int) engine, error.message);
			return 0;
		}
		add_piece(sum, join->body);

		/* so little memory that it would take too long */
		if (limit != UINT64_MAX && result->nrows < 64)
			limit += limit / 4;
		join_count((uint64_t) result->nrows);
		batch->result_pair = result->next_pair;
		batch->result_skip = result->next_skip;
	} while (result->more);
	return 1;
}

void
compare_large_join(Rng *rng, int small)
{
	static uint64_t tables;
	LargeJoin	join;
	LargeSum	sum[BOTH_ENGINES];
	GpustrTableResult said[BOTH_ENGINES];
	int32_t		inner = rng_below(rng, small ? 2000 : rng_one_in(rng, 4) ? LARGEST_TABLE : 100000);
	int32_t		outer = 1 + rng_below(rng, small ? 1000 : 90000);
	int32_t		domain = 1 + (inner > outer ? inner : outer) / (1 + rng_below(rng, 4));
	int			good = 1;
	int			e;

	memset(&join, 0, sizeof(join));
	join.table = UINT64_C(0x7A00000000) + ++tables;
	make_side(rng, &join.inner, inner, domain, rng_below(rng, 2));
	make_side(rng, &join.outer, outer, domain, 0);

	/* some rows that meet very many */
	for (e = 0; e < outer && e < (small ? 3 : 12); e++)
		join.outer.value[0][rng_below(rng, outer)] = 0;
	join.probe.table = join.table;
	join.probe.kind = GPUSTR_PROBE_INNER + rng_below(rng, GPUSTR_PROBE_LAST);
	join.probe.nkeys = 1;
	join.probe.hash_bits = rng_one_in(rng, 4) ? 20 : ROWFN_HASH_BITS;
	join.probe.npartitions = 1;
	join.probe.key_kind[0] = rng_one_in(rng, 2) ? ROWFN_KEY_WORD : ROWFN_KEY_VALUE;
	join.twice = rng_one_in(rng, 3);
	join.filtered = rng_one_in(rng, 2);
	join.result.room = small ? 700 : (inner > 100000 ? 20000 : 1000) + rng_below(rng, 100000);
	join.result.want_outer = 1;
	join.result.want_inner = 1;
	join.result.ncolumns = 6;
	for (e = 0; e < 4; e++)
	{
		join.result.is_text[e] = 1;
		join.result.text_bytes[e] = 400 + (uint32_t) join.result.room * (uint32_t) (5 + rng_below(rng, 40));
	}
	join.area = allocate(PROGRAM_BYTES);
	join.body = allocate(BODY_BYTES);
	for (e = 0; e < BOTH_ENGINES && good; e++)
	{
		good = build_table(rng, &join, (JoinEngine) e, &said[e]);
		make_program(&join);
		good = good && run_probe(rng, &join, (JoinEngine) e, &sum[e]);
	}
	if (good && memcmp(&sum[ON_CUDA], &sum[ON_HOST], sizeof(LargeSum)) != 0)
		join_fail("a large join of %d and %d rows, kind %d, twice %d, filtered %d, room %d: %llu results, not %llu",
				  outer, inner, join.probe.kind, join.twice, join.filtered, join.result.room,
				  (unsigned long long) sum[ON_CUDA].rows, (unsigned long long) sum[ON_HOST].rows);
	if (good && (said[ON_CUDA].distinct != said[ON_HOST].distinct || said[ON_CUDA].keyed != said[ON_HOST].keyed))
		join_fail("a large table of %d rows has %u keys in %u rows, or %u in %u", inner, said[ON_CUDA].distinct,
				  said[ON_CUDA].keyed, said[ON_HOST].distinct, said[ON_HOST].keyed);
	join_drop(join.table);
	free_side(&join.outer);
	free_side(&join.inner);
	free(join.area);
	free(join.body);
}
