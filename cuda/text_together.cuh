/*-------------------------------------------------------------------------
 *
 * text_together.cuh
 *	  A warp looks at one long text.
 *
 * A thread that walks over a text of many kilobytes by itself keeps the 31 others
 * of its warp waiting.  So long texts are left out at first, and then taken one
 * after the other by the warp, its lanes side by side with 16 bytes each, and
 * several such rounds of loads before the first look.
 *
 * IDENTIFICATION
 *	  cuda/text_together.cuh
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_TEXT_TOGETHER_CUH
#define GPUSTR_TEXT_TOGETHER_CUH

#include "rowfn/find_bytes.h"

/* Bytes from which a text is long. */
#define TOGETHER_BYTES 512

/* Pieces that a lane loads before it looks at them, and bytes of all lanes' ones. */
#define TOGETHER_LOADS 4
#define TOGETHER_STEP (TOGETHER_LOADS * 32 * 16)

/* One lane's value, in all. */
__device__ __forceinline__ const char *warp_pointer(const char *p, int lane)
{
	return (const char *)(uintptr_t)__shfl_sync(0xFFFFFFFF, (unsigned long long)(uintptr_t)p, lane);
}

/* The lane's pieces of the step that starts 'at' bytes from s; of bytes past len: 0. */
__device__ __forceinline__ void together_load(const char *s, int32_t len, int64_t at, uint32_t lane,
											  uint4 (&piece)[TOGETHER_LOADS])
{
#pragma unroll
	for (int i = 0; i < TOGETHER_LOADS; i++)
	{
		int64_t mine = at + (i * 32 + (int32_t)lane) * 16;

		piece[i] = mine < len ? *(const uint4 *)(s + mine) : make_uint4(0, 0, 0, 0);
	}
}

/* As rowfn_find_bytes(s, 0, len, what, n), n >= 1.  All lanes, the same arguments. */
__device__ __forceinline__ int32_t find_together(const char *s, int32_t len, const char *what,
												 int32_t n, uint32_t lane)
{
	const RowfnLook look = rowfn_look_for(what, n);
	int64_t compared = 0;

	for (int64_t at = -(int32_t)((uintptr_t)s & 15); at <= (int64_t)len - n; at += TOGETHER_STEP)
	{
		uint4 piece[TOGETHER_LOADS];

		together_load(s, len, at, lane, piece);
#pragma unroll
		for (int i = 0; i < TOGETHER_LOADS; i++)
		{
			const int64_t mine = at + (i * 32 + (int32_t)lane) * 16;
			uint32_t next = __shfl_down_sync(0xFFFFFFFF, piece[i].x, 1);
			bool is_slow = false;
			int32_t place = -1;
			uint32_t found;

			if (lane == 31)
				next = mine + 16 < len ? *(const uint32_t *)(s + mine + 16) : 0;
			if (mine <= (int64_t)len - n)
			{
				uint32_t hits = rowfn_look16(&look, piece[i], next);

				if (hits != 0)
					hits &=
						rowfn_piece_bits((int32_t)max(-mine, (int64_t)0),
										 (int32_t)min((int64_t)len - n + 1 - mine, (int64_t)16));
				for (; hits != 0 && place < 0 && !is_slow; hits &= hits - 1)
				{
					int32_t tried = (int32_t)mine + __ffs((int)hits) - 1;

					if (rowfn_bytes_eq(s + tried, what, n))
						place = tried;
					else
						is_slow = n > 1 &&
								  rowfn_find_is_slow(&compared, n, (int32_t)max(mine, (int64_t)0));
				}
			}
			__syncwarp();
			if (__ballot_sync(0xFFFFFFFF, is_slow) != 0)
			{
				/* before this round there is none */
				int32_t from = (int32_t)max(at + i * 32 * 16, (int64_t)0);

				if (lane == 0)
					place = rowfn_find_two_way(s, from, len, what, n);
				__syncwarp();
				return __shfl_sync(0xFFFFFFFF, place, 0);
			}
			found = __ballot_sync(0xFFFFFFFF, place >= 0);
			if (found != 0)
				return __shfl_sync(0xFFFFFFFF, place, __ffs((int)found) - 1);
		}
	}
	return -1;
}

/* Bytes of [0, len) of s that do not continue a UTF-8 character.  All lanes alike. */
__device__ __forceinline__ int32_t count_together(const char *s, int32_t len, uint32_t lane)
{
	uint32_t n = 0;

	for (int64_t at = -(int32_t)((uintptr_t)s & 15); at < len; at += TOGETHER_STEP)
	{
		uint4 piece[TOGETHER_LOADS];

		together_load(s, len, at, lane, piece);
#pragma unroll
		for (int i = 0; i < TOGETHER_LOADS; i++)
		{
			const int64_t mine = at + (i * 32 + (int32_t)lane) * 16;

			if (mine < len)
				n += (uint32_t)__popc(~rowfn_continuation16(piece[i]) &
									  rowfn_piece_bits((int32_t)max(-mine, (int64_t)0),
													   (int32_t)min(len - mine, (int64_t)16)));
		}
	}
	return (int32_t)__reduce_add_sync(0xFFFFFFFF, n);
}

/* Are all bytes of the pieces that hold a text below 128?  All lanes alike. */
__device__ __forceinline__ bool is_ascii_together(const char *s, int32_t len, uint32_t lane)
{
	for (int64_t at = -(int32_t)((uintptr_t)s & 15); at < len; at += TOGETHER_STEP)
	{
		uint4 piece[TOGETHER_LOADS];
		uint32_t any = 0;

		together_load(s, len, at, lane, piece);
#pragma unroll
		for (int i = 0; i < TOGETHER_LOADS; i++)
			any |= piece[i].x | piece[i].y | piece[i].z | piece[i].w;
		if (__ballot_sync(0xFFFFFFFF, (any & 0x80808080) != 0) != 0)
			return false;
	}
	return true;
}

#endif /* GPUSTR_TEXT_TOGETHER_CUH */
