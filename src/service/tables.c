/*-------------------------------------------------------------------------
 *
 * tables.c
 *	  The ids of the tables of joins: claimed, and released.
 *
 * Engines make tables and keep them until they are dropped.  A device process must
 * know which are still wanted, though the session that had them made may have ended
 * in any way.  So the ids that are in use stand in shared memory, one atomic word
 * each; a device drops what it has under an id that is not there.  Ids come from one
 * counter and are never used again, so that a request that comes late can at worst
 * make a table that nobody asks for, and that goes at the device's next look
 * (device_process.c).
 *
 *		0 --(backend)--> id --(the same backend)--> 0
 *
 * Failure: an id is released by whichever of these comes first,
 *	- gpustr_table_release();
 *	- abort of the transaction, or release of the resource owner that it was claimed
 *	  under;
 *	- reset of the memory context that it was claimed for;
 *	- exit of the backend.
 * Where a backend crashes, the server makes its shared memory anew.
 *
 * A parallel worker is told the leader's id and releases nothing: what its own engine
 * has made goes with the process.
 *
 * IDENTIFICATION
 *	  src/service/tables.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "service/client.h"
#include "service/fault.h"
#include "service/local_engine.h"
#include "service/queue.h"
#include "service/tables.h"

/* An id that this session has claimed; in the memory context that it is for. */
typedef struct TableClaim
{
	dlist_node	node;			/* in claims, while id is not 0; else in
								 * spares */
	MemoryContext context;
	MemoryContextCallback callback;
	ResourceOwner owner;
	uint64		id;				/* 0: released */
	int			entry;			/* in shared memory; -1: a local id */
} TableClaim;

static dlist_head claims = DLIST_STATIC_INIT(claims);

/* Of nothing, for the next claims in their contexts: a join may be rescanned a million times. */
static dlist_head spares = DLIST_STATIC_INIT(spares);

bool
gpustr_table_is_claimed(uint64 id)
{
	int			i;

	for (i = 0; i < GPUSTR_MAX_TABLES; i++)
	{
		if (pg_atomic_read_u64(&gpustr_shared->tables[i]) == id)
			return true;
	}
	return false;
}

/* Tell the devices that there is something to drop. */
static void
ring_devices(void)
{
	int			ndevices = (int) pg_atomic_read_u32(&gpustr_shared->ndevices);
	int			i;

	pg_atomic_fetch_add_u32(&gpustr_shared->table_releases, 1);
	for (i = 0; i < ndevices; i++)
	{
		GpustrDevice *device = &gpustr_shared->devices[i];

		if (pg_atomic_read_u32(&device->state) == GPUSTR_DEVICE_UP)
			gpustr_doorbell_ring(device);
	}
}

/* Must not raise an error; the claim's memory goes with its context. */
static void
release_claim(TableClaim *claim)
{
	uint64		id = claim->id;

	if (id == 0)
		return;
	claim->id = 0;
	dlist_delete(&claim->node);
	dlist_push_head(&spares, &claim->node);
	if (claim->entry >= 0)
	{
		pg_atomic_write_u64(&gpustr_shared->tables[claim->entry], 0);
		ring_devices();
	}
	gpustr_drop_in_session(id);
}

static void
context_reset(void *arg)
{
	TableClaim *claim = arg;

	release_claim(claim);
	dlist_delete(&claim->node);
}

static void
release_all(void)
{
	while (!dlist_is_empty(&claims))
		release_claim(dlist_head_element(TableClaim, node, &claims));
}

static void
xact_callback(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_ABORT || event == XACT_EVENT_PARALLEL_ABORT)
		release_all();
}

/* As a client's requests (client.c): what is claimed under a portal goes with it. */
static void
owner_callback(ResourceReleasePhase phase, bool isCommit, bool isTopLevel, void *arg)
{
	dlist_mutable_iter iter;

	if (phase != RESOURCE_RELEASE_BEFORE_LOCKS)
		return;
	dlist_foreach_modify(iter, &claims)
	{
		TableClaim *claim = dlist_container(TableClaim, node, iter.cur);

		if (claim->owner == CurrentResourceOwner)
			release_claim(claim);
	}
}

static void
exit_callback(int code, Datum arg)
{
	release_all();
}

static void
register_callbacks(void)
{
	static bool registered = false;

	if (registered)
		return;
	RegisterXactCallback(xact_callback, NULL);
	RegisterResourceReleaseCallback(owner_callback, NULL);
	before_shmem_exit(exit_callback, 0);
	registered = true;
}

/* A spare claim of the context; NULL if there is none. */
static TableClaim *
find_spare(MemoryContext context)
{
	dlist_iter	iter;

	dlist_foreach(iter, &spares)
	{
		TableClaim *claim = dlist_container(TableClaim, node, iter.cur);

		if (claim->context == context)
			return claim;
	}
	return NULL;
}

/* A claim of no id yet, in spares. */
static TableClaim *
new_claim(MemoryContext context)
{
	TableClaim *claim;

	register_callbacks();
	claim = find_spare(context);
	if (claim == NULL)
	{
		claim = MemoryContextAllocZero(context, sizeof(TableClaim));
		claim->context = context;
		claim->callback.func = context_reset;
		claim->callback.arg = claim;
		MemoryContextRegisterResetCallback(context, &claim->callback);
		dlist_push_head(&spares, &claim->node);
	}
	claim->owner = CurrentResourceOwner;
	claim->entry = -1;
	return claim;
}

static void
set_id(TableClaim *claim, uint64 id)
{
	claim->id = id;
	dlist_delete(&claim->node);
	dlist_push_tail(&claims, &claim->node);
}

uint64
gpustr_table_claim(MemoryContext context)
{
	TableClaim *claim;
	uint64		id;
	int			i;

	if (gpustr_shared == NULL || gpustr_call_fails("claim a table"))
		return 0;
	claim = new_claim(context);
	id = pg_atomic_add_fetch_u64(&gpustr_shared->table_ids, 1);
	for (i = 0; i < GPUSTR_MAX_TABLES; i++)
	{
		int			entry = (int) ((id + i) % GPUSTR_MAX_TABLES);
		uint64		expected = 0;

		if (!pg_atomic_compare_exchange_u64(&gpustr_shared->tables[entry], &expected, id))
			continue;
		claim->entry = entry;
		set_id(claim, id);
		return id;
	}
	return 0;
}

uint64
gpustr_table_claim_local(MemoryContext context)
{
	static uint64 last = 0;
	TableClaim *claim = new_claim(context);

	set_id(claim, GPUSTR_LOCAL_TABLE | ++last);
	return claim->id;
}

void
gpustr_table_release(uint64 id)
{
	dlist_iter	iter;

	dlist_foreach(iter, &claims)
	{
		TableClaim *claim = dlist_container(TableClaim, node, iter.cur);

		if (claim->id == id)
		{
			release_claim(claim);
			return;
		}
	}
}
