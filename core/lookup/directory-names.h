/* SPDX-License-Identifier: BSD-3-Clause */
/* The names in a directory, for commands that are given thousands of files of it. */
#ifndef PERUN_CORE_LOOKUP_DIRECTORY_NAMES_H
#define PERUN_CORE_LOOKUP_DIRECTORY_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct perun_file_names {
	char *directory; /* NULL: nothing was listed */
	char *names;     /* NUL after each */
	size_t *slots;   /* open addressing: place in `names` + 1, 0 = free */
	size_t mask;
};

/* List a directory instead of what was listed before. */
void perun_file_names_read(struct perun_file_names *list, const char *directory);
void perun_file_names_free(struct perun_file_names *list);
/* Whether a file of that name was there, and no symbolic link; false: ask the system. */
bool perun_file_names_has(const struct perun_file_names *list, const char *name);

#endif
