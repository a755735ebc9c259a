/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `callees`: what a function calls, and what that costs. */
#include <config.h>

#include "views/common/text-svg.h"
#include "views/common/tree.h"

static const struct perun_option callees_options[] = {
	{.name = "function",
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED,
	 .type = PERUN_OPTION_STRING,
	 .help = "its name, or a regular expression that names match"},
	VIEWS_DATA_OPTIONS,
	VIEWS_TREE_OPTIONS,
	{0}};

static int callees_open(struct perun_ctx *ctx, const struct perun_options *options,
			const char *subcommand, void **instance)
{
	(void)ctx;
	(void)subcommand;
	*instance = (void *)options;
	return PERUN_OK;
}

static int callees_show(void *instance, struct perun_ctx *ctx,
			struct perun_profile *const *profiles, const char *const *names,
			size_t count, const struct perun_canvas *canvas)
{
	if (canvas->form == PERUN_FORM_SVG)
		return views_show_svg(callees_show, instance, ctx, profiles, names, count, canvas);
	return views_tree_show(instance, "callees", ctx, profiles[0], names[0], canvas);
}

static const struct perun_view_ops callees_ops = {
	.open = callees_open,
	.forms = PERUN_FORM_TERMINAL | PERUN_FORM_HTML | PERUN_FORM_SVG | PERUN_FORM_JSON |
		 PERUN_FORM_CSV,
	.minimum = 1,
	.maximum = 1,
	.show = callees_show,
};

PERUN_PLUGIN(view, callees) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_VIEW, "callees", "what a function calls, and what that costs"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(callees_options),
	PERUN_PLUGIN_OPS(callees_ops),
};
