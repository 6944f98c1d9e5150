/*-------------------------------------------------------------------------
 *
 * queue.c
 *	  The staging pool and its slots: the queue between backends and devices.
 *
 * See queue.h for the states.  Every function here is safe in a device
 * process: none allocates, waits for a lock or raises an error, except the two
 * that set the memory up.
 *
 * IDENTIFICATION
 *	  src/service/queue.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/shmem.h"

#include "guc.h"
#include "service/fault.h"
#include "service/queue.h"

/* Registration with a device works on whole OS pages. */
#define STAGING_ALIGN 4096

/* Share of the buffer pool that batches in flight may pin: one in this many. */
#define PIN_SHARE 4

GpustrShared *gpustr_shared = NULL;

static int
slot_count(void)
{
	return (int) ((Size) gpustr_staging_memory * 1024 / gpustr_batch_bytes);
}

static Size
shared_bytes(void)
{
	Size		bytes = MAXALIGN(sizeof(GpustrShared));

	bytes = add_size(bytes, PG_CACHE_LINE_SIZE);
	bytes = add_size(bytes, mul_size(slot_count(), GPUSTR_SLOT_STRIDE));
	bytes = add_size(bytes, 2 * STAGING_ALIGN);
	return add_size(bytes, mul_size(slot_count(), gpustr_batch_bytes));
}

/* From shmem_request_hook. */
void
gpustr_queue_request_memory(void)
{
	RequestAddinShmemSpace(shared_bytes());
}

static void
counters_init(GpustrDeviceCounters *c)
{
	pg_atomic_init_u64(&c->batches, 0);
	pg_atomic_init_u64(&c->rows, 0);
	pg_atomic_init_u64(&c->bytes_in, 0);
	pg_atomic_init_u64(&c->bytes_out, 0);
	pg_atomic_init_u64(&c->kernel_ns, 0);
	pg_atomic_init_u64(&c->transfer_ns, 0);
	pg_atomic_init_u64(&c->rechecks, 0);
	pg_atomic_init_u64(&c->fallbacks, 0);
	pg_atomic_init_u64(&c->restarts, 0);
	pg_atomic_init_u64(&c->program_hits, 0);
	pg_atomic_init_u64(&c->program_misses, 0);
}

static void
device_init(GpustrDevice *device, int ordinal)
{
	device->ordinal = ordinal;
	device->device_count = 0;
	pg_atomic_init_u32(&device->state, GPUSTR_DEVICE_OFF);
	pg_atomic_init_u32(&device->generation, 0);
	pg_atomic_init_u32(&device->pid, 0);
	pg_atomic_init_u32(&device->doorbell, 0);
	pg_atomic_init_u64(&device->heartbeat_us, 0);
	pg_atomic_init_u64(&device->memory_total, 0);
	pg_atomic_init_u64(&device->memory_used, 0);
	pg_atomic_init_u32(&device->programs, UINT32_MAX);
	pg_atomic_init_u64(&device->program_bytes, 0);
	pg_atomic_init_u32(&device->tables, 0);
	pg_atomic_init_u64(&device->table_bytes, 0);
	pg_atomic_init_u32(&device->log.written, 0);
	counters_init(&device->counters);
}

static void
shared_init(GpustrShared *shared)
{
	int			i;

	memset(shared, 0, sizeof(GpustrShared));
	shared->nslots = slot_count();
	shared->slot_bytes = TYPEALIGN_DOWN(STAGING_ALIGN, gpustr_batch_bytes);
	shared->slots = (char *) CACHELINEALIGN((char *) shared + MAXALIGN(sizeof(GpustrShared)));
	shared->staging = (char *) TYPEALIGN(STAGING_ALIGN,
										 shared->slots + shared->nslots * GPUSTR_SLOT_STRIDE);
	shared->memory_limit = UINT64_MAX;
	shared->pin_limit = NBuffers / PIN_SHARE;
	pg_atomic_init_u32(&shared->pins, 0);
	pg_atomic_init_u32(&shared->ndevices, 0);
	pg_atomic_init_u32(&shared->supervisor_pid, 0);
	pg_atomic_init_u64(&shared->ticket, 0);
	pg_atomic_init_u64(&shared->stats_reset, 0);
	pg_atomic_init_u64(&shared->table_ids, 0);
	pg_atomic_init_u32(&shared->table_releases, 0);
	for (i = 0; i < GPUSTR_MAX_TABLES; i++)
		pg_atomic_init_u64(&shared->tables[i], 0);
	for (i = 0; i < GPUSTR_MAX_DEVICES; i++)
		device_init(&shared->devices[i], i);
	gpustr_shared = shared;
	for (i = 0; i < shared->nslots; i++)
	{
		GpustrSlot *slot = gpustr_slot(i);

		memset(slot, 0, sizeof(GpustrSlot));
		pg_atomic_init_u32(&slot->word, GPUSTR_SLOT_WORD(GPUSTR_SLOT_FREE, 0));
		pg_atomic_init_u64(&slot->started_us, 0);
	}
}

/* From shmem_startup_hook: in the postmaster, again after each crash restart. */
void
gpustr_queue_attach(void)
{
	bool		found;
	GpustrShared *shared;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	shared = ShmemInitStruct("gpustr", shared_bytes(), &found);
	if (!found)
		shared_init(shared);
	gpustr_shared = shared;
	LWLockRelease(AddinShmemInitLock);
}

GpustrSlot *
gpustr_slot(int index)
{
	return (GpustrSlot *) (gpustr_shared->slots + (Size) index * GPUSTR_SLOT_STRIDE);
}

void *
gpustr_slot_body(int index)
{
	return gpustr_shared->staging + (Size) index * gpustr_shared->slot_bytes;
}

bool
gpustr_slot_move(GpustrSlot *slot, uint32 from, uint32 to)
{
	return pg_atomic_compare_exchange_u32(&slot->word, &from, to);
}

/*
 * Claim a free slot for this backend to fill; -1 if there is none.  Starts
 * looking at a place of this process's own, so that sessions that claim at the
 * same time seldom meet.
 */
int
gpustr_queue_claim(void)
{
	int			nslots = gpustr_shared->nslots;
	int			start;
	int			i;

	if (nslots == 0)
		return -1;
	start = (int) ((uint32) MyProcPid % (uint32) nslots);
	for (i = 0; i < nslots; i++)
	{
		int			index = (start + i) % nslots;
		GpustrSlot *slot = gpustr_slot(index);

		if (pg_atomic_read_u32(&slot->word) == GPUSTR_SLOT_WORD(GPUSTR_SLOT_FREE, 0) &&
			gpustr_slot_move(slot, GPUSTR_SLOT_WORD(GPUSTR_SLOT_FREE, 0),
							 GPUSTR_SLOT_WORD(GPUSTR_SLOT_FILLING, 0)))
			return index;
	}
	return -1;
}

/*
 * The device that is up and has the fewest requests waiting or running; -1 if
 * none is up.  Counted from the slots, so that no counter can go astray when a
 * process is killed.  Devices that are equal take turns.
 */
int
gpustr_queue_pick_device(void)
{
	int			ndevices;
	int			first;
	int			load[GPUSTR_MAX_DEVICES] = {0};
	int			best = -1;
	int			i;

	if (gpustr_shared == NULL)
		return -1;
	ndevices = (int) pg_atomic_read_u32(&gpustr_shared->ndevices);
	if (ndevices > 1)
	{
		for (i = 0; i < gpustr_shared->nslots; i++)
		{
			uint32		word = pg_atomic_read_u32(&gpustr_slot(i)->word);

			if (GPUSTR_SLOT_STATE(word) == GPUSTR_SLOT_SUBMITTED ||
				GPUSTR_SLOT_STATE(word) == GPUSTR_SLOT_RUNNING)
				load[GPUSTR_SLOT_DEVICE(word)]++;
		}
	}
	first = (int) (pg_atomic_read_u64(&gpustr_shared->ticket) % Max(ndevices, 1));
	for (i = 0; i < ndevices; i++)
	{
		int			candidate = (first + i) % ndevices;

		if (pg_atomic_read_u32(&gpustr_shared->devices[candidate].state) == GPUSTR_DEVICE_UP &&
			(best < 0 || load[candidate] < load[best]))
			best = candidate;
	}
	return best;
}

void
gpustr_doorbell_ring(GpustrDevice *device)
{
	pg_atomic_fetch_add_u32(&device->doorbell, 1);
	(void) syscall(SYS_futex, &device->doorbell, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/*
 * Submit a filled slot to a device.  False if the device went down: the slot
 * is then still the caller's, in state filling.
 *
 * The device's state is looked at again after submitting: the supervisor first
 * takes the state away from "up" and then sweeps, so either it sees this slot
 * or we see the state.
 */
bool
gpustr_queue_submit(int index, int device_index)
{
	GpustrSlot *slot = gpustr_slot(index);
	GpustrDevice *device = &gpustr_shared->devices[device_index];
	PGPROC	   *leader = MyProc->lockGroupLeader ? MyProc->lockGroupLeader : MyProc;
	uint32		filling = GPUSTR_SLOT_WORD(GPUSTR_SLOT_FILLING, 0);
	uint32		submitted = GPUSTR_SLOT_WORD(GPUSTR_SLOT_SUBMITTED, device_index);

	slot->session = (int32) (leader - ProcGlobal->allProcs);
	slot->fault = gpustr_fault_of_request();
	slot->ticket = pg_atomic_add_fetch_u64(&gpustr_shared->ticket, 1);
	slot->latch = MyLatch;
	slot->code = ENGINE_LOST;
	slot->message[0] = '\0';
	pg_atomic_write_u64(&slot->started_us, 0);

	if (!gpustr_slot_move(slot, filling, submitted))
		return false;
	if (pg_atomic_read_u32(&device->state) != GPUSTR_DEVICE_UP &&
		gpustr_slot_move(slot, submitted, filling))
		return false;
	gpustr_doorbell_ring(device);
	return true;
}

/*
 * Give a slot back without looking at its results, whatever its state.  A
 * running one is freed by the device when it is through with it.
 */
void
gpustr_queue_abandon(int index)
{
	GpustrSlot *slot = gpustr_slot(index);

	for (;;)
	{
		uint32		word = pg_atomic_read_u32(&slot->word);
		uint32		next = GPUSTR_SLOT_WORD(GPUSTR_SLOT_FREE, 0);

		if (GPUSTR_SLOT_STATE(word) == GPUSTR_SLOT_RUNNING)
			next = GPUSTR_SLOT_WORD(GPUSTR_SLOT_ABANDONED, GPUSTR_SLOT_DEVICE(word));
		if (gpustr_slot_move(slot, word, next))
			return;
	}
}

/*
 * Take the next request for a device: submitted -> running.  -1 if none waits.
 *
 * running	[nrunning] slots that the device is working on
 *
 * Fair between sessions: of the waiting requests, one whose session has the
 * fewest running, and among those the oldest.  So a session that keeps many
 * requests in flight does not hold up one that has a single one.
 */
int
gpustr_queue_next(int device, const int *running, int nrunning)
{
	uint32		waiting = GPUSTR_SLOT_WORD(GPUSTR_SLOT_SUBMITTED, device);
	int			best;

	do
	{
		int			best_running = INT_MAX;
		uint64		best_ticket = 0;
		int			i;

		best = -1;
		for (i = 0; i < gpustr_shared->nslots; i++)
		{
			GpustrSlot *slot = gpustr_slot(i);
			int			of_session = 0;
			int			j;

			if (pg_atomic_read_u32(&slot->word) != waiting)
				continue;
			pg_read_barrier();
			for (j = 0; j < nrunning; j++)
				of_session += gpustr_slot(running[j])->session == slot->session;
			if (of_session < best_running ||
				(of_session == best_running && slot->ticket < best_ticket))
			{
				best = i;
				best_running = of_session;
				best_ticket = slot->ticket;
			}
		}
		/* taking it fails if its owner gave it up meanwhile: look again */
	} while (best >= 0 &&
			 !gpustr_slot_move(gpustr_slot(best), waiting,
							   GPUSTR_SLOT_WORD(GPUSTR_SLOT_RUNNING, device)));
	return best;
}

/*
 * Sleep until the doorbell has been rung since 'seen' was read off it, or the
 * time is over.
 */
void
gpustr_doorbell_wait(GpustrDevice *device, uint32 seen, long timeout_us)
{
	struct timespec timeout;

	timeout.tv_sec = timeout_us / 1000000;
	timeout.tv_nsec = (timeout_us % 1000000) * 1000;
	(void) syscall(SYS_futex, &device->doorbell, FUTEX_WAIT, seen, &timeout, NULL, 0);
}

/*
 * Act in the stead of a device's process that is dead (and waited for), or is
 * about to be.  Waiting and, once it is dead, running requests are done, with
 * the ENGINE_LOST they were submitted with (or complete, if the process died
 * just before saying so); abandoned ones are freed.  The caller has taken the
 * device's state away from "up" before.
 */
void
gpustr_queue_sweep(int device, bool dead)
{
	int			i;

	pg_memory_barrier();
	for (i = 0; i < gpustr_shared->nslots; i++)
	{
		GpustrSlot *slot = gpustr_slot(i);
		uint32		word = pg_atomic_read_u32(&slot->word);
		Latch	   *latch = slot->latch;

		if (GPUSTR_SLOT_DEVICE(word) != device)
			continue;
		if (GPUSTR_SLOT_STATE(word) == GPUSTR_SLOT_SUBMITTED ||
			(dead && GPUSTR_SLOT_STATE(word) == GPUSTR_SLOT_RUNNING))
		{
			if (gpustr_slot_move(slot, word, GPUSTR_SLOT_WORD(GPUSTR_SLOT_DONE, device)))
				SetLatch(latch);
		}
		else if (GPUSTR_SLOT_STATE(word) == GPUSTR_SLOT_RUNNING ||
				 GPUSTR_SLOT_STATE(word) == GPUSTR_SLOT_DONE)
			SetLatch(latch);	/* it may have died before it could do so */
		if (dead)
			(void) gpustr_slot_move(slot, GPUSTR_SLOT_WORD(GPUSTR_SLOT_ABANDONED, device),
									GPUSTR_SLOT_WORD(GPUSTR_SLOT_FREE, 0));
	}
}

void
gpustr_device_memory_gone(GpustrDevice *device)
{
	pg_atomic_write_u64(&device->memory_used, 0);
	pg_atomic_write_u32(&device->tables, 0);
	pg_atomic_write_u64(&device->table_bytes, 0);
}

uint64
gpustr_monotonic_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64) now.tv_sec * 1000000 + (uint64) now.tv_nsec / 1000;
}

void
gpustr_counters_reset(GpustrDeviceCounters *c)
{
	pg_atomic_write_u64(&c->batches, 0);
	pg_atomic_write_u64(&c->rows, 0);
	pg_atomic_write_u64(&c->bytes_in, 0);
	pg_atomic_write_u64(&c->bytes_out, 0);
	pg_atomic_write_u64(&c->kernel_ns, 0);
	pg_atomic_write_u64(&c->transfer_ns, 0);
	pg_atomic_write_u64(&c->rechecks, 0);
	pg_atomic_write_u64(&c->fallbacks, 0);
	pg_atomic_write_u64(&c->restarts, 0);
	pg_atomic_write_u64(&c->program_hits, 0);
	pg_atomic_write_u64(&c->program_misses, 0);
}
