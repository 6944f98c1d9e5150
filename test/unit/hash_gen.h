/*-------------------------------------------------------------------------
 *
 * hash_gen.h
 *	  Random keys for the tests of the hash table: both sides of a join.
 *
 * Each column of a row stands for a number below 'pool'; what equals what is
 * known from these, whatever way a number is written: -0 or 0, one NaN or
 * another, with blanks or zeros behind it.  Numbers 0 to 3 are the odd values of
 * a kind; among the words, those whose hash is all ones or all zeros.
 *
 * All columns of a side lie in one block of memory, so that it can be copied to
 * a device (hash_gen_moved()).
 *
 * Plain C, also good for C++ and nvcc.
 *
 * IDENTIFICATION
 *	  test/unit/hash_gen.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_HASH_GEN_H
#define GPUSTR_HASH_GEN_H

#include "rowfn/hash_key.h"
#include "test_common.h"

#define HASH_GEN_TEXT 56		/* bytes of a text at most, the blanks
								 * included */

typedef struct HashSide
{
	uint32_t	n;
	RowfnKeys	keys;
	uint64_t   *id;				/* [n] equal for equal keys */
	char	   *block;			/* all that keys points to */
	size_t		bytes;			/* of it */
} HashSide;

/* A join's key. */
typedef struct HashKeyShape
{
	int32_t		ncolumns;
	int32_t		hash_bits;
	int32_t		kind[ROWFN_MAX_KEYS];
	uint32_t	pool[ROWFN_MAX_KEYS];
	int			nulls;			/* one row in so many has none; 0: no NULLs */
} HashKeyShape;

/* A key that is like none before. */
static inline TEST_UNUSED HashKeyShape
hash_gen_shape(Rng *rng, uint32_t rows)
{
	HashKeyShape shape;
	int			i;

	memset(&shape, 0, sizeof(shape));
	shape.ncolumns = rng_one_in(rng, 2) ? 1 : 1 + rng_below(rng, ROWFN_MAX_KEYS);
	shape.hash_bits = rng_one_in(rng, 4) ? rng_below(rng, ROWFN_HASH_BITS + 1) : ROWFN_HASH_BITS;
	shape.nulls = rng_one_in(rng, 2) ? 0 : 1 + rng_below(rng, 20);
	for (i = 0; i < shape.ncolumns; i++)
	{
		uint32_t	most = rng_one_in(rng, 2) ? rows : rng_one_in(rng, 2) ? 25 : 3;

		if (shape.ncolumns > 1 && i > 0)
			most = 3;
		shape.kind[i] = rng_below(rng, ROWFN_KEY_NUMERIC + 1);
		shape.pool[i] = 1 + (uint32_t) rng_below(rng, (int32_t) (most < 60000 ? most + 1 : 60000));
	}
	return shape;
}

static inline TEST_UNUSED uint32_t
hash_gen_word(uint32_t number)
{
	static const uint32_t odd[] = {0xFFFFFFFF, 0, 1, 0x80000000};

	/* hashes 0xFFFFFFFF, 0, 1, 0x80000000 are among them */
	return rowfn_unhash_word(number < 4 ? odd[number] : rowfn_hash_word(number));
}

/* A text; returns its bytes. */
static inline TEST_UNUSED int32_t
hash_gen_text(uint32_t number, char *out)
{
	int32_t		len = number == 0 ? 0 : 1 + (int32_t) (number % 40);
	uint32_t	rest = number;
	int32_t		i;

	/* the number itself comes last, so the last byte is no blank */
	for (i = 0; i < len; i++)
		out[i] = (char) ("a bA\303"[(number + (uint32_t) i) % 5]);
	for (; rest > 0; rest /= 16)
		out[len++] = (char) ('g' + rest % 16);
	return len;
}

/* A numeric; returns its bytes. */
static inline TEST_UNUSED int32_t
hash_gen_numeric(Rng *rng, uint32_t number, char *out)
{
	static const int32_t special[] = {0, 0xC000, 0xD000, 0xF000};
	int32_t		words[16];
	int32_t		n = 0;
	int32_t		leading = rng_one_in(rng, 4) ? 1 + rng_below(rng, 3) : 0;
	int32_t		trailing = rng_one_in(rng, 2) ? 1 + rng_below(rng, 4) : 0;
	int32_t		weight = (int32_t) ((number >> 1) / 9000) - 2 + leading;
	int32_t		scale = rng_below(rng, 40);
	int32_t		i;

	if (number > 0 && number < 4)
		words[n++] = special[number];
	else
	{
		int32_t		negative = number > 0 && (number & 1) != 0;

		if (number == 0)
			weight = 0;
		if (rng_one_in(rng, 2))
			words[n++] = 0x8000 | (negative ? 0x2000 : 0) | scale << 7 | (weight & 0x7F);
		else
		{
			words[n++] = (negative ? 0x4000 : 0) | scale;
			words[n++] = weight;
		}
		if (number > 0)
		{
			for (i = 0; i < leading; i++)
				words[n++] = 0;
			words[n++] = 1 + (int32_t) ((number >> 1) % 9000);
			for (i = 0; i < trailing; i++)
				words[n++] = 0;
		}
	}
	for (i = 0; i < n; i++)
	{
		out[2 * i] = (char) (words[i] & 0xFF);
		out[2 * i + 1] = (char) (words[i] >> 8 & 0xFF);
	}
	return 2 * n;
}

static inline TEST_UNUSED int64_t
hash_gen_float(Rng *rng, uint32_t number)
{
	if (number == 0)
		return rng_one_in(rng, 2) ? 0 : INT64_MIN;
	if (number == 1)
		return rng_one_in(rng, 2) ? ROWFN_NAN_BITS : INT64_C(0x7FF0000000000001) ^
			(rng_one_in(rng, 2) ? INT64_MIN : 0);
	if (number < 4)
		return rowfn_float_bits(number == 2 ? 1e300 * 1e300 : -1e300 * 1e300);
	return rowfn_float_bits(number * -0.75);
}

static inline TEST_UNUSED int64_t
hash_gen_value(uint32_t number)
{
	static const int64_t odd[] = {0, -1, INT64_MIN, INT64_MAX};

	return number < 4 ? odd[number] : (int64_t) number << 31;
}

/* Write a number as the kind has it, to row 'row' of a column. */
static inline TEST_UNUSED void
hash_gen_write(Rng *rng, RowfnKeyColumn *column, uint32_t row, uint32_t number, char *text, int32_t *end)
{
	int32_t		len = 0;

	switch (column->kind)
	{
		case ROWFN_KEY_WORD:
			((uint32_t *) column->value)[row] = hash_gen_word(number);
			return;
		case ROWFN_KEY_VALUE:
			((int64_t *) column->value)[row] = hash_gen_value(number);
			return;
		case ROWFN_KEY_FLOAT:
			((int64_t *) column->value)[row] = hash_gen_float(rng, number);
			return;
		case ROWFN_KEY_NUMERIC:
			len = hash_gen_numeric(rng, number, text);
			break;
		default:
			len = hash_gen_text(number, text);
			if (column->kind == ROWFN_KEY_PADDED && rng_one_in(rng, 2))
			{
				int32_t		blanks = rng_below(rng, 5);

				memset(text + len, ' ', (size_t) blanks);
				len += blanks;
			}
			break;
	}
	*end = len;
}

/* n rows with such a key.  Free with hash_gen_free(). */
static inline TEST_UNUSED HashSide
hash_gen_side(Rng *rng, const HashKeyShape *shape, uint32_t n)
{
	HashSide	side;
	size_t		words = (n + 31) / 32 + 4;
	size_t		each = (size_t) n * (HASH_GEN_TEXT + 16) + 64;
	char	   *at;
	uint32_t   *valid;
	uint32_t	row;
	int			i;

	memset(&side, 0, sizeof(side));
	side.n = n;
	side.bytes = 8 * words + each * (size_t) shape->ncolumns;
	side.block = (char *) calloc(1, side.bytes);
	side.id = (uint64_t *) calloc(n + 1, 8);
	side.keys.ncolumns = shape->ncolumns;
	side.keys.hash_bits = shape->hash_bits;
	valid = (uint32_t *) side.block;
	at = side.block + 8 * words;
	for (row = 0; row < n; row++)
		if (shape->nulls == 0 || !rng_one_in(rng, shape->nulls))
			valid[row / 32] |= UINT32_C(1) << row % 32;
	side.keys.valid = shape->nulls == 0 && rng_one_in(rng, 2) ? NULL : valid;
	for (i = 0; i < shape->ncolumns; i++)
	{
		RowfnKeyColumn *column = &side.keys.column[i];
		int32_t    *start = (int32_t *) at;
		int32_t    *end = start + n;
		int32_t		pos = (int32_t) (8 * (size_t) n) + rng_below(rng, 4);

		column->kind = shape->kind[i];
		column->value = at;
		column->base = at;
		column->start = start;
		column->end = end;
		for (row = 0; row < n; row++)
		{
			uint32_t	number = (uint32_t) rng_below(rng, (int32_t) shape->pool[i]);

			side.id[row] = side.id[row] * shape->pool[i] + number;
			if (column->kind >= ROWFN_KEY_BYTES)
			{
				start[row] = pos;
				hash_gen_write(rng, column, row, number, at + pos, &end[row]);
				end[row] += pos;
				pos = end[row] + rng_below(rng, 3);
			}
			else
				hash_gen_write(rng, column, row, number, NULL, NULL);
		}
		at += each / 8 * 8;
	}
	return side;
}

static inline TEST_UNUSED void
hash_gen_free(HashSide *side)
{
	free(side->block);
	free(side->id);
}

/* The same keys, whose block has been copied to another place. */
static inline TEST_UNUSED RowfnKeys
hash_gen_moved(const HashSide *side, char *to)
{
	RowfnKeys	keys = side->keys;
	int			i;

	if (keys.valid != NULL)
		keys.valid = (const uint32_t *) (to + ((const char *) keys.valid - side->block));
	for (i = 0; i < keys.ncolumns; i++)
	{
		RowfnKeyColumn *column = &keys.column[i];

		column->value = to + ((const char *) column->value - side->block);
		column->base = to + (column->base - side->block);
		column->start = (const int32_t *) (to + ((const char *) column->start - side->block));
		column->end = (const int32_t *) (to + ((const char *) column->end - side->block));
	}
	return keys;
}

/* Do two rows match? */
static inline TEST_UNUSED int
hash_gen_match(const HashSide *a, uint32_t a_row, const HashSide *b, uint32_t b_row)
{
	return rowfn_keys_valid(&a->keys, a_row) && rowfn_keys_valid(&b->keys, b_row) &&
		a->id[a_row] == b->id[b_row];
}

#endif							/* GPUSTR_HASH_GEN_H */
