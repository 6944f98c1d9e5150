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
#include "request.cuh"

#include <stdio.h>
#include <string.h>

/* Alignment in bytes of everything in a request's memory. */
#define REQUEST_ALIGN 256

/* The last piece of 16 bytes that holds a string may end here: text_register.cuh. */
#define REQUEST_TAIL_BYTES 64

/* Rows are counted in int32, rounded up to whole blocks of threads. */
#define REQUEST_MAX_ROWS (INT32_MAX - 4096)

/* The request's steps, and its memory on the device. */
struct RequestRun
{
	const RequestPlan *plan;
	const GpustrProgram *program; /* in host memory */
	char *memory;
	const RedactBlocks *redact_blocks;
	TextRegister text[GPUSTR_MAX_TEXT_REGS];
	cudaStream_t stream;
	EngineError *error;
};

/* Take 'bytes' of the request's memory. */
static uint64_t place(RequestPlan *plan, uint64_t bytes)
{
	uint64_t at = plan->bytes;

	plan->bytes = (at + bytes + REQUEST_ALIGN - 1) & ~(uint64_t)(REQUEST_ALIGN - 1);
	return at;
}

static const GpustrProgram *plan_program(const RequestPlan *plan)
{
	return GPUSTR_BODY_PTR(plan->body, plan->batch.program_off, const GpustrProgram);
}

static uint64_t word_bytes(const RequestPlan *plan)
{
	return (uint64_t)plan->nwords * sizeof(uint32_t);
}

/* Bytes of one array of a register, so that the next one is aligned. */
static uint64_t aligned(uint64_t bytes)
{
	return (bytes + REQUEST_ALIGN - 1) & ~(uint64_t)(REQUEST_ALIGN - 1);
}

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
	plan->staged_at = place(plan, (uint64_t)batch->nstaged * GPUSTR_PAGE_BYTES);
	plan->gathered_at = place(plan, any_block ? (uint64_t)batch->npages * GPUSTR_PAGE_BYTES : 0);
	if (plan->bytes > INT32_MAX)
		return gpustr_engine_error(error, ENGINE_OUT_OF_MEMORY,
								   "%llu bytes of pages are too many for one batch",
								   (unsigned long long)plan->bytes);
	(void)place(plan, REQUEST_TAIL_BYTES);
	plan->page_at_at = place(plan, (uint64_t)batch->nrows * sizeof(int32_t));
	return ENGINE_OK;
}

/* Place the registers that the steps write. */
static void plan_registers(RequestPlan *plan)
{
	const GpustrProgram *program = plan_program(plan);
	const GpustrStep *steps = GPUSTR_PROGRAM_STEPS(program);
	uint64_t row_bytes = aligned((uint64_t)plan->batch.nrows * sizeof(int32_t));
	uint64_t plane_bytes = aligned(word_bytes(plan));
	int32_t i;

	for (i = 0; i < program->nsteps; i++)
		switch ((GpustrOp)steps[i].op)
		{
			case GPUSTR_OP_DECODE_TEXT:
				plan->text_at[steps[i].out] = place(plan, 2 * row_bytes + 2 * plane_bytes);
				break;
			case GPUSTR_OP_COLUMN:
			case GPUSTR_OP_SELECT:
				break;
			case GPUSTR_OP_REDACT:
				plan->makes_column = true;
				break;
			default:
				plan->bool_at[steps[i].out] = place(plan, 2 * plane_bytes);
				break;
		}
}

EngineCode request_plan(RequestPlan *plan, void *body, int32_t readable_blocks, EngineError *error)
{
	const GpustrBatch *batch = &plan->batch;

	memset(plan, 0, sizeof(*plan));
	plan->body = (char *)body;
	memcpy(&plan->batch, body, sizeof(plan->batch));
	plan->nwords = (int32_t)GPUSTR_BITMAP_WORDS(batch->nrows);
	if (batch->nrows > REQUEST_MAX_ROWS)
		return gpustr_engine_error(error, ENGINE_OUT_OF_MEMORY,
								   "%d rows are too many for one batch", batch->nrows);
	(void)place(plan, (uint64_t)batch->in_bytes + REQUEST_TAIL_BYTES);
	if (batch->kind == GPUSTR_BATCH_PAGES)
	{
		EngineCode code = plan_pages(plan, readable_blocks, error);

		if (code != ENGINE_OK)
			return code;
	}
	plan_registers(plan);
	plan->cleared_at = place(plan, sizeof(uint64_t));
	plan->selected_at = place(plan, word_bytes(plan));
	plan->recheck_at = place(plan, word_bytes(plan));
	if (plan->makes_column)
		plan->scratch_at = place(plan, redact_scratch_need(batch->nrows));
	plan->cleared_end = plan->bytes;
	if (plan->makes_column)
	{
		plan->out_valid_at = place(plan, word_bytes(plan));
		plan->out_offsets_at = place(plan, ((uint64_t)batch->nrows + 1) * sizeof(int32_t));
		plan->out_data_at = place(plan, batch->out_column.data_bytes);
	}
	return ENGINE_OK;
}

/* Room in the output column, as the host engine counts it. */
static uint64_t out_room(const RequestPlan *plan)
{
	uint32_t bytes = plan->batch.out_column.data_bytes;

	return bytes < INT32_MAX ? bytes : INT32_MAX;
}

static BoolRegister bool_register(const RequestRun *run, uint16_t reg)
{
	BoolRegister b;

	b.lo = (uint32_t *)(run->memory + run->plan->bool_at[reg]);
	b.hi = (uint32_t *)((char *)b.lo + aligned(word_bytes(run->plan)));
	return b;
}

/* The program in device memory. */
static const char *device_program(const RequestRun *run)
{
	return run->memory + run->plan->batch.program_off;
}

static PageRows page_rows(const RequestRun *run)
{
	PageRows rows;

	rows.base = run->memory;
	rows.page_at = (const int32_t *)(run->memory + run->plan->page_at_at);
	rows.line = (const uint16_t *)(run->memory + run->plan->batch.line_off);
	rows.program = device_program(run);
	rows.attrs = (const GpustrAttr *)(device_program(run) + run->program->attr_off);
	rows.nrows = run->plan->batch.nrows;
	return rows;
}

static cudaError_t step_decode_text(RequestRun *run, const GpustrStep *step)
{
	uint64_t row_bytes = aligned((uint64_t)run->plan->batch.nrows * sizeof(int32_t));
	char *at = run->memory + run->plan->text_at[step->out];
	int32_t *start = (int32_t *)at;
	int32_t *end = (int32_t *)(at + row_bytes);
	uint32_t *valid = (uint32_t *)(at + 2 * row_bytes);
	uint32_t *recheck = (uint32_t *)((char *)valid + aligned(word_bytes(run->plan)));
	TextRegister *text = &run->text[step->out];

	text->base = run->memory;
	text->start = start;
	text->end = end;
	text->valid = valid;
	text->recheck = recheck;
	text->packed = false;
	return launch_decode_text(page_rows(run), step->attr, GPUSTR_PROGRAM_ATTRS(run->program), start,
							  end, valid, recheck, run->stream);
}

/* An input column is a register as it stands. */
static void step_column(RequestRun *run, const GpustrStep *step)
{
	const GpustrColumn *column = &run->plan->batch.column[step->attr];
	TextRegister *text = &run->text[step->out];

	text->base = run->memory + column->data_off;
	text->start = (const int32_t *)(run->memory + column->offsets_off);
	text->end = text->start + 1;
	text->valid = (const uint32_t *)(run->memory + column->validity_off);
	text->recheck = NULL;
	text->packed = true;
}

static cudaError_t step_redact(RequestRun *run, const GpustrStep *step)
{
	const RequestPlan *plan = run->plan;
	const TextRegister &name = run->text[step->in0];
	const TextRegister &visibility = run->text[step->in1];
	RedactOutput out;

	CUDA_PASS(launch_add_recheck(name, visibility, plan->batch.nrows,
								 (uint32_t *)(run->memory + plan->recheck_at), run->stream));
	out.valid = (uint32_t *)(run->memory + plan->out_valid_at);
	out.offset = (int32_t *)(run->memory + plan->out_offsets_at);
	out.data = run->memory + plan->out_data_at;
	out.room = out_room(plan);
	out.scratch = run->memory + plan->scratch_at;
	return launch_redact(*run->redact_blocks, name, visibility, plan->batch.nrows,
						 run->program->encoding, out, run->stream);
}

/* Launch one step. */
static cudaError_t run_step(RequestRun *run, const GpustrStep *step)
{
	int32_t nrows = run->plan->batch.nrows;
	const char *constant = device_program(run) + step->const_off;

	switch ((GpustrOp)step->op)
	{
		case GPUSTR_OP_DECODE_TEXT:
			return step_decode_text(run, step);
		case GPUSTR_OP_DECODE_NULL:
			return launch_decode_null(page_rows(run), step->attr, bool_register(run, step->out),
									  run->stream);
		case GPUSTR_OP_COLUMN:
			step_column(run, step);
			return cudaSuccess;
		case GPUSTR_OP_CONST:
			return launch_const((GpustrTruth)step->attr, nrows, bool_register(run, step->out),
								run->stream);
		case GPUSTR_OP_LIKE:
			return launch_like(run->text[step->in0], nrows, constant, run->program->encoding,
							   bool_register(run, step->out), run->stream);
		case GPUSTR_OP_ILIKE:
			return launch_ilike(
				run->text[step->in0], nrows,
				rowfn_fold_kind((const GpustrFold *)GPUSTR_PROGRAM_CONST(run->program, step)),
				(const GpustrFold *)constant, run->program->encoding, bool_register(run, step->out),
				run->stream);
		case GPUSTR_OP_TEXT_EQ:
			return launch_text_eq(run->text[step->in0], nrows, constant, (int32_t)step->const_bytes,
								  bool_register(run, step->out), run->stream);
		case GPUSTR_OP_AND:
		case GPUSTR_OP_OR:
		case GPUSTR_OP_QUAL:
			return launch_logic((GpustrOp)step->op, bool_register(run, step->in0),
								bool_register(run, step->in1), nrows, bool_register(run, step->out),
								run->stream);
		case GPUSTR_OP_NOT:
			return launch_logic(GPUSTR_OP_NOT, bool_register(run, step->in0),
								bool_register(run, step->in0), nrows, bool_register(run, step->out),
								run->stream);
		case GPUSTR_OP_SELECT:
			return launch_select(bool_register(run, step->in0), nrows,
								 (uint32_t *)(run->memory + run->plan->selected_at),
								 (uint32_t *)(run->memory + run->plan->recheck_at), run->stream);
		case GPUSTR_OP_REDACT:
			return step_redact(run, step);
		default:
			break;
	}
	return cudaErrorInvalidValue;
}

/* Put the body and the pages into the request's memory. */
static EngineCode copy_in(const RequestRun *run, const void *blocks)
{
	const RequestPlan *plan = run->plan;
	const GpustrBatch *batch = &plan->batch;
	EngineError *error = run->error;
	GatherArgs args;

	CUDA_TRY(cudaMemcpyAsync(run->memory, plan->body, batch->in_bytes, cudaMemcpyHostToDevice,
							 run->stream));
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

	if (plan->batch.selected_off != 0)
		CUDA_TRY(cudaMemcpyAsync(plan->body + plan->batch.selected_off,
								 run->memory + plan->selected_at, word_bytes(plan),
								 cudaMemcpyDeviceToHost, run->stream));
	if (plan->batch.recheck_off != 0)
		CUDA_TRY(cudaMemcpyAsync(plan->body + plan->batch.recheck_off,
								 run->memory + plan->recheck_at, word_bytes(plan),
								 cudaMemcpyDeviceToHost, run->stream));
	CUDA_TRY(cudaMemcpyAsync(&counters->rechecks, run->memory + plan->cleared_at,
							 sizeof(counters->rechecks), cudaMemcpyDeviceToHost, run->stream));
	if (plan->makes_column)
		CUDA_TRY(cudaMemcpyAsync(&counters->out_bytes,
								 redact_scratch_total(run->memory + plan->scratch_at),
								 sizeof(counters->out_bytes), cudaMemcpyDeviceToHost, run->stream));
	return ENGINE_OK;
}

EngineCode request_start(const RequestPlan *plan, char *memory, const void *blocks,
						 const RedactBlocks &redact_blocks, RequestCounters *counters,
						 const RequestEvents &events, cudaStream_t stream, EngineError *error)
{
	const GpustrStep *steps;
	RequestRun run;
	EngineCode code;
	int32_t i;

	run.plan = plan;
	run.program = plan_program(plan);
	run.memory = memory;
	run.redact_blocks = &redact_blocks;
	run.stream = stream;
	run.error = error;
	steps = GPUSTR_PROGRAM_STEPS(run.program);
	counters->rechecks = 0;
	counters->out_bytes = 0;

	CUDA_TRY(cudaEventRecord(events.started, stream));
	code = copy_in(&run, blocks);
	if (code != ENGINE_OK)
		return code;
	CUDA_TRY(cudaEventRecord(events.copied_in, stream));
	CUDA_TRY(cudaMemsetAsync(memory + plan->cleared_at, 0, plan->cleared_end - plan->cleared_at,
							 stream));
	for (i = 0; i < run.program->nsteps; i++)
	{
		cudaError_t rc = run_step(&run, &steps[i]);

		if (rc != cudaSuccess)
		{
			char what[32];

			(void)snprintf(what, sizeof(what), "step %d, operator %d", i, steps[i].op);
			return cuda_error(error, rc, what);
		}
	}
	if (plan->batch.recheck_off != 0)
		CUDA_TRY(launch_finish(plan->batch.nrows, (uint32_t *)(memory + plan->selected_at),
							   (const uint32_t *)(memory + plan->recheck_at),
							   (unsigned long long *)(memory + plan->cleared_at), stream));
	CUDA_TRY(cudaEventRecord(events.computed, stream));
	code = copy_out(&run, counters);
	if (code != ENGINE_OK)
		return code;
	CUDA_TRY(cudaEventRecord(events.finished, stream));
	return ENGINE_OK;
}

EngineCode request_check_output(const RequestPlan *plan, const RequestCounters *counters,
								EngineError *error)
{
	if (plan->makes_column && counters->out_bytes > out_room(plan))
		return gpustr_engine_error(error, ENGINE_BAD_INPUT,
								   "output column of %u bytes is too small",
								   plan->batch.out_column.data_bytes);
	return ENGINE_OK;
}

EngineCode request_fetch_output(const RequestPlan *plan, char *memory,
								const RequestCounters *counters, const RequestEvents &events,
								cudaStream_t stream, EngineError *error)
{
	const GpustrColumn *column = &plan->batch.out_column;
	uint64_t nrows = (uint64_t)plan->batch.nrows;

	CUDA_TRY(cudaEventRecord(events.started, stream));
	CUDA_TRY(cudaMemcpyAsync(plan->body + column->validity_off, memory + plan->out_valid_at,
							 (nrows + 7) / 8, cudaMemcpyDeviceToHost, stream));
	CUDA_TRY(cudaMemcpyAsync(plan->body + column->offsets_off, memory + plan->out_offsets_at,
							 (nrows + 1) * sizeof(int32_t), cudaMemcpyDeviceToHost, stream));
	if (counters->out_bytes > 0)
		CUDA_TRY(cudaMemcpyAsync(plan->body + column->data_off, memory + plan->out_data_at,
								 counters->out_bytes, cudaMemcpyDeviceToHost, stream));
	CUDA_TRY(cudaEventRecord(events.finished, stream));
	return ENGINE_OK;
}
