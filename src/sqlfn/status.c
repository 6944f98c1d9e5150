/*-------------------------------------------------------------------------
 *
 * status.c
 *	  What a DBA can see: devices, their counters, the staging pool.
 *
 * Everything is read from shared memory without a lock: each number is right
 * by itself, several may be of slightly different moments.
 *
 * IDENTIFICATION
 *	  src/sqlfn/status.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "service/queue.h"

#define DEVICES_COLUMNS 8
#define STAT_DEVICE_COLUMNS 17
#define STAGING_COLUMNS 5

PG_FUNCTION_INFO_V1(gpustr_devices_sql);
PG_FUNCTION_INFO_V1(gpustr_library_version);
PG_FUNCTION_INFO_V1(gpustr_stat_get_device);
PG_FUNCTION_INFO_V1(gpustr_stat_get_device_1_1);
PG_FUNCTION_INFO_V1(gpustr_stat_reset);
PG_FUNCTION_INFO_V1(gpustr_staging);

static void
require_preloaded(void)
{
	if (gpustr_shared == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("gpustr is not loaded at server start"),
				 errdetail("Devices are only used by a server that has gpustr preloaded."),
				 errhint("Add \"gpustr\" to \"shared_preload_libraries\" and restart the server.")));
}

static const char *
state_name(uint32 state)
{
	switch ((GpustrDeviceState) state)
	{
		case GPUSTR_DEVICE_OFF:
			return "off";
		case GPUSTR_DEVICE_STARTING:
			return "starting";
		case GPUSTR_DEVICE_UP:
			return "up";
		case GPUSTR_DEVICE_RESTARTING:
			return "restarting";
		case GPUSTR_DEVICE_ABSENT:
			return "absent";
	}
	return "unknown";
}

/* gpustr.library_version() -> text: that of the library this session has loaded */
Datum
gpustr_library_version(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(GPUSTR_VERSION));
}

/*
 * gpustr.devices() -> one row per device that has, or should have, a process
 *
 * Memory in bytes; name and engine are NULL until a process has come up once.
 */
Datum
gpustr_devices_sql(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	int			n;
	int			i;

	require_preloaded();
	InitMaterializedSRF(fcinfo, 0);
	n = (int) pg_atomic_read_u32(&gpustr_shared->ndevices);
	for (i = 0; i < n; i++)
	{
		GpustrDevice *device = &gpustr_shared->devices[i];
		uint32		pid = pg_atomic_read_u32(&device->pid);
		Datum		values[DEVICES_COLUMNS];
		bool		nulls[DEVICES_COLUMNS] = {false};

		values[0] = Int32GetDatum(i);
		values[1] = CStringGetTextDatum(device->name);
		nulls[1] = device->name[0] == '\0';
		values[2] = CStringGetTextDatum(device->kind);
		nulls[2] = device->kind[0] == '\0';
		values[3] = CStringGetTextDatum(state_name(pg_atomic_read_u32(&device->state)));
		values[4] = Int64GetDatum(pg_atomic_read_u32(&device->generation));
		values[5] = Int32GetDatum((int32) pid);
		nulls[5] = pid == 0;
		values[6] = Int64GetDatum(pg_atomic_read_u64(&device->memory_total));
		values[7] = Int64GetDatum(pg_atomic_read_u64(&device->memory_used));
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/*
 * The rows of view gpustr.stat_device; times in milliseconds.  What is kept of
 * programs is NULL where the engine keeps none.  Only ever appended to: what the
 * SQL function declares, of whichever version it is, are the first columns.
 */
static void
stat_device_rows(FunctionCallInfo fcinfo)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	int			n;
	int			i;

	require_preloaded();
	InitMaterializedSRF(fcinfo, 0);
	if (rsinfo->setDesc->natts > STAT_DEVICE_COLUMNS)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("gpustr's SQL objects are of a newer version than its library, %s", GPUSTR_VERSION),
				 errhint("Install the library of that version, and restart the server.")));
	n = (int) pg_atomic_read_u32(&gpustr_shared->ndevices);
	for (i = 0; i < n; i++)
	{
		GpustrDevice *device = &gpustr_shared->devices[i];
		GpustrDeviceCounters *c = &device->counters;
		uint32		programs = pg_atomic_read_u32(&device->programs);
		TimestampTz reset = (TimestampTz) pg_atomic_read_u64(&gpustr_shared->stats_reset);
		Datum		values[STAT_DEVICE_COLUMNS];
		bool		nulls[STAT_DEVICE_COLUMNS] = {false};

		values[0] = Int32GetDatum(i);
		values[1] = Int64GetDatum(pg_atomic_read_u64(&c->batches));
		values[2] = Int64GetDatum(pg_atomic_read_u64(&c->rows));
		values[3] = Int64GetDatum(pg_atomic_read_u64(&c->bytes_in));
		values[4] = Int64GetDatum(pg_atomic_read_u64(&c->bytes_out));
		values[5] = Float8GetDatum(pg_atomic_read_u64(&c->kernel_ns) / 1e6);
		values[6] = Float8GetDatum(pg_atomic_read_u64(&c->transfer_ns) / 1e6);
		values[7] = Int64GetDatum(pg_atomic_read_u64(&c->rechecks));
		values[8] = Int64GetDatum(pg_atomic_read_u64(&c->fallbacks));
		values[9] = Int64GetDatum(pg_atomic_read_u64(&c->restarts));
		values[10] = TimestampTzGetDatum(reset);
		nulls[10] = reset == 0;
		values[11] = Int32GetDatum((int32) programs);
		values[12] = Int64GetDatum(pg_atomic_read_u64(&device->program_bytes));
		values[13] = Int64GetDatum(pg_atomic_read_u64(&c->program_hits));
		values[14] = Int64GetDatum(pg_atomic_read_u64(&c->program_misses));
		memset(&nulls[11], programs == PG_UINT32_MAX, 4);
		values[15] = Int32GetDatum((int32) pg_atomic_read_u32(&device->tables));
		values[16] = Int64GetDatum(pg_atomic_read_u64(&device->table_bytes));
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
}

/* gpustr.stat_get_device() of version 1.0: without tables and table_bytes */
Datum
gpustr_stat_get_device(PG_FUNCTION_ARGS)
{
	stat_device_rows(fcinfo);
	return (Datum) 0;
}

Datum
gpustr_stat_get_device_1_1(PG_FUNCTION_ARGS)
{
	stat_device_rows(fcinfo);
	return (Datum) 0;
}

/* gpustr.stat_reset() -> void: set all counters of gpustr.stat_device to zero */
Datum
gpustr_stat_reset(PG_FUNCTION_ARGS)
{
	int			i;

	require_preloaded();
	for (i = 0; i < GPUSTR_MAX_DEVICES; i++)
		gpustr_counters_reset(&gpustr_shared->devices[i].counters);
	pg_atomic_write_u64(&gpustr_shared->stats_reset, (uint64) GetCurrentTimestamp());
	PG_RETURN_VOID();
}

/*
 * gpustr.staging() -> one row: slots, slots that are not free, bytes of a
 * slot, buffers pinned by batches in flight and the most that may be
 */
Datum
gpustr_staging(PG_FUNCTION_ARGS)
{
	TupleDesc	tupdesc;
	Datum		values[STAGING_COLUMNS];
	bool		nulls[STAGING_COLUMNS] = {false};
	int			in_use = 0;
	int			i;

	require_preloaded();
	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	for (i = 0; i < gpustr_shared->nslots; i++)
	{
		uint32		word = pg_atomic_read_u32(&gpustr_slot(i)->word);

		in_use += GPUSTR_SLOT_STATE(word) != GPUSTR_SLOT_FREE;
	}
	values[0] = Int32GetDatum(gpustr_shared->nslots);
	values[1] = Int32GetDatum(in_use);
	values[2] = Int64GetDatum(gpustr_shared->slot_bytes);
	values[3] = Int32GetDatum((int32) pg_atomic_read_u32(&gpustr_shared->pins));
	values[4] = Int32GetDatum(gpustr_shared->pin_limit);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(tupdesc), values, nulls)));
}
