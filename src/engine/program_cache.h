/*-------------------------------------------------------------------------
 *
 * program_cache.h
 *	  Programs that an engine keeps, so that they need not be copied with each
 *	  batch.
 *
 * A body always holds its whole program: another engine may have to run it.  What
 * the engine has kept is found by the program's key, and is then compared with
 * the body's program, byte by byte: so a key that is wrong, stale or forged finds
 * nothing, and whatever is found is equal to what the body says.  From then on
 * the engine looks at its own copy, which nobody else can write to, in host
 * memory and on its device alike.
 *
 * Most programs run over a few batches only.  So one is kept when its key comes
 * the second time.
 *
 * What is read from the copy on the device are the large constants alone
 * (gpustr_program_ranges): they are read through a pointer of their own.  The rest
 * of a program travels with its batch.
 *
 * The copy on the device is the engine's to make and to give back, see the fields.
 *
 * Invariants:
 *	- an entry with users stays where it is;
 *	- 'program' does not change while it is there;
 *	- bytes is the sum over all entries, <= most_bytes.
 *
 * Failure: without memory, nothing is kept.
 *
 * Plain C, no server.
 *
 * IDENTIFICATION
 *	  src/engine/program_cache.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_PROGRAM_CACHE_H
#define GPUSTR_PROGRAM_CACHE_H

#include "batch/batch.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* The most programs, and the most bytes of host memory for them, as a rule. */
#define GPUSTR_KEPT_PROGRAMS 64
#define GPUSTR_KEPT_BYTES ((uint64_t) 256 << 20)

/* A program that has not been used for so many milliseconds is not kept longer. */
#define GPUSTR_KEPT_MS 5000

/* The most ranges of a program that are read from the copy. */
#define GPUSTR_KEPT_RANGES 8

/* A constant of fewer bytes travels with the batch. */
#define GPUSTR_KEPT_LEAST_BYTES 4096

/* Bytes of a program, from its start: [from, to). */
typedef struct GpustrProgramRange
{
	uint32_t	from;
	uint32_t	to;
} GpustrProgramRange;

typedef struct GpustrKeptProgram
{
	GpustrProgram *program;		/* NULL: the entry is free */
	uint32_t	bytes;
	int32_t		checked;		/* gpustr_batch_check() has passed it */
	int32_t		users;			/* requests */
	uint64_t	used_ms;		/* when it was used last, ... */
	uint64_t	turn;			/* ... and in which order */
	int32_t		nranges;		/* that are large constants, ascending */
	GpustrProgramRange range[GPUSTR_KEPT_RANGES];

	/* the engine's */
	void	   *device;			/* a copy in device memory, or NULL */
	int32_t		running;		/* requests that read it */
	void	   *filled;			/* what they wait for: NULL once it is there */
} GpustrKeptProgram;

typedef struct GpustrProgramCache
{
	GpustrKeptProgram entry[GPUSTR_KEPT_PROGRAMS];
	uint64_t	seen[GPUSTR_KEPT_PROGRAMS]; /* keys that came once, by their
											 * remainder */
	uint64_t	turn;
	uint64_t	bytes;			/* of host memory */
	uint64_t	most_bytes;

	/* gives the device memory of an entry back, if it has any */
	void		(*give_back) (void *context, GpustrKeptProgram *kept);
	void	   *context;
} GpustrProgramCache;

/* Start, with nothing kept.  give_back, context: the fields. */
extern void gpustr_cache_init(GpustrProgramCache *cache, uint64_t most_bytes,
							  void (*give_back) (void *context, GpustrKeptProgram *kept),
							  void *context);

/*
 * The kept copy of a body's program, and one user more of it; NULL if there is
 * none.  The body need not have been checked.  now_ms: of a clock that does not
 * go back.
 */
extern GpustrKeptProgram *gpustr_cache_use(GpustrProgramCache *cache, const void *body,
										   uint32_t body_bytes, uint64_t now_ms);

/*
 * The program has been found in order, all of it and not just its shape: keep it,
 * and find its ranges.
 */
extern void gpustr_cache_accept(GpustrKeptProgram *kept);

/* One user less.  A program that has not been found in order is not kept. */
extern void gpustr_cache_leave(GpustrProgramCache *cache, GpustrKeptProgram *kept);

/*
 * Give back the device memory of the copy that has not been used for longest, of
 * those that no request reads.  Returns 0 if there is none.
 */
extern int	gpustr_cache_shrink(GpustrProgramCache *cache);

/* Drop what has no user and was used last before GPUSTR_KEPT_MS; all: whenever. */
extern void gpustr_cache_age(GpustrProgramCache *cache, uint64_t now_ms, int all);

/* Entries with a copy in device memory, and bytes of these programs. */
extern int32_t gpustr_cache_on_device(const GpustrProgramCache *cache, uint64_t *bytes);

/*
 * The large constants of a program that is well-formed but for its constants'
 * contents.  Of these ranges nothing is read but through the constant's own
 * address: steps that do otherwise have no part in them.  Returns their number.
 */
extern int32_t gpustr_program_ranges(const GpustrProgram *program, GpustrProgramRange *range);

#ifdef __cplusplus
}
#endif

#endif							/* GPUSTR_PROGRAM_CACHE_H */
