/*-------------------------------------------------------------------------
 *
 * device_process.c
 *	  The process that owns a device, and its loop.
 *
 * Only this process ever loads gpustr_cuda.so.  It is forked by the supervisor
 * without exec, so that it inherits the mapping of shared memory: staging pool
 * and shared buffers lie at the addresses that backends use.  It is no
 * PostgreSQL process any more: no palloc, no elog, no LWLock, no latch of its
 * own, no exit callbacks; it leaves with _exit().  It may be killed at any
 * instruction, and the supervisor then answers for it (queue.h).
 *
 * One thread runs the loop below.  (The CUDA engine registers shared buffers
 * with the driver from a thread of its own.)
 *
 *		take requests while the engine wants more, fairly between sessions;
 *		collect what is through: results first, then the state, then the latch;
 *		sleep on the doorbell, briefly while requests are in flight.
 *
 * A request whose owner gave it up while it was running is freed here and only
 * here, when the engine is through with its memory.  Tables of joins whose id is in
 * use no more (tables.c) are dropped before the next request is begun.
 *
 * What it has to say goes to the log ring of its device; the supervisor logs
 * it.
 *
 * IDENTIFICATION
 *	  src/service/device_process.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/ipc.h"

#include "guc.h"
#include "service/device_process.h"
#include "service/queue.h"
#include "service/tables.h"

/* The most requests in flight, whatever the engine says. */
#define MAX_IN_FLIGHT 32

/* Sleeps in microseconds: with requests in flight, and without. */
#define BUSY_SLEEP_US 20
#define IDLE_SLEEP_US 200000

/*
 * How late the kernel may wake this process.  By default 50 us, so that a lane of
 * the device would be idle for as long after each request.
 */
#define TIMER_SLACK_NS 1

/* How often memory in use is published while requests are in flight. */
#define PUBLISH_US 100000

typedef struct DeviceLoop
{
	int			index;
	GpustrDevice *device;
	Engine	   *engine;
	int			max_in_flight;
	int			nrunning;
	int			running[MAX_IN_FLIGHT]; /* slots */
	EngineRequest request[MAX_IN_FLIGHT];	/* request[i] is running[i]'s, or
											 * free where busy[i] is false */
	bool		busy[MAX_IN_FLIGHT];
	int			slot_of[MAX_IN_FLIGHT];
	bool		protected_blocks;
	uint64		program_hits;	/* that have been published */
	uint64		program_misses;
	uint32		releases;		/* of tables, before the last look at them */
} DeviceLoop;

/* Say a line, for the supervisor to log. */
static void
			say(GpustrDevice *device, const char *format,...) pg_attribute_printf(2, 3);

static void
say(GpustrDevice *device, const char *format,...)
{
	uint32		n = pg_atomic_read_u32(&device->log.written);
	va_list		args;

	va_start(args, format);
	vsnprintf(device->log.line[n % GPUSTR_LOG_LINES], GPUSTR_LOG_LINE_BYTES, format, args);
	va_end(args);
	pg_write_barrier();
	pg_atomic_write_u32(&device->log.written, n + 1);
}

/* Every descriptor but stdin, stdout and stderr belongs to the supervisor. */
static void
close_descriptors(void)
{
	DIR		   *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	int			fd;

	if (dir == NULL)
	{
		for (fd = 3; fd < 1024; fd++)
			close(fd);
		return;
	}
	while ((entry = readdir(dir)) != NULL)
	{
		fd = atoi(entry->d_name);
		if (fd > 2 && fd != dirfd(dir))
			close(fd);
	}
	closedir(dir);
}

/*
 * Cut the ties that a forked PostgreSQL process has: exit callbacks, signal
 * handlers, the process group that the postmaster signals, descriptors.
 */
static void
leave_server(pid_t parent)
{
	struct rlimit no_core = {0, 0};
	sigset_t	none;
	int			sig;

	on_exit_reset();
	MyProcPid = getpid();
	for (sig = 1; sig < NSIG; sig++)
	{
		if (sig != SIGKILL && sig != SIGSTOP)
			(void) signal(sig, SIG_DFL);
	}
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(GPUSTR_EXIT_PARENT_GONE);
	prctl(PR_SET_NAME, "gpustr device");
	prctl(PR_SET_TIMERSLACK, 1000UL);
	(void) setrlimit(RLIMIT_CORE, &no_core);	/* all of shared buffers,
												 * while sessions wait */
	close_descriptors();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/*
 * The engine's methods: the host's, or those of gpustr_cuda.so.  Leaves the
 * process if that cannot be.
 */
static const EngineMethods *
load_engine(GpustrDevice *device, bool use_host, const char *library_path)
{
	const EngineMethods *methods;
	GpustrEngineCudaFunction entry;
	void	   *library;

	if (use_host)
		return gpustr_engine_host();

	library = dlopen(library_path, RTLD_NOW | RTLD_LOCAL);
	if (library == NULL)
	{
		say(device, "could not load the CUDA engine: %s", dlerror());
		_exit(GPUSTR_EXIT_NO_DEVICE);
	}
	*(void **) (&entry) = dlsym(library, GPUSTR_ENGINE_CUDA_SYMBOL);
	methods = entry ? entry() : NULL;
	if (methods == NULL || methods->abi != GPUSTR_ENGINE_ABI ||
		strcmp(methods->version, GPUSTR_VERSION) != 0)
	{
		say(device, "library \"%s\" is version %s (interface %d), gpustr.so is version %s (interface %d): install both from one build",
			library_path,
			methods ? methods->version : "unknown", methods ? methods->abi : 0,
			GPUSTR_VERSION, GPUSTR_ENGINE_ABI);
		_exit(GPUSTR_EXIT_NO_DEVICE);
	}
	return methods;
}

static void
publish_info(DeviceLoop *loop)
{
	EngineInfo	info;

	memset(&info, 0, sizeof(info));
	loop->engine->methods->info(loop->engine, &info);
	strlcpy(loop->device->name, info.name, sizeof(loop->device->name));
	strlcpy(loop->device->kind, loop->engine->methods->kind, sizeof(loop->device->kind));
	pg_atomic_write_u64(&loop->device->memory_total, info.memory_total);
	pg_atomic_write_u64(&loop->device->memory_used, info.memory_used);
	pg_atomic_write_u64(&loop->device->program_bytes, info.program_bytes);
	pg_atomic_write_u32(&loop->device->programs, (uint32) info.programs);
	pg_atomic_write_u64(&loop->device->table_bytes, info.table_bytes);
	pg_atomic_write_u32(&loop->device->tables, (uint32) info.tables);
	pg_atomic_fetch_add_u64(&loop->device->counters.program_hits,
							info.program_hits - loop->program_hits);
	pg_atomic_fetch_add_u64(&loop->device->counters.program_misses,
							info.program_misses - loop->program_misses);
	loop->program_hits = info.program_hits;
	loop->program_misses = info.program_misses;
	loop->max_in_flight = Max(1, Min(info.max_in_flight, MAX_IN_FLIGHT));
}

/*
 * Drop the engine's tables that nobody wants any more.  A request that was given up
 * may still make one after its id has been released; so this is not only done when
 * that has happened, but now and then, too.
 */
static void
drop_released_tables(DeviceLoop *loop)
{
	const EngineMethods *methods = loop->engine->methods;
	uint64_t	ids[GPUSTR_MAX_TABLES + 1];
	int32		n;
	int32		i;

	loop->releases = pg_atomic_read_u32(&gpustr_shared->table_releases);
	pg_memory_barrier();
	if (methods->tables == NULL)
		return;
	n = methods->tables(loop->engine, ids, GPUSTR_MAX_TABLES + 1);
	for (i = 0; i < Min(n, GPUSTR_MAX_TABLES + 1); i++)
	{
		if (!gpustr_table_is_claimed(ids[i]))
			methods->drop_table(loop->engine, ids[i]);
	}
}

static bool
tables_were_released(const DeviceLoop *loop)
{
	return loop->releases != pg_atomic_read_u32(&gpustr_shared->table_releases);
}

/* The slot whose request the host engine runs; it runs one at a time. */
static int	slot_at_work;

/* Has its owner given it up?  Then nobody wants the answer. */
static int
owner_has_gone(void)
{
	uint32		word = pg_atomic_read_u32(&gpustr_slot(slot_at_work)->word);

	return GPUSTR_SLOT_STATE(word) == GPUSTR_SLOT_ABANDONED;
}

static void
open_engine(DeviceLoop *loop, const EngineMethods *methods)
{
	GpustrDevice *device = loop->device;
	EngineConfig config;
	EngineError error;
	int			count;

	count = methods->device_count(&error);
	if (count < 0)
	{
		say(device, "no GPU: %s", error.message);
		_exit(GPUSTR_EXIT_NO_DEVICE);
	}
	if (device->ordinal >= count)
	{
		say(device, "GPU %d does not exist: this machine has %d", device->ordinal, count);
		_exit(GPUSTR_EXIT_NO_DEVICE);
	}

	/* with gpustr.devices = 'auto', the first device's process counts them */
	device->device_count = count;

	memset(&config, 0, sizeof(config));
	config.ordinal = device->ordinal;
	config.blocks = BufferBlocks;
	config.nblocks = NBuffers;
	config.staging = gpustr_shared->staging;
	config.staging_bytes = (size_t) gpustr_shared->nslots * gpustr_shared->slot_bytes;
	config.zero_copy_blocks = &device->zero_copy_blocks;
	config.memory_limit = &gpustr_shared->memory_limit;
	config.stop = owner_has_gone;
	if (methods->open(&config, &loop->engine, &error) != ENGINE_OK)
	{
		say(device, "could not open %s device %d: %s", methods->kind, device->ordinal, error.message);
		_exit(error.code == ENGINE_NO_DEVICE ? GPUSTR_EXIT_NO_DEVICE : GPUSTR_EXIT_ENGINE_LOST);
	}
}

/*
 * Take the right to write to shared buffers away from this process, once the
 * engine has registered all it will: a wild store of a driver or kernel
 * launcher then faults here instead of damaging a table.
 */
static void
protect_blocks(DeviceLoop *loop)
{
	uintptr_t	page = (uintptr_t) sysconf(_SC_PAGESIZE);
	uintptr_t	start = ((uintptr_t) BufferBlocks + page - 1) & ~(page - 1);
	uintptr_t	end = ((uintptr_t) BufferBlocks + (uintptr_t) NBuffers * BLCKSZ) & ~(page - 1);

	if (loop->protected_blocks || loop->device->zero_copy_blocks < NBuffers - 1)
		return;
	loop->protected_blocks = true;
	say(loop->device, "shared buffers registered: %d of %d", loop->device->zero_copy_blocks, NBuffers);
	if (start < end && mprotect((void *) start, end - start, PROT_READ) != 0)
		say(loop->device, "shared buffers stay writable in the device process: %s", strerror(errno));
}

/* Simulated faults: gpustr.debug_device_fault of the session that submitted. */
static bool
inject_fault(DeviceLoop *loop, EngineRequest *request, int fault)
{
	switch (fault)
	{
		case GPUSTR_FAULT_HANG:
			for (;;)
				pause();
		case GPUSTR_FAULT_CRASH:
			kill(getpid(), SIGKILL);
			return true;
		case GPUSTR_FAULT_LOST:
			gpustr_engine_error(&request->error, ENGINE_LOST, "simulated loss of the device");
			return true;
		case GPUSTR_FAULT_OUT_OF_MEMORY:
			gpustr_engine_error(&request->error, ENGINE_OUT_OF_MEMORY, "simulated lack of device memory");
			return true;
		default:
			return false;
	}
}

static void
count_request(GpustrDevice *device, const EngineRequest *request)
{
	GpustrDeviceCounters *c = &device->counters;
	const GpustrBatch *batch = request->body;

	pg_atomic_fetch_add_u64(&c->batches, 1);
	pg_atomic_fetch_add_u64(&c->rows, batch->nrows);
	pg_atomic_fetch_add_u64(&c->bytes_in, request->bytes_in);
	pg_atomic_fetch_add_u64(&c->bytes_out, request->bytes_out);
	pg_atomic_fetch_add_u64(&c->kernel_ns, request->kernel_ns);
	pg_atomic_fetch_add_u64(&c->transfer_ns, request->transfer_ns);
	pg_atomic_fetch_add_u64(&c->rechecks, request->rechecks);
}

/* Drop a request from the list of those in flight; returns its slot. */
static int
forget_request(DeviceLoop *loop, EngineRequest *request)
{
	int			entry = (int) (request - loop->request);
	int			index = loop->slot_of[entry];
	int			i;

	loop->busy[entry] = false;
	for (i = 0; loop->running[i] != index; i++)
		;
	loop->running[i] = loop->running[--loop->nrunning];
	return index;
}

/* Hand a request back to its owner, or free its slot if that has given up. */
static void
finish_request(DeviceLoop *loop, EngineRequest *request)
{
	int			index = forget_request(loop, request);
	GpustrSlot *slot = gpustr_slot(index);
	Latch	   *latch = slot->latch;

	if (request->error.code == ENGINE_OK)
		count_request(loop->device, request);
	slot->kernel_ns = request->kernel_ns;
	slot->transfer_ns = request->transfer_ns;
	slot->bytes_in = request->bytes_in;
	slot->bytes_out = request->bytes_out;
	slot->rechecks = request->rechecks;
	strlcpy(slot->message, request->error.code == ENGINE_OK ? "" : request->error.message,
			sizeof(slot->message));

	/*
	 * A lost device may still be writing to this slot, and to others.  So
	 * leave them as they are: the supervisor answers once the process, and
	 * with it all access of the device, is gone.
	 */
	if (request->error.code == ENGINE_LOST)
	{
		say(loop->device, "device lost: %s", request->error.message);
		_exit(GPUSTR_EXIT_ENGINE_LOST);
	}
	pg_write_barrier();
	slot->code = request->error.code;

	if (gpustr_slot_move(slot, GPUSTR_SLOT_WORD(GPUSTR_SLOT_RUNNING, loop->index),
						 GPUSTR_SLOT_WORD(GPUSTR_SLOT_DONE, loop->index)))
		SetLatch(latch);
	else
		(void) gpustr_slot_move(slot, GPUSTR_SLOT_WORD(GPUSTR_SLOT_ABANDONED, loop->index),
								GPUSTR_SLOT_WORD(GPUSTR_SLOT_FREE, 0));
}

/* Take a request and start it; false if none waits. */
static bool
start_request(DeviceLoop *loop)
{
	int			index = gpustr_queue_next(loop->index, loop->running, loop->nrunning);
	GpustrSlot *slot;
	EngineRequest *request;
	int			entry;

	if (index < 0)
		return false;
	slot = gpustr_slot(index);
	pg_atomic_write_u64(&slot->started_us, gpustr_monotonic_us());
	for (entry = 0; loop->busy[entry]; entry++)
		;
	loop->busy[entry] = true;
	loop->slot_of[entry] = index;
	loop->running[loop->nrunning++] = index;

	request = &loop->request[entry];
	memset(request, 0, sizeof(*request));
	request->body = gpustr_slot_body(index);
	request->body_bytes = gpustr_shared->slot_bytes;
	if (tables_were_released(loop))
		drop_released_tables(loop); /* it may need their memory */
	if (slot->fault != GPUSTR_FAULT_NONE && inject_fault(loop, request, slot->fault))
		finish_request(loop, request);
	else
	{
		slot_at_work = index;
		loop->engine->methods->submit(loop->engine, request);
	}
	return true;
}

static void
run_loop(DeviceLoop *loop, pid_t parent)
{
	uint64		published_us = 0;

	for (;;)
	{
		uint32		doorbell = pg_atomic_read_u32(&loop->device->doorbell);
		uint64		now = gpustr_monotonic_us();
		EngineRequest *request;
		bool		progress = false;

		pg_atomic_write_u64(&loop->device->heartbeat_us, now);
		if (tables_were_released(loop))
			drop_released_tables(loop);
		if (loop->nrunning > 0 && now > published_us + PUBLISH_US)
		{
			drop_released_tables(loop);
			publish_info(loop);
			published_us = now;
		}
		while (loop->nrunning < loop->max_in_flight && start_request(loop))
			progress = true;
		while ((request = loop->engine->methods->poll(loop->engine)) != NULL)
		{
			finish_request(loop, request);
			progress = true;
		}
		if (progress)
			continue;
		if (loop->nrunning == 0)
		{
			if (getppid() != parent)
				_exit(GPUSTR_EXIT_PARENT_GONE);
			drop_released_tables(loop);
			publish_info(loop);
			protect_blocks(loop);
		}
		gpustr_doorbell_wait(loop->device, doorbell,
							 loop->nrunning > 0 ? BUSY_SLEEP_US : IDLE_SLEEP_US);
	}
}

void
gpustr_device_process_main(int index, bool use_host, const char *library_path, pid_t parent)
{
	static DeviceLoop loop;		/* zeroed; the process has no memory context */

	leave_server(parent);
	(void) prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
	loop.index = index;
	loop.device = &gpustr_shared->devices[index];
	loop.device->zero_copy_blocks = 0;
	pg_atomic_write_u64(&loop.device->heartbeat_us, gpustr_monotonic_us());

	open_engine(&loop, load_engine(loop.device, use_host, library_path));
	publish_info(&loop);
	pg_write_barrier();
	pg_atomic_write_u32(&loop.device->state, GPUSTR_DEVICE_UP);
	say(loop.device, "device process up: %s (%s)", loop.device->kind, loop.device->name);
	run_loop(&loop, parent);
	_exit(GPUSTR_EXIT_PARENT_GONE); /* not reached */
}
