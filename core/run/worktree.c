/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a version in a directory of their own, or checked out where the user works. */
#include <config.h>

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/run/files.h"
#include "core/run/worktree.h"

char *perun_worktree_directory(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *tree)
{
	char *here = perun_current_directory(), *root = NULL, *inside, *directory;
	struct stat facts;

	if (perun_vcs_discover(ctx, vcs, here, &root)) {
		perun_ctx_clear(ctx);
		root = NULL;
	}
	directory = perun_strdup(tree);
	if (root && strncmp(here, root, strlen(root)) == 0) {
		inside = perun_format("%s%s", tree, here + strlen(root));
		if (stat(inside, &facts) == 0 && S_ISDIR(facts.st_mode)) {
			perun_free(directory);
			directory = perun_strdup(inside);
		}
		perun_free(inside);
	}
	perun_free(root);
	perun_free(here);
	return directory;
}

static int prepare(struct perun_ctx *ctx, struct perun_store *store, struct perun_preparation place,
		   const char *root)
{
	struct perun_words commands = {0};
	bool failed;
	int status = perun_texts_read(ctx, store, "execute.pre_run", &commands);

	place.directory = root;
	if (!status) {
		status = perun_prepare(ctx, &commands, &place, &failed);
		if (status == PERUN_INPUT)
			perun_fail(ctx, PERUN_OK, "execute.pre_run");
	}
	perun_words_free(&commands);
	return status;
}

/* Not where versions are checked out in the user's own work tree: they are there. */
static int copy_files(struct perun_ctx *ctx, struct perun_store *store,
		      const struct perun_worktree *tree)
{
	struct perun_files files;
	int status = perun_files_read(ctx, store, tree->vcs, &files);

	if (!status)
		status = perun_files_copy(ctx, &files, tree->root);
	perun_files_free(&files);
	return status;
}

int perun_worktree_open(struct perun_ctx *ctx, struct perun_store *store,
			const struct perun_preparation *place, struct perun_worktree *tree)
{
	int status;

	*tree = (struct perun_worktree){.base.lock = -1};
	status = perun_store_vcs(ctx, store, &tree->vcs);
	if (!status)
		status = perun_scratch_make(ctx, "perun-version", &tree->base);
	if (!status) {
		tree->root = perun_format("%s/tree", tree->base.path);
		status = perun_vcs_export_version(ctx, tree->vcs, place->version, tree->root);
	}
	if (!status)
		status = copy_files(ctx, store, tree);
	if (!status)
		tree->directory = perun_worktree_directory(ctx, tree->vcs, tree->root);
	else
		perun_worktree_close(tree);
	return status;
}

int perun_worktree_here(struct perun_ctx *ctx, struct perun_store *store,
			const struct perun_preparation *place, struct perun_worktree *tree)
{
	char *here = perun_current_directory(), *root = NULL;
	int status;

	*tree = (struct perun_worktree){.base.lock = -1};
	status = perun_store_vcs(ctx, store, &tree->vcs);
	if (!status)
		status = perun_vcs_discover(ctx, tree->vcs, here, &root);
	if (!status)
		status = perun_vcs_checkout(ctx, tree->vcs, place->version);
	if (!status)
		status = prepare(ctx, store, *place, root ? root : here);
	/* A version need not have the directory. */
	if (!status)
		tree->directory = perun_strdup(access(here, X_OK) == 0 || !root ? here : root);
	perun_free(here);
	perun_free(root);
	return status;
}

void perun_worktree_close(struct perun_worktree *tree)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);

	if (tree->root && access(tree->root, F_OK) == 0)
		perun_vcs_remove_export(quiet, tree->vcs, tree->root);
	perun_scratch_remove(&tree->base);
	perun_ctx_free(quiet);
	perun_free(tree->root);
	perun_free(tree->directory);
	*tree = (struct perun_worktree){.base.lock = -1};
}
