/*-------------------------------------------------------------------------
 *
 * request_text.cu
 *	  The steps of a request that call functions of texts: their memory, and their
 *	  launches.
 *
 * Each step that makes new texts has an arena of gpustr_text_room() bytes.  Texts
 * are int32 offsets from the request's memory, so all arenas end before 2 GB;
 * where they would not, the steps share what there is.  A row without room is
 * recheck.
 *
 * In a space of pairs texts may be those of a table, or of another space, which have
 * nothing to do with the memory of this one.  What would be a place in there is copied:
 * CHOOSE_TEXT.
 *
 * IDENTIFICATION
 *	  cuda/request_text.cu
 *
 *-------------------------------------------------------------------------
 */
#include "request_steps.cuh"

/* The last piece of 16 bytes that holds a text may end here: text_register.cuh. */
#define ARENA_TAIL_BYTES 64

/* Bytes of made texts that a later space has room for, at least: more than the longest. */
#define LATER_LEAST_ROOM (2 << 20)

/*
 * Is it a space of pairs?  There texts lie anywhere, in the batch, in tables, in what steps
 * have made.
 */
static bool is_later(const RequestPlan *plan)
{
	return plan->first_step > 0;
}

/* Does the step make new texts? */
static bool makes_texts(const RequestPlan *plan, const GpustrStep *step)
{
	return (step->op == GPUSTR_OP_TEXT_MAKE && step->aux > GPUSTR_TEXT_SLICE_LAST) ||
		   (step->op == GPUSTR_OP_CHOOSE_TEXT && is_later(plan));
}

/* Bytes of a batch's pages, or of its columns' texts. */
static uint64_t input_bytes(const RequestPlan *plan)
{
	const GpustrBatch *batch = &plan->batch;
	uint64_t bytes = 0;
	int32_t i;

	if (batch->kind == GPUSTR_BATCH_PAGES)
		return (uint64_t)batch->npages * GPUSTR_PAGE_BYTES;
	for (i = 0; i < batch->ncolumns; i++)
		if (batch->column[i].offsets_off != 0)
			bytes += (uint32_t)GPUSTR_BODY_PTR(plan->body, batch->column[i].offsets_off,
											   const int32_t)[batch->nrows];
	return bytes;
}

/* Room for what a step makes. */
static uint64_t arena_room(const RequestPlan *plan)
{
	uint64_t room;

	if (!is_later(plan))
		return gpustr_text_room(plan->nrows, input_bytes(plan));

	/* the pairs' texts have not been seen; if it is too little the request says so */
	room = gpustr_text_room(plan->nrows, 0);
	room = room < LATER_LEAST_ROOM ? LATER_LEAST_ROOM : room;
	return room < plan->text_room ? plan->text_room : room;
}

void request_place_arenas(RequestPlan *plan, const GpustrProgram *program)
{
	const GpustrStep *steps = GPUSTR_PROGRAM_STEPS(program);
	uint64_t need;
	uint64_t left = 0; /* arenas to place */
	int32_t i;

	for (i = plan->first_step; i < plan->end_step; i++)
		left += makes_texts(plan, &steps[i]);
	if (left == 0)
		return;
	need = text_arena_bytes(plan->nrows, arena_room(plan));
	for (i = plan->first_step; i < plan->end_step; i++)
		if (makes_texts(plan, &steps[i]))
		{
			const uint64_t lost = ARENA_TAIL_BYTES + REQUEST_ALIGN; /* beside each arena */
			uint64_t share = plan->bytes < INT32_MAX ? (INT32_MAX - plan->bytes) / left : 0;
			uint64_t bytes = share > lost ? share - lost : 0;

			bytes = bytes < need ? bytes : need;
			plan->has_arena[steps[i].out] = true;
			plan->arena_bytes[steps[i].out] = bytes;
			plan->arena_at[steps[i].out] = 0;
			if (bytes > 0)
				plan->arena_at[steps[i].out] = request_place(plan, bytes + ARENA_TAIL_BYTES);
			left--;
		}
}

static TextArgs step_args(const RequestRun *run, const GpustrStep *step)
{
	const char *shape = gpustr_text_function_shape(step->aux);
	const uint16_t in[3] = {step->in0, step->in1, step->in2};
	TextArgs args = {};
	int i;

	for (i = 0; i < 3 && shape[i] != '\0'; i++)
	{
		if (shape[i] == 'T')
			args.text[i] = run->text[in[i]];
		else
			args.value[i] = run->value[in[i]];
	}
	args.constant = request_constant(run, step);
	args.far = is_later(run->plan);
	args.encoding = step->attr == 1 ? GPUSTR_ENC_SINGLE_BYTE : run->program->encoding;
	return args;
}

/* The arena of a step that makes texts. */
static TextArena step_arena(const RequestRun *run, const GpustrStep *step)
{
	const RequestPlan *plan = run->plan;
	TextArena arena;

	arena.base = run->memory;
	arena.at = (int32_t)plan->arena_at[step->out];
	arena.bytes = plan->arena_bytes[step->out];
	arena.cursor = (unsigned long long *)(run->memory + plan->cursors_at) + step->out;
	return arena;
}

/* TEXT_MAKE, and of a later space CHOOSE_TEXT, which there has texts from anywhere. */
static cudaError_t step_text_make(RequestRun *run, const GpustrStep *step)
{
	const RequestPlan *plan = run->plan;
	const int32_t nrows = plan->nrows;
	char *at = run->memory + plan->text_at[step->out];
	int32_t *start = (int32_t *)at;
	int32_t *end = (int32_t *)(at + request_row_bytes(plan));
	StatePlanes planes = request_planes(run, at + 2 * request_row_bytes(plan));
	TextRegister *text = &run->text[step->out];
	TextArgs args;

	text->base = run->memory;
	text->start = start;
	text->end = end;
	text->valid = planes.valid;
	text->recheck = planes.recheck;
	text->bytes = 0;
	text->host = NULL;
	text->packed = false;
	if (step->op == GPUSTR_OP_CHOOSE_TEXT)
		return launch_choose_far_text(request_bool(run, step->in2), run->text[step->in0],
									  run->text[step->in1], step_arena(run, step), nrows, start,
									  end, planes, run->stream);
	args = step_args(run, step);
	if (makes_texts(plan, step))
		return launch_text_make((GpustrTextFunction)step->aux, args,
								GPUSTR_PROGRAM_CONST(run->program, step), step_arena(run, step),
								nrows, start, end, planes, run->stream);

	/* a slice is one of its first text, and so lies where that does */
	if (is_later(plan))
		text->base = args.text[0].base;
	return launch_text_slice((GpustrTextFunction)step->aux, args, text->base, nrows, start, end,
							 planes, run->stream);
}

static cudaError_t step_text_measure(RequestRun *run, const GpustrStep *step)
{
	char *at = run->memory + run->plan->value_at[step->out];
	int64_t *to = (int64_t *)at;
	StatePlanes planes = request_planes(run, at + request_value_bytes(run->plan));
	ValueRegister *value = &run->value[step->out];

	value->value = to;
	value->constant = 0;
	value->valid = planes.valid;
	value->recheck = planes.recheck;
	return launch_text_measure((GpustrTextFunction)step->aux, step_args(run, step),
							   run->plan->nrows, to, planes, run->stream);
}

cudaError_t request_text_step(RequestRun *run, const GpustrStep *step)
{
	return step->op == GPUSTR_OP_TEXT_MEASURE ? step_text_measure(run, step)
											  : step_text_make(run, step);
}
