/*-------------------------------------------------------------------------
 *
 * request.cu
 *	  One request on the device: its memory, and the work put on its stream.
 *
 * See request.cuh.  Everything here is asynchronous; nothing allocates.
 *
 * IDENTIFICATION
 *	  cuda/request.cu
 *
 *-------------------------------------------------------------------------
 */
#include "kept_programs.cuh"
#include "request_join.cuh"

#include <stdio.h>
#include <string.h>

/* The last piece of 16 bytes that holds a string may end here: text_register.cuh. */
#define REQUEST_TAIL_BYTES 64

/* Rows are counted in int32, rounded up to whole blocks of threads. */
#define REQUEST_MAX_ROWS (INT32_MAX - 4096)

/* So much of a constant's beginning is copied all the same: what lies before is read by words. */
#define REQUEST_HEAD_BYTES 64

/* Place the pages of a page batch. */
static EngineCode plan_pages(RequestPlan *plan, int32_t readable_blocks, EngineError *error)
{
	const GpustrBatch *batch = &plan->batch;
	const int32_t *page = GPUSTR_BODY_PTR(plan->body, batch->page_off, const int32_t);
	bool any_block = false;
	int32_t p;

	for (p = 0; p < batch->npages; p++)
	{
		if (page[p] >= readable_blocks)
			return gpustr_engine_error(error, ENGINE_BAD_INPUT,
									   "block %d cannot be read in place, only the first %d can",
									   page[p], readable_blocks);
		any_block = any_block || page[p] >= 0;
	}
	plan->staged_at = request_place(plan, (uint64_t)batch->nstaged * GPUSTR_PAGE_BYTES);
	plan->gathered_at =
		request_place(plan, any_block ? (uint64_t)batch->npages * GPUSTR_PAGE_BYTES : 0);
	if (plan->bytes > INT32_MAX)
		return gpustr_engine_error(error, ENGINE_OUT_OF_MEMORY,
								   "%llu bytes of pages are too many for one batch",
								   (unsigned long long)plan->bytes);
	(void)request_place(plan, REQUEST_TAIL_BYTES);
	plan->page_at_at = request_place(plan, (uint64_t)batch->nrows * sizeof(int32_t));
	return ENGINE_OK;
}

/* The first step with this operator; nsteps: there is none. */
static int32_t first_step(const GpustrProgram *program, GpustrOp op)
{
	const GpustrStep *steps = GPUSTR_PROGRAM_STEPS(program);
	int32_t i;

	for (i = 0; i < program->nsteps; i++)
		if (steps[i].op == op)
			break;
	return i;
}

static bool has_step(const GpustrProgram *program, GpustrOp op)
{
	return first_step(program, op) < program->nsteps;
}

bool request_is_measured(const RequestPlan *plan)
{
	const GpustrStep *steps = GPUSTR_PROGRAM_STEPS(plan->program);
	int32_t i;

	for (i = 0; i < plan->program->nsteps; i++)
		if (steps[i].op == GPUSTR_OP_TEXT_MEASURE &&
			measure_has_local((GpustrTextFunction)steps[i].aux))
			return true;
	return false;
}

EngineCode request_plan(RequestPlan *plan, void *body, const GpustrProgram *program,
						int32_t readable_blocks, EngineError *error)
{
	const GpustrBatch *batch = &plan->batch;

	memset(plan, 0, sizeof(*plan));
	plan->body = (char *)body;
	memcpy(&plan->batch, body, sizeof(plan->batch));
	plan->program = program != NULL
						? program
						: GPUSTR_BODY_PTR(body, plan->batch.program_off, const GpustrProgram);
	plan->nrows = batch->nrows;
	plan->nwords = (int32_t)GPUSTR_BITMAP_WORDS(batch->nrows);
	plan->end_step = first_step(plan->program, GPUSTR_OP_PROBE);
	if (batch->nrows > REQUEST_MAX_ROWS)
		return gpustr_engine_error(error, ENGINE_OUT_OF_MEMORY,
								   "%d rows are too many for one batch", batch->nrows);
	if (batch->in_bytes > INT32_MAX - REQUEST_TAIL_BYTES &&
		(has_step(plan->program, GPUSTR_OP_CHOOSE_TEXT) ||
		 has_step(plan->program, GPUSTR_OP_TEXT_MAKE)))
		return gpustr_engine_error(error, ENGINE_OUT_OF_MEMORY,
								   "%u bytes of texts are too many to make others of in one batch",
								   batch->in_bytes);
	(void)request_place(plan, (uint64_t)batch->in_bytes + REQUEST_TAIL_BYTES);
	if (batch->kind == GPUSTR_BATCH_PAGES)
	{
		EngineCode code = plan_pages(plan, readable_blocks, error);

		if (code != ENGINE_OK)
			return code;
	}
	request_place_arenas(plan, plan->program);
	request_place_registers(plan, plan->program);
	plan->cleared_at = request_place(plan, sizeof(RequestCounters));
	plan->selected_at = request_place(plan, request_word_bytes(plan));
	plan->recheck_at = request_place(plan, request_word_bytes(plan));
	request_place_cleared(plan, plan->program);
	plan->cleared_end = plan->bytes;
	CUDA_TRY(request_place_columns(plan));
	if (plan->end_step < plan->program->nsteps && plan->nrows > 0)
		CUDA_TRY(request_place_probe(plan, &GPUSTR_PROGRAM_STEPS(plan->program)[plan->end_step]));
	return request_place_build(plan, error);
}

/* Copy a piece of the body. */
static cudaError_t copy_piece(const RequestRun *run, uint64_t from, uint64_t to)
{
	if (from >= to)
		return cudaSuccess;
	return cudaMemcpyAsync(run->memory + from, run->plan->body + from, to - from,
						   cudaMemcpyHostToDevice, run->stream);
}

/* Have the program's large constants on the device. */
static cudaError_t have_kept(const RequestRun *run)
{
	const RequestPlan *plan = run->plan;
	const GpustrKeptProgram *kept = plan->kept;

	if (kept->filled != NULL)
		return cudaStreamWaitEvent(run->stream, (cudaEvent_t)kept->filled, 0);
	if (!plan->fill)
		return cudaSuccess;
	CUDA_PASS(cudaMemcpyAsync(kept->device, kept->program, kept->bytes, cudaMemcpyHostToDevice,
							  run->stream));
	return cudaMemsetAsync((char *)kept->device + kept->bytes, 0, KEPT_TAIL_BYTES, run->stream);
}

/* Put the inputs, but for staged pages, into the request's memory, and what is kept beside. */
static cudaError_t copy_body(const RequestRun *run)
{
	const RequestPlan *plan = run->plan;
	const GpustrBatch *batch = &plan->batch;
	uint64_t in_bytes = ((uint64_t)batch->in_bytes + 15) & ~(uint64_t)15;
	uint64_t at = 0;
	int32_t i;

	/* and what is in the word of 16 bytes in which the inputs end: texts are read by such */
	in_bytes = in_bytes < batch->body_bytes ? in_bytes : batch->body_bytes;
	if (plan->kept == NULL)
		return copy_piece(run, 0, in_bytes);
	CUDA_PASS(have_kept(run));
	for (i = 0; i < plan->kept->nranges; i++)
	{
		const GpustrProgramRange *range = &plan->kept->range[i];
		uint64_t from = (range->from + 2 * (uint64_t)REQUEST_HEAD_BYTES - 1) / REQUEST_HEAD_BYTES *
						REQUEST_HEAD_BYTES;

		CUDA_PASS(copy_piece(run, at, batch->program_off + from));
		at = batch->program_off + range->to / REQUEST_HEAD_BYTES * REQUEST_HEAD_BYTES;
	}
	return copy_piece(run, at, in_bytes);
}

/* Put the body and the pages into the request's memory. */
static EngineCode copy_in(const RequestRun *run, const void *blocks)
{
	const RequestPlan *plan = run->plan;
	const GpustrBatch *batch = &plan->batch;
	EngineError *error = run->error;
	GatherArgs args;

	CUDA_TRY(copy_body(run));
	if (batch->kind != GPUSTR_BATCH_PAGES)
		return ENGINE_OK;
	if (batch->nstaged > 0)
		CUDA_TRY(cudaMemcpyAsync(run->memory + plan->staged_at, plan->body + batch->staged_off,
								 (size_t)batch->nstaged * GPUSTR_PAGE_BYTES, cudaMemcpyHostToDevice,
								 run->stream));
	args.blocks = (const char *)blocks;
	args.page = (const int32_t *)(run->memory + batch->page_off);
	args.row_start = (const int32_t *)(run->memory + batch->row_start_off);
	args.base = run->memory;
	args.gathered_at = (int32_t)plan->gathered_at;
	args.staged_at = (int32_t)plan->staged_at;
	args.npages = batch->npages;
	args.page_at = (int32_t *)(run->memory + plan->page_at_at);
	CUDA_TRY(launch_gather(args, run->stream));
	return ENGINE_OK;
}

/* Copy the bitmaps and the counters out. */
static EngineCode copy_out(const RequestRun *run, RequestCounters *counters)
{
	const RequestPlan *plan = run->plan;
	EngineError *error = run->error;
	int32_t i;

	if (plan->batch.selected_off != 0)
		CUDA_TRY(cudaMemcpyAsync(plan->body + plan->batch.selected_off,
								 run->memory + plan->selected_at, request_word_bytes(plan),
								 cudaMemcpyDeviceToHost, run->stream));
	if (plan->batch.recheck_off != 0)
		CUDA_TRY(cudaMemcpyAsync(plan->body + plan->batch.recheck_off,
								 run->memory + plan->recheck_at, request_word_bytes(plan),
								 cudaMemcpyDeviceToHost, run->stream));
	CUDA_TRY(cudaMemcpyAsync(counters, run->memory + plan->cleared_at, sizeof(*counters),
							 cudaMemcpyDeviceToHost, run->stream));
	for (i = 0; i < plan->batch.nout; i++)
		if (plan->column[i].one_pass)
			CUDA_TRY(cudaMemcpyAsync(&counters->out_bytes[i],
									 redact_scratch_total(run->memory + plan->column[i].redact_at),
									 sizeof(counters->out_bytes[i]), cudaMemcpyDeviceToHost,
									 run->stream));
	return ENGINE_OK;
}

/* What comes after a request's steps, or those of space 0. */
static cudaError_t finish_steps(const RequestRun *run, RequestJoin *join)
{
	const RequestPlan *plan = run->plan;
	RequestCounters *counters = (RequestCounters *)(run->memory + plan->cleared_at);

	if (plan->probe.step != NULL)
		return request_probe(run, &join->space[0], join->table[0]);
	return launch_finish(plan->nrows, (uint32_t *)(run->memory + plan->selected_at),
						 (const uint32_t *)(run->memory + plan->recheck_at), &counters->rechecks,
						 &counters->computed, run->stream);
}

EngineCode request_start(const RequestPlan *plan, char *memory, const void *blocks,
						 RequestCounters *counters, const RequestEvents &events, RequestRun *run,
						 RequestJoin *join)
{
	EngineError *error = run->error;
	const GpustrStep *steps;
	EngineCode code;
	int32_t i;

	run->plan = plan;
	run->program = plan->program;
	run->input = memory;
	run->memory = memory;
	join->space[0].nrows = plan->nrows;
	steps = GPUSTR_PROGRAM_STEPS(run->program);
	memset(counters, 0, sizeof(*counters));

	CUDA_TRY(cudaEventRecord(events.started, run->stream));
	code = copy_in(run, blocks);
	if (code != ENGINE_OK)
		return code;
	CUDA_TRY(cudaEventRecord(events.copied_in, run->stream));
	if (plan->fill)
		plan->kept->filled = events.copied_in;
	CUDA_TRY(cudaMemsetAsync(memory + plan->cleared_at, 0, plan->cleared_end - plan->cleared_at,
							 run->stream));
	for (i = plan->first_step; i < plan->end_step; i++)
	{
		cudaError_t rc = request_step(run, &steps[i]);

		if (rc != cudaSuccess)
		{
			char what[48];

			(void)snprintf(what, sizeof(what), "step %d, operator %d", i, steps[i].op);
			return cuda_error(error, rc, what);
		}
	}
	CUDA_TRY(finish_steps(run, join));
	CUDA_TRY(cudaEventRecord(events.computed, run->stream));
	code = copy_out(run, counters);
	if (code != ENGINE_OK)
		return code;
	CUDA_TRY(cudaEventRecord(events.finished, run->stream));
	return ENGINE_OK;
}

/* Bytes of an output column's values that are written. */
static uint64_t written_bytes(const RequestPlan *plan, const RequestCounters *counters,
							  int32_t column)
{
	uint64_t bytes =
		plan->column[column].one_pass ? counters->out_bytes[column] : counters->out_used[column];
	uint64_t room = request_out_room(plan, column);

	return bytes < room ? bytes : room;
}

EngineCode request_fetch_output(const RequestPlan *plan, char *memory,
								const RequestCounters *counters, const RequestEvents &events,
								cudaStream_t stream, EngineError *error)
{
	uint64_t nrows = (uint64_t)plan->batch.nrows;
	int32_t i;

	CUDA_TRY(cudaEventRecord(events.started, stream));
	for (i = 0; i < plan->batch.nout; i++)
	{
		const GpustrColumn *to = &plan->batch.out_column[i];
		const RequestColumn *from = &plan->column[i];
		uint64_t bytes = written_bytes(plan, counters, i);

		CUDA_TRY(cudaMemcpyAsync(plan->body + to->validity_off, memory + from->valid_at,
								 (nrows + 7) / 8, cudaMemcpyDeviceToHost, stream));
		CUDA_TRY(cudaMemcpyAsync(plan->body + to->offsets_off, memory + from->offsets_at,
								 (nrows + 1) * sizeof(int32_t), cudaMemcpyDeviceToHost, stream));
		if (bytes > 0)
			CUDA_TRY(cudaMemcpyAsync(plan->body + to->data_off, memory + from->data_at, bytes,
									 cudaMemcpyDeviceToHost, stream));
	}
	CUDA_TRY(cudaEventRecord(events.finished, stream));
	return ENGINE_OK;
}
