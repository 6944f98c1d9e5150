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
 * Invariants:
 *	- each attribute is decoded once, however many clauses look at it;
 *	- a clause that does not fit leaves no trace: the builder is put back to
 *	  where it was, and the clause stays with PostgreSQL;
 *	- the program has room for its last step, GPUSTR_OP_SELECT.
 *
 * IDENTIFICATION
 *	  src/plan/program_build.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>

#include "access/tupdesc_details.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "nodes/nodeFuncs.h"
#include "nodes/value.h"
#include "optimizer/restrictinfo.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#include "compat.h"
#include "plan/program_build.h"
#include "plan/shippable.h"
#include "program/program_builder.h"

/* Bytes of constants that a program may have; staging slots are far larger. */
#define PROGRAM_CONST_BYTES (64 * 1024)

/* Room for the program: constants, then at most 32 kB of steps and attributes. */
#define PROGRAM_AREA_BYTES (PROGRAM_CONST_BYTES + 128 * 1024)

/* Bytes of one missing value, and of all, past which only PostgreSQL has it. */
#define MISSING_VALUE_BYTES (4 * 1024)
#define MISSING_TOTAL_BYTES (16 * 1024)

/* Registers that hold a decoded attribute. */
typedef struct DecodedAttr
{
	AttrNumber	attno;
	bool		is_null;		/* "is it NULL", a bool register; else text */
	uint16_t	reg;
} DecodedAttr;

#define MAX_DECODED (GPUSTR_MAX_TEXT_REGS + GPUSTR_MAX_BOOL_REGS)

typedef struct BuildState
{
	GpustrProgramBuilder builder;
	int			ndecoded;
	DecodedAttr decoded[MAX_DECODED];
} BuildState;

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
 * Describe the table's attributes up to 'last'.
 *
 * A tuple older than an added column ends before it; the column's value is
 * then the one that pg_attribute keeps.  Only text is ever read, so that of
 * another type the program need only know that it is not NULL.  A large value
 * stays with PostgreSQL too, so that it leaves room for the clauses.
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
		uint8		align = align_bytes(att->attalign);
		uint8		has_missing = 0;
		const char *value = NULL;
		Size		bytes = 0;

		if (missing != NULL && missing[i].am_present)
		{
			has_missing = 2;
			if (gpustr_is_text_type(att->atttypid))
			{
				struct varlena *text = PG_DETOAST_DATUM_PACKED(missing[i].am_value);

				bytes = VARSIZE_ANY_EXHDR(text);
				if (bytes <= MISSING_VALUE_BYTES && total + bytes <= MISSING_TOTAL_BYTES)
				{
					has_missing = 1;
					value = VARDATA_ANY(text);
					total += bytes;
				}
				else
					bytes = 0;
			}
		}
		gpustr_builder_attr(builder, att->attlen, align, has_missing, value, bytes);
	}
}

static uint16_t
decode(BuildState *state, AttrNumber attno, bool is_null)
{
	DecodedAttr *entry;
	int			i;

	for (i = 0; i < state->ndecoded; i++)
	{
		entry = &state->decoded[i];
		if (entry->attno == attno && entry->is_null == is_null)
			return entry->reg;
	}
	if (state->ndecoded == MAX_DECODED)
	{
		state->builder.full = 1;
		return 0;
	}
	entry = &state->decoded[state->ndecoded++];
	entry->attno = attno;
	entry->is_null = is_null;
	if (is_null)
		entry->reg = gpustr_builder_decode_null(&state->builder, attno);
	else
		entry->reg = gpustr_builder_decode_text(&state->builder, attno);
	return entry->reg;
}

static uint16_t build_expr(BuildState *state, Node *expr);

static uint16_t
build_bool_expr(BuildState *state, BoolExpr *expr)
{
	GpustrOp	op = expr->boolop == AND_EXPR ? GPUSTR_OP_AND : GPUSTR_OP_OR;
	uint16_t	reg = build_expr(state, linitial(expr->args));
	ListCell   *lc;

	if (expr->boolop == NOT_EXPR)
		return gpustr_builder_test(&state->builder, GPUSTR_OP_NOT, reg);
	for_each_from(lc, expr->args, 1)
	{
		uint16_t	next = build_expr(state, lfirst(lc));

		reg = gpustr_builder_binary(&state->builder, op, reg, next);
	}
	return reg;
}

static uint16_t
build_text_test(BuildState *state, OpExpr *expr)
{
	GpustrTextTest test;
	const char *value;
	int32		bytes;
	uint16_t	reg;

	gpustr_text_test(expr, &test);
	value = VARDATA_ANY(test.value);
	bytes = VARSIZE_ANY_EXHDR(test.value);
	reg = decode(state, test.attno, false);
	if (test.is_like)
		reg = gpustr_builder_like(&state->builder, reg, value, bytes);
	else
		reg = gpustr_builder_text_eq(&state->builder, reg, value, bytes);
	return test.negated ? gpustr_builder_test(&state->builder, GPUSTR_OP_NOT, reg) : reg;
}

/* A step or several for an expression that shippable.c let pass. */
static uint16_t
build_expr(BuildState *state, Node *expr)
{
	switch (nodeTag(expr))
	{
		case T_BoolExpr:
			return build_bool_expr(state, (BoolExpr *) expr);
		case T_OpExpr:
			return build_text_test(state, (OpExpr *) expr);
		case T_NullTest:
			{
				NullTest   *test = (NullTest *) expr;
				Node	   *arg = (Node *) test->arg;
				uint16_t	reg;

				while (IsA(arg, RelabelType))
					arg = (Node *) ((RelabelType *) arg)->arg;
				reg = decode(state, castNode(Var, arg)->varattno, true);
				if (test->nulltesttype == IS_NOT_NULL)
					reg = gpustr_builder_test(&state->builder, GPUSTR_OP_NOT, reg);
				return reg;
			}
		case T_Const:
			{
				Const	   *value = (Const *) expr;

				return gpustr_builder_const(&state->builder,
											value->constisnull ? GPUSTR_NULL :
											DatumGetBool(value->constvalue) ? GPUSTR_TRUE :
											GPUSTR_FALSE);
			}
		default:
			elog(ERROR, "unexpected node type in an offloaded clause: %d",
				 (int) nodeTag(expr));
			return 0;
	}
}

/* Does the builder still hold, with room for one more step? */
static bool
still_fits(const GpustrProgramBuilder *builder)
{
	return !builder->full && builder->nsteps < GPUSTR_MAX_STEPS &&
		builder->used <= PROGRAM_CONST_BYTES;
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

GpustrScanClauses *
gpustr_build_scan_program(Relation rel, Index varno, List *rinfos)
{
	List	   *clauses = get_actual_clauses(rinfos);
	GpustrScanClauses *result = palloc0(sizeof(GpustrScanClauses));
	BuildState *state;
	BuildState *saved;
	char	   *area;
	bool		blocked = false;
	Index		local_level = UINT_MAX; /* least of a clause that stays */
	bool		first = true;
	uint16_t	reg = 0;
	int			last = 0;
	ListCell   *lc;
	ListCell   *rc;

	if (all_are_refused(clauses, varno, result))
		return result;
	state = palloc(sizeof(BuildState));
	saved = palloc(sizeof(BuildState));
	area = palloc(PROGRAM_AREA_BYTES);
	state->ndecoded = 0;
	gpustr_builder_init(&state->builder,
						GetDatabaseEncoding() == PG_UTF8 ? GPUSTR_ENC_UTF8 : GPUSTR_ENC_SINGLE_BYTE,
						area, PROGRAM_AREA_BYTES);

	foreach(lc, clauses)
	{
		if (gpustr_clause_refusal(lfirst(lc), varno) == NULL)
			last_attribute_walker(lfirst(lc), &last);
	}
	describe_attributes(&state->builder, RelationGetDescr(rel), last);

	result->clauses = clauses;
	forboth(lc, clauses, rc, rinfos)
	{
		Node	   *clause = lfirst(lc);
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, rc);
		const char *reason = gpustr_clause_refusal(clause, varno);

		if (reason == NULL && blocked)
			reason = "it comes after a clause that may raise an error or has side effects";
		if (reason == NULL && rinfo->security_level > local_level && !rinfo->leakproof)
			reason = "it is not leakproof, and a clause that hides rows from it is not offloaded";
		if (reason == NULL)
		{
			uint16_t	next;

			memcpy(saved, state, sizeof(BuildState));
			next = build_expr(state, clause);
			if (!first)
				next = gpustr_builder_binary(&state->builder, GPUSTR_OP_QUAL, reg, next);
			if (still_fits(&state->builder))
			{
				reg = next;
				first = false;
				result->noffloaded++;
			}
			else
			{
				memcpy(state, saved, sizeof(BuildState));
				reason = "the program would be too large";
			}
		}
		if (reason != NULL)
		{
			local_level = Min(local_level, rinfo->security_level);
			if (!gpustr_clause_is_harmless(clause))
				blocked = true;
		}
		result->offloaded = lappend_int(result->offloaded, reason == NULL);
		result->reasons = lappend(result->reasons,
								  makeString(pstrdup(reason ? reason : "")));
	}

	/* with nothing offloaded, all rows are PostgreSQL's to judge */
	if (first)
		reg = gpustr_builder_const(&state->builder, GPUSTR_TRUE);
	gpustr_builder_select(&state->builder, reg);
	if (gpustr_builder_finish(&state->builder) == 0)
		elog(ERROR, "a program of %d steps over %d attributes did not fit",
			 state->builder.nsteps, last);
	result->program = (GpustrProgram *) area;

	pfree(saved);
	pfree(state);
	return result;
}
