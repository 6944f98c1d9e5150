/*-------------------------------------------------------------------------
 *
 * late_values.h
 *	  Expressions whose value is known when the scan runs: which they are, and
 *	  what may be evaluated when.
 *
 * IDENTIFICATION
 *	  src/plan/late_values.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_LATE_VALUES_H
#define GPUSTR_LATE_VALUES_H

#include "nodes/primnodes.h"

/*
 * The value of a late expression, or false: not known yet.  'expr' is the
 * very node of the clause.
 */
typedef struct GpustrLateValues
{
	bool		(*lookup) (void *context, Node *expr, Datum *value, bool *isnull);
	void	   *context;
} GpustrLateValues;

/*
 * Does the expression have one value for the whole scan, which PostgreSQL
 * computes from Params, constants and stable functions?
 */
extern bool gpustr_is_late(Node *expr);

/* Is it the same whether, and how often, PostgreSQL evaluates it? */
extern bool gpustr_clause_is_harmless(Node *clause);
extern bool gpustr_late_is_harmless(Node *expr);

#endif							/* GPUSTR_LATE_VALUES_H */
