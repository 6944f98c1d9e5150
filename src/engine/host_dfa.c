/*-------------------------------------------------------------------------
 *
 * host_dfa.c
 *	  GPUSTR_OP_DFA in the host engine.
 *
 * An automaton's next state is known only when the last one is, so a processor
 * spends its time on waiting for one load after the other.  So several rows run
 * side by side, each in a lane: for as many bytes as all of them have, up to a
 * limit, then the lanes whose rows are decided get new ones.  What is left at the
 * end runs row by row.
 *
 * The answers are those of rowfn_dfa_match().
 *
 * IDENTIFICATION
 *	  src/engine/host_dfa.c
 *
 *-------------------------------------------------------------------------
 */
#include "engine/host_steps.h"
#include "rowfn/dfa.h"

#define LANES 4

/* Bytes of a lane after which the engine asks whether it is to stop. */
#define STOP_BYTES 65536

/* Bytes after which a lane is looked at, though its row goes on. */
#define LANE_BYTES 32

typedef struct Lane
{
	const unsigned char *at;
	int32_t		left;			/* bytes */
	uint32_t	state;
	int32_t		row;
} Lane;

/* The rows to match, one after the other, and what is found. */
typedef struct Rows
{
	HostRun    *run;
	const HostText *in;
	const GpustrTruthWord *where;	/* NULL: all */
	int32_t		word;
	uint32_t	todo;			/* of that word */
	uint32_t	accepted[HOST_CHUNK_WORDS];
	uint32_t	unknown[HOST_CHUNK_WORDS];
} Rows;

/* The rows of a word that are to be matched. */
static inline uint32_t
rows_of_word(const Rows *rows, int32_t w)
{
	uint32_t	todo = ~rows->in->state[w].hi & host_chunk_mask(rows->run, w);

	return rows->where == NULL ? todo : todo & rows->where[w].lo & ~rows->where[w].hi;
}

/* Put the next row into a lane; false: there is none. */
static inline int
next_row(Rows *rows, const GpustrDfa *dfa, Lane *lane)
{
	while (rows->todo == 0)
	{
		if (++rows->word >= host_chunk_words(rows->run))
			return 0;
		rows->todo = rows_of_word(rows, rows->word);
	}
	lane->row = rows->word * 32 + __builtin_ctz(rows->todo);
	rows->todo &= rows->todo - 1;
	lane->at = (const unsigned char *) rows->in->value[lane->row];
	lane->left = rows->in->len[lane->row];
	lane->state = (uint32_t) dfa->start;
	return 1;
}

static inline void
row_is_decided(Rows *rows, const GpustrDfa *dfa, const Lane *lane)
{
	uint32_t	truth = ROWFN_DFA_AT_END(dfa)[lane->state];

	rows->accepted[lane->row / 32] |= (truth & 1) << (lane->row % 32);
	rows->unknown[lane->row / 32] |= (truth >> 1) << (lane->row % 32);
}

/* Run all lanes over so many bytes. */
static inline void
run_lanes(const GpustrDfa *dfa, Lane *lanes, int32_t bytes)
{
	const uint16_t *next = ROWFN_DFA_NEXT(dfa);
	const uint8_t *class_of = dfa->class_of;
	uint32_t	nclasses = (uint32_t) dfa->nclasses;
	uint32_t	a = lanes[0].state;
	uint32_t	b = lanes[1].state;
	uint32_t	c = lanes[2].state;
	uint32_t	d = lanes[3].state;
	int32_t		i;

	for (i = 0; i < bytes; i++)
	{
		a = next[a * nclasses + class_of[lanes[0].at[i]]];
		b = next[b * nclasses + class_of[lanes[1].at[i]]];
		c = next[c * nclasses + class_of[lanes[2].at[i]]];
		d = next[d * nclasses + class_of[lanes[3].at[i]]];
	}
	lanes[0].state = a;
	lanes[1].state = b;
	lanes[2].state = c;
	lanes[3].state = d;
	for (i = 0; i < LANES; i++)
	{
		lanes[i].at += bytes;
		lanes[i].left -= bytes;
	}
}

static void
match_rows(Rows *rows, const GpustrDfa *dfa)
{
	Lane		lanes[LANES];
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
		while (n < LANES && next_row(rows, dfa, &lanes[n]))
			n++;
		if (n < LANES)
			break;
		for (i = 0; i < LANES; i++)
			bytes = lanes[i].left < bytes ? lanes[i].left : bytes;
		done += bytes;
		run_lanes(dfa, lanes, bytes);
		for (i = LANES - 1; i >= 0; i--)
		{
			if (lanes[i].left > 0 && lanes[i].state > GPUSTR_DFA_ACCEPT)
				continue;
			row_is_decided(rows, dfa, &lanes[i]);
			lanes[i] = lanes[--n];
		}
	}
	while (n > 0)
	{
		Lane	   *lane = &lanes[--n];

		if (host_stops_at(rows->run, lane->left))
			return;
		lane->state = rowfn_dfa_run(dfa, lane->state, (const char *) lane->at, lane->left);
		row_is_decided(rows, dfa, lane);
	}
}

void
gpustr_host_dfa(HostRun *run, const GpustrStep *step)
{
	const GpustrDfa *dfa = (const GpustrDfa *) GPUSTR_PROGRAM_CONST(run->program, step);
	HostBool   *out = &run->boolean[step->out];
	uint32_t	recheck = step->attr == 1 ? ~0u : 0;
	Rows		rows = {run, &run->text[step->in0],
	step->aux == 1 ? run->boolean[step->in2].word : NULL, -1, 0, {0}, {0}};
	int32_t		w;

	match_rows(&rows, dfa);
	for (w = 0; w < host_chunk_words(run); w++)
	{
		GpustrTruthWord word = rows.in->state[w];

		word = gpustr_truth_word(word.lo | rows.accepted[w],
								 word.hi | rows.unknown[w] | (rows.accepted[w] & recheck));
		if (rows.where != NULL)
			word = gpustr_truth_qual(rows.where[w], word);
		out->word[w] = word;
	}
}
