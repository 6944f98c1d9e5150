/*-------------------------------------------------------------------------
 *
 * heap_gen.c
 *	  Make heap pages for the tests: PostgreSQL's format, without PostgreSQL.
 *
 * Written from the description of the page layout in PostgreSQL's manual, and
 * apart from rowfn/heap_tuple.h.  What a reader should not look at (hint bits,
 * transaction ids, command ids, the page's LSN) is random.
 *
 * IDENTIFICATION
 *	  test/unit/heap_gen.c
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>

#include "heap_gen.h"

static void
put16(char *at, uint32_t value)
{
	at[0] = (char) (value & 0xFF);
	at[1] = (char) (value >> 8);
}

static uint32_t
get16(const char *at)
{
	return (uint32_t) (unsigned char) at[0] | (uint32_t) (unsigned char) at[1] << 8;
}

static void
put32(char *at, uint32_t value)
{
	put16(at, value & 0xFFFF);
	put16(at + 2, value >> 16);
}

static void
put_noise(Rng *rng, char *at, int32_t bytes)
{
	while (bytes-- > 0)
		*at++ = (char) rng_next(rng);
}

static int32_t
align_to(int32_t off, int32_t align)
{
	while (off % align != 0)
		off++;
	return off;
}

void
heap_gen_fixed(Rng *rng, char *out, int32_t bytes)
{
	static const double floats[] = {
		0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 1e30, 1e-30, 3.4028234663852886e38,
		1e300, 1e-300, 1.7976931348623157e308, 5e-324, 32767.5, -32768.5, 2147483647.5,
		-2147483648.5, 9223372036854774784.0, 9223372036854775808.0, -9223372036854775808.0,
		4503599627370495.5, INFINITY, -INFINITY, NAN, -NAN
	};
	int64_t		number = rng_below(rng, 7) - 3;
	int			kind = rng_below(rng, 6);

	put_noise(rng, out, bytes);
	if (bytes == 16)
	{
		number = (rng_below(rng, 9) - 4) * INT64_C(43200000000);
		if (kind < 5)
		{
			memcpy(out, &number, 8);
			put32(out + 8, (uint32_t) (rng_below(rng, 7) - 3 + (kind == 0 ? 30 : 0)));
			put32(out + 12, (uint32_t) (rng_below(rng, 3) - 1));
		}
	}
	else if (bytes == 64)
	{
		if (kind < 5)
		{
			memset(out, 0, (size_t) bytes);
			(void) test_text(rng, out, rng_below(rng, bytes + 1), TEST_ALL_LETTERS);
		}
	}
	else if (bytes <= 8 && kind < 5)
	{
		if (kind == 3)
			number = (int64_t) ((uint64_t) number + (UINT64_C(1) << (8 * bytes - 1)));	/* the limits */
		else if (kind == 4)
		{
			double		d = floats[rng_below(rng, (int32_t) (sizeof(floats) / sizeof(floats[0])))];
			float		f = (float) d;

			memcpy(&number, &d, 8);
			if (bytes == 4)
				memcpy(&number, &f, 4);
		}
		memcpy(out, &number, (size_t) bytes);	/* little-endian */
	}
}

int32_t
heap_gen_numeric(Rng *rng, char *out)
{
	static const uint16_t special[] = {0xC000, 0xC000, 0xD000, 0xF000, 0xE000, 0xC001};
	static const uint16_t digits[] = {0, 0, 1, 2, 999, 1000, 5000, 9999};
	int32_t		weight = rng_one_in(rng, 8) ? rng_below(rng, 128) - 64 : rng_below(rng, 5) - 2;
	uint32_t	negative = (uint32_t) rng_below(rng, 2);
	int32_t		bytes = 2;
	int			n;

	if (rng_one_in(rng, 10))
	{
		put16(out, special[rng_below(rng, 6)]);
		put16(out + 2, 0);
		return rng_one_in(rng, 4) ? 4 : 2;
	}
	if (rng_one_in(rng, 3))
	{
		put16(out, negative << 14 | (uint32_t) rng_below(rng, 0x4000));
		put16(out + 2, (uint32_t) weight & 0xFFFF);
		bytes = 4;
	}
	else
		put16(out, 0x8000 | negative << 13 | (uint32_t) rng_below(rng, 64) << 7 | ((uint32_t) weight & 0x7F));
	for (n = rng_below(rng, 5); n > 0; n--, bytes += 2)
		put16(out + bytes, rng_one_in(rng, 6) ? (uint32_t) rng_below(rng, 10000) : digits[rng_below(rng, 8)]);
	return rng_one_in(rng, 50) ? rng_below(rng, bytes) : bytes;
}

/* A missing value for attribute i. */
static void
make_missing(Rng *rng, HeapGenTable *table, int32_t i)
{
	GpustrAttr *attr = &table->attr[i];

	if (table->numeric[i])
		attr->missing_bytes = (uint32_t) heap_gen_numeric(rng, table->missing[i]);
	else if (attr->len > 0 && !rng_one_in(rng, 8))
	{
		heap_gen_fixed(rng, table->missing[i], attr->len);
		attr->missing_bytes = (uint32_t) attr->len;
	}
	else
		attr->missing_bytes = (uint32_t) test_text(rng, table->missing[i], rng_below(rng, 32),
												   TEST_ALL_LETTERS);
}

int32_t
heap_gen_table(Rng *rng, HeapGenTable *table)
{
	static const struct
	{
		int16_t		len;
		uint8_t		align;
	}			types[] = {
		{1, 1}, {2, 2}, {4, 4}, {8, 8}, {16, 1}, {16, 8}, {12, 4}, {64, 1}, {-2, 1},
		{8, 8}, {4, 4}, {-1, 8}, {-1, 4}, {-1, 4}, {-1, 4}
	};
	int32_t		text;
	int32_t		i;

	memset(table, 0, sizeof(*table));
	table->nattrs = 1 + rng_below(rng, HEAP_GEN_MAX_ATTRS);
	text = rng_below(rng, table->nattrs);
	for (i = 0; i < table->nattrs; i++)
	{
		GpustrAttr *attr = &table->attr[i];
		int			type = i == text ? 14 : rng_below(rng, 15);

		attr->len = types[type].len;
		attr->align = types[type].align;
		attr->missing = (uint8_t) rng_below(rng, 3);
		table->numeric[i] = attr->len == -1 && i != text && rng_one_in(rng, 2);
		if (attr->missing == 1)
			make_missing(rng, table, i);
	}
	return text + 1;
}

void
heap_gen_value(Rng *rng, const HeapGenTable *table, int32_t i, int letters, HeapGenValue *value)
{
	value->state = HEAP_GEN_VALUE;
	value->len = 0;
	if (rng_one_in(rng, 8))
		value->state = HEAP_GEN_NULL;
	else if (table->attr[i].len == -1)
	{
		if (rng_one_in(rng, 16))
			value->state = HEAP_GEN_TOASTED;
		else if (table->numeric[i])
			value->len = heap_gen_numeric(rng, value->text);
		else
			value->len = test_text(rng, value->text,
								   test_length(rng, rng_one_in(rng, 20) ? HEAP_GEN_MAX_TEXT : 200),
								   letters);
	}
	else if (table->attr[i].len > 0)
	{
		value->len = table->attr[i].len;
		heap_gen_fixed(rng, value->text, value->len);
	}
}

void
heap_gen_page_init(char *page)
{
	memset(page, 0, GPUSTR_PAGE_BYTES);
	put16(page + 12, 24);		/* pd_lower */
	put16(page + 14, GPUSTR_PAGE_BYTES);	/* pd_upper */
	put16(page + 16, GPUSTR_PAGE_BYTES);	/* pd_special */
	put16(page + 18, GPUSTR_PAGE_BYTES | 4);	/* size and version */
}

/* Put a varlena at 'off'.  Returns the place after it. */
static int32_t
put_varlena(Rng *rng, char *area, int32_t off, const GpustrAttr *attr, const HeapGenValue *value)
{
	int32_t		bytes;

	if (value->state == HEAP_GEN_TOASTED && rng_one_in(rng, 2))
	{
		area[off] = 1;			/* external, on disk */
		area[off + 1] = 18;
		put_noise(rng, area + off + 2, 16);
		return off + 18;
	}
	if (value->state == HEAP_GEN_VALUE && value->len <= 126 && !rng_one_in(rng, 4))
	{
		area[off] = (char) ((value->len + 1) << 1 | 1);
		memcpy(area + off + 1, value->text, (size_t) value->len);
		return off + 1 + value->len;
	}
	off = align_to(off, attr->align);
	if (value->state == HEAP_GEN_TOASTED)
	{
		bytes = 8 + rng_below(rng, 100);
		put32(area + off, (uint32_t) bytes << 2 | 2);
		put_noise(rng, area + off + 4, bytes - 4);
	}
	else
	{
		bytes = 4 + value->len;
		put32(area + off, (uint32_t) bytes << 2);
		memcpy(area + off + 4, value->text, (size_t) value->len);
	}
	return off + bytes;
}

uint16_t
heap_gen_page_add(Rng *rng, char *page, const HeapGenTable *table, HeapGenValue *values,
				  int32_t natts)
{
	static char tuple[HEAP_GEN_MAX_ATTRS * (HEAP_GEN_MAX_TEXT + 200)];
	int32_t		lower = (int32_t) get16(page + 12);
	int32_t		upper = (int32_t) get16(page + 14);
	int			hasnull = 0;
	int32_t		hoff = 23;
	int32_t		off = 0;
	int32_t		bytes;
	int32_t		i;

	for (i = 0; i < natts; i++)
		hasnull |= values[i].state == HEAP_GEN_NULL;
	if (hasnull)
		hoff += (natts + 7) / 8;
	hoff = align_to(hoff, 8);
	memset(tuple, 0, sizeof(tuple));
	put_noise(rng, tuple, 18);
	put16(tuple + 18, (rng_next(rng) & 0xF800) | (uint32_t) natts);
	put16(tuple + 20, (rng_next(rng) & 0xFFFE) | (uint32_t) hasnull);
	tuple[22] = (char) hoff;
	for (i = 0; i < natts; i++)
	{
		const GpustrAttr *attr = &table->attr[i];
		char	   *area = tuple + hoff;

		if (values[i].state == HEAP_GEN_NULL)
			continue;
		if (hasnull)
			tuple[23 + i / 8] |= (char) (1 << (i % 8));
		if (attr->len == -1)
			off = put_varlena(rng, area, off, attr, &values[i]);
		else if (attr->len == -2)
		{
			int32_t		n = rng_below(rng, 20);

			off = align_to(off, attr->align);
			memset(area + off, 'c', (size_t) n);
			off += n + 1;
		}
		else
		{
			off = align_to(off, attr->align);
			memcpy(area + off, values[i].text, (size_t) attr->len);
			off += attr->len;
		}
	}
	bytes = hoff + off;
	if (upper - align_to(bytes, 8) < lower + 4 || (lower - 24) / 4 >= GPUSTR_PAGE_MAX_ROWS)
		return 0;
	upper -= align_to(bytes, 8);
	memcpy(page + upper, tuple, (size_t) bytes);
	put32(page + lower, (uint32_t) upper | 1u << 15 | (uint32_t) bytes << 17);
	put16(page + 12, (uint32_t) lower + 4);
	put16(page + 14, (uint32_t) upper);

	/* what a reader sees of attributes that the tuple does not have */
	for (i = natts; i < table->nattrs; i++)
	{
		values[i].state = table->attr[i].missing == 0 ? HEAP_GEN_NULL :
			table->attr[i].missing == 1 ? HEAP_GEN_VALUE : HEAP_GEN_TOASTED;
		values[i].len = (int32_t) table->attr[i].missing_bytes;
		memcpy(values[i].text, table->missing[i], (size_t) values[i].len);
	}
	return (uint16_t) ((lower - 24) / 4 + 1);
}

uint16_t
heap_gen_page_add_broken(Rng *rng, char *page)
{
	int32_t		lower = (int32_t) get16(page + 12);
	int32_t		upper = (int32_t) get16(page + 14);
	uint32_t	lp;

	if (upper - 64 < lower + 4 || (lower - 24) / 4 >= GPUSTR_PAGE_MAX_ROWS)
		return 0;
	upper -= 64;
	memset(page + upper, 0, 64);
	put16(page + upper + 18, 1);
	page[upper + 22] = 24;
	lp = (uint32_t) upper | 1u << 15 | 64u << 17;
	switch (rng_below(rng, 8))
	{
		case 0:
			lp = 0;				/* unused */
			break;
		case 1:
			lp = (uint32_t) rng_below(rng, 290) | 2u << 15; /* redirected */
			break;
		case 2:
			lp = 3u << 15;		/* dead */
			break;
		case 3:
			lp += 4;			/* not aligned */
			break;
		case 4:
			lp = (lp & 0x1FFFF) | (uint32_t) rng_below(rng, 23) << 17;	/* too short */
			break;
		case 5:
			lp = (lp & 0x1FFFF) | (uint32_t) (GPUSTR_PAGE_BYTES - upper + 1 + rng_below(rng, 1000)) << 17;
			break;
		case 6:
			page[upper + 22] = (char) (65 + rng_below(rng, 190));	/* t_hoff */
			break;
		default:
			page[upper + 22] = 16;
			break;
	}
	put32(page + lower, lp);
	put16(page + 12, (uint32_t) lower + 4);
	put16(page + 14, (uint32_t) upper);
	return (uint16_t) ((lower - 24) / 4 + 1);
}
