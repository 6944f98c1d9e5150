/*-------------------------------------------------------------------------
 *
 * text_make.h
 *	  Functions that make a text: its bytes, and the text.
 *
 * See text_args.h.  Both look at the same arguments; where these lie in a page
 * and change in between, the text that is written is of no use, but within its
 * bytes.
 *
 * IDENTIFICATION
 *	  src/rowfn/text_make.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_TEXT_MAKE_H
#define GPUSTR_ROWFN_TEXT_MAKE_H

#include "rowfn/case_map.h"
#include "rowfn/digest.h"
#include "rowfn/float_text.h"
#include "rowfn/numeric_text.h"
#include "rowfn/pad.h"
#include "rowfn/pii.h"
#include "rowfn/regex_extents.h"
#include "rowfn/replace.h"

/*
 * The most bytes of an answer; what is longer is PostgreSQL's.  On a device one
 * thread makes it, and others in steps that follow look at it: so none of them
 * takes more than a fraction of a second.
 */
#define ROWFN_TEXT_BYTES GPUSTR_MADE_BYTES

/* Bytes of the answer, however many. */
GPUSTR_FN int64_t
rowfn_text_all_bytes(int function, const RowfnArgs *args)
{
	const RowfnText *text = args->text;
	const int64_t *value = args->value;

	switch (function)
	{
		case GPUSTR_TEXT_UPPER:
		case GPUSTR_TEXT_LOWER:
			return rowfn_case_bytes(text[0], (const GpustrCaseMap *) args->constant, args->encoding);
		case GPUSTR_TEXT_INITCAP:
			return rowfn_initcap_bytes(text[0], (const GpustrCaseMap *) args->constant, args->encoding);
		case GPUSTR_TEXT_CONCAT:
			return (int64_t) text[0].len + text[1].len;
		case GPUSTR_TEXT_REPLACE:
			return rowfn_replace_bytes(text[0], text[1], text[2]);
		case GPUSTR_TEXT_TRANSLATE:
			return rowfn_translate_bytes(text[0], text[1], text[2], args->encoding);
		case GPUSTR_TEXT_LPAD:
		case GPUSTR_TEXT_RPAD:
			return rowfn_pad_bytes(text[0], value[1], text[2], args->encoding);
		case GPUSTR_TEXT_REPEAT:
			return rowfn_repeat_bytes(text[0], value[1]);
		case GPUSTR_TEXT_REVERSE:
			return rowfn_reverse_bytes(text[0], args->encoding);
		case GPUSTR_TEXT_CHR:
			return rowfn_chr_bytes(value[0], args->encoding);
		case GPUSTR_TEXT_TO_HEX4:
			return rowfn_digits((uint32_t) value[0], 16);
		case GPUSTR_TEXT_TO_HEX8:
			return rowfn_digits((uint64_t) value[0], 16);
		case GPUSTR_TEXT_FROM_INT:
			return rowfn_digits(rowfn_amount(value[0]), 10) + (value[0] < 0);
		case GPUSTR_TEXT_FROM_BOOL:
			return value[0] != 0 ? 4 : 5;
		case GPUSTR_TEXT_FROM_DATE:
			return rowfn_date_bytes(value[0]);
		case GPUSTR_TEXT_FROM_UUID:
			return text[0].len == ROWFN_UUID_BYTES ? ROWFN_UUID_TEXT_BYTES : ROWFN_TEXT_RECHECK;
		case GPUSTR_TEXT_MD5:
			return ROWFN_MD5_TEXT_BYTES;
		case GPUSTR_TEXT_SHA256:
			return ROWFN_SHA256_BYTES;
		case GPUSTR_TEXT_REDACT_PII:
			if (text[0].len > ROWFN_TEXT_BYTES)
				return ROWFN_TEXT_RECHECK;
			return rowfn_pii_bytes(text[0].s, text[0].len, *(const int32_t *) args->constant);
		case GPUSTR_TEXT_REGEX_REPLACE:
			return rowfn_regex_replace(args, (char *) 0, 0);
		case GPUSTR_TEXT_FROM_FLOAT4:
		case GPUSTR_TEXT_FROM_FLOAT8:
			return rowfn_float_bytes(value[0], function == GPUSTR_TEXT_FROM_FLOAT4);
		case GPUSTR_TEXT_FROM_TIMESTAMP:
			return rowfn_timestamp_bytes(value[0]);
		case GPUSTR_TEXT_FROM_NUMERIC:
			return rowfn_numeric_bytes(text[0]);
		case GPUSTR_TEXT_TO_UUID:
			return rowfn_to_uuid_bytes(text[0]);
		case GPUSTR_TEXT_HEX:
			return 2 * (int64_t) text[0].len;
		default:
			return ROWFN_TEXT_RECHECK;
	}
}

GPUSTR_FN int64_t
rowfn_text_bytes(int function, const RowfnArgs *args)
{
	int64_t		bytes = rowfn_text_all_bytes(function, args);

	return bytes <= ROWFN_TEXT_BYTES ? bytes : ROWFN_TEXT_RECHECK;
}

GPUSTR_FN void
rowfn_text_write(int function, const RowfnArgs *args, char *out, int64_t bytes)
{
	const RowfnText *text = args->text;
	const int64_t *value = args->value;
	RowfnOut	to = rowfn_out(out, bytes);

	switch (function)
	{
		case GPUSTR_TEXT_UPPER:
		case GPUSTR_TEXT_LOWER:
			rowfn_case_write(text[0], (const GpustrCaseMap *) args->constant, args->encoding, out, bytes);
			break;
		case GPUSTR_TEXT_INITCAP:
			rowfn_initcap_write(text[0], (const GpustrCaseMap *) args->constant, args->encoding, out, bytes);
			break;
		case GPUSTR_TEXT_CONCAT:
			rowfn_put(&to, text[0].s, text[0].len);
			rowfn_put(&to, text[1].s, text[1].len);
			break;
		case GPUSTR_TEXT_REPLACE:
			rowfn_replace_write(text[0], text[1], text[2], out, bytes);
			break;
		case GPUSTR_TEXT_TRANSLATE:
			rowfn_translate_write(text[0], text[1], text[2], args->encoding, out, bytes);
			break;
		case GPUSTR_TEXT_LPAD:
			rowfn_pad_write(text[0], value[1], text[2], 1, args->encoding, out, bytes);
			break;
		case GPUSTR_TEXT_RPAD:
			rowfn_pad_write(text[0], value[1], text[2], 0, args->encoding, out, bytes);
			break;
		case GPUSTR_TEXT_REPEAT:
			rowfn_repeat_write(text[0], out, bytes);
			break;
		case GPUSTR_TEXT_REVERSE:
			rowfn_reverse_write(text[0], args->encoding, out, bytes);
			break;
		case GPUSTR_TEXT_CHR:
			rowfn_put_code(&to, (uint32_t) value[0], args->encoding);
			break;
		case GPUSTR_TEXT_TO_HEX4:
			rowfn_put_digits(&to, (uint32_t) value[0], 16, (int32_t) bytes);
			break;
		case GPUSTR_TEXT_TO_HEX8:
			rowfn_put_digits(&to, (uint64_t) value[0], 16, (int32_t) bytes);
			break;
		case GPUSTR_TEXT_FROM_INT:
			rowfn_int_write(value[0], out, bytes);
			break;
		case GPUSTR_TEXT_FROM_BOOL:
			rowfn_put_literal(&to, value[0] != 0 ? "true" : "false");
			break;
		case GPUSTR_TEXT_FROM_DATE:
			rowfn_date_write(value[0], out, bytes);
			break;
		case GPUSTR_TEXT_FROM_UUID:
			rowfn_uuid_write(text[0], out, bytes);
			break;
		case GPUSTR_TEXT_MD5:
			rowfn_md5_write(text[0], out, bytes);
			break;
		case GPUSTR_TEXT_SHA256:
			rowfn_sha256_write(text[0], out, bytes);
			break;
		case GPUSTR_TEXT_REDACT_PII:
			rowfn_pii_write(text[0].s, text[0].len, *(const int32_t *) args->constant, out, bytes);
			break;
		case GPUSTR_TEXT_REGEX_REPLACE:
			(void) rowfn_regex_replace(args, out, bytes);
			break;
		case GPUSTR_TEXT_FROM_FLOAT4:
		case GPUSTR_TEXT_FROM_FLOAT8:
			rowfn_float_write(value[0], function == GPUSTR_TEXT_FROM_FLOAT4, out, bytes);
			break;
		case GPUSTR_TEXT_FROM_TIMESTAMP:
			rowfn_timestamp_write(value[0], out, bytes);
			break;
		case GPUSTR_TEXT_FROM_NUMERIC:
			rowfn_numeric_write(text[0], out, bytes);
			break;
		case GPUSTR_TEXT_TO_UUID:
			rowfn_to_uuid_write(text[0], out, bytes);
			break;
		case GPUSTR_TEXT_HEX:
			rowfn_put_hex(&to, text[0].s, text[0].len);
			break;
		default:
			break;
	}
}

#endif							/* GPUSTR_ROWFN_TEXT_MAKE_H */
