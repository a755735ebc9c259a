/* SPDX-License-Identifier: BSD-3-Clause */
/* The entries of `perun import perf KIND ENTRY...`, as the Python program takes them: a file, how it ended, what else was measured. */
#ifndef PERUN_COMMANDS_IMPORT_ENTRIES_H
#define PERUN_COMMANDS_IMPORT_ENTRIES_H

#include <perun/command.h>
#include <perun/json.h>

struct import_entry {
	char *path;
	struct perun_json *exit_codes, *stats; /* arrays, or NULL: not said */
};

struct import_entries {
	struct import_entry *items;
	size_t count, capacity;
	const char **paths;        /* of the items */
	struct perun_json *places; /* path -> place in items */
};

/*
 * Words are files, or, `apart`: FILE, FILE,EXIT[,VALUE...] where no file has the whole as its name, or a list of such lines in a file
 * that ends with ".csv" and begins with "Profile,Exit_code". Files are below `directory` (NULL = as they are named).
 * `headers` are the names of the values, NAME[|COMPARISON[|UNIT[|AGGREGATION[|DESCRIPTION]]]] with commas between; NULL =
 * none, or those of the list. {0} before; import_entries_free() also after a failure.
 */
int import_entries_read(struct perun_ctx *ctx, const char *const *words, size_t count,
			const char *directory, const char *headers, bool apart,
			struct import_entries *entries);
void import_entries_free(struct import_entries *entries);
/* The entry of a path; NULL = none has it. */
const struct import_entry *import_entries_find(const struct import_entries *entries,
					       const char *path);

#endif
