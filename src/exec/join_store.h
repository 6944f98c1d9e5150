/*-------------------------------------------------------------------------
 *
 * join_store.h
 *	  Rows of one side of a GpuJoin, kept in chunks of columns.
 *
 * What an inner side has brought is kept until the join ends: to build its tables, again
 * where a device is lost or a pass begins, and to emit inner rows that nothing has met.
 * An outer side is kept where there are several passes.
 *
 * A store is this session's (in memory up to work_mem times hash_mem_multiplier, then in a
 * temporary file), or shared by the participants of a parallel plan (a file of each in a
 * SharedFileSet).  Its rows have one order for all who read it: participant by
 * participant, as they were put in.
 *
 * IDENTIFICATION
 *	  src/exec/join_store.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_JOIN_STORE_H
#define GPUSTR_JOIN_STORE_H

#include "executor/tuptable.h"
#include "storage/sharedfileset.h"

#include "batch/column_batch.h"
#include "plan/join_program.h"
#include "rowfn/hash_key.h"

typedef struct GpustrStore GpustrStore;

/* How much there is, of all participants. */
typedef struct GpustrStoreTotals
{
	int64		rows;
	int64		chunks;
	uint64		text_bytes[GPUSTR_MAX_TABLE_COLUMNS];	/* of text columns */
} GpustrStoreTotals;

/*
 * A store of this session, in the current memory context; the side must live as long.
 * chunk_bytes: what a chunk should not exceed, if it has more than one row.
 */
extern GpustrStore *gpustr_store_create(const GpustrSide *side, Size chunk_bytes);

/* What participants share of one: in the DSM, once for each store. */
extern Size gpustr_store_shared_bytes(int nparticipants);
extern void gpustr_store_shared_init(void *shared, int nparticipants);

/* Such a store, for participant 'number' (0 .. nparticipants - 1). */
extern GpustrStore *gpustr_store_attach(const GpustrSide *side, Size chunk_bytes, void *shared,
										SharedFileSet *files, const char *name, int number);

/*
 * Put a row in.  values, nulls: of the side's columns, in their order; varlenas may be
 * toasted.
 */
extern void gpustr_store_put(GpustrStore *store, const Datum *values, const bool *nulls);

/* All of this participant's rows are in; then, once all have said so, it can be read. */
extern void gpustr_store_finish(GpustrStore *store);

/* What is in a store that can be read. */
extern const GpustrStoreTotals *gpustr_store_totals(GpustrStore *store);

/*
 * The same of one partition only, by a look at all keys (those of the side): the first
 * call for so many partitions reads all.  What is being read is to be rewound.
 */
extern void gpustr_store_partition_totals(GpustrStore *store, int hash_bits, int partition,
										  int npartitions, GpustrStoreTotals *totals);

/*
 * Read from the first row on: those of one partition (rowfn_partition(); a row whose key
 * has a NULL is in partition 0), in chunks; npartitions 1: all.
 */
extern void gpustr_store_rewind(GpustrStore *store, int hash_bits, int partition, int npartitions);

/* The next chunk, of at least a row, or NULL; valid until the next call. */
extern const GpustrChunk *gpustr_store_next(GpustrStore *store);

/* A value of a chunk's column as a Datum; a varlena or bytes in the current memory context. */
extern Datum gpustr_chunk_datum(const GpustrChunk *chunk, const GpustrSide *side, int column,
								int32 row, bool *isnull);

/* The same of a result column of a batch. */
extern Datum gpustr_carrier_datum(const GpustrCarrier *carrier, const char *bytes, int32 nbytes,
								  int64 value);

extern void gpustr_store_close(GpustrStore *store);

#endif							/* GPUSTR_JOIN_STORE_H */
