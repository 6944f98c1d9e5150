/*-------------------------------------------------------------------------
 *
 * program_builder.h
 *	  Put a program together, step by step, into memory of the caller's.
 *
 * The builder allocates nothing: the caller gives an area for the finished
 * program and the builder keeps steps and attributes in fixed arrays until
 * gpustr_builder_finish() packs them.  Once something does not fit, 'full' is
 * set, all further calls do nothing and finish() returns 0: the caller need
 * only check there.
 *
 * Every function that makes a register returns its number.
 *
 * Plain C.
 *
 * IDENTIFICATION
 *	  src/program/program_builder.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_PROGRAM_BUILDER_H
#define GPUSTR_PROGRAM_BUILDER_H

#include "program/text_function.h"

typedef struct GpustrProgramBuilder
{
	char	   *area;			/* the program grows here: header, constants; */
	uint32_t	area_bytes;		/* ... steps and attributes come last */
	uint32_t	used;
	uint32_t	like_bytes;		/* of LIKE patterns' automata */
	int			full;
	int32_t		encoding;
	int32_t		nsteps;
	int32_t		ntext;
	int32_t		nvalue;
	int32_t		nbool;
	int32_t		nattrs;
	GpustrStep	step[GPUSTR_MAX_STEPS];
	GpustrAttr	attr[GPUSTR_MAX_ATTRS];
} GpustrProgramBuilder;

/* The most bytes of automata that are made of LIKE patterns; later ones have none. */
#define GPUSTR_BUILDER_LIKE_BYTES (64 * 1024)

/* Start.  'area' must be aligned to 8 bytes. */
extern void gpustr_builder_init(GpustrProgramBuilder *b, int32_t encoding,
								void *area, uint32_t area_bytes);

/*
 * Describe the next attribute of the table, from attribute 1 on.
 * missing/missing_value/missing_bytes: as in GpustrAttr (the bytes are copied).
 */
extern void gpustr_builder_attr(GpustrProgramBuilder *b, int16_t len, uint8_t align,
								uint8_t missing, const void *missing_value,
								uint32_t missing_bytes);

/* From the input; cstring: up to the first zero byte. */
extern uint16_t gpustr_builder_decode_text(GpustrProgramBuilder *b, int32_t attr);
extern uint16_t gpustr_builder_decode_bytes(GpustrProgramBuilder *b, int32_t attr,
											int cstring);
extern uint16_t gpustr_builder_decode_value(GpustrProgramBuilder *b, int32_t attr,
											GpustrValueType type);
extern uint16_t gpustr_builder_decode_null(GpustrProgramBuilder *b, int32_t attr);
extern uint16_t gpustr_builder_column(GpustrProgramBuilder *b, int32_t column);

/*
 * Constants; state: GPUSTR_FALSE for a value, or GPUSTR_NULL or GPUSTR_RECHECK,
 * where the value is of no interest.
 */
extern uint16_t gpustr_builder_const(GpustrProgramBuilder *b, GpustrTruth value);
extern uint16_t gpustr_builder_const_text(GpustrProgramBuilder *b, GpustrTruth state,
										  const char *value, int32_t value_bytes);
extern uint16_t gpustr_builder_const_value(GpustrProgramBuilder *b, GpustrTruth state,
										   int64_t value);

/* Tests. */
extern uint16_t gpustr_builder_like(GpustrProgramBuilder *b, uint16_t text,
									const char *pattern, int32_t pattern_bytes);

/* The pattern is folded already. */
extern uint16_t gpustr_builder_ilike(GpustrProgramBuilder *b, uint16_t text,
									 const GpustrFold *fold,
									 const char *pattern, int32_t pattern_bytes);

/* An automaton; accepted: GPUSTR_TRUE, or GPUSTR_RECHECK. */
extern uint16_t gpustr_builder_dfa(GpustrProgramBuilder *b, uint16_t text,
								   const GpustrDfa *dfa, uint32_t dfa_bytes,
								   GpustrTruth accepted);

/* The same, but only where a truth is true; elsewhere it is that. */
extern uint16_t gpustr_builder_dfa_where(GpustrProgramBuilder *b, uint16_t text, uint16_t where,
										 const GpustrDfa *dfa, uint32_t dfa_bytes,
										 GpustrTruth accepted);

/* The literals of an automaton. */
extern uint16_t gpustr_builder_contains_any(GpustrProgramBuilder *b, uint16_t text,
											const GpustrAhoCorasick *set, uint32_t set_bytes);
extern uint16_t gpustr_builder_text_eq(GpustrProgramBuilder *b, uint16_t text,
									   const char *value, int32_t value_bytes);

/* op: GPUSTR_OP_COMPARE_TEXT or GPUSTR_OP_COMPARE_VALUE */
extern uint16_t gpustr_builder_compare(GpustrProgramBuilder *b, GpustrOp op,
									   GpustrRelation relation, GpustrOrder order,
									   uint16_t left, uint16_t right);

/*
 * values	[n] in ascending order (by memcmp and then length), none twice
 * has_null	the list has a NULL beside them
 */
extern uint16_t gpustr_builder_in_text(GpustrProgramBuilder *b, uint16_t text, int32_t n,
									   const char *const *values,
									   const int32_t *value_bytes, int has_null);
extern uint16_t gpustr_builder_in_value(GpustrProgramBuilder *b, uint16_t value, int32_t n,
										const int64_t *values, int has_null);

/* op: GPUSTR_OP_NOT, IS_TRUE, NULL_TEXT, NULL_VALUE, NULL_BOOL or VALUE_TRUE */
extern uint16_t gpustr_builder_test(GpustrProgramBuilder *b, GpustrOp op, uint16_t arg);

/* op: GPUSTR_OP_AND, GPUSTR_OP_OR or GPUSTR_OP_QUAL */
extern uint16_t gpustr_builder_binary(GpustrProgramBuilder *b, GpustrOp op,
									  uint16_t left, uint16_t right);

/* op: GPUSTR_OP_CHOOSE_BOOL, TEXT or VALUE; yes, no: registers of that kind */
extern uint16_t gpustr_builder_choose(GpustrProgramBuilder *b, GpustrOp op,
									  uint16_t condition, uint16_t yes, uint16_t no);

/* Texts and values made of others. */
extern uint16_t gpustr_builder_trim_blanks(GpustrProgramBuilder *b, uint16_t text);
extern uint16_t gpustr_builder_length(GpustrProgramBuilder *b, uint16_t text, int bytes);
extern uint16_t gpustr_builder_bool_value(GpustrProgramBuilder *b, uint16_t arg);
extern uint16_t gpustr_builder_arith(GpustrProgramBuilder *b, GpustrArith arith,
									 GpustrValueType type, uint16_t left, uint16_t right);
extern uint16_t gpustr_builder_cast(GpustrProgramBuilder *b, GpustrCast cast, uint16_t arg);

/*
 * A call of a function of texts: the register, text or value, of its answer.
 * args: registers, as many as its shape has letters.  constant: copied.
 */
extern uint16_t gpustr_builder_text_function(GpustrProgramBuilder *b, GpustrTextFunction function,
											 const uint16_t *args, const void *constant,
											 uint32_t constant_bytes);

/* Right after such a call: it counts bytes, whatever the encoding. */
extern void gpustr_builder_of_bytes(GpustrProgramBuilder *b);

/* Results. */
extern void gpustr_builder_select(GpustrProgramBuilder *b, uint16_t arg);

/*
 * Output columns, from 0.  A step makes the column for all rows, unless
 * gpustr_builder_only_where() comes right after it: then only where a truth is
 * true.  mask: what follows GpustrMask.
 */
extern void gpustr_builder_redact(GpustrProgramBuilder *b, int32_t column, uint16_t name,
								  uint16_t visibility);
extern void gpustr_builder_mask(GpustrProgramBuilder *b, int32_t column, uint16_t text,
								int32_t keep_left, int32_t keep_right,
								const char *mask, int32_t mask_bytes);
extern void gpustr_builder_output_text(GpustrProgramBuilder *b, int32_t column, uint16_t text);
extern void gpustr_builder_find_all(GpustrProgramBuilder *b, int32_t column, uint16_t text,
									const char *what, int32_t what_bytes);
extern void gpustr_builder_only_where(GpustrProgramBuilder *b, uint16_t condition);

/*
 * Joins: see program.h.  column_value: input column of values.  build: 'table' with
 * its columns, registers filled in, copied.  probe: copied; later steps belong to the
 * next space.  gather, inner: kind_text 1 for a text register, 0 for a value.
 * result: condition is a bool register, or -1: all rows.
 */
extern uint16_t gpustr_builder_column_value(GpustrProgramBuilder *b, int32_t column);
extern void gpustr_builder_build(GpustrProgramBuilder *b, const GpustrTableBuild *table);
extern void gpustr_builder_probe(GpustrProgramBuilder *b, uint16_t condition,
								 const GpustrProbe *probe);
extern uint16_t gpustr_builder_gather(GpustrProgramBuilder *b, int kind_text, uint16_t reg);
extern uint16_t gpustr_builder_inner(GpustrProgramBuilder *b, int kind_text, int32_t column);
extern void gpustr_builder_result(GpustrProgramBuilder *b, int32_t condition);
extern void gpustr_builder_result_column(GpustrProgramBuilder *b, int kind_text, int32_t column,
										 uint16_t reg);

/* Pack; returns the program's bytes, or 0 if it did not fit. */
extern uint32_t gpustr_builder_finish(GpustrProgramBuilder *b);

#endif							/* GPUSTR_PROGRAM_BUILDER_H */
