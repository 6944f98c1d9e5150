/*-------------------------------------------------------------------------
 *
 * host_build.c
 *	  The step of a program, on the CPU, over a chunk of rows, that puts them
 *	  into a table of a join: BUILD.
 *
 * A register that is recheck, or more bytes of texts than the table has room
 * for, break the contract: run->error says so.
 *
 * IDENTIFICATION
 *	  src/engine/host_build.c
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "engine/host_steps.h"
#include "engine/host_table.h"

/* Put the states of n rows into a column, from 'row' on. */
static void
build_valid(HostTableColumn *column, int64_t row, const GpustrTruthWord *state, int32_t n)
{
	int32_t		r;

	for (r = 0; r < n; r++, row++)
	{
		uint32_t	bit = UINT32_C(1) << (row % 32);

		if ((state[r / 32].hi >> (r % 32) & 1) != 0)
			column->valid[row / 32] &= ~bit;
		else
			column->valid[row / 32] |= bit;
	}
}

/* Is no row of the chunk recheck? */
static int
build_state_ok(const HostRun *run, const GpustrTruthWord *state)
{
	int32_t		w;

	for (w = 0; w < host_chunk_words(run); w++)
		if ((state[w].lo & state[w].hi & host_chunk_mask(run, w)) != 0)
			return 0;
	return 1;
}

/* Texts, behind those that the chunks before have put in. */
static void
build_texts(HostRun *run, HostTableColumn *column, const GpustrTableColumn *from, int64_t row,
			int64_t *built)
{
	const HostText *in = &run->text[from->reg];
	uint64_t	at = from->first_byte + (uint64_t) *built;
	int32_t		r;

	for (r = 0; r < run->nrows; r++, row++)
	{
		uint64_t	len = (in->state[r / 32].hi >> (r % 32) & 1) != 0 ? 0 : (uint64_t) in->len[r];

		if (host_stops_at(run, (int64_t) len))
			return;
		if (len > from->bytes - at)
		{
			(void) gpustr_engine_error(run->error, ENGINE_BAD_INPUT,
									   "a column of a table has more than %llu bytes",
									   (unsigned long long) from->bytes);
			return;
		}
		if (len > 0)
			memcpy(column->data + at, in->value[r], (size_t) len);
		if (column->wide != NULL)
		{
			column->wide[row] = at;
			column->end[row] = (int32_t) len;
		}
		else
		{
			column->start[row] = (int32_t) at;
			column->end[row] = (int32_t) (at + len);
		}
		at += len;
	}
	*built = (int64_t) (at - from->first_byte);
}

static void
build_values(const HostRun *run, HostTableColumn *column, const HostValue *in, int64_t row)
{
	int32_t		r;

	memcpy(column->value + row, in->value, sizeof(int64_t) * (size_t) run->nrows);
	if (column->word != NULL)
		for (r = 0; r < run->nrows; r++)
			column->word[row + r] = (uint32_t) in->value[r];
}

void
gpustr_host_build(HostRun *run, const GpustrStep *step)
{
	const GpustrTableBuild *build = (const GpustrTableBuild *) GPUSTR_PROGRAM_CONST(run->program, step);
	int64_t		row = (int64_t) build->first_row + run->row;
	int32_t		i;

	for (i = 0; i < build->ncolumns; i++)
	{
		const GpustrTableColumn *from = &build->column[i];
		const GpustrTruthWord *state = from->is_text ? run->text[from->reg].state : run->value[from->reg].state;
		HostTableColumn *column = &run->table->column[i];

		if (!build_state_ok(run, state))
		{
			(void) gpustr_engine_error(run->error, ENGINE_BAD_INPUT, "column %d of a table is recheck", i);
			return;
		}
		build_valid(column, row, state, run->nrows);
		if (from->is_text)
			build_texts(run, column, from, row, &run->built_bytes[i]);
		else
			build_values(run, column, &run->value[from->reg], row);
		if (run->stopped || run->error->code != ENGINE_OK)
			return;
	}
}
