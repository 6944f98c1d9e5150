/*-------------------------------------------------------------------------
 *
 * check_join.c
 *	  Is a body well-formed?  What batch_check.c has to look at for joins.
 *
 * A program is an ordinary one, or one with a BUILD step, or one with PROBE
 * steps and a RESULT.  What a table really has is known to the engine alone: it
 * compares a PROBE, and the columns that are asked for, with it.
 *
 * Compiled into both engines.
 *
 * IDENTIFICATION
 *	  src/engine/check_join.c
 *
 *-------------------------------------------------------------------------
 */
#include <stddef.h>

#include "engine/check_body.h"
#include "engine/check_constants.h"
#include "rowfn/hash_key.h"
#include "rowfn/hash_table.h"

#if GPUSTR_MAX_KEYS != ROWFN_MAX_KEYS
#error "GPUSTR_MAX_KEYS is not ROWFN_MAX_KEYS"
#endif

/* Is a register of texts or values, made in this space? */
static int
key_ok(int kind, uint16_t reg, const CheckMade *made)
{
	return gpustr_check_register(kind >= ROWFN_KEY_BYTES ? TEXT_REG : VALUE_REG, reg, made);
}

static int
probe_ok(const GpustrProgram *program, const GpustrStep *step, const CheckMade *made)
{
	const GpustrProbe *probe = (const GpustrProbe *) GPUSTR_PROGRAM_CONST(program, step);
	int32_t		i;

	if (!program_range_ok(program, step->const_off, step->const_bytes) ||
		step->const_bytes != sizeof(GpustrProbe) || made->space >= GPUSTR_MAX_PROBES)
		return 0;
	if (probe->table == 0 || probe->kind < GPUSTR_PROBE_INNER || probe->kind > GPUSTR_PROBE_LAST ||
		probe->nkeys < 1 || probe->nkeys > GPUSTR_MAX_KEYS ||
		probe->hash_bits < 0 || probe->hash_bits > ROWFN_HASH_BITS ||
		probe->npartitions < 1 || probe->partition < 0 || probe->partition >= probe->npartitions)
		return 0;
	for (i = 0; i < probe->nkeys; i++)
		if (probe->key_kind[i] > ROWFN_KEY_NUMERIC || !key_ok(probe->key_kind[i], probe->key_reg[i], made))
			return 0;
	return 1;
}

/* Is column i of a table in order? */
static int
table_column_ok(const GpustrTableBuild *build, int32_t i, const CheckMade *made)
{
	const GpustrTableColumn *column = &build->column[i];

	if (column->is_text > 1 || column->first_byte > column->bytes || column->bytes > INT64_MAX ||
		(!column->is_text && column->bytes != 0))
		return 0;
	return build->finish ||
		gpustr_check_register(column->is_text ? TEXT_REG : VALUE_REG, column->reg, made);
}

static int
build_ok(const GpustrBatch *batch, const GpustrProgram *program, const GpustrStep *step,
		 const CheckMade *made)
{
	const GpustrTableBuild *build = (const GpustrTableBuild *) GPUSTR_PROGRAM_CONST(program, step);
	int32_t		i;

	if (!program_range_ok(program, step->const_off, step->const_bytes) ||
		step->const_bytes < offsetof(GpustrTableBuild, column))
		return 0;
	if (build->table == 0 || build->nrows < 0 || build->nrows > ROWFN_TABLE_MAX_ROWS ||
		build->first_row < 0 || build->first_row > build->nrows ||
		batch->nrows > build->nrows - build->first_row ||
		build->ncolumns < 1 || build->ncolumns > GPUSTR_MAX_TABLE_COLUMNS ||
		build->nkeys < 1 || build->nkeys > GPUSTR_MAX_KEYS ||
		build->hash_bits < 0 || build->hash_bits > ROWFN_HASH_BITS ||
		build->load < 1 || build->load > 100 || (build->finish != 0 && build->finish != 1) ||
		step->const_bytes != offsetof(GpustrTableBuild, column) +
		(size_t) build->ncolumns * sizeof(GpustrTableColumn))
		return 0;
	if (build->finish &&
		(batch->nrows != 0 || program->ntext != 0 || program->nvalue != 0 || program->nbool != 0))
		return 0;
	for (i = 0; i < build->ncolumns; i++)
		if (!table_column_ok(build, i, made))
			return 0;
	for (i = 0; i < build->nkeys; i++)
		if (build->key_kind[i] > ROWFN_KEY_NUMERIC || build->key_column[i] >= build->ncolumns ||
			build->column[build->key_column[i]].is_text != (build->key_kind[i] >= ROWFN_KEY_BYTES))
			return 0;
	return 1;
}

/* Is the step's result column of this kind, and not made yet?  It is now. */
static int
result_column_ok(const GpustrBatch *batch, const GpustrStep *step, CheckMade *made)
{
	return made->nresult == 1 && step->attr >= 0 && step->attr < batch->nresult &&
		(batch->result_column[step->attr].offsets_off != 0) == (step->op == GPUSTR_OP_RESULT_TEXT) &&
		!made->result_column[step->attr]++;
}

/* Is input column attr one of texts, or of values? */
static int
column_ok(const GpustrBatch *batch, const GpustrStep *step)
{
	return batch->kind == GPUSTR_BATCH_COLUMNS && step->attr >= 0 && step->attr < batch->ncolumns &&
		step->attr < GPUSTR_MAX_COLUMNS &&
		(batch->column[step->attr].offsets_off != 0) == (step->op == GPUSTR_OP_COLUMN);
}

/* Has the space before this one made register in0? */
static int
gathered_ok(const GpustrStep *step, const CheckMade *made)
{
	if (made->space == 0)
		return 0;
	if (step->op == GPUSTR_OP_GATHER_TEXT)
		return step->in0 < GPUSTR_MAX_TEXT_REGS && made->text[step->in0] == made->space;
	return step->in0 < GPUSTR_MAX_VALUE_REGS && made->value[step->in0] == made->space;
}

int
gpustr_check_join_step(const GpustrBatch *batch, const GpustrProgram *program, const GpustrStep *step,
					   CheckMade *made)
{
	if (made->nresult > 0)
		return (step->op == GPUSTR_OP_RESULT_TEXT || step->op == GPUSTR_OP_RESULT_VALUE) &&
			result_column_ok(batch, step, made);
	switch (step->op)
	{
		case GPUSTR_OP_DECODE_TEXT:
		case GPUSTR_OP_DECODE_BYTES:
		case GPUSTR_OP_DECODE_VALUE:
		case GPUSTR_OP_DECODE_NULL:
			return made->space == 0;
		case GPUSTR_OP_COLUMN:
		case GPUSTR_OP_COLUMN_VALUE:
			return made->space == 0 && column_ok(batch, step);
		case GPUSTR_OP_BUILD:
			return made->nbuild++ == 0 && made->space == 0 && build_ok(batch, program, step, made);
		case GPUSTR_OP_PROBE:
			if (!probe_ok(program, step, made))
				return 0;
			made->space++;
			return 1;
		case GPUSTR_OP_GATHER_TEXT:
		case GPUSTR_OP_GATHER_VALUE:
			return gathered_ok(step, made);
		case GPUSTR_OP_INNER_TEXT:
		case GPUSTR_OP_INNER_VALUE:
			return made->space > 0 && step->attr >= 0 && step->attr < GPUSTR_MAX_TABLE_COLUMNS;
		case GPUSTR_OP_RESULT:
			made->nresult++;
			return made->space > 0 && step->aux <= 1;
		case GPUSTR_OP_RESULT_TEXT:
		case GPUSTR_OP_RESULT_VALUE:
			return 0;			/* before RESULT */
		default:
			return 1;
	}
}

/* Is the batch one for a program with RESULT? */
static EngineCode
check_result_batch(const GpustrBatch *batch, const CheckMade *made, EngineError *error)
{
	int32_t		i;

	if (made->nbuild > 0 || batch->table_off != 0 || batch->selected_off != 0 || batch->nout != 0 ||
		batch->recheck_off == 0)
		return gpustr_engine_error(error, ENGINE_BAD_INPUT, "a join with other results, or no bitmap");
	if (batch->result_off == 0 || batch->result_room < 1 || batch->result_recheck_off == 0)
		return gpustr_engine_error(error, ENGINE_BAD_INPUT, "no room for the results of a join");
	for (i = 0; i < batch->nresult; i++)
		if (!made->result_column[i])
			return gpustr_engine_error(error, ENGINE_BAD_INPUT, "no step makes result column %d", i);
	return ENGINE_OK;
}

EngineCode
gpustr_check_join_program(const GpustrBatch *batch, const CheckMade *made, EngineError *error)
{
	if (made->nresult > 0)
		return check_result_batch(batch, made, error);
	if (made->space > 0)
		return gpustr_engine_error(error, ENGINE_BAD_INPUT, "PROBE without RESULT");
	if (batch->result_off != 0 || batch->nresult != 0)
		return gpustr_engine_error(error, ENGINE_BAD_INPUT, "results of a join, which is none");
	if (made->nbuild > 0 && (made->nselect > 0 || batch->nout != 0))
		return gpustr_engine_error(error, ENGINE_BAD_INPUT, "BUILD with other results");
	if ((made->nbuild > 0) != (batch->table_off != 0))
		return gpustr_engine_error(error, ENGINE_BAD_INPUT, "room for what is said of a table, and no BUILD, or none");
	return ENGINE_OK;
}

EngineCode
gpustr_check_join_results(CheckState *check)
{
	const GpustrBatch *batch = check->batch;
	uint64_t	room = (uint64_t) (uint32_t) batch->result_room;
	uint64_t	limit = batch->body_bytes;
	int32_t		i;

	if (batch->table_off != 0 &&
		gpustr_check_region(check, "table", batch->table_off, sizeof(GpustrTableResult), limit) != ENGINE_OK)
		return ENGINE_BAD_INPUT;
	if (batch->result_off == 0)
		return ENGINE_OK;
	if (gpustr_check_region(check, "result", batch->result_off, sizeof(GpustrJoinResult), limit) != ENGINE_OK ||
		gpustr_check_region(check, "result recheck", batch->result_recheck_off, (room + 31) / 32 * 4,
							limit) != ENGINE_OK)
		return ENGINE_BAD_INPUT;
	if (batch->result_outer_off != 0 &&
		gpustr_check_region(check, "result outer", batch->result_outer_off, 4 * room, limit) != ENGINE_OK)
		return ENGINE_BAD_INPUT;
	if (batch->result_inner_off != 0 &&
		gpustr_check_region(check, "result inner", batch->result_inner_off, 4 * room, limit) != ENGINE_OK)
		return ENGINE_BAD_INPUT;
	for (i = 0; i < batch->nresult; i++)
		if (gpustr_check_column(check, "result column", &batch->result_column[i], batch->result_room,
								limit) != ENGINE_OK)
			return ENGINE_BAD_INPUT;
	return ENGINE_OK;
}
