/*-------------------------------------------------------------------------
 *
 * text_make.h
 *	  Functions that make a text: its bytes, and the text.
 *
 * See text_args.h.  What is not here is recheck.
 *
 * IDENTIFICATION
 *	  src/rowfn/text_make.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_TEXT_MAKE_H
#define GPUSTR_ROWFN_TEXT_MAKE_H

#include "rowfn/text_args.h"

GPUSTR_FN int64_t
rowfn_text_bytes(int function, const RowfnArgs *args)
{
	(void) args;
	switch (function)
	{
		default:
			return ROWFN_TEXT_RECHECK;
	}
}

GPUSTR_FN void
rowfn_text_write(int function, const RowfnArgs *args, char *out, int64_t bytes)
{
	(void) function;
	(void) args;
	(void) out;
	(void) bytes;
}

#endif							/* GPUSTR_ROWFN_TEXT_MAKE_H */
