/*-------------------------------------------------------------------------
 *
 * extents_gen.h
 *	  Random automata that tell where something matches.
 *
 * IDENTIFICATION
 *	  test/unit/extents_gen.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_TEST_EXTENTS_GEN_H
#define GPUSTR_TEST_EXTENTS_GEN_H

#include "program/text_function.h"
#include "test_common.h"

#define EXTENTS_GEN_STATES 10
#define EXTENTS_GEN_CLASSES 6

/* The most bytes of one. */
#define EXTENTS_GEN_BYTES \
	(int) (sizeof(GpustrRegexExtents) + sizeof(GpustrDfa) + EXTENTS_GEN_STATES * (2 * EXTENTS_GEN_CLASSES + 1) + 8)

/* Where the states lead, and how likely a match is. */
static inline TEST_UNUSED void
extents_gen_states(Rng *rng, GpustrDfa *dfa)
{
	uint16_t   *next = (uint16_t *) ((char *) dfa + dfa->next_off);
	uint8_t    *at_end = (uint8_t *) dfa + dfa->at_end_off;
	int32_t		rejects = 1 + rng_below(rng, 4);
	int32_t		doubts = rng_one_in(rng, 3) ? 40 : 1 << 30;
	int32_t		i;

	for (i = 0; i < dfa->nstates * dfa->nclasses; i++)
	{
		if (i < 2 * dfa->nclasses)
			next[i] = (uint16_t) (i / dfa->nclasses);
		else if (dfa->nstates == 2 || rng_one_in(rng, rejects))
			next[i] = GPUSTR_DFA_REJECT;
		else
			next[i] = (uint16_t) (rng_one_in(rng, doubts) ? GPUSTR_DFA_ACCEPT : 2 + rng_below(rng, dfa->nstates - 2));
	}
	for (i = 0; i < dfa->nstates; i++)
		at_end[i] = (uint8_t) (i < 2 ? i : rng_one_in(rng, 4));
}

/* The bytes that a match may begin with: of 'plain', or any that lead on from some state. */
static inline TEST_UNUSED void
extents_gen_begins(GpustrRegexExtents *x, const GpustrDfa *dfa, int32_t encoding)
{
	const uint16_t *next = (const uint16_t *) ((const char *) dfa + dfa->next_off);
	int32_t		state;
	int			byte;

	for (byte = 0; byte < 256; byte++)
	{
		if (encoding == GPUSTR_ENC_UTF8 && byte >= 0x80 && byte < 0xC0)
			continue;
		for (state = 1; state < dfa->nstates; state++)
			if ((x->plain < 0 || state == x->plain) && next[state * dfa->nclasses + dfa->class_of[byte]] != GPUSTR_DFA_REJECT)
				x->begins[byte / 32] |= 1u << (byte % 32);
	}
}

/* A constant of the functions that take a GpustrRegexExtents; returns its bytes. */
static inline TEST_UNUSED uint32_t
extents_gen(Rng *rng, int32_t encoding, char *to)
{
	GpustrRegexExtents *x = (GpustrRegexExtents *) to;
	GpustrDfa  *dfa = (GpustrDfa *) (x + 1);
	int			i;

	memset(to, 0, (size_t) EXTENTS_GEN_BYTES);
	dfa->nstates = 2 + rng_below(rng, EXTENTS_GEN_STATES - 1);
	dfa->nclasses = 1 + rng_below(rng, EXTENTS_GEN_CLASSES);
	dfa->start = rng_below(rng, dfa->nstates);
	dfa->next_off = (int32_t) sizeof(GpustrDfa);
	dfa->at_end_off = dfa->next_off + 2 * dfa->nstates * dfa->nclasses;
	for (i = 0; i < 256; i++)
		dfa->class_of[i] = (uint8_t) rng_below(rng, dfa->nclasses);
	extents_gen_states(rng, dfa);

	x->pass = rng_one_in(rng, 4) ? rng_below(rng, 20) : 0;
	x->which = rng_one_in(rng, 2) ? 0 : 1 + rng_below(rng, 3);
	x->flags = rng_below(rng, 4);
	x->plain = rng_one_in(rng, 2) ? rng_below(rng, dfa->nstates) : -1;
	x->middle = rng_below(rng, dfa->nstates);
	x->accept = 2 + rng_below(rng, dfa->nstates - 1);
	x->naccept = rng_below(rng, dfa->nstates - x->accept + 1);
	extents_gen_begins(x, dfa, encoding);
	return (uint32_t) (sizeof(GpustrRegexExtents) + (size_t) dfa->at_end_off) + (uint32_t) dfa->nstates;
}

/* A replacement of at most 8 bytes; an encoding of one byte has no characters of two. */
static inline TEST_UNUSED int32_t
extents_gen_replacement(Rng *rng, char *to)
{
	static const char *const parts[] = {"\\", "&", "\\&", "\\\\", "x", "0", "\303\251", "\\n"};
	int32_t		most = rng_below(rng, 9);
	int32_t		len = 0;

	while (len < most)
	{
		const char *part = rng_one_in(rng, 30) ? "\\3" : parts[rng_below(rng, 8)];
		int32_t		bytes = (int32_t) strlen(part);

		if (len + bytes > 8)
			break;
		memcpy(to + len, part, (size_t) bytes);
		len += bytes;
	}
	return len;
}

#endif							/* GPUSTR_TEST_EXTENTS_GEN_H */
