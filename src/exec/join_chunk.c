/*-------------------------------------------------------------------------
 *
 * join_chunk.c
 *	  A chunk of a join's store: put together row by row, and packed.
 *
 * A chunk is built in arrays that grow, and that the next one uses again.  What is
 * kept is a packed copy: a header, and then for each column its validity and its
 * values, or its validity, offsets and bytes, each from a multiple of MAXALIGN on.  It
 * is the same in memory and in a file, and is read where it lies.
 *
 * Invariants of a chunk that can be read:
 *	- offsets[0] is 0 and offsets never decrease;
 *	- a NULL is 0, or has no bytes; bits of validity past the last row are 0.
 *
 * Failure: out of memory is an error of PostgreSQL's; all there is belongs to the
 * builder's context.
 *
 * IDENTIFICATION
 *	  src/exec/join_chunk.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "compat.h"
#include "exec/join_chunk.h"
#include "rowfn/hash_key.h"

/* What a builder begins with; room is a multiple of 8. */
#define FIRST_ROOM 256
#define FIRST_TEXT_ROOM 4096

/* Where a chunk is packed to. */
typedef struct PackTarget
{
	char	   *at;				/* memory, or ... */
	BufFile    *file;
} PackTarget;

static inline Size
validity_bytes(int64 nrows)
{
	return (nrows + 7) / 8;
}

/* Room, in bytes, for at least 'need', with as much again as there was. */
static Size
more_room(Size room, Size need)
{
	return Max(need, Min(room * 2, (Size) MaxAllocSize));
}

static void
alloc_rows(GpustrChunkBuilder *builder, int32 room)
{
	int			i;

	for (i = 0; i < builder->chunk.ncolumns; i++)
	{
		GpustrChunkColumn *column = &builder->chunk.column[i];

		column->validity = MemoryContextAlloc(builder->context, validity_bytes(room));
		memset(column->validity, 0xFF, validity_bytes(room));
		if (column->is_text)
		{
			column->offsets = MemoryContextAlloc(builder->context, (room + 1) * sizeof(int32));
			column->offsets[0] = 0;
			column->data = MemoryContextAlloc(builder->context, FIRST_TEXT_ROOM);
			builder->text_room[i] = FIRST_TEXT_ROOM;
		}
		else
			column->value = MemoryContextAlloc(builder->context, room * sizeof(int64));
	}
	builder->room = room;
}

void
gpustr_chunk_begin(GpustrChunkBuilder *builder, const GpustrSide *side, Size limit,
				   MemoryContext context)
{
	int			i;

	memset(builder, 0, sizeof(*builder));
	builder->context = context;
	/* offsets are int32, and so has one text room that is added to this */
	builder->limit = Min(limit, (Size) MaxAllocSize);
	builder->chunk.ncolumns = side->ncolumns;
	builder->row_bytes = validity_bytes(side->ncolumns);
	for (i = 0; i < side->ncolumns; i++)
	{
		builder->chunk.column[i].is_text = side->column[i].carrier.is_text;
		builder->row_bytes += builder->chunk.column[i].is_text ? sizeof(int32) : sizeof(int64);
	}
}

void
gpustr_chunk_reset(GpustrChunkBuilder *builder)
{
	int			i;

	for (i = 0; i < builder->chunk.ncolumns; i++)
	{
		GpustrChunkColumn *column = &builder->chunk.column[i];

		if (builder->chunk.nrows > 0)
			memset(column->validity, 0xFF, validity_bytes(builder->chunk.nrows));
		if (column->is_text && builder->text_room[i] > 2 * builder->limit &&
			builder->text_room[i] > FIRST_TEXT_ROOM)
		{
			pfree(column->data);
			column->data = MemoryContextAlloc(builder->context, FIRST_TEXT_ROOM);
			builder->text_room[i] = FIRST_TEXT_ROOM;
		}
	}
	builder->chunk.nrows = 0;
	builder->bytes = 0;
}

void
gpustr_chunk_grow(GpustrChunkBuilder *builder)
{
	int32		old = builder->room;
	int32		room = old * 2;
	int			i;

	if (old == 0)
	{
		alloc_rows(builder, FIRST_ROOM);
		return;
	}
	for (i = 0; i < builder->chunk.ncolumns; i++)
	{
		GpustrChunkColumn *column = &builder->chunk.column[i];

		column->validity = repalloc(column->validity, validity_bytes(room));
		memset(column->validity + validity_bytes(old), 0xFF,
			   validity_bytes(room) - validity_bytes(old));
		if (column->is_text)
			column->offsets = repalloc_huge(column->offsets, ((Size) room + 1) * sizeof(int32));
		else
			column->value = repalloc_huge(column->value, (Size) room * sizeof(int64));
	}
	builder->room = room;
}

void
gpustr_chunk_grow_text(GpustrChunkBuilder *builder, int column, Size len)
{
	GpustrChunkColumn *to = &builder->chunk.column[column];

	if (len > PG_INT32_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("values of a join are too large")));
	builder->text_room[column] = more_room(builder->text_room[column], len);
	to->data = repalloc_huge(to->data, builder->text_room[column]);
}

void
gpustr_chunk_close(GpustrChunkBuilder *builder)
{
	int32		last = builder->chunk.nrows % 8;
	int			i;

	if (last == 0)
		return;
	for (i = 0; i < builder->chunk.ncolumns; i++)
		builder->chunk.column[i].validity[builder->chunk.nrows / 8] &= (1 << last) - 1;
}

Size
gpustr_packed_bytes(const GpustrChunk *chunk)
{
	Size		bytes = MAXALIGN(sizeof(GpustrPackedChunk));
	int			i;

	for (i = 0; i < chunk->ncolumns; i++)
	{
		bytes += MAXALIGN(validity_bytes(chunk->nrows));
		if (chunk->column[i].is_text)
			bytes += MAXALIGN(((Size) chunk->nrows + 1) * sizeof(int32)) +
				MAXALIGN((Size) chunk->column[i].offsets[chunk->nrows]);
		else
			bytes += (Size) chunk->nrows * sizeof(int64);
	}
	return bytes;
}

static void
pack_part(PackTarget *to, const void *part, Size bytes)
{
	static const char zero[MAXIMUM_ALIGNOF] = {0};
	Size		pad = MAXALIGN(bytes) - bytes;

	if (to->file != NULL)
	{
		BufFileWrite(to->file, unconstify(void *, part), bytes);
		if (pad > 0)
			BufFileWrite(to->file, unconstify(void *, (const void *) zero), pad);
		return;
	}
	memcpy(to->at, part, bytes);
	memset(to->at + bytes, 0, pad);
	to->at += bytes + pad;
}

static void
pack(const GpustrChunk *chunk, PackTarget *to)
{
	GpustrPackedChunk header = {0};
	int			i;

	header.bytes = gpustr_packed_bytes(chunk);
	header.nrows = chunk->nrows;
	pack_part(to, &header, sizeof(header));
	for (i = 0; i < chunk->ncolumns; i++)
	{
		const GpustrChunkColumn *column = &chunk->column[i];

		pack_part(to, column->validity, validity_bytes(chunk->nrows));
		if (column->is_text)
		{
			pack_part(to, column->offsets, ((Size) chunk->nrows + 1) * sizeof(int32));
			pack_part(to, column->data, (Size) column->offsets[chunk->nrows]);
		}
		else
			pack_part(to, column->value, (Size) chunk->nrows * sizeof(int64));
	}
}

void
gpustr_pack_memory(const GpustrChunk *chunk, GpustrPackedChunk *packed)
{
	PackTarget	to = {(char *) packed, NULL};

	pack(chunk, &to);
}

void
gpustr_pack_file(const GpustrChunk *chunk, BufFile *file)
{
	PackTarget	to = {NULL, file};

	pack(chunk, &to);
}

void
gpustr_unpack(GpustrPackedChunk *packed, GpustrChunk *chunk)
{
	char	   *at = (char *) packed + MAXALIGN(sizeof(GpustrPackedChunk));
	int			i;

	chunk->nrows = (int32) packed->nrows;
	for (i = 0; i < chunk->ncolumns; i++)
	{
		GpustrChunkColumn *column = &chunk->column[i];

		column->validity = (uint8 *) at;
		at += MAXALIGN(validity_bytes(packed->nrows));
		if (column->is_text)
		{
			column->offsets = (int32 *) at;
			at += MAXALIGN(((Size) packed->nrows + 1) * sizeof(int32));
			column->data = at;
			at += MAXALIGN((Size) column->offsets[packed->nrows]);
		}
		else
		{
			column->value = (int64 *) at;
			at += (Size) packed->nrows * sizeof(int64);
		}
	}
	Assert(at == (char *) packed + packed->bytes);
}

/* Of 32 rows: bits past the last one are 0. */
static uint32
validity_word(const GpustrChunk *chunk, int column, int32 word)
{
	const uint8 *validity = chunk->column[column].validity;
	int32		end = Min(word * 4 + 4, (int32) validity_bytes(chunk->nrows));
	uint32		bits = 0;
	int32		i;

	for (i = word * 4; i < end; i++)
		bits |= (uint32) validity[i] << 8 * (i % 4);
	return bits;
}

void
gpustr_chunk_hashes(const GpustrChunk *chunk, const GpustrSide *side, int hash_bits,
					uint32 *hash, uint32 *valid, uint32 *scratch)
{
	RowfnKeys	keys = {0};
	int			k;
	int32		i;

	for (i = 0; i < (chunk->nrows + 31) / 32; i++)
	{
		valid[i] = UINT32_MAX;
		for (k = 0; k < side->nkeys; k++)
			valid[i] &= validity_word(chunk, side->key_column[k], i);
	}
	keys.ncolumns = side->nkeys;
	keys.hash_bits = hash_bits;
	keys.valid = valid;
	for (k = 0; k < side->nkeys; k++)
	{
		const GpustrChunkColumn *column = &chunk->column[side->key_column[k]];
		RowfnKeyColumn *key = &keys.column[k];

		key->kind = side->key_kind[k];
		key->value = column->value;
		key->base = column->data;
		key->start = column->offsets;
		key->end = column->is_text ? column->offsets + 1 : NULL;
		if (key->kind == ROWFN_KEY_WORD)
		{
			uint32	   *words = scratch + (Size) k * chunk->nrows;

			for (i = 0; i < chunk->nrows; i++)
				words[i] = (uint32) column->value[i];
			key->value = words;
		}
	}
	for (i = 0; i < chunk->nrows; i++)
	{
		hash[i] = 0;
		/* a key that only PostgreSQL could look at is nowhere but in 0 */
		if (rowfn_keys_valid(&keys, i) && rowfn_key_hash(&keys, i, &hash[i]) != 0)
			valid[i / 32] &= ~(UINT32_C(1) << i % 32);
	}
}

Datum
gpustr_carrier_datum(const GpustrCarrier *carrier, const char *bytes, int32 nbytes, int64 value)
{
	char	   *made;

	if (carrier->is_text)
	{
		if (carrier->bytes < 0)
		{
			made = palloc(VARHDRSZ + (Size) nbytes);
			SET_VARSIZE(made, VARHDRSZ + nbytes);
			memcpy(VARDATA(made), bytes, nbytes);
			return PointerGetDatum(made);
		}
		Assert(nbytes <= carrier->bytes);
		made = palloc(carrier->bytes);
		memcpy(made, bytes, nbytes);
		memset(made + nbytes, 0, carrier->bytes - nbytes);
		return PointerGetDatum(made);
	}
	switch (carrier->value)
	{
		case GPUSTR_VALUE_BOOL:
			return BoolGetDatum(value != 0);
		case GPUSTR_VALUE_CHAR:
			return CharGetDatum((char) value);
		case GPUSTR_VALUE_INT2:
			return Int16GetDatum((int16) value);
		case GPUSTR_VALUE_INT4:
			return Int32GetDatum((int32) value);
		case GPUSTR_VALUE_OID:
			return ObjectIdGetDatum((Oid) value);
		case GPUSTR_VALUE_FLOAT4:
			return Float4GetDatum((float4) rowfn_float(value));
		case GPUSTR_VALUE_FLOAT8:
			return Float8GetDatum(rowfn_float(value));
		default:
			return Int64GetDatum(value);
	}
}

Datum
gpustr_chunk_datum(const GpustrChunk *chunk, const GpustrSide *side, int column, int32 row,
				   bool *isnull)
{
	const GpustrChunkColumn *from = &chunk->column[column];
	const GpustrCarrier *carrier = &side->column[column].carrier;

	*isnull = gpustr_chunk_is_null(from, row);
	if (*isnull)
		return (Datum) 0;
	if (from->is_text)
		return gpustr_carrier_datum(carrier, from->data + from->offsets[row],
									from->offsets[row + 1] - from->offsets[row], 0);
	return gpustr_carrier_datum(carrier, NULL, 0, from->value[row]);
}
