/*-------------------------------------------------------------------------
 *
 * fuzz_like_pg.c
 *	  LIKE against a running PostgreSQL: random patterns and texts.
 *
 *		fuzz_like_pg CONNINFO SECONDS SEED
 *
 * The server's database must be UTF8; texts in a single-byte encoding are
 * tried where it is SQL_ASCII or LATIN1.  Each round sends some patterns and
 * texts as two arrays and gets back one letter for each pair: t or f, or e
 * where LIKE raised an error.  An error is right only where rowfn_like() says
 * recheck; recheck is allowed for any answer, but only for a pattern that ends
 * in a lone escape.
 *
 * Exit status 0: no difference.
 *
 * IDENTIFICATION
 *	  test/unit/fuzz_like_pg.c
 *
 *-------------------------------------------------------------------------
 */
#include <libpq-fe.h>

#include "naive.h"
#include "program/like_compile.h"
#include "test_common.h"

#define PATTERNS 64
#define TEXTS 256
#define PATTERN_BYTES 128
#define TEXT_BYTES 300

/*
 * LIKE in a function of its own, so that an error is caught pair by pair only
 * for a pattern that raises one somewhere.
 */
static const char *const setup[] = {
	"SET client_min_messages = warning",
	"SET standard_conforming_strings = on",
	"CREATE FUNCTION pg_temp.like_letter(s text, p text) RETURNS text LANGUAGE plpgsql AS $$"
	" BEGIN RETURN CASE WHEN s LIKE p THEN 't' ELSE 'f' END;"
	" EXCEPTION WHEN invalid_escape_sequence THEN RETURN 'e'; END $$",
	"CREATE FUNCTION pg_temp.like_letters(texts text[], p text) RETURNS text LANGUAGE plpgsql AS $$"
	" BEGIN RETURN (SELECT string_agg(CASE WHEN s LIKE p THEN 't' ELSE 'f' END, '' ORDER BY i)"
	" FROM unnest(texts) WITH ORDINALITY AS u(s, i));"
	" EXCEPTION WHEN invalid_escape_sequence THEN"
	" RETURN (SELECT string_agg(pg_temp.like_letter(s, p), '' ORDER BY i)"
	" FROM unnest(texts) WITH ORDINALITY AS u(s, i)); END $$"
};

static const char *const query =
"SELECT pg_temp.like_letters($2::text[], p)"
" FROM unnest($1::text[]) WITH ORDINALITY AS u(p, i) ORDER BY i";

static char pattern[PATTERNS][PATTERN_BYTES];
static int32_t pattern_bytes[PATTERNS];
static char text[TEXTS][TEXT_BYTES];
static int32_t text_bytes[TEXTS];

/* Append a quoted array element. */
static char *
put_element(char *at, const char *value, int32_t bytes)
{
	int32_t		i;

	*at++ = '"';
	for (i = 0; i < bytes; i++)
	{
		if (value[i] == '"' || value[i] == '\\')
			*at++ = '\\';
		*at++ = value[i];
	}
	*at++ = '"';
	return at;
}

static void
die(PGconn *conn, const char *what)
{
	fprintf(stderr, "%s: %s", what, PQerrorMessage(conn));
	exit(2);
}

/* Make a round's patterns and texts, and the two array literals. */
static void
make_round(Rng *rng, int letters, char *pattern_array, char *text_array)
{
	char	   *at;
	int			i;

	at = text_array;
	*at++ = '{';
	for (i = 0; i < TEXTS; i++)
	{
		text_bytes[i] = test_text(rng, text[i], test_length(rng, TEXT_BYTES), letters);
		if (i > 0)
			*at++ = ',';
		at = put_element(at, text[i], text_bytes[i]);
	}
	strcpy(at, "}");
	at = pattern_array;
	*at++ = '{';
	for (i = 0; i < PATTERNS; i++)
	{
		int			t = rng_below(rng, TEXTS);

		pattern_bytes[i] = test_pattern(rng, pattern[i], PATTERN_BYTES, letters, text[t], text_bytes[t]);
		if (i > 0)
			*at++ = ',';
		at = put_element(at, pattern[i], pattern_bytes[i]);
	}
	strcpy(at, "}");
}

int
main(int argc, char **argv)
{
	static char pattern_array[PATTERNS * (2 * PATTERN_BYTES + 4) + 4];
	static char text_array[TEXTS * (2 * TEXT_BYTES + 4) + 4];
	static uint64_t compiled[4096];
	const char *values[2];
	PGconn	   *conn;
	Rng			rng;
	time_t		end;
	int			encoding;
	int			bad = 0;
	uint64_t	seen[4] = {0};
	uint64_t	errors = 0;
	size_t		i;

	if (argc != 4)
	{
		fprintf(stderr, "usage: fuzz_like_pg CONNINFO SECONDS SEED\n");
		return 2;
	}
	conn = PQconnectdb(argv[1]);
	if (PQstatus(conn) != CONNECTION_OK)
		die(conn, "connect");
	encoding = strcmp(PQparameterStatus(conn, "server_encoding"), "UTF8") == 0 ?
		GPUSTR_ENC_UTF8 : GPUSTR_ENC_SINGLE_BYTE;
	if (PQsetClientEncoding(conn, PQparameterStatus(conn, "server_encoding")) != 0)
		die(conn, "client encoding");
	for (i = 0; i < sizeof(setup) / sizeof(setup[0]); i++)
	{
		PGresult   *result = PQexec(conn, setup[i]);

		if (PQresultStatus(result) != PGRES_COMMAND_OK)
			die(conn, setup[i]);
		PQclear(result);
	}
	rng = rng_make(strtoull(argv[3], NULL, 10));
	end = time(NULL) + atoi(argv[2]);
	values[0] = pattern_array;
	values[1] = text_array;
	while (time(NULL) < end && bad < 20)
	{
		int			letters = rng_one_in(&rng, 3) ? 2 : rng_one_in(&rng, 3) ? TEST_ASCII_LETTERS : TEST_ALL_LETTERS;
		PGresult   *result;
		int			p;
		int			t;

		make_round(&rng, letters, pattern_array, text_array);
		result = PQexecParams(conn, query, 2, NULL, values, NULL, NULL, 0);
		if (PQresultStatus(result) != PGRES_TUPLES_OK || PQntuples(result) != PATTERNS)
			die(conn, "query");
		for (p = 0; p < PATTERNS; p++)
		{
			const char *letter = PQgetvalue(result, p, 0);
			int			lone = naive_like_lone_escape(pattern[p], pattern_bytes[p]);

			if (PQgetlength(result, p, 0) != TEXTS ||
				gpustr_like_compile(pattern[p], pattern_bytes[p], encoding, compiled, sizeof(compiled)) == 0)
			{
				printf("pattern \"%.*s\" was not answered\n", pattern_bytes[p], pattern[p]);
				bad++;
				continue;
			}
			for (t = 0; t < TEXTS; t++)
			{
				int			got = rowfn_like(text[t], text_bytes[t], compiled, encoding);

				seen[got]++;
				errors += letter[t] == 'e';
				if (got == GPUSTR_RECHECK ? !lone : letter[t] != (got == GPUSTR_TRUE ? 't' : 'f'))
				{
					printf("\"%.*s\" LIKE \"%.*s\" is %d, PostgreSQL: %c\n", text_bytes[t], text[t],
						   pattern_bytes[p], pattern[p], got, letter[t]);
					bad++;
				}
			}
		}
		PQclear(result);
	}
	printf("seed %s, encoding %s: %llu comparisons (%llu true, %llu false, %llu recheck of which %llu errors), %d differences\n",
		   argv[3], PQparameterStatus(conn, "server_encoding"),
		   (unsigned long long) (seen[GPUSTR_TRUE] + seen[GPUSTR_FALSE] + seen[GPUSTR_RECHECK]),
		   (unsigned long long) seen[GPUSTR_TRUE], (unsigned long long) seen[GPUSTR_FALSE],
		   (unsigned long long) seen[GPUSTR_RECHECK], (unsigned long long) errors, bad);
	PQfinish(conn);
	return bad > 0 ? 1 : 0;
}
