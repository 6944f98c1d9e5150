/*-------------------------------------------------------------------------
 *
 * fault.h
 *	  Failures on demand, for tests: "the Nth call to an engine fails".
 *
 * IDENTIFICATION
 *	  src/service/fault.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_FAULT_H
#define GPUSTR_FAULT_H

/*
 * Count a call of this session on its way to an engine; true if it is to fail
 * (gpustr.debug_fail_engine_call), which a NOTICE then says.  'call' names it.
 */
extern bool gpustr_call_fails(const char *call);

/* What a device process is to do to a request (GpustrFaultSetting). */
extern int	gpustr_fault_of_request(void);

/* Start to count from 1 again; an assign hook. */
extern void gpustr_fault_restart(int newval, void *extra);

/* Is each body filled, so that nothing is left of what was there? */
extern bool gpustr_poisons_bodies(void);

/* Fill a body that has just been acquired (gpustr.debug_poison). */
extern void gpustr_poison_body(void *body, uint32 bytes);

#endif							/* GPUSTR_FAULT_H */
