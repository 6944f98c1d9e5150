/*-------------------------------------------------------------------------
 *
 * request_build.cu
 *	  The BUILD step of a request: rows of the batch become rows of a table.
 *
 * Texts that are not an input column are written by the kernels of output columns,
 * straight to their place in the table; their offsets and valid bits go through
 * memory of the request.
 *
 * IDENTIFICATION
 *	  cuda/request_build.cu
 *
 *-------------------------------------------------------------------------
 */
#include "join_build.cuh"
#include "request_steps.cuh"

const GpustrTableBuild *request_build(const GpustrProgram *program)
{
	const GpustrStep *steps = GPUSTR_PROGRAM_STEPS(program);
	int32_t i;

	for (i = 0; i < program->nsteps; i++)
		if (steps[i].op == GPUSTR_OP_BUILD)
			return (const GpustrTableBuild *)GPUSTR_PROGRAM_CONST(program, &steps[i]);
	return NULL;
}

/* The input column that a text register is; NULL: none. */
static const GpustrColumn *input_column(const RequestPlan *plan, uint16_t reg)
{
	const GpustrStep *steps = GPUSTR_PROGRAM_STEPS(plan->program);
	int32_t i;

	for (i = 0; i < plan->program->nsteps; i++)
		if (steps[i].op == GPUSTR_OP_COLUMN && steps[i].out == reg)
			return &plan->batch.column[steps[i].attr];
	return NULL;
}

/* The first of an input column's offsets, and the bytes of its texts. */
static int32_t first_offset(const RequestPlan *plan, const GpustrColumn *column, int32_t *bytes)
{
	const int32_t *offsets = GPUSTR_BODY_PTR(plan->body, column->offsets_off, const int32_t);

	*bytes = offsets[plan->batch.nrows] - offsets[0];
	return offsets[0];
}

EngineCode request_place_build(RequestPlan *plan, EngineError *error)
{
	const GpustrTableBuild *build = request_build(plan->program);
	const int32_t nrows = plan->batch.nrows;
	bool others = false; /* has it texts that are no input column? */
	bool good;
	int32_t i;

	plan->build.what = build;
	if (build == NULL || build->finish == 1)
		return ENGINE_OK;
	good = build->first_row >= 0 && nrows <= build->nrows - build->first_row;
	for (i = 0; i < build->ncolumns; i++)
	{
		const GpustrTableColumn *to = &build->column[i];
		const GpustrColumn *column = input_column(plan, to->reg);
		int32_t bytes;

		if (to->is_text == 0)
			continue;
		if (column == NULL)
		{
			others = true;
			continue;
		}
		(void)first_offset(plan, column, &bytes);
		good = good && to->first_byte <= to->bytes && (uint64_t)bytes <= to->bytes - to->first_byte;
	}
	if (!good)
		return gpustr_engine_error(error, ENGINE_BAD_INPUT,
								   "rows of a batch that are not in the table");
	if (others)
	{
		uint64_t need;

		CUDA_TRY(output_text_scratch_need(nrows, &need));
		plan->build.offsets_at = request_place(plan, ((uint64_t)nrows + 1) * sizeof(int32_t));
		plan->build.valid_at = request_place(plan, request_word_bytes(plan));
		plan->build.scratch_at = request_place(plan, need);
	}
	return ENGINE_OK;
}

/* Texts of an input column. */
static cudaError_t build_column(const RequestRun *run, const GpustrColumn *column,
								const GpustrTableColumn *what, const CudaTableColumn &to,
								const TextRegister &from, const BuildBits &bits)
{
	int32_t bytes;
	const int32_t first = first_offset(run->plan, column, &bytes);

	CUDA_PASS(launch_build_valid(from, bits, run->stream));
	CUDA_PASS(launch_build_offsets(from.start, first, bits.nrows, (int32_t)what->first_byte,
								   to.start + bits.first_row,
								   &run->plan->build.table->counters->astray, run->stream));
	if (bytes > 0)
		CUDA_PASS(cudaMemcpyAsync(to.base + what->first_byte, from.base + first, (size_t)bytes,
								  cudaMemcpyDeviceToDevice, run->stream));
	return cudaSuccess;
}

/* All other texts. */
static cudaError_t build_texts(const RequestRun *run, const GpustrTableColumn *what,
							   const CudaTableColumn &to, const TextRegister &from,
							   const BuildBits &bits)
{
	const RequestPlan *plan = run->plan;
	RequestCounters *counters = (RequestCounters *)(run->memory + plan->cleared_at);
	OutputColumn out;
	TextRegister written = {};

	out.valid = (uint32_t *)(run->memory + plan->build.valid_at);
	out.offset = (int32_t *)(run->memory + plan->build.offsets_at);
	out.data = to.base + what->first_byte;
	out.room = what->bytes - what->first_byte;
	out.scratch = run->memory + plan->build.scratch_at;
	out.recheck = bits.recheck;
	out.bytes = &counters->out_bytes[0];
	out.used = &counters->out_used[0];
	CUDA_PASS(launch_output_text(from, BoolRegister{NULL, NULL}, bits.nrows, out, run->stream));
	written.valid = out.valid;
	CUDA_PASS(launch_build_valid(written, bits, run->stream));
	return launch_build_offsets(out.offset, 0, bits.nrows, (int32_t)what->first_byte,
								to.start + bits.first_row, &plan->build.table->counters->astray,
								run->stream);
}

cudaError_t request_build_step(const RequestRun *run)
{
	const RequestPlan *plan = run->plan;
	const GpustrTableBuild *build = plan->build.what;
	CudaTable *table = plan->build.table;
	int32_t i;

	CUDA_PASS(cudaStreamWaitEvent(run->stream, table->ready, 0));
	for (i = 0; i < build->ncolumns; i++)
	{
		const GpustrTableColumn *what = &build->column[i];
		const CudaTableColumn &to = table->column[i];
		BuildBits bits;

		bits.nrows = plan->batch.nrows;
		bits.first_row = build->first_row;
		bits.valid = to.valid;
		bits.nulls = &table->counters->nulls[i];
		bits.recheck = (uint32_t *)(run->memory + plan->recheck_at);
		if (what->is_text == 0)
			CUDA_PASS(launch_build_values(run->value[what->reg], to.value + build->first_row, bits,
										  run->stream));
		else
		{
			const GpustrColumn *column = input_column(plan, what->reg);

			CUDA_PASS(column != NULL
						  ? build_column(run, column, what, to, run->text[what->reg], bits)
						  : build_texts(run, what, to, run->text[what->reg], bits));
		}
	}
	return cudaSuccess;
}
