/*-------------------------------------------------------------------------
 *
 * columns.cuh
 *	  Columns of texts in device memory for the benchmark, and samples of them.
 *
 * A column has as many parts as int32 offsets need; all parts have rows of the
 * same lengths.  Behind a part's texts is the arena for what is made of them.
 *
 * IDENTIFICATION
 *	  test/bench/text/columns.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_BENCH_TEXT_COLUMNS_CUH
#define GPUSTR_BENCH_TEXT_COLUMNS_CUH

#include <stdint.h>
#include <vector>

/* A literal that some rows have, and the patterns of LIKE look for. */
#define COLUMN_NEEDLE "Needle-9"

#define COLUMN_MAX_PARTS 16

/* Rows that are compared with the host's functions, of the first and the last part. */
#define COLUMN_SAMPLE_ROWS 20480

/* Lengths of rows: shortest to longest; every long_every-th has long_bytes. */
struct ColumnShape
{
	const char *name;
	int32_t shortest;
	int32_t longest;
	int32_t long_every; /* 0: none */
	int32_t long_bytes;
};

struct Column
{
	const char *name;
	int nparts;
	int32_t nrows;			   /* of a part */
	int64_t part_bytes;		   /* texts of a part */
	int32_t arena_at;		   /* behind them */
	uint64_t arena_bytes;	   /* up to 2 GB from the part's start */
	std::vector<int32_t> host; /* [nrows + 1] offsets, on the host */
	int32_t *offset;		   /* the same, of all parts */
	char *base[COLUMN_MAX_PARTS];

	int64_t bytes() const
	{
		return part_bytes * nparts;
	}

	/* The first row of sample i; 0: of the first part, 1: at the end of the last. */
	int32_t sample_row(int i) const;
	int32_t sample_rows() const;

	/* Its texts, on the host: byte 0 is that of its first row. */
	std::vector<char> sample[2];
};

Column make_column(const ColumnShape &shape, int64_t bytes, uint64_t seed);
void free_column(Column *column);

#endif /* GPUSTR_BENCH_TEXT_COLUMNS_CUH */
