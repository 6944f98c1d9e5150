/*-------------------------------------------------------------------------
 *
 * join_sides.h
 *	  What the programs, paths and columns of a GpuJoin have in common.
 *
 * IDENTIFICATION
 *	  src/plan/join_sides.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_JOIN_SIDES_H
#define GPUSTR_JOIN_SIDES_H

#include "plan/join_program.h"

/* The column that a key is, as its bytes are; NULL if it is something else. */
extern const Var *gpustr_plain_key(const Expr * key);

extern Oid	gpustr_slot_column_type(const CustomScan *plan, int column);

/*
 * Do the programs of join_program.h fit, with all clauses, and whatever late values are
 * not known yet?
 */
extern bool gpustr_join_column_program_fits(const CustomScan *plan, const GpustrJoinPlan *join);
extern bool gpustr_join_page_program_fits(const CustomScan *plan, const GpustrJoinPlan *join,
										  Relation rel, const GpustrScanClauses *clauses);

/* What the PROBE of a step makes. */
extern GpustrProbeKind gpustr_probe_kind(const GpustrJoinPlan *join, int step);

#endif							/* GPUSTR_JOIN_SIDES_H */
