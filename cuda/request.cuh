/*-------------------------------------------------------------------------
 *
 * request.cuh
 *	  One request on the device: its memory, and the work put on its stream.
 *
 * A request has one allocation, sized before any work starts:
 *
 *		body			[0, in_bytes) as in host memory: so offsets of the body
 *						are offsets here; large constants of a program that is
 *						kept (kept_programs.cuh) are not there
 *		staged pages
 *		gathered pages	a slot a page, if any page is a block of the pool
 *		arenas			the texts that steps make
 *		registers		what the steps make
 *		cleared			counters, result bitmaps, cursors of arenas, working
 *						memory of redact
 *		output columns	and working memory that their steps share
 *
 * Texts of page batches, and those that steps make, are int32 offsets from its
 * start; so the pages end before 2 GB, or the request is refused as out of memory.
 * So is a column batch with a larger body whose program chooses between texts or
 * makes others of them.  Arenas get what is left of these 2 GB.
 *
 * request_start() puts everything on the stream and returns: copies in, the
 * gathering of pages, the steps, copies of bitmaps and counters out.  How many
 * bytes an output column has is known only then: request_fetch_output() copies
 * them all, and no more of each than it has.
 *
 * IDENTIFICATION
 *	  cuda/request.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_REQUEST_CUH
#define GPUSTR_REQUEST_CUH

#include "cuda_check.cuh"
#include "engine/program_cache.h"
#include "join_kernels.cuh"
#include "kernels.cuh"

/* What a request counts; in device memory, and in pinned host memory. */
struct RequestCounters
{
	unsigned long long rechecks;
	unsigned long long computed; /* not 0: all steps are through, and soon the copies */
	unsigned long long out_bytes[GPUSTR_MAX_OUT_COLUMNS]; /* of all values, at most the room */
	unsigned long long out_used[GPUSTR_MAX_OUT_COLUMNS];  /* of those that are written; not set
															 if in one pass */
	JoinCounters join;
	unsigned long long cursors[GPUSTR_MAX_TEXT_REGS]; /* of the arenas of texts that are made */
};

/* Where a PROBE has what it works with, alike. */
struct ProbePlace
{
	const GpustrStep *step; /* NULL: none */
	uint64_t value_at;		/* as in ProbeArgs: value, start, doubt_out */
	uint64_t start_at;
	uint64_t doubt_at;
	uint64_t keys_at; /* columns of the key that become arrays */
	uint64_t scratch_at;
	uint64_t scratch_bytes;
};

/* Where an output column is in a request's memory, in bytes from its start. */
struct RequestColumn
{
	bool one_pass;		/* by strings_redact.cuh, else by strings_output.cu */
	bool find_all;		/* by strings_find.cu */
	uint64_t redact_at; /* one pass: its working memory */
	uint64_t valid_at;
	uint64_t offsets_at;
	uint64_t data_at;
};

/* Of a request whose rows go to a table. */
struct RequestBuild
{
	const GpustrTableBuild *what; /* in host memory; NULL: it is none */
	CudaTable *table;			  /* set by the engine */

	/* texts that are no input column: offsets, valid bits, working memory */
	uint64_t offsets_at;
	uint64_t valid_at;
	uint64_t scratch_at;
};

/* Where things are in a request's memory, in bytes from its start. */
struct RequestPlan
{
	char *body;					  /* in host memory */
	GpustrBatch batch;			  /* its header */
	const GpustrProgram *program; /* the body's, or a kept copy, in host memory */
	GpustrKeptProgram *kept;	  /* in device memory, or NULL ... */
	bool fill;					  /* ... and this request is to copy it there */
	int32_t nrows;				  /* of the space whose steps they are ... */
	int32_t nwords;				  /* ... and words of a bitmap over them */
	int32_t first_step;			  /* the steps: from this one on ... */
	int32_t end_step;			  /* ... to the one before this */

	uint64_t staged_at;
	uint64_t gathered_at;
	uint64_t page_at_at;					  /* int32 [nrows] */
	uint64_t text_at[GPUSTR_MAX_TEXT_REGS];	  /* see request_steps.cu */
	uint64_t value_at[GPUSTR_MAX_VALUE_REGS]; /* alike */
	uint64_t bool_at[GPUSTR_MAX_BOOL_REGS];	  /* lo, hi */
	uint64_t arena_at[GPUSTR_MAX_TEXT_REGS];  /* made texts: request_text.cu */
	uint64_t arena_bytes[GPUSTR_MAX_TEXT_REGS];
	bool has_arena[GPUSTR_MAX_TEXT_REGS];
	uint64_t cursors_at; /* RequestCounters.cursors */
	uint64_t text_room;	 /* later spaces: bytes of made texts that there is to be room for */
	uint64_t cleared_at; /* starts with RequestCounters */
	uint64_t selected_at;
	uint64_t recheck_at;
	uint64_t cleared_end;
	RequestColumn column[GPUSTR_MAX_OUT_COLUMNS];
	uint64_t output_scratch_at;
	RequestBuild build;
	ProbePlace probe; /* at the end of the space */
	uint64_t bytes;	  /* all of it */
};

/* When the parts of a request were through. */
struct RequestEvents
{
	cudaEvent_t started;
	cudaEvent_t copied_in;
	cudaEvent_t computed;
	cudaEvent_t finished;
};

/*
 * Lay out the memory of a request whose body gpustr_batch_check() has passed.
 *
 * program			what is kept of its program in host memory, or NULL
 * readable_blocks	leading blocks of the pool that kernels can read
 */
EngineCode request_plan(RequestPlan *plan, void *body, const GpustrProgram *program,
						int32_t readable_blocks, EngineError *error);

/* What a program that makes a table says of it, or NULL. */
const GpustrTableBuild *request_build(const GpustrProgram *program);

/* Has it a step for which measure_has_local()? */
bool request_is_measured(const RequestPlan *plan);

struct RequestRun;
struct RequestJoin;

/*
 * Start it, or if it has a join, of which join_begin() has been told, the work of space 0.
 *
 * memory	[plan->bytes], aligned to 256.  plan->kept and fill may be set by now
 * run		its constants, stream and error are set; the rest is what request_step() needs
 */
EngineCode request_start(const RequestPlan *plan, char *memory, const void *blocks,
						 RequestCounters *counters, const RequestEvents &events, RequestRun *run,
						 RequestJoin *join);

/* Copy the output columns, after 'finished'; records that and 'started' once more. */
EngineCode request_fetch_output(const RequestPlan *plan, char *memory,
								const RequestCounters *counters, const RequestEvents &events,
								cudaStream_t stream, EngineError *error);

#endif /* GPUSTR_REQUEST_CUH */
