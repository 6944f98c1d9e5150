/*-------------------------------------------------------------------------
 *
 * text_bench.cu
 *	  Functions of texts, searches and LIKE over columns in device memory: bytes a
 *	  second, and as much of what a copy on the device reaches.
 *
 *		text_bench [--quick] [--seed N] [--only NAME] [--rows NAME]
 *
 * Each runs over all parts of a column that is far larger than the L2 cache, timed
 * by events; the best of some runs.  Before that one run, over poisoned outputs,
 * is compared with the host's row functions at both ends of the column.
 *
 * --only: calls whose names have that in them; --rows: columns that are called so.
 *
 * Bytes count as text that is to be read (of substr, up to where it ends), and text
 * that is written.  A slice, or a value, counts as the 8 bytes that it takes; so does an
 * answer of replace() beside what is written of it, as a text that stays as it is is not
 * copied.  "whole texts": what it is of copy where all text of replace() counts as
 * read and all of its answers as written, which goals are meant for.  "+ column": with
 * OUTPUT_TEXT of the answer to an Arrow column, which counts as written once more.
 *
 * IDENTIFICATION
 *	  test/bench/text/text_bench.cu
 *
 *-------------------------------------------------------------------------
 */
#include <algorithm>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>

#include "calls.cuh"
#include "frame.cuh"
#include "rowfn/like.h"

extern "C"
{
#include "program/like_automaton.h"
#include "program/like_compile.h"
}

#define REPEATS 5

template <class T>
static void allocate(T **to, uint64_t n)
{
	CUDA_MUST(cudaMalloc((void **)to, n * sizeof(T)));
}

static Work make_work(const Column &column, cudaStream_t stream)
{
	const uint64_t rows = (uint64_t)column.nrows;
	const uint64_t parts = (uint64_t)column.nparts;
	Work work;

	work.plane_words = (column.nrows + 31) / 32;
	allocate(&work.start, rows * parts);
	allocate(&work.end, rows * parts);
	allocate(&work.value, rows * parts);
	allocate(&work.valid, (uint64_t)work.plane_words * parts);
	allocate(&work.recheck, (uint64_t)work.plane_words * parts);
	allocate(&work.cursor, parts);
	allocate(&work.constant, CALL_CONSTANT_BYTES);
	allocate(&work.out.valid, (uint64_t)work.plane_words);
	allocate(&work.out.recheck, (uint64_t)work.plane_words);
	allocate(&work.out.offset, rows + 1);
	work.out.room = std::min(column.arena_bytes, (uint64_t)INT32_MAX);
	allocate(&work.out.data, work.out.room);
	allocate(&work.out.bytes, 2);
	work.out.used = work.out.bytes + 1;
	CUDA_MUST(output_text_scratch_need(column.nrows, &work.scratch_bytes));
	CUDA_MUST(cudaMalloc(&work.out.scratch, work.scratch_bytes));
	work.host_constant.resize(CALL_CONSTANT_BYTES);
	work.stream = stream;
	return work;
}

static void free_work(Work *work)
{
	CUDA_MUST(cudaFree(work->start));
	CUDA_MUST(cudaFree(work->end));
	CUDA_MUST(cudaFree(work->value));
	CUDA_MUST(cudaFree(work->valid));
	CUDA_MUST(cudaFree(work->recheck));
	CUDA_MUST(cudaFree(work->cursor));
	CUDA_MUST(cudaFree(work->constant));
	CUDA_MUST(cudaFree(work->out.valid));
	CUDA_MUST(cudaFree(work->out.recheck));
	CUDA_MUST(cudaFree(work->out.offset));
	CUDA_MUST(cudaFree(work->out.data));
	CUDA_MUST(cudaFree(work->out.bytes));
	CUDA_MUST(cudaFree(work->out.scratch));
}

/* The call's CALL_CONSTANT_BYTES, on both sides. */
static void set_constants(Work *work, const Call &call)
{
	GpustrCaseMap map = {};
	const int from = call.function == GPUSTR_TEXT_UPPER ? 'a' : 'A';

	/* as in a database with a locale: what is not ASCII is looked up */
	for (int i = 0; i < 128; i++)
		map.ascii[i] = (uint8_t)(i >= from && i < from + 26 ? i ^ 32 : i);
	map.npairs = 1;
	map.pairs[0].from = call.function == GPUSTR_TEXT_UPPER ? 0xE9 : 0xC9;
	map.pairs[0].to = map.pairs[0].from ^ 0x20;
	std::fill(work->host_constant.begin(), work->host_constant.end(), 0);
	for (size_t i = 0; i < 3; i++)
		if (call.text[i] != NULL)
			memcpy(work->host_constant.data() + i * CALL_TEXT_BYTES, call.text[i],
				   strlen(call.text[i]));
	memcpy(work->host_constant.data() + CALL_MAP_AT, &map, sizeof(map));
	CUDA_MUST(cudaMemcpy(work->constant, work->host_constant.data(), CALL_CONSTANT_BYTES,
						 cudaMemcpyHostToDevice));
}

static TextRegister part_register(const Column &column, int part)
{
	TextRegister text = {};

	text.base = column.base[part];
	text.start = column.offset;
	text.end = column.offset + 1;
	text.packed = true;
	return text;
}

static TextArgs part_args(const Column &column, const Work &work, const Call &call, int part)
{
	TextArgs args = {};

	args.text[0] = part_register(column, part);
	for (int i = 1; i < 3; i++)
	{
		args.text[i].base = work.constant + i * CALL_TEXT_BYTES;
		args.text[i].host = work.host_constant.data() + i * CALL_TEXT_BYTES;
		args.text[i].bytes = call.text[i] != NULL ? (int32_t)strlen(call.text[i]) : 0;
		args.value[i].constant = call.value[i];
	}
	args.constant = work.constant + CALL_MAP_AT;
	args.encoding = GPUSTR_ENC_UTF8;
	return args;
}

static void run_part(const Column &column, const Work &work, const Call &call, int part)
{
	const int64_t at = (int64_t)part * column.nrows;
	const StatePlanes planes = {work.valid + part * work.plane_words,
								work.recheck + part * work.plane_words};
	const TextArgs args = part_args(column, work, call, part);
	TextRegister made = {};
	TextArena arena;

	if (call.function > GPUSTR_TEXT_MAKE_LAST)
	{
		CUDA_MUST(launch_text_measure(call.function, args, column.nrows, work.value + at, planes,
									  work.stream));
		return;
	}
	if (call.function <= GPUSTR_TEXT_SLICE_LAST)
		CUDA_MUST(launch_text_slice(call.function, args, column.base[part], column.nrows,
									work.start + at, work.end + at, planes, work.stream));
	else
	{
		arena.base = column.base[part];
		arena.at = column.arena_at;
		arena.bytes = column.arena_bytes;
		arena.cursor = work.cursor + part;
		CUDA_MUST(launch_text_make(call.function, args, work.host_constant.data() + CALL_MAP_AT,
								   arena, column.nrows, work.start + at, work.end + at, planes,
								   work.stream));
	}
	if (call.column)
	{
		made.base = column.base[part];
		made.start = work.start + at;
		made.end = work.end + at;
		made.valid = planes.valid;
		made.recheck = planes.recheck;
		CUDA_MUST(launch_output_text(made, BoolRegister{NULL, NULL}, column.nrows, work.out,
									 work.stream));
	}
}

static void run(const Column &column, const Work &work, const Call &call)
{
	CUDA_MUST(
		cudaMemsetAsync(work.cursor, 0, sizeof(*work.cursor) * (size_t)column.nparts, work.stream));
	for (int i = 0; i < column.nparts; i++)
		run_part(column, work, call, i);
}

static void poison(const Column &column, const Work &work)
{
	const size_t rows = (size_t)column.nrows * (size_t)column.nparts;
	const size_t plane = 4 * (size_t)work.plane_words;

	CUDA_MUST(cudaMemset(work.start, 0xA5, 4 * rows));
	CUDA_MUST(cudaMemset(work.end, 0xA5, 4 * rows));
	CUDA_MUST(cudaMemset(work.value, 0xA5, 8 * rows));
	CUDA_MUST(cudaMemset(work.valid, 0xA5, plane * (size_t)column.nparts));
	CUDA_MUST(cudaMemset(work.recheck, 0xA5, plane * (size_t)column.nparts));
	CUDA_MUST(cudaMemset(work.out.valid, 0xA5, plane));
	CUDA_MUST(cudaMemset(work.out.recheck, 0, plane));
	CUDA_MUST(cudaMemset(work.out.offset, 0xA5, 4 * ((size_t)column.nrows + 1)));
	CUDA_MUST(cudaMemset(work.out.data, 0xA5, work.out.room));
	for (int i = 0; i < column.nparts; i++)
		CUDA_MUST(cudaMemset(column.base[i] + column.arena_at, 0xA5, column.arena_bytes));
}

/* TB/s of a copy on the device, of all parts' texts to their arenas, both counted. */
static double copy_speed(const Column &column, cudaStream_t stream)
{
	const size_t bytes = std::min((size_t)column.part_bytes, (size_t)column.arena_bytes);
	double ms =
		best_of(REPEATS, stream,
				[&]
				{
					for (int i = 0; i < column.nparts; i++)
						CUDA_MUST(cudaMemcpyAsync(column.base[i] + column.arena_at, column.base[i],
												  bytes, cudaMemcpyDeviceToDevice, stream));
				});

	return 2 * (double)bytes * column.nparts / ms / 1e9;
}

/* Bytes of the answers of all rows, wherever they lie. */
static double answer_bytes(const Column &column, const Work &work)
{
	const size_t rows = (size_t)column.nrows;
	double bytes = 0;

	for (int i = 0; i < column.nparts; i++)
	{
		const std::vector<int32_t> start = fetch_array(work.start + (size_t)i * rows, rows);
		const std::vector<int32_t> end = fetch_array(work.end + (size_t)i * rows, rows);

		for (size_t r = 0; r < rows; r++)
			bytes += end[r] - start[r];
	}
	return bytes;
}

static void print_line(const Column &column, const char *name, double ms, double read, double bytes,
					   double copy, const std::string &goal, bool right)
{
	printf("%-8s %-34s %9.3f ms  read %6.3f TB/s  in + out %6.3f TB/s %5.1f%% of copy  %s%s\n",
		   column.name, name, ms, read / ms / 1e9, bytes / ms / 1e9, 100 * bytes / ms / 1e9 / copy,
		   goal.c_str(), right ? "" : "  WRONG");
	fflush(stdout);
}

/* One line.  Returns whether the answers were right. */
static bool time_call(const Column &column, Work *work, const Call &call, double copy)
{
	const double rows = (double)column.nrows * column.nparts;
	double made;
	double read = (double)column.bytes();
	double bytes;
	char goal[40] = "";
	char whole[40] = "";
	bool right;
	double ms;

	set_constants(work, call);
	poison(column, *work);
	CUDA_MUST(cudaDeviceSynchronize());
	run(column, *work, call);
	CUDA_MUST(cudaStreamSynchronize(work->stream));
	right = sample_is_right(column, *work, call, 0) && sample_is_right(column, *work, call, 1);
	made = made_bytes(column, *work, call);
	ms = best_of(REPEATS, work->stream, [&] { run(column, *work, call); });
	if (call.function == GPUSTR_TEXT_SUBSTR)
	{
		read = 0;
		for (size_t r = 0; r < (size_t)column.nrows; r++)
			read += (double)std::min((int64_t)(column.host[r + 1] - column.host[r]),
									 call.value[1] + call.value[2] - 1);
		read *= column.nparts;
	}
	bytes = read;
	if (call.function <= GPUSTR_TEXT_SLICE_LAST || call.function > GPUSTR_TEXT_MAKE_LAST)
		bytes += 8 * rows;
	else
		bytes += made + (call.function == GPUSTR_TEXT_REPLACE ? 8 * rows : 0);
	if (call.column)
		bytes += (double)fetch_array(work->out.bytes, 1)[0] * column.nparts;
	if (call.goal_percent > 0)
		(void)snprintf(goal, sizeof(goal), "goal %d%%", call.goal_percent);
	else if (call.goal_tb > 0)
		(void)snprintf(goal, sizeof(goal), "goal read %.1f TB/s", call.goal_tb);
	if (call.function == GPUSTR_TEXT_REPLACE && !call.column)
		(void)snprintf(whole, sizeof(whole), "whole texts %.1f%%  ",
					   100 * (read + answer_bytes(column, *work)) / ms / 1e9 / copy);
	print_line(column, call.name, ms, read, bytes, copy, std::string(whole) + goal, right);
	return right;
}

/* How a pattern is matched. */
enum LikeForm
{
	LIKE_COMPARED,	/* byte by byte */
	LIKE_AUTOMATON, /* by an automaton that is made of it */
	LIKE_SEARCHED	/* what is between its '%', as a literal */
};

/* LIKE or ILIKE to run. */
struct LikeCall
{
	const char *pattern;
	bool folds;
	LikeForm form;
	double goal_tb; /* TB/s of text that is read; 0: none */
};

/* Where the constants of LIKE are, from CALL_PATTERN_AT on. */
#define LIKE_AUTOMATON_AT 4096
#define LIKE_LITERAL_AT (CALL_CONSTANT_BYTES - CALL_PATTERN_AT - CALL_TEXT_BYTES)

/* LIKE, alike. */
static bool time_like(const Column &column, Work *work, const DfaDevice &limits,
					  const LikeCall &call, double copy)
{
	static const char *const forms[] = {"compared", "automaton", "searched"};
	const Call none = {};
	const int32_t pattern_bytes = (int32_t)strlen(call.pattern);
	std::vector<uint64_t> constant((CALL_CONSTANT_BYTES - CALL_PATTERN_AT) / 8);
	char *const host = (char *)constant.data();
	const char *const device = work->constant + CALL_PATTERN_AT;
	GpustrFold *const fold = (GpustrFold *)host;
	const void *const pattern = call.folds ? (const void *)(fold + 1) : fold;
	const GpustrDfa *const dfa = (const GpustrDfa *)(host + LIKE_AUTOMATON_AT);
	const std::string name =
		std::string(call.folds ? "ILIKE " : "LIKE ") + call.pattern + ", " + forms[call.form];
	char goal[40] = "";
	bool right = true;
	auto run_like = [&]
	{
		for (int i = 0; i < column.nparts; i++)
		{
			const TextRegister text = part_register(column, i);
			const BoolRegister out = {work->valid + i * work->plane_words,
									  work->recheck + i * work->plane_words};
			TextRegister literal = {};

			literal.base = device + LIKE_LITERAL_AT;
			literal.host = host + LIKE_LITERAL_AT;
			literal.bytes = pattern_bytes - 2;
			if (call.form == LIKE_AUTOMATON)
				CUDA_MUST(launch_dfa(limits, dfa_layout(limits, dfa), text, column.nrows, dfa,
									 (const GpustrDfa *)(device + LIKE_AUTOMATON_AT), GPUSTR_TRUE,
									 BoolRegister{NULL, NULL}, out, work->stream));
			else if (call.form == LIKE_SEARCHED)
				CUDA_MUST(launch_search(text, literal, GPUSTR_ENC_UTF8, column.nrows, NULL,
										StatePlanes{out.lo, out.hi}, work->stream));
			else if (call.folds)
				CUDA_MUST(launch_ilike(text, column.nrows, rowfn_fold_kind(fold),
									   (const GpustrFold *)device, GPUSTR_ENC_UTF8, out,
									   work->stream));
			else
				CUDA_MUST(
					launch_like(text, column.nrows, device, GPUSTR_ENC_UTF8, out, work->stream));
		}
	};
	double ms;

	if (call.folds)
		for (int c = 0; c < 128; c++)
			fold->ascii[c] = (uint8_t)(c >= 'A' && c <= 'Z' ? c + 32 : c);
	if (gpustr_like_compile(call.pattern, pattern_bytes, GPUSTR_ENC_UTF8, (void *)pattern,
							LIKE_AUTOMATON_AT - sizeof(*fold)) == 0 ||
		gpustr_like_automaton(pattern, GPUSTR_ENC_UTF8, call.folds ? fold : NULL,
							  host + LIKE_AUTOMATON_AT, LIKE_LITERAL_AT - LIKE_AUTOMATON_AT) == 0)
	{
		printf("%s: no room\n", name.c_str());
		return false;
	}
	memcpy(host + LIKE_LITERAL_AT, call.pattern + 1, (size_t)pattern_bytes - 2);
	set_constants(work, none);
	CUDA_MUST(cudaMemcpy(work->constant + CALL_PATTERN_AT, host, constant.size() * 8,
						 cudaMemcpyHostToDevice));
	poison(column, *work);
	CUDA_MUST(cudaDeviceSynchronize());
	run_like();
	CUDA_MUST(cudaStreamSynchronize(work->stream));
	for (int s = 0; s < 2; s++)
	{
		const int64_t part = s == 0 ? 0 : column.nparts - 1;
		std::vector<uint32_t> lo =
			fetch_array(work->valid + part * work->plane_words, (size_t)work->plane_words);
		std::vector<uint32_t> hi =
			fetch_array(work->recheck + part * work->plane_words, (size_t)work->plane_words);
		const int32_t first = column.sample_row(s);

		for (int32_t r = first; r < first + column.sample_rows(); r++)
		{
			const int32_t at = column.host[(size_t)r];
			const char *value = column.sample[s].data() + (at - column.host[(size_t)first]);
			const int32_t len = column.host[(size_t)r + 1] - at;
			const int want = call.folds ? rowfn_ilike(value, len, fold, rowfn_fold_kind(fold),
													  pattern, GPUSTR_ENC_UTF8)
										: rowfn_like(value, len, pattern, GPUSTR_ENC_UTF8);

			right &= !bit_of(hi, r) && bit_of(lo, r) == (want == GPUSTR_TRUE);
		}
	}
	ms = best_of(REPEATS, work->stream, run_like);
	if (call.goal_tb > 0)
		(void)snprintf(goal, sizeof(goal), "goal read %.1f TB/s", call.goal_tb);
	print_line(column, name.c_str(), ms, (double)column.bytes(), (double)column.bytes(), copy, goal,
			   right);
	return right;
}

int main(int argc, char **argv)
{
	static const Call calls[] = {
		{"upper", GPUSTR_TEXT_UPPER, {}, {}, false, 60, 0},
		{"upper + column", GPUSTR_TEXT_UPPER, {}, {}, true, 0, 0},
		{"lower", GPUSTR_TEXT_LOWER, {}, {}, false, 60, 0},
		{"substr(9, 40)", GPUSTR_TEXT_SUBSTR, {}, {0, 9, 40}, false, 60, 0},
		{"substr(9, 40) + column", GPUSTR_TEXT_SUBSTR, {}, {0, 9, 40}, true, 0, 0},
		{"replace, 1 row in 16",
		 GPUSTR_TEXT_REPLACE,
		 {NULL, COLUMN_NEEDLE, "<thread>+"},
		 {},
		 false,
		 40,
		 0},
		{"replace, 1 row in 16 + column",
		 GPUSTR_TEXT_REPLACE,
		 {NULL, COLUMN_NEEDLE, "<thread>+"},
		 {},
		 true,
		 0,
		 0},
		{"replace, a letter by two", GPUSTR_TEXT_REPLACE, {NULL, "e", "EE"}, {}, false, 0, 0},
		{"replace, two letters by none", GPUSTR_TEXT_REPLACE, {NULL, "aa", ""}, {}, false, 0, 0},
		{"split_part(' ', 3)", GPUSTR_TEXT_SPLIT_PART, {NULL, " ", NULL}, {0, 0, 3}, false, 0, 0},
		{"concat, 8 bytes", GPUSTR_TEXT_CONCAT, {NULL, "-suffix.", NULL}, {}, false, 0, 0},
		{"md5", GPUSTR_TEXT_MD5, {}, {}, false, 0, 0},
		{"reverse", GPUSTR_TEXT_REVERSE, {}, {}, false, 0, 0},
		{"lpad(100)", GPUSTR_TEXT_LPAD, {NULL, NULL, "*"}, {0, 100, 0}, false, 0, 0},
	};
	static const Call searches[] = {
		{"position, in 1 row of 16",
		 GPUSTR_TEXT_POSITION,
		 {NULL, COLUMN_NEEDLE, NULL},
		 {},
		 false,
		 0,
		 2.5},
		{"position, in no row", GPUSTR_TEXT_POSITION, {NULL, "Haystack", NULL}, {}, false, 0, 2.5},
		{"position, of a letter", GPUSTR_TEXT_POSITION, {NULL, "q", NULL}, {}, false, 0, 0},
	};
	static const LikeCall likes[] = {
		{"%ab%cd%", false, LIKE_COMPARED, 0},
		{"%ab%cd%", false, LIKE_AUTOMATON, 1.5},
		{"%ab%cd%", true, LIKE_COMPARED, 0},
		{"%ab%cd%", true, LIKE_AUTOMATON, 0},
		{"%" COLUMN_NEEDLE "%", false, LIKE_COMPARED, 0},
		{"%" COLUMN_NEEDLE "%", false, LIKE_AUTOMATON, 0},
		{"%" COLUMN_NEEDLE "%", false, LIKE_SEARCHED, 0},
		{"the%_9", false, LIKE_AUTOMATON, 0},
	};
	static const Call mixed_searches[] = {
		{"position, in 1 row of 16",
		 GPUSTR_TEXT_POSITION,
		 {NULL, COLUMN_NEEDLE, NULL},
		 {},
		 false,
		 0,
		 1.8},
		{"position, in no row", GPUSTR_TEXT_POSITION, {NULL, "Haystack", NULL}, {}, false, 0, 1.8},
		{"upper", GPUSTR_TEXT_UPPER, {}, {}, false, 0, 0},
		{"replace, 1 row in 16",
		 GPUSTR_TEXT_REPLACE,
		 {NULL, COLUMN_NEEDLE, "<thread>+"},
		 {},
		 false,
		 0,
		 0},
		{"replace, a letter by two", GPUSTR_TEXT_REPLACE, {NULL, "e", "EE"}, {}, false, 0, 0},
		{"substr(9, 40)", GPUSTR_TEXT_SUBSTR, {}, {0, 9, 40}, false, 0, 0},
	};
	static const ColumnShape shapes[] = {{"16-112", 16, 112, 0, 0},
										 {"64", 64, 64, 0, 0},
										 {"mixed", 16, 112, 100, 16384},
										 {"49", 49, 49, 0, 0}};
	int64_t bytes = 4LL << 30;
	uint64_t seed = 1;
	const char *only = "";
	const char *rows = NULL;
	int checked = 0;
	int wrong = 0;
	DfaDevice limits;
	cudaDeviceProp props;
	cudaStream_t stream;

	for (int i = 1; i < argc; i++)
	{
		if (strcmp(argv[i], "--quick") == 0)
			bytes = 8 << 20;
		else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
			seed = strtoull(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
			only = argv[++i];
		else if (strcmp(argv[i], "--rows") == 0 && i + 1 < argc)
			rows = argv[++i];
		else
		{
			fprintf(stderr, "usage: text_bench [--quick] [--seed N] [--only NAME] [--rows NAME]\n");
			return 2;
		}
	}
	CUDA_MUST(cudaSetDevice(0));
	CUDA_MUST(cudaGetDeviceProperties(&props, 0));
	CUDA_MUST(prepare_dfa(0, &limits));
	CUDA_MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	for (size_t c = 0; c < sizeof(shapes) / sizeof(shapes[0]); c++)
	{
		if (rows != NULL && strcmp(rows, shapes[c].name) != 0)
			continue;
		Column column = make_column(shapes[c], bytes, seed);
		Work work = make_work(column, stream);
		double copy = copy_speed(column, stream);
		auto time_all = [&](const Call *list, size_t n)
		{
			for (size_t i = 0; i < n; i++)
			{
				if (strstr(list[i].name, only) == NULL)
					continue;
				checked++;
				wrong += !time_call(column, &work, list[i], copy);
			}
		};

		printf("text_bench: %s, seed %llu, rows of %s bytes, %lld in all; copy %.3f TB/s\n",
			   props.name, (unsigned long long)seed, column.name, (long long)column.bytes(), copy);
		if (c == 2)
			time_all(mixed_searches, sizeof(mixed_searches) / sizeof(mixed_searches[0]));
		else if (c < 2)
			time_all(calls, sizeof(calls) / sizeof(calls[0]));
		if (c != 2)
			time_all(searches, sizeof(searches) / sizeof(searches[0]));
		for (size_t i = 0; i < sizeof(likes) / sizeof(likes[0]); i++)
		{
			if (strstr("LIKE", only) == NULL)
				continue;
			checked++;
			wrong += !time_like(column, &work, limits, likes[i], copy);
		}
		free_work(&work);
		free_column(&column);
	}
	printf("text_bench: %d passed, %d failed\n", checked - wrong, wrong);
	return wrong == 0 ? 0 : 1;
}
