/*-------------------------------------------------------------------------
 *
 * program_key.h
 *	  What a program is looked up by.
 *
 * An engine may keep a program, so that batches that come with the same one need
 * not be copied whole.  The key says where to look, and no more: what is found is
 * compared byte by byte.  So it need not be secret, or hard to forge, and since it
 * depends on nothing but the bytes, all sessions that run one query, and all
 * workers of a parallel scan, find the same copy.
 *
 * Four lanes of words, each multiplied and folded, end in the finisher of
 * SplitMix64 (Steele, Lea and Flood).
 *
 * Plain C; <stdint.h> and <string.h> only.
 *
 * IDENTIFICATION
 *	  src/program/program_key.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_PROGRAM_KEY_H
#define GPUSTR_PROGRAM_KEY_H

#include <string.h>

#include "program/program.h"

/* Mix a word into a lane. */
static inline uint64_t
program_key_mix(uint64_t lane, uint64_t word)
{
	lane = (lane ^ word) * UINT64_C(0x9E3779B97F4A7C15);
	return lane ^ lane >> 32;
}

/*
 * The key of a program whose field 'key' is 0.  Never 0, but for a program of less
 * than GPUSTR_KEY_LEAST_BYTES, which has none.
 */
static inline uint64_t
gpustr_program_key(const GpustrProgram *program)
{
	const char *at = (const char *) program;
	uint64_t	lane[4] = {1, 2, 3, 4};
	uint32_t	left = program->bytes;
	uint64_t	key;

	if (left < GPUSTR_KEY_LEAST_BYTES)
		return 0;
	for (; left >= 32; left -= 32, at += 32)
	{
		uint64_t	word[4];
		int			i;

		memcpy(word, at, sizeof(word));
		for (i = 0; i < 4; i++)
			lane[i] = program_key_mix(lane[i], word[i]);
	}
	for (; left > 0; left--, at++)
		lane[0] = program_key_mix(lane[0], (unsigned char) *at);
	key = program_key_mix(program_key_mix(program_key_mix(lane[0], lane[1]), lane[2]), lane[3]);
	key = (key ^ key >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	key = (key ^ key >> 27) * UINT64_C(0x94D049BB133111EB);
	key ^= key >> 31;
	return key != 0 ? key : 1;
}

#endif							/* GPUSTR_PROGRAM_KEY_H */
