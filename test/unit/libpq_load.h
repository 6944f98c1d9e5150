/*-------------------------------------------------------------------------
 *
 * libpq_load.h
 *	  libpq without its headers: the functions that a test needs, loaded.
 *
 * A machine that has a PostgreSQL server has libpq, but often not the package
 * that it takes to compile against it.  Names and numbers are those of
 * libpq-fe.h, whose ABI does not change under libpq.so.5.
 *
 * libpq_load() looks in LIBPQ_DIR (pg_config --libdir), then where the dynamic
 * loader looks.  Failure: a message, and exit status 2.
 *
 * IDENTIFICATION
 *	  test/unit/libpq_load.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef LIBPQ_LOAD_H
#define LIBPQ_LOAD_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;

#define CONNECTION_OK 0
#define PGRES_COMMAND_OK 1
#define PGRES_TUPLES_OK 2

#define LIBPQ_FUNCTIONS(F) \
	F(PGconn *, PQconnectdb, (const char *conninfo)) \
	F(int, PQstatus, (const PGconn *conn)) \
	F(char *, PQerrorMessage, (const PGconn *conn)) \
	F(const char *, PQparameterStatus, (const PGconn *conn, const char *name)) \
	F(int, PQsetClientEncoding, (PGconn *conn, const char *encoding)) \
	F(PGresult *, PQexec, (PGconn *conn, const char *query)) \
	F(PGresult *, PQexecParams, (PGconn *conn, const char *command, int n, const unsigned *types, \
								 const char *const *values, const int *lengths, \
								 const int *formats, int result_format)) \
	F(int, PQresultStatus, (const PGresult *result)) \
	F(int, PQntuples, (const PGresult *result)) \
	F(char *, PQgetvalue, (const PGresult *result, int row, int column)) \
	F(int, PQgetlength, (const PGresult *result, int row, int column)) \
	F(void, PQclear, (PGresult *result)) \
	F(void, PQfinish, (PGconn *conn))

#define LIBPQ_POINTER(type, name, arguments) static type (*name) arguments;
LIBPQ_FUNCTIONS(LIBPQ_POINTER)

/* Set a pointer to a function, whatever its type. */
static inline void
libpq_symbol(void *library, const char *name, void *pointer)
{
	void	   *symbol = dlsym(library, name);

	if (symbol == NULL)
	{
		fprintf(stderr, "libpq has no %s\n", name);
		exit(2);
	}
	memcpy(pointer, &symbol, sizeof(symbol));
}

static inline void
libpq_load(void)
{
	void	   *library = dlopen(LIBPQ_DIR "/libpq.so.5", RTLD_NOW);

	if (library == NULL)
		library = dlopen("libpq.so.5", RTLD_NOW);
	if (library == NULL)
	{
		fprintf(stderr, "could not load libpq: %s\n", dlerror());
		exit(2);
	}
#define LIBPQ_LOAD(type, name, arguments) libpq_symbol(library, #name, &name);
	LIBPQ_FUNCTIONS(LIBPQ_LOAD)
}

#endif							/* LIBPQ_LOAD_H */
