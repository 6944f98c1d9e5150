/*-------------------------------------------------------------------------
 *
 * aho_corasick.h
 *	  Look for many literals in a text, all at once.
 *
 * The automaton (GpustrAhoCorasick in program.h) is that of Aho and Corasick
 * (1975) with all its transitions, as a state is left by one look-up or two:
 *
 *	- a hot state by its row;
 *	- a cold one by one of its edges, or else by the row of its hot state, which is
 *	  the longest end of what it stands for that is hot.
 *
 * How many edges a cold state has is what its literals make of it: mostly one.  So
 * time is in proportion to the text, whatever the literals, and the table to
 * what is left of them.
 *
 * IDENTIFICATION
 *	  src/rowfn/aho_corasick.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_AHO_CORASICK_H
#define GPUSTR_ROWFN_AHO_CORASICK_H

#include "program/program.h"

#define ROWFN_AHO_HOT(set) ((const uint16_t *) ((const char *) (set) + (set)->hot_off))
#define ROWFN_AHO_COLD(set) ((const GpustrColdState *) ((const char *) (set) + (set)->cold_off))
#define ROWFN_AHO_MORE(set) ((const uint32_t *) ((const char *) (set) + (set)->more_off))

/* Is [off, off + n * size) within 'bytes', behind the header, with off aligned to 'align'? */
GPUSTR_FN int
rowfn_aho_region_ok(int32_t off, int32_t n, uint32_t size, int32_t align, uint32_t bytes)
{
	return n >= 0 && off >= (int32_t) sizeof(GpustrAhoCorasick) && off % align == 0 &&
		(uint64_t) off + (uint64_t) n * size <= bytes;
}

/*
 * Is it an automaton within 'bytes' bytes, aligned to 8, so that it may be run
 * unchecked?  What it then reads lies within, and a byte takes at most 257 looks.
 */
GPUSTR_FN int
rowfn_aho_check(const GpustrAhoCorasick *set, uint32_t bytes)
{
	const uint16_t *hot;
	const GpustrColdState *cold;
	const uint32_t *more;
	uint32_t	nstates;
	int			bad = 0;
	int32_t		i;

	if (bytes < sizeof(GpustrAhoCorasick) || bytes > INT32_MAX ||
		set->nstates < 1 || set->nstates > GPUSTR_AHO_MAX_STATES ||
		set->nclasses < 1 || set->nclasses > 256 ||
		set->nhot < 1 || set->nhot > 65535 || set->nhot > set->nstates ||
		!rowfn_aho_region_ok(set->hot_off, set->nhot * set->nclasses, sizeof(uint16_t), 4, bytes) ||
		!rowfn_aho_region_ok(set->cold_off, set->nstates - set->nhot, sizeof(GpustrColdState), 8,
							 bytes) ||
		!rowfn_aho_region_ok(set->more_off, set->nmore, sizeof(uint32_t), 4, bytes))
		return 0;
	for (i = 0; i < 256; i++)
		bad |= set->class_of[i] >= set->nclasses;
	hot = ROWFN_AHO_HOT(set);
	cold = ROWFN_AHO_COLD(set);
	more = ROWFN_AHO_MORE(set);
	nstates = (uint32_t) set->nstates;
	for (i = 0; i < set->nhot * set->nclasses; i++)
		bad |= hot[i] >= nstates && hot[i] != GPUSTR_FOUND;
	for (i = 0; i < set->nstates - set->nhot; i++)
	{
		uint32_t	first = cold[i].edge[0] & GPUSTR_EDGE_STATE;
		uint32_t	second = cold[i].edge[1] & GPUSTR_EDGE_STATE;

		bad |= first >= nstates && first != GPUSTR_FOUND;
		bad |= second >= nstates && second != GPUSTR_FOUND;
		bad |= cold[i].hot >= set->nhot || cold[i].nmore > 255;
		bad |= (uint64_t) cold[i].more + cold[i].nmore > (uint64_t) set->nmore;
	}
	for (i = 0; i < set->nmore; i++)
		bad |= (more[i] & GPUSTR_EDGE_STATE) >= nstates &&
			(more[i] & GPUSTR_EDGE_STATE) != GPUSTR_FOUND;
	return !bad;
}

/* Where a byte of class c leads from a cold state, by its edges or its hot state. */
GPUSTR_FN uint32_t
rowfn_aho_leave_cold(const GpustrColdState *cold, const uint32_t *more, const uint16_t *hot,
					 uint32_t nclasses, uint32_t c)
{
	uint32_t	i;

	if (cold->edge[0] >> GPUSTR_EDGE_BITS == c)
		return cold->edge[0] & GPUSTR_EDGE_STATE;
	if (cold->edge[1] >> GPUSTR_EDGE_BITS == c)
		return cold->edge[1] & GPUSTR_EDGE_STATE;
	for (i = 0; i < cold->nmore; i++)
		if (more[cold->more + i] >> GPUSTR_EDGE_BITS == c)
			return more[cold->more + i] & GPUSTR_EDGE_STATE;
	return hot[cold->hot * nclasses + c];
}

/* Where a byte of class c leads from a state, which is not GPUSTR_FOUND. */
GPUSTR_FN uint32_t
rowfn_aho_next(const GpustrAhoCorasick *set, uint32_t state, uint32_t c)
{
	const uint16_t *hot = ROWFN_AHO_HOT(set);
	uint32_t	nclasses = (uint32_t) set->nclasses;

	if (state < (uint32_t) set->nhot)
		return hot[state * nclasses + c];
	return rowfn_aho_leave_cold(ROWFN_AHO_COLD(set) + (state - (uint32_t) set->nhot),
								ROWFN_AHO_MORE(set), hot, nclasses, c);
}

/* The state after more bytes of a text, or GPUSTR_FOUND. */
GPUSTR_FN uint32_t
rowfn_aho_run(const GpustrAhoCorasick *set, uint32_t state, const char *text, int32_t len)
{
	int32_t		i;

	for (i = 0; i < len && state != GPUSTR_FOUND; i++)
		state = rowfn_aho_next(set, state, set->class_of[(unsigned char) text[i]]);
	return state;
}

/* Does one of the literals occur in the text? */
GPUSTR_FN int
rowfn_aho_match(const GpustrAhoCorasick *set, const char *text, int32_t len)
{
	return rowfn_aho_run(set, 0, text, len) == GPUSTR_FOUND;
}

#endif							/* GPUSTR_ROWFN_AHO_CORASICK_H */
