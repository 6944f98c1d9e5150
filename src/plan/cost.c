/*-------------------------------------------------------------------------
 *
 * cost.c
 *	  What a GpuScan costs.
 *
 *	startup		gpustr.device_startup_cost
 *				+ what has to be made first: make_cost.c
 *	+ pages		x seq_page_cost of the tablespace
 *	+ pages		x PAGE_CPU_TUPLES, or BUSY_PAGE_CPU_TUPLES if not all visible,
 *				x cpu_tuple_cost
 *	+ tuples	x steps that look at each row x gpustr.device_row_cost
 *	+ rechecks	x (gpustr.recheck_cost + cost of the whole clause list)
 *	+ survivors x (BLIND_TUPLES x cpu_tuple_cost + cost of the local clauses)
 *	+ rows		x cost of the target list
 *	- rows		x cost of the expressions of it that the engine computes
 *	+ rows		x such expressions x OUTPUT_TUPLES x cpu_tuple_cost
 *
 * The planner adds the cost of the query's target list on top of the scan; what
 * the engine computes of it is taken off here.
 *
 * For texts of the target list (output.c) there are two paths, with and without
 * them, so that they are computed where the steps for all rows cost less than the calls
 * for those that pass.  This errs on PostgreSQL's side: it charges 0.0025 for a call
 * that takes it the time of 2 (left) to 20 tuples (upper, md5), which it charges
 * 0.01 each for.  (Measured, 90 bytes a row: 0.1 to 1.5 us; the host engine takes a
 * half to an eighth of that, a row's id beside it included.)
 *
 * Survivors are the rows that pass the offloaded clauses.  What a sequential
 * scan pays for each tuple, cpu_tuple_cost and all the clauses, is paid only
 * for them: if their tuples are looked at, pages and survivors cost cpu_tuple_cost
 * for each survivor at least.  (In that is the tuple's share of its page, so it is
 * not added to the pages; and no row gets cheaper by being looked at.)
 *
 * A parallel scan divides among its participants what they do themselves: the
 * handling of pages, rechecks, survivors, the target list, and with the local
 * engine the truth values; rows are per participant, too.  As in a parallel
 * sequential scan, reading the pages is not divided; nor are the truth values
 * if a device does them, as there is one for all participants.  (Measured: one
 * backend draws 47 GB/s through a bus that gives 51; eight draw no more.)
 *
 * Rechecks are rows that the engine cannot decide.  How many is guessed from the
 * selectivity of regular expressions whose matches matter (regex_find.c), and from
 * what the catalogs know of the columns that the program reads and whose values it
 * may not be able to read:
 *	- external values: a TOAST page holds about four chunks, so two values or
 *	  more; count two rows for each page;
 *	- compressed values: ANALYZE keeps samples of a column's values unless they
 *	  are wider than 1 kB before compression.  Where it has kept none, yet the
 *	  stored values are narrower than that, they are compressed (or external).
 *	- values that are too long for what is to be done with them: room.c.
 *
 * IDENTIFICATION
 *	  src/plan/cost.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_statistic.h"
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
#include "plan/make_cost.h"
#include "plan/output.h"
#include "plan/regex_find.h"
#include "plan/room.h"
#include "service/client.h"

/*
 * What a page costs the backend that looks it up, pins it and lists its
 * visible rows: 0.13 us, or 0.4 us if it is not all visible; as much as PostgreSQL
 * takes for about so many tuples (55 to 100 ns each).
 */
#define PAGE_CPU_TUPLES 2.0
#define BUSY_PAGE_CPU_TUPLES 5.0

/*
 * What a row costs whose tuple is not looked at, as under count(*) or where all
 * that is asked for is computed by the engine: 5 to 15 ns.
 */
#define BLIND_TUPLES 0.2

/* What a computed value costs the backend that puts it into a row: 5 to 10 ns. */
#define OUTPUT_TUPLES 0.1

/* ANALYZE ignores values that are wider, in bytes: its WIDTH_THRESHOLD. */
#define SAMPLED_WIDTH 1024

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

/*
 * Are the values of a column compressed or external?  Of a column without
 * statistics nothing is known, so no.
 */
static bool
is_toasted(Relation table, AttrNumber attno)
{
	HeapTuple	stats = SearchSysCache3(STATRELATTINH,
										ObjectIdGetDatum(RelationGetRelid(table)),
										Int16GetDatum(attno), BoolGetDatum(false));
	Form_pg_statistic form;
	AttStatsSlot slot;
	bool		result;

	if (!HeapTupleIsValid(stats))
		return false;
	form = (Form_pg_statistic) GETSTRUCT(stats);
	result = form->stanullfrac < 1 && form->stawidth < SAMPLED_WIDTH &&
		!get_attstatsslot(&slot, stats, STATISTIC_KIND_MCV, InvalidOid, 0) &&
		!get_attstatsslot(&slot, stats, STATISTIC_KIND_HISTOGRAM, InvalidOid, 0);
	ReleaseSysCache(stats);
	return result;
}

/* How many rows are PostgreSQL's to decide? */
static double
estimate_rechecks(Relation table, double tuples, List *offloaded)
{
	TupleDesc	desc = RelationGetDescr(table);
	List	   *vars = pull_var_clause((Node *) offloaded, 0);
	double		rechecks = 0;
	ListCell   *lc;

	if (gpustr_exceeds_room(table, offloaded))
		return tuples;
	foreach(lc, vars)
	{
		AttrNumber	attno = ((Var *) lfirst(lc))->varattno;
		Form_pg_attribute att = TupleDescAttr(desc, attno - 1);

		if (att->attlen != -1 || att->attstorage == TYPSTORAGE_PLAIN)
			continue;
		if (is_toasted(table, attno))
			return tuples;
		rechecks = Min(tuples, ROWS_PER_TOAST_PAGE * toast_pages(table));
	}
	return rechecks;
}

/*
 * How many rows are PostgreSQL's to decide because a regular expression matches whose
 * match matters?  Those that get to the clause.
 */
static double
match_rechecks(PlannerInfo *root, RelOptInfo *rel, List *offloaded_rinfos)
{
	double		reach = rel->tuples;
	double		rechecks = 0;
	ListCell   *lc;

	foreach(lc, offloaded_rinfos)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		rechecks += reach * gpustr_regex_find_selectivity(root, (Node *) rinfo->clause);
		reach *= clause_selectivity(root, (Node *) rinfo, 0, JOIN_INNER, NULL);
	}
	return rechecks;
}

Cost
gpustr_cost_least(PlannerInfo *root, RelOptInfo *rel, List *exprs)
{
	double		spc_seq_page_cost;
	QualCost	output_cost;

	get_tablespace_page_costs(rel->reltablespace, NULL, &spc_seq_page_cost);
	cost_qual_eval(&output_cost, exprs, root);
	return gpustr_device_startup_cost + gpustr_make_cost_to_plan(rel->baserestrictinfo) +
		rel->pages * spc_seq_page_cost - rel->rows * output_cost.per_tuple;
}

double
gpustr_participants(int workers)
{
	double		leader = 1.0 - 0.3 * workers;

	if (workers == 0)
		return 1.0;
	return workers + (parallel_leader_participation ? Max(leader, 0) : 0);
}

void
gpustr_cost_scan(Path *path, PlannerInfo *root, Relation table,
				 const GpustrScanClauses *clauses, List *rinfos, bool fused)
{
	RelOptInfo *rel = path->parent;
	double		row_cost = gpustr_device_row_cost;
	double		rechecks;
	double		survivors;
	double		tuples;			/* of which cpu_tuple_cost is paid */
	double		matched;		/* part of the rows whose outputs are recheck */
	double		spc_seq_page_cost;
	QualCost	local_cost;
	QualCost	full_cost;
	QualCost	output_cost;	/* of what the engine computes */
	List	   *local = NIL;
	List	   *offloaded = NIL;
	List	   *offloaded_rinfos = NIL;
	Cost		cpu_cost = 0;	/* of the participants */
	Cost		shared_cost = 0;	/* of the disk and the device */
	double		divisor = gpustr_participants(path->parallel_workers);
	bool		local_engine = gpustr_engine_choice() != GPUSTR_RUN_DEVICE;
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
	cost_qual_eval(&output_cost, clauses->outputs, root);
	rechecks = estimate_rechecks(table, rel->tuples,
								 list_concat_copy(offloaded, clauses->outputs));
	matched = gpustr_regex_find_selectivity(root, (Node *) clauses->outputs);
	rechecks = Min(rel->tuples, rechecks + match_rechecks(root, rel, offloaded_rinfos) +
				   matched * rel->rows);
	if (local_engine)
		row_cost *= GPUSTR_LOCAL_ROW_COST_FACTOR;
	get_tablespace_page_costs(rel->reltablespace, NULL, &spc_seq_page_cost);

	shared_cost += rel->pages * spc_seq_page_cost;
	if (local_engine)
		cpu_cost += rel->tuples * clauses->row_steps * row_cost;
	else
		shared_cost += rel->tuples * clauses->row_steps * row_cost;
	cpu_cost += rechecks * (gpustr_recheck_cost + full_cost.per_tuple);
	tuples = rel->pages * (rel->allvisfrac * PAGE_CPU_TUPLES + (1 - rel->allvisfrac) * BUSY_PAGE_CPU_TUPLES) +
		(fused ? 0 : survivors * BLIND_TUPLES);
	if (!fused && (local != NIL || gpustr_needs_tuples(root, rel, clauses->outputs)))
		tuples = Max(tuples, survivors);
	cpu_cost += tuples * cpu_tuple_cost + survivors * local_cost.per_tuple;
	cpu_cost += rel->rows * path->pathtarget->cost.per_tuple;
	cpu_cost -= rel->rows * output_cost.per_tuple;
	cpu_cost += rel->rows * list_length(clauses->outputs) * OUTPUT_TUPLES * cpu_tuple_cost;

	cpu_cost += matched * rel->rows * output_cost.per_tuple;

	path->rows = rel->rows;
	if (path->parallel_workers > 0)
		path->rows = clamp_row_est(path->rows / divisor);
	path->startup_cost = gpustr_device_startup_cost + local_cost.startup +
		path->pathtarget->cost.startup +
		gpustr_make_cost_to_run(list_concat_copy(offloaded, clauses->outputs),
								path->parallel_workers > 0);
	path->total_cost = path->startup_cost + Max(shared_cost + cpu_cost / divisor, 0);
}
