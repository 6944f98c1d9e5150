/*-------------------------------------------------------------------------
 *
 * fuzzy_find.h
 *	  Where a text occurs in another one with at most k edits, and the functions of
 *	  texts (text_function.h) that search and compare, row by row.
 *
 * Of all parts of the text that are at most k edits away from the pattern, those
 * that end first count, and of these the longest: where it starts is the answer.
 * So with k = 0 it is where the pattern occurs first; and where k edits are
 * enough to delete the pattern, it is position 1, also in an empty text.
 *
 * The table of edit_distance.h, but with zeros in its first row, as a part may
 * start anywhere (Sellers, 1980; Myers, 1999).  The first column whose last value
 * is at most k is where the part ends; all parts that end there have k edits, as
 * values change by one.  From there the same is done backward, with the first row
 * rising, over at most m + k columns: the last value of at most k is the longest.
 *
 * A pattern of several strips is matched piece by piece of the text, in each
 * strip after strip; between pieces each strip's column is kept in 'state'.
 *
 * IDENTIFICATION
 *	  src/rowfn/fuzzy_find.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_FUZZY_FIND_H
#define GPUSTR_ROWFN_FUZZY_FIND_H

#include "rowfn/edit_distance.h"
#include "rowfn/search.h"
#include "rowfn/text_args.h"

typedef struct RowfnFuzzy
{
	const char *s;
	const char *what;
	int32_t		len;			/* bytes */
	int32_t		n;
	int32_t		what_chars;
	int32_t		encoding;
	int32_t		k;				/* < what_chars */
	int32_t		nstrips;
	uint64_t   *state;			/* down and up of each strip */
	uint32_t   *carry;
	int32_t		piece;			/* columns of the carry; any number, if there
								 * is one strip */
	int			back;			/* the end is found; looking for the start */
	int32_t		pos;			/* bytes of s, at the start of the piece */
	int32_t		columns;		/* so far, in this direction */
	int32_t		value;			/* D[what_chars][columns] */
	int32_t		end;			/* characters up to the end of the part */
	int32_t		longest;		/* characters */

	/* the piece at hand */
	int32_t		strip;			/* the next one */
	int32_t		what_pos;		/* bytes of what, at that */
	int32_t		asked;			/* columns */
	int32_t		ncolumns;		/* that there are */
	int32_t		stop_pos;		/* bytes of s, after these */
} RowfnFuzzy;

GPUSTR_FN int32_t
rowfn_fuzzy_strips(int32_t what_chars)
{
	return what_chars / ROWFN_STRIP_ROWS + (what_chars % ROWFN_STRIP_ROWS > 0);
}

/* Start in a direction, from byte pos. */
GPUSTR_FN void
rowfn_fuzzy_turn(RowfnFuzzy *f, int back, int32_t pos)
{
	int32_t		i;

	f->back = back;
	f->pos = pos;
	f->columns = 0;
	f->value = f->what_chars;
	f->longest = 0;
	f->strip = 0;
	for (i = 0; i < f->nstrips; i++)
	{
		f->state[2 * i] = ~UINT64_C(0);
		f->state[2 * i + 1] = 0;
	}
}

/*
 * Start.  0 <= k < what_chars.
 *
 * state	[2 * rowfn_fuzzy_strips(what_chars)]
 * carry	[ROWFN_CARRY_WORDS(piece)]; not used if there is one strip
 */
GPUSTR_FN void
rowfn_fuzzy_begin(RowfnFuzzy *f, const char *s, int32_t len, const char *what, int32_t n,
				  int32_t what_chars, int32_t encoding, int32_t k, uint64_t *state,
				  uint32_t *carry, int32_t piece)
{
	f->s = s;
	f->what = what;
	f->len = len;
	f->n = n;
	f->what_chars = what_chars;
	f->encoding = encoding;
	f->k = k;
	f->nstrips = rowfn_fuzzy_strips(what_chars);
	f->state = state;
	f->carry = carry;
	f->piece = piece;
	f->end = 0;
	rowfn_fuzzy_turn(f, 0, 0);
}

/*
 * Strip number i over at most ncolumns columns of the piece; fewer if the text
 * ends, or if it is the last one and has found an end.  Returns how many;
 * *stop_pos: where that is.
 */
GPUSTR_FN int32_t
rowfn_fuzzy_strip(RowfnFuzzy *f, RowfnStrip *strip, int32_t i, int32_t ncolumns, int32_t *stop_pos)
{
	int			is_last = i == f->nstrips - 1;
	int32_t		value = f->value;
	int32_t		pos = f->pos;
	int32_t		column;

	for (column = 0; column < ncolumns && (f->back ? pos > 0 : pos < f->len); column++)
	{
		uint32_t	code = f->back ? rowfn_edit_char_back(f->s, &pos, f->encoding) :
		rowfn_edit_char(f->s, f->len, &pos, f->encoding);
		int			change = f->back;

		if (i > 0)
			change = rowfn_carry_get(f->carry, column);
		change = rowfn_strip_step(strip, rowfn_strip_rows_of(strip, code), change);
		if (!is_last)
		{
			rowfn_carry_set(f->carry, column, change);
			continue;
		}
		value += change;
		if (value > f->k)
			continue;
		f->longest = f->columns + column + 1;
		if (!f->back)
		{
			column++;
			break;
		}
	}
	if (is_last)
		f->value = value;
	*stop_pos = pos;
	return column;
}

/*
 * Go on for about 'budget' columns of strips.  Returns the position, from 1; 0:
 * there is none; -1: not yet.
 */
GPUSTR_FN int32_t
rowfn_fuzzy_step(RowfnFuzzy *f, int64_t budget)
{
	while (budget > 0)
	{
		RowfnStrip	strip;
		int32_t		i = f->strip;
		int32_t		rows = f->what_chars - i * ROWFN_STRIP_ROWS;

		if (i == 0)
		{
			f->what_pos = f->back ? f->n : 0;
			f->ncolumns = f->piece;
			if (f->nstrips == 1 && f->ncolumns > budget)
				f->ncolumns = (int32_t) budget;
			if (f->back && f->ncolumns > f->what_chars + f->k - f->columns)
				f->ncolumns = f->what_chars + f->k - f->columns;
			f->asked = f->ncolumns;
		}
		rowfn_strip_begin(&strip, f->what, f->n, &f->what_pos,
						  rows < ROWFN_STRIP_ROWS ? rows : ROWFN_STRIP_ROWS, f->encoding, f->back);
		strip.down = f->state[2 * i];
		strip.up = f->state[2 * i + 1];
		f->ncolumns = rowfn_fuzzy_strip(f, &strip, i, f->ncolumns, &f->stop_pos);
		f->state[2 * i] = strip.down;
		f->state[2 * i + 1] = strip.up;
		budget -= f->ncolumns + ROWFN_STRIP_ROWS;
		if (++f->strip < f->nstrips)
			continue;

		/* the piece is done */
		f->strip = 0;
		f->pos = f->stop_pos;
		f->columns += f->ncolumns;
		if (!f->back && f->longest > 0)
		{
			f->end = f->longest;
			rowfn_fuzzy_turn(f, 1, f->stop_pos);
		}
		else if (f->ncolumns < f->asked || f->ncolumns == 0)
			return f->back && f->longest <= f->end ? f->end - f->longest + 1 : f->back;
	}
	return -1;
}

/*----------
 * Functions of texts, row by row
 *----------
 */

/* What a thread has for a table of several strips. */
#define ROWFN_EDIT_COLUMNS GPUSTR_EDIT_COLUMNS
#define ROWFN_FUZZY_STRIPS GPUSTR_FUZZY_STRIPS

/*
 * The most columns of strips that a row may take, some 25 ms on a CPU: nothing
 * is asked within a row, whether the request is to stop, and a device has one
 * thread for it.
 */
#define ROWFN_EDIT_WORK GPUSTR_EDIT_WORK

/* Columns of all strips, each of so many. */
GPUSTR_FN int64_t
rowfn_edit_work(int32_t rows, int64_t columns)
{
	return ((int64_t) rows + ROWFN_STRIP_ROWS - 1) / ROWFN_STRIP_ROWS * columns;
}

/*
 * The distance of two texts, if it is at most k; else k + 1.  -1: recheck, there is
 * not enough memory to tell, or it would take too long.
 */
GPUSTR_FN int64_t
rowfn_edit_within(RowfnText a, int32_t a_chars, RowfnText b, int32_t b_chars, int32_t encoding, int64_t k)
{
	uint32_t	carry[ROWFN_CARRY_WORDS(ROWFN_EDIT_COLUMNS)];
	RowfnEdit	edit;
	int64_t		columns;

	if (a_chars > b_chars)
	{
		RowfnText	text = a;
		int32_t		chars = a_chars;

		a = b;
		a_chars = b_chars;
		b = text;
		b_chars = chars;
	}
	if (b_chars - a_chars > k)
		return k + 1;
	if (k > b_chars)
		k = b_chars;
	columns = rowfn_edit_carry(a_chars, b_chars, (int32_t) k);
	if (columns > ROWFN_EDIT_COLUMNS ||
		rowfn_edit_work(a_chars, columns > 0 ? columns : b_chars) > ROWFN_EDIT_WORK)
		return -1;
	rowfn_edit_begin(&edit, a.s, a.len, a_chars, b.s, b.len, b_chars, encoding, (int32_t) k,
					 carry, (int32_t) columns);
	return rowfn_edit_step(&edit, INT64_MAX);
}

/* As rowfn_text_measure(): GPUSTR_TEXT_EDIT_DISTANCE. */
GPUSTR_FN int
rowfn_measure_edit_distance(const RowfnArgs *args, int64_t *value)
{
	RowfnText	a = args->text[0];
	RowfnText	b = args->text[1];
	int32_t		a_chars = rowfn_edit_chars(a.s, a.len, args->encoding);
	int32_t		b_chars = rowfn_edit_chars(b.s, b.len, args->encoding);
	int32_t		fewer = a_chars < b_chars ? a_chars : b_chars;
	int32_t		more = a_chars < b_chars ? b_chars : a_chars;
	int64_t		k = more;

	/* as much as there is memory for */
	if (fewer > ROWFN_STRIP_ROWS && more > ROWFN_EDIT_COLUMNS)
		k = (ROWFN_EDIT_COLUMNS - ROWFN_STRIP_ROWS - 1) / 2;
	*value = rowfn_edit_within(a, a_chars, b, b_chars, args->encoding, k);
	return *value >= 0 && *value <= k;
}

/* As rowfn_text_measure(): GPUSTR_TEXT_EDIT_WITHIN. */
GPUSTR_FN int
rowfn_measure_edit_within(const RowfnArgs *args, int64_t *value)
{
	RowfnText	a = args->text[0];
	RowfnText	b = args->text[1];
	int64_t		k = args->value[2];
	int64_t		distance;

	*value = 0;
	if (k < 0)
		return 1;
	distance = rowfn_edit_within(a, rowfn_edit_chars(a.s, a.len, args->encoding),
								 b, rowfn_edit_chars(b.s, b.len, args->encoding), args->encoding, k);
	*value = distance <= k;
	return distance >= 0;
}

/* As rowfn_text_measure(): GPUSTR_TEXT_FUZZY_FIND. */
GPUSTR_FN int
rowfn_measure_fuzzy_find(const RowfnArgs *args, int64_t *value)
{
	uint64_t	state[2 * ROWFN_FUZZY_STRIPS];
	uint32_t	carry[ROWFN_CARRY_WORDS(ROWFN_EDIT_COLUMNS)];
	RowfnText	text = args->text[0];
	RowfnText	what = args->text[1];
	int64_t		k = args->value[2];
	int32_t		what_chars = rowfn_edit_chars(what.s, what.len, args->encoding);
	RowfnFuzzy	f;

	if (k < 0 || what_chars > ROWFN_FUZZY_STRIPS * ROWFN_STRIP_ROWS)
		return 0;
	*value = 1;
	if (k >= what_chars)
		return 1;
	if (rowfn_edit_work(what_chars, text.len) > ROWFN_EDIT_WORK)
		return 0;
	rowfn_fuzzy_begin(&f, text.s, text.len, what.s, what.len, what_chars, args->encoding, (int32_t) k,
					  state, carry, what_chars <= ROWFN_STRIP_ROWS ? INT32_MAX : ROWFN_EDIT_COLUMNS);
	*value = rowfn_fuzzy_step(&f, INT64_MAX);
	return 1;
}

/* As rowfn_text_measure(): GPUSTR_TEXT_FIND. */
GPUSTR_FN int
rowfn_measure_find(const RowfnArgs *args, int64_t *value)
{
	*value = rowfn_find(args->text[0].s, args->text[0].len, args->text[1].s, args->text[1].len,
						args->value[2], args->encoding);
	return 1;
}

/* As rowfn_text_measure(): GPUSTR_TEXT_COUNT_MATCHES. */
GPUSTR_FN int
rowfn_measure_count_matches(const RowfnArgs *args, int64_t *value)
{
	*value = rowfn_count_matches(args->text[0].s, args->text[0].len, args->text[1].s, args->text[1].len,
								 args->encoding);
	return 1;
}

#endif							/* GPUSTR_ROWFN_FUZZY_FIND_H */
