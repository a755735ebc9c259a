/* SPDX-License-Identifier: BSD-3-Clause */
/* perun convert and symbolize: write a profile in another format, or with names for its addresses. */
#include <config.h>

#include <fnmatch.h>
#include <inttypes.h>
#include <string.h>

#include <perun/command.h>
#include <perun/lib/options.h>
#include <perun/lib/path.h>
#include <perun/lib/registry.h>

#include "commands/common/output.h"
#include "commands/common/plugin.h"
#include "commands/common/safe-lines.h"
#include "commands/common/symbolize.h"
#include "commands/convert/convert.h"

/* What both commands take. */
/* clang-format off */
#define SHARED_OPTIONS \
	{.name = "input", \
	 .metavar = "IN", \
	 .type = PERUN_OPTION_PATH, \
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED, \
	 .help = "a file, a directory, - for standard input, or a tag such as 0@i"}, \
	COMMANDS_OUTPUT_OPTION, \
	{.name = "to", \
	 .aliases = "-t", \
	 .metavar = "FORMAT", \
	 .type = PERUN_OPTION_STRING, \
	 .help = "the format to write, by default by the name of the output, else perun"}, \
	{.name = "from", \
	 .metavar = "FORMAT", \
	 .type = PERUN_OPTION_STRING, \
	 .help = "the format to read, by default found out from the content"}, \
	{.name = "json", .help = "print as JSON what was written and what was lost"}, \
	{.name = "strict", \
	 .help = "fail when something of the profile is left out or would be lost"}, \
	{.name = "chunks", \
	 .help = "Perun's own format: write frames and traces once, and refer to them"}, \
	{.name = "format-option", \
	 .aliases = "-o", \
	 .metavar = "K=V", \
	 .type = PERUN_OPTION_STRING, \
	 .flags = PERUN_OPTION_REPEATABLE, \
	 .help = "an option of the format written, or else of the format read"}
/* clang-format on */

static const struct perun_option convert_options[] = {
	SHARED_OPTIONS,
	{.name = "original",
	 .help = "write what was imported as it came, a file or a directory, by default under its "
		 "name"},
	{.name = "symbolize", .help = "look up names, lines and inlined calls of addresses first"},
	{.name = "binary",
	 .metavar = "PATH",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "for --symbolize: a program or library of the profile, wherever it is now"},
	{0}};

static const struct perun_option symbolize_options[] = {
	SHARED_OPTIONS,
	{.name = "binary",
	 .metavar = "PATH",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "a program or library of the profile, wherever it is now"},
	{.name = "demangle",
	 .metavar = "MODE",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "full templates short none",
	 .default_value = "full",
	 .help = "names of C++ and Rust: whole, without parameters, also without arguments of "
		 "templates, or as compilers make them"},
	{.name = "force", .help = "look up also what has names"},
	{0}};

/* The format whose pattern fits the file name; the longest pattern counts, since *.json fits also what is called
 * x.speedscope.json. NULL when none fits; *rival is another format with a pattern of the same length, or NULL. */
static const char *find_pattern(struct perun_ctx *ctx, const char *path, const char **rival)
{
	size_t count, length = 0;
	const struct perun_plugin_info *plugins = perun_registry_list(ctx, &count);
	const char *name = perun_path_base_name(path), *best = NULL;

	*rival = NULL;
	for (size_t i = 0; i < count; i++) {
		const char *const *pattern = plugins[i].patterns;

		if (plugins[i].kind != PERUN_KIND_FORMAT || plugins[i].problem)
			continue;
		for (; pattern && *pattern; pattern++) {
			if (strlen(*pattern) < length || fnmatch(*pattern, name, 0) != 0)
				continue;
			*rival =
				strlen(*pattern) == length && best != plugins[i].name ? best : NULL;
			length = strlen(*pattern);
			best = plugins[i].name;
		}
	}
	return best;
}

/* The format to write, from the name of the output. Plugins that say nothing without being opened come after the
 * others. */
static int format_of_name(struct perun_ctx *ctx, const char *path, const char **format)
{
	const char *rival;

	*format = find_pattern(ctx, path, &rival);
	if (!*format) {
		perun_registry_describe(ctx);
		*format = find_pattern(ctx, path, &rival);
	}
	if (rival)
		return perun_fail(ctx, PERUN_USAGE,
				  "%s may be written as %s or as %s: name one with --to", path,
				  rival, *format);
	return PERUN_OK;
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
	bool named;                  /* by --to */
};

static int prepare(struct perun_ctx *ctx, const struct perun_options *given,
		   struct conversion *conversion)
{
	size_t count = perun_option_count(given, "format-option"), reads = 0, writes = 0;
	const char *output = perun_option_string(given, "output");
	const struct perun_plugin *plugin = NULL;
	int status = PERUN_OK;

	conversion->from = perun_option_string(given, "from");
	conversion->to = perun_option_string(given, "to");
	conversion->named = conversion->to || strcmp(output, "-") == 0;
	if (!conversion->to && strcmp(output, "-") != 0)
		status = format_of_name(ctx, output, &conversion->to);
	if (!status && !conversion->to)
		conversion->to = "perun";
	if (!status)
		status = perun_registry_load(ctx, PERUN_KIND_FORMAT, conversion->to, &plugin);
	if (status)
		return status;
	perun_plugin_ops(plugin, &conversion->ops, sizeof conversion->ops);
	if (!conversion->ops.write)
		return perun_fail(ctx, PERUN_USAGE, "the format %s can only be read",
				  conversion->to);
	conversion->read_options = perun_alloc_zero(count + 1, sizeof *conversion->read_options);
	conversion->write_options = perun_alloc_zero(count + 2, sizeof *conversion->write_options);
	if (perun_option_flag(given, "chunks")) {
		if (!has_option(plugin, "chunks=yes"))
			return perun_fail(ctx, PERUN_USAGE,
					  "--chunks is for the format perun, not %s",
					  conversion->to);
		conversion->write_options[writes++] = "chunks=yes";
	}
	for (size_t i = 0; i < count; i++) {
		const char *setting = perun_option_string_at(given, "format-option", i);

		if (has_option(plugin, setting))
			conversion->write_options[writes++] = setting;
		else
			conversion->read_options[reads++] = setting;
	}
	return PERUN_OK;
}

static int read_file(struct perun_ctx *ctx, const char *path, const struct conversion *conversion,
		     struct perun_profile **profile)
{
	struct perun_input *input;
	int status = perun_input_open(ctx, path, &input);

	if (status)
		return status;
	status = perun_read_profile(ctx, input, conversion->from, conversion->read_options, profile,
				    NULL);
	perun_input_close(input);
	return status;
}

int convert_find(struct perun_ctx *ctx, const struct perun_command_call *call,
		 struct perun_lookup **lookup, const struct perun_place **place)
{
	const char *name = perun_option_string(call->options, "input");
	int status;

	*lookup = commands_lookup_new(call);
	status = commands_lookup_add(ctx, *lookup, name);
	if (!status && perun_lookup_count(*lookup) != 1)
		status = perun_fail(ctx, PERUN_USAGE, "%s names %zu profiles; convert one", name,
				    perun_lookup_count(*lookup));
	*place = status ? NULL : perun_lookup_at(*lookup, 0);
	return status;
}

static int read_input(struct perun_ctx *ctx, const struct perun_command_call *call,
		      const struct conversion *conversion, struct perun_profile **profile)
{
	const char *name = perun_option_string(call->options, "input");
	struct perun_lookup *lookup;
	const struct perun_place *place;
	int status = convert_find(ctx, call, &lookup, &place);

	if (place && place->kind != PERUN_PLACE_FILE && conversion->from) {
		status = perun_fail(ctx, PERUN_USAGE,
				    "--from is for files; %s is a profile of the store", name);
		place = NULL;
	}
	if (place && place->kind == PERUN_PLACE_FILE)
		status = read_file(ctx, place->path, conversion, profile);
	else if (place)
		status = perun_lookup_load(ctx, lookup, place, profile);
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

/* What a reader leaves out, it says in a warning. */
static int read_strictly(struct perun_ctx *ctx, const struct perun_command_call *call,
			 const struct conversion *conversion, struct perun_profile **profile)
{
	size_t before = perun_ctx_warnings(ctx);
	int status = read_input(ctx, call, conversion, profile);

	if (!status && perun_ctx_warnings(ctx) > before &&
	    perun_option_flag(call->options, "strict"))
		status =
			perun_fail(ctx, PERUN_INPUT, "not all of it was read, as the warning says");
	return status;
}

static int symbolize(struct perun_ctx *ctx, const struct perun_options *given,
		     struct commands_symbolizing *how, struct perun_profile **profile)
{
	size_t count = perun_option_count(given, "binary");
	const char **binaries = perun_alloc_zero(count + 1, sizeof *binaries);
	int status;

	for (size_t i = 0; i < count; i++)
		binaries[i] = perun_option_string_at(given, "binary", i);
	how->binaries = binaries;
	how->binary_count = count;
	status = commands_symbolize(ctx, how, profile);
	perun_free((void *)binaries);
	return status;
}

/* Names in it could drive the terminal. */
int convert_print_text(struct perun_ctx *ctx, const struct perun_command_call *call,
		       const struct perun_buffer *text)
{
	if (memchr(text->data ? text->data : "", '\0', text->length))
		return perun_fail(
			ctx, PERUN_USAGE,
			"this format is not text and is not written to a terminal: give a "
			"file, or use a pipe");
	commands_print_lines(call->output, text);
	return PERUN_OK;
}

static int write_output(struct perun_ctx *ctx, const struct perun_command_call *call,
			const char *path, const struct conversion *conversion, bool strict,
			const struct perun_profile *profile)
{
	bool shown = strcmp(path, "-") == 0 && call->terminal;
	struct perun_output *output = NULL;
	struct perun_buffer text = {0};
	char *losses;
	int status = PERUN_OK;

	perun_ctx_clear_losses(ctx);
	if (conversion->ops.writes_directory)
		status = perun_output_open_directory(ctx, path, &output);
	else if (shown)
		output = perun_output_to_buffer(&text);
	else
		status = perun_output_open(ctx, path, &output);
	if (status)
		return status;
	status = perun_write_profile(ctx, profile, conversion->to, conversion->write_options,
				     output);
	if (status)
		perun_fail(ctx, PERUN_OK, "cannot write %s as %s%s", path, conversion->to,
			   conversion->named ? "" : ", by its name (--to chooses another format)");
	losses = describe_losses(ctx);
	if (!status && losses && strict)
		status = perun_fail(ctx, PERUN_INPUT, "the format %s cannot hold: %s",
				    conversion->to, losses);
	if (!status)
		status = perun_output_commit(ctx, output);
	if (!status && shown)
		status = convert_print_text(ctx, call, &text);
	if (!status && losses)
		perun_warn(ctx, "the format %s cannot hold, and so lost: %s", conversion->to,
			   losses);
	perun_output_close(output);
	perun_buffer_free(&text);
	perun_free(losses);
	return status;
}

void convert_print_facts(struct perun_ctx *ctx, const struct perun_command_call *call,
			 const char *path, const char *format)
{
	struct perun_json *document = perun_json_object(), *lost = perun_json_array();

	for (size_t i = 0; i < perun_ctx_losses(ctx); i++) {
		struct perun_json *loss = perun_json_object();
		uint64_t count;

		perun_json_set(loss, "what", commands_text(perun_ctx_loss(ctx, i, &count)));
		perun_json_set(loss, "count", perun_json_int64((int64_t)count));
		perun_json_append(lost, loss);
	}
	perun_json_set(document, "path", commands_text(path));
	perun_json_set(document, "format", commands_text(format));
	perun_json_set(document, "lost", lost);
	commands_print_json(call, document);
}

/* `how` names its addresses first; NULL = as they are. */
static int convert(struct perun_ctx *ctx, const struct perun_command_call *call,
		   struct commands_symbolizing *how)
{
	struct conversion conversion = {0};
	struct perun_profile *profile = NULL;
	const char *path = perun_option_string(call->options, "output");
	bool json = perun_option_flag(call->options, "json");
	int status = json && strcmp(path, "-") == 0
			     ? perun_fail(ctx, PERUN_USAGE,
					  "--json needs a file to write the profile to")
			     : prepare(ctx, call->options, &conversion);

	if (!status)
		status = read_strictly(ctx, call, &conversion, &profile);
	if (!status && how)
		status = symbolize(ctx, call->options, how, &profile);
	if (!status)
		status = write_output(ctx, call, path, &conversion,
				      perun_option_flag(call->options, "strict"), profile);
	if (!status && json)
		convert_print_facts(ctx, call, path, conversion.to);
	perun_profile_unref(profile);
	perun_free((void *)conversion.read_options);
	perun_free((void *)conversion.write_options);
	return status;
}

static int run_convert(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	struct commands_symbolizing how = {0};

	if (perun_option_flag(call->options, "original"))
		return convert_to_original(ctx, call);
	return convert(ctx, call, perun_option_flag(call->options, "symbolize") ? &how : NULL);
}

static int run_symbolize(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	struct commands_symbolizing how = {
		.demangle = perun_option_string(call->options, "demangle"),
		.force = perun_option_flag(call->options, "force"),
	};

	return convert(ctx, call, &how);
}

COMMANDS_PLUGIN(convert, "convert", "profiles from one format into another",
		COMMAND("convert", "write a profile in another format", convert_options,
			run_convert),
		COMMAND("symbolize", "write a profile with names for its addresses",
			symbolize_options, run_symbolize));
