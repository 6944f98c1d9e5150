/*-------------------------------------------------------------------------
 *
 * column_build.c
 *	  Columns as registers of a program.
 *
 * A column is an attribute of the scanned table, which a step decodes; or, in a
 * program that has spaces of rows (joins), whatever the build's own look-up says.
 *
 * Invariant: each attribute is decoded once, however many expressions look at it.
 *
 * IDENTIFICATION
 *	  src/plan/column_build.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "plan/expr_build.h"

const GpustrReg *
gpustr_find_made(const GpustrBuild *build, GpustrMade made, int of)
{
	int			i;

	for (i = 0; i < build->nmade; i++)
	{
		if (build->made[i].made == made && build->made[i].of == of)
			return &build->made[i].reg;
	}
	return NULL;
}

GpustrReg
gpustr_remember_made(GpustrBuild *build, GpustrMade made, int of, GpustrReg reg)
{
	if (build->nmade == GPUSTR_MAX_MADE)
		build->builder.full = 1;
	else
	{
		build->made[build->nmade].made = made;
		build->made[build->nmade].of = of;
		build->made[build->nmade].call = NULL;
		build->made[build->nmade++].reg = reg;
	}
	return reg;
}

GpustrReg
gpustr_build_attribute(GpustrBuild *build, AttrNumber attno, const GpustrCarrier *carrier)
{
	GpustrProgramBuilder *b = &build->builder;
	const GpustrReg *found = gpustr_find_made(build, GPUSTR_MADE_COLUMN, attno);
	GpustrReg	reg;

	if (found != NULL)
		return *found;
	if (!carrier->is_text)
		reg = gpustr_reg(GPUSTR_KIND_VALUE, gpustr_builder_decode_value(b, attno, carrier->value));
	else if (carrier->bytes < 0)
		reg = gpustr_reg(GPUSTR_KIND_TEXT, gpustr_builder_decode_text(b, attno));
	else
		reg = gpustr_reg(GPUSTR_KIND_TEXT, gpustr_builder_decode_bytes(b, attno, carrier->cstring));
	return gpustr_remember_made(build, GPUSTR_MADE_COLUMN, attno, reg);
}

/* Its text or value register. */
static GpustrReg
carried_column(GpustrBuild *build, Var *var)
{
	GpustrCarrier carrier;

	if (build->column != NULL)
		return build->column(build->column_context, var);
	carrier = gpustr_carrier(var->vartype);
	return gpustr_build_attribute(build, var->varattno, &carrier);
}

GpustrReg
gpustr_build_column(GpustrBuild *build, Var *var)
{
	const GpustrType *type = gpustr_type(var->vartype);
	GpustrReg	reg = carried_column(build, var);
	const GpustrReg *found;

	if (type == NULL)
		elog(ERROR, "unexpected type of an offloaded column: %u", var->vartype);
	if (type->kind != GPUSTR_KIND_BOOL)
		return reg;
	found = gpustr_find_made(build, GPUSTR_MADE_TRUTH, reg.reg);
	if (found != NULL)
		return *found;
	return gpustr_remember_made(build, GPUSTR_MADE_TRUTH, reg.reg,
								gpustr_reg(GPUSTR_KIND_BOOL,
										   gpustr_builder_test(&build->builder,
															   GPUSTR_OP_VALUE_TRUE, reg.reg)));
}

GpustrReg
gpustr_build_null_column(GpustrBuild *build, Var *var)
{
	const GpustrReg *found;

	if (build->column != NULL)
		return gpustr_build_is_null(build, carried_column(build, var));
	found = gpustr_find_made(build, GPUSTR_MADE_NULL, var->varattno);
	if (found != NULL)
		return *found;
	return gpustr_remember_made(build, GPUSTR_MADE_NULL, var->varattno,
								gpustr_reg(GPUSTR_KIND_BOOL,
										   gpustr_builder_decode_null(&build->builder,
																	  var->varattno)));
}
