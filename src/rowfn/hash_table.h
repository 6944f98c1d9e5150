/*-------------------------------------------------------------------------
 *
 * hash_table.h
 *	  The hash table of a join: what a slot is, and where a key may be.
 *
 * Open addressing, one slot a distinct key.  A slot is 8 bytes, so that one
 * compare-and-swap takes it:
 *
 *		hash of the key (32 bits) | value (32 bits)
 *
 *		value	0 .. 2^30 - 1		the row of a key that occurs once
 *				2^31 + at			a run: runs[at] is how often the key occurs,
 *									runs[at + 1], ... are its rows
 *				ROWFN_NO_ROW		empty; so any hash, and any key, is legal
 *
 * Slots lie in windows, of a size that suits whoever probes.  Those where a key
 * may be are tried one after another, from
 *
 *		window number = hash * number of windows / 2^32
 *
 * in a ring, up to one with an empty slot; the first slot that is empty takes
 * a new key.  Nothing is ever taken out, so there are no tombstones.  As the
 * number grows with the hash, rows in the order of their hashes' upper bits
 * go through the table from front to back: one that is much larger than a
 * cache is used piece by piece.
 *
 * Rows of equal keys are no chain in the table.  A bulk insert notes for each
 * row beyond its key's first the slot where it met it; then they are counted
 * by slot, runs are allotted, and the rows put there.  That is work in
 * proportion to rows plus slots however often a key occurs, where a multimap
 * that keeps duplicates side by side walks over all of them with each more.
 * A key that occurs once costs a probe no look beyond its slot.
 *
 * A table is full when a key has been to every window; that is an answer, not
 * a loop.
 *
 * While rows are inserted values are rows, never runs.
 *
 * IDENTIFICATION
 *	  src/rowfn/hash_table.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_HASH_TABLE_H
#define GPUSTR_ROWFN_HASH_TABLE_H

#include "program/program.h"

/* Rows of a table at most: then runs, counts included, have 2^31 - 1 words. */
#define ROWFN_TABLE_MAX_ROWS (1 << 30)
#define ROWFN_TABLE_MAX_SLOTS UINT64_C(0xFFFFFFFE)

#define ROWFN_NO_ROW UINT32_MAX
#define ROWFN_SLOT_EMPTY UINT64_MAX
#define ROWFN_VALUE_RUN UINT32_C(0x80000000)

/* In runs[at]: a row that is outside has met the key. */
#define ROWFN_RUN_MATCHED UINT32_C(0x80000000)

/* Slots taken per 100, unless the caller knows better. */
#define ROWFN_TABLE_LOAD 50

typedef struct RowfnTable
{
	uint64_t   *slots;			/* [nwindows * window], each row's hash and
								 * value */
	uint32_t   *runs;			/* NULL: no key occurs twice */
	uint32_t	nwindows;
	uint32_t	window;			/* slots of one: a power of 2 */
} RowfnTable;

GPUSTR_FN uint64_t
rowfn_slot(uint32_t hash, uint32_t value)
{
	return (uint64_t) hash << 32 | value;
}

GPUSTR_FN uint32_t
rowfn_slot_hash(uint64_t slot)
{
	return (uint32_t) (slot >> 32);
}

GPUSTR_FN uint32_t
rowfn_slot_value(uint64_t slot)
{
	return (uint32_t) slot;
}

GPUSTR_FN int
rowfn_slot_empty(uint64_t slot)
{
	return (uint32_t) slot == ROWFN_NO_ROW;
}

/*
 * Windows for 'rows' distinct keys when 'load' of 100 slots are to be taken
 * (1 to 100): at least one; 0 if that is more than a table can have.
 *
 * e.g. rows {0, 1, 4, 8, 9, 100, 1000, 2^30}, load 50, windows of 4 slots:
 * 1 1 2 4 5 50 500 2^29
 */
GPUSTR_FN uint32_t
rowfn_table_windows(int64_t rows, int32_t load, uint32_t window)
{
	uint64_t	slots = ((uint64_t) rows * 100 + (uint64_t) load - 1) / (uint64_t) load;
	uint64_t	windows = (slots + window - 1) / window;

	if (rows > ROWFN_TABLE_MAX_ROWS || windows * window > ROWFN_TABLE_MAX_SLOTS)
		return 0;
	return windows > 0 ? (uint32_t) windows : 1;
}

/*
 * Which of n >= 1 partitions a key of this hash is in.  It has nothing to do with
 * the window: all windows of a partition's table are used.
 *
 * e.g. n 4, hashes {0, 1, 2, 3, 4, 0x80000000, 0xC0000000, 0xFFFFFFFF}: 0 2 0 3 1
 * 2 3 1
 */
GPUSTR_FN int32_t
rowfn_partition(uint32_t hash, int32_t n)
{
	return (int32_t) ((uint64_t) (hash * UINT32_C(0x9E3779B1)) * (uint32_t) n >> 32);
}

/*
 * The first window where a key of this hash may be.
 *
 * e.g. 8 windows, hashes {0, 1, 0x1FFFFFFF, 0x20000000, 0x7FFFFFFF, 0x80000000,
 * 0xE0000000, 0xFFFFFFFF}: 0 0 0 1 3 4 7 7
 */
GPUSTR_FN uint32_t
rowfn_table_first(uint32_t hash, uint32_t nwindows)
{
	return (uint32_t) ((uint64_t) hash * nwindows >> 32);
}

/* The window after. */
GPUSTR_FN uint32_t
rowfn_table_next(uint32_t at, uint32_t nwindows)
{
	return at + 1 == nwindows ? 0 : at + 1;
}

/* How many rows a value of a slot stands for; ROWFN_NO_ROW: none. */
GPUSTR_FN uint32_t
rowfn_value_rows(const uint32_t *runs, uint32_t value)
{
	if (value == ROWFN_NO_ROW)
		return 0;
	if ((value & ROWFN_VALUE_RUN) == 0)
		return 1;
	return runs[value & ~ROWFN_VALUE_RUN] & ~ROWFN_RUN_MATCHED;
}

/*
 * Its row i, from 0.
 *
 * e.g. runs {3, 7, 1, 4, 2, 0, 6}, values {5, 2^31, 2^31, 2^31, 2^31 + 4,
 * 2^31 + 4, 9, ROWFN_NO_ROW}, i {0, 0, 1, 2, 0, 1, 0, 0}: 5 7 1 4 0 6 9
 * ROWFN_NO_ROW
 */
GPUSTR_FN uint32_t
rowfn_value_row(const uint32_t *runs, uint32_t value, uint32_t i)
{
	if ((value & ROWFN_VALUE_RUN) == 0 || value == ROWFN_NO_ROW)
		return value;
	return runs[(value & ~ROWFN_VALUE_RUN) + 1 + i];
}

#endif							/* GPUSTR_ROWFN_HASH_TABLE_H */
