/*-------------------------------------------------------------------------
 *
 * host_table.h
 *	  The tables of joins that the host engine holds.
 *
 * A table comes to be with the first BUILD request that names it.  The rows of
 * a batch are copied into its columns; 'finish' makes the hash table.  All its
 * memory is counted, and lies within the engine's limit.
 *
 * Invariants:
 *	- a row that no request has brought is NULL in all columns, and its texts
 *	  are empty: nothing outside of the columns is ever read;
 *	- a table that is not finished is not found by a probe.
 *
 * IDENTIFICATION
 *	  src/engine/host_table.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_HOST_TABLE_H
#define GPUSTR_HOST_TABLE_H

#include "engine/engine.h"
#include "engine/host_hash.h"

/* One column.  A row's text is data[start .. end), or, if wide, data[wide .. wide + end). */
typedef struct HostTableColumn
{
	uint32_t   *valid;			/* bit i: row i is not NULL */
	int64_t    *value;			/* values: [nrows] */
	uint32_t   *word;			/* the same, for a key of WORDs */
	char	   *data;			/* texts: [bytes] */
	int32_t    *start;			/* [nrows]; NULL if wide */
	int32_t    *end;			/* [nrows] */
	uint64_t   *wide;			/* [nrows], where 'bytes' needs more bits */
} HostTableColumn;

typedef struct HostTable
{
	struct HostTable *next;
	GpustrTableBuild build;		/* of the first request, but for its columns */
	GpustrTableColumn layout[GPUSTR_MAX_TABLE_COLUMNS];
	HostTableColumn column[GPUSTR_MAX_TABLE_COLUMNS];
	int64_t		rows_in;		/* rows of requests that went well */
	int			finished;
	uint32_t   *key_valid;		/* bit i: no column of row i's key is NULL */
	HostHash	hash;
	uint64_t	bytes;			/* of all its memory */
} HostTable;

typedef struct HostTables
{
	HostTable  *first;
	int32_t		n;
	uint64_t	bytes;			/* of all */
	uint64_t	limit;			/* the most of that; set for each request */
} HostTables;

/* The text of a row, NULL or not. */
static inline const char *
host_table_text(const HostTableColumn *column, uint32_t row, int32_t *len)
{
	if (column->wide != NULL)
	{
		*len = column->end[row];
		return column->data + column->wide[row];
	}
	*len = column->end[row] - column->start[row];
	return column->data + column->start[row];
}

/*
 * The table of a BUILD request, made if it is not there.  ENGINE_BAD_INPUT if it is
 * finished, or not the same as in the requests before; ENGINE_OUT_OF_MEMORY.
 */
extern EngineCode gpustr_host_table_begin(HostTables *tables, const GpustrTableBuild *build,
										  HostTable **table, EngineError *error);

/*
 * All rows are there: make the hash table.  ENGINE_NO_TABLE if some never came,
 * ENGINE_BAD_INPUT if a key is recheck, ENGINE_OUT_OF_MEMORY, or ENGINE_STOPPED: then it can be tried again.
 *
 * stop		EngineConfig.stop
 */
extern EngineCode gpustr_host_table_finish(HostTables *tables, HostTable *table,
										   int (*stop) (void), EngineError *error);

/* What there is to say of a table that is finished. */
extern void gpustr_host_table_describe(const HostTable *table, GpustrTableResult *result);

/* The table of this id, NULL if there is none. */
extern HostTable *gpustr_host_table_find(const HostTables *tables, uint64_t id);

/* Forget a table, if there is one of this id. */
extern void gpustr_host_table_drop(HostTables *tables, uint64_t id);

/* Forget all. */
extern void gpustr_host_tables_free(HostTables *tables);

#endif							/* GPUSTR_HOST_TABLE_H */
