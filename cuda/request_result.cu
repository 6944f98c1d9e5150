/*-------------------------------------------------------------------------
 *
 * request_result.cu
 *	  The results of a join: their memory, their launches, and the copies to the
 *	  body.
 *
 * Without a condition and without texts it is known before the device has worked how
 * many results a piece has, and all goes to the body at once.  Else the host waits for
 * the counters, and copies no more than there is.
 *
 * IDENTIFICATION
 *	  cuda/request_result.cu
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "request_join.cuh"

static int32_t smaller(int64_t a, int64_t b)
{
	return (int32_t)(a < b ? a : b);
}

/* Is a result column of texts? */
static bool is_text(const GpustrColumn *column)
{
	return column->offsets_off != 0;
}

/* Room in one, as the host engine counts it. */
static uint64_t text_room(const GpustrColumn *column)
{
	return column->data_bytes < INT32_MAX ? column->data_bytes : INT32_MAX;
}

void request_place_result_cleared(RequestJoin *join, RequestPlan *plan)
{
	ResultPlace *place = &join->result;
	int64_t most = plan->nrows;
	int32_t i;

	memset(place, 0, sizeof(*place));
	most -= join->skip < (uint64_t)most ? (int64_t)join->skip : most - 1;
	place->room = smaller(most, plan->batch.result_room);
	place->direct = !join->filtered && join->skip < (uint64_t)plan->nrows;
	for (i = 0; i < plan->batch.nresult; i++)
		place->direct = place->direct && !is_text(&plan->batch.result_column[i]);
	place->no_room_at =
		request_place(plan, GPUSTR_BITMAP_WORDS(place->room) * (uint64_t)sizeof(uint32_t));
}

cudaError_t request_place_result(RequestJoin *join, RequestPlan *plan)
{
	ResultPlace *place = &join->result;
	const uint64_t rows = (uint64_t)place->room;
	const uint64_t words = GPUSTR_BITMAP_WORDS(place->room) * (uint64_t)sizeof(uint32_t);
	bool texts = false;
	int32_t i;

	if (join->filtered)
	{
		CUDA_PASS(keep_scratch_need(plan->nrows, &place->keep_bytes));
		place->index_at = request_place(plan, request_row_bytes(plan));
		place->keep_at = request_place(plan, place->keep_bytes);
	}
	place->outer_at = request_place(plan, rows * sizeof(int32_t));
	place->inner_at = request_place(plan, rows * sizeof(uint32_t));
	place->recheck_at = request_place(plan, words);
	for (i = 0; i < plan->batch.nresult; i++)
	{
		const GpustrColumn *column = &plan->batch.result_column[i];

		place->state_at[i] = request_place(plan, words);
		if (is_text(column))
		{
			place->value_at[i] = request_place(plan, 2 * request_aligned(rows * sizeof(int32_t)));
			place->valid_at[i] = request_place(plan, words);
			place->offset_at[i] = request_place(plan, (rows + 1) * sizeof(int32_t));
			place->data_at[i] = request_place(plan, text_room(column));
			texts = true;
		}
		else
			place->value_at[i] = request_place(plan, rows * sizeof(int64_t));
	}
	if (texts)
	{
		uint64_t need;

		CUDA_PASS(output_text_scratch_need(place->room, &need));
		place->scratch_at = request_place(plan, need);
	}
	return cudaSuccess;
}

static JoinSteps join_steps(const RequestJoin *join)
{
	JoinSteps steps = {};

	steps.n = join->nprobes;
	for (int32_t s = 0; s < join->nprobes; s++)
		steps.outer[s] = join->space[s + 1].outer;
	return steps;
}

/* A result column, from its register; of a text also what it becomes. */
static void result_column(const RequestRun *run, const ResultPlace *place, const GpustrStep *step,
						  JoinColumn *column, TextRegister *text)
{
	const uint64_t rows = request_aligned((uint64_t)place->room * sizeof(int32_t));

	column->to_valid = (uint32_t *)(run->memory + place->state_at[step->attr]);
	if (step->op == GPUSTR_OP_RESULT_VALUE)
	{
		const ValueRegister &from = run->value[step->in0];

		column->value = from.value;
		column->constant = from.constant;
		column->valid = from.valid;
		column->recheck = from.recheck;
		column->to_value = (int64_t *)(run->memory + place->value_at[step->attr]);
		return;
	}
	*text = run->text[step->in0];
	column->start = text->start;
	column->end = text->end;
	column->valid = text->valid;
	column->recheck = text->recheck;
	if (text->start != NULL)
	{
		column->to_start = (int32_t *)(run->memory + place->value_at[step->attr]);
		column->to_end = (int32_t *)((char *)column->to_start + rows);
		text->start = column->to_start;
		text->end = column->to_end;
	}
	text->valid = column->to_valid;
	text->recheck = NULL;
	text->packed = false;
}

/* Put the texts of a result column together. */
static cudaError_t result_texts(const RequestRun *run, const ResultPlace *place, int32_t attr,
								const TextRegister &text)
{
	RequestCounters *counters = (RequestCounters *)(run->memory + run->plan->cleared_at);
	OutputColumn out;

	out.valid = (uint32_t *)(run->memory + place->valid_at[attr]);
	out.offset = (int32_t *)(run->memory + place->offset_at[attr]);
	out.data = run->memory + place->data_at[attr];
	out.room = text_room(&run->plan->batch.result_column[attr]);
	out.scratch = run->memory + place->scratch_at;
	out.recheck = (uint32_t *)(run->memory + place->no_room_at);
	out.bytes = &counters->out_bytes[0];
	out.used = &counters->out_used[0];
	return launch_output_text(text, BoolRegister{NULL, NULL}, place->room, out, run->stream);
}

/* The results: which rows, and what they have. */
static cudaError_t make_results(const RequestRun *run, const RequestJoin *join,
								const unsigned long long *kept, TextRegister *texts)
{
	const GpustrBatch *batch = &run->plan->batch;
	const GpustrStep *steps = GPUSTR_PROGRAM_STEPS(run->program);
	const GpustrStep *result = &steps[join->result_step];
	const JoinSpace *space = &join->space[join->nprobes];
	const ResultPlace *place = &join->result;
	ResultColumns columns = {};
	ResultArgs args = {};

	args.steps = join_steps(join);
	args.inner = space->inner;
	args.doubt = space->doubt;
	if (join->filtered)
	{
		args.condition_lo = request_bool(run, result->in0).lo;
		args.condition_hi = request_bool(run, result->in0).hi;
		args.index = (const int32_t *)(run->memory + place->index_at);
		args.kept = kept;
	}
	args.nrows = run->plan->nrows;
	args.room = place->room;
	args.skip = join->skip;
	if (batch->result_outer_off != 0)
		args.to_outer = (int32_t *)(run->memory + place->outer_at);
	if (batch->result_inner_off != 0)
		args.to_inner = (uint32_t *)(run->memory + place->inner_at);
	args.to_recheck = (uint32_t *)(run->memory + place->recheck_at);
	args.ncolumns = batch->nresult;
	for (int32_t i = join->result_step + 1; i < run->program->nsteps; i++)
		result_column(run, place, &steps[i], &columns.column[steps[i].attr], &texts[steps[i].attr]);
	return launch_result(args, columns, run->stream);
}

cudaError_t request_result(const RequestRun *run, RequestJoin *join)
{
	const GpustrBatch *batch = &run->plan->batch;
	const GpustrStep *result = &GPUSTR_PROGRAM_STEPS(run->program)[join->result_step];
	const ResultPlace *place = &join->result;
	RequestCounters *counters = (RequestCounters *)(run->memory + run->plan->cleared_at);
	TextRegister texts[GPUSTR_MAX_RESULT_COLUMNS];
	ResultEnd end = {};

	if (join->filtered)
		CUDA_PASS(launch_keep(request_bool(run, result->in0).lo, join->space[join->nprobes].inner,
							  run->plan->nrows, (int32_t *)(run->memory + place->index_at),
							  &counters->join.kept, run->memory + place->keep_at, place->keep_bytes,
							  run->stream));
	CUDA_PASS(make_results(run, join, &counters->join.kept, texts));
	end.steps = join_steps(join);
	if (join->filtered)
	{
		end.index = (const int32_t *)(run->memory + place->index_at);
		end.kept = &counters->join.kept;
	}
	end.nrows = run->plan->nrows;
	end.room = place->room;
	end.skip = join->skip;
	end.ncolumns = batch->nresult;
	for (int32_t i = 0; i < batch->nresult; i++)
		if (is_text(&batch->result_column[i]))
		{
			CUDA_PASS(result_texts(run, place, i, texts[i]));
			end.offset[i] = (const int32_t *)(run->memory + place->offset_at[i]);
			end.no_room = (const uint32_t *)(run->memory + place->no_room_at);
		}
	return launch_result_end(end, &counters->join, &counters->computed, run->stream);
}

/* Copy 'bytes' of the memory at hand to the body; none need be. */
static cudaError_t copy_to_body(const RequestRun *run, uint32_t to, uint64_t from, uint64_t bytes)
{
	if (bytes == 0)
		return cudaSuccess;
	return cudaMemcpyAsync(run->plan->body + to, run->memory + from, bytes, cudaMemcpyDeviceToHost,
						   run->stream);
}

cudaError_t request_copy_result(const RequestRun *run, const RequestJoin *join)
{
	const GpustrBatch *batch = &run->plan->batch;
	const ResultPlace *place = &join->result;
	const uint64_t n = (uint64_t)join->out.nrows;

	if (n == 0)
		return cudaSuccess;
	if (batch->result_outer_off != 0)
		CUDA_PASS(copy_to_body(run, batch->result_outer_off, place->outer_at, 4 * n));
	if (batch->result_inner_off != 0)
		CUDA_PASS(copy_to_body(run, batch->result_inner_off, place->inner_at, 4 * n));
	CUDA_PASS(copy_to_body(run, batch->result_recheck_off, place->recheck_at, (n + 31) / 32 * 4));
	for (int32_t i = 0; i < batch->nresult; i++)
	{
		const GpustrColumn *column = &batch->result_column[i];

		CUDA_PASS(copy_to_body(run, column->validity_off, place->state_at[i], (n + 7) / 8));
		if (!is_text(column))
			CUDA_PASS(copy_to_body(run, column->data_off, place->value_at[i], 8 * n));
		else
		{
			CUDA_PASS(copy_to_body(run, column->offsets_off, place->offset_at[i], 4 * (n + 1)));
			CUDA_PASS(copy_to_body(run, column->data_off, place->data_at[i], join->text_bytes[i]));
		}
	}
	return cudaSuccess;
}

/* Bytes of the results, as the host engine counts them. */
static uint64_t result_bytes(const GpustrBatch *batch, const RequestJoin *join)
{
	const uint64_t n = (uint64_t)join->out.nrows;
	uint64_t bytes = sizeof(GpustrJoinResult) + (n + 31) / 32 * 4;

	bytes +=
		(batch->result_outer_off != 0 ? 4 * n : 0) + (batch->result_inner_off != 0 ? 4 * n : 0);
	for (int32_t i = 0; i < batch->nresult; i++)
		bytes += (n + 7) / 8 + (!is_text(&batch->result_column[i])
									? 8 * n
									: 4 * (n + 1) + (n > 0 ? join->text_bytes[i] : 0));
	return bytes;
}

void request_end_result(const RequestPlan *plan, RequestJoin *join)
{
	const GpustrBatch *batch = &plan->batch;
	const int32_t n = join->out.nrows;

	/* bits past the last row */
	if (n % 32 != 0)
		GPUSTR_BODY_PTR(plan->body, batch->result_recheck_off, uint32_t)
	[n / 32] &= (1u << n % 32) - 1;
	for (int32_t i = 0; i < batch->nresult; i++)
	{
		const GpustrColumn *column = &batch->result_column[i];

		if (n % 8 != 0)
			GPUSTR_BODY_PTR(plan->body, column->validity_off, uint8_t)
		[n / 8] &= (uint8_t)((1u << n % 8) - 1);
		if (is_text(column))
			GPUSTR_BODY_PTR(plan->body, column->offsets_off, int32_t)[0] = 0;
	}
	join->out.probed = (int32_t)join->probed;
	*GPUSTR_BODY_PTR(plan->body, batch->result_off, GpustrJoinResult) = join->out;
	join->out_bytes = result_bytes(batch, join);
}
