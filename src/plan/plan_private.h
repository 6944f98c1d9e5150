/*-------------------------------------------------------------------------
 *
 * plan_private.h
 *	  What a GpuScan's plan carries to its executor node.
 *
 * IDENTIFICATION
 *	  src/plan/plan_private.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_PLAN_PRIVATE_H
#define GPUSTR_PLAN_PRIVATE_H

#include "nodes/extensible.h"
#include "nodes/plannodes.h"

#include "plan/program_build.h"

#define GPUSTR_SCAN_NAME "GpuScan"

/* What makes a plan node a GpuScan; in exec/scan_node.c. */
extern const CustomScanMethods gpustr_scan_plan_methods;

/*
 * Put the clauses into the plan: all of them, in order, into custom_exprs; the
 * ones that stay with PostgreSQL into the qual; the rest into custom_private.
 */
extern void gpustr_plan_pack(CustomScan *plan, const GpustrScanClauses *clauses);

/*
 * Take them out again; there is no program.  Clauses and outputs are in terms of
 * the table's columns: in a plan with a custom_scan_tlist setrefs.c has made
 * references to that of them.
 */
extern GpustrScanClauses *gpustr_plan_unpack(const CustomScan *plan);

/* Such an expression in terms of the table's columns. */
extern Node *gpustr_plan_resolve(const CustomScan *plan, Node *expr);

#endif							/* GPUSTR_PLAN_PRIVATE_H */
