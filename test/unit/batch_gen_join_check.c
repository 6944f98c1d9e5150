/*-------------------------------------------------------------------------
 *
 * batch_gen_join_check.c
 *	  Random joins: what must come of them, by nested loops, and whether it did.
 *
 * Keys are compared by the numbers that they were made of, so nothing but the choice
 * of a partition is computed as the engines do it.
 *
 * IDENTIFICATION
 *	  test/unit/batch_gen_join_check.c
 *
 *-------------------------------------------------------------------------
 */
#include "batch/column_batch.h"
#include "join_gen.h"
#include "rowfn/hash_key.h"
#include "rowfn/hash_table.h"

/* The rows that are joined so far, one of each relation; -1: none. */
typedef struct JoinedRow
{
	GenJoin    *join;
	uint64_t	max_results;
	int64_t		row[GEN_JOIN_MAX_RELATIONS];
	int			recheck;
	int			too_many;
} JoinedRow;

static const GenCell null_cell = {GPUSTR_NULL, 0, 0, 0, 0, 0};

/* What a variable is in the joined row. */
static const GenCell *
value_of(const JoinedRow *joined, const GenVariable *v)
{
	if (v->relation < 0)
		return &v->constant;
	if (joined->row[v->relation] < 0)
		return &null_cell;
	return gen_join_cell(&joined->join->relation[v->relation], joined->row[v->relation], v->column);
}

static const char *
text_of(const GenJoin *join, const GenVariable *v, const GenCell *cell)
{
	return v->relation < 0 ? v->bytes : join->relation[v->relation].text + cell->off;
}

static GpustrTruth
test_truth(const JoinedRow *joined, const GenTerm *term)
{
	const GenCell *cell;

	if (term->test == GPUSTR_OP_CONST)
		return term->truth;
	cell = value_of(joined, &term->variable);
	if (cell->state == GPUSTR_RECHECK)
		return GPUSTR_RECHECK;
	if (term->test == GPUSTR_OP_NULL_TEXT || term->test == GPUSTR_OP_NULL_VALUE)
		return cell->state == GPUSTR_NULL ? GPUSTR_TRUE : GPUSTR_FALSE;
	if (cell->state == GPUSTR_NULL)
		return GPUSTR_NULL;
	if (cell->value < INT16_MIN || cell->value > INT16_MAX)
		return GPUSTR_RECHECK;
	return cell->value < term->number ? GPUSTR_TRUE : GPUSTR_FALSE;
}

/* The tables of program.h: rows, then columns are F T N R. */
static GpustrTruth
combine(GpustrOp op, GpustrTruth a, GpustrTruth b)
{
	static const char *const and_table = "FFFFFTNRFNNRRRRR";
	static const char *const or_table = "FTNRTTTTNTNRRRRR";
	static const char *const qual_table = "FFFFFTNRNNNNRRRR";
	const char *table = op == GPUSTR_OP_AND ? and_table : op == GPUSTR_OP_OR ? or_table : qual_table;

	return (GpustrTruth) (strchr("FTNR", table[a * 4 + b]) - "FTNR");
}

static GpustrTruth
condition_truth(const JoinedRow *joined, const GenCondition *condition)
{
	GpustrTruth truth = GPUSTR_TRUE;
	int			i;

	for (i = 0; i < condition->nterms; i++)
	{
		GpustrTruth t = test_truth(joined, &condition->term[i]);

		if (condition->term[i].negated && t < GPUSTR_NULL)
			t = t == GPUSTR_TRUE ? GPUSTR_FALSE : GPUSTR_TRUE;
		truth = i == 0 ? t : combine(condition->term[i].op, truth, t);
	}
	return truth;
}

/* The partition of a key of which nothing is NULL. */
static int32_t
partition_of(const JoinedRow *joined, const GenProbe *p)
{
	RowfnKeys	keys;
	uint32_t	words[GPUSTR_MAX_KEYS];
	int32_t		start = 0;
	uint32_t	hash = 0;
	int			i;

	memset(&keys, 0, sizeof(keys));
	keys.ncolumns = p->probe.nkeys;
	keys.hash_bits = p->probe.hash_bits;
	for (i = 0; i < p->probe.nkeys; i++)
	{
		const GenCell *cell = value_of(joined, &p->key[i]);

		words[i] = (uint32_t) cell->value;
		keys.column[i].kind = p->probe.key_kind[i];
		keys.column[i].value = p->probe.key_kind[i] == ROWFN_KEY_WORD ? (const void *) &words[i] :
			(const void *) &cell->value;
		keys.column[i].base = text_of(joined->join, &p->key[i], cell);
		keys.column[i].start = &start;
		keys.column[i].end = &cell->len;
	}
	(void) rowfn_key_hash(&keys, 0, &hash);
	return rowfn_partition(hash, p->probe.npartitions);
}

/* The state of the key; a numeric that is not well-formed matters where nothing is NULL. */
static GpustrTruth
key_state(const JoinedRow *joined, const GenProbe *p)
{
	GpustrTruth state = GPUSTR_FALSE;
	int			broken = 0;
	int			i;

	for (i = 0; i < p->probe.nkeys; i++)
	{
		const GenCell *cell = value_of(joined, &p->key[i]);

		if (cell->state == GPUSTR_RECHECK)
			return GPUSTR_RECHECK;
		if (cell->state == GPUSTR_NULL)
			state = GPUSTR_NULL;
		else
			broken |= cell->broken;
	}
	return state == GPUSTR_FALSE && broken ? GPUSTR_RECHECK : state;
}

static int
keys_match(const JoinedRow *joined, const GenProbe *p, const GenRelation *table, int64_t row)
{
	int			i;

	for (i = 0; i < p->probe.nkeys; i++)
	{
		const GenCell *cell = gen_join_cell(table, row, p->key_column[i]);

		if (cell->state == GPUSTR_NULL || cell->number != value_of(joined, &p->key[i])->number)
			return 0;
	}
	return 1;
}

static void
add_result(JoinedRow *joined)
{
	GenJoin    *join = joined->join;
	GenJoinRow *to;
	int			recheck = joined->recheck;

	if (join->filtered && joined->row[join->nprobes] >= 0)
	{
		GpustrTruth truth = condition_truth(joined, &join->condition);

		if (truth == GPUSTR_FALSE || truth == GPUSTR_NULL)
			return;
		recheck |= truth == GPUSTR_RECHECK;
	}
	if (join->nrows >= joined->max_results)
	{
		joined->too_many = 1;
		return;
	}
	if (join->nrows == join->rows_room)
	{
		join->rows_room = join->rows_room * 2 + 1000;
		join->row = realloc(join->row, join->rows_room * sizeof(GenJoinRow));
	}
	to = &join->row[join->nrows++];
	memcpy(to->row, joined->row, sizeof(to->row));
	to->recheck = recheck;
	to->pair = join->npairs - 1;
}

static void probe_row(JoinedRow *joined, int p);

/* A pair that comes of PROBE p: go on with it. */
static void
add_pair(JoinedRow *joined, int p, int64_t inner)
{
	int			i;

	joined->row[p + 1] = inner;
	for (i = p + 2; i < GEN_JOIN_MAX_RELATIONS; i++)
		joined->row[i] = -1;
	if (p == 0)
		joined->join->npairs++;
	if (p + 1 < joined->join->nprobes)
		probe_row(joined, p + 1);
	else
		add_result(joined);
}

/* All pairs of a row, of which the key is known, and in this partition. */
static void
make_pairs(JoinedRow *joined, int p, int can_match)
{
	const GenProbe *probe = &joined->join->probes[p];
	const GenRelation *table = &joined->join->relation[p + 1];
	int32_t		kind = probe->probe.kind;
	int			met = 0;
	int64_t		row;

	for (row = 0; can_match && row < table->nrows && !joined->too_many; row++)
		if (keys_match(joined, probe, table, row))
		{
			met = 1;
			if (kind == GPUSTR_PROBE_SEMI || kind == GPUSTR_PROBE_ANTI)
				break;
			add_pair(joined, p, row);
		}
	if (kind == GPUSTR_PROBE_MARK ||
		(kind == GPUSTR_PROBE_OUTER && !met) ||
		(kind == GPUSTR_PROBE_SEMI && met) ||
		(kind == GPUSTR_PROBE_ANTI && !met))
		add_pair(joined, p, -1);
}

/* The first condition is recheck where what goes on to the next space is. */
static GpustrTruth
probe_truth(const JoinedRow *joined, int p)
{
	const GenJoin *join = joined->join;
	int			i;

	for (i = 0; p == 0 && i < join->relation[0].ncolumns; i++)
		if (gen_join_goes_on(join, i) &&
			gen_join_cell(&join->relation[0], joined->row[0], i)->state == GPUSTR_RECHECK)
			return GPUSTR_RECHECK;
	return condition_truth(joined, &join->probes[p].condition);
}

/* PROBE p of a row. */
static void
probe_row(JoinedRow *joined, int p)
{
	GenJoin    *join = joined->join;
	const GenProbe *probe = &join->probes[p];
	GpustrTruth truth = probe_truth(joined, p);
	int			before = joined->recheck;
	GpustrTruth state;
	int			mine;

	if (truth == GPUSTR_FALSE || truth == GPUSTR_NULL)
		return;
	state = key_state(joined, probe);
	if (p == 0)
	{
		if (truth == GPUSTR_RECHECK || state == GPUSTR_RECHECK)
		{
			join->recheck[joined->row[0] / 32] |= 1u << (joined->row[0] % 32);
			return;
		}
		join->probed++;
	}
	joined->recheck |= truth == GPUSTR_RECHECK;
	mine = state == GPUSTR_FALSE ? partition_of(joined, probe) == probe->probe.partition :
		probe->probe.partition == 0;
	if (mine)
		make_pairs(joined, p, state == GPUSTR_FALSE);
	joined->recheck = before;
}

int
gen_join_expect(GenJoin *join, uint64_t max_results)
{
	JoinedRow	joined;
	int64_t		row;
	int			i;

	memset(&joined, 0, sizeof(joined));
	joined.join = join;
	joined.max_results = max_results;
	join->recheck = calloc((size_t) GPUSTR_BITMAP_WORDS(join->relation[0].nrows) + 1, sizeof(uint32_t));
	for (row = 0; row < join->relation[0].nrows && !joined.too_many; row++)
	{
		joined.row[0] = row;
		for (i = 1; i < GEN_JOIN_MAX_RELATIONS; i++)
			joined.row[i] = -1;
		joined.recheck = 0;
		probe_row(&joined, 0);
	}
	return !joined.too_many;
}

/* Is result i of a piece what it should be? */
static int
result_ok(const GenJoin *join, const void *body, int32_t i, const GenJoinRow *expected)
{
	const GpustrBatch *batch = (const GpustrBatch *) body;
	const uint32_t *recheck = GPUSTR_BODY_PTR(body, batch->result_recheck_off, const uint32_t);
	int64_t		inner = expected->row[join->nprobes];
	JoinedRow	joined;
	int			c;

	if ((int) (recheck[i / 32] >> (i % 32) & 1) != expected->recheck)
		return 0;
	if (batch->result_outer_off != 0 &&
		GPUSTR_BODY_PTR(body, batch->result_outer_off, const int32_t)[i] != expected->row[0])
		return 0;
	if (batch->result_inner_off != 0 &&
		GPUSTR_BODY_PTR(body, batch->result_inner_off, const uint32_t)[i] !=
		(inner < 0 ? GPUSTR_NO_ROW : (uint32_t) inner))
		return 0;
	joined.join = (GenJoin *) join;
	memcpy(joined.row, expected->row, sizeof(joined.row));
	for (c = 0; c < join->nresult; c++)
	{
		const GpustrColumn *column = &batch->result_column[c];
		const GenCell *cell = value_of(&joined, &join->result[c]);
		int			valid = GPUSTR_BODY_PTR(body, column->validity_off, const unsigned char)[i / 8] >> (i % 8) & 1;
		const int32_t *offsets = GPUSTR_BODY_PTR(body, column->offsets_off, const int32_t);

		if (valid != (cell->state == GPUSTR_FALSE))
			return 0;
		if (column->offsets_off == 0)
		{
			if (valid && GPUSTR_BODY_PTR(body, column->data_off, const int64_t)[i] != cell->value)
				return 0;
		}
		else if (offsets[i] < 0 || offsets[i + 1] - offsets[i] != (valid ? cell->len : 0) ||
				 (uint32_t) offsets[i + 1] > column->data_bytes ||
				 (valid && cell->len > 0 && memcmp(GPUSTR_BODY_PTR(body, column->data_off, const char) + offsets[i],
												   text_of(join, &join->result[c], cell), (size_t) cell->len) != 0))
			return 0;
	}
	return 1;
}

/* Is there no room for row i of the results, after n rows of a piece? */
static int
is_full(const GenJoin *join, const void *body, int32_t n, const GenJoinRow *next)
{
	const GpustrBatch *batch = (const GpustrBatch *) body;
	JoinedRow	joined;
	int			c;

	if (n == batch->result_room)
		return 1;
	joined.join = (GenJoin *) join;
	memcpy(joined.row, next->row, sizeof(joined.row));
	for (c = 0; c < join->nresult; c++)
	{
		const GpustrColumn *column = &batch->result_column[c];
		const GenCell *cell = value_of(&joined, &join->result[c]);

		if (column->offsets_off != 0 && cell->state == GPUSTR_FALSE &&
			(uint32_t) GPUSTR_BODY_PTR(body, column->offsets_off, const int32_t)[n] + (uint32_t) cell->len >
			column->data_bytes)
			return 1;
	}
	return 0;
}

int
gen_join_check(const GenJoin *join, const void *body, uint64_t *at)
{
	const GpustrBatch *batch = (const GpustrBatch *) body;
	const GpustrJoinResult *result = GPUSTR_BODY_PTR(body, batch->result_off, const GpustrJoinResult);
	const uint32_t *recheck = GPUSTR_BODY_PTR(body, batch->recheck_off, const uint32_t);
	int			bad = 0;
	uint32_t	w;
	int32_t		i;

	for (w = 0; w < GPUSTR_BITMAP_WORDS(batch->nrows); w++)
		if (recheck[w] != join->recheck[w] && bad++ < 3)
			printf("# word %u of recheck is %08x, not %08x\n", w, recheck[w], join->recheck[w]);
	if (result->probed != join->probed && bad++ < 3)
		printf("# %d rows probed, not %d\n", result->probed, join->probed);
	if (result->nrows < 0 || result->nrows > batch->result_room ||
		(uint64_t) result->nrows > join->nrows - *at)
	{
		printf("# %d results of %llu from %llu on, room %d\n", result->nrows, (unsigned long long) join->nrows,
			   (unsigned long long) *at, batch->result_room);
		return bad + 1;
	}
	for (i = 0; i < batch->nresult; i++)
		if (batch->result_column[i].offsets_off != 0 &&
			GPUSTR_BODY_PTR(body, batch->result_column[i].offsets_off, const int32_t)[0] != 0 && bad++ < 3)
			printf("# result column %d does not start at 0\n", i);
	for (i = 0; i < result->nrows; i++)
		if (!result_ok(join, body, i, &join->row[*at + (uint64_t) i]) && bad++ < 3)
			printf("# result %llu, row %d of a piece, is wrong\n", (unsigned long long) *at + (unsigned) i, i);
	*at += (uint64_t) result->nrows;
	if (*at < join->nrows && !result->more && bad++ < 3)
		printf("# %llu results, then there are no more, of %llu\n", (unsigned long long) *at,
			   (unsigned long long) join->nrows);
	if (*at == join->nrows && result->nrows == 0 && result->more && bad++ < 3)
		printf("# a piece of nothing says that there are more\n");
	if (*at < join->nrows && result->nrows == 0 && !is_full(join, body, 0, &join->row[*at]) && bad++ < 3)
		printf("# a piece of nothing, though there is room\n");
	return bad;
}

/* Rooms for the results of the next piece; all that there is, or less. */
static void
vary_rooms(Rng *rng, const GenJoin *join, GpustrBatch *batch, int all)
{
	int			c;

	batch->result_room = all ? join->result_room :
		1 + rng_below(rng, rng_one_in(rng, 4) && join->result_room > 3 ? 3 : join->result_room);
	for (c = 0; c < join->nresult; c++)
		if (batch->result_column[c].offsets_off != 0)
			batch->result_column[c].data_bytes = all || rng_one_in(rng, 2) ? join->text_room[c] :
				(uint32_t) rng_below(rng, (int32_t) join->text_room[c] + 1);
}

/* Bytes that are no results. */
static void
poison(Rng *rng, const GenJoin *join, GpustrBatch *batch)
{
	int			byte = (int) (rng_next(rng) & 0xFF);
	size_t		room = (size_t) join->result_room;
	int			c;

	memset(GPUSTR_BODY_PTR(batch, batch->recheck_off, char), byte, 4 * (size_t) GPUSTR_BITMAP_WORDS(batch->nrows));
	memset(GPUSTR_BODY_PTR(batch, batch->result_off, char), byte, sizeof(GpustrJoinResult));
	memset(GPUSTR_BODY_PTR(batch, batch->result_recheck_off, char), byte, 4 * ((room + 31) / 32));
	if (batch->result_outer_off != 0)
		memset(GPUSTR_BODY_PTR(batch, batch->result_outer_off, char), byte, 4 * room);
	if (batch->result_inner_off != 0)
		memset(GPUSTR_BODY_PTR(batch, batch->result_inner_off, char), byte, 4 * room);
	for (c = 0; c < batch->nresult; c++)
	{
		const GpustrColumn *column = &batch->result_column[c];

		memset(GPUSTR_BODY_PTR(batch, column->validity_off, char), byte, (room + 7) / 8);
		if (column->offsets_off != 0)
			memset(GPUSTR_BODY_PTR(batch, column->offsets_off, char), byte, 4 * (room + 1));
		memset(GPUSTR_BODY_PTR(batch, column->data_off, char), byte, column->data_bytes);
	}
}

void
gen_join_next(Rng *rng, const GenJoin *join, void *body, uint64_t at)
{
	GpustrBatch *batch = (GpustrBatch *) body;
	const GpustrJoinResult *result = GPUSTR_BODY_PTR(body, batch->result_off, const GpustrJoinResult);

	batch->result_pair = result->next_pair;
	batch->result_skip = result->next_skip;
	vary_rooms(rng, join, batch, result->nrows == 0 || at == join->nrows);
	poison(rng, join, batch);
}

uint64_t
gen_join_seek(Rng *rng, const GenJoin *join, void *body)
{
	GpustrBatch *batch = (GpustrBatch *) body;
	uint64_t	first = 0;

	batch->result_pair = 0;
	batch->result_skip = 0;
	if (!rng_one_in(rng, 3) && join->npairs < INT32_MAX)
		batch->result_pair = (uint64_t) rng_below(rng, (int32_t) join->npairs + 2);
	while (first < join->nrows && join->row[first].pair < batch->result_pair)
		first++;
	if (rng_one_in(rng, 2))
		batch->result_skip = (uint64_t) rng_below(rng, (int32_t) (join->nrows - first) + 2);
	vary_rooms(rng, join, batch, 0);
	poison(rng, join, batch);
	first += batch->result_skip;
	return first < join->nrows ? first : join->nrows;
}

/* What a request to build a table says. */
static const GpustrTableBuild *
build_of(const void *body)
{
	const GpustrProgram *program = GPUSTR_BODY_PTR(body, ((const GpustrBatch *) body)->program_off, const GpustrProgram);
	const GpustrStep *step = GPUSTR_PROGRAM_STEPS(program);

	while (step->op != GPUSTR_OP_BUILD)
		step++;
	return GPUSTR_BODY_PTR(program, step->const_off, const GpustrTableBuild);
}

/* Is a column of the key of this row NULL? */
static int
has_null_key(const GenRelation *table, const GenProbe *probe, int32_t row)
{
	int			i;

	for (i = 0; i < probe->probe.nkeys; i++)
		if (gen_join_cell(table, row, probe->key_column[i])->state == GPUSTR_NULL)
			return 1;
	return 0;
}

static int
same_key(const GenRelation *table, const GenProbe *probe, int32_t a, int32_t b)
{
	int			i;

	for (i = 0; i < probe->probe.nkeys; i++)
		if (gen_join_cell(table, a, probe->key_column[i])->number !=
			gen_join_cell(table, b, probe->key_column[i])->number)
			return 0;
	return 1;
}

/* Rows of a table whose key has no NULL, and keys of theirs that differ. */
static void
count_keys(const GenJoin *join, int p, uint32_t *keyed, uint32_t *distinct)
{
	const GenRelation *table = &join->relation[p + 1];
	const GenProbe *probe = &join->probes[p];
	int32_t		row;

	*keyed = 0;
	*distinct = 0;
	for (row = 0; row < table->nrows; row++)
	{
		int32_t		before = 0;

		if (has_null_key(table, probe, row))
			continue;
		while (before < row && (has_null_key(table, probe, before) || !same_key(table, probe, before, row)))
			before++;
		(*keyed)++;
		*distinct += before == row;
	}
}

int
gen_join_check_tables(const GenJoin *join)
{
	int			bad = 0;
	int			p = 0;
	int			i;

	for (i = 0; i < join->nbuilds; i++)
	{
		GpustrBatch *batch = (GpustrBatch *) join->build[i];
		const GpustrTableBuild *build = build_of(batch);
		GpustrTableResult result;
		uint32_t	keyed;
		uint32_t	distinct;

		if (!build->finish)
			continue;
		count_keys(join, p, &keyed, &distinct);
		if (!gpustr_column_batch_table(batch, batch->body_bytes, build, &result) ||
			result.keyed != keyed || result.distinct != distinct || result.unused != 0)
		{
			printf("# table %d: %u keys in %u rows, not %u in %u; %llu slots, %u in a window\n", p, result.distinct,
				   result.keyed, distinct, keyed, (unsigned long long) result.slots, result.window);
			bad++;
		}
		memset(GPUSTR_BODY_PTR(batch, batch->table_off, char), 0xC3, sizeof(GpustrTableResult));
		p++;
	}
	return bad + (p != join->nprobes);
}
