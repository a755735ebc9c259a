/* SPDX-License-Identifier: BSD-3-Clause */
/* Source files of a program: finding them and reading their lines. */
#ifndef PERUN_COMMAND_PPROF_SOURCES_H
#define PERUN_COMMAND_PPROF_SOURCES_H

#include <perun/context.h>

/* The file that was asked for last; {0} is none. */
struct pprof_source {
	char *path;
	char *text;
	size_t *starts; /* of its lines; one more is the end */
	size_t lines;
	char *error; /* NULL, or why it cannot be read, as Go says it */
};

/*
 * Look for a file: an absolute path as it is; another one below each directory of `search` (separated by
 * colons) and below their parents. Clear it afterwards.
 */
void pprof_source_read(struct pprof_source *source, const char *path, const char *search);
void pprof_source_clear(struct pprof_source *source);
/* Line `number` (from 1), without its end; false when there is none. */
bool pprof_source_line(const struct pprof_source *source, int64_t number, const char **line,
		       size_t *length);

#endif
