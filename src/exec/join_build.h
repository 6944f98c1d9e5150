/*-------------------------------------------------------------------------
 *
 * join_build.h
 *	  The inner sides of a GpuJoin, and the tables that are made of them.
 *
 * IDENTIFICATION
 *	  src/exec/join_build.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_JOIN_BUILD_H
#define GPUSTR_JOIN_BUILD_H

#include "exec/join_node.h"

/*
 * Run the inner plans into their stores, those that have not been, and see how many
 * partitions there are to be.  False if the join has no rows at all.
 */
extern bool gpustr_join_fill_inner(GpustrJoinState *state);

/*
 * Build the tables of the pass.  There may be more partitions, and so passes, than
 * before when it returns; the outer side must not have been looked at in this pass.
 * False if the pass has no rows.
 */
extern bool gpustr_join_build_tables(GpustrJoinState *state);

/* Is the outer side needed more than once? */
extern bool gpustr_join_has_passes(const GpustrJoinState *state);

/* Step to the next pass; false if there is none. */
extern bool gpustr_join_next_pass(GpustrJoinState *state);

/* Run the outer plan into its store, if it has not been. */
extern void gpustr_join_fill_outer(GpustrJoinState *state);

/* A rescan: all passes again, with what stays of the sides. */
extern void gpustr_join_restart_passes(GpustrJoinState *state);

/* Forget a side's rows, and the table of an inner one. */
extern void gpustr_join_forget_side(GpustrJoinState *state, int number);

#endif							/* GPUSTR_JOIN_BUILD_H */
