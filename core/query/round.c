/* SPDX-License-Identifier: BSD-3-Clause */
/* Rounding to decimal digits by the exact value, as Python's round() does. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "perun/query.h"

/* The locale may have another point, of more than one byte. */
static size_t plain_point(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if ((*from >= '0' && *from <= '9') || *from == '-')
			*to++ = *from;
		else if (to > text && to[-1] != '.')
			*to++ = '.';
	}
	*to = '\0';
	return (size_t)(to - text);
}

/* Round the digits of a whole number at `places` from its end, half to even; `exact`: no fraction. */
static void round_digits(char *digits, size_t length, size_t places, bool exact)
{
	size_t keep = length - places;
	bool up = digits[keep] > '5';

	if (digits[keep] == '5') {
		bool more = !exact;

		for (size_t i = keep + 1; i < length; i++)
			more = more || digits[i] != '0';
		up = more || (keep > 0 && (digits[keep - 1] - '0') % 2 == 1);
	}
	for (size_t i = keep; i < length; i++)
		digits[i] = '0';
	while (up && keep > 0) {
		keep--;
		up = digits[keep] == '9';
		digits[keep] = up ? '0' : (char)(digits[keep] + 1);
	}
}

static double round_whole(double value, int digits)
{
	char text[400] = "0";
	size_t length, places = (size_t)-digits;
	double rounded = 0;

	/* One zero before, for the carry; whole numbers of any size are printed exactly. */
	perun_snprintf(text, sizeof text, "0%.0f", trunc(fabs(value)));
	length = strlen(text);
	if (places >= length)
		return copysign(0, value);
	round_digits(text, length, places, trunc(value) == value);
	perun_json_scan_double(text, length, &rounded);
	return copysign(rounded, value);
}

double perun_round_python(double value, int digits)
{
	char text[800];
	double rounded = value;

	if (!isfinite(value) || digits > 323)
		return value;
	if (digits < -308)
		return copysign(0, value);
	if (digits < 0)
		return round_whole(value, digits);
	/* printf rounds the exact value, ties to even; the text is read back correctly rounded. */
	perun_snprintf(text, sizeof text, "%.*f", digits, value);
	perun_json_scan_double(text, plain_point(text), &rounded);
	return rounded;
}
