/*-------------------------------------------------------------------------
 *
 * host_contains_any.c
 *	  GPUSTR_OP_CONTAINS_ANY in the host engine.
 *
 * As in host_dfa.c several rows run side by side, lest each look-up wait for the
 * one before: for as many bytes as all of them have, up to a limit, then lanes
 * whose rows are decided get new ones.  A lane that has found something stays
 * where it is until then.
 *
 * The answers are those of rowfn_aho_match().
 *
 * IDENTIFICATION
 *	  src/engine/host_contains_any.c
 *
 *-------------------------------------------------------------------------
 */
#include "engine/host_steps.h"
#include "rowfn/aho_corasick.h"

#define LANES 4

/* Bytes of a lane after which the engine asks whether it is to stop. */
#define STOP_BYTES 65536

/* Bytes after which lanes are looked at, though their rows go on. */
#define LANE_BYTES 32

typedef struct SearchLane
{
	const unsigned char *at;
	int32_t		left;			/* bytes */
	uint32_t	state;
	int32_t		row;
} SearchLane;

/* The rows to search, one after the other, and where something is found. */
typedef struct SearchRows
{
	HostRun    *run;
	const HostText *in;
	int32_t		word;
	uint32_t	todo;			/* of that word */
	uint32_t	found[HOST_CHUNK_WORDS];
} SearchRows;

/* Put the next row into a lane; false: there is none. */
static inline int
next_row(SearchRows *rows, SearchLane *lane)
{
	while (rows->todo == 0)
	{
		if (++rows->word >= host_chunk_words(rows->run))
			return 0;
		rows->todo = ~rows->in->state[rows->word].hi & host_chunk_mask(rows->run, rows->word);
	}
	lane->row = rows->word * 32 + __builtin_ctz(rows->todo);
	rows->todo &= rows->todo - 1;
	lane->at = (const unsigned char *) rows->in->value[lane->row];
	lane->left = rows->in->len[lane->row];
	lane->state = 0;
	return 1;
}

static inline void
row_is_decided(SearchRows *rows, const SearchLane *lane)
{
	rows->found[lane->row / 32] |= (uint32_t) (lane->state == GPUSTR_FOUND) << (lane->row % 32);
}

/* Run all lanes over so many bytes. */
static inline void
run_lanes(const GpustrAhoCorasick *set, SearchLane *lanes, int32_t bytes)
{
	const uint16_t *hot = ROWFN_AHO_HOT(set);
	const GpustrColdState *cold = ROWFN_AHO_COLD(set);
	const uint32_t *more = ROWFN_AHO_MORE(set);
	const uint8_t *class_of = set->class_of;
	uint32_t	nclasses = (uint32_t) set->nclasses;
	uint32_t	nhot = (uint32_t) set->nhot;
	uint32_t	state[LANES];
	int32_t		i;
	int			k;

	for (k = 0; k < LANES; k++)
		state[k] = lanes[k].state;
	for (i = 0; i < bytes; i++)
	{
		for (k = 0; k < LANES; k++)
		{
			uint32_t	c = class_of[lanes[k].at[i]];

			if (state[k] < nhot)
				state[k] = hot[state[k] * nclasses + c];
			else if (state[k] != GPUSTR_FOUND)
				state[k] = rowfn_aho_leave_cold(&cold[state[k] - nhot], more, hot, nclasses, c);
		}
	}
	for (k = 0; k < LANES; k++)
	{
		lanes[k].state = state[k];
		lanes[k].at += bytes;
		lanes[k].left -= bytes;
	}
}

static void
search_rows(SearchRows *rows, const GpustrAhoCorasick *set)
{
	SearchLane	lanes[LANES];
	int32_t		done = 0;
	int			n = 0;

	for (;;)
	{
		int32_t		bytes = LANE_BYTES;
		int			i;

		if (done >= STOP_BYTES)
		{
			if (host_stops(rows->run))
				return;
			done = 0;
		}
		while (n < LANES && next_row(rows, &lanes[n]))
			n++;
		if (n < LANES)
			break;
		for (i = 0; i < LANES; i++)
			bytes = lanes[i].left < bytes ? lanes[i].left : bytes;
		done += bytes;
		run_lanes(set, lanes, bytes);
		for (i = LANES - 1; i >= 0; i--)
		{
			if (lanes[i].left > 0 && lanes[i].state != GPUSTR_FOUND)
				continue;
			row_is_decided(rows, &lanes[i]);
			lanes[i] = lanes[--n];
		}
	}
	while (n > 0)
	{
		SearchLane *lane = &lanes[--n];

		if (host_stops_at(rows->run, lane->left))
			return;
		lane->state = rowfn_aho_run(set, lane->state, (const char *) lane->at, lane->left);
		row_is_decided(rows, lane);
	}
}

void
gpustr_host_contains_any(HostRun *run, const GpustrStep *step)
{
	const GpustrAhoCorasick *set =
	(const GpustrAhoCorasick *) GPUSTR_PROGRAM_CONST(run->program, step);
	HostBool   *out = &run->boolean[step->out];
	SearchRows	rows = {run, &run->text[step->in0], -1, 0, {0}};
	int32_t		w;

	search_rows(&rows, set);
	for (w = 0; w < host_chunk_words(run); w++)
		out->word[w] = gpustr_truth_word(rows.in->state[w].lo | rows.found[w], rows.in->state[w].hi);
}
