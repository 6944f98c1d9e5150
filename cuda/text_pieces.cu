/*-------------------------------------------------------------------------
 *
 * text_pieces.cu
 *	  TEXT_MAKE of functions whose answers are pieces of other texts.
 *
 *		concat		both arguments
 *		replace		what is between the places, and what is put there
 *		upper		the text, folded as it is written, where its bytes are below
 *		lower		128, or bytes from there on stay, and the map is the usual one
 *
 * A block's threads work out the pieces of its rows and then write, as
 * text_pieces.cuh tells.  A row that is not so, or has too many pieces, is a gap
 * first, in which its thread then writes the answer.  Where all answers of a block
 * are the input column as it lies, its words are taken as they are.
 *
 * IDENTIFICATION
 *	  cuda/text_pieces.cu
 *
 *-------------------------------------------------------------------------
 */
#include "text_pieces.cuh"
#include "kernels.cuh"
#include "rowfn/text_make.h"
#include "text_arena.cuh"
#include "text_together.cuh"

/* Pieces of a block, and of a row, at most. */
#define PIECES_BLOCK 1024
#define PIECES_ROW 15

/* Words of 16 bytes of a packed column that a thread holds while it looks at them. */
#define CASE_WORDS 6

/* Blocks of a multiprocessor. */
#define PIECES_BLOCKS 5

/* The kind of a map where bytes are to stay as they are. */
#define PIECES_STAY ROWFN_CASE_TABLE

/* What a row's answer is made of. */
struct RowPieces
{
	int64_t bytes; /* as rowfn_text_bytes() says */
	uint32_t n;	   /* pieces; a gap counts */
	int32_t hit;   /* replace: the first place */
	bool is_gap;   /* the row's thread writes it */
	bool is_text;  /* it is the first argument, whole */
};

/* 'a' to 'z' in upper case, or 'A' to 'Z' in lower; other bytes stay. */
template <RowfnCaseKind FOLD>
static __device__ __forceinline__ uint32_t fold4(uint32_t x)
{
	const uint32_t low = x & 0x7F7F7F7F;
	const uint32_t first = FOLD == ROWFN_CASE_TO_UPPER ? 'a' : 'A';
	uint32_t from = low + (0x80 - first) * 0x01010101u;		 /* top bit: from the first letter on */
	uint32_t past = low + (0x80 - first - 26) * 0x01010101u; /* past the last */

	if (FOLD == PIECES_STAY)
		return x;
	return x ^ (from & ~past & ~x & 0x80808080) >> 2;
}

template <RowfnCaseKind FOLD>
static __device__ __forceinline__ uint4 fold16(uint4 word)
{
	return make_uint4(fold4<FOLD>(word.x), fold4<FOLD>(word.y), fold4<FOLD>(word.z),
					  fold4<FOLD>(word.w));
}

static __device__ __forceinline__ bool is_ascii(const RowfnText &text)
{
	return rowfn_ascii_by_pieces(text.s, text.len) == text.len;
}

/* concat() */
static __device__ __forceinline__ RowPieces concat_pieces(const RowfnArgs &row)
{
	RowPieces made = {rowfn_text_bytes(GPUSTR_TEXT_CONCAT, &row), 2, 0, false, false};

	return made;
}

/* replace(): counts the places, as rowfn_replace_bytes() does.  at: the first */
static __device__ __forceinline__ RowPieces replace_pieces(const RowfnArgs &row, int32_t at)
{
	RowPieces made = {row.text[0].len, 1, -1, false, true};

	made.hit = at;
	made.is_text = at < 0;
	while (at >= 0)
	{
		made.bytes += (int64_t)row.text[2].len - row.text[1].len;
		made.n = min(made.n + 2, (uint32_t)PIECES_ROW + 1);
		at = rowfn_replace_next(row.text[0], row.text[1], at + row.text[1].len);
	}
	if (made.bytes > ROWFN_TEXT_BYTES)
		made.bytes = ROWFN_TEXT_RECHECK;
	if (made.n > PIECES_ROW)
	{
		made.is_gap = true;
		made.n = 1;
	}
	return made;
}

/* upper(), lower().  by_byte: one byte becomes one */
template <RowfnCaseKind FOLD>
static __device__ __forceinline__ RowPieces case_pieces(const RowfnArgs &row, bool by_byte)
{
	RowPieces made = {row.text[0].len, 1, 0, false, true};

	if (!by_byte)
	{
		made.bytes = rowfn_case_bytes_of(row.text[0], (const GpustrCaseMap *)row.constant,
										 row.encoding, FOLD);
		made.is_gap = true;
		made.is_text = false;
	}
	if (made.bytes > ROWFN_TEXT_BYTES)
		made.bytes = ROWFN_TEXT_RECHECK;
	return made;
}

/*
 * What is to be known of this lane's text before its pieces can be: where the first
 * place of replace() is; whether the text of upper(), lower() is ASCII.  All lanes;
 * has: has it a row?
 */
template <int FUNCTION>
static __device__ __forceinline__ int32_t look_at_text(const RowfnArgs &row, bool has)
{
	const RowfnText &text = row.text[0];
	const bool is_long = has && text.len >= TOGETHER_BYTES &&
						 (FUNCTION != GPUSTR_TEXT_REPLACE || row.text[1].len > 0);
	const uint32_t lane = threadIdx.x % 32;
	int32_t found = -1;

	if (has && !is_long)
		found = FUNCTION == GPUSTR_TEXT_REPLACE ? rowfn_replace_next(text, row.text[1], 0)
												: (int32_t)is_ascii(text);
	__syncwarp();
	for (uint32_t rows = __ballot_sync(0xFFFFFFFF, is_long); rows != 0; rows &= rows - 1)
	{
		const int of = __ffs((int)rows) - 1;
		const char *s = warp_pointer(text.s, of);
		const int32_t len = __shfl_sync(0xFFFFFFFF, text.len, of);
		int32_t answer;

		if (FUNCTION == GPUSTR_TEXT_REPLACE)
			answer = find_together(s, len, warp_pointer(row.text[1].s, of),
								   __shfl_sync(0xFFFFFFFF, row.text[1].len, of), lane);
		else
			answer = is_ascii_together(s, len, lane);
		if (lane == (uint32_t)of)
			found = answer;
		__syncwarp();
	}
	return found;
}

/* Add a piece to a list that is being written; *at: bytes of those before it. */
static __device__ __forceinline__ void add_piece(TextPieces<PIECES_BLOCK> *pieces, uint32_t *i,
												 uint32_t *at, const char *from, int32_t len)
{
	pieces->from[*i] = from - *at;
	text_pieces_note(pieces, *i, *at, *at + (uint32_t)len);
	*at += (uint32_t)len;
	pieces->end[(*i)++] = *at;
}

/* Add a row's pieces, from piece i and byte 'at' on. */
template <int FUNCTION>
static __device__ __forceinline__ void add_pieces(TextPieces<PIECES_BLOCK> *pieces, uint32_t i,
												  uint32_t at, const RowfnArgs &row,
												  const RowPieces &made)
{
	const RowfnText &text = row.text[0];
	int32_t from = 0;

	if (made.is_gap)
	{
		pieces->from[i] = NULL;
		text_pieces_note(pieces, i, at, at + (uint32_t)made.bytes);
		pieces->end[i] = at + (uint32_t)made.bytes;
		return;
	}
	if (FUNCTION == GPUSTR_TEXT_REPLACE)
	{
		for (int32_t hit = made.hit; hit >= 0; hit = rowfn_replace_next(text, row.text[1], from))
		{
			add_piece(pieces, &i, &at, text.s + from, hit - from);
			add_piece(pieces, &i, &at, row.text[2].s, row.text[2].len);
			from = hit + row.text[1].len;
		}
	}
	add_piece(pieces, &i, &at, text.s + from, text.len - from);
	if (FUNCTION == GPUSTR_TEXT_CONCAT)
		add_piece(pieces, &i, &at, row.text[1].s, row.text[1].len);
}

/*
 * upper(), lower() of rows of a packed column that have nothing out of the ordinary:
 * its words as they lie, folded; no row is looked at by itself.  Bytes of NULLs, if
 * they have any, are copied, too.  Returns false if that is not so, in all threads;
 * nothing is done then.  A block.
 *
 * truth	of row r
 */
template <RowfnCaseKind FOLD>
static __device__ __forceinline__ bool
case_of_packed(const TextRegister &text, bool all_stay, const TextArena &arena, ArenaShared *shared,
			   int32_t r, int32_t nrows, uint32_t truth, int32_t *start, int32_t *end,
			   StatePlanes planes)
{
	const int32_t first = (int32_t)(blockIdx.x * ROW_THREADS);
	const int32_t last = min(first + ROW_THREADS, nrows) - 1;
	const char *from = text_at(text, first);
	const uint32_t span = (uint32_t)(text.end[last] - text.start[first]);
	const uint32_t head = span > 0 ? (uint32_t)((uintptr_t)from & (ARENA_ALIGN - 1)) : 0;
	const uint32_t total = head + span;
	const bool is_held = total <= CASE_WORDS * ROW_THREADS * 16;
	const char *mine = NULL; /* the row's text */
	uint64_t bytes = 0;
	bool is_usual = true;
	uint4 word[CASE_WORDS];
	uint32_t any = 0;
	ArenaPlace place = {};
	uint64_t written;

	from -= head;
	if (is_held)
	{
#pragma unroll
		for (int k = 0; k < CASE_WORDS; k++)
		{
			const uint32_t at = (k * ROW_THREADS + threadIdx.x) * 16;

			word[k] = at < total ? *(const uint4 *)(from + at) : make_uint4(0, 0, 0, 0);
		}
	}
	if (r < nrows)
	{
		mine = text_at(text, r);
		bytes = truth == GPUSTR_FALSE ? (uint64_t)text_bytes(text, r) : 0;
		is_usual = truth != GPUSTR_RECHECK && bytes <= ROWFN_TEXT_BYTES;
	}
	if (!all_stay)
	{
		if (is_held)
		{
#pragma unroll
			for (int k = 0; k < CASE_WORDS; k++)
				any |= word[k].x | word[k].y | word[k].z | word[k].w;
		}
		else
		{
#pragma unroll 4
			for (uint32_t at = threadIdx.x * 16; at < total; at += ROW_THREADS * 16)
			{
				const uint4 one = *(const uint4 *)(from + at);

				any |= one.x | one.y | one.z | one.w;
			}
		}
	}
	if (__syncthreads_or(!is_usual || (any & 0x80808080) != 0))
		return false;
	if (threadIdx.x == 0)
		shared->block = atomicAdd(arena.cursor, (unsigned long long)((total + ARENA_ALIGN - 1) /
																	 ARENA_ALIGN * ARENA_ALIGN));
	__syncthreads();
	place.block = shared->block;
	place.total = total;
	if (r < nrows)
		place.at = (uint64_t)(mine - from);
	(void)arena_answer(arena, place, bytes, truth, r, nrows, start, end, planes);
	written = arena_written(arena, place, total);
	if (is_held)
	{
#pragma unroll
		for (int k = 0; k < CASE_WORDS; k++)
		{
			const uint32_t at = (k * ROW_THREADS + threadIdx.x) * 16;

			if (at < written)
				*(uint4 *)(arena_memory(arena, place) + at) = fold16<FOLD>(word[k]);
		}
	}
	else
	{
#pragma unroll 4
		for (uint32_t at = threadIdx.x * 16; at < written; at += ROW_THREADS * 16)
			*(uint4 *)(arena_memory(arena, place) + at) = fold16<FOLD>(*(const uint4 *)(from + at));
	}
	return true;
}

/*
 * make_pieces - the answers, and where they are.
 *
 * all_stay	upper, lower: bytes from 128 on stay as they are
 *
 * The rest as in make_text(), text_makes.cu.
 */
template <int FUNCTION, RowfnCaseKind FOLD>
static __global__ void __launch_bounds__(ROW_THREADS, PIECES_BLOCKS)
	make_pieces(const TextArgs args, bool all_stay, const TextArena arena, int32_t nrows,
				int32_t *start, int32_t *end, StatePlanes planes)
{
	__shared__ ArenaShared shared;
	__shared__ TextPieces<PIECES_BLOCK> pieces;
	int32_t r = my_row();
	uint32_t truth = GPUSTR_RECHECK;
	RowfnArgs row = {};
	RowPieces made = {0, 0, 0, false, false};
	uint64_t bytes = 0;
	const char *from = NULL;
	bool as_it_lies; /* the block's answers lie in the column one behind the other */
	uint32_t head = 0;
	ArenaPlace place;
	uint64_t written;
	bool listed = true;
	int32_t found = 0;

	if (r < nrows)
		truth = row_truth(text_args_state(args, r / 32), r);
	if (FUNCTION == GPUSTR_TEXT_UPPER && args.text[0].packed &&
		case_of_packed<FOLD>(args.text[0], all_stay, arena, &shared, r, nrows, truth, start, end,
							 planes))
		return;
	if (r < nrows && truth == GPUSTR_FALSE)
		row = text_args_row(args, r);
	__syncwarp();
	if (FUNCTION == GPUSTR_TEXT_REPLACE || (FUNCTION != GPUSTR_TEXT_CONCAT && !all_stay))
		found = look_at_text<FUNCTION>(row, truth == GPUSTR_FALSE);
	if (truth == GPUSTR_FALSE)
	{
		if (FUNCTION == GPUSTR_TEXT_CONCAT)
			made = concat_pieces(row);
		else if (FUNCTION == GPUSTR_TEXT_REPLACE)
			made = replace_pieces(row, found);
		else
			made = case_pieces<FOLD>(row, all_stay || found != 0);
		truth = arena_row_bytes(arena, made.bytes, &bytes);
		if (truth != GPUSTR_FALSE)
			made.n = 0;
	}
	as_it_lies = args.text[0].packed &&
				 __syncthreads_and(r >= nrows || (truth == GPUSTR_FALSE && made.is_text));
	if (as_it_lies)
	{
		/* so that words of the column are words of the arena */
		from = text_at(args.text[0], (int32_t)(blockIdx.x * ROW_THREADS));
		head = (uint32_t)((uintptr_t)from & (ARENA_ALIGN - 1));
	}
	text_pieces_clear(&pieces, ROW_THREADS);
	place = arena_take(arena, &shared, bytes, made.n, head);
	if (!as_it_lies)
	{
		/* rows without room, or place in the list, are the last */
		listed = arena_has_room(arena, place, bytes) && place.piece + made.n <= PIECES_BLOCK;
		if (threadIdx.x == 0)
			pieces.n = min(place.pieces, (uint32_t)PIECES_BLOCK);
		__syncthreads();
		if (!listed)
			atomicMin(&pieces.n, place.piece);
		else if (truth == GPUSTR_FALSE)
			add_pieces<FUNCTION>(&pieces, place.piece, (uint32_t)place.at, row, made);
		__syncthreads();
	}
	truth = arena_answer(arena, place, bytes, truth, r, nrows, start, end, planes);
	if (as_it_lies)
	{
		written = arena_written(arena, place, place.total);
#pragma unroll 2
		for (uint32_t at = threadIdx.x * 16; at < written; at += ROW_THREADS * 16)
			*(uint4 *)(arena_memory(arena, place) + at) =
				fold16<FOLD>(*(const uint4 *)(from - head + at));
		return;
	}
	written = pieces.n > 0 ? arena_written(arena, place, pieces.end[pieces.n - 1]) : 0;
	for (uint32_t at = threadIdx.x * 16; at < written; at += ROW_THREADS * 16)
		*(uint4 *)(arena_memory(arena, place) + at) = fold16<FOLD>(text_word(pieces, (int32_t)at));
	__syncthreads();
	if (pieces.n < place.pieces)
		arena_fill_words(arena, place, bytes > 0 && truth != GPUSTR_FALSE);
	if (truth != GPUSTR_FALSE || (listed && !made.is_gap))
		return;
	if (FUNCTION == GPUSTR_TEXT_UPPER)
		rowfn_case_write_of(row.text[0], (const GpustrCaseMap *)row.constant, row.encoding,
							arena_memory(arena, place) + place.at, (int64_t)bytes, FOLD);
	else
		rowfn_text_write(FUNCTION, &row, arena_memory(arena, place) + place.at, (int64_t)bytes);
}

/* The kind of the map of upper() or lower(): both are the same function but for it. */
static RowfnCaseKind map_kind(const void *host_constant)
{
	return rowfn_case_kind((const GpustrCaseMap *)host_constant);
}

bool text_is_pieces(GpustrTextFunction function, const void *host_constant)
{
	switch (function)
	{
		case GPUSTR_TEXT_UPPER:
		case GPUSTR_TEXT_LOWER:
			return map_kind(host_constant) != ROWFN_CASE_TABLE;
		case GPUSTR_TEXT_CONCAT:
		case GPUSTR_TEXT_REPLACE:
			return true;
		default:
			return false;
	}
}

template <int FUNCTION, RowfnCaseKind FOLD>
static cudaError_t launch(const TextArgs &args, bool all_stay, const TextArena &arena,
						  int32_t nrows, int32_t *start, int32_t *end, StatePlanes planes,
						  cudaStream_t stream)
{
	make_pieces<FUNCTION, FOLD><<<launch_blocks(nrows, ROW_THREADS), ROW_THREADS, 0, stream>>>(
		args, all_stay, arena, nrows, start, end, planes);
	return cudaPeekAtLastError();
}

cudaError_t launch_text_pieces(GpustrTextFunction function, const TextArgs &args,
							   const void *host_constant, const TextArena &arena, int32_t nrows,
							   int32_t *start, int32_t *end, StatePlanes planes,
							   cudaStream_t stream)
{
	bool all_stay;

	if (function == GPUSTR_TEXT_CONCAT)
		return launch<GPUSTR_TEXT_CONCAT, PIECES_STAY>(args, false, arena, nrows, start, end,
													   planes, stream);
	if (function == GPUSTR_TEXT_REPLACE)
		return launch<GPUSTR_TEXT_REPLACE, PIECES_STAY>(args, false, arena, nrows, start, end,
														planes, stream);
	all_stay = rowfn_case_is_ascii((const GpustrCaseMap *)host_constant);
	if (map_kind(host_constant) == ROWFN_CASE_TO_UPPER)
		return launch<GPUSTR_TEXT_UPPER, ROWFN_CASE_TO_UPPER>(args, all_stay, arena, nrows, start,
															  end, planes, stream);
	return launch<GPUSTR_TEXT_UPPER, ROWFN_CASE_TO_LOWER>(args, all_stay, arena, nrows, start, end,
														  planes, stream);
}
