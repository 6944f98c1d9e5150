/*-------------------------------------------------------------------------
 *
 * compare_damage.c
 *	  Bodies that break the contract, or do so nearly: a word of them is changed.
 *
 * Both engines must refuse such a body, or take it and give the same results.  There
 * is one thing that engines need not look for: that the automaton which follows a
 * pattern of LIKE or ILIKE says the same as the pattern.  The host engine compares
 * with the pattern, the CUDA engine runs the automaton.  So where the results differ
 * they must be, bit for bit, those of the host engine when it runs the automata, too.
 *
 * IDENTIFICATION
 *	  test/gpu/compare_damage.c
 *
 *-------------------------------------------------------------------------
 */
#include "compare.h"

/* Are the results of a run in 'body' those of the CUDA engine? */
static int
is_same(const Flight *flight, const char *body, const EngineRequest *request)
{
	return request->error.code == ENGINE_OK && gen_compare(flight->body, body) &&
		request->rechecks == flight->cuda.rechecks && request->bytes_out == flight->cuda.bytes_out;
}

static const char *
judge_damaged(const Flight *flight)
{
	EngineRequest request;
	char	   *body;
	int			same;

	if (is_same(flight, flight->copy, &flight->host))
		return NULL;
	body = compare_allocate_body(flight->body_bytes);
	memcpy(body, flight->copy, flight->body_bytes);
	gen_poison((GpustrBatch *) body, 0x69);
	memset(&request, 0, sizeof(request));
	request.body = body;
	request.body_bytes = flight->body_bytes;
	same = gen_use_automata(body) > 0;
	if (same)
	{
		compare_run_host(&request);
		same = is_same(flight, body, &request);
	}
	free(body);
	return same ? NULL : "the results differ";
}

void
compare_damage(Rng *rng, Flight *flight)
{
	const GpustrBatch *batch = flight->gen->batch;
	uint32_t	at;
	uint32_t	word;

	/* what was a result region may not be one any more: the same poison */
	gen_poison((GpustrBatch *) flight->copy, 0xC3);
	switch (rng_below(rng, 4))
	{
		case 0:
			at = 4 * (uint32_t) rng_below(rng, sizeof(GpustrBatch) / 4);
			break;
		case 1:
			at = batch->program_off + 4 * (uint32_t) rng_below(rng, (int32_t) batch->program_bytes / 4);
			break;
		default:
			at = sizeof(GpustrBatch) + 4 * (uint32_t) rng_below(rng, (int32_t) (batch->in_bytes - sizeof(GpustrBatch)) / 4);
			break;
	}
	memcpy(&word, flight->body + at, 4);
	word = rng_one_in(rng, 2) ? word ^ 1u << rng_below(rng, 32) : word + (uint32_t) rng_below(rng, 5) - 2;
	memcpy(flight->body + at, &word, 4);
	memcpy(flight->copy + at, &word, 4);
	flight->exact = 0;
	flight->gen->nrows = 0;		/* it does not describe the batch any more */
	flight->judge = judge_damaged;
}
