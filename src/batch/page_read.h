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

/* Where the next page probably is. */
typedef struct GpustrPageGuess
{
	Buffer		last;			/* buffer of the last page read */
	int			misses;			/* guesses that failed in a row */
	int			pause;			/* pages to go until the next guess */
} GpustrPageGuess;

/*
 * Read and pin page 'block', prune it, and put its visible line pointers into
 * scan->rs_vistuples[0 .. scan->rs_ntuples - 1].  The pin is the caller's;
 * scan->rs_cbuf is not touched.
 */
extern Buffer gpustr_read_page(HeapScanDesc scan, BlockNumber block,
							   GpustrPageGuess *guess);

#endif							/* GPUSTR_PAGE_READ_H */
