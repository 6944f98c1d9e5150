/*-------------------------------------------------------------------------
 *
 * strings_dfa.cu
 *	  Automata over bytes (regular expressions) on the device.
 *
 * One thread a row: it takes its string in aligned pieces of 16 bytes, two of
 * them ahead of the one that it is at, and looks up a state a byte.  What
 * bounds it is that look-up, so the automaton is in shared memory, in the form
 * that needs the fewest instructions and has the fewest bank conflicts (see
 * DfaLayout); blocks stay on the device and take one word of 32 rows after the
 * other, so that each fills its table once.
 *
 * A lane stops at the piece in which it came to state 0 or 1, a warp when all its
 * lanes have (automaton_run.cuh).
 *
 * A long text is left to the warp, DFA_TOGETHER bytes after the other, a part a
 * lane.  In which state a part starts is guessed: the one to which the last bytes
 * before it lead.  Where the part before has ended in another, all from there on
 * are done again.  So the answer is exact, and as most automata soon forget what
 * is far behind, few parts are done twice.
 *
 * IDENTIFICATION
 *	  cuda/strings_dfa.cu
 *
 *-------------------------------------------------------------------------
 */
#include "automaton_run.cuh"
#include "row_words.cuh"
#include "rowfn/dfa.h"
#include "shared_load.cuh"
#include "sm_threads.cuh"

#define DFA_THREADS 512
#define DFA_WARPS (DFA_THREADS / 32)

/* Bytes of a state's row in DFA_EXPANDED: odd in words, so that rows start at different banks. */
#define DFA_EXPANDED_ROW 260

/* The most states that a byte holds, and that DFA_EXPANDED is taken for. */
#define DFA_BYTE_STATES 256
#define DFA_EXPANDED_STATES 128

/* The class of each byte: before the table in shared memory, but for DFA_EXPANDED. */
#define DFA_CLASS_BYTES 256

/* The longest text that a thread does alone, bytes that a warp does at a time, and for a guess. */
#define DFA_ALONE 1024
#define DFA_TOGETHER 8192
#define DFA_GUESS 32

/* An automaton in device memory. */
struct DfaTable
{
	const uint8_t *class_of; /* [256] */
	const uint16_t *next;	 /* [nstates][nclasses] */
	const uint8_t *at_end;	 /* [nstates] */
	uint32_t nstates;
	uint32_t nclasses;
	uint32_t start;
};

/* Bytes of shared memory. */
static uint64_t dfa_shared_bytes(DfaLayout layout, const GpustrDfa *dfa)
{
	uint64_t cells = (uint64_t)dfa->nstates * (uint64_t)dfa->nclasses;

	switch (layout)
	{
		case DFA_EXPANDED:
			return (uint64_t)dfa->nstates * DFA_EXPANDED_ROW;
		case DFA_CLASSES8:
			return DFA_CLASS_BYTES + cells;
		case DFA_CLASSES16:
			return DFA_CLASS_BYTES + cells * sizeof(uint16_t);
		case DFA_GLOBAL:
			break;
	}
	return DFA_CLASS_BYTES;
}

/* Fill the block's table. */
template <DfaLayout LAYOUT>
static __device__ __forceinline__ void fill_table(const DfaTable &dfa, unsigned char *shared)
{
	const uint32_t cells = dfa.nstates * dfa.nclasses;

	if constexpr (LAYOUT == DFA_EXPANDED)
	{
		/* 4 bytes a thread */
		for (uint32_t i = threadIdx.x; i < dfa.nstates * 64; i += DFA_THREADS)
		{
			uint32_t classes = ((const uint32_t *)dfa.class_of)[i % 64];
			const uint16_t *row = dfa.next + i / 64 * dfa.nclasses;

			((uint32_t *)shared)[i / 64 * (DFA_EXPANDED_ROW / 4) + i % 64] =
				(uint32_t)row[classes & 0xFF] | (uint32_t)row[classes >> 8 & 0xFF] << 8 |
				(uint32_t)row[classes >> 16 & 0xFF] << 16 | (uint32_t)row[classes >> 24] << 24;
		}
	}
	else
	{
		if (threadIdx.x < DFA_CLASS_BYTES / sizeof(uint32_t))
			((uint32_t *)shared)[threadIdx.x] = ((const uint32_t *)dfa.class_of)[threadIdx.x];
		if constexpr (LAYOUT == DFA_CLASSES8)
		{
#pragma unroll 4
			for (uint32_t i = threadIdx.x; i < cells; i += DFA_THREADS)
				shared[DFA_CLASS_BYTES + i] = (uint8_t)dfa.next[i];
		}
		else if constexpr (LAYOUT == DFA_CLASSES16)
		{
#pragma unroll 4
			for (uint32_t i = threadIdx.x; i < cells; i += DFA_THREADS)
				((uint16_t *)(shared + DFA_CLASS_BYTES))[i] = dfa.next[i];
		}
	}
}

/*
 * The state after those of 4 bytes that bits 0 to 3 of 'mask' stand for.
 * table: the address of the block's table in shared memory
 */
template <DfaLayout LAYOUT>
static __device__ __forceinline__ uint32_t next_word(const DfaTable &dfa, uint32_t table,
													 uint32_t state, uint32_t word, uint32_t mask)
{
	uint32_t column[4]; /* of each byte: the byte or its class */

#pragma unroll
	for (int i = 0; i < 4; i++)
	{
		column[i] = __byte_perm(word, 0, 0x4440 + i);
		if constexpr (LAYOUT != DFA_EXPANDED)
			column[i] = shared_load8(table + column[i]);
	}
#pragma unroll
	for (int i = 0; i < 4; i++)
	{
		uint32_t take = mask & 1u << i;

		if constexpr (LAYOUT == DFA_EXPANDED)
			state = shared_load8_if(take, table + (state * DFA_EXPANDED_ROW + column[i]), state);
		else if constexpr (LAYOUT == DFA_CLASSES8)
			state = shared_load8_if(
				take, table + (state * dfa.nclasses + column[i]) + DFA_CLASS_BYTES, state);
		else if constexpr (LAYOUT == DFA_CLASSES16)
			state = shared_load16_if(
				take, table + (state * dfa.nclasses + column[i]) * 2 + DFA_CLASS_BYTES, state);
		else if (take != 0)
			state = dfa.next[state * dfa.nclasses + column[i]];
	}
	return state;
}

/* The state at the text's end, from 'state' on, or an earlier one that stays. */
template <DfaLayout LAYOUT>
static __device__ __forceinline__ uint32_t last_state(const DfaTable &dfa, uint32_t table,
													  uint32_t state, const char *value,
													  int32_t len)
{
	auto next = [&](uint32_t from, uint32_t word, uint32_t mask)
	{ return next_word<LAYOUT>(dfa, table, from, word, mask); };
	auto stays = [](uint32_t s) { return s <= GPUSTR_DFA_ACCEPT; };

	return stays(state) ? state : run_automaton<2>(value, len, state, next, stays);
}

/*
 * As last_state(), by a warp.  len at most DFA_TOGETHER.  All lanes, the same arguments;
 * state > GPUSTR_DFA_ACCEPT
 */
template <DfaLayout LAYOUT>
static __device__ __forceinline__ uint32_t last_state_together(const DfaTable &dfa, uint32_t table,
															   uint32_t state, const char *value,
															   int32_t len)
{
	const int32_t lane = (int32_t)(threadIdx.x % 32);
	const int32_t part = (len / 32 + 16) & ~15; /* 32 of these are at least len */
	const int32_t nparts = (len + part - 1) / part;
	const int32_t from = min(lane * part, len);
	int32_t done = 0; /* parts that were started in the right state */

	do
	{
		const int32_t back = lane > done ? min(DFA_GUESS, from) : 0;
		uint32_t guess = state;
		uint32_t end = state;
		bool is_wrong;
		uint32_t wrong;

		/* the bytes for the guess, then the part */
		for (int i = 0; i < 2 && lane >= done; i++)
		{
			guess = end;
			end = last_state<LAYOUT>(dfa, table, end, value + (i == 0 ? from - back : from),
									 i == 0 ? back : min(part, len - from));
		}
		__syncwarp();
		is_wrong = __shfl_up_sync(0xFFFFFFFF, end, 1) != guess && lane > done && lane < nparts;
		wrong = __ballot_sync(0xFFFFFFFF, is_wrong);
		done = wrong != 0 ? __ffs((int)wrong) - 1 : nparts;
		state = __shfl_sync(0xFFFFFFFF, end, done - 1);
	} while (done < nparts && state > GPUSTR_DFA_ACCEPT);
	return state;
}

/* As last_state(), by a warp, for a text of any length. */
template <DfaLayout LAYOUT>
static __device__ __forceinline__ uint32_t last_state_of_long(const DfaTable &dfa, uint32_t table,
															  const char *value, int32_t len)
{
	uint32_t state = dfa.start;

	while (len > 0 && state > GPUSTR_DFA_ACCEPT)
	{
		state = last_state_together<LAYOUT>(dfa, table, state, value, min(len, DFA_TOGETHER));
		value += DFA_TOGETHER;
		len -= DFA_TOGETHER;
	}
	return state;
}

/* What a text is that ends in a state. */
static __device__ __forceinline__ uint32_t truth_of(const DfaTable &dfa, uint32_t state,
													uint32_t accepted)
{
	const uint32_t truth = dfa.at_end[state];

	return truth == GPUSTR_TRUE ? accepted : truth;
}

/* What row r is without the automaton; *is_run: that has to say.  r < nrows */
static __device__ __forceinline__ uint32_t truth_before(const TextRegister &text,
														BoolRegister where, int32_t r, bool *is_run)
{
	const int32_t w = r / 32;
	const uint32_t ruled = where.lo != NULL
							   ? row_truth(gpustr_truth_word(where.lo[w], where.hi[w]), r)
							   : (uint32_t)GPUSTR_TRUE;
	const uint32_t truth = ruled == GPUSTR_TRUE ? row_truth(text_state(text, w), r) : ruled;

	*is_run = ruled == GPUSTR_TRUE && truth == GPUSTR_FALSE;
	return truth;
}

/*
 * match_dfa - run an automaton over each row.
 *
 * text		[nrows] text register
 * accepted	GPUSTR_TRUE or GPUSTR_RECHECK, for texts that are accepted
 * where	rows that are not true here are what they are here; lo NULL: none
 * out		[(nrows + 31) / 32] words a plane
 *
 * One thread a row; a warp writes one word of each plane by ballot, then goes
 * on to that which is as many words further as the grid has warps.  Threads
 * past nrows vote 0.  Long texts come last.
 * e.g. texts {"ab", "b", NULL, "xa"}, an automaton of 'a': lo 1001, hi 0100
 */
template <DfaLayout LAYOUT>
static __global__ void __launch_bounds__(DFA_THREADS, SM_BLOCKS(DFA_THREADS))
	match_dfa(const TextRegister text, int32_t nrows, const DfaTable dfa, uint32_t accepted,
			  BoolRegister where, BoolRegister out)
{
	extern __shared__ __align__(16) unsigned char dfa_shared[];
	const int32_t nwords = (int32_t)(((uint32_t)nrows + 31) / 32);
	const int32_t lane = (int32_t)(threadIdx.x % 32);
	const uint32_t table = (uint32_t)__cvta_generic_to_shared(dfa_shared);
	uint32_t any_long = 0;
	int32_t w;

	fill_table<LAYOUT>(dfa, dfa_shared);
	__syncthreads();
	for (w = (int32_t)(blockIdx.x * DFA_WARPS + threadIdx.x / 32); w < nwords;
		 w += (int32_t)(gridDim.x * DFA_WARPS))
	{
		int32_t r = w * 32 + lane;
		uint32_t truth = GPUSTR_FALSE;
		bool is_long = false;

		if (r < nrows)
		{
			bool is_run;

			truth = truth_before(text, where, r, &is_run);
			if (is_run)
			{
				const int32_t len = text_bytes(text, r);

				is_long = len > DFA_ALONE;
				if (!is_long)
					truth = truth_of(
						dfa, last_state<LAYOUT>(dfa, table, dfa.start, text_at(text, r), len),
						accepted);
			}
		}
		__syncwarp();
		any_long |= __ballot_sync(0xFFFFFFFF, is_long);
		write_truth(out, r, truth);
	}
	if (any_long == 0)
		return;

	/* the long ones, which are false so far */
	for (w = (int32_t)(blockIdx.x * DFA_WARPS + threadIdx.x / 32); w < nwords;
		 w += (int32_t)(gridDim.x * DFA_WARPS))
	{
		const int32_t r = w * 32 + lane;
		bool is_long = false;

		if (r < nrows && text_bytes(text, r) > DFA_ALONE)
			(void)truth_before(text, where, r, &is_long);
		__syncwarp();
		for (uint32_t rest = __ballot_sync(0xFFFFFFFF, is_long); rest != 0; rest &= rest - 1)
		{
			const uint32_t bit = rest & (0 - rest);
			const int32_t of = w * 32 + __ffs((int)rest) - 1;
			const uint32_t truth = truth_of(
				dfa,
				last_state_of_long<LAYOUT>(dfa, table, text_at(text, of), text_bytes(text, of)),
				accepted);

			if (lane == 0)
			{
				out.lo[w] |= (truth & 1) != 0 ? bit : 0;
				out.hi[w] |= (truth & 2) != 0 ? bit : 0;
			}
		}
	}
}

template <DfaLayout LAYOUT>
static cudaError_t allow_shared(int bytes)
{
	return cudaFuncSetAttribute(match_dfa<LAYOUT>, cudaFuncAttributeMaxDynamicSharedMemorySize,
								bytes);
}

cudaError_t prepare_dfa(int device, DfaDevice *limits)
{
	cudaError_t rc;

	rc = cudaDeviceGetAttribute(&limits->sms, cudaDevAttrMultiProcessorCount, device);
	if (rc == cudaSuccess)
		rc = cudaDeviceGetAttribute(&limits->sm_threads, cudaDevAttrMaxThreadsPerMultiProcessor,
									device);
	if (rc == cudaSuccess)
		rc = cudaDeviceGetAttribute(&limits->block_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin,
									device);
	if (rc == cudaSuccess)
		rc = cudaDeviceGetAttribute(&limits->sm_shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor,
									device);
	if (rc == cudaSuccess)
		rc = cudaDeviceGetAttribute(&limits->reserved_shared,
									cudaDevAttrReservedSharedMemoryPerBlock, device);
	if (rc != cudaSuccess)
		return rc;

	/* a device that does not grant so much has the states in global memory */
	if (allow_shared<DFA_EXPANDED>(limits->block_shared) != cudaSuccess ||
		allow_shared<DFA_CLASSES8>(limits->block_shared) != cudaSuccess ||
		allow_shared<DFA_CLASSES16>(limits->block_shared) != cudaSuccess)
	{
		(void)cudaGetLastError();
		limits->block_shared = 0;
	}
	return cudaSuccess;
}

bool dfa_layout_fits(const DfaDevice &limits, DfaLayout layout, const GpustrDfa *dfa)
{
	if (dfa->nstates > DFA_BYTE_STATES && (layout == DFA_EXPANDED || layout == DFA_CLASSES8))
		return false;
	return layout == DFA_GLOBAL || dfa_shared_bytes(layout, dfa) <= (uint64_t)limits.block_shared;
}

DfaLayout dfa_layout(const DfaDevice &limits, const GpustrDfa *dfa)
{
	if (dfa->nstates <= DFA_EXPANDED_STATES && dfa_layout_fits(limits, DFA_EXPANDED, dfa))
		return DFA_EXPANDED;
	if (dfa_layout_fits(limits, DFA_CLASSES8, dfa))
		return DFA_CLASSES8;
	return dfa_layout_fits(limits, DFA_CLASSES16, dfa) ? DFA_CLASSES16 : DFA_GLOBAL;
}

template <DfaLayout LAYOUT>
static cudaError_t launch_layout(const DfaDevice &limits, const TextRegister &text, int32_t nrows,
								 const GpustrDfa *dfa, const GpustrDfa *device_dfa,
								 GpustrTruth accepted, BoolRegister where, BoolRegister out,
								 cudaStream_t stream)
{
	const unsigned shared = (unsigned)dfa_shared_bytes(LAYOUT, dfa);
	const unsigned blocks = automaton_blocks(limits, nrows, DFA_THREADS, shared);
	DfaTable table;

	table.class_of = device_dfa->class_of;
	table.next = (const uint16_t *)((const char *)device_dfa + dfa->next_off);
	table.at_end = (const uint8_t *)((const char *)device_dfa + dfa->at_end_off);
	table.nstates = (uint32_t)dfa->nstates;
	table.nclasses = (uint32_t)dfa->nclasses;
	table.start = (uint32_t)dfa->start;
	match_dfa<LAYOUT><<<blocks, DFA_THREADS, shared, stream>>>(text, nrows, table,
															   (uint32_t)accepted, where, out);
	return cudaPeekAtLastError();
}

cudaError_t launch_dfa(const DfaDevice &limits, DfaLayout layout, const TextRegister &text,
					   int32_t nrows, const GpustrDfa *dfa, const GpustrDfa *device_dfa,
					   GpustrTruth accepted, BoolRegister where, BoolRegister out,
					   cudaStream_t stream)
{
	switch (layout)
	{
		case DFA_EXPANDED:
			return launch_layout<DFA_EXPANDED>(limits, text, nrows, dfa, device_dfa, accepted,
											   where, out, stream);
		case DFA_CLASSES8:
			return launch_layout<DFA_CLASSES8>(limits, text, nrows, dfa, device_dfa, accepted,
											   where, out, stream);
		case DFA_CLASSES16:
			return launch_layout<DFA_CLASSES16>(limits, text, nrows, dfa, device_dfa, accepted,
												where, out, stream);
		case DFA_GLOBAL:
			break;
	}
	return launch_layout<DFA_GLOBAL>(limits, text, nrows, dfa, device_dfa, accepted, where, out,
									 stream);
}
