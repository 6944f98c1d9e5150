/*-------------------------------------------------------------------------
 *
 * supervisor.h
 *	  The background worker that keeps one process per device.
 *
 * IDENTIFICATION
 *	  src/service/supervisor.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_SUPERVISOR_H
#define GPUSTR_SUPERVISOR_H

#include "compat.h"

/* From _PG_init, while preloading: have the postmaster start the supervisor. */
extern void gpustr_supervisor_register(void);

/*
 * Parse gpustr.devices.  Returns the number of devices, 0 for 'none', or -1 if
 * the value is not valid.  'auto' counts as one until that one's process has
 * counted the GPUs.  ordinals may be NULL.
 */
extern int	gpustr_parse_devices(const char *value, int *ordinals, bool *use_host,
								 bool *automatic);

pg_noreturn extern PGDLLEXPORT void gpustr_supervisor_main(Datum arg);

#endif							/* GPUSTR_SUPERVISOR_H */
