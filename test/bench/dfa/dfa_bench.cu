/*-------------------------------------------------------------------------
 *
 * dfa_bench.cu
 *	  Automata over a column of texts in device memory: bytes of text a second.
 *
 *		dfa_bench [--quick] [--seed N]
 *
 * Texts are words of lower-case letters with blanks and digits, rows one behind
 * the other, in as many parts as int32 offsets need.  Each automaton runs in
 * each layout that it fits, timed by events over all parts, cold (the texts are
 * far larger than the L2 cache), after one run that is compared with the host's
 * matcher at both ends of the column.  An asterisk is on the layout that the
 * engine takes.
 *
 * IDENTIFICATION
 *	  test/bench/dfa/dfa_bench.cu
 *
 *-------------------------------------------------------------------------
 */
#include <algorithm>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "automata.cuh"
#include "columns.cuh"
#include "cuda_must.cuh"
#include "frame.cuh"
#include "kernels.cuh"
#include "rowfn/dfa.h"

#define REPEATS 5

static const char *const layout_names[] = {"expanded", "classes8", "classes16", "global"};

/* The words of the samples: what the host's matcher says. */
static std::vector<uint32_t> expected_words(const Column &column, const GpustrDfa *dfa,
											double *accepted)
{
	std::vector<uint32_t> words;
	size_t n = column.sample_start.size() - 1;
	int64_t count = 0;

	for (const std::vector<char> &sample : column.sample)
		for (size_t r = 0; r < n; r++)
		{
			int32_t start = column.sample_start[r];
			uint32_t is = (uint32_t)rowfn_dfa_match(dfa, sample.data() + start,
													column.sample_start[r + 1] - start);

			if (r % 32 == 0)
				words.push_back(0);
			words.back() |= is << r % 32;
			count += is;
		}
	*accepted = (double)count / (double)(2 * n);
	return words;
}

static void run(const DfaDevice &limits, const Column &column, DfaLayout layout,
				const GpustrDfa *dfa, const GpustrDfa *device_dfa, cudaStream_t stream)
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
		CUDA_MUST(launch_dfa(limits, layout, text, column.nrows, dfa, device_dfa, GPUSTR_TRUE,
							 BoolRegister{NULL, NULL}, out, stream));
	}
}

/* One line a layout.  Returns how many gave wrong answers. */
static int time_automaton(const DfaDevice &limits, const Column &column, const Automaton &automaton,
						  int *checked, cudaStream_t stream)
{
	const GpustrDfa *dfa = automaton.dfa();
	GpustrDfa *device_dfa;
	double accepted;
	std::vector<uint32_t> want = expected_words(column, dfa, &accepted);
	int wrong = 0;

	CUDA_MUST(cudaMalloc((void **)&device_dfa, automaton.bytes()));
	CUDA_MUST(cudaMemcpy(device_dfa, dfa, automaton.bytes(), cudaMemcpyHostToDevice));
	CUDA_MUST(cudaDeviceSynchronize());
	for (int i = DFA_EXPANDED; i <= DFA_GLOBAL; i++)
	{
		DfaLayout layout = (DfaLayout)i;
		double ms;
		bool right;

		if (!dfa_layout_fits(limits, layout, dfa))
			continue;
		CUDA_MUST(
			cudaMemsetAsync(column.out, 0xA5, 8 * PARTS * (size_t)column.plane_words, stream));
		run(limits, column, layout, dfa, device_dfa, stream);
		CUDA_MUST(cudaStreamSynchronize(stream));
		right = is_right(column, want);
		(*checked)++;
		wrong += !right;
		ms =
			best_of(REPEATS, stream, [&] { run(limits, column, layout, dfa, device_dfa, stream); });
		printf("%-10s %-8s %5d states %3d classes %5.1f%% accepted  %-9s%s %8.3f ms %7.3f TB/s%s\n",
			   column.name.c_str(), automaton.name.c_str(), dfa->nstates, dfa->nclasses,
			   100 * accepted, layout_names[i], layout == dfa_layout(limits, dfa) ? "*" : " ", ms,
			   (double)column.bytes / ms / 1e9, right ? "" : "  WRONG");
		fflush(stdout);
	}
	CUDA_MUST(cudaFree(device_dfa));
	return wrong;
}

int main(int argc, char **argv)
{
	static const struct
	{
		const char *name;
		int32_t shortest;
		int32_t longest;
	} columns[] = {{"49 bytes", 49, 49}, {"106 bytes", 106, 106}, {"49 to 128", 49, 128}};
	std::vector<Automaton> automata;
	const Bench bench = begin_bench("dfa_bench", argc, argv);
	DfaDevice limits;
	const cudaStream_t stream = bench.stream;
	const uint64_t seed = bench.seed;
	const int64_t part_bytes = bench.quick ? 2000000 : PART_BYTES;
	int checked = 0;
	int wrong = 0;

	CUDA_MUST(prepare_dfa(0, &limits));
	automata.push_back(make_sequence(seed));
	automata.push_back(make_words(seed, 20));
	automata.push_back(make_words(seed, 60));
	automata.push_back(make_words(seed, 200));
	automata.push_back(make_random(seed, 200, 40));
	automata.push_back(make_random(seed, 1000, 64));
	automata.push_back(make_random(seed, 5000, 64));
	printf("dfa_bench: %s, %d multiprocessors, %d KB of shared memory a block, seed %llu\n",
		   bench.props.name, limits.sms, limits.block_shared >> 10, (unsigned long long)seed);
	for (const auto &c : columns)
	{
		Column column = make_column(c.name, c.shortest, c.longest, part_bytes, seed);

		for (const Automaton &automaton : automata)
			wrong += time_automaton(limits, column, automaton, &checked, stream);
		free_column(&column);
	}
	return end_bench(bench, checked, wrong);
}
