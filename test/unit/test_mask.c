/*-------------------------------------------------------------------------
 *
 * test_mask.c
 *	  Masking of one text: the examples of mask.h, its limits, and random ones.
 *
 * IDENTIFICATION
 *	  test/unit/test_mask.c
 *
 *-------------------------------------------------------------------------
 */
#include "naive.h"
#include "rowfn/mask.h"
#include "test_common.h"

/* Mask from exact allocations, so that ASan sees a byte too many. */
static void
mask_one(const char *text, int32_t len, int32_t keep_left, int32_t keep_right,
		 const char *mask, int32_t mask_bytes, int32_t encoding, const char *want, int32_t want_bytes)
{
	char	   *t = malloc((size_t) len + 1);
	char	   *m = malloc((size_t) mask_bytes + 1);
	RowfnMaskParts parts;
	int64_t		bytes;

	/* move both to the end of their allocations */
	memcpy(t + 1, text, (size_t) len);
	memcpy(m + 1, mask, (size_t) mask_bytes);
	parts = rowfn_mask_split(t + 1, len, keep_left, keep_right, encoding);
	bytes = rowfn_mask_bytes(len, parts, mask_bytes);
	CHECK(bytes == want_bytes, "\"%.*s\" %d %d: %lld bytes, not %d", len, text, keep_left, keep_right,
		  (long long) bytes, want_bytes);
	if (bytes == want_bytes)
	{
		char	   *out = malloc((size_t) bytes + 1);

		rowfn_mask_write(t + 1, len, parts, m + 1, mask_bytes, out + 1);
		CHECK(memcmp(out + 1, want, (size_t) bytes) == 0, "\"%.*s\" %d %d: \"%.*s\", not \"%.*s\"", len, text,
			  keep_left, keep_right, (int) bytes, out + 1, (int) bytes, want);
		free(out);
	}
	free(t);
	free(m);
}

static void
mask_text(const char *text, int32_t keep_left, int32_t keep_right, const char *mask, const char *want)
{
	mask_one(text, (int32_t) strlen(text), keep_left, keep_right, mask, (int32_t) strlen(mask),
			 GPUSTR_ENC_UTF8, want, (int32_t) strlen(want));
}

/* Bytes that are no text: nothing outside of them is touched. */
static void
mask_bytes(Rng *rng)
{
	static const char bytes[] = {'a', (char) 0x80, (char) 0xBF, (char) 0xC3, (char) 0xE4, (char) 0xF0, (char) 0xFF};
	int32_t		len = rng_below(rng, 12);
	char	   *text = malloc((size_t) len + 1);
	RowfnMaskParts parts;
	int64_t		n;
	char	   *out;
	int32_t		i;

	for (i = 1; i <= len; i++)
		text[i] = bytes[rng_below(rng, 7)];
	parts = rowfn_mask_split(text + 1, len, rng_below(rng, 5), rng_below(rng, 5), GPUSTR_ENC_UTF8);
	CHECK(parts.left_bytes >= 0 && parts.hidden_bytes >= 0 && parts.left_bytes + parts.hidden_bytes <= len &&
		  parts.hidden >= 0 && parts.hidden <= len, "%d bytes: %d %d %d", len, parts.left_bytes,
		  parts.hidden_bytes, parts.hidden);
	n = rowfn_mask_bytes(len, parts, 2);
	CHECK(n >= 0 && n <= 3 * len, "%lld bytes of %d", (long long) n, len);
	out = malloc((size_t) n + 1);
	rowfn_mask_write(text + 1, len, parts, "**", 2, out + 1);
	free(out);
	free(text);
}

int
main(void)
{
	Rng			rng;
	RowfnMaskParts parts;
	int			i;

	mask_text("4000123412341234", 4, 4, "X", "4000XXXXXXXX1234");
	mask_text("abc", 1, 0, "**", "a****");
	mask_text("abc", 2, 1, "X", "abc");
	mask_text("abc", 0, 0, "X", "XXX");
	mask_text("abc", 0, 0, "", "");
	mask_text("abc", 1, 1, "", "ac");
	mask_text("abc", 2, 2, "X", "abc");
	mask_text("abc", 3, 0, "X", "abc");
	mask_text("abc", 0, 3, "X", "abc");
	mask_text("abc", 1, 1, "\303\251", "a\303\251c");
	mask_text("", 0, 0, "X", "");
	mask_text("", 1, 1, "X", "");
	mask_text("\303\205sa", 1, 1, "*", "\303\205*a");
	mask_text("\345\260\217\346\230\216\347\216\213", 1, 1, "*", "\345\260\217*\347\216\213");
	mask_text("a\360\237\231\202b", 0, 1, "-", "--b");
	mask_text("a\314\201b", 1, 0, "*", "a**");
	test_done("examples");

	mask_text("abc", INT32_MAX, INT32_MAX, "X", "abc");
	mask_text("abc", 0, INT32_MAX, "X", "abc");
	mask_text("abc", INT32_MAX, 0, "X", "abc");
	mask_text("abc", INT32_MAX, 1, "X", "abc");
	parts.left_bytes = 0;
	parts.hidden_bytes = INT32_MAX;
	parts.hidden = INT32_MAX;
	CHECK(rowfn_mask_bytes(INT32_MAX, parts, INT32_MAX) == (int64_t) INT32_MAX * INT32_MAX, "the most bytes");
	parts.hidden_bytes = 65536;
	parts.hidden = 65536;
	CHECK(rowfn_mask_bytes(65536, parts, 65536) == INT64_C(1) << 32, "4 GB");
	CHECK(rowfn_mask_bytes(65537, parts, 32768) == (INT64_C(1) << 31) + 1, "2 GB");
	test_done("limits");

	/* in a single-byte encoding each byte is a character */
	mask_one("a\303\251b", 4, 1, 1, "*", 1, GPUSTR_ENC_SINGLE_BYTE, "a**b", 4);
	mask_one("a\0b\0c", 5, 1, 1, "\0", 1, GPUSTR_ENC_SINGLE_BYTE, "a\0\0\0c", 5);
	test_done("single-byte encoding");

	rng = rng_make(test_seed());
	for (i = 0; i < test_rounds(200000); i++)
	{
		char		text[128];
		char		mask[16];
		char		want[128 * 17];
		int32_t		encoding = rng_below(&rng, 2);
		int			letters = encoding == GPUSTR_ENC_UTF8 ? TEST_ALL_LETTERS : TEST_ASCII_LETTERS;
		int32_t		len = test_text(&rng, text, test_length(&rng, 100), letters);
		int32_t		mask_len = test_text(&rng, mask, rng_below(&rng, rng_one_in(&rng, 4) ? 16 : 3), letters);
		int32_t		keep_left = rng_below(&rng, rng_one_in(&rng, 5) ? 110 : 6);
		int32_t		keep_right = rng_below(&rng, rng_one_in(&rng, 5) ? 110 : 6);

		mask_one(text, len, keep_left, keep_right, mask, mask_len, encoding, want,
				 naive_mask(text, len, keep_left, keep_right, mask, mask_len, encoding, want));
	}
	test_done("random texts");
	for (i = 0; i < test_rounds(200000); i++)
		mask_bytes(&rng);
	test_done("bytes that are no text");
	return test_exit();
}
