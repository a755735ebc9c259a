/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that a checkout adds: none may be there before, and a killed one's are taken away again. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gitvcs.h"

typedef int added_visit(struct gitvcs *vcs, struct perun_ctx *ctx, const char *path,
			const git_diff_file *file);

static git_tree *tree_of(struct gitvcs *vcs, const char *expression)
{
	git_object *object = NULL, *tree = NULL;

	if (!git_revparse_single(&object, vcs->repository, expression))
		git_object_peel(&tree, object, GIT_OBJECT_TREE);
	git_object_free(object);
	return (git_tree *)tree;
}

/* Visit the files that `expression` has and the present commit lacks. */
static int visit_added(struct gitvcs *vcs, struct perun_ctx *ctx, const char *expression,
		       added_visit *visit)
{
	git_tree *here = tree_of(vcs, "HEAD"), *there = tree_of(vcs, expression);
	git_diff *diff = NULL;
	int status = PERUN_OK;

	if (!here || !there || git_diff_tree_to_tree(&diff, vcs->repository, here, there, NULL) < 0)
		status = gitvcs_fail(ctx, PERUN_INPUT, "cannot compare HEAD and %.12s", expression);
	for (size_t i = 0; status == PERUN_OK && i < git_diff_num_deltas(diff); i++) {
		const git_diff_delta *delta = git_diff_get_delta(diff, i);

		if (delta->status == GIT_DELTA_ADDED && delta->new_file.mode != GIT_FILEMODE_COMMIT)
			status = visit(vcs, ctx, delta->new_file.path, &delta->new_file);
	}
	git_diff_free(diff);
	git_tree_free(here);
	git_tree_free(there);
	return status;
}

/*
 * Whether a file or symbolic link is at `path` in the work tree. What is beyond a link is
 * another place, and whether a directory may be replaced is git's to say.
 */
static bool is_there(const struct gitvcs *vcs, const char *path, char **full, mode_t *mode)
{
	size_t root = strlen(vcs->work_dir) + 1;
	bool exists = true;
	struct stat info;

	*full = perun_format("%s/%s", vcs->work_dir, path);
	for (char *slash = *full + root; exists && (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		exists = !lstat(*full, &info) && S_ISDIR(info.st_mode);
		*slash = '/';
	}
	exists = exists && !lstat(*full, &info) && (S_ISREG(info.st_mode) || S_ISLNK(info.st_mode));
	if (exists) {
		*mode = info.st_mode;
	} else {
		perun_free(*full);
		*full = NULL;
	}
	return exists;
}

static int refuse_existing(struct gitvcs *vcs, struct perun_ctx *ctx, const char *path,
			   const git_diff_file *file)
{
	char *full;
	mode_t mode;

	(void)file;
	if (!is_there(vcs, path, &full, &mode))
		return PERUN_OK;
	perun_free(full);
	return perun_fail(
		ctx, PERUN_INPUT,
		"the untracked file %s is in the way: the version has a file of this name; "
		"move it away",
		path);
}

int gitvcs_check_untracked(struct gitvcs *vcs, struct perun_ctx *ctx, const char *hex)
{
	return visit_added(vcs, ctx, hex, refuse_existing);
}

/* Whether the file holds what git would write there for the blob `id`. */
static bool has_content(struct gitvcs *vcs, const char *full, mode_t mode, const git_oid *id)
{
	struct gitvcs_run run = {.flags = GITVCS_READ_ONLY | GITVCS_MAY_FAIL};
	const char *path = full + strlen(vcs->work_dir) + 1;
	char link[PATH_MAX], *name;
	ssize_t length;
	git_oid here;
	bool same;

	if (S_ISLNK(mode)) {
		length = readlink(full, link, sizeof(link));
		return length >= 0 && !git_odb_hash(&here, link, (size_t)length, GIT_OBJECT_BLOB) &&
		       git_oid_equal(&here, id);
	}
	/* With the filters that the file's attributes ask for. */
	name = perun_format("--path=%s", path);
	same = gitvcs_git(vcs, NULL, &run, "hash-object", name, "--", full, NULL) == PERUN_OK &&
	       !run.code && !git_oid_streq(id, gitvcs_run_line(&run));
	gitvcs_run_free(&run);
	perun_free(name);
	return same;
}

static bool is_empty(const char *full)
{
	struct stat info;

	return !lstat(full, &info) && S_ISREG(info.st_mode) && !info.st_size;
}

bool gitvcs_is_as_head(struct gitvcs *vcs, const char *path)
{
	git_tree *head = tree_of(vcs, "HEAD");
	git_tree_entry *entry = NULL;
	bool same = false;
	mode_t mode;
	char *full;

	if (is_there(vcs, path, &full, &mode)) {
		same = is_empty(full);
		if (!same && head && !git_tree_entry_bypath(&entry, head, path))
			same = has_content(vcs, full, mode, git_tree_entry_id(entry));
		perun_free(full);
	}
	git_tree_entry_free(entry);
	git_tree_free(head);
	return same;
}

static int remove_same(struct gitvcs *vcs, struct perun_ctx *ctx, const char *path,
		       const git_diff_file *file)
{
	size_t root = strlen(vcs->work_dir);
	int status = PERUN_OK;
	char *full, *slash;
	mode_t mode;

	if (!is_there(vcs, path, &full, &mode))
		return PERUN_OK;
	if (is_empty(full) || has_content(vcs, full, mode, &file->id)) {
		if (unlink(full) < 0)
			status =
				perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot remove %s", full);
		/* Directories that are empty now, as git removes them. */
		while (status == PERUN_OK && (slash = strrchr(full, '/')) > full + root) {
			*slash = '\0';
			if (rmdir(full) < 0)
				break;
		}
	}
	perun_free(full);
	return status;
}

int gitvcs_sweep(struct gitvcs *vcs, struct perun_ctx *ctx, const struct gitvcs_journal *journal)
{
	char *staged = perun_format("%s^2", journal->saved);
	int status = PERUN_OK;

	if (*journal->target)
		status = visit_added(vcs, ctx, journal->target, remove_same);
	if (status == PERUN_OK && *journal->target)
		status = visit_added(vcs, ctx, journal->head, remove_same);
	if (status == PERUN_OK && *journal->saved)
		status = visit_added(vcs, ctx, journal->saved, remove_same);
	if (status == PERUN_OK && *journal->saved)
		status = visit_added(vcs, ctx, staged, remove_same);
	perun_free(staged);
	return status;
}
