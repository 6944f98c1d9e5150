/*-------------------------------------------------------------------------
 *
 * host_text.c
 *	  The steps of a program, on the CPU, over a chunk of rows: functions of texts
 *	  (text_function.h).
 *
 * Made texts lie in an arena, a list of blocks, until the chunk is through.  A
 * row that there is no memory for is recheck; each step has its share, so that
 * what one makes the next can work on.  Blocks stay with the arena for
 * the chunks and requests that follow, but for those that a long text had to
 * itself.
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
 * Take 'bytes' of the arena; NULL: there is no memory, or the step has had its
 * share.  The first block with room is at the head; blocks that are full, or too
 * small, are passed by for the rest of the chunk.
 */
static char *
arena_take(HostArena *arena, size_t bytes)
{
	HostArenaBlock *block;

	if (bytes > arena->share - arena->taken)
		return NULL;
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
	arena->taken += bytes;
	return BLOCK_ROOM(block) + block->used - bytes;
}

/* Empty the blocks from *link on, but give long ones back; 'last' is the one before. */
static void
arena_clear(HostArena *arena, HostArenaBlock **link, HostArenaBlock *last)
{
	HostArenaBlock *block;

	arena->last = last;
	while ((block = *link) != NULL)
	{
		if (block->bytes > ARENA_BLOCK_BYTES)
		{
			*link = block->next;
			arena->bytes -= block->bytes;
			free(block);
			continue;
		}
		block->used = 0;
		arena->last = block;
		link = &block->next;
	}
}

void
gpustr_host_arena_reset(HostArena *arena)
{
	arena_clear(arena, &arena->first, NULL);
	arena->at = arena->first;
}

HostArenaMark
gpustr_host_arena_mark(const HostArena *arena)
{
	HostArenaMark mark;

	mark.at = arena->at;
	mark.used = arena->at != NULL ? arena->at->used : 0;
	mark.last = arena->last;
	return mark;
}

/*
 * Blocks behind the one at the mark, or behind all if that was past the last, have
 * been used since.
 */
void
gpustr_host_arena_release(HostArena *arena, HostArenaMark mark)
{
	HostArenaBlock *kept = mark.at != NULL ? mark.at : mark.last;

	if (mark.at != NULL)
		mark.at->used = mark.used;
	arena_clear(arena, kept != NULL ? &kept->next : &arena->first, kept);
	arena->at = mark.at != NULL ? mark.at : kept != NULL ? kept->next : arena->first;
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

/*
 * What is done for each row is inlined for each function, which is a constant
 * there: no switch and no shape is looked at row by row.
 */

/* The states of a step's arguments together: recheck before NULL. */
ROWFN_INLINE GpustrTruthWord
args_state(const HostRun *run, const GpustrStep *step, int function, int32_t w)
{
	const char *shape = gpustr_text_function_shape(function);
	const uint16_t in[3] = {step->in0, step->in1, step->in2};
	GpustrTruthWord state = gpustr_truth_word(0, 0);
	int			i;

	for (i = 0; i < 3 && shape[i] != '\0'; i++)
		state = host_state_of_both(state, shape[i] == 'T' ? run->text[in[i]].state[w] :
								   run->value[in[i]].state[w]);
	return state;
}

/* The arguments of row r, none of which is NULL or recheck.  Returns the bytes of all texts. */
ROWFN_INLINE int64_t
row_args(const HostRun *run, const GpustrStep *step, int function, int32_t r, RowfnArgs *row)
{
	const char *shape = gpustr_text_function_shape(function);
	const uint16_t in[3] = {step->in0, step->in1, step->in2};
	int64_t		bytes = 0;
	int			i;

	for (i = 0; i < 3 && shape[i] != '\0'; i++)
	{
		if (shape[i] == 'T')
		{
			row->text[i].s = run->text[in[i]].value[r];
			row->text[i].len = run->text[in[i]].len[r];
			bytes += row->text[i].len;
		}
		else
			row->value[i] = run->value[in[i]].value[r];
	}
	return bytes;
}

/*
 * A redacted text is the text itself if nothing is found.  Else room for the longest
 * answer is taken and what is left of it given back, which is cheaper than to look
 * for everything twice.
 */
static int
redact_row(HostRun *run, const RowfnArgs *row, HostText *out, int32_t r)
{
	RowfnPiiScan scan;
	RowfnPiiMatch match;
	size_t		room = 2 * (size_t) row->text[0].len;
	int64_t		bytes;
	char	   *to;

	if (row->text[0].len > ROWFN_TEXT_BYTES)
		return 0;
	scan = rowfn_pii_begin(row->text[0].s, row->text[0].len, *(const int32_t *) row->constant);
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
	run->arena->taken -= room - (size_t) bytes;
	if (bytes > ROWFN_TEXT_BYTES)
		return 0;
	out->value[r] = to;
	out->len[r] = (int32_t) bytes;
	return 1;
}

/*
 * regexp_replace(): alike, with room that most answers fit into.  *long_bytes: of one that
 * does not, else ROWFN_TEXT_RECHECK.
 */
static int
regex_replace_row(HostRun *run, const RowfnArgs *row, HostText *out, int32_t r, int64_t *long_bytes)
{
	size_t		room = 2 * (size_t) row->text[0].len + 64;
	char	   *to = row->text[0].len > ROWFN_EXTENTS_BYTES ? NULL : arena_take(run->arena, room);
	int64_t		bytes = rowfn_regex_replace(row, to, to != NULL ? (int64_t) room : 0);
	size_t		used = to != NULL && bytes >= 0 && bytes <= (int64_t) room ? (size_t) bytes : 0;

	*long_bytes = ROWFN_TEXT_RECHECK;
	if (to != NULL)
	{
		run->arena->at->used -= room - used;
		run->arena->taken -= room - used;
	}
	if (bytes < 0 || bytes > ROWFN_TEXT_BYTES)
		return 0;
	if (to == NULL || bytes > (int64_t) room)
	{
		*long_bytes = bytes;
		return 0;
	}
	out->value[r] = to;
	out->len[r] = (int32_t) bytes;
	return 1;
}

/*
 * Make the text of one row; 0: recheck.  kind: of the map, if there is one.
 */
ROWFN_INLINE int
make_row(HostRun *run, int function, RowfnCaseKind kind, const RowfnArgs *row, HostText *out, int32_t r)
{
	int			is_case = function == GPUSTR_TEXT_UPPER || function == GPUSTR_TEXT_LOWER;
	const GpustrCaseMap *map = (const GpustrCaseMap *) row->constant;
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
	if (function == GPUSTR_TEXT_REGEX_REPLACE)
	{
		if (regex_replace_row(run, row, out, r, &bytes))
			return 1;
	}
	else
		bytes = is_case ? rowfn_case_bytes_of(row->text[0], map, row->encoding, kind) :
			rowfn_text_bytes(function, row);
	if (bytes < 0 || bytes > INT32_MAX || host_stops_at(run, bytes) ||
		(to = arena_take(run->arena, (size_t) bytes)) == NULL)
		return 0;
	if (is_case)
		rowfn_case_write_of(row->text[0], map, row->encoding, to, bytes, kind);
	else
		rowfn_text_write(function, row, to, bytes);
	out->value[r] = to;
	out->len[r] = (int32_t) bytes;
	return 1;
}

/* All rows of a step: a text each, or, if out_value is not NULL, a value. */
ROWFN_INLINE void
all_rows(HostRun *run, const GpustrStep *step, int function, RowfnCaseKind kind, HostText *out_text,
		 HostValue *out_value)
{
	GpustrTruthWord *out_state = out_value != NULL ? out_value->state : out_text->state;
	RowfnArgs	row = {
		.constant = GPUSTR_PROGRAM_CONST(run->program, step),
		.encoding = step->attr == 1 ? GPUSTR_ENC_SINGLE_BYTE : run->program->encoding
	};
	int32_t		w;

	for (w = 0; w < host_chunk_words(run); w++)
	{
		GpustrTruthWord state = args_state(run, step, function, w);
		uint32_t	todo = ~(state.lo | state.hi) & host_chunk_mask(run, w);
		uint32_t	recheck = 0;

		for (; todo != 0; todo &= todo - 1)
		{
			int32_t		r = w * 32 + __builtin_ctz(todo);
			int			ok;

			if (host_stops_at(run, row_args(run, step, function, r, &row)))
				return;
			if (out_value != NULL)
				ok = rowfn_text_measure(function, &row, &out_value->value[r]);
			else
				ok = make_row(run, function, kind, &row, out_text, r);
			if (!ok)
				recheck |= todo & -todo;
		}
		out_state[w] = gpustr_truth_word(state.lo | recheck, state.hi | recheck);
	}
}

/* upper() and lower(), by the kind of the map. */
static void
case_rows(HostRun *run, const GpustrStep *step, HostText *out)
{
	switch (rowfn_case_kind((const GpustrCaseMap *) GPUSTR_PROGRAM_CONST(run->program, step)))
	{
		case ROWFN_CASE_TO_UPPER:
			all_rows(run, step, GPUSTR_TEXT_UPPER, ROWFN_CASE_TO_UPPER, out, NULL);
			break;
		case ROWFN_CASE_TO_LOWER:
			all_rows(run, step, GPUSTR_TEXT_UPPER, ROWFN_CASE_TO_LOWER, out, NULL);
			break;
		case ROWFN_CASE_TABLE:
			all_rows(run, step, GPUSTR_TEXT_UPPER, ROWFN_CASE_TABLE, out, NULL);
			break;
	}
}

#define MAKE_ROWS(function) \
	case function: \
		all_rows(run, step, function, ROWFN_CASE_TABLE, out, NULL); \
		break

void
gpustr_host_text_make(HostRun *run, const GpustrStep *step)
{
	HostText   *out = &run->text[step->out];

	run->arena->taken = 0;
	switch (step->aux)
	{
			MAKE_ROWS(GPUSTR_TEXT_SUBSTR);
			MAKE_ROWS(GPUSTR_TEXT_SUBSTR_FROM);
			MAKE_ROWS(GPUSTR_TEXT_LEFT);
			MAKE_ROWS(GPUSTR_TEXT_RIGHT);
			MAKE_ROWS(GPUSTR_TEXT_BTRIM);
			MAKE_ROWS(GPUSTR_TEXT_LTRIM);
			MAKE_ROWS(GPUSTR_TEXT_RTRIM);
			MAKE_ROWS(GPUSTR_TEXT_SPLIT_PART);
			MAKE_ROWS(GPUSTR_TEXT_CONCAT);
			MAKE_ROWS(GPUSTR_TEXT_REPLACE);
			MAKE_ROWS(GPUSTR_TEXT_INITCAP);
			MAKE_ROWS(GPUSTR_TEXT_TRANSLATE);
			MAKE_ROWS(GPUSTR_TEXT_REVERSE);
			MAKE_ROWS(GPUSTR_TEXT_REDACT_PII);
			MAKE_ROWS(GPUSTR_TEXT_REGEX_SUBSTR);
			MAKE_ROWS(GPUSTR_TEXT_REGEX_REPLACE);
		case GPUSTR_TEXT_UPPER:
		case GPUSTR_TEXT_LOWER:
			case_rows(run, step, out);
			break;
		default:
			all_rows(run, step, step->aux, ROWFN_CASE_TABLE, out, NULL);
			break;
	}
}

#define MEASURE_ROWS(function) \
	case function: \
		all_rows(run, step, function, ROWFN_CASE_TABLE, NULL, out); \
		break

void
gpustr_host_text_measure(HostRun *run, const GpustrStep *step)
{
	HostValue  *out = &run->value[step->out];

	switch (step->aux)
	{
			MEASURE_ROWS(GPUSTR_TEXT_POSITION);
			MEASURE_ROWS(GPUSTR_TEXT_ASCII);
			MEASURE_ROWS(GPUSTR_TEXT_TO_INT4);
			MEASURE_ROWS(GPUSTR_TEXT_REGEX_COUNT);
			MEASURE_ROWS(GPUSTR_TEXT_REGEX_INSTR);
		default:
			all_rows(run, step, step->aux, ROWFN_CASE_TABLE, NULL, out);
			break;
	}
}
