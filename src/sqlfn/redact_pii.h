/*-------------------------------------------------------------------------
 *
 * redact_pii.h
 *	  gpustr.redact_pii and gpustr.redact_pattern, for those who have to know them
 *	  by address.
 *
 * IDENTIFICATION
 *	  src/sqlfn/redact_pii.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_SQLFN_REDACT_PII_H
#define GPUSTR_SQLFN_REDACT_PII_H

#include "fmgr.h"
#include "utils/array.h"

extern PGDLLEXPORT Datum gpustr_redact_pii(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpustr_redact_pattern(PG_FUNCTION_ARGS);

/*
 * The bits of RowfnPiiKind that an array of their names stands for.  -1 where
 * redact_pii() raises an error.
 */
extern int32 gpustr_pii_kinds(ArrayType *names);

#endif							/* GPUSTR_SQLFN_REDACT_PII_H */
