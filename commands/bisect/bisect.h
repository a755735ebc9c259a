/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of perun bisect share. */
#ifndef PERUN_COMMANDS_BISECT_BISECT_H
#define PERUN_COMMANDS_BISECT_BISECT_H

#include <perun/command.h>
#include <perun/json.h>
#include <perun/lib/dissect.h>

/* perun bisect --lines: which changes of a commit made it slower. */
int bisect_lines(struct perun_ctx *ctx, const struct perun_command_call *call);

/* What a search for lines was made of, and found. Borrowed. */
struct found_lines {
	const struct perun_command_call *call;
	struct perun_store *store;
	const char *base, *head; /* checksums; head NULL = the work tree */
	bool better, identical;
	struct perun_interleave *interleave;
	const struct perun_interleave_result *ends;
	struct perun_dissect *search;
};

/* Whether there was nothing to try: a commit of one change. */
bool lines_is_trivial(const struct found_lines *found);
/* The decimals of a change in percent: below 100 % one. */
int lines_decimals(const struct perun_dissect_facts *facts);
/* How many changes have a role. */
size_t lines_count(const struct found_lines *found, enum perun_dissect_role role);
/* As a review: each change as a diff, what it carries, how sure that is. */
void lines_print(const struct found_lines *found);
void lines_print_trial(const struct perun_command_call *call,
		       const struct perun_dissect_trial *trial, size_t changes);
void lines_print_json(const struct found_lines *found);
/* The same as a document; with `all`, all changes and lines with costs. The caller frees it. */
struct perun_json *lines_describe(const struct found_lines *found, bool all);

/* ---- lines-files.c --------------------------------------------------------------------------- */

/* The reverse of the guilty changes, and of those that they need, for `git apply` or `patch -p1`. */
int lines_write_patch(struct perun_ctx *ctx, const struct found_lines *found, const char *path);
/* The diff, the guilty lines marked, and what lines cost before and after. */
int lines_write_page(struct perun_ctx *ctx, const struct found_lines *found, const char *path);
/* Keep it in the store's cache, where the site finds it; as well as it goes. */
void lines_keep(const struct found_lines *found);

#endif
