/*-------------------------------------------------------------------------
 *
 * join_store_private.h
 *	  What a join's store is made of: for join_store.c and join_store_read.c.
 *
 * IDENTIFICATION
 *	  src/exec/join_store_private.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_JOIN_STORE_PRIVATE_H
#define GPUSTR_JOIN_STORE_PRIVATE_H

#include "exec/join_chunk.h"
#include "exec/join_store.h"

typedef struct GpustrStoreShared
{
	int			nparticipants;
	GpustrStoreTotals totals[FLEXIBLE_ARRAY_MEMBER];	/* of each */
} GpustrStoreShared;

/* Where a reader is. */
typedef struct GpustrStoreReader
{
	int			packed;			/* chunks in memory that have been read */
	int			participant;	/* whose file is read */
	BufFile    *file;			/* that of another participant, or ours */
	int64		left;			/* chunks of it that are to come */
	GpustrPackedChunk *buffer;	/* of a chunk of a file */
	Size		buffer_bytes;
	GpustrChunk chunk;			/* the current one */

	/* of a partition */
	int			hash_bits;
	int			partition;
	int			npartitions;
	const GpustrChunk *source;	/* what is picked from, or NULL ... */
	int32		source_row;		/* ... and from where on */
	GpustrChunkBuilder picked;
	uint32	   *hash;			/* of the source ... */
	uint32	   *valid;			/* ... */
	uint32	   *scratch;
	int32		hash_room;		/* ... rows that these have room for */
} GpustrStoreReader;

struct GpustrStore
{
	MemoryContext context;
	const GpustrSide *side;
	Size		chunk_bytes;
	bool		has_text;
	bool		finished;
	GpustrChunkBuilder builder;
	GpustrStoreTotals own;		/* of this participant */

	/* of a session */
	GpustrPackedChunk **packed; /* chunks in memory, the first ones */
	int			npacked;
	int			packed_room;
	Size		memory;			/* bytes of these */
	Size		memory_limit;
	BufFile    *file;			/* of the others, or of this participant */

	/* of participants */
	GpustrStoreShared *shared;
	SharedFileSet *files;
	const char *name;
	int			number;
	GpustrStoreTotals sum;

	GpustrStoreReader reader;

	/* what gpustr_store_partition_totals() has found out */
	GpustrStoreTotals *partition_totals;
	int			counted_bits;
	int			counted_partitions;
};

/* The name, in the set of files, of that of participant 'number'; in name[bytes]. */
extern const char *gpustr_store_file_name(const GpustrStore *store, int number, char *name,
										  Size bytes);

/* Let go of the file that is read. */
extern void gpustr_store_close_reader(GpustrStore *store);

#endif							/* GPUSTR_JOIN_STORE_PRIVATE_H */
