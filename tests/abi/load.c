/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the registry knows and does, for abi.sh: `load list`, `load KIND NAME`, `load command NAME`,
 * `load probe NAME CONTENT`, `load check KIND NAME`.
 */
#include <stdio.h>
#include <string.h>

#include <perun/lib/registry.h>

static void warn(void *data, const char *message)
{
	(void)data;
	fprintf(stderr, "warning: %s\n", message);
}

static int list(struct perun_ctx *ctx)
{
	const struct perun_plugin_info *infos;
	size_t count;

	perun_registry_describe(ctx);
	infos = perun_registry_list(ctx, &count);
	for (size_t i = 0; i < count; i++)
		printf("%s %s: %s%s%s\n", perun_kind_name(infos[i].kind), infos[i].name,
		       infos[i].summary, infos[i].problem ? " problem: " : "",
		       infos[i].problem ? infos[i].problem : "");
	return PERUN_OK;
}

static int find_command(struct perun_ctx *ctx, const char *name)
{
	const struct perun_plugin_info *info = perun_registry_find_command(ctx, name);

	printf("%s\n", info ? info->name : "nobody");
	return PERUN_OK;
}

static int probe(struct perun_ctx *ctx, const char *name, const char *content)
{
	struct perun_input *input = perun_input_from_memory(name, content, strlen(content));
	struct perun_profile *profile = NULL;
	const char *format = NULL;
	int status = perun_read_profile(ctx, input, NULL, NULL, &profile, &format);

	if (format)
		printf("%s\n", format);
	perun_profile_unref(profile);
	perun_input_close(input);
	return status;
}

static int load(struct perun_ctx *ctx, const char *kind, const char *name)
{
	const struct perun_plugin *plugin;
	struct perun_buffer text = {0};
	int status = perun_registry_load(ctx, perun_kind_from_name(kind), name, &plugin);

	if (status != PERUN_OK)
		return status;
	printf("loaded %s: %s\n", plugin->name, plugin->summary);
	for (const struct perun_option *option = plugin->options; option && option->name; option++)
		printf("option %s: %s, flags %u, default %s\n", option->name, option->help,
		       option->flags, option->default_value ? option->default_value : "none");
	printf("commands %s, ops %s\n", plugin->commands ? "yes" : "no",
	       plugin->ops ? "yes" : "no");
	status = perun_plugin_validate(ctx, plugin);
	if (status != PERUN_OK)
		printf("invalid: %s\n", perun_ctx_error(ctx));
	perun_ctx_clear(ctx);
	perun_plugin_describe(plugin, &text);
	fputs(text.data, stdout);
	perun_buffer_free(&text);
	return PERUN_OK;
}

int main(int argc, char **argv)
{
	struct perun_handlers handlers = {.struct_size = sizeof handlers, .warn = warn};
	struct perun_ctx *ctx = perun_ctx_new(&handlers);
	int status = PERUN_USAGE;

	if (argc == 2 && strcmp(argv[1], "list") == 0)
		status = list(ctx);
	else if (argc == 3 && strcmp(argv[1], "command") == 0)
		status = find_command(ctx, argv[2]);
	else if (argc == 4 && strcmp(argv[1], "probe") == 0)
		status = probe(ctx, argv[2], argv[3]);
	else if (argc == 4 && strcmp(argv[1], "check") == 0)
		status = perun_registry_check(ctx, perun_kind_from_name(argv[2]), argv[3]);
	else if (argc == 3)
		status = load(ctx, argv[1], argv[2]);
	if (perun_ctx_error(ctx))
		fprintf(stderr, "%s\n", perun_ctx_error(ctx));
	perun_ctx_free(ctx);
	return status;
}
