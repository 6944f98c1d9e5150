/*-------------------------------------------------------------------------
 *
 * regex_bytes.c
 *	  From an automaton over colours of characters to one over bytes.
 *
 * Where a character is a byte, the byte has the character's colour, and that is
 * all.  In UTF-8 the characters are the leaves of a tree of bytes, of which equal
 * parts are one node, and parts where all characters have one colour are that
 * colour:
 *
 *		0x00-0x7F	a colour
 *		0xC0-0xDF	a node of 64 colours, or a colour
 *		0xE0-0xEF	a node of 64 of these
 *		0xF0-0xF4	a node of 64 of those
 *
 * State by state, a leading byte leads where the colour leads if it is one; else
 * to a new state that stands for "in this node, on the way from that state", and
 * that is the same as others whose 64 continuation bytes lead to the same states.
 * States between characters stay what they are at a continuation byte: it is one
 * of a character that has been dealt with at its first byte.
 *
 * So the automaton relies on texts being valid UTF-8, as PostgreSQL's are.  What
 * it does with others is some answer, not a crash.
 *
 * Bytes are put into classes by colours and nodes, before any state is made.
 *
 * IDENTIFICATION
 *	  src/plan/regex_bytes.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "miscadmin.h"

#include "plan/regex_dfa.h"

#define NBRANCHES 64			/* continuation bytes */
#define FIRST_CONTINUATION 0x80
#define FIRST_LEAD 0xC0

/*
 * Where bytes lead to in the tree: to a colour, or to a node, which is numbered
 * from the number of colours on.
 */
typedef int32 Ref;

typedef struct Tree
{
	const GpustrColorDfa *colors;
	int			n;
	int			space;
	Ref			(*node)[NBRANCHES]; /* [n] */
	Ref			lead[256];		/* by ASCII and leading byte */
} Tree;

static Ref
add_node(Tree *tree, const Ref *branches)
{
	int			i;

	CHECK_FOR_INTERRUPTS();
	/* one colour is no node; several branches alike are */
	for (i = 1; i < NBRANCHES && branches[i] == branches[0]; i++)
		 /* look on */ ;
	if (i == NBRANCHES && branches[0] < tree->colors->ncolors)
		return branches[0];
	for (i = tree->n - 1; i >= 0; i--)
	{
		if (memcmp(tree->node[i], branches, sizeof(tree->node[i])) == 0)
			return tree->colors->ncolors + i;
	}
	if (tree->n == tree->space)
	{
		tree->space *= 2;
		tree->node = repalloc(tree->node, tree->space * sizeof(tree->node[0]));
	}
	memcpy(tree->node[tree->n], branches, sizeof(tree->node[0]));
	return tree->colors->ncolors + tree->n++;
}

/* The run that a character is in. */
static int
run_of(const GpustrColorDfa *colors, uint32 c)
{
	int			low = 0;
	int			high = colors->nruns - 1;

	while (low < high)
	{
		int			middle = (low + high + 1) / 2;

		if (colors->runs[middle].first <= c)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/*
 * The part of the tree with 'level' continuation bytes to go, from character
 * 'first' on.  Branches that no character has, because there is a shorter form or
 * it is past the last, are as the nearest that has some.
 */
static Ref
build_node(Tree *tree, uint32 first, int level, int least, int most)
{
	const GpustrColorDfa *colors = tree->colors;
	int			run = run_of(colors, first);
	Ref			branches[NBRANCHES];
	uint32		step;
	int			i;

	if (level == 0)
		return colors->runs[run].color;
	step = 1u << (6 * (level - 1));
	if (run == colors->nruns - 1 || colors->runs[run + 1].first >= first + NBRANCHES * step)
		return colors->runs[run].color;
	for (i = least; i <= most; i++)
		branches[i] = build_node(tree, first + i * step, level - 1, 0, NBRANCHES - 1);
	for (i = 0; i < least; i++)
		branches[i] = branches[least];
	for (i = most + 1; i < NBRANCHES; i++)
		branches[i] = branches[most];
	return add_node(tree, branches);
}

static void
build_tree(Tree *tree, const GpustrColorDfa *colors, bool utf8)
{
	int			byte;

	tree->colors = colors;
	tree->n = 0;
	tree->space = 64;
	tree->node = palloc(tree->space * sizeof(tree->node[0]));
	for (byte = 0; byte < (utf8 ? FIRST_CONTINUATION : 256); byte++)
		tree->lead[byte] = build_node(tree, byte, 0, 0, 0);
	if (!utf8)
		return;

	for (byte = FIRST_LEAD; byte < 256; byte++)
	{
		/* no character begins with 0xC0, 0xC1 or with 0xF5 and above */
		int			lead = Min(Max(byte, 0xC2), 0xF4);

		if (lead < 0xE0)
			tree->lead[byte] = build_node(tree, (lead & 0x1F) << 6, 1, 0, 63);
		else if (lead < 0xF0)
			tree->lead[byte] = build_node(tree, (lead & 0x0F) << 12, 2,
										  lead == 0xE0 ? 32 : 0, 63);
		else
			tree->lead[byte] = build_node(tree, (lead & 0x07) << 18, 3,
										  lead == 0xF0 ? 16 : 0, lead == 0xF4 ? 15 : 63);
	}
}

/* Classes of bytes. */
typedef struct Classes
{
	int			n;
	int			ncontinuations; /* the last ones; 0: bytes are characters */
	uint8		class_of[256];
	Ref			ref[256];		/* of the first ones: where they lead */
	int			branch[NBRANCHES];	/* of the last ones: their first byte */
} Classes;

/* Two continuation bytes are of one class if no node tells them apart. */
static void
find_continuations(Classes *classes, const Tree *tree)
{
	int			class_of[NBRANCHES] = {0};
	int			n = 1;
	int			node;
	int			i;

	for (node = 0; node < tree->n && n < NBRANCHES; node++)
	{
		const Ref  *branches = tree->node[node];
		int			refined[NBRANCHES];

		CHECK_FOR_INTERRUPTS();
		n = 0;
		for (i = 0; i < NBRANCHES; i++)
		{
			int			j = 0;

			while (j < i && (class_of[j] != class_of[i] || branches[j] != branches[i]))
				j++;
			refined[i] = j < i ? refined[j] : n++;
		}
		memcpy(class_of, refined, sizeof(refined));
	}
	for (i = NBRANCHES - 1; i >= 0; i--)
	{
		classes->branch[class_of[i]] = i;
		classes->class_of[FIRST_CONTINUATION + i] = classes->n + class_of[i];
	}
	classes->ncontinuations = n;
	classes->n += n;
}

static void
find_classes(Classes *classes, const Tree *tree, bool utf8)
{
	int			byte;

	classes->n = 0;
	classes->ncontinuations = 0;
	for (byte = 0; byte < 256; byte++)
	{
		int			i = 0;

		if (utf8 && byte >= FIRST_CONTINUATION && byte < FIRST_LEAD)
			continue;
		while (i < classes->n && classes->ref[i] != tree->lead[byte])
			i++;
		if (i == classes->n)
			classes->ref[classes->n++] = tree->lead[byte];
		classes->class_of[byte] = i;
	}
	if (utf8)
		find_continuations(classes, tree);
}

/* States within characters, by where continuation bytes lead. */
typedef struct Tails
{
	const GpustrColorDfa *colors;
	const Tree *tree;
	const Classes *classes;
	int			most;			/* states of the whole automaton */
	int			n;
	int			space;
	uint16	   *to;				/* [n][ncontinuations] */
	int			nslots;			/* a power of two */
	int32	   *slots;			/* tail by hash; -1: none */
	int		   *known;			/* [nodes] for the state at hand: the state */
	int		   *known_for;		/* [nodes] that state */
} Tails;

static uint16 *
tail_row(const Tails *tails, int tail)
{
	return tails->to + (Size) tail * tails->classes->ncontinuations;
}

static uint32
tail_slot(const Tails *tails, const uint16 *row)
{
	return hash_bytes((const unsigned char *) row,
					  sizeof(uint16) * tails->classes->ncontinuations) & (tails->nslots - 1);
}

static void
grow_tails(Tails *tails)
{
	int			i;

	tails->space *= 2;
	tails->to = repalloc_huge(tails->to, sizeof(uint16) * tails->space *
							  tails->classes->ncontinuations);
	tails->nslots = 2 * tails->space;
	tails->slots = repalloc_huge(tails->slots, sizeof(int32) * tails->nslots);
	memset(tails->slots, 0xFF, sizeof(int32) * tails->nslots);
	for (i = 0; i < tails->n; i++)
	{
		uint32		slot = tail_slot(tails, tail_row(tails, i));

		while (tails->slots[slot] >= 0)
			slot = (slot + 1) & (tails->nslots - 1);
		tails->slots[slot] = i;
	}
}

/* The state whose continuation bytes lead there; -1: there are too many. */
static int
find_tail(Tails *tails, const uint16 *row)
{
	Size		bytes = sizeof(uint16) * tails->classes->ncontinuations;
	uint32		slot;
	int			i;

	/* where all lead to the same state between characters, that one will do */
	for (i = 1; i < tails->classes->ncontinuations && row[i] == row[0]; i++)
		 /* look on */ ;
	if (i == tails->classes->ncontinuations && row[0] < tails->colors->nstates)
		return row[0];

	if (tails->n == tails->space)
		grow_tails(tails);
	slot = tail_slot(tails, row);
	while (tails->slots[slot] >= 0)
	{
		if (memcmp(tail_row(tails, tails->slots[slot]), row, bytes) == 0)
			return tails->colors->nstates + tails->slots[slot];
		slot = (slot + 1) & (tails->nslots - 1);
	}
	if (tails->colors->nstates + tails->n >= tails->most)
		return -1;
	memcpy(tail_row(tails, tails->n), row, bytes);
	tails->slots[slot] = tails->n;
	return tails->colors->nstates + tails->n++;
}

/* Where the bytes of a colour or node lead from a state; -1: too many states. */
static int
resolve(Tails *tails, int state, Ref ref, GpustrRegexWork *work)
{
	int			ncolors = tails->colors->ncolors;
	uint16		row[NBRANCHES];
	int			node = ref - ncolors;
	int			i;

	if (ref < ncolors)
		return tails->colors->next[(Size) state * ncolors + ref];
	if (tails->known_for[node] == state)
		return tails->known[node];
	if (!gpustr_regex_work(work, 4 + tails->classes->ncontinuations))
		return -1;
	for (i = 0; i < tails->classes->ncontinuations; i++)
	{
		int			to = resolve(tails, state,
								 tails->tree->node[node][tails->classes->branch[i]], work);

		if (to < 0)
			return -1;
		row[i] = to;
	}
	tails->known_for[node] = state;
	tails->known[node] = find_tail(tails, row);
	return tails->known[node];
}

static void
init_tails(Tails *tails, const GpustrColorDfa *colors, const Tree *tree,
		   const Classes *classes, int most)
{
	memset(tails, 0, sizeof(*tails));
	tails->colors = colors;
	tails->tree = tree;
	tails->classes = classes;
	tails->most = most;
	tails->space = 32;
	tails->to = palloc(sizeof(uint16) * tails->space * NBRANCHES);
	tails->nslots = 2 * tails->space;
	tails->slots = palloc_array(int32, tails->nslots);
	memset(tails->slots, 0xFF, sizeof(int32) * tails->nslots);
	tails->known = palloc_array(int, tree->n + 1);
	tails->known_for = palloc0_array(int, tree->n + 1); /* of GPUSTR_DFA_REJECT */
}

/*
 * The rows of the states between characters, into next [states][classes].  False:
 * there are too many states.
 */
static bool
fill_states(uint16 *next, Tails *tails, GpustrRegexWork *work)
{
	const Classes *classes = tails->classes;
	int			state;
	int			i;

	for (state = 0; state < tails->colors->nstates; state++)
	{
		uint16	   *row = next + (Size) state * classes->n;

		CHECK_FOR_INTERRUPTS();
		for (i = 0; i < classes->n; i++)
		{
			int			to = state;

			if (state > GPUSTR_DFA_ACCEPT && i < classes->n - classes->ncontinuations)
				to = resolve(tails, state, classes->ref[i], work);
			if (to < 0)
				return false;
			row[i] = to;
		}
	}
	return true;
}

/* Put the automaton together. */
static GpustrDfa *
pack(const uint16 *next, const Tails *tails, uint32 *bytes)
{
	const GpustrColorDfa *colors = tails->colors;
	const Classes *classes = tails->classes;
	int			nstates = colors->nstates + tails->n;
	Size		cells = (Size) nstates * classes->n;
	GpustrDfa  *dfa;
	char	   *to;
	int			i;

	*bytes = sizeof(GpustrDfa) + sizeof(uint16) * cells + nstates;
	dfa = palloc0(*bytes);
	dfa->nstates = nstates;
	dfa->nclasses = classes->n;
	dfa->start = colors->start;
	dfa->next_off = sizeof(GpustrDfa);
	dfa->at_end_off = dfa->next_off + sizeof(uint16) * cells;
	memcpy(dfa->class_of, classes->class_of, sizeof(dfa->class_of));

	to = (char *) dfa + dfa->next_off;
	memcpy(to, next, sizeof(uint16) * colors->nstates * classes->n);
	for (i = 0; i < tails->n; i++)
	{
		/* after no leading byte, ASCII and leading bytes do not come */
		Size		row = (Size) (colors->nstates + i) * classes->n +
		classes->n - classes->ncontinuations;

		memcpy(to + sizeof(uint16) * row, tail_row(tails, i),
			   sizeof(uint16) * classes->ncontinuations);
	}
	memcpy((char *) dfa + dfa->at_end_off, colors->at_end, colors->nstates);
	return dfa;
}

GpustrDfa *
gpustr_regex_byte_dfa(const GpustrColorDfa *colors, bool utf8, GpustrRegexWork *work,
					  uint32 *bytes)
{
	Tree		tree;
	Classes		classes;
	Tails		tails;
	Size		most;
	uint16	   *next;

	build_tree(&tree, colors, utf8);
	find_classes(&classes, &tree, utf8);
	if (work->max_bytes <= sizeof(GpustrDfa))
		return NULL;
	most = (work->max_bytes - sizeof(GpustrDfa)) / (sizeof(uint16) * classes.n + 1);
	most = Min(most, 65535);
	if (colors->nstates > most)
		return NULL;
	init_tails(&tails, colors, &tree, &classes, most);
	next = palloc_array(uint16, (Size) colors->nstates * classes.n);
	if (!fill_states(next, &tails, work))
		return NULL;
	return pack(next, &tails, bytes);
}
