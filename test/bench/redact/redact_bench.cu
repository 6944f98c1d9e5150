/*-------------------------------------------------------------------------
 *
 * redact_bench.cu
 *	  Ways to redact a column of names on a GPU, side by side.
 *
 *		redact_bench [--quick] [--seed N] [--sizes N,N,...]
 *
 * First every variant is checked, byte for byte, against the row functions on
 * the CPU: on hard data of many sizes, and on each input before it is timed.
 * The output is poisoned before and must not be written past its room.  Then
 * all are timed on the same data, by events around one run, the median of many
 * runs; a kernel that only waits stands before the first event, so that the
 * host is ahead of the device and its own time does not count.
 *
 * A small input stays in the L2 cache (60 MB) from one run to the next, which
 * no real input does: it is timed over a ring of copies ("cold") and over one
 * ("warm").  "b2b" is the time of one of 20 runs, one after the other.
 *
 * GB/s counts inputs once and outputs once, whatever a variant does; "% copy"
 * is its share of what cudaMemcpy from device to device reaches in this run,
 * bytes read and written counted.
 *
 * Exit status: 0, or 1 if a variant was wrong.
 *
 * IDENTIFICATION
 *	  test/bench/redact/redact_bench.cu
 *
 *-------------------------------------------------------------------------
 */
#include <algorithm>
#include <string.h>

#include "data.cuh"

/* Bytes behind an output that must stay as they are. */
#define GUARD_BYTES 64
#define POISON 0xA5

/* Enough copies of a small input to be larger than any L2 cache. */
#define RING_BYTES ((int64_t)400 << 20)
#define RING_MAX 24

/* How long the device waits before a run is timed, in clock cycles. */
#define HEAD_START_CYCLES 200000
#define B2B_RUNS 20

/* Read and written by the copy that all is measured by. */
#define LARGE_COPY_BYTES ((int64_t)8 << 30)

/* An input and an output in device memory. */
struct Buffers
{
	Input in;
	Output out;
	char *owned[5];
};

/* Put the device behind the host. */
static __global__ void head_start(long long cycles)
{
	long long start = clock64();

	while (clock64() - start < cycles)
		;
}

/* Count what is not as it must be. */
static __global__ void differences(const char *a, const char *b, int64_t n,
								   unsigned long long *count)
{
	int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
	int64_t step = (int64_t)gridDim.x * blockDim.x;
	unsigned long long mine = 0;

	for (; i < n; i += step)
		mine += a[i] != b[i];
	if (mine != 0)
		atomicAdd(count, mine);
}

static unsigned long long count_differences(const char *a, const char *b, int64_t n)
{
	static unsigned long long *count = NULL; /* in device memory */
	unsigned long long result = 0;

	if (count == NULL)
		count = device_new<unsigned long long>(1);
	CUDA_MUST(cudaMemset(count, 0, sizeof(*count)));
	differences<<<1024, 256>>>(a, b, n, count);
	CUDA_MUST(cudaPeekAtLastError());
	CUDA_MUST(cudaMemcpy(&result, count, sizeof(result), cudaMemcpyDeviceToHost));
	return result;
}

/* Copy to device memory, 'shift' bytes past an aligned address. */
static char *upload(const void *from, int64_t bytes, int shift, char **owned)
{
	*owned = device_new<char>(bytes + 16);
	CUDA_MUST(cudaMemcpy(*owned + shift, from, (size_t)bytes, cudaMemcpyHostToDevice));
	return *owned + shift;
}

static Buffers make_buffers(const HostData &data, int shift)
{
	Buffers b = {};

	b.in.n = data.n;
	b.in.encoding = GPUSTR_ENC_UTF8;
	b.in.name = upload(data.name.data(), (int64_t)data.name.size(), shift, &b.owned[0]);
	b.in.name_start =
		(const int32_t *)upload(data.name_start.data(), 4 * ((int64_t)data.n + 1), 0, &b.owned[1]);
	b.in.visibility =
		upload(data.visibility.data(), (int64_t)data.visibility.size(), shift, &b.owned[2]);
	b.in.visibility_start = (const int32_t *)upload(data.visibility_start.data(),
													4 * ((int64_t)data.n + 1), 0, &b.owned[3]);
	b.in.name_bytes = (int64_t)data.name.size();
	b.in.visibility_bytes = (int64_t)data.visibility.size();
	b.out.room = (int64_t)data.out.size();
	b.out.start = device_new<int32_t>((int64_t)data.n + 1);
	b.owned[4] = device_new<char>(b.out.room + GUARD_BYTES);
	b.out.data = b.owned[4];
	return b;
}

static void free_buffers(Buffers *b)
{
	for (char *owned : b->owned)
		CUDA_MUST(cudaFree(owned));
	CUDA_MUST(cudaFree(b->out.start));
}

/* Does the variant give what is right?  Prints what it gets wrong. */
static bool is_right(Variant *variant, const HostData &data, const Buffers &b, const char *start,
					 const char *bytes, cudaStream_t stream)
{
	int64_t start_bytes = 4 * ((int64_t)data.n + 1);
	unsigned long long wrong_start;
	unsigned long long wrong_bytes;
	char guard[GUARD_BYTES];
	int wrong_guard = 0;

	CUDA_MUST(cudaMemset(b.out.start, POISON, (size_t)start_bytes));
	CUDA_MUST(cudaMemset(b.out.data, POISON, (size_t)b.out.room + GUARD_BYTES));
	CUDA_MUST(cudaDeviceSynchronize());
	variant->run(b.in, b.out, stream);
	CUDA_MUST(cudaStreamSynchronize(stream));
	wrong_start = count_differences((const char *)b.out.start, start, start_bytes);
	wrong_bytes = count_differences(b.out.data, bytes, b.out.room);
	CUDA_MUST(cudaMemcpy(guard, b.out.data + b.out.room, GUARD_BYTES, cudaMemcpyDeviceToHost));
	for (char c : guard)
		wrong_guard += (unsigned char)c != POISON;
	if (wrong_start + wrong_bytes + (unsigned long long)wrong_guard == 0)
		return true;
	printf("WRONG: %s, %d rows: %llu bytes of offsets, %llu bytes of text, %d bytes past it\n",
		   variant->name(), data.n, wrong_start, wrong_bytes, wrong_guard);
	return false;
}

/* The kernel that allocates on the device is timed up to this size only. */
#define SLOW_MAX_ROWS 1000000

/* Microseconds of one run, median; 'runs' runs between two events count as one. */
static double time_runs(Variant *variant, const Buffers *ring, int count, int repeats, int runs,
						cudaStream_t stream)
{
	std::vector<float> times;
	cudaEvent_t from;
	cudaEvent_t to;
	int next = 0;

	CUDA_MUST(cudaEventCreate(&from));
	CUDA_MUST(cudaEventCreate(&to));
	for (int i = 0; i < repeats + 2; i++)
	{
		float ms = 0;

		head_start<<<1, 1, 0, stream>>>(HEAD_START_CYCLES);
		CUDA_MUST(cudaEventRecord(from, stream));
		for (int j = 0; j < runs; j++, next = (next + 1) % count)
			variant->run(ring[next].in, ring[next].out, stream);
		CUDA_MUST(cudaEventRecord(to, stream));
		CUDA_MUST(cudaEventSynchronize(to));
		CUDA_MUST(cudaEventElapsedTime(&ms, from, to));
		if (i >= 2)
			times.push_back(ms * 1000 / (float)runs);
	}
	CUDA_MUST(cudaEventDestroy(from));
	CUDA_MUST(cudaEventDestroy(to));
	std::sort(times.begin(), times.end());
	return times[times.size() / 2];
}

/*
 * Microseconds of a copy from device to device that reads and writes 'bytes'
 * in all, over a ring as inputs are; median.
 */
static double time_copy(int64_t bytes, cudaStream_t stream)
{
	int64_t half = (bytes / 2 + 255) & ~(int64_t)255;
	int copies = (int)std::min<int64_t>(RING_MAX, RING_BYTES / bytes + 1);
	char *buffer = device_new<char>(2 * half * copies);
	std::vector<float> times;
	cudaEvent_t from;
	cudaEvent_t to;

	CUDA_MUST(cudaMemset(buffer, POISON, (size_t)(2 * half * copies)));
	CUDA_MUST(cudaEventCreate(&from));
	CUDA_MUST(cudaEventCreate(&to));
	for (int i = 0; i < 12; i++)
	{
		char *at = buffer + 2 * half * (i % copies);
		float ms = 0;

		head_start<<<1, 1, 0, stream>>>(HEAD_START_CYCLES);
		CUDA_MUST(cudaEventRecord(from, stream));
		CUDA_MUST(cudaMemcpyAsync(at + half, at, (size_t)half, cudaMemcpyDeviceToDevice, stream));
		CUDA_MUST(cudaEventRecord(to, stream));
		CUDA_MUST(cudaEventSynchronize(to));
		CUDA_MUST(cudaEventElapsedTime(&ms, from, to));
		if (i >= 2)
			times.push_back(ms * 1000);
	}
	CUDA_MUST(cudaEventDestroy(from));
	CUDA_MUST(cudaEventDestroy(to));
	CUDA_MUST(cudaFree(buffer));
	std::sort(times.begin(), times.end());
	return times[times.size() / 2];
}

/* What a run of the program has found. */
struct Findings
{
	int checked = 0;
	int wrong = 0;
	std::string best; /* the fastest one-pass shape of each size */
};

/* Check all variants on hard data. */
static void check_hard(const std::vector<Variant *> &variants, bool quick, uint64_t seed,
					   cudaStream_t stream, Findings *findings)
{
	static const int32_t sizes[] = {1, 2, 31, 33, 511, 513, 1024, 1025, 4097, 20001, 150001};
	int wrong = 0;
	int checked = 0;

	for (int32_t n : sizes)
	{
		HostData data;
		Buffers b;
		char *start;
		char *bytes;

		if (quick && n > 5000)
			continue;
		make_data(&data, n, DATA_HARD, seed + (uint64_t)n);
		b = make_buffers(data, n % 7);
		(void)upload(data.out_start.data(), 4 * ((int64_t)n + 1), 0, &start);
		(void)upload(data.out.data(), (int64_t)data.out.size(), 0, &bytes);
		for (Variant *variant : variants)
		{
			if (!variant->fits(n))
				continue;
			variant->prepare(n, (int64_t)data.name.size());

			/* twice: the second run finds the working memory as the first left it */
			for (int i = 0; i < 2; i++, checked++)
				wrong += !is_right(variant, data, b, start, bytes, stream);
			variant->release();
		}
		CUDA_MUST(cudaFree(start));
		CUDA_MUST(cudaFree(bytes));
		free_buffers(&b);
	}
	printf("hard data: %d runs of %d variants: %d passed, %d failed\n", checked,
		   (int)variants.size(), checked - wrong, wrong);
	findings->checked += checked;
	findings->wrong += wrong;
}

/* Check and time all variants on n rows.  copy: bytes a second of a large copy. */
static void time_size(const std::vector<Variant *> &variants, int32_t n, double copy, bool quick,
					  uint64_t seed, cudaStream_t stream, Findings *findings)
{
	HostData data;
	std::vector<Buffers> ring;
	char *start;
	char *bytes;
	int copies;
	double best = 0;
	double same;
	char line[160];

	make_data(&data, n, DATA_NAMES, seed);
	same = time_copy(data.bytes(), stream);
	copies = (int)std::min<int64_t>(RING_MAX, RING_BYTES / data.bytes() + 1);
	for (int i = 0; i < copies; i++)
		ring.push_back(make_buffers(data, 0));
	(void)upload(data.out_start.data(), 4 * ((int64_t)n + 1), 0, &start);
	(void)upload(data.out.data(), (int64_t)data.out.size(), 0, &bytes);
	printf("\n%d rows: %.1f bytes a row = %.1f name + %.1f visibility + %.1f answer + 12 of "
		   "offsets; ring of %d\n",
		   n, (double)data.bytes() / n, (double)data.name.size() / n,
		   (double)data.visibility.size() / n, (double)data.out.size() / n, copies);
	printf("%-48s %10s %10s %10s %8s %8s %7s %8s\n", "variant", "cold us", "warm us", "b2b us",
		   "launches", "GB/s", "% copy", "G rows/s");
	printf("%-48s %10.1f %10s %10s %8d %8.1f %7.1f %8.2f\n", "(a copy of as many bytes)", same, "",
		   "", 1, (double)data.bytes() / same / 1e3,
		   100 * (double)data.bytes() / (same / 1e6) / copy, n / same / 1e3);
	for (Variant *variant : variants)
	{
		bool slow = strstr(variant->name(), "malloc") != NULL;
		int repeats = quick || slow ? 3 : n < 5000000 ? 60 : n < 50000000 ? 20 : 8;
		double cold;
		double warm;
		double b2b;
		double rate;
		bool right;

		if (slow && n > SLOW_MAX_ROWS)
		{
			printf("%-48s takes seconds a run: not run\n", variant->name());
			continue;
		}
		if (!variant->fits(n))
		{
			printf("%-48s does not fit\n", variant->name());
			continue;
		}
		variant->prepare(n, (int64_t)data.name.size());
		right = is_right(variant, data, ring[0], start, bytes, stream);
		findings->checked++;
		findings->wrong += !right;
		cold = time_runs(variant, ring.data(), copies, repeats, 1, stream);
		warm = time_runs(variant, ring.data(), 1, repeats, 1, stream);
		b2b = n < 5000000 && !slow ? time_runs(variant, ring.data(), copies, 5, B2B_RUNS, stream)
								   : cold;
		rate = (double)data.bytes() / (cold / 1e6);
		printf("%-48s %10.1f %10.1f %10.1f %8d %8.1f %7.1f %8.2f%s\n", variant->name(), cold, warm,
			   b2b, variant->launches, rate / 1e9, 100 * rate / copy, n / (cold / 1e6) / 1e9,
			   right ? "" : "  WRONG");
		fflush(stdout);
		variant->release();
		if (right && strncmp(variant->name(), "one pass", 8) == 0 && (best == 0 || cold < best))
		{
			best = cold;
			snprintf(line, sizeof(line), "; %d rows: %.1f us, %.1f %% of copy (%s)", n, cold,
					 100 * rate / copy, variant->name());
		}
	}
	if (best > 0)
		findings->best += line;
	CUDA_MUST(cudaFree(start));
	CUDA_MUST(cudaFree(bytes));
	for (Buffers &b : ring)
		free_buffers(&b);
}

int main(int argc, char **argv)
{
	std::vector<int32_t> sizes = {600000, 10000000, 100000000};
	std::vector<Variant *> variants;
	cudaDeviceProp props;
	cudaMemPool_t pool;
	uint64_t keep = UINT64_MAX;
	uint64_t seed = 1;
	bool quick = false;
	cudaStream_t stream;
	double copy;
	Findings findings;

	for (int i = 1; i < argc; i++)
	{
		if (strcmp(argv[i], "--quick") == 0)
		{
			quick = true;
			sizes = {20000};
		}
		else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
			seed = strtoull(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--sizes") == 0 && i + 1 < argc)
		{
			sizes.clear();
			for (char *s = strtok(argv[++i], ","); s != NULL; s = strtok(NULL, ","))
				sizes.push_back((int32_t)strtol(s, NULL, 10));
		}
		else
		{
			fprintf(stderr, "usage: redact_bench [--quick] [--seed N] [--sizes N,N,...]\n");
			return 2;
		}
	}
	CUDA_MUST(cudaSetDevice(0));
	CUDA_MUST(cudaGetDeviceProperties(&props, 0));
	CUDA_MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CUDA_MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
	CUDA_MUST(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));

	/* the heap of the device must be sized before any kernel uses it */
	variants.push_back(make_api_variant());
	variants.push_back(make_malloc_variant());
	variants.push_back(make_views_variant());
	variants.push_back(make_two_pass_variant());
	for (int i = 0;; i++)
	{
		Variant *variant = make_one_pass_variant(i);

		if (variant == NULL)
			break;
		variants.push_back(variant);
	}
	printf("redact_bench: %s, %d multiprocessors, %d MB of L2, seed %llu\n", props.name,
		   props.multiProcessorCount, props.l2CacheSize >> 20, (unsigned long long)seed);
	check_hard(variants, quick, seed, stream, &findings);
	copy = (double)LARGE_COPY_BYTES / (time_copy(LARGE_COPY_BYTES, stream) / 1e6);
	printf("copy from device to device: %.2f TB/s, read and written\n", copy / 1e12);
	for (int32_t n : sizes)
		time_size(variants, n, copy, quick, seed, stream, &findings);
	printf("\nredact_bench: %d passed, %d failed%s\n", findings.checked - findings.wrong,
		   findings.wrong, findings.best.c_str());
	return findings.wrong == 0 ? 0 : 1;
}
