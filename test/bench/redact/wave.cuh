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
 *		Where a row is long, which is in every sixth chunk, its stage is given back
 *		only when it is put together.  There, what is behind the first 12 bytes is
 *		read from device memory, a byte at a time, and the warp is late by 2 us.
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
	static constexpr int SLOTS = 4; /* tiles on their way */
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

	static_assert(LATER_ < SLOTS, "see wave_work()");
	static_assert(DATA_BYTES + ROWFN_REDACTED_BYTES * 32 < 65536, "a scan packs two sums");
	static_assert(ROWS_PER_THREAD_ % 2 == 0, "rows are scanned in pairs");
	static_assert(DATA_BYTES % 16 == 0 && OUT_BYTES % 128 == 0, "alignment, whole turns");
	static_assert(WARPS <= 31 && STAGES <= 8 && 2 * DATA_BYTES < 65536,
				  "one lane a warp, 4 lanes a stage");
};

struct WaveArgs
{
	RedactArgs redact; /* without 'groups' */
	int32_t chunks;	   /* of all rows */
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
	unsigned long long big_sum[Shape::SLOTS];	/* of warps with WAVE_BIG_BYTES or more */
	uint32_t tile_sum[Shape::SLOTS];			/* of the others so far; see wave_hand_in() */
	uint64_t warp_sum[Shape::SLOTS][Shape::WARPS];
	uint64_t warp_start[Shape::SLOTS][Shape::WARPS];
};

/* A warp's chunks: tile k of the block starts at row 'first' + k * 'step' of it. */
struct WaveChunks
{
	int32_t rounds; /* of full tiles */
	int32_t first;
	int32_t step;
	int32_t last; /* of tile 'rounds', which is another size; nrows: there is none */
};

template <class Shape>
__device__ __forceinline__ WaveChunks wave_chunks(const WaveArgs &args, uint32_t warp)
{
	const int32_t blocks = (int32_t)gridDim.x;
	const int32_t block = (int32_t)blockIdx.x;
	const int32_t last = args.rounds * blocks * Shape::WARPS + block * args.last + (int32_t)warp;
	WaveChunks chunks;

	chunks.rounds = args.rounds;
	chunks.first = (block * Shape::WARPS + (int32_t)warp) * Shape::CHUNK;
	chunks.step = blocks * Shape::WARPS * Shape::CHUNK;
	chunks.last = args.redact.nrows;
	if ((int32_t)warp < args.last && last < args.chunks)
		chunks.last = last * Shape::CHUNK;
	return chunks;
}

/* First row of a warp's chunk of tile k; nrows if it has none. */
__device__ __forceinline__ int32_t wave_first_row(const WaveChunks &chunks, int k)
{
	return k < chunks.rounds ? chunks.first + k * chunks.step : chunks.last;
}

/* Bytes of a chunk's offsets, in whole pieces of 16. */
template <class Shape>
__device__ __forceinline__ uint32_t wave_offset_bytes(const WaveArgs &args, int32_t row)
{
	return ((uint32_t)min(Shape::CHUNK, args.redact.nrows - row) * 4 + 4 + 15) & ~15u;
}

/*
 * Start the copies of a chunk into a stage, each by another lane: offsets of both
 * columns, unless they are on their way, and bytes.  A whole warp.
 *
 * bound	in lanes 'from' to 'from' + 3: where the chunk's names start and end, and
 *			its visibilities
 * at		the stage, in shared memory
 */
template <class Shape>
__device__ __forceinline__ void wave_fill(const WaveArgs &args, char *shared, int32_t at,
										  WaveStage *stage, uint64_t *full, int32_t row,
										  int32_t bound, int from, bool offsets, uint32_t lane)
{
	const int32_t data_at = at + 2 * Shape::OFFSET_BYTES;
	const int32_t name = __shfl_sync(0xFFFFFFFF, bound, from);
	const int32_t name_end = __shfl_sync(0xFFFFFFFF, bound, from + 1);
	const int32_t visibility = __shfl_sync(0xFFFFFFFF, bound, from + 2);
	const int32_t visibility_end = __shfl_sync(0xFFFFFFFF, bound, from + 3);
	const uint32_t offset_bytes = offsets ? wave_offset_bytes<Shape>(args, row) : 0;
	uint32_t name_bytes;
	uint32_t visibility_bytes;
	uint32_t name_head;
	uint32_t visibility_head;
	const char *source =
		redact_pieces(args.redact.name.base, name, name_end, &name_bytes, &name_head);
	const char *visibility_from =
		redact_pieces(args.redact.visibility.base, visibility, visibility_end, &visibility_bytes,
					  &visibility_head);
	const bool staged = name_bytes <= (uint32_t)Shape::DATA_BYTES &&
						visibility_bytes <= (uint32_t)Shape::DATA_BYTES - name_bytes;
	int32_t to = data_at;
	uint32_t bytes = name_bytes;

	if (lane == 0)
	{
		WaveStage info = {};

		info.staged = staged;
		info.name_bias = data_at + (int32_t)name_head - name;
		info.visibility_bias = data_at + (int32_t)(name_bytes + visibility_head) - visibility;
		*stage = info;
		mbarrier_arrive_expect(full, staged ? name_bytes + visibility_bytes + 2 * offset_bytes : 0);
	}
	__syncwarp();
	if (lane == 1)
	{
		source = visibility_from;
		to = data_at + (int32_t)name_bytes;
		bytes = visibility_bytes;
	}
	if (lane >= 2)
	{
		source =
			(const char *)((lane == 2 ? args.redact.name.start : args.redact.visibility.start) +
						   row);
		to = lane == 2 ? at : at + Shape::OFFSET_BYTES;
		bytes = lane < 4 ? offset_bytes : 0;
	}
	if (staged && bytes > 0)
		bulk_copy(shared + to, source, bytes, full);
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
	const WaveChunks chunks = wave_chunks<Shape>(args, warp);
	const int32_t stages_at = (int32_t)warp * Shape::WARP_BYTES;
	uint4 *buffers = (uint4 *)(shared + stages_at + Shape::STAGES * Shape::STAGE_BYTES);
	const int j = (int)lane / 4;
	int32_t row = args.redact.nrows;
	int32_t bound = 0;

	/* lane 4 * j + 2 * (is it of visibilities) + (is it the end): of chunk j */
	if (args.redact.packed && j < min(Shape::STAGES, tiles))
		row = wave_first_row(chunks, j);
	if (row < args.redact.nrows)
	{
		const int32_t *start = lane & 2 ? args.redact.visibility.start : args.redact.name.start;
		const int32_t end = min(row + Shape::CHUNK, args.redact.nrows);

		bound = start[lane % 2 == 1 ? end : row];
	}
	if (j < Shape::STAGES && lane % 4 == 0)
		mbarrier_init(&board->full[warp][j], 1);
	mbarrier_init_fence();
	__syncwarp();

	/* offsets, before it is known where the bytes are: two lanes a chunk */
	if (row < args.redact.nrows && lane % 2 == 0)
	{
		const int32_t column = lane % 4 / 2;
		const uint32_t bytes = wave_offset_bytes<Shape>(args, row);

		mbarrier_expect(&board->full[warp][j], bytes);
		bulk_copy(shared + stages_at + j * Shape::STAGE_BYTES + column * Shape::OFFSET_BYTES,
				  (column == 0 ? args.redact.name.start : args.redact.visibility.start) + row,
				  bytes, &board->full[warp][j]);
	}
	__syncwarp();
#pragma unroll 1
	for (uint32_t i = lane; i * 16 < Shape::LATER * Shape::BUFFER_BYTES; i += 32)
		buffers[i] = make_uint4(0, 0, 0, 0);
	__syncwarp();
#pragma unroll 1
	for (int s = 0; s < Shape::STAGES; s++)
	{
		row = s < tiles ? wave_first_row(chunks, s) : args.redact.nrows;
		if (row < args.redact.nrows && args.redact.packed)
			wave_fill<Shape>(args, shared, stages_at + s * Shape::STAGE_BYTES,
							 &board->stage[warp][s], &board->full[warp][s], row, bound, s * 4,
							 false, lane);
	}
}

/*
 * WaveBoard.tile_sum: bytes in 21 bits, warps whose bytes do not fit there in 5
 * bits, warps that have handed in; 32 bits are one instruction, 64 a loop.
 */
#define WAVE_ONE_WARP (1u << 26)
#define WAVE_BIG_WARP (1u << 21)
#define WAVE_BIG_BYTES 65536

/*
 * Hand in the sum of a warp of tile k; the last of the warps publishes the tile's,
 * and waits for nobody.  One thread of the warp.
 */
template <class Shape>
__device__ __forceinline__ void wave_hand_in(const WaveArgs &args, WaveBoard<Shape> *board, int k,
											 uint64_t bytes, uint32_t warp)
{
	const int slot = k % Shape::SLOTS;
	uint32_t sum = WAVE_ONE_WARP + (uint32_t)bytes;

	board->warp_sum[slot][warp] = bytes;
	if (__builtin_expect(bytes >= WAVE_BIG_BYTES, 0))
	{
		sum = WAVE_ONE_WARP + WAVE_BIG_WARP;
		(void)atomicAdd(&board->big_sum[slot], (unsigned long long)bytes);
		__threadfence_block();
	}
	sum += atomicAdd(&board->tile_sum[slot], sum);
	if (sum / WAVE_ONE_WARP == Shape::WARPS)
	{
		uint64_t total = sum % WAVE_BIG_WARP;

		if (__builtin_expect(sum / WAVE_BIG_WARP % 32 != 0, 0))
		{
			__threadfence_block();
			total += atomicExch(&board->big_sum[slot], 0ULL);
		}
		tile_word_write(args.redact.scratch->tile_words + k * (int64_t)gridDim.x + blockIdx.x,
						total, args.redact.epoch);
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
			uint32_t bits =
				text_state(args.redact.name, word).hi | text_state(args.redact.visibility, word).hi;

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
 * shared_at	address of 'shared'
 * masks	address of the board's
 * at		of the stage, in shared memory
 * valid	wave_valid()
 */
template <class Shape>
__device__ __forceinline__ uint32_t wave_size(const WaveArgs &args, const char *shared,
											  uint32_t shared_at, uint32_t masks, int32_t at,
											  const WaveStage &info, uint32_t valid,
											  WaveRows<Shape> *rows,
											  uint32_t (&place)[Shape::ROWS_PER_THREAD],
											  uint32_t lane)
{
	constexpr int R = Shape::ROWS_PER_THREAD;
	constexpr uint32_t ALL = (1u << R) - 1;
	const uint32_t name_start = shared_at + (uint32_t)at + 4 * lane;
	const uint32_t visibility_start = name_start + Shape::OFFSET_BYTES;
	int32_t name[R];
	int32_t name_bytes[R];
	int32_t visibility[R];
	int32_t visibility_bytes[R];
	uint32_t sum = 0;

#pragma unroll
	for (int i = 0; i < R; i++)
	{
		name[i] = (int32_t)shared_load(name_start + i * 128);
		name_bytes[i] = (int32_t)shared_load(name_start + i * 128 + 4) - name[i];
		visibility[i] = (int32_t)shared_load(visibility_start + i * 128);
		visibility_bytes[i] = (int32_t)shared_load(visibility_start + i * 128 + 4) - visibility[i];
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
		rows->is_long = wave_rows<R>(in, masks, wave_leads(args.redact.encoding), rows->wave);
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

/*
 * A warp's answers the direct way: their bytes, and if 'write' their offsets, and
 * if 'fits' themselves, from 'at' on.  Rare, and so kept out of the way of the rest.
 */
template <class Shape>
__device__ __noinline__ uint64_t wave_direct(const WaveArgs &args, int32_t row, uint64_t at,
											 bool write, bool fits, uint32_t lane)
{
	const uint32_t valid = wave_valid<Shape>(args, row, false, lane);
	uint64_t sum = 0;

#pragma unroll 1
	for (int i = 0; i < Shape::ROWS_PER_THREAD; i++)
	{
		const int32_t r = row + i * 32 + (int32_t)lane;
		const char *name = NULL;
		const char *visibility = NULL;
		int32_t name_bytes = 0;
		int32_t visibility_bytes = 0;
		uint64_t bytes = 0;
		uint64_t scan;

		if (valid >> i & 1)
		{
			name = text_at(args.redact.name, r);
			name_bytes = text_bytes(args.redact.name, r);
			visibility = text_at(args.redact.visibility, r);
			visibility_bytes = text_bytes(args.redact.visibility, r);
			bytes = (uint64_t)rowfn_redact_bytes(name, name_bytes, visibility, visibility_bytes,
												 args.redact.encoding);
		}
		scan = bytes;
#pragma unroll 1
		for (uint32_t d = 1; d < 32; d *= 2)
		{
			uint64_t other = __shfl_up_sync(0xFFFFFFFF, scan, d);

			if (lane >= d)
				scan += other;
		}
		if (write && r < args.redact.nrows)
			args.redact.offset[r] = (int32_t)(at + sum + scan - bytes);
		if (write && fits && (valid >> i & 1))
			rowfn_redact_write(name, name_bytes, visibility, visibility_bytes, args.redact.encoding,
							   args.redact.out + at + sum + scan - bytes);
		sum += __shfl_sync(0xFFFFFFFF, scan, 31);
	}
	return sum;
}

/*
 * Put a warp's answers together in a buffer that is clear.
 *
 * stage, names		offsets, and what they count from; needed only if a row is long
 */
template <class Shape>
__device__ __forceinline__ void wave_assemble(const WaveRows<Shape> &rows,
											  const uint32_t (&place)[Shape::ROWS_PER_THREAD],
											  uint32_t *buffer, uint32_t buffer_at,
											  const char *stage, const char *names, uint32_t lane)
{
	constexpr int R = Shape::ROWS_PER_THREAD;
	const int32_t *start = (const int32_t *)stage + lane;

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
					redact_row_write_rest(rows.plain[i], names + start[i * 32], buffer, place[i]);
		}
	}
	else
	{
		uint32_t at[R];

#pragma unroll
		for (int i = 0; i < R; i++)
			at[i] = buffer_at + place[i];
		wave_rows_write<R>(rows.wave, at);
		if (rows.is_long)
		{
			/* rows without an answer have none to complete */
#pragma unroll
			for (int i = 0; i < R; i++)
				if (wave_row_bytes(rows.wave[i]) >= WAVE_FIRST_BYTES)
					wave_row_write_rest(rows.wave[i], names + start[i * 32], at[i]);
		}
	}
	__syncwarp();
}

#endif /* GPUSTR_BENCH_WAVE_CUH */
