/*-------------------------------------------------------------------------
 *
 * automata.cuh
 *	  Automata for the benchmark.
 *
 * IDENTIFICATION
 *	  test/bench/dfa/automata.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_BENCH_AUTOMATA_CUH
#define GPUSTR_BENCH_AUTOMATA_CUH

#include <stdint.h>
#include <string>
#include <vector>

#include "program/program.h"

/* xorshift64* */
struct Random
{
	uint64_t state;

	/* in [0, n) */
	uint32_t below(uint32_t n)
	{
		state ^= state >> 12;
		state ^= state << 25;
		state ^= state >> 27;
		return (uint32_t)(((uint64_t)(uint32_t)((state * 2685821657736338717ULL) >> 32) * n) >> 32);
	}
};

/* A GpustrDfa and what it is. */
struct Automaton
{
	std::string name;
	std::vector<uint64_t> block; /* the GpustrDfa */
	const GpustrDfa *dfa() const
	{
		return (const GpustrDfa *)block.data();
	}
	size_t bytes() const
	{
		return block.size() * sizeof(uint64_t);
	}
};

/* A random word as the texts have them. */
std::string random_word(Random &random, uint32_t chars);

/* Is one of some random words in the text?  As many as make about nstates. */
Automaton make_words(uint64_t seed, int32_t nstates);

/* Are three random words in the text, in this order: a.*b.*c? */
Automaton make_sequence(uint64_t seed);

/*
 * Any state after any other: states spread over all of the table.  It does not
 * come to an end before the text.
 */
Automaton make_random(uint64_t seed, int32_t nstates, int32_t nclasses);

#endif /* GPUSTR_BENCH_AUTOMATA_CUH */
