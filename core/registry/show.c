/* SPDX-License-Identifier: BSD-3-Clause */
/* Drawing profiles in a view that is known by its name. */
#include <config.h>

#include <string.h>

#include <perun/lib/options.h>
#include <perun/lib/registry.h>
#include <perun/view.h>

#include "core/registry/guard.h"

/* The variant that the first word names, else the first there is; NULL = the view has none. */
static const struct perun_subcommand *choose_variant(const struct perun_plugin *plugin,
						     const char *const **words)
{
	for (const struct perun_subcommand *sub = plugin->subcommands; sub && sub->name; sub++) {
		if (**words && strcmp(sub->name, **words) == 0) {
			++*words;
			return sub;
		}
	}
	return plugin->subcommands;
}

static int check_view(struct perun_ctx *ctx, const struct perun_plugin *plugin,
		      const struct perun_view_ops *ops, size_t count, enum perun_form form)
{
	if (!ops->show || !(ops->forms & (unsigned)form))
		return perun_fail(ctx, PERUN_USAGE, "the view %s does not draw this form",
				  plugin->name);
	if (count < ops->minimum || (ops->maximum && count > ops->maximum))
		return perun_fail(ctx, PERUN_USAGE, "the view %s does not take %zu profiles",
				  plugin->name, count);
	return PERUN_OK;
}

int perun_show_profiles(struct perun_ctx *ctx, const char *view, const char *const *words,
			struct perun_profile *const *profiles, const char *const *names,
			size_t count, const struct perun_canvas *canvas)
{
	static const char *const none[] = {NULL};
	const struct perun_plugin *plugin;
	const struct perun_subcommand *variant;
	struct perun_option_table tables[2];
	struct perun_options *options = NULL;
	struct perun_view_ops ops;
	void *instance = NULL;
	int status = perun_registry_load(ctx, PERUN_KIND_VIEW, view, &plugin);

	if (status)
		return perun_fail(ctx, PERUN_USAGE, "view %s", view);
	words = words ? words : none;
	perun_plugin_ops(plugin, &ops, sizeof ops);
	variant = choose_variant(plugin, &words);
	tables[0] = (struct perun_option_table){plugin->options, plugin->option_size};
	if (variant)
		tables[1] = (struct perun_option_table){variant->options, variant->option_size};
	status = check_view(ctx, plugin, &ops, count, canvas->form);
	if (!status)
		status =
			perun_options_parse(ctx, tables, variant ? 2 : 1, words, 0, &options, NULL);
	if (!status && ops.open)
		status = PERUN_PLUGIN_CALL(
			ctx, plugin,
			ops.open(ctx, options, variant ? variant->name : NULL, &instance));
	if (!status) {
		status = PERUN_PLUGIN_CALL(ctx, plugin,
					   ops.show(instance, ctx, profiles, names, count, canvas));
		if (ops.close)
			PERUN_PLUGIN_CALL_VOID(plugin, ops.close(instance));
	}
	perun_options_free(options);
	return status ? perun_fail(ctx, PERUN_OK, "view %s", plugin->name) : PERUN_OK;
}
