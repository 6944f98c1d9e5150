/*-------------------------------------------------------------------------
 *
 * request_steps.cuh
 *	  The steps of a request: where their registers are, and their launches.
 *
 * Shared by request.cu, which lays out and runs a request, request_steps.cu, and
 * request_text.cu, which has the steps that call functions of texts.
 *
 * IDENTIFICATION
 *	  cuda/request_steps.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_REQUEST_STEPS_CUH
#define GPUSTR_REQUEST_STEPS_CUH

#include "request.cuh"

/* Alignment in bytes of everything in a request's memory. */
#define REQUEST_ALIGN 256

/* The request's steps, and its memory on the device. */
struct RequestRun
{
	const RequestPlan *plan;
	const GpustrProgram *program; /* in host memory */
	const char *input;			  /* that of space 0: it starts with the body */
	char *memory;				  /* that of the space at hand */
	const RedactBlocks *redact_blocks;
	const DfaDevice *dfa_device;
	TextRegister text[GPUSTR_MAX_TEXT_REGS];
	ValueRegister value[GPUSTR_MAX_VALUE_REGS];
	cudaStream_t stream;
	EngineError *error;
};

/* Bytes of an array, so that the next one is aligned. */
static inline uint64_t request_aligned(uint64_t bytes)
{
	return (bytes + REQUEST_ALIGN - 1) & ~(uint64_t)(REQUEST_ALIGN - 1);
}

/* Take 'bytes' of the request's memory. */
static inline uint64_t request_place(RequestPlan *plan, uint64_t bytes)
{
	uint64_t at = plan->bytes;

	plan->bytes = request_aligned(at + bytes);
	return at;
}

/* Bytes of a bitmap. */
static inline uint64_t request_word_bytes(const RequestPlan *plan)
{
	return (uint64_t)plan->nwords * sizeof(uint32_t);
}

/* Bytes of an array of int32, of int64, and of a plane, over the rows. */
static inline uint64_t request_row_bytes(const RequestPlan *plan)
{
	return request_aligned((uint64_t)plan->nrows * sizeof(int32_t));
}

static inline uint64_t request_value_bytes(const RequestPlan *plan)
{
	return request_aligned((uint64_t)plan->nrows * sizeof(int64_t));
}

static inline uint64_t request_plane_bytes(const RequestPlan *plan)
{
	return request_aligned(request_word_bytes(plan));
}

static inline BoolRegister request_bool(const RequestRun *run, uint16_t reg)
{
	BoolRegister b;

	b.lo = (uint32_t *)(run->memory + run->plan->bool_at[reg]);
	b.hi = (uint32_t *)((char *)b.lo + request_plane_bytes(run->plan));
	return b;
}

/* The planes that are at 'at'. */
static inline StatePlanes request_planes(const RequestRun *run, char *at)
{
	StatePlanes planes;

	planes.valid = (uint32_t *)at;
	planes.recheck = (uint32_t *)(at + request_plane_bytes(run->plan));
	return planes;
}

/* The program in device memory. */
static inline const char *request_program(const RequestRun *run)
{
	return run->input + run->plan->batch.program_off;
}

/*
 * The constant of a step in device memory.  For all but texts that other steps
 * read as offsets from the request's memory: these use request_program(), and
 * gpustr_program_ranges() has to know.
 */
static inline const char *request_constant(const RequestRun *run, const GpustrStep *step)
{
	const GpustrKeptProgram *kept = run->plan->kept;

	for (int32_t i = 0; kept != NULL && i < kept->nranges; i++)
		if (step->const_off >= kept->range[i].from && step->const_off < kept->range[i].to)
			return (const char *)kept->device + step->const_off;
	return request_program(run) + step->const_off;
}

/* Room in an output column, as the host engine counts it. */
static inline uint64_t request_out_room(const RequestPlan *plan, int32_t column)
{
	uint32_t bytes = plan->batch.out_column[column].data_bytes;

	return bytes < INT32_MAX ? bytes : INT32_MAX;
}

/* Place the output columns' working memory that is to be cleared. */
void request_place_cleared(RequestPlan *plan, const GpustrProgram *program);

/* Place the output columns, and the rest of their working memory. */
cudaError_t request_place_columns(RequestPlan *plan);

/* Place the registers that the steps write. */
void request_place_registers(RequestPlan *plan, const GpustrProgram *program);

/* Place the memory for the texts that steps make; before anything else that is not input. */
void request_place_arenas(RequestPlan *plan, const GpustrProgram *program);

/* Place what a BUILD step needs, and check that the batch fits the table. */
EngineCode request_place_build(RequestPlan *plan, EngineError *error);

/* Launch one step; one of TEXT_MAKE or TEXT_MEASURE; BUILD. */
cudaError_t request_step(RequestRun *run, const GpustrStep *step);
cudaError_t request_text_step(RequestRun *run, const GpustrStep *step);
cudaError_t request_build_step(const RequestRun *run);

#endif /* GPUSTR_REQUEST_STEPS_CUH */
