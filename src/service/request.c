/*-------------------------------------------------------------------------
 *
 * request.c
 *	  The requests of a client: acquired, submitted, waited for, redone.
 *
 * Each request has a body to run a batch in: a staging slot, when a device is
 * up and the pool has one to spare, or memory of this backend.  A batch that a
 * device does not bring to an end (it was lost, it hangs and is killed, it is
 * out of memory) is run again here, by the host engine, over the same body: an
 * engine writes nothing but the results.
 *
 * A client with a place has tables on that device.  Whatever of it is to run here
 * for the first time, for whatever reason, first has its owner make the tables here
 * (gpustr_client_before_redo), and from then on everything of it runs here.  A
 * place is one process of a device: what runs on another, though the device be the
 * same, does not count.
 *
 * IDENTIFICATION
 *	  src/service/request.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "pgstat.h"
#include "portability/instr_time.h"
#include "storage/bufmgr.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"

#include "service/client_state.h"
#include "service/fault.h"
#include "service/local_engine.h"
#include "service/place.h"
#include "service/queue.h"

/* Look at the slot's state this often, should a latch have been missed. */
#define WAIT_TICK_MS 1000

/*
 * How long a request whose tables are on a device waits for a slot, which is less
 * than it takes to make them here, and how often it looks.
 */
#define SLOT_WAIT_MS 1000
#define SLOT_LOOK_MS 2

void
gpustr_request_give_up(GpustrRequest *request)
{
	if (request->given_up)
		return;
	request->given_up = true;
	if (request->slot >= 0)
		gpustr_queue_abandon(request->slot);
	request->slot = -1;
	dlist_delete(&request->node);
}

/* May a body of so many bytes go to a device now? */
static bool
goes_to_device(GpustrClient *client, Size bytes)
{
	if (client->place == GPUSTR_PLACE_ANY)
		return gpustr_engine_choice() == GPUSTR_RUN_DEVICE && bytes <= gpustr_shared->slot_bytes;
	return client->place >= 0 && bytes <= gpustr_shared->slot_bytes &&
		gpustr_place_is_up(client->place);
}

/*
 * A free slot; -1 if there is none.  Without one a client with tables on a device
 * would have to make them here: so it waits a moment, if it holds no slot itself.
 */
static int
claim_slot(GpustrClient *client)
{
	bool		waits = client->place >= 0 && dlist_is_empty(&client->requests);
	int			slot = gpustr_queue_claim();
	int			i;

	for (i = 0; slot < 0 && waits && i < SLOT_WAIT_MS / SLOT_LOOK_MS; i++)
	{
		CHECK_FOR_INTERRUPTS();
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 SLOT_LOOK_MS, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		slot = gpustr_queue_claim();
	}
	return slot;
}

/* A slot and a device to run it on; false if there is no such pair now. */
static bool
acquire_slot(GpustrRequest *request)
{
	int			place = request->client->place;
	int			device = place >= 0 ? GPUSTR_PLACE_DEVICE(place) : gpustr_queue_pick_device();
	int			slot;

	if (device < 0 || gpustr_call_fails("acquire a slot"))
		return false;
	slot = claim_slot(request->client);
	if (slot < 0)
		return false;
	request->slot = slot;
	request->device = device;
	request->place = place;
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
	bool		by_device = goes_to_device(client, min_bytes);
	GpustrRequest *request = MemoryContextAllocZero(client->context, sizeof(GpustrRequest));

	request->client = client;
	request->slot = -1;
	request->place = client->place;
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

GpustrRequest *
gpustr_request_acquire_local(GpustrClient *client, Size min_bytes)
{
	GpustrRequest *request = MemoryContextAllocZero(client->context, sizeof(GpustrRequest));

	request->client = client;
	request->slot = -1;
	request->place = client->place;
	acquire_private(request, min_bytes);
	dlist_push_tail(&client->requests, &request->node);
	return request;
}

GpustrRequest *
gpustr_request_acquire_soon(GpustrClient *client, Size min_bytes)
{
	GpustrRequest *request = gpustr_request_acquire(client, min_bytes);
	int			i;

	for (i = 0; request == NULL && i < SLOT_WAIT_MS / SLOT_LOOK_MS; i++)
	{
		CHECK_FOR_INTERRUPTS();
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 SLOT_LOOK_MS, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		request = gpustr_request_acquire(client, min_bytes);
	}
	if (request == NULL)
		request = gpustr_request_acquire_local(client, min_bytes);
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

/* Does the request bring rows of a table? */
static bool
builds_table(const GpustrRequest *request)
{
	const GpustrBatch *batch = request->body;
	const GpustrProgram *program = GPUSTR_BODY_PTR(batch, batch->program_off, const GpustrProgram);
	const GpustrStep *steps = GPUSTR_PROGRAM_STEPS(program);
	int			i;

	for (i = 0; i < program->nsteps; i++)
	{
		if (steps[i].op == GPUSTR_OP_BUILD)
			return true;
	}
	return false;
}

/* Run the request here, where all is that it needs. */
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
 * Run a request here that was meant for a device, or has failed there.  One that
 * brings rows of a table is not run: 'redo' has made the whole table.
 */
static void
run_here_instead(GpustrRequest *request)
{
	GpustrClient *client = request->client;
	bool		had_tables = request->place >= 0 && client->redo != NULL;

	if (had_tables && client->place >= 0)
	{
		if (request->slot >= 0)
			move_to_private(request, ((const GpustrBatch *) request->body)->body_bytes);
		client->place = GPUSTR_PLACE_LOCAL;
		client->redo(client->redo_arg);
	}
	if (had_tables && builds_table(request))
		request->done = true;
	else
		run_locally(request);
}

/* Give it to its device; false if that cannot be, or is to be no more. */
static bool
submit_to_device(GpustrRequest *request)
{
	if (request->slot < 0 || gpustr_call_fails("submit"))
		return false;
	if (request->place >= 0 &&
		(request->client->place != request->place || !gpustr_place_is_up(request->place)))
		return false;
	return gpustr_queue_submit(request->slot, request->device);
}

void
gpustr_request_submit(GpustrRequest *request)
{
	const GpustrBatch *batch = request->body;

	request->client->counters.batches++;
	request->client->counters.rows += batch->nrows;
	if (submit_to_device(request))
		return;
	request->client->counters.batches_local++;
	run_here_instead(request);
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

/*
 * Take the results of a device; false if there are none.  Those of a request that
 * another process than its place's may have run are not taken.
 */
static bool
collect_from_device(GpustrRequest *request)
{
	GpustrSlot *slot = gpustr_slot(request->slot);

	pg_read_barrier();
	if (slot->code != ENGINE_OK ||
		(request->place >= 0 && !gpustr_place_is_same(request->place)))
	{
		elog(DEBUG1, "gpustr device %d failed a batch, which is redone locally: %s",
			 request->device,
			 slot->message[0] ? slot->message : "its process ended");
		return false;
	}
	count_results(request->client, slot->kernel_ns, slot->transfer_ns,
				  slot->bytes_in, slot->bytes_out, slot->rechecks);
	request->done = true;
	return true;
}

void
gpustr_request_wait(GpustrRequest *request)
{
	if (request->done)
		return;
	if (request->given_up)
		elog(ERROR, "batch was given up when its resource owner was released");
	if (!wait_for_slot(request))
		elog(DEBUG1, "gpustr device %d does not answer, a batch is redone locally",
			 request->device);
	else if (collect_from_device(request))
		return;
	pg_atomic_fetch_add_u64(&gpustr_shared->devices[request->device].counters.fallbacks, 1);
	request->client->counters.batches_redone++;
	run_here_instead(request);
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
gpustr_request_again(GpustrRequest *request)
{
	Assert(request->done && !request->given_up);
	request->done = false;

	/*
	 * it is "filling" still where the device was not to be had and it ran
	 * here
	 */
	if (request->slot >= 0 && slot_is_done(request) &&
		!gpustr_slot_move(gpustr_slot(request->slot),
						  GPUSTR_SLOT_WORD(GPUSTR_SLOT_DONE, request->device),
						  GPUSTR_SLOT_WORD(GPUSTR_SLOT_FILLING, 0)))
		elog(ERROR, "gpustr slot %d is somebody else's", request->slot);
}

void
gpustr_request_release(GpustrRequest *request)
{
	GpustrClient *client = request->client;

	gpustr_request_give_up(request);
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
