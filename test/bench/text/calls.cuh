/*-------------------------------------------------------------------------
 *
 * calls.cuh
 *	  What the benchmark runs, what it runs with, and whether the answers are right.
 *
 * IDENTIFICATION
 *	  test/bench/text/calls.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_BENCH_TEXT_CALLS_CUH
#define GPUSTR_BENCH_TEXT_CALLS_CUH

#include "columns.cuh"
#include "cuda_must.cuh"
#include "kernels.cuh"

/* Where the constants of a call are: texts 0 to 2, each with room, and so on. */
#define CALL_TEXT_BYTES 256
#define CALL_MAP_AT (3 * CALL_TEXT_BYTES)
#define CALL_PATTERN_AT (CALL_MAP_AT + 1024)
#define CALL_CONSTANT_BYTES (CALL_PATTERN_AT + 16384)

/* What to run: a function and its arguments but the first, which is the column. */
struct Call
{
	const char *name;
	GpustrTextFunction function;
	const char *text[3];
	int64_t value[3];
	bool column;	  /* put the answer out, too */
	int goal_percent; /* of a copy; 0: none */
	double goal_tb;	  /* TB/s of text that is read; 0: none */
};

/* Working memory, one for all parts but for what is compared. */
struct Work
{
	int32_t *start; /* [nrows], of each part one behind the other */
	int32_t *end;
	int64_t *value;
	uint32_t *valid; /* [plane_words] of each part */
	uint32_t *recheck;
	int64_t plane_words;
	unsigned long long *cursor; /* [parts] */
	char *constant;				/* texts 0 to 2, the case map, a pattern */
	OutputColumn out;			/* of one part: they use it by turns */
	uint64_t scratch_bytes;
	std::vector<char> host_constant;
	cudaStream_t stream;
};

template <class T>
std::vector<T> fetch_array(const T *from, size_t n)
{
	std::vector<T> to(n);

	CUDA_MUST(cudaMemcpy(to.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost));
	return to;
}

static inline bool bit_of(const std::vector<uint32_t> &words, int32_t r)
{
	return words[(size_t)r / 32] >> (r % 32) & 1;
}

/* Is what the last run wrote for sample s as the host's row functions say? */
bool sample_is_right(const Column &column, const Work &work, const Call &call, int s);

/* Bytes of all answers that are texts; those in an arena, as the cursors count them. */
double made_bytes(const Column &column, const Work &work, const Call &call);

#endif /* GPUSTR_BENCH_TEXT_CALLS_CUH */
