/*-------------------------------------------------------------------------
 *
 * output_slot.h
 *	  GPU Output: the rows of a GpuScan with columns that the engine computed.
 *
 * IDENTIFICATION
 *	  src/exec/output_slot.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_OUTPUT_SLOT_H
#define GPUSTR_OUTPUT_SLOT_H

#include "exec/scan_node.h"

typedef struct GpustrOutput GpustrOutput;

/*
 * Make a scan that hands out computed columns: called when the node begins,
 * with its clauses unpacked.  Leaves in clauses->outputs what is to be computed,
 * and in the node the table's own scan slot and the local qual for it.
 */
extern void gpustr_output_begin(GpustrScanState *state, EState *estate);

/* Does every row that comes out need its tuple? */
extern bool gpustr_output_needs_tuple(const GpustrOutput *output);

/* The node's next row, projected. */
extern TupleTableSlot *gpustr_output_next(GpustrScanState *state);

#endif							/* GPUSTR_OUTPUT_SLOT_H */
