/*-------------------------------------------------------------------------
 *
 * request_probe.cu
 *	  The PROBE at the end of a space: its memory, and its launches.
 *
 * A key's columns are read where their registers are.  But a constant has no array,
 * and words are compared as such: those columns become arrays first.
 *
 * IDENTIFICATION
 *	  cuda/request_probe.cu
 *
 *-------------------------------------------------------------------------
 */
#include "request_join.cuh"

/* Bytes of a column of a key that becomes an array, or start[] and end[]. */
static uint64_t key_bytes(const RequestPlan *plan)
{
	return 2 * request_row_bytes(plan);
}

cudaError_t request_place_probe(RequestPlan *plan, const GpustrStep *step)
{
	const GpustrProbe *probe = (const GpustrProbe *)GPUSTR_PROGRAM_CONST(plan->program, step);
	ProbePlace *place = &plan->probe;

	place->step = step;
	CUDA_PASS(probe_scratch_need(plan->nrows, &place->scratch_bytes));
	place->value_at = request_place(plan, request_row_bytes(plan));
	place->start_at = request_place(plan, ((uint64_t)plan->nrows + 1) * sizeof(uint64_t));
	place->doubt_at = request_place(plan, request_word_bytes(plan));
	place->keys_at = request_place(plan, (uint64_t)probe->nkeys * key_bytes(plan));
	place->scratch_at = request_place(plan, place->scratch_bytes);
	return cudaSuccess;
}

/* A column of texts. */
static bool text_key(const RequestRun *run, const TextRegister &text, char *at,
					 RowfnKeyColumn *column, KeyArray *array)
{
	column->base = text.base;
	column->start = text.start;
	column->end = text.end;
	if (text.start != NULL)
		return false;
	array->constant = text.bytes;
	array->start = (int32_t *)at;
	array->end = (int32_t *)(at + request_row_bytes(run->plan));
	column->start = array->start;
	column->end = array->end;
	return true;
}

/* A column of values. */
static bool value_key(const ValueRegister &value, char *at, RowfnKeyColumn *column, KeyArray *array)
{
	column->value = value.value;
	if (column->kind != ROWFN_KEY_WORD && value.value != NULL)
		return false;
	array->value = value.value;
	array->constant = value.constant;
	if (column->kind == ROWFN_KEY_WORD)
		array->word = (uint32_t *)at;
	else
		array->number = (int64_t *)at;
	column->value = at;
	return true;
}

/* The columns of the key; returns how many become arrays, as it says. */
static int32_t probe_keys(const RequestRun *run, const GpustrProbe *probe, ProbeArgs *args,
						  KeyArray *arrays)
{
	char *at = run->memory + run->plan->probe.keys_at;
	int32_t n = 0;

	args->outer.ncolumns = probe->nkeys;
	args->outer.hash_bits = probe->hash_bits;
	for (int32_t k = 0; k < probe->nkeys; k++)
	{
		RowfnKeyColumn *column = &args->outer.column[k];
		char *mine = at + (uint64_t)k * key_bytes(run->plan);

		column->kind = probe->key_kind[k];
		arrays[n] = {};
		if (column->kind >= ROWFN_KEY_BYTES)
		{
			const TextRegister &text = run->text[probe->key_reg[k]];

			args->key[k] = {text.valid, text.recheck};
			n += text_key(run, text, mine, column, &arrays[n]);
		}
		else
		{
			const ValueRegister &value = run->value[probe->key_reg[k]];

			args->key[k] = {value.valid, value.recheck};
			args->word = value;
			n += !args->exact && value_key(value, mine, column, &arrays[n]);
		}
	}
	return n;
}

cudaError_t request_probe(const RequestRun *run, JoinSpace *space, const CudaTable *table)
{
	const RequestPlan *plan = run->plan;
	const ProbePlace *place = &plan->probe;
	const GpustrProbe *probe = (const GpustrProbe *)GPUSTR_PROGRAM_CONST(run->program, place->step);
	const bool first = run->memory == run->input;
	RequestCounters *counters = (RequestCounters *)(run->memory + plan->cleared_at);
	KeyArray arrays[ROWFN_MAX_KEYS];
	ProbeArgs args = {};
	int32_t n;

	args.table = table->table;
	args.kind = probe->kind;
	args.partition = probe->partition;
	args.npartitions = probe->npartitions;
	args.exact = table->exact;
	args.nkeys = probe->nkeys;
	args.first = first;
	args.nrows = plan->nrows;
	args.condition = request_bool(run, place->step->in0);
	args.inner = table->keys;
	n = probe_keys(run, probe, &args, arrays);
	args.doubt = space->doubt;
	args.value = (uint32_t *)(run->memory + place->value_at);
	args.start = (unsigned long long *)(run->memory + place->start_at);
	args.recheck = (uint32_t *)(run->memory + plan->recheck_at);
	args.doubt_out = (uint32_t *)(run->memory + place->doubt_at);
	args.probed = first ? &counters->join.probed : NULL;
	CUDA_PASS(launch_key_arrays(arrays, n, plan->nrows, run->stream));
	CUDA_PASS(
		launch_probe(args, run->memory + place->scratch_at, place->scratch_bytes, run->stream));
	space->probed = args.value;
	space->start = args.start;
	space->probed_doubt = first ? NULL : args.doubt_out;
	return launch_probe_finish(args.start, plan->nrows, first ? args.recheck : NULL,
							   &counters->join.pairs, &counters->rechecks, &counters->computed,
							   run->stream);
}
