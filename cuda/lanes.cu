/*-------------------------------------------------------------------------
 *
 * lanes.cu
 *	  The CUDA engine's requests: those that wait, in flight, and through.
 *
 * See lanes.cuh.
 *
 * IDENTIFICATION
 *	  cuda/lanes.cu
 *
 *-------------------------------------------------------------------------
 */
#include "lanes.cuh"

/* How often poll() asks the driver about a lane whose counters say that it is too early. */
#define POLLS_PER_QUERY 16

void list_append(RequestList *list, EngineRequest *request)
{
	request->engine_private = NULL;
	if (list->tail != NULL)
		list->tail->engine_private = request;
	else
		list->head = request;
	list->tail = request;
}

EngineRequest *list_take(RequestList *list)
{
	EngineRequest *request = list->head;

	if (request == NULL)
		return NULL;
	list->head = (EngineRequest *)request->engine_private;
	if (list->head == NULL)
		list->tail = NULL;
	request->engine_private = NULL;
	return request;
}

static void no_error(EngineError *error)
{
	error->code = ENGINE_OK;
	error->message[0] = '\0';
}

/* A request has failed.  Unless it lacked memory or was bad, so has the engine. */
static void note_failure(CudaEngine *engine, EngineError *error)
{
	if (error->code == ENGINE_NO_DEVICE)
		error->code = ENGINE_LOST;
	if (error->code == ENGINE_LOST && !engine->lost)
	{
		engine->lost = true;
		engine->why = *error;
	}
}

static JoinLane lane_join(CudaEngine *engine, CudaLane *lane)
{
	JoinLane join;

	join.programs = &engine->programs;
	join.tables = &engine->tables;
	join.plan = &lane->plan;
	join.run = &lane->run;
	join.counters = lane->counters;
	join.events = &lane->events;
	return join;
}

/* Take the request out of its lane; it may come back. */
static EngineRequest *lane_leave(CudaEngine *engine, CudaLane *lane)
{
	EngineRequest *request = lane->request;

	kept_finish(&engine->programs, lane->plan.kept, lane->plan.fill,
				request->error.code != ENGINE_OK);
	join_leave(&lane->join, lane_join(engine, lane));
	memory_pool_free(&engine->pool, lane->stream, lane->memory, lane->plan.bytes);
	if (lane->finishing)
		finish_end(&engine->tables, &engine->finish, lane->stream);
	if (lane->plan.build.table != NULL)
		table_leave(&engine->tables, lane->plan.build.table);
	lane->memory = NULL;
	lane->request = NULL;
	lane->fetching = false;
	lane->finishing = false;
	engine->busy--;
	engine->stalled = false;
	return request;
}

/* Take the request out of its lane: it is through. */
static EngineRequest *lane_release(CudaEngine *engine, CudaLane *lane)
{
	EngineRequest *request = lane_leave(engine, lane);

	kept_leave(&engine->programs, request);
	return request;
}

/* Nothing is on its stream: start the request anew, first of all, when others give memory back. */
static void lane_put_off(CudaEngine *engine, CudaLane *lane)
{
	EngineRequest *request;

	no_error(&lane->request->error);
	request = lane_leave(engine, lane);
	request->engine_private = engine->waiting.head;
	engine->waiting.head = request;
	if (engine->waiting.tail == NULL)
		engine->waiting.tail = request;
	engine->stalled = true;
}

/*
 * Give up a request of which some work may be on the stream: that must be over
 * before the body is anybody else's.
 */
static EngineRequest *lane_give_up(CudaEngine *engine, CudaLane *lane)
{
	cudaError_t rc = engine->lost ? cudaSuccess : cudaStreamSynchronize(lane->stream);

	if (rc != cudaSuccess)
	{
		(void)cuda_error(&lane->request->error, rc, "request");
		lane->request->error.code = ENGINE_LOST;
	}
	note_failure(engine, &lane->request->error);
	return lane_release(engine, lane);
}

/* Nanoseconds between two events that are over. */
static uint64_t elapsed_ns(cudaEvent_t from, cudaEvent_t to)
{
	float ms = 0;

	if (cudaEventElapsedTime(&ms, from, to) != cudaSuccess)
	{
		(void)cudaGetLastError();
		return 0;
	}
	return (uint64_t)((double)ms * 1e6);
}

/* What a request that went well has read and written, as the host engine counts it. */
static void count_bytes(EngineRequest *request, const RequestPlan *plan,
						const RequestCounters *counters)
{
	const GpustrBatch *batch = &plan->batch;
	uint64_t nrows = (uint64_t)batch->nrows;
	uint64_t bitmap_bytes = (uint64_t)plan->nwords * sizeof(uint32_t);
	int32_t i;

	request->bytes_in = batch->in_bytes + (uint64_t)batch->npages * GPUSTR_PAGE_BYTES;
	request->bytes_out = 0;
	if (batch->selected_off != 0)
		request->bytes_out += bitmap_bytes;
	if (batch->recheck_off != 0)
		request->bytes_out += bitmap_bytes;
	for (i = 0; i < batch->nout; i++)
		request->bytes_out += (nrows + 7) / 8 + 4 * (nrows + 1) + counters->out_bytes[i];
	request->rechecks = counters->rechecks;
}

/*
 * The work of a lane with a join is over.  Returns the request if it is through, or
 * NULL if it goes on, or waits.
 */
static EngineRequest *lane_finish_join(CudaEngine *engine, CudaLane *lane)
{
	EngineRequest *request = lane->request;

	if (lane->join.at == 0)
	{
		request->transfer_ns = elapsed_ns(lane->events.started, lane->events.copied_in);
		request->kernel_ns = elapsed_ns(lane->events.copied_in, lane->events.computed);
	}
	else
		request->kernel_ns += elapsed_ns(lane->events.started, lane->events.computed);
	request->transfer_ns += elapsed_ns(lane->events.computed, lane->events.finished);
	switch (join_go_on(&lane->join, lane_join(engine, lane), engine->busy == 1, &request->error))
	{
		case JOIN_RUNS:
			lane->fetching = lane->join.fetching;
			return NULL;
		case JOIN_WAITS:
			lane_put_off(engine, lane);
			return NULL;
		case JOIN_THROUGH:
			count_bytes(request, &lane->plan, lane->counters);
			request->bytes_out += lane->join.out_bytes;
			request->rechecks = lane->join.rechecks;
			return lane_release(engine, lane);
		case JOIN_FAILED:
			break;
	}
	return lane_give_up(engine, lane);
}

/*
 * The work of a lane is over.  Returns the request if it is through, or NULL
 * if its output columns are now on their way.
 */
static EngineRequest *lane_finish(CudaEngine *engine, CudaLane *lane)
{
	EngineRequest *request = lane->request;
	EngineError *error = &request->error;

	if (lane->join.nprobes > 0)
		return lane_finish_join(engine, lane);
	if (lane->fetching)
		request->transfer_ns += elapsed_ns(lane->events.started, lane->events.finished);
	else
	{
		request->transfer_ns = elapsed_ns(lane->events.started, lane->events.copied_in) +
							   elapsed_ns(lane->events.computed, lane->events.finished);
		request->kernel_ns = elapsed_ns(lane->events.copied_in, lane->events.computed);
		if (lane->plan.batch.nout > 0)
		{
			if (request_fetch_output(&lane->plan, (char *)lane->memory, lane->counters,
									 lane->events, lane->stream, error) == ENGINE_OK)
			{
				lane->fetching = true;
				return NULL;
			}
			return lane_give_up(engine, lane);
		}
	}
	count_bytes(request, &lane->plan, lane->counters);
	if (lane->plan.build.what != NULL)
	{
		if (request->rechecks > 0)
			(void)gpustr_engine_error(error, ENGINE_BAD_INPUT,
									  "%llu rows of a table have no values",
									  (unsigned long long)request->rechecks);
		else
			lane->plan.build.table->rows += lane->plan.batch.nrows;
	}
	return lane_release(engine, lane);
}

/* Put a piece of work for a table on the lane's stream. */
static EngineCode lane_run_finish(CudaEngine *engine, CudaLane *lane, EngineError *error)
{
	CUDA_TRY(cudaEventRecord(lane->events.started, lane->stream));
	if (finish_start(&engine->tables, &engine->finish, lane->stream, error) != ENGINE_OK)
		return error->code;
	CUDA_TRY(cudaEventRecord(lane->events.finished, lane->stream));
	return ENGINE_OK;
}

/*
 * Start to finish a table, in a free lane, for a request that has been planned.
 * Returns as lane_start().
 */
static EngineCode lane_start_finish(CudaEngine *engine, CudaLane *lane, EngineRequest *request)
{
	TableFinish *finish = &engine->finish;
	EngineError *error = &request->error;
	EngineCode code;

	if (finish_begin(finish, lane->plan.build.table, error) != ENGINE_OK)
		return error->code;
	code = lane_run_finish(engine, lane, error);
	if (code == ENGINE_OUT_OF_MEMORY && !finish->started)
	{
		finish_end(&engine->tables, finish, lane->stream);
		return code;
	}
	lane->request = request;
	lane->finishing = true;
	engine->busy++;
	table_use(lane->plan.build.table);
	if (code != ENGINE_OK)
		(void)lane_give_up(engine, lane);
	return error->code;
}

/*
 * A lane that finishes a table: its work is over, or waits for memory.  Returns the
 * request if it is through.
 */
static EngineRequest *lane_finish_table(CudaEngine *engine, CudaLane *lane)
{
	TableFinish *finish = &engine->finish;
	EngineRequest *request = lane->request;
	EngineCode code;

	if (finish->started)
	{
		request->kernel_ns += elapsed_ns(lane->events.started, lane->events.finished);
		if (finish_step(&engine->tables, finish, lane->stream, &request->error) != ENGINE_OK)
		{
			/* what is wrong with the table cannot be mended */
			tables_drop(&engine->tables, lane->plan.build.table->id);
			return lane_give_up(engine, lane);
		}
		if (finish->phase == FINISH_DONE)
		{
			finish_describe(finish, GPUSTR_BODY_PTR(request->body, lane->plan.batch.table_off,
													GpustrTableResult));
			request->bytes_in = lane->plan.batch.in_bytes;
			request->bytes_out = sizeof(GpustrTableResult);
			return lane_release(engine, lane);
		}
	}
	code = lane_run_finish(engine, lane, &request->error);
	if (code == ENGINE_OUT_OF_MEMORY && !finish->started && engine->busy > 1)
	{
		/* wait for others to give memory back */
		no_error(&request->error);
		return NULL;
	}
	return code == ENGINE_OK ? NULL : lane_give_up(engine, lane);
}

int32_t readable_blocks(const CudaEngine *engine)
{
	return __atomic_load_n(&engine->registration.registered_blocks, __ATOMIC_ACQUIRE);
}

/*
 * Start a request in a free lane.  Returns ENGINE_OK if it runs, or if there was
 * nothing to do, which leaves the lane free.  ENGINE_OUT_OF_MEMORY leaves the lane
 * free, as does any other failure.
 */
static EngineCode lane_start(CudaEngine *engine, CudaLane *lane, EngineRequest *request)
{
	GpustrKeptProgram *kept = (GpustrKeptProgram *)request->engine_program;
	EngineError *error = &request->error;
	EngineCode code;

	code = request_plan(&lane->plan, request->body, kept != NULL ? kept->program : NULL,
						readable_blocks(engine), error);
	if (code != ENGINE_OK)
		return code;
	code = join_begin(&lane->join, &engine->tables, &lane->plan.batch, lane->plan.program, error);
	if (code != ENGINE_OK)
	{
		lane->join.nprobes = 0;
		return code;
	}
	engine->trimmed = false;
	if (lane->plan.build.what != NULL)
	{
		code = tables_begin(&engine->tables, lane->plan.build.what, &lane->plan.build.table, error);
		if (code != ENGINE_OK)
			return code;
		if (lane->plan.build.what->finish == 1)
			return lane_start_finish(engine, lane, request);
		if (lane->plan.batch.nrows == 0)
			return ENGINE_OK;
	}
	code = kept_alloc(&engine->programs, lane->stream, lane->plan.bytes, &lane->memory, error);
	if (code == ENGINE_OK && request_is_measured(&lane->plan))
	{
		code = kept_take_fixed(&engine->programs, engine->measure_bytes, error);
		if (code != ENGINE_OK)
		{
			memory_pool_free(&engine->pool, lane->stream, lane->memory, lane->plan.bytes);
			lane->memory = NULL;
		}
	}
	if (code != ENGINE_OK)
		return code;
	lane->request = request;
	engine->busy++;
	if (lane->plan.build.table != NULL)
		table_use(lane->plan.build.table);
	join_enter(&lane->join);
	lane->plan.kept = kept_start(&engine->programs, request, lane->stream, &lane->plan.fill);
	kept_count(&engine->programs, lane->plan.program, lane->plan.kept == NULL || lane->plan.fill);
	lane->run.redact_blocks = &engine->redact_blocks;
	lane->run.dfa_device = &engine->dfa_device;
	lane->run.stream = lane->stream;
	lane->run.error = error;
	code = request_start(&lane->plan, (char *)lane->memory, engine->config.blocks, lane->counters,
						 lane->events, &lane->run, &lane->join);
	if (code != ENGINE_OK)
		(void)lane_give_up(engine, lane);
	return error->code;
}

void engine_drop_table(CudaEngine *engine, uint64_t id)
{
	RequestList waiting = engine->waiting;
	EngineRequest *request;

	tables_drop(&engine->tables, id);
	engine->stalled = false;
	engine->trimmed = false;
	engine->waiting.head = NULL;
	engine->waiting.tail = NULL;
	while ((request = list_take(&waiting)) != NULL)
	{
		const GpustrTableBuild *build = request_build(body_program(request));

		if (build == NULL || build->table != id)
		{
			list_append(&engine->waiting, request);
			continue;
		}
		(void)gpustr_engine_error(&request->error, ENGINE_NO_TABLE, "the table has been dropped");
		kept_leave(&engine->programs, request);
		list_append(&engine->done, request);
	}
}

/*
 * A request is through.  If it was to build a table, and there is no memory for that,
 * or if rows are missing, there is no such table.
 */
static void note_through(CudaEngine *engine, const EngineRequest *request)
{
	const GpustrTableBuild *build;

	if (engine->lost ||
		(request->error.code != ENGINE_OUT_OF_MEMORY && request->error.code != ENGINE_NO_TABLE))
		return;
	build = request_build(body_program(request));
	if (build != NULL)
		engine_drop_table(engine, build->table);
}

/* Is the first that waits to wait until a table is finished? */
static bool waits_for_finish(const CudaEngine *engine)
{
	const GpustrTableBuild *build;

	if (engine->finish.table == NULL)
		return false;
	if (!engine->finish.started)
		return true;
	build = request_build(body_program(engine->waiting.head));
	return build != NULL && build->finish == 1;
}

void start_waiting(CudaEngine *engine)
{
	while (engine->waiting.head != NULL && !engine->stalled)
	{
		EngineRequest *request = engine->waiting.head;
		CudaLane *lane = NULL;
		EngineCode code = ENGINE_OK;
		int i;

		if (engine->lost)
			request->error = engine->why;
		else
		{
			for (i = 0; i < MAX_IN_FLIGHT && lane == NULL; i++)
				if (engine->lane[i].request == NULL)
					lane = &engine->lane[i];
			if (lane == NULL || waits_for_finish(engine))
				return;
			code = lane_start(engine, lane, request);
			if (code == ENGINE_OUT_OF_MEMORY && engine->busy > 0)
			{
				/* wait for a lane to give memory back */
				no_error(&request->error);
				engine->stalled = true;
				return;
			}
			note_failure(engine, &request->error);
		}
		(void)list_take(&engine->waiting);
		if (lane == NULL || lane->request != request)
		{
			note_through(engine, request);
			kept_leave(&engine->programs, request);
			list_append(&engine->done, request);
		}
	}
}

/*
 * Is there no need to ask the driver whether a lane is through?  A question costs
 * some microseconds, and there are many.  Before the copies at a request's end
 * the counters come, with a word that is not 0.  They do not come if the
 * device is lost, so the driver is asked now and then all the same.
 */
static bool too_early(CudaLane *lane)
{
	if (!lane->fetching && !lane->finishing &&
		*(volatile const unsigned long long *)&lane->counters->computed == 0 &&
		++lane->polls < POLLS_PER_QUERY)
		return true;
	lane->polls = 0;
	return false;
}

/* As poll_lane(). */
static EngineRequest *poll_request(CudaEngine *engine, CudaLane *lane)
{
	cudaError_t rc = cudaSuccess;

	if (lane->request == NULL || (!engine->lost && too_early(lane)))
		return NULL;
	if (!engine->lost)
	{
		if (lane->finishing && !engine->finish.started)
			return lane_finish_table(engine, lane);
		rc = cudaEventQuery(lane->events.finished);
		if (rc == cudaErrorNotReady)
			return NULL;
		if (rc == cudaSuccess)
			return lane->finishing ? lane_finish_table(engine, lane) : lane_finish(engine, lane);
		(void)cuda_error(&lane->request->error, rc, "request");
		lane->request->error.code = ENGINE_LOST;
		note_failure(engine, &lane->request->error);
	}
	lane->request->error = engine->why;
	return lane_release(engine, lane);
}

EngineRequest *poll_lane(CudaEngine *engine, CudaLane *lane)
{
	EngineRequest *request = poll_request(engine, lane);

	if (request != NULL)
		note_through(engine, request);
	return request;
}
