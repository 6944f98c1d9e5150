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

#include "rowfn/fuzzy_find.h"
#include "rowfn/text_args.h"

GPUSTR_FN int
rowfn_text_measure(int function, const RowfnArgs *args, int64_t *value)
{
	switch (function)
	{
		case GPUSTR_TEXT_FIND:
			return rowfn_measure_find(args, value);
		case GPUSTR_TEXT_COUNT_MATCHES:
			return rowfn_measure_count_matches(args, value);
		case GPUSTR_TEXT_EDIT_DISTANCE:
			return rowfn_measure_edit_distance(args, value);
		case GPUSTR_TEXT_EDIT_WITHIN:
			return rowfn_measure_edit_within(args, value);
		case GPUSTR_TEXT_FUZZY_FIND:
			return rowfn_measure_fuzzy_find(args, value);
		default:
			return 0;
	}
}

#endif							/* GPUSTR_ROWFN_TEXT_MEASURE_H */
