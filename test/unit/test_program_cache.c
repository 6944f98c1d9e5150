/*-------------------------------------------------------------------------
 *
 * test_program_cache.c
 *	  Programs that an engine keeps: what is found, whatever a body says; what is
 *	  dropped; what of a program is read from the copy.  And the room of output
 *	  columns, which learns from batch to batch, too.
 *
 * IDENTIFICATION
 *	  test/unit/test_program_cache.c
 *
 *-------------------------------------------------------------------------
 */
#include "batch/batch_layout.h"
#include "batch/output_room.h"
#include "engine/engine.h"
#include "engine/program_cache.h"
#include "program/program_builder.h"
#include "program/program_key.h"
#include "test_common.h"

#define AREA_BYTES 65536

/* Values of a set: enough for a key and a range. */
#define MANY 1000
#define FEW 10

static GpustrProgramBuilder builder;
static uint64_t area[AREA_BYTES / 8];
static GpustrProgramCache cache;
static int	given_back;

/*
 * A program that tells values in 'n', the first of which is 'first'; with a constant
 * text and a missing value before and after it.
 */
static const GpustrProgram *
make_program(int32_t n, int64_t first)
{
	static int64_t values[MANY];
	uint16_t	value;
	int32_t		i;

	for (i = 0; i < n; i++)
		values[i] = first + i;
	gpustr_builder_init(&builder, GPUSTR_ENC_UTF8, area, sizeof(area));
	gpustr_builder_attr(&builder, 8, 8, 1, "missing!", 8);
	(void) gpustr_builder_const_text(&builder, GPUSTR_FALSE, "before", 6);
	value = gpustr_builder_decode_value(&builder, 1, GPUSTR_VALUE_INT8);
	gpustr_builder_select(&builder, gpustr_builder_in_value(&builder, value, n, values, 0));
	(void) gpustr_builder_const_text(&builder, GPUSTR_FALSE, "after", 5);
	CHECK(gpustr_builder_finish(&builder) > 0, "the program fits");
	return (const GpustrProgram *) area;
}

/* A body for the program, in memory that ends with it. */
static GpustrBatch *
make_body(const GpustrProgram *program, uint32_t *bytes)
{
	void	   *body;

	*bytes = 16384 + GPUSTR_BODY_ALIGN_UP(program->bytes);
	body = aligned_alloc(GPUSTR_BODY_ALIGN, *bytes);
	memset(body, 0, *bytes);
	return gpustr_layout_pages(body, *bytes, program, 1, 0, 0);
}

static GpustrProgram *
program_of(GpustrBatch *batch)
{
	return GPUSTR_BODY_PTR(batch, batch->program_off, GpustrProgram);
}

/* The cache gives an entry's copy on the device back. */
static void
give_back(void *context, GpustrKeptProgram *kept)
{
	CHECK(context == &given_back, "the context");
	CHECK(kept->device != NULL && kept->running == 0, "it is there, and nobody reads it");
	kept->device = NULL;
	given_back++;
}

static void
start(uint64_t most_bytes)
{
	given_back = 0;
	gpustr_cache_init(&cache, most_bytes, give_back, &given_back);
}

static void
stop(void)
{
	gpustr_cache_age(&cache, 0, 1);
	CHECK(cache.bytes == 0, "%llu bytes are left", (unsigned long long) cache.bytes);
}

/* Use, accept and leave, as a request that goes well does. */
static GpustrKeptProgram *
run(const GpustrBatch *batch, uint32_t bytes, uint64_t now_ms)
{
	GpustrKeptProgram *kept = gpustr_cache_use(&cache, batch, bytes, now_ms);

	if (kept != NULL)
	{
		gpustr_cache_accept(kept);
		gpustr_cache_leave(&cache, kept);
	}
	return kept;
}

static void
check_keys(void)
{
	GpustrProgram copy;
	uint64_t	key;
	uint32_t	i;

	CHECK(make_program(FEW, 0)->key == 0, "a small program has no key");
	key = make_program(MANY, 0)->key;
	CHECK(key != 0, "a large one has");
	CHECK(make_program(MANY, 1)->key != key, "another one has another key");
	CHECK(make_program(MANY, 0)->key == key, "the same one has the same");
	copy = *(const GpustrProgram *) area;
	for (i = 0; i < copy.bytes; i++)
	{
		if (i >= offsetof(GpustrProgram, key) && i < sizeof(GpustrProgram))
			continue;
		((GpustrProgram *) area)->key = 0;
		((char *) area)[i] ^= 0x40;
		((GpustrProgram *) area)->bytes = copy.bytes;
		if (i >= sizeof(uint32_t))
			CHECK(gpustr_program_key((const GpustrProgram *) area) != key, "byte %u does not count", i);
		((char *) area)[i] ^= 0x40;
		((GpustrProgram *) area)->bytes = copy.bytes;
	}
	test_done("keys");
}

static void
check_found(void)
{
	uint32_t	bytes;
	uint32_t	small_bytes;
	GpustrBatch *small = make_body(make_program(FEW, 0), &small_bytes);
	GpustrBatch *one = make_body(make_program(MANY, 0), &bytes);
	GpustrBatch *two = make_body(make_program(MANY, 5), &bytes);
	GpustrKeptProgram *kept;
	GpustrKeptProgram *other;
	EngineError error;

	start(GPUSTR_KEPT_BYTES);
	CHECK(run(small, small_bytes, 0) == NULL && run(small, small_bytes, 0) == NULL, "a small program");
	CHECK(run(one, bytes, 0) == NULL, "the first time");
	CHECK(run(two, bytes, 0) == NULL, "the first time, two");
	kept = gpustr_cache_use(&cache, one, bytes, 0);
	CHECK(kept != NULL && !kept->checked && kept->users == 1, "the second time");
	CHECK((void *) kept->program != (void *) program_of(one) &&
		  memcmp(kept->program, program_of(one), kept->bytes) == 0, "a copy");
	gpustr_cache_leave(&cache, kept);
	CHECK(kept->program == NULL, "what was not accepted is not kept");
	kept = run(one, bytes, 0);
	CHECK(kept != NULL && kept->checked && kept->nranges == 1, "kept");
	CHECK(run(one, bytes, 0) == kept, "found");
	other = run(two, bytes, 0);
	CHECK(other != NULL && other != kept && run(two, bytes, 0) == other, "the other one, too");
	CHECK(run(one, bytes, 0) == kept, "both are");

	/* what is known of the program is not looked at again, all else is */
	CHECK(gpustr_batch_check_program(one, bytes, kept->program, 1, &error) == ENGINE_OK, "known");
	((int64_t *) ((char *) kept->program + kept->range[0].from))[3] = 0;
	CHECK(gpustr_batch_check_program(one, bytes, kept->program, 0, &error) == ENGINE_BAD_INPUT, "not known");
	CHECK(gpustr_batch_check_program(one, bytes, kept->program, 1, &error) == ENGINE_OK, "its constant");
	((int64_t *) ((char *) kept->program + kept->range[0].from))[3] = 3;
	one->selected_off = 0;
	CHECK(gpustr_batch_check_program(one, bytes, kept->program, 1, &error) == ENGINE_BAD_INPUT, "its results");
	one->kind = GPUSTR_BATCH_COLUMNS;
	CHECK(gpustr_batch_check_program(one, bytes, kept->program, 1, &error) == ENGINE_BAD_INPUT, "its kind");
	stop();
	free(small);
	free(one);
	free(two);
	test_done("the second batch is kept, later ones are found");
}

/* Whatever the body says, what is found is equal to its program. */
static void
check_hostile(void)
{
	uint32_t	bytes;
	uint32_t	other_bytes;
	GpustrBatch *batch = make_body(make_program(MANY, 0), &bytes);
	GpustrBatch *forged = make_body(make_program(MANY, 7), &other_bytes);
	GpustrBatch good = *batch;
	GpustrKeptProgram *kept;
	GpustrKeptProgram *found;
	uint32_t	i;

	start(GPUSTR_KEPT_BYTES);
	(void) run(batch, bytes, 0);
	kept = run(batch, bytes, 0);
	CHECK(kept != NULL && run(batch, bytes, 0) == kept, "kept");

	/* another program under its key */
	program_of(forged)->key = program_of(batch)->key;
	for (i = 0; i < 3; i++)
	{
		found = run(forged, other_bytes, 0);
		CHECK(found != kept, "another program");
		CHECK(found == NULL || memcmp(found->program, program_of(forged), found->bytes) == 0, "its own copy");
		CHECK(run(batch, bytes, 0) == kept, "is still found");
	}

	/* one bit that is not the same */
	for (i = 0; i < kept->bytes; i++)
	{
		((char *) program_of(batch))[i] ^= 0x10;
		found = gpustr_cache_use(&cache, batch, bytes, 0);
		CHECK(found != kept, "byte %u differs", i);
		if (found != NULL)
			gpustr_cache_leave(&cache, found);
		((char *) program_of(batch))[i] ^= 0x10;
	}
	CHECK(run(batch, bytes, 0) == kept, "repaired");

	/* headers that lie, in memory of which no more may be read than there is */
	for (i = 0; i < sizeof(GpustrBatch); i++)
		CHECK(gpustr_cache_use(&cache, batch, i, 0) == NULL, "%u bytes are no batch", i);
	for (i = sizeof(GpustrBatch); i < batch->program_off + kept->bytes; i += 64)
		CHECK(gpustr_cache_use(&cache, batch, i, 0) == NULL, "%u bytes are no program", i);
	batch->magic++;
	CHECK(gpustr_cache_use(&cache, batch, bytes, 0) == NULL, "magic");
	*batch = good;
	for (i = 0; i < 64; i++)
	{
		static const uint32_t far[] = {0, 1, 63, 64, 0x7FFFFFC0, 0x80000000, 0xFFFFFFC0, 0xFFFFFFFF};

		batch->program_off = good.program_off + far[i % 8];
		batch->program_bytes = good.program_bytes + far[i / 8];
		found = gpustr_cache_use(&cache, batch, bytes, 0);
		CHECK((found == kept) == (i == 0), "program at + %u, + %u bytes", far[i % 8], far[i / 8]);
		if (found != NULL)
			gpustr_cache_leave(&cache, found);
	}
	*batch = good;
	program_of(batch)->key = 0;
	CHECK(gpustr_cache_use(&cache, batch, bytes, 0) == NULL, "no key");
	stop();
	free(batch);
	free(forged);
	test_done("bodies that lie find nothing of others");
}

static void
check_room(void)
{
	GpustrBatch *batch[GPUSTR_KEPT_PROGRAMS + 2];
	GpustrKeptProgram *kept[GPUSTR_KEPT_PROGRAMS + 2];
	const int	n = GPUSTR_KEPT_PROGRAMS;
	uint32_t	bytes;
	uint64_t	on_device;
	int			i;

	for (i = 0; i < n + 2; i++)
		batch[i] = make_body(make_program(MANY, i), &bytes);

	/*
	 * as many as there are entries; the first is in use, the second the
	 * oldest
	 */
	start(GPUSTR_KEPT_BYTES);
	for (i = 0; i < n; i++)
	{
		(void) run(batch[i], bytes, 100);
		kept[i] = gpustr_cache_use(&cache, batch[i], bytes, 100);
		CHECK(kept[i] != NULL, "program %d", i);
		gpustr_cache_accept(kept[i]);
		kept[i]->device = kept[i];
		if (i > 0)
			gpustr_cache_leave(&cache, kept[i]);
	}
	CHECK(gpustr_cache_on_device(&cache, &on_device) == n && on_device == cache.bytes, "all are there");
	(void) run(batch[n], bytes, 200);
	CHECK(run(batch[n], bytes, 200) == kept[1] && given_back == 1, "the oldest goes");
	CHECK(run(batch[0], bytes, 200) == kept[0] && run(batch[2], bytes, 200) == kept[2], "others stay");
	for (i = 2; i < n; i++)
		CHECK(gpustr_cache_use(&cache, batch[i], bytes, 200) == kept[i], "program %d is found", i);
	CHECK(gpustr_cache_use(&cache, batch[n], bytes, 200) == kept[1], "the new one, too");
	(void) run(batch[n + 1], bytes, 200);
	CHECK(run(batch[n + 1], bytes, 200) == NULL && given_back == 1, "all are in use");

	/* device memory: in the order of use, and not what is read */
	kept[2]->running = 1;
	for (i = 3; i < n; i++)
	{
		CHECK(gpustr_cache_shrink(&cache) == 1, "there is one");
		CHECK(kept[i == 3 ? 0 : i - 1]->device == NULL, "the oldest gives way");
		CHECK(kept[i]->device != NULL, "a younger one does not");
	}
	CHECK(gpustr_cache_shrink(&cache) == 1 && gpustr_cache_shrink(&cache) == 0, "the last");
	CHECK(kept[2]->device != NULL && gpustr_cache_on_device(&cache, &on_device) == 1 &&
		  on_device == kept[2]->bytes, "what is read stays");
	kept[2]->running = 0;

	/* age */
	for (i = 0; i < n; i++)
		gpustr_cache_leave(&cache, kept[i]);
	(void) run(batch[5], bytes, 1000);
	gpustr_cache_age(&cache, 200 + GPUSTR_KEPT_MS, 0);
	CHECK(cache.bytes == (uint64_t) n * kept[5]->bytes, "none is too old");
	gpustr_cache_age(&cache, 201 + GPUSTR_KEPT_MS, 0);
	CHECK(cache.bytes == kept[5]->bytes && run(batch[5], bytes, 1000) == kept[5], "all but one are");
	stop();

	/* bytes */
	start(3 * (uint64_t) program_of(batch[0])->bytes);
	for (i = 0; i < 8; i++)
	{
		(void) run(batch[i % 4], bytes, 0);
		CHECK((run(batch[i % 4], bytes, 0) != NULL) && cache.bytes <= cache.most_bytes, "within the limit");
	}
	CHECK(cache.bytes == cache.most_bytes, "and up to it");
	stop();
	start(program_of(batch[0])->bytes - 1);
	(void) run(batch[0], bytes, 0);
	CHECK(run(batch[0], bytes, 0) == NULL, "one that is larger");
	stop();
	for (i = 0; i < n + 2; i++)
		free(batch[i]);
	test_done("the oldest give way, those in use do not");
}

static void
check_ranges(void)
{
	GpustrProgramRange range[GPUSTR_KEPT_RANGES];
	GpustrProgram *program = (GpustrProgram *) area;
	static int64_t values[MANY];
	GpustrStep *steps;
	GpustrAttr *attr;
	uint16_t	value;
	int			last;
	int			i;

	(void) make_program(MANY, 0);
	steps = (GpustrStep *) ((char *) program + program->step_off);
	attr = (GpustrAttr *) ((char *) program + program->attr_off);
	for (i = 0; steps[i].op != GPUSTR_OP_IN_VALUE; i++)
		;
	CHECK(gpustr_program_ranges(program, range) == 1, "one range");
	CHECK(range[0].from == steps[i].const_off && range[0].to == range[0].from + 8 * MANY, "the set");

	/* others that have a part in it */
	last = program->nsteps - 1;
	CHECK(steps[last].op == GPUSTR_OP_CONST_TEXT, "the text after it");
	steps[last].const_off = range[0].to - 8;
	CHECK(gpustr_program_ranges(program, range) == 0, "a text within");
	steps[last].const_off = range[0].to;
	CHECK(gpustr_program_ranges(program, range) == 1, "a text behind");
	steps[last].const_off = range[0].from - 8;
	steps[last].const_bytes = 8;
	CHECK(gpustr_program_ranges(program, range) == 1, "a text before");
	steps[last].const_bytes = 9;
	CHECK(gpustr_program_ranges(program, range) == 0, "a text that reaches into it");
	steps[last].op = GPUSTR_OP_IN_VALUE;
	CHECK(gpustr_program_ranges(program, range) == 0, "a small set that does");
	steps[last].const_off = range[0].from + 8;
	CHECK(gpustr_program_ranges(program, range) == 1, "a small set within");
	attr->missing_off = range[0].from + 800;
	CHECK(gpustr_program_ranges(program, range) == 0, "a missing value within");
	attr->missing = 0;
	CHECK(gpustr_program_ranges(program, range) == 1, "which is not used");
	program->attr_off = range[0].from + 800;
	CHECK(gpustr_program_ranges(program, range) == 0, "attributes within");

	/* neighbours are one range; of others there are so many at most */
	for (i = 0; i < MANY; i++)
		values[i] = i;
	gpustr_builder_init(&builder, GPUSTR_ENC_UTF8, area, sizeof(area));
	gpustr_builder_attr(&builder, 8, 8, 0, NULL, 0);
	value = gpustr_builder_decode_value(&builder, 1, GPUSTR_VALUE_INT8);
	for (i = 0; i < 11; i++)
	{
		if (i > 1)
			(void) gpustr_builder_const_text(&builder, GPUSTR_FALSE, "between", 7);
		(void) gpustr_builder_in_value(&builder, value, 512 + (i == 10), values, 0);
	}
	(void) gpustr_builder_in_value(&builder, value, 511, values, 0);
	CHECK(gpustr_builder_finish(&builder) > 0, "the program fits");
	CHECK(gpustr_program_ranges(program, range) == GPUSTR_KEPT_RANGES, "as many as there may be");
	for (i = 0; i < GPUSTR_KEPT_RANGES; i++)
	{
		CHECK(range[i].to - range[i].from == (i == 0 ? 2 * 4096 : 4096), "range %d", i);
		CHECK(i == 0 || range[i].from == range[i - 1].to + 8, "range %d ascends", i);
	}
	test_done("what is read from the copy");
}

static void
check_output_room(void)
{
	GpustrOutputRoom room;
	int			i;

	output_room_init(&room, 1024);
	CHECK(output_room_next(&room, 65536) == 1024, "to begin with");
	output_room_note(&room, 0, 0);
	output_room_note(&room, 512 * 10, 10);
	CHECK(output_room_next(&room, 65536) == 1024, "half of it is enough");
	output_room_note(&room, 512 * 10 + 1, 10);
	CHECK(output_room_next(&room, 65536) == 2048, "more than half is not");
	output_room_note(&room, 5000, 1);
	CHECK(output_room_next(&room, 65536) == 16384, "at once");
	for (i = 0; i < OUTPUT_ROOM_BATCHES - 1; i++)
	{
		output_room_note(&room, 3000, 3);
		CHECK(output_room_next(&room, 65536) == 16384, "%d batches later", i + 1);
	}
	output_room_note(&room, 3000, 3);
	CHECK(output_room_next(&room, 65536) == 2048, "forgotten");
	for (i = 0; i < OUTPUT_ROOM_BATCHES; i++)
		output_room_note(&room, 0, 5);
	CHECK(output_room_next(&room, 65536) == 1024, "not less than to begin with");
	output_room_note(&room, UINT64_MAX / 2, 1);
	CHECK(output_room_next(&room, 65536) == 65536 && output_room_next(&room, 1024) == 1024, "no more than may be");

	/* a batch that was full doubles it, as often as it takes */
	output_room_init(&room, 1024);
	for (i = 0; i < 5; i++)
		output_room_note(&room, output_room_next(&room, 65536), 1);
	CHECK(output_room_next(&room, 65536) == 32768, "full five times");
	test_done("room for output follows the need");
}

int
main(void)
{
	check_keys();
	check_found();
	check_hostile();
	check_room();
	check_ranges();
	check_output_room();
	return test_exit();
}
