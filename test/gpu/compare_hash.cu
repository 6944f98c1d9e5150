/*-------------------------------------------------------------------------
 *
 * compare_hash.cu
 *	  The hash table of a join on a device, against that of the host engine.
 *
 *		compare_hash [--seconds N] [--cases N] [--seed N]
 *
 * Random keys of all kinds (test/unit/hash_gen.h), probing shapes, loads up to a
 * full table, tables that are too small, truncated hashes, areas for pairs from 1
 * up.  Outputs are poisoned, with a guard behind them.  Pairs are compared in order of
 * their rows, since those of a device have none; runs must be in order.
 *
 * IDENTIFICATION
 *	  test/gpu/compare_hash.cu
 *
 *-------------------------------------------------------------------------
 */
#include <algorithm>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <utility>
#include <vector>

#include "../bench/cuda_must.cuh"
#include "hash_build.cuh"
#include "hash_order.cuh"
#include "hash_probe.cuh"
#include "hash_retrieve.cuh"
#include "hash_sort.cuh"

#include "engine/host_hash.h"
#include "hash_gen.h"

#define GUARD 0xA5A5A5A5u
#define GUARD_WORDS 16

/* Of a case, on average. */
#define MOST_PAIRS 1e6

typedef std::vector<std::pair<uint32_t, uint32_t>> Pairs;

static int failures;
static std::string what; /* the case at hand */

static void must(bool good, const char *message)
{
	if (!good && failures++ < 20)
		printf("DIFFERENT: %s: %s\n", message, what.c_str());
}

/* An array in device memory, poisoned, with a guard behind it. */
template <class T>
struct Device
{
	T *p;
	size_t n;

	explicit Device(size_t count) : n(count)
	{
		CUDA_MUST(cudaMalloc((void **)&p, n * sizeof(T) + 4 * GUARD_WORDS));
		CUDA_MUST(cudaMemset(p, 0xA5, n * sizeof(T) + 4 * GUARD_WORDS));
	}
	Device(const Device &) = delete;
	~Device()
	{
		cudaFree(p);
	}
	std::vector<T> read()
	{
		std::vector<T> out(n);
		uint32_t guard[GUARD_WORDS];

		CUDA_MUST(cudaMemcpy(out.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
		CUDA_MUST(cudaMemcpy(guard, p + n, sizeof(guard), cudaMemcpyDeviceToHost));
		for (uint32_t word : guard)
			must(word == GUARD, "written past the end");
		return out;
	}
	void write(const T *from)
	{
		CUDA_MUST(cudaMemcpy(p, from, n * sizeof(T), cudaMemcpyHostToDevice));
	}
	void poison()
	{
		CUDA_MUST(cudaMemset(p, 0xA5, n * sizeof(T)));
	}
};

struct HostTable
{
	HostHash hash;
	std::vector<uint64_t> slots;
	std::vector<uint32_t> met;
	std::vector<uint32_t> count;
	std::vector<uint32_t> runs;
};

static void build_host(HostTable *host, const HashSide &inner, uint32_t nwindows, uint32_t window)
{
	host->slots.resize((size_t)nwindows * window);
	host->met.resize(inner.n + 1);
	host_hash_begin(&host->hash, &inner.keys, host->slots.data(), nwindows, window);
	host_hash_insert(&host->hash, 0, inner.n, host->met.data());
	host->count.resize(host->slots.size());
	host->runs.resize(host_hash_run_words(inner.n, host->hash.repeated) + 1);
	if (host->hash.repeated > 0)
		host_hash_make_runs(&host->hash, inner.n, host->met.data(), host->count.data(),
							host->runs.data());
}

static Pairs host_pairs(const HostTable &host, const HashSide &outer, bool is_outer)
{
	uint64_t n = host_hash_count(&host.hash, &outer.keys, outer.n, is_outer, NULL);
	std::vector<uint32_t> a(n + 1);
	std::vector<uint32_t> b(n + 1);
	HostHashProgress progress = {0, 0};
	Pairs pairs;

	n = host_hash_retrieve(&host.hash, &outer.keys, outer.n, is_outer, &progress, a.data(),
						   b.data(), (uint32_t)n);
	for (uint64_t i = 0; i < n; i++)
		pairs.push_back({a[i], b[i]});
	std::sort(pairs.begin(), pairs.end());
	return pairs;
}

static bool bit(const std::vector<uint32_t> &bits, uint32_t i)
{
	return (bits[i / 32] >> i % 32 & 1) != 0;
}

/* What there is of one case. */
struct Case
{
	Rng *rng;
	int group;
	int bucket;
	bool fits; /* all rows are in */
	const HashSide *inner;
	const HashSide *outer;
	HostTable *host;
	const std::vector<uint32_t> *outer_row; /* number of the source -> row */
};

/* Pairs, in several calls if there is not room for all. */
template <class Source, class Equal>
static void compare_pairs(const Case &c, const RowfnTable &table, const Source &source,
						  const Equal &equal, bool is_outer)
{
	const uint32_t n = c.outer->n;
	Pairs wanted = host_pairs(*c.host, *c.outer, is_outer);
	uint32_t room = rng_one_in(c.rng, 3)
						? (uint32_t)wanted.size() + 1
						: 1 + (uint32_t)rng_below(c.rng, (int32_t)wanted.size() + 40);
	Pairs got;
	int calls = 0;

	/* not too many calls */
	if (room < wanted.size() / 200)
		room = (uint32_t)wanted.size() / 200;

	Device<uint32_t> outer(room);
	Device<uint32_t> inner(room);
	Device<unsigned long long> written(hash_tiles(n));
	Device<HashProgress> progress(1);
	HashPairs pairs = {outer.p, inner.p, room};

	CUDA_MUST(hash_retrieve_begin(n, progress.p, written.p, 0));
	for (;;)
	{
		outer.poison();
		inner.poison();
		CUDA_MUST(hash_retrieve(c.group, c.bucket, is_outer, table, source, equal, n, progress.p,
								written.p, pairs, 0));

		std::vector<uint32_t> a = outer.read();
		std::vector<uint32_t> b = inner.read();
		HashProgress at = progress.read()[0];
		uint32_t now = (uint32_t)std::min<unsigned long long>(at.pairs, room);

		for (uint32_t i = 0; i < room; i++)
		{
			if (i < now)
				got.push_back({a[i], b[i]});
			else
				must(a[i] == GUARD && b[i] == GUARD, "written past the pairs");
		}
		calls++;
		if (at.tiles_done == hash_tiles(n))
			break;
		if (now < room || calls > 1000)
		{
			must(false, "stopped before the area was full");
			break;
		}
	}
	(void)written.read();
	std::sort(got.begin(), got.end());
	must(got == wanted, is_outer ? "pairs, outer" : "pairs");
}

/* Put the rows of runs in order; checks that they are, and as many. */
static void sort_runs(const RowfnTable &table, uint32_t rows, Device<uint32_t> *runs,
					  Device<uint64_t> *slots, Device<HashCounters> *counters)
{
	Device<HashLongRun> longs(rows / HASH_SHORT_RUN);

	CUDA_MUST(hash_sort_runs(table, longs.p, counters->p, 0));
	(void)longs.read();

	HashCounters known = counters->read()[0];
	size_t scratch_bytes;

	CUDA_MUST(hash_sort_scratch(known.long_words, &scratch_bytes));

	Device<uint64_t> a(known.long_words);
	Device<uint64_t> b(known.long_words);
	Device<uint32_t> row_at(known.long_words);
	Device<char> scratch(scratch_bytes);

	CUDA_MUST(hash_sort_long(table, rows, known, longs.p, row_at.p, a.p, b.p, scratch.p,
							 scratch_bytes, 0));
	(void)a.read();
	(void)b.read();
	(void)row_at.read();
	(void)scratch.read();

	std::vector<uint32_t> run = runs->read();
	uint64_t in_runs = 0;
	uint64_t in_long = 0;
	uint32_t nlong = 0;

	for (uint64_t slot : slots->read())
	{
		uint32_t value = rowfn_slot_value(slot);

		if (value == ROWFN_NO_ROW || (value & ROWFN_VALUE_RUN) == 0)
			continue;

		uint32_t at = value & ~ROWFN_VALUE_RUN;
		uint32_t n = run[at];

		must(n >= 2 && at + n < known.run_words, "length of a run");
		if (n < 2 || at + n >= known.run_words)
			return;
		for (uint32_t k = 1; k < n; k++)
			must(run[at + k] < run[at + k + 1], "order of a run");
		in_runs += n + 1;
		in_long += n > HASH_SHORT_RUN ? n : 0;
		nlong += n > HASH_SHORT_RUN;
	}
	must(in_runs == known.run_words, "words of all runs");
	must(in_long == known.long_words && nlong == known.long_runs, "long runs");
}

/* Build and ask. */
template <class Source, class Equal>
static void compare_table(const Case &c, const Source &inner_source, const Equal &inner_equal,
						  const Source &source, const Equal &equal)
{
	const uint32_t n = c.outer->n;
	const HostHash &host = c.host->hash;
	RowfnTable table = host.table;
	Device<uint64_t> slots(c.host->slots.size());
	Device<uint32_t> met(c.inner->n);
	Device<HashCounters> counters(1);
	Device<uint32_t> count(c.host->slots.size());

	table.slots = slots.p;
	table.runs = NULL;
	CUDA_MUST(hash_begin(table, counters.p, 0));
	CUDA_MUST(hash_insert(c.group, c.bucket, table, inner_source, inner_equal, c.inner->n, met.p,
						  counters.p, 0));
	CUDA_MUST(cudaDeviceSynchronize());
	HashCounters now = counters.read()[0];

	(void)slots.read();
	(void)met.read();
	must(now.distinct == host.distinct, "distinct keys");
	must(now.repeated + now.left_out == host.repeated + host.left_out, "rows");
	if (!c.fits)
	{
		/* which keys are left out depends on who is first */
		must(now.left_out > 0 && now.distinct == slots.n, "full table");
		return;
	}
	must(now.left_out == 0 && now.repeated == host.repeated, "rows left out");

	Device<uint32_t> runs(hash_run_words(c.inner->n, now.repeated));

	if (now.repeated > 0)
	{
		table.runs = runs.p;
		CUDA_MUST(hash_make_runs(table, inner_source, c.inner->n, met.p, count.p, counters.p, 0));
		must(counters.read()[0].run_words <= runs.n, "words of runs");
		sort_runs(table, c.inner->n, &runs, &slots, &counters);
	}

	/* one row, a bit, a count for each; marks */
	Device<uint32_t> found(n);
	Device<uint32_t> bits((n + 31) / 32);
	Device<uint32_t> each(n);
	Device<unsigned long long> sum(1);
	Device<uint32_t> matched((c.inner->n + 31) / 32);
	std::vector<uint32_t> host_each(n + 1);
	std::vector<uint32_t> host_found(n + 1);
	std::vector<uint32_t> host_bits(n / 32 + 1);
	std::vector<uint32_t> host_matched(c.inner->n / 32 + 1);
	bool is_outer = rng_one_in(c.rng, 2);
	unsigned long long host_sum =
		host_hash_count(&host, &c.outer->keys, n, is_outer, host_each.data());

	host_hash_find(&host, &c.outer->keys, n, host_found.data());
	host_hash_contains(&host, &c.outer->keys, n, host_bits.data());
	host_hash_mark(&c.host->hash, &c.outer->keys, n, host_matched.data());
	CUDA_MUST(hash_find(c.group, c.bucket, table, source, equal, n, found.p, 0));
	CUDA_MUST(hash_contains(c.group, c.bucket, table, source, equal, n, bits.p, 0));
	CUDA_MUST(cudaMemset(sum.p, 0, 8));
	CUDA_MUST(hash_count(c.group, c.bucket, table, source, equal, n, is_outer, each.p, sum.p, 0));
	CUDA_MUST(cudaMemset(matched.p, 0, 4 * matched.n));
	CUDA_MUST(hash_mark(c.group, c.bucket, table, source, equal, n, matched.p, 0));

	std::vector<uint32_t> got_found = found.read();
	std::vector<uint32_t> got_bits = bits.read();
	std::vector<uint32_t> got_each = each.read();

	must(sum.read()[0] == host_sum, "sum of counts");
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t row = (*c.outer_row)[i];

		must(got_each[i] == host_each[row], "count");
		must(bit(got_bits, i) == bit(host_bits, row), "contains");
		must(host_found[row] == ROWFN_NO_ROW
				 ? got_found[i] == ROWFN_NO_ROW
				 : got_found[i] < c.inner->n && hash_gen_match(c.outer, row, c.inner, got_found[i]),
			 "find");
	}
	must(n % 32 == 0 || n == 0 || got_bits[n / 32] >> n % 32 == 0, "bits past the last");
	host_matched.resize(matched.n);
	must(matched.read() == host_matched, "matched rows");
	compare_pairs(c, table, source, equal, false);
	compare_pairs(c, table, source, equal, true);

	/* by their pairs */
	Pairs pairs = host_pairs(*c.host, *c.outer, true);

	if (!pairs.empty())
	{
		std::vector<uint32_t> inner;
		Device<uint32_t> rows(pairs.size());

		for (auto &pair : pairs)
			inner.push_back(pair.second);
		rows.write(inner.data());
		CUDA_MUST(cudaMemset(matched.p, 0, 4 * matched.n));
		CUDA_MUST(hash_mark_rows(rows.p, (uint32_t)rows.n, matched.p, 0));
		must(matched.read() == host_matched, "matched rows of pairs");
	}
}

/* One side in device memory, hashed; what of it is valid is compared. */
struct DeviceSide
{
	Device<char> block;
	Device<uint32_t> hash;
	Device<uint32_t> valid;
	Device<uint32_t> recheck;
	Device<uint64_t> items[2];
	RowfnKeys keys;

	explicit DeviceSide(const HashSide &side)
		: block(side.bytes + 16), hash(side.n), valid((side.n + 31) / 32),
		  recheck((side.n + 31) / 32), items{Device<uint64_t>(side.n), Device<uint64_t>(side.n)},
		  keys(hash_gen_moved(&side, block.p))
	{
		CUDA_MUST(cudaMemcpy(block.p, side.block, side.bytes, cudaMemcpyHostToDevice));
		CUDA_MUST(hash_keys(keys, side.n, hash.p, valid.p, recheck.p, 0));

		std::vector<uint32_t> got_hash = hash.read();
		std::vector<uint32_t> got_valid = valid.read();
		std::vector<uint32_t> got_recheck = recheck.read();

		for (uint32_t i = 0; i < side.n; i++)
		{
			uint32_t h;

			must(bit(got_valid, i) == (rowfn_keys_valid(&side.keys, i) != 0), "valid");
			must(!bit(got_recheck, i), "recheck");
			if (!rowfn_keys_valid(&side.keys, i))
				continue;
			must(rowfn_key_hash(&side.keys, i, &h) == 0 && got_hash[i] == h, "hash");
		}
	}
};

/* A source in the order of its hashes; checks that order. */
static ItemSource order(Rng *rng, DeviceSide *side, const HashSide &host, bool exact,
						std::vector<uint32_t> *rows)
{
	const uint32_t n = host.n;
	const int bits = rng_below(rng, HASH_ORDER_BITS + 1);
	size_t scratch_bytes;
	ItemSource ordered;
	std::vector<uint64_t> items(n);
	std::vector<uint32_t> seen(n);

	CUDA_MUST(hash_order_scratch(n, &scratch_bytes));

	Device<char> scratch(scratch_bytes);

	if (exact)
		CUDA_MUST(hash_order(
			WordSource{(const uint32_t *)side->keys.column[0].value, side->keys.valid}, n, bits,
			side->items[0].p, side->items[1].p, scratch.p, scratch_bytes, &ordered, 0));
	else
		CUDA_MUST(hash_order(HashSource{side->hash.p, side->valid.p}, n, bits, side->items[0].p,
							 side->items[1].p, scratch.p, scratch_bytes, &ordered, 0));
	if (n > 0)
		CUDA_MUST(cudaMemcpy(items.data(), ordered.item, 8 * (size_t)n, cudaMemcpyDeviceToHost));
	rows->resize(n);
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t row = (uint32_t)items[i] & ~HASH_ITEM_NULL;

		must(row < n && seen[row]++ == 0, "items");
		must(i == 0 || bits == 0 || items[i - 1] >> (64 - bits) <= items[i] >> (64 - bits),
			 "order of items");
		(*rows)[i] = row < n ? row : 0;
	}
	return ordered;
}

static void one_case(Rng *rng)
{
	static const int shapes[][2] = {{1, 1}, {1, 2}, {1, 4}, {2, 1}, {2, 2},
									{2, 4}, {4, 1}, {4, 2}, {8, 1}, {8, 2}};
	const int *probing = shapes[rng_below(rng, 10)];
	uint32_t most = rng_one_in(rng, 4) ? 40000 : rng_one_in(rng, 2) ? 3000 : 50;
	HashKeyShape shape = hash_gen_shape(rng, most);
	uint32_t ninner = (uint32_t)rng_below(rng, (int32_t)most);
	uint32_t nouter = (uint32_t)rng_below(rng, (int32_t)most);
	double keys = 1;

	/* half of them one WORD; few pairs where keys are few; few rows where hashes are */
	if (rng_one_in(rng, 2))
	{
		shape.ncolumns = 1;
		shape.kind[0] = ROWFN_KEY_WORD;
		if (rng_one_in(rng, 2))
			shape.hash_bits = ROWFN_HASH_BITS;
	}
	if (shape.hash_bits < 16)
	{
		ninner %= 300;
		nouter %= 300;
	}
	for (int i = 0; i < shape.ncolumns; i++)
		keys *= shape.pool[i];
	if ((double)ninner * nouter / keys > MOST_PAIRS)
		nouter = 1 + (uint32_t)(MOST_PAIRS * keys / ninner);

	uint32_t window = (uint32_t)(probing[0] * probing[1]);
	uint32_t nwindows =
		rowfn_table_windows(ninner, rng_one_in(rng, 4) ? 100 : 10 + rng_below(rng, 90), window);

	if (rng_one_in(rng, 8) && nwindows > 8)
		nwindows /= 8;

	HashSide inner = hash_gen_side(rng, &shape, ninner);
	HashSide outer = hash_gen_side(rng, &shape, nouter);
	HostTable host;
	std::vector<uint32_t> inner_row(ninner);
	std::vector<uint32_t> outer_row(nouter);
	bool exact = rowfn_keys_exact(&inner.keys);
	bool ordered = rng_one_in(rng, 2);

	what = std::to_string(shape.ncolumns) + " columns, first of kind " +
		   std::to_string(shape.kind[0]) + ", " + std::to_string(shape.pool[0]) + " values, hash " +
		   std::to_string(shape.hash_bits) + " bits, " + std::to_string(ninner) + " x " +
		   std::to_string(nouter) + " rows, " + std::to_string(nwindows) + " windows, group " +
		   std::to_string(probing[0]) + " bucket " + std::to_string(probing[1]) +
		   (ordered ? ", ordered" : "");
	build_host(&host, inner, nwindows, window);
	{
		DeviceSide d_inner(inner);
		DeviceSide d_outer(outer);
		Case c = {rng,	  probing[0], probing[1], host.hash.left_out == 0,
				  &inner, &outer,	  &host,	  &outer_row};
		KeysEqual inner_equal = {d_inner.keys, d_inner.keys};
		KeysEqual equal = {d_inner.keys, d_outer.keys};

		for (uint32_t i = 0; i < nouter; i++)
			outer_row[i] = i;
		if (ordered)
		{
			ItemSource a = order(rng, &d_inner, inner, exact, &inner_row);
			ItemSource b = order(rng, &d_outer, outer, exact, &outer_row);

			if (exact)
				compare_table(c, a, ExactEqual(), b, ExactEqual());
			else
				compare_table(c, a, inner_equal, b, equal);
		}
		else if (exact)
		{
			WordSource a = {(const uint32_t *)d_inner.keys.column[0].value, d_inner.keys.valid};
			WordSource b = {(const uint32_t *)d_outer.keys.column[0].value, d_outer.keys.valid};

			compare_table(c, a, ExactEqual(), b, ExactEqual());
		}
		else
			compare_table(c, HashSource{d_inner.hash.p, d_inner.valid.p}, inner_equal,
						  HashSource{d_outer.hash.p, d_outer.valid.p}, equal);
		CUDA_MUST(cudaDeviceSynchronize());
	}
	hash_gen_free(&inner);
	hash_gen_free(&outer);
}

int main(int argc, char **argv)
{
	double seconds = 20;
	uint64_t seed = (uint64_t)time(NULL);
	time_t start = time(NULL);
	int most = INT32_MAX;
	int cases = 0;

	for (int i = 1; i + 1 < argc; i += 2)
	{
		if (strcmp(argv[i], "--seconds") == 0)
			seconds = atof(argv[i + 1]);
		else if (strcmp(argv[i], "--cases") == 0)
		{
			most = atoi(argv[i + 1]);
			seconds = 1e9;
		}
		else if (strcmp(argv[i], "--seed") == 0)
			seed = strtoull(argv[i + 1], NULL, 10);
	}
	printf("compare_hash: seed %llu\n", (unsigned long long)seed);
	while (difftime(time(NULL), start) < seconds && cases < most && failures < 20)
	{
		Rng rng = rng_make(seed + (uint64_t)cases);

		one_case(&rng);
		if (failures > 0 && failures < 20)
			printf("  (--seed %llu)\n", (unsigned long long)seed + cases);
		cases++;
	}
	printf("compare_hash: %d cases, %d differences\n", cases, failures);
	return failures > 0 || cases == 0 ? 1 : 0;
}
