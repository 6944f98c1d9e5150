/*-------------------------------------------------------------------------
 *
 * cost.c
 *	  What a GpuScan costs.
 *
 *	startup		gpustr.device_startup_cost
 *	+ pages		x seq_page_cost of the tablespace
 *	+ tuples	x steps that look at each row x gpustr.device_row_cost
 *	+ rechecks	x (gpustr.recheck_cost + cost of the whole clause list)
 *	+ survivors x (cpu_tuple_cost + cost of the local clauses)
 *	+ rows		x cost of the target list
 *
 * Survivors are the rows that pass the offloaded clauses.  What a sequential
 * scan pays for each tuple, cpu_tuple_cost and all the clauses, is paid only
 * for them.
 *
 * Rechecks are rows with a value that the engine cannot read.  How many is
 * guessed from what the catalogs know:
 *	- external values: a TOAST page holds about four chunks, so two values or
 *	  more; count two rows for each page;
 *	- compressed values: they are what is left of values above 2 kB, so where
 *	  the average stored width of an offloaded column is above 500 bytes, count
 *	  every second row.
 *
 * IDENTIFICATION
 *	  src/plan/cost.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/spccache.h"
#include "utils/syscache.h"

#include "compat.h"
#include "guc.h"
#include "plan/cost.h"
#include "service/client.h"

/*
 * The host engine in this backend, measured on 20 million log lines: a scan
 * with one LIKE takes a fifth of what PostgreSQL's takes, pages included.  At
 * this factor a LIKE costs 0.002, against PostgreSQL's 0.0125 for a row.
 */
#define LOCAL_ROW_COST_FACTOR 4.0

/* Average stored width, in bytes, above which values are likely compressed. */
#define COMPRESSED_WIDTH 500

#define ROWS_PER_TOAST_PAGE 2.0

/* Pages of the table's TOAST table, as of the last VACUUM. */
static double
toast_pages(Relation table)
{
	Oid			toast = table->rd_rel->reltoastrelid;
	HeapTuple	tuple;
	double		pages = 0;

	if (!OidIsValid(toast))
		return 0;
	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(toast));
	if (HeapTupleIsValid(tuple))
	{
		pages = ((Form_pg_class) GETSTRUCT(tuple))->relpages;
		ReleaseSysCache(tuple);
	}
	return pages;
}

/* Is one of the columns that the clauses read likely to be compressed? */
static bool
likely_compressed(Relation table, List *offloaded)
{
	TupleDesc	desc = RelationGetDescr(table);
	List	   *vars = pull_var_clause((Node *) offloaded, 0);
	ListCell   *lc;

	foreach(lc, vars)
	{
		AttrNumber	attno = ((Var *) lfirst(lc))->varattno;
		Form_pg_attribute att = TupleDescAttr(desc, attno - 1);

		if (att->attlen == -1 && att->attstorage != TYPSTORAGE_PLAIN &&
			get_attavgwidth(RelationGetRelid(table), attno) > COMPRESSED_WIDTH)
			return true;
	}
	return false;
}

Cost
gpustr_cost_least(RelOptInfo *rel)
{
	double		spc_seq_page_cost;

	get_tablespace_page_costs(rel->reltablespace, NULL, &spc_seq_page_cost);
	return gpustr_device_startup_cost + rel->pages * spc_seq_page_cost;
}

void
gpustr_cost_scan(Path *path, PlannerInfo *root, Relation table,
				 const GpustrScanClauses *clauses, List *rinfos)
{
	RelOptInfo *rel = path->parent;
	double		row_cost = gpustr_device_row_cost;
	double		rechecks;
	double		survivors;
	double		spc_seq_page_cost;
	QualCost	local_cost;
	QualCost	full_cost;
	List	   *local = NIL;
	List	   *offloaded = NIL;
	List	   *offloaded_rinfos = NIL;
	Cost		run_cost = 0;
	ListCell   *clause;
	ListCell   *flag;
	ListCell   *rinfo;

	forthree(clause, clauses->clauses, flag, clauses->offloaded, rinfo, rinfos)
	{
		if (lfirst_int(flag))
		{
			offloaded = lappend(offloaded, lfirst(clause));
			offloaded_rinfos = lappend(offloaded_rinfos, lfirst(rinfo));
		}
		else
			local = lappend(local, lfirst(clause));
	}
	cost_qual_eval(&local_cost, local, root);
	cost_qual_eval(&full_cost, clauses->clauses, root);
	survivors = rel->tuples * clauselist_selectivity(root, offloaded_rinfos, 0,
													 JOIN_INNER, NULL);
	rechecks = Min(rel->tuples, ROWS_PER_TOAST_PAGE * toast_pages(table));
	if (likely_compressed(table, offloaded))
		rechecks = Max(rechecks, rel->tuples / 2);
	if (gpustr_engine_choice() == GPUSTR_RUN_LOCAL)
		row_cost *= LOCAL_ROW_COST_FACTOR;
	get_tablespace_page_costs(rel->reltablespace, NULL, &spc_seq_page_cost);

	run_cost += rel->pages * spc_seq_page_cost;
	run_cost += rel->tuples * clauses->row_steps * row_cost;
	run_cost += rechecks * (gpustr_recheck_cost + full_cost.per_tuple);
	run_cost += survivors * (cpu_tuple_cost + local_cost.per_tuple);
	run_cost += rel->rows * path->pathtarget->cost.per_tuple;

	path->rows = rel->rows;
	path->startup_cost = gpustr_device_startup_cost + local_cost.startup +
		path->pathtarget->cost.startup;
	path->total_cost = path->startup_cost + run_cost;
}
