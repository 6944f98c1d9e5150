/*-------------------------------------------------------------------------
 *
 * page_format.h
 *	  Assert that the server's heap pages are what engines take them for.
 *
 * batch.h and rowfn/heap_tuple.h know the format of a heap page by numbers of
 * their own, as they include nothing of PostgreSQL.  A server for which an
 * assertion fails cannot be built for.
 *
 * IDENTIFICATION
 *	  src/batch/page_format.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_PAGE_FORMAT_H
#define GPUSTR_PAGE_FORMAT_H

#include "access/htup_details.h"
#include "storage/bufpage.h"

#include "batch/batch.h"
#include "compat.h"
#include "program/program_builder.h"
#include "rowfn/heap_tuple.h"

/* Line pointers and headers of varlenas are taken apart as of such a machine. */
#ifdef WORDS_BIGENDIAN
#error "gpustr needs a little-endian machine"
#endif
StaticAssertDecl(sizeof(Datum) == 8, "size of a Datum");

StaticAssertDecl(BLCKSZ == GPUSTR_PAGE_BYTES, "page size");
StaticAssertDecl(MaxHeapTuplesPerPage == GPUSTR_PAGE_MAX_ROWS, "line pointers of a page");
StaticAssertDecl(MaxHeapAttributeNumber == GPUSTR_MAX_ATTRS, "attributes of a table");
StaticAssertDecl(sizeof(OffsetNumber) == sizeof(uint16_t), "size of a line pointer's number");
StaticAssertDecl(MAXIMUM_ALIGNOF == 8, "alignment of tuples");

StaticAssertDecl(offsetof(PageHeaderData, pd_lower) == ROWFN_PAGE_LOWER, "pd_lower");
StaticAssertDecl(offsetof(PageHeaderData, pd_linp) == ROWFN_PAGE_LINES, "pd_linp");
StaticAssertDecl(sizeof(ItemIdData) == 4, "size of a line pointer");
StaticAssertDecl(LP_NORMAL == ROWFN_LP_NORMAL, "LP_NORMAL");

StaticAssertDecl(offsetof(HeapTupleHeaderData, t_infomask2) == ROWFN_TUPLE_INFOMASK2, "t_infomask2");
StaticAssertDecl(offsetof(HeapTupleHeaderData, t_infomask) == ROWFN_TUPLE_INFOMASK, "t_infomask");
StaticAssertDecl(offsetof(HeapTupleHeaderData, t_hoff) == ROWFN_TUPLE_HOFF, "t_hoff");
StaticAssertDecl(offsetof(HeapTupleHeaderData, t_bits) == ROWFN_TUPLE_BITS, "t_bits");
StaticAssertDecl(HEAP_NATTS_MASK == ROWFN_NATTS_MASK, "HEAP_NATTS_MASK");
StaticAssertDecl(HEAP_HASNULL == ROWFN_HASNULL, "HEAP_HASNULL");

StaticAssertDecl(VARTAG_ONDISK == ROWFN_VARTAG_ONDISK, "VARTAG_ONDISK");
StaticAssertDecl(VARHDRSZ_EXTERNAL + sizeof(varatt_external) == ROWFN_EXTERNAL_ONDISK_BYTES,
				 "size of a TOAST pointer");

#endif							/* GPUSTR_PAGE_FORMAT_H */
