/*-------------------------------------------------------------------------
 *
 * local_engine.h
 *	  The host engine of a session.
 *
 * IDENTIFICATION
 *	  src/service/local_engine.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_LOCAL_ENGINE_H
#define GPUSTR_LOCAL_ENGINE_H

#include "engine/engine.h"

/*
 * Run a request, of which body and body_bytes are set.  Raises an error if it
 * fails, or if the statement is canceled meanwhile.
 */
extern void gpustr_run_in_session(EngineRequest *run);

/* Drop a table, should the session's engine have it.  Raises no error. */
extern void gpustr_drop_in_session(uint64 table);

#endif							/* GPUSTR_LOCAL_ENGINE_H */
