/*-------------------------------------------------------------------------
 *
 * digest.h
 *	  MD5 (RFC 1321) and SHA-256 (FIPS 180-4) of a text.
 *
 * Both take the message in blocks of 64 bytes: its bytes, 0x80, zeros, and its
 * length in bits in the last 8 bytes.  Words are made of the message as they
 * are needed, so that no block is ever copied.
 *
 * IDENTIFICATION
 *	  src/rowfn/digest.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_DIGEST_H
#define GPUSTR_ROWFN_DIGEST_H

#include "rowfn/fold.h"
#include "rowfn/number_text.h"

#define ROWFN_MD5_TEXT_BYTES 32
#define ROWFN_SHA256_BYTES 32

/* Blocks of the padded message. */
GPUSTR_FN int32_t
rowfn_digest_blocks(int32_t len)
{
	return (int32_t) (((int64_t) len + 8) / 64 + 1);
}

GPUSTR_FN uint32_t
rowfn_rotate_left(uint32_t x, int n)
{
	return x << n | x >> (32 - n);
}

/*
 * 4 bytes of the padded message from 'off' on, a multiple of 4, as a word, the
 * first byte last.  The length is not among them.
 */
GPUSTR_FN uint32_t
rowfn_message_word(RowfnText message, int64_t off)
{
	uint32_t	word = 0;
	int			i;

	if (off + 4 <= message.len)
	{
#if defined(__GNUC__) && !defined(__CUDACC__)
		__builtin_memcpy(&word, message.s + off, 4);
		return word;
#endif
		for (i = 0; i < 4; i++)
			word |= (uint32_t) (unsigned char) message.s[off + i] << (8 * i);
		return word;
	}
	for (i = 0; i < 4; i++)
	{
		if (off + i < message.len)
			word |= (uint32_t) (unsigned char) message.s[off + i] << (8 * i);
		else if (off + i == message.len)
			word |= 0x80u << (8 * i);
	}
	return word;
}

GPUSTR_FN uint32_t
rowfn_swap_bytes(uint32_t x)
{
	return x << 24 | (x & 0xFF00) << 8 | ((x >> 8) & 0xFF00) | x >> 24;
}

/* v[at] takes a word in; the one after it, in a circle, is b of RFC 1321. */
#define ROWFN_MD5_STEP(v, at, f, word, sine, rotation) \
	((v)[at] = (v)[((at) + 1) & 3] + \
	 rowfn_rotate_left((v)[at] + (f) + (word) + (sine), (rotation)))

/* word[]: of one block; state[] takes it in. */
GPUSTR_FN void
rowfn_md5_block(const uint32_t word[16], uint32_t state[4])
{
	/* floor(2^32 |sin(i + 1)|) */
	const uint32_t sines[64] = {
		0xD76AA478, 0xE8C7B756, 0x242070DB, 0xC1BDCEEE, 0xF57C0FAF, 0x4787C62A, 0xA8304613, 0xFD469501,
		0x698098D8, 0x8B44F7AF, 0xFFFF5BB1, 0x895CD7BE, 0x6B901122, 0xFD987193, 0xA679438E, 0x49B40821,
		0xF61E2562, 0xC040B340, 0x265E5A51, 0xE9B6C7AA, 0xD62F105D, 0x02441453, 0xD8A1E681, 0xE7D3FBC8,
		0x21E1CDE6, 0xC33707D6, 0xF4D50D87, 0x455A14ED, 0xA9E3E905, 0xFCEFA3F8, 0x676F02D9, 0x8D2A4C8A,
		0xFFFA3942, 0x8771F681, 0x6D9D6122, 0xFDE5380C, 0xA4BEEA44, 0x4BDECFA9, 0xF6BB4B60, 0xBEBFBC70,
		0x289B7EC6, 0xEAA127FA, 0xD4EF3085, 0x04881D05, 0xD9D4D039, 0xE6DB99E5, 0x1FA27CF8, 0xC4AC5665,
		0xF4292244, 0x432AFF97, 0xAB9423A7, 0xFC93A039, 0x655B59C3, 0x8F0CCC92, 0xFFEFF47D, 0x85845DD1,
		0x6FA87E4F, 0xFE2CE6E0, 0xA3014314, 0x4E0811A1, 0xF7537E82, 0xBD3AF235, 0x2AD7D2BB, 0xEB86D391
	};
	uint32_t	v[4];
	int			i;

	for (i = 0; i < 4; i++)
		v[i] = state[i];
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
	for (i = 0; i < 16; i += 4)
	{
		ROWFN_MD5_STEP(v, 0, v[3] ^ (v[1] & (v[2] ^ v[3])), word[i], sines[i], 7);
		ROWFN_MD5_STEP(v, 3, v[2] ^ (v[0] & (v[1] ^ v[2])), word[i + 1], sines[i + 1], 12);
		ROWFN_MD5_STEP(v, 2, v[1] ^ (v[3] & (v[0] ^ v[1])), word[i + 2], sines[i + 2], 17);
		ROWFN_MD5_STEP(v, 1, v[0] ^ (v[2] & (v[3] ^ v[0])), word[i + 3], sines[i + 3], 22);
	}
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
	for (i = 0; i < 16; i += 4)
	{
		ROWFN_MD5_STEP(v, 0, v[2] ^ (v[3] & (v[1] ^ v[2])), word[(5 * i + 1) & 15], sines[i + 16], 5);
		ROWFN_MD5_STEP(v, 3, v[1] ^ (v[2] & (v[0] ^ v[1])), word[(5 * i + 6) & 15], sines[i + 17], 9);
		ROWFN_MD5_STEP(v, 2, v[0] ^ (v[1] & (v[3] ^ v[0])), word[(5 * i + 11) & 15], sines[i + 18], 14);
		ROWFN_MD5_STEP(v, 1, v[3] ^ (v[0] & (v[2] ^ v[3])), word[5 * i & 15], sines[i + 19], 20);
	}
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
	for (i = 0; i < 16; i += 4)
	{
		ROWFN_MD5_STEP(v, 0, v[1] ^ v[2] ^ v[3], word[(3 * i + 5) & 15], sines[i + 32], 4);
		ROWFN_MD5_STEP(v, 3, v[0] ^ v[1] ^ v[2], word[(3 * i + 8) & 15], sines[i + 33], 11);
		ROWFN_MD5_STEP(v, 2, v[3] ^ v[0] ^ v[1], word[(3 * i + 11) & 15], sines[i + 34], 16);
		ROWFN_MD5_STEP(v, 1, v[2] ^ v[3] ^ v[0], word[(3 * i + 14) & 15], sines[i + 35], 23);
	}
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
	for (i = 0; i < 16; i += 4)
	{
		ROWFN_MD5_STEP(v, 0, v[2] ^ (v[1] | ~v[3]), word[7 * i & 15], sines[i + 48], 6);
		ROWFN_MD5_STEP(v, 3, v[1] ^ (v[0] | ~v[2]), word[(7 * i + 7) & 15], sines[i + 49], 10);
		ROWFN_MD5_STEP(v, 2, v[0] ^ (v[3] | ~v[1]), word[(7 * i + 14) & 15], sines[i + 50], 15);
		ROWFN_MD5_STEP(v, 1, v[3] ^ (v[2] | ~v[0]), word[(7 * i + 5) & 15], sines[i + 51], 21);
	}
	for (i = 0; i < 4; i++)
		state[i] += v[i];
}

/* md5() of a text, in hexadecimal. */
GPUSTR_FN void
rowfn_md5_write(RowfnText message, char *to, int64_t bytes)
{
	RowfnOut	out = rowfn_out(to, bytes);
	uint32_t	state[4] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476};
	int32_t		nblocks = rowfn_digest_blocks(message.len);
	int32_t		block;
	int			i;

	for (block = 0; block < nblocks; block++)
	{
		uint32_t	word[16];

		for (i = 0; i < 16; i++)
			word[i] = rowfn_message_word(message, 64 * (int64_t) block + 4 * i);
		if (block == nblocks - 1)
		{
			word[14] = (uint32_t) message.len << 3;
			word[15] = (uint32_t) message.len >> 29;
		}
		rowfn_md5_block(word, state);
	}
	for (i = 0; i < 16; i++)
	{
		uint32_t	byte = (state[i / 4] >> (8 * (i % 4))) & 0xFF;

		rowfn_put_byte(&out, rowfn_hex_digit(byte >> 4));
		rowfn_put_byte(&out, rowfn_hex_digit(byte & 15));
	}
}

GPUSTR_FN uint32_t
rowfn_rotate_right(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

/* Word i of the message schedule, of which word[] holds the last 16. */
ROWFN_INLINE uint32_t
rowfn_sha256_word(uint32_t word[16], int i)
{
	uint32_t	w15 = word[(i + 1) & 15];
	uint32_t	w2 = word[(i + 14) & 15];

	if (i >= 16)
		word[i & 15] += (rowfn_rotate_right(w15, 7) ^ rowfn_rotate_right(w15, 18) ^ w15 >> 3) +
			word[(i + 9) & 15] +
			(rowfn_rotate_right(w2, 17) ^ rowfn_rotate_right(w2, 19) ^ w2 >> 10);
	return word[i & 15];
}

/* One step; add: constant and word.  d and h change, h becomes the next a. */
ROWFN_INLINE void
rowfn_sha256_step(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d,
				  const uint32_t *e, const uint32_t *f, const uint32_t *g, uint32_t *h, uint32_t add)
{
	uint32_t	t = *h + add + (*g ^ (*e & (*f ^ *g))) +
	(rowfn_rotate_right(*e, 6) ^ rowfn_rotate_right(*e, 11) ^ rowfn_rotate_right(*e, 25));

	*d += t;
	*h = t + ((*a & *b) | (*c & (*a | *b))) +
		(rowfn_rotate_right(*a, 2) ^ rowfn_rotate_right(*a, 13) ^ rowfn_rotate_right(*a, 22));
}

/* word[] is used up: it becomes the message schedule, 16 words at a time. */
GPUSTR_FN void
rowfn_sha256_block(uint32_t word[16], uint32_t state[8])
{
	/*
	 * the first 32 bits of the fractions of the cube roots of the first 64
	 * primes
	 */
	const uint32_t roots[64] = {
		0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5,
		0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174,
		0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
		0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967,
		0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
		0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
		0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3,
		0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208, 0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2
	};
	uint32_t	v[8];
	int			i;

	for (i = 0; i < 8; i++)
		v[i] = state[i];
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
	for (i = 0; i < 64; i += 8)
	{
		rowfn_sha256_step(&v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7], roots[i] + rowfn_sha256_word(word, i));
		rowfn_sha256_step(&v[7], &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], roots[i + 1] + rowfn_sha256_word(word, i + 1));
		rowfn_sha256_step(&v[6], &v[7], &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], roots[i + 2] + rowfn_sha256_word(word, i + 2));
		rowfn_sha256_step(&v[5], &v[6], &v[7], &v[0], &v[1], &v[2], &v[3], &v[4], roots[i + 3] + rowfn_sha256_word(word, i + 3));
		rowfn_sha256_step(&v[4], &v[5], &v[6], &v[7], &v[0], &v[1], &v[2], &v[3], roots[i + 4] + rowfn_sha256_word(word, i + 4));
		rowfn_sha256_step(&v[3], &v[4], &v[5], &v[6], &v[7], &v[0], &v[1], &v[2], roots[i + 5] + rowfn_sha256_word(word, i + 5));
		rowfn_sha256_step(&v[2], &v[3], &v[4], &v[5], &v[6], &v[7], &v[0], &v[1], roots[i + 6] + rowfn_sha256_word(word, i + 6));
		rowfn_sha256_step(&v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7], &v[0], roots[i + 7] + rowfn_sha256_word(word, i + 7));
	}
	for (i = 0; i < 8; i++)
		state[i] += v[i];
}

/* sha256() of bytes. */
GPUSTR_FN void
rowfn_sha256_write(RowfnText message, char *to, int64_t bytes)
{
	RowfnOut	out = rowfn_out(to, bytes);
	uint32_t	state[8] = {
		0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19
	};
	int32_t		nblocks = rowfn_digest_blocks(message.len);
	int32_t		block;
	int			i;

	for (block = 0; block < nblocks; block++)
	{
		uint32_t	word[16];

		for (i = 0; i < 16; i++)
			word[i] = rowfn_swap_bytes(rowfn_message_word(message, 64 * (int64_t) block + 4 * i));
		if (block == nblocks - 1)
		{
			word[14] = (uint32_t) message.len >> 29;
			word[15] = (uint32_t) message.len << 3;
		}
		rowfn_sha256_block(word, state);
	}
	for (i = 0; i < ROWFN_SHA256_BYTES; i++)
		rowfn_put_byte(&out, (state[i / 4] >> (24 - 8 * (i % 4))) & 0xFF);
}

#endif							/* GPUSTR_ROWFN_DIGEST_H */
