/*-------------------------------------------------------------------------
 *
 * join_plan.h
 *	  What a GpuJoin's plan carries to its executor node.
 *
 * A GpuJoin joins its outer side with one or more inner sides, one after another:
 * step i meets what steps 0 .. i-1 have brought with inner side i.  With more than one
 * step all are inner joins.
 *
 * custom_plans		the outer side, then the inner sides, in order
 * custom_scan_tlist
 *					the columns of the node's scan slot: each comes from one side, as
 *					a column of that plan's target list (or, if it is not in it, it is
 *					a key: an expression over that side's columns)
 *
 * The outer side may be *fused*: it is a GpuScan of a base table, which the node does not
 * execute; its pages, with its filter, are the batches of the join.  In passes
 * (several partitions) it is executed like any other plan.
 *
 * All expressions below are, in a finished plan, over the scan slot (INDEX_VAR).
 *
 * IDENTIFICATION
 *	  src/plan/join_plan.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_JOIN_PLAN_H
#define GPUSTR_JOIN_PLAN_H

#include "nodes/extensible.h"
#include "nodes/plannodes.h"

#include "program/program.h"

#define GPUSTR_JOIN_NAME "GpuJoin"

/* What makes a plan node a GpuJoin; in exec/join_node.c. */
extern const CustomScanMethods gpustr_join_plan_methods;

/* A column of the scan slot. */
typedef struct GpustrJoinColumn
{
	int			side;			/* 0: outer; i: inner side of step i - 1 */
	int			resno;			/* in that side's target list, from 1 */
	bool		is_result;		/* comes back with the results; others are
								 * looked at by the engine only */
} GpustrJoinColumn;

typedef struct GpustrJoinStep
{
	JoinType	jointype;		/* JOIN_INNER, LEFT, RIGHT, FULL, SEMI, ANTI;
								 * the outer side is the one that is probed
								 * with */
	int			nkeys;
	List	   *outer_keys;		/* expressions over columns of sides 0 .. i */
	List	   *inner_keys;		/* over columns of this step's inner side */
	List	   *key_kinds;		/* integer list: RowfnKeyKind */
	List	   *key_clauses;	/* the clauses, for EXPLAIN */

	/* what else must hold, in order; for an outer join the ON clause's rest */
	List	   *filter;
	List	   *offloaded;		/* integer list beside it: 1 if offloaded */
	List	   *reasons;		/* String list beside it: why not, or "" */
} GpustrJoinStep;

typedef struct GpustrJoinPlan
{
	int			nsteps;
	GpustrJoinStep *step;
	int			ncolumns;
	GpustrJoinColumn *column;	/* [list_length(custom_scan_tlist)] */
	bool		fused;
	double		inner_rows[GPUSTR_MAX_PROBES];	/* as estimated */

	/*
	 * In a parallel plan: each participant executes its share of that inner
	 * plan, which is partial; else one of them executes it.
	 */
	bool		inner_partial[GPUSTR_MAX_PROBES];
	List	   *refused;		/* String list: for Not Offloaded */
} GpustrJoinPlan;

/*
 * Into custom_exprs and custom_private, and out again.  What is to hold after an outer
 * join (WHERE clauses) is the plan's qual, and PostgreSQL's.
 */
extern void gpustr_join_pack(CustomScan *plan, const GpustrJoinPlan *join);
extern GpustrJoinPlan *gpustr_join_unpack(const CustomScan *plan);

#endif							/* GPUSTR_JOIN_PLAN_H */
