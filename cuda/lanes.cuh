/*-------------------------------------------------------------------------
 *
 * lanes.cuh
 *	  The CUDA engine's requests: those that wait, in flight, and through.
 *
 * A request waits in a queue until one of MAX_IN_FLIGHT lanes is free; a lane
 * is a stream, its events and a few bytes of pinned memory.  request.cu puts
 * the request's work on the stream; poll() asks the lanes' events, without
 * waiting, and takes a request that is through out of its lane.  A request
 * that makes columns goes through its lane twice: once their sizes are known,
 * they are copied.  One that finishes a table: join_finish.cuh; that probes some:
 * request_join.cuh.
 *
 * Requests are linked by engine_private while they wait or are through; the
 * engine allocates nothing for one but its device memory.
 *
 * Over the memory limit, a request waits for those in flight and fails with
 * ENGINE_OUT_OF_MEMORY only if it is alone, and no program is kept.  A request to
 * build a table for which there is no memory takes the table with it.
 *
 * IDENTIFICATION
 *	  cuda/lanes.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_LANES_CUH
#define GPUSTR_LANES_CUH

#include "join_finish.cuh"
#include "kept_programs.cuh"
#include "memory_pool.cuh"
#include "registration.cuh"
#include "request_join.cuh"

#define MAX_IN_FLIGHT 8

struct CudaLane
{
	EngineRequest *request; /* NULL: free */
	bool fetching;			/* the output columns are on their way */
	bool finishing;			/* it finishes a table */
	int polls;				/* since the driver was asked */
	cudaStream_t stream;
	RequestEvents events;
	RequestCounters *counters; /* pinned */
	RequestPlan plan;
	void *memory;
	RequestRun run;
	RequestJoin join;
};

/* Requests, oldest first. */
struct RequestList
{
	EngineRequest *head;
	EngineRequest *tail;
};

struct CudaEngine
{
	Engine base; /* must be first */
	EngineConfig config;
	cudaDeviceProp props;
	MemoryPool pool;
	Registration registration;
	RedactBlocks redact_blocks;
	DfaDevice dfa_device;
	uint64_t measure_bytes; /* of device memory that kernels with much local memory take */
	KeptPrograms programs;
	CudaTables tables;
	TableFinish finish;		   /* of one lane at a time */
	bool trimmed;			   /* the pool holds no more than it has to */
	RequestCounters *counters; /* pinned, [MAX_IN_FLIGHT] */
	CudaLane lane[MAX_IN_FLIGHT];
	int busy;		 /* lanes that are not free */
	int next;		 /* the lane that poll() asks first */
	bool stalled;	 /* the first that waits needs memory that is in use */
	bool lost;		 /* the engine is unusable ... */
	EngineError why; /* ... since this happened */
	RequestList waiting;
	RequestList done;
};

/* Put a request at the end of a list; take the first, or NULL. */
void list_append(RequestList *list, EngineRequest *request);
EngineRequest *list_take(RequestList *list);

/* Blocks of the pool that kernels can read. */
int32_t readable_blocks(const CudaEngine *engine);

/* The program in a request's body. */
static inline const GpustrProgram *body_program(const EngineRequest *request)
{
	const GpustrBatch *batch = (const GpustrBatch *)request->body;

	return GPUSTR_BODY_PTR(request->body, batch->program_off, const GpustrProgram);
}

/* Start what waits, as far as lanes and memory go. */
void start_waiting(CudaEngine *engine);

/* Take a request out of a lane that is through, or lost; or NULL. */
EngineRequest *poll_lane(CudaEngine *engine, CudaLane *lane);

/* Drop a table; requests to build it that wait are through, with ENGINE_NO_TABLE. */
void engine_drop_table(CudaEngine *engine, uint64_t id);

#endif /* GPUSTR_LANES_CUH */
