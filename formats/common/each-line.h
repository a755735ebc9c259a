/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop over the lines of an input, with a look for an interruption now and then. */
#ifndef PERUN_FORMATS_COMMON_EACH_LINE_H
#define PERUN_FORMATS_COMMON_EACH_LINE_H

#include <perun/format.h>

typedef int line_reader(void *reading, char *line, size_t length);

/* Calls read(reading, line, length) for each line, until one fails. */
static inline int read_each_line(struct perun_ctx *ctx, struct perun_lines *lines,
				 line_reader *read, void *reading)
{
	size_t length;
	char *line;
	int status;

	while (!(status = perun_lines_next(ctx, lines, &line, &length)) && line) {
		status = read(reading, line, length);
		if (!status && perun_lines_number(lines) % 65536 == 0 && perun_cancelled(ctx))
			status = PERUN_CANCELLED;
		if (status)
			break;
	}
	return status;
}

#endif
