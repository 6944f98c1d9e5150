/*-------------------------------------------------------------------------
 *
 * join_steps.h
 *	  What the steps of a join are told: part of program.h.
 *
 * Joins: spaces of rows
 * ---------------------
 * A program starts in space 0, the rows of the batch.  Each PROBE takes it to the
 * next space, whose rows are *pairs*: a row of the space before (outer), and a row
 * of a table that BUILD steps of earlier requests have made (inner), or none.  A
 * register belongs to the space in which its step stands, and only steps of that
 * space read it, but for GATHER steps, which bring one over from the space before.
 * Pairs are in ascending order of outer row, then of inner row, a pair without an
 * inner row last; so both engines number them alike.
 *
 * A row of space 0 that cannot be probed with certainty (its condition or a key is
 * recheck) makes no pair; it goes to the batch's recheck bitmap.  A program sees
 * to it (by its condition) that all else it gathers from such a row later is not
 * recheck.  In a later space the condition of a PROBE or RESULT may be recheck: the
 * pair goes on, and what comes of it is marked in the result.  A key that is recheck
 * there meets nothing, as NULL, and a result column that is has NULL: a program makes
 * none.  A numeric that is not well-formed is a recheck key where no other column of
 * the key is NULL.
 *
 * Plain C, shared with cuda/; <stdint.h> only.
 *
 * IDENTIFICATION
 *	  src/program/join_steps.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_JOIN_STEPS_H
#define GPUSTR_JOIN_STEPS_H

#include <stdint.h>

/* The most columns of a join's table, and tables that one program probes. */
#define GPUSTR_MAX_TABLE_COLUMNS 32
#define GPUSTR_MAX_PROBES 8

/* The most columns of a key: ROWFN_MAX_KEYS. */
#define GPUSTR_MAX_KEYS 8

/* A column of a join's table. */
typedef struct GpustrTableColumn
{
	uint16_t	is_text;		/* 1: texts; 0: values */
	uint16_t	reg;			/* text or value register, that of the batch */
	int32_t		unused;			/* 0 */
	uint64_t	bytes;			/* texts: of the whole column */
	uint64_t	first_byte;		/* texts: where those of the batch go: behind
								 * those of the rows before them */
} GpustrTableColumn;

/*
 * For GPUSTR_OP_BUILD.  Batches bring a table's rows, each once, in any order and
 * several at a time; a request with 'finish', when all of these are through, makes
 * the hash table, has no rows and no registers, and is otherwise the same; it is answered
 * with what the engine has found (GpustrTableResult).  The table
 * comes to be with the first of its requests that an engine sees.  A request that
 * finishes one to which rows never came (they went to an engine that is lost) is
 * answered with ENGINE_NO_TABLE, and the table is gone; so is a PROBE of one that is not
 * finished, but then it stays.  Its values may be NULL, never recheck, and a numeric key
 * is well-formed.  A row with a NULL in its key is there, but meets nothing.
 */
typedef struct GpustrTableBuild
{
	uint64_t	table;			/* its id, not 0 */
	int32_t		nrows;			/* of the whole table: 0 to 2^30 */
	int32_t		first_row;		/* where the rows of the batch go */
	int32_t		finish;			/* 1: all rows are there */
	int32_t		ncolumns;		/* 1 to GPUSTR_MAX_TABLE_COLUMNS */
	int32_t		nkeys;			/* 1 to GPUSTR_MAX_KEYS */
	int32_t		hash_bits;		/* ROWFN_HASH_BITS; less: keys collide */
	int32_t		load;			/* slots taken per 100: 1 to 100 */
	uint8_t		key_kind[GPUSTR_MAX_KEYS];	/* RowfnKeyKind: BYTES, PADDED,
											 * NUMERIC of texts, the others of
											 * values */
	uint16_t	key_column[GPUSTR_MAX_KEYS];	/* among the columns */
	int32_t		unused;			/* 0 */
	GpustrTableColumn column[1];	/* [ncolumns] */
} GpustrTableBuild;

/* What pairs a PROBE makes of a row; one without an inner row is "alone". */
typedef enum GpustrProbeKind
{
	GPUSTR_PROBE_INNER = 1,		/* one with each inner row of its key */
	GPUSTR_PROBE_OUTER,			/* the same; alone where there is none */
	GPUSTR_PROBE_MARK,			/* the same, and then alone in any case */
	GPUSTR_PROBE_SEMI,			/* alone, where there is an inner row */
	GPUSTR_PROBE_ANTI,			/* alone, where there is none */
	GPUSTR_PROBE_LAST = GPUSTR_PROBE_ANTI
} GpustrProbeKind;

/*
 * For GPUSTR_OP_PROBE.  With several partitions (rowfn_partition()) the table has the
 * inner rows of one, and an outer row of another makes no pair of any kind; one whose
 * key has a NULL belongs to partition 0.
 */
typedef struct GpustrProbe
{
	uint64_t	table;
	int32_t		kind;			/* GpustrProbeKind */
	int32_t		nkeys;			/* as the table has */
	int32_t		hash_bits;		/* alike */
	int32_t		partition;		/* 0 to npartitions - 1 */
	int32_t		npartitions;	/* at least 1 */
	uint8_t		key_kind[GPUSTR_MAX_KEYS];	/* as the table has */
	uint16_t	key_reg[GPUSTR_MAX_KEYS];	/* text or value registers */
	int32_t		unused;			/* 0 */
} GpustrProbe;

#endif							/* GPUSTR_JOIN_STEPS_H */
