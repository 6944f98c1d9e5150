/*-------------------------------------------------------------------------
 *
 * fault.c
 *	  Failures on demand, for tests.
 *
 * Every step of a batch that can fail asks here first: a slot is acquired, a
 * batch is submitted, runs on a device, is waited for, runs in the session.
 * With gpustr.debug_fail_engine_call = N the Nth such step of the session
 * fails, counted since the setting was made; with -N that and all after it.  A
 * test can so walk through every place where a query might break.  A step on
 * a device fails as gpustr.debug_device_fault says, for want of memory unless
 * that is set.
 *
 * With gpustr.debug_poison a body is filled with one byte when it is acquired,
 * so that whoever reads what this request has not written reads that, and not
 * what happened to be there.
 *
 * IDENTIFICATION
 *	  src/service/fault.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "guc.h"
#include "service/fault.h"

static int	calls = 0;

bool
gpustr_call_fails(const char *call)
{
	int			n = gpustr_debug_fail_engine_call;

	if (likely(n == 0))
		return false;
	calls++;
	if (n > 0 ? calls != n : calls < -n)
		return false;
	ereport(NOTICE,
			(errmsg("engine call %d fails on demand: %s", calls, call)));
	return true;
}

int
gpustr_fault_of_request(void)
{
	if (gpustr_debug_fail_engine_call == 0)
		return gpustr_debug_device_fault;
	if (!gpustr_call_fails("run on a device"))
		return GPUSTR_FAULT_NONE;
	return gpustr_debug_device_fault != GPUSTR_FAULT_NONE ?
		gpustr_debug_device_fault : GPUSTR_FAULT_OUT_OF_MEMORY;
}

void
gpustr_fault_restart(int newval, void *extra)
{
	calls = 0;
}

bool
gpustr_poisons_bodies(void)
{
	return unlikely(gpustr_debug_poison >= 0);
}

void
gpustr_poison_body(void *body, uint32 bytes)
{
	if (gpustr_poisons_bodies())
		memset(body, gpustr_debug_poison, bytes);
}
