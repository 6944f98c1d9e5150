/*-------------------------------------------------------------------------
 *
 * debug_require.h
 *	  gpustr.debug_require: prove which path a statement takes.
 *
 * IDENTIFICATION
 *	  src/plan/debug_require.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_DEBUG_REQUIRE_H
#define GPUSTR_DEBUG_REQUIRE_H

/*
 * Note why something is not offloaded, while a statement is planned: for
 * DEBUG1, and for the error that gpustr.debug_require may raise.
 */
extern void gpustr_note_refusal(const char *format,...) pg_attribute_printf(1, 2);

extern void gpustr_debug_require_init(void);

#endif							/* GPUSTR_DEBUG_REQUIRE_H */
