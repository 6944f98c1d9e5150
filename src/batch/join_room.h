/*-------------------------------------------------------------------------
 *
 * join_room.h
 *	  How much room the results of a join's batch get.
 *
 * How many results a batch will have, and how long their texts are, is not known
 * before.  A piece that ends too early is followed by another run of the batch, which
 * costs the work on its inputs again; room that is not used takes the place of inputs.
 * So rows are counted for each *unit* of input (a page, or some rows), and the bytes of
 * each text column for each result, and the next batch has twice what the last ones have
 * needed (output_room.h).
 *
 * The pieces of one batch get room by what is known of its own results so far.  As each
 * repeats what the inputs need, there must not be many: a body of the session's own
 * grows with their number.  A slot is as large as it is, and inputs take a part of it
 * at most, so that what a piece repeats is of the order of what it brings.
 *
 * Plain C.
 *
 * IDENTIFICATION
 *	  src/batch/join_room.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_JOIN_ROOM_H
#define GPUSTR_JOIN_ROOM_H

#include "batch/batch_layout.h"
#include "batch/output_room.h"

/* Room can be scaled by powers of the root of 2, so that units fit into a body. */
#define GPUSTR_JOIN_ROOM_LEAST_SCALE (-40)
#define GPUSTR_JOIN_ROOM_MOST_SCALE 16

typedef struct GpustrJoinRoom
{
	GpustrResultLayout kinds;	/* all but room and text_bytes */
	GpustrOutputRoom rows;		/* results of a unit */
	GpustrOutputRoom text[GPUSTR_MAX_RESULT_COLUMNS];	/* bytes in a result */
	uint64_t	bytes[GPUSTR_MAX_RESULT_COLUMNS];	/* of the batch noted
													 * last, in all its pieces */
} GpustrJoinRoom;

/* Begin with so much room for a batch of so many units. */
extern void gpustr_join_room_init(GpustrJoinRoom *room, const GpustrResultLayout *first,
								  int32_t units);

/*
 * A batch of so many units has results.  nrows: those of its earlier pieces, which have
 * been noted, included.
 */
extern void gpustr_join_room_note(GpustrJoinRoom *room, const GpustrBatch *batch,
								  int32_t units, uint64_t nrows);

/* The layout of the next batch of so many units, with 2^(scale / 2) times the room. */
extern void gpustr_join_room_layout(const GpustrJoinRoom *room, int32_t units, int scale,
									GpustrResultLayout *layout);

/* The bytes of a body with that layout; arg: what the caller knows of its inputs. */
typedef uint64_t (*GpustrJoinBytes) (const void *arg, const GpustrResultLayout *layout);

/* The layout of a batch of so many units with as much room as a body of so many bytes has. */
extern void gpustr_join_room_fit(const GpustrJoinRoom *room, int32_t units, uint64_t most_bytes,
								 GpustrJoinBytes bytes_of, const void *arg,
								 GpustrResultLayout *layout);

/* Bytes of a body of the session's own, of so many now, for the piece after so many. */
extern uint64_t gpustr_join_room_own_bytes(uint64_t bytes, int32_t pieces);

/* The layout of a batch as it is. */
extern void gpustr_join_room_of_batch(const GpustrBatch *batch, GpustrResultLayout *layout);

/*
 * A layout had no room for the texts of one row: make it one of few rows with more.
 * other_bytes: what a body has beside results; most_bytes: all that it may have.
 * Returns 0 where there is no more to be had.
 */
extern int	gpustr_join_room_enlarge(GpustrResultLayout *layout, uint64_t other_bytes,
									 uint64_t most_bytes);

#endif							/* GPUSTR_JOIN_ROOM_H */
