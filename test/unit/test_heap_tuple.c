/*-------------------------------------------------------------------------
 *
 * test_heap_tuple.c
 *	  Tuples are read back as they were written; hostile pages do no harm.
 *
 * Pages stand at the very end of a mapping, and at the very start of another,
 * with pages next to them that cannot be touched: a read outside of the page
 * is a crash even without ASan.
 *
 * IDENTIFICATION
 *	  test/unit/test_heap_tuple.c
 *
 *-------------------------------------------------------------------------
 */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "heap_gen.h"
#include "naive_values.h"
#include "rowfn/heap_tuple.h"

/* A page of the heap, fenced on both sides. */
static char *
guarded_page(void)
{
	char	   *map = mmap(NULL, 3 * GPUSTR_PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED ||
		mprotect(map + GPUSTR_PAGE_BYTES, GPUSTR_PAGE_BYTES, PROT_READ | PROT_WRITE) != 0)
	{
		perror("mmap");
		exit(2);
	}
	return map + GPUSTR_PAGE_BYTES;
}

/* A "program" that holds the missing values. */
static void
place_missing(HeapGenTable *table, char *program)
{
	uint32_t	off = 0;
	int32_t		i;

	for (i = 0; i < table->nattrs; i++)
	{
		table->attr[i].missing_off = off;
		memcpy(program + off, table->missing[i], table->attr[i].missing_bytes);
		off += table->attr[i].missing_bytes;
	}
}

/* Read attribute i, which is of fixed length or a C string, and compare. */
static void
check_fixed(const char *page, uint16_t line, const HeapGenTable *table, int32_t i,
			const char *program, const HeapGenValue *want)
{
	RowfnHeapStart start = rowfn_heap_start(table->attr, i + 1);
	int32_t		bytes = table->attr[i].len;
	int			want_state = want->state == HEAP_GEN_NULL ? ROWFN_HEAP_NULL :
	want->state == HEAP_GEN_VALUE && bytes == want->len ? ROWFN_HEAP_VALUE : ROWFN_HEAP_RECHECK;
	const char *text;
	int32_t		len;
	int			state;
	int			type;

	state = rowfn_heap_bytes(page, line, table->attr, i + 1, start, program, 0, &text, &len);
	CHECK(state == want_state, "line %d attribute %d: state %d, not %d", line, i + 1, state, want_state);
	CHECK(len == (state == ROWFN_HEAP_VALUE ? bytes : 0) && memcmp(text, want->text, (size_t) len) == 0,
		  "line %d attribute %d: other bytes", line, i + 1);
	state = rowfn_heap_bytes(page, line, table->attr, i + 1, start, program, 1, &text, &len);
	CHECK(state == want_state, "line %d attribute %d: state %d, not %d", line, i + 1, state, want_state);
	if (state == ROWFN_HEAP_VALUE)
	{
		const char *zero = memchr(want->text, 0, (size_t) bytes);

		CHECK(len == (zero != NULL ? zero - want->text : bytes) && memcmp(text, want->text, (size_t) len) == 0,
			  "line %d attribute %d: another string", line, i + 1);
	}
	else
		CHECK(len == 0, "length %d without a value", len);
	for (type = 1; type <= GPUSTR_VALUE_LAST; type++)
	{
		int			fits = bytes == naive_value_bytes[type];
		int64_t		value;
		int64_t		want_value = want_state == ROWFN_HEAP_VALUE && fits ? naive_load(want->text, type) : 0;

		state = rowfn_heap_value(page, line, table->attr, i + 1, start, program, type, &value);
		CHECK(state == (want_state == ROWFN_HEAP_VALUE && !fits ? ROWFN_HEAP_RECHECK : want_state),
			  "line %d attribute %d: state %d for type %d", line, i + 1, state, type);
		CHECK(value == want_value, "line %d attribute %d: value %lld, not %lld of type %d", line, i + 1,
			  (long long) value, (long long) want_value, type);
	}
	state = rowfn_heap_text(page, line, table->attr, i + 1, start, program, &text, &len);
	CHECK(state == (want->state == HEAP_GEN_NULL ? ROWFN_HEAP_NULL : ROWFN_HEAP_RECHECK) && len == 0,
		  "line %d attribute %d: a text", line, i + 1);
}

/* Read attribute i of a row and compare. */
static void
check_attr(const char *page, uint16_t line, const HeapGenTable *table, int32_t i,
		   const char *program, const HeapGenValue *want)
{
	const char *text;
	const char *bytes;
	int32_t		len;
	int32_t		bytes_len;
	int			state = rowfn_heap_text(page, line, table->attr, i + 1,
										rowfn_heap_start(table->attr, i + 1), program, &text, &len);
	int			isnull = rowfn_heap_isnull(page, line, table->attr, i + 1);
	int			want_null = want->state == HEAP_GEN_BROKEN ? GPUSTR_RECHECK :
	want->state == HEAP_GEN_NULL ? GPUSTR_TRUE : GPUSTR_FALSE;

	CHECK(isnull == want_null, "line %d attribute %d: IS NULL is %d, not %d", line, i + 1, isnull,
		  want_null);
	if (table->attr[i].len != -1)
	{
		check_fixed(page, line, table, i, program, want);
		return;
	}
	CHECK(rowfn_heap_bytes(page, line, table->attr, i + 1, rowfn_heap_start(table->attr, i + 1), program,
						   0, &bytes, &bytes_len) != ROWFN_HEAP_VALUE && bytes_len == 0,
		  "line %d attribute %d: a varlena of fixed length", line, i + 1);
	if (want->state == HEAP_GEN_VALUE)
	{
		CHECK(state == ROWFN_HEAP_VALUE, "line %d attribute %d: state %d", line, i + 1, state);
		CHECK(len == want->len && memcmp(text, want->text, (size_t) len) == 0,
			  "line %d attribute %d: \"%.*s\", not \"%.*s\"", line, i + 1, len, text,
			  want->len, want->text);
	}
	else
		CHECK(state == (want->state == HEAP_GEN_NULL ? ROWFN_HEAP_NULL : ROWFN_HEAP_RECHECK),
			  "line %d attribute %d: state %d for %d", line, i + 1, state, want->state);
	CHECK(state == ROWFN_HEAP_VALUE || len == 0, "length %d without a value", len);
}

/* Fill a page with random tuples and read all of it back. */
static int
round_trip(Rng *rng, char *page)
{
	static HeapGenValue values[HEAP_GEN_MAX_ATTRS];
	static HeapGenValue broken;
	HeapGenTable table;
	char		program[HEAP_GEN_MAX_ATTRS * HEAP_GEN_MAX_MISSING];
	int			rows = 0;

	(void) heap_gen_table(rng, &table);
	place_missing(&table, program);
	heap_gen_page_init(page);
	for (;;)
	{
		int32_t		natts = rng_one_in(rng, 4) ? 1 + rng_below(rng, table.nattrs) : table.nattrs;
		uint16_t	line;
		int32_t		i;

		if (rng_one_in(rng, 20))
		{
			line = heap_gen_page_add_broken(rng, page);
			broken.state = HEAP_GEN_BROKEN;
			for (i = 0; line != 0 && i < table.nattrs; i++)
				check_attr(page, line, &table, i, program, &broken);
			if (line == 0)
				break;
			continue;
		}
		for (i = 0; i < natts; i++)
			heap_gen_value(rng, &table, i, TEST_ALL_LETTERS, &values[i]);
		if (rng_one_in(rng, 3)) /* without a null bitmap */
			for (i = 0; i < natts; i++)
				if (values[i].state == HEAP_GEN_NULL)
				{
					values[i].state = HEAP_GEN_VALUE;
					values[i].len = table.attr[i].len > 0 ? table.attr[i].len : 0;
				}
		line = heap_gen_page_add(rng, page, &table, values, natts);
		if (line == 0)
			break;
		rows++;
		for (i = 0; i < table.nattrs; i++)
			check_attr(page, line, &table, i, program, &values[i]);
	}
	return rows;
}

/* What was read must lie in the page or in the program; touch all of it. */
static uint32_t
touch(const char *page, const char *program, int state, const char *text, int32_t len)
{
	uint32_t	sum = 0;
	int32_t		j;

	CHECK(state == ROWFN_HEAP_VALUE || len == 0, "length without a value");
	CHECK(len >= 0, "length %d", len);
	if (state != ROWFN_HEAP_VALUE)
		return 0;
	CHECK((text >= page && text + len <= page + GPUSTR_PAGE_BYTES) ||
		  (text >= program && text + len <= program + HEAP_GEN_MAX_ATTRS * HEAP_GEN_MAX_MISSING),
		  "a value outside of the page");
	for (j = 0; j < len; j++)
		sum += (unsigned char) text[j];
	return sum;
}

/* Read all of lines [first, end) of a page, whatever it holds. */
static void
read_lines(const char *page, int32_t first, int32_t end, const HeapGenTable *table,
		   const char *program, uint32_t *sum)
{
	int32_t		line;
	int32_t		i;

	for (line = first; line < end; line++)
		for (i = 0; i < table->nattrs; i++)
		{
			RowfnHeapStart start = rowfn_heap_start(table->attr, i + 1);
			const char *text;
			int64_t		value;
			int32_t		len;
			int			state;
			int			type = 1 + (line + i) % GPUSTR_VALUE_LAST;

			state = rowfn_heap_text(page, (uint16_t) line, table->attr, i + 1, start, program, &text, &len);
			*sum += touch(page, program, state, text, len);
			state = rowfn_heap_bytes(page, (uint16_t) line, table->attr, i + 1, start, program, line % 2,
									 &text, &len);
			*sum += touch(page, program, state, text, len);
			state = rowfn_heap_value(page, (uint16_t) line, table->attr, i + 1, start, program, type, &value);
			CHECK(state == ROWFN_HEAP_VALUE || value == 0, "a value without a value");
			*sum += (uint32_t) value;
			*sum += (uint32_t) rowfn_heap_isnull(page, (uint16_t) line, table->attr, i + 1);
		}
}

/*
 * Every header byte at each of the last 8 bytes of the page: 3 text attributes,
 * the first of which fills the tuple up to there.
 */
static void
page_end(char *page, uint32_t *sum)
{
	uint32_t	lp = (GPUSTR_PAGE_BYTES - 32) | 1u << 15 | 32u << 17;
	HeapGenTable table;
	char		program[HEAP_GEN_MAX_ATTRS * HEAP_GEN_MAX_MISSING];
	int			at;
	int			header;
	int			after;

	memset(&table, 0, sizeof(table));
	memset(program, 0, sizeof(program));
	table.nattrs = 3;
	for (at = 0; at < 3; at++)
	{
		table.attr[at].len = -1;
		table.attr[at].align = 4;
	}
	for (at = 1; at <= 8; at++)
		for (header = 0; header < 256; header++)
			for (after = 0; after < 256; after += header == 1 || header % 4 == 0 ? 1 : 51)
			{
				char	   *tuple = page + GPUSTR_PAGE_BYTES - 32;

				heap_gen_page_init(page);
				page[12] = 28;	/* pd_lower: one line pointer */
				memcpy(page + 24, &lp, 4);
				tuple[18] = 3;
				tuple[22] = 24;
				tuple[24] = (char) (at << 1 | 1);
				if (at < 8)
					tuple[24 + at] = (char) header;
				if (at < 7)
					tuple[25 + at] = (char) after;
				read_lines(page, 1, 2, &table, program, sum);
			}
}

static void
hostile(Rng *rng, char *page, uint32_t *sum)
{
	HeapGenTable table;
	char		program[HEAP_GEN_MAX_ATTRS * HEAP_GEN_MAX_MISSING];
	int			kind = rng_below(rng, 4);
	int			n;

	if (kind == 0)
	{
		/* noise, with a plausible pd_lower and, at times, line pointers */
		for (n = 0; n < GPUSTR_PAGE_BYTES; n++)
			page[n] = (char) rng_next(rng);
		page[13] &= 0x1F;
		for (n = 24; n < 1000 && rng_one_in(rng, 2) == 0; n += 4)
			page[n + 1] = (char) ((page[n + 1] & 0x7F) | 0x80);
		(void) heap_gen_table(rng, &table);
		place_missing(&table, program);
	}
	else
	{
		(void) round_trip(rng, page);
		(void) heap_gen_table(rng, &table); /* another table's attributes */
		place_missing(&table, program);
		for (n = kind == 1 ? 0 : rng_below(rng, 200); n > 0; n--)
		{
			int32_t		at = rng_one_in(rng, 2) ? rng_below(rng, 400) : rng_below(rng, GPUSTR_PAGE_BYTES);

			page[at] = rng_one_in(rng, 2) ? (char) rng_next(rng) : (char) (page[at] ^ (1 << rng_below(rng, 8)));
		}
		if (kind == 3)			/* lengths and offsets at their limits */
			for (n = 0; n < 40; n++)
			{
				uint32_t	off = 8u * (uint32_t) rng_below(rng, 1025);
				uint32_t	lp = off | 1u << 15 | (8192u - (off < 8192 ? off : 8192) + (uint32_t) rng_below(rng, 2)) << 17;

				memcpy(page + 24 + 4 * n, &lp, 4);
			}
	}
	read_lines(page, 0, 320, &table, program, sum);
	read_lines(page, 2030, 2060, &table, program, sum);
	read_lines(page, 65530, 65536, &table, program, sum);

	/* all of the page line pointers, and more */
	if (rng_one_in(rng, 4))
	{
		page[12] = (char) rng_next(rng);
		page[13] = (char) (rng_one_in(rng, 2) ? 0x20 : rng_next(rng));
		read_lines(page, 0, 2100, &table, program, sum);
		n = rng_below(rng, 65000);
		read_lines(page, n, n + 100, &table, program, sum);
	}
}

int
main(void)
{
	char	   *page = guarded_page();
	Rng			rng = rng_make(test_seed());
	uint32_t	sum = 0;
	int			rows = 0;
	int			i;

	for (i = 0; i < test_rounds(3000); i++)
		rows += round_trip(&rng, page);
	CHECK(rows > test_rounds(3000), "only %d rows", rows);
	printf("# %d rows\n", rows);
	test_done("tuples are read back");
	page_end(page, &sum);
	test_done("tuples that end with the page");
	for (i = 0; i < test_rounds(3000); i++)
		hostile(&rng, page, &sum);
	printf("# sum %u\n", sum);
	test_done("hostile pages");
	return test_exit();
}
