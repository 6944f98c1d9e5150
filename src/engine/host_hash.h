/*-------------------------------------------------------------------------
 *
 * host_hash.h
 *	  The hash table of a join in the host engine.
 *
 * The algorithm of rowfn/hash_table.h for one thread; cuda/hash_*.cuh is the
 * same for a device.  All memory is the caller's, and nothing can fail but that
 * the table is too small.
 *
 *		host_hash_begin()			all slots empty
 *		host_hash_insert()			rows in, as often as there are sources
 *		host_hash_make_runs()		once, if host_hash.repeated > 0
 *		host_hash_find() ...		as often as wanted
 *
 * IDENTIFICATION
 *	  src/engine/host_hash.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_HOST_HASH_H
#define GPUSTR_HOST_HASH_H

#include <stdint.h>

#include "rowfn/hash_key.h"
#include "rowfn/hash_table.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Slots of a window: four fill half a line of a cache. */
#define HOST_HASH_WINDOW 4

typedef struct HostHash
{
	RowfnTable	table;
	RowfnKeys	inner;			/* the key columns of its rows */
	uint32_t	distinct;		/* keys */
	uint32_t	repeated;		/* rows beyond their key's first */
	uint32_t	doubtful;		/* rows whose key is recheck: not in */
	uint32_t	left_out;		/* rows for which it was full: start again,
								 * larger */
} HostHash;

/* How far outer rows have been probed. */
typedef struct HostHashProgress
{
	uint32_t	row;			/* the next */
	uint32_t	written;		/* pairs of it that are written */
} HostHashProgress;

extern void host_hash_describe(HostHash *hash, const RowfnKeys *inner, uint64_t *slots,
							   uint32_t nwindows, uint32_t window);
extern void host_hash_clear(HostHash *hash, uint64_t first, uint64_t n);
extern void host_hash_begin(HostHash *hash, const RowfnKeys *inner, uint64_t *slots,
							uint32_t nwindows, uint32_t window);
extern void host_hash_insert(HostHash *hash, uint32_t first, uint32_t n, uint32_t *met);
extern uint64_t host_hash_run_words(uint64_t rows, uint64_t repeated);
extern uint64_t host_hash_make_runs(HostHash *hash, uint32_t n, const uint32_t *met,
									uint32_t *count, uint32_t *runs);
extern void host_hash_count_met(const uint32_t *met, uint32_t first, uint32_t n, uint32_t *count);
extern uint32_t host_hash_allot_runs(HostHash *hash, uint64_t first, uint64_t n, uint32_t *count,
									 uint32_t *runs, uint32_t at);
extern void host_hash_fill_runs(const uint32_t *met, uint32_t first, uint32_t n, uint32_t *count,
								uint32_t *runs);
extern uint32_t host_hash_look_up_hash(const HostHash *hash, const RowfnKeys *outer, uint32_t row,
									   uint32_t h);
extern uint32_t host_hash_look_up(const HostHash *hash, const RowfnKeys *outer, uint32_t row);
extern void host_hash_find(const HostHash *hash, const RowfnKeys *outer, uint32_t n,
						   uint32_t *inner);
extern void host_hash_contains(const HostHash *hash, const RowfnKeys *outer, uint32_t n,
							   uint32_t *bits);
extern uint64_t host_hash_count(const HostHash *hash, const RowfnKeys *outer, uint32_t n,
								int is_outer, uint32_t *each);
extern uint32_t host_hash_retrieve(const HostHash *hash, const RowfnKeys *outer, uint32_t n,
								   int is_outer, HostHashProgress *progress,
								   uint32_t *pair_outer, uint32_t *pair_inner, uint32_t room);
extern void host_hash_mark(HostHash *hash, const RowfnKeys *outer, uint32_t n,
						   uint32_t *matched);
extern void host_hash_mark_rows(const uint32_t *inner, uint32_t n, uint32_t *matched);

#ifdef __cplusplus
}
#endif

#endif							/* GPUSTR_HOST_HASH_H */
