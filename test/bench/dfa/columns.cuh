/*-------------------------------------------------------------------------
 *
 * columns.cuh
 *	  Columns of texts in device memory for the benchmarks.
 *
 * Texts are words of lower-case letters with blanks and digits, rows one behind
 * the other, in as many parts as int32 offsets need.
 *
 * IDENTIFICATION
 *	  test/bench/dfa/columns.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_BENCH_COLUMNS_CUH
#define GPUSTR_BENCH_COLUMNS_CUH

#include <stdint.h>
#include <string>
#include <vector>

/* Parts of a column, and bytes of each: 4.5 GB. */
#define PARTS 3
#define PART_BYTES 1500000000

/* A column in device memory. */
struct Column
{
	std::string name;
	int32_t nrows; /* of a part */
	int64_t bytes; /* of all parts */
	char *text[PARTS];
	int32_t *start; /* [nrows + 1], of each part */
	uint32_t *out;	/* two planes a part */
	int64_t plane_words;

	/* the samples, on the host: of the first part and of the last */
	std::vector<char> sample[2];
	std::vector<int32_t> sample_start;
};

/* Rows of so many bytes each, from the shortest to the longest. */
Column make_column(const char *name, int32_t shortest, int32_t longest, int64_t part_bytes,
				   uint64_t seed);
void free_column(Column *column);

/* Are the results in column.out, in both samples, as expected? */
bool is_right(const Column &column, const std::vector<uint32_t> &want);

#endif /* GPUSTR_BENCH_COLUMNS_CUH */
