/*-------------------------------------------------------------------------
 *
 * one_pass.cu
 *	  The engine's kernel (cuda/strings_redact.cuh) in several shapes.
 *
 * A shape's line in the table reads
 *
 *		workers x rows a worker, stages, bytes staged + put out a row, blocks on
 *		a multiprocessor, copies by (b)ulk engine or (c)p.async,
 *		"later 2": written two tiles later, not one
 *
 * IDENTIFICATION
 *	  test/bench/redact/one_pass.cu
 *
 *-------------------------------------------------------------------------
 */
#include "bench.cuh"
#include "strings_redact.cuh"

template <class Shape>
class OnePassVariant : public Variant
{
  public:
	explicit OnePassVariant(const char *note)
	{
		int device = 0;

		CUDA_MUST(cudaGetDevice(&device));

		/* a device with little shared memory refuses large shapes */
		if (redact_prepare<Shape>(device, &blocks_) != cudaSuccess)
			(void)cudaGetLastError();
		CUDA_MUST(
			cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device));
		snprintf(name_, sizeof(name_), "one pass %4d = %3d x %d, %d st, %d+%d B, %d bl, %c%s",
				 Shape::ROWS, Shape::WORKERS, Shape::ROWS_PER_THREAD, Shape::STAGES,
				 Shape::DATA_BYTES / Shape::ROWS, Shape::OUT_BYTES / Shape::ROWS,
				 blocks_ / multiprocessors_, Shape::BULK ? 'b' : 'c', note);
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
		scratch_bytes_ = redact_scratch_bytes<Shape>(max_rows);
		scratch_ = (RedactScratch *)device_new<char>((int64_t)scratch_bytes_);
		epoch_ = TILE_STARTS_EPOCHS;
	}

	void run(const Input &in, const Output &out, cudaStream_t stream) override
	{
		RedactArgs args = {};

		if (epoch_ == TILE_STARTS_EPOCHS)
		{
			CUDA_MUST(cudaMemsetAsync(scratch_, 0, scratch_bytes_, stream));
			epoch_ = 0;
		}
		args.name.base = in.name;
		args.name.start = in.name_start;
		args.name.end = in.name_start + 1;
		args.name.packed = true;
		args.visibility.base = in.visibility;
		args.visibility.start = in.visibility_start;
		args.visibility.end = in.visibility_start + 1;
		args.visibility.packed = true;
		args.nrows = in.n;
		args.encoding = in.encoding;
		args.epoch = ++epoch_;
		args.offset = out.start;
		args.out = out.data;
		args.out_room = (uint64_t)out.room;
		args.scratch = scratch_;
		launches = 1;
		CUDA_MUST(redact_launch<Shape>(args, blocks_, stream));
	}

	void release() override
	{
		CUDA_MUST(cudaFree(scratch_));
	}

  private:
	char name_[80];
	int blocks_ = 0;
	int multiprocessors_ = 1;
	RedactScratch *scratch_ = NULL;
	size_t scratch_bytes_ = 0;
	uint32_t epoch_ = 0;
};

Variant *make_one_pass_variant(int i)
{
	switch (i)
	{
		case 0:
			return new OnePassVariant<RedactLarge>(" LARGE");
		case 1:
			return new OnePassVariant<RedactSmall>(" SMALL");
		case 2: /* cp.async instead of the bulk copy engine */
			return new OnePassVariant<RedactShape<384, 4, 2, 24, 10, 2, false>>("");
		case 3: /* the tightest buffers that the data fit */
			return new OnePassVariant<RedactShape<384, 4, 2, 22, 8, 2, true>>("");
		case 4: /* one block a multiprocessor, and one multiprocessor for the scanner */
			return new OnePassVariant<RedactShape<768, 4, 2, 21, 8, 1, true>>("");
		case 5: /* as many workers in more blocks: smaller tiles, fewer registers */
			return new OnePassVariant<RedactShape<256, 4, 2, 22, 8, 3, true>>("");
		case 6: /* one stage, more workers */
			return new OnePassVariant<RedactShape<512, 4, 1, 22, 8, 2, true>>("");
		case 7: /* three stages, fewer rows a worker */
			return new OnePassVariant<RedactShape<512, 2, 3, 22, 8, 2, true>>("");
		case 8: /* written two tiles later: a second buffer for answers */
			return new OnePassVariant<RedactShape<384, 4, 2, 21, 8, 2, true, 2>>(" later 2");
		case 9:
			return new OnePassVariant<RedactShape<768, 4, 2, 21, 8, 1, true, 2>>(" later 2");
		case 10: /* half the rows, three stages: for few rows */
			return new OnePassVariant<RedactShape<768, 2, 3, 24, 9, 1, true, 2>>(" later 2");
		case 11: /* copies asked for earlier: more stages, rows as shared memory allows */
			return new OnePassVariant<RedactShape<960, 2, 3, 21, 8, 1, true, 2>>(" later 2");
		case 12:
			return new OnePassVariant<RedactShape<768, 2, 4, 21, 8, 1, true, 2>>(" later 2");
		case 13:
			return new OnePassVariant<RedactShape<512, 4, 3, 21, 8, 1, true, 2>>(" later 2");
		default:
			return NULL;
	}
}
