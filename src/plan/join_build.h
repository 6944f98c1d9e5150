/*-------------------------------------------------------------------------
 *
 * join_build.h
 *	  What the programs, paths and columns of a GpuJoin have in common.
 *
 * IDENTIFICATION
 *	  src/plan/join_build.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_JOIN_BUILD_H
#define GPUSTR_JOIN_BUILD_H

#include "plan/join_program.h"

/* The column that a key is, as its bytes are; NULL if it is something else. */
extern const Var *gpustr_plain_key(const Expr * key);

extern Oid	gpustr_slot_column_type(const CustomScan *plan, int column);

/* What its PROBE makes. */
extern GpustrProbeKind gpustr_probe_kind(const GpustrJoinStep *step);

#endif							/* GPUSTR_JOIN_BUILD_H */
