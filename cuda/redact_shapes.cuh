/*-------------------------------------------------------------------------
 *
 * redact_shapes.cuh
 *	  The shapes of the redact kernel that the engine uses.
 *
 * See strings_redact.cuh for what the numbers mean, and test/bench/redact for
 * the shapes that these were chosen from.
 *
 * IDENTIFICATION
 *	  cuda/redact_shapes.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_REDACT_SHAPES_CUH
#define GPUSTR_REDACT_SHAPES_CUH

#include "strings_redact.cuh"

/* 128 workers, 4 rows each, 2 stages, 24 + 10 bytes a row, 6 blocks: 38 KB. */
typedef RedactShape<128, 4, 2, 24, 10, 6, true> RedactSmall;

/* 256 workers, 4 rows each, 2 stages, 24 + 10 bytes a row, 3 blocks: 76 KB. */
typedef RedactShape<256, 4, 2, 24, 10, 3, true> RedactLarge;

#endif /* GPUSTR_REDACT_SHAPES_CUH */
