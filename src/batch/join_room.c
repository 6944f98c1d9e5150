/*-------------------------------------------------------------------------
 *
 * join_room.c
 *	  How much room the results of a join's batch get.
 *
 * See join_room.h.
 *
 * IDENTIFICATION
 *	  src/batch/join_room.c
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "batch/join_room.h"

/* Results of a unit, and bytes of a text: to expect at least. */
#define LEAST_ROWS 4
#define LEAST_BYTES 4

/* A batch has room for as many results, and a text column for a text of this many bytes. */
#define LEAST_ROOM 64
#define LEAST_TEXT_BYTES 8192

/* Room of a batch that had none for one row. */
#define FEW_ROWS 64
#define ENLARGE 4

/*
 * A body of the session's own stays in the processor's cache for a few pieces, and then
 * becomes so many times larger for each, up to the most.
 */
#define SMALL_PIECES 4
#define GROW 4
#define MOST_OWN_BYTES (64 * 1024 * 1024)

/* Expect 'amount' of 'parts', as if the last batch had needed half of that. */
static void
expect(GpustrOutputRoom *room, uint32_t least, uint64_t amount, int32_t parts)
{
	output_room_init(room, least);
	output_room_note(room, amount / 2, parts);
}

/* The most that one of the last batches has needed for each part. */
static uint64_t
needed(const GpustrOutputRoom *room)
{
	uint64_t	need = room->least;
	int			i;

	for (i = 0; i < OUTPUT_ROOM_BATCHES; i++)
		need = room->need[i] > need ? room->need[i] : need;
	return need;
}

void
gpustr_join_room_init(GpustrJoinRoom *room, const GpustrResultLayout *first, int32_t units)
{
	int32_t		i;

	memset(room, 0, sizeof(*room));
	room->kinds = *first;
	expect(&room->rows, LEAST_ROWS, (uint64_t) first->room, units);
	for (i = 0; i < first->ncolumns; i++)
		expect(&room->text[i], LEAST_BYTES, first->text_bytes[i], first->room);
}

void
gpustr_join_room_note(GpustrJoinRoom *room, const GpustrBatch *batch, int32_t units,
					  uint64_t nrows)
{
	const GpustrJoinResult *result = GPUSTR_BODY_PTR(batch, batch->result_off, const GpustrJoinResult);
	int32_t		i;

	output_room_note(&room->rows, nrows, units);
	for (i = 0; i < batch->nresult; i++)
	{
		const GpustrColumn *column = &batch->result_column[i];
		const int32_t *offsets = GPUSTR_BODY_PTR(batch, column->offsets_off, const int32_t);

		if (column->offsets_off == 0)
			continue;
		if (nrows == (uint64_t) result->nrows)
			room->bytes[i] = 0;
		if (result->nrows > 0)
			room->bytes[i] += (uint64_t) offsets[result->nrows];
		if (nrows > 0 && nrows <= INT32_MAX)
			output_room_note(&room->text[i], room->bytes[i], (int32_t) nrows);
	}
}

/* 2^(scale / 2) times n, from 'least', which is scaled down only, to 2^31 - 1. */
static uint32_t
scaled(uint64_t n, int scale, uint32_t least)
{
	if (scale & 1)
		n = n * 181 / 128;		/* the root of 2 */
	if (scale >= 0)
		n <<= scale / 2;
	else
	{
		n >>= (1 - scale) / 2;
		least >>= (1 - scale) / 2;
	}
	n = n > least ? n : least;
	return n < INT32_MAX ? (uint32_t) n : INT32_MAX;
}

/*
 * Twice the rows that were needed.  The bytes of each may be more than they were on
 * average: a quarter more, or twice as many where there is room to spare.
 */
void
gpustr_join_room_layout(const GpustrJoinRoom *room, int32_t units, int scale,
						GpustrResultLayout *layout)
{
	uint64_t	rows = (uint64_t) units * 2 * needed(&room->rows);
	int32_t		i;

	*layout = room->kinds;
	layout->room = (int32_t) scaled(rows, scale, LEAST_ROOM);
	if (layout->room == 0)
		layout->room = 1;
	for (i = 0; i < layout->ncolumns; i++)
	{
		uint64_t	bytes = needed(&room->text[i]);

		bytes = scale > 0 ? 2 * bytes : bytes + (bytes + 3) / 4;
		layout->text_bytes[i] = layout->is_text[i] ? scaled(rows * bytes, scale, LEAST_TEXT_BYTES) : 0;
	}
}

void
gpustr_join_room_fit(const GpustrJoinRoom *room, int32_t units, uint64_t most_bytes,
					 GpustrJoinBytes bytes_of, const void *arg, GpustrResultLayout *layout)
{
	int			scale = GPUSTR_JOIN_ROOM_MOST_SCALE;

	for (;; scale--)
	{
		gpustr_join_room_layout(room, units, scale, layout);
		if (scale == GPUSTR_JOIN_ROOM_LEAST_SCALE || bytes_of(arg, layout) <= most_bytes)
			return;
	}
}

uint64_t
gpustr_join_room_own_bytes(uint64_t bytes, int32_t pieces)
{
	if (pieces < SMALL_PIECES || bytes >= MOST_OWN_BYTES)
		return bytes;
	return bytes < MOST_OWN_BYTES / GROW ? GROW * bytes : MOST_OWN_BYTES;
}

void
gpustr_join_room_of_batch(const GpustrBatch *batch, GpustrResultLayout *layout)
{
	int32_t		i;

	memset(layout, 0, sizeof(*layout));
	layout->room = batch->result_room;
	layout->want_outer = batch->result_outer_off != 0;
	layout->want_inner = batch->result_inner_off != 0;
	layout->ncolumns = batch->nresult;
	for (i = 0; i < batch->nresult; i++)
	{
		layout->is_text[i] = batch->result_column[i].offsets_off != 0;
		layout->text_bytes[i] = layout->is_text[i] ? batch->result_column[i].data_bytes : 0;
	}
}

int
gpustr_join_room_enlarge(GpustrResultLayout *layout, uint64_t other_bytes, uint64_t most_bytes)
{
	GpustrResultLayout larger = *layout;
	uint64_t	least = UINT32_MAX;
	uint64_t	left;
	int32_t		ntexts = 0;
	int			grown = 0;
	int32_t		i;

	larger.room = layout->room < FEW_ROWS ? layout->room : FEW_ROWS;
	for (i = 0; i < layout->ncolumns; i++)
	{
		if (!layout->is_text[i])
			continue;
		larger.text_bytes[i] = 0;
		least = layout->text_bytes[i] < least ? layout->text_bytes[i] : least;
		ntexts++;
	}
	other_bytes += gpustr_layout_result_bytes(&larger) + (uint64_t) ntexts * GPUSTR_BODY_ALIGN;
	if (ntexts == 0 || other_bytes >= most_bytes)
		return 0;

	/*
	 * which of the texts it was is not known, so those that had least get
	 * more
	 */
	left = (most_bytes - other_bytes) / (uint64_t) ntexts;
	least = ENLARGE * (least < LEAST_TEXT_BYTES ? LEAST_TEXT_BYTES : least);
	for (i = 0; i < layout->ncolumns; i++)
	{
		uint64_t	bytes = layout->text_bytes[i] > least ? layout->text_bytes[i] : least;

		if (!layout->is_text[i])
			continue;
		larger.text_bytes[i] = (uint32_t) (bytes < left ? bytes : left);
		grown |= larger.text_bytes[i] > layout->text_bytes[i];
	}
	if (grown)
		*layout = larger;
	return grown;
}
