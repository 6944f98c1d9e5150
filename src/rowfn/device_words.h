/*-------------------------------------------------------------------------
 *
 * device_words.h
 *	  Looks at many bytes of a text at once, on a device.
 *
 * On a device a load of a byte costs as much as one of 16; so what walks over
 * a text there takes it in pieces of 16 bytes, aligned, as far as they hold
 * bytes of it (cuda/text_register.cuh says that they can be read).  The
 * answers are those of the functions that call these.
 *
 * IDENTIFICATION
 *	  src/rowfn/device_words.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_DEVICE_WORDS_H
#define GPUSTR_ROWFN_DEVICE_WORDS_H

#include <stdint.h>

#ifdef __CUDACC__
#include <cuda_runtime.h>

/* The most bytes of what is sought that a first look compares. */
#define ROWFN_LOOK_BYTES 4

/* What is sought, as a first look compares it: bytes 0 to 3, four times each. */
typedef struct RowfnLook
{
	uint32_t	byte[ROWFN_LOOK_BYTES];
	uint32_t	mask[ROWFN_LOOK_BYTES]; /* 0: it has no such byte */
}			RowfnLook;

static __device__ __forceinline__ RowfnLook
rowfn_look_for(const char *what, int32_t n)
{
	RowfnLook	look;

#pragma unroll
	for (int i = 0; i < ROWFN_LOOK_BYTES; i++)
	{
		look.mask[i] = i < n ? 0xFFFFFFFF : 0;
		look.byte[i] = i < n ? (unsigned char) what[i] * 0x01010101u : 0;
	}
	return look;
}

/* Bits 7, 15, 23 and 31 of x to bits 0 to 3: no two products meet. */
static __device__ __forceinline__ uint32_t
rowfn_top_bits(uint32_t x)
{
	return ((x >> 7 & 0x01010101) * 0x10204080) >> 28;
}

/*
 * At which of 4 bytes it may start, as their top bits: where it does, and now
 * and then at others.  next: the 4 bytes that follow
 */
static __device__ __forceinline__ uint32_t
rowfn_look4(const RowfnLook * look, uint32_t word, uint32_t next)
{
	uint32_t	differ = word ^ look->byte[0];

#pragma unroll
	for (int i = 1; i < ROWFN_LOOK_BYTES; i++)
		differ |= (__funnelshift_r(word, next, 8 * i) ^ look->byte[i]) & look->mask[i];
	return (differ - 0x01010101) & ~differ & 0x80808080;
}

/* At which bytes of a piece it may start: 16 bits.  next: the 4 bytes that follow */
static __device__ __forceinline__ uint32_t
rowfn_look16(const RowfnLook * look, uint4 piece, uint32_t next)
{
	uint32_t	x = rowfn_look4(look, piece.x, piece.y);
	uint32_t	y = rowfn_look4(look, piece.y, piece.z);
	uint32_t	z = rowfn_look4(look, piece.z, piece.w);
	uint32_t	w = rowfn_look4(look, piece.w, next);

	if ((x | y | z | w) == 0)
		return 0;
	return rowfn_top_bits(x) | rowfn_top_bits(y) << 4 | rowfn_top_bits(z) << 8 | rowfn_top_bits(w) << 12;
}

/* Bytes [from, to) of a piece, as 16 bits; either may lie outside of it. */
static __device__ __forceinline__ uint32_t
rowfn_piece_bits(int32_t from, int32_t to)
{
	uint32_t	bits = 0xFFFF;

	if (from > 0)
		bits = from < 16 ? bits << from & 0xFFFF : 0;
	if (to < 16)
		bits &= to > 0 ? (1u << to) - 1 : 0;
	return bits;
}

/* Which bytes of a piece continue a UTF-8 character: 16 bits. */
static __device__ __forceinline__ uint32_t
rowfn_continuation16(uint4 piece)
{
	return rowfn_top_bits(piece.x & ~(piece.x << 1)) | rowfn_top_bits(piece.y & ~(piece.y << 1)) << 4 |
		rowfn_top_bits(piece.z & ~(piece.z << 1)) << 8 | rowfn_top_bits(piece.w & ~(piece.w << 1)) << 12;
}

/* Bytes of [0, len) of s that do not continue a UTF-8 character. */
static __device__ __forceinline__ int32_t
rowfn_count_by_pieces(const char *s, int32_t len)
{
	int32_t		at = -(int32_t) ((uintptr_t) s & 15);
	int32_t		n = 0;

	for (; at < len; at += 16)
	{
		uint4		piece = *(const uint4 *) (s + at);
		uint32_t	bits = rowfn_piece_bits(-at, len - at);

		if (((piece.x | piece.y | piece.z | piece.w) & 0x80808080) != 0)
			n += __popc(bits & ~rowfn_continuation16(piece));
		else
			n += __popc(bits);
	}
	return n;
}

/* Of the n bytes at s: how many of the first are below 128, or less than that. */
static __device__ __forceinline__ int32_t
rowfn_ascii_by_pieces(const char *s, int32_t n)
{
	int32_t		at = -(int32_t) ((uintptr_t) s & 15);

	for (; at < n; at += 16)
	{
		uint4		piece = *(const uint4 *) (s + at);

		if (((piece.x | piece.y | piece.z | piece.w) & 0x80808080) != 0)
			break;
	}
	return at < 0 ? 0 : at < n ? at : n;
}

/* Copy n bytes; the two do not overlap.  'to' may be in shared memory. */
static __device__ __forceinline__ void
rowfn_copy_by_words(char *to, const char *from, int64_t n)
{
	for (; n > 0 && ((uintptr_t) to & 3) != 0; n--)
		*to++ = *from++;
	if (n >= 4)
	{
		uint32_t	head = (uint32_t) ((uintptr_t) from & 3);
		const uint32_t *words = (const uint32_t *) (from - head);
		uint32_t	word = *words++;

		for (; n >= 4; n -= 4)
		{
			/* the last word is not read past what is to be copied */
			uint32_t	next = head > 0 || n >= 8 ? *words++ : 0;

			*(uint32_t *) to = __funnelshift_r(word, next, 8 * head);
			word = next;
			to += 4;
			from += 4;
		}
	}
	for (; n > 0; n--)
		*to++ = *from++;
}

#endif							/* __CUDACC__ */

#endif							/* GPUSTR_ROWFN_DEVICE_WORDS_H */
