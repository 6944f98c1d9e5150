/*-------------------------------------------------------------------------
 *
 * strings_search.cu
 *	  One literal in the texts of a column: strpos(), and LIKE '%literal%'.
 *
 * Texts of an Arrow column lie side by side, so bytes, not texts, are given to
 * threads: a warp takes the bytes of its 32 rows, 16 a lane, neighbours side by
 * side, TOGETHER_STEP of them at a time, whatever texts they are of.  So loads
 * are whole lines, as many are on their way for short texts as for long ones, and
 * a long text does not keep 31 lanes waiting.
 *
 * A step's places where the first bytes of the literal stand are one bit each.  As
 * a rule there are none, or few: these are taken one after the other by the warp,
 * which looks up the row by a ballot and compares the rest a byte a lane.  If
 * there are many, they go to shared memory, and each lane looks through those of
 * its own row, as far as the row is in the step: that costs little more for a
 * letter that is everywhere.
 *
 * A row that has its place is not read to its end if the next step is in it.
 *
 * IDENTIFICATION
 *	  cuda/strings_search.cu
 *
 *-------------------------------------------------------------------------
 */
#include "kernels.cuh"
#include "rowfn/characters.h"
#include "search_look.cuh"
#include "sm_threads.cuh"
#include "text_together.cuh"

#define SEARCH_WARPS (ROW_THREADS / 32)

/* Blocks that share a multiprocessor: where it holds 48 warps or more, these, of 40 registers. */
#define SEARCH_BLOCKS (SM_BLOCKS(ROW_THREADS) < 6 ? SM_BLOCKS(ROW_THREADS) : 6)

/* The most places of a step that are taken one by one, and bytes of a literal for that. */
#define SEARCH_TAKEN 6
#define SEARCH_TAKEN_BYTES 32

static_assert(TOGETHER_LOADS == 4, "the places of a lane are 64 bits");

/* What a warp is told of its 32 rows, and finds. */
struct SearchRows
{
	const char *origin; /* aligned to 16; positions are bytes from here */
	uint32_t stop;		/* of the last row; the same in all lanes */

	/* of the lane's row */
	uint32_t start;
	uint32_t end;
	uint32_t limit; /* before this the literal may start; 0 when there is no more to do */
	bool found;
	uint32_t place;

	/*
	 * A byte above 127 was among what was read, or what is before a place was not read; the
	 * same in all lanes.
	 */
	bool others;
};

/* 4 bytes at p, of which 'n' are wanted; of words that hold none of these nothing is read. */
static __device__ __forceinline__ uint32_t bytes_at(const char *p, uint32_t n)
{
	const uint32_t skip = (uint32_t)((uintptr_t)p & 3);
	const uint32_t *from = (const uint32_t *)(p - skip);
	const uint32_t word = from[0];

	return __funnelshift_r(word, skip + n > 4 ? from[1] : 0, 8 * skip);
}

/* Do the n bytes of 'what', but for the first LOOK ones, stand at s? */
template <int LOOK>
static __device__ __forceinline__ bool rest_stands_at(const char *s, const char *what, int32_t n)
{
	for (int32_t i = LOOK; i < n; i += 4)
	{
		const uint32_t m = (uint32_t)min(n - i, 4);

		if ((bytes_at(s + i, m) ^ bytes_at(what + i, m)) << (32 - 8 * m) != 0)
			return false;
	}
	return true;
}

/*
 * Each lane looks through its row's bits of a step, the first of which is that of
 * 'at'.  Where comparing takes too long, the row is finished here; as its place may be far
 * behind the step, in bytes that nobody else looks at, *any becomes other than ASCII.
 */
template <int LOOK>
static __device__ __forceinline__ void look_through(const uint32_t *bits, uint32_t at,
													const char *what, int32_t n, int64_t *compared,
													uint32_t *any, SearchRows *rows)
{
	const uint32_t from = max(rows->start, at) - at;
	const uint32_t to = min(max(rows->limit, at) - at, (uint32_t)TOGETHER_STEP);

	for (uint32_t w = from / 32; w * 32 < to && !rows->found && rows->limit != 0; w++)
	{
		uint32_t left = bits[w];

		if (w == from / 32)
			left &= 0xFFFFFFFF << from % 32;
		if (to - w * 32 < 32)
			left &= (1u << (to - w * 32)) - 1;
		for (; left != 0; left &= left - 1)
		{
			const uint32_t place = at + w * 32 + (uint32_t)__ffs((int)left) - 1;

			if (n <= LOOK || rest_stands_at<LOOK>(rows->origin + place, what, n))
			{
				rows->found = true;
				rows->place = place;
				break;
			}
			if (rowfn_find_is_slow(compared, n, (int32_t)(place - rows->start)))
			{
				const int32_t len = (int32_t)(rows->end - rows->start);
				const int32_t after = rowfn_find_two_way(
					rows->origin + rows->start, (int32_t)(place - rows->start) + 1, len, what, n);

				rows->found = after >= 0;
				rows->place = rows->start + (uint32_t)after;
				rows->limit = 0;
				*any = 0x80;
				break;
			}
		}
	}
}

/*
 * The few places of a step, one or none a lane: 'lanes' are those that have one.
 *
 * mine		of this lane: the place, if it has one
 * byte		of this lane: byte LOOK + lane of the literal, if there is one
 */
template <int LOOK>
static __device__ __forceinline__ void take_places(uint32_t lanes, uint32_t mine, uint32_t byte,
												   int32_t n, SearchRows *rows)
{
	const uint32_t lane = threadIdx.x % 32;

	for (; lanes != 0; lanes &= lanes - 1)
	{
		const uint32_t place = __shfl_sync(0xFFFFFFFF, mine, __ffs((int)lanes) - 1);

		/* the last row that starts there or before; empty ones come before it */
		const uint32_t before = __ballot_sync(0xFFFFFFFF, rows->start <= place);
		const bool is_mine =
			(before >> lane) == 1 && place < rows->limit && (!rows->found || place < rows->place);

		if (__ballot_sync(0xFFFFFFFF, is_mine) == 0)
			continue;
		if (n > LOOK)
		{
			bool differs = false;

			if ((int32_t)lane < n - LOOK)
				differs = (unsigned char)rows->origin[place + LOOK + lane] != byte;
			if (__ballot_sync(0xFFFFFFFF, differs) != 0)
				continue;
		}
		if (is_mine)
		{
			rows->found = true;
			rows->place = place;
		}
	}
}

/* Search a warp's rows.  bits: [TOGETHER_STEP / 32], of the warp alone. */
template <int LOOK, bool UTF8>
static __device__ __forceinline__ void search_rows(uint32_t *bits, const SearchFor &sought,
												   uint32_t byte, SearchRows *rows)
{
	const uint32_t lane = threadIdx.x % 32;
	const int32_t n = sought.bytes;
	int64_t compared = 0;
	uint32_t any = 0; /* bits of all bytes */

	uint32_t at = 0;

	do
	{
		uint4 piece[TOGETHER_LOADS];
		uint32_t hits[TOGETHER_LOADS];
		uint32_t after_all = 0; /* the word after the last lane's last piece */
		uint32_t lanes;

#pragma unroll
		for (int q = 0; q < TOGETHER_LOADS; q++)
		{
			const uint32_t off = at + q * 512 + lane * 16;

			piece[q] = make_uint4(0, 0, 0, 0);
			if (off < rows->stop)
				piece[q] = *(const uint4 *)(rows->origin + off);
		}
		if (lane == 31 && at + TOGETHER_STEP < rows->stop)
			after_all = *(const uint32_t *)(rows->origin + at + TOGETHER_STEP);
#pragma unroll
		for (int q = 0; q < TOGETHER_LOADS; q++)
		{
			uint32_t next = 0;

			if (LOOK > 1)
			{
				uint32_t after = after_all;

				next = __shfl_down_sync(0xFFFFFFFF, piece[q].x, 1);
				if (q + 1 < TOGETHER_LOADS)
					after = __shfl_sync(0xFFFFFFFF, piece[q + 1 < TOGETHER_LOADS ? q + 1 : q].x, 0);
				if (lane == 31)
					next = after;
			}
			hits[q] = search_look16<LOOK>(sought, piece[q], next);
			if (UTF8)
				any |= piece[q].x | piece[q].y | piece[q].z | piece[q].w;
		}
		lanes = __ballot_sync(0xFFFFFFFF, (hits[0] | hits[1] | hits[2] | hits[3]) != 0);
		if (lanes != 0)
		{
			const uint32_t low = hits[0] | hits[1] << 16;
			const uint32_t high = hits[2] | hits[3] << 16;
			const bool is_one = __popc(low) + __popc(high) <= 1;

			if (n <= SEARCH_TAKEN_BYTES && __popc(lanes) <= SEARCH_TAKEN &&
				__ballot_sync(0xFFFFFFFF, !is_one) == 0)
			{
				/* bit 16 * q + i is byte i of piece q */
				const uint32_t bit =
					low != 0 ? (uint32_t)__ffs((int)low) - 1 : (uint32_t)__ffs((int)high) + 31;

				take_places<LOOK>(lanes, at + bit / 16 * 512 + lane * 16 + bit % 16, byte, n, rows);
			}
			else
			{
#pragma unroll
				for (int q = 0; q < TOGETHER_LOADS; q++)
					((uint16_t *)bits)[q * 32 + lane] = (uint16_t)hits[q];
				__syncwarp();
				look_through<LOOK>(bits, at, sought.what, n, &compared, &any, rows);
				__syncwarp();
			}
		}
		at += TOGETHER_STEP;
		if (at < rows->stop)
		{
			/* the row that 'at' is in: if it is done, on to its end */
			const int of = __popc(__ballot_sync(0xFFFFFFFF, rows->start <= at)) - 1;
			const uint32_t done = __shfl_sync(
				0xFFFFFFFF, rows->found || rows->limit == 0 ? rows->end : 0, max(of, 0));

			if (done > at)
				at = done & ~15u;
		}
	} while (at < rows->stop);
	if (UTF8)
		rows->others = __ballot_sync(0xFFFFFFFF, (any & 0x80808080) != 0) != 0;
}

/* Characters before the place of each lane's row that has one. */
static __device__ __forceinline__ uint32_t characters_before(const SearchRows &rows)
{
	const uint32_t lane = threadIdx.x % 32;
	const char *s = rows.origin + rows.start;
	const int32_t bytes = rows.found ? (int32_t)(rows.place - rows.start) : 0;
	const bool is_long = bytes >= TOGETHER_BYTES;
	uint32_t before = 0;

	if (!is_long)
		before = (uint32_t)rowfn_char_count(s, bytes, GPUSTR_ENC_UTF8);
	__syncwarp();
	for (uint32_t left = __ballot_sync(0xFFFFFFFF, is_long); left != 0; left &= left - 1)
	{
		const int of = __ffs((int)left) - 1;
		const int32_t n =
			count_together(warp_pointer(s, of), __shfl_sync(0xFFFFFFFF, bytes, of), lane);

		if (lane == (uint32_t)of)
			before = (uint32_t)n;
		__syncwarp();
	}
	return before;
}

/*
 * search_column - where a literal stands first in each row, or whether it does.
 *
 * text		[nrows] text register, an Arrow column
 * sought	at least LOOK bytes, that many if that is less than SEARCH_LOOK_BYTES
 * value	[nrows] as rowfn_position() has it; NULL: not wanted
 * planes	[(nrows + 31) / 32] words each: the state of the values; without these
 *			lo and hi of truths
 *
 * One thread a row, 256 a block; a warp writes one word of each plane by ballot.
 * e.g. "b" in texts {"ab", NULL, "x"}: value {2, 0, 0}, valid 101, recheck 000; or
 *		lo 001, hi 010
 */
template <int LOOK, bool UTF8>
static __global__ void __launch_bounds__(ROW_THREADS, SEARCH_BLOCKS)
	search_column(const TextRegister text, const SearchFor sought, int32_t nrows, int64_t *value,
				  StatePlanes planes)
{
	__shared__ uint32_t bits[SEARCH_WARPS][TOGETHER_STEP / 32];
	const int32_t r = my_row();
	const uint32_t lane = threadIdx.x % 32;
	SearchRows rows = {};
	uint32_t byte = 0;
	int32_t first;
	uint32_t head;
	uint32_t truth;
	bool is_cut = false;

	if (!warp_has_rows(r, nrows))
		return;
	if ((int32_t)lane < sought.bytes - LOOK)
		byte = (unsigned char)sought.what[LOOK + lane];
	rows.end = (uint32_t)text.end[min(r, nrows - 1)];
	rows.start = r < nrows ? (uint32_t)text.start[r] : rows.end;
	first = __shfl_sync(0xFFFFFFFF, (int32_t)rows.start, 0);
	head = (uint32_t)((uintptr_t)(text.base + first) & 15);
	rows.origin = text.base + first - head;
	rows.start += head - (uint32_t)first;
	rows.end += head - (uint32_t)first;
	rows.stop = __shfl_sync(0xFFFFFFFF, rows.end, 31);
	truth = row_truth(text_state(text, r / 32), r);
	if (truth == GPUSTR_FALSE && rows.end - rows.start >= (uint32_t)sought.bytes)
		rows.limit = rows.end - (uint32_t)sought.bytes + 1;
	search_rows<LOOK, UTF8>(bits[threadIdx.x / 32], sought, byte, &rows);
	if (value != NULL)
	{
		int64_t answer = rows.found ? (int64_t)(rows.place - rows.start) + 1 : 0;

		if (UTF8 && rows.others)
		{
			const uint32_t before = characters_before(rows);

			if (rows.found)
			{
				answer = (int64_t)before + 1;
				is_cut = rowfn_text_cut(rows.origin + rows.start,
										(int32_t)(rows.place - rows.start), GPUSTR_ENC_UTF8);
			}
			__syncwarp();
		}
		if (r < nrows)
			value[r] = answer;
		write_state(planes, r, is_cut ? (uint32_t)GPUSTR_RECHECK : truth);
	}
	else
	{
		const BoolRegister out = {planes.valid, planes.recheck};

		write_truth(out, r,
					r >= nrows	 ? (uint32_t)GPUSTR_FALSE
					: rows.found ? (uint32_t)GPUSTR_TRUE
								 : truth);
	}
}

template <int LOOK>
static void launch(const TextRegister &text, const SearchFor &sought, int32_t encoding,
				   int32_t nrows, int64_t *value, StatePlanes planes, cudaStream_t stream)
{
	const unsigned blocks = launch_blocks(nrows, ROW_THREADS);

	/* what a character is makes no difference to whether it is there */
	if (encoding == GPUSTR_ENC_UTF8 && value != NULL)
		search_column<LOOK, true>
			<<<blocks, ROW_THREADS, 0, stream>>>(text, sought, nrows, value, planes);
	else
		search_column<LOOK, false>
			<<<blocks, ROW_THREADS, 0, stream>>>(text, sought, nrows, value, planes);
}

bool search_is_for(const TextRegister &text, const TextRegister &what)
{
	return text.packed && what.start == NULL && what.host != NULL && what.bytes > 0 &&
		   what.valid == NULL && what.recheck == NULL;
}

cudaError_t launch_search(const TextRegister &text, const TextRegister &what, int32_t encoding,
						  int32_t nrows, int64_t *value, StatePlanes planes, cudaStream_t stream)
{
	SearchFor sought = {what.base, what.bytes, {0}};

	for (int i = 0; i < SEARCH_LOOK_BYTES && i < what.bytes; i++)
		sought.first[i] = (unsigned char)what.host[i] * 0x01010101u;
	if (what.bytes >= SEARCH_LOOK_BYTES)
		launch<4>(text, sought, encoding, nrows, value, planes, stream);
	else if (what.bytes == 3)
		launch<3>(text, sought, encoding, nrows, value, planes, stream);
	else if (what.bytes == 2)
		launch<2>(text, sought, encoding, nrows, value, planes, stream);
	else
		launch<1>(text, sought, encoding, nrows, value, planes, stream);
	return cudaPeekAtLastError();
}
