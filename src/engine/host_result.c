/*-------------------------------------------------------------------------
 *
 * host_result.c
 *	  The steps of a program, on the CPU, over a chunk of the last space of a
 *	  join: RESULT, RESULT_TEXT and RESULT_VALUE.
 *
 * First it is told which rows of the chunk are results, and how many of them there
 * is room for; then they are appended, column by column.  The first for which there is
 * none is where the next piece starts.
 *
 * IDENTIFICATION
 *	  src/engine/host_result.c
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "engine/host_join.h"

/* The rows of the chunk that are results. */
typedef struct ResultRows
{
	int32_t		n;
	int32_t		row[HOST_CHUNK_ROWS];
	uint32_t	recheck[HOST_CHUNK_WORDS];	/* of the chunk */
} ResultRows;

static inline int
bit_of(const uint32_t *words, int32_t r)
{
	return words[r / 32] >> (r % 32) & 1;
}

/* Is row r of the state NULL?  (Or recheck: then there is no value, either.) */
static inline int
is_null(const GpustrTruthWord *state, int32_t r)
{
	return state[r / 32].hi >> (r % 32) & 1;
}

/* Rows that have no inner one, in word w of the chunk. */
static uint32_t
alone(const HostSpace *space, int32_t w, int32_t n)
{
	uint32_t	bits = 0;
	int32_t		i;

	for (i = 0; i < n; i++)
		bits |= (uint32_t) (space->inner[w * 32 + i] == ROWFN_NO_ROW) << i;
	return bits;
}

/* Which rows of the chunk are results, but for those that the cursor leaves out. */
static void
find_results(HostRun *run, const HostSpace *space, ResultRows *out)
{
	HostJoin   *join = run->join;
	int32_t		w;

	out->n = 0;
	for (w = 0; w < host_chunk_words(run); w++)
	{
		uint32_t	pass = host_chunk_mask(run, w);

		out->recheck[w] = space->recheck[w];
		if (join->result->aux == 1)
		{
			GpustrTruthWord condition = run->boolean[join->result->in0].word[w];
			uint32_t	no_inner = alone(space, w, host_word_rows(run, w));

			pass &= condition.lo | no_inner;
			out->recheck[w] |= condition.lo & condition.hi & ~no_inner;
		}
		for (; pass != 0; pass &= pass - 1)
		{
			int32_t		r = w * 32 + __builtin_ctz(pass);

			if (join->skip > 0)
			{
				join->skip--;
				host_join_note(join, join->chunk_pair + (uint64_t) space->root[r], 1);
			}
			else
				out->row[out->n++] = r;
		}
	}
}

/* How many of the texts a result column has room for. */
static int32_t
fitting_texts(const HostRun *run, const GpustrStep *step, const ResultRows *rows, int32_t n)
{
	const HostText *in = &run->text[step->in0];
	int64_t		left = host_column_room(&run->batch->result_column[step->attr]) - run->join->text_bytes[step->attr];
	int32_t		i;

	for (i = 0; i < n; i++)
	{
		int32_t		r = rows->row[i];

		left -= is_null(in->state, r) ? 0 : in->len[r];
		if (left < 0)
			return i;
	}
	return n;
}

/* Bit 'at' of a bitmap whose rows are appended one by one. */
static inline void
append_bit(unsigned char *bits, int32_t at, int bit)
{
	if (at % 8 == 0)
		bits[at / 8] = 0;
	bits[at / 8] = (unsigned char) (bits[at / 8] | bit << (at % 8));
}

static void
append_texts(HostRun *run, const GpustrStep *step, const ResultRows *rows, int32_t n)
{
	const GpustrColumn *column = &run->batch->result_column[step->attr];
	const HostText *in = &run->text[step->in0];
	unsigned char *validity = GPUSTR_BODY_PTR(run->body, column->validity_off, unsigned char);
	int32_t    *offsets = GPUSTR_BODY_PTR(run->body, column->offsets_off, int32_t);
	char	   *data = GPUSTR_BODY_PTR(run->body, column->data_off, char);
	int64_t		bytes = run->join->text_bytes[step->attr];
	int32_t		i;

	for (i = 0; i < n; i++)
	{
		int32_t		r = rows->row[i];
		int32_t		at = run->join->nrows + i;

		append_bit(validity, at, !is_null(in->state, r));
		if (!is_null(in->state, r))
		{
			if (host_stops_at(run, in->len[r]))
				return;
			if (in->len[r] > 0)
				memcpy(data + bytes, in->value[r], (size_t) in->len[r]);
			bytes += in->len[r];
		}
		offsets[at + 1] = (int32_t) bytes;
	}
	run->join->text_bytes[step->attr] = bytes;
}

static void
append_values(const HostRun *run, const GpustrStep *step, const ResultRows *rows, int32_t n)
{
	const GpustrColumn *column = &run->batch->result_column[step->attr];
	const HostValue *in = &run->value[step->in0];
	unsigned char *validity = GPUSTR_BODY_PTR(run->body, column->validity_off, unsigned char);
	int64_t    *value = GPUSTR_BODY_PTR(run->body, column->data_off, int64_t) + run->join->nrows;
	int32_t		i;

	for (i = 0; i < n; i++)
	{
		int32_t		r = rows->row[i];

		append_bit(validity, run->join->nrows + i, !is_null(in->state, r));
		value[i] = is_null(in->state, r) ? 0 : in->value[r];
	}
}

/* What each result has besides columns: its rows, and whether it is recheck. */
static void
append_rows(const HostRun *run, const HostSpace *space, const ResultRows *rows, int32_t n)
{
	const GpustrBatch *batch = run->batch;
	int32_t    *outer = GPUSTR_BODY_PTR(run->body, batch->result_outer_off, int32_t);
	uint32_t   *inner = GPUSTR_BODY_PTR(run->body, batch->result_inner_off, uint32_t);
	uint32_t   *recheck = GPUSTR_BODY_PTR(run->body, batch->result_recheck_off, uint32_t);
	int32_t		i;

	for (i = 0; i < n; i++)
	{
		int32_t		r = rows->row[i];
		int32_t		at = run->join->nrows + i;

		if (batch->result_outer_off != 0)
			outer[at] = space->row[r];
		if (batch->result_inner_off != 0)
			inner[at] = space->inner[r];
		if (at % 32 == 0)
			recheck[at / 32] = 0;
		recheck[at / 32] |= (uint32_t) bit_of(rows->recheck, r) << (at % 32);
	}
}

void
gpustr_host_result(HostRun *run)
{
	HostJoin   *join = run->join;
	const HostSpace *space = &join->space[join->nspaces - 1];
	ResultRows	rows;
	int32_t		n;
	int32_t		i;

	find_results(run, space, &rows);
	n = run->batch->result_room - join->nrows;
	if (n > rows.n)
		n = rows.n;
	for (i = 0; i < join->ncolumns; i++)
		if (join->columns[i].op == GPUSTR_OP_RESULT_TEXT)
			n = fitting_texts(run, &join->columns[i], &rows, n);
	for (i = 0; i < join->ncolumns; i++)
	{
		if (join->columns[i].op == GPUSTR_OP_RESULT_TEXT)
			append_texts(run, &join->columns[i], &rows, n);
		else
			append_values(run, &join->columns[i], &rows, n);
	}
	append_rows(run, space, &rows, n);
	join->nrows += n;
	for (i = 0; i < n; i++)
		host_join_note(join, join->chunk_pair + (uint64_t) space->root[rows.row[i]], 1);
	if (n == rows.n)
		return;
	host_join_note(join, join->chunk_pair + (uint64_t) space->root[rows.row[n]], 0);
	join->full = 1;
	join->next_pair = join->root;
	join->next_skip = join->root_results;
}
