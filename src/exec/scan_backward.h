/*-------------------------------------------------------------------------
 *
 * scan_backward.h
 *	  A GpuScan that is asked to go backward.
 *
 * IDENTIFICATION
 *	  src/exec/scan_backward.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_SCAN_BACKWARD_H
#define GPUSTR_SCAN_BACKWARD_H

#include "access/sdir.h"
#include "exec/scan_node.h"

/* Have the settings of 'shows' ceased to fit since rows have come out? */
extern bool gpustr_scan_style_is_new(GpustrScanState *state);

/*
 * The next row in that direction, in the scan slot; the slot is empty at
 * either end of the table.
 */
extern TupleTableSlot *gpustr_scan_walk(GpustrScanState *state, ScanDirection direction);

#endif							/* GPUSTR_SCAN_BACKWARD_H */
