/*-------------------------------------------------------------------------
 *
 * host_join.c
 *	  Joins in the host engine: PROBE, and the steps that bring registers from
 *	  one space to the next.
 *
 * A row of a space is looked up once; its pairs are then made from its run of
 * inner rows, from anywhere in it, so that what a cursor leaves out costs nothing
 * but for the results of one pair of the first PROBE.
 *
 * The keys of a row of space 0 that are recheck (a register, or a numeric that is not
 * well-formed and no other column NULL) make it one of the batch's recheck bitmap.
 * In a later space they meet nothing, as NULL.
 *
 * IDENTIFICATION
 *	  src/engine/host_join.c
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "engine/host_join.h"

/* Rows between two questions whether to stop, when they are looked up. */
#define JOIN_LOOK_UP_ROWS 16

/* Start of each row's key of bytes: its base says where it is. */
static const int32_t no_start[HOST_CHUNK_ROWS];

/* The keys of the rows of a chunk. */
typedef struct ProbeKeys
{
	const GpustrProbe *probe;
	RowfnKeys	keys;
	uint32_t	word[GPUSTR_MAX_KEYS][HOST_CHUNK_ROWS];
	uint32_t	hash[HOST_CHUNK_ROWS];
} ProbeKeys;

static const GpustrProbe *
probe_of(const HostRun *run, const GpustrStep *step)
{
	return (const GpustrProbe *) GPUSTR_PROGRAM_CONST(run->program, step);
}

size_t
gpustr_host_join_bytes(const GpustrProgram *program)
{
	const GpustrStep *steps = GPUSTR_PROGRAM_STEPS(program);
	size_t		nspaces = 1;
	int			joins = 0;
	int32_t		i;

	for (i = 0; i < program->nsteps; i++)
	{
		nspaces += steps[i].op == GPUSTR_OP_PROBE;
		joins |= steps[i].op == GPUSTR_OP_RESULT;
	}
	return joins ? sizeof(HostJoin) + nspaces * sizeof(HostSpace) : 0;
}

/* The table of a PROBE. */
static EngineCode
find_table(const HostRun *run, const HostTables *tables, const GpustrProbe *probe,
		   const HostTable **out)
{
	const HostTable *table = gpustr_host_table_find(tables, probe->table);
	int32_t		i;

	*out = table;
	if (table == NULL || !table->finished)
		return gpustr_engine_error(run->error, ENGINE_NO_TABLE, "there is no table %llu",
								   (unsigned long long) probe->table);
	if (probe->nkeys != table->build.nkeys || probe->hash_bits != table->build.hash_bits)
		return gpustr_engine_error(run->error, ENGINE_BAD_INPUT, "table %llu has other keys",
								   (unsigned long long) probe->table);
	for (i = 0; i < probe->nkeys; i++)
		if (probe->key_kind[i] != table->build.key_kind[i])
			return gpustr_engine_error(run->error, ENGINE_BAD_INPUT, "table %llu has another key %d",
									   (unsigned long long) probe->table, i);
	return ENGINE_OK;
}

/* Has the table, NULL if none, the column that INNER_TEXT or INNER_VALUE asks for? */
static int
inner_ok(const HostTable *table, const GpustrStep *step)
{
	if (step->op != GPUSTR_OP_INNER_TEXT && step->op != GPUSTR_OP_INNER_VALUE)
		return 1;
	return table != NULL && step->attr < table->build.ncolumns &&
		table->layout[step->attr].is_text == (step->op == GPUSTR_OP_INNER_TEXT);
}

EngineCode
gpustr_host_join_begin(HostRun *run, const HostTables *tables, void *memory)
{
	const GpustrStep *steps = GPUSTR_PROGRAM_STEPS(run->program);
	const GpustrStep *end = steps + run->program->nsteps;
	HostJoin   *join = (HostJoin *) memory;
	HostSpace  *space;
	const GpustrStep *step;
	int32_t		i;

	memset(join, 0, sizeof(*join));
	join->space = space = (HostSpace *) (join + 1);
	join->nspaces = 1;
	join->skip = run->batch->result_skip;
	join->root = UINT64_MAX;
	space->first = steps;
	space->table = NULL;
	for (step = steps; step < end && step->op != GPUSTR_OP_RESULT; step++)
	{
		if (!inner_ok(space->table, step))
			return gpustr_engine_error(run->error, ENGINE_BAD_INPUT, "a table has no such column %d",
									   step->attr);
		if (step->op == GPUSTR_OP_PROBE)
		{
			EngineCode	code = find_table(run, tables, probe_of(run, step), &space[1].table);

			if (code != ENGINE_OK)
				return code;
			space->end = step;
			space++;
			space->first = step + 1;
			join->nspaces++;
		}
	}
	space->end = step;
	join->result = step;
	join->columns = step + 1;
	join->ncolumns = (int32_t) (end - step) - 1;
	for (i = 0; i < run->batch->nresult; i++)
		if (run->batch->result_column[i].offsets_off != 0)
			GPUSTR_BODY_PTR(run->body, run->batch->result_column[i].offsets_off, int32_t)[0] = 0;
	run->join = join;
	return ENGINE_OK;
}

/* Where are the columns of the keys?  But for bytes, which each row has elsewhere. */
static void
keys_begin(const HostRun *run, const GpustrProbe *probe, ProbeKeys *k)
{
	int32_t		i;
	int32_t		r;

	k->probe = probe;
	k->keys.ncolumns = probe->nkeys;
	k->keys.hash_bits = probe->hash_bits;
	k->keys.valid = NULL;
	for (i = 0; i < probe->nkeys; i++)
	{
		RowfnKeyColumn *column = &k->keys.column[i];

		column->kind = probe->key_kind[i];
		if (column->kind >= ROWFN_KEY_BYTES)
		{
			column->start = no_start;
			column->end = run->text[probe->key_reg[i]].len;
		}
		else if (column->kind == ROWFN_KEY_WORD)
		{
			for (r = 0; r < run->nrows; r++)
				k->word[i][r] = (uint32_t) run->value[probe->key_reg[i]].value[r];
			column->value = k->word[i];
		}
		else
			column->value = run->value[probe->key_reg[i]].value;
	}
}

/* The keys of row r. */
static inline void
keys_row(const HostRun *run, ProbeKeys *k, int32_t r)
{
	int32_t		i;

	for (i = 0; i < k->keys.ncolumns; i++)
		if (k->keys.column[i].kind >= ROWFN_KEY_BYTES)
			k->keys.column[i].base = run->text[k->probe->key_reg[i]].value[r];
}

/* The states of a word's keys together: recheck before NULL. */
static GpustrTruthWord
keys_state(const HostRun *run, const GpustrProbe *probe, int32_t w)
{
	GpustrTruthWord state = gpustr_truth_word(0, 0);
	int32_t		i;

	for (i = 0; i < probe->nkeys; i++)
	{
		uint16_t	reg = probe->key_reg[i];

		state = host_state_of_both(state, probe->key_kind[i] >= ROWFN_KEY_BYTES ?
								   run->text[reg].state[w] : run->value[reg].state[w]);
	}
	return state;
}

/*
 * Hash the keys of the rows of word w, of which 'valid' have one; asks for the slots
 * where they will be looked up.  Returns those that are recheck.
 */
static uint32_t
hash_word(HostRun *run, const RowfnTable *table, ProbeKeys *k, int32_t w, uint32_t valid)
{
	uint32_t	recheck = 0;

	for (; valid != 0; valid &= valid - 1)
	{
		int32_t		bit = __builtin_ctz(valid);
		int32_t		r = w * 32 + bit;

		if ((bit % JOIN_LOOK_UP_ROWS) == 0 && host_stops(run))
			return 0;
		keys_row(run, k, r);
		recheck |= (uint32_t) rowfn_key_hash(&k->keys, (uint32_t) r, &k->hash[r]) << bit;
		__builtin_prefetch(table->slots +
						   (uint64_t) rowfn_table_first(k->hash[r], table->nwindows) * table->window);
	}
	return recheck;
}

/*
 * Look up the rows of space->todo.  What is left in there makes pairs, by found[]:
 * ROWFN_NO_ROW, or the value of a slot.  recheck: out, rows that cannot be looked up.
 */
static void
look_up(HostRun *run, HostSpace *space, uint32_t *recheck)
{
	const GpustrProbe *probe = probe_of(run, space->end);
	const HostHash *hash = &space[1].table->hash;
	uint32_t	valid[HOST_CHUNK_WORDS];
	ProbeKeys	k;
	int32_t		w;
	int32_t		r;

	keys_begin(run, probe, &k);
	for (w = 0; w < host_chunk_words(run); w++)
	{
		GpustrTruthWord state = keys_state(run, probe, w);

		valid[w] = space->todo[w] & ~state.hi;
		recheck[w] = (space->todo[w] & state.lo & state.hi) | hash_word(run, &hash->table, &k, w, valid[w]);
		valid[w] &= ~recheck[w];
		/* a key that has no hash belongs to the first partition */
		if (probe->partition != 0)
			space->todo[w] = valid[w];
	}
	if (run->join->full)
		return;					/* it makes no pairs any more */
	for (r = 0; r < run->nrows; r++)
	{
		uint32_t	bit = UINT32_C(1) << (r % 32);

		if (r % JOIN_LOOK_UP_ROWS == 0 && host_stops(run))
			return;
		space->found[r] = ROWFN_NO_ROW;
		if ((valid[r / 32] & bit) == 0)
			continue;
		if (probe->npartitions > 1 && rowfn_partition(k.hash[r], probe->npartitions) != probe->partition)
			space->todo[r / 32] &= ~bit;
		else
		{
			keys_row(run, &k, r);
			space->found[r] = host_hash_look_up_hash(hash, &k.keys, (uint32_t) r, k.hash[r]);
		}
	}
}

/* How many pairs a row makes that meets n inner rows. */
static uint64_t
pairs_of(int32_t kind, uint64_t n)
{
	switch ((GpustrProbeKind) kind)
	{
		case GPUSTR_PROBE_OUTER:
			return n > 0 ? n : 1;
		case GPUSTR_PROBE_MARK:
			return n + 1;
		case GPUSTR_PROBE_SEMI:
			return n > 0;
		case GPUSTR_PROBE_ANTI:
			return n == 0;
		case GPUSTR_PROBE_INNER:
			break;
	}
	return n;
}

static void run_space(HostRun *run, int32_t s);

/* The chunk of space s has as many rows as it may, or as there are: go on with it. */
static void
flush(HostRun *run, int32_t s)
{
	HostJoin   *join = run->join;
	int32_t		nrows = run->nrows;

	run->nrows = join->space[s].nrows;
	if (run->nrows > 0)
		run_space(run, s);
	run->nrows = nrows;
	join->space[s].nrows = 0;
}

/* Is each pair that opens space s a result? */
static int
all_are_results(const HostJoin *join, int32_t s)
{
	return s == join->nspaces - 1 && join->result->aux == 0;
}

/* Append a pair of row r of space s to the space after.  inner: ROWFN_NO_ROW, alone. */
static void
append(const HostRun *run, int32_t s, int32_t r, uint32_t inner, uint32_t recheck)
{
	HostJoin   *join = run->join;
	const HostSpace *from = &join->space[s];
	HostSpace  *to = &join->space[s + 1];
	int32_t		at = to->nrows++;

	if (at % 32 == 0)
		to->recheck[at / 32] = 0;
	to->recheck[at / 32] |= recheck << (at % 32);
	to->outer[at] = r;
	to->inner[at] = inner;
	to->row[at] = s == 0 ? run->row + r : from->row[r];
	to->root[at] = s == 0 ? at : from->root[r];
}

/* Where the pairs of row r of space s start that are not left out, of n. */
static uint64_t
left_out(HostJoin *join, int32_t s, int32_t r, uint64_t n, uint64_t result_pair)
{
	uint64_t	first = 0;
	uint64_t	skip;

	if (s == 0 && join->pair < result_pair)
	{
		first = result_pair - join->pair < n ? result_pair - join->pair : n;
		join->pair += first;
	}
	if (join->skip > 0 && all_are_results(join, s + 1))
	{
		skip = join->skip < n - first ? join->skip : n - first;
		join->skip -= skip;
		first += skip;
		if (s == 0)
			join->pair += skip;
		else if (skip > 0)
			host_join_note(join, join->chunk_pair + (uint64_t) join->space[s].root[r], skip);
	}
	return first;
}

/* Make the pairs of row r of space s, chunk by chunk. */
static void
make_pairs(HostRun *run, int32_t s, int32_t r, uint32_t recheck)
{
	HostJoin   *join = run->join;
	HostSpace  *next = &join->space[s + 1];
	int32_t		kind = probe_of(run, join->space[s].end)->kind;
	const uint32_t *runs = next->table->hash.table.runs;
	uint32_t	found = join->space[s].found[r];
	uint32_t	nrows = rowfn_value_rows(runs, found);
	uint64_t	n = pairs_of(kind, nrows);
	uint64_t	i = left_out(join, s, r, n, run->batch->result_pair);

	if (kind == GPUSTR_PROBE_SEMI || kind == GPUSTR_PROBE_ANTI)
		nrows = 0;				/* alone */
	for (; i < n; i++)
	{
		if (s == 0 && next->nrows == 0)
			join->chunk_pair = join->pair;
		append(run, s, r, i < nrows ? rowfn_value_row(runs, found, (uint32_t) i) : ROWFN_NO_ROW, recheck);
		if (s == 0)
			join->pair++;
		if (next->nrows == HOST_CHUNK_ROWS)
		{
			flush(run, s + 1);
			if (join->full || run->stopped)
				return;
		}
	}
}

/* PROBE, at the end of space s. */
static void
probe_space(HostRun *run, int32_t s)
{
	HostJoin   *join = run->join;
	HostSpace  *space = &join->space[s];
	const GpustrTruthWord *condition = run->boolean[space->end->in0].word;
	uint32_t	recheck[HOST_CHUNK_WORDS];
	uint32_t	todo;
	int32_t		w;

	for (w = 0; w < host_chunk_words(run); w++)
		space->todo[w] = condition[w].lo & (s == 0 ? ~condition[w].hi : ~0u) & host_chunk_mask(run, w);
	look_up(run, space, recheck);
	if (run->stopped)
		return;
	for (w = 0; w < host_chunk_words(run); w++)
	{
		uint32_t	maybe = condition[w].lo & condition[w].hi & host_chunk_mask(run, w);

		if (s == 0)
		{
			GPUSTR_BODY_PTR(run->body, run->batch->recheck_off, uint32_t)[run->row / 32 + w] = maybe | recheck[w];
			join->probed += __builtin_popcount(condition[w].lo & ~condition[w].hi & ~recheck[w] &
											   host_chunk_mask(run, w));
			space->todo[w] &= ~recheck[w];
			maybe = 0;
		}
		else
			maybe |= space->recheck[w];
		recheck[w] = maybe;
	}
	if (join->full)
		return;
	space[1].nrows = 0;
	for (w = 0; w < host_chunk_words(run); w++)
		for (todo = space->todo[w]; todo != 0; todo &= todo - 1)
		{
			int32_t		bit = __builtin_ctz(todo);

			make_pairs(run, s, w * 32 + bit, recheck[w] >> bit & 1);
			if (join->full || run->stopped)
				return;
		}
	flush(run, s + 1);
}

/* Run the steps of space s over its chunk, of run->nrows rows, and what comes of it. */
static void
run_space(HostRun *run, int32_t s)
{
	const HostSpace *space = &run->join->space[s];
	HostArenaMark mark = gpustr_host_arena_mark(run->arena);
	const GpustrStep *step;

	for (step = space->first; step < space->end; step++)
	{
		if (host_stops(run))
			return;
		gpustr_host_step(run, step);
	}
	if (host_stops(run))
		return;
	if (space->end->op == GPUSTR_OP_PROBE)
		probe_space(run, s);
	else
		gpustr_host_result(run);
	gpustr_host_arena_release(run->arena, mark);
}

void
gpustr_host_join_chunk(HostRun *run)
{
	run_space(run, 0);
}

/* Of the space that is in work: the one to which the step's registers belong. */
static const HostSpace *
space_of(const HostRun *run, const GpustrStep *step)
{
	const HostSpace *space = run->join->space;

	while (step > space->end)
		space++;
	return space;
}

void
gpustr_host_gather_text(HostRun *run, const GpustrStep *step)
{
	const HostSpace *space = space_of(run, step);
	const HostText *in = &run->text[step->in0];
	HostText   *out = &run->text[step->out];
	int32_t		r;

	memset(out->state, 0, sizeof(out->state));
	for (r = 0; r < run->nrows; r++)
	{
		int32_t		from = space->outer[r];

		out->value[r] = in->value[from];
		out->len[r] = in->len[from];
		out->state[r / 32].lo |= (in->state[from / 32].lo >> (from % 32) & 1) << (r % 32);
		out->state[r / 32].hi |= (in->state[from / 32].hi >> (from % 32) & 1) << (r % 32);
	}
}

void
gpustr_host_gather_value(HostRun *run, const GpustrStep *step)
{
	const HostSpace *space = space_of(run, step);
	const HostValue *in = &run->value[step->in0];
	HostValue  *out = &run->value[step->out];
	int32_t		r;

	memset(out->state, 0, sizeof(out->state));
	for (r = 0; r < run->nrows; r++)
	{
		int32_t		from = space->outer[r];

		out->value[r] = in->value[from];
		out->state[r / 32].lo |= (in->state[from / 32].lo >> (from % 32) & 1) << (r % 32);
		out->state[r / 32].hi |= (in->state[from / 32].hi >> (from % 32) & 1) << (r % 32);
	}
}

/* Is there an inner row, and is the column not NULL there? */
static inline int
inner_valid(const HostTableColumn *column, uint32_t row)
{
	return row != ROWFN_NO_ROW && (column->valid[row / 32] >> (row % 32) & 1) != 0;
}

void
gpustr_host_inner_text(HostRun *run, const GpustrStep *step)
{
	const HostSpace *space = space_of(run, step);
	const HostTableColumn *column = &space->table->column[step->attr];
	HostText   *out = &run->text[step->out];
	int32_t		r;

	memset(out->state, 0, sizeof(out->state));
	for (r = 0; r < run->nrows; r++)
	{
		if (inner_valid(column, space->inner[r]))
			out->value[r] = host_table_text(column, space->inner[r], &out->len[r]);
		else
			out->state[r / 32].hi |= UINT32_C(1) << (r % 32);
	}
}

void
gpustr_host_inner_value(HostRun *run, const GpustrStep *step)
{
	const HostSpace *space = space_of(run, step);
	const HostTableColumn *column = &space->table->column[step->attr];
	HostValue  *out = &run->value[step->out];
	int32_t		r;

	memset(out->state, 0, sizeof(out->state));
	for (r = 0; r < run->nrows; r++)
	{
		out->value[r] = 0;
		if (inner_valid(column, space->inner[r]))
			out->value[r] = column->value[space->inner[r]];
		else
			out->state[r / 32].hi |= UINT32_C(1) << (r % 32);
	}
}

uint64_t
gpustr_host_join_end(const HostRun *run)
{
	const GpustrBatch *batch = run->batch;
	const HostJoin *join = run->join;
	GpustrJoinResult *out = GPUSTR_BODY_PTR(run->body, batch->result_off, GpustrJoinResult);
	uint64_t	nrows = (uint64_t) join->nrows;
	uint64_t	bytes = sizeof(*out) + 4 * ((nrows + 31) / 32);
	int32_t		i;

	memset(out, 0, sizeof(*out));
	out->nrows = join->nrows;
	out->more = join->full;
	out->next_pair = join->full ? join->next_pair : 0;
	out->next_skip = join->full ? join->next_skip : 0;
	out->probed = join->probed;

	bytes += (batch->result_outer_off != 0 ? 4 * nrows : 0) + (batch->result_inner_off != 0 ? 4 * nrows : 0);
	for (i = 0; i < batch->nresult; i++)
		bytes += (nrows + 7) / 8 + (batch->result_column[i].offsets_off == 0 ? 8 * nrows :
									4 * (nrows + 1) + (uint64_t) join->text_bytes[i]);
	return bytes;
}
