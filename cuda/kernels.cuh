/*-------------------------------------------------------------------------
 *
 * kernels.cuh
 *	  The kernels of the CUDA engine, as host code starts them.
 *
 * Each function starts its work on a stream and returns at once, with the
 * launch's return code.  nrows > 0.  One step of a program is one call, and but
 * for those of strings_output.cu one kernel.
 *
 * IDENTIFICATION
 *	  cuda/kernels.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_KERNELS_CUH
#define GPUSTR_KERNELS_CUH

#include <cuda_runtime.h>

#include "batch/batch.h"
#include "rowfn/fold.h"
#include "text_args.cuh"

/* The pages of a request, in device memory, and where its rows are. */
struct PageRows
{
	const char *base;		/* the request's memory: its body comes first */
	const int32_t *page_at; /* [nrows] the row's page, bytes from base */
	const uint16_t *line;	/* [nrows] */
	const char *program;	/* in the body */
	const GpustrAttr *attrs;
	int32_t nrows;
};

struct GatherArgs
{
	const char *blocks;		  /* the shared buffer pool, in host memory */
	const int32_t *page;	  /* [npages] as in GpustrBatch */
	const int32_t *row_start; /* [npages + 1] */
	char *base;				  /* the request's memory */
	int32_t gathered_at;	  /* copies of blocks, a slot a page; bytes from base */
	int32_t staged_at;		  /* staged pages, copied already; alike */
	int32_t npages;
	int32_t *page_at; /* out: [nrows] */
};

/* decode.cu */
cudaError_t launch_gather(const GatherArgs &args, cudaStream_t stream);
cudaError_t launch_decode_text(const PageRows &rows, int32_t attr, const GpustrAttr *host_attrs,
							   int32_t *start, int32_t *end, StatePlanes planes,
							   cudaStream_t stream);
cudaError_t launch_decode_bytes(const PageRows &rows, int32_t attr, const GpustrAttr *host_attrs,
								int cstring, int32_t *start, int32_t *end, StatePlanes planes,
								cudaStream_t stream);
cudaError_t launch_decode_value(const PageRows &rows, int32_t attr, const GpustrAttr *host_attrs,
								GpustrValueType type, int64_t *value, StatePlanes planes,
								cudaStream_t stream);
cudaError_t launch_decode_null(const PageRows &rows, int32_t attr, BoolRegister out,
							   cudaStream_t stream);

/* strings_like.cu */
cudaError_t launch_like(const TextRegister &text, int32_t nrows, const void *pattern,
						int32_t encoding, BoolRegister out, cudaStream_t stream);

/* The compiled pattern follows the fold, in device memory, whose kind is 'kind'. */
cudaError_t launch_ilike(const TextRegister &text, int32_t nrows, RowfnFoldKind kind,
						 const GpustrFold *fold, int32_t encoding, BoolRegister out,
						 cudaStream_t stream);

/* strings_dfa.cu: what a device has for its kernels */
struct DfaDevice
{
	int sms;			 /* multiprocessors */
	int sm_threads;		 /* of each */
	int block_shared;	 /* bytes of shared memory: of a block, */
	int sm_shared;		 /* of a multiprocessor, */
	int reserved_shared; /* and what the driver takes for each block */
};

/* How an automaton lies in shared memory. */
enum DfaLayout
{
	DFA_EXPANDED,  /* uint8 [nstates][256 and some]: one look-up a byte */
	DFA_CLASSES8,  /* classes, uint8 [nstates][nclasses] */
	DFA_CLASSES16, /* classes, uint16 [nstates][nclasses] */
	DFA_GLOBAL	   /* classes; the states stay in global memory */
};

cudaError_t prepare_dfa(int device, DfaDevice *limits);

/* Can it be laid out so?  And how it is best. */
bool dfa_layout_fits(const DfaDevice &limits, DfaLayout layout, const GpustrDfa *dfa);
DfaLayout dfa_layout(const DfaDevice &limits, const GpustrDfa *dfa);

/*
 * The layout must fit.  dfa, device_dfa: the same, in host and device memory.  where: rows
 * that are not true there are what they are there; lo NULL: none.
 */
cudaError_t launch_dfa(const DfaDevice &limits, DfaLayout layout, const TextRegister &text,
					   int32_t nrows, const GpustrDfa *dfa, const GpustrDfa *device_dfa,
					   GpustrTruth accepted, BoolRegister where, BoolRegister out,
					   cudaStream_t stream);

/* strings_contains_any.cu; set, device_set: the same, in host and device memory */
cudaError_t prepare_contains_any(const DfaDevice &limits);
cudaError_t launch_contains_any(const DfaDevice &limits, const TextRegister &text, int32_t nrows,
								const GpustrAhoCorasick *set, const GpustrAhoCorasick *device_set,
								BoolRegister out, cudaStream_t stream);

/* strings_compare.cu */
cudaError_t launch_text_eq(const TextRegister &text, int32_t nrows, const char *value,
						   int32_t value_bytes, BoolRegister out, cudaStream_t stream);
cudaError_t launch_compare_text(GpustrOrder order, GpustrRelation relation, const TextRegister &a,
								const TextRegister &b, int32_t nrows, BoolRegister out,
								cudaStream_t stream);
cudaError_t launch_in_text(const TextRegister &text, const GpustrTextSet *set,
						   GpustrTruth not_found, int32_t nrows, BoolRegister out,
						   cudaStream_t stream);

/* strings_measure.cu */
cudaError_t launch_trim_blanks(const TextRegister &text, int32_t nrows, int32_t *end,
							   cudaStream_t stream);
cudaError_t launch_length(const TextRegister &text, int32_t encoding, int32_t nrows, int64_t *value,
						  cudaStream_t stream);

/* Memory for the answers of a step. */
struct TextArena
{
	char *base;
	int32_t at;					/* bytes from base; aligned to 16 */
	uint64_t bytes;				/* at + bytes <= INT32_MAX */
	unsigned long long *cursor; /* bytes that are taken, 0 at first; may pass 'bytes' */
};

/* Bytes of an arena that has room for answers of 'room' bytes, however they lie. */
uint64_t text_arena_bytes(int32_t nrows, uint64_t room);

/* text_slices.cu, text_makes.cu, text_measures.cu; slices: texts within 2 GB of base */
cudaError_t launch_text_slice(GpustrTextFunction function, const TextArgs &args, const char *base,
							  int32_t nrows, int32_t *start, int32_t *end, StatePlanes planes,
							  cudaStream_t stream);

/* host_constant: args.constant in host memory */
cudaError_t launch_text_make(GpustrTextFunction function, const TextArgs &args,
							 const void *host_constant, const TextArena &arena, int32_t nrows,
							 int32_t *start, int32_t *end, StatePlanes planes, cudaStream_t stream);
cudaError_t launch_text_measure(GpustrTextFunction function, const TextArgs &args, int32_t nrows,
								int64_t *value, StatePlanes planes, cudaStream_t stream);

/*
 * Is it a function whose kernel has much local memory?  Then the driver takes
 * local_bytes of device memory, at most, for the first of them that runs, beside
 * what is allocated, and keeps it.
 */
bool measure_has_local(GpustrTextFunction function);
cudaError_t prepare_measures(const cudaDeviceProp &props, uint64_t *local_bytes);

/*
 * strings_search.cu: strpos() of a literal in a column's texts, or, with value NULL, whether it
 * is there, planes being lo and hi.  Is it for that?
 */
bool search_is_for(const TextRegister &text, const TextRegister &what);
cudaError_t launch_search(const TextRegister &text, const TextRegister &what, int32_t encoding,
						  int32_t nrows, int64_t *value, StatePlanes planes, cudaStream_t stream);

/* text_pieces.cu: is it for that?  Then launch_text_make() calls it. */
bool text_is_pieces(GpustrTextFunction function, const void *host_constant);
cudaError_t launch_text_pieces(GpustrTextFunction function, const TextArgs &args,
							   const void *host_constant, const TextArena &arena, int32_t nrows,
							   int32_t *start, int32_t *end, StatePlanes planes,
							   cudaStream_t stream);

/* text_replace.cu: is it for that?  Then launch_text_make() calls it; texts: as for slices. */
bool text_is_replace(GpustrTextFunction function, const TextArgs &args);
cudaError_t launch_text_replace(const TextArgs &args, const TextArena &arena, int32_t nrows,
								int32_t *start, int32_t *end, StatePlanes planes,
								cudaStream_t stream);

/* values.cu */
cudaError_t launch_compare_value(GpustrOrder order, GpustrRelation relation, const ValueRegister &a,
								 const ValueRegister &b, int32_t nrows, BoolRegister out,
								 cudaStream_t stream);
cudaError_t launch_in_value(const ValueRegister &in, const int64_t *values, int32_t n,
							GpustrTruth not_found, int32_t nrows, BoolRegister out,
							cudaStream_t stream);
cudaError_t launch_value_true(const ValueRegister &in, int32_t nrows, BoolRegister out,
							  cudaStream_t stream);
cudaError_t launch_bool_value(BoolRegister in, int32_t nrows, int64_t *value, StatePlanes planes,
							  cudaStream_t stream);
cudaError_t launch_arith(GpustrArith op, GpustrValueType type, const ValueRegister &a,
						 const ValueRegister &b, int32_t nrows, int64_t *value, StatePlanes planes,
						 cudaStream_t stream);
cudaError_t launch_cast(GpustrCast cast, const ValueRegister &in, int32_t nrows, int64_t *value,
						StatePlanes planes, cudaStream_t stream);

/* choose.cu; texts: within 2 GB of base */
cudaError_t launch_choose_bool(BoolRegister condition, BoolRegister yes, BoolRegister no,
							   int32_t nrows, BoolRegister out, cudaStream_t stream);
cudaError_t launch_choose_text(BoolRegister condition, const TextRegister &yes,
							   const TextRegister &no, const char *base, int32_t nrows,
							   int32_t *start, int32_t *end, StatePlanes planes,
							   cudaStream_t stream);

/* texts from anywhere, which are copied */
cudaError_t launch_choose_far_text(BoolRegister condition, const TextRegister &yes,
								   const TextRegister &no, const TextArena &arena, int32_t nrows,
								   int32_t *start, int32_t *end, StatePlanes planes,
								   cudaStream_t stream);
cudaError_t launch_choose_value(BoolRegister condition, const ValueRegister &yes,
								const ValueRegister &no, int32_t nrows, int64_t *value,
								StatePlanes planes, cudaStream_t stream);

/* select.cu; op: GPUSTR_OP_AND, OR, QUAL or NOT, which ignores b */
cudaError_t launch_logic(GpustrOp op, BoolRegister a, BoolRegister b, int32_t nrows,
						 BoolRegister out, cudaStream_t stream);
cudaError_t launch_null_text(const TextRegister &in, int32_t nrows, BoolRegister out,
							 cudaStream_t stream);
cudaError_t launch_null_value(const ValueRegister &in, int32_t nrows, BoolRegister out,
							  cudaStream_t stream);
cudaError_t launch_null_bool(BoolRegister in, int32_t nrows, BoolRegister out, cudaStream_t stream);
cudaError_t launch_is_true(BoolRegister in, int32_t nrows, BoolRegister out, cudaStream_t stream);
cudaError_t launch_const(GpustrTruth value, int32_t nrows, BoolRegister out, cudaStream_t stream);
cudaError_t launch_select(BoolRegister in, int32_t nrows, uint32_t *selected, uint32_t *recheck,
						  cudaStream_t stream);
cudaError_t launch_finish(int32_t nrows, uint32_t *selected, const uint32_t *recheck,
						  unsigned long long *rechecks, unsigned long long *computed,
						  cudaStream_t stream);

/* An output column. */
struct OutputColumn
{
	uint32_t *valid; /* [(nrows + 31) / 32] */
	int32_t *offset; /* [nrows + 1] */
	char *data;		 /* [room] */
	uint64_t room;	 /* at most INT32_MAX */
	void *scratch;	 /* what the launch asks for */

	/* not for launch_redact() */
	uint32_t *recheck;		   /* of the batch; ORed into */
	unsigned long long *bytes; /* of all answers, at most room */
	unsigned long long *used;  /* of those that are written */
};

/* strings_output.cu; scratch: [output_scratch_need()]; where: lo NULL for all rows */
cudaError_t output_scratch_need(int32_t nrows, uint64_t *bytes);
cudaError_t launch_output_mask(const TextRegister &text, const GpustrMask &mask,
							   const char *mask_text, int32_t encoding, BoolRegister where,
							   int32_t nrows, const OutputColumn &column, cudaStream_t stream);
cudaError_t launch_output_redact(const TextRegister &name, const TextRegister &visibility,
								 int32_t encoding, BoolRegister where, int32_t nrows,
								 const OutputColumn &column, cudaStream_t stream);

/* strings_output_text.cu; scratch: [output_text_scratch_need()] */
cudaError_t output_text_scratch_need(int32_t nrows, uint64_t *bytes);
cudaError_t launch_output_text(const TextRegister &text, BoolRegister where, int32_t nrows,
							   const OutputColumn &column, cudaStream_t stream);

/*
 * strings_find.cu; scratch: [find_all_scratch_need()].  what, device_what: the same,
 * in host and device memory, there aligned to 8.
 */
cudaError_t find_all_scratch_need(int32_t nrows, uint64_t *bytes);
cudaError_t launch_find_all(const TextRegister &text, const char *what, const char *device_what,
							int32_t what_bytes, int32_t encoding, BoolRegister where, int32_t nrows,
							const OutputColumn &column, cudaStream_t stream);

/* strings_redact.cu: how many blocks of the redact kernels fit a device */
struct RedactBlocks
{
	int small;
	int large;
};

cudaError_t prepare_redact(int device, RedactBlocks *blocks);
size_t redact_scratch_need(int32_t nrows);

/* Where in the scratch memory the bytes of all answers are: a uint64_t. */
const uint64_t *redact_scratch_total(const void *scratch);

/* The room must suffice.  scratch: [redact_scratch_need()], cleared. */
cudaError_t launch_redact(const RedactBlocks &blocks, const TextRegister &name,
						  const TextRegister &visibility, int32_t nrows, int32_t encoding,
						  const OutputColumn &out, cudaStream_t stream);

/* Blocks of 'threads' for n elements. */
static inline unsigned launch_blocks(int64_t n, int threads)
{
	return (unsigned)((n + threads - 1) / threads);
}

#endif /* GPUSTR_KERNELS_CUH */
