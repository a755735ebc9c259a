/* SPDX-License-Identifier: BSD-3-Clause */
/* A commit taken apart: the files that it changed, and each change. */
#ifndef PERUN_CORE_DISSECT_CHANGES_H
#define PERUN_CORE_DISSECT_CHANGES_H

#include <perun/lib/dissect.h>
#include <perun/lib/program.h>
#include <perun/vcs.h>

/* A file of either side. Its changes are neighbours in the list of all. */
struct changed_file {
	char *old_path, *new_path; /* NULL = it is not there */
	size_t first, count;       /* changes */
	size_t rename, mode;       /* which of them; SIZE_MAX = none */
	bool whole;                /* one change decides over all of its content */
};

struct changes {
	struct changed_file *files;
	size_t file_count, file_capacity;
	struct perun_dissect_change *items; /* texts are ours */
	size_t *file_of;                    /* of each change */
	size_t count, capacity, place_capacity;
};

/* Read a unified diff without context; PERUN_INPUT where it is not one. */
int changes_read(struct perun_ctx *ctx, const char *text, size_t length, struct changes *changes);
void changes_free(struct changes *changes);
/* Whether a change alters no code of a language like C: comments, blanks, ends of lines. */
bool change_is_plain(const struct perun_dissect_change *change);
/*
 * Changes whose lines do not fit the file of `base_root` cannot be applied line by line: make one change of each
 * such file, as where a filter changes what is checked out.
 */
int changes_check(struct perun_ctx *ctx, struct changes *changes, const char *base_root);

/*
 * Make the changed files below `root` what the base and the changes of `set` make of them; files that are so already
 * are not touched. `*written`, which the caller frees, has the paths of those that were written or removed.
 */
int changes_apply(struct perun_ctx *ctx, const struct changes *changes, const bool *set,
		  const char *base_root, const char *head_root, const char *root,
		  struct perun_words *written);
/* Room for the digits of a hash, and a zero. */
enum { CHANGES_NAME = 33 };
/* A name for what the changed files below `root` are, by their content: another set of changes may make the same. */
int changes_name(struct perun_ctx *ctx, const struct changes *changes, const char *root,
		 char name[CHANGES_NAME]);

#endif
