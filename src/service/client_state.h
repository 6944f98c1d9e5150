/*-------------------------------------------------------------------------
 *
 * client_state.h
 *	  What client.c and request.c share: a client and its requests.
 *
 * IDENTIFICATION
 *	  src/service/client_state.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_CLIENT_STATE_H
#define GPUSTR_CLIENT_STATE_H

#include "lib/ilist.h"
#include "utils/resowner.h"

#include "service/client.h"

struct GpustrClient
{
	dlist_node	node;			/* in all_clients */
	MemoryContext context;		/* of the client and its requests */
	MemoryContextCallback callback;
	ResourceOwner owner;		/* that its scans' pins belong to */
	dlist_head	requests;
	void	   *spare;			/* a private body's allocation, for the next */
	Size		spare_bytes;
	uint64		spare_mark;		/* of what is in it */
	int			npins;
	GpustrGivenUp given_up;		/* or NULL */
	void	   *given_up_arg;
	int			siblings;		/* clients of the same scan, itself included */
	int			place;			/* GPUSTR_PLACE_..., or a device's */
	GpustrBeforeRedo redo;		/* or NULL */
	void	   *redo_arg;
	GpustrClientCounters counters;
};

struct GpustrRequest
{
	dlist_node	node;			/* in client->requests */
	GpustrClient *client;
	int			slot;			/* -1: a private body */
	int			device;
	int			place;			/* the client's when the slot was acquired */
	void	   *allocation;		/* of a private body, or NULL */
	Size		allocation_bytes;
	void	   *body;
	uint32		bytes;
	int32		readable_blocks;	/* leading blocks that the engine can read */
	uint64		mark;			/* of what is in a private body; 0: unknown */
	bool		program_known;
	bool		done;			/* results stand in the body */
	bool		given_up;		/* and out of client->requests */
};

/*
 * Give up a request; its memory goes with the client's.  Does not raise an
 * error.
 */
extern void gpustr_request_give_up(GpustrRequest *request);

#endif							/* GPUSTR_CLIENT_STATE_H */
