/*-------------------------------------------------------------------------
 *
 * join_store.c
 *	  Rows of one side of a GpuJoin, kept in chunks of columns.
 *
 * Rows are put into a builder.  When it is full it is packed: into memory, up to what
 * a hash table of PostgreSQL's may take, and from then on to the end of a temporary
 * file.  What is shared goes to a file from the first chunk on: one of each participant,
 * named after the store and its number, in the set of files.  How many rows and chunks
 * each has is in the DSM.
 *
 * How they are read: join_store_read.c.
 *
 * Invariants:
 *	- a store is first put to, then finished, then read;
 *	- what a participant has in the DSM is written once, before it arrives at the
 *	  barrier that the readers wait for;
 *	- all readers meet the rows in one order.
 *
 * Failure: memory belongs to the store's context, a session's file to the resource owner
 * of the query, the shared files to their set; so an error undoes all.
 *
 * IDENTIFICATION
 *	  src/exec/join_store.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "exec/join_store_private.h"

/* A text of a row that is being put. */
typedef struct RowText
{
	const char *bytes;
	Size		len;
	struct varlena *made;		/* to be freed, or NULL */
} RowText;

/*
 * Open and close.
 */

GpustrStore *
gpustr_store_create(const GpustrSide *side, Size chunk_bytes)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "gpustr join store",
												  ALLOCSET_DEFAULT_SIZES);
	GpustrStore *store = MemoryContextAllocZero(context, sizeof(GpustrStore));
	int			i;

	store->context = context;
	store->side = side;
	store->chunk_bytes = chunk_bytes;
	store->memory_limit = get_hash_memory_limit();
	for (i = 0; i < side->ncolumns; i++)
	{
		store->has_text |= side->column[i].carrier.is_text;
		store->reader.chunk.column[i].is_text = side->column[i].carrier.is_text;
	}
	store->reader.chunk.ncolumns = side->ncolumns;
	store->reader.npartitions = 1;
	gpustr_chunk_begin(&store->builder, side, chunk_bytes, context);
	return store;
}

Size
gpustr_store_shared_bytes(int nparticipants)
{
	return MAXALIGN(offsetof(GpustrStoreShared, totals) + nparticipants * sizeof(GpustrStoreTotals));
}

void
gpustr_store_shared_init(void *shared, int nparticipants)
{
	memset(shared, 0, gpustr_store_shared_bytes(nparticipants));
	((GpustrStoreShared *) shared)->nparticipants = nparticipants;
}

GpustrStore *
gpustr_store_attach(const GpustrSide *side, Size chunk_bytes, void *shared, SharedFileSet *files,
					const char *name, int number)
{
	GpustrStore *store = gpustr_store_create(side, chunk_bytes);

	store->shared = shared;
	store->files = files;
	store->name = MemoryContextStrdup(store->context, name);
	store->number = number;
	store->memory_limit = 0;
	Assert(number >= 0 && number < store->shared->nparticipants);
	return store;
}

void
gpustr_store_close(GpustrStore *store)
{
	gpustr_store_close_reader(store);
	if (store->file != NULL)
		BufFileClose(store->file);
	MemoryContextDelete(store->context);
}

/*
 * Put.
 */

const char *
gpustr_store_file_name(const GpustrStore *store, int number, char *name, Size bytes)
{
	snprintf(name, bytes, "%s.%d", store->name, number);
	return name;
}

static void
create_file(GpustrStore *store)
{
	MemoryContext old = MemoryContextSwitchTo(store->context);
	char		name[MAXPGPATH];

	if (store->shared != NULL)
		store->file = BufFileCreateFileSet(&store->files->fs,
										   gpustr_store_file_name(store, store->number, name, sizeof(name)));
	else
		store->file = BufFileCreateTemp(false);
	MemoryContextSwitchTo(old);
}

static void
keep_in_memory(GpustrStore *store, Size bytes)
{
	GpustrPackedChunk *packed = MemoryContextAllocHuge(store->context, bytes);

	if (store->npacked == store->packed_room)
	{
		store->packed_room = Max(store->packed_room * 2, 16);
		store->packed = store->packed == NULL ?
			MemoryContextAlloc(store->context, store->packed_room * sizeof(*store->packed)) :
			repalloc_huge(store->packed, store->packed_room * sizeof(*store->packed));
	}
	gpustr_pack_memory(&store->builder.chunk, packed);
	store->packed[store->npacked++] = packed;
	store->memory += bytes;
}

/* Keep the rows that the builder has, and begin another chunk. */
static void
seal_chunk(GpustrStore *store)
{
	const GpustrChunk *chunk = &store->builder.chunk;
	Size		bytes;
	int			i;

	CHECK_FOR_INTERRUPTS();
	gpustr_chunk_close(&store->builder);
	bytes = gpustr_packed_bytes(chunk);
	if (store->file == NULL && store->memory + bytes <= store->memory_limit)
		keep_in_memory(store, bytes);
	else
	{
		if (store->file == NULL)
			create_file(store);
		gpustr_pack_file(chunk, store->file);
	}
	store->own.rows += chunk->nrows;
	store->own.chunks++;
	for (i = 0; i < chunk->ncolumns; i++)
	{
		if (chunk->column[i].is_text)
			store->own.text_bytes[i] += chunk->column[i].offsets[chunk->nrows];
	}
	gpustr_chunk_reset(&store->builder);
}

static int64
datum_value(GpustrValueType type, Datum value)
{
	switch (type)
	{
		case GPUSTR_VALUE_BOOL:
			return DatumGetBool(value) ? 1 : 0;
		case GPUSTR_VALUE_CHAR:
			return DatumGetUInt8(value);
		case GPUSTR_VALUE_INT2:
			return DatumGetInt16(value);
		case GPUSTR_VALUE_INT4:
			return DatumGetInt32(value);
		case GPUSTR_VALUE_OID:
			return DatumGetObjectId(value);
		case GPUSTR_VALUE_FLOAT4:
			return rowfn_float_bits((double) DatumGetFloat4(value));
		default:				/* INT8, and the bits of FLOAT8 */
			return DatumGetInt64(value);
	}
}

static void
find_text(const GpustrCarrier *carrier, Datum value, RowText *text)
{
	text	  ->made = NULL;
	text	  ->bytes = DatumGetPointer(value);

	if (carrier->cstring)
		text	  ->len = strnlen(text->bytes, carrier->bytes);

	else if (carrier->bytes >= 0)
		text	  ->len = carrier->bytes;

	else
	{
		struct varlena *given = (struct varlena *) DatumGetPointer(value);
		struct varlena *plain = pg_detoast_datum_packed(given);

		if (plain != given)
			text	  ->made = plain;
		text	  ->bytes = VARDATA_ANY(plain);
		text	  ->len = VARSIZE_ANY_EXHDR(plain);
	}
}

/* Find the texts of a row; returns their bytes. */
static Size
find_texts(const GpustrSide *side, const Datum *values, const bool *nulls, RowText *texts)
{
	Size		bytes = 0;
	int			i;

	for (i = 0; i < side->ncolumns; i++)
	{
		texts[i].made = NULL;
		if (nulls[i] || !side->column[i].carrier.is_text)
			continue;
		find_text(&side->column[i].carrier, values[i], &texts[i]);
		bytes += texts[i].len;
	}
	return bytes;
}

bool
gpustr_chunk_put(GpustrChunkBuilder *builder, const GpustrSide *side, const Datum *values,
				 const bool *nulls)
{
	RowText		texts[GPUSTR_MAX_TABLE_COLUMNS];
	Size		text_bytes = find_texts(side, values, nulls, texts);
	bool		fits = gpustr_chunk_fits(builder, text_bytes);
	int32		row = fits ? gpustr_chunk_row(builder, text_bytes) : -1;
	int			i;

	for (i = 0; i < side->ncolumns; i++)
	{
		const GpustrCarrier *carrier = &side->column[i].carrier;

		if (fits && nulls[i])
			gpustr_chunk_put_null(builder, i, row);
		else if (fits && !carrier->is_text)
			gpustr_chunk_value(builder, i, row, datum_value(carrier->value, values[i]));
		else if (fits)
			gpustr_chunk_text(builder, i, row, texts[i].bytes, texts[i].len);
		if (texts[i].made != NULL)
			pfree(texts[i].made);
	}
	return fits;
}

void
gpustr_store_put(GpustrStore *store, const Datum *values, const bool *nulls)
{
	Assert(!store->finished);
	if (gpustr_chunk_put(&store->builder, store->side, values, nulls))
		return;
	seal_chunk(store);
	if (!gpustr_chunk_put(&store->builder, store->side, values, nulls))
		elog(ERROR, "an empty chunk of a join has no room for a row");
}

void
gpustr_store_finish(GpustrStore *store)
{
	if (store->finished)
		return;
	if (store->builder.chunk.nrows > 0)
		seal_chunk(store);
	store->finished = true;
	if (store->shared == NULL)
		return;
	if (store->file != NULL)
		BufFileClose(store->file);
	store->file = NULL;
	/* one without rows may come when others read */
	if (store->own.chunks > 0)
		store->shared->totals[store->number] = store->own;
}
