/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the index has a path. */
#include <string.h>

#include "gitvcs.h"

/* The path as the index names it; NULL outside of the work tree, where nothing is tracked. */
static const char *index_path(const struct gitvcs *vcs, const char *path)
{
	size_t length = vcs->work_dir ? strlen(vcs->work_dir) : 0;

	if (!length || strncmp(path, vcs->work_dir, length) != 0)
		return NULL;
	path += length;
	return *path == '/' ? path + 1 : NULL;
}

int gitvcs_is_tracked(void *instance, struct perun_ctx *ctx, const char *path, bool *is)
{
	struct gitvcs *vcs = instance;
	git_index *index = NULL;
	const char *inside;
	char *below;
	int status = gitvcs_need_repository(vcs, ctx);

	*is = false;
	inside = status ? NULL : index_path(vcs, path);
	if (!inside)
		return status;
	if (git_repository_index(&index, vcs->repository) < 0)
		return gitvcs_fail(ctx, PERUN_INPUT, "cannot read the index of %s", vcs->git_dir);
	below = perun_format("%s/", inside);
	/* A link or a submodule is an entry of its own. */
	*is = git_index_find_prefix(NULL, index, below) == 0 ||
	      git_index_find(NULL, index, inside) == 0;
	perun_free(below);
	git_index_free(index);
	return PERUN_OK;
}
