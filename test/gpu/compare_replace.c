/*-------------------------------------------------------------------------
 *
 * compare_replace.c
 *	  replace() of constants in both engines, and other functions that take several
 *	  pieces of a text at once.
 *
 * Texts of 0 to 200 bytes, some of 16 kB, of few letters, so that there are places
 * in most of them, one beside the other, and overlapping ones.
 *
 * IDENTIFICATION
 *	  test/gpu/compare_replace.c
 *
 *-------------------------------------------------------------------------
 */
#include "compare_text.h"

/*
 * replace() of a constant by a constant, which has a way of its own, in a column, in
 * what was replaced already, and in rows of which some are recheck; and what else
 * takes several pieces of a text at once.
 */
void
compare_text_replace(Rng *rng, int32_t n, int longs)
{
	TextCase	c = {0};
	uint64_t	program[PROGRAM_WORDS];
	uint64_t	room[INPUTS];
	char		from[40];
	char		to[80];
	int32_t		from_bytes = rng_one_in(rng, 3) ? 1 + rng_below(rng, 40) : 1 + rng_below(rng, 5);
	int32_t		to_bytes = rng_one_in(rng, 3) ? 0 : rng_below(rng, rng_one_in(rng, 3) ? 80 : from_bytes + 3);
	TextWork   *work = calloc(1, sizeof(*work));
	GpustrProgramBuilder *b = &work->builder;
	uint16_t	args[3] = {0, 0, 0};
	uint16_t	flag;
	uint16_t	chosen;
	uint16_t	replaced;
	GpustrBatch *batch;
	Flight		flight;
	int			i;

	memset(&flight, 0, sizeof(flight));
	c.n = n;
	c.few = 1 + rng_below(rng, 5);
	c.long_every = longs ? 100 : 0;
	c.long_bytes = 16384;
	for (i = 0; i < from_bytes; i++)
		from[i] = (char) ('a' + rng_below(rng, rng_one_in(rng, 50) ? 26 : 1 + rng_below(rng, c.few)));
	for (i = 0; i < to_bytes; i++)
		to[i] = (char) ('a' + rng_below(rng, 26));
	work->rng = rng;
	work->encoding = GPUSTR_ENC_UTF8;
	gpustr_builder_init(b, work->encoding, program, sizeof(program));
	for (i = 0; i < INPUTS; i++)
		(void) gpustr_builder_column(b, i);
	flag = gpustr_builder_binary(b, GPUSTR_OP_OR, gpustr_builder_like(b, 0, "%a", 2),
								 gpustr_builder_const(b, GPUSTR_RECHECK));
	chosen = gpustr_builder_choose(b, GPUSTR_OP_CHOOSE_TEXT, flag, 0, 1);
	args[1] = gpustr_builder_const_text(b, GPUSTR_FALSE, from, from_bytes);
	args[2] = gpustr_builder_const_text(b, GPUSTR_FALSE, to, to_bytes);
	replaced = gpustr_builder_text_function(b, GPUSTR_TEXT_REPLACE, args, NULL, 0);
	compare_text_show(work, replaced);
	args[0] = chosen;
	compare_text_show(work, gpustr_builder_text_function(b, GPUSTR_TEXT_REPLACE, args, NULL, 0));
	args[0] = replaced;
	args[1] = gpustr_builder_const_text(b, GPUSTR_FALSE, "a", 1);
	compare_text_show(work, gpustr_builder_text_function(b, GPUSTR_TEXT_REPLACE, args, NULL, 0));
	args[2] = gpustr_builder_const_value(b, GPUSTR_FALSE, 1 + rng_below(rng, 6));
	compare_text_show(work, gpustr_builder_text_function(b, GPUSTR_TEXT_SPLIT_PART, args, NULL, 0));
	args[1] = gpustr_builder_const_value(b, GPUSTR_FALSE, rng_below(rng, 80) - 3);
	compare_text_show(work, gpustr_builder_text_function(b, GPUSTR_TEXT_SUBSTR, args, NULL, 0));
	args[0] = 0;
	compare_text_add(work, 0);
	compare_text_call(work, rng_one_in(rng, 2) ? GPUSTR_TEXT_UPPER : GPUSTR_TEXT_LOWER);
	if (gpustr_builder_finish(b) == 0)
	{
		printf("compare_text: the program of replace() does not fit\n");
		exit(2);
	}
	room[0] = (uint64_t) n * 200 + (longs ? 8 * 16384 : 0);
	room[1] = (uint64_t) n * 8;
	room[2] = (uint64_t) n * 24;
	batch = compare_lay_out(&flight, (const GpustrProgram *) program, n, INPUTS, room, work->nout,
							gpustr_text_room(n, room[0] + room[1] + room[2]) + 1);
	free(work);
	for (i = 0; i < INPUTS; i++)
		compare_text_fill(rng, &c, batch, i, rng_one_in(rng, 2));
	compare_text_run(&flight, batch, compare_text_judge, "replace");
}
