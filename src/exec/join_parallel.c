/*-------------------------------------------------------------------------
 *
 * join_parallel.c
 *	  A GpuJoin in a parallel plan: what leader and workers share.
 *
 * Each participant probes with its own share of the outer side; the inner sides are
 * filled by all together, and their tables built once.  A table's share of the DSM is
 *
 *		GpustrJoinShared		barrier, files, tables, what the builder has found
 *		totals					of each worker, for EXPLAIN
 *		stores					how much each has put into that of each inner side
 *
 * PARALLELISM
 *	  A barrier leads all through these phases; a participant attaches when it is first
 *	  asked for a row, in whichever it finds.
 *
 *		FILL		each puts what its share of a partial inner plan brings into its
 *					file of the store; an inner plan that is not partial is run by
 *					whoever claims it first
 *		BUILD *		one that all files are open to builds the tables
 *		READY		the tables are there, or are not: all detach
 *
 *	  * By one, elected when the last one arrives; the others wait.
 *
 *	  Nobody who is attached hands out a row, so nobody waits for one who waits for a
 *	  reader of its rows.  One who comes late has no share of a partial plan left to run,
 *	  as such a plan gives itself out piece by piece.
 *
 * The ids of the tables are the leader's, which outlives the workers.  They are released
 * when the DSM is detached, which is when no worker uses them any more; a leader is
 * shut down, and even ended, before that.  The files are deleted by the last who
 * detaches.
 *
 * Where the tables cannot be shared (they are this session's engine's, or take more than
 * a device has), each participant makes its own out of the stores.
 *
 * Invariants:
 *	- a worker writes its own entry of totals only; one that is launched again in a rescan
 *	  adds to the entry that its predecessor left;
 *	- what the builder writes, the others read in phase READY only.
 *
 * Failure: an error in one participant ends the query, and with it the others' waiting.
 * The callback on detach, which also runs on error, touches only the DSM, the node and
 * the ids, which live as long.
 *
 * IDENTIFICATION
 *	  src/exec/join_parallel.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/barrier.h"
#include "storage/dsm.h"
#include "storage/spin.h"

#include "compat.h"
#include "exec/join_build.h"
#include "exec/join_parallel.h"
#include "exec/scan_parallel.h"

/* Phases of the barrier. */
#define PHASE_FILL 0
#define PHASE_BUILD 1
#define PHASE_READY 2

typedef struct GpustrJoinShared
{
	int			nworkers;		/* entries in totals[] */
	int			nsteps;
	dsm_handle	segment;		/* where this is */
	Size		stores_off;		/* of the first store's share */
	Barrier		barrier;
	SharedFileSet files;
	pg_atomic_flag claimed[GPUSTR_MAX_PROBES];	/* an inner plan is run */
	uint64		table[GPUSTR_MAX_PROBES];	/* ids */

	/* by the builder */
	bool		built;
	int			place;
	GpustrJoinTables tables;

	/*
	 * by the builder, or if there is none by the participant that has come
	 * furthest
	 */
	slock_t		mutex;
	GpustrTableFacts facts[GPUSTR_MAX_PROBES];

	GpustrClientCounters totals[FLEXIBLE_ARRAY_MEMBER];
} GpustrJoinShared;

/* This participant's number: the leader is 0. */
static inline int
participant_number(void)
{
	return ParallelWorkerNumber + 1;
}

static Size
totals_bytes(int nworkers)
{
	return MAXALIGN(offsetof(GpustrJoinShared, totals) +
					nworkers * sizeof(GpustrClientCounters));
}

static void *
shared_store(GpustrJoinShared *shared, int step)
{
	return (char *) shared + shared->stores_off +
		step * gpustr_store_shared_bytes(shared->nworkers + 1);
}

int
gpustr_join_participants(const GpustrJoinState *state)
{
	return state->shared != NULL ? state->shared->nworkers + 1 : 1;
}

uint64
gpustr_join_shared_table(const GpustrJoinState *state, int step)
{
	return state->shared->table[step];
}

/* Is the step's table that of all participants? */
static bool
shares_table(const GpustrJoinState *state, int step)
{
	return state->shared != NULL && state->tables.table[step] == state->shared->table[step];
}

/* Let go of the ids of the tables, and so of the tables. */
static void
release_tables(GpustrJoinShared *shared)
{
	int			i;

	for (i = 0; i < shared->nsteps; i++)
	{
		if (shared->table[i] != 0)
			gpustr_table_release(shared->table[i]);
		shared->table[i] = 0;
	}
}

/* Take what others know of tables, where they have come further. */
static void
take_facts(GpustrJoinState *state)
{
	GpustrJoinShared *shared = state->shared;
	int			i;

	SpinLockAcquire(&shared->mutex);
	for (i = 0; i < shared->nsteps; i++)
	{
		if (gpustr_facts_counted(&state->facts[i]) < gpustr_facts_counted(&shared->facts[i]))
			state->facts[i] = shared->facts[i];
	}
	SpinLockRelease(&shared->mutex);
}

/* The other way round. */
static void
leave_facts(GpustrJoinState *state)
{
	GpustrJoinShared *shared = state->shared;
	int			i;

	SpinLockAcquire(&shared->mutex);
	for (i = 0; i < shared->nsteps; i++)
	{
		if (gpustr_facts_counted(&shared->facts[i]) < gpustr_facts_counted(&state->facts[i]))
			shared->facts[i] = state->facts[i];
	}
	SpinLockRelease(&shared->mutex);
}

/* Be as at the beginning of a scan; what was found in the last one is said until there is more. */
static void
begin_shared(GpustrJoinState *state, GpustrJoinShared *shared)
{
	int			i;

	take_facts(state);
	for (i = 0; i < shared->nsteps; i++)
		state->facts[i].stale = true;
	memset(shared->facts, 0, sizeof(shared->facts));
	for (i = 1; i <= shared->nsteps; i++)
		gpustr_join_forget_side(state, i);
	release_tables(shared);
	SharedFileSetDeleteAll(&shared->files);
	BarrierInit(&shared->barrier, 0);
	for (i = 0; i < shared->nsteps; i++)
	{
		pg_atomic_init_flag(&shared->claimed[i]);
		/* the query's context: the node ends before its workers */
		shared->table[i] = gpustr_table_claim(state->css.ss.ps.state->es_query_cxt);
		gpustr_store_shared_init(shared_store(shared, i), shared->nworkers + 1);
	}
	shared->built = false;
}

/* Add what all workers have left in the DSM. */
static void
add_workers(GpustrClientCounters *sum, const GpustrJoinShared *shared)
{
	const GpustrClientCounters zero = {0};
	int			i;

	for (i = 0; i < shared->nworkers; i++)
		gpustr_add_counters(sum, &shared->totals[i], &zero);
}

static void
detach_callback(dsm_segment *segment, Datum arg)
{
	GpustrJoinState *state = (GpustrJoinState *) DatumGetPointer(arg);
	int			i;

	add_workers(&state->workers, state->shared);
	take_facts(state);
	for (i = 0; i < state->join->nsteps; i++)
	{
		/* what is shared goes: a node that is run again begins anew */
		if (shares_table(state, i))
			state->tables.table[i] = 0;
		state->table_built[i] = false;
		state->side[i + 1].filled = false;
	}
	release_tables(state->shared);
	state->shared = NULL;
}

Size
gpustr_join_estimate_dsm(CustomScanState *node, ParallelContext *pcxt)
{
	return totals_bytes(pcxt->nworkers) +
		((GpustrJoinState *) node)->join->nsteps * gpustr_store_shared_bytes(pcxt->nworkers + 1);
}

void
gpustr_join_init_dsm(CustomScanState *node, ParallelContext *pcxt, void *coordinate)
{
	GpustrJoinState *state = (GpustrJoinState *) node;
	GpustrJoinShared *shared = coordinate;

	/* without a segment, for want of resources, there are no workers */
	if (pcxt->seg == NULL)
		return;
	memset(shared, 0, totals_bytes(pcxt->nworkers));
	shared->nworkers = pcxt->nworkers;
	shared->nsteps = state->join->nsteps;
	shared->segment = dsm_segment_handle(pcxt->seg);
	shared->stores_off = totals_bytes(pcxt->nworkers);
	SpinLockInit(&shared->mutex);
	SharedFileSetInit(&shared->files, pcxt->seg);
	state->shared = shared;
	on_dsm_detach(pcxt->seg, detach_callback, PointerGetDatum(state));
	begin_shared(state, shared);
	gpustr_client_set_siblings(state->client, shared->nworkers + 1);
}

void
gpustr_join_reinit_dsm(CustomScanState *node, ParallelContext *pcxt, void *coordinate)
{
	GpustrJoinState *state = (GpustrJoinState *) node;

	if (state->shared == NULL)
		return;
	begin_shared(state, state->shared);
}

void
gpustr_join_init_worker(CustomScanState *node, shm_toc *toc, void *coordinate)
{
	GpustrJoinState *state = (GpustrJoinState *) node;
	GpustrJoinShared *shared = coordinate;

	state->shared = shared;
	SharedFileSetAttach(&shared->files, dsm_find_mapping(shared->segment));
	gpustr_client_set_siblings(state->client, shared->nworkers + 1);
}

static void
attach_stores(GpustrJoinState *state, Size chunk_bytes)
{
	MemoryContext old = MemoryContextSwitchTo(state->context);
	int			i;

	for (i = 0; i < state->join->nsteps; i++)
	{
		GpustrJoinSide *side = &state->side[i + 1];
		char		name[32];

		snprintf(name, sizeof(name), "inner%d", i);
		side->store = gpustr_store_attach(&side->side, chunk_bytes,
										  shared_store(state->shared, i),
										  &state->shared->files, name, participant_number());
	}
	MemoryContextSwitchTo(old);
}

/* Phase FILL. */
static void
fill_stores(GpustrJoinState *state, GpustrJoinFill fill)
{
	GpustrJoinShared *shared = state->shared;
	int			i;

	for (i = 0; i < shared->nsteps; i++)
	{
		if (state->join->inner_partial[i] || pg_atomic_test_set_flag(&shared->claimed[i]))
			fill(state, i + 1);
		gpustr_store_finish(state->side[i + 1].store);
	}
}

/* Phase BUILD. */
static void
build_tables(GpustrJoinState *state, GpustrJoinBuild build)
{
	GpustrJoinShared *shared = state->shared;

	if (!build(state))
		return;
	shared->tables = state->tables;
	shared->place = state->place;
	leave_facts(state);
	shared->built = true;
}

/* Phase READY: know what the builder has found. */
static void
learn_tables(GpustrJoinState *state)
{
	const GpustrJoinShared *shared = state->shared;
	int			i;

	state->tables = shared->tables;
	state->place = shared->place;
	for (i = 0; i < shared->nsteps; i++)
		state->table_built[i] = true;
	take_facts(state);
}

bool
gpustr_join_shared_build(GpustrJoinState *state, Size chunk_bytes, GpustrJoinFill fill,
						 GpustrJoinBuild build)
{
	GpustrJoinShared *shared = state->shared;
	Barrier    *barrier = &shared->barrier;
	int			i;

	attach_stores(state, chunk_bytes);
	switch (BarrierAttach(barrier))
	{
		case PHASE_FILL:
			fill_stores(state, fill);
			if (BarrierArriveAndWait(barrier, PG_WAIT_EXTENSION))
			{
				for (i = 1; i <= shared->nsteps; i++)
					state->side[i].filled = true;
				build_tables(state, build);
			}
			/* FALLTHROUGH */
		case PHASE_BUILD:
			BarrierArriveAndWait(barrier, PG_WAIT_EXTENSION);
			break;
		default:
			Assert(BarrierPhase(barrier) == PHASE_READY);
			break;
	}
	BarrierDetach(barrier);
	for (i = 1; i <= shared->nsteps; i++)
	{
		gpustr_store_finish(state->side[i].store);
		state->side[i].filled = true;
	}
	if (shared->built)
		learn_tables(state);
	return shared->built;
}

void
gpustr_join_report(GpustrJoinState *state)
{
	if (state->shared == NULL || !IsParallelWorker() || state->client == NULL ||
		ParallelWorkerNumber >= state->shared->nworkers)
		return;
	gpustr_add_counters(&state->shared->totals[ParallelWorkerNumber],
						gpustr_client_counters(state->client), &state->reported);
	state->reported = *gpustr_client_counters(state->client);
	leave_facts(state);
}

const GpustrClientCounters *
gpustr_join_counters(GpustrJoinState *state)
{
	const GpustrClientCounters zero = {0};
	GpustrClientCounters *sum = palloc(sizeof(GpustrClientCounters));

	*sum = state->workers;
	gpustr_add_counters(sum, gpustr_client_counters(state->client), &zero);
	if (state->shared != NULL)
	{
		add_workers(sum, state->shared);
		take_facts(state);
	}
	return sum;
}
