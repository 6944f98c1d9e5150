/*-------------------------------------------------------------------------
 *
 * automaton_run.cuh
 *	  What the automata of strings_dfa.cu and strings_contains_any.cu have in common:
 *	  a text piece by piece, and how many blocks are launched.
 *
 * A piece's bytes that are not the text's are left out by a mask of 16 bits:
 * all lanes of a warp go through the same instructions, whatever their rows'
 * alignments and lengths.
 *
 * IDENTIFICATION
 *	  cuda/automaton_run.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_AUTOMATON_RUN_CUH
#define GPUSTR_AUTOMATON_RUN_CUH

#include "kernels.cuh"

/*
 * The state after a text, from 'state' on, or an earlier one that is the last.
 *
 * AHEAD	pieces of 16 bytes that are on their way beside the one at hand: 1 or 2
 * next		(state, 4 bytes, mask): the state after those of the bytes that bits 0 to 3 of
 *			the mask stand for
 * is_last	(state): does it stay?  Asked after each piece.
 */
template <int AHEAD, class Next, class IsLast>
static __device__ __forceinline__ uint32_t run_automaton(const char *value, int32_t len,
														 uint32_t state, Next next, IsLast is_last)
{
	const uint32_t head = (uint32_t)((uintptr_t)value & 15);
	const uint4 *from = (const uint4 *)(value - head);
	uint32_t end = head + (uint32_t)len; /* bytes from 'from' to the text's end */
	uint32_t mask = 0xFFFF << head;		 /* which bytes of a piece are the text's */
	uint4 ahead[AHEAD];

	if (len <= 0)
		return state;
	ahead[0] = from[0];
	if constexpr (AHEAD == 2)
		ahead[1] = end > 16 ? from[1] : ahead[0];
	for (;;)
	{
		uint4 piece = ahead[0];

		if constexpr (AHEAD == 2)
			ahead[0] = ahead[1];
		if (end > 16 * AHEAD)
			ahead[AHEAD - 1] = from[AHEAD];
		if (end < 16)
			mask &= (1u << end) - 1;
		state = next(state, piece.x, mask);
		state = next(state, piece.y, mask >> 4);
		state = next(state, piece.z, mask >> 8);
		state = next(state, piece.w, mask >> 12);
		if (end <= 16 || is_last(state))
			return state;
		from++;
		end -= 16;
		mask = 0xFFFF;
	}
}

/* Blocks to launch, which stay: as many as the device holds, if there are rows for them. */
static inline unsigned automaton_blocks(const DfaDevice &limits, int32_t nrows, int threads,
										unsigned shared_bytes)
{
	const unsigned fit =
		(unsigned)limits.sm_shared / (shared_bytes + (unsigned)limits.reserved_shared);
	const unsigned most = (unsigned)(limits.sm_threads / threads);
	const unsigned per_sm = fit > most ? most : fit > 1 ? fit : 1;
	const unsigned blocks = launch_blocks(nrows, threads);
	const unsigned held = (unsigned)limits.sms * per_sm;

	return blocks < held ? blocks : held;
}

#endif /* GPUSTR_AUTOMATON_RUN_CUH */
