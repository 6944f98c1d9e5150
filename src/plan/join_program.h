/*-------------------------------------------------------------------------
 *
 * join_program.h
 *	  The programs of a GpuJoin: one that builds each table, one that probes them
 *	  with the pages of a fused outer side, one that probes them with columns.
 *
 * IDENTIFICATION
 *	  src/plan/join_program.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_JOIN_PROGRAM_H
#define GPUSTR_JOIN_PROGRAM_H

#include "utils/relcache.h"

#include "batch/batch_layout.h"
#include "plan/join_plan.h"
#include "plan/program_build.h"
#include "plan/ship_types.h"

/*
 * The columns of side i's batches: first the columns of the scan slot that come from it,
 * ascending, then its keys that are not plain columns.  Built once from the plan.
 */
typedef struct GpustrSideColumn
{
	int			slot_column;	/* of the scan slot, from 0; -1: a key */
	Expr	   *key;			/* over the scan slot, of such a key */
	Oid			type;
	GpustrCarrier carrier;
} GpustrSideColumn;

typedef struct GpustrSide
{
	int			ncolumns;
	GpustrSideColumn column[GPUSTR_MAX_TABLE_COLUMNS];
	int			nkeys;			/* inner sides: of its step; outer: of step 0 */
	int			key_column[GPUSTR_MAX_KEYS];	/* among these columns */
	uint8_t		key_kind[GPUSTR_MAX_KEYS];
} GpustrSide;

extern void gpustr_join_side(const CustomScan *plan, const GpustrJoinPlan *join, int side,
							 GpustrSide *columns);

/* The results: result column j of the engine is column of the scan slot 'slot_column[j]'. */
typedef struct GpustrJoinResults
{
	GpustrResultLayout layout;	/* room and text_bytes: what to begin with */
	int			slot_column[GPUSTR_MAX_RESULT_COLUMNS];
	bool		only_first;		/* of the pairs of an outer row the first one
								 * comes out: a semi join */
} GpustrJoinResults;

extern void gpustr_join_results(const CustomScan *plan, const GpustrJoinPlan *join,
								GpustrJoinResults *results);

/* Where the tables of the steps are, for the programs. */
typedef struct GpustrJoinTables
{
	uint64		table[GPUSTR_MAX_PROBES];
	int			partition[GPUSTR_MAX_PROBES];
	int			npartitions[GPUSTR_MAX_PROBES];
	int			hash_bits;
} GpustrJoinTables;

/*
 * Probe with columns of side 0, as gpustr_join_side() lists them; all rows do.
 */
extern GpustrProgram *gpustr_join_column_program(const CustomScan *plan,
												 const GpustrJoinPlan *join,
												 const GpustrJoinTables *tables);

/*
 * Probe with the pages of the outer side, a GpuScan whose clauses these are; in terms
 * of the table's columns.  rtable: of the plan.
 */
extern GpustrProgram *gpustr_join_page_program(const CustomScan *plan,
											   const GpustrJoinPlan *join,
											   const GpustrJoinTables *tables,
											   Relation rel, const GpustrScanClauses *clauses,
											   const GpustrLateValues *late);

#endif							/* GPUSTR_JOIN_PROGRAM_H */
