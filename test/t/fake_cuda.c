/*-------------------------------------------------------------------------
 *
 * fake_cuda.c
 *	  A library in the place of gpustr_cuda.so, for tests without a GPU.
 *
 * It is the host engine under the CUDA engine's entry point, so that loading,
 * version checks, any number of devices, their absence and their loss can be
 * tested where there is none.  Compiled by the TAP tests with
 *		FAKE_COUNT		devices that it says there are (-1: cannot tell)
 *		FAKE_VERSION	version that it says it is
 *		FAKE_ABI		interface that it says it has
 *		FAKE_CONTROL	a file whose first word says what is wrong now:
 *						"sticky"	every request fails as after a kernel that
 *									faulted, and no engine can be opened
 *						"gone"		there is no device any more
 *						"lies"		it says of tables what cannot be
 *
 * It keeps programs as the CUDA engine does, with a copy that is no more than a mark.
 *
 * IDENTIFICATION
 *	  test/t/fake_cuda.c
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/program_cache.h"

extern const EngineMethods *gpustr_engine_cuda(void);

/* Does the control file say so? */
static int
fake_trouble(const char *word)
{
	FILE	   *file = fopen(FAKE_CONTROL, "r");
	char		found[16] = "";

	if (file == NULL)
		return 0;
	if (fscanf(file, "%15s", found) != 1)
		found[0] = '\0';
	fclose(file);
	return strcmp(found, word) == 0;
}

static int32_t
fake_device_count(EngineError *error)
{
	if (FAKE_COUNT < 0 || fake_trouble("gone"))
	{
		gpustr_engine_error(error, ENGINE_NO_DEVICE, "no CUDA-capable device is detected");
		return -1;
	}
	return FAKE_COUNT;
}

static EngineMethods methods;
static GpustrProgramCache programs;
static uint64_t hits;
static uint64_t misses;

static void
fake_give_back(void *context, GpustrKeptProgram *kept)
{
	(void) context;
	kept->device = NULL;
}

/* Every device is the host engine's only one. */
static EngineCode
fake_open(const EngineConfig *config, Engine **engine, EngineError *error)
{
	EngineConfig first = *config;
	EngineCode	code;

	*engine = NULL;
	gpustr_cache_init(&programs, GPUSTR_KEPT_BYTES, fake_give_back, NULL);
	if (fake_trouble("sticky"))
		return gpustr_engine_error(error, ENGINE_LOST, "uncorrectable ECC error encountered");
	first.ordinal = 0;
	code = gpustr_engine_host()->open(&first, engine, error);
	if (code == ENGINE_OK)
		(*engine)->methods = &methods;
	return code;
}

/* What of the request's program is kept, and is equal to it. */
static void
fake_keep(const EngineRequest *request)
{
	const GpustrBatch *batch = (const GpustrBatch *) request->body;
	const GpustrProgram *program = GPUSTR_BODY_PTR(batch, batch->program_off, const GpustrProgram);
	GpustrKeptProgram *kept = gpustr_cache_use(&programs, request->body, request->body_bytes, 0);

	if (kept != NULL)
	{
		gpustr_cache_accept(kept);
		gpustr_cache_leave(&programs, kept);
	}
	if (kept != NULL && kept->device != NULL)
		hits++;
	else if (program->key != 0)
		misses++;
	if (kept != NULL && kept->nranges > 0)
		kept->device = kept;
}

/* More keys than rows. */
static void
fake_lie(const EngineRequest *request)
{
	const GpustrBatch *batch = (const GpustrBatch *) request->body;
	GpustrTableResult *result = GPUSTR_BODY_PTR(request->body, batch->table_off, GpustrTableResult);

	if (batch->table_off != 0 && fake_trouble("lies"))
		result->distinct = result->keyed + 1;
}

static void
fake_submit(Engine *engine, EngineRequest *request)
{
	gpustr_engine_host()->submit(engine, request);
	if (request->error.code == ENGINE_OK)
	{
		fake_keep(request);
		fake_lie(request);
	}
	if (fake_trouble("sticky") || fake_trouble("gone"))
		gpustr_engine_error(&request->error, ENGINE_LOST, "an illegal memory access was encountered");
}

static void
fake_info(Engine *engine, EngineInfo *info)
{
	gpustr_engine_host()->info(engine, info);
	strcpy(info->name, "Fake");
	info->programs = gpustr_cache_on_device(&programs, &info->program_bytes);
	info->program_hits = hits;
	info->program_misses = misses;
}

const EngineMethods *
gpustr_engine_cuda(void)
{
	methods = *gpustr_engine_host();
	methods.kind = "cuda";
	methods.version = FAKE_VERSION;
	methods.abi = FAKE_ABI;
	methods.device_count = fake_device_count;
	methods.open = fake_open;
	methods.submit = fake_submit;
	methods.info = fake_info;
	return &methods;
}
