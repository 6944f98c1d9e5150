/*-------------------------------------------------------------------------
 *
 * guc.c
 *	  The settings of gpustr.
 *
 * Those that shape shared memory can only be defined while the library is
 * preloaded; without that there is no device process either, and their
 * variables keep their boot values.
 *
 * IDENTIFICATION
 *	  src/guc.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <float.h>
#include <limits.h>

#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/plancache.h"

#include "guc.h"
#include "service/fault.h"
#include "service/queue.h"
#include "service/supervisor.h"

/* Bytes of a batch: the least holds a few pages, the most an int32 offset. */
#define GPUSTR_MIN_BATCH_BYTES (64 * 1024)
#define GPUSTR_MAX_BATCH_BYTES (1024 * 1024 * 1024)
#define GPUSTR_DEFAULT_BATCH_BYTES (8 * 1024 * 1024)

/* Kilobytes of the staging pool; 0: no request ever goes to a device. */
#define GPUSTR_DEFAULT_STAGING_KB (256 * 1024)

#define GPUSTR_DEFAULT_BATCH_DEPTH 4

/* Milliseconds. */
#define GPUSTR_MIN_DEVICE_TIMEOUT 100
#define GPUSTR_MAX_DEVICE_TIMEOUT (60 * 60 * 1000)
#define GPUSTR_DEFAULT_DEVICE_TIMEOUT (10 * 1000)

#define GPUSTR_DEFAULT_MAX_AUTOMATON_KB 256

/* In the units of seq_page_cost. */
#define GPUSTR_DEFAULT_STARTUP_COST 100.0
#define GPUSTR_DEFAULT_ROW_COST 0.0001
#define GPUSTR_DEFAULT_RECHECK_COST 0.02
#define GPUSTR_DEFAULT_TABLE_ROW_COST 0.01
#define GPUSTR_DEFAULT_PROBE_ROW_COST 0.0002

char	   *gpustr_devices = NULL;
char	   *gpustr_debug_cuda_library = NULL;
int			gpustr_staging_memory = GPUSTR_DEFAULT_STAGING_KB;
int			gpustr_batch_bytes = GPUSTR_DEFAULT_BATCH_BYTES;
int			gpustr_device_memory_limit = -1;
int			gpustr_device_timeout = GPUSTR_DEFAULT_DEVICE_TIMEOUT;
bool		gpustr_enabled = true;
bool		gpustr_enable_scan = true;
bool		gpustr_enable_output = true;
bool		gpustr_enable_join = true;
int			gpustr_engine = GPUSTR_ENGINE_AUTO;
int			gpustr_debug_require = GPUSTR_REQUIRE_ALLOW;
int			gpustr_debug_device_fault = GPUSTR_FAULT_NONE;
int			gpustr_debug_fail_engine_call = 0;
int			gpustr_debug_hash_bits = 32;
int			gpustr_debug_poison = -1;
int			gpustr_batch_depth = GPUSTR_DEFAULT_BATCH_DEPTH;
int			gpustr_max_automaton_size = GPUSTR_DEFAULT_MAX_AUTOMATON_KB;
double		gpustr_device_startup_cost = GPUSTR_DEFAULT_STARTUP_COST;
double		gpustr_device_row_cost = GPUSTR_DEFAULT_ROW_COST;
double		gpustr_recheck_cost = GPUSTR_DEFAULT_RECHECK_COST;
double		gpustr_table_row_cost = GPUSTR_DEFAULT_TABLE_ROW_COST;
double		gpustr_probe_row_cost = GPUSTR_DEFAULT_PROBE_ROW_COST;

static const struct config_enum_entry engine_options[] = {
	{"auto", GPUSTR_ENGINE_AUTO, false},
	{"device", GPUSTR_ENGINE_DEVICE, false},
	{"local", GPUSTR_ENGINE_LOCAL, false},
	{NULL, 0, false}
};

static const struct config_enum_entry require_options[] = {
	{"allow", GPUSTR_REQUIRE_ALLOW, false},
	{"require", GPUSTR_REQUIRE_REQUIRE, false},
	{"forbid", GPUSTR_REQUIRE_FORBID, false},
	{"require_join", GPUSTR_REQUIRE_JOIN, false},
	{NULL, 0, false}
};

static const struct config_enum_entry fault_options[] = {
	{"none", GPUSTR_FAULT_NONE, false},
	{"hang", GPUSTR_FAULT_HANG, false},
	{"crash", GPUSTR_FAULT_CRASH, false},
	{"lost", GPUSTR_FAULT_LOST, false},
	{"out_of_memory", GPUSTR_FAULT_OUT_OF_MEMORY, false},
	{NULL, 0, false}
};

/*
 * Plans that are kept, of prepared statements and of functions, are made anew when
 * one of these settings changes: who switches gpustr off is rid of it at once.
 */
#define REPLAN_ON_CHANGE(variable, type) \
	static void \
	assign_##variable(type newval, void *extra) \
	{ \
		if (newval != variable) \
			ResetPlanCache(); \
	}

REPLAN_ON_CHANGE(gpustr_enabled, bool)
REPLAN_ON_CHANGE(gpustr_enable_scan, bool)
REPLAN_ON_CHANGE(gpustr_enable_output, bool)
REPLAN_ON_CHANGE(gpustr_enable_join, bool)
REPLAN_ON_CHANGE(gpustr_engine, int)
REPLAN_ON_CHANGE(gpustr_debug_require, int)

static bool
check_devices(char **newval, void **extra, GucSource source)
{
	bool		use_host;
	bool		automatic;

	if (gpustr_parse_devices(*newval, NULL, &use_host, &automatic) >= 0)
		return true;
	GUC_check_errdetail("It must be \"auto\", \"none\", \"host\", or a list of different GPU numbers below %d such as \"0,1\".",
						GPUSTR_MAX_DEVICES);
	return false;
}

static void
define_server_start_settings(void)
{
	DefineCustomStringVariable("gpustr.devices",
							   "Sets which devices get a process.",
							   "\"auto\": every GPU; \"none\"; \"host\": one process that runs the host engine; or GPU numbers such as \"0,1\".",
							   &gpustr_devices,
							   "auto",
							   PGC_POSTMASTER,
							   0,
							   check_devices, NULL, NULL);

	DefineCustomStringVariable("gpustr.debug_cuda_library",
							   "Sets the file that device processes load the CUDA engine from.",
							   "For tests; empty: gpustr_cuda in the server's library directory.",
							   &gpustr_debug_cuda_library,
							   "",
							   PGC_POSTMASTER,
							   GUC_NOT_IN_SAMPLE,
							   NULL, NULL, NULL);

	DefineCustomIntVariable("gpustr.staging_memory",
							"Sets the shared memory through which sessions hand batches to devices.",
							"It is cut into slots of gpustr.batch_bytes; 0 keeps all batches in the session.",
							&gpustr_staging_memory,
							GPUSTR_DEFAULT_STAGING_KB, 0, INT_MAX / 2,
							PGC_POSTMASTER,
							GUC_UNIT_KB,
							NULL, NULL, NULL);

	DefineCustomIntVariable("gpustr.batch_bytes",
							"Sets the size of a slot of the staging memory, which is the most that one batch holds.",
							NULL,
							&gpustr_batch_bytes,
							GPUSTR_DEFAULT_BATCH_BYTES,
							GPUSTR_MIN_BATCH_BYTES, GPUSTR_MAX_BATCH_BYTES,
							PGC_POSTMASTER,
							GUC_UNIT_BYTE,
							NULL, NULL, NULL);
}

static void
define_server_settings(void)
{
	DefineCustomIntVariable("gpustr.device_memory_limit",
							"Sets the most memory that gpustr may use on each device.",
							"-1 means no limit but the device's own; batches that do not fit run in the session.",
							&gpustr_device_memory_limit,
							-1, -1, INT_MAX,
							PGC_SIGHUP,
							GUC_UNIT_MB,
							NULL, NULL, NULL);

	DefineCustomIntVariable("gpustr.device_timeout",
							"Sets how long a device may take for one request before its process is ended.",
							NULL,
							&gpustr_device_timeout,
							GPUSTR_DEFAULT_DEVICE_TIMEOUT,
							GPUSTR_MIN_DEVICE_TIMEOUT, GPUSTR_MAX_DEVICE_TIMEOUT,
							PGC_SIGHUP,
							GUC_UNIT_MS,
							NULL, NULL, NULL);
}

static void
define_planner_settings(void)
{
	DefineCustomBoolVariable("gpustr.enabled",
							 "Enables the planner's use of gpustr.",
							 NULL,
							 &gpustr_enabled,
							 true,
							 PGC_USERSET,
							 0,
							 NULL, assign_gpustr_enabled, NULL);

	DefineCustomBoolVariable("gpustr.enable_scan",
							 "Enables the planner's use of GpuScan plans.",
							 NULL,
							 &gpustr_enable_scan,
							 true,
							 PGC_USERSET,
							 0,
							 NULL, assign_gpustr_enable_scan, NULL);

	DefineCustomBoolVariable("gpustr.enable_output",
							 "Enables the planner's use of GpuScan plans that compute expressions of the target list.",
							 NULL,
							 &gpustr_enable_output,
							 true,
							 PGC_USERSET,
							 0,
							 NULL, assign_gpustr_enable_output, NULL);

	DefineCustomBoolVariable("gpustr.enable_join",
							 "Enables the planner's use of GpuJoin plans.",
							 NULL,
							 &gpustr_enable_join,
							 true,
							 PGC_USERSET,
							 0,
							 NULL, assign_gpustr_enable_join, NULL);

	DefineCustomIntVariable("gpustr.max_automaton_size",
							"Sets the largest automaton that a regular expression may become.",
							"Regular expressions that need a larger one, or long to find out, stay with PostgreSQL; 0: all do.",
							&gpustr_max_automaton_size,
							GPUSTR_DEFAULT_MAX_AUTOMATON_KB,
							GPUSTR_MIN_MAX_AUTOMATON_KB, GPUSTR_MAX_MAX_AUTOMATON_KB,
							PGC_USERSET,
							GUC_UNIT_KB,
							NULL, NULL, NULL);

	DefineCustomRealVariable("gpustr.device_startup_cost",
							 "Sets the planner's estimate of the cost of starting work on a device.",
							 NULL,
							 &gpustr_device_startup_cost,
							 GPUSTR_DEFAULT_STARTUP_COST, 0, DBL_MAX,
							 PGC_USERSET,
							 0,
							 NULL, NULL, NULL);

	DefineCustomRealVariable("gpustr.device_row_cost",
							 "Sets the planner's estimate of the cost of one operator on one row on a device.",
							 NULL,
							 &gpustr_device_row_cost,
							 GPUSTR_DEFAULT_ROW_COST, 0, DBL_MAX,
							 PGC_USERSET,
							 0,
							 NULL, NULL, NULL);

	DefineCustomRealVariable("gpustr.recheck_cost",
							 "Sets the planner's estimate of the cost of handing one row back to PostgreSQL to decide.",
							 "The cost of the clauses themselves comes on top.",
							 &gpustr_recheck_cost,
							 GPUSTR_DEFAULT_RECHECK_COST, 0, DBL_MAX,
							 PGC_USERSET,
							 0,
							 NULL, NULL, NULL);

	DefineCustomRealVariable("gpustr.table_row_cost",
							 "Sets the planner's estimate of the cost of bringing one inner row of a join to the device.",
							 NULL,
							 &gpustr_table_row_cost,
							 GPUSTR_DEFAULT_TABLE_ROW_COST, 0, DBL_MAX,
							 PGC_USERSET,
							 0,
							 NULL, NULL, NULL);

	DefineCustomRealVariable("gpustr.probe_row_cost",
							 "Sets the planner's estimate of the cost of looking up one outer row of a join on the device.",
							 NULL,
							 &gpustr_probe_row_cost,
							 GPUSTR_DEFAULT_PROBE_ROW_COST, 0, DBL_MAX,
							 PGC_USERSET,
							 0,
							 NULL, NULL, NULL);
}

static void
define_session_settings(void)
{
	DefineCustomEnumVariable("gpustr.engine",
							 "Selects where batches run.",
							 "\"auto\" and \"device\": in a device process where one is up, else plans stay PostgreSQL's; \"local\": in the session, without a GPU.",
							 &gpustr_engine,
							 GPUSTR_ENGINE_AUTO, engine_options,
							 PGC_USERSET,
							 0,
							 NULL, assign_gpustr_engine, NULL);

	DefineCustomIntVariable("gpustr.batch_depth",
							"Sets how many batches a scan keeps in flight.",
							NULL,
							&gpustr_batch_depth,
							GPUSTR_DEFAULT_BATCH_DEPTH,
							GPUSTR_MIN_BATCH_DEPTH, GPUSTR_MAX_BATCH_DEPTH,
							PGC_USERSET,
							0,
							NULL, NULL, NULL);

	DefineCustomEnumVariable("gpustr.debug_require",
							 "Raises an error for queries that do, or do not, use gpustr.",
							 "For tests: \"require\" also takes a GpuScan or GpuJoin wherever one is possible, \"require_join\" a GpuJoin.",
							 &gpustr_debug_require,
							 GPUSTR_REQUIRE_ALLOW, require_options,
							 PGC_USERSET,
							 GUC_NOT_IN_SAMPLE,
							 NULL, assign_gpustr_debug_require, NULL);

	DefineCustomEnumVariable("gpustr.debug_device_fault",
							 "Makes device processes fail on this session's requests.",
							 "For tests.",
							 &gpustr_debug_device_fault,
							 GPUSTR_FAULT_NONE, fault_options,
							 PGC_SUSET,
							 GUC_NOT_IN_SAMPLE,
							 NULL, NULL, NULL);

	DefineCustomIntVariable("gpustr.debug_fail_engine_call",
							"Makes one of this session's calls to engines fail.",
							"For tests.  N: the Nth call from now; -N: that and all after it; 0: none.",
							&gpustr_debug_fail_engine_call,
							0, -INT_MAX, INT_MAX,
							PGC_SUSET,
							GUC_NOT_IN_SAMPLE,
							NULL, gpustr_fault_restart, NULL);

	DefineCustomIntVariable("gpustr.debug_hash_bits",
							"Sets how many bits of the hash of a join's key are used.",
							"For tests: with few of them keys collide.",
							&gpustr_debug_hash_bits,
							32, 0, 32,
							PGC_SUSET,
							GUC_NOT_IN_SAMPLE,
							NULL, NULL, NULL);

	DefineCustomIntVariable("gpustr.debug_poison",
							"Fills memory for batches with this byte before it is used.",
							"For tests.  -1: it is left as it is.",
							&gpustr_debug_poison,
							-1, -1, 255,
							PGC_SUSET,
							GUC_NOT_IN_SAMPLE,
							NULL, NULL, NULL);
}

void
gpustr_define_settings(void)
{
	if (process_shared_preload_libraries_in_progress)
		define_server_start_settings();
	define_server_settings();
	define_planner_settings();
	define_session_settings();

	/*
	 * Loaded later, it must not complain of the settings above that stand in
	 * postgresql.conf for a server that preloads it.
	 */
	if (process_shared_preload_libraries_in_progress)
		MarkGUCPrefixReserved("gpustr");
}
