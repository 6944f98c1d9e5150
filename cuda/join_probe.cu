/*-------------------------------------------------------------------------
 *
 * join_probe.cu
 *	  Rows of a space meet the table of a join: PROBE.
 *
 * One thread a row looks its key up and counts the row's pairs; a scan then says
 * which number the first pair of each has.  No pair is written down: join_pairs.cu.
 *
 * What belongs to no row of the space is 0 or nothing: bits past nrows are looked at
 * by nobody.
 *
 * IDENTIFICATION
 *	  cuda/join_probe.cu
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_scan.cuh>

#include "hash_table.cuh"
#include "join_kernels.cuh"
#include "row_words.cuh"

/* A thread loads a whole window. */
#define PROBE_WINDOW 4

static_assert(PROBE_WINDOW == JOIN_TABLE_GROUP * JOIN_TABLE_BUCKET, "windows are of one size");

/* Of the bit planes of a register: row r. */
static __device__ __forceinline__ bool plane_bit(const uint32_t *plane, int32_t r)
{
	return (plane[r / 32] >> (r % 32) & 1) != 0;
}

/* What the slot of a key of this hash says, or ROWFN_NO_ROW. */
template <class Equal>
static __device__ __forceinline__ uint32_t look_up(const RowfnTable &table, uint32_t hash,
												   uint32_t row, const Equal &equal)
{
	uint32_t window = rowfn_table_first(hash, table.nwindows);
	uint32_t value = ROWFN_NO_ROW;

	for (uint32_t tried = 0; tried < table.nwindows; tried++)
	{
		HashBucket<PROBE_WINDOW> bucket;

		bucket.load(hash_bucket<1, PROBE_WINDOW>(table, window, 0));
		if (hash_look<1, PROBE_WINDOW>(table, bucket, hash, row, equal, &value))
			return value;
		window = rowfn_table_next(window, table.nwindows);
	}
	return ROWFN_NO_ROW;
}

/* KeysEqual, of arguments that stay where they are. */
struct ProbeEqual
{
	const RowfnKeys *inner;
	const RowfnKeys *outer;

	__device__ __forceinline__ bool operator()(const RowfnTable &table, uint32_t value,
											   uint32_t row) const
	{
		return hash_keys_equal(inner, rowfn_value_row(table.runs, value, 0), outer, row);
	}
};

/* The state of a row's key: GPUSTR_FALSE (a value), null or recheck. */
static __device__ __forceinline__ uint32_t key_state(const ProbeArgs &args, int32_t r)
{
	uint32_t state = GPUSTR_FALSE;

	for (int32_t k = 0; k < args.nkeys; k++)
	{
		if (args.key[k].recheck != NULL && plane_bit(args.key[k].recheck, r))
			return GPUSTR_RECHECK;
		if (args.key[k].valid != NULL && !plane_bit(args.key[k].valid, r))
			state = GPUSTR_NULL;
	}
	return state;
}

/* Pairs of a row with so many inner ones. */
static __device__ __forceinline__ uint32_t pairs_of(int32_t kind, uint32_t rows)
{
	switch (kind)
	{
		case GPUSTR_PROBE_INNER:
			return rows;
		case GPUSTR_PROBE_OUTER:
			return rows > 0 ? rows : 1;
		case GPUSTR_PROBE_MARK:
			return rows + 1;
		case GPUSTR_PROBE_SEMI:
			return rows > 0;
		default:
			return rows == 0;
	}
}

/*
 * probe_rows - what each row meets, and how many pairs it has.
 *
 * args.start	[nrows + 1] here: pairs of each row, and 0
 *
 * One thread a row, 256 a block; a warp writes its words by ballot.
 * e.g. inner words {7, 5, 7, 9}, INNER, condition T T R F T, outer {7, 1, 9, 9, NULL}:
 *		start {2, 0, 0, 0, 0, 0}, recheck 00100, probed 3
 */
template <bool EXACT>
static __global__ void __launch_bounds__(ROW_THREADS)
	probe_rows(const __grid_constant__ ProbeArgs args)
{
	const int32_t r = my_row();
	uint32_t condition = GPUSTR_FALSE;
	bool doubt = false;
	uint32_t pairs = 0;
	uint32_t word;
	int passed;

	if (r < args.nrows)
	{
		const int32_t w = r / 32;
		uint32_t value = ROWFN_NO_ROW;
		bool pass;

		condition = row_truth(gpustr_truth_word(args.condition.lo[w], args.condition.hi[w]), r);
		pass = condition == GPUSTR_TRUE;
		if (condition == GPUSTR_RECHECK)
		{
			doubt = true;
			pass = !args.first;
		}
		if (!args.first && args.doubt != NULL && plane_bit(args.doubt, r))
			doubt = true;
		if (pass)
		{
			uint32_t state = key_state(args, r);
			uint32_t hash = 0;
			bool mine = args.partition == 0;

			if (state == GPUSTR_FALSE)
			{
				if (EXACT)
					hash = rowfn_hash_word((uint32_t)value_at(args.word, r));
				else if (rowfn_key_hash(&args.outer, (uint32_t)r, &hash) != 0)
					state = GPUSTR_RECHECK;
			}

			/* in a later space such a key meets nothing, as NULL */
			if (state == GPUSTR_RECHECK && args.first)
			{
				doubt = true;
				mine = false;
			}
			if (state == GPUSTR_FALSE)
			{
				mine = args.npartitions == 1 ||
					   rowfn_partition(hash, args.npartitions) == args.partition;
				if (mine && EXACT)
					value = look_up(args.table, hash, (uint32_t)r, ExactEqual());
				else if (mine)
					value = look_up(args.table, hash, (uint32_t)r,
									ProbeEqual{&args.inner, &args.outer});
			}
			if (mine)
				pairs = pairs_of(args.kind, rowfn_value_rows(args.table.runs, value));
		}
		args.value[r] = value;
		args.start[r] = pairs;
		if (r == args.nrows - 1)
			args.start[args.nrows] = 0;
	}
	word = __ballot_sync(0xFFFFFFFF, doubt);
	if (r % 32 == 0 && r < args.nrows)
	{
		if (!args.first)
			args.doubt_out[r / 32] = word;
		else if (word != 0)
			args.recheck[r / 32] |= word;
	}
	passed = __syncthreads_count(condition == GPUSTR_TRUE && !doubt);
	if (threadIdx.x == 0 && args.probed != NULL && passed > 0)
		atomicAdd(args.probed, (unsigned long long)passed);
}

/* The arrays of one launch. */
struct KeyArrays
{
	int32_t n;
	int32_t nrows;
	KeyArray array[ROWFN_MAX_KEYS];
};

/*
 * key_arrays - registers as arrays.
 *
 * One thread a row, 256 a block.
 * e.g. values {1, -1, 2^32 + 3} as words {1, 4294967295, 3}
 */
static __global__ void __launch_bounds__(ROW_THREADS)
	key_arrays(const __grid_constant__ KeyArrays args)
{
	const int32_t r = my_row();

	if (r >= args.nrows)
		return;
	for (int32_t k = 0; k < args.n; k++)
	{
		const KeyArray &array = args.array[k];
		int64_t value = array.value != NULL ? array.value[r] : array.constant;

		if (array.word != NULL)
			array.word[r] = (uint32_t)value;
		else if (array.number != NULL)
			array.number[r] = value;
		else
		{
			array.start[r] = 0;
			array.end[r] = (int32_t)value;
		}
	}
}

cudaError_t launch_key_arrays(const KeyArray *arrays, int32_t n, int32_t nrows, cudaStream_t stream)
{
	KeyArrays args = {};

	if (n == 0)
		return cudaSuccess;
	args.n = n;
	args.nrows = nrows;
	for (int32_t k = 0; k < n; k++)
		args.array[k] = arrays[k];
	key_arrays<<<launch_blocks(nrows, ROW_THREADS), ROW_THREADS, 0, stream>>>(args);
	return cudaPeekAtLastError();
}

cudaError_t probe_scratch_need(int32_t nrows, uint64_t *bytes)
{
	unsigned long long *none = NULL;
	size_t need = 0;

	CUDA_PASS(cub::DeviceScan::ExclusiveSum(NULL, need, none, none, nrows + 1));
	*bytes = need;
	return cudaSuccess;
}

cudaError_t launch_probe(const ProbeArgs &args, void *scratch, uint64_t scratch_bytes,
						 cudaStream_t stream)
{
	const unsigned blocks = launch_blocks(args.nrows, ROW_THREADS);
	size_t bytes = scratch_bytes;

	if (args.exact)
		probe_rows<true><<<blocks, ROW_THREADS, 0, stream>>>(args);
	else
		probe_rows<false><<<blocks, ROW_THREADS, 0, stream>>>(args);
	CUDA_PASS(cudaPeekAtLastError());
	return cub::DeviceScan::ExclusiveSum(scratch, bytes, args.start, args.start, args.nrows + 1,
										 stream);
}

/*
 * probe_finish - count what the host has to know.
 *
 * recheck	[nwords] words; NULL: not counted
 *
 * One thread a word, 256 a block; one atomic addition a warp that has any.
 */
static __global__ void __launch_bounds__(ROW_THREADS)
	probe_finish(const unsigned long long *all, const uint32_t *recheck, int32_t nwords,
				 unsigned long long *pairs, unsigned long long *rechecks,
				 unsigned long long *computed)
{
	int32_t w = my_row();
	uint32_t count = 0;

	if (recheck != NULL && w < nwords)
		count = (uint32_t)__popc(recheck[w]);
	count = __reduce_add_sync(0xFFFFFFFF, count);
	if (threadIdx.x % 32 == 0 && count != 0)
		atomicAdd(rechecks, (unsigned long long)count);
	if (w == 0)
	{
		*pairs = *all;
		*computed = 1;
	}
}

cudaError_t launch_probe_finish(const unsigned long long *start, int32_t nrows,
								const uint32_t *recheck, unsigned long long *pairs,
								unsigned long long *rechecks, unsigned long long *computed,
								cudaStream_t stream)
{
	int32_t nwords = recheck != NULL ? (int32_t)GPUSTR_BITMAP_WORDS(nrows) : 1;

	probe_finish<<<launch_blocks(nwords, ROW_THREADS), ROW_THREADS, 0, stream>>>(
		start + nrows, recheck, nwords, pairs, rechecks, computed);
	return cudaPeekAtLastError();
}
