/*-------------------------------------------------------------------------
 *
 * local_engine.c
 *	  The host engine of a session: what runs there, and how it is canceled.
 *
 * The engine knows nothing of PostgreSQL, and nothing may leave it but by its end.
 * So it asks now and then, at each long row at least, whether it is to stop, and the
 * interrupt is looked at here.  If that does not end the statement, the request
 * runs once more.
 *
 * Failure: an error is raised, and the engine is ready for the next request.
 *
 * IDENTIFICATION
 *	  src/service/local_engine.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/bufmgr.h"

#include "service/fault.h"
#include "service/local_engine.h"

/*
 * Shall the engine stop, as the session is to be canceled?  Only if it can be:
 * else the request would be tried over and over again.
 */
static int
interrupt_waits(void)
{
	return InterruptPending && INTERRUPTS_CAN_BE_PROCESSED();
}

/* The host engine of this session, once there is one. */
static Engine *engine = NULL;

/*
 * Open it.  It lives as long as the process; its scratch memory is bounded by what
 * one batch needs, and its tables last as long as their ids (tables.c).
 */
static void
open_engine(void)
{
	static volatile int32 zero_copy_blocks;
	static volatile uint64 memory_limit = UINT64_MAX;
	EngineConfig config;
	EngineError error;

	if (engine != NULL)
		return;
	memset(&config, 0, sizeof(config));
	config.blocks = BufferBlocks;
	config.nblocks = NBuffers;
	config.zero_copy_blocks = &zero_copy_blocks;
	config.memory_limit = &memory_limit;
	config.stop = interrupt_waits;
	if (gpustr_call_fails("open the session's engine"))
		gpustr_engine_error(&error, ENGINE_OUT_OF_MEMORY, "failure on demand");
	else
		(void) gpustr_engine_host()->open(&config, &engine, &error);
	if (engine == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("could not start the host engine"),
				 errdetail("%s.", error.message)));
}

void
gpustr_run_in_session(EngineRequest *run)
{
	open_engine();
	if (gpustr_call_fails("run in the session"))
		gpustr_engine_error(&run->error, ENGINE_OUT_OF_MEMORY, "failure on demand");
	else
	{
		/* an interrupt that does not end the statement: all over again */
		do
		{
			CHECK_FOR_INTERRUPTS();
			engine->methods->submit(engine, run);
			while (engine->methods->poll(engine) != run)
				CHECK_FOR_INTERRUPTS();
		} while (run->error.code == ENGINE_STOPPED);
	}
	if (run->error.code != ENGINE_OK)
		ereport(ERROR,
				(errcode(run->error.code == ENGINE_OUT_OF_MEMORY ?
						 ERRCODE_OUT_OF_MEMORY : ERRCODE_INTERNAL_ERROR),
				 errmsg("the host engine could not run a batch"),
				 errdetail("%s.", run->error.message),
				 run->error.code == ENGINE_OUT_OF_MEMORY ?
				 errhint("Lower \"gpustr.batch_bytes\", or set \"gpustr.enabled\" to off.") : 0));
}

void
gpustr_drop_in_session(uint64 table)
{
	if (engine != NULL && engine->methods->drop_table != NULL)
		engine->methods->drop_table(engine, table);
}
