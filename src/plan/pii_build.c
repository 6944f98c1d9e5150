/*-------------------------------------------------------------------------
 *
 * pii_build.c
 *	  Calls of gpustr.redact_pii() as steps of a program.
 *
 * The kinds are a constant, or a value that is known when the scan runs.  For an array
 * that names no kinds, or does not name them as it should, see kinds_of() in
 * redact_pii.c; PostgreSQL raises that error, when a row comes to it.
 *
 * IDENTIFICATION
 *	  src/plan/pii_build.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "plan/pii_build.h"
#include "sqlfn/redact_pii.h"

const char *
gpustr_pii_refusal(Node *kinds)
{
	if (!IsA(kinds, Const))
		return gpustr_is_late(kinds) ? NULL : "the kinds are not a constant";
	if (!((Const *) kinds)->constisnull &&
		gpustr_pii_kinds(DatumGetArrayTypeP(((Const *) kinds)->constvalue)) < 0)
		return "the kinds are invalid";
	return NULL;
}

GpustrReg
gpustr_build_pii(GpustrBuild *build, List *args)
{
	GpustrProgramBuilder *b = &build->builder;
	GpustrFixed fixed;
	GpustrReg	value;
	uint16_t	none;
	int32		kinds;

	if (!gpustr_fixed(build, lsecond(args), &fixed))
		elog(ERROR, "the kinds of personal data have become variable");
	value = gpustr_build_expr(build, linitial(args));
	if (fixed.known && fixed.isnull)
	{
		none = gpustr_builder_const_text(b, GPUSTR_NULL, "", 0);
		return gpustr_build_choose(build, gpustr_build_unless_recheck(build, value, GPUSTR_TRUE),
								   gpustr_reg(GPUSTR_KIND_TEXT, none), value);
	}
	kinds = fixed.known ? gpustr_pii_kinds(DatumGetArrayTypeP(fixed.value)) : -1;
	if (kinds < 0)
	{
		build->unknown_steps += !fixed.known;
		return gpustr_reg(GPUSTR_KIND_TEXT, gpustr_builder_const_text(b, GPUSTR_RECHECK, "", 0));
	}
	if (kinds == 0)
		return value;
	return gpustr_reg(GPUSTR_KIND_TEXT,
					  gpustr_builder_text_function(b, GPUSTR_TEXT_REDACT_PII, &value.reg,
												   &kinds, sizeof(kinds)));
}
