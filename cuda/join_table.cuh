/*-------------------------------------------------------------------------
 *
 * join_table.cuh
 *	  The tables of joins that the engine holds.
 *
 * A table is columns and, once it is finished, a hash table over some of them
 * (rowfn/hash_table.h; hash_table.cuh).  Requests with GPUSTR_OP_BUILD bring its
 * rows, join_build.cuh; requests with GPUSTR_OP_PROBE look into it.
 *
 * Its memory comes from the engine's pool, and so counts against the limit.  It is
 * allocated, cleared and freed on a stream of its own: what writes to a table first
 * waits for table->ready.  Whoever starts a request that uses a table says so, and
 * so it stays until the last of them has left its lane, dropped or not: by then no
 * kernel reads it, on whatever stream.  A table is finished only once the host knows
 * that the kernels that made it are over; so one that is may be read on any stream.
 *
 * IDENTIFICATION
 *	  cuda/join_table.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_JOIN_TABLE_CUH
#define GPUSTR_JOIN_TABLE_CUH

#include "hash_counters.cuh"
#include "kept_programs.cuh"
#include "rowfn/hash_key.h"
#include "rowfn/hash_table.h"

/* The probing shape of all tables: windows of 4 slots, one sector. */
#define JOIN_TABLE_GROUP 2
#define JOIN_TABLE_BUCKET 2

/* A column of a table; device memory. */
struct CudaTableColumn
{
	int64_t *value;	 /* [nrows]; NULL: it is of texts */
	char *base;		 /* texts: row i is base[start[i] .. start[i + 1]) */
	int32_t *start;	 /* [nrows + 1] */
	uint64_t bytes;	 /* at base, and 64 more that can be read */
	uint32_t *valid; /* [(nrows + 31) / 32] bit i % 32 of word i / 32: row i is not
						NULL; bits past nrows are 0.  NULL: no row is NULL */
};

/* What the kernels of a build count; in device memory, and in pinned host memory. */
struct TableCounters
{
	HashCounters hash;
	uint32_t astray;   /* texts that are not one after the other */
	uint32_t doubtful; /* rows whose key only PostgreSQL can tell */
	uint32_t nulls[GPUSTR_MAX_TABLE_COLUMNS];
};

struct CudaTable
{
	uint64_t id;
	int32_t nrows;
	int32_t ncolumns;
	int32_t nkeys;
	int32_t hash_bits;
	int32_t load;
	bool exact;		  /* equal hashes are equal keys; 'keys' has no columns to compare */
	bool finished;	  /* else only BUILD may use it */
	bool dropped;	  /* gone, but for its users */
	int users;		  /* requests in lanes */
	RowfnTable table; /* finished; device pointers.  Runs ascend by row */
	int group;		  /* its shape: JOIN_TABLE_GROUP, JOIN_TABLE_BUCKET */
	int bucket;
	RowfnKeys keys; /* device pointers; WORD columns as uint32_t, unless it is exact */
	CudaTableColumn column[GPUSTR_MAX_TABLE_COLUMNS];

	/* of the build */
	uint8_t key_kind[ROWFN_MAX_KEYS];	 /* RowfnKeyKind */
	uint16_t key_column[ROWFN_MAX_KEYS]; /* among the columns */
	int64_t rows;						 /* that requests have brought */
	bool finishing;						 /* no more of them */
	cudaEvent_t ready;					 /* its memory is there, and cleared */
	TableCounters *counters;
	uint32_t *key_valid; /* several columns: rows whose key has no NULL */
	char *memory;		 /* all but the hash table */
	uint64_t memory_bytes;
	uint64_t slot_bytes; /* table.slots */
	uint64_t run_bytes;	 /* table.runs */
	CudaTable *next;
};

/* Those of an engine. */
struct CudaTables
{
	CudaTable *first;		/* dropped ones included */
	KeptPrograms *programs; /* give way to tables; their pool */
	cudaStream_t stream;	/* on which tables are allocated and freed */
	int32_t count;			/* not dropped */
	uint64_t bytes;			/* of all, dropped ones included */
};

/* The pool of 'programs' must be open, and outlive them. */
EngineCode tables_open(CudaTables *tables, KeptPrograms *programs, EngineError *error);

/* No request may be in flight. */
void tables_close(CudaTables *tables);

/* The table of this id that PROBE may use: finished, and not dropped; or NULL. */
CudaTable *tables_find(const CudaTables *tables, uint64_t id);

/*
 * The table of a BUILD request, made if it is not there; column layouts and all that
 * lies within is checked.  ENGINE_BAD_INPUT if it is finished, or not the same as in the
 * requests before; ENGINE_NO_TABLE if it is to be finished before any rows came;
 * ENGINE_OUT_OF_MEMORY.
 */
EngineCode tables_begin(CudaTables *tables, const GpustrTableBuild *build, CudaTable **table,
						EngineError *error);

/* A request that enters a lane, or has left it. */
void table_use(CudaTable *table);
void table_leave(CudaTables *tables, CudaTable *table);

/* Ids, as EngineMethods.tables(). */
int32_t tables_ids(const CudaTables *tables, uint64_t *ids, int32_t room);

/* Drop the table of an id, if there is one. */
void tables_drop(CudaTables *tables, uint64_t id);

#endif /* GPUSTR_JOIN_TABLE_CUH */
