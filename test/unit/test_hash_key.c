/*-------------------------------------------------------------------------
 *
 * test_hash_key.c
 *	  Hash and equality of join keys: what is equal hashes alike.
 *
 * IDENTIFICATION
 *	  test/unit/test_hash_key.c
 *
 *-------------------------------------------------------------------------
 */
#include "hash_gen.h"

/* Memory of one column with eight rows. */
typedef struct Column8
{
	RowfnKeys	keys;
	uint32_t	word[8];
	int64_t		value[8];
	int32_t		offset[9];
	char		bytes[8 * 64];
} Column8;

static void
column_begin(Column8 *c, int kind)
{
	memset(c, 0, sizeof(*c));
	c->keys.ncolumns = 1;
	c->keys.hash_bits = ROWFN_HASH_BITS;
	c->keys.column[0].kind = kind;
	c->keys.column[0].value = kind == ROWFN_KEY_WORD ? (const void *) c->word : (const void *) c->value;
	c->keys.column[0].base = c->bytes;
	c->keys.column[0].start = c->offset;
	c->keys.column[0].end = c->offset + 1;
}

/* The texts, as an Arrow column. */
static void
column_texts(Column8 *c, int kind, const char *const *texts)
{
	int			i;

	column_begin(c, kind);
	for (i = 0; i < 8; i++)
	{
		int32_t		len = (int32_t) strlen(texts[i]);

		memcpy(c->bytes + c->offset[i], texts[i], (size_t) len);
		c->offset[i + 1] = c->offset[i] + len;
	}
}

static uint32_t
hash_of(const RowfnKeys *keys, uint32_t row)
{
	uint32_t	hash = 0;

	CHECK(rowfn_key_hash(keys, row, &hash) == 0, "row %u is recheck", row);
	return hash;
}

/* Rows whose bits are the same in 'classes' are equal, others not; hashes go with that. */
static void
check_classes(const Column8 *c, const char *classes)
{
	uint32_t	i;
	uint32_t	j;

	for (i = 0; i < 8; i++)
		for (j = 0; j < 8; j++)
		{
			int			same = classes[i] == classes[j];

			CHECK(rowfn_keys_equal(&c->keys, i, &c->keys, j) == same, "rows %u and %u", i, j);
			CHECK((hash_of(&c->keys, i) == hash_of(&c->keys, j)) == same, "hashes of rows %u and %u", i, j);
		}
}

/* A bijection, and its inverse. */
static void
test_word(Rng *rng)
{
	static const uint32_t hashes[] = {0, 0x514E28B7, 0x30F4C306, 0x85F0B427, 0x249CB285, 0xCC0D53CD, 0x5CEB4D08, 0x18C9AEC4};
	uint32_t	i;

	for (i = 0; i < 8; i++)
		CHECK(rowfn_hash_word(i) == hashes[i], "%u: %X", i, rowfn_hash_word(i));
	for (i = 0; i < 1000000; i++)
	{
		uint32_t	word = i < 1000 ? i : i < 2000 ? 1000 - i : rng_next(rng);

		CHECK(rowfn_unhash_word(rowfn_hash_word(word)) == word, "%u", word);
		CHECK(rowfn_hash_word(rowfn_unhash_word(word)) == word, "%u", word);
	}
	test_done("words");
}

/* Values as they are stored, through rowfn_value_load(). */
static void
test_values(void)
{
	static const char stored[] = {-1, -1, -1, -1, -1, -1, -1, -1};
	Column8		c;
	int			i;

	/*
	 * int2, int4 and int8 of -1 are one value; oid and "char" are not
	 * negative
	 */
	column_begin(&c, ROWFN_KEY_VALUE);
	c.value[0] = rowfn_value_load(stored, GPUSTR_VALUE_INT2);
	c.value[1] = rowfn_value_load(stored, GPUSTR_VALUE_INT4);
	c.value[2] = rowfn_value_load(stored, GPUSTR_VALUE_INT8);
	c.value[3] = rowfn_value_load(stored, GPUSTR_VALUE_OID);
	c.value[4] = INT64_MIN;
	c.value[5] = INT64_MAX;
	c.value[6] = rowfn_value_load(stored, GPUSTR_VALUE_CHAR);
	c.value[7] = rowfn_value_load(stored, GPUSTR_VALUE_BOOL);
	check_classes(&c, "aaabcdef");

	/* as words: of 32 bits */
	column_begin(&c, ROWFN_KEY_WORD);
	c.word[0] = (uint32_t) rowfn_value_load(stored, GPUSTR_VALUE_INT2);
	c.word[1] = (uint32_t) rowfn_value_load(stored, GPUSTR_VALUE_INT4);
	c.word[2] = (uint32_t) rowfn_value_load(stored, GPUSTR_VALUE_OID);
	c.word[3] = 0;
	c.word[4] = rowfn_unhash_word(UINT32_MAX);
	c.word[5] = rowfn_unhash_word(UINT32_MAX - 1);
	c.word[6] = 1;
	c.word[7] = 0;
	check_classes(&c, "aaabcdeb");

	/* floats */
	column_begin(&c, ROWFN_KEY_FLOAT);
	c.value[0] = 0;
	c.value[1] = INT64_MIN;
	c.value[2] = ROWFN_NAN_BITS;
	c.value[3] = INT64_C(-1);
	c.value[4] = rowfn_float_bits(1.5);
	c.value[5] = rowfn_float_bits((double) 1.5f);
	c.value[6] = rowfn_float_bits(1e300 * 1e300);
	c.value[7] = rowfn_float_bits(4.9e-324);
	check_classes(&c, "aabbccde");

	/* float4, in words */
	column_begin(&c, ROWFN_KEY_WORD);
	for (i = 0; i < 8; i++)
	{
		static const uint32_t words[] = {0, 0, 0x3F800000, 0xBF800000, 0x7FC00000, 0x7FC00000, 0x7F800000, 0xFF800000};
		int64_t		bits[8] = {0, INT64_MIN, 0, 0, ROWFN_NAN_BITS, INT64_C(-1), 0, 0};

		bits[2] = rowfn_float_bits(1);
		bits[3] = rowfn_float_bits(-1);
		bits[6] = rowfn_float_bits(1e300 * 1e300);
		bits[7] = rowfn_float_bits(-1e300 * 1e300);
		c.word[i] = rowfn_key_float4(bits[i]);
		CHECK(c.word[i] == words[i], "float4 %d: %X", i, c.word[i]);
	}
	check_classes(&c, "aabcddef");
	test_done("integers and floats");
}

static void
test_texts(void)
{
	static const char *const texts[] = {"", " ", "a", "a ", " a", "ab", "b", "a"};
	static const char *const padded[] = {"", "   ", "a", "a ", " a", "ab", "b", "ab      "};
	static const char *const long_texts[] = {
		"0123456789abcdef", "0123456789abcdeg", "0123456789abcdef ", "1123456789abcdef",
		"01234567", "012345678", "0123456789abcdef", "01234567012345670"
	};
	Column8		c;

	column_texts(&c, ROWFN_KEY_BYTES, texts);
	check_classes(&c, "abcdefgc");
	column_texts(&c, ROWFN_KEY_PADDED, padded);
	check_classes(&c, "aabbcded");
	column_texts(&c, ROWFN_KEY_BYTES, long_texts);
	check_classes(&c, "abcdefag");
	column_texts(&c, ROWFN_KEY_PADDED, long_texts);
	check_classes(&c, "abadefag");
	test_done("texts");
}

/* Every byte counts, wherever the text begins. */
static void
test_bytes(Rng *rng)
{
	char		text[128];
	char		moved[144];
	int			len;
	int			i;

	for (len = 0; len <= 100; len++)
	{
		uint64_t	hash;

		for (i = 0; i < len; i++)
			text[i] = (char) rng_next(rng);
		hash = rowfn_mix_bytes(0, text, len);
		for (i = 0; i < 16; i++)
		{
			memcpy(moved + i, text, (size_t) len);
			CHECK(rowfn_mix_bytes(0, moved + i, len) == hash, "%d bytes at %d", len, i);
		}
		for (i = 0; i < 8 * len; i++)
		{
			text[i / 8] = (char) (text[i / 8] ^ 1 << i % 8);
			CHECK(rowfn_mix_bytes(0, text, len) != hash, "bit %d of %d bytes", i, len);
			text[i / 8] = (char) (text[i / 8] ^ 1 << i % 8);
		}
		CHECK(rowfn_mix_bytes(1, text, len) != hash, "%d bytes", len);

		/* zeros at the end count, too */
		text[len] = 0;
		CHECK(rowfn_mix_bytes(0, text, len + 1) != hash, "%d bytes and a zero", len);
	}
	test_done("bytes");
}

/* 1, 1.0, 1.00 and others, in both forms, with stray zeros; what is no numeric. */
static void
test_numeric(Rng *rng)
{
	char		a[64];
	char		b[64];
	int			i;
	Column8		c;

	for (i = 0; i < test_rounds(200000); i++)
	{
		uint32_t	na = (uint32_t) rng_below(rng, 60000);
		uint32_t	nb = rng_one_in(rng, 2) ? na : (uint32_t) rng_below(rng, 60000);
		int32_t		alen = hash_gen_numeric(rng, na, a);
		int32_t		blen = hash_gen_numeric(rng, nb, b);
		uint64_t	ah = 7;
		uint64_t	bh = 7;
		int			cmp;

		CHECK(rowfn_mix_numeric(&ah, a, alen) == 0 && rowfn_mix_numeric(&bh, b, blen) == 0, "%u %u", na, nb);
		CHECK(rowfn_compare_numeric(a, alen, b, blen, &cmp) == 0 && (cmp == 0) == (na == nb), "%u %u", na, nb);
		CHECK((ah == bh) == (na == nb), "hashes of %u and %u", na, nb);
	}

	/* any bytes at all: equal ones hash alike, or both are recheck */
	for (i = 0; i < test_rounds(200000); i++)
	{
		int32_t		alen = rng_below(rng, 9);
		int32_t		blen = rng_one_in(rng, 2) ? alen : rng_below(rng, 9);
		uint64_t	ah = 7;
		uint64_t	bh = 7;
		int			a_bad;
		int			b_bad;
		int			cmp;
		int32_t		j;

		for (j = 0; j < 9; j++)
		{
			static const unsigned char some[] = {0, 0, 0x80, 0xA0, 0x81, 0xC0, 0xD0, 0xF0, 1, 0x7F};

			a[j] = (char) some[rng_below(rng, 10)];
			b[j] = rng_one_in(rng, 3) ? (char) some[rng_below(rng, 10)] : a[j];
		}
		a_bad = rowfn_mix_numeric(&ah, a, alen);
		b_bad = rowfn_mix_numeric(&bh, b, blen);
		CHECK(rowfn_compare_numeric(a, alen, b, blen, &cmp) == (a_bad | b_bad), "%d and %d bytes", alen, blen);
		if (!a_bad && !b_bad && cmp == 0)
			CHECK(ah == bh, "%d and %d bytes", alen, blen);
	}

	/* the comment's example: 1, 1.0, 1.00, 2, NaN, 0, 0.0, -1; and a bad one */
	column_begin(&c, ROWFN_KEY_NUMERIC);
	memcpy(c.bytes, "\0\200\1\0" "\200\200\1\0" "\0\201\1\0" "\0\200\2\0" "\0\300" "\0\200" "\200\200" "\0\240\1\0", 26);
	for (i = 0; i < 8; i++)
	{
		static const int32_t lengths[] = {4, 4, 4, 4, 2, 2, 2, 4};

		c.offset[i + 1] = c.offset[i] + lengths[i];
	}
	check_classes(&c, "aaabcdde");
	c.offset[8]--;
	CHECK(rowfn_key_hash(&c.keys, 7, &c.word[0]) == 1, "3 bytes");
	CHECK(rowfn_keys_equal(&c.keys, 7, &c.keys, 7) == 0, "3 bytes");
	test_done("numeric");
}

/* Several columns: equal where all are; order and place count. */
static void
test_columns(Rng *rng)
{
	Column8		c;
	int			round;
	int			different = 0;
	int			alike = 0;

	column_begin(&c, ROWFN_KEY_VALUE);
	c.keys.ncolumns = 2;
	c.keys.column[1] = c.keys.column[0];
	c.keys.column[1].value = c.value + 1;
	c.value[0] = 5;
	c.value[1] = 6;
	c.value[2] = 5;
	c.value[3] = 5;
	CHECK(hash_of(&c.keys, 0) != hash_of(&c.keys, 1), "(5, 6) and (6, 5)");
	CHECK(hash_of(&c.keys, 4) != hash_of(&c.keys, 2), "(0, 0) and (5, 5)");
	CHECK(!rowfn_keys_exact(&c.keys), "two columns");

	for (round = 0; round < test_rounds(500); round++)
	{
		HashKeyShape shape = hash_gen_shape(rng, 50);
		HashSide	a = hash_gen_side(rng, &shape, 50);
		HashSide	b = hash_gen_side(rng, &shape, 50);
		uint32_t	i;
		uint32_t	j;

		CHECK(rowfn_keys_exact(&a.keys) == (shape.ncolumns == 1 && shape.kind[0] == ROWFN_KEY_WORD && shape.hash_bits == 32), "exact");
		for (i = 0; i < a.n; i++)
			for (j = 0; j < b.n; j++)
			{
				uint32_t	ah;
				uint32_t	bh;
				int			same = a.id[i] == b.id[j];

				if (!rowfn_keys_valid(&a.keys, i) || !rowfn_keys_valid(&b.keys, j))
					continue;
				ah = hash_of(&a.keys, i);
				bh = hash_of(&b.keys, j);
				CHECK(rowfn_keys_equal(&a.keys, i, &b.keys, j) == same, "rows %u and %u", i, j);
				CHECK(!same || ah == bh, "hashes of rows %u and %u", i, j);
				if (shape.hash_bits < 32)
					CHECK((ah & (UINT32_MAX >> shape.hash_bits)) == 0, "%d bits of %X", shape.hash_bits, ah);
				else if (!same)
				{
					different++;
					alike += ah == bh;
				}
			}
		hash_gen_free(&a);
		hash_gen_free(&b);
	}

	/* by chance one pair in 2^32 */
	CHECK(different > 1000 && alike < 3, "%d of %d different keys have one hash", alike, different);
	test_done("several columns");
}

int
main(void)
{
	Rng			rng = rng_make(test_seed());

	test_word(&rng);
	test_values();
	test_texts();
	test_bytes(&rng);
	test_numeric(&rng);
	test_columns(&rng);
	return test_exit();
}
