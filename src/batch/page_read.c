/*-------------------------------------------------------------------------
 *
 * page_read.c
 *	  Read one page of a heap scan, and list its visible tuples.
 *
 * Does what PostgreSQL does for a page of a sequential scan (heapgetpage() in
 * 15 and 16, heap_prepare_pagescan() later), in the same order and through the
 * same functions: read, prune, lock, test for an old snapshot, judge each
 * tuple's visibility, note serialisable conflicts, unlock.  It exists because
 * pages are the unit of a scan's cost here (the engine does the rows), and
 * PostgreSQL's way spends most of a page's time (0.8 us with 65 tuples a page,
 * all visible and in shared buffers) on three things:
 *
 *	- finding the page in the buffer mapping table.  The hint of page_hint.h is
 *	  tried first, and ReadRecentBuffer() says whether it is right.  The hints
 *	  of the pages to come also say which buffer descriptors and page headers
 *	  to prefetch.
 *
 *	- noting the pin in the session's tables; see page_pin.c.  A page that was all
 *	  visible and had nothing to prune a moment ago gets a bare pin.
 *
 *	- calling, for each tuple of a page that is all visible, a function that
 *	  finds that the transaction is not serialisable.  Whether it is gets asked
 *	  once a page, as PostgreSQL 18 does.
 *
 * ReadRecentBuffer() does not raise the buffer's usage count, so a hint is
 * used only where PostgreSQL would hardly raise it either: for a page that has
 * been used twice or more (one that is scanned again and again still defends
 * its place), or once where the scan goes through a ring.  Nor does it count
 * the table's buffer statistics; that is done here.
 *
 * IDENTIFICATION
 *	  src/batch/page_read.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/heapam.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "portability/instr_time.h"
#include "storage/buf_internals.h"
#include "storage/bufmgr.h"
#include "storage/predicate.h"
#include "utils/rel.h"

#include "batch/page_hint.h"
#include "batch/page_pin.h"
#include "batch/page_read.h"
#include "compat.h"

/* Usage count from which a page needs no more of it. */
#define HINT_MIN_USAGE 2
#define HINT_MIN_USAGE_RING 1

/*
 * How many pages ahead to prefetch: the buffer descriptor first, and the page
 * once that is there.  Of the page, the header and as many line pointers as the
 * page before had: each cache line more than needed costs 5 % of a page's time.
 */
#define PREFETCH_DESCRIPTOR 16
#define PREFETCH_PAGE 8

static inline bool
is_buffer(Buffer buffer)
{
	return buffer > 0 && buffer <= NBuffers;
}

/* Is the shared buffer worth a try?  A look without a lock: a hint only. */
static inline bool
is_used(Buffer buffer, bool in_ring)
{
	uint32		state = pg_atomic_read_u32(&GetBufferDescriptor(buffer - 1)->state);

	return (state & BM_VALID) != 0 &&
		BUF_STATE_GET_USAGECOUNT(state) >= (in_ring ? HINT_MIN_USAGE_RING : HINT_MIN_USAGE);
}

/* Have the pages to come in the CPU's cache when they are due. */
static inline void
prefetch(uint32 hint_base, BlockNumber block, int nlines)
{
	int			bytes = SizeOfPageHeaderData + nlines * sizeof(ItemIdData);
	Buffer		buffer = gpustr_page_hint(hint_base, block + PREFETCH_DESCRIPTOR);
	int			i;

	if (is_buffer(buffer))
		__builtin_prefetch(GetBufferDescriptor(buffer - 1), 1);
	buffer = gpustr_page_hint(hint_base, block + PREFETCH_PAGE);
	if (is_buffer(buffer))
	{
		for (i = 0; i < bytes; i += PG_CACHE_LINE_SIZE / 2)
			__builtin_prefetch((char *) BufferGetPage(buffer) + i);
	}
}

/*
 * Is there nothing to do on the page but to list its line pointers?  Without a pin
 * this is a guess.
 */
static inline bool
is_settled(Page page)
{
	return PageIsAllVisible(page) && !TransactionIdIsValid(((PageHeader) page)->pd_prune_xid);
}

static void
count_hit(HeapScanDesc scan)
{
	pgstat_count_buffer_read(scan->rs_base.rs_rd);
	pgstat_count_buffer_hit(scan->rs_base.rs_rd);
	gpustr_count_io_hit(scan->rs_strategy);
}

/* Pin the page's buffer, in the ordinary way. */
static inline Buffer
pin_page(HeapScanDesc scan, BlockNumber block, Buffer hint, uint32 hint_base, double *read_us)
{
	Relation	rel = scan->rs_base.rs_rd;
	Buffer		buffer;
	instr_time	start;
	instr_time	end;

	if (is_buffer(hint) && is_used(hint, scan->rs_strategy != NULL) &&
		gpustr_read_recent_buffer(rel, block, hint))
	{
		count_hit(scan);
		return hint;
	}
	INSTR_TIME_SET_CURRENT(start);
	buffer = ReadBufferExtended(rel, MAIN_FORKNUM, block, RBM_NORMAL, scan->rs_strategy);
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	*read_us = INSTR_TIME_GET_DOUBLE(end) * 1e6;
	if (buffer != hint && !BufferIsLocal(buffer))
		gpustr_page_hint_set(hint_base, block, buffer);
	return buffer;
}

/* Line pointers 1, 2, 3, ... */
static OffsetNumber all_lines[MaxHeapTuplesPerPage];

void
gpustr_page_read_init(void)
{
	int			i;

	for (i = 0; i < lengthof(all_lines); i++)
		all_lines[i] = FirstOffsetNumber + i;
}

/* Are these line pointers all normal?  Looks at their flags, four or more at a time. */
static inline bool
all_normal(const ItemIdData *lp, int n)
{
	const ItemIdData any = {.lp_flags = 3};
	const ItemIdData normal = {.lp_flags = LP_NORMAL};
	const uint32 *bits = (const uint32 *) lp;
	uint32		mask;
	uint32		wanted;
	uint32		other = 0;
	int			i;

	memcpy(&mask, &any, sizeof(mask));
	memcpy(&wanted, &normal, sizeof(wanted));
	for (i = 0; i < n; i++)
		other |= (bits[i] & mask) ^ wanted;
	return other == 0;
}

/*
 * List all normal line pointers.  On most pages all are.
 */
static inline int
list_all(Page page, int nlines, OffsetNumber *visible)
{
	ItemId		lp = PageGetItemId(page, FirstOffsetNumber);
	int			n = 0;
	int			i;

	if (all_normal(lp, nlines))
	{
		memcpy(visible, all_lines, nlines * sizeof(OffsetNumber));
		return nlines;
	}
	for (i = 0; i < nlines; i++)
	{
		visible[n] = FirstOffsetNumber + i;
		n += ItemIdIsNormal(&lp[i]);
	}
	return n;
}

/* List the visible ones, tuple by tuple. */
static int
list_visible(HeapScanDesc scan, BlockNumber block, Buffer buffer, Page page, int nlines,
			 bool all_visible, bool check_serializable)
{
	Relation	rel = scan->rs_base.rs_rd;
	Snapshot	snapshot = scan->rs_base.rs_snapshot;
	OffsetNumber line;
	HeapTupleData tuple;
	int			n = 0;

	tuple.t_tableOid = RelationGetRelid(rel);
	for (line = FirstOffsetNumber; line <= nlines; line++)
	{
		ItemId		lp = PageGetItemId(page, line);
		bool		valid;

		if (!ItemIdIsNormal(lp))
			continue;
		tuple.t_data = (HeapTupleHeader) PageGetItem(page, lp);
		tuple.t_len = ItemIdGetLength(lp);
		ItemPointerSet(&tuple.t_self, block, line);

		valid = all_visible || HeapTupleSatisfiesVisibility(&tuple, snapshot, buffer);
		if (check_serializable)
			HeapCheckForSerializableConflictOut(valid, rel, &tuple, buffer, snapshot);
		if (valid)
			scan->rs_vistuples[n++] = line;
	}
	return n;
}

/*
 * The same for a page that is settled, with a bare pin in *bare.  False if it is not,
 * or not in the buffer that the hint says.
 */
static inline bool
read_settled_page(HeapScanDesc scan, BlockNumber block, Buffer hint, Buffer *bare)
{
	Relation	rel = scan->rs_base.rs_rd;
	Page		page = BufferGetPage(hint);
	LWLock	   *lock = BufferDescriptorGetContentLock(GetBufferDescriptor(hint - 1));
	bool		settled;

	if (!is_settled(page) || !is_used(hint, scan->rs_strategy != NULL) ||
		!gpustr_pin_bare(rel, block, hint))
		return false;
	*bare = hint;
	LWLockAcquire(lock, LW_SHARED);
	settled = is_settled(page);
	if (settled)
		scan->rs_ntuples = list_all(page, PageGetMaxOffsetNumber(page), scan->rs_vistuples);
	LWLockRelease(lock);
	if (settled)
	{
		pgBufferUsage.shared_blks_hit++;
		count_hit(scan);
		scan->rs_cblock = block;
		return true;
	}
	*bare = InvalidBuffer;
	gpustr_unpin_bare(hint);
	return false;
}

Buffer
gpustr_read_page(HeapScanDesc scan, BlockNumber block, uint32 hint_base, Buffer *bare,
				 double *read_us)
{
	Relation	rel = scan->rs_base.rs_rd;
	Snapshot	snapshot = scan->rs_base.rs_snapshot;
	Buffer		hint = InvalidBuffer;
	Buffer		buffer;
	Page		page;
	int			nlines;
	bool		all_visible;
	bool		check_serializable = CheckForSerializableConflictOutNeeded(rel, snapshot);

	CHECK_FOR_INTERRUPTS();
	*read_us = 0;
	if (!RelationUsesLocalBuffers(rel))
	{
		prefetch(hint_base, block, scan->rs_ntuples);
		hint = gpustr_page_hint(hint_base, block);
	}
	if (bare != NULL)
	{
		*bare = InvalidBuffer;
		if (is_buffer(hint) && !check_serializable && read_settled_page(scan, block, hint, bare))
			return hint;
	}
	buffer = pin_page(scan, block, hint, hint_base, read_us);
	scan->rs_cblock = block;
	heap_page_prune_opt(rel, buffer);

	/*
	 * The content lock is held while visibility is judged; afterwards the pin
	 * keeps the tuples that were found visible in place.
	 */
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	page = BufferGetPage(buffer);
	gpustr_test_for_old_snapshot(snapshot, rel, buffer);
	nlines = PageGetMaxOffsetNumber(page);

	/*
	 * The page's flag is not trusted during recovery: see heapgetpage().
	 */
	all_visible = PageIsAllVisible(page) && !snapshot->takenDuringRecovery;
	if (all_visible && !check_serializable)
		scan->rs_ntuples = list_all(page, nlines, scan->rs_vistuples);
	else
		scan->rs_ntuples = list_visible(scan, block, buffer, page, nlines,
										all_visible, check_serializable);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	return buffer;
}
