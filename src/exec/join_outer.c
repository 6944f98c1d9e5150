/*-------------------------------------------------------------------------
 *
 * join_outer.c
 *	  The outer side of a GpuJoin: where its rows come from.
 *
 *		a store		in passes: the outer plan has been run into it
 *		a plan		rows are gathered as they come, few at first, so that LIMIT 1
 *					does not wait for many
 *		fused		the pages of a table that a GpuScan would scan: join_pages.c.
 *					Rows that only PostgreSQL can judge are gathered, too
 *
 * IDENTIFICATION
 *	  src/exec/join_outer.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "exec/join_build.h"
#include "exec/join_outer.h"
#include "exec/join_outer_private.h"
#include "guc.h"

/* Rows that are gathered at first, and each time so many times more, up to the most. */
#define FIRST_ROWS 256
#define MORE_ROWS 4
#define MOST_ROWS (1024 * 1024)

/* Bytes that are gathered at most: not more than a body holds beside the results. */
#define MOST_BYTES ((Size) 8 * 1024 * 1024)

/* Gather rows of the outer plan. */
static const GpustrChunk *
gather_rows(GpustrJoinState *state)
{
	GpustrJoinOuter *outer = state->outer;
	GpustrJoinSide *side = &state->side[0];

	gpustr_chunk_reset(&outer->rows);
	while (!outer->plan_done && outer->rows.chunk.nrows < outer->next_rows)
	{
		if (!outer->row_waits)
		{
			TupleTableSlot *slot;

			CHECK_FOR_INTERRUPTS();
			slot = ExecProcNode(side->plan);
			if (TupIsNull(slot))
			{
				outer->plan_done = true;
				break;
			}
			gpustr_feed_row(&side->feed, slot);
		}
		outer->row_waits = !gpustr_chunk_put(&outer->rows, &side->side, side->feed.value,
											 side->feed.isnull);
		if (outer->row_waits)
			break;
	}
	outer->next_rows = Min(outer->next_rows * MORE_ROWS, MOST_ROWS);
	if (outer->rows.chunk.nrows == 0)
		return NULL;
	gpustr_chunk_close(&outer->rows);
	return &outer->rows.chunk;
}

/* Rows of the store. */
static const GpustrChunk *
stored_rows(GpustrJoinState *state)
{
	const GpustrChunk *chunk = NULL;

	if (!state->outer->plan_done)
		chunk = gpustr_store_next(state->side[0].store);
	if (chunk == NULL)
		state->outer->plan_done = true;
	return chunk;
}

/* GpustrNextChunk. */
static const GpustrChunk *
next_chunk(GpustrJoinState *state)
{
	if (state->outer->scan != NULL)
		return gpustr_pages_rechecked(state);
	if (state->side[0].store != NULL)
		return stored_rows(state);
	return gather_rows(state);
}

static void
create_outer(GpustrJoinState *state)
{
	MemoryContext old = MemoryContextSwitchTo(state->context);
	GpustrJoinOuter *outer = palloc0(sizeof(GpustrJoinOuter));

	gpustr_chunk_begin(&outer->rows, &state->side[0].side,
					   Min(MOST_BYTES, (Size) gpustr_batch_bytes / 2), state->context);
	outer->columns = gpustr_columns_create(state, next_chunk);
	state->outer = outer;
	MemoryContextSwitchTo(old);
}

void
gpustr_outer_begin(GpustrJoinState *state)
{
	CustomScan *plan = (CustomScan *) state->css.ss.ps.plan;
	MemoryContext old;
	GpustrProgram *program;

	if (state->outer == NULL)
		create_outer(state);
	MemoryContextReset(state->pass_context);
	old = MemoryContextSwitchTo(state->pass_context);
	program = gpustr_join_column_program(plan, state->join, &state->tables);
	MemoryContextSwitchTo(old);
	gpustr_columns_begin(state->outer->columns, program);

	state->outer->plan_done = false;
	state->outer->row_waits = false;
	state->outer->next_rows = FIRST_ROWS;
	if (gpustr_join_has_passes(state))
	{
		const GpustrJoinTables *tables = &state->tables;

		if (state->join->fused)
			gpustr_pages_give_back(state);
		gpustr_join_fill_outer(state);
		gpustr_store_rewind(state->side[0].store, tables->hash_bits, tables->partition[0],
							tables->npartitions[0]);
	}
	else if (state->join->fused && ((GpustrScanState *) state->side[0].plan)->scan == NULL)
		gpustr_pages_begin(state);	/* it has not been executed before a
									 * rescan */
}

const GpustrBatch *
gpustr_outer_next(GpustrJoinState *state)
{
	if (state->outer->scan != NULL)
		return gpustr_pages_next(state);
	return gpustr_columns_next(state->outer->columns);
}

const GpustrBatch *
gpustr_outer_settle(GpustrJoinState *state)
{
	const GpustrBatch *batch = gpustr_columns_settle(state->outer->columns);

	if (state->outer->scan == NULL)
		return batch;
	return gpustr_pages_settle(state, batch);
}

void
gpustr_outer_reset(GpustrJoinState *state)
{
	if (state->outer == NULL)
		return;
	gpustr_columns_reset(state->outer->columns);
	gpustr_pages_reset(state);
}

void
gpustr_outer_surrender(GpustrJoinState *state)
{
	gpustr_columns_reset(state->outer->columns);
	if (state->outer->scan != NULL)
		(void) gpustr_page_scan_surrender(state->outer->scan);
}

void
gpustr_outer_end(GpustrJoinState *state)
{
	if (state->outer == NULL)
		return;
	gpustr_columns_reset(state->outer->columns);
	gpustr_pages_end(state);
	state->outer = NULL;
}
