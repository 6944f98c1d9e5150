/*-------------------------------------------------------------------------
 *
 * literal_share.h
 *	  How many of a column's values have a literal.
 *
 * IDENTIFICATION
 *	  src/plan/literal_share.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_LITERAL_SHARE_H
#define GPUSTR_LITERAL_SHARE_H

#include "access/attnum.h"

/*
 * The share of the values of a column of texts, NULLs not counted, that are LIKE
 * the pattern, '%literal%', by the table's statistics; 0 where these do not tell.
 */
extern double gpustr_literal_share(Oid relation, AttrNumber attribute, const char *pattern, int bytes);

#endif							/* GPUSTR_LITERAL_SHARE_H */
