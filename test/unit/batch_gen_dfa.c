/*-------------------------------------------------------------------------
 *
 * batch_gen_dfa.c
 *	  Random automata for random programs.
 *
 * An automaton is kept twice: as a program has it, in classes, and as a table
 * by byte, which is what the answers are checked with.
 *
 * IDENTIFICATION
 *	  test/unit/batch_gen_dfa.c
 *
 *-------------------------------------------------------------------------
 */
#include "batch_gen.h"
#include "batch_gen_work.h"

/* A state that a transition may lead to; once in 'absorb' times one that stays. */
static uint16_t
any_state_of(Rng *rng, const GenDfa *dfa, int32_t absorb)
{
	if (dfa->nstates == 2 || rng_one_in(rng, absorb))
		return (uint16_t) rng_below(rng, 2);
	return (uint16_t) (2 + rng_below(rng, dfa->nstates - 2));
}

/* The classes of bytes. */
static void
make_classes(Rng *rng, GenDfa *dfa, int32_t nclasses)
{
	int			runs = rng_one_in(rng, 2);
	int32_t		c = 0;
	int			i;

	for (i = 0; i < 256; i++)
	{
		if (!runs || rng_one_in(rng, 4))
			c = rng_below(rng, nclasses);
		dfa->class_of[i] = (uint8_t) c;
	}
}

/* next[nstates][nclasses]: dense, or most of a state's classes lead to one state. */
static uint16_t *
make_next(Rng *rng, const GenDfa *dfa, int32_t nclasses)
{
	static const int32_t absorbs[] = {2, 20, 1000, 1 << 30};
	int32_t		absorb = absorbs[rng_below(rng, 4)];
	int			sparse = rng_one_in(rng, 2);
	uint16_t   *next = malloc((size_t) dfa->nstates * (size_t) nclasses * sizeof(uint16_t));
	int32_t		s;
	int32_t		c;

	for (s = 0; s < dfa->nstates; s++)
	{
		uint16_t	usual = any_state_of(rng, dfa, absorb);

		for (c = 0; c < nclasses; c++)
			next[s * nclasses + c] = s < 2 ? (uint16_t) s :
				sparse && !rng_one_in(rng, 5) ? usual : any_state_of(rng, dfa, absorb);
	}
	return next;
}

GenDfa *
gen_dfa(Rng *rng, uint32_t max_bytes)
{
	GenDfa	   *dfa = calloc(1, sizeof(GenDfa));
	int			large = max_bytes >= 65536;
	int32_t		max_states = large ? 65535 : 300;
	int32_t		nclasses = 1 + rng_below(rng, rng_one_in(rng, 3) ? 256 : rng_one_in(rng, 2) ? 30 : 5);
	int32_t		gap = 2 * rng_below(rng, 4);
	int			at_end_first = rng_one_in(rng, 2);
	uint32_t	next_bytes;
	uint16_t   *next;
	GpustrDfa  *made;
	int32_t		i;
	int32_t		s;

	/* large ones have many classes, lest the table by byte be huge */
	if (large)
		nclasses = 64 + rng_below(rng, 193);

	/* as many states as there is room for, or fewer */
	s = (int32_t) ((max_bytes - sizeof(GpustrDfa) - 16) / (2 * (uint32_t) nclasses + 1));
	if (s < max_states)
		max_states = s;
	dfa->nstates = 2 + (max_states > 2 ? rng_below(rng, max_states - 1) : 0);
	if (large && rng_one_in(rng, 2))
		dfa->nstates = max_states;
	else if (rng_one_in(rng, 3) && dfa->nstates > 20)
		dfa->nstates = 2 + dfa->nstates / 16;
	dfa->start = dfa->nstates > 2 && !rng_one_in(rng, 50) ? 2 + rng_below(rng, dfa->nstates - 2) :
		rng_below(rng, 2);
	make_classes(rng, dfa, nclasses);
	next = make_next(rng, dfa, nclasses);
	next_bytes = (uint32_t) (dfa->nstates * nclasses) * (uint32_t) sizeof(uint16_t);

	dfa->bytes = (uint32_t) sizeof(GpustrDfa) + (uint32_t) gap + next_bytes + (uint32_t) dfa->nstates;
	if (at_end_first)
		dfa->bytes += 1;
	made = calloc(1, dfa->bytes);
	made->nstates = dfa->nstates;
	made->nclasses = nclasses;
	made->start = dfa->start;
	made->at_end_off = (int32_t) sizeof(GpustrDfa) + gap + (at_end_first ? 0 : (int32_t) next_bytes);
	made->next_off = (int32_t) sizeof(GpustrDfa) + gap +
		(at_end_first ? (dfa->nstates + 1) / 2 * 2 : 0);
	memcpy(made->class_of, dfa->class_of, sizeof(made->class_of));
	memcpy((char *) made + made->next_off, next, next_bytes);

	dfa->next = malloc((size_t) dfa->nstates * 256 * sizeof(uint16_t));
	dfa->at_end = malloc((size_t) dfa->nstates);
	for (s = 0; s < dfa->nstates; s++)
	{
		for (i = 0; i < 256; i++)
			dfa->next[s * 256 + i] = next[s * nclasses + dfa->class_of[i]];
		dfa->at_end[s] = s < 2 ? (uint8_t) s : rng_one_in(rng, 6) ? GPUSTR_RECHECK : (uint8_t) rng_below(rng, 2);
	}
	memcpy((char *) made + made->at_end_off, dfa->at_end, (size_t) dfa->nstates);
	dfa->made = made;
	free(next);
	return dfa;
}

/* Byte by byte to the end, whatever the states. */
GpustrTruth
gen_dfa_truth(const GenDfa *dfa, const char *text, int32_t len)
{
	int32_t		state = dfa->start;
	int32_t		i;

	for (i = 0; i < len; i++)
		state = dfa->next[state * 256 + (unsigned char) text[i]];
	return (GpustrTruth) dfa->at_end[state];
}

void
gen_dfa_free(GenDfa *dfa)
{
	if (dfa == NULL)
		return;
	free(dfa->next);
	free(dfa->at_end);
	free(dfa->made);
	free(dfa);
}

/* DFA, as long as there is room. */
void
gen_dfa_step(GenWork *work)
{
	GenStep    *step = gen_new_step(work, GPUSTR_OP_DFA, gen_any_text(work, GEN_BYTES), 0, rng_below(work->rng, 2));
	uint32_t	most = work->dfa_bytes;

	/* small ones leave room for others */
	if (most < 65536 && most >= 4096 && rng_one_in(work->rng, 2))
		most = 2048;
	step->dfa = gen_dfa(work->rng, most);
	work->dfa_bytes -= step->dfa->bytes;
	if (work->nbool > 0 && rng_one_in(work->rng, 2))
	{
		step->aux = 1;
		step->in2 = gen_any_bool(work);
		step->out = gpustr_builder_dfa_where(&work->builder, step->in0, step->in2, step->dfa->made,
											 step->dfa->bytes, step->attr ? GPUSTR_RECHECK : GPUSTR_TRUE);
	}
	else
		step->out = gpustr_builder_dfa(&work->builder, step->in0, step->dfa->made, step->dfa->bytes,
									   step->attr ? GPUSTR_RECHECK : GPUSTR_TRUE);
}
