/*-------------------------------------------------------------------------
 *
 * join_table.h
 *	  The table of a step of a GpuJoin, in the engine where the tables are.
 *
 * IDENTIFICATION
 *	  src/exec/join_table.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_JOIN_TABLE_H
#define GPUSTR_JOIN_TABLE_H

#include "exec/join_node.h"

/* Bytes that a table of so many rows and texts takes, columns and all. */
extern uint64 gpustr_table_bytes(const GpustrSide *side, const GpustrStoreTotals *totals);

/* Can an engine have one, were it of so many equal parts? */
extern bool gpustr_table_is_possible(const GpustrSide *side, const GpustrStoreTotals *totals,
									 int parts);

/* What is in the pass's partition of the step's inner side. */
extern void gpustr_table_totals(GpustrJoinState *state, int step, GpustrStoreTotals *totals);

/*
 * Build it, of that many rows, where state->place says; the client is to be set to
 * that.  False if a device has failed, and there is no such table; always true if it
 * is in this session.
 */
extern bool gpustr_table_build(GpustrJoinState *state, int step, const GpustrStoreTotals *totals);

/* The pass's partition has no rows, and no table is needed. */
extern void gpustr_table_pass_over(GpustrJoinState *state, int step);

/* Let go of it, if there is one. */
extern void gpustr_table_drop(GpustrJoinState *state, int step);

/*
 * GpustrBeforeRedo, of a GpustrJoinState: the place has gone, so make the tables of
 * the pass here.
 */
extern void gpustr_tables_here(void *arg);

#endif							/* GPUSTR_JOIN_TABLE_H */
