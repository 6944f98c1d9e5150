/*-------------------------------------------------------------------------
 *
 * strings_redact.cu
 *	  Redact names: the kernel of strings_redact.cuh in the engine.
 *
 * Two shapes: the one that measured best (test/bench/NOTES.md), and a smaller one
 * for devices whose blocks cannot have that much shared memory.
 *
 * IDENTIFICATION
 *	  cuda/strings_redact.cu
 *
 *-------------------------------------------------------------------------
 */
#include "strings_redact.cuh"
#include "kernels.cuh"

cudaError_t prepare_redact(int device, RedactBlocks *blocks)
{
	cudaError_t rc = redact_prepare<RedactSmall>(device, &blocks->small);

	return rc != cudaSuccess ? rc : redact_prepare<RedactLarge>(device, &blocks->large);
}

size_t redact_scratch_need(int32_t nrows)
{
	return redact_scratch_bytes<RedactSmall>(nrows);
}

const uint64_t *redact_scratch_total(const void *scratch)
{
	return &((const RedactScratch *)scratch)->out_total;
}

cudaError_t launch_redact(const RedactBlocks &blocks, const TextRegister &name,
						  const TextRegister &visibility, int32_t nrows, int32_t encoding,
						  const OutputColumn &out, cudaStream_t stream)
{
	RedactArgs args = {};

	args.name = name;
	args.visibility = visibility;
	args.nrows = nrows;
	args.encoding = encoding;
	args.epoch = 1;
	args.valid = out.valid;
	args.offset = out.offset;
	args.out = out.data;
	args.out_room = out.room;
	args.scratch = (RedactScratch *)out.scratch;
	if (blocks.large == 0)
		return redact_launch<RedactSmall>(args, blocks.small, stream);
	return redact_launch<RedactLarge>(args, blocks.large, stream);
}
