/* SPDX-License-Identifier: BSD-3-Clause */
/* perun convert: write a profile in another format. */
#include <config.h>

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <perun/format.h>

#include "cli/cli.h"
#include "cli/lookup.h"
#include "core/registry/registry.h"

const struct perun_option cli_convert_options[] = {
	{.name = "input",
	 .metavar = "IN",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED,
	 .help = "a file, a directory, - for standard input, or a tag such as 0@i"},
	{.name = "output",
	 .metavar = "OUT",
	 .type = PERUN_OPTION_PATH,
	 .default_value = "-",
	 .flags = PERUN_OPTION_POSITIONAL,
	 .help = "where to write, - is standard output"},
	{.name = "to",
	 .aliases = "-t",
	 .metavar = "FORMAT",
	 .type = PERUN_OPTION_STRING,
	 .help = "the format to write, by default told from the name of the output, else perun"},
	{.name = "from",
	 .aliases = "-f",
	 .metavar = "FORMAT",
	 .type = PERUN_OPTION_STRING,
	 .help = "the format to read, by default found out from the content"},
	{.name = "strict", .help = "fail when something of the profile would be lost"},
	{.name = "format-option",
	 .aliases = "-o",
	 .metavar = "K=V",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "an option of the format written, or else of the format read"},
	{0}};

/* A format whose file name pattern fits; NULL when none does. */
static const char *find_pattern(struct cli *cli, const char *path)
{
	size_t count;
	const struct perun_plugin_info *plugins = perun_registry_list(cli->ctx, &count);
	const char *name = cli_base_name(path);

	for (size_t i = 0; i < count; i++) {
		const char *const *pattern = plugins[i].patterns;

		if (plugins[i].kind != PERUN_KIND_FORMAT || plugins[i].problem)
			continue;
		for (; pattern && *pattern; pattern++) {
			if (fnmatch(*pattern, name, 0) == 0)
				return plugins[i].name;
		}
	}
	return NULL;
}

/* Plugins that say nothing without being opened come after the others. */
static const char *format_of_name(struct cli *cli, const char *path)
{
	const char *format = find_pattern(cli, path);

	if (format)
		return format;
	perun_registry_describe(cli->ctx);
	return find_pattern(cli, path);
}

/* Whether a plugin has the option in "K=V". */
static bool has_option(const struct perun_plugin *plugin, const char *setting)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_option_table table = {plugin->options, plugin->option_size};
	struct perun_options *options = NULL;
	size_t length = strcspn(setting, "=");
	char *word = perun_format("--%.*s", (int)length, setting);
	const char *words[] = {word, "0", NULL};
	const char *error;
	bool has;

	/* Any outcome but "unknown option" says that there is one. */
	has = perun_options_parse(quiet, &table, 1, words, 0, &options, NULL) == PERUN_OK;
	error = perun_ctx_error(quiet);
	has = has || !(error && strstr(error, "unknown option"));
	perun_options_free(options);
	perun_ctx_free(quiet);
	perun_free(word);
	return has;
}

struct conversion {
	const char *from, *to;
	const char **read_options, **write_options;
	struct perun_format_ops ops; /* of the format written */
};

static int prepare(struct cli *cli, const struct perun_options *options,
		   struct conversion *conversion)
{
	size_t count = perun_option_count(options, "format-option"), reads = 0, writes = 0;
	const char *output = perun_option_string(options, "output");
	const struct perun_plugin *plugin;
	int status;

	conversion->from = perun_option_string(options, "from");
	conversion->to = perun_option_string(options, "to");
	if (!conversion->to && strcmp(output, "-") != 0)
		conversion->to = format_of_name(cli, output);
	if (!conversion->to)
		conversion->to = "perun";
	status = perun_registry_load(cli->ctx, PERUN_KIND_FORMAT, conversion->to, &plugin);
	if (status)
		return status;
	perun_plugin_ops(plugin, &conversion->ops, sizeof conversion->ops);
	if (!conversion->ops.write)
		return perun_fail(cli->ctx, PERUN_USAGE, "the format %s can only be read",
				  conversion->to);
	conversion->read_options = perun_alloc_zero(count + 1, sizeof *conversion->read_options);
	conversion->write_options = perun_alloc_zero(count + 1, sizeof *conversion->write_options);
	for (size_t i = 0; i < count; i++) {
		const char *setting = perun_option_string_at(options, "format-option", i);

		if (has_option(plugin, setting))
			conversion->write_options[writes++] = setting;
		else
			conversion->read_options[reads++] = setting;
	}
	return PERUN_OK;
}

static int read_input(struct cli *cli, const char *name, const struct conversion *conversion,
		      struct perun_profile **profile)
{
	struct perun_lookup *lookup;
	struct perun_input *input;
	int status;

	lookup = cli_lookup_new(cli, NULL);
	status = cli_lookup_add(cli, lookup, name, PERUN_PLACE_ANY);
	if (!status && perun_lookup_count(lookup) != 1)
		status = perun_fail(cli->ctx, PERUN_USAGE, "%s names %zu profiles; convert one",
				    name, perun_lookup_count(lookup));
	if (!status && perun_lookup_at(lookup, 0)->kind == PERUN_PLACE_FILE) {
		status = perun_input_open(cli->ctx, perun_lookup_at(lookup, 0)->path, &input);
		if (!status) {
			status = perun_read_profile(cli->ctx, input, conversion->from,
						    conversion->read_options, profile, NULL);
			perun_input_close(input);
		}
		if (status)
			perun_fail(cli->ctx, PERUN_OK, "cannot read %s", name);
	} else if (!status) {
		status = perun_lookup_load(cli->ctx, lookup, perun_lookup_at(lookup, 0), profile);
	}
	perun_lookup_free(lookup);
	return status;
}

/* "labels (1204), models (3)", the caller's; NULL when nothing is lost. */
static char *describe_losses(struct perun_ctx *ctx)
{
	struct perun_buffer text = {0};

	for (size_t i = 0; i < perun_ctx_losses(ctx); i++) {
		uint64_t count;
		const char *what = perun_ctx_loss(ctx, i, &count);

		perun_buffer_printf(&text, "%s%s (%" PRIu64 ")", i ? ", " : "", what, count);
	}
	return text.length ? perun_buffer_take(&text) : NULL;
}

/* Names in it could drive the terminal. */
static int print_output(struct cli *cli, const struct perun_buffer *text)
{
	if (memchr(text->data ? text->data : "", '\0', text->length))
		return perun_fail(
			cli->ctx, PERUN_USAGE,
			"this format is not text and is not written to a terminal: give a "
			"file, or use a pipe");
	for (size_t i = 0; i < text->length;) {
		size_t length = strcspn(text->data + i, "\n");
		char *line = perun_strndup(text->data + i, length);

		cli_print_safe(line);
		putchar('\n');
		perun_free(line);
		i += length + 1;
	}
	return PERUN_OK;
}

static int write_output(struct cli *cli, const char *path, const struct conversion *conversion,
			bool strict, const struct perun_profile *profile)
{
	bool shown = strcmp(path, "-") == 0 && isatty(STDOUT_FILENO);
	struct perun_output *output = NULL;
	struct perun_buffer text = {0};
	char *losses;
	int status = PERUN_OK;

	perun_ctx_clear_losses(cli->ctx);
	if (conversion->ops.writes_directory)
		status = perun_output_open_directory(cli->ctx, path, &output);
	else if (shown)
		output = perun_output_to_buffer(&text);
	else
		status = perun_output_open(cli->ctx, path, &output);
	if (status)
		return status;
	status = perun_write_profile(cli->ctx, profile, conversion->to, conversion->write_options,
				     output);
	losses = describe_losses(cli->ctx);
	if (!status && losses && strict)
		status = perun_fail(cli->ctx, PERUN_INPUT, "the format %s cannot hold: %s",
				    conversion->to, losses);
	if (!status)
		status = perun_output_commit(cli->ctx, output);
	if (!status && shown)
		status = print_output(cli, &text);
	if (!status && losses)
		perun_warn(cli->ctx, "the format %s cannot hold, and so lost: %s", conversion->to,
			   losses);
	perun_output_close(output);
	perun_buffer_free(&text);
	perun_free(losses);
	return status;
}

int cli_convert(struct cli *cli, const struct cli_call *call)
{
	struct conversion conversion = {0};
	struct perun_profile *profile = NULL;
	int status = prepare(cli, call->options, &conversion);

	if (!status)
		status = read_input(cli, perun_option_string(call->options, "input"), &conversion,
				    &profile);
	if (!status)
		status =
			write_output(cli, perun_option_string(call->options, "output"), &conversion,
				     perun_option_flag(call->options, "strict"), profile);
	perun_profile_unref(profile);
	perun_free((void *)conversion.read_options);
	perun_free((void *)conversion.write_options);
	return status;
}
