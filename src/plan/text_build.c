/*-------------------------------------------------------------------------
 *
 * text_build.c
 *	  Calls of functions of texts as steps of a program.
 *
 * A call's arguments are those of the function's shape (text_function.h), in that
 * order, but for what GPUSTR_HOW_ says.  What a function needs beside them is made
 * here when the program is built.
 *
 * IDENTIFICATION
 *	  src/plan/text_build.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "plan/expr_build.h"
#include "plan/text_build.h"

const char *
gpustr_text_call_refusal(const GpustrFunction *function, List *args, Oid collation)
{
	const char *shape = gpustr_text_function_shape(function->what);
	int			omitted = (function->how & (GPUSTR_HOW_BLANK | GPUSTR_HOW_ONE)) != 0;

	if (shape == NULL || list_length(args) + omitted != (int) strlen(shape))
		elog(ERROR, "unexpected call of function %d of texts", function->what);
	return NULL;
}

/* The register of an argument that the call has; letter: T or V. */
static uint16_t
build_argument(GpustrBuild *build, Node *arg, char letter)
{
	GpustrReg	reg = gpustr_build_expr(build, arg);

	if (letter == 'T' ? reg.kind != GPUSTR_KIND_TEXT : reg.kind == GPUSTR_KIND_TEXT)
		elog(ERROR, "unexpected type of an argument of an offloaded function");
	if (reg.kind == GPUSTR_KIND_BOOL)
		return gpustr_builder_bool_value(&build->builder, reg.reg);
	return reg.reg;
}

/* The register of the argument that the call leaves out. */
static uint16_t
build_omitted(GpustrBuild *build, const GpustrFunction *function)
{
	if (function->how & GPUSTR_HOW_BLANK)
		return gpustr_builder_const_text(&build->builder, GPUSTR_FALSE, " ", 1);
	if (function->how & GPUSTR_HOW_ONE)
		return gpustr_builder_const_value(&build->builder, GPUSTR_FALSE, 1);
	elog(ERROR, "an argument of an offloaded function is missing");
}

/* What the function needs beside its arguments; NULL: nothing. */
static const void *
text_constant(const GpustrFunction *function, List *args, Oid collation, uint32_t *bytes)
{
	*bytes = 0;
	return NULL;
}

GpustrReg
gpustr_build_text_call(GpustrBuild *build, const GpustrFunction *function, List *args,
					   Oid collation)
{
	GpustrProgramBuilder *b = &build->builder;
	GpustrTextFunction number = (GpustrTextFunction) function->what;
	const char *shape = gpustr_text_function_shape(number);
	uint16_t	in[3] = {0, 0, 0};
	const void *constant;
	uint32_t	bytes;
	uint16_t	out;
	int			i;

	for (i = 0; shape[i] != '\0'; i++)
		in[i] = i < list_length(args) ? build_argument(build, list_nth(args, i), shape[i]) :
			build_omitted(build, function);
	constant = text_constant(function, args, collation, &bytes);
	out = gpustr_builder_text_function(b, number, in, constant, bytes);
	if (number <= GPUSTR_TEXT_MAKE_LAST)
		return gpustr_reg(GPUSTR_KIND_TEXT, out);
	if (function->how & GPUSTR_HOW_TRUTH)
		return gpustr_reg(GPUSTR_KIND_BOOL, gpustr_builder_test(b, GPUSTR_OP_VALUE_TRUE, out));
	return gpustr_reg(GPUSTR_KIND_VALUE, out);
}
