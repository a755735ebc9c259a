/* SPDX-License-Identifier: BSD-3-Clause */
/* A file as a version has it. */
#include <string.h>

#include "gitvcs.h"
#include "libgit2.h"

/* NULL: the version has no file of that path; a folder or a submodule is none. */
static git_odb_object *find_file(struct gitvcs *vcs, const char *checksum, const char *path)
{
	char *expression = perun_format("%s^{tree}", checksum);
	git_tree_entry *entry = NULL;
	git_odb_object *object = NULL;
	git_object *tree = NULL;

	if (git_revparse_single(&tree, vcs->repository, expression) < 0)
		tree = NULL;
	if (tree && !git_tree_entry_bypath(&entry, (git_tree *)tree, path) &&
	    git_tree_entry_type(entry) == GIT_OBJECT_BLOB &&
	    git_odb_read(&object, vcs->objects, git_tree_entry_id(entry)) < 0)
		object = NULL;
	git_tree_entry_free(entry);
	git_object_free(tree);
	perun_free(expression);
	return object;
}

int gitvcs_read_file(void *instance, struct perun_ctx *ctx, const char *checksum, const char *path,
		     struct perun_buffer *out, bool *found)
{
	struct gitvcs *vcs = instance;
	int status = gitvcs_need_repository(vcs, ctx);
	git_odb_object *object;

	*found = false;
	if (status)
		return status;
	object = find_file(vcs, checksum, path);
	if (object) {
		perun_buffer_add(out, git_odb_object_data(object), git_odb_object_size(object));
		git_odb_object_free(object);
		*found = true;
	}
	return PERUN_OK;
}
