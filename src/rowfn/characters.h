/*-------------------------------------------------------------------------
 *
 * characters.h
 *	  Walk over the characters of a text, forward and backward, and copy them.
 *
 * As PostgreSQL does (pg_mblen() and its kin), a character is as long as its
 * first byte says, whatever follows; a byte that starts no character is one by
 * itself.  A character that is cut off by the end of the text makes PostgreSQL
 * raise an error: such rows are recheck.  Walking backward gives the same
 * characters where the text is valid; where it sees that it is not, the row is
 * recheck.
 *
 * Nothing outside of the text is read, whatever its bytes are.
 *
 * IDENTIFICATION
 *	  src/rowfn/characters.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_CHARACTERS_H
#define GPUSTR_ROWFN_CHARACTERS_H

#include "rowfn/text_args.h"
#include "rowfn/utf8.h"

/* The text has a character that is cut off, or is not valid: recheck. */
#define ROWFN_BAD_TEXT (-1)

/* Bytes of a character that starts with this byte. */
GPUSTR_FN int32_t
rowfn_lead_bytes(char c, int32_t encoding)
{
	unsigned char lead = (unsigned char) c;

	if (encoding != GPUSTR_ENC_UTF8 || lead < 0xC0 || lead >= 0xF8)
		return 1;
	return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

/* Is the last character cut off?  Looks at the last three bytes only. */
GPUSTR_FN int
rowfn_text_cut(const char *s, int32_t len, int32_t encoding)
{
	int32_t		i;

	if (encoding != GPUSTR_ENC_UTF8)
		return 0;
	for (i = 1; i <= 3 && i <= len; i++)
		if (!rowfn_utf8_is_continuation(s[len - i]))
			return rowfn_lead_bytes(s[len - i], encoding) > i;
	return 0;
}

/* Are the 8 bytes at s all below 128?  Only tried where it is one load. */
GPUSTR_FN int
rowfn_ascii8(const char *s)
{
#if defined(__GNUC__) && !defined(__CUDACC__)
	uint64_t	w;

	__builtin_memcpy(&w, s, 8);
	return (w & UINT64_C(0x8080808080808080)) == 0;
#else
	(void) s;
	return 0;
#endif
}

/*
 * Walk over at most n >= 0 characters from the start of a text; the bytes of them,
 * or ROWFN_BAD_TEXT.  *left: how many more there should have been.
 */
GPUSTR_FN int32_t
rowfn_skip_counting(const char *s, int32_t len, int64_t n, int32_t encoding, int64_t *left)
{
	int32_t		i = 0;

	if (encoding != GPUSTR_ENC_UTF8)
	{
		i = n < len ? (int32_t) n : len;
		*left = n - i;
		return i;
	}
#ifdef __CUDA_ARCH__
	i = n <= 0 ? 0 : rowfn_ascii_by_pieces(s, n < len ? (int32_t) n : len);
	n -= i;
#else
	while (n >= 8 && len - i >= 8 && rowfn_ascii8(s + i))
	{
		i += 8;
		n -= 8;
	}
#endif
	for (; n > 0 && i < len; n--)
	{
		int32_t		bytes = rowfn_lead_bytes(s[i], encoding);

		if (bytes > len - i)
			return ROWFN_BAD_TEXT;
		i += bytes;
	}
	*left = n;
	return i;
}

/* Bytes of the first n characters, of all if there are less; or ROWFN_BAD_TEXT. */
GPUSTR_FN int32_t
rowfn_skip(const char *s, int32_t len, int64_t n, int32_t encoding)
{
	int64_t		left;

	return rowfn_skip_counting(s, len, n, encoding, &left);
}

/* Where the last n characters start, 0 if there are less; or ROWFN_BAD_TEXT. */
GPUSTR_FN int32_t
rowfn_skip_back(const char *s, int32_t len, int64_t n, int32_t encoding)
{
	int32_t		pos = len;

	if (encoding != GPUSTR_ENC_UTF8)
		return n < len ? len - (int32_t) n : 0;
	while (n >= 8 && pos >= 8 && rowfn_ascii8(s + pos - 8))
	{
		pos -= 8;
		n -= 8;
	}
	for (; n > 0 && pos > 0; n--)
	{
		int32_t		end = pos--;

		while (pos > 0 && end - pos < 4 && rowfn_utf8_is_continuation(s[pos]))
			pos--;
		if (rowfn_lead_bytes(s[pos], encoding) != end - pos)
			return ROWFN_BAD_TEXT;
	}
	return pos;
}

/*
 * The code point of the UTF-8 character at s, of which there are 'len' >= 1
 * bytes.  Returns its bytes, 0 if it is not legal (RFC 3629).
 */
GPUSTR_FN int32_t
rowfn_utf8_decode(const char *s, int32_t len, uint32_t *code)
{
	uint32_t	c = (unsigned char) s[0];
	int32_t		n = rowfn_lead_bytes(s[0], GPUSTR_ENC_UTF8);
	int32_t		i;

	if (n > len || (n == 1 && c >= 0x80))
		return 0;
	if (n > 1)
		c &= 0x7Fu >> n;
	for (i = 1; i < n; i++)
	{
		if (!rowfn_utf8_is_continuation(s[i]))
			return 0;
		c = c << 6 | ((unsigned char) s[i] & 0x3F);
	}
	*code = c;
	if (n == 1)
		return 1;
	if (c < (n == 2 ? 0x80u : n == 3 ? 0x800u : 0x10000u) || c > 0x10FFFF ||
		(c >= 0xD800 && c <= 0xDFFF))
		return 0;
	return n;
}

/* Bytes of a code point. */
GPUSTR_FN int32_t
rowfn_code_bytes(uint32_t code, int32_t encoding)
{
	if (encoding != GPUSTR_ENC_UTF8 || code < 0x80)
		return 1;
	return code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

/* Copy n >= 0 bytes; the two do not overlap. */
GPUSTR_FN void
rowfn_copy(char *to, const char *from, int64_t n)
{
#if defined(__GNUC__) && !defined(__CUDACC__)
	if (n > 0)
		__builtin_memcpy(to, from, (uint64_t) n);
#elif defined(__CUDA_ARCH__)
	rowfn_copy_by_words(to, from, n);
#else
	int64_t		i;

	for (i = 0; i < n; i++)
		to[i] = from[i];
#endif
}

/* Where a text is written to: what does not fit is dropped. */
typedef struct RowfnOut
{
	char	   *at;
	int64_t		left;			/* bytes of room */
} RowfnOut;

GPUSTR_FN RowfnOut
rowfn_out(char *to, int64_t bytes)
{
	RowfnOut	out;

	out.at = to;
	out.left = bytes;
	return out;
}

GPUSTR_FN void
rowfn_put(RowfnOut *out, const char *s, int64_t n)
{
	if (n > out->left)
		n = out->left;
	rowfn_copy(out->at, s, n);
	out->at += n;
	out->left -= n;
}

GPUSTR_FN void
rowfn_put_byte(RowfnOut *out, uint32_t byte)
{
	if (out->left <= 0)
		return;
	*out->at++ = (char) byte;
	out->left--;
}

/* A string that is a constant of the code: unlike a text it has no words around it that can be read. */
GPUSTR_FN void
rowfn_put_literal(RowfnOut *out, const char *s)
{
	for (; *s != '\0'; s++)
		rowfn_put_byte(out, (unsigned char) *s);
}

/* A byte, n times. */
GPUSTR_FN void
rowfn_put_fill(RowfnOut *out, char byte, int64_t n)
{
	int64_t		i;

	if (n > out->left)
		n = out->left;
	for (i = 0; i < n; i++)
		out->at[i] = byte;
	out->at += n;
	out->left -= n;
}

/* A code point; in a single-byte encoding it is the byte. */
GPUSTR_FN void
rowfn_put_code(RowfnOut *out, uint32_t code, int32_t encoding)
{
	int32_t		n = rowfn_code_bytes(code, encoding);
	int32_t		i;

	rowfn_put_byte(out, n == 1 ? code : ((0xF00u >> n) & 0xFF) | code >> (6 * (n - 1)));
	for (i = n - 2; i >= 0; i--)
		rowfn_put_byte(out, 0x80 | ((code >> (6 * i)) & 0x3F));
}

#endif							/* GPUSTR_ROWFN_CHARACTERS_H */
