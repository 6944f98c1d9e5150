/*-------------------------------------------------------------------------
 *
 * shippable.h
 *	  May this clause be evaluated by an engine?
 *
 * IDENTIFICATION
 *	  src/plan/shippable.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_SHIPPABLE_H
#define GPUSTR_SHIPPABLE_H

#include "nodes/primnodes.h"

#include "plan/ship_types.h"

/*
 * The most elements of a list that is not a set for the engines, as for LIKE
 * ANY: one test each.
 */
#define GPUSTR_MAX_CHAIN 64

/*
 * NULL if the clause over table 'varno' may be offloaded, else the reason why
 * not, for EXPLAIN.
 */
extern const char *gpustr_clause_refusal(Node *clause, Index varno);

/* The same for an expression that PostgreSQL might not evaluate. */
extern const char *gpustr_argument_refusal(Node *arg, Index varno);

/* NULL if the engines can walk over text in the database's encoding, or why not. */
extern const char *gpustr_encoding_refusal(void);

/* NULL if the engines' answer is that of the function under the collation, or why not. */
extern const char *gpustr_collation_refusal(const GpustrFunction *function, Oid collation);

/* Does "op ANY" or "op ALL" with this function ask for membership in a set? */
extern bool gpustr_is_set_test(const GpustrFunction *function, bool use_or);

#endif							/* GPUSTR_SHIPPABLE_H */
