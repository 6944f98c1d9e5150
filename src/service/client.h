/*-------------------------------------------------------------------------
 *
 * client.h
 *	  A backend's way to an engine: acquire a body, fill it, submit, wait.
 *
 * A GpustrRequest owns the body of one batch.  Through a device process the
 * body is a staging slot in shared memory; with the local engine it is
 * private memory.  Callers need not care: a device that is lost, silent or
 * out of memory makes gpustr_request_wait() redo the batch with the host
 * engine in the backend, over the same body.
 *
 * Requests belong to a GpustrClient, which belongs to a memory context (a
 * scan's, a function call's).  When that context is reset, at the end of the
 * query or on error, or when the resource owner that it was made under is
 * released (a portal's, as a rule), all its requests are abandoned: the slots return to the pool as soon as the
 * device is through with them, and nothing that it still writes is read.
 *
 * IDENTIFICATION
 *	  src/service/client.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_CLIENT_H
#define GPUSTR_CLIENT_H

#include "engine/engine.h"

/*
 * Bytes of a local body, unless more are asked for: small, since batches of the
 * local engine should stay in the processor's cache.
 */
#define GPUSTR_LOCAL_BODY_BYTES (1024 * 1024)

/* The most bytes of a body. */
#define GPUSTR_MAX_BODY_BYTES ((Size) PG_INT32_MAX - GPUSTR_BODY_ALIGN)

typedef struct GpustrClient GpustrClient;
typedef struct GpustrRequest GpustrRequest;

/* Where batches of this session would run now. */
typedef enum GpustrEngineChoice
{
	GPUSTR_RUN_NOWHERE,			/* no device is up and gpustr.engine is not
								 * "local": PostgreSQL's own plan, if it is
								 * not for automata (scan_path.c); what has
								 * been planned runs in this backend */
	GPUSTR_RUN_DEVICE,			/* in a device process */
	GPUSTR_RUN_LOCAL			/* host engine in this backend */
} GpustrEngineChoice;

extern GpustrEngineChoice gpustr_engine_choice(void);

/* Why that is GPUSTR_RUN_NOWHERE, if it is. */
extern const char *gpustr_nowhere_reason(void);

/*
 * What EXPLAIN calls it: "cuda (NVIDIA H200)", "host (device process)" or
 * "host (local)".  Palloc'd.
 */
extern char *gpustr_engine_label(void);

/* Totals of a client's requests, for EXPLAIN ANALYZE; times in ms. */
typedef struct GpustrClientCounters
{
	uint64		batches;
	uint64		batches_redone; /* locally, after a device failed them */
	uint64		batches_local;	/* never given to a device */
	uint64		rows;
	uint64		rechecks;
	uint64		bytes_in;
	uint64		bytes_out;
	double		wait_ms;		/* this backend waited for results */
	double		transfer_ms;
	double		kernel_ms;
} GpustrClientCounters;

/*
 * Make a client.  It, and all its requests, are released when 'context' is
 * reset or deleted.  The engine is chosen anew for each request.
 */
extern GpustrClient *gpustr_client_create(MemoryContext context);
extern const GpustrClientCounters *gpustr_client_counters(GpustrClient *client);

/* Abandon all requests of the client (rescan, end of scan). */
extern void gpustr_client_reset(GpustrClient *client);

/*
 * The most requests worth keeping in flight: gpustr.batch_depth through a
 * device process (less where siblings share few slots), 1 with the local
 * engine.
 */
extern int	gpustr_client_depth(GpustrClient *client);

/*
 * So many clients, this one included, work on one scan: keep to this one's
 * share of the staging slots, so that none is left with none.
 */
extern void gpustr_client_set_siblings(GpustrClient *client, int siblings);

/*
 * Get a body.  With a device: a free staging slot, or, when the pool is
 * exhausted, NULL if the client has a request in flight (collect that first)
 * and otherwise a local body: never waits, but for a client with tables on a device
 * (gpustr_client_set_place), which waits for a second at most.
 *
 * The body has gpustr_request_bytes() bytes, at least 'min_bytes' (a larger
 * body than a slot is always local), uninitialised and aligned to
 * GPUSTR_BODY_ALIGN.
 */
extern GpustrRequest *gpustr_request_acquire(GpustrClient *client, Size min_bytes);

/* The same, but a body of this backend's own in any case, of no more bytes than that. */
extern GpustrRequest *gpustr_request_acquire_local(GpustrClient *client, Size min_bytes);

/*
 * The same, where others may have all slots: waits for a second at most, then the body
 * is this backend's own.  Not longer, since those who have them may be other nodes of
 * the same query, which do not go on before this one does.
 */
extern GpustrRequest *gpustr_request_acquire_soon(GpustrClient *client, Size min_bytes);
extern void *gpustr_request_body(GpustrRequest *request);
extern uint32 gpustr_request_bytes(GpustrRequest *request);

/*
 * May the page batch name shared buffer pool block 'block' (buffer id - 1), or
 * must the page be staged?  Constant for the life of the request.
 */
extern bool gpustr_request_can_read_block(GpustrRequest *request, int32 block);

/* Does the request run in this backend (so that pages are read at submit)? */
extern bool gpustr_request_is_local(GpustrRequest *request);

/*
 * A body of this backend's own may be one that the client had before, and what was
 * in it, results excepted, still is.  The caller may mark what it has put there, by
 * a number that is not 0; a body of which nothing is known has mark 0.
 *
 * program_known: the body holds a program that has run in it under this mark.
 */
extern uint64 gpustr_request_mark(GpustrRequest *request);
extern void gpustr_request_set_mark(GpustrRequest *request, uint64 mark, bool program_known);

/* Start it.  A local request runs here and now. */
extern void gpustr_request_submit(GpustrRequest *request);

/* Is it through, so that gpustr_request_wait() would not wait? */
extern bool gpustr_request_ready(GpustrRequest *request);

/*
 * Wait for it, redoing it locally where the device failed.  On return the
 * results stand in the body, which may have moved: ask for it again.  Checks for interrupts.  Raises an error only if
 * the host engine fails too.
 */
extern void gpustr_request_wait(GpustrRequest *request);

/*
 * Pins that outlive the filling of a batch are counted against a share of the
 * buffer pool that all sessions have together; over it, take() says false and
 * the page must be staged.  What a client still holds is given back when it is
 * reset or released.
 */
extern bool gpustr_client_take_pins(GpustrClient *client, int npins);
extern void gpustr_client_give_pins(GpustrClient *client, int npins);

/*
 * Have 'given_up' called with 'arg' when the client's requests are given up because its
 * resource owner or memory context goes away, the transaction is aborted or the session
 * ends: for what only the caller knows of, such as bare pins.  It may be called more
 * than once, must not raise an error, and 'arg' must live as long as the client.
 */
typedef void (*GpustrGivenUp) (void *arg);
extern void gpustr_client_on_given_up(GpustrClient *client, GpustrGivenUp given_up, void *arg);

/*
 * Let go of the staging slot of a request that is through, but keep header,
 * line pointers and results (not staged pages), in private memory: whoever
 * rests with results should not keep others from the pool.  The body moves.
 */
extern void gpustr_request_detach(GpustrRequest *request);

/*
 * Take a request that is through, and not detached if it names pages, back to where its
 * body can be changed, to be submitted once more.
 */
extern void gpustr_request_again(GpustrRequest *request);

/* Give the body back. */
extern void gpustr_request_release(GpustrRequest *request);

/*
 * Tables of joins.  An id is claimed by one session, which may tell it to parallel
 * workers, and is released at the latest when 'context' is reset or the session ends;
 * then every engine drops the table.  0: all ids that the server has are in use, so it
 * must be local.
 */
extern uint64 gpustr_table_claim(MemoryContext context);
extern void gpustr_table_release(uint64 id);

/* An id for tables of this session's own engine only; released alike. */
extern uint64 gpustr_table_claim_local(MemoryContext context);

/*
 * Where the requests of a client go from now on: to one device (and while that is not up,
 * or has been lost since, each of them fails there), or to this session's engine.
 * Requests in flight stay where they are; none may be between acquire and submit.
 */
#define GPUSTR_PLACE_ANY (-1)	/* as ever: any device, else local */
#define GPUSTR_PLACE_LOCAL (-2)
extern void gpustr_client_set_place(GpustrClient *client, int place);
extern int	gpustr_client_place(GpustrClient *client);

/*
 * The device that has least to do, or GPUSTR_PLACE_LOCAL.  It stands for one process of
 * that device, so its tables can be made by several: participants of a parallel plan
 * must all be told the same place.
 */
extern int	gpustr_choose_place(void);

/*
 * Have 'redo' called before a request that was to run on a device is run by this
 * session's engine, as the device has not brought it to an end, or the place is down,
 * or the body is larger than a slot, or there is no slot: so that the tables that it
 * probes can be made there, under the same ids.  That may be in gpustr_request_wait()
 * or gpustr_request_submit().  It may raise an error.  It may use this client, but not
 * reset it; the client's place is then local for good (until it is set again).
 *
 * A request of BUILD is not run then, as 'redo' has made its table whole.  Whoever is
 * about to build a table has to look at gpustr_client_place() after each wait and
 * submit, and to stop where it has become local.
 */
typedef void (*GpustrBeforeRedo) (void *arg);
extern void gpustr_client_before_redo(GpustrClient *client, GpustrBeforeRedo redo, void *arg);

/* Bytes that tables may take on a device of this place, as the settings are now. */
extern uint64 gpustr_place_table_limit(int place);

#endif							/* GPUSTR_CLIENT_H */
