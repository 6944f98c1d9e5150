/*-------------------------------------------------------------------------
 *
 * test_common.h
 *	  What the unit programs share: checks, random numbers, random texts.
 *
 * A program calls CHECK() as often as it likes, and test_done() at the end of
 * each named test, which prints one TAP line; test_exit() prints the plan.
 * The Makefile counts the lines that start with "ok" and "not ok".
 *
 * Random tests print their seed.  GPUSTR_TEST_SEED in the environment repeats
 * a run, GPUSTR_TEST_ROUNDS scales its length (1 is the default).
 *
 * Plain C, also good for C++ and nvcc.
 *
 * IDENTIFICATION
 *	  test/unit/test_common.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_TEST_COMMON_H
#define GPUSTR_TEST_COMMON_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "program/program.h"

#ifdef __GNUC__
#define TEST_UNUSED __attribute__((unused))
#else
#define TEST_UNUSED
#endif

/* Of the test at hand, and of the program. */
static int	test_bad TEST_UNUSED;
static int	test_count TEST_UNUSED;
static int	test_failed TEST_UNUSED;

/* Note a failure, with a printf-like message, unless 'condition' holds. */
#define CHECK(condition, ...) \
	do { \
		if (!(condition)) \
		{ \
			if (test_bad++ < 10) \
			{ \
				printf("# %s:%d: %s: ", __FILE__, __LINE__, #condition); \
				printf(__VA_ARGS__); \
				printf("\n"); \
			} \
		} \
	} while (0)

/* End a test: one line "ok" or "not ok". */
static inline TEST_UNUSED void
test_done(const char *name)
{
	test_count++;
	if (test_bad > 0)
		test_failed++;
	printf("%s %d - %s\n", test_bad > 0 ? "not ok" : "ok", test_count, name);
	fflush(stdout);
	test_bad = 0;
}

/* End the program. */
static inline TEST_UNUSED int
test_exit(void)
{
	printf("1..%d\n", test_count);
	return test_failed > 0 ? 1 : 0;
}

/* xorshift64* */
typedef struct Rng
{
	uint64_t	state;
} Rng;

static inline TEST_UNUSED uint32_t
rng_next(Rng *rng)
{
	rng->state ^= rng->state >> 12;
	rng->state ^= rng->state << 25;
	rng->state ^= rng->state >> 27;
	return (uint32_t) ((rng->state * UINT64_C(2685821657736338717)) >> 32);
}

/* A number in [0, n). */
static inline TEST_UNUSED int32_t
rng_below(Rng *rng, int32_t n)
{
	return (int32_t) (((uint64_t) rng_next(rng) * (uint32_t) n) >> 32);
}

/* True once in n times. */
static inline TEST_UNUSED int
rng_one_in(Rng *rng, int32_t n)
{
	return rng_below(rng, n) == 0;
}

static inline TEST_UNUSED Rng
rng_make(uint64_t seed)
{
	Rng			rng;

	rng.state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
	(void) rng_next(&rng);
	return rng;
}

/* The seed of this run, from the environment or the clock; printed. */
static inline TEST_UNUSED uint64_t
test_seed(void)
{
	const char *setting = getenv("GPUSTR_TEST_SEED");
	uint64_t	seed = setting != NULL ? strtoull(setting, NULL, 10) :
	(uint64_t) time(NULL) * 1000003u + (uint64_t) clock();

	printf("# seed %llu\n", (unsigned long long) seed);
	return seed;
}

/* 'rounds', scaled. */
static inline TEST_UNUSED int
test_rounds(int rounds)
{
	const char *setting = getenv("GPUSTR_TEST_ROUNDS");
	double		scale = setting != NULL ? atof(setting) : 1;

	return rounds * scale < 1 ? 1 : (int) (rounds * scale);
}

/*
 * Alphabets.  Few different characters, so that partial matches are common;
 * those of LIKE itself among them.
 */
static const char *const test_letters[] = {
	"a", "b", "ab", "a", "b", "c", " ", "%", "_", "\\", "x", "0", "A", "B",
	"\303\251", "\303\250", "\344\270\255", "\344\270\256", "\360\237\231\202", "\314\201"
};
#define TEST_ASCII_LETTERS 14
#define TEST_ALL_LETTERS 20

/*
 * Make a random text of at most max_bytes bytes.  letters is
 * TEST_ASCII_LETTERS, TEST_ALL_LETTERS, or anything below: only 'a' and 'b'.
 */
static inline TEST_UNUSED int32_t
test_text(Rng *rng, char *out, int32_t max_bytes, int letters)
{
	int32_t		len = 0;
	int			n = letters < TEST_ASCII_LETTERS ? 2 : letters;

	for (;;)
	{
		const char *letter = test_letters[rng_below(rng, n)];
		int32_t		bytes = (int32_t) strlen(letter);

		if (len + bytes > max_bytes)
			return len;
		memcpy(out + len, letter, (size_t) bytes);
		len += bytes;
	}
}

/* A length that is mostly small, at times long, never over max. */
static inline TEST_UNUSED int32_t
test_length(Rng *rng, int32_t max)
{
	int32_t		limit = rng_one_in(rng, 3) ? 6 : rng_one_in(rng, 10) ? max : 60;

	return rng_below(rng, (limit < max ? limit : max) + 1);
}

/*
 * Make a random LIKE pattern of at most max_bytes >= 8 bytes: wildcards,
 * letters, escapes, pieces of 'like' (a text that it may match, or NULL), now
 * and then a lone escape at the end.
 */
static inline TEST_UNUSED int32_t
test_pattern(Rng *rng, char *out, int32_t max_bytes, int letters,
			 const char *like, int32_t like_bytes)
{
	int32_t		len = 0;
	int32_t		at = 0;
	int			pieces = rng_below(rng, 9);

	if (letters < TEST_ASCII_LETTERS)
		letters = 2;
	while (pieces-- > 0)
	{
		const char *letter;
		int32_t		bytes;
		int			kind = rng_below(rng, 8);

		if (len + 8 > max_bytes)
			break;
		if (kind < 2)
			out[len++] = '%';
		else if (kind == 2)
			out[len++] = '_';
		else if (kind < 6 && like != NULL && at < like_bytes)
		{
			/* go on in the text, from the next start of a character */
			int32_t		n = rng_below(rng, 12);

			at += rng_one_in(rng, 2) ? 0 : rng_below(rng, like_bytes - at);
			while (at < like_bytes && (like[at] & 0xC0) == 0x80)
				at++;
			while (at < like_bytes && len + 8 <= max_bytes &&
				   (n-- > 0 || (like[at] & 0xC0) == 0x80))
			{
				if (like[at] == '%' || like[at] == '_' || like[at] == '\\')
					out[len++] = '\\';
				out[len++] = like[at++];
			}
		}
		else
		{
			letter = test_letters[rng_below(rng, letters)];
			bytes = (int32_t) strlen(letter);
			if (letter[0] == '\\' || rng_one_in(rng, 6))
				out[len++] = '\\';
			memcpy(out + len, letter, (size_t) bytes);
			len += bytes;
		}
	}
	if (rng_one_in(rng, 50))
		out[len++] = '\\';
	return len;
}

/*
 * Make a random fold: that of ASCII, or one that has other ideas about some
 * letters, or does not know.
 */
static inline TEST_UNUSED void
test_fold(Rng *rng, GpustrFold *fold)
{
	static const unsigned char made[] = {'a', 'b', 'x', 'A', 'B', GPUSTR_FOLD_RECHECK};
	int			c;

	memset(fold, 0, sizeof(*fold));
	for (c = 0; c < 128; c++)
		fold->ascii[c] = (uint8_t) (c >= 'A' && c <= 'Z' ? c + 32 : c);
	if (rng_one_in(rng, 2))
		for (c = 'A'; c <= 'C'; c++)
			fold->ascii[c] = made[rng_below(rng, 6)];
	if (rng_one_in(rng, 8))
		fold->ascii['x'] = GPUSTR_FOLD_RECHECK;
	fold->others_stay = rng_one_in(rng, 2);
}

/* Fold a pattern, as far as the fold knows. */
static inline TEST_UNUSED void
test_fold_pattern(char *pattern, int32_t bytes, const GpustrFold *fold)
{
	int32_t		i;

	for (i = 0; i < bytes; i++)
	{
		unsigned char c = (unsigned char) pattern[i];

		if (c < 128 && fold->ascii[c] != GPUSTR_FOLD_RECHECK)
			pattern[i] = (char) fold->ascii[c];
	}
}

#endif							/* GPUSTR_TEST_COMMON_H */
