/*-------------------------------------------------------------------------
 *
 * host_values.c
 *	  The steps of a program, on the CPU, over a chunk of rows: those on value
 *	  registers.
 *
 * Loops go over all rows, those without a value included: what they give is
 * masked by the state, a word at a time.  Row functions take any bits.
 *
 * IDENTIFICATION
 *	  src/engine/host_values.c
 *
 *-------------------------------------------------------------------------
 */
#include "engine/host_steps.h"
#include "rowfn/value.h"

void
gpustr_host_compare_value(HostRun *run, const GpustrStep *step)
{
	const HostValue *a = &run->value[step->in0];
	const HostValue *b = &run->value[step->in1];
	GpustrTruthWord *out = run->boolean[step->out].word;
	int			relation = step->aux;
	int32_t		w;

	for (w = 0; w < host_chunk_words(run); w++)
	{
		GpustrTruthWord state = host_state_of_both(a->state[w], b->state[w]);
		const int64_t *x = a->value + w * 32;
		const int64_t *y = b->value + w * 32;
		int32_t		n = host_word_rows(run, w);
		uint32_t	yes = 0;
		int32_t		i;

		if (step->attr == GPUSTR_ORDER_FLOAT)
			for (i = 0; i < n; i++)
				yes |= (uint32_t) rowfn_relation(rowfn_compare_float(rowfn_float(x[i]), rowfn_float(y[i])),
												 relation) << i;
		else
			for (i = 0; i < n; i++)
				yes |= (uint32_t) rowfn_relation(rowfn_compare_int(x[i], y[i]), relation) << i;
		out[w] = gpustr_truth_word(state.lo | (yes & ~state.hi), state.hi);
	}
}

void
gpustr_host_in_value(HostRun *run, const GpustrStep *step)
{
	const HostValue *in = &run->value[step->in0];
	const int64_t *values = (const int64_t *) GPUSTR_PROGRAM_CONST(run->program, step);
	int32_t		nvalues = (int32_t) (step->const_bytes / sizeof(int64_t));
	int32_t		w;

	for (w = 0; w < host_chunk_words(run); w++)
	{
		int32_t		n = host_word_rows(run, w);
		uint32_t	found = 0;
		int32_t		i;

		for (i = 0; i < n; i++)
			found |= (uint32_t) rowfn_in_value(in->value[w * 32 + i], values, nvalues) << i;
		run->boolean[step->out].word[w] = host_truth_of_in(in->state[w], found, step->attr);
	}
}

void
gpustr_host_value_true(HostRun *run, const GpustrStep *step)
{
	const HostValue *in = &run->value[step->in0];
	int32_t		w;

	for (w = 0; w < host_chunk_words(run); w++)
	{
		GpustrTruthWord state = in->state[w];
		int32_t		n = host_word_rows(run, w);
		uint32_t	yes = 0;
		int32_t		i;

		for (i = 0; i < n; i++)
			yes |= (uint32_t) (in->value[w * 32 + i] != 0) << i;
		run->boolean[step->out].word[w] = gpustr_truth_word(state.lo | (yes & ~state.hi), state.hi);
	}
}

void
gpustr_host_choose_value(HostRun *run, const GpustrStep *step)
{
	const HostValue *a = &run->value[step->in0];
	const HostValue *b = &run->value[step->in1];
	const GpustrTruthWord *condition = run->boolean[step->in2].word;
	HostValue  *out = &run->value[step->out];
	int32_t		w;

	for (w = 0; w < host_chunk_words(run); w++)
	{
		uint32_t	yes = condition[w].lo & ~condition[w].hi;
		int32_t		n = host_word_rows(run, w);
		int32_t		i;

		out->state[w] = host_choose(condition[w], a->state[w], b->state[w]);
		for (i = 0; i < n; i++)
		{
			int32_t		r = w * 32 + i;

			out->value[r] = (yes >> i) & 1 ? a->value[r] : b->value[r];
		}
	}
}

void
gpustr_host_bool_value(HostRun *run, const GpustrStep *step)
{
	const GpustrTruthWord *in = run->boolean[step->in0].word;
	HostValue  *out = &run->value[step->out];
	int32_t		w;

	for (w = 0; w < host_chunk_words(run); w++)
	{
		int32_t		n = host_word_rows(run, w);
		int32_t		i;

		out->state[w] = gpustr_truth_word(in[w].lo & in[w].hi, in[w].hi);
		for (i = 0; i < n; i++)
			out->value[w * 32 + i] = (in[w].lo >> i) & 1;
	}
}

/* A state, and recheck where there is a value but it is an error. */
static GpustrTruthWord
add_errors(GpustrTruthWord state, uint32_t errors)
{
	errors &= ~state.hi;
	return gpustr_truth_word(state.lo | errors, state.hi | errors);
}

void
gpustr_host_arith(HostRun *run, const GpustrStep *step)
{
	const HostValue *a = &run->value[step->in0];
	const HostValue *b = rowfn_arith_is_unary(step->aux) ? a : &run->value[step->in1];
	HostValue  *out = &run->value[step->out];
	int			is_float = step->attr == GPUSTR_VALUE_FLOAT4 || step->attr == GPUSTR_VALUE_FLOAT8;
	int32_t		w;

	for (w = 0; w < host_chunk_words(run); w++)
	{
		const int64_t *x = a->value + w * 32;
		const int64_t *y = b->value + w * 32;
		int64_t    *to = out->value + w * 32;
		int32_t		n = host_word_rows(run, w);
		uint32_t	errors = 0;
		int32_t		i;

		if (is_float)
			for (i = 0; i < n; i++)
				errors |= (uint32_t) rowfn_arith_float(step->aux, step->attr, x[i], y[i], &to[i]) << i;
		else
			for (i = 0; i < n; i++)
				errors |= (uint32_t) rowfn_arith_int(step->aux, step->attr, x[i], y[i], &to[i]) << i;
		out->state[w] = add_errors(host_state_of_both(a->state[w], b->state[w]), errors);
	}
}

void
gpustr_host_cast(HostRun *run, const GpustrStep *step)
{
	const HostValue *in = &run->value[step->in0];
	HostValue  *out = &run->value[step->out];
	int32_t		w;

	for (w = 0; w < host_chunk_words(run); w++)
	{
		int32_t		n = host_word_rows(run, w);
		uint32_t	errors = 0;
		int32_t		i;

		for (i = 0; i < n; i++)
		{
			int32_t		r = w * 32 + i;

			errors |= (uint32_t) rowfn_cast(step->aux, in->value[r], &out->value[r]) << i;
		}
		out->state[w] = add_errors(in->state[w], errors);
	}
}
