/*-------------------------------------------------------------------------
 *
 * ship_types.c
 *	  Which types and functions of PostgreSQL's the engines know, and how each
 *	  is handled.
 *
 * Two tables.  A type is held as a truth value, as 64 bits or as bytes; types
 * that are not in the table cannot be looked at, but for IS NULL.  A function
 * is known by its OID, whether an operator or a call names it; its arguments
 * have the types that pg_proc says, so a table entry need not.
 *
 * Not known, though alike: timetz (equal instants differ in zone), money,
 * inet, jsonb, arrays, ranges, bit strings; comparisons of timestamp with
 * timestamptz (they depend on the time zone); order of enums (it is in
 * pg_enum); casts of numeric, but to text.
 *
 * IDENTIFICATION
 *	  src/plan/ship_types.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "plan/own_functions.h"
#include "plan/ship_types.h"

static const GpustrType types[] = {
	{TEXTOID, GPUSTR_KIND_TEXT, 0, -1, false},
	{VARCHAROID, GPUSTR_KIND_TEXT, 0, -1, false},
	{INT4OID, GPUSTR_KIND_VALUE, GPUSTR_VALUE_INT4, 0, false},
	{INT8OID, GPUSTR_KIND_VALUE, GPUSTR_VALUE_INT8, 0, false},
	{BOOLOID, GPUSTR_KIND_BOOL, GPUSTR_VALUE_BOOL, 0, false},
	{INT2OID, GPUSTR_KIND_VALUE, GPUSTR_VALUE_INT2, 0, false},
	{DATEOID, GPUSTR_KIND_VALUE, GPUSTR_VALUE_INT4, 0, false},
	{TIMEOID, GPUSTR_KIND_VALUE, GPUSTR_VALUE_INT8, 0, false},
	{TIMESTAMPOID, GPUSTR_KIND_VALUE, GPUSTR_VALUE_INT8, 0, false},
	{TIMESTAMPTZOID, GPUSTR_KIND_VALUE, GPUSTR_VALUE_INT8, 0, false},
	{FLOAT4OID, GPUSTR_KIND_VALUE, GPUSTR_VALUE_FLOAT4, 0, false},
	{FLOAT8OID, GPUSTR_KIND_VALUE, GPUSTR_VALUE_FLOAT8, 0, false},
	{NUMERICOID, GPUSTR_KIND_TEXT, 0, -1, false},
	{BPCHAROID, GPUSTR_KIND_TEXT, 0, -1, false},
	{BYTEAOID, GPUSTR_KIND_TEXT, 0, -1, false},
	{NAMEOID, GPUSTR_KIND_TEXT, 0, NAMEDATALEN, true},
	{UUIDOID, GPUSTR_KIND_TEXT, 0, 16, false},
	{INTERVALOID, GPUSTR_KIND_TEXT, 0, 16, false},
	{CHAROID, GPUSTR_KIND_VALUE, GPUSTR_VALUE_CHAR, 0, false},
	{OIDOID, GPUSTR_KIND_VALUE, GPUSTR_VALUE_OID, 0, false},
	{REGPROCOID, GPUSTR_KIND_VALUE, GPUSTR_VALUE_OID, 0, false},
	{REGPROCEDUREOID, GPUSTR_KIND_VALUE, GPUSTR_VALUE_OID, 0, false},
	{REGOPEROID, GPUSTR_KIND_VALUE, GPUSTR_VALUE_OID, 0, false},
	{REGOPERATOROID, GPUSTR_KIND_VALUE, GPUSTR_VALUE_OID, 0, false},
	{REGCLASSOID, GPUSTR_KIND_VALUE, GPUSTR_VALUE_OID, 0, false},
	{REGTYPEOID, GPUSTR_KIND_VALUE, GPUSTR_VALUE_OID, 0, false},
	{REGROLEOID, GPUSTR_KIND_VALUE, GPUSTR_VALUE_OID, 0, false},
	{REGNAMESPACEOID, GPUSTR_KIND_VALUE, GPUSTR_VALUE_OID, 0, false},
	{REGCONFIGOID, GPUSTR_KIND_VALUE, GPUSTR_VALUE_OID, 0, false},
	{REGDICTIONARYOID, GPUSTR_KIND_VALUE, GPUSTR_VALUE_OID, 0, false},
	{REGCOLLATIONOID, GPUSTR_KIND_VALUE, GPUSTR_VALUE_OID, 0, false},
};

static const GpustrType enum_type =
{ANYENUMOID, GPUSTR_KIND_VALUE, GPUSTR_VALUE_OID, 0, false};

#define COMPARE(funcid, relation, order, flags) \
	{funcid, GPUSTR_FUNCTION_COMPARE, GPUSTR_REL_##relation, GPUSTR_ORDER_##order, flags}

/* Six comparisons whose names differ in the last letters only. */
#define COMPARE_SIX(prefix, order, flags) \
	COMPARE(prefix##EQ, EQ, order, flags), \
	COMPARE(prefix##NE, NE, order, flags), \
	COMPARE(prefix##LT, LT, order, flags), \
	COMPARE(prefix##LE, LE, order, flags), \
	COMPARE(prefix##GT, GT, order, flags), \
	COMPARE(prefix##GE, GE, order, flags)

/* The same where the name goes on after them. */
#define COMPARE_SIX_OF(prefix, suffix, order, flags) \
	COMPARE(prefix##EQ##suffix, EQ, order, flags), \
	COMPARE(prefix##NE##suffix, NE, order, flags), \
	COMPARE(prefix##LT##suffix, LT, order, flags), \
	COMPARE(prefix##LE##suffix, LE, order, flags), \
	COMPARE(prefix##GT##suffix, GT, order, flags), \
	COMPARE(prefix##GE##suffix, GE, order, flags)

#define ARITH(funcid, arith, type) \
	{funcid, GPUSTR_FUNCTION_ARITH, GPUSTR_ARITH_##arith, GPUSTR_VALUE_##type, 0}

/* The four of two integers of different width. */
#define ARITH_FOUR(prefix, type) \
	ARITH(prefix##PL, ADD, type), ARITH(prefix##MI, SUB, type), \
	ARITH(prefix##MUL, MUL, type), ARITH(prefix##DIV, DIV, type)

#define CAST(funcid, cast) {funcid, GPUSTR_FUNCTION_CAST, GPUSTR_CAST_##cast, 0, 0}
#define SAME(funcid) {funcid, GPUSTR_FUNCTION_SAME, 0, 0, 0}
#define LENGTH(funcid, bytes, flags) {funcid, GPUSTR_FUNCTION_LENGTH, bytes, 0, flags}
#define LIKE(funcid, flags) \
	{funcid, GPUSTR_FUNCTION_LIKE, 0, 0, GPUSTR_FLAG_TEXT | GPUSTR_FLAG_COLLATED | (flags)}
#define REGEX(funcid, options, flags) \
	{funcid, GPUSTR_FUNCTION_REGEX, options, 0, GPUSTR_FLAG_TEXT | GPUSTR_FLAG_COLLATED | (flags)}

/* ~, !~, ~*, !~* */
#define REGEX_FOUR(type) \
	REGEX(F_##type##REGEXEQ, 0, 0), \
	REGEX(F_##type##REGEXNE, 0, GPUSTR_FLAG_NEGATED), \
	REGEX(F_##type##ICREGEXEQ, 0, GPUSTR_FLAG_FOLDED), \
	REGEX(F_##type##ICREGEXNE, 0, GPUSTR_FLAG_FOLDED | GPUSTR_FLAG_NEGATED)

#define TEXT(funcid, function, flags) \
	{funcid, GPUSTR_FUNCTION_TEXT, GPUSTR_TEXT_##function, 0, GPUSTR_FLAG_TEXT | (flags)}

/* The same of bytea. */
#define BYTES(funcid, function) \
	{funcid, GPUSTR_FUNCTION_TEXT, GPUSTR_TEXT_##function, GPUSTR_HOW_BYTES, 0}

/* Without its last argument, which is a blank. */
#define TEXT_BLANK(funcid, function) \
	{funcid, GPUSTR_FUNCTION_TEXT, GPUSTR_TEXT_##function, GPUSTR_HOW_BLANK, GPUSTR_FLAG_TEXT}

#define REGEX_FIND(funcid, miss, options) \
	{funcid, GPUSTR_FUNCTION_REGEX_FIND, GPUSTR_MISS_##miss, options, \
		GPUSTR_FLAG_TEXT | GPUSTR_FLAG_COLLATED}

#define COLLATED (GPUSTR_FLAG_TEXT | GPUSTR_FLAG_COLLATED)
#define TRIMMED (COLLATED | GPUSTR_FLAG_TRIM)

static const GpustrFunction functions[] = {
	/* the most frequent first */
	COMPARE_SIX(F_INT4, INT, 0),
	COMPARE(F_TEXTEQ, EQ, BYTES, COLLATED),
	COMPARE(F_TEXTNE, NE, BYTES, COLLATED),
	LIKE(F_TEXTLIKE, 0),
	LIKE(F_TEXTNLIKE, GPUSTR_FLAG_NEGATED),
	LIKE(F_TEXTICLIKE, GPUSTR_FLAG_FOLDED),
	LIKE(F_TEXTICNLIKE, GPUSTR_FLAG_FOLDED | GPUSTR_FLAG_NEGATED),
	COMPARE_SIX(F_INT8, INT, 0),
	COMPARE_SIX(F_INT84, INT, 0),
	COMPARE_SIX(F_INT48, INT, 0),
	COMPARE_SIX(F_INT2, INT, 0),
	COMPARE_SIX(F_INT24, INT, 0),
	COMPARE_SIX(F_INT42, INT, 0),
	COMPARE_SIX(F_INT28, INT, 0),
	COMPARE_SIX(F_INT82, INT, 0),
	COMPARE_SIX(F_DATE_, INT, 0),
	COMPARE_SIX(F_TIMESTAMP_, INT, 0),
	COMPARE_SIX(F_TIMESTAMPTZ_, INT, 0),
	COMPARE_SIX(F_TIME_, INT, 0),
	COMPARE_SIX(F_OID, INT, 0),
	COMPARE_SIX(F_CHAR, INT, 0),
	COMPARE_SIX(F_BOOL, INT, 0),
	COMPARE(F_ENUM_EQ, EQ, INT, 0),
	COMPARE(F_ENUM_NE, NE, INT, 0),
	COMPARE_SIX_OF(F_DATE_, _TIMESTAMP, INT, GPUSTR_FLAG_LEFT_DATE),
	COMPARE_SIX_OF(F_TIMESTAMP_, _DATE, INT, GPUSTR_FLAG_RIGHT_DATE),
	COMPARE_SIX(F_FLOAT8, FLOAT, 0),
	COMPARE_SIX(F_FLOAT4, FLOAT, 0),
	COMPARE_SIX(F_FLOAT48, FLOAT, 0),
	COMPARE_SIX(F_FLOAT84, FLOAT, 0),
	COMPARE_SIX(F_NUMERIC_, NUMERIC, 0),
	COMPARE_SIX(F_INTERVAL_, INTERVAL, 0),
	COMPARE_SIX(F_UUID_, BYTES, 0),
	COMPARE_SIX(F_BYTEA, BYTES, 0),
	COMPARE(F_TEXT_LT, LT, BYTES, COLLATED),
	COMPARE(F_TEXT_LE, LE, BYTES, COLLATED),
	COMPARE(F_TEXT_GT, GT, BYTES, COLLATED),
	COMPARE(F_TEXT_GE, GE, BYTES, COLLATED),
	COMPARE(F_TEXT_PATTERN_LT, LT, BYTES, GPUSTR_FLAG_TEXT),
	COMPARE(F_TEXT_PATTERN_LE, LE, BYTES, GPUSTR_FLAG_TEXT),
	COMPARE(F_TEXT_PATTERN_GT, GT, BYTES, GPUSTR_FLAG_TEXT),
	COMPARE(F_TEXT_PATTERN_GE, GE, BYTES, GPUSTR_FLAG_TEXT),
	COMPARE_SIX(F_BPCHAR, BYTES, TRIMMED),
	COMPARE(F_BPCHAR_PATTERN_LT, LT, BYTES, GPUSTR_FLAG_TEXT | GPUSTR_FLAG_TRIM),
	COMPARE(F_BPCHAR_PATTERN_LE, LE, BYTES, GPUSTR_FLAG_TEXT | GPUSTR_FLAG_TRIM),
	COMPARE(F_BPCHAR_PATTERN_GT, GT, BYTES, GPUSTR_FLAG_TEXT | GPUSTR_FLAG_TRIM),
	COMPARE(F_BPCHAR_PATTERN_GE, GE, BYTES, GPUSTR_FLAG_TEXT | GPUSTR_FLAG_TRIM),
	COMPARE_SIX(F_NAME, BYTES, COLLATED),
	COMPARE_SIX_OF(F_NAME, TEXT, BYTES, COLLATED),
	COMPARE_SIX_OF(F_TEXT, NAME, BYTES, COLLATED),

	/* patterns */
	LIKE(F_LIKE_TEXT_TEXT, 0),
	LIKE(F_NOTLIKE_TEXT_TEXT, GPUSTR_FLAG_NEGATED),
	LIKE(F_BPCHARLIKE, 0),
	LIKE(F_BPCHARNLIKE, GPUSTR_FLAG_NEGATED),
	LIKE(F_BPCHARICLIKE, GPUSTR_FLAG_FOLDED),
	LIKE(F_BPCHARICNLIKE, GPUSTR_FLAG_FOLDED | GPUSTR_FLAG_NEGATED),
	LIKE(F_NAMELIKE, 0),
	LIKE(F_NAMENLIKE, GPUSTR_FLAG_NEGATED),
	LIKE(F_LIKE_NAME_TEXT, 0),
	LIKE(F_NOTLIKE_NAME_TEXT, GPUSTR_FLAG_NEGATED),
	LIKE(F_NAMEICLIKE, GPUSTR_FLAG_FOLDED),
	LIKE(F_NAMEICNLIKE, GPUSTR_FLAG_FOLDED | GPUSTR_FLAG_NEGATED),
	{F_STARTS_WITH, GPUSTR_FUNCTION_STARTS_WITH, 0, 0, COLLATED},
	REGEX_FOUR(TEXT),
	REGEX_FOUR(BPCHAR),
	REGEX_FOUR(NAME),
	REGEX(F_REGEXP_LIKE_TEXT_TEXT, 0, 0),
	REGEX(F_REGEXP_LIKE_TEXT_TEXT_TEXT, 1, 0),
	REGEX_FIND(F_REGEXP_REPLACE_TEXT_TEXT_TEXT, VALUE, 3),
	REGEX_FIND(F_REGEXP_REPLACE_TEXT_TEXT_TEXT_TEXT, VALUE, 3),
	REGEX_FIND(F_REGEXP_REPLACE_TEXT_TEXT_TEXT_INT4, VALUE, 3),
	REGEX_FIND(F_REGEXP_REPLACE_TEXT_TEXT_TEXT_INT4_INT4, VALUE, 3),
	REGEX_FIND(F_REGEXP_REPLACE_TEXT_TEXT_TEXT_INT4_INT4_TEXT, VALUE, 3),
	REGEX_FIND(F_SUBSTRING_TEXT_TEXT, NULL, 2),
	REGEX_FIND(F_REGEXP_SUBSTR_TEXT_TEXT, NULL, 2),
	REGEX_FIND(F_REGEXP_SUBSTR_TEXT_TEXT_INT4, NULL, 2),
	REGEX_FIND(F_REGEXP_SUBSTR_TEXT_TEXT_INT4_INT4, NULL, 2),
	REGEX_FIND(F_REGEXP_SUBSTR_TEXT_TEXT_INT4_INT4_TEXT, NULL, 2),
	REGEX_FIND(F_REGEXP_SUBSTR_TEXT_TEXT_INT4_INT4_TEXT_INT4, NULL, 2),
	REGEX_FIND(F_REGEXP_COUNT_TEXT_TEXT, ZERO, 2),
	REGEX_FIND(F_REGEXP_COUNT_TEXT_TEXT_INT4, ZERO, 2),
	REGEX_FIND(F_REGEXP_COUNT_TEXT_TEXT_INT4_TEXT, ZERO, 2),
	REGEX_FIND(F_REGEXP_INSTR_TEXT_TEXT, ZERO, 2),
	REGEX_FIND(F_REGEXP_INSTR_TEXT_TEXT_INT4, ZERO, 2),
	REGEX_FIND(F_REGEXP_INSTR_TEXT_TEXT_INT4_INT4, ZERO, 2),
	REGEX_FIND(F_REGEXP_INSTR_TEXT_TEXT_INT4_INT4_INT4, ZERO, 2),
	REGEX_FIND(F_REGEXP_INSTR_TEXT_TEXT_INT4_INT4_INT4_TEXT, ZERO, 2),
	REGEX_FIND(F_REGEXP_INSTR_TEXT_TEXT_INT4_INT4_INT4_TEXT_INT4, ZERO, 2),
	REGEX_FIND(F_REGEXP_MATCH_TEXT_TEXT, NULL_ARRAY, 2),
	REGEX_FIND(F_REGEXP_MATCH_TEXT_TEXT_TEXT, NULL_ARRAY, 2),

	/* lengths */
	LENGTH(F_LENGTH_TEXT, 0, GPUSTR_FLAG_TEXT),
	LENGTH(F_TEXTLEN, 0, GPUSTR_FLAG_TEXT),
	LENGTH(F_CHAR_LENGTH_TEXT, 0, GPUSTR_FLAG_TEXT),
	LENGTH(F_CHARACTER_LENGTH_TEXT, 0, GPUSTR_FLAG_TEXT),
	LENGTH(F_LENGTH_BPCHAR, 0, GPUSTR_FLAG_TEXT | GPUSTR_FLAG_TRIM),
	LENGTH(F_CHAR_LENGTH_BPCHAR, 0, GPUSTR_FLAG_TEXT | GPUSTR_FLAG_TRIM),
	LENGTH(F_CHARACTER_LENGTH_BPCHAR, 0, GPUSTR_FLAG_TEXT | GPUSTR_FLAG_TRIM),
	LENGTH(F_OCTET_LENGTH_TEXT, 1, 0),
	LENGTH(F_OCTET_LENGTH_BPCHAR, 1, 0),
	LENGTH(F_OCTET_LENGTH_BYTEA, 1, 0),
	LENGTH(F_LENGTH_BYTEA, 1, 0),

	/* functions of texts */
	TEXT(F_UPPER_TEXT, UPPER, GPUSTR_FLAG_COLLATED),
	TEXT(F_LOWER_TEXT, LOWER, GPUSTR_FLAG_COLLATED),
	TEXT(F_INITCAP, INITCAP, GPUSTR_FLAG_COLLATED),
	TEXT(F_TEXTCAT, CONCAT, 0),
	{F_BYTEACAT, GPUSTR_FUNCTION_TEXT, GPUSTR_TEXT_CONCAT, 0, 0},
	{F_CONCAT, GPUSTR_FUNCTION_CONCAT, 0, 0, GPUSTR_FLAG_TEXT},
	{F_CONCAT_WS, GPUSTR_FUNCTION_CONCAT, 1, 0, GPUSTR_FLAG_TEXT},
	TEXT(F_SUBSTR_TEXT_INT4_INT4, SUBSTR, 0),
	TEXT(F_SUBSTRING_TEXT_INT4_INT4, SUBSTR, 0),
	TEXT(F_SUBSTR_TEXT_INT4, SUBSTR_FROM, 0),
	TEXT(F_SUBSTRING_TEXT_INT4, SUBSTR_FROM, 0),
	TEXT(F_LEFT, LEFT, 0),
	TEXT(F_RIGHT, RIGHT, 0),
	TEXT(F_REPLACE, REPLACE, GPUSTR_FLAG_COLLATED),
	TEXT(F_TRANSLATE, TRANSLATE, 0),
	TEXT(F_BTRIM_TEXT_TEXT, BTRIM, 0), TEXT_BLANK(F_BTRIM_TEXT, BTRIM),
	TEXT(F_LTRIM_TEXT_TEXT, LTRIM, 0), TEXT_BLANK(F_LTRIM_TEXT, LTRIM),
	TEXT(F_RTRIM_TEXT_TEXT, RTRIM, 0), TEXT_BLANK(F_RTRIM_TEXT, RTRIM),
	TEXT(F_LPAD_TEXT_INT4_TEXT, LPAD, 0), TEXT_BLANK(F_LPAD_TEXT_INT4, LPAD),
	TEXT(F_RPAD_TEXT_INT4_TEXT, RPAD, 0), TEXT_BLANK(F_RPAD_TEXT_INT4, RPAD),
	TEXT(F_REPEAT, REPEAT, 0),
	TEXT(F_REVERSE, REVERSE, 0),
	TEXT(F_SPLIT_PART, SPLIT_PART, GPUSTR_FLAG_COLLATED),
	TEXT(F_STRPOS, POSITION, GPUSTR_FLAG_COLLATED),
	TEXT(F_POSITION_TEXT_TEXT, POSITION, GPUSTR_FLAG_COLLATED),
	TEXT(F_ASCII, ASCII, 0),
	TEXT(F_CHR, CHR, 0),
	TEXT(F_TO_HEX_INT4, TO_HEX4, 0),
	TEXT(F_TO_HEX_INT8, TO_HEX8, 0),
	TEXT(F_TEXT_BOOL, FROM_BOOL, 0),
	TEXT(F_MD5_TEXT, MD5, 0),
	{F_MD5_BYTEA, GPUSTR_FUNCTION_TEXT, GPUSTR_TEXT_MD5, 0, 0},
	{F_SHA256, GPUSTR_FUNCTION_TEXT, GPUSTR_TEXT_SHA256, 0, 0},
	{F_OVERLAY_TEXT_TEXT_INT4_INT4, GPUSTR_FUNCTION_OVERLAY, 0, 0, GPUSTR_FLAG_TEXT},
	{F_OVERLAY_TEXT_TEXT_INT4, GPUSTR_FUNCTION_OVERLAY, 0, 0, GPUSTR_FLAG_TEXT},

	/* functions of bytea */
	BYTES(F_SUBSTR_BYTEA_INT4_INT4, SUBSTR), BYTES(F_SUBSTR_BYTEA_INT4, SUBSTR_FROM),
	BYTES(F_SUBSTRING_BYTEA_INT4_INT4, SUBSTR), BYTES(F_SUBSTRING_BYTEA_INT4, SUBSTR_FROM),
	BYTES(F_BTRIM_BYTEA_BYTEA, BTRIM), BYTES(F_LTRIM_BYTEA_BYTEA, LTRIM),
	BYTES(F_RTRIM_BYTEA_BYTEA, RTRIM), BYTES(F_POSITION_BYTEA_BYTEA, POSITION),
	BYTES(F_GET_BYTE, GET_BYTE),
	{F_OVERLAY_BYTEA_BYTEA_INT4_INT4, GPUSTR_FUNCTION_OVERLAY, 0, GPUSTR_HOW_BYTES, 0},
	{F_OVERLAY_BYTEA_BYTEA_INT4, GPUSTR_FUNCTION_OVERLAY, 0, GPUSTR_HOW_BYTES, 0},
	{F_ENCODE, GPUSTR_FUNCTION_ENCODE, 0, 0, 0},

	/* integers */
	ARITH_FOUR(F_INT2, INT2), ARITH_FOUR(F_INT4, INT4), ARITH_FOUR(F_INT8, INT8),
	ARITH_FOUR(F_INT24, INT4), ARITH_FOUR(F_INT42, INT4),
	ARITH_FOUR(F_INT28, INT8), ARITH_FOUR(F_INT82, INT8),
	ARITH_FOUR(F_INT48, INT8), ARITH_FOUR(F_INT84, INT8),
	ARITH(F_INT2MOD, MOD, INT2), ARITH(F_INT4MOD, MOD, INT4), ARITH(F_INT8MOD, MOD, INT8),
	ARITH(F_MOD_INT2_INT2, MOD, INT2), ARITH(F_MOD_INT4_INT4, MOD, INT4),
	ARITH(F_MOD_INT8_INT8, MOD, INT8),
	ARITH(F_INT2UM, NEG, INT2), ARITH(F_INT4UM, NEG, INT4), ARITH(F_INT8UM, NEG, INT8),
	ARITH(F_INT2ABS, ABS, INT2), ARITH(F_INT4ABS, ABS, INT4), ARITH(F_INT8ABS, ABS, INT8),
	ARITH(F_ABS_INT2, ABS, INT2), ARITH(F_ABS_INT4, ABS, INT4), ARITH(F_ABS_INT8, ABS, INT8),
	ARITH(F_INT2AND, AND, INT2), ARITH(F_INT4AND, AND, INT4), ARITH(F_INT8AND, AND, INT8),
	ARITH(F_INT2OR, OR, INT2), ARITH(F_INT4OR, OR, INT4), ARITH(F_INT8OR, OR, INT8),
	ARITH(F_INT2XOR, XOR, INT2), ARITH(F_INT4XOR, XOR, INT4), ARITH(F_INT8XOR, XOR, INT8),
	ARITH(F_INT2NOT, NOT, INT2), ARITH(F_INT4NOT, NOT, INT4), ARITH(F_INT8NOT, NOT, INT8),
	SAME(F_INT2UP), SAME(F_INT4UP), SAME(F_INT8UP),

	/* floats */
	ARITH_FOUR(F_FLOAT4, FLOAT4), ARITH_FOUR(F_FLOAT8, FLOAT8),
	ARITH_FOUR(F_FLOAT48, FLOAT8), ARITH_FOUR(F_FLOAT84, FLOAT8),
	ARITH(F_FLOAT4UM, NEG, FLOAT4), ARITH(F_FLOAT8UM, NEG, FLOAT8),
	ARITH(F_FLOAT4ABS, ABS, FLOAT4), ARITH(F_FLOAT8ABS, ABS, FLOAT8),
	ARITH(F_ABS_FLOAT4, ABS, FLOAT4), ARITH(F_ABS_FLOAT8, ABS, FLOAT8),
	SAME(F_FLOAT4UP), SAME(F_FLOAT8UP),

	/* casts */
	SAME(F_INT4_INT2), SAME(F_INT8_INT2), SAME(F_INT8_INT4), SAME(F_INT8_OID),
	SAME(F_FLOAT8_FLOAT4), SAME(F_TEXT_NAME), SAME(F_BPCHAR_NAME), SAME(F_VARCHAR_NAME),
	CAST(F_INT2_INT4, INT_TO_INT2), CAST(F_INT2_INT8, INT_TO_INT2),
	CAST(F_INT4_INT8, INT_TO_INT4), CAST(F_OID, INT_TO_OID),
	CAST(F_FLOAT4_INT2, INT_TO_FLOAT4), CAST(F_FLOAT4_INT4, INT_TO_FLOAT4),
	CAST(F_FLOAT4_INT8, INT_TO_FLOAT4), CAST(F_FLOAT8_INT2, INT_TO_FLOAT8),
	CAST(F_FLOAT8_INT4, INT_TO_FLOAT8), CAST(F_FLOAT8_INT8, INT_TO_FLOAT8),
	CAST(F_FLOAT4_FLOAT8, FLOAT_TO_FLOAT4),
	CAST(F_INT2_FLOAT4, FLOAT_TO_INT2), CAST(F_INT2_FLOAT8, FLOAT_TO_INT2),
	CAST(F_INT4_FLOAT4, FLOAT_TO_INT4), CAST(F_INT4_FLOAT8, FLOAT_TO_INT4),
	CAST(F_INT8_FLOAT4, FLOAT_TO_INT8), CAST(F_INT8_FLOAT8, FLOAT_TO_INT8),
	CAST(F_TIMESTAMP_DATE, DATE_TO_TIMESTAMP),
	{F_VARCHAR_VARCHAR_INT4_BOOL, GPUSTR_FUNCTION_TYPMOD, 0, 0, GPUSTR_FLAG_TEXT},
	{F_BPCHAR_BPCHAR_INT4_BOOL, GPUSTR_FUNCTION_TYPMOD, 1, 0, GPUSTR_FLAG_TEXT},
	{F_TEXT_BPCHAR, GPUSTR_FUNCTION_TRIM, 0, 0, GPUSTR_FLAG_TEXT},
	{F_INT4_BOOL, GPUSTR_FUNCTION_BOOL_VALUE, 0, 0, 0},
	{F_BOOL_INT4, GPUSTR_FUNCTION_VALUE_BOOL, 0, 0, 0},
};

/* Casts by way of the types' input and output functions; no OID of their own. */
static const GpustrFunction int_to_text = TEXT(InvalidOid, FROM_INT, 0);
static const GpustrFunction date_to_text = TEXT(InvalidOid, FROM_DATE, 0);
static const GpustrFunction uuid_to_text = TEXT(InvalidOid, FROM_UUID, 0);
static const GpustrFunction float4_to_text = TEXT(InvalidOid, FROM_FLOAT4, 0);
static const GpustrFunction float8_to_text = TEXT(InvalidOid, FROM_FLOAT8, 0);
static const GpustrFunction timestamp_to_text = TEXT(InvalidOid, FROM_TIMESTAMP, 0);
static const GpustrFunction numeric_to_text = TEXT(InvalidOid, FROM_NUMERIC, 0);
static const GpustrFunction text_to_int2 = TEXT(InvalidOid, TO_INT2, 0);
static const GpustrFunction text_to_int4 = TEXT(InvalidOid, TO_INT4, 0);
static const GpustrFunction text_to_int8 = TEXT(InvalidOid, TO_INT8, 0);
static const GpustrFunction text_to_date = TEXT(InvalidOid, TO_DATE, 0);
static const GpustrFunction text_to_float4 = TEXT(InvalidOid, TO_FLOAT4, 0);
static const GpustrFunction text_to_float8 = TEXT(InvalidOid, TO_FLOAT8, 0);
static const GpustrFunction text_to_uuid = TEXT(InvalidOid, TO_UUID, 0);
static const GpustrFunction text_to_bool =
{InvalidOid, GPUSTR_FUNCTION_TEXT_BOOL, 0, 0, GPUSTR_FLAG_TEXT};

static const GpustrType *
find_type(Oid type)
{
	int			i;

	for (i = 0; i < lengthof(types); i++)
	{
		if (types[i].type == type)
			return &types[i];
	}
	return NULL;
}

const GpustrType *
gpustr_type(Oid type)
{
	const GpustrType *found = find_type(type);

	/* built-in types are neither enums nor domains over known ones */
	if (found == NULL && type >= FirstUnpinnedObjectId)
	{
		Oid			base = getBaseType(type);

		found = type_is_enum(base) ? &enum_type : find_type(base);
	}
	return found;
}

GpustrCarrier
gpustr_carrier(Oid type)
{
	const GpustrType *known = gpustr_type(type);
	GpustrCarrier carrier = {false, GPUSTR_VALUE_INT8, 0, false};
	int16		len;
	bool		byval;

	if (known != NULL)
	{
		carrier.is_text = known->kind == GPUSTR_KIND_TEXT;
		carrier.value = known->value;
		carrier.bytes = known->bytes;
		carrier.cstring = known->cstring;
		return carrier;
	}
	get_typlenbyval(type, &len, &byval);
	if (!byval)
	{
		carrier.is_text = true;
		carrier.bytes = len;
	}
	else if (len == 1)
		carrier.value = GPUSTR_VALUE_CHAR;
	else if (len == 2)
		carrier.value = GPUSTR_VALUE_INT2;
	else if (len == 4)
		carrier.value = GPUSTR_VALUE_INT4;
	return carrier;
}

const GpustrFunction *
gpustr_function(Oid funcid)
{
	int			i;

	if (funcid >= FirstGenbkiObjectId)
		return gpustr_own_function(funcid);
	for (i = 0; i < lengthof(functions); i++)
	{
		if (functions[i].funcid == funcid)
			return &functions[i];
	}
	return NULL;
}

static bool
is_character_type(Oid type)
{
	return type == TEXTOID || type == VARCHAROID || type == BPCHAROID;
}

const GpustrFunction *
gpustr_io_cast(Oid from, Oid to)
{
	const GpustrType *type = gpustr_type(from);

	if (type == NULL)
		return NULL;
	if (is_character_type(to))
	{
		switch (type->type)
		{
			case INT2OID:
			case INT4OID:
			case INT8OID:
			case OIDOID:
				return &int_to_text;
			case DATEOID:
				return &date_to_text;
			case UUIDOID:
				return &uuid_to_text;
			case FLOAT4OID:
				return &float4_to_text;
			case FLOAT8OID:
				return &float8_to_text;
			case TIMESTAMPOID:
				return &timestamp_to_text;
			case NUMERICOID:
				return &numeric_to_text;
			default:
				return NULL;
		}
	}
	if (!is_character_type(type->type) && type->type != NAMEOID)
		return NULL;
	switch (to)
	{
		case INT2OID:
			return &text_to_int2;
		case INT4OID:
			return &text_to_int4;
		case INT8OID:
			return &text_to_int8;
		case DATEOID:
			return &text_to_date;
		case FLOAT4OID:
			return &text_to_float4;
		case FLOAT8OID:
			return &text_to_float8;
		case UUIDOID:
			return &text_to_uuid;
		case BOOLOID:
			return &text_to_bool;
		default:
			return NULL;
	}
}

bool
gpustr_relabels(Oid from, Oid to, int *cast)
{
	const GpustrType *a = gpustr_type(from);
	const GpustrType *b = gpustr_type(to);

	*cast = 0;
	if (a == NULL || b == NULL)
		return false;
	if (a == b || (is_character_type(a->type) && is_character_type(b->type)))
		return true;
	if (a == &enum_type || b == &enum_type)
		return false;
	if (a->value == GPUSTR_VALUE_OID && b->value == GPUSTR_VALUE_OID)
		return true;

	/* the same 32 bits with and without a sign */
	if (a->type == INT4OID && b->value == GPUSTR_VALUE_OID)
		*cast = GPUSTR_CAST_INT_TO_OID;
	else if (a->value == GPUSTR_VALUE_OID && b->type == INT4OID)
		*cast = GPUSTR_CAST_INT_TO_INT4;
	return *cast != 0;
}
