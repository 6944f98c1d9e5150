/*-------------------------------------------------------------------------
 *
 * own_functions.h
 *	  This library's own SQL functions, as the engines know them.
 *
 * IDENTIFICATION
 *	  src/plan/own_functions.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_OWN_FUNCTIONS_H
#define GPUSTR_OWN_FUNCTIONS_H

#include "plan/ship_types.h"

/*
 * What the function does, if it is one of this library's that is in the table
 * of own_functions.c; else NULL.  Cheap: a look into a hash table, but for the
 * first time that a function is asked for.
 */
extern const GpustrFunction *gpustr_own_function(Oid funcid);

#endif							/* GPUSTR_OWN_FUNCTIONS_H */
