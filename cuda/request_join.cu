/*-------------------------------------------------------------------------
 *
 * request_join.cu
 *	  A request with a join: the spaces of rows behind the batch.
 *
 * See request_join.cuh.  Nothing here waits for the device: join_go_on() is called when
 * what it has put on the stream is over.
 *
 * IDENTIFICATION
 *	  cuda/request_join.cu
 *
 *-------------------------------------------------------------------------
 */
#include "request_join.cuh"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Pairs of a window whose results may be fewer, at least; and at most. */
#define JOIN_WINDOW (1 << 17)
#define JOIN_MOST_WINDOW (1 << 24)

/* A window of fewer pairs is not halved as long as other requests hold memory. */
#define JOIN_LEAST_WINDOW 4096

/* Rows of a later space for each result that there is room for, and all in all. */
#define JOIN_ROWS_PER_RESULT 8
#define JOIN_LEAST_ROWS (1 << 20)

/* Bytes of the texts of a step: all lie within 2 GB of a space's memory. */
#define JOIN_MOST_TEXT (1 << 30)

/* Rows are counted in int32, rounded up to whole blocks of threads. */
#define JOIN_MOST_ROWS (INT32_MAX - 4096)

static const GpustrProbe *probe_at(const GpustrProgram *program, int32_t step)
{
	return (const GpustrProbe *)GPUSTR_PROGRAM_CONST(program, &GPUSTR_PROGRAM_STEPS(program)[step]);
}

/* Find the table of a PROBE. */
static EngineCode find_table(const CudaTables *tables, const GpustrProbe *probe, CudaTable **out,
							 EngineError *error)
{
	CudaTable *table = tables_find(tables, probe->table);
	bool same;

	if (table == NULL)
		return gpustr_engine_error(error, ENGINE_NO_TABLE, "there is no table %llu",
								   (unsigned long long)probe->table);
	same = probe->nkeys == table->nkeys && probe->hash_bits == table->hash_bits;
	for (int32_t k = 0; same && k < probe->nkeys; k++)
		same = probe->key_kind[k] == table->key_kind[k];
	if (!same)
		return gpustr_engine_error(error, ENGINE_BAD_INPUT, "table %llu has other keys",
								   (unsigned long long)probe->table);
	*out = table;
	return ENGINE_OK;
}

/* Has the table the column that a step asks for? */
static bool has_column(const CudaTable *table, const GpustrStep *step)
{
	if (step->op != GPUSTR_OP_INNER_TEXT && step->op != GPUSTR_OP_INNER_VALUE)
		return true;
	return table != NULL && step->attr >= 0 && step->attr < table->ncolumns &&
		   (table->column[step->attr].value == NULL) == (step->op == GPUSTR_OP_INNER_TEXT);
}

EngineCode join_begin(RequestJoin *join, const CudaTables *tables, const GpustrBatch *batch,
					  const GpustrProgram *program, EngineError *error)
{
	const GpustrStep *steps = GPUSTR_PROGRAM_STEPS(program);
	CudaTable *table = NULL;

	memset(join, 0, offsetof(RequestJoin, plan));
	for (int32_t i = 0; i < program->nsteps; i++)
	{
		if (!has_column(table, &steps[i]))
			return gpustr_engine_error(error, ENGINE_BAD_INPUT, "a table has no such column %d",
									   steps[i].attr);
		if (steps[i].op == GPUSTR_OP_PROBE)
		{
			if (find_table(tables, probe_at(program, i), &table, error) != ENGINE_OK)
				return error->code;
			join->probe_step[join->nprobes] = i;
			join->table[join->nprobes++] = table;
		}
		if (steps[i].op == GPUSTR_OP_RESULT)
		{
			join->result_step = i;
			join->filtered = steps[i].aux == 1;
		}
	}
	join->pair = batch->result_pair;
	join->skip = batch->result_skip;
	join->window = batch->result_room;
	if ((join->filtered || join->nprobes > 1) && join->window < JOIN_WINDOW)
		join->window = JOIN_WINDOW;
	if (join->window > JOIN_MOST_WINDOW)
		join->window = JOIN_MOST_WINDOW;
	memset(&join->out, 0, sizeof(join->out));
	join->out_bytes = 0;
	join->probed = 0;
	return ENGINE_OK;
}

void join_enter(RequestJoin *join)
{
	for (int32_t i = 0; i < join->nprobes; i++)
		table_use(join->table[i]);
}

/* Give back the memory of the spaces from this one on. */
static void free_spaces(RequestJoin *join, const JoinLane &lane, int32_t from)
{
	for (int32_t s = from; s <= join->nprobes; s++)
	{
		JoinSpace *space = &join->space[s];

		memory_pool_free(lane.programs->pool, lane.run->stream, space->memory, space->bytes);
		space->memory = NULL;
	}
}

void join_leave(RequestJoin *join, const JoinLane &lane)
{
	if (join->nprobes == 0)
		return;
	free_spaces(join, lane, 1);
	for (int32_t i = 0; i < join->nprobes; i++)
		table_leave(lane.tables, join->table[i]);
	join->nprobes = 0;
}

/* Lay out the memory of space s, of n rows. */
static EngineCode plan_space(RequestJoin *join, const JoinLane &lane, int32_t s, int32_t n,
							 EngineError *error)
{
	const GpustrProgram *program = lane.plan->program;
	const GpustrStep *steps = GPUSTR_PROGRAM_STEPS(program);
	RequestPlan *plan = &join->plan;
	const bool last = s == join->nprobes;

	memset(plan, 0, sizeof(*plan));
	plan->body = lane.plan->body;
	plan->batch = lane.plan->batch;
	plan->program = program;
	plan->kept = lane.plan->kept;
	plan->nrows = n;
	plan->nwords = (int32_t)GPUSTR_BITMAP_WORDS(n);
	plan->first_step = join->probe_step[s - 1] + 1;
	plan->end_step = last ? join->result_step : join->probe_step[s];
	plan->text_room = join->text_room;
	request_place_arenas(plan, program);
	join->outer_at = request_place(plan, request_row_bytes(plan));
	join->inner_at = request_place(plan, request_row_bytes(plan));
	join->doubt_at = request_place(plan, request_word_bytes(plan));
	request_place_registers(plan, program);
	plan->cleared_at = request_place(plan, sizeof(RequestCounters));
	request_place_cleared(plan, program);
	if (last)
		request_place_result_cleared(join, plan);
	plan->cleared_end = plan->bytes;
	if (last)
		CUDA_TRY(request_place_result(join, plan));
	else
		CUDA_TRY(request_place_probe(plan, &steps[join->probe_step[s]]));
	return ENGINE_OK;
}

/* A text of the space before, or of the table; returns whether there is something to do. */
static void bring_text(RequestRun *run, const CudaTable *table, const GpustrStep *step,
					   JoinColumn *column)
{
	char *at = run->memory + run->plan->text_at[step->out];
	StatePlanes planes = request_planes(run, at + 2 * request_row_bytes(run->plan));
	TextRegister *out = &run->text[step->out];

	if (step->op == GPUSTR_OP_GATHER_TEXT)
		*out = run->text[step->in0];
	else
	{
		const CudaTableColumn *from = &table->column[step->attr];

		*out = {};
		out->base = from->base != NULL ? from->base : run->memory;
		out->start = from->start;
		out->end = from->start + 1;
		out->valid = from->valid;
		column->inner = 1;
	}
	column->start = out->start;
	column->end = out->end;
	column->valid = out->valid;
	column->recheck = out->recheck;
	if (out->start != NULL)
	{
		column->to_start = (int32_t *)at;
		column->to_end = (int32_t *)(at + request_row_bytes(run->plan));
		out->start = column->to_start;
		out->end = column->to_end;
	}
	column->to_valid = planes.valid;
	column->to_recheck = planes.recheck;
	out->valid = planes.valid;
	out->recheck = planes.recheck;
	out->packed = false;
}

/* A value, alike. */
static void bring_value(RequestRun *run, const CudaTable *table, const GpustrStep *step,
						JoinColumn *column)
{
	char *at = run->memory + run->plan->value_at[step->out];
	StatePlanes planes = request_planes(run, at + request_value_bytes(run->plan));
	ValueRegister *out = &run->value[step->out];

	if (step->op == GPUSTR_OP_GATHER_VALUE)
		*out = run->value[step->in0];
	else
	{
		const CudaTableColumn *from = &table->column[step->attr];

		*out = {};
		out->value = from->value;
		out->valid = from->valid;
		column->inner = 1;
	}
	column->value = out->value;
	column->valid = out->valid;
	column->recheck = out->recheck;
	if (out->value != NULL)
	{
		column->to_value = (int64_t *)at;
		out->value = column->to_value;
	}
	column->to_valid = planes.valid;
	column->to_recheck = planes.recheck;
	out->valid = planes.valid;
	out->recheck = planes.recheck;
}

/* Run the steps of a later space. */
static cudaError_t run_steps(RequestRun *run, const JoinSpace *space, const CudaTable *table)
{
	const GpustrStep *steps = GPUSTR_PROGRAM_STEPS(run->program);
	ColumnsArgs args = {};

	args.outer = space->outer;
	args.inner = space->inner;
	args.npairs = space->nrows;
	for (int32_t i = run->plan->first_step; i < run->plan->end_step; i++)
	{
		const GpustrStep *step = &steps[i];
		const bool text = step->op == GPUSTR_OP_GATHER_TEXT || step->op == GPUSTR_OP_INNER_TEXT;
		const bool value = step->op == GPUSTR_OP_GATHER_VALUE || step->op == GPUSTR_OP_INNER_VALUE;

		if (args.ncolumns == JOIN_COLUMNS || (!text && !value))
		{
			CUDA_PASS(launch_columns(args, run->stream));
			args.ncolumns = 0;
		}
		if (!text && !value)
		{
			CUDA_PASS(request_step(run, step));
			continue;
		}
		args.column[args.ncolumns] = {};
		if (text)
			bring_text(run, table, step, &args.column[args.ncolumns++]);
		else
			bring_value(run, table, step, &args.column[args.ncolumns++]);
	}
	return launch_columns(args, run->stream);
}

/* Put the work of space s on the stream, of pairs [first, first + n) of the space before. */
static cudaError_t start_space(RequestJoin *join, const JoinLane &lane, int32_t s, uint64_t first)
{
	const JoinSpace *before = &join->space[s - 1];
	const CudaTable *table = join->table[s - 1];
	JoinSpace *space = &join->space[s];
	RequestRun *run = lane.run;
	RequestPlan *plan = &join->plan;
	PairsArgs args = {};

	run->plan = plan;
	run->memory = space->memory;
	args.start = before->start;
	args.value = before->probed;
	args.runs = table->table.runs;
	args.doubt = before->probed_doubt;
	args.first = first;
	args.nrows = before->nrows;
	args.n = plan->nrows;
	args.kind = probe_at(plan->program, join->probe_step[s - 1])->kind;
	args.outer = (int32_t *)(space->memory + join->outer_at);
	args.inner = (uint32_t *)(space->memory + join->inner_at);
	if (args.doubt != NULL)
		args.doubt_out = (uint32_t *)(space->memory + join->doubt_at);
	space->nrows = plan->nrows;
	space->outer = args.outer;
	space->inner = args.inner;
	space->doubt = args.doubt_out;
	lane.counters->computed = 0;
	CUDA_PASS(cudaEventRecord(lane.events->started, run->stream));
	CUDA_PASS(launch_pairs(args, run->stream));
	CUDA_PASS(cudaMemsetAsync(run->memory + plan->cleared_at, 0,
							  plan->cleared_end - plan->cleared_at, run->stream));
	CUDA_PASS(run_steps(run, space, table));
	CUDA_PASS(s == join->nprobes ? request_result(run, join)
								 : request_probe(run, space, join->table[s]));
	CUDA_PASS(cudaEventRecord(lane.events->computed, run->stream));
	CUDA_PASS(cudaMemcpyAsync(lane.counters, run->memory + plan->cleared_at,
							  sizeof(RequestCounters), cudaMemcpyDeviceToHost, run->stream));
	if (s == join->nprobes && join->result.direct)
	{
		join->out.nrows = join->result.room;
		CUDA_PASS(request_copy_result(run, join));
	}
	return cudaEventRecord(lane.events->finished, run->stream);
}

/* Note a failure of CUDA. */
static JoinAnswer failed(EngineError *error, cudaError_t rc, const char *what)
{
	(void)cuda_error(error, rc, what);
	return JOIN_FAILED;
}

void join_no_results(RequestJoin *join, const RequestPlan *plan)
{
	memset(&join->out, 0, sizeof(join->out));
	request_end_result(plan, join);
}

/* Work on space s, of n rows, pairs from 'first' on. */
static JoinAnswer open_space(RequestJoin *join, const JoinLane &lane, int32_t s, uint64_t first,
							 int32_t n, bool alone, EngineError *error);

/* Start space 1 with the window at hand. */
static JoinAnswer open_window(RequestJoin *join, const JoinLane &lane, bool alone,
							  EngineError *error)
{
	const uint64_t pairs = join->space[0].pairs;
	uint64_t left = join->pair < pairs ? pairs - join->pair : 0;

	/* without a condition each pair is a result: those that are left out need not be made */
	if (join->nprobes == 1 && !join->filtered && join->skip > 0)
	{
		uint64_t skip = join->skip < left ? join->skip : left;

		join->pair += skip;
		join->skip = 0;
		left -= skip;
	}
	free_spaces(join, lane, 1);
	join->at = 1;
	if (left == 0)
	{
		join_no_results(join, lane.plan);
		return JOIN_THROUGH;
	}
	return open_space(join, lane, 1, join->pair,
					  left < (uint64_t)join->window ? (int32_t)left : join->window, alone, error);
}

/* A space is too large for the window: a smaller one, of at most 'most' pairs. */
static JoinAnswer shrink_window(RequestJoin *join, const JoinLane &lane, int32_t most, bool alone,
								EngineError *error)
{
	const int32_t was = join->space[1].nrows < join->window ? join->space[1].nrows : join->window;

	error->code = ENGINE_OK;
	error->message[0] = '\0';
	join->window = most < was / 2 ? most : was / 2;
	if (join->window < 1)
		join->window = 1;

	/* its texts need less, too; if that turns out to be too little, that is seen once more */
	join->text_room = (uint64_t)((double)join->text_room / was * join->window);
	return open_window(join, lane, alone, error);
}

static JoinAnswer open_space(RequestJoin *join, const JoinLane &lane, int32_t s, uint64_t first,
							 int32_t n, bool alone, EngineError *error)
{
	JoinSpace *space = &join->space[s];
	EngineCode code = plan_space(join, lane, s, n, error);
	cudaError_t rc;

	if (code != ENGINE_OK)
		return JOIN_FAILED;
	join->at = s;
	space->nrows = n;
	space->bytes = join->plan.bytes;
	code =
		kept_alloc(lane.programs, lane.run->stream, space->bytes, (void **)&space->memory, error);
	if (code == ENGINE_OUT_OF_MEMORY && join->space[1].nrows > 1)
	{
		if (!alone && join->space[1].nrows <= JOIN_LEAST_WINDOW)
			return JOIN_WAITS;
		return shrink_window(join, lane, join->space[1].nrows / 2, alone, error);
	}
	if (code == ENGINE_OUT_OF_MEMORY && !alone)
		return JOIN_WAITS;
	if (code != ENGINE_OK)
		return JOIN_FAILED;
	rc = start_space(join, lane, s, first);
	return rc == cudaSuccess ? JOIN_RUNS : failed(error, rc, "space of a join");
}

/* The window is over: the next one. */
static JoinAnswer next_window(RequestJoin *join, const JoinLane &lane, uint64_t results, bool alone,
							  EngineError *error)
{
	join->skip -= results < join->skip ? results : join->skip;
	join->pair += (uint64_t)join->space[1].nrows;
	if (join->window <= JOIN_MOST_WINDOW / 4)
		join->window *= 4;
	return open_window(join, lane, alone, error);
}

/* What the space at hand would have needed for the texts of a step; 0: there was room. */
static uint64_t lacking_room(const RequestJoin *join, const RequestCounters *counters)
{
	const RequestPlan *plan = &join->plan;
	uint64_t most = 0;

	for (int32_t i = 0; i < GPUSTR_MAX_TEXT_REGS; i++)
		if (plan->has_arena[i] && counters->cursors[i] > plan->arena_bytes[i] &&
			counters->cursors[i] > most)
			most = counters->cursors[i];
	return most;
}

/* Work on the window again, with room for texts of so many bytes, or on a smaller one. */
static JoinAnswer make_room(RequestJoin *join, const JoinLane &lane, uint64_t bytes, bool alone,
							EngineError *error)
{
	if (bytes > join->text_room && bytes <= JOIN_MOST_TEXT)
	{
		join->text_room = bytes;
		return open_window(join, lane, alone, error);
	}
	if (join->space[1].nrows > 1)
		return shrink_window(join, lane, join->space[1].nrows / 2, alone, error);
	(void)gpustr_engine_error(error, ENGINE_OUT_OF_MEMORY,
							  "%llu bytes of texts are too many for the pairs of one row",
							  (unsigned long long)bytes);
	return JOIN_FAILED;
}

/* A later PROBE is over. */
static JoinAnswer go_deeper(RequestJoin *join, const JoinLane &lane, bool alone, EngineError *error)
{
	const uint64_t pairs = join->space[join->at].pairs;
	const int32_t window = join->space[1].nrows;
	uint64_t most = (uint64_t)JOIN_ROWS_PER_RESULT * (uint64_t)lane.plan->batch.result_room;

	if (pairs == 0)
		return next_window(join, lane, 0, alone, error);
	most = most < JOIN_LEAST_ROWS ? JOIN_LEAST_ROWS : most;
	if (pairs > most && window > 1)
		return shrink_window(join, lane, (int32_t)(window * ((double)most / (double)pairs)), alone,
							 error);
	if (pairs > JOIN_MOST_ROWS)
	{
		(void)gpustr_engine_error(error, ENGINE_OUT_OF_MEMORY,
								  "%llu pairs of one row are too many for a join of several tables",
								  (unsigned long long)pairs);
		return JOIN_FAILED;
	}
	return open_space(join, lane, join->at + 1, 0, (int32_t)pairs, alone, error);
}

/* The results are through, but for their columns, unless these came with them. */
static JoinAnswer take_results(RequestJoin *join, const JoinLane &lane, bool alone,
							   EngineError *error)
{
	const JoinCounters *counted = &lane.counters->join;
	const uint64_t window = (uint64_t)join->space[1].nrows;
	cudaError_t rc;

	if (counted->kept <= join->skip)
		return next_window(join, lane, counted->kept, alone, error);
	join->out.nrows = (int32_t)counted->written;
	join->out.more = 1;
	if (join->skip + counted->written < counted->kept)
	{
		join->out.next_pair = join->pair + counted->next_pair;
		join->out.next_skip = counted->next_skip;
	}
	else if (join->pair + window < join->space[0].pairs)
		join->out.next_pair = join->pair + window;
	else
		join->out.more = 0;
	memcpy(join->text_bytes, counted->bytes, sizeof(join->text_bytes));
	if (join->result.direct || join->out.nrows == 0)
	{
		request_end_result(lane.plan, join);
		return JOIN_THROUGH;
	}
	join->fetching = true;
	rc = cudaEventRecord(lane.events->started, lane.run->stream);
	if (rc == cudaSuccess)
		rc = cudaEventRecord(lane.events->computed, lane.run->stream);
	if (rc == cudaSuccess)
		rc = request_copy_result(lane.run, join);
	if (rc == cudaSuccess)
		rc = cudaEventRecord(lane.events->finished, lane.run->stream);
	return rc == cudaSuccess ? JOIN_RUNS : failed(error, rc, "results of a join");
}

JoinAnswer join_go_on(RequestJoin *join, const JoinLane &lane, bool alone, EngineError *error)
{
	JoinSpace *space = &join->space[join->at];
	uint64_t lacking;

	if (join->fetching)
	{
		request_end_result(lane.plan, join);
		return JOIN_THROUGH;
	}
	lacking = join->at > 0 ? lacking_room(join, lane.counters) : 0;
	if (lacking > 0)
		return make_room(join, lane, lacking, alone, error);
	if (join->at == join->nprobes)
		return take_results(join, lane, alone, error);
	space->pairs = lane.counters->join.pairs;
	if (join->at > 0)
		return go_deeper(join, lane, alone, error);
	join->probed = lane.counters->join.probed;
	join->rechecks = lane.counters->rechecks;
	return open_window(join, lane, alone, error);
}
