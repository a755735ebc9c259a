/* SPDX-License-Identifier: BSD-3-Clause */
/* perun import --history: what another tool collected over many commits, as entries. */
#ifndef PERUN_COMMANDS_IMPORT_HISTORY_H
#define PERUN_COMMANDS_IMPORT_HISTORY_H

#include <perun/command.h>
#include <perun/json.h>

/* What was measured of one commit in one go. Texts are its own. */
struct history_entry {
	char *commit; /* as the source names it; NULL: see `date`, or the profile that is read says it */
	int64_t date; /* seconds since the epoch; 0 = not known */
	char *key; /* what makes it this entry among those of its commit; the same in later imports */
	char *path;               /* a file or directory to be read, or NULL: */
	struct perun_buffer text; /* what is to be read */
	const char *format;       /* of these, NULL = found out from the content */
	char *command, *workload; /* NULL = as the format says */
	char *machine;            /* its name where the source says it, or NULL */
};

/* Where entries come from, and those that were found. */
struct history_source {
	struct perun_ctx *ctx;
	const char *path; /* a file or directory that the user named, or the export of a branch */
	const char *name; /* for messages and workloads: its last component */
	const char *pattern;       /* with {commit}; NULL = by content */
	const char *commit_column; /* of tables; NULL = by heading */
	const char *date_column;
	const char *kind; /* out: what it is, such as "asv" */
	struct history_entry *entries;
	size_t count, capacity;
};

/* More entries than anybody has are refused. */
#define HISTORY_MAX_ENTRIES 1000000

/* Find the entries. Nothing outside of the path is read, and no symbolic link in it is followed. */
int history_gather(struct history_source *source);
void history_free(struct history_source *source);
/* A new entry, its members zero; NULL after saying that there are too many. */
struct history_entry *history_add(struct history_source *source);

/* Entries of a file: data.js, what Bencher exports, rows of a table. */
int history_gather_file(struct history_source *source, const char *path);
int history_gather_table(struct history_source *source, const char *text, size_t size);

/* Seconds since the epoch of "2024-01-31", "2024-01-31T12:00:00+01:00", or a number of seconds or milliseconds. */
bool history_parse_date(const char *text, int64_t *date);

/* The command. */
int history_run(struct perun_ctx *ctx, const struct perun_command_call *call,
		struct perun_store *store);

#endif
