/*-------------------------------------------------------------------------
 *
 * scan_path.h
 *	  Offer GpuScan to the planner.
 *
 * IDENTIFICATION
 *	  src/plan/scan_path.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_SCAN_PATH_H
#define GPUSTR_SCAN_PATH_H

/* Register GpuScan and its hooks; from _PG_init(). */
extern void gpustr_scan_init(void);

#endif							/* GPUSTR_SCAN_PATH_H */
