/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin vcs git: its tables, and its instances. */
#include <perun/plugin.h>

#include "gitvcs.h"

static int open_instance(struct perun_ctx *ctx, const struct perun_options *options,
			 const char *subcommand, void **instance)
{
	struct gitvcs *vcs;

	(void)ctx;
	(void)options;
	(void)subcommand;
	vcs = perun_alloc_zero(1, sizeof(*vcs));
	vcs->state_lock = -1;
	*instance = vcs;
	return PERUN_OK;
}

static void close_instance(void *instance)
{
	struct gitvcs *vcs = instance;

	gitvcs_detach(vcs);
	if (vcs->started)
		gitvcs_stop();
	perun_free(vcs);
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
	.walk_names = gitvcs_walk_names,
	.share_add = gitvcs_share_add,
	.share_writers = gitvcs_share_writers,
	.share_files = gitvcs_share_files,
	.share_push = gitvcs_share_push,
	.share_fetch = gitvcs_share_fetch,
	.diff = gitvcs_diff,
	.walk_remotes = gitvcs_walk_remotes,
	.read_file = gitvcs_read_file,
	.share_list = gitvcs_share_list,
	.share_drop = gitvcs_share_drop,
	.share_hook = gitvcs_share_hook,
	.share_fetch_some = gitvcs_share_fetch_some,
	.keep_export = gitvcs_keep_export,
};

PERUN_PLUGIN(vcs, git) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_VCS, "git", "git repositories"),
	.version = "1.0",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPS(git_ops),
};
