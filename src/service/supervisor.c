/*-------------------------------------------------------------------------
 *
 * supervisor.c
 *	  The background worker that keeps one process per device.
 *
 * It forks the device processes, waits for their end, answers in their stead
 * (gpustr_queue_sweep) and starts new ones: at once after the first end, then
 * after delays that double up to a second, and up to a minute while there is
 * no such device.  It kills a process that has been silent for longer than
 * gpustr.device_timeout, logs what the processes have to say, and passes
 * gpustr.device_memory_limit on to them at a reload.
 *
 * The postmaster does not know the device processes, and one that outlived the
 * server would keep the old shared memory attached, so that the next start
 * fails.  So whatever ends the supervisor ends them first: SIGTERM and the
 * postmaster's death in its loop, SIGQUIT in the signal handler; and if the
 * supervisor itself is killed, the kernel kills them (PR_SET_PDEATHSIG).
 *
 * IDENTIFICATION
 *	  src/service/supervisor.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libpq/pqsignal.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"

#include "guc.h"
#include "service/device_process.h"
#include "service/queue.h"
#include "service/supervisor.h"

/* Delays before a device's next process, in milliseconds. */
#define RESTART_FIRST_MS 10
#define RESTART_MAX_MS 1000
#define ABSENT_FIRST_MS 1000
#define ABSENT_MAX_MS 60000

/* A process that lived this long starts the delays anew. */
#define HEALTHY_MS 10000

/* Longest time for a process to come up: CUDA context and staging pool. */
#define STARTUP_TIMEOUT_MS 120000

/* How long to wait for killed processes. */
#define KILL_WAIT_MS 3000

/* The loop turns at least this often, for logs and timeouts. */
#define TICK_MS 200

/* A turn that took this long: the machine, or all of us, were stopped. */
#define STOPPED_MS 1000

typedef struct Child
{
	pid_t		pid;			/* 0: none */
	uint64		started_us;		/* monotonic clock */
	uint64		next_start_us;	/* when to start the next one */
	int			delay_ms;		/* last delay; 0: start the next at once */
	uint32		logged;			/* lines of the log ring that were logged */
	bool		absent_logged;	/* the absence was reported already */
	bool		killed;			/* for being silent; not dead yet */
} Child;

static Child children[GPUSTR_MAX_DEVICES];
static bool use_host_engine;
static bool devices_automatic;
static char cuda_library[MAXPGPATH];
static uint64 judge_from_us;	/* when to look for silent processes again */

/*
 * Kill all device processes and wait for them, three seconds at most: one that
 * sits in the driver for longer has its SIGKILL pending.  Async-signal-safe.
 */
static void
kill_children(void)
{
	int			tries;
	int			i;

	for (i = 0; i < GPUSTR_MAX_DEVICES; i++)
	{
		if (children[i].pid != 0)
			kill(children[i].pid, SIGKILL);
	}
	for (tries = 0; tries < KILL_WAIT_MS; tries++)
	{
		int			left = 0;

		for (i = 0; i < GPUSTR_MAX_DEVICES; i++)
		{
			if (children[i].pid != 0 && waitpid(children[i].pid, NULL, WNOHANG) != 0)
				children[i].pid = 0;
			left += children[i].pid != 0;
		}
		if (left == 0)
			return;
		pg_usleep(1000L);
	}
}

/* SIGQUIT: the server goes down at once, for a crash or pg_ctl stop -m immediate. */
static void
handle_sigquit(SIGNAL_ARGS)
{
	kill_children();
	_exit(2);
}

/* SIGCHLD: only wake the loop. */
static void
handle_sigchld(SIGNAL_ARGS)
{
	int			save_errno = errno;

	SetLatch(MyLatch);
	errno = save_errno;
}

/*
 * No device has a process: say so, and answer what waits for one.  A process
 * that could not be got rid of may still write to the slots that it was given:
 * those stay as they are.
 */
static void
all_devices_down(void)
{
	int			i;

	for (i = 0; i < GPUSTR_MAX_DEVICES; i++)
	{
		GpustrDevice *device = &gpustr_shared->devices[i];
		bool		dead = children[i].pid == 0;

		if (pg_atomic_read_u32(&device->state) == GPUSTR_DEVICE_OFF)
			continue;
		pg_atomic_write_u32(&device->state, GPUSTR_DEVICE_RESTARTING);
		pg_atomic_write_u32(&device->pid, 0);
		pg_atomic_fetch_add_u32(&device->generation, 1);
		gpustr_device_memory_gone(device);
		gpustr_queue_sweep(i, dead);
	}
}

static void
kill_children_at_exit(int code, Datum arg)
{
	sigset_t	quit;
	sigset_t	old;

	/* the SIGQUIT handler walks the same list */
	sigemptyset(&quit);
	sigaddset(&quit, SIGQUIT);
	sigprocmask(SIG_BLOCK, &quit, &old);
	kill_children();
	all_devices_down();
	sigprocmask(SIG_SETMASK, &old, NULL);
}

int
gpustr_parse_devices(const char *value, int *ordinals, bool *use_host, bool *automatic)
{
	const char *p = value;
	int			n = 0;
	bool		seen[GPUSTR_MAX_DEVICES] = {false};

	*use_host = pg_strcasecmp(value, "host") == 0;
	*automatic = pg_strcasecmp(value, "auto") == 0;
	if (pg_strcasecmp(value, "none") == 0)
		return 0;
	if (*use_host || *automatic)
	{
		if (ordinals)
			ordinals[0] = 0;
		return 1;
	}
	for (;;)
	{
		char	   *end;
		long		ordinal;

		while (*p == ' ')
			p++;
		if (*p < '0' || *p > '9')
			return -1;
		ordinal = strtol(p, &end, 10);
		if (ordinal >= GPUSTR_MAX_DEVICES || seen[ordinal])
			return -1;
		seen[ordinal] = true;
		if (ordinals)
			ordinals[n] = (int) ordinal;
		n++;
		p = end;
		while (*p == ' ')
			p++;
		if (*p == '\0')
			return n;
		if (*p++ != ',')
			return -1;
	}
}

void
gpustr_supervisor_register(void)
{
	BackgroundWorker worker;
	bool		use_host;
	bool		automatic;

	/* pg_upgrade starts and stops servers several times, with no query for us */
	if (IsBinaryUpgrade ||
		gpustr_parse_devices(gpustr_devices, NULL, &use_host, &automatic) == 0)
		return;
	memset(&worker, 0, sizeof(worker));
	worker.bgw_flags = BGWORKER_SHMEM_ACCESS;
	worker.bgw_start_time = BgWorkerStart_PostmasterStart;
	worker.bgw_restart_time = 1;
	strlcpy(worker.bgw_library_name, "gpustr", BGW_MAXLEN);
	strlcpy(worker.bgw_function_name, "gpustr_supervisor_main", BGW_MAXLEN);
	strlcpy(worker.bgw_name, "gpustr supervisor", BGW_MAXLEN);
	strlcpy(worker.bgw_type, "gpustr supervisor", BGW_MAXLEN);
	RegisterBackgroundWorker(&worker);
}

static void
publish_memory_limit(void)
{
	gpustr_shared->memory_limit = gpustr_device_memory_limit < 0 ?
		UINT64_MAX : (uint64) gpustr_device_memory_limit * 1024 * 1024;
}

/*
 * A device that was absent and has come up is there again: what its process has
 * to say is worth logging from then on, the reason of its next loss above all.
 */
static void
note_presence(int index)
{
	if (pg_atomic_read_u32(&gpustr_shared->devices[index].state) == GPUSTR_DEVICE_UP)
		children[index].absent_logged = false;
}

/* Log the lines of a device's ring that have come since the last look. */
static void
log_lines(int index)
{
	GpustrLogRing *ring = &gpustr_shared->devices[index].log;
	Child	   *child = &children[index];
	uint32		written = pg_atomic_read_u32(&ring->written);

	pg_read_barrier();
	note_presence(index);
	if (written - child->logged > GPUSTR_LOG_LINES)
		child->logged = written - GPUSTR_LOG_LINES;
	for (; child->logged != written; child->logged++)
	{
		char		line[GPUSTR_LOG_LINE_BYTES];

		strlcpy(line, ring->line[child->logged % GPUSTR_LOG_LINES], sizeof(line));
		if (!child->absent_logged)
			ereport(LOG, (errmsg("gpustr device %d: %s", index, line)));
	}
}

/*
 * Start the process of a device.  All signals are blocked around the fork, so
 * that no handler of ours runs in the child.
 */
static void
start_child(int index)
{
	GpustrDevice *device = &gpustr_shared->devices[index];
	pid_t		parent = MyProcPid;
	sigset_t	all;
	sigset_t	old;
	pid_t		pid;
	uint64		now = gpustr_monotonic_us();

	pg_atomic_write_u32(&device->state, GPUSTR_DEVICE_STARTING);
	pg_atomic_write_u64(&device->heartbeat_us, now);
	device->zero_copy_blocks = 0;
	fflush(NULL);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	pid = fork();
	if (pid == 0)
		gpustr_device_process_main(index, use_host_engine, cuda_library, parent);
	if (pid > 0)
		children[index].pid = pid;
	sigprocmask(SIG_SETMASK, &old, NULL);

	children[index].started_us = now;
	children[index].killed = false;
	if (pid < 0)
	{
		ereport(LOG, (errmsg("could not fork the process of gpustr device %d: %m", index)));
		pg_atomic_write_u32(&device->state, GPUSTR_DEVICE_RESTARTING);
		children[index].next_start_us = now + RESTART_MAX_MS * 1000;
		return;
	}
	pg_atomic_write_u32(&device->pid, (uint32) pid);
}

/* When to start the next process, after one has ended. */
static void
schedule_restart(Child *child, bool absent)
{
	uint64		now = gpustr_monotonic_us();
	int			first = absent ? ABSENT_FIRST_MS : RESTART_FIRST_MS;
	int			max = absent ? ABSENT_MAX_MS : RESTART_MAX_MS;

	child->delay_ms = Min(child->delay_ms, max);
	if (!absent && now - child->started_us >= (uint64) HEALTHY_MS * 1000)
		child->delay_ms = 0;
	child->next_start_us = now + (uint64) child->delay_ms * 1000;
	if (absent)
		child->next_start_us = now + (uint64) Max(child->delay_ms, first) * 1000;
	child->delay_ms = child->delay_ms < first ? first : Min(child->delay_ms * 2, max);
}

/*
 * A device's process is dead and waited for.  The state leaves "up" first, so
 * that no more requests come; then those that are there are answered.
 */
static void
child_ended(int index, int status)
{
	GpustrDevice *device = &gpustr_shared->devices[index];
	Child	   *child = &children[index];
	bool		absent = WIFEXITED(status) && WEXITSTATUS(status) == GPUSTR_EXIT_NO_DEVICE;
	bool		not_opened = WIFEXITED(status) &&
	WEXITSTATUS(status) == GPUSTR_EXIT_ENGINE_LOST &&
	pg_atomic_read_u32(&device->state) == GPUSTR_DEVICE_STARTING;

	note_presence(index);
	pg_atomic_write_u32(&device->state,
						absent ? GPUSTR_DEVICE_ABSENT : GPUSTR_DEVICE_RESTARTING);
	pg_atomic_write_u32(&device->pid, 0);
	pg_atomic_fetch_add_u32(&device->generation, 1);
	device->zero_copy_blocks = 0;
	gpustr_device_memory_gone(device);
	gpustr_queue_sweep(index, true);

	log_lines(index);
	schedule_restart(child, absent || not_opened);
	if (absent)
	{
		if (!child->absent_logged)
			ereport(LOG,
					(errmsg("gpustr device %d is not there, queries run without it", index),
					 errdetail("It is looked for again up to once a minute.")));
		child->absent_logged = true;
		return;
	}
	child->absent_logged = false;
	if (WIFSIGNALED(status))
		ereport(LOG,
				(errmsg("process of gpustr device %d was terminated by signal %d: %s",
						index, WTERMSIG(status), pg_strsignal(WTERMSIG(status)))));
	else
		ereport(LOG,
				(errmsg("process of gpustr device %d exited with code %d",
						index, WEXITSTATUS(status))));
}

/* Wait for ended processes; only our own, one by one. */
static void
reap_children(int ndevices)
{
	sigset_t	quit;
	sigset_t	old;
	int			i;

	sigemptyset(&quit);
	sigaddset(&quit, SIGQUIT);
	for (i = 0; i < ndevices; i++)
	{
		int			status;
		pid_t		pid = children[i].pid;

		/* the SIGQUIT handler must not kill a pid that is no longer ours */
		sigprocmask(SIG_BLOCK, &quit, &old);
		if (pid != 0 && waitpid(pid, &status, WNOHANG) == pid)
			children[i].pid = 0;
		sigprocmask(SIG_SETMASK, &old, NULL);
		if (pid != 0 && children[i].pid == 0)
			child_ended(i, status);
	}
}

/* Requests that a device is working on, and when the oldest was begun. */
static int
running_requests(int index, uint64 *oldest_us)
{
	int			n = 0;
	int			i;

	*oldest_us = UINT64_MAX;
	for (i = 0; i < gpustr_shared->nslots; i++)
	{
		GpustrSlot *slot = gpustr_slot(i);
		uint32		word = pg_atomic_read_u32(&slot->word);
		uint64		started = pg_atomic_read_u64(&slot->started_us);

		if (GPUSTR_SLOT_DEVICE(word) == index && started != 0 &&
			(GPUSTR_SLOT_STATE(word) == GPUSTR_SLOT_RUNNING ||
			 GPUSTR_SLOT_STATE(word) == GPUSTR_SLOT_ABANDONED))
		{
			*oldest_us = Min(*oldest_us, started);
			n++;
		}
	}
	return n;
}

/*
 * Has a device's process been silent for too long?  It says a word with each
 * turn of its loop, and its oldest request must not take longer than all that
 * it works on would one after the other.
 */
static bool
is_silent(int index)
{
	GpustrDevice *device = &gpustr_shared->devices[index];
	uint64		now = gpustr_monotonic_us();
	uint64		timeout_us = (uint64) gpustr_device_timeout * 1000;
	uint64		heartbeat = pg_atomic_read_u64(&device->heartbeat_us);
	uint64		oldest;
	int			n;

	if (pg_atomic_read_u32(&device->state) != GPUSTR_DEVICE_UP)
		return now > heartbeat + (uint64) STARTUP_TIMEOUT_MS * 1000;
	if (now > heartbeat + timeout_us)
		return true;
	n = running_requests(index, &oldest);
	return n > 0 && now > oldest + timeout_us * n;
}

static void
kill_if_silent(int index)
{
	GpustrDevice *device = &gpustr_shared->devices[index];
	bool		up = pg_atomic_read_u32(&device->state) == GPUSTR_DEVICE_UP;

	/* we were stopped ourselves, as the device was: give it time to go on */
	if (children[index].pid == 0 || children[index].killed ||
		gpustr_monotonic_us() < judge_from_us || !is_silent(index))
		return;
	if (up)
		ereport(LOG,
				(errmsg("gpustr device %d has not answered for %d ms, terminating its process",
						index, gpustr_device_timeout),
				 errhint("Raise \"gpustr.device_timeout\" if its requests take that long.")));
	else
		ereport(LOG,
				(errmsg("gpustr device %d did not come up in %d ms, terminating its process",
						index, STARTUP_TIMEOUT_MS)));
	kill(children[index].pid, SIGKILL);
	children[index].killed = true;

	/*
	 * It may sit in the driver for long before it dies.  Nothing more is to
	 * be submitted to it; what it has not taken is answered now, and the
	 * owners of what it runs see the state and help themselves.
	 */
	pg_atomic_write_u32(&device->state, GPUSTR_DEVICE_RESTARTING);
	gpustr_queue_sweep(index, false);
}

/* With gpustr.devices = 'auto': one process for each GPU that the first counted. */
static int
adopt_new_devices(int ndevices)
{
	int			count = gpustr_shared->devices[0].device_count;

	if (!devices_automatic || count <= ndevices)
		return ndevices;
	ndevices = Min(count, GPUSTR_MAX_DEVICES);
	pg_atomic_write_u32(&gpustr_shared->ndevices, ndevices);
	return ndevices;
}

/* Start what is due; returns milliseconds until the next is. */
static long
start_due_children(int ndevices)
{
	uint64		now = gpustr_monotonic_us();
	long		wait_ms = TICK_MS;
	int			i;

	for (i = 0; i < ndevices; i++)
	{
		Child	   *child = &children[i];

		if (child->pid != 0)
			continue;
		if (child->next_start_us <= now)
		{
			if (child->started_us != 0 && !child->absent_logged)
				pg_atomic_fetch_add_u64(&gpustr_shared->devices[i].counters.restarts, 1);
			start_child(i);
		}
		else
			wait_ms = Min(wait_ms, (long) ((child->next_start_us - now) / 1000) + 1);
	}
	return wait_ms;
}

void
gpustr_supervisor_main(Datum arg)
{
	int			ordinals[GPUSTR_MAX_DEVICES];
	int			ndevices;
	uint64		last_turn_us = 0;
	int			i;

	pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGQUIT, handle_sigquit);
	pqsignal(SIGCHLD, handle_sigchld);
	before_shmem_exit(kill_children_at_exit, 0);
	BackgroundWorkerUnblockSignals();

	if (gpustr_debug_cuda_library[0] != '\0')
		strlcpy(cuda_library, gpustr_debug_cuda_library, sizeof(cuda_library));
	else
		snprintf(cuda_library, sizeof(cuda_library), "%s/gpustr_cuda%s", pkglib_path, DLSUFFIX);
	ndevices = gpustr_parse_devices(gpustr_devices, ordinals, &use_host_engine, &devices_automatic);
	for (i = 0; i < ndevices; i++)
	{
		gpustr_shared->devices[i].ordinal = ordinals[i];
		/* what an earlier supervisor's devices said has been logged */
		children[i].logged = pg_atomic_read_u32(&gpustr_shared->devices[i].log.written);
	}
	pg_atomic_write_u32(&gpustr_shared->ndevices, ndevices);
	pg_atomic_write_u32(&gpustr_shared->supervisor_pid, MyProcPid);
	publish_memory_limit();
	all_devices_down();			/* should an earlier supervisor have left some */

	while (!ShutdownRequestPending)
	{
		long		wait_ms;
		uint64		now = gpustr_monotonic_us();

		if (last_turn_us != 0 && now > last_turn_us + STOPPED_MS * 1000)
			judge_from_us = now + (uint64) gpustr_device_timeout * 1000;
		last_turn_us = now;

		if (ConfigReloadPending)
		{
			ConfigReloadPending = false;
			ProcessConfigFile(PGC_SIGHUP);
			publish_memory_limit();
		}
		reap_children(ndevices);
		ndevices = adopt_new_devices(ndevices);
		wait_ms = start_due_children(ndevices);
		for (i = 0; i < ndevices; i++)
		{
			if (pg_atomic_read_u32(&gpustr_shared->devices[i].state) == GPUSTR_DEVICE_UP)
				children[i].absent_logged = false;
			log_lines(i);
			kill_if_silent(i);
		}
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 wait_ms, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
	}

	/* not 0, after which the postmaster would start no new one */
	proc_exit(1);
}
