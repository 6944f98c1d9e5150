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

/*
 * NULL if the call of a GPUSTR_FUNCTION_TEXT may be offloaded, as far as this
 * depends on which function it is, else the reason why not, for EXPLAIN.
 */
extern const char *gpustr_text_call_refusal(const GpustrFunction *function, List *args,
											Oid collation);

/* The steps for such a call. */
extern GpustrReg gpustr_build_text_call(GpustrBuild *build, const GpustrFunction *function,
										List *args, Oid collation);

#endif							/* GPUSTR_TEXT_BUILD_H */
