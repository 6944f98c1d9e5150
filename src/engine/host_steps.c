/*-------------------------------------------------------------------------
 *
 * host_steps.c
 *	  The steps of a program, on the CPU, over a chunk of rows: those on texts
 *	  and truth values, and SELECT.
 *
 * One function a step, each a loop around a row function; the body has been
 * checked, so registers, constants and offsets are used as they are.  A text
 * is looked at only where the register says that there is one.  No step fails.
 *
 * IDENTIFICATION
 *	  src/engine/host_steps.c
 *
 *-------------------------------------------------------------------------
 */
#include "engine/host_steps.h"
#include "rowfn/compare.h"
#include "rowfn/like.h"

/*
 * May matching a text take too long?  A segment may be compared at each of its
 * places.
 */
static inline int
is_too_much(int32_t len, const void *pattern)
{
	const GpustrLikePattern *p = (const GpustrLikePattern *) pattern;

	return (int64_t) len * (p->bytes - p->literal_off) > HOST_ROW_WORK;
}

static void
step_like(HostRun *run, const GpustrStep *step)
{
	const HostText *in = &run->text[step->in0];
	const void *pattern = GPUSTR_PROGRAM_CONST(run->program, step);
	HostBool   *out = &run->boolean[step->out];
	int32_t		encoding = run->program->encoding;
	int32_t		w;

	for (w = 0; w < host_chunk_words(run); w++)
	{
		GpustrTruthWord word = in->state[w];
		uint32_t	todo = ~word.hi & host_chunk_mask(run, w);

		while (todo != 0)
		{
			int32_t		bit = __builtin_ctz(todo);
			int32_t		r = w * 32 + bit;
			uint32_t	truth = GPUSTR_RECHECK;

			if (host_stops_at(run, in->len[r]))
				return;
			if (!is_too_much(in->len[r], pattern))
				truth = (uint32_t) rowfn_like(in->value[r], in->len[r], pattern, encoding);
			word.lo |= (truth & 1) << bit;
			word.hi |= (truth >> 1) << bit;
			todo &= todo - 1;
		}
		out->word[w] = word;
	}
}

/* For one kind of fold, which is constant where this is inlined. */
ROWFN_INLINE void
ilike_of_kind(HostRun *run, const GpustrStep *step, RowfnFoldKind kind)
{
	const HostText *in = &run->text[step->in0];
	const GpustrFold *fold = (const GpustrFold *) GPUSTR_PROGRAM_CONST(run->program, step);
	const void *pattern = fold + 1;
	HostBool   *out = &run->boolean[step->out];
	int32_t		encoding = run->program->encoding;
	int32_t		w;

	for (w = 0; w < host_chunk_words(run); w++)
	{
		GpustrTruthWord word = in->state[w];
		uint32_t	todo = ~word.hi & host_chunk_mask(run, w);

		while (todo != 0)
		{
			int32_t		bit = __builtin_ctz(todo);
			int32_t		r = w * 32 + bit;
			uint32_t	truth = GPUSTR_RECHECK;

			if (host_stops_at(run, in->len[r]))
				return;
			if (!is_too_much(in->len[r], pattern))
				truth = (uint32_t) rowfn_ilike(in->value[r], in->len[r], fold, kind, pattern, encoding);
			word.lo |= (truth & 1) << bit;
			word.hi |= (truth >> 1) << bit;
			todo &= todo - 1;
		}
		out->word[w] = word;
	}
}

static void
step_ilike(HostRun *run, const GpustrStep *step)
{
	const GpustrFold *fold = (const GpustrFold *) GPUSTR_PROGRAM_CONST(run->program, step);

	if (rowfn_fold_kind(fold) == ROWFN_FOLD_ASCII)
		ilike_of_kind(run, step, ROWFN_FOLD_ASCII);
	else
		ilike_of_kind(run, step, ROWFN_FOLD_TABLE);
}

static void
step_text_eq(HostRun *run, const GpustrStep *step)
{
	const HostText *in = &run->text[step->in0];
	const char *value = GPUSTR_PROGRAM_CONST(run->program, step);
	HostBool   *out = &run->boolean[step->out];
	int32_t		w;

	for (w = 0; w < host_chunk_words(run); w++)
	{
		GpustrTruthWord word = in->state[w];
		uint32_t	todo = ~word.hi & host_chunk_mask(run, w);

		while (todo != 0)
		{
			int32_t		bit = __builtin_ctz(todo);
			int32_t		r = w * 32 + bit;

			word.lo |= (uint32_t) rowfn_text_eq(in->value[r], in->len[r], value,
												(int32_t) step->const_bytes) << bit;
			todo &= todo - 1;
		}
		out->word[w] = word;
	}
}

static void
step_compare_text(HostRun *run, const GpustrStep *step)
{
	const HostText *a = &run->text[step->in0];
	const HostText *b = &run->text[step->in1];
	HostBool   *out = &run->boolean[step->out];
	int			lengths_decide;
	int32_t		w;

	/* of texts that differ in length it is known that they differ */
	lengths_decide = step->attr == GPUSTR_ORDER_BYTES &&
		(step->aux == GPUSTR_REL_EQ || step->aux == GPUSTR_REL_NE);
	for (w = 0; w < host_chunk_words(run); w++)
	{
		GpustrTruthWord word = host_state_of_both(a->state[w], b->state[w]);
		uint32_t	todo = ~word.hi & host_chunk_mask(run, w);

		while (todo != 0)
		{
			int32_t		bit = __builtin_ctz(todo);
			int32_t		r = w * 32 + bit;
			int			cmp = 1;
			uint32_t	recheck = 0;

			if (host_stops_at(run, a->len[r]))
				return;
			if (!lengths_decide || a->len[r] == b->len[r])
				recheck = (uint32_t) rowfn_compare_text(step->attr, a->value[r], a->len[r],
														b->value[r], b->len[r], &cmp);
			word.lo |= (recheck | (uint32_t) rowfn_relation(cmp, step->aux)) << bit;
			word.hi |= recheck << bit;
			todo &= todo - 1;
		}
		out->word[w] = word;
	}
}

static void
step_in_text(HostRun *run, const GpustrStep *step)
{
	const HostText *in = &run->text[step->in0];
	const GpustrTextSet *set = (const GpustrTextSet *) GPUSTR_PROGRAM_CONST(run->program, step);
	HostBool   *out = &run->boolean[step->out];
	int32_t		w;

	for (w = 0; w < host_chunk_words(run); w++)
	{
		GpustrTruthWord word = in->state[w];
		uint32_t	todo = ~word.hi & host_chunk_mask(run, w);
		uint32_t	found = 0;

		while (todo != 0)
		{
			int32_t		bit = __builtin_ctz(todo);
			int32_t		r = w * 32 + bit;

			found |= (uint32_t) rowfn_in_text(in->value[r], in->len[r], set) << bit;
			todo &= todo - 1;
		}
		out->word[w] = host_truth_of_in(word, found, step->attr);
	}
}

/* TRIM_BLANKS, a text, and LENGTH, a value. */
static void
step_measure(HostRun *run, const GpustrStep *step)
{
	const HostText *in = &run->text[step->in0];
	int32_t		encoding = step->aux == 1 ? GPUSTR_ENC_SINGLE_BYTE : run->program->encoding;
	int32_t		w;

	for (w = 0; w < host_chunk_words(run); w++)
	{
		uint32_t	todo = ~in->state[w].hi & host_chunk_mask(run, w);

		if (step->op == GPUSTR_OP_LENGTH)
			run->value[step->out].state[w] = in->state[w];
		else
			run->text[step->out].state[w] = in->state[w];
		while (todo != 0)
		{
			int32_t		r = w * 32 + __builtin_ctz(todo);

			if (host_stops_at(run, in->len[r]))
				return;
			if (step->op == GPUSTR_OP_LENGTH)
				run->value[step->out].value[r] = rowfn_char_count(in->value[r], in->len[r], encoding);
			else
			{
				run->text[step->out].value[r] = in->value[r];
				run->text[step->out].len[r] = rowfn_trimmed_bytes(in->value[r], in->len[r]);
			}
			todo &= todo - 1;
		}
	}
}

static void
step_choose_text(HostRun *run, const GpustrStep *step)
{
	const HostText *a = &run->text[step->in0];
	const HostText *b = &run->text[step->in1];
	const GpustrTruthWord *condition = run->boolean[step->in2].word;
	HostText   *out = &run->text[step->out];
	int32_t		w;

	for (w = 0; w < host_chunk_words(run); w++)
	{
		uint32_t	yes = condition[w].lo & ~condition[w].hi;
		uint32_t	todo;

		out->state[w] = host_choose(condition[w], a->state[w], b->state[w]);
		for (todo = ~out->state[w].hi & host_chunk_mask(run, w); todo != 0; todo &= todo - 1)
		{
			int32_t		bit = __builtin_ctz(todo);
			int32_t		r = w * 32 + bit;
			const HostText *from = (yes >> bit) & 1 ? a : b;

			out->value[r] = from->value[r];
			out->len[r] = from->len[r];
		}
	}
}

/* NULL_TEXT, NULL_VALUE, NULL_BOOL and IS_TRUE: never NULL. */
static void
step_is(HostRun *run, const GpustrStep *step)
{
	const GpustrTruthWord *in;
	GpustrTruthWord *out = run->boolean[step->out].word;
	int32_t		w;

	if (step->op == GPUSTR_OP_NULL_TEXT)
		in = run->text[step->in0].state;
	else if (step->op == GPUSTR_OP_NULL_VALUE)
		in = run->value[step->in0].state;
	else
		in = run->boolean[step->in0].word;
	for (w = 0; w < host_chunk_words(run); w++)
	{
		uint32_t	recheck = in[w].lo & in[w].hi;

		if (step->op == GPUSTR_OP_IS_TRUE)
			out[w] = gpustr_truth_word(in[w].lo, recheck);
		else
			out[w] = gpustr_truth_word(in[w].hi, recheck);
	}
}

static void
step_choose_bool(HostRun *run, const GpustrStep *step)
{
	const GpustrTruthWord *a = run->boolean[step->in0].word;
	const GpustrTruthWord *b = run->boolean[step->in1].word;
	const GpustrTruthWord *condition = run->boolean[step->in2].word;
	int32_t		w;

	for (w = 0; w < host_chunk_words(run); w++)
		run->boolean[step->out].word[w] = host_choose(condition[w], a[w], b[w]);
}

static void
step_logic(HostRun *run, const GpustrStep *step)
{
	const GpustrTruthWord *a = run->boolean[step->in0].word;
	const GpustrTruthWord *b = run->boolean[step->in1].word;
	GpustrTruthWord *out = run->boolean[step->out].word;
	int32_t		w;

	for (w = 0; w < host_chunk_words(run); w++)
	{
		if (step->op == GPUSTR_OP_AND)
			out[w] = gpustr_truth_and(a[w], b[w]);
		else if (step->op == GPUSTR_OP_OR)
			out[w] = gpustr_truth_or(a[w], b[w]);
		else if (step->op == GPUSTR_OP_QUAL)
			out[w] = gpustr_truth_qual(a[w], b[w]);
		else
			out[w] = gpustr_truth_not(a[w]);
	}
}

static void
step_select(HostRun *run, const GpustrStep *step)
{
	uint32_t   *selected = GPUSTR_BODY_PTR(run->body, run->batch->selected_off, uint32_t) + run->row / 32;
	uint32_t   *recheck = GPUSTR_BODY_PTR(run->body, run->batch->recheck_off, uint32_t) + run->row / 32;
	const GpustrTruthWord *in = run->boolean[step->in0].word;
	int32_t		w;

	for (w = 0; w < host_chunk_words(run); w++)
	{
		selected[w] = in[w].lo & ~in[w].hi & host_chunk_mask(run, w);
		recheck[w] |= in[w].lo & in[w].hi & host_chunk_mask(run, w);
	}
}

void
gpustr_host_step(HostRun *run, const GpustrStep *step)
{
	switch ((GpustrOp) step->op)
	{
		case GPUSTR_OP_DECODE_TEXT:
		case GPUSTR_OP_DECODE_BYTES:
			gpustr_host_decode_text(run, step);
			break;
		case GPUSTR_OP_DECODE_VALUE:
			gpustr_host_decode_value(run, step);
			break;
		case GPUSTR_OP_DECODE_NULL:
			gpustr_host_decode_null(run, step);
			break;
		case GPUSTR_OP_COLUMN:
			gpustr_host_column(run, step);
			break;
		case GPUSTR_OP_CONST:
			gpustr_host_const(run, step);
			break;
		case GPUSTR_OP_CONST_TEXT:
			gpustr_host_const_text(run, step);
			break;
		case GPUSTR_OP_CONST_VALUE:
			gpustr_host_const_value(run, step);
			break;
		case GPUSTR_OP_LIKE:
			step_like(run, step);
			break;
		case GPUSTR_OP_ILIKE:
			step_ilike(run, step);
			break;
		case GPUSTR_OP_DFA:
			gpustr_host_dfa(run, step);
			break;
		case GPUSTR_OP_CONTAINS_ANY:
			gpustr_host_contains_any(run, step);
			break;
		case GPUSTR_OP_TEXT_EQ:
			step_text_eq(run, step);
			break;
		case GPUSTR_OP_COMPARE_TEXT:
			step_compare_text(run, step);
			break;
		case GPUSTR_OP_COMPARE_VALUE:
			gpustr_host_compare_value(run, step);
			break;
		case GPUSTR_OP_IN_TEXT:
			step_in_text(run, step);
			break;
		case GPUSTR_OP_IN_VALUE:
			gpustr_host_in_value(run, step);
			break;
		case GPUSTR_OP_NULL_TEXT:
		case GPUSTR_OP_NULL_VALUE:
		case GPUSTR_OP_NULL_BOOL:
		case GPUSTR_OP_IS_TRUE:
			step_is(run, step);
			break;
		case GPUSTR_OP_VALUE_TRUE:
			gpustr_host_value_true(run, step);
			break;
		case GPUSTR_OP_AND:
		case GPUSTR_OP_OR:
		case GPUSTR_OP_NOT:
		case GPUSTR_OP_QUAL:
			step_logic(run, step);
			break;
		case GPUSTR_OP_CHOOSE_BOOL:
			step_choose_bool(run, step);
			break;
		case GPUSTR_OP_CHOOSE_TEXT:
			step_choose_text(run, step);
			break;
		case GPUSTR_OP_CHOOSE_VALUE:
			gpustr_host_choose_value(run, step);
			break;
		case GPUSTR_OP_TRIM_BLANKS:
		case GPUSTR_OP_LENGTH:
			step_measure(run, step);
			break;
		case GPUSTR_OP_BOOL_VALUE:
			gpustr_host_bool_value(run, step);
			break;
		case GPUSTR_OP_ARITH:
			gpustr_host_arith(run, step);
			break;
		case GPUSTR_OP_CAST:
			gpustr_host_cast(run, step);
			break;
		case GPUSTR_OP_SELECT:
			step_select(run, step);
			break;
		case GPUSTR_OP_REDACT:
			gpustr_host_redact(run, step);
			break;
		case GPUSTR_OP_MASK:
			gpustr_host_mask(run, step);
			break;
		case GPUSTR_OP_FIND_ALL:
			gpustr_host_find_all(run, step);
			break;
		case GPUSTR_OP_OUTPUT_TEXT:
			gpustr_host_output_text(run, step);
			break;
		case GPUSTR_OP_TEXT_MAKE:
			gpustr_host_text_make(run, step);
			break;
		case GPUSTR_OP_TEXT_MEASURE:
			gpustr_host_text_measure(run, step);
			break;
		case GPUSTR_OP_COLUMN_VALUE:
			gpustr_host_column_value(run, step);
			break;
		case GPUSTR_OP_BUILD:
			gpustr_host_build(run, step);
			break;
		case GPUSTR_OP_GATHER_TEXT:
			gpustr_host_gather_text(run, step);
			break;
		case GPUSTR_OP_GATHER_VALUE:
			gpustr_host_gather_value(run, step);
			break;
		case GPUSTR_OP_INNER_TEXT:
			gpustr_host_inner_text(run, step);
			break;
		case GPUSTR_OP_INNER_VALUE:
			gpustr_host_inner_value(run, step);
			break;
		case GPUSTR_OP_PROBE:
		case GPUSTR_OP_RESULT:
		case GPUSTR_OP_RESULT_TEXT:
		case GPUSTR_OP_RESULT_VALUE:
			break;				/* they end a space: host_join.c */
	}
}
