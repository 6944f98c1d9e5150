/*-------------------------------------------------------------------------
 *
 * join_program.c
 *	  The programs that probe the tables of a GpuJoin.
 *
 * Space 0 has the rows of the outer side: pages of a table, whose columns are decoded,
 * or columns.  Step i probes its table, which opens space i + 1.  What is
 * needed there, or in a later space, of the columns that are known so far is gathered
 * from the space before, or taken from the table.  The last space's columns are the
 * results.
 *
 * A step's filter is the condition of the next step's probe, or of the results.  The
 * clauses of it that stay with PostgreSQL are recheck for all pairs that pass the
 * others.
 *
 * Invariant: of a row that is probed nothing is recheck that is looked at later.  In a
 * page program, the first probe's condition sees to that for the columns that are
 * gathered; columns that come in batches, and tables, have no recheck.
 *
 * Failure: of a program that does not fit, which was tried when the plan was made but
 * without late values, first the scan's clauses, then the filters become recheck.
 *
 * IDENTIFICATION
 *	  src/plan/join_program.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

#include "compat.h"
#include "plan/expr_build.h"
#include "plan/join_sides.h"

/* What a program may leave to PostgreSQL to get smaller. */
typedef enum JoinDecides
{
	DECIDES_NOTHING,			/* all rows of pages, all filters: recheck */
	DECIDES_FILTERS,
	DECIDES_ALL
} JoinDecides;

/* The program that is being built. */
typedef struct JoinBuild
{
	GpustrBuild *build;
	const CustomScan *plan;
	const GpustrJoinPlan *join;
	const GpustrJoinTables *tables;
	JoinDecides decides;
	List	   *scan_tlist;		/* fused: the target list of the scan */
	GpustrCarrier *carrier;		/* [ncolumns], as the next two */
	int		   *last_space;		/* in which it is looked at; -1: in none */
	GpustrReg  *reg;			/* in the space that is open */
} JoinBuild;

/* GpustrBuild's column: one of the scan slot. */
static GpustrReg
look_up_column(void *context, Var *var)
{
	JoinBuild  *jb = context;

	if (var->varno != INDEX_VAR || jb->last_space[var->varattno - 1] < 0)
		elog(ERROR, "unexpected column in an offloaded clause of a join");
	return jb->reg[var->varattno - 1];
}

/* The columns in these expressions are looked at in a space. */
static void
look_at(JoinBuild *jb, List *exprs, int space)
{
	ListCell   *lc;

	foreach(lc, pull_var_clause((Node *) exprs, 0))
	{
		int			column = ((Var *) lfirst(lc))->varattno - 1;

		jb->last_space[column] = Max(jb->last_space[column], space);
	}
}

/* The clauses of a step's filter that the engine decides. */
static List *
decided_clauses(const JoinBuild *jb, const GpustrJoinStep *step)
{
	List	   *result = NIL;
	ListCell   *lc;
	ListCell   *flag;

	forboth(lc, step->filter, flag, step->offloaded)
	{
		if (lfirst_int(flag) && jb->decides >= DECIDES_FILTERS)
			result = lappend(result, lfirst(lc));
	}
	return result;
}

/*
 * Find out where each column is looked at.  Of the keys of step 0 those that are no plain
 * columns come in columns of their own, or are made of the table's attributes.
 */
static void
find_last_spaces(JoinBuild *jb)
{
	const GpustrJoinPlan *join = jb->join;
	ListCell   *lc;
	int			i;

	for (i = 0; i < join->ncolumns; i++)
	{
		jb->carrier[i] = gpustr_carrier(gpustr_slot_column_type(jb->plan, i));
		jb->last_space[i] = join->column[i].is_result ? join->nsteps : -1;
	}
	for (i = 0; i < join->nsteps; i++)
	{
		look_at(jb, decided_clauses(jb, &join->step[i]), i + 1);
		foreach(lc, join->step[i].outer_keys)
		{
			if (i > 0 || gpustr_plain_key(lfirst(lc)) != NULL)
				look_at(jb, list_make1(lfirst(lc)), i);
		}
	}
}

/* Tables, to see whether a program fits. */
static const GpustrJoinTables no_tables = {.npartitions = {1}};

/* A JoinBuild without a program. */
static JoinBuild *
begin_join(const CustomScan *plan, const GpustrJoinPlan *join, const GpustrJoinTables *tables,
		   JoinDecides decides)
{
	JoinBuild  *jb = palloc0(sizeof(JoinBuild));
	int			n = Max(join->ncolumns, 1);

	jb->plan = plan;
	jb->join = join;
	jb->tables = tables;
	jb->decides = decides;
	jb->carrier = palloc0(n * sizeof(GpustrCarrier));
	jb->last_space = palloc0(n * sizeof(int));
	jb->reg = palloc0(n * sizeof(GpustrReg));
	find_last_spaces(jb);
	return jb;
}

static uint16_t
truth(JoinBuild *jb, GpustrTruth value)
{
	return gpustr_build_truth(jb->build, value).reg;
}

/* A key as a text or value register. */
static uint16_t
key_reg(JoinBuild *jb, Expr * key)
{
	const Var  *var = gpustr_plain_key(key);
	GpustrReg	reg;

	if (var != NULL && var->varno == INDEX_VAR)
		return jb->reg[var->varattno - 1].reg;
	reg = gpustr_build_expr(jb->build, (Node *) key);
	if (reg.kind == GPUSTR_KIND_BOOL)
		return gpustr_builder_bool_value(&jb->build->builder, reg.reg);
	return reg.reg;
}

/* Open the next space: that of step i. */
static void
open_space(JoinBuild *jb, int i)
{
	GpustrProgramBuilder *b = &jb->build->builder;
	const GpustrJoinPlan *join = jb->join;
	int			inner = 0;
	int			c;

	for (c = 0; c < join->ncolumns; c++)
	{
		int			is_text = jb->carrier[c].is_text;
		int			side = join->column[c].side;

		jb->reg[c].kind = is_text ? GPUSTR_KIND_TEXT : GPUSTR_KIND_VALUE;
		if (side <= i && jb->last_space[c] > i)
			jb->reg[c].reg = gpustr_builder_gather(b, is_text, jb->reg[c].reg);
		if (side == i + 1 && jb->last_space[c] > i)
			jb->reg[c].reg = gpustr_builder_inner(b, is_text, inner);
		inner += side == i + 1;
	}

	/* nothing that has been made before can be read from here on */
	jb->build->nmade = 0;
	jb->build->column = look_up_column;
	jb->build->column_context = jb;
}

static void
probe(JoinBuild *jb, int i, uint16_t condition, const uint16_t *keys)
{
	const GpustrJoinStep *step = &jb->join->step[i];
	GpustrProbe probe;
	int			k;

	memset(&probe, 0, sizeof(probe));
	probe.table = jb->tables->table[i];
	probe.kind = gpustr_probe_kind(jb->join, i);
	probe.nkeys = step->nkeys;
	probe.hash_bits = jb->tables->hash_bits;
	probe.partition = jb->tables->partition[i];
	probe.npartitions = jb->tables->npartitions[i];
	for (k = 0; k < step->nkeys; k++)
	{
		probe.key_kind[k] = list_nth_int(step->key_kinds, k);
		probe.key_reg[k] = keys[k];
	}
	gpustr_builder_probe(&jb->build->builder, condition, &probe);
	open_space(jb, i);
}

/* The condition of step i's pairs, in their space; false: it has none. */
static bool
filter_condition(JoinBuild *jb, int i, uint16_t *condition)
{
	GpustrProgramBuilder *b = &jb->build->builder;
	const GpustrJoinStep *step = &jb->join->step[i];
	List	   *decided = decided_clauses(jb, step);
	bool		first = true;
	uint16_t	reg;
	ListCell   *lc;

	if (step->filter == NIL)
		return false;
	foreach(lc, decided)
	{
		reg = gpustr_build_expr(jb->build, lfirst(lc)).reg;
		*condition = first ? reg : gpustr_builder_binary(b, GPUSTR_OP_QUAL, *condition, reg);
		first = false;
	}
	if (list_length(decided) < list_length(step->filter))
	{
		reg = truth(jb, GPUSTR_RECHECK);
		*condition = first ? reg : gpustr_builder_binary(b, GPUSTR_OP_QUAL, *condition, reg);
	}
	return true;
}

/* The steps after the first, and the results. */
static GpustrProgram *
end_join(JoinBuild *jb)
{
	GpustrProgramBuilder *b = &jb->build->builder;
	const GpustrJoinPlan *join = jb->join;
	uint16_t	condition;
	int			nresults = 0;
	int			i;

	for (i = 1; i < join->nsteps; i++)
	{
		uint16_t	keys[GPUSTR_MAX_KEYS];
		int			k = 0;
		ListCell   *lc;

		if (!filter_condition(jb, i - 1, &condition))
			condition = truth(jb, GPUSTR_TRUE);
		foreach(lc, join->step[i].outer_keys)
			keys[k++] = key_reg(jb, lfirst(lc));
		probe(jb, i, condition, keys);
	}
	if (filter_condition(jb, join->nsteps - 1, &condition))
		gpustr_builder_result(b, condition);
	else
		gpustr_builder_result(b, -1);
	for (i = 0; i < join->ncolumns; i++)
	{
		if (join->column[i].is_result)
			gpustr_builder_result_column(b, jb->carrier[i].is_text, nresults++, jb->reg[i].reg);
	}
	return gpustr_end_build(jb->build);
}

static GpustrProgram *
try_column_program(JoinBuild *jb)
{
	GpustrProgramBuilder *b;
	GpustrSide	side;
	uint16_t	reg[GPUSTR_MAX_TABLE_COLUMNS] = {0};
	uint16_t	keys[GPUSTR_MAX_KEYS];
	bool		is_key[GPUSTR_MAX_TABLE_COLUMNS] = {false};
	int			i;

	jb->build = gpustr_begin_build(NULL, 0, NULL);
	b = &jb->build->builder;
	gpustr_join_side(jb->plan, jb->join, 0, &side);
	for (i = 0; i < side.nkeys; i++)
		is_key[side.key_column[i]] = true;
	for (i = 0; i < side.ncolumns; i++)
	{
		int			slot_column = side.column[i].slot_column;

		if (!is_key[i] && jb->last_space[slot_column] < 0)
			continue;
		reg[i] = side.column[i].carrier.is_text ? gpustr_builder_column(b, i) :
			gpustr_builder_column_value(b, i);
		if (slot_column >= 0)
			jb->reg[slot_column].reg = reg[i];
	}
	for (i = 0; i < side.nkeys; i++)
		keys[i] = reg[side.key_column[i]];
	probe(jb, 0, truth(jb, GPUSTR_TRUE), keys);
	return end_join(jb);
}

bool
gpustr_join_column_program_fits(const CustomScan *plan, const GpustrJoinPlan *join)
{
	return try_column_program(begin_join(plan, join, &no_tables, DECIDES_ALL)) != NULL;
}

GpustrProgram *
gpustr_join_column_program(const CustomScan *plan, const GpustrJoinPlan *join,
						   const GpustrJoinTables *tables)
{
	GpustrProgram *program = NULL;
	int			decides;

	for (decides = DECIDES_ALL; program == NULL && decides >= DECIDES_NOTHING; decides--)
		program = try_column_program(begin_join(plan, join, tables, (JoinDecides) decides));
	if (program == NULL)
		elog(ERROR, "the program of a GpuJoin with %d columns did not fit", join->ncolumns);
	return program;
}

/* expression_tree_mutator: put columns of the scan's target list in the place of the slot's. */
static Node *
resolve_mutator(Node *node, void *context)
{
	JoinBuild  *jb = context;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && ((Var *) node)->varno == INDEX_VAR)
	{
		const GpustrJoinColumn *column = &jb->join->column[((Var *) node)->varattno - 1];

		return copyObject((Node *) list_nth_node(TargetEntry, jb->scan_tlist,
												 column->resno - 1)->expr);
	}
	return expression_tree_mutator(node, resolve_mutator, context);
}

/* The table's column that a column of the slot is; NULL: it comes from another side. */
static const Var *
scanned_column(const JoinBuild *jb, int column)
{
	const GpustrJoinColumn *c = &jb->join->column[column];

	if (c->side != 0)
		return NULL;
	return castNode(Var, list_nth_node(TargetEntry, jb->scan_tlist, c->resno - 1)->expr);
}

/* The attributes up to which pages are to be decoded. */
static int
last_attribute(const JoinBuild *jb, const GpustrScanClauses *clauses)
{
	int			last = gpustr_last_attribute(clauses);
	int			i;

	for (i = 0; i < jb->join->ncolumns; i++)
	{
		const Var  *var = scanned_column(jb, i);

		if (var != NULL)
			last = Max(last, var->varattno);
	}
	return last;
}

/* That nothing is recheck that is gathered from a row: the condition, and that. */
static uint16_t
firm_condition(JoinBuild *jb, uint16_t condition)
{
	GpustrProgramBuilder *b = &jb->build->builder;
	uint16_t	true_reg = truth(jb, GPUSTR_TRUE);
	int			i;

	for (i = 0; i < jb->join->ncolumns; i++)
	{
		uint16_t	is_null;

		if (jb->join->column[i].side != 0 || jb->last_space[i] < 1)
			continue;
		is_null = gpustr_build_is_null(jb->build, jb->reg[i]).reg;
		condition = gpustr_builder_binary(b, GPUSTR_OP_QUAL, condition,
										  gpustr_builder_binary(b, GPUSTR_OP_OR, is_null, true_reg));
	}
	return condition;
}

static GpustrProgram *
try_page_program(JoinBuild *jb, Relation rel, const GpustrScanClauses *clauses,
				 const GpustrLateValues *late)
{
	const GpustrJoinStep *step = &jb->join->step[0];
	uint16_t	condition;
	uint16_t	keys[GPUSTR_MAX_KEYS];
	int			k = 0;
	int			i;
	ListCell   *lc;

	jb->build = gpustr_begin_build(rel, last_attribute(jb, clauses), late);
	if (jb->decides == DECIDES_ALL)
		condition = gpustr_build_clauses(jb->build, clauses,
										 jb->join->ncolumns * (jb->join->nsteps + 1)).reg;
	else
		condition = truth(jb, GPUSTR_RECHECK);
	for (i = 0; i < jb->join->ncolumns; i++)
	{
		if (jb->join->column[i].side == 0 && jb->last_space[i] >= 0)
			jb->reg[i] = gpustr_build_attribute(jb->build, scanned_column(jb, i)->varattno,
												&jb->carrier[i]);
	}
	foreach(lc, step->outer_keys)
	{
		if (gpustr_plain_key(lfirst(lc)) != NULL)
			keys[k++] = key_reg(jb, lfirst(lc));
		else
			keys[k++] = key_reg(jb, (Expr *) resolve_mutator(lfirst(lc), jb));
	}
	probe(jb, 0, firm_condition(jb, condition), keys);
	return end_join(jb);
}

/* A JoinBuild over the pages of the outer side's table. */
static JoinBuild *
begin_page_join(const CustomScan *plan, const GpustrJoinPlan *join,
				const GpustrJoinTables *tables, JoinDecides decides)
{
	JoinBuild  *jb = begin_join(plan, join, tables, decides);

	jb->scan_tlist = ((Plan *) linitial(plan->custom_plans))->targetlist;
	return jb;
}

bool
gpustr_join_page_program_fits(const CustomScan *plan, const GpustrJoinPlan *join, Relation rel,
							  const GpustrScanClauses *clauses)
{
	return try_page_program(begin_page_join(plan, join, &no_tables, DECIDES_ALL), rel, clauses,
							NULL) != NULL;
}

GpustrProgram *
gpustr_join_page_program(const CustomScan *plan, const GpustrJoinPlan *join,
						 const GpustrJoinTables *tables, Relation rel,
						 const GpustrScanClauses *clauses, const GpustrLateValues *late)
{
	GpustrProgram *program = NULL;
	int			decides;

	for (decides = DECIDES_ALL; program == NULL && decides >= DECIDES_NOTHING; decides--)
		program = try_page_program(begin_page_join(plan, join, tables, (JoinDecides) decides), rel,
								   clauses, late);
	if (program == NULL)
		elog(ERROR, "the program of a GpuJoin with %d columns did not fit", join->ncolumns);
	return program;
}
