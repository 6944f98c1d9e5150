/*-------------------------------------------------------------------------
 *
 * join_kernels.cuh
 *	  The kernels with which a program goes from one space of rows to the next, as
 *	  host code starts them.
 *
 *		probe		what each row meets in a table, and where its pairs start
 *		pairs		some of these pairs, by number
 *		columns		registers brought over to pairs
 *		result		rows that are results, their columns, and where a piece ends
 *
 * Pairs have numbers of 64 bits: a few rows can have more than memory holds, so
 * those that are wanted are made from the numbers' range alone.
 *
 * IDENTIFICATION
 *	  cuda/join_kernels.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_JOIN_KERNELS_CUH
#define GPUSTR_JOIN_KERNELS_CUH

#include "join_table.cuh"
#include "kernels.cuh"

/* What joins count; in device memory, and in pinned host memory. */
struct JoinCounters
{
	unsigned long long probed; /* rows that the condition let pass, less recheck */
	unsigned long long pairs;  /* of all rows of a space that were probed */

	/* of the results of the pairs at hand */
	unsigned long long kept;	  /* rows that are results */
	unsigned long long written;	  /* of them, those in this piece */
	unsigned long long next_pair; /* where the next piece starts: the pair, of those at hand, ... */
	unsigned long long next_skip; /* ... and results of it that come before */
	uint32_t bytes[GPUSTR_MAX_RESULT_COLUMNS]; /* of the texts written */
};

/* A register that becomes an array: of a key's column, as RowfnKeys has it. */
struct KeyArray
{
	const int64_t *value; /* NULL: a constant */
	int64_t constant;
	uint32_t *word;	 /* out: [nrows] values as words, ... */
	int64_t *number; /* ... as they are, ... */
	int32_t *start;	 /* ... or where a constant text is: [nrows] each */
	int32_t *end;
};

/* A key's column: of its register. */
struct ProbeKey
{
	const uint32_t *valid; /* as in TextRegister */
	const uint32_t *recheck;
};

/* Rows of a space that meet a table. */
struct ProbeArgs
{
	RowfnTable table;
	int32_t kind; /* GpustrProbeKind */
	int32_t partition;
	int32_t npartitions;
	int32_t exact; /* the key is 'word', and equal hashes are equal keys */
	int32_t nkeys;
	int32_t first; /* of space 0: what is recheck makes no pair */
	int32_t nrows;
	int32_t unused;
	BoolRegister condition;
	ValueRegister word;
	ProbeKey key[ROWFN_MAX_KEYS];
	RowfnKeys inner;
	RowfnKeys outer;	   /* valid: NULL */
	const uint32_t *doubt; /* later spaces: rows whose pair has been recheck; NULL: none */

	uint32_t *value;			/* out: [nrows] what the table's slot says */
	unsigned long long *start;	/* out: [nrows + 1] the first pair of each; all of them */
	uint32_t *recheck;			/* space 0: of the batch; ORed into */
	uint32_t *doubt_out;		/* later spaces: [(nrows + 31) / 32], out */
	unsigned long long *probed; /* added to; NULL: not wanted */
};

/* join_probe.cu; scratch: [probe_scratch_need()] */
cudaError_t probe_scratch_need(int32_t nrows, uint64_t *bytes);
cudaError_t launch_key_arrays(const KeyArray *arrays, int32_t n, int32_t nrows,
							  cudaStream_t stream);
cudaError_t launch_probe(const ProbeArgs &args, void *scratch, uint64_t scratch_bytes,
						 cudaStream_t stream);

/* counts rechecks, if recheck is not NULL, and pairs; *computed becomes 1 */
cudaError_t launch_probe_finish(const unsigned long long *start, int32_t nrows,
								const uint32_t *recheck, unsigned long long *pairs,
								unsigned long long *rechecks, unsigned long long *computed,
								cudaStream_t stream);

/* Pairs [first, first + n) of rows that launch_probe() has seen. */
struct PairsArgs
{
	const unsigned long long *start; /* [nrows + 1] */
	const uint32_t *value;			 /* [nrows] */
	const uint32_t *runs;
	const uint32_t *doubt; /* [(nrows + 31) / 32]; NULL: none */
	unsigned long long first;
	int32_t nrows;
	int32_t n;
	int32_t kind;		 /* GpustrProbeKind */
	int32_t *outer;		 /* out: [n] */
	uint32_t *inner;	 /* out: [n] */
	uint32_t *doubt_out; /* out: [(n + 31) / 32]; NULL if doubt is */
};

/* join_pairs.cu */
cudaError_t launch_pairs(const PairsArgs &args, cudaStream_t stream);

/* A register, and what becomes of it. */
struct JoinColumn
{
	const int64_t *value; /* as in ValueRegister */
	int64_t constant;
	const int32_t *start; /* as in TextRegister */
	const int32_t *end;
	const uint32_t *valid;
	const uint32_t *recheck;
	int64_t *to_value; /* out: NULL: a text, or a constant */
	int32_t *to_start; /* out: NULL: a value, or a constant */
	int32_t *to_end;
	uint32_t *to_valid;
	uint32_t *to_recheck;
	int32_t inner; /* by the pair's inner row, not the outer one */
	int32_t unused;
};

/* The most columns of one launch. */
#define JOIN_COLUMNS 16

/* Bring n registers over to the pairs. */
struct ColumnsArgs
{
	const int32_t *outer;  /* [npairs] */
	const uint32_t *inner; /* [npairs] */
	int32_t npairs;
	int32_t ncolumns;
	JoinColumn column[JOIN_COLUMNS];
};

cudaError_t launch_columns(const ColumnsArgs &args, cudaStream_t stream);

/* How rows of a space came of those of the space before. */
struct JoinSteps
{
	int32_t n; /* probes */
	int32_t unused;
	const int32_t *outer[GPUSTR_MAX_PROBES]; /* [0]: of space 1, rows of the batch */
};

/* The results of a space. */
struct ResultArgs
{
	JoinSteps steps;
	const uint32_t *inner;		  /* of the last space */
	const uint32_t *doubt;		  /* alike; NULL: none */
	const uint32_t *condition_lo; /* true or recheck; NULL: all rows are results */
	const uint32_t *condition_hi;
	const int32_t *index;			/* rows that are results, ascending; NULL: all */
	const unsigned long long *kept; /* how many; NULL: nrows */
	int32_t nrows;
	int32_t room;			 /* rows of the piece, at most: min(nrows - skip, result_room) */
	unsigned long long skip; /* results before the first */
	int32_t *to_outer;		 /* out: [room], and so the others; NULL: not wanted */
	uint32_t *to_inner;
	uint32_t *to_recheck; /* [(room + 31) / 32] */
	int32_t ncolumns;
	int32_t unused;
};

/* Its columns; those of texts become starts and ends, and at least to_valid. */
struct ResultColumns
{
	JoinColumn column[GPUSTR_MAX_RESULT_COLUMNS];
};

/* Where a piece ends. */
struct ResultEnd
{
	JoinSteps steps;
	const int32_t *index;
	const unsigned long long *kept;
	const uint32_t *no_room; /* [(room + 31) / 32] a text ends past its column; NULL: none */
	int32_t nrows;
	int32_t room;
	unsigned long long skip;
	int32_t ncolumns;
	int32_t unused;
	const int32_t *offset[GPUSTR_MAX_RESULT_COLUMNS]; /* of texts; NULL: of values */
};

/* join_result.cu; scratch: [keep_scratch_need()] */
cudaError_t keep_scratch_need(int32_t nrows, uint64_t *bytes);

/* Rows for which lo is set or, if inner is not NULL, that have no inner row. */
cudaError_t launch_keep(const uint32_t *lo, const uint32_t *inner, int32_t nrows, int32_t *index,
						unsigned long long *kept, void *scratch, uint64_t scratch_bytes,
						cudaStream_t stream);
cudaError_t launch_result(const ResultArgs &args, const ResultColumns &columns,
						  cudaStream_t stream);
cudaError_t launch_result_end(const ResultEnd &end, JoinCounters *counters,
							  unsigned long long *computed, cudaStream_t stream);

#endif /* GPUSTR_JOIN_KERNELS_CUH */
