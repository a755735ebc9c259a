/* SPDX-License-Identifier: BSD-3-Clause */
/* Running a postprocessor and recording it in the profile. */
#include <config.h>

#include <string.h>

#include <perun/json.h>
#include <perun/lib/options.h>
#include <perun/lib/registry.h>
#include <perun/postprocess.h>

#include "core/job/variants.h"
#include "core/registry/guard.h"

/* The tables of a plugin and of one of its sub-commands, as options are parsed by. */
struct unit {
	const struct perun_plugin *plugin;
	const char *subcommand;
	struct perun_option_table tables[2];
	size_t table_count;
};

static int choose_subcommand(struct perun_ctx *ctx, struct unit *unit, const char *name,
			     const char *const *arguments)
{
	const struct perun_plugin *plugin = unit->plugin;
	const struct perun_subcommand *subcommand;
	int status;

	unit->tables[0] = (struct perun_option_table){plugin->options, plugin->option_size};
	unit->table_count = 1;
	if (!plugin->subcommands)
		return name ? perun_fail(ctx, PERUN_USAGE, "%s has no variants such as %s",
					 plugin->name, name)
			    : PERUN_OK;
	status = perun_variant_choose(ctx, plugin, name, arguments, &subcommand);
	if (status)
		return status;
	unit->subcommand = subcommand->name;
	unit->tables[1] = (struct perun_option_table){subcommand->options, subcommand->option_size};
	unit->table_count = 2;
	return PERUN_OK;
}

/* Append {"name": "regression_analysis", "params": {...}} to the list of postprocessors. */
static void record(struct perun_builder *builder, const struct unit *unit,
		   struct perun_json *params)
{
	struct perun_json *document = perun_builder_document(builder);
	struct perun_json *entry = perun_json_object(), *list;
	char *name = perun_strdup(unit->plugin->name);

	for (char *c = name; *c; c++)
		*c = *c == '-' ? '_' : *c;
	perun_json_set(entry, "name", perun_json_text(name));
	perun_json_set(entry, "params", params);
	list = perun_json_get(document, "postprocessors");
	if (perun_json_type(list) != PERUN_JSON_TYPE_ARRAY) {
		perun_json_set(document, "postprocessors", perun_json_array());
		list = perun_json_get(document, "postprocessors");
	}
	perun_json_append(list, entry);
	perun_free(name);
}

static int run_phases(struct perun_ctx *ctx, const struct perun_plugin *plugin,
		      const struct perun_postprocess_ops *ops, void *instance,
		      struct perun_profile *profile, struct perun_builder *builder)
{
	int status = PERUN_OK;

	if (ops->before)
		status = PERUN_PLUGIN_CALL(ctx, plugin, ops->before(instance, ctx, profile));
	if (!status)
		status = PERUN_PLUGIN_CALL(ctx, plugin, ops->run(instance, ctx, profile, builder));
	if (!status && ops->after)
		status = PERUN_PLUGIN_CALL(ctx, plugin, ops->after(instance, ctx, profile));
	if (ops->teardown)
		PERUN_PLUGIN_CALL_VOID(plugin, ops->teardown(instance, ctx, status));
	return status;
}

static int run_unit(struct perun_ctx *ctx, const struct unit *unit,
		    const struct perun_options *options, struct perun_profile *profile,
		    struct perun_profile **result)
{
	struct perun_postprocess_ops ops;
	struct perun_builder *builder;
	void *instance = NULL;
	int status;

	perun_plugin_ops(unit->plugin, &ops, sizeof ops);
	if (ops.open) {
		status = PERUN_PLUGIN_CALL(ctx, unit->plugin,
					   ops.open(ctx, options, unit->subcommand, &instance));
		if (status)
			return status;
	}
	builder = perun_builder_from(profile);
	status = run_phases(ctx, unit->plugin, &ops, instance, profile, builder);
	if (!status) {
		struct perun_json *params = perun_options_document(options);

		if (ops.describe)
			PERUN_PLUGIN_CALL_VOID(unit->plugin, ops.describe(instance, params));
		record(builder, unit, params);
	}
	if (ops.close)
		PERUN_PLUGIN_CALL_VOID(unit->plugin, ops.close(instance));
	if (status) {
		perun_builder_free(builder);
		return status;
	}
	return perun_builder_finish(ctx, builder, result);
}

int perun_postprocess(struct perun_ctx *ctx, struct perun_profile *profile, const char *name,
		      const char *subcommand, const char *const *arguments,
		      struct perun_profile **result)
{
	static const char *const no_words[] = {NULL};
	struct unit unit = {0};
	struct perun_options *options;
	int status;

	*result = NULL;
	status = perun_registry_load(ctx, PERUN_KIND_POSTPROCESS, name, &unit.plugin);
	if (status)
		return status;
	status = choose_subcommand(ctx, &unit, subcommand, arguments);
	if (!status)
		status = perun_options_parse(ctx, unit.tables, unit.table_count,
					     arguments ? arguments : no_words, 0, &options, NULL);
	if (!status) {
		status = run_unit(ctx, &unit, options, profile, result);
		perun_options_free(options);
	}
	if (status)
		perun_fail(ctx, PERUN_OK, "%s", unit.plugin->name);
	return status;
}
