/*-------------------------------------------------------------------------
 *
 * page_pin.h
 *	  Pins on pages of a batch, known to the buffer's header only.
 *
 * IDENTIFICATION
 *	  src/batch/page_pin.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_PAGE_PIN_H
#define GPUSTR_PAGE_PIN_H

#include "access/heapam.h"
#include "storage/buf.h"

/* May the pages of this scan have bare pins?  Constant for the life of a scan. */
extern bool gpustr_may_pin_bare(HeapScanDesc scan);

/*
 * Pin shared buffer 'buffer' if it holds page 'block' of the table's main fork:
 * true, and the caller holds a bare pin, to be noted before anything can raise an
 * error; see page_pin.c for who drops it then.  False, and nothing has changed, if
 * it holds something else.
 */
extern bool gpustr_pin_bare(Relation rel, BlockNumber block, Buffer buffer);

/* Drop a bare pin.  Raises no error. */
extern void gpustr_unpin_bare(Buffer buffer);

#endif							/* GPUSTR_PAGE_PIN_H */
