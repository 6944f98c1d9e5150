/*-------------------------------------------------------------------------
 *
 * utf8.h
 *	  Characters of a string in the database's encoding.
 *
 * Strings are valid in their encoding, as PostgreSQL guarantees for what it
 * stores.  If one is not, answers may be odd but nothing past its end is read.
 *
 * Row functions are the intersection of C and CUDA C++: gcc compiles them for
 * the host engine, nvcc for the CUDA engine.
 *
 * IDENTIFICATION
 *	  src/rowfn/utf8.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_UTF8_H
#define GPUSTR_ROWFN_UTF8_H

#include "program/program.h"
#include "rowfn/device_words.h"

/* Does this byte continue a UTF-8 character? */
GPUSTR_FN int
rowfn_utf8_is_continuation(char c)
{
	return ((unsigned char) c & 0xC0) == 0x80;
}

/*
 * Bytes of the character at s, which has 'len' >= 1 bytes left: a lead byte
 * and the continuation bytes after it, as many as its lead byte asks for.
 */
GPUSTR_FN int32_t
rowfn_char_bytes(const char *s, int32_t len, int32_t encoding)
{
	unsigned char c = (unsigned char) s[0];
	int32_t		n;

	if (encoding != GPUSTR_ENC_UTF8 || c < 0xC0)
		return 1;
	n = c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
	return n <= len ? n : len;
}

/* Bytes of a UTF-8 string that do not continue a character. */
GPUSTR_FN int32_t
rowfn_utf8_count(const char *s, int32_t len)
{
#ifdef __CUDA_ARCH__
	return rowfn_count_by_pieces(s, len);
#else
	int32_t		n = 0;
	int32_t		i = 0;

#if defined(__GNUC__) && !defined(__CUDACC__)
	/* 8 bytes at a time: bit 0 of each says whether it continues a character */
	for (; len - i >= 8; i += 8)
	{
		uint64_t	w;

		__builtin_memcpy(&w, s + i, 8);
		w = (w >> 7) & (~w >> 6) & UINT64_C(0x0101010101010101);
		n += 8 - (int32_t) ((w * UINT64_C(0x0101010101010101)) >> 56);
	}
#endif
	for (; i < len; i++)
		n += !rowfn_utf8_is_continuation(s[i]);
	return n;
#endif
}

/* Characters of a string. */
GPUSTR_FN int32_t
rowfn_char_count(const char *s, int32_t len, int32_t encoding)
{
	return encoding == GPUSTR_ENC_UTF8 ? rowfn_utf8_count(s, len) : len;
}

#endif							/* GPUSTR_ROWFN_UTF8_H */
