/*-------------------------------------------------------------------------
 *
 * batch_gen_text.c
 *	  Functions of texts in random programs, and what they must give.
 *
 * There is as much memory for what a step makes as gpustr_text_room() says.
 * What could take more is not generated, since which rows would be recheck for
 * want of it is the engine's choice.
 *
 * IDENTIFICATION
 *	  test/unit/batch_gen_text.c
 *
 *-------------------------------------------------------------------------
 */
#include "batch_gen_text.h"
#include "batch_gen_work.h"
#include "naive_text_call.h"
#include "text_gen.h"

/*
 * What a made text may take: of gpustr_text_room(), less something for what an
 * engine leaves unused between texts.
 */
#define MOST_INPUTS 2
#define MOST_ROW_BYTES 48

/* The longest text that is a constant here. */
#define CONSTANT_BYTES 12

/* Texts that have been made of the row at hand. */
static char made_texts[1 << 20];
static size_t made_bytes;

/* Functions whose arguments are all texts or values of any register. */
static const int functions[] = {
	GPUSTR_TEXT_SUBSTR, GPUSTR_TEXT_SUBSTR_FROM, GPUSTR_TEXT_LEFT, GPUSTR_TEXT_RIGHT,
	GPUSTR_TEXT_BTRIM, GPUSTR_TEXT_LTRIM, GPUSTR_TEXT_RTRIM, GPUSTR_TEXT_SPLIT_PART,
	GPUSTR_TEXT_UPPER, GPUSTR_TEXT_LOWER, GPUSTR_TEXT_INITCAP, GPUSTR_TEXT_CONCAT,
	GPUSTR_TEXT_REPLACE, GPUSTR_TEXT_TRANSLATE, GPUSTR_TEXT_LPAD, GPUSTR_TEXT_RPAD,
	GPUSTR_TEXT_REPEAT, GPUSTR_TEXT_REVERSE, GPUSTR_TEXT_CHR, GPUSTR_TEXT_TO_HEX4,
	GPUSTR_TEXT_TO_HEX8, GPUSTR_TEXT_FROM_INT, GPUSTR_TEXT_FROM_BOOL, GPUSTR_TEXT_FROM_DATE,
	GPUSTR_TEXT_FROM_UUID, GPUSTR_TEXT_MD5, GPUSTR_TEXT_SHA256, GPUSTR_TEXT_POSITION,
	GPUSTR_TEXT_ASCII, GPUSTR_TEXT_TO_INT2, GPUSTR_TEXT_TO_INT4, GPUSTR_TEXT_TO_INT8,
	GPUSTR_TEXT_TO_DATE, GPUSTR_TEXT_REGEX_SUBSTR, GPUSTR_TEXT_REGEX_REPLACE, GPUSTR_TEXT_REGEX_COUNT,
	GPUSTR_TEXT_REGEX_INSTR, GPUSTR_TEXT_FROM_FLOAT8, GPUSTR_TEXT_FROM_TIMESTAMP, GPUSTR_TEXT_TO_UUID,
	GPUSTR_TEXT_HEX, GPUSTR_TEXT_TO_FLOAT4, GPUSTR_TEXT_TO_FLOAT8, GPUSTR_TEXT_GET_BYTE
};
#define NFUNCTIONS ((int) (sizeof(functions) / sizeof(functions[0])))

/* A new text register with a constant, of n bytes. */
static uint16_t
constant_text(GenWork *work, const char *text, int32_t n)
{
	GenStep    *step = gen_new_step(work, GPUSTR_OP_CONST_TEXT, 0, 0, GPUSTR_FALSE);

	memcpy(step->value, text, (size_t) n);
	step->value_bytes = n;
	step->out = gpustr_builder_const_text(&work->builder, GPUSTR_FALSE, text, n);
	work->text_kind[work->ntext] = GEN_TEXT;
	work->text_bound[work->ntext].inputs = 0;
	work->text_bound[work->ntext++].row_bytes = n;
	return step->out;
}

/* Alike, with a random text of at most CONSTANT_BYTES. */
static uint16_t
any_constant_text(GenWork *work, int32_t *n)
{
	char		text[CONSTANT_BYTES];

	*n = test_text(work->rng, text, rng_below(work->rng, rng_one_in(work->rng, 3) ? CONSTANT_BYTES + 1 : 4),
				   work->letters);
	return constant_text(work, text, *n);
}

/* A new value register with a constant. */
static uint16_t
constant_value(GenWork *work, int64_t value)
{
	GenStep    *step = gen_new_step(work, GPUSTR_OP_CONST_VALUE, 0, 0, GPUSTR_FALSE);

	step->number[0] = value;
	step->out = gpustr_builder_const_value(&work->builder, GPUSTR_FALSE, value);
	work->is_float4[work->nvalue++] = 0;
	return step->out;
}

/* What a function makes, at most.  args: those that are chosen already. */
static GenTextBound
bound_of(GenWork *work, int function, const uint16_t *args)
{
	GenTextBound bound = work->text_bound[args[0]];

	switch (function)
	{
		case GPUSTR_TEXT_UPPER:
		case GPUSTR_TEXT_LOWER:
		case GPUSTR_TEXT_INITCAP:
			/* the two bytes of a character may become four */
			bound.inputs *= 2;
			bound.row_bytes *= 2;
			break;
		case GPUSTR_TEXT_HEX:
			bound.inputs *= 2;
			bound.row_bytes *= 2;
			break;
		case GPUSTR_TEXT_CONCAT:
			bound.inputs += work->text_bound[args[1]].inputs;
			bound.row_bytes += work->text_bound[args[1]].row_bytes;
			break;
		case GPUSTR_TEXT_SHA256:
		case GPUSTR_TEXT_MD5:
		case GPUSTR_TEXT_FROM_UUID:
		case GPUSTR_TEXT_TO_UUID:
			bound.inputs = 0;
			bound.row_bytes = 36;
			break;
		default:
			if (gpustr_text_function_shape(function)[0] == 'V')
			{
				bound.inputs = 0;
				bound.row_bytes = 32;
			}
			break;
	}
	return bound;
}

/* Is there an argument that has to be a constant, for the bound's sake?  Choose all. */
static void
choose_args(GenWork *work, int function, uint16_t *args)
{
	Rng		   *rng = work->rng;
	GenTextKind kind = work->gen->encoding == GPUSTR_ENC_UTF8 ? GEN_TEXT : GEN_BYTES;
	const char *shape = gpustr_text_function_shape(function);
	int32_t		n;
	int			i;

	if (function == GPUSTR_TEXT_FROM_UUID || function == GPUSTR_TEXT_MD5 || function == GPUSTR_TEXT_SHA256 ||
		(function >= GPUSTR_TEXT_TO_INT2 && function <= GPUSTR_TEXT_TO_DATE) || function == GPUSTR_TEXT_TO_UUID ||
		function == GPUSTR_TEXT_HEX || function >= GPUSTR_TEXT_TO_FLOAT4)
		kind = GEN_BYTES;
	for (i = 0; shape[i] != '\0'; i++)
		args[i] = shape[i] == 'T' ? gen_any_text(work, kind) : gen_any_value(work);
	if (i > 1 && shape[1] == 'T' && function != GPUSTR_TEXT_CONCAT && rng_one_in(rng, 2))
		args[1] = any_constant_text(work, &n);
	for (i = 1; i < 3 && shape[1] != '\0' && shape[i] == 'V'; i++)
		if (rng_one_in(rng, 2))
			args[i] = constant_value(work, rng_below(rng, 14) - 4);
	switch (function)
	{
		case GPUSTR_TEXT_REPLACE:
			/* no longer than what it replaces, which may be anything then */
			args[1] = any_constant_text(work, &n);
			args[2] = constant_text(work, "<**********>", rng_below(rng, n + 1));
			break;
		case GPUSTR_TEXT_REGEX_REPLACE:

			/*
			 * there may be more matches than characters, but the matches are
			 * no longer
			 */
			args[1] = constant_text(work, "\\&", 2 * rng_below(rng, 2));
			break;
		case GPUSTR_TEXT_TRANSLATE:
			args[2] = constant_text(work, "xyzabcABC-_ ", rng_below(rng, CONSTANT_BYTES + 1));
			break;
		case GPUSTR_TEXT_LPAD:
		case GPUSTR_TEXT_RPAD:
			args[1] = constant_value(work, rng_below(rng, 14) - 2);
			args[2] = any_constant_text(work, &n);
			break;
		case GPUSTR_TEXT_REPEAT:
			args[1] = constant_value(work, rng_below(rng, 4) - 1);
			break;
		case GPUSTR_TEXT_CHR:
			if (rng_one_in(rng, 2))
				args[0] = constant_value(work, text_gen_codes[rng_below(rng, 6)]);
			break;
		case GPUSTR_TEXT_FROM_DATE:
			if (rng_one_in(rng, 2))
				args[0] = constant_value(work, text_gen_number(rng) >> 32);
			break;
		case GPUSTR_TEXT_FROM_FLOAT8:
			if (rng_one_in(rng, 2))
				args[0] = constant_value(work, text_gen_float(rng, 0));
			break;
		case GPUSTR_TEXT_TO_FLOAT4:
		case GPUSTR_TEXT_TO_FLOAT8:
		case GPUSTR_TEXT_TO_UUID:
			if (rng_one_in(rng, 2))
			{
				char		text[TEXT_GEN_BYTES];

				n = function == GPUSTR_TEXT_TO_UUID ? text_gen_uuid_text(rng, text) : text_gen_float_text(rng, text);
				args[0] = constant_text(work, text, n);
			}
			break;
	}
}

/* The kind of text that a function makes. */
static GenTextKind
kind_of(GenWork *work, int function, const uint16_t *args)
{
	const char *shape = gpustr_text_function_shape(function);
	GenTextKind kind = GEN_TEXT;
	int			i;

	if (function == GPUSTR_TEXT_SHA256 || function == GPUSTR_TEXT_TO_UUID)
		return GEN_BYTES;
	if (function == GPUSTR_TEXT_MD5 || function == GPUSTR_TEXT_FROM_UUID || function == GPUSTR_TEXT_HEX)
		return GEN_TEXT;
	if (work->gen->encoding != GPUSTR_ENC_UTF8 && function == GPUSTR_TEXT_CHR)
		return GEN_BYTES;
	for (i = 0; shape[i] != '\0'; i++)
		if (shape[i] == 'T' && work->text_kind[args[i]] < kind)
			kind = work->text_kind[args[i]];
	return kind;
}

void
gen_text_function(GenWork *work)
{
	int			function = functions[rng_below(work->rng, NFUNCTIONS)];
	int			makes = function <= GPUSTR_TEXT_MAKE_LAST;
	uint16_t	args[3] = {0, 0, 0};
	GenTextBound bound;
	_Alignas(8) char constant[TEXT_GEN_MAP_BYTES];
	GenStep    *step;

	/* room for this one, and for what else may come */
	if (work->ntext + 3 > GPUSTR_MAX_TEXT_REGS - 12 || work->nvalue + 3 > GPUSTR_MAX_VALUE_REGS - 24 ||
		(work->nvalue == 0 && strchr(gpustr_text_function_shape(function), 'V') != NULL))
		return;
	choose_args(work, function, args);
	bound = bound_of(work, function, args);
	if (function == GPUSTR_TEXT_REPEAT)
	{
		bound.inputs *= 2;
		bound.row_bytes *= 2;
	}
	else if (function == GPUSTR_TEXT_LPAD || function == GPUSTR_TEXT_RPAD)
		bound.row_bytes += 44;
	if (makes && (bound.inputs > MOST_INPUTS || bound.row_bytes > MOST_ROW_BYTES))
		return;
	step = gen_new_step(work, makes ? GPUSTR_OP_TEXT_MAKE : GPUSTR_OP_TEXT_MEASURE, args[0], args[1], 0);
	step->in2 = args[2];
	step->aux = (uint16_t) function;
	step->constant_bytes = text_gen_constant(work->rng, function, work->gen->encoding, constant);
	if (step->constant_bytes > 0)
	{
		step->constant = malloc(step->constant_bytes);
		memcpy(step->constant, constant, step->constant_bytes);
	}
	step->out = gpustr_builder_text_function(&work->builder, (GpustrTextFunction) function, args,
											 step->constant, step->constant_bytes);
	if (!makes)
	{
		work->is_float4[work->nvalue++] = 0;
		return;
	}
	work->text_bound[work->ntext] = bound;
	work->text_kind[work->ntext++] = kind_of(work, function, args);
}

int
gen_text_call(const GenStep *step, int32_t encoding, const GenTextCall *call, GenTextAnswer *answer)
{
	static NaiveAnswer naive;
	RowfnArgs	args;
	int			i;

	memset(&args, 0, sizeof(args));
	for (i = 0; i < 3; i++)
	{
		args.text[i].s = call->text[i];
		args.text[i].len = call->len[i];
		args.value[i] = call->value[i];
	}
	args.constant = step->constant;
	args.encoding = encoding;
	naive_text_function(step->aux, &args, &naive);
	if (naive.recheck)
		return 0;
	answer->value = naive.value;
	if (step->op != GPUSTR_OP_TEXT_MAKE)
		return 1;
	if (naive.value > NAIVE_MAX_BYTES || made_bytes + (size_t) naive.value > sizeof(made_texts))
	{
		printf("# a text of %lld bytes\n", (long long) naive.value);
		exit(2);
	}
	memcpy(made_texts + made_bytes, naive.text, (size_t) naive.value);
	answer->text = made_texts + made_bytes;
	made_bytes += (size_t) naive.value;
	return 1;
}

void
gen_text_reset(void)
{
	made_bytes = 0;
}

GenStep *
gen_find_all(GenWork *work, GenTextKind kind, int32_t column)
{
	GenStep    *step = gen_new_step(work, GPUSTR_OP_FIND_ALL,
									gen_any_text(work, rng_one_in(work->rng, 2) ? kind : GEN_BYTES), 0, column);

	step->value_bytes = 0;
	while (step->value_bytes == 0)
		step->value_bytes = test_text(work->rng, step->value, 1 + rng_below(work->rng, 5), work->letters);
	gpustr_builder_find_all(&work->builder, column, step->in0, step->value, step->value_bytes);
	return step;
}
