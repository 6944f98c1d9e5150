/*-------------------------------------------------------------------------
 *
 * output_room.h
 *	  How much room an output column gets for each page.
 *
 * Twice what a page has needed in the last OUTPUT_ROOM_BATCHES batches, at least
 * what the scan began with, in powers of 2.  So a batch of longer values has its
 * effect on the next one at once, and for as many batches.
 *
 * Of a batch whose values did not all fit the need is not known; it is more than
 * the room, which therefore doubles.
 *
 * Plain C.
 *
 * IDENTIFICATION
 *	  src/batch/output_room.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_OUTPUT_ROOM_H
#define GPUSTR_OUTPUT_ROOM_H

#include <stdint.h>

/* Batches after which a need is forgotten. */
#define OUTPUT_ROOM_BATCHES 8

typedef struct GpustrOutputRoom
{
	uint32_t	least;			/* bytes, a power of 2 */
	uint32_t	need[OUTPUT_ROOM_BATCHES];	/* bytes of a page, by turns */
	uint32_t	batches;
} GpustrOutputRoom;

/* Start; least: a power of 2. */
static inline void
output_room_init(GpustrOutputRoom *room, uint32_t least)
{
	int			i;

	room->least = least;
	room->batches = 0;
	for (i = 0; i < OUTPUT_ROOM_BATCHES; i++)
		room->need[i] = 0;
}

/* Note what the pages of a batch have needed. */
static inline void
output_room_note(GpustrOutputRoom *room, uint64_t bytes, int32_t npages)
{
	uint64_t	need = npages > 0 ? (bytes + (uint64_t) npages - 1) / (uint64_t) npages : 0;

	room->need[room->batches++ % OUTPUT_ROOM_BATCHES] = need < UINT32_MAX ? (uint32_t) need : UINT32_MAX;
}

/* Bytes for each page of the next batch: a power of 2, most at most. */
static inline uint32_t
output_room_next(const GpustrOutputRoom *room, uint32_t most)
{
	uint32_t	bytes = room->least;
	uint64_t	need = 0;
	int			i;

	for (i = 0; i < OUTPUT_ROOM_BATCHES; i++)
		need = room->need[i] > need ? room->need[i] : need;
	while (bytes < 2 * need && bytes <= most / 2)
		bytes *= 2;
	return bytes;
}

#endif							/* GPUSTR_OUTPUT_ROOM_H */
