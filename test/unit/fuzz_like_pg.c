/*-------------------------------------------------------------------------
 *
 * fuzz_like_pg.c
 *	  LIKE and ILIKE against a running PostgreSQL: random patterns and texts.
 *
 *		fuzz_like_pg CONNINFO SECONDS SEED [COLLATION]
 *
 * The server's database must be UTF8; texts in a single-byte encoding are
 * tried where it is SQL_ASCII or LATIN1.  Each round sends some patterns and
 * texts as two arrays and gets back one letter for each pair: t or f, or e
 * where LIKE raised an error.  An error is right only where rowfn_like() says
 * recheck; recheck is allowed for any answer, but only for a pattern that ends
 * in a lone escape.
 *
 * With a collation it is ILIKE under that, with how it folds and the folded
 * patterns taken from lower() as plan/fold_probe.c does.  Then recheck is right
 * for texts that the fold cannot decide, too, and for no others.
 *
 * Exit status 0: no difference.
 *
 * IDENTIFICATION
 *	  test/unit/fuzz_like_pg.c
 *
 *-------------------------------------------------------------------------
 */
#include "libpq_load.h"
#include "naive.h"
#include "program/like_compile.h"
#include "test_common.h"

#define PATTERNS 64
#define TEXTS 256
#define PATTERN_BYTES 128
#define TEXT_BYTES 300

/* Letters for ILIKE: those that fold oddly somewhere among them. */
static const char *const case_letters[] = {
	"a", "A", "b", "B", "i", "I", "i", "I", "k", "K", "s", "S", "z", "Z", "@", "[", "`", "{",
	"%", "_", "\\", " ", "0",
	"\303\251", "\303\211", "\303\237", "\341\272\236", /* e acute, E acute,
														 * sharp s */
	"\304\260", "\304\261", "\342\204\252", /* I with dot, dotless i, Kelvin */
	"\316\243", "\317\203", "\317\202", "\314\207"	/* sigmas, dot above */
};
#define CASE_ASCII_LETTERS 23
#define CASE_ALL_LETTERS ((int) (sizeof(case_letters) / sizeof(case_letters[0])))

/*
 * LIKE in a function of its own, so that an error is caught pair by pair only
 * for a pattern that raises one somewhere.
 */
static const char *const setup_session =
"SET client_min_messages = warning; SET standard_conforming_strings = on";

/* $ stands for the operator: LIKE, or ILIKE with a collation. */
static const char *const setup[] = {
	"CREATE FUNCTION pg_temp.like_letter(s text, p text) RETURNS text LANGUAGE plpgsql AS $$"
	" BEGIN RETURN CASE WHEN s $ p THEN 't' ELSE 'f' END;"
	" EXCEPTION WHEN invalid_escape_sequence THEN RETURN 'e'; END $$",
	"CREATE FUNCTION pg_temp.like_letters(texts text[], p text) RETURNS text LANGUAGE plpgsql AS $$"
	" BEGIN RETURN (SELECT string_agg(CASE WHEN s $ p THEN 't' ELSE 'f' END, '' ORDER BY i)"
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

/* Put the operator where a string of 'setup' has a $ between blanks. */
static void
make_setup(char *out, size_t bytes, const char *from, const char *collation)
{
	const char *at = strstr(from, " $ ");

	snprintf(out, bytes, "%.*s %s%s%s%s%s", (int) (at - from), from,
			 collation == NULL ? "" : "COLLATE \"", collation == NULL ? "" : collation,
			 collation == NULL ? "LIKE" : "\" ILIKE", " ", at + 3);
}

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

/* One text of random letters for ILIKE: only ASCII, or now and then others. */
static int32_t
case_text(Rng *rng, char *out, int32_t max_bytes)
{
	int			n = rng_one_in(rng, 2) ? CASE_ASCII_LETTERS : CASE_ALL_LETTERS;
	int32_t		len = 0;

	for (;;)
	{
		const char *letter = case_letters[rng_below(rng, n)];
		int32_t		bytes = (int32_t) strlen(letter);

		if (len + bytes > max_bytes)
			return len;
		memcpy(out + len, letter, (size_t) bytes);
		len += bytes;
	}
}

/* Change the case of some ASCII letters. */
static void
change_case(Rng *rng, char *s, int32_t bytes)
{
	int32_t		i;

	for (i = 0; i < bytes; i++)
		if (((s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z')) && rng_one_in(rng, 2))
			s[i] ^= 32;
}

/* Ask the server how it folds ASCII. */
static void
ask_fold(PGconn *conn, const char *collation, GpustrFold *fold)
{
	char		sql[400];
	PGresult   *result;
	int			c;

	memset(fold, 0, sizeof(*fold));
	fold->ascii[0] = GPUSTR_FOLD_RECHECK;
	snprintf(sql, sizeof(sql), "SELECT lower(chr(c) COLLATE \"%s\"),"
			 " (SELECT CASE oid WHEN 'pg_catalog.\"default\"'::regcollation THEN"
			 " (SELECT datctype FROM pg_database WHERE datname = current_database() AND datlocprovider = 'c')"
			 " ELSE collctype END IN ('C', 'POSIX') FROM pg_collation WHERE oid = '\"%s\"'::regcollation)"
			 " FROM generate_series(1, 127) c ORDER BY c", collation, collation);
	result = PQexec(conn, sql);
	if (PQresultStatus(result) != PGRES_TUPLES_OK || PQntuples(result) != 127)
		die(conn, "fold");
	for (c = 1; c < 128; c++)
	{
		unsigned char byte = (unsigned char) PQgetvalue(result, c - 1, 0)[0];

		fold->ascii[c] = PQgetlength(result, c - 1, 0) == 1 && byte < 128 ? byte : GPUSTR_FOLD_RECHECK;
	}
	fold->others_stay = PQgetvalue(result, 0, 1)[0] == 't';
	PQclear(result);
}

/* Fold a pattern as the server does.  Returns its bytes. */
static int32_t
ask_folded(PGconn *conn, const char *collation, const char *from, int32_t bytes, char *out)
{
	char		sql[200];
	char		copy[PATTERN_BYTES + 1];
	const char *values[1];
	PGresult   *result;
	int32_t		n;

	memcpy(copy, from, (size_t) bytes);
	copy[bytes] = '\0';
	values[0] = copy;
	snprintf(sql, sizeof(sql), "SELECT lower($1::text COLLATE \"%s\")", collation);
	result = PQexecParams(conn, sql, 1, NULL, values, NULL, NULL, 0);
	if (PQresultStatus(result) != PGRES_TUPLES_OK)
		die(conn, "lower");
	n = PQgetlength(result, 0, 0);
	memcpy(out, PQgetvalue(result, 0, 0), (size_t) n);
	PQclear(result);
	return n;
}

/* Make a round's patterns and texts, and the two array literals. */
static void
make_round(Rng *rng, int letters, int ilike, char *pattern_array, char *text_array)
{
	char	   *at;
	int			i;

	at = text_array;
	*at++ = '{';
	for (i = 0; i < TEXTS; i++)
	{
		if (ilike)
			text_bytes[i] = case_text(rng, text[i], test_length(rng, TEXT_BYTES));
		else
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
		if (ilike)
			change_case(rng, pattern[i], pattern_bytes[i]);
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
	static char folded[4 * PATTERN_BYTES];
	const char *values[2];
	const char *collation = argc == 5 ? argv[4] : NULL;
	GpustrFold	fold;
	RowfnFoldKind kind = ROWFN_FOLD_NONE;
	PGconn	   *conn;
	PGresult   *result;
	Rng			rng;
	time_t		end;
	int			encoding;
	int			bad = 0;
	uint64_t	seen[4] = {0};
	uint64_t	errors = 0;
	size_t		i;

	if (argc != 4 && argc != 5)
	{
		fprintf(stderr, "usage: fuzz_like_pg CONNINFO SECONDS SEED [COLLATION]\n");
		return 2;
	}
	libpq_load();
	conn = PQconnectdb(argv[1]);
	if (PQstatus(conn) != CONNECTION_OK)
		die(conn, "connect");
	encoding = strcmp(PQparameterStatus(conn, "server_encoding"), "UTF8") == 0 ?
		GPUSTR_ENC_UTF8 : GPUSTR_ENC_SINGLE_BYTE;
	if (PQsetClientEncoding(conn, PQparameterStatus(conn, "server_encoding")) != 0)
		die(conn, "client encoding");
	result = PQexec(conn, setup_session);
	if (PQresultStatus(result) != PGRES_COMMAND_OK)
		die(conn, setup_session);
	PQclear(result);
	for (i = 0; i < sizeof(setup) / sizeof(setup[0]); i++)
	{
		char		sql[1000];

		make_setup(sql, sizeof(sql), setup[i], collation);
		result = PQexec(conn, sql);
		if (PQresultStatus(result) != PGRES_COMMAND_OK)
			die(conn, sql);
		PQclear(result);
	}
	if (collation != NULL)
	{
		ask_fold(conn, collation, &fold);
		kind = rowfn_fold_kind(&fold);
	}
	rng = rng_make(strtoull(argv[3], NULL, 10));
	end = time(NULL) + atoi(argv[2]);
	values[0] = pattern_array;
	values[1] = text_array;
	while (time(NULL) < end && bad < 20)
	{
		int			letters = rng_one_in(&rng, 3) ? 2 : rng_one_in(&rng, 3) ? TEST_ASCII_LETTERS : TEST_ALL_LETTERS;
		int			p;
		int			t;

		make_round(&rng, letters, collation != NULL, pattern_array, text_array);
		result = PQexecParams(conn, query, 2, NULL, values, NULL, NULL, 0);
		if (PQresultStatus(result) != PGRES_TUPLES_OK || PQntuples(result) != PATTERNS)
			die(conn, "query");
		for (p = 0; p < PATTERNS; p++)
		{
			const char *letter = PQgetvalue(result, p, 0);
			int			lone = naive_like_lone_escape(pattern[p], pattern_bytes[p]);
			const char *made = pattern[p];
			int32_t		made_bytes = pattern_bytes[p];

			if (collation != NULL)
			{
				made = folded;
				made_bytes = ask_folded(conn, collation, pattern[p], pattern_bytes[p], folded);
			}
			if (PQgetlength(result, p, 0) != TEXTS ||
				gpustr_like_compile(made, made_bytes, encoding, compiled, sizeof(compiled)) == 0)
			{
				printf("pattern \"%.*s\" was not answered\n", pattern_bytes[p], pattern[p]);
				bad++;
				continue;
			}
			for (t = 0; t < TEXTS; t++)
			{
				int			unsure = lone;
				int			got;

				if (collation == NULL)
					got = rowfn_like(text[t], text_bytes[t], compiled, encoding);
				else
				{
					got = rowfn_ilike(text[t], text_bytes[t], &fold, kind, compiled, encoding);
					unsure = lone || naive_fold_undecided(text[t], text_bytes[t], &fold);
				}
				seen[got]++;
				errors += letter[t] == 'e';
				if ((got == GPUSTR_RECHECK) != unsure ||
					(!unsure && letter[t] != (got == GPUSTR_TRUE ? 't' : 'f')))
				{
					printf("\"%.*s\" %s \"%.*s\" is %d, PostgreSQL: %c\n", text_bytes[t], text[t],
						   collation == NULL ? "LIKE" : "ILIKE", pattern_bytes[p], pattern[p], got, letter[t]);
					bad++;
				}
			}
		}
		PQclear(result);
	}
	printf("seed %s, encoding %s, %s: %llu comparisons (%llu true, %llu false, %llu recheck of which %llu errors), %d differences\n",
		   argv[3], PQparameterStatus(conn, "server_encoding"), collation == NULL ? "LIKE" : collation,
		   (unsigned long long) (seen[GPUSTR_TRUE] + seen[GPUSTR_FALSE] + seen[GPUSTR_RECHECK]),
		   (unsigned long long) seen[GPUSTR_TRUE], (unsigned long long) seen[GPUSTR_FALSE],
		   (unsigned long long) seen[GPUSTR_RECHECK], (unsigned long long) errors, bad);
	PQfinish(conn);
	return bad > 0 ? 1 : 0;
}
