/*-------------------------------------------------------------------------
 *
 * device_process.h
 *	  The process that owns a device: forked by the supervisor, without exec.
 *
 * IDENTIFICATION
 *	  src/service/device_process.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_DEVICE_PROCESS_H
#define GPUSTR_DEVICE_PROCESS_H

#include "compat.h"

/* Exit codes that the supervisor tells apart; any other end is a crash. */
#define GPUSTR_EXIT_PARENT_GONE 0
#define GPUSTR_EXIT_NO_DEVICE 3
#define GPUSTR_EXIT_ENGINE_LOST 4

/*
 * Become the process of devices[index]; never returns.  To be called in the
 * child right after fork(), with all signals blocked.
 *
 * use_host			run the host engine instead of loading gpustr_cuda.so
 * library_path		of gpustr_cuda.so
 * parent			the supervisor's pid
 */
pg_noreturn extern void gpustr_device_process_main(int index, bool use_host,
												   const char *library_path, pid_t parent);

#endif							/* GPUSTR_DEVICE_PROCESS_H */
