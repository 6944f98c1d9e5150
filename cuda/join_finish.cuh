/*-------------------------------------------------------------------------
 *
 * join_finish.cuh
 *	  All rows of a join's table are there: its hash table.
 *
 * That takes up to three pieces of work on the stream, between which the host looks at
 * counters; it never waits for them.
 *
 *		FINISH_INSERT	keys hashed, brought in the order of their hashes, put in
 *		FINISH_RUNS		if any key occurs twice: its rows brought together, and put in
 *						order
 *		FINISH_SORT		if there are long runs: these put in order
 *
 * The order of hashes takes memory, and makes it faster: it is left out where that is
 * scarce.  So is the load raised, if the table would not fit.
 *
 * An engine finishes one table at a time.  If there is no memory for a piece of work
 * the table stays as it is, and that can be tried again.
 *
 * IDENTIFICATION
 *	  cuda/join_finish.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_JOIN_FINISH_CUH
#define GPUSTR_JOIN_FINISH_CUH

#include "hash_table.cuh"
#include "join_table.cuh"

/* Slots taken per 100 where memory is scarce. */
#define FINISH_DENSE_LOAD 80

enum FinishPhase
{
	FINISH_INSERT,
	FINISH_RUNS,
	FINISH_SORT,
	FINISH_DONE
};

/* Memory for a while. */
struct FinishMemory
{
	void *at;
	uint64_t bytes;
};

struct TableFinish
{
	CudaTable *table; /* NULL: none is being finished */
	FinishPhase phase;
	bool started; /* its work is on the stream; else that needs memory first */
	bool ordered;
	ItemSource items;	  /* ordered: of memory 'order' */
	TableCounters *known; /* pinned: as they were after the last piece of work */
	FinishMemory hash;	  /* hashes and bitmaps, if keys are compared */
	FinishMemory met;	  /* uint32_t [nrows]: hash_insert(); then HashLongRun */
	FinishMemory order;	  /* two arrays of items, and scratch of the sort */
	FinishMemory count;	  /* uint32_t [slots]: hash_make_runs() */
	FinishMemory sort;	  /* alike, for long runs */
};

EngineCode finish_open(TableFinish *finish, EngineError *error);
void finish_close(TableFinish *finish);

/*
 * Begin with a table that tables_begin() has found; nothing else uses it.
 * ENGINE_NO_TABLE if rows of it never came, ENGINE_BAD_INPUT if others are on their way.
 */
EngineCode finish_begin(TableFinish *finish, CudaTable *table, EngineError *error);

/*
 * Put the piece of work at hand on the stream.  On ENGINE_OUT_OF_MEMORY nothing has
 * happened, and it may be tried again.
 */
EngineCode finish_start(CudaTables *tables, TableFinish *finish, cudaStream_t stream,
						EngineError *error);

/* It is over.  Go on to the next phase; in FINISH_DONE the table is finished. */
EngineCode finish_step(CudaTables *tables, TableFinish *finish, cudaStream_t stream,
					   EngineError *error);

/* What there is to say of a table, in FINISH_DONE: the host has known its counters since its last piece. */
void finish_describe(const TableFinish *finish, GpustrTableResult *result);

/* Through, or given up: then nothing of it may be on the stream.  Frees what there is for a while. */
void finish_end(CudaTables *tables, TableFinish *finish, cudaStream_t stream);

#endif /* GPUSTR_JOIN_FINISH_CUH */
