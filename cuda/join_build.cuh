/*-------------------------------------------------------------------------
 *
 * join_build.cuh
 *	  The rows of a batch copied into a table of a join.
 *
 * Any register may be a column of a table.  Texts of an input column are copied as
 * they lie there, all others are brought together on the way, as in an output column.
 *
 * Rows of a table that lie in one word of a bitmap may come with two requests at the
 * same time, so words are merged by atomics.  So is the offset at which one
 * request's texts end and the next one's begin: both write it, and whoever comes
 * second looks whether they agree.
 *
 * IDENTIFICATION
 *	  cuda/join_build.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_JOIN_BUILD_CUH
#define GPUSTR_JOIN_BUILD_CUH

#include "join_table.cuh"
#include "kernels.cuh"

/* Bits of a column that go to a table. */
struct BuildBits
{
	int32_t nrows;
	int32_t first_row;
	uint32_t *valid;   /* of the table */
	uint32_t *nulls;   /* counter */
	uint32_t *recheck; /* [(nrows + 31) / 32] of the batch: ORed into */
};

/* Copy values, and which of them are valid. */
cudaError_t launch_build_values(const ValueRegister &from, int64_t *to, const BuildBits &bits,
								cudaStream_t stream);

/* Which of the texts of a register are valid; start, end and bytes are not looked at. */
cudaError_t launch_build_valid(const TextRegister &from, const BuildBits &bits,
							   cudaStream_t stream);

/*
 * Copy offsets: to[i] = from[i] - from_first + first_byte.
 *
 * from		[nrows + 1]
 * to		of the table, from the first row on
 * astray	counter: of the two at the ends, those that are not as they are there
 *
 * e.g. from {3, 5, 5, 9}, from_first 3, first_byte 100: to {100, 102, 102, 106}
 */
cudaError_t launch_build_offsets(const int32_t *from, int32_t from_first, int32_t nrows,
								 int32_t first_byte, int32_t *to, uint32_t *astray,
								 cudaStream_t stream);

#endif /* GPUSTR_JOIN_BUILD_CUH */
