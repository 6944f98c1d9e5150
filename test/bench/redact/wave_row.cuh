/*-------------------------------------------------------------------------
 *
 * wave_row.cuh
 *	  Redact a thread's rows side by side: the rows of the wave kernel.
 *
 * rowfn/redact.h by words of 4 bytes, for all of a thread's rows at once and
 * nearly without branches, so that the loads of one row are on their way while
 * another is worked on.  Two things are rare, a first name that is long and more
 * than one space behind it; each has a loop, behind a branch for all rows.
 *
 * A name is loaded from one byte *before* it, and that byte becomes the space
 * that stands before the first name in the answer:
 *
 *		"?Jane Doe..."	->	" Jane"		the first 12 bytes, cut at the space
 *							"D Jane"	moved up by the initial's 1 to 4 bytes
 *		"?Jane"			->	"\0Jane"	no last name: starts a byte earlier
 *
 * What is not public is an empty first name with the initial "X X"; its loads all
 * go to one word, which is one bank less for those that matter.
 *
 * Neighbouring threads have neighbouring rows, so 32 loads spread over the banks
 * evenly: 2.2 turns for a word of the public names of a warp, where 4 rows side by
 * side in a thread take 3.5.
 *
 * Up to 4 bytes before a string and 15 past its end are read, and ignored.
 *
 * IDENTIFICATION
 *	  test/bench/redact/wave_row.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_BENCH_WAVE_ROW_CUH
#define GPUSTR_BENCH_WAVE_ROW_CUH

#include "async_copy.cuh"
#include "rowfn/redact.h"
#include "wave_asm.cuh"

/* Words of an answer that wait in registers: a character, a space, 11 bytes. */
#define WAVE_ROW_WORDS 4

/* Bytes of a first name, and of the space before it, that are looked at at once. */
#define WAVE_FIRST_BYTES 12

/* Masks that cut the first bytes of a name: wave_make_mask(). */
#define WAVE_MASKS 20

/* An answer, or the start of one. */
struct WaveRow
{
	uint32_t word[WAVE_ROW_WORDS]; /* zeros behind it */

	/*
	 * bits 0-15: bytes of the answer; 16-18: of its initial; 31: there is no
	 * last name, and word[] starts with a byte 0 that is not the answer's
	 */
	uint32_t info;
};

/* Strings of a thread's rows: addresses in shared memory. */
template <int R>
struct WaveStrings
{
	uint32_t name[R];
	int32_t name_bytes[R];
	uint32_t visibility[R];
	int32_t visibility_bytes[R];
};

/* 4 bytes from an address on.  Funnel shifts take their amount modulo 32. */
__device__ __forceinline__ uint32_t wave_load4(uint32_t at)
{
	uint32_t word = at & ~3u;

	return __funnelshift_r(shared_load(word), shared_load(word + 4), at * 8);
}

/* Is the string "public"? */
__device__ __forceinline__ bool wave_is_public(uint32_t at, int32_t bytes)
{
	uint32_t word = at & ~3u;
	uint32_t middle = shared_load(word + 4);
	uint32_t low = __funnelshift_r(shared_load(word), middle, at * 8);
	uint32_t high = __funnelshift_r(middle, shared_load(word + 8), at * 8);

	return bytes == 6 && low == 0x6C627570u /* "publ" */ && high << 16 == 0x63690000u /* "ic" */;
}

/*
 * Bytes that are spaces: those up to the first one are 0x80 if a space, or 0;
 * what is behind it may be anything of both.
 */
__device__ __forceinline__ uint32_t wave_spaces(uint32_t word, uint32_t never)
{
	uint32_t x = (word ^ 0x20202020u) | never;

	return (x - 0x01010101u) & ~x & 0x80808080u;
}

/*
 * Which of 12 bytes is the first space?  19 if none.
 *
 * The bits of each byte are weighed so that the first is the highest: byte 0
 * gives bit 18, byte 11 bit 7.
 */
__device__ __forceinline__ int32_t wave_first_space(uint32_t spaces0, uint32_t spaces1,
													uint32_t spaces2)
{
	uint32_t bits = __dp4a(spaces0, 0x10204080u, __dp4a(spaces1, 0x01020408u, 0u));

	return 18 - highest_bit(__dp4a(spaces2, 0x01020408u, bits * 16));
}

/*
 * mask[n]: n bytes of 12 are kept; but byte 0, which is not the name's, is
 * cleared, and .w is what stands there instead, if the name has a last name.
 */
__device__ __forceinline__ void wave_make_mask(uint4 *mask, uint32_t n)
{
	uint32_t bits = 8 * n;

	mask[n].x = n < 4 ? ((1u << bits) - 1) & ~0xFFu : ~0xFFu;
	mask[n].y = n < 4 ? 0 : n < 8 ? (1u << (bits - 32)) - 1 : ~0u;
	mask[n].z = n < 8 ? 0 : n < 12 ? (1u << (bits - 64)) - 1 : ~0u;
	mask[n].w = n == 0 ? 0 : ' ';
}

/* Bytes of the character that *word starts with, less 1.  leads: wave_leads() */
__device__ __forceinline__ int32_t wave_more_bytes(uint32_t word, uint32_t leads)
{
	return (int32_t)(leads >> (word >> 3 & 0x1E) & 3);
}

/* For wave_more_bytes(): 2 bits for each of the 16 values of the high 4 bits of a byte. */
__device__ __forceinline__ uint32_t wave_leads(int32_t encoding)
{
	return encoding == GPUSTR_ENC_UTF8 ? 0xE5000000u : 0;
}

__device__ __forceinline__ uint32_t wave_row_bytes(const WaveRow &row)
{
	return row.info & 0xFFFF;
}

/*
 * The answers for R rows.  Returns whether any is longer than what fits word[].
 *
 * masks	address of WAVE_MASKS masks
 * leads	wave_leads()
 */
template <int R>
__device__ __forceinline__ bool wave_rows(const WaveStrings<R> &in, uint32_t masks, uint32_t leads,
										  WaveRow (&row)[R])
{
	uint32_t first[R][3];
	int32_t keep[R]; /* bytes of first[] that are the space and the first name */
	int32_t left[R]; /* bytes from the last name on; 0 or -1 if there is none */
	uint32_t initial[R];
	bool is_public[R];
	bool is_long = false;
	bool is_odd = false;

#pragma unroll
	for (int i = 0; i < R; i++)
		is_public[i] = wave_is_public(in.visibility[i], in.visibility_bytes[i]);
#pragma unroll
	for (int i = 0; i < R; i++)
	{
		uint32_t at = is_public[i] ? in.name[i] - 1 : masks;
		uint32_t word = at & ~3u;
		uint32_t w1 = shared_load(word + 4);
		uint32_t w2 = shared_load(word + 8);

		first[i][0] = __funnelshift_r(shared_load(word), w1, at * 8);
		first[i][1] = __funnelshift_r(w1, w2, at * 8);
		first[i][2] = __funnelshift_r(w2, shared_load(word + 12), at * 8);
	}
#pragma unroll
	for (int i = 0; i < R; i++)
	{
		int32_t end = wave_first_space(wave_spaces(first[i][0], 0xFF), wave_spaces(first[i][1], 0),
									   wave_spaces(first[i][2], 0));

		keep[i] = is_public[i] ? min(end, in.name_bytes[i] + 1) : 0;
		is_long |= keep[i] > WAVE_FIRST_BYTES;
	}
#pragma unroll
	for (int i = 0; i < R; i++)
	{
		uint4 mask = shared_load16(masks + (uint32_t)keep[i] * sizeof(uint4));

		first[i][0] &= mask.x;
		first[i][1] &= mask.y;
		first[i][2] &= mask.z;
		row[i].word[0] = mask.w;
	}
	if (is_long)
	{
#pragma unroll
		for (int i = 0; i < R; i++)
			if (keep[i] > WAVE_FIRST_BYTES)
			{
				int32_t bytes = in.name_bytes[i];
				int32_t end = WAVE_FIRST_BYTES - 1;
				uint32_t spaces = 0;

				for (; end < bytes; end += 4)
				{
					spaces = wave_spaces(wave_load4(in.name[i] + (uint32_t)end), 0);
					if (spaces != 0)
						break;
				}
				end += spaces != 0 ? (__ffs((int)spaces) - 1) / 8 : 0;
				keep[i] = min(end, bytes) + 1;
			}
	}
#pragma unroll
	for (int i = 0; i < R; i++)
	{
		initial[i] = wave_load4(is_public[i] ? in.name[i] + (uint32_t)keep[i] : masks);
		left[i] = is_public[i] ? in.name_bytes[i] - keep[i] : 0;
		initial[i] = is_public[i] ? initial[i] : 0x00582058u; /* "X X" */
		is_odd |= (initial[i] & 0xFF) == ' ' && left[i] > 0;
	}
	if (is_odd)
	{
#pragma unroll
		for (int i = 0; i < R; i++)
			while ((initial[i] & 0xFF) == ' ' && left[i] > 0)
			{
				left[i]--;
				initial[i] = wave_load4(in.name[i] + (uint32_t)(in.name_bytes[i] - left[i]));
			}
	}
#pragma unroll
	for (int i = 0; i < R; i++)
	{
		int32_t bytes = wave_more_bytes(initial[i], leads);
		uint32_t shift;

		/* no more bytes than the name has, at least 0 */
		bytes = __viaddmin_s32_relu(bytes, 1, left[i]);
		bytes = is_public[i] ? bytes : ROWFN_REDACTED_BYTES;
		first[i][0] |= bytes > 0 ? row[i].word[0] : 0;
		shift = (uint32_t)bytes * 8;
		row[i].word[0] = __funnelshift_lc(__funnelshift_l(0, initial[i], (uint32_t)bytes * -8u),
										  first[i][0], shift);
		row[i].word[1] = __funnelshift_lc(first[i][0], first[i][1], shift);
		row[i].word[2] = __funnelshift_lc(first[i][1], first[i][2], shift);
		row[i].word[3] = __funnelshift_lc(first[i][2], 0, shift);
		row[i].info = (uint32_t)bytes * 0x10001u + (uint32_t)keep[i];
		if (bytes == 0)
			row[i].info += 0x7FFFFFFF; /* one byte less, and bit 31 */
	}
	return is_long;
}

/*
 * Write the bytes that are ready, of R answers, each to an address; the words
 * there were clear.  Half of the answers are "X X", and need no more than two words.
 *
 * e.g. at % 4 = 3, answer "D JaneX": words ...D, " Jan", "eX.."
 */
template <int R>
__device__ __forceinline__ void wave_rows_write(const WaveRow (&row)[R], const uint32_t (&at)[R])
{
	uint32_t last[R];
	uint32_t any = 0;

#pragma unroll
	for (int i = 0; i < R; i++)
	{
		uint32_t from = at[i] + (uint32_t)((int32_t)row[i].info >> 31);
		uint32_t to = from & ~3u;
		uint32_t shift = from * 8; /* modulo 32 */
		uint32_t high;
		uint32_t top;

		shared_or(to, __funnelshift_l(0, row[i].word[0], shift));
		shared_or(to + 4, __funnelshift_l(row[i].word[0], row[i].word[1], shift));
		high = __funnelshift_l(row[i].word[1], row[i].word[2], shift);
		top = __funnelshift_l(row[i].word[2], row[i].word[3], shift);
		if ((high | top) != 0)
		{
			shared_or(to + 8, high);
			shared_or(to + 12, top);
		}
		last[i] = __funnelshift_l(row[i].word[3], 0, shift);
		any |= last[i];
	}
	if (any != 0)
	{
#pragma unroll
		for (int i = 0; i < R; i++)
			if (last[i] != 0)
				shared_or(((at[i] + (uint32_t)((int32_t)row[i].info >> 31)) & ~3u) + 16, last[i]);
	}
}

/* Write the bytes that did not fit word[], from the name, wherever it is. */
__device__ __forceinline__ void wave_row_write_rest(const WaveRow &row, const char *name,
													uint32_t at)
{
	uint32_t bytes = wave_row_bytes(row);
	uint32_t before = row.info >> 31 ? 0 : (row.info >> 16 & 7) + 1; /* bytes before the name */

#pragma unroll 1
	for (uint32_t j = before + WAVE_FIRST_BYTES - 1; j < bytes; j++)
		shared_or((at + j) & ~3u, (uint32_t)(unsigned char)name[j - before] << 8 * ((at + j) % 4));
}

#endif /* GPUSTR_BENCH_WAVE_ROW_CUH */
