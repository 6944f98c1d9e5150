/*-------------------------------------------------------------------------
 *
 * redact_row.cuh
 *	  Redact one row that stands in shared memory, 4 bytes at a time.
 *
 * rowfn/redact.h by words: it finds the parts of the name, which is what takes
 * a loop over bytes there, and leaves the sizes to it.  An answer of up to
 * REDACT_ROW_WORDS words waits in registers until its place is known; what is
 * longer is completed from the name.
 *
 * Up to 11 bytes past the end of a string are read, and ignored: shared memory
 * behind the last string must be there.
 *
 * IDENTIFICATION
 *	  cuda/redact_row.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_REDACT_ROW_CUH
#define GPUSTR_REDACT_ROW_CUH

#include "rowfn/redact.h"

#define REDACT_ROW_WORDS 3

/* An answer, or the start of one. */
struct RedactRow
{
	uint32_t word[REDACT_ROW_WORDS];

	/*
	 * bits 0-15: bytes of the answer; 16-19: bytes before the first name;
	 * 20-23: bytes of it that are in word[]
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

/* 4 bytes from byte 'at' on. */
__device__ __forceinline__ uint32_t redact_load4(const uint32_t *words, uint32_t at)
{
	const uint32_t *w = words + at / 4;

	return __funnelshift_r(w[0], w[1], at % 4 * 8);
}

/* 8 bytes from byte 'at' on. */
__device__ __forceinline__ uint2 redact_load8(const uint32_t *words, uint32_t at)
{
	const uint32_t *w = words + at / 4;
	uint32_t middle = w[1];

	return make_uint2(__funnelshift_r(w[0], middle, at % 4 * 8),
					  __funnelshift_r(middle, w[2], at % 4 * 8));
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
 * Where the parts of a name are: rowfn_redact_split().  first8: its first 8
 * bytes; *initial: 4 bytes from the last name on, if there is one.
 */
__device__ __forceinline__ RowfnRedactParts redact_split(const uint32_t *data, uint32_t name,
														 int32_t len, uint2 first8,
														 uint32_t *initial)
{
	RowfnRedactParts parts;
	uint32_t low = redact_spaces(first8.x);
	uint32_t high = redact_spaces(first8.y);
	int32_t at = low != 0 ? redact_space_at(low) : high != 0 ? 4 + redact_space_at(high) : 8;

	if (at == 8)
		while (at < len)
		{
			uint32_t spaces = redact_spaces(redact_load4(data, name + (uint32_t)at));

			if (spaces != 0)
			{
				at += redact_space_at(spaces);
				break;
			}
			at += 4;
		}
	at = min(at, len);
	parts.first_bytes = at;
	*initial = ' ';

	/* a run of spaces is nearly always one */
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
 * data			the stage
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
		uint2 v = redact_load8(data, visibility);

		is_public = v.x == 0x6C627570u /* "publ" */ && (v.y & 0xFFFF) == 0x6369u /* "ic" */;
	}
	if (!is_public)
	{
		row.word[0] = 0x00582058u; /* "X X" */
		row.info = ROWFN_REDACTED_BYTES | ROWFN_REDACTED_BYTES << 20;
	}
	else
	{
		uint2 first8 = redact_load8(data, name);
		uint32_t initial;
		RowfnRedactParts parts = redact_split(data, name, len, first8, &initial);
		int32_t initial_bytes = 0;
		uint32_t before = 0; /* bytes before the first name */
		uint32_t low = 0;	 /* and what they are */
		uint32_t high = 0;
		uint32_t bytes;
		uint32_t ready;

		if (parts.last_off < len)
		{
			char lead = (char)initial;

			initial_bytes = rowfn_char_bytes(&lead, len - parts.last_off, encoding);
			before = (uint32_t)initial_bytes + 1;
			if (initial_bytes == 4)
			{
				low = initial;
				high = ' ';
			}
			else
				low = (initial & ((1u << 8 * initial_bytes) - 1)) | (uint32_t)' '
																		<< 8 * initial_bytes;
		}
		{
			uint32_t shift = before % 4 * 8;
			uint32_t w0 = first8.x << shift;
			uint32_t w1 = __funnelshift_l(first8.x, first8.y, shift);
			uint32_t w2 = __funnelshift_l(first8.y, 0, shift);

			if (before < 4)
			{
				row.word[0] = low | w0;
				row.word[1] = w1;
				row.word[2] = w2;
				ready = before + 8;
			}
			else
			{
				row.word[0] = low;
				row.word[1] = high | w0;
				row.word[2] = w1;
				ready = 12;
			}
		}
		bytes = (uint32_t)rowfn_redact_public_bytes(parts, len, initial_bytes);
		row.info = bytes | before << 16 | min(ready, bytes) << 20;
	}
	return row;
}

/* Write the bytes that are ready, to shared memory. */
__device__ __forceinline__ void redact_row_write(const RedactRow &row, char *to)
{
	uint32_t ready = redact_row_ready(row);

#pragma unroll
	for (uint32_t j = 0; j < 4 * REDACT_ROW_WORDS; j++)
		if (j < ready)
			to[j] = (char)(row.word[j / 4] >> 8 * (j % 4));
}

/* Write the bytes that are not, from the name. */
__device__ __forceinline__ void redact_row_write_rest(const RedactRow &row, const char *name,
													  char *to)
{
	uint32_t before = row.info >> 16 & 0xF;
	uint32_t bytes = redact_row_bytes(row);

	for (uint32_t j = redact_row_ready(row); j < bytes; j++)
		to[j] = name[j - before];
}

#endif /* GPUSTR_REDACT_ROW_CUH */
