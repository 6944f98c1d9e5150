/*-------------------------------------------------------------------------
 *
 * data.cuh
 *	  Random input for the redaction benchmark, with the right answers.
 *
 * IDENTIFICATION
 *	  test/bench/redact/data.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_BENCH_DATA_CUH
#define GPUSTR_BENCH_DATA_CUH

#include <string>
#include <vector>

#include "bench.cuh"

/* What the rows look like. */
enum DataKind
{
	DATA_NAMES, /* names as people have them */
	DATA_HARD	/* empty, odd, very long, one of 0.5 MB; first offset not 0 */
};

/* Columns in host memory, and the output column that is right. */
struct HostData
{
	int32_t n = 0;
	std::vector<int32_t> name_start;
	std::string name;
	std::vector<int32_t> visibility_start;
	std::string visibility;
	std::vector<int32_t> out_start;
	std::string out;

	/* inputs once and outputs once, what the value is of every variant */
	int64_t bytes() const
	{
		return 3 * ((int64_t)n + 1) * 4 + (name_start[n] - name_start[0]) +
			   (visibility_start[n] - visibility_start[0]) + (int64_t)out.size();
	}
};

/* Make n rows, with all cores; the answers are the row functions'. */
void make_data(HostData *data, int32_t n, DataKind kind, uint64_t seed);

#endif /* GPUSTR_BENCH_DATA_CUH */
