/*-------------------------------------------------------------------------
 *
 * gpustr.c
 *	  Module initialisation.
 *
 * Preloaded (shared_preload_libraries), gpustr reserves its shared memory and
 * has the postmaster start the supervisor.  Loaded later, by LOAD or by a call
 * of one of its functions, it has no device processes: functions work, and
 * plans use it only with gpustr.engine = 'local'.
 *
 * IDENTIFICATION
 *	  src/gpustr.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "storage/ipc.h"

#include "batch/page_hint.h"
#include "batch/page_read.h"
#include "guc.h"
#include "plan/join_path.h"
#include "plan/scan_path.h"
#include "service/queue.h"
#include "service/supervisor.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

static shmem_request_hook_type prev_shmem_request_hook = NULL;
static shmem_startup_hook_type prev_shmem_startup_hook = NULL;

static void
shmem_request(void)
{
	if (prev_shmem_request_hook)
		prev_shmem_request_hook();
	gpustr_queue_request_memory();
	gpustr_page_hints_request_memory();
}

static void
shmem_startup(void)
{
	if (prev_shmem_startup_hook)
		prev_shmem_startup_hook();
	gpustr_queue_attach();
	gpustr_page_hints_attach();
}

void
_PG_init(void)
{
	gpustr_define_settings();
	gpustr_page_read_init();
	gpustr_scan_init();
	gpustr_join_init();
	if (!process_shared_preload_libraries_in_progress)
		return;

	prev_shmem_request_hook = shmem_request_hook;
	shmem_request_hook = shmem_request;
	prev_shmem_startup_hook = shmem_startup_hook;
	shmem_startup_hook = shmem_startup;
	gpustr_supervisor_register();
}
