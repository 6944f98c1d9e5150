/*-------------------------------------------------------------------------
 *
 * redact_shapes.cuh
 *	  Shapes of the redact kernel (strings_redact.cuh), and those that the
 *	  engine uses.
 *
 * A shape is how many rows a tile has, how many threads share them, and how
 * the shared memory of a multiprocessor is cut up.  test/bench/redact times
 * the shapes that the engine's two were chosen from.
 *
 * IDENTIFICATION
 *	  cuda/redact_shapes.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_REDACT_SHAPES_CUH
#define GPUSTR_REDACT_SHAPES_CUH

#include "rowfn/redact.h"

/*
 * WORKERS			threads that work on rows; two more warps serve them
 * ROWS_PER_THREAD	rows that each of them has of a tile at most
 * STAGES			tiles in shared memory, being copied or worked on
 * DATA_BYTES_A_ROW	room for names and visibilities in a stage, on average
 * OUT_BYTES_A_ROW	room for answers; warps that need more go the direct way
 * MIN_BLOCKS		blocks that shall fit a multiprocessor: bounds registers
 * BULK				copy with the bulk engine where there is one
 * LATER			tiles after which a tile is written
 */
template <int WORKERS_, int ROWS_PER_THREAD_, int STAGES_, int DATA_BYTES_A_ROW_,
		  int OUT_BYTES_A_ROW_, int MIN_BLOCKS_, bool BULK_, int LATER_ = 1>
struct RedactShape
{
	static constexpr int WORKERS = WORKERS_;
	static constexpr int WARPS = WORKERS_ / 32;
	static constexpr int THREADS = WORKERS_ + 2 * 32;
	static constexpr int ROWS_PER_THREAD = ROWS_PER_THREAD_;
	static constexpr int ROWS = WORKERS_ * ROWS_PER_THREAD_;
	static constexpr int STAGES = STAGES_;
	static constexpr int LATER = LATER_;
	static constexpr int SLOTS = STAGES_ < LATER_ + 1 ? LATER_ + 1 : STAGES_; /* on their way */
	static constexpr int INFOS = STAGES_ + LATER_ + 1;
	static constexpr int MIN_BLOCKS = MIN_BLOCKS_;
	static constexpr bool BULK = BULK_;

	static constexpr int OFFSET_BYTES = ROWS * 4 + 16; /* ROWS + 1 offsets */
	static constexpr int DATA_BYTES = ROWS * DATA_BYTES_A_ROW_;
	static constexpr int STAGE_BYTES = 2 * OFFSET_BYTES + DATA_BYTES + 16;
	static constexpr int OUT_BYTES = ROWS * OUT_BYTES_A_ROW_;
	static constexpr int WARP_OUT_BYTES = OUT_BYTES / WARPS;
	static constexpr int WARP_BUFFER_BYTES = WARP_OUT_BYTES + 16; /* REDACT_WRITE_PAD */
	static constexpr int SHARED_BYTES = STAGES * STAGE_BYTES + LATER * WARPS * WARP_BUFFER_BYTES;

	/* the scan of a staged tile packs two sums of 32 rows into a word */
	static_assert(DATA_BYTES + ROWFN_REDACTED_BYTES * 32 < 65536, "tile too large");
	static_assert(ROWS_PER_THREAD_ % 2 == 0, "rows are scanned in pairs");
	static_assert(DATA_BYTES % 16 == 0 && WARP_OUT_BYTES % 16 == 0, "alignment");
	static_assert(WARPS <= 32 && THREADS <= 1024, "one lane a warp");
};

/* 384 workers, 4 rows each, 2 stages, 24 + 10 bytes a row, 2 blocks: 111 KB. */
typedef RedactShape<384, 4, 2, 24, 10, 2, true> RedactLarge;

/* For devices with less shared memory; 128 workers, 2 blocks on 100 KB: 37 KB. */
typedef RedactShape<128, 4, 2, 23, 10, 2, true> RedactSmall;

#endif /* GPUSTR_REDACT_SHAPES_CUH */
