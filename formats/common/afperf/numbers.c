/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers as the specification has them: strtoll() without octal, and strtod(). */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/json.h>

#include "record.h"

/* What isspace() takes in the C locale. */
static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The value of a hexadecimal digit and 1 more; 0 for other bytes. */
static const uint8_t hexadecimal_digits[256] = {
	['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
	['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16};

static enum afperf_number parse_hexadecimal(const char *text, size_t length, uint64_t *value)
{
	uint64_t sum = 0;
	size_t i = 0;

	if (!length)
		return AFPERF_NUMBER_WRONG;
	for (; i < length; i++) {
		unsigned digit = hexadecimal_digits[(unsigned char)text[i]];

		if (!digit)
			return AFPERF_NUMBER_WRONG;
		sum = sum << 4 | (digit - 1);
	}
	*value = sum;
	if (length <= 16)
		return AFPERF_NUMBER_GOOD;
	/* Zeros in front do no harm. */
	for (i = 0; i < length - 16; i++)
		if (text[i] != '0')
			return AFPERF_NUMBER_RANGE;
	return AFPERF_NUMBER_GOOD;
}

static enum afperf_number parse_decimal(const char *text, size_t length, uint64_t *value)
{
	uint64_t sum = 0;
	bool overflow = false;
	size_t safe = length < 19 ? length : 19; /* this many digits fit into 64 bits */

	if (!length)
		return AFPERF_NUMBER_WRONG;
	for (size_t i = 0; i < safe; i++) {
		unsigned digit = (unsigned)(unsigned char)text[i] - '0';

		if (digit > 9)
			return AFPERF_NUMBER_WRONG;
		sum = sum * 10 + digit;
	}
	for (size_t i = safe; i < length; i++) {
		unsigned digit = (unsigned)(unsigned char)text[i] - '0';

		if (digit > 9)
			return AFPERF_NUMBER_WRONG;
		overflow |= __builtin_mul_overflow(sum, 10u, &sum) ||
			    __builtin_add_overflow(sum, digit, &sum);
	}
	*value = sum;
	if (length > 1 && text[0] == '0')
		return AFPERF_NUMBER_OCTAL;
	return overflow ? AFPERF_NUMBER_RANGE : AFPERF_NUMBER_GOOD;
}

/* The digits without sign. As strtoll() does, blanks may be before. */
static enum afperf_number parse_magnitude(const struct afperf_slice *slice, uint64_t *value,
					  bool *negative)
{
	const char *text = slice->data;
	size_t length = slice->length;

	*negative = false;
	if (!length)
		return AFPERF_NUMBER_BLANK;
	if ((unsigned)(unsigned char)*text - '1' > 8) {
		while (length && is_blank(*text))
			text++, length--;
		if (!length)
			return AFPERF_NUMBER_WRONG;
		if (*text == '-' || *text == '+') {
			*negative = *text == '-';
			text++, length--;
		}
		if (length >= 2 && text[0] == '0' && (text[1] | 32) == 'x')
			return parse_hexadecimal(text + 2, length - 2, value);
	}
	return parse_decimal(text, length, value);
}

enum afperf_number afperf_parse_id(const struct afperf_slice *text, uint64_t *value)
{
	bool negative;
	enum afperf_number number = parse_magnitude(text, value, &negative);

	return number == AFPERF_NUMBER_GOOD && negative && *value ? AFPERF_NUMBER_NEGATIVE : number;
}

enum afperf_number afperf_parse_int64(const struct afperf_slice *text, int64_t *value)
{
	uint64_t magnitude;
	bool negative;
	enum afperf_number number = parse_magnitude(text, &magnitude, &negative);

	if (number != AFPERF_NUMBER_GOOD)
		return number;
	if (magnitude > (uint64_t)INT64_MAX + negative)
		return AFPERF_NUMBER_RANGE;
	*value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
	return AFPERF_NUMBER_GOOD;
}

enum afperf_number afperf_parse_time(const struct afperf_slice *text, int64_t *value)
{
	enum afperf_number number = afperf_parse_int64(text, value);

	return number == AFPERF_NUMBER_GOOD && *value < 0 ? AFPERF_NUMBER_NEGATIVE : number;
}

/* Hexadecimal numbers, "nan(...)" and what else is rare: a copy for strtod(). */
static bool parse_with_library(const char *text, size_t length, double *value)
{
	char small[128], *copy = length < sizeof small ? small : perun_alloc(length + 1), *end;

	memcpy(copy, text, length);
	copy[length] = '\0';
	*value = perun_strtod(copy, &end);
	length -= (size_t)(end - copy);
	if (copy != small)
		perun_free(copy);
	return length == 0;
}

/* Digits after those in `*mantissa`, which may overflow; returns how many there are. */
static inline size_t take_digits(const char **text, const char *end, uint64_t *mantissa)
{
	const char *at = *text;
	uint64_t sum = *mantissa;

	for (; at < end && (unsigned)(unsigned char)*at - '0' <= 9; at++)
		sum = sum * 10 + (unsigned)(*at - '0');
	*mantissa = sum;
	sum = (uint64_t)(at - *text);
	*text = at;
	return sum;
}

/*
 * Plain decimals whose digits and whose power of ten are both exact doubles: one multiplication or
 * division rounds right (W. Clinger, "How to read floating point numbers accurately", 1990). False for
 * all others, which are left to the general parser.
 */
static bool parse_short_decimal(const char *text, size_t length, double *value)
{
	static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
					1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
					1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	const char *end = text + length;
	bool negative = *text == '-';
	uint64_t mantissa = 0, exponent = 0;
	size_t digits;
	int power = 0;

	text += negative;
	if (FLT_EVAL_METHOD != 0) /* wider registers would round twice */
		return false;
	digits = take_digits(&text, end, &mantissa);
	if (text < end && *text == '.') {
		size_t fraction;

		text++;
		fraction = take_digits(&text, end, &mantissa);
		power = -(int)fraction;
		digits += fraction;
	}
	if (!digits || digits > 18 || mantissa > (uint64_t)1 << 53)
		return false;
	if (text < end && (*text | 32) == 'e') {
		bool minus;

		text++;
		minus = text < end && *text == '-';
		text += minus || (text < end && *text == '+');
		digits = take_digits(&text, end, &exponent);
		if (!digits || digits > 3)
			return false;
		power += minus ? -(int)exponent : (int)exponent;
	}
	if (text != end || power < -22 || power > 22)
		return false;
	*value = power < 0 ? (double)mantissa / powers[-power] : (double)mantissa * powers[power];
	if (negative)
		*value = -*value;
	return true;
}

enum afperf_number afperf_parse_double(const struct afperf_slice *slice, double *value)
{
	const char *text = slice->data;
	size_t length = slice->length, used;

	if (!length)
		return AFPERF_NUMBER_BLANK;
	if (parse_short_decimal(text, length, value) ||
	    perun_json_parse_double(text, length, value))
		return AFPERF_NUMBER_GOOD;
	while (length && is_blank(*text))
		text++, length--;
	while (length && is_blank(text[length - 1]))
		length--;
	if (!length)
		return AFPERF_NUMBER_WRONG;
	used = perun_json_scan_double(text, length, value);
	if (used == length)
		return AFPERF_NUMBER_GOOD;
	return parse_with_library(text, length, value) ? AFPERF_NUMBER_GOOD : AFPERF_NUMBER_WRONG;
}

const char *afperf_number_problem(enum afperf_number number)
{
	switch (number) {
	case AFPERF_NUMBER_BLANK:
		return "is blank";
	case AFPERF_NUMBER_OCTAL:
		return "has a leading zero, and octal numbers are not supported";
	case AFPERF_NUMBER_NEGATIVE:
		return "is negative";
	case AFPERF_NUMBER_RANGE:
		return "is out of range";
	default:
		return "is not a number";
	}
}
