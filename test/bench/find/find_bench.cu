/*-------------------------------------------------------------------------
 *
 * find_bench.cu
 *	  All places of a pattern in one long value in device memory: bytes a second.
 *
 *		find_bench [--quick] [--seed N]
 *
 * The value is words of lower-case letters, one character in sixteen of two
 * bytes, with "needle" and its number at random places.  It is searched as
 * gpustr.find_all does it, in pieces that are rows, but these overlap where they
 * lie; so that nothing but the engine's own launch is timed: search, scan, and
 * answers, by events, after one run whose positions are all compared with the
 * host's.
 *
 * IDENTIFICATION
 *	  test/bench/find/find_bench.cu
 *
 *-------------------------------------------------------------------------
 */
#include <algorithm>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <vector>

#include "cuda_must.cuh"
#include "frame.cuh"
#include "kernels.cuh"
#include "rowfn/search.h"

#define VALUE_BYTES 1000000000
#define QUICK_BYTES 3000000

/* A needle in so many bytes, on average. */
#define NEEDLE_EVERY 100000

#define REPEATS 10

/* The value, in host and device memory. */
struct Value
{
	std::vector<char> host;
	char *device;
};

/* What a search has in device memory. */
struct Search
{
	int32_t nrows;
	int32_t *start; /* [nrows] */
	int32_t *end;	/* [nrows] */
	char *what;
	OutputColumn column;
	unsigned long long *totals; /* bytes, used */
	TextRegister text;
};

static uint32_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (uint32_t)((*state * 2685821657736338717ULL) >> 32);
}

static Value make_value(int32_t bytes, uint64_t seed)
{
	Value value;
	uint64_t state = seed * 0x9E3779B97F4A7C15ULL + 1;
	int needles = 0;

	value.host.reserve((size_t)bytes + 32);
	while ((int32_t)value.host.size() < bytes)
	{
		uint32_t r = next_random(&state);

		if (r % (NEEDLE_EVERY / 4) == 0)
		{
			std::string needle = "needle" + std::to_string(needles++);

			value.host.insert(value.host.end(), needle.begin(), needle.end());
		}

		/* four letters of a draw */
		for (int i = 0; i < 4; i++, r >>= 8)
		{
			if ((r & 0xF0) == 0)
			{
				value.host.push_back('\303');
				value.host.push_back((char)(0x80 | (r & 0xF)));
			}
			else
				value.host.push_back((r & 0xE0) == 0x20 ? ' ' : (char)('a' + (r & 0xFF) % 26));
		}
	}
	value.host.resize((size_t)bytes);
	CUDA_MUST(cudaMalloc((void **)&value.device, (size_t)bytes + 64));
	CUDA_MUST(cudaMemcpy(value.device, value.host.data(), (size_t)bytes, cudaMemcpyHostToDevice));
	return value;
}

/* room: bytes for the answers */
static Search begin_search(const Value &value, const std::string &what, uint64_t room)
{
	int32_t len = (int32_t)value.host.size();
	int32_t n = (int32_t)what.size();
	std::vector<int32_t> start;
	std::vector<int32_t> end;
	uint64_t scratch;
	Search search = {};

	for (int32_t at = 0; at + n <= len; at += GPUSTR_FIND_PIECE)
	{
		start.push_back(at);
		end.push_back((int32_t)std::min((int64_t)len, (int64_t)at + GPUSTR_FIND_PIECE + n - 1));
	}
	search.nrows = (int32_t)start.size();
	CUDA_MUST(cudaMalloc((void **)&search.start, 4 * start.size()));
	CUDA_MUST(cudaMalloc((void **)&search.end, 4 * end.size()));
	CUDA_MUST(cudaMemcpy(search.start, start.data(), 4 * start.size(), cudaMemcpyHostToDevice));
	CUDA_MUST(cudaMemcpy(search.end, end.data(), 4 * end.size(), cudaMemcpyHostToDevice));
	CUDA_MUST(cudaMalloc((void **)&search.what, what.size() + 64));
	CUDA_MUST(cudaMemcpy(search.what, what.data(), what.size(), cudaMemcpyHostToDevice));
	search.text.base = value.device;
	search.text.start = search.start;
	search.text.end = search.end;

	CUDA_MUST(find_all_scratch_need(search.nrows, &scratch));
	search.column.room = std::min(room, (uint64_t)INT32_MAX);
	CUDA_MUST(cudaMalloc((void **)&search.column.valid, 4 * (size_t)(search.nrows / 32 + 1)));
	CUDA_MUST(cudaMalloc((void **)&search.column.recheck, 4 * (size_t)(search.nrows / 32 + 1)));
	CUDA_MUST(cudaMalloc((void **)&search.column.offset, 4 * ((size_t)search.nrows + 1)));
	CUDA_MUST(cudaMalloc((void **)&search.column.data, search.column.room));
	CUDA_MUST(cudaMalloc(&search.column.scratch, scratch));
	CUDA_MUST(cudaMalloc((void **)&search.totals, 16));
	search.column.bytes = search.totals;
	search.column.used = search.totals + 1;
	return search;
}

static void end_search(Search *search)
{
	CUDA_MUST(cudaFree(search->start));
	CUDA_MUST(cudaFree(search->end));
	CUDA_MUST(cudaFree(search->what));
	CUDA_MUST(cudaFree(search->column.valid));
	CUDA_MUST(cudaFree(search->column.recheck));
	CUDA_MUST(cudaFree(search->column.offset));
	CUDA_MUST(cudaFree(search->column.data));
	CUDA_MUST(cudaFree(search->column.scratch));
	CUDA_MUST(cudaFree(search->totals));
}

static void run(const Search &search, const std::string &what, int32_t encoding,
				cudaStream_t stream)
{
	BoolRegister where = {NULL, NULL};

	CUDA_MUST(launch_find_all(search.text, what.data(), search.what, (int32_t)what.size(), encoding,
							  where, search.nrows, search.column, stream));
}

/* Characters before each hit in the value, from the rows' answers. */
static std::vector<int64_t> positions(const Search &search)
{
	std::vector<int64_t> found;
	std::vector<int32_t> offset((size_t)search.nrows + 1);
	std::vector<int32_t> data;
	int64_t base = 0;

	CUDA_MUST(
		cudaMemcpy(offset.data(), search.column.offset, 4 * offset.size(), cudaMemcpyDeviceToHost));
	data.resize((size_t)offset.back() / 4);
	CUDA_MUST(cudaMemcpy(data.data(), search.column.data, 4 * data.size(), cudaMemcpyDeviceToHost));
	for (size_t r = 0; r + 1 < offset.size(); r++)
	{
		for (int32_t i = offset[r] / 4 + 1; i < offset[r + 1] / 4; i++)
			found.push_back(base + data[(size_t)i]);
		if (offset[r] < offset[r + 1])
			base += data[(size_t)offset[r] / 4];
	}
	return found;
}

/* The same, by the host. */
static std::vector<int64_t> expected(const Value &value, const std::string &what, int32_t encoding)
{
	std::vector<int64_t> found;
	std::vector<int32_t> hits(4096);
	int32_t at = 0;
	int64_t starts = 0;
	RowfnSearch search;

	rowfn_search_begin(&search, value.host.data(), (int32_t)value.host.size(), what.data(),
					   (int32_t)what.size(), 0);
	while (!search.done)
	{
		int32_t n = rowfn_search_next(&search, INT64_MAX, hits.data(), (int32_t)hits.size());

		for (int32_t i = 0; i < n; i++)
		{
			starts += rowfn_count_starts(value.host.data() + at, hits[(size_t)i] - at, encoding);
			at = hits[(size_t)i];
			found.push_back(starts);
		}
	}
	return found;
}

/* One line.  Returns 1 if the positions are not the host's. */
static int time_pattern(const Value &value, const char *name, const std::string &what,
						int32_t encoding, cudaStream_t stream)
{
	std::vector<int64_t> want = expected(value, what, encoding);
	uint64_t nrows = value.host.size() / GPUSTR_FIND_PIECE + 2;
	Search search = begin_search(value, what, 4 * (want.size() + nrows));
	double ms;
	bool right;

	CUDA_MUST(
		cudaMemsetAsync(search.column.recheck, 0, 4 * (size_t)(search.nrows / 32 + 1), stream));
	run(search, what, encoding, stream);
	CUDA_MUST(cudaStreamSynchronize(stream));
	right = positions(search) == want;
	ms = best_of(REPEATS, stream, [&] { run(search, what, encoding, stream); });
	printf("%-24s %5zu bytes %-11s %10zu hits %8.3f ms %7.3f TB/s%s\n", name, what.size(),
		   encoding == GPUSTR_ENC_UTF8 ? "UTF-8" : "single-byte", want.size(), ms,
		   (double)value.host.size() / ms / 1e9, right ? "" : "  WRONG");
	fflush(stdout);
	end_search(&search);
	return !right;
}

int main(int argc, char **argv)
{
	const Bench bench = begin_bench("find_bench", argc, argv);
	const cudaStream_t stream = bench.stream;
	const uint64_t seed = bench.seed;
	const int32_t bytes = bench.quick ? QUICK_BYTES : VALUE_BYTES;
	int checked = 0;
	int wrong = 0;
	Value value;

	printf("find_bench: %s, %d bytes, seed %llu\n", bench.props.name, bytes,
		   (unsigned long long)seed);
	value = make_value(bytes, seed);
	for (int encoding = GPUSTR_ENC_SINGLE_BYTE; encoding <= GPUSTR_ENC_UTF8; encoding++)
	{
		size_t middle = value.host.size() / 2;
		const std::string part(value.host.data() + middle, 4096);
		const struct
		{
			const char *name;
			std::string what;
		} patterns[] = {{"not there", "#needle#"},		 {"needles", "needle"},
						{"one needle", "needle7"},		 {"two letters, not there", "#!"},
						{"three letters, often", "abc"}, {"two letters, everywhere", "ab"},
						{"one letter, everywhere", "e"}, {"a long part", part.substr(0, 300)},
						{"a longer part", part}};

		for (const auto &pattern : patterns)
		{
			wrong += time_pattern(value, pattern.name, pattern.what, encoding, stream);
			checked++;
		}
	}
	CUDA_MUST(cudaFree(value.device));
	return end_bench(bench, checked, wrong);
}
