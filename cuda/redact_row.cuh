/*-------------------------------------------------------------------------
 *
 * redact_row.cuh
 *	  Redact one row that stands in shared memory, 4 bytes at a time.
 *
 * rowfn/redact.h by words: it finds the parts of the name, which is what takes
 * a loop over bytes there, and leaves the sizes to it.  An answer of up to
 * REDACT_ROW_WORDS words waits in registers, with zeros behind it, until it is
 * put beside its neighbours; what is longer is completed from the name.
 *
 * Answers that lie side by side share words.  They are put together by OR, an
 * atomic one in shared memory, in words that were cleared before: three to
 * five a row, where a store for each byte takes twelve or more.
 *
 * Up to 15 bytes past the end of a string are read, and ignored: shared memory
 * behind the last string must be there.
 *
 * IDENTIFICATION
 *	  cuda/redact_row.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_REDACT_ROW_CUH
#define GPUSTR_REDACT_ROW_CUH

#include "async_copy.cuh"
#include "rowfn/redact.h"

#define REDACT_ROW_WORDS 4

/* Bytes behind an answer that redact_row_write() may touch, and leave. */
#define REDACT_WRITE_PAD 16

/* Bytes of a name that are looked at at once. */
#define REDACT_FIRST_BYTES 12

/* An answer, or the start of one. */
struct RedactRow
{
	uint32_t word[REDACT_ROW_WORDS];

	/*
	 * bits 0-15: bytes of the answer; 16-19: bytes before the first name;
	 * 20-24: bytes of it that are in word[], where zeros follow
	 */
	uint32_t info;
};

/* value[i], value[i] = v, without an index that would send the array to memory */
template <int N>
__device__ __forceinline__ uint32_t redact_get(const uint32_t (&value)[N], int i)
{
	uint32_t v = value[0];

#pragma unroll
	for (int j = 1; j < N; j++)
		if (j == i)
			v = value[j];
	return v;
}

template <int N>
__device__ __forceinline__ void redact_set(uint32_t (&value)[N], int i, uint32_t v)
{
#pragma unroll
	for (int j = 0; j < N; j++)
		if (j == i)
			value[j] = v;
}

/*
 * 4 bytes from byte 'at' on.  The funnel shifts here take their amount modulo
 * 32, so at * 8 is at % 4 * 8.
 */
__device__ __forceinline__ uint32_t redact_load4(const uint32_t *words, uint32_t at)
{
	const uint32_t *w = words + at / 4;

	return __funnelshift_r(w[0], w[1], at * 8);
}

/* 6 bytes from byte 'at' on, and 2 of anything. */
__device__ __forceinline__ uint2 redact_load6(const uint32_t *words, uint32_t at)
{
	const uint32_t *w = words + at / 4;
	uint32_t middle = w[1];

	return make_uint2(__funnelshift_r(w[0], middle, at * 8), __funnelshift_r(middle, w[2], at * 8));
}

/* The first REDACT_FIRST_BYTES of a name. */
struct RedactFirst
{
	uint32_t word[3];
};

__device__ __forceinline__ RedactFirst redact_load_first(const uint32_t *words, uint32_t at)
{
	const uint32_t *w = words + at / 4;
	uint32_t w1 = w[1];
	uint32_t w2 = w[2];
	RedactFirst first;

	first.word[0] = __funnelshift_r(w[0], w1, at * 8);
	first.word[1] = __funnelshift_r(w1, w2, at * 8);
	first.word[2] = __funnelshift_r(w2, w[3], at * 8);
	return first;
}

/* Keep the first 'bytes' bytes of it, and zeros. */
__device__ __forceinline__ RedactFirst redact_cut(RedactFirst first, int32_t bytes)
{
	int32_t bits = 8 * bytes;

	/* a shift by 32 or more leaves nothing */
	first.word[0] &= ~__funnelshift_lc(0, 0xFFFFFFFF, (uint32_t)bits);
	first.word[1] &= ~__funnelshift_lc(0, 0xFFFFFFFF, (uint32_t)max(bits - 32, 0));
	first.word[2] &= ~__funnelshift_lc(0, 0xFFFFFFFF, (uint32_t)max(bits - 64, 0));
	return first;
}

/* The lowest bit that is set is bit 7 of the first byte that is a space; 0: none. */
__device__ __forceinline__ uint32_t redact_spaces(uint32_t word)
{
	uint32_t x = word ^ 0x20202020u;

	return (x - 0x01010101u) & ~x & 0x80808080u;
}

/* Which byte redact_spaces() tells of. */
__device__ __forceinline__ int32_t redact_space_at(uint32_t spaces)
{
	return (int32_t)(((uint32_t)__ffs((int)spaces) - 1) / 8);
}

__device__ __forceinline__ RedactRow redact_row_none()
{
	RedactRow row;

	row.word[0] = 0;
	row.word[1] = 0;
	row.word[2] = 0;
	row.word[3] = 0;
	row.info = 0;
	return row;
}

__device__ __forceinline__ uint32_t redact_row_bytes(const RedactRow &row)
{
	return row.info & 0xFFFF;
}

__device__ __forceinline__ uint32_t redact_row_ready(const RedactRow &row)
{
	return row.info >> 20;
}

__device__ __forceinline__ bool redact_row_is_long(const RedactRow &row)
{
	return redact_row_bytes(row) > redact_row_ready(row);
}

/*
 * Where the parts of a name are: rowfn_redact_split().  *initial: 4 bytes from
 * the last name on, if there is one.
 *
 * The usual name, a short first name and one space, takes no loop.
 */
__device__ __forceinline__ RowfnRedactParts redact_split(const uint32_t *data, uint32_t name,
														 int32_t len, const RedactFirst &first,
														 uint32_t *initial)
{
	RowfnRedactParts parts;
	uint32_t spaces0 = redact_spaces(first.word[0]);
	uint32_t spaces1 = redact_spaces(first.word[1]);
	uint32_t spaces2 = redact_spaces(first.word[2]);
	uint32_t spaces = spaces0 != 0 ? spaces0 : spaces1 != 0 ? spaces1 : spaces2;
	int32_t at = (spaces0 != 0 ? 0 : spaces1 != 0 ? 4 : 8) + redact_space_at(spaces);

	if (spaces == 0)
	{
		for (at = REDACT_FIRST_BYTES; at < len; at += 4)
		{
			spaces = redact_spaces(redact_load4(data, name + (uint32_t)at));
			if (spaces != 0)
			{
				at += redact_space_at(spaces);
				break;
			}
		}
	}
	at = min(at, len);
	parts.first_bytes = at;
	at++;
	*initial = redact_load4(data, name + (uint32_t)at);
	if ((*initial & 0xFF) == ' ')
		while (at < len && (*initial & 0xFF) == ' ')
		{
			at++;
			*initial = redact_load4(data, name + (uint32_t)at);
		}
	parts.last_off = min(at, len);
	return parts;
}

/*
 * The answer for a row.
 *
 * data			shared memory
 * name, len	where the name is in it, in bytes
 * visibility, visibility_len	alike
 */
__device__ __forceinline__ RedactRow redact_row_staged(const uint32_t *data, uint32_t name,
													   int32_t len, uint32_t visibility,
													   int32_t visibility_len, int32_t encoding)
{
	RedactRow row = redact_row_none();
	bool is_public = false;

	if (visibility_len == 6)
	{
		uint2 v = redact_load6(data, visibility);

		is_public = v.x == 0x6C627570u /* "publ" */ && (v.y & 0xFFFF) == 0x6369u /* "ic" */;
	}
	if (!is_public)
	{
		row.word[0] = 0x00582058u; /* "X X" */
		row.info = ROWFN_REDACTED_BYTES | ROWFN_REDACTED_BYTES << 20;
	}
	else
	{
		RedactFirst first = redact_load_first(data, name);
		uint32_t initial;
		RowfnRedactParts parts = redact_split(data, name, len, first, &initial);
		bool has_last = parts.last_off < len;
		char lead = (char)initial;
		int32_t initial_bytes = rowfn_char_bytes(&lead, len - parts.last_off, encoding);
		uint32_t before = has_last ? (uint32_t)initial_bytes + 1 : 0; /* bytes before it */
		uint32_t rest = __funnelshift_lc(0, 0xFFFFFFFF, 8 * (uint32_t)initial_bytes);
		uint32_t low = has_last ? (initial & ~rest) | (rest & (0u - rest)) * ' ' : 0;
		uint32_t high = before == 5 ? ' ' : 0;
		uint32_t bytes = (uint32_t)rowfn_redact_public_bytes(parts, len, initial_bytes);
		uint32_t ready = min(min(before + REDACT_FIRST_BYTES, 4u * REDACT_ROW_WORDS), bytes);
		uint32_t shift = before % 4 * 8;
		uint32_t word0;
		uint32_t word1;
		uint32_t word2;
		uint32_t word3;

		first = redact_cut(first, parts.first_bytes);
		word0 = first.word[0] << shift;
		word1 = __funnelshift_l(first.word[0], first.word[1], shift);
		word2 = __funnelshift_l(first.word[1], first.word[2], shift);
		word3 = __funnelshift_l(first.word[2], 0, shift);
		row.word[0] = before < 4 ? low | word0 : low;
		row.word[1] = before < 4 ? word1 : high | word0;
		row.word[2] = before < 4 ? word2 : word1;
		row.word[3] = before < 4 ? word3 : word2;
		row.info = bytes | before << 16 | ready << 20;
	}
	return row;
}

/*
 * Write the bytes that are ready to byte 'at' of words that were clear.  Words
 * that most rows have are written without asking, zeros if need be, up to
 * REDACT_WRITE_PAD bytes past the answer.
 *
 * e.g. at = 3, answer "D JaneX": words ...D, " Jan", "eX.."
 */
__device__ __forceinline__ void redact_row_write(const RedactRow &row, uint32_t *words, uint32_t at)
{
	uint32_t shift = at * 8; /* modulo 32 */
	uint32_t *to = words + at / 4;

	shared_or(to, __funnelshift_l(0, row.word[0], shift));
	shared_or(to + 1, __funnelshift_l(row.word[0], row.word[1], shift));
	shared_or(to + 2, __funnelshift_l(row.word[1], row.word[2], shift));
	if (at % 4 + redact_row_ready(row) > 12)
	{
		shared_or(to + 3, __funnelshift_l(row.word[2], row.word[3], shift));
		shared_or(to + 4, __funnelshift_l(row.word[3], 0, shift));
	}
}

/* Write the bytes that are not, from the name, wherever it is. */
__device__ __forceinline__ void redact_row_write_rest(const RedactRow &row, const char *name,
													  uint32_t *words, uint32_t at)
{
	uint32_t before = row.info >> 16 & 0xF;
	uint32_t bytes = redact_row_bytes(row);

	for (uint32_t j = redact_row_ready(row); j < bytes; j++)
		atomicOr(words + (at + j) / 4,
				 (uint32_t)(unsigned char)name[j - before] << 8 * ((at + j) % 4));
}

#endif /* GPUSTR_REDACT_ROW_CUH */
