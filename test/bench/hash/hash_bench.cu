/*-------------------------------------------------------------------------
 *
 * hash_bench.cu
 *	  The hash table of a join in device memory: pairs, bytes and matches a second.
 *
 *		hash_bench [--quick] [--part roofs|shapes|loads|join|repeated]... [--l2 BYTES]
 *
 * Keys are words: each different, in no order; the value that belongs to a key is
 * its row.  So a slot is 4 + 4 bytes, and a row that is put in or found counts as 8, as
 * is usual for such tables; what moves is more.
 *
 *		roofs		2^27 random reads of 8 bytes, and compare-and-swaps, in as much
 *					memory as the table of 'shapes': no table can do better without
 *					going there in some order
 *		shapes		insert and find of 2^27, half of the slots taken, for each probing
 *					shape; 'ordered': rows are first brought in the order of their
 *					hashes, which is part of the time
 *		loads		the same for loads from 0.1 to 0.95 of a table of 2^27 slots, a
 *					shape for each group size
 *		join		2^26 rows with 2^27 rows that have a partner each, or four:
 *					build, count, retrieve
 *		repeated	9.6 M rows with 25 keys, 1 M rows look them up
 *
 * Every answer is checked: all rows found where they are, or the sum of what pairs say.
 * Times are medians of events, each output is poisoned before.  --l2: cudaLimit-
 * MaxL2FetchGranularity, a hint to the device.
 *
 * IDENTIFICATION
 *	  test/bench/hash/hash_bench.cu
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
#include "hash_build.cuh"
#include "hash_order.cuh"
#include "hash_probe.cuh"
#include "hash_retrieve.cuh"
#include "keys.cuh"

#define REPEATS 5

struct Shape
{
	int group;
	int bucket;
};

static const Shape all_shapes[] = {{1, 1}, {1, 2}, {1, 4}, {2, 1}, {2, 2},
								   {2, 4}, {4, 1}, {4, 2}, {8, 1}, {8, 2}};

/* Device memory, once for all. */
struct Memory
{
	uint64_t *slots;
	uint32_t *inner_word;
	uint32_t *outer_word;
	uint32_t *met;
	uint32_t *found;
	uint32_t *count;
	uint32_t *runs;
	uint32_t *pair_outer;
	uint32_t *pair_inner;
	uint64_t *items[2];
	uint64_t *more_items[2];
	void *scratch;
	size_t scratch_bytes;
	unsigned long long *written;
	HashCounters *counters;
	HashProgress *progress;
	unsigned long long *sums; /* 4 */
	cudaEvent_t event[2];
	uint64_t max_slots;
	uint32_t max_rows;
	uint32_t max_pairs;
};

static Memory m;
static int failures;

template <class T>
static void get_memory(T **p, uint64_t n)
{
	CUDA_MUST(cudaMalloc((void **)p, n * sizeof(T)));
	CUDA_MUST(cudaMemset(*p, 0xA5, n * sizeof(T)));
}

/* The median time of f(), ms; before() is not part of it. */
template <class Before, class F>
static double time_of(int repeats, Before before, F f)
{
	std::vector<float> ms;

	for (int i = 0; i <= repeats; i++)
	{
		float t;

		before();
		CUDA_MUST(cudaEventRecord(m.event[0]));
		f();
		CUDA_MUST(cudaEventRecord(m.event[1]));
		CUDA_MUST(cudaEventSynchronize(m.event[1]));
		CUDA_MUST(cudaEventElapsedTime(&t, m.event[0], m.event[1]));
		if (i > 0)
			ms.push_back(t);
	}
	std::sort(ms.begin(), ms.end());
	return ms[ms.size() / 2];
}

static HashCounters read_counters()
{
	HashCounters counters;

	CUDA_MUST(cudaMemcpy(&counters, m.counters, sizeof(counters), cudaMemcpyDeviceToHost));
	return counters;
}

static HashProgress read_progress()
{
	HashProgress progress;

	CUDA_MUST(cudaMemcpy(&progress, m.progress, sizeof(progress), cudaMemcpyDeviceToHost));
	return progress;
}

static unsigned long long read_sum(int i)
{
	unsigned long long sum;

	CUDA_MUST(cudaMemcpy(&sum, m.sums + i, 8, cudaMemcpyDeviceToHost));
	return sum;
}

static void must(bool good, const char *what)
{
	if (!good)
	{
		printf("WRONG: %s\n", what);
		failures++;
	}
}

static RowfnTable table_of(Shape shape, uint64_t slots)
{
	RowfnTable table = {};

	table.slots = m.slots;
	table.window = (uint32_t)(shape.group * shape.bucket);
	table.nwindows = (uint32_t)(slots / table.window);
	return table;
}

static void run_roofs(uint32_t n)
{
	double gather;
	double cas;

	gather = time_of(
		REPEATS, [] {},
		[&] { gather_roof<<<n / 1024, 256>>>((HashWord *)m.slots, m.max_slots, n, m.found); });
	cas = time_of(
		REPEATS, [] { CUDA_MUST(cudaMemset(m.slots, 0xFF, 8 * m.max_slots)); },
		[&] { cas_roof<<<n / 256, 256>>>((HashWord *)m.slots, m.max_slots, n); });
	CUDA_MUST(cudaGetLastError());
	printf(
		"roofs (%u accesses in %.1f GB): gather %.2f ms %.0f GB/s, compare-and-swap %.2f ms %.0f "
		"GB/s\n",
		n, 8e-9 * m.max_slots, gather, 8e-6 * n / gather, cas, 8e-6 * n / cas);
}

/* Insert and find n rows. */
static void run_shape(Shape shape, uint32_t n, uint64_t slots, bool ordered)
{
	RowfnTable table = table_of(shape, slots);
	WordSource inner = {m.inner_word, NULL};
	WordSource outer = {m.outer_word, NULL};
	int bits = hash_order_bits(table);
	double insert;
	double find;
	unsigned long long wrong;

	insert = time_of(
		REPEATS, [&] { CUDA_MUST(hash_begin(table, m.counters, 0)); },
		[&]
		{
			if (ordered)
			{
				ItemSource items;

				CUDA_MUST(hash_order(inner, n, bits, m.items[0], m.items[1], m.scratch,
									 m.scratch_bytes, &items, 0));
				CUDA_MUST(hash_insert(shape.group, shape.bucket, table, items, ExactEqual(), n,
									  m.met, m.counters, 0));
			}
			else
				CUDA_MUST(hash_insert(shape.group, shape.bucket, table, inner, ExactEqual(), n,
									  m.met, m.counters, 0));
		});
	must(read_counters().distinct == n && read_counters().left_out == 0, "rows put in");
	find = time_of(
		REPEATS, [&] { CUDA_MUST(cudaMemset(m.found, 0xA5, 4 * (size_t)n)); },
		[&]
		{
			if (ordered)
			{
				/* answers stay in the order of the items */
				ItemSource items;

				CUDA_MUST(hash_order(outer, n, bits, m.items[0], m.items[1], m.scratch,
									 m.scratch_bytes, &items, 0));
				CUDA_MUST(hash_find(shape.group, shape.bucket, table, items, ExactEqual(), n,
									m.found, 0));
			}
			else
				CUDA_MUST(hash_find(shape.group, shape.bucket, table, outer, ExactEqual(), n,
									m.found, 0));
		});
	if (!ordered)
	{
		CUDA_MUST(cudaMemset(m.sums, 0, 32));
		check_find<<<1024, 256>>>(m.outer_word, m.found, n, m.inner_word, n, m.sums);
		CUDA_MUST(cudaGetLastError());
		wrong = read_sum(0);
		must(wrong == 0, "rows found");
	}
	printf("  group %d x bucket %d %-8s load %.3f: insert %7.3f ms %4.0f GB/s  find %7.3f ms %4.0f "
		   "GB/s\n",
		   shape.group, shape.bucket, ordered ? "ordered" : "", (double)n / slots, insert,
		   8e-6 * n / insert, find, 8e-6 * n / find);
	fflush(stdout);
}

static void run_shapes(uint32_t n, uint64_t slots)
{
	make_keys<<<1024, 256>>>(m.inner_word, n, n);
	draw_keys<<<1024, 256>>>(m.outer_word, n, n);
	printf("shapes: %u rows, %.0f million slots\n", n, 1e-6 * slots);
	for (const Shape &shape : all_shapes)
		run_shape(shape, n, slots, false);
	run_shape({1, 4}, n, slots, true);
	run_shape({2, 2}, n, slots, true);
	run_shape({4, 2}, n, slots, true);
}

static void run_loads(uint64_t slots)
{
	static const int loads[] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 95};
	static const Shape shapes[] = {{1, 4}, {2, 2}, {4, 1}, {4, 2}, {8, 1}};

	printf("loads: %.0f million slots\n", 1e-6 * slots);
	for (int load : loads)
	{
		uint32_t n = (uint32_t)(slots * load / 100);

		make_keys<<<1024, 256>>>(m.inner_word, n, n);
		draw_keys<<<1024, 256>>>(m.outer_word, n, n);
		for (const Shape &shape : shapes)
			run_shape(shape, n, slots, false);
		run_shape({2, 2}, n, slots, true);
	}
}

/*
 * Join ninner rows of ndistinct keys with nouter rows that all have partners.
 * At most 'calls' calls of retrieve; 0: until the end.
 */
template <bool ORDERED>
static void run_join(Shape shape, uint32_t ninner, uint32_t ndistinct, uint32_t nouter, int calls)
{
	uint64_t slots = (uint64_t)ninner * 2;
	RowfnTable table = table_of(shape, slots);
	WordSource inner_words = {m.inner_word, NULL};
	WordSource outer_words = {m.outer_word, NULL};
	ItemSource inner_items = {m.items[0]};
	ItemSource outer_items = {m.more_items[0]};
	int bits = hash_order_bits(table);
	double order_inner = 0;
	double order_outer = 0;
	double begin;
	double insert;
	double make_runs = 0;
	double count;
	double retrieve;
	HashPairs pairs = {m.pair_outer, m.pair_inner, m.max_pairs};
	HashCounters counters;
	HashProgress progress = {};
	unsigned long long total = 0;
	unsigned long long got = 0;
	int made = 0;

	make_keys<<<1024, 256>>>(m.inner_word, ninner, ndistinct);
	draw_keys<<<1024, 256>>>(m.outer_word, nouter, ndistinct);
	if (ORDERED)
	{
		order_inner = time_of(
			REPEATS, [] {},
			[&]
			{
				CUDA_MUST(hash_order(inner_words, ninner, bits, m.items[0], m.items[1], m.scratch,
									 m.scratch_bytes, &inner_items, 0));
			});
		order_outer = time_of(
			REPEATS, [] {},
			[&]
			{
				CUDA_MUST(hash_order(outer_words, nouter, bits, m.more_items[0], m.more_items[1],
									 m.scratch, m.scratch_bytes, &outer_items, 0));
			});
	}
	auto put_in = [&]
	{
		if constexpr (ORDERED)
			CUDA_MUST(hash_insert(shape.group, shape.bucket, table, inner_items, ExactEqual(),
								  ninner, m.met, m.counters, 0));
		else
			CUDA_MUST(hash_insert(shape.group, shape.bucket, table, inner_words, ExactEqual(),
								  ninner, m.met, m.counters, 0));
	};
	begin = time_of(
		REPEATS, [] {}, [&] { CUDA_MUST(hash_begin(table, m.counters, 0)); });
	insert = time_of(
		REPEATS, [&] { CUDA_MUST(hash_begin(table, m.counters, 0)); }, put_in);
	counters = read_counters();
	must(counters.distinct == ndistinct && counters.repeated == ninner - ndistinct &&
			 counters.left_out == 0,
		 "rows put in");
	if (counters.repeated > 0)
	{
		table.runs = m.runs;
		make_runs = time_of(
			2,
			[&]
			{
				CUDA_MUST(hash_begin(table, m.counters, 0));
				put_in();
			},
			[&]
			{
				if constexpr (ORDERED)
					CUDA_MUST(
						hash_make_runs(table, inner_items, ninner, m.met, m.count, m.counters, 0));
				else
					CUDA_MUST(
						hash_make_runs(table, inner_words, ninner, m.met, m.count, m.counters, 0));
			});
		must(read_counters().run_words == ninner + ndistinct, "words of runs");
	}
	count = time_of(
		REPEATS, [&] { CUDA_MUST(cudaMemset(m.sums, 0, 32)); },
		[&]
		{
			if constexpr (ORDERED)
				CUDA_MUST(hash_count(shape.group, shape.bucket, table, outer_items, ExactEqual(),
									 nouter, false, NULL, m.sums, 0));
			else
				CUDA_MUST(hash_count(shape.group, shape.bucket, table, outer_words, ExactEqual(),
									 nouter, false, NULL, m.sums, 0));
		});
	total = read_sum(0);
	must(ninner % ndistinct != 0 || total == (unsigned long long)nouter * (ninner / ndistinct),
		 "sum of counts");

	auto next_pairs = [&]
	{
		if constexpr (ORDERED)
			CUDA_MUST(hash_retrieve(shape.group, shape.bucket, false, table, outer_items,
									ExactEqual(), nouter, m.progress, m.written, pairs, 0));
		else
			CUDA_MUST(hash_retrieve(shape.group, shape.bucket, false, table, outer_words,
									ExactEqual(), nouter, m.progress, m.written, pairs, 0));
	};
	auto start_pairs = [&]
	{
		CUDA_MUST(cudaMemset(m.pair_outer, 0xA5, 4 * (size_t)m.max_pairs));
		CUDA_MUST(cudaMemset(m.pair_inner, 0xA5, 4 * (size_t)m.max_pairs));
		CUDA_MUST(hash_retrieve_begin(nouter, m.progress, m.written, 0));
	};
	retrieve =
		time_of(REPEATS, start_pairs,
				[&]
				{
					made = 0;
					got = 0;
					do
					{
						next_pairs();
						made++;
						if (total > m.max_pairs)
						{
							progress = read_progress();
							got += std::min<unsigned long long>(progress.pairs, pairs.room);
						}
					} while (total > m.max_pairs && progress.tiles_done < hash_tiles(nouter) &&
							 (calls == 0 || made < calls));
				});
	progress = read_progress();
	if (total <= m.max_pairs)
	{
		got = progress.pairs;
		must(progress.tiles_done == hash_tiles(nouter), "at the end");
	}
	must(calls > 0 || got == total, "number of pairs");

	/* of the last call */
	CUDA_MUST(cudaMemset(m.sums, 0, 32));
	check_pairs<<<1024, 256>>>(m.pair_outer, m.pair_inner,
							   (uint32_t)std::min<unsigned long long>(progress.pairs, pairs.room),
							   m.outer_word, nouter, m.inner_word, ninner, m.sums, m.sums + 1);
	CUDA_MUST(cudaGetLastError());
	must(read_sum(0) == 0, "pairs");
	if (made == 1 && ndistinct == ninner)
	{
		/* each outer row once */
		must(got == nouter, "a pair for each outer row");
	}
	printf("  group %d x bucket %d %-8s: order %.2f + %.2f, empty %.2f, insert %.2f, runs %.2f, "
		   "count %.2f, retrieve %.2f ms in %d calls\n",
		   shape.group, shape.bucket, ORDERED ? "ordered" : "", order_inner, order_outer, begin,
		   insert, make_runs, count, retrieve, made);
	printf("    count %.1f G matches/s, retrieve %.2f G matches/s; outer side once: %.2f ms, with "
		   "count "
		   "%.2f; all, from empty slots on: %.2f ms\n",
		   1e-6 * total / count, 1e-6 * got / retrieve, order_outer + retrieve,
		   order_outer + count + retrieve,
		   order_inner + order_outer + insert + make_runs + retrieve);
	fflush(stdout);
}

static void run_joins(uint32_t ninner, uint32_t nouter)
{
	static const Shape shapes[] = {{1, 2}, {1, 4}, {2, 1}, {2, 2}, {2, 4}};

	for (uint32_t each = 1; each <= 4; each += 3)
	{
		printf("join: %u rows, %u of a key, with %u rows\n", ninner, each, nouter);
		for (const Shape &shape : shapes)
		{
			run_join<false>(shape, ninner, ninner / each, nouter, 0);
			run_join<true>(shape, ninner, ninner / each, nouter, 0);
		}
	}
}

int main(int argc, char **argv)
{
	uint32_t scale = 0;
	std::string parts;
	size_t l2 = 0;
	cudaDeviceProp prop;

	for (int i = 1; i < argc; i++)
	{
		if (strcmp(argv[i], "--quick") == 0)
			scale = 5;
		else if (strcmp(argv[i], "--part") == 0 && i + 1 < argc)
			parts += std::string(" ") + argv[++i];
		else if (strcmp(argv[i], "--l2") == 0 && i + 1 < argc)
			CUDA_MUST(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity,
										 (size_t)strtoul(argv[++i], NULL, 10)));
		else
		{
			fprintf(stderr,
					"usage: hash_bench [--quick] [--part roofs|shapes|loads|join|repeated]... "
					"[--l2 BYTES]\n");
			return 2;
		}
	}
	auto wanted = [&](const char *part)
	{ return parts.empty() || parts.find(part) != std::string::npos; };
	const uint32_t n = (1u << 27) >> scale;

	CUDA_MUST(cudaGetDeviceProperties(&prop, 0));
	CUDA_MUST(cudaDeviceGetLimit(&l2, cudaLimitMaxL2FetchGranularity));
	printf("%s, %d multiprocessors, L2 %.0f MB, fetches of %zu bytes\n", prop.name,
		   prop.multiProcessorCount, 1e-6 * prop.l2CacheSize, l2);
	m.max_rows = n;
	m.max_slots = (uint64_t)n * 2;
	m.max_pairs = n * 4;
	get_memory(&m.slots, m.max_slots);
	get_memory(&m.inner_word, n);
	get_memory(&m.outer_word, n);
	get_memory(&m.met, n);
	get_memory(&m.found, n);
	get_memory(&m.count, m.max_slots);
	get_memory(&m.runs, hash_run_words(n, n));
	get_memory(&m.pair_outer, m.max_pairs);
	get_memory(&m.pair_inner, m.max_pairs);
	for (int i = 0; i < 2; i++)
	{
		get_memory(&m.items[i], n);
		get_memory(&m.more_items[i], n);
	}
	CUDA_MUST(hash_order_scratch(n, &m.scratch_bytes));
	CUDA_MUST(cudaMalloc(&m.scratch, m.scratch_bytes));
	get_memory(&m.written, hash_tiles(n));
	get_memory(&m.counters, 1);
	get_memory(&m.progress, 1);
	get_memory(&m.sums, 4);
	CUDA_MUST(cudaEventCreate(&m.event[0]));
	CUDA_MUST(cudaEventCreate(&m.event[1]));

	if (wanted("roofs"))
		run_roofs(n);
	if (wanted("shapes"))
		run_shapes(n, (uint64_t)n * 2);
	if (wanted("join"))
		run_joins(n / 2, n);
	if (wanted("repeated"))
	{
		uint32_t rows = 9600000u >> scale;
		uint32_t outer = 1000000u >> scale;

		printf("repeated: %u rows of 25 keys, with %u rows\n", rows, outer);
		run_join<false>({2, 2}, rows, 25, outer, 8);
		run_join<true>({2, 2}, rows, 25, outer, 8);
		printf("repeated: %u rows of 1 key, with %u rows\n", rows, outer);
		run_join<false>({2, 2}, rows, 1, outer, 8);
	}
	if (wanted("loads"))
		run_loads(n);
	printf(failures > 0 ? "hash_bench: %d wrong answers\n" : "hash_bench: all answers right\n",
		   failures);
	return failures > 0 ? 1 : 0;
}
