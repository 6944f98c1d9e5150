/*-------------------------------------------------------------------------
 *
 * edit_distance.h
 *	  How many edits two texts are apart, and where a text nearly occurs.
 *
 * An edit inserts, deletes or replaces one character.  The table D[i][j], edits
 * between the first i characters of a and the first j of b, is computed 64 rows at
 * a time, a *strip*, column by column: Myers ("A fast bit-vector algorithm for
 * approximate string matching based on dynamic programming", 1999), in the form
 * of Hyyro ("Explaining and extending the bit-parallel approximate string
 * matching algorithm of Myers", 2001).  A strip keeps the differences down its
 * column in two words; what it takes from the strip above is the difference
 * along that one's last row, -1, 0 or 1 a column: the *carry*, 2 bits.
 *
 * Which rows of a strip have a given character is found from the character's
 * nibbles: the rows whose character has that low nibble, and that high one.  So a
 * strip of one-byte characters needs 32 words, whatever the alphabet, and one
 * with others 128.
 *
 * Distances of at most k need no more of the table than k columns on both sides
 * of the diagonal (Ukkonen, "Algorithms for approximate string matching", 1985):
 * a strip starts k columns left of its first row and ends k right of its last.
 * What lies outside is taken to be reached along the edge, which is possible, so
 * no value is too small, and all that are at most k are right.
 *
 * Memory is the caller's, and bounds what can be told: the carry of a strip's
 * columns.  One strip needs none.  All loops can be left and taken up again.
 *
 * In texts that are not valid in the encoding characters are what utf8.h says.
 *
 * IDENTIFICATION
 *	  src/rowfn/edit_distance.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_EDIT_DISTANCE_H
#define GPUSTR_ROWFN_EDIT_DISTANCE_H

#include "program/text_function.h"
#include "rowfn/utf8.h"

/* Rows of a strip. */
#define ROWFN_STRIP_ROWS GPUSTR_STRIP_ROWS

/* Beside GpustrEncoding: a character is 4 bytes, for encodings taken apart before. */
#define ROWFN_ENC_WIDE 2

/* 32-bit words of a carry of n columns. */
#define ROWFN_CARRY_WORDS(n) ((n) / 16 + 1)

/* Characters of a text. */
GPUSTR_FN int32_t
rowfn_edit_chars(const char *s, int32_t len, int32_t encoding)
{
	int32_t		n = 0;
	int32_t		pos = 0;

	if (encoding == GPUSTR_ENC_SINGLE_BYTE)
		return len;
	if (encoding == ROWFN_ENC_WIDE)
		return len / 4;
	while (pos < len)
	{
		pos += rowfn_char_bytes(s + pos, len - pos, encoding);
		n++;
	}
	return n;
}

/*
 * The character at *pos, its bytes as a number; moves *pos past it.  At the end
 * of the text: 0.
 */
GPUSTR_FN uint32_t
rowfn_edit_char(const char *s, int32_t len, int32_t *pos, int32_t encoding)
{
	uint32_t	code;
	int32_t		n = 1;
	int32_t		i;

	if (*pos >= len)
		return 0;
	code = (unsigned char) s[*pos];
	if (encoding == ROWFN_ENC_WIDE)
		n = 4;
	else if (code >= 0xC0)
		n = rowfn_char_bytes(s + *pos, len - *pos, encoding);
	for (i = 1; i < n; i++)
		code |= (uint32_t) (unsigned char) s[*pos + i] << 8 * i;
	*pos += n;
	return code;
}

/* The character before *pos; moves *pos to it.  At the start of the text: 0. */
GPUSTR_FN uint32_t
rowfn_edit_char_back(const char *s, int32_t *pos, int32_t encoding)
{
	uint32_t	code = 0;
	int32_t		stop = *pos;
	int32_t		start = stop - 1;
	int32_t		i;

	if (stop <= 0)
		return 0;
	if (encoding == ROWFN_ENC_WIDE)
		start = stop - 4;
	else if (encoding == GPUSTR_ENC_UTF8)
		while (start > 0 && stop - start < 4 && rowfn_utf8_is_continuation(s[start]))
			start--;
	for (i = start; i < stop; i++)
		code |= (uint32_t) (unsigned char) s[i] << 8 * (i - start);
	*pos = start;
	return code;
}

/* 64 rows of the table, in one column. */
typedef struct RowfnStrip
{
	int32_t		rows;			/* 1 to 64 */
	int			wide;			/* some character takes more than a byte */
	uint64_t	down;			/* rows whose value is one more than that
								 * above */
	uint64_t	up;				/* one less */
	uint64_t	narrow;			/* rows whose character takes one byte */
	uint64_t	nibble[8][16];	/* rows whose character's nibble is that; all
								 * but the first two only if wide */
} RowfnStrip;

/*
 * Set a strip up for the next 'rows' characters of a, from *pos on, or with
 * 'back' those before it, and move *pos.  Values rise by one from row to row.
 */
GPUSTR_FN void
rowfn_strip_begin(RowfnStrip *strip, const char *a, int32_t len, int32_t *pos, int32_t rows,
				  int32_t encoding, int back)
{
	int32_t		i;
	int			n;
	int			v;

	strip->rows = rows;
	strip->wide = 0;
	strip->down = ~UINT64_C(0);
	strip->up = 0;
	strip->narrow = 0;
	for (n = 0; n < 2; n++)
		for (v = 0; v < 16; v++)
			strip->nibble[n][v] = 0;
	for (i = 0; i < rows; i++)
	{
		uint32_t	code = back ? rowfn_edit_char_back(a, pos, encoding) :
		rowfn_edit_char(a, len, pos, encoding);
		uint64_t	bit = UINT64_C(1) << i;

		if (code >= 256 && !strip->wide)
		{
			strip->wide = 1;
			for (n = 2; n < 8; n++)
				for (v = 0; v < 16; v++)
					strip->nibble[n][v] = 0;
		}
		if (code < 256)
			strip->narrow |= bit;
		for (n = 0; n < (code < 256 ? 2 : 8); n++)
			strip->nibble[n][code >> 4 * n & 15] |= bit;
	}
}

/* The rows that have this character. */
GPUSTR_FN uint64_t
rowfn_strip_rows_of(const RowfnStrip *strip, uint32_t code)
{
	uint64_t	rows = strip->nibble[0][code & 15] & strip->nibble[1][code >> 4 & 15];
	int			n;

	if (code < 256)
		return rows & strip->narrow;
	if (!strip->wide)
		return 0;
	for (n = 2; n < 8; n++)
		rows &= strip->nibble[n][code >> 4 * n & 15];
	return rows;
}

/*
 * The next column, of which 'equal' says the rows that have its character.
 * above: how the value above the first row differs from that to its left.
 * Returns the same of the last row.
 */
GPUSTR_FN int
rowfn_strip_step(RowfnStrip *strip, uint64_t equal, int above)
{
	uint64_t	down = strip->down;
	uint64_t	up = strip->up;
	uint64_t	less = above < 0;
	uint64_t	vertical = equal | up;
	uint64_t	diagonal;
	uint64_t	right;			/* rows whose value is one more than to the
								 * left */
	uint64_t	left;			/* one less */
	int			last = strip->rows - 1;
	int			below;

	equal |= less;
	diagonal = (((equal & down) + down) ^ down) | equal;
	right = up | ~(diagonal | down);
	left = down & diagonal;
	below = (int) (right >> last & 1) - (int) (left >> last & 1);
	right = right << 1 | (uint64_t) (above > 0);
	left = left << 1 | less;
	strip->down = left | ~(vertical | right);
	strip->up = right & vertical;
	return below;
}

/* Column j of a carry; in a ring of 'columns'. */
GPUSTR_FN int
rowfn_carry_get(const uint32_t *carry, int32_t j)
{
	return (int) (carry[j / 16] >> j % 16 * 2 & 3) - 1;
}

GPUSTR_FN void
rowfn_carry_set(uint32_t *carry, int32_t j, int value)
{
	int			shift = j % 16 * 2;

	carry[j / 16] = (carry[j / 16] & ~(3u << shift)) | (uint32_t) (value + 1) << shift;
}

/* A distance being computed.  a is not the longer one. */
typedef struct RowfnEdit
{
	const char *a;
	const char *b;
	int32_t		a_len;			/* bytes */
	int32_t		b_len;
	int32_t		a_chars;
	int32_t		b_chars;
	int32_t		encoding;
	int32_t		k;				/* distances past it need not be right */
	uint32_t   *carry;
	int32_t		ring;			/* columns of the carry */

	/* the strip at hand: rows (row, row + strip.rows], columns (from, to] */
	int32_t		row;
	int32_t		a_pos;			/* after the strip's characters */
	int32_t		from;
	int32_t		from_pos;		/* of b */
	int32_t		to;
	int32_t		above_to;		/* the strip above ends at this column */
	int32_t		column;
	int32_t		slot;			/* of the carry, of the next column */
	int32_t		b_pos;
	int32_t		value;			/* D[row + strip.rows][column] */
	int32_t		least;			/* of these */
	int32_t		next_from;		/* the next strip's */
	int32_t		next_from_pos;
	int32_t		next_value;		/* in that column */
	RowfnStrip	strip;
} RowfnEdit;

/* Columns of carry that a distance of at most k needs; 0: there is one strip. */
GPUSTR_FN int64_t
rowfn_edit_carry(int32_t a_chars, int32_t b_chars, int32_t k)
{
	int64_t		columns = (int64_t) ROWFN_STRIP_ROWS + 2 * (int64_t) k + 1;

	if (a_chars <= ROWFN_STRIP_ROWS)
		return 0;
	return columns < b_chars ? columns : b_chars;
}

/* The strip below the one that ends at row 'edit->row'; value: at column edit->from. */
GPUSTR_FN void
rowfn_edit_strip(RowfnEdit *edit, int32_t value)
{
	int32_t		rows = edit->a_chars - edit->row;

	if (rows > ROWFN_STRIP_ROWS)
		rows = ROWFN_STRIP_ROWS;
	rowfn_strip_begin(&edit->strip, edit->a, edit->a_len, &edit->a_pos, rows, edit->encoding, 0);
	edit->to = edit->b_chars;
	if (edit->k < edit->b_chars - edit->row - rows)
		edit->to = edit->row + rows + edit->k;
	edit->column = edit->from;
	edit->slot = edit->ring > 0 ? edit->from % edit->ring : 0;
	edit->b_pos = edit->from_pos;
	edit->value = value + rows;
	edit->least = edit->value;
	edit->next_from = edit->row + rows > edit->k ? edit->row + rows - edit->k : 0;
	edit->next_from_pos = edit->from_pos;
	edit->next_value = edit->value;
}

/*
 * Start on the distance of a from b, which is right if it is at most k;
 * a_chars <= b_chars, b_chars - a_chars <= k.
 *
 * carry	[ROWFN_CARRY_WORDS(ring)], ring >= rowfn_edit_carry()
 */
GPUSTR_FN void
rowfn_edit_begin(RowfnEdit *edit, const char *a, int32_t a_len, int32_t a_chars,
				 const char *b, int32_t b_len, int32_t b_chars, int32_t encoding,
				 int32_t k, uint32_t *carry, int32_t ring)
{
	edit->a = a;
	edit->b = b;
	edit->a_len = a_len;
	edit->b_len = b_len;
	edit->a_chars = a_chars;
	edit->b_chars = b_chars;
	edit->encoding = encoding;
	edit->k = k;
	edit->carry = carry;
	edit->ring = ring;
	edit->row = 0;
	edit->a_pos = 0;
	edit->from = 0;
	edit->from_pos = 0;
	edit->above_to = 0;
	rowfn_edit_strip(edit, 0);
}

/* Columns of the strip up to 'to'. */
GPUSTR_FN void
rowfn_edit_columns(RowfnEdit *edit, int32_t to)
{
	int			is_last = edit->row + edit->strip.rows == edit->a_chars;
	int32_t		column = edit->column;
	int32_t		slot = edit->slot;
	int32_t		b_pos = edit->b_pos;
	int32_t		value = edit->value;
	int32_t		least = edit->least;

	while (column < to)
	{
		uint32_t	code = rowfn_edit_char(edit->b, edit->b_len, &b_pos, edit->encoding);
		int			change = 1;

		column++;
		if (column <= edit->above_to)
			change = rowfn_carry_get(edit->carry, slot);
		change = rowfn_strip_step(&edit->strip, rowfn_strip_rows_of(&edit->strip, code), change);
		value += change;
		least = value < least ? value : least;
		if (!is_last)
		{
			rowfn_carry_set(edit->carry, slot, change);
			slot = slot + 1 == edit->ring ? 0 : slot + 1;
			if (column == edit->next_from)
			{
				edit->next_from_pos = b_pos;
				edit->next_value = value;
			}
		}
		else if (edit->above_to > 0)
			slot = slot + 1 == edit->ring ? 0 : slot + 1;
	}
	edit->column = column;
	edit->slot = slot;
	edit->b_pos = b_pos;
	edit->value = value;
	edit->least = least;
}

/*
 * Go on for about 'budget' columns.  Returns the distance, k + 1 if it is more
 * than k; -1: not yet.
 */
GPUSTR_FN int64_t
rowfn_edit_step(RowfnEdit *edit, int64_t budget)
{
	if (edit->a_chars == 0)
		return edit->b_chars;
	for (;;)
	{
		int32_t		to = edit->to - edit->column > budget ? edit->column + (int32_t) budget : edit->to;

		budget -= to - edit->column;
		rowfn_edit_columns(edit, to);
		if (edit->column < edit->to)
			return -1;
		if (edit->least > edit->k)
			return (int64_t) edit->k + 1;
		edit->row += edit->strip.rows;
		if (edit->row == edit->a_chars)
			return edit->value <= edit->k ? edit->value : (int64_t) edit->k + 1;
		edit->above_to = edit->to;
		edit->from = edit->next_from;
		edit->from_pos = edit->next_from_pos;
		rowfn_edit_strip(edit, edit->next_value);
	}
}

#endif							/* GPUSTR_ROWFN_EDIT_DISTANCE_H */
