/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers as the specification has them: strtoll() without octal, and strtod(). */
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

static enum afperf_number parse_hexadecimal(const char *text, size_t length, uint64_t *value)
{
	uint64_t sum = 0;
	bool overflow = false;

	if (!length)
		return AFPERF_NUMBER_WRONG;
	for (size_t i = 0; i < length; i++) {
		unsigned digit = (unsigned char)text[i];

		if (digit - '0' <= 9)
			digit -= '0';
		else if ((digit | 32) - 'a' <= 5)
			digit = (digit | 32) - 'a' + 10;
		else
			return AFPERF_NUMBER_WRONG;
		overflow |= sum >> 60 != 0;
		sum = sum << 4 | digit;
	}
	*value = sum;
	return overflow ? AFPERF_NUMBER_RANGE : AFPERF_NUMBER_GOOD;
}

static enum afperf_number parse_decimal(const char *text, size_t length, uint64_t *value)
{
	uint64_t sum = 0;
	bool overflow = false;

	if (!length)
		return AFPERF_NUMBER_WRONG;
	for (size_t i = 0; i < length; i++) {
		unsigned digit = (unsigned)(unsigned char)text[i] - '0';

		if (digit > 9)
			return AFPERF_NUMBER_WRONG;
		if (i >= 19)
			overflow |= __builtin_mul_overflow(sum, 10u, &sum) ||
				    __builtin_add_overflow(sum, digit, &sum);
		else
			sum = sum * 10 + digit;
	}
	*value = sum;
	if (length > 1 && text[0] == '0')
		return AFPERF_NUMBER_OCTAL;
	return overflow ? AFPERF_NUMBER_RANGE : AFPERF_NUMBER_GOOD;
}

/* The digits without sign. As strtoll() does, blanks may stand before. */
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
	locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	char small[128], *copy = length < sizeof small ? small : perun_alloc(length + 1), *end;

	memcpy(copy, text, length);
	copy[length] = '\0';
	*value = locale ? strtod_l(copy, &end, locale) : strtod(copy, &end);
	if (locale)
		freelocale(locale);
	length -= (size_t)(end - copy);
	if (copy != small)
		perun_free(copy);
	return length == 0;
}

enum afperf_number afperf_parse_double(const struct afperf_slice *slice, double *value)
{
	const char *text = slice->data;
	size_t length = slice->length, used;

	if (!length)
		return AFPERF_NUMBER_BLANK;
	if (perun_json_parse_double(text, length, value))
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
		return "is no number";
	}
}
