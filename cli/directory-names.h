/* SPDX-License-Identifier: BSD-3-Clause */
/* The names in a directory, for commands that are given thousands of files of it. */
#ifndef PERUN_CLI_DIRECTORY_NAMES_H
#define PERUN_CLI_DIRECTORY_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct cli_names {
	char *directory; /* NULL: nothing was listed */
	char *names;     /* NUL after each */
	size_t *slots;   /* open addressing: place in `names` + 1, 0 = free */
	size_t mask;
};

/* List a directory instead of what was listed before. */
void cli_names_read(struct cli_names *list, const char *directory);
void cli_names_free(struct cli_names *list);
/* Whether a file of that name was there, and no symbolic link; false: ask the system. */
bool cli_names_has(const struct cli_names *list, const char *name);

#endif
