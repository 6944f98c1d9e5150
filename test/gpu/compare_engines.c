/*-------------------------------------------------------------------------
 *
 * compare_engines.c
 *	  Both engines over the same random batches: the results must be the same,
 *	  bit for bit.
 *
 *		compare_engines [--seconds N] [--seed N] [--small]
 *
 * The CUDA engine gets several requests at a time, in bodies that it has
 * registered and in bodies that it has not, with pages in a registered pool
 * and staged ones; the host engine gets a copy of each body.  Result regions
 * hold different bytes before each run.  What is compared: the code, the
 * results, the counters, that inputs are as they were and that nothing else
 * was written; and the results with a plain evaluation (gen_check()).
 *
 * Rounds, by turns: plain batches, pages damaged at random, bodies that break
 * the contract, memory limits from 0 up, redaction of larger columns, several
 * output columns with little room, functions of texts, programs that are kept on
 * the device.  Before them, what columns have ways of their own for: redaction, output,
 * functions of texts, LIKE and strpos(), many literals.
 *
 * --small does a few small rounds, for compute-sanitizer.
 *
 * Exit status: 0, 1 if anything differed, 2 if the engine could not be used.
 *
 * IDENTIFICATION
 *	  test/gpu/compare_engines.c
 *
 *-------------------------------------------------------------------------
 */
#include <stdarg.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "compare.h"

extern const EngineMethods *gpustr_engine_cuda(void);

/* Requests in flight at most: more than the engine has lanes. */
#define MAX_FLIGHT 12

#define BODY_BYTES (1 << 20)
#define SLICE_BLOCKS 64			/* of the pool, for each request */
#define POOL_BLOCKS (MAX_FLIGHT * SLICE_BLOCKS)

/* The pool starts in the middle of a page of the operating system. */
#define POOL_SHIFT 128

/* Seconds after which a request counts as lost. */
#define REQUEST_TIMEOUT 120

static char *blocks;			/* POOL_BLOCKS pages */
static char *staging;			/* MAX_FLIGHT bodies, registered */
static volatile int32_t zero_copy_blocks;
static volatile uint64_t memory_limit = UINT64_MAX;
static volatile int32_t host_zero_copy_blocks;
static volatile uint64_t host_memory_limit = UINT64_MAX;

static Engine *cuda;
static Engine *host;
static uint64_t seed;
static uint64_t batches;
static uint64_t rows;
static uint64_t failed;

static double
now(void)
{
	struct timespec t;

	(void) clock_gettime(CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

static void
open_engines(void)
{
	EngineConfig config;
	EngineError error;
	double		start = now();

	memset(&config, 0, sizeof(config));
	config.blocks = blocks;
	config.nblocks = POOL_BLOCKS;
	config.staging = staging;
	config.staging_bytes = (size_t) MAX_FLIGHT * BODY_BYTES;
	config.zero_copy_blocks = &zero_copy_blocks;
	config.memory_limit = &memory_limit;
	zero_copy_blocks = 0;
	if (gpustr_engine_cuda()->open(&config, &cuda, &error) != ENGINE_OK)
	{
		printf("compare_engines: no CUDA engine: %s\n", error.message);
		exit(2);
	}
	config.zero_copy_blocks = &host_zero_copy_blocks;
	config.memory_limit = &host_memory_limit;
	if (gpustr_engine_host()->open(&config, &host, &error) != ENGINE_OK)
	{
		printf("compare_engines: no host engine: %s\n", error.message);
		exit(2);
	}
	while (zero_copy_blocks < POOL_BLOCKS && now() - start < 20)
		(void) usleep(1000);
	if (zero_copy_blocks < POOL_BLOCKS)
	{
		printf("compare_engines: only %d of %d blocks can be read in place\n", zero_copy_blocks,
			   POOL_BLOCKS);
		failed++;
	}
}

static void
close_engines(void)
{
	EngineInfo	info;

	/* programs are kept, but not over the limit */
	memory_limit = 0;
	cuda->methods->info(cuda, &info);
	memory_limit = UINT64_MAX;
	if (info.memory_used != 0 || info.programs != 0)
		compare_fail("%llu bytes are in use when nothing runs, %d programs",
					 (unsigned long long) info.memory_used, info.programs);
	cuda->methods->close(cuda);
	host->methods->close(host);
}

void
compare_set_limit(uint64_t limit)
{
	memory_limit = limit;
}

void
compare_info(EngineInfo *info)
{
	cuda->methods->info(cuda, info);
}

void
compare_fail(const char *format,...)
{
	va_list		args;

	printf("compare_engines: seed %llu: ", (unsigned long long) seed);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	failed++;
}

void *
compare_allocate_body(uint32_t bytes)
{
	void	   *body = aligned_alloc(GPUSTR_BODY_ALIGN, GPUSTR_BODY_ALIGN_UP(bytes));

	if (body == NULL)
	{
		printf("compare_engines: out of memory\n");
		exit(2);
	}
	return body;
}

/* A copy of the body for the host engine; poison both. */
void
compare_make_copy(Flight *flight)
{
	flight->copy = compare_allocate_body(flight->body_bytes);
	memcpy(flight->copy, flight->body, flight->body_bytes);
	memset(&flight->cuda, 0, sizeof(flight->cuda));
	memset(&flight->host, 0, sizeof(flight->host));
	flight->cuda.body = flight->body;
	flight->cuda.body_bytes = flight->body_bytes;
	flight->cuda.cookie = flight;
	flight->host.body = flight->copy;
	flight->host.body_bytes = flight->body_bytes;
}

/* Make random batch i of a round. */
static void
make_flight(Flight *flight, Rng *rng, int i, const GenOptions *sizes)
{
	GenOptions	options = *sizes;
	int32_t    *page;
	int32_t		p;

	memset(flight, 0, sizeof(*flight));
	options.blocks = blocks + (size_t) i * SLICE_BLOCKS * GPUSTR_PAGE_BYTES;
	options.nblocks = SLICE_BLOCKS;
	options.output_pages = 1;
	flight->body_bytes = rng_one_in(rng, 4) ? 65536u * (1 + (uint32_t) rng_below(rng, 15)) : BODY_BYTES;
	if (rng_one_in(rng, 3))
		flight->own = flight->body = compare_allocate_body(flight->body_bytes);
	else
		flight->body = staging + (size_t) i * BODY_BYTES;
	memset(flight->body, 0x11, flight->body_bytes);
	flight->gen = gen_batch(rng, &options, flight->body, flight->body_bytes);
	flight->exact = 1;

	/* the generator knows a slice of the pool only */
	page = GPUSTR_BODY_PTR(flight->body, flight->gen->batch->page_off, int32_t);
	for (p = 0; p < flight->gen->batch->npages; p++)
		if (page[p] >= 0)
			page[p] += i * SLICE_BLOCKS;
	gen_poison(flight->gen->batch, 0xC3);
	compare_make_copy(flight);
	gen_poison((GpustrBatch *) flight->copy, 0x3C);
}

static void
free_flight(Flight *flight)
{
	if (flight->gen != NULL)
		gen_free(flight->gen);
	free(flight->own);
	free(flight->copy);
}

/* Take back everything that is in flight. */
static void
collect(int n)
{
	double		start = now();

	while (n > 0)
	{
		EngineRequest *request = cuda->methods->poll(cuda);

		if (request != NULL)
		{
			n--;
			if (request->error.code == ENGINE_LOST)
			{
				printf("compare_engines: seed %llu: the engine is lost: %s\n",
					   (unsigned long long) seed, request->error.message);
				exit(1);
			}
		}
		else if (now() - start > REQUEST_TIMEOUT)
		{
			printf("compare_engines: seed %llu: %d requests did not come back\n",
				   (unsigned long long) seed, n);
			exit(1);
		}
	}
	if (cuda->methods->poll(cuda) != NULL)
	{
		printf("compare_engines: a request came back twice\n");
		exit(1);
	}
}

void
compare_run_host(EngineRequest *request)
{
	host->methods->submit(host, request);
	if (host->methods->poll(host) != request)
	{
		printf("compare_engines: the host engine did not answer\n");
		exit(1);
	}
}

/* What is wrong with a batch that both engines have run?  NULL: nothing. */
static const char *
difference(const Flight *flight)
{
	const EngineRequest *c = &flight->cuda;
	const EngineRequest *h = &flight->host;

	if (flight->may_lack_memory && c->error.code == ENGINE_OUT_OF_MEMORY)
		return NULL;
	if (c->error.code != h->error.code)
		return "the codes differ";
	if (c->error.code != ENGINE_OK)
		return c->error.message[0] == '\0' ? "there is no message" : NULL;
	if (flight->judge != NULL)
	{
		const char *what = flight->judge(flight);

		if (what != NULL)
			return what;
	}
	else if (!gen_compare(flight->body, flight->copy))
		return "the results differ";
	else if (c->rechecks != h->rechecks || c->bytes_out != h->bytes_out)
		return "the counters differ";
	if (c->bytes_in != h->bytes_in)
		return "the counters differ";
	if (flight->exact && flight->gen != NULL && gen_check(flight->gen, flight->body) != 0)
		return "the results are wrong";

	/* with the results put back the bodies must be the same */
	gen_poison((GpustrBatch *) flight->body, 0x5A);
	gen_poison((GpustrBatch *) flight->copy, 0x5A);
	if (memcmp(flight->body, flight->copy, flight->body_bytes) != 0)
		return "something else was written";
	return NULL;
}

/* Compare a batch, and count it. */
static void
judge(const Flight *flight, const char *round)
{
	const char *what = difference(flight);

	batches++;
	if (flight->cuda.error.code == ENGINE_OK)
		rows += (uint64_t) ((const GpustrBatch *) flight->copy)->nrows;
	if (what == NULL)
		return;
	if (failed++ < 10)
	{
		printf("compare_engines: seed %llu, %s, batch %llu: %s (cuda: %d %s; host: %d %s)\n",
			   (unsigned long long) seed, round, (unsigned long long) batches, what,
			   (int) flight->cuda.error.code, flight->cuda.error.message,
			   (int) flight->host.error.code, flight->host.error.message);
		if (flight->gen != NULL)
			gen_print(flight->gen);
	}
}

/* Submit all, collect all, compare all. */
void
compare_run_flights(Flight *flights, int n, const char *round)
{
	int			i;

	for (i = 0; i < n; i++)
		cuda->methods->submit(cuda, &flights[i].cuda);
	collect(n);
	for (i = 0; i < n; i++)
	{
		compare_run_host(&flights[i].host);
		judge(&flights[i], round);
		if (flights[i].code != NULL)
			*flights[i].code = flights[i].cuda.error.code;
		free_flight(&flights[i]);
	}
}

static void
round_plain(Rng *rng, const GenOptions *sizes)
{
	GenOptions	with_texts = *sizes;
	Flight		flights[MAX_FLIGHT];
	int			n = 1 + rng_below(rng, MAX_FLIGHT);
	int			i;

	/* only here is it known that there is room for all texts that are made */
	with_texts.text_functions = rng_below(rng, 3) > 0;
	for (i = 0; i < n; i++)
		make_flight(&flights[i], rng, i, &with_texts);
	compare_run_flights(flights, n, "plain batches");
}

/* Bytes of pages are hostile. */
static void
round_hostile(Rng *rng, const GenOptions *sizes)
{
	GenOptions	pages = *sizes;
	Flight		flights[MAX_FLIGHT];
	int			n = 1 + rng_below(rng, MAX_FLIGHT);
	int			i;

	pages.kind = GPUSTR_BATCH_PAGES;
	for (i = 0; i < n; i++)
	{
		const GpustrBatch *batch;
		int			changes;
		int32_t		page_at;

		make_flight(&flights[i], rng, i, &pages);
		batch = flights[i].gen->batch;
		flights[i].exact = 0;
		for (changes = rng_below(rng, 300); changes > 0; changes--)
		{
			/* headers and line pointers more often than the rest */
			page_at = rng_one_in(rng, 2) ? rng_below(rng, 400) : rng_below(rng, GPUSTR_PAGE_BYTES);
			blocks[((size_t) i * SLICE_BLOCKS + (size_t) rng_below(rng, SLICE_BLOCKS)) * GPUSTR_PAGE_BYTES +
				   (size_t) page_at] ^= (char) (1 << rng_below(rng, 8));
			if (batch->nstaged > 0)
			{
				size_t		at = batch->staged_off + (size_t) rng_below(rng, batch->nstaged) * GPUSTR_PAGE_BYTES +
				(size_t) page_at;

				flights[i].body[at] = flights[i].copy[at] = (char) rng_next(rng);
			}
		}
	}
	compare_run_flights(flights, n, "damaged pages");
}

/* Bodies that break the contract, or do so nearly. */
static void
round_contract(Rng *rng, const GenOptions *sizes)
{
	Flight		flights[MAX_FLIGHT];
	int			n = 1 + rng_below(rng, MAX_FLIGHT);
	int			i;

	for (i = 0; i < n; i++)
	{
		make_flight(&flights[i], rng, i, sizes);
		compare_damage(rng, &flights[i]);
	}
	compare_run_flights(flights, n, "damaged bodies");
}

/* With any limit: the right answer, or out of memory. */
static void
round_limit(Rng *rng, const GenOptions *sizes)
{
	uint64_t	limit = 0;
	int			refused = 1;

	while (refused > 0)
	{
		Flight		flights[MAX_FLIGHT];
		int			n = 1 + rng_below(rng, 4);
		int			i;

		if (limit > (uint64_t) 1 << 32)
		{
			printf("compare_engines: out of memory with %llu bytes\n", (unsigned long long) limit);
			failed++;
			break;
		}
		for (i = 0; i < n; i++)
			make_flight(&flights[i], rng, i, sizes);
		memory_limit = limit;
		for (i = 0; i < n; i++)
			cuda->methods->submit(cuda, &flights[i].cuda);
		collect(n);
		memory_limit = UINT64_MAX;
		refused = 0;
		for (i = 0; i < n; i++)
		{
			if (flights[i].cuda.error.code == ENGINE_OUT_OF_MEMORY)
			{
				refused++;
				batches++;
			}
			else
			{
				compare_run_host(&flights[i].host);
				judge(&flights[i], "memory limit");
			}
			free_flight(&flights[i]);
		}
		/* a batch without rows needs no memory, so any limit may be enough */
		refused += limit < 4 * BODY_BYTES;
		limit += limit / 4 + 1 + (uint64_t) rng_below(rng, 60000);
	}
}

/* Memory that is not the start of a page of the operating system. */
static char *
map_memory(size_t bytes, size_t shift)
{
	char	   *p = mmap(NULL, bytes + shift, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
	{
		printf("compare_engines: mmap failed\n");
		exit(2);
	}
	return p + shift;
}

int
main(int argc, char **argv)
{
	GenOptions	sizes = {0, 4000, 40, NULL, 0, 1, 0};
	double		seconds = 30;
	double		start;
	int			small = 0;
	int			round = 0;
	int			i;
	Rng			rng;
	EngineInfo	info;

	seed = (uint64_t) time(NULL);
	for (i = 1; i < argc; i++)
	{
		if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc)
			seconds = atof(argv[++i]);
		else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
			seed = strtoull(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--small") == 0)
			small = 1;
		else
		{
			fprintf(stderr, "usage: compare_engines [--seconds N] [--seed N] [--small]\n");
			return 2;
		}
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	rng = rng_make(seed);
	if (small)
	{
		sizes.max_rows = 600;
		sizes.max_pages = 6;
	}
	blocks = map_memory((size_t) POOL_BLOCKS * GPUSTR_PAGE_BYTES, POOL_SHIFT);
	memset(blocks, 0, (size_t) POOL_BLOCKS * GPUSTR_PAGE_BYTES);
	staging = map_memory((size_t) MAX_FLIGHT * BODY_BYTES, 0);
	open_engines();
	cuda->methods->info(cuda, &info);
	printf("compare_engines: %s, seed %llu\n", info.name, (unsigned long long) seed);

	start = now();
	compare_local_memory(&rng);
	compare_programs(&rng, small);
	compare_redaction(&rng, small);
	compare_output(&rng, small);
	compare_text(&rng, small);
	compare_search(&rng, small);
	compare_literals(&rng, small);
	printf("compare_engines: columns: %llu batches, %llu failed, %.1f s\n",
		   (unsigned long long) batches, (unsigned long long) failed, now() - start);
	start = now();
	while (small ? round < 12 : round < 8 || now() - start < seconds)
	{
		switch (round++ % 4)
		{
			case 0:
				round_plain(&rng, &sizes);
				break;
			case 1:
				round_hostile(&rng, &sizes);
				break;
			case 2:
				round_contract(&rng, &sizes);
				break;
			default:
				if (round < 5 || rng_one_in(&rng, 20))
					round_limit(&rng, &sizes);
				else
					round_plain(&rng, &sizes);
				break;
		}

		/* an engine can be closed and opened again */
		if (round == 6)
		{
			close_engines();
			open_engines();
		}
	}
	close_engines();
	printf("compare_engines: %llu batches, %llu rows, seed %llu: %llu passed, %llu failed\n",
		   (unsigned long long) batches, (unsigned long long) rows, (unsigned long long) seed,
		   (unsigned long long) (batches > failed ? batches - failed : 0), (unsigned long long) failed);
	return failed > 0 ? 1 : 0;
}
