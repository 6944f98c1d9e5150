/*-------------------------------------------------------------------------
 *
 * redact_tile.cuh
 *	  What the workers of the redact kernel do with a tile.
 *
 * strings_redact.cuh tells the whole; here are its arguments, what the warps of
 * a block tell each other, and the workers, a warp of them at a time.
 *
 * IDENTIFICATION
 *	  cuda/redact_tile.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_REDACT_TILE_CUH
#define GPUSTR_REDACT_TILE_CUH

#include "async_copy.cuh"
#include "redact_row.cuh"
#include "redact_shapes.cuh"
#include "text_register.cuh"
#include "tile_starts.cuh"

/* Working memory of the kernel, in device memory, cleared before its first use. */
struct RedactScratch
{
	uint64_t out_total;	   /* bytes of all answers, whether or not they fit */
	uint64_t unused[7];	   /* the words start a cache line */
	uint64_t tile_words[]; /* sums, then starts: tile_starts.cuh */
};

struct RedactArgs
{
	TextRegister name;
	TextRegister visibility;
	int32_t nrows;
	int32_t encoding; /* GpustrEncoding */
	int32_t groups;	  /* rows of a worker, 1 .. ROWS_PER_THREAD */
	int32_t ntiles;
	int32_t packed;	 /* both are Arrow columns with aligned offsets */
	uint32_t epoch;	 /* tile_starts.cuh */
	uint32_t *valid; /* out: [(nrows + 31) / 32], or NULL: no NULLs, not asked for */
	int32_t *offset; /* out: [nrows + 1] */
	char *out;		 /* out: [out_room], aligned to 4 */
	uint64_t out_room;
	RedactScratch *scratch;
};

/* What the producer says about a tile. */
struct RedactStage
{
	int32_t tile;			 /* -1: no more tiles */
	int32_t staged;			 /* 0: go the direct way */
	int32_t name_bias;		 /* offset + bias is the place in shared memory */
	int32_t visibility_bias; /* alike */
};

/* What the warps of a block tell each other.  Tile k of the block is at k modulo the size. */
template <class Shape>
struct RedactBoard
{
	uint64_t full[Shape::STAGES];			   /* barriers: the stage is there */
	uint64_t sized[Shape::SLOTS];			   /* the workers are done with it, and have sums */
	uint64_t started[Shape::SLOTS];			   /* the warps' starts are there */
	unsigned long long tile_sum[Shape::SLOTS]; /* of the warps so far, and how many: see below */
	uint64_t warp_sum[Shape::SLOTS][Shape::WARPS];
	uint64_t warp_start[Shape::SLOTS][Shape::WARPS]; /* place in the output */

	/* the clerk has read that of tile k before the producer fills k + INFOS */
	RedactStage stage[Shape::INFOS];
};

/* One warp in RedactBoard.tile_sum; bytes stand below. */
#define REDACT_ONE_WARP (1ULL << 56)

/*
 * Hand in the sum of a warp of tile k of this block; the last of the warps
 * publishes the tile's, and waits for nobody.  One thread of the warp.
 */
template <class Shape>
__device__ __forceinline__ void redact_hand_in(const RedactArgs &args, RedactBoard<Shape> *board,
											   int k, int32_t tile, uint64_t bytes, uint32_t warp)
{
	const int slot = k % Shape::SLOTS;
	unsigned long long sum = REDACT_ONE_WARP + bytes;

	board->warp_sum[slot][warp] = bytes;
	sum += atomicAdd(&board->tile_sum[slot], sum);
	if (sum / REDACT_ONE_WARP == Shape::WARPS)
	{
		tile_word_write(args.scratch->tile_words + tile, sum % REDACT_ONE_WARP, args.epoch);
		board->tile_sum[slot] = 0;
	}
}

/* What a thread keeps of a tile until its warp's start is known. */
template <class Shape>
struct RedactPending
{
	uint32_t place[Shape::ROWS_PER_THREAD]; /* of the answers, from the warp's first */
	uint64_t bytes;							/* of the warp's answers */
	int32_t row;							/* the warp's first */
	int32_t rows;							/* of this thread */
	uint32_t valid;							/* bit i: row i of them has an answer */
	bool assembled;							/* they stand in the warp's buffer */
};

/*
 * Write a warp's answers from its buffer to [at, at + bytes) of the output, in
 * whole words; the first and the last, which it may share with its neighbours,
 * byte by byte.
 *
 * from		[bytes]
 */
__device__ __forceinline__ void redact_write_out(const uint32_t *from, char *out, uint64_t at,
												 uint32_t bytes, uint32_t lane)
{
	const char *from_bytes = (const char *)from;
	uint32_t head = (uint32_t)at & 3;
	char *to = out + (at - head);
	uint32_t end = head + bytes;
	uint32_t whole = end / 4;				 /* words before the last, if that is not whole */
	const uint32_t *low = from - (head > 0); /* where the low part of a word is */

#pragma unroll 4
	for (uint32_t j = lane + (head > 0); j < whole; j += 32)
		((uint32_t *)to)[j] = __funnelshift_l(low[j], from[j], 8 * head);

	/* 4 lanes a word, the first and the last */
	if (lane < 4)
	{
		if (head > 0 && lane >= head && lane < end)
			to[lane] = from_bytes[lane - head];
	}
	else if (lane < 8)
	{
		uint32_t last = whole * 4 + lane - 4;

		if (last < end && (head == 0 || whole > 0))
			to[last] = from_bytes[last - head];
	}
}

/*
 * Write what is pending, now or once its start is known: offsets and answers.
 * Leaves the warp's buffer clear.  A whole warp.
 *
 * k		which tile of the block it is
 * buffer	[WARP_OUT_BYTES] the warp's answers, if they are assembled
 */
template <class Shape>
__device__ __forceinline__ void redact_finish(const RedactArgs &args, RedactBoard<Shape> *board,
											  int k, const RedactPending<Shape> &pending,
											  uint32_t *buffer, uint32_t warp, uint32_t lane)
{
	const int slot = k % Shape::SLOTS;
	uint64_t at;
	bool fits;

	mbarrier_wait(&board->started[slot], (uint32_t)(k / Shape::SLOTS) & 1);
	at = board->warp_start[slot][warp];
	fits = at + pending.bytes <= args.out_room;
	if (pending.assembled)
	{
		uint32_t bytes = (uint32_t)pending.bytes;

		if (fits)
			redact_write_out(buffer, args.out, at, bytes, lane);
		__syncwarp();
		for (uint32_t j = lane; j * 16 < bytes; j += 32)
			((uint4 *)buffer)[j] = make_uint4(0, 0, 0, 0);
		__syncwarp();
	}
#pragma unroll
	for (int i = 0; i < Shape::ROWS_PER_THREAD; i++)
	{
		int32_t r = pending.row + i * 32 + (int32_t)lane;

		if (i < pending.rows)
			args.offset[r] = (int32_t)((uint32_t)at + pending.place[i]);
	}
	if (!pending.assembled && fits)
	{
#pragma unroll 1
		for (int i = 0; i < Shape::ROWS_PER_THREAD; i++)
		{
			int32_t r = pending.row + i * 32 + (int32_t)lane;

			if (pending.valid >> i & 1)
				rowfn_redact_write(text_at(args.name, r), text_bytes(args.name, r),
								   text_at(args.visibility, r), text_bytes(args.visibility, r),
								   args.encoding, args.out + at + redact_get(pending.place, i));
		}
	}
}

/*
 * Which of a thread's rows have answers: bit i for row 'row' + i * 32 + lane,
 * of which 'rows' are there.  Writes the validity of the warp's rows, if it is
 * asked for.
 */
template <class Shape>
__device__ __forceinline__ uint32_t redact_valid(const RedactArgs &args, int32_t row, int32_t rows,
												 uint32_t lane)
{
	uint32_t valid = (1u << rows) - 1;

	if (args.valid != NULL)
	{
#pragma unroll 1
		for (int i = 0; i < args.groups && row + i * 32 < args.nrows; i++)
		{
			int32_t word = row / 32 + i;
			uint32_t bits = text_state(args.name, word).hi | text_state(args.visibility, word).hi;

			valid &= ~((bits >> lane & 1) << i);
			bits = __ballot_sync(0xFFFFFFFF, valid >> i & 1);
			if (lane == 0)
				args.valid[word] = bits;
		}
	}
	return valid;
}

/*
 * Work out a warp's answers from a stage, and their places.
 *
 * stage	offsets and bytes; see RedactShape
 * warp_row	the warp's first row in the tile
 */
template <class Shape>
__device__ __forceinline__ void
redact_size_staged(const RedactArgs &args, const char *shared, const char *stage,
				   const RedactStage &info, int32_t warp_row, RedactPending<Shape> *pending,
				   RedactRow (&row)[Shape::ROWS_PER_THREAD], uint32_t lane)
{
	constexpr int R = Shape::ROWS_PER_THREAD;
	const int32_t *name_start = (const int32_t *)stage + warp_row + lane;
	const int32_t *visibility_start =
		(const int32_t *)(stage + Shape::OFFSET_BYTES) + warp_row + lane;
	int32_t name[R];
	int32_t name_len[R];
	int32_t visibility[R];
	int32_t visibility_len[R];
	uint32_t sum = 0;

	/* all loads before the first branch; of rows that are not valid they are not used */
#pragma unroll
	for (int i = 0; i < R; i++)
	{
		name[i] = name_start[i * 32];
		name_len[i] = name_start[i * 32 + 1] - name[i];
		visibility[i] = visibility_start[i * 32];
		visibility_len[i] = visibility_start[i * 32 + 1] - visibility[i];
	}
#pragma unroll
	for (int i = 0; i < R; i++)
	{
		row[i] = redact_row_none();
		if (pending->valid >> i & 1)
			row[i] = redact_row_staged(
				(const uint32_t *)shared, (uint32_t)(name[i] + info.name_bias), name_len[i],
				(uint32_t)(visibility[i] + info.visibility_bias), visibility_len[i], args.encoding);
	}
#pragma unroll
	for (int i = 0; i < R; i += 2)
	{
		uint32_t two = redact_row_bytes(row[i]) | redact_row_bytes(row[i + 1]) << 16;
		uint32_t scan = two;

#pragma unroll
		for (uint32_t d = 1; d < 32; d *= 2)
		{
			uint32_t other = __shfl_up_sync(0xFFFFFFFF, scan, d);

			if (lane >= d)
				scan += other;
		}
		two = scan - two;
		scan = __shfl_sync(0xFFFFFFFF, scan, 31);
		pending->place[i] = sum + (two & 0xFFFF);
		sum += scan & 0xFFFF;
		pending->place[i + 1] = sum + (two >> 16);
		sum += scan >> 16;
	}
	pending->bytes = sum;
	pending->assembled = sum <= Shape::WARP_OUT_BYTES;
}

/* Work out the places of a warp's answers the direct way. */
template <class Shape>
__device__ __forceinline__ void redact_size_direct(const RedactArgs &args,
												   RedactPending<Shape> *pending, uint32_t lane)
{
	pending->bytes = 0;
	pending->assembled = false;
#pragma unroll 1
	for (int i = 0; i < Shape::ROWS_PER_THREAD; i++)
	{
		int32_t r = pending->row + i * 32 + (int32_t)lane;
		uint64_t bytes = 0;
		uint64_t scan;

		if (pending->valid >> i & 1)
			bytes = (uint64_t)rowfn_redact_bytes(text_at(args.name, r), text_bytes(args.name, r),
												 text_at(args.visibility, r),
												 text_bytes(args.visibility, r), args.encoding);
		scan = bytes;
		for (uint32_t d = 1; d < 32; d *= 2)
		{
			uint64_t other = __shfl_up_sync(0xFFFFFFFF, scan, d);

			if (lane >= d)
				scan += other;
		}
		redact_set(pending->place, i, (uint32_t)(pending->bytes + scan - bytes));
		pending->bytes += __shfl_sync(0xFFFFFFFF, scan, 31);
	}
}

/*
 * A warp of workers: sizes tile k, finishes tile k - LATER, puts tile k together
 * in the buffer that is free by that.
 */
template <class Shape>
__device__ __forceinline__ void redact_work(const RedactArgs &args, char *shared,
											RedactBoard<Shape> *board, uint32_t warp, uint32_t lane)
{
	constexpr int R = Shape::ROWS_PER_THREAD;
	const int32_t warp_rows = 32 * args.groups;
	char *buffers = shared + Shape::STAGES * Shape::STAGE_BYTES +
					warp * Shape::LATER * Shape::WARP_BUFFER_BYTES;
	RedactPending<Shape> before[Shape::LATER]; /* the latest first */

	for (uint32_t j = lane; j * 16 < Shape::LATER * Shape::WARP_BUFFER_BYTES; j += 32)
		((uint4 *)buffers)[j] = make_uint4(0, 0, 0, 0);
	__syncwarp();

	for (int k = 0;; k++)
	{
		uint32_t *buffer = (uint32_t *)(buffers + k % Shape::LATER * Shape::WARP_BUFFER_BYTES);
		const int s = k % Shape::STAGES;
		const int slot = k % Shape::SLOTS;
		RedactPending<Shape> pending;
		RedactRow row[R]; /* staged tiles only */

		mbarrier_wait(&board->full[s], (uint32_t)(k / Shape::STAGES) & 1);
		const RedactStage info = board->stage[k % Shape::INFOS];

		/* row i of this thread is row i * 32 + lane of the warp */
		pending.row = (info.tile * Shape::WARPS + (int32_t)warp) * warp_rows;
		if (info.tile >= 0)
		{
			pending.rows =
				min(max((args.nrows - pending.row - (int32_t)lane + 31) / 32, 0), args.groups);
			pending.valid = redact_valid<Shape>(args, pending.row, pending.rows, lane);
			if (info.staged)
				redact_size_staged<Shape>(args, shared, shared + s * Shape::STAGE_BYTES, info,
										  (int32_t)warp * warp_rows, &pending, row, lane);
			else
				redact_size_direct<Shape>(args, &pending, lane);
			if (lane == 0)
				redact_hand_in<Shape>(args, board, k, info.tile, pending.bytes, warp);
		}
		__syncwarp();
		if (lane == 0)
			mbarrier_arrive(&board->sized[slot]);

		if (k >= Shape::LATER)
			redact_finish<Shape>(args, board, k - Shape::LATER, before[Shape::LATER - 1], buffer,
								 warp, lane);
		if (info.tile < 0)
		{
			/* what is left to write, the earliest first */
#pragma unroll
			for (int i = Shape::LATER - 1; i > 0; i--)
				if (k >= i)
					redact_finish<Shape>(
						args, board, k - i, before[i - 1],
						(uint32_t *)(buffers + (k - i) % Shape::LATER * Shape::WARP_BUFFER_BYTES),
						warp, lane);
			break;
		}
		if (pending.assembled)
		{
			bool is_long = false;

#pragma unroll
			for (int i = 0; i < R; i++)
			{
				redact_row_write(row[i], buffer, pending.place[i]);
				is_long |= redact_row_is_long(row[i]);
			}
			if (is_long)
			{
#pragma unroll
				for (int i = 0; i < R; i++)
					if (redact_row_is_long(row[i]))
						redact_row_write_rest(
							row[i], text_at(args.name, pending.row + i * 32 + (int32_t)lane),
							buffer, pending.place[i]);
			}
			__syncwarp();
		}
#pragma unroll
		for (int i = Shape::LATER - 1; i > 0; i--)
			before[i] = before[i - 1];
		before[0] = pending;
	}
}

#endif /* GPUSTR_REDACT_TILE_CUH */
