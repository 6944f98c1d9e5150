/*-------------------------------------------------------------------------
 *
 * float_text.h
 *	  Floats as text, and back.
 *
 * To text as PostgreSQL writes a float where extra_float_digits is 1 or more: the
 * fewest digits that give this very float when read, of these the ones nearest to
 * it; its exponent apart where that is below -4, or 15 or more (float4: 6).
 *
 * A float is M x 2^e.  What reads as it lies between two bounds, half way to its
 * neighbours; PostgreSQL counts the bounds themselves as outside.  From 2^-35 to 2^53
 * all three, multiplied by a power of ten that leaves 17 digits or more before the
 * point, are integers of 128 bits over a power of two, so that nothing is rounded
 * (the idea of Ryu, by Ulf Adams, without its tables): the digits are those of the
 * one multiple of the largest 10^j between the bounds, or the nearest of several.
 * At least one integer is between: they are 2^53 / 2^54 x 4/3 or more apart there, of
 * a number of 2^54 or more.  Other floats than these, but for 0, infinity and NaN, are
 * recheck.
 *
 * From text: [+-] digits [. digits] [e [+-] digits], with blanks on either side.
 * With m x 10^k as the digits say it, m up to 2^53 and k from -22 to 22, both m and
 * 10^|k| are doubles, so one multiplication or division, which rounds once, gives
 * what strtod() gives (Clinger, "How to read floating point numbers accurately",
 * 1990).  For more digits, up to 18, and k from -27 to 0, m / 5^-k is divided bit by
 * bit.  A float4 is what that double rounds to, unless it is half way between two, from
 * where strtof() may go either way.  All else is recheck: more digits, other
 * exponents, hexadecimal, infinity, NaN, what is no number.
 *
 * The operations of doubles here are single ones, rounded as IEEE 754 says by each
 * engine: there is no sum of a product that could be contracted.
 *
 * IDENTIFICATION
 *	  src/rowfn/float_text.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_ROWFN_FLOAT_TEXT_H
#define GPUSTR_ROWFN_FLOAT_TEXT_H

#include "rowfn/number_text.h"
#include "rowfn/value.h"

/* A double's bits below those of its exponent; how many more there are than in a float4. */
#define ROWFN_DOUBLE_BITS 52
#define ROWFN_FLOAT4_MISSING 29

/* The powers of two between which floats have digits here: [2^-35, 2^53). */
#define ROWFN_FLOAT_TEXT_LEAST (-35)
#define ROWFN_FLOAT_TEXT_END 53

/* The most digits, and the powers of ten, of a text that is read. */
#define ROWFN_FLOAT_DIGITS_END UINT64_C(1000000000000000000)	/* 10^18 */
#define ROWFN_FLOAT_EXACT_POWER 22
#define ROWFN_FLOAT_DIVIDED_POWER 27

/* 1.17549435e-38 and 3.40282347e38: the least float4 of all bits, and the greatest. */
#define ROWFN_FLOAT4_LEAST 1.1754943508222875e-38
#define ROWFN_FLOAT4_MOST 3.4028234663852886e38

/* 128 bits. */
typedef struct RowfnWide
{
	uint64_t	high;
	uint64_t	low;
} RowfnWide;

GPUSTR_FN RowfnWide
rowfn_wide_product(uint64_t a, uint64_t b)
{
	uint64_t	a0 = (uint32_t) a;
	uint64_t	a1 = a >> 32;
	uint64_t	b0 = (uint32_t) b;
	uint64_t	b1 = b >> 32;
	uint64_t	middle = a1 * b0 + (a0 * b0 >> 32);
	uint64_t	other = a0 * b1 + (uint32_t) middle;
	RowfnWide	product;

	product.low = a * b;
	product.high = a1 * b1 + (middle >> 32) + (other >> 32);
	return product;
}

/* number / 2^shift, rounded down; 1 <= shift <= 63, and it has 64 bits at most. */
GPUSTR_FN uint64_t
rowfn_wide_shifted(RowfnWide number, int32_t shift)
{
	return number.high << (64 - shift) | number.low >> shift;
}

GPUSTR_FN uint64_t
rowfn_power_of_5(int32_t n)
{
	uint64_t	power = 1;

	for (; n > 0; n--)
		power *= 5;
	return power;
}

/* A float as text: digits x 10^exponent; digits does not end in 0. */
typedef struct RowfnFloatText
{
	int32_t		negative;
	const char *word;			/* of one that has no digits, or NULL */
	uint64_t	digits;
	int32_t		ndigits;
	int32_t		exponent;
	int32_t		fixed_end;		/* the first power of ten of the digit before
								 * the point that is written as an exponent */
} RowfnFloatText;

/* The digits of (1 or more) x 2^power; fraction: the bits below the first one. */
GPUSTR_FN void
rowfn_float_find_digits(uint64_t fraction, int32_t power, int is_float4, RowfnFloatText *text)
{
	uint64_t	mantissa = UINT64_C(1) << ROWFN_DOUBLE_BITS | fraction;
	uint64_t	half = is_float4 ? UINT64_C(2) << ROWFN_FLOAT4_MISSING : 2;

	/* 10^tens x 2^power is 2^54 or more, and less than ten times that */
	int32_t		tens = ((54 - power) * 30103 + 99999) / 100000;
	int32_t		shift = 54 - power - tens;
	uint64_t	fives = rowfn_power_of_5(tens);

	/* below a power of two, floats lie twice as close */
	RowfnWide	below = rowfn_wide_product(4 * mantissa - (fraction == 0 ? half / 2 : half), fives);
	RowfnWide	number = rowfn_wide_product(4 * mantissa, fives);
	RowfnWide	above = rowfn_wide_product(4 * mantissa + half, fives);
	uint64_t	rest = number.low & ((UINT64_C(1) << (shift - 1)) - 1);
	uint32_t	last = number.low >> (shift - 1) & 1 ? 5 : 0;
	uint64_t	digits = rowfn_wide_shifted(number, shift);
	uint64_t	least = rowfn_wide_shifted(below, shift) + 1;
	uint64_t	most;

	/* the greatest integer below 'above' */
	above.high -= above.low == 0;
	above.low--;
	most = rowfn_wide_shifted(above, shift);

	/*
	 * what is cut off: its first digit, of the fraction half or not, and the
	 * rest
	 */
	text->exponent = -tens;
	while (most / 10 >= (least + 9) / 10)
	{
		rest |= last;
		last = (uint32_t) (digits % 10);
		digits /= 10;
		most /= 10;
		least = (least + 9) / 10;
		text->exponent++;
	}
	if (last > 5 || (last == 5 && (rest != 0 || (digits & 1))))
		digits++;
	digits = digits < least ? least : digits > most ? most : digits;
	text->digits = digits;
	text->ndigits = rowfn_digits(digits, 10);
}

/* Returns 0 for recheck. */
GPUSTR_FN int
rowfn_float_text(int64_t bits, int is_float4, RowfnFloatText *text)
{
	int32_t		power = (int32_t) (bits >> ROWFN_DOUBLE_BITS & 0x7FF) - 1023;
	uint64_t	fraction = (uint64_t) bits & ((UINT64_C(1) << ROWFN_DOUBLE_BITS) - 1);

	text->negative = bits < 0;
	text->word = (const char *) 0;
	text->fixed_end = is_float4 ? 6 : 15;
	if (power == 1024)
	{
		text->word = fraction != 0 ? "NaN" : "Infinity";
		text->negative &= fraction == 0;
	}
	else if (power == -1023 && fraction == 0)
		text->word = "0";
	else if (power < ROWFN_FLOAT_TEXT_LEAST || power >= ROWFN_FLOAT_TEXT_END)
		return 0;
	else
		rowfn_float_find_digits(fraction, power, is_float4, text);
	return 1;
}

/* Write n of the digits, from the i-th on. */
GPUSTR_FN void
rowfn_put_float_digits(RowfnOut *out, const RowfnFloatText *text, int32_t i, int32_t n)
{
	uint64_t	digits = text->digits;
	uint64_t	end = 1;
	int32_t		j;

	for (j = i + n; j < text->ndigits; j++)
		digits /= 10;
	for (j = 0; j < n; j++)
		end *= 10;
	rowfn_put_digits(out, digits % end, 10, n);
}

/* Bytes of a float, the value's bits being those of a double; or ROWFN_TEXT_RECHECK. */
GPUSTR_FN int64_t
rowfn_float_bytes(int64_t bits, int is_float4)
{
	RowfnFloatText text;
	int32_t		power;
	int64_t		bytes;

	if (!rowfn_float_text(bits, is_float4, &text))
		return ROWFN_TEXT_RECHECK;
	bytes = text.negative;
	if (text.word != (const char *) 0)
		return bytes + (text.word[0] == 'N' ? 3 : text.word[0] == '0' ? 1 : 8);
	power = text.exponent + text.ndigits - 1;
	if (power < -4 || power >= text.fixed_end)
		return bytes + text.ndigits + (text.ndigits > 1) + 4;	/* e-05 */
	if (text.exponent >= 0)
		return bytes + power + 1;
	return bytes + text.ndigits + 1 + (power < 0 ? -power : 0);
}

GPUSTR_FN void
rowfn_float_write(int64_t bits, int is_float4, char *to, int64_t bytes)
{
	RowfnOut	out = rowfn_out(to, bytes);
	RowfnFloatText text;
	int32_t		power;

	if (!rowfn_float_text(bits, is_float4, &text))
		return;
	if (text.negative)
		rowfn_put_byte(&out, '-');
	if (text.word != (const char *) 0)
	{
		rowfn_put_literal(&out, text.word);
		return;
	}
	power = text.exponent + text.ndigits - 1;
	if (power < -4 || power >= text.fixed_end)
	{
		rowfn_put_float_digits(&out, &text, 0, 1);
		if (text.ndigits > 1)
			rowfn_put_byte(&out, '.');
		rowfn_put_float_digits(&out, &text, 1, text.ndigits - 1);
		rowfn_put_byte(&out, 'e');
		rowfn_put_byte(&out, power < 0 ? '-' : '+');
		rowfn_put_digits(&out, rowfn_amount(power), 10, 2);
	}
	else if (power < 0)
	{
		rowfn_put_literal(&out, "0.");
		rowfn_put_fill(&out, '0', -power - 1);
		rowfn_put_float_digits(&out, &text, 0, text.ndigits);
	}
	else if (text.exponent >= 0)
	{
		rowfn_put_float_digits(&out, &text, 0, text.ndigits);
		rowfn_put_fill(&out, '0', text.exponent);
	}
	else
	{
		rowfn_put_float_digits(&out, &text, 0, power + 1);
		rowfn_put_byte(&out, '.');
		rowfn_put_float_digits(&out, &text, power + 1, -text.exponent);
	}
}

/* A number as it is written: digits x 10^exponent. */
typedef struct RowfnDecimal
{
	int32_t		negative;
	uint64_t	digits;			/* less than ROWFN_FLOAT_DIGITS_END */
	int32_t		exponent;		/* of no account where digits is 0 */
} RowfnDecimal;

/* Read an exponent, up to 4 digits of it; returns 0 if there is no such thing. */
GPUSTR_FN int
rowfn_read_exponent(RowfnText text, int32_t *exponent)
{
	int			negative = text.len > 0 && text.s[0] == '-';
	int64_t		number;

	if (negative || (text.len > 0 && text.s[0] == '+'))
	{
		text.s++;
		text.len--;
	}
	if (text.len < 1 || text.len > 4)
		return 0;
	number = rowfn_decimal(text.s, text.len);
	*exponent = (int32_t) (negative ? -number : number);
	return number >= 0;
}

/* Returns 0 for recheck. */
GPUSTR_FN int
rowfn_read_decimal(RowfnText text, RowfnDecimal *decimal)
{
	uint64_t	digits = 0;
	int32_t		exponent = 0;	/* as written */
	int32_t		zeros = 0;		/* the last digits, not in 'digits' yet */
	int32_t		after = 0;		/* digits after the point */
	int			point = 0;
	int32_t		seen = 0;		/* digits */
	int32_t		i;

	text = rowfn_without_blanks(text);
	decimal->negative = text.len > 0 && text.s[0] == '-';
	for (i = text.len > 0 && (text.s[0] == '-' || text.s[0] == '+'); i < text.len; i++)
	{
		uint32_t	digit = (uint32_t) (unsigned char) text.s[i] - '0';

		if (text.s[i] == '.' && !point)
		{
			point = 1;
			continue;
		}
		if (digit > 9)
			break;
		seen++;
		after += point;
		if (digit == 0)
		{
			zeros += digits != 0;
			continue;
		}
		for (; zeros >= 0; zeros--)
		{
			if (digits >= ROWFN_FLOAT_DIGITS_END / 10)
				return 0;
			digits *= 10;
		}
		zeros = 0;
		digits += digit;
	}
	if (seen == 0)
		return 0;
	if (i < text.len)
	{
		char		mark = text.s[i++];

		text.s += i;
		text.len -= i;
		if ((mark != 'e' && mark != 'E') || !rowfn_read_exponent(text, &exponent))
			return 0;
	}
	decimal->digits = digits;
	decimal->exponent = exponent + zeros - after;
	return 1;
}

/* The double nearest to digits / 10^tens, halves to the even one; digits > 0. */
GPUSTR_FN double
rowfn_float_divided(uint64_t digits, int32_t tens)
{
	uint64_t	divisor = rowfn_power_of_5(tens);
	int32_t		power = -tens;	/* of two: of the quotient's last bit */
	uint64_t	quotient = 0;
	int			carry = 0;
	RowfnFloatBits result;

	for (; digits >> 63 == 0; digits <<= 1)
		power--;
	for (; divisor >> 63 == 0; divisor <<= 1)
		power++;

	/* 54 bits, the last one of which is below those of the double */
	for (;;)
	{
		int			bit = carry || digits >= divisor;

		if (bit)
			digits -= divisor;
		quotient = quotient << 1 | (uint64_t) bit;
		if (quotient >> (ROWFN_DOUBLE_BITS + 1) != 0)
			break;
		carry = digits >> 63 != 0;
		digits <<= 1;
		power--;
	}
	if ((quotient & 1) && (digits != 0 || (quotient & 2)))
		quotient++;				/* may get to 2^54, of which one bit is left */
	quotient >>= 1;
	result.bits = (int64_t) (power + 1 + ROWFN_DOUBLE_BITS + 1023 - 1) << ROWFN_DOUBLE_BITS;
	result.bits += (int64_t) quotient;
	return result.number;
}

/* The double that a text is.  Returns 0 for recheck. */
GPUSTR_FN int
rowfn_to_float8(RowfnText text, double *value)
{
	RowfnDecimal decimal;
	double		power = 1;
	int32_t		i;

	if (!rowfn_read_decimal(text, &decimal))
		return 0;
	if (decimal.digits == 0)
		*value = 0;
	else if (decimal.digits <= UINT64_C(1) << (ROWFN_DOUBLE_BITS + 1) &&
			 decimal.exponent >= -ROWFN_FLOAT_EXACT_POWER && decimal.exponent <= ROWFN_FLOAT_EXACT_POWER)
	{
		for (i = decimal.exponent < 0 ? -decimal.exponent : decimal.exponent; i > 0; i--)
			power *= 10;
		*value = decimal.exponent < 0 ? (double) (int64_t) decimal.digits / power :
			(double) (int64_t) decimal.digits * power;
	}
	else if (decimal.exponent <= 0 && decimal.exponent >= -ROWFN_FLOAT_DIVIDED_POWER)
		*value = rowfn_float_divided(decimal.digits, -decimal.exponent);
	else
		return 0;
	if (decimal.negative)
		*value = -*value;
	return 1;
}

GPUSTR_FN int
rowfn_measure_float8(RowfnText text, int64_t *value)
{
	double		number;

	if (!rowfn_to_float8(text, &number))
		return 0;
	*value = rowfn_float_bits(number);
	return 1;
}

/* The float4, as the double that it is. */
GPUSTR_FN int
rowfn_measure_float4(RowfnText text, int64_t *value)
{
	const int64_t below = (INT64_C(1) << ROWFN_FLOAT4_MISSING) - 1;
	double		number;
	double		amount;

	if (!rowfn_to_float8(text, &number))
		return 0;
	amount = number < 0 ? -number : number;
	if (amount != 0 && (amount < ROWFN_FLOAT4_LEAST || amount > ROWFN_FLOAT4_MOST))
		return 0;
	if ((rowfn_float_bits(number) & below) == (below + 1) / 2)
		return 0;
	*value = rowfn_float_bits((double) (float) number);
	return 1;
}

#endif							/* GPUSTR_ROWFN_FLOAT_TEXT_H */
