/*-------------------------------------------------------------------------
 *
 * pii_build.h
 *	  Calls of gpustr.redact_pii() as steps of a program.
 *
 * IDENTIFICATION
 *	  src/plan/pii_build.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_PII_BUILD_H
#define GPUSTR_PII_BUILD_H

#include "plan/expr_build.h"

/* Why may a call with these kinds not be offloaded?  NULL: it may. */
extern const char *gpustr_pii_refusal(Node *kinds);

/* Its steps.  What PostgreSQL would refuse is recheck. */
extern GpustrReg gpustr_build_pii(GpustrBuild *build, List *args);

#endif							/* GPUSTR_PII_BUILD_H */
