/*-------------------------------------------------------------------------
 *
 * scan_parallel.c
 *	  A GpuScan in a parallel plan: what leader and workers share.
 *
 * Each participant is a backend with a client, batches and a page scan of its
 * own; what they share is PostgreSQL's parallel heap scan, which gives out the
 * pages, and the device.  A table's share of the DSM is
 *
 *		GpustrScanShared		how many participants, where the rest is
 *		totals					of each worker, for EXPLAIN
 *		parallel heap scan		at scan_off
 *		borders of classes		of characters, at borders_off, which take long to find
 *
 * The heap scan is begun where PostgreSQL begins one (a leader when it sets up
 * the DSM, a worker when it joins), so that the statistics count the same.
 *
 * A worker adds to its totals when it is shut down.  The leader is shut down
 * before it has waited for workers that it stops early, so it takes the totals
 * when the DSM is detached, which comes after that.
 *
 * Invariant: a worker writes its own entry of totals only; one that is launched
 * again in a rescan adds to the entry that its predecessor left.
 *
 * Failure: nothing to be undone.  The callback on detach, which also runs on
 * error, touches only the DSM and the node, which live as long as it does.
 *
 * IDENTIFICATION
 *	  src/exec/scan_parallel.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/tableam.h"
#include "executor/instrument.h"
#include "storage/dsm.h"

#include "compat.h"
#include "exec/scan_parallel.h"
#include "plan/regex_nfa.h"

typedef struct GpustrScanShared
{
	int			nworkers;		/* entries in totals[] */
	Size		scan_off;		/* of the ParallelTableScanDesc */
	Size		borders_off;	/* of what regex_nfa.c saves */
	GpustrClientCounters totals[FLEXIBLE_ARRAY_MEMBER];
} GpustrScanShared;

static Size
totals_bytes(int nworkers)
{
	return MAXALIGN(offsetof(GpustrScanShared, totals) +
					nworkers * sizeof(GpustrClientCounters));
}

static ParallelTableScanDesc
shared_scan(GpustrScanShared *shared)
{
	return (ParallelTableScanDesc) ((char *) shared + shared->scan_off);
}

void
gpustr_add_counters(GpustrClientCounters *sum, const GpustrClientCounters *new,
					const GpustrClientCounters *old)
{
	sum->batches += new->batches - old->batches;
	sum->batches_redone += new->batches_redone - old->batches_redone;
	sum->batches_local += new->batches_local - old->batches_local;
	sum->rows += new->rows - old->rows;
	sum->rechecks += new->rechecks - old->rechecks;
	sum->bytes_in += new->bytes_in - old->bytes_in;
	sum->bytes_out += new->bytes_out - old->bytes_out;
	sum->wait_ms += new->wait_ms - old->wait_ms;
	sum->transfer_ms += new->transfer_ms - old->transfer_ms;
	sum->kernel_ms += new->kernel_ms - old->kernel_ms;
}

/* Add what all workers have left in the DSM. */
static void
add_workers(GpustrClientCounters *sum, const GpustrScanShared *shared)
{
	const GpustrClientCounters zero = {0};
	int			i;

	for (i = 0; i < shared->nworkers; i++)
		gpustr_add_counters(sum, &shared->totals[i], &zero);
}

static void
detach_callback(dsm_segment *segment, Datum arg)
{
	GpustrScanState *state = (GpustrScanState *) DatumGetPointer(arg);

	add_workers(&state->workers, state->shared);
	state->shared = NULL;
}

/* Join the scan, as leader or worker. */
static void
join_scan(GpustrScanState *state, GpustrScanShared *shared)
{
	state->shared = shared;
	state->parallel_heap = table_beginscan_parallel(state->css.ss.ss_currentRelation,
													shared_scan(shared));
	gpustr_client_set_siblings(state->client, shared->nworkers + 1);
}

static Size
scan_bytes(CustomScanState *node)
{
	return MAXALIGN(table_parallelscan_estimate(node->ss.ss_currentRelation,
												node->ss.ps.state->es_snapshot));
}

Size
gpustr_scan_estimate_dsm(CustomScanState *node, ParallelContext *pcxt)
{
	return totals_bytes(pcxt->nworkers) + scan_bytes(node) +
		MAXALIGN(gpustr_regex_borders_bytes());
}

void
gpustr_scan_init_dsm(CustomScanState *node, ParallelContext *pcxt, void *coordinate)
{
	GpustrScanShared *shared = coordinate;

	memset(shared, 0, totals_bytes(pcxt->nworkers));
	shared->nworkers = pcxt->nworkers;
	shared->scan_off = totals_bytes(pcxt->nworkers);
	shared->borders_off = shared->scan_off + scan_bytes(node);
	table_parallelscan_initialize(node->ss.ss_currentRelation, shared_scan(shared),
								  node->ss.ps.state->es_snapshot);
	gpustr_regex_borders_save((uint32 *) ((char *) shared + shared->borders_off),
							  node->pscan_len - shared->borders_off);
	join_scan((GpustrScanState *) node, shared);
	/* without a segment, for want of resources, there are no workers */
	if (pcxt->seg != NULL)
		on_dsm_detach(pcxt->seg, detach_callback, PointerGetDatum(node));
}

void
gpustr_scan_reinit_dsm(CustomScanState *node, ParallelContext *pcxt, void *coordinate)
{
	table_parallelscan_reinitialize(node->ss.ss_currentRelation, shared_scan(coordinate));
}

void
gpustr_scan_init_worker(CustomScanState *node, shm_toc *toc, void *coordinate)
{
	GpustrScanShared *shared = coordinate;

	gpustr_regex_borders_restore((uint32 *) ((char *) shared + shared->borders_off));
	join_scan((GpustrScanState *) node, coordinate);
}

void
gpustr_scan_report(GpustrScanState *state)
{
	uint64		removed;

	if (state->scan != NULL)
	{
		/* PostgreSQL adds up a node's nfiltered2 over loops and workers */
		removed = gpustr_page_scan_passed(state->scan) -
			gpustr_page_scan_handed(state->scan) + state->nrejected;
		InstrCountFiltered2(&state->css, removed - state->nremoved);
		state->nremoved = removed;
	}
	if (state->shared != NULL && IsParallelWorker() && ParallelWorkerNumber < state->shared->nworkers)
	{
		const GpustrClientCounters *counters = gpustr_client_counters(state->client);

		gpustr_add_counters(&state->shared->totals[ParallelWorkerNumber], counters, &state->reported);
		state->reported = *counters;
	}
}

const GpustrClientCounters *
gpustr_scan_counters(GpustrScanState *state)
{
	const GpustrClientCounters zero = {0};
	GpustrClientCounters *sum = palloc(sizeof(GpustrClientCounters));

	*sum = state->workers;
	gpustr_add_counters(sum, gpustr_client_counters(state->client), &zero);
	if (state->shared != NULL)
		add_workers(sum, state->shared);
	return sum;
}
