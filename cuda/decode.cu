/*-------------------------------------------------------------------------
 *
 * decode.cu
 *	  From heap pages to registers.
 *
 * First the pages come to device memory: blocks of the shared buffer pool are
 * read in place, over the bus, by gather(); staged pages were copied before.
 * Then one small kernel for each class of attribute takes the attribute out of
 * every tuple; there is one launch for each column that the program needs.
 *
 * Bytes of pages are hostile: rowfn/heap_tuple.h checks them, and it reads the
 * copy, which nobody changes any more.
 *
 * IDENTIFICATION
 *	  cuda/decode.cu
 *
 *-------------------------------------------------------------------------
 */
#include "kernels.cuh"
#include "row_words.cuh"
#include "rowfn/heap_tuple.h"

#define GATHER_THREADS 256
#define GATHER_BLOCKS 12
#define GATHER_LOADS (GPUSTR_PAGE_BYTES / 16 / GATHER_THREADS)

/* Read 16 bytes of host memory that others may be writing. */
static __device__ __forceinline__ uint4 read_shared_block(const char *from)
{
	uint4 v;

	asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
				 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
				 : "l"(__cvta_generic_to_global(from))
				 : "memory");
	return v;
}

/*
 * gather - copy blocks to device memory, and tell each row where its page is.
 *
 * args.page		[npages] block number, or staged page -1 - page[p]
 * args.row_start	[npages + 1] rows, ascending
 * args.page_at		[row_start[npages]] bytes from args.base
 *
 * At most GATHER_BLOCKS blocks of 256 threads, each taking page after page.
 * A thread asks for two pieces of 16 bytes before it uses one, so that 96 kB
 * are on their way; the bus needs about 150 kB (51 GB/s for 3 us), and several
 * requests gather at a time.  More blocks keep other requests' kernels off the
 * multiprocessors, and slow down the sessions, which walk over the same memory
 * (test/bench/NOTES.md).
 * e.g. page {7, -1}, row_start {0, 2, 3}: block 7 is copied to slot 0,
 *		page_at {gathered_at, gathered_at, staged_at}
 */
static __global__ void __launch_bounds__(GATHER_THREADS) gather(const GatherArgs args)
{
	for (int32_t p = (int32_t)blockIdx.x; p < args.npages; p += (int32_t)gridDim.x)
	{
		int32_t block = args.page[p];
		int32_t at = block >= 0 ? args.gathered_at + p * GPUSTR_PAGE_BYTES
								: args.staged_at + (-1 - block) * GPUSTR_PAGE_BYTES;
		int32_t end = args.row_start[p + 1];

		if (block >= 0)
		{
			const char *from =
				args.blocks + (size_t)block * GPUSTR_PAGE_BYTES + (size_t)threadIdx.x * 16;
			char *to = args.base + at + (size_t)threadIdx.x * 16;
			uint4 v[GATHER_LOADS];

#pragma unroll
			for (int i = 0; i < GATHER_LOADS; i++)
				v[i] = read_shared_block(from + i * GATHER_THREADS * 16);
#pragma unroll
			for (int i = 0; i < GATHER_LOADS; i++)
				*(uint4 *)(to + i * GATHER_THREADS * 16) = v[i];
		}
		for (int32_t r = args.row_start[p] + (int32_t)threadIdx.x; r < end; r += GATHER_THREADS)
			args.page_at[r] = at;
	}
}

cudaError_t launch_gather(const GatherArgs &args, cudaStream_t stream)
{
	int32_t blocks = args.npages < GATHER_BLOCKS ? args.npages : GATHER_BLOCKS;

	if (blocks == 0)
		return cudaSuccess;
	gather<<<(unsigned)blocks, GATHER_THREADS, 0, stream>>>(args);
	return cudaPeekAtLastError();
}

/* A RowfnHeapState as a GpustrTruth: false stands for a value. */
static __device__ __forceinline__ uint32_t heap_truth(int state)
{
	return state == ROWFN_HEAP_VALUE  ? GPUSTR_FALSE
		   : state == ROWFN_HEAP_NULL ? GPUSTR_NULL
									  : GPUSTR_RECHECK;
}

/*
 * decode_text - take an attribute out of each tuple, as bytes.
 *
 * rows			[nrows] pages and line pointers
 * start, end	[nrows] bytes from rows.base, in a page or in the program
 * planes		[(nrows + 31) / 32] words each; recheck: compressed, external or
 *				not consistent
 *
 * FIXED: the attribute is of fixed length; 'cstring' then says that the value
 * ends before its first zero byte.
 *
 * One thread a row, 256 a block; a warp writes one word by ballot.  Threads
 * past nrows vote 0.
 * e.g. tuples ("ab"), (NULL), (compressed): valid 001, recheck 100
 */
template <bool FIXED>
static __global__ void __launch_bounds__(ROW_THREADS)
	decode_text(const PageRows rows, int32_t attr, RowfnHeapStart skip, int cstring, int32_t *start,
				int32_t *end, StatePlanes planes)
{
	int32_t r = my_row();
	uint32_t truth = GPUSTR_NULL;

	if (!warp_has_rows(r, rows.nrows))
		return;
	if (r < rows.nrows)
	{
		const char *page = rows.base + rows.page_at[r];
		const char *value;
		int32_t len;
		int state;

		if (FIXED)
			state = rowfn_heap_bytes(page, rows.line[r], rows.attrs, attr, skip, rows.program,
									 cstring, &value, &len);
		else
			state = rowfn_heap_text(page, rows.line[r], rows.attrs, attr, skip, rows.program,
									&value, &len);
		truth = heap_truth(state);
		start[r] = (int32_t)(value - rows.base);
		end[r] = (int32_t)(value - rows.base) + len;
	}
	write_state(planes, r, truth);
}

/* host_attrs: the attributes in host memory; rows.attrs are a copy of them. */
cudaError_t launch_decode_text(const PageRows &rows, int32_t attr, const GpustrAttr *host_attrs,
							   int32_t *start, int32_t *end, StatePlanes planes,
							   cudaStream_t stream)
{
	decode_text<false><<<launch_blocks(rows.nrows, ROW_THREADS), ROW_THREADS, 0, stream>>>(
		rows, attr, rowfn_heap_start(host_attrs, attr), 0, start, end, planes);
	return cudaPeekAtLastError();
}

cudaError_t launch_decode_bytes(const PageRows &rows, int32_t attr, const GpustrAttr *host_attrs,
								int cstring, int32_t *start, int32_t *end, StatePlanes planes,
								cudaStream_t stream)
{
	decode_text<true><<<launch_blocks(rows.nrows, ROW_THREADS), ROW_THREADS, 0, stream>>>(
		rows, attr, rowfn_heap_start(host_attrs, attr), cstring, start, end, planes);
	return cudaPeekAtLastError();
}

/*
 * decode_value - take an attribute out of each tuple, as a value.
 *
 * rows		[nrows] pages and line pointers
 * value	[nrows]
 * planes	[(nrows + 31) / 32] words each; recheck: not consistent
 *
 * One thread a row, 256 a block; a warp writes one word by ballot.  Threads
 * past nrows vote 0.
 * e.g. tuples (7), (NULL), (not consistent): value {7, 0, 0}, valid 001,
 *		recheck 100
 */
template <int TYPE>
static __global__ void __launch_bounds__(ROW_THREADS)
	decode_value(const PageRows rows, int32_t attr, RowfnHeapStart skip, int64_t *value,
				 StatePlanes planes)
{
	int32_t r = my_row();
	uint32_t truth = GPUSTR_NULL;

	if (!warp_has_rows(r, rows.nrows))
		return;
	if (r < rows.nrows)
	{
		int64_t v;

		truth = heap_truth(rowfn_heap_value(rows.base + rows.page_at[r], rows.line[r], rows.attrs,
											attr, skip, rows.program, TYPE, &v));
		value[r] = v;
	}
	write_state(planes, r, truth);
}

template <int TYPE>
static cudaError_t start_decode_value(const PageRows &rows, int32_t attr, RowfnHeapStart skip,
									  int64_t *value, StatePlanes planes, cudaStream_t stream)
{
	decode_value<TYPE><<<launch_blocks(rows.nrows, ROW_THREADS), ROW_THREADS, 0, stream>>>(
		rows, attr, skip, value, planes);
	return cudaPeekAtLastError();
}

cudaError_t launch_decode_value(const PageRows &rows, int32_t attr, const GpustrAttr *host_attrs,
								GpustrValueType type, int64_t *value, StatePlanes planes,
								cudaStream_t stream)
{
	RowfnHeapStart skip = rowfn_heap_start(host_attrs, attr);

	switch (type)
	{
		case GPUSTR_VALUE_BOOL:
			return start_decode_value<GPUSTR_VALUE_BOOL>(rows, attr, skip, value, planes, stream);
		case GPUSTR_VALUE_CHAR:
			return start_decode_value<GPUSTR_VALUE_CHAR>(rows, attr, skip, value, planes, stream);
		case GPUSTR_VALUE_INT2:
			return start_decode_value<GPUSTR_VALUE_INT2>(rows, attr, skip, value, planes, stream);
		case GPUSTR_VALUE_INT4:
			return start_decode_value<GPUSTR_VALUE_INT4>(rows, attr, skip, value, planes, stream);
		case GPUSTR_VALUE_INT8:
			return start_decode_value<GPUSTR_VALUE_INT8>(rows, attr, skip, value, planes, stream);
		case GPUSTR_VALUE_OID:
			return start_decode_value<GPUSTR_VALUE_OID>(rows, attr, skip, value, planes, stream);
		case GPUSTR_VALUE_FLOAT4:
			return start_decode_value<GPUSTR_VALUE_FLOAT4>(rows, attr, skip, value, planes, stream);
		case GPUSTR_VALUE_FLOAT8:
			return start_decode_value<GPUSTR_VALUE_FLOAT8>(rows, attr, skip, value, planes, stream);
	}
	return cudaErrorInvalidValue;
}

/*
 * decode_null - is an attribute of any type NULL?
 *
 * rows		[nrows] pages and line pointers
 * out		[(nrows + 31) / 32] words a plane
 *
 * One thread a row, 256 a block; a warp writes one word of each plane by
 * ballot.  Threads past nrows vote 0.
 * e.g. tuples ("ab"), (NULL), (not consistent): lo 110, hi 100
 */
static __global__ void __launch_bounds__(ROW_THREADS)
	decode_null(const PageRows rows, int32_t attr, BoolRegister out)
{
	int32_t r = my_row();
	uint32_t truth = GPUSTR_FALSE;

	if (!warp_has_rows(r, rows.nrows))
		return;
	if (r < rows.nrows)
		truth = (uint32_t)rowfn_heap_isnull(rows.base + rows.page_at[r], rows.line[r], rows.attrs,
											attr);
	write_truth(out, r, truth);
}

cudaError_t launch_decode_null(const PageRows &rows, int32_t attr, BoolRegister out,
							   cudaStream_t stream)
{
	decode_null<<<launch_blocks(rows.nrows, ROW_THREADS), ROW_THREADS, 0, stream>>>(rows, attr,
																					out);
	return cudaPeekAtLastError();
}
