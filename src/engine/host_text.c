/*-------------------------------------------------------------------------
 *
 * host_text.c
 *	  The steps of a program, on the CPU, over a chunk of rows: functions of texts
 *	  (text_function.h).
 *
 * Made texts lie in an arena, a list of blocks, until the chunk is through.  A
 * row that there is no memory for is recheck.  Blocks stay with the arena for
 * the chunks and requests that follow.
 *
 * IDENTIFICATION
 *	  src/engine/host_text.c
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>

#include "engine/host_steps.h"
#include "rowfn/text_make.h"
#include "rowfn/text_measure.h"
#include "rowfn/text_slice.h"

/* Bytes of a block, unless one text needs more. */
#define ARENA_BLOCK_BYTES 65536

struct HostArenaBlock
{
	HostArenaBlock *next;
	size_t		bytes;			/* of room */
	size_t		used;
};

#define BLOCK_ROOM(block) ((char *) ((block) + 1))

/*
 * Take 'bytes' of the arena; NULL: there is no memory.  The first block with room
 * is at the head; blocks that are full, or too small, are passed by for the
 * rest of the chunk.
 */
static char *
arena_take(HostArena *arena, size_t bytes)
{
	HostArenaBlock *block;

	while ((block = arena->at) != NULL && block->bytes - block->used < bytes)
		arena->at = block->next;
	if (block == NULL)
	{
		size_t		room = bytes > ARENA_BLOCK_BYTES ? bytes : ARENA_BLOCK_BYTES;

		if (arena->bytes + room > arena->limit)
			return NULL;
		block = (HostArenaBlock *) malloc(sizeof(HostArenaBlock) + room);
		if (block == NULL)
			return NULL;
		block->next = NULL;
		block->bytes = room;
		block->used = 0;
		arena->bytes += room;
		*(arena->last != NULL ? &arena->last->next : &arena->first) = block;
		arena->last = block;
		arena->at = block;
	}
	block->used += bytes;
	return BLOCK_ROOM(block) + block->used - bytes;
}

void
gpustr_host_arena_reset(HostArena *arena)
{
	HostArenaBlock *block;

	for (block = arena->first; block != NULL; block = block->next)
		block->used = 0;
	arena->at = arena->first;
}

void
gpustr_host_arena_free(HostArena *arena)
{
	HostArenaBlock *block;

	while ((block = arena->first) != NULL)
	{
		arena->first = block->next;
		free(block);
	}
	arena->at = arena->last = NULL;
	arena->bytes = 0;
}

/* The registers that a step's function has as arguments. */
typedef struct StepArgs
{
	const HostText *text[3];	/* NULL: it is a value, or there is none */
	const HostValue *value[3];
} StepArgs;

static StepArgs
step_args(const HostRun *run, const GpustrStep *step)
{
	const char *shape = gpustr_text_function_shape(step->aux);
	const uint16_t in[3] = {step->in0, step->in1, step->in2};
	StepArgs	args = {{NULL, NULL, NULL}, {NULL, NULL, NULL}};
	int			i;

	for (i = 0; i < 3 && shape[i] != '\0'; i++)
	{
		if (shape[i] == 'T')
			args.text[i] = &run->text[in[i]];
		else
			args.value[i] = &run->value[in[i]];
	}
	return args;
}

/* The state of the answers: recheck before NULL. */
static GpustrTruthWord
args_state(const StepArgs *args, int32_t w)
{
	GpustrTruthWord state = gpustr_truth_word(0, 0);
	int			i;

	for (i = 0; i < 3; i++)
	{
		if (args->text[i] != NULL)
			state = host_state_of_both(state, args->text[i]->state[w]);
		if (args->value[i] != NULL)
			state = host_state_of_both(state, args->value[i]->state[w]);
	}
	return state;
}

/* The arguments of row r, none of which is NULL or recheck. */
static void
row_args(const StepArgs *args, int32_t r, RowfnArgs *row)
{
	int			i;

	for (i = 0; i < 3; i++)
	{
		if (args->text[i] != NULL)
		{
			row->text[i].s = args->text[i]->value[r];
			row->text[i].len = args->text[i]->len[r];
		}
		if (args->value[i] != NULL)
			row->value[i] = args->value[i]->value[r];
	}
}

/*
 * A redacted text is the text itself if nothing is found.  Else room for the longest
 * answer is taken and what is left of it given back, which is cheaper than to look
 * for everything twice.
 */
static int
redact_row(HostRun *run, const RowfnArgs *row, HostText *out, int32_t r)
{
	RowfnPiiScan scan = rowfn_pii_begin(row->text[0].s, row->text[0].len,
										*(const int32_t *) row->constant);
	RowfnPiiMatch match;
	size_t		room = 2 * (size_t) row->text[0].len;
	int64_t		bytes;
	char	   *to;

	if (!rowfn_pii_next(&scan, &match))
	{
		out->value[r] = row->text[0].s;
		out->len[r] = row->text[0].len;
		return 1;
	}
	if ((to = arena_take(run->arena, room)) == NULL)
		return 0;
	bytes = rowfn_pii_write_from(&scan, &match, to, (int64_t) room);
	run->arena->at->used -= room - (size_t) bytes;
	if (bytes > INT32_MAX)
		return 0;
	out->value[r] = to;
	out->len[r] = (int32_t) bytes;
	return 1;
}

/* Make the text of one row; 0: recheck. */
static int
make_row(HostRun *run, int function, const RowfnArgs *row, HostText *out, int32_t r)
{
	RowfnText	slice;
	int64_t		bytes;
	char	   *to;

	if (function <= GPUSTR_TEXT_SLICE_LAST)
	{
		if (!rowfn_text_slice(function, row, &slice))
			return 0;
		out->value[r] = slice.s;
		out->len[r] = slice.len;
		return 1;
	}
	if (function == GPUSTR_TEXT_REDACT_PII)
		return redact_row(run, row, out, r);
	bytes = rowfn_text_bytes(function, row);
	if (bytes < 0 || bytes > INT32_MAX || (to = arena_take(run->arena, (size_t) bytes)) == NULL)
		return 0;
	rowfn_text_write(function, row, to, bytes);
	out->value[r] = to;
	out->len[r] = (int32_t) bytes;
	return 1;
}

void
gpustr_host_text_make(HostRun *run, const GpustrStep *step)
{
	HostText   *out = &run->text[step->out];
	StepArgs	args = step_args(run, step);
	RowfnArgs	row = {.constant = GPUSTR_PROGRAM_CONST(run->program, step),.encoding = run->program->encoding};
	int32_t		w;
	int32_t		i;

	for (w = 0; w < host_chunk_words(run); w++)
	{
		GpustrTruthWord state = args_state(&args, w);
		uint32_t	recheck = 0;

		for (i = 0; i < host_word_rows(run, w); i++)
		{
			if (((state.lo | state.hi) >> i) & 1)
				continue;
			row_args(&args, w * 32 + i, &row);
			if (!make_row(run, step->aux, &row, out, w * 32 + i))
				recheck |= 1u << i;
		}
		out->state[w] = gpustr_truth_word(state.lo | recheck, state.hi | recheck);
	}
}

void
gpustr_host_text_measure(HostRun *run, const GpustrStep *step)
{
	HostValue  *out = &run->value[step->out];
	StepArgs	args = step_args(run, step);
	RowfnArgs	row = {.constant = GPUSTR_PROGRAM_CONST(run->program, step),.encoding = run->program->encoding};
	int32_t		w;
	int32_t		i;

	for (w = 0; w < host_chunk_words(run); w++)
	{
		GpustrTruthWord state = args_state(&args, w);
		uint32_t	recheck = 0;

		for (i = 0; i < host_word_rows(run, w); i++)
		{
			if (((state.lo | state.hi) >> i) & 1)
				continue;
			row_args(&args, w * 32 + i, &row);
			if (!rowfn_text_measure(step->aux, &row, &out->value[w * 32 + i]))
				recheck |= 1u << i;
		}
		out->state[w] = gpustr_truth_word(state.lo | recheck, state.hi | recheck);
	}
}
