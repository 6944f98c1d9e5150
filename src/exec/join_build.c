/*-------------------------------------------------------------------------
 *
 * join_build.c
 *	  The inner sides of a GpuJoin, and in how many passes it is done.
 *
 * An inner plan is run once, into a store; tables are made of that: join_table.c.
 * Where all tables together would take more than the place where they are to be
 * allows, rows go by partitions of their keys' hashes, in several passes: the outer
 * side is then put into a store, too, and each pass reads what of it can meet the
 * pass's tables.  With several steps the passes are all combinations of the steps'
 * partitions, the last step's going round first, as the wheels of an odometer.
 *
 * Partitions are halved, never made anew: those of n partitions that are still to come
 * are, of 2 n, again those that are still to come (rowfn_partition()).  So what has
 * been handed out stays handed out.
 *
 * A partition that is too large all the same, as one key may have most of the rows,
 * and those that a device fails to build, go to this session's engine.
 *
 * IDENTIFICATION
 *	  src/exec/join_build.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "exec/join_build.h"
#include "exec/join_parallel.h"
#include "exec/join_table.h"
#include "guc.h"
#include "rowfn/hash_table.h"

/* How many tables a device may fail to build, before that is left. */
#define MAX_FAILURES 4

/* What a chunk of a store takes at most. */
#define CHUNK_BYTES ((Size) 4 * 1024 * 1024)

/* A chunk should fit into a staging slot. */
static Size
chunk_bytes(void)
{
	return Min(CHUNK_BYTES, (Size) gpustr_batch_bytes / 4 * 3);
}

/* GpustrJoinFill: run a side's plan to its end, into its store. */
static void
run_plan(GpustrJoinState *state, int number)
{
	GpustrJoinSide *side = &state->side[number];

	for (;;)
	{
		TupleTableSlot *slot;

		CHECK_FOR_INTERRUPTS();
		slot = ExecProcNode(side->plan);
		if (TupIsNull(slot))
			break;
		gpustr_feed_row(&side->feed, slot);
		gpustr_store_put(side->store, side->feed.value, side->feed.isnull);
	}
}

static void
fill_store(GpustrJoinState *state, int number)
{
	GpustrJoinSide *side = &state->side[number];
	MemoryContext old;

	if (side->filled)
		return;
	old = MemoryContextSwitchTo(state->context);
	side->store = gpustr_store_create(&side->side, chunk_bytes());
	MemoryContextSwitchTo(old);
	run_plan(state, number);
	gpustr_store_finish(side->store);
	side->filled = true;
}

void
gpustr_join_fill_outer(GpustrJoinState *state)
{
	fill_store(state, 0);
}

/* Can nothing come out if this inner side is empty? */
static bool
needs_inner(JoinType type)
{
	return type == JOIN_INNER || type == JOIN_SEMI || type == JOIN_RIGHT;
}

/* May tables of so many bytes, in sum, be in the place? */
static bool
tables_fit(const uint64 *bytes, const int *n, int nsteps, uint64 limit)
{
	uint64		sum = 0;
	int			i;

	for (i = 0; i < nsteps; i++)
		sum += bytes[i] / n[i];
	return sum <= limit;
}

/* See how many partitions each step is to have. */
static void
choose_partitions(GpustrJoinState *state)
{
	GpustrJoinTables *tables = &state->tables;
	uint64		bytes[GPUSTR_MAX_PROBES];
	int			nsteps = state->join->nsteps;
	int			i;

	state->place = state->stays_here ? GPUSTR_PLACE_LOCAL : gpustr_choose_place();
	for (i = 0; i < nsteps; i++)
	{
		const GpustrJoinSide *side = &state->side[i + 1];
		const GpustrStoreTotals *totals = gpustr_store_totals(side->store);

		bytes[i] = gpustr_table_bytes(&side->side, totals);
		tables->partition[i] = 0;
		tables->npartitions[i] = 1;
		state->facts[i].stale = true;
		while (!gpustr_table_is_possible(&side->side, totals, tables->npartitions[i]) &&
			   tables->npartitions[i] < GPUSTR_MAX_PARTITIONS)
			tables->npartitions[i] *= 2;
	}
	while (!tables_fit(bytes, tables->npartitions, nsteps, gpustr_place_table_limit(state->place)))
	{
		int			largest = 0;

		for (i = 1; i < nsteps; i++)
		{
			if (bytes[i] / tables->npartitions[i] > bytes[largest] / tables->npartitions[largest])
				largest = i;
		}
		if (tables->npartitions[largest] >= GPUSTR_MAX_PARTITIONS)
			break;
		tables->npartitions[largest] *= 2;
	}
	tables->hash_bits = gpustr_debug_hash_bits;
}

/* GpustrJoinBuild: all tables, if they can be built in one pass. */
static bool
build_shared(GpustrJoinState *state)
{
	int			i;

	choose_partitions(state);
	gpustr_client_set_place(state->client, state->place);
	state->building_shared = true;
	for (i = 0; i < state->join->nsteps; i++)
	{
		if (state->place == GPUSTR_PLACE_LOCAL || state->tables.npartitions[i] > 1 ||
			!gpustr_table_build(state, i, gpustr_store_totals(state->side[i + 1].store)))
			break;
	}
	state->building_shared = false;
	if (i == state->join->nsteps)
		return true;
	for (i = 0; i < state->join->nsteps; i++)
		gpustr_table_drop(state, i);
	return false;
}

bool
gpustr_join_fill_inner(GpustrJoinState *state)
{
	bool		filled = state->side[1].filled;
	int			i;

	if (state->shared != NULL && !filled)
		state->chosen = gpustr_join_shared_build(state, chunk_bytes(), run_plan, build_shared);
	for (i = 1; i <= state->join->nsteps; i++)
	{
		fill_store(state, i);
		if (gpustr_store_totals(state->side[i].store)->rows == 0 &&
			needs_inner(state->join->step[i - 1].jointype))
			return false;
	}
	if (!state->chosen)
		choose_partitions(state);
	state->chosen = true;
	return true;
}

bool
gpustr_join_has_passes(const GpustrJoinState *state)
{
	int			i;

	for (i = 0; i < state->join->nsteps; i++)
	{
		if (state->tables.npartitions[i] > 1)
			return true;
	}
	return false;
}

bool
gpustr_join_next_pass(GpustrJoinState *state)
{
	int			i;

	for (i = state->join->nsteps - 1; i >= 0; i--)
	{
		if (state->tables.npartitions[i] > 1)
			gpustr_table_drop(state, i);
		if (++state->tables.partition[i] < state->tables.npartitions[i])
			return true;
		state->tables.partition[i] = 0;
	}
	return false;
}

/* Tables are to be made somewhere else from now on. */
static void
move_to(GpustrJoinState *state, int place)
{
	int			i;

	if (place == state->place)
		return;
	for (i = 0; i < state->join->nsteps; i++)
		gpustr_table_drop(state, i);
	state->place = place;
}

/* Halve what is to come of a step's partitions. */
static void
halve_partitions(GpustrJoinState *state, int step)
{
	state->tables.partition[step] *= 2;
	state->tables.npartitions[step] *= 2;
}

/* Has nothing been handed out yet? */
static bool
is_first_pass(const GpustrJoinState *state)
{
	int			i;

	for (i = 0; i < state->join->nsteps; i++)
	{
		if (state->tables.partition[i] > 0)
			return false;
	}
	return true;
}

/*
 * A device has not built the step's table, as it has gone or has no memory for it:
 * try a smaller one, where there is a device now.  If that does not help, or a row is
 * too long for a request, or requests cannot be had, all tables are made here from now
 * on.
 */
static void
after_failure(GpustrJoinState *state, int step)
{
	gpustr_table_drop(state, step);
	if (!state->build_refused && ++state->nfailures < MAX_FAILURES &&
		state->tables.npartitions[step] < GPUSTR_MAX_PARTITIONS)
	{
		halve_partitions(state, step);
		move_to(state, gpustr_choose_place());
		return;
	}
	state->stays_here = true;
	move_to(state, GPUSTR_PLACE_LOCAL);
	if (is_first_pass(state))
		choose_partitions(state);
}

/*
 * Is what the pass has of a step too much for the place?  Partitions are not all of one
 * size, and the limit is not all that there is.
 */
static bool
is_too_large(const GpustrJoinState *state, int step, const GpustrStoreTotals *totals)
{
	uint64		limit = gpustr_place_table_limit(state->place);

	return state->place != GPUSTR_PLACE_LOCAL &&
		gpustr_table_bytes(&state->side[step + 1].side, totals) > limit + limit / 4;
}

/* Do the halves of the pass's partition share it, or does one have nearly all? */
static bool
can_split(GpustrJoinState *state, int step, const GpustrStoreTotals *totals)
{
	const GpustrJoinTables *tables = &state->tables;
	const GpustrJoinSide *side = &state->side[step + 1];
	uint64		whole = gpustr_table_bytes(&side->side, totals);
	uint64		half;
	GpustrStoreTotals half_totals;

	if (tables->npartitions[step] >= GPUSTR_MAX_PARTITIONS)
		return false;
	gpustr_store_partition_totals(side->store, tables->hash_bits, tables->partition[step] * 2,
								  tables->npartitions[step] * 2, &half_totals);
	half = gpustr_table_bytes(&side->side, &half_totals);
	return Max(half, whole - half) < whole / 4 * 3;
}

bool
gpustr_join_build_tables(GpustrJoinState *state)
{
	int			i;

	/* a pass that went to this session does not keep the others there */
	if (state->place == GPUSTR_PLACE_LOCAL && !state->stays_here && gpustr_join_has_passes(state))
		move_to(state, gpustr_choose_place());
	for (i = 0; i < state->join->nsteps;)
	{
		GpustrStoreTotals totals;

		CHECK_FOR_INTERRUPTS();
		gpustr_client_set_place(state->client, state->place);
		if (state->table_built[i])
		{
			i++;
			continue;
		}
		gpustr_table_totals(state, i, &totals);
		if (totals.rows == 0 && needs_inner(state->join->step[i].jointype))
		{
			gpustr_table_pass_over(state, i);
			return false;
		}
		if (is_too_large(state, i, &totals) && can_split(state, i, &totals))
			halve_partitions(state, i);
		else if (is_too_large(state, i, &totals))
			move_to(state, GPUSTR_PLACE_LOCAL);
		else if (gpustr_table_build(state, i, &totals))
		{
			i++;
			continue;
		}
		else
			after_failure(state, i);
		i = 0;					/* others may have to be made anew */
	}
	state->npasses++;
	return true;
}

void
gpustr_join_restart_passes(GpustrJoinState *state)
{
	int			i;

	state->most_passes = Max(state->most_passes, state->npasses);
	state->npasses = 0;
	for (i = 0; i < state->join->nsteps; i++)
	{
		if (state->tables.partition[i] > 0)
			gpustr_table_drop(state, i);
		state->tables.partition[i] = 0;
	}
}

void
gpustr_join_forget_side(GpustrJoinState *state, int number)
{
	GpustrJoinSide *side = &state->side[number];
	int			i;

	if (number > 0)
	{
		for (i = 0; i < state->join->nsteps; i++)
			gpustr_table_drop(state, i);
		state->chosen = false;
	}
	if (side->store != NULL)
		gpustr_store_close(side->store);
	side->store = NULL;
	side->filled = false;
}
