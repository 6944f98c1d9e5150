/*-------------------------------------------------------------------------
 *
 * value_register.cuh
 *	  What a value register of a program is in device memory.
 *
 * 64 bits a row; a register whose rows all have the same value has no array,
 * and takes no memory.  Whether a row is a value, null or recheck is told by
 * two bit planes, as for texts.  A register may share its planes with the one
 * that it was made of.
 *
 * IDENTIFICATION
 *	  cuda/value_register.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_VALUE_REGISTER_CUH
#define GPUSTR_VALUE_REGISTER_CUH

#include "text_register.cuh"

struct ValueRegister
{
	const int64_t *value; /* [nrows]; NULL: a constant */
	int64_t constant;
	const uint32_t *valid;	 /* as in TextRegister */
	const uint32_t *recheck; /* alike */
};

/* Where a step writes what becomes a register's planes. */
struct StatePlanes
{
	uint32_t *valid;   /* [(nrows + 31) / 32] words */
	uint32_t *recheck; /* alike */
};

__device__ __forceinline__ int64_t value_at(const ValueRegister &reg, int32_t row)
{
	return reg.value != NULL ? reg.value[row] : reg.constant;
}

/* 32 rows of it, as text_state(). */
__device__ __forceinline__ GpustrTruthWord value_state(const ValueRegister &reg, int32_t word)
{
	uint32_t valid = reg.valid != NULL ? reg.valid[word] : 0xFFFFFFFF;
	uint32_t recheck = reg.recheck != NULL ? reg.recheck[word] : 0;

	return gpustr_truth_word(recheck, ~valid | recheck);
}

#endif /* GPUSTR_VALUE_REGISTER_CUH */
