/*-------------------------------------------------------------------------
 *
 * search_variants.cu
 *	  The search kernel with other numbers of blocks on a multiprocessor, to compare.
 *
 * IDENTIFICATION
 *	  test/bench/text/search_variants.cu
 *
 *-------------------------------------------------------------------------
 */
#include "calls.cuh"
#include "rowfn/characters.h"
#include "search_look.cuh"
#include "text_together.cuh"

namespace blocks4
{
#define SEARCH_BLOCKS 4
#include "strings_search.cu"
#undef SEARCH_BLOCKS
} // namespace blocks4

namespace blocks6
{
#define SEARCH_BLOCKS 6
#include "strings_search.cu"
#undef SEARCH_BLOCKS
} // namespace blocks6

cudaError_t launch_search_variant(int blocks, const TextArgs &args, int32_t nrows, int64_t *value,
								  StatePlanes planes, cudaStream_t stream)
{
	return blocks == 4 ? blocks4::launch_search(args.text[0], args.text[1], args.encoding, nrows,
												value, planes, stream)
					   : blocks6::launch_search(args.text[0], args.text[1], args.encoding, nrows,
												value, planes, stream);
}
