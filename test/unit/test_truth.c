/*-------------------------------------------------------------------------
 *
 * test_truth.c
 *	  The formulas of the four-state logic against the tables in program.h.
 *
 * IDENTIFICATION
 *	  test/unit/test_truth.c
 *
 *-------------------------------------------------------------------------
 */
#include "naive.h"
#include "test_common.h"

typedef GpustrTruthWord (*Formula) (GpustrTruthWord a, GpustrTruthWord b);

/* Truth 'value' in bit 'bit', other bits from the noise. */
static GpustrTruthWord
word_with(Rng *rng, int bit, int value)
{
	uint32_t	mask = UINT32_C(1) << bit;
	uint32_t	lo = (rng_next(rng) & ~mask) | (value & 1 ? mask : 0);
	uint32_t	hi = (rng_next(rng) & ~mask) | (value & 2 ? mask : 0);

	return gpustr_truth_word(lo, hi);
}

static int
value_at(GpustrTruthWord word, int bit)
{
	return (int) ((word.lo >> bit) & 1) | (int) ((word.hi >> bit) & 1) << 1;
}

/* Both operands, all 16 pairs, all 32 positions, 64 different neighbours. */
static void
test_binary(const char *name, Formula formula, const unsigned char table[4][4])
{
	Rng			rng = rng_make(1);
	int			a;
	int			b;
	int			bit;
	int			round;

	for (round = 0; round < 64; round++)
		for (bit = 0; bit < 32; bit++)
			for (a = 0; a < 4; a++)
				for (b = 0; b < 4; b++)
				{
					int			got = value_at(formula(word_with(&rng, bit, a),
													   word_with(&rng, bit, b)), bit);

					CHECK(got == table[a][b], "%s(%d, %d) in bit %d is %d, not %d",
						  name, a, b, bit, got, table[a][b]);
				}
	test_done(name);
}

int
main(void)
{
	Rng			rng = rng_make(2);
	int			a;
	int			bit;

	test_binary("and", gpustr_truth_and, naive_and);
	test_binary("or", gpustr_truth_or, naive_or);
	test_binary("qual", gpustr_truth_qual, naive_qual);
	for (bit = 0; bit < 32; bit++)
		for (a = 0; a < 4; a++)
		{
			int			got = value_at(gpustr_truth_not(word_with(&rng, bit, a)), bit);

			CHECK(got == naive_not[a], "not %d in bit %d is %d", a, bit, got);
		}
	test_done("not");
	return test_exit();
}
