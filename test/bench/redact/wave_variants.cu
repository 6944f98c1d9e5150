/*-------------------------------------------------------------------------
 *
 * wave_variants.cu
 *	  The wave kernel (wave_kernel.cuh) in several shapes.
 *
 * A shape's line in the table reads
 *
 *		its name, for --only; warps x rows of a chunk, stages, tiles later that a
 *		tile is written, blocks on a multiprocessor
 *
 * IDENTIFICATION
 *	  test/bench/redact/wave_variants.cu
 *
 *-------------------------------------------------------------------------
 */
#include "bench.cuh"
#include "wave_kernel.cuh"

template <class Shape>
class WaveVariant : public Variant
{
  public:
	explicit WaveVariant(const char *tag)
	{
		int device = 0;

		CUDA_MUST(cudaGetDevice(&device));
		if (wave_prepare<Shape>(device, &blocks_) != cudaSuccess)
			(void)cudaGetLastError();
		snprintf(name_, sizeof(name_), "one pass %s, %d x %d, %d st, later %d, %d bl", tag,
				 Shape::WARPS, Shape::CHUNK, Shape::STAGES, Shape::LATER, Shape::MIN_BLOCKS);
	}

	const char *name() const override
	{
		return name_;
	}

	bool fits(int32_t rows) const override
	{
		(void)rows;
		return blocks_ > 0;
	}

	void prepare(int32_t max_rows, int64_t max_name_bytes) override
	{
		(void)max_name_bytes;
		scratch_bytes_ = wave_scratch_bytes<Shape>(max_rows, blocks_);
		scratch_ = (RedactScratch *)device_new<char>((int64_t)scratch_bytes_);
		epoch_ = TILE_STARTS_EPOCHS;
	}

	void run(const Input &in, const Output &out, cudaStream_t stream) override
	{
		WaveArgs args = {};

		if (epoch_ == TILE_STARTS_EPOCHS)
		{
			CUDA_MUST(cudaMemsetAsync(scratch_, 0, scratch_bytes_, stream));
			epoch_ = 0;
		}
		args.redact.name.base = in.name;
		args.redact.name.start = in.name_start;
		args.redact.name.end = in.name_start + 1;
		args.redact.name.packed = true;
		args.redact.visibility.base = in.visibility;
		args.redact.visibility.start = in.visibility_start;
		args.redact.visibility.end = in.visibility_start + 1;
		args.redact.visibility.packed = true;
		args.redact.nrows = in.n;
		args.redact.encoding = in.encoding;
		args.redact.epoch = ++epoch_;
		args.redact.offset = out.start;
		args.redact.out = out.data;
		args.redact.out_room = (uint64_t)out.room;
		args.redact.scratch = scratch_;
		launches = 1;
		CUDA_MUST(wave_launch<Shape>(args, blocks_, stream));
	}

	void release() override
	{
		CUDA_MUST(cudaFree(scratch_));
	}

  private:
	char name_[80];
	int blocks_ = 0;
	RedactScratch *scratch_ = NULL;
	size_t scratch_bytes_ = 0;
	uint32_t epoch_ = 0;
};

Variant *make_wave_variant(int i)
{
	switch (i)
	{
		case 0:
			return new WaveVariant<WaveShape<20, 4, 2, 44, 8, 3, 1, false>>("wave20");
		case 1: /* the rows of the engine's kernel: more instructions, no table */
			return new WaveVariant<WaveShape<20, 4, 2, 44, 8, 3, 1, true>>("base20");
		case 2: /* as many warps as there are registers for, written two tiles later */
			return new WaveVariant<WaveShape<23, 4, 2, 44, 8, 2, 1, false>>("wave23");
		case 3: /* smaller chunks and more of them, for few rows */
			return new WaveVariant<WaveShape<28, 2, 3, 48, 8, 3, 1, false>>("wave28");
		default:
			return NULL;
	}
}
