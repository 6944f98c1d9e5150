/*-------------------------------------------------------------------------
 *
 * late_eval.h
 *	  Values in the clauses of a GpuScan that are known only when it runs.
 *
 * IDENTIFICATION
 *	  src/exec/late_eval.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_LATE_EVAL_H
#define GPUSTR_LATE_EVAL_H

#include "nodes/execnodes.h"

#include "plan/program_build.h"

typedef struct GpustrLate GpustrLate;

/*
 * The late values of the clauses.  Everything is allocated in the current memory
 * context.
 */
extern GpustrLate *gpustr_late_create(ScanState *ss, const GpustrScanClauses *clauses);

/*
 * Have another program built than the clauses': of the same clauses, late values
 * included.  In the current memory context; it is copied.
 */
typedef GpustrProgram *(*GpustrLateBuild) (void *arg, const GpustrLateValues *late);
extern void gpustr_late_set_build(GpustrLate *late, GpustrLateBuild build, void *arg);

/*
 * The program, with all that is known now; what can be known without a row is
 * evaluated first.  Call it when a visible row has been seen.  The program
 * before this one is gone.
 */
extern const GpustrProgram *gpustr_late_program(GpustrLate *late);

/* Is there a value that only a row that reaches its clause can tell? */
extern bool gpustr_late_waits(const GpustrLate *late);

/*
 * Evaluate all clauses for econtext's scan tuple, in order, as ExecQual() does,
 * and every late value that it reaches.  *learned is set if there was one, so
 * that the program can be better now.
 */
extern bool gpustr_late_judge(GpustrLate *late, ExprContext *econtext, bool *learned);

/* A rescan: forget the values that depend on these Params. */
extern void gpustr_late_rescan(GpustrLate *late, Bitmapset * changed);

#endif							/* GPUSTR_LATE_EVAL_H */
