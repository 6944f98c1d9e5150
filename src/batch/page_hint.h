/*-------------------------------------------------------------------------
 *
 * page_hint.h
 *	  Where a table's pages were last seen in the shared buffer pool.
 *
 * Finding a page in PostgreSQL's buffer mapping table takes several dependent
 * cache misses, which is most of what a page costs a scan that does nothing
 * else with it.  So all sessions share an array of hints in shared memory:
 * buffers by table and block.  The hints of a table lie in the order of its
 * blocks, so a scan reads them in sequence and also knows early what to
 * prefetch.
 *
 * A hint may be wrong, at any time: ReadRecentBuffer() says whether the buffer
 * holds the page.  Hence no lock; entries of two tables that fall on one place
 * replace each other.  Without shared memory (library not preloaded) there are
 * no hints.
 *
 * IDENTIFICATION
 *	  src/batch/page_hint.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_PAGE_HINT_H
#define GPUSTR_PAGE_HINT_H

#include "storage/block.h"
#include "storage/buf.h"

typedef struct GpustrPageHints
{
	uint32		mask;			/* number of entries, a power of two, less 1 */
	volatile Buffer buffer[FLEXIBLE_ARRAY_MEMBER];	/* InvalidBuffer: none */
} GpustrPageHints;

extern PGDLLIMPORT GpustrPageHints *gpustr_page_hints;

extern void gpustr_page_hints_request_memory(void);
extern void gpustr_page_hints_attach(void);

/*
 * Where the hint for block 0 of a table is; that for block b is b further on.
 */
extern uint32 gpustr_page_hint_base(Oid relid);

/* The hint for a block, or InvalidBuffer. */
static inline Buffer
gpustr_page_hint(uint32 base, BlockNumber block)
{
	if (gpustr_page_hints == NULL)
		return InvalidBuffer;
	return gpustr_page_hints->buffer[(base + block) & gpustr_page_hints->mask];
}

static inline void
gpustr_page_hint_set(uint32 base, BlockNumber block, Buffer buffer)
{
	if (gpustr_page_hints != NULL)
		gpustr_page_hints->buffer[(base + block) & gpustr_page_hints->mask] = buffer;
}

#endif							/* GPUSTR_PAGE_HINT_H */
