/*-------------------------------------------------------------------------
 *
 * place.c
 *	  Where batches of this session run: devices that are up, or here.
 *
 * The place of a join's tables is one process of a device: the device's number and
 * its generation, which the supervisor raises when a process has ended and before
 * the next one starts.  So a table that one process has made half of is never taken
 * to be whole in the next.
 *
 * IDENTIFICATION
 *	  src/service/place.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "guc.h"
#include "service/client.h"
#include "service/place.h"
#include "service/queue.h"

/* A place is a device, and as many bits of its generation as an int has left. */
#define GENERATION_MASK 0x7FFFFFF

/* Of a device's memory tables may take this share; the rest is for batches. */
#define TABLE_SHARE_OF_4 3

StaticAssertDecl(GPUSTR_MAX_DEVICES <= GPUSTR_PLACE_DEVICES,
				 "a place must be able to name every device");

GpustrEngineChoice
gpustr_engine_choice(void)
{
	if (gpustr_engine == GPUSTR_ENGINE_LOCAL)
		return GPUSTR_RUN_LOCAL;
	if (gpustr_shared == NULL || gpustr_shared->nslots == 0 || gpustr_queue_pick_device() < 0)
		return GPUSTR_RUN_NOWHERE;
	return GPUSTR_RUN_DEVICE;
}

const char *
gpustr_nowhere_reason(void)
{
	if (gpustr_shared == NULL)
		return "gpustr is not in \"shared_preload_libraries\"";
	if (gpustr_shared->nslots == 0)
		return "\"gpustr.staging_memory\" is less than \"gpustr.batch_bytes\"";
	return "no device is up";
}

char *
gpustr_engine_label(void)
{
	int			index;
	GpustrDevice *device;

	if (gpustr_engine_choice() != GPUSTR_RUN_DEVICE || (index = gpustr_queue_pick_device()) < 0)
		return pstrdup("host (local)");
	device = &gpustr_shared->devices[index];
	if (strcmp(device->kind, "host") == 0)
		return pstrdup("host (device process)");
	return psprintf("%s (%s)", device->kind, device->name);
}

static uint32
generation_of(int device)
{
	return pg_atomic_read_u32(&gpustr_shared->devices[device].generation) & GENERATION_MASK;
}

bool
gpustr_place_is_same(int place)
{
	return generation_of(GPUSTR_PLACE_DEVICE(place)) == (uint32) place / GPUSTR_PLACE_DEVICES;
}

bool
gpustr_place_is_up(int place)
{
	GpustrDevice *device = &gpustr_shared->devices[GPUSTR_PLACE_DEVICE(place)];

	return pg_atomic_read_u32(&device->state) == GPUSTR_DEVICE_UP && gpustr_place_is_same(place);
}

int
gpustr_choose_place(void)
{
	int			device;
	int			place;

	if (gpustr_engine_choice() != GPUSTR_RUN_DEVICE || (device = gpustr_queue_pick_device()) < 0)
		return GPUSTR_PLACE_LOCAL;
	place = (int) (generation_of(device) * GPUSTR_PLACE_DEVICES) + device;
	return gpustr_place_table_limit(place) > 0 ? place : GPUSTR_PLACE_LOCAL;
}

/*
 * What the device process is allowed, or has; one that runs the host engine without a
 * limit is to be as modest as a session.
 */
uint64
gpustr_place_table_limit(int place)
{
	uint64		limit;
	uint64		total;

	if (place < 0)
		return get_hash_memory_limit();
	limit = gpustr_shared->memory_limit;
	total = pg_atomic_read_u64(&gpustr_shared->devices[GPUSTR_PLACE_DEVICE(place)].memory_total);
	if (total > 0)
		limit = Min(limit, total);
	if (limit == UINT64_MAX)
		return get_hash_memory_limit();
	return limit / 4 * TABLE_SHARE_OF_4;
}
