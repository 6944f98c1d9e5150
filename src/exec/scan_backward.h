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

/*
 * The next row in that direction, in the scan slot; the slot is empty at
 * either end of the table.
 */
/* Has DateStyle ceased to be ISO since rows have come out?  If 'shows_dates'. */
extern bool gpustr_scan_style_is_new(GpustrScanState *state);

extern TupleTableSlot *gpustr_scan_walk(GpustrScanState *state, ScanDirection direction);

#endif							/* GPUSTR_SCAN_BACKWARD_H */
