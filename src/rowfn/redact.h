/*-------------------------------------------------------------------------
 *
 * redact.h
 *	  Hide a person's name unless it is public.
 *
 * The example of RAPIDS libcudf's "strings" user-defined functions.  A name is
 * "First Last"; the first name is what stands before the first space, the
 * last name what follows that run of spaces:
 *
 *		visibility 'public'		initial of the last name, space, first name
 *		anything else			X X
 *
 *		Jane Doe			D Jane
 *		Mary Ann Smith		A Mary			the first space counts
 *		Jane  Doe			D Jane			a run of spaces is one border
 *		Jane				Jane			no last name, nothing to shorten
 *		"Jane "				Jane
 *		" Doe"				"D "			an empty first name
 *		""					""
 *
 * The result is never longer than the name, or 3 bytes.  Both row functions
 * below agree on the length: the engines size their output by the first and
 * fill it by the second.
 *
 * IDENTIFICATION
 *	  src/rowfn/redact.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_REDACT_H
#define GPUSTR_ROWFN_REDACT_H

#include "rowfn/utf8.h"

/* Bytes of the result for a name that is not public, "X X". */
#define ROWFN_REDACTED_BYTES 3

/* Where the parts of a name are, in bytes from its start. */
typedef struct RowfnRedactParts
{
	int32_t		first_bytes;	/* the first name is [0, first_bytes) */
	int32_t		last_off;		/* start of the last name; the name's length
								 * if there is none */
} RowfnRedactParts;

/* Is the visibility exactly 'public'? */
GPUSTR_FN int
rowfn_redact_is_public(const char *visibility, int32_t len)
{
	return len == 6 &&
		visibility[0] == 'p' && visibility[1] == 'u' && visibility[2] == 'b' &&
		visibility[3] == 'l' && visibility[4] == 'i' && visibility[5] == 'c';
}

GPUSTR_FN RowfnRedactParts
rowfn_redact_split(const char *name, int32_t len)
{
	RowfnRedactParts parts;
	int32_t		i = 0;

	while (i < len && name[i] != ' ')
		i++;
	parts.first_bytes = i;
	while (i < len && name[i] == ' ')
		i++;
	parts.last_off = i;
	return parts;
}

/* Bytes of the result for a public name; 'initial_bytes' of last_off's character. */
GPUSTR_FN int32_t
rowfn_redact_public_bytes(RowfnRedactParts parts, int32_t len, int32_t initial_bytes)
{
	if (parts.last_off == len)
		return parts.first_bytes;
	return initial_bytes + 1 + parts.first_bytes;
}

/*
 * Write the result for a public name to out[rowfn_redact_public_bytes()].
 */
GPUSTR_FN void
rowfn_redact_write_public(const char *name, int32_t len, RowfnRedactParts parts,
						  int32_t initial_bytes, char *out)
{
	int32_t		i;

	if (parts.last_off < len)
	{
		for (i = 0; i < initial_bytes; i++)
			*out++ = name[parts.last_off + i];
		*out++ = ' ';
	}
	for (i = 0; i < parts.first_bytes; i++)
		*out++ = name[i];
}

/* Bytes of the whole answer. */
GPUSTR_FN int32_t
rowfn_redact_bytes(const char *name, int32_t len,
				   const char *visibility, int32_t vlen, int32_t encoding)
{
	RowfnRedactParts parts;
	int32_t		initial = 0;

	if (!rowfn_redact_is_public(visibility, vlen))
		return ROWFN_REDACTED_BYTES;
	parts = rowfn_redact_split(name, len);
	if (parts.last_off < len)
		initial = rowfn_char_bytes(name + parts.last_off, len - parts.last_off, encoding);
	return rowfn_redact_public_bytes(parts, len, initial);
}

/* Write the whole answer to out[rowfn_redact_bytes()]. */
GPUSTR_FN void
rowfn_redact_write(const char *name, int32_t len,
				   const char *visibility, int32_t vlen, int32_t encoding, char *out)
{
	RowfnRedactParts parts;
	int32_t		initial = 0;

	if (!rowfn_redact_is_public(visibility, vlen))
	{
		out[0] = 'X';
		out[1] = ' ';
		out[2] = 'X';
		return;
	}
	parts = rowfn_redact_split(name, len);
	if (parts.last_off < len)
		initial = rowfn_char_bytes(name + parts.last_off, len - parts.last_off, encoding);
	rowfn_redact_write_public(name, len, parts, initial, out);
}

#endif							/* GPUSTR_ROWFN_REDACT_H */
