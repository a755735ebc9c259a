/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `tree`: the call tree with what each call costs. */
#include <config.h>

#include "views/common/text-svg.h"
#include "views/common/tree.h"

static const struct perun_option tree_options[] = {VIEWS_DATA_OPTIONS, VIEWS_TREE_OPTIONS, {0}};

static int tree_open(struct perun_ctx *ctx, const struct perun_options *options,
		     const char *subcommand, void **instance)
{
	(void)ctx;
	(void)subcommand;
	*instance = (void *)options;
	return PERUN_OK;
}

static int tree_show(void *instance, struct perun_ctx *ctx, struct perun_profile *const *profiles,
		     const char *const *names, size_t count, const struct perun_canvas *canvas)
{
	if (canvas->form == PERUN_FORM_SVG)
		return views_show_svg(tree_show, instance, ctx, profiles, names, count, canvas);
	return views_tree_show(instance, "tree", ctx, profiles[0], names[0], canvas);
}

static const struct perun_view_ops tree_ops = {
	.open = tree_open,
	.forms = PERUN_FORM_TERMINAL | PERUN_FORM_HTML | PERUN_FORM_SVG | PERUN_FORM_JSON |
		 PERUN_FORM_CSV,
	.minimum = 1,
	.maximum = 1,
	.show = tree_show,
};

PERUN_PLUGIN(view, tree) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_VIEW, "tree", "the call tree with what each call costs"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(tree_options),
	PERUN_PLUGIN_OPS(tree_ops),
};
