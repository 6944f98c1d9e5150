/*-------------------------------------------------------------------------
 *
 * client.c
 *	  A backend's way to an engine.
 *
 * Each request has a body to run a batch in: a staging slot, when a device is
 * up and the pool has one to spare, or memory of this backend.  A batch that a
 * device does not bring to an end (it was lost, it hangs and is killed, it is
 * out of memory) is run again here, by the host engine, over the same body: an
 * engine writes nothing but the results.
 *
 * Failure: requests are given up by whichever of these comes first,
 *	- gpustr_client_reset() and gpustr_request_release();
 *	- abort of the transaction, or release of the resource owner that the client
 *	  was made under: with the buffer pins, before memory contexts are reset;
 *	- reset of the client's memory context;
 *	- exit of the backend.
 * None of these waits for the device.
 *
 * IDENTIFICATION
 *	  src/service/client.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "portability/instr_time.h"
#include "storage/bufmgr.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/wait_event.h"

#include "guc.h"
#include "service/client.h"
#include "service/fault.h"
#include "service/local_engine.h"
#include "service/queue.h"

/* Look at the slot's state this often, should a latch have been missed. */
#define WAIT_TICK_MS 1000

struct GpustrClient
{
	dlist_node	node;			/* in all_clients */
	MemoryContext context;		/* of the client and its requests */
	MemoryContextCallback callback;
	ResourceOwner owner;		/* that its scans' pins belong to */
	dlist_head	requests;
	void	   *spare;			/* a private body's allocation, for the next */
	Size		spare_bytes;
	uint64		spare_mark;		/* of what is in it */
	int			npins;
	GpustrGivenUp given_up;		/* or NULL */
	void	   *given_up_arg;
	int			siblings;		/* clients of the same scan, itself included */
	GpustrClientCounters counters;
};

struct GpustrRequest
{
	dlist_node	node;			/* in client->requests */
	GpustrClient *client;
	int			slot;			/* -1: a private body */
	int			device;
	void	   *allocation;		/* of a private body, or NULL */
	Size		allocation_bytes;
	void	   *body;
	uint32		bytes;
	int32		readable_blocks;	/* leading blocks that the engine can read */
	uint64		mark;			/* of what is in a private body; 0: unknown */
	bool		program_known;
	bool		done;			/* results stand in the body */
	bool		given_up;		/* and out of client->requests */
};

static dlist_head all_clients = DLIST_STATIC_INIT(all_clients);
static bool callbacks_registered = false;

GpustrEngineChoice
gpustr_engine_choice(void)
{
	if (gpustr_engine == GPUSTR_ENGINE_LOCAL)
		return GPUSTR_RUN_LOCAL;
	if (gpustr_shared == NULL || gpustr_shared->nslots == 0 || gpustr_queue_pick_device() < 0)
		return GPUSTR_RUN_NOWHERE;
	return GPUSTR_RUN_DEVICE;
}

const char *
gpustr_nowhere_reason(void)
{
	if (gpustr_shared == NULL)
		return "gpustr is not in \"shared_preload_libraries\"";
	if (gpustr_shared->nslots == 0)
		return "\"gpustr.staging_memory\" is less than \"gpustr.batch_bytes\"";
	return "no device is up";
}

char *
gpustr_engine_label(void)
{
	int			index;
	GpustrDevice *device;

	if (gpustr_engine_choice() != GPUSTR_RUN_DEVICE || (index = gpustr_queue_pick_device()) < 0)
		return pstrdup("host (local)");
	device = &gpustr_shared->devices[index];
	if (strcmp(device->kind, "host") == 0)
		return pstrdup("host (device process)");
	return psprintf("%s (%s)", device->kind, device->name);
}

/*
 * Give up a request; its memory goes with the client's.  Must not raise an
 * error.
 */
static void
abandon_request(GpustrRequest *request)
{
	if (request->given_up)
		return;
	request->given_up = true;
	if (request->slot >= 0)
		gpustr_queue_abandon(request->slot);
	request->slot = -1;
	dlist_delete(&request->node);
}

static void
abandon_requests(GpustrClient *client)
{
	while (!dlist_is_empty(&client->requests))
		abandon_request(dlist_head_element(GpustrRequest, node, &client->requests));
	if (client->given_up)
		client->given_up(client->given_up_arg);
	gpustr_client_give_pins(client, client->npins);
}

static void
client_context_reset(void *arg)
{
	GpustrClient *client = arg;

	abandon_requests(client);
	dlist_delete(&client->node);
}

static void
abandon_all(void)
{
	dlist_iter	iter;

	dlist_foreach(iter, &all_clients)
		abandon_requests(dlist_container(GpustrClient, node, iter.cur));
}

static void
xact_callback(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_ABORT || event == XACT_EVENT_PARALLEL_ABORT)
		abandon_all();
}

/*
 * A client belongs to the resource owner that it was made under, as the pins of
 * its scan do: that of a portal outlives a subtransaction that only fetches
 * from it, and one that fails in a subtransaction is released with that.
 */
static void
owner_callback(ResourceReleasePhase phase, bool isCommit, bool isTopLevel, void *arg)
{
	dlist_iter	iter;

	if (phase != RESOURCE_RELEASE_BEFORE_LOCKS)
		return;
	dlist_foreach(iter, &all_clients)
	{
		GpustrClient *client = dlist_container(GpustrClient, node, iter.cur);

		if (client->owner == CurrentResourceOwner)
		{
			abandon_requests(client);
			client->owner = NULL;
		}
	}
}

static void
exit_callback(int code, Datum arg)
{
	abandon_all();
}

GpustrClient *
gpustr_client_create(MemoryContext parent)
{
	MemoryContext context = AllocSetContextCreate(parent, "gpustr client", ALLOCSET_SMALL_SIZES);
	GpustrClient *client = MemoryContextAllocZero(context, sizeof(GpustrClient));

	if (!callbacks_registered)
	{
		RegisterXactCallback(xact_callback, NULL);
		RegisterResourceReleaseCallback(owner_callback, NULL);
		before_shmem_exit(exit_callback, 0);
		callbacks_registered = true;
	}
	client->context = context;
	client->siblings = 1;
	client->owner = CurrentResourceOwner;
	dlist_init(&client->requests);
	dlist_push_tail(&all_clients, &client->node);
	client->callback.func = client_context_reset;
	client->callback.arg = client;
	MemoryContextRegisterResetCallback(context, &client->callback);
	return client;
}

void
gpustr_client_on_given_up(GpustrClient *client, GpustrGivenUp given_up, void *arg)
{
	client->given_up = given_up;
	client->given_up_arg = arg;
}

const GpustrClientCounters *
gpustr_client_counters(GpustrClient *client)
{
	return &client->counters;
}

void
gpustr_client_reset(GpustrClient *client)
{
	while (!dlist_is_empty(&client->requests))
		gpustr_request_release(dlist_head_element(GpustrRequest, node, &client->requests));
	gpustr_client_give_pins(client, client->npins);
}

int
gpustr_client_depth(GpustrClient *client)
{
	if (gpustr_engine_choice() != GPUSTR_RUN_DEVICE)
		return 1;
	return Min(gpustr_batch_depth, Max(gpustr_shared->nslots / client->siblings, 1));
}

void
gpustr_client_set_siblings(GpustrClient *client, int siblings)
{
	client->siblings = Max(siblings, 1);
}

/* A slot and a device to run it on; false if there is no such pair now. */
static bool
acquire_slot(GpustrRequest *request)
{
	int			device = gpustr_queue_pick_device();
	int			slot;

	if (device < 0 || gpustr_call_fails("acquire a slot"))
		return false;
	slot = gpustr_queue_claim();
	if (slot < 0)
		return false;
	request->slot = slot;
	request->device = device;
	request->body = gpustr_slot_body(slot);
	request->bytes = gpustr_shared->slot_bytes;
	request->readable_blocks = gpustr_shared->devices[device].zero_copy_blocks;
	gpustr_poison_body(request->body, request->bytes);
	return true;
}

static void
acquire_private(GpustrRequest *request, Size bytes)
{
	GpustrClient *client = request->client;
	Size		size = GPUSTR_BODY_ALIGN_UP(bytes);

	if (bytes > GPUSTR_MAX_BODY_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("batch of %zu bytes is too large", bytes),
				 errdetail("A batch holds 2 GB at most.")));
	request->allocation_bytes = size + GPUSTR_BODY_ALIGN;
	if (client->spare_bytes >= request->allocation_bytes)
	{
		request->allocation = client->spare;
		request->allocation_bytes = client->spare_bytes;
		request->mark = gpustr_poisons_bodies() ? 0 : client->spare_mark;
		client->spare = NULL;
		client->spare_bytes = 0;
	}
	else
		request->allocation = MemoryContextAllocHuge(client->context,
													 request->allocation_bytes);
	request->body = (void *) TYPEALIGN(GPUSTR_BODY_ALIGN, request->allocation);
	request->bytes = (uint32) size;
	request->readable_blocks = NBuffers;
	gpustr_poison_body(request->body, request->bytes);
}

GpustrRequest *
gpustr_request_acquire(GpustrClient *client, Size min_bytes)
{
	bool		by_device = gpustr_engine_choice() == GPUSTR_RUN_DEVICE &&
	min_bytes <= gpustr_shared->slot_bytes;
	GpustrRequest *request = MemoryContextAllocZero(client->context, sizeof(GpustrRequest));

	request->client = client;
	request->slot = -1;
	if (!by_device || !acquire_slot(request))
	{
		if (by_device && !dlist_is_empty(&client->requests))
		{
			pfree(request);
			return NULL;
		}
		/* with a large program goes as much data, or more */
		min_bytes = Max(Min(2 * min_bytes, GPUSTR_MAX_BODY_BYTES), min_bytes);
		acquire_private(request, Max(min_bytes, GPUSTR_LOCAL_BODY_BYTES));
	}
	dlist_push_tail(&client->requests, &request->node);
	return request;
}

void *
gpustr_request_body(GpustrRequest *request)
{
	return request->body;
}

uint32
gpustr_request_bytes(GpustrRequest *request)
{
	return request->bytes;
}

bool
gpustr_request_can_read_block(GpustrRequest *request, int32 block)
{
	return block >= 0 && block < request->readable_blocks;
}

bool
gpustr_request_is_local(GpustrRequest *request)
{
	return request->slot < 0;
}

uint64
gpustr_request_mark(GpustrRequest *request)
{
	return request->mark;
}

void
gpustr_request_set_mark(GpustrRequest *request, uint64 mark, bool program_known)
{
	if (request->slot >= 0)
		return;
	request->mark = mark;
	request->program_known = program_known;
}

static void
count_results(GpustrClient *client, uint64 kernel_ns, uint64 transfer_ns,
			  uint64 bytes_in, uint64 bytes_out, uint64 rechecks)
{
	client->counters.kernel_ms += kernel_ns / 1e6;
	client->counters.transfer_ms += transfer_ns / 1e6;
	client->counters.bytes_in += bytes_in;
	client->counters.bytes_out += bytes_out;
	client->counters.rechecks += rechecks;
}

static void
run_locally(GpustrRequest *request)
{
	EngineRequest run;

	memset(&run, 0, sizeof(run));
	run.body = request->body;
	run.body_bytes = request->bytes;
	run.program_known = request->program_known;
	gpustr_run_in_session(&run);
	count_results(request->client, run.kernel_ns, run.transfer_ns,
				  run.bytes_in, run.bytes_out, run.rechecks);
	request->done = true;
}

void
gpustr_request_submit(GpustrRequest *request)
{
	const GpustrBatch *batch = request->body;

	request->client->counters.batches++;
	request->client->counters.rows += batch->nrows;
	if (request->slot >= 0 && !gpustr_call_fails("submit") &&
		gpustr_queue_submit(request->slot, request->device))
		return;
	request->client->counters.batches_local++;
	run_locally(request);
}

/* Is the slot of a submitted request done? */
static bool
slot_is_done(GpustrRequest *request)
{
	uint32		word = pg_atomic_read_u32(&gpustr_slot(request->slot)->word);

	return GPUSTR_SLOT_STATE(word) == GPUSTR_SLOT_DONE;
}

bool
gpustr_request_ready(GpustrRequest *request)
{
	return request->done || request->given_up || slot_is_done(request);
}

/* Copy what matters of a body to private memory, and give the slot up. */
static void
move_to_private(GpustrRequest *request, uint32 bytes)
{
	const void *body = request->body;
	int			index = request->slot;

	acquire_private(request, bytes);
	request->mark = 0;
	memcpy(request->body, body, bytes);
	request->slot = -1;
	gpustr_queue_abandon(index);
}

/*
 * The device has been given up, but its process does not die, as it sits in
 * the driver: leave the slot to it.  False if the request is through after
 * all, or the device is well.
 */
static bool
leave_slot(GpustrRequest *request)
{
	GpustrDevice *device = &gpustr_shared->devices[request->device];
	uint32		running = GPUSTR_SLOT_WORD(GPUSTR_SLOT_RUNNING, request->device);

	if (pg_atomic_read_u32(&device->state) == GPUSTR_DEVICE_UP ||
		pg_atomic_read_u32(&gpustr_slot(request->slot)->word) != running)
		return false;
	move_to_private(request, ((const GpustrBatch *) request->body)->body_bytes);
	return true;
}

/* False if the request has left its slot, and is to be run here. */
static bool
wait_for_slot(GpustrRequest *request)
{
	bool		left = false;
	instr_time	start;
	instr_time	end;

	if (gpustr_call_fails("wait"))
	{
		move_to_private(request, ((const GpustrBatch *) request->body)->body_bytes);
		return false;
	}
	if (slot_is_done(request))
		return true;
	INSTR_TIME_SET_CURRENT(start);
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		if (slot_is_done(request) || (left = leave_slot(request)))
			break;
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 WAIT_TICK_MS, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
	}
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	request->client->counters.wait_ms += INSTR_TIME_GET_MILLISEC(end);
	return !left;
}

/* Take the results of a device, or do the batch again here. */
static void
collect_from_device(GpustrRequest *request)
{
	GpustrSlot *slot = gpustr_slot(request->slot);

	pg_read_barrier();
	if (slot->code == ENGINE_OK)
	{
		count_results(request->client, slot->kernel_ns, slot->transfer_ns,
					  slot->bytes_in, slot->bytes_out, slot->rechecks);
		request->done = true;
		return;
	}
	elog(DEBUG1, "gpustr device %d failed a batch, which is redone locally: %s",
		 request->device,
		 slot->message[0] ? slot->message : "its process ended");
	pg_atomic_fetch_add_u64(&gpustr_shared->devices[request->device].counters.fallbacks, 1);
	request->client->counters.batches_redone++;
	run_locally(request);
}

void
gpustr_request_wait(GpustrRequest *request)
{
	if (request->done)
		return;
	if (request->given_up)
		elog(ERROR, "batch was given up when its resource owner was released");
	if (wait_for_slot(request))
		collect_from_device(request);
	else
	{
		elog(DEBUG1, "gpustr device %d does not answer, a batch is redone locally",
			 request->device);
		pg_atomic_fetch_add_u64(&gpustr_shared->devices[request->device].counters.fallbacks, 1);
		request->client->counters.batches_redone++;
		run_locally(request);
	}
}

void
gpustr_request_detach(GpustrRequest *request)
{
	const GpustrBatch *batch = request->body;

	Assert(request->done);
	if (request->slot >= 0)
		move_to_private(request, batch->kind == GPUSTR_BATCH_PAGES ?
						batch->staged_off : batch->body_bytes);
}

void
gpustr_request_release(GpustrRequest *request)
{
	GpustrClient *client = request->client;

	abandon_request(request);
	if (request->allocation_bytes > client->spare_bytes)
	{
		if (client->spare)
			pfree(client->spare);
		client->spare = request->allocation;
		client->spare_bytes = request->allocation_bytes;
		client->spare_mark = request->mark;
	}
	else if (request->allocation)
		pfree(request->allocation);
	pfree(request);
}

bool
gpustr_client_take_pins(GpustrClient *client, int npins)
{
	uint32		before;

	if (gpustr_shared == NULL)
		return true;
	before = pg_atomic_fetch_add_u32(&gpustr_shared->pins, npins);
	if (before + npins > (uint32) gpustr_shared->pin_limit)
	{
		pg_atomic_fetch_sub_u32(&gpustr_shared->pins, npins);
		return false;
	}
	client->npins += npins;
	return true;
}

void
gpustr_client_give_pins(GpustrClient *client, int npins)
{
	if (gpustr_shared == NULL || npins == 0)
		return;
	Assert(npins <= client->npins);
	client->npins -= npins;
	pg_atomic_fetch_sub_u32(&gpustr_shared->pins, npins);
}
