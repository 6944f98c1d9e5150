/*-------------------------------------------------------------------------
 *
 * queue.h
 *	  The shared memory that backends, device processes and the supervisor
 *	  meet in.
 *
 * There is no request ring: the slots of the staging pool *are* the queue.  A
 * ring has a head and a tail, and a process that is killed between two
 * instructions leaves them lying; a slot has one state word, and every edge of
 * the diagram is one compare-and-swap by the side named:
 *
 *		free --(backend)--> filling --(backend)--> submitted
 *		submitted --(device)--> running --(device)--> done
 *		done --(backend)--> free, or filling once more
 *		filling | submitted --(backend gives up)--> free
 *		running --(backend gives up)--> abandoned --(device)--> free
 *
 * and after a device process is dead and waited for, in its stead,
 *
 *		submitted | running --(supervisor)--> done, with ENGINE_LOST
 *		abandoned --(supervisor)--> free
 *
 * so that the backend, still owner of the slot, redoes the batch from it.  A
 * slot is submitted with code ENGINE_LOST, which the device replaces last
 * before done: the supervisor need write nothing but the state.
 *
 * The state word also names the device, so that a compare-and-swap can never
 * take a slot that has been given up and submitted to another device meanwhile.
 *
 * Nobody takes a lock here: a device process may be killed at any
 * instruction.  A device looks for work by reading the state words (one cache
 * line each), which also lets it pick fairly: see gpustr_queue_next().
 *
 * All of this is in the main shared memory segment at one address in all
 * processes, device processes included, as they are forked without exec.
 *
 * IDENTIFICATION
 *	  src/service/queue.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_QUEUE_H
#define GPUSTR_QUEUE_H

#include "datatype/timestamp.h"
#include "port/atomics.h"
#include "storage/latch.h"

#include "engine/engine.h"

/* The most device processes. */
#define GPUSTR_MAX_DEVICES 16

/* The most tables of joins that devices have at a time, of all sessions. */
#define GPUSTR_MAX_TABLES 256

typedef enum GpustrSlotState
{
	GPUSTR_SLOT_FREE = 0,
	GPUSTR_SLOT_FILLING,
	GPUSTR_SLOT_SUBMITTED,
	GPUSTR_SLOT_RUNNING,
	GPUSTR_SLOT_DONE,
	GPUSTR_SLOT_ABANDONED
} GpustrSlotState;

typedef struct GpustrSlot
{
	pg_atomic_uint32 word;		/* GPUSTR_SLOT_WORD(state, device) */

	/* written by the backend before it submits */
	int32		session;		/* lock group leader's or own proc number */
	int32		fault;			/* GpustrFaultSetting */
	uint64		ticket;			/* order of submission */
	Latch	   *latch;			/* to set when done */

	/* written by the device */
	pg_atomic_uint64 started_us;	/* monotonic clock at the start */
	EngineCode	code;
	char		message[ENGINE_MESSAGE_BYTES];
	uint64		kernel_ns;
	uint64		transfer_ns;
	uint64		bytes_in;
	uint64		bytes_out;
	uint64		rechecks;
} GpustrSlot;

/* State, and index into devices[] (0 where no device has to do with it yet). */
#define GPUSTR_SLOT_WORD(state, device) ((uint32) (state) | ((uint32) (device) << 8))
#define GPUSTR_SLOT_STATE(word) ((GpustrSlotState) ((word) & 0xFF))
#define GPUSTR_SLOT_DEVICE(word) ((int) ((word) >> 8))

/* Slots are kept apart so that a scan over states shares no line with results. */
#define GPUSTR_SLOT_STRIDE \
	(((sizeof(GpustrSlot) + PG_CACHE_LINE_SIZE - 1) / PG_CACHE_LINE_SIZE) * PG_CACHE_LINE_SIZE)

typedef enum GpustrDeviceState
{
	GPUSTR_DEVICE_OFF = 0,		/* not configured */
	GPUSTR_DEVICE_STARTING,
	GPUSTR_DEVICE_UP,
	GPUSTR_DEVICE_RESTARTING,	/* process gone, next one due */
	GPUSTR_DEVICE_ABSENT		/* no such device here; asked again now and
								 * then */
} GpustrDeviceState;

/* What gpustr.stat_device shows. */
typedef struct GpustrDeviceCounters
{
	pg_atomic_uint64 batches;
	pg_atomic_uint64 rows;
	pg_atomic_uint64 bytes_in;
	pg_atomic_uint64 bytes_out;
	pg_atomic_uint64 kernel_ns;
	pg_atomic_uint64 transfer_ns;
	pg_atomic_uint64 rechecks;
	pg_atomic_uint64 fallbacks;
	pg_atomic_uint64 restarts;
	pg_atomic_uint64 program_hits;
	pg_atomic_uint64 program_misses;
} GpustrDeviceCounters;

/*
 * Lines that a device process has to say; the supervisor logs them.  One
 * writer, one reader.  A line is complete once 'written' has passed it; what
 * the reader is too slow for is overwritten.
 */
#define GPUSTR_LOG_LINES 16
#define GPUSTR_LOG_LINE_BYTES 320

typedef struct GpustrLogRing
{
	pg_atomic_uint32 written;	/* lines ever */
	char		line[GPUSTR_LOG_LINES][GPUSTR_LOG_LINE_BYTES];
} GpustrLogRing;

typedef struct GpustrDevice
{
	int32		ordinal;		/* of the GPU */
	volatile int32 device_count;	/* as its process counted them; 0: not yet */
	pg_atomic_uint32 state;		/* GpustrDeviceState */
	pg_atomic_uint32 generation;	/* raised with each loss of a process */
	pg_atomic_uint32 pid;		/* 0: none */
	pg_atomic_uint32 doorbell;	/* futex: rung with each submission */
	pg_atomic_uint64 heartbeat_us;	/* monotonic clock, each turn of the loop */
	pg_atomic_uint64 memory_total;
	pg_atomic_uint64 memory_used;
	pg_atomic_uint32 programs;	/* kept there; UINT32_MAX: its engine keeps
								 * none */
	pg_atomic_uint64 program_bytes;
	pg_atomic_uint32 tables;	/* of joins, there */
	pg_atomic_uint64 table_bytes;
	volatile int32 zero_copy_blocks;
	char		name[64];		/* valid once up */
	char		kind[16];		/* "cuda" or "host" */
	GpustrDeviceCounters counters;
	GpustrLogRing log;
} GpustrDevice;

typedef struct GpustrShared
{
	int32		nslots;
	uint32		slot_bytes;
	char	   *staging;		/* [nslots * slot_bytes], page-aligned */
	char	   *slots;			/* [nslots * GPUSTR_SLOT_STRIDE] */
	volatile uint64 memory_limit;	/* bytes, for each device; UINT64_MAX:
									 * none */
	int32		pin_limit;		/* buffers */
	pg_atomic_uint32 pins;		/* buffers pinned by all sessions' batches */
	pg_atomic_uint32 ndevices;	/* devices[] in use; may grow */
	pg_atomic_uint32 supervisor_pid;
	pg_atomic_uint64 ticket;	/* last one given */
	pg_atomic_uint64 stats_reset;	/* TimestampTz */

	/* tables.c */
	pg_atomic_uint64 table_ids; /* last one given */
	pg_atomic_uint32 table_releases;	/* ever: devices look again when it
										 * has changed */
	pg_atomic_uint64 tables[GPUSTR_MAX_TABLES]; /* ids in use; 0: free */
	GpustrDevice devices[GPUSTR_MAX_DEVICES];
} GpustrShared;

/* NULL where the library was not preloaded. */
extern PGDLLIMPORT GpustrShared *gpustr_shared;

extern void gpustr_queue_request_memory(void);
extern void gpustr_queue_attach(void);

extern GpustrSlot *gpustr_slot(int index);
extern void *gpustr_slot_body(int index);

/* Change a slot's word; false if it was not 'from'.  A full barrier. */
extern bool gpustr_slot_move(GpustrSlot *slot, uint32 from, uint32 to);

/* Backend side. */
extern int	gpustr_queue_claim(void);
extern int	gpustr_queue_pick_device(void);
extern bool gpustr_queue_submit(int index, int device);
extern void gpustr_queue_abandon(int index);

/* Wake a device's process, should it sleep. */
extern void gpustr_doorbell_ring(GpustrDevice *device);

/* Device side. */
extern int	gpustr_queue_next(int device, const int *running, int nrunning);
extern void gpustr_doorbell_wait(GpustrDevice *device, uint32 seen, long timeout_us);

/* Supervisor side. */
extern void gpustr_queue_sweep(int device, bool dead);

/* A device's process holds no memory any more. */
extern void gpustr_device_memory_gone(GpustrDevice *device);

extern uint64 gpustr_monotonic_us(void);
extern void gpustr_counters_reset(GpustrDeviceCounters *counters);

#endif							/* GPUSTR_QUEUE_H */
