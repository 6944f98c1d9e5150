/*-------------------------------------------------------------------------
 *
 * test_hash_table.c
 *	  The hash table of a join, in the host engine, against nested loops.
 *
 * IDENTIFICATION
 *	  test/unit/test_hash_table.c
 *
 *-------------------------------------------------------------------------
 */
#include "engine/host_hash.h"
#include "hash_gen.h"

#define GUARD UINT32_C(0xA5A5A5A5)

/* A table and its memory. */
typedef struct Built
{
	HostHash	hash;
	uint64_t   *slots;
	uint32_t   *met;
	uint32_t   *count;
	uint32_t   *runs;
	uint64_t	run_words;
} Built;

/* Build; rows that are left out stay so. */
static Built
build(const HashSide *inner, uint32_t nwindows, uint32_t window)
{
	Built		b;
	uint64_t	nslots = (uint64_t) nwindows * window;

	memset(&b, 0, sizeof(b));
	b.slots = (uint64_t *) malloc(8 * nslots);
	b.met = (uint32_t *) malloc(4 * (size_t) inner->n + 4);
	host_hash_begin(&b.hash, &inner->keys, b.slots, nwindows, window);

	/* in two pieces */
	host_hash_insert(&b.hash, 0, inner->n / 3, b.met);
	host_hash_insert(&b.hash, inner->n / 3, inner->n - inner->n / 3, b.met);
	if (b.hash.repeated > 0)
	{
		uint64_t	most = host_hash_run_words(inner->n, b.hash.repeated);

		b.count = (uint32_t *) malloc(4 * nslots);
		b.runs = (uint32_t *) malloc(4 * most);
		b.run_words = host_hash_make_runs(&b.hash, inner->n, b.met, b.count, b.runs);
		CHECK(b.run_words <= most, "%llu words of %llu", (unsigned long long) b.run_words, (unsigned long long) most);
	}
	return b;
}

static void
drop(Built *b)
{
	free(b->slots);
	free(b->met);
	free(b->count);
	free(b->runs);
}

/* Pairs by nested loops, in order; *npairs of them. */
static void
naive_join(const HashSide *outer, const HashSide *inner, int is_outer, uint32_t *pairs, uint32_t *npairs)
{
	uint32_t	n = 0;
	uint32_t	i;
	uint32_t	j;

	for (i = 0; i < outer->n; i++)
	{
		uint32_t	before = n;

		for (j = 0; j < inner->n; j++)
			if (hash_gen_match(outer, i, inner, j))
			{
				pairs[2 * n] = i;
				pairs[2 * n++ + 1] = j;
			}
		if (is_outer && n == before)
		{
			pairs[2 * n] = i;
			pairs[2 * n++ + 1] = ROWFN_NO_ROW;
		}
	}
	*npairs = n;
}

/* Retrieve with an area for 'room' pairs, and compare. */
static void
check_retrieve(const Built *b, const HashSide *outer, int is_outer, const uint32_t *pairs, uint32_t npairs,
			   uint32_t room)
{
	HostHashProgress progress = {0, 0};
	uint32_t   *out = (uint32_t *) malloc(8 * (size_t) room + 8);
	uint32_t	n = 0;

	for (;;)
	{
		uint32_t	got;
		uint32_t	i;

		for (i = 0; i < 2 * room + 2; i++)
			out[i] = GUARD;
		got = host_hash_retrieve(&b->hash, &outer->keys, outer->n, is_outer, &progress, out, out + room, room);
		CHECK(got <= room && n + got <= npairs, "%u + %u pairs of %u", n, got, npairs);
		CHECK(out[2 * room] == GUARD && out[2 * room + 1] == GUARD, "room %u", room);
		for (i = 0; i < got && n < npairs; i++, n++)
			CHECK(out[i] == pairs[2 * n] && out[room + i] == pairs[2 * n + 1],
				  "pair %u: (%u, %u), not (%u, %u)", n, out[i], out[room + i], pairs[2 * n], pairs[2 * n + 1]);
		if (progress.row == outer->n || test_bad > 0)
			break;
		CHECK(got == room, "%u pairs in room for %u", got, room);
	}
	CHECK(n == npairs, "%u pairs of %u", n, npairs);
	free(out);
}

/* All that can be asked of a table. */
static void
check_all(const HashSide *outer, const HashSide *inner, Built *b, int every_room)
{
	uint32_t   *pairs = (uint32_t *) malloc(8 * ((size_t) outer->n * inner->n + outer->n) + 8);
	uint32_t   *each = (uint32_t *) malloc(4 * (size_t) outer->n + 4);
	uint32_t   *bits = (uint32_t *) calloc((outer->n + inner->n) / 32 + 2, 4);
	uint32_t	npairs;
	uint32_t	i;
	uint32_t	j;
	int			is_outer;

	for (is_outer = 0; is_outer < 2; is_outer++)
	{
		uint64_t	sum;

		naive_join(outer, inner, is_outer, pairs, &npairs);
		sum = host_hash_count(&b->hash, &outer->keys, outer->n, is_outer, each);
		CHECK(sum == npairs, "%llu of %u", (unsigned long long) sum, npairs);
		CHECK(host_hash_count(&b->hash, &outer->keys, outer->n, is_outer, NULL) == npairs, "%u", npairs);
		for (i = 0, j = 0; i < outer->n; i++)
		{
			uint32_t	rows = 0;

			for (; j < npairs && pairs[2 * j] == i; j++)
				rows++;
			CHECK(each[i] == rows, "row %u: %u, not %u", i, each[i], rows);
		}
		if (every_room)
			for (i = 1; i <= npairs + 1; i++)
				check_retrieve(b, outer, is_outer, pairs, npairs, i);
		else
			check_retrieve(b, outer, is_outer, pairs, npairs, npairs / 3 + 1);
	}

	/* bits, and a row for each */
	host_hash_find(&b->hash, &outer->keys, outer->n, each);
	memset(bits, 0xA5, 4 * (size_t) ((outer->n + 31) / 32));
	host_hash_contains(&b->hash, &outer->keys, outer->n, bits);
	for (i = 0; i < outer->n; i++)
	{
		for (j = 0; j < inner->n && !hash_gen_match(outer, i, inner, j); j++)
			;
		CHECK(each[i] == (j < inner->n ? j : ROWFN_NO_ROW), "row %u: %u, not %u", i, each[i], j);
		CHECK((bits[i / 32] >> i % 32 & 1) == (j < inner->n), "row %u", i);
	}

	/* inner rows that are met, at once and by their pairs */
	memset(bits, 0, 4 * (size_t) ((inner->n + 31) / 32));
	for (is_outer = 0; is_outer < 2; is_outer++)
	{
		if (is_outer == 0)
			host_hash_mark(&b->hash, &outer->keys, outer->n, bits);
		else
		{
			naive_join(outer, inner, 1, pairs, &npairs);
			for (i = 0; i < npairs; i++)
				pairs[i] = pairs[2 * i + 1];
			memset(bits, 0, 4 * (size_t) ((inner->n + 31) / 32));
			host_hash_mark_rows(pairs, npairs, bits);
		}
		for (j = 0; j < inner->n; j++)
		{
			for (i = 0; i < outer->n && !hash_gen_match(outer, i, inner, j); i++)
				;
			CHECK((bits[j / 32] >> j % 32 & 1) == (i < outer->n), "inner row %u", j);
		}
	}

	/* marks leave no trace */
	CHECK(host_hash_count(&b->hash, &outer->keys, outer->n, 1, NULL) == npairs, "%u", npairs);
	free(pairs);
	free(each);
	free(bits);
}

static uint32_t
valid_rows(const HashSide *side)
{
	uint32_t	n = 0;
	uint32_t	i;

	for (i = 0; i < side->n; i++)
		n += rowfn_keys_valid(&side->keys, i) != 0;
	return n;
}

/* Keys of all kinds, loads up to a full table, windows of all sizes. */
static void
test_random(Rng *rng)
{
	int			round;

	for (round = 0; round < test_rounds(300); round++)
	{
		uint32_t	most = rng_one_in(rng, 10) ? 700 : 60;
		HashKeyShape shape = hash_gen_shape(rng, most);
		HashSide	inner = hash_gen_side(rng, &shape, (uint32_t) rng_below(rng, (int32_t) most));
		HashSide	outer = hash_gen_side(rng, &shape, (uint32_t) rng_below(rng, (int32_t) most));
		uint32_t	window = UINT32_C(1) << rng_below(rng, 5);
		int32_t		load = rng_one_in(rng, 3) ? 100 : 10 + rng_below(rng, 90);
		Built		b = build(&inner, rowfn_table_windows(inner.n, load, window), window);

		CHECK(b.hash.left_out == 0, "%u rows left out", b.hash.left_out);
		CHECK(b.hash.distinct + b.hash.repeated == valid_rows(&inner), "%u + %u rows", b.hash.distinct, b.hash.repeated);
		check_all(&outer, &inner, &b, most == 60 && rng_one_in(rng, 4));
		drop(&b);
		hash_gen_free(&inner);
		hash_gen_free(&outer);
	}
	test_done("random keys");
}

/* A table of words: inner, outer. */
static HashSide
words_side(const uint32_t *words, uint32_t n, const uint32_t *valid)
{
	HashSide	side;
	uint32_t	i;

	memset(&side, 0, sizeof(side));
	side.n = n;
	side.keys.ncolumns = 1;
	side.keys.hash_bits = ROWFN_HASH_BITS;
	side.keys.valid = valid;
	side.keys.column[0].kind = ROWFN_KEY_WORD;
	side.keys.column[0].value = words;
	side.id = (uint64_t *) malloc(8 * (size_t) n + 8);
	for (i = 0; i < n; i++)
		side.id[i] = words[i];
	return side;
}

/* Whatever a slot can hold, it is no key by accident. */
static void
test_any_key(void)
{
	uint32_t	words[16];
	uint32_t	i;
	uint32_t	kept;

	/* hashes that an empty slot, and rows and marks, look like */
	for (i = 0; i < 8; i++)
	{
		static const uint32_t hashes[] = {0xFFFFFFFF, 0, 0xFFFFFFFE, 0x80000000, 0x7FFFFFFF, 1, 0xA5A5A5A5, 2};

		words[i] = rowfn_unhash_word(hashes[i]);
		words[8 + i] = hashes[i];
	}
	for (kept = 0; kept < 1 << 16; kept += kept < 300 ? 1 : 251)
	{
		uint32_t	some[16];
		uint32_t	n = 0;
		uint32_t	window;
		HashSide	inner;
		HashSide	outer = words_side(words, 16, NULL);

		for (i = 0; i < 16; i++)
			if ((kept >> i & 1) != 0)
				some[n++] = words[i];
		inner = words_side(some, n, NULL);
		for (window = 1; window <= 4; window *= 4)
		{
			Built		b = build(&inner, rowfn_table_windows(n, 100, window), window);

			check_all(&outer, &inner, &b, 0);
			drop(&b);
		}
		free(inner.id);
		free(outer.id);
	}
	test_done("any word is a key");
}

/* A table that is too small says so, and what is in it is found. */
static void
test_overflow(Rng *rng)
{
	int			round;

	for (round = 0; round < test_rounds(200); round++)
	{
		HashKeyShape shape = hash_gen_shape(rng, 100);
		HashSide	inner = hash_gen_side(rng, &shape, 100);
		uint32_t	window = UINT32_C(1) << rng_below(rng, 4);
		uint32_t	nwindows = 1 + (uint32_t) rng_below(rng, 8);
		Built		b = build(&inner, nwindows, window);
		uint32_t	distinct = 0;
		uint32_t	left_out = 0;
		uint32_t	i;
		uint32_t	j;

		/* keys beyond the first nwindows * window different ones */
		for (i = 0; i < inner.n; i++)
		{
			if (!rowfn_keys_valid(&inner.keys, i))
				continue;
			for (j = 0; j < i && !hash_gen_match(&inner, i, &inner, j); j++)
				;
			if (j == i && distinct < nwindows * window)
				distinct++;
			else if (j == i || host_hash_look_up(&b.hash, &inner.keys, i) == ROWFN_NO_ROW)
				left_out++;
		}
		CHECK(b.hash.distinct == distinct, "%u keys, not %u", b.hash.distinct, distinct);
		CHECK(b.hash.left_out == left_out, "%u left out, not %u", b.hash.left_out, left_out);
		CHECK(b.hash.distinct + b.hash.repeated + b.hash.left_out == valid_rows(&inner), "%u rows", inner.n);
		drop(&b);
		hash_gen_free(&inner);
	}
	test_done("a table that is too small");
}

/* A key that occurs often costs no more than many that occur once. */
static void
test_repeated(void)
{
	uint32_t	n = 2000000;
	uint32_t	nouter = 100000;
	uint32_t   *words = (uint32_t *) malloc(4 * (size_t) n);
	uint32_t   *outer_words = (uint32_t *) malloc(4 * (size_t) nouter);
	uint32_t   *matched = (uint32_t *) calloc(n / 32 + 1, 4);
	uint32_t   *out = (uint32_t *) malloc(8 * 1000);
	HostHashProgress progress = {0, 0};
	HashSide	inner;
	HashSide	outer;
	Built		b;
	uint32_t	i;

	for (i = 0; i < n; i++)
		words[i] = i % 25;
	for (i = 0; i < nouter; i++)
		outer_words[i] = i % 50;
	inner = words_side(words, n, NULL);
	outer = words_side(outer_words, nouter, NULL);
	b = build(&inner, rowfn_table_windows(n, ROWFN_TABLE_LOAD, HOST_HASH_WINDOW), HOST_HASH_WINDOW);
	CHECK(b.hash.distinct == 25 && b.hash.repeated == n - 25, "%u keys, %u more", b.hash.distinct, b.hash.repeated);
	CHECK(b.run_words == n + 25, "%llu words", (unsigned long long) b.run_words);

	/* 4 billion matches */
	CHECK(host_hash_count(&b.hash, &outer.keys, nouter, 0, NULL) == (uint64_t) nouter / 2 * (n / 25), "%u", n);
	for (i = 0; i < 200; i++)
	{
		uint32_t	got = host_hash_retrieve(&b.hash, &outer.keys, nouter, 0, &progress, out, out + 1000, 1000);

		CHECK(got == 1000 && out[0] == i / 80 && out[1000] == (i % 80) * 25000 + i / 80, "call %u: (%u, %u)", i, out[0], out[1000]);
	}
	host_hash_mark(&b.hash, &outer.keys, nouter, matched);
	for (i = 0; i < n / 32; i++)
		CHECK(matched[i] == UINT32_MAX, "word %u", i);
	drop(&b);
	free(inner.id);
	free(outer.id);
	free(words);
	free(outer_words);
	free(matched);
	free(out);
	test_done("25 keys in 2 million rows");
}

/* Examples of the comments. */
static void
test_examples(void)
{
	static const uint32_t inner_words[] = {7, 5, 7, 9, 5, 7, 1, 2};
	static const uint32_t outer_words[] = {1, 7, 3, 5, 7, 7, 9, 0};
	static const uint32_t counts[] = {1, 3, 0, 2, 3, 0, 1, 0};
	static const uint32_t runs[] = {3, 7, 1, 4, 2, 0, 6};
	static const uint32_t values[] = {5, 0x80000000, 0x80000000, 0x80000000, 0x80000004, 0x80000004, 9, ROWFN_NO_ROW};
	static const uint32_t nth[] = {0, 0, 1, 2, 0, 1, 0, 0};
	static const uint32_t rows[] = {5, 7, 1, 4, 0, 6, 9, ROWFN_NO_ROW};
	static const int64_t many[] = {0, 1, 4, 8, 9, 100, 1000, 1 << 30};
	static const uint32_t windows[] = {1, 1, 2, 4, 5, 50, 500, 1 << 29};
	static const uint32_t parted[] = {0, 1, 2, 3, 4, 0x80000000, 0xC0000000, 0xFFFFFFFF};
	static const int32_t parts[] = {0, 2, 0, 3, 1, 2, 3, 1};
	static const uint32_t hashes[] = {0, 1, 0x1FFFFFFF, 0x20000000, 0x7FFFFFFF, 0x80000000, 0xE0000000, 0xFFFFFFFF};
	static const uint32_t firsts[] = {0, 0, 0, 1, 3, 4, 7, 7};
	static const uint32_t some[] = {5, 1, ROWFN_NO_ROW, 1, 0, 5, 7, 1};
	uint32_t	valid = 0xDF;
	uint32_t	each[8];
	uint32_t	bits = 0;
	HashSide	inner = words_side(inner_words, 8, NULL);
	HashSide	outer = words_side(outer_words, 8, &valid);
	Built		b = build(&inner, rowfn_table_windows(8, 50, 4), 4);
	uint32_t	i;

	CHECK(b.hash.distinct == 5 && b.hash.repeated == 3, "%u %u", b.hash.distinct, b.hash.repeated);
	CHECK(b.met[2] == b.met[5] && b.met[2] != ROWFN_NO_ROW && b.met[4] != ROWFN_NO_ROW &&
		  b.met[4] != b.met[2] && b.met[0] == ROWFN_NO_ROW, "%u %u", b.met[2], b.met[4]);
	CHECK(b.run_words == 7, "%llu", (unsigned long long) b.run_words);
	CHECK(host_hash_count(&b.hash, &outer.keys, 8, 0, each) == 10 && memcmp(each, counts, sizeof(counts)) == 0, "counts");
	CHECK(host_hash_count(&b.hash, &outer.keys, 8, 1, NULL) == 13, "counts, outer");
	host_hash_mark_rows(some, 8, &bits);
	CHECK(bits == 0xA3, "%x", bits);
	for (i = 0; i < 8; i++)
	{
		CHECK(rowfn_value_row(runs, values[i], nth[i]) == rows[i], "value %u", i);
		CHECK(rowfn_table_windows(many[i], 50, 4) == windows[i], "rows %u: %u", i, rowfn_table_windows(many[i], 50, 4));
		CHECK(rowfn_partition(parted[i], 4) == parts[i], "hash %u", i);
		CHECK(rowfn_table_first(hashes[i], 8) == firsts[i], "hash %u", i);
	}
	CHECK(rowfn_table_windows((INT64_C(1) << 30) + 1, 50, 4) == 0, "too many rows");
	CHECK(rowfn_table_windows(1 << 30, 25, 4) == 0, "too many slots");
	drop(&b);
	free(inner.id);
	free(outer.id);
	test_done("examples");
}

int
main(void)
{
	Rng			rng = rng_make(test_seed());

	test_examples();
	test_any_key();
	test_random(&rng);
	test_overflow(&rng);
	test_repeated();
	return test_exit();
}
