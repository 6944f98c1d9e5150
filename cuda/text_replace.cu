/*-------------------------------------------------------------------------
 *
 * text_replace.cu
 *	  TEXT_MAKE of replace(), where what is sought and what is put in its place are
 *	  constants, and short.
 *
 * A row in which nothing is to be replaced has its text for an answer, where it
 * lies: like a slice it is not copied.
 *
 * The texts of a block's rows are cut into the aligned pieces of 16 bytes that hold
 * them, which are the block's threads' work, one behind the other, however long
 * the rows are:
 *
 *		each piece is searched		at which of its bytes a place starts: 16 bits
 *		each row goes over its		which places are replaced, those that overlap one
 *		  pieces' bits				before being none; how many there are before a piece
 *		each piece of a row that	its bytes to where they go, and what is put in,
 *		  has places is written		in shared memory
 *
 * and from there words of 16 bytes go out.  Pieces that there are too many of are
 * done in rounds, each of which takes its part of the arena.
 *
 * A byte at c of a row goes to c + k * (bytes put in - bytes sought), where k places
 * start before it.
 *
 * Texts of more than REPLACE_ROW_PIECES pieces are left to a second kernel, in which
 * each is searched, and its answer written, by a warp, as text_replace.cuh tells: what
 * it needs of registers would slow down the first.  Which rows they are, the planes
 * say: these rows are marked as valid and recheck, which no state is.
 *
 * IDENTIFICATION
 *	  cuda/text_replace.cu
 *
 *-------------------------------------------------------------------------
 */
#include "kernels.cuh"
#include "text_replace.cuh"

/* Pieces of a round; they and their bits are numbered by 16 bits. */
#define REPLACE_PIECES 2048

/* Pieces of a row, at most: places before a piece are counted in 11 bits. */
#define REPLACE_ROW_PIECES 64

/* Bytes of a round's answers that are put together in shared memory. */
#define REPLACE_STAGE_BYTES 20480

/* Pieces that a thread loads before it looks at them. */
#define REPLACE_LOADS 5

/* Blocks of a multiprocessor. */
#define REPLACE_BLOCKS 4

/* Words of rows in which a warp looks for long ones: at most, and as many warps as that. */
#define REPLACE_LONG_WORDS 32
#define REPLACE_LONG_WARPS 32768

/* Of a row that is left to replace_long(), beside the truths. */
#define REPLACE_LONG (GPUSTR_RECHECK + GPUSTR_FALSE + 1)

/* What is known of a piece: places in its bits, and bytes of one before it that it has. */
#define PIECE_COVERED_SHIFT 16
#define PIECE_BEFORE_SHIFT 21

typedef cub::BlockScan<uint32_t, ROW_THREADS> PieceScan;

struct ReplaceShared
{
	union
	{
		PieceScan::TempStorage scan;
		ArenaShared arena;
	};
	uint32_t stop;	/* pieces up to the end of this round, from the block's first */
	uint32_t nlist; /* pieces to write */
	ReplaceConstants constants;

	/* of rows, in bytes from the round's first piece */
	const char *base[ROW_THREADS]; /* piece p is at base + 16 * p */
	int2 bytes[ROW_THREADS];	   /* where the text starts and ends */
	int32_t out[ROW_THREADS];	   /* less where it starts: where the answer starts in the stage */

	/* of pieces */
	uint32_t piece[REPLACE_PIECES];
	uint16_t list[REPLACE_PIECES]; /* those to write */
	uint8_t row[REPLACE_PIECES];

	__align__(16) char stage[REPLACE_STAGE_BYTES];
};

/* Search pieces [0, n) of this round.  A block. */
template <int N>
static __device__ __forceinline__ void search_pieces(ReplaceShared *shared, uint32_t n,
													 int32_t from_len)
{
	constexpr int LOOK = N < 4 ? N : 4;
	const uint32_t lane = threadIdx.x % 32;
	const Sought<LOOK> sought = replace_sought<LOOK>(shared->constants);

	for (uint32_t first = 0; first < n; first += REPLACE_LOADS * ROW_THREADS)
	{
		uint4 piece[REPLACE_LOADS];
		uint32_t row[REPLACE_LOADS];

#pragma unroll
		for (int k = 0; k < REPLACE_LOADS; k++)
		{
			const uint32_t p = first + k * ROW_THREADS + threadIdx.x;

			piece[k] = make_uint4(0, 0, 0, 0);
			row[k] = 0;
			if (p < n)
			{
				row[k] = shared->row[p];
				piece[k] = *(const uint4 *)(shared->base[row[k]] + 16 * p);
			}
		}
#pragma unroll
		for (int k = 0; k < REPLACE_LOADS; k++)
		{
			const uint32_t p = first + k * ROW_THREADS + threadIdx.x;
			const int32_t at = (int32_t)(16 * p);
			uint32_t next = 0;
			uint32_t bits;

			if (LOOK > 1)
			{
				/* what is of another row does not count below */
				next = __shfl_down_sync(0xFFFFFFFF, piece[k].x, 1);
				if (lane == 31 && p < n && shared->bytes[row[k]].y > at + 16)
					next = *(const uint32_t *)(shared->base[row[k]] + at + 16);
			}
			bits = sought_bits<LOOK>(sought, piece[k], next);
			if (p < n)
			{
				if (bits != 0)
				{
					const int2 bytes = shared->bytes[row[k]];

					bits &= rowfn_piece_bits(bytes.x - at, bytes.y - from_len + 1 - at);
					if (N > 4)
						bits = places_that_stand(shared->constants, shared->base[row[k]] + at, bits,
												 from_len);
				}
				shared->piece[p] = bits;
			}
			__syncwarp();
		}
	}
}

/*
 * A row goes over its pieces [p, stop): which places are replaced, and what is known
 * of each piece.  Returns how many places there are.
 */
template <int N>
static __device__ __forceinline__ int32_t row_places(ReplaceShared *shared, uint32_t p,
													 uint32_t stop, int32_t from_len)
{
	int32_t places = 0;
	int32_t covered = 0; /* bytes of this piece that are a place's before it */

	for (; p < stop; p++)
	{
		uint32_t bits = shared->piece[p];
		const uint32_t before = (uint32_t)places << PIECE_BEFORE_SHIFT;
		const uint32_t mine = (uint32_t)min(covered, 16);

		if (bits == 0 && places == 0)
			continue;
		if (N > 1)
		{
			uint32_t left = bits & (0xFFFFFFFF << mine);

			bits = 0;
			covered = max(covered - 16, 0);
			while (left != 0)
			{
				const int32_t at = __ffs((int)left) - 1;

				bits |= 1u << at;
				covered = max(at + from_len - 16, 0);
				left = at + from_len < 32 ? left & (0xFFFFFFFF << (at + from_len)) : 0;
			}
		}
		shared->piece[p] = bits | mine << PIECE_COVERED_SHIFT | before;
		places += __popc(bits);
	}
	return places;
}

/* Write the pieces of the list to 'out', byte by byte.  A block. */
template <int N>
static __device__ __forceinline__ void write_listed(const ReplaceShared *shared, int32_t from_len,
													const RowfnText &to, char *out)
{
	const int32_t more = to.len - from_len;

	for (uint32_t i = threadIdx.x; i < shared->nlist; i += ROW_THREADS)
	{
		const uint32_t p = shared->list[i];
		const uint32_t row = shared->row[p];
		const int32_t at = (int32_t)(16 * p);
		const int2 bytes = shared->bytes[row];
		const uint32_t known = shared->piece[p];
		const uint32_t places = known & 0xFFFF;
		const uint4 piece = *(const uint4 *)(shared->base[row] + at);
		const uint32_t stays = rowfn_piece_bits(bytes.x - at, bytes.y - at) &
							   (0xFFFFFFFF << (known >> PIECE_COVERED_SHIFT & 31));
		char *piece_out =
			out + shared->out[row] + at + more * (int32_t)(known >> PIECE_BEFORE_SHIFT);

		write_piece<N>(shared->constants, piece, stays, places, from_len, to, piece_out);
	}
}

/*
 * replace_text - the answers, and where they are.
 *
 * N		bytes that are sought; 5: more than 4
 * args		[nrows] text, constants of 1 to REPLACE_FROM_BYTES bytes and of any
 *
 * The rest as in make_text(), text_makes.cu; but all texts, too, are within 2 GB of
 * arena.base.
 */
template <int N>
static __global__ void __launch_bounds__(ROW_THREADS, REPLACE_BLOCKS)
	replace_text(const TextArgs args, const TextArena arena, int32_t nrows, int32_t *start,
				 int32_t *end, StatePlanes planes)
{
	__shared__ ReplaceShared shared;
	const int32_t r = my_row();
	const RowfnText from = {args.text[1].base, args.text[1].bytes};
	const RowfnText to = {args.text[2].base, args.text[2].bytes};
	RowfnText text = {NULL, 0};
	uint32_t truth = GPUSTR_RECHECK;
	int32_t head;	   /* bytes before the text in its first piece */
	uint32_t mine = 0; /* pieces */
	uint32_t before;   /* those of the rows before it */
	uint32_t all;	   /* pieces of the block */
	uint32_t done = 0; /* those of rounds that are over */
	uint32_t round_stop;
	int32_t answer_start = arena.at;
	int32_t answer_bytes = 0;

	if (r < nrows)
	{
		truth = row_truth(text_args_state(args, r / 32), r);
		if (truth == GPUSTR_FALSE)
		{
			text.s = text_at(args.text[0], r);
			text.len = text_bytes(args.text[0], r);
			answer_start = (int32_t)(text.s - arena.base);
			answer_bytes = text.len;
		}
	}
	head = (int32_t)((uintptr_t)text.s & 15);
	if (truth == GPUSTR_FALSE && text.len >= from.len)
	{
		mine = ((uint32_t)head + (uint32_t)text.len + 15) / 16;
		if (mine > REPLACE_ROW_PIECES)
		{
			mine = 0;
			truth = REPLACE_LONG;
		}
	}
	replace_constants(from, to, &shared.constants);
	PieceScan(shared.scan).ExclusiveSum(mine, before, all);

	do
	{
		const bool is_here = mine > 0 && before >= done && before + mine <= done + REPLACE_PIECES;
		const uint32_t p = before - done; /* the row's first piece in this round */
		int32_t places = 0;
		uint64_t bytes = 0;
		ArenaPlace place;
		bool is_made; /* there is a new text, and room for it */
		bool staged;

		__syncthreads();
		if (threadIdx.x == 0)
			shared.stop = all;
		__syncthreads();
		if (mine > 0 && before >= done && !is_here)
			atomicMin(&shared.stop, before);
		if (is_here)
		{
			shared.base[threadIdx.x] = text.s - head - 16 * (int64_t)p;
			shared.bytes[threadIdx.x] =
				make_int2((int32_t)(16 * p) + head, (int32_t)(16 * p) + head + text.len);
			for (uint32_t i = 0; i < mine; i++)
				shared.row[p + i] = (uint8_t)threadIdx.x;
		}
		__syncthreads();
		round_stop = shared.stop;
		search_pieces<N>(&shared, round_stop - done, from.len);
		__syncthreads();
		if (is_here)
			places = row_places<N>(&shared, p, p + mine, from.len);
		is_made = places > 0;
		if (is_made)
		{
			const int64_t said = text.len + (int64_t)places * (to.len - from.len);

			answer_start = arena.at;
			answer_bytes = 0;
			if (said > ROWFN_TEXT_BYTES || arena_row_bytes(arena, said, &bytes) != GPUSTR_FALSE)
			{
				truth = GPUSTR_RECHECK;
				is_made = false;
			}
		}
		done = round_stop;
		if (!__syncthreads_or(is_made))
			continue;
		place = arena_take(arena, &shared.arena, bytes, is_made ? mine : 0, 0);
		staged = place.total <= REPLACE_STAGE_BYTES;
		if (threadIdx.x == 0)
			shared.nlist = place.pieces;
		__syncthreads();
		if (is_made)
		{
			if (arena_has_room(arena, place, bytes))
			{
				answer_start = arena.at + (int32_t)(place.block + place.at);
				answer_bytes = (int32_t)bytes;
				shared.out[threadIdx.x] = (int32_t)place.at - (int32_t)(16 * p) - head;
				for (uint32_t i = 0; i < mine; i++)
					shared.list[place.piece + i] = (uint16_t)(p + i);
			}
			else
			{
				/* rows without room are the last */
				atomicMin(&shared.nlist, place.piece);
				truth = GPUSTR_RECHECK;
			}
		}
		__syncthreads();
		if (staged)
			write_listed<N>(&shared, from.len, to, shared.stage);
		else
			write_listed<N>(&shared, from.len, to, arena_memory(arena, place));
		__syncthreads();
		if (staged)
		{
			const uint64_t written = arena_written(arena, place, place.total);

			for (uint32_t at = threadIdx.x * 16; at < written; at += ROW_THREADS * 16)
				*(uint4 *)(arena_memory(arena, place) + at) = *(const uint4 *)(shared.stage + at);
		}
		else
			arena_fill_words(arena, place, is_made && truth != GPUSTR_FALSE);
	} while (done < all);
	if (r < nrows)
	{
		start[r] = answer_start;
		end[r] = answer_start + answer_bytes;
	}
	__syncwarp();
	if (warp_has_rows(r, nrows))
	{
		const bool is_long = truth == REPLACE_LONG;
		const uint32_t valid = __ballot_sync(0xFFFFFFFF, is_long || truth == GPUSTR_FALSE);
		const uint32_t recheck = __ballot_sync(0xFFFFFFFF, is_long || truth == GPUSTR_RECHECK);

		if (r % 32 == 0)
		{
			planes.valid[r / 32] = valid;
			planes.recheck[r / 32] = recheck;
		}
	}
}

/*
 * replace_long - the answers of the rows that replace_text() left.
 *
 * from, to	the constants
 * nwords	words of rows, of which each warp looks at 'words', a lane at one
 * start, end	[nrows] bytes from arena.base: of these rows, the texts; become the answers
 * planes	[nwords] words each; both have the bits of these rows, which become their states
 *
 * A warp does the long rows of a word; a block that has none leaves at once.
 */
template <int N>
static __global__ void __launch_bounds__(ROW_THREADS)
	replace_long(const RowfnText from, const RowfnText to, const TextArena arena, int32_t nwords,
				 int32_t words, int32_t *start, int32_t *end, StatePlanes planes)
{
	__shared__ ReplaceConstants constants;
	const int32_t lane = (int32_t)threadIdx.x % 32;
	const int32_t first = my_row() / 32 * words;
	uint32_t mine = 0;

	if (lane < words && first + lane < nwords)
		mine = planes.valid[first + lane] & planes.recheck[first + lane];
	if (!__syncthreads_or(mine != 0))
		return;
	replace_constants(from, to, &constants);
	__syncthreads();
	for (uint32_t has = __ballot_sync(0xFFFFFFFF, mine != 0); has != 0; has &= has - 1)
	{
		const int of = __ffs((int)has) - 1;

		answer_long<N>(constants, arena, from, to, first + of, __shfl_sync(0xFFFFFFFF, mine, of),
					   start, end, planes);
	}
}

bool text_is_replace(GpustrTextFunction function, const TextArgs &args)
{
	return function == GPUSTR_TEXT_REPLACE && !args.far && args.text[1].start == NULL &&
		   args.text[2].start == NULL && args.text[1].bytes > 0 &&
		   args.text[1].bytes <= REPLACE_FROM_BYTES;
}

template <int N>
static cudaError_t launch(const TextArgs &args, const TextArena &arena, int32_t nrows,
						  int32_t *start, int32_t *end, StatePlanes planes, cudaStream_t stream)
{
	const RowfnText from = {args.text[1].base, args.text[1].bytes};
	const RowfnText to = {args.text[2].base, args.text[2].bytes};
	const int32_t nwords = (nrows + 31) / 32;
	const int32_t words = min(max(nwords / REPLACE_LONG_WARPS, 1), REPLACE_LONG_WORDS);
	const int32_t warps = (nwords + words - 1) / words;
	cudaError_t rc;

	replace_text<N><<<launch_blocks(nrows, ROW_THREADS), ROW_THREADS, 0, stream>>>(
		args, arena, nrows, start, end, planes);
	rc = cudaPeekAtLastError();
	if (rc != cudaSuccess)
		return rc;
	replace_long<N><<<launch_blocks(warps, ROW_THREADS / 32), ROW_THREADS, 0, stream>>>(
		from, to, arena, nwords, words, start, end, planes);
	return cudaPeekAtLastError();
}

cudaError_t launch_text_replace(const TextArgs &args, const TextArena &arena, int32_t nrows,
								int32_t *start, int32_t *end, StatePlanes planes,
								cudaStream_t stream)
{
	switch (args.text[1].bytes)
	{
		case 1:
			return launch<1>(args, arena, nrows, start, end, planes, stream);
		case 2:
			return launch<2>(args, arena, nrows, start, end, planes, stream);
		case 3:
			return launch<3>(args, arena, nrows, start, end, planes, stream);
		case 4:
			return launch<4>(args, arena, nrows, start, end, planes, stream);
		default:
			return launch<5>(args, arena, nrows, start, end, planes, stream);
	}
}
