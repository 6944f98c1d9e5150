/*-------------------------------------------------------------------------
 *
 * program_build.h
 *	  Turn the clauses of a scan into a program, as far as they go.
 *
 * IDENTIFICATION
 *	  src/plan/program_build.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_PROGRAM_BUILD_H
#define GPUSTR_PROGRAM_BUILD_H

#include "nodes/pg_list.h"
#include "utils/relcache.h"

#include "plan/late_values.h"
#include "program/program.h"

/*
 * The clauses of a scan, in the order in which PostgreSQL evaluates them, and
 * which of them the program decides.
 */
typedef struct GpustrScanClauses
{
	List	   *clauses;		/* all, bare expressions, in order */
	List	   *offloaded;		/* integer list beside it: 1 if offloaded */
	List	   *reasons;		/* String list beside it: why not, or "" */
	int			noffloaded;
	List	   *outputs;		/* expressions that it computes, too: output
								 * columns 0, 1, ... */
	List	   *refused_outputs;	/* String list: calls that it does not
									 * compute, and why */
	int			row_steps;		/* steps of the program that look at each row,
								 * late values known */
	GpustrProgram *program;		/* selects the rows that pass the offloaded
								 * ones, as far as is known while planning;
								 * NULL in an executor node */
} GpustrScanClauses;

/*
 * When planning: late values are not known yet.  'outputs' are the expressions
 * of output.h; those that fit are in the result.
 */
extern GpustrScanClauses *gpustr_build_scan_program(Relation rel, Index varno,
													List *rinfos, List *outputs);

/*
 * When the scan runs: the program for the clauses and outputs that were chosen
 * then.  What does not fit with the values as they are is left to recheck.
 */
extern GpustrProgram *gpustr_build_clause_program(Relation rel,
												  const GpustrScanClauses *clauses,
												  const GpustrLateValues *late);

#endif							/* GPUSTR_PROGRAM_BUILD_H */
