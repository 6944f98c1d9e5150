/*-------------------------------------------------------------------------
 *
 * host_hash.c
 *	  The hash table of a join in the host engine: build and probe.
 *
 * Examples are those of cuda/hash_build.cuh, hash_probe.cuh and
 * hash_retrieve.cuh, but here rows of a run, and pairs, ascend.
 *
 * IDENTIFICATION
 *	  src/engine/host_hash.c
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "engine/host_hash.h"

/*
 * Describe a table, of which all slots have to be cleared.
 *
 * inner	the columns of the rows that will be put in; they stay in place as
 *			long as the table
 * slots	[nwindows * window]
 */
void
host_hash_describe(HostHash *hash, const RowfnKeys *inner, uint64_t *slots, uint32_t nwindows,
				   uint32_t window)
{
	memset(hash, 0, sizeof(*hash));
	hash->inner = *inner;
	hash->table.slots = slots;
	hash->table.nwindows = nwindows;
	hash->table.window = window;
}

/* Make n slots from 'first' on empty. */
void
host_hash_clear(HostHash *hash, uint64_t first, uint64_t n)
{
	memset(hash->table.slots + first, 0xFF, sizeof(uint64_t) * n);
}

/* Empty a table: both at once. */
void
host_hash_begin(HostHash *hash, const RowfnKeys *inner, uint64_t *slots, uint32_t nwindows,
				uint32_t window)
{
	host_hash_describe(hash, inner, slots, nwindows, window);
	host_hash_clear(hash, 0, (uint64_t) nwindows * window);
}

/*
 * The slot of a key that equals that of a row of 'keys', or the empty one where
 * the search ends, or NULL if there is neither: the table is full.
 */
static uint64_t *
hash_slot_of(const HostHash *hash, const RowfnKeys *keys, uint32_t row, uint32_t h)
{
	const RowfnTable *table = &hash->table;
	int			exact = rowfn_keys_exact(&hash->inner);
	uint32_t	window = rowfn_table_first(h, table->nwindows);
	uint32_t	tried;
	uint32_t	i;

	for (tried = 0; tried < table->nwindows; tried++)
	{
		uint64_t   *slots = table->slots + (uint64_t) window * table->window;

		for (i = 0; i < table->window; i++)
			if (rowfn_slot_empty(slots[i]) ||
				(rowfn_slot_hash(slots[i]) == h &&
				 (exact ||
				  rowfn_keys_equal(&hash->inner,
								   rowfn_value_row(table->runs, rowfn_slot_value(slots[i]), 0), keys, row))))
				return &slots[i];
		window = rowfn_table_next(window, table->nwindows);
	}
	return NULL;
}

/*
 * Put in rows first to first + n - 1 of the inner side, those that are valid.
 *
 * met		out: met[row] is the slot of an equal key that is in the table, or
 *			ROWFN_NO_ROW; kept for host_hash_make_runs()
 *
 * e.g. words {7, 5, 7, 9, 5, 7, 1, 2}: distinct 5, repeated 3, met of rows 2
 * and 5 the slot of 7, of row 4 that of 5
 */
void
host_hash_insert(HostHash *hash, uint32_t first, uint32_t n, uint32_t *met)
{
	uint32_t	row;

	for (row = first; row - first < n; row++)
	{
		uint64_t   *slot;
		uint32_t	h;

		met[row] = ROWFN_NO_ROW;
		if (!rowfn_keys_valid(&hash->inner, row))
			continue;
		if (rowfn_key_hash(&hash->inner, row, &h) != 0)
		{
			hash->doubtful++;
			continue;
		}
		slot = hash_slot_of(hash, &hash->inner, row, h);
		if (slot == NULL)
			hash->left_out++;
		else if (rowfn_slot_empty(*slot))
		{
			*slot = rowfn_slot(h, row);
			hash->distinct++;
		}
		else
		{
			met[row] = (uint32_t) (slot - hash->table.slots);
			hash->repeated++;
		}
	}
}

/* Words that runs[] needs at most; 'rows' of all, 'repeated' beyond their key's first. */
uint64_t
host_hash_run_words(uint64_t rows, uint64_t repeated)
{
	uint64_t	by_rows = rows + rows / 2;

	return 3 * repeated < by_rows ? 3 * repeated : by_rows;
}

/* The first part of host_hash_make_runs(), for some rows; count[] starts from 0. */
void
host_hash_count_met(const uint32_t *met, uint32_t first, uint32_t n, uint32_t *count)
{
	uint32_t	row;

	for (row = first; row - first < n; row++)
		if (met[row] != ROWFN_NO_ROW)
			count[met[row]]++;
}

/*
 * The second part, for some slots: from runs[at] on.  Returns where the next ones
 * go on.
 */
uint32_t
host_hash_allot_runs(HostHash *hash, uint64_t first, uint64_t n, uint32_t *count, uint32_t *runs,
					 uint32_t at)
{
	uint64_t	slot;

	for (slot = first; slot - first < n; slot++)
		if (count[slot] > 0)
		{
			uint32_t	more = count[slot];
			uint64_t   *s = &hash->table.slots[slot];

			runs[at] = more + 1;
			runs[at + 1] = rowfn_slot_value(*s);
			*s = rowfn_slot(rowfn_slot_hash(*s), ROWFN_VALUE_RUN | at);
			count[slot] = at + 2;
			at += more + 2;
		}
	return at;
}

/* The last part, for some rows, in ascending order. */
void
host_hash_fill_runs(const uint32_t *met, uint32_t first, uint32_t n, uint32_t *count, uint32_t *runs)
{
	uint32_t	row;

	for (row = first; row - first < n; row++)
		if (met[row] != ROWFN_NO_ROW)
			runs[count[met[row]]++] = row;
}

/*
 * Bring rows of equal keys together, after rows 0 to n - 1 are in.
 *
 * count	scratch: [nwindows * window]
 * runs		out: [host_hash_run_words()]; returns how many of them are used
 *
 * e.g. of the rows above, if 5 is before 7 in the table: runs {2, 1, 4, 3, 0,
 * 2, 5}; returns 7
 */
uint64_t
host_hash_make_runs(HostHash *hash, uint32_t n, const uint32_t *met, uint32_t *count,
					uint32_t *runs)
{
	uint64_t	nslots = (uint64_t) hash->table.nwindows * hash->table.window;
	uint32_t	used;

	memset(count, 0, sizeof(uint32_t) * nslots);
	host_hash_count_met(met, 0, n, count);
	used = host_hash_allot_runs(hash, 0, nslots, count, runs, 0);
	host_hash_fill_runs(met, 0, n, count, runs);
	hash->table.runs = runs;
	return used;
}

/* What the slot of a valid outer row's key, of this hash, says: a value, or ROWFN_NO_ROW. */
uint32_t
host_hash_look_up_hash(const HostHash *hash, const RowfnKeys *outer, uint32_t row, uint32_t h)
{
	const uint64_t *slot = hash_slot_of(hash, outer, row, h);

	return slot != NULL ? rowfn_slot_value(*slot) : ROWFN_NO_ROW;
}

/* What the slot of an outer row's key says: a value, or ROWFN_NO_ROW. */
uint32_t
host_hash_look_up(const HostHash *hash, const RowfnKeys *outer, uint32_t row)
{
	uint32_t	h;

	if (!rowfn_keys_valid(outer, row) || rowfn_key_hash(outer, row, &h) != 0)
		return ROWFN_NO_ROW;
	return host_hash_look_up_hash(hash, outer, row, h);
}

/*
 * One inner row, the first, for each of n outer rows.
 *
 * inner	out: [n] ROWFN_NO_ROW: there is none
 *
 * e.g. inner words {7, 5, 9, 1}, outer {1, 2, 7, 7, NULL, 9, 5, 0}: 3 - 0 0 - 2
 * 1 -, with - for ROWFN_NO_ROW
 */
void
host_hash_find(const HostHash *hash, const RowfnKeys *outer, uint32_t n, uint32_t *inner)
{
	uint32_t	row;

	for (row = 0; row < n; row++)
		inner[row] = rowfn_value_row(hash->table.runs, host_hash_look_up(hash, outer, row), 0);
}

/*
 * Whether there is an inner row.
 *
 * bits		out: [(n + 31) / 32] words; 0 past n
 *
 * e.g. inner and outer as above: 1 0 1 1 0 1 1 0
 */
void
host_hash_contains(const HostHash *hash, const RowfnKeys *outer, uint32_t n, uint32_t *bits)
{
	uint32_t	row;

	for (row = 0; row < n; row++)
	{
		if (row % 32 == 0)
			bits[row / 32] = 0;
		if (host_hash_look_up(hash, outer, row) != ROWFN_NO_ROW)
			bits[row / 32] |= UINT32_C(1) << row % 32;
	}
}

/*
 * How many inner rows; returns the sum.
 *
 * is_outer		a row without one counts as one
 * each			out: [n], or NULL
 *
 * e.g. inner words {7, 5, 7, 9, 5, 7, 1, 2}, outer {1, 7, 3, 5, 7, NULL, 9, 0}:
 * 1 3 0 2 3 0 1 0, together 10; is_outer: 1 3 1 2 3 1 1 1, together 13
 */
uint64_t
host_hash_count(const HostHash *hash, const RowfnKeys *outer, uint32_t n, int is_outer,
				uint32_t *each)
{
	uint64_t	sum = 0;
	uint32_t	row;

	for (row = 0; row < n; row++)
	{
		uint32_t	rows = rowfn_value_rows(hash->table.runs, host_hash_look_up(hash, outer, row));

		if (is_outer && rows == 0)
			rows = 1;
		if (each != NULL)
			each[row] = rows;
		sum += rows;
	}
	return sum;
}

/*
 * Pairs of outer and inner rows, as many as there is room for, from *progress
 * on, which is all 0 at first.  Returns how many were written; at the end
 * progress->row is n.
 *
 * is_outer		a row without inner ones makes a pair with ROWFN_NO_ROW
 *
 * e.g. inner and outer as above, room 7: (0,6) (1,0) (1,2) (1,5) (3,1) (3,4)
 * (4,0); again: (4,2) (4,5) (6,3)
 */
uint32_t
host_hash_retrieve(const HostHash *hash, const RowfnKeys *outer, uint32_t n, int is_outer,
				   HostHashProgress *progress, uint32_t *pair_outer, uint32_t *pair_inner,
				   uint32_t room)
{
	uint32_t	pairs = 0;

	for (; progress->row < n; progress->row++)
	{
		uint32_t	value = host_hash_look_up(hash, outer, progress->row);
		uint32_t	rows = rowfn_value_rows(hash->table.runs, value);

		if (is_outer && rows == 0)
			rows = 1;
		for (; progress->written < rows; progress->written++)
		{
			if (pairs == room)
				return pairs;
			pair_outer[pairs] = progress->row;
			pair_inner[pairs++] = rowfn_value_row(hash->table.runs, value, progress->written);
		}
		progress->written = 0;
	}
	return pairs;
}

/*
 * Set the bits of inner rows that an outer one has met.  Runs are marked
 * first, and their rows set at the end, so that a key of many rows that is
 * often met costs no more.
 *
 * matched	[(inner rows + 31) / 32]
 *
 * e.g. inner words {7, 5, 7, 9, 5, 7, 1, 2}, outer {5, 5, 1, 0, 5, NULL, 1, 3}:
 * bits 0 1 0 0 1 0 1 0
 */
void
host_hash_mark(HostHash *hash, const RowfnKeys *outer, uint32_t n, uint32_t *matched)
{
	const RowfnTable *table = &hash->table;
	uint64_t	nslots = (uint64_t) table->nwindows * table->window;
	uint64_t	slot;
	uint32_t	row;

	for (row = 0; row < n; row++)
	{
		uint32_t	value = host_hash_look_up(hash, outer, row);

		if (value == ROWFN_NO_ROW)
			continue;
		if ((value & ROWFN_VALUE_RUN) != 0)
			table->runs[value & ~ROWFN_VALUE_RUN] |= ROWFN_RUN_MATCHED;
		else
			matched[value / 32] |= UINT32_C(1) << value % 32;
	}
	if (table->runs == NULL)
		return;
	for (slot = 0; slot < nslots; slot++)
	{
		uint32_t	value = rowfn_slot_value(table->slots[slot]);
		uint32_t   *run;

		if (value == ROWFN_NO_ROW || (value & ROWFN_VALUE_RUN) == 0)
			continue;
		run = table->runs + (value & ~ROWFN_VALUE_RUN);
		if ((*run & ROWFN_RUN_MATCHED) == 0)
			continue;
		*run &= ~ROWFN_RUN_MATCHED;
		host_hash_mark_rows(run + 1, *run, matched);
	}
}

/*
 * Set the bits of inner rows of pairs; ROWFN_NO_ROW is passed over.
 *
 * inner	[n]
 *
 * e.g. {5, 1, -, 1, 0, 5, 7, 1}: bits 1 1 0 0 0 1 0 1
 */
void
host_hash_mark_rows(const uint32_t *inner, uint32_t n, uint32_t *matched)
{
	uint32_t	i;

	for (i = 0; i < n; i++)
		if (inner[i] != ROWFN_NO_ROW)
			matched[inner[i] / 32] |= UINT32_C(1) << inner[i] % 32;
}
