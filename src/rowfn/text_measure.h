/*-------------------------------------------------------------------------
 *
 * text_measure.h
 *	  Functions that make a value of texts.
 *
 * See text_args.h.  What is not here is recheck.
 *
 * IDENTIFICATION
 *	  src/rowfn/text_measure.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_TEXT_MEASURE_H
#define GPUSTR_ROWFN_TEXT_MEASURE_H

#include "rowfn/text_args.h"

GPUSTR_FN int
rowfn_text_measure(int function, const RowfnArgs *args, int64_t *value)
{
	(void) args;
	(void) value;
	switch (function)
	{
		default:
			return 0;
	}
}

#endif							/* GPUSTR_ROWFN_TEXT_MEASURE_H */
