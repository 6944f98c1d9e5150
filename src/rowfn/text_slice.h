/*-------------------------------------------------------------------------
 *
 * text_slice.h
 *	  Functions whose answer is a part of their first argument.
 *
 * See text_args.h.  What is not here is recheck.
 *
 * IDENTIFICATION
 *	  src/rowfn/text_slice.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_TEXT_SLICE_H
#define GPUSTR_ROWFN_TEXT_SLICE_H

#include "rowfn/text_args.h"

GPUSTR_FN int
rowfn_text_slice(int function, const RowfnArgs *args, RowfnText *slice)
{
	(void) args;
	(void) slice;
	switch (function)
	{
		default:
			return 0;
	}
}

#endif							/* GPUSTR_ROWFN_TEXT_SLICE_H */
