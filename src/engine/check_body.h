/*-------------------------------------------------------------------------
 *
 * check_body.h
 *	  What batch_check.c and check_join.c share.
 *
 * IDENTIFICATION
 *	  src/engine/check_body.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_CHECK_BODY_H
#define GPUSTR_CHECK_BODY_H

#include "engine/engine.h"

/*
 * header, program, page batch (4), bitmaps (2), a join's results (4) or a table's, columns (3
 * each)
 */
#define CHECK_MAX_REGIONS \
	(2 + 4 + 2 + 4 + 3 * (GPUSTR_MAX_COLUMNS + GPUSTR_MAX_OUT_COLUMNS + GPUSTR_MAX_RESULT_COLUMNS))

typedef struct CheckRegion
{
	uint64_t	off;
	uint64_t	bytes;
} CheckRegion;

typedef struct CheckState
{
	const GpustrBatch *batch;
	EngineError *error;
	int			nregions;
	CheckRegion region[CHECK_MAX_REGIONS];	/* by offset, none empty */
} CheckState;

/* What a step reads and makes; NO_REG where it does neither. */
typedef enum CheckRegister
{
	NO_REG,
	TEXT_REG,
	VALUE_REG,
	BOOL_REG
} CheckRegister;

/*
 * Which registers and columns have been made.  Registers: 0 not yet, else 1 + the
 * space in which.
 */
typedef struct CheckMade
{
	char		text[GPUSTR_MAX_TEXT_REGS];
	char		value[GPUSTR_MAX_VALUE_REGS];
	char		boolean[GPUSTR_MAX_BOOL_REGS];
	char		out_column[GPUSTR_MAX_OUT_COLUMNS];
	char		result_column[GPUSTR_MAX_RESULT_COLUMNS];
	int			space;			/* of the step at hand: PROBE steps so far */
	int			nselect;		/* steps of these operators so far */
	int			nbuild;
	int			nresult;
} CheckMade;

/*
 * Take a region into account: within 'limit' bytes, and apart from those
 * before.
 */
extern EngineCode gpustr_check_region(CheckState *check, const char *name, uint32_t off,
									  uint64_t bytes, uint64_t limit);

/* Take the regions of a column of nrows rows, of texts or values, into account. */
extern EngineCode gpustr_check_column(CheckState *check, const char *name, const GpustrColumn *column,
									  int32_t nrows, uint64_t limit);

/* Is register 'reg' of this kind one that an earlier step of this space has made? */
extern int	gpustr_check_register(CheckRegister kind, uint16_t reg, const CheckMade *made);

/*
 * May the step stand here, and is what a step of joins has besides registers in0 and
 * out in order?  Any step; before it is noted in 'made' what it makes.
 */
extern int	gpustr_check_join_step(const GpustrBatch *batch, const GpustrProgram *program,
								   const GpustrStep *step, CheckMade *made);

/* After all steps: do they make a program, and is the batch one for it? */
extern EngineCode gpustr_check_join_program(const GpustrBatch *batch, const CheckMade *made,
											EngineError *error);

/* Take the result regions of a join, or of a table, into account, if the batch has them. */
extern EngineCode gpustr_check_join_results(CheckState *check);

#endif							/* GPUSTR_CHECK_BODY_H */
