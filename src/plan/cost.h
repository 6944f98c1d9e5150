/*-------------------------------------------------------------------------
 *
 * cost.h
 *	  What a GpuScan costs.
 *
 * IDENTIFICATION
 *	  src/plan/cost.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_COST_H
#define GPUSTR_COST_H

#include "nodes/pathnodes.h"

#include "plan/program_build.h"

/*
 * Less than any GpuScan of the table costs, whatever its clauses, and whatever it
 * computes of these expressions; but with what it costs to plan one.
 */
extern Cost gpustr_cost_least(PlannerInfo *root, RelOptInfo *rel, List *exprs);

/*
 * Set the path's rows and costs.  'rinfos': the RestrictInfos of the clauses,
 * in the same order.  fused: no row is handed out, as the scan goes on into a join.
 */
extern void gpustr_cost_scan(Path *path, PlannerInfo *root, Relation table,
							 const GpustrScanClauses *clauses, List *rinfos, bool fused);

/*
 * By how much a plan's CPU cost is divided: its workers, and the leader less the 30 %
 * of its time that each worker takes up, as get_parallel_divisor() in costsize.c has
 * it.  1 for a serial one.
 */
extern double gpustr_participants(int workers);

/*
 * The host engine in this backend, measured on 20 million log lines: a scan
 * with one LIKE takes a fifth of what PostgreSQL's takes, pages included.  At
 * this factor a LIKE costs 0.002, against PostgreSQL's 0.0125 for a row.
 */
#define GPUSTR_LOCAL_ROW_COST_FACTOR 20.0

#endif							/* GPUSTR_COST_H */
