/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin vcs git: its tables, and its instances. */
#include <git2.h>
#include <perun/plugin.h>

#include "gitvcs.h"

/*
 * libgit2 refuses repositories with extensions that it does not know. These change nothing that it
 * is used for here; work trees are git's own business, and missing objects are fetched by git.
 */
static const char *extensions[] = {"worktreeconfig", "partialclone", "preciousobjects",
				   "relativeworktrees"};

static int open_instance(struct perun_ctx *ctx, const struct perun_options *options,
			 const char *subcommand, void **instance)
{
	struct gitvcs *vcs;

	(void)options;
	(void)subcommand;
	*instance = NULL;
	if (git_libgit2_init() < 0)
		return gitvcs_fail(ctx, PERUN_MISSING, "cannot start libgit2");
	git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, extensions,
			 sizeof(extensions) / sizeof(*extensions));
	/* As git does, objects are believed when they are read; git fsck is there to doubt. */
	git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 0);
	/* A walk meets each commit once: keeping them all would only take memory. */
	git_libgit2_opts(GIT_OPT_SET_CACHE_OBJECT_LIMIT, GIT_OBJECT_COMMIT, (size_t)0);
	vcs = perun_alloc_zero(1, sizeof(*vcs));
	vcs->state_lock = -1;
	*instance = vcs;
	return PERUN_OK;
}

static void close_instance(void *instance)
{
	gitvcs_detach(instance);
	perun_free(instance);
	git_libgit2_shutdown();
}

static const struct perun_vcs_ops git_ops = {
	.open = open_instance,
	.close = close_instance,
	.attach = gitvcs_attach,
	.init = gitvcs_init,
	.walk_minor_versions = gitvcs_walk_minor_versions,
	.walk_major_versions = gitvcs_walk_major_versions,
	.get_minor_head = gitvcs_get_minor_head,
	.get_head_major_version = gitvcs_get_head_major_version,
	.get_minor_version_info = gitvcs_get_minor_version_info,
	.check_minor_version_validity = gitvcs_check_minor_version_validity,
	.massage_parameter = gitvcs_massage_parameter,
	.is_dirty = gitvcs_is_dirty,
	.save_state = gitvcs_save_state,
	.restore_state = gitvcs_restore_state,
	.checkout = gitvcs_checkout,
	.walk_range = gitvcs_walk_range,
	.merge_base = gitvcs_merge_base,
	.export_version = gitvcs_export_version,
	.remove_export = gitvcs_remove_export,
	.common_directory = gitvcs_common_directory,
	.is_boundary = gitvcs_is_boundary,
	.ignore = gitvcs_ignore,
	.discover = gitvcs_discover,
	.recover = gitvcs_recover,
	.is_tracked = gitvcs_is_tracked,
};

PERUN_PLUGIN(vcs, git) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_VCS, "git", "git repositories"),
	.version = "1.0",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPS(git_ops),
};
