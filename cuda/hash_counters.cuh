/*-------------------------------------------------------------------------
 *
 * hash_counters.cuh
 *	  What is counted while the hash table of a join is built.
 *
 * Apart from hash_build.cuh, so that whoever has a table need not compile that.
 *
 * IDENTIFICATION
 *	  cuda/hash_counters.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_HASH_COUNTERS_CUH
#define GPUSTR_HASH_COUNTERS_CUH

#include <stdint.h>

/* Of a table that is being built; in device memory. */
struct HashCounters
{
	uint32_t distinct;	 /* keys */
	uint32_t repeated;	 /* rows beyond their key's first */
	uint32_t left_out;	 /* rows for which the table was full: start again, larger */
	uint32_t run_words;	 /* used of runs[] */
	uint32_t long_runs;	 /* of more than HASH_SHORT_RUN rows: hash_sort.cuh */
	uint32_t long_words; /* their rows */
};

#endif /* GPUSTR_HASH_COUNTERS_CUH */
