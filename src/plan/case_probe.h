/*-------------------------------------------------------------------------
 *
 * case_probe.h
 *	  What upper(), lower() and initcap() do under a collation, as constants of
 *	  programs.
 *
 * IDENTIFICATION
 *	  src/plan/case_probe.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_CASE_PROBE_H
#define GPUSTR_CASE_PROBE_H

#include "program/text_function.h"

/* Which way. */
typedef enum GpustrCase
{
	GPUSTR_CASE_UPPER,
	GPUSTR_CASE_LOWER
} GpustrCase;

/*
 * The map of a collation, *bytes long, which lives as long as the backend.  If it
 * is only to be planned with, it may be a blank of about its size: asking
 * PostgreSQL takes milliseconds.
 */
extern const GpustrCaseMap *gpustr_case_map(Oid collation, GpustrCase which, bool planning,
											uint32_t *bytes);

/*
 * The two maps that initcap() needs, as one constant.  gpustr_initcap_refusal():
 * NULL if its words are the engines' under the collation, else the reason why
 * not, for EXPLAIN.
 */
extern const char *gpustr_initcap_refusal(Oid collation);
extern const char *gpustr_initcap_maps(Oid collation, bool planning, uint32_t *bytes);

#endif							/* GPUSTR_CASE_PROBE_H */
