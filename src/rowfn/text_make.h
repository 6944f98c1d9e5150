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

#include "rowfn/pii.h"
#include "rowfn/text_args.h"

GPUSTR_FN int64_t
rowfn_text_bytes(int function, const RowfnArgs *args)
{
	const RowfnText *text = args->text;

	switch (function)
	{
		case GPUSTR_TEXT_REDACT_PII:
			return rowfn_pii_bytes(text[0].s, text[0].len, *(const int32_t *) args->constant);
		default:
			return ROWFN_TEXT_RECHECK;
	}
}

GPUSTR_FN void
rowfn_text_write(int function, const RowfnArgs *args, char *out, int64_t bytes)
{
	const RowfnText *text = args->text;

	switch (function)
	{
		case GPUSTR_TEXT_REDACT_PII:
			rowfn_pii_write(text[0].s, text[0].len, *(const int32_t *) args->constant, out, bytes);
			break;
		default:
			break;
	}
}

#endif							/* GPUSTR_ROWFN_TEXT_MAKE_H */
