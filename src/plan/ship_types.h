/*-------------------------------------------------------------------------
 *
 * ship_types.h
 *	  Which types and functions of PostgreSQL's the engines know, and how each
 *	  is handled.
 *
 * IDENTIFICATION
 *	  src/plan/ship_types.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_SHIP_TYPES_H
#define GPUSTR_SHIP_TYPES_H

#include "program/text_function.h"

/* The kind of register that holds a value. */
typedef enum GpustrKind
{
	GPUSTR_KIND_BOOL,
	GPUSTR_KIND_VALUE,
	GPUSTR_KIND_TEXT
} GpustrKind;

typedef struct GpustrType
{
	Oid			type;			/* base type; ANYENUM for all enums */
	GpustrKind	kind;
	GpustrValueType value;		/* of a bool or a value */
	int16		bytes;			/* of a text: fixed length, or -1 varlena */
	bool		cstring;		/* of a text: up to the first zero byte */
} GpustrType;

/*
 * How values of a type travel: as a value register has them, or as bytes (a varlena's
 * without its header, or a fixed number of bytes).
 */
typedef struct GpustrCarrier
{
	bool		is_text;
	GpustrValueType value;		/* of a value */
	int16		bytes;			/* of a text: fixed length, or -1 varlena */
	bool		cstring;		/* of a text: name, up to the first zero byte */
} GpustrCarrier;

/* What a function does. */
typedef enum GpustrFunctionKind
{
	GPUSTR_FUNCTION_COMPARE,	/* what: GpustrRelation, how: GpustrOrder */
	GPUSTR_FUNCTION_LIKE,
	GPUSTR_FUNCTION_STARTS_WITH,
	GPUSTR_FUNCTION_REGEX,		/* what: 1 the options are a third argument */
	GPUSTR_FUNCTION_ARITH,		/* what: GpustrArith, how: GpustrValueType */
	GPUSTR_FUNCTION_CAST,		/* what: GpustrCast */
	GPUSTR_FUNCTION_SAME,		/* the value stays as it is */
	GPUSTR_FUNCTION_TRIM,		/* the text without trailing blanks */
	GPUSTR_FUNCTION_LENGTH,		/* what: 1 bytes, 0 characters */
	GPUSTR_FUNCTION_BOOL_VALUE,
	GPUSTR_FUNCTION_VALUE_BOOL,
	GPUSTR_FUNCTION_TEXT,		/* what: GpustrTextFunction, how: GPUSTR_HOW_ */
	GPUSTR_FUNCTION_CONCAT,		/* what: 1 the first argument separates */
	GPUSTR_FUNCTION_TEXT_BOOL,	/* the cast */
	GPUSTR_FUNCTION_CONTAINS_ANY,	/* gpustr.contains_any() */
	GPUSTR_FUNCTION_TYPMOD,		/* the cast to varchar(n); what: 1 char(n) */
	GPUSTR_FUNCTION_REDACT,		/* gpustr.redact(): an output column only */
	GPUSTR_FUNCTION_MASK,		/* gpustr.mask(): alike */
	GPUSTR_FUNCTION_REGEX_FIND, /* what: GPUSTR_MISS_, how: arguments before
								 * the options */
	GPUSTR_FUNCTION_PII,		/* gpustr.redact_pii() */
	GPUSTR_FUNCTION_OVERLAY,	/* how: GPUSTR_HOW_BYTES, or 0 */
	GPUSTR_FUNCTION_ENCODE		/* encode() */
} GpustrFunctionKind;

/*
 * How a call of a GPUSTR_FUNCTION_TEXT differs from what the function's shape
 * says.
 */
#define GPUSTR_HOW_BLANK 1		/* the last argument is left out: a blank */
#define GPUSTR_HOW_ONE 2		/* the last argument is left out: 1 */
#define GPUSTR_HOW_TRUTH 4		/* the value is a truth: 0 or 1 */
#define GPUSTR_HOW_BYTES 8		/* of bytea: it counts bytes */

/* What a search for a regular expression answers where nothing matches. */
#define GPUSTR_MISS_VALUE 1		/* the value as it is */
#define GPUSTR_MISS_NULL 2
#define GPUSTR_MISS_ZERO 3
#define GPUSTR_MISS_NULL_ARRAY 4	/* NULL, of a type that is not known */

/* Flags. */
#define GPUSTR_FLAG_TEXT 1		/* looks at text: the encoding matters */
#define GPUSTR_FLAG_COLLATED 2	/* the collation matters */
#define GPUSTR_FLAG_TRIM 4		/* arguments lose their trailing blanks */
#define GPUSTR_FLAG_LEFT_DATE 8 /* compares a date with a timestamp */
#define GPUSTR_FLAG_RIGHT_DATE 16
#define GPUSTR_FLAG_NEGATED 32	/* NOT LIKE, !~ */
#define GPUSTR_FLAG_FOLDED 64	/* ILIKE, ~* */

typedef struct GpustrFunction
{
	Oid			funcid;
	uint8		kind;			/* GpustrFunctionKind */
	uint8		what;
	uint8		how;
	uint8		flags;
} GpustrFunction;

/* How values of the type are handled; NULL if they are not. */
extern const GpustrType *gpustr_type(Oid type);

/*
 * Of any type that a column can have: by its length where it is not known; but for
 * types whose values are C strings.
 */
extern GpustrCarrier gpustr_carrier(Oid type);

/* What the function does; NULL if the engines do not know it. */
extern const GpustrFunction *gpustr_function(Oid funcid);

/* The same for a cast by way of output and input functions, CoerceViaIO. */
extern const GpustrFunction *gpustr_io_cast(Oid from, Oid to);

/*
 * Is a value of the first type, relabelled as the second, of the same bytes?
 * *cast: 0, or the GpustrCast that gives the value anew.
 */
extern bool gpustr_relabels(Oid from, Oid to, int *cast);

#endif							/* GPUSTR_SHIP_TYPES_H */
