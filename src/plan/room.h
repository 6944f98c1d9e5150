/*-------------------------------------------------------------------------
 *
 * room.h
 *	  Are values likely to be too long for the engines?
 *
 * IDENTIFICATION
 *	  src/plan/room.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROOM_H
#define GPUSTR_ROOM_H

#include "nodes/pg_list.h"
#include "utils/relcache.h"

/*
 * Is there a call in these expressions, over a table's columns, that the engines leave
 * to PostgreSQL for values of the columns' average width?
 */
extern bool gpustr_exceeds_room(Relation table, List *exprs);

#endif							/* GPUSTR_ROOM_H */
