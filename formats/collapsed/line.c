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

/* A number of the usual kind: whole, without the general reader of numbers. */
static bool read_whole(const char *text, size_t length, double *number)
{
	int64_t value = 0;

	if (length == 0 || length > 15)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		value = value * 10 + (text[i] - '0');
	}
	*number = (double)value;
	return true;
}

/* The last word of text[0, *length) if it is a number; what is before it, without blanks, remains. */
static bool take_number(const char *text, size_t *length, double *number)
{
	size_t end = *length, start;

	while (end && is_blank(text[end - 1]))
		end--;
	start = end;
	while (start && !is_blank(text[start - 1]))
		start--;
	if (start == 0 || start == end)
		return false;
	if (!read_whole(text + start, end - start, number) &&
	    (perun_json_scan_double(text + start, end - start, number) != end - start ||
	     !isfinite(*number)))
		return false;
	while (start && is_blank(text[start - 1]))
		start--;
	*length = start;
	return true;
}

bool collapsed_take(const char *line, size_t *length, unsigned counts, double *numbers)
{
	while (counts-- > 0)
		if (!take_number(line, length, &numbers[counts]))
			return false;
	return *length > 0;
}
