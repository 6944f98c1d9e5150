/*-------------------------------------------------------------------------
 *
 * builder_steps.h
 *	  What the builder's parts share: room in the area, and new steps.
 *
 * IDENTIFICATION
 *	  src/program/builder_steps.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_BUILDER_STEPS_H
#define GPUSTR_BUILDER_STEPS_H

#include "program/program_builder.h"

/* Room for 'bytes' more, aligned; NULL, and full, if there is none. */
extern char *gpustr_builder_room(GpustrProgramBuilder *b, uint32_t bytes);

/* Copy bytes into the area.  Returns their offset. */
extern uint32_t gpustr_builder_copy(GpustrProgramBuilder *b, const void *bytes, uint32_t nbytes);

/*
 * A new step, or one that makes a text or value register; NULL, and full, if
 * there are too many.  The caller fills in the arguments.
 */
extern GpustrStep *gpustr_builder_step(GpustrProgramBuilder *b, GpustrOp op);
extern GpustrStep *gpustr_builder_text_step(GpustrProgramBuilder *b, GpustrOp op);
extern GpustrStep *gpustr_builder_value_step(GpustrProgramBuilder *b, GpustrOp op);

#endif							/* GPUSTR_BUILDER_STEPS_H */
