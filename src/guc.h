/*-------------------------------------------------------------------------
 *
 * guc.h
 *	  The settings of gpustr.
 *
 * IDENTIFICATION
 *	  src/guc.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_GUC_H
#define GPUSTR_GUC_H

/* gpustr.engine */
typedef enum GpustrEngineSetting
{
	GPUSTR_ENGINE_AUTO,
	GPUSTR_ENGINE_DEVICE,
	GPUSTR_ENGINE_LOCAL
} GpustrEngineSetting;

/* gpustr.debug_require */
typedef enum GpustrRequireSetting
{
	GPUSTR_REQUIRE_ALLOW,
	GPUSTR_REQUIRE_REQUIRE,
	GPUSTR_REQUIRE_FORBID,
	GPUSTR_REQUIRE_JOIN			/* as "require", but a GpuScan is not enough */
} GpustrRequireSetting;

/* gpustr.debug_device_fault: what a device process does to our requests */
typedef enum GpustrFaultSetting
{
	GPUSTR_FAULT_NONE,
	GPUSTR_FAULT_HANG,			/* stops answering */
	GPUSTR_FAULT_CRASH,			/* dies */
	GPUSTR_FAULT_LOST,			/* answers ENGINE_LOST, as after a CUDA fault */
	GPUSTR_FAULT_OUT_OF_MEMORY	/* answers ENGINE_OUT_OF_MEMORY */
} GpustrFaultSetting;

/* range of gpustr.batch_depth */
#define GPUSTR_MIN_BATCH_DEPTH 1
#define GPUSTR_MAX_BATCH_DEPTH 32

/* range of gpustr.max_automaton_size */
#define GPUSTR_MIN_MAX_AUTOMATON_KB 0	/* none: stays with PostgreSQL */
#define GPUSTR_MAX_MAX_AUTOMATON_KB 8192

/* set at server start */
extern char *gpustr_devices;
extern char *gpustr_debug_cuda_library;
extern int	gpustr_staging_memory;	/* kB */
extern int	gpustr_batch_bytes; /* bytes */

/* reloadable */
extern int	gpustr_device_memory_limit; /* MB; -1: no limit but the device's */
extern int	gpustr_device_timeout;	/* ms */

/* of a session */
extern bool gpustr_enabled;
extern bool gpustr_enable_scan;
extern bool gpustr_enable_output;
extern bool gpustr_enable_join;
extern int	gpustr_engine;
extern int	gpustr_debug_require;
extern int	gpustr_debug_device_fault;
extern int	gpustr_debug_fail_engine_call;	/* 0: none */
extern int	gpustr_debug_hash_bits; /* of the keys of joins; 32 but in tests */
extern int	gpustr_debug_poison;	/* a byte; -1: none */
extern int	gpustr_batch_depth;
extern int	gpustr_max_automaton_size;	/* kB */
extern double gpustr_device_startup_cost;
extern double gpustr_device_row_cost;
extern double gpustr_recheck_cost;
extern double gpustr_table_row_cost;
extern double gpustr_probe_row_cost;

extern void gpustr_define_settings(void);

#endif							/* GPUSTR_GUC_H */
