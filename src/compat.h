/*-------------------------------------------------------------------------
 *
 * compat.h
 *	  The differences between PostgreSQL majors; the only file that looks at
 *	  PG_VERSION_NUM.
 *
 * Each shim is one paragraph: what changed, and since when.  Code elsewhere
 * calls the shim, named after what it does.  Tested against 15 by "make test", and
 * against later majors by "make check-versions".
 *
 * What gpustr assumes about the server's heap format is asserted in
 * batch/page_format.h.
 *
 * IDENTIFICATION
 *	  src/compat.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_COMPAT_H
#define GPUSTR_COMPAT_H

#include "postgres.h"

#include "access/heapam.h"
#include "access/relscan.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "nodes/pathnodes.h"
#include "optimizer/appendinfo.h"
#include "optimizer/pathnode.h"
#include "pgstat.h"
#include "storage/buf_internals.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#if PG_VERSION_NUM < 150000
#error "gpustr needs PostgreSQL 15 or later"
#endif

/* 17: tables are read through streams. */
#if PG_VERSION_NUM >= 170000
#include "storage/read_stream.h"
#endif

/* 16: VARDATA and the like have a header of their own. */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/*
 * pg_locale.h wants the headers of ICU, which an extension's build may lack, so
 * up to 17 the two functions needed are declared here.  18: they have gone, and
 * one looks into the locale; the fields that are needed come before those of ICU,
 * so that the header serves without them.
 */
#if PG_VERSION_NUM >= 180000
#pragma push_macro("USE_ICU")
#undef USE_ICU
#include "utils/pg_locale.h"
#pragma pop_macro("USE_ICU")
#else
extern bool lc_collate_is_c(Oid collation);
extern bool lc_ctype_is_c(Oid collation);
#endif

/* 18: EXPLAIN's output functions and state have headers of their own. */
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#else
#include "commands/explain.h"
#endif

/* 18: what does not return is marked before its declaration. */
#if PG_VERSION_NUM < 180000
#define pg_noreturn pg_attribute_noreturn()
#endif

/* 18: reverse() of bytea came, and the OID's name got the type. */
#if PG_VERSION_NUM >= 180000
#define F_REVERSE F_REVERSE_TEXT
#endif

/* Does the collation fold as C does?  18: a field of the locale says so. */
static inline bool
gpustr_ctype_is_c(Oid collation)
{
#if PG_VERSION_NUM >= 180000
	return pg_newlocale_from_collation(collation)->ctype_is_c;
#else
	return lc_ctype_is_c(collation);
#endif
}

/*
 * Count tuples returned by a heap scan in the statistics.  16: the counters
 * lost their "t_" prefix.
 */
static inline void
gpustr_count_heap_tuples(Relation rel, int ntuples)
{
	if (!pgstat_should_count_relation(rel))
		return;
#if PG_VERSION_NUM >= 160000
	rel->pgstat_info->counts.tuples_returned += ntuples;
#else
	rel->pgstat_info->t_counts.t_tuples_returned += ntuples;
#endif
}

/*
 * Read and pin page 'block' for a page-at-a-time heap scan, as the page that
 * it is on, and list its visible tuples.  17: reading and preparing a page
 * became two steps, and only the second is exported; and the scan reads ahead
 * in a stream, which is to go on from this page.  18: the page's number is put into
 * the scan's tuple once for all of the page, as it is read.
 */
static inline void
gpustr_heap_read_page(HeapScanDesc scan, BlockNumber block)
{
#if PG_VERSION_NUM >= 170000
	if (BufferIsValid(scan->rs_cbuf))
		ReleaseBuffer(scan->rs_cbuf);
	scan->rs_cbuf = ReadBufferExtended(scan->rs_base.rs_rd, MAIN_FORKNUM, block,
									   RBM_NORMAL, scan->rs_strategy);
	scan->rs_cblock = block;
	scan->rs_prefetch_block = block;
	read_stream_reset(scan->rs_read_stream);
	heap_prepare_pagescan(&scan->rs_base);
	ItemPointerSetBlockNumber(&scan->rs_ctup.t_self, block);
#else
	heapgetpage(&scan->rs_base, block);
#endif
}

/*
 * Raise "snapshot too old" if pruning may have removed tuples that the
 * snapshot sees.  17: old_snapshot_threshold is gone.
 */
static inline void
gpustr_test_for_old_snapshot(Snapshot snapshot, Relation rel, Buffer buffer)
{
#if PG_VERSION_NUM < 170000
	TestForOldSnapshot(snapshot, rel, BufferGetPage(buffer));
#endif
}

/* May gpustr_test_for_old_snapshot() raise an error? */
static inline bool
gpustr_snapshots_grow_old(void)
{
#if PG_VERSION_NUM < 170000
	return old_snapshot_threshold >= 0;
#else
	return false;
#endif
}

/*
 * Pin the buffer that held page 'block' a moment ago, if it still does.  16:
 * RelFileNode became RelFileLocator.
 */
static inline bool
gpustr_read_recent_buffer(Relation rel, BlockNumber block, Buffer recent)
{
#if PG_VERSION_NUM >= 160000
	return ReadRecentBuffer(rel->rd_locator, MAIN_FORKNUM, block, recent);
#else
	return ReadRecentBuffer(rel->rd_node, MAIN_FORKNUM, block, recent);
#endif
}

/*
 * Count a page of the table that was found in shared buffers without the buffer
 * manager, for pg_stat_io.  16: that view came.  18: it counts bytes, too, of what is
 * read or written.
 */
static inline void
gpustr_count_io_hit(BufferAccessStrategy strategy)
{
#if PG_VERSION_NUM >= 180000
	pgstat_count_io_op(IOOBJECT_RELATION, IOContextForStrategy(strategy), IOOP_HIT, 1, 0);
#elif PG_VERSION_NUM >= 160000
	pgstat_count_io_op(IOOBJECT_RELATION, IOContextForStrategy(strategy), IOOP_HIT);
#endif
}

/*
 * Does the buffer hold page 'block' of the table's main fork?  The caller holds the
 * lock of its header.  16: tags are looked at through functions.
 */
static inline bool
gpustr_buffer_holds(const BufferDesc * desc, Relation rel, BlockNumber block)
{
#if PG_VERSION_NUM >= 160000
	return desc->tag.blockNum == block && BufTagGetForkNum(&desc->tag) == MAIN_FORKNUM &&
		BufTagMatchesRelFileLocator(&desc->tag, &rel->rd_locator);
#else
	return desc->tag.blockNum == block && desc->tag.forkNum == MAIN_FORKNUM &&
		RelFileNodeEquals(desc->tag.rnode, rel->rd_node);
#endif
}

/*
 * Give a custom scan of a table the table's own kind of slot.  16: the
 * provider names it in CustomScanState.slotOps before the node is initialised.
 * Before, the node has been initialised with a virtual slot by now, and what
 * was compiled for that (projection and qual) must be compiled again.
 */
static inline void
gpustr_set_slot_ops(CustomScanState *node)
{
#if PG_VERSION_NUM >= 160000
	node->slotOps = &TTSOpsBufferHeapTuple;
#endif
}

static inline void
gpustr_init_scan_slot(CustomScanState *node, EState *estate)
{
#if PG_VERSION_NUM < 160000
	ScanState  *ss = &node->ss;
	Scan	   *scan = (Scan *) ss->ps.plan;

	/* forget the subplans of the expressions that are thrown away */
	ss->ps.subPlan = NIL;
	ExecInitScanTupleSlot(estate, ss, RelationGetDescr(ss->ss_currentRelation),
						  &TTSOpsBufferHeapTuple);
	ExecAssignScanProjectionInfoWithVarno(ss, scan->scanrelid);
	ss->ps.qual = ExecInitQual(scan->plan.qual, &ss->ps);
#endif
}

/*
 * Give a table's expression the columns of its partition, or child, 'rel'.  16:
 * relations are named, rather than their relids.
 */
static inline Node *
gpustr_adjust_to_child(PlannerInfo *root, Node *node, RelOptInfo *rel)
{
#if PG_VERSION_NUM >= 160000
	return adjust_appendrel_attrs_multilevel(root, node, rel, rel->top_parent);
#else
	return adjust_appendrel_attrs_multilevel(root, node, rel->relids, rel->top_parent_relids);
#endif
}

/*
 * Is a path one that a setting (enable_hashjoin = off and the like) disables?  18: such
 * paths are counted.  Before, their costs tell.
 */
static inline bool
gpustr_is_disabled(const Path *path)
{
#if PG_VERSION_NUM >= 180000
	return path->disabled_nodes > 0;
#else
	return false;
#endif
}

static inline void
gpustr_add_disabled(Path *path, const Path *child)
{
#if PG_VERSION_NUM >= 180000
	path->disabled_nodes += child->disabled_nodes;
#endif
}

/* Would add_path(), or add_partial_path(), keep such an unordered path?  18: that counts, too. */
static inline bool
gpustr_add_path_precheck(RelOptInfo *rel, const Path *path)
{
#if PG_VERSION_NUM >= 180000
	return add_path_precheck(rel, path->disabled_nodes, path->startup_cost, path->total_cost,
							 NIL, NULL);
#else
	return add_path_precheck(rel, path->startup_cost, path->total_cost, NIL, NULL);
#endif
}

static inline bool
gpustr_add_partial_path_precheck(RelOptInfo *rel, const Path *path)
{
#if PG_VERSION_NUM >= 180000
	return add_partial_path_precheck(rel, path->disabled_nodes, path->total_cost, NIL);
#else
	return add_partial_path_precheck(rel, path->total_cost, NIL);
#endif
}

/*
 * 17: a custom path of a join lists the join's clauses, and PostgreSQL puts a Result on
 * top of it that evaluates those without columns, once.  Before, those are the path's.
 */
static inline bool
gpustr_gates_joins(void)
{
	return PG_VERSION_NUM >= 170000;
}

static inline void
gpustr_add_join_clauses(CustomPath *path, List *clauses)
{
#if PG_VERSION_NUM >= 170000
	path->custom_restrictinfo = list_concat_copy(path->custom_restrictinfo, clauses);
#endif
}

static inline List *
gpustr_join_clauses_of(const CustomPath *path)
{
#if PG_VERSION_NUM >= 170000
	return path->custom_restrictinfo;
#else
	return NIL;
#endif
}

/*
 * Is the order of the collation that of the bytes?  18: the test moved into
 * the locale.
 */
static inline bool
gpustr_collation_is_bytes(Oid collation)
{
#if PG_VERSION_NUM >= 180000
	return pg_newlocale_from_collation(collation)->collate_is_c;
#else
	return lc_collate_is_c(collation);
#endif
}

/*
 * The arguments of an ExecutorRun hook, and how they are handed on; for
 * test/t/other_hooks.c.  18: execute_once is gone.
 */
#if PG_VERSION_NUM >= 180000
#define GPUSTR_EXECUTOR_RUN_ARGS QueryDesc *query, ScanDirection direction, uint64 count
#define GPUSTR_EXECUTOR_RUN_PASS query, direction, count
#else
#define GPUSTR_EXECUTOR_RUN_ARGS QueryDesc *query, ScanDirection direction, uint64 count, bool once
#define GPUSTR_EXECUTOR_RUN_PASS query, direction, count, once
#endif

#endif							/* GPUSTR_COMPAT_H */
