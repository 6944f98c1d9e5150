/*-------------------------------------------------------------------------
 *
 * make_cost.h
 *	  What is made once in a session costs a scan that needs it first.
 *
 * IDENTIFICATION
 *	  src/plan/make_cost.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_MAKE_COST_H
#define GPUSTR_MAKE_COST_H

#include "nodes/pathnodes.h"

/* Of what will be made if a scan with these expressions is planned. */
extern Cost gpustr_make_cost_to_plan(List *exprs);

/*
 * Of what will be made before one starts that has been planned; in a worker, which is
 * a new session, that is all of it.
 */
extern Cost gpustr_make_cost_to_run(List *exprs, bool in_worker);

#endif							/* GPUSTR_MAKE_COST_H */
