/*-------------------------------------------------------------------------
 *
 * program_cache.c
 *	  Programs that an engine keeps, so that they need not be copied with each
 *	  batch.
 *
 * See program_cache.h.  The entries are few, so all of them are looked at.
 *
 * IDENTIFICATION
 *	  src/engine/program_cache.c
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>
#include <string.h>

#include "engine/program_cache.h"

void
gpustr_cache_init(GpustrProgramCache *cache, uint64_t most_bytes,
				  void (*give_back) (void *context, GpustrKeptProgram *kept), void *context)
{
	memset(cache, 0, sizeof(*cache));
	cache->most_bytes = most_bytes;
	cache->give_back = give_back;
	cache->context = context;
}

/* The key is none where a body is too small for a program, or not a batch. */
static const GpustrProgram *
body_program(const void *body, uint32_t body_bytes, uint64_t *key, uint32_t *bytes)
{
	const GpustrBatch *batch = (const GpustrBatch *) body;
	const GpustrProgram *program;
	uint32_t	off;

	*key = 0;
	if (body_bytes < sizeof(GpustrBatch) || batch->magic != GPUSTR_BATCH_MAGIC)
		return NULL;
	off = batch->program_off;
	*bytes = batch->program_bytes;
	if (off % GPUSTR_BODY_ALIGN != 0 || off > body_bytes || *bytes > body_bytes - off ||
		*bytes < sizeof(GpustrProgram) || *bytes < GPUSTR_KEY_LEAST_BYTES)
		return NULL;
	program = GPUSTR_BODY_PTR(body, off, const GpustrProgram);
	*key = program->key;
	return *key != 0 ? program : NULL;
}

/* Is that the program that is kept? */
static int
entry_is(const GpustrKeptProgram *kept, const GpustrProgram *program, uint64_t key, uint32_t bytes)
{
	return kept->program != NULL && kept->program->key == key && kept->bytes == bytes &&
		memcmp(kept->program, program, bytes) == 0;
}

static void
drop(GpustrProgramCache *cache, GpustrKeptProgram *kept)
{
	if (kept->device != NULL)
		cache->give_back(cache->context, kept);
	cache->bytes -= kept->bytes;
	free(kept->program);
	memset(kept, 0, sizeof(*kept));
}

/* The entry that has not been used for longest, and has no user; NULL: none. */
static GpustrKeptProgram *
oldest_idle(GpustrProgramCache *cache)
{
	GpustrKeptProgram *oldest = NULL;
	int			i;

	for (i = 0; i < GPUSTR_KEPT_PROGRAMS; i++)
	{
		GpustrKeptProgram *kept = &cache->entry[i];

		if (kept->program != NULL && kept->users == 0 && (oldest == NULL || kept->turn < oldest->turn))
			oldest = kept;
	}
	return oldest;
}

/* A free entry, and room for so many bytes; NULL: all are in use. */
static GpustrKeptProgram *
make_room(GpustrProgramCache *cache, uint32_t bytes)
{
	GpustrKeptProgram *idle;
	GpustrKeptProgram *found = NULL;
	int			i;

	for (i = 0; i < GPUSTR_KEPT_PROGRAMS && found == NULL; i++)
		if (cache->entry[i].program == NULL)
			found = &cache->entry[i];
	while ((found == NULL || cache->bytes + bytes > cache->most_bytes) &&
		   (idle = oldest_idle(cache)) != NULL)
	{
		drop(cache, idle);
		found = idle;
	}
	return cache->bytes + bytes <= cache->most_bytes ? found : NULL;
}

/* Keep a copy of the program, which another process may be writing to. */
static GpustrKeptProgram *
keep(GpustrProgramCache *cache, const GpustrProgram *program, uint64_t key, uint32_t bytes)
{
	GpustrKeptProgram *kept;
	GpustrProgram *copy;

	if (bytes > cache->most_bytes || (kept = make_room(cache, bytes)) == NULL || (copy = (GpustrProgram *) malloc(bytes)) == NULL)
		return NULL;
	memcpy(copy, program, bytes);
	if (copy->key != key || copy->bytes != bytes)
	{
		free(copy);
		return NULL;
	}
	kept->program = copy;
	kept->bytes = bytes;
	cache->bytes += bytes;
	return kept;
}

GpustrKeptProgram *
gpustr_cache_use(GpustrProgramCache *cache, const void *body, uint32_t body_bytes, uint64_t now_ms)
{
	uint64_t	key;
	uint32_t	bytes;
	const GpustrProgram *program = body_program(body, body_bytes, &key, &bytes);
	GpustrKeptProgram *kept = NULL;
	uint64_t   *seen = &cache->seen[key % GPUSTR_KEPT_PROGRAMS];
	int			i;

	if (program == NULL)
		return NULL;
	for (i = 0; i < GPUSTR_KEPT_PROGRAMS && kept == NULL; i++)
		if (entry_is(&cache->entry[i], program, key, bytes))
			kept = &cache->entry[i];
	if (kept == NULL && *seen == key)
		kept = keep(cache, program, key, bytes);
	*seen = key;
	if (kept != NULL)
	{
		kept->users++;
		kept->used_ms = now_ms;
		kept->turn = ++cache->turn;
	}
	return kept;
}

void
gpustr_cache_accept(GpustrKeptProgram *kept)
{
	if (kept->checked)
		return;
	kept->checked = 1;
	kept->nranges = gpustr_program_ranges(kept->program, kept->range);
}

void
gpustr_cache_leave(GpustrProgramCache *cache, GpustrKeptProgram *kept)
{
	kept->users--;
	if (kept->users == 0 && !kept->checked)
		drop(cache, kept);
}

int
gpustr_cache_shrink(GpustrProgramCache *cache)
{
	GpustrKeptProgram *oldest = NULL;
	int			i;

	for (i = 0; i < GPUSTR_KEPT_PROGRAMS; i++)
	{
		GpustrKeptProgram *kept = &cache->entry[i];

		if (kept->device != NULL && kept->running == 0 && (oldest == NULL || kept->turn < oldest->turn))
			oldest = kept;
	}
	if (oldest == NULL)
		return 0;
	cache->give_back(cache->context, oldest);
	return 1;
}

void
gpustr_cache_age(GpustrProgramCache *cache, uint64_t now_ms, int all)
{
	int			i;

	for (i = 0; i < GPUSTR_KEPT_PROGRAMS; i++)
	{
		GpustrKeptProgram *kept = &cache->entry[i];

		if (kept->program != NULL && kept->users == 0 &&
			(all || now_ms - kept->used_ms > GPUSTR_KEPT_MS))
			drop(cache, kept);
	}
}

int32_t
gpustr_cache_on_device(const GpustrProgramCache *cache, uint64_t *bytes)
{
	int32_t		n = 0;
	int			i;

	*bytes = 0;
	for (i = 0; i < GPUSTR_KEPT_PROGRAMS; i++)
		if (cache->entry[i].device != NULL)
		{
			n++;
			*bytes += cache->entry[i].bytes;
		}
	return n;
}

/* Do engines read the step's constant through its own address alone? */
static int
stands_alone(const GpustrStep *step)
{
	return step->op == GPUSTR_OP_DFA || step->op == GPUSTR_OP_CONTAINS_ANY ||
		step->op == GPUSTR_OP_IN_TEXT || step->op == GPUSTR_OP_IN_VALUE ||
		step->op == GPUSTR_OP_LIKE || step->op == GPUSTR_OP_ILIKE || step->op == GPUSTR_OP_FIND_ALL ||
		step->op == GPUSTR_OP_TEXT_MAKE || step->op == GPUSTR_OP_TEXT_MEASURE;
}

/* Add a range to those that ascend, joined with what it touches.  Returns their number. */
static int32_t
add_range(GpustrProgramRange *range, int32_t n, uint32_t from, uint32_t to)
{
	int32_t		first = 0;
	int32_t		last;

	/* constants start at multiples of 8: nothing fits into a smaller gap */
	while (first < n && (uint64_t) range[first].to + 7 < from)
		first++;
	for (last = first; last < n && range[last].from <= (uint64_t) to + 7; last++)
	{
		from = from < range[last].from ? from : range[last].from;
		to = to > range[last].to ? to : range[last].to;
	}
	memmove(&range[first + 1], &range[last], (size_t) (n - last) * sizeof(*range));
	range[first].from = from;
	range[first].to = to;
	return n - last + first + 1;
}

/*
 * Does [from, from + bytes) leave the ranges alone?  inside: it may also be within
 * one of them.
 */
static int
keeps_apart(const GpustrProgramRange *range, int32_t n, uint32_t from, uint64_t bytes, int inside)
{
	uint64_t	to = from + bytes;
	int32_t		i;

	for (i = 0; i < n; i++)
		if (bytes > 0 && from < range[i].to && to > range[i].from &&
			!(inside && from >= range[i].from && to <= range[i].to))
			return 0;
	return 1;
}

int32_t
gpustr_program_ranges(const GpustrProgram *program, GpustrProgramRange *range)
{
	const GpustrStep *steps = GPUSTR_PROGRAM_STEPS(program);
	const GpustrAttr *attrs = GPUSTR_PROGRAM_ATTRS(program);
	GpustrProgramRange all[GPUSTR_MAX_STEPS + 1];
	int32_t		n = 0;
	int32_t		i;

	for (i = 0; i < program->nsteps; i++)
		if (stands_alone(&steps[i]) && steps[i].const_bytes >= GPUSTR_KEPT_LEAST_BYTES)
			n = add_range(all, n, steps[i].const_off, steps[i].const_off + steps[i].const_bytes);
	n = n < GPUSTR_KEPT_RANGES ? n : GPUSTR_KEPT_RANGES;

	/* the builder lets nothing overlap, but others may */
	for (i = 0; i < program->nsteps; i++)
		if (!keeps_apart(all, n, steps[i].const_off, steps[i].const_bytes, stands_alone(&steps[i])))
			return 0;
	if (!keeps_apart(all, n, program->attr_off, (uint64_t) program->nattrs * sizeof(GpustrAttr), 0))
		return 0;
	for (i = 0; i < program->nattrs; i++)
		if (attrs[i].missing == 1 &&
			!keeps_apart(all, n, attrs[i].missing_off, attrs[i].missing_bytes, 0))
			return 0;
	memcpy(range, all, (size_t) n * sizeof(*range));
	return n;
}
