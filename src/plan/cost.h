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
 * in the same order.
 */
extern void gpustr_cost_scan(Path *path, PlannerInfo *root, Relation table,
							 const GpustrScanClauses *clauses, List *rinfos);

#endif							/* GPUSTR_COST_H */
