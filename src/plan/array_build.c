/*-------------------------------------------------------------------------
 *
 * array_build.c
 *	  Turn op ANY and op ALL into the steps of a program.
 *
 * Equality with any of a list, and its contrary, is membership in a set, which
 * the engines search; other operators become a chain of tests joined by OR or
 * AND, in the array's order, as PostgreSQL evaluates them (several_build.c).
 *
 * PostgreSQL's rules: a NULL array gives NULL; an empty one gives false to ANY
 * and true to ALL, even for a NULL operand.  Else a NULL operand gives NULL.
 * A NULL element gives NULL where no other decides.
 *
 * IDENTIFICATION
 *	  src/plan/array_build.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "plan/expr_build.h"
#include "plan/several_build.h"
#include "plan/shippable.h"

/* More elements than fit into any program. */
#define MAX_ELEMENTS 65536

typedef struct Bytes
{
	const char *at;
	int32_t		bytes;
} Bytes;

static int
compare_bytes(const void *a, const void *b)
{
	const Bytes *x = a;
	const Bytes *y = b;
	int			order = memcmp(x->at, y->at, Min(x->bytes, y->bytes));

	return order != 0 ? order : (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static int
compare_values(const void *a, const void *b)
{
	int64_t		x = *(const int64_t *) a;
	int64_t		y = *(const int64_t *) b;

	return (x > y) - (x < y);
}

static GpustrReg
build_text_set(GpustrBuild *build, GpustrReg left, const GpustrFixed *elements, int n, bool trim)
{
	Bytes	   *list = palloc_array(Bytes, n);
	const char **values = palloc_array(const char *, n);
	int32_t    *lengths = palloc_array(int32_t, n);
	int			used = 0;
	int			unique = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		if (elements[i].isnull)
			continue;
		list[used].at = gpustr_fixed_bytes(&elements[i], trim, &list[used].bytes);
		used++;
	}
	qsort(list, used, sizeof(Bytes), compare_bytes);
	for (i = 0; i < used; i++)
	{
		if (i > 0 && compare_bytes(&list[i - 1], &list[i]) == 0)
			continue;
		values[unique] = list[i].at;
		lengths[unique++] = list[i].bytes;
	}
	return gpustr_reg(GPUSTR_KIND_BOOL,
					  gpustr_builder_in_text(&build->builder, left.reg, unique, values, lengths,
											 used < n));
}

static GpustrReg
build_value_set(GpustrBuild *build, GpustrReg left, const GpustrFixed *elements, int n)
{
	int64_t    *values = palloc_array(int64_t, n);
	int			used = 0;
	int			unique = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		if (!elements[i].isnull)
			values[used++] = gpustr_fixed_value(&elements[i]);
	}
	qsort(values, used, sizeof(int64_t), compare_values);
	for (i = 0; i < used; i++)
	{
		if (unique == 0 || values[unique - 1] != values[i])
			values[unique++] = values[i];
	}
	return gpustr_reg(GPUSTR_KIND_BOOL,
					  gpustr_builder_in_value(&build->builder, left.reg, unique, values, used < n));
}

GpustrReg
gpustr_build_array_op(GpustrBuild *build, ScalarArrayOpExpr *op)
{
	const GpustrFunction *function = gpustr_function(op->opfuncid);
	GpustrFixed fixed;
	GpustrFixed *elements;
	ArrayType  *array;
	GpustrReg	left;
	GpustrReg	reg;
	int			n;

	if (function == NULL || !gpustr_fixed(build, lsecond(op->args), &fixed))
		elog(ERROR, "unexpected ANY or ALL in an offloaded clause: %u", op->opfuncid);
	if (!fixed.known)
		return gpustr_build_unknown_test(build);

	left = gpustr_build_operand(build, function, 0, linitial(op->args));
	if (fixed.isnull)
		return gpustr_build_unless_recheck(build, left, GPUSTR_NULL);
	array = DatumGetArrayTypeP(fixed.value);
	n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	if (n == 0)
		return gpustr_build_unless_recheck(build, left, op->useOr ? GPUSTR_FALSE : GPUSTR_TRUE);
	if (n > MAX_ELEMENTS)
	{
		build->builder.full = 1;
		return left;
	}

	elements = gpustr_array_elements(array, &n);
	if (!gpustr_is_set_test(function, op->useOr))
		return gpustr_build_list(build, function, op->inputcollid, op->useOr, left, elements, n);
	if (left.kind == GPUSTR_KIND_TEXT)
		reg = build_text_set(build, left, elements, n,
							 (function->flags & GPUSTR_FLAG_TRIM) != 0);
	else
		reg = build_value_set(build, left, elements, n);
	return op->useOr ? reg : gpustr_build_not(build, reg);
}
