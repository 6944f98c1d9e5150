/*-------------------------------------------------------------------------
 *
 * tables.h
 *	  The ids of the tables of joins, as devices see them.
 *
 * IDENTIFICATION
 *	  src/service/tables.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_TABLES_H
#define GPUSTR_TABLES_H

/* Ids with this bit are of tables of one session's own engine. */
#define GPUSTR_LOCAL_TABLE (UINT64CONST(1) << 63)

/*
 * Is a table of this id still wanted?  Safe in a device process, which asks about ids
 * that it has seen in requests: those were claimed before.
 */
extern bool gpustr_table_is_claimed(uint64 id);

#endif							/* GPUSTR_TABLES_H */
