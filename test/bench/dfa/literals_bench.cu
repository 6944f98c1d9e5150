/*-------------------------------------------------------------------------
 *
 * literals_bench.cu
 *	  Automata of literals over a column of texts in device memory: bytes of text
 *	  a second.
 *
 *		literals_bench [--quick] [--seed N]
 *
 * The literals are words like those of the texts.  In "none", each ends in a
 * character that no text has, so that all texts are read to their ends; in
 * "some" they do not.  Two sizes of hot rows: as the planner has them, and few.
 * Timed as in dfa_bench.cu, compared with the host's search at both ends of the
 * column.
 *
 * IDENTIFICATION
 *	  test/bench/dfa/literals_bench.cu
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "automata.cuh"
#include "columns.cuh"
#include "cuda_must.cuh"
#include "frame.cuh"
#include "kernels.cuh"
extern "C"
{
#include "program/literal_trie.h"
}
#include "rowfn/aho_corasick.h"

#define REPEATS 5

#define FEW_HOT_BYTES 8192

static void no_poll(void)
{
}

static const GpustrTrieMemory memory = {realloc, free, no_poll};

/* An automaton of n words, of 5 to 9 letters. */
static GpustrAhoCorasick *make_set(uint64_t seed, int32_t n, bool found, uint32_t hot_bytes,
								   uint32_t *bytes)
{
	Random random = {seed * 2 + 1};
	std::vector<std::string> words;
	std::vector<GpustrLiteral> literals;
	GpustrLiteralTrie trie;
	GpustrAhoCorasick *set;

	for (int32_t i = 0; i < n; i++)
		words.push_back(random_word(random, 5 + random.below(5)) + (found ? "" : "#"));
	for (const std::string &word : words)
		literals.push_back({word.data(), (int32_t)word.size()});
	if (!gpustr_trie_make(&trie, literals.data(), n, 1, 1u << 23, &memory))
		exit(2);
	set = gpustr_trie_aho_corasick(&trie, hot_bytes, INT32_MAX, &memory, bytes);
	gpustr_trie_free(&trie, &memory);
	if (set == NULL)
		exit(2);
	return set;
}

/* The words of the samples: what the host's search says. */
static std::vector<uint32_t> expected_words(const Column &column, const GpustrAhoCorasick *set,
											double *found)
{
	std::vector<uint32_t> words;
	size_t n = column.sample_start.size() - 1;
	int64_t count = 0;

	for (const std::vector<char> &sample : column.sample)
		for (size_t r = 0; r < n; r++)
		{
			int32_t start = column.sample_start[r];
			uint32_t is = (uint32_t)rowfn_aho_match(set, sample.data() + start,
													column.sample_start[r + 1] - start);

			if (r % 32 == 0)
				words.push_back(0);
			words.back() |= is << r % 32;
			count += is;
		}
	*found = (double)count / (double)(2 * n);
	return words;
}

static void run(const DfaDevice &limits, const Column &column, const GpustrAhoCorasick *set,
				const GpustrAhoCorasick *device_set, cudaStream_t stream)
{
	for (int i = 0; i < PARTS; i++)
	{
		TextRegister text = {};
		BoolRegister out;

		text.base = column.text[i];
		text.start = column.start;
		text.end = column.start + 1;
		text.packed = true;
		out.lo = column.out + 2 * i * column.plane_words;
		out.hi = out.lo + column.plane_words;
		CUDA_MUST(launch_contains_any(limits, text, column.nrows, set, device_set, out, stream));
	}
}

/* One line.  Is it right? */
static bool time_literals(const DfaDevice &limits, const Column &column, uint64_t seed, int32_t n,
						  bool some, uint32_t hot_bytes, cudaStream_t stream)
{
	uint32_t bytes;
	GpustrAhoCorasick *set = make_set(seed, n, some, hot_bytes, &bytes);
	GpustrAhoCorasick *device_set;
	double found;
	std::vector<uint32_t> want = expected_words(column, set, &found);
	double ms;
	bool right;

	CUDA_MUST(cudaMalloc((void **)&device_set, bytes));
	CUDA_MUST(cudaMemcpy(device_set, set, bytes, cudaMemcpyHostToDevice));
	CUDA_MUST(cudaMemsetAsync(column.out, 0xA5, 8 * PARTS * (size_t)column.plane_words, stream));
	run(limits, column, set, device_set, stream);
	CUDA_MUST(cudaStreamSynchronize(stream));
	right = is_right(column, want);
	ms = best_of(REPEATS, stream, [&] { run(limits, column, set, device_set, stream); });
	printf("%-10s %5d literals, %s found: %5.1f%%  %6d states, %5d hot of %3d classes, %5u kB "
		   "%8.3f ms %7.3f TB/s%s\n",
		   column.name.c_str(), n, some ? "some" : "none", 100 * found, set->nstates, set->nhot,
		   set->nclasses, bytes / 1024, ms, (double)column.bytes / ms / 1e9,
		   right ? "" : "  WRONG");
	fflush(stdout);
	CUDA_MUST(cudaFree(device_set));
	free(set);
	return right;
}

int main(int argc, char **argv)
{
	static const struct
	{
		const char *name;
		int32_t shortest;
		int32_t longest;
	} columns[] = {{"49 bytes", 49, 49}, {"49 to 128", 49, 128}};
	static const int32_t counts[] = {10, 100, 1000, 10000};
	const Bench bench = begin_bench("literals_bench", argc, argv);
	DfaDevice limits;
	const cudaStream_t stream = bench.stream;
	const uint64_t seed = bench.seed;
	const int64_t part_bytes = bench.quick ? 2000000 : PART_BYTES;
	int checked = 0;
	int wrong = 0;

	CUDA_MUST(prepare_dfa(0, &limits));
	CUDA_MUST(prepare_contains_any(limits));
	printf("literals_bench: %s, %d multiprocessors, seed %llu\n", bench.props.name, limits.sms,
		   (unsigned long long)seed);
	for (const auto &c : columns)
	{
		Column column = make_column(c.name, c.shortest, c.longest, part_bytes, seed);

		CUDA_MUST(cudaDeviceSynchronize());
		for (int32_t n : counts)
			for (int i = 0; i < 3; i++)
			{
				wrong += !time_literals(limits, column, seed, n, i == 1,
										i == 2 ? FEW_HOT_BYTES : GPUSTR_AHO_HOT_BYTES, stream);
				checked++;
			}
		free_column(&column);
	}
	return end_bench(bench, checked, wrong);
}
