/*-------------------------------------------------------------------------
 *
 * test_table_result.c
 *	  What a backend takes of what an engine says of a table: only what can be.
 *
 * IDENTIFICATION
 *	  test/unit/test_table_result.c
 *
 *-------------------------------------------------------------------------
 */
#include "batch/column_batch.h"
#include "program/program_builder.h"
#include "test_common.h"

static GpustrProgramBuilder builder;
static uint64_t area[1024];

static const GpustrProgram *
make_program(void)
{
	gpustr_builder_init(&builder, GPUSTR_ENC_UTF8, area, sizeof(area));
	CHECK(gpustr_builder_finish(&builder) > 0, "no program");
	return (const GpustrProgram *) area;
}

/* What is said of a table is taken only if it can be. */
static void
test_taken(void)
{
	const GpustrTableResult good = {24, 10, 7, 4, 0};
	const GpustrProgram *program = make_program();
	const GpustrChunk none = {0};
	GpustrTableBuild build = {.nrows = 12};
	GpustrTableResult took;
	uint32_t	bytes = (uint32_t) gpustr_column_batch_bytes(program->bytes, &none, 0, 0, NULL);
	void	   *body = aligned_alloc(GPUSTR_BODY_ALIGN, bytes);
	GpustrBatch *batch = gpustr_column_batch_fill(body, bytes, program, &none, 0, 0, NULL);
	GpustrTableResult *said = GPUSTR_BODY_PTR(batch, batch->table_off, GpustrTableResult);
	uint32_t	off = batch->table_off;

#define TAKEN(change) \
	do { \
		*said = good; \
		change; \
		memset(&took, 0, sizeof(took)); \
		CHECK(gpustr_column_batch_table(batch, bytes, &build, &took) && \
			  memcmp(&took, said, sizeof(took)) == 0, "%s: not taken", #change); \
	} while (0)
#define NOT_TAKEN(change) \
	do { \
		*said = good; \
		change; \
		CHECK(!gpustr_column_batch_table(batch, bytes, &build, &took), "%s: taken", #change); \
	} while (0)

	CHECK(off + sizeof(GpustrTableResult) <= bytes, "it lies within the body");
	CHECK(!gpustr_column_batch_table(batch, bytes, &build, &took), "nothing has been said yet");
	TAKEN((void) 0);
	TAKEN(said->keyed = 12);
	TAKEN(said->distinct = 10);
	TAKEN(said->keyed = said->distinct = 0);
	TAKEN(said->slots = 4;
	said->keyed = said->distinct = 4);
	TAKEN(said->window = 8);
	NOT_TAKEN(said->keyed = 13);
	NOT_TAKEN(said->distinct = 11);
	NOT_TAKEN(said->distinct = 0);
	NOT_TAKEN(said->keyed = 0);
	NOT_TAKEN(said->keyed = UINT32_MAX);
	NOT_TAKEN(said->slots = 4);
	NOT_TAKEN(said->slots = 0);
	NOT_TAKEN(said->slots = 25);
	NOT_TAKEN(said->slots = UINT64_MAX - 3);
	NOT_TAKEN(said->window = 0);
	NOT_TAKEN(said->window = 5);
	NOT_TAKEN(said->window = 48);
	NOT_TAKEN(batch->table_off = 0);
	NOT_TAKEN(batch->table_off = off + 4);
	NOT_TAKEN(batch->table_off = GPUSTR_BODY_ALIGN_UP(bytes));
	NOT_TAKEN(batch->table_off = UINT32_MAX - 63);
	batch->table_off = off;
	build.nrows = 9;
	NOT_TAKEN((void) 0);
#undef TAKEN
#undef NOT_TAKEN
	free(body);
	test_done("what an engine says of a table");
}

int
main(void)
{
	test_taken();
	return test_exit();
}
