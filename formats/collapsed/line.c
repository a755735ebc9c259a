/* SPDX-License-Identifier: BSD-3-Clause */
/* Taking a line of folded stacks apart. */
#include <math.h>
#include <string.h>

#include <perun/json.h>

#include "collapsed.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Digits, perhaps after a minus, of a number of 64 bits. */
static bool read_whole(const char *text, size_t length, struct collapsed_number *number)
{
	bool negative = length && *text == '-';
	int64_t value = 0;

	text += negative;
	length -= negative;
	if (length == 0 || length > 18)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		value = value * 10 + (text[i] - '0');
	}
	number->whole = true;
	number->integer = negative ? -value : value;
	number->real = (double)number->integer;
	return true;
}

static bool read_number(const char *text, size_t length, struct collapsed_number *number)
{
	if (read_whole(text, length, number))
		return true;
	if (perun_json_scan_double(text, length, &number->real) != length ||
	    !isfinite(number->real))
		return false;
	number->whole = number->real == floor(number->real) && fabs(number->real) < 0x1p62;
	number->integer = number->whole ? (int64_t)number->real : 0;
	return true;
}

/* The last word of text[0, *length) if it is a number; what is before it, without blanks, remains. */
static bool take_number(const char *text, size_t *length, struct collapsed_number *number)
{
	size_t end = *length, start;

	while (end && is_blank(text[end - 1]))
		end--;
	start = end;
	while (start && !is_blank(text[start - 1]))
		start--;
	if (start == 0 || start == end)
		return false;
	if (!read_number(text + start, end - start, number))
		return false;
	while (start && is_blank(text[start - 1]))
		start--;
	*length = start;
	return true;
}

bool collapsed_take(const char *line, size_t *length, unsigned counts,
		    struct collapsed_number *numbers)
{
	while (counts-- > 0)
		if (!take_number(line, length, &numbers[counts]))
			return false;
	return *length > 0;
}
