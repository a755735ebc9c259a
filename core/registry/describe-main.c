/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A tool of the build: writes the .plugin text beside each plugin of a directory, after checking its
 * tables. `describe DIRECTORY`, which must be first on PERUN_PLUGIN_PATH.
 */
#include <stdio.h>
#include <string.h>

#include "core/registry/registry.h"

static void warn(void *data, const char *message)
{
	(void)data;
	fprintf(stderr, "describe: %s\n", message);
}

static int write_text(struct perun_ctx *ctx, const char *file, const struct perun_buffer *text)
{
	char *path = perun_format("%.*s.plugin", (int)(strlen(file) - 3), file);
	FILE *stream = fopen(path, "w");
	bool good = stream && fwrite(text->data, 1, text->length, stream) == text->length;

	if (stream && fclose(stream) != 0)
		good = false;
	if (!good)
		perun_fail(ctx, PERUN_INPUT, "cannot write %s", path);
	perun_free(path);
	return good ? PERUN_OK : PERUN_INPUT;
}

static int describe(struct perun_ctx *ctx, const struct perun_plugin_info *info)
{
	struct perun_buffer text = {0};
	const struct perun_plugin *plugin;
	int status = perun_registry_load(ctx, info->kind, info->name, &plugin);

	if (status == PERUN_OK)
		status = perun_plugin_validate(ctx, plugin);
	if (status == PERUN_OK) {
		perun_plugin_describe(plugin, &text);
		status = write_text(ctx, info->file, &text);
	}
	perun_buffer_free(&text);
	return status;
}

int main(int argc, char **argv)
{
	struct perun_handlers handlers = {.warn = warn};
	struct perun_ctx *ctx = perun_ctx_new(&handlers);
	const struct perun_plugin_info *infos;
	int status = PERUN_OK;
	size_t count;

	if (argc != 2)
		return PERUN_USAGE;
	infos = perun_registry_list(ctx, &count);
	for (size_t i = 0; i < count && status == PERUN_OK; i++) {
		if (strncmp(infos[i].file, argv[1], strlen(argv[1])) == 0)
			status = describe(ctx, &infos[i]);
	}
	if (status != PERUN_OK)
		fprintf(stderr, "describe: %s\n", perun_ctx_error(ctx));
	perun_ctx_free(ctx);
	return status;
}
