/*-------------------------------------------------------------------------
 *
 * batch_gen_join.c
 *	  Random joins: what they are about.
 *
 * Rows and numbers come first, then which columns are keys, conditions and results,
 * then what must come of it; if that is not too much, requests are made.
 *
 * IDENTIFICATION
 *	  test/unit/batch_gen_join.c
 *
 *-------------------------------------------------------------------------
 */
#include "hash_gen.h"
#include "join_gen.h"

/* The variables that a space has. */
typedef struct Live
{
	int			n;
	GenVariable variable[2 * GEN_JOIN_MAX_LIVE];
} Live;

/* How many different numbers the keys of this join have, by kind. */
typedef struct Pools
{
	uint32_t	pool[GEN_JOIN_KINDS];
	int			nulls;			/* one cell in so many; 0: none */
} Pools;

static uint64_t
add_text(GenRelation *relation, const char *bytes, int32_t len)
{
	uint64_t	off = relation->text_bytes;

	if (relation->text == NULL || off + (uint64_t) len > relation->text_room)
	{
		relation->text_room = (off + (uint64_t) len) * 2 + 4096;
		relation->text = realloc(relation->text, relation->text_room);
	}
	if (len > 0)
		memcpy(relation->text + off, bytes, (size_t) len);
	relation->text_bytes += (uint64_t) len;
	return off;
}

/* A value of a kind that is not NULL; its bytes, if it is a text, to text[128]. */
static void
random_cell(Rng *rng, int kind, uint32_t number, GenCell *cell, char *text)
{
	memset(cell, 0, sizeof(*cell));
	cell->state = GPUSTR_FALSE;
	cell->number = number;
	switch (kind)
	{
		case ROWFN_KEY_WORD:
			cell->value = (int32_t) hash_gen_word(number);
			break;
		case ROWFN_KEY_VALUE:
			cell->value = hash_gen_value(number);
			break;
		case ROWFN_KEY_FLOAT:
			cell->value = hash_gen_float(rng, number);
			break;
		case ROWFN_KEY_NUMERIC:
			cell->len = hash_gen_numeric(rng, number, text);
			break;
		case GEN_JOIN_SMALL:
			cell->value = rng_one_in(rng, 40) ? 100000 : rng_below(rng, 10);
			break;
		default:
			cell->len = hash_gen_text(number, text);
			for (; kind == ROWFN_KEY_PADDED && rng_one_in(rng, 2) && cell->len < 100; cell->len++)
				text[cell->len] = ' ';
			break;
	}
}

static int
random_kind(Rng *rng)
{
	return rng_one_in(rng, 4) ? GEN_JOIN_SMALL : rng_below(rng, ROWFN_KEY_NUMERIC + 1);
}

/*
 * Fill a relation whose columns are chosen.  is_outer: numerics may be broken, and words
 * have more bits than count.
 */
static void
fill_relation(Rng *rng, GenRelation *relation, const Pools *pools, int is_outer)
{
	int32_t		skewed = rng_one_in(rng, 3) ? rng_below(rng, 4) : 0;
	int64_t		i;

	relation->cell = calloc((size_t) relation->nrows * (size_t) relation->ncolumns + 1, sizeof(GenCell));
	for (i = 0; i < (int64_t) relation->nrows * relation->ncolumns; i++)
	{
		GenCell    *cell = &relation->cell[i];
		int			kind = relation->kind[i % relation->ncolumns];
		uint32_t	number = (uint32_t) rng_below(rng, (int32_t) pools->pool[kind]);
		char		text[128];

		if (skewed > 0 && rng_below(rng, 4) < skewed)
			number = 0;
		random_cell(rng, kind, number, cell, text);
		if (is_outer && kind == ROWFN_KEY_NUMERIC && rng_one_in(rng, 50))
		{
			cell->broken = 1;
			cell->len = 1;
		}
		if (is_outer && kind == ROWFN_KEY_WORD)
			cell->value += (int64_t) rng_below(rng, 3) << 32;
		if (pools->nulls > 0 && rng_one_in(rng, pools->nulls))
		{
			memset(cell, 0, sizeof(*cell));
			cell->state = GPUSTR_NULL;
		}
		else if (gen_join_is_text(kind))
			cell->off = add_text(relation, text, cell->len);
	}
}

static int32_t
random_rows(Rng *rng, int32_t most)
{
	return rng_one_in(rng, 15) ? 0 : rng_one_in(rng, 10) ? 1 : 1 + rng_below(rng, most);
}

static GenVariable
random_constant(Rng *rng, const Pools *pools, int kind)
{
	GenVariable v;
	char		text[128];

	memset(&v, 0, sizeof(v));
	v.relation = -1;
	v.kind = kind;
	do
		random_cell(rng, kind, (uint32_t) rng_below(rng, (int32_t) pools->pool[kind]), &v.constant, text);
	while (v.constant.len > (int32_t) sizeof(v.bytes));
	memcpy(v.bytes, text, (size_t) v.constant.len);
	if (rng_one_in(rng, 20))
	{
		memset(&v.constant, 0, sizeof(v.constant));
		v.constant.state = GPUSTR_NULL;
	}
	return v;
}

static void
add_live(Live *live, int relation, int column, int kind)
{
	GenVariable *v = &live->variable[live->n++];

	memset(v, 0, sizeof(*v));
	v->relation = relation;
	v->column = column;
	v->kind = kind;
}

/* Leave at most n, any. */
static void
cut_live(Rng *rng, Live *live, int n)
{
	while (live->n > n)
		live->variable[rng_below(rng, live->n)] = live->variable[live->n - 1], live->n--;
}

static void
random_condition(Rng *rng, const Live *live, GenCondition *condition)
{
	static const GpustrOp ops[] = {GPUSTR_OP_AND, GPUSTR_OP_OR, GPUSTR_OP_QUAL};
	int			i;

	memset(condition, 0, sizeof(*condition));
	condition->nterms = rng_one_in(rng, 3) ? 0 : 1 + rng_below(rng, GEN_JOIN_MAX_TERMS);
	for (i = 0; i < condition->nterms; i++)
	{
		GenTerm    *term = &condition->term[i];

		term->op = ops[rng_below(rng, 3)];
		term->negated = rng_one_in(rng, 2);
		term->test = GPUSTR_OP_CONST;
		term->truth = rng_one_in(rng, 6) ? (GpustrTruth) rng_below(rng, 4) : GPUSTR_TRUE;
		if (live->n == 0 || rng_one_in(rng, 4))
		{
			term->negated = term->negated && term->truth != GPUSTR_TRUE;
			continue;
		}
		term->variable = live->variable[rng_below(rng, live->n)];
		if (gen_join_is_text(term->variable.kind))
			term->test = GPUSTR_OP_NULL_TEXT;
		else if (term->variable.kind != GEN_JOIN_SMALL)
			term->test = GPUSTR_OP_NULL_VALUE;
		else
			term->test = GPUSTR_OP_COMPARE_VALUE;
		term->number = term->negated ? rng_below(rng, 6) : 5 + rng_below(rng, 6);
		term->negated |= term->test != GPUSTR_OP_COMPARE_VALUE && !rng_one_in(rng, 4);
	}
}

/* Choose the keys of PROBE p, and its table's columns: keys first, in any order. */
static void
random_keys(Rng *rng, GenJoin *join, int p, const Pools *pools, const Live *live)
{
	GenProbe   *probe = &join->probes[p];
	GenRelation *table = &join->relation[p + 1];
	int			nkeys = rng_one_in(rng, 2) ? 1 : 1 + rng_below(rng, rng_one_in(rng, 2) ? 2 : GPUSTR_MAX_KEYS);
	int			i;

	probe->probe.nkeys = nkeys;
	table->ncolumns = nkeys + rng_below(rng, GEN_JOIN_MAX_COLUMNS - nkeys + 1);
	for (i = 0; i < table->ncolumns; i++)
		table->kind[i] = random_kind(rng);
	for (i = 0; i < nkeys; i++)
	{
		GenVariable key;

		key.kind = GEN_JOIN_SMALL;
		if (live->n > 0 && !rng_one_in(rng, 12))
			key = live->variable[rng_below(rng, live->n)];
		if (key.kind == GEN_JOIN_SMALL)
			key = random_constant(rng, pools, rng_below(rng, ROWFN_KEY_NUMERIC + 1));
		probe->key[i] = key;
		probe->probe.key_kind[i] = (uint8_t) key.kind;
	}
	/* each is any column, also one that another is, where they are of a kind */
	for (i = 0; i < nkeys; i++)
	{
		int			column = rng_below(rng, table->ncolumns);
		int			j;

		for (j = 0; j < i; j++)
			if (probe->key_column[j] == column && probe->probe.key_kind[j] != probe->probe.key_kind[i])
			{
				column = (column + 1) % table->ncolumns;
				j = -1;
			}
		probe->key_column[i] = column;
		table->kind[column] = probe->probe.key_kind[i];
	}
}

/* PROBE p, and the variables of the space behind it. */
static void
random_probe(Rng *rng, GenJoin *join, int p, const Pools *pools, int32_t max_rows, Live *live)
{
	static const int32_t bits[] = {32, 32, 32, 32, 4, 0, 17};
	GenProbe   *probe = &join->probes[p];
	GenRelation *table = &join->relation[p + 1];
	int			i;

	random_condition(rng, live, &probe->condition);
	random_keys(rng, join, p, pools, live);
	table->nrows = random_rows(rng, max_rows);
	fill_relation(rng, table, pools, 0);
	probe->probe.table = ((uint64_t) rng_next(rng) << 32 | rng_next(rng)) | 1;
	probe->probe.kind = 1 + rng_below(rng, GPUSTR_PROBE_LAST);
	probe->probe.hash_bits = bits[rng_below(rng, 7)];
	probe->probe.npartitions = rng_one_in(rng, 3) ? 1 + rng_below(rng, 5) : 1;
	probe->probe.partition = rng_below(rng, probe->probe.npartitions);
	cut_live(rng, live, GEN_JOIN_MAX_LIVE);
	if (rng_one_in(rng, 2))
		cut_live(rng, live, rng_below(rng, live->n + 1));
	for (i = 0; i < table->ncolumns; i++)
		if (live->n < GEN_JOIN_MAX_LIVE || rng_one_in(rng, 2))
			add_live(live, p + 1, i, table->kind[i]);
	cut_live(rng, live, GEN_JOIN_MAX_LIVE);
}

/* The columns of a batch of pages are those of a heap: some rows are broken, some texts elsewhere. */
static void
damage_outer(Rng *rng, GenRelation *outer)
{
	int64_t		row;
	int			i;

	for (row = 0; row < outer->nrows; row++)
	{
		int			broken = rng_one_in(rng, 60);

		for (i = 0; i < outer->ncolumns; i++)
		{
			GenCell    *cell = &outer->cell[row * outer->ncolumns + i];

			if (outer->kind[i] == ROWFN_KEY_WORD && cell->state == GPUSTR_FALSE)
				cell->value = (int32_t) cell->value;
			if (broken || (gen_join_is_text(outer->kind[i]) && cell->state == GPUSTR_FALSE && rng_one_in(rng, 60)))
			{
				memset(cell, 0, sizeof(*cell));
				cell->state = GPUSTR_RECHECK;
				cell->broken = (uint8_t) broken;
			}
		}
	}
}

static void
random_results(Rng *rng, GenJoin *join, const Pools *pools, const Live *live)
{
	int			i;

	join->filtered = rng_one_in(rng, 2);
	if (join->filtered)
		random_condition(rng, live, &join->condition);
	join->nresult = rng_below(rng, GEN_JOIN_MAX_RESULT + 1);
	for (i = 0; i < join->nresult; i++)
		if (live->n == 0 || rng_one_in(rng, 15))
			join->result[i] = random_constant(rng, pools, random_kind(rng));
		else
			join->result[i] = live->variable[rng_below(rng, live->n)];
}

/* A join, without requests. */
static void
random_join(Rng *rng, const GenJoinOptions *options, GenJoin *join)
{
	GenRelation *outer = &join->relation[0];
	Pools		pools;
	Live		live;
	int			i;

	live.n = 0;
	join->encoding = rng_below(rng, 2);
	join->pages = options->kind != 0 ? options->kind == GPUSTR_BATCH_PAGES : rng_one_in(rng, 2);
	pools.nulls = rng_one_in(rng, 2) ? 0 : 1 + rng_below(rng, 30);
	for (i = 0; i < GEN_JOIN_KINDS; i++)
		pools.pool[i] = 1 + (uint32_t) rng_below(rng, rng_one_in(rng, 3) ? 5 : rng_one_in(rng, 2) ? 60 : options->max_rows);
	outer->nrows = random_rows(rng, options->max_rows);
	outer->ncolumns = 1 + rng_below(rng, GEN_JOIN_MAX_COLUMNS);
	for (i = 0; i < outer->ncolumns; i++)
	{
		outer->kind[i] = random_kind(rng);
		add_live(&live, 0, i, outer->kind[i]);
	}
	fill_relation(rng, outer, &pools, 1);
	if (join->pages)
		damage_outer(rng, outer);
	join->nprobes = rng_one_in(rng, 2) ? 1 : 1 + rng_below(rng, GEN_JOIN_MAX_PROBES);
	for (i = 0; i < join->nprobes; i++)
	{
		random_probe(rng, join, i, &pools, options->max_rows, &live);
		join->nlive[i + 1] = live.n;
		memcpy(join->live[i + 1], live.variable, sizeof(GenVariable) * (size_t) live.n);
	}
	random_results(rng, join, &pools, &live);
}

void
gen_join_free(GenJoin *join)
{
	int			i;

	for (i = 0; i < GEN_JOIN_MAX_RELATIONS; i++)
	{
		free(join->relation[i].cell);
		free(join->relation[i].text);
	}
	for (i = 0; i < join->nbuilds; i++)
		free(join->build[i]);
	free(join->build);
	free(join->probe);
	free(join->row);
	free(join->recheck);
	free(join);
}

GenJoin *
gen_join(Rng *rng, const GenJoinOptions *options)
{
	for (;;)
	{
		GenJoin    *join = calloc(1, sizeof(GenJoin));

		random_join(rng, options, join);
		gen_join_make_requests(rng, options, join);
		if (gen_join_expect(join, options->max_results))
			return join;
		gen_join_free(join);
	}
}

static void
print_condition(const GenCondition *condition)
{
	int			i;

	for (i = 0; i < condition->nterms; i++)
	{
		const GenTerm *term = &condition->term[i];

		printf("# %s term %d: op %d%s test %d truth %d number %lld of %d.%d\n", i == 0 ? "" : "  then", i,
			   (int) term->op, term->negated ? " not" : "", (int) term->test, (int) term->truth,
			   (long long) term->number, term->variable.relation, term->variable.column);
	}
}

void
gen_join_print(const GenJoin *join)
{
	int			i;
	int			k;

	printf("# %s batch, %d rows of %d columns, %llu results of %llu pairs, %d result columns\n",
		   join->pages ? "page" : "column", join->relation[0].nrows, join->relation[0].ncolumns,
		   (unsigned long long) join->nrows, (unsigned long long) join->npairs, join->nresult);
	for (i = 0; i < join->nprobes; i++)
	{
		const GpustrProbe *probe = &join->probes[i].probe;

		print_condition(&join->probes[i].condition);
		printf("# probe of kind %d, %d inner rows, hash bits %d, partition %d of %d, keys", probe->kind,
			   join->relation[i + 1].nrows, probe->hash_bits, probe->partition, probe->npartitions);
		for (k = 0; k < probe->nkeys; k++)
			printf(" %d: %d.%d = %d", probe->key_kind[k], join->probes[i].key[k].relation,
				   join->probes[i].key[k].column, join->probes[i].key_column[k]);
		printf("\n");
	}
	if (join->filtered)
		print_condition(&join->condition);
}
