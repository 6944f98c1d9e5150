/*-------------------------------------------------------------------------
 *
 * plan_private.c
 *	  Pack and unpack what a GpuScan's plan carries.
 *
 * Expressions go to custom_exprs and qual, where setrefs.c and subselect.c
 * find their Vars and Params.  custom_private holds nodes that survive
 * copyObject(), outfuncs.c and readfuncs.c; a program is position-independent
 * bytes, so it travels as a bytea constant.
 *
 * IDENTIFICATION
 *	  src/plan/plan_private.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/value.h"
#include "utils/builtins.h"

#include "compat.h"
#include "plan/plan_private.h"

/* Positions in CustomScan.custom_private. */
typedef enum GpustrScanPrivate
{
	GSP_PROGRAM,				/* Const of type bytea */
	GSP_OFFLOADED,				/* integer list: 1 for each clause of
								 * custom_exprs that the program decides */
	GSP_REASONS,				/* String list: why the others are not */
	GSP_COUNT					/* must be last */
} GpustrScanPrivate;

void
gpustr_plan_pack(CustomScan *plan, const GpustrScanClauses *clauses)
{
	Size		bytes = clauses->program->bytes;
	bytea	   *program = palloc(VARHDRSZ + bytes);
	Const	   *program_const;
	ListCell   *lc;
	ListCell   *flag;

	SET_VARSIZE(program, VARHDRSZ + bytes);
	memcpy(VARDATA(program), clauses->program, bytes);
	program_const = makeConst(BYTEAOID, -1, InvalidOid, -1,
							  PointerGetDatum(program), false, false);

	plan->custom_exprs = clauses->clauses;
	plan->scan.plan.qual = NIL;
	forboth(lc, clauses->clauses, flag, clauses->offloaded)
	{
		if (!lfirst_int(flag))
			plan->scan.plan.qual = lappend(plan->scan.plan.qual, lfirst(lc));
	}
	plan->custom_private = list_make3(program_const, clauses->offloaded,
									  clauses->reasons);
	Assert(list_length(plan->custom_private) == GSP_COUNT);
}

GpustrScanClauses *
gpustr_plan_unpack(const CustomScan *plan)
{
	GpustrScanClauses *clauses = palloc0(sizeof(GpustrScanClauses));
	Const	   *program_const;
	bytea	   *program;
	ListCell   *lc;

	Assert(list_length(plan->custom_private) == GSP_COUNT);
	program_const = list_nth_node(Const, plan->custom_private, GSP_PROGRAM);
	program = DatumGetByteaPP(program_const->constvalue);

	clauses->program = palloc(VARSIZE_ANY_EXHDR(program));
	memcpy(clauses->program, VARDATA_ANY(program), VARSIZE_ANY_EXHDR(program));
	clauses->clauses = plan->custom_exprs;
	clauses->offloaded = list_nth(plan->custom_private, GSP_OFFLOADED);
	clauses->reasons = list_nth(plan->custom_private, GSP_REASONS);
	foreach(lc, clauses->offloaded)
		clauses->noffloaded += lfirst_int(lc);

	if (list_length(clauses->clauses) != list_length(clauses->offloaded))
		elog(ERROR, "a GpuScan plan has %d clauses, but %d were planned",
			 list_length(clauses->clauses), list_length(clauses->offloaded));
	return clauses;
}
