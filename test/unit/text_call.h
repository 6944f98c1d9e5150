/*-------------------------------------------------------------------------
 *
 * text_call.h
 *	  Call a function of texts as an engine does, and look for breaches.
 *
 * Each text lies in an allocation of its own and of its very size, so that
 * ASan sees a byte too many; what is made lies between poisoned bytes, and each
 * byte of it must be written.
 *
 * IDENTIFICATION
 *	  test/unit/text_call.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_TEST_TEXT_CALL_H
#define GPUSTR_TEST_TEXT_CALL_H

#include "rowfn/text_make.h"
#include "rowfn/text_measure.h"
#include "rowfn/text_slice.h"
#include "test_common.h"

/* Poisoned bytes on either side of what is made. */
#define CALL_GUARD 24

/* The most bytes that are made; what would be more is not written. */
#define CALL_ROOM (1 << 21)

/* An answer: recheck, or a text, or a value. */
typedef struct TextAnswer
{
	int			recheck;
	int64_t		value;			/* of a measure; else its bytes */
	char	   *text;			/* malloc'd, of a slice or made text, and a
								 * zero byte; NULL if it was too long */
} TextAnswer;

typedef struct TextExample
{
	int			function;
	const char *arg[3];
	const char *want;			/* NULL: recheck */
} TextExample;

/* A text in an allocation of its own; free() what it is in, *block. */
static inline TEST_UNUSED RowfnText
call_exact(const char *s, int32_t len, char **block)
{
	RowfnText	text;

	*block = (char *) malloc(len > 0 ? (size_t) len : 1);
	if (len > 0)
		memcpy(*block, s, (size_t) len);
	text.s = len > 0 ? *block : *block + 1;
	text.len = len;
	return text;
}

/* Write a text of 'bytes' bytes between guards that are 'poison'. */
static inline TEST_UNUSED char *
call_write(int function, const RowfnArgs *args, int64_t bytes, int poison)
{
	char	   *room = (char *) malloc((size_t) bytes + 2 * CALL_GUARD);
	int			bad = 0;
	int			i;

	memset(room, poison, (size_t) bytes + 2 * CALL_GUARD);
	rowfn_text_write(function, args, room + CALL_GUARD, bytes);
	for (i = 0; i < CALL_GUARD; i++)
		bad |= room[i] != (char) poison || room[(size_t) bytes + CALL_GUARD + i] != (char) poison;
	CHECK(!bad, "function %d wrote outside of its %lld bytes", function, (long long) bytes);
	return room;
}

/* Make a text twice, over different bytes: it must be the same. */
static inline TEST_UNUSED char *
call_make(int function, const RowfnArgs *args, int64_t bytes)
{
	char	   *once = call_write(function, args, bytes, 0x5A);
	char	   *twice = call_write(function, args, bytes, 0xA5);
	char	   *text = (char *) malloc((size_t) bytes + 1);

	CHECK(memcmp(once + CALL_GUARD, twice + CALL_GUARD, (size_t) bytes) == 0,
		  "function %d leaves bytes of its %lld as they are", function, (long long) bytes);
	memcpy(text, once + CALL_GUARD, (size_t) bytes);
	text[bytes] = '\0';
	free(once);
	free(twice);
	return text;
}

/*
 * Call a function.  args: texts are copied to exact allocations.  Free the
 * answer's text.
 */
static inline TEST_UNUSED TextAnswer
call_text_function(int function, const RowfnArgs *given)
{
	const char *shape = gpustr_text_function_shape(function);
	RowfnArgs	args = *given;
	char	   *block[3] = {NULL, NULL, NULL};
	TextAnswer	answer = {0, 0, NULL};
	RowfnText	slice;
	int			i;

	for (i = 0; i < 3 && shape[i] != '\0'; i++)
		if (shape[i] == 'T')
			args.text[i] = call_exact(given->text[i].s, given->text[i].len, &block[i]);
	if (function <= GPUSTR_TEXT_SLICE_LAST)
	{
		answer.recheck = !rowfn_text_slice(function, &args, &slice);
		if (!answer.recheck)
		{
			int			within = slice.len >= 0 && slice.s >= args.text[0].s &&
			slice.s + slice.len <= args.text[0].s + args.text[0].len;

			CHECK(within, "function %d: its slice is not within the text", function);
			answer.value = within ? slice.len : 0;
			answer.text = (char *) malloc((size_t) answer.value + 1);
			memcpy(answer.text, slice.s, (size_t) answer.value);
			answer.text[answer.value] = '\0';
		}
	}
	else if (function <= GPUSTR_TEXT_MAKE_LAST)
	{
		answer.value = rowfn_text_bytes(function, &args);
		answer.recheck = answer.value < 0;
		if (!answer.recheck && answer.value <= CALL_ROOM)
			answer.text = call_make(function, &args, answer.value);
	}
	else
		answer.recheck = !rowfn_text_measure(function, &args, &answer.value);
	for (i = 0; i < 3; i++)
		free(block[i]);
	return answer;
}

/*
 * The text of an argument changes while a text is made of it: nothing is
 * written outside of its bytes.
 */
static inline TEST_UNUSED void
call_while_changing(Rng *rng, int function, const RowfnArgs *given)
{
	const char *shape = gpustr_text_function_shape(function);
	RowfnArgs	args = *given;
	char	   *block[3] = {NULL, NULL, NULL};
	int64_t		bytes;
	int			i;

	for (i = 0; i < 3 && shape[i] != '\0'; i++)
		if (shape[i] == 'T')
			args.text[i] = call_exact(given->text[i].s, given->text[i].len, &block[i]);
	bytes = rowfn_text_bytes(function, &args);
	for (i = 0; i < 3; i++)
	{
		int32_t		n;

		for (n = rng_below(rng, 8); block[i] != NULL && args.text[i].len > 0 && n > 0; n--)
			block[i][rng_below(rng, args.text[i].len)] = (char) rng_next(rng);
	}
	if (bytes >= 0 && bytes <= CALL_ROOM)
		free(call_write(function, &args, bytes, 0x5A));
	for (i = 0; i < 3; i++)
		free(block[i]);
}

/* Check the answers of PostgreSQL. */
static inline TEST_UNUSED void
call_examples(const TextExample *example, int n)
{
	for (; n > 0; n--, example++)
	{
		const char *shape = gpustr_text_function_shape(example->function);
		RowfnArgs	args;
		TextAnswer	answer;
		char		number[2 * ROWFN_SHA256_BYTES + 1];
		const char *got = number;
		int			i;

		memset(&args, 0, sizeof(args));
		args.encoding = GPUSTR_ENC_UTF8;
		for (i = 0; i < 3 && shape[i] != '\0'; i++)
		{
			args.text[i].s = example->arg[i];
			args.text[i].len = (int32_t) strlen(example->arg[i]);
			if (shape[i] == 'V')
				args.value[i] = strtoll(example->arg[i], NULL, 10);
		}
		answer = call_text_function(example->function, &args);
		if (example->function == GPUSTR_TEXT_SHA256)
			for (i = 0; i < ROWFN_SHA256_BYTES; i++)
				snprintf(number + 2 * i, 3, "%02x", (unsigned char) answer.text[i]);
		else if (answer.text != NULL)
			got = answer.text;
		else
			snprintf(number, sizeof(number), "%lld", (long long) answer.value);
		CHECK(answer.recheck == (example->want == NULL) &&
			  (answer.recheck || strcmp(got, example->want) == 0),
			  "function %d of (%s, %s, %s): %s, not %s", example->function, example->arg[0],
			  example->arg[1] ? example->arg[1] : "", example->arg[2] ? example->arg[2] : "",
			  answer.recheck ? "recheck" : got, example->want ? example->want : "recheck");
		free(answer.text);
	}
}

#endif							/* GPUSTR_TEST_TEXT_CALL_H */
