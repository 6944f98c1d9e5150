/*-------------------------------------------------------------------------
 *
 * text_replace.cuh
 *	  Of replace(): places in a piece of 16 bytes, how a piece is written, and texts
 *	  that are the work of a warp.
 *
 * A long text is gone over by a warp, its lanes side by side with a piece each, twice:
 * once to count the places, and again, when there is room for the answer, to write it.
 * What stays between pieces with places is copied by words of 16 bytes, aligned where
 * they are written; where there are places each lane writes its piece, byte by byte.
 *
 * IDENTIFICATION
 *	  cuda/text_replace.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_TEXT_REPLACE_CUH
#define GPUSTR_TEXT_REPLACE_CUH

#include "rowfn/text_make.h"
#include "sought_bits.cuh"
#include "text_arena.cuh"
#include "text_pieces.cuh"
#include "text_together.cuh"

/* Bytes that are sought, and that are put in, at most. */
#define REPLACE_FROM_BYTES 64
#define REPLACE_TO_BYTES 256

/* Bytes of a long text that a warp has at once. */
#define REPLACE_STEP (32 * 16)

/* In shared memory. */
struct ReplaceConstants
{
	uint32_t from[REPLACE_FROM_BYTES / 4]; /* what is sought, zeros behind */
	char to[REPLACE_TO_BYTES];			   /* what is put in, if it fits */
};

/* Write them.  All threads of a block; a barrier is to follow. */
static __device__ __forceinline__ void replace_constants(const RowfnText &from, const RowfnText &to,
														 ReplaceConstants *constants)
{
	if (threadIdx.x < REPLACE_FROM_BYTES / 4)
	{
		uint32_t word = 0;

		for (int i = 0; i < 4; i++)
			if ((int32_t)(4 * threadIdx.x) + i < from.len)
				word |= (uint32_t)(unsigned char)from.s[4 * threadIdx.x + i] << 8 * i;
		constants->from[threadIdx.x] = word;
	}
	if ((int32_t)threadIdx.x < min(to.len, REPLACE_TO_BYTES))
		constants->to[threadIdx.x] = to.s[threadIdx.x];
}

/* The first N of the bytes that are sought. */
template <int N>
static __device__ __forceinline__ Sought<N> replace_sought(const ReplaceConstants &constants)
{
	Sought<N> sought;

#pragma unroll
	for (int i = 0; i < N; i++)
		sought.byte[i] = (constants.from[0] >> 8 * i & 0xFF) * 0x01010101u;
	return sought;
}

/*
 * Do the n bytes that are sought stand at s, of which the first 4 do?  Only words that
 * hold some of them are read.
 */
static __device__ __forceinline__ bool sought_stands(const char *s, const uint32_t *from, int32_t n)
{
	const uint32_t head = (uint32_t)((uintptr_t)s & 3);
	const uint32_t *words = (const uint32_t *)(s - head);

	for (int32_t i = 1; 4 * i < n; i++)
	{
		const int32_t left = n - 4 * i;
		uint32_t word = words[i];
		uint32_t mask = left >= 4 ? 0xFFFFFFFF : (1u << 8 * left) - 1;

		if (head > 0)
			word = __funnelshift_r(word, (int32_t)head + min(left, 4) > 4 ? words[i + 1] : 0,
								   8 * head);
		if (((word ^ from[i]) & mask) != 0)
			return false;
	}
	return true;
}

/* Of the places in 'bits', where the first 4 bytes stand, those where all n do.  s: the piece */
static __device__ __forceinline__ uint32_t places_that_stand(const ReplaceConstants &constants,
															 const char *s, uint32_t bits,
															 int32_t n)
{
	for (uint32_t left = bits; left != 0; left &= left - 1)
		if (!sought_stands(s + __ffs((int)left) - 1, constants.from, n))
			bits ^= left & -left;
	return bits;
}

/* Write what is put in, for each of a piece's places, the first byte of which is 'out'. */
static __device__ __forceinline__ void write_places(uint32_t places, const char *to, int32_t to_len,
													int32_t more, char *out)
{
	for (uint32_t left = places; left != 0; left &= left - 1)
	{
		const int32_t place = __ffs((int)left) - 1;

		for (int32_t i = 0; i < to_len; i++)
			out[place + i] = to[i];
		out += more;
	}
}

/*
 * Write a piece of a text, byte by byte.
 *
 * stays	its bytes that are the text's and not a place's before it: 16 bits
 * places	at which of its bytes a place starts: 16 bits
 * out		where its first byte goes, if it stays
 */
template <int N>
static __device__ __forceinline__ void write_piece(const ReplaceConstants &constants, uint4 piece,
												   uint32_t stays, uint32_t places,
												   int32_t from_len, const RowfnText &to, char *out)
{
	const uint32_t word[4] = {piece.x, piece.y, piece.z, piece.w};
	const int32_t more = to.len - from_len;

	if (N == 1)
		stays &= ~places;
	else
		for (uint32_t left = places; left != 0; left &= left - 1)
			stays &=
				~((from_len < 32 ? (1u << from_len) - 1 : 0xFFFFFFFF) << (__ffs((int)left) - 1));
	if (to.len <= REPLACE_TO_BYTES)
		write_places(places, constants.to, to.len, more, out);
	else
		write_places(places, to.s, to.len, more, out);
#pragma unroll
	for (int b = 0; b < 16; b++)
	{
		if (stays >> b & 1)
			out[b] = (char)(word[b / 4] >> 8 * (b % 4));
		if (places >> b & 1)
			out += more;
	}
}

/* Copy n bytes, n >= 0.  All lanes, the same arguments. */
static __device__ __forceinline__ void copy_together(const char *from, int32_t n, char *out,
													 uint32_t lane)
{
	const int32_t head = min((int32_t)(-(uintptr_t)out & 15), n);
	const int32_t tail = head + (n - head) / 16 * 16;

	if ((int32_t)lane < head)
		out[lane] = from[lane];
#pragma unroll 4
	for (int32_t at = head + 16 * (int32_t)lane; at < tail; at += REPLACE_STEP)
		*(uint4 *)(out + at) = text_load16(from + at, 0, 16);
	if (tail + (int32_t)lane < n)
		out[tail + lane] = from[tail + lane];
}

/*
 * Of the places of a step, those that are replaced, as others overlap one before them.
 * All lanes.
 *
 * bits		the lane's
 * has		lanes that have any
 * at		where the step starts in the text
 * end		where the last place before it ends; becomes that of the last in it
 */
static __device__ __forceinline__ uint32_t places_apart(uint32_t bits, uint32_t has, int64_t at,
														int32_t n, int64_t *end)
{
	const uint32_t lane = threadIdx.x % 32;
	uint32_t mine = 0;

	for (; has != 0; has &= has - 1)
	{
		const int of = __ffs((int)has) - 1;
		const int64_t piece = at + 16 * of;
		const int64_t covered = *end - piece;
		uint32_t left = __shfl_sync(0xFFFFFFFF, bits, of);
		uint32_t taken = 0;

		if (covered > 0)
			left = covered < 16 ? left & (0xFFFFFFFF << covered) : 0;
		while (left != 0)
		{
			const int32_t place = __ffs((int)left) - 1;

			taken |= 1u << place;
			*end = piece + place + n;
			left = place + n < 16 ? left & (0xFFFFFFFF << (place + n)) : 0;
		}
		if (lane == (uint32_t)of)
			mine = taken;
		__syncwarp();
	}
	return mine;
}

/*
 * A warp goes over a long text.  Returns how many places are replaced.  All lanes, the
 * same arguments.
 *
 * first	the first place
 * out		where the answer is written; NULL: places are counted
 */
template <int N>
static __device__ __forceinline__ int32_t long_places(const ReplaceConstants &constants,
													  RowfnText text, int32_t from_len,
													  RowfnText to, int32_t first, char *out)
{
	constexpr int LOOK = N < 4 ? N : 4;
	const uint32_t lane = threadIdx.x % 32;
	const int64_t more = to.len - from_len;
	const Sought<LOOK> sought = replace_sought<LOOK>(constants);
	int64_t at = first - (int64_t)((uintptr_t)(text.s + first) & 15);
	int64_t mine = at + 16 * lane;
	int64_t end = 0;	 /* of the last place */
	int32_t places = 0;	 /* before this step */
	int32_t written = 0; /* bytes of the text */
	uint4 ahead = make_uint4(0, 0, 0, 0);

	if (mine < text.len)
		ahead = *(const uint4 *)(text.s + mine);
	for (; at < text.len; at += REPLACE_STEP, mine += REPLACE_STEP)
	{
		const uint4 piece = ahead;
		const int64_t before = end;
		uint32_t next = __shfl_down_sync(0xFFFFFFFF, piece.x, 1);
		uint32_t bits;
		uint32_t has;
		uint32_t sum;
		uint32_t other;

		ahead = make_uint4(0, 0, 0, 0);
		if (mine + REPLACE_STEP < text.len)
			ahead = *(const uint4 *)(text.s + mine + REPLACE_STEP);
		if (lane == 31 && LOOK > 1)
			next = mine + 16 < text.len ? *(const uint32_t *)(text.s + mine + 16) : 0;
		bits = sought_bits<LOOK>(sought, piece, next);
		if (bits != 0)
			bits &= rowfn_piece_bits((int32_t)max(first - mine, (int64_t)0),
									 (int32_t)min(text.len - from_len + 1 - mine, (int64_t)16));
		if (N > 4)
			bits = places_that_stand(constants, text.s + mine, bits, from_len);
		__syncwarp();
		has = __ballot_sync(0xFFFFFFFF, bits != 0);
		if (has == 0 && end <= at)
			continue;
		if (N > 1)
			bits = places_apart(bits, has, at, from_len, &end);

		/* places up to this lane's last */
		sum = (uint32_t)__popc(bits);
#pragma unroll
		for (int d = 1; d < 32; d *= 2)
		{
			other = __shfl_up_sync(0xFFFFFFFF, sum, d);
			sum += lane >= (uint32_t)d ? other : 0;
		}
		if (out != NULL)
		{
			const int32_t from = (int32_t)max(at, (int64_t)0);
			const int32_t before_piece = places + (int32_t)sum - __popc(bits);
			int32_t covered = 0; /* bytes from 'at' on up to the end of the lane's last place */
			uint32_t stays;

			copy_together(text.s + written, from - written, out + written + places * more, lane);
			written = (int32_t)min(at + REPLACE_STEP, (int64_t)text.len);
			stays = rowfn_piece_bits((int32_t)max(-mine, (int64_t)0),
									 (int32_t)min(text.len - mine, (int64_t)16));
			if (N > 1)
			{
				if (bits != 0)
					covered = (int32_t)(mine - at) + 31 - __clz((int)bits) + from_len;
#pragma unroll
				for (int d = 1; d < 32; d *= 2)
					covered = max(covered, __shfl_up_sync(0xFFFFFFFF, covered, d));
				covered = __shfl_up_sync(0xFFFFFFFF, covered, 1);
				if (lane == 0)
					covered = 0;
				covered = max(covered, (int32_t)max(before - at, (int64_t)0)) - 16 * (int32_t)lane;
				if (covered > 0)
					stays = covered < 16 ? stays & (0xFFFFFFFF << covered) : 0;
			}
			write_piece<N>(constants, piece, stays, bits, from_len, to,
						   out + mine + before_piece * more);
		}
		places += (int32_t)__shfl_sync(0xFFFFFFFF, sum, 31);
	}
	if (out != NULL)
		copy_together(text.s + written, text.len - written, out + written + places * more, lane);
	return places;
}

/*
 * The answers of the long rows of word w.  All lanes of a warp.
 *
 * constants	written, and a barrier after it
 * long_rows	which rows they are
 * start, end	[nrows] bytes from arena.base: of these rows, the texts; become the answers
 * planes	both have the bits of these rows, which become their states
 */
template <int N>
static __device__ __forceinline__ void
answer_long(const ReplaceConstants &constants, const TextArena &arena, const RowfnText &from,
			const RowfnText &to, int32_t w, uint32_t long_rows, int32_t *start, int32_t *end,
			StatePlanes planes)
{
	const uint32_t lane = threadIdx.x % 32;
	const int32_t r = w * 32 + (int32_t)lane;
	const bool is_long = long_rows >> lane & 1;
	RowfnText text = {NULL, 0};
	int32_t first = -1;
	int32_t places = 0;
	uint64_t bytes = 0;
	uint64_t stop; /* of the answers up to this row's */
	uint64_t at;   /* where this row's starts in the arena */
	uint32_t truth = GPUSTR_FALSE;
	uint32_t valid;
	uint32_t recheck;
	bool is_made; /* there is a new text, and room for it */

	if (is_long)
	{
		text.s = arena.base + start[r];
		text.len = end[r] - start[r];
	}
	__syncwarp();
	for (uint32_t rows = long_rows; rows != 0; rows &= rows - 1)
	{
		const int of = __ffs((int)rows) - 1;
		const RowfnText one = {warp_pointer(text.s, of), __shfl_sync(0xFFFFFFFF, text.len, of)};
		const int32_t found = find_together(one.s, one.len, from.s, from.len, lane);
		int32_t n = 0;

		if (found >= 0)
			n = long_places<N>(constants, one, from.len, to, found, NULL);
		__syncwarp();
		if (lane == (uint32_t)of)
		{
			first = found;
			places = n;
		}
		__syncwarp();
	}
	is_made = places > 0;
	if (is_made)
	{
		const int64_t said = text.len + (int64_t)places * (to.len - from.len);

		is_made = said <= ROWFN_TEXT_BYTES && arena_row_bytes(arena, said, &bytes) == GPUSTR_FALSE;
		if (!is_made)
			truth = GPUSTR_RECHECK;
	}
	else if (text.len > ROWFN_TEXT_BYTES)
		truth = GPUSTR_RECHECK;
	__syncwarp();
	if (__ballot_sync(0xFFFFFFFF, is_made) != 0)
	{
		uint64_t total;
		uint64_t block = 0;

		stop = bytes;
#pragma unroll
		for (int d = 1; d < 32; d *= 2)
		{
			const uint64_t other = __shfl_up_sync(0xFFFFFFFF, (unsigned long long)stop, d);

			stop += lane >= (uint32_t)d ? other : 0;
		}
		total = __shfl_sync(0xFFFFFFFF, (unsigned long long)stop, 31);
		if (lane == 0)
		{
			block = atomicAdd(arena.cursor, (unsigned long long)((total + ARENA_ALIGN - 1) /
																 ARENA_ALIGN * ARENA_ALIGN));
			arena_fill_word(arena, block + total);
		}
		__syncwarp();
		at = __shfl_sync(0xFFFFFFFF, (unsigned long long)block, 0) + stop - bytes;
		if (is_made && at + bytes > arena.bytes)
		{
			arena_fill_word(arena, at);
			is_made = false;
			truth = GPUSTR_RECHECK;
		}
		__syncwarp();
		for (uint32_t rows = __ballot_sync(0xFFFFFFFF, is_made); rows != 0; rows &= rows - 1)
		{
			const int of = __ffs((int)rows) - 1;
			const RowfnText one = {warp_pointer(text.s, of), __shfl_sync(0xFFFFFFFF, text.len, of)};
			char *const out = (char *)warp_pointer(arena.base + arena.at + at, of);

			(void)long_places<N>(constants, one, from.len, to, __shfl_sync(0xFFFFFFFF, first, of),
								 out);
			__syncwarp();
		}
		if (is_made)
		{
			start[r] = arena.at + (int32_t)at;
			end[r] = arena.at + (int32_t)(at + bytes);
		}
	}
	if (is_long && truth != GPUSTR_FALSE)
	{
		start[r] = arena.at;
		end[r] = arena.at;
	}
	__syncwarp();
	valid = __ballot_sync(0xFFFFFFFF, is_long && truth == GPUSTR_FALSE);
	recheck = __ballot_sync(0xFFFFFFFF, is_long && truth == GPUSTR_RECHECK);
	if (lane == 0)
	{
		planes.valid[w] = (planes.valid[w] & ~long_rows) | valid;
		planes.recheck[w] = (planes.recheck[w] & ~long_rows) | recheck;
	}
	__syncwarp();
}

#endif /* GPUSTR_TEXT_REPLACE_CUH */
