/*-------------------------------------------------------------------------
 *
 * case_map.h
 *	  upper(), lower() and initcap(), by tables of what PostgreSQL makes of each
 *	  character.
 *
 * A map says what a character becomes, that it stays, or that only PostgreSQL
 * knows: see GpustrCaseMap.  A text with a character of the last kind is recheck,
 * and so is one that is not valid in its encoding, which PostgreSQL refuses.
 * Under collation C, of which a map has no pairs and others stay, PostgreSQL does
 * not look at bytes from 128 on, and neither does this.
 *
 * initcap(): a character after a letter or digit is made lower case, any other
 * upper case.  What is a letter is the collation's:
 *
 *		below 128		0-9, A-Z and a-z, under each collation
 *		from 128 on		none under collation C; else one that has two cases is
 *						a letter (in glibc each of these is, as was tried), and
 *						for the rest it is not known
 *
 * After a character of which it is not known only one that is the same in upper
 * and lower case can be decided; another makes the text recheck.  ICU's rules are
 * different ones: its collations have no GPUSTR_TEXT_INITCAP.
 *
 * IDENTIFICATION
 *	  src/rowfn/case_map.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_CASE_MAP_H
#define GPUSTR_ROWFN_CASE_MAP_H

#include "rowfn/characters.h"
#include "rowfn/fold.h"

/* Past these bytes PostgreSQL's array of wide characters does not fit. */
#define ROWFN_CASE_BYTES (1 << 26)

/* Does the map leave all bytes from 128 on as they are, valid or not? */
GPUSTR_FN int
rowfn_case_is_ascii(const GpustrCaseMap *map)
{
	return map->npairs == 0 && map->others_stay != 0;
}

/* What a character from 128 on becomes; GPUSTR_CASE_RECHECK: not known. */
GPUSTR_FN uint32_t
rowfn_case_of(const GpustrCaseMap *map, uint32_t code)
{
	int32_t		low = 0;
	int32_t		high = map->npairs;

	while (low < high)
	{
		int32_t		middle = low + (high - low) / 2;

		if (map->pairs[middle].from == code)
			return map->pairs[middle].to;
		if (map->pairs[middle].from < code)
			low = middle + 1;
		else
			high = middle;
	}
	return map->others_stay ? code : GPUSTR_CASE_RECHECK;
}

/* Can this character be written in the encoding? */
GPUSTR_FN int
rowfn_code_ok(uint32_t code, int32_t encoding)
{
	return encoding == GPUSTR_ENC_UTF8 ? code <= 0x10FFFF : code < 256;
}

/* The character from 128 on at s, and its bytes; 0: it is not valid. */
GPUSTR_FN int32_t
rowfn_case_decode(const char *s, int32_t len, int32_t encoding, uint32_t *code)
{
	if (encoding == GPUSTR_ENC_UTF8)
		return rowfn_utf8_decode(s, len, code);
	*code = (unsigned char) s[0];
	return 1;
}

/* What a map does to ASCII: what the common ones do takes no table. */
typedef enum RowfnCaseKind
{
	ROWFN_CASE_TABLE,
	ROWFN_CASE_TO_UPPER,		/* a to z become A to Z, the rest stays */
	ROWFN_CASE_TO_LOWER
} RowfnCaseKind;

/* The zero byte, which is in no text, may be anything. */
GPUSTR_FN RowfnCaseKind
rowfn_case_kind(const GpustrCaseMap *map)
{
	char		from = map->ascii['a'] == 'A' ? 'a' : 'A';
	int			c;

	for (c = 1; c < 128; c++)
		if (map->ascii[c] != (c >= from && c < from + 26 ? c ^ 32 : c))
			return ROWFN_CASE_TABLE;
	return from == 'a' ? ROWFN_CASE_TO_UPPER : ROWFN_CASE_TO_LOWER;
}

/* What an ASCII character becomes; 0xFF: not known. */
ROWFN_INLINE unsigned char
rowfn_case_ascii(const GpustrCaseMap *map, unsigned char c, RowfnCaseKind kind)
{
	if (kind == ROWFN_CASE_TABLE)
		return map->ascii[c];
	return (unsigned char) (c - (kind == ROWFN_CASE_TO_UPPER ? 'a' : 'A')) < 26 ? c ^ 32 : c;
}

/*
 * Where there are 8 bytes, or 16, of ASCII at s: how many, and what they become,
 * or'ed; to: written there, or NULL.  0: there are not.
 */
ROWFN_INLINE int32_t
rowfn_case_group(const char *s, int64_t len, const GpustrCaseMap *map, RowfnCaseKind kind, char *to,
				 uint32_t *made)
{
	int			i;

#ifdef ROWFN_SSE2
	if (kind != ROWFN_CASE_TABLE && len >= 16)
	{
		char		from = kind == ROWFN_CASE_TO_UPPER ? 'a' : 'A';
		__m128i		v = _mm_loadu_si128((const __m128i *) s);
		__m128i		changes;

		if (_mm_movemask_epi8(v) != 0)
			return 0;
		changes = _mm_and_si128(_mm_cmpgt_epi8(v, _mm_set1_epi8((char) (from - 1))),
								_mm_cmplt_epi8(v, _mm_set1_epi8((char) (from + 26))));
		if (to != (char *) 0)
			_mm_storeu_si128((__m128i *) to, _mm_xor_si128(v, _mm_and_si128(changes, _mm_set1_epi8(32))));
		return 16;
	}
#endif
	if (len < 8 || !rowfn_ascii8(s))
		return 0;
	for (i = 0; i < 8; i++)
	{
		unsigned char c = rowfn_case_ascii(map, (unsigned char) s[i] & 127, kind);

		*made |= c;
		if (to != (char *) 0)
			to[i] = (char) c;
	}
	return 8;
}

/*
 * Bytes of upper() or lower(), or ROWFN_TEXT_RECHECK.
 *
 * kind		rowfn_case_kind(map), as a constant for speed, or ROWFN_CASE_TABLE
 */
ROWFN_INLINE int64_t
rowfn_case_bytes_of(RowfnText text, const GpustrCaseMap *map, int32_t encoding, RowfnCaseKind kind)
{
	int			is_ascii = rowfn_case_is_ascii(map);
	int64_t		bytes = 0;
	uint32_t	made = 0;
	int32_t		i = 0;

	if (text.len > ROWFN_CASE_BYTES)
		return ROWFN_TEXT_RECHECK;
	while (i < text.len)
	{
		unsigned char c;
		uint32_t	code;
		int32_t		n;

		n = rowfn_case_group(text.s + i, text.len - i, map, kind, (char *) 0, &made);
		if (n > 0)
		{
			bytes += n;
			i += n;
			continue;
		}
		c = (unsigned char) text.s[i];
		n = 1;
		if (c < 128)
		{
			made |= rowfn_case_ascii(map, c, kind);
			bytes++;
		}
		else if (is_ascii)
			bytes++;
		else
		{
			n = rowfn_case_decode(text.s + i, text.len - i, encoding, &code);
			if (n == 0)
				return ROWFN_TEXT_RECHECK;
			code = rowfn_case_of(map, code);
			if (!rowfn_code_ok(code, encoding))
				return ROWFN_TEXT_RECHECK;
			bytes += rowfn_code_bytes(code, encoding);
		}
		i += n;
	}
	/* what is not known is 0xFF, what is known is below 128 */
	return made & 0x80 ? ROWFN_TEXT_RECHECK : bytes;
}

ROWFN_INLINE void
rowfn_case_write_of(RowfnText text, const GpustrCaseMap *map, int32_t encoding, char *to, int64_t bytes,
					RowfnCaseKind kind)
{
	int			is_ascii = rowfn_case_is_ascii(map);
	RowfnOut	out = rowfn_out(to, bytes);
	uint32_t	made = 0;
	int32_t		i = 0;

	while (i < text.len && out.left > 0)
	{
		int64_t		most = text.len - i < out.left ? text.len - i : out.left;
		unsigned char c;
		uint32_t	code;
		int32_t		n;

		n = rowfn_case_group(text.s + i, most, map, kind, out.at, &made);
		if (n > 0)
		{
			out.at += n;
			out.left -= n;
			i += n;
			continue;
		}
		c = (unsigned char) text.s[i];
		n = 1;
		if (c < 128)
			rowfn_put_byte(&out, rowfn_case_ascii(map, c, kind));
		else if (is_ascii)
			rowfn_put_byte(&out, c);
		else
		{
			n = rowfn_case_decode(text.s + i, text.len - i, encoding, &code);
			if (n == 0)
				return;			/* it has changed */
			rowfn_put_code(&out, rowfn_case_of(map, code), encoding);
		}
		i += n;
	}
}

GPUSTR_FN int64_t
rowfn_case_bytes(RowfnText text, const GpustrCaseMap *map, int32_t encoding)
{
	return rowfn_case_bytes_of(text, map, encoding, ROWFN_CASE_TABLE);
}

GPUSTR_FN void
rowfn_case_write(RowfnText text, const GpustrCaseMap *map, int32_t encoding, char *to, int64_t bytes)
{
	rowfn_case_write_of(text, map, encoding, to, bytes, ROWFN_CASE_TABLE);
}

/* Was the character before a letter or digit? */
typedef enum RowfnInWord
{
	ROWFN_WORD_NO = 0,
	ROWFN_WORD_YES = 1,
	ROWFN_WORD_UNKNOWN
} RowfnInWord;

/* Is this character below 128 a letter or digit? */
GPUSTR_FN int
rowfn_is_alnum(uint32_t code)
{
	return (code - '0' < 10) | ((code | 0x20) - 'a' < 26);
}

/*
 * What initcap() makes of the character at s, *code, and whether it is a letter
 * or digit, *word, which says that of the one before until then.  Returns the
 * bytes that it takes, 0 for recheck.
 */
ROWFN_INLINE int32_t
rowfn_initcap_next(const char *s, int32_t len, const GpustrCaseMap *upper, const GpustrCaseMap *lower,
				   int32_t encoding, RowfnInWord *word, uint32_t *code)
{
	unsigned char c = (unsigned char) s[0];
	int			is_ascii = rowfn_case_is_ascii(upper) && rowfn_case_is_ascii(lower);
	uint32_t	from = c;
	uint32_t	up;
	uint32_t	down;
	int32_t		n = 1;

	if (c < 128 && *word != ROWFN_WORD_UNKNOWN)
	{
		/* no branches: they would be hard to predict */
		up = upper->ascii[c];
		down = lower->ascii[c];
		*code = up ^ ((up ^ down) & (0u - (uint32_t) *word));
		*word = (RowfnInWord) rowfn_is_alnum(*code);
		return *code < 128;
	}
	if (c < 128)
	{
		up = upper->ascii[c];
		down = lower->ascii[c];
	}
	else if (is_ascii)
		up = down = from;
	else
	{
		n = rowfn_case_decode(s, len, encoding, &from);
		if (n == 0)
			return 0;
		up = rowfn_case_of(upper, from);
		down = rowfn_case_of(lower, from);
	}
	if (*word == ROWFN_WORD_UNKNOWN && up != down)
		return 0;
	*code = *word == ROWFN_WORD_YES ? down : up;
	if (c < 128 ? *code >= 128 : !rowfn_code_ok(*code, encoding))
		return 0;
	if (*code < 128)
		*word = rowfn_is_alnum(*code) ? ROWFN_WORD_YES : ROWFN_WORD_NO;
	else if (is_ascii)
		*word = ROWFN_WORD_NO;
	else
		*word = (up != from && up != GPUSTR_CASE_RECHECK) ||
			(down != from && down != GPUSTR_CASE_RECHECK) ? ROWFN_WORD_YES : ROWFN_WORD_UNKNOWN;
	return n;
}

/* The map of lower(), which follows that of upper(). */
GPUSTR_FN const GpustrCaseMap *
rowfn_case_lower(const GpustrCaseMap *upper)
{
	return (const GpustrCaseMap *) ((const char *) upper + GPUSTR_CASE_MAP_BYTES(upper->npairs));
}

/* Bytes of initcap(), or ROWFN_TEXT_RECHECK. */
GPUSTR_FN int64_t
rowfn_initcap_bytes(RowfnText text, const GpustrCaseMap *upper, int32_t encoding)
{
	const GpustrCaseMap *lower = rowfn_case_lower(upper);
	int			is_ascii = rowfn_case_is_ascii(upper) && rowfn_case_is_ascii(lower);
	RowfnInWord word = ROWFN_WORD_NO;
	int64_t		bytes = 0;
	int32_t		i = 0;

	if (text.len > ROWFN_CASE_BYTES)
		return ROWFN_TEXT_RECHECK;
	while (i < text.len)
	{
		uint32_t	code;
		int32_t		n = rowfn_initcap_next(text.s + i, text.len - i, upper, lower, encoding, &word, &code);

		if (n == 0)
			return ROWFN_TEXT_RECHECK;
		bytes += is_ascii ? 1 : rowfn_code_bytes(code, encoding);
		i += n;
	}
	return bytes;
}

GPUSTR_FN void
rowfn_initcap_write(RowfnText text, const GpustrCaseMap *upper, int32_t encoding, char *to,
					int64_t bytes)
{
	const GpustrCaseMap *lower = rowfn_case_lower(upper);
	int			is_ascii = rowfn_case_is_ascii(upper) && rowfn_case_is_ascii(lower);
	RowfnInWord word = ROWFN_WORD_NO;
	RowfnOut	out = rowfn_out(to, bytes);
	int32_t		i = 0;

	while (i < text.len)
	{
		uint32_t	code;
		int32_t		n = rowfn_initcap_next(text.s + i, text.len - i, upper, lower, encoding, &word, &code);

		if (n == 0)
			return;				/* it has changed */
		if (is_ascii)
			rowfn_put_byte(&out, code);
		else
			rowfn_put_code(&out, code, encoding);
		i += n;
	}
}

#endif							/* GPUSTR_ROWFN_CASE_MAP_H */
