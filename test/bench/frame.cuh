/*-------------------------------------------------------------------------
 *
 * frame.cuh
 *	  What the benchmarks of kernels begin and end with, and how they time.
 *
 * IDENTIFICATION
 *	  test/bench/frame.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_BENCH_FRAME_CUH
#define GPUSTR_BENCH_FRAME_CUH

#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>

#include "cuda_must.cuh"

struct Bench
{
	const char *name;
	bool quick;
	uint64_t seed;
	cudaDeviceProp props;
	cudaStream_t stream;
};

/* Take the arguments, [--quick] [--seed N], and the first device. */
static inline Bench begin_bench(const char *name, int argc, char **argv)
{
	Bench bench = {};

	bench.name = name;
	bench.seed = 1;
	for (int i = 1; i < argc; i++)
	{
		if (strcmp(argv[i], "--quick") == 0)
			bench.quick = true;
		else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
			bench.seed = strtoull(argv[++i], NULL, 10);
		else
		{
			fprintf(stderr, "usage: %s [--quick] [--seed N]\n", name);
			exit(2);
		}
	}
	CUDA_MUST(cudaSetDevice(0));
	CUDA_MUST(cudaGetDeviceProperties(&bench.props, 0));
	CUDA_MUST(cudaStreamCreateWithFlags(&bench.stream, cudaStreamNonBlocking));
	return bench;
}

/* The closing line; returns the exit status. */
static inline int end_bench(const Bench &bench, int checked, int wrong)
{
	CUDA_MUST(cudaStreamDestroy(bench.stream));
	printf("%s: %d passed, %d failed\n", bench.name, checked - wrong, wrong);
	return wrong == 0 ? 0 : 1;
}

/* The best of some runs, in milliseconds. */
template <class Run>
static double best_of(int repeats, cudaStream_t stream, Run what)
{
	cudaEvent_t from;
	cudaEvent_t to;
	float best = 0;

	CUDA_MUST(cudaEventCreate(&from));
	CUDA_MUST(cudaEventCreate(&to));
	for (int i = 0; i < repeats; i++)
	{
		float ms;

		CUDA_MUST(cudaEventRecord(from, stream));
		what();
		CUDA_MUST(cudaEventRecord(to, stream));
		CUDA_MUST(cudaEventSynchronize(to));
		CUDA_MUST(cudaEventElapsedTime(&ms, from, to));
		if (i == 0 || ms < best)
			best = ms;
	}
	CUDA_MUST(cudaEventDestroy(from));
	CUDA_MUST(cudaEventDestroy(to));
	return best;
}

#endif /* GPUSTR_BENCH_FRAME_CUH */
