/*-------------------------------------------------------------------------
 *
 * page_read.h
 *	  Read one page of a heap scan, and list its visible tuples.
 *
 * IDENTIFICATION
 *	  src/batch/page_read.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_PAGE_READ_H
#define GPUSTR_PAGE_READ_H

#include "access/heapam.h"

/* Once, when the library is loaded. */
extern void gpustr_page_read_init(void);

/*
 * Read and pin page 'block', prune it, and put its visible line pointers into
 * scan->rs_vistuples[0 .. scan->rs_ntuples - 1].  The pin is the caller's;
 * scan->rs_cbuf is not touched.  Where 'bare' is not NULL the pin may be a bare one
 * (page_pin.h): *bare is the buffer then, and InvalidBuffer otherwise; it is right even
 * if an error is raised.  hint_base: gpustr_page_hint_base() of the table.
 * *read_us: how long it took to pin a page that its hint did not find; else 0.
 */
extern Buffer gpustr_read_page(HeapScanDesc scan, BlockNumber block, uint32 hint_base,
							   Buffer *bare, double *read_us);

#endif							/* GPUSTR_PAGE_READ_H */
