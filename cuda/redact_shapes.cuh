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
 * WORKERS			threads that work on rows; one more warp copies
 * ROWS_PER_THREAD	rows that each of them has of a tile
 * STAGES			tiles in shared memory, being copied or worked on
 * DATA_BYTES_A_ROW	room for names and visibilities in a stage, on average
 * OUT_BYTES_A_ROW	room for answers; tiles that need more go the direct way
 * MIN_BLOCKS		blocks that shall fit a multiprocessor: bounds registers
 * BULK				copy with the bulk engine where there is one
 */
template <int WORKERS_, int ROWS_PER_THREAD_, int STAGES_, int DATA_BYTES_A_ROW_,
		  int OUT_BYTES_A_ROW_, int MIN_BLOCKS_, bool BULK_>
struct RedactShape
{
	static constexpr int WORKERS = WORKERS_;
	static constexpr int WARPS = WORKERS_ / 32;
	static constexpr int THREADS = WORKERS_ + 32;
	static constexpr int ROWS_PER_THREAD = ROWS_PER_THREAD_;
	static constexpr int ROWS = WORKERS_ * ROWS_PER_THREAD_;
	static constexpr int STAGES = STAGES_;
	static constexpr int MIN_BLOCKS = MIN_BLOCKS_;
	static constexpr bool BULK = BULK_;

	static constexpr int OFFSET_BYTES = ROWS * 4 + 16; /* ROWS + 1 offsets */
	static constexpr int DATA_BYTES = ROWS * DATA_BYTES_A_ROW_;
	static constexpr int STAGE_BYTES = 2 * OFFSET_BYTES + DATA_BYTES + 16;
	static constexpr int OUT_BYTES = ROWS * OUT_BYTES_A_ROW_;
	static constexpr int SHARED_BYTES = STAGES * STAGE_BYTES + 16 + OUT_BYTES + 16;

	/* the scan of a staged tile packs two sums of a warp into a word */
	static_assert(DATA_BYTES + ROWFN_REDACTED_BYTES * ROWS < 65536, "tile too large");
	static_assert(ROWS_PER_THREAD_ % 2 == 0, "rows are scanned in pairs");
	static_assert(DATA_BYTES % 16 == 0 && OUT_BYTES % 16 == 0 && ROWS % 32 == 0, "alignment");
};

/* 128 workers, 4 rows each, 2 stages, 23 + 10 bytes a row, 6 blocks: 37 KB. */
typedef RedactShape<128, 4, 2, 23, 10, 6, true> RedactSmall;

/* 256 workers, 4 rows each, 2 stages, 24 + 10 bytes a row, 3 blocks: 76 KB. */
typedef RedactShape<256, 4, 2, 24, 10, 3, true> RedactLarge;

#endif /* GPUSTR_REDACT_SHAPES_CUH */
