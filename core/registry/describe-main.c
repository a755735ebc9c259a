/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A tool of the build: `describe DIRECTORY` checks the tables of each plugin that is in the directory
 * (which must be first on PERUN_PLUGIN_PATH) or linked in, and writes there its .plugin text and
 * .options, the list of its options for the manual page.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <perun/lib/options.h>
#include <perun/lib/registry.h>

static void warn(void *data, const char *message)
{
	(void)data;
	fprintf(stderr, "describe: %s\n", message);
}

static int write_text(struct perun_ctx *ctx, const char *directory,
		      const struct perun_plugin *plugin, const char *suffix,
		      const struct perun_buffer *text)
{
	char *path = perun_format("%s/perun-%s-%s.%s", directory, perun_kind_name(plugin->kind),
				  plugin->name, suffix);
	FILE *stream = fopen(path, "w");
	bool good = stream && (text->length == 0 ||
			       fwrite(text->data, 1, text->length, stream) == text->length);

	if (stream && fclose(stream) != 0)
		good = false;
	if (!good)
		perun_fail(ctx, PERUN_INPUT, "cannot write %s", path);
	perun_free(path);
	return good ? PERUN_OK : PERUN_INPUT;
}

/* The plugin's own options, and a section for each sub-command. */
static void add_manual(const struct perun_plugin *plugin, struct perun_buffer *text)
{
	struct perun_option_table table = {plugin->options, plugin->option_size};

	perun_options_manual(&table, 1, text);
	for (const struct perun_subcommand *sub = plugin->subcommands; sub && sub->name; sub++) {
		table = (struct perun_option_table){sub->options, sub->option_size};
		perun_buffer_printf(text, ".Ss %s\n%c%s.\n", sub->name,
				    toupper((unsigned char)sub->summary[0]), sub->summary + 1);
		perun_options_manual(&table, 1, text);
	}
}

static int describe(struct perun_ctx *ctx, const char *directory,
		    const struct perun_plugin_info *info)
{
	struct perun_buffer text = {0}, manual = {0};
	const struct perun_plugin *plugin;
	int status = perun_registry_load(ctx, info->kind, info->name, &plugin);

	if (status == PERUN_OK)
		status = perun_plugin_validate(ctx, plugin);
	if (status == PERUN_OK) {
		perun_plugin_describe(plugin, &text);
		status = write_text(ctx, directory, plugin, "plugin", &text);
	}
	if (status == PERUN_OK) {
		add_manual(plugin, &manual);
		status = write_text(ctx, directory, plugin, "options", &manual);
	}
	perun_buffer_free(&text);
	perun_buffer_free(&manual);
	return status;
}

int main(int argc, char **argv)
{
	struct perun_handlers handlers = {.struct_size = sizeof handlers, .warn = warn};
	struct perun_ctx *ctx = perun_ctx_new(&handlers);
	const struct perun_plugin_info *infos;
	int status = PERUN_OK;
	size_t count;

	if (argc != 2)
		return PERUN_USAGE;
	infos = perun_registry_list(ctx, &count);
	for (size_t i = 0; i < count && status == PERUN_OK; i++) {
		if (infos[i].linked_in || strncmp(infos[i].file, argv[1], strlen(argv[1])) == 0)
			status = describe(ctx, argv[1], &infos[i]);
	}
	if (status != PERUN_OK)
		fprintf(stderr, "describe: %s\n", perun_ctx_error(ctx));
	perun_ctx_free(ctx);
	return status;
}
