/*-------------------------------------------------------------------------
 *
 * scan_parallel.h
 *	  A GpuScan in a parallel plan: what leader and workers share.
 *
 * IDENTIFICATION
 *	  src/exec/scan_parallel.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_SCAN_PARALLEL_H
#define GPUSTR_SCAN_PARALLEL_H

#include "access/parallel.h"
#include "exec/scan_node.h"

/* Callbacks of the executor node. */
extern Size gpustr_scan_estimate_dsm(CustomScanState *node, ParallelContext *pcxt);
extern void gpustr_scan_init_dsm(CustomScanState *node, ParallelContext *pcxt,
								 void *coordinate);
extern void gpustr_scan_reinit_dsm(CustomScanState *node, ParallelContext *pcxt,
								   void *coordinate);
extern void gpustr_scan_init_worker(CustomScanState *node, shm_toc *toc, void *coordinate);

/*
 * Bring to where EXPLAIN finds it what this process has counted since the last
 * call: rows removed into the node's instrumentation, a worker's totals into
 * the DSM.
 */
extern void gpustr_scan_report(GpustrScanState *state);

/* Totals of the leader and all workers.  Palloc'd. */
extern const GpustrClientCounters *gpustr_scan_counters(GpustrScanState *state);

/* *sum += *new - *old */
extern void gpustr_add_counters(GpustrClientCounters *sum, const GpustrClientCounters *new,
								const GpustrClientCounters *old);

#endif							/* GPUSTR_SCAN_PARALLEL_H */
