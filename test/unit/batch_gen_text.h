/*-------------------------------------------------------------------------
 *
 * batch_gen_text.h
 *	  What functions of texts must give, for random batches.
 *
 * IDENTIFICATION
 *	  test/unit/batch_gen_text.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_TEST_BATCH_GEN_TEXT_H
#define GPUSTR_TEST_BATCH_GEN_TEXT_H

#include "batch_gen.h"
#include "program/text_function.h"

/* The arguments of a call, by place. */
typedef struct GenTextCall
{
	const char *text[3];
	int32_t		len[3];
	int64_t		value[3];
} GenTextCall;

/* Its answer. */
typedef struct GenTextAnswer
{
	const char *text;			/* until gen_text_reset() */
	int64_t		value;			/* of a measure; else the text's bytes */
} GenTextAnswer;

/* Call the function of a step.  Returns 0 for recheck. */
extern int	gen_text_call(const GenStep *step, int32_t encoding, const GenTextCall *call,
						  GenTextAnswer *answer);

/* Forget the texts that have been made. */
extern void gen_text_reset(void);

#endif							/* GPUSTR_TEST_BATCH_GEN_TEXT_H */
