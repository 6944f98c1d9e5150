/*-------------------------------------------------------------------------
 *
 * request_places.cu
 *	  Where the registers of a request's steps are, and its output columns.
 *
 * What a step has in the request's memory, each array aligned:
 *
 *		a decoded, chosen or made text	start[], end[], planes valid and recheck
 *		TRIM_BLANKS					end[]; the rest is the text's that it trims
 *		a value						the values, planes
 *		LENGTH						the values; the planes are the text's
 *		a constant					nothing, or for NULL and recheck a plane
 *		a column					nothing
 *		a truth						planes lo and hi
 *
 * A constant is in the program, which came with the body, or in the kernels'
 * arguments.  A register is written by one step, so that others may share what
 * is in it.
 *
 * IDENTIFICATION
 *	  cuda/request_places.cu
 *
 *-------------------------------------------------------------------------
 */
#include <stddef.h>

#include "request_steps.cuh"

#include "rowfn/redact.h"

void request_place_registers(RequestPlan *plan, const GpustrProgram *program)
{
	const GpustrStep *steps = GPUSTR_PROGRAM_STEPS(program);
	uint64_t planes = 2 * request_plane_bytes(plan);
	int32_t i;

	for (i = plan->first_step; i < plan->end_step; i++)
	{
		const GpustrStep *step = &steps[i];
		uint16_t out = step->out;

		switch ((GpustrOp)step->op)
		{
			case GPUSTR_OP_DECODE_TEXT:
			case GPUSTR_OP_DECODE_BYTES:
			case GPUSTR_OP_CHOOSE_TEXT:
			case GPUSTR_OP_TEXT_MAKE:
			case GPUSTR_OP_GATHER_TEXT:
			case GPUSTR_OP_INNER_TEXT:
				plan->text_at[out] = request_place(plan, 2 * request_row_bytes(plan) + planes);
				break;
			case GPUSTR_OP_TRIM_BLANKS:
				plan->text_at[out] = request_place(plan, request_row_bytes(plan));
				break;
			case GPUSTR_OP_CONST_TEXT:
				if (step->attr != GPUSTR_FALSE)
					plan->text_at[out] = request_place(plan, request_plane_bytes(plan));
				break;
			case GPUSTR_OP_COLUMN:
				break;
			case GPUSTR_OP_DECODE_VALUE:
			case GPUSTR_OP_CHOOSE_VALUE:
			case GPUSTR_OP_BOOL_VALUE:
			case GPUSTR_OP_ARITH:
			case GPUSTR_OP_CAST:
			case GPUSTR_OP_TEXT_MEASURE:
			case GPUSTR_OP_GATHER_VALUE:
			case GPUSTR_OP_INNER_VALUE:
				plan->value_at[out] = request_place(plan, request_value_bytes(plan) + planes);
				break;
			case GPUSTR_OP_LENGTH:
				plan->value_at[out] = request_place(plan, request_value_bytes(plan));
				break;
			case GPUSTR_OP_CONST_VALUE:
				if (step->attr != GPUSTR_FALSE)
					plan->value_at[out] = request_place(plan, request_plane_bytes(plan));
				break;
			case GPUSTR_OP_DECODE_NULL:
			case GPUSTR_OP_CONST:
			case GPUSTR_OP_LIKE:
			case GPUSTR_OP_ILIKE:
			case GPUSTR_OP_DFA:
			case GPUSTR_OP_CONTAINS_ANY:
			case GPUSTR_OP_TEXT_EQ:
			case GPUSTR_OP_COMPARE_TEXT:
			case GPUSTR_OP_COMPARE_VALUE:
			case GPUSTR_OP_IN_TEXT:
			case GPUSTR_OP_IN_VALUE:
			case GPUSTR_OP_NULL_TEXT:
			case GPUSTR_OP_NULL_VALUE:
			case GPUSTR_OP_NULL_BOOL:
			case GPUSTR_OP_IS_TRUE:
			case GPUSTR_OP_VALUE_TRUE:
			case GPUSTR_OP_AND:
			case GPUSTR_OP_OR:
			case GPUSTR_OP_NOT:
			case GPUSTR_OP_QUAL:
			case GPUSTR_OP_CHOOSE_BOOL:
				plan->bool_at[out] = request_place(plan, planes);
				break;
			case GPUSTR_OP_SELECT:
			case GPUSTR_OP_REDACT:
			case GPUSTR_OP_MASK:
			case GPUSTR_OP_OUTPUT_TEXT:
			case GPUSTR_OP_FIND_ALL:
			case GPUSTR_OP_COLUMN_VALUE:
			case GPUSTR_OP_BUILD:
				break;
			case GPUSTR_OP_PROBE:
			case GPUSTR_OP_RESULT:
			case GPUSTR_OP_RESULT_TEXT:
			case GPUSTR_OP_RESULT_VALUE:
				break;
		}
	}
}

/* The input column that a text register is; NULL: none. */
static const GpustrColumn *register_column(const RequestPlan *plan, const GpustrProgram *program,
										   uint16_t reg)
{
	const GpustrStep *steps = GPUSTR_PROGRAM_STEPS(program);
	int32_t i;

	for (i = 0; i < program->nsteps; i++)
		if (steps[i].op == GPUSTR_OP_COLUMN && steps[i].out == reg)
			return &plan->batch.column[steps[i].attr];
	return NULL;
}

/*
 * Is a step one for the one-pass kernel?  That reads columns, and all rows of
 * them, and counts on the room: an answer is as long as the name at most, or
 * ROWFN_REDACTED_BYTES.
 */
static bool is_one_pass(const RequestPlan *plan, const GpustrProgram *program,
						const GpustrStep *step)
{
	const GpustrColumn *name = register_column(plan, program, step->in0);
	const int32_t *offsets;
	uint64_t most = 0;
	int32_t r;

	if (step->op != GPUSTR_OP_REDACT || step->aux == 1 || name == NULL ||
		register_column(plan, program, step->in1) == NULL)
		return false;
	offsets = GPUSTR_BODY_PTR(plan->body, name->offsets_off, const int32_t);
	for (r = 0; r < plan->batch.nrows; r++)
	{
		int32_t bytes = offsets[r + 1] - offsets[r];

		most += (uint32_t)(bytes > ROWFN_REDACTED_BYTES ? bytes : ROWFN_REDACTED_BYTES);
	}
	return most <= request_out_room(plan, step->attr);
}

void request_place_cleared(RequestPlan *plan, const GpustrProgram *program)
{
	const GpustrStep *steps = GPUSTR_PROGRAM_STEPS(program);
	int32_t i;

	plan->cursors_at = plan->cleared_at + offsetof(RequestCounters, cursors);
	for (i = 0; i < program->nsteps; i++)
	{
		if (steps[i].op == GPUSTR_OP_FIND_ALL)
			plan->column[steps[i].attr].find_all = true;
		if (is_one_pass(plan, program, &steps[i]))
		{
			RequestColumn *column = &plan->column[steps[i].attr];

			column->one_pass = true;
			column->redact_at = request_place(plan, redact_scratch_need(plan->batch.nrows));
		}
	}
}

cudaError_t request_place_columns(RequestPlan *plan)
{
	uint64_t rows = (uint64_t)plan->batch.nrows;
	uint64_t scratch = 0;
	uint64_t need;
	int32_t i;

	for (i = 0; i < plan->batch.nout; i++)
	{
		RequestColumn *column = &plan->column[i];

		column->valid_at = request_place(plan, request_word_bytes(plan));
		column->offsets_at = request_place(plan, (rows + 1) * sizeof(int32_t));
		column->data_at = request_place(plan, plan->batch.out_column[i].data_bytes);
		need = 0;
		if (column->find_all)
			CUDA_PASS(find_all_scratch_need(plan->batch.nrows, &need));
		else if (!column->one_pass)
		{
			uint64_t text_need;

			CUDA_PASS(output_scratch_need(plan->batch.nrows, &need));
			CUDA_PASS(output_text_scratch_need(plan->batch.nrows, &text_need));
			need = need > text_need ? need : text_need;
		}
		scratch = need > scratch ? need : scratch;
	}
	plan->output_scratch_at = request_place(plan, scratch);
	return cudaSuccess;
}
