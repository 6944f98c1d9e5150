/*-------------------------------------------------------------------------
 *
 * host_join.h
 *	  Joins in the host engine: spaces of rows, pairs and results.
 *
 * Pairs are never all in memory.  A chunk of space 0 is probed; the pairs that come of
 * it are taken by chunks, over each of which the steps of the next space run, and so on
 * to the last space, whose rows are appended to the results.  So a chunk of each space
 * is in work at a time; as a register belongs to one space, those of a space stay what
 * they are while the spaces behind it run.
 *
 * Once there is no room for a result only space 0 goes on, for the batch's recheck
 * bitmap and the count of rows that are probed: these are the same in every piece.
 *
 * IDENTIFICATION
 *	  src/engine/host_join.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_HOST_JOIN_H
#define GPUSTR_HOST_JOIN_H

#include "engine/host_steps.h"
#include "engine/host_table.h"

/* A space, and the chunk of its rows that is in work. */
typedef struct HostSpace
{
	const GpustrStep *first;	/* its steps ... */
	const GpustrStep *end;		/* ... up to this PROBE, or RESULT */
	const HostTable *table;		/* whose rows are the inner ones: NULL in
								 * space 0 */
	int32_t		nrows;

	/* of each row of the chunk; not in space 0 */
	int32_t		outer[HOST_CHUNK_ROWS]; /* its row in the chunk of the space
										 * before */
	uint32_t	inner[HOST_CHUNK_ROWS];
	int32_t		row[HOST_CHUNK_ROWS];	/* of the batch */
	int32_t		root[HOST_CHUNK_ROWS];	/* of the chunk of space 1 */
	uint32_t	recheck[HOST_CHUNK_WORDS];	/* a condition on the way was */

	/* what the probe at its end has found: the value of a slot for each row */
	uint32_t	todo[HOST_CHUNK_WORDS];
	uint32_t	found[HOST_CHUNK_ROWS];
} HostSpace;

typedef struct HostJoin
{
	int32_t		nspaces;
	HostSpace  *space;			/* [nspaces] */
	const GpustrStep *columns;	/* steps of result columns */
	int32_t		ncolumns;
	const GpustrStep *result;	/* the RESULT step */

	/*
	 * where it is: pairs of the first PROBE, and the results that come of
	 * them
	 */
	uint64_t	pair;			/* the next that is made */
	uint64_t	chunk_pair;		/* row 0 of the chunk of space 1 */
	uint64_t	skip;			/* results that are still left out */
	uint64_t	root;			/* the pair of which the last result came ... */
	uint64_t	root_results;	/* ... and how many have */

	/* what is made */
	int			full;			/* there was no room for a result */
	int32_t		nrows;
	int32_t		probed;
	uint64_t	next_pair;		/* if full */
	uint64_t	next_skip;
	int64_t		text_bytes[GPUSTR_MAX_RESULT_COLUMNS];
} HostJoin;

/* Has the program a RESULT, and how many bytes does the join need? */
extern size_t gpustr_host_join_bytes(const GpustrProgram *program);

/*
 * Begin a join in memory of that size, which becomes run->join.  ENGINE_NO_TABLE,
 * ENGINE_BAD_INPUT if a table is not what the program takes it to be.
 */
extern EngineCode gpustr_host_join_begin(HostRun *run, const HostTables *tables, void *memory);

/* Run all steps over the chunk of the batch.  It may stop: run->stopped. */
extern void gpustr_host_join_chunk(HostRun *run);

/* The batch is through.  Returns the bytes of the results. */
extern uint64_t gpustr_host_join_end(const HostRun *run);

/*
 * RESULT, over the chunk of the last space: append rows to the results, as many as
 * there is room for.  In host_result.c.
 */
extern void gpustr_host_result(HostRun *run);

/*
 * Note that n results come of a pair of the first PROBE, taken or left out.  Pairs come in
 * ascending order.
 */
static inline void
host_join_note(HostJoin *join, uint64_t root, uint64_t n)
{
	if (join->root != root)
	{
		join->root = root;
		join->root_results = 0;
	}
	join->root_results += n;
}

#endif							/* GPUSTR_HOST_JOIN_H */
