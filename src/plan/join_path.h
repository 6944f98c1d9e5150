/*-------------------------------------------------------------------------
 *
 * join_path.h
 *	  Paths of GpuJoin.
 *
 * IDENTIFICATION
 *	  src/plan/join_path.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_JOIN_PATH_H
#define GPUSTR_JOIN_PATH_H

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

#include "plan/join_clauses.h"
#include "plan/scan_path.h"

/*
 * A path.  Its custom_paths are the outer side, then the inner sides.  Expressions are in
 * the planner's terms: setrefs.c makes references to the slot's columns of them.
 */
typedef struct GpustrJoinPath
{
	CustomPath	custom;			/* must be first */
	GpustrJoinPlan join;		/* step points to the next */
	GpustrJoinStep step[GPUSTR_MAX_PROBES];
	List	   *key_rinfos[GPUSTR_MAX_PROBES];	/* of each step */
	List	   *filter_rinfos[GPUSTR_MAX_PROBES];
	List	   *columns;		/* expressions of the slot's columns */
	List	   *qual;			/* what is to hold after an outer join */
	const GpustrFusedScan *fused;	/* or NULL */
} GpustrJoinPath;

/* Register GpuJoin and its hook; from _PG_init(). */
extern void gpustr_join_init(void);

/* Is it one? */
extern bool gpustr_is_join_path(const Path *path);

/*
 * Number the columns of the slot, and offload less if the program is too large.
 * NULL, or why there can be no such join; in join_slot.c.
 */
extern const char *gpustr_join_fit(GpustrJoinPath *path);

/* The plan, without its children, with the expressions as they are; there, too. */
extern CustomScan *gpustr_join_bare_plan(const GpustrJoinPath *path);

/*
 * Set a path's rows and costs; and less than any GpuJoin of these relations costs: serial,
 * or with the most workers that there may be.  In join_cost.c.
 */
extern void gpustr_cost_join(PlannerInfo *root, GpustrJoinPath *path);
extern Cost gpustr_join_cost_least(RelOptInfo *joinrel, RelOptInfo *outerrel,
								   RelOptInfo *innerrel, int workers);

#endif							/* GPUSTR_JOIN_PATH_H */
