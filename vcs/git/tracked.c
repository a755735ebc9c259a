/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether an index has a path. */
#include <string.h>

#include "gitvcs.h"

/* The path as the index names it; NULL outside of the work tree, where nothing is tracked. */
static const char *index_path(const char *work_dir, const char *path)
{
	size_t length = work_dir ? strlen(work_dir) : 0;

	while (length && work_dir[length - 1] == '/')
		length--;
	if (!length || strncmp(path, work_dir, length) != 0 || path[length] != '/')
		return NULL;
	return path + length + 1;
}

/* 0 or an error of libgit2. */
static int find_tracked(git_repository *repository, const char *path, bool *is)
{
	const char *inside = index_path(git_repository_workdir(repository), path);
	git_index *index = NULL;
	char *below;
	int error;

	*is = false;
	if (!inside)
		return 0;
	error = git_repository_index(&index, repository);
	if (error)
		return error;
	below = perun_format("%s/", inside);
	/* A link or a submodule is an entry of its own. */
	*is = git_index_find_prefix(NULL, index, below) == 0 ||
	      git_index_find(NULL, index, inside) == 0;
	perun_free(below);
	git_index_free(index);
	return 0;
}

int gitvcs_is_tracked(void *instance, struct perun_ctx *ctx, const char *path, bool *is)
{
	struct gitvcs *vcs = instance;
	int status = gitvcs_need_repository(vcs, ctx);

	*is = false;
	if (!status && find_tracked(vcs->repository, path, is))
		status = gitvcs_fail(ctx, PERUN_INPUT, "cannot read the index of %s", vcs->git_dir);
	return status;
}

int gitvcs_refuse_embedded(struct perun_ctx *ctx, git_repository *repository)
{
	char *place = perun_strdup(git_repository_path(repository));
	char *above = perun_strdup(place), *slash;
	bool is = false;
	int status = PERUN_OK;

	place[strlen(place) - 1] = '\0';
	above[strlen(above) - 1] = '\0';
	/* Git tracks nothing that is called .git, so what lies in one is the user's own. */
	while (!is && !strstr(git_repository_path(repository), "/.git/") &&
	       (slash = strrchr(above, '/')) && slash != above) {
		git_repository *outer = NULL;

		*slash = '\0';
		if (!git_repository_open_ext(&outer, above, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL))
			find_tracked(outer, place, &is);
		git_repository_free(outer);
	}
	if (is)
		status = perun_fail(
			ctx, PERUN_INPUT,
			"%s: the files of this git repository came with the one in %s, so "
			"it is not used: it can name commands that git would run",
			place, above);
	perun_free(above);
	perun_free(place);
	return status;
}
