/*-------------------------------------------------------------------------
 *
 * client.c
 *	  A backend's way to an engine.
 *
 * A client knows its requests (request.c), and sees to it that none of them, and no
 * pin, is left when whoever made it is gone.
 *
 * Failure: requests are given up by whichever of these comes first,
 *	- gpustr_client_reset() and gpustr_request_release();
 *	- abort of the transaction, or release of the resource owner that the client
 *	  was made under: with the buffer pins, before memory contexts are reset;
 *	- reset of the client's memory context;
 *	- exit of the backend.
 * None of these waits for the device.
 *
 * IDENTIFICATION
 *	  src/service/client.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "storage/ipc.h"
#include "utils/memutils.h"

#include "guc.h"
#include "service/client_state.h"
#include "service/place.h"
#include "service/queue.h"

static dlist_head all_clients = DLIST_STATIC_INIT(all_clients);
static bool callbacks_registered = false;

static void
abandon_requests(GpustrClient *client)
{
	while (!dlist_is_empty(&client->requests))
		gpustr_request_give_up(dlist_head_element(GpustrRequest, node, &client->requests));
	if (client->given_up)
		client->given_up(client->given_up_arg);
	gpustr_client_give_pins(client, client->npins);
}

static void
client_context_reset(void *arg)
{
	GpustrClient *client = arg;

	abandon_requests(client);
	dlist_delete(&client->node);
}

static void
abandon_all(void)
{
	dlist_iter	iter;

	dlist_foreach(iter, &all_clients)
		abandon_requests(dlist_container(GpustrClient, node, iter.cur));
}

static void
xact_callback(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_ABORT || event == XACT_EVENT_PARALLEL_ABORT)
		abandon_all();
}

/*
 * A client belongs to the resource owner that it was made under, as the pins of
 * its scan do: that of a portal outlives a subtransaction that only fetches
 * from it, and one that fails in a subtransaction is released with that.
 */
static void
owner_callback(ResourceReleasePhase phase, bool isCommit, bool isTopLevel, void *arg)
{
	dlist_iter	iter;

	if (phase != RESOURCE_RELEASE_BEFORE_LOCKS)
		return;
	dlist_foreach(iter, &all_clients)
	{
		GpustrClient *client = dlist_container(GpustrClient, node, iter.cur);

		if (client->owner == CurrentResourceOwner)
		{
			abandon_requests(client);
			client->owner = NULL;
		}
	}
}

static void
exit_callback(int code, Datum arg)
{
	abandon_all();
}

GpustrClient *
gpustr_client_create(MemoryContext parent)
{
	MemoryContext context = AllocSetContextCreate(parent, "gpustr client", ALLOCSET_SMALL_SIZES);
	GpustrClient *client = MemoryContextAllocZero(context, sizeof(GpustrClient));

	if (!callbacks_registered)
	{
		RegisterXactCallback(xact_callback, NULL);
		RegisterResourceReleaseCallback(owner_callback, NULL);
		before_shmem_exit(exit_callback, 0);
		callbacks_registered = true;
	}
	client->context = context;
	client->siblings = 1;
	client->place = GPUSTR_PLACE_ANY;
	client->owner = CurrentResourceOwner;
	dlist_init(&client->requests);
	dlist_push_tail(&all_clients, &client->node);
	client->callback.func = client_context_reset;
	client->callback.arg = client;
	MemoryContextRegisterResetCallback(context, &client->callback);
	return client;
}

void
gpustr_client_on_given_up(GpustrClient *client, GpustrGivenUp given_up, void *arg)
{
	client->given_up = given_up;
	client->given_up_arg = arg;
}

const GpustrClientCounters *
gpustr_client_counters(GpustrClient *client)
{
	return &client->counters;
}

void
gpustr_client_reset(GpustrClient *client)
{
	while (!dlist_is_empty(&client->requests))
		gpustr_request_release(dlist_head_element(GpustrRequest, node, &client->requests));
	gpustr_client_give_pins(client, client->npins);
}

int
gpustr_client_depth(GpustrClient *client)
{
	if (client->place == GPUSTR_PLACE_LOCAL ||
		(client->place == GPUSTR_PLACE_ANY && gpustr_engine_choice() != GPUSTR_RUN_DEVICE))
		return 1;
	return Min(gpustr_batch_depth, Max(gpustr_shared->nslots / client->siblings, 1));
}

void
gpustr_client_set_siblings(GpustrClient *client, int siblings)
{
	client->siblings = Max(siblings, 1);
}

void
gpustr_client_set_place(GpustrClient *client, int place)
{
	client->place = place;
}

int
gpustr_client_place(GpustrClient *client)
{
	return client->place;
}

void
gpustr_client_before_redo(GpustrClient *client, GpustrBeforeRedo redo, void *arg)
{
	client->redo = redo;
	client->redo_arg = arg;
}

bool
gpustr_client_take_pins(GpustrClient *client, int npins)
{
	uint32		before;

	if (gpustr_shared == NULL)
		return true;
	before = pg_atomic_fetch_add_u32(&gpustr_shared->pins, npins);
	if (before + npins > (uint32) gpustr_shared->pin_limit)
	{
		pg_atomic_fetch_sub_u32(&gpustr_shared->pins, npins);
		return false;
	}
	client->npins += npins;
	return true;
}

void
gpustr_client_give_pins(GpustrClient *client, int npins)
{
	if (gpustr_shared == NULL || npins == 0)
		return;
	Assert(npins <= client->npins);
	client->npins -= npins;
	pg_atomic_fetch_sub_u32(&gpustr_shared->pins, npins);
}
