/*-------------------------------------------------------------------------
 *
 * join_emit.c
 *	  The rows that a GpuJoin hands out.
 *
 * Results are pairs, or outer rows without an inner one, in batches.  Most go into a
 * slot as they are.  What is left to be done here:
 *
 *	- a pair that is recheck is judged by the whole filter, of all steps;
 *	- with a filter, an outer row of an outer, semi or anti join has all its pairs, one
 *	  after another, and then a mark: whether one of the pairs has passed decides what
 *	  becomes of the row.  A pair of a semi or anti join is not looked at once that
 *	  is decided, as PostgreSQL would not.  A semi join hands out the pair that has
 *	  passed first: its inner row's columns may be wanted above;
 *	- such a semi join without a filter has pairs like an inner one, but no marks, so the
 *	  number of the outer row tells which are the first;
 *	- a right or full join notes the inner rows that have been met, and in the end hands
 *	  out the others, from the store;
 *	- the plan's qual, for what has been extended by NULLs, too.
 *
 * A text is copied into memory of the column's, which the next row uses again.
 *
 * IDENTIFICATION
 *	  src/exec/join_emit.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "exec/join_emit.h"
#include "exec/join_outer.h"
#include "exec/join_table.h"
#include "plan/join_sides.h"

/* How a value gets into a slot. */
typedef enum ColumnForm
{
	FORM_DATUM,					/* a value, as it is */
	FORM_CHAR,
	FORM_FLOAT4,
	FORM_VARLENA,
	FORM_BYTES,					/* of a fixed length */
	FORM_CSTRING				/* alike, filled up with zeros */
} ColumnForm;

/* A result column, and where it goes. */
typedef struct EmitColumn
{
	ColumnForm	form;
	int16		bytes;			/* of a fixed length */
	int			from;			/* result column */
	int			to;				/* column of the slot, from 0 */
	char	   *made;			/* what the current text is made in ... */
	Size		room;			/* ... of so many bytes */

	/* in the batch whose results are handed out */
	const uint8 *validity;
	const int64 *value;
	const int32 *offsets;
	const char *data;
} EmitColumn;

typedef struct EmitColumns
{
	TupleTableSlot *slot;
	int			n;
	EmitColumn *column;
} EmitColumns;

typedef struct GpustrJoinEmit
{
	EmitColumns scan;			/* into the scan slot */
	EmitColumns plain;			/* into the result slot, if the target list is
								 * nothing but columns */
	bool		is_plain;
	bool		is_quick;		/* and a row that is not recheck is handed out
								 * without a further look */
	bool		has_marks;
	bool		keeps_inner;
	bool		only_first;		/* of the pairs of an outer row */
	JoinType	type;
	ExprState  *filter;			/* of all steps, or NULL */
	MemoryContext context;

	/* the results that are handed out */
	int32		row;			/* the next one */
	int32		nrows;
	const uint32 *recheck;
	const uint32 *inner;		/* NULL: not wanted */
	const int32 *outer;			/* NULL: not wanted */
	bool		more;			/* of this batch are to come */
	int32		outer_row;		/* of which the last pair was; -1: none of
								 * this batch yet */
	bool		passed;			/* a pair of the outer row has */

	/* inner rows of the pass: which have been met */
	uint32	   *met;
	const GpustrChunk *chunk;	/* of which the others are looked for */
	int32		chunk_row;
	int64		inner_row;		/* its number in the pass */
} GpustrJoinEmit;

static ColumnForm
form_of(const GpustrCarrier *carrier)
{
	if (carrier->is_text)
		return carrier->cstring ? FORM_CSTRING : carrier->bytes < 0 ? FORM_VARLENA : FORM_BYTES;
	if (carrier->value == GPUSTR_VALUE_CHAR)
		return FORM_CHAR;
	return carrier->value == GPUSTR_VALUE_FLOAT4 ? FORM_FLOAT4 : FORM_DATUM;
}

/* Result column 'from' goes to column 'to' of the slot. */
static void
add_column(EmitColumns *columns, const GpustrJoinState *state, int from, int to)
{
	EmitColumn *column = &columns->column[columns->n++];
	TupleDesc	desc = state->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor;
	GpustrCarrier carrier = gpustr_carrier(TupleDescAttr(desc,
														 state->results.slot_column[from])->atttypid);

	column->form = form_of(&carrier);
	column->bytes = carrier.bytes;
	column->from = from;
	column->to = to;
	if (column->form == FORM_BYTES || column->form == FORM_CSTRING)
	{
		column->made = palloc0(Max(carrier.bytes, 1));
		column->room = carrier.bytes;
	}
}

/* Is the target list nothing but result columns?  Then map them. */
static bool
map_plain(GpustrJoinState *state, EmitColumns *columns)
{
	List	   *tlist = state->css.ss.ps.plan->targetlist;
	const GpustrJoinResults *results = &state->results;
	ListCell   *lc;

	columns->slot = state->css.ss.ps.ps_ResultTupleSlot;
	columns->column = palloc0((list_length(tlist) + 1) * sizeof(EmitColumn));
	foreach(lc, tlist)
	{
		Var		   *var = (Var *) lfirst_node(TargetEntry, lc)->expr;
		int			from = 0;

		if (!IsA(var, Var) || var->varno != INDEX_VAR)
			return false;
		while (from < results->layout.ncolumns && results->slot_column[from] != var->varattno - 1)
			from++;
		if (from == results->layout.ncolumns)
			return false;
		add_column(columns, state, from, foreach_current_index(lc));
	}
	return true;
}

/* The filters of all steps. */
static List *
all_filters(const GpustrJoinPlan *join)
{
	List	   *filter = NIL;
	int			i;

	for (i = 0; i < join->nsteps; i++)
		filter = list_concat(filter, join->step[i].filter);
	return filter;
}

void
gpustr_emit_init(GpustrJoinState *state)
{
	GpustrJoinEmit *emit = palloc0(sizeof(GpustrJoinEmit));
	PlanState  *ps = &state->css.ss.ps;
	int			n = state->results.layout.ncolumns;
	int			i;

	emit->context = CurrentMemoryContext;
	emit->scan.slot = state->css.ss.ss_ScanTupleSlot;
	emit->scan.column = palloc0((n + 1) * sizeof(EmitColumn));
	for (i = 0; i < n; i++)
		add_column(&emit->scan, state, i, state->results.slot_column[i]);
	emit->is_plain = ps->ps_ProjInfo != NULL && map_plain(state, &emit->plain);
	if (ps->ps_ProjInfo == NULL)
	{
		/* the scan slot is what comes out */
		emit->plain = emit->scan;
		emit->is_plain = true;
	}
	emit->type = gpustr_join_type(state);
	emit->has_marks = gpustr_probe_kind(state->join, state->join->nsteps - 1) == GPUSTR_PROBE_MARK;
	emit->keeps_inner = gpustr_join_keeps_inner(state);
	emit->only_first = state->results.only_first;
	emit->is_quick = emit->is_plain && !emit->has_marks && !emit->keeps_inner &&
		!emit->only_first && ps->qual == NULL;
	emit->filter = ExecInitQual(all_filters(state->join), ps);
	ExecStoreAllNullTuple(emit->scan.slot); /* columns that are no results
											 * stay so */
	state->emit = emit;
}

void
gpustr_emit_begin_pass(GpustrJoinState *state)
{
	GpustrJoinEmit *emit = state->emit;

	emit->row = 0;
	emit->nrows = 0;
	emit->more = false;
	emit->passed = false;
	emit->chunk = NULL;
	emit->inner_row = -1;
	if (emit->keeps_inner)
	{
		GpustrStoreTotals totals;

		gpustr_table_totals(state, 0, &totals);
		emit->met = MemoryContextAllocExtended(state->pass_context,
											   (GPUSTR_BITMAP_WORDS(totals.rows) + 1) * sizeof(uint32),
											   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	}
}

static void
point_columns(EmitColumns *columns, const GpustrBatch *batch)
{
	int			i;

	for (i = 0; i < columns->n; i++)
	{
		EmitColumn *column = &columns->column[i];
		const GpustrColumn *from = &batch->result_column[column->from];

		column->validity = GPUSTR_BODY_PTR(batch, from->validity_off, const uint8);
		column->value = GPUSTR_BODY_PTR(batch, from->data_off, const int64);
		column->offsets = GPUSTR_BODY_PTR(batch, from->offsets_off, const int32);
		column->data = GPUSTR_BODY_PTR(batch, from->data_off, const char);
	}
}

void
gpustr_emit_moved(GpustrJoinState *state, const GpustrBatch *batch)
{
	GpustrJoinEmit *emit = state->emit;

	point_columns(&emit->scan, batch);
	point_columns(&emit->plain, batch);
	emit->recheck = GPUSTR_BODY_PTR(batch, batch->result_recheck_off, const uint32);
	emit->inner = batch->result_inner_off == 0 ? NULL :
		GPUSTR_BODY_PTR(batch, batch->result_inner_off, const uint32);
	emit->outer = batch->result_outer_off == 0 ? NULL :
		GPUSTR_BODY_PTR(batch, batch->result_outer_off, const int32);
}

/* Make room for a longer text. */
static pg_noinline void
grow_text(const GpustrJoinEmit *emit, EmitColumn *column, Size bytes)
{
	if (column->made != NULL)
		pfree(column->made);
	column->made = NULL;
	column->room = 0;
	bytes = Max(bytes, Min(2 * bytes, MaxAllocSize));
	column->made = MemoryContextAlloc(emit->context, bytes);
	column->room = bytes;
}

/* A text of the result row. */
static inline Datum
make_text(const GpustrJoinEmit *emit, EmitColumn *column, int32 row)
{
	const char *data = column->data + column->offsets[row];
	Size		len = column->offsets[row + 1] - column->offsets[row];

	if (column->form == FORM_VARLENA)
	{
		if (unlikely(VARHDRSZ + len > column->room))
			grow_text(emit, column, VARHDRSZ + len);
		SET_VARSIZE(column->made, VARHDRSZ + len);
		memcpy(column->made + VARHDRSZ, data, len);
	}
	else
	{
		len = Min(len, column->room);
		memcpy(column->made, data, len);
		memset(column->made + len, 0, column->room - len);
	}
	return PointerGetDatum(column->made);
}

/* Put a result row into the columns' slot. */
static inline TupleTableSlot *
fill_slot(const GpustrJoinEmit *emit, EmitColumns *columns, int32 row)
{
	TupleTableSlot *slot = columns->slot;
	int			i;

	/* it is stored already, unless somebody has cleared or materialized it */
	if (unlikely(TTS_EMPTY(slot) || TTS_SHOULDFREE(slot)))
	{
		ExecClearTuple(slot);
		ExecStoreVirtualTuple(slot);
	}
	for (i = 0; i < columns->n; i++)
	{
		EmitColumn *column = &columns->column[i];
		Datum	   *to = &slot->tts_values[column->to];

		slot->tts_isnull[column->to] = (column->validity[row / 8] >> row % 8 & 1) == 0;
		if (slot->tts_isnull[column->to])
			continue;
		switch (column->form)
		{
			case FORM_DATUM:
				*to = (Datum) column->value[row];
				break;
			case FORM_CHAR:
				*to = CharGetDatum((char) column->value[row]);
				break;
			case FORM_FLOAT4:
				*to = Float4GetDatum((float4) DatumGetFloat8((Datum) column->value[row]));
				break;
			default:
				*to = make_text(emit, column, row);
				break;
		}
	}
	return slot;
}

/* The scan slot, as it is, if the plan's qual lets it pass, and what comes of it. */
static TupleTableSlot *
project(GpustrJoinState *state)
{
	PlanState  *ps = &state->css.ss.ps;

	ps->ps_ExprContext->ecxt_scantuple = state->css.ss.ss_ScanTupleSlot;
	if (ps->qual != NULL && !ExecQual(ps->qual, ps->ps_ExprContext))
	{
		InstrCountFiltered1(&state->css, 1);
		return NULL;
	}
	return ps->ps_ProjInfo != NULL ? ExecProject(ps->ps_ProjInfo) : state->css.ss.ss_ScanTupleSlot;
}

/* Hand a result row out; NULL if the plan's qual does not let it pass. */
static inline TupleTableSlot *
hand_out(GpustrJoinState *state, int32 row)
{
	GpustrJoinEmit *emit = state->emit;

	if (emit->is_plain && state->css.ss.ps.qual == NULL)
		return fill_slot(emit, &emit->plain, row);
	(void) fill_slot(emit, &emit->scan, row);
	return project(state);
}

/* Does a pair pass the filters? */
static inline bool
pair_passes(GpustrJoinState *state, int32 row)
{
	GpustrJoinEmit *emit = state->emit;
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;

	if ((emit->recheck[row / 32] >> row % 32 & 1) == 0 || emit->filter == NULL)
		return true;
	econtext->ecxt_scantuple = fill_slot(emit, &emit->scan, row);
	if (ExecQual(emit->filter, econtext))
		return true;
	InstrCountFiltered2(&state->css, 1);
	return false;
}

/* A mark: all pairs of an outer row have been seen.  Does the row come out alone? */
static inline bool
mark_comes_out(GpustrJoinEmit *emit)
{
	bool		passed = emit->passed;

	emit->passed = false;
	return emit->type != JOIN_SEMI && !passed;
}

/* A result row that is to be looked at; NULL if nothing comes out. */
static TupleTableSlot *
look_at_row(GpustrJoinState *state, int32 row)
{
	GpustrJoinEmit *emit = state->emit;
	uint32		inner = emit->inner != NULL ? emit->inner[row] : GPUSTR_NO_ROW;
	bool		only_whether = emit->type == JOIN_SEMI || emit->type == JOIN_ANTI;

	ResetExprContext(state->css.ss.ps.ps_ExprContext);
	if (emit->has_marks && inner == GPUSTR_NO_ROW)
		return mark_comes_out(emit) ? hand_out(state, row) : NULL;
	if (emit->has_marks && only_whether && emit->passed)
		return NULL;
	if (emit->only_first)
	{
		if (emit->outer[row] == emit->outer_row)
			return NULL;
		emit->outer_row = emit->outer[row];
	}
	if (!pair_passes(state, row))
		return NULL;
	emit->passed = true;
	if (emit->has_marks && emit->type == JOIN_ANTI)
		return NULL;
	if (emit->keeps_inner && inner != GPUSTR_NO_ROW)
		emit->met[inner / 32] |= UINT32_C(1) << inner % 32;
	return hand_out(state, row);
}

TupleTableSlot *
gpustr_emit_next(GpustrJoinState *state)
{
	GpustrJoinEmit *emit = state->emit;

	for (;;)
	{
		const GpustrBatch *batch;
		const GpustrJoinResult *results;

		while (emit->row < emit->nrows)
		{
			int32		row = emit->row++;
			TupleTableSlot *slot;

			if (emit->is_quick && (emit->recheck[row / 32] >> row % 32 & 1) == 0)
				return fill_slot(emit, &emit->plain, row);
			slot = look_at_row(state, row);
			if (slot != NULL)
				return slot;
			CHECK_FOR_INTERRUPTS();
		}
		batch = gpustr_outer_next(state);
		emit->row = 0;
		emit->nrows = 0;
		if (batch == NULL)
			return NULL;
		gpustr_emit_moved(state, batch);
		results = GPUSTR_BODY_PTR(batch, batch->result_off, const GpustrJoinResult);
		emit->nrows = results->nrows;
		/* is it another batch, whose rows have other numbers? */
		if (!emit->more || (batch->result_pair == 0 && batch->result_skip == 0))
			emit->outer_row = -1;
		emit->more = results->more != 0;
	}
}

/* Put an inner row, of the chunk, into the scan slot; all else is NULL. */
static void
fill_from_chunk(GpustrJoinState *state, int32 row)
{
	const GpustrChunk *chunk = state->emit->chunk;
	const GpustrSide *side = &state->side[1].side;
	TupleTableSlot *slot = state->css.ss.ss_ScanTupleSlot;
	MemoryContext old = MemoryContextSwitchTo(state->css.ss.ps.ps_ExprContext->ecxt_per_tuple_memory);
	int			i;

	ExecStoreAllNullTuple(slot);
	for (i = 0; i < side->ncolumns; i++)
	{
		int			to = side->column[i].slot_column;

		if (to >= 0 && state->join->column[to].is_result)
			slot->tts_values[to] = gpustr_chunk_datum(chunk, side, i, row, &slot->tts_isnull[to]);
	}
	MemoryContextSwitchTo(old);
}

TupleTableSlot *
gpustr_emit_rest(GpustrJoinState *state)
{
	GpustrJoinEmit *emit = state->emit;
	GpustrStore *store = state->side[1].store;
	const GpustrJoinTables *tables = &state->tables;

	if (emit->inner_row < 0)
	{
		gpustr_store_rewind(store, tables->hash_bits, tables->partition[0], tables->npartitions[0]);
		emit->inner_row = 0;
	}
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		if (emit->chunk == NULL || emit->chunk_row == emit->chunk->nrows)
		{
			emit->chunk = gpustr_store_next(store);
			emit->chunk_row = 0;
			if (emit->chunk == NULL)
				return NULL;
		}
		while (emit->chunk_row < emit->chunk->nrows)
		{
			int32		row = emit->chunk_row++;
			int64		inner = emit->inner_row++;
			TupleTableSlot *slot;

			if ((emit->met[inner / 32] >> inner % 32 & 1) != 0)
				continue;
			ResetExprContext(state->css.ss.ps.ps_ExprContext);
			fill_from_chunk(state, row);
			slot = project(state);
			if (slot != NULL)
				return slot;
		}
	}
}
