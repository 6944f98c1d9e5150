/*-------------------------------------------------------------------------
 *
 * request_join.cuh
 *	  A request with a join: the spaces of rows behind the batch.
 *
 * How many rows a space has is known on the device only, so such a request goes
 * through its lane space by space.  Each has memory of its own, which is allocated
 * when the work of the space before is over and the host has its count of pairs:
 *
 *		space 0		as any request, up to the first PROBE
 *		space k		pairs of PROBE k, and the steps up to the next PROBE or RESULT
 *		fetching	rows and columns of the results, once their sizes are known
 *
 * Of the pairs of the first PROBE only a *window* is made at a time, so that what a
 * batch takes does not grow with how often its keys occur.  Where a later space would
 * be too large, or has no memory, the window becomes smaller and space 1 starts again.
 * A window without results is followed by the next one.
 *
 * What it brings is the same, whatever windows there are: batch.h says how pieces of it
 * are numbered.
 *
 * Failure: ENGINE_OUT_OF_MEMORY if not even a window of one pair goes through.
 *
 * IDENTIFICATION
 *	  cuda/request_join.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_REQUEST_JOIN_CUH
#define GPUSTR_REQUEST_JOIN_CUH

#include "request_steps.cuh"

/* A space, once there is memory for it. */
struct JoinSpace
{
	char *memory; /* NULL: none, and of space 0 it is not the space's */
	uint64_t bytes;
	int32_t nrows;
	const int32_t *outer;			 /* [nrows] but for space 0: as in PairsArgs */
	const uint32_t *inner;			 /* [nrows] alike */
	const uint32_t *doubt;			 /* rows whose pair has been recheck; NULL: none */
	const uint32_t *probed;			 /* [nrows] of the PROBE at its end: as PairsArgs.value, */
	const unsigned long long *start; /* .start */
	const uint32_t *probed_doubt;	 /* and .doubt */
	uint64_t pairs;					 /* that it makes */
};

/* Where the results are in the memory of the last space, in bytes from its start. */
struct ResultPlace
{
	int32_t room;	   /* rows */
	bool direct;	   /* their sizes are known before the device has worked */
	uint64_t index_at; /* int32 [nrows], for RESULT with a condition */
	uint64_t keep_at;
	uint64_t keep_bytes;
	uint64_t outer_at;
	uint64_t inner_at;
	uint64_t recheck_at;
	uint64_t no_room_at;						   /* to be cleared */
	uint64_t scratch_at;						   /* of launch_output_text() */
	uint64_t value_at[GPUSTR_MAX_RESULT_COLUMNS];  /* of texts: start and end */
	uint64_t state_at[GPUSTR_MAX_RESULT_COLUMNS];  /* which are there */
	uint64_t valid_at[GPUSTR_MAX_RESULT_COLUMNS];  /* of texts: which are written, */
	uint64_t offset_at[GPUSTR_MAX_RESULT_COLUMNS]; /* where, */
	uint64_t data_at[GPUSTR_MAX_RESULT_COLUMNS];   /* and the bytes */
};

/* What a request with a join is at. */
struct RequestJoin
{
	int32_t nprobes;					   /* 0: no join */
	int32_t at;							   /* the space whose work is on the stream */
	bool fetching;						   /* results are on their way */
	bool filtered;						   /* RESULT has a condition */
	int32_t probe_step[GPUSTR_MAX_PROBES]; /* which step each is */
	int32_t result_step;
	CudaTable *table[GPUSTR_MAX_PROBES];
	JoinSpace space[GPUSTR_MAX_PROBES + 1];
	uint64_t text_room; /* bytes of the texts that a step has made, if that was too little */
	uint64_t outer_at;	/* in the memory of the space at hand: as in PairsArgs */
	uint64_t inner_at;
	uint64_t doubt_at;
	RequestPlan plan; /* of the space at hand, but of space 0 */
	ResultPlace result;
	uint64_t pair;	/* the window's first */
	uint64_t skip;	/* results of it to leave out */
	int32_t window; /* pairs it may have */
	uint64_t probed;
	uint64_t rechecks;
	GpustrJoinResult out;
	uint64_t out_bytes; /* written to the body */
	uint32_t text_bytes[GPUSTR_MAX_RESULT_COLUMNS];
};

/* What is there for it. */
struct JoinLane
{
	KeptPrograms *programs; /* for memory */
	CudaTables *tables;
	const RequestPlan *plan; /* of space 0 */
	RequestRun *run;		 /* as request_start() has left it; changes */
	RequestCounters *counters;
	const RequestEvents *events;
};

enum JoinAnswer
{
	JOIN_RUNS,	  /* there is work on the stream: once it is over, go on */
	JOIN_THROUGH, /* the results stand */
	JOIN_FAILED,  /* error is set */
	JOIN_WAITS	  /* there is no memory while others run; to be started anew */
};

/*
 * Find the tables of a program that gpustr_batch_check() has passed.  ENGINE_NO_TABLE,
 * or ENGINE_BAD_INPUT if they are not as it says.  Without a join, nprobes is 0.
 */
EngineCode join_begin(RequestJoin *join, const CudaTables *tables, const GpustrBatch *batch,
					  const GpustrProgram *program, EngineError *error);

/* The request enters its lane, which happens after join_begin(), or leaves it. */
void join_enter(RequestJoin *join);
void join_leave(RequestJoin *join, const JoinLane &lane);

/* The work of space 0, or what has been put on the stream since, is over: go on. */
JoinAnswer join_go_on(RequestJoin *join, const JoinLane &lane, bool alone, EngineError *error);

/* There are no results, or none that are left: say so in the body. */
void join_no_results(RequestJoin *join, const RequestPlan *plan);

/* request_probe.cu: memory for the PROBE at the end of a space, and its launch, with counters */
cudaError_t request_place_probe(RequestPlan *plan, const GpustrStep *step);
cudaError_t request_probe(const RequestRun *run, JoinSpace *space, const CudaTable *table);

/* request_result.cu: results of the last space; their memory, first what is to be cleared */
void request_place_result_cleared(RequestJoin *join, RequestPlan *plan);
cudaError_t request_place_result(RequestJoin *join, RequestPlan *plan);
cudaError_t request_result(const RequestRun *run, RequestJoin *join);

/* Copy join->out.nrows of them to the body. */
cudaError_t request_copy_result(const RequestRun *run, const RequestJoin *join);

/* What the host writes itself, when they are there. */
void request_end_result(const RequestPlan *plan, RequestJoin *join);

#endif /* GPUSTR_REQUEST_JOIN_CUH */
