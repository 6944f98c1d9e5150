/*-------------------------------------------------------------------------
 *
 * request_steps.cuh
 *	  The steps of a request: where their registers are, and their launches.
 *
 * Shared by request.cu, which lays out and runs a request, and
 * request_steps.cu.
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
	char *memory;
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

/* Launch one step. */
cudaError_t request_step(RequestRun *run, const GpustrStep *step);

#endif /* GPUSTR_REQUEST_STEPS_CUH */
