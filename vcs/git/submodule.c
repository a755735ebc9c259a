/* SPDX-License-Identifier: BSD-3-Clause */
/* Submodules of an exported version, filled from the repositories that are there: no network. */
#include <string.h>
#include <unistd.h>

#include "gitvcs.h"

enum { MAX_DEPTH = 8 };

struct fill {
	struct gitvcs *vcs;
	struct perun_ctx *ctx;
	git_repository *repository; /* the export */
	git_config *modules;        /* its .gitmodules */
	git_tree *tree;
	const char *common_dir, *directory;
	unsigned depth;
	int status;
};

/* Names and paths come from the version's .gitmodules: nothing may lead out of its place. */
static bool is_inside(const char *path)
{
	if (!*path || *path == '/' || *path == '-')
		return false;
	for (const char *p = path; p; p = strchr(p, '/')) {
		p += *p == '/';
		if (!strncmp(p, "..", 2) && (p[2] == '/' || !p[2]))
			return false;
		if (!strncmp(p, ".git", 4) && (p[4] == '/' || !p[4]))
			return false;
	}
	return true;
}

static bool has_repository(const char *directory)
{
	char *head = perun_format("%s/HEAD", directory), *objects;
	bool has;

	objects = perun_format("%s/objects", directory);
	has = !access(head, R_OK) && !access(objects, X_OK);
	perun_free(head);
	perun_free(objects);
	return has;
}

/* Where the submodule's repository is: shared, this work tree's, or (old git) in its place. */
static char *find_repository(const struct fill *fill, const char *name, const char *path)
{
	const struct gitvcs *vcs = fill->vcs;
	char *places[] = {perun_format("%s/modules/%s", fill->common_dir, name),
			  perun_format("%s/modules/%s", vcs->git_dir, name),
			  perun_format("%s/%s/.git", vcs->work_dir ? vcs->work_dir : "", path)};
	char *found = NULL;

	for (int i = 0; i < 3; i++) {
		if (!found && has_repository(places[i]) &&
		    (i == 0 || (!fill->depth && (i == 1 || vcs->work_dir))))
			found = places[i];
		else
			perun_free(places[i]);
	}
	return found;
}

/* Objects are shared with the repository at hand, so any of its commits can be had. */
static int clone_and_check_out(const struct fill *fill, const char *source, const char *path,
			       const git_oid *id)
{
	char *target = perun_format("%s/%s", fill->directory, path), hex[GIT_OID_HEXSZ + 1];
	struct gitvcs_run run = {.directory = fill->directory,
				 .flags = GITVCS_NO_HOOKS | GITVCS_PLAIN_PLACE | GITVCS_MAY_FAIL};
	int status;

	git_oid_tostr(hex, sizeof(hex), id);
	status = gitvcs_git(fill->vcs, fill->ctx, &run, "-c", "protocol.file.allow=always", "clone",
			    "--quiet", "--shared", "--no-checkout", "--template=", "--", source,
			    target, NULL);
	if (status == PERUN_OK && !run.code) {
		run.directory = target;
		status = gitvcs_git(fill->vcs, fill->ctx, &run, "checkout", "--quiet", "--detach",
				    hex, "--", NULL);
	}
	if (status == PERUN_OK && run.code)
		perun_warn(fill->ctx, "submodule %s stays empty at this version: %s", path,
			   run.err.data);
	else if (status == PERUN_OK)
		status = gitvcs_fill_submodules(fill->vcs, fill->ctx, source, target,
						fill->depth + 1);
	gitvcs_run_free(&run);
	perun_free(target);
	return status;
}

/* For each setting of .gitmodules; of interest is submodule.NAME.path. */
static int fill_one(const git_config_entry *entry, void *data)
{
	const char *head = "submodule.", *tail = ".path";
	size_t length = strlen(entry->name), ends = strlen(head) + strlen(tail);
	struct fill *fill = data;
	char *name, *source = NULL;
	git_tree_entry *link = NULL;

	if (length <= ends || strncmp(entry->name, head, strlen(head)) != 0 ||
	    strcmp(entry->name + length - strlen(tail), tail) != 0)
		return 0;
	name = perun_strndup(entry->name + strlen(head), length - ends);
	if (is_inside(name) && is_inside(entry->value) &&
	    !git_tree_entry_bypath(&link, fill->tree, entry->value) &&
	    git_tree_entry_type(link) == GIT_OBJECT_COMMIT)
		source = find_repository(fill, name, entry->value);
	if (source)
		fill->status =
			clone_and_check_out(fill, source, entry->value, git_tree_entry_id(link));
	git_tree_entry_free(link);
	perun_free(source);
	perun_free(name);
	return fill->status == PERUN_OK ? 0 : GIT_EUSER;
}

int gitvcs_fill_submodules(struct gitvcs *vcs, struct perun_ctx *ctx, const char *common_dir,
			   const char *directory, unsigned depth)
{
	struct fill fill = {.vcs = vcs,
			    .ctx = ctx,
			    .common_dir = common_dir,
			    .directory = directory,
			    .depth = depth};
	char *path = perun_format("%s/.gitmodules", directory);
	git_object *tree = NULL;

	/* Files may come from git itself, so that libgit2 is not there yet; most projects have no submodules. */
	if (depth >= MAX_DEPTH || access(path, R_OK) ||
	    (fill.status = gitvcs_need_libgit2(vcs, ctx)) != PERUN_OK) {
		perun_free(path);
		return fill.status;
	}
	if (!git_repository_open_ext(&fill.repository, directory, GIT_REPOSITORY_OPEN_NO_SEARCH,
				     NULL) &&
	    !git_revparse_single(&tree, fill.repository, "HEAD^{tree}") &&
	    !git_config_open_ondisk(&fill.modules, path)) {
		fill.tree = (git_tree *)tree;
		git_config_foreach(fill.modules, fill_one, &fill);
	}
	git_object_free(tree);
	git_config_free(fill.modules);
	git_repository_free(fill.repository);
	perun_free(path);
	return fill.status;
}
