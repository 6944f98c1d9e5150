/*-------------------------------------------------------------------------
 *
 * regex_literal.h
 *	  A literal that whatever matches a regular expression must have.
 *
 * IDENTIFICATION
 *	  src/plan/regex_literal.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_REGEX_LITERAL_H
#define GPUSTR_REGEX_LITERAL_H

#include "plan/regex_nfa.h"

/*
 * The longest that is found, in the database's encoding, in the current context; none
 * of more than GPUSTR_MAX_REGEX_LITERAL bytes.  NULL: there is none, or it would
 * take long to find out.
 */
extern char *gpustr_regex_literal(const GpustrRegexNfa *nfa, int *bytes);

#define GPUSTR_MAX_REGEX_LITERAL 256

#endif							/* GPUSTR_REGEX_LITERAL_H */
