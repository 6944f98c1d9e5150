/*-------------------------------------------------------------------------
 *
 * fixed_build.c
 *	  Constants and late values as registers of a program.
 *
 * IDENTIFICATION
 *	  src/plan/fixed_build.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"

#include "compat.h"
#include "plan/expr_build.h"

/* If the expression is a constant or a late value, what is known of it. */
bool
gpustr_fixed(GpustrBuild *build, Node *expr, GpustrFixed *fixed)
{
	if (IsA(expr, Const))
	{
		Const	   *constant = (Const *) expr;

		fixed->known = true;
		fixed->isnull = constant->constisnull;
		fixed->value = constant->constvalue;
		fixed->type = constant->consttype;
		return true;
	}
	if (IsA(expr, Var) || !gpustr_is_late(expr))
		return false;
	fixed->type = exprType(expr);
	fixed->isnull = true;
	fixed->value = (Datum) 0;
	fixed->known = build->late != NULL &&
		build->late->lookup(build->late->context, expr, &fixed->value, &fixed->isnull);
	return true;
}

/* The 64 bits of a bool or a value that is not NULL. */
int64_t
gpustr_fixed_value(const GpustrFixed *fixed)
{
	double		number;
	int64_t		bits;

	switch (gpustr_type(fixed->type)->value)
	{
		case GPUSTR_VALUE_BOOL:
			return DatumGetBool(fixed->value);
		case GPUSTR_VALUE_CHAR:
			return (uint8) DatumGetChar(fixed->value);
		case GPUSTR_VALUE_INT2:
			return DatumGetInt16(fixed->value);
		case GPUSTR_VALUE_INT4:
			return DatumGetInt32(fixed->value);
		case GPUSTR_VALUE_INT8:
			return DatumGetInt64(fixed->value);
		case GPUSTR_VALUE_OID:
			return DatumGetObjectId(fixed->value);
		case GPUSTR_VALUE_FLOAT4:
			number = DatumGetFloat4(fixed->value);
			break;
		default:
			number = DatumGetFloat8(fixed->value);
			break;
	}
	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

/* The bytes of a text that is not NULL. */
const char *
gpustr_fixed_bytes(const GpustrFixed *fixed, bool trim, int32_t *bytes)
{
	const GpustrType *type = gpustr_type(fixed->type);
	const char *at;

	if (type->bytes < 0)
	{
		struct varlena *value = PG_DETOAST_DATUM_PACKED(fixed->value);

		at = VARDATA_ANY(value);
		*bytes = VARSIZE_ANY_EXHDR(value);
	}
	else
	{
		at = DatumGetPointer(fixed->value);
		*bytes = type->cstring ? strnlen(at, type->bytes) : type->bytes;
	}
	while (trim && *bytes > 0 && at[*bytes - 1] == ' ')
		(*bytes)--;
	return at;
}

GpustrReg
gpustr_build_fixed(GpustrBuild *build, const GpustrFixed *fixed, bool trim)
{
	GpustrProgramBuilder *b = &build->builder;
	const GpustrType *type = gpustr_type(fixed->type);
	GpustrTruth state = !fixed->known ? GPUSTR_RECHECK : fixed->isnull ? GPUSTR_NULL : GPUSTR_FALSE;
	bool		value = fixed->known && !fixed->isnull;

	if (type == NULL)
		elog(ERROR, "unexpected type of an offloaded constant: %u", fixed->type);
	if (type->kind == GPUSTR_KIND_TEXT)
	{
		const char *at = "";
		int32_t		bytes = 0;

		if (value)
			at = gpustr_fixed_bytes(fixed, trim, &bytes);
		return gpustr_reg(GPUSTR_KIND_TEXT, gpustr_builder_const_text(b, state, at, bytes));
	}
	if (type->kind == GPUSTR_KIND_VALUE)
		return gpustr_reg(GPUSTR_KIND_VALUE,
						  gpustr_builder_const_value(b, state, value ? gpustr_fixed_value(fixed) : 0));
	if (value && DatumGetBool(fixed->value))
		state = GPUSTR_TRUE;
	return gpustr_build_truth(build, state);
}
