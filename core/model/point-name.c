/* SPDX-License-Identifier: BSD-3-Clause */
/* Points from the names of directories: "mm.x1.5y20.r2". */
#include <string.h>

#include "perun/lib/experiment.h"
#include "perun/json.h"

static const char value_bytes[] = "0123456789.,";

/*
 * Where ".rN", the number of the repetition, begins; the number may be missing at the end. A parameter
 * may begin with r, too: only digits may follow, and something must be before it.
 */
static size_t find_repetition(const char *name, size_t start)
{
	size_t length = strlen(name);

	for (const char *at = strstr(name + start, ".r"); at; at = strstr(at + 1, ".r")) {
		size_t digits = strspn(at + 2, "0123456789");

		if ((at[2 + digits] == '\0' || (digits && at[2 + digits] == '.')) &&
		    at > name + start)
			return (size_t)(at - name);
	}
	return length;
}

/* "1,5." is 1.5: a point or comma at the end separates. */
static bool read_value(const char *text, size_t length, double *value)
{
	char copy[64];
	size_t digits = 0;

	if (length >= sizeof copy)
		return false;
	for (size_t i = 0; i < length; i++) {
		copy[i] = text[i] == ',' ? '.' : text[i];
		digits += copy[i] != '.';
	}
	while (length && copy[length - 1] == '.')
		length--;
	return digits && perun_json_scan_double(copy, length, value) == length;
}

/* Names and values in turn, from `start` on. */
static bool read_pairs(const char *name, size_t start, struct perun_point_name *point)
{
	size_t end = find_repetition(name, start), at = start;

	point->count = 0;
	while (at < end) {
		size_t letters = strcspn(name + at, value_bytes), bytes;

		if (letters == 0 || at + letters >= end || point->count == PERUN_POINT_PARAMETERS)
			break;
		bytes = strspn(name + at + letters, value_bytes);
		if (at + letters + bytes > end)
			bytes = end - at - letters;
		if (!read_value(name + at + letters, bytes, &point->values[point->count]))
			break;
		point->names[point->count++] = perun_strndup(name + at, letters);
		at += letters + bytes;
	}
	if (at >= end && point->count)
		return true;
	perun_point_name_clear(point);
	return false;
}

int perun_point_name_parse(struct perun_ctx *ctx, const char *name, struct perun_point_name *point)
{
	const char *dot = strchr(name, '.');

	*point = (struct perun_point_name){0};
	/* A prefix up to the first dot; else none ("x1.5"); else one with dots ("my.app.p4"). */
	if (dot && read_pairs(name, (size_t)(dot - name) + 1, point))
		return PERUN_OK;
	if (read_pairs(name, 0, point))
		return PERUN_OK;
	for (; dot; dot = strchr(dot + 1, '.'))
		if (read_pairs(name, (size_t)(dot - name) + 1, point))
			return PERUN_OK;
	return perun_fail(ctx, PERUN_INPUT,
			  "%s: expected parameters and their values in the name, as in mm.x10y2.r1",
			  name);
}

void perun_point_name_clear(struct perun_point_name *point)
{
	for (size_t i = 0; i < point->count; i++)
		perun_free(point->names[i]);
	point->count = 0;
}
