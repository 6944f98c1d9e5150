/*-------------------------------------------------------------------------
 *
 * request_steps.cu
 *	  The steps of a request: their launches.
 *
 * Where their registers are says request_places.cu.
 *
 * IDENTIFICATION
 *	  cuda/request_steps.cu
 *
 *-------------------------------------------------------------------------
 */
#include "request_steps.cuh"

#include "rowfn/like.h"

static PageRows page_rows(const RequestRun *run)
{
	PageRows rows;

	rows.base = run->memory;
	rows.page_at = (const int32_t *)(run->memory + run->plan->page_at_at);
	rows.line = (const uint16_t *)(run->memory + run->plan->batch.line_off);
	rows.program = request_program(run);
	rows.attrs = (const GpustrAttr *)(request_program(run) + run->program->attr_off);
	rows.nrows = run->plan->nrows;
	return rows;
}

/*
 * DECODE_TEXT, DECODE_BYTES and CHOOSE_TEXT: offsets from the request's memory.  Texts of a later
 * space lie elsewhere: request_text.cu.
 */
static cudaError_t step_make_text(RequestRun *run, const GpustrStep *step)
{
	const GpustrAttr *attrs = GPUSTR_PROGRAM_ATTRS(run->program);
	char *at = run->memory + run->plan->text_at[step->out];
	int32_t *start = (int32_t *)at;
	int32_t *end = (int32_t *)(at + request_row_bytes(run->plan));
	StatePlanes planes = request_planes(run, at + 2 * request_row_bytes(run->plan));
	TextRegister *text = &run->text[step->out];

	text->base = run->memory;
	text->start = start;
	text->end = end;
	text->valid = planes.valid;
	text->recheck = planes.recheck;
	text->bytes = 0;
	text->host = NULL;
	text->packed = false;
	if (step->op == GPUSTR_OP_CHOOSE_TEXT && run->plan->first_step > 0)
		return request_text_step(run, step);
	if (step->op == GPUSTR_OP_DECODE_TEXT)
		return launch_decode_text(page_rows(run), step->attr, attrs, start, end, planes,
								  run->stream);
	if (step->op == GPUSTR_OP_DECODE_BYTES)
		return launch_decode_bytes(page_rows(run), step->attr, attrs, step->aux, start, end, planes,
								   run->stream);
	return launch_choose_text(request_bool(run, step->in2), run->text[step->in0],
							  run->text[step->in1], run->memory, run->plan->nrows, start, end,
							  planes, run->stream);
}

/* An input column is a register as it stands. */
static void step_column(RequestRun *run, const GpustrStep *step)
{
	const GpustrColumn *column = &run->plan->batch.column[step->attr];
	TextRegister *text = &run->text[step->out];

	text->base = run->input + column->data_off;
	text->start = (const int32_t *)(run->input + column->offsets_off);
	text->end = text->start + 1;
	text->valid = (const uint32_t *)(run->input + column->validity_off);
	text->recheck = NULL;
	text->bytes = 0;
	text->host = NULL;
	text->packed = true;
}

static void step_column_value(RequestRun *run, const GpustrStep *step)
{
	const GpustrColumn *column = &run->plan->batch.column[step->attr];
	ValueRegister *value = &run->value[step->out];

	value->value = (const int64_t *)(run->memory + column->data_off);
	value->constant = 0;
	value->valid = (const uint32_t *)(run->memory + column->validity_off);
	value->recheck = NULL;
}

/*
 * The planes of a constant that is a value, or NULL or recheck in all rows;
 * 'at' is room for one plane, if one is needed.
 */
static cudaError_t const_planes(const RequestRun *run, const GpustrStep *step, uint64_t at,
								const uint32_t **valid, const uint32_t **recheck)
{
	uint32_t *plane = (uint32_t *)(run->memory + at);

	*valid = NULL;
	*recheck = NULL;
	if (step->attr == GPUSTR_FALSE)
		return cudaSuccess;
	if (step->attr == GPUSTR_NULL)
		*valid = plane;
	else
		*recheck = plane;
	return cudaMemsetAsync(plane, step->attr == GPUSTR_NULL ? 0 : 0xFF,
						   request_word_bytes(run->plan), run->stream);
}

static cudaError_t step_const_text(RequestRun *run, const GpustrStep *step)
{
	TextRegister *text = &run->text[step->out];

	text->base = request_program(run) + step->const_off;
	text->start = NULL;
	text->end = NULL;
	text->bytes = (int32_t)step->const_bytes;
	text->host = GPUSTR_PROGRAM_CONST(run->program, step);
	text->packed = false;
	return const_planes(run, step, run->plan->text_at[step->out], &text->valid, &text->recheck);
}

static cudaError_t step_const_value(RequestRun *run, const GpustrStep *step)
{
	ValueRegister *value = &run->value[step->out];

	value->value = NULL;
	value->constant = *(const int64_t *)GPUSTR_PROGRAM_CONST(run->program, step);
	return const_planes(run, step, run->plan->value_at[step->out], &value->valid, &value->recheck);
}

static cudaError_t step_trim_blanks(RequestRun *run, const GpustrStep *step)
{
	const TextRegister &from = run->text[step->in0];
	TextRegister *text = &run->text[step->out];
	int32_t *end = (int32_t *)(run->memory + run->plan->text_at[step->out]);

	*text = from;
	text->packed = false;
	if (from.start == NULL)
	{
		text->bytes = rowfn_trimmed_bytes(from.host, from.bytes);
		return cudaSuccess;
	}
	text->end = end;
	return launch_trim_blanks(from, run->plan->nrows, end, run->stream);
}

static cudaError_t step_length(RequestRun *run, const GpustrStep *step)
{
	const TextRegister &text = run->text[step->in0];
	int64_t *to = (int64_t *)(run->memory + run->plan->value_at[step->out]);
	ValueRegister *value = &run->value[step->out];

	value->value = to;
	value->constant = 0;
	value->valid = text.valid;
	value->recheck = text.recheck;
	return launch_length(text, step->aux == 1 ? GPUSTR_ENC_SINGLE_BYTE : run->program->encoding,
						 run->plan->nrows, to, run->stream);
}

/* The other steps that make a value, with planes of its own. */
static cudaError_t step_make_value(RequestRun *run, const GpustrStep *step)
{
	int32_t nrows = run->plan->nrows;
	char *at = run->memory + run->plan->value_at[step->out];
	int64_t *to = (int64_t *)at;
	StatePlanes planes = request_planes(run, at + request_value_bytes(run->plan));
	ValueRegister *value = &run->value[step->out];

	value->value = to;
	value->constant = 0;
	value->valid = planes.valid;
	value->recheck = planes.recheck;
	if (step->op == GPUSTR_OP_DECODE_VALUE)
		return launch_decode_value(page_rows(run), step->attr, GPUSTR_PROGRAM_ATTRS(run->program),
								   (GpustrValueType)step->aux, to, planes, run->stream);
	if (step->op == GPUSTR_OP_CHOOSE_VALUE)
		return launch_choose_value(request_bool(run, step->in2), run->value[step->in0],
								   run->value[step->in1], nrows, to, planes, run->stream);
	if (step->op == GPUSTR_OP_BOOL_VALUE)
		return launch_bool_value(request_bool(run, step->in0), nrows, to, planes, run->stream);
	if (step->op == GPUSTR_OP_CAST)
		return launch_cast((GpustrCast)step->aux, run->value[step->in0], nrows, to, planes,
						   run->stream);

	/* in1 of a unary operation may be anything */
	return launch_arith((GpustrArith)step->aux, (GpustrValueType)step->attr, run->value[step->in0],
						run->value[rowfn_arith_is_unary(step->aux) ? step->in0 : step->in1], nrows,
						to, planes, run->stream);
}

/* REDACT and MASK. */
static cudaError_t step_output(const RequestRun *run, const GpustrStep *step)
{
	const RequestPlan *plan = run->plan;
	const RequestColumn *column = &plan->column[step->attr];
	RequestCounters *counters = (RequestCounters *)(run->memory + plan->cleared_at);
	const TextRegister &text = run->text[step->in0];
	int32_t nrows = plan->nrows;
	int32_t encoding = run->program->encoding;
	BoolRegister where = {NULL, NULL};
	OutputColumn out;

	out.valid = (uint32_t *)(run->memory + column->valid_at);
	out.offset = (int32_t *)(run->memory + column->offsets_at);
	out.data = run->memory + column->data_at;
	out.room = request_out_room(plan, step->attr);
	out.scratch = run->memory + (column->one_pass ? column->redact_at : plan->output_scratch_at);
	out.recheck = (uint32_t *)(run->memory + plan->recheck_at);
	out.bytes = &counters->out_bytes[step->attr];
	out.used = &counters->out_used[step->attr];
	if (column->one_pass)
		return launch_redact(*run->redact_blocks, text, run->text[step->in1], nrows, encoding, out,
							 run->stream);
	if (step->aux == 1)
		where = request_bool(run, step->in2);
	if (step->op == GPUSTR_OP_REDACT)
		return launch_output_redact(text, run->text[step->in1], encoding, where, nrows, out,
									run->stream);
	if (step->op == GPUSTR_OP_FIND_ALL)
		return launch_find_all(text, GPUSTR_PROGRAM_CONST(run->program, step),
							   request_constant(run, step), (int32_t)step->const_bytes, encoding,
							   where, nrows, out, run->stream);
	if (step->op == GPUSTR_OP_OUTPUT_TEXT)
		return launch_output_text(text, where, nrows, out, run->stream);
	return launch_output_mask(text, *(const GpustrMask *)GPUSTR_PROGRAM_CONST(run->program, step),
							  request_constant(run, step) + sizeof(GpustrMask), encoding, where,
							  nrows, out, run->stream);
}

/* Steps that test texts. */
static cudaError_t step_test_text(const RequestRun *run, const GpustrStep *step)
{
	int32_t nrows = run->plan->nrows;
	const char *constant = request_constant(run, step);
	const TextRegister &text = run->text[step->in0];
	BoolRegister out = request_bool(run, step->out);

	if (step->op == GPUSTR_OP_TEXT_EQ)
		return launch_text_eq(text, nrows, constant, (int32_t)step->const_bytes, out, run->stream);
	if (step->op == GPUSTR_OP_COMPARE_TEXT)
		return launch_compare_text((GpustrOrder)step->attr, (GpustrRelation)step->aux, text,
								   run->text[step->in1], nrows, out, run->stream);
	if (step->op == GPUSTR_OP_IN_TEXT)
		return launch_in_text(text, (const GpustrTextSet *)constant,
							  step->attr ? GPUSTR_NULL : GPUSTR_FALSE, nrows, out, run->stream);
	return launch_null_text(text, nrows, out, run->stream);
}

static cudaError_t step_dfa(const RequestRun *run, const GpustrStep *step)
{
	const GpustrDfa *dfa = (const GpustrDfa *)GPUSTR_PROGRAM_CONST(run->program, step);
	BoolRegister where = {NULL, NULL};

	if (step->aux == 1)
		where = request_bool(run, step->in2);
	return launch_dfa(*run->dfa_device, dfa_layout(*run->dfa_device, dfa), run->text[step->in0],
					  run->plan->nrows, dfa, (const GpustrDfa *)request_constant(run, step),
					  step->attr == 1 ? GPUSTR_RECHECK : GPUSTR_TRUE, where,
					  request_bool(run, step->out), run->stream);
}

/* LIKE and ILIKE: as a search for a literal, by the automaton, or else by comparing. */
static cudaError_t step_like(const RequestRun *run, const GpustrStep *step)
{
	const int32_t nrows = run->plan->nrows;
	const int32_t encoding = run->program->encoding;
	const bool folds = step->op == GPUSTR_OP_ILIKE;
	const uint32_t at = folds ? sizeof(GpustrFold) : 0; /* of the pattern */
	const char *constant = GPUSTR_PROGRAM_CONST(run->program, step);
	const char *device_constant = request_constant(run, step);
	const GpustrLikePattern *pattern = (const GpustrLikePattern *)(constant + at);
	const GpustrLikeRun *literal = folds ? NULL : rowfn_like_only_literal(pattern);
	const TextRegister &text = run->text[step->in0];
	BoolRegister out = request_bool(run, step->out);

	if (literal != NULL)
	{
		TextRegister what = {};

		what.base = device_constant + literal->literal_off;
		what.host = constant + literal->literal_off;
		what.bytes = literal->literal_bytes;
		if (search_is_for(text, what))
			return launch_search(text, what, encoding, nrows, NULL, StatePlanes{out.lo, out.hi},
								 run->stream);
	}
	if (step->aux == 1)
	{
		const uint32_t dfa_at = at + GPUSTR_LIKE_AUTOMATON_AT(pattern);
		const GpustrDfa *dfa = (const GpustrDfa *)(constant + dfa_at);

		return launch_dfa(*run->dfa_device, dfa_layout(*run->dfa_device, dfa), text, nrows, dfa,
						  (const GpustrDfa *)(device_constant + dfa_at), GPUSTR_TRUE,
						  BoolRegister{NULL, NULL}, out, run->stream);
	}
	if (folds)
		return launch_ilike(text, nrows, rowfn_fold_kind((const GpustrFold *)constant),
							(const GpustrFold *)device_constant, encoding, out, run->stream);
	return launch_like(text, nrows, device_constant, encoding, out, run->stream);
}

static cudaError_t step_contains_any(const RequestRun *run, const GpustrStep *step)
{
	return launch_contains_any(*run->dfa_device, run->text[step->in0], run->plan->nrows,
							   (const GpustrAhoCorasick *)GPUSTR_PROGRAM_CONST(run->program, step),
							   (const GpustrAhoCorasick *)request_constant(run, step),
							   request_bool(run, step->out), run->stream);
}

/* Steps that test values. */
static cudaError_t step_test_value(const RequestRun *run, const GpustrStep *step)
{
	int32_t nrows = run->plan->nrows;
	const ValueRegister &value = run->value[step->in0];
	BoolRegister out = request_bool(run, step->out);

	if (step->op == GPUSTR_OP_COMPARE_VALUE)
		return launch_compare_value((GpustrOrder)step->attr, (GpustrRelation)step->aux, value,
									run->value[step->in1], nrows, out, run->stream);
	if (step->op == GPUSTR_OP_IN_VALUE)
		return launch_in_value(value, (const int64_t *)request_constant(run, step),
							   (int32_t)(step->const_bytes / sizeof(int64_t)),
							   step->attr ? GPUSTR_NULL : GPUSTR_FALSE, nrows, out, run->stream);
	if (step->op == GPUSTR_OP_NULL_VALUE)
		return launch_null_value(value, nrows, out, run->stream);
	return launch_value_true(value, nrows, out, run->stream);
}

/* Steps from truths to a truth. */
static cudaError_t step_logic(const RequestRun *run, const GpustrStep *step)
{
	int32_t nrows = run->plan->nrows;
	BoolRegister a = request_bool(run, step->in0);
	BoolRegister out = request_bool(run, step->out);

	if (step->op == GPUSTR_OP_NOT)
		return launch_logic(GPUSTR_OP_NOT, a, a, nrows, out, run->stream);
	if (step->op == GPUSTR_OP_NULL_BOOL)
		return launch_null_bool(a, nrows, out, run->stream);
	if (step->op == GPUSTR_OP_IS_TRUE)
		return launch_is_true(a, nrows, out, run->stream);
	if (step->op == GPUSTR_OP_CHOOSE_BOOL)
		return launch_choose_bool(request_bool(run, step->in2), a, request_bool(run, step->in1),
								  nrows, out, run->stream);
	return launch_logic((GpustrOp)step->op, a, request_bool(run, step->in1), nrows, out,
						run->stream);
}

cudaError_t request_step(RequestRun *run, const GpustrStep *step)
{
	int32_t nrows = run->plan->nrows;

	switch ((GpustrOp)step->op)
	{
		case GPUSTR_OP_DECODE_TEXT:
		case GPUSTR_OP_DECODE_BYTES:
		case GPUSTR_OP_CHOOSE_TEXT:
			return step_make_text(run, step);
		case GPUSTR_OP_TRIM_BLANKS:
			return step_trim_blanks(run, step);
		case GPUSTR_OP_CONST_TEXT:
			return step_const_text(run, step);
		case GPUSTR_OP_COLUMN:
			step_column(run, step);
			return cudaSuccess;
		case GPUSTR_OP_DECODE_VALUE:
		case GPUSTR_OP_CHOOSE_VALUE:
		case GPUSTR_OP_BOOL_VALUE:
		case GPUSTR_OP_ARITH:
		case GPUSTR_OP_CAST:
			return step_make_value(run, step);
		case GPUSTR_OP_LENGTH:
			return step_length(run, step);
		case GPUSTR_OP_TEXT_MAKE:
		case GPUSTR_OP_TEXT_MEASURE:
			return request_text_step(run, step);
		case GPUSTR_OP_CONST_VALUE:
			return step_const_value(run, step);
		case GPUSTR_OP_DECODE_NULL:
			return launch_decode_null(page_rows(run), step->attr, request_bool(run, step->out),
									  run->stream);
		case GPUSTR_OP_CONST:
			return launch_const((GpustrTruth)step->attr, nrows, request_bool(run, step->out),
								run->stream);
		case GPUSTR_OP_LIKE:
		case GPUSTR_OP_ILIKE:
			return step_like(run, step);
		case GPUSTR_OP_TEXT_EQ:
		case GPUSTR_OP_COMPARE_TEXT:
		case GPUSTR_OP_IN_TEXT:
		case GPUSTR_OP_NULL_TEXT:
			return step_test_text(run, step);
		case GPUSTR_OP_DFA:
			return step_dfa(run, step);
		case GPUSTR_OP_CONTAINS_ANY:
			return step_contains_any(run, step);
		case GPUSTR_OP_COMPARE_VALUE:
		case GPUSTR_OP_IN_VALUE:
		case GPUSTR_OP_NULL_VALUE:
		case GPUSTR_OP_VALUE_TRUE:
			return step_test_value(run, step);
		case GPUSTR_OP_NULL_BOOL:
		case GPUSTR_OP_IS_TRUE:
		case GPUSTR_OP_AND:
		case GPUSTR_OP_OR:
		case GPUSTR_OP_NOT:
		case GPUSTR_OP_QUAL:
		case GPUSTR_OP_CHOOSE_BOOL:
			return step_logic(run, step);
		case GPUSTR_OP_SELECT:
			return launch_select(request_bool(run, step->in0), nrows,
								 (uint32_t *)(run->memory + run->plan->selected_at),
								 (uint32_t *)(run->memory + run->plan->recheck_at), run->stream);
		case GPUSTR_OP_REDACT:
		case GPUSTR_OP_MASK:
		case GPUSTR_OP_FIND_ALL:
		case GPUSTR_OP_OUTPUT_TEXT:
			return step_output(run, step);
		case GPUSTR_OP_COLUMN_VALUE:
			step_column_value(run, step);
			return cudaSuccess;
		case GPUSTR_OP_BUILD:
			return request_build_step(run);
		case GPUSTR_OP_PROBE:
		case GPUSTR_OP_GATHER_TEXT:
		case GPUSTR_OP_GATHER_VALUE:
		case GPUSTR_OP_INNER_TEXT:
		case GPUSTR_OP_INNER_VALUE:
		case GPUSTR_OP_RESULT:
		case GPUSTR_OP_RESULT_TEXT:
		case GPUSTR_OP_RESULT_VALUE:
			break;
	}
	return cudaErrorInvalidValue;
}
