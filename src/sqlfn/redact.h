/*-------------------------------------------------------------------------
 *
 * redact.h
 *	  The redaction functions, for those who have to know them by address.
 *
 * IDENTIFICATION
 *	  src/sqlfn/redact.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_SQLFN_REDACT_H
#define GPUSTR_SQLFN_REDACT_H

#include "fmgr.h"

extern PGDLLEXPORT Datum gpustr_redact(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpustr_mask(PG_FUNCTION_ARGS);

#endif							/* GPUSTR_SQLFN_REDACT_H */
