/*-------------------------------------------------------------------------
 *
 * regex_nfa.c
 *	  PostgreSQL's compiled regular expression, as data.
 *
 * What a regular expression means is PostgreSQL's affair: it is compiled by
 * PostgreSQL itself, with the flags and under the collation of the clause, and
 * what is taken over is the "search" automaton, which PostgreSQL runs over a
 * value before anything else, and which alone decides whether the value
 * matches.  It takes colours, classes of characters that the expression does
 * not tell apart; which colour a character has is asked of PostgreSQL, too.
 *
 * With lookaround constraints and back-references it does not decide: values
 * that it refuses do not match, of the others only some do.
 *
 * Colours beyond the first 2048 characters, for which PostgreSQL has a table,
 * depend on ranges and single characters of the expression and on classes such
 * as [[:alpha:]].  Between the borders of all these the colour is the same, so
 * it is asked once for each stretch.  The borders of a class depend on the
 * collation only: found once, by asking for all characters, and kept.  That takes some
 * 20 ms, so workers of a parallel scan are given those that the leader knows.
 *
 * Failure: PostgreSQL's errors are not raised, but for a cancel.
 *
 * Not in one file with utils/builtins.h: both it and regguts.h have a "chr".
 *
 * IDENTIFICATION
 *	  src/plan/regex_nfa.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "regex/regguts.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "regex/regexport.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#include "compat.h"
#include "plan/regex_nfa.h"

/* In the order of enum char_classes. */
static const char *const class_names[NUM_CCLASSES] = {
	"alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph",
	"lower", "print", "punct", "space", "upper", "xdigit", "word"
};

/* Where a class of characters begins and ends, above MAX_SIMPLE_CHR. */
typedef struct ClassBorders
{
	struct
	{
		Oid			collation;
		int			cclass;
	}			key;			/* hash key: must be first */
	int			n;
	uint32	   *borders;		/* [n] ascending */
} ClassBorders;

static HTAB *class_borders = NULL;

/* Characters that are asked for between two looks for a cancel. */
#define POLL_CHARACTERS 4096

int
gpustr_regex_operator_flags(bool folded)
{
	return REG_ADVANCED | REG_NOSUB | (folded ? REG_ICASE : 0);
}

bool
gpustr_regex_option_flags(const char *options, int bytes, int *cflags)
{
	int			flags = REG_ADVANCED;
	int			i;

	for (i = 0; i < bytes; i++)
	{
		switch (options[i])
		{
			case 'b':
			case 'e':			/* extended, but PostgreSQL takes it as basic */
				flags &= ~(REG_ADVANCED | REG_QUOTE);
				break;
			case 'c':
				flags &= ~REG_ICASE;
				break;
			case 'i':
				flags |= REG_ICASE;
				break;
			case 'm':
			case 'n':
				flags |= REG_NEWLINE;
				break;
			case 'p':
				flags = (flags & ~REG_NEWLINE) | REG_NLSTOP;
				break;
			case 'q':
				flags = (flags & ~REG_ADVANCED) | REG_QUOTE;
				break;
			case 's':
				flags &= ~REG_NEWLINE;
				break;
			case 't':
				flags &= ~REG_EXPANDED;
				break;
			case 'w':
				flags = (flags & ~REG_NEWLINE) | REG_NLANCH;
				break;
			case 'x':
				flags |= REG_EXPANDED;
				break;
			default:
				return false;	/* 'g', too */
		}
	}
	*cflags = flags | REG_NOSUB;
	return true;
}

/* As pg_regcomp(): REG_OKAY, or which error PostgreSQL would raise. */
static int
compile(regex_t *re, const char *pattern, int bytes, int cflags, Oid collation)
{
	pg_wchar   *wide = palloc_array(pg_wchar, bytes + 1);
	int			n = pg_mb2wchar_with_len(pattern, wide, bytes);
	int			result = pg_regcomp(re, wide, n, cflags, collation);

	pfree(wide);
	if (result != REG_OKAY)
		CHECK_FOR_INTERRUPTS();
	return result;
}

/* Why is there no automaton of an expression that gives this error? */
static const char *
refusal_of(int error)
{
	switch (error)
	{
		case REG_ETOOBIG:
		case REG_ECOLORS:
			return "the regular expression is too complex";
		case REG_ESPACE:
			return "there is not enough memory for the regular expression";
		default:
			return "the regular expression is invalid";
	}
}

static color
color_of(struct colormap *cm, uint32 c)
{
	return c <= MAX_SIMPLE_CHR ? cm->locolormap[c - CHR_MIN] : pg_reg_getcolor(cm, c);
}

/* All characters above MAX_SIMPLE_CHR where the colour changes. */
static void
walk_characters(struct colormap *cm, ClassBorders *found)
{
	int			space = 0;
	color		before = color_of(cm, MAX_SIMPLE_CHR + 1);
	uint32		c;

	for (c = MAX_SIMPLE_CHR + 2; c <= gpustr_regex_last_char(); c++)
	{
		color		now = pg_reg_getcolor(cm, c);

		if (c % POLL_CHARACTERS == 0)
			CHECK_FOR_INTERRUPTS();
		if (now == before)
			continue;
		if (found->n == space)
		{
			space = Max(64, 2 * space);
			if (found->borders == NULL)
				found->borders = palloc(space * sizeof(uint32));
			else
				found->borders = repalloc(found->borders, space * sizeof(uint32));
		}
		found->borders[found->n++] = c;
		before = now;
	}
}

/* Ask for all characters whether they are of the class. */
static void
find_class_borders(ClassBorders *found)
{
	char		pattern[32];
	regex_t		re;

	snprintf(pattern, sizeof(pattern), "[[:%s:]]", class_names[found->key.cclass]);
	if (compile(&re, pattern, strlen(pattern), REG_ADVANCED, found->key.collation) != REG_OKAY)
		elog(ERROR, "could not compile \"%s\"", pattern);
	PG_TRY();
	{
		pg_set_regex_collation(found->key.collation);
		walk_characters(&((struct guts *) re.re_guts)->cmap, found);
	}
	PG_FINALLY();
	{
		pg_regfree(&re);
	}
	PG_END_TRY();
}

/* Those of a class that are known, under the key of an empty entry; NULL: not known. */
static ClassBorders *
known_borders(ClassBorders *key, int cclass, Oid collation)
{
	if (class_borders == NULL)
	{
		HASHCTL		ctl;

		ctl.keysize = sizeof(key->key);
		ctl.entrysize = sizeof(ClassBorders);
		class_borders = hash_create("gpustr borders of character classes", 16, &ctl,
									HASH_ELEM | HASH_BLOBS);
	}
	memset(key, 0, sizeof(*key));
	key->key.collation = collation;
	key->key.cclass = cclass;
	return hash_search(class_borders, &key->key, HASH_FIND, NULL);
}

static ClassBorders *
keep_borders(const ClassBorders *found)
{
	uint32	   *borders = MemoryContextAlloc(TopMemoryContext, (found->n + 1) * sizeof(uint32));
	ClassBorders *entry = hash_search(class_borders, &found->key, HASH_ENTER, NULL);

	memcpy(borders, found->borders, found->n * sizeof(uint32));
	entry->n = found->n;
	entry->borders = borders;
	return entry;
}

static const ClassBorders *
borders_of_class(int cclass, Oid collation)
{
	static const ClassBorders none = {{InvalidOid, 0}, 0, NULL};
	ClassBorders key;
	ClassBorders *entry;

	/* under C, no character beyond ASCII is of any class */
	if (gpustr_ctype_is_c(collation))
		return &none;
	entry = known_borders(&key, cclass, collation);
	if (entry == NULL)
	{
		find_class_borders(&key);
		entry = keep_borders(&key);
	}
	return entry;
}

/* Saved are: how many; of each collation, class, n, and n borders. */
Size
gpustr_regex_borders_bytes(void)
{
	Size		n = 1;
	HASH_SEQ_STATUS scan;
	ClassBorders *entry;

	if (class_borders != NULL)
	{
		hash_seq_init(&scan, class_borders);
		while ((entry = hash_seq_search(&scan)) != NULL)
			n += 3 + entry->n;
	}
	return n * sizeof(uint32);
}

void
gpustr_regex_borders_save(uint32 *to, Size bytes)
{
	uint32	   *n = to;
	uint32	   *end = to + bytes / sizeof(uint32);
	HASH_SEQ_STATUS scan;
	ClassBorders *entry;

	*to++ = 0;
	if (class_borders == NULL)
		return;
	hash_seq_init(&scan, class_borders);
	while ((entry = hash_seq_search(&scan)) != NULL)
	{
		if (end - to < 3 + entry->n)
			continue;
		*to++ = entry->key.collation;
		*to++ = entry->key.cclass;
		*to++ = entry->n;
		memcpy(to, entry->borders, entry->n * sizeof(uint32));
		to += entry->n;
		(*n)++;
	}
}

void
gpustr_regex_borders_restore(const uint32 *from)
{
	uint32		left = *from++;

	for (; left > 0; left--)
	{
		ClassBorders found;

		if (known_borders(&found, from[1], from[0]) == NULL)
		{
			found.n = from[2];
			found.borders = unconstify(uint32 *, from + 3);
			(void) keep_borders(&found);
		}
		from += 3 + from[2];
	}
}

static int
compare_chars(const void *a, const void *b)
{
	uint32		x = *(const uint32 *) a;
	uint32		y = *(const uint32 *) b;

	return (x > y) - (x < y);
}

/* All characters above MAX_SIMPLE_CHR where the colour may change. */
static uint32 *
find_borders(const struct colormap *cm, Oid collation, int *n)
{
	const ClassBorders *classes[NUM_CCLASSES];
	int			space = 2 * cm->numcmranges + 1;
	uint32	   *borders;
	int			i;

	for (i = 0; i < NUM_CCLASSES; i++)
	{
		classes[i] = NULL;
		if (cm->classbits[i] == 0)
			continue;
		classes[i] = borders_of_class(i, collation);
		space += classes[i]->n;
	}
	borders = palloc_array(uint32, space);
	*n = 0;
	borders[(*n)++] = MAX_SIMPLE_CHR + 1;
	for (i = 0; i < cm->numcmranges; i++)
	{
		borders[(*n)++] = cm->cmranges[i].cmin;
		borders[(*n)++] = cm->cmranges[i].cmax + 1;
	}
	for (i = 0; i < NUM_CCLASSES; i++)
	{
		if (classes[i] == NULL || classes[i]->n == 0)
			continue;
		memcpy(borders + *n, classes[i]->borders, classes[i]->n * sizeof(uint32));
		*n += classes[i]->n;
	}
	qsort(borders, *n, sizeof(uint32), compare_chars);
	return borders;
}

/* Colours are numbered anew, as they are met. */
typedef struct Runs
{
	GpustrRegexNfa *nfa;
	int			space;
	int32	   *renumbered;		/* [colours of PostgreSQL's]; -1: not met */
} Runs;

static void
add_run(Runs *runs, uint32 first, color co)
{
	GpustrRegexNfa *nfa = runs->nfa;

	if (runs->renumbered[co] < 0)
		runs->renumbered[co] = nfa->ncolors++;
	if (nfa->nruns > 0 && nfa->runs[nfa->nruns - 1].color == runs->renumbered[co])
		return;
	if (nfa->nruns == runs->space)
	{
		runs->space *= 2;
		nfa->runs = repalloc(nfa->runs, runs->space * sizeof(GpustrColorRun));
	}
	nfa->runs[nfa->nruns].first = first;
	nfa->runs[nfa->nruns++].color = runs->renumbered[co];
}

static void
export_colors(Runs *runs, struct colormap *cm, Oid collation)
{
	uint32		last = gpustr_regex_last_char();
	uint32	   *borders;
	int			n;
	int			i;
	uint32		c;

	for (c = 0; c <= Min(last, MAX_SIMPLE_CHR); c++)
		add_run(runs, c, color_of(cm, c));
	if (last <= MAX_SIMPLE_CHR)
		return;

	borders = find_borders(cm, collation, &n);
	/* the borders of classes may have been found under other locales */
	pg_set_regex_collation(collation);
	for (i = 0; i < n; i++)
	{
		if (i % POLL_CHARACTERS == 0)
			CHECK_FOR_INTERRUPTS();
		if (borders[i] > MAX_SIMPLE_CHR && borders[i] <= last)
			add_run(runs, borders[i], color_of(cm, borders[i]));
	}
}

/* What an arc of that colour takes; false: nothing that a value has. */
static bool
arc_color(const struct cnfa *search, const int32 *renumbered, int co, int32 *taken)
{
	if (co == COLOR_RAINBOW)
		*taken = GPUSTR_ARC_ANY;
	else if (co == search->bos[1])
		*taken = GPUSTR_ARC_BEGIN;
	else if (co == search->eos[1])
		*taken = GPUSTR_ARC_END;
	else if (co >= 0 && renumbered[co] >= 0)
		*taken = renumbered[co];
	else
		return false;
	return true;
}

/* The arcs of an automaton without lookaround constraints. */
static void
export_plain_arcs(GpustrRegexNfa *nfa, const struct cnfa *cnfa, const int32 *renumbered)
{
	int			narcs = 0;
	int			used = 0;
	int			state;
	const struct carc *arc;

	for (state = 0; state < cnfa->nstates; state++)
	{
		for (arc = cnfa->states[state]; arc->co != COLORLESS; arc++)
			narcs++;
	}
	nfa->nstates = cnfa->nstates;
	nfa->initial = cnfa->pre;
	nfa->final = cnfa->post;
	nfa->first_arc = palloc_array(int, nfa->nstates + 1);
	nfa->arcs = palloc_extended(sizeof(GpustrRegexArc) * (narcs + 1), MCXT_ALLOC_HUGE);
	for (state = 0; state < cnfa->nstates; state++)
	{
		nfa->first_arc[state] = used;
		for (arc = cnfa->states[state]; arc->co != COLORLESS; arc++)
		{
			if (!arc_color(cnfa, renumbered, arc->co, &nfa->arcs[used].color))
				continue;
			nfa->arcs[used++].to = arc->to;
		}
	}
	nfa->first_arc[nfa->nstates] = used;
}

static void
export_arcs(GpustrRegexNfa *nfa, const regex_t *re, const int32 *renumbered)
{
	const struct cnfa *search = &((struct guts *) re->re_guts)->search;
	int			space = 64;
	int			used = 0;
	int			state;

	nfa->nstates = pg_reg_getnumstates(re);
	nfa->initial = pg_reg_getinitialstate(re);
	nfa->final = pg_reg_getfinalstate(re);
	nfa->first_arc = palloc_array(int, nfa->nstates + 1);
	nfa->arcs = palloc_array(GpustrRegexArc, space);
	for (state = 0; state < nfa->nstates; state++)
	{
		int			n = pg_reg_getnumoutarcs(re, state);
		regex_arc_t *arcs = palloc_array(regex_arc_t, n + 1);
		int			i;

		CHECK_FOR_INTERRUPTS();
		pg_reg_getoutarcs(re, state, arcs, n);
		nfa->first_arc[state] = used;
		if (used + n > space)
		{
			space = Max(used + n, 2 * space);
			nfa->arcs = repalloc_huge(nfa->arcs, space * sizeof(GpustrRegexArc));
		}
		for (i = 0; i < n; i++)
		{
			if (!arc_color(search, renumbered, arcs[i].co, &nfa->arcs[used].color))
				continue;
			nfa->arcs[used++].to = arcs[i].to;
		}
		pfree(arcs);
	}
	nfa->first_arc[nfa->nstates] = used;
}

static void
export_regex(GpustrRegexNfa *nfa, const regex_t *re, Oid collation)
{
	struct guts *guts = (struct guts *) re->re_guts;
	Runs		runs;
	int			i;

	runs.nfa = nfa;
	runs.space = 16;
	runs.renumbered = palloc_array(int32, guts->cmap.max + 1);
	for (i = 0; i <= guts->cmap.max; i++)
		runs.renumbered[i] = -1;
	nfa->runs = palloc_array(GpustrColorRun, runs.space);
	pg_set_regex_collation(collation);
	export_colors(&runs, &guts->cmap, collation);
	nfa->approximate = (guts->search.flags & HASLACONS) != 0 ||
		(guts->info & REG_UBACKREF) != 0;

	/* one that PostgreSQL does not even try has no arcs to go by */
	if (nfa->extents)
		export_plain_arcs(nfa, &guts->tree->cnfa, runs.renumbered);
	else if ((guts->info & REG_UIMPOSSIBLE) == 0)
		export_arcs(nfa, re, runs.renumbered);
	else
	{
		nfa->nstates = 2;
		nfa->initial = 0;
		nfa->final = 1;
		nfa->first_arc = palloc0_array(int, 3);
		nfa->arcs = NULL;
		nfa->approximate = false;
	}
}

/* See regex_extents.c for why these are the ones. */
static bool
tells_extents(const regex_t *re, int cflags)
{
	const struct guts *guts = (const struct guts *) re->re_guts;

	return (guts->info & (REG_UIMPOSSIBLE | REG_UBACKREF)) == 0 &&
		(guts->tree->cnfa.flags & HASLACONS) == 0 &&
		((cflags & REG_NOSUB) != 0 || re->re_nsub == 0);
}

static GpustrRegexNfa *
make_nfa(const char *pattern, int bytes, int cflags, Oid collation, bool extents,
		 const char **refusal)
{
	GpustrRegexNfa *nfa;
	regex_t		re;
	int			error = compile(&re, pattern, bytes, cflags, collation);

	if (error != REG_OKAY)
	{
		*refusal = refusal_of(error);
		return NULL;
	}
	if (extents && !tells_extents(&re, cflags))
	{
		pg_regfree(&re);
		return NULL;
	}
	nfa = palloc0_object(GpustrRegexNfa);
	nfa->extents = extents;
	nfa->shortest = (((struct guts *) re.re_guts)->tree->flags & SHORTER) != 0;
	PG_TRY();
	{
		export_regex(nfa, &re, collation);
	}
	PG_FINALLY();
	{
		pg_regfree(&re);
	}
	PG_END_TRY();
	return nfa;
}

GpustrRegexNfa *
gpustr_regex_nfa(const char *pattern, int bytes, int cflags, Oid collation,
				 const char **refusal)
{
	return make_nfa(pattern, bytes, cflags, collation, false, refusal);
}

GpustrRegexNfa *
gpustr_regex_extents_nfa(const char *pattern, int bytes, int cflags, Oid collation, bool captures)
{
	const char *refusal;

	return make_nfa(pattern, bytes, captures ? cflags & ~REG_NOSUB : cflags, collation, true, &refusal);
}
