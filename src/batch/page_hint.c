/*-------------------------------------------------------------------------
 *
 * page_hint.c
 *	  Where a table's pages were last seen in the shared buffer pool.
 *
 * See page_hint.h.  Four bytes for each buffer of the pool, rounded up to a
 * power of two: 0.05 to 0.1 % of the pool's memory.
 *
 * IDENTIFICATION
 *	  src/batch/page_hint.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"

#include "batch/page_hint.h"

GpustrPageHints *gpustr_page_hints = NULL;

static uint32
entries(void)
{
	return pg_nextpower2_32(NBuffers);
}

static Size
shared_bytes(void)
{
	return add_size(offsetof(GpustrPageHints, buffer), mul_size(entries(), sizeof(Buffer)));
}

/* From shmem_request_hook. */
void
gpustr_page_hints_request_memory(void)
{
	RequestAddinShmemSpace(shared_bytes());
}

/* From shmem_startup_hook. */
void
gpustr_page_hints_attach(void)
{
	bool		found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	gpustr_page_hints = ShmemInitStruct("gpustr page hints", shared_bytes(), &found);
	if (!found)
	{
		memset(gpustr_page_hints, 0, shared_bytes());
		gpustr_page_hints->mask = entries() - 1;
	}
	LWLockRelease(AddinShmemInitLock);
}

uint32
gpustr_page_hint_base(Oid relid)
{
	return hash_bytes_uint32(relid);
}
