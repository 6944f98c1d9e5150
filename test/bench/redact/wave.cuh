/*-------------------------------------------------------------------------
 *
 * wave.cuh
 *	  Redact names in one pass, each warp on its own: a variant of
 *	  cuda/strings_redact.cuh that is about the first and the last round.
 *
 * What differs:
 *
 *		Each warp has STAGES pieces of shared memory, each for a *chunk*, 32 *
 *		ROWS_PER_THREAD rows, and asks for its own copies: for the first ones
 *		before the block's first barrier, for the next one as soon as a chunk is
 *		sized.  No warp waits for the slowest of its block before a copy is asked
 *		for, and all of the first STAGES rounds is on its way at once: 600,000
 *		rows are in shared memory as a whole.
 *
 *		A tile is a chunk of each warp.  A block's tiles are every gridDim.xth,
 *		so the start of one is the start of the one before and the sums of the
 *		gridDim.x tiles from there on: the clerk, one more warp, reads them in
 *		one trip.  There is no scanner, and its multiprocessor has tiles, too.
 *
 *		The last round is shared by all blocks: so many warps of each have a
 *		chunk as are needed, where else some blocks would have a whole tile and
 *		some none.
 *
 * As there, a tile's sum is published as soon as it is known, its bytes are
 * written LATER tiles after, and a chunk that does not fit goes the direct way.
 *
 * Invariants:
 *	- a stage is read and asked for by one warp only, one after the other;
 *	- a warp arrives at 'sized' of tile k + SLOTS only after it has waited for
 *	  'started' of tile k, so the clerk is never SLOTS tiles behind;
 *	- all blocks run (a cooperative launch), and none waits before its sum is out
 *	  for anything but starts of tiles LATER rounds before;
 *	- nothing is written past out_room bytes; out_total tells what was needed.
 *
 * IDENTIFICATION
 *	  test/bench/redact/wave.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_BENCH_WAVE_CUH
#define GPUSTR_BENCH_WAVE_CUH

#include "strings_redact.cuh"
#include "wave_row.cuh"

/* Words of other tiles that a lane of the clerk reads at once, for a block a multiprocessor. */
#define WAVE_LOADS 5

/*
 * WARPS			that work on rows; one more serves them
 * ROWS_PER_THREAD	rows of each lane in a chunk
 * STAGES			chunks of a warp in shared memory, being copied or worked on
 * DATA, OUT		bytes a row, room for names and visibilities, and for answers
 * LATER			tiles after which a tile is written
 * MIN_BLOCKS		blocks that shall fit a multiprocessor
 * PLAIN			rows as cuda/redact_row.cuh has them, not wave_row.cuh
 */
template <int WARPS_, int ROWS_PER_THREAD_, int STAGES_, int DATA_HALVES_, int OUT_, int LATER_,
		  int MIN_BLOCKS_, bool PLAIN_>
struct WaveShape
{
	static constexpr int WARPS = WARPS_;
	static constexpr int THREADS = (WARPS_ + 1) * 32;
	static constexpr int ROWS_PER_THREAD = ROWS_PER_THREAD_;
	static constexpr int CHUNK = 32 * ROWS_PER_THREAD_;
	static constexpr int STAGES = STAGES_;
	static constexpr int LATER = LATER_;
	static constexpr int SLOTS = LATER_ + 1;
	static constexpr int MIN_BLOCKS = MIN_BLOCKS_;
	static constexpr bool PLAIN = PLAIN_;
	static constexpr int LOADS = MIN_BLOCKS_ * WAVE_LOADS;

	static constexpr int OFFSET_BYTES = CHUNK * 4 + 16; /* CHUNK + 1 offsets */
	static constexpr int DATA_BYTES = CHUNK * DATA_HALVES_ / 2;
	static constexpr int STAGE_BYTES = 2 * OFFSET_BYTES + DATA_BYTES + 16;
	static constexpr int OUT_BYTES = CHUNK * OUT_;
	static constexpr int BUFFER_BYTES = OUT_BYTES + 16; /* written past an answer: zeros */
	static constexpr int WARP_BYTES = STAGES * STAGE_BYTES + LATER * BUFFER_BYTES;
	static constexpr int SHARED_BYTES = WARPS * WARP_BYTES;

	static_assert((SLOTS & (SLOTS - 1)) == 0, "k modulo it is one instruction");
	static_assert(DATA_BYTES + ROWFN_REDACTED_BYTES * 32 < 65536, "a scan packs two sums");
	static_assert(ROWS_PER_THREAD_ % 2 == 0, "rows are scanned in pairs");
	static_assert(DATA_BYTES % 16 == 0 && OUT_BYTES % 128 == 0, "alignment, whole turns");
	static_assert(WARPS <= 31 && STAGES <= 8, "one lane a warp, 4 lanes a stage");
};

struct WaveArgs
{
	RedactArgs redact; /* without 'groups' */
	int32_t rounds;	   /* that are full */
	int32_t last;	   /* warps of a block that have a chunk in the round after */
};

/* Where a chunk is in its stage. */
struct WaveStage
{
	int32_t staged;			 /* 0: go the direct way */
	int32_t name_bias;		 /* offset + bias is the place in shared memory */
	int32_t visibility_bias; /* alike */
	int32_t unused;
};

/* What the warps of a block tell each other.  Tile k of the block is at k modulo SLOTS. */
template <class Shape>
struct WaveBoard
{
	uint4 masks[WAVE_MASKS];
	WaveStage stage[Shape::WARPS][Shape::STAGES];
	uint64_t full[Shape::WARPS][Shape::STAGES]; /* barriers: the chunk is there */
	uint64_t sized[Shape::SLOTS];				/* the warps' sums are there */
	uint64_t started[Shape::SLOTS];				/* their starts are */
	unsigned long long tile_sum[Shape::SLOTS];	/* of the warps so far, and how many */
	uint64_t warp_sum[Shape::SLOTS][Shape::WARPS];
	uint64_t warp_start[Shape::SLOTS][Shape::WARPS];
};

/* First row of a warp's chunk of tile k of this block; nrows if it has none. */
template <class Shape>
__device__ __forceinline__ int32_t wave_first_row(const WaveArgs &args, int k, uint32_t warp)
{
	int32_t chunk;

	if (k < args.rounds)
		chunk = (k * (int32_t)gridDim.x + (int32_t)blockIdx.x) * Shape::WARPS + (int32_t)warp;
	else
	{
		chunk = args.rounds * (int32_t)gridDim.x * Shape::WARPS +
				(int32_t)blockIdx.x * args.last + (int32_t)warp;
		if ((int32_t)warp >= args.last || chunk > args.redact.nrows / Shape::CHUNK)
			return args.redact.nrows;
	}
	return min(chunk * Shape::CHUNK, args.redact.nrows);
}

/*
 * Start the copies of a chunk into a stage, but for its offsets if they are on
 * their way.  A whole warp.
 *
 * name, visibility		[2] where the chunk's start and end
 * at					the stage, in shared memory
 */
template <class Shape>
__device__ __forceinline__ void wave_fill(const WaveArgs &args, char *shared, int32_t at,
										  WaveStage *stage, uint64_t *full, int32_t row,
										  const int32_t (&name)[2], const int32_t (&visibility)[2],
										  bool offsets, uint32_t lane)
{
	const int32_t data_at = at + 2 * Shape::OFFSET_BYTES;
	const int32_t rows = min(Shape::CHUNK, args.redact.nrows - row);
	const uint32_t offset_bytes = ((uint32_t)rows * 4 + 4 + 15) & ~15u;
	uint32_t name_bytes;
	uint32_t visibility_bytes;
	uint32_t name_head;
	uint32_t visibility_head;
	const char *name_from =
		redact_pieces(args.redact.name.base, name[0], name[1], &name_bytes, &name_head);
	const char *visibility_from = redact_pieces(args.redact.visibility.base, visibility[0],
												visibility[1], &visibility_bytes, &visibility_head);
	WaveStage info = {};

	if (lane != 0)
		return;
	info.name_bias = data_at + (int32_t)name_head - name[0];
	info.visibility_bias = data_at + (int32_t)(name_bytes + visibility_head) - visibility[0];
	info.staged = name_bytes <= (uint32_t)Shape::DATA_BYTES &&
				  visibility_bytes <= (uint32_t)Shape::DATA_BYTES - name_bytes;
	*stage = info;
	mbarrier_arrive_expect(
		full, info.staged ? name_bytes + visibility_bytes + (offsets ? 2 * offset_bytes : 0) : 0);
	if (!info.staged)
		return;
	if (offsets)
	{
		bulk_copy(shared + at, args.redact.name.start + row, offset_bytes, full);
		bulk_copy(shared + at + Shape::OFFSET_BYTES, args.redact.visibility.start + row,
				  offset_bytes, full);
	}
	if (name_bytes > 0)
		bulk_copy(shared + data_at, name_from, name_bytes, full);
	if (visibility_bytes > 0)
		bulk_copy(shared + data_at + name_bytes, visibility_from, visibility_bytes, full);
}

/*
 * A warp's part of what stands before the block's first barrier: ask for the
 * first STAGES chunks, and clear its buffers for answers.
 */
template <class Shape>
__device__ __forceinline__ void wave_begin(const WaveArgs &args, char *shared,
										   WaveBoard<Shape> *board, int tiles, uint32_t warp,
										   uint32_t lane)
{
	const int32_t stages_at = (int32_t)warp * Shape::WARP_BYTES;
	uint4 *buffers = (uint4 *)(shared + stages_at + Shape::STAGES * Shape::STAGE_BYTES);
	int32_t bound = 0;

	/* lane 4 * j + 2 * (is it of visibilities) + (is it the end): of chunk j */
	if (args.redact.packed && (int)lane / 4 < min(Shape::STAGES, tiles))
	{
		int32_t row = wave_first_row<Shape>(args, (int)lane / 4, warp);

		if (lane % 2 == 1)
			row = min(row + Shape::CHUNK, args.redact.nrows);
		bound = (lane & 2 ? args.redact.visibility.start : args.redact.name.start)[row];
	}
	if (lane == 0)
	{
		for (int j = 0; j < Shape::STAGES; j++)
			mbarrier_init(&board->full[warp][j], 1);
		mbarrier_init_fence();
		for (int j = 0; j < min(Shape::STAGES, tiles) && args.redact.packed; j++)
		{
			int32_t row = wave_first_row<Shape>(args, j, warp);
			char *to = shared + stages_at + j * Shape::STAGE_BYTES;

			if (row < args.redact.nrows)
			{
				int32_t rows = min(Shape::CHUNK, args.redact.nrows - row);
				uint32_t bytes = ((uint32_t)rows * 4 + 4 + 15) & ~15u;

				mbarrier_expect(&board->full[warp][j], 2 * bytes);
				bulk_copy(to, args.redact.name.start + row, bytes, &board->full[warp][j]);
				bulk_copy(to + Shape::OFFSET_BYTES, args.redact.visibility.start + row, bytes,
						  &board->full[warp][j]);
			}
		}
	}
	__syncwarp();
	for (uint32_t j = lane; j * 16 < Shape::LATER * Shape::BUFFER_BYTES; j += 32)
		buffers[j] = make_uint4(0, 0, 0, 0);
	for (int j = 0; j < min(Shape::STAGES, tiles) && args.redact.packed; j++)
	{
		int32_t row = wave_first_row<Shape>(args, j, warp);
		int32_t name[2];
		int32_t visibility[2];

		name[0] = __shfl_sync(0xFFFFFFFF, bound, j * 4);
		name[1] = __shfl_sync(0xFFFFFFFF, bound, j * 4 + 1);
		visibility[0] = __shfl_sync(0xFFFFFFFF, bound, j * 4 + 2);
		visibility[1] = __shfl_sync(0xFFFFFFFF, bound, j * 4 + 3);
		if (row < args.redact.nrows)
			wave_fill<Shape>(args, shared, stages_at + j * Shape::STAGE_BYTES,
							 &board->stage[warp][j], &board->full[warp][j], row, name, visibility,
							 false, lane);
	}
}

/*
 * Hand in the sum of a warp of tile k; the last of the warps publishes the tile's,
 * and waits for nobody.  One thread of the warp.
 */
template <class Shape>
__device__ __forceinline__ void wave_hand_in(const WaveArgs &args, WaveBoard<Shape> *board, int k,
											 uint64_t bytes, uint32_t warp)
{
	const int slot = k % Shape::SLOTS;
	unsigned long long sum = REDACT_ONE_WARP + bytes;

	board->warp_sum[slot][warp] = bytes;
	sum += atomicAdd(&board->tile_sum[slot], sum);
	if (sum / REDACT_ONE_WARP == Shape::WARPS)
	{
		tile_word_write(args.redact.scratch->tile_words + k * (int64_t)gridDim.x + blockIdx.x,
						sum % REDACT_ONE_WARP, args.redact.epoch);
		board->tile_sum[slot] = 0;
	}
}

/*
 * Which of a thread's rows 'row' + i * 32 + lane have answers, as bits i.  Writes
 * the validity of the warp's rows, if it is asked for and 'write'.
 */
template <class Shape>
__device__ __forceinline__ uint32_t wave_valid(const WaveArgs &args, int32_t row, bool write,
											   uint32_t lane)
{
	int32_t rows =
		min(max((args.redact.nrows - row - (int32_t)lane + 31) / 32, 0), Shape::ROWS_PER_THREAD);
	uint32_t valid = (1u << rows) - 1;

	if (args.redact.valid != NULL)
	{
#pragma unroll 1
		for (int i = 0; i < Shape::ROWS_PER_THREAD && row + i * 32 < args.redact.nrows; i++)
		{
			int32_t word = row / 32 + i;
			uint32_t bits = text_state(args.redact.name, word).hi |
							text_state(args.redact.visibility, word).hi;

			valid &= ~((bits >> lane & 1) << i);
			bits = __ballot_sync(0xFFFFFFFF, valid >> i & 1);
			if (lane == 0 && write)
				args.redact.valid[word] = bits;
		}
	}
	return valid;
}

/* The answers of a thread, by wave_row.cuh or by cuda/redact_row.cuh. */
template <class Shape>
struct WaveRows
{
	static constexpr int R = Shape::ROWS_PER_THREAD;
	WaveRow wave[Shape::PLAIN ? 1 : R];
	RedactRow plain[Shape::PLAIN ? R : 1];
	bool is_long;

	__device__ __forceinline__ uint32_t bytes(int i) const
	{
		if constexpr (Shape::PLAIN)
			return redact_row_bytes(plain[i]);
		else
			return wave_row_bytes(wave[i]);
	}
};

/*
 * Work out a warp's answers from a stage, and their places from the warp's first.
 * Returns the bytes of all.
 *
 * at		of the stage, in shared memory
 * valid	wave_valid()
 */
template <class Shape>
__device__ __forceinline__ uint32_t wave_size(const WaveArgs &args, const char *shared,
											  const WaveBoard<Shape> *board, int32_t at,
											  const WaveStage &info, uint32_t valid,
											  WaveRows<Shape> *rows,
											  uint32_t (&place)[Shape::ROWS_PER_THREAD],
											  uint32_t lane)
{
	constexpr int R = Shape::ROWS_PER_THREAD;
	constexpr uint32_t ALL = (1u << R) - 1;
	const int32_t *name_start = (const int32_t *)(shared + at) + lane;
	const int32_t *visibility_start = (const int32_t *)(shared + at + Shape::OFFSET_BYTES) + lane;
	int32_t name[R];
	int32_t name_bytes[R];
	int32_t visibility[R];
	int32_t visibility_bytes[R];
	uint32_t sum = 0;

#pragma unroll
	for (int i = 0; i < R; i++)
	{
		name[i] = name_start[i * 32];
		name_bytes[i] = name_start[i * 32 + 1] - name[i];
		visibility[i] = visibility_start[i * 32];
		visibility_bytes[i] = visibility_start[i * 32 + 1] - visibility[i];
	}
	if constexpr (Shape::PLAIN)
	{
		rows->is_long = false;
#pragma unroll
		for (int i = 0; i < R; i++)
		{
			rows->plain[i] = redact_row_none();
			if (valid >> i & 1)
				rows->plain[i] = redact_row_staged(
					(const uint32_t *)shared, (uint32_t)(name[i] + info.name_bias), name_bytes[i],
					(uint32_t)(visibility[i] + info.visibility_bias), visibility_bytes[i],
					args.redact.encoding);
			rows->is_long |= redact_row_is_long(rows->plain[i]);
		}
	}
	else
	{
		const uint32_t shared_at = shared_address(shared);
		const uint32_t masks = shared_address(board->masks);
		WaveStrings<R> in;

#pragma unroll
		for (int i = 0; i < R; i++)
		{
			in.name[i] = shared_at + (uint32_t)(name[i] + info.name_bias);
			in.name_bytes[i] = name_bytes[i];
			in.visibility[i] = shared_at + (uint32_t)(visibility[i] + info.visibility_bias);
			in.visibility_bytes[i] = visibility_bytes[i];
		}
		if (valid != ALL)
		{
			/* offsets behind the last row are not there */
#pragma unroll
			for (int i = 0; i < R; i++)
				if (!(valid >> i & 1))
				{
					in.visibility[i] = masks;
					in.visibility_bytes[i] = 0;
				}
		}
		rows->is_long =
			wave_rows<R>(in, masks, wave_leads(args.redact.encoding), rows->wave);
		if (valid != ALL)
		{
#pragma unroll
			for (int i = 0; i < R; i++)
				if (!(valid >> i & 1))
					rows->wave[i] = WaveRow{};
		}
	}
#pragma unroll
	for (int i = 0; i < R; i += 2)
	{
		uint32_t two = rows->bytes(i) | rows->bytes(i + 1) << 16;
		uint32_t scan = wave_warp_scan(two);

		two = scan - two;
		scan = __shfl_sync(0xFFFFFFFF, scan, 31);
		place[i] = sum + (two & 0xFFFF);
		sum += scan & 0xFFFF;
		place[i + 1] = sum + (two >> 16);
		sum += scan >> 16;
	}
	return sum;
}

/* Work out the places of a warp's answers the direct way. */
template <class Shape>
__device__ __forceinline__ uint64_t wave_size_direct(const WaveArgs &args, int32_t row,
													 uint32_t valid,
													 uint32_t (&place)[Shape::ROWS_PER_THREAD],
													 uint32_t lane)
{
	uint64_t sum = 0;

#pragma unroll 1
	for (int i = 0; i < Shape::ROWS_PER_THREAD; i++)
	{
		int32_t r = row + i * 32 + (int32_t)lane;
		uint64_t bytes = 0;
		uint64_t scan;

		if (valid >> i & 1)
			bytes = (uint64_t)rowfn_redact_bytes(
				text_at(args.redact.name, r), text_bytes(args.redact.name, r),
				text_at(args.redact.visibility, r), text_bytes(args.redact.visibility, r),
				args.redact.encoding);
		scan = bytes;
		for (uint32_t d = 1; d < 32; d *= 2)
		{
			uint64_t other = __shfl_up_sync(0xFFFFFFFF, scan, d);

			if (lane >= d)
				scan += other;
		}
		redact_set(place, i, (uint32_t)(sum + scan - bytes));
		sum += __shfl_sync(0xFFFFFFFF, scan, 31);
	}
	return sum;
}

/* Put a warp's answers together in a buffer that is clear. */
template <class Shape>
__device__ __forceinline__ void wave_assemble(const WaveArgs &args, const WaveRows<Shape> &rows,
											  const uint32_t (&place)[Shape::ROWS_PER_THREAD],
											  uint32_t *buffer, int32_t row, uint32_t lane)
{
	constexpr int R = Shape::ROWS_PER_THREAD;

	if constexpr (Shape::PLAIN)
	{
#pragma unroll
		for (int i = 0; i < R; i++)
			redact_row_write(rows.plain[i], buffer, place[i]);
		if (rows.is_long)
		{
#pragma unroll
			for (int i = 0; i < R; i++)
				if (redact_row_is_long(rows.plain[i]))
					redact_row_write_rest(
						rows.plain[i], text_at(args.redact.name, row + i * 32 + (int32_t)lane),
						buffer, place[i]);
		}
	}
	else
	{
		uint32_t at[R];

#pragma unroll
		for (int i = 0; i < R; i++)
			at[i] = shared_address(buffer) + place[i];
		wave_rows_write<R>(rows.wave, at);
		if (rows.is_long)
		{
			/* rows without an answer have none to complete */
#pragma unroll
			for (int i = 0; i < R; i++)
				if (wave_row_bytes(rows.wave[i]) >= WAVE_FIRST_BYTES)
					wave_row_write_rest(
						rows.wave[i], text_at(args.redact.name, row + i * 32 + (int32_t)lane),
						at[i]);
		}
	}
	__syncwarp();
}

#endif /* GPUSTR_BENCH_WAVE_CUH */
