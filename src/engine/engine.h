/*-------------------------------------------------------------------------
 *
 * engine.h
 *	  What an engine is: something that runs a program over a batch.
 *
 * There are two, with the same row functions: the host engine
 * (engine_host.c, in the backend or in a device process) and the CUDA engine
 * (cuda/engine_cuda.cu, in a device process only).
 *
 * Engines never call into the server, never allocate server memory and never
 * longjmp.  A function that can fail returns a code and, on failure, fills
 * *error; the caller turns that into an ereport() or redoes the batch.
 *
 * An engine holds the tables that joins have built (GPUSTR_OP_BUILD) until they are
 * dropped.  Where there is no memory for one the request ends with
 * ENGINE_OUT_OF_MEMORY, and there is no such table any more.
 *
 * A request is asynchronous: submit() starts it, poll() hands back requests
 * that are through, in any order.  The memory of the body and the pages that
 * it names must stay in place until then.  The result regions of a request
 * that failed are undefined, its inputs are untouched.
 *
 * One thread uses an engine at a time.
 *
 * Plain C, shared with cuda/; <stdint.h> and <stddef.h> only.
 *
 * IDENTIFICATION
 *	  src/engine/engine.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ENGINE_H
#define GPUSTR_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#include "batch/batch.h"
#include "program/program.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * What identifies the contract between gpustr.so and gpustr_cuda.so comes from the
 * Makefile: GPUSTR_ENGINE_ABI, a checksum of the headers that it is made of
 * (interface.mk), and GPUSTR_VERSION (default_version of gpustr.control).
 */

typedef enum EngineCode
{
	ENGINE_OK = 0,
	ENGINE_OUT_OF_MEMORY,		/* a limit or the machine; smaller may work */
	ENGINE_LOST,				/* the engine is unusable from now on */
	ENGINE_BAD_INPUT,			/* the request breaks the contract: a bug */
	ENGINE_NO_DEVICE,			/* open(): there is no such device here */
	ENGINE_STOPPED,				/* config.stop() has said so */
	ENGINE_NO_TABLE				/* a join's table is not (or no longer) here */
} EngineCode;

#define ENGINE_MESSAGE_BYTES 256

typedef struct EngineError
{
	EngineCode	code;
	char		message[ENGINE_MESSAGE_BYTES];	/* one line, no full stop */
} EngineError;

typedef struct EngineConfig
{
	int32_t		ordinal;		/* which device, from 0 */
	const void *blocks;			/* shared buffer pool: nblocks pages, or NULL */
	int32_t		nblocks;
	void	   *staging;		/* staging pool, all slots */
	size_t		staging_bytes;

	/*
	 * Where the engine publishes how many leading blocks of the pool it can
	 * read in place; it only grows.  Pages past it must be staged.
	 */
	volatile int32_t *zero_copy_blocks;

	/* most bytes of device memory (host engine: of scratch memory) to use */
	volatile uint64_t *memory_limit;

	/*
	 * Host engine: asked now and then while a request runs; where it is not 0
	 * the request ends with ENGINE_STOPPED.  NULL: never.
	 */
	int			(*stop) (void);
} EngineConfig;

typedef struct EngineInfo
{
	char		name[64];		/* "NVIDIA H200", or "host" */
	uint64_t	memory_total;	/* bytes of the device, 0 for the host */
	uint64_t	memory_used;	/* bytes that this engine holds, cached ones
								 * included */
	int32_t		max_in_flight;	/* requests worth submitting at a time */

	uint64_t	fixed_bytes;	/* beside memory_used, but within the limit:
								 * what the driver holds for kernels' local
								 * memory, as long as the engine is open */

	/*
	 * Programs that are kept on the device (engine/program_cache.h), -1 where
	 * an engine keeps none, as the host engine does, which has no copy to
	 * save.
	 */
	int32_t		programs;
	uint64_t	program_bytes;	/* of device memory, within memory_used */
	uint64_t	program_hits;	/* requests that needed no copy of theirs ... */
	uint64_t	program_misses; /* ... and that did, of those whose program
								 * has a key; since open() */

	/* tables of joins that the engine has, within memory_used */
	int32_t		tables;
	uint64_t	table_bytes;
} EngineInfo;

typedef struct EngineRequest
{
	void	   *body;			/* starts with a GpustrBatch */
	uint32_t	body_bytes;		/* room at body */
	void	   *cookie;			/* the caller's */

	/* set by the engine when the request is through */
	EngineError error;			/* error.code ENGINE_OK: the results stand */
	uint64_t	kernel_ns;		/* time in kernels (host: in steps) */
	uint64_t	transfer_ns;	/* time in copies and page gathering */
	uint64_t	bytes_in;		/* read by the engine: body and pages */
	uint64_t	bytes_out;		/* results written */
	uint64_t	rechecks;		/* rows in the recheck bitmap */

	void	   *engine_private; /* the engine's, NULL on submission */
	void	   *engine_program; /* alike */

	/*
	 * The requester vouches that an engine of this process has found the
	 * body's program in order before, and that nobody can have changed it
	 * since: only in memory that no other process can write to.
	 */
	int32_t		program_known;
} EngineRequest;

typedef struct Engine Engine;

typedef struct EngineMethods
{
	int32_t		abi;			/* GPUSTR_ENGINE_ABI */
	const char *version;		/* GPUSTR_VERSION */
	const char *kind;			/* "cuda" or "host" */

	/* Number of devices of this kind, or -1 and *error. */
	int32_t		(*device_count) (EngineError *error);

	/* Make an engine.  On failure *engine is NULL. */
	EngineCode	(*open) (const EngineConfig *config, Engine **engine, EngineError *error);

	/*
	 * Start a request.  It always comes back through poll(), also when it
	 * cannot be started: then with request->error set.
	 */
	void		(*submit) (Engine *engine, EngineRequest *request);

	/* A request that is through, or NULL where none is (yet). */
	EngineRequest *(*poll) (Engine *engine);

	/* What it is and holds now.  May let go of cached memory if it is idle. */
	void		(*info) (Engine *engine, EngineInfo *info);

	/* Free all.  No request may be in flight. */
	void		(*close) (Engine *engine);

	/*
	 * The ids of the tables that GPUSTR_OP_BUILD has made and that have not
	 * been dropped: as many as there are, of which the first 'room' are put
	 * into ids.
	 */
	int32_t		(*tables) (Engine *engine, uint64_t *ids, int32_t room);

	/*
	 * Drop a table.  Its memory is given back when no request in flight uses
	 * it; requests that come later, and those that wait, are answered with
	 * ENGINE_NO_TABLE.  An unknown id is no error.
	 */
	void		(*drop_table) (Engine *engine, uint64_t id);
} EngineMethods;

struct Engine
{
	const EngineMethods *methods;
};

/* The host engine. */
extern const EngineMethods *gpustr_engine_host(void);

/* Entry point of gpustr_cuda.so, found by name through dlsym(). */
#define GPUSTR_ENGINE_CUDA_SYMBOL "gpustr_engine_cuda"
typedef const EngineMethods *(*GpustrEngineCudaFunction) (void);

/*
 * Does the body hold a well-formed batch and program?  Checks every offset,
 * register number and constant against body_bytes, so that an engine may use
 * them unchecked afterwards; page *contents* and column offsets are not
 * looked at, except that row_start[] and the text offsets[] ascend within
 * bounds.  Returns ENGINE_OK or ENGINE_BAD_INPUT with *error filled.
 * In engine/batch_check.c, compiled into both engines.
 */
extern EngineCode gpustr_batch_check(const void *body, uint32_t body_bytes,
									 EngineError *error);

/*
 * The same for a program that the caller has in memory of its own: 'program' is
 * equal to the body's, byte by byte, and looked at instead.  known: it has passed
 * before; then its large constants are not looked at again.  NULL: the body's.
 */
extern EngineCode gpustr_batch_check_program(const void *body, uint32_t body_bytes,
											 const GpustrProgram *program, int known,
											 EngineError *error);

/* Fill *error: printf-like; returns code. */
extern EngineCode gpustr_engine_error(EngineError *error, EngineCode code,
									  const char *format,...)
#if defined(__GNUC__)
			__attribute__((format(printf, 3, 4)))
#endif
		   ;

#ifdef __cplusplus
}
#endif

#endif							/* GPUSTR_ENGINE_H */
