/*-------------------------------------------------------------------------
 *
 * host_table.c
 *	  The tables of joins that the host engine holds: their memory, and how a
 *	  finished one is made.
 *
 * Memory is got by table_memory() only, which counts it.  A table fails as a
 * whole: what has been got for it is given back when it is dropped, which its
 * caller does.
 *
 * The long loops of finish() go over pieces of rows and slots, between which it
 * asks whether to stop.
 *
 * IDENTIFICATION
 *	  src/engine/host_table.c
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>
#include <string.h>

#include "engine/host_table.h"

/* Rows that go into a hash table between two questions whether to stop. */
#define TABLE_INSERT_ROWS 256

/* Rows, or slots, of the cheaper loops. */
#define TABLE_PIECE 65536

/* Memory for n items of 'size' bytes, all 0; NULL if there is none. */
static void *
table_memory(HostTables *tables, HostTable *table, uint64_t n, size_t size)
{
	uint64_t	bytes = n * size;
	void	   *memory;

	if (tables->bytes > tables->limit || bytes > tables->limit - tables->bytes || bytes > SIZE_MAX / 2)
		return NULL;
	memory = calloc(bytes > 0 ? (size_t) bytes : 1, 1);
	if (memory == NULL)
		return NULL;
	table->bytes += bytes;
	tables->bytes += bytes;
	return memory;
}

/* Give memory of table_memory() back. */
static void
table_return(HostTables *tables, HostTable *table, void *memory, uint64_t n, size_t size)
{
	if (memory == NULL)
		return;
	free(memory);
	table->bytes -= n * size;
	tables->bytes -= n * size;
}

static void
table_free(HostTables *tables, HostTable *table)
{
	int32_t		i;

	for (i = 0; i < table->build.ncolumns; i++)
	{
		HostTableColumn *column = &table->column[i];

		free(column->valid);
		free(column->value);
		free(column->word);
		free(column->data);
		free(column->start);
		free(column->end);
		free(column->wide);
	}
	free(table->key_valid);
	free(table->hash.table.slots);
	free(table->hash.table.runs);
	tables->bytes -= table->bytes;
	free(table);
}

/* Is column i one of the key?  Then *kind is which. */
static int
is_key(const GpustrTableBuild *build, int32_t i, int32_t *kind)
{
	int32_t		k;

	for (k = 0; k < build->nkeys; k++)
		if (build->key_column[k] == i)
		{
			*kind = build->key_kind[k];
			return 1;
		}
	return 0;
}

/* Is column i a key of this kind? */
static int
is_key_of(const GpustrTableBuild *build, int32_t i, int32_t kind)
{
	int32_t		k;

	for (k = 0; k < build->nkeys; k++)
		if (build->key_column[k] == i && build->key_kind[k] == kind)
			return 1;
	return 0;
}

/*
 * Get the memory of column i.  Texts of a key are found by 32 bits (hash_key.h), so
 * there can be only so many.  Returns 0 if there is none.
 */
static int
column_memory(HostTables *tables, HostTable *table, int32_t i)
{
	HostTableColumn *column = &table->column[i];
	uint64_t	nrows = (uint64_t) table->build.nrows;
	uint64_t	bytes = table->layout[i].bytes;
	int32_t		kind;

	column->valid = table_memory(tables, table, (nrows + 31) / 32, sizeof(uint32_t));
	if (column->valid == NULL)
		return 0;
	if (!table->layout[i].is_text)
	{
		column->value = table_memory(tables, table, nrows, sizeof(int64_t));
		if (is_key_of(&table->build, i, ROWFN_KEY_WORD))
		{
			column->word = table_memory(tables, table, nrows, sizeof(uint32_t));
			if (column->word == NULL)
				return 0;
		}
		return column->value != NULL;
	}
	if (bytes > INT32_MAX && is_key(&table->build, i, &kind))
		return 0;
	if (bytes > INT32_MAX)
		column->wide = table_memory(tables, table, nrows, sizeof(uint64_t));
	else
		column->start = table_memory(tables, table, nrows, sizeof(int32_t));
	column->end = table_memory(tables, table, nrows, sizeof(int32_t));
	column->data = table_memory(tables, table, bytes, 1);
	return (column->wide != NULL || column->start != NULL) && column->end != NULL && column->data != NULL;
}

static EngineCode
out_of_memory(const HostTables *tables, uint64_t id, EngineError *error)
{
	return gpustr_engine_error(error, ENGINE_OUT_OF_MEMORY,
							   "no memory for table %llu: %llu bytes of %llu are taken",
							   (unsigned long long) id, (unsigned long long) tables->bytes,
							   (unsigned long long) tables->limit);
}

/* Do two requests speak of the same table? */
static int
is_same(const HostTable *table, const GpustrTableBuild *build)
{
	const GpustrTableBuild *a = &table->build;
	int32_t		i;

	if (a->nrows != build->nrows || a->ncolumns != build->ncolumns || a->nkeys != build->nkeys ||
		a->hash_bits != build->hash_bits || a->load != build->load)
		return 0;
	for (i = 0; i < a->nkeys; i++)
		if (a->key_kind[i] != build->key_kind[i] || a->key_column[i] != build->key_column[i])
			return 0;
	for (i = 0; i < a->ncolumns; i++)
		if (table->layout[i].is_text != build->column[i].is_text ||
			table->layout[i].bytes != build->column[i].bytes)
			return 0;
	return 1;
}

EngineCode
gpustr_host_table_begin(HostTables *tables, const GpustrTableBuild *build, HostTable **out,
						EngineError *error)
{
	HostTable  *table = gpustr_host_table_find(tables, build->table);
	int32_t		i;

	*out = table;
	if (table != NULL)
	{
		if (table->finished || !is_same(table, build))
			return gpustr_engine_error(error, ENGINE_BAD_INPUT, "table %llu is %s",
									   (unsigned long long) build->table,
									   table->finished ? "finished" : "another");
		return ENGINE_OK;
	}
	table = tables->limit < sizeof(HostTable) ? NULL : calloc(1, sizeof(HostTable));
	if (table == NULL)
		return out_of_memory(tables, build->table, error);
	table->build = *build;
	memcpy(table->layout, build->column, sizeof(GpustrTableColumn) * (size_t) build->ncolumns);
	table->bytes = sizeof(HostTable);
	tables->bytes += sizeof(HostTable);
	table->next = tables->first;
	tables->first = table;
	tables->n++;
	for (i = 0; i < build->ncolumns; i++)
		if (!column_memory(tables, table, i))
			return out_of_memory(tables, build->table, error);
	*out = table;
	return ENGINE_OK;
}

/* The key columns, as host_hash.h has them. */
static void
describe_keys(const HostTable *table, RowfnKeys *keys)
{
	int32_t		i;

	memset(keys, 0, sizeof(*keys));
	keys->ncolumns = table->build.nkeys;
	keys->hash_bits = table->build.hash_bits;
	keys->valid = table->key_valid;
	for (i = 0; i < keys->ncolumns; i++)
	{
		const HostTableColumn *from = &table->column[table->build.key_column[i]];
		RowfnKeyColumn *to = &keys->column[i];

		to->kind = table->build.key_kind[i];
		to->value = to->kind == ROWFN_KEY_WORD ? (const void *) from->word : (const void *) from->value;
		to->base = from->data;
		to->start = from->start;
		to->end = from->end;
	}
}

/* Set key_valid. */
static void
find_valid_keys(HostTable *table)
{
	uint64_t	words = ((uint64_t) table->build.nrows + 31) / 32;
	int32_t		i;
	uint64_t	w;

	memset(table->key_valid, 0xFF, sizeof(uint32_t) * words);
	for (i = 0; i < table->build.nkeys; i++)
	{
		const uint32_t *valid = table->column[table->build.key_column[i]].valid;

		for (w = 0; w < words; w++)
			table->key_valid[w] &= valid[w];
	}
}

static int
asked_to_stop(int (*stop) (void))
{
	return stop != NULL && stop() != 0;
}

/* Put all rows into a table of so many slots; 0: it is to stop. */
static int
insert_rows(HostTable *table, uint64_t nslots, uint32_t *met, int (*stop) (void))
{
	uint32_t	nrows = (uint32_t) table->build.nrows;
	uint64_t	slot;
	uint32_t	row;

	for (slot = 0; slot < nslots; slot += TABLE_PIECE)
	{
		if (asked_to_stop(stop))
			return 0;
		host_hash_clear(&table->hash, slot, nslots - slot < TABLE_PIECE ? nslots - slot : TABLE_PIECE);
	}
	for (row = 0; row < nrows; row += TABLE_INSERT_ROWS)
	{
		if (asked_to_stop(stop))
			return 0;
		host_hash_insert(&table->hash, row,
						 nrows - row < TABLE_INSERT_ROWS ? nrows - row : TABLE_INSERT_ROWS, met);
	}
	return 1;
}

/* Bring rows of equal keys together; 0: it is to stop. */
static int
make_runs(HostTable *table, const uint32_t *met, uint32_t *count, uint32_t *runs, int (*stop) (void))
{
	HostHash   *hash = &table->hash;
	uint64_t	nslots = (uint64_t) hash->table.nwindows * hash->table.window;
	uint32_t	nrows = (uint32_t) table->build.nrows;
	uint32_t	at = 0;
	uint64_t	slot;
	uint32_t	row;

	for (row = 0; row < nrows; row += TABLE_PIECE)
	{
		if (asked_to_stop(stop))
			return 0;
		host_hash_count_met(met, row, nrows - row < TABLE_PIECE ? nrows - row : TABLE_PIECE, count);
	}
	for (slot = 0; slot < nslots; slot += TABLE_PIECE)
	{
		if (asked_to_stop(stop))
			return 0;
		at = host_hash_allot_runs(hash, slot, nslots - slot < TABLE_PIECE ? nslots - slot : TABLE_PIECE,
								  count, runs, at);
	}
	for (row = 0; row < nrows; row += TABLE_PIECE)
	{
		if (asked_to_stop(stop))
			return 0;
		host_hash_fill_runs(met, row, nrows - row < TABLE_PIECE ? nrows - row : TABLE_PIECE, count, runs);
	}
	hash->table.runs = runs;
	return 1;
}

/* Give back what a finish that came to nothing has got. */
static void
undo_finish(HostTables *tables, HostTable *table, uint64_t nslots, uint64_t run_words)
{
	table_return(tables, table, table->hash.table.slots, nslots, sizeof(uint64_t));
	table_return(tables, table, table->hash.table.runs, run_words, sizeof(uint32_t));
	table_return(tables, table, table->key_valid, ((uint64_t) table->build.nrows + 31) / 32, sizeof(uint32_t));
	memset(&table->hash, 0, sizeof(table->hash));
	table->key_valid = NULL;
}

/* Fill the hash table, which has its slots; *run_words is what runs take. */
static EngineCode
fill_hash(HostTables *tables, HostTable *table, uint64_t nslots, uint32_t *met, uint64_t *run_words,
		  int (*stop) (void))
{
	HostHash   *hash = &table->hash;
	uint32_t   *count;
	uint32_t   *runs;
	int			done;

	if (!insert_rows(table, nslots, met, stop))
		return ENGINE_STOPPED;
	if (hash->doubtful > 0)
		return ENGINE_BAD_INPUT;
	if (hash->repeated == 0)
		return ENGINE_OK;
	*run_words = host_hash_run_words((uint64_t) table->build.nrows, hash->repeated);
	runs = table_memory(tables, table, *run_words, sizeof(uint32_t));
	if (runs == NULL)
		return ENGINE_OUT_OF_MEMORY;
	count = table_memory(tables, table, nslots, sizeof(uint32_t));
	done = count != NULL && make_runs(table, met, count, runs, stop);
	hash->table.runs = runs;
	table_return(tables, table, count, nslots, sizeof(uint32_t));
	return done ? ENGINE_OK : count == NULL ? ENGINE_OUT_OF_MEMORY : ENGINE_STOPPED;
}

EngineCode
gpustr_host_table_finish(HostTables *tables, HostTable *table, int (*stop) (void), EngineError *error)
{
	uint64_t	nrows = (uint64_t) table->build.nrows;
	uint32_t	nwindows = rowfn_table_windows((int64_t) nrows, table->build.load, HOST_HASH_WINDOW);
	uint64_t	nslots = (uint64_t) nwindows * HOST_HASH_WINDOW;
	uint64_t	run_words = 0;
	EngineCode	code = ENGINE_OUT_OF_MEMORY;
	RowfnKeys	keys;
	uint64_t   *slots;
	uint32_t   *met;

	if (table->rows_in != table->build.nrows)
		return gpustr_engine_error(error, table->rows_in < table->build.nrows ? ENGINE_NO_TABLE : ENGINE_BAD_INPUT,
								   "table %llu has %lld rows, not %d", (unsigned long long) table->build.table,
								   (long long) table->rows_in, table->build.nrows);
	if (nwindows == 0)
		return out_of_memory(tables, table->build.table, error);
	table->key_valid = table_memory(tables, table, (nrows + 31) / 32, sizeof(uint32_t));
	slots = table_memory(tables, table, nslots, sizeof(uint64_t));
	met = table_memory(tables, table, nrows, sizeof(uint32_t));
	table->hash.table.slots = slots;
	if (table->key_valid != NULL && slots != NULL && met != NULL)
	{
		find_valid_keys(table);
		describe_keys(table, &keys);
		host_hash_describe(&table->hash, &keys, slots, nwindows, HOST_HASH_WINDOW);
		code = fill_hash(tables, table, nslots, met, &run_words, stop);
	}
	table_return(tables, table, met, nrows, sizeof(uint32_t));
	if (code != ENGINE_OK)
		undo_finish(tables, table, nslots, run_words);
	if (code == ENGINE_OUT_OF_MEMORY)
		return out_of_memory(tables, table->build.table, error);
	if (code == ENGINE_BAD_INPUT)
		return gpustr_engine_error(error, code, "keys of table %llu are in doubt",
								   (unsigned long long) table->build.table);
	if (code == ENGINE_STOPPED)
		return gpustr_engine_error(error, code, "stopped while table %llu was made",
								   (unsigned long long) table->build.table);
	table->finished = 1;
	return ENGINE_OK;
}

void
gpustr_host_table_describe(const HostTable *table, GpustrTableResult *result)
{
	const HostHash *hash = &table->hash;

	result->slots = (uint64_t) hash->table.nwindows * hash->table.window;
	result->keyed = hash->distinct + hash->repeated;
	result->distinct = hash->distinct;
	result->window = hash->table.window;
	result->unused = 0;
}

HostTable *
gpustr_host_table_find(const HostTables *tables, uint64_t id)
{
	HostTable  *table = tables->first;

	while (table != NULL && table->build.table != id)
		table = table->next;
	return table;
}

void
gpustr_host_table_drop(HostTables *tables, uint64_t id)
{
	HostTable **link = &tables->first;
	HostTable  *table;

	while ((table = *link) != NULL && table->build.table != id)
		link = &table->next;
	if (table == NULL)
		return;
	*link = table->next;
	tables->n--;
	table_free(tables, table);
}

void
gpustr_host_tables_free(HostTables *tables)
{
	while (tables->first != NULL)
		gpustr_host_table_drop(tables, tables->first->build.table);
}
