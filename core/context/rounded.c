/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of a few digits. */
#include <config.h>

#include <math.h>

#include "core/context/rounded.h"

/* Smaller numbers have an exponent. */
#define LEAST 1e-4
/* So near to half a digit all digits of a value decide. */
#define NEAR 1e-6

void perun_buffer_add_decimal(struct perun_buffer *buffer, unsigned number, unsigned places)
{
	char text[24];
	size_t at = sizeof text;

	for (; places > 0 && number % 10 == 0; places--)
		number /= 10;
	for (unsigned i = 0; number > 0 || i <= places; i++, number /= 10) {
		if (places > 0 && i == places)
			text[--at] = '.';
		text[--at] = (char)('0' + number % 10);
	}
	perun_buffer_add(buffer, text + at, sizeof text - at);
}

void perun_buffer_add_rounded(struct perun_buffer *buffer, double value, unsigned digits)
{
	double size = fabs(value), scale = 1, limit = 1, scaled, rest;
	unsigned places = 0, number;

	for (unsigned i = 0; i < digits; i++)
		limit *= 10;
	if (!(size >= LEAST && size < limit)) {
		perun_buffer_printf(buffer, "%.*g", (int)digits, value);
		return;
	}
	for (; size * scale < limit / 10; scale *= 10)
		places++;
	scaled = size * scale;
	rest = scaled - floor(scaled) - 0.5;
	number = (unsigned)(scaled + 0.5);
	if (fabs(rest) < NEAR || number >= (unsigned)limit) {
		perun_buffer_printf(buffer, "%.*g", (int)digits, value);
		return;
	}
	if (value < 0)
		perun_buffer_add_char(buffer, '-');
	perun_buffer_add_decimal(buffer, number, places);
}
