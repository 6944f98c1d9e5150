/*-------------------------------------------------------------------------
 *
 * join_table.cu
 *	  The tables of joins that the engine holds.
 *
 * See join_table.cuh.
 *
 * IDENTIFICATION
 *	  cuda/join_table.cu
 *
 *-------------------------------------------------------------------------
 */
#include "join_table.cuh"

#include <stdlib.h>
#include <string.h>

/* Alignment in bytes of everything in a table's memory. */
#define TABLE_ALIGN 256

/* The last piece of 16 bytes that holds a text may end here: text_register.cuh. */
#define TABLE_TAIL_BYTES 64

/* Where things are in a table's memory, in bytes from its start. */
struct TableLayout
{
	uint64_t counters_at; /* cleared, as are validity bitmaps */
	uint64_t valid_at[GPUSTR_MAX_TABLE_COLUMNS];
	uint64_t key_valid_at;
	uint64_t cleared_end;
	uint64_t start_at[GPUSTR_MAX_TABLE_COLUMNS]; /* all bits set: no row is there */
	uint64_t start_end;
	uint64_t data_at[GPUSTR_MAX_TABLE_COLUMNS]; /* values, or bytes of texts */
	uint64_t word_at[ROWFN_MAX_KEYS];
	uint64_t bytes;
};

EngineCode tables_open(CudaTables *tables, KeptPrograms *programs, EngineError *error)
{
	memset(tables, 0, sizeof(*tables));
	tables->programs = programs;
	CUDA_TRY(cudaStreamCreateWithFlags(&tables->stream, cudaStreamNonBlocking));
	return ENGINE_OK;
}

/* Free a table that nothing uses and that is in no list. */
static void table_free(CudaTables *tables, CudaTable *table)
{
	MemoryPool *pool = tables->programs->pool;

	memory_pool_free(pool, tables->stream, table->memory, table->memory_bytes);
	memory_pool_free(pool, tables->stream, table->table.slots, table->slot_bytes);
	memory_pool_free(pool, tables->stream, table->table.runs, table->run_bytes);
	tables->bytes -= table->memory_bytes + table->slot_bytes + table->run_bytes;
	if (table->ready != NULL)
		CUDA_IGNORE(cudaEventDestroy(table->ready));
	free(table);
}

/* Take a table that has been dropped out of the list, if nothing uses it. */
static void table_forget(CudaTables *tables, CudaTable *table)
{
	CudaTable **link = &tables->first;

	if (!table->dropped || table->users > 0)
		return;
	while (*link != table)
		link = &(*link)->next;
	*link = table->next;
	table_free(tables, table);
}

void tables_close(CudaTables *tables)
{
	if (tables->stream == NULL)
		return;
	while (tables->first != NULL)
	{
		CudaTable *table = tables->first;

		tables->first = table->next;
		table_free(tables, table);
	}
	CUDA_IGNORE(cudaStreamSynchronize(tables->stream));
	CUDA_IGNORE(cudaStreamDestroy(tables->stream));
	tables->stream = NULL;
}

/* The table of an id that has not been dropped, or NULL. */
static CudaTable *find_any(const CudaTables *tables, uint64_t id)
{
	CudaTable *table = tables->first;

	while (table != NULL && (table->id != id || table->dropped))
		table = table->next;
	return table;
}

CudaTable *tables_find(const CudaTables *tables, uint64_t id)
{
	CudaTable *table = find_any(tables, id);

	return table != NULL && table->finished ? table : NULL;
}

void table_use(CudaTable *table)
{
	table->users++;
}

void table_leave(CudaTables *tables, CudaTable *table)
{
	table->users--;
	table_forget(tables, table);
}

int32_t tables_ids(const CudaTables *tables, uint64_t *ids, int32_t room)
{
	const CudaTable *table;
	int32_t n = 0;

	for (table = tables->first; table != NULL; table = table->next)
		if (!table->dropped && n < room)
			ids[n++] = table->id;
	return tables->count;
}

void tables_drop(CudaTables *tables, uint64_t id)
{
	CudaTable *table = find_any(tables, id);

	if (table == NULL)
		return;
	table->dropped = true;
	tables->count--;
	table_forget(tables, table);
}

/* Does a build say the same as the requests before? */
static bool same_build(const CudaTable *table, const GpustrTableBuild *build)
{
	bool same = table->nrows == build->nrows && table->ncolumns == build->ncolumns &&
				table->nkeys == build->nkeys && table->hash_bits == build->hash_bits &&
				table->load == build->load;
	int32_t i;

	for (i = 0; same && i < table->ncolumns; i++)
		same = (table->column[i].value == NULL) == (build->column[i].is_text == 1) &&
			   (build->column[i].is_text == 0 || table->column[i].bytes == build->column[i].bytes);
	for (i = 0; same && i < table->nkeys; i++)
		same = table->key_kind[i] == build->key_kind[i] &&
			   table->key_column[i] == build->key_column[i];
	return same;
}

/* Take 'bytes' of a table's memory. */
static uint64_t place(TableLayout *layout, uint64_t bytes)
{
	uint64_t at = layout->bytes;

	layout->bytes = (at + bytes + TABLE_ALIGN - 1) & ~(uint64_t)(TABLE_ALIGN - 1);
	return at;
}

/* A key of one WORD needs no comparison; other WORDs are kept as such, for comparisons. */
static bool has_words(const CudaTable *table, int32_t key)
{
	return table->key_kind[key] == ROWFN_KEY_WORD && !table->exact;
}

static void lay_out(TableLayout *layout, const CudaTable *table, const GpustrTableBuild *build)
{
	const uint64_t nrows = (uint64_t)build->nrows;
	const uint64_t bitmap_bytes = (nrows + 31) / 32 * sizeof(uint32_t);
	int32_t i;

	memset(layout, 0, sizeof(*layout));
	layout->counters_at = place(layout, sizeof(TableCounters));
	for (i = 0; i < build->ncolumns; i++)
		layout->valid_at[i] = place(layout, bitmap_bytes);
	if (build->nkeys > 1)
		layout->key_valid_at = place(layout, bitmap_bytes);
	layout->cleared_end = layout->bytes;
	for (i = 0; i < build->ncolumns; i++)
		if (build->column[i].is_text == 1)
			layout->start_at[i] = place(layout, (nrows + 1) * sizeof(int32_t));
	layout->start_end = layout->bytes;
	for (i = 0; i < build->ncolumns; i++)
		layout->data_at[i] =
			place(layout, build->column[i].is_text == 1 ? build->column[i].bytes + TABLE_TAIL_BYTES
														: nrows * sizeof(int64_t));
	for (i = 0; i < build->nkeys; i++)
		if (has_words(table, i))
			layout->word_at[i] = place(layout, nrows * sizeof(uint32_t));
}

/* Point a table's columns and keys to where they are. */
static void point_to(CudaTable *table, const TableLayout *layout, const GpustrTableBuild *build)
{
	char *memory = table->memory;
	int32_t i;

	table->counters = (TableCounters *)(memory + layout->counters_at);
	for (i = 0; i < build->ncolumns; i++)
	{
		CudaTableColumn *column = &table->column[i];

		column->valid = (uint32_t *)(memory + layout->valid_at[i]);
		if (build->column[i].is_text == 1)
		{
			column->base = memory + layout->data_at[i];
			column->start = (int32_t *)(memory + layout->start_at[i]);
			column->bytes = build->column[i].bytes;
		}
		else
			column->value = (int64_t *)(memory + layout->data_at[i]);
	}
	table->keys.ncolumns = build->nkeys;
	table->keys.hash_bits = build->hash_bits;
	table->keys.valid = table->column[build->key_column[0]].valid;
	if (build->nkeys > 1)
	{
		table->key_valid = (uint32_t *)(memory + layout->key_valid_at);
		table->keys.valid = table->key_valid;
	}
	for (i = 0; i < build->nkeys; i++)
	{
		const CudaTableColumn *column = &table->column[build->key_column[i]];
		RowfnKeyColumn *key = &table->keys.column[i];

		key->kind = build->key_kind[i];
		key->value = column->value;
		if (key->kind == ROWFN_KEY_WORD)
			key->value = has_words(table, i) ? memory + layout->word_at[i] : NULL;
		key->base = column->base;
		key->start = column->start;
		key->end = column->start != NULL ? column->start + 1 : NULL;
	}
}

/* A text is found by an int32. */
static EngineCode check_bytes(const GpustrTableBuild *build, EngineError *error)
{
	int32_t i;

	for (i = 0; i < build->ncolumns; i++)
		if (build->column[i].is_text == 1 && build->column[i].bytes > INT32_MAX)
			return gpustr_engine_error(error, ENGINE_OUT_OF_MEMORY,
									   "%llu bytes are too many for a text column of a table",
									   (unsigned long long)build->column[i].bytes);
	return ENGINE_OK;
}

/* Have a new table's memory, cleared as far as it must be. */
static EngineCode have_memory(CudaTables *tables, CudaTable *table, const GpustrTableBuild *build,
							  EngineError *error)
{
	TableLayout layout;
	void *memory;
	int32_t i;

	lay_out(&layout, table, build);
	if (kept_alloc(tables->programs, tables->stream, layout.bytes, &memory, error) != ENGINE_OK)
		return error->code;
	table->memory = (char *)memory;
	table->memory_bytes = layout.bytes;
	tables->bytes += layout.bytes;
	point_to(table, &layout, build);
	CUDA_TRY(cudaEventCreateWithFlags(&table->ready, cudaEventDisableTiming));
	CUDA_TRY(cudaMemsetAsync(table->memory, 0, layout.cleared_end, tables->stream));
	CUDA_TRY(cudaMemsetAsync(table->memory + layout.cleared_end, 0xFF,
							 layout.start_end - layout.cleared_end, tables->stream));
	/* what is read with the last bytes of a text column, and does not count */
	for (i = 0; i < build->ncolumns; i++)
		if (build->column[i].is_text == 1)
			CUDA_TRY(cudaMemsetAsync(table->memory + layout.data_at[i] + build->column[i].bytes, 0,
									 TABLE_TAIL_BYTES, tables->stream));
	CUDA_TRY(cudaEventRecord(table->ready, tables->stream));
	return ENGINE_OK;
}

static EngineCode table_new(CudaTables *tables, const GpustrTableBuild *build, CudaTable **made,
							EngineError *error)
{
	CudaTable *table;

	if (check_bytes(build, error) != ENGINE_OK)
		return error->code;
	table = (CudaTable *)calloc(1, sizeof(CudaTable));
	if (table == NULL)
		return gpustr_engine_error(error, ENGINE_OUT_OF_MEMORY, "could not allocate a table");
	table->id = build->table;
	table->nrows = build->nrows;
	table->ncolumns = build->ncolumns;
	table->nkeys = build->nkeys;
	table->hash_bits = build->hash_bits;
	table->load = build->load;
	table->group = JOIN_TABLE_GROUP;
	table->bucket = JOIN_TABLE_BUCKET;
	memcpy(table->key_kind, build->key_kind, sizeof(table->key_kind));
	memcpy(table->key_column, build->key_column, sizeof(table->key_column));
	table->exact = build->nkeys == 1 && build->key_kind[0] == ROWFN_KEY_WORD &&
				   build->hash_bits == ROWFN_HASH_BITS;
	if (have_memory(tables, table, build, error) != ENGINE_OK)
	{
		table_free(tables, table);
		return error->code;
	}
	table->next = tables->first;
	tables->first = table;
	tables->count++;
	*made = table;
	return ENGINE_OK;
}

/* Is all that a build names within the table? */
static EngineCode check_build(const GpustrTableBuild *build, EngineError *error)
{
	bool good = build->first_row >= 0 && build->first_row <= build->nrows;
	int32_t i;

	for (i = 0; i < build->ncolumns; i++)
		good = good && (build->column[i].is_text == 0 ||
						build->column[i].first_byte <= build->column[i].bytes);
	for (i = 0; i < build->nkeys; i++)
		good = good && build->key_column[i] < build->ncolumns &&
			   (build->column[build->key_column[i]].is_text == 1) ==
				   (build->key_kind[i] >= ROWFN_KEY_BYTES);
	if (!good)
		return gpustr_engine_error(error, ENGINE_BAD_INPUT, "rows or keys are not in the table");
	return ENGINE_OK;
}

EngineCode tables_begin(CudaTables *tables, const GpustrTableBuild *build, CudaTable **table,
						EngineError *error)
{
	CudaTable *there = find_any(tables, build->table);

	*table = NULL;
	if (check_build(build, error) != ENGINE_OK)
		return error->code;
	if (there == NULL && build->finish == 1 && build->nrows > 0)
		return gpustr_engine_error(error, ENGINE_NO_TABLE, "no rows of a table of %d have come",
								   build->nrows);
	if (there == NULL)
		return table_new(tables, build, table, error);
	if (there->finishing || !same_build(there, build))
		return gpustr_engine_error(error, ENGINE_BAD_INPUT,
								   "a request to build a table that is made, or another");
	*table = there;
	return ENGINE_OK;
}
