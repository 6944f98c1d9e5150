/*-------------------------------------------------------------------------
 *
 * regex_nfa.h
 *	  PostgreSQL's compiled regular expression, as data.
 *
 * IDENTIFICATION
 *	  src/plan/regex_nfa.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_REGEX_NFA_H
#define GPUSTR_REGEX_NFA_H

/* What an arc takes, beside a colour, which is >= 0. */
#define GPUSTR_ARC_ANY (-1)		/* a character of any colour */
#define GPUSTR_ARC_BEGIN (-2)	/* the begin of the value */
#define GPUSTR_ARC_END (-3)		/* its end */

typedef struct GpustrRegexArc
{
	int32 color;
	int32		to;
} GpustrRegexArc;

/* The characters from 'first' on, up to the next run's first, are of a colour. */
typedef struct GpustrColorRun
{
	uint32		first;
	int32 color;
} GpustrColorRun;

/*
 * A value matches if from the initial state, by an arc for its begin, one for each
 * character, and one for its end, the final state can be reached; be it before
 * all of that is read.
 */
typedef struct GpustrRegexNfa
{
	bool		approximate;	/* some of those values do not match */
	int			nstates;
	int			initial;
	int			final;
	int		   *first_arc;		/* [nstates + 1] */
	GpustrRegexArc *arcs;		/* those of state i: from first_arc[i] on */
	int			ncolors;
	int			nruns;
	GpustrColorRun *runs;		/* ascending from 0, neighbours differ */

	/* The last colour may stand for any of some, where which is not looked up */
	int			nwild;			/* 0: it does not */
	int		   *wild;			/* [nwild] those */

	/* See gpustr_regex_extents_nfa() */
	bool		extents;
	bool		shortest;		/* the match that ends first is wanted */
} GpustrRegexNfa;

/*
 * Compile, as PostgreSQL would to match a value.  NULL if that gives an error; *refusal
 * says, as a literal, which.  cflags: those of regex.h; the collation is deterministic.
 */
extern GpustrRegexNfa *gpustr_regex_nfa(const char *pattern, int bytes, int cflags,
										Oid collation, const char **refusal);

/*
 * The same for where the expression matches: from the initial state, by an arc for
 * the character before or the begin of the value, one for each character of the
 * match, and one for the character behind it or the end of the value, the final
 * state is reached just where there is a match.  NULL also where that does not
 * tell what PostgreSQL finds; and where 'captures' is set and parentheses capture.
 */
extern GpustrRegexNfa *gpustr_regex_extents_nfa(const char *pattern, int bytes, int cflags,
												Oid collation, bool captures);

/*
 * Let all characters from 'first' on have one colour, which is wild.  False, and
 * nothing done, if they have one already.  What *nfa points to stays as it is.
 */
extern bool gpustr_regex_coarsen(GpustrRegexNfa *nfa, uint32 first);

/* The flags of ~ and, folded, of ~*. */
extern int	gpustr_regex_operator_flags(bool folded);

/* Those of regexp_like(); false where it would raise an error. */
extern bool gpustr_regex_option_flags(const char *options, int bytes, int *cflags);

/* The last code point that a character of the database's encoding can have. */
extern uint32 gpustr_regex_last_char(void);

/*
 * What this session knows of the borders of character classes, for another one over the
 * same database: how large it is, saved (as much as there is room for), and restored.
 */
extern Size gpustr_regex_borders_bytes(void);
extern void gpustr_regex_borders_save(uint32 *to, Size bytes);
extern void gpustr_regex_borders_restore(const uint32 *from);

#endif							/* GPUSTR_REGEX_NFA_H */
