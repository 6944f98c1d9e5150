/*-------------------------------------------------------------------------
 *
 * test_redact.c
 *	  Redaction of one name: the examples of redact.h, and random ones.
 *
 * IDENTIFICATION
 *	  test/unit/test_redact.c
 *
 *-------------------------------------------------------------------------
 */
#include "naive.h"
#include "rowfn/redact.h"
#include "test_common.h"

/* Redact from exact allocations, so that ASan sees a byte too many. */
static void
redact_one(const char *name, int32_t len, const char *visibility, int32_t vlen,
		   int32_t encoding, const char *want, int32_t want_bytes)
{
	char	   *n = malloc((size_t) len + 1);
	char	   *v = malloc((size_t) vlen + 1);
	int32_t		bytes;
	char	   *out;

	/* move both to the end of their allocations */
	memcpy(n + 1, name, (size_t) len);
	memcpy(v + 1, visibility, (size_t) vlen);
	bytes = rowfn_redact_bytes(n + 1, len, v + 1, vlen, encoding);
	CHECK(bytes == want_bytes, "\"%.*s\": %d bytes, not %d", len, name, bytes, want_bytes);
	CHECK(bytes <= (len > 3 ? len : 3), "\"%.*s\": longer than the name", len, name);
	if (bytes >= 0 && bytes == want_bytes)
	{
		out = malloc((size_t) bytes + 1);
		rowfn_redact_write(n + 1, len, v + 1, vlen, encoding, out + 1);
		CHECK(memcmp(out + 1, want, (size_t) bytes) == 0, "\"%.*s\": \"%.*s\", not \"%.*s\"",
			  len, name, bytes, out + 1, bytes, want);
		free(out);
	}
	free(n);
	free(v);
}

static void
redact_public(const char *name, const char *want)
{
	redact_one(name, (int32_t) strlen(name), "public", 6, GPUSTR_ENC_UTF8,
			   want, (int32_t) strlen(want));
}

int
main(void)
{
	Rng			rng;
	int			i;

	redact_public("Jane Doe", "D Jane");
	redact_public("Mary Ann Smith", "A Mary");
	redact_public("Jane  Doe", "D Jane");
	redact_public("Jane", "Jane");
	redact_public("Jane ", "Jane");
	redact_public(" Doe", "D ");
	redact_public("", "");
	redact_public(" ", "");
	redact_public("   ", "");
	redact_public("J D", "D J");
	redact_public("J  ", "J");
	redact_public("Zo\303\253 \303\211mile", "\303\211 Zo\303\253");
	redact_public("\347\216\213 \345\260\217\346\230\216", "\345\260\217 \347\216\213");
	redact_public("a \360\237\231\202z", "\360\237\231\202 a");
	test_done("examples, public");

	redact_one("Jane Doe", 8, "private", 7, GPUSTR_ENC_UTF8, "X X", 3);
	redact_one("Jane Doe", 8, "Public", 6, GPUSTR_ENC_UTF8, "X X", 3);
	redact_one("Jane Doe", 8, "public ", 7, GPUSTR_ENC_UTF8, "X X", 3);
	redact_one("Jane Doe", 8, "publi", 5, GPUSTR_ENC_UTF8, "X X", 3);
	redact_one("Jane Doe", 8, "", 0, GPUSTR_ENC_UTF8, "X X", 3);
	redact_one("", 0, "x", 1, GPUSTR_ENC_UTF8, "X X", 3);
	test_done("examples, not public");

	/* in a single-byte encoding an initial is one byte */
	redact_one("a \351b", 4, "public", 6, GPUSTR_ENC_SINGLE_BYTE, "\351 a", 3);
	test_done("single-byte encoding");

	/* a name cut off inside a character: nothing past its end is touched */
	redact_one("a \360\237", 4, "public", 6, GPUSTR_ENC_UTF8, "\360\237 a", 4);
	test_done("a name that is not valid");

	rng = rng_make(test_seed());
	for (i = 0; i < test_rounds(200000); i++)
	{
		char		name[128];
		char		want[160];
		int32_t		encoding = rng_below(&rng, 2);
		int32_t		len = test_text(&rng, name, test_length(&rng, 100),
									encoding == GPUSTR_ENC_UTF8 ? TEST_ALL_LETTERS : TEST_ASCII_LETTERS);
		const char *visibility = rng_one_in(&rng, 4) ? "private" : "public";
		int32_t		vlen = (int32_t) strlen(visibility);
		int32_t		j;

		for (j = 0; j < len; j++)
			if (name[j] == 'x' || name[j] == '%')
				name[j] = ' ';
		redact_one(name, len, visibility, vlen, encoding, want,
				   naive_redact(name, len, visibility, vlen, encoding, want));
	}
	test_done("random names");
	return test_exit();
}
