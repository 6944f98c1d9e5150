/*-------------------------------------------------------------------------
 *
 * page_pin.c
 *	  Pins on pages of a batch, known to the buffer's header only.
 *
 * A pin is a count in the header of a buffer: while it is not zero the page stays
 * where it is.  PostgreSQL notes each pin twice more, in a table of the session (so
 * that a second pin on the same buffer is cheap) and in the resource owner (so that
 * it is dropped when an error is raised).  Both are made for a handful of pins.  A
 * page scan holds thousands, and the look-ups in these two tables were more than half
 * of what a page costs it (550 of 900 cycles; test/bench/NOTES.md, "Bare pins").
 *
 * So the scan's pins are *bare*: only the count is raised.  The scan keeps its own
 * list of them, in its batches, and drops them as PostgreSQL would have: when a batch
 * has been collected, when the scan ends or starts anew, and, where an error ends it,
 * when the resource owner that it began under is released (gpustr_client_create()).
 * If the server process is killed the postmaster makes shared memory anew.
 *
 * What knows of a pin only from the session's table does not see a bare one:
 *
 *	- HoldingBufferPinThatDelaysRecovery(): a standby cancels whoever pins a page that
 *	  replay waits for.  During recovery there are no bare pins.
 *	- Assertions that a buffer is pinned by whoever locks it or sets hint bits in it.
 *	  The content lock is taken directly.  Hint bits are set for tuples of pages that
 *	  are not all visible, and pruning wants to know of other pins than the session's
 *	  own: such pages get an ordinary pin (page_read.c).
 *	- InvalidateBuffer(), which takes a pin of its own session for an error, and waits
 *	  for the others'.  It is called for relations that are dropped or truncated,
 *	  which is refused while the session has a scan of them open
 *	  (CheckTableNotInUse()), or after resource owners have been released.
 *	- LockBufferForCleanup() of the same session, which would wait for it, where it
 *	  raises an error for an ordinary pin: VACUUM, refused for the same reason.  The
 *	  functions of pg_surgery, called for a table while a scan of it is open, wait
 *	  until they are cancelled.
 *	- Valgrind, which PostgreSQL tells that a page without a pin of the session's table
 *	  is not to be touched.  In a build for it there are no bare pins.
 *
 * Other sessions look at the count, and a VACUUM that waits for it to fall to its own
 * is woken as by UnpinBuffer().
 *
 * IDENTIFICATION
 *	  src/batch/page_pin.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "storage/buf_internals.h"
#include "storage/proc.h"
#include "utils/rel.h"
#include "utils/snapshot.h"

#include "batch/page_pin.h"
#include "compat.h"

bool
gpustr_may_pin_bare(HeapScanDesc scan)
{
#ifdef USE_VALGRIND
	return false;
#else
	Relation	rel = scan->rs_base.rs_rd;

	return !RelationUsesLocalBuffers(rel) && !scan->rs_base.rs_snapshot->takenDuringRecovery &&
		!gpustr_snapshots_grow_old();
#endif
}

bool
gpustr_pin_bare(Relation rel, BlockNumber block, Buffer buffer)
{
	BufferDesc *desc = GetBufferDescriptor(buffer - 1);
	uint32		state = LockBufHdr(desc);
	bool		holds = (state & BM_VALID) != 0 && gpustr_buffer_holds(desc, rel, block);

	if (holds)
		state += BUF_REFCOUNT_ONE;
	UnlockBufHdr(desc, state);
	return holds;
}

void
gpustr_unpin_bare(Buffer buffer)
{
	BufferDesc *desc = GetBufferDescriptor(buffer - 1);
	uint32		state = LockBufHdr(desc) - BUF_REFCOUNT_ONE;
	bool		wake = (state & BM_PIN_COUNT_WAITER) != 0 && BUF_STATE_GET_REFCOUNT(state) == 1;
	int			waiter = desc->wait_backend_pgprocno;

	if (wake)
		state &= ~BM_PIN_COUNT_WAITER;
	UnlockBufHdr(desc, state);
	if (wake)
		ProcSendSignal(waiter);
}
