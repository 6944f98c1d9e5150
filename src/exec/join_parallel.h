/*-------------------------------------------------------------------------
 *
 * join_parallel.h
 *	  A GpuJoin in a parallel plan: what leader and workers share.
 *
 * The node has, for this file,
 *
 *		struct GpustrJoinShared *shared;	in the DSM, while that is there; NULL: serial
 *		GpustrClientCounters workers;		of workers of a DSM that has gone
 *		GpustrClientCounters reported;		what this worker has added to 'shared'
 *
 * IDENTIFICATION
 *	  src/exec/join_parallel.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_JOIN_PARALLEL_H
#define GPUSTR_JOIN_PARALLEL_H

#include "access/parallel.h"
#include "exec/join_node.h"

/* Callbacks of the executor node. */
extern Size gpustr_join_estimate_dsm(CustomScanState *node, ParallelContext *pcxt);
extern void gpustr_join_init_dsm(CustomScanState *node, ParallelContext *pcxt, void *coordinate);
extern void gpustr_join_reinit_dsm(CustomScanState *node, ParallelContext *pcxt,
								   void *coordinate);
extern void gpustr_join_init_worker(CustomScanState *node, shm_toc *toc, void *coordinate);

/*
 * Run the plan of inner side 'number' to its end, and put its rows into the side's
 * store, which is there.  It is finished by the caller.
 */
typedef void (*GpustrJoinFill) (GpustrJoinState *state, int number);

/*
 * Build the tables of all steps, of one partition each, out of the stores.  On return
 * state->tables, place, facts and table_built say what and where they are; false: they
 * are not, for want of memory or of a device.
 *
 * gpustr_join_shared_table() says by which ids: 0, for want of them, is a reason to
 * return false.
 */
typedef bool (*GpustrJoinBuild) (GpustrJoinState *state);

/*
 * Of a node with 'shared': fill the stores of all inner sides together with the other
 * participants, and have one of them build the tables.  May wait for the others; does
 * not afterwards.  On return each inner side's store can be read, by every participant,
 * and is 'filled'.
 *
 * chunk_bytes: see gpustr_store_create().
 *
 * True: the tables are there for all, and state->tables, place, facts and table_built
 * say so.  False: each participant that wants tables builds its own, in as many
 * passes as it likes, under ids of its own.
 */
extern bool gpustr_join_shared_build(GpustrJoinState *state, Size chunk_bytes,
									 GpustrJoinFill fill, GpustrJoinBuild build);

/*
 * The id of the table of step 'step', or 0.  It is not the caller's to release: to let
 * go of such a table is to forget its id.
 */
extern uint64 gpustr_join_shared_table(const GpustrJoinState *state, int step);

/* How many participants there may be: at least 1. */
extern int	gpustr_join_participants(const GpustrJoinState *state);

/*
 * Bring a worker's counters since the last call to where EXPLAIN finds them: when it is
 * shut down.
 */
extern void gpustr_join_report(GpustrJoinState *state);

/* Totals of the leader and all workers.  Palloc'd. */
extern const GpustrClientCounters *gpustr_join_counters(GpustrJoinState *state);

#endif							/* GPUSTR_JOIN_PARALLEL_H */
