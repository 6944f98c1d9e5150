/*-------------------------------------------------------------------------
 *
 * hash_key.h
 *	  Hash and equality of the keys of a join: one to eight columns.
 *
 * Two rows whose keys PostgreSQL's operator = calls equal have the same hash;
 * that of two others rarely is the same, and what finds it so compares the
 * keys.  The kind of a column belongs to the operator, not to the side:
 * both sides of int4 = int8 are VALUE.
 *
 *		WORD		bool, "char", int2, int4, oid, date, an enum's oid; and
 *					float4 through rowfn_key_float4()
 *		VALUE		int8, time, timestamp, and any mix of integers
 *		FLOAT		float8, and float4 widened: -0 equals 0, NaN equals NaN
 *		BYTES		text, varchar, name of a deterministic collation, bytea,
 *					uuid (16 bytes)
 *		PADDED		char(n): trailing blanks do not count
 *		NUMERIC		equal values of different scale are equal
 *
 * The hash of one WORD is a bijection of it: equal hashes are equal keys, and
 * nothing need be compared (rowfn_keys_exact()).  All others are mixed to 64
 * bits, of which the upper half is the hash.
 *
 * A NULL in any column: the key equals nothing; such rows are not in
 * RowfnKeys.valid.  A numeric that is not well-formed is recheck; the caller
 * must give its row to PostgreSQL, and keep it out of 'valid', too.
 *
 * The mixers are the finalizers of MurmurHash3 (Appleby).
 *
 * IDENTIFICATION
 *	  src/rowfn/hash_key.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_HASH_KEY_H
#define GPUSTR_ROWFN_HASH_KEY_H

#include <stddef.h>

#include "program/program.h"
#include "rowfn/compare.h"
#include "rowfn/numeric.h"
#include "rowfn/value.h"

#define ROWFN_MAX_KEYS 8
#define ROWFN_HASH_BITS 32

#define ROWFN_MIX_BYTES UINT64_C(0x9E3779B97F4A7C15)

typedef enum RowfnKeyKind
{
	ROWFN_KEY_WORD,
	ROWFN_KEY_VALUE,
	ROWFN_KEY_FLOAT,
	ROWFN_KEY_BYTES,
	ROWFN_KEY_PADDED,
	ROWFN_KEY_NUMERIC
} RowfnKeyKind;

/* One column of one side. */
typedef struct RowfnKeyColumn
{
	int32_t		kind;			/* RowfnKeyKind */
	const void *value;			/* [n] WORD: uint32_t; VALUE: int64_t; FLOAT:
								 * bits of a double, as int64_t */
	const char *base;			/* BYTES, PADDED, NUMERIC: row i is
								 * base[start[i] .. end[i]); an Arrow column
								 * has end = start + 1 */
	const int32_t *start;		/* [n] */
	const int32_t *end;			/* [n] */
} RowfnKeyColumn;

/* The key of one side. */
typedef struct RowfnKeys
{
	int32_t		ncolumns;
	int32_t		hash_bits;		/* ROWFN_HASH_BITS; less: of the hash only
								 * these are used, so that keys collide */
	const uint32_t *valid;		/* bit i: row i has a key without NULL; NULL:
								 * all have */
	RowfnKeyColumn column[ROWFN_MAX_KEYS];
} RowfnKeys;

/*
 * The hash of one WORD: a bijection.
 *
 * e.g. {0, 1, 2, 3, 4, 5, 6, 7} -> 00000000 514E28B7 30F4C306 85F0B427
 * 249CB285 CC0D53CD 5CEB4D08 18C9AEC4
 */
GPUSTR_FN uint32_t
rowfn_hash_word(uint32_t word)
{
	word ^= word >> 16;
	word *= UINT32_C(0x85EBCA6B);
	word ^= word >> 13;
	word *= UINT32_C(0xC2B2AE35);
	return word ^ word >> 16;
}

/* The word of which it is the hash: the inverse of rowfn_hash_word(). */
GPUSTR_FN uint32_t
rowfn_unhash_word(uint32_t hash)
{
	hash ^= hash >> 16;
	hash *= UINT32_C(0x7ED1B41D);
	hash ^= hash >> 13 ^ hash >> 26;
	hash *= UINT32_C(0xA5CB9243);
	return hash ^ hash >> 16;
}

/* Mix 64 bits: a bijection. */
GPUSTR_FN uint64_t
rowfn_mix64(uint64_t x)
{
	x ^= x >> 33;
	x *= UINT64_C(0xFF51AFD7ED558CCD);
	x ^= x >> 33;
	x *= UINT64_C(0xC4CEB9FE1A85EC53);
	return x ^ x >> 33;
}

/* One float for all that are equal: of double bits. */
GPUSTR_FN int64_t
rowfn_key_float(int64_t bits)
{
	double		number = rowfn_float(bits);

	return number == 0 ? 0 : rowfn_float_bits(number);
}

/*
 * The WORD of a float4 whose bits, widened, are these.
 *
 * e.g. {0, -0, 1, -1, NaN, another NaN, inf, -inf} -> 00000000 00000000
 * 3F800000 BF800000 7FC00000 7FC00000 7F800000 FF800000
 */
GPUSTR_FN uint32_t
rowfn_key_float4(int64_t bits)
{
	union
	{
		float		number;
		uint32_t	bits;
	}			f;
	double		number = rowfn_float(bits);

	if (number != number)
		return UINT32_C(0x7FC00000);
	f.number = number == 0 ? 0 : (float) number;
	return f.bits;
}

/* 8 bytes, little-endian, of any alignment. */
GPUSTR_FN uint64_t
rowfn_load8(const char *p)
{
#ifdef __CUDA_ARCH__
	/* from the aligned words that hold any of them */
	const uint32_t *word = (const uint32_t *) ((uintptr_t) p & ~(uintptr_t) 3);
	uint32_t	shift = 8 * ((uint32_t) (uintptr_t) p & 3);
	uint32_t	a = word[0];
	uint32_t	b = word[1];
	uint32_t	c = shift != 0 ? word[2] : 0;

	return (uint64_t) __funnelshift_r(b, c, shift) << 32 | __funnelshift_r(a, b, shift);
#else
	return rowfn_load_bytes(p, 8);
#endif
}

/* Mix len >= 0 bytes into h. */
GPUSTR_FN uint64_t
rowfn_mix_bytes(uint64_t h, const char *p, int32_t len)
{
	uint64_t	last = 0;
	int32_t		i = 0;

	h ^= (uint64_t) (uint32_t) len * ROWFN_MIX_BYTES;
	for (; len - i >= 8; i += 8)
		h = rowfn_mix64(h ^ rowfn_load8(p + i)) + ROWFN_MIX_BYTES;
	if (i < len && len >= 8)
		last = rowfn_load8(p + len - 8);	/* some of them again */
	else
		for (; i < len; i++)
			last = last << 8 | (unsigned char) p[i];
	return rowfn_mix64(h ^ last);
}

/*
 * Mix a numeric into *h: its sign, weight and digits without zeros at either
 * end.  Returns 0, or 1 for recheck.
 */
GPUSTR_FN int
rowfn_mix_numeric(uint64_t *h, const char *p, int32_t len)
{
	RowfnNumeric n;
	int32_t		first = 0;
	int32_t		end;
	int32_t		i;

	if (rowfn_numeric_parse(p, len, &n) != 0)
		return 1;
	end = n.ndigits;
	while (first < end && rowfn_numeric_word(n.digits, first) == 0)
		first++;
	while (end > first && rowfn_numeric_word(n.digits, end - 1) == 0)
		end--;
	if (n.special != 0)
		*h = rowfn_mix64(*h ^ (uint64_t) (uint32_t) n.special << 32);
	else if (first == end)
		*h = rowfn_mix64(*h);
	else
	{
		*h = rowfn_mix64(*h ^ ((uint64_t) (uint32_t) (n.weight - first) << 1 | (uint64_t) (n.negative != 0)));
		for (i = first; i < end; i++)
			*h = rowfn_mix64(*h ^ (uint64_t) (uint32_t) rowfn_numeric_word(n.digits, i)) + ROWFN_MIX_BYTES;
	}
	return 0;
}

/* Is a key equal to another if their hashes are? */
GPUSTR_FN int
rowfn_keys_exact(const RowfnKeys *keys)
{
	return keys->ncolumns == 1 && keys->column[0].kind == ROWFN_KEY_WORD && keys->hash_bits == ROWFN_HASH_BITS;
}

/* Has the row a key that can equal another? */
GPUSTR_FN int
rowfn_keys_valid(const RowfnKeys *keys, uint32_t row)
{
	return keys->valid == NULL || (keys->valid[row / 32] >> row % 32 & 1) != 0;
}

/*
 * The hash of a valid row's key as *hash.  Returns 0, or 1 for recheck.
 *
 * keys		ncolumns from 1 to ROWFN_MAX_KEYS
 *
 * e.g. one NUMERIC column {1, 1.0, 1.00, 2, NaN, 0, 0.0, -1}: rows 0 to 2 have
 * one hash, 5 and 6 another
 */
GPUSTR_FN int
rowfn_key_hash(const RowfnKeys *keys, uint32_t row, uint32_t *hash)
{
	uint64_t	h = 0;
	int			recheck = 0;
	int32_t		i;

	for (i = 0; i < keys->ncolumns; i++)
	{
		const RowfnKeyColumn *column = &keys->column[i];
		const char *p = column->base;
		int32_t		len = 0;

		if (column->kind >= ROWFN_KEY_BYTES)
		{
			p += column->start[row];
			len = column->end[row] - column->start[row];
		}
		switch (column->kind)
		{
			case ROWFN_KEY_WORD:
				if (keys->ncolumns == 1)
					h = (uint64_t) rowfn_hash_word(((const uint32_t *) column->value)[row]) << 32;
				else
					h = rowfn_mix64(h ^ ((const uint32_t *) column->value)[row]);
				break;
			case ROWFN_KEY_VALUE:
				h = rowfn_mix64(h ^ (uint64_t) ((const int64_t *) column->value)[row]);
				break;
			case ROWFN_KEY_FLOAT:
				h = rowfn_mix64(h ^ (uint64_t) rowfn_key_float(((const int64_t *) column->value)[row]));
				break;
			case ROWFN_KEY_BYTES:
				h = rowfn_mix_bytes(h, p, len);
				break;
			case ROWFN_KEY_PADDED:
				h = rowfn_mix_bytes(h, p, rowfn_trimmed_bytes(p, len));
				break;
			default:
				recheck |= rowfn_mix_numeric(&h, p, len);
				break;
		}
		/* so that (a, b) is not (b, a), nor (0, 0) like (0) */
		if (keys->ncolumns > 1)
			h = h * ROWFN_MIX_BYTES + (uint64_t) i + 1;
	}
	if (keys->ncolumns > 1)
		h = rowfn_mix64(h);
	*hash = (uint32_t) (h >> 32);
	if (keys->hash_bits < ROWFN_HASH_BITS)
		*hash = keys->hash_bits > 0 ? *hash & ~(UINT32_MAX >> keys->hash_bits) : 0;
	return recheck;
}

/*
 * Are two valid rows' keys equal?  a and b have as many columns, of the same
 * kinds.  Returns 0 or 1.
 *
 * e.g. one PADDED column, a {"", " ", "a", "a ", " a", "ab", "b", "c"}, b
 * {"", "", "a", "a", "a", "a", "b ", "d"}: 1 1 1 1 0 0 1 0
 */
GPUSTR_FN int
rowfn_keys_equal(const RowfnKeys *a, uint32_t a_row, const RowfnKeys *b, uint32_t b_row)
{
	int32_t		i;

	for (i = 0; i < a->ncolumns; i++)
	{
		const RowfnKeyColumn *ac = &a->column[i];
		const RowfnKeyColumn *bc = &b->column[i];
		const char *ap = ac->base;
		const char *bp = bc->base;
		int32_t		alen = 0;
		int32_t		blen = 0;
		int			cmp;

		if (ac->kind >= ROWFN_KEY_BYTES)
		{
			ap += ac->start[a_row];
			alen = ac->end[a_row] - ac->start[a_row];
			bp += bc->start[b_row];
			blen = bc->end[b_row] - bc->start[b_row];
		}
		switch (ac->kind)
		{
			case ROWFN_KEY_WORD:
				if (((const uint32_t *) ac->value)[a_row] != ((const uint32_t *) bc->value)[b_row])
					return 0;
				break;
			case ROWFN_KEY_VALUE:
				if (((const int64_t *) ac->value)[a_row] != ((const int64_t *) bc->value)[b_row])
					return 0;
				break;
			case ROWFN_KEY_FLOAT:
				if (rowfn_key_float(((const int64_t *) ac->value)[a_row]) !=
					rowfn_key_float(((const int64_t *) bc->value)[b_row]))
					return 0;
				break;
			case ROWFN_KEY_BYTES:
				if (!rowfn_text_eq(ap, alen, bp, blen))
					return 0;
				break;
			case ROWFN_KEY_PADDED:
				if (!rowfn_text_eq(ap, rowfn_trimmed_bytes(ap, alen), bp, rowfn_trimmed_bytes(bp, blen)))
					return 0;
				break;
			default:
				if (rowfn_compare_numeric(ap, alen, bp, blen, &cmp) != 0 || cmp != 0)
					return 0;
				break;
		}
	}
	return 1;
}

#endif							/* GPUSTR_ROWFN_HASH_KEY_H */
