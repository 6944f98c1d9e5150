/*-------------------------------------------------------------------------
 *
 * text_build.h
 *	  Calls of functions of texts as steps of a program.
 *
 * IDENTIFICATION
 *	  src/plan/text_build.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_TEXT_BUILD_H
#define GPUSTR_TEXT_BUILD_H

#include "plan/expr_build.h"

/* Is it a function whose calls are built here? */
extern bool gpustr_is_text_call(const GpustrFunction *function);

/*
 * NULL if the call of such a function, or of any other one, may be offloaded as far
 * as this depends on which it is; else the reason why not, for EXPLAIN.
 */
extern const char *gpustr_text_call_refusal(const GpustrFunction *function, List *args,
											Oid collation);

/* Of the arguments of concat(), those that are no string literals without a type. */
extern List *gpustr_typed_args(List *args);

/* The steps for such a call. */
extern GpustrReg gpustr_build_text_call(GpustrBuild *build, const GpustrFunction *function,
										List *args, Oid collation);

/* starts_with() with a prefix that is not known when the program is built. */
extern GpustrReg gpustr_build_starts_with(GpustrBuild *build, Node *text, Node *prefix);

/* Settings on which texts depend that are made of other values. */
#define GPUSTR_SHOWS_DATES 1	/* DateStyle: dates, timestamps */
#define GPUSTR_SHOWS_FLOATS 2	/* extra_float_digits */

/* The GPUSTR_SHOWS_ of an expression, or of a list of them. */
extern int	gpustr_shows(Node *expr);

/* Why do the engines not make such texts?  NULL: they do, as these settings are now. */
extern const char *gpustr_shows_refusal(int shows);

#endif							/* GPUSTR_TEXT_BUILD_H */
