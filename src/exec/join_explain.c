/*-------------------------------------------------------------------------
 *
 * join_explain.c
 *	  What EXPLAIN says about a GpuJoin.
 *
 * In all output formats, and for each step where there are several, then with its
 * number,
 *
 *		Join Type		unless all are inner joins
 *		GPU Join Cond	the clauses whose two sides are the keys of a hash table
 *		GPU Join Filter what else the engine decides of the join's clauses
 *		Join Filter		what PostgreSQL decides, on joined rows
 *	ANALYZE
 *		Rows Removed by Join Filter
 *						by PostgreSQL, be it for a clause of the GPU Join Filter
 *						that an engine could not decide; per loop
 *		Hash Table		rows, of all partitions; how many keys they have that differ,
 *						and how many rows have a NULL in their key, so that they meet
 *						nothing; how many slots of 100 are taken; bytes that it takes,
 *						of the largest partition; how many partitions; how many slots
 *						a probe looks at together.  Keys and slots are counted when
 *						a table is built: where not all partitions have been, it says
 *						"1 of 2"
 *		Passes			if there have been several; the most of all scans
 *		GPU Batches ...	as a GpuScan says (node_explain.c): of tables, outer rows and
 *						the pages of a fused GpuScan
 *	VERBOSE
 *		Not Offloaded	each clause of the Join Filter, and why; and what else is not
 *
 * explain.c prints the plan's qual, as Filter.
 *
 * IDENTIFICATION
 *	  src/exec/join_explain.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "executor/instrument.h"
#include "nodes/makefuncs.h"
#include "nodes/value.h"
#include "utils/ruleutils.h"

#include "compat.h"
#include "exec/join_node.h"
#include "exec/join_parallel.h"

/* What all that is said needs. */
typedef struct JoinExplain
{
	GpustrJoinState *state;
	List	   *ancestors;
	ExplainState *es;
	List	   *refused;		/* String list */
} JoinExplain;

static char *
deparse(const JoinExplain *x, Node *node)
{
	List	   *context = set_deparse_context_plan(x->es->deparse_cxt,
												   x->state->css.ss.ps.plan, x->ancestors);

	/* columns are of several tables */
	return deparse_expression(node, context, true, false);
}

/* The name of a property of step i. */
static const char *
name_of(const JoinExplain *x, const char *name, int i)
{
	return x->state->join->nsteps > 1 ? psprintf("%s %d", name, i + 1) : name;
}

static void
explain_list(const JoinExplain *x, const char *name, int i, List *clauses)
{
	if (clauses != NIL)
		ExplainPropertyText(name_of(x, name, i),
							deparse(x, (Node *) make_ands_explicit(clauses)), x->es);
}

static const char *
join_type_name(JoinType type)
{
	switch (type)
	{
		case JOIN_LEFT:
			return "Left";
		case JOIN_RIGHT:
			return "Right";
		case JOIN_FULL:
			return "Full";
		case JOIN_SEMI:
			return "Semi";
		case JOIN_ANTI:
			return "Anti";
		default:
			return "Inner";
	}
}

static void
explain_step(JoinExplain *x, int i)
{
	const GpustrJoinStep *step = &x->state->join->step[i];
	List	   *offloaded = NIL;
	List	   *local = NIL;
	ListCell   *clause;
	ListCell   *flag;
	ListCell   *reason;

	forthree(clause, step->filter, flag, step->offloaded, reason, step->reasons)
	{
		if (lfirst_int(flag))
		{
			offloaded = lappend(offloaded, lfirst(clause));
			continue;
		}
		local = lappend(local, lfirst(clause));
		x->refused = lappend(x->refused, psprintf("%s: %s", deparse(x, lfirst(clause)),
												  strVal(lfirst(reason))));
	}
	if (step->jointype != JOIN_INNER || x->es->format != EXPLAIN_FORMAT_TEXT)
		ExplainPropertyText(name_of(x, "Join Type", i), join_type_name(step->jointype), x->es);
	explain_list(x, "GPU Join Cond", i, step->key_clauses);
	explain_list(x, "GPU Join Filter", i, offloaded);
	explain_list(x, "Join Filter", i, local);
}

/* Slots taken of 100. */
static int
load_of(const GpustrTableFacts *facts)
{
	return facts->slots > 0 ? (int) rint(100.0 * facts->distinct / facts->slots) : 0;
}

/* Partitions that have been built, or passed over since they are empty. */
static int
partitions_built(const GpustrTableFacts *facts)
{
	return (int) ((int64) facts->counted * facts->partitions / GPUSTR_MAX_PARTITIONS);
}

static char *
table_text(const GpustrTableFacts *facts)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "rows " INT64_FORMAT ", distinct keys " INT64_FORMAT,
					 facts->rows, facts->distinct);
	if (facts->nulls > 0)
		appendStringInfo(&text, ", null keys " INT64_FORMAT, facts->nulls);
	appendStringInfo(&text, ", load %d%%, " UINT64_FORMAT "kB, partitions ",
					 load_of(facts), (facts->bytes + 1023) / 1024);
	if (partitions_built(facts) < facts->partitions)
		appendStringInfo(&text, "%d of ", partitions_built(facts));
	appendStringInfo(&text, "%d, probe window %u", facts->partitions, facts->window);
	return text.data;
}

/* The table of step i, if there has been one. */
static void
explain_table(const JoinExplain *x, int i)
{
	const GpustrTableFacts *facts = &x->state->facts[i];
	const char *name = name_of(x, "Hash Table", i);

	if (facts->partitions == 0)
		return;
	if (x->es->format == EXPLAIN_FORMAT_TEXT)
	{
		ExplainPropertyText(name, table_text(facts), x->es);
		return;
	}
	ExplainOpenGroup(name, name, true, x->es);
	ExplainPropertyInteger("Rows", NULL, facts->rows, x->es);
	ExplainPropertyInteger("Distinct Keys", NULL, facts->distinct, x->es);
	ExplainPropertyInteger("Null Keys", NULL, facts->nulls, x->es);
	ExplainPropertyUInteger("Slots", NULL, facts->slots, x->es);
	ExplainPropertyInteger("Load Factor", "%", load_of(facts), x->es);
	ExplainPropertyUInteger("Bytes", "B", facts->bytes, x->es);
	ExplainPropertyInteger("Partitions", NULL, facts->partitions, x->es);
	ExplainPropertyInteger("Partitions Built", NULL, partitions_built(facts), x->es);
	ExplainPropertyInteger("Probe Window", "slots", facts->window, x->es);
	ExplainCloseGroup(name, name, true, x->es);
}

/* Is there a clause that PostgreSQL may decide? */
static bool
has_filter(const GpustrJoinPlan *join)
{
	int			i;

	for (i = 0; i < join->nsteps; i++)
	{
		if (join->step[i].filter != NIL)
			return true;
	}
	return false;
}

static void
explain_counters(const JoinExplain *x)
{
	GpustrJoinState *state = x->state;
	ExplainState *es = x->es;
	const GpustrClientCounters *counters = gpustr_join_counters(state);
	Instrumentation *instr = state->css.ss.ps.instrument;
	int			npasses = Max(state->npasses, state->most_passes);
	int			i;

	if (instr != NULL && instr->nloops > 0 && has_filter(state->join))
		ExplainPropertyFloat("Rows Removed by Join Filter", NULL,
							 instr->nfiltered2 / instr->nloops, 0, es);
	for (i = 0; i < state->join->nsteps; i++)
		explain_table(x, i);
	if (npasses > 1)
		ExplainPropertyInteger("Passes", NULL, npasses, es);
	gpustr_explain_counters(counters, es);
}

void
gpustr_join_explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	GpustrJoinState *state = (GpustrJoinState *) node;
	JoinExplain x = {.state = state,.ancestors = ancestors,.es = es};
	ListCell   *lc;
	int			i;

	for (i = 0; i < state->join->nsteps; i++)
		explain_step(&x, i);
	foreach(lc, state->join->refused)
		x.refused = lappend(x.refused, strVal(lfirst(lc)));
	if (es->verbose && x.refused != NIL)
		ExplainPropertyList("Not Offloaded", x.refused, es);
	ExplainPropertyText("Engine", gpustr_engine_label(), es);
	if (es->analyze && state->client != NULL)
		explain_counters(&x);
}
