/*-------------------------------------------------------------------------
 *
 * fold_probe.h
 *	  What ILIKE and starts_with need of their constants: how a collation folds
 *	  case, folded patterns, prefixes as patterns.
 *
 * IDENTIFICATION
 *	  src/plan/fold_probe.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_FOLD_PROBE_H
#define GPUSTR_FOLD_PROBE_H

#include "program/program.h"

/*
 * NULL if ILIKE under the collation may be offloaded, else the reason why not,
 * for EXPLAIN.
 */
extern const char *gpustr_fold_refusal(Oid collation);

/*
 * How PostgreSQL folds values under a collation that gpustr_fold_refusal() let
 * pass, else NULL.  Lives as long as the backend.
 */
extern const GpustrFold *gpustr_fold_for_collation(Oid collation);

/* An ILIKE pattern, folded, to be matched as a LIKE pattern. */
extern struct varlena *gpustr_fold_pattern(struct varlena *pattern, Oid collation);

/* The LIKE pattern that matches what starts with the prefix. */
extern struct varlena *gpustr_like_escape_prefix(struct varlena *prefix);

#endif							/* GPUSTR_FOLD_PROBE_H */
