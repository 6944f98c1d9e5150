/*-------------------------------------------------------------------------
 *
 * compare_join.h
 *	  What the parts of compare_join share.
 *
 * IDENTIFICATION
 *	  test/gpu/compare_join.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_TEST_COMPARE_JOIN_H
#define GPUSTR_TEST_COMPARE_JOIN_H

#include "engine/engine.h"
#include "test_common.h"

/* The engines that are compared. */
typedef enum JoinEngine
{
	ON_CUDA,
	ON_HOST,
	BOTH_ENGINES
} JoinEngine;

extern Engine *join_engines[BOTH_ENGINES];

/* Requests that have been tried again, as there was too little memory. */
extern uint64_t join_refused;

/* Note that something is wrong: printf-like. */
extern void join_fail(const char *format,...) __attribute__((format(printf, 1, 2)));

/* Run requests side by side, to their end; fills in their errors. */
extern void join_run(JoinEngine engine, EngineRequest *requests, int n);

/* Make a request of a body, whose size it has itself. */
extern void join_set_request(EngineRequest *request, void *body);

/* Run one body, whose size it has itself. */
extern EngineCode join_run_body(JoinEngine engine, void *body, EngineError *error);

/* The CUDA engine's memory limit, UINT64_MAX: none; and what its tables take of it. */
extern void join_set_limit(uint64_t limit);
extern uint64_t join_table_bytes(void);

/* Drop a table of both engines. */
extern void join_drop(uint64_t table);

/* Count pieces and results. */
extern void join_count(uint64_t results);

struct GenJoin;

/* Build the tables of a join on the CUDA engine; returns whether they are there. */
extern int	join_build_on_cuda(Rng *rng, const struct GenJoin *join);

/* Tables that are dropped while requests that use them are under way. */
extern void compare_dropped_join(Rng *rng);

/* One larger join, with functions of texts; 'small' for compute-sanitizer. */
extern void compare_large_join(Rng *rng, int small);

#endif							/* GPUSTR_TEST_COMPARE_JOIN_H */
