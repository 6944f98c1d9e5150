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
 * PostgreSQL's way spends two thirds of a page's time on two things:
 *
 *	- finding the page in the buffer mapping table.  Consecutive pages of a
 *	  table that was loaded or scanned in one go are mostly in consecutive
 *	  buffers, so the buffer after the last one is tried first, and
 *	  ReadRecentBuffer() says whether it is right.  After several wrong guesses
 *	  in a row the next is made some pages later.
 *
 *	- calling, for each tuple of a page that is all visible, a function that
 *	  finds that the transaction is not serialisable.  Whether it is gets asked
 *	  once a page, as PostgreSQL 18 does.
 *
 * ReadRecentBuffer() does not raise the buffer's usage count, so a guess
 * counts only for a page that has been used twice or more: a page that is
 * scanned again and again still defends its place.  Nor does it count the
 * table's buffer statistics; that is done here.
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
#include "storage/buf_internals.h"
#include "storage/bufmgr.h"
#include "storage/predicate.h"
#include "utils/rel.h"

#include "batch/page_read.h"
#include "compat.h"

/* Guess no more for a while after this many wrong ones in a row. */
#define GUESS_MISSES 4
#define GUESS_PAUSE 64

/* Usage count from which a page needs no more of it. */
#define GUESS_MIN_USAGE 2

/*
 * While a page is read, ask for the header and line pointers of the page this
 * many buffers ahead: the next one's would come too late.
 */
#define PREFETCH_DISTANCE 2
#define PREFETCH_BYTES 320
#define CACHE_LINE_BYTES 64

/* Is the shared buffer worth a try?  A look without a lock: a hint only. */
static inline bool
is_used(Buffer buffer)
{
	uint32		state = pg_atomic_read_u32(&GetBufferDescriptor(buffer - 1)->state);

	return (state & BM_VALID) != 0 && BUF_STATE_GET_USAGECOUNT(state) >= GUESS_MIN_USAGE;
}

static inline void
prefetch_page(Buffer buffer)
{
	const char *page = (const char *) BufferGetBlock(buffer);
	int			i;

	for (i = 0; i < PREFETCH_BYTES; i += CACHE_LINE_BYTES)
		__builtin_prefetch(page + i);
}

/* Pin the page's buffer. */
static inline Buffer
pin_page(HeapScanDesc scan, BlockNumber block, GpustrPageGuess *guess)
{
	Relation	rel = scan->rs_base.rs_rd;
	Buffer		next = guess->last + 1;
	Buffer		buffer;

	if (guess->last > 0 && next <= NBuffers)
	{
		if (guess->pause > 0)
			guess->pause--;
		else if (is_used(next))
		{
			if (gpustr_read_recent_buffer(rel, block, next))
			{
				pgstat_count_buffer_read(rel);
				pgstat_count_buffer_hit(rel);
				guess->misses = 0;
				guess->last = next;
				if (next <= NBuffers - PREFETCH_DISTANCE)
					prefetch_page(next + PREFETCH_DISTANCE);
				return next;
			}
			if (++guess->misses >= GUESS_MISSES)
			{
				guess->misses = 0;
				guess->pause = GUESS_PAUSE;
			}
		}
	}
	buffer = ReadBufferExtended(rel, MAIN_FORKNUM, block, RBM_NORMAL, scan->rs_strategy);
	guess->last = buffer;
	return buffer;
}

/*
 * List all normal line pointers.  On most pages all are; a first look that
 * stores nothing lets the loads of their cache lines overlap.
 */
static inline int
list_all(Page page, int nlines, OffsetNumber *visible)
{
	ItemId		lp = PageGetItemId(page, FirstOffsetNumber);
	unsigned	other = 0;
	int			n = 0;
	int			i;

	for (i = 0; i < nlines; i++)
		other |= lp[i].lp_flags ^ LP_NORMAL;
	if (other == 0)
	{
		for (i = 0; i < nlines; i++)
			visible[i] = FirstOffsetNumber + i;
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

Buffer
gpustr_read_page(HeapScanDesc scan, BlockNumber block, GpustrPageGuess *guess)
{
	Relation	rel = scan->rs_base.rs_rd;
	Snapshot	snapshot = scan->rs_base.rs_snapshot;
	Buffer		buffer;
	Page		page;
	int			nlines;
	bool		all_visible;
	bool		check_serializable;

	CHECK_FOR_INTERRUPTS();
	buffer = pin_page(scan, block, guess);
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
	check_serializable = CheckForSerializableConflictOutNeeded(rel, snapshot);
	if (all_visible && !check_serializable)
		scan->rs_ntuples = list_all(page, nlines, scan->rs_vistuples);
	else
		scan->rs_ntuples = list_visible(scan, block, buffer, page, nlines,
										all_visible, check_serializable);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	return buffer;
}
