/*-------------------------------------------------------------------------
 *
 * shippable.h
 *	  May this clause be evaluated by an engine?
 *
 * IDENTIFICATION
 *	  src/plan/shippable.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_SHIPPABLE_H
#define GPUSTR_SHIPPABLE_H

#include "nodes/primnodes.h"

/* Are values of the type stored as text is? */
extern bool gpustr_is_text_type(Oid type);

/*
 * NULL if the clause over table 'varno' may be offloaded, else the reason why
 * not, for EXPLAIN.
 */
extern const char *gpustr_clause_refusal(Node *clause, Index varno);

/*
 * Is it the same whether, and how often, PostgreSQL evaluates the clause?
 */
extern bool gpustr_clause_is_harmless(Node *clause);

/*
 * An OpExpr that gpustr_clause_refusal() let pass, taken apart: column
 * 'attno', like or equal to 'value', or not.
 */
typedef struct GpustrTextTest
{
	AttrNumber	attno;
	bool		is_like;		/* else equality */
	bool		negated;
	struct varlena *value;		/* text, detoasted */
} GpustrTextTest;

extern void gpustr_text_test(OpExpr *op, GpustrTextTest *test);

#endif							/* GPUSTR_SHIPPABLE_H */
