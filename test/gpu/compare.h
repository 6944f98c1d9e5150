/*-------------------------------------------------------------------------
 *
 * compare.h
 *	  What the parts of compare_engines share.
 *
 * IDENTIFICATION
 *	  test/gpu/compare.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_TEST_COMPARE_H
#define GPUSTR_TEST_COMPARE_H

#include "batch_gen.h"
#include "engine/engine.h"

/* A batch under test. */
typedef struct Flight
{
	GenBatch   *gen;			/* NULL: not made by batch_gen.c */
	char	   *body;			/* for the CUDA engine */
	char	   *own;			/* the same, if it is to be freed */
	char	   *copy;			/* for the host engine */
	uint32_t	body_bytes;
	int			exact;			/* gen_check() holds */
	int			may_lack_memory;	/* the CUDA engine may */
	EngineCode *code;			/* where its answer goes, or NULL */

	/*
	 * What is wrong with the results of both engines, in body and copy; NULL:
	 * nothing.  Without this function they must be the same.
	 */
	const char *(*judge) (const struct Flight *flight);
	EngineRequest cuda;
	EngineRequest host;
} Flight;

/* Memory for a body, not registered with the engine; to be freed. */
extern void *compare_allocate_body(uint32_t bytes);

/* A copy of flight->body for the host engine; fills both requests in. */
extern void compare_make_copy(Flight *flight);

/*
 * A batch of n rows, in a body that is flight's own: columns that are not filled
 * yet, with room[ninputs] bytes, and nout output columns of out_bytes each.
 */
extern GpustrBatch *compare_lay_out(Flight *flight, const GpustrProgram *program, int32_t n,
									int32_t ninputs, const uint64_t *room, int32_t nout,
									uint64_t out_bytes);

/* Have the host engine run a request. */
extern void compare_run_host(EngineRequest *request);

/*
 * Change a word of a flight's body, of its header, its program or any input, in
 * both copies alike, and note how to judge what comes of that.
 */
extern void compare_damage(Rng *rng, Flight *flight);

/* Submit all, collect all, compare all, free all.  round: what to call it. */
extern void compare_run_flights(Flight *flights, int n, const char *round);

/* The CUDA engine's memory limit, UINT64_MAX: none; and what it says of itself, idle. */
extern void compare_set_limit(uint64_t limit);
extern void compare_info(EngineInfo *info);

/* Note that something is wrong: printf-like. */
extern void compare_fail(const char *format,...) __attribute__((format(printf, 1, 2)));

/* Redaction of columns of many sizes; few and small ones if 'small'. */
extern void compare_redaction(Rng *rng, int small);

/* Several output columns, with too little room too; few batches if 'small'. */
extern void compare_output(Rng *rng, int small);

/* Functions of texts; few and small batches if 'small'. */
extern void compare_text(Rng *rng, int small);

/* Programs that are kept on the device; few and small batches if 'small'. */
extern void compare_programs(Rng *rng, int small);

/* What local memory of kernels takes; first of all. */
extern void compare_local_memory(Rng *rng);

/* An automaton of n random literals of 'letters' letters; to be freed. */
extern struct GpustrAhoCorasick *compare_make_set(Rng *rng, int32_t n, int32_t letters, uint32_t *bytes);

/* Random letters from 'a' on. */
extern void compare_make_letters(Rng *rng, char *to, int32_t n, int32_t letters);

/* LIKE, ILIKE and strpos() over columns, of long texts too; few and small batches if 'small'. */
extern void compare_search(Rng *rng, int small);

/* Automata of literals; few and small batches if 'small'. */
extern void compare_literals(Rng *rng, int small);

#endif							/* GPUSTR_TEST_COMPARE_H */
