/*-------------------------------------------------------------------------
 *
 * heap_tuple.h
 *	  Take one attribute out of a tuple in a heap page.
 *
 * Bytes of a page are hostile.  While the requester holds its pin the tuples
 * that it named do not move, but after an abort the pin is gone, and other
 * sessions may put anything on the page while it is read.  So each field is
 * read once, and every offset and length is checked against the end of what
 * contains it before it is used.  Of a tuple header only HEAP_HASNULL, the
 * number of attributes and t_hoff are looked at: the rest changes at any time.
 * A tuple that is not consistent is recheck, never a wrong access.
 *
 * The page, as PostgreSQL on a little-endian machine has it:
 *
 *		page	12		uint16 pd_lower, end of the line pointers
 *				24		uint32 line pointers: offset 15 bits, flags 2 bits,
 *						length 15 bits
 *		tuple	18		uint16 infomask2, of which 11 bits natts
 *				20		uint16 infomask, 0x0001 HEAP_HASNULL
 *				22		uint8 t_hoff, where the attributes start
 *				23		null bitmap, bit 1 = not null, if HEAP_HASNULL
 *
 * Tuples and attribute areas start at multiples of 8, so fields of 2 and 4
 * bytes are aligned, as loads on a GPU must be.  Pages are aligned to 8 bytes.
 *
 * A varlena attribute starts with
 *
 *		xxxxxxx1		1 byte: its length, header included; not aligned
 *		00000001		external, then its tag; not aligned
 *		xxxxxx00		4 bytes: length << 2; aligned
 *		xxxxxx10		the same, compressed
 *
 * and a padding byte is 0, so that a byte that is not 0 is a header wherever
 * it stands.
 *
 * IDENTIFICATION
 *	  src/rowfn/heap_tuple.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_HEAP_TUPLE_H
#define GPUSTR_ROWFN_HEAP_TUPLE_H

#include "batch/batch.h"
#include "program/program.h"
#include "rowfn/value.h"

#define ROWFN_PAGE_LOWER			12	/* offset of pd_lower */
#define ROWFN_PAGE_LINES			24	/* offset of the line pointers */
#define ROWFN_LP_NORMAL				1
#define ROWFN_TUPLE_INFOMASK2		18
#define ROWFN_TUPLE_INFOMASK		20
#define ROWFN_TUPLE_HOFF			22
#define ROWFN_TUPLE_BITS			23
#define ROWFN_NATTS_MASK			0x07FF
#define ROWFN_HASNULL				0x0001
#define ROWFN_VARTAG_ONDISK			18
#define ROWFN_EXTERNAL_ONDISK_BYTES	18	/* header, tag, varatt_external */

/*
 * Load a field of a page, once.  A host reads pages in place, so the compiler
 * must not load a field a second time; a kernel reads a copy of its own.
 */
#ifdef __CUDA_ARCH__
#define ROWFN_LOAD(type, p) (*(const type *) (p))
#else
#define ROWFN_LOAD(type, p) (*(const volatile type *) (p))
#endif

/* Where to start walking: attributes before 'attr' end at 'off' unless NULL. */
typedef struct RowfnHeapStart
{
	int32_t		attr;			/* attributes skipped, all of fixed length */
	int32_t		off;			/* bytes they take */
} RowfnHeapStart;

typedef enum RowfnHeapState
{
	ROWFN_HEAP_VALUE,
	ROWFN_HEAP_NULL,
	ROWFN_HEAP_RECHECK
} RowfnHeapState;

/* A tuple whose header is consistent. */
typedef struct RowfnHeapTuple
{
	const char *tuple;			/* NULL: not consistent */
	int32_t		natts;
	int32_t		hasnull;
	int32_t		hoff;			/* where the attributes start */
	int32_t		bytes;			/* of the tuple, header included */
} RowfnHeapTuple;

/* Round up to a multiple of align, a power of 2. */
GPUSTR_FN int32_t
rowfn_heap_align(int32_t off, int32_t align)
{
	return (off + align - 1) & -align;
}

/*
 * How far the attributes before attribute 'attr' (from 1) can be skipped
 * without a look at the tuple, if none of them is NULL.  Once a step, not a row.
 */
GPUSTR_FN RowfnHeapStart
rowfn_heap_start(const GpustrAttr *attrs, int32_t attr)
{
	RowfnHeapStart start;
	int32_t		i;

	start.attr = 0;
	start.off = 0;
	for (i = 0; i < attr - 1 && attrs[i].len > 0; i++)
	{
		start.off = rowfn_heap_align(start.off, attrs[i].align) + attrs[i].len;
		start.attr = i + 1;
	}
	return start;
}

/*
 * Find the tuple of a line pointer.
 *
 * page		[GPUSTR_PAGE_BYTES] bytes
 * line		line pointer, from 1
 */
GPUSTR_FN RowfnHeapTuple
rowfn_heap_tuple(const char *page, uint16_t line)
{
	RowfnHeapTuple t;
	uint32_t	lower = ROWFN_LOAD(uint16_t, page + ROWFN_PAGE_LOWER);
	uint32_t	line_end = ROWFN_PAGE_LINES + 4 * (uint32_t) line;
	uint32_t	lp;
	uint32_t	off;
	uint32_t	bytes;
	uint32_t	hoff;
	int32_t		natts;

	t.tuple = (const char *) 0;
	t.natts = 0;
	t.hasnull = 0;
	t.hoff = 0;
	t.bytes = 0;

	if (line < 1 || line_end > lower || lower > GPUSTR_PAGE_BYTES)
		return t;
	lp = ROWFN_LOAD(uint32_t, page + line_end - 4);
	off = lp & 0x7FFF;
	bytes = lp >> 17;
	if (((lp >> 15) & 3) != ROWFN_LP_NORMAL || off < lower || off % 8 != 0 ||
		off + bytes > GPUSTR_PAGE_BYTES || bytes < ROWFN_TUPLE_BITS)
		return t;
	page += off;
	natts = ROWFN_LOAD(uint16_t, page + ROWFN_TUPLE_INFOMASK2) & ROWFN_NATTS_MASK;
	t.hasnull = ROWFN_LOAD(uint16_t, page + ROWFN_TUPLE_INFOMASK) & ROWFN_HASNULL;
	hoff = ROWFN_LOAD(uint8_t, page + ROWFN_TUPLE_HOFF);
	if (hoff % 8 != 0 || hoff > bytes ||
		hoff < (uint32_t) ROWFN_TUPLE_BITS + (t.hasnull ? (uint32_t) (natts + 7) / 8 : 0))
		return t;
	t.tuple = page;
	t.natts = natts;
	t.hoff = (int32_t) hoff;
	t.bytes = (int32_t) bytes;
	return t;
}

/* Is attribute i, from 0 and < natts, of a tuple with a null bitmap NULL? */
GPUSTR_FN int
rowfn_heap_bit_null(const char *tuple, int32_t i)
{
	return ((ROWFN_LOAD(uint8_t, tuple + ROWFN_TUPLE_BITS + i / 8) >> (i % 8)) & 1) == 0;
}

/*
 * Look at the varlena that stands at 'off' of an attribute area of 'end' bytes,
 * or after the padding there; 'align' is its type's alignment, 4 or 8.  Its
 * value is area[*value_off .. *next).  Returns ROWFN_HEAP_VALUE;
 * ROWFN_HEAP_RECHECK with *next >= 0 if it is compressed or external, and with
 * *next < 0 if it is not consistent.
 */
GPUSTR_FN int
rowfn_heap_varlena(const char *area, int32_t off, int32_t end, int32_t align,
				   int32_t *value_off, int32_t *next)
{
	uint32_t	header;
	uint32_t	bytes;

	*next = -1;
	*value_off = 0;
	if (off >= end)
		return ROWFN_HEAP_RECHECK;
	header = ROWFN_LOAD(uint8_t, area + off);
	if (header == 1)
	{
		if (off + ROWFN_EXTERNAL_ONDISK_BYTES <= end &&
			ROWFN_LOAD(uint8_t, area + off + 1) == ROWFN_VARTAG_ONDISK)
			*next = off + ROWFN_EXTERNAL_ONDISK_BYTES;
		return ROWFN_HEAP_RECHECK;
	}
	if (header & 1)
	{
		bytes = header >> 1;
		if (bytes > (uint32_t) (end - off))
			return ROWFN_HEAP_RECHECK;
		*value_off = off + 1;
		*next = off + (int32_t) bytes;
		return ROWFN_HEAP_VALUE;
	}
	if (header == 0)
		off = rowfn_heap_align(off, align);
	if (off % 4 != 0 || end - off < 4)
		return ROWFN_HEAP_RECHECK;
	header = ROWFN_LOAD(uint32_t, area + off);
	bytes = header >> 2;
	if ((header & 1) != 0 || bytes < 4 || bytes > (uint32_t) (end - off))
		return ROWFN_HEAP_RECHECK;
	*value_off = off + 4;
	*next = off + (int32_t) bytes;
	return (header & 2) != 0 ? ROWFN_HEAP_RECHECK : ROWFN_HEAP_VALUE;
}

/*
 * The place after attribute 'a', which is not NULL and starts at or (padding)
 * after 'off'; -1 if that is not consistent.
 */
GPUSTR_FN int32_t
rowfn_heap_next(const char *area, int32_t off, int32_t end, GpustrAttr a)
{
	int32_t		value_off;
	int32_t		next;

	if (a.len == -1)
		(void) rowfn_heap_varlena(area, off, end, a.align, &value_off, &next);
	else if (a.len == -2)
	{
		next = rowfn_heap_align(off, a.align);
		while (next < end && ROWFN_LOAD(char, area + next) != '\0')
			next++;
		next++;
	}
	else
		next = rowfn_heap_align(off, a.align) + a.len;
	return next <= end ? next : -1;
}

/* Where an attribute is. */
typedef struct RowfnHeapPlace
{
	const char *area;			/* of the tuple's attributes; NULL: the tuple
								 * has not got it, see GpustrAttr.missing */
	int32_t		off;			/* there, or before the padding */
	int32_t		end;			/* bytes of the area */
} RowfnHeapPlace;

/*
 * Walk to an attribute.
 *
 * attrs	[attr] at least, all attributes of the table up to this one
 * start	rowfn_heap_start(attrs, attr)
 *
 * Returns a RowfnHeapState; for ROWFN_HEAP_VALUE *place is set, and where its
 * area is NULL there is a missing value in the program.
 */
GPUSTR_FN int
rowfn_heap_find(const char *page, uint16_t line, const GpustrAttr *attrs, int32_t attr,
				RowfnHeapStart start, RowfnHeapPlace *place)
{
	RowfnHeapTuple t = rowfn_heap_tuple(page, line);
	int32_t		off = 0;
	int32_t		i = 0;

	place->area = (const char *) 0;
	place->off = 0;
	place->end = 0;
	if (t.tuple == (const char *) 0)
		return ROWFN_HEAP_RECHECK;
	if (attr > t.natts)
	{
		int			missing = attrs[attr - 1].missing;

		return missing == 0 ? ROWFN_HEAP_NULL : missing == 1 ? ROWFN_HEAP_VALUE : ROWFN_HEAP_RECHECK;
	}
	if (t.hasnull)
	{
		if (rowfn_heap_bit_null(t.tuple, attr - 1))
			return ROWFN_HEAP_NULL;
	}
	else
	{
		i = start.attr;
		off = start.off;
	}
	place->area = t.tuple + t.hoff;
	place->end = t.bytes - t.hoff;
	for (; i < attr - 1; i++)
	{
		if (t.hasnull && rowfn_heap_bit_null(t.tuple, i))
			continue;
		off = rowfn_heap_next(place->area, off, place->end, attrs[i]);
		if (off < 0)
			return ROWFN_HEAP_RECHECK;
	}
	place->off = off;
	return ROWFN_HEAP_VALUE;
}

/*
 * Decode a text attribute.  Arguments are as for rowfn_heap_find(), and
 *
 * program	what GpustrAttr.missing_off counts from
 *
 * Returns a RowfnHeapState.  For ROWFN_HEAP_VALUE the text is
 * (*value)[0 .. *len), inside the page or the program; otherwise *len is 0.
 */
GPUSTR_FN int
rowfn_heap_text(const char *page, uint16_t line, const GpustrAttr *attrs, int32_t attr,
				RowfnHeapStart start, const char *program,
				const char **value, int32_t *len)
{
	RowfnHeapPlace place;
	int32_t		value_off;
	int32_t		next;
	int			state = rowfn_heap_find(page, line, attrs, attr, start, &place);

	*value = program;
	*len = 0;
	if (state != ROWFN_HEAP_VALUE)
		return state;
	if (attrs[attr - 1].len != -1)
		return ROWFN_HEAP_RECHECK;
	if (place.area == (const char *) 0)
	{
		*value = program + attrs[attr - 1].missing_off;
		*len = (int32_t) attrs[attr - 1].missing_bytes;
		return ROWFN_HEAP_VALUE;
	}
	if (rowfn_heap_varlena(place.area, place.off, place.end, attrs[attr - 1].align,
						   &value_off, &next) != ROWFN_HEAP_VALUE)
		return ROWFN_HEAP_RECHECK;
	*value = place.area + value_off;
	*len = next - value_off;
	return ROWFN_HEAP_VALUE;
}

/*
 * Find an attribute of fixed length: attrs[attr - 1].len bytes at *value, which
 * lie inside the page or the program.  Arguments and result are as for
 * rowfn_heap_text().
 */
GPUSTR_FN int
rowfn_heap_fixed(const char *page, uint16_t line, const GpustrAttr *attrs, int32_t attr,
				 RowfnHeapStart start, const char *program, const char **value)
{
	RowfnHeapPlace place;
	int32_t		len = attrs[attr - 1].len;
	int32_t		off;
	int			state = rowfn_heap_find(page, line, attrs, attr, start, &place);

	*value = program;
	if (state != ROWFN_HEAP_VALUE)
		return state;
	if (len <= 0)
		return ROWFN_HEAP_RECHECK;
	if (place.area == (const char *) 0)
	{
		*value = program + attrs[attr - 1].missing_off;
		return attrs[attr - 1].missing_bytes == (uint32_t) len ? ROWFN_HEAP_VALUE : ROWFN_HEAP_RECHECK;
	}
	off = rowfn_heap_align(place.off, attrs[attr - 1].align);
	if (off + len > place.end)
		return ROWFN_HEAP_RECHECK;
	*value = place.area + off;
	return ROWFN_HEAP_VALUE;
}

/*
 * Decode an attribute of fixed length as bytes, with 'cstring' up to the first
 * zero byte.  Arguments and result are as for rowfn_heap_text().
 */
GPUSTR_FN int
rowfn_heap_bytes(const char *page, uint16_t line, const GpustrAttr *attrs, int32_t attr,
				 RowfnHeapStart start, const char *program, int cstring,
				 const char **value, int32_t *len)
{
	int			state = rowfn_heap_fixed(page, line, attrs, attr, start, program, value);
	int32_t		bytes;

	*len = 0;
	if (state != ROWFN_HEAP_VALUE)
		return state;
	bytes = attrs[attr - 1].len;
	if (cstring)
		while (*len < bytes && ROWFN_LOAD(char, *value + *len) != '\0')
			(*len)++;
	else
		*len = bytes;
	return ROWFN_HEAP_VALUE;
}

/*
 * Decode an attribute of fixed length as a value of a GpustrValueType; one of
 * another length is recheck.  Arguments are as for rowfn_heap_text().  Returns
 * a RowfnHeapState; *value is 0 unless that is ROWFN_HEAP_VALUE.
 */
GPUSTR_FN int
rowfn_heap_value(const char *page, uint16_t line, const GpustrAttr *attrs, int32_t attr,
				 RowfnHeapStart start, const char *program, int type, int64_t *value)
{
	const char *at;
	int			state = rowfn_heap_fixed(page, line, attrs, attr, start, program, &at);

	*value = 0;
	if (state != ROWFN_HEAP_VALUE)
		return state;
	if (attrs[attr - 1].len != rowfn_value_bytes(type))
		return ROWFN_HEAP_RECHECK;
	*value = rowfn_value_load(at, type);
	return ROWFN_HEAP_VALUE;
}

/*
 * Is an attribute, of any type, NULL?  Returns a GpustrTruth that is never
 * null.  A compressed or external value is not NULL, nor is a missing one that
 * only PostgreSQL can supply: that needs no recheck.
 */
GPUSTR_FN int
rowfn_heap_isnull(const char *page, uint16_t line, const GpustrAttr *attrs, int32_t attr)
{
	RowfnHeapTuple t = rowfn_heap_tuple(page, line);

	if (t.tuple == (const char *) 0)
		return GPUSTR_RECHECK;
	if (attr > t.natts)
		return attrs[attr - 1].missing == 0 ? GPUSTR_TRUE : GPUSTR_FALSE;
	if (t.hasnull && rowfn_heap_bit_null(t.tuple, attr - 1))
		return GPUSTR_TRUE;
	return GPUSTR_FALSE;
}

#endif							/* GPUSTR_ROWFN_HEAP_TUPLE_H */
