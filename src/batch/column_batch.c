/*-------------------------------------------------------------------------
 *
 * column_batch.c
 *	  Batches of columns for a join, out of rows kept in chunks.
 *
 * Values and bytes are copied as they are; offsets start from 0 in each batch, and
 * bitmaps are shifted to start with the batch's first row.
 *
 * IDENTIFICATION
 *	  src/batch/column_batch.c
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "batch/column_batch.h"
#include "rowfn/hash_table.h"

/* What rows [from, to) of each column take. */
static void
chunk_inputs(const GpustrChunk *chunk, int32_t from, int32_t to, GpustrInputLayout *input)
{
	int			i;

	for (i = 0; i < chunk->ncolumns; i++)
	{
		const GpustrChunkColumn *column = &chunk->column[i];

		input[i].is_text = column->is_text;
		input[i].bytes = column->is_text ?
			(uint64_t) column->offsets[to] - (uint64_t) column->offsets[from] : 0;
	}
}

uint64_t
gpustr_column_batch_bytes(uint32_t program_bytes, const GpustrChunk *chunk, int32_t from,
						  int32_t to, const GpustrResultLayout *result)
{
	GpustrInputLayout input[GPUSTR_MAX_TABLE_COLUMNS];

	chunk_inputs(chunk, from, to, input);
	return gpustr_layout_join_columns_bytes(program_bytes, to - from, chunk->ncolumns, input,
											result);
}

int32_t
gpustr_column_batch_rows(uint32_t body_bytes, uint32_t program_bytes, const GpustrChunk *chunk,
						 int32_t from, int32_t to, const GpustrResultLayout *result)
{
	int32_t		low = 0;
	int32_t		high = to - from;

	while (low < high)
	{
		int32_t		mid = low + (high - low + 1) / 2;

		if (gpustr_column_batch_bytes(program_bytes, chunk, from, from + mid, result) <= body_bytes)
			low = mid;
		else
			high = mid - 1;
	}
	return low;
}

/* Copy bits [from, from + n) to the start of a bitmap; what is left of a byte is 0. */
static void
copy_bits(uint8_t *to, const uint8_t *bits, int32_t from, int32_t n)
{
	const uint8_t *in = bits + from / 8;
	int			shift = from % 8;
	int32_t		bytes = (n + 7) / 8;
	int32_t		last = (shift + n + 7) / 8 - 1; /* byte of the last bit */
	int32_t		i;

	if (n == 0)
		return;
	if (shift == 0)
		memcpy(to, in, (size_t) bytes);
	else
	{
		for (i = 0; i < bytes; i++)
			to[i] = (uint8_t) (in[i] >> shift | (i < last ? in[i + 1] << (8 - shift) : 0));
	}
	if (n % 8 != 0)
		to[bytes - 1] &= (uint8_t) ((1 << n % 8) - 1);
}

/* Copy the texts of rows [from, from + n), their offsets less that of the first. */
static void
copy_texts(void *body, const GpustrColumn *to, const GpustrChunkColumn *column, int32_t from,
		   int32_t n)
{
	int32_t    *offsets = GPUSTR_BODY_PTR(body, to->offsets_off, int32_t);
	const int32_t *in = column->offsets + from;
	int32_t		base = in[0];
	int32_t		i;

	for (i = 0; i <= n; i++)
		offsets[i] = in[i] - base;
	if (offsets[n] > 0)
		memcpy(GPUSTR_BODY_PTR(body, to->data_off, char), column->data + base, (size_t) offsets[n]);
}

GpustrBatch *
gpustr_column_batch_fill(void *body, uint32_t body_bytes, const GpustrProgram *program,
						 const GpustrChunk *chunk, int32_t from, int32_t to,
						 const GpustrResultLayout *result)
{
	GpustrInputLayout input[GPUSTR_MAX_TABLE_COLUMNS];
	GpustrBatch *batch;
	int32_t		n = to - from;
	int			i;

	chunk_inputs(chunk, from, to, input);
	batch = gpustr_layout_join_columns(body, body_bytes, program, n, chunk->ncolumns, input,
									   result);
	for (i = 0; i < chunk->ncolumns; i++)
	{
		const GpustrChunkColumn *column = &chunk->column[i];
		const GpustrColumn *place = &batch->column[i];

		copy_bits(GPUSTR_BODY_PTR(body, place->validity_off, uint8_t), column->validity, from, n);
		if (column->is_text)
			copy_texts(body, place, column, from, n);
		else if (n > 0)
			memcpy(GPUSTR_BODY_PTR(body, place->data_off, char), column->value + from,
				   8 * (size_t) n);
	}
	return batch;
}

bool
gpustr_column_batch_table(const void *body, uint32_t body_bytes, const GpustrTableBuild *build,
						  GpustrTableResult *result)
{
	uint32_t	off = ((const GpustrBatch *) body)->table_off;

	if (off == 0 || off % GPUSTR_BODY_ALIGN != 0 || body_bytes < sizeof(GpustrTableResult) ||
		off > body_bytes - sizeof(GpustrTableResult))
		return false;
	*result = *GPUSTR_BODY_PTR(body, off, const GpustrTableResult);
	return result->keyed <= (uint32_t) build->nrows && result->distinct <= result->keyed &&
		(result->distinct == 0) == (result->keyed == 0) &&
		result->slots >= result->distinct && result->slots <= ROWFN_TABLE_MAX_SLOTS &&
		result->window > 0 && result->slots >= result->window &&
		result->slots % result->window == 0;
}
