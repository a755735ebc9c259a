/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields of a line of CSV or TSV (RFC 4180 without line breaks in fields). */
#ifndef PERUN_FORMATS_COMMON_CSV_H
#define PERUN_FORMATS_COMMON_CSV_H

#include <string.h>

#include <perun/context.h>

struct csv_line {
	char **fields; /* point into the line, NUL-terminated */
	size_t count, room;
};

/*
 * Split a line in place. A field may be in quotes, with quotes doubled; blanks before the quotes stay in the field
 * (VTune indents so). False: a quote has no end.
 */
static inline bool csv_split(struct csv_line *csv, char *line, char separator)
{
	char *at = line;

	csv->count = 0;
	for (;;) {
		char *out = at, *field = at;

		while (*at == ' ' && separator != ' ')
			*out++ = *at++;
		if (*at == '"') {
			for (at++; *at && (*at != '"' || at[1] == '"'); *out++ = *at++)
				at += *at == '"';
			if (*at++ != '"')
				return false;
		}
		while (*at && *at != separator)
			*out++ = *at++;
		PERUN_GROW(csv->fields, csv->count, csv->room);
		csv->fields[csv->count++] = field;
		if (!*at) {
			*out = '\0';
			return true;
		}
		at++;
		*out = '\0';
	}
}

/* The separator of a line of headings: the one that occurs most. */
static inline char csv_separator(const char *line)
{
	static const char separators[] = ",\t;|";
	size_t counts[sizeof separators - 1] = {0}, best = 0;

	for (; *line; line++)
		for (size_t i = 0; i < sizeof separators - 1; i++)
			counts[i] += *line == separators[i];
	for (size_t i = 1; i < sizeof separators - 1; i++)
		if (counts[i] > counts[best])
			best = i;
	return separators[best];
}

#endif
