/*-------------------------------------------------------------------------
 *
 * join_node.h
 *	  The GpuJoin executor node: what its parts share.
 *
 * IDENTIFICATION
 *	  src/exec/join_node.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_JOIN_NODE_H
#define GPUSTR_JOIN_NODE_H

#include "nodes/execnodes.h"

#include "batch/page_batch.h"
#include "exec/join_feed.h"
#include "exec/join_store.h"
#include "exec/scan_node.h"
#include "service/client.h"

/* Where the node is. */
typedef enum GpustrJoinPhase
{
	GPUSTR_JOIN_START,			/* nothing has been done yet */
	GPUSTR_JOIN_PASS,			/* a pass begins: tables are to be built */
	GPUSTR_JOIN_PROBE,			/* the outer side meets them */
	GPUSTR_JOIN_REST,			/* inner rows that have met nothing */
	GPUSTR_JOIN_NEXT,			/* the pass is over */
	GPUSTR_JOIN_DONE
} GpustrJoinPhase;

/* The outer side (0), or the inner side of step i - 1. */
typedef struct GpustrJoinSide
{
	PlanState  *plan;
	GpustrSide	side;
	GpustrFeed	feed;
	GpustrStore *store;			/* of the outer side: in several passes */
	bool		filled;			/* all rows are in it */
} GpustrJoinSide;

/*
 * Partitions of a step at most; past that the tables are as large as they are.  Their
 * numbers are powers of 2.
 */
#define GPUSTR_MAX_PARTITIONS 1024

/*
 * What EXPLAIN says about the table of a step.
 *
 * Partitions are built in ascending order, but for those that are built again: in
 * another pass, in a rescan, somewhere else.  So how far they have come says which of
 * them are counted.
 */
typedef struct GpustrTableFacts
{
	int64		rows;
	uint64		bytes;			/* as reckoned; of the largest partition */
	int			partitions;		/* 0: no table has been built */

	/* sums of what engines have said of the partitions that have been built */
	int			counted;		/* these partitions, if there were
								 * GPUSTR_MAX_PARTITIONS */
	bool		stale;			/* new rows are to come, or are divided anew:
								 * begin again when their first table is there */
	int64		nulls;			/* rows with a NULL in their key */
	int64		distinct;		/* keys of the others that differ */
	uint64		slots;
	uint32		window;			/* slots that a probe looks at together */
} GpustrTableFacts;

/* How far they have come. */
static inline int
gpustr_facts_counted(const GpustrTableFacts *facts)
{
	return facts->stale ? 0 : facts->counted;
}

typedef struct GpustrJoinState
{
	CustomScanState css;		/* must be first field */
	GpustrJoinPlan *join;
	GpustrJoinResults results;
	GpustrJoinSide side[GPUSTR_MAX_PROBES + 1];
	MemoryContext context;		/* of all that is made when it runs */
	MemoryContext pass_context; /* programs */
	GpustrClient *client;		/* NULL under plain EXPLAIN */
	GpustrJoinPhase phase;

	/* passes: join_build.c */
	GpustrJoinTables tables;	/* of this pass */
	bool		table_built[GPUSTR_MAX_PROBES]; /* of this pass's partition */
	int			place;			/* where they are */
	bool		chosen;			/* tables has hash_bits and partitions */
	int			nfailures;		/* tables that a device has not built */
	bool		stays_here;		/* no device is to be tried any more */
	bool		building_shared;	/* they are being built for all
									 * participants */
	bool		building;		/* a table is being built there ... */
	bool		build_failed;	/* ... which has failed ... */
	bool		build_refused;	/* ... or does not take one of the requests */
	GpustrTableFacts facts[GPUSTR_MAX_PROBES];
	int			npasses;		/* of this scan that have begun */
	int			most_passes;	/* of an earlier scan */

	/* where pairs come from: join_outer.c */
	struct GpustrJoinOuter *outer;

	/* what becomes of them: join_emit.c */
	struct GpustrJoinEmit *emit;

	/* in a parallel plan: see join_parallel.c */
	struct GpustrJoinShared *shared;	/* in the DSM, while that is there */
	GpustrClientCounters workers;	/* of workers of a DSM that has gone */
	GpustrClientCounters reported;	/* what this worker has added to 'shared' */
} GpustrJoinState;

/* The type of a join with one step; more are inner joins. */
static inline JoinType
gpustr_join_type(const GpustrJoinState *state)
{
	return state->join->step[0].jointype;
}

/* Are inner rows that have met nothing to come out? */
static inline bool
gpustr_join_keeps_inner(const GpustrJoinState *state)
{
	return gpustr_join_type(state) == JOIN_RIGHT || gpustr_join_type(state) == JOIN_FULL;
}

extern void gpustr_join_explain(CustomScanState *node, List *ancestors, struct ExplainState *es);

#endif							/* GPUSTR_JOIN_NODE_H */
