/*-------------------------------------------------------------------------
 *
 * strings_redact.cuh
 *	  Redact names (rowfn/redact.h) in one pass over device memory.
 *
 * A column of strings is read once and a column is written once; nothing goes
 * through device memory in between.  Blocks take tiles of rows.  In a block
 *
 *		the producer, a warp, looks up which bytes the block's tiles need and
 *			starts copies of offsets and bytes into one of STAGES buffers in
 *			shared memory;
 *		WORKERS threads, a thread for every row, work out the answers of a
 *			tile, keep them in registers and give the buffer back; a scan over
 *			the warp gives the place of each among the warp's, and the last warp
 *			to finish publishes the tile's sum;
 *		the clerk, a warp, waits for the tile's start (tile_starts.cuh) and
 *			tells each warp where its answers go;
 *		each workers' warp then writes the tile before the one it has just
 *			sized (LATER tiles before): its answers, put together in shared
 *			memory, go out in whole coalesced words.  Then it puts those of this
 *			tile together.
 *
 * So a tile's sum is published early and its bytes are written late, a whole
 * tile's time after: no sum stands behind a wait for a start, which would make
 * all blocks march in step.  The warps of a block never wait for each other,
 * but for buffers and starts.
 *
 * Block 0 has no tiles: its producer is the scanner of tile_starts.cuh, and the
 * rest of it ends.  The others take tiles in turn, each every (blocks - 1)th.
 * All blocks must run for that, so the launch is a cooperative one; in return
 * a block's tiles are a whole round apart.  Where blocks took the next tile as
 * they came, some got two side by side, and all waited for a block that waited
 * for itself: 1.2 to 6 times slower.
 *
 * What limits it: see test/bench/NOTES.md.  Bytes are handled 4 at a time
 * (redact_row.cuh), and give what rowfn/redact.h gives;
 * test/gpu/compare_engines shows it.
 *
 * A warp's rows of a tile go the *direct* way, each thread reading its strings
 * from device memory and writing its answers there with the row functions, if
 *	- the strings are not Arrow columns but lie anywhere (the engine has
 *	  strings_output.cu for those), or
 *	- the tile's do not fit the stage, or the warp's answers its buffer.
 * So any length is right, and one huge row costs only its own tile.
 *
 * Invariants:
 *	- a stage is written by the producer only between the workers' arrivals at
 *	  'sized' and its own at 'full';
 *	- a worker arrives at 'sized' of tile k + LATER + 1 only after it has read
 *	  the start of tile k, so the clerk is never SLOTS tiles behind;
 *	- nothing is written past out_room bytes; *out_total tells what was needed.
 *
 * IDENTIFICATION
 *	  cuda/strings_redact.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_STRINGS_REDACT_CUH
#define GPUSTR_STRINGS_REDACT_CUH

#include "redact_tile.cuh"
#include "tile_starts.cuh"

/*
 * Which 16-byte pieces hold bytes [first, end) of a column?  Returns the first
 * piece; *bytes is their length, *head how far into them byte 'first' is.
 */
__device__ __forceinline__ const char *redact_pieces(const char *base, int32_t first, int32_t end,
													 uint32_t *bytes, uint32_t *head)
{
	uintptr_t at = (uintptr_t)base + (uintptr_t)(intptr_t)first;

	*head = (uint32_t)(at & 15);
	*bytes = end > first ? (*head + (uint32_t)(end - first) + 15) & ~15u : 0;
	return (const char *)(at - *head);
}

/*
 * Start the copies of tile k of this block into its stage.  A whole warp.
 *
 * tile		-1: tell the others that there are no more
 * bound	in lanes 0 to 3: where the tile's names start and end, and visibilities
 */
template <class Shape>
__device__ __forceinline__ void redact_fill(const RedactArgs &args, char *shared,
											RedactBoard<Shape> *board, int k, int32_t tile,
											int32_t bound, uint32_t lane)
{
	const int s = k % Shape::STAGES;
	char *stage = shared + s * Shape::STAGE_BYTES;
	const int32_t data_at = s * Shape::STAGE_BYTES + 2 * Shape::OFFSET_BYTES;
	char *data = shared + data_at;
	const char *name_from = NULL;
	const char *visibility_from = NULL;
	uint32_t name_bytes = 0;
	uint32_t visibility_bytes = 0;
	uint32_t offset_bytes = 0;
	int32_t row0 = 0;
	RedactStage info = {tile, 0, 0, 0};

	if (tile >= 0 && args.packed)
	{
		int32_t tile_rows = Shape::WORKERS * args.groups;
		int32_t rows;
		int32_t name_first = __shfl_sync(0xFFFFFFFF, bound, 0);
		int32_t visibility_first = __shfl_sync(0xFFFFFFFF, bound, 2);
		uint32_t head;

		row0 = tile * tile_rows;
		rows = min(tile_rows, args.nrows - row0);
		offset_bytes = ((uint32_t)rows * 4 + 4 + 15) & ~15u;
		name_from = redact_pieces(args.name.base, name_first, __shfl_sync(0xFFFFFFFF, bound, 1),
								  &name_bytes, &head);
		info.name_bias = data_at + (int32_t)head - name_first;
		visibility_from =
			redact_pieces(args.visibility.base, visibility_first, __shfl_sync(0xFFFFFFFF, bound, 3),
						  &visibility_bytes, &head);
		info.visibility_bias = data_at + (int32_t)(name_bytes + head) - visibility_first;
		info.staged =
			name_bytes <= Shape::DATA_BYTES && visibility_bytes <= Shape::DATA_BYTES - name_bytes;
	}
	if (lane == 0)
		board->stage[k % Shape::INFOS] = info;
	if (Shape::BULK && GPUSTR_BULK_COPY)
	{
		uint64_t *full = &board->full[s];

		if (lane == 0)
		{
			mbarrier_arrive_expect(
				full, info.staged ? 2 * offset_bytes + name_bytes + visibility_bytes : 0);
			if (info.staged)
			{
				bulk_copy(stage, args.name.start + row0, offset_bytes, full);
				bulk_copy(stage + Shape::OFFSET_BYTES, args.visibility.start + row0, offset_bytes,
						  full);
				if (name_bytes > 0)
					bulk_copy(data, name_from, name_bytes, full);
				if (visibility_bytes > 0)
					bulk_copy(data + name_bytes, visibility_from, visibility_bytes, full);
			}
		}
	}
	else
	{
		if (info.staged)
		{
			warp_copy(stage, args.name.start + row0, offset_bytes, lane);
			warp_copy(stage + Shape::OFFSET_BYTES, args.visibility.start + row0, offset_bytes,
					  lane);
			warp_copy(data, name_from, name_bytes, lane);
			warp_copy(data + name_bytes, visibility_from, visibility_bytes, lane);
		}
		warp_copy_arrive(&board->full[s]);
		if (lane == 0)
			mbarrier_arrive(&board->full[s]);
	}
}

/*
 * The producer: a warp.  Fills stages until the tiles are used up, or scans.
 */
template <class Shape>
__device__ __forceinline__ void redact_produce(const RedactArgs &args, char *shared,
											   RedactBoard<Shape> *board, uint32_t lane)
{
	const bool scans = blockIdx.x == 0;
	int32_t tile = (int32_t)blockIdx.x - 1;

	for (int k = 0;; k++)
	{
		int32_t bound = 0;

		/* the next tile is known and looked up before its stage is free */
		if (tile >= args.ntiles)
			tile = -1;
		if (tile >= 0 && args.packed && lane < 4)
		{
			int32_t tile_rows = Shape::WORKERS * args.groups;
			int32_t row = tile * tile_rows;

			if (lane % 2 == 1)
				row = min(row + tile_rows, args.nrows);
			bound = (lane < 2 ? args.name.start : args.visibility.start)[row];
		}
		if (k >= Shape::STAGES)
		{
			int before = k - Shape::STAGES;

			mbarrier_wait(&board->sized[before % Shape::SLOTS],
						  (uint32_t)(before / Shape::SLOTS) & 1);
		}
		redact_fill<Shape>(args, shared, board, k, tile, bound, lane);
		if (tile < 0)
			break;

		tile += (int32_t)gridDim.x - 1;
	}
	if (scans)
	{
		uint64_t *sum = args.scratch->tile_words;
		uint64_t total = tile_starts_scan(sum, sum + tile_starts_words(args.ntiles), args.ntiles,
										  args.epoch, lane);

		if (lane == 0)
		{
			args.scratch->out_total = total;
			args.offset[args.nrows] = (int32_t)total;
		}
	}

	/* copies must not outlive the thread that asked for them */
	if (!(Shape::BULK && GPUSTR_BULK_COPY))
		warp_copy_wait();
}

/*
 * The clerk: a warp.  Waits for the tiles' starts and tells the warps theirs.
 */
template <class Shape>
__device__ __forceinline__ void redact_keep_books(const RedactArgs &args, RedactBoard<Shape> *board,
												  uint32_t lane)
{
	const uint64_t *starts = args.scratch->tile_words + tile_starts_words(args.ntiles);

	for (int k = 0;; k++)
	{
		const int slot = k % Shape::SLOTS;
		int32_t tile;
		uint64_t sum;
		uint64_t scan;
		uint64_t start;

		mbarrier_wait(&board->sized[slot], (uint32_t)(k / Shape::SLOTS) & 1);
		tile = board->stage[k % Shape::INFOS].tile;
		if (tile < 0)
			break;
		sum = lane < Shape::WARPS ? board->warp_sum[slot][lane] : 0;
		scan = sum;
#pragma unroll
		for (uint32_t d = 1; d < 32; d *= 2)
		{
			uint64_t other = __shfl_up_sync(0xFFFFFFFF, scan, d);

			if (lane >= d)
				scan += other;
		}
		start = tile_word_wait(starts + tile, args.epoch);
		if (lane < Shape::WARPS)
		{
			board->warp_start[slot][lane] = start + scan - sum;
			mbarrier_arrive(&board->started[slot]);
		}
	}
}

/*
 * redact - redact a column of names.
 *
 * args.name, args.visibility	[nrows] text registers
 * args.valid					[(nrows + 31) / 32] words or NULL, NULL in: NULL out
 * args.offset					[nrows + 1] int32, from 0
 * args.out						[out_room] bytes
 * args.scratch					clear, or as launches of other epochs left it
 *
 * Persistent blocks of WORKERS + 64 threads, as many as fit the device or
 * fewer, but two or more, all running at once; SHARED_BYTES of shared memory.
 * Blocks share nothing but the tiles' words.  Words of the output that two
 * warps share are written byte by byte.
 * e.g. names {"Jane Doe", "Al Bo"}, visibilities {"public", "x"}:
 *		offsets {0, 6, 9}, bytes "D JaneX X"
 */
template <class Shape>
__global__ void __launch_bounds__(Shape::THREADS, Shape::MIN_BLOCKS)
	redact(const __grid_constant__ RedactArgs args)
{
	extern __shared__ __align__(128) char shared[];
	__shared__ __align__(8) RedactBoard<Shape> board;
	const uint32_t lane = threadIdx.x % 32;
	const uint32_t warp = threadIdx.x / 32;

	if (threadIdx.x == 0)
	{
		for (int s = 0; s < Shape::STAGES; s++)
			mbarrier_init(&board.full[s], Shape::BULK && GPUSTR_BULK_COPY ? 1 : 32 + 1);
		for (int s = 0; s < Shape::SLOTS; s++)
		{
			mbarrier_init(&board.sized[s], Shape::WARPS);
			mbarrier_init(&board.started[s], Shape::WARPS);
			board.tile_sum[s] = 0;
		}
		mbarrier_init_fence();
	}
	__syncthreads();
	if (warp < Shape::WARPS)
		redact_work<Shape>(args, shared, &board, warp, lane);
	else if (warp == Shape::WARPS)
		redact_produce<Shape>(args, shared, &board, lane);
	else
		redact_keep_books<Shape>(args, &board, lane);
}

/* Tiles of nrows rows, if each worker has 'groups' rows of a tile. */
template <class Shape>
static inline int32_t redact_tiles(int32_t nrows, int32_t groups)
{
	int64_t tile_rows = (int64_t)Shape::WORKERS * groups;

	return (int32_t)((nrows + tile_rows - 1) / tile_rows);
}

/* Bytes of working memory for so many rows. */
template <class Shape>
static inline size_t redact_scratch_bytes(int32_t nrows)
{
	return sizeof(RedactScratch) +
		   2 * (size_t)tile_starts_words(redact_tiles<Shape>(nrows, 1)) * sizeof(uint64_t);
}

/*
 * Ask CUDA, once a device, how many blocks fit it; *blocks is 0 if they are too
 * few, the scanner's and another, or cannot be launched cooperatively.
 */
template <class Shape>
static inline cudaError_t redact_prepare(int device, int *blocks)
{
	int multiprocessors = 0;
	int each = 0;
	int cooperative = 0;
	int room = 0;
	cudaError_t rc;

	*blocks = 0;
	rc = cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
	if (rc != cudaSuccess || room < Shape::SHARED_BYTES + (int)sizeof(RedactBoard<Shape>))
		return rc;
	rc = cudaFuncSetAttribute(redact<Shape>, cudaFuncAttributeMaxDynamicSharedMemorySize,
							  Shape::SHARED_BYTES);
	if (rc == cudaSuccess)
		rc = cudaFuncSetAttribute(redact<Shape>, cudaFuncAttributePreferredSharedMemoryCarveout,
								  cudaSharedmemCarveoutMaxShared);
	if (rc == cudaSuccess)
		rc = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
	if (rc == cudaSuccess)
		rc = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, redact<Shape>, Shape::THREADS,
														   Shape::SHARED_BYTES);
	if (rc == cudaSuccess)
		rc = cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device);
	if (rc == cudaSuccess && cooperative && each * multiprocessors >= 2)
		*blocks = each * multiprocessors;
	return rc;
}

/*
 * How many rows a worker should have of a tile, so that all blocks with tiles
 * have about as many of them: a few rows less can save a round.  A tile costs
 * about as much as another row a worker.
 *
 * e.g. 600,000 rows, 256 workers, 395 blocks: 3 rows, 782 tiles, 2 rounds; with
 * 4 rows there would be 586 tiles, and 2 rounds as well
 */
template <class Shape>
static inline int32_t redact_groups(int32_t nrows, int blocks)
{
	int32_t best = Shape::ROWS_PER_THREAD;
	int64_t best_cost = INT64_MAX;

	for (int32_t groups = Shape::ROWS_PER_THREAD; groups > 0; groups--)
	{
		int64_t rounds = ((int64_t)redact_tiles<Shape>(nrows, groups) + blocks - 1) / blocks;
		int64_t cost = rounds * (groups + 1);

		if (cost < best_cost)
		{
			best_cost = cost;
			best = groups;
		}
	}
	return best;
}

/*
 * Launch, cooperatively: all blocks run, or none.  args' groups, ntiles and packed
 * are filled in here; nrows > 0.
 *
 * blocks	from redact_prepare()
 */
template <class Shape>
static inline cudaError_t redact_launch(RedactArgs args, int blocks, cudaStream_t stream)
{
	void *parameters[1];

	args.groups = redact_groups<Shape>(args.nrows, blocks - 1);
	args.ntiles = redact_tiles<Shape>(args.nrows, args.groups);
	args.packed = args.name.packed && args.visibility.packed &&
				  (uintptr_t)args.name.start % 16 == 0 &&
				  (uintptr_t)args.visibility.start % 16 == 0;
	if (blocks > args.ntiles + 1)
		blocks = args.ntiles + 1;
	parameters[0] = &args;
	return cudaLaunchCooperativeKernel(redact<Shape>, dim3(blocks), dim3(Shape::THREADS),
									   parameters, Shape::SHARED_BYTES, stream);
}

#endif /* GPUSTR_STRINGS_REDACT_CUH */
