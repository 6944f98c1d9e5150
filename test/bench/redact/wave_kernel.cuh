/*-------------------------------------------------------------------------
 *
 * wave_kernel.cuh
 *	  The wave kernel: its warps, and its launch.  See wave.cuh.
 *
 * IDENTIFICATION
 *	  test/bench/redact/wave_kernel.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_BENCH_WAVE_KERNEL_CUH
#define GPUSTR_BENCH_WAVE_KERNEL_CUH

#include <stddef.h>

#include "wave.cuh"

/*
 * Write a warp's answers from its buffer to [at, at + bytes) of the output, in
 * whole words; the first and the last, which it may share with its neighbours,
 * byte by byte.  All loads stand before the first store: what is behind the
 * answers is read, and not used.
 */
template <class Shape>
__device__ __forceinline__ void wave_write_out(const uint32_t *from, char *out, uint64_t at,
											   uint32_t bytes, uint32_t lane)
{
	constexpr uint32_t TURNS = Shape::OUT_BYTES / 128;
	const char *from_bytes = (const char *)from;
	const uint32_t head = (uint32_t)at & 3;
	char *to = out + (at - head);
	const uint32_t end = head + bytes;
	const uint32_t whole = end / 4; /* words before the last, if that is not whole */
	const uint32_t first = lane + (head > 0);
	const int32_t left = (int32_t)(whole - first);
	uint32_t word[TURNS];
	const uint32_t *high = from + first;	 /* where the high part of a word is */
	const uint32_t *low = high - (head > 0); /* and the low part */

#pragma unroll
	for (uint32_t i = 0; i < TURNS; i++)
		word[i] = __funnelshift_l(low[i * 32], high[i * 32], 8 * head);
#pragma unroll
	for (uint32_t i = 0; i < TURNS; i++)
		if ((int32_t)(i * 32) < left)
			((uint32_t *)to)[first + i * 32] = word[i];

	/* 4 lanes a word, the first and the last */
	if (lane < 8)
	{
		uint32_t j = lane < 4 ? lane : whole * 4 + lane - 4;

		if (j >= head && j < end && (lane < 4 ? head > 0 : head == 0 || whole > 0))
			to[j] = from_bytes[j - head];
	}
}

/*
 * Write a warp's chunk of tile k, now or once its start is known: offsets and
 * answers.  Leaves its buffer clear.  A whole warp.
 *
 * place	of this thread's, from the warp's first: 16 bits each
 * buffer	the warp's answers, if they are 'assembled'
 */
template <class Shape>
__device__ __forceinline__ void
wave_finish(const WaveArgs &args, uint32_t board_at, int k, int32_t row,
			const uint32_t (&place)[Shape::ROWS_PER_THREAD / 2], uint32_t *buffer, bool assembled,
			uint32_t warp, uint32_t lane)
{
	using Board = WaveBoard<Shape>;
	const uint32_t slot = k % Shape::SLOTS;
	const uint32_t word_at = board_at + (slot * Shape::WARPS + warp) * 8;
	const int32_t mine = args.redact.nrows - row - (int32_t)lane; /* > i * 32: row i is there */
	uint64_t bytes;
	uint64_t at;
	bool fits;

	mbarrier_wait_at(board_at + offsetof(Board, started) + slot * 8,
					 (uint32_t)(k / Shape::SLOTS) & 1);
	at = shared_load_u64(word_at + offsetof(Board, warp_start));
	bytes = shared_load_u64(word_at + offsetof(Board, warp_sum));
	fits = at + bytes <= args.redact.out_room;
	if (__builtin_expect(!assembled, 0))
	{
		(void)wave_direct<Shape>(args, row, at, true, fits, lane);
		return;
	}
	if (bytes > 0)
	{
		if (fits)
			wave_write_out<Shape>(buffer, args.redact.out, at, (uint32_t)bytes, lane);
		__syncwarp();
		for (uint32_t j = lane; j * 16 < (uint32_t)bytes; j += 32)
			((uint4 *)buffer)[j] = make_uint4(0, 0, 0, 0);
		__syncwarp();
	}
#pragma unroll
	for (int i = 0; i < Shape::ROWS_PER_THREAD; i++)
		if (mine > i * 32)
			args.redact.offset[row + i * 32 + (int32_t)lane] =
				(int32_t)((uint32_t)at + (i % 2 == 0 ? place[i / 2] & 0xFFFF : place[i / 2] >> 16));
}

/*
 * A warp of workers: sizes tile k, asks for the chunk that takes its place,
 * finishes tile k - LATER, puts tile k together in the buffer that is free by that.
 */
template <class Shape>
__device__ __forceinline__ void wave_work(const WaveArgs &args, char *shared,
										  WaveBoard<Shape> *board, int tiles, uint32_t warp,
										  uint32_t lane)
{
	using Board = WaveBoard<Shape>;
	constexpr int R = Shape::ROWS_PER_THREAD;
	const WaveChunks chunks = wave_chunks<Shape>(args, warp);
	const int32_t stages_at = (int32_t)warp * Shape::WARP_BYTES;
	char *buffers = shared + stages_at + Shape::STAGES * Shape::STAGE_BYTES;
	const uint32_t shared_at = shared_fixed(shared);
	const uint32_t board_at = shared_fixed(board);
	uint32_t before[Shape::LATER][R / 2]; /* places of answers to be written, the latest first */
	uint32_t assembled = 0;				  /* bit i: the answers of tile k - i are in a buffer */
	uint32_t phase = 0;
	int s = 0; /* the stage of tile k */
	int b = 0; /* its buffer */

#pragma unroll 1
	for (int k = 0; k < tiles + Shape::LATER; k++)
	{
		uint32_t *buffer = (uint32_t *)(buffers + b * Shape::BUFFER_BYTES);
		const int32_t row = k < tiles ? wave_first_row(chunks, k) : args.redact.nrows;
		const int32_t at = stages_at + s * Shape::STAGE_BYTES;
		uint32_t place[R] = {};
		WaveRows<Shape> rows; /* of staged chunks only */
		WaveStage info = {};
		int32_t next = 0; /* first row of the chunk that comes into this stage */
		int32_t bound = 0;
		bool refill = false;
		bool keep = false; /* the stage is needed until the answers are together */

		assembled <<= 1;
		if (k < tiles)
		{
			uint64_t bytes = 0;

			next = k + Shape::STAGES < tiles ? wave_first_row(chunks, k + Shape::STAGES)
											 : args.redact.nrows;
			refill = next < args.redact.nrows && args.redact.packed;
			if (refill && lane < 4)
			{
				int32_t r = lane % 2 == 1 ? min(next + Shape::CHUNK, args.redact.nrows) : next;

				bound = (lane & 2 ? args.redact.visibility.start : args.redact.name.start)[r];
			}
			if (row < args.redact.nrows)
			{
				const uint32_t valid = wave_valid<Shape>(args, row, true, lane);

				if (args.redact.packed)
				{
					const uint32_t of_stage = warp * Shape::STAGES + (uint32_t)s;
					uint4 words;

					mbarrier_wait_at(board_at + offsetof(Board, full) + of_stage * 8, phase);
					words = shared_load16(board_at + offsetof(Board, stage) + of_stage * 16);
					info.staged = (int32_t)words.x;
					info.name_bias = (int32_t)words.y;
					info.visibility_bias = (int32_t)words.z;
				}
				if (__builtin_expect(info.staged, 1))
				{
					bytes =
						wave_size<Shape>(args, shared, shared_at, board_at + offsetof(Board, masks),
										 at, info, valid, &rows, place, lane);
					assembled |= bytes <= Shape::OUT_BYTES;
					keep = (assembled & 1) && __any_sync(0xFFFFFFFF, rows.is_long);
				}
				else
					bytes = wave_direct<Shape>(args, row, 0, false, false, lane);
			}
			if (lane == 0)
			{
				wave_hand_in<Shape>(args, board, k, bytes, warp);
				mbarrier_arrive_at(board_at + offsetof(Board, sized) + k % Shape::SLOTS * 8);
			}
			__syncwarp();
			if (refill && !keep)
				wave_fill<Shape>(args, shared, at, &board->stage[warp][s], &board->full[warp][s],
								 next, bound, 0, true, lane);
		}
		if (k >= Shape::LATER)
		{
			const int32_t row_before = wave_first_row(chunks, k - Shape::LATER);

			if (row_before < args.redact.nrows)
				wave_finish<Shape>(args, board_at, k - Shape::LATER, row_before,
								   before[Shape::LATER - 1], buffer, assembled >> Shape::LATER & 1,
								   warp, lane);
		}
		if (assembled & 1)
			wave_assemble<Shape>(rows, place, buffer,
								 shared_at + (uint32_t)(buffers - shared) +
									 (uint32_t)b * Shape::BUFFER_BYTES,
								 shared + at, shared + info.name_bias, lane);
		if (__builtin_expect(refill && keep, 0))
			wave_fill<Shape>(args, shared, at, &board->stage[warp][s], &board->full[warp][s], next,
							 bound, 0, true, lane);
		if (++s == Shape::STAGES)
		{
			s = 0;
			phase ^= 1;
		}
#pragma unroll
		for (int i = 0; i < R / 2; i++)
		{
#pragma unroll
			for (int j = Shape::LATER - 1; j > 0; j--)
				before[j][i] = before[j - 1][i];
			before[0][i] = place[2 * i] | place[2 * i + 1] << 16;
		}
		if (++b == Shape::LATER)
			b = 0;
	}
}

/*
 * The clerk: a warp.  Adds up the sums of the tiles before, as they come, and
 * tells the warps their starts.
 */
template <class Shape>
__device__ __forceinline__ void wave_keep_books(const WaveArgs &args, WaveBoard<Shape> *board,
												int tiles, uint32_t lane)
{
	const uint64_t *words = args.redact.scratch->tile_words;
	const uint32_t epoch = args.redact.epoch;
	int32_t tile = (int32_t)blockIdx.x;
	int32_t from = 0; /* tiles before it are in 'start' */
	uint64_t start = 0;

	for (int k = 0; k < tiles; k++)
	{
		const int slot = k % Shape::SLOTS;
		uint64_t mine = 0;
		uint64_t sum;
		uint64_t scan;

		mbarrier_wait(&board->sized[slot], (uint32_t)(k / Shape::SLOTS) & 1);
		sum = lane < Shape::WARPS ? board->warp_sum[slot][lane] : 0;
		scan = sum;
#pragma unroll
		for (uint32_t d = 1; d < 32; d *= 2)
		{
			uint64_t other = __shfl_up_sync(0xFFFFFFFF, scan, d);

			if (lane >= d)
				scan += other;
		}
#pragma unroll 1
		for (; from < tile; from += 32 * Shape::LOADS)
		{
			uint64_t word[Shape::LOADS];
			bool ready;

			do
			{
				ready = true;
#pragma unroll
				for (int i = 0; i < Shape::LOADS; i++)
				{
					int32_t t = from + i * 32 + (int32_t)lane;

					word[i] = epoch;
					if (t < tile)
						word[i] = tile_word_read(words + t);
				}
#pragma unroll
				for (int i = 0; i < Shape::LOADS; i++)
					ready &= tile_word_is_ready(word[i], epoch);
			} while (!ready);
#pragma unroll
			for (int i = 0; i < Shape::LOADS; i++)
				mine += word[i] >> 16;
		}
		from = tile;
		__syncwarp();
#pragma unroll
		for (uint32_t d = 16; d > 0; d /= 2)
			mine += __shfl_xor_sync(0xFFFFFFFF, mine, d);
		start += mine;
		if (lane < Shape::WARPS)
		{
			board->warp_start[slot][lane] = start + scan - sum;
			mbarrier_arrive(&board->started[slot]);
		}
		if (tile == args.redact.ntiles - 1)
		{
			uint64_t total = start + __shfl_sync(0xFFFFFFFF, scan, 31);

			if (lane == 0)
			{
				args.redact.scratch->out_total = total;
				args.redact.offset[args.redact.nrows] = (int32_t)total;
			}
		}
		tile += (int32_t)gridDim.x;
	}
}

/* Have the first pages of the output ready; writes would wait for them. */
static __device__ __forceinline__ void wave_touch_output(const WaveArgs &args, int32_t row,
														 uint32_t lane)
{
	if (row < args.redact.nrows && lane == 0)
		prefetch_line(args.redact.offset + row);
	if (lane == 1 && args.redact.out_room > 0)
	{
		float share = (float)row / (float)args.redact.nrows;
		uint64_t at = (uint64_t)(share * (float)args.redact.out_room);

		prefetch_line(args.redact.out + min(at, args.redact.out_room - 1));
	}
}

/*
 * wave_redact - redact a column of names.
 *
 * Arguments and results are those of redact() in cuda/strings_redact.cuh.
 * Blocks of WARPS + 1 warps, as many as fit the device or ntiles, all running at
 * once; SHARED_BYTES of shared memory.
 */
template <class Shape>
__global__ void __launch_bounds__(Shape::THREADS, Shape::MIN_BLOCKS)
	wave_redact(const __grid_constant__ WaveArgs args)
{
	extern __shared__ __align__(128) char shared[];
	__shared__ __align__(16) WaveBoard<Shape> board;
	const uint32_t lane = threadIdx.x % 32;
	const uint32_t warp = __shfl_sync(0xFFFFFFFF, threadIdx.x / 32, 0); /* known to be uniform */
	const int tiles =
		args.rounds +
		((int32_t)blockIdx.x < args.redact.ntiles - args.rounds * (int32_t)gridDim.x ? 1 : 0);

	if (warp < Shape::WARPS)
		wave_begin<Shape>(args, shared, &board, tiles, warp, lane);
	else
	{
		if (lane < Shape::SLOTS)
		{
			mbarrier_init(&board.sized[lane], Shape::WARPS);
			mbarrier_init(&board.started[lane], Shape::WARPS);
			board.big_sum[lane] = 0;
			board.tile_sum[lane] = 0;
		}
		if (lane < WAVE_MASKS)
			wave_make_mask(board.masks, lane);
		wave_touch_output(args, wave_first_row(wave_chunks<Shape>(args, 0), 0), lane);
	}
	__syncthreads();
	if (warp < Shape::WARPS)
		wave_work<Shape>(args, shared, &board, tiles, warp, lane);
	else
		wave_keep_books<Shape>(args, &board, tiles, lane);
}

/* Bytes of working memory for up to so many rows. */
template <class Shape>
static inline size_t wave_scratch_bytes(int32_t nrows, int blocks)
{
	size_t tiles = (size_t)nrows / (Shape::CHUNK * Shape::WARPS) + (size_t)blocks + 1;

	return sizeof(RedactScratch) + tiles * sizeof(uint64_t);
}

/* How many blocks fit the device?  0 if it cannot run them. */
template <class Shape>
static inline cudaError_t wave_prepare(int device, int *blocks)
{
	int multiprocessors = 0;
	int each = 0;
	int major = 0;
	int room = 0;
	cudaError_t rc;

	*blocks = 0;
	rc = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
	if (rc == cudaSuccess)
		rc = cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
	if (rc != cudaSuccess || major < 9 ||
		room < Shape::SHARED_BYTES + (int)sizeof(WaveBoard<Shape>))
		return rc;
	rc = cudaFuncSetAttribute(wave_redact<Shape>, cudaFuncAttributeMaxDynamicSharedMemorySize,
							  Shape::SHARED_BYTES);
	if (rc == cudaSuccess)
		rc =
			cudaFuncSetAttribute(wave_redact<Shape>, cudaFuncAttributePreferredSharedMemoryCarveout,
								 cudaSharedmemCarveoutMaxShared);
	if (rc == cudaSuccess)
		rc = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
	if (rc == cudaSuccess)
		rc = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, wave_redact<Shape>,
														   Shape::THREADS, Shape::SHARED_BYTES);
	if (rc == cudaSuccess)
		*blocks = each * multiprocessors;
	return rc;
}

/*
 * How the chunks of nrows rows are cut into tiles for so many blocks: fills in
 * args' rounds, last, ntiles and packed; nrows > 0.
 */
template <class Shape>
static inline void wave_plan(WaveArgs *args, int blocks)
{
	int64_t chunks = ((int64_t)args->redact.nrows + Shape::CHUNK - 1) / Shape::CHUNK;
	int64_t round = (int64_t)blocks * Shape::WARPS;
	int64_t rest = chunks % round;

	args->chunks = (int32_t)chunks;
	args->rounds = (int32_t)(chunks / round);
	args->last = (int32_t)((rest + blocks - 1) / blocks);
	args->redact.ntiles = args->rounds * blocks;
	if (rest > 0)
		args->redact.ntiles += (int32_t)((rest + args->last - 1) / args->last);
	args->redact.packed = args->redact.name.packed && args->redact.visibility.packed &&
						  (uintptr_t)args->redact.name.start % 16 == 0 &&
						  (uintptr_t)args->redact.visibility.start % 16 == 0;
}

/* Launch, cooperatively: all blocks run, or none.  blocks: from wave_prepare(). */
template <class Shape>
static inline cudaError_t wave_launch(WaveArgs args, int blocks, cudaStream_t stream)
{
	void *parameters[1] = {&args};

	wave_plan<Shape>(&args, blocks);
	if (blocks > args.redact.ntiles)
		blocks = args.redact.ntiles;
	return cudaLaunchCooperativeKernel(wave_redact<Shape>, dim3(blocks), dim3(Shape::THREADS),
									   parameters, Shape::SHARED_BYTES, stream);
}

#endif /* GPUSTR_BENCH_WAVE_KERNEL_CUH */
