/*-------------------------------------------------------------------------
 *
 * mask.h
 *	  Hide the middle of a text: keep some characters on either side.
 *
 * Each character but the first keep_left and the last keep_right is replaced by
 * the mask, which may be empty or of several characters.  Where these meet or
 * overlap nothing is hidden.
 *
 *		'4000123412341234', 4, 4, 'X'	4000XXXXXXXX1234
 *		'abc', 1, 0, '**'				a****
 *		'abc', 2, 1, 'X'				abc
 *
 * Lengths are int64: a mask of many bytes can make a text that is too long.
 *
 * IDENTIFICATION
 *	  src/rowfn/mask.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_MASK_H
#define GPUSTR_ROWFN_MASK_H

#include "rowfn/utf8.h"

/* What is hidden of a text: bytes [left_bytes, left_bytes + hidden_bytes). */
typedef struct RowfnMaskParts
{
	int32_t		left_bytes;
	int32_t		hidden_bytes;
	int32_t		hidden;			/* characters there */
} RowfnMaskParts;

/* Bytes of the first n characters. */
GPUSTR_FN int32_t
rowfn_mask_skip(const char *s, int32_t len, int32_t n, int32_t encoding)
{
	int32_t		i = 0;

	if (encoding != GPUSTR_ENC_UTF8)
		return n < len ? n : len;
	for (; n > 0 && i < len; n--)
		i += rowfn_char_bytes(s + i, len - i, encoding);
	return i;
}

/* Take a text apart; keep_left, keep_right >= 0. */
GPUSTR_FN RowfnMaskParts
rowfn_mask_split(const char *s, int32_t len, int32_t keep_left, int32_t keep_right,
				 int32_t encoding)
{
	int64_t		hidden = (int64_t) rowfn_char_count(s, len, encoding) - keep_left - keep_right;
	RowfnMaskParts parts;

	parts.left_bytes = len;
	parts.hidden_bytes = 0;
	parts.hidden = 0;
	if (hidden <= 0)
		return parts;
	parts.hidden = (int32_t) hidden;
	parts.left_bytes = rowfn_mask_skip(s, len, keep_left, encoding);
	parts.hidden_bytes = rowfn_mask_skip(s + parts.left_bytes, len - parts.left_bytes,
										 parts.hidden, encoding);
	return parts;
}

/* Bytes of the answer. */
GPUSTR_FN int64_t
rowfn_mask_bytes(int32_t len, RowfnMaskParts parts, int32_t mask_bytes)
{
	return (int64_t) len - parts.hidden_bytes + (int64_t) parts.hidden * mask_bytes;
}

/* Write the answer to out[rowfn_mask_bytes()]. */
GPUSTR_FN void
rowfn_mask_write(const char *s, int32_t len, RowfnMaskParts parts,
				 const char *mask, int32_t mask_bytes, char *out)
{
	int32_t		i;
	int32_t		j;

	for (i = 0; i < parts.left_bytes; i++)
		*out++ = s[i];
	for (i = 0; i < parts.hidden; i++)
		for (j = 0; j < mask_bytes; j++)
			*out++ = mask[j];
	for (i = parts.left_bytes + parts.hidden_bytes; i < len; i++)
		*out++ = s[i];
}

#endif							/* GPUSTR_ROWFN_MASK_H */
