/*-------------------------------------------------------------------------
 *
 * host_output.c
 *	  The steps of a program, on the CPU, over a chunk of rows: those that make
 *	  an output column.
 *
 * A column grows row by row.  What counts is the total of all values so far,
 * whether there was room for them or not: a value whose end lies past the room
 * is not written, and its row is recheck; so is every value after it.  Offsets
 * stop at the room, so that they ascend and lie within the column.
 *
 * IDENTIFICATION
 *	  src/engine/host_output.c
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "engine/host_steps.h"
#include "rowfn/mask.h"
#include "rowfn/redact.h"
#include "rowfn/search.h"

/* Hits that there is no room for are only counted, so many at a time. */
#define PAST_ROOM_HITS 64

/* The chunk's part of an output column. */
typedef struct HostOutput
{
	unsigned char *validity;
	int32_t    *offsets;
	uint32_t   *recheck;		/* of the batch */
	char	   *data;			/* of the whole column */
	int64_t		room;
	int64_t		total;			/* bytes of all values so far */
	const GpustrTruthWord *where;	/* only where it is true; NULL: all rows */
} HostOutput;

static HostOutput
output_begin(const HostRun *run, const GpustrStep *step)
{
	const GpustrColumn *column = &run->batch->out_column[step->attr];
	HostOutput	out;

	out.validity = GPUSTR_BODY_PTR(run->body, column->validity_off, unsigned char) + run->row / 8;
	out.offsets = GPUSTR_BODY_PTR(run->body, column->offsets_off, int32_t) + run->row;
	out.recheck = GPUSTR_BODY_PTR(run->body, run->batch->recheck_off, uint32_t) + run->row / 32;
	out.data = GPUSTR_BODY_PTR(run->body, column->data_off, char);
	out.room = host_column_room(column);
	out.total = run->out_total[step->attr];
	out.where = step->aux == 1 ? run->boolean[step->in2].word : NULL;
	memset(out.validity, 0, (size_t) (run->nrows + 7) / 8);
	return out;
}

static void
output_recheck(HostOutput *out, int32_t r)
{
	out->recheck[r / 32] |= 1u << (r % 32);
}

/* Write where row r starts; past the last row, where that ends. */
static void
output_offset(HostOutput *out, int32_t r)
{
	out->offsets[r] = (int32_t) (out->total < out->room ? out->total : out->room);
}

/* Start row r.  state: of the step's inputs.  Is there a value to make? */
static int
output_row(HostOutput *out, int32_t r, GpustrTruthWord state)
{
	uint32_t	bit = 1u << (r % 32);

	output_offset(out, r);
	if (out->where != NULL && (out->where[r / 32].lo & ~out->where[r / 32].hi & bit) == 0)
		return 0;
	if (state.lo & bit)
		output_recheck(out, r);
	return (state.hi & bit) == 0;
}

/* Where the value of row r is to be written; NULL: nowhere. */
static char *
output_place(HostOutput *out, int32_t r, int64_t bytes)
{
	int64_t		start = out->total;

	/* more than the room is as good as any: the total cannot overflow */
	out->total += bytes <= out->room ? bytes : out->room + 1;
	if (out->total > out->room)
	{
		output_recheck(out, r);
		return NULL;
	}
	out->validity[r / 8] |= (unsigned char) (1 << (r % 8));
	return out->data + start;
}

static void
output_end(HostRun *run, const GpustrStep *step, HostOutput *out)
{
	output_offset(out, run->nrows);
	run->out_total[step->attr] = out->total;
}

/*
 * A string that is read twice, and must be the same both times.  Bytes in a
 * page may change under us once the requester has given up; what the program
 * holds does not.
 */
static const char *
steady(const HostRun *run, const char *value, int32_t len, char *copy)
{
	if (run->batch->kind != GPUSTR_BATCH_PAGES || len > GPUSTR_PAGE_BYTES)
		return value;
	memcpy(copy, value, (size_t) len);
	return copy;
}

void
gpustr_host_redact(HostRun *run, const GpustrStep *step)
{
	const HostText *name = &run->text[step->in0];
	const HostText *visibility = &run->text[step->in1];
	int32_t		encoding = run->program->encoding;
	HostOutput	out = output_begin(run, step);
	int32_t		r;

	for (r = 0; r < run->nrows; r++)
	{
		char		name_copy[GPUSTR_PAGE_BYTES];
		char		visibility_copy[GPUSTR_PAGE_BYTES];
		int32_t		nlen;
		int32_t		vlen;
		const char *n;
		const char *v;
		char	   *to;

		if (!output_row(&out, r, host_state_of_both(name->state[r / 32], visibility->state[r / 32])))
			continue;
		nlen = name->len[r];
		vlen = visibility->len[r];
		if (host_stops_at(run, (int64_t) nlen + vlen))
			return;
		n = steady(run, name->value[r], nlen, name_copy);
		v = steady(run, visibility->value[r], vlen, visibility_copy);
		to = output_place(&out, r, rowfn_redact_bytes(n, nlen, v, vlen, encoding));
		if (to != NULL)
			rowfn_redact_write(n, nlen, v, vlen, encoding, to);
	}
	output_end(run, step, &out);
}

void
gpustr_host_mask(HostRun *run, const GpustrStep *step)
{
	const HostText *in = &run->text[step->in0];
	const GpustrMask *mask = (const GpustrMask *) GPUSTR_PROGRAM_CONST(run->program, step);
	const char *mask_text = (const char *) (mask + 1);
	HostOutput	out = output_begin(run, step);
	int32_t		r;

	for (r = 0; r < run->nrows; r++)
	{
		char		copy[GPUSTR_PAGE_BYTES];
		int32_t		len;
		RowfnMaskParts parts;
		const char *s;
		char	   *to;

		if (!output_row(&out, r, in->state[r / 32]))
			continue;
		len = in->len[r];
		if (host_stops_at(run, (int64_t) len * (mask->mask_bytes + 1)))
			return;
		s = steady(run, in->value[r], len, copy);
		parts = rowfn_mask_split(s, len, mask->keep_left, mask->keep_right, run->program->encoding);
		to = output_place(&out, r, rowfn_mask_bytes(len, parts, mask->mask_bytes));
		if (to != NULL)
			rowfn_mask_write(s, len, parts, mask_text, mask->mask_bytes, to);
	}
	output_end(run, step, &out);
}

void
gpustr_host_output_text(HostRun *run, const GpustrStep *step)
{
	const HostText *in = &run->text[step->in0];
	HostOutput	out = output_begin(run, step);
	int32_t		r;

	for (r = 0; r < run->nrows; r++)
	{
		char	   *to;

		if (!output_row(&out, r, in->state[r / 32]))
			continue;
		if (host_stops_at(run, in->len[r]))
			return;
		to = output_place(&out, r, in->len[r]);
		if (to != NULL)
			memcpy(to, in->value[r], (size_t) in->len[r]);
	}
	output_end(run, step, &out);
}

/*
 * Search a text.  The first 'room' hits are written to 'to'; returns how many
 * there are in all.
 */
static int64_t
find_all(const char *s, int32_t len, const char *what, int32_t n, int32_t *to, int64_t room)
{
	int32_t		past_room[PAST_ROOM_HITS];
	int64_t		nhits = 0;
	RowfnSearch search;

	rowfn_search_begin(&search, s, len, what, n, 0);
	while (!search.done)
	{
		if (nhits < room)
			nhits += rowfn_search_next(&search, INT64_MAX, to + nhits,
									   room - nhits < INT32_MAX ? (int32_t) (room - nhits) : INT32_MAX);
		else
			nhits += rowfn_search_next(&search, INT64_MAX, past_room, PAST_ROOM_HITS);
	}
	return nhits;
}

/* From bytes to characters. */
static void
count_characters(const char *s, int32_t *hits, int64_t nhits, int32_t encoding)
{
	int32_t		at = 0;
	int32_t		starts = 0;
	int64_t		i;

	for (i = 0; i < nhits; i++)
	{
		starts += rowfn_count_starts(s + at, hits[i] - at, encoding);
		at = hits[i];
		hits[i] = starts;
	}
}

void
gpustr_host_find_all(HostRun *run, const GpustrStep *step)
{
	const HostText *in = &run->text[step->in0];
	const char *what = GPUSTR_PROGRAM_CONST(run->program, step);
	int32_t		n = (int32_t) step->const_bytes;
	HostOutput	out = output_begin(run, step);
	int32_t		r;

	for (r = 0; r < run->nrows; r++)
	{
		const char *s = in->value[r];
		int32_t		len;
		int32_t    *found;
		int64_t		room;
		int64_t		nhits;

		if (!output_row(&out, r, in->state[r / 32]))
			continue;
		len = in->len[r];
		if (host_stops_at(run, len))
			return;
		/* hits go to where the answer will be, if there is room for it */
		room = (out.room - out.total) / (int64_t) sizeof(int32_t);
		found = room > 0 ? (int32_t *) (out.data + out.total) : NULL;
		nhits = find_all(s, len, what, n, room > 0 ? found + 1 : NULL, room - 1);
		if (output_place(&out, r, (int64_t) sizeof(int32_t) * (nhits + 1)) != NULL)
		{
			found[0] = len >= n ? rowfn_count_starts(s, len - n + 1, run->program->encoding) : 0;
			count_characters(s, found + 1, nhits, run->program->encoding);
		}
	}
	output_end(run, step, &out);
}
