/*-------------------------------------------------------------------------
 *
 * join_store_read.c
 *	  Rows of one side of a GpuJoin, read in chunks, and of one partition only.
 *
 * A reader goes through the chunks in memory, which it hands out as they are, and then
 * through those of the file, or the files by participant, each of which it reads into
 * one buffer.  Of a partition the rows are picked by the hash of their keys, and put into
 * a builder once more, so that such chunks are as large as others.
 *
 * To find out how many rows a partition has all are read; those of the other partitions
 * are counted on the way, and remembered.
 *
 * Invariants, failure: see join_store.c.
 *
 * IDENTIFICATION
 *	  src/exec/join_store_read.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "exec/join_store_private.h"
#include "rowfn/hash_table.h"

const GpustrStoreTotals *
gpustr_store_totals(GpustrStore *store)
{
	int			p;
	int			i;

	Assert(store->finished);
	if (store->shared == NULL)
		return &store->own;
	memset(&store->sum, 0, sizeof(store->sum));
	for (p = 0; p < store->shared->nparticipants; p++)
	{
		const GpustrStoreTotals *one = &store->shared->totals[p];

		store->sum.rows += one->rows;
		store->sum.chunks += one->chunks;
		for (i = 0; i < store->side->ncolumns; i++)
			store->sum.text_bytes[i] += one->text_bytes[i];
	}
	return &store->sum;
}

void
gpustr_store_close_reader(GpustrStore *store)
{
	GpustrStoreReader *reader = &store->reader;

	if (reader->file != NULL && reader->file != store->file)
		BufFileClose(reader->file);
	reader->file = NULL;
	reader->left = 0;
}

void
gpustr_store_rewind(GpustrStore *store, int hash_bits, int partition, int npartitions)
{
	GpustrStoreReader *reader = &store->reader;

	Assert(store->finished);
	gpustr_store_close_reader(store);
	reader->packed = 0;
	reader->participant = -1;
	reader->hash_bits = hash_bits;
	reader->partition = partition;
	reader->npartitions = npartitions;
	reader->source = NULL;
}

/* Open the next file that has chunks; false: there is none. */
static bool
next_file(GpustrStore *store)
{
	GpustrStoreReader *reader = &store->reader;
	MemoryContext old;
	char		name[MAXPGPATH];

	gpustr_store_close_reader(store);
	if (store->shared == NULL)
	{
		if (reader->participant >= 0 || store->file == NULL)
			return false;
		reader->participant = 0;
		reader->file = store->file;
		reader->left = store->own.chunks - store->npacked;
		if (BufFileSeek(reader->file, 0, 0, SEEK_SET) != 0)
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not rewind temporary file of a join")));
		return true;
	}
	do
	{
		if (++reader->participant >= store->shared->nparticipants)
			return false;
		reader->left = store->shared->totals[reader->participant].chunks;
	} while (reader->left == 0);
	old = MemoryContextSwitchTo(store->context);
	reader->file = BufFileOpenFileSet(&store->files->fs,
									  gpustr_store_file_name(store, reader->participant, name, sizeof(name)),
									  O_RDONLY, false);
	MemoryContextSwitchTo(old);
	return true;
}

static void
read_file(BufFile *file, void *to, Size bytes)
{
	size_t		got = BufFileRead(file, to, bytes);

	if (got != bytes)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read temporary file of a join: read only %zu of %zu bytes",
						got, (size_t) bytes)));
}

/* The next chunk as it was put in, or NULL. */
static const GpustrChunk *
next_stored(GpustrStore *store)
{
	GpustrStoreReader *reader = &store->reader;
	GpustrPackedChunk header;

	CHECK_FOR_INTERRUPTS();
	if (reader->packed < store->npacked)
	{
		gpustr_unpack(store->packed[reader->packed++], &reader->chunk);
		return &reader->chunk;
	}
	while (reader->left == 0)
	{
		if (!next_file(store))
			return NULL;
	}
	read_file(reader->file, &header, sizeof(header));
	if (header.bytes > reader->buffer_bytes)
	{
		if (reader->buffer != NULL)
			pfree(reader->buffer);
		reader->buffer = NULL;
		reader->buffer = MemoryContextAllocHuge(store->context, header.bytes);
		reader->buffer_bytes = header.bytes;
	}
	*reader->buffer = header;
	read_file(reader->file, reader->buffer + 1, header.bytes - sizeof(header));
	reader->left--;
	gpustr_unpack(reader->buffer, &reader->chunk);
	return &reader->chunk;
}

/* Begin to pick from a chunk: find the hashes of its keys. */
static void
pick_from(GpustrStore *store, const GpustrChunk *chunk, int hash_bits)
{
	GpustrStoreReader *reader = &store->reader;
	Size		room;

	if (chunk->nrows > reader->hash_room)
	{
		if (reader->hash != NULL)
		{
			pfree(reader->hash);
			pfree(reader->valid);
			pfree(reader->scratch);
		}
		room = chunk->nrows;
		reader->hash = MemoryContextAllocHuge(store->context, room * sizeof(uint32));
		reader->valid = MemoryContextAllocHuge(store->context, (room + 31) / 32 * sizeof(uint32));
		reader->scratch = MemoryContextAllocHuge(store->context,
												 room * store->side->nkeys * sizeof(uint32));
		reader->hash_room = chunk->nrows;
	}
	gpustr_chunk_hashes(chunk, store->side, hash_bits, reader->hash, reader->valid,
						reader->scratch);
	reader->source = chunk;
	reader->source_row = 0;
}

static inline int
row_partition(const GpustrStoreReader *reader, int32 row, int npartitions)
{
	if ((reader->valid[row / 32] >> row % 32 & 1) == 0)
		return 0;
	return rowfn_partition(reader->hash[row], npartitions);
}

static Size
row_text_bytes(const GpustrChunk *chunk, int32 row)
{
	Size		bytes = 0;
	int			i;

	for (i = 0; i < chunk->ncolumns; i++)
	{
		if (chunk->column[i].is_text)
			bytes += chunk->column[i].offsets[row + 1] - chunk->column[i].offsets[row];
	}
	return bytes;
}

static void
pick_row(GpustrChunkBuilder *to, const GpustrChunk *chunk, int32 from, Size text_bytes)
{
	int32		row = gpustr_chunk_row(to, text_bytes);
	int			i;

	for (i = 0; i < chunk->ncolumns; i++)
	{
		const GpustrChunkColumn *column = &chunk->column[i];

		if (gpustr_chunk_is_null(column, from))
			gpustr_chunk_put_null(to, i, row);
		else if (column->is_text)
			gpustr_chunk_text(to, i, row, column->data + column->offsets[from],
							  column->offsets[from + 1] - column->offsets[from]);
		else
			gpustr_chunk_value(to, i, row, column->value[from]);
	}
}

/* Pick rows of the source until the builder is full: then false. */
static bool
pick_rows(GpustrStore *store)
{
	GpustrStoreReader *reader = &store->reader;
	const GpustrChunk *source = reader->source;

	for (; reader->source_row < source->nrows; reader->source_row++)
	{
		Size		bytes = 0;

		if (row_partition(reader, reader->source_row, reader->npartitions) != reader->partition)
			continue;
		if (store->has_text)
			bytes = row_text_bytes(source, reader->source_row);
		if (!gpustr_chunk_fits(&reader->picked, bytes))
			return false;
		pick_row(&reader->picked, source, reader->source_row, bytes);
	}
	return true;
}

const GpustrChunk *
gpustr_store_next(GpustrStore *store)
{
	GpustrStoreReader *reader = &store->reader;

	if (reader->npartitions <= 1)
		return next_stored(store);
	if (reader->picked.context == NULL)
		gpustr_chunk_begin(&reader->picked, store->side, store->chunk_bytes, store->context);
	gpustr_chunk_reset(&reader->picked);
	for (;;)
	{
		if (reader->source == NULL)
		{
			const GpustrChunk *chunk = next_stored(store);

			if (chunk == NULL)
				break;
			pick_from(store, chunk, reader->hash_bits);
		}
		if (!pick_rows(store))
			break;
		reader->source = NULL;
	}
	gpustr_chunk_close(&reader->picked);
	return reader->picked.chunk.nrows > 0 ? &reader->picked.chunk : NULL;
}

/* Count the rows of the source, of all partitions; open_bytes: of their last chunks. */
static void
count_rows(GpustrStore *store, int npartitions, GpustrChunkBuilder *counted)
{
	GpustrStoreReader *reader = &store->reader;
	const GpustrChunk *chunk = reader->source;
	int32		row;
	int			i;

	for (row = 0; row < chunk->nrows; row++)
	{
		int			p = row_partition(reader, row, npartitions);
		GpustrStoreTotals *totals = &store->partition_totals[p];
		Size		bytes = store->has_text ? row_text_bytes(chunk, row) : 0;

		if (totals->rows == 0 || !gpustr_chunk_fits(&counted[p], bytes))
		{
			totals->chunks++;
			counted[p].chunk.nrows = 0;
			counted[p].bytes = 0;
		}
		counted[p].chunk.nrows++;
		counted[p].bytes += counted[p].row_bytes + bytes;
		totals->rows++;
		if (!store->has_text)
			continue;
		for (i = 0; i < chunk->ncolumns; i++)
		{
			const GpustrChunkColumn *column = &chunk->column[i];

			if (column->is_text)
				totals->text_bytes[i] += column->offsets[row + 1] - column->offsets[row];
		}
	}
}

/* Find the totals of all partitions. */
static void
count_partitions(GpustrStore *store, int hash_bits, int npartitions)
{
	GpustrChunkBuilder *counted;
	const GpustrChunk *chunk;
	Size		bytes = npartitions * sizeof(GpustrStoreTotals);
	int			p;

	if (store->partition_totals != NULL)
		pfree(store->partition_totals);
	store->partition_totals = NULL;
	store->partition_totals = MemoryContextAllocHuge(store->context, bytes);
	memset(store->partition_totals, 0, bytes);
	counted = MemoryContextAllocHuge(store->context, npartitions * sizeof(GpustrChunkBuilder));
	for (p = 0; p < npartitions; p++)
		gpustr_chunk_begin(&counted[p], store->side, store->chunk_bytes, store->context);

	gpustr_store_rewind(store, hash_bits, 0, 1);
	while ((chunk = next_stored(store)) != NULL)
	{
		pick_from(store, chunk, hash_bits);
		count_rows(store, npartitions, counted);
	}
	store->reader.source = NULL;
	pfree(counted);
	store->counted_bits = hash_bits;
	store->counted_partitions = npartitions;
}

void
gpustr_store_partition_totals(GpustrStore *store, int hash_bits, int partition, int npartitions,
							  GpustrStoreTotals *totals)
{
	if (npartitions <= 1)
	{
		*totals = *gpustr_store_totals(store);
		return;
	}
	if (store->partition_totals == NULL || store->counted_bits != hash_bits ||
		store->counted_partitions != npartitions)
		count_partitions(store, hash_bits, npartitions);
	*totals = store->partition_totals[partition];
}
