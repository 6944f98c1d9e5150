/*-------------------------------------------------------------------------
 *
 * join_finish.cu
 *	  All rows of a join's table are there: its hash table.
 *
 * See join_finish.cuh.
 *
 * IDENTIFICATION
 *	  cuda/join_finish.cu
 *
 *-------------------------------------------------------------------------
 */
#include "join_finish.cuh"

#include <string.h>

#include "hash_build.cuh"
#include "hash_order.cuh"
#include "hash_sort.cuh"

/* Alignment in bytes of what shares an allocation. */
#define FINISH_ALIGN 256

/*
 * A column of int64 as WORDs: the source of a table whose hashes are exact.  The
 * words are never written down.
 */
struct NarrowSource
{
	const int64_t *value;
	const uint32_t *valid; /* NULL: all */

	__device__ __forceinline__ bool get(uint32_t i, uint32_t *hash, uint32_t *row) const
	{
		*row = i;
		*hash = rowfn_hash_word((uint32_t)__ldcs((const long long *)value + i));
		return hash_is_valid(valid, i);
	}
	__device__ __forceinline__ uint32_t row(uint32_t i) const
	{
		return i;
	}
};

/* Bytes of an array, so that the next one is aligned. */
static uint64_t aligned(uint64_t bytes)
{
	return (bytes + FINISH_ALIGN - 1) & ~(uint64_t)(FINISH_ALIGN - 1);
}

static uint64_t bitmap_bytes(const CudaTable *table)
{
	return aligned(((uint64_t)table->nrows + 31) / 32 * sizeof(uint32_t));
}

static unsigned row_blocks(const CudaTable *table)
{
	return (unsigned)(((uint64_t)table->nrows + HASH_BLOCK - 1) / HASH_BLOCK);
}

EngineCode finish_open(TableFinish *finish, EngineError *error)
{
	memset(finish, 0, sizeof(*finish));
	CUDA_TRY(cudaHostAlloc((void **)&finish->known, sizeof(TableCounters), cudaHostAllocPortable));
	return ENGINE_OK;
}

void finish_close(TableFinish *finish)
{
	if (finish->known != NULL)
		CUDA_IGNORE(cudaFreeHost(finish->known));
	finish->known = NULL;
}

EngineCode finish_begin(TableFinish *finish, CudaTable *table, EngineError *error)
{
	if (table->users > 0)
		return gpustr_engine_error(error, ENGINE_BAD_INPUT,
								   "rows of a table that is to be finished are on their way");
	if (table->rows != table->nrows)
		return gpustr_engine_error(error, ENGINE_NO_TABLE, "%lld rows of a table of %d have come",
								   (long long)table->rows, table->nrows);
	finish->table = table;
	finish->phase = FINISH_INSERT;
	finish->started = false;
	finish->ordered = false;
	return ENGINE_OK;
}

static EngineCode take(CudaTables *tables, cudaStream_t stream, FinishMemory *memory,
					   uint64_t bytes, EngineError *error)
{
	EngineCode code = kept_alloc(tables->programs, stream, bytes, &memory->at, error);

	memory->bytes = code == ENGINE_OK ? bytes : 0;
	return code;
}

static void give_back(CudaTables *tables, cudaStream_t stream, FinishMemory *memory)
{
	memory_pool_free(tables->programs->pool, stream, memory->at, memory->bytes);
	memory->at = NULL;
	memory->bytes = 0;
}

/* Have a table's slots, at this load. */
static EngineCode take_slots(CudaTables *tables, CudaTable *table, int32_t load,
							 cudaStream_t stream, EngineError *error)
{
	const uint32_t window = JOIN_TABLE_GROUP * JOIN_TABLE_BUCKET;
	FinishMemory slots;

	table->table.window = window;
	table->table.nwindows = rowfn_table_windows(table->nrows, load, window);
	if (table->table.nwindows == 0)
		return gpustr_engine_error(error, ENGINE_OUT_OF_MEMORY,
								   "%d rows are too many for a table at a load of %d", table->nrows,
								   load);
	if (take(tables, stream, &slots, 8 * hash_slots(table->table), error) != ENGINE_OK)
		return error->code;
	table->table.slots = (uint64_t *)slots.at;
	table->slot_bytes = slots.bytes;
	tables->bytes += slots.bytes;
	return ENGINE_OK;
}

/* The slots of a piece of work that has not started. */
static void drop_slots(CudaTables *tables, CudaTable *table, cudaStream_t stream)
{
	memory_pool_free(tables->programs->pool, stream, table->table.slots, table->slot_bytes);
	tables->bytes -= table->slot_bytes;
	table->table.slots = NULL;
	table->slot_bytes = 0;
}

/* Bytes that are needed after the order of hashes, at most: for runs, and to sort them. */
static uint64_t later_bytes(const CudaTable *table)
{
	return 4 * hash_slots(table->table) + 4 * hash_run_words(table->nrows, table->nrows) +
		   17 * (uint64_t)table->nrows;
}

/* Memory of the first piece: slots, where keys are met, hashes; and for the order if there is enough. */
static EngineCode take_insert(CudaTables *tables, TableFinish *finish, cudaStream_t stream,
							  EngineError *error)
{
	CudaTable *table = finish->table;
	const uint64_t nrows = (uint64_t)table->nrows;
	EngineCode code;
	size_t scratch = 0;
	uint64_t order;

	code = take_slots(tables, table, table->load, stream, error);
	if (code == ENGINE_OUT_OF_MEMORY && table->load < FINISH_DENSE_LOAD)
		code = take_slots(tables, table, FINISH_DENSE_LOAD, stream, error);
	if (code != ENGINE_OK)
		return code;
	code = take(tables, stream, &finish->met, 4 * nrows + FINISH_ALIGN, error);
	if (code == ENGINE_OK && !table->exact)
		code = take(tables, stream, &finish->hash,
					aligned(4 * nrows) + 2 * bitmap_bytes(table) + FINISH_ALIGN, error);
	if (code != ENGINE_OK)
	{
		give_back(tables, stream, &finish->met);
		drop_slots(tables, table, stream);
		return code;
	}
	if (hash_order_bits(table->table) == 0)
		return ENGINE_OK;
	CUDA_TRY(hash_order_scratch((uint32_t)nrows, &scratch));
	order = 2 * aligned(8 * nrows) + scratch;
	if (memory_pool_has_room(tables->programs->pool, order + later_bytes(table)))
	{
		EngineError ignored;

		finish->ordered = take(tables, stream, &finish->order, order, &ignored) == ENGINE_OK;
	}
	return ENGINE_OK;
}

/*
 * Are texts one after the other?  Offsets outside of the column are put in it, so that
 * whatever reads texts before the host knows stays there.
 */
static __global__ void __launch_bounds__(HASH_BLOCK)
	finish_offsets(int32_t *start, int32_t nrows, int32_t bytes, uint32_t *astray)
{
	const int64_t i = (int64_t)blockIdx.x * HASH_BLOCK + threadIdx.x;
	int32_t mine;

	if (i > nrows)
		return;
	mine = start[i];
	if (mine < 0 || mine > bytes)
	{
		start[i] = mine < 0 ? 0 : bytes;
		atomicAdd(astray, 1);
	}
	else if (i < nrows && mine > start[i + 1])
		atomicAdd(astray, 1);
}

/* One thread a word: rows none of whose key columns is NULL. */
static __global__ void __launch_bounds__(HASH_BLOCK)
	finish_key_valid(uint32_t *to, const uint32_t *from, int32_t nwords, bool first)
{
	const int64_t w = (int64_t)blockIdx.x * HASH_BLOCK + threadIdx.x;

	if (w < nwords)
		to[w] = first ? from[w] : to[w] & from[w];
}

/* One thread a row: a column of WORDs. */
static __global__ void __launch_bounds__(HASH_BLOCK)
	finish_words(const int64_t *value, int32_t nrows, uint32_t *word)
{
	const int64_t i = (int64_t)blockIdx.x * HASH_BLOCK + threadIdx.x;

	if (i < nrows)
		word[i] = (uint32_t)value[i];
}

/* One thread a word: how many bits are set. */
static __global__ void __launch_bounds__(HASH_BLOCK)
	finish_count(const uint32_t *bits, int32_t nwords, uint32_t *count)
{
	const int64_t w = (int64_t)blockIdx.x * HASH_BLOCK + threadIdx.x;

	if (w < nwords && bits[w] != 0)
		atomicAdd(count, (uint32_t)__popc(bits[w]));
}

/* The table's keys as they are hashed and compared; a table of at least one row. */
static cudaError_t make_keys(const CudaTable *table, cudaStream_t stream)
{
	const int32_t nwords = (int32_t)GPUSTR_BITMAP_WORDS(table->nrows);
	const unsigned word_blocks = ((unsigned)nwords + HASH_BLOCK - 1) / HASH_BLOCK;
	int32_t i;

	for (i = 0; i < table->ncolumns; i++)
	{
		const CudaTableColumn *column = &table->column[i];

		if (column->value != NULL)
			continue;
		finish_offsets<<<(unsigned)((uint64_t)table->nrows / HASH_BLOCK + 1), HASH_BLOCK, 0,
						 stream>>>(column->start, table->nrows, (int32_t)column->bytes,
								   &table->counters->astray);
		CUDA_PASS(cudaPeekAtLastError());
	}
	for (i = 0; i < table->nkeys; i++)
	{
		const CudaTableColumn *column = &table->column[table->key_column[i]];

		if (table->key_valid != NULL)
		{
			finish_key_valid<<<word_blocks, HASH_BLOCK, 0, stream>>>(table->key_valid,
																	 column->valid, nwords, i == 0);
			CUDA_PASS(cudaPeekAtLastError());
		}
		if (table->key_kind[i] == ROWFN_KEY_WORD && !table->exact)
		{
			finish_words<<<row_blocks(table), HASH_BLOCK, 0, stream>>>(
				column->value, table->nrows, (uint32_t *)table->keys.column[i].value);
			CUDA_PASS(cudaPeekAtLastError());
		}
	}
	return cudaSuccess;
}

/* Put the rows of a source in, in the order of their hashes if there is memory for that. */
template <class Source, class Equal>
static cudaError_t insert(TableFinish *finish, const Source &source, const Equal &equal,
						  cudaStream_t stream)
{
	const CudaTable *table = finish->table;
	const uint32_t n = (uint32_t)table->nrows;
	uint32_t *met = (uint32_t *)finish->met.at;
	HashCounters *counters = &table->counters->hash;

	if (finish->ordered)
	{
		char *at = (char *)finish->order.at;
		const uint64_t bytes = aligned(8 * (uint64_t)n);

		CUDA_PASS(hash_order(source, n, hash_order_bits(table->table), (uint64_t *)at,
							 (uint64_t *)(at + bytes), at + 2 * bytes,
							 finish->order.bytes - 2 * bytes, &finish->items, stream));
		return hash_insert_as<JOIN_TABLE_GROUP, JOIN_TABLE_BUCKET>(table->table, finish->items,
																   equal, n, met, counters, stream);
	}
	return hash_insert_as<JOIN_TABLE_GROUP, JOIN_TABLE_BUCKET>(table->table, source, equal, n, met,
															   counters, stream);
}

/* The first piece of work. */
static cudaError_t start_insert(TableFinish *finish, cudaStream_t stream)
{
	const CudaTable *table = finish->table;
	const uint32_t n = (uint32_t)table->nrows;
	const int32_t nwords = (int32_t)GPUSTR_BITMAP_WORDS(n);
	uint32_t *hash = (uint32_t *)finish->hash.at;
	uint32_t *valid;
	uint32_t *recheck;

	CUDA_PASS(cudaStreamWaitEvent(stream, table->ready, 0));
	CUDA_PASS(hash_begin(table->table, &table->counters->hash, stream));
	if (n == 0)
		return cudaSuccess;
	CUDA_PASS(make_keys(table, stream));
	if (table->exact)
	{
		const CudaTableColumn *column = &table->column[table->key_column[0]];

		return insert(finish, NarrowSource{column->value, column->valid}, ExactEqual(), stream);
	}
	valid = (uint32_t *)((char *)hash + aligned(4 * (uint64_t)n));
	recheck = (uint32_t *)((char *)valid + bitmap_bytes(table));
	CUDA_PASS(hash_keys(table->keys, n, hash, valid, recheck, stream));
	finish_count<<<((unsigned)nwords + HASH_BLOCK - 1) / HASH_BLOCK, HASH_BLOCK, 0, stream>>>(
		recheck, nwords, &table->counters->doubtful);
	CUDA_PASS(cudaPeekAtLastError());
	return insert(finish, HashSource{hash, valid}, KeysEqual{table->keys, table->keys}, stream);
}

/* Memory of the second piece. */
static EngineCode take_runs(CudaTables *tables, TableFinish *finish, cudaStream_t stream,
							EngineError *error)
{
	CudaTable *table = finish->table;
	FinishMemory runs;

	if (take(tables, stream, &runs,
			 4 * hash_run_words((uint64_t)table->nrows, finish->known->hash.repeated),
			 error) != ENGINE_OK)
		return error->code;
	if (take(tables, stream, &finish->count, 4 * hash_slots(table->table), error) != ENGINE_OK)
	{
		give_back(tables, stream, &runs);
		return error->code;
	}
	table->table.runs = (uint32_t *)runs.at;
	table->run_bytes = runs.bytes;
	tables->bytes += runs.bytes;
	return ENGINE_OK;
}

static cudaError_t start_runs(TableFinish *finish, cudaStream_t stream)
{
	const CudaTable *table = finish->table;
	const uint32_t n = (uint32_t)table->nrows;
	uint32_t *met = (uint32_t *)finish->met.at;
	uint32_t *count = (uint32_t *)finish->count.at;
	HashCounters *counters = &table->counters->hash;

	/* only the numbers of rows are asked of the source now */
	if (finish->ordered)
		CUDA_PASS(hash_make_runs(table->table, finish->items, n, met, count, counters, stream));
	else
		CUDA_PASS(
			hash_make_runs(table->table, HashSource{NULL, NULL}, n, met, count, counters, stream));
	return hash_sort_runs(table->table, (HashLongRun *)met, counters, stream);
}

/* Where parts of the third piece's memory are, and its size. */
static cudaError_t sort_layout(const HashCounters &known, uint64_t *b_at, uint64_t *row_at_at,
							   uint64_t *scratch_at, uint64_t *bytes)
{
	size_t scratch;

	CUDA_PASS(hash_sort_scratch(known.long_words, &scratch));
	*b_at = aligned(8 * (uint64_t)known.long_words);
	*row_at_at = 2 * *b_at;
	*scratch_at = *row_at_at + aligned(4 * (uint64_t)known.long_words);
	*bytes = *scratch_at + scratch;
	return cudaSuccess;
}

static EngineCode take_sort(CudaTables *tables, TableFinish *finish, cudaStream_t stream,
							EngineError *error)
{
	uint64_t at[3];
	uint64_t bytes;

	CUDA_TRY(sort_layout(finish->known->hash, &at[0], &at[1], &at[2], &bytes));
	return take(tables, stream, &finish->sort, bytes, error);
}

static cudaError_t start_sort(TableFinish *finish, cudaStream_t stream)
{
	const CudaTable *table = finish->table;
	const HashCounters known = finish->known->hash;
	char *memory = (char *)finish->sort.at;
	uint64_t b_at;
	uint64_t row_at_at;
	uint64_t scratch_at;
	uint64_t bytes;

	CUDA_PASS(sort_layout(known, &b_at, &row_at_at, &scratch_at, &bytes));
	return hash_sort_long(table->table, (uint32_t)table->nrows, known,
						  (const HashLongRun *)finish->met.at, (uint32_t *)(memory + row_at_at),
						  (uint64_t *)memory, (uint64_t *)(memory + b_at), memory + scratch_at,
						  finish->sort.bytes - scratch_at, stream);
}

EngineCode finish_start(CudaTables *tables, TableFinish *finish, cudaStream_t stream,
						EngineError *error)
{
	EngineCode code;

	if (finish->phase == FINISH_INSERT)
		code = take_insert(tables, finish, stream, error);
	else if (finish->phase == FINISH_RUNS)
		code = take_runs(tables, finish, stream, error);
	else
		code = take_sort(tables, finish, stream, error);
	if (code != ENGINE_OK)
		return code;
	finish->table->finishing = true;
	finish->started = true;
	if (finish->phase == FINISH_INSERT)
		CUDA_TRY(start_insert(finish, stream));
	else if (finish->phase == FINISH_RUNS)
		CUDA_TRY(start_runs(finish, stream));
	else
		CUDA_TRY(start_sort(finish, stream));
	CUDA_TRY(cudaMemcpyAsync(finish->known, finish->table->counters, sizeof(TableCounters),
							 cudaMemcpyDeviceToHost, stream));
	return ENGINE_OK;
}

/* What the first piece of work has found out. */
static EngineCode check_insert(const TableFinish *finish, EngineError *error)
{
	const TableCounters *known = finish->known;

	if (known->astray > 0 || known->doubtful > 0)
		return gpustr_engine_error(error, ENGINE_BAD_INPUT,
								   "%u texts of a table are out of place, %u keys in doubt",
								   known->astray, known->doubtful);

	/* there are as many slots as rows, at least */
	if (known->hash.left_out > 0)
		return gpustr_engine_error(error, ENGINE_OUT_OF_MEMORY, "%u rows have no place in a table",
								   known->hash.left_out);
	return ENGINE_OK;
}

/* All is there. */
static void table_finished(TableFinish *finish)
{
	CudaTable *table = finish->table;
	bool nulls = false;
	int32_t i;

	for (i = 0; i < table->nkeys; i++)
		nulls = nulls || finish->known->nulls[table->key_column[i]] > 0;
	if (!nulls)
		table->keys.valid = NULL;
	for (i = 0; i < table->ncolumns; i++)
		if (finish->known->nulls[i] == 0)
			table->column[i].valid = NULL;
	table->finished = true;
}

EngineCode finish_step(CudaTables *tables, TableFinish *finish, cudaStream_t stream,
					   EngineError *error)
{
	const HashCounters *known = &finish->known->hash;

	finish->started = false;
	if (finish->phase == FINISH_INSERT)
	{
		if (check_insert(finish, error) != ENGINE_OK)
			return error->code;
		give_back(tables, stream, &finish->hash);
		finish->phase = known->repeated > 0 ? FINISH_RUNS : FINISH_DONE;
	}
	else if (finish->phase == FINISH_RUNS)
	{
		give_back(tables, stream, &finish->order);
		give_back(tables, stream, &finish->count);
		finish->phase = known->long_runs > 0 ? FINISH_SORT : FINISH_DONE;
	}
	else
		finish->phase = FINISH_DONE;
	if (finish->phase == FINISH_DONE)
		table_finished(finish);
	return ENGINE_OK;
}

void finish_describe(const TableFinish *finish, GpustrTableResult *result)
{
	const HashCounters *known = &finish->known->hash;
	const RowfnTable *table = &finish->table->table;

	result->slots = hash_slots(*table);
	result->keyed = known->distinct + known->repeated;
	result->distinct = known->distinct;
	result->window = table->window;
	result->unused = 0;
}

void finish_end(CudaTables *tables, TableFinish *finish, cudaStream_t stream)
{
	give_back(tables, stream, &finish->hash);
	give_back(tables, stream, &finish->met);
	give_back(tables, stream, &finish->order);
	give_back(tables, stream, &finish->count);
	give_back(tables, stream, &finish->sort);
	finish->table = NULL;
	finish->started = false;
}
