/*-------------------------------------------------------------------------
 *
 * heap_gen.h
 *	  Make heap pages for the tests: PostgreSQL's format, without PostgreSQL.
 *
 * IDENTIFICATION
 *	  test/unit/heap_gen.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_TEST_HEAP_GEN_H
#define GPUSTR_TEST_HEAP_GEN_H

#include "batch/batch.h"
#include "program/program.h"
#include "test_common.h"

#ifdef __cplusplus
extern "C"
{
#endif

#define HEAP_GEN_MAX_ATTRS 12

/* The longest text that is put into a tuple. */
#define HEAP_GEN_MAX_TEXT 1500

/* The longest missing value. */
#define HEAP_GEN_MAX_MISSING 64

/* The longest numeric, in bytes after the length word. */
#define HEAP_GEN_MAX_NUMERIC 24

/* How an attribute is stored. */
typedef enum HeapGenState
{
	HEAP_GEN_VALUE,
	HEAP_GEN_NULL,
	HEAP_GEN_TOASTED,			/* not NULL, the text is elsewhere or
								 * compressed */
	HEAP_GEN_BROKEN				/* the tuple cannot be read at all */
} HeapGenState;

/* One attribute of one row, and what is to be read back. */
typedef struct HeapGenValue
{
	HeapGenState state;
	int32_t		len;
	char		text[HEAP_GEN_MAX_TEXT];
} HeapGenValue;

/* A table: its attributes, and the missing values of the last ones. */
typedef struct HeapGenTable
{
	int32_t		nattrs;
	GpustrAttr	attr[HEAP_GEN_MAX_ATTRS];	/* missing_off is not set */
	char		missing[HEAP_GEN_MAX_ATTRS][HEAP_GEN_MAX_MISSING];
	char		numeric[HEAP_GEN_MAX_ATTRS];	/* a varlena of numeric type? */
} HeapGenTable;

/* A random table with at least one text attribute; returns that (from 1). */
extern int32_t heap_gen_table(Rng *rng, HeapGenTable *table);

/*
 * A random number of 1, 2, 4, 8 or 16 (interval) bytes, or other bytes: mostly
 * small or at a limit, as an integer or as a float.
 */
extern void heap_gen_fixed(Rng *rng, char *out, int32_t bytes);

/*
 * A random numeric as it is stored after the length word; some have zero digits
 * at either end, a few are not consistent.  Returns its bytes.
 */
extern int32_t heap_gen_numeric(Rng *rng, char *out);

/*
 * A random value for attribute i (from 0): a text or numeric for all varlenas,
 * attr[i].len bytes for those of fixed length.
 */
extern void heap_gen_value(Rng *rng, const HeapGenTable *table, int32_t i, int letters,
						   HeapGenValue *value);

/* An empty page. */
extern void heap_gen_page_init(char *page);

/*
 * Add a tuple made of the first 'natts' values; values[] of later attributes
 * are set to what a reader must see.  Returns its line pointer, or 0 if the
 * page is full.
 */
extern uint16_t heap_gen_page_add(Rng *rng, char *page, const HeapGenTable *table,
								  HeapGenValue *values, int32_t natts);

/* Add a line pointer that a reader must refuse.  0: the page is full. */
extern uint16_t heap_gen_page_add_broken(Rng *rng, char *page);

#ifdef __cplusplus
}
#endif

#endif							/* GPUSTR_TEST_HEAP_GEN_H */
