/*-------------------------------------------------------------------------
 *
 * scan_path.h
 *	  Offer GpuScan to the planner.
 *
 * IDENTIFICATION
 *	  src/plan/scan_path.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_SCAN_PATH_H
#define GPUSTR_SCAN_PATH_H

#include "nodes/pathnodes.h"

#include "plan/program_build.h"

/* Register GpuScan and its hooks; from _PG_init(). */
extern void gpustr_scan_init(void);

/* RestrictInfos in the order in which createplan.c has PostgreSQL evaluate them. */
extern List *gpustr_order_clauses(PlannerInfo *root, List *rinfos);

/*
 * GpuScan paths of a table whose pages, with its whole filter, are the batches of a
 * GpuJoin: what they cost is without handing out rows.
 */
typedef struct GpustrFusedScan
{
	Path	   *serial;
	Path	   *partial;		/* NULL: there is none */
	const GpustrScanClauses *clauses;
	Oid			table;
} GpustrFusedScan;

/* NULL, and *reason says why, if there can be none. */
extern GpustrFusedScan *gpustr_fused_scan(PlannerInfo *root, RelOptInfo *rel,
										  const char **reason);

#endif							/* GPUSTR_SCAN_PATH_H */
