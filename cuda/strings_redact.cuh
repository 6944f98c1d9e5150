/*-------------------------------------------------------------------------
 *
 * strings_redact.cuh
 *	  Redact names (rowfn/redact.h) in one pass over device memory.
 *
 * A column of strings is read once and a column is written once; nothing goes
 * through device memory in between.  A block takes tiles of ROWS rows:
 *
 *		one warp, the producer, asks for tiles ahead of the others: it takes
 *			the next tile's number, looks up which bytes that tile needs and
 *			starts copies of offsets and bytes into one of STAGES buffers in
 *			shared memory;
 *		the other WORKERS threads work out the sizes of the answers, a thread
 *			for every row, ROWS / WORKERS rows each; a scan over the block
 *			gives the place of each answer in the tile, and its sum is
 *			published; the first warp asks for its predecessors' sums
 *			(look_back.cuh); all put the answers together in shared memory;
 *			with the sum of all tiles before, the tile goes out in whole
 *			coalesced words.
 *
 * So the copies of the next tiles are in flight while a tile is worked on, and
 * the trip of the look-back overlaps with putting the answers together.
 *
 * What limits it, counted for 40 bytes a row: see test/bench/NOTES.md.  Bytes
 * are handled 4 at a time: shared memory gives a warp one word a bank and
 * cycle, and a loop over bytes takes three times the turns.  The words here
 * give what rowfn/redact.h gives; test/gpu/compare_engines shows it.
 *
 * A tile goes the *direct* way, each thread reading its strings from device
 * memory and writing its answers there with the row functions, if
 *	- the strings are not Arrow columns but lie anywhere (page batches), or
 *	- they do not fit the stage, or the answers the output buffer.
 * So any length is right, and one huge row costs only its own tile.
 *
 * Invariants:
 *	- a stage is written by the producer only between the workers' arrivals at
 *	  'empty' and its own at 'full';
 *	- nothing is written past out_room bytes; *out_total tells what was needed.
 *
 * IDENTIFICATION
 *	  cuda/strings_redact.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_STRINGS_REDACT_CUH
#define GPUSTR_STRINGS_REDACT_CUH

#include "async_copy.cuh"
#include "look_back.cuh"
#include "redact_row.cuh"
#include "redact_shapes.cuh"
#include "text_register.cuh"

/* Working memory of the kernel, in device memory, cleared before its first use. */
struct RedactScratch
{
	uint32_t next_tile;	 /* 0 between launches */
	uint32_t done;		 /* blocks that have no more tiles; 0 between launches */
	uint64_t out_total;	 /* bytes of all answers, whether or not they fit */
	uint64_t unused[6];	 /* the words start a cache line */
	uint64_t tile_sum[]; /* [tiles] look_back.cuh */
};

struct RedactArgs
{
	TextRegister name;
	TextRegister visibility;
	int32_t nrows;
	int32_t encoding; /* GpustrEncoding */
	int32_t ntiles;
	int32_t packed;	 /* both are Arrow columns with aligned offsets */
	uint32_t epoch;	 /* look_back.cuh */
	uint32_t *valid; /* out: [(nrows + 31) / 32], or NULL: no NULLs, not asked for */
	int32_t *offset; /* out: [nrows + 1] */
	char *out;		 /* out: [out_room], aligned to 4 */
	uint64_t out_room;
	RedactScratch *scratch;
};

/* What the producer says about a stage. */
struct RedactStage
{
	int32_t tile;			 /* -1: no more tiles */
	int32_t staged;			 /* 0: go the direct way */
	int32_t name_bias;		 /* offset + bias is the place in the stage's data */
	int32_t visibility_bias; /* alike */
};

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
 * The producer: a warp.  Fills stages until the tiles are used up.
 */
template <class Shape>
__device__ __forceinline__ void redact_produce(const RedactArgs &args, char *shared,
											   RedactStage *stage_info, uint64_t *full,
											   uint64_t *empty, uint32_t lane)
{
	for (int k = 0;; k++)
	{
		int s = k % Shape::STAGES;
		char *stage = shared + s * Shape::STAGE_BYTES;
		char *data = stage + 2 * Shape::OFFSET_BYTES;
		const char *name_from = NULL;
		const char *visibility_from = NULL;
		uint32_t name_bytes = 0;
		uint32_t visibility_bytes = 0;
		uint32_t offset_bytes = 0;
		int32_t row0 = 0;
		RedactStage info;

		if (k >= Shape::STAGES)
			mbarrier_wait(&empty[s], (uint32_t)(k / Shape::STAGES - 1) & 1);
		/* let every block have a first tile before any takes a second one */
		if (k == 1)
			mbarrier_wait(&full[0], 0);

		info.tile = lane == 0 ? (int32_t)atomicAdd(&args.scratch->next_tile, 1u) : 0;
		info.tile = __shfl_sync(0xFFFFFFFF, info.tile, 0);
		info.staged = 0;
		info.name_bias = 0;
		info.visibility_bias = 0;
		if (info.tile >= args.ntiles)
			info.tile = -1;
		else if (args.packed)
		{
			int32_t rows;
			int32_t bound = 0;
			int32_t name_first;
			int32_t visibility_first;
			uint32_t head;

			row0 = info.tile * Shape::ROWS;
			rows = min(Shape::ROWS, args.nrows - row0);
			offset_bytes = ((uint32_t)rows * 4 + 4 + 15) & ~15u;
			if (lane < 4)
				bound = (lane < 2 ? args.name.start
								  : args.visibility.start)[row0 + (lane % 2 == 0 ? 0 : rows)];
			name_first = __shfl_sync(0xFFFFFFFF, bound, 0);
			visibility_first = __shfl_sync(0xFFFFFFFF, bound, 2);
			name_from = redact_pieces(args.name.base, name_first, __shfl_sync(0xFFFFFFFF, bound, 1),
									  &name_bytes, &head);
			info.name_bias = (int32_t)head - name_first;
			visibility_from =
				redact_pieces(args.visibility.base, visibility_first,
							  __shfl_sync(0xFFFFFFFF, bound, 3), &visibility_bytes, &head);
			info.visibility_bias = (int32_t)(name_bytes + head) - visibility_first;
			info.staged = name_bytes <= Shape::DATA_BYTES &&
						  visibility_bytes <= Shape::DATA_BYTES - name_bytes;
		}
		if (lane == 0)
			stage_info[s] = info;
		if (Shape::BULK && GPUSTR_BULK_COPY)
		{
			if (lane == 0)
			{
				mbarrier_arrive_expect(
					&full[s], info.staged ? 2 * offset_bytes + name_bytes + visibility_bytes : 0);
				if (info.staged)
				{
					bulk_copy(stage, args.name.start + row0, offset_bytes, &full[s]);
					bulk_copy(stage + Shape::OFFSET_BYTES, args.visibility.start + row0,
							  offset_bytes, &full[s]);
					if (name_bytes > 0)
						bulk_copy(data, name_from, name_bytes, &full[s]);
					if (visibility_bytes > 0)
						bulk_copy(data + name_bytes, visibility_from, visibility_bytes, &full[s]);
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
			warp_copy_arrive(&full[s]);
			if (lane == 0)
				mbarrier_arrive(&full[s]);
		}
		if (info.tile < 0)
			break;
	}

	/* copies must not outlive the thread that asked for them */
	if (!(Shape::BULK && GPUSTR_BULK_COPY))
		warp_copy_wait();

	/* the last block that is through leaves the counters as it found them */
	__threadfence();
	if (lane == 0 && atomicInc(&args.scratch->done, gridDim.x - 1) == gridDim.x - 1)
		args.scratch->next_tile = 0;
}

/*
 * Write a tile from its place in shared memory to [at, at + bytes) of the
 * output, in whole words; the first and the last, which it may share with the
 * tiles beside it, byte by byte.
 *
 * tile		[bytes], aligned to 16, with a word to read on either side
 */
template <int WORKERS>
__device__ __forceinline__ void redact_write_tile(const char *tile, char *out, uint64_t at,
												  uint32_t bytes, uint32_t thread)
{
	const uint32_t *from = (const uint32_t *)tile;
	uint32_t head = (uint32_t)at & 3;
	char *to = out + (at - head);
	uint32_t end = head + bytes;
	uint32_t whole = end / 4; /* words before the last, if that is not whole */

#pragma unroll 4
	for (uint32_t j = thread + (head > 0); j < whole; j += WORKERS)
		((uint32_t *)to)[j] = __funnelshift_l(from[(int32_t)j - 1], from[j], 8 * head);

	/* 4 threads a word, the first and the last */
	if (thread < 4)
	{
		if (head > 0 && thread >= head && thread < end)
			to[thread] = tile[thread - head];
	}
	else if (thread < 8)
	{
		uint32_t last = whole * 4 + thread - 4;

		if (last < end && (head == 0 || whole > 0))
			to[last] = tile[last - head];
	}
}

/*
 * redact - redact a column of names.
 *
 * args.name, args.visibility	[nrows] text registers
 * args.valid					[(nrows + 31) / 32] words or NULL, NULL in: NULL out
 * args.offset					[nrows + 1] int32, from 0
 * args.out						[out_room] bytes
 * args.scratch					clear, or as the last launch left it
 *
 * Persistent blocks of WORKERS + 32 threads, as many as fit the device or
 * fewer; SHARED_BYTES of shared memory.  Blocks share nothing but the tile
 * counter and the tiles' sums.  Words of the output that two tiles share are
 * written byte by byte.
 * e.g. names {"Jane Doe", "Al Bo"}, visibilities {"public", "x"}:
 *		offsets {0, 6, 9}, bytes "D JaneX X"
 */
template <class Shape>
__global__ void __launch_bounds__(Shape::THREADS, Shape::MIN_BLOCKS)
	redact(const __grid_constant__ RedactArgs args)
{
	extern __shared__ __align__(128) char shared[];
	__shared__ __align__(8) uint64_t full[Shape::STAGES];
	__shared__ __align__(8) uint64_t empty[Shape::STAGES];
	__shared__ RedactStage stage_info[Shape::STAGES];
	__shared__ uint64_t warp_sum[Shape::WARPS];
	__shared__ __align__(16) uint32_t warp_sum_low[Shape::WARPS];
	__shared__ uint64_t tile_start;
	char *out_tile = shared + Shape::STAGES * Shape::STAGE_BYTES + 16;
	const uint32_t thread = threadIdx.x;
	const uint32_t lane = thread % 32;
	const uint32_t warp = thread / 32;
	constexpr int R = Shape::ROWS_PER_THREAD;

	if (thread == 0)
	{
		for (int s = 0; s < Shape::STAGES; s++)
		{
			mbarrier_init(&full[s], Shape::BULK && GPUSTR_BULK_COPY ? 1 : 32 + 1);
			mbarrier_init(&empty[s], Shape::WARPS);
		}
		mbarrier_init_fence();
	}
	__syncthreads();

	if (warp == Shape::WARPS)
	{
		redact_produce<Shape>(args, shared, stage_info, full, empty, lane);
		return;
	}

	for (int k = 0;; k++)
	{
		const int s = k % Shape::STAGES;
		const char *stage = shared + s * Shape::STAGE_BYTES;
		const int32_t *name_start = (const int32_t *)stage;
		const int32_t *visibility_start = (const int32_t *)(stage + Shape::OFFSET_BYTES);
		const uint32_t *data = (const uint32_t *)(stage + 2 * Shape::OFFSET_BYTES);
		LookBackWindow window;
		RedactRow row[R];	 /* staged tiles only */
		uint32_t place[R];	 /* of the answer, from the warp's first */
		uint32_t valid = 0;	 /* bit i: row i of this thread has an answer */
		uint64_t total = 0;	 /* bytes of the tile */
		uint64_t before = 0; /* bytes of the warps before this one */
		uint64_t at;		 /* place of the warp's first answer */

		mbarrier_wait(&full[s], (uint32_t)(k / Shape::STAGES) & 1);
		const RedactStage info = stage_info[s];
		if (info.tile < 0)
			break;

		/* row i of this thread is row i * 32 + lane of the warp */
		const int32_t warp_row = (int32_t)warp * 32 * R;
		const int32_t row0 = info.tile * Shape::ROWS + warp_row;

#pragma unroll
		for (int i = 0; i < R; i++)
		{
			int32_t r = row0 + i * 32 + (int32_t)lane;
			bool has = r < args.nrows;

			if (args.valid != NULL && row0 + i * 32 < args.nrows)
			{
				int32_t word = row0 / 32 + i;
				uint32_t bits =
					~(text_state(args.name, word).hi | text_state(args.visibility, word).hi);

				has = has && (bits >> lane & 1);
				bits = __ballot_sync(0xFFFFFFFF, has);
				if (lane == 0)
					args.valid[word] = bits;
			}
			valid |= (uint32_t)has << i;
		}

		/* sizes, and their running sums over the warp */
		uint64_t warp_total = 0;
		if (info.staged)
		{
			uint32_t sum = 0;

			int32_t name[R];
			int32_t name_len[R];
			int32_t visibility[R];
			int32_t visibility_len[R];

			/* all loads before the first branch; past nrows they are not used */
#pragma unroll
			for (int i = 0; i < R; i++)
			{
				int32_t r = warp_row + i * 32 + (int32_t)lane;

				name[i] = name_start[r];
				name_len[i] = name_start[r + 1] - name[i];
				visibility[i] = visibility_start[r];
				visibility_len[i] = visibility_start[r + 1] - visibility[i];
			}
#pragma unroll
			for (int i = 0; i < R; i++)
			{
				row[i] = redact_row_none();
				if (valid >> i & 1)
					row[i] =
						redact_row_staged(data, (uint32_t)(name[i] + info.name_bias), name_len[i],
										  (uint32_t)(visibility[i] + info.visibility_bias),
										  visibility_len[i], args.encoding);
			}
#pragma unroll
			for (int i = 0; i < R; i += 2)
			{
				uint32_t two = redact_row_bytes(row[i]) | redact_row_bytes(row[i + 1]) << 16;
				uint32_t scan = two;

#pragma unroll
				for (int d = 1; d < 32; d *= 2)
				{
					uint32_t other = __shfl_up_sync(0xFFFFFFFF, scan, d);

					if (lane >= (uint32_t)d)
						scan += other;
				}
				two = scan - two;
				scan = __shfl_sync(0xFFFFFFFF, scan, 31);
				place[i] = sum + (two & 0xFFFF);
				sum += scan & 0xFFFF;
				place[i + 1] = sum + (two >> 16);
				sum += scan >> 16;
			}
			warp_total = sum;
		}
		else
		{
#pragma unroll 1
			for (int i = 0; i < R; i++)
			{
				int32_t r = row0 + i * 32 + (int32_t)lane;
				uint64_t bytes = 0;
				uint64_t scan;

				if (valid >> i & 1)
					bytes = (uint64_t)rowfn_redact_bytes(
						text_at(args.name, r), text_bytes(args.name, r),
						text_at(args.visibility, r), text_bytes(args.visibility, r), args.encoding);
				scan = bytes;
				for (int d = 1; d < 32; d *= 2)
				{
					uint64_t other = __shfl_up_sync(0xFFFFFFFF, scan, d);

					if (lane >= (uint32_t)d)
						scan += other;
				}
				redact_set(place, i, (uint32_t)(warp_total + scan - bytes));
				warp_total += __shfl_sync(0xFFFFFFFF, scan, 31);
			}
		}

		/* ... and over the block; a staged tile's fit 32 bits */
		if (lane == 0)
		{
			warp_sum[warp] = warp_total;
			warp_sum_low[warp] = (uint32_t)warp_total;
		}
		named_barrier<Shape::WORKERS>();
		if (info.staged)
		{
			uint32_t sum = 0;
			uint32_t sum_before = 0;

#pragma unroll
			for (int w = 0; w < Shape::WARPS; w++)
			{
				if (w == (int)warp)
					sum_before = sum;
				sum += warp_sum_low[w];
			}
			total = sum;
			before = sum_before;
		}
		else
		{
#pragma unroll 1
			for (int w = 0; w < Shape::WARPS; w++)
			{
				if (w == (int)warp)
					before = total;
				total += warp_sum[w];
			}
		}
		if (warp == 0)
		{
			if (lane == 0)
				look_back_publish(args.scratch->tile_sum, info.tile, total, args.epoch,
								  info.tile == 0 ? LOOK_BACK_INCLUSIVE : LOOK_BACK_SUM);
			window = look_back_begin(args.scratch->tile_sum, info.tile, args.epoch, lane);
		}

		/* put the answers together */
		const bool assembled = info.staged && total <= Shape::OUT_BYTES;
		if (assembled)
		{
#pragma unroll
			for (int i = 0; i < R; i++)
			{
				char *to = out_tile + (uint32_t)before + place[i];

				redact_row_write(row[i], to);
				if (redact_row_is_long(row[i]))
					redact_row_write_rest(row[i],
										  (const char *)data +
											  name_start[warp_row + i * 32 + (int32_t)lane] +
											  info.name_bias,
										  to);
			}
		}
		__syncwarp();
		if (lane == 0)
			mbarrier_arrive(&empty[s]);

		/* where the tile goes */
		if (warp == 0)
		{
			uint64_t sum =
				look_back_end(args.scratch->tile_sum, info.tile, args.epoch, lane, window);

			if (lane == 0)
			{
				if (info.tile > 0)
					look_back_publish(args.scratch->tile_sum, info.tile, sum + total, args.epoch,
									  LOOK_BACK_INCLUSIVE);
				tile_start = sum;
				if (info.tile == args.ntiles - 1)
				{
					args.scratch->out_total = sum + total;
					args.offset[args.nrows] = (int32_t)(sum + total);
				}
			}
		}
		named_barrier<Shape::WORKERS>();
		at = tile_start + before;

		const bool fits = tile_start + total <= args.out_room;
		if (assembled && fits)
			redact_write_tile<Shape::WORKERS>(out_tile, args.out, tile_start, (uint32_t)total,
											  thread);
#pragma unroll
		for (int i = 0; i < R; i++)
		{
			int32_t r = row0 + i * 32 + (int32_t)lane;

			if (r < args.nrows)
				args.offset[r] = (int32_t)(at + place[i]);
		}
		if (!assembled && fits)
		{
#pragma unroll 1
			for (int i = 0; i < R; i++)
			{
				int32_t r = row0 + i * 32 + (int32_t)lane;

				if (valid >> i & 1)
					rowfn_redact_write(text_at(args.name, r), text_bytes(args.name, r),
									   text_at(args.visibility, r), text_bytes(args.visibility, r),
									   args.encoding, args.out + at + redact_get(place, i));
			}
		}
	}
}

/* Tiles of nrows rows. */
template <class Shape>
static inline int32_t redact_tiles(int32_t nrows)
{
	return (int32_t)(((int64_t)nrows + Shape::ROWS - 1) / Shape::ROWS);
}

/* Bytes of working memory for so many tiles. */
static inline size_t redact_scratch_bytes(int32_t ntiles)
{
	return sizeof(RedactScratch) + (size_t)ntiles * sizeof(uint64_t);
}

/*
 * Ask CUDA, once a device, how many blocks fit it; *blocks is 0 if none does.
 */
template <class Shape>
static inline cudaError_t redact_prepare(int device, int *blocks)
{
	int multiprocessors = 0;
	int each = 0;
	cudaError_t rc;

	*blocks = 0;
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
		*blocks = each * multiprocessors;
	return rc;
}

/*
 * Launch.  args.ntiles and args.packed are filled in here; nrows > 0.
 *
 * blocks	from redact_prepare()
 */
template <class Shape>
static inline cudaError_t redact_launch(RedactArgs args, int blocks, cudaStream_t stream)
{
	args.ntiles = redact_tiles<Shape>(args.nrows);
	args.packed = args.name.packed && args.visibility.packed &&
				  (uintptr_t)args.name.start % 16 == 0 &&
				  (uintptr_t)args.visibility.start % 16 == 0;
	if (blocks > args.ntiles)
		blocks = args.ntiles;
	redact<Shape><<<blocks, Shape::THREADS, Shape::SHARED_BYTES, stream>>>(args);
	return cudaPeekAtLastError();
}

#endif /* GPUSTR_STRINGS_REDACT_CUH */
