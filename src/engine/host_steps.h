/*-------------------------------------------------------------------------
 *
 * host_steps.h
 *	  The steps of a program, on the CPU, over a chunk of rows.
 *
 * Shared by engine_host.c, which takes a batch chunk by chunk, and
 * host_steps.c, host_decode.c, host_values.c, host_output.c, host_join.c and
 * host_build.c, which do the work of each step.
 *
 * A text register is, for each row of the chunk, a pointer and a length into
 * the page, the column or the program, and its state: a truth that says value
 * (false), null or recheck, 32 rows a word.  A value register is, alike, 64
 * bits and a state.  A bool register is truth words.
 *
 * Invariants:
 *	- a chunk starts at a multiple of 32 rows, so that it owns its words of
 *	  the result bitmaps;
 *	- bits of a register past the rows of the batch are arbitrary; they are
 *	  cleared when results are written.
 *
 * IDENTIFICATION
 *	  src/engine/host_steps.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_HOST_STEPS_H
#define GPUSTR_HOST_STEPS_H

#include "engine/engine.h"

/* Rows in a chunk; a multiple of 32. */
#ifndef HOST_CHUNK_ROWS
#define HOST_CHUNK_ROWS 256
#endif
#define HOST_CHUNK_WORDS (HOST_CHUNK_ROWS / 32)

/*
 * A request stops within some 50 ms of when it is asked to.  So it is asked at each row of
 * this many bytes or more (the others of a chunk take no time); within a row nothing is
 * asked.  Made texts are of 1 MB at most (text_make.h), and a pattern is not matched
 * where it might be compared with more than HOST_ROW_WORK bytes: recheck.
 */
#define HOST_LONG_ROW 256
#define HOST_ROW_WORK (INT64_C(1) << 26)

/* A text register. */
typedef struct HostText
{
	const char *value[HOST_CHUNK_ROWS];
	int32_t		len[HOST_CHUNK_ROWS];
	GpustrTruthWord state[HOST_CHUNK_WORDS];	/* false: a value */
} HostText;

/* A value register.  Where there is no value, its bits are arbitrary. */
typedef struct HostValue
{
	int64_t		value[HOST_CHUNK_ROWS];
	GpustrTruthWord state[HOST_CHUNK_WORDS];	/* false: a value */
} HostValue;

/* A bool register. */
typedef struct HostBool
{
	GpustrTruthWord word[HOST_CHUNK_WORDS];
} HostBool;

/* Memory for the texts that the steps of a chunk make; see host_text.c. */
typedef struct HostArenaBlock HostArenaBlock;

typedef struct HostArena
{
	HostArenaBlock *first;
	HostArenaBlock *last;
	HostArenaBlock *at;			/* the next text goes here, or behind */
	size_t		bytes;			/* room of all blocks */
	size_t		limit;			/* the most of that */
	size_t		share;			/* what one step may take of it for a chunk */
	size_t		taken;			/* by the step at hand */
} HostArena;

/* What an arena held at some time: what is made later can be let go alone. */
typedef struct HostArenaMark
{
	HostArenaBlock *at;
	size_t		used;
	HostArenaBlock *last;
} HostArenaMark;

/* The spaces of a join (host_join.h), and a table (host_table.h). */
struct HostJoin;
struct HostTable;

/* A request at work. */
typedef struct HostRun
{
	const EngineConfig *config;
	char	   *body;
	const GpustrBatch *batch;
	const GpustrProgram *program;
	EngineError *error;
	int			stopped;		/* config->stop() has said so */

	/* scratch */
	const char **page;			/* [HOST_CHUNK_ROWS]: the page of each row */
	HostText   *text;			/* [ntext] */
	HostValue  *value;			/* [nvalue] */
	HostBool   *boolean;		/* [nbool] */
	HostArena  *arena;			/* reset for each chunk */

	/* the chunk at hand */
	int32_t		row;			/* its first row */
	int32_t		nrows;
	int32_t		page_cursor;	/* page batch: the page of its first row */

	struct HostJoin *join;		/* of a program with RESULT */
	struct HostTable *table;	/* of one with BUILD */
	int64_t		built_bytes[GPUSTR_MAX_TABLE_COLUMNS];	/* texts that it has put
														 * into each column */

	/* output columns: bytes of all values so far, room or not */
	int64_t		out_total[GPUSTR_MAX_OUT_COLUMNS];
} HostRun;

/* Is the request to stop?  What the step at hand has made is worth nothing then. */
static inline int
host_stops(HostRun *run)
{
	if (!run->stopped && run->config->stop != NULL && run->config->stop() != 0)
		run->stopped = 1;
	return run->stopped;
}

/* The same, at a row of so many bytes. */
static inline int
host_stops_at(HostRun *run, int64_t bytes)
{
	return bytes >= HOST_LONG_ROW && host_stops(run);
}

/* Rows of word w of the chunk that exist, as a mask. */
static inline uint32_t
host_chunk_mask(const HostRun *run, int32_t w)
{
	int32_t		left = run->nrows - w * 32;

	return left >= 32 ? 0xFFFFFFFFu : (1u << left) - 1;
}

static inline int32_t
host_chunk_words(const HostRun *run)
{
	return (run->nrows + 31) / 32;
}

/* Rows of word w of the chunk that exist. */
static inline int32_t
host_word_rows(const HostRun *run, int32_t w)
{
	int32_t		left = run->nrows - w * 32;

	return left < 32 ? left : 32;
}

/* The state of what is made of two registers: recheck before NULL. */
static inline GpustrTruthWord
host_state_of_both(GpustrTruthWord a, GpustrTruthWord b)
{
	return gpustr_truth_word(a.lo | b.lo, a.hi | b.hi);
}

/*
 * IN's answer: true where found; else NULL, if the list has a NULL, or false;
 * where there is no value, its state.
 */
static inline GpustrTruthWord
host_truth_of_in(GpustrTruthWord state, uint32_t found, int32_t list_has_null)
{
	uint32_t	missed = list_has_null ? ~(state.hi | found) : 0;

	return gpustr_truth_word(state.lo | (found & ~state.hi), state.hi | missed);
}

/* CHOOSE: yes where the condition is true, recheck where that is, else no. */
static inline GpustrTruthWord
host_choose(GpustrTruthWord condition, GpustrTruthWord yes, GpustrTruthWord no)
{
	uint32_t	is_true = condition.lo & ~condition.hi;
	uint32_t	recheck = condition.lo & condition.hi;

	return gpustr_truth_word((is_true & yes.lo) | (~is_true & no.lo) | recheck,
							 (is_true & yes.hi) | (~is_true & no.hi) | recheck);
}

/* The bytes that an output column has room for, as far as offsets can count. */
static inline int64_t
host_column_room(const GpustrColumn *column)
{
	return column->data_bytes < INT32_MAX ? column->data_bytes : INT32_MAX;
}

/* Set run->page[] for the rows of the chunk of a page batch. */
extern void gpustr_host_find_pages(HostRun *run);

/* Steps of host_decode.c. */
extern void gpustr_host_decode_text(HostRun *run, const GpustrStep *step);
extern void gpustr_host_decode_value(HostRun *run, const GpustrStep *step);
extern void gpustr_host_decode_null(HostRun *run, const GpustrStep *step);
extern void gpustr_host_column(HostRun *run, const GpustrStep *step);
extern void gpustr_host_column_value(HostRun *run, const GpustrStep *step);
extern void gpustr_host_const(HostRun *run, const GpustrStep *step);
extern void gpustr_host_const_text(HostRun *run, const GpustrStep *step);
extern void gpustr_host_const_value(HostRun *run, const GpustrStep *step);

/* The step of host_dfa.c. */
extern void gpustr_host_dfa(HostRun *run, const GpustrStep *step);

/* The step of host_contains_any.c. */
extern void gpustr_host_contains_any(HostRun *run, const GpustrStep *step);

/* Steps of host_values.c. */
extern void gpustr_host_compare_value(HostRun *run, const GpustrStep *step);
extern void gpustr_host_in_value(HostRun *run, const GpustrStep *step);
extern void gpustr_host_value_true(HostRun *run, const GpustrStep *step);
extern void gpustr_host_choose_value(HostRun *run, const GpustrStep *step);
extern void gpustr_host_bool_value(HostRun *run, const GpustrStep *step);
extern void gpustr_host_arith(HostRun *run, const GpustrStep *step);
extern void gpustr_host_cast(HostRun *run, const GpustrStep *step);

/* Steps of host_output.c. */
extern void gpustr_host_redact(HostRun *run, const GpustrStep *step);
extern void gpustr_host_mask(HostRun *run, const GpustrStep *step);
extern void gpustr_host_output_text(HostRun *run, const GpustrStep *step);
extern void gpustr_host_find_all(HostRun *run, const GpustrStep *step);

/* Steps of host_text.c, and the memory for what they make. */
extern void gpustr_host_text_make(HostRun *run, const GpustrStep *step);
extern void gpustr_host_text_measure(HostRun *run, const GpustrStep *step);
extern void gpustr_host_arena_reset(HostArena *arena);
extern void gpustr_host_arena_free(HostArena *arena);
extern HostArenaMark gpustr_host_arena_mark(const HostArena *arena);
extern void gpustr_host_arena_release(HostArena *arena, HostArenaMark mark);

/* Steps of host_join.c, on pairs; and that of host_build.c, which may set run->error. */
extern void gpustr_host_gather_text(HostRun *run, const GpustrStep *step);
extern void gpustr_host_gather_value(HostRun *run, const GpustrStep *step);
extern void gpustr_host_inner_text(HostRun *run, const GpustrStep *step);
extern void gpustr_host_inner_value(HostRun *run, const GpustrStep *step);
extern void gpustr_host_build(HostRun *run, const GpustrStep *step);

/*
 * Run one step over the chunk.  SELECT and what makes output columns add to the recheck
 * bitmap, which starts from 0.
 */
extern void gpustr_host_step(HostRun *run, const GpustrStep *step);

#endif							/* GPUSTR_HOST_STEPS_H */
