/*-------------------------------------------------------------------------
 *
 * compare_join.c
 *	  Joins on both engines: the results must be those of nested loops, and of each
 *	  other.
 *
 *		compare_join [--seconds N] [--cases N] [--seed N] [--small]
 *
 * Random joins (test/unit/join_gen.h), several in flight on the CUDA engine, with
 * memory limits too.  Each piece of results is asked for with other rooms, on both
 * engines, with poison in its place; rows that both have are compared byte by byte.
 * The next piece starts where either of the engines has ended.  Tables are built by
 * several requests at a time, too little memory included, and dropped while they are
 * used (compare_join_build.c); what an engine says of a table's keys must be what is
 * in it.  And larger joins, with functions of texts behind the
 * PROBE (compare_join_large.c).
 *
 * Exit status: 0, 1 if anything was wrong, 2 if the engine could not be used.
 *
 * IDENTIFICATION
 *	  test/gpu/compare_join.c
 *
 *-------------------------------------------------------------------------
 */
#include <stdarg.h>
#include <time.h>
#include <unistd.h>

#include "compare_join.h"
#include "join_gen.h"

extern const EngineMethods *gpustr_engine_cuda(void);

/* Joins in flight at most: more than the engine has lanes. */
#define MAX_JOINS 12

#define POOL_BLOCKS 64

/* Seconds after which a request counts as lost. */
#define REQUEST_TIMEOUT 300

/* A join at work. */
typedef struct JoinFlight
{
	GenJoin    *join;
	void	   *body[BOTH_ENGINES]; /* the host engine's is the generator's */
	uint64_t	at;				/* results that have been seen */
	int			seeks;			/* times to start from anywhere */
	int			through;
	EngineRequest request;		/* of the CUDA engine */
	EngineRequest host;
} JoinFlight;

Engine	   *join_engines[BOTH_ENGINES];
static volatile uint64_t memory_limit[BOTH_ENGINES] = {UINT64_MAX, UINT64_MAX};
static volatile int32_t zero_copy_blocks[BOTH_ENGINES];
static char *blocks;
static uint64_t seed;
static uint64_t pieces;
static uint64_t results;
uint64_t	join_refused;
static uint64_t failed;

static double
now(void)
{
	struct timespec t;

	(void) clock_gettime(CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

void
join_fail(const char *format,...)
{
	va_list		args;

	printf("compare_join: seed %llu: ", (unsigned long long) seed);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	failed++;
}

static void
open_engines(void)
{
	EngineConfig config;
	EngineError error;
	double		start = now();
	int			i;

	for (i = 0; i < BOTH_ENGINES; i++)
	{
		const EngineMethods *methods = i == ON_CUDA ? gpustr_engine_cuda() : gpustr_engine_host();

		memset(&config, 0, sizeof(config));
		config.blocks = blocks;
		config.nblocks = POOL_BLOCKS;
		config.zero_copy_blocks = &zero_copy_blocks[i];
		config.memory_limit = &memory_limit[i];
		if (methods->open(&config, &join_engines[i], &error) != ENGINE_OK)
		{
			printf("compare_join: no %s engine: %s\n", methods->kind, error.message);
			exit(2);
		}
	}
	while (zero_copy_blocks[ON_CUDA] < POOL_BLOCKS && now() - start < 20)
		(void) usleep(1000);
}

void
join_run(JoinEngine engine, EngineRequest *requests, int n)
{
	const EngineMethods *methods = join_engines[engine]->methods;
	double		start = now();
	int			i;

	for (i = 0; i < n; i++)
		methods->submit(join_engines[engine], &requests[i]);
	while (i > 0)
	{
		EngineRequest *request = methods->poll(join_engines[engine]);

		if (request != NULL)
			i--;
		if ((request != NULL && request->error.code == ENGINE_LOST) || now() - start > REQUEST_TIMEOUT)
		{
			printf("compare_join: seed %llu: lost: %s\n", (unsigned long long) seed,
				   request != NULL ? request->error.message : "requests did not come back");
			exit(1);
		}
	}
}

void
join_set_request(EngineRequest *request, void *body)
{
	memset(request, 0, sizeof(*request));
	request->body = body;
	request->body_bytes = ((const GpustrBatch *) body)->body_bytes;
}

EngineCode
join_run_body(JoinEngine engine, void *body, EngineError *error)
{
	EngineRequest request;

	join_set_request(&request, body);
	join_run(engine, &request, 1);
	*error = request.error;
	return request.error.code;
}

void
join_set_limit(uint64_t limit)
{
	memory_limit[ON_CUDA] = limit;
}

uint64_t
join_table_bytes(void)
{
	EngineInfo	info;

	join_engines[ON_CUDA]->methods->info(join_engines[ON_CUDA], &info);
	return info.table_bytes;
}

void
join_drop(uint64_t table)
{
	int			i;

	for (i = 0; i < BOTH_ENGINES; i++)
		join_engines[i]->methods->drop_table(join_engines[i], table);
}

void
join_count(uint64_t n)
{
	pieces++;
	results += n;
}

/* Build the tables of a join on both engines; returns whether they are there. */
static int
build_tables(Rng *rng, const GenJoin *join)
{
	EngineError error;
	int			bad = 0;
	int			i;

	for (i = 0; i < join->nbuilds; i++)
		if (join_run_body(ON_HOST, join->build[i], &error) != ENGINE_OK && bad++ == 0)
			join_fail("build %d: %s", i, error.message);
	if (bad == 0 && gen_join_check_tables(join) > 0)
		join_fail("the host engine says what is not true of a table");
	return bad == 0 && join_build_on_cuda(rng, join);
}

static void
make_flight(Rng *rng, JoinFlight *flight, const GenJoinOptions *options)
{
	uint32_t	bytes;

	memset(flight, 0, sizeof(*flight));
	flight->join = gen_join(rng, options);
	flight->body[ON_HOST] = flight->join->probe;
	bytes = ((const GpustrBatch *) flight->join->probe)->body_bytes;
	flight->body[ON_CUDA] = aligned_alloc(GPUSTR_BODY_ALIGN, GPUSTR_BODY_ALIGN_UP(bytes));
	if (flight->body[ON_CUDA] == NULL)
		exit(2);
	memcpy(flight->body[ON_CUDA], flight->body[ON_HOST], bytes);
	flight->seeks = rng_below(rng, 3);
	flight->through = !build_tables(rng, flight->join);
}

static void
free_flight(JoinFlight *flight)
{
	int			i;

	for (i = 0; i < flight->join->nprobes; i++)
		join_drop(flight->join->probes[i].probe.table);
	gen_join_free(flight->join);
	free(flight->body[ON_CUDA]);
}

/* Do n bits of two bitmaps agree, and are those of the last word's rest 0 in both? */
static int
same_bits(const char *a, const char *b, int32_t n)
{
	int32_t		rest = n % 8 > 0 ? (1 << (n % 8)) - 1 : 0;

	return memcmp(a, b, (size_t) n / 8) == 0 && ((a[n / 8] ^ b[n / 8]) & rest) == 0;
}

/* Are the first n results the same? */
static int
same_results(const void *a, const void *b, int32_t n)
{
	const GpustrBatch *batch = (const GpustrBatch *) a;
	size_t		rows = (size_t) n;
	int32_t		i;

#define SAME(off, bytes) \
	(memcmp(GPUSTR_BODY_PTR(a, off, const char), GPUSTR_BODY_PTR(b, off, const char), bytes) == 0)
#define SAME_BITS(off) \
	same_bits(GPUSTR_BODY_PTR(a, off, const char), GPUSTR_BODY_PTR(b, off, const char), n)
	if (n == 0)
		return 1;
	if ((batch->result_outer_off != 0 && !SAME(batch->result_outer_off, 4 * rows)) ||
		(batch->result_inner_off != 0 && !SAME(batch->result_inner_off, 4 * rows)) ||
		!SAME_BITS(batch->result_recheck_off))
		return 0;
	for (i = 0; i < batch->nresult; i++)
	{
		const GpustrColumn *column = &batch->result_column[i];
		size_t		bytes = 8 * rows;

		if (column->offsets_off != 0)
		{
			if (!SAME(column->offsets_off, 4 * (rows + 1)))
				return 0;
			bytes = (size_t) GPUSTR_BODY_PTR(a, column->offsets_off, const int32_t)[n];
		}
		if (!SAME_BITS(column->validity_off) || !SAME(column->data_off, bytes))
			return 0;
	}
#undef SAME
#undef SAME_BITS
	return 1;
}

static const GpustrJoinResult *
result_of(const void *body)
{
	return GPUSTR_BODY_PTR(body, ((const GpustrBatch *) body)->result_off, const GpustrJoinResult);
}

/* Compare a piece that both have brought, and ask for the next. */
static void
go_on(Rng *rng, JoinFlight *flight)
{
	const GenJoin *join = flight->join;
	uint64_t	at[BOTH_ENGINES] = {flight->at, flight->at};
	int32_t		n[BOTH_ENGINES];
	int			bad = 0;
	int			e;

	for (e = 0; e < BOTH_ENGINES; e++)
	{
		n[e] = result_of(flight->body[e])->nrows;
		bad += gen_join_check(join, flight->body[e], &at[e]);
	}
	if (bad == 0 && !same_results(flight->body[ON_CUDA], flight->body[ON_HOST], n[0] < n[1] ? n[0] : n[1]))
		bad++;
	if (n[0] == n[1] && (flight->request.bytes_out != flight->host.bytes_out ||
						 flight->request.rechecks != flight->host.rechecks ||
						 flight->request.bytes_in != flight->host.bytes_in))
		bad++;
	join_count((uint64_t) n[ON_CUDA]);
	if (bad > 0)
	{
		join_fail("a piece of a join is wrong, from result %llu on", (unsigned long long) flight->at);
		if (failed < 3)
			gen_join_print(join);
		flight->through = 1;
		return;
	}

	/* go on as one of them says, on both */
	e = rng_below(rng, BOTH_ENGINES);
	flight->at = at[e];
	if (result_of(flight->body[e])->more)
		gen_join_next(rng, join, flight->body[e], flight->at);
	else if (flight->seeks-- > 0)
		flight->at = gen_join_seek(rng, join, flight->body[e]);
	else
	{
		flight->through = 1;
		return;
	}
	memcpy(flight->body[!e], flight->body[e], ((const GpustrBatch *) flight->body[e])->body_bytes);
}

/* A piece of each join that is not through; returns how many there are. */
static int
run_pieces(Rng *rng, JoinFlight *flights, int n, uint64_t *limit)
{
	EngineRequest requests[MAX_JOINS];
	JoinFlight *which[MAX_JOINS];
	int			m = 0;
	int			i;

	for (i = 0; i < n; i++)
		if (!flights[i].through)
		{
			which[m] = &flights[i];
			join_set_request(&requests[m++], flights[i].body[ON_CUDA]);
			join_set_request(&flights[i].host, flights[i].body[ON_HOST]);
		}
	join_set_limit(*limit);
	join_run(ON_CUDA, requests, m);
	join_set_limit(UINT64_MAX);
	for (i = 0; i < m; i++)
	{
		which[i]->request = requests[i];
		if (requests[i].error.code == ENGINE_OUT_OF_MEMORY && *limit != UINT64_MAX)
		{
			join_refused++;
			*limit += *limit / 4 + 65536;
			continue;
		}

		/* so little memory that it would take too long */
		if (*limit != UINT64_MAX && requests[i].error.code == ENGINE_OK && result_of(which[i]->body[ON_CUDA])->nrows < 16)
			*limit += *limit / 32 + 4096;
		join_run(ON_HOST, &which[i]->host, 1);
		if (requests[i].error.code == ENGINE_OK && which[i]->host.error.code == ENGINE_OK)
			go_on(rng, which[i]);
		else
		{
			join_fail("a probe: cuda: %s; host: %s", requests[i].error.message, which[i]->host.error.message);
			which[i]->through = 1;
		}
	}
	return m;
}

/* Some joins, side by side. */
static void
round_of_joins(Rng *rng, int small)
{
	GenJoinOptions options = {GPUSTR_BATCH_COLUMNS, small ? 150 : 700, 12, small ? 2000 : 20000, NULL, 0};
	JoinFlight	flights[MAX_JOINS];
	uint64_t	limit = UINT64_MAX;
	int			n = 1 + rng_below(rng, small ? 3 : MAX_JOINS);
	int			i;

	/* only one at a time can have pages in the pool */
	if (rng_one_in(rng, 3))
	{
		n = 1;
		options.kind = 0;
		options.blocks = blocks;
		options.nblocks = POOL_BLOCKS;
	}
	if (rng_one_in(rng, 2))
		options.max_rows = 60;
	for (i = 0; i < n; i++)
		make_flight(rng, &flights[i], &options);
	if (rng_one_in(rng, 3))
		limit = join_table_bytes() + (uint64_t) rng_below(rng, 4 << 20);
	while (run_pieces(rng, flights, n, &limit) > 0)
		;
	for (i = 0; i < n; i++)
		free_flight(&flights[i]);
	for (i = 0; i < BOTH_ENGINES; i++)
		if (join_engines[i]->methods->tables(join_engines[i], NULL, 0) != 0)
			join_fail("engine %d has tables that have been dropped", i);
}

/* Tables that are not there. */
static void
without_tables(Rng *rng)
{
	GenJoinOptions options = {GPUSTR_BATCH_COLUMNS, 60, 12, 20000, NULL, 0};
	GenJoin    *join = gen_join(rng, &options);
	EngineError error;
	int			e;
	int			i;

	for (e = 0; e < BOTH_ENGINES; e++)
	{
		if (join_run_body((JoinEngine) e, join->probe, &error) != ENGINE_NO_TABLE)
			join_fail("engine %d: a probe without a table: %d %s", e, (int) error.code, error.message);

		/* one that is not finished */
		for (i = 0; i < join->nbuilds - 1; i++)
			(void) join_run_body((JoinEngine) e, join->build[i], &error);
		if (join_run_body((JoinEngine) e, join->probe, &error) != ENGINE_NO_TABLE)
			join_fail("engine %d: a probe of half a table: %d %s", e, (int) error.code, error.message);
		join_count(0);
	}
	for (i = 0; i < join->nprobes; i++)
		join_drop(join->probes[i].probe.table);
	gen_join_free(join);
}

int
main(int argc, char **argv)
{
	double		seconds = 30;
	double		start;
	int			cases = 0;
	int			small = 0;
	int			round;
	int			i;
	Rng			rng;
	EngineInfo	info;

	seed = (uint64_t) time(NULL);
	for (i = 1; i < argc; i++)
	{
		if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc)
			seconds = atof(argv[++i]);
		else if (strcmp(argv[i], "--cases") == 0 && i + 1 < argc)
			cases = atoi(argv[++i]);
		else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
			seed = strtoull(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--small") == 0)
			small = 1;
		else
		{
			fprintf(stderr, "usage: compare_join [--seconds N] [--cases N] [--seed N] [--small]\n");
			return 2;
		}
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	rng = rng_make(seed);
	blocks = aligned_alloc(GPUSTR_PAGE_BYTES, (size_t) POOL_BLOCKS * GPUSTR_PAGE_BYTES);
	if (blocks == NULL)
		return 2;
	memset(blocks, 0, (size_t) POOL_BLOCKS * GPUSTR_PAGE_BYTES);
	open_engines();
	start = now();
	for (round = 0; failed < 10 && (cases > 0 ? round < cases : round < 8 || now() - start < seconds); round++)
	{
		round_of_joins(&rng, small);
		if (round % 10 == 0)
			without_tables(&rng);
		if (round % 2 == 0)
			compare_dropped_join(&rng);
		if (round % (small ? 8 : 20) == 1)
			compare_large_join(&rng, small);
	}
	join_set_limit(0);
	join_engines[ON_CUDA]->methods->info(join_engines[ON_CUDA], &info);
	if (info.memory_used != 0 || info.table_bytes != 0)
		join_fail("%llu bytes are in use when nothing runs", (unsigned long long) info.memory_used);
	for (i = 0; i < BOTH_ENGINES; i++)
		join_engines[i]->methods->close(join_engines[i]);
	free(blocks);
	printf("compare_join: %d rounds, %llu results, %llu pieces without memory, seed %llu: %llu passed, %llu failed\n",
		   round, (unsigned long long) results, (unsigned long long) join_refused, (unsigned long long) seed,
		   (unsigned long long) (pieces > failed ? pieces - failed : 0), (unsigned long long) failed);
	return failed > 0 ? 1 : 0;
}
