/*-------------------------------------------------------------------------
 *
 * program_build.c
 *	  Turn the clauses of a scan into a program, as far as they go.
 *
 * Clauses come in the order in which PostgreSQL would evaluate them.  The
 * program decides them in that order with GPUSTR_OP_QUAL, so that the first
 * one that is not true decides, as in ExecQual().  Between them may stand
 * clauses that stay with PostgreSQL.  Those are evaluated later than
 * PostgreSQL would have, and not at all for rows that the program rules out;
 * so once one of them could raise an error or has a side effect, no later
 * clause is offloaded.
 *
 * After the clauses come the expressions of the target list that the engine
 * computes (output.h), for the rows that pass.
 *
 * Invariants:
 *	- a clause or an expression that does not fit leaves no trace: the builder
 *	  is put back to where it was, and it stays with PostgreSQL;
 *	- the program has room for its last steps, GPUSTR_OP_SELECT and, when the
 *	  scan runs, one output column for each expression that was chosen.
 *
 * IDENTIFICATION
 *	  src/plan/program_build.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>

#include "access/tupdesc_details.h"
#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "nodes/nodeFuncs.h"
#include "nodes/value.h"
#include "optimizer/restrictinfo.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#include "compat.h"
#include "guc.h"
#include "plan/expr_build.h"
#include "plan/literals_build.h"
#include "plan/output.h"
#include "plan/program_build.h"
#include "plan/shippable.h"
#include "plan/union_build.h"

/*
 * Bytes of constants that a program may have, beside its automata, which may be as
 * many times gpustr.max_automaton_size, and automata of literals, which have a limit
 * of their own.  A staging slot that has no room for the
 * program and a page is not used.
 */
#define PROGRAM_CONST_BYTES (64 * 1024)
#define PROGRAM_MAX_AUTOMATA 4

/* Room for the rest: constants that do not fit, at most 32 kB of steps and attributes. */
#define PROGRAM_STEP_BYTES (128 * 1024)

/* Bytes of one missing value, and of all, past which only PostgreSQL has it. */
#define MISSING_VALUE_BYTES (4 * 1024)
#define MISSING_TOTAL_BYTES (16 * 1024)

/* Bytes that an attribute of this alignment code is aligned to. */
static uint8
align_bytes(char attalign)
{
	switch (attalign)
	{
		case TYPALIGN_CHAR:
			return 1;
		case TYPALIGN_SHORT:
			return ALIGNOF_SHORT;
		case TYPALIGN_INT:
			return ALIGNOF_INT;
		default:
			return ALIGNOF_DOUBLE;
	}
}

/*
 * The bytes of a value that tuples older than the column have; what follows
 * the length word of a varlena.
 */
static const char *
missing_bytes(Form_pg_attribute att, Datum *value, Size *bytes)
{
	struct varlena *varlena;

	if (att->attlen > 0)
	{
		char	   *stored = palloc0(Max(att->attlen, sizeof(Datum)));

		*bytes = att->attlen;
		if (!att->attbyval)
			return DatumGetPointer(*value);
		store_att_byval(stored, *value, att->attlen);
		return stored;
	}
	if (att->attlen != -1)
		return NULL;
	varlena = PG_DETOAST_DATUM_PACKED(*value);
	*bytes = VARSIZE_ANY_EXHDR(varlena);
	return VARDATA_ANY(varlena);
}

/*
 * Describe the table's attributes up to 'last'.
 *
 * A tuple older than an added column ends before it; the column's value is
 * then the one that pg_attribute keeps.  A large value stays with PostgreSQL,
 * so that it leaves room for the clauses.
 */
static void
describe_attributes(GpustrProgramBuilder *builder, TupleDesc desc, int last)
{
	AttrMissing *missing = desc->constr ? desc->constr->missing : NULL;
	Size		total = 0;
	int			i;

	for (i = 0; i < last; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);
		uint8		has_missing = 0;
		const char *value = NULL;
		Size		bytes = 0;

		if (missing != NULL && missing[i].am_present)
		{
			value = missing_bytes(att, &missing[i].am_value, &bytes);
			if (value != NULL && bytes <= MISSING_VALUE_BYTES &&
				total + bytes <= MISSING_TOTAL_BYTES)
			{
				has_missing = 1;
				total += bytes;
			}
			else
			{
				has_missing = 2;
				value = NULL;
				bytes = 0;
			}
		}
		gpustr_builder_attr(builder, att->attlen, align_bytes(att->attalign), has_missing,
							value, bytes);
	}
}

static bool
last_attribute_walker(Node *node, int *last)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		*last = Max(*last, ((Var *) node)->varattno);
	return expression_tree_walker(node, last_attribute_walker, last);
}

static uint32
most_automata_bytes(void)
{
	return PROGRAM_MAX_AUTOMATA * 1024 * gpustr_max_automaton_size;
}

GpustrBuild *
gpustr_begin_build(Relation rel, int last, const GpustrLateValues *late)
{
	GpustrBuild *build = palloc(sizeof(GpustrBuild));
	uint32		area_bytes = PROGRAM_CONST_BYTES + PROGRAM_STEP_BYTES + most_automata_bytes() +
	gpustr_literals_max_bytes() + GPUSTR_BUILDER_LIKE_BYTES;

	build->relation = rel ? RelationGetRelid(rel) : InvalidOid;
	build->column = NULL;
	build->column_context = NULL;
	build->late = late;
	build->case_arg = gpustr_reg(GPUSTR_KIND_BOOL, 0);
	build->in_case = false;
	build->unknown_steps = 0;
	build->automata_bytes = 0;
	build->literals_bytes = 0;
	build->tried_bytes = 0;
	build->nmade = 0;
	gpustr_builder_init(&build->builder,
						GetDatabaseEncoding() == PG_UTF8 ? GPUSTR_ENC_UTF8 : GPUSTR_ENC_SINGLE_BYTE,
						palloc(area_bytes), area_bytes);
	if (rel != NULL)
		describe_attributes(&build->builder, RelationGetDescr(rel), last);
	return build;
}

/* How far a build has come.  The builder only ever appends. */
typedef struct BuildMark
{
	uint32_t	used;
	int32_t		nsteps;
	int32_t		ntext;
	int32_t		nvalue;
	int32_t		nbool;
	int			unknown_steps;
	uint32		automata_bytes;
	uint32		literals_bytes;
	uint32		like_bytes;
	int			nmade;
} BuildMark;

static BuildMark
mark_build(const GpustrBuild *build)
{
	const GpustrProgramBuilder *b = &build->builder;
	BuildMark	mark = {b->used, b->nsteps, b->ntext, b->nvalue, b->nbool,
		build->unknown_steps, build->automata_bytes, build->literals_bytes, b->like_bytes,
	build->nmade};

	return mark;
}

/* What is still to come, for which there must be room. */
typedef struct BuildReserve
{
	int			clauses;		/* that are constants: two steps each */
	int			outputs;		/* that are unknown: two steps each */
} BuildReserve;

/* Does what has been added since the mark fit?  If not, take it back. */
static bool
keep_or_undo(GpustrBuild *build, BuildMark mark, BuildReserve reserve)
{
	GpustrProgramBuilder *b = &build->builder;

	if (!b->full &&
		b->used - build->automata_bytes - build->literals_bytes - b->like_bytes <=
		PROGRAM_CONST_BYTES &&
		build->automata_bytes <= most_automata_bytes() &&
		build->literals_bytes <= gpustr_literals_max_bytes() &&
		b->nsteps + 2 * reserve.clauses + 2 * reserve.outputs < GPUSTR_MAX_STEPS &&
		b->nbool + 2 * reserve.clauses <= GPUSTR_MAX_BOOL_REGS &&
		b->ntext + reserve.outputs <= GPUSTR_MAX_TEXT_REGS &&
		b->nvalue + reserve.outputs <= GPUSTR_MAX_VALUE_REGS)
		return true;
	b->full = 0;
	b->used = mark.used;
	b->like_bytes = mark.like_bytes;
	b->nsteps = mark.nsteps;
	b->ntext = mark.ntext;
	b->nvalue = mark.nvalue;
	b->nbool = mark.nbool;
	build->unknown_steps = mark.unknown_steps;
	build->automata_bytes = mark.automata_bytes;
	build->literals_bytes = mark.literals_bytes;
	build->nmade = mark.nmade;
	return false;
}

/* Add a truth to the clause list in *list.  False, and nothing done, if it does not fit. */
static bool
add_truth(GpustrBuild *build, BuildMark mark, GpustrReg truth, bool first, BuildReserve reserve,
		  uint16_t *list)
{
	uint16_t	reg = truth.reg;

	if (!first)
		reg = gpustr_builder_binary(&build->builder, GPUSTR_OP_QUAL, *list, reg);
	if (!keep_or_undo(build, mark, reserve))
		return false;
	*list = reg;
	return true;
}

/*
 * Add the clause 'at' to the clause list in *list, of which 'first' is the first, and those
 * after it that can be decided with it, of 'most' in all.  Returns how many;
 * 0, and nothing done, if it does not fit.
 */
static int
add_clauses(GpustrBuild *build, List *clauses, int at, int most, bool first,
			BuildReserve reserve, uint16_t *list)
{
	BuildMark	mark = mark_build(build);
	GpustrReg	truth;
	int			n = gpustr_build_union(build, false, clauses, at, most, &truth);

	if (n > 0 && add_truth(build, mark, truth, first, reserve, list))
		return n;
	truth = gpustr_build_expr(build, list_nth(clauses, at));
	return add_truth(build, mark, truth, first, reserve, list) ? 1 : 0;
}

/*
 * Add an output column, for the rows that pass the clause list if there is one.
 * False, and nothing done, if it does not fit.
 */
static bool
add_output(GpustrBuild *build, Node *expr, int column, const uint16_t *list,
		   BuildReserve reserve)
{
	BuildMark	mark = mark_build(build);

	gpustr_build_output(build, expr, column);
	if (list != NULL)
		gpustr_builder_only_where(&build->builder, *list);
	return keep_or_undo(build, mark, reserve);
}

/* Steps that look at each row. */
static int
row_steps(const GpustrBuild *build)
{
	int			n = build->unknown_steps;
	int			i;

	for (i = 0; i < build->builder.nsteps; i++)
	{
		uint16_t	op = build->builder.step[i].op;

		n += op != GPUSTR_OP_CONST && op != GPUSTR_OP_CONST_TEXT && op != GPUSTR_OP_CONST_VALUE;
	}
	return n;
}

GpustrProgram *
gpustr_end_build(GpustrBuild *build)
{
	GpustrProgram *program = NULL;
	uint32_t	bytes;

	bytes = gpustr_builder_finish(&build->builder);
	if (bytes > 0)
	{
		program = palloc(bytes);
		memcpy(program, build->builder.area, bytes);
	}
	pfree(build->builder.area);
	pfree(build);
	return program;
}

/* The same of what must fit. */
static GpustrProgram *
end_build(GpustrBuild *build)
{
	int			nsteps = build->builder.nsteps;
	int			nattrs = build->builder.nattrs;
	GpustrProgram *program = gpustr_end_build(build);

	if (program == NULL)
		elog(ERROR, "a program of %d steps over %d attributes did not fit", nsteps, nattrs);
	return program;
}

/*
 * No clause can be offloaded: only say why.  Most tables of most queries end
 * here, before the working memory of a build is allocated.
 */
static bool
all_are_refused(List *clauses, Index varno, GpustrScanClauses *result)
{
	ListCell   *lc;

	foreach(lc, clauses)
	{
		if (gpustr_clause_refusal(lfirst(lc), varno) == NULL)
			return false;
	}
	result->clauses = clauses;
	foreach(lc, clauses)
	{
		result->offloaded = lappend_int(result->offloaded, false);
		result->reasons = lappend(result->reasons,
								  makeString(pstrdup(gpustr_clause_refusal(lfirst(lc), varno))));
	}
	return true;
}

/* What clauses stand behind. */
typedef struct ClausePlace
{
	Index		varno;			/* of the scanned table */
	bool		blocked;		/* one that stays, and is not harmless */
	Index		local_level;	/* least security level of one that stays */
} ClausePlace;

/* Why may clause i not be offloaded there?  NULL: it may. */
static const char *
clause_refusal(const ClausePlace *place, List *clauses, List *rinfos, int i)
{
	RestrictInfo *rinfo = list_nth_node(RestrictInfo, rinfos, i);
	const char *reason = gpustr_clause_refusal(list_nth(clauses, i), place->varno);

	if (reason == NULL && place->blocked)
		reason = "it comes after a clause that may raise an error or has side effects";
	if (reason == NULL && rinfo->security_level > place->local_level && !rinfo->leakproof)
		reason = "it is not leakproof, and a clause that hides rows from it is not offloaded";
	return reason;
}

/* Take note that clause i is not offloaded. */
static void
stays_behind(ClausePlace *place, List *clauses, List *rinfos, int i)
{
	RestrictInfo *rinfo = list_nth_node(RestrictInfo, rinfos, i);

	place->local_level = Min(place->local_level, rinfo->security_level);
	if (!gpustr_clause_is_harmless(list_nth(clauses, i)))
		place->blocked = true;
}

GpustrScanClauses *
gpustr_build_scan_program(Relation rel, Index varno, List *rinfos, List *outputs)
{
	List	   *clauses = get_actual_clauses(rinfos);
	GpustrScanClauses *result = palloc0(sizeof(GpustrScanClauses));
	const BuildReserve none = {0, 0};
	GpustrBuild *build;
	ClausePlace place = {varno, false, UINT_MAX};
	uint16_t	reg = 0;
	int			last = 0;
	int			n;
	int			i;
	int			k;
	ListCell   *lc;

	if (outputs == NIL && all_are_refused(clauses, varno, result))
		return result;
	(void) last_attribute_walker((Node *) outputs, &last);
	foreach(lc, clauses)
	{
		if (gpustr_clause_refusal(lfirst(lc), varno) == NULL)
			last_attribute_walker(lfirst(lc), &last);
	}
	build = gpustr_begin_build(rel, last, NULL);

	result->clauses = clauses;
	for (i = 0; i < list_length(clauses); i += Max(n, 1))
	{
		const char *reason = clause_refusal(&place, clauses, rinfos, i);

		n = 0;
		if (reason == NULL)
		{
			int			most = 1;

			while (most < GPUSTR_MOST_JOINED && i + most < list_length(clauses) &&
				   clause_refusal(&place, clauses, rinfos, i + most) == NULL)
				most++;
			n = add_clauses(build, clauses, i, most, result->noffloaded == 0, none, &reg);
			if (n == 0)
				reason = "the program would be too large";
		}
		result->noffloaded += n;
		if (reason != NULL)
			stays_behind(&place, clauses, rinfos, i);
		for (k = 0; k < Max(n, 1); k++)
		{
			result->offloaded = lappend_int(result->offloaded, reason == NULL);
			result->reasons = lappend(result->reasons,
									  makeString(pstrdup(reason ? reason : "")));
		}
	}

	/* with nothing offloaded, all rows are PostgreSQL's to judge */
	if (result->noffloaded == 0)
		reg = gpustr_build_truth(build, GPUSTR_TRUE).reg;
	gpustr_builder_select(&build->builder, reg);
	foreach(lc, outputs)
	{
		if (add_output(build, lfirst(lc), list_length(result->outputs),
					   result->noffloaded > 0 ? &reg : NULL, none))
			result->outputs = lappend(result->outputs, lfirst(lc));
	}
	result->row_steps = row_steps(build);
	result->program = end_build(build);
	return result;
}

int
gpustr_last_attribute(const GpustrScanClauses *clauses)
{
	int			last = 0;
	ListCell   *lc;
	ListCell   *flag;

	(void) last_attribute_walker((Node *) clauses->outputs, &last);
	forboth(lc, clauses->clauses, flag, clauses->offloaded)
	{
		if (lfirst_int(flag))
			last_attribute_walker(lfirst(lc), &last);
	}
	return last;
}

GpustrReg
gpustr_build_clauses(GpustrBuild *build, const GpustrScanClauses *clauses, int keep)
{
	BuildReserve reserve = {0, keep};
	List	   *offloaded = NIL;
	uint16_t	reg = 0;
	int			n;
	int			i;
	ListCell   *lc;
	ListCell   *flag;

	forboth(lc, clauses->clauses, flag, clauses->offloaded)
	{
		if (lfirst_int(flag))
			offloaded = lappend(offloaded, lfirst(lc));
	}
	for (i = 0; i < list_length(offloaded); i += Max(n, 1))
	{
		int			left = list_length(offloaded) - i;

		reserve.clauses = left - 1;
		n = add_clauses(build, offloaded, i, left, i == 0, reserve, &reg);
		if (n == 0)
		{
			uint16_t	recheck = gpustr_build_truth(build, GPUSTR_RECHECK).reg;

			reg = i == 0 ? recheck :
				gpustr_builder_binary(&build->builder, GPUSTR_OP_QUAL, reg, recheck);
		}
	}
	if (offloaded == NIL)
		return gpustr_build_truth(build, GPUSTR_TRUE);
	return gpustr_reg(GPUSTR_KIND_BOOL, reg);
}

GpustrProgram *
gpustr_build_clause_program(Relation rel, const GpustrScanClauses *clauses,
							const GpustrLateValues *late)
{
	GpustrBuild *build = gpustr_begin_build(rel, gpustr_last_attribute(clauses), late);
	BuildReserve reserve = {0, list_length(clauses->outputs)};
	bool		all_pass = clauses->noffloaded == 0;
	uint16_t	reg = gpustr_build_clauses(build, clauses, reserve.outputs).reg;
	ListCell   *lc;

	gpustr_builder_select(&build->builder, reg);
	foreach(lc, clauses->outputs)
	{
		int			column = foreach_current_index(lc);

		reserve.outputs--;
		if (add_output(build, lfirst(lc), column, all_pass ? NULL : &reg, reserve))
			continue;
		gpustr_build_unknown_output(build, column);
		if (!all_pass)
			gpustr_builder_only_where(&build->builder, reg);
	}
	return end_build(build);
}
