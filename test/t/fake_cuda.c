/*-------------------------------------------------------------------------
 *
 * fake_cuda.c
 *	  A library in the place of gpustr_cuda.so, for tests without a GPU.
 *
 * It is the host engine under the CUDA engine's entry point, so that loading,
 * version checks, any number of devices and their absence can be tested where
 * there is none.  Compiled by the TAP tests with
 *		FAKE_COUNT		devices that it says there are (-1: cannot tell)
 *		FAKE_VERSION	version that it says it is
 *
 * IDENTIFICATION
 *	  test/t/fake_cuda.c
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "engine/engine.h"

extern const EngineMethods *gpustr_engine_cuda(void);

static int32_t
fake_device_count(EngineError *error)
{
	if (FAKE_COUNT < 0)
		gpustr_engine_error(error, ENGINE_NO_DEVICE, "no CUDA-capable device is detected");
	return FAKE_COUNT;
}

static EngineMethods methods;

/* Every device is the host engine's only one. */
static EngineCode
fake_open(const EngineConfig *config, Engine **engine, EngineError *error)
{
	EngineConfig first = *config;
	EngineCode	code;

	first.ordinal = 0;
	code = gpustr_engine_host()->open(&first, engine, error);
	if (code == ENGINE_OK)
		(*engine)->methods = &methods;
	return code;
}

static void
fake_info(Engine *engine, EngineInfo *info)
{
	gpustr_engine_host()->info(engine, info);
	strcpy(info->name, "Fake");
}

const EngineMethods *
gpustr_engine_cuda(void)
{
	methods = *gpustr_engine_host();
	methods.kind = "cuda";
	methods.version = FAKE_VERSION;
	methods.device_count = fake_device_count;
	methods.open = fake_open;
	methods.info = fake_info;
	return &methods;
}
